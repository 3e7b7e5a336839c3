#![doc = include_str!("page.md")]

pub(crate) mod calibration;
#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;

use std::sync::Arc;

use num_bigint::BigInt;

use crate::mechanism::arrivals::first_arrivals;
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, FirstArrival};
use crate::scores::Scores;

/// Peeling: k rounds of the exponential mechanism at eps/k, without replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Peel;

/// The card of [`Peel`].
pub static CARD: Card = Card {
    id: "peel",
    summary: "peeling: k rounds of the exponential mechanism at eps/k, as one-shot Gumbel noise",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::BoundedRange,
    reference: "D. Durfee and R. Rogers, \"Practical Differentially Private Top-k Selection with \
                Pay-what-you-get Composition\" (2019)",
    page: include_str!("page.md"),
    timing: None,
    parameters: &[],
    build: |_| Ok(Arc::new(Peel)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl Mechanism for Peel {
    fn card(&self) -> &'static Card {
        &CARD
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for Peel {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let rate = rate(scores, epsilon) / BigInt::from(k);
        first_arrivals(scores.values(), &rate, FirstArrival::Exponential, k, bits, 0)
    }
}

#[cfg(test)]
mod tests {
    use crate::support::laws::{Noise, exponential, flips, of_one};

    /// All vectors of three whole numbers from `low` to `high`.
    fn vectors(low: i32, high: i32) -> impl Iterator<Item = [f64; 3]> {
        let all = move || (low..=high).map(f64::from);
        all().flat_map(move |a| all().flat_map(move |b| all().map(move |c| [a, b, c])))
    }

    /// The largest Renyi divergence of one round at `epsilon`, over the order and the bound
    /// epsilon^2/8 of a release of this range: over score vectors of three candidates and their
    /// neighbors.
    fn largest_divergence(noise: Noise, epsilon: f64) -> f64 {
        let mut largest = 0.0f64;
        for x in vectors(0, 3) {
            for moves in vectors(-1, 1) {
                let moved = [0, 1, 2].map(|i| x[i] + moves[i]);
                let [p, q] = [&x, &moved].map(|x| of_one(x, epsilon / 2.0, noise));
                for order in [1.001, 2.0, 8.0] {
                    let terms = p.iter().zip(&q).map(|(p, q)| p.powf(order) * q.powf(1.0 - order));
                    let divergence = terms.sum::<f64>().ln() / (order - 1.0);
                    largest = largest.max(divergence / (order * epsilon * epsilon / 8.0));
                }
            }
        }
        largest
    }

    /// A round is (eps^2/8)-zCDP. Permute-and-flip, whose losses have a larger range, is rejected.
    #[test]
    fn a_round_is_concentrated() {
        for epsilon in [0.1, 1.0, 3.0] {
            let round = largest_divergence(exponential, epsilon);
            assert!(round <= 1.0 + 1e-6, "{epsilon}: {round}");
            let flipped = largest_divergence(flips, epsilon);
            assert!(flipped > 1.2, "{epsilon}: {flipped}");
        }
    }
}
