//! The builder of requests: the library's entry point to a selection.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::{Error, Parameter, Result};
use crate::exact::Exact;
use crate::mechanism::Mechanism;
use crate::privacy::{Neighbors, Spending};
use crate::request::check::check;
use crate::request::fields::{
    Center, FwerOptions, Method, Names, Refine, Request, Scale, ScoreKind, Shares, Target,
};
use crate::request::not_private::NotPrivateSelect;
use crate::request::plan::Plan;
use crate::request::weights::Weights;
use crate::table::{Bounds, Cancel, Covariate, FeatureSets, Hooks, Scaling, UnitTarget};

/// A builder for a private selection of k features from a table.
///
/// ```no_run
/// let selection = dpsis::Select::new(5).epsilon("2").bounds(-1.0, 1.0).run("data.csv")?;
/// for picked in &selection.selected {
///     println!("{}", picked.name);
/// }
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// Nothing is checked while a request is built; [`check`](Self::check) and [`run`](Self::run)
/// report the first error. With the feature `linfa` the request is a parameter set of that library:
/// `fit` on a `Dataset` returns the [`Selection`](crate::Selection), which is a transformer.
///
/// # Privacy
///
/// The whole [`Selection`](crate::Selection) is epsilon-differentially private (delta 0, unless one
/// is [given](Self::delta)) with respect to adding or removing one row (or to the relation set by
/// [`neighbors`](Self::neighbors)). Each run spends epsilon: the budgets of several runs on one
/// table, or on tables that share people, add up. The result of a seeded run has another type, see
/// [`seed`](Self::seed).
#[derive(Clone)]
pub struct Select(CheckedSelect);

/// A request that has passed all checks that do not need the table.
#[derive(Clone)]
pub struct CheckedSelect(Request);

impl fmt::Debug for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0.0, f)
    }
}

impl fmt::Debug for CheckedSelect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Select {
    /// A request for k features, with defaults for everything else. A budget must be given:
    /// [`epsilon`](Self::epsilon).
    ///
    /// By default features are scored by the Kolmogorov-Smirnov score ([`ScoreKind::Ks`]) against
    /// the target, which is split at a private median and centered privately.
    pub fn new(k: usize) -> Self {
        Self(CheckedSelect(Request::new(Names::Best(k))))
    }

    /// A request for all significant features, with defaults for everything else: the probability
    /// of any false discovery, a named feature without association with the target, is at most 5%.
    /// No feature is named if none can be shown to be significant.
    ///
    /// ```no_run
    /// let selection = dpsis::Select::significant().epsilon("2").run("data.csv")?;
    /// println!("{}", selection.significance.text);
    /// # Ok::<(), dpsis::Error>(())
    /// ```
    ///
    /// It requires a private center, and the score ks, or correlation of values whose range is
    /// given. If each row is a different person, the bound holds for any features; see the page
    /// "How many features?" for the proof.
    pub fn significant() -> Self {
        Self(CheckedSelect(Request::new(Names::default())))
    }

    fn with(mut self, change: impl FnOnce(&mut Request)) -> Self {
        change(&mut self.0.0);
        self
    }

    /// Sets the number of features to select.
    pub fn k(self, k: usize) -> Self {
        self.with(|request| request.names = Names::Best(k))
    }

    /// Selects all significant features: the probability of any false discovery is at most alpha,
    /// an exact number from 0.001 to 0.5 (default 0.05). So the expected share of false discoveries
    /// among all names is also at most alpha.
    pub fn fwer(self, alpha: impl Into<Exact>) -> Self {
        self.with_fwer(|given| given.alpha = Some(alpha.into()))
    }

    /// Selects at most this many of the significant features, at least 1; by default up to 2,000.
    pub fn at_most(self, names: usize) -> Self {
        self.with_fwer(|given| given.at_most = Some(names))
    }

    fn with_fwer(self, set: impl FnOnce(&mut FwerOptions)) -> Self {
        self.with(|request| {
            let mut given = match &request.names {
                Names::Significant(given) => given.clone(),
                Names::Best(_) => FwerOptions::default(),
            };
            set(&mut given);
            request.names = Names::Significant(given);
        })
    }

