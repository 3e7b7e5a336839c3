//! The secret key of a site, in a file that records the sums it has masked.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::hex::Bytes32;
use super::masks::{Use, public_key};
use super::roster::check_name;
use super::{MaskedPartial, Roster, Site, SiteFacts};
use crate::error::{Error, Parameter, Result};
use crate::privacy::locked::{self, Locked};
use crate::random::Entropy;
use crate::run::partial::Partial;
use crate::run::partial::text::Kind;

const KEY: Kind = Kind {
    name: "dpsis secret key",
    version: 1,
    remark: "SECRET, of a site for one run. Keep it like the rows, and remove it after the run",
};

static FILE: locked::Kind = locked::Kind {
    name: "key",
    start: "dpsis secret key 1:",
    parameter: Parameter::SiteKey,
    secret: true,
};

/// The secret key of a site for one run, as a file: it masks the sums of this site.
///
/// ```
/// use dpsis::{FileTable, Roster, Select, SiteKey, Target};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = |name: &str| folder.path().join(name);
/// // This epsilon is so large because the example has five rows.
/// let request = Select::new(1).epsilon("100").bounds(0.0, 100.0).target(Target::classes(["well", "ill"]));
/// let table = |text: &'static str| FileTable::from_reader(text.as_bytes());
///
/// // Each site makes a key and publishes a part of it. Anybody joins the public parts to a roster.
/// let header = || table("age,dose,status\n");
/// let north = SiteKey::create(path("north.key"), "north", request.site_facts(&header())?)?;
/// let south = SiteKey::create(path("south.key"), "south", request.site_facts(&header())?)?;
/// let roster = Roster::new([south.site()?, north.site()?])?;
///
/// // Each site masks the sums of its rows.
/// let rows = table("age,dose,status\n41,2,ill\n39,3,well\n");
/// let masked_north = north.mask(&request.partial(&rows, None)?, &roster)?;
/// let rows = table("age,dose,status\n52,7,ill\n47,1,well\n33,4,ill\n");
/// let masked_south = south.mask(&request.partial(&rows, None)?, &roster)?;
///
/// // One masked sum alone reveals nothing; all of them together are the sums of all rows.
/// assert!(masked_north.clone().open().is_err());
/// let total = masked_north.merge(&masked_south)?.open()?;
/// let selection = request.check()?.release(&total)?;
/// assert_eq!(selection.selected.len(), 1);
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// A key serves one roster: if a site drops out, all others make new keys. It masks each stage of a
/// request once, and records this in its file before the masked sums are given out, under a lock.
/// The same sums once more give the same masked sums, which reveal nothing new; other sums under
/// the same masks would reveal the difference, and are refused.
///
#[doc = include_str!("page.md")]
#[derive(Clone)]
pub struct SiteKey {
    path: PathBuf,
}

/// The secret part of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Secret {
    name: String,
    /// The X25519 secret key.
    secret: Bytes32,
    nonce: Bytes32,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<SiteFacts>,
}

/// The record of masked sums in the file of a key.
#[derive(PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Masking {
    /// The fingerprint of the roster.
    roster: Bytes32,
    /// The hash of the stage and its facts.
    subject: Bytes32,
    /// The hash of the masked sums.
    masked: Bytes32,
}

impl Secret {
    fn site(&self) -> Site {
        let Self { name, secret, nonce, facts } = self;
        Site { name: name.clone(), key: public_key(*secret), nonce: *nonce, facts: facts.clone() }
    }

    /// The place of this site in the roster.
    fn place(&self, roster: &Roster) -> Result<usize> {
        let own = self.site();
        roster.sites().iter().position(|site| *site == own).ok_or_else(|| {
            Error::request(format!("the roster does not have this key of the site {}", own.name))
                .hint("every run has new keys: join their public parts to a new roster")
                .about([Parameter::Roster, Parameter::SiteKey])
        })
    }

    /// Masks the sums of this site.
    fn mask(&self, partial: &Partial, roster: &Roster, subject: &Use) -> Result<Partial> {
        let (own, place) = (self.site(), self.place(roster)?);
        let mut masked = partial.clone();
        for (other, site) in roster.sites().iter().enumerate() {
            let mut masks = match other.cmp(&place) {
                std::cmp::Ordering::Less => subject.masks(self.secret, site, &own)?,
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Greater => subject.masks(self.secret, &own, site)?,
            };
            // Of two sites the first one adds the mask and the second one subtracts it.
            masked.replace_numbers(|sum| match other > place {
                true => sum.wrapping_add(masks.next_word()),
                false => sum.wrapping_sub(masks.next_word()),
            });
        }
        Ok(masked)
    }
}

impl SiteKey {
    /// Creates the file of a new key with randomness from the operating system. Where files have
    /// permissions, only its owner may read it. Its public part contains the site's
    /// [facts](crate::Select::site_facts) about its table, if they are given, so that sites with
    /// different facts cannot make a roster, and other sums are not masked.
    ///
    /// # Errors
    ///
    /// `Request` if the name is empty, long or has a line break; `Io` if the file exists or
    /// cannot be written, or if the operating system gives no entropy.
    pub fn create(
        path: impl AsRef<Path>,
        name: &str,
        facts: impl Into<Option<SiteFacts>>,
    ) -> Result<Self> {
        Self::create_with(path, name, facts.into(), Entropy::OperatingSystem)
    }

