//! A table that is a matrix in memory. X is borrowed, never copied.

use std::fmt;
use std::ops::Range;

use ndarray::{ArrayView1, ArrayView2, Axis};

use crate::data::columns::SomeRows;
use crate::data::held_columns::Limit;
use crate::data::hooks::Hooks;
use crate::data::number::CellFormat;
use crate::data::sample::{FeatureMajor, RowOf, Sample, SampleFold, fold_numbered};
use crate::data::samples::{Opening, Samples, UsableSamples};
use crate::data::schema::Schema;
use crate::data::source::{Opened, sealed};
use crate::data::target::TargetCell;
use crate::data::to_target::{OwnTarget, ToTarget};
use crate::error::{Error, Parameter, Result};
use crate::exact::MAX_ROWS;

/// Features X (n samples by d features) and target y (n values) in memory: one row per sample, one
/// column per feature.
///
/// X is a view in any memory order of any type that is exactly an `f64` (`f64`, `f32`, integers up to
/// 32 bits); it is not copied. NaN and infinite values are missing. For genes as rows, pass the
/// transposed view, `x.t()`.
///
/// y holds numbers, or labels by their text form: `1.5`, `"case"`, `true`; see [`ToTarget`]. In
/// [`Target::Classes`](crate::Target::Classes) a label is given by its text form, so the class of a number
/// `1.0` is `1`.
///
/// ```
/// use dpsis::{ArrayTable, Select};
/// use ndarray::array;
///
/// let x = array![[0.1, 0.9], [0.2, 0.3], [0.8, 0.4]];
/// let y = array![1.0, 0.0, 1.0];
/// let table = ArrayTable::new(x.view(), y.view())?.feature_names(["age", "dose"])?;
/// let selection = Select::new(1).epsilon("1").bounds(0.0, 1.0).run(&table)?;
/// assert!(["age", "dose"].contains(&selection.selected[0].name.as_str()));
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Clone)]
pub struct ArrayTable<'a, A> {
    x: ArrayView2<'a, A>,
    targets: Vec<OwnTarget>,
    /// Whether the type of the targets says that they are numbers.
    number_target: bool,
    names: Vec<String>,
    /// Whose row each is; none if each is a unit by itself.
    units: Vec<OwnTarget>,
    /// Whether a NaN may be a word.
    words: bool,
}

impl<'a, A: Copy + Into<f64> + Sync> ArrayTable<'a, A> {
    /// A table of features `x`, n by d, and `n` targets `y`. Features are called `feature-1` to
    /// `feature-d` unless they have names.
    ///
    /// # Errors
    ///
    /// `Request` if the number of rows differs, or there are more than 2^31 rows or columns.
    pub fn new<T: ToTarget>(x: ArrayView2<'a, A>, y: ArrayView1<'_, T>) -> Result<Self> {
        if x.nrows() != y.len() {
            return Err(Error::request("X and y must have the same number of rows"));
        }
        if x.nrows() as u64 > MAX_ROWS || x.ncols() >= 1 << 31 {
            return Err(Error::request("X has more than 2^31 rows or columns"));
        }
        let targets = y.iter().map(ToTarget::to_target).collect();
        let names = (1..=x.ncols()).map(|column| format!("feature-{column}")).collect();
        Ok(Self { x, targets, number_target: T::IS_NUMBER, names, units: Vec::new(), words: false })
    }

    /// The names of the features, in the order of the columns. They are public and will be printed.
    ///
    /// # Errors
    ///
    /// `Request` unless there is one name a column, no name is empty or holds a line break, and all
    /// differ.
    pub fn feature_names<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self> {
        self.names = names.into_iter().map(Into::into).collect();
        if self.names.len() != self.x.ncols() {
            return Err(Error::request("there must be one feature name for each column of X"));
        }
        Schema::of_array(self.names.clone())?;
        Ok(self)
    }

    /// States whose row each is: the person, or whatever else is protected as one, by an id in any form. A row with an
    /// empty id contributes nothing.
    ///
    /// # Errors
    ///
    /// `Request` unless there is one id for each row of X.
    pub fn units<T: ToTarget>(mut self, ids: impl IntoIterator<Item = T>) -> Result<Self> {
        self.units = ids.into_iter().map(|id| id.to_target()).collect();
        if self.units.len() != self.x.nrows() {
            let error = Error::request("there must be one id of a unit for each row of X");
            return Err(error.about([Parameter::Unit]));
        }
        Ok(self)
    }

    /// States that targets of several types are all numbers.
    #[doc(hidden)]
    pub fn with_number_target(self) -> Self {
        Self { number_target: true, ..self }
    }

