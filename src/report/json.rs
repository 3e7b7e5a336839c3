//! A record as JSON.

use serde::Serialize;

use crate::error::{Error, Result};

/// A record as one indented JSON document with a line feed at its end.
///
/// # Errors
///
/// None for records made by this crate; `Io` if serialization fails.
pub fn to_json(record: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(record)
        .map(|json| json + "\n")
        .map_err(|_| Error::io("the record cannot be written as JSON"))
}
