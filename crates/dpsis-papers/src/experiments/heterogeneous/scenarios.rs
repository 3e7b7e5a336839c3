//! The scenarios of the paper. Where the text of the paper has lost a formula, the reading is
//! given.

use dpsis_eval::internals::seed_of;
use rand::Rng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use crate::experiments::heterogeneous::candidates::{CANDIDATES, Candidates};

/// The relation of scores and sensitivities in a scenario of two levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Positive,
    Negative,
    None,
}

/// Scenarios 1 to 3: scores of 1 and -1, sensitivities of 1.8 and 1. `high` candidates have the
/// score 1. Positive: they have the large sensitivity; negative: the small one; none: every second
/// candidate of either level has the large one.
pub(super) fn bimodal(relation: Relation, high: usize) -> Candidates {
    let is_high = |candidate: usize| candidate < high;
    let is_sensitive = |candidate: usize| match relation {
        Relation::Positive => is_high(candidate),
        Relation::Negative => !is_high(candidate),
        Relation::None if is_high(candidate) => candidate.is_multiple_of(2),
        Relation::None => (candidate - high).is_multiple_of(2),
    };
    let two = |yes: bool, then: f64, otherwise: f64| if yes { then } else { otherwise };
    Candidates::constant(
        (0..CANDIDATES).map(|candidate| two(is_high(candidate), 1.0, -1.0)).collect(),
        (0..CANDIDATES).map(|candidate| two(is_sensitive(candidate), 1.8, 1.0)).collect(),
    )
}

fn normal(rng: &mut ChaCha20Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// A generator for the values that are drawn once per scenario.
fn once(seed: u64, name: &str) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed_of(seed, &["heterogeneous", "laws", name], 0))
}

/// Candidates with normal scores of these means and standard deviations.
fn gaussian(draws: (u64, u64), name: &str, laws: &[(f64, f64)]) -> Candidates {
    Candidates::drawn(draws, name, |_, rng| {
        laws.iter().map(|(mean, deviation)| mean + deviation * normal(rng)).collect()
    })
}

/// The place of a candidate between 0 and 1.
fn share(candidate: usize) -> f64 {
    (candidate + 1) as f64 / CANDIDATES as f64
}

/// Scenario 4, read as: standard deviations are draws from U(0, 1) in increasing order, and
/// candidate a has scores N(a/10, sd_a).
pub(super) fn fourth((seed, trials): (u64, u64)) -> Candidates {
    let mut rng = once(seed, "4");
    let mut deviations: Vec<f64> = (0..CANDIDATES).map(|_| rng.gen_range(0.0..1.0)).collect();
    deviations.sort_unstable_by(f64::total_cmp);
    let laws: Vec<_> =
        deviations.iter().enumerate().map(|(a, sd)| (10.0 * share(a), *sd)).collect();
    gaussian((seed, trials), "4", &laws)
}

/// Scenario 5, read as: candidate a has scores N(a/10, 1 - a/101).
pub(super) fn fifth(draws: (u64, u64)) -> Candidates {
    let law = |a: usize| (10.0 * share(a), 1.0 - (a + 1) as f64 / (CANDIDATES + 1) as f64);
    gaussian(draws, "5", &(0..CANDIDATES).map(law).collect::<Vec<_>>())
}

/// Scenario 6, read as: candidate a has scores N(mu_a, sd_a), mu_a a draw from U(0, 10) and sd_a
/// one from U(0, 1).
pub(super) fn sixth((seed, trials): (u64, u64)) -> Candidates {
    let mut rng = once(seed, "6");
    let law = |_| (rng.gen_range(0.0..10.0), rng.gen_range(0.0..1.0));
    let laws: Vec<(f64, f64)> = (0..CANDIDATES).map(law).collect();
    gaussian((seed, trials), "6", &laws)
}

