//! The data, figures and tables.

use dpsis::Result;
use dpsis::report::{Block, Level, Notice};
use dpsis_eval::internals::{number, short};

use crate::experiments::experiment::Experiment;
use crate::experiments::parts::{curves, figure, paragraph};
use crate::experiments::regression::BUDGETS;
use crate::experiments::regression::cells::{Cell, Cells, Setting};
use crate::experiments::regression::contenders::Contender;
use crate::experiments::regression::split::Kind;
use dpsis_eval::figure::{Curve, CurveChart, CurvePoint, HeatMap, Reference};

/// Writes cells to a file.
pub(super) fn write_data(experiment: &Experiment<'_>, name: &str, cells: &[Cell]) -> Result<()> {
    let header =
        ["table", "contender", "eps", "trials", "lower_quartile", "median", "upper_quartile"];
    let line = |cell: &Cell| {
        let names = [&*cell.table, cell.contender.name(), cell.epsilon].map(str::to_owned);
        let numbers = [cell.low, cell.median, cell.high].map(|value| format!("{value:.4}"));
        names.into_iter().chain([cell.trials.to_string()]).chain(numbers).collect()
    };
    let lines: Vec<Vec<String>> = cells.iter().map(line).collect();
    experiment.output.write_csv(name, &header, &lines)
}

/// The blocks on synthetic tables.
pub(super) fn synthetic(
    experiment: &Experiment<'_>,
    settings: &[Setting],
    cells: &[Cell],
) -> Result<Vec<Block>> {
    let mut blocks = vec![
        paragraph(
            "Normal features of correlation 0.5 to the power of the distance between columns, five of them true \
             (columns 1, 3, 5, 7 and 9); the variance of the signal is five times that of the noise, so that an R² of \
             0.83 is all there is; classes are the signs of such a target. Each trial makes a table, and each \
             contender a model from it at each total epsilon; all are tested on the same 2,000 other rows. Values and \
             targets are clipped at two standard deviations, treated as public knowledge, except where nothing is \
             given. Where a contender selects, it selects five features by 0.4 of epsilon. A prediction of the mean, or \
             of the larger class, measures 0. Figures show medians over tables, and between which values the middle half \
             lies.",
        ),
        paragraph(
            "The linear model is AdaSSP on integer sums, the logistic one output perturbation on the grid, both as in \
             the library and with the smallest noise that the budget allows; pure differential privacy except where a \
             delta is named. The two-stage method selects by votes of a LASSO (penalty 0.02) on as many blocks as the \
             square root of the number of rows, given; its second stage is objective perturbation, as published, which \
             has no exact law in floating-point numbers and is not for releases.",
        ),
    ];
    let results = Cells(cells);
    for setting in settings {
        let name = setting.name();
        let points = |contender| {
            let point = |cell: &Cell| CurvePoint {
                x: number(cell.epsilon),
                y: cell.median,
                low: cell.low,
                high: cell.high,
            };
            results.along(&name, contender).map(point).collect()
        };
        let drawn = Contender::ALL.into_iter().filter(|one| *one != Contender::PlainAll);
        let plain = results.median(&name, Contender::PlainAll, BUDGETS[0].total);
        let trials = results.0.iter().find(|cell| cell.table == name).map_or(0, |cell| cell.trials);
        let reference = |label: &str, y| Reference { label: label.to_owned(), y };
        let chart = CurveChart {
            title: format!("{name}; {trials} tables"),
            x_label: "total epsilon".to_owned(),
            y_label: setting.kind.measure().to_owned(),
            x_log: true,
            y_log: false,
            y_range: Some(match setting.kind {
                Kind::Number => (-0.25, 1.0),
                Kind::Classes => (-0.1, 0.4),
            }),
            curves: drawn
                .map(|contender| Curve {
                    label: contender.name().to_owned(),
                    points: points(contender),
                })
                .collect(),
            references: vec![
                reference(Contender::PlainAll.name(), plain),
                reference("no features", 0.0),
            ],
        };
        let id =
            format!("regression-{}-{}-{}", setting.kind.word(), setting.features, setting.rows);
        let caption = format!("{name}: medians, with the middle half of the tables.");
        blocks.push(curves(experiment, &id, &chart, &caption, "regression.csv")?);
    }
    blocks.extend(BUDGETS.iter().map(|budget| medians(settings, results, budget.total)));
    blocks.push(enough(settings, results));
    blocks.push(too_small(settings, results));
    Ok(blocks)
}

/// A measure as text. Below -1 a model is nothing but noise, so the value is not shown.
fn measured(value: f64) -> String {
    if value < -1.0 { "< -1".to_owned() } else { short(value) }
}

fn header(first: &str, contenders: &[Contender]) -> Vec<String> {
    std::iter::once(first)
        .chain(contenders.iter().map(|one| one.name()))
        .map(str::to_owned)
        .collect()
}

fn medians(settings: &[Setting], results: Cells<'_>, epsilon: &str) -> Block {
    let row = |setting: &Setting| {
        let name = setting.name();
        let medians = Contender::ALL.map(|one| measured(results.median(&name, one, epsilon)));
        std::iter::once(name).chain(medians).collect()
    };
    Block::Table {
        caption: format!("Medians at epsilon {epsilon}: R², or accuracy above the larger class."),
        header: header("table", &Contender::ALL),
        rows: settings.iter().map(row).collect(),
    }
}

