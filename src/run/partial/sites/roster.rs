//! The sites of a run by their public keys.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::SiteFacts;
use super::hex::Bytes32;
use crate::error::{Error, Parameter, Result};
use crate::privacy::ledger::check_words;
use crate::run::partial::text::Kind;

const SITE: Kind = Kind { name: "dpsis public key", version: 1, remark: "of a site, for one run" };
const ROSTER: Kind =
    Kind { name: "dpsis roster", version: 1, remark: "the public keys of all sites of a run" };

/// A site by its public key for one run, which [`SiteKey`](super::SiteKey) makes: nothing in it is
/// secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    pub(super) name: String,
    /// The X25519 public key.
    pub(super) key: Bytes32,
    /// Random bytes that do not depend on the key: this site's part of the salt of all masks.
    pub(super) nonce: Bytes32,
    /// The given facts about its table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) facts: Option<SiteFacts>,
}

impl Site {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The given facts about its table, if its key was made with them.
    pub fn facts(&self) -> Option<&SiteFacts> {
        self.facts.as_ref()
    }

    /// The text of a file that [`from_text`](Self::from_text) reads.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be written as JSON, which does not happen.
    pub fn to_text(&self) -> Result<String> {
        SITE.to_text(self)
    }

    /// Reads the text of a public key.
    ///
    /// # Errors
    ///
    /// `Input` if the text is of another kind or version, or damaged.
    pub fn from_text(text: &str) -> Result<Self> {
        let site: Self = SITE.read(text)?;
        check_name(&site.name).map_err(|_| SITE.damaged())?;
        Ok(site)
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Checks the name of a site.
///
/// # Errors
///
/// `Request` if it is empty or cannot be part of a line.
pub(super) fn check_name(name: &str) -> Result<()> {
    match name {
        "" => Err(Error::request("the name of the site is empty")),
        _ => check_words("the name of the site", name),
    }
}

/// All sites of a run: two or more, each by its name and its public key.
///
/// It is the same on every machine that joins it, because the sites are ordered by name. Masks
/// protect a site only if the keys in its roster are the keys of the other sites: compare the
/// [fingerprint](Self::fingerprint) with them, not by way of the coordinator.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Site>", into = "Vec<Site>")]
pub struct Roster {
    sites: Vec<Site>,
}

impl Roster {
    /// The roster of these sites, in any order.
    ///
    /// # Errors
    ///
    /// `Request` if they are fewer than two, if two have the same name or key, or if their facts
    /// differ: their sums would not add up, which would show only after all had masked them.
    pub fn new(sites: impl IntoIterator<Item = Site>) -> Result<Self> {
        let mut sites = Vec::from_iter(sites);
        sites.sort_by(|one, other| one.name.cmp(&other.name));
        if sites.len() < 2 {
            let rule = "a roster needs at least two sites: the sums of one are its total";
            return Err(Error::request(rule).about([Parameter::Roster]));
        }
        for (place, site) in sites.iter().enumerate() {
            check_name(&site.name)?;
            let twice = |other: &Site| other.name == site.name || other.key == site.key;
            if sites[..place].iter().any(twice) {
                let rule = format!("the name or the key of the site {} is there twice", site.name);
                return Err(Error::request(rule).about([Parameter::Roster]));
            }
        }
        for site in &sites[1..] {
            let (one, other) = (&sites[0], site);
            let what = match (&one.facts, &other.facts) {
                (None, None) => continue,
                (Some(mine), Some(theirs)) => match mine.difference(theirs) {
                    None => continue,
                    Some(what) => format!("another {what}"),
                },
                _ => "facts, which one of them lacks".to_owned(),
            };
            let (one, other) = (&one.name, &other.name);
            let rule =
                format!("the sites {one} and {other} have {what}: their sums would not add up");
            return Err(Error::request(rule)
                .hint("agree on it, and make new keys")
                .about([Parameter::Roster]));
        }
        Ok(Self { sites })
    }

    /// The sites in the order of their names.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// 64 hexadecimal digits that all sites compare before they mask anything: the SHA-256 hash of
    /// the first two lines of the [text](Self::to_text). Different rosters have different
    /// fingerprints.
    ///
    /// # Errors
    ///
    /// `Io` if the roster cannot be written as JSON, which does not happen.
    pub fn fingerprint(&self) -> Result<String> {
        self.hash().map(String::from)
    }

    /// The fingerprint as bytes.
    pub(super) fn hash(&self) -> Result<Bytes32> {
        let text = self.to_text()?;
        let lines: String = text.split_inclusive('\n').take(2).collect();
        Ok(Bytes32::hash(&lines))
    }

    /// The text of a file that [`from_text`](Self::from_text) reads.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be written as JSON, which does not happen.
    pub fn to_text(&self) -> Result<String> {
        ROSTER.to_text(self)
    }

    /// Reads the text of a roster.
    ///
    /// # Errors
    ///
    /// `Input` if the text is of another kind or version, or damaged.
    pub fn from_text(text: &str) -> Result<Self> {
        ROSTER.read(text)
    }
}

impl TryFrom<Vec<Site>> for Roster {
    type Error = Error;

    fn try_from(sites: Vec<Site>) -> Result<Self> {
        let is_sorted = sites.is_sorted_by(|one, other| one.name < other.name);
        // The fingerprint hashes the text, so a roster has one text only.
        if is_sorted { Self::new(sites) } else { Err(ROSTER.damaged()) }
    }
}

impl From<Roster> for Vec<Site> {
    fn from(roster: Roster) -> Self {
        roster.sites
    }
}

impl fmt::Debug for Roster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.sites).finish()
    }
}
