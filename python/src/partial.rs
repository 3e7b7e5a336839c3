//! Sums of some rows, and releases from the sums of all rows.

use std::path::PathBuf;

use dpsis::internals::TargetType;
use dpsis::job::{Answer, Terms, Watch};
use dpsis::{
    ColumnScore, Error, PartialFile, ReleasedTarget, Result, SelectOptions, Source, Stage, files,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{OrRaise, words};
use crate::interruptible::uninterrupted;
use crate::job::dict_of;
use crate::table::Table;

/// The sums of some rows for a stage of a release: not private.
#[pyclass(frozen, module = "dpsis._native", from_py_object)]
#[derive(Clone)]
pub(crate) struct Partial(pub(crate) dpsis::Partial);

#[pymethods]
impl Partial {
    /// The sums of a table, given the release of the stage before: as part `number` of `of` or, if
    /// no part is given, the sums for a stage of a run in parts.
    #[staticmethod]
    #[pyo3(signature = (table, options, released, part=None))]
    fn of_table(
        py: Python<'_>,
        table: &Table,
        options: &str,
        released: Option<&str>,
        part: Option<(u32, u32)>,
    ) -> PyResult<Self> {
        let watch = Watch::default();
        let stop = watch.clone();
        let request = SelectOptions::from_json(options).and_then(|options| options.request());
        let request = request.or_raise(py)?.cancel_when(move || stop.is_stopped());
        let released = released.map(ReleasedTarget::from_text).transpose().or_raise(py)?;
        let sums = |source: &(dyn Source + Sync)| match part {
            Some((number, of)) => request.partial(source, released.as_ref())?.as_part(number, of),
            None => request.stage_partial(source, released.as_ref()),
        };
        table.run(py, &watch, None, sums).and_then(uninterrupted).map(Self)
    }

    /// The sums that a text holds.
    #[staticmethod]
    fn of_text(py: Python<'_>, text: &str) -> PyResult<Self> {
        dpsis::Partial::from_text(text).or_raise(py).map(Self)
    }

    /// The text of these sums.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.0.to_text().or_raise(py)
    }

    /// These sums and the sums of other rows together.
    fn add(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        self.0.clone().merge(&other.0).or_raise(py).map(Self)
    }

    /// The places of the columns that the sums are made of, features before the target, from 0.
    fn places(&self) -> (Vec<usize>, Option<usize>) {
        let features = match self.0.stage() {
            Stage::Selection => self.0.feature_places().to_vec(),
            _ => Vec::new(),
        };
        (features, self.0.target_place())
    }

    /// The place of the column of events, if the target is made of times and events.
    fn event_place(&self) -> Option<usize> {
        self.0.event_place()
    }

    /// The places of all features.
    fn features(&self) -> Vec<usize> {
        self.0.feature_places().to_vec()
    }

    /// The numbers of the parts that were added up.
    fn parts(&self) -> Vec<u32> {
        self.0.parts().collect()
    }

    /// The number of rows: private.
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// The query for the sums of all rows of a view of Spark, where these are the sums of no rows;
    /// the columns of the view are named by their places, and `target` is the type of the target's.
    fn one_pass_query(
        &self,
        py: Python<'_>,
        options: &str,
        view: &str,
        target: &str,
    ) -> PyResult<Option<String>> {
        let target = match target {
            "text" => TargetType::Text,
            "integer" => TargetType::Integer,
            _ => TargetType::Number,
        };
        let request = SelectOptions::from_json(options).and_then(|options| options.request());
        request.and_then(|request| request.one_pass_query(&self.0, view, target)).or_raise(py)
    }

    /// The sums in the result of such a query.
    fn with_result(&self, py: Python<'_>, rows: Vec<[String; 3]>) -> PyResult<Self> {
        self.0.with_result(rows).or_raise(py).map(Self)
    }

    /// The scores of all columns instead, each text the scores of some features, in order.
    fn with_columns(&self, py: Python<'_>, released: &str, scores: Vec<String>) -> PyResult<Self> {
        let partial = || -> Result<dpsis::Partial> {
            let mut all: Vec<ColumnScore> = Vec::new();
            for some in &scores {
                let some: Vec<ColumnScore> = serde_json::from_str(some)
                    .map_err(|_| Error::input("the scores of a column are damaged"))?;
                all.extend(some);
            }
            self.0.clone().with_columns(&ReleasedTarget::from_text(released)?, all)
        };
        partial().or_raise(py).map(Self)
    }
}

/// A partial in memory; or the path of a file, a folder or a pattern of files.
#[derive(FromPyObject)]
#[expect(clippy::large_enum_variant, reason = "as many as parts")]
pub(crate) enum Given {
    Sums(Partial),
    Path(PathBuf),
}

/// Releases from the sums of all parts, each with its name in errors: a selection as an answer, or
/// the target for the next stage: its text as `target`, the `epsilon` spent so far, and whether it
/// is `private`.
#[pyfunction]
pub(crate) fn select_from_partials<'py>(
    py: Python<'py>,
    partials: Vec<(String, Given)>,
    options: &str,
    terms: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let sums = total(partials).or_raise(py)?;
    let options = SelectOptions::from_json(options).or_raise(py)?;
    let request = options.names().and_then(|names| options.apply_release_to(sums.apply_to(names)?));
    let (request, terms) = (request.or_raise(py)?, Terms::from_json(terms).or_raise(py)?);
    if sums.stage() != Stage::Selection {
        let target = terms.release_target(&request, &sums).or_raise(py)?;
        let all = PyDict::new(py);
        all.set_item("target", target.to_text().or_raise(py)?)?;
        all.set_item("epsilon", target.epsilon())?;
        all.set_item("private", target.is_private())?;
        return Ok(all);
    }
    let record = terms.release(&request, &sums).or_raise(py)?;
    let mut answer = Answer::of_record(&record, &words).or_raise(py)?;
    answer.warnings.extend(terms.warning_on_sums(&sums));
    dict_of(py, &answer)
}

/// The sums of all parts.
fn total(partials: Vec<(String, Given)>) -> Result<dpsis::Partial> {
    let mut all = Vec::new();
    for (name, given) in partials {
        match given {
            Given::Sums(Partial(sums)) => all.push((name, PartialFile::Open(sums))),
            Given::Path(path) => {
                for file in files(&[path])? {
                    all.push(PartialFile::read(&file)?);
                }
            }
        }
    }
    dpsis::Partial::total(all)
}
