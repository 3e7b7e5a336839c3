//! Partials from tables.

use crate::error::Result;
use crate::request::check::checked_threads;
use crate::request::fields::Request;
use crate::request::plan::Plan;
use crate::run::partial::{
    Facts, Partial, ReleasedTarget, Sums, does_not_add_up, of_whole_columns, other_stage,
};
use crate::run::steps::{opening, plan_for, prepared};
use crate::statistic::pass::Pass;
use crate::table::{Source, Table};

/// The kind of sums to compute.
pub(crate) enum Wanted {
    /// Of features and targets, for scores that add up.
    Features,
    /// Of targets alone, for scores of whole columns.
    Targets,
    /// The one of the two that the scores of the request need.
    Needed,
}

/// The sums of the rows of a table for a checked request, at the value `released` from the target
/// in the stage before.
///
/// # Errors
///
/// The errors of a run; `Request` if the scores of the request need another kind of sums, or if the
/// released target is of another stage.
pub(crate) fn partial(
    request: &Request,
    source: &(impl Source + ?Sized),
    released: Option<&ReleasedTarget>,
    wanted: Wanted,
) -> Result<Partial> {
    let hooks = request.hooks.for_a_run();
    let mut table = prepared(request, source.open(&opening(request, &hooks)?)?)?;
    let (plan, mut facts) = facts_of(request, &table)?;
    let of_columns = facts.of_columns();
    match (of_columns, wanted) {
        (true, Wanted::Features) => return Err(does_not_add_up()),
        (false, Wanted::Targets) => return Err(of_whole_columns()),
        _ => {}
    }
    if let Some(released) = released
        && (released.center.is_some() || released.median.is_some() != facts.splits())
    {
        return Err(other_stage());
    }
    facts.released = released.cloned();
    let threads = checked_threads(request.threads)?;
    let pass = Pass { plan: &plan, threads, hooks: &hooks };
    let median = released.map(ReleasedTarget::split).transpose()?.flatten();
    if facts.splits() && median.is_none() {
        let counts = pass.ranks(&mut table)?;
        let rows = counts.total();
        let counts = counts.bins().iter().enumerate().filter(|(_, count)| **count > 0);
        let counts = counts.map(|(bin, count)| (bin, *count)).collect();
        return Ok(Partial::new(facts, rows, Sums::Ranks(counts)));
    }
    let scoring = plan.scoring.coded().ok_or_else(does_not_add_up)?;
    let summed = match of_columns {
        true => pass.targets(&mut table, scoring, median)?,
        false => pass.sums(&mut table, scoring, median)?,
    };
    let (raw, rows) = (summed.sums.raw(), summed.rows);
    let sums = if of_columns { Sums::Targets(raw) } else { Sums::Features(raw) };
    Ok(Partial::new(facts, rows, sums))
}

/// The facts about a table that a checked request gives.
///
/// # Errors
///
/// The errors of opening it; `Request` if its scores do not add up.
#[cfg(feature = "sites")]
pub(crate) fn given(request: &Request, source: &(impl Source + ?Sized)) -> Result<Facts> {
    let opened = source.open(&opening(request, &request.hooks.for_a_run())?)?;
    let (_, facts) = facts_of(request, &prepared(request, opened)?)?;
    if facts.of_columns() { Err(does_not_add_up()) } else { Ok(facts) }
}

/// The plan of a request for an open table, and the facts about its sums.
pub(super) fn facts_of(request: &Request, table: &dyn Table) -> Result<(Plan, Facts)> {
    let plan = plan_for(request, table.schema())?;
    let mut facts = Facts::new(&plan, table.schema(), table.format())?;
    facts.compares_rows = table.compares_rows() || table.schema().is_joined();
    Ok((plan, facts))
}
