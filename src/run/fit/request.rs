//! The given request for a model, and its checks.

use std::fmt;

use num_rational::BigRational;
use num_traits::One;

use crate::error::{Error, Parameter, Result};
use crate::exact::{Exact, ratio};
use crate::model::MAX_MODEL_COLUMNS;
use crate::privacy::{Delta, Epsilon, Expense};
use crate::release::record::Command;
use crate::request::check::{check, check_rule_of_people, checked_threads};
use crate::request::fields::{Center, Names, Request, Scale, Target};
use crate::run::charged::expense;
use crate::run::dry_run::EXAMPLE;
use crate::table::{Levels, Scaling};

/// The default share of the selection.
const SHARE: (i64, i64) = (2, 5);

/// A request for a model.
#[derive(Clone)]
pub(super) struct FitRequest {
    /// The request whose epsilon and delta are for the whole fit.
    pub(super) select: Request,
    pub(super) selection_share: Option<Exact>,
    /// The share of ranges in the model's part.
    pub(super) ranges: Exact,
    /// The features of a model without a selection.
    pub(super) features: Option<Vec<String>>,
    pub(super) lambda: Option<f64>,
}

impl fmt::Debug for FitRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FitModel")
            .field("select", &self.select)
            .field("selection_share", &self.selection_share)
            .field("ranges", &self.ranges)
            .field("features", &self.features)
            .field("levels", &self.levels())
            .field("lambda", &self.lambda)
            .finish()
    }
}

/// The parts of epsilon of the selection and of the rest, which sum to it exactly.
pub(super) struct Parts {
    pub(super) selection: Option<Epsilon>,
    pub(super) model: Epsilon,
    /// The share of ranges in the model's part.
    pub(super) ranges: BigRational,
}

impl FitRequest {
    pub(super) fn new(mut select: Request) -> Self {
        // A model needs numbers, and so does the selection for it.
        select.numbers_and = Some(Vec::new());
        Self { select, selection_share: None, ranges: (3, 10).into(), features: None, lambda: None }
    }

    /// A text with everything that determines the release except the table: see
    /// [`Request::identity`].
    pub(super) fn identity(&self) -> String {
        let Self { select, selection_share, ranges, features, lambda } = self;
        let model = (selection_share, ranges, features, self.levels(), lambda);
        format!("{}\n{model:?}", select.identity())
    }

    /// The whole epsilon.
    ///
    /// # Errors
    ///
    /// `Request` if epsilon is missing or wrong.
    pub(super) fn epsilon(&self) -> Result<Epsilon> {
        Epsilon::given(self.select.epsilon.clone())
    }

    /// The delta that may be spent.
    ///
    /// # Errors
    ///
    /// `Request` if delta is wrong.
    pub(super) fn delta(&self) -> Result<Delta> {
        Delta::given(self.select.delta.clone())
    }

    /// The expense of the whole fit; whether its rows are people is not known here.
    ///
    /// # Errors
    ///
    /// As for [`epsilon`](Self::epsilon) and [`delta`](Self::delta).
    pub(super) fn expense(&self, note: &str) -> Result<Expense> {
        let expense = expense(&self.select, Command::Fit, self.epsilon()?, note);
        Ok(expense.delta(self.delta()?))
    }

    /// The parts of epsilon.
    ///
    /// # Errors
    ///
    /// `Request` for invalid shares.
    pub(super) fn parts(&self) -> Result<Parts> {
        let total = self.epsilon()?;
        let share = self.selection_share.clone().unwrap_or(SHARE.into());
        let [share, ranges] = [share, self.ranges.clone()].map(|share| {
            let share = share.rational();
            share.filter(|share| *share >= ratio(1, 1_000_000) && *share < BigRational::one())
        });
        let wrong = |of: &str, about: Parameter| {
            let rule = format!("the share of {of} must be a number from 1e-6, below 1");
            Error::request(rule).about([about])
        };
        let share = share.ok_or_else(|| wrong("the selection", Parameter::SelectionShare))?;
        let ranges = ranges.ok_or_else(|| wrong("the ranges", Parameter::Ranges))?;
        if self.features.is_some() {
            return Ok(Parts { selection: None, model: total, ranges });
        }
        let selection = total.as_rational() * &share;
        let model = Epsilon::part(total.as_rational() - &selection);
        Ok(Parts { selection: Some(Epsilon::part(selection)), model, ranges })
    }

    /// The request for the selection alone, with its part of epsilon.
    ///
    /// A range of the target is for the model: its selection splits the target at a median, unless
    /// a center is given. With categorical columns the ranges of features are also for the model:
    /// scaled by ranges, numbers would be compared in another way than categories.
    pub(super) fn selection(&self, epsilon: &Epsilon) -> Request {
        let target = match (&self.select.target, &self.select.center) {
            (Target::Bounded(_), Center::Private) => Target::Numeric,
            (target, _) => target.clone(),
        };
        let scale = match &self.select.scale {
            Some(Scale::Given(Scaling::RowRank)) | None => self.select.scale.clone(),
            Some(_) if self.levels().is_empty() => self.select.scale.clone(),
            Some(_) => None,
        };
        let names = match &self.select.names {
            Names::Significant(_) => self.select.names.of(self.select.names.most(self.most())),
            names => names.clone(),
        };
        let epsilon = Some(epsilon.clone().into());
        let select = self.select.clone();
        Request { names, epsilon, delta: None, target, scale, ..select }
    }

