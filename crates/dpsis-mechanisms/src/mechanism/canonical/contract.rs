//! The contracts of the canonical mechanisms.

use super::law;
use crate::mechanism::Parameters;
use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
use crate::support::laws::{Noise, exponential, flips};
use crate::support::oracle;

pub(in crate::mechanism) fn contract() -> Contract {
    let mut mutants = broken(flips);
    mutants.push(Mutant::with_gamma("flips without permuting", 3, flips_without_permuting));
    Contract {
        law: |given| law_with(given, flips),
        settings: settings(),
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants,
    }
}

pub(in crate::mechanism) fn gumbel_contract() -> Contract {
    Contract {
        law: |given| law_with(given, exponential),
        settings: settings(),
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: broken(exponential),
    }
}

fn law_with(given: &Parameters, noise: Noise) -> Law {
    let gamma = given.gamma.clone();
    Law::common(move |x, k, eps| {
        // As the mechanism: 1 for one pick.
        let gamma = number(&gamma, if k == 1 { 1.0 } else { 0.5 });
        law::law(x, k, gamma, eps, noise)
    })
}

fn settings() -> Vec<Setting> {
    let with = |text, ks| Setting::new(ks).given("gamma", text);
    vec![with("1", &[1, 2, 3]), with("1/4", &[2]), with("3/4", &[3])]
}

/// Variants that are not private with any noise.
fn broken(noise: Noise) -> Vec<Mutant> {
    vec![
        Mutant::new("the monotonic constant, gamma 1", 2, move |x, k, eps| {
            law::law(x, k, 1.0, 2.0 * eps, noise)
        }),
        Mutant::with_gamma("the monotonic constant", 3, move |x, k, gamma, eps| {
            law::law(x, k, gamma, 2.0 * eps, noise)
        }),
        Mutant::with_gamma("printed class sizes", 3, move |x, k, gamma, eps| {
            let sets = oracle::subsets(x.len(), k).len();
            law::law_of_tickets(&law::printed_tickets(x, k, gamma, eps), sets, noise)
        }),
        Mutant::with_gamma("body from a rank too high", 3, move |x, k, gamma, eps| {
            body_from_a_rank_too_high(x, k, law::law(x, k, gamma, eps, noise))
        }),
    ]
}

/// Flips in a fixed order instead of a random one.
fn flips_without_permuting(x: &[f64], k: usize, gamma: f64, eps: f64) -> Vec<f64> {
    let law = law::law(x, k, gamma, eps, flips);
    let best = law.iter().copied().fold(0.0, f64::max);
    let mut rest = 1.0;
    law.iter()
        .map(|p| {
            let accepted = rest * p / best;
            rest -= accepted;
            accepted.max(0.0)
        })
        .collect()
}

/// Classes of the correct sizes, but bodies drawn from the ranks h + 1, ..., t - 1.
fn body_from_a_rank_too_high(x: &[f64], k: usize, right: Vec<f64>) -> Vec<f64> {
    let sets = oracle::subsets(x.len(), k);
    let mut ranked: Vec<usize> = (0..x.len()).collect();
    ranked.sort_by(|&i, &j| x[j].total_cmp(&x[i]).then(i.cmp(&j)));
    let mut law = vec![0.0; sets.len()];
    for (place, (set, p)) in sets.iter().zip(&right).enumerate() {
        let (head, tail) = head_and_tail(&ranked, set);
        if tail == k {
            law[place] += p;
            continue;
        }
        let bodies = oracle::subsets(tail - head - 1, k - head - 1);
        for body in &bodies {
            let mut member: Vec<usize> = (0..head).collect();
            member.extend(body.iter().map(|i| head + i));
            member.push(tail - 1);
            let mut member: Vec<usize> = member.into_iter().map(|r| ranked[r]).collect();
            member.sort_unstable();
            let at = sets.iter().position(|s| *s == member);
            if let Some(p_of_member) = at.and_then(|at| law.get_mut(at)) {
                *p_of_member += p / bodies.len() as f64;
            }
        }
    }
    law
}

/// How many of the best it holds before it misses one (at most k - 1), and the rank of its worst.
fn head_and_tail(ranked: &[usize], set: &[usize]) -> (usize, usize) {
    let head = ranked.iter().take_while(|i| set.contains(i)).count().min(set.len() - 1);
    (head, ranked.iter().rposition(|i| set.contains(i)).map_or(0, |worst| worst + 1))
}
