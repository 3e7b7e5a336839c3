//! Digests of parts, by which the same rows under two part numbers are found.
//!
//! The digest of a part is a hash of its sums. Equal rows have equal sums in any order of rows and
//! columns, so that a digest of sums finds all repeated rows that a digest of rows finds, and no
//! cell is read for it: it is computed once per part from numbers that the part contains anyway.
//!
//! Different rows may have equal sums, too. A part has a digest only if this is practically
//! impossible:
//!
//! - It has at least [`MIN_ROWS`] rows: single rows of coarse columns are often equal.
//! - Its sums have at least [`MIN_BITS`] bits of information. A sum of n independent values,
//!   counted in units of their grid, has its most frequent value with a probability of about
//!   1/sqrt(2 pi n); a sum s in units of the grid therefore counts as half of log2(1 + |s|) bits, a
//!   value once for all features, because columns may be copies of each other. Sums that a constant
//!   column has - zero and multiples of the number of rows or of the sums of the target - count as
//!   nothing.
//!
//! So empty parts, constant parts and parts of a few rows are never refused, and their repetition
//! is not found. If two parts of different rows do have equal sums, their rows can be summed as one
//! part.
//!
//! # Privacy
//!
//! A digest is a function of sums and is stored next to them in the same file, which is as
//! sensitive as the rows; it is not part of a released target, a record or a message. The refusal
//! depends on the data, as other errors of a merge do: it reveals that two parts are equal to the
//! operator who holds both files and could compare them. Nothing was released by then, and no
//! budget was spent. Masked partials have no digest: equal sums of two sites differ after masking,
//! and a digest in the file would reveal equal sums to everybody who reads the files.

use std::collections::HashSet;

use num_integer::gcd;
use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

use super::{Partial, Sums};
use crate::exact::GRID;

/// The number of rows from which a part has a digest.
const MIN_ROWS: u64 = 20;

/// The information in the sums from which a part has a digest, in bits.
const MIN_BITS: f64 = 44.0;

impl Partial {
    /// The digest of the rows; `None` if other rows may have equal sums.
    pub(super) fn digest(&self) -> Option<String> {
        if self.rows < MIN_ROWS || !self.is_informative() {
            return None;
        }
        // A sum of hashes does not depend on the order of columns.
        let all = |kind: u64, values: &[i64]| {
            let hash = |value: &i64| xxh3_128_with_seed(&value.to_le_bytes(), kind);
            values.iter().map(hash).fold(0, u128::wrapping_add)
        };
        let sums = match &self.sums {
            Sums::Ranks(counts) => {
                let hash = |(bin, count): &(usize, u64)| {
                    xxh3_128_with_seed(&count.to_le_bytes(), *bin as u64)
                };
                counts.iter().map(hash).fold(0, u128::wrapping_add)
            }
            Sums::Targets(raw) | Sums::Features(raw) => {
                all(1, &raw.features).wrapping_add(all(2, &raw.rows))
            }
            Sums::Columns(_) => return None,
        };
        let bytes = [sums.to_le_bytes().as_slice(), &self.rows.to_le_bytes()].concat();
        Some(format!("{:032x}", xxh3_128(&bytes)))
    }

    /// Whether other rows with equal sums are practically impossible.
    fn is_informative(&self) -> bool {
        let bits = |sum: u64| (1.0 + sum as f64).log2() / 2.0;
        match &self.sums {
            // The bins are disjoint: each count is information of its own.
            Sums::Ranks(counts) => {
                let of =
                    |&(_, count): &(usize, u64)| if count < self.rows { bits(count) } else { 0.0 };
                counts.iter().map(of).sum::<f64>() >= MIN_BITS
            }
            Sums::Targets(raw) | Sums::Features(raw) => {
                // Products of two values at the ends of the grid are multiples of this.
                let unit = 2 * i64::from(GRID) * i64::from(GRID);
                let total: i64 = raw.rows.iter().fold(0, |sum, row| sum.saturating_add(*row));
                let constant: Vec<u64> = [self.rows, total.unsigned_abs() / (2 * GRID as u64)]
                    .into_iter()
                    .chain(raw.rows.iter().map(|row| row.unsigned_abs()))
                    .chain(raw.rows.windows(2).map(|two| two[0].abs_diff(two[1]) / 2))
                    .filter(|divisor| *divisor >= MIN_ROWS)
                    .collect();
                let (mut seen, mut sum) = (HashSet::new(), 0.0);
                // Sums by bins are stored feature by feature, others kind by kind.
                let d = self.facts.features().max(1);
                let kind = |place: usize| match self.facts.on_bins() {
                    true => place % (raw.features.len() / d).max(1),
                    false => place / d,
                };
                for (place, value) in raw.features.iter().enumerate() {
                    let value = value.unsigned_abs();
                    if constant.iter().any(|divisor| value % divisor == 0) {
                        continue;
                    }
                    let reduced = value / gcd(value, unit.unsigned_abs()).max(1);
                    if seen.insert((kind(place), reduced)) {
                        sum += bits(reduced);
                    }
                    if sum >= MIN_BITS {
                        return true;
                    }
                }
                false
            }
            Sums::Columns(_) => false,
        }
    }
}
