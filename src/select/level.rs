//! The selection of all features that are beyond chance: those whose scores lie above a level that
//! features without an association are unlikely to reach.
//!
//! The counts that are released with a private center give the level: the one that the largest
//! score of all features without an association exceeds with probability at most alpha/2, whatever
//! the others are (see `estimate/verdict.md`, where strengths have noise of their own; scores have
//! none). The mechanism [`ThresholdSet`] then names features above it, with alpha/2 as its bound on
//! names at or below it. Scores, their sensitivity and the level are all at the center as it was
//! released: shrunk by its noise it would lift those features above the level more often.
//!
//! # False names
//!
//! Call a feature *null* if it has no association with the target, as the verdict does. Given the
//! counts and the level, the mechanism names a feature at or below the level with probability at
//! most alpha/2; but for alpha/2 all null features are there. So any null feature is named with
//! probability at most alpha (`fwer`). With the expected share of names at or below the level at
//! most alpha/2 (`fdr`), the expected share of null ones is at most alpha: it is at most 1 where
//! one lies above. The expected number of null names is not bounded: an error of the center lifts
//! all of them together.
//!
//! # Privacy
//!
//! The level is a function of released counts and of fresh random bits: given these, the mechanism
//! is epsilon-differentially private, and names nothing where the counts give no level.

use crate::estimate::Counted;
use crate::random::Bits;
use crate::select::plan::Plan;
use crate::select::units::Units;

/// The level above which features are named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level {
    /// In the unit of scores.
    pub(super) score: i64,
    /// As a strength: a share of the largest score that is possible by the counts.
    pub(super) strength: f64,
}

impl Level {
    /// The level by these counts; `None` if they are too noisy to give one, or if a number of
    /// features is selected.
    pub(super) fn of(plan: &Plan, counted: &Counted, bits: &Bits) -> Option<Self> {
        let units = Units::of(plan, counted)?;
        let test = plan.chance_test(counted.classes.clone(), counted.rate, 0.0);
        let rows = test.level(plan.beyond.as_ref()?.of_level(), bits)? * units.one_row;
        Some(Self {
            score: (rows * units.row).ceil() as i64,
            strength: rows / units.reach.largest(&counted.classes),
        })
    }
}
