//! Selection of all significant features: how many it names, and how many of them are false.
//!
//! ```text
//! cargo run --release -p dpsis-papers --example names -- designs 40
//! cargo run --release -p dpsis-papers --example names -- wide 120
//! cargo run --release -p dpsis-papers --example names -- many 20
//! cargo run --release -p dpsis-papers --example names -- rows 20 docs/figures/names-by-rows.svg
//! cargo run --release -p dpsis-papers --example names -- planted 20
//! cargo run --release -p dpsis-papers --example names -- null 1000
//! cargo run --release -p dpsis-papers --example names -- permuted 2000 DIR/alon.csv DIR/golub.csv ...
//! cargo run --release -p dpsis-papers --example names -- permuted-planted 200
//! ```
//!
//! `--delta DELTA` before these words gives all selections without k a delta. The tables are
//! public, all draws seeded; nothing here is private.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::{Mutex, OnceLock};

use dpsis::internals::{self, WholeTable};
use dpsis::mechanism::Peel;
use dpsis::{
    ArrayTable, Bounds, Epsilon, Error, ErrorKind, FileTable, NotPrivate, Record, Result, Scaling,
    ScoreKind, Select, Source, Target,
};
use dpsis_eval::figure::{Curve, CurveChart, CurvePoint};
use dpsis_eval::planted::{Kind, PLANTED, Planted, Size, table};
use ndarray::{Array1, Array2};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["--delta", delta, rest @ ..] = words.as_slice() {
        DELTA.get_or_init(|| (*delta).to_owned());
        words = rest.to_vec();
    }
    let wrong = || {
        let rule = "designs RUNS | wide RUNS | many RUNS | rows RUNS FIGURE | planted RUNS | null RUNS | permuted RUNS FILE... | permuted-planted RUNS";
        Error::request(rule)
    };
    let runs = |text: &str| text.parse::<usize>().map_err(|_| wrong());
    match words.as_slice() {
        ["designs", count] => designs(runs(count)?),
        ["wide", count] => wide(runs(count)?),
        ["many", count] => many(runs(count)?),
        ["rows", count, figure] => rows(runs(count)?, figure),
        ["planted", count] => planted(runs(count)?),
        ["null", count] => null(runs(count)?),
        ["permuted", count, files @ ..] if !files.is_empty() => permuted(runs(count)?, files),
        ["permuted-planted", count] => permuted_planted(runs(count)?),
        _ => Err(wrong()),
    }
}

/// The delta of all selections without k.
static DELTA: OnceLock<String> = OnceLock::new();

/// All significant features.
fn all_significant() -> Select {
    let delta = DELTA.get().map_or("0", String::as_str);
    Select::significant().delta(delta).threads(1)
}

/// The names of a seeded run; `None` if the run ended after its counts.
fn names(
    select: Select,
    seed: usize,
    source: &(impl Source + ?Sized),
) -> Result<Option<NotPrivate<Record>>> {
    match select.seed(seed as u64).run(source) {
        Ok(record) => Ok(Some(record)),
        Err(error) if error.kind() == ErrorKind::Input => Ok(None),
        Err(error) => Err(error),
    }
}

/// Sums over runs, by cell.
struct Sums(Mutex<Vec<f64>>);

impl Sums {
    fn new(cells: usize) -> Self {
        Self(Mutex::new(vec![0.0; cells]))
    }

    fn add(&self, cell: usize, value: f64) {
        if let Ok(mut sums) = self.0.lock() {
            sums[cell] += value;
        }
    }

    fn means(self, runs: usize) -> Vec<f64> {
        let sums = self.0.into_inner().unwrap_or_default();
        sums.into_iter().map(|sum| sum / runs as f64).collect()
    }
}

/// Calls `work` for each number below `count` on all cores.
fn in_parallel(count: usize, work: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    let threads = internals::available_threads();
    internals::in_parallel(count as u64, threads, |number| work(number as usize)).map(drop)
}

/// The names of a record: all, and the false ones.
fn counted(record: Option<&NotPrivate<Record>>, truth: &[usize]) -> [f64; 2] {
    let Some(record) = record else { return [0.0; 2] };
    let all = record.indices();
    let wrong = all.iter().filter(|index| !truth.contains(index)).count() as f64;
    [all.len() as f64, wrong]
}

