//! The vocabulary of a record: enums with one text each, for JSON and reports.

use serde::{Deserialize, Serialize};

use crate::json::words;
use crate::mechanism::{Card, Chooses};
use crate::privacy::Unit;
use crate::table::{Orientation, Schema};

/// Above the rounding errors of the numbers in a record after scaling, below their digits.
pub(crate) const SLACK: f64 = 1e-9;

/// The lower end of an interval of effect sizes in hundredths, rounded down.
pub(crate) fn lower_end(low: f64) -> f64 {
    ((low * 100.0 + SLACK).floor() / 100.0).max(0.0)
}

words! {
    /// The command that made a record.
    Command {
        /// A selection of features.
        Select = "select",
        /// A choice among candidates.
        Choose = "choose",
        /// A model of selected or given features.
        Fit = "fit",
    }
}

words! {
    /// The order of picks in a record.
    PickOrder {
        /// The order of the table, which reveals nothing beyond the set.
        File = "file",
        /// The order in which the mechanism released them.
        Pick = "pick",
    }
}

/// Why this mechanism was chosen, if the request did not give one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MechanismReason {
    /// By k and the number of features.
    Size,
    /// Without k: features are drawn together with their number, among sets of all sizes; the worst
    /// member of a set decides, as in `canonical` with gamma 1 for one number.
    Number,
    /// By the released counts of rows: the largest score that they allow is a multiple of the
    /// sensitivity times k ln(d)/eps, with eps the selection's part of the budget. From the
    /// multiple 20 on it is `canonical`, below `peel-pnf`.
    Counts {
        /// The multiple, rounded down to one decimal place.
        ratio: String,
    },
    /// By a private draw with its own part of the budget: `peel-pnf` if many scores are large,
    /// `canonical` otherwise.
    Scores {
        /// Whether at least half of the k features have large scores, as drawn; `None` in a dry
        /// run.
        #[serde(skip_serializing_if = "Option::is_none")]
        many: Option<bool>,
    },
    /// Counts will decide: in a dry run, which has no counts.
    Rows {
        /// From about this number of usable rows on, in classes (or sides of a split) of equal
        /// size, it is `canonical`, below `peel-pnf`.
        canonical_from: String,
    },
}

impl PickOrder {
    /// The order in which a mechanism's picks are reported.
    pub(crate) fn of(card: &Card) -> Self {
        match card.chooses {
            Chooses::Sequence => Self::Pick,
            Chooses::One | Chooses::Set | Chooses::AtMost => Self::File,
        }
    }
}

impl Schema {
    /// The unit of the table that a guarantee protects.
    pub(crate) fn privacy_unit(&self) -> Unit {
        match self.orientation() {
            _ if self.has_people() => Unit::Person,
            Orientation::SamplesAsRows => Unit::Row,
            Orientation::FeaturesAsRows => Unit::Column,
        }
    }
}

words! {
    /// The score of features.
    ScoreId {
        /// The Kolmogorov-Smirnov score.
        Ks = "ks",
        /// Clipped correlation with the target.
        Correlation = "correlation",
        /// Kendall's rank correlation with the target.
        Kendall = "kendall",
        /// The votes of blocks of rows.
        Votes = "votes",
        /// Kendall's correlation, discounted by the correlation with earlier picks.
        DpKendall = "dpkendall",
        /// The signs of the differences between the rows of people.
        Paired = "paired",
    }
}

words! {
    /// How the target was coded as a number.
    TargetCoding {
        /// Split at a private median.
        MedianSplit = "median-split",
        /// Clipped to a given range.
        Bounds = "bounds",
        /// As one of the given classes.
        Classes = "classes",
        /// Unchanged, by its order or value.
        Number = "number",
    }
}

words! {
    /// The direction of an association.
    Direction {
        /// The target rises with the feature; of two classes, the second has the larger values.
        Rises = "rises",
        /// The target falls as the feature rises.
        Falls = "falls",
        /// The released value is too close to 0 for a direction.
        Unclear = "unclear",
    }
}

words! {
    /// The contribution of a missing feature value.
    MissingRule {
        /// No contribution: it is set to the middle of the grid.
        GridMiddle = "0, the middle of the grid",
        /// All missing values of a feature take the single value with which its score is smallest.
        SmallestScore = "the value with the smallest score",
        /// No contribution: the value forms no pair.
        NoPair = "in no pair",
    }
}

words! {
    /// The generator and the source of its key.
    EntropySource {
        /// ChaCha20 with a key from the operating system.
        OperatingSystem = "ChaCha20, operating system",
        /// ChaCha20 with a given seed as its key: not for release.
        GivenSeed = "ChaCha20, given seed",
    }
}

words! {
    /// The kind of a warning.
    WarningKind {
        /// Columns and target were scaled by the data.
        NotPrivate = "not-private",
        /// The draws came from a given seed.
        Seeded = "seeded",
        /// Ranks within the row over few columns, which are often in different units.
        RowRankNarrow = "row-rank-narrow",
        /// Few usable rows according to a private count.
        FewRows = "few-rows",
        /// No coefficient of a model is distinguishable from 0.
        NoCoefficient = "no-coefficient",
        /// All coefficients of a model are 0, and every prediction is the same.
        InterceptOnly = "intercept-only",
        /// Almost no rows of a given class according to private counts.
        RareClass = "rare-class",
        /// Many rows without a usable target according to a private count.
        UnusableTargets = "unusable-targets",
        /// A feature whose name suggests identifiers.
        IdAsFeature = "id-as-feature",
        /// A given delta that would gain next to nothing, and is not spent.
        UnspentDelta = "unspent-delta",
        /// A delta above one over the number of rows.
        LargeDelta = "large-delta",
        /// An epsilon that protects little.
        LargeEpsilon = "large-epsilon",
        /// Nearly all rows fall on one side of the split.
        OneSidedSplit = "one-sided-split",
        /// Strata have too few rows for their centers according to private counts.
        SmallStrata = "small-strata",
        /// Strata have almost no rows of one class according to private counts.
        OneSidedStrata = "one-sided-strata",
        /// Many rows are in no stratum according to a private count.
        NoStratum = "no-stratum",
        /// Too few blocks to distinguish features by votes.
        FewBlocks = "few-blocks",
        /// The sensitivities of candidates differ by a large factor, so that large scores are
        /// clipped.
        ClippedScores = "clipped-scores",
    }
}

impl WarningKind {
    /// Whether the output would mislead without the warning.
    pub fn is_essential(self) -> bool {
        matches!(self, Self::NotPrivate | Self::Seeded)
    }
}
