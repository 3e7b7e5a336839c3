//! From a checked request to a record: the passes over the table and the draws, in order.

use crate::data::{
    CellFormat, Labels, Orientation, Samples, Scaling, Schema, Source, TargetCode, UsableSamples,
    read_bounds,
};
use crate::error::{Error, Result};
use crate::estimate::{
    MedianGrid, RankCounts, RowsEstimate, private_center, private_center_of, private_class_centers,
};
use crate::exact::{GRID, to_grid};
use crate::mechanism::choose;
use crate::privacy::{Epsilon, Neighbors, Purpose};
use crate::random::{Bits, RandomnessSource};
use crate::score::{ClassSums, CorrelationSums, RowSums, Scores, kendall_scores, paper_scores};
use crate::select::folds::{HeldCodes, HoldFold, MedianFold, ScoreFold, Summed};
use crate::select::plan::{Plan, PlannedCenter, PlannedCoding, PlannedPath};
use crate::select::request::{Request, Scale};
use crate::select::{Record, Released, Target};

impl Request {
    /// Runs a checked request on a table.
    pub(super) fn run(&self, source: &(impl Source + ?Sized)) -> Result<Record> {
        let randomness = self.entropy.source()?;
        let mut table = source.open(&self.opening())?;
        let plan = self.check_against(table.schema())?;
        let scaling = self.scaling_of(table.schema())?;
        let run = Run { request: self, plan: &plan, scaling: &scaling, randomness: &randomness };
        let scored = match &plan.path {
            PlannedPath::Number { coding, center } => run.number(&mut table, coding, center)?,
            PlannedPath::Classes { labels, center } => run.classes(&mut table, labels, center)?,
            PlannedPath::Kendall { labels } | PlannedPath::Paper { labels } => {
                run.by_column(&mut table, labels.as_ref())?
            }
            #[cfg(feature = "methods")]
            PlannedPath::TwoStage(two_stage) => run.two_stage(&mut table, two_stage)?,
            #[cfg(feature = "methods")]
            PlannedPath::DpKendall { labels } => {
                let chosen = run.dp_kendall(&mut table, labels.as_ref())?;
                return Ok(run.record(table.schema(), chosen));
            }
        };
        let chosen = run.choose(scored)?;
        Ok(run.record(table.schema(), chosen))
    }

    /// What can be refused by the header (where features are rows: by their names).
    pub(super) fn check_against(&self, schema: &Schema) -> Result<Plan> {
        let d = schema.d();
        if self.k > d {
            let rule = format!("k must not exceed the number of features, {d}");
            // Where features are rows, the table had to be read to know.
            return Err(match schema.orientation() {
                Orientation::SamplesAsRows => Error::request(rule),
                Orientation::FeaturesAsRows => Error::input(rule),
            });
        }
        self.plan(d)
    }

    /// The scaling of these features: row ranks unless another is stated.
    pub(super) fn scaling_of(&self, schema: &Schema) -> Result<Scaling> {
        match &self.scale {
            Some(Scale::BoundsFile(path)) => {
                read_bounds(path, schema).map(Scaling::BoundsByFeature)
            }
            Some(Scale::Stated(Scaling::BoundsByFeature(all))) if all.len() != schema.d() => {
                let d = schema.d();
                Err(Error::request(format!("bounds must be stated for each of the {d} features")))
            }
            Some(Scale::Stated(scaling)) => Ok(scaling.clone()),
            None => Ok(Scaling::RowRank),
        }
    }
}

/// One run: the request and everything that is known before the samples are read.
pub(super) struct Run<'a> {
    pub(super) request: &'a Request,
    pub(super) plan: &'a Plan,
    pub(super) scaling: &'a Scaling,
    pub(super) randomness: &'a RandomnessSource,
}

/// Scores, and what was released on the way to them.
pub(super) struct Scored {
    pub(super) scores: Scores,
    pub(super) released: Released,
    /// The private estimate of the number of rows.
    pub(super) estimate: Option<RowsEstimate>,
    /// All rows, for when their number is public.
    pub(super) rows: u64,
    /// How many blocks rows were dealt to.
    pub(super) blocks: Option<u64>,
}

/// What was chosen, and what was released on the way.
pub(super) struct Chosen {
    /// The features, in the mechanism's order.
    pub(super) picks: Vec<usize>,
    /// The most one row can move a score, where all draws compare by scores of one sensitivity.
    pub(super) sensitivity: Option<u64>,
    pub(super) released: Released,
    /// The private estimate of the number of rows.
    pub(super) estimate: Option<RowsEstimate>,
    /// All rows, for when their number is public.
    pub(super) rows: u64,
    /// How many blocks rows were dealt to.
    pub(super) blocks: Option<u64>,
}

