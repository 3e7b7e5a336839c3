//! What is asked for.

use std::path::PathBuf;
use std::sync::Arc;

use num_rational::BigRational;
use num_traits::{One, Signed};

use crate::data::{Bounds, CellFormat, Orientation, Progress, Scaling, TargetColumn};
use crate::error::{Error, Result};
use crate::exact::{parse_rational, ratio};
use crate::mechanism::CanonicalLipschitz;
use crate::privacy::{Epsilon, Neighbours};
use crate::random::Randomness;

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

/// How good a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScoreKind {
    /// Clipped correlation of scaled values with the target.
    Correlation,
    /// Kendall's rank correlation: needs no scaling and no centre, and suits columns in different
    /// units.
    Kendall,
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
#[derive(Clone)]
pub struct Select {
    pub(super) k: usize,
    pub(super) epsilon: Epsilon,
    pub(super) target_column: TargetColumn,
    pub(super) target_file: Option<PathBuf>,
    pub(super) id: Option<String>,
    pub(super) exclude: Vec<String>,
    pub(super) orientation: Orientation,
    pub(super) delimiter: Option<u8>,
    pub(super) format: CellFormat,
    pub(super) numeric_names: bool,
    pub(super) score: Option<ScoreKind>,
    pub(super) scaling: Option<Scaling>,
    pub(super) paper: bool,
    pub(super) target: Target,
    pub(super) center: Center,
    pub(super) neighbours: Neighbours,
    pub(super) shares: Shares,
    pub(super) mechanism: CanonicalLipschitz,
    pub(super) randomness: Randomness,
    pub(super) schema_hash: Option<String>,
    pub(super) threads: Option<usize>,
    pub(super) progress: Option<Progress>,
}

/// The parts of the budget that are not the selection's, as fractions of the total.
#[derive(Clone)]
pub(super) struct Shares {
    pub(super) target: BigRational,
    pub(super) center: BigRational,
}

impl Select {
    /// k features under a total budget, everything else by default: the target in the last column.
    /// With fewer than 200 features they are scored by Kendall's correlation; from 200 on by the
    /// correlation of ranks within the row with the target, which is split at a private median and
    /// centred privately.
    pub fn new(k: usize, epsilon: Epsilon) -> Self {
        Self {
            k,
            epsilon,
            target_column: TargetColumn::default(),
            target_file: None,
            id: None,
            exclude: Vec::new(),
            orientation: Orientation::default(),
            delimiter: None,
            format: CellFormat::default(),
            numeric_names: false,
            score: None,
            scaling: None,
            paper: false,
            target: Target::default(),
            center: Center::default(),
            neighbours: Neighbours::default(),
            shares: Shares { target: ratio(1, 10), center: ratio(1, 20) },
            mechanism: CanonicalLipschitz::default(),
            randomness: Randomness::default(),
            schema_hash: None,
            threads: None,
            progress: None,
        }
    }

    /// A CSV file `id,value` with the targets; joined by equality of text with the id column (by
    /// default the first). A sample without an entry has a missing target.
    pub fn target_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.target_file = Some(path.into());
        self
    }

    /// Which way the table lies.
    pub fn orientation(mut self, orientation: Orientation) -> Self {
        self.orientation = orientation;
        self
    }

    /// What separates cells: an ASCII character. By default the most frequent of comma, tab and
    /// semicolon in the header.
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Whether `3,5` means three and a half.
    pub fn decimal_comma(mut self, decimal_comma: bool) -> Self {
        self.format.decimal_comma = decimal_comma;
        self
    }

    /// Texts that stand for a missing value, besides empty and unparseable cells.
    pub fn missing(mut self, codes: Vec<String>) -> Self {
        self.format.missing = codes;
        self
    }

    /// Says that the names in the header may be numbers. Otherwise a header that looks like a row of
    /// data is refused, for its names are printed.
    pub fn numeric_names(mut self, numeric_names: bool) -> Self {
        self.numeric_names = numeric_names;
        self
    }

    /// How features are scored.
    pub fn score(mut self, score: ScoreKind) -> Self {
        self.score = Some(score);
        self
    }

    /// Centres and scales columns and target by the data themselves, as the DP-SIS paper does.
    ///
    /// **The result is not private**, whatever epsilon says: this is for reproducing results on
    /// public data. The record says so.
    pub fn paper_preprocessing_not_private(mut self) -> Self {
        self.paper = true;
        self
    }

    /// The neighbour relation of the guarantee.
    pub fn neighbours(mut self, neighbours: Neighbours) -> Self {
        self.neighbours = neighbours;
        self
    }

    /// The shares of the budget for the target's median and centre, where they are drawn (defaults
    /// 0.1 and 0.05), as exact decimals or fractions.
    ///
    /// # Errors
    ///
    /// `Request` unless both are numbers above 0 that add up to less than 1.
    pub fn shares(mut self, target: &str, center: &str) -> Result<Self> {
        let shares = parse_rational(target).zip(parse_rational(center));
        match shares {
            Some((target, center))
                if target.is_positive()
                    && center.is_positive()
                    && &target + &center < BigRational::one() =>
            {
                self.shares = Shares { target, center };
                Ok(self)
            }
            _ => Err(Error::request("shares must be above 0 and add up to less than 1")),
        }
    }

    /// Called with the share of the file that has been read, from 0 to 1, in each pass.
    pub fn progress(mut self, report: impl Fn(f64) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(report));
        self
    }

    /// The hash of a schema file whose facts this request states, for the record.
    #[cfg(feature = "cli")]
    pub(crate) fn schema_hash(mut self, hash: String) -> Self {
        self.schema_hash = Some(hash);
        self
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

    /// Columns (rows, where features are rows) that are no features.
    pub fn exclude(mut self, names: Vec<String>) -> Self {
        self.exclude = names;
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
}
