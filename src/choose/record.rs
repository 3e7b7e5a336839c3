//! The record of a choice, which depends on the scores only through the choice.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::account::Event;
use crate::error::Result;
use crate::json::{Kept, read_json_with, to_json_with};
use crate::privacy::{Receipt, RecordsPrivacy};
use crate::release::{
    Command, Guarantee, MechanismUsed, PickOrder, RandomnessUsed, RunNote, Warning, of_private,
};

/// A private choice: the [`ChoiceRecord`] of a release, to which it dereferences. Only a private
/// run makes one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Choice(ChoiceRecord);

impl Choice {
    pub(super) fn new(record: ChoiceRecord) -> Self {
        Self(record)
    }

    /// Adds the receipt of the ledger that was charged.
    pub(super) fn with_receipt(mut self, receipt: Receipt) -> Self {
        self.0.ledger = Some(receipt);
        self
    }

    /// Sets or removes the note on its run.
    pub fn with_run(self, run: impl Into<Option<RunNote>>) -> Self {
        Self(self.0.with_run(run))
    }
}

impl Kept for Choice {
    fn to_kept(&self) -> Result<String> {
        let indices: Vec<usize> = self.selected.iter().map(|one| one.index).collect();
        to_json_with(self, &indices)
    }

    fn from_kept(text: &str) -> Result<Self> {
        let (mut record, indices): (ChoiceRecord, Vec<usize>) = read_json_with(text)?;
        let chosen = record.selected.iter_mut().zip(indices);
        chosen.for_each(|(one, index)| one.index = index);
        Ok(Self(record))
    }
}

impl RecordsPrivacy for ChoiceRecord {}

impl ChoiceRecord {
    /// Sets or removes the note on its run.
    #[must_use]
    pub fn with_run(self, run: impl Into<Option<RunNote>>) -> Self {
        Self { run: run.into(), ..self }
    }
}

impl Deref for Choice {
    type Target = ChoiceRecord;

    fn deref(&self) -> &ChoiceRecord {
        &self.0
    }
}

/// The result of a choice with its guarantee, budget and assumptions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChoiceRecord {
    /// Version of this program.
    pub version: String,
    /// The command that made it.
    pub command: Command,
    /// The day and the request, if the calling program gives them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunNote>,
    /// The receipt of the ledger, if one was charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Receipt>,
    /// Whether the guarantee holds for everything in this record: false if seeded.
    pub private: bool,
    /// The chosen candidates.
    pub selected: Vec<ChosenCandidate>,
    /// The order of `selected`.
    pub order: PickOrder,
    /// The privacy guarantee and the budget.
    pub guarantee: Guarantee,
    /// The mechanism of the choice.
    pub mechanism: MechanismUsed,
    /// The public information about the scores.
    pub score: ScoresUsed,
    /// The source of randomness.
    pub randomness: RandomnessUsed,
    /// Caveats to read before using the choice.
    pub warnings: Vec<Warning>,
}

/// A chosen candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// The public information about the scores; no record contains the scores themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScoresUsed {
    /// The number of candidates.
    pub candidates: usize,
    /// The number of candidates requested.
    pub k: usize,
    /// The level above which candidates were named, at most k of them, in the scores' own units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<String>,
    /// The largest sensitivity, in the scores' own units.
    pub sensitivity: String,
    /// Whether each candidate has its own sensitivity.
    pub own_sensitivities: bool,
    /// Whether scores are monotonic: an additional unit changes all scores in the same direction.
    pub monotonic: bool,
}

impl ChoiceRecord {
    /// The events of the choice, for the accountants of [`account`](crate::account): the event of
    /// its mechanism.
    ///
    /// # Errors
    ///
    /// `Request` if the record is not private: such a choice has no price.
    pub fn events(&self) -> Result<Vec<Event>> {
        of_private(self.private, &self.guarantee)
    }
}
