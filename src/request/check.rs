//! Checks of a request that do not need the table.

use std::sync::Arc;

use crate::error::{Error, Parameter, Result};
use crate::mechanism::{Chooses, Sensitivity, check_k};
use crate::method::{MAX_BLOCKS, MAX_PICKS, check_penalty};
use crate::privacy::Neighbors;
use crate::request::fields::{Association, Center, Method, Names, Request, ScoreKind, TwoStage};
use crate::request::plan::Plan;
use crate::table::{Scaling, Schema, UnitTarget};
use crate::threads::available_threads;

/// The largest accepted number of threads, more than any common machine can use.
const MAX_THREADS: usize = 256;

/// The given number of threads, or by default the number of cores.
///
/// # Errors
///
/// `Request` if the given number is 0 or exceeds 256.
pub fn checked_threads(given: Option<usize>) -> Result<usize> {
    match given {
        Some(threads) if !(1..=MAX_THREADS).contains(&threads) => {
            let rule = format!("threads must lie between 1 and {MAX_THREADS}");
            Err(Error::request(rule).about([Parameter::Threads]))
        }
        Some(threads) => Ok(threads),
        None => Ok(available_threads()),
    }
}

/// Checks everything that does not need the table.
///
/// # Errors
///
/// `Request` with the first rule that is broken.
pub(crate) fn check(request: &Request) -> Result<()> {
    if let Some(error) = &request.refused {
        return Err(error.clone());
    }
    // For any number of features: at least k, or one.
    let features = match &request.names {
        Names::Best(0) => return Err(Error::request("k must be at least 1").about([Parameter::K])),
        Names::Best(k) => *k,
        Names::Significant(_) => check_without_k(request).map(|()| 1)?,
    };
    check_method(request)?;
    check_weights(request)?;
    let mechanism = request.mechanism_used();
    let card = mechanism.card();
    check_k(card, features)?;
    if card.chooses == Chooses::AtMost {
        let id = card.id;
        let rule = format!(
            "{id} selects candidates above a level; a selection of k features has no level"
        );
        let error = Error::request(rule).hint("canonical suits it; without k, it is the mechanism");
        return Err(error.about([Parameter::Mechanism]));
    }
    if card.sensitivity == Sensitivity::Own {
        let id = card.id;
        let rule = format!("{id} is for scores with a sensitivity each; features share one");
        let error = Error::request(rule).hint("canonical suits them");
        return Err(error.about([Parameter::Mechanism]));
    }
    checked_threads(request.threads)?;
    request.shares.check(&request.names, request.is_adjusted())?;
    if let Some(sets) = &request.groups {
        sets.checked_sizes()?;
    }
    let kendall = request.score == Some(ScoreKind::Kendall);
    // The values of sets are scaled for any score.
    let scaled = request.scale.is_some() && request.groups.is_none();
    if kendall && (scaled || request.center != Center::Private) {
        return Err(Error::request("Kendall's correlation takes no bounds, scale or center"));
    }
    check_covariates(request)?;
    check_rule_of_people(request)?;
    check_paired(request)?;
    let given = request.score.is_some()
        || request.scale.is_some()
        || request.per_million
        || request.groups.is_some()
        || request.center != Center::Private
        || request.neighbors != Neighbors::AddRemove;
    if request.paper && given {
        return Err(Error::request(
            "the paper's preprocessing takes no score, bounds, scale, sets, center or neighbors",
        ));
    }
    // The plan depends on the table only through the number of features.
    let plan = Plan::new(request, features, Arc::new(Scaling::RowRank))?;
    let has_levels = request.numbers_and.iter().flatten().next().is_some();
    if has_levels && plan.association() != Some(Association::Ks) {
        let rule = "a column with levels is compared by the Kolmogorov-Smirnov score alone";
        let about = [Parameter::Levels, Parameter::Score, Parameter::Method, Parameter::Scaling];
        return Err(Error::request(rule).about(about));
    }
    Ok(())
}

/// Refuses weights where features are not selected by single scores.
fn check_weights(request: &Request) -> Result<()> {
    let (rule, about) = match request {
        _ if request.weights.is_none() => return Ok(()),
        _ if request.method != Method::Scores || request.paper => {
            ("weights are for the selection by scores of single features", Parameter::Method)
        }
        _ if request.refine.is_some() => (
            "a refinement takes no weights: its second stage would not use them",
            Parameter::Refine,
        ),
        _ => return Ok(()),
    };
    Err(Error::request(rule).about([Parameter::Weights, about]))
}

/// Refuses options that need k in a selection of all significant features: its threshold is proven
/// for scores of single features against a target coded by private counts. (People with several
/// rows are refused where the header is known.)
fn check_without_k(request: &Request) -> Result<()> {
    let (rule, about) = match request {
        _ if request.method != Method::Scores || request.paper => {
            ("this method has no significance threshold", Parameter::Method)
        }
        _ if request.score == Some(ScoreKind::Kendall) => {
            ("no significance threshold is proven for Kendall's correlation", Parameter::Score)
        }
        _ if request.is_adjusted() => {
            ("no significance threshold is proven for scores within strata", Parameter::Covariates)
        }
        _ if request.refine.is_some() => {
            ("a refinement needs the number of features", Parameter::Refine)
        }
        _ if request.mechanism.is_some() => (
            "the mechanism is fixed when the number of features is not given",
            Parameter::Mechanism,
        ),
        _ if request.center != Center::Private => (
            "the significance threshold needs the counts released with a private center",
            Parameter::Center,
        ),
        _ if request.groups.is_some() => {
            let rule = "sets of features have no significance threshold: a missing member counts as the middle, and \
                        ranks depend on the other features";
            return Err(Error::request(rule)
                .hint("give k")
                .about([Parameter::Groups, Parameter::K]));
        }
        _ if request.without_threshold().is_some() => {
            let rule = "row ranks and counts per million have no significance threshold: features with an association \
                        shift those without one";
            return Err(Error::request(rule)
                .hint("give bounds, or the score ks without a scaling; or k")
                .about([Parameter::Scaling, Parameter::Bounds, Parameter::K]));
        }
        _ => return Ok(()),
    };
    Err(Error::request(rule).hint("give k").about([about, Parameter::K]))
}

