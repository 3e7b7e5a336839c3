//! Draws one of several sets of different sizes, together with its size.
//!
//! Scores x_1, ..., x_d are integers; between neighboring tables none of them moves by more than
//! Delta. For sizes k_1 < k_2 < ... with required scores t_1, t_2, ..., which are public or were
//! released before, let q_i = x_\[k_i\] - t_i, with x_\[k\] the k-th largest score. A set y of k_i
//! candidates has the loss
//!
//! ```text
//! loss(y) = max(0, t_i - min of x in y, q_(i+1), q_(i+2), ...)
//! ```
//!
//! The set with the largest value of -eps/(2 Delta) loss(y) + E_y is released, over all sets of
//! all sizes, with independent standard exponential E_y. Of one size this is the canonical
//! mechanism with gamma 1, for scores limited to t_i: the other terms are the same for all sets.
//!
//! # Guarantee
//!
//! The pair of size and set is eps-differentially private. Minima, maxima and order statistics of
//! scores that each move by at most Delta move by at most Delta, and so do their differences from
//! constants and maxima of those: every loss has the sensitivity Delta. The rest is
//! report-noisy-max with exponential noise (see the page of `canonical`, step 2 of the guarantee).
//! Scores that all move in one direction gain nothing: the first term falls while the others rise.
//!
//! # How often an unrelated set is drawn
//!
//! Let r = eps/(2 Delta), and let some set have the loss 0. In permute-and-flip, which has the same
//! law, sets are tried in random order and y is accepted with probability e^(-r loss(y)). So a set
//! of a family is drawn with probability at most the sum of e^(-r loss(y)) over that family, for
//! any scores of the other candidates.
//!
//! # Sampling, exactly
//!
//! Set y arrives at the time B_y e^(z_y), B_y uniform on (0, 1), z_y = r (loss(y) - least loss),
//! and the first to arrive wins. Scores of a size are divided into levels below the smaller of
//! x_\[k_i\] and t_i - max(0, q_(i+1), ...), from which the loss no longer falls. The sets whose
//! worst member lies in level l are a block of C(n_l, k) - C(n_(l-1), k) sets, with n_l candidates
//! up to the end of the level; blocks race as in `canonical`. A size whose least z exceeds
//! ln C(d, k) + 40 is one block. Cost: O(d) for each size, and one random word for each block.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

use crate::exact::{binomial, ln_binomial, ln_factorial_error, near_f64};
use crate::mechanism::canonical::{ln_share, subset_with_some_below};
use crate::mechanism::levels::{Levels, best};
use crate::privacy::Epsilon;
use crate::random::{
    Address, Bits, BlockRace, Blocks, Filter, FirstArrival, Handicapped, WordStream,
};
use crate::scores::{LARGEST, Scores};

/// The lane of the bits with which blocks reveal sets.
const OWN_LANE: u64 = 1 << 62;

/// Units of noise added to the reach of all sets of a size.
const REACH_MARGIN: f64 = 40.0;

/// The largest difference of a block's bounds, in units of the noise, unless single scores differ
/// by more.
const WIDTH: f64 = 1.0;

/// A size of sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetSize {
    /// The number of candidates, k.
    pub k: usize,
    /// The score that the worst member requires, from 0 to the largest possible one.
    pub required: i64,
}

/// Draws a set of one of these sizes, which are ascending and from 1 to at most the number of
/// candidates. The candidates are in ascending order; the result is empty if there is no size.
pub fn draw(scores: &Scores, sizes: &[SetSize], epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
    if sizes.is_empty() {
        return Vec::new();
    }
    SizedSets::new(scores, sizes, epsilon).draw(bits, Filter::default())
}

/// All sets of some sizes in blocks; the block of the n-th step of the i-th size has the address
/// (i, n).
struct SizedSets<'a> {
    values: &'a [i64],
    sizes: Vec<Size>,
    /// r = eps/(2 Delta)
    rate: BigRational,
}

/// All sets of one size.
struct Size {
    k: usize,
    /// The score from which the loss no longer falls.
    top: i64,
    /// The least loss of the size less that of all sizes.
    least: u64,
    steps: Vec<Step>,
}

