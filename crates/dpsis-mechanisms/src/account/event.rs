//! Releases that ran, with the proven properties of their privacy losses.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Result};
use crate::exact::{Exact, ratio};
use crate::privacy::{Delta, Epsilon};

/// The maximum number of releases of one event.
const MAX_COUNT: u64 = 1 << 32;

/// A release that ran or will run, and how often: the proven property of its privacy loss. The
/// [accountants](super::ACCOUNTANTS) compute its price.
///
/// A release without a proven property has no event. The mechanisms of this crate give their events
/// by [`Card::event`](crate::mechanism::Card::event), a record by `dpsis::Record::events`.
///
/// ```
/// use dpsis_mechanisms::account::Event;
///
/// let counts = Event::laplace(1, "2.5")?.times(10)?;
/// let picks = Event::bounded_range("0.1".parse()?).times(20)?.fixed_in_advance();
/// assert_eq!((counts.count(), picks.count()), (10, 20));
/// assert!(Event::gaussian(1, 0).is_err());
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    loss: Loss,
    count: u64,
    fixed: bool,
}

/// The proven property of the privacy loss of one release, the logarithm of the ratio of an
/// outcome's probabilities on neighboring tables.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// It lies between -epsilon and epsilon: pure differential privacy.
    Pure(Epsilon),
    /// Its largest and smallest value on a pair of neighboring tables differ by at most epsilon:
    /// bounded range. Such a release is epsilon-differentially private too.
    BoundedRange(Epsilon),
    /// The release is (epsilon, delta)-differentially private, and nothing else is known of it.
    Approximate {
        /// Its epsilon.
        epsilon: Epsilon,
        /// Its delta.
        delta: Delta,
    },
    /// The release is rho-zCDP (zero-concentrated differential privacy).
    Zcdp(Exact),
    /// The loss of noise with a density proportional to e^(-|z|/scale) on numbers whose changes sum
    /// to at most the sensitivity in magnitude.
    Laplace {
        /// The largest L1 distance between the numbers of neighboring tables.
        sensitivity: Exact,
        /// The scale of the noise.
        scale: Exact,
    },
    /// The loss of normal noise on numbers whose change has at most this Euclidean length.
    Gaussian {
        /// The largest Euclidean distance between the numbers of neighboring tables.
        sensitivity: Exact,
        /// The standard deviation of the noise.
        deviation: Exact,
    },
}

impl Event {
    fn once(loss: Loss) -> Self {
        Self { loss, count: 1, fixed: false }
    }

    /// An epsilon-differentially private release.
    pub fn pure(epsilon: Epsilon) -> Self {
        Self::once(Loss::Pure(epsilon))
    }

    /// An epsilon-bounded-range release, such as a pick of the exponential mechanism.
    pub fn bounded_range(epsilon: Epsilon) -> Self {
        Self::once(Loss::BoundedRange(epsilon))
    }

    /// An (epsilon, delta)-differentially private release, such as one whose mechanism depends on
    /// an earlier result. [`AccountantCard`](super::AccountantCard) prices it with other events.
    pub fn approximate(epsilon: Epsilon, delta: Delta) -> Self {
        Self::once(Loss::Approximate { epsilon, delta })
    }

    /// A rho-zCDP release.
    ///
    /// # Errors
    ///
    /// `Request` unless rho is a positive number.
    pub fn zcdp(rho: impl Into<Exact>) -> Result<Self> {
        Ok(Self::once(Loss::Zcdp(positive(rho.into(), "rho")?)))
    }

    /// A release with Laplace noise. The guarantee is for real numbers; a program has it only if it
    /// draws its noise exactly.
    ///
    /// # Errors
    ///
    /// `Request` unless both are positive numbers.
    pub fn laplace(sensitivity: impl Into<Exact>, scale: impl Into<Exact>) -> Result<Self> {
        let sensitivity = positive(sensitivity.into(), "a sensitivity")?;
        let scale = positive(scale.into(), "a scale")?;
        Ok(Self::once(Loss::Laplace { sensitivity, scale }))
    }

    /// A release with Gaussian noise, with the same reservation as for [`laplace`](Self::laplace).
    ///
    /// # Errors
    ///
    /// `Request` unless both are positive numbers.
    pub fn gaussian(sensitivity: impl Into<Exact>, deviation: impl Into<Exact>) -> Result<Self> {
        let sensitivity = positive(sensitivity.into(), "a sensitivity")?;
        let deviation = positive(deviation.into(), "a standard deviation")?;
        Ok(Self::once(Loss::Gaussian { sensitivity, deviation }))
    }

    /// Repeats the event: its count is multiplied.
    ///
    /// # Errors
    ///
    /// `Request` if the count is 0, or exceeds 2^32.
    pub fn times(mut self, count: u64) -> Result<Self> {
        self.count = self.count.saturating_mul(count);
        if !(1..=MAX_COUNT).contains(&self.count) {
            return Err(Error::request("an event must be counted from 1 to 2^32 times"));
        }
        Ok(self)
    }

