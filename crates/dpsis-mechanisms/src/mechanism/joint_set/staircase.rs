//! Increasing sequences below a staircase of counts: their number, and a uniform one.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use crate::exact::binomial;
use crate::random::{WordStream, uniform_below, uniform_subset};

/// The number of increasing sequences from `from` that keep within `counts` but not within
/// `before`.
pub(super) fn ways_beyond(counts: &[usize], before: Option<&[usize]>, from: usize) -> BigUint {
    ways(counts, from) - before.map_or(BigUint::zero(), |before| ways(before, from))
}

/// The number of increasing sequences r_1 < r_2 < ... with `from` <= r_l < counts_l.
///
/// By inclusion and exclusion: with N_0 = 1 and b_l = counts_l - from - (l - 1), N_l = sum over j <
/// l of (-1)^(l-1-j) C(b_(j+1), l - j) N_j. (The s_l = r_l - from - (l - 1) increase weakly below
/// b_l. N_(l-1) b_l lets the last of them be anything; where it is less than the one before, two or
/// more fall in a row at the end: the first of them is below its bound b_(j+1), which covers the
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

/// Groups of ranks, divided where a count ends, and the number of ways in which picks can lie in
/// them, from the first group on.
struct Groups {
    /// The end of each group.
    ends: Vec<usize>,
    /// For the first g groups and j picks: the ways that keep within counts.
    ways: Vec<Vec<BigUint>>,
}

impl Groups {
    /// Sequences keep within counts if below every end there are as many picks as counts end there
    /// or before.
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

/// The number of picks that must lie below a rank.
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

/// A uniform one of the sequences that [`ways_beyond`] counts, `from` being 0: the number of picks
/// in each group, from the last group on, then uniform ranks within it.
pub(super) fn draw_beyond(
    counts: &[usize],
    before: Option<&[usize]>,
    words: &mut WordStream,
) -> Vec<usize> {
    let mut ends: Vec<usize> = counts.iter().chain(before.unwrap_or_default()).copied().collect();
    ends.sort_unstable();
    ends.dedup();
    let all = Groups::new(&ends, counts);
    let mut kept = before.map(|before| (Groups::new(&ends, before), before));
    let (mut ranks, mut left) = (Vec::with_capacity(counts.len()), counts.len());
    for g in (0..all.ends.len()).rev() {
        // Once too few picks are left below an end for the counts before, the others may be
        // anything.
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
}
