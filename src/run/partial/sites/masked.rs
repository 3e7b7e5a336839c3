//! Partials under masks.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Roster, Site};
use crate::error::{Error, Parameter, Result};
use crate::run::partial::Partial;
use crate::run::partial::text::{self, Kind};

const MASKED: Kind = Kind {
    name: "dpsis masked partial",
    version: 2,
    remark: "sums under masks, which cancel in the total of all sites",
};

/// The sums of some sites under masks, which [`SiteKey::mask`](super::SiteKey::mask) makes.
///
/// Every number is uniform modulo 2^64 and independent of the rows, for anybody who does not have
/// the keys of the sites. The masked sums of all sites of the roster [add up](Self::merge) to the
/// sums of all rows, without masks.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct MaskedPartial {
    roster: Roster,
    /// The sites that are in these sums, by name.
    pub(super) sites: BTreeSet<String>,
    /// The sums: its numbers are masked.
    pub(super) masked: Partial,
}

/// A masked partial as read from a file, which may not be from any site.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    roster: Roster,
    sites: BTreeSet<String>,
    masked: text::Unchecked,
}

impl TryFrom<Unchecked> for MaskedPartial {
    type Error = Error;

    fn try_from(Unchecked { roster, sites, masked }: Unchecked) -> Result<Self> {
        let masked = masked.into_partial();
        let known: BTreeSet<&str> = roster.sites().iter().map(Site::name).collect();
        let is_known = sites.iter().all(|site| known.contains(site.as_str()));
        // Without its numbers it is the partial of a site without rows.
        let blank = masked.blank();
        let has_form =
            blank.check().and_then(|()| blank.clone().dense()).is_ok_and(|all| all == blank);
        match is_known && !sites.is_empty() && has_form {
            true => Ok(Self { roster, sites, masked }),
            false => Err(MASKED.damaged()),
        }
    }
}

impl MaskedPartial {
    /// The sums of one site, which are masked already.
    pub(super) fn of_site(roster: Roster, site: &str, masked: Partial) -> Self {
        Self { roster, sites: BTreeSet::from([site.to_owned()]), masked }
    }

    /// All sites of the run.
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The sites of the roster that are not in these sums, in the order of their names.
    pub fn missing(&self) -> Vec<&str> {
        let names = self.roster.sites().iter().map(|site| site.name());
        names.filter(|name| !self.sites.contains(*name)).collect()
    }

    /// The sums of these sites and of others together, still masked if any site is missing.
    ///
    /// # Errors
    ///
    /// `Request` if they are of other rosters, requests or stages, or if a site is in both.
    pub fn merge(mut self, other: &Self) -> Result<Self> {
        if self.roster != other.roster {
            let rule = "the masked partials are of other sites, or of another run of them";
            return Err(Error::request(rule).about([Parameter::Roster]));
        }
        self.masked.facts.check_equal(&other.masked.facts)?;
        if self.masked.blank() != other.masked.blank() {
            return Err(Error::request("the masked partials have other sums"));
        }
        if let Some(twice) = self.sites.intersection(&other.sites).next() {
            return Err(Error::request(format!("the site {twice} is there twice")));
        }
        self.sites.extend(other.sites.iter().cloned());
        let mut more = other.masked.numbers().into_iter();
        self.masked.replace_numbers(|sum| sum.wrapping_add(more.next().unwrap_or(0)));
        Ok(self)
    }

    /// The sums of all rows of all sites.
    ///
    /// # Errors
    ///
    /// `Request` if a site is missing: nothing can be opened then. `Input` if the masks do not
    /// cancel, or if the sums are of no rows.
    pub fn open(self) -> Result<Partial> {
        let missing = self.missing();
        if !missing.is_empty() {
            let rule = format!("masked partials are missing: of {}", missing.join(", "));
            return Err(Error::request(rule)
                .hint("without a site, all others need new keys, a new roster and new masks"));
        }
        let total = self.masked.sparse();
        total.check().map_err(|_| {
            Error::input("the masks do not cancel, or the sums are of no rows")
                .hint("a masked partial was changed, or made by another version")
        })?;
        Ok(total)
    }

    /// The text of a file that [`from_text`](Self::from_text) reads.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be written as JSON, which does not happen.
    pub fn to_text(&self) -> Result<String> {
        MASKED.to_text(self)
    }

    /// Whether this is the text of a masked partial, of this version or another one.
    pub fn is_text(text: &str) -> bool {
        MASKED.begins(text)
    }

    /// Reads the text of a masked partial.
    ///
    /// # Errors
    ///
    /// `Input` if the text is of another kind or version, or damaged.
    pub fn from_text(text: &str) -> Result<Self> {
        MASKED.read(text)
    }
}

impl fmt::Debug for MaskedPartial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = f.debug_struct("MaskedPartial");
        parts.field("roster", &self.roster).field("sites", &self.sites);
        parts.finish_non_exhaustive()
    }
}
