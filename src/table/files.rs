//! Rows of one table in a file or in several.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Parameter, Result};
#[cfg(feature = "batches")]
use crate::table::batch::Fold;
use crate::table::batch::{Batch, Folds, FoldsOf, Map, MapBatch, Mapped, Values};
use crate::table::cell::CellFormat;
use crate::table::event::TimeToEvent;
use crate::table::file::FileTable;
use crate::table::formats::Format;
use crate::table::formats::text::file::reads_again;
use crate::table::held_columns::{HoldColumns, Holding, Limit};
use crate::table::hooks::Hooks;
#[cfg(feature = "batches")]
use crate::table::identifiers::hash;
use crate::table::identifiers::{Collect, OneRowEach, Repeated};
#[cfg(feature = "batches")]
use crate::table::open_table::fold;
use crate::table::open_table::{Identifiers, Opening, Table, UsableSamples, hold_all};
use crate::table::schema::{Orientation, Schema};
use crate::table::target::Code;
use crate::table::targets::{Join, TargetTable};

/// One table whose rows are in several files with the same columns. The files are read one after
/// the other; each may have its own format.
///
/// ```no_run
/// use dpsis::{FileTable, FileTables, Select};
///
/// let table = FileTables::new(["2023.parquet", "2024.parquet"].map(FileTable::new))?;
/// let selection = Select::new(5).epsilon("2").bounds(0.0, 1.0).run(&table)?;
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// A single file is read as it is. Several are opened once more for every pass.
#[derive(Debug, Clone)]
pub struct FileTables(Vec<FileTable>);

impl FileTables {
    /// The table, if it is one file.
    pub(crate) fn as_file(&self) -> Option<&FileTable> {
        match &self.0[..] {
            [file] => Some(file),
            _ => None,
        }
    }

    /// A text with the names of the files and all given facts.
    pub(super) fn identity(&self) -> String {
        self.0.iter().map(|file| file.identity() + "\n").collect()
    }

    /// The rows of these files together.
    ///
    /// # Errors
    ///
    /// `Request` without files, if a file is given twice, or if one of several can be read only
    /// once.
    pub fn new(files: impl IntoIterator<Item = FileTable>) -> Result<Self> {
        let files: Vec<FileTable> = files.into_iter().collect();
        if files.is_empty() {
            return Err(Error::request("there is no file"));
        }
        let mut places = HashSet::new();
        for file in &files {
            let place = file.file().path().and_then(place);
            if place.is_some_and(|place| !places.insert(place)) {
                let rule = "this file is there twice: each of its rows would count twice";
                return Err(Error::request(rule).in_file(file.file().name()));
            }
        }
        if files.len() > 1 && !files.iter().all(FileTable::repeats) {
            return Err(Error::request(
                "several files are read more than once: no pipe or reader can be among them",
            ));
        }
        Ok(Self(files))
    }
}

