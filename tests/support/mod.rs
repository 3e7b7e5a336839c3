//! Shared by unit tests, integration tests and examples: knows nothing of the library.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

pub mod goodness;
pub mod laws;
pub mod markup;
pub mod neighbors;
pub mod oracle;
