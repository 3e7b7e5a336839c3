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
