#![doc = include_str!("page.md")]

mod signs;
mod subset;
#[cfg(test)]
mod tests;

use std::f64::consts::FRAC_PI_2;

use num_bigint::BigInt;

use crate::error::{Error, Parameter, Result};
use crate::estimate::{MedianGrid, private_effect_sizes, private_middle};
use crate::exact::ln_binomial;
use crate::privacy::{Epsilon, Neighbors};
use crate::random::Bits;
use crate::table::Bounds;

use signs::{Signs, sign_sums};
use subset::{Correlations, best_subset};

/// The maximum number of features to select: the release has 2 k^2 numbers.
pub(crate) const MAX_REFINED: usize = 50;

/// The shares of a refined selection's budget for screening and medians, in percent; the rest is
/// for the signs.
///
/// The noise of a screening grows with ln C(d, K), the noise of the signs with the number D of
/// their sums. With the factor 0.8 both need about equally many rows, by simulation with 100 and
/// with 1000 features.
pub(crate) fn parts(screened: usize, features: usize) -> [i64; 2] {
    let sets = 0.8 * ln_binomial(features, screened);
    let others = (100 - MEDIANS) as f64;
    let screening = (others * sets / (sets + sums(screened + 1) as f64)).round();
    [(screening as i64).clamp(MIN_PART, 60), MEDIANS]
}

/// The share of the medians, in percent.
const MEDIANS: i64 = 10;

/// The smallest share of the screening, in percent.
const MIN_PART: i64 = 5;

/// The number of sums for a number of variables.
fn sums(variables: usize) -> usize {
    1 + variables + variables * variables.saturating_sub(1) / 2
}

/// The number of features that are screened for `k` of `features`.
///
/// # Errors
///
/// `Request` if k exceeds 50.
pub(crate) fn screened(k: usize, features: usize) -> Result<usize> {
    if k > MAX_REFINED {
        let rule = format!("a refined selection has at most {MAX_REFINED} features");
        return Err(Error::request(rule).about([Parameter::K, Parameter::Refine]));
    }
    Ok((2 * k).min(features))
}

/// The screened columns and the signs of the target, row by row.
pub(crate) struct Screened {
    /// The values of each column, not finite where they are missing.
    pub(crate) columns: Vec<Vec<f64>>,
    /// The public range of the values, if given.
    pub(crate) range: Option<Bounds>,
    /// -1, 0 or 1 for each row.
    pub(crate) target: Vec<i8>,
}

/// The budget of a refinement.
pub(crate) struct Spend<'a> {
    pub(crate) neighbors: Neighbors,
    /// For the medians of all columns.
    pub(crate) medians: &'a Epsilon,
    /// For the signs.
    pub(crate) signs: &'a Epsilon,
}

/// Selects the k columns that together explain the target best, ascending.
pub(crate) fn refine(
    screened: &Screened,
    k: usize,
    spend: &Spend<'_>,
    medians: &Bits,
    signs: &Bits,
) -> Vec<usize> {
    let each =
        Epsilon::part(spend.medians.as_rational() / BigInt::from(screened.columns.len().max(1)));
    let sign_columns = screened.columns.iter().enumerate().map(|(place, column)| {
        let bits = medians.branch(place as u64);
        let median = private_median(column, screened.range, spend.neighbors, &each, &bits);
        Signs::split(column, median)
    });
    let variables: Vec<Signs> =
        sign_columns.chain([Signs::of(screened.target.iter().copied())]).collect();
    let exact = sign_sums(&variables);
    let noisy = private_effect_sizes(&exact, spend.neighbors.steps(), spend.signs, signs);
    best_subset(&correlations(&noisy, spend), k)
}

/// The private median of a column: in its public range, or on the grid for values of unknown range.
fn private_median(
    column: &[f64],
    range: Option<Bounds>,
    neighbors: Neighbors,
    epsilon: &Epsilon,
    bits: &Bits,
) -> f64 {
    let values = column.iter().copied().filter(|value| value.is_finite());
    match range {
        Some(range) => private_middle(values, range, neighbors, epsilon, bits),
        None => {
            let grid = MedianGrid::shared();
            grid.private_split(&grid.count(values), neighbors, epsilon, bits)
        }
    }
}

/// The number of variables for a number of sums.
fn variables(sums: usize) -> usize {
    (1..).find(|v| self::sums(*v) >= sums).unwrap_or(0)
}

/// Correlations from noisy sums of signs, as on the page. The target is the last variable.
fn correlations(noisy: &[i64], spend: &Spend<'_>) -> Correlations {
    let v = variables(noisy.len());
    let rows = (noisy[0] as f64).max(1.0);
    let mean: Vec<f64> = noisy[1..=v]
        .iter()
        .map(|&sum| (sum as f64 / rows).clamp(-LARGEST_MEAN, LARGEST_MEAN))
        .collect();
    let deviation = |a: usize| (1.0 - mean[a] * mean[a]).sqrt();
    let mut all = vec![vec![1.0; v]; v];
    let mut products = noisy[1 + v..].iter();
    for b in 0..v {
        for a in 0..b {
            let product = products.next().map_or(0.0, |&sum| sum as f64 / rows);
            let share = (product - mean[a] * mean[b]) / (deviation(a) * deviation(b));
            let correlation = libm::sin(FRAC_PI_2 * share.clamp(-1.0, 1.0));
            (all[a][b], all[b][a]) = (correlation, correlation);
        }
    }
    let target = all.pop().unwrap_or_default();
    all.iter_mut().for_each(|row| row.truncate(v - 1));
    let d = noisy.len() as f64;
    let noise = spend.neighbors.steps() as f64 / spend.signs.to_f64() / rows;
    let level = FRAC_PI_2 * (noise * noise * (d + 1.0) * (d + 2.0) / 3.0 + 1.0 / rows).sqrt();
    Correlations::new(all, target[..v - 1].to_vec(), RIDGE * level)
}

/// The bound to which means of signs are clipped.
const LARGEST_MEAN: f64 = 0.95;

/// The ridge, in standard errors of a correlation.
const RIDGE: f64 = 0.5;