    /// The levels of categorical columns.
    pub(super) fn levels(&self) -> &[Levels] {
        self.select.numbers_and.as_deref().unwrap_or_default()
    }

    /// The largest number of columns of a model of this many features: one for each, and for a
    /// feature with levels one for each level but the first.
    fn most_columns(&self, features: usize) -> usize {
        let more = |levels: &Levels| levels.texts().len().saturating_sub(2);
        let mut more: Vec<usize> = self.levels().iter().map(more).collect();
        more.sort_unstable_by(|a, b| b.cmp(a));
        features + more.iter().take(features).sum::<usize>()
    }

    /// The largest number of features that may be selected.
    fn most(&self) -> usize {
        let fits = |features: &usize| self.most_columns(*features) <= MAX_MODEL_COLUMNS;
        (0..=MAX_MODEL_COLUMNS).rev().find(fits).unwrap_or(0)
    }

    /// The number of features to plan with, out of all features of the table.
    pub(super) fn features_expected(&self, features: usize) -> usize {
        match &self.select.names {
            Names::Best(k) => *k,
            names => names.most(features).min(EXAMPLE),
        }
    }

    /// Checks everything that does not need the table.
    ///
    /// # Errors
    ///
    /// `Request` with the first rule that is broken.
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |rule: String, about: Parameter| Err(Error::request(rule).about([about]));
        if let Some(error) = &self.select.refused {
            return Err(error.clone());
        }
        self.delta()?;
        let parts = self.parts()?;
        checked_threads(self.select.threads)?;
        check_rule_of_people(&self.select)?;
        if self.select.per_million {
            let rule = "a model takes values as they are in the table, not counts per million";
            return wrong(rule.into(), Parameter::Scaling);
        }
        if self.select.groups.is_some() {
            let rule = "a model takes features, not sets of them";
            return wrong(rule.into(), Parameter::Groups);
        }
        if self.select.is_paired() {
            let rule = "a model has one target for each row or person: it takes no paired score";
            return wrong(rule.into(), Parameter::Score);
        }
        if self.select.is_adjusted() {
            let rule = "a model has no strata: make the covariates features of it";
            return wrong(rule.into(), Parameter::Covariates);
        }
        match &self.select.target {
            Target::Classes(labels) if labels.len() != 2 => {
                let rule = "a model is of a number or of two classes, not of more";
                return wrong(rule.into(), Parameter::Classes);
            }
            Target::Classes(_) | Target::TimeToEvent(_) => {}
            _ if self.lambda.is_some() => {
                let rule = "lambda is for two classes";
                return Err(Error::request(rule).about([Parameter::Lambda, Parameter::Classes]));
            }
            _ => {}
        }
        if self.lambda.is_some_and(|lambda| !(1e-3..=1e9).contains(&lambda)) {
            return wrong("lambda must be a number from 1e-3 to 1e9".into(), Parameter::Lambda);
        }
        self.check_levels()?;
        let k = self.features.as_ref().map_or(self.select.names.most(self.most()), Vec::len);
        if self.most_columns(k) > MAX_MODEL_COLUMNS || self.most() == 0 {
            let rule = match self.levels() {
                [] => format!("a model has at most {MAX_MODEL_COLUMNS} features"),
                _ => format!(
                    "a model has at most {MAX_MODEL_COLUMNS} columns: features, and levels but the first of each"
                ),
            };
            return Err(Error::request(rule).about([
                Parameter::K,
                Parameter::Levels,
                Parameter::Features,
            ]));
        }
        match (&self.features, &parts.selection) {
            (Some(names), _) => self.check_names(names),
            (None, Some(epsilon)) => check(&self.selection(epsilon)),
            (None, None) => Ok(()),
        }
    }

    fn check_levels(&self) -> Result<()> {
        let levels = self.levels();
        for (i, one) in levels.iter().enumerate() {
            let rule = if one.texts().len() < 2 {
                "a model compares levels with the first of them: two at least, for"
            } else if levels[..i].iter().any(|other| other.name() == one.name()) {
                "levels are given twice for"
            } else if self
                .features
                .as_ref()
                .is_some_and(|names| !names.iter().any(|name| name == one.name()))
            {
                "levels are given, and it is not a feature of the model:"
            } else {
                continue;
            };
            let rule = format!("{rule} {:?}", one.name());
            return Err(Error::request(rule).about([Parameter::Levels]));
        }
        Ok(())
    }

    fn check_names(&self, names: &[String]) -> Result<()> {
        if self.selection_share.is_some() {
            return Err(Error::request(
                "where the features are given, nothing is selected: no share is spent on it",
            )
            .about([Parameter::SelectionShare, Parameter::Features]));
        }
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort_unstable();
        if names.is_empty() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::request("a model needs at least one feature, and each only once")
                .about([Parameter::Features]));
        }
        Ok(())
    }
}