/// A table of normal columns, of which the first are shifted in the second class.
struct Design {
    what: &'static str,
    rows: usize,
    features: usize,
    cases: f64,
    shifts: Vec<f64>,
    epsilons: &'static [&'static str],
}

impl Design {
    /// The values, and the labels.
    fn draw(&self, seed: usize) -> (Array2<f64>, Array1<&'static str>) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed as u64);
        let cases = (self.cases * self.rows as f64).round() as usize;
        let label = |row: usize| if row < cases { "b" } else { "a" };
        let x = Array2::from_shape_fn((self.rows, self.features), |(row, feature)| {
            let noise: f64 = rng.sample(StandardNormal);
            let shift = self.shifts.get(feature).filter(|_| row < cases);
            noise + shift.copied().unwrap_or(0.0)
        });
        (x, Array1::from_iter((0..self.rows).map(label)))
    }
}

/// The designs of normal columns, and how many features k = 5 selects and finds significant.
fn designs(runs: usize) -> Result<()> {
    let design = |what, rows, features, cases, shifts, epsilons| Design {
        what,
        rows,
        features,
        cases,
        shifts,
        epsilons,
    };
    let falling = (0..15).map(|i| 0.8 - 0.05 * f64::from(i)).collect();
    let all = [
        design("15 falling (.8 to .1 sd)", 3000, 500, 0.5, falling, &["1", "2"]),
        design("5 equal (.6 sd)", 1000, 300, 0.5, vec![0.6; 5], &["1"]),
        design("5 equal (.8 sd)", 541, 300, 0.5, vec![0.8; 5], &["1", "2"]),
        design("5 equal (1 sd)", 300, 300, 0.5, vec![1.0; 5], &["2", "5"]),
        design("one (.8 sd)", 1000, 500, 0.5, vec![0.8], &["1"]),
        design("10% cases, 5 equal (1 sd)", 1000, 1000, 0.1, vec![1.0; 5], &["2", "5"]),
    ];
    println!(
        "| design | n | d | eps | named | runs with a false one | k = 5: found | confirmed |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for design in &all {
        for epsilon in design.epsilons {
            let epsilon: Epsilon = epsilon.parse()?;
            let sums = Sums::new(4);
            in_parallel(runs, |run| {
                let (x, labels) = design.draw(run);
                let table = ArrayTable::new(x.view(), labels.view())?;
                let truth: Vec<usize> = (0..design.shifts.len()).collect();
                let given = |select: Select| {
                    select.epsilon(epsilon.clone()).target(Target::classes(["a", "b"])).threads(1)
                };
                let record = names(given(all_significant()), run, &table)?;
                let [all, wrong] = counted(record.as_ref(), &truth);
                sums.add(0, all - wrong);
                sums.add(1, f64::from(wrong > 0.0));
                let record = names(given(Select::new(5)), run, &table)?;
                for (picked, estimate) in
                    record.iter().flat_map(|record| record.selected.iter().zip(&record.estimates))
                {
                    if truth.contains(&picked.index) {
                        sums.add(2, 1.0);
                        sums.add(3, f64::from(estimate.significant == Some(true)));
                    }
                }
                Ok(())
            })?;
            let means = sums.means(runs);
            println!(
                "| {} | {} | {} | {epsilon} | {:.1} | {:.3} | {:.1} | {:.1} |",
                design.what, design.rows, design.features, means[0], means[1], means[2], means[3]
            );
        }
    }
    Ok(())
}

