#![doc = include_str!("page.md")]

#[cfg(any(test, feature = "verify"))]
pub(crate) mod law;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::exact::near_f64;
use crate::mechanism::draw::sealed;
use crate::mechanism::{Card, Chooses, Mechanism, PickLoss, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{Bits, Entrant, Filter, FirstArrival, Handicapped, Race, uniform_below};
use crate::scores::Scores;

/// k-ary randomized response: the best candidate with a given probability, else any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KaryRandomizedResponse;

/// The card of [`KaryRandomizedResponse`].
pub static CARD: Card = Card {
    id: "krr",
    summary: "k-ary randomized response: the best with probability e^eps/(m - 1 + e^eps)",
    chooses: Chooses::One,
    sensitivity: Sensitivity::Any,
    loss: PickLoss::Pure,
    reference: "P. Kairouz, S. Oh and P. Viswanath, \"Extremal Mechanisms for Local Differential Privacy\" \
                (2016)",
    page: include_str!("page.md"),
    timing: None,
    parameters: &[],
    build: |_| Ok(Arc::new(KaryRandomizedResponse)),
    #[cfg(any(test, feature = "verify"))]
    contract: law::contract,
};

/// The lane of the bits that choose among the others.
const OTHERS_LANE: u64 = 1;

impl Mechanism for KaryRandomizedResponse {
    fn card(&self) -> &'static Card {
        &CARD
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::Draw for KaryRandomizedResponse {
    fn draw(&self, scores: &Scores, _: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        let values = scores.values();
        let others = values.len() as u64 - 1;
        // The first, if several are best.
        let best =
            (0..values.len()).min_by_key(|&i| (std::cmp::Reverse(values[i]), i)).unwrap_or(0);
        if others == 0 {
            return vec![best];
        }
        if takes_the_best(others, epsilon.as_rational(), bits, Filter::default()) {
            return vec![best];
        }
        let other = uniform_below(&mut bits.lane(OTHERS_LANE), &BigUint::from(others));
        let other = other.iter_u64_digits().next().unwrap_or(0) as usize;
        vec![if other < best { other } else { other + 1 }]
    }
}

/// True with probability e^eps/(e^eps + others).
fn takes_the_best(others: u64, epsilon: &BigRational, bits: &Bits, filter: Filter) -> bool {
    let ln_others = libm::log(others as f64);
    let error = 2f64.powi(-50) * (1.0 + ln_others);
    let mut race = Race::new(bits, FirstArrival::Exponential, filter, error);
    race.enter(Handicapped { ln_size: 0.0, handicap: 0.0 });
    race.enter(Handicapped { ln_size: ln_others, handicap: near_f64(epsilon) });
    let winner = race.winner(|address| match address.position {
        0 => Entrant { size: BigUint::one(), handicap: BigRational::zero() },
        _ => Entrant { size: others.into(), handicap: epsilon.clone() },
    });
    winner.is_none_or(|address| address.position == 0)
}
