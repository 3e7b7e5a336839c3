//! The scores of items for held-out users, and the sensitivity of each item's score.
//!
//! The users are split at random: the model is fitted to the training users, whose interactions
//! count as public; a private selection protects the interactions of held-out users. An item's
//! score x B_j is clipped to its 5% and 95% quantiles over all held-out users, and the difference
//! of the two is its sensitivity: the most that a clipped score can change with its user's
//! interactions. (The quantiles themselves come from the held-out users; a release would need
//! public ones. The paper does the same.) The candidates of a user are the best items by clipped
//! score, ties by number, that the user has not interacted with; that this depends on the user is
//! not accounted for, in the paper either.
//!
//! Cost: the items are taken [`WIDTH`] at a time, so memory holds a score for each user and item of
//! a block, and the candidates, for any size of the catalog.
//!
//! Source: "Private Selection with Heterogeneous Sensitivities", section VIII.

use dpsis_eval::internals::typical_range;
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::recommend::Interactions;
use crate::recommend::bands::{collect, each};
use crate::recommend::weights::Weights;

/// The most users that are held out.
pub(crate) const HELD_OUT: usize = 10_000;
/// The number of candidates of a user.
pub(crate) const CANDIDATES: usize = 500;

/// The number of items that are scored at a time.
const WIDTH: usize = 256;
/// The number of users that a thread takes at a time.
const BAND: usize = 64;

/// Splits the users at random into training users and held-out users: a fifth, at most
/// [`HELD_OUT`]. Both come in random order.
pub(crate) fn split(all: &Interactions, seed: u64) -> [Interactions; 2] {
    let mut users: Vec<usize> = (0..all.users()).collect();
    users.shuffle(&mut ChaCha20Rng::seed_from_u64(seed));
    let training = users.split_off((users.len() / 5).min(HELD_OUT));
    [all.of_users(&training), all.of_users(&users)]
}

/// The candidates of a user, in the order of their numbers, with their clipped scores.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Candidates {
    pub(crate) items: Vec<u32>,
    pub(crate) scores: Vec<f64>,
}

/// The candidates of each held-out user, and the sensitivity of each item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scored {
    pub(crate) users: Vec<Candidates>,
    /// 0 for an item with the same score for all.
    pub(crate) sensitivities: Vec<f64>,
}

impl Scored {
    /// The sensitivities of a user's candidates.
    pub(crate) fn sensitivities_of(&self, user: usize) -> Vec<f64> {
        self.users[user].items.iter().map(|item| self.sensitivities[*item as usize]).collect()
    }
}

/// Scores all items for held-out users and keeps the `most` best ones of each user.
pub(crate) fn scored(
    weights: &Weights,
    held_out: &Interactions,
    most: usize,
    threads: usize,
) -> Scored {
    let n = held_out.catalog();
    let mut best = vec![Best::default(); held_out.users()];
    let mut sensitivities = Vec::with_capacity(n);
    for start in (0..n).step_by(WIDTH) {
        let items = start..n.min(start + WIDTH);
        let scores = scores(weights.columns(items.clone()).view(), held_out, threads);
        let limits = collect(0..items.len(), threads, |j| typical_range(scores.column(j).to_vec()));
        let bands = best.chunks_mut(BAND).enumerate();
        each(bands, threads, |(place, band)| {
            for (i, best) in band.iter_mut().enumerate() {
                let user = place * BAND + i;
                let row = scores.row(user);
                for ((item, score), [low, high]) in items.clone().zip(row).zip(&limits) {
                    best.offer(score.max(*low).min(*high), item as u32, held_out.of(user), most);
                }
            }
        });
        sensitivities.extend(limits.iter().map(|[low, high]| high - low));
    }
    Scored { users: best.into_iter().map(|best| best.candidates(most)).collect(), sensitivities }
}

/// The scores of some items for all users, users by items.
fn scores(columns: ArrayView2<'_, f64>, users: &Interactions, threads: usize) -> Array2<f64> {
    let mut scores = Array2::zeros((users.users(), columns.ncols()));
    let bands = scores.axis_chunks_iter_mut(Axis(0), BAND).enumerate();
    each(bands, threads, |(place, mut band)| {
        for (i, mut row) in band.rows_mut().into_iter().enumerate() {
            let items = users.of(place * BAND + i);
            items.iter().for_each(|item| row += &columns.row(*item as usize));
        }
    });
    scores
}

/// The best candidates so far, with some that are no longer among them.
#[derive(Clone, Default)]
struct Best {
    found: Vec<(f64, u32)>,
    /// The least score of the best ones when there were last sorted out: later items need more.
    least: Option<f64>,
}

impl Best {
    /// Adds an item unless the user has interacted with it. Items are offered in ascending order.
    fn offer(&mut self, score: f64, item: u32, own: &[u32], most: usize) {
        if self.least.is_some_and(|least| score <= least) || own.binary_search(&item).is_ok() {
            return;
        }
        self.found.push((score, item));
        if self.found.len() >= 2 * most + WIDTH {
            self.sort_out(most);
        }
    }

    fn sort_out(&mut self, most: usize) {
        if self.found.len() > most {
            let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
            self.found.select_nth_unstable_by(most, order);
            self.found.truncate(most);
            self.least = self.found.iter().map(|(score, _)| *score).min_by(f64::total_cmp);
        }
    }

