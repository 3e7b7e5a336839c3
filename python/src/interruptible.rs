//! Work that Ctrl-C ends, and that other threads of Python do not wait for.

use dpsis::job::Watch;
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// Shows progress and looks for signals, on the thread of Python while work goes on.
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
            if self.signal.is_none() {
                self.signal = py.check_signals().err();
            }
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

impl Looks<'_> {
    /// The result of the work with the exception of a signal that came meanwhile, or the exception
    /// for its error. Progress is shown once more, of short work for the first time.
    fn end<T>(
        mut self,
        py: Python<'_>,
        watch: &Watch,
        result: dpsis::Result<T>,
    ) -> PyResult<(T, Option<PyErr>)> {
        if result.is_ok() {
            self.show(py, watch.done());
            // A pending signal would be raised later, and the result would be lost.
            self.signal = self.signal.or_else(|| py.check_signals().err());
        }
        match (result, self.signal) {
            (Ok(result), signal) => Ok((result, signal)),
            (Err(_), Some(signal)) => Err(signal),
            (Err(error), None) => Err(error).or_raise(py),
        }
    }
}

/// A result without a signal, whose exception is raised instead.
pub(crate) fn uninterrupted<T>((result, signal): (T, Option<PyErr>)) -> PyResult<T> {
    signal.map_or(Ok(result), Err)
}

/// Runs `work` on a thread of its own, which may use what this one borrows, and waits for it. The
/// budget of a result may be spent: the exception of a signal that came too late to stop the work
/// is returned with it.
///
/// # Errors
///
/// The error of the work, or of a signal for which the work was stopped.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    watch: &Watch,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> dpsis::Result<T> + Send,
) -> PyResult<(T, Option<PyErr>)> {
    let mut looks = Looks::new(progress);
    let result = py.detach(|| watch.run(|share| looks.look(share), work));
    looks.end(py, watch, result)
}

/// Like [`run`], for work that owns its data and releases nothing: a signal ends the waiting at
/// once, the work at its next step, and no result is returned with it.
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
    let result = py.detach(|| watch.run_detached(|share| looks.look(share), work));
    looks.end(py, watch, result).and_then(uninterrupted)
}
