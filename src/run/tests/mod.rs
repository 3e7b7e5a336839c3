//! Tests of whole runs.

mod choice;
#[cfg(feature = "ndarray")]
mod joined;
mod pipeline;
#[cfg(feature = "ndarray")]
mod roles;
mod sets;
