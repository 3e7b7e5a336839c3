//! The true features that `dpsis select --k` finds with its default mechanism, with `canonical` and
//! with `peel-pnf`, on the eleven planted kinds of tables and on tables with more true features.
//!
//! ```text
//! cargo run --release -p dpsis-papers --example mechanisms -- 20
//! ```
//!
//! The number is the number of tables per kind and number of rows; each is drawn from once for
//! every mechanism, epsilon and k. The tables are public, all draws seeded; nothing here is
//! private.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use dpsis::internals;
use dpsis::mechanism::{CanonicalLipschitz, Mechanism, PeelPermuteAndFlip};
use dpsis::{ArrayTable, Epsilon, Error, Rehearsal, RehearsalSeeds, Result, Select, Target};
use dpsis_eval::planted::{Kind, Planted, Size, table_of};
use ndarray::{Array1, Array2};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

const ROWS: [usize; 5] = [200, 500, 1200, 2000, 5000];
const EPSILONS: [&str; 4] = ["0.5", "1", "2", "5"];
const KS: [usize; 3] = [1, 5, 20];

/// The name of the kind, rows, features, k and the index of epsilon.
type Cell = (String, usize, usize, usize, usize);

/// Sums over tables: true features found by the default, `canonical`, `peel-pnf` and the earlier
/// rule, which compared the largest possible score with 20 k ln(d) Delta/eps; and their number.
type Found = [f64; 5];

fn main() -> Result<()> {
    let runs = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let runs: u64 = runs.ok_or_else(|| Error::request("RUNS"))?;
    let cells = Mutex::new(BTreeMap::new());
    let threads = internals::available_threads();
    internals::in_parallel(runs, threads, |run| {
        for kind in Kind::ALL {
            let (usual, features) = kind.shape(Size::Full);
            let others = ROWS.into_iter().filter(|rows| *rows != usual);
            for rows in others.chain([usual]) {
                planted(table_of(kind, rows, features, run), kind, run, &cells)?;
            }
        }
        for rows in ROWS {
            for (truth, features) in [(20, 100), (20, 600), (60, 600)] {
                many(rows, truth, features, run, &cells)?;
            }
        }
        Ok(())
    })?;
    let cells = cells.into_inner().unwrap_or_default();
    println!("| table | epsilon 0.5 | 1 | 2 | 5 |\n| --- | --- | --- | --- | --- |");
    for kind in Kind::ALL {
        let (rows, features) = kind.shape(Size::Full);
        let means = (0..EPSILONS.len()).filter_map(|place| {
            let found = cells.get(&(kind.id().to_owned(), rows, features, 5, place))?;
            let [default, canonical, peel, ..] = means(found);
            Some(format!("{default:.1}, {canonical:.1}, {peel:.1}"))
        });
        let means: Vec<String> = means.collect();
        println!("| {}, {rows} x {features} | {} |", kind.id(), means.join(" | "));
    }
    for k in KS {
        summary(&format!("planted kinds, k = {k}"), &cells, |cell| cell.3 == k && !is_many(cell));
    }
    summary("20 or 60 true features, k = 20", &cells, is_many);
    Ok(())
}

/// Whether the table of a cell has more than five true features.
fn is_many((kind, ..): &Cell) -> bool {
    kind.ends_with("true")
}

fn means(found: &Found) -> Found {
    found.map(|sum| sum / found[4])
}

/// The means over some cells, and those in which the default falls short most.
fn summary(what: &str, cells: &BTreeMap<Cell, Found>, of: impl Fn(&Cell) -> bool) {
    let cells = cells.iter().filter(|(cell, _)| of(cell));
    let mut cells: Vec<_> = cells.map(|(cell, found)| (cell, means(found))).collect();
    let mean = |place: usize| {
        cells.iter().map(|(_, found)| found[place]).sum::<f64>() / cells.len() as f64
    };
    let [default, canonical, peel, earlier] = [0, 1, 2, 3].map(mean);
    let short = |found: &Found| found[1].max(found[2]) - found[0];
    let above = cells.iter().filter(|(_, found)| short(found) > 0.3).count();
    println!(
        "\n{what}: default {default:.3}, canonical {canonical:.3}, peel-pnf {peel:.3}, earlier rule \
         {earlier:.3}; more than .3 below the better one in {above} of {} cells",
        cells.len()
    );
    cells.sort_by(|one, other| short(&other.1).total_cmp(&short(&one.1)));
    for ((kind, rows, features, _, place), found) in cells.iter().take(5) {
        let [default, canonical, peel, ..] = found;
        println!(
            "  {kind}, {rows} x {features}, epsilon {}: {default:.2}, {canonical:.2}, {peel:.2}",
            EPSILONS[*place]
        );
    }
}

