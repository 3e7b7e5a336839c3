//! Selection from a matrix in memory: `cargo bench --bench matrix`.
//!
//! 64-bit floats, wide (100 x 22,000) and tall (20,000 x 500), in both memory orders. Beside it in the
//! same run: ndarray's own X'y in f64 (no privacy, no clipping), and the physical limit, reading the
//! values once.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::LazyLock;

use dpsis::{ArrayTable, Bounds, Center, Scaling, Select, Target};
use ndarray::{Array1, Array2, ArrayView2, ShapeBuilder};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// X in both orders, and y.
struct Table {
    rows: Array2<f64>,
    columns: Array2<f64>,
    y: Array1<f64>,
}

impl Table {
    fn new(n: usize, d: usize) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let mut cell = || 2.0 * ((rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64) - 1.0;
        let rows = Array2::from_shape_simple_fn((n, d), &mut cell);
        let mut columns = Array2::zeros((n, d).f());
        columns.assign(&rows);
        // The first feature, hidden in noise.
        let y = rows.column(0).mapv(|value| value / 2.0 + cell() / 2.0);
        Self { rows, columns, y }
    }

    fn x(&self, order: &str) -> ArrayView2<'_, f64> {
        if order == "rows" { self.rows.view() } else { self.columns.view() }
    }
}

static WIDE: LazyLock<Table> = LazyLock::new(|| Table::new(100, 22_000));
static TALL: LazyLock<Table> = LazyLock::new(|| Table::new(20_000, 500));

const CASES: [(&str, &str); 4] =
    [("wide", "rows"), ("wide", "columns"), ("tall", "rows"), ("tall", "columns")];

fn table(name: &str) -> &'static Table {
    if name == "wide" { &WIDE } else { &TALL }
}

fn select(scaling: Scaling) -> Select {
    Select::new(10)
        .epsilon("1".parse().unwrap())
        .scaling(scaling)
        .target(Target::Bounded(Bounds::new(-1.0, 1.0).unwrap()))
        .center(Center::None)
        .threads(1)
}

fn bounds() -> Scaling {
    Scaling::Bounds(Bounds::new(-1.0, 1.0).unwrap())
}

fn main() {
    verify();
    divan::main();
}

/// Both orders give one selection, which under a large budget is the top of X'y.
fn verify() {
    for name in ["wide", "tall"] {
        let table = table(name);
        let run = |order| {
            let source = ArrayTable::new(table.x(order), table.y.view()).unwrap();
            select(bounds()).epsilon("1e6".parse().unwrap()).seed(1).run(&source).unwrap()
        };
        assert_eq!(run("rows"), run("columns"));
        let scores = table.rows.t().dot(&table.y).mapv(f64::abs);
        let mut ranked: Vec<usize> = (0..scores.len()).collect();
        ranked.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        let (least, next) = (scores[ranked[9]], scores[ranked[10]]);
        let found = run("rows").indices();
        assert!(found.iter().all(|&i| scores[i] >= next * 0.999 && least > 0.0));
    }
}

fn bytes(table: &Table) -> divan::counter::BytesCount {
    divan::counter::BytesCount::of_many::<f64>(table.rows.len())
}

fn bench_select(bencher: divan::Bencher<'_, '_>, (name, order): (&str, &str), scaling: Scaling) {
    let table = table(name);
    let source = ArrayTable::new(table.x(order), table.y.view()).unwrap();
    let request = select(scaling);
    bencher.counter(bytes(table)).bench(|| request.run(&source).unwrap());
}

#[divan::bench(args = CASES)]
fn select_with_bounds(bencher: divan::Bencher<'_, '_>, case: (&str, &str)) {
    bench_select(bencher, case, bounds());
}

#[divan::bench(args = CASES)]
fn select_with_row_ranks(bencher: divan::Bencher<'_, '_>, case: (&str, &str)) {
    bench_select(bencher, case, Scaling::RowRank);
}

#[divan::bench(args = CASES)]
fn ndarray_product(bencher: divan::Bencher<'_, '_>, (name, order): (&str, &str)) {
    let table = table(name);
    bencher.counter(bytes(table)).bench(|| table.x(order).t().dot(&table.y));
}

#[divan::bench(args = ["wide", "tall"])]
fn limit_read_once(bencher: divan::Bencher<'_, '_>, name: &str) {
    let table = table(name);
    // Eight sums, so that no addition waits for the last.
    let sum = |values: &[f64]| {
        let mut sums = [0.0; 8];
        for chunk in values.chunks_exact(8) {
            sums.iter_mut().zip(chunk).for_each(|(sum, value)| *sum += value);
        }
        sums
    };
    bencher.counter(bytes(table)).bench(|| sum(table.rows.as_slice().unwrap()));
}