    /// Marks each release as requested before the result of any other was seen.
    ///
    /// It lowers the price of bounded-range releases
    /// ([`BoundedRangeInAdvance`](super::BoundedRangeInAdvance)). The rounds of a peeling choose
    /// among the candidates that earlier rounds left: it does not hold for them, and events from a
    /// card do not have it.
    pub fn fixed_in_advance(mut self) -> Self {
        self.fixed = true;
        self
    }

    /// The proven property of the loss of one of its releases.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// The number of releases.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether all releases are marked as requested before any result was seen.
    pub fn is_fixed_in_advance(&self) -> bool {
        self.fixed
    }

    /// The least epsilon for which one release is proven to be epsilon-differentially private.
    pub(super) fn pure_epsilon(&self) -> Option<BigRational> {
        match &self.loss {
            Loss::Pure(epsilon) | Loss::BoundedRange(epsilon) => {
                Some(epsilon.as_rational().clone())
            }
            Loss::Laplace { sensitivity, scale } => quotient(sensitivity, scale),
            Loss::Approximate { .. } | Loss::Zcdp(_) | Loss::Gaussian { .. } => None,
        }
    }

    /// The event apart from an outcome whose probability is returned, too: an (epsilon,
    /// delta)-differentially private release is an epsilon-differentially private one, unless an
    /// event of probability delta occurs.
    fn unless_it_fails(&self) -> (Self, BigRational) {
        match &self.loss {
            Loss::Approximate { epsilon, delta } => {
                let pure = Self { loss: Loss::Pure(epsilon.clone()), ..self.clone() };
                (pure, delta.as_rational() * BigInt::from(self.count))
            }
            _ => (self.clone(), BigRational::zero()),
        }
    }

    /// The events, with approximate ones as pure ones, and the sum of their deltas.
    pub fn without_deltas(events: &[Self]) -> (Vec<Self>, Exact) {
        let (events, deltas): (Vec<Self>, Vec<BigRational>) =
            events.iter().map(Self::unless_it_fails).unzip();
        (events, Exact::of(deltas.into_iter().sum()))
    }

    /// The epsilon of a bounded-range event.
    pub(super) fn bounded(&self) -> Option<BigRational> {
        match &self.loss {
            Loss::BoundedRange(epsilon) => Some(epsilon.as_rational().clone()),
            _ => None,
        }
    }

    /// The least epsilon for which one release is proven to be epsilon-bounded-range: a loss
    /// between -epsilon and epsilon has twice the range.
    fn range(&self) -> Option<BigRational> {
        self.bounded().or_else(|| Some(self.pure_epsilon()? * ratio(2, 1)))
    }

    /// The least rho for which one release is proven to be rho-zCDP: an eighth of the square of its
    /// range (see the page), or that of the noise.
    pub(super) fn rho(&self) -> Option<BigRational> {
        match &self.loss {
            Loss::Zcdp(rho) => rho.clone().rational(),
            Loss::Gaussian { .. } => Some(self.mu_squared()? / ratio(2, 1).numer()),
            _ => self.range().map(|range| &range * &range / ratio(8, 1).numer()),
        }
    }

    /// The square of the mu for which one release is mu-Gaussian-differentially private.
    pub(super) fn mu_squared(&self) -> Option<BigRational> {
        match &self.loss {
            Loss::Gaussian { sensitivity, deviation } => {
                quotient(sensitivity, deviation).map(|mu| &mu * &mu)
            }
            _ => None,
        }
    }
}

/// Formats an event as its proven property, `x` and the count, as in `pure:0.5`, `range:0.04x50`,
/// `approximate:0.5,1e-6`, `zcdp:0.01`, `laplace:1,2.5x10` and `gaussian:1,4` (sensitivity, then
/// scale or deviation); a `+` at the end means that its releases are fixed in advance.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.loss {
            Loss::Pure(epsilon) => write!(f, "pure:{epsilon}"),
            Loss::BoundedRange(epsilon) => write!(f, "range:{epsilon}"),
            Loss::Approximate { epsilon, delta } => write!(f, "approximate:{epsilon},{delta}"),
            Loss::Zcdp(rho) => write!(f, "zcdp:{rho}"),
            Loss::Laplace { sensitivity, scale } => write!(f, "laplace:{sensitivity},{scale}"),
            Loss::Gaussian { sensitivity, deviation } => {
                write!(f, "gaussian:{sensitivity},{deviation}")
            }
        }?;
        if self.count > 1 {
            write!(f, "x{}", self.count)?;
        }
        f.write_str(if self.fixed { "+" } else { "" })
    }
}

impl FromStr for Event {
    type Err = Error;

