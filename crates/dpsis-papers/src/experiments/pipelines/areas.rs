//! Areas under the curves of one measure, by set and pipeline, with their table and heat map.

use dpsis::Result;
use dpsis::report::Block;
use dpsis_eval::Arm;
use dpsis_eval::internals::short;

use crate::experiments::experiment::Experiment;
use crate::experiments::parts::figure;
use crate::experiments::pipelines::{DEFAULT, PAPER, Pipeline, ROW_RANKS};
use dpsis_eval::figure::HeatMap;

/// Up to this difference in area a pipeline does not count as behind on a set.
pub(super) const TOLERANCE: f64 = 0.005;

/// The areas of one measure.
pub(super) struct Areas {
    sets: Vec<String>,
    pipelines: Vec<&'static str>,
    /// One row per set, one column per pipeline.
    values: Vec<Vec<f64>>,
}

impl Areas {
    /// Takes the area of each set and pipeline from a function.
    ///
    /// # Errors
    ///
    /// `Request` if a pipeline is not a method with a scale.
    pub(super) fn of(
        sets: &[String],
        pipelines: &[&Pipeline],
        area: impl Fn(&str, &Arm) -> f64,
    ) -> Result<Self> {
        let arms: Vec<Arm> = pipelines.iter().map(|one| one.arm()).collect::<Result<_>>()?;
        let row = |set: &String| arms.iter().map(|arm| area(set, arm)).collect();
        Ok(Self {
            sets: sets.to_vec(),
            pipelines: pipelines.iter().map(|one| one.name).collect(),
            values: sets.iter().map(row).collect(),
        })
    }

    /// The number of sets.
    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    /// Keeps only some of the sets.
    pub(super) fn on(&self, kept: impl Fn(&str) -> bool) -> Self {
        let rows = self.sets.iter().zip(&self.values).filter(|(set, _)| kept(set));
        let (sets, values) = rows.map(|(set, row)| (set.clone(), row.clone())).unzip();
        Self { sets, pipelines: self.pipelines.clone(), values }
    }

    /// The areas of a pipeline, by set; NaN if there is no such pipeline.
    fn column(&self, pipeline: &str) -> impl Iterator<Item = f64> + '_ {
        let at = self.pipelines.iter().position(|name| *name == pipeline);
        self.values.iter().map(move |row| at.map_or(f64::NAN, |at| row[at]))
    }

    /// The mean area of a pipeline over all sets.
    pub(super) fn mean(&self, pipeline: &str) -> f64 {
        self.column(pipeline).sum::<f64>() / self.values.len().max(1) as f64
    }

    /// The mean area of a pipeline as a multiple of the mean area of another.
    pub(super) fn multiple(&self, pipeline: &str, other: &str) -> f64 {
        self.mean(pipeline) / self.mean(other)
    }

    /// The sets on which a pipeline is behind another by more than [`TOLERANCE`].
    pub(super) fn behind(&self, pipeline: &str, other: &str) -> Vec<&str> {
        let both = self.column(pipeline).zip(self.column(other));
        let behind =
            self.sets.iter().zip(both).filter(|(_, (one, other))| *one < other - TOLERANCE);
        behind.map(|(set, _)| &**set).collect()
    }

    /// Writes the areas to `ID.csv` and returns their table, their heat map, and a comparison with
    /// the paper's preprocessing in words.
    pub(super) fn blocks(
        &self,
        experiment: &Experiment<'_>,
        id: &str,
        words: &str,
    ) -> Result<Vec<Block>> {
        let line = |name: &str, numbers: &mut dyn Iterator<Item = f64>| -> Vec<String> {
            std::iter::once(name.to_owned()).chain(numbers.map(short)).collect()
        };
        let by_set = self.sets.iter().zip(&self.values);
        let mut rows: Vec<Vec<String>> =
            by_set.map(|(set, row)| line(set, &mut row.iter().copied())).collect();
        let pipelines = || self.pipelines.iter();
        rows.push(line("mean", &mut pipelines().map(|one| self.mean(one))));
        let multiples = &mut pipelines().map(|one| self.multiple(one, PAPER));
        rows.push(line("mean, as a multiple of the paper's", multiples));
        let columns: Vec<&str> =
            std::iter::once("set").chain(self.pipelines.iter().copied()).collect();
        let data = format!("{id}.csv");
        experiment.output.write_csv(&data, &columns, &rows)?;
        let header = columns.iter().map(|name| (*name).to_owned()).collect();
        let map = HeatMap {
            title: format!("Area under the curve of {words}, epsilon 1 to 10"),
            x_label: "pipeline".to_owned(),
            columns: pipelines().map(|name| (*name).to_owned()).collect(),
            rows: self.sets.clone(),
            values: self.values.iter().map(|row| row.iter().copied().map(Some).collect()).collect(),
            marked: Vec::new(),
            mark_label: String::new(),
            scale_label: words.to_owned(),
            diverging: false,
        };
        let caption = format!("Areas by set and pipeline: {words}.");
        Ok(vec![
            Block::Table { caption: format!("Areas: {words}"), header, rows },
            Block::Paragraph(format!(
                "{} {}",
                self.against_the_paper("The default reaches", "It is", DEFAULT),
                self.against_the_paper("Row ranks reach", "They are", ROW_RANKS)
            )),
            figure(experiment, id, map.svg()?, &caption, &data)?,
        ])
    }

    fn against_the_paper(&self, reaches: &str, is: &str, pipeline: &str) -> String {
        format!(
            "{reaches} {} times the area of the paper's preprocessing on average. {is} behind by \
             more than {TOLERANCE} on: {}.",
            short(self.multiple(pipeline, PAPER)),
            listed(&self.behind(pipeline, PAPER))
        )
    }
}

/// The names of the sets, or "no set".
pub(super) fn listed(sets: &[&str]) -> String {
    if sets.is_empty() { "no set".to_owned() } else { sets.join(", ") }
}

#[cfg(test)]
impl Areas {
    /// Areas as given, one row per set.
    pub(super) fn given(pipelines: &[&'static str], rows: &[(&str, &[f64])]) -> Self {
        Self {
            sets: rows.iter().map(|(set, _)| (*set).to_owned()).collect(),
            pipelines: pipelines.to_vec(),
            values: rows.iter().map(|(_, row)| row.to_vec()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_multiples_and_sets_behind() {
        let rows: [(&str, &[f64]); 3] =
            [("a", &[0.1, 0.3]), ("b", &[0.2, 0.196]), ("c", &[0.3, 0.2])];
        let areas = Areas::given(&[PAPER, DEFAULT], &rows);
        let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(near(areas.mean(PAPER), 0.2) && near(areas.mean(DEFAULT), 0.232));
        assert!(near(areas.multiple(DEFAULT, PAPER), 1.16));
        // On b it is behind by less than the tolerance.
        assert_eq!(areas.behind(DEFAULT, PAPER), ["c"]);
        assert_eq!(areas.behind(PAPER, DEFAULT), ["a"]);
        let two = areas.on(|set| set != "c");
        assert_eq!((two.len(), listed(&two.behind(DEFAULT, PAPER))), (2, "no set".to_owned()));
        assert!(near(two.mean(PAPER), 0.15) && two.mean("none").is_nan());
    }
}
