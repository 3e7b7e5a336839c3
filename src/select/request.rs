//! What is asked for.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use num_rational::BigRational;
use num_traits::One;

use crate::data::{Bounds, Progress, Scaling, Source};
use crate::error::{Error, Result};
use crate::exact::{parse_rational, ratio};
use crate::mechanism::{CanonicalLipschitz, Mechanism};
use crate::privacy::{Epsilon, Neighbors};
use crate::random::Entropy;
use crate::select::{DryRun, NotPrivateSelect, Selection};

/// What the target is.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Target {
    /// A number of unknown range: for correlation scores split at a private median (10% of epsilon),
    /// which finds the middle of values from 1e-6 to 1e9 in magnitude that lie more than a quarter of a
    /// percent apart; a warning says if nearly all rows fell on one side.
    #[default]
    Numeric,
    /// A number of a stated range, clipped to it.
    Bounded(Bounds),
    /// One of these labels; any other text is missing. Blanks around labels and cells aside, they are
    /// compared as text.
    Classes(Vec<String>),
}

impl Target {
    /// One of these labels: short for [`Classes`](Self::Classes).
    pub fn classes<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Self {
        Self::Classes(labels.into_iter().map(Into::into).collect())
    }
}

/// Where the target's center comes from.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Center {
    /// A private estimate (5% of epsilon).
    #[default]
    Private,
    /// The middle of the grid: no centering.
    None,
    /// Public knowledge: the mean of a bounded target in its own units, or the share of the second
    /// of two classes.
    Stated(f64),
    /// Public knowledge: the share of each class.
    Shares(Vec<(String, f64)>),
}

/// How good a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScoreKind {
    /// Clipped correlation of scaled values with the target.
    Correlation,
    /// Kendall's rank correlation: needs no scaling and no center, and suits columns in different
    /// units.
    Kendall,
}

/// How features are found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Method {
    /// DP-SIS: each feature scored by itself, a mechanism over the scores.
    #[default]
    Scores,
    /// The two-stage method: the LASSO on blocks of rows, a mechanism (by default
    /// [`Peel`](crate::mechanism::Peel)) over the votes of the blocks. Classes are numbers at equal
    /// distances, in the order stated. See [`method::two_stage`](crate::method::two_stage).
    #[cfg(feature = "methods")]
    TwoStage(TwoStage),
    /// DPKendall: picks one by one by Kendall's correlation, each discounted by what it shares with those
    /// before; k is at most 1000. See [`method::dp_kendall`](crate::method::dp_kendall).
    #[cfg(feature = "methods")]
    DpKendall,
}

/// What may be stated of the two-stage method.
#[cfg(feature = "methods")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoStage {
    /// The number of blocks, if it is stated; else the root of a private count of the rows (5% of
    /// epsilon), or of their number where that is public.
    pub blocks: Option<u64>,
    /// The LASSO's penalty, for values in [-1, 1].
    pub penalty: f64,
}

#[cfg(feature = "methods")]
impl Default for TwoStage {
    fn default() -> Self {
        Self { blocks: None, penalty: 0.1 }
    }
}

/// A request for a private selection of k features, built up, then run on a table.
///
/// ```no_run
/// let selection = dpsis::Select::new(5).epsilon("2".parse()?).bounds(-1.0, 1.0).run("data.csv")?;
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
pub struct CheckedSelect(pub(super) Request);

/// A request, for a release or not.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) k: usize,
    pub(super) epsilon: Option<Epsilon>,
    pub(super) method: Method,
    pub(super) score: Option<ScoreKind>,
    pub(super) scale: Option<Scale>,
    pub(super) target: Target,
    pub(super) center: Center,
    pub(super) neighbors: Neighbors,
    pub(super) shares: Shares,
    /// None where nothing is stated.
    pub(super) mechanism: Option<Arc<dyn Mechanism>>,
    pub(super) schema_hash: Option<String>,
    pub(super) threads: Option<usize>,
    pub(super) progress: Option<Progress>,
    /// The first thing that was wrong while it was built.
    pub(super) refused: Option<Error>,
    /// Not private unless it is the operating system.
    pub(super) entropy: Entropy,
    /// Not private.
    pub(super) paper: bool,
}

/// What was stated of the features' scale.
#[derive(Clone)]
pub(super) enum Scale {
    Stated(Scaling),
    BoundsFile(PathBuf),
}

