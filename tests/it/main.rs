//! The tests of the library from outside, in one program: a file each.

#![allow(clippy::unwrap_used)] // a failing test panics

#[path = "../support/mod.rs"]
mod support;

mod any_bytes;
mod demo;
#[cfg(all(feature = "methods", feature = "verify"))]
mod empty_tables;
mod end_to_end;
#[cfg(feature = "ndarray")]
mod feature_sets;
#[cfg(feature = "ndarray")]
mod forecasts;
mod formats;
#[cfg(feature = "methods")]
mod identifiers;
mod imports;
#[cfg(feature = "ndarray")]
mod library;
#[cfg(feature = "linfa")]
mod linfa;
#[cfg(all(feature = "arrow", feature = "patterns"))]
mod managed_folders;
mod one_person;
mod paired;
mod papers;
mod prose;
mod significance;
mod time_to_event;
mod without_k;
mod words;
