//! Partial results: the exact sums of some rows, which add up to the sums of all rows.

mod api;
mod chunks;
mod columns;
mod digest;
mod facts;
mod in_parts;
mod of_table;
mod query;
#[cfg(feature = "sites")]
mod sites;
mod stages;
mod target;
#[cfg(test)]
mod tests;
mod text;
mod total;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Parameter, Result};
use crate::estimate::{MedianGrid, RankCounts};
use crate::exact::GRID;
use crate::score::{BinSums, ClassSums, CodedSums, CorrelationSums, RawSums, of_no_rows};
use crate::table::Schema;
use facts::Facts;

pub use columns::ColumnScore;
pub use query::TargetType;
#[cfg(feature = "sites")]
pub use sites::{MaskedPartial, Roster, Site, SiteFacts, SiteKey};
pub use target::ReleasedTarget;
pub use total::PartialFile;

/// The exact sums of some rows of a table, as one machine, file or site computes them: **not
/// private**.
///
/// Sums are integers. The sums of disjoint parts of the rows [add up](Self::merge), in any order,
/// to the sums of the whole table, and [`CheckedSelect::release`](crate::CheckedSelect::release)
/// draws from them the same result as a run on the whole table, to the bit. Partials exist for
/// correlation and for the streaming form of the Kolmogorov-Smirnov score, with bounds or row
/// ranks; whole columns do not add up.
///
/// A numeric target without a range is split at a private median of all rows. Then there are two
/// stages: the partials of the first stage count targets,
/// [`CheckedSelect::release_target`](crate::CheckedSelect::release_target) draws the median from
/// all of them, and the partials of the second stage are made at this median.
///
/// ```
/// use dpsis::{FileTable, Partial, Select, Target};
///
/// let north = "age,dose,status\n41,2,ill\n39,3,well\n";
/// let south = "age,dose,status\n52,7,ill\n47,1,well\n33,4,ill\n";
/// let table = |text: &'static str| FileTable::from_reader(text.as_bytes());
/// // This epsilon is so large because the example has five rows.
/// let request = Select::new(1).epsilon("100").bounds(0.0, 100.0).target(Target::classes(["well", "ill"]));
///
/// let parts = [north, south].map(|text| request.partial(&table(text), None).unwrap());
/// let [north, south] = parts;
/// let selection = request.check()?.release(&south.merge(&north)?)?;
/// assert_eq!(selection.selected.len(), 1);
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// Engines that hold whole columns score them where they are:
/// [`Select::target_partial`](crate::Select::target_partial) sums the targets, from which the
/// center is released, and [`with_columns`](Self::with_columns) takes the scores at it.
///
/// # Privacy
///
/// Not private: the sums of some rows reveal much about them, and everything about a single row.
/// Keep them as safe as the table. Everything given about the table is part of a partial, and
/// partials of different requests are refused.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "text::Unchecked")]
pub struct Partial {
    facts: Facts,
    /// The number of all rows, with a usable target or not; for scores of whole columns, only if it
    /// is public, else 0.
    rows: u64,
    sums: Sums,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Parts>,
}

/// The numbered parts of a table that were added up.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    /// The number of all parts.
    of: u32,
    /// The numbers of the parts that are included, from 1.
    numbers: BTreeSet<u32>,
    /// The digests of the parts that have one: parts with equal digests contain the same rows.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    digests: BTreeMap<u32, String>,
}

impl Parts {
    fn new(of: u32, number: u32, digest: Option<String>) -> Result<Self> {
        let digests = digest.map(|digest| (number, digest)).into_iter().collect();
        let parts = Self { of, numbers: [number].into(), digests };
        parts.check().map(|()| parts)
    }

    fn check(&self) -> Result<()> {
        if !self.digests.keys().all(|number| self.numbers.contains(number)) {
            return Err(Error::request("a digest belongs to a part that is not included"));
        }
        match self.numbers.iter().all(|number| (1..=self.of).contains(number)) {
            true => Ok(()),
            false => Err(Error::request("the number of a part lies between 1 and that of all")),
        }
    }

