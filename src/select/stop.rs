//! The end of a run on classes of which next to nothing was counted.
//!
//! Labels that are spelled unlike those of the table count next to nothing, and a selection would
//! then print names by chance for the rest of the budget. With eps the part of the selection, W the
//! largest score that the released counts allow, in units of its sensitivity, and d features, a
//! feature that separates the classes perfectly is lost among the others where eps W < ln d: the
//! run ends there.
//!
//! # Privacy
//!
//! Whether a run ends is a function of the released counts, which were paid for, and so is all that
//! it says.

use crate::error::{Error, Parameter, Result};
use crate::estimate::Counted;
use crate::exact::two_digits;
use crate::privacy::{Epsilon, Purpose};
use crate::select::plan::Plan;
use crate::select::request::Target;

/// By so many times the scale of its noise a count is too low in one run of twenty, ln(20/2): one of
/// two counts in one of ten.
const LOW: f64 = std::f64::consts::LN_10;

/// The step of a search for a number of rows.
const STEP: f64 = 1.05;

/// Ends a run after its counts of classes, if these leave a selection nothing to find; `units` is
/// the word for rows.
///
/// # Errors
///
/// `Input` then, with the counts, the stated labels and what is [not spent](Error::unspent).
pub(super) fn check_counts(plan: &Plan, units: &str, counted: Option<&Counted>) -> Result<()> {
    let (Some(counted), Target::Classes(labels)) = (counted, &plan.request.target) else {
        return Ok(());
    };
    let (Some(reach), Ok(selection)) = (plan.scoring.reach(), plan.part(Purpose::Selection)) else {
        return Ok(());
    };
    // There is nothing to lose where all features are taken.
    if plan.beyond.is_none() && plan.picks() >= plan.features {
        return Ok(());
    }
    let largest = reach.in_rows(&counted.classes) / plan.request.neighbors.steps() as f64;
    if !drowns(largest, selection.to_f64(), plan.features) {
        return Ok(());
    }
    let about = |rows: f64| rows.max(0.0).round();
    let found: Vec<String> = labels
        .iter()
        .zip(&counted.classes)
        .map(|(label, rows)| format!("{} of {label:?}", about(*rows)))
        .collect();
    let rule = format!(
        "the private counts find next to no {units} of the stated classes: about {}, and {} of none; a selection would \
         find nothing",
        found.join(", "),
        about(counted.unusable as f64),
    );
    let after = plan.spent.iter().filter(|part| {
        !matches!(part.purpose, Purpose::TargetMedian | Purpose::TargetCenter | Purpose::Rows)
    });
    let unspent = after.map(|part| part.epsilon.clone()).reduce(|sum, part| sum + part);
    let ends = |rows: f64| {
        let mut counts = vec![rows / counted.classes.len() as f64; counted.classes.len()];
        counts[0] -= LOW / counted.rate;
        let largest = reach.in_rows(&counts) / plan.request.neighbors.steps() as f64;
        drowns(largest, selection.to_f64(), plan.features)
    };
    let mut enough = 4.0;
    while ends(enough) {
        enough *= STEP;
    }
    let error = Error::input(rule)
        .hint(format!(
            "labels are compared as text, upper and lower case included: a look at the table shows them; else it takes \
             more rows or a larger epsilon: with about {} usable {units} in classes of equal size, or half as many at \
             twice the epsilon, 9 of 10 runs go on",
            two_digits(enough)
        ))
        .about([Parameter::Classes, Parameter::Inspect, Parameter::Epsilon]);
    Err(match unspent {
        Some(unspent) => error.leaving(unspent.to_string()),
        None => error,
    })
}

/// Whether a feature of the largest score, in units of the sensitivity, is lost among the noise of
/// so many others.
pub(super) fn drowns(largest: f64, epsilon: f64, features: usize) -> bool {
    epsilon * largest < libm::log(features as f64)
}

impl Error {
    /// The same error of a run that would have spent this in addition.
    pub(super) fn leaving_more(self, epsilon: &Epsilon) -> Self {
        match self.unspent().and_then(|unspent| unspent.parse::<Epsilon>().ok()) {
            Some(unspent) => self.leaving((unspent + epsilon.clone()).to_string()),
            None => self,
        }
    }
}
