//! The best of N looks: a is released with density p(a, v) G'(F(v)), N having the generating
//! function G.

use crate::mechanism::contract::{Contract, Law, Mutant, Setting, number};
use crate::support::oracle::gauss_legendre;

/// The probability of each candidate if the probability of stopping is `stop`; scores and
/// sensitivities in the same unit.
pub(crate) fn law(q: &[f64], d: &[f64], eps: f64, stop: f64) -> Vec<f64> {
    looks(q, d, eps / 3.0, slope(stop))
}

/// G'(s) = gamma/(1 - (1 - gamma) s)^2 of the geometric distribution, gamma being the probability
/// of stopping.
pub(crate) fn slope(gamma: f64) -> impl Fn(f64) -> f64 {
    move |s| gamma / (1.0 - (1.0 - gamma) * s).powi(2)
}

/// The best of N looks, each at a uniform candidate with Laplace noise of scale d/eps0: the
/// integral of p(a, v) G'(F(v)), `slope` being G'.
pub(crate) fn looks(q: &[f64], d: &[f64], eps0: f64, slope: impl Fn(f64) -> f64) -> Vec<f64> {
    let m = q.len() as f64;
    let widest = d.iter().copied().fold(0.0, f64::max) / eps0;
    let (low, high) = q.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
    let (first, last) = (low - 40.0 * widest, high + 40.0 * widest);
    let mut cuts: Vec<f64> =
        (0..=120).map(|i| first + (last - first) * f64::from(i) / 120.0).collect();
    cuts.extend(q);
    cuts.sort_by(f64::total_cmp);
    let below = |i: usize, v: f64| {
        let tail = (-(v - q[i]).abs() * eps0 / d[i]).exp() / 2.0;
        if v < q[i] { tail } else { 1.0 - tail }
    };
    let mut law = vec![0.0; q.len()];
    for pair in cuts.windows(2) {
        let width = pair[1] - pair[0];
        for (t, weight) in gauss_legendre(12) {
            let v = pair[0] + t * width;
            let reached = (0..q.len()).map(|i| below(i, v)).sum::<f64>() / m;
            let rate = weight * width * slope(reached) / m;
            for (i, p) in law.iter_mut().enumerate() {
                let density = eps0 / d[i] / 2.0 * (-(v - q[i]).abs() * eps0 / d[i]).exp();
                *p += rate * density;
            }
        }
    }
    law
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |given| {
            let stop = given.stop.clone();
            Law::own(move |q, d, eps| law(q, d, eps, number(&stop, 0.1 / q.len() as f64)))
                .by_integrals()
        },
        settings: vec![Setting::new(&[1]).given("stop", "1/4")],
        symmetric: false,
        max_ratio: 0.291178,
        slack: Some("3 eps0 is approached only by many looks at rare candidates"),
        mutants: vec![
            Mutant::own("eps0 = eps", |q, d, eps| looks(q, d, eps, slope(1e-3))),
            // 64 looks, each with a third of epsilon: G' = 64 s^63.
            Mutant::own("a fixed number of looks", |q, d, eps| {
                looks(q, d, eps / 3.0, |s: f64| 64.0 * s.powi(63))
            }),
        ],
    }
}
