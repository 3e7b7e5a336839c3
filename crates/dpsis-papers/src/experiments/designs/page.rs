//! The data and the figures of the synthetic designs.

use dpsis::Result;
use dpsis::report::{Block, Section};

use crate::experiments::designs::cells::{
    CLIPS, DESIGNS, DesignArm, DesignCell, EPSILONS, FEATURES, MECHANISMS, SIZES, WITHOUT, arms,
};
use crate::experiments::designs::rows_needed::{DesignCells, LEVEL, words};
use crate::experiments::designs::statements::comparisons;
use crate::experiments::experiment::Experiment;
use crate::experiments::parts::{curves, figure, paragraph, row, share_at};
use dpsis_eval::figure::{Curve, CurveChart, HeatMap, Reference};

const DATA: &str = "designs.csv";

/// Writes all cells, and the number of rows that each arm needs.
pub(super) fn write_data(experiment: &Experiment<'_>, cells: &[DesignCell]) -> Result<()> {
    let line = |cell: &DesignCell| {
        let arm = &cell.arm;
        let mut line =
            vec![cell.design.to_owned(), cell.features.to_string(), arm.clip.to_string()];
        line.extend(row(&[arm.mechanism, arm.epsilon]));
        line.extend([cell.n.to_string(), experiment.trials.to_string()]);
        let numbers = [cell.f1.mean, cell.f1.error, cell.exact.mean, cell.exact.error];
        line.extend(numbers.map(|number| format!("{number:.4}")));
        line
    };
    let header = [
        "design",
        "features",
        "clip",
        "mechanism",
        "epsilon",
        "n",
        "trials",
        "f1",
        "f1_error",
        "exact",
        "exact_error",
    ];
    let lines: Vec<_> = cells.iter().map(line).collect();
    experiment.output.write_csv(DATA, &header, &lines)?;
    let header =
        ["design", "features", "clip", "mechanism", "epsilon", "rows_for_90_percent_exact"];
    let mut lines = Vec::new();
    for design in DESIGNS {
        for features in FEATURES {
            for arm in arms(design, features) {
                let rows = DesignCells(cells).rows(design, features, arm);
                let rows = rows.map_or(String::new(), |rows| format!("{rows:.0}"));
                let mut line = row(&[design, &features.to_string(), &arm.clip.to_string()]);
                line.extend(row(&[arm.mechanism, arm.epsilon, &rows]));
                lines.push(line);
            }
        }
    }
    experiment.output.write_csv("designs-rows.csv", &header, &lines)
}

/// The section of the page.
pub(super) fn section(experiment: &Experiment<'_>, cells: &[DesignCell]) -> Result<Section> {
    let results = DesignCells(cells);
    let mut blocks = vec![
        paragraph(
            "Gaussian features, five of them true (columns 1, 3, 5, 7 and 9) with coefficients of \
             equal magnitude; the variance of the signal is five times that of the noise; k = 5. \
             Correlations are 0.1, 0.5 or 0.9 to the power of the distance between columns, or 0.5 \
             between any two columns with coefficients of both signs. Values and target are \
             clipped at a number of their known standard deviations around 0; these bounds and the \
             center are public and cost no budget. Neighboring tables differ by adding or removing \
             one row.",
        ),
        paragraph(&format!(
            "The number of rows is that at which 90% of runs find exactly the true features, \
             interpolated between the sizes measured after isotonic regression of the shares. With \
             {} trials a share of 0.9 has a standard error of {:.2}; a standard error of 0.03, \
             that of 100 trials, changes the number of rows by a few percent.",
            experiment.trials,
            (0.09 / experiment.trials as f64).sqrt()
        )),
    ];
    let trials = experiment.trials;
    for features in FEATURES {
        let chart = CurveChart {
            title: format!(
                "Exact support: AR 0.1, {features} features, epsilon 1, {trials} trials"
            ),
            x_label: "rows".into(),
            y_label: "share of runs with exact support".into(),
            x_log: true,
            y_log: false,
            y_range: Some((0.0, 1.0)),
            curves: exact_curves(results, features),
            references: vec![Reference { label: "90%".into(), y: LEVEL }],
        };
        let caption = "Exact recovery by mechanism and clip (in standard deviations), 95% bands.";
        blocks.push(curves(
            experiment,
            &format!("designs-exact-{features}"),
            &chart,
            caption,
            DATA,
        )?);
        let chart = CurveChart {
            title: format!(
                "F1 of canonical, epsilon 1, and without privacy: {features} features, clip 0.5, \
                 {trials} trials"
            ),
            x_label: "rows".into(),
            y_label: "F1".into(),
            x_log: true,
            y_log: false,
            y_range: Some((0.0, 1.0)),
            curves: f1_curves(results, features),
            references: vec![Reference { label: "F1 0.60".into(), y: 0.6 }],
        };
        let caption = "Where correlations mislead, screening one feature at a time fails even \
             without privacy, and more rows do not help. AR 0.5 lies between: the outermost true \
             feature has hardly more covariance with the target than the features between true \
             ones, so that many rows are needed to distinguish them.";
        blocks.push(curves(experiment, &format!("designs-f1-{features}"), &chart, caption, DATA)?);
    }
    let caption = "Canonical by number of rows and epsilon: AR 0.1, 100 features, clip 0.5.";
    let svg = epsilon_map(results).svg()?;
    blocks.push(figure(experiment, "designs-epsilon", svg, caption, DATA)?);
    blocks.push(table(results));
    blocks.extend(comparisons(results));
    Ok(Section::new("designs", "Synthetic designs: rows needed", blocks))
}

