//! Selection from a matrix in memory: `cargo bench --bench matrix`.
//!
//! 32-bit and 64-bit floats in both memory orders: wide (100 x 22,000), tall (20,000 x 500), and
//! long (131,072 x 512), which exceeds every cache. Measured in the same run: ndarray's own X'y in
//! floating point (without privacy or clipping), and the physical limits, reading the values once
//! and copying them.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt;
use std::sync::LazyLock;

use dpsis::score::CorrelationSums;
use dpsis::{ArrayTable, Bounds, Center, Neighbors, Scaler, Scaling, Select, Selection, Target};
use ndarray::{Array1, Array2, ArrayView2, LinalgScalar, ShapeBuilder};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// X in both orders, and y.
struct Table<A> {
    rows: Array2<A>,
    columns: Array2<A>,
    y: Array1<A>,
}

impl<A: LinalgScalar> Table<A> {
    fn of(rows: Array2<A>, y: Array1<A>) -> Self {
        let mut columns = Array2::zeros(rows.dim().f());
        columns.assign(&rows);
        Self { rows, columns, y }
    }

    fn x(&self, order: Order) -> ArrayView2<'_, A> {
        match order {
            Order::Rows => self.rows.view(),
            Order::Columns => self.columns.view(),
        }
    }
}

/// The same values in both widths.
struct Tables {
    double: Table<f64>,
    single: Table<f32>,
}

impl Tables {
    fn new(n: usize, d: usize) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let mut cell = || (rng.next_u32() >> 8) as f32 / (1u32 << 23) as f32 - 1.0;
        let rows = Array2::from_shape_simple_fn((n, d), &mut cell);
        // The first feature plus noise.
        let y = rows.column(0).mapv(|value| value / 2.0 + cell() / 2.0);
        let double = Table::of(rows.mapv(f64::from), y.mapv(f64::from));
        Self { double, single: Table::of(rows, y) }
    }
}

static WIDE: LazyLock<Tables> = LazyLock::new(|| Tables::new(100, 22_000));
static TALL: LazyLock<Tables> = LazyLock::new(|| Tables::new(20_000, 500));
static LONG: LazyLock<Tables> = LazyLock::new(|| Tables::new(1 << 17, 512));

#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    Rows,
    Columns,
}

#[derive(Debug, Clone, Copy)]
struct Case {
    shape: &'static str,
    bits: u32,
    order: Order,
    threads: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} f{} by {:?}, {} threads", self.shape, self.bits, self.order, self.threads)
    }
}

impl Case {
    fn tables(&self) -> &'static Tables {
        match self.shape {
            "wide" => &WIDE,
            "tall" => &TALL,
            _ => &LONG,
        }
    }

    fn bytes(&self) -> divan::counter::BytesCount {
        let cells = self.tables().single.rows.len();
        divan::counter::BytesCount::new(cells * self.bits as usize / 8)
    }

    /// Opens the table to select from. This is not timed: it converts y to text.
    fn open(&self) -> Opened {
        let Tables { double, single } = self.tables();
        match self.bits {
            32 => Opened::Single(ArrayTable::new(single.x(self.order), single.y.view()).unwrap()),
            _ => Opened::Double(ArrayTable::new(double.x(self.order), double.y.view()).unwrap()),
        }
    }
}