    fn add(&mut self, more: &Self) -> Result<()> {
        let all = self.of;
        if more.of != all {
            let rule = format!("the partials are of {all} parts and of {}", more.of);
            return Err(Error::request(rule));
        }
        if let Some(number) = self.numbers.intersection(&more.numbers).next() {
            let rule = format!("part {number} of {all} is there twice: its rows would count twice");
            return Err(Error::request(rule));
        }
        for (number, digest) in &more.digests {
            if let Some((other, _)) = self.digests.iter().find(|(_, known)| *known == digest) {
                let (one, two) = (other.min(number), other.max(number));
                let rule = format!(
                    "parts {one} and {two} of {all} have the same sums: their rows would count twice"
                );
                let hint = "make each part of its own rows; different rows with equal sums go into one part";
                return Err(Error::request(rule).hint(hint));
            }
        }
        self.numbers.extend(&more.numbers);
        self.digests.extend(more.digests.clone());
        Ok(())
    }

    /// Refuses partials with missing parts.
    fn check_complete(&self) -> Result<()> {
        /// The largest number of parts that are listed.
        const MAX_LISTED: usize = 10;
        let missing = || (1..=self.of).filter(|number| !self.numbers.contains(number));
        let listed: Vec<String> =
            missing().take(MAX_LISTED).map(|number| number.to_string()).collect();
        let more = match missing().count() {
            0 => return Ok(()),
            count if count > MAX_LISTED => format!(" and {} more", count - MAX_LISTED),
            _ => String::new(),
        };
        let rule = format!("of {} parts these are missing: {}{more}", self.of, listed.join(", "));
        Err(Error::request(rule))
    }
}

/// The error for rows compared by identifiers in parts that may depend on other rows: where a batch
/// is a fixed number of rows, one more row moves others to the next batch.
fn not_parts() -> Error {
    let rule = "rows were compared by their identifiers within each partial: such partials add up as numbered parts \
                alone, which hold all rows of an identifier";
    Error::request(rule)
        .hint("give which part each is; or leave out rows of repeated identifiers before, and exclude the column")
        .about([Parameter::Id, Parameter::Exclude])
}

/// The sums of a stage.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Sums {
    /// The number of targets between the points of the median's grid: (bin, count), for the bins
    /// that have any.
    Ranks(Vec<(usize, u64)>),
    /// Of targets alone, for scores of whole columns.
    Targets(RawSums),
    /// Of features and targets.
    Features(RawSums),
    /// The scores of whole columns, which do not add up.
    Columns(Vec<ColumnScore>),
}

/// The next release from the merged partials of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// The median at which the target is split.
    Median,
    /// The center of the target, at which whole columns are scored.
    Center,
    /// The selection.
    Selection,
}

impl std::fmt::Display for Stage {
    /// The released value.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Median => "median of the target",
            Self::Center => "center of the target",
            Self::Selection => "selection",
        })
    }
}

impl std::fmt::Debug for Partial {
    /// Omits the sums, which are private data.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Partial").field("features", &self.facts.features()).finish_non_exhaustive()
    }
}

impl Partial {
    fn new(facts: Facts, rows: u64, sums: Sums) -> Self {
        Self { facts, rows, sums, parts: None }
    }

