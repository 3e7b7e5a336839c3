//! The place of a ledger's text: a file, or memory that somebody else stores.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::FILE;
use crate::error::Result;
use crate::privacy::locked::Locked;

/// Stores the text of a ledger where there are no files, and gives the time there.
pub trait KeepLedger: Send + Sync {
    /// Receives the whole text after an entry was added. The charged release is made when this
    /// returns.
    fn keep(&self, text: &[u8]);

    /// The seconds since 1970-01-01 in UTC.
    fn now(&self) -> u64;
}

/// The place of a ledger's text.
#[derive(Clone)]
pub(super) enum Place {
    File(PathBuf),
    Kept { text: Arc<Mutex<Vec<u8>>>, keeper: Arc<dyn KeepLedger> },
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.fmt(f),
            Self::Kept { .. } => f.write_str("in memory"),
        }
    }
}

impl Place {
    pub(super) fn kept(text: Vec<u8>, keeper: Arc<dyn KeepLedger>) -> Self {
        Self::Kept { text: Arc::new(Mutex::new(text)), keeper }
    }

    /// The whole text.
    ///
    /// # Errors
    ///
    /// As for [`Locked::to_read`].
    pub(super) fn content(&self) -> Result<Vec<u8>> {
        Ok(match self {
            Self::File(path) => Locked::to_read(&FILE, path)?.content,
            Self::Kept { text, .. } => text.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        })
    }

    /// Appends the lines that `add` makes of the text, under exclusive access, and returns the
    /// other result of `add`.
    ///
    /// # Errors
    ///
    /// As for [`Locked`]; the errors of `add`, in which case nothing is appended.
    pub(super) fn append<T>(&self, add: impl FnOnce(&[u8]) -> Result<(String, T)>) -> Result<T> {
        match self {
            Self::File(path) => {
                let locked = Locked::to_append(&FILE, path)?;
                let (lines, made) = add(&locked.content)?;
                locked.append(&lines)?;
                Ok(made)
            }
            Self::Kept { text, keeper } => {
                let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
                let (lines, made) = add(&text)?;
                text.extend(lines.as_bytes());
                keeper.keep(&text);
                Ok(made)
            }
        }
    }
}
