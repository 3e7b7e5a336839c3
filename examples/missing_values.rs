//! Missing values by simulation: `cargo run --release --example missing_values`.
//!
//! 1. Values that have nothing to do with the class, missing in 5% of one class and 70% of the
//!    others: the share of runs in which the feature is significant.
//! 2. Associated features, complete and with half of the values missing at random: how many are
//!    named.
//! 3. The effect size of a feature with missing values, and its Kolmogorov-Smirnov distance among
//!    the values that are present.
#![allow(clippy::print_stdout)] // an example prints

use dpsis::{FileTable, Record, ScoreKind, Select, Target};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rand_distr::StandardNormal;

/// A way to request features.
struct Way {
    name: &'static str,
    k: Option<usize>,
    /// The score of values clipped to bounds; `None` for unclipped values.
    clipped: Option<ScoreKind>,
    categories: bool,
}

const WAYS: [Way; 6] = [
    Way { name: "numbers, k = 3", k: Some(3), clipped: None, categories: false },
    Way { name: "numbers, without k", k: None, clipped: None, categories: false },
    Way { name: "categories, k = 3", k: Some(3), clipped: None, categories: true },
    Way { name: "bins, k = 3", k: Some(3), clipped: Some(ScoreKind::Ks), categories: false },
    Way {
        name: "correlation, k = 3",
        k: Some(3),
        clipped: Some(ScoreKind::Correlation),
        categories: false,
    },
    Way {
        name: "correlation, without k",
        k: None,
        clipped: Some(ScoreKind::Correlation),
        categories: false,
    },
];

const FEATURES: usize = 20;

/// A table of normal values and classes of equal size. `shift` is the difference of the first
/// features between classes; `missing` is the probability that a value is missing.
fn table(
    (rows, classes): (usize, usize),
    categories: bool,
    shift: impl Fn(usize) -> f64,
    missing: impl Fn(usize, usize) -> f64,
    random: &mut StdRng,
) -> String {
    let names: Vec<String> = (0..FEATURES).map(|feature| format!("f{feature}")).collect();
    let mut text = format!("{},class\n", names.join(","));
    for row in 0..rows {
        let class = row % classes;
        for feature in 0..FEATURES {
            let normal: f64 = random.sample(StandardNormal);
            let value = normal + if class > 0 { shift(feature) } else { 0.0 };
            let is_missing = random.r#gen::<f64>() < missing(feature, class);
            text += &match (is_missing, categories) {
                (true, _) => ",".to_owned(),
                (false, true) => format!("level {},", (value * 2.0).floor()),
                // A mean far from the middle of the bounds: a missing value is not like the others.
                (false, false) => format!("{:.4},", value + 2.0),
            };
        }
        text += &format!("c{class}\n");
    }
    text
}

fn select(
    way: &Way,
    epsilon: &str,
    classes: usize,
    text: String,
    seed: u64,
) -> dpsis::Result<Record> {
    let request = way.k.map_or_else(Select::significant, Select::new);
    let labels = (0..classes).map(|class| format!("c{class}"));
    let request = request.epsilon(epsilon).target(Target::classes(labels));
    let request = match way.clipped {
        Some(score) => request.bounds(-4.0, 4.0).score(score),
        None => request,
    };
    let table = FileTable::from_reader(std::io::Cursor::new(text.into_bytes()));
    request.seed(seed).run(&table).map(dpsis::NotPrivate::into_inner)
}

/// The significant features.
fn significant(selection: &Record) -> Vec<&str> {
    let found = selection.estimates.iter().filter(|found| found.significant == Some(true));
    found.map(|found| found.name.as_str()).collect()
}

fn main() -> dpsis::Result<()> {
    let runs: u64 = std::env::args().nth(1).and_then(|runs| runs.parse().ok()).unwrap_or(20);
    let mut random = StdRng::seed_from_u64(1);

    println!("Unrelated values, 5% missing in one class and 70% in the others:");
    println!("runs of {runs} for each of eps 1, 2, 5 in which the feature is significant");
    for way in &WAYS {
        for rows in [300, 1000, 3000] {
            let mut line = format!("{:<24} n {rows:<5}", way.name);
            for classes in [2, 3, 4] {
                let mut named = [0; 3];
                for (named, epsilon) in named.iter_mut().zip(["1", "2", "5"]) {
                    for seed in 0..runs {
                        let missing = |feature: usize, class: usize| match (feature, class) {
                            (0, 0) => 0.05,
                            (0, _) => 0.7,
                            _ => 0.0,
                        };
                        let size = (rows, classes);
                        let text = table(size, way.categories, |_| 0.0, missing, &mut random);
                        let found = select(way, epsilon, classes, text, seed)?;
                        *named += u32::from(significant(&found).contains(&"f0"));
                    }
                }
                line += &format!("  {classes} classes {named:?}");
            }
            println!("{line}");
        }
    }

    println!("\nFive associated features, complete, and half missing at random:");
    println!("selected of 5, and of these significant");
    for way in &WAYS {
        for (rows, shift) in [(1000, 1.0), (3000, 0.7)] {
            let mut line = format!("{:<24} n {rows:<5}", way.name);
            for epsilon in ["1", "2", "5"] {
                for share in [0.0, 0.5] {
                    let mut found = [0; 2];
                    for seed in 0..runs {
                        let shift = |feature| if feature < 5 { shift } else { 0.0 };
                        let text =
                            table((rows, 2), way.categories, shift, |_, _| share, &mut random);
                        let k = way.k.map(|_| 5);
                        let selection = select(&Way { k, ..*way }, epsilon, 2, text, seed)?;
                        let is_true = |name: &&str| name[1..].parse::<usize>().is_ok_and(|f| f < 5);
                        let selected = selection.selected.iter().map(|picked| picked.name.as_str());
                        found[0] += selected.filter(is_true).count();
                        found[1] += significant(&selection).into_iter().filter(is_true).count();
                    }
                    let [selected, significant] = found.map(|found| found as f64 / runs as f64);
                    let lead = if share > 0.0 { " to".into() } else { format!("  eps {epsilon}:") };
                    line += &format!("{lead} {selected:.2} {significant:.2}");
                }
            }
            println!("{line}");
        }
    }

    println!("\nA shift of 1.83 (distance 0.64 among present values), n 3000, eps 5, k = 1:");
    for share in [0.0, 0.1, 0.3, 0.5, 0.7, 0.9] {
        let mut mean = 0.0;
        for seed in 0..runs {
            let shift = |feature| if feature == 0 { 1.83 } else { 0.0 };
            let missing = |feature, _| if feature == 0 { share } else { 0.0 };
            let text = table((3000, 2), false, shift, missing, &mut random);
            let way = Way { name: "", k: Some(1), clipped: None, categories: false };
            let selection = select(&way, "5", 2, text, seed)?;
            let effect_size = selection.estimates.first().and_then(|found| found.effect_size);
            mean += effect_size.unwrap_or(0.0) / runs as f64;
        }
        println!("{:>3.0}% missing: at least {mean:.2}", 100.0 * share);
    }
    let wider = |k: f64| ((2.0 * k + 1.0) * (2.0 * k + 2.0) / ((k + 1.0) * (k + 2.0))).sqrt();
    println!("(a private share of missing values for each of k features would widen all intervals");
    println!(
        "by {:.0}% at k = 1 and {:.0}% at k = 5)",
        100.0 * wider(1.0) - 100.0,
        100.0 * wider(5.0) - 100.0
    );
    Ok(())
}