/// The parts of the budget that are not the selection's, as fractions of the total.
#[derive(Clone)]
pub(super) struct Shares {
    pub(super) target: BigRational,
    pub(super) center: BigRational,
}

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

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let epsilon = self.epsilon.as_ref().map(Epsilon::to_string);
        f.debug_struct("Select")
            .field("k", &self.k)
            .field("epsilon", &epsilon)
            .field("score", &self.score)
            .field("target", &self.target)
            .field("center", &self.center)
            .field("neighbors", &self.neighbors)
            .field("method", &self.method)
            .field("mechanism", &self.mechanism_used())
            .finish_non_exhaustive()
    }
}

impl Request {
    /// The mechanism that is stated, or else suits the method.
    pub(super) fn mechanism_used(&self) -> Arc<dyn Mechanism> {
        let default = || -> Arc<dyn Mechanism> {
            match self.method {
                Method::Scores => Arc::new(CanonicalLipschitz::default()),
                #[cfg(feature = "methods")]
                Method::TwoStage(_) | Method::DpKendall => Arc::new(crate::mechanism::Peel),
            }
        };
        self.mechanism.clone().unwrap_or_else(default)
    }

    fn or_refuse<T>(&mut self, part: Result<T>) -> Option<T> {
        part.map_err(|error| self.refused.get_or_insert(error).clone()).ok()
    }
}

impl Select {
    /// k features, everything else by default. A budget must be stated: [`epsilon`](Self::epsilon).
    ///
    /// With fewer than 200 features they are scored by Kendall's correlation; from 200 on by the
    /// correlation of ranks within the row with the target, which is split at a private median and
    /// centered privately.
    pub fn new(k: usize) -> Self {
        Self(CheckedSelect(Request {
            k,
            epsilon: None,
            method: Method::default(),
            score: None,
            scale: None,
            target: Target::default(),
            center: Center::default(),
            neighbors: Neighbors::default(),
            shares: Shares { target: ratio(1, 10), center: ratio(1, 20) },
            mechanism: None,
            schema_hash: None,
            threads: None,
            progress: None,
            refused: None,
            entropy: Entropy::OperatingSystem,
            paper: false,
        }))
    }

    fn with(mut self, change: impl FnOnce(&mut Request)) -> Self {
        change(&mut self.0.0);
        self
    }

    /// How many features.
    pub fn k(self, k: usize) -> Self {
        self.with(|request| request.k = k)
    }

    /// The total budget.
    pub fn epsilon(self, epsilon: Epsilon) -> Self {
        self.with(|request| request.epsilon = Some(epsilon))
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
    /// 0.1 and 0.05), as exact decimals or fractions: at least 1e-6 each, together below 1. The two-stage
    /// method counts rows with the center's share.
    pub fn shares(self, target: &str, center: &str) -> Self {
        let shares = parse_rational(target).zip(parse_rational(center));
        let least = ratio(1, 1_000_000);
        let valid = shares.filter(|(target, center)| {
            *target >= least && *center >= least && target + center < BigRational::one()
        });
        let shares = valid.map(|(target, center)| Shares { target, center });
        self.with(|request| {
            let wrong = || {
                Error::request("shares must be numbers of at least 1e-6 that add up to less than 1")
            };
            if let Some(shares) = request.or_refuse(shares.ok_or_else(wrong)) {
                request.shares = shares;
            }
        })
    }

    /// How features are found, by default by their scores.
    pub fn method(self, method: Method) -> Self {
        self.with(|request| request.method = method)
    }

    /// The mechanism, by default [`CanonicalLipschitz`] (for votes [`Peel`](crate::mechanism::Peel)); one
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
        self.with(|request| request.progress = Some(Arc::new(report)))
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
        NotPrivateSelect::new(self.0.0).seed(seed)
    }

    /// Centers and scales columns and target by the data, as the DP-SIS paper does: for reproducing
    /// results. Epsilon does not cover that, so the result is marked by its type.
    pub fn paper_preprocessing(self) -> NotPrivateSelect {
        NotPrivateSelect::new(self.0.0).paper_preprocessing()
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
        self.0.0.check()?;
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
        self.0.run(source).map(Selection::new)
    }

    /// What [`run`](Self::run) would spend on what. Looks at the header (the names, where the table is a
    /// matrix) and at no row. A reader is used up by that.
    ///
    /// # Errors
    ///
    /// As for a run, as far as the request and the header go; `Request` where features are rows, for
    /// the header does not hold them.
    pub fn dry_run(&self, source: &(impl Source + ?Sized)) -> Result<DryRun> {
        self.0.dry_run(source)
    }
}
