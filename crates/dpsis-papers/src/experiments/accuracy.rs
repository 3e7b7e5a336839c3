//! Figures 2 to 5 of the DP-SIS paper: DP-SIS and the two-stage method against epsilon. Figures 6
//! to 8 share parts of it.

use dpsis::report::{Agreement, Block, Section};
use dpsis::{Result, Target};
use dpsis_eval::internals::{CellsFile, Measure, PENALTY, along, curve_chart, run_cells, short};
use dpsis_eval::{
    Arm, ArmScale, ComparisonCell, ComparisonCells, Count, Estimate, LazyStudy, Settled, Study,
    Sweep,
};

use crate::experiments::experiment::Experiment;
use crate::experiments::parts;
use crate::experiments::sets::Sets;
use dpsis_eval::design;

/// The total budgets.
pub(super) const EPSILONS: [&str; 11] =
    ["0.1", "0.2", "0.5", "1", "2", "3", "5", "7", "10", "15", "20"];
/// The source of the statements about the figures.
pub(super) const SOURCE: &str = "DP-SIS paper, section 5";

/// The z above which two means differ significantly: 5%, two-sided, for a single comparison.
pub(super) const SIGNIFICANT: f64 = 1.96;

pub(super) fn fig2(experiment: &Experiment<'_>) -> Result<Section> {
    on_a_set(
        experiment,
        "fig2",
        "christensen",
        "DP-SIS outperforms the two-stage mechanism on ε values \
        between 10^0 and 10^1.",
        (1.0, 10.0),
    )
}

pub(super) fn fig3(experiment: &Experiment<'_>) -> Result<Section> {
    on_a_set(
        experiment,
        "fig3",
        "sorlie",
        "DP-SIS outperforms the two-stage mechanism on ε values greater \
        than 10^0.",
        (1.0, f64::INFINITY),
    )
}

pub(super) fn fig4(experiment: &Experiment<'_>) -> Result<Section> {
    on_a_set(
        experiment,
        "fig4",
        "yeoh",
        "DP-SIS outperforms the two-stage mechanism on ε values greater \
        than 2 × 10^0.",
        (2.0, f64::INFINITY),
    )
}

/// Figure 5: the synthetic set.
pub(super) fn fig5(experiment: &Experiment<'_>) -> Result<Section> {
    let seed = experiment.seed;
    let read = move || {
        let synthetic = design::fan_lv(seed);
        let mut truth: Vec<usize> = (0..synthetic.weights.len()).collect();
        let size = |feature: &usize| synthetic.weights[*feature].abs();
        truth.retain(|feature| size(feature) > 0.0);
        truth.sort_by(|a, b| size(b).total_cmp(&size(a)));
        let settled = Settled::of(synthetic.table(), Target::Numeric)?;
        Ok(Study::new("synthetic", settled, PENALTY, seed)?.with_truth(truth))
    };
    let (name, data) = ("synthetic".to_owned(), format!("seed {seed}"));
    let table = LazyStudy { name, data, read: Box::new(read) };
    let counts = [Count::Number(5), Count::Number(8)];
    let cells = cells(experiment, &[table], &counts, &[ArmScale::Paper], &["dp-sis", "two-stage"])?;
    let statement = "DP-SIS outperforms the two-stage mechanism on ε values greater than 10^1.";
    accuracy_section(
        experiment,
        &cells,
        "fig5",
        "synthetic",
        &counts,
        statement,
        (10.0, f64::INFINITY),
    )
}

