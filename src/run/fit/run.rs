//! A run of a fit: a selection, then the passes and releases of the model.

use std::fmt;

use crate::account::Event;
use crate::error::{Error, Parameter, Result};
use crate::exact::two_digits;
use crate::model::{
    Fallback, Model, ModelBudget, ModelGuarantee, ModelKind, ModelPrice, ModelRequest, ModelTarget,
    Regression, ReleasedModel, Rows, Term, TermValues, fit_model,
};
use crate::privacy::{Delta, Epsilon, Expense, Ledger, Purpose, Spending, Unit};
use crate::release::record::{
    Command, Guarantee, LARGE_EPSILON, RandomnessUsed, Record, Warning, WarningKind,
};
use crate::request::check::check_people;
use crate::request::fields::Target;
use crate::run::charged::{bounds_repeat, check_names, check_target};
use crate::run::fit::read_once;
use crate::run::fit::record::{FitRecord, GivenToModel};
use crate::run::fit::request::{FitRequest, Parts};
use crate::run::steps::{header, opening, plan_for, prepared, run_prepared, scaling_where_needed};
use crate::table::{
    Hooks, Identifiers, Levels, PreparedTable, Scaling, Schema, Source, Table, TargetCell,
    UsableSamples, hold,
};

/// Runs a checked request on a table.
///
/// # Errors
///
/// The errors of a selection; `Request` if the table can be read only once and features are to be
/// selected.
pub(super) fn run(request: &FitRequest, source: &(impl Source + ?Sized)) -> Result<FitRecord> {
    let parts = request.parts()?;
    if parts.selection.is_some() && !reads_twice(request, source) {
        return Err(read_once());
    }
    // A model is fitted in a pass over rows, not over columns.
    source.check_identifiers(Identifiers::Compared, request.select.target.time_to_event())?;
    let hooks = request.select.hooks.for_a_run();
    let opened = source.open(&opening(&request.select, &hooks)?)?;
    run_on(request, &parts, &hooks, &mut prepared(&request.select, opened)?)
}

/// Selects from an open table, and fits the model to it.
fn run_on(
    request: &FitRequest,
    parts: &Parts,
    hooks: &Hooks,
    table: &mut PreparedTable<'_>,
) -> Result<FitRecord> {
    check_columns(request, table.schema())?;
    if parts.selection.is_some() && !request.levels().is_empty() {
        // With levels the selection does not use bounds: they are checked before anything is drawn.
        scaling(request, table.schema())?;
    }
    let select = |epsilon: &Epsilon| run_prepared(&request.selection(epsilon), hooks, table);
    let selection = parts.selection.as_ref().map(select).transpose();
    let selection = match selection {
        Err(error) if error.unspent().is_some() => {
            let places = Vec::from_iter(0..request.features_expected(table.schema().d()));
            let wanted = model_request(request, parts, Some(0.0), (table.schema(), &places))?;
            let needs = Needs::of(&wanted, table.schema().privacy_unit())?;
            return Err(error.leaving_more(&parts.model).with_note(&needs.to_string()));
        }
        selection => selection?,
    };
    let places = match (&selection, &request.features) {
        (Some(record), _) => {
            let names = record.selected.iter().map(|picked| picked.name.as_str());
            places(names, table.schema())?
        }
        (None, names) => places(names.iter().flatten().map(String::as_str), table.schema())?,
    };
    let center = selection.as_ref().and_then(|record| record.released.target_median);
    let mut wanted = model_request(request, parts, center, (table.schema(), &places))?;
    let needs = Needs::of(&wanted, table.schema().privacy_unit())?;
    let counted = selection.as_ref().and_then(|record| record.released.rows_estimate);
    wanted.counted = counted;
    if counted.is_some_and(|rows| rows < needs.rows) {
        // Too few rows for coefficients: spend the same budget on the mean, or on the counts of the
        // classes.
        wanted.mean_only = true;
        with_ranges(&mut wanted, parts);
    }
    let schema = table.schema().clone();
    let rows = rows(request, table, &wanted.terms)?;
    hooks.check()?;
    let randomness = request.select.entropy.source()?;
    let released = fit_model(&wanted, &rows, &randomness, hooks)?;
    record(request, (&wanted, released), needs, selection, &schema)
}

