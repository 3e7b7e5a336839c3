//! The construction of a plan: its private draws, and each draw's part of the budget.

use std::sync::Arc;

use num_rational::BigRational;

use crate::error::{Error, Parameter, Result};
use crate::privacy::{Budget, Epsilon, Neighbors, Purpose};
use crate::request::fields::{
    Center, CheckedShares, Method, Request, Scale, ScoreKind, Target, TwoStage,
};
use crate::request::plan::public_center::public_center;
use crate::request::plan::used::{CenterUsed, ScaleUsed};
use crate::request::plan::{
    BlockTarget, CodedAs, CodedScoring, Coding, PlannedBlocks, PlannedCenter, Scoring, Voting,
};
use crate::table::{Labels, Scaling, TargetCode};

/// A plan under construction: each private draw claims its part of the budget in turn.
pub(super) struct PlanDraft<'a> {
    pub(super) budget: Budget,
    request: &'a Request,
}

impl<'a> PlanDraft<'a> {
    /// The draft of a request with its whole budget.
    pub(super) fn new(request: &'a Request, epsilon: Epsilon) -> Self {
        Self { budget: Budget::new(epsilon), request }
    }

    /// Claims the parts of the scoring's draws.
    pub(super) fn scoring(&mut self) -> Result<Scoring> {
        let request = self.request;
        let labels = request.target.checked_labels()?;
        Ok(match request.method {
            Method::DpKendall => Scoring::DpKendall { labels },
            Method::TwoStage(two_stage) => {
                Scoring::TwoStage(Arc::new(self.voting(two_stage, labels)?))
            }
            Method::Scores if request.score == Some(ScoreKind::Kendall) => {
                Scoring::Kendall { labels }
            }
            Method::Scores if request.paper => Scoring::Paper { labels },
            Method::Scores => {
                let target = match labels {
                    Some(labels) if labels.as_slice().len() > 2 => CodedAs::Classes(labels),
                    labels => CodedAs::Number(self.coding(labels)?),
                };
                let center = self.center(&target)?;
                let association = request.association();
                Scoring::Coded(Arc::new(CodedScoring { association, target, center }))
            }
        })
    }

    /// The parts of effect sizes and directions. Both depend on a private center and the counts
    /// released with it: without those, nothing is claimed.
    pub(super) fn estimates(
        &mut self,
        scoring: &Scoring,
    ) -> Result<(Option<Epsilon>, Option<Epsilon>)> {
        let shares = self.shares()?;
        let given = self.request.shares.estimates.is_some();
        if given && shares.estimates.is_some() && self.request.is_adjusted() {
            let rule =
                "with covariates no effect sizes are released: their share is 0 or not given";
            return Err(Error::request(rule).about([Parameter::Shares, Parameter::Covariates]));
        }
        let (counted, directed) = match scoring {
            // Releases about strata have no proof yet.
            _ if self.request.is_adjusted() => (false, false),
            Scoring::Coded(coded) if coded.counts_units() => (true, coded.labels().is_none()),
            _ => (false, false),
        };
        let mut claim = |purpose, share: Option<BigRational>, applies: bool| {
            share.filter(|_| applies).map(|share| self.budget.claim(purpose, &share))
        };
        if shares.direction.is_some() && !directed {
            return Err(Error::request(
                "directions need one private center of a target that is coded as one number",
            )
            .about([Parameter::Direction]));
        }
        Ok((
            claim(Purpose::Estimates, shares.estimates, counted),
            claim(Purpose::Direction, shares.direction, directed),
        ))
    }

    fn shares(&self) -> Result<CheckedShares> {
        self.request.shares.check(&self.request.names, self.request.is_adjusted())
    }

    fn voting(&mut self, two_stage: TwoStage, labels: Option<Labels>) -> Result<Voting> {
        let paper = self.request.paper;
        let target = match paper {
            true => BlockTarget::Paper { labels },
            false => BlockTarget::Coded(self.coding(labels)?),
        };
        let blocks = match (two_stage.blocks, self.request.neighbors) {
            (Some(blocks), _) => PlannedBlocks::Given(blocks),
            _ if paper => PlannedBlocks::ByPublicRows,
            (None, Neighbors::ReplaceOne) => PlannedBlocks::ByPublicRows,
            (None, Neighbors::AddRemove) => {
                let share = self.shares()?.center;
                self.budget.claim(Purpose::Rows, &share);
                PlannedBlocks::Private
            }
        };
        Ok(Voting { target, blocks, penalty: two_stage.penalty })
    }

    fn coding(&mut self, labels: Option<Labels>) -> Result<Coding> {
        Ok(match (labels, &self.request.target) {
            (Some(labels), _) => Coding::Given(TargetCode::Classes(labels)),
            (_, Target::Bounded(bounds)) => Coding::Given(TargetCode::Bounded(*bounds)),
            _ => {
                let share = self.shares()?.target;
                self.budget.claim(Purpose::TargetMedian, &share);
                Coding::MedianSplit
            }
        })
    }

    /// Claims the part of a private center; maps any other center to the grid.
    fn center(&mut self, target: &CodedAs) -> Result<PlannedCenter> {
        match &self.request.center {
            Center::Private if self.request.is_paired() => {
                let share = self.shares()?.center;
                self.budget.claim(Purpose::Rows, &share);
                Ok(PlannedCenter::OfPairs)
            }
            Center::Private => {
                let share = self.shares()?.center;
                self.budget.claim(Purpose::TargetCenter, &share);
                Ok(PlannedCenter::Private)
            }
            given => public_center(target, given).map(PlannedCenter::Public),
        }
    }
}

/// The scaling of a plan with this scoring.
pub(super) fn scale_used(request: &Request, scoring: &Scoring, scaling: &Scaling) -> ScaleUsed {
    match scoring {
        Scoring::Coded(coded) if coded.association.is_unscaled() => ScaleUsed::None,
        Scoring::Kendall { .. } => ScaleUsed::None,
        Scoring::Paper { .. } => ScaleUsed::Paper,
        Scoring::TwoStage(_) if request.paper => ScaleUsed::Paper,
        Scoring::DpKendall { .. } => ScaleUsed::None,
        _ => scale_given(request, scaling),
    }
}

/// The scaling that a request sets, or its default.
pub(super) fn scale_given(request: &Request, scaling: &Scaling) -> ScaleUsed {
    match scaling {
        Scaling::Bounds(_) => ScaleUsed::Bounds,
        Scaling::BoundsByFeature(_) if matches!(request.scale, Some(Scale::BoundsFile(_))) => {
            ScaleUsed::BoundsFile
        }
        Scaling::BoundsByFeature(_) => ScaleUsed::BoundsByFeature,
        Scaling::RowRank => ScaleUsed::RowRank,
    }
}

/// The source of the target's center.
pub(super) fn center_used(request: &Request, scoring: &Scoring) -> CenterUsed {
    match (scoring, &request.center) {
        (Scoring::Kendall { .. }, _) => CenterUsed::None,
        (Scoring::Paper { .. }, _) => CenterUsed::Paper,
        (Scoring::TwoStage(_) | Scoring::DpKendall { .. }, _) => CenterUsed::None,
        (_, Center::Private) if request.is_paired() => CenterUsed::None,
        (_, Center::Private) => CenterUsed::Private,
        (_, Center::None) => CenterUsed::None,
        (_, Center::Given(_) | Center::Shares(_)) => CenterUsed::Given,
    }
}
