//! Files that paths, folders and patterns stand for.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::table::managed::refuse_managed_below;

/// The files of these paths, folders and patterns; files of a folder or a pattern in alphabetical
/// order. A path that exists is not a pattern. A folder skips names that start with a dot or an
/// underscore, which engines leave next to their parts. A pattern skips names that start with a
/// dot, and folders that start with an underscore, unless one of its own names starts so.
///
/// # Errors
///
/// `Request` for a malformed pattern, a folder that holds other folders, or a folder that belongs
/// to a table of Delta Lake, Iceberg or Hudi; `Io` if a pattern or a folder has no file, or if a
/// folder cannot be read.
pub fn files(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let all: Result<Vec<_>> = given.iter().map(|path| matching(path)).collect();
    Ok(all?.concat())
}

fn matching(path: &Path) -> Result<Vec<PathBuf>> {
    let text = path.to_string_lossy();
    if path.is_dir() {
        return in_folder(path);
    }
    if !text.contains(['*', '?', '[']) || path.exists() {
        return Ok(vec![path.to_owned()]);
    }
    let found = glob::glob(&text)
        .map_err(|error| Error::request(format!("{text} is not a pattern: {}", error.msg)))?;
    let found: std::result::Result<Vec<PathBuf>, _> = found.collect();
    let found = found.map_err(|error| unreadable(error.path(), error.error()))?;
    let is_wanted = |found: &PathBuf| !found.is_dir() && !is_hidden(found, path);
    let files: Vec<PathBuf> = found.into_iter().filter(is_wanted).collect();
    if files.is_empty() {
        return Err(Error::io(format!("no file matches {text}")));
    }
    Ok(files)
}

/// Whether a wildcard has matched a name that starts with a dot, or a folder that starts with an
/// underscore: copies and temporary files of editors, notebooks and engines.
fn is_hidden(found: &Path, pattern: &Path) -> bool {
    let names = |path: &Path| -> Vec<String> {
        let names = path.iter().map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name != ".").collect()
    };
    let (found, pattern) = (names(found), names(pattern));
    let given = pattern.iter().take_while(|name| !name.contains(['*', '?', '['])).count();
    let wild = pattern.get(given..).unwrap_or_default();
    let matched = found.get(given.min(found.len())..).unwrap_or_default();
    let folders = &matched[..matched.len().saturating_sub(1)];
    let starts = |names: &[String], with: char| names.iter().any(|name| name.starts_with(with));
    let named = |with: char| starts(wild, with);
    (starts(matched, '.') && !named('.')) || (starts(folders, '_') && !named('_'))
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let name = folder.display();
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| unreadable(folder, &error))?;
    let is_part = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with(['.', '_'])
    };
    let mut files: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).filter(is_part).collect();
    if files.iter().any(|path| path.is_dir()) {
        refuse_managed_below(folder)?;
        let rule = format!("the folder {name} holds others, whose names may be columns");
        return Err(Error::request(rule).hint(
            "if the names of the folders hold no data, give the files by a pattern, such as 'FOLDER/**/*.parquet'",
        ));
    }
    if files.is_empty() {
        refuse_managed_below(folder)?;
        return Err(Error::io(format!("the folder {name} holds no file")));
    }
    files.sort();
    Ok(files)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::io(format!("cannot read {}: {}", path.display(), error.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["b.csv", "a.csv", "c.txt", "odd[1].csv"] {
            fs::write(at(name), "").unwrap();
        }
        fs::create_dir(at("d.csv")).unwrap();
        let names = |given: &[&str]| {
            let given: Vec<PathBuf> = given.iter().map(|name| at(name)).collect();
            let found = files(&given)?;
            let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
            Ok(found.iter().map(name).collect::<Vec<_>>())
        };
        let of = |given: &[&str]| names(given).map_err(|error: Error| error.kind());
        assert_eq!(of(&["*.csv"]).unwrap(), ["a.csv", "b.csv", "odd[1].csv"]);
        assert_eq!(of(&["c.txt", "?.csv"]).unwrap(), ["c.txt", "a.csv", "b.csv"]);
        // A file with the characters of a pattern, and a missing file, which reading will report.
        assert_eq!(of(&["odd[1].csv", "none"]).unwrap(), ["odd[1].csv", "none"]);
        assert_eq!(of(&["*.tsv"]), Err(crate::error::ErrorKind::Io));
        assert_eq!(of(&["[.csv"]), Err(crate::error::ErrorKind::Request));
        // Folders: other files of engines are not parts, and a folder of folders is
        // refused.
        for name in ["_SUCCESS", ".part.crc", "part-2", "part-1"] {
            fs::write(at("d.csv").join(name), "").unwrap();
        }
        assert_eq!(of(&["d.csv", "c.txt"]).unwrap(), ["part-1", "part-2", "c.txt"]);
        assert_eq!(of(&[""]), Err(crate::error::ErrorKind::Request));
        fs::create_dir(at("none")).unwrap();
        assert_eq!(of(&["none"]), Err(crate::error::ErrorKind::Io));
    }

    #[test]
    fn wildcards_skip_hidden_names() {
        let folder = tempfile::tempdir().unwrap();
        let hidden =
            ["x/.ipynb_checkpoints/a-checkpoint.csv", "x/.a.csv", "_temporary/0/a.csv", ".h/a.csv"];
        for name in ["x/a.csv", "x/_b.csv"].iter().chain(&hidden) {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let found = |pattern: &str| {
            let found = files(&[folder.path().join(pattern)]).map_err(|error| error.kind())?;
            let inside = |path: &PathBuf| {
                path.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned()
            };
            Ok(found.iter().map(inside).collect::<Vec<_>>())
        };
        assert_eq!(found("**/*.csv").unwrap(), ["x/_b.csv", "x/a.csv"]);
        assert_eq!(found("*/*.csv").unwrap(), ["x/_b.csv", "x/a.csv"]);
        // A pattern finds them if it spells out how they start.
        assert_eq!(found(".h/*.csv").unwrap(), [".h/a.csv"]);
        assert_eq!(found("x/.*.csv").unwrap(), ["x/.a.csv"]);
        assert_eq!(found("_*/*/*.csv").unwrap(), ["_temporary/0/a.csv"]);
        assert_eq!(found("*/0/*.csv"), Err(crate::error::ErrorKind::Io));
    }
}