/// A scenario of the series with increasing correlation, read as: u_a and v_a are draws from U(0,
/// 1), and candidate a has scores N(10 u_a, sd_a), where sd_a mixes u_a (for a negative `weight`
/// 1 - u_a) and v_a in the shares |weight| and 1 - |weight|.
pub(super) fn rising(weight: f64, (seed, trials): (u64, u64)) -> Candidates {
    let name = format!("rising {weight}");
    let mut rng = once(seed, &name);
    let laws: Vec<(f64, f64)> = (0..CANDIDATES)
        .map(|_| {
            let (u, v): (f64, f64) = (rng.gen_range(0.0..1.0), rng.gen_range(0.0..1.0));
            let related = if weight < 0.0 { 1.0 - u } else { u };
            (10.0 * u, weight.abs() * related + (1.0 - weight.abs()) * v)
        })
        .collect();
    gaussian((seed, trials), &name, &laws)
}

/// Scenarios 7 and 8, read as: every second trial is a user of group 0, with scores a/10 plus
/// noise, the others are of group 1, with scores -a/10 plus noise; noise is N(0, `deviation`). The
/// spread between the groups, and with it the sensitivity, grows with a: it is correlated
/// positively with the scores of group 0 and negatively with the scores of group 1.
pub(super) fn polarized(name: &str, deviation: f64, draws: (u64, u64)) -> Candidates {
    Candidates::drawn(draws, name, |trial, rng| {
        let sign = if trial % 2 == 0 { 10.0 } else { -10.0 };
        (0..CANDIDATES).map(|a| sign * share(a) + deviation * normal(rng)).collect()
    })
}

/// The two scenarios of figure 6, which the text describes without numbers, read as: scores a/100;
/// sensitivities that rise with them from 0.1 to 1, except that
/// - in the first one, the best candidate has the sensitivity 0.1 (the best has a low one, those
///   next to it high ones);
/// - in the second one, the ten worst candidates have the sensitivity 1 (some of the worst have a
///   high one).
pub(super) fn exceptional(second: bool) -> Candidates {
    let scores: Vec<f64> = (0..CANDIDATES).map(share).collect();
    let own = |(a, score): (usize, &f64)| match (second, a) {
        (false, 99) => 0.1,
        (true, ..10) => 1.0,
        _ => 0.1 + 0.9 * score,
    };
    let sensitivities = scores.iter().enumerate().map(own).collect();
    Candidates::constant(scores, sensitivities)
}

#[cfg(test)]
mod tests {
    use dpsis::mechanism::correlations;

    use super::*;

    /// The mean over trials of Spearman's correlation of scores and sensitivities.
    fn spearman(candidates: &Candidates, trials: impl Iterator<Item = u64>) -> f64 {
        let all: Vec<f64> = trials
            .map(|trial| {
                let contest = candidates.contest(trial).unwrap();
                correlations(contest.scores()).spearman
            })
            .collect();
        all.iter().sum::<f64>() / all.len() as f64
    }

    #[test]
    fn scenarios_have_the_correlations_that_the_paper_describes() {
        let of = |candidates: Candidates| spearman(&candidates, 0..20);
        assert_eq!(of(bimodal(Relation::Positive, 50)), 1.0);
        assert_eq!(of(bimodal(Relation::Negative, 50)), -1.0);
        assert_eq!(of(bimodal(Relation::None, 50)), 0.0);
        let draws = (1, 400);
        assert!(of(fourth(draws)) > 0.9);
        assert!(of(fifth(draws)) < -0.9);
        assert!(of(sixth(draws)).abs() < 0.3);
        let series = [-1.0, -0.5, 0.0, 0.5, 1.0].map(|weight| of(rising(weight, draws)));
        assert!(series.is_sorted(), "{series:?}");
        assert!(series[0] < -0.9 && series[4] > 0.9);
    }

    #[test]
    fn the_two_groups_of_users_have_opposite_correlations() {
        for (deviation, least, most) in [(0.5, 0.9, 1.0), (5.0, 0.2, 0.8)] {
            let candidates = polarized("7", deviation, (1, 1000));
            let group = |first: u64| spearman(&candidates, (first..100).step_by(2));
            assert!((least..=most).contains(&group(0)), "{}", group(0));
            assert!((least..=most).contains(&-group(1)), "{}", group(1));
        }
    }
}
