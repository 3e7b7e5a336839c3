//! Threads that take turns at a reader, each with a result of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Result;

/// Runs `work` on `threads` threads, this one among them, and gives the results of all. `work` should
/// end when its flag is set: another thread has met an error or panicked.
///
/// A single thread is not spawned: the heap of the main thread grows in larger steps than that of
/// others.
pub(super) fn on_threads<T: Send>(
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
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = vec![work()];
        for other in others {
            all.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    })
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
