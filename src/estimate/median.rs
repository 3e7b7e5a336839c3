//! A private median of a numeric target of unknown range.
//!
//! # What it does
//!
//! The exponential mechanism over a public grid of values, which is fine enough for any unit: 0
//! and +-10^(j/1000) from 1e-6 to 1e9, each rounded to six digits. The utility of a grid point g is
//! minus its distance in rank from the middle,
//!
//! ```text
//! u(g) = -|#{y <= g} - n/2|,      P(g) proportional to e^(eps u(g)).
//! ```
//!
//! # Guarantee
//!
//! eps-differentially private for adding or removing one row: adding y changes #{y <= g} - n/2
//! by +1/2 or -1/2, so u has sensitivity 1/2, and the exponential mechanism uses e^(eps u/(2 *
//! 1/2)). For replacing a row the sensitivity is 1, and eps/2 takes the place of eps: the case q =
//! 1/2 of the proof in `rank_race`, by which it is drawn exactly. Every grid point takes part,
//! whatever the data.
//!
//! # Cost
//!
//! One binary search per row; 30,003 entrants in the race, a few hundred microseconds.
//!
//! # Source
//!
//! F. McSherry and K. Talwar, "Mechanism design via differential privacy" (2007); A. Smith,
//! "Privacy-preserving statistical estimation with optimal convergence rates" (2011).

use std::sync::LazyLock;

use crate::error::Result;
use crate::estimate::rank_race::{RankCounts, RankFraction, Tied, draw};
use crate::privacy::{Epsilon, Neighbors, Purpose, Randomness};
use crate::random::Bits;

/// A private median of values in any unit: 0 or a six-digit number from 1e-6 to 1e9 in magnitude,
/// out of a grid with steps of a quarter of a percent. NaN and infinite values are ignored. If the
/// values lie beyond that range or closer together than the grid, no grid point lies in their
/// middle, and all grid points are about equally likely.
///
/// # Privacy
///
/// `epsilon`-differentially private for the stated neighbor relation, if each unit contributes
/// exactly one value.
///
/// # Errors
///
/// `Io` if the operating system gives no entropy.
///
/// ```
/// use dpsis::{Neighbors, OperatingSystem, estimate};
///
/// let ages = (0..1000).map(|i| 20.0 + f64::from(i % 60));
/// let median = estimate::median(ages, Neighbors::AddRemove, &"1".parse()?, OperatingSystem)?;
/// assert!((45.0..55.0).contains(&median)); // wrong with probability below e^-50
/// # Ok::<(), dpsis::Error>(())
/// ```
pub fn median<R: Randomness>(
    values: impl IntoIterator<Item = f64>,
    neighbors: Neighbors,
    epsilon: &Epsilon,
    randomness: R,
) -> Result<R::Output<f64>> {
    let bits = randomness.source()?.bits(Purpose::TargetMedian.draw());
    let grid = MedianGrid::shared();
    let mut counts = grid.counts();
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.for_each(|value| grid.observe(&mut counts, value));
    Ok(R::mark(grid.private_median(&counts, neighbors, epsilon, &bits)))
}

/// The public candidate values of the median, ascending.
pub(crate) struct MedianGrid {
    points: Vec<f64>,
}

impl Default for MedianGrid {
    fn default() -> Self {
        let magnitudes: Vec<f64> = (-6000..=9000)
            .map(|j| round_to_six_digits(libm::pow(10.0, f64::from(j) / 1000.0)))
            .collect();
        let negative = magnitudes.iter().rev().map(|magnitude| -magnitude);
        let positive = magnitudes.iter().copied();
        Self { points: negative.chain([0.0]).chain(positive).collect() }
    }
}

/// Rounds to six digits, which print short and do not depend on the last bit of a power.
fn round_to_six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

impl MedianGrid {
    #[cfg(test)]
    fn of(points: &[f64]) -> Self {
        Self { points: points.to_vec() }
    }

