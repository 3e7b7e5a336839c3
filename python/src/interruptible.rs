//! Work that Ctrl-C ends, and that other threads of Python do not wait for.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use dpsis::job::Watch;
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// The time between two looks at signals while detached work goes on.
const LOOK: Duration = Duration::from_millis(50);

/// What the thread of Python does while work goes on: it shows progress, and looks for signals.
struct Looks<'a> {
    progress: Option<&'a Py<PyAny>>,
    shown: f64,
    signal: Option<PyErr>,
}

impl<'a> Looks<'a> {
    fn new(progress: Option<&'a Py<PyAny>>) -> Self {
        Self { progress, shown: f64::NAN, signal: None }
    }

    /// Shows the progress. Returns whether the work may go on: no signal has come.
    fn look(&mut self, share: f64) -> bool {
        Python::attach(|py| {
            self.show(py, share);
            self.signal = py.check_signals().err();
        });
        self.signal.is_none()
    }

    /// Shows the progress if it has changed. An exception of the callback is reported and does not
    /// stop the work, of which a ledger may have been charged.
    fn show(&mut self, py: Python<'_>, share: f64) {
        let Some(show) = self.progress.filter(|_| self.shown != share) else { return };
        self.shown = share;
        if let Err(error) = show.call1(py, (share,)) {
            if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
                self.signal = Some(error);
            } else {
                error.write_unraisable(py, None);
            }
        }
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
    let mut looks = Looks::new(progress);
    let result = py.detach(|| watch.run(|share| looks.look(share), work));
    match (result, looks.signal.take()) {
        (Ok(result), _) => {
            looks.show(py, watch.done());
            Ok(result)
        }
        (Err(_), Some(signal)) => Err(signal),
        (Err(error), None) => Err(error).or_raise(py),
    }
}

/// Like [`run`], for work that owns what it needs and releases nothing: a signal ends the waiting at
/// once, the work at its next step.
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
    let mut looks = Looks::new(progress);
    let result = py.detach(|| {
        let (end, ended) = channel();
        let worker = thread::spawn(move || {
            let result = work();
            let _ = end.send(());
            result
        });
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(LOOK) {
            if !looks.look(watch.done()) {
                watch.stop();
                return None;
            }
        }
        Some(worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    if let Some(signal) = looks.signal.take() {
        return Err(signal);
    }
    looks.show(py, watch.done());
    result.unwrap_or_else(|| Err(dpsis::Error::canceled())).or_raise(py)
}
