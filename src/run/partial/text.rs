//! Partials and released targets as files: a line with the kind of the file, then one or more
//! blocks, each a line of JSON and a checksum.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::error::{Error, Result};
use crate::json::Kept;
use crate::run::partial::{Facts, Partial, Parts, ReleasedTarget, Sums};

/// A kind of file: the name at its start, before its version, and the remark for readers after it.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) version: u8,
    pub(super) remark: &'static str,
}

const PARTIAL: Kind = Kind {
    name: "dpsis partial",
    version: 2,
    remark: "RAW, NOT PRIVATE. Exact sums of rows: keep them like the rows",
};
const TARGET: Kind = Kind {
    name: "dpsis released target",
    version: 2,
    remark: "for the next stage of the same release",
};
const SEEDED_TARGET: Kind = Kind {
    name: "dpsis seeded target",
    version: 2,
    remark: "NOT PRIVATE. Drawn from a seed, not for release",
};

/// The names of all kinds, whether this build reads them or not.
const NAMES: [&str; 7] = [
    PARTIAL.name,
    TARGET.name,
    SEEDED_TARGET.name,
    "dpsis masked partial",
    "dpsis secret key",
    "dpsis public key",
    "dpsis roster",
];

/// Whether a text begins with the name of a kind, as a file of any version does.
fn begins(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '))
}

impl Kind {
    fn head(&self) -> String {
        format!("{} {}: {}", self.name, self.version, self.remark)
    }

    /// The text of a file of one block.
    pub(super) fn to_text(&self, value: &impl Serialize) -> Result<String> {
        Ok(format!("{}\n{}", self.head(), self.block(value)?))
    }

    /// The text of a block.
    pub(super) fn block(&self, value: &impl Serialize) -> Result<String> {
        let json = serde_json::to_string(value);
        let json = json.map_err(|_| Error::io(format!("a {} cannot be written", self.name)))?;
        Ok(format!("{json}\nxxh3 {:032x}\n", xxh3_128(json.as_bytes())))
    }

    /// Whether a text is of this kind, in any version.
    pub(super) fn begins(&self, text: &str) -> bool {
        begins(text, self.name)
    }

    /// Reads the text of a file of one block.
    pub(super) fn read<T: DeserializeOwned>(&self, text: &str) -> Result<T> {
        match self.blocks(text)?[..] {
            [json] => self.parse(json),
            _ => Err(self.damaged()),
        }
    }

    /// The JSON of each block.
    pub(super) fn blocks<'a>(&self, text: &'a str) -> Result<Vec<&'a str>> {
        let name = self.name;
        let mut lines = text.lines();
        if lines.next().unwrap_or_default() != self.head() {
            let other = NAMES.iter().find(|other| begins(text, other));
            return Err(Error::input(match other {
                Some(other) if *other == name => format!("this {name} is of another version"),
                Some(other) => format!("this is a {other}, not a {name}"),
                None => format!("this is not a {name}"),
            }));
        }
        let mut blocks = Vec::new();
        while let Some(json) = lines.next() {
            let check = format!("xxh3 {:032x}", xxh3_128(json.as_bytes()));
            if lines.next() != Some(check.as_str()) {
                return Err(self.damaged());
            }
            blocks.push(json);
        }
        if text.ends_with('\n') { Ok(blocks) } else { Err(self.damaged()) }
    }

    /// Reads the JSON of a block.
    pub(super) fn parse<T: DeserializeOwned>(&self, json: &str) -> Result<T> {
        serde_json::from_str(json).map_err(|_| self.damaged())
    }

    /// The error for a file that was changed after it was written.
    pub(super) fn damaged(&self) -> Error {
        Error::input(format!("the {} is damaged or ends too early", self.name))
    }
}

/// A partial as read from a file, whose sums may be of no rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unchecked {
    facts: Facts,
    rows: u64,
    sums: Sums,
    parts: Option<Parts>,
}

impl Unchecked {
    /// The partial, without a check of its rows: masked sums may be of no rows.
    pub(super) fn into_partial(self) -> Partial {
        let Self { facts, rows, sums, parts } = self;
        Partial { facts, rows, sums, parts }
    }
}

impl TryFrom<Unchecked> for Partial {
    type Error = Error;

    fn try_from(read: Unchecked) -> Result<Self> {
        let partial = read.into_partial();
        partial.check()?;
        Ok(partial)
    }
}

impl Partial {
    /// The text of a file that [`from_text`](Self::from_text) reads.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be written as JSON, which does not happen.
    pub fn to_text(&self) -> Result<String> {
        PARTIAL.to_text(self)
    }

    /// Reads the text of a partial.
    ///
    /// # Errors
    ///
    /// `Input` if it is of another kind or version, damaged, or has no rows.
    pub fn from_text(text: &str) -> Result<Self> {
        PARTIAL.read(text)
    }
}

impl Kept for ReleasedTarget {
    fn to_kept(&self) -> Result<String> {
        self.to_text()
    }

    fn from_kept(text: &str) -> Result<Self> {
        Self::from_text(text)
    }
}

impl ReleasedTarget {
    /// The text of a file that [`from_text`](Self::from_text) reads.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be written as JSON, which does not happen.
    pub fn to_text(&self) -> Result<String> {
        if self.private { TARGET.to_text(self) } else { SEEDED_TARGET.to_text(self) }
    }

    /// Reads the text of a released target.
    ///
    /// # Errors
    ///
    /// `Input` if the text is of another kind or version, or damaged.
    pub fn from_text(text: &str) -> Result<Self> {
        if SEEDED_TARGET.begins(text) {
            return Ok(Self { private: false, ..SEEDED_TARGET.read(text)? });
        }
        TARGET.read(text)
    }
}