impl Run<'_> {
    /// Scores that nothing was released for.
    #[cfg(feature = "methods")]
    pub(super) fn scored(&self, scores: Scores) -> Scored {
        Scored { scores, released: Released::default(), estimate: None, rows: 0, blocks: None }
    }

    /// Draws from the scores.
    pub(super) fn choose(&self, scored: Scored) -> Result<Chosen> {
        let Scored { scores, released, estimate, rows, blocks } = scored;
        let bits = self.randomness.bits(Purpose::Selection.draw());
        let mechanism = self.request.mechanism_used();
        let picks = choose(&*mechanism, &scores, self.request.k, &self.plan.selection, &bits)?;
        let sensitivity = Some(scores.sensitivity());
        Ok(Chosen { picks, sensitivity, released, estimate, rows, blocks })
    }

    /// Scores against a target that is one number: one pass, after one for its median if it is
    /// split there.
    fn number(
        &self,
        table: &mut impl Samples,
        coding: &PlannedCoding,
        center: &PlannedCenter<i32>,
    ) -> Result<Scored> {
        let format = table.format().clone();
        let d = table.schema().d();
        let new = || CorrelationSums::new(d);
        let (median, summed) = match coding {
            PlannedCoding::Stated(code) => {
                (None, self.fold(table, new, |cell| code.code(cell, &format, GRID))?)
            }
            PlannedCoding::MedianSplit(epsilon) if table.can_repeat() => {
                let median = self.median(&self.ranks(table)?, epsilon);
                let code = TargetCode::SplitAt(median);
                (Some(median), self.fold(table, new, |cell| code.code(cell, &format, GRID))?)
            }
            PlannedCoding::MedianSplit(epsilon) => {
                let held = self.hold(table)?;
                let median = self.median(&held.ranks(), epsilon);
                (Some(median), held.summed(new(), median))
            }
        };
        self.scored_number(coding, center, median, &summed)
    }

    /// The scores of sums, after the center.
    pub(super) fn scored_number(
        &self,
        coding: &PlannedCoding,
        center: &PlannedCenter<i32>,
        median: Option<f64>,
        summed: &Summed<CorrelationSums>,
    ) -> Result<Scored> {
        let Summed { sums, rows } = summed;
        let rows = *rows;
        let private = matches!(center, PlannedCenter::Private(_));
        let (center, estimate) =
            self.center(center, |epsilon, bits| self.estimate_center(sums, rows, epsilon, bits));
        let code = match (median, coding) {
            (None, PlannedCoding::Stated(code)) => code.clone(),
            (median, _) => TargetCode::SplitAt(median.unwrap_or_default()),
        };
        let released = Released {
            center: private.then(|| vec![code.center_in_units(center)]),
            target_median: median,
            rows_estimate: estimate.map(|estimate| estimate.rows),
        };
        let scores = sums.scores(center, self.request.neighbors)?;
        Ok(Scored { scores, released, estimate, rows, blocks: None })
    }

    fn estimate_center(
        &self,
        sums: &CorrelationSums,
        rows: u64,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> (i32, Option<RowsEstimate>) {
        let (above, below) = sums.target_sums();
        match self.request.neighbors {
            Neighbors::AddRemove => {
                let (center, estimate) = private_center(above, below, GRID, epsilon, bits);
                (center, Some(estimate))
            }
            Neighbors::ReplaceOne => {
                let usable = (above + below) / (2 * GRID.unsigned_abs() as u64);
                (private_center_of(above, usable, rows, GRID, epsilon, bits), None)
            }
        }
    }

    /// Scores against three or more classes: one pass.
    fn classes(
        &self,
        table: &mut impl Samples,
        labels: &Labels,
        center: &PlannedCenter<Vec<i32>>,
    ) -> Result<Scored> {
        let format = table.format().clone();
        let (d, classes) = (table.schema().d(), labels.as_slice().len());
        let new = || ClassSums::new(d, classes);
        let summed = self.fold(table, new, |cell| labels.class_of(cell, &format))?;
        self.scored_classes(center, &summed)
    }

    /// The scores of sums, after the centers.
    pub(super) fn scored_classes(
        &self,
        center: &PlannedCenter<Vec<i32>>,
        summed: &Summed<ClassSums>,
    ) -> Result<Scored> {
        let Summed { sums, rows } = summed;
        let rows = *rows;
        let neighbors = self.request.neighbors;
        let (centers, estimate) = self.center(center, |epsilon, bits| {
            let (centers, estimate) =
                private_class_centers(sums.rows(), GRID, neighbors, epsilon, bits);
            (centers, Some(estimate))
        });
        let share = |&center: &i32| f64::from(center) / f64::from(GRID);
        let released = Released {
            center: estimate.map(|_| centers.iter().map(share).collect()),
            target_median: None,
            rows_estimate: estimate.map(|estimate| estimate.rows),
        };
        let scores = sums.scores(&centers, neighbors)?;
        Ok(Scored { scores, released, estimate, rows, blocks: None })
    }

    /// Scores that need a column whole: one pass.
    pub(super) fn by_column(
        &self,
        table: &mut impl Samples,
        labels: Option<&Labels>,
    ) -> Result<Scored> {
        let format = table.format().clone();
        let code = |cell: &[u8]| self.whole_target(cell, labels, &format);
        let neighbors = self.request.neighbors;
        let (scores, rows) = {
            let UsableSamples { columns, targets, samples } = table.columns(code)?;
            let scores = if targets.is_empty() {
                None
            } else if matches!(self.plan.path, PlannedPath::Paper { .. }) {
                Some(paper_scores(&columns, &targets, |t| to_grid(t, GRID), GRID, neighbors)?)
            } else {
                let classes = labels.map_or(0, |labels| labels.as_slice().len());
                let threads = self.request.threads_used();
                let progress = self.request.progress.as_ref();
                Some(kendall_scores(&columns, &targets, classes, neighbors, threads, progress)?)
            };
            (scores, samples)
        };
        let scores = scores.ok_or_else(|| self.no_usable_target(table))?;
        Ok(Scored { scores, released: Released::default(), estimate: None, rows, blocks: None })
    }

    /// A target that is taken as it is: a class by its number, a number within its bounds.
    pub(super) fn whole_target(
        &self,
        cell: &[u8],
        labels: Option<&Labels>,
        format: &CellFormat,
    ) -> Option<f64> {
        match (labels, &self.request.target) {
            (Some(labels), _) => labels.class_of(cell, format).map(|class| class as f64),
            (_, Target::Bounded(bounds)) => {
                format.number(cell).map(|value| value.clamp(bounds.low(), bounds.high()))
            }
            _ => format.number(cell),
        }
    }

    /// The ranks of the target on the median's grid: one pass.
    fn ranks(&self, table: &mut impl Samples) -> Result<RankCounts> {
        let grid = MedianGrid::shared();
        let format = table.format().clone();
        let value = |cell: &[u8]| format.number(cell);
        let counts =
            table.fold(|| MedianFold { value: &value, grid, counts: grid.counts() })?.counts;
        if counts.total() == 0 {
            return Err(self.no_usable_target(table));
        }
        Ok(counts)
    }

    /// The private median of the target.
    pub(super) fn median(&self, counts: &RankCounts, epsilon: &Epsilon) -> f64 {
        let bits = self.randomness.bits(Purpose::TargetMedian.draw());
        MedianGrid::shared().private_median(counts, self.request.neighbors, epsilon, &bits)
    }

    /// All samples with a usable target, on the grid, in memory: for what can be read only once.
    pub(super) fn hold(&self, table: &mut impl Samples) -> Result<HeldCodes> {
        let format = table.format().clone();
        self.hold_with(table, |cell| format.number(cell))
    }

    /// The same, `value` making a number of a target's cell.
    pub(super) fn hold_with(
        &self,
        table: &mut impl Samples,
        value: impl Fn(&[u8]) -> Option<f64> + Sync,
    ) -> Result<HeldCodes> {
        let held = table.fold(|| HoldFold::new(&value, self.scaling))?.held;
        if held.is_empty() {
            return Err(self.no_usable_target(table));
        }
        Ok(held)
    }

    /// Adds up all samples with a usable target.
    pub(super) fn fold<S: RowSums>(
        &self,
        table: &mut impl Samples,
        new: impl Fn() -> S + Sync,
        code: impl Fn(&[u8]) -> Option<S::Target> + Sync,
    ) -> Result<Summed<S>> {
        let summed = table.fold(|| ScoreFold::new(&code, self.scaling, new()))?.summed();
        if summed.sums.is_empty() {
            return Err(self.no_usable_target(table));
        }
        Ok(summed)
    }

    /// The center as planned: stated, or estimated with its part of the budget.
    fn center<C: Clone>(
        &self,
        planned: &PlannedCenter<C>,
        estimate: impl Fn(&Epsilon, &Bits) -> (C, Option<RowsEstimate>),
    ) -> (C, Option<RowsEstimate>) {
        match planned {
            PlannedCenter::Public(center) => (center.clone(), None),
            PlannedCenter::Private(epsilon) => {
                estimate(epsilon, &self.randomness.bits(Purpose::TargetCenter.draw()))
            }
        }
    }

    /// A table without any usable target is malformed: the promise starts at one usable row.
    pub(super) fn no_usable_target(&self, table: &impl Samples) -> Error {
        table.no_usable_target(matches!(self.request.target, Target::Classes(_)))
    }
}
