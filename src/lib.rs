//! x
mod error;
mod exact;
mod random;
pub use error::{Error, ErrorKind, Place, Result};
pub use random::{Randomness, RandomnessSource};
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;