    pub(super) fn create_with(
        path: impl AsRef<Path>,
        name: &str,
        facts: Option<SiteFacts>,
        entropy: Entropy,
    ) -> Result<Self> {
        check_name(name)?;
        let bits = entropy.source()?.bits(0);
        let (secret, nonce) = (Bytes32(bits.key(0)), Bytes32(bits.key(1)));
        let path = path.as_ref();
        FILE.create(path, &KEY.to_text(&Secret { name: name.to_owned(), secret, nonce, facts })?)?;
        Ok(Self { path: path.to_owned() })
    }

    /// Opens the file of a key.
    ///
    /// # Errors
    ///
    /// As for [`site`](Self::site).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let key = Self { path: path.as_ref().to_owned() };
        key.site()?;
        Ok(key)
    }

    /// The public part, for the roster.
    ///
    /// # Errors
    ///
    /// `Input` if the file is not a key or is damaged; `Io` if it cannot be read or locked, or is
    /// not a regular file.
    pub fn site(&self) -> Result<Site> {
        let (secret, _) = read(&Locked::to_read(&FILE, &self.path)?.content)?;
        Ok(secret.site())
    }

    /// Checks that the key can serve a roster, so that it can be refused before a table is read.
    ///
    /// # Errors
    ///
    /// `Request` if the key is not in the roster, or has served another one. As for
    /// [`site`](Self::site).
    pub fn check(&self, roster: &Roster) -> Result<()> {
        let (secret, done) = read(&Locked::to_read(&FILE, &self.path)?.content)?;
        secret.place(roster)?;
        check_roster(&done, roster.hash()?)
    }

    /// The sums of this site under masks that it shares with each other site of the roster. When
    /// this returns, the file of the key on disk has recorded the masked sums.
    ///
    /// # Errors
    ///
    /// `Request` if the key is not in the roster, has served another one, or has masked other sums
    /// of this stage; if the sums are of other facts than it was made for; if another key of the
    /// roster hides nothing; or if these are scores of whole columns, which do not add up. As for
    /// [`site`](Self::site); `Io` if the file cannot be written.
    pub fn mask(&self, partial: &Partial, roster: &Roster) -> Result<MaskedPartial> {
        let locked = Locked::to_append(&FILE, &self.path)?;
        let (secret, done) = read(&locked.content)?;
        let partial = partial.clone().dense()?;
        if let Some(given) = &secret.facts
            && let Some(what) = given.difference(&SiteFacts::of(&partial.facts))
        {
            let rule = format!("the sums were made with another {what} than this key was made for");
            return Err(Error::request(rule).about([Parameter::SiteKey]));
        }
        let subject = Use { roster: roster.hash()?, subject: partial.subject()? };
        let masked = secret.mask(&partial, roster, &subject)?;
        let masked = MaskedPartial::of_site(roster.clone(), &secret.name, masked);
        let Use { roster, subject } = subject;
        let masking = Masking { roster, subject, masked: Bytes32::hash(&masked.to_text()?) };
        check_roster(&done, masking.roster)?;
        if done.contains(&masking) {
            return Ok(masked);
        }
        if done.iter().any(|earlier| earlier.subject == masking.subject) {
            return Err(used("has masked other sums of this stage"));
        }
        locked.append(&KEY.block(&masking)?)?;
        Ok(masked)
    }
}

/// Reads the file of a key: the secret, and the record of masked sums.
fn read(content: &[u8]) -> Result<(Secret, Vec<Masking>)> {
    let about = |error: Error| {
        error
            .hint("without its key a site cannot go on: all sites need new keys and a new roster")
            .about([Parameter::SiteKey])
    };
    let text = std::str::from_utf8(content).map_err(|_| about(KEY.damaged()))?;
    let blocks = KEY.blocks(text).map_err(about)?;
    let (first, more) = blocks.split_first().ok_or_else(|| about(KEY.damaged()))?;
    let secret = KEY.parse(first).map_err(about)?;
    let done = more.iter().map(|json| KEY.parse(json)).collect::<Result<_>>().map_err(about)?;
    Ok((secret, done))
}

/// Checks that all recorded sums were masked for this roster.
fn check_roster(done: &[Masking], roster: Bytes32) -> Result<()> {
    match done.iter().all(|earlier| earlier.roster == roster) {
        true => Ok(()),
        false => Err(used("has served another roster")),
    }
}

fn used(rule: &str) -> Error {
    Error::request(format!("this key {rule}: a second use would show what its masks hide"))
        .hint("a restart or a corrected table needs new keys of all sites and a new roster")
        .about([Parameter::SiteKey])
}

impl fmt::Debug for SiteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SiteKey").field("path", &self.path).finish()
    }
}
