//! Text tables: the same cells however the bytes arrive, and releases or errors of the right kind.

use std::io::{Cursor, Read, Write};

use dpsis::internals::WholeTable;
use dpsis::{
    Bounds, Error, ErrorKind, FileTable, Orientation, Scaling, ScoreKind, Select, Target,
    TargetColumn,
};

/// The bytes that the reader of text reads at once.
const READ: usize = 1 << 18;

/// The bits of a whole table: features, values, targets.
pub(crate) type Table = (Vec<String>, Vec<u64>, Vec<String>);

/// Reads a table; NaN with its payload counts.
pub(crate) fn whole(source: &FileTable) -> Result<Table, String> {
    let table = WholeTable::read(source).map_err(|error| message_of(&error))?;
    let bits = table.values.iter().map(|value| value.to_bits()).collect();
    Ok((table.features, bits, table.targets))
}

/// The kind and the message of an error, which must be one of a request or of malformed input.
pub(crate) fn message_of(error: &Error) -> String {
    let known = matches!(error.kind(), ErrorKind::Input | ErrorKind::Request);
    assert!(known, "{:?}: {error}", error.kind());
    format!("{:?}: {error}", error.kind())
}

/// The record of a seeded release on one thread; on three it must be the same.
pub(crate) fn released(request: &Select, table: impl Fn() -> FileTable) -> Result<String, String> {
    let run = |threads: usize| {
        let request = request.clone().threads(threads).seed(1);
        let drawn = request.run(&table()).map_err(|error| message_of(&error))?;
        Ok(dpsis::report::to_json(&drawn).unwrap())
    };
    let one = run(1);
    assert_eq!(one, run(3), "on three threads");
    one
}

/// A reader that gives a few bytes at a time.
struct Drops<R>(R, usize);

impl<R: Read> Read for Drops<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = self.1 % 7 + 1;
        let room = buffer.len().min(self.1);
        self.0.read(&mut buffer[..room])
    }
}

/// A table in memory, with facts that the bits of `facts` select.
pub(crate) fn table(bytes: Vec<u8>, facts: u8) -> FileTable {
    given(FileTable::from_reader(Cursor::new(bytes)), facts)
}

pub(crate) fn given(mut table: FileTable, facts: u8) -> FileTable {
    if facts & 1 > 0 {
        table = table.delimiter(b';').decimal_comma(true);
    }
    if facts & 2 > 0 {
        table = table.orientation(Orientation::FeaturesAsRows);
        table = table.target_column(TargetColumn::Named("y".into()));
        table = table.delimiter(if facts & 1 > 0 { b';' } else { b',' });
    }
    if facts & 4 > 0 {
        table = table.numeric_names(true);
    }
    if facts & 8 > 0 {
        table = table.missing(["-9", "x"]);
    }
    table
}

/// The first byte gives facts, the others are the table. Read in drops, with line ends of Windows,
/// or so that a block of bytes ends anywhere within it, it is the same table, or the same error.
pub fn text(bytes: &[u8]) {
    let Some((&facts, bytes)) = bytes.split_first() else { return };
    let expected = whole(&table(bytes.to_vec(), facts));
    let drops = Drops(Cursor::new(bytes.to_vec()), 0);
    assert_eq!(whole(&given(FileTable::from_reader(drops), facts)), expected, "in drops");
    if !bytes.iter().any(|byte| b"\"\r".contains(byte)) {
        let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        let windows = lines.join(&b"\r\n"[..]);
        // A cell may be too long with its return; R's files start with a line.
        if windows.len() < 4096 && !bytes.starts_with(b"RDX") {
            assert_eq!(whole(&table(windows, facts)), expected, "with returns");
        }
    }
    // Blank lines are not rows where there are several columns: they move the table to the end of
    // the first block.
    let header = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (header, rows) = bytes.split_at(header);
    let several = [b',', b'\t', b';'].map(|by| header.iter().filter(|byte| **byte == by).count());
    let is_plain = facts & 18 == 16 && !header.iter().any(|byte| b"\"\r".contains(byte));
    if is_plain && several.iter().sum::<usize>() > 0 && expected.is_ok() {
        let blank = READ - header.len() - usize::from(facts >> 5).min(rows.len());
        let moved = [header, &vec![b'\n'; blank], rows].concat();
        if expected.as_ref().is_ok_and(|(features, ..)| features.len() > 1) {
            assert_eq!(whole(&table(moved, facts)), expected, "across blocks");
        }
    }
}

/// A request of several kinds, by bits.
pub(crate) fn request(kind: u8) -> Select {
    let base = Select::new(1).epsilon("1").estimates("0.1");
    let labels = || Target::classes(["0", "1", "7"]);
    match kind % 8 {
        0 => base,
        1 => base.target(labels()),
        2 => base.center(dpsis::Center::None).bounds(-3.0, 3.0),
        3 => base.score(ScoreKind::Kendall),
        4 => base.target(Target::Bounded(Bounds::new(0.0, 9.0).unwrap())).scaling(Scaling::RowRank),
        5 => base.score(ScoreKind::Kendall).target(labels()),
        6 => base.counts_per_million(),
        _ => base.estimates("0").method(dpsis::Method::DpKendall),
    }
}

/// Compressed in one piece or in two, a text is the same table; any other bytes behind the marks of
/// compressed files are refused or read, in drops as at once.
pub fn compressed(bytes: &[u8]) {
    let Some((&cut, bytes)) = bytes.split_first() else { return };
    for start in [&b""[..], b"\x1f\x8b\x08\0\0\0\0\0\0\x03", b"\x28\xb5\x2f\xfd"] {
        let raw = [start, bytes].concat();
        let expected = whole(&table(raw.clone(), 0));
        let drops = Drops(Cursor::new(raw), 0);
        assert_eq!(whole(&FileTable::from_reader(drops)), expected, "in drops");
    }
    let expected = whole(&table(bytes.to_vec(), 0));
    if expected.is_err() {
        return;
    }
    let (one, other) = bytes.split_at(usize::from(cut).min(bytes.len()));
    for pack in [gzip, zstandard] {
        let packed = whole(&table(pack(bytes), 0));
        assert_eq!(packed, expected, "compressed");
        let parts = [pack(one), pack(other)].concat();
        assert_eq!(whole(&table(parts, 0)), expected, "compressed in two parts");
        let mut short = pack(bytes);
        short.pop();
        assert!(whole(&table(short, 0)).is_err(), "cut off");
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}
