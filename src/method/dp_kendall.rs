#![doc = include_str!("dp_kendall.md")]

use std::sync::Arc;

use num_bigint::BigInt;

use crate::error::{Error, Result};
use crate::mechanism::{ExponentialMechanism, choose};
use crate::privacy::Epsilon;
use crate::random::RandomnessSource;
use crate::score::Scores;

/// The maximum number of picks; within it scores cannot overflow.
pub(crate) const MAX_PICKS: usize = 1000;

/// Round m uses the draw with number `FIRST_DRAW + m`.
const FIRST_DRAW: u64 = 1 << 32;

/// The picks in order, from the scores s(j, y) in `target`; `shared` returns s(j, p) of all
/// features j for a pick p.
pub(crate) fn dp_kendall(
    target: Scores,
    shared: impl Fn(usize) -> Result<Arc<[i64]>>,
    k: usize,
    epsilon: &Epsilon,
    randomness: &RandomnessSource,
) -> Result<Vec<usize>> {
    if k == 0 || k > MAX_PICKS.min(target.values().len()) {
        return Err(Error::request(format!(
            "k must lie between 1 and the number of features, at most {MAX_PICKS}"
        )));
    }
    let share = Epsilon::part(epsilon.as_rational() / BigInt::from(k));
    let mut rounds = Rounds::new(target);
    for round in 0..k {
        let (left, scores) = rounds.scores()?;
        let bits = randomness.bits(FIRST_DRAW + round as u64);
        let place = choose(&ExponentialMechanism, &scores, 1, &share, &bits)?[0];
        let picked = left[place];
        if round + 1 < k {
            rounds.pick(picked, &shared(picked)?);
        } else {
            rounds.picked.push(picked);
        }
    }
    Ok(rounds.picked)
}

/// The state from which the scores of a round are computed.
struct Rounds {
    /// s(j, y), with the sensitivity D.
    target: Scores,
    /// The sum of s(j, p) over the picks.
    shared: Vec<i64>,
    picked: Vec<usize>,
}

impl Rounds {
    fn new(target: Scores) -> Self {
        let shared = vec![0; target.values().len()];
        Self { target, shared, picked: Vec::new() }
    }

    /// The remaining features, and m u_m of each.
    fn scores(&self) -> Result<(Vec<usize>, Scores)> {
        let m = self.picked.len();
        let weight = m.max(1) as i64;
        let sensitivity = self.target.sensitivity() * (2 * m as u64).max(1);
        let features = 0..self.shared.len();
        let left: Vec<usize> = features.filter(|feature| !self.picked.contains(feature)).collect();
        let value =
            |&feature: &usize| weight * self.target.values()[feature] - self.shared[feature];
        let values = left.iter().map(value).collect();
        Ok((left, Scores::new(values, sensitivity, self.target.neighbors())?))
    }

