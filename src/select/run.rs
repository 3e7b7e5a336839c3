//! From a checked request to a record: the passes over the table and the draws, in order.

use std::path::PathBuf;

use crate::data::{
    OpenTable, Q, Row, RowFold, Scaler, Scaling, Schema, TableFile, TargetCode, parse_number,
};
use crate::error::{Error, Result};
use crate::estimate::{
    CenterEstimate, MedianGrid, RankCounts, private_center, private_class_centers,
};
use crate::exact::format_rational;
use crate::privacy::{Epsilon, Neighbours, Purpose};
use crate::random::{Bits, Randomness, RandomnessSource};
use crate::score::{ClassSums, CorrelationSums, RowSums, Scores};
use crate::select::request::{Plan, PlannedCenter, PlannedTarget};
use crate::select::{
    Center, Guarantee, MechanismUsed, Picked, PublicFacts, RandomnessUsed, Released, ScoreUsed,
    Select, Selection, TargetUsed, Warning,
};

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
        let run = Run { select: self, plan: &plan, schema: &schema, source: &source };
        let (median, table) = match plan.target {
            PlannedTarget::MedianSplit => {
                check_readable_twice(&file)?;
                let median = run.median(table)?;
                let again = file.open()?;
                schema.check_same(again.header(), file.path())?;
                (Some(median), again)
            }
            _ => (None, table),
        };
        let (scores, estimate) = run.scores(table, median)?;
        let epsilon = plan.epsilon(Purpose::Selection).unwrap_or(&self.epsilon);
        let bits = source.bits(Purpose::Selection.draw());
        let picks = self.mechanism.select_with(&scores, self.k, epsilon, &bits)?;
        Ok(run.record(&picks, scores.sensitivity(), median, estimate.as_ref()))
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
struct Run<'a> {
    select: &'a Select,
    plan: &'a Plan,
    schema: &'a Schema,
    source: &'a RandomnessSource,
}

