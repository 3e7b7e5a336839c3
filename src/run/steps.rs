//! A run: the passes and releases of the plan in turn, then the record.

use std::sync::Arc;

use crate::error::{Error, Parameter, Result};
use crate::privacy::Neighbors;
use crate::release::draws::{Chosen, Release};
use crate::release::record::Record;
use crate::release::stop::RowWords;
use crate::request::check::{check_people, checked_threads};
use crate::request::fields::{Association, Method, Names, Request, Scale, ScoreKind};
use crate::request::memory::check_memory;
use crate::request::plan::Plan;
use crate::run::recording::record;
use crate::statistic::blocks::Dealer;
use crate::statistic::coded::Scored;
use crate::statistic::pass::{Gathered, Pass};
use crate::table::{
    CellFormat, Grouping, Hooks, Identifiers, Needs, NumbersAndLevels, Opening, Orientation,
    PeopleRule, PreparedTable, RoleColumns, Scaling, Schema, Source, Table, bounds_of_features,
    read_bounds,
};

/// Runs a checked request on a table.
///
/// # Errors
///
/// `Request` if it does not fit the header; `Input` if the table is malformed; `Io` if it cannot be
/// read; `Canceled` if the caller stopped it.
pub(crate) fn run(request: &Request, source: &(impl Source + ?Sized)) -> Result<Record> {
    let hooks = request.hooks.for_a_run();
    let table = source.open(&opening(request, &hooks)?)?;
    run_prepared(request, &hooks, &mut prepared(request, table)?)
}

/// Runs a checked request on an open table, [prepared](prepared) for the request.
pub(crate) fn run_prepared(
    request: &Request,
    hooks: &Hooks,
    table: &mut PreparedTable<'_>,
) -> Result<Record> {
    let randomness = request.entropy.source()?;
    let plan = plan_with(request, table.schema(), table.grouping())?;
    let threads = checked_threads(request.threads)?;
    let pass = Pass { plan: &plan, threads, hooks };
    let release = Release {
        plan: &plan,
        randomness: &randomness,
        dealer: Dealer { randomness: &randomness, dealing: 0, threads, hooks },
        words: Some(RowWords::of(table.schema())),
    };
    // A table that can be read twice is read twice; otherwise its rows are kept until the median is
    // known.
    let median = match plan.median_between_passes() {
        Some(epsilon) if table.can_repeat() && !plan.has_roles(table.schema()) => {
            Some(release.median(&pass.ranks(table)?, epsilon))
        }
        _ => None,
    };
    let chosen = chosen(&pass, &release, table, median)?;
    Ok(record(&plan, table.schema(), request.entropy, chosen))
}

/// The passes and releases after the median.
fn chosen(
    pass: &Pass<'_>,
    release: &Release<'_>,
    table: &mut dyn Table,
    median: Option<f64>,
) -> Result<Chosen> {
    let Pass { plan, threads, hooks, .. } = *pass;
    let gathered = pass.gather(table, median)?;
    hooks.check()?;
    let statistic = match &gathered {
        Gathered::Coded(statistic) if !release.draws_at_once(&statistic.values) => statistic,
        _ => return release.draw(&gathered),
    };
    // Not all columns fit in memory, so that others take the place of the first ones; or rows were
    // summed, and the table is read once more for a refinement.
    let (settled, scored) = release.settle(statistic)?;
    release.check_counts(&settled)?;
    let mut values = scored.values(&settled.target, threads, hooks)?;
    let one_row = scored.one_row(&settled.target);
    let sums = match scored {
        Scored::Sums(sums) => Some(sums),
        Scored::Columns(_) => None,
    };
    drop(gathered);
    if values.len() < plan.features {
        values = pass.other_values(table, values, |rows| {
            Scored::Columns(rows).values(&settled.target, threads, hooks)
        })?;
    }
    let scores = release.scores(values, one_row)?;
    let mut picks = release.select(&scores, settled.counted.as_ref())?;
    picks.picks = release.refined_by_pass(pass, table, &settled, &picks.screened)?;
    release.with_findings(settled, picks, |target, picks| match sums {
        Some(sums) => Ok(Scored::Sums(sums).exact(target, picks)),
        None => {
            let rows = pass.ks_rows(table, picks, None)?;
            Ok(Scored::Columns(&rows).exact(target, &Vec::from_iter(0..picks.len())))
        }
    })
}

/// Applies a request's per-row steps to an open table: person and stratum, category levels, counts
/// per million, feature sets.
///
/// # Errors
///
/// `Request` if sets of features do not fit the table; the errors of reading anything before the
/// first pass.
pub(crate) fn prepared<'t>(
    request: &Request,
    table: Box<dyn Table + 't>,
) -> Result<PreparedTable<'t>> {
    let table = PreparedTable::new(table)
        .with_roles(&role_columns(request), |format| people_rule(request, format))?;
    let table = match &request.numbers_and {
        Some(levels) => table.numbers_and(levels)?,
        None => table,
    };
    let grouping = grouping(request, table.schema())?;
    Ok(table.per_million(request.per_million).grouped(grouping))
}

