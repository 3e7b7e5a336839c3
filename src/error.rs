//! What can go wrong, said as a rule and a place, never with a value from the data.

use std::fmt;

/// Which party has to act; the command line turns it into the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is wrong, by itself or against the header (exit code 2).
    Request,
    /// The input is malformed (exit code 3).
    Input,
    /// Reading, writing or the operating system's entropy failed (exit code 5).
    Io,
}

/// Where in the input: rows are counted from 1 below the header, columns from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Data row, counted from 1 below the header; `None` for the header.
    pub row: Option<u64>,
    /// Column of the file, counted from 1.
    pub column: Option<usize>,
}

/// An error: a rule that was broken, where, and what usually helps.
///
/// No message holds a value from a cell: an error can be shown to anyone the header can be shown
/// to. (That an error happened at all depends on the data; see the page on what is promised.)
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    rule: String,
    place: Option<Place>,
    hint: Option<String>,
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, rule: impl Into<String>) -> Self {
        Self { kind, rule: rule.into(), place: None, hint: None }
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

    /// The same rule, broken by a file.
    pub(crate) fn into_input(mut self) -> Self {
        self.kind = ErrorKind::Input;
        self
    }

    /// The same error with its place: a data row counted from 1, none for the header, and a column counted
    /// from 1.
    pub fn at(mut self, row: Option<u64>, column: Option<usize>) -> Self {
        self.place = Some(Place { row, column });
        self
    }

    /// Without the column: where samples are columns, their number and places are private.
    pub(crate) fn without_column(mut self) -> Self {
        if let Some(place) = &mut self.place {
            place.column = None;
        }
        self
    }

    /// Without the hint: it offers names, which may be none.
    pub(crate) fn without_hint(mut self) -> Self {
        self.hint = None;
        self
    }

    /// The same error with the remedy that usually helps.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Who has to act.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Where in the input, if the error has a place.
    pub fn place(&self) -> Option<Place> {
        self.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Place { row, column }) = self.place {
            match row {
                Some(row) => write!(f, "row {row}")?,
                None => write!(f, "header")?,
            }
            if let Some(column) = column {
                write!(f, ", column {column}")?;
            }
            write!(f, ": ")?;
        }
        write!(f, "{}", self.rule)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
