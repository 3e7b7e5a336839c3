//! The units of scores and strengths.

use crate::estimate::Counted;
use crate::exact::GRID;
use crate::select::plan::Plan;
use crate::select::reach::Reach;
use crate::select::request::Association;

/// The units of a score.
pub(super) struct Units {
    /// The score of one row of weight 1.
    pub(super) row: f64,
    pub(super) reach: Reach,
    /// The largest change of a score by one row, in rows: D.
    pub(super) one_row: f64,
}

impl Units {
    /// The scale of the scores of null features by these counts, in rows; `None` for scores that are
    /// not by classes or sides.
    pub(super) fn null_scale(plan: &Plan, counts: &[f64]) -> Option<f64> {
        let product = plan.scoring.reach()?.product(counts);
        let variance = match plan.association() {
            // Values that are spread evenly have a third of the largest variance.
            Some(Association::Correlation) => product / 3.0,
            _ => product,
        };
        Some(variance.sqrt())
    }

    /// The score of one row of weight 1.
    pub(super) fn row(plan: &Plan) -> f64 {
        let correlation = plan.association() == Some(Association::Correlation);
        let one_against_rest = plan.scoring.reach().is_some_and(|reach| reach.one_against_rest);
        let q = f64::from(GRID);
        let row = if one_against_rest { q } else { 2.0 * q };
        if correlation { row * q } else { row }
    }

    /// The units by the counts; `None` if fewer than two classes have rows.
    pub(super) fn of(plan: &Plan, counted: &Counted) -> Option<Self> {
        let reach = plan.scoring.reach()?;
        let units = Self { row: Self::row(plan), reach, one_row: Reach::one_row(&counted.classes) };
        (reach.largest(&counted.classes) > 0.0).then_some(units)
    }
}
