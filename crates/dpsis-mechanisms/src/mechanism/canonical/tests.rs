//! The canonical mechanisms: draws, and the table on the page.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::*;
use crate::exact::{Enclosure, binomial};
use crate::privacy::{Neighbors, Seeded};
use crate::support::goodness::assert_fits;
use crate::support::laws::flips;
use crate::support::oracle;

/// Grids are in half units of the sensitivity.
const SENSITIVITY: u64 = 2;

fn scores(values: &[i64], sensitivity: u64) -> Scores {
    Scores::new(values.to_vec(), sensitivity, Neighbors::AddRemove).unwrap()
}

/// The sampler against the exact law: 200,000 draws for each setting, alpha 1e-6.
#[test]
fn draws_fit_the_exact_law() {
    let settings: [(&[i64], usize, &str, &str); 5] = [
        (&[5, 3, 9, 1], 2, "1/2", "1"),
        (&[0, 0, 0, 0, 0], 2, "1/2", "1"),
        (&[7, 2, 2, 6, 0, 3], 3, "3/4", "2"),
        (&[4, 1, 3, 3, 0], 1, "1/4", "3"),
        (&[-3, 8, 5, -1, 2], 4, "1", "1"),
    ];
    for (values, k, gamma, eps) in settings {
        let sets = oracle::subsets(values.len(), k);
        let mechanism = CanonicalLipschitz::with_gamma(gamma).unwrap();
        let (scores, epsilon) = (scores(values, SENSITIVITY), eps.parse().unwrap());
        let mut counts = vec![0u64; sets.len()];
        for seed in 0..200_000 {
            let picks = mechanism.pick(&scores, k, &epsilon, Seeded(seed)).unwrap();
            counts[sets.iter().position(|set| *set == *picks).unwrap()] += 1;
        }
        let as_f64 = |text| near_f64(&crate::exact::parse_rational(text).unwrap());
        let x: Vec<f64> = values.iter().map(|&v| v as f64 / SENSITIVITY as f64).collect();
        let law = law::law(&x, k, as_f64(gamma), as_f64(eps), flips);
        assert_fits(&counts, &law);
    }
}

/// Value stability: seeded draws of this version. A change here is a value-breaking change.
#[test]
fn seeded_draws_are_stable() {
    let values: Vec<i64> = (0..40).map(|i| (i * i * 37) % 101).collect();
    let scores = scores(&values, 4);
    let picks: Vec<Vec<usize>> = (0..3)
        .map(|seed| {
            let epsilon = "1".parse().unwrap();
            let mechanism = CanonicalLipschitz::default();
            mechanism.pick(&scores, 4, &epsilon, Seeded(seed)).unwrap().into_inner()
        })
        .collect();
    assert_eq!(picks, STABLE_PICKS);
}

const STABLE_PICKS: [[usize; 4]; 3] = [[4, 7, 21, 34], [4, 8, 10, 14], [2, 5, 6, 39]];

#[test]
fn all_candidates_can_be_selected() {
    let mechanism = CanonicalLipschitz::default();
    let (scores, epsilon) = (scores(&[3, 1, 2], 1), "1".parse().unwrap());
    let pick = |k| mechanism.pick(&scores, k, &epsilon, Seeded(0));
    assert_eq!(*pick(3).unwrap(), [0, 1, 2]);
    assert!(pick(0).is_err() && pick(4).is_err());
}

/// The table on the mechanism's page: -ln(1 - U^(1/m)) at U = 1/2 as written down naively, by the
/// paper's expansion, and as sampled here, against 160 bits.
#[test]
fn the_page_shows_the_noise_as_computed() {
    let page = include_str!("page.md");
    let power = |e| BigUint::from(10u32).pow(e);
    let sizes = [
        ("1", BigUint::one()),
        ("10^4", power(4)),
        ("10^8", power(8)),
        ("10^12", power(12)),
        ("10^15", power(15)),
        ("10^16", power(16)),
        ("10^17", power(17)),
        ("10^24", power(24)),
        ("C(22283, 10)", binomial(22_283, 10)),
    ];
    for (name, size) in sizes {
        let (u, m) = (0.5f64, size.to_f64().unwrap());
        let naive = -(1.0 - u.powf(1.0 / m)).ln();
        let y = 1.0 / m;
        let expanded =
            if y <= 1e-8 { -(-y * u.ln() - 0.5 * y * y * u.ln() * u.ln()).ln() } else { naive };
        let (ours, truth) = noise_at_one_half(&size);
        assert!(truth.distance_from(ours) <= 2f64.powi(-49) * 100.0);
        let row = format!("| {name} | {naive:.12} | {expanded:.12} | {ours:.12} |");
        assert!(page.contains(&row), "the page lacks: {row}");
    }
}

/// The noise of a class at U = 1/2: quick, and enclosed.
fn noise_at_one_half(size: &BigUint) -> (f64, Enclosure) {
    let law = FirstArrival::Uniform;
    let ln_size = Enclosure::ln_dyadic(size, 0, 160).midpoint();
    let enclosed = law.enclose_ln_time(&[BigUint::from(1u64 << 63)], 64, size, 160).unwrap();
    (-law.ln_time(1 << 63, ln_size).0, enclosed.neg())
}
