#![doc = include_str!("page.md")]

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::exact::{binomial, ln_binomial, ln_factorial_error, near_f64};
use crate::mechanism::draw::sealed;
use crate::mechanism::joint::{OWN_LANE, joint_rate};
use crate::mechanism::shortfalls::Shortfalls;
use crate::mechanism::{Card, Chooses, Mechanism, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{
    Address, Bits, BlockRace, Blocks, Filter, FirstArrival, Handicapped, WordStream, uniform_below,
    uniform_subset,
};
use crate::score::Scores;

/// The joint exponential mechanism over sets of k candidates. See the page of this module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JointSet;

/// The card of [`JointSet`].
pub static CARD: Card = Card {
    id: "joint-set",
    summary: "joint exponential mechanism over sets: the largest shortfall from the true ranking",
    chooses: Chooses::Set,
    sensitivity: Sensitivity::Common,
    reference: "J. Gillenwater, M. Joseph, A. Munoz Medina and M. Ribero, \"A Joint Exponential Mechanism \
                for Differentially Private Top-k Set\" (2020)",
    page: include_str!("page.md"),
    max_ratio: 1.0,
    slack: None,
    timing: Some(
        "counting takes time according to how the scores lie: least where many are equal or the best stand out",
    ),
    mutants: &["the monotonic constant"],
};

impl Mechanism for JointSet {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// ln C(d, k) sets, at the rate of the joint loss.
    fn gap(&self, candidates: usize, k: usize, epsilon: &Epsilon) -> f64 {
        let rate = if k == 1 { 2.0 } else { 4.0 };
        rate * ln_binomial(candidates, k) / near_f64(epsilon.as_rational())
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for JointSet {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let sets = Sets::new(scores, k, epsilon);
        sets.race(bits, Filter::default(), scores.values().len())
    }
}

/// All sets of k candidates, in blocks: lane 0, position D. The i-th best of a set is its i-th pick.
struct Sets<'a> {
    shortfalls: Shortfalls<'a>,
}

impl<'a> Sets<'a> {
    fn new(scores: &'a Scores, k: usize, epsilon: &Epsilon) -> Self {
        let values = scores.values();
        let ln_sets = ln_binomial(values.len(), k);
        let rate = joint_rate(scores, k, epsilon);
        Self { shortfalls: Shortfalls::new(values, k, rate, ln_sets) }
    }

    /// Runs the race of all blocks. No set, if there is none.
    fn race(&self, bits: &Bits, filter: Filter, d: usize) -> Vec<usize> {
        // A logarithm of an exact count; for the bounds, of subsets and of sequences.
        let error = 4.0 * ln_factorial_error(d) + self.shortfalls.ln_error();
        let mut race = BlockRace::new(bits, OWN_LANE, FirstArrival::Exponential, filter, error);
        let mut blocks = Vec::new();
        self.shortfalls.each_block(bits, |block, word, counts, _| {
            let (handicap, most) = self.shortfalls.bounds(block);
            let bound = Handicapped { ln_size: most_sets(counts), handicap };
            let early = libm::log(word as f64) - bound.ln_size + handicap;
            blocks.push((early, block, word, bound, most));
        });
        // Those that may arrive early come first, so that few others must be counted.
        blocks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (_, block, word, bound, most) in blocks {
            if race.cannot_win(word, bound) {
                continue;
            }
            let address = Address { lane: 0, position: block as u64 };
            let size = self.size(address);
            if !size.is_zero() {
                let entrant = Handicapped { ln_size: ln(&size), ..bound };
                race.enter(address, word, entrant, most);
            }
        }
        race.winner(self).map(|(_, set)| set).unwrap_or_default()
    }
}

impl Blocks for Sets<'_> {
    /// Ascending.
    type Member = Vec<usize>;

    fn size(&self, block: Address) -> BigUint {
        let (counts, before) = self.shortfalls.both_counts(block.position as usize);
        ways_beyond(&counts, before.as_deref(), 0)
    }

    /// A set's ranks one after the other, each by exact counts of what can follow.
    fn draw(&self, block: Address, words: &mut WordStream) -> Vec<usize> {
        let (counts, before) = self.shortfalls.both_counts(block.position as usize);
        let ordinals = draw_beyond(&counts, before.as_deref(), words);
        let mut set = self.shortfalls.candidates(&ordinals);
        set.sort_unstable();
        set
    }

    fn handicap(&self, _: Address, set: &Vec<usize>) -> BigRational {
        self.shortfalls.handicap(&self.shortfalls.best_first(set))
    }
}

/// ln of a positive integer.
fn ln(size: &BigUint) -> f64 {
    let shift = size.bits().saturating_sub(64);
    let leading = (size >> shift).iter_u64_digits().next().unwrap_or(1);
    libm::log(leading as f64) + shift as f64 * std::f64::consts::LN_2
}

