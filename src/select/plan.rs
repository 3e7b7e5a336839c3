//! The checks that need no data, and the plan: what is drawn, and what each draw may spend.

use crate::data::{Bounds, Labels, Opening, TargetCode};
use crate::error::{Error, Result};
use crate::exact::GRID;
use crate::mechanism::{Sensitivity, check_k};
#[cfg(feature = "methods")]
use crate::method::{Lasso, MOST_BLOCKS, MOST_PICKS};
use crate::privacy::{Budget, Epsilon, Neighbors, Purpose, Spending};
#[cfg(feature = "methods")]
use crate::select::TwoStage;
use crate::select::request::Request;
use crate::select::{Center, Method, ScoreKind, Target};

/// More threads than any machine makes use of.
const MAX_THREADS: usize = 256;

/// As many threads as are stated, or as the machine has cores.
///
/// # Errors
///
/// `Request` if more are stated than any machine makes use of, or none.
pub fn checked_threads(stated: Option<usize>) -> Result<usize> {
    match stated {
        Some(threads) if !(1..=MAX_THREADS).contains(&threads) => {
            Err(Error::request(format!("threads must lie between 1 and {MAX_THREADS}")))
        }
        stated => Ok(stated.unwrap_or_else(all_cores)),
    }
}

fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Below this many features columns are more often in different units than of one kind.
pub(crate) const WIDE: usize = 200;

