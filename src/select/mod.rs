//! The main path: a request, checked; passes over the table; a record of what was released.

mod record;
mod request;
mod run;
mod selection;

pub use request::{Center, Select, Target};
pub use selection::{
    Guarantee, MechanismUsed, Picked, PublicFacts, RandomnessUsed, Released, ScoreUsed, Selection,
    TargetUsed, Warning,
};
