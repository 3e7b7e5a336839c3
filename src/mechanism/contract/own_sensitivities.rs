//! The contract of mechanisms that take a sensitivity for each candidate.

use super::*;

/// A law of scores with a sensitivity each: scores and sensitivities as they are, epsilon.
pub(super) type OwnLaw = Box<dyn Fn(&[f64], &[f64], f64) -> Vec<f64>>;

/// Id, parameters, law, whether it needs integrals.
pub(super) type OwnContract = (&'static str, Parameters, OwnLaw, bool);

const GAMMA: f64 = 0.25;

pub(super) fn own_contracts() -> Vec<OwnContract> {
    let stop = Parameters { gamma: Some("1/4".into()), ..Parameters::default() };
    let geometric = Parameters { eta: Some("1".into()), ..stop.clone() };
    let half = Parameters { eta: Some("-1/2".into()), ..stop.clone() };
    vec![
        (
            "gem",
            Parameters::default(),
            Box::new(|q, d, eps| laws::gem(q, d, eps, 0.05, 1.0)),
            false,
        ),
        (
            "mgem",
            Parameters::default(),
            Box::new(|q, d, eps| laws::gem(q, d, eps, 0.05, -1.0)),
            false,
        ),
        (
            "cgem",
            Parameters::default(),
            Box::new(|q, d, eps| {
                let told = 1.0 / (1.0 + (-0.2 * eps).exp());
                laws::combined_gem(q, d, 0.8 * eps, told, 0.05)
            }),
            false,
        ),
        (
            "rs",
            stop.clone(),
            Box::new(|q, d, eps| laws::looks(q, d, eps / 3.0, laws::stopping_slope(1.0, GAMMA))),
            true,
        ),
        (
            "rs-tnb",
            stop,
            Box::new(|q, d, eps| laws::looks(q, d, eps / 2.0, laws::stopping_slope(0.0, GAMMA))),
            true,
        ),
        (
            "rs-tnb",
            geometric,
            Box::new(|q, d, eps| laws::looks(q, d, eps / 3.0, laws::stopping_slope(1.0, GAMMA))),
            true,
        ),
        (
            "rs-tnb",
            half,
            Box::new(|q, d, eps| laws::looks(q, d, eps / 1.5, laws::stopping_slope(-0.5, GAMMA))),
            true,
        ),
    ]
}

/// The largest log-ratio over epsilon, over grids with several sensitivities; and the number of pairs.
fn worst_of_own(law: &OwnLaw, integrals: bool) -> (f64, usize) {
    let (mut worst, mut pairs) = (0.0f64, 0);
    let grids: &[(i64, &[i64])] = if integrals {
        &[(11, &[1, 2, 4]), (11, &[4, 1, 1])]
    } else {
        &[(20, &[1, 2, 5]), (24, &[3, 1, 1]), (8, &[1, 1, 2, 3])]
    };
    for (levels, sensitivities) in grids {
        let d: Vec<f64> = sensitivities.iter().map(|&s| s as f64).collect();
        for eps in [0.5, 2.0] {
            let grid = Grid::with_sensitivities(*levels, sensitivities);
            let found =
                grid.enumerate(|q| law(&q.iter().map(|&v| v as f64).collect::<Vec<_>>(), &d, eps));
            worst = worst.max(found.max_log_ratio / eps);
            pairs += found.pairs;
        }
    }
    (worst, pairs)
}

#[test]
fn privacy_of_scores_with_their_own_sensitivities() {
    let mut largest = BTreeMap::new();
    for (id, parameters, law, integrals) in own_contracts() {
        let (worst, pairs) = worst_of_own(&law, integrals);
        println!("{id} {:?}: {worst:.6} of epsilon over {pairs} pairs", parameters.eta);
        assert!(pairs >= if integrals { 16_384 } else { 262_144 }, "{id}: {pairs}");
        assert!(worst <= 1.0 + if integrals { 1e-8 } else { 1e-12 }, "{id}: {worst}");
        let found = largest.entry(id).or_insert(0.0f64);
        *found = found.max(worst);
    }
    for card in CARDS.iter().filter(|card| card.sensitivity == Sensitivity::Own) {
        check_ratio(card, largest[card.id]);
    }
}

#[test]
fn draws_with_own_sensitivities_have_the_law_of_the_definition() {
    let tables: [(&[i64], &[u64]); 3] =
        [(&[5, 3, 9, 1], &[1, 2, 4, 1]), (&[4, 4, 0], &[3, 1, 2]), (&[0, 6], &[1, 5])];
    for (id, parameters, law, _) in own_contracts() {
        let mechanism = by_id(id, &parameters).unwrap();
        for (values, sensitivities) in tables {
            let scores = Scores::with_sensitivities(
                values.to_vec(),
                sensitivities.to_vec(),
                Neighbors::AddRemove,
            );
            let scores = scores.unwrap();
            let mut counts = vec![0u64; values.len()];
            for seed in 0..12_000 {
                let picks = mechanism.pick(&scores, 1, &"2".parse().unwrap(), Seeded(seed));
                counts[picks.unwrap()[0]] += 1;
            }
            let q: Vec<f64> = values.iter().map(|&v| v as f64).collect();
            let d: Vec<f64> = sensitivities.iter().map(|&v| v as f64).collect();
            assert_fits(&counts, &law(&q, &d, 2.0));
            // All of them, in some order.
            let all = mechanism.pick(&scores, values.len(), &"2".parse().unwrap(), Seeded(1));
            let mut all = all.unwrap().into_inner();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..values.len()));
        }
    }
}