/// The identity of a file under any name: its device and its number there.
#[cfg(unix)]
fn place(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// The canonical path of a file, with its links resolved.
#[cfg(not(unix))]
fn place(path: &Path) -> Option<std::path::PathBuf> {
    path.canonicalize().ok()
}

/// An open file: its columns, and passes over its samples.
pub(super) struct OpenFile {
    pub(super) schema: Schema,
    pub(super) format: CellFormat,
    pub(super) has_words: bool,
    /// Whether the target is a number by its type.
    pub(super) number_target: bool,
    pub(super) rows: Box<dyn Rows>,
}

/// The samples of an open file as they stand there.
pub(super) trait Rows {
    /// Whether a second pass is possible.
    fn can_repeat(&self) -> bool;

    /// Makes a pass; samples are numbered from 1.
    ///
    /// # Errors
    ///
    /// As for a pass over a [table](Table::pass).
    fn pass(
        &mut self,
        schema: &Schema,
        format: &CellFormat,
        opening: &Opening<'_>,
        folds: &dyn Folds,
    ) -> Result<()>;
}

impl OpenFile {
    fn pass(&mut self, opening: &Opening<'_>, folds: &dyn Folds) -> Result<()> {
        self.rows.pass(&self.schema, &self.format, opening, folds)
    }
}

impl FileTable {
    pub(super) fn open_files(&self, opening: &Opening<'_>) -> Result<OpenFiles> {
        OpenFiles::open(std::slice::from_ref(self), opening)
    }

    /// Opens the file, whose targets may be in another file.
    pub(super) fn open_file(
        &self,
        targets: Option<&TargetTable>,
        opening: &Opening<'_>,
    ) -> Result<OpenFile> {
        match self.check(opening.events)? {
            Format::Text => self.rows_of_text(targets, opening),
            format => self.rows_of_blocks(self.open_blocks(format)?, targets, opening),
        }
    }

    /// Whether the file and its targets in another file can be read more than once.
    pub(super) fn repeats(&self) -> bool {
        self.rows_repeat() && self.facts.target_file.as_deref().is_none_or(reads_again)
    }

    /// The format of its cells.
    pub(super) fn cells(&self) -> CellFormat {
        self.facts.cells()
    }

    /// Whether its rows can be read more than once.
    pub(crate) fn rows_repeat(&self) -> bool {
        self.is_in_batches() || self.file().reads_again()
    }

    /// Whether the target is a number by its type.
    pub(super) fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool> {
        if let Some(path) = &self.facts.target_file {
            return Ok(TargetTable::read_header(path, &self.facts.cells(), opening.events)?
                .holds_numbers());
        }
        match self.check(opening.events)? {
            Format::Text => Ok(false),
            _ => Ok(self.open_file(None, opening)?.number_target),
        }
    }

    /// The features; reads their names only.
    pub(super) fn schema(&self, opening: &Opening<'_>) -> Result<Schema> {
        match self.check(opening.events)? {
            Format::Text => self.header_of_text(opening),
            _ => Ok(self.open_file(self.targets(opening.events)?.as_ref(), opening)?.schema),
        }
    }
}

/// One open file, or several with the same columns that are opened in turn for every pass.
pub(super) struct OpenFiles {
    files: Vec<FileTable>,
    /// The first file, which has the properties that all files share.
    first: OpenFile,
    /// The targets in another file, which contains the targets of all files.
    targets: Option<Arc<TargetTable>>,
    /// For each file, the places of the first file's features among its own, if their order
    /// differs.
    orders: Vec<Option<Vec<usize>>>,
    threads: usize,
    hooks: Hooks,
    memory: Option<u64>,
    labels: Option<Vec<String>>,
    events: Option<TimeToEvent>,
    identifiers: Identifiers,
    /// The identifiers that several rows share, once rows were compared.
    repeated: Option<Repeated>,
}

impl OpenFiles {
    /// Opens files, at least one.
    pub(super) fn open(files: &[FileTable], opening: &Opening<'_>) -> Result<Self> {
        let [file, others @ ..] = files else { return Err(Error::request("there is no file")) };
        let opening = &Opening { hooks: file.hooks(&opening.hooks), ..*opening };
        // Report wrong facts before a wrong file of targets.
        let targets = file.check(opening.events).and_then(|_| file.targets(opening.events));
        let targets = if others.is_empty() { targets } else { in_file(file, targets) }?;
        let targets = targets.map(Arc::new);
        let hooks = match others {
            [] => opening.hooks.clone(),
            _ => Hooks { progress: None, ..opening.hooks.clone() },
        };
        let quiet = Opening { hooks, ..*opening };
        let open = |file: &FileTable| {
            let open = file.open_file(targets.as_deref(), &quiet);
            if others.is_empty() { open } else { in_file(file, open) }
        };
        let mut first = open(file)?;
        let can_repeat = first.rows.can_repeat();
        opening.identifiers.check(first.schema.has_one_row_each(), can_repeat)?;
        if !others.is_empty() {
            Self::check_several(files, &first, targets.as_deref())?;
        }
        let mut orders = vec![None];
        for other in others {
            let next = open(other)?;
            let places = in_file(other, first.schema.places_in(&next.schema))?;
            if next.has_words != first.has_words {
                let rule = "its columns differ in kind from the columns of the first file";
                return in_file(other, Err(Error::request(rule)));
            }
            first.schema = first.schema.with_types_of(&next.schema);
            orders.push((!places.is_sorted()).then_some(places));
        }
        Ok(Self {
            files: files.to_vec(),
            first,
            targets,
            orders,
            threads: opening.threads,
            hooks: opening.hooks.clone(),
            memory: opening.memory,
            labels: opening.labels.map(<[String]>::to_vec),
            events: opening.events.cloned(),
            identifiers: opening.identifiers,
            repeated: None,
        })
    }

    /// Refuses several files that do not form one table.
    fn check_several(
        files: &[FileTable],
        first: &OpenFile,
        targets: Option<&TargetTable>,
    ) -> Result<()> {
        if first.schema.orientation() == Orientation::FeaturesAsRows {
            let rule = "several files hold rows of samples: features cannot be rows";
            return Err(Error::request(rule).about([Parameter::Orientation]));
        }
        let about_targets = |rule: &str| Error::request(rule).about([Parameter::TargetFile]);
        if files.iter().any(|file| file.facts.target_file != files[0].facts.target_file) {
            return Err(about_targets("several files have one target file: it serves them all"));
        }
        if targets.is_some_and(TargetTable::in_order) {
            let rule = "a target file without ids is for one table: each of several files would take its targets from the first line on";
            return Err(about_targets(rule).hint("a target file of ids and values serves them all"));
        }
        Ok(())
    }

    /// A pass over the samples as they stand in the files.
    fn pass_over_rows(&mut self, folds: &dyn Folds) -> Result<()> {
        let several = self.files.len() > 1;
        for (place, file) in self.files.iter().enumerate() {
            let hooks =
                if several { self.hooks.part(place, self.files.len()) } else { self.hooks.clone() };
            let (threads, memory) = (self.threads, self.memory);
            let (labels, identifiers) = (self.labels.as_deref(), self.identifiers);
            let events = self.events.as_ref();
            let opening = Opening { threads, hooks, memory, labels, events, identifiers };
            if !several {
                return self.first.pass(&opening, folds);
            }
            let part =
                Part { before: (place as u64) << FILE, order: self.orders[place].as_deref() };
            let folds = Mapped { map: &part, folds };
            let opened = file.open_file(self.targets.as_deref(), &opening);
            in_file(file, opened.and_then(|mut file| file.pass(&opening, &folds)))?;
        }
        Ok(())
    }

    /// A pass over the samples with their targets.
    fn pass_over_targets(&mut self, folds: &dyn Folds) -> Result<()> {
        let Some(targets) = self.targets.clone() else { return self.pass_over_rows(folds) };
        let join = Join::new(&targets);
        self.pass_over_rows(&Mapped { map: &join, folds })?;
        join.finish()
    }

    /// Before the first pass, reads the ids by which targets are joined: rows that share an id take
    /// no part, unless it identifies a person.
    fn leave_out_repeated_ids(&mut self) -> Result<()> {
        if self.schema().has_people() {
            return Ok(());
        }
        let Some(targets) = self.targets.clone().filter(|targets| !targets.is_unique()) else {
            return Ok(());
        };
        let new = || targets.uses();
        let uses = FoldsOf::new(&new);
        self.pass_over_rows(&uses)?;
        let repeated = uses.finish().repeated();
        // With this clone dropped, the targets are changed in place and not copied.
        drop(targets);
        if let Some(own) = &mut self.targets {
            Arc::make_mut(own).leave_out(&repeated);
        }
        Ok(())
    }
}

impl Table for OpenFiles {
    fn schema(&self) -> &Schema {
        &self.first.schema
    }

    fn format(&self) -> &CellFormat {
        &self.first.format
    }

    fn can_repeat(&self) -> bool {
        self.first.rows.can_repeat()
    }

    fn has_words(&self) -> bool {
        self.first.has_words
    }

    fn compares_rows(&self) -> bool {
        self.identifiers != Identifiers::Ignored
            && self.first.schema.has_one_row_each()
            && !self.files[0].facts.identifiers_compared
    }

    fn pass(&mut self, folds: &dyn Folds) -> Result<()> {
        self.leave_out_repeated_ids()?;
        if !self.compares_rows() {
            return self.pass_over_targets(folds);
        }
        let format = self.format().clone();
        let repeated = match self.repeated.take() {
            Some(repeated) => repeated,
            None => {
                let new = || Collect::new(&format);
                let all = FoldsOf::new(&new);
                self.pass_over_rows(&all)?;
                all.finish().repeated()
            }
        };
        let map = OneRowEach::new(&repeated, &format);
        self.repeated = Some(repeated);
        self.pass_over_targets(&Mapped { map: &map, folds })
    }

    fn columns(&mut self, limit: Option<Limit>, code: &Code<'_>) -> Result<UsableSamples<'_>> {
        if !self.compares_rows() || self.repeated.is_some() {
            return hold_all(self, limit, code);
        }
        self.leave_out_repeated_ids()?;
        // In the same pass, because a pipe can be read only once.
        let format = self.format().clone();
        let all: Vec<usize> = (0..self.schema().d()).collect();
        let holding = Holding::new(&all, limit);
        let new = || HoldColumns::new(code, &holding, Some(&format));
        let held = FoldsOf::new(&new);
        self.pass_over_targets(&held)?;
        let (usable, repeated) = UsableSamples::held(held.finish());
        self.repeated = Some(repeated);
        Ok(usable)
    }
}

/// The hash of the identifier of each row of a table, in their order, for engines that compare them
/// where the rows are; `None` for a row without one.
///
/// # Errors
///
/// The errors of reading the table.
#[cfg(feature = "batches")]
pub fn identifiers(table: &FileTable) -> Result<Vec<Option<u64>>> {
    struct Hashes<'a>(&'a CellFormat, Vec<Option<u64>>);

    impl Fold for Hashes<'_> {
        const READS_VALUES: bool = false;

        fn batch(&mut self, batch: &Batch<'_>) {
            self.1.extend(batch.ids.iter().map(|id| hash(*id, self.0)));
        }

        fn merge(&mut self, other: Self) {
            self.1.extend(other.1);
        }
    }

    // With one thread, blocks of rows are folded in order.
    let table = table.clone().without_target();
    let mut open = table.open_files(&Opening::of_all_rows(1))?;
    let format = open.format().clone();
    Ok(fold(&mut open, &|| Hashes(&format, Vec::new()))?.1)
}

