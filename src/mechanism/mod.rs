//! How k candidates are chosen from their scores. No mechanism ever sees data.

pub mod canonical;

pub use canonical::CanonicalLipschitz;
