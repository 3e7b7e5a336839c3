//! Fully private pipelines compared with the DP-SIS paper's preprocessing, which is not private,
//! and the two-stage method, at equal total epsilon.

use dpsis::Result;
use dpsis::report::{Block, Section};

use crate::arm::{Arm, ArmScale};
use crate::cells_file::CellsFile;
use crate::charts::{along, area_of, short};
use crate::compare::run_cells;
use crate::experiments::experiment::Experiment;
use crate::experiments::parts::figure;
use crate::experiments::sets::{Sets, not_run};
use crate::figure::HeatMap;
use crate::sweep::{ComparisonCell, ComparisonCells, Count, Sweep};

const K: Count = Count::Number(5);
const TITLE: &str = "Fully private pipelines and the paper's preprocessing";

/// The method, the scale, whether class labels are treated as numbers, and the name of each
/// pipeline.
const ARMS: [(&str, ArmScale, bool, &str); 6] = [
    ("dp-sis", ArmScale::Paper, false, "DP-SIS, paper"),
    ("two-stage", ArmScale::Paper, false, "two-stage, paper"),
    ("dp-sis", ArmScale::RowRank, true, "row ranks"),
    ("dp-sis", ArmScale::PooledQuantiles, true, "one pair of bounds"),
    ("dp-sis", ArmScale::OtherHalf(1.0), true, "bounds at 1 sd"),
    ("dp-sis", ArmScale::RowRank, false, "row ranks, classes"),
];

pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let sets = Sets::all(experiment)?;
    if sets.present.is_empty() {
        return Ok(not_run("pipelines", TITLE, &sets));
    }
    let sweep = Sweep {
        arms: ARMS
            .iter()
            .map(|(method, scale, ordered, _)| {
                let arm = Arm::parse(method, scale.clone());
                arm.map(|arm| if *ordered { arm.ordered() } else { arm })
            })
            .collect::<Result<_>>()?,
        counts: vec![K],
        epsilons: (1..=10).map(|epsilon| epsilon.to_string().parse()).collect::<Result<_>>()?,
        trials: experiment.trials,
        seed: experiment.seed,
        threads: experiment.threads,
    };
    let file =
        CellsFile::new(experiment.output.path(), "pipelines", experiment.seed, experiment.trials);
    let progress = |share| (experiment.progress)("pipelines", share);
    let cells = run_cells(&sweep, &sets.studies(), &file, &progress)?;
    let names: Vec<String> = sets.present.iter().map(|set| set.name.clone()).collect();
    let mut blocks = vec![Block::Paragraph(
        "Three pipelines whose every step is within the budget, at the same total epsilon as \
         DP-SIS and the two-stage method after the paper's preprocessing (columns and target \
         centered and scaled by the data, outside of any budget: not private); k = 5, epsilon 1 to \
         10. Row ranks need no information on the features. One pair of bounds: the 1% and 99% \
         quantiles of all values of the set, treated as public knowledge. Bounds at 1 sd: one \
         standard deviation around each feature's mean in the other half of the samples, treated \
         as a public reference; selections are from all samples. Class labels are treated as \
         numbers in alphabetical order with public bounds, as in the LASSO; in the last column \
         they are classes, as in a selection by stated classes. Areas are means over epsilon; an agreement of \
         1 would mean all five features at every epsilon."
            .to_owned(),
    )];
    let measures: [(&str, &str, CellValue); 2] = [
        ("agreement", "agreement with the LASSO's top five", |cell| cell.lasso.mean),
        ("lift", "cross-validated accuracy above the most frequent class", ComparisonCell::lift),
    ];
    for (id, words, of) in measures {
        let by_set: Vec<Vec<f64>> = names
            .iter()
            .map(|set| sweep.arms.iter().map(|arm| area_of_arm(&cells, set, arm, of)).collect())
            .collect();
        let mean = |arm: usize| {
            by_set.iter().map(|row| row[arm]).sum::<f64>() / by_set.len().max(1) as f64
        };
        let means: Vec<f64> = (0..ARMS.len()).map(mean).collect();
        let mut rows: Vec<Vec<String>> = names
            .iter()
            .zip(&by_set)
            .map(|(name, row)| {
                std::iter::once(name.clone()).chain(row.iter().map(|area| short(*area))).collect()
            })
            .collect();
        let line = |name: &str, numbers: &dyn Fn(usize) -> f64| -> Vec<String> {
            let numbers = (0..ARMS.len()).map(|arm| short(numbers(arm)));
            std::iter::once(name.to_owned()).chain(numbers).collect()
        };
        rows.push(line("mean", &|arm| means[arm]));
        rows.push(line("mean, as a multiple of the paper's", &|arm| means[arm] / means[0]));
        let header: Vec<String> =
            std::iter::once("set").chain(ARMS.iter().map(|arm| arm.3)).map(str::to_owned).collect();
        let columns: Vec<&str> = header.iter().map(|name| &**name).collect();
        experiment.output.write_csv(&format!("pipelines-{id}.csv"), &columns, &rows)?;
        let map = HeatMap {
            title: format!("Area under the curve of {words}, epsilon 1 to 10"),
            x_label: "pipeline".to_owned(),
            columns: header[1..].to_vec(),
            rows: names.clone(),
            values: by_set.iter().map(|row| row.iter().map(|area| Some(*area)).collect()).collect(),
            marked: Vec::new(),
            mark_label: String::new(),
            scale_label: words.to_owned(),
            diverging: false,
        };
        let behind = names.iter().zip(&by_set).filter(|(_, row)| row[2] < row[0] - 0.005);
        let behind: Vec<&str> = behind.map(|(name, _)| &**name).collect();
        blocks.push(Block::Table { caption: format!("Areas: {words}"), header, rows });
        blocks.push(Block::Paragraph(format!(
            "Row ranks reach {} times the area of the paper's preprocessing on average. They are \
             behind by more than 0.005 on: {}.",
            short(means[2] / means[0]),
            if behind.is_empty() { "no set".to_owned() } else { behind.join(", ") }
        )));
        let caption = format!("Areas by set and pipeline: {words}.");
        let (name, data) = (format!("pipelines-{id}"), format!("pipelines-{id}.csv"));
        blocks.push(figure(experiment, &name, map.svg()?, &caption, &data)?);
    }
    blocks.extend(sets.skipped());
    Ok(Section::new("pipelines", TITLE, blocks))
}

/// A value of a cell.
type CellValue = fn(&ComparisonCell) -> f64;

fn area_of_arm(cells: &ComparisonCells, set: &str, arm: &Arm, of: CellValue) -> f64 {
    let (count, method, scale) = (K.to_string(), arm.name(), arm.scale_name());
    area_of(&along(cells, (set, &count, &method, &scale)), of)
}
