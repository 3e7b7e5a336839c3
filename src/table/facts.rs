//! Public facts about a table, as the user gives them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::Parameter;
use crate::table::cell::CellFormat;
use crate::table::schema::{Orientation, TargetColumn};

/// Public facts about a table: how it is written and the roles of its columns.
///
/// Nothing has to be given: the default leaves everything to the file's format and header. As JSON
/// it is an object whose fields may all be left out; an unknown field is refused.
///
/// ```
/// use dpsis::{FileTable, Orientation, TableFacts, TargetColumn};
///
/// let mut facts = TableFacts::default();
/// facts.target = TargetColumn::Named("age".into());
/// facts.missing = vec!["-999".into()];
/// let table = FileTable::new("visits.csv").facts(facts);
///
/// let facts: TableFacts = serde_json::from_str(r#"{"features_as_rows": true, "delimiter": "tab"}"#)?;
/// assert_eq!(facts.orientation, Some(Orientation::FeaturesAsRows));
/// assert_eq!(facts.delimiter, Some(b'\t'));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct TableFacts {
    /// The column (or row, where features are rows) that holds the target. As JSON: its name, its
    /// place counted from 1, or null for the last one.
    pub target: TargetColumn,
    /// A file with the targets; see [`FileTable::target_file`](crate::FileTable::target_file).
    pub target_file: Option<PathBuf>,
    /// The column of identifiers, which is not a feature. Rows without an identifier and rows that
    /// share one take no part.
    pub id: Option<String>,
    /// Whether an engine has compared the identifiers already, so that rows take part as they are.
    #[doc(hidden)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub identifiers_compared: bool,
    /// The column of person identifiers: all rows of a person, or of another unit that it names,
    /// are protected as one. It is not a feature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Columns (or rows, where features are rows) that are not features: names, or patterns in
    /// which `*` stands for any run of characters and `?` for one. A name that exists is not a
    /// pattern.
    pub exclude: Vec<String>,
    /// Whether samples are rows or columns; see
    /// [`FileTable::orientation`](crate::FileTable::orientation). As JSON: `features_as_rows`, a
    /// boolean or null.
    #[serde(rename = "features_as_rows", with = "features_as_rows")]
    pub orientation: Option<Orientation>,
    /// The separator of cells in text, an ASCII character; by default it is detected in the header.
    /// As JSON: that character, or the word `tab`.
    #[serde(with = "delimiter")]
    pub delimiter: Option<u8>,
    /// Whether `3,5` means three and a half, in text. It must be given where semicolons separate
    /// cells, because programs with a decimal comma write such files; elsewhere numbers have a
    /// decimal point.
    pub decimal_comma: Option<bool>,
    /// Texts that stand for a missing value, besides empty cells, `NA` and the like.
    pub missing: Vec<String>,
    /// Whether the names in the header may be numbers; otherwise a header that looks like a row of
    /// data is refused.
    pub numeric_names: bool,
}

impl TableFacts {
    /// The column by which rows are joined to targets: the person identifiers if they are given,
    /// otherwise the ids.
    pub(crate) fn ids(&self) -> Option<&str> {
        self.unit.as_deref().or(self.id.as_deref())
    }

    /// The same column, with the parameter that gives it.
    pub(crate) fn ids_given(&self) -> Option<(&str, Parameter)> {
        let about = if self.unit.is_some() { Parameter::Unit } else { Parameter::Id };
        self.ids().map(|ids| (ids, about))
    }

    /// Whether an identifier takes part only if it has a single row. This holds for a given column
    /// of identifiers, unless another column identifies the privacy units or targets are joined by
    /// the identifiers, which has its own rule.
    pub(crate) fn has_one_row_each(&self, joined: bool) -> bool {
        self.id.is_some() && self.unit.is_none() && !joined
    }

    /// The columns that are not features. If person identifiers are given, another column of ids is
    /// one of them.
    pub(crate) fn excluded(&self) -> Vec<String> {
        let other = self.id.clone().filter(|id| self.unit.as_ref().is_some_and(|unit| unit != id));
        self.exclude.iter().cloned().chain(other).collect()
    }

    /// Whether numbers are read with a decimal comma.
    pub(crate) fn has_decimal_comma(&self) -> bool {
        self.decimal_comma == Some(true)
    }

    /// The format of cells.
    pub(crate) fn cells(&self) -> CellFormat {
        CellFormat::new(self.has_decimal_comma(), &self.missing)
    }
}

/// A separator of cells from its name: one ASCII character other than a quote or a line end, or the
/// word `tab`.
pub fn parse_delimiter(name: &str) -> Option<u8> {
    match name.as_bytes() {
        b"tab" | b"\\t" => Some(b'\t'),
        [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte) => Some(*byte),
        _ => None,
    }
}

/// The name of a separator of cells, as [`parse_delimiter`] reads it.
pub fn delimiter_name(delimiter: u8) -> String {
    match delimiter {
        b'\t' => "tab".to_owned(),
        byte => char::from(byte).to_string(),
    }
}

/// An orientation as a boolean.
mod features_as_rows {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Orientation;

    pub(super) fn serialize<S: Serializer>(
        orientation: &Option<Orientation>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        orientation.map(|given| given == Orientation::FeaturesAsRows).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Orientation>, D::Error> {
        Ok(Option::<bool>::deserialize(deserializer)?.map(|features_as_rows| {
            if features_as_rows { Orientation::FeaturesAsRows } else { Orientation::SamplesAsRows }
        }))
    }
}

/// A separator of cells by its name.
mod delimiter {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        delimiter: &Option<u8>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        delimiter.map(super::delimiter_name).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<u8>, D::Error> {
        let name = Option::<String>::deserialize(deserializer)?;
        let parse = |name: String| {
            super::parse_delimiter(&name)
                .ok_or_else(|| D::Error::custom("a delimiter is one character, or the word tab"))
        };
        name.map(parse).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_round_trips() {
        let facts = TableFacts {
            target: TargetColumn::Named("y".into()),
            id: Some("who".into()),
            exclude: vec!["note".into()],
            orientation: Some(Orientation::SamplesAsRows),
            delimiter: Some(b'\t'),
            decimal_comma: Some(true),
            missing: vec!["-999".into()],
            ..TableFacts::default()
        };
        for facts in [
            TableFacts::default(),
            TableFacts { target: TargetColumn::At(3), ..facts.clone() },
            TableFacts { orientation: Some(Orientation::FeaturesAsRows), ..facts.clone() },
            TableFacts { target_file: Some("y.csv".into()), delimiter: Some(b'|'), ..facts },
        ] {
            let json = serde_json::to_string(&facts).unwrap();
            assert_eq!(serde_json::from_str::<TableFacts>(&json).unwrap(), facts, "{json}");
        }
    }

    #[test]
    fn json_is_checked() {
        assert_eq!(serde_json::from_str::<TableFacts>("{}").unwrap(), TableFacts::default());
        for wrong in [
            r#"{"targt": "y"}"#,
            r#"{"target": -1}"#,
            r#"{"delimiter": "ab"}"#,
            r#"{"delimiter": "\""}"#,
            r#"{"features_as_rows": "yes"}"#,
        ] {
            assert!(serde_json::from_str::<TableFacts>(wrong).is_err(), "{wrong}");
        }
    }
}
