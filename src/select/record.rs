//! The record of a release: everything a report may say, and nothing else.
//!
//! What depends on the data is `selected` and `released`, which the budget paid for, and the
//! warnings made from them.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

use serde::Serialize;

use crate::error::Parameter;
#[cfg(feature = "ndarray")]
use crate::error::{self, Error};
use crate::mechanism::{Card, Chooses, Mechanism};
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
    /// The request that made it.
    pub command: Command,
    /// Whether the guarantee below holds for everything in this record: not if seeded, nor after the
    /// paper's preprocessing.
    pub private: bool,
    /// The selected features.
    pub selected: Vec<Picked>,
    /// The order of `selected`.
    pub order: PickOrder,
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
    /// What is protected.
    pub unit: Unit,
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
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.parameters.insert(name, value.to_string());
        self
    }
}

impl RandomnessUsed {
    pub(crate) fn of(entropy: Entropy) -> Self {
        let source = match entropy {
            Entropy::OperatingSystem => EntropySource::OperatingSystem,
            Entropy::Seeded(_) => EntropySource::StatedSeed,
        };
        Self { source, seeded: source == EntropySource::StatedSeed }
    }

    /// The warning that a seed deserves.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let text = "seeded: not for release (anyone with the seed can undo the noise)";
        self.seeded.then(|| Warning::new(WarningKind::Seeded, text))
    }
}

/// The score and how values reached it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ScoreUsed {
    /// The score.
    pub id: ScoreId,
    /// For correlation Q: values are integers from -Q to Q; for Kendall G: scores are in units of
    /// 1/G.
    pub grid: i64,
    /// How values were made comparable.
    pub scale: ScaleUsed,
    /// Whether score and scaling were the default rather than asked for.
    pub by_default: bool,
    /// The stated bounds of all features.
    pub bounds: Option<[f64; 2]>,
    /// The most one row can move a score, in units of the grid; none where it is not known yet.
    pub sensitivity: Option<u64>,
    /// Where the target's center came from.
    pub center: CenterUsed,
    /// The stated classes.
    pub classes: Option<Vec<String>>,
    /// What a missing feature value contributes.
    pub missing: MissingRule,
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
    /// How it became a number.
    pub coding: TargetCoding,
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
    pub source: EntropySource,
    /// Whether the key was a stated number: then the record is not for release.
    pub seeded: bool,
}

/// Something to know before using the selection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// The kind, which does not change.
    #[serde(rename = "id")]
    pub kind: WarningKind,
    /// What it means and what to do.
    pub text: String,
    /// The parameters to state, or to state otherwise.
    #[serde(skip)]
    pub about: Vec<Parameter>,
}

impl Warning {
    pub(crate) fn new(kind: WarningKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), about: Vec::new() }
    }

    pub(crate) fn about(mut self, parameters: impl IntoIterator<Item = Parameter>) -> Self {
        self.about = parameters.into_iter().collect();
        self
    }
}

/// An enum that a record carries: its words in JSON and in reports.
macro_rules! words {
    (
        $(#[$about:meta])*
        $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)*
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$variant => $word,)*
                })
            }
        }
    };
}

words! {
    /// The request that made a record.
    Command {
        /// A selection of features.
        Select = "select",
        /// A choice among candidates.
        Choose = "choose",
    }
}

words! {
    /// The order of picks in a record.
    PickOrder {
        /// That of the table, which says nothing more than the set.
        File = "file",
        /// The order in which the mechanism released them.
        Pick = "pick",
    }
}

impl PickOrder {
    /// The order in which a mechanism's picks are released.
    pub(crate) fn of(card: &Card) -> Self {
        match card.chooses {
            Chooses::Sequence => Self::Pick,
            Chooses::One | Chooses::Set => Self::File,
        }
    }
}

words! {
    /// The unit of privacy: what neighboring tables differ by.
    Unit {
        /// A row of the table.
        Row = "row",
        /// A column, where features are rows.
        Column = "column",
        /// A unit of the data behind scores from elsewhere.
        Unit = "unit",
    }
}

words! {
    /// A score of features.
    ScoreId {
        /// Clipped correlation with the target.
        Correlation = "correlation",
        /// Kendall's rank correlation with the target.
        Kendall = "kendall",
        /// The votes of blocks of rows.
        Votes = "votes",
        /// Kendall's correlation, discounted by what is shared with earlier picks.
        DpKendall = "dpkendall",
    }
}

words! {
    /// How values were made comparable.
    ScaleUsed {
        /// By their ranks within the row.
        RowRank = "row-rank",
        /// Clipped to one stated range.
        Bounds = "bounds",
        /// Clipped to a range for each feature from a file.
        BoundsFile = "bounds-file",
        /// Clipped to a stated range for each feature.
        BoundsByFeature = "bounds-by-feature",
        /// By the data: not private.
        Paper = "paper",
        /// Not at all.
        None = "none",
    }
}

words! {
    /// The source of the target's center.
    CenterUsed {
        /// A private estimate.
        Private = "private",
        /// Stated as public.
        Stated = "stated",
        /// The data: not private.
        Paper = "paper",
        /// No center is used.
        None = "none",
    }
}

words! {
    /// How the target became a number.
    TargetCoding {
        /// Split at a private median.
        MedianSplit = "median-split",
        /// Clipped to a stated range.
        Bounds = "bounds",
        /// One of stated classes.
        Classes = "classes",
        /// By its order or value as it is.
        Number = "number",
    }
}

words! {
    /// What a missing feature value contributes.
    MissingRule {
        /// Nothing: the middle of the grid.
        GridMiddle = "0, the middle of the grid",
        /// Nothing: it is in no pair.
        NoPair = "in no pair",
    }
}

words! {
    /// A generator and the source of its key.
    EntropySource {
        /// ChaCha20 with a key from the operating system.
        OperatingSystem = "ChaCha20, operating system",
        /// ChaCha20 with a stated seed as its key: not for release.
        StatedSeed = "ChaCha20, stated seed",
    }
}

words! {
    /// The kind of a warning.
    WarningKind {
        /// Columns and target were scaled by the data.
        NotPrivate = "not-private",
        /// A stated seed drove the draws.
        Seeded = "seeded",
        /// Ranks within the row of few columns, which are often in different units.
        RowRankNarrow = "row-rank-narrow",
        /// Few usable rows, by a private count.
        FewRows = "few-rows",
        /// Next to no rows of a stated class, by private counts.
        RareClass = "rare-class",
        /// Nearly all rows on one side of the split.
        OneSidedSplit = "one-sided-split",
        /// Too few blocks for their votes to tell features apart.
        FewBlocks = "few-blocks",
    }
}

impl WarningKind {
    /// Whether the output would mislead without the warning.
    pub fn is_essential(self) -> bool {
        matches!(self, Self::NotPrivate | Self::Seeded)
    }
}
