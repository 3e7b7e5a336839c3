//! The mark of what must not be released.

use std::ops::Deref;

/// A result that is not private, or not to be released: drawn from a stated seed, or computed from
/// the data without a budget.
///
/// It reads like the result itself, yet is of another type: what asks for a private result does not
/// take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotPrivate<T>(T);

impl<T> NotPrivate<T> {
    pub(crate) fn new(result: T) -> Self {
        Self(result)
    }

    /// The result without the mark. Whoever calls this knows that it is not private.
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
