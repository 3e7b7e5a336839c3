//! Releases from partials, stage by stage, each with its part of the budget.

use crate::data::TargetCode;
use crate::error::{Error, Parameter, Result};
use crate::exact::GRID;
use crate::privacy::{Epsilon, Ledger, Neighbors, Purpose};
use crate::random::{Entropy, RandomnessSource};
use crate::score::{CenteredTarget, Extremes};
use crate::select::blocks::Dealer;
use crate::select::partial::released::{Center, Counts, Median};
use crate::select::partial::{
    ColumnScore, Partial, Parts, ReleasedTarget, Stage, Sums, other_stage,
};
use crate::select::pass::{Gathered, misfit};
use crate::select::plan::{Plan, Scoring};
use crate::select::record::Record;
use crate::select::recording::{record, units};
use crate::select::release::{Chosen, Release};
use crate::select::request::Request;
use crate::select::run::plan_for;
use crate::select::settled::{Exact, Settled, SettledTarget};
use crate::select::stop::check_counts;

/// Releases the median or the center of the target from the sums of all rows.
///
/// # Errors
///
/// `Request` if the sums are of another request; `Input` if no row has a usable target; `Io` if the operating system gives
/// no entropy.
pub(in crate::select) fn release_target(
    request: &Request,
    partial: &Partial,
) -> Result<ReleasedTarget> {
    let plan = planned(request, partial)?;
    let randomness = request.entropy.source()?;
    drawing(request, &plan, &randomness, |release| match partial.stage() {
        Stage::Median => {
            let median = Some(release_median(release, partial)?);
            Ok(released(request, &plan, median, None))
        }
        Stage::Center => {
            let center = Some(release_center(release, partial)?);
            let before = partial.facts.released.clone().and_then(|released| released.median);
            Ok(released(request, &plan, before, center))
        }
        Stage::Selection => Err(other_stage()),
    })
}

/// Releases a selection from the sums of all rows.
///
/// # Errors
///
/// As for [`release_target`]; `Request` if the target has spent other parts of the budget than the request gives it.
pub(in crate::select) fn release_selection(request: &Request, partial: &Partial) -> Result<Record> {
    let plan = planned(request, partial)?;
    let randomness = request.entropy.source()?;
    let chosen = drawing(request, &plan, &randomness, |release| match &partial.sums {
        Sums::Features(_) => of_sums(release, partial),
        Sums::Columns(_) => of_columns(release, partial),
        _ => Err(other_stage()),
    })?;
    Ok(record(&plan, &partial.facts.schema, request.entropy, chosen))
}

/// What the release of a stage spends: its part of the budget of the request, or what the stages before have left of it.
/// What this ledger has not paid for before is paid for in the end.
///
/// # Errors
///
/// As for [`release_target`].
pub(in crate::select) fn stage_epsilon(
    request: &Request,
    partial: &Partial,
    ledger: &Ledger,
) -> Result<Option<Epsilon>> {
    let plan = planned(request, partial)?;
    let mark = partial.facts.released.as_ref().and_then(|released| released.paid.as_ref());
    let paid = mark.map_or(Ok(false), |mark| ledger.has(mark))?;
    let parts = plan.spent.iter().filter(|part| match (partial.stage(), part.purpose) {
        (Stage::Median, purpose) => purpose == Purpose::TargetMedian,
        (Stage::Center, Purpose::TargetMedian) => !paid,
        (Stage::Center, purpose) => purpose == Purpose::TargetCenter,
        (Stage::Selection, Purpose::TargetMedian) => !paid,
        (Stage::Selection, Purpose::TargetCenter) => !(paid && partial.facts.of_columns()),
        (Stage::Selection, _) => true,
    });
    Ok(parts.map(|part| part.epsilon.clone()).reduce(|sum, part| sum + part))
}