/// Makes all checks before a ledger is charged for a run, and returns the expense.
///
/// # Errors
///
/// The errors of the ledger, then the errors of a run that are known before it.
pub(super) fn check_ledger(
    request: &FitRequest,
    source: &(impl Source + ?Sized),
    ledger: &Ledger,
    note: &str,
) -> Result<Expense> {
    let mut expense = request.expense(note)?;
    ledger.check_amount(&expense)?;
    if request.features.is_none() && !reads_twice(request, source) {
        return Err(read_once());
    }
    source.check_identifiers(Identifiers::Compared, request.select.target.time_to_event())?;
    // A request that does not fit the header spends no budget, if the header can be read twice.
    if source.repeats() {
        let schema = header(&request.select, source, &request.select.hooks.for_a_run())?;
        check_columns(request, &schema)?;
        expense = expense.unit(schema.privacy_unit());
        match (&request.features, request.parts()?.selection) {
            (Some(names), _) => {
                places(names.iter().map(String::as_str), &schema).map(|_| ())?;
            }
            (None, Some(epsilon)) => plan_for(&request.selection(&epsilon), &schema).map(|_| ())?,
            (None, None) => {}
        }
        if bounds_repeat(&request.select) {
            scaling(request, &schema)?;
        }
    }
    if request.features.is_none() {
        check_names(&request.select)?;
    }
    check_target(&request.select, source)?;
    ledger.check(&expense)?;
    Ok(expense)
}

/// Checks that the columns of a table fit the request. Refuses features that are text by their type
/// and have no levels, because a model needs numbers.
///
/// # Errors
///
/// `Request` in that case, and for a rule for people in a table without people.
pub(super) fn check_columns(request: &FitRequest, schema: &Schema) -> Result<()> {
    check_people(&request.select, schema)?;
    let may_be_used = |name: &&str| {
        request.features.as_ref().is_none_or(|names| names.iter().any(|one| one == name))
    };
    let has_levels = |name: &&str| request.levels().iter().any(|levels| levels.name() == *name);
    let texts = schema.text_features().filter(may_be_used).filter(|name| !has_levels(name));
    let names: Vec<String> = texts.map(|name| format!("{name:?}")).collect();
    let rule = match &names[..] {
        [] => return Ok(()),
        [name] => format!(
            "the column {name} holds text, and a model takes numbers: its coefficient would be noise"
        ),
        names => format!(
            "the columns {} hold text, and a model takes numbers: their coefficients would be noise",
            names.join(", ")
        ),
    };
    let (remedy, about) = match request.features {
        Some(_) => ("give its levels, or leave it out of the features", Parameter::Features),
        None => ("give its levels, or exclude it", Parameter::Exclude),
    };
    Err(Error::request(rule).hint(remedy).about([Parameter::Levels, about]))
}

/// Whether the table and the file of bounds can be read twice.
fn reads_twice(request: &FitRequest, source: &(impl Source + ?Sized)) -> bool {
    source.repeats() && bounds_repeat(&request.select)
}

/// The places of features by their names.
pub(super) fn places<'n>(
    names: impl Iterator<Item = &'n str>,
    schema: &Schema,
) -> Result<Vec<usize>> {
    let all: Vec<&str> = schema.feature_names().collect();
    let place = |name: &str| {
        all.iter().position(|feature| *feature == name).ok_or_else(|| {
            let names: Vec<String> = all.iter().map(|&name| name.to_owned()).collect();
            let rule = format!("the table has no feature {name:?}");
            Error::request(rule).or_near(&names, name).about([Parameter::Features])
        })
    };
    names.map(place).collect()
}

