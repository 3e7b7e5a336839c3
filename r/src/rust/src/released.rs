//! Records of releases, as the R side takes them.

use std::path::PathBuf;

use dpsis::report::{Reported, report_with, to_html, to_json};
use dpsis::{Result, Warning};
use extendr_api::prelude::*;
use serde::Deserialize;

use crate::errors::words;

/// The ledger that pays for a release, and the notes on it.
#[derive(Deserialize)]
pub(crate) struct Terms {
    /// The day and the request.
    pub(crate) run: (String, String),
    /// The file that pays, with a note on the entry.
    pub(crate) ledger: Option<(PathBuf, String)>,
    /// The seed of a result that is not private.
    pub(crate) seed: Option<u64>,
}

impl Terms {
    /// The terms in JSON.
    ///
    /// # Errors
    ///
    /// `Request` for a seed that is none.
    pub(crate) fn new(json: &str) -> Result<Self> {
        read(json)
    }
}

/// Reads what the R side wrote as JSON.
///
/// # Errors
///
/// `Request` for a value of another kind, which no message shows.
pub(crate) fn read<T: for<'a> Deserialize<'a>>(json: &str) -> Result<T> {
    let wrong = "an argument has a value of another kind than it takes";
    serde_json::from_str(json).map_err(|_| dpsis::Error::request(wrong))
}

/// A record in all its forms: `json`, `report`, `html`, the `indices` of the picks from 1, and its
/// warnings.
///
/// # Errors
///
/// Those of writing the record.
pub(crate) fn released<R: Reported + serde::Serialize>(
    record: &R,
    indices: &[usize],
) -> Result<List> {
    let (texts, essential) = warnings(record.warnings());
    Ok(list!(
        json = to_json(record)?,
        report = report_with(record, words),
        html = to_html(record)?,
        indices = places(indices),
        warnings = texts,
        essential = essential
    ))
}

/// Places counted from 1.
pub(crate) fn places(indices: &[usize]) -> Vec<f64> {
    indices.iter().map(|index| *index as f64 + 1.0).collect()
}

/// Warnings, and of each whether the output would mislead without it.
pub(crate) fn warnings<'a>(all: impl IntoIterator<Item = &'a Warning>) -> (Vec<String>, Vec<bool>) {
    let told = |one: &Warning| (one.text.clone() + &words(&one.about), one.kind.is_essential());
    all.into_iter().map(told).unzip()
}
