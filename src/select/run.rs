//! A run: the passes and releases of the plan in turn, then the record.

use std::sync::Arc;

use crate::data::{
    Hooks, Opening, Orientation, PerMillion, Samples, Scaling, Schema, Source, bounds_of_features,
    read_bounds,
};
use crate::error::{Error, Parameter, Result};
use crate::select::blocks::Dealer;
use crate::select::check::checked_threads;
use crate::select::pass::{Gathered, Pass};
use crate::select::plan::Plan;
use crate::select::record::Record;
use crate::select::recording::record;
use crate::select::release::{Chosen, Release};
use crate::select::request::{Method, Request, Scale, Target};
use crate::select::settled::Settled;

/// Runs a checked request on a table.
///
/// # Errors
///
/// `Request` if it does not fit the header; `Input` if the table is malformed; `Io` if it cannot be read;
/// `Canceled` if the caller stopped it.
pub(super) fn run(request: &Request, source: &(impl Source + ?Sized)) -> Result<Record> {
    let randomness = request.entropy.source()?;
    let hooks = request.hooks.for_a_run();
    let mut table = open(request, source, &hooks)?;
    let plan = plan_for(request, table.schema())?;
    let threads = checked_threads(request.threads)?;
    let pass = Pass { plan: &plan, threads, hooks: &hooks, is_part: false };
    let release = Release {
        plan: &plan,
        randomness: &randomness,
        dealer: Dealer { randomness: &randomness, dealing: 0, threads, hooks: &hooks },
    };
    // A table that can be read twice is; otherwise its rows are kept until the median is known.
    let median = match plan.median_between_passes() {
        Some(epsilon) if table.can_repeat() => {
            Some(release.median(&pass.ranks(&mut table)?, epsilon))
        }
        _ => None,
    };
    let chosen = chosen(&pass, &release, &mut table, median)?;
    Ok(record(&plan, table.schema(), request.entropy, chosen))
}

/// The passes and releases after that of a median.
fn chosen(
    pass: &Pass<'_>,
    release: &Release<'_>,
    table: &mut impl Samples,
    median: Option<f64>,
) -> Result<Chosen> {
    let Pass { plan, threads, hooks, .. } = *pass;
    let gathered = pass.gather(table, median)?;
    hooks.check()?;
    if let Gathered::Blocks(_) | Gathered::Ranked(_) = gathered {
        return release.draw_method(&gathered);
    }
    let settled = release.settle(&gathered, median)?;
    let values = settled.values(&gathered, threads, hooks)?;
    if values.len() == plan.features {
        let scores = settled.scores(values, &gathered, plan)?;
        let picks = release.select(&scores)?;
        let exact = |settled: &Settled, picks: &[usize]| settled.exact(&gathered, picks);
        return release.finish(settled, picks, scores.sensitivity(), exact);
    }
    // Not all columns fit in memory: others take the place of the first ones.
    drop(gathered);
    let values = pass.other_values(table, &settled, values)?;
    let scores = settled.ks_scores(values, plan)?;
    let picks = release.select(&scores)?;
    release.finish(settled, picks, scores.sensitivity(), |settled, picks| {
        let rows = pass.ks_rows(table, picks, None)?;
        settled.ks_exact(&rows, &Vec::from_iter(0..picks.len()))
    })
}

/// Opens a table for a request.
///
/// # Errors
///
/// `Request` if the stated number of threads is wrong; those of reading what comes before the first pass.
pub(super) fn open<'s, S: Source + ?Sized>(
    request: &Request,
    source: &'s S,
    hooks: &Hooks,
) -> Result<PerMillion<S::Table<'s>>> {
    let table = source.open(&opening(request, hooks)?)?;
    Ok(PerMillion::if_wanted(table, request.per_million))
}

/// The options with which a table is opened for a request.
///
/// # Errors
///
/// `Request` if the stated number of threads is wrong.
pub(super) fn opening<'a>(request: &'a Request, hooks: &Hooks) -> Result<Opening<'a>> {
    let deals_rows = matches!(request.method, Method::TwoStage(_));
    // Means of the data and the assignment of rows to blocks depend on the order of the rows, which threads
    // change; nothing else does.
    let ordered = request.paper || deals_rows;
    Ok(Opening {
        threads: if ordered { 1 } else { checked_threads(request.threads)? },
        hooks: hooks.clone(),
        labels: match &request.target {
            Target::Classes(labels) => Some(labels),
            _ => None,
        },
    })
}

/// The plan for a table, after the checks that need its header (or the feature names, if features are rows).
///
/// # Errors
///
/// `Request` if the request does not fit the header. If features are rows, `Input`, because the table had to
/// be read to find out.
pub(super) fn plan_for(request: &Request, schema: &Schema) -> Result<Plan> {
    let d = schema.d();
    if request.k > d {
        let rule = format!("k must not exceed the number of features, {d}");
        let error = match schema.orientation() {
            Orientation::SamplesAsRows => Error::request(rule),
            Orientation::FeaturesAsRows => Error::input(rule),
        };
        return Err(error.about([Parameter::K]));
    }
    Plan::new(request, d, Arc::new(scaling_of(request, schema)?))
}

/// The scaling of these features: ranks within the row unless another is stated.
pub(super) fn scaling_of(request: &Request, schema: &Schema) -> Result<Scaling> {
    match &request.scale {
        Some(Scale::BoundsFile(path)) => read_bounds(path, schema).map(Scaling::BoundsByFeature),
        Some(Scale::BoundsByName(stated)) => {
            bounds_of_features(stated, schema, "the list of bounds").map(Scaling::BoundsByFeature)
        }
        Some(Scale::Stated(Scaling::BoundsByFeature(all))) if all.len() != schema.d() => {
            let d = schema.d();
            Err(Error::request(format!("bounds must be stated for each of the {d} features")))
        }
        Some(Scale::Stated(scaling)) => Ok(scaling.clone()),
        None => Ok(Scaling::RowRank),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bounds, FileTable};
    use crate::error::ErrorKind;
    use crate::select::Select;

    #[test]
    fn bounds_by_name() {
        let range = |low, high| Bounds::new(low, high).unwrap();
        let run = |select: Select| {
            let table = FileTable::from_reader(&b"a,b,y\n1,2,0\n3,4,1\n5,0,2\n"[..]);
            select.epsilon("1").seed(1).run(&table)
        };
        let named =
            |bounds: &[(&str, Bounds)]| run(Select::new(1).bounds_by_name(bounds.iter().copied()));
        let in_order = Scaling::BoundsByFeature(vec![range(0.0, 5.0), range(1.0, 4.0)]);
        let stated = [("b", range(1.0, 4.0)), ("*", range(0.0, 5.0))];
        assert_eq!(named(&stated).unwrap(), run(Select::new(1).scaling(in_order)).unwrap());
        for wrong in [&stated[..1], &[("c", range(0.0, 1.0)), stated[1]], &[stated[0], stated[0]]] {
            assert_eq!(named(wrong).unwrap_err().kind(), ErrorKind::Request);
        }
    }
}
