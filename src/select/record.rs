//! Writing down what happened.

use crate::data::{Scaling, Schema};
use crate::estimate::RowsEstimate;
use crate::exact::GRID;
#[cfg(feature = "methods")]
use crate::mechanism::Mechanism;
use crate::privacy::Neighbors;
use crate::random::Entropy;
use crate::score::KENDALL_GRID;
#[cfg(feature = "methods")]
use crate::select::TwoStage;
use crate::select::plan::{Plan, PlannedPath};
use crate::select::request::{Request, Scale};
use crate::select::run::{Chosen, Run};
use crate::select::{
    Center, MechanismUsed, Method, Picked, PublicFacts, RandomnessUsed, Record, Released,
    ScoreUsed, Target, TargetUsed, WIDE, Warning,
};

impl Run<'_> {
    /// The record of a run: nothing in it depends on the data but what the budget paid for.
    pub(super) fn record(&self, schema: &Schema, chosen: Chosen) -> Record {
        let request = self.request;
        let seeded = request.entropy != Entropy::OperatingSystem;
        let picked = |&index: &usize| {
            let place = schema.features()[index];
            Picked { name: schema.name(place).to_owned(), column: place + 1, index }
        };
        let mut warnings = request.warnings(self.plan, self.scaling, schema.d(), chosen.estimate);
        warnings.extend(request.rare_classes(&chosen.released, chosen.estimate));
        warnings.extend(one_sided_split(&chosen.released));
        #[cfg(feature = "methods")]
        warnings.extend(request.few_blocks(self.plan, schema.d(), chosen.blocks));
        let rows_are_public = request.neighbors == Neighbors::ReplaceOne;
        Record {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: "select".to_owned(),
            private: !seeded && !request.paper,
            selected: chosen.picks.iter().map(picked).collect(),
            order: request.mechanism_used().card().order().to_owned(),
            guarantee: request.guarantee(self.plan, schema),
            mechanism: request.mechanism_recorded(chosen.blocks),
            score: request.score_used(self.plan, self.scaling, chosen.sensitivity),
            target: self.target_used(schema),
            released: chosen.released,
            public: PublicFacts {
                features: schema.d(),
                k: request.k,
                id_column: schema.id().map(|column| column + 1),
                rows: rows_are_public.then_some(chosen.rows),
                schema_sha256: request.schema_hash.clone(),
            },
            randomness: RandomnessUsed::of(request.entropy),
            warnings,
        }
    }

    fn target_used(&self, schema: &Schema) -> TargetUsed {
        let bounds = match &self.request.target {
            Target::Bounded(bounds) => Some([bounds.low(), bounds.high()]),
            _ => None,
        };
        let coding = match (&self.request.target, &self.plan.path) {
            (Target::Classes(_), _) => "classes",
            (_, path) if path.splits_at_median() => "median-split",
            (Target::Bounded(_), _) => "bounds",
            (Target::Numeric, _) => "number",
        };
        let place = schema.target();
        TargetUsed {
            // Of a target apart from the table nothing is printed: a file's header could be missing.
            name: place.map(|place| schema.name(place).to_owned()),
            column: place.map(|place| place + 1),
            coding: coding.to_owned(),
            bounds,
        }
    }
}

impl Request {
    pub(super) fn score_used(
        &self,
        plan: &Plan,
        scaling: &Scaling,
        sensitivity: Option<u64>,
    ) -> ScoreUsed {
        let (mut scale, bounds) = match scaling {
            Scaling::Bounds(bounds) => ("bounds", Some([bounds.low(), bounds.high()])),
            Scaling::BoundsByFeature(_) if matches!(self.scale, Some(Scale::BoundsFile(_))) => {
                ("bounds-file", None)
            }
            Scaling::BoundsByFeature(_) => ("bounds-by-feature", None),
            Scaling::RowRank => ("row-rank", None),
        };
        let mut center = match self.center {
            Center::Private => "private",
            Center::None => "none",
            Center::Stated(_) | Center::Shares(_) => "stated",
        };
        let (mut id, mut grid, mut missing) =
            ("correlation", GRID.into(), "0, the middle of the grid");
        match &plan.path {
            PlannedPath::Kendall { .. } => {
                (id, grid, scale, center) = ("kendall", KENDALL_GRID, "none", "none");
                missing = "in no pair";
            }
            PlannedPath::Paper { .. } => (scale, center) = ("paper", "paper"),
            #[cfg(feature = "methods")]
            PlannedPath::TwoStage(_) => {
                (id, grid, center) = ("votes", 1, "none");
                if self.paper {
                    scale = "paper";
                }
            }
            #[cfg(feature = "methods")]
            PlannedPath::DpKendall { .. } => {
                (id, grid, scale, center) = ("dpkendall", KENDALL_GRID, "none", "none");
                missing = "in no pair";
            }
            PlannedPath::Number { .. } | PlannedPath::Classes { .. } => {}
        }
        let classes = match &self.target {
            Target::Classes(labels) => Some(labels.clone()),
            _ => None,
        };
        ScoreUsed {
            id: id.to_owned(),
            grid,
            scale: scale.to_owned(),
            by_default: self.by_default(),
            bounds,
            sensitivity,
            center: center.to_owned(),
            classes,
            missing: missing.to_owned(),
        }
    }

