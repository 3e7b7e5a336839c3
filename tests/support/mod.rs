//! Shared by unit tests, integration tests and examples; independent of the library.
#![allow(dead_code, missing_docs, unreachable_pub)] // each user needs only a part
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)] // tests fail by panicking

pub mod data;
pub mod goodness;
pub mod laws;
pub mod markup;
pub mod neighbors;
pub mod oracle;
pub mod people;
