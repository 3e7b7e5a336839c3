//! `dpsis select`: a private selection of features.

mod arguments;
mod job;
mod sums;

use std::path::Path;

use crate::output::Format;
use dpsis::{Error, Result};
pub(super) use job::Job;

pub(super) use arguments::{NamesArguments, ReleaseArguments, SelectArguments};

pub(super) fn select(arguments: &SelectArguments, request: &str) -> Result<()> {
    let format = arguments.output.format();
    if arguments.dry_run && matches!(format, Format::Html | Format::Acro) {
        return Err(Error::request("a dry run comes as text or json"));
    }
    let inputs = arguments.inputs()?;
    let all: Vec<&Path> = inputs.all().collect();
    let terms = arguments.terms(request);
    if !inputs.partials.is_empty() {
        let output = arguments.output.check(&all)?;
        return sums::select(arguments, &inputs.partials, &terms, output);
    }
    let Job { table, select } = &arguments.job(&inputs)?;
    terms.check_select(select)?;
    let output = arguments.output.check(&all)?;
    if arguments.dry_run {
        return output.write_plan(&terms.dry_select(select, table)?);
    }
    let outcome = terms.select(select, table)?;
    arguments.say_if_over_memory();
    output.write(&*outcome)
}
