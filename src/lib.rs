//! Differentially private feature selection.
//!
//! Given a table with one row per person, `dpsis` chooses k features for a target such that the
//! output is epsilon-differentially private (delta = 0, unless one is given) on the real machine:
//! every value is put on an integer grid by a function of its own row, scores are integer sums with
//! a proven sensitivity, every estimate on the way is charged to the budget, and noise is compared
//! exactly.
//!
//! ```no_run
//! let selection = dpsis::Select::new(5).epsilon(2).run("data.csv")?;
//! print!("{}", dpsis::report::names(&selection));
//! # Ok::<(), dpsis::Error>(())
//! ```
//!
//! # I want to ...
//!
//! | I want to ... | see |
//! | --- | --- |
//! | select features of a file: CSV, numpy's, R's, GenePattern's, Parquet, Arrow | [`Select`], with the file's path |
//! | describe the format and the columns of a file, or read text from a reader, once or often | [`FileTable`], [`TableFacts`] |
//! | select columns of a matrix in memory | `ArrayTable` (feature `ndarray`) |
//! | select within a `linfa` pipeline | [below](#in-a-linfa-pipeline) (feature `linfa`) |
//! | give a budget exactly | [`Epsilon`], [`Exact`] |
//! | give public information: ranges, classes, the target's center, the number of rows | [`Select::bounds`], [`Scaling`], [`Target`], [`Center`], [`Neighbors`] |
//! | fit a private model to selected features, and predict by it | [`FitModel`], [`mod@model`] |
//! | see the released names, the budget and the assumptions | [`Selection`] and its [`Record`] |
//! | print that as text, TSV or JSON, or as an HTML page (feature `html`) | [`report`] |
//! | hand it to an output checker (feature `exports`) | `report::AcroFolder` |
//! | see the budget of a run before it | [`Select::dry_run`]; without a table, [`CheckedSelect::spending`] |
//! | predict the effect sizes that a run finds, and finds significant | [`forecast`], [`CheckedSelect::forecast`] |
//! | keep several releases within one budget | [`Ledger`] |
//! | run a command of an interface, as JSON or by options | [`job`] |
//! | add up the rows of several machines, and release from the sums | [`Partial`] |
//! | read rows of one table from several files | [`FileTables`]; `files` (feature `patterns`) |
//! | release from the rows of several sites without showing anyone their sums (feature `sites`) | `SiteKey` |
//! | sum up rows in a database, and release from the result | [`Select::query`], [`Partial::of_query`] |
//! | repeat a run for a test | [`Select::seed`], [`NotPrivate`] |
//! | simulate one request many times on a public table | [`Rehearsal`] |
//! | reproduce the DP-SIS paper's preprocessing | [`Select::paper_preprocessing`] |
//! | inspect a table before a release | `inspect` (feature `inspect`) |
//! | choose k of anything by named scores as decimal text | [`Choose`], [`Candidates`] |
//! | choose k of anything by integer scores | [`Scores`], [`Mechanism`] |
//! | find a suitable mechanism | [`mechanism::CARDS`], [`mechanism::by_id`], [`mechanism::recommend`], [`mechanism::advise`] |
//! | select by DPKendall or (feature `methods`) the two-stage method | [`Select::method`], [`Method`] |
//! | fit a LASSO to many features | `method::Lasso` (feature `methods`) |
//! | compare with choices that are not private | [`mechanism::Baseline`], [`Choose::trials`] |
//! | score features from my own rows or a database | [`Scaler`], [`score::CorrelationSums`], [`score::ClassSums`] |
//! | estimate a center, a median or another quantile privately | [`mod@estimate`] |
//! | compute the joint epsilon and delta of several releases | [`account`], [`Record::events`], [`mechanism::Card::event`] |
//! | check a mechanism's claim, or any release by its outcomes (feature `verify`) | `verify` |
//! | read how a mechanism works and why it is private | its module, such as [`mechanism::canonical`] |
//! | handle errors | [`Error`], [`ErrorKind`], [`Parameter`] |
//!
//! The command line is the package `dpsis-cli`; public data sets and comparisons of methods are the
//! package `dpsis-eval`.
//!
//! # Features
//!
//! None is on by default; without features, the library compiles about forty crates and no C.
//!
//! | feature | adds | dependencies |
//! | --- | --- | --- |
//! | `ndarray` | `ArrayTable`, `Record::columns_of`, `score::kendall` | ndarray |
//! | `linfa` | `ParamGuard` and `Fit` for requests, `Transformer` for selections; with `ndarray` | linfa |
//! | `methods` | the two-stage method and its LASSO, `method::Lasso`; with `linfa` | linfa-elasticnet |
//! | `sites` | `SiteKey`, `Roster`, `MaskedPartial`: one release from several sites | x25519-dalek, hkdf, sha2 |
//! | `inspect` | `inspect`: findings on a table before a release | none |
//! | `html` | `report::to_html`, `report::Page` | none |
//! | `exports` | `report::AcroFolder`: a release for output checkers | sha2, tempfile |
//! | `verify` | `verify`: enumeration of mechanisms, black-box audits | none |
//! | `patterns` | `files`: the files of folders and patterns | glob |
//! | `zstd` | text compressed by Zstandard | zstd (compiles C) |
//! | `xz` | R's files compressed by xz | liblzma (compiles C) |
//! | `batches` | Arrow's record batches as tables, in memory or produced for each pass | arrow-array, arrow-schema |
//! | `arrow` | Parquet and Arrow files as tables: a heavy build | arrow, parquet |
//! | `full` | all of these | as listed |
//!
//! # In a linfa pipeline
//!
//! [`Select`] is a set of parameters: check, fit, transform.
//!
#![cfg_attr(feature = "linfa", doc = "```")]
#![cfg_attr(not(feature = "linfa"), doc = "```ignore")]
//! use dpsis::Select;
//! use linfa::prelude::*;
//! use ndarray::{Array, array};
//!
//! let x = Array::from_shape_fn((1000, 3), |(i, j)| ((i * (7 + 4 * j)) % 100) as f64);
//! let y = x.column(2).to_owned() * 0.5;
//! let dataset = Dataset::new(x, y).with_feature_names(vec!["age", "weight", "dose"]);
//!
//! let request = Select::new(1).epsilon("2").bounds(0.0, 100.0).check()?;
//! let selection = request.fit(&dataset)?;
//! assert_eq!(selection.selected[0].name, "dose"); // wrong with probability below e^-100
//!
//! let reduced = selection.transform(dataset)?;
//! assert_eq!(reduced.feature_names(), ["dose"]);
//! assert_eq!(reduced.records.dim(), (1000, 1));
//! # Ok::<(), dpsis::Error>(())
//! ```
//!
//! [`FitModel`] selects and fits under one budget, and its result predicts:
//!
#![cfg_attr(feature = "linfa", doc = "```")]
#![cfg_attr(not(feature = "linfa"), doc = "```ignore")]
//! use dpsis::{FitModel, Select};
//! use linfa::prelude::*;
//! use ndarray::Array;
//!
//! let x = Array::from_shape_fn((4000, 4), |(i, j)| ((i * (7 + 4 * j)) % 101) as f64);
//! let y = x.column(2).to_owned() * 0.5 + &x.column(0) * 0.2;
//! let dataset = Dataset::new(x, y);
//! let (train, test) = dataset.split_with_ratio(0.75);
//!
//! let request = FitModel::new(Select::new(2).epsilon(20).bounds(0.0, 100.0)).check()?;
//! let fitted = request.fit(&train)?;
//! let predicted = fitted.predict(&test);
//! assert!(predicted.r2(&test)? > 0.9); // wrong with probability below e^-20
//! # Ok::<(), dpsis::Error>(())
//! ```
//!
//! The selection is private; the reduced dataset is data, and a model fitted on it is not private
//! by itself. Every fit spends its epsilon, and with cross-validation a row is in the training rows
//! of all folds but one, so that all but one of the folds' epsilons add up - *if* the row's fold
//! depends on the row alone. linfa's own `fold` and `iter_fold` assign rows to folds by their
//! places (and drop the features' names): an additional row moves others between folds, so request
//! [`Neighbors::ReplaceOne`] with them, or assign the rows as in the example `cross_validation`.
//! The example `elasticnet` feeds a model.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod choose;
mod table;
pub use dpsis_mechanisms::{account, mechanism};
pub(crate) use dpsis_mechanisms::{error, exact, random};
pub mod estimate;
pub mod forecast;
#[cfg(feature = "inspect")]
pub mod inspect;
pub mod job;
mod json;
#[cfg(all(test, feature = "html"))]
#[path = "../tests/support/markup.rs"]
#[expect(unreachable_pub, reason = "a module of other tests, too")]
mod markup;
pub mod method;
pub mod model;
mod privacy;
mod release;
pub mod report;
mod request;
mod run;
pub mod score;
mod sql;
mod statistic;
#[cfg(any(test, feature = "verify"))]
use dpsis_mechanisms::support;
mod threads;
mod vectors;
#[cfg(any(test, feature = "verify"))]
pub mod verify;

