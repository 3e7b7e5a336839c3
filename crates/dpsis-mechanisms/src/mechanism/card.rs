//! The card of a mechanism: its properties and proofs, and how it is made.

use std::sync::Arc;

use crate::account::Event;
use crate::error::{Error, Result};
#[cfg(any(test, feature = "verify"))]
use crate::mechanism::contract::Contract;
use crate::mechanism::{Mechanism, MechanismParameter, Parameters, check_k};
use crate::privacy::Epsilon;

/// The card of a mechanism. Tests check every private mechanism against it.
#[derive(Debug)]
pub struct Card {
    /// Its name in requests and records.
    pub id: &'static str,
    /// A summary, in a line.
    pub summary: &'static str,
    /// One candidate, a set, or a sequence whose order is released.
    pub chooses: Chooses,
    /// The scores it takes: with one sensitivity, with their own, or any.
    pub sensitivity: Sensitivity,
    /// How accountants compose the privacy loss of its picks.
    pub loss: PickLoss,
    /// The publication.
    pub reference: &'static str,
    /// Its page: definition, guarantee with proof, exact sampling, cost and source.
    pub page: &'static str,
    /// How its running time depends on the scores, or `None` where it does not.
    pub timing: Option<&'static str>,
    /// The parameters it takes.
    pub parameters: &'static [MechanismParameter],
    /// Makes it from its own parameters.
    pub(super) build: fn(&Parameters) -> Result<Arc<dyn Mechanism>>,
    /// The tests for it.
    #[cfg(any(test, feature = "verify"))]
    pub contract: fn() -> Contract,
}

/// The kind of a mechanism's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chooses {
    /// One candidate.
    One,
    /// A set of k, in the order of the candidates.
    Set,
    /// A set of at most k, in the order of the candidates.
    AtMost,
    /// k candidates in an order that is part of the release.
    Sequence,
}

/// The scores that a mechanism takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sensitivity {
    /// Scores with one sensitivity for all.
    Common,
    /// Scores with a sensitivity each, which it uses.
    Own,
    /// Any scores: it uses no sensitivity.
    Any,
}

/// The privacy loss of k picks at epsilon, as accountants compose it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PickLoss {
    /// One event of pure epsilon-differential privacy.
    Pure,
    /// k events, each of (epsilon/k)-bounded range: the losses of two candidates differ by at most
    /// that, for scores that move in one direction and in both (see the page of
    /// [`account`](crate::account)).
    BoundedRange,
}

