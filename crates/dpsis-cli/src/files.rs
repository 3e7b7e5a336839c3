//! Files that patterns stand for.

use std::path::{Path, PathBuf};

use dpsis::{Error, Result};

/// The files of these paths and patterns, those of a pattern in alphabetical order. A path that
/// exists is no pattern.
///
/// # Errors
///
/// `Request` for a pattern that is none; `Io` if no file matches one, or a folder cannot be read.
pub(super) fn files(stated: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let all: Result<Vec<_>> = stated.iter().map(|path| matching(path)).collect();
    Ok(all?.concat())
}

fn matching(path: &Path) -> Result<Vec<PathBuf>> {
    let text = path.to_string_lossy();
    if !text.contains(['*', '?', '[']) || path.exists() {
        return Ok(vec![path.to_owned()]);
    }
    let found = glob::glob(&text)
        .map_err(|error| Error::request(format!("{text} is no pattern: {}", error.msg)))?;
    let found: std::result::Result<Vec<PathBuf>, _> = found.collect();
    let found = found.map_err(|error| {
        Error::io(format!("cannot read {}: {}", error.path().display(), error.error().kind()))
    })?;
    let files: Vec<PathBuf> = found.into_iter().filter(|path| !path.is_dir()).collect();
    if files.is_empty() {
        return Err(Error::io(format!("no file matches {text}")));
    }
    Ok(files)
}

/// The text of a file.
///
/// # Errors
///
/// `Io` if it cannot be read, `Input` if it is no text.
pub(super) fn read_text(path: &Path) -> Result<String> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|error| Error::cannot_read(path, &error))?;
    String::from_utf8(bytes).map_err(|_| Error::input(format!("{name} is not text in UTF-8")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["b.csv", "a.csv", "c.txt", "odd[1].csv"] {
            std::fs::write(at(name), "").unwrap();
        }
        std::fs::create_dir(at("d.csv")).unwrap();
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
        assert_eq!(of(&["*.tsv"]), Err(dpsis::ErrorKind::Io));
        assert_eq!(of(&["[.csv"]), Err(dpsis::ErrorKind::Request));
    }
}
