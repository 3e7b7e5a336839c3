//! What is asked for, and the checks that need no data.

use crate::data::{Bounds, Labels, Q, Scaling, TargetCode, TargetColumn};
use crate::error::{Error, Result};
use crate::exact::ratio;
use crate::mechanism::CanonicalLipschitz;
use crate::privacy::{Budget, Epsilon, Purpose, Spending};
use crate::random::Randomness;

/// More threads than any machine makes use of.
const MAX_THREADS: usize = 1024;

/// What the target is.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Target {
    /// A number of unknown range: split at a private median (10% of epsilon).
    #[default]
    Numeric,
    /// A number of a stated range, clipped to it.
    Bounded(Bounds),
    /// One of these labels; any other text is missing.
    Classes(Vec<String>),
}

/// Where the target's centre comes from.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Center {
    /// A private estimate (5% of epsilon).
    #[default]
    Private,
    /// The middle of the grid: no centring.
    None,
    /// Public knowledge: the mean of a bounded target in its own units, or the share of the second
    /// of two classes.
    Stated(f64),
    /// Public knowledge: the share of each class.
    Shares(Vec<(String, f64)>),
}

/// A request for a private selection of k features, built up and then run on a table.
///
/// ```no_run
/// let epsilon = "2".parse()?;
/// let selection = dpsis::Select::new(5, epsilon).run("data.csv")?;
/// for picked in &selection.selected {
///     println!("{}", picked.name);
/// }
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// # Privacy
///
/// The [`Selection`](crate::Selection), all of it, is epsilon-differentially private (delta 0) for
/// adding or removing one row, unless it is seeded.
#[derive(Debug, Clone)]
pub struct Select {
    pub(super) k: usize,
    pub(super) epsilon: Epsilon,
    pub(super) target_column: TargetColumn,
    pub(super) id: Option<String>,
    pub(super) scaling: Option<Scaling>,
    pub(super) target: Target,
    pub(super) center: Center,
    pub(super) mechanism: CanonicalLipschitz,
    pub(super) randomness: Randomness,
    pub(super) threads: Option<usize>,
}

impl Select {
    /// k features under a total budget, everything else by default: the target in the last column,
    /// split at a private median and centred privately, feature values as ranks within their row.
    pub fn new(k: usize, epsilon: Epsilon) -> Self {
        Self {
            k,
            epsilon,
            target_column: TargetColumn::default(),
            id: None,
            scaling: None,
            target: Target::default(),
            center: Center::default(),
            mechanism: CanonicalLipschitz::default(),
            randomness: Randomness::default(),
            threads: None,
        }
    }

    /// Which column holds the target.
    pub fn target_column(mut self, column: TargetColumn) -> Self {
        self.target_column = column;
        self
    }

    /// A column that is no feature: ids.
    pub fn id(mut self, name: impl Into<String>) -> Self {
        self.id = Some(name.into());
        self
    }

    /// How feature values are scaled.
    pub fn scaling(mut self, scaling: Scaling) -> Self {
        self.scaling = Some(scaling);
        self
    }

    /// What the target is.
    pub fn target(mut self, target: Target) -> Self {
        self.target = target;
        self
    }

    /// Where the target's centre comes from.
    pub fn center(mut self, center: Center) -> Self {
        self.center = center;
        self
    }

    /// The mechanism, with its gamma.
    pub fn mechanism(mut self, mechanism: CanonicalLipschitz) -> Self {
        self.mechanism = mechanism;
        self
    }

    /// Where randomness comes from; anything but the operating system is not for release.
    pub fn randomness(mut self, randomness: Randomness) -> Self {
        self.randomness = randomness;
        self
    }

    /// How many threads work on rows; by default as many as the machine has cores. The result does
    /// not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Everything that can be refused without a look at the file.
    pub(super) fn check(&self) -> Result<Plan> {
        if self.k == 0 {
            return Err(Error::request("k must be at least 1"));
        }
        if self.threads.is_some_and(|threads| !(1..=MAX_THREADS).contains(&threads)) {
            return Err(Error::request(format!("threads must lie between 1 and {MAX_THREADS}")));
        }
        let mut budget = Budget::new(self.epsilon.clone());
        let target = match &self.target {
            Target::Numeric => {
                let epsilon = budget.claim(Purpose::TargetMedian, &ratio(1, 10));
                PlannedTarget::Number {
                    coding: PlannedCoding::MedianSplit(epsilon),
                    center: self.planned_center(&mut budget, center_of_split)?,
                }
            }
            Target::Bounded(bounds) => PlannedTarget::Number {
                coding: PlannedCoding::Stated(TargetCode::Bounded(*bounds)),
                center: self.planned_center(&mut budget, |stated| center_in(bounds, stated))?,
            },
            Target::Classes(labels) => match Labels::new(labels.clone())? {
                two if two.as_slice().len() == 2 => PlannedTarget::Number {
                    coding: PlannedCoding::Stated(TargetCode::TwoClasses(two)),
                    center: self.planned_center(&mut budget, center_of_two)?,
                },
                labels => {
                    let public = |stated: &Center| centers_of(&labels, stated);
                    let center = self.planned_center(&mut budget, public)?;
                    PlannedTarget::Classes { labels, center }
                }
            },
        };
        let (selection, spent) = budget.claim_rest(Purpose::Selection);
        Ok(Plan { target, selection, spent })
    }