/// Runs the cells of some methods; all figures share one file of cells.
pub(super) fn cells(
    experiment: &Experiment<'_>,
    tables: &[LazyStudy<'_>],
    counts: &[Count],
    scales: &[ArmScale],
    methods: &[&str],
) -> Result<ComparisonCells> {
    let mut arms = Vec::new();
    for scale in scales {
        for method in methods {
            arms.push(Arm::parse(method, scale.clone())?);
        }
    }
    let sweep = Sweep {
        arms,
        counts: counts.to_vec(),
        epsilons: EPSILONS.iter().map(|text| text.parse()).collect::<Result<_>>()?,
        trials: experiment.trials,
        seed: experiment.seed,
        threads: experiment.threads,
    };
    let file =
        CellsFile::new(experiment.output.path(), "accuracy", experiment.seed, experiment.trials)?;
    run_cells(&sweep, tables, &file, &|share| {
        (experiment.progress)("accuracy", share);
        Ok(())
    })
}

fn on_a_set(
    experiment: &Experiment<'_>,
    figure: &str,
    set: &str,
    statement: &str,
    range: (f64, f64),
) -> Result<Section> {
    let sets = Sets::named(experiment, &[set])?;
    let counts = [Count::Number(5), Count::Log];
    if let Some(skipped) = sets.skipped() {
        return Ok(section(figure, set, vec![untested(statement), skipped]));
    }
    let scales = [ArmScale::Paper, ArmScale::Range];
    let cells = cells(experiment, &sets.studies(), &counts, &scales, &["dp-sis", "two-stage"])?;
    accuracy_section(experiment, &cells, figure, set, &counts, statement, range)
}

pub(super) fn section(figure: &str, set: &str, blocks: Vec<Block>) -> Section {
    let number = figure.trim_start_matches("fig");
    Section::new(figure, format!("Figure {number}: {set}"), blocks)
}

pub(super) fn untested(statement: &str) -> Block {
    Block::Comparison {
        statement: statement.to_owned(),
        source: SOURCE.to_owned(),
        paper: "a figure".to_owned(),
        ours: "not run".to_owned(),
        agreement: Agreement::NotTested,
        note: String::new(),
    }
}

/// The section for one set: accuracy against epsilon, and whether DP-SIS is ahead at the budgets
/// for which the paper claims it.
fn accuracy_section(
    experiment: &Experiment<'_>,
    cells: &ComparisonCells,
    figure: &str,
    set: &str,
    counts: &[Count],
    statement: &str,
    range: (f64, f64),
) -> Result<Section> {
    let mut blocks = Vec::new();
    let mut arms: Vec<(String, String)> = Vec::new();
    for key in cells.keys() {
        let arm = (key.method.clone(), key.scale.clone());
        if !arms.contains(&arm) {
            arms.push(arm);
        }
    }
    for count in counts {
        let count = count.to_string();
        let scale = ArmScale::Paper;
        let pairs = pairs(cells, set, &count, &scale);
        let within = |epsilon: f64| epsilon >= range.0 && epsilon <= range.1;
        let tested: Vec<_> = pairs.iter().filter(|(epsilon, ..)| within(*epsilon)).collect();
        let ahead = tested.iter().filter(|(_, sis, two)| sis.z(two) > SIGNIFICANT).count();
        let behind = tested.iter().filter(|(_, sis, two)| sis.z(two) < -SIGNIFICANT).count();
        let agreement = match (ahead, behind) {
            (0, 0) => Agreement::Undecided,
            (0, _) => Agreement::DoesNotMatch,
            (_, 0) => Agreement::Matches,
            _ => Agreement::Partly,
        };
        let line = |(epsilon, sis, two): &(f64, Estimate, Estimate)| {
            format!("{epsilon}: {} / {}", short(sis.mean), short(two.mean))
        };
        let shown =
            pairs.iter().filter(|(epsilon, ..)| [1.0, 2.0, 5.0, 10.0, 20.0].contains(epsilon));
        let shown: Vec<String> = shown.map(line).collect();
        blocks.push(Block::Comparison {
            statement: statement.to_owned(),
            source: SOURCE.to_owned(),
            paper: "a figure".to_owned(),
            ours: format!("k = {count}, epsilon: DP-SIS / two-stage: {}", shown.join("; ")),
            agreement,
            note: format!(
                "Significantly ahead (5%, two-sided) at {ahead} of {} epsilons of that range, behind at \
                 {behind}. A match: ahead somewhere, behind nowhere. Truth: {}; scale: the paper's. By the \
                 accuracy of a plain model two-stage is significantly ahead at: {}.",
                tested.len(),
                if set == "synthetic" { "the true weights" } else { "the LASSO's largest coefficients" },
                behind_by_model(cells, set, &count)
            ),
        });
        for measure in [Measure::Lasso, Measure::Overlap, Measure::Model] {
            let title = format!("{set}, k = {count}");
            let mut chart = curve_chart(cells, (set, &count), &arms, measure, title);
            if set == "synthetic" && measure == Measure::Lasso {
                "share of the true top k that is picked".clone_into(&mut chart.y_label);
            }
            let name = format!("{figure}-k{count}-{}", measure.id());
            let caption = format!("{set}, k = {count}: {} against epsilon.", chart.y_label);
            let data = format!("{figure}.csv");
            blocks.push(parts::curves(experiment, &name, &chart, &caption, &data)?);
        }
    }
    write_cells(experiment, figure, cells, |table| table == set)?;
    Ok(section(figure, set, blocks))
}

/// Lists the epsilons at which a plain model on the picks of the two-stage method is significantly
/// better.
fn behind_by_model(cells: &ComparisonCells, set: &str, count: &str) -> String {
    let pairs = pairs_of(cells, set, count, &ArmScale::Paper, |cell| cell.model);
    let behind = pairs.iter().filter(|(_, sis, two)| sis.z(two) < -SIGNIFICANT);
    let epsilons: Vec<String> = behind.map(|(epsilon, ..)| epsilon.to_string()).collect();
    if epsilons.is_empty() { "no epsilon".to_owned() } else { epsilons.join(", ") }
}

/// The agreement of DP-SIS and of the two-stage method with the true features, by epsilon.
pub(super) fn pairs(
    cells: &ComparisonCells,
    set: &str,
    count: &str,
    scale: &ArmScale,
) -> Vec<(f64, Estimate, Estimate)> {
    pairs_of(cells, set, count, scale, |cell| cell.lasso)
}

fn pairs_of(
    cells: &ComparisonCells,
    set: &str,
    count: &str,
    scale: &ArmScale,
    of_cell: impl Fn(&ComparisonCell) -> Estimate,
) -> Vec<(f64, Estimate, Estimate)> {
    let of = |method: &str| -> Vec<(f64, &ComparisonCell)> {
        let name = Arm::parse(method, scale.clone()).map_or(String::new(), |arm| arm.scale_name());
        along(cells, (set, count, method, &name))
    };
    let both = of("dp-sis").into_iter().zip(of("two-stage"));
    both.map(|((epsilon, sis), (_, two))| (epsilon, of_cell(sis), of_cell(two))).collect()
}

pub(super) fn write_cells(
    experiment: &Experiment<'_>,
    name: &str,
    cells: &ComparisonCells,
    of: impl Fn(&str) -> bool,
) -> Result<()> {
    let header = ["set", "method", "scale", "k", "eps", "lasso", "low", "high", "overlap", "model"];
    let row = |(key, cell): (&dpsis_eval::CellKey, &ComparisonCell)| {
        let (low, high) = cell.lasso.band();
        let mut row = vec![
            key.table.clone(),
            key.method.clone(),
            key.scale.clone(),
            cell.k.to_string(),
            key.epsilon.clone(),
        ];
        let numbers = [cell.lasso.mean, low, high, cell.overlap.mean, cell.model.mean];
        row.extend(numbers.map(|number| number.to_string()));
        row
    };
    let rows: Vec<Vec<String>> = cells.iter().filter(|(key, _)| of(&key.table)).map(row).collect();
    experiment.output.write_csv(&format!("{name}.csv"), &header, &rows)
}