/// The sets of features of a request in a table.
///
/// # Errors
///
/// `Request` if they, or the scaling of their members, do not fit its header; the errors of reading
/// bounds.
fn grouping(request: &Request, schema: &Schema) -> Result<Option<Grouping>> {
    let grouping = |sets| Grouping::new(sets, schema, scaling_of(request, schema)?);
    request.groups.as_deref().map(grouping).transpose()
}

/// The features from the header alone, as [`prepared`] has them before they are combined into sets.
///
/// # Errors
///
/// As for opening the table.
pub(crate) fn header<S: Source + ?Sized>(
    request: &Request,
    source: &S,
    hooks: &Hooks,
) -> Result<Schema> {
    let schema = source.header(&opening(request, hooks)?)?;
    let schema = role_columns(request).features(schema)?;
    let cells = source.cells();
    request.covariates.iter().try_for_each(|covariate| covariate.check(&cells))?;
    if let Some(levels) = &request.numbers_and {
        NumbersAndLevels::new(levels, &schema, (&cells, false))?;
    }
    Ok(schema)
}

/// The features that are person identifiers or covariates.
fn role_columns(request: &Request) -> RoleColumns<'_> {
    RoleColumns { unit: request.people.feature.as_deref(), covariates: &request.covariates }
}

/// The rule that gives each person of a table a target.
fn people_rule(request: &Request, format: &CellFormat) -> Result<PeopleRule> {
    let labels = request.target.checked_labels()?;
    let rule = request.rule_of_people();
    let compares_rows = request.is_paired();
    Ok(PeopleRule { rule, compares_rows, labels, format: format.clone() })
}

/// The options with which a table is opened for a request.
///
/// # Errors
///
/// `Request` if the given number of threads is wrong.
pub(crate) fn opening<'a>(request: &'a Request, hooks: &Hooks) -> Result<Opening<'a>> {
    let deals_rows = matches!(request.method, Method::TwoStage(_));
    // Means of the data and the assignment of rows to blocks depend on the order of the rows, which
    // threads change; nothing else does.
    let ordered = request.paper || deals_rows;
    Ok(Opening {
        threads: if ordered { 1 } else { checked_threads(request.threads)? },
        hooks: hooks.clone(),
        memory: Some(request.memory()),
        labels: request.target.labels(),
        events: request.target.time_to_event(),
        identifiers: match reads_columns(request) {
            true => Identifiers::ComparedInColumns,
            false => Identifiers::Compared,
        },
    })
}

/// Whether the first pass of a run reads unmodified columns of the table.
fn reads_columns(request: &Request) -> bool {
    let as_they_are = request.people.feature.is_none()
        && request.covariates.is_empty()
        && request.groups.is_none()
        && !request.per_million
        && request.numbers_and.as_ref().is_none_or(|levels| levels.is_empty())
        && request.refine.is_none();
    let whole = match request.method {
        Method::Scores => {
            request.paper
                || request.score == Some(ScoreKind::Kendall)
                || request.association() == Association::Ks
        }
        Method::DpKendall => true,
        Method::TwoStage(_) => false,
    };
    as_they_are && whole
}

/// The plan for sums of single features: see [`plan_with`].
///
/// # Errors
///
/// As for [`plan_with`]; `Request` if the request has sets of features.
pub(crate) fn plan_for(request: &Request, schema: &Schema) -> Result<Plan> {
    if request.groups.is_some() {
        let rule = "sets of features are selected from a whole table, not from sums of parts";
        return Err(Error::request(rule).about([Parameter::Groups]));
    }
    plan_with(request, schema, None)
}

/// The plan for a table from its header alone.
///
/// # Errors
///
/// As for an open table.
pub(crate) fn plan_of_header(request: &Request, schema: &Schema) -> Result<Plan> {
    match grouping(request, schema)?.map(Arc::new) {
        Some(grouping) => plan_with(request, grouping.schema(), Some(&grouping)),
        None => plan_with(request, schema, None),
    }
}

