//! The main path: a request, checked; passes over the table; a record of what was released.

mod dry_run;
mod folds;
#[cfg(feature = "linfa")]
mod linfa;
#[cfg(feature = "methods")]
mod methods;
mod not_private;
mod plan;
mod record;
#[cfg(feature = "methods")]
mod rehearsal;
mod request;
mod run;
mod selection;

pub use dry_run::{DryRun, Noise};
pub use not_private::NotPrivateSelect;
pub(crate) use plan::WIDE;
pub use plan::checked_threads;
#[cfg(feature = "methods")]
pub use rehearsal::{Rehearsal, RehearsalSeeds};
#[cfg(feature = "methods")]
pub use request::TwoStage;
pub use request::{Center, CheckedSelect, Method, ScoreKind, Select, Target};
pub use selection::{
    Guarantee, MechanismUsed, Picked, PublicFacts, RandomnessUsed, Record, Released, ScoreUsed,
    Selection, TargetUsed, Warning,
};

#[cfg(test)]
mod pipeline_tests;
