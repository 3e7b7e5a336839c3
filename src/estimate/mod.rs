//! Private estimates for pipelines: the center of the target, its median, counts of rows,
//! quantiles.
//!
//! | I want to ... | see |
//! | --- | --- |
//! | estimate the center of a target, or of classes, with the number of rows | [`fn@center`], [`class_centers`] |
//! | estimate a center for scores that take the best of many thresholds | [`shrunk_center`] |
//! | estimate a median of values of unknown range | [`fn@median`] |
//! | estimate any quantile of values in a public range | [`fn@quantile`] |
//!
//! For callers who build their own pipeline; [`Select`](crate::Select) runs these estimates within
//! one budget. The budgets of the parts add up: choose epsilons whose sum is the total budget, and
//! one neighbor relation for all parts.
//!
//! ```
//! use dpsis::{
//!     Bounds, CanonicalLipschitz, Mechanism, Neighbors, OperatingSystem, Scaler, Scaling, estimate,
//!     score::CorrelationSums,
//! };
//!
//! let rows = (0..2000).map(|i| ([i % 7, i % 11, i % 13].map(f64::from), f64::from(i % 11)));
//! let (features, target) = (Scaling::Bounds(Bounds::new(0.0, 12.0)?), Bounds::new(0.0, 10.0)?);
//!
//! let (mut scaler, mut sums, mut x) = (Scaler::new(&features), CorrelationSums::new(3), Vec::new());
//! for (values, y) in rows {
//!     scaler.scale(values.map(Some), &mut x);
//!     sums.add_row(&x, target.to_grid(y))?;
//! }
//! let (center, _) = estimate::center(
//!     sums.target_sums(), Neighbors::AddRemove, &"0.1".parse()?, OperatingSystem,
//! )?;
//! let scores = sums.scores(center, Neighbors::AddRemove)?;
//! let picks = CanonicalLipschitz::default().pick(&scores, 1, &"0.9".parse()?, OperatingSystem)?;
//! assert_eq!(picks, [1]); // wrong with probability below e^-50; spent 1 in all
//! # Ok::<(), dpsis::Error>(())
//! ```

mod center;
mod effect_sizes;
mod median;
mod quantile;
mod rank_race;
mod significance;
mod spread;
mod strata;

pub use center::{RowsEstimate, center, class_centers, shrunk_center};
pub use median::median;
pub use quantile::quantile;

pub(crate) use center::{
    Counted, count_step, private_center, private_class_centers, private_pairs, private_rows, shrunk,
};
pub(crate) use effect_sizes::{EffectNoise, private_effect_sizes};
pub(crate) use median::{LARGEST, MAGNITUDES, MedianGrid, TIME_STEP, TIME_UNITS, TIMES};
pub(crate) use quantile::{POINTS as MIDDLE_POINTS, private_middle};
pub(crate) use rank_race::RankCounts;
#[cfg(test)]
pub(crate) use significance::laplace;
pub(crate) use significance::{Family, LEVEL, SignificanceTest, unit};
pub(crate) use spread::{NoisyCounts, Spread};
pub(crate) use strata::{
    CenterKnown, CountedStrata, CountedStratum, ROWS_FOR_A_CENTER, ROWS_OF_A_CLASS, StratumCode,
    exact_codes, private_strata,
};

/// Exact laws of the estimates, for the enumeration of whole pipelines.
#[cfg(test)]
pub(crate) mod laws {
    pub(crate) use super::center::tests::{exact_law, exact_law_shrunk};
    pub(crate) use super::median::tests::{POINTS, law_of_values};
}
