//! Warnings of answers.

use serde::Serialize;

use crate::error::Parameter;
use crate::release::Warning;

/// A warning of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Caution {
    /// Its text, with the interface's names of parameters.
    pub text: String,
    /// Whether the answer would mislead without it.
    pub essential: bool,
}

/// The text of an interface for parameters.
pub(super) type Words = dyn Fn(&[Parameter]) -> String + Send + Sync;

impl Caution {
    pub(super) fn all<'a>(
        warnings: impl IntoIterator<Item = &'a Warning>,
        words: &Words,
    ) -> Vec<Self> {
        let caution = |one: &Warning| Self {
            text: one.text.clone() + &words(&one.about),
            essential: one.kind.is_essential(),
        };
        warnings.into_iter().map(caution).collect()
    }
}
