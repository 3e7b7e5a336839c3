//! Fully private pipelines compared with the DP-SIS paper's preprocessing, which is not private,
//! and the two-stage method, at equal total epsilon.

mod areas;
mod held_out;
mod statements;

use dpsis::Result;
use dpsis::report::{Block, Section};
use dpsis_eval::internals::{CellsFile, along, area_of, run_cells};
use dpsis_eval::{Arm, ArmScale, ComparisonCell, ComparisonCells, Count, LazyStudy, Sweep};

use crate::experiments::experiment::Experiment;
use crate::experiments::parts::paragraph;
use crate::experiments::pipelines::areas::Areas;
use crate::experiments::sets::{Sets, not_run};

const K: Count = Count::Number(5);
const TITLE: &str = "Fully private pipelines and the paper's preprocessing";

/// A method with its scale, under the name of its column.
struct Pipeline {
    name: &'static str,
    method: &'static str,
    scale: ArmScale,
    /// Whether class labels are treated as numbers.
    ordered: bool,
}

impl Pipeline {
    fn arm(&self) -> Result<Arm> {
        let arm = Arm::parse(self.method, self.scale.clone())?;
        Ok(if self.ordered { arm.ordered() } else { arm })
    }
}

const PAPER: &str = "DP-SIS, paper";
const ROW_RANKS: &str = "row ranks";
const DEFAULT: &str = "default";
const ROW_RANKS_OF_CLASSES: &str = "row ranks, classes";
const DEFAULT_OF_CLASSES: &str = "default, classes";

const fn of(name: &'static str, method: &'static str, scale: ArmScale, ordered: bool) -> Pipeline {
    Pipeline { name, method, scale, ordered }
}

static PIPELINES: [Pipeline; 8] = [
    of(PAPER, "dp-sis", ArmScale::Paper, false),
    of("two-stage, paper", "two-stage", ArmScale::Paper, false),
    of(ROW_RANKS, "dp-sis", ArmScale::RowRank, true),
    of(DEFAULT, "dp-sis", ArmScale::Default, true),
    of("one pair of bounds", "dp-sis", ArmScale::PooledQuantiles, true),
    of("bounds at 1 sd", "dp-sis", ArmScale::OtherHalf(1.0), true),
    of(ROW_RANKS_OF_CLASSES, "dp-sis", ArmScale::RowRank, false),
    of(DEFAULT_OF_CLASSES, "dp-sis", ArmScale::Default, false),
];

/// The sets that pipelines are compared on.
struct Tables<'a> {
    /// The name and the number of classes of each.
    sets: Vec<(String, usize)>,
    /// Each set, with models cross-validated on all of its rows.
    whole: Vec<LazyStudy<'a>>,
    /// Each set and fold, with models tested on rows that took no part in the selection.
    held_out: Vec<LazyStudy<'a>>,
}

pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let sets = Sets::all(experiment)?;
    if sets.present.is_empty() {
        return Ok(not_run("pipelines", TITLE, &sets));
    }
    let tables = Tables {
        sets: sets.present.iter().map(|set| (set.name.clone(), set.classes.len())).collect(),
        whole: sets.studies(),
        held_out: sets.held_out(),
    };
    let mut blocks = compared(experiment, &tables)?;
    blocks.extend(sets.skipped());
    Ok(Section::new("pipelines", TITLE, blocks))
}

fn compared(experiment: &Experiment<'_>, tables: &Tables<'_>) -> Result<Vec<Block>> {
    let pipelines: Vec<&Pipeline> = PIPELINES.iter().collect();
    let cells = swept(experiment, &pipelines, &tables.whole, "pipelines")?;
    let names: Vec<String> = tables.sets.iter().map(|(name, _)| name.clone()).collect();
    let areas = |of: CellValue| -> Result<Areas> {
        Areas::of(&names, &pipelines, |set, arm| area_of_arm(&cells, set, arm, of))
    };
    let (agreement, lift) = (areas(|cell| cell.lasso.mean)?, areas(ComparisonCell::lift)?);

    let mut blocks = vec![
        paragraph(
            "Pipelines whose every step is within the budget, at the same total epsilon as DP-SIS \
             and the two-stage method after the paper's preprocessing (columns and target centered \
             and scaled by the data, outside of any budget: not private); k = 5, epsilon 1 to 10. \
             The default is what select does when nothing is given about the features: the \
             Kolmogorov-Smirnov score, with 5% of epsilon for the center of the target and 10% for \
             effect sizes, which the others do not release. Row ranks need no \
             information on the features either. One pair of bounds: the 1% and 99% quantiles of \
             all values of the set, treated as public knowledge. Bounds at 1 sd: one standard \
             deviation around each feature's mean in the other half of the samples, treated as a \
             public reference; selections are from all samples. Class labels are treated as \
             numbers in alphabetical order with public bounds, as in the LASSO; in the last two \
             columns they are classes, as in a selection by given classes. Areas are means over \
             epsilon; an agreement of 1 would mean all five features at every epsilon.",
        ),
        statements::lift(&lift),
        statements::agreement(&agreement),
        statements::classes(&lift, &tables.sets),
    ];
    let shown = [
        (&agreement, "agreement", "agreement with the LASSO's top five"),
        (&lift, "lift", "cross-validated accuracy above the most frequent class"),
    ];
    for (areas, id, words) in shown {
        blocks.extend(areas.blocks(experiment, &format!("pipelines-{id}"), words)?);
    }
    blocks.extend(held_out::blocks(experiment, &names, &tables.held_out)?);
    Ok(blocks)
}

/// A value of a cell.
type CellValue = fn(&ComparisonCell) -> f64;

/// Runs pipelines at epsilon 1 to 10 and keeps the cells in `NAME.csv`.
fn swept(
    experiment: &Experiment<'_>,
    pipelines: &[&Pipeline],
    tables: &[LazyStudy<'_>],
    name: &str,
) -> Result<ComparisonCells> {
    let sweep = Sweep {
        arms: pipelines.iter().map(|pipeline| pipeline.arm()).collect::<Result<_>>()?,
        counts: vec![K],
        epsilons: (1..=10).map(|epsilon| epsilon.to_string().parse()).collect::<Result<_>>()?,
        trials: experiment.trials,
        seed: experiment.seed,
        threads: experiment.threads,
    };
    let file = CellsFile::new(experiment.output.path(), name, experiment.seed, experiment.trials)?;
    run_cells(&sweep, tables, &file, &|share| {
        (experiment.progress)(name, share);
        Ok(())
    })
}

fn area_of_arm(cells: &ComparisonCells, table: &str, arm: &Arm, of: CellValue) -> f64 {
    let (count, method, scale) = (K.to_string(), arm.name(), arm.scale_name());
    area_of(&along(cells, (table, &count, &method, &scale)), of)
}

#[cfg(test)]
mod tests;
