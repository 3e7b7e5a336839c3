//! The blocks of sets against brute force, and the privacy of their law.

use super::*;
use crate::exact::{Enclosure, parse_rational};
use crate::mechanism::canonical::law::{law, law_by_ranks};
use crate::privacy::{Neighbors, Purpose};
use crate::random::Entropy;
use crate::support::effort::exhaustive;
use crate::support::goodness::assert_fits;
use crate::support::laws::flips;
use crate::support::neighbors::Grid;
use crate::support::oracle;

fn bits(seed: u64) -> Bits {
    Entropy::Seeded(seed).source().unwrap().bits(Purpose::Selection.draw())
}

fn scores(values: &[i64], sensitivity: u64) -> Scores {
    Scores::new(values.to_vec(), sensitivity, Neighbors::AddRemove).unwrap()
}

/// Scores, the number of picks, gamma and epsilon.
struct Case {
    scores: Scores,
    k: usize,
    gamma: BigRational,
    epsilon: Epsilon,
}

fn case(values: &[i64], sensitivity: u64, k: usize, gamma: &str, eps: &str) -> Case {
    let gamma = parse_rational(gamma).unwrap();
    Case { scores: scores(values, sensitivity), k, gamma, epsilon: eps.parse().unwrap() }
}

impl Case {
    fn sets(&self) -> CanonicalSets<'_> {
        CanonicalSets::new(&self.gamma, &self.scores, self.k, &self.epsilon)
    }
}

/// Every block with all its members.
fn all_blocks(sets: &CanonicalSets<'_>) -> Vec<(Address, Vec<SetInBlock>)> {
    let top = Address { lane: sets.k as u64, position: 0 };
    let of_heads = (0..if sets.steps.is_empty() { 0 } else { sets.k }).flat_map(|head| {
        (0..=sets.last[head]).map(move |n| Address { lane: head as u64, position: n as u64 })
    });
    let members = |address: Address| {
        let Some(block) = sets.block(address) else { return vec![SetInBlock::default()] };
        let (n, r) = (block.until - block.head - 1, sets.k - block.head);
        let inside = block.until - block.before;
        let all = oracle::subsets(n, r).into_iter().filter(|subset| subset[0] < inside);
        let ordinals = all.map(|subset| subset.iter().map(|&i| i as u64).collect::<Vec<_>>());
        ordinals.map(|drawn| sets.member(&drawn, &block)).collect()
    };
    std::iter::once(top).chain(of_heads).map(|address| (address, members(address))).collect()
}

/// The exact law of the code: its own blocks and handicaps, raced as in view 2.
fn law_of_code(case: &Case, all: &[Vec<usize>]) -> Vec<f64> {
    let sets = case.sets();
    let mut excess = vec![f64::NAN; all.len()];
    for (address, members) in all_blocks(&sets) {
        for member in members {
            let picks = sets.picks(address, &member);
            let place = all.iter().position(|set| *set == picks).unwrap();
            assert!(excess[place].is_nan(), "two blocks hold a set");
            excess[place] = near_f64(&sets.handicap(address, &member));
        }
    }
    oracle::permute_and_flip(&excess)
}

/// Every set is in exactly one block, which counts it, has its exact loss, and bounds it.
#[test]
fn blocks_hold_all_sets_once() {
    let tables: [&[i64]; 6] = [
        &[0, 0, 0, 0, 0, 0],
        &[9, 7, 5, 3, 1],
        &[4, 4, 2, 2, 2, 1, 0],
        &[100, 90, 5, 4, 3, 2, 1],
        &[3, 1, 3, 3, 1, 3, 2],
        &[1000, -1000, 500, -37, 2],
    ];
    for values in tables {
        for k in 1..=values.len() {
            for (gamma, eps) in
                [("1/2", "1"), ("1", "20"), ("0", "1"), ("3/4", "1/5"), ("1/9", "80")]
            {
                let case = case(values, 2, k, gamma, eps);
                let sets = case.sets();
                let mut all = oracle::subsets(values.len(), k);
                for (address, members) in all_blocks(&sets) {
                    assert_eq!(BigUint::from(members.len()), sets.size(address));
                    for member in members {
                        let picks = sets.picks(address, &member);
                        all.remove(all.iter().position(|set| *set == picks).expect("once"));
                        let excess = sets.handicap(address, &member);
                        assert_eq!(excess, excess_of(values, &picks, &case));
                        let Some(SetBlock { head, least, most, .. }) = sets.block(address) else {
                            continue;
                        };
                        let in_head = &sets.head_rate
                            * BigRational::from_integer(
                                (sets.score(head) - sets.score(k - 1)).into(),
                            );
                        let whole = |units: u64| BigRational::from_integer(units.into());
                        assert!(&in_head + &sets.tail_rate * whole(least) <= excess);
                        if let Some(most) = most {
                            assert!(in_head + &sets.tail_rate * whole(most) >= excess);
                        }
                    }
                }
                assert!(all.is_empty(), "{values:?}, k = {k}, gamma = {gamma}: {all:?}");
            }
        }
    }
}

