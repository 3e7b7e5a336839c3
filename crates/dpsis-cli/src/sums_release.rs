//! A release from sums: the selection, or what its next stage needs of the target.

use crate::ledger_arguments::LedgerArguments;
use crate::output::{self, Output};
use dpsis::{Error, Partial, ReleasedTarget, Result, RunNote, Select, Stage};

/// The sums, and the options of the release.
pub(super) struct SumsRelease<'a> {
    pub(super) select: Select,
    pub(super) sums: &'a Partial,
    pub(super) seed: Option<u64>,
    pub(super) ledger: &'a LedgerArguments,
    /// Whether a form of the output is stated.
    pub(super) has_form: bool,
    /// The next step with a released target, in words.
    pub(super) next: &'a str,
}

impl SumsRelease<'_> {
    /// Makes the release of the stage of the sums.
    ///
    /// # Errors
    ///
    /// Those of the request, the ledger and the output.
    pub(super) fn run(self, note: RunNote, output: Output) -> Result<()> {
        match self.sums.stage() {
            Stage::Selection => self.selection(note, output),
            _ => self.target(output),
        }
    }

    fn selection(self, note: RunNote, output: Output) -> Result<()> {
        let Self { select, sums, .. } = self;
        if let Some(seed) = self.seed {
            let record = select.seed(seed).release(sums)?.with_run(note);
            return output.write(&record);
        }
        let select = select.check()?;
        if self.ledger.file().is_none() && sums.released().is_some_and(ReleasedTarget::is_paid) {
            output::remark(
                "warning: a ledger has paid for what was released of the target, and does not for this release: \
                 state --ledger\n",
            );
        }
        let selection = match self.ledger.open()? {
            Some(ledger) => select.release_with_ledger(sums, &ledger, self.ledger.note())?,
            None => select.release(sums)?,
        };
        output.write(&selection.with_run(note))
    }

    fn target(self, output: Output) -> Result<()> {
        let Self { select, sums, .. } = self;
        if self.has_form {
            return Err(Error::request(
                "what is released of a target has a form of its own: no --format",
            ));
        }
        let released = match (self.seed, self.ledger.open()?) {
            (Some(seed), _) => select.seed(seed).release_target(sums)?,
            (None, None) => select.check()?.release_target(sums)?,
            (None, Some(ledger)) => {
                select.check()?.release_target_with_ledger(sums, &ledger, self.ledger.note())?
            }
        };
        if !released.is_private() {
            output::remark("NOT PRIVATE: drawn from a seed, not for release\n");
        }
        if !output.quiet {
            let what = match sums.stage() {
                Stage::Median => "the median of the target",
                _ => "the center of the target",
            };
            let spent = released
                .epsilon()
                .map_or_else(String::new, |spent| format!(", for epsilon {spent} so far"));
            output::remark(&format!("released {what}{spent}: {}\n", self.next));
        }
        output.destination.write(&released.to_text()?)
    }
}