    /// Sets the total budget, an exact number from 1e-6 to 1e6: text, an integer, a ratio, an `f64`
    /// (read as its shortest decimal representation) or an [`Epsilon`](crate::Epsilon).
    pub fn epsilon(self, epsilon: impl Into<Exact>) -> Self {
        self.with(|request| request.epsilon = Some(epsilon.into()))
    }

    /// Lets the selection spend a delta too, an exact number from 1e-100 to 1e-3: the whole is then
    /// (epsilon, delta)-differentially private, and a selection of more than a few features has
    /// less noise: without k, or by [`Peel`](crate::mechanism::Peel). Where it would gain next to
    /// nothing the release stays pure, and the record contains a warning. Other mechanisms and
    /// methods refuse a delta. Choose a delta far below one over the number of rows.
    pub fn delta(self, delta: impl Into<Exact>) -> Self {
        self.with(|request| request.delta = Some(delta.into()))
    }

    /// Clips every feature to this range, which is in the feature's own units and must come from
    /// public sources: short for [`scaling`](Self::scaling) with [`Scaling::Bounds`].
    pub fn bounds(self, low: f64, high: f64) -> Self {
        self.with(|request| {
            let bounds = request.or_refuse(Bounds::new(low, high));
            request.scale = bounds.map(|bounds| Scale::Given(Scaling::Bounds(bounds)));
        })
    }

    /// Clips features to the ranges in a CSV file `feature,lo,hi`; a row `*` applies to all other
    /// features.
    pub fn bounds_file(self, path: impl Into<PathBuf>) -> Self {
        self.with(|request| request.scale = Some(Scale::BoundsFile(path.into())))
    }

    /// Clips features to ranges given by feature name; the name `*` stands for all other features.
    pub fn bounds_by_name<N: Into<String>>(
        self,
        bounds: impl IntoIterator<Item = (N, Bounds)>,
    ) -> Self {
        let bounds = bounds.into_iter().map(|(name, range)| (name.into(), range)).collect();
        self.with(|request| request.scale = Some(Scale::BoundsByName(bounds)))
    }

    /// Sets the scaling of feature values.
    pub fn scaling(self, scaling: Scaling) -> Self {
        self.with(|request| request.scale = Some(Scale::Given(scaling)))
    }

    /// Converts every value to counts per million: divides it by the sum of its row's features,
    /// times 10^6. For counts of reads or cells, whose totals differ from row to row. Bounds then
    /// apply to counts per million; ranks within the row stay the same. A missing value counts as 0
    /// and stays missing; in a row with a negative value, or whose sum is 0, all numbers are
    /// missing.
    ///
    /// Each row is divided by its own sum, so this spends no budget.
    pub fn counts_per_million(self) -> Self {
        self.with(|request| request.per_million = true)
    }

    /// Selects sets of features, which may overlap, instead of features. The value of a set in a
    /// row is the mean of its members' grid values in this row (their ranks within the row, unless
    /// bounds are given), with 0, the middle of the grid, for a missing one. Scores are computed
    /// from these means; categories are missing values. Sets and sizes are public.
    ///
    /// Each row's means are a function of that row alone, so this spends no budget.
    pub fn groups(self, sets: FeatureSets) -> Self {
        self.with(|request| request.groups = Some(Arc::new(sets)))
    }

    /// Sets public weights of features, such as the literature or a public cohort gives them: never
    /// from this table, nor from people in it. Features of large weight are selected, and are
    /// significant, at smaller effect sizes; the bound on false discoveries holds for any weights.
    pub fn weights(self, weights: Weights) -> Self {
        self.with(|request| request.weights = Some(Arc::new(weights)))
    }

    /// Sets the score of features.
    pub fn score(self, score: ScoreKind) -> Self {
        self.with(|request| request.score = Some(score))
    }

    /// Sets the kind of target: by default a number. With a ledger it must be given unless the
    /// table's types show that the target is a number, because a run on a target without numbers
    /// spends the budget all the same.
    pub fn target(self, target: Target) -> Self {
        self.with(|request| (request.target, request.target_is_given) = (target, true))
    }

    /// Sets the rule that combines the targets of a person's rows into the target of the person,
    /// where a column ([`FileTable::unit`](crate::FileTable::unit)) holds person identifiers. By
    /// default, the target of the last row.
    pub fn unit_target(self, rule: UnitTarget) -> Self {
        self.with(|request| request.people.rule = Some(rule))
    }

