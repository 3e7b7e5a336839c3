//! The distribution of the scores of a simulated table, in rows.
//!
//! # Definition
//!
//! The target splits the n rows in two: two classes, the sides of a median, or the most even groups
//! of three and more classes. n1 rows are in the second, v = n1 n0/n, and scores are computed at a
//! center s, a released share of the second. A score of effect size r is r times the largest score
//! at the exact center.
//!
//! | score | largest | without association | of effect size r |
//! | --- | --- | --- | --- |
//! | `ks` | 2 v | a column without ties: 2 sqrt(v) Y with the law of [`bridge`](super::bridge) | a numeric column shifted in one class, whose distribution functions differ by r ([`shift`](super::shift)): the largest \|e - 2 ((1 - s) n1 F1 - s n0 F0)\| over thresholds, where e = n1 - n s |
//! | `correlation` | 2 v | values spread evenly over their range: normal, of variance (v + e^2/n)/3 | normal around r times the largest, of variance (1/3 - r^2) (v + e^2/n) |
//! | `paired`, n people | n/2 | signs: normal, of variance n/4 | normal around r n/2, of variance (1 - r^2) n/4 |
//! | `kendall`, a number | n/2 | normal, of the variance of Kendall's tau | normal, of the variance of tau for normal data |
//! | `kendall`, classes | n1 n0/(n - 1) | normal, of the variance of the Mann-Whitney statistic | normal, of the variance by Hanley and McNeil |
//!
//! For three and more classes a score takes the best of several splits: for a null feature its
//! distribution is assumed to be that of the largest of as many independent scores, which it
//! exceeds nowhere. A target in a range is treated as two classes, which have the largest variance.
//! Within strata, scores are reduced by the largest amount that the noise of the centers may add.
//! Yes/no features of the same effect size score a little less than numeric ones, which take the
//! best of many thresholds.
//!
//! # Source
//!
//! Kendall's tau: M. Kendall, "Rank Correlation Methods"; J. Hanley and B. McNeil, "The meaning and
//! use of the area under a receiver operating characteristic (ROC) curve" (1982).

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use crate::error::Result;
use crate::estimate::{CountedStratum, StratumCode};
use crate::exact::GRID;
use crate::forecast::bridge::Quantiles;
use crate::forecast::shift::{Noise, Shift};
use crate::privacy::Purpose;
use crate::request::fields::Association;
use crate::request::plan::{Plan, Scoring};
use crate::statistic::memo::Memo;

/// The largest change of Kendall's score by one row, in rows.
const KENDALL_ROW: f64 = 1.5;

/// A counted and centered target: the rows of both classes or groups, and the share of the second
/// as used by scores, and as released.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    pub(super) rows: [f64; 2],
    pub(super) share: f64,
    pub(super) released: f64,
    /// The largest change of a score by one row at the center, in rows.
    pub(super) one_row: f64,
}

/// The distribution of scores for a target.
pub(super) struct Law {
    /// A score of effect size 1.
    pub(super) largest: f64,
    /// The largest change of a score by one row.
    pub(super) one_row: f64,
    /// The scale of scores of null features.
    scale: f64,
    quantiles: Arc<Quantiles>,
    given_up: f64,
    signal: Signal,
}

/// Tables of quantiles by the drift, in parts of [`DRIFTS`] or `None` for normal scores, and the
/// bits of the number of features.
pub(super) type QuantileMemo = Memo<(Option<i64>, u64), Quantiles>;

/// Drifts are rounded to multiples of one over this number.
const DRIFTS: f64 = 64.0;

/// The effect of an effect size on a score.
enum Signal {
    Shift(Split),
    Normal { variance: f64, of_values: f64 },
    Tau { rows: f64 },
    Auc { rows: [f64; 2] },
}

/// An effect size, with the values that its scores need.
pub(super) struct Effect {
    r: f64,
    shift: Shift,
}

impl Effect {
    pub(super) fn new(r: f64) -> Self {
        Self { r, shift: Shift::new(r) }
    }
}

