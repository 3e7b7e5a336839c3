//! From a checked request to a selection: the passes over the table and the draws, in order.

use std::path::PathBuf;

use crate::data::{
    Labels, OpenTable, Q, Row, RowFold, Scaler, Scaling, Schema, TableFile, TargetCode,
    TargetColumn, parse_number,
};
use crate::error::{Error, Result};
use crate::estimate::{
    MedianGrid, RankCounts, RowsEstimate, private_center, private_class_centers,
};
use crate::privacy::{Epsilon, Purpose};
use crate::random::{Bits, RandomnessSource};
use crate::score::{ClassSums, CorrelationSums, RowSums, Scores};
use crate::select::request::{Plan, PlannedCenter, PlannedCoding, PlannedTarget};
use crate::select::{Released, Select, Selection, Target};

impl Select {
    /// Selects features of a CSV file, plain or gzipped.
    ///
    /// The file is read once; twice where the target is split at a private median. Memory: 16
    /// bytes a feature and thread, some megabytes for blocks of rows, whatever the number of rows.
    ///
    /// # Errors
    ///
    /// `Request` if what is asked for is wrong by itself (then nothing is read) or against the
    /// header; `Input` if the file is malformed or no row has a usable target (then nothing is
    /// released); `Io` if it cannot be read or the operating system gives no entropy.
    pub fn run(&self, path: impl Into<PathBuf>) -> Result<Selection> {
        let plan = self.check()?;
        let source = self.randomness.source()?;
        let file = TableFile::new(path);
        let table = file.open()?;
        let schema = Schema::new(table.header().to_vec(), &self.target_column, self.id.as_deref())?;
        if self.k > schema.d() {
            let d = schema.d();
            return Err(Error::request(format!("k must not exceed the number of features, {d}")));
        }
        self.check_header_is_no_row(&schema)?;
        let run = Run { select: self, plan: &plan, schema: &schema, source: &source };
        let scored = match &plan.target {
            PlannedTarget::Number { coding, center } => run.number(&file, table, coding, center)?,
            PlannedTarget::Classes { labels, center } => run.classes(table, labels, center)?,
        };
        let bits = source.bits(Purpose::Selection.draw());
        let picks = self.mechanism.select_with(&scored.scores, self.k, &plan.selection, &bits)?;
        Ok(run.record(&picks, scored))
    }

    /// Without a header the first row would be taken for one, and a person's values for names.
    fn check_header_is_no_row(&self, schema: &Schema) -> Result<()> {
        let name = schema.name(schema.target());
        let is_value = match &self.target {
            Target::Classes(labels) => labels.iter().any(|label| label == name.trim()),
            _ => parse_number(name.as_bytes()).is_some(),
        };
        if !is_value || matches!(self.target_column, TargetColumn::Named(_)) {
            return Ok(());
        }
        Err(Error::input("the target's name looks like one of its values")
            .at(None, Some(schema.target() + 1))
            .hint("is the header missing? If this is its name, state it: --target NAME"))
    }
}

fn check_readable_twice(file: &TableFile) -> Result<()> {
    if file.is_regular() {
        return Ok(());
    }
    let path = file.path().display();
    Err(Error::request(format!("{path} can be read only once, a private median takes two passes"))
        .hint("state --target-bounds or --classes, or give a regular file"))
}

/// One run: the request and everything that is known before the rows are read.
pub(super) struct Run<'a> {
    pub(super) select: &'a Select,
    pub(super) plan: &'a Plan,
    pub(super) schema: &'a Schema,
    source: &'a RandomnessSource,
}

/// Scores, and what was released on the way to them.
pub(super) struct Scored {
    pub(super) scores: Scores,
    pub(super) released: Released,
    pub(super) rows: Option<RowsEstimate>,
}