/// The plan of a request for the table of a partial, whose earlier releases have spent what it gives them.
fn planned(request: &Request, partial: &Partial) -> Result<Plan> {
    partial.check()?;
    partial.parts.as_ref().map_or(Ok(()), Parts::check_complete)?;
    let plan = plan_for(request, &partial.facts.schema)?;
    partial.facts.check_request(&plan)?;
    let Some(released) = &partial.facts.released else { return Ok(plan) };
    if released.neighbors != plan.neighbors {
        let rule = "the target's part was released for another neighbor relation";
        return Err(Error::request(rule).about([Parameter::Neighbors]));
    }
    let median = released.median.as_ref().map(|median| &median.epsilon);
    check_spent(&plan, Purpose::TargetMedian, median)?;
    if let Some(center) = released.center() {
        if plan.scoring.public_center().is_some_and(|stated| stated != center.on_grid) {
            let rule = "the columns were scored at another center than this request states";
            return Err(Error::request(rule).about([Parameter::Center]));
        }
        let counted = center.counted.as_ref().map(|counted| &counted.epsilon);
        check_spent(&plan, Purpose::TargetCenter, counted)?;
    }
    if is_private(request) && !released.private {
        return Err(Error::request(
            "the target's part was drawn from a seed: it is not for release",
        ));
    }
    Ok(plan)
}

/// Refuses a plan that gives a purpose another part of the budget than was spent on it.
fn check_spent(plan: &Plan, purpose: Purpose, spent: Option<&String>) -> Result<()> {
    let part = plan.spent.iter().find(|part| part.purpose == purpose);
    let given = part.map(|part| part.epsilon.to_string());
    if given.as_ref() == spent {
        return Ok(());
    }
    let of = |epsilon: Option<&String>| epsilon.map_or("nothing", |text| text).to_owned();
    let what = match purpose {
        Purpose::TargetMedian => "median",
        _ => "center",
    };
    let rule = format!(
        "the {what} has spent epsilon {}, of which this request would give it {}",
        of(spent),
        of(given.as_ref())
    );
    Err(Error::request(rule).about([Parameter::Epsilon, Parameter::Shares]))
}

