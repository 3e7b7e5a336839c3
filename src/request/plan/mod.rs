//! The plan of a run: everything determined by a request and a header, resolved once.
//!
//! A plan alternates passes over the table and private releases: if needed, a pass for the ranks
//! and the private median of the target; then a pass that gathers sums, rows or columns; then the
//! center, the scores and the selection. Runs, dry runs and simulations follow the same plan.

mod choice;
mod concentrated;
mod draft;
mod fwer;
mod public_center;
mod refinement;
mod used;

use std::borrow::Cow;
use std::sync::Arc;

use crate::account::Event;
use crate::error::{Error, Parameter, Result};
use crate::estimate::{EffectNoise, Family};
use crate::mechanism::{Calibrated, Mechanism, calibrate};
use crate::privacy::{Delta, Epsilon, Purpose, Spending};
use crate::request::fields::{Association, Method, Names, Request};
use crate::request::reach::Reach;
use crate::request::weights::FeatureWeights;
use crate::table::{Grouping, Labels, Scaling, Schema, TargetCode};

pub(crate) use choice::{Choice, ChosenBy, ChosenMechanism, Known};
pub(crate) use concentrated::Concentrated;
use draft::{PlanDraft, center_used, scale_given, scale_used};
pub(crate) use fwer::FwerControl;
pub(crate) use refinement::Refinement;
pub use used::{CenterUsed, FalseDiscoveryBound, ScaleUsed};

/// Everything that a run needs and its record contains.
pub(crate) struct Plan {
    /// The number of features to select; an upper limit if all significant features are selected.
    pub(crate) k: usize,
    /// The bound on false discoveries, if all significant features are selected.
    pub(crate) fwer: Option<FwerControl>,
    /// The number of features.
    pub(crate) features: usize,
    /// The request as given, after its checks.
    pub(crate) request: Request,
    /// The number of strata.
    pub(crate) strata: usize,
    pub(crate) scoring: Scoring,
    /// How values are mapped to the grid, if the scoring does so.
    pub(crate) scaling: Arc<Scaling>,
    pub(crate) scale: ScaleUsed,
    /// The feature sets that are used as features, with the scaling of their members' values.
    pub(crate) groups: Option<(Arc<Grouping>, ScaleUsed)>,
    pub(crate) center: CenterUsed,
    /// The public weights of the features, if there are any.
    pub(crate) weights: Option<FeatureWeights>,
    /// How the mechanism is found.
    pub(crate) choice: Choice,
    /// The second stage, if there is one.
    pub(crate) refinement: Option<Refinement>,
    /// The total budget.
    pub(crate) epsilon: Epsilon,
    /// The noise of the selection, by its part of the budget and the delta it spends.
    pub(crate) calibrated: Calibrated,
    /// The noise of the effect sizes of the picks, if they are released, unless the picks are
    /// released with another noise.
    pub(crate) estimates: Option<EffectNoise>,
    /// The selection and the effect sizes, if they may spend a delta together.
    pub(crate) concentrated: Option<Concentrated>,
    /// The part for the directions of the picks, if they are released.
    pub(crate) direction: Option<Epsilon>,
    /// All parts of the budget.
    pub(crate) spent: Vec<Spending>,
    /// The same parts as privacy events.
    pub(crate) events: Vec<Event>,
}

/// How features are scored.
pub(crate) enum Scoring {
    /// Association with a coded target.
    Coded(Arc<CodedScoring>),
    /// Kendall's correlation.
    Kendall { labels: Option<Labels> },
    /// Correlation after scaling by the data: not private.
    Paper { labels: Option<Labels> },
    /// Votes of the LASSO fitted on blocks of rows.
    TwoStage(Arc<Voting>),
    /// Kendall's correlation, discounted by the correlation with earlier picks.
    DpKendall { labels: Option<Labels> },
}

/// Scores by the association with a coded and centered target.
pub(crate) struct CodedScoring {
    pub(crate) association: Association,
    pub(crate) target: CodedAs,
    pub(crate) center: PlannedCenter,
}

/// The coding of a target.
pub(crate) enum CodedAs {
    /// One number.
    Number(Coding),
    /// One of three or more classes.
    Classes(Labels),
}

impl Scoring {
    /// The scoring by the association with a coded target, if it is one.
    pub(crate) fn coded(&self) -> Option<&Arc<CodedScoring>> {
        match self {
            Self::Coded(coded) => Some(coded),
            _ => None,
        }
    }

