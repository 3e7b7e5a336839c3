//! Releases from sums of parts, charged to a ledger.

use crate::error::Result;
use crate::privacy::{Delta, Ledger};
use crate::release::record::{Command, Selection};
use crate::request::fields::Request;
use crate::run::charged::{check_names, expense, expense_of_rows};
use crate::run::partial::stages::{
    Uncharged, release_selection, release_target, run_in_parts, uncharged,
};
use crate::run::partial::{Partial, ReleasedTarget, other_stage};

/// Runs a checked request on rows that `gather` sums, stage by stage, after charging a ledger for
/// all stages.
///
/// # Errors
///
/// The errors of the ledger, then the errors of the run.
pub(super) fn run_in_parts_with_ledger(
    request: &Request,
    ledger: &Ledger,
    note: &str,
    gather: impl FnMut(Option<&ReleasedTarget>) -> Result<Partial>,
) -> Result<Selection> {
    check_names(request)?;
    let expense = expense_of_rows(request, note)?;
    let (record, receipt) = ledger.charge(&expense, || run_in_parts(request, gather))?;
    Ok(Selection::new(record).with_receipt(receipt))
}

/// Releases a selection from the sums of all rows, after charging a ledger for the parts that are
/// not charged yet.
///
/// # Errors
///
/// The errors of the ledger, then the errors of the release.
pub(super) fn release_with_ledger(
    request: &Request,
    partial: &Partial,
    ledger: &Ledger,
    note: &str,
) -> Result<Selection> {
    check_names(request)?;
    let epsilon = uncharged(request, partial, ledger)?.all.ok_or_else(other_stage)?;
    let delta = Delta::given(request.delta.clone())?;
    let expense = expense(request, Command::Select, epsilon, note).delta(delta);
    let (record, receipt) = ledger.charge(&expense, || release_selection(request, partial))?;
    Ok(Selection::new(record).with_receipt(receipt))
}

/// Releases the value of the target that the next stage needs, charging a ledger first. A ledger
/// that would refuse a later stage is not charged.
///
/// # Errors
///
/// The errors of the ledger, then the errors of the release.
pub(super) fn release_target_with_ledger(
    request: &Request,
    partial: &Partial,
    ledger: &Ledger,
    note: &str,
) -> Result<ReleasedTarget> {
    check_names(request)?;
    let release = || release_target(request, partial);
    let Uncharged { stage, all } = uncharged(request, partial, ledger)?;
    let all = expense(request, Command::Select, all.ok_or_else(other_stage)?, note);
    ledger.check(&all.delta(Delta::given(request.delta.clone())?))?;
    // A given center spends no budget.
    let released = match stage {
        Some(epsilon) => {
            ledger.charge(&expense(request, Command::Select, epsilon, note), release)?.0
        }
        None => release()?,
    };
    released.charged_to(ledger)
}