/// The request for the model, once its features are known; `center` is the target's median, if it
/// was released.
pub(super) fn model_request(
    request: &FitRequest,
    parts: &Parts,
    center: Option<f64>,
    (schema, places): (&Schema, &[usize]),
) -> Result<ModelRequest> {
    let scaling = scaling(request, schema)?;
    let range = |place: usize| match &scaling {
        Scaling::Bounds(bounds) => Some(*bounds),
        Scaling::BoundsByFeature(all) => all.get(place).copied(),
        Scaling::RowRank => None,
    };
    let regression = match &request.select.target {
        Target::Classes(_) | Target::TimeToEvent(_) => {
            Regression::Logistic { lambda: request.lambda }
        }
        Target::Bounded(bounds) => Regression::Linear { range: Some(*bounds), center: None },
        Target::Numeric => Regression::Linear { range: None, center },
    };
    let names: Vec<&str> = schema.feature_names().collect();
    let terms = |&place: &usize| -> Vec<Term> {
        let term = |values| Term { name: names[place].to_owned(), place, values };
        match request.levels().iter().find(|levels| levels.name() == names[place]) {
            Some(levels) => levels_but_first(levels).map(term).collect(),
            None => vec![term(TermValues::Numbers(range(place)))],
        }
    };
    let mut wanted = ModelRequest {
        regression,
        terms: places.iter().flat_map(terms).collect(),
        neighbors: request.select.neighbors,
        budget: ModelBudget { ranges: None, model: parts.model.clone(), delta: request.delta()? },
        mean_only: false,
        counted: None,
        uncounted: parts.selection.is_none(),
    };
    with_ranges(&mut wanted, parts);
    Ok(wanted)
}

/// The scaling: where features are given, bounds by name are needed for these features alone.
fn scaling(request: &FitRequest, schema: &Schema) -> Result<Scaling> {
    let needs = |name: &str| {
        request.features.as_ref().is_none_or(|names| names.iter().any(|one| one == name))
    };
    scaling_where_needed(&request.select, schema, &needs)
}

/// The columns that a model has for the levels of a feature.
fn levels_but_first(levels: &Levels) -> impl Iterator<Item = TermValues> {
    let (reference, others) = match levels.texts() {
        [first, others @ ..] => (first.as_str(), others),
        [] => ("", &[][..]),
    };
    (1..).zip(others).map(|(number, level)| TermValues::Level {
        number,
        level: level.clone(),
        reference: reference.to_owned(),
    })
}

/// Assigns a part of the model's budget to the ranges that are not given, if there are any.
fn with_ranges(wanted: &mut ModelRequest, parts: &Parts) {
    let whole = parts.model.as_rational();
    wanted.budget.ranges = (wanted.medians() > 0).then(|| Epsilon::part(whole * &parts.ranges));
    wanted.budget.model = match &wanted.budget.ranges {
        Some(ranges) => Epsilon::part(whole - ranges.as_rational()),
        None => parts.model.clone(),
    };
}

/// The columns of the model, and the targets.
fn rows(request: &FitRequest, table: &mut dyn Table, terms: &[Term]) -> Result<Rows> {
    let labels = request.select.target.checked_labels()?;
    let format = table.format().clone();
    let code = |cell: TargetCell<'_>| match &labels {
        Some(labels) => labels.class_of(cell, &format).map(|class| class as f64),
        None => cell.number(&format),
    };
    let has_people = table.schema().has_people();
    let mut places: Vec<usize> = terms.iter().map(|term| term.place).collect();
    // The levels of a feature are adjacent and come from one column.
    places.dedup();
    let UsableSamples { columns, targets, roles, .. } = hold(table, &places, None, &code)?;
    let column = |term: &Term| {
        let held = places.iter().position(|place| *place == term.place).unwrap_or_default();
        columns.to_vec(held).into_iter().map(|value| term.value(value)).collect()
    };
    let columns = terms.iter().map(column).collect();
    // If all roles are the default, they are not stored; all people then have the default weight.
    let weight = |row: usize| roles.get(row).copied().unwrap_or_default().weight;
    let weights = has_people.then(|| (0..targets.len()).map(weight).collect());
    Ok(Rows { columns, targets, weights })
}