/// Wide tables, of 300 rows and 5,000 features: how many runs name no feature, how many features
/// are named, and how many runs name a null feature. A table for each run.
fn wide(runs: usize) -> Result<()> {
    // KS distances of .42 to .55: 2 Phi(shift/2) - 1.
    let eight: Vec<f64> = (0..8).map(|i| 1.107 + 0.0577 * f64::from(i)).collect();
    const WIDE: (usize, usize) = (300, 5000);
    let cells = [
        ("8 of KS distance .42 to .55", WIDE, false, 0.0, eight.clone(), "2"),
        ("the same, numeric target", WIDE, true, 0.0, eight, "2"),
        ("none", WIDE, false, 0.0, Vec::new(), "2"),
        ("none, numeric target", WIDE, true, 0.0, Vec::new(), "2"),
        ("1 of KS distance .52", WIDE, false, 0.0, vec![1.4], "2"),
        ("20 of KS distance .48", WIDE, false, 0.0, vec![1.3; 20], "2"),
        ("8 of KS distance .73", WIDE, false, 0.0, vec![2.2; 8], "1"),
        // Null features that share a factor: many of them have large scores at once.
        ("5 of KS distance .9, correlated others", (1000, 1000), false, 0.6, vec![3.3; 5], "1"),
        ("5 of KS distance .9, correlated others", (3000, 1000), false, 0.6, vec![3.3; 5], "2"),
    ];
    println!(
        "| true features | eps | runs naming none | named | runs with a false one | drawn | k = 5: found |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    );
    for (what, (rows, features), is_numeric, shared, shifts, epsilon) in cells {
        let truth: Vec<usize> = (0..shifts.len()).collect();
        let design = Design { what, rows, features, cases: 0.5, shifts, epsilons: &["2"] };
        let sums = Sums::new(5);
        in_parallel(runs, |run| {
            let (mut x, labels) = design.draw(run);
            if shared > 0.0 {
                let mut rng = ChaCha8Rng::seed_from_u64(run as u64 + 2_000_000);
                for mut row in x.rows_mut() {
                    let factor: f64 = rng.sample(StandardNormal);
                    for value in row.iter_mut().skip(truth.len()) {
                        *value = f64::sqrt(shared) * factor + f64::sqrt(1.0 - shared) * *value;
                    }
                }
            }
            // Above the median are the rows of the second class.
            let mut rng = ChaCha8Rng::seed_from_u64(run as u64 + 1_000_000);
            let number =
                |label: &&str| rng.gen_range(0.0..1.0) + f64::from(u8::from(*label == "b"));
            let numbers: Array1<f64> = labels.iter().map(number).collect();
            let named = |select: Select| {
                let select = select.epsilon(epsilon).threads(1);
                match is_numeric {
                    true => names(select, run, &ArrayTable::new(x.view(), numbers.view())?),
                    false => {
                        let select = select.target(Target::classes(["a", "b"]));
                        names(select, run, &ArrayTable::new(x.view(), labels.view())?)
                    }
                }
            };
            let record = named(all_significant())?;
            let [all, wrong] = counted(record.as_ref(), &truth);
            sums.add(0, f64::from(all == 0.0));
            sums.add(1, all - wrong);
            sums.add(2, f64::from(wrong > 0.0));
            let drawn = record.as_ref().and_then(|record| record.released.number);
            sums.add(3, drawn.unwrap_or(0) as f64);
            let [all, wrong] = counted(named(Select::new(5))?.as_ref(), &truth);
            sums.add(4, all - wrong);
            Ok(())
        })?;
        let means = sums.means(runs);
        println!(
            "| {what} | {epsilon} | {:.3} | {:.2} | {:.3} | {:.1} | {:.1} |",
            means[0], means[1], means[2], means[3], means[4]
        );
    }
    Ok(())
}

/// Features named without k, without and with a delta of 1e-6, and how many runs with a delta name
/// a null feature: many and few findings.
fn many(runs: usize) -> Result<()> {
    // Quantiles of normal shifts with a standard deviation of one half.
    let normal = |i: usize| 0.5 * normal_quantile((i as f64 + 0.5) / 100.0);
    let normal: Vec<f64> = (0..100).map(normal).collect();
    let falling = |count: usize, first: f64| -> Vec<f64> {
        (0..count).map(|i| first - (first - 0.15) * i as f64 / count as f64).collect()
    };
    let cells = [
        ("100 of 2,000, normal shifts", 2000, &[1000, 2500, 5000][..], normal),
        ("50 of 5,000, falling", 5000, &[1600, 2500], falling(50, 0.9)),
        ("10 of 500, falling", 500, &[1000, 4000], falling(10, 0.9)),
        ("3 of 2,000", 2000, &[1000], vec![0.9, 0.7, 0.5]),
        ("5 equal of 1,000", 1000, &[300, 500, 1000], vec![0.8; 5]),
    ];
    println!(
        "| true features | n | eps | named | with a delta | runs with a delta and a false one |\n\
         | --- | --- | --- | --- | --- | --- |"
    );
    for (what, features, all_rows, shifts) in cells {
        let truth: Vec<usize> = (0..shifts.len()).collect();
        for rows in all_rows.iter().copied() {
            let shifts = shifts.clone();
            let design = Design { what, rows, features, cases: 0.5, shifts, epsilons: &["1", "2"] };
            for epsilon in design.epsilons {
                let sums = Sums::new(3);
                in_parallel(runs, |run| {
                    let (x, labels) = design.draw(run);
                    let table = ArrayTable::new(x.view(), labels.view())?;
                    let select = || {
                        let select = all_significant().epsilon(*epsilon);
                        select.target(Target::classes(["a", "b"]))
                    };
                    let [all, wrong] = counted(names(select(), run, &table)?.as_ref(), &truth);
                    sums.add(0, all - wrong);
                    let record = names(select().delta("1e-6"), run, &table)?;
                    let [all, wrong] = counted(record.as_ref(), &truth);
                    sums.add(1, all - wrong);
                    sums.add(2, f64::from(wrong > 0.0));
                    Ok(())
                })?;
                let means = sums.means(runs);
                println!(
                    "| {what} | {rows} | {epsilon} | {:.1} | {:.1} | {:.3} |",
                    means[0], means[1], means[2]
                );
            }
        }
    }
    Ok(())
}

/// The number that a standard normal number is below with probability `p`, by halving.
fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-10.0f64, 10.0f64);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let below = 0.5 * libm::erfc(-middle / std::f64::consts::SQRT_2);
        if below < p { low = middle } else { high = middle }
    }
    high
}