    /// Uses a feature of a matrix as person identifiers: rows with the same number belong to one
    /// person. A row where it is missing contributes nothing. For tables in files see
    /// [`FileTable::unit`](crate::FileTable::unit), which compares identifiers as text.
    pub fn unit_feature(self, name: impl Into<String>) -> Self {
        self.with(|request| request.people.feature = Some(name.into()))
    }

    /// Centers the target within each stratum of these covariates, crossed: scores then measure the
    /// association within strata. Covariates are columns of the table and not features; a row in no
    /// stratum contributes nothing. For a target coded as one number, and the relation of adding or
    /// removing rows. The centers of all strata together spend the budget of one center, by default
    /// 25% of epsilon. Effect sizes and significance are not released.
    pub fn adjust(self, covariates: impl IntoIterator<Item = Covariate>) -> Self {
        self.with(|request| request.covariates = covariates.into_iter().collect())
    }

    /// Sets the source of the target's center.
    pub fn center(self, center: Center) -> Self {
        self.with(|request| request.center = center)
    }

    /// Sets the neighbor relation: how neighboring tables differ.
    pub fn neighbors(self, neighbors: Neighbors) -> Self {
        self.with(|request| request.neighbors = neighbors)
    }

    /// Sets the shares of the budget for the target's median and center, which are spent only if
    /// these are estimated (defaults 0.1 and 0.075; without k, 0.1 and 0.12; with covariates, 0.1
    /// and 0.25): exact numbers of at least 1e-6 each. All shares must add up to less than 1. The
    /// two-stage method counts rows with the center's share.
    pub fn shares(self, target: impl Into<Exact>, center: impl Into<Exact>) -> Self {
        self.with(|request| {
            request.shares.target = Some(target.into());
            request.shares.center = Some(center.into());
        })
    }

    pub(crate) fn all_shares(self, shares: Shares) -> Self {
        self.with(|request| request.shares = shares)
    }

    /// Sets the share of the budget for the effect sizes of the selected features and their
    /// significance (default 0.2; without k, 0.36): 0, or an exact number of at least 1e-6. It is
    /// spent only where there is a private center and a significance test: not with Kendall's
    /// correlation, the two-stage method and DPKendall.
    pub fn estimates(self, share: impl Into<Exact>) -> Self {
        self.with(|request| request.shares.estimates = Some(share.into()))
    }

    /// Releases the direction of each selected feature's association, with this share of the budget
    /// (an exact number of at least 1e-6). Only for targets coded as one number, with a private
    /// center.
    pub fn direction(self, share: impl Into<Exact>) -> Self {
        self.with(|request| request.shares.direction = Some(share.into()))
    }

    /// Sets the memory limit of a run, in bytes: by default 4 GiB, or three quarters of the limit
    /// of its group of processes, if that is less. A file with larger columns is read in several
    /// passes. An input that can be read only once is held in memory regardless of the limit, and
    /// so is a single column, however long. The result does not depend on the limit.
    pub fn memory(self, bytes: u64) -> Self {
        self.with(|request| request.memory = Some(bytes))
    }

    /// Sets the memory of columns alone, so that small tables need several passes.
    #[doc(hidden)]
    pub fn column_memory(self, bytes: u64) -> Self {
        self.with(|request| request.column_memory = Some(bytes))
    }

    /// Sets the selection method; by default each feature is scored separately.
    pub fn method(self, method: Method) -> Self {
        self.with(|request| request.method = method)
    }

    /// Refines the selection, for correlated features: screens twice as many features with a part
    /// of the budget, and selects the k of them that together explain the target best. For a
    /// numeric target or two classes, the scores ks and correlation, and a k of up to 50. A table
    /// in a file is read once more.
    pub fn refine(self, refine: Refine) -> Self {
        self.with(|request| request.refine = Some(refine))
    }

    /// Sets the mechanism, which must support scores with one common sensitivity. The default is
    /// [`CanonicalLipschitz`](crate::CanonicalLipschitz), for votes
    /// [`Peel`](crate::mechanism::Peel).
    pub fn mechanism(self, mechanism: impl Mechanism + 'static) -> Self {
        self.with(|request| request.mechanism = Some(Arc::new(mechanism)))
    }