    /// A private centre claims its part; `public` puts any other on the grid.
    fn planned_center<C>(
        &self,
        budget: &mut Budget,
        public: impl Fn(&Center) -> Result<C>,
    ) -> Result<PlannedCenter<C>> {
        match &self.center {
            Center::Private => {
                Ok(PlannedCenter::Private(budget.claim(Purpose::TargetCenter, &ratio(1, 20))))
            }
            stated => public(stated).map(PlannedCenter::Public),
        }
    }
}

/// A checked request: what is drawn, and what each draw may spend.
pub(super) struct Plan {
    pub(super) target: PlannedTarget,
    /// What the selection may spend.
    pub(super) selection: Epsilon,
    /// All parts of the budget.
    pub(super) spent: Vec<Spending>,
}

/// How the target reaches the grid, and its centre there.
pub(super) enum PlannedTarget {
    /// As one number.
    Number { coding: PlannedCoding, center: PlannedCenter<i32> },
    /// As one of three or more classes.
    Classes { labels: Labels, center: PlannedCenter<Vec<i32>> },
}

/// How a target becomes one number.
pub(super) enum PlannedCoding {
    /// By a private median, which may spend this.
    MedianSplit(Epsilon),
    Stated(TargetCode),
}

/// A centre on the grid.
#[derive(Debug, PartialEq)]
pub(super) enum PlannedCenter<C> {
    /// To be estimated, spending this.
    Private(Epsilon),
    Public(C),
}

fn center_of_split(center: &Center) -> Result<i32> {
    match center {
        Center::Stated(_) => {
            Err(Error::request("a stated centre needs --target-bounds or --classes"))
        }
        other => no_shares(other),
    }
}

fn center_in(bounds: &Bounds, center: &Center) -> Result<i32> {
    match center {
        Center::Stated(value) if (bounds.low()..=bounds.high()).contains(value) => {
            Ok(bounds.quantise(*value, Q).into())
        }
        Center::Stated(_) => {
            Err(Error::request("the stated centre lies outside the target's bounds"))
        }
        other => no_shares(other),
    }
}

fn center_of_two(center: &Center) -> Result<i32> {
    match center {
        Center::Stated(share) => {
            Ok((f64::from(Q) * (2.0 * check_share(*share)? - 1.0)).round() as i32)
        }
        other => no_shares(other),
    }
}

fn no_shares(center: &Center) -> Result<i32> {
    match center {
        Center::Shares(_) => Err(Error::request("shares as centre need three or more classes")),
        _ => Ok(0),
    }
}

fn centers_of(labels: &Labels, center: &Center) -> Result<Vec<i32>> {
    match center {
        Center::Shares(shares) => shares_on_grid(shares, labels),
        Center::Stated(_) => Err(Error::request(
            "with three or more classes state the centre as shares: a=0.3,b=0.5,c=0.2",
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
        return Err(Error::request("the centre must state the share of every class, once"));
    }
    let share_of = |label: &String| {
        let share = shares.iter().find(|(name, _)| name == label);
        share.ok_or_else(|| Error::request("the centre must state the share of every class, once"))
    };
    let mut sum = 0.0;
    let mut on_grid = Vec::new();
    for label in labels.as_slice() {
        let share = check_share(share_of(label)?.1)?;
        sum += share;
        on_grid.push((f64::from(Q) * share).round() as i32);
    }
    if !((0.99..=1.01).contains(&sum)) {
        return Err(Error::request("the shares of the classes must add up to 1"));
    }
    Ok(on_grid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select() -> Select {
        Select::new(3, "2".parse().unwrap())
    }

    fn classes(labels: &[&str]) -> Target {
        Target::Classes(labels.iter().map(|label| label.to_string()).collect())
    }

    fn spent(select: &Select) -> Vec<(Purpose, String)> {
        let plan = select.check().unwrap();
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
    fn stated_centres_reach_the_grid() {
        let centers = |target: Target, center: Center| match select()
            .target(target)
            .center(center)
            .check()
            .unwrap()
            .target
        {
            PlannedTarget::Number { center: PlannedCenter::Public(center), .. } => vec![center],
            PlannedTarget::Classes { center: PlannedCenter::Public(centers), .. } => centers,
            _ => panic!("the centre is public"),
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
            Select::new(0, "1".parse().unwrap()),
            select().threads(0),
            select().threads(usize::MAX),
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
            assert!(wrong.check().is_err(), "{wrong:?}");
        }
    }
}
