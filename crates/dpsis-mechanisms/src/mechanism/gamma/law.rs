//! The Gamma mechanism with continuous noise; the code draws it on a fine grid.

use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
use crate::support::laws::of_noise;
use crate::support::oracle::{gauss_legendre, sequences};

/// Noise uniform in a cube of half side R, R Gamma distributed with shape d + 1 and rate eps; the
/// probability of each sequence, `k` <= 2; scores in units of the sensitivity.
pub(crate) fn law(x: &[f64], k: usize, eps: f64) -> Vec<f64> {
    let shape = x.len() as i32;
    let factorial: f64 = (1..=shape).map(f64::from).product();
    let nodes = gauss_legendre(8);
    // Kinks of the outer integrand: where a cube's corner passes another score.
    let spread =
        x.iter().fold(f64::MIN, |m, v| m.max(*v)) - x.iter().fold(f64::MAX, |m, v| m.min(*v));
    let end = spread + 60.0 / eps;
    let mut cuts: Vec<f64> = (0..=60).map(|i| end * (f64::from(i) / 60.0).powi(2)).collect();
    let gaps = x.iter().flat_map(|a| x.iter().map(move |b| (a - b).abs() / 2.0));
    cuts.extend(gaps.filter(|gap| *gap > 0.0));
    cuts.sort_by(f64::total_cmp);
    let mut law = vec![0.0; sequences(x.len(), k).len()];
    for pair in cuts.windows(2) {
        let width = pair[1] - pair[0];
        for (t, weight) in &nodes {
            let radius = pair[0] + t * width;
            let p = eps * (eps * radius).powi(shape) * (-eps * radius).exp() / factorial;
            let density = |z: f64| if z.abs() <= radius { 0.5 / radius } else { 0.0 };
            let below = |z: f64| ((z + radius) / (2.0 * radius)).clamp(0.0, 1.0);
            let given = of_noise(x, k, density, below, &[-radius, radius], 1);
            law.iter_mut().zip(given).for_each(|(sum, q)| *sum += weight * width * p * q);
        }
    }
    law
}

pub(in crate::mechanism) fn contract() -> Contract {
    Contract {
        law: |_| Law::common(law).by_integrals().at_most(2),
        settings: vec![Setting::new(&[1, 2])],
        symmetric: true,
        max_ratio: 1.0,
        slack: None,
        mutants: vec![
            // Noise scaled as for a single score: 1/eps instead of a Gamma radius.
            Mutant::new("a cube of the wrong dimension", 2, |x, k, eps| {
                law(x, k, eps * x.len() as f64)
            })
            .by_integrals()
            .at_most(2),
        ],
    }
}
