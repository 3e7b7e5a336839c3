//! Scores of whole columns whose rows are in many places: the rows are cut where they are, then
//! joined and scored by column.

use crate::error::Result;
use crate::estimate::shrunk;
use crate::exact::GRID;
use crate::request::builder::Select;
use crate::request::check::checked_threads;
use crate::run::partial::of_table::facts_of;
use crate::run::partial::{ColumnScore, ReleasedTarget, of_no_rows, of_whole_columns, other_stage};
use crate::run::steps::{opening, prepared};
use crate::score::{CenteredTarget, Extremes, KsColumns};
use crate::statistic::coded::{KsRows, grid_value};
use crate::statistic::pass::Pass;
use crate::table::{Chunks, Hooks, Source, chunk};

impl Select {
    /// Cuts the columns of rows that are a part of a larger table into chunks of a given number of
    /// features each, in feature order, with the targets of these rows: **not private**. The chunks
    /// are for Kolmogorov-Smirnov scores of whole columns: an engine brings the chunks of the same
    /// features together, from all rows and in any order, and scores them by
    /// [`ReleasedTarget::score_chunks`].
    ///
    /// # Errors
    ///
    /// As for [`target_partial`](Self::target_partial); `Request` if no center was released.
    pub fn column_chunks(
        &self,
        source: &(impl Source + ?Sized),
        released: &ReleasedTarget,
        features: usize,
    ) -> Result<Vec<Vec<u8>>> {
        let request = &self.of_sums()?;
        let hooks = request.hooks.for_a_run();
        let mut table = prepared(request, source.open(&opening(request, &hooks)?)?)?;
        let (plan, facts) = facts_of(request, &table)?;
        if !facts.of_columns() {
            return Err(of_whole_columns());
        }
        if released.center().is_none() || released.split()?.is_some() != facts.splits() {
            return Err(other_stage());
        }
        let threads = checked_threads(request.threads)?;
        let pass = Pass { plan: &plan, threads, hooks: &hooks };
        let all: Vec<usize> = (0..plan.features).collect();
        let KsRows { columns: KsColumns::Values { columns, .. }, targets, .. } =
            pass.ks_rows(&mut table, &all, None)?
        else {
            return Err(other_stage());
        };
        let scoring = plan.scoring.coded().ok_or_else(of_whole_columns)?;
        let code = scoring.code(released.split()?);
        let coded = |target: f64| match &code {
            Some(code) => i32::from(grid_value(code, target)),
            // The number of the class.
            None => target as i32,
        };
        let targets: Vec<i32> = targets.into_iter().map(coded).collect();
        Ok(all.chunks(features.max(1)).map(|some| chunk(&*columns, some, &targets)).collect())
    }
}

impl ReleasedTarget {
    /// The scores of some features at this center, from all [chunks](crate::Select::column_chunks)
    /// of their columns in any order: **not private**.
    ///
    /// # Errors
    ///
    /// `Request` if no center was released; `Input` if a chunk is damaged or of other features.
    pub fn score_chunks<'a>(
        &self,
        chunks: impl IntoIterator<Item = &'a [u8]>,
        threads: Option<usize>,
    ) -> Result<Vec<ColumnScore>> {
        let (columns, targets) = Chunks::join(chunks)?;
        let [scored, released] = self.centered(&targets)?;
        let columns = KsColumns::Values { columns: Box::new(columns), words: true };
        let threads = checked_threads(threads)?;
        let found =
            columns.scores_with_extremes([&scored, &released], threads, &Hooks::default())?;
        let score = |(score, effect_size, signed): (i64, i64, Option<Extremes>)| ColumnScore {
            score,
            effect_size,
            signed: signed.map(|extremes| (extremes.least, extremes.most)),
        };
        Ok(found.into_iter().map(score).collect())
    }

    /// The coded targets, centered for scores and for the values that are released about features.
    fn centered(&self, targets: &[i32]) -> Result<[CenteredTarget; 2]> {
        let center = self.center().ok_or_else(other_stage)?;
        if !center.on_grid.iter().all(|center| (-GRID..=GRID).contains(center)) {
            return Err(of_no_rows());
        }
        match &center.on_grid[..] {
            &[released] => {
                if !targets.iter().all(|code| (-GRID..=GRID).contains(code)) {
                    return Err(of_no_rows());
                }
                let counted =
                    center.counted.as_ref().map(|counts| counts.counted(2)).transpose()?;
                let scored = counted.map_or(released, |counted| shrunk(released, GRID, &counted));
                let codes = || targets.iter().map(|code| *code as i16);
                Ok([scored, released].map(|center| CenteredTarget::number(codes(), center)))
            }
            centers => {
                let class = |class: &i32| {
                    let class = u32::try_from(*class).ok();
                    class.filter(|class| (*class as usize) < centers.len()).ok_or_else(of_no_rows)
                };
                let classes: Vec<u32> = targets.iter().map(class).collect::<Result<_>>()?;
                let target = CenteredTarget::classes(classes, centers.to_vec());
                Ok([target.clone(), target])
            }
        }
    }
}
