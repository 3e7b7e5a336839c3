//! From a checked request to a selection: the passes over the table and the draws, in order.

use std::path::PathBuf;

use crate::data::{
    Labels, Orientation, Q, Scaling, ScalingRule, Schema, Source, TargetCode, TargetTable,
    read_bounds, to_grid,
};
use crate::error::{Error, Result};
use crate::estimate::{
    MedianGrid, RankCounts, RowsEstimate, private_center, private_center_of, private_class_centers,
};
use crate::privacy::{Epsilon, Neighbours, Purpose};
use crate::random::{Bits, RandomnessSource};
use crate::score::{ClassSums, CorrelationSums, HeldRows, RowSums, Scores};
use crate::select::folds::{HeldCodes, HeldFold, HoldFold, MedianFold, ScoreFold, Summed};
use crate::select::plan::{Plan, PlannedCenter, PlannedCoding, PlannedPath};
use crate::select::{Released, Select, Selection, Target};

impl Select {
    /// Selects features of a text table, plain, gzip or zstd; `-` is standard input.
    ///
    /// The file is read once, or twice where the target is split at a private median; what can be
    /// read only once is then held in memory, two bytes a value. Otherwise the memory is 16 bytes a
    /// feature and thread, and some megabytes for blocks of rows, whatever the number of rows; for
    /// Kendall's correlation and for features as rows it is the table, 8 bytes a value.
    ///
    /// # Errors
    ///
    /// `Request` if what is asked for is wrong by itself (then nothing is read) or against the
    /// header; `Input` if the file is malformed or no row has a usable target (then nothing is
    /// released); `Io` if it cannot be read or the operating system gives no entropy.
    pub fn run(&self, path: impl Into<PathBuf>) -> Result<Selection> {
        self.check()?;
        let randomness = self.randomness.source()?;
        let mut source = Source::open(&self.source_spec(path.into()))?;
        let plan = self.check_against(source.schema(), source.targets())?;
        let scaling = self.scaling_rule(source.schema())?;
        let run = Run { select: self, plan: &plan, scaling: &scaling, randomness: &randomness };
        let scored = match &plan.path {
            PlannedPath::Number { coding, center } => run.number(&mut source, coding, center)?,
            PlannedPath::Classes { labels, center } => run.classes(&mut source, labels, center)?,
            PlannedPath::Kendall { labels } | PlannedPath::Paper { labels } => {
                run.in_memory(&mut source, labels.as_ref())?
            }
        };
        let bits = randomness.bits(Purpose::Selection.draw());
        let picks = self.mechanism.select_with(&scored.scores, self.k, &plan.selection, &bits)?;
        Ok(run.record(&source, &picks, scored))
    }

    /// What can be refused by the header (where features are rows: by their names).
    pub(super) fn check_against(
        &self,
        schema: &Schema,
        targets: Option<&TargetTable>,
    ) -> Result<Plan> {
        let d = schema.d();
        if self.k > d {
            let rule = format!("k must not exceed the number of features, {d}");
            // Where features are rows, the table had to be read to know.
            return Err(match self.orientation {
                Orientation::SamplesAsRows => Error::request(rule),
                Orientation::FeaturesAsRows => Error::input(rule),
            });
        }
        self.check_header_is_no_row(schema, targets)?;
        self.plan(d)
    }

    pub(super) fn scaling_rule(&self, schema: &Schema) -> Result<ScalingRule> {
        Ok(match &self.scaling {
            Some(Scaling::Bounds(bounds)) => ScalingRule::Common(*bounds),
            Some(Scaling::BoundsFile(path)) => ScalingRule::PerFeature(read_bounds(path, schema)?),
            Some(Scaling::RowRank) | None => ScalingRule::RowRank,
        })
    }