/// Checks that the rule for the target of a person suits the target.
pub(crate) fn check_rule_of_people(request: &Request) -> Result<()> {
    let rule = match (request.people.rule, request.target.labels()) {
        (Some(UnitTarget::Mean), Some(_)) => "classes have no mean",
        (Some(UnitTarget::AnyPositive), Some(labels)) if labels.len() == 2 => {
            return Ok(());
        }
        (Some(UnitTarget::AnyPositive), _) => "any positive row is a rule for two classes",
        _ => return Ok(()),
    };
    Err(Error::request(rule).about([Parameter::UnitTarget, Parameter::Classes]))
}

/// Checks that a table has people, if a rule for their targets is given.
pub(crate) fn check_people(request: &Request, schema: &Schema) -> Result<()> {
    if request.is_paired() && !schema.has_people() {
        let rule = "the paired score compares the rows of each person: give the column that identifies people";
        return Err(Error::request(rule).about([Parameter::Unit, Parameter::Score]));
    }
    if request.people.rule.is_none() || schema.has_people() {
        return Ok(());
    }
    let rule = "a rule for the target of a person needs the column of person identifiers";
    Err(Error::request(rule).about([Parameter::UnitTarget, Parameter::Unit]))
}

/// Refuses the options that the paired score excludes, and targets without a sign for it.
fn check_paired(request: &Request) -> Result<()> {
    if !request.is_paired() {
        return Ok(());
    }
    let refuse =
        |rule: &str, about: Parameter| Err(Error::request(rule).about([Parameter::Score, about]));
    if request.target.labels().is_none_or(|labels| labels.len() != 2) {
        let rule = "the paired score compares two classes: give their labels, the first one first";
        return refuse(rule, Parameter::Classes);
    }
    if request.people.rule.is_some() {
        let rule = "in the paired score rows keep their own classes: it takes no rule for the target of a person";
        return refuse(rule, Parameter::UnitTarget);
    }
    if request.is_adjusted() {
        return refuse(
            "the paired score takes no covariates: a person is compared with itself",
            Parameter::Covariates,
        );
    }
    if request.scale.is_some() && request.groups.is_none() {
        return refuse(
            "the paired score compares values as they are: it takes no bounds or scale",
            Parameter::Bounds,
        );
    }
    if request.center != Center::Private {
        return refuse("the paired score has no center", Parameter::Center);
    }
    if request.refine.is_some() {
        return refuse("a refinement is by correlations, which are not paired", Parameter::Refine);
    }
    Ok(())
}

/// Refuses the options that covariates exclude.
fn check_covariates(request: &Request) -> Result<()> {
    if !request.is_adjusted() {
        return Ok(());
    }
    let refuse = |rule: &str| Err(Error::request(rule).about([Parameter::Covariates]));
    if request.method != Method::Scores
        || request.paper
        || request.score == Some(ScoreKind::Kendall)
    {
        return refuse("covariates adjust scores by a centered target: ks and correlation");
    }
    if request.target.labels().is_some_and(|labels| labels.len() > 2) {
        return refuse("covariates adjust a target coded as one number: a number, or two classes");
    }
    if request.neighbors == Neighbors::ReplaceOne {
        let rule = "with covariates rows are added or removed: one that is replaced may change its stratum";
        return Err(Error::request(rule).about([Parameter::Covariates, Parameter::Neighbors]));
    }
    if request.center != Center::Private {
        let rule = "with covariates the center of each stratum is private: none is given";
        return Err(Error::request(rule).about([Parameter::Covariates, Parameter::Center]));
    }
    Ok(())
}

/// Checks the options that the method excludes or requires.
fn check_method(request: &Request) -> Result<()> {
    let scored = request.score.is_some() || request.center != Center::Private;
    match request.method {
        Method::Scores => Ok(()),
        Method::TwoStage(TwoStage { blocks, penalty }) => {
            if !cfg!(feature = "methods") {
                let error = Error::request("this build has no two-stage method");
                return Err(error.about([Parameter::BuildFeature("methods")]));
            }
            check_penalty(penalty)?;
            if scored {
                return Err(Error::request("the two-stage method takes no score and no center"));
            }
            if blocks.is_some_and(|blocks| !(1..=MAX_BLOCKS).contains(&blocks)) {
                let rule = format!("the number of blocks must lie between 1 and {MAX_BLOCKS}");
                return Err(Error::request(rule).about([Parameter::Blocks]));
            }
            Ok(())
        }
        Method::DpKendall => {
            let scaled = request.scale.is_some() && request.groups.is_none();
            if scored || scaled || request.paper || request.mechanism.is_some() {
                return Err(Error::request(
                    "DPKendall takes no score, bounds, scale, center or mechanism",
                ));
            }
            if request.names.most(usize::MAX) > MAX_PICKS {
                let rule = format!("DPKendall picks at most {MAX_PICKS}");
                return Err(Error::request(rule).about([Parameter::K]));
            }
            Ok(())
        }
    }
}