/// The bits of a row's number within its file.
const FILE: u32 = 40;

/// Numbers the rows of one of several files among all, and puts their values in the order of the
/// first file.
struct Part<'a> {
    before: u64,
    order: Option<&'a [usize]>,
}

impl Map for Part<'_> {
    fn reads_values(&self) -> bool {
        false
    }

    fn start(&self) -> Box<MapBatch<'_>> {
        let (mut short, mut wide) = (Vec::new(), Vec::new());
        Box::new(move |batch, sink| {
            let values = match (self.order, batch.values) {
                (Some(order), Values::F32(values)) => {
                    Values::F32(values.reordered(batch.len(), order, &mut short))
                }
                (Some(order), Values::F64(values)) => {
                    Values::F64(values.reordered(batch.len(), order, &mut wide))
                }
                (_, values) => values,
            };
            sink(&Batch { first: self.before + batch.first, values, ..*batch });
        })
    }
}

/// Adds the name of the file to an error.
fn in_file<T>(file: &FileTable, outcome: Result<T>) -> Result<T> {
    outcome.map_err(|error| match error.kind() {
        ErrorKind::Request | ErrorKind::Input => error.in_file(file.file().name()),
        // Errors of reading name the file.
        _ => error,
    })
}

impl FileTables {
    pub(super) fn open_files(&self, opening: &Opening<'_>) -> Result<OpenFiles> {
        OpenFiles::open(&self.0, opening)
    }