fn exact_curves(results: DesignCells<'_>, features: usize) -> Vec<Curve> {
    let mut curves = Vec::new();
    for (mechanism, epsilon) in MECHANISMS.map(|id| (id, "1")).into_iter().chain([(WITHOUT, "")]) {
        for clip in CLIPS {
            let cells = results.of(DESIGNS[0], features, DesignArm { clip, mechanism, epsilon });
            curves.push(Curve {
                label: format!("{mechanism}, clip {clip}"),
                points: cells.map(|cell| share_at(cell.n as f64, &cell.exact)).collect(),
            });
        }
    }
    curves
}

fn f1_curves(results: DesignCells<'_>, features: usize) -> Vec<Curve> {
    let mut curves = Vec::new();
    for (mechanism, epsilon) in [("canonical", "1"), (WITHOUT, "")] {
        for design in DESIGNS {
            let cells = results.of(design, features, DesignArm { clip: 0.5, mechanism, epsilon });
            curves.push(Curve {
                label: format!("{design}: {mechanism}"),
                points: cells.map(|cell| share_at(cell.n as f64, &cell.f1)).collect(),
            });
        }
    }
    curves
}

fn epsilon_map(results: DesignCells<'_>) -> HeatMap {
    let epsilons = ["0.5", "1", "2", "5", "10"];
    let values = epsilons.map(|epsilon| {
        let arm = DesignArm { clip: 0.5, mechanism: "canonical", epsilon };
        let shares = results.of(DESIGNS[0], FEATURES[0], arm).filter(|cell| cell.n <= 1300);
        shares.map(|cell| Some(cell.exact.mean)).collect::<Vec<_>>()
    });
    let shown = SIZES.iter().filter(|n| **n <= 1300);
    HeatMap {
        title: "Exact support by rows and epsilon: canonical, AR 0.1, 100 features".into(),
        x_label: "rows".into(),
        columns: shown.map(usize::to_string).collect(),
        rows: epsilons.map(|epsilon| format!("epsilon {epsilon}")).to_vec(),
        values: values.to_vec(),
        marked: Vec::new(),
        mark_label: String::new(),
        scale_label: "share of runs".into(),
        diverging: false,
    }
}

fn table(results: DesignCells<'_>) -> Block {
    let mut header = row(&["design", "features", "clip"]);
    for epsilon in EPSILONS {
        header.extend(MECHANISMS.map(|mechanism| format!("{mechanism}, eps {epsilon}")));
    }
    header.push(WITHOUT.into());
    let mut rows = Vec::new();
    for features in FEATURES {
        for design in DESIGNS {
            for clip in CLIPS {
                let mut line = row(&[design, &features.to_string(), &format!("{clip} sd")]);
                let needed = |mechanism, epsilon| {
                    words(
                        results.rows(design, features, DesignArm { clip, mechanism, epsilon }),
                        features,
                    )
                };
                for epsilon in EPSILONS {
                    line.extend(MECHANISMS.map(|mechanism| needed(mechanism, epsilon)));
                }
                line.push(needed(WITHOUT, ""));
                rows.push(line);
            }
        }
    }
    Block::Table {
        caption: "Number of rows for exact support in 90% of runs.".into(),
        header,
        rows,
    }
}
