#![doc = include_str!("two_stage.md")]

use crate::error::{Error, Parameter, Result};
use crate::random::{Bits, uniform_u64};

/// The maximum number of blocks.
pub(crate) const MAX_BLOCKS: u64 = 1 << 20;

/// The number of blocks for a noisy count of rows.
pub(crate) fn blocks_for(rows: u64) -> u64 {
    let root = (rows.max(1) as f64).sqrt().round() as u64;
    root.clamp(1, MAX_BLOCKS)
}

/// The block of each row, drawn uniformly and independently.
pub(crate) fn draw_blocks(rows: usize, blocks: u64, bits: &Bits) -> Vec<u64> {
    let mut words = bits.lane(0);
    (0..rows).map(|_| uniform_u64(&mut words, blocks)).collect()
}

/// Checks that a penalty is valid for the LASSO.
///
/// # Errors
///
/// `Request` unless it is positive and finite.
pub(crate) fn check_penalty(penalty: f64) -> Result<()> {
    if !(penalty > 0.0 && penalty.is_finite()) {
        let error = Error::request("the penalty must be a positive number");
        return Err(error.about([Parameter::Penalty]));
    }
    Ok(())
}

#[cfg(test)]
#[cfg(feature = "methods")]
mod tests {
    use std::collections::BTreeMap;

    use ndarray::{Array1, Array2, Axis};

    use super::*;
    use crate::method::{Lasso, ballots, votes};
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;

    /// Three features and a target.
    type Row = [i8; 4];

    fn all_rows() -> Vec<Row> {
        let values = [-1, 1];
        let mut rows = Vec::new();
        for a in values {
            for b in values {
                for c in [-1, 0, 1] {
                    rows.extend(values.map(|y| [a, b, c, y]));
                }
            }
        }
        rows
    }

    struct Ballots(BTreeMap<Vec<Row>, Vec<usize>>);

    impl Ballots {
        /// The ballot of one block, as the code computes it.
        fn of(&mut self, rows: &[Row]) -> Vec<usize> {
            if rows.is_empty() {
                return Vec::new();
            }
            let cast = || {
                let x = Array2::from_shape_fn((rows.len(), 3), |(i, j)| f64::from(rows[i][j]));
                let y: Array1<f64> = rows.iter().map(|row| f64::from(row[3])).collect();
                let lasso = Lasso::new(0.1).unwrap();
                let block = vec![0; rows.len()];
                ballots(x.view(), y.view(), &block, &lasso, 2, 1, &|| false).concat()
            };
            self.0.entry(rows.to_vec()).or_insert_with(cast).clone()
        }

        /// The law of the picks: peeling over the votes of two blocks, averaged over all
        /// assignments of rows to blocks.
        fn law(&mut self, table: &[Row], k: usize, eps: f64) -> BTreeMap<Vec<usize>, f64> {
            let mut law = BTreeMap::new();
            let draws = 1u32 << table.len();
            for draw in 0..draws {
                let of = |side: u32| -> Vec<Row> {
                    let rows = table.iter().enumerate();
                    rows.filter(|(i, _)| draw >> i & 1 == side).map(|(_, row)| *row).collect()
                };
                let ballots = [self.of(&of(0)), self.of(&of(1))];
                let votes = votes(&ballots, 3, k);
                peel(&votes, k, eps / (2.0 * k as f64), 1.0 / f64::from(draws), vec![], &mut law);
            }
            law
        }
    }

    fn peel(
        votes: &[i64],
        k: usize,
        rate: f64,
        probability: f64,
        picked: Vec<usize>,
        law: &mut BTreeMap<Vec<usize>, f64>,
    ) {
        if picked.len() == k {
            *law.entry(picked).or_default() += probability;
            return;
        }
        let left = || (0..votes.len()).filter(|j| !picked.contains(j));
        let total: f64 = left().map(|j| (rate * votes[j] as f64).exp()).sum();
        for j in left() {
            let p = probability * (rate * votes[j] as f64).exp() / total;
            peel(votes, k, rate, p, [picked.clone(), vec![j]].concat(), law);
        }
    }

    fn worst(k: usize) -> f64 {
        let rows = all_rows();
        let mut ballots = Ballots(BTreeMap::new());
        let mut worst = 0f64;
        let mut tables = vec![vec![]];
        for &a in &rows {
            tables.push(vec![a]);
            tables.extend(rows.iter().filter(|b| **b >= a).map(|&b| vec![a, b]));
        }
        for table in &tables {
            let law = ballots.law(table, k, 1.0);
            for &row in &rows {
                // Sorted, because the fit of a block depends on the order of its rows.
                let mut added = [table.clone(), vec![row]].concat();
                added.sort_unstable();
                let other = ballots.law(&added, k, 1.0);
                for (picks, p) in &law {
                    worst = worst.max((p / other[picks]).ln().abs());
                }
            }
        }
        worst
    }

    /// All tables of up to two rows, with every additional row: 7,800 pairs per setting.
    #[test]
    fn no_outcome_tells_neighbors_apart_by_more_than_epsilon() {
        for k in [1, 2] {
            let worst = worst(k);
            assert!(worst <= 1.0 + 1e-12, "{k}: {worst}");
        }
    }

