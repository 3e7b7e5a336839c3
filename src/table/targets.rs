//! Targets from a separate file, joined to the samples.
//!
//! # Definition
//!
//! CSV `id,value` is joined by id; an id that is empty or stands for a missing value joins nothing.
//! CSV with one column, a one-dimensional `.npy` and `.cls` are joined by order and must hold one
//! target per sample.
//!
//! A row joined by id takes part if its id occurs once in the table, in all its files, and once in
//! the file of targets. Other rows enter no score and no count, not even the count of rows without
//! a usable target. If ids identify people with several rows, it is enough that the id occurs once
//! in the file of targets.
//!
//! # Privacy
//!
//! At most one sample of each id takes part. A row with its target, or either of them alone, has
//! one id, so adding or removing it adds or removes at most one sample. Replacing it by one with
//! another id affects both ids: there may be two samples more or two fewer, so that their number is
//! not public, and replacing a row can move sums twice as far as adding or removing one.
//!
//! # Cost
//!
//! A pass over the ids of the table, and memory for the ids of the file of targets.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Parameter, Result};
use crate::table::batch::{Batch, Fold, Map, MapBatch};
use crate::table::block_table::TextCell;
use crate::table::cell::CellFormat;
use crate::table::event::TimeToEvent;
use crate::table::formats::{Format, cls, npy};
use crate::table::side::SideFile;
use crate::table::target::TargetCell;

/// Targets by id or in the order of the samples.
#[derive(Clone)]
pub(crate) struct TargetTable {
    /// The name of the value column, if there is one.
    name: Option<String>,
    entries: Entries,
}

#[derive(Clone)]
enum Entries {
    ById {
        /// The targets by the ids that occur once.
        targets: HashMap<Vec<u8>, Vec<u8>>,
        /// The number of ids that occur more than once in the file.
        #[cfg_attr(
            not(feature = "inspect"),
            allow(dead_code, reason = "only inspection shows it")
        )]
        repeated: usize,
        /// Whether ids that occur more than once in the table are left out.
        is_unique: bool,
    },
    InOrder {
        targets: Vec<TextCell>,
        /// Whether they are numbers by their type.
        are_numbers: bool,
    },
}

impl TargetTable {
    /// Reads a file of targets.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be read; `Input` if it is malformed.
    pub(crate) fn read(
        path: &Path,
        format: &CellFormat,
        events: Option<&TimeToEvent>,
    ) -> Result<Self> {
        if events.is_some() && (cls::is_cls(path) || Format::of(path)? != Format::Text) {
            let rule = format!("{} is not a text: it holds no times and events", path.display());
            return Err(Error::request(rule)
                .hint("write them to a CSV file: identifiers, times and events, with a header")
                .about([Parameter::TargetFile, Parameter::Time, Parameter::Event]));
        }
        if cls::is_cls(path) {
            let entries = Entries::InOrder { targets: cls::read(path)?, are_numbers: false };
            return Ok(Self { name: None, entries });
        }
        match Format::of(path)? {
            Format::Npy => {
                let (targets, are_numbers) = npy::read_vector(path)?;
                Ok(Self { name: None, entries: Entries::InOrder { targets, are_numbers } })
            }
            Format::Text => Self::of_side_file(path, SideFile::read_any(path)?, format, events),
            _ => {
                let rule = format!("{} is not a file of targets", path.display());
                Err(Error::request(rule)
                    .hint("CSV (id,value, or one value for each sample in order), .npy or .cls"))
            }
        }
    }

    /// Reads the header without any target: the name, and whether the file holds ids.
    ///
    /// # Errors
    ///
    /// As for reading it.
    pub(crate) fn read_header(
        path: &Path,
        format: &CellFormat,
        events: Option<&TimeToEvent>,
    ) -> Result<Self> {
        if cls::is_cls(path) || Format::of(path)? != Format::Text {
            return Self::read(path, format, events);
        }
        let file = SideFile { header: SideFile::header(path)?, rows: Vec::new() };
        Self::of_side_file(path, file, format, events)
    }

