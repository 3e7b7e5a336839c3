//! Shared by unit tests and integration tests; independent of the library.
#![allow(dead_code, missing_docs, unreachable_pub)] // each user needs only a part
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)] // tests fail by panicking

pub mod data;
pub mod markup;
pub mod people;
