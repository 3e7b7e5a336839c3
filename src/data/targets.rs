//! Targets from a separate file, joined to the samples.
//!
//! CSV `id,value` is joined by id; an id that is empty or stands for a missing value joins nothing. CSV with one
//! column, a one-dimensional `.npy` and `.cls` are joined by order and must hold one target per sample.

use std::collections::HashMap;
use std::path::Path;

use crate::data::block_table::TextCell;
use crate::data::formats::{Format, cls, npy};
use crate::data::number::CellFormat;
use crate::data::schema::{Orientation, Schema};
use crate::data::side::SideFile;
use crate::error::{Error, Parameter, Result};

/// Targets by id or in the order of the samples.
pub(crate) struct TargetTable {
    /// The name of the value column, if there is one.
    name: Option<String>,
    entries: Entries,
}

enum Entries {
    /// By id: the number of the entry, from 0, and its value.
    ById(HashMap<Vec<u8>, (usize, Vec<u8>)>),
    InOrder(Vec<TextCell>),
}

impl TargetTable {
    /// Reads a file of targets.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be read; `Input` if it is malformed or an id occurs twice.
    pub(crate) fn read(path: &Path, format: &CellFormat) -> Result<Self> {
        if cls::is_cls(path) {
            return Ok(Self { name: None, entries: Entries::InOrder(cls::read(path)?) });
        }
        match Format::of(path)? {
            Format::Npy => {
                Ok(Self { name: None, entries: Entries::InOrder(npy::read_vector(path)?) })
            }
            Format::Text => Self::of_side_file(path, SideFile::read_any(path)?, format),
            _ => {
                let rule = format!("{} is no file of targets", path.display());
                Err(Error::request(rule)
                    .hint("CSV (id,value, or one value for each sample in order), .npy or .cls"))
            }
        }
    }

    /// Reads what the file says of itself, and no target: its name, and whether it holds ids.
    ///
    /// # Errors
    ///
    /// As for reading it.
    pub(crate) fn read_header(path: &Path, format: &CellFormat) -> Result<Self> {
        if cls::is_cls(path) || Format::of(path)? != Format::Text {
            return Self::read(path, format);
        }
        let file = SideFile { header: SideFile::header(path)?, rows: Vec::new() };
        Self::of_side_file(path, file, format)
    }

    fn of_side_file(path: &Path, file: SideFile, format: &CellFormat) -> Result<Self> {
        let SideFile { mut header, rows } = file;
        let name = header.pop();
        let entries = match header.len() {
            0 => Entries::InOrder(rows.into_iter().map(|mut row| row.pop()).collect()),
            1 => {
                let mut entries = HashMap::new();
                for (i, row) in rows.into_iter().enumerate() {
                    let [id, value] = <[Vec<u8>; 2]>::try_from(row).unwrap_or_default();
                    // As a cell of a feature would be.
                    if format.value(&id).to_bits() == f64::NAN.to_bits() {
                        continue;
                    }
                    let number = entries.len();
                    if entries.insert(id, (number, value)).is_some() {
                        let rule = format!("an id occurs twice in {}", path.display());
                        return Err(Error::input(rule).at(Some(i as u64 + 1), Some(1)));
                    }
                }
                Entries::ById(entries)
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
        matches!(self.entries, Entries::InOrder(_))
    }

    /// The name of the value column, if there is one. If the file has no header, this is somebody's
    /// value.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The targets with their ids, if they have some.
    #[cfg(feature = "inspect")]
    pub(crate) fn cells(&self) -> Vec<(Option<&[u8]>, &[u8])> {
        match &self.entries {
            Entries::ById(entries) => entries
                .iter()
                .map(|(id, (_, value))| (Some(id.as_slice()), value.as_slice()))
                .collect(),
            Entries::InOrder(values) => {
                values.iter().map(|value| (None, value.as_deref().unwrap_or_default())).collect()
            }
        }
    }

    fn len(&self) -> usize {
        match &self.entries {
            Entries::ById(entries) => entries.len(),
            Entries::InOrder(values) => values.len(),
        }
    }
}

/// Joins samples to their targets and checks that no target is used twice.
pub(crate) struct Join<'a> {
    targets: Option<&'a TargetTable>,
    /// Whether several rows may be one person's, and have one target.
    shared: bool,
    uses: Vec<u64>,
    samples: u64,
}

impl<'a> Join<'a> {
    /// A join with `targets`; without them, samples keep their own. With `shared`, a target may be that of several rows.
    pub(crate) fn new(targets: Option<&'a TargetTable>, shared: bool) -> Self {
        let by_id = targets.filter(|targets| !targets.in_order()).map_or(0, TargetTable::len);
        Self { targets, shared, uses: vec![0; by_id], samples: 0 }
    }

    /// The target of a sample, by its number (from 1), its id and its own target in the table.
    pub(crate) fn target<'t>(
        &mut self,
        number: u64,
        id: Option<&[u8]>,
        here: Option<&'t [u8]>,
    ) -> Option<&'t [u8]>
    where
        'a: 't,
    {
        self.samples += 1;
        let Some(targets) = self.targets else { return here };
        match &targets.entries {
            Entries::InOrder(values) => {
                values.get(usize::try_from(number).ok()?.checked_sub(1)?)?.as_deref()
            }
            Entries::ById(entries) => {
                let (entry, value) = entries.get(id?.trim_ascii())?;
                self.uses[*entry] += 1;
                Some(value)
            }
        }
    }