    fn pick(&mut self, feature: usize, shared: &[i64]) {
        self.picked.push(feature);
        for (sum, value) in self.shared.iter_mut().zip(shared) {
            *sum += value;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::privacy::Neighbors;
    use crate::random::Entropy;
    use crate::score::{KENDALL_GRID, kendall_scores, kendall_with};
    use crate::support::goodness::assert_fits;
    use crate::table::{HeldColumns, Hooks};

    type Row = ([Option<i8>; 3], i8);

    fn held(table: &[Row]) -> (HeldColumns, Vec<f64>) {
        let x: Vec<_> =
            table.iter().map(|(x, _)| x.map(|v| v.map_or(f64::NAN, f64::from))).collect();
        (HeldColumns::of_rows(3, &x), table.iter().map(|(_, y)| f64::from(*y)).collect())
    }

    /// floor(G |C - D|/(n - 1)), over all pairs.
    fn s(table: &[Row], a: impl Fn(&Row) -> Option<i8>, b: impl Fn(&Row) -> Option<i8>) -> i64 {
        let mut excess = 0i64;
        for (i, one) in table.iter().enumerate() {
            for other in &table[..i] {
                if let (Some(a1), Some(a2), Some(b1), Some(b2)) =
                    (a(one), a(other), b(one), b(other))
                {
                    excess += i64::from((a1 - a2).signum() * (b1 - b2).signum());
                }
            }
        }
        KENDALL_GRID * excess.abs() / (table.len() as i64 - 1).max(1)
    }

    /// Variants of the method, correct and broken.
    #[derive(Clone, Copy, PartialEq)]
    enum Variant {
        Right,
        /// Covers only one side of a difference.
        OneSided,
        /// Ignores the sensitivity of the redundancy term.
        FirstSensitivityOnly,
        /// Spends all of epsilon in each round.
        NotDivided,
    }

    /// The law of the picks from the definition: softmax in each round.
    fn law(
        table: &[Row],
        k: usize,
        eps: f64,
        replace: bool,
        variant: Variant,
    ) -> BTreeMap<Vec<usize>, f64> {
        let d1 = if replace { 2.0 } else { 1.5 } * KENDALL_GRID as f64 + 1.0;
        let mut law = BTreeMap::from([(Vec::new(), 1.0)]);
        for m in 0..k {
            let mut next = BTreeMap::new();
            for (picked, probability) in law {
                let left: Vec<usize> = (0..3).filter(|j| !picked.contains(j)).collect();
                let u = |j: usize| {
                    let target = s(table, |r| r.0[j], |r| Some(r.1));
                    let shared: i64 =
                        picked.iter().map(|&p| s(table, |r| r.0[j], |r| r.0[p])).sum();
                    m.max(1) as i64 * target - shared
                };
                let sensitivity = match (m, variant) {
                    (0, _) => d1,
                    (m, Variant::FirstSensitivityOnly) => m as f64 * d1,
                    (m, _) => 2.0 * m as f64 * d1,
                };
                let sides = if variant == Variant::OneSided { 1.0 } else { 2.0 };
                let share = if variant == Variant::NotDivided { eps } else { eps / k as f64 };
                let weight = |j: &usize| (share / (sides * sensitivity) * u(*j) as f64).exp();
                let total: f64 = left.iter().map(weight).sum();
                for j in left {
                    let sequence = [picked.clone(), vec![j]].concat();
                    next.insert(sequence, probability * weight(&j) / total);
                }
            }
            law = next;
        }
        law
    }

    fn tables(rows: &[Row], most: usize) -> Vec<Vec<Row>> {
        let mut tables = vec![vec![]];
        let mut next = 0;
        while next < tables.len() {
            let table: Vec<Row> = tables[next].clone();
            next += 1;
            for &row in rows {
                let more = [table.clone(), vec![row]].concat();
                if more.len() <= most && more.is_sorted() {
                    tables.push(more);
                }
            }
        }
        tables
    }

    fn worst(eps: f64, k: usize, variant: Variant) -> f64 {
        let rows: Vec<Row> = (0..16)
            .map(|i: i8| {
                let bit = |at: i8| Some(i >> at & 1);
                let first = if i == 5 { None } else { bit(0) };
                ([first, bit(1), bit(2)], i >> 3)
            })
            .collect();
        let mut worst = 0f64;
        for table in tables(&rows, 3).iter().filter(|table| !table.is_empty()) {
            let laws = [false, true].map(|replace| law(table, k, eps, replace, variant));
            for &row in &rows {
                let added = [table.clone(), vec![row]].concat();
                let replaced = [&table[1..], &[row]].concat();
                let others =
                    [law(&added, k, eps, false, variant), law(&replaced, k, eps, true, variant)];
                for (law, other) in laws.iter().zip(&others) {
                    for (picks, p) in law {
                        worst = worst.max((p / other[picks]).ln().abs() / eps);
                    }
                }
            }
        }
        worst
    }

    /// About 30,000 pairs of neighboring tables per setting, with missing values and ties.
    #[test]
    fn no_outcome_tells_neighbors_apart_by_more_than_epsilon() {
        for k in [1, 2, 3] {
            let worst = worst(1.0, k, Variant::Right);
            assert!(worst <= 1.0 + 1e-12, "{k}: {worst}");
        }
    }

    /// Nine rows, and one more that changes all scores as much as possible: features 0 and 1 are
    /// equal, feature 2 is the target, uncorrelated with 0 and 1 (18 of 36 pairs are discordant);
    /// the new row reverses 0 against 1, and 2 against the target.
    fn extreme() -> (Vec<Row>, Row) {
        let target = [2, 8, 3, 6, 5, 0, 1, 4, 7];
        let row = |(x, y): (i8, &i8)| ([Some(x), Some(x), Some(*y)], *y);
        let table: Vec<Row> = (0..9).zip(&target).map(row).collect();
        assert_eq!(s(&table, |r| r.0[0], |r| Some(r.1)), 0);
        (table, ([Some(100), Some(-100), Some(100)], -100))
    }

    /// The largest privacy loss of any outcome at the extreme pair, as a share of epsilon.
    fn extreme_loss(k: usize, variant: Variant) -> f64 {
        let eps = 6.0 * k as f64;
        let (table, row) = extreme();
        let added = [table.clone(), vec![row]].concat();
        let before = law(&table, k, eps, false, variant);
        let after = law(&added, k, eps, false, variant);
        let losses = before.iter().map(|(picks, p)| (p / after[picks]).ln().abs() / eps);
        losses.fold(0.0, f64::max)
    }

    #[test]
    fn the_extreme_pair_comes_near_epsilon_and_rejects_broken_variants() {
        for (k, least) in [(1, 0.8), (2, 0.8)] {
            let loss = extreme_loss(k, Variant::Right);
            assert!((least..=1.0).contains(&loss), "{loss}");
        }
        for (k, variant) in [
            (1, Variant::OneSided),
            (2, Variant::OneSided),
            (2, Variant::FirstSensitivityOnly),
            (2, Variant::NotDivided),
        ] {
            let loss = extreme_loss(k, variant);
            assert!(loss > 1.1, "{loss}");
        }
    }

    #[test]
    fn each_round_has_the_scores_of_the_definition() {
        let mut state = 1u32;
        let mut next = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) % bound) as i8
        };
        for n in [1, 2, 3, 7, 12] {
            let cell = |v: i8| Some(v).filter(|v| *v < 3);
            let table: Vec<Row> =
                (0..n).map(|_| ([cell(next(4)), cell(next(4)), cell(next(4))], next(3))).collect();
            let (rows, targets) = held(&table);
            let scores = kendall_scores(
                &rows,
                &targets,
                None,
                0,
                Neighbors::AddRemove,
                2,
                &Hooks::default(),
            )
            .unwrap();
            let mut rounds = Rounds::new(scores);
            let mut picked: Vec<usize> = Vec::new();
            for m in 0..3i64 {
                let (left, scores) = rounds.scores().unwrap();
                for (&j, &value) in left.iter().zip(scores.values()) {
                    let target = s(&table, |r| r.0[j], |r| Some(r.1));
                    let shared: i64 =
                        picked.iter().map(|&p| s(&table, |r| r.0[j], |r| r.0[p])).sum();
                    assert_eq!(value, m.max(1) * target - shared);
                }
                let expected = (3 * KENDALL_GRID / 2 + 1) * (2 * m).max(1);
                assert_eq!(scores.sensitivity(), expected.unsigned_abs());
                let pick = left[left.len() / 2];
                let shared = kendall_with(&rows, pick, 1, &Hooks::default()).unwrap();
                rounds.pick(pick, &shared);
                picked.push(pick);
            }
        }
    }

    #[test]
    fn draws_follow_the_law() {
        let table: Vec<Row> =
            [(0, 0, 1, 0), (1, 1, 0, 1), (2, 1, 1, 2), (0, 2, 0, 1), (1, 0, 2, 2)]
                .map(|(a, b, c, y)| ([Some(a), Some(b), Some(c)], y))
                .into();
        let (rows, targets) = held(&table);
        let law = law(&table, 2, 6.0, false, Variant::Right);
        let outcomes: Vec<&Vec<usize>> = law.keys().collect();
        let mut counts = vec![0u64; outcomes.len()];
        let epsilon = "6".parse().unwrap();
        let target =
            kendall_scores(&rows, &targets, None, 0, Neighbors::AddRemove, 1, &Hooks::default())
                .unwrap();
        let shared = |pick| kendall_with(&rows, pick, 1, &Hooks::default()).map(Arc::from);
        for seed in 0..20_000 {
            let randomness = Entropy::Seeded(seed).source().unwrap();
            let picks = dp_kendall(target.clone(), shared, 2, &epsilon, &randomness).unwrap();
            counts[outcomes.iter().position(|outcome| **outcome == picks).unwrap()] += 1;
        }
        let expected: Vec<f64> = law.values().copied().collect();
        assert_fits(&counts, &expected);
    }
}