impl Card {
    /// The guarantee, in a sentence.
    pub fn statement(&self) -> &'static str {
        match self.sensitivity {
            Sensitivity::Common => {
                "epsilon-differentially private (delta = 0) for neighbors between which no score differs by \
                 more than the common sensitivity"
            }
            Sensitivity::Own => {
                "epsilon-differentially private (delta = 0) for neighbors between which no score differs by \
                 more than its own sensitivity"
            }
            Sensitivity::Any => {
                "epsilon-differentially private (delta = 0) for any two tables of scores"
            }
        }
    }

    /// The event of k picks at this epsilon, for the accountants.
    ///
    /// [`PickLoss`] describes the events of each mechanism.
    ///
    /// # Errors
    ///
    /// `Request` if k is 0, above 2^32, or above 1 for a mechanism that chooses one.
    ///
    /// ```
    /// use dpsis_mechanisms::account::{Event, Loss};
    /// use dpsis_mechanisms::mechanism::{CanonicalLipschitz, Mechanism, Peel};
    ///
    /// let canonical = CanonicalLipschitz::default().card().event(5, &"2".parse()?)?;
    /// assert_eq!(canonical, Event::pure("2".parse()?));
    /// let peel = Peel.card().event(5, &"2".parse()?)?;
    /// assert_eq!(peel, Event::bounded_range("0.4".parse()?).times(5)?);
    /// # Ok::<(), dpsis_mechanisms::Error>(())
    /// ```
    pub fn event(&self, k: usize, epsilon: &Epsilon) -> Result<Event> {
        check_k(self, k)?;
        if k == 0 {
            return Err(Error::request("k must be at least 1"));
        }
        match self.loss {
            PickLoss::Pure => Ok(Event::pure(epsilon.clone())),
            PickLoss::BoundedRange => {
                let round = Epsilon::part(epsilon.as_rational() / num_bigint::BigInt::from(k));
                Event::bounded_range(round).times(k as u64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{Accountant, BoundedRange, Loss};
    use crate::mechanism::{CARDS, em, peel, pnf};

    /// The least and the largest loss of all outcomes.
    fn ends(p: &[f64], q: &[f64]) -> (f64, f64) {
        let losses = p.iter().zip(q).map(|(p, q)| (p / q).ln());
        losses.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    }

    /// All pairs of neighboring scores of three candidates in half units of the sensitivity.
    fn pairs(monotonic: bool) -> Vec<(Vec<f64>, Vec<f64>)> {
        let all: Vec<[i32; 3]> = (0..125).map(|code| [code % 5, code / 5 % 5, code / 25]).collect();
        let lowest = if monotonic { 0 } else { -2 };
        let moves = |x: &[i32; 3], y: &[i32; 3]| {
            x.iter().zip(y).all(|(x, y)| (lowest..=2).contains(&(y - x)))
        };
        let units = |x: &[i32; 3]| x.iter().map(|v| f64::from(*v) / 2.0).collect::<Vec<_>>();
        let neighbors =
            |x| all.iter().filter(move |y| moves(x, y)).map(move |y| (units(x), units(y)));
        all.iter().flat_map(neighbors).collect()
    }

    /// The range of the exponential mechanism's loss comes to epsilon and not above, for scores
    /// that move in one direction (twice the rate) and in both; that of permute-and-flip is larger.
    #[test]
    fn the_range_of_a_pick_is_epsilon() {
        let epsilon = 0.8;
        let largest = |monotonic: bool, law: fn(&[f64], usize, f64) -> Vec<f64>| {
            let given = if monotonic { 2.0 * epsilon } else { epsilon };
            let range = |(x, y): &(Vec<f64>, Vec<f64>)| {
                let (low, high) = ends(&law(x, 1, given), &law(y, 1, given));
                high - low
            };
            pairs(monotonic).iter().map(range).fold(0.0, f64::max)
        };
        for monotonic in [false, true] {
            assert!((largest(monotonic, em::law::law) / epsilon - 1.0).abs() < 1e-12);
            // A broken variant: permute-and-flip priced like the exponential mechanism.
            assert!(largest(monotonic, pnf::law::law) > 1.05 * epsilon);
        }
    }

    /// Delta of a peeling of two, from its law by definition, is at most the price of its event, at
    /// every epsilon.
    #[test]
    fn the_price_of_a_peeling_covers_its_law() {
        let given: Epsilon = "0.8".parse().unwrap();
        let price = BoundedRange::of(&[peel::CARD.event(2, &given).unwrap()]).unwrap();
        let pairs = pairs(false);
        for target in [0.0f64, 0.2, 0.5, 0.7] {
            let delta = |(x, y): &(Vec<f64>, Vec<f64>)| -> f64 {
                let (p, q) = (peel::law::law(x, 2, 0.8), peel::law::law(y, 2, 0.8));
                p.iter().zip(q).map(|(p, q)| (p - target.exp() * q).max(0.0)).sum()
            };
            let largest = pairs.iter().map(delta).fold(0.0, f64::max);
            let price = price.delta(target).unwrap();
            assert!(largest <= price, "{target}: {largest} {price}");
            // Three candidates do not reach the largest losses.
            assert!(largest > 0.3 * price || target > 0.2, "{target}: {largest} {price}");
        }
    }

    #[test]
    fn every_card_has_an_event() {
        let epsilon: Epsilon = "2".parse().unwrap();
        for card in CARDS {
            let event = card.event(1, &epsilon).unwrap();
            let range = ["em", "peel"].contains(&card.id);
            assert_eq!(matches!(event.loss(), Loss::BoundedRange(_)), range, "{}", card.id);
            assert_eq!((event.count(), event.is_fixed_in_advance()), (1, false));
            assert!(card.event(0, &epsilon).is_err());
            assert_eq!(card.event(2, &epsilon).is_err(), card.chooses == Chooses::One);
        }
    }
}
