//! The end of a run on classes with almost no counted rows.
//!
//! Labels that are spelled unlike those in the table count almost no rows, and a selection would
//! then spend the rest of the budget on random names. With eps the part of the selection, W the
//! largest score that the released counts allow, in units of its sensitivity, and d features, a
//! feature that separates the classes perfectly is lost among the others where eps W < ln d: the
//! run ends there. With a numeric target it ends only if, in addition, most rows are counted
//! without a number, as for a column of labels that are not given.
//!
//! # Privacy
//!
//! Whether a run ends, and with which error, is a function of the released counts.

use crate::error::{Error, Parameter, Result};
use crate::estimate::Counted;
use crate::exact::two_digits;
use crate::privacy::Purpose;
use crate::request::plan::Plan;
use crate::table::Schema;

/// The probability that a run ends although the table has enough rows, at most.
const ENDS: f64 = 0.1;

/// A run with a number as target ends only if the count of rows without a number exceeds this
/// multiple of the noise scale, and the next multiple of the count of rows with one.
const MIN_UNUSABLE_PER_NOISE: f64 = 10.0;
const MIN_UNUSABLE_PER_ROW: f64 = 4.0;

/// The step of a search for a number of rows.
const STEP: f64 = 1.05;

/// The text for the rows of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowWords {
    /// Their plural noun.
    pub(crate) units: &'static str,
    /// Whether rows that share an identifier contribute nothing.
    pub(crate) one_row_each: bool,
}

impl RowWords {
    pub(crate) fn of(schema: &Schema) -> Self {
        Self { units: schema.privacy_unit().plural(), one_row_each: schema.has_one_row_each() }
    }
}

/// Ends a run after its counts of classes, if the counts leave a selection nothing to find.
///
/// # Errors
///
/// `Input` in that case, with the counts, the given labels and the [unspent
/// budget](Error::unspent).
pub(crate) fn check_counts(
    plan: &Plan,
    RowWords { units, one_row_each }: RowWords,
    counted: Option<&Counted>,
) -> Result<()> {
    let Some(counted) = counted else { return Ok(()) };
    let Some(reach) = plan.scoring.reach() else { return Ok(()) };
    let selection = plan.selection();
    // There is nothing to lose if all features are selected.
    if plan.fwer.is_none() && plan.picks() >= plan.features {
        return Ok(());
    }
    let drowns = |counts: &[f64]| {
        let largest = reach.in_rows(counts) / plan.request.neighbors.steps() as f64;
        drowns(largest, selection.to_f64(), plan.features)
    };
    let about = |rows: f64| rows.max(0.0).round();
    let unusable = counted.unusable as f64;
    let people = match one_row_each {
        true => format!(
            "{units} that share an identifier take no part: for several per person name the unit; "
        ),
        false => String::new(),
    };
    let target = &plan.request.target;
    let (rule, hint, mut parameters) = match target.labels() {
        Some(labels) if drowns(&counted.classes) => {
            let found = labels.iter().zip(&counted.classes);
            let found = found.map(|(label, rows)| format!("{} of {label:?}", about(*rows)));
            let rule = match plan.request.is_paired() {
                true => format!(
                    "by private counts almost no {units} have rows of both classes: about {}, and {} others; a selection \
                     would find nothing",
                    about(counted.classes.iter().sum()),
                    about(unusable),
                ),
                false => format!(
                    "by private counts the classes have almost no {units}: about {}, and {} others; a selection would find \
                     nothing",
                    found.collect::<Vec<_>>().join(", "),
                    about(unusable),
                ),
            };
            let classes = labels.len() as f64;
            // Any of the counts is too low by more with a probability of at most ENDS: each with
            // half of e^(-rate low).
            let low = libm::log(classes / (2.0 * ENDS)) / counted.rate;
            let ends = |rows: f64| drowns(&vec![rows / classes - low; labels.len()]);
            let mut enough = 4.0;
            while ends(enough) {
                enough *= STEP;
            }
            let (check, about) = match target.time_to_event() {
                Some(_) => (
                    "check that the horizon lies within the times and that the value of the event is right",
                    Parameter::Horizon,
                ),
                None => (
                    "labels are compared as text, case included, and by value if both are numbers: inspecting the table shows them",
                    Parameter::Classes,
                ),
            };
            let which = match plan.request.is_paired() {
                true => "with rows of both classes",
                false => "in classes of equal size",
            };
            let hint = format!(
                "{check}; {people}otherwise the table needs more rows or a larger epsilon: with about {} usable {units} \
                 {which}, or half of that at twice the epsilon, at least 9 of 10 runs go on",
                two_digits(enough.ceil())
            );
            (rule, hint, vec![about, Parameter::Inspect, Parameter::Epsilon])
        }
        Some(_) => return Ok(()),
        None => {
            let rows = counted.classes.iter().sum::<f64>();
            let others = unusable > MIN_UNUSABLE_PER_NOISE / counted.rate
                && unusable > MIN_UNUSABLE_PER_ROW * rows;
            if !others || !drowns(&[rows / 2.0; 2]) {
                return Ok(());
            }
            let rule = format!(
                "by private counts almost no {units} have a number as target: about {}, and {} others; a selection would \
                 find nothing",
                about(rows),
                about(unusable),
            );
            let hint = format!(
                "if the target holds labels, give them as classes; if 3,5 means three and a half, give the decimal \
                 comma; {people}inspecting the table shows which"
            );
            (rule, hint, vec![Parameter::Classes, Parameter::DecimalComma, Parameter::Inspect])
        }
    };
    parameters.extend(one_row_each.then_some(Parameter::Unit));
    let after = plan.spent.iter().filter(|part| {
        !matches!(part.purpose, Purpose::TargetMedian | Purpose::TargetCenter | Purpose::Rows)
    });
    let unspent = after.map(|part| part.epsilon.clone()).reduce(|sum, part| sum + part);
    let error = Error::input(rule).hint(hint).about(parameters);
    Err(match unspent {
        Some(unspent) => error.leaving(unspent.to_string()),
        None => error,
    })
}

/// Whether a feature of the largest score, in units of the sensitivity, is lost among the noise of
/// this many features.
pub(crate) fn drowns(largest: f64, epsilon: f64, features: usize) -> bool {
    epsilon * largest < libm::log(features as f64)
}
