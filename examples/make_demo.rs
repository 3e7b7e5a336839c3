//! Writes the demo tables:
//!
//! ```text
//! cargo run --release --example make_demo > datasets/demo.csv
//! cargo run --release --example make_demo small > datasets/small.csv
//! ```
//!
//! The features come in blocks of 10, which share a factor that explains 30% of their variance.
//! Some features, each in a block of its own, determine the numeric target: response = sum of +-1
//! times these features + noise, with noise variance one third of the signal's. All data are
//! synthetic.

use std::io::{self, Write};

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

const BLOCK: usize = 10;
/// The share of a feature's variance that its block's factor explains.
const SHARED: f64 = 0.3;
/// The variance of the signal over that of the noise.
const SIGNAL_TO_NOISE: f64 = 3.0;

/// A demo table.
pub(crate) struct Demo {
    rows: usize,
    blocks: usize,
    /// The features that determine the target, with their sign.
    truth: &'static [(usize, f64)],
    seed: u64,
}

/// A table in which most of the true features are significant at epsilon 2.
pub(crate) const DEMO: Demo = Demo {
    rows: 640,
    blocks: 30,
    truth: &[(16, 1.0), (73, -1.0), (141, 1.0), (208, 1.0), (275, -1.0)],
    seed: 2024,
};

/// A table with too few rows for that.
pub(crate) const SMALL: Demo =
    Demo { rows: 150, blocks: 4, truth: &[(6, 1.0), (17, -1.0), (32, 1.0)], seed: 2025 };

fn main() -> io::Result<()> {
    let small = std::env::args().nth(1).is_some_and(|word| word == "small");
    let demo = if small { SMALL } else { DEMO };
    demo.write(&mut io::stdout().lock())
}

impl Demo {
    /// Writes the table, with the same bytes every time.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut rng = ChaCha20Rng::seed_from_u64(self.seed);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        for feature in 1..=self.blocks * BLOCK {
            write!(out, "gene_{feature:03},")?;
        }
        writeln!(out, "response")?;
        let noise = (self.truth.len() as f64 / SIGNAL_TO_NOISE).sqrt();
        for _ in 0..self.rows {
            let mut row = Vec::with_capacity(self.blocks * BLOCK);
            for _ in 0..self.blocks {
                let factor = normal();
                row.extend(
                    (0..BLOCK).map(|_| SHARED.sqrt() * factor + (1.0 - SHARED).sqrt() * normal()),
                );
            }
            let signal: f64 = self.truth.iter().map(|&(feature, sign)| sign * row[feature]).sum();
            let response = signal + noise * normal();
            for value in row {
                write!(out, "{value:.2},")?;
            }
            writeln!(out, "{response:.2}")?;
        }
        Ok(())
    }
}
