//! Users and the items that they interacted with, as compressed sparse rows.
//!
//! A row holds the items of a user in ascending order, 4 bytes each: 20 million interactions take
//! 80 MB.

use sha2::{Digest, Sha256};

/// The least number of interactions of each user and each item in [`Interactions::core`]: that of
/// Spišák et al. (2023) for the users of MovieLens, here for items as well.
pub(crate) const LEAST: usize = 5;

/// The interactions of users with the items of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Interactions {
    /// Where the row of each user starts, and the end of the last one.
    starts: Vec<usize>,
    items: Vec<u32>,
    /// The number of items.
    catalog: usize,
}

impl Interactions {
    /// Collects pairs (user, item) with numbers below `users` and `catalog`. A pair that occurs
    /// several times counts once.
    pub(crate) fn of_pairs(mut pairs: Vec<(u32, u32)>, users: usize, catalog: usize) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut counts = vec![0; users];
        pairs.iter().for_each(|(user, _)| counts[*user as usize] += 1);
        let items = pairs.into_iter().map(|(_, item)| item).collect();
        Self { starts: starts_of(&counts), items, catalog }
    }

    /// The number of users.
    pub(crate) fn users(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of items.
    pub(crate) fn catalog(&self) -> usize {
        self.catalog
    }

    /// The number of interactions.
    pub(crate) fn count(&self) -> usize {
        self.items.len()
    }

    /// A fingerprint by SHA-256: equal for equal interactions.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        hash.update((self.catalog as u64).to_le_bytes());
        for user in 0..self.users() {
            hash.update((self.of(user).len() as u64).to_le_bytes());
            self.of(user).iter().for_each(|item| hash.update(item.to_le_bytes()));
        }
        hash.finalize()[..6].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The items of a user, ascending.
    pub(crate) fn of(&self, user: usize) -> &[u32] {
        &self.items[self.starts[user]..self.starts[user + 1]]
    }

    /// The same with users and items exchanged: the rows hold the users of each item.
    pub(crate) fn by_item(&self) -> Self {
        let mut places = starts_of(&self.item_counts(&vec![true; self.users()]));
        let starts = places.clone();
        let mut users = vec![0; self.items.len()];
        for user in 0..self.users() {
            for item in self.of(user) {
                let place = &mut places[*item as usize];
                users[*place] = user as u32;
                *place += 1;
            }
        }
        Self { starts, items: users, catalog: self.users() }
    }

    /// The interactions of some users, in the order given, with all items.
    pub(crate) fn of_users(&self, users: &[usize]) -> Self {
        let counts: Vec<usize> = users.iter().map(|user| self.of(*user).len()).collect();
        let items = users.iter().flat_map(|user| self.of(*user)).copied().collect();
        Self { starts: starts_of(&counts), items, catalog: self.catalog }
    }

    /// Drops users and items with fewer than `least` interactions, again and again until none is
    /// left: the largest subset in which each has that many. The rest keep their order.
    pub(crate) fn core(&self, least: usize) -> Self {
        let (mut users, mut items) = (vec![true; self.users()], vec![true; self.catalog]);
        loop {
            let counts = self.item_counts(&users);
            let mut dropped = false;
            let mut check = |kept: &mut bool, count: usize| {
                dropped |= *kept && count < least;
                *kept &= count >= least;
            };
            items.iter_mut().zip(counts).for_each(|(kept, count)| check(kept, count));
            for (user, kept) in users.iter_mut().enumerate() {
                check(kept, self.of(user).iter().filter(|item| items[**item as usize]).count());
            }
            if !dropped {
                return self.restricted(&users, &items);
            }
        }
    }

    fn restricted(&self, users: &[bool], items: &[bool]) -> Self {
        let mut catalog = 0;
        let number = |kept: &bool| {
            catalog += u32::from(*kept);
            kept.then(|| catalog - 1)
        };
        let numbers: Vec<Option<u32>> = items.iter().map(number).collect();
        let (mut starts, mut rest) = (vec![0], Vec::new());
        for user in (0..self.users()).filter(|user| users[*user]) {
            rest.extend(self.of(user).iter().filter_map(|item| numbers[*item as usize]));
            starts.push(rest.len());
        }
        Self { starts, items: rest, catalog: catalog as usize }
    }

    /// The number of users of each item, of the users that are kept.
    fn item_counts(&self, kept: &[bool]) -> Vec<usize> {
        let mut counts = vec![0; self.catalog];
        for user in (0..self.users()).filter(|user| kept[*user]) {
            self.of(user).iter().for_each(|item| counts[*item as usize] += 1);
        }
        counts
    }
}