impl Law {
    /// The distribution for a target of a plan, and for the largest of `of` null features; `None`
    /// for methods that do not score single features.
    ///
    /// # Errors
    ///
    /// No plan makes it fail.
    pub(super) fn new(
        plan: &Plan,
        split: Split,
        of: f64,
        quantiles: &QuantileMemo,
    ) -> Result<Option<Self>> {
        let Split { rows: [n0, n1], .. } = split;
        let n = n0 + n1;
        let v = n1 * n0 / n;
        let off = n1 - n * split.share;
        let of =
            of * plan.scoring.reach().map_or(1.0, |reach| reach.splits(plan.scoring.classes()));
        let of_normal =
            quantiles.get((None, of.to_bits()), || Ok(Arc::new(Quantiles::of_normal(of))))?;
        let normal = |largest, variance: f64, one_row, signal| {
            let quantiles = of_normal.clone();
            Self { largest, one_row, scale: variance.sqrt(), quantiles, given_up: 0.0, signal }
        };
        let law = match &plan.scoring {
            Scoring::Coded(coded) => match coded.association {
                Association::Correlation => {
                    let signal =
                        Signal::Normal { variance: v + off * off / n, of_values: 1.0 / 3.0 };
                    normal(2.0 * v, (v + off * off / n) / 3.0, split.one_row, signal)
                }
                Association::Paired => {
                    let signal = Signal::Normal { variance: n / 4.0, of_values: 1.0 };
                    normal(n / 2.0, n / 4.0, split.one_row, signal)
                }
                Association::Ks | Association::KsOnBins => {
                    let scale = 2.0 * v.sqrt();
                    let drift = (off.abs() / scale * DRIFTS).round();
                    let key = (Some(drift as i64), of.to_bits());
                    let quantiles = quantiles
                        .get(key, || Ok(Arc::new(Quantiles::of_bridge(drift / DRIFTS, of))))?;
                    let (largest, one_row, signal) = (2.0 * v, split.one_row, Signal::Shift(split));
                    Self { largest, one_row, scale, quantiles, given_up: 0.0, signal }
                }
            },
            Scoring::Kendall { labels: None } => {
                let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
                let unit = n - 1.0;
                normal(n / 2.0, variance / (unit * unit), KENDALL_ROW, Signal::Tau { rows: n })
            }
            Scoring::Kendall { labels: Some(_) } => {
                let (variance, unit) = (n1 * n0 * (n + 1.0) / 3.0, n - 1.0);
                let signal = Signal::Auc { rows: [n0, n1] };
                normal(n1 * n0 / unit, variance / (unit * unit), KENDALL_ROW, signal)
            }
            _ => return Ok(None),
        };
        if plan.strata == 1 {
            return Ok(Some(law));
        }
        let Some(radius) = radius_in_strata(plan, split.rows) else { return Ok(None) };
        // The sums of a function over the rows of strata of equal size, which the function splits
        // in half up to chance: the root of their squares, or their magnitudes.
        let sums = match radius.is_tiny {
            true => (2.0 / PI * n * plan.strata as f64).sqrt(),
            false => n.sqrt(),
        };
        let radius = f64::from(radius.radius) / f64::from(GRID);
        // Targets of two classes are 1 apart here, and 2 on the grid.
        let given_up = radius * sums / 2.0;
        Ok(Some(Self { given_up, one_row: law.one_row + radius / 2.0, ..law }))
    }

    /// Scores of null features, for ascending levels -ln U of uniform numbers.
    pub(super) fn nulls<'a>(&'a self, levels: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.quantiles.at(levels).map(|quantile| self.kept(self.scale * quantile))
    }

    /// The score of a feature of an effect size with this sampling noise, and its effect size in
    /// rows, which is computed at the released center.
    pub(super) fn of_effect(&self, effect: &Effect, noise: &Noise) -> [f64; 2] {
        let (r, z) = (effect.r, noise.normal());
        let score = match &self.signal {
            Signal::Shift(split) => {
                let Split { rows: [n0, n1], share, released, .. } = *split;
                let centers = [share, released];
                let off = centers.map(|center| n1 - (n0 + n1) * center);
                let mut largest = off.map(f64::abs);
                effect.shift.observed([n0, n1], noise, |[below0, below1]| {
                    for (place, largest) in largest.iter_mut().enumerate() {
                        let center = centers[place];
                        let sums = (1.0 - center) * n1 * below1 - center * n0 * below0;
                        *largest = largest.max((off[place] - 2.0 * sums).abs());
                    }
                });
                return largest.map(|sum| self.kept(sum.min(self.largest)));
            }
            Signal::Normal { variance, of_values } => {
                let deviation = (variance * (of_values - r * r).max(0.0)).sqrt();
                (r * self.largest + z * deviation).abs()
            }
            Signal::Tau { rows } => {
                // tau = (2/pi) asin(correlation).
                let half = (libm::sin(FRAC_PI_2 * r) / 2.0).asin();
                let spread = 2.0 / PI * half;
                let variance = (16.0 / rows) * (1.0 / 36.0 - spread * spread / 4.0).max(0.0);
                self.largest * (r + z * variance.sqrt()).clamp(-1.0, 1.0).abs()
            }
            Signal::Auc { rows: [n0, n1] } => {
                let area = (1.0 + r) / 2.0;
                let (one, two) = (area / (2.0 - area), 2.0 * area * area / (1.0 + area));
                let square = area * area;
                let sum =
                    area * (1.0 - area) + (n1 - 1.0) * (one - square) + (n0 - 1.0) * (two - square);
                let deviation = 2.0 * (sum / (n0 * n1)).max(0.0).sqrt();
                self.largest * (r + z * deviation).clamp(-1.0, 1.0).abs()
            }
        };
        [self.kept(score); 2]
    }

    /// A score after its reduction in strata.
    fn kept(&self, score: f64) -> f64 {
        (score - self.given_up).max(0.0)
    }
}

/// How targets are centered in each of the strata, if they are of equal size and have equal shares
/// of two classes; `None` without a part for their centers.
fn radius_in_strata(plan: &Plan, rows: [f64; 2]) -> Option<StratumCode> {
    let [first, second] = rows.map(|count| count / plan.strata as f64);
    let center = (second - first) / (first + second).max(f64::MIN_POSITIVE);
    let stratum = CountedStratum {
        center: (f64::from(GRID) * center).round() as i32,
        classes: [first, second],
        rate: plan.part(Purpose::TargetCenter).ok()?.to_f64(),
    };
    Some(stratum.code(GRID))
}