impl Request {
    /// Everything that can be refused without a look at the table.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(error) = &self.refused {
            return Err(error.clone());
        }
        if self.k == 0 {
            return Err(Error::request("k must be at least 1"));
        }
        #[cfg(feature = "methods")]
        self.check_method()?;
        let mechanism = self.mechanism_used();
        let card = mechanism.card();
        check_k(card, self.k)?;
        if card.sensitivity == Sensitivity::Own {
            let id = card.id;
            let rule = format!("{id} is for scores with a sensitivity each; features share one");
            return Err(Error::request(rule).hint("canonical suits them"));
        }
        checked_threads(self.threads)?;
        let kendall = self.score == Some(ScoreKind::Kendall);
        if kendall && (self.scale.is_some() || self.center != Center::Private) {
            return Err(Error::request("Kendall's correlation takes no bounds, scale or center"));
        }
        let stated = self.score.is_some()
            || self.scale.is_some()
            || self.center != Center::Private
            || self.neighbors != Neighbors::AddRemove;
        if self.paper && stated {
            return Err(Error::request(
                "the paper's preprocessing takes no score, bounds, scale, center or neighbors",
            ));
        }
        // All that could be planned, whatever the number of features.
        for features in [1, WIDE] {
            self.plan(features)?;
        }
        Ok(())
    }

    /// Whether features are scored by Kendall's correlation.
    fn uses_kendall(&self, features: usize) -> bool {
        match self.score {
            Some(score) => score == ScoreKind::Kendall,
            None => {
                let stated = self.scale.is_some() || self.center != Center::Private || self.paper;
                !stated && features < WIDE
            }
        }
    }

    pub(super) fn threads_used(&self) -> usize {
        self.threads.unwrap_or_else(all_cores)
    }

    pub(super) fn opening(&self) -> Opening<'_> {
        Opening {
            // Means of the data and the blocks that rows draw depend on the order of the rows, which
            // threads change; all else does not.
            threads: if self.paper || self.deals_rows() { 1 } else { self.threads_used() },
            progress: self.progress.clone(),
            labels: match &self.target {
                Target::Classes(labels) => Some(labels),
                _ => None,
            },
        }
    }

    /// Whether rows draw blocks.
    fn deals_rows(&self) -> bool {
        match self.method {
            Method::Scores => false,
            #[cfg(feature = "methods")]
            Method::TwoStage(_) => true,
            #[cfg(feature = "methods")]
            Method::DpKendall => false,
        }
    }

    /// What will be drawn for a table of so many features, and what each draw may spend.
    pub(super) fn plan(&self, features: usize) -> Result<Plan> {
        let stated = self.epsilon.clone();
        let epsilon = stated.ok_or_else(|| Error::request("no epsilon is stated"))?;
        let mut budget = Budget::new(epsilon.clone());
        let labels = match &self.target {
            Target::Classes(labels) => Some(Labels::new(labels.clone())?),
            _ => None,
        };
        #[cfg(feature = "methods")]
        if let Some(path) = self.method_path(&labels, &mut budget)? {
            let (selection, spent) = budget.claim_rest(Purpose::Selection);
            return Ok(Plan { path, epsilon, selection, spent });
        }
        let path = if self.uses_kendall(features) {
            PlannedPath::Kendall { labels }
        } else if self.paper {
            PlannedPath::Paper { labels }
        } else {
            match labels {
                Some(labels) if labels.as_slice().len() > 2 => {
                    let public = |stated: &Center| centers_of(&labels, stated);
                    let center = self.planned_center(&mut budget, public)?;
                    PlannedPath::Classes { labels, center }
                }
                labels => {
                    let coding = self.planned_coding(labels, &mut budget);
                    let public = |stated: &Center| coding.center(stated);
                    let center = self.planned_center(&mut budget, public)?;
                    PlannedPath::Number { coding, center }
                }
            }
        };
        let (selection, spent) = budget.claim_rest(Purpose::Selection);
        Ok(Plan { path, epsilon, selection, spent })
    }

    /// What whole methods leave open, and what they do not.
    #[cfg(feature = "methods")]
    fn check_method(&self) -> Result<()> {
        let scored = self.score.is_some() || self.center != Center::Private;
        match self.method {
            Method::Scores => Ok(()),
            Method::TwoStage(TwoStage { blocks, penalty }) => {
                Lasso::new(penalty)?;
                if scored {
                    return Err(Error::request(
                        "the two-stage method takes no score and no center",
                    ));
                }
                if blocks.is_some_and(|blocks| !(1..=MOST_BLOCKS).contains(&blocks)) {
                    let rule = format!("the number of blocks must lie between 1 and {MOST_BLOCKS}");
                    return Err(Error::request(rule));
                }
                Ok(())
            }
            Method::DpKendall => {
                let scaled = self.scale.is_some() || self.paper;
                if scored || scaled || self.mechanism.is_some() {
                    return Err(Error::request(
                        "DPKendall takes no score, bounds, scale, center or mechanism",
                    ));
                }
                if self.k > MOST_PICKS {
                    return Err(Error::request(format!("DPKendall picks at most {MOST_PICKS}")));
                }
                Ok(())
            }
        }
    }

    #[cfg(feature = "methods")]
    fn method_path(
        &self,
        labels: &Option<Labels>,
        budget: &mut Budget,
    ) -> Result<Option<PlannedPath>> {
        let labels = labels.clone();
        Ok(match self.method {
            Method::Scores => None,
            Method::DpKendall => Some(PlannedPath::DpKendall { labels }),
            Method::TwoStage(TwoStage { blocks, penalty }) => {
                let target = match self.paper {
                    true => BlockTarget::Paper { labels },
                    false => BlockTarget::Coded(self.planned_coding(labels, budget)),
                };
                let blocks = match (blocks, self.neighbors) {
                    (Some(blocks), _) => PlannedBlocks::Stated(blocks),
                    _ if self.paper => PlannedBlocks::ByPublicRows,
                    (None, Neighbors::ReplaceOne) => PlannedBlocks::ByPublicRows,
                    (None, Neighbors::AddRemove) => {
                        PlannedBlocks::Private(budget.claim(Purpose::Rows, &self.shares.center))
                    }
                };
                let lasso = Lasso::new(penalty)?;
                Some(PlannedPath::TwoStage(PlannedTwoStage { target, blocks, lasso }))
            }
        })
    }

    fn planned_coding(&self, labels: Option<Labels>, budget: &mut Budget) -> PlannedCoding {
        match (labels, &self.target) {
            (Some(labels), _) => PlannedCoding::Stated(TargetCode::Classes(labels)),
            (_, Target::Bounded(bounds)) => PlannedCoding::Stated(TargetCode::Bounded(*bounds)),
            _ => {
                let share = &self.shares.target;
                PlannedCoding::MedianSplit(budget.claim(Purpose::TargetMedian, share))
            }
        }
    }

    /// A private center claims its part; `public` puts any other on the grid.
    fn planned_center<C>(
        &self,
        budget: &mut Budget,
        public: impl Fn(&Center) -> Result<C>,
    ) -> Result<PlannedCenter<C>> {
        match &self.center {
            Center::Private => {
                let share = &self.shares.center;
                Ok(PlannedCenter::Private(budget.claim(Purpose::TargetCenter, share)))
            }
            stated => public(stated).map(PlannedCenter::Public),
        }
    }
}