pub use choose::{
    CandidateColumns, Candidates, CandidatesOption, Choice, ChoiceRecord, Choose, ChooseOptions,
    ChosenCandidate, NotPrivateChoose, PublicCandidates, ScoresUsed, Trials,
};
pub use error::{Error, ErrorKind, Parameter, Place, Result, in_parentheses};
pub use exact::{Exact, GRID};
pub use mechanism::{CanonicalLipschitz, Mechanism};
#[cfg(feature = "batches")]
pub use table::BatchIterator;
#[cfg(feature = "ndarray")]
#[doc(hidden)]
pub use table::OwnTarget;
#[cfg(feature = "patterns")]
pub use table::files;
#[cfg(feature = "ndarray")]
pub use table::{ArrayTable, Element, ToTarget};
pub use table::{
    Bounds, Covariate, FeatureSets, FileTable, FileTables, Levels, Orientation, Scaler, Scaling,
    SetFacts, SetMembers, SetSize, Source, TableFacts, TargetColumn, TimeToEvent, UnitTarget,
};

pub use dpsis_mechanisms::{
    Delta, Epsilon, Neighbors, NotPrivate, OperatingSystem, Purpose, Randomness, RecordsPrivacy,
    Seeded, Spending, Unit,
};
pub use privacy::{
    Balance, Expense, Ledger, LedgerEntry, LedgerNote, LedgerOptions, LedgerTerms, Receipt,
};
pub use release::{
    AtHorizon, Command, Direction, EntropySource, Estimate, GroupsUsed, Guarantee, MechanismReason,
    MechanismUsed, MissingRule, PickOrder, Picked, PublicFacts, RandomnessUsed, Record, Released,
    RunNote, ScoreId, ScoreUsed, Selection, Significance, TargetCoding, TargetUsed, Warning,
    WarningKind,
};
pub use request::{
    BoundsOption, Center, CenterOption, CenterUsed, CheckedSelect, FalseDiscoveryBound,
    GroupsOption, Method, MethodOptions, NotPrivateSelect, Number, PrivacyOptions, Refine,
    RunningOptions, ScaleUsed, ScoreKind, ScoringOptions, Select, SelectOptions, Target,
    TargetOptions, TwoStage, Weights, WeightsOption,
};
pub use run::{
    CheckedFitModel, ColumnScore, DryRun, FitDryRun, FitModel, FitOptions, FitRecord, FittedModel,
    GivenToModel, ModelOptions, Noise, NotPrivateFitModel, Partial, PartialFile, Rehearsal,
    RehearsalSeeds, RehearsedPick, ReleasedTarget, RowsNeeded, Stage,
};
pub use score::Scores;