    /// Without a header the first row would be taken for one, and a person's values for names, which
    /// are printed. Refused if the target's name could be one of its values, or half of the features'
    /// names are numbers, unless the user says that names are numbers.
    fn check_header_is_no_row(&self, schema: &Schema, targets: Option<&TargetTable>) -> Result<()> {
        if self.numeric_names {
            return Ok(());
        }
        let is_number = |name: &str| self.format.number(name.as_bytes()).is_some();
        let is_value = |name: &str| match &self.target {
            Target::Classes(labels) => labels.iter().any(|label| label == name.trim()),
            _ => is_number(name),
        };
        let refuse = |rule: &str, column: Option<usize>| {
            Err(Error::input(rule)
                .at(None, column)
                .hint("is the header missing? If these really are names, say so: --numeric-names"))
        };
        if let Some(place) = schema.target()
            && is_value(schema.name(place))
        {
            return refuse("the target's name looks like one of its values", Some(place + 1));
        }
        if let Some(targets) = targets {
            let id = schema.id().map(|place| schema.name(place));
            if is_value(targets.name())
                || id.is_some_and(|id| targets.find(id.as_bytes()).is_some())
            {
                return refuse("the table or the target file seems to have no header", None);
            }
        }
        let numbers = schema.feature_names().filter(|name| is_number(name)).count();
        if 2 * numbers >= schema.d() && numbers > 0 {
            return refuse("half of the features' names are numbers", None);
        }
        Ok(())
    }
}

/// One run: the request and everything that is known before the samples are read.
pub(super) struct Run<'a> {
    pub(super) select: &'a Select,
    pub(super) plan: &'a Plan,
    pub(super) scaling: &'a ScalingRule,
    randomness: &'a RandomnessSource,
}

/// Scores, and what was released on the way to them.
pub(super) struct Scored {
    pub(super) scores: Scores,
    pub(super) released: Released,
    /// The private estimate of the number of rows.
    pub(super) estimate: Option<RowsEstimate>,
    /// All rows, for when their number is public.
    pub(super) rows: u64,
}

