//! How k candidates are chosen from their scores. No mechanism ever sees data.

mod canonical;

pub use canonical::CanonicalLipschitz;