/// An upper bound of ln of the number of sets that keep within counts: the lesser of the sequences and of
/// all subsets of the largest count.
fn most_sets(counts: &[usize]) -> f64 {
    let largest = counts.last().copied().unwrap_or(0);
    Shortfalls::ln_sequences(counts).min(ln_binomial(largest, counts.len()))
}

/// Of the increasing sequences from `from` that keep within counts, how many do not keep within those
/// before.
fn ways_beyond(counts: &[usize], before: Option<&[usize]>, from: usize) -> BigUint {
    ways(counts, from) - before.map_or(BigUint::zero(), |before| ways(before, from))
}

/// How many increasing sequences r_1 < r_2 < ... there are with `from` <= r_l < counts_l.
///
/// By inclusion and exclusion: with N_0 = 1 and b_l = counts_l - from - (l - 1),
/// N_l = sum over j < l of (-1)^(l-1-j) C(b_(j+1), l - j) N_j. (The s_l = r_l - from - (l - 1) increase
/// weakly below b_l. N_(l-1) b_l lets the last of them be anything; where it is less than the one before,
/// two or more fall in a row at the end: the first of them is below its bound b_(j+1), which covers the
/// rest.)
fn ways(counts: &[usize], from: usize) -> BigUint {
    if counts.iter().all(|count| *count == counts[0]) {
        let all = counts.first().map_or(0, |count| count.saturating_sub(from));
        return binomial(all as u64, counts.len() as u64);
    }
    // N_0, N_1, ...; when N_j is complete, it is added to all that come after it.
    let mut found = vec![BigInt::zero(); counts.len() + 1];
    found[0] = BigInt::one();
    for (j, count) in counts.iter().enumerate() {
        let bound = count.saturating_sub(from + j) as u64;
        // C(bound, r) N_j with its sign, for r = l - j = 1, 2, ...
        let mut term = found[j].clone();
        for (r, later) in (1u64..).zip(&mut found[j + 1..]) {
            if r > bound {
                break;
            }
            term = term * (bound - r + 1) / r;
            if r % 2 == 1 { *later += &term } else { *later -= &term }
        }
    }
    found.pop().and_then(|last| last.to_biguint()).unwrap_or_default()
}

/// How many of the picks lie in which group of ranks, where counts or those before divide them: all ways, from
/// the first group on.
struct Groups {
    /// The end of each group.
    ends: Vec<usize>,
    /// For the first g groups and j picks: the ways that keep within counts.
    ways: Vec<Vec<BigUint>>,
}

impl Groups {
    /// Sequences keep within counts if below every end there are as many picks as counts end there or
    /// before.
    fn new(ends: &[usize], counts: &[usize]) -> Self {
        let k = counts.len();
        let mut ways = vec![vec![BigUint::zero(); k + 1]];
        ways[0][0] = BigUint::one();
        let mut start = 0;
        for (g, &end) in ends.iter().enumerate() {
            let subsets = binomials(end - start, k);
            let least = needed(counts, end);
            let all = |j: usize| -> BigUint {
                let last = ways[g][..=j].iter().rev();
                subsets.iter().zip(last).map(|(subsets, ways)| subsets * ways).sum()
            };
            let row = (0..=k).map(|j| if j < least { BigUint::zero() } else { all(j) }).collect();
            ways.push(row);
            start = end;
        }
        Self { ends: ends.to_vec(), ways }
    }
}

/// How many picks must lie below a rank.
fn needed(counts: &[usize], end: usize) -> usize {
    counts.partition_point(|&count| count <= end)
}

/// C(n, 0), ..., C(n, min(n, k)).
fn binomials(n: usize, k: usize) -> Vec<BigUint> {
    let mut row = vec![BigUint::one()];
    for t in 1..=n.min(k) {
        row.push(&row[t - 1] * (n - t + 1) / t);
    }
    row
}

