//! The roles of columns by their names: target, person identifiers and sample identifiers.

use crate::table::TargetColumn;

/// The place of the target among columns, from 0, if these are an index.
pub(super) fn place_of_target(
    target: &TargetColumn,
    header: &[String],
    index: &[usize],
) -> Option<usize> {
    match target {
        TargetColumn::Last => (0..header.len()).rfind(|column| !index.contains(column)),
        TargetColumn::Named(name) => header.iter().position(|other| other == name),
        TargetColumn::At(place) => place.checked_sub(1).filter(|place| *place < header.len()),
    }
}

/// The column that holds identifiers by its name: the first column if it has no name, otherwise the
/// first column with such a name.
pub(super) fn named_as_identifiers(header: &[String]) -> Option<usize> {
    let is_of_rows = |name: &&String| is_one_of(name, &["", "name", "row.names", "index"]);
    let first = header.first().filter(|name| is_of_rows(name)).map(|_| 0);
    first.or_else(|| header.iter().position(|name| is_person_name(name) || is_sample_name(name)))
}

/// Whether the name of a column is that of person or sample identifiers.
pub(super) fn has_identifiers_by_name(header: &[String]) -> bool {
    header.iter().any(|name| is_person_name(name) || is_sample_name(name))
}

/// The last word of the name of an identifier.
const IDENTIFIER_SUFFIXES: [&str; 8] = ["id", "ids", "no", "nr", "number", "num", "code", "key"];

/// The first and the second word of a name, if there are no others.
pub(super) fn words(name: &str) -> Option<(&str, Option<&str>)> {
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let (first, second) = (words.next()?, words.next());
    words.next().is_none().then_some((first, second))
}

/// Whether a word is in a list, ignoring case.
fn is_one_of(word: &str, all: &[&str]) -> bool {
    all.iter().any(|one| one.eq_ignore_ascii_case(word))
}

/// Whether a name is that of person identifiers.
fn is_person_name(name: &str) -> bool {
    let people = ["patient", "subject", "participant", "person", "donor", "individual", "people"];
    let alone =
        ["id", "pid", "mrn", "ssn", "uuid", "identifier", "patientid", "subjectid", "personid"];
    match words(name) {
        Some((word, None)) => is_one_of(word, &people) || is_one_of(word, &alone),
        Some((word, Some(of))) => is_one_of(word, &people) && is_one_of(of, &IDENTIFIER_SUFFIXES),
        None => false,
    }
}

/// Whether a name is that of sample identifiers.
pub(super) fn is_sample_name(name: &str) -> bool {
    match words(name) {
        Some((word, None)) => is_one_of(word, &["sample", "sampleid", "barcode"]),
        Some((word, Some(of))) => {
            is_one_of(word, &["sample", "specimen", "row"])
                && (is_one_of(of, &["name"]) || is_one_of(of, &IDENTIFIER_SUFFIXES))
        }
        None => false,
    }
}