enum Opened {
    Double(ArrayTable<'static, f64>),
    Single(ArrayTable<'static, f32>),
}

impl Opened {
    fn run(&self, request: &Select) -> Selection {
        match self {
            Self::Double(table) => request.run(table),
            Self::Single(table) => request.run(table),
        }
        .unwrap()
    }
}

fn cases(shapes: &[&'static str], threads: &[usize]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &shape in shapes {
        for bits in [64, 32] {
            for order in [Order::Rows, Order::Columns] {
                for &threads in threads {
                    cases.push(Case { shape, bits, order, threads });
                }
            }
        }
    }
    cases
}

fn all() -> Vec<Case> {
    cases(&["wide", "tall", "long"], &[1, 2])
}

fn on_one_thread() -> Vec<Case> {
    cases(&["wide", "tall", "long"], &[1])
}

fn select(scaling: Scaling, threads: usize) -> Select {
    Select::new(10)
        .epsilon("1")
        .scaling(scaling)
        .target(Target::Bounded(Bounds::new(-1.0, 1.0).unwrap()))
        .center(Center::None)
        .threads(threads)
}

fn bounds() -> Scaling {
    Scaling::Bounds(Bounds::new(-0.9, 0.9).unwrap())
}

fn main() {
    verify();
    divan::main();
}

/// Checks that every case, under a large budget, finds the top features by the scores of rows added
/// one by one.
fn verify() {
    for shape in ["wide", "tall"] {
        for scaling in [bounds(), Scaling::RowRank] {
            let cases = cases(&[shape], &[1, 2]);
            let Table { rows, y, .. } = &cases[0].tables().double;
            let mut sums = CorrelationSums::new(rows.ncols());
            let (mut scaler, mut x) = (Scaler::new(&scaling), Vec::new());
            for (row, y) in rows.rows().into_iter().zip(y) {
                scaler.scale(row.iter().map(|value| Some(*value)), &mut x);
                sums.add_row(&x, Bounds::new(-1.0, 1.0).unwrap().to_grid(*y)).unwrap();
            }
            let scores = sums.scores(0, Neighbors::AddRemove).unwrap().values().to_vec();
            for case in cases {
                let request = select(scaling.clone(), case.threads);
                let found = case.open().run(&request.epsilon("1e6")).indices();
                let least = found.iter().map(|&i| scores[i]).min().unwrap();
                // The noise at this budget is a hundredth of the contribution of one row.
                let most = least + i64::from(dpsis::GRID).pow(2) / 100;
                assert!((0..scores.len()).all(|i| found.contains(&i) || scores[i] <= most));
            }
        }
    }
}

#[divan::bench(args = all(), sample_count = 15)]
fn select_with_bounds(bencher: divan::Bencher<'_, '_>, case: &Case) {
    let request = select(bounds(), case.threads);
    let table = case.open();
    bencher.counter(case.bytes()).bench(|| table.run(&request));
}

#[divan::bench(args = all(), sample_count = 5)]
fn select_with_row_ranks(bencher: divan::Bencher<'_, '_>, case: &Case) {
    let request = select(Scaling::RowRank, case.threads);
    let table = case.open();
    bencher.counter(case.bytes()).bench(|| table.run(&request));
}

#[divan::bench(args = on_one_thread(), sample_count = 7)]
fn ndarray_product(bencher: divan::Bencher<'_, '_>, case: &Case) {
    let Tables { double, single } = case.tables();
    let bencher = bencher.counter(case.bytes());
    match case.bits {
        32 => bencher.bench(|| drop(single.x(case.order).t().dot(&single.y))),
        _ => bencher.bench(|| drop(double.x(case.order).t().dot(&double.y))),
    }
}

/// 2^18 rows of 512 features on the grid, 256 MiB, and their targets.
static CODES: LazyLock<(Vec<i16>, Vec<i16>)> = LazyLock::new(|| {
    let mut rng = ChaCha20Rng::seed_from_u64(4);
    let mut code = || (rng.next_u32() >> 16) as i16 & 0x7ffe;
    ((0..1 << 27).map(|_| code()).collect(), (0..1 << 18).map(|_| code() - 16_000).collect())
});

/// X'y and the column sums of X for values already on the grid, in blocks of 64 KiB.
#[divan::bench(sample_count = 15)]
fn sums_on_the_grid(bencher: divan::Bencher<'_, '_>) {
    let (x, y) = &*CODES;
    let add = || {
        let mut sums = CorrelationSums::new(512);
        x.chunks(64 * 512).zip(y.chunks(64)).for_each(|(x, y)| sums.add_block(x, y).unwrap());
        sums.scores(5, Neighbors::AddRemove).unwrap()
    };
    let third: i64 = x
        .iter()
        .skip(3)
        .step_by(512)
        .zip(y)
        .map(|(x, y)| i64::from(*x) * (i64::from(*y) - 5))
        .sum();
    assert_eq!(add().values()[3], third.abs());
    bencher.counter(divan::counter::BytesCount::of_slice(x)).bench(add);
}

/// Sixteen independent sums, so that additions do not wait for each other.
fn sum(values: &[f64]) -> f64 {
    let mut sums = [0.0; 16];
    for chunk in values.chunks_exact(16) {
        sums.iter_mut().zip(chunk).for_each(|(sum, value)| *sum += value);
    }
    sums.iter().sum()
}

#[divan::bench(args = cases(&["wide", "tall", "long"], &[1, 2])
    .into_iter().filter(|case| case.bits == 64 && case.order == Order::Rows), sample_count = 15)]
fn limit_read_once(bencher: divan::Bencher<'_, '_>, case: &Case) {
    let values = case.tables().double.rows.as_slice().unwrap();
    let share = values.len().div_ceil(case.threads);
    bencher.counter(case.bytes()).bench(|| {
        std::thread::scope(|scope| {
            let others = values[share..].chunks(share);
            let others: Vec<_> = others.map(|part| scope.spawn(|| sum(part))).collect();
            let own = sum(&values[..share]);
            own + others.into_iter().map(|other| other.join().unwrap()).sum::<f64>()
        })
    });
}

#[divan::bench(args = ["wide", "tall", "long"], sample_count = 9)]
fn limit_copy(bencher: divan::Bencher<'_, '_>, shape: &'static str) {
    let case = Case { shape, bits: 64, order: Order::Rows, threads: 1 };
    let values = case.tables().double.rows.as_slice().unwrap();
    let mut copy = vec![0.0; values.len()];
    bencher.counter(case.bytes()).bench_local(|| copy.copy_from_slice(values));
}
