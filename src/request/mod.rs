//! Requests: options, builder, checks, and the plan that a request and a header determine.

pub(crate) mod builder;
pub(crate) mod check;
pub(crate) mod fields;
mod identity;
pub(crate) mod memory;
pub(crate) mod not_private;
pub(crate) mod options;
pub(crate) mod plan;
pub(crate) mod reach;
pub(crate) mod weights;

pub use builder::{CheckedSelect, Select};
pub use check::checked_threads;
pub use fields::{
    ALPHA, CENTER_IN_STRATA, Center, Method, Refine, SHARES, ScoreKind, Target, TwoStage,
};
pub use not_private::NotPrivateSelect;
pub use options::{
    BoundsOption, CenterOption, GroupsOption, MethodOptions, Number, PrivacyOptions,
    RunningOptions, ScoringOptions, SelectOptions, TargetOptions, WeightsOption,
};
pub use plan::{CenterUsed, FalseDiscoveryBound, ScaleUsed};
pub use weights::Weights;
