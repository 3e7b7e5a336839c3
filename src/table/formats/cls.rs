//! GenePattern's `.cls`: one class per sample, in the order of the samples.
//!
//! Three lines: the numbers of samples and classes, and 1; `#` and the names of the classes; for
//! each sample the name of its class or its number, from 0. (Other programs number the classes in
//! the order in which they first occur, so that the meaning of a number depends on other samples;
//! here it does not.) Any other label is missing.

use std::io::{BufRead, Read};
use std::path::Path;

use crate::error::{Error, Result};
use crate::table::block_table::TextCell;
use crate::table::formats::decompress::open_text;

/// The longest of the first two lines, in bytes: tens of thousands of classes.
const MAX_LINE: u64 = 1 << 20;

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

fn malformed(rule: &str) -> Error {
    Error::input(format!("the .cls file is malformed: {rule}"))
}

fn labels(mut input: impl BufRead) -> Result<Vec<TextCell>> {
    let first = line(&mut input)?;
    if first.starts_with(b"#numeric") {
        return Err(Error::input("the .cls file holds numbers, not classes")
            .hint("give them as CSV: a header, then one value for each sample in order"));
    }
    let size = |word: &[u8]| std::str::from_utf8(word).ok()?.parse().ok();
    let sizes: Option<Vec<usize>> = words(&first).map(size).collect();
    let [samples, classes, 1] = sizes.unwrap_or_default()[..] else {
        return Err(malformed("its first line does not hold its sizes"));
    };
    let second = line(&mut input)?;
    let names = second.trim_ascii_start().strip_prefix(b"#");
    let names =
        names.ok_or_else(|| malformed("its second line does not name the classes after a #"))?;
    let names: Vec<&[u8]> = words(names).collect();
    if names.len() != classes {
        return Err(malformed("the number of class names differs from its header"));
    }
    let label = |word: &[u8]| {
        let name = names.iter().copied().find(|name| *name == word);
        let numbered =
            || names.get(std::str::from_utf8(word).ok()?.parse::<usize>().ok()?).copied();
        name.or_else(numbered).map(<[u8]>::to_vec)
    };
    let mut third = Vec::new();
    let read = input.by_ref().read_until(b'\n', &mut third);
    let is_blank = |byte: &std::io::Result<u8>| byte.as_ref().is_ok_and(u8::is_ascii_whitespace);
    let more = read.and_then(|_| input.bytes().find(|byte| !is_blank(byte)).transpose());
    let ended = more.map_err(|_| malformed("it is damaged"))?.is_none();
    let labels: Vec<TextCell> = words(&third).map(label).collect();
    if labels.len() != samples || !ended {
        return Err(malformed("the number of labels differs from its header"));
    }
    Ok(labels)
}

/// One of the first two lines, which hold public facts.
fn line(input: &mut impl BufRead) -> Result<Vec<u8>> {
    let mut line = Vec::new();
    let read = input.take(MAX_LINE).read_until(b'\n', &mut line);
    match read {
        Ok(read) if (read as u64) < MAX_LINE => Ok(line),
        _ => Err(malformed("one of its first two lines is damaged or too long")),
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
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

    /// One sample's label cannot stop a run.
    #[test]
    fn other_labels_are_missing() {
        for label in [&b"NA"[..], b"2", b"-1", b"ILL", b"#", b"w\xe9ll", b"\0", b"0.0"] {
            let text = [b"3 2 1\n# well ill\n0 ", label, b" 1\n"].concat();
            let labels = labels(text.as_slice()).unwrap();
            assert_eq!(labels, [Some(b"well".to_vec()), None, Some(b"ill".to_vec())]);
        }
    }

    #[test]
    fn malformed_files_are_refused() {
        for text in [
            "",
            "#numeric\n#age\n1 2 3\n",
            "3 2\n# well ill\n0 1 0\n",
            "3 2 1\nwell ill\n0 1 0\n",
            "3 3 1\n# well ill\n0 1 0\n",
            "3 2 1\n# well ill\n0 1\n",
            "3 2 1\n# well ill\n0 1 0\n1\n",
            "99999999999999999999 2 1\n# well ill\n0 1 0\n",
        ] {
            assert_eq!(labels(text.as_bytes()).unwrap_err().kind(), ErrorKind::Input, "{text}");
        }
    }
}
