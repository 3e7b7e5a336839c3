//! Building blocks of the exact laws of mechanisms
//! (`crates/dpsis-mechanisms/src/mechanism/*/law.rs`): probabilities of all outcomes, by brute
//! force. Scores are in units of their sensitivity; rates are as in the definition.

use super::oracle::{gauss_legendre, permute_and_flip, sequences};

/// The exponential mechanism by loss gaps z: P(i) proportional to e^-z.
pub fn exponential(excess: &[f64]) -> Vec<f64> {
    let least = excess.iter().copied().fold(f64::INFINITY, f64::min);
    let weights: Vec<f64> = excess.iter().map(|z| (least - z).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// A law of choices: maps loss gaps to the probability of each outcome.
pub type Noise = fn(&[f64]) -> Vec<f64>;

/// The law of one candidate chosen by score.
pub fn of_one(x: &[f64], rate: f64, noise: Noise) -> Vec<f64> {
    let best = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    noise(&x.iter().map(|score| rate * (best - score)).collect::<Vec<_>>())
}

/// The law of sequences chosen in rounds without replacement, each at the same rate.
pub fn of_rounds(x: &[f64], k: usize, rate: f64, noise: Noise) -> Vec<f64> {
    let of_sequence = |y: &Vec<usize>| {
        let mut left: Vec<usize> = (0..x.len()).collect();
        let mut p = 1.0;
        for pick in y {
            let scores: Vec<f64> = left.iter().map(|&i| x[i]).collect();
            let chosen = left.iter().zip(of_one(&scores, rate, noise)).find(|(i, _)| *i == pick);
            p *= chosen.map_or(0.0, |(_, chance)| chance);
            left.retain(|i| i != pick);
        }
        p
    };
    sequences(x.len(), k).iter().map(of_sequence).collect()
}

/// The law of the `k` <= 2 largest, in order, of scores with independent noise: integrals over the
/// value of the last of them. `density` and `below` are the density and distribution function of
/// the noise, smooth between `kinks`.
pub fn of_noise(
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

/// The law of the `k` <= 2 largest, in order, of scores with independent Laplace noise of rate r.
pub fn laplace_noise(x: &[f64], k: usize, r: f64) -> Vec<f64> {
    let density = |z: f64| r / 2.0 * (-r * z.abs()).exp();
    let below = |z: f64| {
        let tail = (-r * z.abs()).exp() / 2.0;
        if z < 0.0 { tail } else { 1.0 - tail }
    };
    // Beyond 45/r the density is below e^-45.
    of_noise(x, k, density, below, &[-45.0 / r, 0.0, 45.0 / r], 90)
}

/// Scores in descending order.
pub fn sorted(x: &[f64]) -> Vec<f64> {
    let mut sorted = x.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted
}

/// Permute-and-flip by loss gaps; the smallest gap is subtracted first.
pub fn flips(excess: &[f64]) -> Vec<f64> {
    let least = excess.iter().copied().fold(f64::INFINITY, f64::min);
    permute_and_flip(&excess.iter().map(|z| z - least).collect::<Vec<_>>())
}
