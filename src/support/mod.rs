//! Brute force behind the claims: all outcomes, exact laws, all neighbors, goodness of fit.
//! Independent of the rest of the library, so that tests and examples outside of it can use the
//! same files.
#![allow(unreachable_pub, reason = "the files are modules of tests and examples, too")]
#![allow(missing_docs, reason = "as above")]
#![cfg_attr(not(test), allow(dead_code, reason = "tests use more of it"))]

#[cfg(test)]
pub mod effort;
pub mod goodness;
pub mod laws;
#[cfg(all(test, feature = "html"))]
#[path = "../../tests/support/markup.rs"]
pub mod markup;
pub mod neighbors;
pub mod oracle;
