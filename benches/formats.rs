//! From a file of each format to a selection: `cargo bench --bench formats --features arrow`.
//!
//! A table of 100 rows and 22,000 features, and one of 20,000 rows and 500 features, in every
//! format; given bounds, one thread and two. It is verified first that all formats give the same
//! selection. The physical limit, reading the bytes, is measured in the same run.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use divan::counter::{BytesCount, ItemsCount};
use dpsis::{Bounds, FileTable, Select, Target, TargetColumn};
use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A table, row-major with the target last. Values are multiples of 2^-16, exact in 32 bits and as
/// text.
struct Table {
    name: &'static str,
    columns: usize,
    values: Vec<f64>,
}

static TABLES: LazyLock<[Table; 2]> =
    LazyLock::new(|| [drawn("wide", 100, 22_000), drawn("tall", 20_000, 500)]);

fn drawn(name: &'static str, rows: usize, features: usize) -> Table {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    let mut value = || f64::from(rng.next_u32() as i32 >> 15) / 65_536.0;
    let columns = features + 1;
    Table { name, columns, values: (0..rows * columns).map(|_| value()).collect() }
}

impl Table {
    fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.columns)
    }

    fn names(&self) -> Vec<String> {
        (1..self.columns).map(|i| format!("feature-{i}")).chain(["y".into()]).collect()
    }

    /// The values in column-major order.
    fn by_columns(&self) -> Vec<f64> {
        let column = |place| self.rows().map(move |row: &[f64]| row[place]);
        (0..self.columns).flat_map(column).collect()
    }
}

/// The files, in the build folder.
static FILES: LazyLock<Vec<(&'static str, PathBuf)>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formats");
    std::fs::create_dir_all(&folder).unwrap();
    let mut files = Vec::new();
    for table in TABLES.iter() {
        for (ending, content) in contents(table) {
            let path = folder.join(format!("{}{ending}", table.name));
            std::fs::write(&path, content).unwrap();
            files.push((table.name, path));
        }
    }
    files
});

fn contents(table: &Table) -> Vec<(&'static str, Vec<u8>)> {
    let csv = csv(table);
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(&csv).unwrap();
    let rows = npy("<f8", false, table, &table.values);
    let columns = npy("<f8", true, table, &table.by_columns());
    let contents = vec![
        (".csv", csv),
        (".csv.gz", gz.finish().unwrap()),
        ("-f8.npy", rows.clone()),
        ("-f4.npy", npy("<f4", false, table, &table.values)),
        ("-f8-fortran.npy", columns),
        ("-f4-fortran.npy", npy("<f4", true, table, &table.by_columns())),
        ("-stored.npz", npz(&rows, false)),
        ("-deflated.npz", npz(&rows, true)),
        (".gct", gct(table)),
        (".rds", rds(table)),
    ];
    #[cfg(feature = "arrow")]
    let contents = [contents, arrow(table).into()].concat();
    contents
}

fn csv(table: &Table) -> Vec<u8> {
    let mut text = table.names().join(",") + "\n";
    for row in table.rows() {
        row.iter().for_each(|value| write!(text, "{value},").unwrap());
        text.pop();
        text.push('\n');
    }
    text.into()
}

fn npy(of: &str, fortran: bool, table: &Table, values: &[f64]) -> Vec<u8> {
    let (rows, columns) = (table.rows().len(), table.columns);
    let order = if fortran { "True" } else { "False" };
    let header =
        format!("{{'descr': '{of}', 'fortran_order': {order}, 'shape': ({rows}, {columns}), }}");
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend(118u16.to_le_bytes());
    bytes.extend(format!("{header:<117}\n").bytes());
    for value in values {
        match of {
            "<f4" => bytes.extend((*value as f32).to_le_bytes()),
            _ => bytes.extend(value.to_le_bytes()),
        }
    }
    bytes
}

/// An archive of one array, `X`.
fn npz(array: &[u8], deflated: bool) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(array);
    let content = if deflated {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(array).unwrap();
        encoder.finish().unwrap()
    } else {
        array.to_vec()
    };
    let word = |value: usize| (value as u32).to_le_bytes();
    let mut entry = [20u16, 0, if deflated { 8 } else { 0 }, 0, 0].map(u16::to_le_bytes).concat();
    entry.extend([crc.sum().to_le_bytes(), word(content.len()), word(array.len())].concat());
    entry.extend([5u16, 0].map(u16::to_le_bytes).concat());
    let mut archive = [b"PK\x03\x04".as_slice(), &entry, b"X.npy", &content].concat();
    let directory = archive.len();
    archive.extend([b"PK\x01\x02\x14\0".as_slice(), &entry, &[0; 14], b"X.npy"].concat());
    let length = archive.len() - directory;
    archive.extend([b"PK\x05\x06\0\0\0\0\x01\0\x01\0".as_slice(), &word(length)].concat());
    archive.extend([&word(directory)[..], &[0, 0]].concat());
    archive
}

