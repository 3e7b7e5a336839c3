//! The exported result of a query.

use std::collections::HashMap;
use std::path::Path;

use crate::error::{Error, Result};
use crate::table::SideFile;

/// The items of a result.
pub(super) const FACTS: &str = "facts";
pub(super) const ROWS: &str = "rows";
pub(super) const TARGETS: &str = "targets";
pub(super) const SUMS: &str = "sums";

/// The maximum number of characters of a piece of the facts.
const PIECE: usize = 2000;

/// The result of a query: exact sums, **not private**.
pub(crate) struct QueryResult {
    pub(crate) facts: String,
    pub(crate) rows: u64,
    /// For a target coded as one number, its sum and the number of targets; for classes, the number
    /// in each class.
    pub(crate) targets: Vec<i64>,
    pub(crate) sums: Vec<i64>,
}

impl QueryResult {
    /// Reads an exported result: CSV, or Parquet and Arrow if the build supports them.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be read; `Input` if it is not such a result, or incomplete.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let file = SideFile::read_texts(path)?;
        let header: Vec<String> =
            file.header.iter().map(|name| name.to_ascii_lowercase()).collect();
        let place = |name: &str| header.iter().position(|own| own == name).ok_or_else(incomplete);
        let columns = [place("item")?, place("place")?, place("value")?];
        let rows = file.rows.into_iter().map(|row| {
            let text =
                |column: usize| String::from_utf8(row[column].clone()).map_err(|_| incomplete());
            Ok([text(columns[0])?, text(columns[1])?, text(columns[2])?])
        });
        Self::of_rows(rows.collect::<Result<_>>()?)
    }

    /// The result of these rows of an item, a place and a value.
    ///
    /// # Errors
    ///
    /// `Input` if they are not such a result, or incomplete.
    pub(crate) fn of_rows(rows: Vec<[String; 3]>) -> Result<Self> {
        let mut items: HashMap<String, Vec<Option<String>>> = HashMap::new();
        let all = rows.len();
        for [item, place, value] in rows {
            let place = place.parse::<usize>().ok().filter(|place| *place < all);
            let place = place.ok_or_else(incomplete)?;
            let values = items.entry(item).or_default();
            if values.len() <= place {
                values.resize(place + 1, None);
            }
            if values[place].replace(value).is_some() {
                return Err(incomplete());
            }
        }
        let mut take = |item: &str| -> Result<Vec<String>> {
            let values = items.remove(item).unwrap_or_default();
            values.into_iter().map(|value| value.ok_or_else(incomplete)).collect()
        };
        let facts = decoded(&take(FACTS)?.concat()).ok_or_else(incomplete)?;
        let integers = |values: Vec<String>| -> Result<Vec<i64>> {
            values.iter().map(|value| value.parse().map_err(|_| incomplete())).collect()
        };
        let rows = match integers(take(ROWS)?)?[..] {
            [rows] => u64::try_from(rows).map_err(|_| incomplete())?,
            _ => return Err(incomplete()),
        };
        let (targets, sums) = (integers(take(TARGETS)?)?, integers(take(SUMS)?)?);
        if !items.is_empty() {
            return Err(incomplete());
        }
        Ok(Self { facts, rows, targets, sums })
    }
}

fn incomplete() -> Error {
    Error::input("this is not the result of a query for sums, or not all of it")
}

/// Encodes a text in pieces of characters that no engine or export program interprets.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-,\"[]".contains(&byte);
    let mut pieces = vec![String::new()];
    for byte in text.bytes() {
        if pieces.last().is_none_or(|piece| piece.len() >= PIECE) {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            match plain(byte) {
                true => piece.push(byte.into()),
                false => piece.push_str(&format!("~{byte:02x}")),
            }
        }
    }
    pieces
}

/// Decodes the concatenated pieces of a text.
fn decoded(pieces: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), pieces.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'~' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}
