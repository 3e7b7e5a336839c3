//! Scores of whole columns, computed where the columns are.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::exact::{GRID, MAX_ROWS};
use crate::run::partial::{Partial, ReleasedTarget, Stage, Sums, of_no_rows, other_stage};

/// The Kolmogorov-Smirnov score of a column at a released center, and the values that are released
/// about the column if it is selected: **not private**.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnScore {
    /// The score, at the center shrunk by its noise.
    pub score: i64,
    /// The score at the center itself.
    pub effect_size: i64,
    /// The smallest and the largest signed sum over thresholds at the center itself; `None` for
    /// three or more classes.
    pub signed: Option<(i64, i64)>,
}

impl std::fmt::Debug for ColumnScore {
    /// Omits the numbers, which are private data.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ColumnScore").finish_non_exhaustive()
    }
}

impl Partial {
    /// The scores of all columns, in feature order, at a center that was released from these sums
    /// of targets: ready for the selection.
    ///
    /// # Errors
    ///
    /// `Request` if these are not sums of targets, or the center was not released from them;
    /// `Input` if there is not one possible score for each feature.
    pub fn with_columns(self, released: &ReleasedTarget, scores: Vec<ColumnScore>) -> Result<Self> {
        if self.stage() != Stage::Center || released.center().is_none() {
            return Err(other_stage());
        }
        // The number of rows is private, unless the released target has it.
        let (rows, sums) = (released.rows(), Sums::Columns(scores));
        let columns = Self { facts: self.facts.at(released), rows, sums, parts: self.parts };
        columns.columns()?;
        Ok(columns)
    }

    /// The scores of all columns.
    pub(super) fn columns(&self) -> Result<&[ColumnScore]> {
        let Sums::Columns(scores) = &self.sums else { return Err(other_stage()) };
        // A row moves a doubled score of classes by less than 4 Q.
        let most = 4 * i64::from(GRID) * MAX_ROWS as i64;
        let signed = self.facts.classes().is_none();
        let possible = |column: &ColumnScore| {
            let (low, high) = column.signed.unwrap_or_default();
            (0..=most).contains(&column.score)
                && (0..=most).contains(&column.effect_size)
                && column.signed.is_some() == signed
                && low <= high
                && low.unsigned_abs().max(high.unsigned_abs()) <= column.effect_size.unsigned_abs()
        };
        if self.facts.features() != scores.len() {
            return Err(Error::input("there is not one score for each feature"));
        }
        if scores.iter().all(possible) { Ok(scores) } else { Err(of_no_rows()) }
    }
}