fn gct(table: &Table) -> Vec<u8> {
    let n = table.rows().len();
    let mut text = format!("#1.2\n{}\t{n}\nName\tDescription", table.columns);
    (1..=n).for_each(|i| write!(text, "\ts{i}").unwrap());
    for (name, values) in table.names().iter().zip(table.by_columns().chunks(n)) {
        write!(text, "\n{name}\t").unwrap();
        values.iter().for_each(|value| write!(text, "\t{value}").unwrap());
    }
    (text + "\n").into()
}

/// A matrix in R's serialization format, compressed with gzip.
fn rds(table: &Table) -> Vec<u8> {
    let word = |value: usize| (value as u32).to_be_bytes();
    let (rows, columns) = (table.rows().len(), table.columns);
    let mut bytes = b"X\n".to_vec();
    // Version 2, by R 3.6.0; numbers with an attribute: `dim`, two integers.
    bytes.extend([2, 0x30600, 0x20300, 0x20e, rows * columns].map(word).concat());
    bytes.extend(table.by_columns().into_iter().flat_map(f64::to_be_bytes));
    bytes.extend([0x402, 1, 0x40009, 3].map(word).concat());
    bytes.extend(b"dim");
    bytes.extend([0xd, 2, rows, columns, 0xfe].map(word).concat());
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(&bytes).unwrap();
    gz.finish().unwrap()
}

#[cfg(feature = "arrow")]
fn arrow(table: &Table) -> [(&'static str, Vec<u8>); 2] {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
    use parquet::basic::Compression;
    use parquet::file::properties::WriterProperties;

    let columns = table.by_columns();
    let columns = columns.chunks(table.rows().len());
    let array = |values: &[f64]| Arc::new(Float64Array::from(values.to_vec())) as ArrayRef;
    let batch = table.names().into_iter().zip(columns.map(array));
    let batch = RecordBatch::try_from_iter(batch).unwrap();
    let (mut parquet, mut feather) = (Vec::new(), Vec::new());
    let snappy = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(&mut parquet, batch.schema(), Some(snappy)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let lz4 = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME));
    let schema = batch.schema();
    let mut writer = FileWriter::try_new_with_options(&mut feather, &schema, lz4.unwrap()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    [(".parquet", parquet), (".feather", feather)]
}

/// The indices of the selected features.
fn select(file: usize, threads: usize) -> Vec<usize> {
    let path = &FILES[file].1;
    let table = FileTable::new(path);
    let table = match path.extension().is_some_and(|ending| ending == "gct") {
        true => table.target_column(TargetColumn::Named("y".into())),
        false => table,
    };
    let bounds = Bounds::new(-1.0, 1.0).unwrap();
    let request = Select::new(10).epsilon("1").bounds(-1.0, 1.0);
    request.target(Target::Bounded(bounds)).threads(threads).seed(1).run(&table).unwrap().indices()
}

/// All files of a table give the same selection, for any number of threads.
fn verify() {
    let mut expected = std::collections::BTreeMap::new();
    for (file, (table, path)) in FILES.iter().enumerate() {
        for threads in [1, 2] {
            let found = select(file, threads);
            let expected = expected.entry(table).or_insert_with(|| found.clone());
            assert_eq!(found, *expected, "{}", path.display());
        }
    }
}

fn main() {
    verify();
    divan::main();
}

/// A file, by its index, and the number of threads.
struct Case {
    file: usize,
    threads: usize,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = FILES[self.file].1.file_name().unwrap_or_default().to_string_lossy();
        write!(f, "{name}, {}", self.threads)
    }
}

fn cases(threads: &[usize]) -> Vec<Case> {
    let files = 0..FILES.len();
    files.flat_map(|file| threads.iter().map(move |&threads| Case { file, threads })).collect()
}

fn bytes(file: usize) -> BytesCount {
    BytesCount::new(std::fs::metadata(&FILES[file].1).unwrap().len())
}

fn cells(file: usize) -> ItemsCount {
    let table = TABLES.iter().find(|table| table.name == FILES[file].0);
    ItemsCount::new(table.map_or(0, |table| table.values.len()))
}

#[divan::bench(args = cases(&[1, 2]), sample_count = 7)]
fn select_with_bounds(bencher: divan::Bencher<'_, '_>, case: &Case) {
    let bencher = bencher.counter(bytes(case.file)).counter(cells(case.file));
    bencher.bench(|| select(case.file, case.threads));
}

#[divan::bench(args = cases(&[1]), sample_count = 7)]
fn limit_read_bytes(bencher: divan::Bencher<'_, '_>, case: &Case) {
    let mut buffer = vec![0; 1 << 18];
    bencher.counter(bytes(case.file)).counter(cells(case.file)).bench_local(|| {
        let mut file = std::fs::File::open(&FILES[case.file].1).unwrap();
        let mut total = 0;
        while let read @ 1.. = file.read(&mut buffer).unwrap() {
            total += read;
        }
        total
    });
}
