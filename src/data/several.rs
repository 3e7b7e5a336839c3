//! Rows of one table in a file or in several.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::data::file::FileTable;
use crate::data::file_samples::FileSamples;
use crate::data::hooks::Hooks;
use crate::data::number::CellFormat;
use crate::data::sample::SampleFold;
use crate::data::samples::{Opening, Samples};
use crate::data::schema::{Orientation, Schema};
use crate::data::targets::{TargetTable, Uses};
use crate::error::{Error, ErrorKind, Parameter, Result};

/// One table whose rows lie in several files of the same columns: read one after the other, in any format that each has.
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
    /// The rows of these files together.
    ///
    /// # Errors
    ///
    /// `Request` if there is none, if one is there twice, or if one of several can be read only once.
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

/// Where a file is, whatever it is called here: its device and its number there.
#[cfg(unix)]
fn place(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// Where a file is, whatever link leads to it.
#[cfg(not(unix))]
fn place(path: &Path) -> Option<std::path::PathBuf> {
    path.canonicalize().ok()
}

/// One open file, or several that are opened in turn.
#[allow(clippy::large_enum_variant, reason = "there is one per run")]
pub enum TablesSamples {
    /// The only file.
    One(FileSamples),
    /// All of several files.
    Several(Several),
}

/// Several files with the same columns.
pub struct Several {
    files: Vec<FileTable>,
    /// The first one, for what is the same in all.
    first: FileSamples,
    threads: usize,
    hooks: Hooks,
    memory: Option<u64>,
    labels: Option<Vec<String>>,
    /// The targets in another file, which serves all.
    targets: Option<TargetTable>,
    /// For each file the places of the first one's features among its own, where their order is another.
    orders: Vec<Option<Arc<[usize]>>>,
}

impl Several {
    fn open(files: &[FileTable], opening: &Opening<'_>) -> Result<Self> {
        let hooks = Hooks { progress: None, ..opening.hooks.clone() };
        let quiet = Opening { hooks, ..*opening };
        let mut opened = files.iter().map(|file| in_file(file, file.samples(&quiet, 0)));
        let first = opened.next().unwrap_or_else(|| Err(Error::request("there is no file")))?;
        if first.schema().orientation() == Orientation::FeaturesAsRows {
            let rule = "several files hold rows of samples: features cannot be rows";
            return Err(Error::request(rule).about([Parameter::Orientation]));
        }
        let about_targets = |rule: &str| Error::request(rule).about([Parameter::TargetFile]);
        if files.iter().any(|file| file.facts.target_file != files[0].facts.target_file) {
            return Err(about_targets("several files have one target file: it serves them all"));
        }
        let targets = files[0].targets()?;
        if targets.as_ref().is_some_and(TargetTable::in_order) {
            let rule = "a target file without ids is for one table: each of several files would take its targets from the first line on";
            return Err(about_targets(rule).hint("a target file of ids and values serves them all"));
        }
        let mut orders = vec![None];
        for (file, next) in files[1..].iter().zip(opened) {
            let next = next?;
            let places = in_file(file, first.schema().places_in(next.schema()))?;
            if next.has_words() != first.has_words() {
                let rule = "its columns are not of the kind of those of the first file";
                return in_file(file, Err(Error::request(rule)));
            }
            orders.push((!places.is_sorted()).then(|| places.into()));
        }
        Ok(Self {
            files: files.to_vec(),
            first,
            threads: opening.threads,
            hooks: opening.hooks.clone(),
            memory: opening.memory,
            labels: opening.labels.map(<[String]>::to_vec),
            targets,
            orders,
        })
    }

    fn fold<F: SampleFold>(&self, new: &(dyn Fn() -> F + Sync)) -> Result<F> {
        let mut all = new();
        for (place, file) in self.files.iter().enumerate() {
            let opening = Opening {
                threads: self.threads,
                hooks: self.hooks.part(place, self.files.len()),
                memory: self.memory,
                labels: self.labels.as_deref(),
            };
            let table = file.samples(&opening, (place as u64) << FILE);
            let folded = table.and_then(|mut table| {
                table.targets().clone_from(&self.targets);
                if let Some(order) = &self.orders[place] {
                    table.reorder(order);
                }
                table.fold(new)
            });
            all.merge(in_file(file, folded)?);
        }
        Ok(all)
    }
}

/// The bits of a row's number within its file.
const FILE: u32 = 40;

/// An outcome of reading a file; an error says which.
fn in_file<T>(file: &FileTable, outcome: Result<T>) -> Result<T> {
    outcome.map_err(|error| match error.kind() {
        ErrorKind::Request | ErrorKind::Input => error.in_file(file.file().name()),
        // Errors of reading name the file.
        _ => error,
    })
}

macro_rules! of_either {
    ($self:ident, $table:ident => $value:expr) => {
        match $self {
            TablesSamples::One($table) => $value,
            TablesSamples::Several(Several { first: $table, .. }) => $value,
        }
    };
}

impl TablesSamples {
    fn targets(&mut self) -> &mut Option<TargetTable> {
        match self {
            Self::One(table) => table.targets(),
            Self::Several(tables) => &mut tables.targets,
        }
    }

    fn pass<F: SampleFold>(&mut self, new: &(dyn Fn() -> F + Sync)) -> Result<F> {
        match self {
            Self::One(table) => table.fold(new),
            Self::Several(tables) => tables.fold(new),
        }
    }

    /// Before the first pass, one over the ids by which targets are joined: of rows that share one, none takes part,
    /// unless they are a person's.
    fn leave_out_repeated_ids(&mut self) -> Result<()> {
        if self.schema().has_people() {
            return Ok(());
        }
        let Some(mut targets) = self.targets().take_if(|targets| !targets.is_unique()) else {
            return Ok(());
        };
        // Without targets every row comes.
        let repeated = self.pass(&|| targets.uses()).map(Uses::repeated);
        if let Ok(repeated) = &repeated {
            targets.leave_out(repeated);
        }
        *self.targets() = Some(targets);
        repeated.map(|_| ())
    }
}

impl Samples for TablesSamples {
    fn schema(&self) -> &Schema {
        of_either!(self, table => table.schema())
    }

    fn format(&self) -> &CellFormat {
        of_either!(self, table => table.format())
    }

    fn can_repeat(&self) -> bool {
        of_either!(self, table => table.can_repeat())
    }

    fn has_words(&self) -> bool {
        of_either!(self, table => table.has_words())
    }

    fn fold<F: SampleFold>(&mut self, new: &(dyn Fn() -> F + Sync)) -> Result<F> {
        self.leave_out_repeated_ids()?;
        self.pass(new)
    }

    fn no_usable_target(&self, labels: bool) -> Error {
        of_either!(self, table => table.no_usable_target(labels))
    }
}

impl FileTables {
    pub(super) fn samples(&self, opening: &Opening<'_>) -> Result<TablesSamples> {
        match &self.0[..] {
            [file] => file.samples(opening, 0).map(TablesSamples::One),
            files => Several::open(files, opening).map(TablesSamples::Several),
        }
    }

    pub(super) fn schema(&self, opening: &Opening<'_>) -> Result<Schema> {
        match &self.0[..] {
            [file] => file.schema(opening),
            files => Several::open(files, opening).map(|several| several.first.schema().clone()),
        }
    }

    pub(super) fn repeats(&self) -> bool {
        self.0.iter().all(FileTable::repeats)
    }

    pub(super) fn has_number_target(&self, opening: &Opening<'_>) -> Result<bool> {
        let mut files = self.0.iter();
        files.try_fold(true, |all, file| Ok(all && file.has_number_target(opening)?))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
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

    /// Whatever is read in one pass or several, in place or in parts of the memory, in order or not.
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

    /// Columns are matched by name: another order of them in a file, of text or of numbers, makes the same table.
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
        let mut values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        crate::data::block_samples::reorder(&mut values, Some(&[2, 0, 1]));
        assert_eq!(values, [3.0, 1.0, 2.0, 6.0, 4.0, 5.0]);
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
        let unusable = ["1,2,x,\n".to_owned()];
        assert_eq!(refused(&[(HEADER, &unusable), (HEADER, &unusable)]).kind(), ErrorKind::Input);
        assert!(FileTables::new([]).is_err());
        let (folder, some) = files(&[(HEADER, &rows[..9]), (HEADER, &rows[9..20])]);
        assert!(FileTables::new([&some[0], &some[1], &some[0]].map(Clone::clone)).is_err());
        // Another name of the same file, by a link or by none that could be followed.
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
        let beside = FileTables::new(some.into_iter().map(|file| file.target_file(&targets)));
        let error = Select::new(1).epsilon("1").run(&beside.unwrap()).unwrap_err();
        assert!(error.to_string().contains("a target file without ids"), "{error}");
        let readers = [(); 2].map(|()| FileTable::from_reader(&b"a,y\n1,2\n"[..]));
        assert_eq!(FileTables::new(readers).unwrap_err().kind(), ErrorKind::Request);
    }
}
