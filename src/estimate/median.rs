//! A private median of a numeric target of unknown range.
//!
//! # Definition
//!
//! The exponential mechanism over a public grid of values, which is fine enough for any unit:
//!
//! - 0, and all numbers of at most four significant digits from 0.01 to 100,000, of at most three
//!   down to 1e-6 and up to 1e15, positive and negative: consecutive years and ages have a point
//!   between them;
//! - every sixth hour of the years 2000 to 2049, in seconds and in milliseconds since 1970.
//!
//! The utility of a grid point g is minus its distance in rank from the middle,
//!
//! ```text
//! u(g) = -|#{y <= g} - n/2|,                             to split values at g,
//! u(g) = -max(0, #{y <= h} - n/2, n/2 - #{y <= g}),      to say where the middle is,
//! P(g) proportional to e^(eps u(g)),
//! ```
//!
//! with h the point before g. A split puts ties on the side that is the more even. The middle of
//! mostly equal values is their common value, rounded up to the grid.
//!
//! # Guarantee
//!
//! eps-differentially private for adding or removing one row: adding y changes #{y <= g} - n/2 by
//! +1/2 or -1/2, and with h likewise, so u has sensitivity 1/2, and the exponential mechanism uses
//! e^(eps u/(2 * 1/2)). For replacing a row the sensitivity is 1, and eps/2 takes the place of eps:
//! the case q = 1/2 of the proof in `rank_race`, by which it is drawn exactly. Every grid point
//! takes part, for any data.
//!
//! # Cost
//!
//! One binary search per row, and one pass over the 297,291 points. Consecutive points of one rank
//! race as a group, so there are at most as many entrants as there are different values, plus one.
//!
//! # Error
//!
//! The share of points matters, not their number: with probability 1 - beta the distance in rank
//! exceeds t only if (2/eps) ln(1/(s beta)) > t, where s is the share of all points with a distance
//! of at most t. A finer grid has more points on both sides of that ratio. It helps where values
//! lie close together for their size, as years do, and ties: a value that most rows share has
//! points on both sides of it, and those on its better side win.
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

/// A private median of values in any unit: a number of at most four significant digits (three below
/// 0.01 and from 100,000 on) from 1e-6 to 1e15 in magnitude, 0, or a time of the years 2000 to 2049
/// in seconds or milliseconds since 1970, in steps of six hours. NaN and infinite values are
/// ignored. The median splits values: about half of them are at most as large. If the values lie
/// beyond that range or closer together than the grid, or are all equal, no grid point does that,
/// and all grid points are about equally likely.
///
/// # Privacy
///
/// `epsilon`-differentially private for the given neighbor relation, if each unit contributes
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
    Ok(R::mark(grid.private_split(&counts, neighbors, epsilon, &bits)))
}

/// The public candidate values of the median, ascending.
pub(crate) struct MedianGrid {
    points: Vec<f64>,
}

/// Decimal numbers: all integers from `first` to below `end` times each power of ten from `low` to
/// below `high`.
pub(crate) struct Decimals {
    pub(crate) first: u32,
    pub(crate) end: u32,
    pub(crate) low: i32,
    pub(crate) high: i32,
}

/// The magnitudes of the grid except [`LARGEST`]; the powers of ten belong to the last digit.
pub(crate) const MAGNITUDES: [Decimals; 3] = [
    Decimals { first: 100, end: 1000, low: -8, high: -4 },
    Decimals { first: 1000, end: 10_000, low: -5, high: 2 },
    Decimals { first: 100, end: 1000, low: 3, high: 13 },
];

pub(crate) const LARGEST: f64 = 1e15;

/// The step of [`TIMES`] in seconds, and their units as parts of a second.
pub(crate) const TIME_STEP: f64 = 21_600.0;
pub(crate) const TIME_UNITS: [f64; 2] = [1.0, 1000.0];

/// The steps since the beginning of 1970 at the beginnings of 2000 and 2050.
pub(crate) const TIMES: std::ops::Range<u32> = 43_828..116_880;

impl Default for MedianGrid {
    fn default() -> Self {
        let decimals = MAGNITUDES.iter().flat_map(|decimals| {
            let powers = decimals.low..decimals.high;
            powers.flat_map(|power| (decimals.first..decimals.end).map(move |n| decimal(n, power)))
        });
        let magnitudes: Vec<f64> = decimals.chain([LARGEST]).collect();
        let times =
            TIME_UNITS.iter().flat_map(|unit| TIMES.map(move |n| f64::from(n) * TIME_STEP * unit));
        let negative = magnitudes.iter().map(|magnitude| -magnitude);
        let mut points: Vec<f64> = negative.chain([0.0]).chain(times).collect();
        points.extend(&magnitudes);
        // It consists of a few runs in order, which a stable sort merges.
        points.sort_by(f64::total_cmp);
        points.dedup();
        Self { points }
    }
}

/// The number n 10^power, rounded once: powers of ten up to 10^22 are exact.
fn decimal(n: u32, power: i32) -> f64 {
    let scale: f64 = (0..power.unsigned_abs()).map(|_| 10.0).product();
    if power < 0 { f64::from(n) / scale } else { f64::from(n) * scale }
}

