//! Runs: passes over a table and releases in turn, dry runs, seeded draws on public tables, models,
//! sums of parts.

pub(crate) mod api;
pub(crate) mod charged;
pub(crate) mod dry_run;
pub(crate) mod fit;
#[cfg(feature = "linfa")]
pub(crate) mod linfa;
pub(crate) mod partial;
pub(crate) mod recording;
pub(crate) mod rehearsal;
pub(crate) mod steps;
pub(crate) mod within;

pub use dry_run::{DryRun, Noise, RowsNeeded};
pub use fit::{
    CheckedFitModel, FitDryRun, FitModel, FitOptions, FitRecord, FittedModel, GivenToModel,
    ModelOptions, NotPrivateFitModel,
};
pub use partial::{ColumnScore, Partial, PartialFile, ReleasedTarget, Stage, TargetType};
#[cfg(feature = "sites")]
pub use partial::{MaskedPartial, Roster, Site, SiteFacts, SiteKey};
pub use rehearsal::{Rehearsal, RehearsalSeeds, RehearsedPick};

#[cfg(test)]
mod tests;