/// A range of distances below the top score: those above it have the distance 0.
#[derive(Debug, Clone, Copy)]
struct Step {
    least: u64,
    /// `None` if the range is open.
    most: Option<u64>,
    /// The candidates that are nearer, and all up to the end of the range.
    before: usize,
    until: usize,
}

/// A set of a block.
#[derive(Debug, Default, PartialEq, Eq)]
struct SetInBlock {
    /// The candidates in the block's range, ascending.
    inside: Vec<u32>,
    /// The others, as ascending ordinal numbers among the candidates above the range.
    above: Vec<u64>,
}

impl<'a> SizedSets<'a> {
    fn new(scores: &'a Scores, sizes: &[SetSize], epsilon: &Epsilon) -> Self {
        let values = scores.values();
        let unit = 2 * u128::from(scores.sensitivity());
        let rate = epsilon.as_rational() / BigInt::from(unit);
        let ranked = best(values, sizes.last().map_or(0, |size| size.k));
        let kth = |k: usize| values[ranked[k - 1] as usize];
        // From the last size down: its floor is the largest excess of later sizes.
        let mut later = 0;
        let mut bounds: Vec<(i64, i64)> = Vec::with_capacity(sizes.len());
        for size in sizes.iter().rev() {
            let required = size.required.clamp(0, LARGEST as i64);
            let (floor, excess) = (later, kth(size.k) - required);
            bounds.push((floor.max(-excess), required - floor));
            later = later.max(excess);
        }
        bounds.reverse();
        let least = bounds.iter().map(|(loss, _)| *loss).min().unwrap_or(0);
        let sets = |(size, (loss, limit)): (&SetSize, (i64, i64))| {
            let top = kth(size.k).min(limit);
            Size::new(values, size.k, top, (loss - least) as u64, &rate)
        };
        let sizes = sizes.iter().zip(bounds).map(sets).collect();
        Self { values, sizes, rate }
    }

    fn draw(&self, bits: &Bits, filter: Filter) -> Vec<usize> {
        let (d, most) = (self.values.len(), self.sizes.last().map_or(0, |size| size.k));
        let error = 4.0 * ln_factorial_error(d) + (most + 8) as f64 * 2f64.powi(-52);
        let mut race = BlockRace::new(bits, OWN_LANE, FirstArrival::Uniform, filter, error);
        let rate = near_f64(&self.rate);
        for (lane, size) in (0..).zip(&self.sizes) {
            let mut words = bits.lane(lane);
            for (position, step) in (0..).zip(&size.steps) {
                let word = words.next_word();
                let ln_until = ln_binomial(step.until, size.k);
                let handicap = (size.least as f64 + step.least as f64) * rate;
                if race.cannot_win(word, Handicapped { ln_size: ln_until, handicap }) {
                    continue;
                }
                let ln_size = ln_until + ln_share(step.before, step.until, size.k);
                let latest = |most: u64| (size.least as f64 + most as f64) * rate;
                let most = step.most.map_or(f64::INFINITY, latest);
                let address = Address { lane, position };
                race.enter(address, word, Handicapped { ln_size, handicap }, most);
            }
        }
        let Some((address, member)) = race.winner(self) else { return Vec::new() };
        self.picks(address, member)
    }

    fn block(&self, Address { lane, position }: Address) -> (&Size, Step) {
        let size = &self.sizes[lane as usize];
        (size, size.steps[position as usize])
    }

    fn picks(&self, address: Address, member: SetInBlock) -> Vec<usize> {
        let (size, step) = self.block(address);
        let (_, high) = size.range(step);
        let mut picks = match high.checked_add(1) {
            Some(above) => of_range(self.values, (above, i64::MAX), &member.above),
            None => Vec::new(),
        };
        picks.extend(member.inside);
        picks.sort_unstable();
        picks.into_iter().map(|i| i as usize).collect()
    }
}

impl Size {
    fn new(values: &[i64], k: usize, top: i64, least: u64, rate: &BigRational) -> Self {
        let d = values.len();
        let reach = ln_binomial(d, k) + REACH_MARGIN;
        if least as f64 * near_f64(rate) > reach {
            let all = Step { least: 0, most: None, before: 0, until: d };
            return Self { k, top, least, steps: vec![all] };
        }
        let levels = Levels::new(top, rate, WIDTH, reach, u64::MAX >> 1);
        let mut until = values.iter().filter(|value| **value > top).count();
        let mut before = 0;
        let steps = levels.count(values).into_iter().enumerate().filter_map(|(level, count)| {
            until += count;
            let (least, most) = levels.distances(level);
            let step = Step { least, most, before, until };
            before = until;
            (step.until > step.before).then_some(step)
        });
        Self { k, top, least, steps: steps.collect() }
    }

