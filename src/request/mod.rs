//! Requests: options, builder, checks, and the plan that a request and a header determine.

pub(crate) mod builder;
pub(crate) mod check;
pub(crate) mod fields;
pub(crate) mod memory;
pub(crate) mod not_private;
pub(crate) mod options;
pub(crate) mod plan;
pub(crate) mod public_center;
pub(crate) mod reach;

pub use builder::CheckedSelect;
pub use builder::Select;
pub use check::checked_threads;
pub use fields::ALPHA;
pub use fields::CENTER_IN_STRATA;
pub use fields::Center;
pub use fields::Method;
pub use fields::Refine;
pub use fields::SHARES;
pub use fields::ScoreKind;
pub use fields::Target;
pub use fields::TwoStage;
pub use not_private::NotPrivateSelect;
pub use options::BoundsOption;
pub use options::CenterOption;
pub use options::GroupsOption;
pub use options::MethodOptions;
pub use options::Number;
pub use options::PrivacyOptions;
pub use options::RunningOptions;
pub use options::ScoringOptions;
pub use options::SelectOptions;
pub use options::TargetOptions;
pub use plan::CenterUsed;
pub use plan::FalseDiscoveryBound;
pub use plan::ScaleUsed;
