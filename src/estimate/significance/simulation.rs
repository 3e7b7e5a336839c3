//! Simulations of the test: its error rate, and its power compared with a narrower form that is
//! only checked by simulation. The tests are ignored by default because they take minutes.

#![expect(clippy::print_stdout, reason = "the figures are what these tests are for")]

use super::tests::bits;
use super::*;

/// A design: rows, share of the second class, features, and epsilons of center and effect sizes.
#[derive(Debug, Clone, Copy)]
struct Design {
    n: usize,
    share: f64,
    features: usize,
    center: f64,
    effect_sizes: f64,
    planted: usize,
    effect: f64,
}

fn normal(words: &mut WordStream) -> f64 {
    (-2.0 * unit(words).ln()).sqrt() * (2.0 * PI * unit(words)).cos()
}

/// The largest |sum f t| over thresholds along a sequence of labels.
fn score(labels: &[bool], c: f64) -> f64 {
    let ones = labels.iter().filter(|one| **one).count() as f64;
    let total = ones - c * labels.len() as f64;
    let (mut prefix, mut best) = (0.0f64, total.abs());
    for one in labels {
        prefix += f64::from(u8::from(*one)) - c;
        best = best.max((total - 2.0 * prefix).abs());
    }
    best
}

struct Released {
    counts: [f64; 2],
    share: f64,
    effect_sizes: Vec<f64>,
    /// The number of planted features among the picks; they come first.
    planted: usize,
}

impl Released {
    /// The effect sizes of features of one class.
    fn classed(&self) -> Vec<(f64, usize)> {
        self.effect_sizes.iter().map(|effect| (*effect, 0)).collect()
    }
}

/// One run: the five features of the largest scores, planted ones before others.
fn run(design: Design, words: &mut WordStream) -> Option<Released> {
    let n = design.n;
    let ones = (design.share * n as f64).round() as usize;
    let mut labels: Vec<bool> = (0..n).map(|i| i < ones).collect();
    let truth = [(n - ones) as f64, ones as f64];
    let counts = truth.map(|count| count + laplace(design.center, 1.0 / 65534.0, words));
    if counts.iter().any(|count| *count <= 0.0) || counts.iter().sum::<f64>() < 4.0 / design.center
    {
        return None;
    }
    let share = counts[1] / (counts[0] + counts[1]);
    let d = share.max(1.0 - share);
    let mut scores = Vec::new();
    for feature in 0..design.features {
        let planted = feature < design.planted;
        if planted {
            let mut rows: Vec<(f64, bool)> = (0..n)
                .map(|i| (normal(words) + if i < ones { design.effect } else { 0.0 }, i < ones))
                .collect();
            rows.sort_by(|a, b| a.0.total_cmp(&b.0));
            let sorted: Vec<bool> = rows.iter().map(|row| row.1).collect();
            scores.push((score(&sorted, share), true));
        } else {
            for i in (1..n).rev() {
                labels.swap(i, (words.next_word() % (i as u64 + 1)) as usize);
            }
            scores.push((score(&labels, share), false));
        }
    }
    scores.sort_by(|a, b| b.0.total_cmp(&a.0));
    scores.truncate(5);
    scores.sort_by_key(|score| !score.1);
    let mut radius = 0.0;
    for _ in 0..6 {
        radius -= unit(words).ln();
    }
    let effect_sizes = scores
        .iter()
        .map(|(score, _)| score / d + radius / design.effect_sizes * (2.0 * unit(words) - 1.0))
        .collect();
    let planted = scores.iter().filter(|score| score.1).count();
    Some(Released { counts, share, effect_sizes, planted })
}

fn significance(design: Design, counts: [f64; 2]) -> SignificanceTest {
    SignificanceTest {
        counts: counts.into(),
        rate: design.center,
        step: 1.0 / 65534.0,
        tests: vec![design.features as f64],
        noise: 1.0 / design.effect_sizes,
        family: Family::AnyFunction,
        graded: false,
    }
}