/// The features that the procedure of Benjamini and Hochberg names at a false discovery rate of 5%,
/// without any privacy: by the two-sample Kolmogorov-Smirnov statistic and its limiting law.
fn not_private(x: &Array2<f64>, labels: &Array1<&str>) -> Vec<usize> {
    let cases = labels.iter().filter(|label| **label == "b").count() as f64;
    let controls = labels.len() as f64 - cases;
    let p_value = |column: ndarray::ArrayView1<'_, f64>| {
        let mut order: Vec<usize> = (0..column.len()).collect();
        order.sort_by(|i, j| column[*i].total_cmp(&column[*j]));
        let (mut walk, mut largest) = (0.0f64, 0.0f64);
        for row in order {
            walk += if labels[row] == "b" { 1.0 / cases } else { -1.0 / controls };
            largest = largest.max(walk.abs());
        }
        let squared = largest * largest * cases * controls / (cases + controls);
        let term =
            |j: i32| f64::from(1 - 2 * ((j + 1) % 2)) * (-2.0 * f64::from(j * j) * squared).exp();
        (2.0 * (1..=100).map(term).sum::<f64>()).min(1.0)
    };
    let mut p_values: Vec<(f64, usize)> = x.columns().into_iter().map(p_value).zip(0..).collect();
    p_values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let least = |place: usize| 0.05 * (place + 1) as f64 / p_values.len() as f64;
    let named = (0..p_values.len()).rev().find(|place| p_values[*place].0 <= least(*place));
    p_values[..named.map_or(0, |place| place + 1)].iter().map(|(_, feature)| *feature).collect()
}

