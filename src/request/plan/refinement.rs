//! The plan of a refinement: how many features are screened, and its part of the budget.

use crate::error::{Error, Parameter, Result};
use crate::exact::ratio;
use crate::method::gram::{parts, screened};
use crate::privacy::{Budget, Epsilon, Purpose};
use crate::request::fields::{Method, Request};
use crate::request::plan::Scoring;

/// The plan of a refinement.
pub(crate) struct Refinement {
    /// The number of features that are screened.
    pub(crate) screened: usize,
    /// The part of the budget for the medians of the screened columns.
    pub(crate) medians: Epsilon,
    /// The part for the sums of signs.
    pub(crate) signs: Epsilon,
}

impl Refinement {
    /// Claims the parts of a refinement, if the request has one.
    ///
    /// # Errors
    ///
    /// `Request` if the method, the score or the target cannot be refined, or k is too large.
    pub(crate) fn claim(
        request: &Request,
        features: usize,
        scoring: &Scoring,
        budget: &mut Budget,
    ) -> Result<Option<Self>> {
        if request.refine.is_none() {
            return Ok(None);
        }
        let rule = match scoring {
            _ if request.method != Method::Scores => Some("only a selection by scores is refined"),
            Scoring::Coded(coded) if coded.labels().is_none() => None,
            Scoring::Kendall { .. } => Some("a refinement needs the score ks or correlation"),
            Scoring::Paper { .. } => Some("the paper's preprocessing takes no refinement"),
            _ => Some("a refinement takes a numeric target or two classes"),
        };
        if let Some(rule) = rule {
            let about =
                [Parameter::Refine, Parameter::Method, Parameter::Score, Parameter::Classes];
            return Err(Error::request(rule).about(about));
        }
        let screened = screened(request.names.most(features), features)?;
        let [screening, medians] = parts(screened, features);
        let signs = 100 - screening - medians;
        // Each claims a share of the rest of the budget.
        let signs = budget.claim_of_rest(Purpose::Signs, &ratio(signs, 100));
        let medians = ratio(medians, screening + medians);
        let medians = budget.claim_of_rest(Purpose::FeatureMedians, &medians);
        Ok(Some(Self { screened, medians, signs }))
    }
}