fn record(
    request: &FitRequest,
    (wanted, released): (&ModelRequest, ReleasedModel),
    needs: Needs,
    selection: Option<Record>,
    schema: &Schema,
) -> Result<FitRecord> {
    let randomness = RandomnessUsed::of(request.select.entropy);
    let unit = schema.privacy_unit();
    let of_selection = selection.as_ref().map(|record| &record.guarantee);
    let guarantee = guarantee(request, (wanted, &released.price), of_selection, schema)?;
    let counted = selection.as_ref().and_then(|record| record.released.rows_estimate);
    let rows_estimate = counted.or(released.rows.map(|rows| rows.round() as u64));
    let mut warnings = warnings(request, &released.price, &randomness)?;
    warnings.extend(rows_estimate.and_then(|rows| needs.too_few(rows, &guarantee)));
    let features = released.fit.as_ref().map_or(&[][..], |fit| &fit.features);
    if !features.is_empty() && features.iter().all(|feature| feature.is_like_zero() == Some(true)) {
        let text = format!(
            "no coefficient is distinguishable from 0: expect the model to predict no better than chance{}",
            needs.of_ranges()
        );
        let about = [Parameter::Epsilon, Parameter::Bounds];
        warnings.push(Warning::new(WarningKind::NoCoefficient, text).about(about));
    }
    if let Some(fallback) = released.fallback {
        let why = match fallback {
            Fallback::FewRows => "too few rows for coefficients, by the released count".to_owned(),
            Fallback::Noise => format!(
                "the coefficients are no larger than their privacy noise{}",
                needs.of_ranges()
            ),
        };
        let prediction = match wanted.regression {
            Regression::Linear { .. } => "the released mean of the target",
            Regression::Logistic { .. } => "the released share of the second class",
        };
        let text =
            format!("{why}: all coefficients are set to 0, and every prediction is {prediction}");
        let about = [Parameter::Epsilon, Parameter::Bounds];
        warnings.push(Warning::new(WarningKind::InterceptOnly, text).about(about));
    }
    let classes = request.select.target.labels();
    let classes = classes.and_then(|labels| <[String; 2]>::try_from(labels.to_vec()).ok());
    let kind = if classes.is_some() { ModelKind::Logistic } else { ModelKind::Linear };
    let name = schema.event().or(schema.target()).map(|place| schema.name(place).to_owned());
    let range = released.target.map(|range| [range.low(), range.high()]);
    let model_guarantee = ModelGuarantee {
        private: !randomness.seeded,
        epsilon: guarantee.epsilon.to_string(),
        delta: guarantee.delta.to_string(),
        neighbors: guarantee.neighbors,
        unit: unit.to_string(),
        events: guarantee.events.iter().map(ToString::to_string).collect(),
    };
    let target = ModelTarget { name, classes, range };
    let fit = released
        .fit
        .map(|fit| Model::new(kind, target, fit.intercept, fit.features, model_guarantee));
    Ok(FitRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: Command::Fit,
        run: None,
        ledger: None,
        private: !randomness.seeded,
        model: fit.transpose()?,
        selection,
        guarantee,
        given: Some(given(wanted)),
        rows_estimate,
        rows_needed: needs.rows,
        needs: needs.to_string(),
        lambda: released.price.lambda,
        randomness,
        warnings,
        table_features: schema.d() + schema.role_columns(),
        places: wanted.terms.iter().map(|term| schema.index(term.place)).collect(),
    })
}

/// The facts that the model takes as public.
fn given(wanted: &ModelRequest) -> GivenToModel {
    let mut ranges = wanted.terms.iter().filter_map(|term| match &term.values {
        TermValues::Numbers(range) => Some(range.is_some()),
        TermValues::Level { .. } => None,
    });
    let with_levels =
        wanted.terms.iter().filter(|term| matches!(term.values, TermValues::Level { .. }));
    let mut levels: Vec<String> = with_levels.map(|term| term.name.clone()).collect();
    levels.dedup();
    GivenToModel {
        // All or none are given.
        feature_ranges: ranges.next() == Some(true),
        target_range: matches!(wanted.regression, Regression::Linear { range: Some(_), .. }),
        levels,
    }
}

