//! Runs that a ledger pays for.

use crate::data::{Source, reads_again};
use crate::error::Result;
use crate::privacy::{Epsilon, Expense, Ledger, Unit};
use crate::select::record::{Command, Selection};
use crate::select::request::{Request, Scale};
use crate::select::run::{opening, plan_for, run};

/// Runs a checked request on a table after a ledger has paid for it.
///
/// # Errors
///
/// Those of the ledger, then those of a run.
pub(super) fn run_with_ledger(
    request: &Request,
    source: &(impl Source + ?Sized),
    ledger: &Ledger,
    note: &str,
) -> Result<Selection> {
    let expense =
        Expense::new(Epsilon::stated(request.epsilon.clone())?, Command::Select.to_string())
            .neighbors(request.neighbors)
            .unit(Unit::Row)
            .note(note);
    ledger.check(&expense)?;
    // A request that does not fit the header costs nothing, where the header can be read twice.
    if source.repeats() && bounds_repeat(request) {
        let schema = source.header(&opening(request, &request.hooks.for_a_run())?)?;
        plan_for(request, &schema)?;
    }
    let (record, receipt) = ledger.pay(&expense, || run(request, source))?;
    Ok(Selection::new(record).with_receipt(receipt))
}

/// Whether the file of bounds, if there is one, can be read twice.
fn bounds_repeat(request: &Request) -> bool {
    match &request.scale {
        Some(Scale::BoundsFile(path)) => reads_again(path),
        _ => true,
    }
}
