//! Progress on a terminal, in percent and time left. Nothing that could be logged reveals the size
//! of the file.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Progress is shown after this time.
const PATIENCE: Duration = Duration::from_secs(2);

/// A callback that shows the share that has been read; `None` if stderr is not a terminal.
pub(super) fn progress() -> Option<impl Fn(f64) + Send + Sync + 'static> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let start = Instant::now();
    let bar = ProgressBar::new(1);
    if let Ok(style) = ProgressStyle::with_template("{msg}") {
        bar.set_style(style);
    }
    let passes = Mutex::new(Passes::default());
    Some(move |share: f64| {
        let mut passes = passes.lock().unwrap_or_else(PoisonError::into_inner);
        match passes.see(start.elapsed(), share) {
            Seen::Nothing => {}
            Seen::Line(line) => {
                // The next pass starts a new bar.
                if bar.is_finished() {
                    bar.reset();
                }
                bar.set_message(line);
            }
            Seen::End => bar.finish_and_clear(),
        }
    })
}

/// The timing of consecutive passes over a table.
#[derive(Debug, Default)]
struct Passes {
    /// The start of this pass, measured from the start of the run.
    began: Duration,
    share: f64,
    /// The number of completed passes.
    over: u32,
    shown: String,
}

/// A change of the terminal.
#[derive(Debug, PartialEq)]
enum Seen {
    /// No change.
    Nothing,
    Line(String),
    /// The pass is over: an empty line.
    End,
}

impl Passes {
    /// The change at a time, measured from the start of the run, for a share of this pass.
    fn see(&mut self, now: Duration, share: f64) -> Seen {
        if share < self.share {
            (self.began, self.shown) = (now, String::new());
            self.over += 1;
        }
        self.share = share;
        if share >= 1.0 {
            return Seen::End;
        }
        if now < PATIENCE || !(share > 0.0) {
            return Seen::Nothing;
        }
        let left = (now - self.began).as_secs_f64() * (1.0 - share) / share;
        let percent = (share * 100.0) as u64;
        let line = match self.over {
            0 => format!("reading {percent}%, {} left", in_words(left)),
            // Further passes read the table again for the scores, or compute scores by column.
            over => format!("step {}, {percent}%, {} left", over + 1, in_words(left)),
        };
        if line == self.shown {
            return Seen::Nothing;
        }
        self.shown.clone_from(&line);
        Seen::Line(line)
    }
}

/// Whole seconds, minutes or hours, rounded up.
fn in_words(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3600)),
    }
}

/// The steps of a long run that reads no sensitive data, with the time left.
pub(super) struct Steps {
    start: Instant,
    bar: Option<ProgressBar>,
}

impl Steps {
    /// Shows steps if `wanted` and if stderr is a terminal.
    pub(super) fn new(wanted: bool) -> Self {
        let bar = (wanted && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(1000);
            let template = "{msg} {percent}% [{bar:30}] {elapsed} gone, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        Self { start: Instant::now(), bar }
    }

    /// Shows the current step and its completed share.
    pub(super) fn show(&self, what: &str, share: f64) {
        if let Some(bar) = &self.bar
            && self.start.elapsed() >= PATIENCE
        {
            if bar.message() != what {
                bar.reset();
                bar.set_message(what.to_owned());
            }
            bar.set_position((share * 1000.0) as u64);
        }
    }

    /// Clears the terminal line.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn see(passes: &mut Passes, seconds: f64, share: f64) -> Seen {
        passes.see(Duration::from_secs_f64(seconds), share)
    }

    fn line(text: &str) -> Seen {
        Seen::Line(text.to_owned())
    }

    #[test]
    fn percent_and_time_left() {
        let mut passes = Passes::default();
        assert_eq!(see(&mut passes, 0.0, 0.0), Seen::Nothing);
        assert_eq!(see(&mut passes, 1.9, 0.05), Seen::Nothing);
        assert_eq!(see(&mut passes, 2.0, 0.1), line("reading 10%, 18 s left"));
        assert_eq!(see(&mut passes, 2.0, 0.1), Seen::Nothing);
        assert_eq!(see(&mut passes, 10.0, 0.5), line("reading 50%, 10 s left"));
        assert_eq!(see(&mut passes, 20.0, 1.0), Seen::End);
        // The time of a second pass is measured from its own start.
        assert_eq!(see(&mut passes, 30.0, 0.0), Seen::Nothing);
        assert_eq!(see(&mut passes, 31.0, 0.25), line("step 2, 25%, 3 s left"));
        assert_eq!(see(&mut passes, 34.0, 1.0), Seen::End);
    }

    /// Short runs show nothing.
    #[test]
    fn patience() {
        let mut passes = Passes::default();
        for share in [0.1, 0.5, 0.99] {
            assert_eq!(see(&mut passes, share, share), Seen::Nothing);
        }
        assert_eq!(see(&mut passes, 2.0, f64::NAN), Seen::Nothing);
    }

    #[test]
    fn times_are_rounded_up() {
        assert_eq!(
            [0.2, 119.0, 119.5, 7140.5, 7200.0].map(in_words),
            ["1 s", "119 s", "2 min", "120 min", "2 h"]
        );
    }
}