    /// The center on the grid, or that of each class, if it is public.
    pub(crate) fn public_center(&self) -> Option<&[i32]> {
        match &self.coded()?.center {
            PlannedCenter::Public(center) => Some(center),
            PlannedCenter::Private | PlannedCenter::OfPairs => None,
        }
    }

    /// The rule by which counts of rows limit scores, if scores are by classes or sides.
    pub(crate) fn reach(&self) -> Option<Reach> {
        let coded = self.coded()?;
        let by_class = coded.labels().is_some() && coded.association == Association::Correlation;
        Some(Reach { one_against_rest: by_class })
    }

    /// The number of classes, or of sides of a split.
    pub(crate) fn classes(&self) -> usize {
        let labels = self.coded().and_then(|coded| coded.labels());
        labels.map_or(2, |labels| labels.as_slice().len())
    }
}

impl CodedScoring {
    /// The labels of three or more classes.
    pub(crate) fn labels(&self) -> Option<&Labels> {
        match &self.target {
            CodedAs::Classes(labels) => Some(labels),
            CodedAs::Number(_) => None,
        }
    }

    /// The coding as one number, if the target has one: by `median`, if it is split.
    pub(crate) fn code(&self, median: Option<f64>) -> Option<Cow<'_, TargetCode>> {
        match &self.target {
            CodedAs::Number(Coding::Given(code)) => Some(Cow::Borrowed(code)),
            CodedAs::Number(Coding::MedianSplit) => {
                median.map(|median| Cow::Owned(TargetCode::SplitAt(median)))
            }
            CodedAs::Classes(_) => None,
        }
    }

    /// Whether counts of units are released before the scores.
    pub(crate) fn counts_units(&self) -> bool {
        matches!(self.center, PlannedCenter::Private | PlannedCenter::OfPairs)
    }

    /// Whether the target is clipped to a given range.
    pub(crate) fn is_graded(&self) -> bool {
        matches!(self.target, CodedAs::Number(Coding::Given(TargetCode::Bounded(_))))
    }
}

/// The coding of a target as one number.
pub(crate) enum Coding {
    /// A split at a private median.
    MedianSplit,
    Given(TargetCode),
}

/// The center of the target on the grid.
#[derive(Debug, PartialEq)]
pub(crate) enum PlannedCenter {
    /// To be estimated.
    Private,
    /// The center of the number, or of each class.
    Public(Vec<i32>),
    /// No center: the number of pairs is estimated.
    OfPairs,
}

/// How blocks of rows vote.
pub(crate) struct Voting {
    pub(crate) target: BlockTarget,
    pub(crate) blocks: PlannedBlocks,
    /// The penalty of the LASSO.
    pub(crate) penalty: f64,
}

/// The target of the regressions on blocks.
pub(crate) enum BlockTarget {
    Coded(Coding),
    /// Scaled by the data, like the features: not private.
    Paper {
        labels: Option<Labels>,
    },
}

/// The source of the number of blocks.
pub(crate) enum PlannedBlocks {
    Given(u64),
    /// By a private count of rows.
    Private,
    ByPublicRows,
}

