//! The tests of the command line from outside, in one program: a file each.

// In a test a panic is how a failure is reported.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../../../../tests/support/mod.rs"]
mod support;

mod account;
mod acro;
mod bad_input;
mod choose;
mod claims;
mod command_line;
mod datasets;
mod docs;
mod evaluation;
mod fit;
mod fuzz_corpus;
mod groups;
mod harness;
mod help;
mod html;
mod inspect;
mod interfaces;
mod interrupted;
mod kinds;
mod ledger;
mod partial;
mod people;
mod pitfalls;
mod plan;
mod refine;
mod replay;
mod report;
mod run_key;
mod sites;
mod stages;
mod targets;
mod time_to_event;
mod weights;
mod without_k;