/// What is drawn, and what each draw may spend.
pub(super) struct Plan {
    pub(super) path: PlannedPath,
    /// The total.
    pub(super) epsilon: Epsilon,
    /// What the selection may spend.
    pub(super) selection: Epsilon,
    /// All parts of the budget.
    pub(super) spent: Vec<Spending>,
}

/// How scores come about.
pub(super) enum PlannedPath {
    /// Correlation with a target that is one number.
    Number { coding: PlannedCoding, center: PlannedCenter<i32> },
    /// Correlation with a target that is one of three or more classes.
    Classes { labels: Labels, center: PlannedCenter<Vec<i32>> },
    /// Kendall's correlation.
    Kendall { labels: Option<Labels> },
    /// Correlation after scaling by the data: not private.
    Paper { labels: Option<Labels> },
    /// Votes of the LASSO on blocks.
    #[cfg(feature = "methods")]
    TwoStage(PlannedTwoStage),
    /// Kendall's correlation, discounted by what is shared with earlier picks.
    #[cfg(feature = "methods")]
    DpKendall { labels: Option<Labels> },
}

/// How the votes of blocks come about.
#[cfg(feature = "methods")]
pub(super) struct PlannedTwoStage {
    pub(super) target: BlockTarget,
    pub(super) blocks: PlannedBlocks,
    pub(super) lasso: Lasso,
}

/// What blocks regress on.
#[cfg(feature = "methods")]
pub(super) enum BlockTarget {
    Coded(PlannedCoding),
    /// Scaled by the data, as the features are: not private.
    Paper {
        labels: Option<Labels>,
    },
}

/// Where the number of blocks comes from.
#[cfg(feature = "methods")]
#[derive(Clone)]
pub(super) enum PlannedBlocks {
    Stated(u64),
    /// From a private count, which may spend this.
    Private(Epsilon),
    ByPublicRows,
}

impl PlannedPath {
    /// Whether values are scaled row by row.
    pub(super) fn scales_rows(&self) -> bool {
        match self {
            Self::Number { .. } | Self::Classes { .. } => true,
            Self::Kendall { .. } | Self::Paper { .. } => false,
            #[cfg(feature = "methods")]
            Self::TwoStage(planned) => matches!(planned.target, BlockTarget::Coded(_)),
            #[cfg(feature = "methods")]
            Self::DpKendall { .. } => false,
        }
    }

    /// Whether the target is split at a private median.
    pub(super) fn splits_at_median(&self) -> bool {
        match self {
            Self::Number { coding, .. } => matches!(coding, PlannedCoding::MedianSplit(_)),
            #[cfg(feature = "methods")]
            Self::TwoStage(planned) => {
                matches!(planned.target, BlockTarget::Coded(PlannedCoding::MedianSplit(_)))
            }
            _ => false,
        }
    }
}

/// How a target becomes one number.
pub(super) enum PlannedCoding {
    /// By a private median, which may spend this.
    MedianSplit(Epsilon),
    Stated(TargetCode),
}