    /// The sums of these rows and of others together. Columns are matched by name; their order may
    /// differ.
    ///
    /// # Errors
    ///
    /// `Request` if they were made for different requests or tables, are of whole columns, or hold
    /// the same [part](Self::as_part) or its rows twice, or if only one of them is a part; `Input`
    /// if a sum is larger than any rows can have.
    pub fn merge(mut self, other: &Self) -> Result<Self> {
        let reordered;
        let other = match self.facts.schema == other.facts.schema {
            true => other,
            false => {
                reordered = other.in_order_of(&self.facts.schema)?;
                &reordered
            }
        };
        self.facts.check_equal(&other.facts)?;
        match (&mut self.parts, &other.parts) {
            (None, None) if self.facts.compares_rows => return Err(not_parts()),
            (None, None) => {}
            (Some(mine), Some(more)) => mine.add(more)?,
            _ => return Err(Error::request("one of the partials does not say which part it is")),
        }
        self.rows = self.rows.checked_add(other.rows).ok_or_else(too_many)?;
        match (&mut self.sums, &other.sums) {
            (Sums::Features(mine), Sums::Features(more))
            | (Sums::Targets(mine), Sums::Targets(more)) => mine.add(more),
            (Sums::Ranks(mine), Sums::Ranks(more)) => {
                let mut all: BTreeMap<usize, u64> = mine.drain(..).collect();
                for (bin, count) in more {
                    let sum = all.entry(*bin).or_default();
                    *sum = sum.checked_add(*count).ok_or_else(too_many)?;
                }
                *mine = all.into_iter().collect();
            }
            (Sums::Columns(_), Sums::Columns(_)) => return Err(does_not_add_up()),
            _ => return Err(other_stage()),
        }
        self.check()?;
        Ok(self)
    }

    /// The same sums, with the features in the order of this schema.
    fn in_order_of(&self, schema: &Schema) -> Result<Self> {
        let (facts, places) = self.facts.in_order_of(schema)?;
        let d = places.len();
        let sums = match &self.sums {
            Sums::Features(raw) => {
                // Sums of one feature are adjacent, or there is one in each run of all features.
                let run = if self.facts.on_bins() { raw.features.len() } else { d };
                let width = run / d.max(1);
                let of_run = |sums: &[i64]| -> Vec<i64> {
                    let of = |&place: &usize| &sums[place * width..(place + 1) * width];
                    places.iter().flat_map(of).copied().collect()
                };
                let features = raw.features.chunks(run.max(1)).flat_map(of_run).collect();
                Sums::Features(RawSums { features, rows: raw.rows.clone() })
            }
            Sums::Columns(scores) => {
                Sums::Columns(places.iter().map(|&place| scores[place]).collect())
            }
            sums => sums.clone(),
        };
        Ok(Self { facts, sums, rows: self.rows, parts: self.parts.clone() })
    }

    /// These sums as part `number`, from 1, of `of` parts of a table: two parts with the same
    /// number do not add up, nor do two parts with the same rows, unless they have only a few rows
    /// or constant columns; and there is no release before all parts are included.
    ///
    /// # Errors
    ///
    /// `Request` for a number outside of 1 to `of`.
    pub fn as_part(self, number: u32, of: u32) -> Result<Self> {
        let parts = Parts::new(of, number, self.digest())?;
        Ok(Self { parts: Some(parts), ..self })
    }

    /// Refuses sums without part numbers, because nothing would show that such sums were added
    /// twice.
    ///
    /// # Errors
    ///
    /// `Request` in that case.
    pub fn check_is_part(&self) -> Result<()> {
        match self.parts.is_some() {
            true => Ok(()),
            false => Err(Error::request("this partial does not say which part it is")
                .hint("make it again, and give its part")),
        }
    }

    /// The numbers of the parts that were added up, if they are numbered.
    pub fn parts(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().flat_map(|parts| parts.numbers.iter().copied())
    }

    /// The next release from these sums.
    pub fn stage(&self) -> Stage {
        match self.sums {
            Sums::Ranks(_) => Stage::Median,
            Sums::Targets(_) => Stage::Center,
            Sums::Features(_) | Sums::Columns(_) => Stage::Selection,
        }
    }

    /// A text with the facts given about the rows and the number of parts, without the sums, which
    /// are private data.
    pub(crate) fn identity(&self) -> String {
        let parts = self.parts.as_ref().map(|parts| parts.of);
        format!("{:?} {parts:?} {:?}", self.stage(), self.facts.parts())
    }

