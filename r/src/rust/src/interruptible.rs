//! Work that an interrupt of R ends.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use dpsis::{Error, Result};
use extendr_api::prelude::*;

/// The time between two looks at interrupts and at the progress.
const LOOK: Duration = Duration::from_millis(50);

/// The state that a worker and the thread of R share.
#[derive(Clone, Default)]
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    /// The share of the work that is done, as the bits of an `f64`.
    done: Arc<AtomicU64>,
}

impl Watch {
    /// Whether the work is to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Tells how much is done.
    pub(crate) fn report(&self, share: f64) {
        self.done.store(share.to_bits(), Ordering::Relaxed);
    }

    /// Tells how much is done, and fails if the work is to end.
    ///
    /// # Errors
    ///
    /// `Canceled` then.
    pub(crate) fn step(&self, share: f64) -> Result<()> {
        self.report(share);
        if self.is_stopped() { Err(Error::canceled()) } else { Ok(()) }
    }
}

/// Runs `work` on a thread of its own, which may use what this one borrows, and waits for it.
/// Between, R's function `look` is told the share that is done; unless it returns `TRUE`, the work
/// is stopped.
///
/// # Errors
///
/// Those of the work; `Canceled` if it was stopped.
pub(crate) fn run<T: Send>(
    watch: &Watch,
    look: &Function,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    thread::scope(|scope| {
        let (end, ended) = channel();
        let worker = scope.spawn(move || {
            let result = work();
            // Nobody may wait any more.
            let _ = end.send(());
            result
        });
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(LOOK) {
            if watch.is_stopped() {
                continue;
            }
            let done = f64::from_bits(watch.done.load(Ordering::Relaxed));
            let answer = look.call(pairlist!(done)).ok().and_then(|answer| answer.as_bool());
            if answer != Some(true) {
                watch.stop.store(true, Ordering::Relaxed);
            }
        }
        let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        if watch.is_stopped() { Err(Error::canceled()) } else { result }
    })
}
