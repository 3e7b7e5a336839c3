//! Shared by unit tests, integration tests and examples: knows nothing of the library.
#![allow(dead_code, missing_docs, unreachable_pub)] // each of them uses a part
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)] // in a test a panic is how a failure is said

pub mod data;
pub mod goodness;
pub mod laws;
pub mod markup;
pub mod neighbors;
pub mod oracle;
