//! The experiments of the papers behind [`dpsis`], run again on public and synthetic data: research
//! outside the product.
//!
//! | I want to ... | see |
//! | --- | --- |
//! | run an experiment, or all | [`experiments`], or the program `dpsis-papers` |
//! | release the sum of a stream at every step | [`counter`] |
//!
//! Nothing here is private: all draws are seeded, and every output is marked as not private.

pub mod counter;
pub mod experiments;
mod objective_perturbation;
mod parts_file;
mod recommend;
mod rivals;

#[cfg(test)]
#[path = "../../../tests/support/mod.rs"]
mod support;
