//! x
mod data;
mod error;
mod estimate;
mod exact;
mod mechanism;
mod privacy;
mod random;
mod score;
pub use data::*;
pub use error::{Error, ErrorKind, Place, Result};
pub use mechanism::CanonicalLipschitz;
pub use privacy::*;
pub use random::{Randomness, RandomnessSource};
pub use score::Scores;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;
