//! Paired designs by simulation: `cargo run --release --example paired`.
//!
//! ```text
//! cargo run --release --example paired -- 100
//! cargo run --release --example paired table > datasets/pairs.csv
//! ```
//!
//! People have rows of two classes, normal and tumor, and differ from each other by three standard
//! deviations of one row.
//!
//! 1. Features without an association: the share of runs in which any is significant, and in which
//!    any is named without k. Values are numbers, or rounded so that most pairs tie, or missing in
//!    30% of one class and 60% of the other, or skewed where people have one row of one class and one
//!    to five of the other, and a fifth of them rows of one class alone.
//! 2. Five features that differ between the classes of each person: how many of them are named and
//!    significant, by the paired score and by the usual score of people (`--unit`).
//!
//! The argument is the number of runs for each row, 100 if it is not given.
#![allow(clippy::print_stdout)] // an example prints

use std::io::Cursor;

use dpsis::{ErrorKind, FileTable, Record, ScoreKind, Select, Target};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

const FEATURES: usize = 50;
/// The features that differ between classes, where there are any.
const PLANTED: usize = 5;
/// The standard deviation of people, in units of that of rows.
const PEOPLE: f64 = 3.0;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Numbers,
    Ties,
    Missing,
    UnequalRows,
}

const KINDS: [(Kind, &str); 4] = [
    (Kind::Numbers, "numbers"),
    (Kind::Ties, "rounded"),
    (Kind::Missing, "missing"),
    (Kind::UnequalRows, "unequal rows"),
];

/// A table of a number of people, whose first features differ by `effect` between the classes.
fn table(people: usize, kind: Kind, effect: f64, seed: u64) -> String {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let names: Vec<String> = (1..=FEATURES).map(|feature| format!("gene_{feature:02}")).collect();
    let mut text = format!("patient,{},tissue\n", names.join(","));
    let uniform = |rng: &mut ChaCha20Rng| (f64::from(rng.next_u32()) + 0.5) / 2f64.powi(32);
    let normal = |rng: &mut ChaCha20Rng| -> f64 { StandardNormal.sample(rng) };
    for person in 0..people {
        let levels: Vec<f64> = (0..FEATURES).map(|_| PEOPLE * normal(&mut rng)).collect();
        let mut rows = [1, 1];
        if kind == Kind::UnequalRows {
            rows[0] += (5.0 * uniform(&mut rng)) as usize;
            if person % 5 == 0 {
                rows[person / 5 % 2] = 0;
            }
        }
        for (class, tissue) in ["normal", "tumor"].into_iter().enumerate() {
            for _ in 0..rows[class] {
                text.push_str(&format!("P{person:03}"));
                for (feature, level) in levels.iter().enumerate() {
                    let shift = if feature < PLANTED { effect * class as f64 } else { 0.0 };
                    let own = normal(&mut rng);
                    let own = if kind == Kind::UnequalRows { libm::exp(own) } else { own };
                    let value = level + shift + own;
                    let missing = [0.3, 0.6][class];
                    text.push_str(&match kind {
                        Kind::Missing if uniform(&mut rng) < missing => ",".to_owned(),
                        Kind::Ties => format!(",{:.0}", value / 4.0),
                        _ => format!(",{value:.2}"),
                    });
                }
                text.push_str(&format!(",{tissue}\n"));
            }
        }
    }
    text
}

/// The demo table `datasets/pairs.csv`.
pub(crate) fn demo() -> String {
    table(120, Kind::Numbers, 1.0, 2026)
}

/// A run with a seed; nothing where the private count finds no pairs, and the run ends.
fn run(text: &str, select: Select, seed: u64) -> dpsis::Result<Option<Record>> {
    let text = text.to_owned();
    let table = FileTable::from_readers("pairs.csv", move || Cursor::new(text.clone()));
    let select = select.target(Target::classes(["normal", "tumor"])).seed(seed);
    match select.run(&table.unit("patient")) {
        Ok(record) => Ok(Some(record.into_inner())),
        Err(error) if error.kind() == ErrorKind::Input => Ok(None),
        Err(error) => Err(error),
    }
}

/// The number of significant features among the named ones.
fn significant(record: &Option<Record>) -> usize {
    let estimates = record.iter().flat_map(|record| &record.estimates);
    estimates.filter(|found| found.significant == Some(true)).count()
}

fn main() -> dpsis::Result<()> {
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some("table") {
        print!("{}", demo());
        return Ok(());
    }
    let runs: u64 = argument.and_then(|text| text.parse().ok()).unwrap_or(100);
    let paired = |select: Select, epsilon: &str| select.epsilon(epsilon).score(ScoreKind::Paired);

    println!(
        "features without an association: runs of {runs} with a significant one, k = 3; with a name, without k"
    );
    for (kind, name) in KINDS {
        for people in [30, 100, 300] {
            let mut cells = Vec::new();
            for epsilon in ["1", "2", "5"] {
                let [mut found, mut named] = [0; 2];
                for seed in 0..runs {
                    let text = table(people, kind, 0.0, seed);
                    let record = run(&text, paired(Select::new(3), epsilon), seed)?;
                    found += usize::from(significant(&record) > 0);
                    let record = run(&text, paired(Select::significant(), epsilon), seed)?;
                    named += usize::from(record.is_some_and(|record| !record.selected.is_empty()));
                }
                cells.push(format!("epsilon {epsilon}: {found}; {named}"));
            }
            println!("{name:<13} {people:>3} people  {}", cells.join("   "));
        }
    }

    println!("\nfive features that differ: named, and significant, on average; by people, named");
    for people in [50, 100, 300] {
        for effect in [0.5, 1.0, 2.0] {
            let mut cells = Vec::new();
            for epsilon in ["1", "2", "5"] {
                let planted = |record: &Option<Record>| {
                    let is_planted =
                        |name: &str| name[5..].parse().is_ok_and(|n: usize| n <= PLANTED);
                    let selected = record.iter().flat_map(|record| &record.selected);
                    selected.filter(|one| is_planted(&one.name)).count()
                };
                let [mut found, mut sure, mut by_people] = [0; 3];
                for seed in 0..runs {
                    let text = table(people, Kind::Numbers, effect, 1_000_000 + seed);
                    let record = run(&text, paired(Select::new(PLANTED), epsilon), seed)?;
                    (found, sure) = (found + planted(&record), sure + significant(&record));
                    let record = run(&text, Select::new(PLANTED).epsilon(epsilon), seed)?;
                    by_people += planted(&record);
                }
                let mean = |sum: usize| sum as f64 / runs as f64;
                let (found, sure, by_people) = (mean(found), mean(sure), mean(by_people));
                cells.push(format!("epsilon {epsilon}: {found:.1} {sure:.1}; {by_people:.1}"));
            }
            println!("{people:>3} people, effect {effect:.1}  {}", cells.join("   "));
        }
    }
    Ok(())
}
