//! One contract for every private mechanism, run for all cards of the registry: each card names its
//! contract, which is defined next to the mechanism's law.
//!
//! - *Privacy* (`privacy.rs`). The law by the definition - all outcomes, brute force - over all
//!   neighbors on a grid: at least 262,144 pairs where it has a closed form, 16,384 where it needs
//!   an integral. Where shifting or permuting the scores does not change the law, one pair of each
//!   class of equivalent pairs is compared. The log-ratio never exceeds epsilon (1 + 1e-12), and
//!   the largest is the one given. *Broken variants* are rejected on the same grids, without the
//!   symmetry, by the first pair above 1.01 epsilon. With `DPSIS_EXHAUSTIVE=1`, as in `.ci/full`:
//!   no symmetry, and grids of 262,144 pairs for integrals as well.
//! - *Exact fractions* (`fractions.rs`). Where the law is rational (e^eps a power of 2), privacy
//!   with zero tolerance.
//! - *Draws* (`draws.rs`). 12,000 draws of a table for each setting, and 3,000 of others, have that
//!   law (G-test, alpha 1e-6); scores shifted by a constant give the same picks from the same bits;
//!   candidates listed in another order have the same law.
//!
//! With the feature `verify`, `dpsis::verify` runs the same laws and broken variants at
//! any sizes.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use crate::exact::{Exact, near_f64};
use crate::mechanism::{Card, Chooses, Parameters, Sensitivity};
use crate::support::neighbors::{Enumeration, Grid};

#[cfg(test)]
mod cards;
#[cfg(test)]
mod draws;
#[cfg(test)]
mod fractions;
#[cfg(test)]
mod privacy;

/// A law by its definition: the probabilities of all outcomes, sets and sequences in the order of
/// `subsets` and `sequences` in `support/oracle.rs`.
#[derive(Clone)]
pub struct Law {
    of: Of,
    /// Whether it needs integrals: smaller grids, a larger tolerance.
    pub integrals: bool,
    /// The largest k that it is written for.
    pub most: usize,
    /// Another rate that the mechanism bounds, as a share of the bound: from scores, their law and
    /// k.
    pub bounded: Option<Arc<Bounded>>,
}

type Bounded = dyn Fn(&[f64], &[f64], usize) -> f64;

#[derive(Clone)]
enum Of {
    /// From scores in units of the sensitivity, k and epsilon. For monotonic scores epsilon is
    /// twice as large: every definition uses the rate eps/2 of scores that move in both directions.
    Common(Arc<CommonLaw>),
    /// From scores and their sensitivities, in the same unit, and epsilon; k is 1.
    Own(Arc<OwnLaw>),
}

type CommonLaw = dyn Fn(&[f64], usize, f64) -> Vec<f64>;
type OwnLaw = dyn Fn(&[f64], &[f64], f64) -> Vec<f64>;

impl Law {
    /// The law of a mechanism with one sensitivity for all candidates.
    pub(super) fn common(law: impl Fn(&[f64], usize, f64) -> Vec<f64> + 'static) -> Self {
        Self { of: Of::Common(Arc::new(law)), integrals: false, most: usize::MAX, bounded: None }
    }

    /// The law of a mechanism that takes a sensitivity for each candidate.
    pub(super) fn own(law: impl Fn(&[f64], &[f64], f64) -> Vec<f64> + 'static) -> Self {
        Self { of: Of::Own(Arc::new(law)), integrals: false, most: 1, bounded: None }
    }

    pub(super) fn by_integrals(self) -> Self {
        Self { integrals: true, ..self }
    }

    /// The same law, with another bounded rate.
    pub(super) fn bounding(self, bounded: impl Fn(&[f64], &[f64], usize) -> f64 + 'static) -> Self {
        Self { bounded: Some(Arc::new(bounded)), ..self }
    }

    /// The same law, defined for k up to `most`.
    pub(super) fn at_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// The relative error allowed for log-ratios: integrals are right to about ten digits.
    pub fn tolerance(&self) -> f64 {
        match (&self.of, self.integrals) {
            (_, false) => 1e-12,
            (Of::Common(_), true) => 1e-9,
            (Of::Own(_), true) => 1e-8,
        }
    }

    /// The probability of each outcome for scores on a grid.
    pub fn at(&self, grid: &Grid, scores: &[i64], k: usize, eps: f64) -> Vec<f64> {
        let x = scores.iter().map(|&score| score as f64);
        let mut own = grid.sensitivities().iter().map(|&sensitivity| sensitivity as f64);
        match &self.of {
            Of::Common(law) => {
                let unit = own.next().unwrap_or(1.0);
                let given = if grid.is_monotonic() { 2.0 * eps } else { eps };
                law(&x.map(|score| score / unit).collect::<Vec<_>>(), k, given)
            }
            Of::Own(law) => law(&x.collect::<Vec<_>>(), &own.collect::<Vec<_>>(), eps),
        }
    }

