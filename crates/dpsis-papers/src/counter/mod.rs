#![doc = include_str!("page.md")]

mod binary;
mod hybrid;
mod logarithmic;

#[cfg(test)]
mod contract;

use num_bigint::BigInt;
use num_rational::BigRational;

use dpsis::internals::{SeededNoise, saturating_i64};
use dpsis::{Epsilon, Error, Neighbors, Result};

pub use binary::Binary;
pub use hybrid::Hybrid;
pub use logarithmic::Logarithmic;

/// A counter for a given number of steps.
pub type BinaryCounter = ContinualCounter<Binary>;
/// A counter for any number of steps whose sum is new at powers of two.
pub type LogarithmicCounter = ContinualCounter<Logarithmic>;
/// A counter for any number of steps.
pub type HybridCounter = ContinualCounter<Hybrid>;

/// The cards of all counters.
pub static COUNTERS: [&CounterCard; 3] = [&binary::CARD, &logarithmic::CARD, &hybrid::CARD];

/// The card of a counter. Tests hold every counter to it.
#[derive(Debug)]
#[non_exhaustive]
pub struct CounterCard {
    /// Its name.
    pub id: &'static str,
    /// A summary, in a line.
    pub summary: &'static str,
    /// Where it was published.
    pub reference: &'static str,
    /// The page of all counters: definition, guarantee with proof, cost, error and source.
    pub page: &'static str,
    /// Makes it for a number of steps, from eps/D.
    #[cfg(test)]
    make: fn(u64, BigRational) -> Box<dyn sealed::Design>,
}

impl CounterCard {
    /// The guarantee, in a sentence.
    pub fn statement(&self) -> &'static str {
        "all released sums together are epsilon-differentially private (delta = 0) for streams of the same steps of which \
         one has another value (replace-one), or a value in one stream and none in the other (add/remove)"
    }
}

/// The number of the draw that a seed determines, unchanged since the counters were first
/// published.
const DRAW: u64 = 8;

/// A private running sum of a stream of integers: [`BinaryCounter`], [`LogarithmicCounter`] or
/// [`HybridCounter`].
///
/// # Privacy
///
/// `epsilon`-differentially private for the given neighbor relation between streams, all released
/// sums together, if a unit contributes at most one value: see [the page](self). The number of
/// steps, and the step at which a value comes, are public: take a step per unit of time, with
/// [`skip`](Self::skip) where there is no value. A step per record is not covered, since it
/// would show the number of records.
pub struct ContinualCounter<D> {
    design: D,
    low: i64,
    high: i64,
    noise: SeededNoise,
}

impl<D: sealed::Design> ContinualCounter<D> {
    /// A counter of values in a public range, for a design made from eps/D.
    fn of(
        design: impl FnOnce(BigRational) -> Result<D>,
        (low, high): (i64, i64),
        neighbors: Neighbors,
        epsilon: &Epsilon,
        seed: u64,
    ) -> Result<Self> {
        if low >= high {
            return Err(Error::request(
                "the range of a counter's values must hold two numbers or more",
            ));
        }
        let design = design(epsilon.as_rational() / largest_change((low, high), neighbors))?;
        let noise = SeededNoise::new(seed, DRAW)?;
        Ok(Self { design, low, high, noise })
    }

    /// Takes the value of the next step, clipped to the range, and returns the noisy sum so far.
    ///
    /// # Errors
    ///
    /// `Request` at a step beyond the horizon of a [`BinaryCounter`]; nothing is taken or released
    /// then.
    pub fn add(&mut self, value: i64) -> Result<i64> {
        self.step(value.clamp(self.low, self.high))
    }

    /// Takes a step without a value, which counts as 0 for any range, and returns the noisy
    /// sum so far. With [`Neighbors::ReplaceOne`] it is public which steps these are.
    ///
    /// # Errors
    ///
    /// As for [`add`](Self::add).
    pub fn skip(&mut self) -> Result<i64> {
        self.step(0)
    }

    fn step(&mut self, value: i64) -> Result<i64> {
        let noise = &self.noise;
        let mut noisy = |node: Node<'_>| node.sum + noise.laplace(node.last, node.rate);
        let sum = self.design.step(value.into(), &mut noisy)?;
        Ok(saturating_i64(&sum))
    }
}

/// The largest change of the value of one step, D of the page: to another value of the range, or to
/// no value, which counts as 0.
fn largest_change((low, high): (i64, i64), neighbors: Neighbors) -> BigInt {
    match neighbors {
        Neighbors::AddRemove => BigInt::from(low.unsigned_abs().max(high.unsigned_abs())),
        // Replace-one is the only other relation.
        _ => BigInt::from(high) - low,
    }
}

impl<D> std::fmt::Debug for ContinualCounter<D> {
    /// Omits sums and noise, which a debug print must not release.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContinualCounter")
            .field("low", &self.low)
            .field("high", &self.high)
            .finish_non_exhaustive()
    }
}

/// A complete sum of consecutive steps, to be released with noise.
pub(crate) struct Node<'a> {
    /// Its last step, counted from 1; no other node ends there.
    last: u64,
    sum: &'a BigInt,
    /// The noise z has probabilities proportional to e^(-rate |z|).
    rate: &'a BigRational,
}

pub(crate) mod sealed {
    use super::*;

    /// Which sums are released, with how much noise, and how they add up.
    pub trait Design {
        /// Takes the next value and returns the noisy sum; `noisy` adds its noise to the node that
        /// is complete, if one is.
        #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
        fn step(
            &mut self,
            value: BigInt,
            noisy: &mut dyn FnMut(Node<'_>) -> BigInt,
        ) -> Result<BigInt>;
    }
}
