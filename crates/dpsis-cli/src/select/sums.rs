//! `dpsis select --partials`: a selection from the sums of all rows, or what its next stage needs
//! of the target.

use std::collections::HashMap;
use std::path::PathBuf;

use super::arguments::SelectArguments;
use crate::files::read_text;
use crate::output::Output;
use crate::sums_release::SumsRelease;
use dpsis::job::Terms;
use dpsis::{Error, MaskedPartial, Partial, Result, SelectOptions};

pub(super) fn select(
    arguments: &SelectArguments,
    partials: &[PathBuf],
    terms: &Terms,
    output: Output,
) -> Result<()> {
    let sums = merged(partials)?;
    let mut options = SelectOptions::default();
    arguments.state_release(&mut options)?;
    arguments.names.state(&mut options);
    let select = options.state_release(sums.state(options.names()?)?)?;
    let release = SumsRelease {
        select,
        sums: &sums,
        terms,
        has_form: arguments.output.format.is_some(),
        next: "make the partials of the next stage with it (dpsis partial --released), then select again with the \
               same --eps and --split",
    };
    release.run(output)
}

/// The sums of all files.
fn merged(files: &[PathBuf]) -> Result<Partial> {
    let mut merged: Option<Sums> = None;
    let mut parts = HashMap::new();
    for file in files {
        let in_file = |error: Error| error.in_file(file.display().to_string());
        let next = Sums::read(&read_text(file)?).map_err(in_file)?;
        for number in next.parts().map_err(in_file)? {
            if let Some(other) = parts.insert(number, file) {
                let (one, two) = (other.display(), file.display());
                let rule =
                    format!("{one} and {two} are both part {number}: rows would count twice");
                return Err(Error::request(rule));
            }
        }
        merged = Some(match merged {
            None => next,
            Some(sums) => sums.merge(&next).map_err(in_file)?,
        });
    }
    match merged {
        None => Err(Error::request("there is no partial")),
        Some(Sums::Open(sums)) => Ok(sums),
        Some(Sums::Masked(sums)) => sums.open(),
    }
}

/// Sums of some rows.
enum Sums {
    Open(Partial),
    /// Those of sites, of which the total alone can be opened.
    Masked(MaskedPartial),
}

impl Sums {
    fn read(text: &str) -> Result<Self> {
        match MaskedPartial::is_text(text) {
            true => MaskedPartial::from_text(text).map(Self::Masked),
            false => Partial::from_text(text).map(Self::Open),
        }
    }

    /// The numbers of the parts in open sums, which say them.
    fn parts(&self) -> Result<Vec<u32>> {
        let Self::Open(sums) = self else { return Ok(Vec::new()) };
        sums.check_is_part()?;
        Ok(sums.parts().collect())
    }

    fn merge(self, other: &Self) -> Result<Self> {
        match (self, other) {
            (Self::Open(sums), Self::Open(more)) => sums.merge(more).map(Self::Open),
            (Self::Masked(sums), Self::Masked(more)) => sums.merge(more).map(Self::Masked),
            _ => Err(Error::request("partials with and without masks do not add up")
                .hint("either all sites of a release mask their sums, or none")),
        }
    }
}