/// eps/(2 Delta) times the loss of a set less the loss of the best, from the definition.
fn excess_of(values: &[i64], set: &[usize], case: &Case) -> BigRational {
    let whole = |value: i64| BigRational::from_integer(value.into());
    let mut ranked: Vec<usize> = (0..values.len()).collect();
    ranked.sort_by_key(|&i| (std::cmp::Reverse(values[i]), i));
    // The best it holds before it misses one (at most k - 1), and the rank of its worst.
    let head = ranked.iter().take_while(|i| set.contains(i)).count().min(set.len() - 1);
    let tail = ranked.iter().rposition(|i| set.contains(i)).unwrap() + 1;
    let loss = |next: usize, worst: usize| {
        (BigRational::one() - &case.gamma) * whole(values[ranked[next]])
            - &case.gamma * whole(values[ranked[worst]])
    };
    let excess = loss(head, tail - 1) - loss(case.k - 1, case.k - 1);
    excess * case.epsilon.as_rational() / whole(2 * case.scores.sensitivity() as i64)
}

/// The sizes of large blocks are within their error bound.
#[test]
fn sizes_of_blocks_keep_their_error() {
    for (before, n, r) in [
        (10, 12, 3),
        (3, 12, 3),
        (2, 12, 3),
        (5_000, 5_001, 40),
        (5_000, 100_000, 7),
        (2, 1_000, 5),
    ] {
        let size = binomial(n as u64, r as u64) - binomial(before as u64, r as u64);
        let truth = Enclosure::ln_dyadic(&size, 0, 160);
        let error = 4.0 * ln_factorial_error(n) + (r + 8) as f64 * 2f64.powi(-52);
        assert!(truth.distance_from(ln_binomial(n, r) + ln_share(before, n, r)) <= error);
    }
}

/// Both ways of drawing, against the uniform law.
#[test]
fn subsets_with_some_below_are_uniform() {
    let mut words = bits(5).lane(0);
    for (few, n, r) in [(1u64, 6u64, 2u64), (1, 6, 3), (2, 7, 3), (5, 6, 3), (3, 5, 5)] {
        let mut all = oracle::subsets(n as usize, r as usize);
        all.retain(|subset| (subset[0] as u64) < few);
        let mut counts = vec![0u64; all.len()];
        for _ in 0..100_000 {
            let drawn = subset_with_some_below(&mut words, few, n, r);
            let is_it =
                |subset: &Vec<usize>| subset.iter().map(|&i| i as u64).eq(drawn.iter().copied());
            counts[all.iter().position(is_it).unwrap()] += 1;
        }
        if all.len() > 1 {
            assert_fits(&counts, &vec![1.0 / all.len() as f64; all.len()]);
        }
    }
}

/// Grids are in half units of the sensitivity.
const SENSITIVITY: i64 = 2;

fn in_units(x: &[i64]) -> Vec<f64> {
    x.iter().map(|&v| v as f64 / SENSITIVITY as f64).collect()
}

