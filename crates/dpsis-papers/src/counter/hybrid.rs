//! The hybrid mechanism: any number of steps, a new sum at each.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::sealed::Design;
use super::{Binary, CounterCard, HybridCounter, Logarithmic, Node};
use dpsis::{Epsilon, Neighbors, Result};

/// The card of [`HybridCounter`].
pub(super) static CARD: CounterCard = CounterCard {
    id: "hybrid",
    summary: "the running sum at every step, without an end",
    reference: "T.-H. H. Chan, E. Shi and D. Song, \"Private and Continual Release of Statistics\" (2010), \
                section 3.6",
    page: include_str!("page.md"),
    #[cfg(test)]
    make: |_, rate| Box::new(Hybrid::new(rate)),
};

/// The design of [`HybridCounter`].
pub struct Hybrid {
    taken: u64,
    /// eps/(2 D).
    half: BigRational,
    /// The sum at the last power of two.
    powers: Logarithmic,
    /// The steps since.
    segment: Binary,
}

impl HybridCounter {
    /// A counter for values in the public range `range`, ends included.
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
        Self::of(|rate| Ok(Hybrid::new(rate)), range, neighbors, epsilon, seed)
    }
}

impl Hybrid {
    /// From eps/D.
    pub(super) fn new(rate: BigRational) -> Self {
        let half = rate / BigInt::from(2);
        let (powers, segment) = (Logarithmic::new(half.clone()), Binary::new(0, 0, &half));
        Self { taken: 0, half, powers, segment }
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl Design for Hybrid {
    fn step(&mut self, value: BigInt, noisy: &mut dyn FnMut(Node<'_>) -> BigInt) -> Result<BigInt> {
        self.taken += 1;
        let at_power = self.powers.step(value.clone(), noisy)?;
        if self.taken.is_power_of_two() {
            // The last step of the segment is the next power of two.
            self.segment = Binary::new(self.taken, self.taken - 1, &self.half);
            return Ok(at_power);
        }
        Ok(at_power + self.segment.step(value, noisy)?)
    }
}
