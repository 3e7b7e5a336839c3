//! The measures, as rows of the file of results.

use dpsis_eval::Estimate;
use std::collections::BTreeMap;

use crate::parts_file::ResultRow;

/// The budgets: the paper goes from 0.01 to 16.
pub(super) const EPSILONS: [&str; 10] =
    ["0.01", "0.05", "0.1", "0.25", "0.5", "1", "2", "4", "8", "16"];
/// The budgets at which orders are checked that are not about small ones: for larger ones most
/// errors vanish.
pub(super) const MODERATE: [&str; 6] = ["0.01", "0.05", "0.1", "0.25", "0.5", "1"];
/// The budgets that statements call small.
pub(super) const SMALL: [&str; 4] = ["0.01", "0.05", "0.1", "0.25"];

/// The share of users, or the number of them.
pub(super) const USERS: &str = "users";
/// The share of users whose correlation lies in a bin, by the bin's lower end in tenths.
pub(super) const HISTOGRAM: &str = "share of users by correlation";
/// The mean squared error of a rival.
pub(super) const ERROR: &str = "mean squared error";
/// The difference of the errors of two rivals, by user.
pub(super) const DIFFERENCE: &str = "difference of errors";
/// The error of GEM minus the error of mGEM, over users whose correlation lies in a bin.
pub(super) const BIN: &str = "gem minus mgem by correlation";
/// The slope of that difference over the correlation.
pub(super) const SLOPE: &str = "slope of gem minus mgem";

/// The bins of correlations, by their lower ends in tenths.
pub(super) const BINS: std::ops::Range<i64> = -10..10;

/// Estimates by measure, its subject, and epsilon.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measures(BTreeMap<[String; 3], Estimate>);

impl Measures {
    pub(super) fn of(rows: Vec<ResultRow>) -> Self {
        let entry = |row: ResultRow| {
            let [measure, of, epsilon] = row.key.try_into().ok()?;
            let [mean, error] = row.numbers.try_into().ok()?;
            Some(([measure, of, epsilon], Estimate { mean, error }))
        };
        Self(rows.into_iter().filter_map(entry).collect())
    }

    /// An estimate; NaN where it was not measured.
    pub(super) fn get(&self, measure: &str, of: &str, epsilon: &str) -> Estimate {
        let key = [measure, of, epsilon].map(str::to_owned);
        self.0.get(&key).copied().unwrap_or(Estimate { mean: f64::NAN, error: f64::NAN })
    }

    /// By how many standard errors the first rival is better than the second one, over the same
    /// users.
    pub(super) fn lead(&self, (first, second): (&str, &str), epsilon: &str) -> f64 {
        deviations(&self.get(DIFFERENCE, &difference(first, second), epsilon))
    }
}

/// How many standard errors an estimate is above 0; 0 where it is 0.
pub(super) fn deviations(estimate: &Estimate) -> f64 {
    if estimate.mean == 0.0 { 0.0 } else { estimate.mean / estimate.error }
}

/// The name of the difference by which the first rival is better than the second one.
pub(super) fn difference(first: &str, second: &str) -> String {
    format!("{second} minus {first}")
}