    /// The scores of a step: the least and the largest.
    fn range(&self, step: Step) -> (i64, i64) {
        let below = |distance: u64| self.top.saturating_sub_unsigned(distance);
        let high = if step.least == 0 { i64::MAX } else { below(step.least) };
        (step.most.map_or(i64::MIN, below), high)
    }
}

impl Blocks for SizedSets<'_> {
    type Member = SetInBlock;

    fn size(&self, address: Address) -> BigUint {
        let (size, step) = self.block(address);
        let sets = |candidates: usize| binomial(candidates as u64, size.k as u64);
        sets(step.until) - sets(step.before)
    }

    fn draw(&self, address: Address, words: &mut WordStream) -> SetInBlock {
        let (size, step) = self.block(address);
        let inside = (step.until - step.before) as u64;
        let drawn = subset_with_some_below(words, inside, step.until as u64, size.k as u64);
        let (here, above) = drawn.split_at(drawn.partition_point(|ordinal| *ordinal < inside));
        SetInBlock {
            inside: of_range(self.values, size.range(step), here),
            above: above.iter().map(|ordinal| ordinal - inside).collect(),
        }
    }

    /// r (loss - least loss)
    fn handicap(&self, address: Address, member: &SetInBlock) -> BigRational {
        let (size, _) = self.block(address);
        let worst = member.inside.iter().map(|&i| self.values[i as usize]).min();
        let below = worst.map_or(0, |worst| size.top.saturating_sub(worst).max(0));
        &self.rate * BigRational::from_integer(BigInt::from(size.least) + below)
    }
}

