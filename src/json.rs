//! Records as JSON.

use serde::Serialize;

use crate::error::{Error, Result};

/// A record as an indented JSON document that ends in a line feed.
///
/// # Errors
///
/// `Io` if serialization fails, which does not happen for records made by this crate.
pub fn to_json(record: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(record)
        .map(|json| json + "\n")
        .map_err(|_| Error::io("the record cannot be written as JSON"))
}
