//! Parts of a plan that the record repeats: scale, center and the bound on false discoveries.

use serde::{Deserialize, Serialize};

use crate::json::words;

words! {
    /// How values were scaled.
    ScaleUsed {
        /// To ranks within the row.
        RowRank = "row-rank",
        /// Clipped to one given range for all features.
        Bounds = "bounds",
        /// Clipped to the range of each feature from a file.
        BoundsFile = "bounds-file",
        /// Clipped to the given range of each feature.
        BoundsByFeature = "bounds-by-feature",
        /// By the data: not private.
        Paper = "paper",
        /// Not scaled.
        None = "none",
    }
}

words! {
    /// The source of the target's center.
    CenterUsed {
        /// A private estimate.
        Private = "private",
        /// Given as public.
        Given = "given",
        /// The data: not private.
        Paper = "paper",
        /// No center is used.
        None = "none",
    }
}

/// The bound on false discoveries: named features without any association with the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FalseDiscoveryBound {
    /// The largest probability of any false discovery.
    pub fwer: String,
    /// The largest number of features to name; `None` for any number.
    pub at_most: Option<usize>,
}