impl Plan {
    /// The plan for a table with this number of features and this scaling.
    ///
    /// # Errors
    ///
    /// `Request` if no epsilon is given, or labels, center, penalty or delta are wrong.
    pub(crate) fn new(request: &Request, features: usize, scaling: Arc<Scaling>) -> Result<Self> {
        let epsilon = Epsilon::given(request.epsilon.clone())?;
        let mut draft = PlanDraft::new(request, epsilon.clone());
        let scoring = draft.scoring()?;
        let (estimates, direction) = draft.estimates(&scoring)?;
        if matches!(request.names, Names::Significant(_)) && estimates.is_none() {
            let rule =
                "significant features are named by their effect sizes: their share is above 0";
            return Err(Error::request(rule).about([Parameter::Shares]));
        }
        let refinement = Refinement::claim(request, features, &scoring, &mut draft.budget)?;
        let fwer = match &request.names {
            Names::Significant(given) => Some(FwerControl::new(given)?),
            Names::Best(_) => None,
        };
        let k = request.names.most(features);
        let picks = refinement.as_ref().map_or(k, |refinement| refinement.screened);
        let delta = Delta::given(request.delta.clone())?;
        if !delta.is_zero() && request.method != Method::Scores {
            let rule = "a delta is for the selection by scores";
            return Err(Error::request(rule).about([Parameter::Method, Parameter::Delta]));
        }
        let by_counts = request.mechanism.is_none()
            && request.method == Method::Scores
            && refinement.is_none()
            && !request.is_adjusted()
            && delta.is_zero()
            && scoring.coded().is_some_and(|coded| coded.counts_units());
        let reach = scoring.reach().filter(|_| by_counts && fwer.is_none());
        if reach.is_some() && Choice::is_drawn(k, features) {
            draft.budget.claim_of_rest(Purpose::Mechanism, &Choice::share_of_draw());
        }
        let (selection, spent) = draft.budget.claim_rest(Purpose::Selection);
        let choice = match (&fwer, reach) {
            (Some(_), _) => Choice::of_number(),
            (None, Some(reach)) => Choice::of(k, features, reach, request.neighbors, &selection),
            (None, None) => Choice::Given(request.mechanism_used()),
        };
        let (calibrated, event) = match (&choice, request.method) {
            (Choice::Given(mechanism), method) => {
                let calibrated = calibrate(mechanism.card(), picks, &selection, &delta)?;
                let event = match method {
                    Method::Scores => mechanism.card().event(picks, &calibrated.noise)?,
                    Method::TwoStage(_) | Method::DpKendall => {
                        Event::pure(calibrated.noise.clone())
                    }
                };
                (calibrated, event)
            }
            // A run decides between the two; both are pure.
            _ => (Calibrated::pure(&selection), Event::pure(selection.clone())),
        };
        let (scale, center) =
            (scale_used(request, &scoring, &scaling), center_used(request, &scoring));
        let spends_delta = fwer.is_some() && !delta.is_zero();
        let plan = Self {
            k,
            fwer,
            features,
            request: request.clone(),
            strata: request.strata()?,
            scoring,
            scaling,
            scale,
            groups: None,
            center,
            weights: request.weights.as_ref().map(|weights| weights.of_number(features)),
            choice,
            refinement,
            epsilon,
            calibrated,
            estimates: estimates.map(EffectNoise::Pure),
            concentrated: None,
            direction,
            events: events(&spent, &event),
            spent,
        };
        match spends_delta {
            true => plan.concentrated(&delta),
            false => Ok(plan),
        }
    }

    /// The plan of a selection without k that spends a delta, if that is better: the number of
    /// features has its own part of epsilon; selection and effect sizes share the rest.
    fn concentrated(mut self, delta: &Delta) -> Result<Self> {
        if self.request.shares.estimates.is_some() {
            let rule = "with a delta and without k, selection and effect sizes share one part of the budget: leave out the share of the effect sizes";
            return Err(Error::request(rule).about([Parameter::Shares, Parameter::Delta]));
        }
        let [selection, estimates] =
            [Purpose::Selection, Purpose::Estimates].map(|of| self.part(of));
        let [selection, estimates] = [selection?.clone(), estimates?.clone()];
        // A delta that is too small for the epsilon does not help either.
        let concentrated = Concentrated::new([&selection, &estimates], delta).ok();
        let Some(concentrated) = concentrated.filter(|one| one.is_better(self.k)) else {
            self.calibrated.is_unspent = true;
            return Ok(self);
        };
        let whole = selection + estimates;
        self.calibrated.delta = delta.clone();
        self.spent.retain(|part| !matches!(part.purpose, Purpose::Selection | Purpose::Estimates));
        self.spent.push(Spending { purpose: Purpose::Findings, epsilon: whole.clone() });
        self.spent.sort_by_key(|part| part.purpose);
        self.events = events(&self.spent, &Event::approximate(whole, delta.clone()));
        self.concentrated = Some(concentrated);
        Ok(self)
    }

    /// Whether rows of a table contribute differently to scores; scores are then computed from
    /// columns.
    pub(crate) fn has_roles(&self, schema: &Schema) -> bool {
        schema.has_people() || self.request.is_adjusted()
    }

    /// The association of columns with a coded target, if that is the score.
    pub(crate) fn association(&self) -> Option<Association> {
        self.scoring.coded().map(|coded| coded.association)
    }

    /// Whether scores use a private center shrunk by its noise: families of thresholds contain the
    /// constants, whose scores an error of the center raises; but the significance threshold is at
    /// the center itself.
    pub(crate) fn shrinks_center(&self) -> bool {
        self.fwer.is_none() && self.association() != Some(Association::Correlation)
    }

