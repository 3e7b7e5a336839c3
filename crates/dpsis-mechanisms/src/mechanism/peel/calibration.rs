//! The noise of a peeling that may spend a delta.
//!
//! Each of the k rounds of a peeling at e' is (e'/k)-bounded-range, and depends on the rounds
//! before. So the k of them cost (epsilon, delta) by the adaptive composition of bounded-range
//! releases ([`BoundedRange`], which is never above the bound of zCDP), for an e' that exceeds
//! epsilon from three rounds on. The largest such e' is searched and rounded down to four digits of
//! e'/k; the price of the rounded number is checked once more. The optimum for releases fixed in
//! advance would allow less noise, but does not hold here.
//!
//! Some twenty prices of up to 4 million steps each: a tenth to half a second.

use std::cell::RefCell;

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::account::{Accountant, BoundedRange, Event};
use crate::error::{Error, Parameter, Result};
use crate::exact::{Interval, four_digits_down};
use crate::mechanism::Card;
use crate::privacy::{Delta, Epsilon};

/// A delta is not spent if it reduces the noise by less than this share.
const MIN_GAIN: f64 = 0.01;

/// k, the epsilon and the delta of a request.
type CalibrationKey = (usize, Epsilon, Delta);

thread_local! {
    /// The last result of this thread, with its request: a request is planned several times, and a
    /// simulation draws from it many times.
    static LAST: RefCell<Option<(CalibrationKey, Calibrated)>> = const { RefCell::new(None) };
}

/// The price of a selection, and its noise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calibrated {
    /// The epsilon that is spent.
    pub epsilon: Epsilon,
    /// The epsilon of the mechanism's draw: the epsilon of the selection at delta = 0.
    pub noise: Epsilon,
    /// The delta that is spent.
    pub delta: Delta,
    /// Whether the delta of the request is not spent, because it would hardly reduce the noise.
    pub is_unspent: bool,
}

impl Calibrated {
    /// A purely private selection.
    pub fn pure(epsilon: &Epsilon) -> Self {
        let (epsilon, noise) = (epsilon.clone(), epsilon.clone());
        Self { epsilon, noise, delta: Delta::zero(), is_unspent: false }
    }
}

/// Computes the noise of k picks with this budget.
///
/// # Errors
///
/// `Request` if a delta is given for a mechanism other than peeling.
pub fn calibrate(card: &Card, k: usize, epsilon: &Epsilon, delta: &Delta) -> Result<Calibrated> {
    if delta.is_zero() {
        return Ok(Calibrated::pure(epsilon));
    }
    if card.id != super::CARD.id {
        let rule = "a delta reduces the noise of peeling (peel) alone, if k is given";
        return Err(Error::request(rule).about([Parameter::Mechanism, Parameter::Delta]));
    }
    let request = (k, epsilon.clone(), delta.clone());
    let known = LAST.with_borrow(|last| {
        last.as_ref().filter(|(known, _)| *known == request).map(|(_, found)| found.clone())
    });
    if let Some(known) = known {
        return Ok(known);
    }
    let found = searched(k, epsilon, delta)?;
    LAST.set(Some((request, found.clone())));
    Ok(found)
}

fn searched(k: usize, epsilon: &Epsilon, delta: &Delta) -> Result<Calibrated> {
    let pure = Calibrated::pure(epsilon);
    let price = |round: &Epsilon| price(round, k, epsilon);
    let noise = largest_round(k, epsilon, delta, price)?.map(|round| whole(&round, k));
    let enough = |noise: &Epsilon| noise.to_f64() >= (1.0 + MIN_GAIN) * epsilon.to_f64();
    match noise.filter(enough) {
        Some(noise) => Ok(Calibrated { noise, delta: delta.clone(), ..pure }),
        None => Ok(Calibrated { is_unspent: true, ..pure }),
    }
}

/// A delta for which k rounds of this epsilon, each depending on those before, cost epsilon.
fn price(round: &Epsilon, k: usize, epsilon: &Epsilon) -> Result<f64> {
    let rounds = Event::bounded_range(round.clone()).times(k as u64)?;
    BoundedRange::of(&[rounds])?.delta(epsilon.clone())
}

/// The largest epsilon of a round whose price is at most delta, to four digits; `None` if it is not
/// above epsilon/k.
fn largest_round(
    k: usize,
    epsilon: &Epsilon,
    delta: &Delta,
    price: impl Fn(&Epsilon) -> Result<f64>,
) -> Result<Option<Epsilon>> {
    let most = Interval::rational(delta.as_rational()).lo;
    let suffices = |round: &Epsilon| price(round).map(|delta| delta <= most);
    let least = epsilon.to_f64() / k as f64;
    let (mut low, mut high) = (least, 2.0 * least);
    while high < 1e6 && suffices(&near(high)?)? {
        (low, high) = (high, 2.0 * high);
    }
    while high - low > 2e-5 * low {
        let middle = low.midpoint(high);
        if suffices(&near(middle)?)? { low = middle } else { high = middle }
    }
    let round = near(low)?;
    Ok((round.to_f64() > least && suffices(&round)?).then_some(round))
}

/// The largest number with four digits that is at most this one.
fn near(number: f64) -> Result<Epsilon> {
    let exact = four_digits_down(number).rational();
    exact.map(Epsilon::part).ok_or_else(|| Error::request("epsilon is out of range"))
}