    fn candidates(mut self, most: usize) -> Candidates {
        self.sort_out(most);
        self.found.sort_unstable_by_key(|(_, item)| *item);
        let (scores, items) = self.found.into_iter().unzip();
        Candidates { items, scores }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::ease::ease;
    use crate::recommend::generated::{Shape, generate};
    use crate::recommend::sparse::sparse;

    #[test]
    fn every_user_is_either_held_out_or_not() {
        let pairs = (0..103).map(|user| (user, user)).collect();
        let all = Interactions::of_pairs(pairs, 103, 103);
        let [training, held_out] = split(&all, 7);
        assert_eq!((training.users(), held_out.users()), (83, 20));
        let items = |of: &Interactions| (0..of.users()).map(|u| of.of(u)[0]).collect::<Vec<_>>();
        let (training, held_out) = (items(&training), items(&held_out));
        let mut together = [training, held_out.clone()].concat();
        together.sort_unstable();
        assert!(together.into_iter().eq(0..103));
        assert_eq!(items(&split(&all, 7)[1]), held_out);
        assert_ne!(items(&split(&all, 8)[1]), held_out);
    }

    fn dense(set: &Interactions) -> Array2<f64> {
        let mut x = Array2::zeros((set.users(), set.catalog()));
        (0..set.users()).for_each(|u| set.of(u).iter().for_each(|i| x[(u, *i as usize)] = 1.0));
        x
    }

    /// All scores at once and full sorts.
    fn naive(b: &Array2<f64>, held_out: &Interactions, most: usize) -> Scored {
        let mut scores = dense(held_out).dot(b);
        let mut sensitivities = Vec::new();
        for mut column in scores.columns_mut() {
            let mut sorted = column.to_vec();
            sorted.sort_by(f64::total_cmp);
            let [low, high] = [0.05, 0.95].map(|share| {
                let place = share * (sorted.len() - 1) as f64;
                let (below, above) =
                    (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
                below * (1.0 - place.fract()) + above * place.fract()
            });
            sensitivities.push(high - low);
            column.mapv_inplace(|score| score.max(low).min(high));
        }
        let user = |user: usize| {
            let mut items: Vec<u32> = (0..held_out.catalog() as u32).collect();
            items.retain(|item| !held_out.of(user).contains(item));
            items.sort_by(|a, b| {
                scores[(user, *b as usize)].total_cmp(&scores[(user, *a as usize)])
            });
            items.truncate(most);
            items.sort_unstable();
            let scores = items.iter().map(|item| scores[(user, *item as usize)]).collect();
            Candidates { items, scores }
        };
        Scored { users: (0..held_out.users()).map(user).collect(), sensitivities }
    }

    #[test]
    fn blocks_of_items_change_nothing() {
        let all = generate(Shape { users: 400, items: 2 * WIDTH + 70, mean: 9.0 }, 1);
        let [training, held_out] = split(&all, 1);
        let b = ease(&training, 5.0, 1).unwrap();
        let exact = Weights::Exact(b.clone());
        for most in [3, 40, 2000] {
            let (found, naive) = (scored(&exact, &held_out, most, 2), naive(&b, &held_out, most));
            assert_eq!(found, scored(&exact, &held_out, most, 1));
            let close = |a: &[f64], b: &[f64]| {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
            };
            assert!(close(&found.sensitivities, &naive.sensitivities));
            for (user, (found, naive)) in found.users.iter().zip(&naive.users).enumerate() {
                assert_eq!(found.items, naive.items, "{user}");
                assert!(close(&found.scores, &naive.scores));
            }
        }
    }

    #[test]
    fn sparse_columns_are_scored_as_dense_ones() {
        let set = generate(Shape { users: 150, items: 80, mean: 9.0 }, 2);
        let exact = scored(&Weights::Exact(ease(&set, 5.0, 1).unwrap()), &set, 40, 1);
        let found = scored(&Weights::Sparse(sparse(&set, 5.0, 79, 1).unwrap()), &set, 40, 1);
        for (a, b) in found.sensitivities.iter().zip(&exact.sensitivities) {
            assert!((a - b).abs() < 1e-10);
        }
        assert!(found.users.iter().zip(&exact.users).all(|(a, b)| a.items == b.items));
    }

    /// A user's score cannot leave the quantiles, and an item without interactions has the same
    /// score for all users.
    #[test]
    fn scores_stay_within_their_sensitivity() {
        let mut pairs: Vec<(u32, u32)> = (0..60).map(|user| (user, user % 5)).collect();
        pairs.extend((0..60).map(|user| (user, (user * 7 + user / 9) % 5)));
        let all = Interactions::of_pairs(pairs, 60, 6);
        let weights = Weights::Exact(ease(&all, 1.0, 1).unwrap());
        let found = scored(&weights, &all, 6, 1);
        assert_eq!(found.sensitivities[5], 0.0);
        for item in 0..6 {
            let of = |user: &Candidates| {
                let place = user.items.iter().position(|other| *other == item)?;
                Some(user.scores[place])
            };
            let scores: Vec<f64> = found.users.iter().filter_map(of).collect();
            let low = scores.iter().copied().fold(f64::INFINITY, f64::min);
            let high = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert!(high - low <= found.sensitivities[item as usize] + 1e-15);
        }
        let own = found.sensitivities_of(0);
        assert_eq!(own.len(), found.users[0].items.len());
    }
}
