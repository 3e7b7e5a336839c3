//! Errors, given as a broken rule and a place, never with a value from the data.

use std::fmt;
use std::io;
use std::path::Path;

/// The kind of an error, by who must act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is wrong, on its own or for the table's header.
    Request,
    /// The input is malformed.
    Input,
    /// The budget of a ledger is too small; nothing was spent.
    Budget,
    /// Reading, writing or the operating system's entropy failed.
    Io,
    /// The caller stopped the run; nothing was released.
    Canceled,
}

/// A parameter that an error or a warning is about, to be given or changed by the user. Programs
/// translate it into their own terms, such as the name of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Parameter {
    /// The number of features or candidates to pick.
    K,
    /// The bound on false discoveries: names of features that are not significant.
    Fwer,
    /// The maximum number of features to name.
    AtMost,
    /// The privacy budget.
    Epsilon,
    /// The probability with which the bound of epsilon may fail.
    Delta,
    /// The shares of the budget.
    Shares,
    /// The release of directions.
    Direction,
    /// The neighbor relation.
    Neighbors,
    /// The column or row that holds the target, by name.
    Target,
    /// The column or row that holds the target, by number.
    TargetIndex,
    /// A file of targets.
    TargetFile,
    /// The range of a numeric target.
    TargetBounds,
    /// The option to treat the target as a number.
    TargetNumber,
    /// The labels of the target.
    Classes,
    /// The column of times to an event.
    Time,
    /// The column of events, and the value that means an event.
    Event,
    /// The horizon of a target from a time to an event.
    Horizon,
    /// The center of the target.
    Center,
    /// The column of identifiers.
    Id,
    /// The column of person identifiers.
    Unit,
    /// The rule that combines the rows of a person into one target.
    UnitTarget,
    /// The covariates within whose strata targets are centered.
    Covariates,
    /// The features of a model without a selection.
    Features,
    /// The levels of categorical columns.
    Levels,
    /// The selection's share of the budget of a fit.
    SelectionShare,
    /// The share for ranges of a fit.
    Ranges,
    /// The regularization parameter of a logistic model.
    Lambda,
    /// Columns that are not features.
    Exclude,
    /// Whether samples are rows or columns.
    Orientation,
    /// The separator of cells.
    Delimiter,
    /// Decimal commas.
    DecimalComma,
    /// The option that numbers have a decimal point.
    DecimalPoint,
    /// The option that column names may be numbers.
    NumericNames,
    /// Texts that represent a missing value.
    Missing,
    /// The range of all features.
    Bounds,
    /// A file with the range of each feature.
    BoundsFile,
    /// The scaling of features.
    Scaling,
    /// A file of sets of features.
    Groups,
    /// The sizes of sets that are used.
    GroupSize,
    /// The score of features.
    Score,
    /// The selection method.
    Method,
    /// The second stage for correlated features.
    Refine,
    /// The number of blocks of the two-stage method.
    Blocks,
    /// The penalty of the two-stage method.
    Penalty,
    /// Public weights of features.
    Weights,
    /// The uniform share of the prior of weights.
    WeightsUniform,
    /// The mechanism.
    Mechanism,
    /// A parameter of the mechanism, by its name.
    OfMechanism(&'static str),
    /// The common sensitivity of all candidates.
    Sensitivity,
    /// The columns of a file of candidates.
    CandidateColumns,
    /// The level above which candidates are named.
    Above,
    /// Advice on the choice of a mechanism, for public scores.
    Advice,
    /// An inspection of the table before a release.
    Inspect,
    /// The list of public data sets.
    DataSets,
    /// The size of a synthetic table.
    Size,
    /// The number of threads.
    Threads,
    /// The memory of a run.
    Memory,
    /// The ledger that a release is charged to.
    Ledger,
    /// The key under which a run is charged once.
    RunKey,
    /// The cap of a ledger.
    Cap,
    /// The seed of all draws.
    Seed,
    /// The secret key of a site.
    SiteKey,
    /// The roster of the sites of a run.
    Roster,
    /// A feature missing from this build, by its name.
    BuildFeature(&'static str),
}

impl Parameter {
    /// The name of the option that sets it, as in `dpsis::SelectOptions`; empty if no option does.
    pub fn name(self) -> &'static str {
        match self {
            Self::K => "k",
            Self::Fwer => "fwer",
            Self::AtMost => "at_most",
            Self::Epsilon => "epsilon",
            Self::Delta => "delta",
            Self::Shares => "shares",
            Self::Direction => "direction",
            Self::Neighbors => "neighbors",
            Self::Target => "target",
            Self::TargetIndex => "target_index",
            Self::TargetFile => "target_file",
            Self::TargetBounds => "target_bounds",
            Self::TargetNumber => "target_number",
            Self::Classes => "classes",
            Self::Time => "time",
            Self::Event => "event",
            Self::Horizon => "by",
            Self::Center => "center",
            Self::Id => "id",
            Self::Unit => "unit",
            Self::UnitTarget => "unit_target",
            Self::Covariates => "adjust",
            Self::Features => "features",
            Self::Levels => "levels",
            Self::SelectionShare => "selection_share",
            Self::Ranges => "ranges",
            Self::Lambda => "lambda",
            Self::Exclude => "exclude",
            Self::Orientation => "features_as_rows",
            Self::Delimiter => "delimiter",
            Self::DecimalComma | Self::DecimalPoint => "decimal_comma",
            Self::NumericNames => "numeric_names",
            Self::Missing => "missing",
            Self::Bounds => "bounds",
            Self::BoundsFile => "bounds_file",
            Self::Scaling => "scale",
            Self::Groups => "groups",
            Self::GroupSize => "group_size",
            Self::Score => "score",
            Self::Method => "method",
            Self::Refine => "refine",
            Self::Blocks => "blocks",
            Self::Penalty => "penalty",
            Self::Weights => "weights",
            Self::WeightsUniform => "weights_uniform",
            Self::Mechanism => "mechanism",
            Self::OfMechanism(name) => name,
            Self::Sensitivity => "sensitivity",
            Self::CandidateColumns => "columns",
            Self::Above => "above",
            Self::Advice => "advise",
            Self::Threads => "threads",
            Self::Memory => "memory",
            Self::Ledger => "ledger",
            Self::RunKey => "run_key",
            Self::Cap => "cap",
            Self::Seed => "seed",
            Self::SiteKey => "key",
            Self::Roster => "mask",
            Self::Inspect | Self::DataSets | Self::Size | Self::BuildFeature(_) => "",
        }
    }

    /// The names of the function arguments that set these parameters, each once. They are the names
    /// of options, except that one argument takes a target by name or by number, and one takes
    /// bounds or a file of bounds. Parameters that only the command line takes have no argument.
    /// `inspect` is the name of the function that inspects a table.
    pub fn arguments(all: &[Self], inspect: &'static str) -> Vec<&'static str> {
        let mut names = Vec::new();
        for one in all {
            let name = match one {
                Self::TargetIndex => "target",
                Self::BoundsFile => "bounds",
                Self::Inspect => inspect,
                Self::Advice | Self::SiteKey | Self::Roster => "",
                _ => one.name(),
            };
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// The names in parentheses after a space; empty if there are no names.
pub fn in_parentheses<N: AsRef<str>>(names: &[N]) -> String {
    let names: Vec<&str> =
        names.iter().map(AsRef::as_ref).filter(|name| !name.is_empty()).collect();
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
}

/// A place in the input: rows are counted from 1 below the header, columns from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Data row, counted from 1 below the header; `None` for the header.
    pub row: Option<u64>,
    /// Column of the file, counted from 1.
    pub column: Option<usize>,
}

/// An error: the rule that was broken, the place, and a hint.
///
/// No message contains the value of a cell, so an error can be shown to anyone who may see the
/// header. (Whether an error occurs depends on the data; see the page on the guarantee.)
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    rule: Box<str>,
    /// The name of the file, if the run reads several.
    file: Option<Box<str>>,
    place: Option<Place>,
    hint: Option<Box<str>>,
    about: Box<[Parameter]>,
    /// The unspent budget of a run that failed because of its own earlier releases.
    unspent: Option<Box<str>>,
}

/// A result with the crate's error type.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, rule: impl Into<String>) -> Self {
        Self {
            kind,
            rule: rule.into().into(),
            file: None,
            place: None,
            hint: None,
            about: Box::default(),
            unspent: None,
        }
    }

    /// An error of the request: [`ErrorKind::Request`].
    pub fn request(rule: impl Into<String>) -> Self {
        Self::new(ErrorKind::Request, rule)
    }

    /// An error of the input: [`ErrorKind::Input`].
    pub fn input(rule: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, rule)
    }

    /// A failure to read or write: [`ErrorKind::Io`].
    pub fn io(rule: impl Into<String>) -> Self {
        Self::new(ErrorKind::Io, rule)
    }

    /// The failure to read a file. If the file does not exist, the hint lists similar names in its
    /// folder.
    #[doc(hidden)]
    pub fn cannot_read(path: &Path, error: &io::Error) -> Self {
        let failed = Self::io(format!("cannot read {}: {error}", path.display()));
        if error.kind() == io::ErrorKind::NotFound { failed.or_near_file(path) } else { failed }
    }

    /// A refusal by a ledger: [`ErrorKind::Budget`].
    pub fn budget(rule: impl Into<String>) -> Self {
        Self::new(ErrorKind::Budget, rule)
    }

    /// The error of a run stopped by the caller: [`ErrorKind::Canceled`].
    #[doc(hidden)]
    pub fn canceled() -> Self {
        Self::new(ErrorKind::Canceled, "the run was canceled; nothing was released")
    }

    /// Changes the kind to `Input`: a file broke the rule.
    pub fn into_input(mut self) -> Self {
        self.kind = ErrorKind::Input;
        self
    }

    /// Adds the place: a data row counted from 1 (`None` for the header), and a column counted
    /// from 1.
    pub fn at(mut self, row: Option<u64>, column: Option<usize>) -> Self {
        self.place = Some(Place { row, column });
        self
    }

    /// Adds the row of a file, if it is known.
    pub fn at_row(self, row: Option<u64>) -> Self {
        if row.is_some() { self.at(row, None) } else { self }
    }

    /// Removes the column: if samples are columns, their number and places are private.
    pub fn without_column(mut self) -> Self {
        if let Some(place) = &mut self.place {
            place.column = None;
        }
        self
    }

    /// The same error, for the cap of a ledger, which is parsed as an epsilon.
    pub fn about_the_cap(mut self) -> Self {
        self.rule = self.rule.replace("epsilon", "the cap").into();
        self.about([Parameter::Cap])
    }

    /// Removes the hint, which may list header cells that are not names.
    pub fn without_hint(mut self) -> Self {
        self.hint = None;
        self
    }

    /// Adds the name of the file, if the run reads several.
    #[doc(hidden)]
    pub fn in_file(mut self, name: impl Into<String>) -> Self {
        self.file = Some(name.into().into());
        self
    }

    /// Adds a hint: the usual remedy.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into().into());
        self
    }

    /// Adds a hint with the public names that are close to a mistyped one, the closest first, if
    /// there are any.
    #[doc(hidden)]
    pub fn or_near(self, known: &[String], name: &str) -> Self {
        let near = near(known, name);
        if near.is_empty() {
            return self;
        }
        let near: Vec<String> = near.into_iter().map(|other| format!("{other:?}")).collect();
        self.hint(format!("did you mean {}?", near.join(" or ")))
    }

    /// Adds a hint with the files whose names are close to that of a missing one, or with the
    /// symbolic link whose destination is missing.
    #[doc(hidden)]
    pub fn or_near_file(self, path: &Path) -> Self {
        let Some(name) = path.file_name() else { return self };
        if path.is_symlink() {
            return self.hint("it is a symbolic link to a path that does not exist");
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let siblings = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten();
        let names: Vec<String> = siblings
            .flatten()
            .map(|file| file.file_name().to_string_lossy().into_owned())
            .collect();
        self.or_near(&names, &name.to_string_lossy())
    }

    /// Adds a sentence after the hint, if there is a hint.
    pub fn with_note(self, note: &str) -> Self {
        let hint = match &self.hint {
            Some(hint) => format!("{hint}; {note}"),
            None => note.to_owned(),
        };
        self.hint(hint)
    }

    /// Adds the parameters to give or change, the most likely first.
    pub fn about(mut self, parameters: impl IntoIterator<Item = Parameter>) -> Self {
        self.about = parameters.into_iter().collect();
        self
    }

    /// The parameters to give or change, the most likely first; often empty.
    pub fn parameters(&self) -> &[Parameter] {
        &self.about
    }

    /// Adds the unspent budget of a run that failed because of its own earlier releases.
    pub fn leaving(mut self, unspent: impl Into<String>) -> Self {
        self.unspent = Some(unspent.into().into());
        self
    }

    /// The unspent budget of a run that failed because of its own earlier releases: a
    /// ledger takes it back. `None` for all other errors, after which the whole budget counts as
    /// spent. An exact number.
    pub fn unspent(&self) -> Option<&str> {
        self.unspent.as_deref()
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The place in the input, if the error has one.
    pub fn place(&self) -> Option<Place> {
        self.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        if let Some(Place { row, column }) = self.place {
            match (row, column) {
                (Some(row), Some(column)) => write!(f, "row {row}, column {column}: ")?,
                (Some(row), None) => write!(f, "row {row}: ")?,
                // A table in memory has column names but no header.
                (None, Some(column)) => write!(f, "column {column}: ")?,
                (None, None) => write!(f, "header: ")?,
            }
        }
        write!(f, "{}", self.rule)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// At most three names that are close to a mistyped one, the closest first.
pub fn near<'a>(known: &'a [String], name: &str) -> Vec<&'a str> {
    let wanted = name.trim().to_lowercase();
    let similarity = |other: &str| strsim::jaro_winkler(&wanted, &other.trim().to_lowercase());
    let mut near: Vec<(f64, &str)> = known
        .iter()
        .map(|other| (similarity(other), other.as_str()))
        .filter(|(similarity, _)| *similarity > 0.85)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.into_iter().take(3).map(|(_, other)| other).collect()
}

/// Looks up the value of a keyword.
///
/// # Errors
///
/// `Request` about a parameter for an unknown keyword, with the list of keywords.
pub fn word<T: Copy>(about: Parameter, given: &str, words: &[(&str, T)]) -> Result<T> {
    let found = words.iter().find(|(word, _)| *word == given);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
        Error::request(format!("there is no such value: it is one of {}", words.join(", ")))
            .about([about])
    })
}
