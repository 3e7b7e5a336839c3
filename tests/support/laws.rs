//! The laws of selection mechanisms from their definitions, by brute force: probabilities of all
//! outcomes. Scores are in units of their sensitivity; rates are those of the definition.

use super::oracle::{gauss_legendre, permute_and_flip, sequences, subsets};

/// The exponential mechanism by losses: P(i) proportional to e^-z.
pub fn exponential(excess: &[f64]) -> Vec<f64> {
    let least = excess.iter().copied().fold(f64::INFINITY, f64::min);
    let weights: Vec<f64> = excess.iter().map(|z| (least - z).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// How the choice follows from losses.
pub type Noise = fn(&[f64]) -> Vec<f64>;

/// One candidate by its score.
pub fn of_one(x: &[f64], rate: f64, noise: Noise) -> Vec<f64> {
    let best = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    noise(&x.iter().map(|score| rate * (best - score)).collect::<Vec<_>>())
}

/// Sequences by rounds without replacement, each of the same rate.
pub fn of_rounds(x: &[f64], k: usize, rate: f64, noise: Noise) -> Vec<f64> {
    let of_sequence = |y: &Vec<usize>| {
        let mut left: Vec<usize> = (0..x.len()).collect();
        let mut p = 1.0;
        for pick in y {
            let scores: Vec<f64> = left.iter().map(|&i| x[i]).collect();
            let at = left.iter().position(|i| i == pick).unwrap();
            p *= of_one(&scores, rate, noise)[at];
            left.remove(at);
        }
        p
    };
    sequences(x.len(), k).iter().map(of_sequence).collect()
}

/// The `k` <= 2 largest, in order, of scores with independent noise: integrals over the value of the last
/// of them. `density` and `below` are those of the noise; they are smooth between `kinks`.
fn of_noise(
    x: &[f64],
    k: usize,
    density: impl Fn(f64) -> f64,
    below: impl Fn(f64) -> f64,
    kinks: &[f64],
    pieces: usize,
) -> Vec<f64> {
    let mut cuts: Vec<f64> =
        kinks.iter().flat_map(|kink| x.iter().map(move |s| s + kink)).collect();
    cuts.sort_by(f64::total_cmp);
    let (first, last) = (cuts[0], cuts[cuts.len() - 1]);
    cuts.extend((1..pieces).map(|i| first + (last - first) * i as f64 / pieces as f64));
    cuts.sort_by(f64::total_cmp);
    let nodes = gauss_legendre(if pieces > 1 { 16 } else { 4 });
    let of_sequence = |y: &Vec<usize>| {
        let at = |v: f64| {
            let last = y[k - 1];
            let others: f64 =
                (0..x.len()).filter(|i| !y.contains(i)).map(|i| below(v - x[i])).product();
            let first = if k == 2 { 1.0 - below(v - x[y[0]]) } else { 1.0 };
            density(v - x[last]) * first * others
        };
        let piece = |pair: &[f64]| {
            let width = pair[1] - pair[0];
            nodes.iter().map(|(t, weight)| weight * at(pair[0] + t * width)).sum::<f64>() * width
        };
        cuts.windows(2).map(piece).sum()
    };
    sequences(x.len(), k).iter().map(of_sequence).collect()
}

/// Report-noisy-max with Laplace noise of rate r, the `k` <= 2 largest in order.
pub fn laplace(x: &[f64], k: usize, r: f64) -> Vec<f64> {
    let density = |z: f64| r / 2.0 * (-r * z.abs()).exp();
    let below = |z: f64| {
        let tail = (-r * z.abs()).exp() / 2.0;
        if z < 0.0 { tail } else { 1.0 - tail }
    };
    // Beyond 45/r the density is below e^-45.
    of_noise(x, k, density, below, &[-45.0 / r, 0.0, 45.0 / r], 90)
}

/// The Gamma mechanism, continuous: noise uniform in a cube of half side R, R Gamma distributed with shape
/// d + 1 and this rate; the `k` <= 2 largest in order.
pub fn gamma(x: &[f64], k: usize, rate: f64) -> Vec<f64> {
    let shape = x.len() as i32;
    let factorial: f64 = (1..=shape).map(f64::from).product();
    let nodes = gauss_legendre(8);
    // Kinks of the outer integrand: where a cube's corner passes another score.
    let spread =
        x.iter().fold(f64::MIN, |m, v| m.max(*v)) - x.iter().fold(f64::MAX, |m, v| m.min(*v));
    let end = spread + 60.0 / rate;
    let mut cuts: Vec<f64> = (0..=60).map(|i| end * (f64::from(i) / 60.0).powi(2)).collect();
    let gaps = x.iter().flat_map(|a| x.iter().map(move |b| (a - b).abs() / 2.0));
    cuts.extend(gaps.filter(|gap| *gap > 0.0));
    cuts.sort_by(f64::total_cmp);
    let mut law = vec![0.0; sequences(x.len(), k).len()];
    for pair in cuts.windows(2) {
        let width = pair[1] - pair[0];
        for (t, weight) in &nodes {
            let radius = pair[0] + t * width;
            let p = rate * (rate * radius).powi(shape) * (-rate * radius).exp() / factorial;
            let density = |z: f64| if z.abs() <= radius { 0.5 / radius } else { 0.0 };
            let below = |z: f64| ((z + radius) / (2.0 * radius)).clamp(0.0, 1.0);
            let given = of_noise(x, k, density, below, &[-radius, radius], 1);
            law.iter_mut().zip(given).for_each(|(sum, q)| *sum += weight * width * p * q);
        }
    }
    law
}

/// The best with odds e^eps against each other; of several that are best the first.
pub fn randomized_response(x: &[f64], odds: f64) -> Vec<f64> {
    let best = (0..x.len()).fold(0, |best, i| if x[i] > x[best] { i } else { best });
    let total = x.len() as f64 - 1.0 + odds;
    (0..x.len()).map(|i| if i == best { odds / total } else { 1.0 / total }).collect()
}

/// Scores from the best down.
fn sorted(x: &[f64]) -> Vec<f64> {
    let mut sorted = x.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted
}

/// Sequences by max over i of x_[i] - x_(y_i).
pub fn joint_sequences(x: &[f64], k: usize, rate: f64, noise: Noise) -> Vec<f64> {
    let best = sorted(x);
    let loss = |y: &Vec<usize>| {
        let shortfalls = y.iter().zip(&best).map(|(&i, best)| best - x[i]);
        rate * shortfalls.fold(f64::NEG_INFINITY, f64::max)
    };
    noise(&sequences(x.len(), k).iter().map(loss).collect::<Vec<_>>())
}

/// Sets by max over i of x_[i] - (their i-th best score).
pub fn joint_sets(x: &[f64], k: usize, rate: f64, noise: Noise) -> Vec<f64> {
    let best = sorted(x);
    let loss = |y: &Vec<usize>| {
        let own = sorted(&y.iter().map(|&i| x[i]).collect::<Vec<_>>());
        let shortfalls = own.iter().zip(&best).map(|(own, best)| best - own);
        rate * shortfalls.fold(f64::NEG_INFINITY, f64::max)
    };
    noise(&subsets(x.len(), k).iter().map(loss).collect::<Vec<_>>())
}

/// Sets by the canonical loss: with gamma, the best left out against the worst taken.
pub fn canonical_sets(x: &[f64], k: usize, gamma: f64, rate: f64, noise: Noise) -> Vec<f64> {
    let kth = sorted(x)[k - 1];
    let loss = |y: &Vec<usize>| {
        let out = (0..x.len()).filter(|i| !y.contains(i)).map(|i| x[i]);
        let best_out = out.fold(kth, f64::max);
        let worst_in = y.iter().map(|&i| x[i]).fold(f64::INFINITY, f64::min);
        rate * ((1.0 - gamma) * best_out - gamma * worst_in)
    };
    let losses: Vec<f64> = subsets(x.len(), k).iter().map(loss).collect();
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    noise(&losses.iter().map(|loss| loss - least).collect::<Vec<_>>())
}

/// Permute-and-flip by losses; the least is taken off first.
pub fn flips(excess: &[f64]) -> Vec<f64> {
    let least = excess.iter().copied().fold(f64::INFINITY, f64::min);
    permute_and_flip(&excess.iter().map(|z| z - least).collect::<Vec<_>>())
}

/// GEM's shortfalls -s(a) from the definition, over all pairs; t is negative for modified GEM.
fn gem_shortfalls(q: &[f64], d: &[f64], t: f64) -> Vec<f64> {
    let shortfall = |a: usize| {
        let term = |b: usize| ((q[b] - t * d[b]) - (q[a] - t * d[a])) / (d[a] + d[b]);
        (0..q.len()).map(term).fold(0.0, f64::max)
    };
    (0..q.len()).map(shortfall).collect()
}

/// GEM (`sign` 1) or modified GEM (-1) of one candidate: scores q with sensitivities d, as they are.
pub fn gem(q: &[f64], d: &[f64], eps: f64, beta: f64, sign: f64) -> Vec<f64> {
    let t = sign * 2.0 / eps * (q.len() as f64 / beta).ln();
    flips(&gem_shortfalls(q, d, t).iter().map(|s| eps / 2.0 * s).collect::<Vec<_>>())
}

/// Twice the mid-ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |v: &f64| {
        let below = values.iter().filter(|w| *w < v).count() as f64;
        let ties = values.iter().filter(|w| *w == v).count() as f64;
        below + (ties + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// Spearman's rank correlation, times something positive.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 + 1.0) / 2.0;
    a.iter().zip(&b).map(|(a, b)| (a - mean) * (b - mean)).sum()
}

/// Combined GEM: `told` is the probability that the sign of the correlation is told as it is.
pub fn combined_gem(q: &[f64], d: &[f64], eps: f64, told: f64, beta: f64) -> Vec<f64> {
    let positive = spearman(q, d) > 1e-9;
    let modified = if positive { told } else { 1.0 - told };
    let (m, g) = (gem(q, d, eps, beta, -1.0), gem(q, d, eps, beta, 1.0));
    m.iter().zip(&g).map(|(m, g)| modified * m + (1.0 - modified) * g).collect()
}

/// The best of N looks, each at a uniform candidate with Laplace noise of scale d/eps0: the integral of
/// p(a, v) G'(F(v)), `slope` being G'.
pub fn looks(q: &[f64], d: &[f64], eps0: f64, slope: impl Fn(f64) -> f64) -> Vec<f64> {
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

/// G' of the truncated negative binomial distribution.
pub fn stopping_slope(eta: f64, gamma: f64) -> impl Fn(f64) -> f64 {
    move |s: f64| {
        let base = 1.0 - (1.0 - gamma) * s;
        if eta == 0.0 {
            (1.0 - gamma) / (base * -gamma.ln())
        } else {
            eta * (1.0 - gamma) * base.powf(-eta - 1.0) / (gamma.powf(-eta) - 1.0)
        }
    }
}
