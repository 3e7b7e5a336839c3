//! The kind of a column of record batches, where its type leaves it open.

use std::collections::HashMap;

use arrow_schema::{DataType, Field};

/// The key of the metadata that hold the kind.
const KEY: &str = "dpsis.column";

/// The kind of a column of record batches, which programs give where the type of Arrow leaves it
/// open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// The type of Arrow is that of the column.
    Typed,
    /// Texts stand for objects of any type.
    Objects,
}

impl ColumnKind {
    /// A field of this kind, which may have missing values.
    pub fn field(self, name: String, of: DataType) -> Field {
        let field = Field::new(name, of, true);
        match self.word() {
            "" => field,
            word => field.with_metadata(HashMap::from([(KEY.to_owned(), word.to_owned())])),
        }
    }

    pub(super) fn of_field(field: &Field) -> Self {
        let word = field.metadata().get(KEY).map_or("", String::as_str);
        if word == Self::Objects.word() { Self::Objects } else { Self::Typed }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Typed => "",
            Self::Objects => "objects",
        }
    }
}
