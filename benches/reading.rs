//! From a CSV file to a selection: `cargo bench --bench reading`.
//!
//! 100 rows of 22,000 features, 15 digits a cell. Beside it in the same run: a plain loop of the
//! csv crate with the standard library's float parser, and the physical limit, reading the bytes.
#![allow(missing_docs, clippy::unwrap_used)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use dpsis::{Bounds, Center, Scaling, Select, Target};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

const ROWS: usize = 100;
const FEATURES: usize = 22_000;

/// The table, in the build folder: benches/peers reads the same file.
static TABLE: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wide.csv");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    for i in 0..FEATURES {
        write!(file, "feature_{i},").unwrap();
    }
    writeln!(file, "y").unwrap();
    let mut cell = || 2.0 * ((rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64) - 1.0;
    for _ in 0..ROWS {
        for _ in 0..FEATURES {
            write!(file, "{:.15},", cell()).unwrap();
        }
        writeln!(file, "{:.15}", cell()).unwrap();
    }
    file.flush().unwrap();
    path
});

fn main() {
    verify();
    divan::main();
}

fn select(scaling: Scaling, threads: usize) -> Select {
    Select::new(10)
        .epsilon("1".parse().unwrap())
        .scaling(scaling)
        .target(Target::Bounded(Bounds::new(-1.0, 1.0).unwrap()))
        .threads(threads)
}

fn bounds() -> Scaling {
    Scaling::Bounds(Bounds::new(-1.0, 1.0).unwrap())
}

/// One thread and two give one selection, and the plain loop sees as many cells.
fn verify() {
    for scaling in [bounds(), Scaling::RowRank] {
        let run = |threads| select(scaling.clone(), threads).seed(1).run(&*TABLE).unwrap();
        assert_eq!(run(1), run(2));
    }
    let few = select(bounds(), 1).center(Center::None).run(&*TABLE).unwrap();
    assert_eq!(few.public.features, FEATURES);
    assert_eq!(csv_loop().1, ROWS * (FEATURES + 1));
}

fn bytes() -> divan::counter::BytesCount {
    divan::counter::BytesCount::new(std::fs::metadata(&*TABLE).unwrap().len())
}

#[divan::bench(args = [1, 2])]
fn select_with_bounds(bencher: divan::Bencher<'_, '_>, threads: usize) {
    bencher.counter(bytes()).bench(|| select(bounds(), threads).run(&*TABLE).unwrap());
}

#[divan::bench(args = [1, 2])]
fn select_with_row_ranks(bencher: divan::Bencher<'_, '_>, threads: usize) {
    bencher.counter(bytes()).bench(|| select(Scaling::RowRank, threads).run(&*TABLE).unwrap());
}

fn csv_loop() -> (f64, usize) {
    let mut reader = csv::Reader::from_path(&*TABLE).unwrap();
    let mut record = csv::ByteRecord::new();
    let (mut sum, mut cells) = (0.0, 0);
    while reader.read_byte_record(&mut record).unwrap() {
        for cell in &record {
            sum += std::str::from_utf8(cell).unwrap().parse::<f64>().unwrap();
            cells += 1;
        }
    }
    (sum, cells)
}

#[divan::bench]
fn csv_crate_loop(bencher: divan::Bencher<'_, '_>) {
    bencher.counter(bytes()).bench(csv_loop);
}

#[divan::bench]
fn limit_read_bytes(bencher: divan::Bencher<'_, '_>) {
    bencher.counter(bytes()).bench(|| std::fs::read(&*TABLE).unwrap().len());
}