/// True and false discoveries against the number of rows: ten features of decreasing effect size
/// among 500, at epsilon 1, without k, with k = 5 and 20, and without privacy.
fn rows(runs: usize, figure: &str) -> Result<()> {
    const ROWS: [usize; 7] = [250, 500, 1000, 2000, 4000, 8000, 16000];
    let epsilon: Epsilon = "1".parse()?;
    let names_of = [
        ("without k: right", 0),
        ("without k: false", 1),
        ("k = 20: right", 4),
        ("k = 20: false", 5),
        ("k = 20: called significant", 7),
        ("k = 5: called significant", 6),
        ("not private (Benjamini-Hochberg): right", 8),
    ];
    let mut right: Vec<Vec<CurvePoint>> = vec![Vec::new(); names_of.len()];
    println!(
        "| n | without k: right, false | k = 5: right, false; significant | k = 20: right, false; significant \
         | not private: right, false |\n\
         | --- | --- | --- | --- | --- |"
    );
    for n in ROWS {
        let shifts: Vec<f64> = (0..10).map(|i| 0.8 - 0.06 * f64::from(i)).collect();
        let truth: Vec<usize> = (0..shifts.len()).collect();
        let what = "10 falling (.8 to .26 sd)";
        let design = Design { what, rows: n, features: 500, cases: 0.5, shifts, epsilons: &["1"] };
        let sums = Sums::new(10);
        in_parallel(runs, |run| {
            let (x, labels) = design.draw(run);
            let table = ArrayTable::new(x.view(), labels.view())?;
            let ways = [all_significant(), Select::new(5), Select::new(20)];
            for (way, select) in ways.into_iter().enumerate() {
                let select = select.epsilon(epsilon.clone()).threads(1);
                let select = select.target(Target::classes(["a", "b"]));
                let record = names(select, run, &table)?;
                let [all, wrong] = counted(record.as_ref(), &truth);
                sums.add(2 * way, all - wrong);
                sums.add(2 * way + 1, wrong);
                let called = record.iter().filter_map(|record| record.significance.significant);
                if way > 0 {
                    sums.add(5 + way, called.sum::<usize>() as f64);
                }
            }
            let named = not_private(&x, &labels);
            let right = named.iter().filter(|feature| truth.contains(feature)).count();
            sums.add(8, right as f64);
            sums.add(9, (named.len() - right) as f64);
            Ok(())
        })?;
        let means = sums.means(runs);
        println!(
            "| {n} | {:.1}, {:.2} | {:.1}, {:.1}; {:.1} | {:.1}, {:.1}; {:.1} | {:.1}, {:.1} |",
            means[0],
            means[1],
            means[2],
            means[3],
            means[6],
            means[4],
            means[5],
            means[7],
            means[8],
            means[9]
        );
        for (points, (_, place)) in right.iter_mut().zip(names_of) {
            let y = means[place];
            points.push(CurvePoint { x: n as f64, y, low: y, high: y });
        }
    }
    let curves = names_of.into_iter().zip(right);
    let curves = curves.map(|((label, _), points)| Curve { label: label.to_owned(), points });
    let chart = CurveChart {
        title: "Names by the number of rows, epsilon 1; 10 of 500 features are true".into(),
        x_label: "rows".into(),
        y_label: "names".into(),
        x_log: true,
        y_log: false,
        y_range: Some((0.0, 20.0)),
        curves: curves.collect(),
        references: Vec::new(),
    };
    std::fs::write(figure, chart.svg()?).map_err(|error| Error::io(error.to_string()))
}

fn of_planted(select: Select, planted: &Planted, epsilon: &Epsilon) -> Select {
    planted.with_classes(select.epsilon(epsilon.clone()).threads(1))
}