    /// The part of the budget for the counts that are released before the scores.
    ///
    /// # Errors
    ///
    /// `Request` if the plan has no such part.
    pub(crate) fn counting(&self) -> Result<&Epsilon> {
        self.part(Purpose::TargetCenter).or_else(|_| self.part(Purpose::Rows))
    }

    /// The part of the budget for one purpose.
    ///
    /// # Errors
    ///
    /// `Request` if the plan has no such part.
    pub(crate) fn part(&self, purpose: Purpose) -> Result<&Epsilon> {
        let part = self.spent.iter().find(|part| part.purpose == purpose);
        part.map(|part| &part.epsilon)
            .ok_or_else(|| Error::request("the budget has no part for this release"))
    }

    /// The functions of a column over which its score takes the maximum, for the significance test.
    pub(crate) fn family(&self) -> Family {
        match self.association() {
            Some(Association::Correlation) => Family::Sums,
            Some(Association::Paired) => Family::Signs,
            _ => Family::AnyFunction,
        }
    }

    /// The same plan with another budget.
    ///
    /// # Errors
    ///
    /// `Request` if it is too small for its parts.
    pub(crate) fn at_epsilon(&self, epsilon: &Epsilon) -> Result<Self> {
        self.with(|request| request.epsilon = Some(epsilon.clone().into()))
    }

    /// The same plan for a request that differs in its budget or the shares of it.
    ///
    /// # Errors
    ///
    /// `Request` if the budget is too small for its parts.
    pub(crate) fn with(&self, change: impl FnOnce(&mut Request)) -> Result<Self> {
        let mut request = self.request.clone();
        change(&mut request);
        let plan = Self::new(&request, self.features, self.scaling.clone())?;
        let (groups, weights) = (self.groups.clone(), self.weights.clone());
        Ok(Self { groups, weights, scale: self.scale, ..plan })
    }

    /// The plan for these sets of features, with their number and scaling.
    pub(crate) fn of_sets(self, grouping: Arc<Grouping>) -> Self {
        let scale = scale_given(&self.request, &self.scaling);
        let scaling = Arc::new(Grouping::of_means());
        Self { scaling, groups: Some((grouping, scale)), ..self }
    }

    /// The plan with the weights of these features.
    ///
    /// # Errors
    ///
    /// `Request` if none of them has a weight above 0.
    pub(crate) fn weighted(self, schema: &Schema) -> Result<Self> {
        let weights = self.request.weights.as_ref();
        let weights = weights.map(|weights| weights.of_features(schema)).transpose()?;
        Ok(Self { weights, ..self })
    }

    /// The number of features to select, if k is given.
    pub(crate) fn given_k(&self) -> Option<usize> {
        self.fwer.is_none().then_some(self.k)
    }

    /// The number of features that the mechanism picks: k, or more, if they are refined.
    pub(crate) fn picks(&self) -> usize {
        self.refinement.as_ref().map_or(self.k, |refinement| refinement.screened)
    }

    /// Whether each row is scaled on its own.
    pub(crate) fn scales_rows(&self) -> bool {
        match &self.scoring {
            Scoring::Coded(coded) => !coded.association.is_unscaled(),
            Scoring::Kendall { .. } | Scoring::Paper { .. } => false,
            Scoring::TwoStage(voting) => matches!(voting.target, BlockTarget::Coded(_)),
            Scoring::DpKendall { .. } => false,
        }
    }

    /// The budget of the target's private median, if the target is split there.
    pub(crate) fn median(&self) -> Option<&Epsilon> {
        self.part(Purpose::TargetMedian).ok()
    }

    /// The same, if the sums depend on the median, so that a second pass can use it.
    pub(crate) fn median_between_passes(&self) -> Option<&Epsilon> {
        let has_sums = self.association().is_some_and(|by| !by.is_unscaled());
        self.median().filter(|_| has_sums)
    }

    /// The part of the budget for the selection; if it may spend a delta together with the effect
    /// sizes, the part of a purely private selection.
    pub(crate) fn selection(&self) -> &Epsilon {
        self.part(Purpose::Selection).unwrap_or(&self.calibrated.noise)
    }

