//! Shared by unit tests, integration tests and examples; independent of the library.
#![allow(dead_code, missing_docs, unreachable_pub)] // each user needs only a part
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)] // tests fail by panicking

pub mod data;
#[path = "../../src/support/effort.rs"]
pub mod effort;
#[path = "../../src/support/goodness.rs"]
pub mod goodness;
#[path = "../../src/support/laws.rs"]
pub mod laws;
pub mod markup;
#[path = "../../src/support/neighbors.rs"]
pub mod neighbors;
#[path = "../../src/support/oracle.rs"]
pub mod oracle;
pub mod people;