fn drawing<T>(
    request: &Request,
    plan: &Plan,
    randomness: &RandomnessSource,
    draw: impl FnOnce(&Release<'_>) -> Result<T>,
) -> Result<T> {
    let hooks = request.hooks.for_a_run();
    let dealer = Dealer { randomness, dealing: 0, threads: 1, hooks: &hooks };
    draw(&Release { plan, randomness, dealer })
}

fn is_private(request: &Request) -> bool {
    matches!(request.entropy, Entropy::OperatingSystem)
}

fn released(
    request: &Request,
    plan: &Plan,
    median: Option<Median>,
    center: Option<Center>,
) -> ReleasedTarget {
    let private = is_private(request);
    ReleasedTarget { median, center, neighbors: plan.neighbors, private, paid: None }
}

fn release_median(release: &Release<'_>, partial: &Partial) -> Result<Median> {
    let epsilon = release.plan.median().ok_or_else(misfit)?;
    let counts = partial.counts()?;
    if counts.total() == 0 {
        return Err(no_usable_target());
    }
    let value = release.median(&counts, epsilon).to_string();
    Ok(Median { value, epsilon: epsilon.to_string() })
}

fn release_center(release: &Release<'_>, partial: &Partial) -> Result<Center> {
    let gathered = usable(partial)?;
    let median = median(partial)?;
    let settled = release.settle(&gathered, median)?;
    let on_grid = match settled.target {
        SettledTarget::Number { released, .. } => vec![released],
        SettledTarget::Classes(centers) => centers,
        SettledTarget::Strata { .. } | SettledTarget::Scored => return Err(misfit()),
    };
    let part = release.plan.spent.iter().find(|part| part.purpose == Purpose::TargetCenter);
    let counted = settled.counted.as_ref().zip(part);
    let is_public =
        release.plan.neighbors == Neighbors::ReplaceOne && !partial.facts.schema.joins_rows();
    Ok(Center {
        on_grid,
        counted: counted.map(|(counted, part)| Counts::new(counted, &part.epsilon)),
        rows: is_public.then_some(settled.rows),
    })
}

fn of_sums(release: &Release<'_>, partial: &Partial) -> Result<Chosen> {
    let gathered = usable(partial)?;
    let settled = release.settle(&gathered, median(partial)?)?;
    check_counts(release.plan, units(&partial.facts.schema), settled.counted.as_ref())?;
    let values = settled.values(&gathered, 1, release.dealer.hooks)?;
    let scores = settled.scores(values, &gathered, release.plan)?;
    let picks = release.select(&scores, settled.counted.as_ref())?;
    let exact = |settled: &Settled, picks: &[usize]| settled.exact(&gathered, picks);
    release.finish(settled, picks, scores.sensitivity(), exact)
}

fn of_columns(release: &Release<'_>, partial: &Partial) -> Result<Chosen> {
    let columns = partial.columns()?;
    let settled = settled(release.plan, partial.facts.released.as_ref())?;
    check_counts(release.plan, units(&partial.facts.schema), settled.counted.as_ref())?;
    let values = columns.iter().map(|column| column.score).collect();
    let scores = settled.ks_scores(values, release.plan)?;
    let picks = release.select(&scores, settled.counted.as_ref())?;
    release.finish(settled, picks, scores.sensitivity(), |settled, picks| {
        let of = |value: fn(&ColumnScore) -> i64| {
            picks.iter().map(|&pick| value(&columns[pick])).collect()
        };
        let signed =
            |&pick: &usize| columns[pick].signed.map(|(least, most)| Extremes { most, least });
        let one_row = match &settled.target {
            SettledTarget::Number { released, .. } => {
                CenteredTarget::number([], *released).one_row()
            }
            SettledTarget::Classes(centers) => {
                CenteredTarget::classes(Vec::new(), centers.clone()).one_row()
            }
            SettledTarget::Strata { .. } | SettledTarget::Scored => return Err(misfit()),
        };
        Ok(Exact {
            strengths: of(|column| column.strength),
            signed: picks.iter().map(signed).collect(),
            one_row,
        })
    })
}

/// What was settled when the center was released.
pub(super) fn settled(plan: &Plan, released: Option<&ReleasedTarget>) -> Result<Settled> {
    let Some(released) = released else { return Err(other_stage()) };
    let center = released.center().ok_or_else(other_stage)?;
    let classes = match &plan.scoring {
        Scoring::Classes { labels, .. } => labels.as_slice().len(),
        _ => 2,
    };
    let counted = center.counted.as_ref().map(|counted| counted.counted(classes)).transpose()?;
    let wrong = || Error::input("the released target is not of this request");
    let on_grid = |center: &i32| (-GRID..=GRID).contains(center);
    if !center.on_grid.iter().all(on_grid) {
        return Err(wrong());
    }
    match (&plan.scoring, &center.on_grid[..]) {
        (Scoring::Number { .. }, &[center]) => {
            let code: TargetCode =
                plan.scoring.code(released.split()?).ok_or_else(wrong)?.into_owned();
            Ok(Settled::number(code, center, true, counted, released.rows()))
        }
        (Scoring::Classes { labels, .. }, centers) if centers.len() == labels.as_slice().len() => {
            Ok(Settled::classes(centers.to_vec(), counted, released.rows()))
        }
        _ => Err(wrong()),
    }
}

/// The sums, of rows with a usable target.
fn usable(partial: &Partial) -> Result<Gathered<'static>> {
    let gathered = partial.gathered()?;
    let usable = match &gathered {
        Gathered::Sums(summed) => summed.sums.target_sums() != (0, 0),
        Gathered::ClassSums(summed) => summed.sums.rows().iter().any(|rows| *rows > 0),
        _ => false,
    };
    if usable { Ok(gathered) } else { Err(no_usable_target()) }
}

/// The median of a target that is split.
fn median(partial: &Partial) -> Result<Option<f64>> {
    let released = partial.facts.released.as_ref();
    let median = released.map(ReleasedTarget::split).transpose()?.flatten();
    if median.is_some() == partial.facts.splits() { Ok(median) } else { Err(other_stage()) }
}

fn no_usable_target() -> Error {
    Error::input("no row of any partial has a usable target").about([Parameter::Classes])
}

/// Runs a checked request on rows that `gather` sums: for each stage, at what was released in the one before.
///
/// # Errors
///
/// Those of `gather` and of the releases; `Request` if what was gathered is of another stage.
pub(in crate::select) fn run_in_parts(
    request: &Request,
    mut gather: impl FnMut(Option<&ReleasedTarget>) -> Result<Partial>,
) -> Result<Record> {
    let mut released = None;
    // The median, the center, the selection: never more, whatever is gathered.
    for _ in 0..3 {
        let partial = gather(released.as_ref())?;
        if partial.released() != released.as_ref() {
            return Err(other_stage());
        }
        if partial.stage() == Stage::Selection {
            return release_selection(request, &partial);
        }
        released = Some(release_target(request, &partial)?);
    }
    Err(other_stage())
}