pub(super) fn own_mutants() -> Vec<(&'static str, &'static str, OwnLaw)> {
    let noisy_max = |q: &[f64], d: f64, eps: f64| laws::of_one(q, eps / (2.0 * d), flips);
    vec![
        (
            "gem",
            "plain noisy max with the smallest sensitivity",
            Box::new(move |q, d, eps| {
                noisy_max(q, d.iter().copied().fold(f64::MAX, f64::min), eps)
            }),
        ),
        ("gem", "half the noise", Box::new(|q, d, eps| laws::gem(q, d, 2.0 * eps, 0.05, 1.0))),
        ("mgem", "half the noise", Box::new(|q, d, eps| laws::gem(q, d, 2.0 * eps, 0.05, -1.0))),
        (
            "cgem",
            "the sign is not randomized",
            Box::new(|q, d, eps| laws::combined_gem(q, d, 0.8 * eps, 1.0 - 1e-12, 0.05)),
        ),
        (
            "rs",
            "eps0 = eps",
            Box::new(|q, d, eps| laws::looks(q, d, eps, laws::stopping_slope(1.0, 1e-3))),
        ),
        (
            "rs",
            "a fixed number of looks",
            // 64 looks, each of which may spend a third of epsilon: G' = 64 s^63.
            Box::new(|q, d, eps| laws::looks(q, d, eps / 3.0, |s: f64| 64.0 * s.powi(63))),
        ),
        (
            "rs-tnb",
            "the budget of eta = 0 for eta = 1",
            Box::new(|q, d, eps| laws::looks(q, d, eps / 2.0, laws::stopping_slope(1.0, 1e-3))),
        ),
        // Not a mechanism of the registry: noise of each candidate's own scale (RNMH).
        ("gem", "noisy max with own exponential noise", Box::new(own_exponential_noise)),
    ]
}

/// RNMH: every score with exponential noise of its own scale, by fine steps.
fn own_exponential_noise(q: &[f64], d: &[f64], eps: f64) -> Vec<f64> {
    let rate = |i: usize| eps / (2.0 * d[i]);
    let below = |i: usize, v: f64| if v < q[i] { 0.0 } else { 1.0 - (-(v - q[i]) * rate(i)).exp() };
    let mut law = vec![0.0; q.len()];
    for step in 0..1000 {
        let v = (f64::from(step) + 0.5) * 0.1;
        for (i, p) in law.iter_mut().enumerate() {
            let others: f64 = (0..q.len()).filter(|j| *j != i).map(|j| below(j, v)).product();
            *p += others * (below(i, v + 0.05) - below(i, v - 0.05));
        }
    }
    law
}

#[test]
fn broken_variants_with_own_sensitivities_are_rejected() {
    for (id, name, law) in own_mutants() {
        let (worst, pairs) = worst_of_own(&law, true);
        println!("{id}: {name}: {worst:.3} of epsilon over {pairs} pairs");
        assert!(worst > 1.01, "{id}: {name} passed with {worst}");
    }
}

