//! A release from sums: the selection, or the values of the target for its next stage.

use crate::output::{self, Destination, Output};
use dpsis::job::Terms;
use dpsis::{Partial, Result, Select, Stage};

/// Makes the release for the stage of the sums; `next` is the next step with a released target, as
/// text.
///
/// # Errors
///
/// As for the request, the ledger and the output.
pub(super) fn release_sums(
    select: &Select,
    sums: &Partial,
    terms: &Terms,
    output: Output,
    next: &str,
) -> Result<()> {
    let stage = sums.stage();
    if stage == Stage::Selection {
        if let Some(warning) = terms.warning_on_sums(sums) {
            output::remark(&format!("warning: {} (--ledger)\n", warning.text));
        }
        return output.write(&*terms.release(select, sums)?);
    }
    // --format is for the selection. Its folder must not exist before the last stage: the released
    // target goes to a file next to it.
    let (destination, place) = match output.destination {
        Destination::Folder(mut path) => {
            path.as_mut_os_string().push(".released");
            (Destination::check(Some(&path), &[])?, format!(" to {}", path.display()))
        }
        destination => (destination, String::new()),
    };
    let released = terms.release_target(select, sums)?;
    if !released.is_private() {
        output::remark("NOT PRIVATE: drawn from a seed, not for release\n");
    }
    if !output.quiet {
        let spent = released
            .epsilon()
            .map_or_else(String::new, |spent| format!(", for epsilon {spent} so far"));
        output::remark(&format!("released the {stage}{place}{spent}: {next}\n"));
    }
    destination.write(&released.to_text()?)
}
