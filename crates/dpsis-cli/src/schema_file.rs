//! A file of public facts about a table, in one reviewable place.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use dpsis::{Error, Result};

/// What `select` can be told about a table; every field may be left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SchemaFile {
    pub(super) target: Option<String>,
    pub(super) target_file: Option<PathBuf>,
    pub(super) id: Option<String>,
    /// Columns that are no features.
    pub(super) exclude: Vec<String>,
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
    let mut schema: SchemaFile = serde_json::from_slice(&bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Error::request(format!("{name} is no schema file: see line {line}, column {column}"))
            .hint("`dpsis inspect --write-schema FILE` writes one")
    })?;
    for (both, names) in [
        (schema.target.is_some() && schema.target_file.is_some(), "target and target_file"),
        (schema.classes.is_some() && schema.target_bounds.is_some(), "classes and target_bounds"),
        (schema.bounds.is_some() && schema.bounds_file.is_some(), "bounds and bounds_file"),
    ] {
        if both {
            return Err(Error::request(format!("{name}: {names} exclude each other")));
        }
    }
    // Files are named from where the schema is.
    let folder = path.parent().unwrap_or(Path::new(""));
    for file in [&mut schema.target_file, &mut schema.bounds_file].into_iter().flatten() {
        *file = folder.join(&*file);
    }
    let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((schema, hash))
}
