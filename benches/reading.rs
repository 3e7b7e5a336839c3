//! From a CSV file to a selection: `cargo bench --bench reading`.
//!
//! Wide, 100 rows of 22,000 features, and tall, 100,000 rows of 500, with 15 digits per cell and
//! with 6 to 8; and 100,000 rows of 50 features, all cells in quotes. Measured in the same run: a
//! plain loop with the `csv` crate and the standard library's float parser, and the physical limit,
//! reading the bytes. Also Kendall's correlation of 100,000 rows and 150 features.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use dpsis::score::CorrelationSums;
use dpsis::{Bounds, Neighbors, Scaler, Scaling, Select, Target};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

const TABLES: [&str; 5] =
    ["wide.csv", "wide-short.csv", "tall.csv", "tall-short.csv", "quoted.csv"];

/// The numbers of rows and features of each table.
fn shape(table: &str) -> (usize, usize) {
    match table {
        "kendall.csv" => (100_000, 150),
        "quoted.csv" => (100_000, 50),
        wide if wide.starts_with("wide") => (100, 22_000),
        _ => (100_000, 500),
    }
}

/// The paths of the tables in the build folder, written on first use; benches/peers reads the same
/// files.
static PATHS: LazyLock<BTreeMap<&str, PathBuf>> = LazyLock::new(|| {
    TABLES.iter().chain(&["kendall.csv"]).map(|&name| (name, written(name))).collect()
});

fn written(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let (rows, features) = shape(name);
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    for i in 0..features {
        write!(file, "feature_{i},").unwrap();
    }
    writeln!(file, "y").unwrap();
    let short = name != "wide.csv" && name != "tall.csv";
    let mut cell = |end: u8| {
        let bits = rng.next_u64();
        let quote = if name == "quoted.csv" { "\"" } else { "" };
        let (sign, digits) = (if bits & 1 == 1 { "-" } else { "" }, bits >> 11);
        if short {
            let places = 5 + (bits >> 1 & 3) as usize % 3;
            let digits = digits % 10u64.pow(places as u32);
            write!(file, "{quote}{sign}0.{digits:0places$}{quote}").unwrap();
        } else {
            write!(file, "{sign}0.{:015}", digits % 1_000_000_000_000_000).unwrap();
        }
        file.write_all(&[end]).unwrap();
    };
    for _ in 0..rows {
        (0..features).for_each(|_| cell(b','));
        cell(b'\n');
    }
    file.flush().unwrap();
    path
}

fn main() {
    verify();
    divan::main();
}

fn select(scaling: Scaling, threads: usize) -> Select {
    Select::new(10)
        .epsilon("1")
        .scaling(scaling)
        .target(Target::Bounded(Bounds::new(-1.0, 1.0).unwrap()))
        .threads(threads)
}

fn bounds() -> Scaling {
    Scaling::Bounds(Bounds::new(-1.0, 1.0).unwrap())
}

/// Checks that under a large budget the selection is the top of the scores that a plain loop
/// computes from the cells, for any number of threads.
fn verify() {
    for name in ["wide.csv", "wide-short.csv", "tall-short.csv", "quoted.csv"] {
        for scaling in [bounds(), Scaling::RowRank] {
            let run = |threads| {
                let request = select(scaling.clone(), threads).epsilon("1e6");
                request.center(dpsis::Center::None).seed(1).run(&PATHS[name]).unwrap()
            };
            let found = run(1);
            assert_eq!(found, run(2));
            let mut scores = naive_scores(name, &scaling);
            let mut least = i64::MAX;
            for i in found.indices() {
                least = least.min(std::mem::take(&mut scores[i]));
            }
            // The noise at this budget is a hundredth of the contribution of one row.
            let most = least + i64::from(dpsis::GRID).pow(2) / 100;
            assert!(scores.iter().all(|score| *score <= most), "{name}");
        }
    }
}

/// Scores computed with the `csv` crate and the standard library's floats, one row at a time.
fn naive_scores(name: &str, scaling: &Scaling) -> Vec<i64> {
    let mut sums = CorrelationSums::new(shape(name).1);
    let (mut scaler, mut x) = (Scaler::new(scaling), Vec::new());
    csv_loop(name, |values| {
        let (y, row) = values.split_last().unwrap();
        scaler.scale(row.iter().map(|value| Some(*value)), &mut x);
        sums.add_row(&x, Bounds::new(-1.0, 1.0).unwrap().to_grid(*y)).unwrap();
    });
    sums.scores(0, Neighbors::AddRemove).unwrap().values().to_vec()
}

fn bytes(name: &str) -> divan::counter::BytesCount {
    divan::counter::BytesCount::new(std::fs::metadata(&PATHS[name]).unwrap().len())
}

const CASES: [(&str, usize); 10] = [
    ("wide.csv", 1),
    ("wide.csv", 2),
    ("wide-short.csv", 1),
    ("wide-short.csv", 2),
    ("tall.csv", 1),
    ("tall.csv", 2),
    ("tall-short.csv", 1),
    ("tall-short.csv", 2),
    ("quoted.csv", 1),
    ("quoted.csv", 2),
];

#[divan::bench(args = CASES, sample_count = 9)]
fn select_with_bounds(bencher: divan::Bencher<'_, '_>, (name, threads): (&str, usize)) {
    bencher.counter(bytes(name)).bench(|| select(bounds(), threads).run(&PATHS[name]).unwrap());
}

#[divan::bench(args = CASES, sample_count = 9)]
fn select_with_row_ranks(bencher: divan::Bencher<'_, '_>, (name, threads): (&str, usize)) {
    let request = select(Scaling::RowRank, threads);
    bencher.counter(bytes(name)).bench(|| request.run(&PATHS[name]).unwrap());
}

#[divan::bench(args = [1, 2], sample_count = 5)]
fn kendall_100_000_x_150(bencher: divan::Bencher<'_, '_>, threads: usize) {
    let request = Select::new(10).epsilon("1").threads(threads);
    bencher.counter(bytes("kendall.csv")).bench(|| request.run(&PATHS["kendall.csv"]).unwrap());
}

fn csv_loop(name: &str, mut row: impl FnMut(&[f64])) {
    let mut reader = csv::Reader::from_path(&PATHS[name]).unwrap();
    let (mut record, mut values) = (csv::ByteRecord::new(), Vec::new());
    while reader.read_byte_record(&mut record).unwrap() {
        values.clear();
        let number = |cell| std::str::from_utf8(cell).unwrap().parse::<f64>().unwrap();
        values.extend(record.iter().map(number));
        row(&values);
    }
}

#[divan::bench(args = TABLES, sample_count = 3)]
fn csv_crate_loop(bencher: divan::Bencher<'_, '_>, name: &str) {
    bencher.counter(bytes(name)).bench(|| {
        let mut sum = 0.0;
        csv_loop(name, |values| sum += values.iter().sum::<f64>());
        sum
    });
}

#[divan::bench(args = TABLES, sample_count = 9)]
fn limit_read_bytes(bencher: divan::Bencher<'_, '_>, name: &str) {
    let mut buffer = vec![0; 1 << 18];
    bencher.counter(bytes(name)).bench_local(|| {
        let mut file = std::fs::File::open(&PATHS[name]).unwrap();
        let mut total = 0;
        while let read @ 1.. = file.read(&mut buffer).unwrap() {
            total += read;
        }
        total
    });
}
