//! How many users two items have in common, for catalogs whose dense matrix is too large.
//!
//! The rows of X'X without its diagonal, 8 bytes for each pair of items that have users in common,
//! twice: at most 3.2 GB for 20,000 items.

use crate::recommend::Interactions;
use crate::recommend::bands::collect;

/// Counts of common users.
pub(super) struct Common {
    rows: Vec<Vec<(u32, u32)>>,
    /// The number of users of each item.
    users: Vec<u32>,
}

/// The number of items that a thread takes at a time.
const BAND: usize = 64;

impl Common {
    pub(super) fn of(training: &Interactions, threads: usize) -> Self {
        let users = training.by_item();
        let n = training.catalog();
        let rows = collect((0..n).step_by(BAND), threads, |start| {
            let mut counts = vec![0_u32; n];
            let row = |item: usize| row(training, item, users.of(item), &mut counts);
            (start..n.min(start + BAND)).map(row).collect::<Vec<_>>()
        });
        let rows = rows.into_iter().flatten().collect();
        Self { rows, users: (0..n).map(|item| users.of(item).len() as u32).collect() }
    }

    /// The number of items.
    pub(super) fn catalog(&self) -> usize {
        self.rows.len()
    }

    /// The number of users of an item.
    pub(super) fn users(&self, item: usize) -> u32 {
        self.users[item]
    }

    /// The other items that have users in common with an item, ascending, and how many.
    pub(super) fn row(&self, item: usize) -> &[(u32, u32)] {
        &self.rows[item]
    }

    /// The number of users that two different items have in common.
    pub(super) fn both(&self, item: usize, other: u32) -> u32 {
        let row = self.row(item);
        row.binary_search_by_key(&other, |entry| entry.0).map_or(0, |place| row[place].1)
    }
}

/// The row of an item; `counts` is zero before and after.
fn row(training: &Interactions, item: usize, users: &[u32], counts: &mut [u32]) -> Vec<(u32, u32)> {
    let mut seen = Vec::new();
    for user in users {
        for &other in training.of(*user as usize) {
            let count = &mut counts[other as usize];
            if *count == 0 {
                seen.push(other);
            }
            *count += 1;
        }
    }
    seen.sort_unstable();
    let entry = |other: u32| (other, std::mem::take(&mut counts[other as usize]));
    let entries: Vec<_> = seen.into_iter().map(entry).collect();
    entries.into_iter().filter(|(other, _)| *other as usize != item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::generated::{Shape, generate};

    #[test]
    fn counts_match_direct_counting() {
        let all = generate(Shape { users: 60, items: 150, mean: 8.0 }, 1);
        for threads in [1, 2] {
            let common = Common::of(&all, threads);
            assert_eq!(common.catalog(), 150);
            let has = |user: usize, item: u32| all.of(user).contains(&item);
            for a in 0..150 {
                let users = (0..60).filter(|user| has(*user, a)).count();
                assert_eq!(common.users(a as usize), users as u32);
                for b in (0..150).filter(|b| *b != a) {
                    let both = (0..60).filter(|user| has(*user, a) && has(*user, b)).count();
                    assert_eq!(common.both(a as usize, b), both as u32);
                }
                assert!(
                    common.row(a as usize).iter().all(|(other, both)| *other != a && *both > 0)
                );
            }
        }
    }
}
