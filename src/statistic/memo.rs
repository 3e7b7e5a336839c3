//! Memoized results that several draws share.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;

/// The number of draws that use the gathered values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Draws {
    One,
    Many,
}

impl Draws {
    /// The number of results worth keeping: 0 for one draw, `most` for many.
    pub(crate) fn keep(self, most: usize) -> usize {
        match self {
            Self::One => 0,
            Self::Many => most,
        }
    }
}

/// Values by key, computed on first use; the first `most` are kept.
pub(crate) struct Memo<K, V: ?Sized> {
    kept: Mutex<HashMap<K, Arc<V>>>,
    most: usize,
}

impl<K: Eq + Hash, V: ?Sized> Memo<K, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { kept: Mutex::default(), most }
    }

    /// The value of a key. Two threads may compute it at the same time, with the same result.
    ///
    /// # Errors
    ///
    /// The errors of `make`.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> Result<Arc<V>>) -> Result<Arc<V>> {
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = lock().get(&key) {
            return Ok(value.clone());
        }
        let value = make()?;
        let mut kept = lock();
        if kept.len() < self.most {
            kept.insert(key, value.clone());
        }
        Ok(value)
    }
}
