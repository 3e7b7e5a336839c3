//! Work that Ctrl-C ends, and that other threads of Python do not wait for.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::OrRaise;

/// The time between two looks at signals and at the progress.
const LOOK: Duration = Duration::from_millis(50);

/// The state that a worker and the thread of Python share.
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
    pub(crate) fn step(&self, share: f64) -> dpsis::Result<()> {
        self.report(share);
        if self.is_stopped() { Err(dpsis::Error::canceled()) } else { Ok(()) }
    }

    fn done(&self) -> f64 {
        f64::from_bits(self.done.load(Ordering::Relaxed))
    }

    /// Waits for the end of the work; between, shows progress and looks for signals, the first of
    /// which stops it.
    fn wait(&self, ended: &Receiver<()>, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        let mut shown = f64::NAN;
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(LOOK) {
            let looked = Python::attach(|py| {
                py.check_signals()?;
                match progress {
                    Some(show) if self.done() != shown => {
                        shown = self.done();
                        show.call1(py, (shown,)).map(|_| ())
                    }
                    _ => Ok(()),
                }
            });
            if looked.is_err() {
                self.stop.store(true, Ordering::Relaxed);
                return looked;
            }
        }
        // What is done is said of short work, too. Nothing may keep the result, which may be paid for.
        if let Some(show) = progress.filter(|_| self.done() != shown) {
            Python::attach(|py| {
                if let Err(error) = show.call1(py, (self.done(),)) {
                    error.write_unraisable(py, None);
                }
            });
        }
        Ok(())
    }
}

/// Runs `work` on a thread of its own, which may use what this one borrows, and waits for it.
///
/// # Errors
///
/// Those of the work; that of a signal, for which the work was stopped.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    watch: &Watch,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> dpsis::Result<T> + Send,
) -> PyResult<T> {
    let result = py.detach(|| {
        thread::scope(|scope| {
            let (end, ended) = channel();
            let worker = scope.spawn(move || {
                let result = work();
                // Nobody may wait any more.
                let _ = end.send(());
                result
            });
            let waited = watch.wait(&ended, progress);
            let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            waited.map(|()| result)
        })
    })?;
    result.or_raise(py)
}

/// Like [`run`], for work that owns what it needs: a signal ends the waiting at once, the work at
/// its next step.
///
/// # Errors
///
/// As for [`run`].
pub(crate) fn run_detached<T: Send + 'static>(
    py: Python<'_>,
    watch: &Watch,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> dpsis::Result<T> + Send + 'static,
) -> PyResult<T> {
    let result = py.detach(|| {
        let (end, ended) = channel();
        let worker = thread::spawn(move || {
            let result = work();
            let _ = end.send(());
            result
        });
        watch.wait(&ended, progress)?;
        Ok::<_, PyErr>(worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })?;
    result.or_raise(py)
}