/// The counterexamples of "Private Selection with Heterogeneous Sensitivities": candidate 1 has a
/// sensitivity of (nearly) 0 and score 0, m others one of 1.
#[test]
fn counterexamples_of_the_paper() {
    let eps = 1.0f64;
    // RNMH, exponential noise: others at 0 always exceed candidate 1, others at -1 not always.
    let wins = |q: f64, m: i32| (1.0 - (-(eps / 2.0) * (0.0f64 - q)).exp()).powi(m);
    assert_eq!(wins(0.0, 1), 0.0);
    assert!(wins(-1.0, 1) > 0.0);
    // RNMH, Laplace noise of scale D/eps: each other is e^eps times likelier to stay below 0 from 0 than
    // from 1, so m of them give m eps.
    for m in [2, 5, 20] {
        let stays_below = |q: f64| 0.5 * (-eps * q).exp();
        let ratio = f64::from(m) * (stays_below(0.0) / stays_below(1.0)).ln();
        assert!(ratio > f64::from(m) * eps - 1e-12);
    }
    // Random stopping with exponential noise: from 0 the others always beat candidate 1, which then wins
    // only if no other is looked at; from -1 not. With Laplace noise both are possible.
    let g = |s: f64, gamma: f64| gamma * s / (1.0 - (1.0 - gamma) * s);
    let mut last = 0.0;
    for m in [20.0, 1e3, 1e6] {
        let alone = 1.0 / (m + 1.0);
        let below = 1.0 - (-eps).exp();
        let ratio = (g(alone + (1.0 - alone) * below, 1e-3) / g(alone, 1e-3)).ln();
        assert!(ratio > 3.0 * eps && ratio > last, "m = {m}: {ratio}");
        last = ratio;
    }
}

/// Random stopping over any base: looks with three outcomes, worse to better, whose probabilities move by
/// at most e^eps0. Not only over scores.
#[test]
fn random_stopping_keeps_any_private_look_private() {
    let eps0 = 0.7f64;
    let bases: Vec<[f64; 3]> = (1..12)
        .flat_map(|a| (1..12 - a).map(move |b| [f64::from(a), f64::from(b), f64::from(12 - a - b)]))
        .map(|base| base.map(|p| p / 12.0))
        .collect();
    let near = |a: &[f64; 3], b: &[f64; 3]| {
        a.iter().zip(b).all(|(p, q)| (p.ln() - q.ln()).abs() <= eps0 + 1e-12)
    };
    for (eta, gamma) in [(1.0, 0.05), (0.0, 0.05), (-0.5, 0.2), (1.0, 1e-4)] {
        // G by integrating its slope exactly: sums of the published weights.
        let weight = |n: i32| {
            let product: f64 =
                (1..n).map(|l| (f64::from(l) + eta) / (f64::from(l) + 1.0)).product();
            (1.0f64 - gamma).powi(n) * product
        };
        let slope = laws::stopping_slope(eta, gamma);
        let sum: f64 = (1..3000).map(weight).sum();
        let direct: f64 = (1..3000).map(|n| weight(n) * f64::from(n) * 0.5f64.powi(n - 1)).sum();
        if gamma > 0.01 {
            assert!((slope(0.5) - direct / sum).abs() < 1e-9);
        }
        // The best look is outcome j: G(F_j) - G(F_(j-1)), by Gauss-Legendre between them.
        let law = |base: &[f64; 3]| {
            let mut below = 0.0;
            base.map(|p| {
                let from = below;
                below += p;
                let pieces = 200;
                (0..pieces)
                    .map(|i| {
                        let start = from + p * f64::from(i) / f64::from(pieces);
                        let width = p / f64::from(pieces);
                        crate::support::oracle::gauss_legendre(8)
                            .iter()
                            .map(|(t, w)| w * width * slope(start + t * width))
                            .sum::<f64>()
                    })
                    .sum::<f64>()
            })
        };
        let laws: Vec<[f64; 3]> = bases.iter().map(law).collect();
        let mut worst = 0.0f64;
        for (a, p) in bases.iter().zip(&laws) {
            for (b, q) in bases.iter().zip(&laws) {
                if near(a, b) {
                    worst = worst.max(crate::support::oracle::max_log_ratio(p, q));
                }
            }
        }
        println!("eta {eta}, gamma {gamma}: {:.4} of (2 + eta) eps0", worst / ((2.0 + eta) * eps0));
        assert!(worst <= (2.0 + eta) * eps0 + 1e-9, "eta {eta}: {worst}");
        assert!(worst > eps0, "eta {eta}: {worst}");
    }
}