/// The plan for features, or for sets of them, after the checks that need the table's header (or
/// the feature names, if features are rows).
///
/// # Errors
///
/// `Request` if the request does not fit the header. If features are rows, `Input`, because the
/// table had to be read to find out.
fn plan_with(request: &Request, schema: &Schema, grouping: Option<&Arc<Grouping>>) -> Result<Plan> {
    let d = schema.d();
    check_boolean(request, schema)?;
    check_people(request, schema)?;
    if schema.has_people() && (request.method != Method::Scores || request.paper) {
        let rule = "people with several rows are for the selection by scores";
        return Err(Error::request(rule).about([Parameter::Unit, Parameter::Method]));
    }
    let counts_once = !schema.has_people() || request.is_paired();
    if !counts_once && matches!(request.names, Names::Significant(_)) {
        let rule = "no significance threshold is checked for people with several rows";
        return Err(Error::request(rule).hint("give k").about([Parameter::Unit, Parameter::K]));
    }
    if request.refine.is_some() && (schema.has_people() || request.is_adjusted()) {
        let rule = "a refinement is by signs of single rows: without people of several rows and covariates";
        let about = [Parameter::Refine, Parameter::Unit, Parameter::Covariates];
        return Err(Error::request(rule).about(about));
    }
    let by_sums = request.method == Method::Scores && request.score != Some(ScoreKind::Kendall);
    if schema.compares_ids() && request.neighbors == Neighbors::ReplaceOne && !by_sums {
        let rule = "where rows are compared by their identifiers, a replaced row may take another one with it, which \
                    this method does not allow for";
        let about = [Parameter::Neighbors, Parameter::Id, Parameter::TargetFile];
        return Err(Error::request(rule)
            .hint("add-remove, or scores ks and correlation")
            .about(about));
    }
    if request.names.most(d) > d {
        let what = if grouping.is_some() { "sets that are used" } else { "features" };
        let rule = format!("k must not exceed the number of {what}, {d}");
        let error = match schema.orientation() {
            Orientation::SamplesAsRows => Error::request(rule),
            Orientation::FeaturesAsRows => Error::input(rule),
        };
        return Err(error.about([Parameter::K]));
    }
    if let Some(memory) = request.memory {
        check_memory(memory, d, checked_threads(request.threads)?)?;
    }
    match grouping {
        Some(grouping) => {
            let plan = Plan::new(request, d, Arc::new(grouping.scaling().clone()))?;
            plan.of_sets(grouping.clone()).weighted(schema)
        }
        None => Plan::new(request, d, Arc::new(scaling_of(request, schema)?))?.weighted(schema),
    }
}

/// Refuses a boolean target with labels other than 0 and 1, or without labels unless its kind is
/// given.
///
/// # Errors
///
/// `Request` in that case.
fn check_boolean(request: &Request, schema: &Schema) -> Result<()> {
    let is_boolean = |label: &String| {
        let number = CellFormat::default().number(label.as_bytes());
        number.is_some_and(|number| number == 0.0 || number == 1.0)
    };
    let fits = match request.target.labels() {
        Some(labels) => labels.iter().all(is_boolean),
        None => request.target_is_given,
    };
    if fits || !schema.has_boolean_target() {
        return Ok(());
    }
    Err(Error::request("the target is a column of booleans, which are classes and not a number")
        .hint("give the classes 0 and 1, in this order: false and true")
        .about([Parameter::Classes]))
}

/// The scaling of these features: ranks within the row unless another scaling is given.
pub(crate) fn scaling_of(request: &Request, schema: &Schema) -> Result<Scaling> {
    scaling_where_needed(request, schema, &|_| true)
}

/// Like [`scaling_of`], but bounds by name may be missing for some features; features with levels
/// never need bounds.
pub(crate) fn scaling_where_needed(
    request: &Request,
    schema: &Schema,
    needs: &Needs<'_>,
) -> Result<Scaling> {
    let levels = request.numbers_and.iter().flatten();
    let needs = |name: &str| needs(name) && !levels.clone().any(|levels| levels.name() == name);
    match &request.scale {
        Some(Scale::BoundsFile(path)) => {
            read_bounds(path, schema, &needs).map(Scaling::BoundsByFeature)
        }
        Some(Scale::BoundsByName(given)) => {
            bounds_of_features(given, (schema, &needs), None).map(Scaling::BoundsByFeature)
        }
        Some(Scale::Given(Scaling::BoundsByFeature(all))) if all.len() != schema.d() => {
            let d = schema.d();
            Err(Error::request(format!("bounds must be given for each of the {d} features")))
        }
        Some(Scale::Given(scaling)) => Ok(scaling.clone()),
        None => Ok(Scaling::RowRank),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::request::Select;
    use crate::table::{Bounds, FileTable};

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
        let given = [("b", range(1.0, 4.0)), ("*", range(0.0, 5.0))];
        assert_eq!(named(&given).unwrap(), run(Select::new(1).scaling(in_order)).unwrap());
        for wrong in [&given[..1], &[("c", range(0.0, 1.0)), given[1]], &[given[0], given[0]]] {
            assert_eq!(named(wrong).unwrap_err().kind(), ErrorKind::Request);
        }
    }
}
