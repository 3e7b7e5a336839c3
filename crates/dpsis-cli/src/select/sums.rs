//! `dpsis select --partials`: a selection from the sums of all rows, or the values of the target
//! for its next stage.

use std::path::PathBuf;

use super::arguments::SelectArguments;
use crate::output::Output;
use crate::sums_release::release_sums;
use dpsis::job::Terms;
use dpsis::{Partial, PartialFile, Result, SelectOptions};

pub(super) fn select(
    arguments: &SelectArguments,
    partials: &[PathBuf],
    terms: &Terms,
    output: Output,
) -> Result<()> {
    let partials: Vec<_> =
        partials.iter().map(|path| PartialFile::read(path)).collect::<Result<_>>()?;
    let sums = Partial::total(partials)?;
    let mut options = SelectOptions::default();
    arguments.apply_release_to(&mut options)?;
    arguments.names.apply_to(&mut options);
    let select = options.apply_release_to(sums.apply_to(options.names()?)?)?;
    let next = "make the partials of the next stage with it (dpsis partial --released), then select again with the \
                same options";
    release_sums(&select, &sums, terms, output, next)
}