    fn of_side_file(
        path: &Path,
        file: SideFile,
        format: &CellFormat,
        events: Option<&TimeToEvent>,
    ) -> Result<Self> {
        let SideFile { mut header, rows } = match events {
            Some(events) => with_classes(path, file, format, events)?,
            None => file,
        };
        let name = header.pop();
        let entries = match header.len() {
            0 => Entries::InOrder {
                targets: rows.into_iter().map(|mut row| row.pop()).collect(),
                are_numbers: false,
            },
            1 => {
                let (mut targets, mut repeated) = (HashMap::new(), HashSet::new());
                for row in rows {
                    let [id, value] = <[Vec<u8>; 2]>::try_from(row).unwrap_or_default();
                    // The id is missing by the rule for cells of a feature.
                    if format.is_missing(&id) || repeated.contains(&id) {
                        continue;
                    }
                    match targets.remove(&id) {
                        Some(_) => repeated.insert(id),
                        None => targets.insert(id, value).is_none(),
                    };
                }
                Entries::ById { targets, repeated: repeated.len(), is_unique: false }
            }
            _ => {
                let rule =
                    "must have two columns, ids and values, or one with a value for each sample";
                return Err(Error::input(format!("{} {rule}", path.display())));
            }
        };
        Ok(Self { name, entries })
    }

    /// Whether the targets are joined by the order of the samples, not by ids.
    pub(crate) fn in_order(&self) -> bool {
        matches!(self.entries, Entries::InOrder { .. })
    }

    /// Whether the targets are numbers by their type.
    pub(crate) fn holds_numbers(&self) -> bool {
        matches!(self.entries, Entries::InOrder { are_numbers: true, .. })
    }

    /// The name of the value column, if there is one. If the file has no header, this is a private
    /// value.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The targets with their ids, if they have some: of ids that occur once in the file.
    #[cfg(feature = "inspect")]
    pub(crate) fn cells(&self) -> Vec<(Option<&[u8]>, &[u8])> {
        match &self.entries {
            Entries::ById { targets, .. } => {
                targets.iter().map(|(id, value)| (Some(id.as_slice()), value.as_slice())).collect()
            }
            Entries::InOrder { targets, .. } => {
                targets.iter().map(|value| (None, value.as_deref().unwrap_or_default())).collect()
            }
        }
    }

    /// The number of ids that occur more than once in the file.
    #[cfg(feature = "inspect")]
    pub(crate) fn repeated(&self) -> usize {
        match &self.entries {
            Entries::ById { repeated, .. } => *repeated,
            Entries::InOrder { .. } => 0,
        }
    }

    /// Whether no id is left that the table may have more than once.
    pub(crate) fn is_unique(&self) -> bool {
        match &self.entries {
            Entries::ById { is_unique, .. } => *is_unique,
            Entries::InOrder { .. } => true,
        }
    }

    /// Counts the ids of the table's rows; starts empty.
    pub(crate) fn uses(&self) -> Uses<'_> {
        let targets = match &self.entries {
            Entries::ById { targets, .. } => Some(targets),
            Entries::InOrder { .. } => None,
        };
        Uses { targets, seen: HashSet::new(), repeated: HashSet::new() }
    }

    /// Leaves out the ids that occur more than once in the table.
    pub(crate) fn leave_out(&mut self, ids: &HashSet<Vec<u8>>) {
        if let Entries::ById { targets, is_unique, .. } = &mut self.entries {
            targets.retain(|id, _| !ids.contains(id));
            *is_unique = true;
        }
    }

    /// The target of a sample by its number, from 1, and its id. `None` if the sample takes no
    /// part.
    fn target(&self, number: u64, id: Option<&[u8]>) -> Option<Option<&[u8]>> {
        match &self.entries {
            Entries::ById { targets, .. } => {
                targets.get(id?.trim_ascii()).map(|value| Some(value.as_slice()))
            }
            Entries::InOrder { targets, .. } => {
                let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                Some(place.and_then(|place| targets.get(place)?.as_deref()))
            }
        }
    }
}

