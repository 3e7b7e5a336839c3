//! The builder of requests: the door of the library to a selection.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::data::{Bounds, Cancel, Scaling, Source};
use crate::error::Result;
use crate::exact::Exact;
use crate::mechanism::Mechanism;
use crate::privacy::Neighbors;
use crate::select::check::check;
use crate::select::dry_run::{DryRun, dry_run};
use crate::select::not_private::NotPrivateSelect;
use crate::select::record::Selection;
use crate::select::request::{Center, Method, Request, Scale, ScoreKind, Shares, Target};
use crate::select::run::run;

/// A request for a private selection of k features, built up, then run on a table.
///
/// ```no_run
/// let selection = dpsis::Select::new(5).epsilon("2").bounds(-1.0, 1.0).run("data.csv")?;
/// for picked in &selection.selected {
///     println!("{}", picked.name);
/// }
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// Nothing is checked while a request is built; [`check`](Self::check) and [`run`](Self::run) report
/// what is wrong. With feature `linfa` it is a set of parameters of that library: `fit` on a `Dataset`
/// gives the [`Selection`], which is a transformer.
///
/// # Privacy
///
/// The [`Selection`], all of it, is epsilon-differentially private (delta 0) for adding or removing one
/// row (or as [`neighbors`](Self::neighbors) says). Each run spends epsilon: several runs on one
/// table, or on tables that share people, add up. What a seed has drawn has another type, see
/// [`seed`](Self::seed).
#[derive(Clone)]
pub struct Select(CheckedSelect);

/// A request that has been checked: nothing is wrong with it by itself.
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
    /// k features, everything else by default. A budget must be stated: [`epsilon`](Self::epsilon).
    ///
    /// With fewer than 200 features they are scored by Kendall's correlation; from 200 on by the
    /// correlation of ranks within the row with the target, which is split at a private median and
    /// centered privately.
    pub fn new(k: usize) -> Self {
        Self(CheckedSelect(Request::new(k)))
    }

    fn with(mut self, change: impl FnOnce(&mut Request)) -> Self {
        change(&mut self.0.0);
        self
    }

    /// How many features.
    pub fn k(self, k: usize) -> Self {
        self.with(|request| request.k = k)
    }

    /// The total budget, from 1e-6 to 1e6, exactly: text, an integer, a ratio, an `f64` (which stands for its
    /// shortest decimal text) or an [`Epsilon`](crate::Epsilon).
    pub fn epsilon(self, epsilon: impl Into<Exact>) -> Self {
        self.with(|request| request.epsilon = Some(epsilon.into()))
    }

    /// Every feature is clipped to this range, in its own units, known from public sources: short for
    /// [`scaling`](Self::scaling) with [`Scaling::Bounds`].
    pub fn bounds(self, low: f64, high: f64) -> Self {
        self.with(|request| {
            let bounds = request.or_refuse(Bounds::new(low, high));
            request.scale = bounds.map(|bounds| Scale::Stated(Scaling::Bounds(bounds)));
        })
    }

    /// Features are clipped to ranges from a CSV file `feature,lo,hi`; a row `*` stands for all others.
    pub fn bounds_file(self, path: impl Into<PathBuf>) -> Self {
        self.with(|request| request.scale = Some(Scale::BoundsFile(path.into())))
    }

    /// How feature values are scaled.
    pub fn scaling(self, scaling: Scaling) -> Self {
        self.with(|request| request.scale = Some(Scale::Stated(scaling)))
    }

    /// How features are scored.
    pub fn score(self, score: ScoreKind) -> Self {
        self.with(|request| request.score = Some(score))
    }

    /// What the target is.
    pub fn target(self, target: Target) -> Self {
        self.with(|request| request.target = target)
    }

    /// Where the target's center comes from.
    pub fn center(self, center: Center) -> Self {
        self.with(|request| request.center = center)
    }

    /// What neighboring tables differ by.
    pub fn neighbors(self, neighbors: Neighbors) -> Self {
        self.with(|request| request.neighbors = neighbors)
    }

    /// The shares of the budget for the target's median and center, where they are drawn (defaults
    /// 0.1 and 0.05): exact numbers of at least 1e-6 each, together below 1. The two-stage method counts
    /// rows with the center's share.
    pub fn shares(self, target: impl Into<Exact>, center: impl Into<Exact>) -> Self {
        let shares = Shares { target: target.into(), center: center.into() };
        self.with(|request| request.shares = shares)
    }

    /// How features are found, by default by their scores.
    pub fn method(self, method: Method) -> Self {
        self.with(|request| request.method = method)
    }

    /// The mechanism, by default [`CanonicalLipschitz`](crate::CanonicalLipschitz) (for votes [`Peel`](crate::mechanism::Peel)); one
    /// for scores with one sensitivity.
    pub fn mechanism(self, mechanism: impl Mechanism + 'static) -> Self {
        self.with(|request| request.mechanism = Some(Arc::new(mechanism)))
    }

    /// How many threads work on rows; by default as many as the machine has cores. The result does
    /// not depend on it.
    pub fn threads(self, threads: usize) -> Self {
        self.with(|request| request.threads = Some(threads))
    }

    /// Called with the share that is done, from 0 to 1, of each pass over a file and of the columns that
    /// Kendall's correlation scores.
    pub fn progress(self, report: impl Fn(f64) + Send + Sync + 'static) -> Self {
        self.with(|request| request.hooks.progress = Some(Arc::new(report)))
    }

    /// Stops a run when this says so: it is asked many times a second, from all threads, while a table is read
    /// and scored. The run then fails with [`ErrorKind::Canceled`](crate::ErrorKind::Canceled), and nothing was
    /// released; what the run drew on the way is gone. A file that is read whole before the first pass (R's,
    /// `.gct`, deflated `.npz`) is read to its end first.
    pub fn cancel_when(self, cancel: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.with(|request| request.hooks.cancel = Some(Cancel::when(cancel)))
    }

    /// The hash of a schema file whose facts this request states, for the record.
    pub fn schema_hash(self, hash: String) -> Self {
        self.with(|request| request.schema_hash = Some(hash))
    }

    /// Draws from a stated seed instead of the operating system's entropy: for tests and simulations.
    /// Anyone with the seed can undo the noise, so the result is marked by its type. Say it last: what it
    /// gives cannot be built further. The same seed gives the same result on every platform, until a
    /// version whose changelog says *value-breaking*.
    pub fn seed(self, seed: u64) -> NotPrivateSelect {
        NotPrivateSelect::new(self.into_request()).seed(seed)
    }

    /// Centers and scales columns and target by the data, as the DP-SIS paper does: for reproducing
    /// results. Epsilon does not cover that, so the result is marked by its type.
    pub fn paper_preprocessing(self) -> NotPrivateSelect {
        NotPrivateSelect::new(self.into_request()).paper_preprocessing()
    }

    pub(super) fn into_request(self) -> Request {
        self.0.0
    }

    /// The request, if nothing is wrong with it by itself.
    ///
    /// # Errors
    ///
    /// `Request` with the first rule that is broken.
    pub fn check(self) -> Result<CheckedSelect> {
        self.check_ref()?;
        Ok(self.0)
    }

    /// The same by reference.
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check).
    pub fn check_ref(&self) -> Result<&CheckedSelect> {
        check(&self.0.0)?;
        Ok(&self.0)
    }

    /// Checks the request and runs it: see [`CheckedSelect::run`].
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check), then as for [`CheckedSelect::run`].
    pub fn run(&self, source: &(impl Source + ?Sized)) -> Result<Selection> {
        self.check_ref()?.run(source)
    }

    /// What [`run`](Self::run) would spend on what: see [`CheckedSelect::dry_run`].
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check), then as for [`CheckedSelect::dry_run`].
    pub fn dry_run(&self, source: &(impl Source + ?Sized)) -> Result<DryRun> {
        self.check_ref()?.dry_run(source)
    }
}