    /// With one block, a row that changes the block's vote to two other features. Found by a search
    /// with another solver (scikit-learn's), with values in halves.
    #[test]
    fn the_monotonic_constant_is_rejected() {
        let rows = [[-2, 1, -1, 2], [-2, 1, 1, -1], [-2, -1, -1, 2], [1, -1, 0, -1]];
        let x = Array2::from_shape_fn((4, 4), |(i, j)| f64::from(rows[i][j]) / 2.0);
        let y = Array1::from(vec![1.0, -0.5, 0.0, 1.0]);
        let lasso = Lasso::new(0.1).unwrap();
        let votes_of = |n: usize| {
            let (x, _) = x.view().split_at(Axis(0), n);
            let (y, _) = y.view().split_at(Axis(0), n);
            votes(&ballots(x, y, &vec![0; n], &lasso, 2, 1, &|| false), 4, 2)
        };
        let (before, after) = (votes_of(3), votes_of(4));
        assert_eq!((&before[..], &after[..]), (&[0, 1, 0, 1][..], &[1, 0, 1, 0][..]));
        let loss = |sides: f64| {
            let (k, eps) = (2, 2.0);
            let law = |votes: &[i64]| {
                let mut law = BTreeMap::new();
                peel(votes, k, eps / (sides * k as f64), 1.0, vec![], &mut law);
                law
            };
            let (before, after) = (law(&before), law(&after));
            let losses = before.iter().map(|(picks, p)| (p / after[picks]).ln().abs() / eps);
            losses.fold(0.0, f64::max)
        };
        assert!(loss(2.0) <= 1.0 && loss(1.0) > 1.1);
    }

    /// For fixed assignments votes change by at most 1, and not all in one direction.
    #[test]
    fn an_added_row_moves_votes_both_ways() {
        let rows = all_rows();
        let mut ballots = Ballots(BTreeMap::new());
        let (mut up, mut down) = (false, false);
        for &a in &rows {
            for &b in &rows {
                let before = votes(&[ballots.of(&[a])], 3, 2);
                let after = votes(&[ballots.of(&[a, b])], 3, 2);
                for &c in &rows {
                    let more = votes(&[ballots.of(&[a, b, c])], 3, 2);
                    for (x, y) in after.iter().zip(&more) {
                        assert!(x.abs_diff(*y) <= 1);
                        (up, down) = (up | (y > x), down | (y < x));
                    }
                }
                assert!(before.iter().all(|votes| *votes == 0), "one row explains nothing");
            }
        }
        assert!(up && down);
    }

    #[test]
    fn blocks_are_uniform_and_independent() {
        let mut counts = [0u64; 9];
        for seed in 0..3000 {
            let bits = Entropy::Seeded(seed).source().unwrap().bits(4);
            let blocks = draw_blocks(8, 3, &bits);
            assert_eq!(blocks[..5], draw_blocks(5, 3, &bits)[..]);
            blocks.chunks(2).for_each(|pair| counts[(3 * pair[0] + pair[1]) as usize] += 1);
        }
        assert_fits(&counts, &[1.0 / 9.0; 9]);
    }

    #[test]
    fn blocks_come_from_the_count_of_rows() {
        let counts = [0, 1, 2, 100, 110, 111, u64::MAX];
        assert_eq!(counts.map(blocks_for), [1, 1, 1, 10, 10, 11, MAX_BLOCKS]);
    }

    /// Removing any row leaves the ballots of all other blocks unchanged, and changes that of its
    /// own block often enough for the test to be meaningful.
    #[test]
    fn a_block_votes_by_its_own_rows_alone() {
        let mut words = Entropy::Seeded(9).source().unwrap().bits(0).lane(0);
        let mut next = |bound: u64| uniform_u64(&mut words, bound);
        let lasso = Lasso::new(0.05).unwrap();
        let mut changed = 0;
        for case in 0..400 {
            let (n, d, blocks) = (2 + next(40) as usize, 1 + next(12) as usize, 1 + next(5));
            let x = Array2::from_shape_simple_fn((n, d), || next(65_535) as f64 / 32_767.0 - 1.0);
            let y: Array1<f64> = (0..n).map(|_| next(3) as f64 - 1.0).collect();
            let block: Vec<u64> = (0..n).map(|_| next(blocks)).collect();
            let out = next(n as u64) as usize;
            let kept: Vec<usize> = (0..n).filter(|row| *row != out).collect();
            // Ballots are in the order of the nonempty blocks.
            let by_block = |rows: &[usize]| -> BTreeMap<u64, Vec<usize>> {
                let of: Vec<u64> = rows.iter().map(|row| block[*row]).collect();
                let (x, y) = (x.select(Axis(0), rows), y.select(Axis(0), rows));
                let mut present = of.clone();
                present.sort_unstable();
                present.dedup();
                let threads = 1 + case % 3;
                present
                    .into_iter()
                    .zip(ballots(x.view(), y.view(), &of, &lasso, 3, threads, &|| false))
                    .collect()
            };
            let mut all = by_block(&(0..n).collect::<Vec<_>>());
            let mut without = by_block(&kept);
            changed += usize::from(all.remove(&block[out]) != without.remove(&block[out]));
            assert_eq!(all, without);
        }
        assert!(changed > 100, "{changed}");
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        let x = Array2::from_shape_fn((60, 8), |(i, j)| ((i * (j + 3) * 31) % 17) as f64 / 17.0);
        let y = x.column(3).to_owned();
        let block: Vec<u64> = (0..60).map(|i| i * i % 7).collect();
        let lasso = Lasso::new(0.01).unwrap();
        let of = |threads| ballots(x.view(), y.view(), &block, &lasso, 3, threads, &|| false);
        assert_eq!(of(1), of(3));
        let votes = votes(&of(1), 8, 1);
        assert_eq!(votes[3], 4, "i^2 mod 7 takes four values; each block finds the target");
    }
}
