//! The run time of the LASSO on wide blocks: `cargo bench --bench lasso`.
//!
//! Blocks of 10 and 100 rows by 12,000 standard normal columns, centered and divided by their
//! largest magnitude, with y linear in five of them plus noise. If `DPSIS_DATASETS` names the
//! folder of the public tables, also christensen and chiaretti, with columns of unit variance and y
//! the numbered labels. Penalty 0.1.
//!
//! Compared in the same run with linfa-elasticnet, which sweeps all columns, on column-major data
//! (its faster layout), at the loosest power of ten whose duality gap is at most the gap that ours
//! requires; and with the physical limit, one pass X'y. Prints first the medians of interleaved
//! runs and their ratios, which `benches/peers/lasso.py` reads, then divan's results. The blocks
//! are left in the build folder for that script.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::fmt::{Debug, Formatter};
use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use dpsis::FileTable;
use dpsis::method::{Lasso, LassoFit};
use dpsis_eval::datasets::PublicTable;
use dpsis_eval::{Preparation, Prepared};
use linfa::prelude::*;
use linfa_elasticnet::ElasticNet;
use ndarray::{Array1, Array2, ShapeBuilder};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rand_distr::{Distribution, StandardNormal};

const PENALTY: f64 = 0.1;
/// The relative duality gap to reach, the default of `Lasso`.
const GAP: f64 = 1e-8;

struct Block {
    name: String,
    x: Array2<f64>,
    y: Array1<f64>,
    /// The columns in column-major order, which suits linfa's sweeps.
    dataset: DatasetBase<Array2<f64>, Array1<f64>>,
    /// The tolerance of linfa.
    tolerance: f64,
}

impl Debug for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl Block {
    fn new(name: &str, Prepared { x, y }: Prepared) -> Self {
        let mut columns = Array2::zeros(x.raw_dim().f());
        columns.assign(&x);
        let dataset = DatasetBase::new(columns, y.clone());
        let mut block = Self { name: name.to_owned(), x, y, dataset, tolerance: 1e-2 };
        while block.gap(&block.linfa()) > GAP {
            block.tolerance /= 10.0;
        }
        block
    }

