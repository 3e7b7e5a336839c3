//! Writes the demo table: `cargo run --release --example make_demo > datasets/demo.csv`.
//!
//! 500 rows, 300 features in 30 blocks of 10; the features of a block share a factor that explains
//! 30% of their variance. Five features, one in each of five blocks, determine the numeric target:
//! response = sum of +-1 times these features + noise, with noise variance one third of the
//! signal's. All data are synthetic.

use std::io::{self, Write};

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

const ROWS: usize = 500;
const BLOCKS: usize = 30;
const BLOCK: usize = 10;
/// The share of a feature's variance that its block's factor explains.
const SHARED: f64 = 0.3;
/// The features that determine the target, with their sign.
const TRUE_FEATURES: [(usize, f64); 5] =
    [(16, 1.0), (73, -1.0), (141, 1.0), (208, 1.0), (275, -1.0)];
/// The variance of the signal over that of the noise.
const SIGNAL_TO_NOISE: f64 = 3.0;

fn main() -> io::Result<()> {
    write_demo(&mut io::stdout().lock())
}

/// Writes the table, with the same bytes every time.
pub(crate) fn write_demo(out: &mut impl Write) -> io::Result<()> {
    let mut rng = ChaCha20Rng::seed_from_u64(2024);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    for feature in 1..=BLOCKS * BLOCK {
        write!(out, "gene_{feature:03},")?;
    }
    writeln!(out, "response")?;
    let noise = (TRUE_FEATURES.len() as f64 / SIGNAL_TO_NOISE).sqrt();
    for _ in 0..ROWS {
        let mut row = Vec::with_capacity(BLOCKS * BLOCK);
        for _ in 0..BLOCKS {
            let factor = normal();
            row.extend(
                (0..BLOCK).map(|_| SHARED.sqrt() * factor + (1.0 - SHARED).sqrt() * normal()),
            );
        }
        let signal: f64 = TRUE_FEATURES.iter().map(|&(feature, sign)| sign * row[feature]).sum();
        let response = signal + noise * normal();
        for value in row {
            write!(out, "{value:.2},")?;
        }
        writeln!(out, "{response:.2}")?;
    }
    Ok(())
}
