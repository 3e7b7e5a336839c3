//! Choices among candidates.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dpsis::mechanism::{Parameters, by_id};
use dpsis::{CandidateColumns, Candidates, Choose, Error, Ledger, Parameter, Result, RunNote};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::OrRaise;
use crate::released::released;

/// Candidates: a file, or names with scores and perhaps sensitivities, as decimal text.
#[derive(FromPyObject)]
enum Stated {
    File(PathBuf),
    Each(Vec<(String, String, String)>),
    Common(Vec<(String, String)>),
}

/// The options of a choice; numbers that are read exactly come as text.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    candidates: Stated,
    /// The names of the columns of names, scores and sensitivities.
    columns: (Option<String>, Option<String>, Option<String>),
    k: Option<usize>,
    above: Option<String>,
    epsilon: String,
    delta: Option<String>,
    sensitivity: Option<String>,
    neighbors: String,
    monotonic: bool,
    mechanism: Option<String>,
    parameters: BTreeMap<String, String>,
    ledger: Option<(PathBuf, String)>,
    seed: Option<u64>,
}

/// Chooses candidates; `run` is the day and the request.
#[pyfunction]
pub(crate) fn choose<'py>(
    py: Python<'py>,
    options: Options,
    run_note: (String, String),
) -> PyResult<Bound<'py, PyDict>> {
    let request = options.request().or_raise(py)?;
    let note = RunNote::new(run_note.0, run_note.1);
    if let Some(seed) = options.seed {
        let record = options.candidates().and_then(|all| request.seed(seed).run(&all));
        let record = record.or_raise(py)?.with_run(note);
        return released(py, &record, &indices(&record.selected));
    }
    let choice = py.detach(|| match &options.ledger {
        Some((path, entry)) => {
            let ledger = Ledger::open(path)?;
            request.run_with_ledger(|| options.candidates(), &ledger, entry)
        }
        None => request.run(&options.candidates()?),
    });
    let choice = choice.or_raise(py)?.with_run(note);
    released(py, &choice, &indices(&choice.selected))
}

fn indices(selected: &[dpsis::ChosenCandidate]) -> Vec<usize> {
    selected.iter().map(|one| one.index).collect()
}

impl Options {
    fn request(&self) -> Result<Choose> {
        let all = if self.above.is_some() { usize::MAX } else { 1 };
        let mut request = Choose::new(self.k.unwrap_or(all))
            .epsilon(self.epsilon.as_str())
            .neighbors(self.neighbors.parse()?)
            .monotonic(self.monotonic);
        if let Some(delta) = &self.delta {
            request = request.delta(delta.as_str());
        }
        let parameters = Parameters::named(&self.parameters)?;
        if let Some(level) = &self.above {
            request = request.above(level, parameters.clone());
        }
        let needs_one = self.above.is_none() && !self.parameters.is_empty();
        if self.mechanism.is_some() || needs_one {
            let id = self.mechanism.as_deref().unwrap_or("canonical");
            request = request.mechanism(by_id(id, &parameters)?);
        }
        Ok(request)
    }

    fn candidates(&self) -> Result<Candidates> {
        match &self.candidates {
            Stated::File(path) => {
                let mut columns = CandidateColumns::default();
                (columns.name, columns.score, columns.sensitivity) = self.columns.clone();
                Candidates::read_columns(path, &columns, self.sensitivity.as_deref())
            }
            Stated::Each(all) => Candidates::with_sensitivities(all.iter().cloned()),
            Stated::Common(all) => {
                let sensitivity = self.sensitivity.as_deref().ok_or_else(|| {
                    let rule =
                        "the sensitivity must be stated: how much one row can change a score";
                    Error::request(rule).about([Parameter::Sensitivity])
                })?;
                Candidates::new(all.iter().cloned(), sensitivity)
            }
        }
    }
}
