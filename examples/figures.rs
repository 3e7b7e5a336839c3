//! A gallery of the figures, with made-up numbers of realistic shape: one SVG each, written to the
//! folder given (default `target/figures`).
//!
//! ```sh
//! cargo run --release --example figures -- target/figures
//! ```

use std::path::PathBuf;

use dpsis::report::figure::{BarChart, Curve, CurveChart, CurvePoint, HeatMap, Reference};

const EPSILONS: [f64; 12] = [0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0];
const SETS: [&str; 15] = [
    "alon",
    "borovecki",
    "chiaretti",
    "chowdary",
    "christensen",
    "golub",
    "gordon",
    "gravier",
    "khan",
    "shipp",
    "singh",
    "sorlie",
    "su",
    "subramanian",
    "west",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder =
        std::env::args().nth(1).map_or_else(|| PathBuf::from("target/figures"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let write = |name: &str, svg: String| std::fs::write(folder.join(format!("{name}.svg")), svg);
    write("curves", curves(4).svg()?)?;
    write("curves-10", curves(10).svg()?)?;
    write("heat", heat(true).svg()?)?;
    write("heat-sequential", heat(false).svg()?)?;
    write("bars-panels", bars(100, true).svg()?)?;
    write("bars-grouped", bars(20, false).svg()?)?;
    write("bars-100", bars(100, false).svg()?)?;
    write("nothing", CurveChart { curves: Vec::new(), ..curves(1) }.svg()?)?;
    Ok(())
}

/// Accuracy against epsilon.
fn curves(number: usize) -> CurveChart {
    const NAMES: [&str; 10] = [
        "DP-SIS",
        "two-stage",
        "two-stage, canonical",
        "DPKendall",
        "DP-SIS, joint",
        "DP-SIS, peel",
        "DP-SIS, one-shot Laplace",
        "SampAgg-LASSO",
        "canonical, Gumbel noise",
        "random",
    ];
    let curve = |i: usize| {
        let point = |x: f64| {
            let odds = (x / (0.4 * (1.0 + i as f64))).powf(1.6);
            let y = (0.9 - 0.05 * i as f64) * odds / (1.0 + odds);
            let half = 1.96 * (y * (1.0 - y) / 100.0).sqrt() + 0.004;
            CurvePoint { x, y, low: (y - half).max(0.0), high: (y + half).min(1.0) }
        };
        Curve { label: NAMES[i].into(), points: EPSILONS.map(point).to_vec() }
    };
    CurveChart {
        title: "subramanian (n = 50, d = 10,100): share of the LASSO's top 5 found, 100 trials"
            .into(),
        x_label: "epsilon".into(),
        y_label: "accuracy".into(),
        x_log: true,
        y_range: Some((0.0, 1.0)),
        curves: (0..number).map(curve).collect(),
        references: vec![
            Reference { label: "SIS, not private".into(), y: 0.94 },
            Reference { label: "chance".into(), y: 0.01 },
        ],
    }
}

/// Differences of two methods, data set by epsilon.
fn heat(diverging: bool) -> HeatMap {
    let value = |i: usize, j: usize| {
        let wave = ((i * 7 + 3) % 15) as f64 / 15.0 - 0.25;
        let value = wave * EPSILONS[j] / (EPSILONS[j] + 2.0);
        let value = if diverging { value } else { value.abs() };
        (i != 4 || j < 9).then_some(value)
    };
    let table = |i| (0..EPSILONS.len()).map(|j| value(i, j)).collect::<Vec<_>>();
    let values: Vec<_> = (0..SETS.len()).map(table).collect();
    let is_large = |value: &Option<f64>| value.is_some_and(|value| value.abs() > 0.2);
    HeatMap {
        title: "Accuracy of DP-SIS minus that of two-stage, k = 5".into(),
        x_label: "epsilon".into(),
        columns: EPSILONS.iter().map(f64::to_string).collect(),
        rows: SETS.map(String::from).to_vec(),
        marked: values.iter().map(|row| row.iter().map(is_large).collect()).collect(),
        values,
        mark_label: "differs at the 5% level (100 trials)".into(),
        scale_label: "difference in accuracy".into(),
        diverging,
    }
}

/// How often each feature was selected.
fn bars(features: usize, panels: bool) -> BarChart {
    let share = |i: usize, true_share: f64| {
        if i < 5 {
            true_share - 0.01 * i as f64
        } else {
            0.02 + 0.015 * ((i * 37) % 11) as f64 / 10.0
        }
    };
    let series =
        |name: &str, high: f64| (name.to_owned(), (0..features).map(|i| share(i, high)).collect());
    BarChart {
        title: "W1: how often each feature was selected, 1000 repetitions".into(),
        x_label: "feature (1 to 5 carry the signal)".into(),
        y_label: "share of repetitions".into(),
        series: vec![series("SIS", 0.97), series("two-stage, not private", 0.48)],
        first_x: 1,
        reference: Some(Reference { label: "chance".into(), y: 5.0 / features as f64 }),
        panels,
    }
}