    /// Sets the number of threads, 1 to 256; by default the number of cores. The result does not
    /// depend on it.
    pub fn threads(self, threads: usize) -> Self {
        self.with(|request| request.threads = Some(threads))
    }

    /// Sets a callback for progress. It is called with the finished fraction, from 0 to 1, of each
    /// pass over a file and of the columns scored by Kendall's correlation.
    pub fn progress(self, report: impl Fn(f64) + Send + Sync + 'static) -> Self {
        self.with(|request| request.hooks.progress = Some(Arc::new(report)))
    }

    /// Sets a callback that cancels a run by returning true. It is called many times a second, from
    /// all threads, while a table is read and scored. A canceled run fails with
    /// [`ErrorKind::Canceled`](crate::ErrorKind::Canceled) and releases nothing; its random draws
    /// are discarded. Not interrupted are: a file that must be read completely before the first
    /// pass (R's, `.gct`, deflated `.npz`), scaling by the data, the LASSO on one block, and the
    /// draw itself, which takes milliseconds.
    ///
    /// # Privacy
    ///
    /// How often and when it is called depends on the data, as it does for
    /// [`progress`](Self::progress): neither may be published.
    pub fn cancel_when(self, cancel: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.with(|request| request.hooks.cancel = Some(Cancel::when(cancel)))
    }

    /// Sets the hooks of a run.
    pub(crate) fn hooks(self, hooks: Hooks) -> Self {
        self.with(|request| request.hooks = hooks)
    }

    /// Sets the hash of the schema file that contains this request's public facts, for the record.
    pub fn schema_hash(self, hash: String) -> Self {
        self.with(|request| request.schema_hash = Some(hash))
    }

    /// Draws from a given seed instead of the operating system's entropy, for tests and
    /// simulations. Anyone with the seed can undo the noise, so the result has a type of its own.
    /// Call it last: the returned request has no setters except `seed` and `paper_preprocessing`.
    /// The same seed gives the same result on every platform, until a version whose changelog is
    /// marked *value-breaking*.
    pub fn seed(self, seed: u64) -> NotPrivateSelect {
        NotPrivateSelect::new(self.into_request()).seed(seed)
    }

    /// Centers and scales columns and target by the data, as the DP-SIS paper does, to reproduce
    /// its results. Epsilon does not cover this step, so the result has a type of its own.
    pub fn paper_preprocessing(self) -> NotPrivateSelect {
        NotPrivateSelect::new(self.into_request()).paper_preprocessing()
    }

    /// The request, checked or not.
    pub(crate) fn request(&self) -> &Request {
        &self.0.0
    }

    pub(crate) fn into_request(self) -> Request {
        self.0.0
    }

    /// Checks everything that does not need the table.
    ///
    /// # Errors
    ///
    /// `Request` with the first rule that is broken.
    pub fn check(self) -> Result<CheckedSelect> {
        self.check_ref()?;
        Ok(self.0)
    }

    /// Like [`check`](Self::check), by reference.
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check).
    pub fn check_ref(&self) -> Result<&CheckedSelect> {
        check(&self.0.0)?;
        Ok(&self.0)
    }

    /// The checked request for sums, with any k and epsilon.
    pub(crate) fn of_sums(&self) -> Result<Request> {
        let Self(CheckedSelect(mut request)) = self.clone();
        (request.names, request.epsilon) = (Names::Best(1), Some(1.into()));
        check(&request)?;
        Ok(request)
    }
}

impl CheckedSelect {
    pub(crate) fn request(&self) -> &Request {
        &self.0
    }

    /// The parts of the budget that a run on a table with this number of features would spend; no
    /// table is read.
    ///
    /// # Errors
    ///
    /// `Request` if k exceeds the number of features.
    pub fn spending(&self, features: usize) -> Result<Vec<Spending>> {
        self.planned(features).map(|plan| plan.spent)
    }

    /// The plan for a table with this number of features.
    pub(crate) fn planned(&self, features: usize) -> Result<Plan> {
        if self.0.names.most(features) > features {
            let rule = format!("k must not exceed the number of features, {features}");
            return Err(Error::request(rule).about([Parameter::K]));
        }
        Plan::new(&self.0, features, Arc::new(Scaling::RowRank))
    }
}
