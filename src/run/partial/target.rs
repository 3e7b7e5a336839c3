//! The values released from a target before its features are summed or scored.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::estimate::{Counted, RowsEstimate};
use crate::privacy::ledger::LedgerMark;
use crate::privacy::{Epsilon, Ledger, Neighbors};

/// The values released from a target before its features are summed or scored: its median, or the
/// center at which whole columns are scored. Made by
/// [`CheckedSelect::release_target`](crate::CheckedSelect::release_target) from the partials of all
/// rows; the partials of the next stage are made with it.
///
/// It may be given to everyone who makes these partials: its budget is spent, and a record of the
/// selection contains the same values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleasedTarget {
    pub(super) median: Option<Median>,
    pub(super) center: Option<Center>,
    /// The neighbor relation.
    pub(super) neighbors: Neighbors,
    /// Whether all of it was drawn privately, not from a seed.
    pub(super) private: bool,
    /// The ledger that was charged for all of it, if any.
    pub(super) paid: Option<LedgerMark>,
}

/// The median of a target that is split. Numbers are text, which reads back to the same values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Median {
    pub(super) value: String,
    pub(super) epsilon: String,
}

/// The center of a target on the grid, or of each of three or more classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Center {
    pub(super) on_grid: Vec<i32>,
    /// The counts for a private center; `None` for a public one.
    pub(super) counted: Option<Counts>,
    /// The number of all rows, if it is public.
    pub(super) rows: Option<u64>,
}

/// The counts that were released with a center.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Counts {
    classes: Vec<String>,
    rate: String,
    usable: u64,
    noise: String,
    unusable: u64,
    pub(super) epsilon: String,
}

impl Counts {
    pub(super) fn new(counted: &Counted, epsilon: &Epsilon) -> Self {
        Self {
            classes: counted.classes.iter().map(f64::to_string).collect(),
            rate: counted.rate.to_string(),
            usable: counted.usable.rows,
            noise: counted.usable.noise.to_string(),
            unusable: counted.unusable,
            epsilon: epsilon.to_string(),
        }
    }

    /// The counts of this number of classes.
    ///
    /// # Errors
    ///
    /// `Input` if a number cannot be read, or if these are not such counts.
    pub(super) fn counted(&self, classes: usize) -> Result<Counted> {
        let counted = Counted {
            classes: self.classes.iter().map(|count| number(count)).collect::<Result<_>>()?,
            rate: number(&self.rate)?,
            usable: RowsEstimate { rows: self.usable, noise: number(&self.noise)? },
            unusable: self.unusable,
        };
        let possible = counted.classes.len() == classes && counted.rate > 0.0;
        if possible { Ok(counted) } else { Err(Error::input("the released target has no counts")) }
    }
}

fn number(text: &str) -> Result<f64> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| Error::input("the released target has no number where one is needed"))
}

impl ReleasedTarget {
    /// The same target, marked as charged to a ledger.
    pub(crate) fn charged_to(self, ledger: &Ledger) -> Result<Self> {
        Ok(Self { paid: Some(ledger.mark()?), ..self })
    }

    /// Whether a ledger was charged for it.
    pub fn is_charged(&self) -> bool {
        self.paid.is_some()
    }

    /// Whether it may be released: false if any of it was drawn from a seed.
    pub fn is_private(&self) -> bool {
        self.private
    }

    /// The epsilon that it has spent, as exact text: a part of the budget of the request; `None` if
    /// it spent no epsilon.
    pub fn epsilon(&self) -> Option<String> {
        let parts = [
            self.median.as_ref().map(|median| &median.epsilon),
            self.center.as_ref().and_then(|center| Some(&center.counted.as_ref()?.epsilon)),
        ];
        let parts = parts.into_iter().flatten().filter_map(|text| text.parse::<Epsilon>().ok());
        parts.reduce(|sum, part| sum + part).map(|sum| sum.to_string())
    }

    /// Whether it contains the center at which whole columns are scored.
    pub fn has_center(&self) -> bool {
        self.center.is_some()
    }

    /// The center on the grid, or that of each class, if it was released.
    pub(super) fn center(&self) -> Option<&Center> {
        self.center.as_ref()
    }

    /// The number of all rows, if it is public and known; else 0.
    pub(super) fn rows(&self) -> u64 {
        self.center.as_ref().and_then(|center| center.rows).unwrap_or_default()
    }

    /// The median, if there is one.
    ///
    /// # Errors
    ///
    /// `Input` if it cannot be read.
    pub(super) fn split(&self) -> Result<Option<f64>> {
        self.median.as_ref().map(|median| number(&median.value)).transpose()
    }
}