/// The form in quadrature, which has no proof.
fn quadrature(design: Design, released: &Released, words: &mut WordStream) -> Vec<f64> {
    let c = released.share;
    let d = c.max(1.0 - c);
    let mut draws: Vec<f64> = (0..TEST.draws)
        .map(|_| {
            let z = [0, 1].map(|_| laplace(design.center, 1.0 / 65534.0, words));
            let n1 = (released.counts[1] - z[1]).max(0.0);
            let n0 = (released.counts[0] - z[0]).max(0.0);
            let n = n1 + n0;
            let v = harmonic(n1, n0);
            let t = (n1 - c * n).abs().max((c * z[0] - (1.0 - c) * z[1]).abs()) / d;
            let lambda = (8.0 * design.features as f64 / unit(words)).ln();
            let s = (2.0 * v * lambda).sqrt() / d;
            let balance = if n > 0.0 { (1.0 - 2.0 * n1 / n).abs() } else { 1.0 };
            let kappa = lambda / 2.0 * (1.0 - 2.0 * c).abs().max(balance);
            let r = largest_noise(5, words) / design.effect_sizes;
            (t + s).min((t * t + s * s).sqrt() + kappa) + r
        })
        .collect();
    draws.sort_by(f64::total_cmp);
    let m = draws.len();
    let p = |x: &f64| (1 + m - draws.partition_point(|v| v < x)) as f64 / (m + 1) as f64;
    released.effect_sizes.iter().map(p).collect()
}

#[test]
#[ignore = "minutes: figures of the false-call rate"]
fn false_positive_rates() {
    for n in [30usize, 100, 300, 1000] {
        for features in [20usize, 1000] {
            for share in [0.5, 0.1, 0.03] {
                for eps in [0.5, 2.0, 10.0] {
                    let design = Design {
                        n,
                        share,
                        features,
                        center: 0.05 * eps,
                        effect_sizes: 0.1 * eps,
                        planted: 0,
                        effect: 0.0,
                    };
                    let runs = if features == 20 { 400 } else { 100 };
                    let (mut calls, mut old, mut none) = (0, 0, 0);
                    for seed in 0..runs {
                        let mut words = bits(seed).lane(7);
                        let Some(released) = run(design, &mut words) else {
                            none += 1;
                            continue;
                        };
                        let p = significance(design, released.counts)
                            .judge(released.effect_sizes.len(), &released.classed(), &bits(seed))
                            .map(|judged| judged.p_values);
                        let Some(p) = p else {
                            none += 1;
                            continue;
                        };
                        calls += usize::from(p.iter().any(|p| *p <= 0.05));
                        let p = quadrature(design, &released, &mut words);
                        old += usize::from(p.iter().any(|p| *p <= 0.05));
                    }
                    println!(
                        "n {n} d {features} p {share} eps {eps}: false {calls} old {old} none {none} of {runs}"
                    );
                }
            }
        }
    }
}

#[test]
#[ignore = "minutes: figures of the power"]
fn power() {
    let effects = |n: usize| if n == 300 { [0.9, 1.2, 1.5] } else { [1.0, 1.3, 1.6] };
    for (n, share, eps) in [(300usize, 0.5, 2.0), (1000, 0.1, 2.0), (1000, 0.1, 4.0)] {
        for effect in effects(n) {
            for (center, effect_sizes) in
                [(0.05, 0.1), (0.05, 0.15), (0.05, 0.2), (0.1, 0.1), (0.1, 0.15), (0.075, 0.125)]
            {
                let design = Design {
                    n,
                    share,
                    features: 1000,
                    center: center * eps,
                    effect_sizes: effect_sizes * eps,
                    planted: 5,
                    effect,
                };
                let (mut new, mut old, mut picked) = (0, 0, 0);
                let runs = 40;
                for seed in 0..runs {
                    let mut words = bits(seed).lane(7);
                    let Some(released) = run(design, &mut words) else { continue };
                    picked += released.planted;
                    let count =
                        |p: &[f64]| p[..released.planted].iter().filter(|p| **p <= 0.05).count();
                    if let Some(p) = significance(design, released.counts)
                        .judge(released.effect_sizes.len(), &released.classed(), &bits(seed))
                        .map(|judged| judged.p_values)
                    {
                        new += count(&p);
                    }
                    old += count(&quadrature(design, &released, &mut words));
                }
                let of = |x: usize| x as f64 / runs as f64;
                println!(
                    "n {n} p {share} eps {eps} effect {effect} center {center} effect sizes {effect_sizes}: new {:.2} old {:.2} picked {:.2}",
                    of(new),
                    of(old),
                    of(picked)
                );
            }
        }
    }
}
