//! Progress on a terminal, in percent: nothing that is kept tells how large the file is.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Shorter work needs no progress.
const PATIENCE: Duration = Duration::from_secs(1);

/// A callback that shows the share that has been read; `None` where nobody would see it.
pub(super) fn progress() -> Option<impl Fn(f64) + Send + Sync + 'static> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let start = Instant::now();
    let bar = ProgressBar::new(100);
    if let Ok(style) = ProgressStyle::with_template("reading {percent}%") {
        bar.set_style(style);
    }
    let shown = AtomicU64::new(0);
    Some(move |share: f64| {
        let percent = (share * 100.0) as u64;
        if share >= 1.0 {
            bar.finish_and_clear();
        } else if start.elapsed() > PATIENCE && shown.swap(percent, Ordering::Relaxed) != percent {
            bar.set_position(percent);
        }
    })
}

/// Steps of a long run on public data, with the time left.
#[cfg(feature = "eval")]
pub(super) struct Steps(Option<ProgressBar>);

#[cfg(feature = "eval")]
impl Steps {
    /// Shown where somebody sees it, if it is wanted.
    pub(super) fn new(wanted: bool) -> Self {
        Self((wanted && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(1000);
            let template = "{msg} {percent}% [{bar:30}] {elapsed} gone, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        }))
    }

    /// What is being done, and the share of it that is done.
    pub(super) fn show(&self, what: &str, share: f64) {
        if let Some(bar) = &self.0 {
            if bar.message() != what {
                bar.reset();
                bar.set_message(what.to_owned());
            }
            bar.set_position((share * 1000.0) as u64);
        }
    }

    /// Leaves the terminal as it was.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
