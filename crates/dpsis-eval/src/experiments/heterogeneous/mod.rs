//! The experiments of "Private Selection with Heterogeneous Sensitivities" (2025) on synthetic candidates.
//!
//! Candidates have a score and a sensitivity each; the mechanisms of the library draw one of them. Unless
//! an experiment says otherwise there are 100 candidates and a hundred trials for each repetition, 10,000
//! by default, as in the paper.

mod candidates;
mod claims;
mod errors;
mod page;
mod scenarios;
mod simple;

pub(super) use simple::{run_bimodal, run_realistic};