    /// The grid of all releases, made once because rounding its 15,001 magnitudes as text is slow.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: LazyLock<MedianGrid> = LazyLock::new(MedianGrid::default);
        &SHARED
    }

    /// The digits of the points from 1 to below 10, as text: those of every power of ten.
    pub(crate) fn digits(&self) -> Vec<String> {
        let from = self.points.partition_point(|&point| point < 1.0);
        self.points[from..][..1000].iter().map(f64::to_string).collect()
    }

    /// The number of points.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// Counts without any values.
    pub(crate) fn counts(&self) -> RankCounts {
        RankCounts::new(self.points.len())
    }

    /// Counts one finite value.
    pub(crate) fn observe(&self, counts: &mut RankCounts, value: f64) {
        counts.add(self.points.partition_point(|&point| point < value));
    }

    /// Counts finite values.
    pub(crate) fn count(&self, values: impl IntoIterator<Item = f64>) -> RankCounts {
        let mut counts = self.counts();
        values.into_iter().for_each(|value| self.observe(&mut counts, value));
        counts
    }

    /// Counts finite values by their weights, which add up to at most `unit` for each unit.
    pub(crate) fn weigh(
        &self,
        values: impl IntoIterator<Item = (f64, u16)>,
        unit: u16,
    ) -> RankCounts {
        let mut counts = RankCounts::weighted(self.points.len(), unit.into());
        for (value, weight) in values {
            let below = self.points.partition_point(|&point| point < value);
            counts.add_weight(below, weight.into());
        }
        counts
    }

    /// |2 #{y <= g} - n| for each grid point.
    fn rank_distances(&self, counts: &RankCounts) -> Vec<u128> {
        counts.distances(RankFraction::MEDIAN).collect()
    }

    /// Draws a grid point near the median by the exponential mechanism.
    pub(crate) fn private_median(
        &self,
        counts: &RankCounts,
        neighbors: Neighbors,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> f64 {
        let distances = self.rank_distances(counts).into_iter();
        let points: Vec<Tied> = distances.map(|distance| Tied { points: 1, distance }).collect();
        let winner = draw(&points, &RankFraction::MEDIAN.rate(neighbors, epsilon), bits);
        // The grid is not empty, so there is a winner.
        winner.map_or(0.0, |point| self.points[point])
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;
    use crate::support::oracle::max_log_ratio;

    fn bits(seed: u64) -> Bits {
        Entropy::Seeded(seed).source().unwrap().bits(2)
    }

    fn counts(grid: &MedianGrid, values: &[f64]) -> RankCounts {
        let mut counts = grid.counts();
        values.iter().for_each(|&value| grid.observe(&mut counts, value));
        counts
    }

    /// The law from the definition: utilities by counting, without bins.
    fn exact_law(points: &[f64], values: &[f64], eps: f64) -> Vec<f64> {
        let utility = |g: &f64| {
            let below = values.iter().filter(|value| *value <= g).count();
            -(below as f64 - values.len() as f64 / 2.0).abs()
        };
        let weights: Vec<f64> = points.iter().map(|g| (eps * utility(g)).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// The law from the code's own rank distances.
    fn law_of_code(grid: &MedianGrid, values: &[f64], eps: f64) -> Vec<f64> {
        let distances = grid.rank_distances(&counts(grid, values));
        let weights: Vec<f64> =
            distances.iter().map(|&distance| (-eps / 2.0 * distance as f64).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    pub(crate) const POINTS: [f64; 5] = [-2.0, -1.0, 0.0, 1.0, 2.0];
    const VALUES: [f64; 7] = [-3.0, -2.0, -0.5, 0.0, 0.5, 1.0, 9.0];

    /// The law of the median of these values over [`POINTS`], from the code's own rank distances.
    pub(crate) fn law_of_values(values: &[f64], eps: f64) -> Vec<f64> {
        law_of_code(&MedianGrid::of(&POINTS), values, eps)
    }

    /// All tables of up to 4 rows over seven values, with every additional row.
    #[test]
    fn privacy_by_enumeration() {
        let grid = MedianGrid::of(&POINTS);
        for eps in [0.2, 1.0, 3.0] {
            let mut tables: Vec<Vec<f64>> = vec![vec![]];
            let (mut worst, mut next) = (0.0f64, 0);
            while next < tables.len() {
                let table = tables[next].clone();
                next += 1;
                let law = law_of_code(&grid, &table, eps);
                assert!(max_log_ratio(&law, &exact_law(&POINTS, &table, eps)) < 1e-12);
                for value in VALUES {
                    let more = [table.clone(), vec![value]].concat();
                    worst = worst.max(max_log_ratio(&law, &law_of_code(&grid, &more, eps)) / eps);
                    if more.len() <= 4 {
                        tables.push(more);
                    }
                }
            }
            assert!(worst <= 1.0 + 1e-12, "{worst}");
            assert!(worst >= 0.5, "{worst}");
        }
    }

    /// All tables of 3 rows, including missing targets, with every replacement of a row: with the
    /// rate of replace-one, eps/4 for each unit of |2 #{y <= g} - n|.
    #[test]
    fn privacy_of_replacing_a_row() {
        let grid = MedianGrid::of(&POINTS);
        let values: Vec<Option<f64>> = VALUES.into_iter().map(Some).chain([None]).collect();
        let law = |rows: [Option<f64>; 3]| {
            let present: Vec<f64> = rows.into_iter().flatten().collect();
            law_of_code(&grid, &present, 0.5)
        };
        let mut worst = 0.0f64;
        for &a in &values {
            for &b in &values {
                for &c in &values {
                    let before = law([a, b, c]);
                    for &d in &values {
                        worst = worst.max(max_log_ratio(&before, &law([a, b, d])));
                    }
                }
            }
        }
        assert!((0.5..=1.0 + 1e-12).contains(&worst), "{worst}");
    }

    /// Tables of up to two people of one to three values, with every additional one: weights that
    /// add up to at most a unit keep the guarantee, and counted one by one the same values break
    /// it.
    #[test]
    fn privacy_of_people() {
        let grid = MedianGrid::of(&POINTS);
        let (of, values) = (|i: usize| VALUES[i % 7], 0..VALUES.len());
        let one = values.clone().map(|a| vec![of(a)]);
        let two = values.clone().flat_map(|a| [0, 2, 5].map(|b| vec![of(a), of(a + b)]));
        let three = values.flat_map(|a| [0, 3].map(|b| vec![of(a), of(a + b), of(a + 2 * b)]));
        let people: Vec<Vec<f64>> = one.chain(two).chain(three).collect();
        let law = |people: &[&Vec<f64>], unit: u16| {
            let weight = |person: &Vec<f64>| (unit / person.len() as u16).max(1);
            let values = people
                .iter()
                .flat_map(|person| person.iter().map(move |value| (*value, weight(person))));
            let distances = grid.rank_distances(&grid.weigh(values, unit));
            let weights: Vec<f64> =
                distances.iter().map(|&distance| (-0.25 * distance as f64).exp()).collect();
            let total: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / total).collect::<Vec<f64>>()
        };
        for (unit, holds) in [(4, true), (1 << 15, true), (1, false)] {
            let mut worst = 0.0f64;
            for first in &people {
                for second in [None].into_iter().chain(people.iter().map(Some)) {
                    let kept: Vec<&Vec<f64>> =
                        [Some(first), second].into_iter().flatten().collect();
                    let before = law(&kept, unit);
                    for added in &people {
                        let after = law(&[&kept[..], &[added]].concat(), unit);
                        worst = worst.max(max_log_ratio(&before, &after) / 0.5);
                    }
                }
            }
            assert_eq!(worst <= 1.0 + 1e-12, holds, "{unit}: {worst}");
            assert!(worst > 0.5, "{unit}: {worst}");
        }
        // A person with equal values is one with a single value.
        let twice = grid.weigh([(1.0, 2), (1.0, 2), (-1.0, 4)], 4);
        let once = counts(&grid, &[1.0, -1.0]);
        assert_eq!(grid.rank_distances(&twice), grid.rank_distances(&once));
    }

    #[test]
    fn draws_fit_the_exact_law() {
        let grid = MedianGrid::of(&POINTS);
        let values = [-1.0, 0.5, 0.5, 1.0, 1.5, 7.0];
        let mut drawn = vec![0u64; POINTS.len()];
        for seed in 0..50_000 {
            let epsilon = "1/2".parse().unwrap();
            let median = grid.private_median(
                &counts(&grid, &values),
                Neighbors::AddRemove,
                &epsilon,
                &bits(seed),
            );
            drawn[POINTS.iter().position(|&point| point == median).unwrap()] += 1;
        }
        assert_fits(&drawn, &exact_law(&POINTS, &values, 0.5));
    }

    #[test]
    fn the_grid_is_symmetric_and_fine() {
        let points = MedianGrid::default().points;
        assert_eq!(points.len(), 30_003);
        assert!(points.is_sorted_by(|a, b| a < b));
        assert!(points.iter().zip(points.iter().rev()).all(|(a, b)| *a == -*b));
        let positive = &points[15_002..];
        assert_eq!((positive[0], positive[15_000]), (1e-6, 1e9));
        assert!(positive.windows(2).all(|pair| pair[1] / pair[0] < 1.0025));
    }

    #[test]
    fn the_digits_make_all_points() {
        let grid = MedianGrid::default();
        let digits = grid.digits();
        let magnitude = |power: i32| {
            digits.iter().map(move |digits| format!("{digits}e{power}").parse::<f64>().unwrap())
        };
        let magnitudes: Vec<f64> = (-6..9).flat_map(magnitude).chain([1e9]).collect();
        let negative = magnitudes.iter().rev().map(|magnitude| -magnitude);
        let made: Vec<f64> = negative.chain([0.0]).chain(magnitudes.iter().copied()).collect();
        assert!(made == grid.points);
    }

    #[test]
    fn a_large_budget_finds_the_median() {
        let grid = MedianGrid::default();
        let values: Vec<f64> = (0..1001).map(|i| 100.0 + f64::from(i)).collect();
        let (counts, epsilon) = (counts(&grid, &values), "100".parse().unwrap());
        let median = grid.private_median(&counts, Neighbors::ReplaceOne, &epsilon, &bits(1));
        assert!((median - 600.0).abs() < 2.0, "{median}");
    }
}
