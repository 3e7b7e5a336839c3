//! Hooks of a pass: a caller sees its progress and can stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// The hooks of a pass; by default none.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) progress: Option<Arc<dyn Fn(f64) + Send + Sync>>,
    pub(crate) cancel: Option<Cancel>,
}

/// A request to cancel a run. It is final: skipped work is missing, even if
/// the caller withdraws it.
#[derive(Clone)]
pub(crate) struct Cancel {
    wanted: Arc<dyn Fn() -> bool + Send + Sync>,
    heard: Arc<AtomicBool>,
}

impl Cancel {
    /// Stops when `wanted` returns true.
    pub(crate) fn when(wanted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { wanted: Arc::new(wanted), heard: Arc::default() }
    }

    /// The same request for another run, which has not seen it yet.
    fn anew(&self) -> Self {
        Self { wanted: self.wanted.clone(), heard: Arc::default() }
    }

    fn is_wanted(&self) -> bool {
        if self.heard.load(Ordering::Relaxed) {
            return true;
        }
        let wanted = (self.wanted)();
        self.heard.fetch_or(wanted, Ordering::Relaxed);
        wanted
    }
}

impl Hooks {
    /// The hooks for one run of a request: a request whose run was stopped can be run again.
    pub(crate) fn for_a_run(&self) -> Self {
        let cancel = self.cancel.as_ref().map(Cancel::anew);
        Self { progress: self.progress.clone(), cancel }
    }

    /// The hooks for one of several parts of a pass.
    pub(crate) fn part(&self, place: usize, of: usize) -> Self {
        let progress = self.progress.clone().map(|progress| -> Arc<dyn Fn(f64) + Send + Sync> {
            Arc::new(move |done| progress((place as f64 + done) / of as f64))
        });
        Self { progress, cancel: self.cancel.clone() }
    }

    /// Reports the share of the pass that is done.
    pub(crate) fn report(&self, done: f64, of: f64) {
        if let Some(progress) = &self.progress {
            progress((done / of).min(1.0));
        }
    }

    /// Whether the caller wants the run to stop, now or before.
    pub(crate) fn is_canceled(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_wanted)
    }

    /// Stops a run that the caller wants to stop.
    ///
    /// # Errors
    ///
    /// `Canceled` in that case.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_canceled() { Err(Error::canceled()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// A cancellation holds for the rest of a run even if it is withdrawn; the next run starts
    /// without it.
    #[test]
    fn cancellation_is_sticky() {
        let calls = AtomicUsize::new(0);
        let once = move || calls.fetch_add(1, Ordering::Relaxed) == 1;
        let hooks = Hooks { progress: None, cancel: Some(Cancel::when(once)) };
        let run = hooks.for_a_run();
        assert_eq!([(); 4].map(|()| run.clone().is_canceled()), [false, true, true, true]);
        assert!(run.check().is_err() && hooks.for_a_run().check().is_ok());
    }
}
