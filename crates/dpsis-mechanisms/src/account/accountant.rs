//! The common parts of all accountants: the trait, the cards, the search for epsilon.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{Event, basic, gaussian, heterogeneous, homogeneous, range, range_in_advance, zcdp};
use crate::error::{Error, Result};
use crate::exact::{Exact, Interval};

/// The cards of all accountants.
pub static ACCOUNTANTS: [&AccountantCard; 7] = [
    &basic::CARD,
    &homogeneous::CARD,
    &heterogeneous::CARD,
    &range_in_advance::CARD,
    &range::CARD,
    &zcdp::CARD,
    &gaussian::CARD,
];

/// The card of an accountant. Tests hold every accountant to it.
#[derive(Debug)]
#[non_exhaustive]
pub struct AccountantCard {
    /// Its name.
    pub id: &'static str,
    /// A summary, in a line.
    pub summary: &'static str,
    /// The events that it prices.
    pub prices: &'static str,
    /// The publication.
    pub reference: &'static str,
    /// The page of all accountants: statements with proofs, rounding, cost and sources.
    pub page: &'static str,
    /// Makes it from events.
    pub(super) of: fn(&[Event]) -> Result<Box<dyn sealed::Curve>>,
}

impl AccountantCard {
    /// An upper bound of the least epsilon for which the events together are (epsilon,
    /// delta)-differentially private. Approximate events are taken as pure ones, and their deltas
    /// add up.
    ///
    /// # Errors
    ///
    /// As for [`Accountant::of`] and [`Accountant::epsilon`].
    pub fn epsilon(&self, events: &[Event], delta: impl Into<Exact>) -> Result<f64> {
        let (events, failure) = Event::without_deltas(events);
        let delta = delta.into().rational().filter(|delta| *delta <= BigRational::one());
        let failure = failure.rational().unwrap_or_default();
        let left = delta.map(|delta| delta - &failure);
        if !failure.is_zero() && left.as_ref().is_some_and(Signed::is_negative) {
            return Err(Error::request(
                "delta must be at least the sum of the deltas of the events",
            ));
        }
        // Not a number, or above 1: refused by the search.
        let left = left.map_or_else(|| f64::NAN.into(), Exact::of);
        epsilon((self.of)(&events)?.as_ref(), left)
    }

    /// A delta for which the events together are (epsilon, delta)-differentially private.
    ///
    /// # Errors
    ///
    /// As for [`Accountant::of`] and [`Accountant::delta`].
    pub fn delta(&self, events: &[Event], epsilon: impl Into<Exact>) -> Result<f64> {
        let (events, failure) = Event::without_deltas(events);
        let failure = failure.rational().unwrap_or_default();
        let delta = checked_delta((self.of)(&events)?.as_ref(), epsilon.into())?;
        if failure.is_zero() {
            return Ok(delta);
        }
        Ok((Interval::point(delta) + Interval::rational(&failure)).hi.min(1.0))
    }
}

/// An accountant: computes the epsilon and delta of events. Sealed, so that every number comes with
/// the proof on [the page](super).
///
/// The events together release all of their results. Unless the accountant's page restricts this,
/// later events may depend on the results of earlier ones. Both numbers are rounded up, so the
/// guarantee holds exactly as reported.
pub trait Accountant: sealed::Curve + Sized + 'static {
    /// Its card.
    fn card() -> &'static AccountantCard;

    /// The accountant of these events.
    ///
    /// # Errors
    ///
    /// `Request` if there is no event, or one that it cannot price.
    fn of(events: &[Event]) -> Result<Self>;

    /// A delta for which the events together are (epsilon, delta)-differentially private, for an
    /// epsilon from 0 to 1e6.
    ///
    /// # Errors
    ///
    /// `Request` if epsilon is out of range.
    fn delta(&self, epsilon: impl Into<Exact>) -> Result<f64> {
        checked_delta(self, epsilon.into())
    }

    /// An epsilon for which the events together are (epsilon, delta)-differentially private, for a
    /// delta from 1e-250 to 1; accountants of pure events take 0 too.
    ///
    /// # Errors
    ///
    /// `Request` if delta is out of range, or no epsilon up to 1e6 suffices.
    fn epsilon(&self, delta: impl Into<Exact>) -> Result<f64> {
        epsilon(self, delta.into())
    }
}

