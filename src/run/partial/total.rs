//! The sums of all rows, from files of partial sums in any order.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::error::{Error, Result};
#[cfg(feature = "sites")]
use crate::run::partial::MaskedPartial;
use crate::run::partial::Partial;

/// The content of a file of sums.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum PartialFile {
    /// The sums of a numbered part of the rows: **not private**.
    Open(Partial),
    /// The sums of a site under masks.
    #[cfg(feature = "sites")]
    #[cfg_attr(docsrs, doc(cfg(feature = "sites")))]
    Masked(MaskedPartial),
}

impl PartialFile {
    /// Reads the text of a file of either kind.
    ///
    /// # Errors
    ///
    /// `Input` if it is of another kind or version, damaged, or has no rows.
    pub fn from_text(text: &str) -> Result<Self> {
        #[cfg(feature = "sites")]
        if MaskedPartial::is_text(text) {
            return MaskedPartial::from_text(text).map(Self::Masked);
        }
        Partial::from_text(text).map(Self::Open)
    }

    /// The numbers of the parts in open sums; sites have names instead.
    fn numbers(&self) -> Result<Vec<u32>> {
        match self {
            Self::Open(sums) => sums.check_is_part().map(|()| sums.parts().collect()),
            #[cfg(feature = "sites")]
            Self::Masked(_) => Ok(Vec::new()),
        }
    }

    /// Reads a file, and returns it with its name, for errors.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be read; `Input` as for [`from_text`](Self::from_text).
    pub fn read(path: &Path) -> Result<(String, Self)> {
        let name = path.display().to_string();
        let bytes = fs::read(path).map_err(|error| Error::cannot_read(path, &error))?;
        let sums = match String::from_utf8(bytes) {
            Ok(text) => Self::from_text(&text),
            Err(_) => Err(Error::input("this is not text in UTF-8")),
        };
        sums.map_err(|error| error.in_file(&name)).map(|sums| (name, sums))
    }

    fn merge(self, other: &Self) -> Result<Self> {
        match (self, other) {
            (Self::Open(sums), Self::Open(more)) => sums.merge(more).map(Self::Open),
            #[cfg(feature = "sites")]
            (Self::Masked(sums), Self::Masked(more)) => sums.merge(more).map(Self::Masked),
            #[cfg(feature = "sites")]
            _ => Err(Error::request("partials with and without masks do not add up")
                .hint("either all sites of a release mask their sums, or none")),
        }
    }
}

impl Partial {
    /// Adds up the sums of all rows; each partial has the name that errors use for it.
    ///
    /// # Errors
    ///
    /// `Request` without a partial, for open partials that are not [numbered](Self::as_part) or
    /// have the same number, and as for [`merge`](Self::merge) and `MaskedPartial::open`.
    pub fn total(partials: impl IntoIterator<Item = (String, PartialFile)>) -> Result<Self> {
        let mut total: Option<PartialFile> = None;
        let mut names = HashMap::new();
        for (name, next) in partials {
            for number in next.numbers().map_err(|error| error.in_file(&name))? {
                if let Some(other) = names.insert(number, name.clone()) {
                    let rule = format!(
                        "{other} and {name} are both part {number}: rows would count twice"
                    );
                    return Err(Error::request(rule));
                }
            }
            total = Some(match total {
                None => next,
                Some(sums) => sums.merge(&next).map_err(|error| error.in_file(&name))?,
            });
        }
        match total {
            None => Err(Error::request("there is no partial")),
            Some(PartialFile::Open(sums)) => Ok(sums),
            #[cfg(feature = "sites")]
            Some(PartialFile::Masked(sums)) => sums.open(),
        }
    }
}
