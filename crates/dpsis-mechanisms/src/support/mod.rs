//! Brute force behind the claims: all outcomes, exact laws, all neighbors, goodness of fit.
//! Independent of the mechanisms, which are tested against it; tests of other crates use it as
//! well.
#![allow(missing_docs, reason = "for tests")]

pub mod effort;
pub mod goodness;
pub mod laws;
pub mod neighbors;
pub mod oracle;