    /// Compares the laws of all neighbors on a grid; also returns the largest share of the other
    /// bounded rate, if there is one.
    pub fn enumerate(
        &self,
        grid: &Grid,
        k: usize,
        eps: f64,
        progress: &dyn Fn(f64),
    ) -> (Enumeration, Option<f64>) {
        let largest = Cell::new(0f64);
        let of = |scores: &[i64]| {
            let law = self.at(grid, scores, k, eps);
            if let Some(bounded) = &self.bounded {
                let share = bounded(&grid.in_sensitivities(scores), &law, k);
                largest.set(largest.get().max(share));
            }
            law
        };
        let found = grid.enumerate_with(of, progress);
        (found, self.bounded.is_some().then(|| largest.get()))
    }
}

/// The value of a parameter, or its default.
pub(super) fn number(given: &Option<Exact>, default: f64) -> f64 {
    given.clone().and_then(Exact::rational).map_or(default, |value| near_f64(&value))
}

/// The tests of a mechanism.
#[derive(Debug)]
pub struct Contract {
    /// Its law with these parameters, which the mechanism accepts.
    pub law: fn(&Parameters) -> Law,
    /// The settings of its parameters that tests try.
    #[cfg_attr(not(test), expect(dead_code, reason = "for tests"))]
    pub(super) settings: Vec<Setting>,
    /// Whether its laws depend on the differences of scores alone and do not change if candidates
    /// change places: one pair then stands for all equivalent pairs. `every_symmetry_holds` tests
    /// this, and `DPSIS_EXHAUSTIVE=1` compares all pairs.
    pub symmetric: bool,
    /// The largest log-ratio over epsilon that the enumeration finds, to six digits: never above 1.
    pub max_ratio: f64,
    /// The reason if the ratio is below 0.99.
    pub slack: Option<&'static str>,
    /// Broken variants: common mistakes. The enumeration must reject every one.
    pub mutants: Vec<Mutant>,
}

/// A setting of a mechanism's parameters.
#[derive(Debug)]
#[cfg_attr(not(test), expect(dead_code, reason = "for tests"))]
pub(super) struct Setting {
    parameters: Parameters,
    /// The numbers of picks to try.
    ks: &'static [usize],
}

impl Setting {
    /// The default parameters.
    pub(super) fn new(ks: &'static [usize]) -> Self {
        Self { parameters: Parameters::default(), ks }
    }

    /// The same setting with a value of a parameter.
    pub(super) fn given(mut self, name: &str, value: &str) -> Self {
        let known = self.parameters.set(name, value);
        debug_assert!(known.is_ok(), "{name}");
        self
    }
}

/// The gamma of broken variants, unless another is given.
pub const GAMMA_OF_VARIANTS: f64 = 0.75;

/// A broken variant.
pub struct Mutant {
    /// Its name.
    pub name: &'static str,
    /// The number of picks.
    pub k: usize,
    /// The parameters that it takes: some of the mechanism's.
    pub takes: &'static [&'static str],
    /// Its law with these parameters.
    pub law: Box<dyn Fn(&Parameters) -> Law>,
}

impl Mutant {
    pub(super) fn new(
        name: &'static str,
        k: usize,
        law: impl Fn(&[f64], usize, f64) -> Vec<f64> + 'static,
    ) -> Self {
        Self::of(name, k, Law::common(law))
    }

    /// A variant of a mechanism that takes a sensitivity for each candidate; on the smaller grids.
    pub(super) fn own(
        name: &'static str,
        law: impl Fn(&[f64], &[f64], f64) -> Vec<f64> + 'static,
    ) -> Self {
        Self::of(name, 1, Law::own(law).by_integrals())
    }

    /// A variant of a mechanism with a gamma, [`GAMMA_OF_VARIANTS`] by default.
    pub(super) fn with_gamma(
        name: &'static str,
        k: usize,
        law: impl Fn(&[f64], usize, f64, f64) -> Vec<f64> + Clone + 'static,
    ) -> Self {
        let with = move |given: &Parameters| {
            let (gamma, law) = (number(&given.gamma, GAMMA_OF_VARIANTS), law.clone());
            Law::common(move |x, k, eps| law(x, k, gamma, eps))
        };
        Self { name, k, takes: &["gamma"], law: Box::new(with) }
    }

    fn of(name: &'static str, k: usize, law: Law) -> Self {
        Self { name, k, takes: &[], law: Box::new(move |_| law.clone()) }
    }

    pub(super) fn by_integrals(self) -> Self {
        Self { law: Box::new(move |given| (self.law)(given).by_integrals()), ..self }
    }

    pub(super) fn at_most(self, most: usize) -> Self {
        Self { law: Box::new(move |given| (self.law)(given).at_most(most)), ..self }
    }

    /// Its law with these parameters.
    pub fn law(&self, parameters: &Parameters) -> Law {
        (self.law)(parameters)
    }
}

impl fmt::Debug for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Mutant").field(&self.name).finish()
    }
}

/// Whether the mechanism needs less noise for monotonic scores: all mechanisms with a common
/// sensitivity, except sets by a level, which does not move with the scores.
pub fn knows_monotonic(card: &Card) -> bool {
    card.sensitivity == Sensitivity::Common && card.chooses != Chooses::AtMost
}
