//! The binary mechanism: a given number of steps, one noisy node per binary digit.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::sealed::Design;
use super::{BinaryCounter, CounterCard, Node};
use dpsis::{Epsilon, Error, Neighbors, Result};

/// The card of [`BinaryCounter`].
pub(super) static CARD: CounterCard = CounterCard {
    id: "binary",
    summary: "the running sum at each of a given number of steps",
    reference: "T.-H. H. Chan, E. Shi and D. Song, \"Private and Continual Release of Statistics\" (2010), \
                section 3.3",
    page: include_str!("page.md"),
    #[cfg(test)]
    make: |horizon, rate| Box::new(Binary::new(0, horizon, &rate)),
};

/// The design of [`BinaryCounter`].
pub struct Binary {
    /// The number of steps before its first.
    before: u64,
    horizon: u64,
    taken: u64,
    rate: BigRational,
    /// The nodes that add up to the steps taken: one for each binary digit 1 of their number, the
    /// longest first.
    nodes: Vec<Summed>,
}

/// A node with its noise.
struct Summed {
    sum: BigInt,
    noisy: BigInt,
}

impl BinaryCounter {
    /// A counter for up to `horizon` values in the public range `range`, ends included.
    ///
    /// # Errors
    ///
    /// `Request` if the horizon is 0, or unless the range's ends are in ascending order.
    pub fn new(
        horizon: u64,
        range: (i64, i64),
        neighbors: Neighbors,
        epsilon: &Epsilon,
        seed: u64,
    ) -> Result<Self> {
        if horizon == 0 {
            return Err(Error::request("the horizon of a counter must be at least 1 step"));
        }
        let design = |rate| Ok(Binary::new(0, horizon, &rate));
        Self::of(design, range, neighbors, epsilon, seed)
    }
}

impl Binary {
    /// For the steps after the first `before`, from eps/D.
    pub(super) fn new(before: u64, horizon: u64, rate: &BigRational) -> Self {
        let digits = u64::BITS - horizon.leading_zeros();
        let rate = rate / BigInt::from(digits.max(1));
        Self { before, horizon, taken: 0, rate, nodes: Vec::new() }
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl Design for Binary {
    fn step(&mut self, value: BigInt, noisy: &mut dyn FnMut(Node<'_>) -> BigInt) -> Result<BigInt> {
        if self.taken == self.horizon {
            return Err(Error::request(format!(
                "the counter was made for {} steps, which are taken",
                self.horizon
            ))
            .hint("a hybrid counter takes any number of steps"));
        }
        self.taken += 1;
        // The shorter nodes end where this one begins to end: they become part of it.
        let kept = self.nodes.len() - self.taken.trailing_zeros() as usize;
        let sum = self.nodes.drain(kept..).fold(value, |sum, node| sum + node.sum);
        let last = self.before + self.taken;
        let noisy = noisy(Node { last, sum: &sum, rate: &self.rate });
        self.nodes.push(Summed { sum, noisy });
        Ok(self.nodes.iter().map(|node| &node.noisy).sum())
    }
}
