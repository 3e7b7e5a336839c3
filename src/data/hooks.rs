//! Hooks of a pass: a caller sees its progress and can stop it.

use std::sync::Arc;

use crate::error::{Error, Result};

/// The hooks of a pass; by default none.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) progress: Option<Arc<dyn Fn(f64) + Send + Sync>>,
    pub(crate) cancel: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Hooks {
    /// Reports the share of the pass that is done.
    pub(crate) fn report(&self, done: f64, of: f64) {
        if let Some(progress) = &self.progress {
            progress((done / of).min(1.0));
        }
    }

    /// Whether the caller wants the run to stop.
    pub(crate) fn is_canceled(&self) -> bool {
        self.cancel.as_ref().is_some_and(|cancel| cancel())
    }

    /// Stops a run that the caller wants to stop.
    ///
    /// # Errors
    ///
    /// `Canceled` then.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_canceled() { Err(Error::canceled()) } else { Ok(()) }
    }
}