impl MedianGrid {
    #[cfg(test)]
    fn of(points: &[f64]) -> Self {
        Self { points: points.to_vec() }
    }

    /// The grid of all releases, made once.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: LazyLock<MedianGrid> = LazyLock::new(MedianGrid::default);
        &SHARED
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

    /// Counts finite values by their weights, which add up to at most `unit` for each privacy unit.
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

    /// Draws a grid point up to which about half of the values lie.
    pub(crate) fn private_split(
        &self,
        counts: &RankCounts,
        neighbors: Neighbors,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> f64 {
        self.drawn(counts.distances(RankFraction::MEDIAN), neighbors, epsilon, bits)
    }

    /// Draws a grid point near the median, even if most values are equal.
    pub(crate) fn private_middle(
        &self,
        counts: &RankCounts,
        neighbors: Neighbors,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> f64 {
        self.drawn(counts.distances_of_bins(), neighbors, epsilon, bits)
    }

    /// Draws a grid point by the exponential mechanism.
    fn drawn(
        &self,
        distances: impl Iterator<Item = u128>,
        neighbors: Neighbors,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> f64 {
        let groups = Tied::groups(distances);
        let winner = draw(&groups, &RankFraction::MEDIAN.rate(neighbors, epsilon), bits);
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
        let distances = counts(grid, values);
        let distances = distances.distances(RankFraction::MEDIAN);
        let weights: Vec<f64> =
            distances.map(|distance| (-eps / 2.0 * distance as f64).exp()).collect();
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

    /// Tables of up to two people of one to three values, with every additional person: weights
    /// that add up to at most a unit keep the guarantee. Without weights the same values break it.
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
            let distances = grid.weigh(values, unit);
            let distances = distances.distances(RankFraction::MEDIAN);
            let weights: Vec<f64> =
                distances.map(|distance| (-0.25 * distance as f64).exp()).collect();
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
        // A person with equal values is like a person with a single value.
        let twice = grid.weigh([(1.0, 2), (1.0, 2), (-1.0, 4)], 4);
        let once = counts(&grid, &[1.0, -1.0]);
        let distances =
            |counts: &RankCounts| counts.distances(RankFraction::MEDIAN).collect::<Vec<u128>>();
        assert_eq!(distances(&twice), distances(&once));
    }

    /// The distribution of the middle from the definition: values between two points count at the
    /// greater one.
    fn law_of_middle(points: &[f64], values: &[f64], eps: f64) -> Vec<f64> {
        let up_to = |g: f64| values.iter().filter(|value| **value <= g).count() as f64;
        let half = values.len() as f64 / 2.0;
        let weight = |place: usize| {
            let before = place.checked_sub(1).map_or(0.0, |place| up_to(points[place]));
            (-eps * (before - half).max(half - up_to(points[place])).max(0.0)).exp()
        };
        let weights: Vec<f64> = (0..points.len()).map(weight).collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// All tables of up to 4 rows over seven values, with every additional row, for the middle. A
    /// middle that is drawn toward frequent values breaks the guarantee.
    #[test]
    fn privacy_of_the_middle() {
        let (grid, eps) = (MedianGrid::of(&POINTS), 1.0);
        let law = |values: &[f64], drawn_to_many: bool| {
            let counts = counts(&grid, values);
            let distances = counts.distances_of_bins().zip(counts.bins());
            let weight = |(distance, bin): (u128, &u64)| {
                let bonus = if drawn_to_many { *bin as f64 } else { 0.0 };
                (-eps / 2.0 * (distance as f64 - bonus)).exp()
            };
            let weights: Vec<f64> = distances.map(weight).collect();
            let total: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / total).collect::<Vec<f64>>()
        };
        for (drawn_to_many, holds) in [(false, true), (true, false)] {
            let (mut worst, mut next, mut tables) = (0.0f64, 0, vec![vec![]]);
            while next < tables.len() {
                let table: Vec<f64> = tables[next].clone();
                next += 1;
                let before = law(&table, drawn_to_many);
                if holds {
                    assert!(max_log_ratio(&before, &law_of_middle(&POINTS, &table, eps)) < 1e-12);
                }
                for value in VALUES {
                    let more = [table.clone(), vec![value]].concat();
                    let after = law(&more, drawn_to_many);
                    worst = worst.max(max_log_ratio(&before, &after) / eps);
                    if more.len() <= 4 {
                        tables.push(more);
                    }
                }
            }
            assert_eq!(worst <= 1.0 + 1e-12, holds, "{worst}");
            assert!(worst >= 0.5, "{worst}");
        }
    }

    /// All or nearly all values are equal: the middle is that value.
    #[test]
    fn the_middle_of_ties_is_their_value() {
        let grid = MedianGrid::default();
        for tied in [1.0, 36.6, -0.0254, 2021.0] {
            let values: Vec<f64> =
                (0..300).map(|i| if i % 10 == 0 { f64::from(i) } else { tied }).collect();
            let (counts, epsilon) = (counts(&grid, &values), "1/2".parse().unwrap());
            let middle = |seed: u64| {
                grid.private_middle(&counts, Neighbors::AddRemove, &epsilon, &bits(seed))
            };
            assert!((0..50).all(|seed| middle(seed) == tied), "{tied}");
        }
    }

    #[test]
    fn draws_fit_the_exact_law() {
        let grid = MedianGrid::of(&POINTS);
        let values = [-1.0, 0.5, 0.5, 1.0, 1.5, 7.0];
        let mut drawn = vec![0u64; POINTS.len()];
        for seed in 0..50_000 {
            let epsilon = "1/2".parse().unwrap();
            let median = grid.private_split(
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
        assert_eq!(points.len(), 297_291);
        assert!(points.is_sorted_by(|a, b| a < b));
        let has = |point: f64| points.binary_search_by(|other| other.total_cmp(&point)).is_ok();
        // Rounded once, as when text is parsed.
        let decimals = |digits: u32, powers: std::ops::Range<i32>| {
            let numbers = 10u32.pow(digits - 1)..10u32.pow(digits);
            powers.flat_map(move |power| numbers.clone().map(move |n| format!("{n}e{power}")))
        };
        let all = decimals(3, -8..-4).chain(decimals(4, -5..2)).chain(decimals(3, 3..13));
        let all = all.chain(["1e15".to_owned()]).map(|text| text.parse::<f64>().unwrap());
        let all: Vec<f64> = all.collect();
        assert!(all.iter().all(|point| has(*point) && has(-point)) && has(0.0));
        let positive: Vec<f64> = points.iter().copied().filter(|point| *point > 0.0).collect();
        assert_eq!((positive[0], positive[positive.len() - 1]), (1e-6, 1e15));
        assert!(positive.windows(2).all(|pair| pair[1] / pair[0] < 1.0101));
        // 2000-01-01 and the last quarter of 2049-12-31.
        for (first, last) in [(946_684_800.0, 2_524_586_400.0), (946_684_800e3, 2_524_586_400e3)] {
            assert!(has(first) && has(first + (last - first) / 73_051.0) && has(last));
        }
        assert_eq!(points.len(), 2 * all.len() + 1 + 2 * 73_052 - both(&all));
    }

    /// The times that are also decimal numbers of the grid.
    fn both(decimals: &[f64]) -> usize {
        let of_unit = |unit: f64| {
            let steps = decimals.iter().map(move |decimal| decimal / unit / 21_600.0);
            steps.filter(|step| step.fract() == 0.0 && (43_828.0..116_880.0).contains(step)).count()
        };
        of_unit(1.0) + of_unit(1000.0)
    }

    /// Targets whose values lie close together for their size, or tie: both sides of the split have
    /// rows in nearly all draws.
    #[test]
    fn narrow_and_tied_targets_are_split() {
        let grid = MedianGrid::default();
        let even = |low: f64, step: f64| (0..600).map(move |i| low + step * f64::from(i % 7));
        let tied = |value: f64, others: f64| {
            (0..600).map(move |i| if i % 10 < 7 { value } else { others + f64::from(i) / 1000.0 })
        };
        let targets: [(&str, Vec<f64>, f64); 8] = [
            ("two years", (0..600).map(|i| 2021.0 + f64::from(i % 2)).collect(), 0.45),
            ("years", even(2018.0, 1.0).collect(), 0.25),
            ("seconds of a week", even(1_700_000_000.0, 86_400.0).collect(), 0.25),
            ("milliseconds of a month", even(1.6e12, 4e8).collect(), 0.25),
            ("most at 0", tied(0.0, 1.0).collect(), 0.25),
            ("most at the largest", tied(100.0, 90.0).collect(), 0.25),
            ("zeros and ones", (0..600).map(|i| f64::from(i32::from(i % 10 < 3))).collect(), 0.25),
            ("temperatures", even(36.4, 0.1).collect(), 0.25),
        ];
        let epsilon: Epsilon = "0.2".parse().unwrap();
        for (name, values, least) in targets {
            let counted = counts(&grid, &values);
            let split = |seed: u64| {
                let median =
                    grid.private_split(&counted, Neighbors::AddRemove, &epsilon, &bits(seed));
                let below = values.iter().filter(|value| **value <= median).count();
                let share = below as f64 / values.len() as f64;
                share.min(1.0 - share) >= least
            };
            let good = (0..50).filter(|seed| split(*seed)).count();
            assert!(good >= 48, "{name}: {good} of 50");
        }
    }

    #[test]
    fn a_large_budget_finds_the_median() {
        let grid = MedianGrid::default();
        let values: Vec<f64> = (0..1001).map(|i| 100.0 + f64::from(i)).collect();
        let (counts, epsilon) = (counts(&grid, &values), "100".parse().unwrap());
        let median = grid.private_split(&counts, Neighbors::ReplaceOne, &epsilon, &bits(1));
        assert!((median - 600.0).abs() < 2.0, "{median}");
    }
}
