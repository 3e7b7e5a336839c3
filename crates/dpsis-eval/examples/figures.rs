//! A gallery of figures with made-up numbers of realistic shape: each as SVG with its data as JSON,
//! and all in one page, written to the folder given (default `target/figures`).
//!
//! ```sh
//! cargo run --release --example figures -- target/figures
//! ```

use std::path::PathBuf;

use dpsis::report::{Agreement, Block, Level, Notice, Page, Section, to_json};
use dpsis_eval::figure::{BarChart, Curve, CurveChart, CurvePoint, HeatMap, Reference};

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
    let mut figures = Vec::new();
    let mut write = |name: &str, caption: &str, svg: String, data: String| {
        let data_href = format!("{name}.json");
        std::fs::write(folder.join(format!("{name}.svg")), &svg)?;
        std::fs::write(folder.join(&data_href), data)?;
        figures.push(Block::Figure { svg, caption: caption.into(), data_href: Some(data_href) });
        Ok::<(), std::io::Error>(())
    };
    for (name, number) in [("curves", 4), ("curves-10", 10), ("nothing", 0)] {
        let chart = curves(number);
        write(name, "Curves with 95% bands.", chart.svg()?, to_json(&chart)?)?;
    }
    for (name, diverging) in [("heat", true), ("heat-sequential", false)] {
        let map = heat(diverging);
        write(name, "A number for each set and epsilon.", map.svg()?, to_json(&map)?)?;
    }
    for (name, features, panels) in
        [("bars-panels", 100, true), ("bars-grouped", 20, false), ("bars-100", 100, false)]
    {
        let chart = bars(features, panels);
        write(name, "How often each feature was selected.", chart.svg()?, to_json(&chart)?)?;
    }
    std::fs::write(folder.join("index.html"), page(figures).html())?;
    Ok(())
}

/// A page with every kind of block.
fn page(figures: Vec<Block>) -> Page {
    let text = |text: &str| text.to_owned();
    let comparison = |significance, paper: &str, ours: &str, note: &str| Block::Comparison {
        statement: text("DP-SIS finds more of the true features than two-stage at every epsilon."),
        source: text("a paper, section 5"),
        paper: text(paper),
        ours: text(ours),
        agreement: significance,
        note: text(note),
    };
    let row = |cells: &[&str]| cells.iter().map(|cell| text(cell)).collect();
    let section = |id: &str, title: &str, blocks| Section::new(text(id), text(title), blocks);
    Page::new(
        "A gallery of figures",
        vec![
            section("figures", "Figures", figures),
            section(
                "comparisons",
                "Comparisons",
                vec![
                    comparison(Agreement::Matches, "0.90 at epsilon 20", "0.88", ""),
                    comparison(
                        Agreement::Partly,
                        "always",
                        "from epsilon 0.5 on",
                        "Below, both are 0.",
                    ),
                    comparison(
                        Agreement::DoesNotMatch,
                        "0.41",
                        "0.20",
                        "The set has been revised.",
                    ),
                    comparison(Agreement::NotTested, "0.41", "-", "The set is not available."),
                ],
            ),
            section(
                "table",
                "A table",
                vec![Block::Table {
                    caption: text("Sets"),
                    header: row(&["set", "n", "d", "R\u{b2}"]),
                    rows: vec![
                        row(&["alon", "62", "2,000", "0.4359"]),
                        row(&["subramanian", "50", "10,100", "0.5511"]),
                        row(&["chin", "118", "22,215", "\u{2013}"]),
                    ],
                }],
            ),
            section(
                "details",
                "Details",
                vec![Block::Details { summary: text("How"), text: text("seed 1\ntrials 100") }],
            ),
        ],
    )
    .lead(vec![text("All numbers on this page are made up.")])
    .notices(vec![Notice::new(Level::Danger, "Not private: an evaluation.")])
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
        y_log: false,
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
