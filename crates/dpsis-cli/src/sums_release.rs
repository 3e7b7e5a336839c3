//! A release from sums: the selection, or the values of the target for its next stage.

use crate::output::{self, Destination, Output};
use dpsis::job::Terms;
use dpsis::{Partial, Result, Select, Stage};

/// The sums, and the options of the release.
pub(super) struct SumsRelease<'a> {
    pub(super) select: Select,
    pub(super) sums: &'a Partial,
    pub(super) terms: &'a Terms,
    /// The next step with a released target, as text.
    pub(super) next: &'a str,
}

impl SumsRelease<'_> {
    /// Makes the release for the stage of the sums.
    ///
    /// # Errors
    ///
    /// As for the request, the ledger and the output.
    pub(super) fn run(self, output: Output) -> Result<()> {
        match self.sums.stage() {
            Stage::Selection => self.selection(output),
            _ => self.target(output),
        }
    }

    fn selection(self, output: Output) -> Result<()> {
        let Self { select, sums, terms, .. } = self;
        if let Some(warning) = terms.warning_on_sums(sums) {
            output::remark(&format!("warning: {} (--ledger)\n", warning.text));
        }
        output.write(&*terms.release(&select, sums)?)
    }

    fn target(self, output: Output) -> Result<()> {
        let Self { select, sums, terms, .. } = self;
        // --format applies to the last stage only: a released target has one format and no folder.
        let destination = match output.destination {
            Destination::Folder(path) => Destination::check(Some(&path), &[])?,
            destination => destination,
        };
        let released = terms.release_target(&select, sums)?;
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
        destination.write(&released.to_text()?)
    }
}
