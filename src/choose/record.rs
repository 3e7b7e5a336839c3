//! The record of a choice: nothing in it depends on the scores but the choice.

use std::ops::Deref;

use serde::Serialize;

use crate::choose::{Candidates, Choose};
use crate::mechanism::Mechanism;
use crate::privacy::{Epsilon, NotPrivate, Purpose, Spending};
use crate::random::Entropy;
use crate::select::{Command, Guarantee, MechanismUsed, PickOrder, RandomnessUsed, Unit, Warning};

/// A private choice: the [`ChoiceRecord`] of a release, to which it dereferences. Only a private run
/// makes one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Choice(ChoiceRecord);

impl Choice {
    pub(super) fn new(record: ChoiceRecord) -> Self {
        Self(record)
    }
}

impl Deref for Choice {
    type Target = ChoiceRecord;

    fn deref(&self) -> &ChoiceRecord {
        &self.0
    }
}

/// What was chosen, and what was promised, spent and assumed for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChoiceRecord {
    /// Version of this program.
    pub version: String,
    /// The request that made it.
    pub command: Command,
    /// Whether the guarantee below holds for everything in this record: not if seeded.
    pub private: bool,
    /// The chosen candidates.
    pub selected: Vec<ChosenCandidate>,
    /// The order of `selected`.
    pub order: PickOrder,
    /// What is promised.
    pub guarantee: Guarantee,
    /// How the candidates were chosen.
    pub mechanism: MechanismUsed,
    /// What was stated of the scores.
    pub score: ScoresUsed,
    /// What drove the draws.
    pub randomness: RandomnessUsed,
    /// What the reader should know before using the choice.
    pub warnings: Vec<Warning>,
}

/// A chosen candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChosenCandidate {
    /// Its name.
    pub name: String,
    /// Its row in the file of candidates, counted from 1 below the header.
    pub row: usize,
    /// Its index among the candidates, counted from 0.
    #[serde(skip)]
    pub index: usize,
}

/// What was stated of scores; the scores themselves are in no record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ScoresUsed {
    /// The number of candidates.
    pub candidates: usize,
    /// The number asked for.
    pub k: usize,
    /// The largest sensitivity, in the scores' own units.
    pub sensitivity: String,
    /// Whether candidates have sensitivities of their own.
    pub own_sensitivities: bool,
    /// Whether one unit moves all scores in one direction.
    pub monotonic: bool,
}

impl Serialize for NotPrivate<ChoiceRecord> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ChoiceRecord::serialize(self, serializer)
    }
}

pub(super) fn record(
    request: &Choose,
    candidates: &Candidates,
    mechanism: &dyn Mechanism,
    epsilon: Epsilon,
    picks: &[usize],
    entropy: Entropy,
) -> ChoiceRecord {
    let randomness = RandomnessUsed::of(entropy);
    let picked = |&index: &usize| ChosenCandidate {
        name: candidates.names()[index].clone(),
        row: index + 1,
        index,
    };
    ChoiceRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: Command::Choose,
        private: !randomness.seeded,
        selected: picks.iter().map(picked).collect(),
        order: PickOrder::of(mechanism.card()),
        guarantee: Guarantee {
            spent: vec![Spending { purpose: Purpose::Selection, epsilon: epsilon.clone() }],
            epsilon,
            delta: "0".to_owned(),
            neighbors: request.neighbors,
            unit: Unit::Unit,
        },
        mechanism: MechanismUsed::of(mechanism, request.k),
        score: ScoresUsed {
            candidates: candidates.names().len(),
            k: request.k,
            sensitivity: candidates.sensitivity(),
            own_sensitivities: candidates.have_own_sensitivities(),
            monotonic: request.monotonic,
        },
        warnings: randomness.warning().into_iter().collect(),
        randomness,
    }
}
