//! GenePattern's `.gct`: gene expression as text, one line per feature.
//!
//! Version 1.2: `#1.2`; a line with the numbers of features and samples; a header `Name`,
//! `Description` and the samples' ids; then lines of a name, a description and values, with tabs
//! between. Version 1.3 has two more numbers - how many columns describe features, how many lines
//! describe samples -, those columns between the name and the values, and those lines before the
//! features; such a line can be the target, by its name. Descriptions are not features. The sample
//! ids are private.

use std::io::{BufRead, Read};
use std::path::Path;

use crate::error::{Error, Result};
use crate::exact::MAX_ROWS;
use crate::table::block_table::{FileColumns, TextCell};
use crate::table::facts::TableFacts;
use crate::table::formats::decompress::open_text;
use crate::table::held::{HeldColumn, HeldTable};
use crate::table::schema::{Orientation, TargetColumn};
use crate::table::text::text;

/// The longest line before the number of samples is known; after that, the longest cell on average.
/// In bytes.
const MAX_START: u64 = 1 << 10;
const MAX_CELL: u64 = 1 << 12;
/// The largest number of samples, as of rows of text.
const MAX_SAMPLES: u64 = MAX_ROWS;

fn malformed(rule: &str) -> Error {
    Error::input(format!("the .gct file is malformed: {rule}"))
}

/// Reads a whole file into memory, 8 bytes per value.
///
/// # Errors
///
/// `Input` if it is malformed, with the line of the first feature that is; `Io` if it cannot be
/// read.
pub(super) fn read(path: &Path, facts: &TableFacts) -> Result<HeldTable> {
    GctLines { input: open_text(path)?, line: Vec::new() }.table(facts)
}

struct GctLines<R> {
    input: R,
    line: Vec<u8>,
}

/// The numbers of the second line.
struct Sizes {
    features: u64,
    samples: usize,
    /// Columns between the name and the values.
    described: usize,
    /// Lines that describe samples.
    metadata: u64,
}

impl<R: BufRead> GctLines<R> {
    /// The next line without its end; `None` at the end of the file.
    fn next(&mut self, most: u64) -> Result<Option<&[u8]>> {
        self.line.clear();
        let read = (&mut self.input).take(most).read_until(b'\n', &mut self.line);
        // The file is open: a failure now is that of the decompressor.
        let read = read.map_err(|_| malformed("it is damaged or ends too early"))?;
        if read as u64 == most && !self.line.ends_with(b"\n") {
            return Err(malformed("a line is longer than its cells can be"));
        }
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        Ok((read > 0).then(|| line.strip_suffix(b"\r").unwrap_or(line)))
    }

    fn needed(&mut self, most: u64) -> Result<&[u8]> {
        self.next(most)?.ok_or_else(|| malformed("it ends too early"))
    }

    fn sizes(&mut self) -> Result<Sizes> {
        let version = self.needed(MAX_START)?.trim_ascii_end().to_vec();
        let line = self.needed(MAX_START)?;
        let number = |cell: &[u8]| std::str::from_utf8(cell).ok()?.trim().parse::<u64>().ok();
        let numbers: Option<Vec<u64>> =
            line.trim_ascii_end().split(|&byte| byte == b'\t').map(number).collect();
        let wrong = || malformed("its second line does not hold its sizes");
        let (features, samples, described, metadata) =
            match (version.as_slice(), numbers.ok_or_else(wrong)?.as_slice()) {
                (b"#1.2", &[features, samples]) => (features, samples, 1, 0),
                (b"#1.3", &[features, samples, described, metadata]) => {
                    (features, samples, described, metadata)
                }
                _ => return Err(wrong()),
            };
        if samples > MAX_SAMPLES || described > MAX_SAMPLES {
            return Err(malformed("its sizes are larger than any such file's"));
        }
        Ok(Sizes { features, samples: samples as usize, described: described as usize, metadata })
    }

    fn table(mut self, facts: &TableFacts) -> Result<HeldTable> {
        let Sizes { features, samples, described, metadata } = self.sizes()?;
        let columns = samples.saturating_add(1 + described);
        let most = (columns as u64).saturating_mul(MAX_CELL + 1);
        let header: Vec<&[u8]> = self.needed(most)?.split(|&byte| byte == b'\t').collect();
        if header.len() != columns {
            return Err(malformed(
                "the number of samples in its header differs from its second line",
            ));
        }
        let id = |cell: &&[u8]| Some(cell.trim_ascii().to_vec());
        let ids: Vec<TextCell> = header[1 + described..].iter().map(id).collect();
        let wanted = match &facts.target {
            TargetColumn::Named(name) => Some(name.as_bytes()),
            _ => None,
        };
        let mut target = None;
        for number in 1..=metadata {
            let cells = cells(self.needed(most)?, columns, number)?;
            if wanted == Some(cells[0].trim_ascii()) {
                let text =
                    |cell: &&[u8]| Some(cell.trim_ascii().to_vec()).filter(|t| !t.is_empty());
                target = Some(cells[1 + described..].iter().map(text).collect());
            }
        }
        let format = facts.cells();
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for number in metadata + 1.. {
            let Some(line) = self.next(most)? else { break };
            if line.is_empty() {
                continue;
            }
            let cells = cells(line, columns, number)?;
            let place = |error: Error| error.at(Some(number), Some(1));
            let name = text(cells[0].trim_ascii());
            let name = name.filter(|name| !name.contains(['\n', '\r']));
            names.push(name.ok_or_else(|| place(malformed("a name is not text in UTF-8")))?);
            let is_target = wanted == Some(cells[0].trim_ascii());
            let of = &cells[1 + described..];
            values.push(if is_target {
                HeldColumn::Texts(of.iter().map(|cell| Some(cell.trim_ascii().to_vec())).collect())
            } else {
                HeldColumn::Values(of.iter().map(|cell| format.value(cell)).collect())
            });
        }
        if names.len() as u64 != features {
            return Err(malformed("the number of features differs from its second line"));
        }
        let layout = FileColumns {
            orientation: Orientation::FeaturesAsRows,
            names,
            all_texts: true,
            named: true,
            target_name: wanted.and_then(text),
            ..FileColumns::default()
        };
        Ok(HeldTable::new(layout, samples, values, Some(ids), target))
    }
}