pub(crate) mod sealed {
    use super::*;

    /// The least delta for every epsilon, from above.
    pub trait Curve: std::fmt::Debug {
        /// An upper bound of delta for an epsilon that is not negative; NaN counts as 1.
        fn upper_delta(&self, epsilon: &BigRational) -> f64;

        /// An epsilon for delta = 0, if there is one.
        fn pure(&self) -> Option<BigRational>;
    }
}

/// Delta at an epsilon from 0 to 1e6.
fn checked_delta(curve: &(impl sealed::Curve + ?Sized), epsilon: Exact) -> Result<f64> {
    let most = BigRational::from_integer(1_000_000.into());
    match epsilon.rational() {
        Some(epsilon) if !epsilon.is_negative() && epsilon <= most => {
            Ok(delta_above(curve, &epsilon))
        }
        _ => Err(Error::request("epsilon must be a number from 0 to 1e6")),
    }
}

/// The reported delta.
pub(super) fn delta_above(curve: &(impl sealed::Curve + ?Sized), epsilon: &BigRational) -> f64 {
    if curve.pure().is_some_and(|pure| *epsilon >= pure) {
        return 0.0;
    }
    let delta = curve.upper_delta(epsilon);
    if delta < 1.0 { delta.max(0.0) } else { 1.0 }
}

/// The least epsilon that the search finds, to 13 digits or 1e-16, checked by its own delta.
pub(super) fn epsilon(curve: &(impl sealed::Curve + ?Sized), delta: Exact) -> Result<f64> {
    let out_of_range = || Error::request("delta must be a number from 1e-250 to 1, or 0");
    let delta = delta.rational().ok_or_else(out_of_range)?;
    if delta.is_negative() || delta > BigRational::one() {
        return Err(out_of_range());
    }
    let pure = curve.pure().map(|pure| Interval::rational(&pure).hi);
    let target = Interval::rational(&delta).lo;
    if !(target > 0.99e-250) {
        let none = "no epsilon suffices for a delta below 1e-250: an event has no pure guarantee";
        return pure.ok_or_else(|| Error::request(none));
    }
    let suffices = |epsilon: f64| {
        BigRational::from_float(epsilon).is_some_and(|exact| delta_above(curve, &exact) <= target)
    };
    if suffices(0.0) {
        return Ok(0.0);
    }
    let mut high = pure.unwrap_or(1e6);
    if pure.is_none() && !suffices(high) {
        return Err(Error::request("no epsilon up to 1e6 suffices for this delta"));
    }
    let mut low = 0.0;
    // Halve the exponent's range first: epsilon may be tiny.
    while high - low > 1e-13 * f64::max(high, 1e-3) {
        let middle = if high > 4.0 * f64::max(low, 1e-12) {
            (high * f64::max(low, 1e-12)).sqrt()
        } else {
            low + (high - low) / 2.0
        };
        if suffices(middle) { high = middle } else { low = middle }
    }
    Ok(high)
}

/// The sum of the numbers of releases, which must not exceed a limit.
pub(super) fn releases(events: &[Event], most: u64) -> Result<u64> {
    let releases = events.iter().map(Event::count).fold(0, u64::saturating_add);
    if releases > most {
        return Err(Error::request(format!("this accountant takes at most {most} releases"))
            .hint("zcdp and basic take any number"));
    }
    Ok(releases)
}

/// Collects a value of every event; an error if an event does not have that value.
pub(super) fn each<T>(
    events: &[Event],
    id: &str,
    prices: &str,
    view: impl Fn(&Event) -> Option<T>,
) -> Result<Vec<T>> {
    if events.is_empty() {
        return Err(Error::request("an accountant needs at least one event"));
    }
    events
        .iter()
        .map(|event| view(event).ok_or_else(|| Error::request(format!("{id} prices {prices}"))))
        .collect()
}
