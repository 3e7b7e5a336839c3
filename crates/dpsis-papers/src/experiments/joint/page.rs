//! The data and the figures of the joint exponential mechanism.

use dpsis::Result;
use dpsis::report::{Block, Section};

use crate::experiments::experiment::Experiment;
use crate::experiments::joint::cells::{EPSILONS, ErrorCell, MECHANISMS, RunTime, TWO_SIDED};
use crate::experiments::joint::counts::K;
use crate::experiments::joint::statements::{gamma, grows, reverses, strongest};
use crate::experiments::parts::{curves, paragraph, row};
use dpsis_eval::figure::{Curve, CurveChart, CurvePoint};

const DATA: &str = "joint.csv";
const SECONDS_DATA: &str = "joint-seconds.csv";

/// Writes all cells, and the run times.
pub(super) fn write_data(
    experiment: &Experiment<'_>,
    cells: &[ErrorCell],
    seconds: &[RunTime],
) -> Result<()> {
    let line = |cell: &ErrorCell| {
        let mut line = row(&[cell.counts, &cell.d.to_string(), &K.to_string(), cell.epsilon]);
        line.extend([cell.mechanism.to_owned(), experiment.trials.to_string()]);
        line.extend([cell.error.mean, cell.error.error].map(|number| format!("{number:.4}")));
        line
    };
    let header =
        ["counts", "d", "k", "epsilon", "mechanism", "trials", "l_infinity", "standard_error"];
    let lines: Vec<_> = cells.iter().map(line).collect();
    experiment.output.write_csv(DATA, &header, &lines)?;
    let line = |s: &RunTime| {
        row(&[s.mechanism, &s.d.to_string(), &s.k.to_string(), &format!("{:.6}", s.median)])
    };
    let lines: Vec<_> = seconds.iter().map(line).collect();
    experiment.output.write_csv(SECONDS_DATA, &["mechanism", "d", "k", "seconds"], &lines)
}

/// The section of the page.
pub(super) fn section(
    experiment: &Experiment<'_>,
    cells: &[ErrorCell],
    seconds: &[RunTime],
    ratings: &'static str,
) -> Result<Section> {
    let mut blocks = vec![paragraph(
        "Items are counted; a user adds at most 1 to each count (sensitivity 1, monotonic). The \
         error of k private items is the largest difference between the k largest counts and the \
         counts of the items, both in descending order (definition 1 of the paper); k = 5. \
         joint-set is the paper's mechanism, joint its successor over sequences (2022), and \
         joint-pnf the same with permute-and-flip. laplace is run at the scale k/eps that suffices \
         for monotonic counts, and at the paper's 2k/eps.",
    )];
    if ratings != "MovieLens" {
        blocks.push(paragraph(
            "No MovieLens u.data was given. It is replaced by 1,682 counts by the Zipf-Mandelbrot \
             law, 583 * 51/(50 + rank), about 100,000 in total. Its low counts have ties, which \
             the paper excludes; the mechanisms here do not need distinct counts.",
        ));
    }
    for (counts, file, words) in [
        ("uniform", "uniform", "Counts uniform on 0 to 10 d"),
        (ratings, "ratings", "Counts of the d most rated items"),
    ] {
        for epsilon in EPSILONS {
            let chart = CurveChart {
                title: format!(
                    "{words} ({counts}), epsilon {epsilon}, {} trials",
                    experiment.trials
                ),
                x_label: "number of items d".into(),
                y_label: "log10(1 + L-infinity error in counts)".into(),
                x_log: true,
                y_log: false,
                y_range: None,
                curves: MECHANISMS.map(|id| error_curve(cells, counts, epsilon, id)).to_vec(),
                references: Vec::new(),
            };
            let name = format!("joint-{file}-{epsilon}");
            let caption = "Mean errors with 95% bands, on a logarithmic scale.";
            blocks.push(curves(experiment, &name, &chart, caption, DATA)?);
        }
    }
    blocks.push(error_table(cells));
    blocks.extend([strongest(cells), reverses(cells), gamma(cells)]);
    blocks.push(paragraph(
        "Run times were measured in this run, one draw at a time on one thread; they differ from \
         run to run. A mechanism whose median exceeded 0.4 seconds was skipped for larger d and k.",
    ));
    let fixed = [("d", "number of items d (k = 5)"), ("k", "number of picks k (d = 10,000)")];
    for (axis, x_label) in fixed {
        let chart = CurveChart {
            title: format!("Run time against {axis}: uniform counts, epsilon 1"),
            x_label: x_label.into(),
            y_label: "milliseconds".into(),
            x_log: true,
            y_log: true,
            y_range: None,
            curves: time_curves(seconds, axis),
            references: Vec::new(),
        };
        let caption = "Medians of up to 15 draws, measured on this machine.";
        blocks.push(curves(
            experiment,
            &format!("joint-seconds-{axis}"),
            &chart,
            caption,
            SECONDS_DATA,
        )?);
    }
    blocks.push(grows(seconds));
    Ok(Section::new("joint", "Joint exponential mechanism", blocks))
}

fn error_curve(cells: &[ErrorCell], counts: &str, epsilon: &str, mechanism: &str) -> Curve {
    let is = |cell: &&ErrorCell| {
        (cell.counts, cell.epsilon, cell.mechanism) == (counts, epsilon, mechanism)
    };
    let scale = |error: f64| error.max(0.0).ln_1p() / std::f64::consts::LN_10;
    let point = |cell: &ErrorCell| {
        let (low, high) = cell.error.band();
        let y = scale(cell.error.mean);
        CurvePoint { x: cell.d as f64, y, low: scale(low), high: scale(high) }
    };
    Curve { label: mechanism.into(), points: cells.iter().filter(is).map(point).collect() }
}

fn time_curves(seconds: &[RunTime], axis: &str) -> Vec<Curve> {
    let curve = |mechanism: &'static str| {
        let is = |s: &&RunTime| {
            s.mechanism == mechanism && if axis == "d" { s.k == K } else { s.d == 10_000 }
        };
        let point = |s: &RunTime| {
            let x = if axis == "d" { s.d } else { s.k } as f64;
            let y = s.median * 1000.0;
            CurvePoint { x, y, low: y, high: y }
        };
        Curve { label: mechanism.into(), points: seconds.iter().filter(is).map(point).collect() }
    };
    MECHANISMS.into_iter().filter(|name| *name != TWO_SIDED).map(curve).collect()
}

fn error_table(cells: &[ErrorCell]) -> Block {
    let mut header = row(&["counts", "d", "epsilon"]);
    header.extend(MECHANISMS.map(String::from));
    let rows = cells.chunks(MECHANISMS.len()).map(|cells| {
        let mut line = row(&[cells[0].counts, &cells[0].d.to_string(), cells[0].epsilon]);
        line.extend(cells.iter().map(|cell| format!("{:.1}", cell.error.mean)));
        line
    });
    Block::Table { caption: "Mean L-infinity error.".into(), rows: rows.collect(), header }
}
