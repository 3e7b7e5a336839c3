//! Dry runs of a fit: budget and needs, from the request and the header alone.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::model::ModelPrice;
use crate::privacy::Purpose;
use crate::release::record::{Command, Guarantee, RandomnessUsed, Warning};
use crate::run::dry_run::{self, DryRun};
use crate::run::fit::request::FitRequest;
use crate::run::fit::run::{Needs, check_columns, guarantee, model_request, places, warnings};
use crate::run::steps::header;
use crate::table::{Schema, Source};

/// A planned fit that was not run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FitDryRun {
    /// Version of this program.
    pub version: String,
    /// The command that was planned.
    pub command: Command,
    /// Always true; distinguishes this record from that of a release.
    pub dry_run: bool,
    /// The selection of the features, with its own part of the budget; `None` if they are given.
    pub selection: Option<DryRun>,
    /// The number of columns of the model: one for each of its features, and for a feature with
    /// levels one for each level but the first. When all significant features are selected, the
    /// plan assumes 5.
    pub features: usize,
    /// The guarantee that the whole fit would give, and the budget it would spend.
    pub guarantee: Guarantee,
    /// The number of usable rows, or people, below which the model would be mostly noise (by
    /// simulation).
    pub rows_needed: u64,
    /// The same as text.
    #[serde(skip)]
    pub(crate) needs: String,
    /// The regularization parameter lambda of a logistic model, given or by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// Known problems, except the warnings of the selection.
    pub warnings: Vec<Warning>,
}

/// The places of features that may be selected, among them the choice whose model needs the most
/// rows. Numeric features are interchangeable, because bounds are given for all or for none. But
/// numeric features may need ranges, and levels are several columns.
fn possible(request: &FitRequest, schema: &Schema) -> Vec<Vec<usize>> {
    let (d, k) = (schema.d(), request.features_expected(schema.d()));
    let names: Vec<&str> = schema.feature_names().collect();
    let count = |place: &usize| {
        let levels = request.levels().iter().find(|levels| levels.name() == names[*place]);
        levels.map_or(0, |levels| levels.texts().len())
    };
    let of = |mut places: Vec<usize>| {
        places.truncate(k);
        places
    };
    let mut numbers_first: Vec<usize> = (0..d).collect();
    numbers_first.sort_by_key(count);
    let levels_first: Vec<usize> = numbers_first.iter().rev().copied().collect();
    vec![of(numbers_first), of(levels_first)]
}

/// Plans a checked request.
///
/// # Errors
///
/// The errors of a run that depend on the request and the header alone.
pub(super) fn dry_run(request: &FitRequest, source: &(impl Source + ?Sized)) -> Result<FitDryRun> {
    let parts = request.parts()?;
    let selection = match &parts.selection {
        Some(epsilon) => Some(dry_run::dry_run(&request.selection(epsilon), source)?),
        None => None,
    };
    let schema = header(&request.select, source, &request.select.hooks.for_a_run())?;
    check_columns(request, &schema)?;
    let possible = match &request.features {
        Some(names) => vec![places(names.iter().map(String::as_str), &schema)?],
        None => possible(request, &schema),
    };
    let spends = |plan: &DryRun, purpose: Purpose| {
        plan.guarantee.spent.iter().any(|part| part.purpose == purpose)
    };
    let center = selection.as_ref().filter(|plan| spends(plan, Purpose::TargetMedian)).map(|_| 0.0);
    let priced = |places: &Vec<usize>| {
        let wanted = model_request(request, &parts, center, (&schema, places))?;
        let price = wanted.price()?;
        Ok((wanted, price))
    };
    let priced = possible.iter().map(priced).collect::<Result<Vec<_>>>()?;
    let rows = |(_, price): &(_, ModelPrice)| price.rows_needed;
    let most = priced.into_iter().max_by(|one, other| rows(one).total_cmp(&rows(other)));
    let (wanted, price) = most.ok_or_else(|| Error::request("a model needs a feature"))?;
    let unit = schema.privacy_unit();
    let needs = Needs::of(&wanted, unit)?;
    let of_selection = selection.as_ref().map(|plan| &plan.guarantee);
    Ok(FitDryRun {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: Command::Fit,
        dry_run: true,
        features: wanted.terms.len(),
        guarantee: guarantee(request, (&wanted, &price), of_selection, &schema)?,
        rows_needed: needs.rows,
        needs: needs.to_string(),
        lambda: price.lambda,
        warnings: warnings(request, &price, &RandomnessUsed::of(request.select.entropy))?,
        selection,
    })
}
