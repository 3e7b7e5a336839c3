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
#[cfg(feature = "eval")]
mod rehearsal;
mod request;
mod run;
mod selection;

#[cfg(feature = "eval")]
pub(crate) use rehearsal::{Rehearsal, Seeds};

pub use dry_run::{DryRun, Noise};
pub use not_private::NotPrivateSelect;
pub(crate) use plan::WIDE;
#[cfg(feature = "eval")]
pub(crate) use plan::checked_threads;
#[cfg(feature = "methods")]
pub use request::TwoStage;
pub use request::{Center, CheckedSelect, Method, ScoreKind, Select, Target};
pub use selection::{
    Guarantee, MechanismUsed, Picked, PublicFacts, RandomnessUsed, Record, Released, ScoreUsed,
    Selection, TargetUsed, Warning,
};

#[cfg(test)]
mod pipeline_tests;
