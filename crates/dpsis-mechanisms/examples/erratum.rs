//! An error in a published algorithm, shown by enumeration: `cargo run --release -p dpsis-mechanisms --example
//! erratum`.
//!
//! The appendix of "Feature Selection from Differentially Private Correlations" (2024) gives
//! C(t-h-1, k-h-1) as the size of the utility classes of the canonical Lipschitz mechanism. The
//! correct size is C(t-h-2, k-h-1). Sampling with the printed sizes is not eps-differentially
//! private. The laws are computed by brute force over all subsets, without using the library.

#![allow(clippy::print_stdout)] // an example prints

#[allow(dead_code, unreachable_pub, clippy::expect_used)] // the tests use more of it
#[path = "../src/mechanism/canonical/law.rs"]
mod law;
#[allow(dead_code, unreachable_pub, clippy::expect_used)] // as above
#[path = "../src/support/mod.rs"]
mod support;

use law::{law_by_ranks, law_of_tickets, printed_tickets};
use support::laws::flips;
use support::neighbors::Grid;
use support::oracle::{max_log_ratio, subsets};

const D: usize = 4;
const K: usize = 3;
const GAMMA: f64 = 0.75;
const EPS: f64 = 0.2;
/// Scores on the grid are in units of 1/STEPS of the sensitivity.
const STEPS: i64 = 2;

/// Maps scores to the probability of each set.
type Law = fn(&[f64]) -> Vec<f64>;

fn printed_law(x: &[f64]) -> Vec<f64> {
    law_of_tickets(&printed_tickets(x, K, GAMMA, EPS), subsets(D, K).len(), flips)
}

fn correct_law(x: &[f64]) -> Vec<f64> {
    law_by_ranks(x, K, GAMMA, EPS, flips)
}

fn in_units(x: &[i64]) -> Vec<f64> {
    x.iter().map(|&v| v as f64 / STEPS as f64).collect()
}

fn main() {
    println!("Canonical Lipschitz mechanism, d = {D}, k = {K}, gamma = {GAMMA}, eps = {EPS}.");
    println!("There are {} sets of {K}.", subsets(D, K).len());
    let tickets = printed_tickets(&[3.0, 2.0, 1.0, 0.0], K, GAMMA, EPS).len();
    println!("The printed class sizes add up to {tickets}.\n");

    println!("All neighboring score vectors on a grid (8 levels, steps of half a sensitivity):");
    let grid = Grid::new(D, 8, STEPS);
    let laws = [("printed sizes", printed_law as Law), ("correct sizes", correct_law)];
    for (name, law) in laws {
        let found = grid.enumerate(|x| law(&in_units(x)));
        println!(
            "  {name}: max log-ratio {:.4} = {:.4} eps over {} pairs, at x = {:?}, x' = {:?}",
            found.max_log_ratio,
            found.max_log_ratio / EPS,
            found.pairs,
            in_units(&found.worst.0),
            in_units(&found.worst.1)
        );
    }

    let (x, neighbor) = ([3.0, 2.0, 2.0, 3.0], [2.0, 3.0, 1.0, 3.352]);
    println!("\nOne pair off the grid: x = {x:?}, x' = {neighbor:?}:");
    for (name, law) in laws {
        let ratio = max_log_ratio(&law(&x), &law(&neighbor));
        println!("  {name}: log-ratio {ratio:.4} = {:.4} eps", ratio / EPS);
    }
    println!("\neps-differential privacy demands at most 1 eps.");
}