    /// Reads the text of an event.
    ///
    /// # Errors
    ///
    /// `Request` if the text is not an event that the accountants can price.
    fn from_str(text: &str) -> Result<Self> {
        let unknown = || {
            Error::request("there is no such event").hint(
                "events are pure:EPSILON, range:EPSILON, approximate:EPSILON,DELTA, zcdp:RHO, \
                 laplace:SENSITIVITY,SCALE and gaussian:SENSITIVITY,DEVIATION, with x and a count for several, \
                 such as pure:0.5x12",
            )
        };
        let (kind, rest) = text.trim().split_once(':').ok_or_else(unknown)?;
        let (rest, fixed) = match rest.strip_suffix('+') {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let (numbers, count) = match rest.split_once('x') {
            Some((numbers, count)) => (numbers, count.parse().map_err(|_| unknown())?),
            None => (rest, 1),
        };
        let pair = || numbers.split_once(',').ok_or_else(unknown);
        let event = match kind {
            "pure" => Self::pure(epsilon(numbers)?),
            "range" => Self::bounded_range(epsilon(numbers)?),
            "approximate" => {
                let (number, delta) = pair()?;
                Self::approximate(epsilon(number)?, delta.parse()?)
            }
            "zcdp" => Self::zcdp(numbers)?,
            "laplace" => {
                pair().and_then(|(sensitivity, scale)| Self::laplace(sensitivity, scale))?
            }
            "gaussian" => pair().and_then(|(sensitivity, sd)| Self::gaussian(sensitivity, sd))?,
            _ => return Err(unknown()),
        };
        let event = event.times(count)?;
        Ok(if fixed { event.fixed_in_advance() } else { event })
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| serde::de::Error::custom("not an event of a release"))
    }
}

fn quotient(sensitivity: &Exact, noise: &Exact) -> Option<BigRational> {
    Some(sensitivity.clone().rational()? / noise.clone().rational()?)
}

/// Parses an epsilon, for example of a round, which may be smaller than that of a request.
fn epsilon(text: &str) -> Result<Epsilon> {
    let number = positive(text.into(), "epsilon")?.rational();
    number.map(Epsilon::part).ok_or_else(|| Error::request("epsilon must be a number"))
}

/// A number between 1e-100 and 1e100.
fn positive(number: Exact, what: &str) -> Result<Exact> {
    let largest = Exact::from("1e100").rational();
    match (number.clone().rational(), largest) {
        (Some(value), Some(largest))
            if value.is_positive() && value <= largest && value.recip() <= largest =>
        {
            Ok(number)
        }
        _ => Err(Error::request(format!("{what} must be a number between 1e-100 and 1e100"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The proven properties, by the definitions.
    #[test]
    fn losses_in_every_view() {
        let half = || "0.5".parse::<Epsilon>().unwrap();
        let views = |event: Event| (event.pure_epsilon(), event.range(), event.rho());
        let some = |a, b| Some(ratio(a, b));
        assert_eq!(views(Event::pure(half())), (some(1, 2), some(1, 1), some(1, 8)));
        assert_eq!(views(Event::bounded_range(half())), (some(1, 2), some(1, 2), some(1, 32)));
        assert_eq!(views(Event::laplace(3, 6).unwrap()), (some(1, 2), some(1, 1), some(1, 8)));
        assert_eq!(views(Event::gaussian(2, 1).unwrap()), (None, None, some(2, 1)));
        assert_eq!(views(Event::zcdp("1/3").unwrap()), (None, None, some(1, 3)));
    }

    #[test]
    fn text_and_event_are_the_same() {
        let fixed = Event::bounded_range("0.04".parse().unwrap()).times(50).unwrap();
        for (text, event) in [
            ("pure:0.5", Event::pure("0.5".parse().unwrap())),
            ("range:0.04x50+", fixed.fixed_in_advance()),
            (
                "approximate:0.5,1e-6x3",
                Event::approximate("0.5".parse().unwrap(), "1e-6".parse().unwrap())
                    .times(3)
                    .unwrap(),
            ),
            ("zcdp:1/3x2", Event::zcdp("1/3").unwrap().times(2).unwrap()),
            ("laplace:1,2.5x10", Event::laplace(1, "2.5").unwrap().times(10).unwrap()),
            ("gaussian:2,4", Event::gaussian(2, 4).unwrap()),
        ] {
            assert_eq!(text.parse::<Event>().unwrap(), event);
            assert_eq!(event.to_string(), text);
        }
        for wrong in [
            "",
            "pure",
            "pure:",
            "pure:0",
            "pure:1x0",
            "pure:1x",
            "pure:1x2x3",
            "exp:1",
            "laplace:1",
            "gaussian:1,2,3",
            "laplace:0,1",
            "range:1++",
            "pure:1,2",
            "approximate:1",
            "approximate:1,1",
            "zcdp:-1",
        ] {
            assert!(wrong.parse::<Event>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn invalid_events_are_refused() {
        for wrong in ["0", "-1", "nan", "1e101", "1e-101"] {
            assert!(Event::zcdp(wrong).is_err(), "{wrong}");
            assert!(Event::laplace(wrong, 1).is_err() && Event::laplace(1, wrong).is_err());
            assert!(Event::gaussian(wrong, 1).is_err() && Event::gaussian(1, wrong).is_err());
        }
        let event = Event::pure("1".parse().unwrap());
        assert!(event.clone().times(0).is_err());
        assert!(event.clone().times(1 << 20).unwrap().times(1 << 13).is_err());
        assert_eq!(event.times(3).unwrap().times(4).unwrap().count(), 12);
    }
}
