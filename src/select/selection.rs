//! The record of a release: everything a report may say, and nothing else.
//!
//! What depends on the data is `selected` and `released`, which the budget paid for, and the
//! warnings made from them.

use std::collections::BTreeMap;
use std::ops::Deref;

use serde::Serialize;

#[cfg(feature = "ndarray")]
use crate::error::{self, Error};
use crate::mechanism::Mechanism;
use crate::privacy::{Epsilon, Neighbors, NotPrivate, Spending};
use crate::random::Entropy;

/// A private selection of k features: the [`Record`] of a release, to which it dereferences.
///
/// Only a private run makes one. With feature `linfa` it is a transformer that reduces a dataset to the
/// selected features.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Selection(Record);

impl Selection {
    pub(super) fn new(record: Record) -> Self {
        Self(record)
    }
}

/// The record, which says itself that it is not private.
impl Serialize for NotPrivate<Record> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Record::serialize(self, serializer)
    }
}

impl Deref for Selection {
    type Target = Record;

    fn deref(&self) -> &Record {
        &self.0
    }
}

/// What was selected, and what was promised, spent and assumed for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// Version of this program.
    pub version: String,
    /// The command that made it.
    pub command: String,
    /// Whether the guarantee below holds for everything in this record: not if seeded, nor after the
    /// paper's preprocessing.
    pub private: bool,
    /// The selected features.
    pub selected: Vec<Picked>,
    /// The order of `selected`: `file`, which says nothing more than the set, or `pick`, the order in
    /// which a mechanism released them.
    pub order: String,
    /// What is promised.
    pub guarantee: Guarantee,
    /// How the features were chosen.
    pub mechanism: MechanismUsed,
    /// How the features were scored.
    pub score: ScoreUsed,
    /// What the target was taken for.
    pub target: TargetUsed,
    /// Estimates that were paid for.
    pub released: Released,
    /// Facts taken as public.
    pub public: PublicFacts,
    /// What drove the draws.
    pub randomness: RandomnessUsed,
    /// What the reader should know before using the selection.
    pub warnings: Vec<Warning>,
}

impl Record {
    /// The selected features by their places among the features, from 0, in the order of
    /// [`selected`](Self::selected): the columns of X, where that was a matrix.
    pub fn indices(&self) -> Vec<usize> {
        self.selected.iter().map(|picked| picked.index).collect()
    }

    /// The selected columns of a matrix with the features that were selected from.
    ///
    /// What comes out holds data: it is as private as what went in.
    ///
    /// # Errors
    ///
    /// `Request` if the matrix has another number of columns.
    #[cfg(feature = "ndarray")]
    pub fn columns_of<A: Clone>(
        &self,
        x: ndarray::ArrayView2<'_, A>,
    ) -> error::Result<ndarray::Array2<A>> {
        if x.ncols() != self.public.features {
            let d = self.public.features;
            return Err(Error::request(format!("X must have the {d} columns selected from")));
        }
        let indices = self.indices();
        if indices.iter().any(|index| *index >= x.ncols()) {
            return Err(Error::request("the record does not belong to these columns"));
        }
        Ok(x.select(ndarray::Axis(1), &indices))
    }
}

/// A selected feature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Picked {
    /// Its name in the header.
    pub name: String,
    /// Its column in the table (its row, where features are rows), counted from 1.
    pub column: usize,
    /// Its index among the features, counted from 0.
    #[serde(skip)]
    pub index: usize,
}

/// Pure differential privacy of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Guarantee {
    /// The total.
    pub epsilon: Epsilon,
    /// Always 0.
    pub delta: String,
    /// The neighbor relation.
    pub neighbors: Neighbors,
    /// What is protected: a `row`, or a `column` where features are rows.
    pub unit: String,
    /// The parts of epsilon; they sum to it exactly.
    pub spent: Vec<Spending>,
}

/// The mechanism and its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MechanismUsed {
    /// Its name.
    pub id: String,
    /// Its parameters, exactly, by name.
    #[serde(flatten)]
    pub parameters: BTreeMap<&'static str, String>,
}

impl MechanismUsed {
    pub(crate) fn of(mechanism: &dyn Mechanism, k: usize) -> Self {
        Self {
            id: mechanism.card().id.to_owned(),
            parameters: mechanism.parameters(k).into_iter().collect(),
        }
    }

    /// The same with a parameter of the method that uses it.
    #[cfg(feature = "methods")]
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.parameters.insert(name, value.to_string());
        self
    }
}

impl RandomnessUsed {
    pub(crate) fn of(entropy: Entropy) -> Self {
        let seeded = entropy != Entropy::OperatingSystem;
        let source = if seeded { "ChaCha20, stated seed" } else { "ChaCha20, operating system" };
        Self { source: source.to_owned(), seeded }
    }

    /// What must be said of a seed.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let text = "seeded: not for release (anyone with the seed can undo the noise)";
        self.seeded.then(|| Warning { id: "seeded".to_owned(), text: text.to_owned() })
    }
}

/// The score and how values reached it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ScoreUsed {
    /// `correlation` or `kendall`.
    pub id: String,
    /// For correlation Q: values are integers from -Q to Q; for Kendall G: scores are in units of
    /// 1/G.
    pub grid: i64,
    /// `row-rank`, `bounds`, `bounds-file`, `bounds-by-feature`, `paper` (not private), or `none` for
    /// Kendall.
    pub scale: String,
    /// Whether score and scaling were the default rather than asked for.
    pub by_default: bool,
    /// The stated bounds of all features.
    pub bounds: Option<[f64; 2]>,
    /// The most one row can move a score, in units of the grid; none where it is not known yet.
    pub sensitivity: Option<u64>,
    /// `private`, `stated` or `none`.
    pub center: String,
    /// The stated classes.
    pub classes: Option<Vec<String>>,
    /// What a missing feature value contributes.
    pub missing: String,
}

/// The target column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TargetUsed {
    /// Its name; none if it is apart from the table.
    pub name: Option<String>,
    /// Its column in the table (its row, where features are rows), counted from 1; none if it is apart
    /// from the table.
    pub column: Option<usize>,
    /// `median-split`, `bounds`, `classes`, or `number` where its order or value is used as it is.
    pub coding: String,
    /// The stated bounds.
    pub bounds: Option<[f64; 2]>,
}

/// Private estimates made on the way.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Released {
    /// The target's center: a mean in its own units, the share of the second class or of rows at
    /// or above the median, or the share of each class.
    pub center: Option<Vec<f64>>,
    /// The value at which the target was split.
    pub target_median: Option<f64>,
    /// The estimated number of rows with a usable target.
    pub rows_estimate: Option<u64>,
}

/// What anyone who sees the header may know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PublicFacts {
    /// The number of features.
    pub features: usize,
    /// The number asked for.
    pub k: usize,
    /// The column that was taken for ids and dropped, counted from 1.
    pub id_column: Option<usize>,
    /// The number of rows, where one row may only be replaced.
    pub rows: Option<u64>,
    /// The SHA-256 of the schema file that stated the public facts.
    pub schema_sha256: Option<String>,
}

/// The source of randomness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RandomnessUsed {
    /// The generator and where its key comes from.
    pub source: String,
    /// Whether the key was a stated number: then the record is not for release.
    pub seeded: bool,
}

/// Something to know before using the selection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// A name that does not change.
    pub id: String,
    /// What it means and what to do.
    pub text: String,
}
