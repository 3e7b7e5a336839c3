//! Columns of objects: texts of Arrow that programs give for values of any type.

use std::collections::HashMap;

use arrow_schema::Field;

/// The key of the metadata that mark such a column.
const KEY: &str = "dpsis.objects";

/// Marks a column of texts that stand for objects of any type, such as the items of a list. Unlike
/// a typed column of texts, it may hold numbers.
pub fn as_objects(field: Field) -> Field {
    field.with_metadata(HashMap::from([(KEY.to_owned(), String::new())]))
}

/// Whether [`as_objects`] marked this column.
pub(super) fn is_of_objects(field: &Field) -> bool {
    field.metadata().contains_key(KEY)
}