/// A file of times and events, with the classes that they make in one column behind the others.
///
/// # Errors
///
/// `Input` if the file has no such columns.
fn with_classes(
    path: &Path,
    file: SideFile,
    format: &CellFormat,
    events: &TimeToEvent,
) -> Result<SideFile> {
    let SideFile { mut header, mut rows } = file;
    let place = |name: &str| header.iter().position(|other| other == name);
    let [time, event] = events.columns().map(|(name, _)| place(name));
    let Some((time, event)) = time.zip(event) else {
        let rule = format!(
            "{} must have columns of times and events with the names that were given",
            path.display()
        );
        return Err(Error::input(rule)
            .hint("with a header such as id,days,died; times and events lie in one file")
            .about([Parameter::TargetFile, Parameter::Time, Parameter::Event]));
    };
    let take = |cells: &mut Vec<_>| {
        let last = cells.remove(time.max(event));
        (cells.remove(time.min(event)), last)
    };
    for row in &mut rows {
        let (first, last) = take(row);
        let (time, end) = if time < event { (&first, &last) } else { (&last, &first) };
        let [time, end] = [time, end].map(|cell| Some(TargetCell::Text(cell)));
        row.push(events.class(time, end, format).unwrap_or_default().into());
    }
    header.remove(time.max(event));
    header.remove(time.min(event));
    header.push(events.time().to_owned());
    Ok(SideFile { header, rows })
}

/// The ids of a table's rows that have a target.
pub(crate) struct Uses<'a> {
    targets: Option<&'a HashMap<Vec<u8>, Vec<u8>>>,
    seen: HashSet<&'a [u8]>,
    repeated: HashSet<&'a [u8]>,
}

impl Uses<'_> {
    /// Takes in the id of a row.
    fn id(&mut self, id: &[u8]) {
        let known = self.targets.and_then(|targets| targets.get_key_value(id.trim_ascii()));
        if let Some((id, _)) = known
            && !self.seen.insert(id)
        {
            self.repeated.insert(id);
        }
    }

    /// The ids that occur more than once.
    pub(crate) fn repeated(self) -> HashSet<Vec<u8>> {
        self.repeated.into_iter().map(<[u8]>::to_vec).collect()
    }
}

impl Fold for Uses<'_> {
    const READS_VALUES: bool = false;

    fn batch(&mut self, batch: &Batch<'_>) {
        batch.ids.iter().flatten().for_each(|id| self.id(&id.text()));
    }

    fn merge(&mut self, other: Self) {
        let both = other.seen.into_iter().filter(|id| !self.seen.insert(id));
        self.repeated.extend(both.chain(other.repeated));
    }
}

/// Gives samples their targets, by their numbers or ids, and counts them.
pub(crate) struct Join<'a> {
    targets: &'a TargetTable,
    samples: AtomicU64,
}

impl<'a> Join<'a> {
    pub(crate) fn new(targets: &'a TargetTable) -> Self {
        Self { targets, samples: AtomicU64::new(0) }
    }

    /// Checks the join after all samples.
    ///
    /// # Errors
    ///
    /// `Input` if targets in order are not as many as samples.
    pub(crate) fn finish(self) -> Result<()> {
        let samples = self.samples.into_inner();
        match &self.targets.entries {
            Entries::InOrder { targets, .. } if targets.len() as u64 != samples => {
                Err(Error::input("the target file does not hold one target for each sample").hint(
                    "each line is one, a blank line a missing one; a file with ids, id,value, need not hold them \
                     all",
                ))
            }
            _ => Ok(()),
        }
    }
}