impl Run<'_> {
    fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.select.threads.unwrap_or_else(cores)
    }

    fn scaling(&self) -> Scaling {
        self.select.scaling.unwrap_or(Scaling::RowRank)
    }

    /// The private median of the target: one pass.
    fn median(&self, table: OpenTable) -> Result<f64> {
        let grid = MedianGrid::default();
        let new =
            || MedianFold { target: self.schema.target(), grid: &grid, counts: grid.counts() };
        let counts = table.fold(self.threads(), new)?.counts;
        if counts.total() == 0 {
            return Err(self.no_usable_target());
        }
        let epsilon = self.plan.epsilon(Purpose::TargetMedian).unwrap_or(&self.select.epsilon);
        let bits = self.source.bits(Purpose::TargetMedian.draw());
        Ok(grid.private_median(&counts, epsilon, &bits))
    }

    /// The scores, around a private or public centre: one pass.
    fn scores(
        &self,
        table: OpenTable,
        median: Option<f64>,
    ) -> Result<(Scores, Option<CenterEstimate>)> {
        let d = self.schema.d();
        let code = match &self.plan.target {
            PlannedTarget::Classes(labels) if labels.as_slice().len() > 2 => {
                let new = || ClassSums::new(d, labels.as_slice().len(), Q);
                let sums = self.fold(table, new, |cell| labels.class_of(cell))?;
                let (centers, estimate) = self
                    .centers(|epsilon, bits| private_class_centers(sums.rows(), Q, epsilon, bits));
                return Ok((sums.scores(&centers)?, estimate));
            }
            PlannedTarget::Classes(labels) => TargetCode::TwoClasses(labels.clone()),
            PlannedTarget::Bounded(bounds) => TargetCode::Bounded(*bounds),
            PlannedTarget::MedianSplit => TargetCode::SplitAt(median.unwrap_or(0.0)),
        };
        let sums = self.fold(table, || CorrelationSums::new(d, Q), |cell| code.code(cell))?;
        let (centers, estimate) = self.centers(|epsilon, bits| {
            let (above, below) = sums.target_sums();
            private_center(above, below, Q, epsilon, bits)
        });
        let center = centers.first().copied().unwrap_or(0);
        Ok((sums.scores(center)?, estimate))
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

    /// The centres as planned: stated, or estimated under their part of the budget.
    fn centers(
        &self,
        estimate: impl Fn(&Epsilon, &Bits) -> CenterEstimate,
    ) -> (Vec<i32>, Option<CenterEstimate>) {
        match (&self.plan.center, self.plan.epsilon(Purpose::TargetCenter)) {
            (PlannedCenter::Public(centers), _) => (centers.clone(), None),
            (PlannedCenter::Private, epsilon) => {
                let bits = self.source.bits(Purpose::TargetCenter.draw());
                let estimate = estimate(epsilon.unwrap_or(&self.select.epsilon), &bits);
                (estimate.centers.clone(), Some(estimate))
            }
        }
    }

    /// A table without any usable target is malformed: the promise starts at one usable row.
    fn no_usable_target(&self) -> Error {
        let column = self.schema.target();
        let name = self.schema.name(column);
        let error = match &self.plan.target {
            PlannedTarget::Classes(_) => {
                Error::input(format!("no row of the target {name:?} has one of the stated classes"))
                    .hint("labels are compared as text, upper and lower case included")
            }
            _ => Error::input(format!("no row of the target {name:?} holds a number"))
                .hint("if it holds labels, state them: --classes a,b"),
        };
        error.at(None, Some(column + 1))
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

/// Writing down what happened.
impl Run<'_> {
    fn record(
        &self,
        picks: &[usize],
        sensitivity: u64,
        median: Option<f64>,
        estimate: Option<&CenterEstimate>,
    ) -> Selection {
        let select = self.select;
        let seeded = select.randomness != Randomness::OperatingSystem;
        let picked = |&pick: &usize| {
            let column = self.schema.features()[pick];
            Picked { name: self.schema.name(column).to_owned(), index: column + 1 }
        };
        Selection {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: "select".to_owned(),
            private: !seeded,
            selected: picks.iter().map(picked).collect(),
            order: "file".to_owned(),
            guarantee: Guarantee {
                epsilon: select.epsilon.clone(),
                delta: "0".to_owned(),
                neighbours: Neighbours::AddRemove,
                unit: "row".to_owned(),
                spent: self.plan.spent.clone(),
            },
            mechanism: MechanismUsed {
                id: "canonical".to_owned(),
                gamma: format_rational(&select.mechanism.gamma(select.k)),
            },
            score: self.score_used(sensitivity),
            target: self.target_used(),
            released: Released {
                center: estimate.map(|estimate| self.in_units(&estimate.centers)),
                target_median: median,
                rows_estimate: estimate.map(|estimate| estimate.rows),
            },
            public: PublicFacts {
                features: self.schema.d(),
                k: select.k,
                id_column: self.schema.id().map(|column| column + 1),
            },
            randomness: RandomnessUsed {
                source: if seeded { "ChaCha20, stated seed" } else { "ChaCha20, operating system" }
                    .to_owned(),
                seeded,
            },
            warnings: self.warnings(estimate, seeded),
        }
    }

    fn score_used(&self, sensitivity: u64) -> ScoreUsed {
        let (scale, bounds) = match self.scaling() {
            Scaling::Bounds(bounds) => ("bounds", Some([bounds.low(), bounds.high()])),
            Scaling::RowRank => ("row-rank", None),
        };
        let center = match self.select.center {
            Center::Private => "private",
            Center::None => "none",
            Center::Stated(_) | Center::Shares(_) => "stated",
        };
        let classes = match &self.plan.target {
            PlannedTarget::Classes(labels) => Some(labels.as_slice().to_vec()),
            _ => None,
        };
        ScoreUsed {
            id: "correlation".to_owned(),
            grid: Q,
            scale: scale.to_owned(),
            scale_by_default: self.select.scaling.is_none(),
            bounds,
            sensitivity,
            center: center.to_owned(),
            classes,
            missing: "0, the middle of the grid".to_owned(),
        }
    }

    fn target_used(&self) -> TargetUsed {
        let (coding, bounds) = match &self.plan.target {
            PlannedTarget::MedianSplit => ("median-split", None),
            PlannedTarget::Bounded(bounds) => ("bounds", Some([bounds.low(), bounds.high()])),
            PlannedTarget::Classes(_) => ("classes", None),
        };
        let column = self.schema.target();
        TargetUsed {
            name: self.schema.name(column).to_owned(),
            index: column + 1,
            coding: coding.to_owned(),
            bounds,
        }
    }

    /// Centres on the grid in the units people state them in.
    fn in_units(&self, centers: &[i32]) -> Vec<f64> {
        let q = f64::from(Q);
        let unit = |&center: &i32| match &self.plan.target {
            PlannedTarget::Bounded(bounds) => bounds.value_at(center, Q),
            PlannedTarget::Classes(_) if centers.len() > 1 => f64::from(center) / q,
            _ => (f64::from(center) / q + 1.0) / 2.0,
        };
        centers.iter().map(unit).collect()
    }

    fn warnings(&self, estimate: Option<&CenterEstimate>, seeded: bool) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |id: &str, text: String| {
            warnings.push(Warning { id: id.to_owned(), text });
        };
        if seeded {
            let text = "seeded: not for release (anyone with the seed can undo the noise)";
            warn("seeded", text.to_owned());
        }
        let default_ranks = self.select.scaling.is_none();
        if default_ranks && self.schema.d() < 200 {
            let text = "with fewer than 200 features the columns are often in different units, and \
                        ranks within a row then mislead: state --bounds if all share a known range";
            warn("row-rank-narrow", text.to_owned());
        }
        if let Some(estimate) = estimate
            && (estimate.rows as f64) < 3.0 * estimate.rows_noise
        {
            let text = format!(
                "about {} usable rows (standard deviation {:.0}): little can be found under this \
                 budget",
                estimate.rows, estimate.rows_noise
            );
            warn("few-rows", text);
        }
        warnings
    }
}
