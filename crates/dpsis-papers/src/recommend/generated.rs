//! Generated interactions with a skewed popularity and groups of taste.
//!
//! The item of rank r = 1, 2, ... has the weight 1/(r + 10) (a Zipf-Mandelbrot law). Ranks are
//! dealt at random to [`GROUPS`] groups of items. A user has a favorite group, and takes each next
//! item from it with probability [`LOYALTY`], otherwise from all items, by weight, until there are
//! as many different ones as the user's number of interactions: [`LEAST`] and an exponential
//! number. The numbers of items are theirs by rank, so item 0 is the most popular one.

use rand::Rng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, Exp1};

use crate::recommend::Interactions;
use crate::recommend::interactions::LEAST;

/// The number of groups of taste.
pub(crate) const GROUPS: usize = 8;
/// The probability that an item is taken from the user's favorite group.
pub(crate) const LOYALTY: f64 = 0.6;

/// The size of a generated set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) users: usize,
    /// The number of items, at least 1.
    pub(crate) items: usize,
    /// The mean number of interactions of a user, at least [`LEAST`]; less where there are few
    /// items.
    pub(crate) mean: f64,
}

/// Draws interactions.
pub(crate) fn generate(shape: Shape, seed: u64) -> Interactions {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let group: Vec<usize> = (0..shape.items).map(|_| rng.gen_range(0..GROUPS)).collect();
    let all = Weighted::of(0..shape.items);
    let groups: Vec<Weighted> = (0..GROUPS)
        .map(|g| Weighted::of((0..shape.items).filter(|item| group[*item] == g)))
        .collect();
    let mut pairs = Vec::new();
    let mut taken = vec![usize::MAX; shape.items];
    for user in 0..shape.users {
        let favorite = &groups[rng.gen_range(0..GROUPS)];
        let extra: f64 = Exp1.sample(&mut rng);
        let count = LEAST + (extra * (shape.mean - LEAST as f64)).round().max(0.0) as usize;
        let mut left = count.min(shape.items / 2);
        while left > 0 {
            let loyal = rng.gen_bool(LOYALTY) && !favorite.items.is_empty();
            let item = if loyal { favorite } else { &all }.draw(&mut rng);
            // An item that the user has is drawn again.
            if std::mem::replace(&mut taken[item], user) != user {
                pairs.push((user as u32, item as u32));
                left -= 1;
            }
        }
    }
    Interactions::of_pairs(pairs, shape.users, shape.items)
}

/// Items with the sums of their weights up to each.
struct Weighted {
    items: Vec<usize>,
    sums: Vec<f64>,
}

impl Weighted {
    fn of(items: impl Iterator<Item = usize>) -> Self {
        let items: Vec<usize> = items.collect();
        let mut sum = 0.0;
        let weight = |item: &usize| {
            sum += 1.0 / (*item as f64 + 11.0);
            sum
        };
        let sums = items.iter().map(weight).collect();
        Self { items, sums }
    }

    /// Draws an item; there must be one.
    fn draw(&self, rng: &mut ChaCha20Rng) -> usize {
        let last = self.items.len() - 1;
        let place = rng.r#gen::<f64>() * self.sums[last];
        self.items[self.sums.partition_point(|sum| *sum <= place).min(last)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { users: 2000, items: 200, mean: 15.0 };

    #[test]
    fn a_seed_gives_one_set_of_the_requested_size() {
        let set = generate(SHAPE, 1);
        assert_eq!(set, generate(SHAPE, 1));
        assert_ne!(set, generate(SHAPE, 2));
        assert_eq!((set.users(), set.catalog()), (2000, 200));
        assert!((0..2000).all(|user| set.of(user).len() >= LEAST));
        // A user's number of items minus 5 has mean and standard deviation 10; five standard
        // errors.
        let mean = set.count() as f64 / 2000.0;
        assert!((mean - 15.0).abs() < 5.0 * 10.0 / 2000_f64.sqrt(), "{mean}");
        // Few items leave room for half of them.
        let few = generate(Shape { users: 50, items: 3, mean: 15.0 }, 1);
        assert!((0..50).all(|user| few.of(user).len() == 1));
    }

    /// Few items are popular, and pairs of items of one group share more users than by chance.
    #[test]
    fn popularity_is_skewed_and_tastes_differ() {
        let set = generate(SHAPE, 3);
        let items = set.by_item();
        let popularity = |range: std::ops::Range<usize>| -> usize {
            range.map(|item| items.of(item).len()).sum()
        };
        assert!(popularity(0..20) > 3 * popularity(180..200));
        let n = set.users() as f64;
        let mut lift = Vec::new();
        for a in 100..200 {
            for b in 100..a {
                let both = items.of(a).iter().filter(|user| items.of(b).contains(user)).count();
                let chance = items.of(a).len() as f64 * items.of(b).len() as f64 / n;
                lift.push(both as f64 / chance);
            }
        }
        lift.sort_by(f64::total_cmp);
        // One pair in eight belongs to one group.
        let (half, top) = (lift[lift.len() / 2], lift[lift.len() * 15 / 16]);
        assert!(top > 1.5 * half, "{half} {top}");
    }
}
