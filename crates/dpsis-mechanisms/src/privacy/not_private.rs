//! The marker type of results that must not be released.

use std::ops::Deref;

use serde::{Serialize, Serializer};

/// A result that is not private, or must not be released: drawn from a given seed, or computed
/// from the data without a budget.
///
/// It dereferences to the result but is a distinct type: a function that takes a private result
/// does not accept it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotPrivate<T>(T);

impl<T> NotPrivate<T> {
    /// Marks a result.
    pub fn new(result: T) -> Self {
        Self(result)
    }

    /// Another result, made from this one: not private either.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> NotPrivate<U> {
        NotPrivate(make(self.0))
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

/// A result that records whether it is private, so that its serialized form does so as well.
pub trait RecordsPrivacy: Serialize {}

impl<T: RecordsPrivacy> Serialize for NotPrivate<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
