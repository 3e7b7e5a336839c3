//! Files that paths, folders and patterns stand for.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The files of these paths, folders and patterns, those of a folder or a pattern in alphabetical
/// order. A path that exists is no pattern. Of a folder, names that start with a dot or an
/// underscore stand for no table, as engines leave them beside their parts.
///
/// # Errors
///
/// `Request` for a pattern that is none, or a folder that holds others; `Io` if a pattern or a
/// folder stands for no file, or if a folder cannot be read.
pub fn files(stated: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let all: Result<Vec<_>> = stated.iter().map(|path| matching(path)).collect();
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
        .map_err(|error| Error::request(format!("{text} is no pattern: {}", error.msg)))?;
    let found: std::result::Result<Vec<PathBuf>, _> = found.collect();
    let found = found.map_err(|error| unreadable(error.path(), error.error()))?;
    let files: Vec<PathBuf> = found.into_iter().filter(|path| !path.is_dir()).collect();
    if files.is_empty() {
        return Err(Error::io(format!("no file matches {text}")));
    }
    Ok(files)
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
        let rule = format!("the folder {name} holds others, whose names may be columns");
        return Err(Error::request(rule)
            .hint("state the files by a pattern, such as 'FOLDER/**/*.parquet', if their names tell nothing"));
    }
    if files.is_empty() {
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
        let names = |stated: &[&str]| {
            let stated: Vec<PathBuf> = stated.iter().map(|name| at(name)).collect();
            let found = files(&stated)?;
            let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
            Ok(found.iter().map(name).collect::<Vec<_>>())
        };
        let of = |stated: &[&str]| names(stated).map_err(|error: Error| error.kind());
        assert_eq!(of(&["*.csv"]).unwrap(), ["a.csv", "b.csv", "odd[1].csv"]);
        assert_eq!(of(&["c.txt", "?.csv"]).unwrap(), ["c.txt", "a.csv", "b.csv"]);
        // A file with the characters of a pattern, and one that is missing, which reading will
        // tell.
        assert_eq!(of(&["odd[1].csv", "none"]).unwrap(), ["odd[1].csv", "none"]);
        assert_eq!(of(&["*.tsv"]), Err(crate::error::ErrorKind::Io));
        assert_eq!(of(&["[.csv"]), Err(crate::error::ErrorKind::Request));
        // Folders: what engines leave beside their parts is none, and a folder of folders is refused.
        for name in ["_SUCCESS", ".part.crc", "part-2", "part-1"] {
            fs::write(at("d.csv").join(name), "").unwrap();
        }
        assert_eq!(of(&["d.csv", "c.txt"]).unwrap(), ["part-1", "part-2", "c.txt"]);
        assert_eq!(of(&[""]), Err(crate::error::ErrorKind::Request));
        fs::create_dir(at("none")).unwrap();
        assert_eq!(of(&["none"]), Err(crate::error::ErrorKind::Io));
    }
}
