#![doc = include_str!("joint_set.md")]

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::exact::{LnFactorials, binomial, near_f64};
use crate::mechanism::draw::sealed;
use crate::mechanism::joint::{Level, Ranked, Steps, joint_rate};
use crate::mechanism::{Card, Chooses, Mechanism, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{
    Address, Bits, Entrant, Filter, FirstArrival, Handicapped, Race, WordStream, uniform_below,
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
    page: include_str!("joint_set.md"),
    max_ratio: 1.0,
    slack: None,
    timing: Some(
        "counting takes time according to how the scores lie: least where many are equal or the best stand out",
    ),
    mutants: &["the one-sided constant"],
};

/// The bits that choose the set.
const MEMBER_LANE: u64 = 1 << 62;

impl Mechanism for JointSet {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// ln C(d, k) sets, at the rate of the joint loss.
    fn gap(&self, candidates: usize, k: usize, epsilon: &Epsilon) -> f64 {
        let ln = LnFactorials::up_to(candidates);
        let ln = ln.as_slice();
        let rate = if k == 1 { 2.0 } else { 4.0 };
        rate * (ln[candidates] - ln[k] - ln[candidates - k]) / near_f64(epsilon.as_rational())
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for JointSet {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let ranked = Ranked::new(scores.values());
        let levels = SetLevels { k, ranked, rate: joint_rate(scores, k, epsilon) };
        let winner = levels.race(bits, Filter::default());
        levels.draw_member(winner, &mut bits.lane(MEMBER_LANE))
    }
}

/// Loss levels and the number of sets in each.
struct SetLevels {
    k: usize,
    ranked: Ranked,
    rate: BigRational,
}

impl SetLevels {
    fn race(&self, bits: &Bits, filter: Filter) -> Level {
        let d = self.ranked.sorted.len();
        let ln_factorials = LnFactorials::up_to(d);
        // A logarithm of an exact count, and for the bounds sums of k logarithms.
        let error = 4.0 * self.k as f64 * ln_factorials.error();
        let mut race = Race::new(bits, FirstArrival::Exponential, filter, error);
        let mut lanes: Vec<WordStream> = (0..self.k).map(|place| bits.lane(place as u64)).collect();
        let near_rate = near_f64(&self.rate);
        let mut steps = Steps::new(&self.ranked, self.k);
        race.lane(self.k as u64);
        race.enter(Handicapped { ln_size: ln(&ways(&steps.counts, 0)), handicap: 0.0 });
        let mut groups = vec![0u64; self.k];
        while let Some((place, group, loss)) = steps.next() {
            let word = lanes[place].next_word();
            let address = Address { lane: place as u64, position: groups[place] };
            groups[place] += 1;
            let handicap = loss as f64 * near_rate;
            let grown = self.ranked.starts[group + 1];
            let most = most_sets(ln_factorials.as_slice(), &steps.counts, place, grown);
            if !race.cannot_win(word, Handicapped { ln_size: most, handicap }) {
                let size = self.step_size(&steps.counts, place, grown);
                if !size.is_zero() {
                    race.enter_at(address, word, Handicapped { ln_size: ln(&size), handicap });
                }
            }
            steps.grow(place, group);
        }
        // The zero level always enters, so somebody wins.
        race.winner(|address| self.entrant(self.ranked.level_at(self.k, address)))
            .map_or(Level::Zero, |address| self.ranked.level_at(self.k, address))
    }

    /// The sets whose member at `place` has a rank from its count to `grown`, all others below theirs.
    fn step_size(&self, counts: &[usize], place: usize, grown: usize) -> BigUint {
        let before = ways(&counts[..place], 0);
        let mut after = counts[place..].to_vec();
        after[0] = grown;
        before * ways(&after, counts[place])
    }

    fn entrant(&self, level: Level) -> Entrant {
        let counts = self.ranked.counts(self.k, level);
        let size = match level {
            Level::Zero => ways(&counts, 0),
            Level::At { place, group } => {
                self.step_size(&counts, place, self.ranked.starts[group + 1])
            }
        };
        let handicap = &self.rate * BigRational::from_integer(self.ranked.loss(level).into());
        Entrant { size, handicap }
    }

    /// A uniform set of a level: its ranks one after the other, each by exact counts of what can follow.
    fn draw_member(&self, level: Level, words: &mut WordStream) -> Vec<usize> {
        let mut counts = self.ranked.counts(self.k, level);
        let mut ranks = Vec::with_capacity(self.k);
        match level {
            Level::Zero => draw_ranks(&counts, 0, words, &mut ranks),
            Level::At { place, group } => {
                draw_ranks(&counts[..place], 0, words, &mut ranks);
                let from = counts[place];
                counts[place] = self.ranked.starts[group + 1];
                draw_ranks(&counts[place..], from, words, &mut ranks);
            }
        }
        let mut picks: Vec<usize> =
            ranks.into_iter().map(|rank| self.ranked.order[rank] as usize).collect();
        picks.sort_unstable();
        picks
    }
}

/// ln of a positive integer.
fn ln(size: &BigUint) -> f64 {
    let shift = size.bits().saturating_sub(64);
    let leading = (size >> shift).iter_u64_digits().next().unwrap_or(1);
    libm::log(leading as f64) + shift as f64 * std::f64::consts::LN_2
}

/// An upper bound of ln of a step's size: places before and after, each side the lesser of the sequences
/// and of all subsets of its largest count.
fn most_sets(ln: &[f64], counts: &[usize], place: usize, grown: usize) -> f64 {
    let bound = |counts: &[usize], largest: usize| {
        let m = counts.len().min(largest);
        let subsets = ln[largest] - ln[m] - ln[largest - m];
        let term = |(i, count): (usize, &usize)| libm::log(count.saturating_sub(i).max(1) as f64);
        counts.iter().enumerate().map(term).sum::<f64>().min(subsets.max(0.0))
    };
    let before = bound(&counts[..place], place.checked_sub(1).map_or(0, |last| counts[last]));
    let start = counts[place];
    let after: Vec<usize> = counts[place + 1..].iter().map(|count| count - start).collect();
    let after = bound(&after, after.last().copied().unwrap_or(0));
    before + libm::log((grown - start) as f64) + after
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

/// A uniform one of those sequences, added to `ranks`.
fn draw_ranks(counts: &[usize], from: usize, words: &mut WordStream, ranks: &mut Vec<usize>) {
    let mut least = from;
    for place in 0..counts.len() {
        let rest = &counts[place..];
        if rest.iter().all(|count| *count == rest[0]) {
            // Any subset will do.
            let drawn = uniform_subset(words, (rest[0] - least) as u64, rest.len() as u64);
            let first = ranks.len();
            ranks.extend(drawn.into_iter().map(|rank| least + rank as usize));
            ranks[first..].sort_unstable();
            return;
        }
        // The rank r up to which more than `drawn` sequences begin: those from `least` less those from r.
        let total = ways(rest, least);
        let drawn = uniform_below(words, &total);
        let begin_below = |rank: usize| &total - ways(rest, rank);
        let (mut low, mut high) = (least, counts[place] - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if begin_below(middle + 1) > drawn {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        ranks.push(low);
        least = low + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbours;
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
        let (counts, from) = ([4usize, 5, 8], 1);
        let all = allowed(&counts, from);
        let mut drawn = vec![0u64; all.len()];
        let mut words = Entropy::Seeded(2).source().unwrap().bits(0).lane(0);
        for _ in 0..20_000 {
            let mut ranks = Vec::new();
            draw_ranks(&counts, from, &mut words, &mut ranks);
            drawn[all.iter().position(|set| *set == ranks).unwrap()] += 1;
        }
        assert_fits(&drawn, &vec![1.0 / all.len() as f64; all.len()]);
    }

    /// Every set is in one level, with the loss of the definition; bounds hold.
    #[test]
    fn levels_count_all_sets() {
        for values in [vec![5i64, 3, 9, 1, 3, 0], vec![0, 0, 0, 0], vec![4, 4, 2, 2, 1], vec![7, 1]]
        {
            let d = values.len();
            let ln_factorials = LnFactorials::up_to(d);
            for k in 1..=d {
                let ranked = Ranked::new(&values);
                let levels = SetLevels { k, ranked, rate: BigRational::one() };
                let mut counted = std::collections::BTreeMap::new();
                let mut count = |loss: i64, size: BigUint| {
                    *counted.entry(loss).or_insert(BigUint::default()) += size;
                };
                count(0, levels.entrant(Level::Zero).size);
                let mut steps = Steps::new(&levels.ranked, k);
                while let Some((place, group, loss)) = steps.next() {
                    let grown = levels.ranked.starts[group + 1];
                    let size = levels.step_size(&steps.counts, place, grown);
                    assert_eq!(levels.entrant(Level::At { place, group }).size, size);
                    let most = most_sets(ln_factorials.as_slice(), &steps.counts, place, grown);
                    assert!(size.is_zero() || ln(&size) <= most + 1e-9);
                    count(loss, size);
                    steps.grow(place, group);
                }
                counted.retain(|_, size| !size.is_zero());
                let mut expected = std::collections::BTreeMap::new();
                let mut best = values.clone();
                best.sort_unstable_by_key(|value| std::cmp::Reverse(*value));
                for set in subsets(d, k) {
                    let mut own: Vec<i64> = set.iter().map(|&i| values[i]).collect();
                    own.sort_unstable_by_key(|value| std::cmp::Reverse(*value));
                    let loss = best.iter().zip(&own).map(|(best, own)| best - own).max().unwrap();
                    *expected.entry(loss).or_insert(BigUint::default()) += 1u32;
                }
                assert_eq!(counted, expected, "{values:?}, k = {k}");
            }
        }
    }

    #[test]
    fn wide_tables_are_handled() {
        let values: Vec<i64> = (0..3000).map(|i| (i * 7919) % 4001).collect();
        let scores = Scores::new(values, 5, Neighbours::AddRemove).unwrap();
        let epsilon = "1".parse().unwrap();
        let bits = Entropy::Seeded(3).source().unwrap().bits(0);
        let picks = sealed::Draw::draw(&JointSet, &scores, 8, &epsilon, &bits);
        assert!(picks.is_sorted() && picks.len() == 8);
    }
}
