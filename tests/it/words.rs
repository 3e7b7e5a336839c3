//! The library mentions parameters, never the options of a program, because callers from Rust or
//! Python have no options.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use std::path::{Path, PathBuf};

/// All sources of the library except tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !name.ends_with("tests") {
            all.extend(sources(&path));
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            all.push(path);
        }
    }
    all
}

/// Whether a text names an option: two hyphens and a letter, as in `--k`.
fn names_an_option(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        rest = &rest[at + 2..];
        if rest.starts_with(|c: char| c.is_ascii_lowercase()) {
            return true;
        }
    }
    false
}

#[test]
fn no_option_is_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let sources = sources(&folder);
    assert!(sources.len() > 50, "{} sources", sources.len());
    let mut found = Vec::new();
    for path in sources {
        let text = std::fs::read_to_string(&path).unwrap();
        let tests = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
        for (number, line) in (1..).zip(text[..tests].lines()) {
            let code = line.trim_start();
            let is_doc = code.starts_with("///") || code.starts_with("//!");
            let is_comment = code.starts_with("//") && !is_doc;
            if !is_comment && names_an_option(line) {
                found.push(format!("{}:{number}: {code}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "options are named:\n{}", found.join("\n"));
}

#[test]
fn options_are_recognized() {
    assert!(names_an_option("give --target-file") && names_an_option("a -- b, --k"));
    assert!(!names_an_option("a - b -- c ---"));
}