/// Candidates with a score from the least to the largest, by their ascending ordinal numbers there.
fn of_range(values: &[i64], (least, most): (i64, i64), ordinals: &[u64]) -> Vec<u32> {
    let Some(last) = ordinals.last() else { return Vec::new() };
    let inside = (0u32..).zip(values).filter(|(_, value)| (least..=most).contains(*value));
    let mut ordinals = ordinals.iter().peekable();
    let (mut found, inside) = (Vec::new(), (0u64..=*last).zip(inside));
    for (ordinal, (i, _)) in inside {
        found.extend(ordinals.next_if_eq(&&ordinal).map(|_| i));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbors;
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;
    use crate::support::oracle::{permute_and_flip, subsets};

    const SIZES: [SetSize; 3] = [
        SetSize { k: 1, required: 3 },
        SetSize { k: 2, required: 2 },
        SetSize { k: 4, required: 3 },
    ];

    /// The loss by its definition, of all sets of all sizes.
    fn losses(values: &[i64], sizes: &[SetSize]) -> Vec<(Vec<usize>, i64)> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let excess = |size: &SetSize| sorted[size.k - 1] - size.required;
        let of_size = |i: usize| {
            let floor = sizes[i + 1..].iter().map(excess).fold(0, i64::max);
            subsets(values.len(), sizes[i].k).into_iter().map(move |set| {
                let worst = set.iter().map(|&j| values[j]).min().unwrap();
                (set, floor.max(sizes[i].required - worst))
            })
        };
        (0..sizes.len()).flat_map(of_size).collect()
    }

    fn law(values: &[i64], sizes: &[SetSize], rate: f64) -> Vec<f64> {
        let losses: Vec<i64> = losses(values, sizes).into_iter().map(|(_, loss)| loss).collect();
        let least = *losses.iter().min().unwrap();
        let z: Vec<f64> = losses.iter().map(|loss| rate * (loss - least) as f64).collect();
        permute_and_flip(&z)
    }

    fn assert_draws(values: &[i64], sizes: &[SetSize], eps: &str, filter: fn() -> Filter) {
        let scores = Scores::new(values.to_vec(), 2, Neighbors::AddRemove).unwrap();
        let epsilon: Epsilon = eps.parse().unwrap();
        let sets: Vec<Vec<usize>> = losses(values, sizes).into_iter().map(|(set, _)| set).collect();
        let all = SizedSets::new(&scores, sizes, &epsilon);
        let mut counts = vec![0u64; sets.len()];
        for seed in 0..100_000 {
            let picks = all.draw(&Entropy::Seeded(seed).source().unwrap().bits(0), filter());
            counts[sets.iter().position(|set| *set == picks).unwrap()] += 1;
        }
        assert_fits(&counts, &law(values, sizes, epsilon.to_f64() / 4.0));
    }

    /// Sets of all sizes are drawn by their law: with ties, scores above and below the required
    /// ones, a size with all candidates, and sizes that are one block.
    #[test]
    fn draws_fit_the_exact_law() {
        let normal: fn() -> Filter = Filter::default;
        assert_draws(&[7, 2, 2, 6, 0, 3], &SIZES, "2", normal);
        assert_draws(&[0, 0, 0, 0, 0], &SIZES, "1", normal);
        assert_draws(&[9, 9, 9, 9, 1], &SIZES, "1", normal);
        assert_draws(&[5, -3, 4, 1], &SIZES, "8", || Filter::weakened(4));
        let far = [SIZES[0], SetSize { k: 3, required: 400 }];
        assert_draws(&[5, 1, 4, 4, 2], &far, "1", normal);
    }

    /// The largest log-ratio of a probability between tables whose scores differ by at most 1.
    fn worst_ratio(rate: f64, monotone: bool) -> f64 {
        let sizes = [SIZES[0], SIZES[1], SetSize { k: 3, required: 2 }];
        let tables = |base: i64| {
            (0..base.pow(4)).map(move |i| (0..4).map(|at| i / base.pow(at) % base).collect())
        };
        let mut worst = 0.0f64;
        for table in tables(5) {
            let table: Vec<i64> = table;
            let here = law(&table, &sizes, rate);
            for step in tables(if monotone { 2 } else { 3 }) {
                let step: Vec<i64> = step;
                let down = if monotone { 0 } else { 1 };
                let other: Vec<i64> = table.iter().zip(&step).map(|(x, s)| x + s - down).collect();
                let there = law(&other, &sizes, rate);
                for (a, b) in here.iter().zip(&there) {
                    worst = worst.max((a / b).ln().abs());
                }
            }
        }
        worst
    }

    /// At the rate eps/(2 Delta) no output reveals more than eps; twice that rate would, and so it
    /// would where all scores move in one direction.
    #[test]
    fn privacy_by_enumeration() {
        let eps = 1.0;
        let worst = worst_ratio(eps / 2.0, false);
        assert!(worst <= eps + 1e-9 && worst > 0.7 * eps, "{worst}");
        assert!(worst_ratio(eps, false) > 1.3 * eps);
        assert!(worst_ratio(eps, true) > 1.1 * eps);
    }

    /// A set of unrelated candidates is drawn at most as often as it is accepted.
    #[test]
    fn sets_win_at_most_as_often_as_they_are_accepted() {
        for values in [[7, 2, 2, 6, 0], [9, 9, 9, 9, 1], [3, 2, 1, 1, 0]] {
            let losses = losses(&values, &SIZES);
            let least = losses.iter().map(|(_, loss)| *loss).min().unwrap();
            for ((_, loss), p) in losses.iter().zip(law(&values, &SIZES, 0.5)) {
                assert!(p <= (-0.5 * (loss - least) as f64).exp() + 1e-12);
            }
        }
    }

    #[test]
    fn extreme_scores_and_requirements() {
        let most = LARGEST as i64;
        let scores = Scores::new(vec![most, -most, 0, 5], 1, Neighbors::AddRemove).unwrap();
        for required in [0, 1, most, i64::MAX, i64::MIN] {
            let sizes = [SetSize { k: 1, required: 9 }, SetSize { k: 2, required }];
            let epsilon = "1".parse().unwrap();
            let bits = Entropy::Seeded(1).source().unwrap().bits(0);
            let picks = draw(&scores, &sizes, &epsilon, &bits);
            assert!([1, 2].contains(&picks.len()) && !picks.contains(&1), "{required}: {picks:?}");
            assert!(draw(&scores, &[], &epsilon, &bits).is_empty());
        }
    }
}