fn planted(
    table: Planted,
    kind: Kind,
    run: u64,
    cells: &Mutex<BTreeMap<Cell, Found>>,
) -> Result<()> {
    let source = table.to_table()?;
    let rows = table.targets.len();
    let (select, rarer) = match &table.classes {
        Some(classes) => {
            let of = |class| table.targets.iter().filter(|target| *target == class).count();
            let select = Select::new(1).target(Target::classes(classes.iter().cloned()));
            (select, classes.iter().map(of).min().unwrap_or(0))
        }
        None => (Select::new(1), rows / 2),
    };
    let split = if table.classes.is_some() { 0.725 } else { 0.625 };
    let rehearsal = Rehearsal::new(select, &source)?;
    let cell = (kind.id().to_owned(), rows, table.names.len());
    draw(&rehearsal, cell, &table.truth, (run, split * 2.0 * rarer as f64), &KS, cells)
}

/// Normal columns, of which the first are shifted by 0.9 to 0.3 standard deviations in the second
/// of two classes of equal size.
fn many(
    rows: usize,
    true_ones: usize,
    features: usize,
    run: u64,
    cells: &Mutex<BTreeMap<Cell, Found>>,
) -> Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(run);
    let x = Array2::from_shape_fn((rows, features), |(row, feature)| {
        let shift = 0.9 - 0.6 * feature as f64 / (true_ones - 1) as f64;
        let is_shifted = feature < true_ones && row % 2 == 1;
        rng.sample::<f64, _>(StandardNormal) + if is_shifted { shift } else { 0.0 }
    });
    let y = Array1::from_iter((0..rows).map(|row| ["a", "b"][row % 2]));
    let source = ArrayTable::new(x.view(), y.view())?;
    let rehearsal = Rehearsal::new(Select::new(1).target(Target::classes(["a", "b"])), &source)?;
    let truth: Vec<usize> = (0..true_ones).collect();
    let cell = (format!("{true_ones} true"), rows, features);
    draw(&rehearsal, cell, &truth, (run, 0.725 * rows as f64), &[20], cells)
}

/// Draws once with each mechanism; `largest` is the largest possible score, in units of its
/// sensitivity, times the share of the selection in the budget.
fn draw(
    rehearsal: &Rehearsal,
    (kind, rows, features): (String, usize, usize),
    truth: &[usize],
    (run, largest): (u64, f64),
    ks: &[usize],
    cells: &Mutex<BTreeMap<Cell, Found>>,
) -> Result<()> {
    let canonical: Arc<dyn Mechanism> = Arc::new(CanonicalLipschitz::default());
    let peel: Arc<dyn Mechanism> = Arc::new(PeelPermuteAndFlip);
    for &k in ks {
        for (place, text) in EPSILONS.into_iter().enumerate() {
            let epsilon: Epsilon = text.parse()?;
            let found = |mechanism| -> Result<f64> {
                let picks = rehearsal.picks(k, &epsilon, mechanism, RehearsalSeeds::all(run))?;
                Ok(picks.iter().filter(|pick| truth.contains(pick)).count() as f64)
            };
            let [default, canonical, peel] =
                [found(None)?, found(Some(&canonical))?, found(Some(&peel))?];
            let enough = 20.0 * k as f64 * (features as f64).ln();
            let at_once = k > 2 && largest * epsilon.to_f64() >= enough;
            let earlier = if at_once { canonical } else { peel };
            if let Ok(mut cells) = cells.lock() {
                let cell = (kind.clone(), rows, features, k, place);
                let sums = cells.entry(cell).or_insert([0.0; 5]);
                let values = [default, canonical, peel, earlier, 1.0];
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
        }
    }
    Ok(())
}