#[cfg(feature = "sites")]
pub use run::{MaskedPartial, Roster, Site, SiteFacts, SiteKey};
pub use sql::{SqlDialect, SqlForm, SqlTable};

/// Items for the other crates of this workspace, without any promise of stability.
#[doc(hidden)]
pub mod internals {
    pub use crate::choose::LARGEST;
    pub use crate::error::near;
    pub use crate::exact::{
        EULER, binomial, harmonic, ln_binomial, near_f64, ratio, saturating_i64, two_digits,
    };
    pub use crate::mechanism::check_k;
    #[cfg(feature = "methods")]
    pub use crate::method::ballots;
    pub use crate::method::votes;
    pub use crate::privacy::ledger::{KeepLedger, utc};
    pub use crate::random::SeededNoise;
    #[cfg(feature = "html")]
    pub use crate::report::escape;
    #[cfg(any(test, feature = "verify"))]
    pub use crate::report::verified::grouped;
    pub use crate::report::wrap::wrapped;
    pub use crate::request::{ALPHA, CENTER_IN_STRATA, SHARES, checked_threads};
    pub use crate::run::TargetType;
    #[cfg(feature = "batches")]
    pub use crate::table::identifiers;
    pub use crate::table::{
        RNumbers, WholeTable, are_excluded, delimiter_name, parse_delimiter, parse_number,
    };
    #[cfg(feature = "batches")]
    pub use crate::table::{as_objects, quiet_caught_panics};
    pub use crate::threads::{available_threads, in_parallel, on_threads};
}

/// The code of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The code of the page about the library runs.
#[cfg(all(doctest, feature = "linfa"))]
#[doc = include_str!("../docs/library.md")]
struct Library;