impl Map for Join<'_> {
    fn reads_values(&self) -> bool {
        false
    }

    fn start(&self) -> Box<MapBatch<'_>> {
        Box::new(|batch, sink| {
            self.samples.fetch_add(batch.len() as u64, Ordering::Relaxed);
            let joined = (0..batch.len()).map(|place| {
                let id = batch.ids.get(place).copied().flatten();
                let number = batch.first + place as u64;
                self.targets.target(number, id.as_ref().map(TargetCell::text).as_deref())
            });
            let joined: Vec<Option<Option<&[u8]>>> = joined.collect();
            let cell = |target: &Option<Option<_>>| target.flatten().map(TargetCell::Text);
            let targets: Vec<_> = joined.iter().map(cell).collect();
            let left_out: Vec<bool> = joined.iter().map(Option::is_none).collect();
            sink(&Batch { targets: &targets, left_out: &left_out, ..*batch });
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::batch::Values;

    fn read(text: &str) -> Result<TargetTable> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let format = CellFormat::new(false, ["-9"]);
        TargetTable::read(file.path(), &format, None)
    }

    #[test]
    fn targets_by_id() {
        let mut table = read(
            "who,status\np1, case\n p2,control\n,a\nNA,b\n,c\n NA ,d\n-9,e\n-9,f\np3,x\np3,x\np3,x\np4,y\n",
        )
        .unwrap();
        assert_eq!(table.name(), Some("status"));
        let (mut uses, mut others) = (table.uses(), table.uses());
        ["p1", "p4 ", "NA", "", "p5"].iter().for_each(|id| uses.id(id.as_bytes()));
        ["p2", "p4", "NA", "", "p5"].iter().for_each(|id| others.id(id.as_bytes()));
        uses.merge(others);
        let repeated = uses.repeated();
        table.leave_out(&repeated);
        assert!(table.is_unique());
        let target = |id: Option<&'static [u8]>| table.target(2, id);
        assert_eq!(target(Some(b"p2 ")), Some(Some(&b"control"[..])));
        for nobody in [Some(&b"P2"[..]), None, Some(b" "), Some(b"NA"), Some(b"-9"), Some(b"p5")] {
            assert_eq!(target(nobody), None, "{nobody:?}");
        }
        for repeated in [b"p3", b"p4"] {
            assert_eq!(target(Some(repeated)), None, "{repeated:?}");
        }
        assert!(read("a,b,c\np1,1,2\n").is_err());
    }

    #[test]
    fn targets_in_order() {
        let gaps = read("status\r\n\r\ncase\r\n\r\n").unwrap();
        assert_eq!(gaps.target(1, None), Some(Some(&b""[..])));
        assert_eq!(gaps.target(2, None), Some(Some(&b"case"[..])));
        let table = read("status\ncase\ncontrol\n").unwrap();
        assert!(table.in_order());
        assert_eq!(table.target(2, Some(b"p2")), Some(Some(&b"control"[..])));
    }

    /// The targets that the samples of batches get, and whether each is left out.
    fn joined(
        table: &TargetTable,
        batches: &[&[Option<&'static str>]],
    ) -> Result<Vec<(String, bool)>> {
        let join = Join::new(table);
        let (mut map, mut first, mut found) = (join.start(), 1, Vec::new());
        for ids in batches {
            let own = vec![Some(TargetCell::Text(b"own")); ids.len()];
            let cell = |id: &Option<&'static str>| id.map(|id| TargetCell::Text(id.as_bytes()));
            let ids: Vec<_> = ids.iter().map(cell).collect();
            let batch = Batch { ids: &ids, ..Batch::new(first, &own, Values::Unread) };
            map(&batch, &mut |batch| {
                let text = |place: usize| batch.targets[place].map(|cell| cell.text().to_vec());
                let of = |place: usize| {
                    let text = String::from_utf8(text(place).unwrap_or_default()).unwrap();
                    (text, batch.is_left_out(place))
                };
                found.extend((0..batch.len()).map(of));
            });
            first += ids.len() as u64;
        }
        drop(map);
        join.finish().map(|()| found)
    }

    #[test]
    fn samples_get_their_targets() {
        let cell = |text: &str, left_out| (text.to_owned(), left_out);
        let by_id = read("id,v\np1,1\np2,2\np3,\np4,4\np4,4\n").unwrap();
        let found = joined(&by_id, &[&[Some("p2"), Some("p4")], &[Some("p3 "), None, Some("")]]);
        let nobody = cell("", true);
        let expected = [cell("2", false), nobody.clone(), cell("", false), nobody.clone(), nobody];
        assert_eq!(found.unwrap(), expected);
        let in_order = read("status\ncase\ncontrol\n").unwrap();
        let found = joined(&in_order, &[&[None], &[Some("p9")]]).unwrap();
        assert_eq!(found, [cell("case", false), cell("control", false)]);
        for samples in [&[None][..], &[None; 3]] {
            let error = joined(&in_order, &[samples]).unwrap_err();
            assert!(error.to_string().contains("one target for each sample"), "{error}");
        }
    }
}
