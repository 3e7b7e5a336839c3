//! Tables of other formats than text, which are read by their paths.

use std::io::Write;
use std::path::PathBuf;

use dpsis::{FileTable, Orientation, Select, Target};

use super::tables::{given, gzip, released, request, table, whole};

/// A folder for the files of one input.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

/// Reads a file of a format whole and for releases: the same each time, or an error of the right
/// kind.
fn check(name: &str, bytes: &[u8], facts: impl Fn(FileTable) -> FileTable) {
    let folder = Folder::new();
    let path = folder.write(name, bytes);
    let table = || facts(FileTable::new(&path));
    let read = whole(&table());
    assert_eq!(whole(&table()), read, "read again");
    if let Ok((features, values, targets)) = &read {
        assert_eq!(values.len(), features.len() * targets.len());
    }
    let request = Select::new(1).epsilon("1");
    let bounded = released(&request.clone().bounds(-4.0, 4.0), table);
    let labels = released(&request.target(Target::classes(["yes", "no", "1"])), table);
    // A whole table has been read to its end: only its targets, its width or its words can be
    // refused then.
    assert!(read.is_ok() || (bounded.is_err() && labels.is_err()), "{read:?}");
}

/// numpy's arrays, either way round.
pub fn npy(bytes: &[u8]) {
    let bytes = [b"\x93NUMPY", bytes].concat();
    check("t.npy", &bytes, |table| table);
    let folder = Folder::new();
    let targets = folder.write("y.csv", b"y\n1\n2\n3\n");
    check("t.npy", &bytes, |table| {
        table.orientation(Orientation::FeaturesAsRows).target_file(&targets)
    });
}

/// numpy's archives.
pub fn npz(bytes: &[u8]) {
    check("t.npz", &[b"PK\x03\x04", bytes].concat(), |table| table);
}

/// Gene expression as text, with the target in another file.
pub fn gct(bytes: &[u8]) {
    let folder = Folder::new();
    let targets = folder.write("y.cls", b"3 2 1\n# yes no\nyes no no\n");
    check("t.gct", bytes, |table| table.target_file(&targets));
    check("t.gct", bytes, |table| table.target_column(dpsis::TargetColumn::Named("y".into())));
}

/// Classes for a table of three samples.
pub fn cls(bytes: &[u8]) {
    let folder = Folder::new();
    let targets = folder.write("y.cls", bytes);
    let rows = b"a,b\n1,2\n3,4\n5,6\n";
    check("t.csv", rows, |table| table.target_file(&targets));
}

/// R's serialization: as it is, and compressed by gzip and xz.
pub fn r(bytes: &[u8]) {
    let bytes = if bytes.starts_with(b"RD") || bytes.starts_with(b"\xfd7zXZ") {
        bytes.to_vec()
    } else {
        [b"X\n\0\0\0\x03\0\x04\x03\x02\0\x03\x05\0", bytes].concat()
    };
    check("t.rds", &bytes, |table| table);
    if bytes.starts_with(b"\xfd7zXZ") {
        return;
    }
    let folder = Folder::new();
    let read = |name: &str, bytes: &[u8]| whole(&FileTable::new(folder.write(name, bytes)));
    // The error may name the file.
    let expected = read("t.rds", &bytes);
    for packed in [gzip(&bytes), xz(&bytes)] {
        assert_eq!(read("t.rds", &packed).ok(), expected.clone().ok(), "compressed");
    }
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Arrow's files and streams.
#[cfg(feature = "arrow")]
pub fn arrow(bytes: &[u8]) {
    quiet();
    for start in [&b"ARROW1\0\0"[..], b"\xff\xff\xff\xff"] {
        check("t.arrow", &[start, bytes].concat(), |table| table);
    }
}

/// Parquet.
#[cfg(feature = "arrow")]
pub fn parquet(bytes: &[u8]) {
    quiet();
    check("t.parquet", &[b"PAR1", bytes].concat(), |table| table);
}

/// Panics of the crates for Arrow are caught by the reader and become errors. The hook of libFuzzer
/// would end the process before.
#[cfg(feature = "arrow")]
fn quiet() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(dpsis::internals::quiet_caught_panics);
}

/// The first byte gives facts, the second the request, the others are the table: a release or an
/// error of the right kind, the same on one thread and on three, from memory and from a file.
pub fn select(bytes: &[u8]) {
    let [facts, kind, bytes @ ..] = bytes else { return };
    let request = request(*kind);
    let from_memory = released(&request, || table(bytes.to_vec(), *facts));
    let folder = Folder::new();
    let path = folder.write("t", bytes);
    let from_file = released(&request, || given(FileTable::new(&path), *facts));
    // A file may have another format, and errors contain its name.
    if let (Ok(memory), Ok(file)) = (&from_memory, &from_file) {
        assert_eq!(memory, file);
    }
}