impl PlannedCoding {
    /// A public center on the grid.
    fn center(&self, center: &Center) -> Result<i32> {
        match self {
            Self::MedianSplit(_) => center_of_split(center),
            Self::Stated(TargetCode::Bounded(bounds)) => center_in(bounds, center),
            Self::Stated(_) => center_of_two(center),
        }
    }
}

/// A center on the grid.
#[derive(Debug, PartialEq)]
pub(super) enum PlannedCenter<C> {
    /// To be estimated, spending this.
    Private(Epsilon),
    Public(C),
}

fn center_of_split(center: &Center) -> Result<i32> {
    match center {
        Center::Stated(_) => Err(Error::request(
            "a stated center needs a target with bounds or classes (--target-bounds, --classes)",
        )),
        other => no_shares(other),
    }
}

fn center_in(bounds: &Bounds, center: &Center) -> Result<i32> {
    match center {
        Center::Stated(value) if (bounds.low()..=bounds.high()).contains(value) => {
            Ok(bounds.quantize(*value, GRID).into())
        }
        Center::Stated(_) => {
            Err(Error::request("the stated center lies outside the target's bounds"))
        }
        other => no_shares(other),
    }
}

fn center_of_two(center: &Center) -> Result<i32> {
    match center {
        Center::Stated(share) => {
            Ok((f64::from(GRID) * (2.0 * check_share(*share)? - 1.0)).round() as i32)
        }
        other => no_shares(other),
    }
}

fn no_shares(center: &Center) -> Result<i32> {
    match center {
        Center::Shares(_) => Err(Error::request("shares as center need three or more classes")),
        _ => Ok(0),
    }
}

fn centers_of(labels: &Labels, center: &Center) -> Result<Vec<i32>> {
    match center {
        Center::Shares(shares) => shares_on_grid(shares, labels),
        Center::Stated(_) => Err(Error::request(
            "with three or more classes state the center as shares: a=0.3,b=0.5,c=0.2",
        )),
        _ => Ok(vec![0; labels.as_slice().len()]),
    }
}

fn check_share(share: f64) -> Result<f64> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::request("the share of a class must lie between 0 and 1"));
    }
    Ok(share)
}

