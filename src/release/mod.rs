//! Releases: private draws from gathered values with the budget of a plan, and their record.

pub(crate) mod describe;
pub(crate) mod draws;
pub(crate) mod findings;
pub(crate) mod large_scores;
pub(crate) mod number;
pub(crate) mod record;
pub(crate) mod refinement;
pub(crate) mod required;
pub(crate) mod run_note;
pub(crate) mod scarce;
pub(crate) mod settled;
pub(crate) mod stop;
pub(crate) mod units;

pub use record::{
    AtHorizon, Command, Direction, EntropySource, Estimate, GroupsUsed, Guarantee, MechanismReason,
    MechanismUsed, MissingRule, PickOrder, Picked, PublicFacts, RandomnessUsed, Record, Released,
    ScoreId, ScoreUsed, Selection, Significance, TargetCoding, TargetUsed, Warning, WarningKind,
};
pub(crate) use record::{SLACK, lower_end, of_private};
pub use run_note::RunNote;
