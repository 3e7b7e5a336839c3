//! Writing down what happened.

use crate::data::{Q, Scaling};
use crate::estimate::RowsEstimate;
use crate::exact::format_rational;
use crate::privacy::Neighbours;
use crate::random::Randomness;
use crate::select::run::{Run, Scored};
use crate::select::{
    Center, Guarantee, MechanismUsed, Picked, PublicFacts, RandomnessUsed, ScoreUsed, Selection,
    Target, TargetUsed, Warning,
};

impl Run<'_> {
    /// The record of a run: nothing in it depends on the data but what the budget paid for.
    pub(super) fn record(&self, picks: &[usize], scored: Scored) -> Selection {
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
            score: self.score_used(scored.scores.sensitivity()),
            target: self.target_used(),
            released: scored.released,
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
            warnings: self.warnings(scored.rows, seeded),
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
        let classes = match &self.select.target {
            Target::Classes(labels) => Some(labels.clone()),
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
        let (coding, bounds) = match &self.select.target {
            Target::Numeric => ("median-split", None),
            Target::Bounded(bounds) => ("bounds", Some([bounds.low(), bounds.high()])),
            Target::Classes(_) => ("classes", None),
        };
        let column = self.schema.target();
        TargetUsed {
            name: self.schema.name(column).to_owned(),
            index: column + 1,
            coding: coding.to_owned(),
            bounds,
        }
    }

    fn warnings(&self, rows: Option<RowsEstimate>, seeded: bool) -> Vec<Warning> {
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
        if let Some(RowsEstimate { rows, noise }) = rows
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
