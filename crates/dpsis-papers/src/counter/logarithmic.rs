//! The logarithmic mechanism: any number of steps, a new sum at powers of two.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::sealed::Design;
use super::{CounterCard, LogarithmicCounter, Node};
use dpsis::{Epsilon, Neighbors, Result};

/// The card of [`LogarithmicCounter`].
pub(super) static CARD: CounterCard = CounterCard {
    id: "logarithmic",
    summary: "the running sum at steps 1, 2, 4, 8, ..., without an end",
    reference: "T.-H. H. Chan, E. Shi and D. Song, \"Private and Continual Release of Statistics\" (2010), \
                section 3.5",
    page: include_str!("page.md"),
    #[cfg(test)]
    make: |_, rate| Box::new(Logarithmic::new(rate)),
};

/// The design of [`LogarithmicCounter`].
pub struct Logarithmic {
    taken: u64,
    rate: BigRational,
    /// The sum since the last power of two.
    since: BigInt,
    /// The noisy sum at the last power of two.
    released: BigInt,
}

impl LogarithmicCounter {
    /// A counter for values in the public range `range`, ends included. Between powers of two it
    /// returns the sum of the last one.
    ///
    /// # Errors
    ///
    /// `Request` unless the range's ends are in ascending order.
    pub fn new(
        range: (i64, i64),
        neighbors: Neighbors,
        epsilon: &Epsilon,
        seed: u64,
    ) -> Result<Self> {
        Self::of(|rate| Ok(Logarithmic::new(rate)), range, neighbors, epsilon, seed)
    }
}

impl Logarithmic {
    /// From eps/D.
    pub(super) fn new(rate: BigRational) -> Self {
        Self { taken: 0, rate, since: BigInt::ZERO, released: BigInt::ZERO }
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl Design for Logarithmic {
    fn step(&mut self, value: BigInt, noisy: &mut dyn FnMut(Node<'_>) -> BigInt) -> Result<BigInt> {
        self.taken += 1;
        self.since += value;
        if self.taken.is_power_of_two() {
            let sum = std::mem::take(&mut self.since);
            self.released += noisy(Node { last: self.taken, sum: &sum, rate: &self.rate });
        }
        Ok(self.released.clone())
    }
}