/// How many of the five true features of each kind are named without k, are significant with k = 5
/// and 20, and are significant when peeling 20 is followed by tests with a family-wise error rate
/// of 5%.
fn planted(runs: usize) -> Result<()> {
    const CELLS: usize = 5;
    println!(
        "| kind | eps | named | runs with a false discovery | k = 5 | k = 20 | peel 20 |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut totals = [[0.0; CELLS]; 4];
    for kind in Kind::ALL {
        for (row, text) in ["0.5", "1", "2", "5"].into_iter().enumerate() {
            let epsilon: Epsilon = text.parse()?;
            let sums = Sums::new(CELLS);
            in_parallel(runs, |run| {
                let planted = table(kind, Size::Full, run as u64);
                let truth = &planted.truth;
                let select = of_planted(all_significant(), &planted, &epsilon);
                let record = names(select, run, &planted.to_table()?)?;
                let [all, wrong] = counted(record.as_ref(), truth);
                sums.add(0, all - wrong);
                sums.add(1, f64::from(wrong > 0.0));
                let ways = [Select::new(PLANTED), Select::new(20), Select::new(20).mechanism(Peel)];
                for (place, select) in ways.into_iter().enumerate() {
                    let record =
                        names(of_planted(select, &planted, &epsilon), run, &planted.to_table()?)?;
                    let picks = record
                        .iter()
                        .flat_map(|record| record.selected.iter().zip(&record.estimates));
                    let called = picks.filter(|(picked, estimate)| {
                        truth.contains(&picked.index) && estimate.significant == Some(true)
                    });
                    sums.add(2 + place, called.count() as f64);
                }
                Ok(())
            })?;
            let means = sums.means(runs);
            println!(
                "| {} | {text} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
                kind.id(),
                means[0],
                means[1],
                means[2],
                means[3],
                means[4]
            );
            totals[row].iter_mut().zip(means).for_each(|(total, mean)| *total += mean);
        }
    }
    println!();
    for (total, epsilon) in totals.iter().zip(["0.5", "1", "2", "5"]) {
        let mean = |cell: usize| total[cell] / Kind::ALL.len() as f64;
        println!(
            "mean of all at {epsilon}: {:.2} of k = 5's {:.2} ({:.2}); k = 20 {:.2}, peel 20 {:.2}; runs with a false \
             name {:.3}",
            mean(0),
            mean(2),
            mean(0) / mean(2),
            mean(3),
            mean(4),
            mean(1)
        );
    }
    Ok(())
}

/// The cells of null features; the table also has a few associated features.
#[derive(Debug, Clone, Copy)]
enum Cells {
    Normal,
    /// Poisson counts, mostly zero.
    Counts,
    /// Text, four categories.
    Words,
    /// Text, another value in each row.
    Ids,
    /// Normal, 40% missing.
    Missing,
}

/// Tables in which all but the first features have no association.
fn null(runs: usize) -> Result<()> {
    println!(
        "| cells | n | d | shares of classes | strong | eps | score | runs with a false discovery |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let shares: [&[f64]; 6] =
        [&[0.5, 0.5], &[0.9, 0.1], &[0.97, 0.03], &[0.4, 0.3, 0.3], &[0.4, 0.2, 0.2, 0.2], &[]];
    let cells = [Cells::Normal, Cells::Counts, Cells::Words, Cells::Ids, Cells::Missing];
    let mut worst = 0.0f64;
    for (place, shares) in shares.into_iter().enumerate() {
        for (n, d) in [(50, 20), (200, 100), (1000, 50)] {
            for (kind, cells) in cells.into_iter().enumerate() {
                // Not all combinations: scores and numbers of associated features alternate.
                let strong = [0, 5][(place + kind) % 2];
                let score = [ScoreKind::Ks, ScoreKind::Correlation][(place + kind + n / 200) % 2];
                let texts = matches!(cells, Cells::Words | Cells::Ids);
                let score = if texts { ScoreKind::Ks } else { score };
                for epsilon in ["1", "3", "10"] {
                    let epsilon: Epsilon = epsilon.parse()?;
                    let sums = Sums::new(1);
                    in_parallel(runs, |run| {
                        let text = null_table(cells, n, d, shares, strong, run);
                        let truth: Vec<usize> = (0..strong).collect();
                        let select = all_significant().epsilon(epsilon.clone());
                        let labels = ["a", "b", "c", "e"];
                        let select = match shares.len() {
                            0 => select,
                            many => select.target(Target::classes(labels[..many].to_vec())),
                        };
                        let select = match score {
                            ScoreKind::Correlation => {
                                select.scaling(Scaling::Bounds(Bounds::new(-3.0, 3.0)?))
                            }
                            _ => select,
                        };
                        let table = FileTable::from_reader(std::io::Cursor::new(text));
                        let record = names(select, run, &table)?;
                        let [_, wrong] = counted(record.as_ref(), &truth);
                        sums.add(0, f64::from(wrong > 0.0));
                        Ok(())
                    })?;
                    let mean = sums.means(runs)[0];
                    worst = worst.max(mean);
                    println!(
                        "| {cells:?} | {n} | {d} | {shares:?} | {strong} | {epsilon} | {score:?} | {mean:.4} |"
                    );
                }
            }
        }
    }
    println!("largest: {worst:.4}");
    Ok(())
}

/// A table as CSV; without shares the target is a number.
fn null_table(
    cells: Cells,
    n: usize,
    d: usize,
    shares: &[f64],
    strong: usize,
    seed: usize,
) -> Vec<u8> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed as u64);
    let header: Vec<String> = (0..d).map(|j| format!("f{j}")).collect();
    let mut text = header.join(",") + ",y\n";
    for row in 0..n {
        let at = (row as f64 + 0.5) / n as f64;
        let (label, level) = match shares {
            [] => {
                let y: f64 = rng.sample(StandardNormal);
                (y.to_string(), y)
            }
            _ => {
                let ends = shares.iter().scan(0.0, |end, share| {
                    *end += share;
                    Some(*end)
                });
                let class = ends.into_iter().filter(|end| *end < at).count().min(shares.len() - 1);
                (["a", "b", "c", "e"][class].to_owned(), if class == 0 { -1.0 } else { 1.0 })
            }
        };
        for j in 0..d {
            let noise: f64 = rng.sample(StandardNormal);
            let value = if j < strong { noise + 2.0 * level } else { noise };
            text += &match cells {
                Cells::Normal => value.to_string(),
                Cells::Counts => (value - 0.5).max(0.0).ceil().to_string(),
                Cells::Words => ["p", "q", "r", "s"][if value < -0.7 {
                    0
                } else if value < 0.0 {
                    1
                } else if value < 0.7 {
                    2
                } else {
                    3
                }]
                .to_owned(),
                // Ids have no association, so associated features have two categories instead.
                Cells::Ids if j < strong => if value < 0.0 { "p" } else { "q" }.to_owned(),
                Cells::Ids => format!("w{row}"),
                Cells::Missing if rng.gen_bool(0.4) => String::new(),
                Cells::Missing => value.to_string(),
            };
            text.push(',');
        }
        text += &label;
        text.push('\n');
    }
    text.into_bytes()
}