impl Run<'_> {
    /// Scores against a target that is one number: one pass, after one for its median if it is
    /// split there.
    fn number(
        &self,
        source: &mut Source,
        coding: &PlannedCoding,
        center: &PlannedCenter<i32>,
    ) -> Result<Scored> {
        let format = source.format().clone();
        let d = source.schema().d();
        let new = || CorrelationSums::new(d, Q);
        let (median, summed) = match coding {
            PlannedCoding::Stated(code) => {
                (None, self.fold(source, new, |cell| code.code(cell, &format, Q))?)
            }
            PlannedCoding::MedianSplit(epsilon) if source.can_repeat() => {
                let median = self.median(&self.ranks(source)?, epsilon);
                let code = TargetCode::SplitAt(median);
                (Some(median), self.fold(source, new, |cell| code.code(cell, &format, Q))?)
            }
            PlannedCoding::MedianSplit(epsilon) => {
                let held = self.hold(source)?;
                let median = self.median(&held.ranks(), epsilon);
                (Some(median), held.summed(new(), median))
            }
        };
        let Summed { sums, rows } = summed;
        let private = matches!(center, PlannedCenter::Private(_));
        let (center, estimate) =
            self.center(center, |epsilon, bits| self.estimate_center(&sums, rows, epsilon, bits));
        let code = match (median, coding) {
            (None, PlannedCoding::Stated(code)) => code.clone(),
            (median, _) => TargetCode::SplitAt(median.unwrap_or_default()),
        };
        let released = Released {
            center: private.then(|| vec![code.center_in_units(center)]),
            target_median: median,
            rows_estimate: estimate.map(|estimate| estimate.rows),
        };
        let scores = sums.scores(center, self.select.neighbours)?;
        Ok(Scored { scores, released, estimate, rows })
    }

    fn estimate_center(
        &self,
        sums: &CorrelationSums,
        rows: u64,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> (i32, Option<RowsEstimate>) {
        let (above, below) = sums.target_sums();
        match self.select.neighbours {
            Neighbours::AddRemove => {
                let (center, estimate) = private_center(above, below, Q, epsilon, bits);
                (center, Some(estimate))
            }
            Neighbours::ReplaceOne => {
                let usable = (above + below) / (2 * Q.unsigned_abs() as u64);
                (private_center_of(above, usable, rows, Q, epsilon, bits), None)
            }
        }
    }

    /// Scores against three or more classes: one pass.
    fn classes(
        &self,
        source: &mut Source,
        labels: &Labels,
        center: &PlannedCenter<Vec<i32>>,
    ) -> Result<Scored> {
        let format = source.format().clone();
        let (d, classes) = (source.schema().d(), labels.as_slice().len());
        let new = || ClassSums::new(d, classes, Q);
        let Summed { sums, rows } =
            self.fold(source, new, |cell| labels.class_of(cell, &format))?;
        let neighbours = self.select.neighbours;
        let (centers, estimate) = self.center(center, |epsilon, bits| {
            let (centers, estimate) =
                private_class_centers(sums.rows(), Q, neighbours, epsilon, bits);
            (centers, Some(estimate))
        });
        let share = |&center: &i32| f64::from(center) / f64::from(Q);
        let released = Released {
            center: estimate.map(|_| centers.iter().map(share).collect()),
            target_median: None,
            rows_estimate: estimate.map(|estimate| estimate.rows),
        };
        let scores = sums.scores(&centers, neighbours)?;
        Ok(Scored { scores, released, estimate, rows })
    }

    /// Scores that need the table in memory: one pass.
    fn in_memory(&self, source: &mut Source, labels: Option<&Labels>) -> Result<Scored> {
        let format = source.format().clone();
        let d = source.schema().d();
        let code = |cell: &[u8]| match (labels, &self.select.target) {
            (Some(labels), _) => labels.class_of(cell, &format).map(|class| class as f64),
            (_, Target::Bounded(bounds)) => {
                format.number(cell).map(|value| value.clamp(bounds.low(), bounds.high()))
            }
            _ => format.number(cell),
        };
        let new = || HeldFold { code: &code, held: HeldRows::new(d), rows: 0 };
        let HeldFold { held, rows, .. } = source.fold(new)?;
        if held.is_empty() {
            return Err(self.no_usable_target(source));
        }
        let neighbours = self.select.neighbours;
        let scores = match self.plan.path {
            PlannedPath::Paper { .. } => held.paper_scores(|t| to_grid(t, Q), Q, neighbours)?,
            _ => {
                let classes = labels.map_or(0, |labels| labels.as_slice().len());
                held.kendall_scores(classes, neighbours, self.select.threads_used())?
            }
        };
        Ok(Scored { scores, released: Released::default(), estimate: None, rows })
    }

    /// The ranks of the target on the median's grid: one pass.
    fn ranks(&self, source: &mut Source) -> Result<RankCounts> {
        let grid = MedianGrid::shared();
        let format = source.format().clone();
        let value = |cell: &[u8]| format.number(cell);
        let counts =
            source.fold(|| MedianFold { value: &value, grid, counts: grid.counts() })?.counts;
        if counts.total() == 0 {
            return Err(self.no_usable_target(source));
        }
        Ok(counts)
    }

    /// The private median of the target.
    fn median(&self, counts: &RankCounts, epsilon: &Epsilon) -> f64 {
        let bits = self.randomness.bits(Purpose::TargetMedian.draw());
        MedianGrid::shared().private_median(counts, self.select.neighbours, epsilon, &bits)
    }

    /// All samples with a usable target, on the grid, in memory: for what can be read only once.
    fn hold(&self, source: &mut Source) -> Result<HeldCodes> {
        let format = source.format().clone();
        let value = |cell: &[u8]| format.number(cell);
        let held = source.fold(|| HoldFold::new(&value, self.scaling))?.held;
        if held.is_empty() {
            return Err(self.no_usable_target(source));
        }
        Ok(held)
    }

    /// Adds up all samples with a usable target.
    fn fold<S: RowSums>(
        &self,
        source: &mut Source,
        new: impl Fn() -> S + Sync,
        code: impl Fn(&[u8]) -> Option<S::Target> + Sync,
    ) -> Result<Summed<S>> {
        let summed = source.fold(|| ScoreFold::new(&code, self.scaling, new()))?.summed;
        if summed.sums.is_empty() {
            return Err(self.no_usable_target(source));
        }
        Ok(summed)
    }

    /// The centre as planned: stated, or estimated with its part of the budget.
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
    fn no_usable_target(&self, source: &Source) -> Error {
        if source.targets().is_some() {
            return Error::input("no sample has a usable target: no id is in both files with one")
                .hint("state the id column, --id NAME, and --classes if the targets are labels");
        }
        let error = match &self.select.target {
            Target::Classes(_) => Error::input("no row has one of the stated classes here")
                .hint("labels are compared as text, upper and lower case included"),
            _ => Error::input("no row has a number here, in the target's column").hint(
                "if it holds labels, state them: --classes a,b; `dpsis inspect` shows what it holds",
            ),
        };
        let place = source.schema().target().map(|place| place + 1);
        match self.select.orientation {
            Orientation::SamplesAsRows => error.at(None, place),
            Orientation::FeaturesAsRows => error.at(place.map(|row| row as u64), None),
        }
    }
}
