//! Threads that take turns at a reader, each with a result of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::threads::on_threads;

/// Runs `work` with its place on each of `threads` threads, this one among them, and gives the
/// results of all. `work` should end when its flag is set: another thread has met an error or
/// panicked.
pub(super) fn in_turns<T: Send>(
    threads: usize,
    work: impl Fn(usize, &AtomicBool) -> Result<T> + Sync,
) -> Vec<Result<T>> {
    let stop = AtomicBool::new(false);
    on_threads(threads, |place| {
        let _stop = StopOnPanic(&stop);
        let done = work(place, &stop);
        stop.fetch_or(done.is_err(), Ordering::Relaxed);
        done
    })
}

/// The results of threads.
pub(crate) struct Results<F>(Mutex<Vec<F>>);

impl<F> Results<F> {
    pub(crate) fn new() -> Self {
        Self(Mutex::default())
    }

    /// Adds the result of one thread, as `work` leaves it.
    ///
    /// # Errors
    ///
    /// The error of `work`; then nothing is added.
    pub(crate) fn add(&self, mut result: F, work: impl FnOnce(&mut F) -> Result<()>) -> Result<()> {
        work(&mut result)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(result);
        Ok(())
    }

    /// All of them as one; `merge` takes in another.
    pub(crate) fn merged(self, merge: impl Fn(&mut F, F)) -> Option<F> {
        let results = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().reduce(|mut all, result| {
            merge(&mut all, result);
            all
        })
    }
}

/// Stops the other threads when one panics.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