/// At least 262,144 neighboring pairs for each setting: never above epsilon. Epsilon is reached at
/// the ends of gamma; between them z moves by at most eps/2 (1 + |2 gamma - 1|), and the rest of
/// the budget is used only where many sets compete, which tables this small do not have.
#[test]
fn privacy_by_enumeration() {
    let settings = [
        (Grid::new(3, 24, SENSITIVITY), 1, "1", "2", 0.99),
        (Grid::new(3, 24, SENSITIVITY), 2, "1", "2", 0.99),
        (Grid::new(3, 24, SENSITIVITY), 2, "0", "2", 0.99),
        (Grid::new(4, 8, SENSITIVITY), 2, "0", "1", 0.8),
        (Grid::new(4, 8, SENSITIVITY), 2, "1", "1", 0.9),
        (Grid::new(4, 8, SENSITIVITY), 2, "1/2", "1", 0.5),
        (Grid::new(4, 8, SENSITIVITY), 3, "1/2", "1/5", 0.5),
        (Grid::new(4, 8, SENSITIVITY), 3, "3/4", "4", 0.5),
        (Grid::new(5, 5, SENSITIVITY), 2, "1/4", "2", 0.5),
        (Grid::new(5, 5, SENSITIVITY), 3, "1/2", "2", 0.5),
        (Grid::new(6, 3, SENSITIVITY), 3, "3/4", "1", 0.5),
    ];
    for (grid, k, gamma, eps, reached) in settings {
        let sets = oracle::subsets(grid.d, k);
        let eps_f64 = near_f64(eps.parse::<Epsilon>().unwrap().as_rational());
        let gamma_f64 = near_f64(&parse_rational(gamma).unwrap());
        let enumeration = grid.enumerate(|x| {
            let of_code = law_of_code(&case(x, SENSITIVITY as u64, k, gamma, eps), &sets);
            for truth in [law, law_by_ranks] {
                let truth = truth(&in_units(x), k, gamma_f64, eps_f64, flips);
                assert!(oracle::max_log_ratio(&of_code, &truth) < 1e-12);
            }
            of_code
        });
        let name = format!("d = {}, k = {k}, gamma = {gamma}, eps = {eps}", grid.d);
        let used = enumeration.max_log_ratio / eps_f64;
        assert!(enumeration.pairs >= 262_144, "{name}: {}", enumeration.pairs);
        assert!(used <= 1.0 + 1e-12, "{name}: {used}");
        assert!(used >= reached, "{name}: {used}");
    }
}

/// Settling a comparison by the quick filter or by refinement gives the same winner.
#[test]
fn forced_fallback_gives_the_same_winner() {
    let settings: [(&[i64], usize, i32); 3] =
        [(&[5, 3, 9, 1, 4], 2, 3), (&[1, 1, 1, 1], 2, 2), (&[9, 3, 3, 0, 7, 1, 2, 2], 3, 5)];
    for (values, k, filter_bits) in settings {
        let case = case(values, 2, k, "1/2", "1");
        let sets = case.sets();
        // A tenth of the seeds; all of them in `.ci/full`.
        for seed in 0..if exhaustive() { 4_000 } else { 400 } {
            for law in [FirstArrival::Uniform, FirstArrival::Exponential] {
                let quick = sets.race(&bits(seed), law, Filter::default());
                let refined = sets.race(&bits(seed), law, Filter::weakened(filter_bits));
                assert_eq!(quick, refined, "seed {seed}");
            }
        }
    }
}

/// Many candidates and huge blocks: the same again, where ln C(d, k) carries its error.
#[test]
fn forced_fallback_on_a_wide_table() {
    let values: Vec<i64> = (0..3000).map(|i| (i * 7919) % 101).collect();
    let case = case(&values, 3, 12, "1/2", "2");
    let sets = case.sets();
    for seed in 0..20 {
        let bits = bits(seed);
        let quick = sets.race(&bits, FirstArrival::Uniform, Filter::default());
        let refined = sets.race(&bits, FirstArrival::Uniform, Filter::weakened(10));
        assert_eq!(quick, refined, "seed {seed}");
    }
}

/// Extreme scores and budgets stay finite and exact.
#[test]
fn extremes_are_handled() {
    let largest = (1i64 << 62) - 1;
    for eps in ["1e-6", "1e6"] {
        for gamma in ["0", "1/2", "1"] {
            let case = case(&[largest, -largest, 0, 1, largest - 1], 1, 2, gamma, eps);
            let sets = case.sets();
            for seed in 0..100 {
                let bits = bits(seed);
                let winner = sets.race(&bits, FirstArrival::Uniform, Filter::default());
                assert_eq!(winner, sets.race(&bits, FirstArrival::Uniform, Filter::weakened(1)));
            }
        }
    }
}