/// Where rows of these lengths start, and the end of the last one.
fn starts_of(counts: &[usize]) -> Vec<usize> {
    let mut end = 0;
    let ends = counts.iter().map(|count| {
        end += count;
        end
    });
    std::iter::once(0).chain(ends).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_are_sorted_and_hold_a_pair_once() {
        let pairs = vec![(2, 1), (0, 3), (0, 1), (2, 1), (0, 3)];
        let all = Interactions::of_pairs(pairs, 4, 5);
        assert_eq!((all.users(), all.catalog(), all.count()), (4, 5, 3));
        assert_eq!([all.of(0), all.of(1), all.of(2), all.of(3)], [&[1, 3][..], &[], &[1], &[]]);
        let items = all.by_item();
        assert_eq!((items.users(), items.catalog()), (5, 4));
        assert_eq!([items.of(0), items.of(1), items.of(3)], [&[][..], &[0, 2], &[0]]);
        let some = all.of_users(&[2, 0]);
        assert_eq!(all.fingerprint(), all.by_item().by_item().fingerprint());
        assert_ne!(all.fingerprint(), all.of_users(&[1, 0, 2, 3]).fingerprint());
        assert_eq!((some.users(), some.of(0), some.of(1)), (2, &[1][..], &[1, 3][..]));
    }

    /// Drops one user or item at a time, which leads to the same core in any order.
    fn naive_core(mut pairs: BTreeSet<(u32, u32)>, least: usize) -> BTreeSet<(u32, u32)> {
        loop {
            let few = |of: &dyn Fn(&(u32, u32)) -> u32| {
                pairs
                    .iter()
                    .map(of)
                    .find(|id| pairs.iter().filter(|pair| of(pair) == *id).count() < least)
            };
            let (user, item) = (few(&|pair| pair.0), few(&|pair| pair.1));
            match (user, item) {
                (Some(user), _) => pairs.retain(|pair| pair.0 != user),
                (None, Some(item)) => pairs.retain(|pair| pair.1 != item),
                (None, None) => return pairs,
            }
        }
    }

    proptest! {
        #[test]
        fn the_core_matches_removal_one_at_a_time(
            pairs in prop::collection::btree_set((0u32..8, 0u32..8), 0..50),
            least in 0usize..5,
        ) {
            let core = Interactions::of_pairs(pairs.iter().copied().collect(), 8, 8).core(least);
            let naive = naive_core(pairs, least);
            // New numbers keep the order of the old ones; without a limit nothing is renumbered.
            let rank = |ids: BTreeSet<u32>| -> Vec<u32> {
                if least == 0 { (0..8).collect() } else { ids.into_iter().collect() }
            };
            let users = rank(naive.iter().map(|pair| pair.0).collect());
            let items = rank(naive.iter().map(|pair| pair.1).collect());
            prop_assert_eq!((core.users(), core.catalog()), (users.len(), items.len()));
            let old = (0..core.users())
                .flat_map(|user| core.of(user).iter().map(move |item| (user, *item as usize)));
            let old: BTreeSet<_> =
                old.map(|(user, item)| (users[user], items[item])).collect();
            prop_assert_eq!(old, naive);
        }
    }
}
