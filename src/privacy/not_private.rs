//! The marker type of results that must not be released.

use std::ops::Deref;

/// A result that is not private, or must not be released: drawn from a stated seed, or computed
/// from the data without a budget.
///
/// It dereferences to the result but is a distinct type: a function that takes a private result
/// does not accept it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotPrivate<T>(T);

impl<T> NotPrivate<T> {
    pub(crate) fn new(result: T) -> Self {
        Self(result)
    }

    /// Unwraps the result. The caller takes responsibility for not releasing it.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for NotPrivate<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
