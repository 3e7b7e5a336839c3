//! Arguments on the ledger that a release is charged to.

use std::path::{Path, PathBuf};

use clap::Args;

use dpsis::job::Terms;

#[derive(Debug, Args)]
pub(super) struct LedgerArguments {
    /// Charge this ledger, or refuse the run (dpsis ledger create)
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = "Privacy")]
    ledger: Option<PathBuf>,

    /// With --ledger: a note on this release, one line
    #[arg(
        long,
        value_name = "TEXT",
        requires = "ledger",
        hide_short_help = true,
        help_heading = "Privacy"
    )]
    ledger_note: Option<String>,

    /// With --ledger: a key of this run, one line. A repeated call with it returns the recorded
    /// release and is not charged again; other options need another key
    #[arg(
        long,
        value_name = "KEY",
        requires = "ledger",
        hide_short_help = true,
        help_heading = "Privacy"
    )]
    run_key: Option<String>,
}

impl LedgerArguments {
    /// The path of the ledger, if one is given.
    pub(super) fn file(&self) -> Option<&Path> {
        self.ledger.as_deref()
    }

    /// The terms of a run that is charged to this ledger, or seeded.
    pub(super) fn terms(&self, request: &str, seed: Option<u64>) -> Terms {
        Terms {
            request: request.to_owned(),
            seed,
            ledger: self.ledger.clone(),
            note: self.ledger_note.clone().unwrap_or_default(),
            run_key: self.run_key.clone(),
            ..Terms::default()
        }
    }
}
