//! Threads that take turns at a reader, each with what it gathers.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Result;

/// What each of the threads returns, this one among them. `work` should end when it is told to stop: another
/// has met an error, or is lost.
///
/// Where this thread is the only one, blocks are read into the memory of the program's own heap, which grows in
/// large steps, a thread's in pages.
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

/// Lets the other threads stop, too, when one is lost.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
