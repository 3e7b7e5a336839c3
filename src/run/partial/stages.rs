//! Releases from partials, stage by stage, each with its part of the budget.

use std::borrow::Cow;

use crate::error::{Error, Parameter, Result};
use crate::exact::GRID;
use crate::privacy::{Epsilon, Ledger, Neighbors, Purpose};
use crate::random::{Entropy, RandomnessSource};
use crate::release::draws::{Chosen, Release};
use crate::release::record::Record;
use crate::release::settled::Settled;
use crate::release::stop::RowWords;
use crate::request::fields::Request;
use crate::request::plan::Plan;
use crate::run::partial::target::{Center, Counts, Median};
use crate::run::partial::{ColumnScore, Partial, Parts, ReleasedTarget, Stage, Sums, other_stage};
use crate::run::recording::record;
use crate::run::steps::plan_for;
use crate::score::{Extremes, Family, Summed};
use crate::statistic::blocks::Dealer;
use crate::statistic::coded::{Exact, Gathering, Statistic};

/// Releases the median or the center of the target from the sums of all rows.
///
/// # Errors
///
/// `Request` if the sums are of another request; `Io` if the operating system gives no entropy.
pub(crate) fn release_target(request: &Request, partial: &Partial) -> Result<ReleasedTarget> {
    let plan = planned(request, partial)?;
    let randomness = request.entropy.source()?;
    drawing(request, partial, &plan, &randomness, |release| match partial.stage() {
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
/// As for [`release_target`]; `Request` if the target has spent another part of the budget than the
/// request gives it.
pub(crate) fn release_selection(request: &Request, partial: &Partial) -> Result<Record> {
    let plan = planned(request, partial)?;
    let randomness = request.entropy.source()?;
    let chosen = drawing(request, partial, &plan, &randomness, |release| match &partial.sums {
        Sums::Features(_) => of_sums(release, partial),
        Sums::Columns(_) => of_columns(release, partial),
        _ => Err(other_stage()),
    })?;
    Ok(record(&plan, &partial.facts.schema, request.entropy, chosen))
}

/// The epsilon that a ledger is not charged for yet.
pub(crate) struct Uncharged {
    /// Of the release at this stage, with the stages before; `None` if it spends no budget.
    pub(crate) stage: Option<Epsilon>,
    /// Of all stages.
    pub(crate) all: Option<Epsilon>,
}

/// The parts of the budget of the request that this ledger was not charged for at the stages
/// before.
///
/// # Errors
///
/// As for [`release_target`].
pub(crate) fn uncharged(
    request: &Request,
    partial: &Partial,
    ledger: &Ledger,
) -> Result<Uncharged> {
    let plan = planned(request, partial)?;
    let released = partial.facts.released.as_ref();
    let mark = released.and_then(|released| released.paid.as_ref());
    let charged = mark.map_or(Ok(false), |mark| ledger.has(mark))?;
    let has_center = released.is_some_and(ReleasedTarget::has_center);
    let is_due = |purpose| match purpose {
        Purpose::TargetMedian => !charged,
        Purpose::TargetCenter => !(charged && has_center),
        _ => true,
    };
    let is_of_stage = |purpose| match partial.stage() {
        Stage::Median => purpose == Purpose::TargetMedian,
        Stage::Center => matches!(purpose, Purpose::TargetMedian | Purpose::TargetCenter),
        Stage::Selection => true,
    };
    let sum = |counts: &dyn Fn(Purpose) -> bool| {
        let parts = plan.spent.iter().filter(|part| is_due(part.purpose) && counts(part.purpose));
        parts.map(|part| part.epsilon.clone()).reduce(|sum, part| sum + part)
    };
    Ok(Uncharged { stage: sum(&is_of_stage), all: sum(&|_| true) })
}

/// The plan of a request for the table of a partial, whose earlier releases have spent the parts
/// that the plan gives them.
fn planned(request: &Request, partial: &Partial) -> Result<Plan> {
    partial.check()?;
    partial.parts.as_ref().map_or(Ok(()), Parts::check_complete)?;
    let plan = plan_for(request, &partial.facts.schema)?;
    partial.facts.check_request(&plan)?;
    let Some(released) = &partial.facts.released else { return Ok(plan) };
    if released.neighbors != plan.request.neighbors {
        let rule = "the target's part was released for another neighbor relation";
        return Err(as_before(rule).about([Parameter::Neighbors]));
    }
    let median = released.median.as_ref().map(|median| &median.epsilon);
    check_spent(&plan, Purpose::TargetMedian, median)?;
    if let Some(center) = released.center() {
        if plan.scoring.public_center().is_some_and(|given| given != center.on_grid) {
            let rule = "the columns were scored at another center than that of this request";
            return Err(as_before(rule).about([Parameter::Center]));
        }
        let counted = center.counted.as_ref().map(|counted| &counted.epsilon);
        check_spent(&plan, Purpose::TargetCenter, counted)?;
    }
    if is_private(request) && !released.private {
        let rule = "the target's part was drawn from a seed: it is not for release";
        return Err(as_before(rule).about([Parameter::Seed]));
    }
    Ok(plan)
}

/// Refuses a plan whose part of the budget for a purpose differs from the part that was spent on
/// it.
fn check_spent(plan: &Plan, purpose: Purpose, spent: Option<&String>) -> Result<()> {
    let given = plan.part(purpose).ok().map(Epsilon::to_string);
    if given.as_ref() == spent {
        return Ok(());
    }
    let of = |epsilon: Option<&String>| epsilon.map_or("nothing", |text| text).to_owned();
    let (what, center) = match purpose {
        Purpose::TargetMedian => ("median", None),
        _ => ("center", Some(Parameter::Center)),
    };
    let rule = format!(
        "the {what} has spent epsilon {}; this request would give it {}",
        of(spent),
        of(given.as_ref())
    );
    let about = [Parameter::Epsilon, Parameter::Shares].into_iter().chain(center);
    Err(as_before(rule).about(about))
}

/// The error for a request that differs from the request of an earlier stage.
fn as_before(rule: impl Into<String>) -> Error {
    Error::request(rule).hint("give the same options at all stages of a release")
}

fn drawing<T>(
    request: &Request,
    partial: &Partial,
    plan: &Plan,
    randomness: &RandomnessSource,
    draw: impl FnOnce(&Release<'_>) -> Result<T>,
) -> Result<T> {
    let hooks = request.hooks.for_a_run();
    let dealer = Dealer { randomness, dealing: 0, threads: 1, hooks: &hooks };
    draw(&Release { plan, randomness, dealer, words: Some(RowWords::of(&partial.facts.schema)) })
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
    ReleasedTarget { median, center, neighbors: plan.request.neighbors, private, paid: None }
}

fn release_median(release: &Release<'_>, partial: &Partial) -> Result<Median> {
    let epsilon = release.plan.part(Purpose::TargetMedian)?;
    let counts = partial.counts()?;
    let value = release.median(&counts, epsilon).to_string();
    Ok(Median { value, epsilon: epsilon.to_string() })
}

fn release_center(release: &Release<'_>, partial: &Partial) -> Result<Center> {
    let statistic = usable(release.plan, partial)?;
    let (settled, _) = release.settle(&statistic)?;
    let counted = settled.counted.as_ref().zip(release.plan.part(Purpose::TargetCenter).ok());
    let is_public = release.plan.request.neighbors == Neighbors::ReplaceOne
        && !partial.facts.schema.compares_ids();
    Ok(Center {
        on_grid: settled.target.released,
        counted: counted.map(|(counted, epsilon)| Counts::new(counted, epsilon)),
        rows: is_public.then_some(settled.rows),
    })
}

fn of_sums(release: &Release<'_>, partial: &Partial) -> Result<Chosen> {
    release.finish(release.drawn(&usable(release.plan, partial)?)?)
}

fn of_columns(release: &Release<'_>, partial: &Partial) -> Result<Chosen> {
    let columns = partial.columns()?;
    let settled = settled(release.plan, partial.facts.released.as_ref())?;
    release.check_counts(&settled)?;
    // Scores are at the center that is shrunk by its noise, if the plan shrinks it.
    let score = |column: &ColumnScore| match release.plan.shrinks_center() {
        true => column.score,
        false => column.effect_size,
    };
    let values = columns.iter().map(score).collect();
    let family = Family::Thresholds;
    let one_row = settled.target.one_row(&settled.target.centers, family);
    let scores = release.scores(values, one_row)?;
    let picks = release.select(&scores, settled.counted.as_ref())?;
    release.with_findings(settled, picks, |target, picks| {
        let effect_sizes = picks.iter().map(|&pick| columns[pick].effect_size).collect();
        let signed =
            |&pick: &usize| columns[pick].signed.map(|(least, most)| Extremes { most, least });
        Ok(Exact {
            effect_sizes,
            signed: picks.iter().map(signed).collect(),
            one_row: target.one_row(&target.released, family),
        })
    })
}

/// The target as settled when the center was released.
pub(super) fn settled(plan: &Plan, released: Option<&ReleasedTarget>) -> Result<Settled> {
    let Some(released) = released else { return Err(other_stage()) };
    let center = released.center().ok_or_else(other_stage)?;
    let classes = plan.scoring.classes();
    let counted = center.counted.as_ref().map(|counted| counted.counted(classes)).transpose()?;
    let wrong = || Error::input("the released target is not of this request");
    let on_grid = |center: &i32| (-GRID..=GRID).contains(center);
    if !center.on_grid.iter().all(on_grid) {
        return Err(wrong());
    }
    let scoring = plan.scoring.coded().ok_or_else(wrong)?;
    match (scoring.labels(), &center.on_grid[..]) {
        (None, &[center]) => {
            let code = scoring.code(released.split()?).ok_or_else(wrong)?.into_owned();
            Ok(Settled::number(code, center, plan.shrinks_center(), counted, released.rows()))
        }
        (Some(_), centers) if centers.len() == classes => {
            Ok(Settled::classes(centers.to_vec(), counted, released.rows()))
        }
        _ => Err(wrong()),
    }
}

/// The sums, of rows with a usable target.
fn usable(plan: &Plan, partial: &Partial) -> Result<Statistic<'static>> {
    let (sums, rows) = (partial.coded_sums()?, partial.rows);
    let scoring = plan.scoring.coded().ok_or_else(other_stage)?.clone();
    let code = scoring.code(median(partial)?).map(Cow::into_owned);
    Ok(Statistic { scoring, values: Gathering::Sums(Summed { sums, rows }, code) })
}

/// The median of a target that is split.
fn median(partial: &Partial) -> Result<Option<f64>> {
    let released = partial.facts.released.as_ref();
    let median = released.map(ReleasedTarget::split).transpose()?.flatten();
    if median.is_some() == partial.facts.splits() { Ok(median) } else { Err(other_stage()) }
}

/// Runs a checked request on rows that `gather` sums: for each stage, at the values released in the
/// stage before.
///
/// # Errors
///
/// The errors of `gather` and of the releases; `Request` if the gathered sums are of another stage.
pub(crate) fn run_in_parts(
    request: &Request,
    mut gather: impl FnMut(Option<&ReleasedTarget>) -> Result<Partial>,
) -> Result<Record> {
    let mut released = None;
    // At most the median, the center and the selection, for any gathered sums.
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
