//! A request for a selection, as it is stated.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use num_rational::BigRational;
use num_traits::One;

use crate::data::{Bounds, Hooks, Scaling};
use crate::error::{Error, Parameter, Result};
use crate::exact::{Exact, ratio};
use crate::mechanism::{CanonicalLipschitz, Mechanism};
use crate::privacy::Neighbors;
use crate::random::Entropy;

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
    TwoStage(TwoStage),
    /// DPKendall: picks one by one by Kendall's correlation, each discounted by what it shares with those
    /// before; k is at most 1000. See [`method::dp_kendall`](crate::method::dp_kendall).
    DpKendall,
}

/// What may be stated of the two-stage method.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TwoStage {
    /// The number of blocks, if it is stated; else the root of a private count of the rows (5% of
    /// epsilon), or of their number where that is public.
    pub blocks: Option<u64>,
    /// The LASSO's penalty, for values in [-1, 1].
    pub penalty: f64,
}

impl TwoStage {
    /// With a stated number of blocks, which is then public.
    pub fn blocks(self, blocks: u64) -> Self {
        Self { blocks: Some(blocks), ..self }
    }

    /// With another penalty of the LASSO, positive, for values in [-1, 1].
    pub fn penalty(self, penalty: f64) -> Self {
        Self { penalty, ..self }
    }
}

impl Default for TwoStage {
    fn default() -> Self {
        Self { blocks: None, penalty: 0.1 }
    }
}

/// A request, for a release or not.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) k: usize,
    pub(super) epsilon: Option<Exact>,
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
    pub(super) hooks: Hooks,
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
    pub(super) target: Exact,
    pub(super) center: Exact,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let epsilon = self.epsilon.as_ref().map(Exact::to_string);
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
    /// A request in which nothing but k is stated.
    pub(super) fn new(k: usize) -> Self {
        Self {
            k,
            epsilon: None,
            method: Method::default(),
            score: None,
            scale: None,
            target: Target::default(),
            center: Center::default(),
            neighbors: Neighbors::default(),
            shares: Shares { target: (1, 10).into(), center: (1, 20).into() },
            mechanism: None,
            schema_hash: None,
            threads: None,
            hooks: Hooks::default(),
            refused: None,
            entropy: Entropy::OperatingSystem,
            paper: false,
        }
    }

    /// The mechanism that is stated, or else suits the method.
    pub(super) fn mechanism_used(&self) -> Arc<dyn Mechanism> {
        let default = || -> Arc<dyn Mechanism> {
            match self.method {
                Method::Scores => Arc::new(CanonicalLipschitz::default()),
                Method::TwoStage(_) | Method::DpKendall => Arc::new(crate::mechanism::Peel),
            }
        };
        self.mechanism.clone().unwrap_or_else(default)
    }

    /// The part, unless it is wrong: then the first such error is kept for the check.
    pub(super) fn or_refuse<T>(&mut self, part: Result<T>) -> Option<T> {
        part.map_err(|error| self.refused.get_or_insert(error).clone()).ok()
    }
}

impl Shares {
    /// The share of the target's median.
    pub(super) fn target(&self) -> Result<BigRational> {
        self.check().map(|(target, _)| target)
    }

    /// The share of the target's center, or of the count of rows.
    pub(super) fn center(&self) -> Result<BigRational> {
        self.check().map(|(_, center)| center)
    }

    /// Both shares, of at least 1e-6 each and together below 1.
    pub(super) fn check(&self) -> Result<(BigRational, BigRational)> {
        let shares = self.target.clone().rational().zip(self.center.clone().rational());
        let least = ratio(1, 1_000_000);
        let valid = shares.filter(|(target, center)| {
            *target >= least && *center >= least && target + center < BigRational::one()
        });
        valid.ok_or_else(|| {
            Error::request("shares must be numbers of at least 1e-6 that add up to less than 1")
                .about([Parameter::Shares])
        })
    }
}