    /// If a delta is spent, the epsilon of the whole run without it, if it has one.
    pub(crate) fn pure_epsilon(&self) -> Option<Epsilon> {
        if self.concentrated.is_some() {
            return None;
        }
        let others = self.spent.iter().filter(|part| part.purpose != Purpose::Selection);
        let others = others.map(|part| part.epsilon.clone());
        let Calibrated { noise, delta, .. } = &self.calibrated;
        (!delta.is_zero()).then(|| others.fold(noise.clone(), |sum, part| sum + part))
    }

    /// The number of votes by which features must differ to be distinguished.
    pub(crate) fn votes_needed(&self) -> f64 {
        self.gap(&*self.choice.chosen(Known::default()).mechanism)
    }

    /// The typical largest noise of a mechanism in units of the sensitivity.
    pub(crate) fn gap(&self, mechanism: &dyn Mechanism) -> f64 {
        mechanism.gap(self.features, self.picks(), &self.calibrated.noise)
    }
}

/// One event per part of a budget: the given one for the selection, pure ones for all others.
fn events(spent: &[Spending], selection: &Event) -> Vec<Event> {
    let event = |part: &Spending| match part.purpose {
        Purpose::Selection | Purpose::Findings => selection.clone(),
        _ => Event::pure(part.epsilon.clone()),
    };
    spent.iter().map(event).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Select;
    use crate::request::fields::{Center, ScoreKind, Target};
    use crate::table::Bounds;

    fn select() -> Select {
        Select::new(3).epsilon("2")
    }

    fn planned(select: Select, features: usize) -> Result<Plan> {
        select.check_ref()?;
        Plan::new(&select.into_request(), features, Arc::new(Scaling::RowRank))
    }

    fn classes(labels: &[&str]) -> Target {
        Target::Classes(labels.iter().map(|label| label.to_string()).collect())
    }

    fn spent(select: &Select) -> Vec<(Purpose, String)> {
        let plan = planned(select.clone(), 9).unwrap();
        plan.spent.into_iter().map(|part| (part.purpose, part.epsilon.to_string())).collect()
    }

    #[test]
    fn only_draws_that_happen_are_charged() {
        use Purpose::{Direction, Estimates, Selection, TargetCenter, TargetMedian};
        let bounded = Target::Bounded(Bounds::new(0.0, 1.0).unwrap());
        let parts = |parts: &[(Purpose, &str)]| -> Vec<(Purpose, String)> {
            parts.iter().map(|(purpose, text)| (*purpose, text.to_string())).collect()
        };
        assert_eq!(
            spent(&select()),
            parts(&[
                (TargetMedian, "0.2"),
                (TargetCenter, "0.15"),
                (Selection, "1.25"),
                (Estimates, "0.4")
            ])
        );
        assert_eq!(
            spent(&select().target(classes(&["a", "b"])).estimates(0).direction("0.25")),
            parts(&[(TargetCenter, "0.15"), (Selection, "1.35"), (Direction, "0.5")])
        );
        assert_eq!(
            spent(&select().target(classes(&["a", "b", "c"]))),
            parts(&[(TargetCenter, "0.15"), (Selection, "1.45"), (Estimates, "0.4")])
        );
        assert_eq!(spent(&select().score(ScoreKind::Kendall)), parts(&[(Selection, "2")]));
        assert_eq!(
            spent(&select().center(Center::None)),
            parts(&[(TargetMedian, "0.2"), (Selection, "1.8")])
        );
        assert_eq!(
            spent(&select().target(bounded.clone())),
            parts(&[(TargetCenter, "0.15"), (Selection, "1.45"), (Estimates, "0.4")])
        );
        assert_eq!(
            spent(&select().target(bounded).center(Center::Given(0.5))),
            parts(&[(Selection, "2")])
        );
    }

    #[test]
    fn association_follows_from_the_request() {
        let association = |select| match planned(select, 9).unwrap().scoring {
            Scoring::Coded(coded) => Some(coded.association),
            _ => None,
        };
        let three = || select().target(classes(&["a", "b", "c"]));
        let ranks = |select: Select| select.scaling(Scaling::RowRank);
        for (select, expected) in [
            (select(), Some(Association::Ks)),
            (three(), Some(Association::Ks)),
            (select().center(Center::None), Some(Association::Ks)),
            (select().score(ScoreKind::Ks), Some(Association::Ks)),
            (select().bounds(0.0, 1.0), Some(Association::Correlation)),
            (ranks(three()), Some(Association::Correlation)),
            (select().score(ScoreKind::Correlation), Some(Association::Correlation)),
            (select().bounds(0.0, 1.0).score(ScoreKind::Ks), Some(Association::KsOnBins)),
            (ranks(three()).score(ScoreKind::Ks), Some(Association::KsOnBins)),
            (select().score(ScoreKind::Kendall), None),
        ] {
            assert_eq!(association(select), expected);
        }
    }

    #[test]
    fn shares_of_the_budget_can_be_given() {
        let given = spent(&select().shares("1/4", "0.125"));
        let parts: Vec<&str> = given.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(parts, ["0.5", "0.25", "0.85", "0.4"]);
        for (target, center) in [("0", "0.1"), ("0.5", "0.5"), ("x", "0.1"), ("-1", "0.1")] {
            assert!(select().shares(target, center).check().is_err());
        }
        for share in ["0.85", "1e-7", "-1", "x"] {
            assert!(select().estimates(share).check().is_err(), "{share}");
            assert!(select().direction(share).estimates(0).check().is_err(), "{share}");
        }
        assert!(select().direction("0").check().is_err());
    }

    #[test]
    fn given_centers_reach_the_grid() {
        let centers = |target: Target, center: Center| {
            let plan = planned(select().target(target).center(center), 9).unwrap();
            plan.scoring.public_center().unwrap().to_vec()
        };
        let bounded = Target::Bounded(Bounds::new(0.0, 4.0).unwrap());
        assert_eq!(centers(bounded, Center::Given(1.0)), [-16384]);
        assert_eq!(centers(classes(&["a", "b"]), Center::Given(0.25)), [-16384]);
        let shares = [("c", 0.0), ("a", 1.0), ("b", 0.0)].map(|(l, s)| (l.to_owned(), s));
        let three = classes(&["a", "b", "c"]);
        assert_eq!(centers(three.clone(), Center::Shares(shares.into())), [32767, 0, 0]);
        assert_eq!(centers(three, Center::None), [0, 0, 0]);
        assert_eq!(centers(Target::Numeric, Center::None), [0]);
    }

    #[test]
    fn wrong_requests_are_refused() {
        let bounded = Target::Bounded(Bounds::new(0.0, 4.0).unwrap());
        let shares = |shares: &[(&str, f64)]| {
            Center::Shares(shares.iter().map(|(l, s)| (l.to_string(), *s)).collect())
        };
        for wrong in [
            Select::new(3),
            Select::new(0).epsilon("1"),
            select().bounds(1.0, 0.0),
            select().bounds(f64::NAN, 1.0),
            select().bounds(0.0, f64::NAN).scaling(Scaling::RowRank),
            select().threads(0),
            select().threads(usize::MAX),
            select().score(ScoreKind::Kendall).scaling(Scaling::RowRank),
            select().score(ScoreKind::Kendall).center(Center::None),
            select().score(ScoreKind::Kendall).direction("0.1"),
            select().target(classes(&["a", "b", "c"])).direction("0.1"),
            select().center(Center::None).direction("0.1"),
            select().target(classes(&["a"])),
            select().target(classes(&["a", "a"])),
            select().center(Center::Given(0.0)),
            select().target(bounded.clone()).center(Center::Given(4.1)),
            select().target(bounded.clone()).center(Center::Given(f64::NAN)),
            select().target(bounded).center(shares(&[("a", 1.0)])),
            select().target(classes(&["a", "b"])).center(Center::Given(1.5)),
            select().target(classes(&["a", "b"])).center(shares(&[("a", 0.5), ("b", 0.5)])),
            select().target(classes(&["a", "b", "c"])).center(Center::Given(0.5)),
            select().target(classes(&["a", "b", "c"])).center(shares(&[("a", 0.5), ("b", 0.5)])),
            select().target(classes(&["a", "b", "c"])).center(shares(&[
                ("a", 0.5),
                ("b", 0.5),
                ("x", 0.0),
            ])),
            select().target(classes(&["a", "b", "c"])).center(shares(&[
                ("a", 0.5),
                ("b", 0.5),
                ("c", 0.5),
            ])),
        ] {
            assert!(wrong.check().is_err());
        }
        assert!(select().scaling(Scaling::RowRank).paper_preprocessing().check().is_err());
        assert!(select().counts_per_million().paper_preprocessing().check().is_err());
    }
}