fn shares_on_grid(shares: &[(String, f64)], labels: &Labels) -> Result<Vec<i32>> {
    if shares.len() != labels.as_slice().len() {
        return Err(Error::request("the center must state the share of every class, once"));
    }
    let share_of = |label: &String| {
        let share = shares.iter().find(|(name, _)| name == label);
        share.ok_or_else(|| Error::request("the center must state the share of every class, once"))
    };
    let mut sum = 0.0;
    let mut on_grid = Vec::new();
    for label in labels.as_slice() {
        let share = check_share(share_of(label)?.1)?;
        sum += share;
        on_grid.push((f64::from(GRID) * share).round() as i32);
    }
    if !((0.99..=1.01).contains(&sum)) {
        return Err(Error::request("the shares of the classes must add up to 1"));
    }
    Ok(on_grid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Scaling;
    use crate::select::Select;

    fn select() -> Select {
        Select::new(3).epsilon("2".parse().unwrap())
    }

    fn planned(select: Select, features: usize) -> Result<Plan> {
        select.check()?.0.plan(features)
    }

    fn classes(labels: &[&str]) -> Target {
        Target::Classes(labels.iter().map(|label| label.to_string()).collect())
    }

    fn spent(select: &Select) -> Vec<(Purpose, String)> {
        let plan = planned(select.clone(), WIDE).unwrap();
        plan.spent.into_iter().map(|part| (part.purpose, part.epsilon.to_string())).collect()
    }

    #[test]
    fn only_draws_that_happen_are_paid() {
        use Purpose::{Selection, TargetCenter, TargetMedian};
        let bounded = Target::Bounded(Bounds::new(0.0, 1.0).unwrap());
        let parts = |parts: &[(Purpose, &str)]| -> Vec<(Purpose, String)> {
            parts.iter().map(|(purpose, text)| (*purpose, text.to_string())).collect()
        };
        assert_eq!(
            spent(&select()),
            parts(&[(TargetMedian, "0.2"), (TargetCenter, "0.1"), (Selection, "1.7")])
        );
        assert_eq!(
            spent(&select().center(Center::None)),
            parts(&[(TargetMedian, "0.2"), (Selection, "1.8")])
        );
        assert_eq!(
            spent(&select().target(bounded.clone())),
            parts(&[(TargetCenter, "0.1"), (Selection, "1.9")])
        );
        assert_eq!(
            spent(&select().target(bounded).center(Center::Stated(0.5))),
            parts(&[(Selection, "2")])
        );
    }

    #[test]
    fn narrow_tables_take_kendall_unless_something_is_stated() {
        use Purpose::Selection;
        let plan = |select, features| planned(select, features).unwrap();
        let kendall = |plan: &Plan| matches!(plan.path, PlannedPath::Kendall { .. });
        let narrow = plan(select(), 199);
        assert!(kendall(&narrow) && narrow.spent.len() == 1);
        assert_eq!(narrow.spent[0].purpose, Selection);
        assert!(!kendall(&plan(select(), 200)));
        assert!(kendall(&plan(select().score(ScoreKind::Kendall), 5000)));
        assert!(!kendall(&plan(select().score(ScoreKind::Correlation), 5)));
        assert!(!kendall(&plan(select().scaling(Scaling::RowRank), 5)));
        assert!(!kendall(&plan(select().center(Center::None), 5)));
    }

    #[test]
    fn shares_of_the_budget_can_be_stated() {
        let stated = spent(&select().shares("1/4", "0.125"));
        let parts: Vec<&str> = stated.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(parts, ["0.5", "0.25", "1.25"]);
        for (target, center) in [("0", "0.1"), ("0.5", "0.5"), ("x", "0.1"), ("-1", "0.1")] {
            assert!(select().shares(target, center).check().is_err());
        }
    }

    #[test]
    fn stated_centers_reach_the_grid() {
        let centers = |target: Target, center: Center| match planned(
            select().target(target).center(center),
            WIDE,
        )
        .unwrap()
        .path
        {
            PlannedPath::Number { center: PlannedCenter::Public(center), .. } => vec![center],
            PlannedPath::Classes { center: PlannedCenter::Public(centers), .. } => centers,
            _ => panic!("the center is public"),
        };
        let bounded = Target::Bounded(Bounds::new(0.0, 4.0).unwrap());
        assert_eq!(centers(bounded, Center::Stated(1.0)), [-16384]);
        assert_eq!(centers(classes(&["a", "b"]), Center::Stated(0.25)), [-16384]);
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
            Select::new(0).epsilon("1".parse().unwrap()),
            select().bounds(1.0, 0.0),
            select().bounds(f64::NAN, 1.0),
            select().bounds(0.0, f64::NAN).scaling(Scaling::RowRank),
            select().threads(0),
            select().threads(usize::MAX),
            select().score(ScoreKind::Kendall).scaling(Scaling::RowRank),
            select().score(ScoreKind::Kendall).center(Center::None),
            select().target(classes(&["a"])),
            select().target(classes(&["a", "a"])),
            select().center(Center::Stated(0.0)),
            select().target(bounded.clone()).center(Center::Stated(4.1)),
            select().target(bounded.clone()).center(Center::Stated(f64::NAN)),
            select().target(bounded).center(shares(&[("a", 1.0)])),
            select().target(classes(&["a", "b"])).center(Center::Stated(1.5)),
            select().target(classes(&["a", "b"])).center(shares(&[("a", 0.5), ("b", 0.5)])),
            select().target(classes(&["a", "b", "c"])).center(Center::Stated(0.5)),
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
    }
}
