//! Arguments on long runs over public data, of `compare`.

use clap::Args;

use crate::progress::Steps;
use dpsis::Result;
use dpsis::internals::checked_threads;

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// The seed of all draws
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,

    /// Threads [default: all cores]; the result does not depend on it
    #[arg(long, value_name = "N", hide_short_help = true)]
    threads: Option<usize>,

    /// No progress on the terminal
    #[arg(long, hide_short_help = true)]
    no_progress: bool,
}

impl RunArguments {
    /// The number of threads.
    pub(super) fn threads(&self) -> Result<usize> {
        checked_threads(self.threads)
    }

    /// Progress, unless it is disabled or stderr is not a terminal.
    pub(super) fn steps(&self) -> Steps {
        Steps::new(!self.no_progress)
    }
}
