//! The card of a mechanism: what is known and proven of it, and how it is made.

use std::sync::Arc;

use crate::error::Result;
#[cfg(test)]
use crate::mechanism::contract::Contract;
use crate::mechanism::{Mechanism, MechanismParameter, Parameters};

/// The card of a mechanism. Tests hold every private mechanism to it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Card {
    /// Its name in requests and records.
    pub id: &'static str,
    /// A summary, in a line.
    pub summary: &'static str,
    /// One candidate, a set, or a sequence whose order is released.
    pub chooses: Chooses,
    /// The scores it takes: with one sensitivity, with their own, or any.
    pub sensitivity: Sensitivity,
    /// Where it was published.
    pub reference: &'static str,
    /// Its page: definition, guarantee with proof, exact sampling, cost and source.
    pub page: &'static str,
    /// How its running time depends on the scores, or `None` where it does not.
    pub timing: Option<&'static str>,
    /// The parameters it takes.
    pub parameters: &'static [MechanismParameter],
    /// Makes it from its own parameters.
    pub(super) build: fn(&Parameters) -> Result<Arc<dyn Mechanism>>,
    /// The tests it is held to.
    #[cfg(test)]
    pub(super) contract: fn() -> Contract,
}

/// The kind of a mechanism's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chooses {
    /// One candidate.
    One,
    /// A set of k, in the order of the candidates.
    Set,
    /// k candidates in an order that is part of the release.
    Sequence,
}

/// The scores that a mechanism takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sensitivity {
    /// Scores with one sensitivity for all.
    Common,
    /// Scores with a sensitivity each, which it uses.
    Own,
    /// Any scores: it uses no sensitivity.
    Any,
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
}
