//! `dpsis select`: a private selection of features.

mod arguments;
mod job;
mod sums;

use std::path::Path;

use crate::output::Format;
use dpsis::{Error, Result, RunNote};
pub(super) use job::Job;

pub(super) use arguments::{NamesArguments, ReleaseArguments, SelectArguments, unused};

pub(super) fn select(arguments: &SelectArguments, note: RunNote) -> Result<()> {
    let format = arguments.output.format();
    if arguments.dry_run && matches!(format, Format::Html | Format::Acro | Format::Registry) {
        return Err(Error::request("a dry run comes as text or json"));
    }
    let inputs = arguments.inputs()?;
    let all: Vec<&Path> = inputs.all().collect();
    if !inputs.partials.is_empty() {
        let output = arguments.output.check(&all)?;
        return sums::select(arguments, &inputs.partials, note, output);
    }
    let job = arguments.job(&inputs)?;
    let output = arguments.output.check(&all)?;
    let Job { table, select, .. } = &job;
    let not_private = job.not_private();
    if arguments.dry_run {
        let plan = match (&not_private, arguments.ledger.open()?) {
            (Some(request), _) => request.dry_run(table)?,
            (None, Some(ledger)) => select.dry_run_with_ledger(table, &ledger)?,
            (None, None) => select.dry_run(table)?,
        };
        return output.write_plan(&plan);
    }
    match &not_private {
        Some(request) => output.write(&request.run(table)?.with_run(note)),
        None => {
            let selection = match arguments.ledger.open()? {
                Some(ledger) => select.run_with_ledger(table, &ledger, arguments.ledger.note())?,
                None => select.run(table)?,
            };
            arguments.say_if_over_memory();
            output.write(&selection.with_run(note))
        }
    }
}
