//! The canonical Lipschitz mechanism by brute force: all k-subsets with the loss by its definition,
//! written in two ways. It uses no classes, blocks or races, except in `printed_tickets`, which
//! follows a published pseudo-code to the letter. It depends on the test support alone, so that
//! `examples/erratum.rs` can use it.

use crate::support::laws::{Noise, sorted};
use crate::support::oracle::subsets;

/// The probability of each of [`subsets`]; scores in units of the sensitivity.
pub fn law(x: &[f64], k: usize, gamma: f64, eps: f64, noise: Noise) -> Vec<f64> {
    let losses = losses(x, k, gamma);
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    noise(&losses.iter().map(|loss| eps / 2.0 * (loss - least)).collect::<Vec<_>>())
}

/// The loss of each of [`subsets`]: (1 - gamma) max(x_\[k\], max of x outside y) - gamma (min of x
/// in y).
pub(crate) fn losses(x: &[f64], k: usize, gamma: f64) -> Vec<f64> {
    let kth = sorted(x)[k - 1];
    let loss = |y: &Vec<usize>| {
        let out = (0..x.len()).filter(|i| !y.contains(i)).map(|i| x[i]);
        let best_out = out.fold(kth, f64::max);
        let worst_in = y.iter().map(|&i| x[i]).fold(f64::INFINITY, f64::min);
        (1.0 - gamma) * best_out - gamma * worst_in
    };
    subsets(x.len(), k).iter().map(loss).collect()
}

/// The law of the page, with h and t found by ranking: for each of [`subsets`]; scores in units of
/// the sensitivity.
#[cfg_attr(not(test), allow(dead_code, reason = "for tests and the example"))]
pub(crate) fn law_by_ranks(x: &[f64], k: usize, gamma: f64, eps: f64, noise: Noise) -> Vec<f64> {
    let all = subsets(x.len(), k);
    let losses: Vec<f64> = all.iter().map(|y| loss_by_ranks(x, y, gamma)).collect();
    let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let excess: Vec<f64> = losses.iter().map(|l| eps / 2.0 * (l - best)).collect();
    noise(&excess)
}

/// Loss(y|x) = (1 - gamma) x_[h+1] - gamma x_[t]: h is the largest integer below k with the top h
/// all in y, t the rank of y's worst member.
#[cfg_attr(not(test), allow(dead_code, reason = "for tests and the example"))]
fn loss_by_ranks(x: &[f64], y: &[usize], gamma: f64) -> f64 {
    let order = ranking(x);
    let top = order.iter().take_while(|i| y.contains(i)).count();
    let h = top.min(y.len() - 1);
    let worst = order.iter().rposition(|i| y.contains(i)).unwrap_or(0);
    (1.0 - gamma) * x[order[h]] - gamma * x[order[worst]]
}

/// Candidates from the best score to the worst.
fn ranking(x: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&i, &j| x[j].total_cmp(&x[i]).then(i.cmp(&j)));
    order
}

/// The published pseudo-code's utility classes: for h < k and t > k all sets "head 1..h, body from
/// ranks h+1..t-1, tail t", so C(t-h-1, k-h-1) sets. One ticket (index of the set, excess) for each
/// set of each class: sets that hold rank h+1 are also in the class of h+1, so some sets hold
/// several tickets.
pub(crate) fn printed_tickets(x: &[f64], k: usize, gamma: f64, eps: f64) -> Vec<(usize, f64)> {
    let (d, order, all) = (x.len(), ranking(x), subsets(x.len(), k));
    let score = |rank: usize| x[order[rank - 1]];
    let index_of = |ranks: &[usize]| {
        let mut y: Vec<usize> = ranks.iter().map(|&rank| order[rank - 1]).collect();
        y.sort_unstable();
        // The list contains it, because y is a k-subset.
        all.iter().position(|other| *other == y).unwrap_or(all.len())
    };
    let top: Vec<usize> = (1..=k).collect();
    let mut tickets = vec![(index_of(&top), 0.0)];
    for t in k + 1..=d {
        for h in 0..k {
            let (a, b) = (gamma * eps / 2.0, (1.0 - gamma) * eps / 2.0);
            let z = b * (score(h + 1) - score(k)) + a * (score(k) - score(t));
            for body in subsets(t - h - 1, k - h - 1) {
                let mut ranks: Vec<usize> = (1..=h).collect();
                ranks.extend(body.iter().map(|i| h + 1 + i));
                ranks.push(t);
                tickets.push((index_of(&ranks), z));
            }
        }
    }
    tickets
}

/// The law of a choice among tickets, summed by set.
pub(crate) fn law_of_tickets(tickets: &[(usize, f64)], sets: usize, noise: Noise) -> Vec<f64> {
    let excess: Vec<f64> = tickets.iter().map(|ticket| ticket.1).collect();
    let mut law = vec![0.0; sets];
    for ((set, _), p) in tickets.iter().zip(noise(&excess)) {
        law[*set] += p;
    }
    law
}