/// The cells of a line, by its number below the header.
fn cells(line: &[u8], columns: usize, number: u64) -> Result<Vec<&[u8]>> {
    let cells: Vec<&[u8]> = line.split(|&byte| byte == b'\t').collect();
    if cells.len() != columns {
        // The place has no column, which would reveal the number of samples.
        let rule = "the line does not have as many cells as the header";
        return Err(Error::input(rule).at(Some(number), None));
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::table::block_table::{BlockTable, RowValues, TextPlace, Wanted};
    use crate::table::word::word;

    fn table(text: &str, target: &TargetColumn) -> Result<HeldTable> {
        let (target, missing) = (target.clone(), vec!["-9".to_owned()]);
        let facts = TableFacts { target, missing, ..TableFacts::default() };
        GctLines { input: text.as_bytes(), line: Vec::new() }.table(&facts)
    }

    fn read(text: &str, target: &TargetColumn) -> (Vec<String>, Vec<f64>, Vec<Vec<TextCell>>) {
        let table = table(text, target).unwrap();
        let names = table.layout().names.clone();
        let texts = vec![TextPlace::Ids, TextPlace::Target];
        let wanted = Wanted {
            numbers: (0..names.len()).collect(),
            texts,
            block: 1 << 20,
            ..Wanted::default()
        };
        let block = table.blocks(&wanted).unwrap().next().unwrap().unwrap();
        let RowValues::F64(by_column) = block.values else { panic!() };
        assert!(block.by_column);
        let row = |row: usize| by_column.iter().skip(row).step_by(block.rows).copied();
        (names, (0..block.rows).flat_map(row).collect(), block.texts)
    }

    fn text(cells: &[&str]) -> Vec<TextCell> {
        cells.iter().map(|cell| Some(cell.as_bytes().to_vec())).collect()
    }

    #[test]
    fn both_versions() {
        let twelve = "#1.2\n2\t3\nName\tDescription\ts1\ts2\ts3\r\ng1\tna\t1\t2.5\t-9\r\ng2\t\t4\t5\tmid\n\n";
        let (names, values, texts) = read(twelve, &TargetColumn::Last);
        assert_eq!(names, ["g1", "g2"]);
        assert_eq!(values[..4], [1.0, 4.0, 2.5, 5.0]);
        assert_eq!(values[4].to_bits(), f64::NAN.to_bits());
        assert_eq!(values[5].to_bits(), word(b"mid").to_bits());
        assert_eq!(texts[0], text(&["s1", "s2", "s3"]));
        let thirteen = "#1.3\n2\t2\t2\t1\nid\tgene\tsymbol\ts1\ts2\nstatus\tna\tna\tcase\twell\n\
                        g1\ta\tb\t1\t2\ng2\tc\td\t3\t4";
        let (names, values, texts) = read(thirteen, &TargetColumn::Named("status".into()));
        assert_eq!((names, values), (vec!["g1".into(), "g2".into()], vec![1.0, 3.0, 2.0, 4.0]));
        assert_eq!(texts[1], text(&["case", "well"]));
    }

    #[test]
    fn malformed_files_are_refused() {
        let good = "#1.2\n1\t2\nName\tDescription\ts1\ts2\ng1\tna\t1\t2\n";
        assert!(table(good, &TargetColumn::Last).is_ok());
        for (from, to) in [
            ("#1.2", "#1.3"),
            ("1\t2\nName", "1\t2\t3\nName"),
            ("1\t2\nName", "2\t2\nName"),
            ("1\t2\nName", "0\t2\nName"),
            ("1\t2\nName", "1\t3\nName"),
            ("1\t2\nName", "1\t99999999999999\nName"),
            ("1\t2\nName", "-1\t2\nName"),
            ("\t1\t2\n", "\t1\n"),
            ("\t1\t2\n", "\t1\t2\t3\n"),
            ("g1\tna\t1\t2\n", ""),
            (good, ""),
            (good, "#1.2\n"),
        ] {
            let error = table(&good.replace(from, to), &TargetColumn::Last).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Input, "{to}");
            assert!(!error.to_string().contains("s1"), "{error}");
        }
        let long = format!("#1.2\n{}", "1".repeat(5000));
        assert!(table(&long, &TargetColumn::Last).is_err());
    }
}
