//! Schema files: public information about a table, in one place to review.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use dpsis::{Error, Result, TableFacts, TargetColumn};

/// Public information about a table, its target and its features; every field is optional.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SchemaFile {
    #[serde(flatten)]
    pub(super) facts: TableFacts,
    /// The labels of the target.
    pub(super) classes: Option<Vec<String>>,
    /// The column of times to an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<String>,
    /// The column of events, and the value that means one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) event: Option<[String; 2]>,
    /// The horizon of a target from a time to an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<f64>,
    /// The range of a numeric target.
    pub(super) target_bounds: Option<[f64; 2]>,
    /// Whether the target is a number, of unknown range.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) target_number: bool,
    /// The range of all features.
    pub(super) bounds: Option<[f64; 2]>,
    /// A file with the range of each feature.
    pub(super) bounds_file: Option<PathBuf>,
}

impl SchemaFile {
    /// Removes the fields about the kind of the target.
    pub(super) fn without_kind(&mut self) {
        (self.classes, self.target_bounds, self.target_number) = (None, None, false);
        (self.time, self.event, self.by) = (None, None, None);
    }
}

/// Reads a schema file; also returns its SHA-256 in hexadecimal.
///
/// # Errors
///
/// `Io` if it cannot be read; `Request` if it is not a schema.
pub(super) fn read_schema(path: &Path) -> Result<(SchemaFile, String)> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|error| Error::cannot_read(path, &error))?;
    let mut schema: SchemaFile = serde_json::from_slice(&bytes).map_err(|error| {
        let wrong = match wrong_field(&bytes) {
            Some(field) => {
                format!("the field {field:?} is unknown, or its value is of another kind")
            }
            None => format!("see line {}, column {}", error.line(), error.column()),
        };
        Error::request(format!("{name} is not a schema file: {wrong}"))
            .hint("`dpsis inspect --write-schema FILE` writes one")
    })?;
    let states_target = schema.facts.target != TargetColumn::Last;
    for (both, names) in [
        (states_target && schema.facts.target_file.is_some(), "target and target_file"),
        (schema.classes.is_some() && schema.target_bounds.is_some(), "classes and target_bounds"),
        (schema.classes.is_some() && schema.target_number, "classes and target_number"),
        (schema.bounds.is_some() && schema.bounds_file.is_some(), "bounds and bounds_file"),
    ] {
        if both {
            return Err(Error::request(format!("{name}: {names} exclude each other")));
        }
    }
    // Paths in a schema are relative to its folder.
    let folder = path.parent().unwrap_or(Path::new(""));
    for file in [&mut schema.facts.target_file, &mut schema.bounds_file].into_iter().flatten() {
        *file = folder.join(&*file);
    }
    let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((schema, hash))
}

/// The first field that is invalid by itself, if the file is a JSON object.
fn wrong_field(bytes: &[u8]) -> Option<String> {
    let Ok(Value::Object(fields)) = serde_json::from_slice(bytes) else { return None };
    fields.into_iter().find_map(|(name, value)| {
        let alone = Value::Object([(name.clone(), value)].into_iter().collect());
        serde_json::from_value::<SchemaFile>(alone).is_err().then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<SchemaFile> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), json).unwrap();
        read_schema(file.path()).map(|(schema, _)| schema)
    }

    /// Files of earlier versions give these fields.
    #[test]
    fn the_fields() {
        let schema = read(
            r#"{"target": "out", "target_file": null, "id": "who", "exclude": ["note"],
                "features_as_rows": false, "delimiter": "tab", "decimal_comma": true,
                "missing": ["-9"], "classes": ["no", "yes"], "target_bounds": null,
                "bounds": [0, 1], "bounds_file": null}"#,
        )
        .unwrap();
        assert_eq!(schema.facts.target, TargetColumn::Named("out".into()));
        assert_eq!(schema.facts.delimiter, Some(b'\t'));
        assert_eq!(schema.bounds, Some([0.0, 1.0]));
        let json = serde_json::to_string(&schema).unwrap();
        assert_eq!(read(&json).unwrap(), schema, "{json}");
        assert_eq!(read("{}").unwrap(), SchemaFile::default());
    }

    #[test]
    fn wrong_fields_are_named() {
        for (json, words) in [
            (r#"{"id": "a", "targt": "out"}"#, "the field \"targt\""),
            (r#"{"decimal_comma": "S3CR3T"}"#, "the field \"decimal_comma\""),
            (r#"{"classes": 3}"#, "the field \"classes\""),
            ("{\n\"id\": }", "line 2, column 7"),
            ("[]", "line 1"),
            (r#"{"target": "a", "target_file": "b"}"#, "target and target_file exclude"),
            (r#"{"bounds": [0, 1], "bounds_file": "b"}"#, "bounds and bounds_file exclude"),
        ] {
            let error = read(json).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains("S3CR3T"), "{json}: {error}");
        }
    }
}