impl CheckedSelect {
    /// Selects features of a table.
    ///
    /// A file is read once, or twice where the target is split at a private median; what can be read
    /// only once is then held in memory, two bytes a value. Otherwise the memory is 16 bytes a feature
    /// and thread, and some megabytes for blocks of rows, whatever the number of rows; for Kendall's
    /// correlation of a file, for features as rows and for the two-stage method it is the table, 8 to 18
    /// bytes a value. A matrix is looked at where it is.
    ///
    /// # Privacy
    ///
    /// Spends the request's epsilon; see [`Select`].
    ///
    /// # Errors
    ///
    /// `Request` if the request does not fit the header; `Input` if the table is malformed or no row has
    /// a usable target (then nothing is released); `Io` if it cannot be read or the operating system
    /// gives no entropy.
    pub fn run(&self, source: &(impl Source + ?Sized)) -> Result<Selection> {
        run(&self.0, source).map(Selection::new)
    }

    /// What [`run`](Self::run) would spend on what. Looks at the header (the names, where the table is a
    /// matrix) and at no row. A reader is used up by that.
    ///
    /// # Errors
    ///
    /// As for a run, as far as the request and the header go; `Request` where features are rows, for
    /// the header does not hold them.
    pub fn dry_run(&self, source: &(impl Source + ?Sized)) -> Result<DryRun> {
        dry_run(&self.0, source)
    }
}

/// A request for a release, to be rehearsed: see [`Rehearsal`](crate::Rehearsal).
impl From<Select> for NotPrivateSelect {
    fn from(select: Select) -> Self {
        Self::new(select.into_request())
    }
}
