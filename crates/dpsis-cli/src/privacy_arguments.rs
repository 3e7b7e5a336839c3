//! Arguments on the privacy of a release: its budget and its neighbor relation.

use clap::{Args, ValueEnum};

use crate::values::{parse_split, word};
use dpsis::{Delta, Epsilon, Neighbors, PrivacyOptions, Result};

/// The budget of a release.
#[derive(Debug, Args)]
pub(super) struct BudgetArgument {
    /// Privacy budget: less is safer
    #[arg(
        short,
        long = "eps",
        visible_alias = "epsilon",
        value_name = "EPSILON",
        allow_hyphen_values = true
    )]
    pub(super) eps: Epsilon,
}

/// The delta of a release.
#[derive(Debug, Args)]
pub(super) struct DeltaArgument {
    /// A delta, far below one over the number of rows, such as 1e-6. It reduces the noise
    /// where many features are selected (--mechanism peel, or no --k); in fit it serves the model
    /// alone [default: 0, pure differential privacy]
    #[arg(long, allow_hyphen_values = true, hide_short_help = true, help_heading = "Privacy")]
    pub(super) delta: Option<Delta>,
}

/// The neighbor relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Relation {
    /// One row more or less: the number of rows is private
    AddRemove,
    /// One row replaced by another: the number of rows is public
    ReplaceOne,
}

impl Relation {
    pub(super) fn neighbors(self) -> Neighbors {
        match self {
            Self::AddRemove => Neighbors::AddRemove,
            Self::ReplaceOne => Neighbors::ReplaceOne,
        }
    }
}

/// The options of a guarantee.
///
/// # Errors
///
/// `Request` for invalid shares.
pub(super) fn privacy(
    BudgetArgument { eps }: &BudgetArgument,
    DeltaArgument { delta }: &DeltaArgument,
    neighbors: Relation,
    split: Option<&str>,
    direction: bool,
) -> Result<PrivacyOptions> {
    Ok(PrivacyOptions {
        epsilon: Some(eps.to_string()),
        delta: delta.as_ref().map(ToString::to_string),
        neighbors: Some(word(neighbors)),
        shares: split.map(parse_split).transpose()?.unwrap_or_default(),
        direction,
    })
}
