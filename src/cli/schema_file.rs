//! A file of public facts about a table, in one reviewable place.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// What `select` can be told about a table; every field may be left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SchemaFile {
    pub(super) target: Option<String>,
    pub(super) target_file: Option<PathBuf>,
    pub(super) id: Option<String>,
    pub(super) features_as_rows: bool,
    pub(super) delimiter: Option<String>,
    pub(super) decimal_comma: bool,
    /// Texts that stand for a missing value.
    pub(super) missing: Vec<String>,
    pub(super) classes: Option<Vec<String>>,
    pub(super) target_bounds: Option<[f64; 2]>,
    pub(super) bounds: Option<[f64; 2]>,
    pub(super) bounds_file: Option<PathBuf>,
}

/// Reads a schema file; also its SHA-256 in hexadecimal.
///
/// # Errors
///
/// `Io` if it cannot be read; `Request` if it is no schema.
pub(super) fn read_schema(path: &Path) -> Result<(SchemaFile, String)> {
    let name = path.display();
    let bytes =
        std::fs::read(path).map_err(|error| Error::io(format!("cannot read {name}: {error}")))?;
    let schema = serde_json::from_slice(&bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Error::request(format!("{name} is no schema file: see line {line}, column {column}"))
            .hint("`dpsis inspect --write-schema FILE` writes one")
    })?;
    let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((schema, hash))
}