/// The number of runs with permuted targets that name any feature, spread over the files.
fn permuted(runs: usize, files: &[&str]) -> Result<()> {
    println!(
        "| set | n | d | eps | runs | naming anything |\n| --- | --- | --- | --- | --- | --- |"
    );
    let mut totals = [[0.0; 2]; 3];
    for file in files {
        let whole = WholeTable::read(*file)?;
        let (n, d) = (whole.targets.len(), whole.features.len());
        let x = Array2::from_shape_vec((n, d), whole.values)
            .map_err(|_| Error::input("the table is not rectangular"))?;
        let mut classes = whole.targets.clone();
        classes.sort_unstable();
        classes.dedup();
        let runs = runs.div_ceil(files.len());
        for (row, text) in ["1", "2", "10"].into_iter().enumerate() {
            let epsilon: Epsilon = text.parse()?;
            let sums = Sums::new(1);
            in_parallel(runs, |run| {
                let mut targets = whole.targets.clone();
                targets.shuffle(&mut ChaCha8Rng::seed_from_u64(run as u64));
                let targets = Array1::from(targets);
                let table = ArrayTable::new(x.view(), targets.view())?;
                let select = all_significant().epsilon(epsilon.clone());
                let select = select.target(Target::classes(classes.iter().cloned()));
                let [all, _] = counted(names(select, run, &table)?.as_ref(), &[]);
                sums.add(0, f64::from(all > 0.0));
                Ok(())
            })?;
            let mean = sums.means(runs)[0];
            println!("| {file} | {n} | {d} | {text} | {runs} | {mean:.4} |");
            totals[row][0] += runs as f64;
            totals[row][1] += mean * runs as f64;
        }
    }
    for ([runs, any], epsilon) in totals.iter().zip(["1", "2", "10"]) {
        println!("all at {epsilon}: {any} of {runs} runs");
    }
    Ok(())
}

/// The same on the planted tables at reduced size, whose columns are of all kinds.
fn permuted_planted(runs: usize) -> Result<()> {
    println!("| kind | eps | runs naming anything |\n| --- | --- | --- |");
    for kind in Kind::ALL {
        for text in ["1", "2", "10"] {
            let epsilon: Epsilon = text.parse()?;
            let sums = Sums::new(1);
            in_parallel(runs, |run| {
                let mut planted = table(kind, Size::Reduced, run as u64);
                planted.targets.shuffle(&mut ChaCha8Rng::seed_from_u64(run as u64));
                let select = of_planted(all_significant(), &planted, &epsilon);
                let record = names(select, run, &planted.to_table()?)?;
                let [all, _] = counted(record.as_ref(), &[]);
                sums.add(0, f64::from(all > 0.0));
                Ok(())
            })?;
            println!("| {} | {text} | {:.4} |", kind.id(), sums.means(runs)[0]);
        }
    }
    Ok(())
}
