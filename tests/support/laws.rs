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

/// Report-noisy-max with Laplace noise of rate r, the `k` <= 2 largest in order: integrals over the
/// value of the last of them. The integrand is a sum of exponentials between the scores.
pub fn laplace(x: &[f64], k: usize, r: f64) -> Vec<f64> {
    let density = |i: usize, v: f64| r / 2.0 * (-r * (v - x[i]).abs()).exp();
    let below = |i: usize, v: f64| {
        let tail = (-r * (v - x[i]).abs()).exp() / 2.0;
        if v < x[i] { tail } else { 1.0 - tail }
    };
    let mut ends = x.to_vec();
    ends.sort_by(f64::total_cmp);
    // Beyond 45/r the density is below e^-45; pieces short enough for the rule.
    let (first, last) = (ends[0] - 45.0 / r, ends[ends.len() - 1] + 45.0 / r);
    let mut cuts: Vec<f64> =
        (0..=90).map(|i| first + (last - first) * f64::from(i) / 90.0).collect();
    cuts.extend(&ends);
    cuts.sort_by(f64::total_cmp);
    let nodes = gauss_legendre(16);
    let of_sequence = |y: &Vec<usize>| {
        let at = |v: f64| {
            let last = y[k - 1];
            let others: f64 =
                (0..x.len()).filter(|i| !y.contains(i)).map(|i| below(i, v)).product();
            let first = if k == 2 { 1.0 - below(y[0], v) } else { 1.0 };
            density(last, v) * first * others
        };
        let piece = |pair: &[f64]| {
            let width = pair[1] - pair[0];
            nodes.iter().map(|(t, weight)| weight * at(pair[0] + t * width)).sum::<f64>() * width
        };
        cuts.windows(2).map(piece).sum()
    };
    sequences(x.len(), k).iter().map(of_sequence).collect()
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