    /// Takes a NaN with a payload as a word, as in a table read with its words.
    #[doc(hidden)]
    pub fn with_words(self) -> Self {
        Self { words: true, ..self }
    }
}

impl<'a, A: Copy + Into<f64> + Sync> ArrayTable<'a, A> {
    /// The values of each feature, if they are contiguous in memory and those of the rows are not.
    fn features(&self) -> Option<Vec<&'a [A]>> {
        if self.x.is_standard_layout() || !self.units.is_empty() {
            return None;
        }
        (0..self.x.ncols())
            .map(|feature| self.x.index_axis_move(Axis(1), feature).to_slice())
            .collect()
    }

    /// Rows as slices of X, or copied one by one if their values are not contiguous.
    fn each_row(&self, rows: Range<usize>, mut take: impl FnMut(Sample<'_, A>)) {
        let mut gathered = Vec::new();
        for row in rows {
            let target = Some(self.targets[row].cell());
            let x = self.x.index_axis(Axis(0), row);
            let values = x.to_slice().unwrap_or_else(|| {
                gathered.clear();
                gathered.extend(x.iter().copied());
                &gathered
            });
            let unit = self.units.get(row).map(OwnTarget::cell);
            take(Sample {
                row: RowOf { id: unit, number: row as u64 },
                ..Sample::new(target, values)
            });
        }
    }
}

impl<A> fmt::Debug for ArrayTable<'_, A> {
    /// Shows the shape, never the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrayTable").field("features", &self.names.len()).finish_non_exhaustive()
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl<'a, A: Copy + Into<f64> + Sync> sealed::Open for ArrayTable<'a, A> {
    type Table<'s>
        = ArraySamples<'s, 'a, A>
    where
        Self: 's;

    fn open(&self, opening: &Opening<'_>) -> Result<Opened<ArraySamples<'_, 'a, A>>> {
        Ok(Opened::Other(ArraySamples {
            table: self,
            schema: self.header(opening)?,
            format: CellFormat::default(),
            threads: opening.threads,
            hooks: opening.hooks.clone(),
        }))
    }

    fn header(&self, _: &Opening<'_>) -> Result<Schema> {
        if self.names.is_empty() {
            return Err(Error::input("X has no column"));
        }
        Ok(Schema::of_array(self.names.clone())?.with_people(!self.units.is_empty()))
    }

    fn repeats(&self) -> bool {
        true
    }

    fn has_number_target(&self, _: &Opening<'_>) -> Result<bool> {
        Ok(self.number_target)
    }
}

/// A matrix ready for passes over its rows.
pub struct ArraySamples<'s, 'a, A> {
    table: &'s ArrayTable<'a, A>,
    schema: Schema,
    format: CellFormat,
    threads: usize,
    hooks: Hooks,
}

impl<A: Copy + Into<f64> + Sync> Samples for ArraySamples<'_, '_, A> {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn format(&self) -> &CellFormat {
        &self.format
    }

    fn can_repeat(&self) -> bool {
        true
    }

    fn has_words(&self) -> bool {
        self.table.words
    }

    fn fold<F: SampleFold>(&mut self, new: &(dyn Fn() -> F + Sync)) -> Result<F> {
        let table = self.table;
        let by_feature: Option<Vec<&[A]>> = table.features();
        let size = (table.targets.len(), table.x.ncols());
        fold_numbered(size, self.threads, &self.hooks, new, |fold, rows| match &by_feature {
            Some(features) => {
                let targets = table.targets[rows.clone()].iter().map(|t| Some(t.cell())).collect();
                let features = features.iter().map(|values| &values[rows.clone()]).collect();
                fold.feature_major(&FeatureMajor { features, targets, first: rows.start });
            }
            None => table.each_row(rows, |sample| fold.sample(sample)),
        })
    }

    fn columns(
        &mut self,
        _: Option<Limit>,
        code: impl Fn(TargetCell<'_>) -> Option<f64> + Sync,
    ) -> Result<UsableSamples<'_>> {
        let codes: Vec<Option<f64>> =
            self.table.targets.iter().map(|target| code(target.cell())).collect();
        let kept = codes.iter().map(Option::is_some).collect();
        Ok(UsableSamples {
            columns: Box::new(SomeRows::new(self.table.x.view(), kept)),
            samples: codes.len() as u64,
            targets: codes.into_iter().flatten().collect(),
            roles: Vec::new(),
        })
    }

    fn no_usable_target(&self, labels: bool) -> Error {
        if labels {
            return Error::input("y has none of the stated classes")
                .hint("labels are compared in their text form, upper and lower case included")
                .about([Parameter::Classes]);
        }
        Error::input("y has no finite number")
            .hint("if it holds labels, state them as classes: which occur is private, and not looked up")
            .about([Parameter::Classes])
    }
}
