//! Partials as files: a line that says what it is, one of JSON, one that tells damage.

use xxhash_rust::xxh3::xxh3_128;

use crate::error::{Error, Result};
use crate::select::partial::Partial;

/// The first line.
const HEAD: &str = "dpsis partial 1: RAW, NOT PRIVATE. Exact sums of rows: keep them like the rows";

impl Partial {
    /// The text of a file that [`from_text`](Self::from_text) reads.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be written as JSON, which does not happen.
    pub fn to_text(&self) -> Result<String> {
        let json = serde_json::to_string(self);
        let json = json.map_err(|_| Error::io("the partial cannot be written as JSON"))?;
        Ok(format!("{HEAD}\n{json}\nxxh3 {:032x}\n", xxh3_128(json.as_bytes())))
    }

    /// Reads the text of a partial.
    ///
    /// # Errors
    ///
    /// `Input` if it is none, of another version, or damaged.
    pub fn from_text(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        let head = lines.next().unwrap_or_default();
        if head != HEAD {
            return Err(Error::input(match head.starts_with("dpsis partial ") {
                true => "this partial is of another version",
                false => "this is no partial",
            }));
        }
        let damaged = || Error::input("the partial is damaged or ends too early");
        let (json, check) = lines.next().zip(lines.next()).ok_or_else(damaged)?;
        if !text.ends_with('\n')
            || check != format!("xxh3 {:032x}", xxh3_128(json.as_bytes()))
            || lines.next().is_some()
        {
            return Err(damaged());
        }
        let partial: Self = serde_json::from_str(json).map_err(|_| damaged())?;
        partial.check()?;
        Ok(partial)
    }
}
