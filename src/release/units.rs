//! The units of scores and effect sizes.

use crate::estimate::Counted;
use crate::exact::GRID;
use crate::request::fields::Association;
use crate::request::plan::Plan;
use crate::request::reach::Reach;

/// The units of a score.
pub(crate) struct Units {
    /// The score of one row of weight 1.
    pub(crate) row: f64,
    pub(crate) reach: Reach,
    /// The largest change of a score by one row, in rows: D.
    pub(crate) one_row: f64,
}

impl Units {
    /// The scale of the scores of null features by these counts, in rows; `None` for scores that
    /// are not by classes or sides.
    pub(crate) fn null_scale(plan: &Plan, counts: &[f64]) -> Option<f64> {
        let product = plan.scoring.reach()?.product(counts);
        let variance = match plan.association() {
            // Values spread evenly have a third of the largest variance.
            Some(Association::Correlation) => product / 3.0,
            _ => product,
        };
        Some(variance.sqrt())
    }

    /// The score of one row of weight 1.
    pub(crate) fn row(plan: &Plan) -> f64 {
        let correlation = plan.association() == Some(Association::Correlation);
        let one_against_rest = plan.scoring.reach().is_some_and(|reach| reach.one_against_rest);
        let q = f64::from(GRID);
        let row = if one_against_rest { q } else { 2.0 * q };
        if correlation { row * q } else { row }
    }

    /// The units by the counts; `None` if fewer than two classes have rows.
    pub(crate) fn of(plan: &Plan, counted: &Counted) -> Option<Self> {
        let reach = plan.scoring.reach()?;
        let units = Self { row: Self::row(plan), reach, one_row: Reach::one_row(&counted.classes) };
        (reach.largest(&counted.classes) > 0.0).then_some(units)
    }
}
