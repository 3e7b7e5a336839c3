//! GenePattern's `.cls`: one class per sample, in the order of the samples.
//!
//! Three lines: the numbers of samples and classes, and 1; `#` and the names of the classes; for each sample
//! the name of its class or its number, from 0. (Elsewhere numbers are taken in the order in which they first
//! occur, so that what a number means depends on other samples: here it does not.)

use std::io::{BufRead, Read};
use std::path::Path;

use crate::data::block_table::TextCell;
use crate::data::decompress::open_text;
use crate::error::{Error, Result};

/// The largest size of a file, in bytes: millions of samples.
const MAX_BYTES: u64 = 1 << 28;

/// Whether a file's name ends in `.cls`.
pub(crate) fn is_cls(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
    name.is_some_and(|name| name.strip_suffix(".gz").unwrap_or(&name).ends_with(".cls"))
}

/// Reads the label of each sample.
///
/// # Errors
///
/// `Input` if the file is malformed, or holds a continuous phenotype; `Io` if it cannot be read.
pub(crate) fn read(path: &Path) -> Result<Vec<TextCell>> {
    labels(open_text(path)?)
}

fn labels(input: impl BufRead) -> Result<Vec<TextCell>> {
    let malformed = |rule: &str| Error::input(format!("the .cls file is malformed: {rule}"));
    let mut text = String::new();
    let read = input.take(MAX_BYTES + 1).read_to_string(&mut text);
    if read.is_err() || text.len() as u64 > MAX_BYTES {
        return Err(malformed("it is damaged, no text or too long"));
    }
    if text.starts_with("#numeric") {
        return Err(Error::input("the .cls file holds numbers, not classes")
            .hint("give them as CSV: a header, then one value for each sample in order"));
    }
    let mut lines = text.lines();
    let mut words = || lines.next().unwrap_or_default().split_whitespace();
    let sizes: Option<Vec<usize>> = words().map(|word| word.parse().ok()).collect();
    let [samples, classes, 1] = sizes.unwrap_or_default()[..] else {
        return Err(malformed("its first line does not hold its sizes"));
    };
    let mut names: Vec<&str> = words().collect();
    match names.first().and_then(|first| first.strip_prefix('#')) {
        Some("") => drop(names.remove(0)),
        Some(first) => names[0] = first,
        None => return Err(malformed("its second line does not name the classes after a #")),
    }
    if names.len() != classes {
        return Err(malformed("it does not name as many classes as it says"));
    }
    let label = |word: &str| {
        let name = names.iter().copied().find(|name| *name == word);
        let numbered = || names.get(word.parse::<usize>().ok()?).copied();
        name.or_else(numbered).map(|name| Some(name.as_bytes().to_vec()))
    };
    let labels: Option<Vec<TextCell>> = words().map(label).collect();
    let labels = labels.ok_or_else(|| malformed("a label is neither a class nor its number"))?;
    if labels.len() != samples || lines.any(|line| !line.trim().is_empty()) {
        return Err(malformed("it does not hold as many labels as it says"));
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn names_and_numbers() {
        for text in [
            "3 2 1\n# well ill\n0 1 0\n",
            "3 2 1\r\n#well ill\r\nwell ill 0\r\n\r\n",
            "3\t2\t1\n#\twell\till\nwell\till\twell",
        ] {
            let labels = labels(text.as_bytes()).unwrap();
            let texts: Vec<_> = labels.iter().map(|cell| cell.as_deref().unwrap()).collect();
            assert_eq!(texts, [&b"well"[..], b"ill", b"well"], "{text}");
        }
    }

    #[test]
    fn what_is_none() {
        for text in [
            "",
            "#numeric\n#age\n1 2 3\n",
            "3 2\n# well ill\n0 1 0\n",
            "3 2 1\nwell ill\n0 1 0\n",
            "3 3 1\n# well ill\n0 1 0\n",
            "3 2 1\n# well ill\n0 1 2\n",
            "3 2 1\n# well ill\n0 1\n",
            "3 2 1\n# well ill\n0 1 0\n1\n",
            "99999999999999999999 2 1\n# well ill\n0 1 0\n",
        ] {
            assert_eq!(labels(text.as_bytes()).unwrap_err().kind(), ErrorKind::Input, "{text}");
        }
    }
}
