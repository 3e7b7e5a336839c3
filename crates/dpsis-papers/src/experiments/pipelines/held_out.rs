//! Pipelines on two thirds of the rows, with plain models tested on the last third.

use dpsis::Result;
use dpsis::report::Block;
use dpsis_eval::internals::FOLDS;
use dpsis_eval::{ComparisonCell, LazyStudy};

use crate::experiments::experiment::Experiment;
use crate::experiments::parts::paragraph;
use crate::experiments::pipelines::areas::Areas;
use crate::experiments::pipelines::{
    DEFAULT, PAPER, PIPELINES, Pipeline, ROW_RANKS, area_of_arm, swept,
};
use crate::experiments::sets::third;

/// The table, the figure and their explanation.
pub(super) fn blocks(
    experiment: &Experiment<'_>,
    sets: &[String],
    tables: &[LazyStudy<'_>],
) -> Result<Vec<Block>> {
    let compared = |one: &&Pipeline| [PAPER, ROW_RANKS, DEFAULT].contains(&one.name);
    let pipelines: Vec<&Pipeline> = PIPELINES.iter().filter(compared).collect();
    let cells = swept(experiment, &pipelines, tables, "pipelines-thirds")?;
    let areas = Areas::of(sets, &pipelines, |set, arm| {
        let fold = |fold| area_of_arm(&cells, &third(set, fold), arm, ComparisonCell::lift);
        (0..FOLDS).map(fold).sum::<f64>() / FOLDS as f64
    })?;
    let mut blocks = vec![paragraph(
        "The cross-validated accuracy above compares selections but flatters all of them: the \
         features were picked from all rows, including those that the model is tested on. Here \
         everything up to the fitted model uses two thirds of the rows only, including the \
         paper's preprocessing, and the model is tested on the last third, above the share of the \
         most frequent class in that third. Means over the three thirds, which are the folds of \
         the cross-validation; the same epsilons and repetitions.",
    )];
    let words = "accuracy on held-out rows above the most frequent class";
    blocks.extend(areas.blocks(experiment, "pipelines-held-out", words)?);
    Ok(blocks)
}