    fn synthetic(n: usize, d: usize) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(9);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let x = Array2::from_shape_simple_fn((n, d), &mut normal);
        let x = Preparation::LargestMagnitude.prepare(x.view(), &vec![0.0; n]).x;
        let signal = |i: usize| (0..5).map(|j| 2.0 * x[(i, j * d / 5)]).sum::<f64>();
        let y = (0..n).map(|i| signal(i) + 0.3 * normal()).collect();
        Self::new(&format!("{n}x{d}"), Prepared { x, y })
    }

    fn public(folder: &Path, name: &str) -> Self {
        let table = FileTable::new(folder.join(format!("{name}.csv.gz")));
        let table = PublicTable::read(&table).unwrap();
        let mut classes = table.labels.clone();
        classes.sort();
        classes.dedup();
        let code = |label: &String| classes.binary_search(label).unwrap() as f64;
        let y: Vec<f64> = table.labels.iter().map(code).collect();
        Self::new(name, Preparation::UnitVariance.prepare(table.x.view(), &y))
    }

    fn ours(&self) -> LassoFit {
        Lasso::new(PENALTY).unwrap().fit(self.x.view(), self.y.view()).unwrap()
    }

    fn linfa(&self) -> Array1<f64> {
        self.linfa_to(self.tolerance)
    }

    fn linfa_to(&self, tolerance: f64) -> Array1<f64> {
        let params = ElasticNet::params().penalty(PENALTY).l1_ratio(1.0).max_iterations(1_000_000);
        params.tolerance(tolerance).fit(&self.dataset).unwrap().hyperplane().clone()
    }

    /// One pass X'y.
    fn limit(&self) -> Array1<f64> {
        let mut sums = Array1::zeros(self.x.ncols());
        for (row, &weight) in self.x.rows().into_iter().zip(&self.y) {
            sums.scaled_add(weight, &row);
        }
        sums
    }

    /// Returns centered y, and the centered residual of the coefficients.
    fn residual(&self, w: &Array1<f64>) -> (Array1<f64>, Array1<f64>) {
        let centered = |a: Array1<f64>| {
            let mean = a.sum() / a.len() as f64;
            a - mean
        };
        (centered(self.y.clone()), centered(&self.y - &self.x.dot(w)))
    }

    /// The relative duality gap, from its definition.
    fn gap(&self, w: &Array1<f64>) -> f64 {
        let (y, r) = self.residual(w);
        let threshold = PENALTY * y.len() as f64;
        let most = self.x.t().dot(&r).iter().fold(0.0, |most: f64, c| most.max(c.abs()));
        let theta = &r * (threshold / most).min(1.0);
        let primal = 0.5 * r.dot(&r) + threshold * w.iter().map(|w| w.abs()).sum::<f64>();
        let dual = y.dot(&theta) - 0.5 * theta.dot(&theta);
        (primal - dual) / (0.5 * y.dot(&y))
    }

    /// The largest violation of the optimality conditions, as a share of n lambda: x_j'r is n
    /// lambda with the sign of the coefficient where that is nonzero, and at most n lambda in
    /// magnitude elsewhere.
    fn violation(&self, w: &Array1<f64>) -> f64 {
        let (_, r) = self.residual(w);
        let threshold = PENALTY * r.len() as f64;
        let violation = |(c, w): (&f64, &f64)| match *w {
            0.0 => c.abs() / threshold - 1.0,
            w => (c / threshold - w.signum()).abs(),
        };
        self.x.t().dot(&r).iter().zip(w).map(violation).fold(0.0, f64::max)
    }

    fn dense(&self, fit: &LassoFit) -> Array1<f64> {
        let mut w = Array1::zeros(self.x.ncols());
        fit.coefficients.iter().for_each(|&(j, value)| w[j] = value);
        w
    }

    /// Checks that the solution is optimal by definition and agrees with sweeps over all columns.
    fn verify(&self) {
        let w = self.dense(&self.ours());
        assert!(self.gap(&w) <= GAP * (1.0 + 1e-6), "{}: gap {:e}", self.name, self.gap(&w));
        let exact = Lasso::new(PENALTY).unwrap().tolerance(1e-12).unwrap();
        let exact = self.dense(&exact.fit(self.x.view(), self.y.view()).unwrap());
        let violation = self.violation(&exact);
        assert!(violation < 1e-5, "{}: optimality conditions off by {violation:e}", self.name);
        let apart = |a: &Array1<f64>, b: &Array1<f64>| {
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let full = self.linfa_to(1e-10);
        let (strict, plain) = (apart(&exact, &full), apart(&w, &full));
        assert!(strict < 1e-5 && plain < 1e-3, "{}: {strict:e}, {plain:e}", self.name);
    }

    /// Writes the number of rows and columns, y, and X in row-major order: 8 bytes each,
    /// little-endian.
    fn write(&self, folder: &Path) {
        let path = folder.join(format!("lasso-{}.bin", self.name));
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        for size in self.x.shape() {
            file.write_all(&(*size as f64).to_le_bytes()).unwrap();
        }
        for value in self.y.iter().chain(&self.x) {
            file.write_all(&value.to_le_bytes()).unwrap();
        }
        file.flush().unwrap();
    }

    /// Prints the medians of interleaved runs in ms and their ratios to ours.
    fn compare(&self) {
        let mut times = [const { Vec::new() }; 3];
        for round in 0..101 {
            times[0].push(clock(|| self.ours()));
            times[1].push(clock(|| self.limit()));
            // Seconds on real tables.
            if round % 20 == 0 {
                times[2].push(clock(|| self.linfa()));
            }
        }
        let [ours, limit, linfa] = times.map(median);
        let gaps = [self.gap(&self.dense(&self.ours())), self.gap(&self.linfa())];
        let line = |name: &str, ms: f64, gap: f64| {
            println!(
                "{:<12} {name:<26} {ms:10.3} ms {:8.2} x  gap {gap:.1e}",
                self.name,
                ms / ours
            );
        };
        line("dpsis", ours, gaps[0]);
        line("limit X'y", limit, f64::NAN);
        line(&format!("linfa-elasticnet {:.0e}", self.tolerance), linfa, gaps[1]);
    }
}

fn clock<T>(work: impl Fn() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64() * 1000.0
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

static BLOCKS: LazyLock<Vec<Block>> = LazyLock::new(|| {
    let mut blocks = vec![Block::synthetic(10, 12_000), Block::synthetic(100, 12_000)];
    if let Some(folder) = std::env::var_os("DPSIS_DATASETS") {
        let public = ["christensen", "chiaretti"];
        blocks.extend(public.map(|name| Block::public(Path::new(&folder), name)));
    }
    blocks
});

fn main() {
    for block in &*BLOCKS {
        block.verify();
        block.write(Path::new(env!("CARGO_TARGET_TMPDIR")));
        block.compare();
    }
    divan::main();
}

fn all() -> impl Iterator<Item = &'static Block> {
    BLOCKS.iter()
}

#[divan::bench(args = all())]
fn ours(block: &Block) -> LassoFit {
    block.ours()
}

#[divan::bench(args = all(), sample_count = 5)]
fn linfa_elasticnet(block: &Block) -> Array1<f64> {
    block.linfa()
}

#[divan::bench(args = all())]
fn limit_one_pass(block: &Block) -> Array1<f64> {
    block.limit()
}
