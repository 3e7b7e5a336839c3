//! Threads that take turns at a reader, each with a result of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Result;
use crate::threads::on_threads;

/// Runs `work` on `threads` threads, this one among them, and gives the results of all. `work` should
/// end when its flag is set: another thread has met an error or panicked.
pub(super) fn in_turns<T: Send>(
    threads: usize,
    work: impl Fn(&AtomicBool) -> Result<T> + Sync,
) -> Vec<Result<T>> {
    let stop = AtomicBool::new(false);
    let work = || {
        let _stop = StopOnPanic(&stop);
        let done = work(&stop);
        stop.fetch_or(done.is_err(), Ordering::Relaxed);
        done
    };
    on_threads(threads, |_| work())
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
