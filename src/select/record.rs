//! Writing down what happened.

use crate::data::{Q, ScalingRule, Source};
use crate::estimate::RowsEstimate;
use crate::exact::format_rational;
use crate::privacy::Neighbours;
use crate::random::Randomness;
use crate::score::KENDALL_GRID;
use crate::select::plan::{Plan, PlannedCoding, PlannedPath};
use crate::select::run::{Run, Scored};
use crate::select::{
    Center, MechanismUsed, Picked, PublicFacts, RandomnessUsed, Released, ScoreUsed, Select,
    Selection, Target, TargetUsed, WIDE, Warning,
};

impl Run<'_> {
    /// The record of a run: nothing in it depends on the data but what the budget paid for.
    pub(super) fn record(&self, source: &Source, picks: &[usize], scored: Scored) -> Selection {
        let select = self.select;
        let schema = source.schema();
        let seeded = select.randomness != Randomness::OperatingSystem;
        let picked = |&pick: &usize| {
            let place = schema.features()[pick];
            Picked { name: schema.name(place).to_owned(), index: place + 1 }
        };
        let mut warnings = select.warnings(self.plan, self.scaling, schema.d(), scored.estimate);
        warnings.extend(select.rare_classes(&scored.released, scored.estimate));
        let rows_are_public = select.neighbours == Neighbours::ReplaceOne;
        Selection {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: "select".to_owned(),
            private: !seeded && !select.paper,
            selected: picks.iter().map(picked).collect(),
            order: "file".to_owned(),
            guarantee: select.guarantee(self.plan),
            mechanism: select.mechanism_used(),
            score: select.score_used(self.plan, self.scaling, Some(scored.scores.sensitivity())),
            target: self.target_used(source),
            released: scored.released,
            public: PublicFacts {
                features: schema.d(),
                k: select.k,
                id_column: schema.id().map(|column| column + 1),
                rows: rows_are_public.then_some(scored.rows),
                schema_sha256: select.schema_hash.clone(),
            },
            randomness: RandomnessUsed {
                source: if seeded { "ChaCha20, stated seed" } else { "ChaCha20, operating system" }
                    .to_owned(),
                seeded,
            },
            warnings,
        }
    }

    fn target_used(&self, source: &Source) -> TargetUsed {
        let bounds = match &self.select.target {
            Target::Bounded(bounds) => Some([bounds.low(), bounds.high()]),
            _ => None,
        };
        let coding = match (&self.select.target, &self.plan.path) {
            (Target::Classes(_), _) => "classes",
            (_, PlannedPath::Number { coding: PlannedCoding::MedianSplit(_), .. }) => {
                "median-split"
            }
            (Target::Bounded(_), _) => "bounds",
            (Target::Numeric, _) => "number",
        };
        let schema = source.schema();
        let place = schema.target();
        TargetUsed {
            // Of a target file nothing is printed: its header could be missing.
            name: place.map(|place| schema.name(place).to_owned()),
            index: place.map(|place| place + 1),
            coding: coding.to_owned(),
            bounds,
        }
    }
}

impl Select {
    pub(super) fn mechanism_used(&self) -> MechanismUsed {
        MechanismUsed {
            id: "canonical".to_owned(),
            gamma: format_rational(&self.mechanism.gamma(self.k)),
        }
    }

    pub(super) fn score_used(
        &self,
        plan: &Plan,
        scaling: &ScalingRule,
        sensitivity: Option<u64>,
    ) -> ScoreUsed {
        let (mut scale, bounds) = match scaling {
            ScalingRule::Common(bounds) => ("bounds", Some([bounds.low(), bounds.high()])),
            ScalingRule::PerFeature(_) => ("bounds-file", None),
            ScalingRule::RowRank => ("row-rank", None),
        };
        let mut center = match self.center {
            Center::Private => "private",
            Center::None => "none",
            Center::Stated(_) | Center::Shares(_) => "stated",
        };
        let (mut id, mut grid, mut missing) =
            ("correlation", Q.into(), "0, the middle of the grid");
        match plan.path {
            PlannedPath::Kendall { .. } => {
                (id, grid, scale, center) = ("kendall", KENDALL_GRID, "none", "none");
                missing = "in no pair";
            }
            PlannedPath::Paper { .. } => (scale, center) = ("paper", "paper"),
            _ => {}
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

    fn by_default(&self) -> bool {
        self.score.is_none()
            && self.scaling.is_none()
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
        scaling: &ScalingRule,
        d: usize,
        estimate: Option<RowsEstimate>,
    ) -> Vec<Warning> {
        let seeded = self.randomness != Randomness::OperatingSystem;
        let mut warnings = Vec::new();
        let mut warn = |id: &str, text: String| {
            warnings.push(Warning { id: id.to_owned(), text });
        };
        if self.paper {
            let text = "NOT PRIVATE: columns and target were centred and scaled by the data \
                        themselves; epsilon does not cover that";
            warn("not-private", text.to_owned());
        }
        if seeded {
            let text = "seeded: not for release (anyone with the seed can undo the noise)";
            warn("seeded", text.to_owned());
        }
        let ranks = matches!(plan.path, PlannedPath::Number { .. } | PlannedPath::Classes { .. })
            && *scaling == ScalingRule::RowRank;
        if ranks && d < WIDE {
            let text = "with so few features the columns are often in different units, and ranks \
                        within a row then mislead: --score kendall suits them";
            warn("row-rank-narrow", text.to_owned());
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