/// The guarantee for a selection and a model together.
pub(super) fn guarantee(
    request: &FitRequest,
    (wanted, price): (&ModelRequest, &ModelPrice),
    of_selection: Option<&Guarantee>,
    schema: &Schema,
) -> Result<Guarantee> {
    let ModelBudget { ranges, model, .. } = &wanted.budget;
    let (mut spent, mut events) = of_selection
        .map(|guarantee| (guarantee.spent.clone(), guarantee.events.clone()))
        .unwrap_or_default();
    if let Some(ranges) = ranges {
        spent.push(Spending { purpose: Purpose::Ranges, epsilon: ranges.clone() });
        events.push(Event::pure(ranges.clone()));
    }
    spent.push(Spending { purpose: Purpose::Model, epsilon: model.clone() });
    events.push(price.event.clone());
    Ok(Guarantee {
        epsilon: request.epsilon()?,
        delta: price.delta.clone(),
        pure_epsilon: None,
        neighbors: wanted.neighbors,
        unit: schema.privacy_unit(),
        one_row_per_identifier: schema.has_one_row_each(),
        spent,
        events,
    })
}

/// The warnings about a model by its request.
pub(super) fn warnings(
    request: &FitRequest,
    price: &ModelPrice,
    randomness: &RandomnessUsed,
) -> Result<Vec<Warning>> {
    let large = Warning::of_epsilon(&request.epsilon()?);
    let mut warnings: Vec<Warning> = randomness.warning().into_iter().chain(large).collect();
    if !request.delta()?.is_zero() && price.delta == Delta::zero() {
        let text = "the given delta would not lower the noise here and is not spent: the release is purely private";
        warnings.push(Warning::new(WarningKind::UnspentDelta, text).about([Parameter::Delta]));
    }
    Ok(warnings)
}

/// The number of usable rows, or people, below which a model is mostly noise (by simulation), for
/// dry runs and for the warnings of a run.
pub(super) struct Needs {
    pub(super) rows: u64,
    features: usize,
    unit: Unit,
    /// Whether ranges are drawn.
    ranges: bool,
}

impl Needs {
    pub(super) fn of(wanted: &ModelRequest, unit: Unit) -> Result<Self> {
        let rows = wanted.price()?.rows_needed.ceil() as u64;
        let ranges = wanted.budget.ranges.is_some();
        Ok(Self { rows, features: wanted.terms.len(), unit, ranges })
    }

    /// The end of a warning: with too few rows, ranges are arbitrary.
    fn of_ranges(&self) -> &'static str {
        if self.ranges { ", and the drawn ranges may be far off" } else { "" }
    }

    /// The warning about fewer rows, with the epsilon that would be enough if it is a reasonable
    /// one.
    fn too_few(&self, rows: u64, guarantee: &Guarantee) -> Option<Warning> {
        if rows >= self.rows {
            return None;
        }
        let units = self.unit.plural();
        // All noise of pure privacy falls as 1/epsilon.
        let epsilon = guarantee.epsilon.to_f64() * self.rows as f64 / rows.max(1) as f64;
        let instead = match guarantee.delta.is_zero() && epsilon <= LARGE_EPSILON {
            true => format!(
                "; with these {units}, a new run would need epsilon {}, in addition to the spent budget",
                two_digits(epsilon)
            ),
            false => String::new(),
        };
        let text = format!(
            "only about {rows} {} {}, but {self}{instead}: expect poor predictions{}",
            self.unit.noun(rows),
            if rows == 1 { "was counted" } else { "were counted" },
            self.of_ranges()
        );
        Some(Warning::new(WarningKind::FewRows, text).about([Parameter::Epsilon]))
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, units) = (two_digits(self.rows as f64), self.unit.plural());
        let s = if self.features == 1 { "" } else { "s" };
        let features = self.features;
        write!(
            f,
            "a model of {features} feature{s} under this budget needs about {rows} usable {units}"
        )
    }
}