/// A uniform one of those sequences, `from` being 0: how many picks there are in each group, from the last
/// one on, and then any of its ranks.
fn draw_beyond(counts: &[usize], before: Option<&[usize]>, words: &mut WordStream) -> Vec<usize> {
    let mut ends: Vec<usize> = counts.iter().chain(before.unwrap_or_default()).copied().collect();
    ends.sort_unstable();
    ends.dedup();
    let all = Groups::new(&ends, counts);
    let mut kept = before.map(|before| (Groups::new(&ends, before), before));
    let (mut ranks, mut left) = (Vec::with_capacity(counts.len()), counts.len());
    for g in (0..all.ends.len()).rev() {
        // Once too few picks are left below an end for the counts before, the others may be anything.
        kept = kept.filter(|(_, before)| left >= needed(before, all.ends[g]));
        let ways = |g: usize, j: usize| match &kept {
            Some((kept, _)) => &all.ways[g][j] - &kept.ways[g][j],
            None => all.ways[g][j].clone(),
        };
        let start = if g == 0 { 0 } else { all.ends[g - 1] };
        let size = all.ends[g] - start;
        let mut drawn = uniform_below(words, &ways(g + 1, left));
        let mut here = 0;
        for (t, subsets) in binomials(size, left).iter().enumerate() {
            here = t;
            let with_t = subsets * ways(g, left - t);
            if drawn < with_t {
                break;
            }
            drawn -= with_t;
        }
        left -= here;
        let subset = uniform_subset(words, size as u64, here as u64);
        ranks.extend(subset.into_iter().map(|rank| start + rank as usize));
    }
    ranks.sort_unstable();
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbors;
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;
    use crate::support::oracle::subsets;

    fn allowed(counts: &[usize], from: usize) -> Vec<Vec<usize>> {
        let d = counts.iter().copied().max().unwrap_or(0);
        let fits = |set: &Vec<usize>| {
            set.iter().zip(counts).all(|(rank, count)| rank < count && *rank >= from)
        };
        subsets(d, counts.len()).into_iter().filter(fits).collect()
    }

    #[test]
    fn increasing_sequences_are_counted() {
        for counts in [&[3usize, 3, 5, 8][..], &[1, 2, 3], &[4, 4, 4], &[2, 7], &[6]] {
            for from in 0..3 {
                let expected = allowed(counts, from).len();
                assert_eq!(ways(counts, from), BigUint::from(expected), "{counts:?} from {from}");
            }
        }
    }

    #[test]
    fn increasing_sequences_are_drawn_uniformly() {
        let cases: [(&[usize], Option<&[usize]>); 4] = [
            (&[4, 5, 8], None),
            (&[4, 5, 8], Some(&[1, 3, 5])),
            (&[2, 5, 5], Some(&[2, 4, 4])),
            (&[3, 3, 5, 7], Some(&[1, 2, 3, 7])),
        ];
        let mut words = Entropy::Seeded(2).source().unwrap().bits(0).lane(0);
        for (counts, before) in cases {
            let mut all = allowed(counts, 0);
            all.retain(|set| {
                before.is_none_or(|before| set.iter().zip(before).any(|(rank, most)| rank >= most))
            });
            assert_eq!(ways_beyond(counts, before, 0), BigUint::from(all.len()));
            let mut drawn = vec![0u64; all.len()];
            for _ in 0..20_000 {
                let ranks = draw_beyond(counts, before, &mut words);
                drawn[all.iter().position(|set| *set == ranks).unwrap()] += 1;
            }
            assert_fits(&drawn, &vec![1.0 / all.len() as f64; all.len()]);
        }
    }

    /// Every set is in one block, which counts it and has its loss by the definition; bounds hold.
    #[test]
    fn blocks_hold_all_sets_once() {
        for values in [vec![5i64, 3, 9, 1, 3, 0], vec![0, 0, 0, 0], vec![4, 4, 2, 2, 1], vec![7, 1]]
        {
            let d = values.len();
            let mut best = values.clone();
            best.sort_unstable_by_key(|value| std::cmp::Reverse(*value));
            let scores = Scores::new(values.clone(), 2, Neighbors::AddRemove).unwrap();
            for (k, eps) in (1..=d).flat_map(|k| ["1/3", "2", "40"].map(|eps| (k, eps))) {
                let epsilon = eps.parse().unwrap();
                let sets = Sets::new(&scores, k, &epsilon);
                let size = |block| sets.size(Address { lane: 0, position: block as u64 });
                let mut left: Vec<BigUint> = (0..=sets.shortfalls.last()).map(size).collect();
                for (block, size) in left.iter().enumerate() {
                    let mut counts = Vec::new();
                    sets.shortfalls.counts(block, &mut counts);
                    assert!(size.is_zero() || ln(size) <= most_sets(&counts) + 1e-9);
                }
                for set in subsets(d, k) {
                    let ranked = sets.shortfalls.best_first(&set);
                    let block = sets.shortfalls.block_of(&ranked);
                    left[block] -= 1u32;
                    let own = ranked.iter().map(|&i| values[i]);
                    let loss = best.iter().zip(own).map(|(best, own)| best - own).max().unwrap();
                    let z =
                        BigRational::from_integer(loss.into()) * joint_rate(&scores, k, &epsilon);
                    let address = Address { lane: 0, position: block as u64 };
                    assert_eq!(sets.handicap(address, &set), z);
                    let (least, most) = sets.shortfalls.bounds(block);
                    let z = near_f64(&z);
                    assert!(least * (1.0 - 1e-15) <= z && z <= most * (1.0 + 1e-15));
                }
                assert!(left.iter().all(Zero::is_zero), "{values:?}, k = {k}, eps = {eps}");
            }
        }
    }

    #[test]
    fn wide_tables_are_handled() {
        let values: Vec<i64> = (0..3000).map(|i| (i * 7919) % 4001).collect();
        let scores = Scores::new(values, 5, Neighbors::AddRemove).unwrap();
        let epsilon = "1".parse().unwrap();
        let bits = Entropy::Seeded(3).source().unwrap().bits(0);
        let picks = sealed::Draw::draw(&JointSet, &scores, 8, &epsilon, &bits);
        assert!(picks.is_sorted() && picks.len() == 8);
    }
}