/// k rounds of this epsilon by basic composition.
fn whole(round: &Epsilon, k: usize) -> Epsilon {
    Epsilon::part(round.as_rational() * BigRational::from(BigInt::from(k)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::BoundedRangeInAdvance;
    use crate::exact::Exact;
    use crate::mechanism::{CARDS, canonical, peel};

    fn epsilon(text: &str) -> Epsilon {
        text.parse().unwrap()
    }

    fn delta(text: &str) -> Delta {
        text.parse().unwrap()
    }

    /// The delta of an adversary who chooses the offset of each round by the losses before, from a
    /// lattice of `points` points: a lower bound of the optimum, because the sums of losses are
    /// exact.
    fn reached(round: f64, k: usize, target: f64, points: usize) -> f64 {
        let step = round / points as f64;
        let above = |n: usize| -(target + (n as f64 - (k * points) as f64) * step).exp_m1();
        let mut deltas: Vec<f64> = (0..=2 * k * points).map(|n| above(n).max(0.0)).collect();
        for _ in 0..k {
            let next = |n: usize| {
                let by_offset = |i: usize| {
                    let small = (i as f64 * step).exp_m1() / round.exp_m1();
                    (1.0 - small) * deltas[n + points - i] + small * deltas[n + 2 * points - i]
                };
                (0..=points).map(by_offset).fold(0.0, f64::max)
            };
            deltas = (0..deltas.len() - 2 * points).map(next).collect();
        }
        deltas[0]
    }

    /// The epsilon that k rounds fixed in advance could draw with: too much for peeling.
    fn in_advance(k: usize, whole: &Epsilon, most: &Delta) -> Epsilon {
        let price = |round: &Epsilon| {
            let rounds = Event::bounded_range(round.clone()).times(k as u64)?;
            BoundedRangeInAdvance::of(&[rounds.fixed_in_advance()])?.delta(whole.clone())
        };
        largest_round(k, whole, most, price).unwrap().unwrap()
    }

    /// The delta that is spent covers the delta of an adversary. A broken variant, calibrated as if
    /// the rounds were fixed in advance, does not.
    #[test]
    fn adaptive_rounds_stay_within_delta() {
        for (k, points, whole, most) in [(10, 40, "0.1", "1e-3"), (20, 30, "1", "1e-6")] {
            let (whole, limit) = (epsilon(whole), most.parse::<f64>().unwrap());
            let reaches =
                |round: &Epsilon| reached(round.to_f64(), k, whole.to_f64(), points) / limit;
            let noise = calibrate(&peel::CARD, k, &whole, &delta(most)).unwrap().noise;
            let right = Epsilon::part(noise.as_rational() / BigInt::from(k));
            assert!(reaches(&right) <= 1.0, "{k}");
            let wrong = reaches(&in_advance(k, &whole, &delta(most)));
            assert!(wrong > 1.02, "{k}: {wrong}");
        }
    }

    /// As computed by another program (numpy, the same bounds without directed rounding), and
    /// between a textbook bound by zCDP, rho = k e^2/8 and epsilon = rho + 2 sqrt(rho ln(1/delta)),
    /// and rounds fixed in advance.
    #[test]
    fn noise_agrees_with_another_program() {
        for (k, whole, most, expected) in [
            (5, "2", "1e-6", 2.2555),
            (20, "1", "1e-6", 2.1142),
            (100, "2", "1e-9", 6.7313),
            (2000, "0.5", "1e-6", 10.3084),
        ] {
            let calibrated = calibrate(&peel::CARD, k, &epsilon(whole), &delta(most)).unwrap();
            let noise = calibrated.noise.to_f64();
            assert!((noise / expected - 1.0).abs() < 5e-4, "{k}: {noise}");
            assert_eq!(calibrated.delta, delta(most));
            let (eps, ln) = (epsilon(whole).to_f64(), -most.parse::<f64>().unwrap().ln());
            let root = (ln + eps).sqrt() - ln.sqrt();
            assert!(noise > (8.0 * k as f64).sqrt() * root, "{k}: {noise}");
            if k <= 100 {
                let most = in_advance(k, &epsilon(whole), &delta(most)).to_f64() * k as f64;
                assert!(noise < most, "{k}: {noise} {most}");
            }
            // Anyone can check the result with the accountant.
            let rounds = [peel::CARD.event(k, &calibrated.noise).unwrap()];
            assert!(BoundedRange::of(&rounds).unwrap().epsilon(most).unwrap() <= eps);
        }
    }

    #[test]
    fn useless_deltas_are_not_spent() {
        for k in [1, 2] {
            let calibrated = calibrate(&peel::CARD, k, &epsilon("2"), &delta("1e-6")).unwrap();
            assert!(calibrated.is_unspent);
            let pure = Calibrated::pure(&epsilon("2"));
            assert_eq!(Calibrated { is_unspent: false, ..calibrated }, pure);
        }
        let none = calibrate(&canonical::CARD, 5, &epsilon("2"), &Delta::zero()).unwrap();
        assert_eq!(none, Calibrated::pure(&epsilon("2")));
    }

    #[test]
    fn only_peeling_takes_a_delta() {
        for card in CARDS {
            let taken = calibrate(card, 1, &epsilon("2"), &delta("1e-6")).is_ok();
            assert_eq!(taken, card.id == "peel", "{}", card.id);
        }
    }

    #[test]
    fn four_digits_rounded_down() {
        for (number, text) in
            [(0.12349, "0.1234"), (1.0, "1"), (99.999, "99.99"), (1.23456e-7, "1.234e-7")]
        {
            assert_eq!(near(number).unwrap().as_rational(), &Exact::from(text).rational().unwrap());
        }
    }
}