impl Run<'_> {
    fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.select.threads.unwrap_or_else(cores)
    }

    pub(super) fn scaling(&self) -> Scaling {
        self.select.scaling.unwrap_or(Scaling::RowRank)
    }

    /// Scores against a target that is one number: one pass, after one for its median if it is
    /// split there.
    fn number(
        &self,
        file: &TableFile,
        table: OpenTable,
        coding: &PlannedCoding,
        center: &PlannedCenter<i32>,
    ) -> Result<Scored> {
        let (code, table) = match coding {
            PlannedCoding::Stated(code) => (code.clone(), table),
            PlannedCoding::MedianSplit(epsilon) => {
                check_readable_twice(file)?;
                let median = self.median(table, epsilon)?;
                let again = file.open()?;
                self.schema.check_same(again.header(), file.path())?;
                (TargetCode::SplitAt(median), again)
            }
        };
        let new = || CorrelationSums::new(self.schema.d(), Q);
        let sums = self.fold(table, new, |cell| code.code(cell))?;
        let (above, below) = sums.target_sums();
        let (center, rows) =
            self.center(center, |epsilon, bits| private_center(above, below, Q, epsilon, bits));
        let target_median = match code {
            TargetCode::SplitAt(median) => Some(median),
            _ => None,
        };
        let in_units = |_: &RowsEstimate| vec![code.center_in_units(center)];
        let released = Released {
            center: rows.as_ref().map(in_units),
            target_median,
            rows_estimate: rows.map(|rows| rows.rows),
        };
        Ok(Scored { scores: sums.scores(center)?, released, rows })
    }

    /// Scores against three or more classes: one pass.
    fn classes(
        &self,
        table: OpenTable,
        labels: &Labels,
        center: &PlannedCenter<Vec<i32>>,
    ) -> Result<Scored> {
        let new = || ClassSums::new(self.schema.d(), labels.as_slice().len(), Q);
        let sums = self.fold(table, new, |cell| labels.class_of(cell))?;
        let (centers, rows) = self
            .center(center, |epsilon, bits| private_class_centers(sums.rows(), Q, epsilon, bits));
        let share = |&center: &i32| f64::from(center) / f64::from(Q);
        let released = Released {
            center: rows.map(|_| centers.iter().map(share).collect()),
            target_median: None,
            rows_estimate: rows.map(|rows| rows.rows),
        };
        Ok(Scored { scores: sums.scores(&centers)?, released, rows })
    }

    /// The private median of the target: one pass.
    fn median(&self, table: OpenTable, epsilon: &Epsilon) -> Result<f64> {
        let grid = MedianGrid::default();
        let new =
            || MedianFold { target: self.schema.target(), grid: &grid, counts: grid.counts() };
        let counts = table.fold(self.threads(), new)?.counts;
        if counts.total() == 0 {
            return Err(self.no_usable_target());
        }
        let bits = self.source.bits(Purpose::TargetMedian.draw());
        Ok(grid.private_median(&counts, epsilon, &bits))
    }

    /// The centre as planned: stated, or estimated with its part of the budget.
    fn center<C: Clone>(
        &self,
        planned: &PlannedCenter<C>,
        estimate: impl Fn(&Epsilon, &Bits) -> (C, RowsEstimate),
    ) -> (C, Option<RowsEstimate>) {
        match planned {
            PlannedCenter::Public(center) => (center.clone(), None),
            PlannedCenter::Private(epsilon) => {
                let bits = self.source.bits(Purpose::TargetCenter.draw());
                let (center, rows) = estimate(epsilon, &bits);
                (center, Some(rows))
            }
        }
    }

    /// Folds all rows with a usable target.
    fn fold<S: RowSums>(
        &self,
        table: OpenTable,
        new: impl Fn() -> S + Sync,
        code: impl Fn(&[u8]) -> Option<S::Target> + Sync,
    ) -> Result<S> {
        let fold = || ScoreFold {
            schema: self.schema,
            code: &code,
            scaler: Scaler::new(self.scaling()),
            x: Vec::with_capacity(self.schema.d()),
            sums: new(),
        };
        let sums = table.fold(self.threads(), fold)?.sums;
        if sums.is_empty() {
            return Err(self.no_usable_target());
        }
        Ok(sums)
    }

    /// A table without any usable target is malformed: the promise starts at one usable row.
    fn no_usable_target(&self) -> Error {
        let error = match &self.select.target {
            Target::Classes(_) => Error::input("no row has one of the stated classes here")
                .hint("labels are compared as text, upper and lower case included"),
            _ => Error::input("no row has a number here, in the target's column")
                .hint("if it holds labels, state them: --classes a,b"),
        };
        error.at(None, Some(self.schema.target() + 1))
    }
}

/// Counts target values for the median.
struct MedianFold<'a> {
    target: usize,
    grid: &'a MedianGrid,
    counts: RankCounts,
}

impl RowFold for MedianFold<'_> {
    fn row(&mut self, row: &Row<'_>) {
        if let Some(value) = parse_number(row.cell(self.target)) {
            self.grid.observe(&mut self.counts, value);
        }
    }

    fn merge(&mut self, other: Self) {
        self.counts.merge(&other.counts);
    }
}

/// Brings rows to the grid and adds them up. A row's contribution depends on that row alone.
struct ScoreFold<'a, S, C> {
    schema: &'a Schema,
    code: &'a C,
    scaler: Scaler,
    x: Vec<i16>,
    sums: S,
}

impl<S: RowSums, C: Fn(&[u8]) -> Option<S::Target> + Sync> RowFold for ScoreFold<'_, S, C> {
    fn row(&mut self, row: &Row<'_>) {
        if let Some(y) = (self.code)(row.cell(self.schema.target())) {
            let values = self.schema.features().iter().map(|&c| parse_number(row.cell(c)));
            self.scaler.scale(values, &mut self.x);
            self.sums.add(&self.x, y);
        }
    }

    fn merge(&mut self, other: Self) {
        self.sums.merge(&other.sums);
    }
}