    /// The mechanism and its parameters, and those of the method.
    pub(super) fn mechanism_recorded(&self, blocks: Option<u64>) -> MechanismUsed {
        let used = MechanismUsed::of(&*self.mechanism_used(), self.k);
        #[cfg(not(feature = "methods"))]
        let _ = blocks;
        match self.method {
            Method::Scores => used,
            #[cfg(feature = "methods")]
            Method::TwoStage(TwoStage { penalty, .. }) => {
                let used = used.with("method", "two-stage").with("penalty", penalty);
                match blocks {
                    Some(blocks) => used.with("blocks", blocks),
                    None => used,
                }
            }
            #[cfg(feature = "methods")]
            Method::DpKendall => {
                let em: &dyn Mechanism = &crate::mechanism::ExponentialMechanism;
                MechanismUsed::of(em, 1).with("method", "dpkendall").with("rounds", self.k)
            }
        }
    }

    /// Too few blocks for votes to tell features apart: from their number, which is public or paid for.
    #[cfg(feature = "methods")]
    fn few_blocks(&self, plan: &Plan, d: usize, blocks: Option<u64>) -> Option<Warning> {
        let (blocks, votes) = (blocks?, self.rows_needed(&plan.selection, d));
        let text = format!(
            "{blocks} blocks vote, and votes must differ by about {votes:.0} to be told apart: expect \
             noise; two-stage wants many rows or a large epsilon"
        );
        ((blocks as f64) < votes).then(|| Warning { id: "few-blocks".to_owned(), text })
    }

    fn by_default(&self) -> bool {
        self.score.is_none()
            && self.method == Method::Scores
            && self.scale.is_none()
            && self.center == Center::Private
            && !self.paper
    }

    /// A class of which the private counts show next to nothing is often misspelled.
    fn rare_classes(&self, released: &Released, estimate: Option<RowsEstimate>) -> Option<Warning> {
        let Target::Classes(labels) = &self.target else { return None };
        let RowsEstimate { rows, noise } = estimate?;
        let shares = match released.center.as_deref()? {
            [second] => vec![1.0 - second, *second],
            shares => shares.to_vec(),
        };
        let rare = |(_, share): &(&String, f64)| rows as f64 * share < 3.0 * noise;
        let rare: Vec<_> = labels.iter().zip(shares).filter(rare).map(|(label, _)| label).collect();
        if rare.is_empty() || (rows as f64) < 3.0 * noise {
            return None;
        }
        let text = format!(
            "the private counts show next to no rows of {rare:?}: are the labels spelled as in the file?"
        );
        Some(Warning { id: "rare-class".to_owned(), text })
    }

    pub(super) fn warnings(
        &self,
        plan: &Plan,
        scaling: &Scaling,
        d: usize,
        estimate: Option<RowsEstimate>,
    ) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = Vec::new();
        let mut warn = |id: &str, text: String| {
            warnings.push(Warning { id: id.to_owned(), text });
        };
        if self.paper {
            let text = "NOT PRIVATE: columns and target were centered and scaled by the data \
                        themselves; epsilon does not cover that";
            warn("not-private", text.to_owned());
        }
        warnings.extend(RandomnessUsed::of(self.entropy).warning());
        let mut warn = |id: &str, text: String| {
            warnings.push(Warning { id: id.to_owned(), text });
        };
        let ranks = plan.path.scales_rows() && *scaling == Scaling::RowRank;
        if ranks && d < WIDE {
            let remedy = match self.method {
                Method::Scores => "--score kendall suits them",
                #[cfg(feature = "methods")]
                _ => "state --bounds-file, or use --method dpkendall",
            };
            let text = format!(
                "with so few features the columns are often in different units, and ranks within a row \
                 then mislead: {remedy}"
            );
            warn("row-rank-narrow", text);
        }
        if let Some(RowsEstimate { rows, noise }) = estimate
            && (rows as f64) < 3.0 * noise
        {
            let text = format!(
                "about {rows} usable rows (standard deviation {noise:.0}): little can be found \
                 under this budget"
            );
            warn("few-rows", text);
        }
        warnings
    }
}

/// A split with nearly all rows on one side finds nothing; the center that shows it is paid for.
fn one_sided_split(released: &Released) -> Option<Warning> {
    released.target_median?;
    let [above] = released.center.as_deref()? else { return None };
    if (0.05..=0.95).contains(above) {
        return None;
    }
    let text = "nearly all rows lie on one side of the split, so little can be found: the target's \
                values lie too close together, or beyond 1e-6 to 1e9; state their range \
                (--target-bounds), or use --score kendall";
    Some(Warning { id: "one-sided-split".to_owned(), text: text.to_owned() })
}
