//! The selection of features from a table: request, check, plan, alternating passes over the table
//! and private releases, record.

mod api;
mod blocks;
mod builder;
mod check;
mod describe;
mod dry_run;
mod findings;
mod fit;
mod forecast;
mod large_scores;
#[cfg(feature = "linfa")]
mod linfa;
mod memo;
mod memory;
mod not_private;
mod number;
mod paid;
mod partial;
mod pass;
mod plan;
mod public_center;
mod reach;
mod record;
mod recording;
mod refinement;
mod rehearsal;
mod release;
mod request;
mod run;
mod run_note;
mod scarce;
mod settled;
mod stated;
mod statistic;
mod stop;
mod units;
mod within;

pub use builder::{CheckedSelect, Select};
pub use check::checked_threads;
pub use dry_run::{DryRun, Noise, RowsNeeded};
pub use fit::{
    CheckedFitModel, FitDryRun, FitModel, FitOptions, FitRecord, FittedModel, ModelOptions,
    NotPrivateFitModel,
};
pub use forecast::{
    AtEpsilon, Chances, Forecast, Least, Needed, OfStrong, PROBABILITIES, PlanOptions, PlanRecord,
    Probability, Simulated, Wanted,
};
pub use not_private::NotPrivateSelect;
pub use partial::{ColumnScore, Partial, PartialFile, ReleasedTarget, Stage};
#[cfg(feature = "sites")]
pub use partial::{MaskedPartial, Roster, Site, SiteKey, StatedFacts};
pub use plan::{CenterUsed, FalseNamesBound, ScaleUsed};
pub(crate) use record::of_private;
pub use record::{
    AtHorizon, Command, Direction, EntropySource, Estimate, GroupsUsed, Guarantee, MechanismReason,
    MechanismUsed, MissingRule, PickOrder, Picked, PublicFacts, RandomnessUsed, Record, Released,
    ScoreId, ScoreUsed, Selection, TargetCoding, TargetUsed, Verdict, Warning, WarningKind,
};
pub use rehearsal::{Rehearsal, RehearsalSeeds, RehearsedPick};
pub use request::{
    ALPHA, CENTER_IN_STRATA, Center, Method, Refine, SHARES, ScoreKind, Target, TwoStage,
};
pub use run_note::RunNote;
pub use stated::{
    BoundsOption, CenterOption, GroupsOption, MethodOptions, Number, PrivacyOptions,
    RunningOptions, ScoringOptions, SelectOptions, TargetOptions,
};

#[cfg(test)]
mod choice_tests;
#[cfg(feature = "ndarray")]
#[cfg(test)]
mod joined_tests;
#[cfg(test)]
mod pipeline_tests;
#[cfg(feature = "ndarray")]
#[cfg(test)]
mod roles_tests;
#[cfg(test)]
mod sets_tests;