    /// Takes in the join of another thread.
    pub(crate) fn merge(&mut self, other: Self) {
        self.samples += other.samples;
        for (uses, more) in self.uses.iter_mut().zip(other.uses) {
            *uses += more;
        }
    }

    /// Checks the join after all samples.
    ///
    /// # Errors
    ///
    /// `Input` if two samples took the same target - one person's target would then count twice - or
    /// targets in order are not as many as samples.
    pub(crate) fn finish(self) -> Result<()> {
        if !self.shared && self.uses.iter().any(|&uses| uses > 1) {
            return Err(Error::input("an id occurs twice in the table, and is joined to a target"));
        }
        let in_order = self.targets.filter(|targets| targets.in_order());
        if in_order.is_some_and(|targets| targets.len() as u64 != self.samples) {
            return Err(Error::input("the target file does not hold one target for each sample")
                .hint(
                    "each line is one, a blank line a missing one; a file with ids, id,value, need not hold them \
                     all",
                ));
        }
        Ok(())
    }
}

/// The error for a table without a usable target: where it was looked for, and what usually helps.
pub(crate) fn no_usable_target(
    schema: &Schema,
    targets: Option<&TargetTable>,
    labels: bool,
) -> Error {
    if targets.is_some_and(|targets| !targets.in_order()) {
        let (values, hint) = match labels {
            true => (
                "one of the stated classes",
                "labels are compared as text, upper and lower case included",
            ),
            false => ("a number", "if the targets are labels, state them as classes"),
        };
        let rule =
            format!("no sample has a usable target: an id in both files, and there {values}");
        return Error::input(rule).hint(format!("{hint}; ids are compared as text, too")).about([
            Parameter::Classes,
            Parameter::Id,
            Parameter::Inspect,
        ]);
    }
    let column = match schema.target() {
        Some(place) => format!("column {:?}", schema.name(place)),
        None => "targets".to_owned(),
    };
    let error = if labels {
        Error::input(format!("no cell of the {column} is one of the stated classes"))
            .hint("labels are compared as text, upper and lower case included")
    } else {
        Error::input(format!("no cell of the {column} is a number"))
            .hint(
                "if it holds labels, state them as classes; if 3,5 means three and a half, state the decimal comma; a \
                 look at the table shows what it holds",
            )
            .about([Parameter::Classes, Parameter::DecimalComma, Parameter::Inspect])
    };
    let place = schema.target().map(|place| place + 1);
    match schema.orientation() {
        _ if place.is_none() => error,
        Orientation::SamplesAsRows => error.at(None, place),
        Orientation::FeaturesAsRows => error.at(place.map(|row| row as u64), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<TargetTable> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let format = CellFormat { missing: vec!["-9".into()], ..CellFormat::default() };
        TargetTable::read(file.path(), &format)
    }

    #[test]
    fn targets_by_id() {
        let table =
            read("who,status\np1, case\n p2,control\n,a\nNA,b\n,c\n NA ,d\n-9,e\n-9,f\n").unwrap();
        assert_eq!((table.len(), table.name()), (2, Some("status")));
        let mut join = Join::new(Some(&table), false);
        assert_eq!(join.target(1, Some(b"p2 "), Some(b"own")), Some(&b"control"[..]));
        assert_eq!(join.target(2, Some(b"P2"), None), None);
        assert_eq!(join.target(3, None, None), None);
        assert_eq!(join.target(3, Some(b" "), None), None);
        assert_eq!(join.target(3, Some(b"NA"), None), None);
        let mut other = Join::new(Some(&table), false);
        assert_eq!(other.target(4, Some(b"p2"), None), Some(&b"control"[..]));
        join.merge(other);
        assert!(join.finish().unwrap_err().to_string().contains("an id occurs twice"));
        let twice = read("id,v\np1,1\np1,2\n").err().unwrap();
        assert_eq!(twice.place().unwrap().row, Some(2));
        assert!(read("a,b,c\np1,1,2\n").is_err());
    }

    #[test]
    fn targets_in_order() {
        let gaps = read("status\r\n\r\ncase\r\n\r\n").unwrap();
        assert_eq!(gaps.len(), 3);
        let mut join = Join::new(Some(&gaps), false);
        assert_eq!(join.target(1, None, None), Some(&b""[..]));
        assert_eq!(join.target(2, None, None), Some(&b"case"[..]));
        let table = read("status\ncase\ncontrol\n").unwrap();
        assert!(table.in_order());
        let mut join = Join::new(Some(&table), false);
        assert_eq!(join.target(2, Some(b"p2"), Some(b"own")), Some(&b"control"[..]));
        assert_eq!(join.target(1, None, None), Some(&b"case"[..]));
        assert!(join.finish().is_ok());
        for samples in [1, 3] {
            let mut join = Join::new(Some(&table), false);
            (1..=samples).for_each(|number| {
                join.target(number, None, None);
            });
            let error = join.finish().unwrap_err();
            assert!(error.to_string().contains("one target for each sample"), "{error}");
        }
        let mut none = Join::new(None, false);
        assert_eq!(none.target(9, None, Some(b"own")), Some(&b"own"[..]));
        assert!(none.finish().is_ok());
    }
}
