//! Work on a separate thread, while the thread of an interpreter shows its progress and can stop
//! it.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::job::Job;

/// The time between two checks for interrupts and progress.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The state that a worker shares with the thread that waits for it: whether to stop, and the
/// finished share of the work.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    stop: Arc<AtomicBool>,
    /// The share as the bits of an `f64`.
    done: Arc<AtomicU64>,
}

impl Watch {
    /// Whether the work should stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Stops the work at its next step.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The finished share of the work.
    pub fn done(&self) -> f64 {
        f64::from_bits(self.done.load(Ordering::Relaxed))
    }

    /// Reports the finished share of the work.
    pub fn report(&self, share: f64) {
        self.done.store(share.to_bits(), Ordering::Relaxed);
    }

    /// Reports the finished share of the work, and fails if the work should stop.
    ///
    /// # Errors
    ///
    /// `Canceled` if the work should stop.
    pub fn step(&self, share: f64) -> Result<()> {
        self.report(share);
        if self.is_stopped() { Err(Error::canceled()) } else { Ok(()) }
    }

    /// Runs `work` on a separate thread and waits for it. Until it ends, `look` is called with the
    /// finished share twenty times a second, on the thread of the caller; when it returns false,
    /// the work is stopped. Work that ends well in spite of that returns its result, whose budget
    /// may be spent; [`is_stopped`](Self::is_stopped) then reports the interrupt, which the caller
    /// must not lose.
    ///
    /// # Errors
    ///
    /// The errors of the work; `Canceled` if it was stopped and fails.
    ///
    /// # Panics
    ///
    /// If the work panics.
    pub fn run<T: Send>(
        &self,
        mut look: impl FnMut(f64) -> bool,
        work: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        thread::scope(|scope| {
            let (end, ended) = channel();
            let worker = scope.spawn(move || {
                let result = work();
                // The waiting thread may be gone.
                let _ = end.send(());
                result
            });
            while !self.has_ended(&ended, &mut look) {}
            let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            if self.is_stopped() { result.map_err(|_| Error::canceled()) } else { result }
        })
    }

    /// Like [`run`](Self::run), for work that owns its data and releases nothing: when `look`
    /// returns false, the wait ends at once, and the work at its next step.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    ///
    /// # Panics
    ///
    /// If the work panics.
    pub fn run_detached<T: Send + 'static>(
        &self,
        mut look: impl FnMut(f64) -> bool,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (end, ended) = channel();
        let worker = thread::spawn(move || {
            let result = work();
            let _ = end.send(());
            result
        });
        while !self.has_ended(&ended, &mut look) {
            if self.is_stopped() {
                return Err(Error::canceled());
            }
        }
        worker.join().unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Waits a while for the end of the work, then calls `look`, and stops the work if that returns
    /// false.
    fn has_ended(&self, ended: &Receiver<()>, look: &mut impl FnMut(f64) -> bool) -> bool {
        if ended.recv_timeout(CHECK_INTERVAL) != Err(RecvTimeoutError::Timeout) {
            return true;
        }
        if !self.is_stopped() && !look(self.done()) {
            self.stop();
        }
        false
    }
}

impl Job {
    /// Reports the progress to a watch, which can stop the job.
    #[must_use]
    pub fn watched(self, watch: &Watch) -> Self {
        let (stop, report) = (watch.clone(), watch.clone());
        self.cancel_when(move || stop.is_stopped()).progress(move |share| report.report(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn stopped_work_is_canceled() {
        let watch = Watch::default();
        let until_stopped = |result: Result<u8>| {
            while !watch.is_stopped() {
                thread::sleep(Duration::from_millis(1));
            }
            result
        };
        // A finished result is kept, and the watch reports the interrupt to the caller.
        assert_eq!(watch.run(|_| false, || until_stopped(Ok(7))).unwrap(), 7);
        assert!(watch.is_stopped());
        let failed = watch.run(|_| false, || until_stopped(Err(Error::input("a rule"))));
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::Canceled);
        assert_eq!(Watch::default().run(|_| true, || Ok(7)).unwrap(), 7);
        let watch = Watch::default();
        let step_by_step = || -> Result<()> {
            loop {
                watch.step(0.5)?;
                thread::sleep(Duration::from_millis(1));
            }
        };
        let mut shares = Vec::new();
        let look = |share| {
            shares.push(share);
            shares.len() < 3
        };
        assert_eq!(watch.run(look, step_by_step).unwrap_err().kind(), ErrorKind::Canceled);
        assert_eq!(shares.len(), 3);
    }
}