    /// The features; reads their names only.
    pub(super) fn schema(&self, opening: &Opening<'_>) -> Result<Schema> {
        match &self.0[..] {
            [file] => file.schema(opening),
            _ => self.open_files(opening).map(|open| open.first.schema),
        }
    }

    /// Refuses pipes and readers if identifiers need a separate pass.
    pub(super) fn check_identifiers(
        &self,
        identifiers: Identifiers,
        events: Option<&TimeToEvent>,
    ) -> Result<()> {
        self.0.iter().try_for_each(|file| file.check_identifiers(identifiers, events))
    }

    /// Whether all can be read more than once.
    pub(super) fn repeats(&self) -> bool {
        self.0.iter().all(FileTable::repeats)
    }

    /// The format of their cells, which they share.
    pub(super) fn cells(&self) -> CellFormat {
        self.0.first().map(FileTable::cells).unwrap_or_default()
    }

    /// Whether the target is a number by its type, in all of them.
    pub(super) fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool> {
        let mut files = self.0.iter();
        files.try_fold(true, |all, file| Ok(all && file.has_number_target(opening)?))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::table::batch::Layout;
    use crate::{Method, ScoreKind, Select, TwoStage};

    const HEADER: &str = "a,b,word,y";

    fn files(parts: &[(&str, &[String])]) -> (tempfile::TempDir, Vec<FileTable>) {
        let folder = tempfile::tempdir().unwrap();
        let write = |(place, (header, rows)): (usize, &(&str, &[String]))| -> PathBuf {
            let path = folder.path().join(format!("part-{place}.csv"));
            std::fs::write(&path, format!("{header}\n{}", rows.concat())).unwrap();
            path
        };
        let files = parts.iter().enumerate().map(write).map(FileTable::new).collect();
        (folder, files)
    }

    fn rows() -> Vec<String> {
        let word = |i: u64| ["north", "south", "", "west"][(i % 7 % 4) as usize];
        let row =
            |i: u64| format!("{},{},{},{}\n", i * 37 % 101, i * i % 13, word(i), i * 37 % 101 / 3);
        (0..400).map(row).collect()
    }

    /// All rows read, in one pass or several, in place or in parts of the memory, in order or
    /// not.
    #[test]
    fn several_files_are_one_table() {
        let rows = rows();
        let (_whole, whole) = files(&[(HEADER, &rows)]);
        let (_parts, parts) = files(&[
            (HEADER, &rows[..1]),
            (HEADER, &rows[1..1]),
            (HEADER, &rows[1..300]),
            (HEADER, &rows[300..]),
        ]);
        let parts = FileTables::new(parts).unwrap();
        let select = || Select::new(2).epsilon("1");
        let requests = [
            select(),
            select().threads(1).column_memory(1000),
            select().bounds(0.0, 50.0),
            select().bounds(0.0, 50.0).score(ScoreKind::Ks),
            select().score(ScoreKind::Kendall),
            select().method(Method::DpKendall),
        ];
        let two_stage = select().method(Method::TwoStage(TwoStage::default()));
        let requests = requests.into_iter().chain(cfg!(feature = "methods").then_some(two_stage));
        for request in requests {
            let expected = request.clone().seed(3).run(&whole[0]).unwrap();
            assert_eq!(
                request.clone().seed(3).run(&FileTables::new(whole.clone()).unwrap()).unwrap(),
                expected
            );
            assert_eq!(request.seed(3).run(&parts).unwrap(), expected);
        }
    }

    /// Columns are matched by name: a file with another order of columns, of text or of numbers,
    /// makes the same table.
    #[test]
    fn files_may_have_their_columns_in_another_order() {
        let turned = |row: &String| {
            let cells: Vec<&str> = row.trim_end().split(',').collect();
            format!("{},{},{},{}\n", cells[2], cells[1], cells[0], cells[3])
        };
        let rows = rows();
        let others: Vec<String> = rows[150..].iter().map(turned).collect();
        let (_whole, whole) = files(&[(HEADER, &rows)]);
        let (_parts, parts) = files(&[(HEADER, &rows[..150]), ("word,b,a,y", &others)]);
        let parts = FileTables::new(parts).unwrap();
        let select = || Select::new(2).epsilon("3");
        let requests = [
            select(),
            select().threads(1).column_memory(1000),
            select().bounds(0.0, 50.0),
            select().score(ScoreKind::Kendall),
            select().bounds_by_name([
                ("a", crate::Bounds::new(0.0, 9.0).unwrap()),
                ("*", crate::Bounds::new(0.0, 90.0).unwrap()),
            ]),
        ];
        for request in requests {
            let expected = request.clone().seed(5).run(&whole[0]).unwrap();
            assert_eq!(request.seed(5).run(&parts).unwrap(), expected);
        }
        let mut buffer = Vec::new();
        let rows = Layout::Rows(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let columns: [&[f64]; 3] = [&[1.0, 4.0], &[2.0, 5.0], &[3.0, 6.0]];
        for values in [rows, Layout::Columns(&columns)] {
            values.reordered(2, &[2, 0, 1], &mut buffer);
            assert_eq!(buffer, [3.0, 1.0, 2.0, 6.0, 4.0, 5.0]);
        }
    }

    #[test]
    fn files_of_other_columns_are_refused() {
        let rows = rows();
        let refused = |parts: &[(&str, &[String])]| {
            let (_folder, files) = files(parts);
            let table = FileTables::new(files).unwrap();
            Select::new(1).epsilon("1").run(&table).unwrap_err()
        };
        for (header, rule) in [
            ("b,c,word,y", "part-1.csv: the column \"a\" of the first is not among its columns"),
            ("a,b,word,y,z", "part-1.csv: it has 1 more columns"),
            ("a,b,y,word", "part-1.csv: its columns of targets or ids"),
        ] {
            let error = refused(&[(HEADER, &rows), (header, &rows)]);
            assert_eq!(error.kind(), ErrorKind::Request);
            assert!(error.to_string().contains(rule), "{error}");
        }
        let ragged = ["1,2,3\n".to_owned()];
        let error = refused(&[(HEADER, &rows), (HEADER, &ragged)]);
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.to_string().contains("part-1.csv: row 1"), "{error}");
        assert!(FileTables::new([]).is_err());
        let (folder, some) = files(&[(HEADER, &rows[..9]), (HEADER, &rows[9..20])]);
        assert!(FileTables::new([&some[0], &some[1], &some[0]].map(Clone::clone)).is_err());
        // Another name of the same file: a hard link, or a symbolic link.
        #[cfg(unix)]
        for is_hard in [true, false] {
            let (file, name) = (folder.path().join("part-0.csv"), folder.path().join("again.csv"));
            match is_hard {
                true => std::fs::hard_link(&file, &name).unwrap(),
                false => std::os::unix::fs::symlink(&file, &name).unwrap(),
            }
            let twice = [&file, &name].map(FileTable::new);
            assert_eq!(FileTables::new(twice).unwrap_err().kind(), ErrorKind::Request);
            std::fs::remove_file(name).unwrap();
        }
        // A target file in order would be read from its first line for each of the files.
        let targets = folder.path().join("targets.csv");
        std::fs::write(&targets, format!("y\n{}", "1\n".repeat(9))).unwrap();
        let both = FileTables::new(some.into_iter().map(|file| file.target_file(&targets)));
        let error = Select::new(1).epsilon("1").run(&both.unwrap()).unwrap_err();
        assert!(error.to_string().contains("a target file without ids"), "{error}");
        let readers = [(); 2].map(|()| FileTable::from_reader(&b"a,y\n1,2\n"[..]));
        assert_eq!(FileTables::new(readers).unwrap_err().kind(), ErrorKind::Request);
    }
}
