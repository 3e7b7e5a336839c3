//! Arguments on the ledger that pays for a release.

use std::path::{Path, PathBuf};

use clap::Args;

use dpsis::{Ledger, Result};

#[derive(Debug, Args)]
pub(super) struct LedgerArguments {
    /// Pay from this budget file, or refuse: dpsis ledger create makes one
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = "Privacy")]
    ledger: Option<PathBuf>,

    /// With --ledger: a note on this release for the budget file, in one line
    #[arg(
        long,
        value_name = "TEXT",
        requires = "ledger",
        hide_short_help = true,
        help_heading = "Privacy"
    )]
    ledger_note: Option<String>,
}

impl LedgerArguments {
    /// The path of the ledger, if one is stated.
    pub(super) fn file(&self) -> Option<&Path> {
        self.ledger.as_deref()
    }

    /// The ledger, if one is stated.
    pub(super) fn open(&self) -> Result<Option<Ledger>> {
        self.ledger.as_ref().map(Ledger::open).transpose()
    }

    /// The note on this release; empty if there is none.
    pub(super) fn note(&self) -> &str {
        self.ledger_note.as_deref().unwrap_or_default()
    }
}
