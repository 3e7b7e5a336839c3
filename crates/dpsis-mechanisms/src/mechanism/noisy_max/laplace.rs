#![doc = include_str!("laplace.md")]

use std::sync::Arc;

use num_bigint::BigInt;

use crate::mechanism::arrivals::first_arrivals;
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, FirstArrival};
use crate::scores::Scores;

/// One-shot Laplace: noise on every score, the k largest in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaplaceTopK;

/// The card of [`LaplaceTopK`].
pub static CARD: Card = Card {
    id: "laplace",
    summary: "one-shot Laplace: Laplace noise of scale 2k Delta/eps on every score, the k largest",
    chooses: Chooses::Sequence,
    sensitivity: Sensitivity::Common,
    loss: PickLoss::Pure,
    reference: "G. Qiao, W. Su and L. Zhang, \"Oneshot Differentially Private Top-k Selection\" (2021)",
    page: include_str!("laplace.md"),
    timing: None,
    parameters: &[],
    build: |_| Ok(Arc::new(LaplaceTopK)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

impl Mechanism for LaplaceTopK {
    fn card(&self) -> &'static Card {
        &CARD
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for LaplaceTopK {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let rate = rate(scores, epsilon) / BigInt::from(k);
        first_arrivals(scores.values(), &rate, FirstArrival::Laplace, k, bits, 0)
    }
}

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law {
    //! The k largest, in order, of scores with independent Laplace noise of rate eps/(2k).

    use crate::mechanism::contract::{Contract, Law, Mutant, Setting};
    use crate::support::laws::laplace_noise;

    /// The probability of each sequence, k <= 2; scores in units of the sensitivity.
    pub(crate) fn law(x: &[f64], k: usize, eps: f64) -> Vec<f64> {
        laplace_noise(x, k, eps / (2.0 * k as f64))
    }

    pub(in crate::mechanism) fn contract() -> Contract {
        Contract {
            law: |_| Law::common(law).by_integrals().at_most(2),
            settings: vec![Setting::new(&[1, 2])],
            symmetric: true,
            max_ratio: 1.0,
            slack: None,
            mutants: vec![
                Mutant::new("epsilon not divided by k", 2, |x, k, eps| law(x, k, k as f64 * eps))
                    .by_integrals()
                    .at_most(2),
                Mutant::new("the monotonic constant", 2, |x, k, eps| law(x, k, 2.0 * eps))
                    .by_integrals()
                    .at_most(2),
            ],
        }
    }
}
