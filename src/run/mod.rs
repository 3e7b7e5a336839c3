//! Runs: passes over a table and releases in turn, dry runs, seeded draws on public tables, models,
//! sums of parts.

pub(crate) mod api;
pub(crate) mod dry_run;
pub(crate) mod fit;
#[cfg(feature = "linfa")]
pub(crate) mod linfa;
pub(crate) mod paid;
pub(crate) mod partial;
pub(crate) mod recording;
pub(crate) mod rehearsal;
pub(crate) mod steps;
pub(crate) mod within;

pub use dry_run::DryRun;
pub use dry_run::Noise;
pub use dry_run::RowsNeeded;
pub use fit::CheckedFitModel;
pub use fit::FitDryRun;
pub use fit::FitModel;
pub use fit::FitOptions;
pub use fit::FitRecord;
pub use fit::FittedModel;
pub use fit::ModelOptions;
pub use fit::NotPrivateFitModel;
pub use partial::ColumnScore;
#[cfg(feature = "sites")]
pub use partial::MaskedPartial;
pub use partial::Partial;
pub use partial::PartialFile;
pub use partial::ReleasedTarget;
#[cfg(feature = "sites")]
pub use partial::Roster;
#[cfg(feature = "sites")]
pub use partial::Site;
#[cfg(feature = "sites")]
pub use partial::SiteFacts;
#[cfg(feature = "sites")]
pub use partial::SiteKey;
pub use partial::Stage;
pub use rehearsal::Rehearsal;
pub use rehearsal::RehearsalSeeds;
pub use rehearsal::RehearsedPick;

#[cfg(test)]
mod tests;