    /// The number of features.
    pub fn features(&self) -> usize {
        self.facts.features()
    }

    /// The number of rows: **not private**.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The places of the features among the columns of the table, from 0.
    pub fn feature_places(&self) -> &[usize] {
        self.facts.schema.features()
    }

    /// The place of the target among the columns of the table, from 0; `None` if it is not one of
    /// them.
    pub fn target_place(&self) -> Option<usize> {
        self.facts.schema.target()
    }

    /// The place of the column of events, from 0, if the target column holds times; else `None`.
    pub fn event_place(&self) -> Option<usize> {
        self.facts.schema.event()
    }

    /// The values released from the target at which the sums were made.
    pub fn released(&self) -> Option<&ReleasedTarget> {
        self.facts.released.as_ref()
    }

    /// Checks that the sums have the form that the facts require; the sums in a file may not.
    fn check(&self) -> Result<()> {
        self.parts.as_ref().map_or(Ok(()), Parts::check).map_err(Error::into_input)?;
        if self.rows > crate::exact::MAX_ROWS {
            return Err(too_many());
        }
        match &self.sums {
            Sums::Ranks(_) => self.counts().map(|_| ()),
            Sums::Targets(_) | Sums::Features(_) => {
                let sums: u64 = self.coded_sums()?.target().iter().sum();
                let usable = match self.facts.classes() {
                    None => sums / (2 * u64::from(GRID.unsigned_abs())),
                    Some(_) => sums,
                };
                if usable > self.rows { Err(of_no_rows()) } else { Ok(()) }
            }
            Sums::Columns(_) => self.columns().map(|_| ()),
        }
    }

    fn counts(&self) -> Result<RankCounts> {
        let Sums::Ranks(counts) = &self.sums else { return Err(other_stage()) };
        let points = MedianGrid::shared().len();
        let mut bins = vec![0; points + 1];
        for (bin, count) in counts {
            let slot = bins.get_mut(*bin).filter(|_| *count <= self.rows);
            *slot.ok_or_else(of_no_rows)? = *count;
        }
        let counts = RankCounts::of_bins(bins, points).filter(|counts| counts.total() <= self.rows);
        counts.ok_or_else(of_no_rows)
    }

    /// The sums as a pass makes them; sums of targets alone have no features.
    fn coded_sums(&self) -> Result<Arc<dyn CodedSums>> {
        let (raw, d, on_bins) = match &self.sums {
            Sums::Targets(raw) => (raw, 0, false),
            Sums::Features(raw) => (raw, self.facts.features(), self.facts.on_bins()),
            _ => return Err(other_stage()),
        };
        let raw = raw.clone();
        Ok(match (on_bins, self.facts.classes()) {
            (false, None) => Arc::new(CorrelationSums::of_raw(raw, d)?),
            (true, None) => Arc::new(BinSums::<i16>::of_raw(raw, d)?),
            (false, Some(count)) => Arc::new(ClassSums::of_raw(&raw, d, count)?),
            (true, Some(count)) => Arc::new(BinSums::<usize>::of_raw_classes(raw, d, count)?),
        })
    }
}

fn does_not_add_up() -> Error {
    Error::request("scores of whole columns do not add up from parts of the rows")
        .hint("give bounds or row ranks: correlation adds up then, and ks on bins of the scaled values")
        .about([Parameter::Bounds, Parameter::Scaling, Parameter::Score])
}

fn of_whole_columns() -> Error {
    Error::request("only scores of whole columns need the sums of targets alone")
        .about([Parameter::Score])
}

pub(crate) fn other_stage() -> Error {
    Error::request("these are sums for another stage of the release")
        .hint("a numeric target without a range is counted first, and summed at its released median then; a given range or classes need one stage")
        .about([Parameter::TargetBounds, Parameter::Classes])
}

fn too_many() -> Error {
    Error::input("the partials have more rows than sums can hold")
}