fn private() -> Vec<Contender> {
    Contender::ALL.into_iter().filter(|one| one.is_private()).collect()
}

fn enough(settings: &[Setting], results: Cells<'_>) -> Block {
    let (largest, private) = (BUDGETS[BUDGETS.len() - 1].total, private());
    let row = |setting: &Setting| {
        let name = setting.name();
        let needed = |one: &Contender| {
            results.enough(&name, *one).map_or(format!("above {largest}"), str::to_owned)
        };
        std::iter::once(name.clone()).chain(private.iter().map(needed)).collect()
    };
    Block::Table {
        caption: "The smallest epsilon at which the median is half of that of the model on all features that is not \
                  private."
            .to_owned(),
        header: header("table", &private),
        rows: settings.iter().map(row).collect(),
    }
}

/// The budgets at which every private contender has less than half of the quality of the model on
/// all features that is not private.
fn too_small(settings: &[Setting], results: Cells<'_>) -> Block {
    let line = |setting: &Setting| {
        let name = setting.name();
        let private = private();
        let best = private.iter().filter_map(|one| results.enough(&name, *one));
        let best = best.min_by(|a, b| number(a).total_cmp(&number(b)));
        match best {
            Some(epsilon) if epsilon == BUDGETS[0].total => None,
            Some(epsilon) => Some(format!("{name}: below epsilon {epsilon}")),
            None => {
                Some(format!("{name}: at every epsilon up to {}", BUDGETS[BUDGETS.len() - 1].total))
            }
        }
    };
    let lines: Vec<String> = settings.iter().filter_map(line).collect();
    let text = match lines.is_empty() {
        true => {
            "On each of these tables some private contender reaches half of that at every epsilon."
                .to_owned()
        }
        false => format!(
            "Too few rows for every private contender, none of which reaches half of that: {}.",
            lines.join("; ")
        ),
    };
    Block::Notice(Notice::new(Level::Note, text))
}

/// The blocks on the public sets.
pub(super) fn sets(experiment: &Experiment<'_>, cells: &[Cell]) -> Result<Vec<Block>> {
    if cells.is_empty() {
        let none = "The public sets were not run: the data folder holds none of two classes.";
        return Ok(vec![Block::Notice(Notice::new(Level::Note, none.to_owned()))]);
    }
    let results = Cells(cells);
    let mut names: Vec<&str> = cells.iter().map(|cell| &*cell.table).collect();
    names.dedup();
    let map = HeatMap {
        title: "Private logistic models of gene expression, nothing given".to_owned(),
        x_label: "total epsilon".to_owned(),
        columns: BUDGETS.iter().map(|budget| budget.total.to_owned()).collect(),
        rows: names.iter().map(|name| (*name).to_owned()).collect(),
        values: names
            .iter()
            .map(|name| {
                let median = |epsilon| results.median(name, Contender::NothingGiven, epsilon);
                BUDGETS.iter().map(|budget| Some(median(budget.total))).collect()
            })
            .collect(),
        marked: Vec::new(),
        mark_label: String::new(),
        scale_label: "median accuracy above the larger class".to_owned(),
        diverging: true,
    };
    let mut blocks = vec![
        paragraph(
            "The public sets of two classes: 31 to 181 samples, two thirds of them for selection and model and the rest \
             for the test, dealt anew in each trial. Nothing is given of the features, so that the ranges of five \
             features are drawn by ten medians, which take about 156 samples at epsilon 10 and more below: more than \
             any of these sets has for the fit. A plain model of the same features, not private, shows what the \
             selection found.",
        ),
        figure(
            experiment,
            "regression-sets",
            map.svg()?,
            "Private selection and private model: median accuracy above the larger class of the tested rows.",
            "regression-sets.csv",
        )?,
    ];
    for epsilon in ["1", "10"] {
        let row = |name: &&str| {
            let medians = Contender::WIDE.map(|one| measured(results.median(name, one, epsilon)));
            std::iter::once((*name).to_owned()).chain(medians).collect()
        };
        blocks.push(Block::Table {
            caption: format!("Median accuracy above the larger class at epsilon {epsilon}."),
            header: header("set", &Contender::WIDE),
            rows: names.iter().map(row).collect(),
        });
    }
    let gains = |one: Contender| {
        let above = |name: &&&str| results.median(name, one, "10") > 0.02;
        names.iter().filter(above).count()
    };
    let best = [Contender::NothingGiven, Contender::DpKendall, Contender::TwoStage].map(gains);
    blocks.push(Block::Notice(Notice::new(
        Level::Warning,
        format!(
            "Fewer than 300 samples, which is too few for a private model by its noise. At epsilon 10 the median is above the \
             larger class by more than 0.02 on {} of {} sets for the library's selection and model, on {} after DPKendall, \
             on {} for the two-stage method.",
            best[0],
            names.len(),
            best[1],
            best[2]
        ),
    )));
    Ok(blocks)
}
