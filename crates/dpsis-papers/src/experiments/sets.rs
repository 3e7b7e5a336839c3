//! The public sets of the DP-SIS paper that the data folder holds.

use std::path::Path;

use dpsis::report::{Block, Level, Notice, Section};
use dpsis::{Error, Result};
use dpsis_eval::internals::{FOLDS, PENALTY};
use dpsis_eval::{LazyStudy, Settled, Study, labels_of};

use crate::experiments::experiment::Experiment;
use dpsis_eval::datasets::{DataSet, PublicTable, find, has, manifest, open};

/// A section for an experiment that was not run, with the missing sets.
pub(super) fn not_run(id: &str, title: &str, sets: &Sets<'_>) -> Section {
    let notice = Notice::new(
        Level::Note,
        "Not run: the data folder holds none of the \
         sets."
            .to_owned(),
    );
    let blocks = std::iter::once(Block::Notice(notice)).chain(sets.skipped()).collect();
    Section::new(id, title, blocks)
}

/// The name of a set with one of its three folds, from 0, held out.
pub(super) fn third(set: &str, fold: usize) -> String {
    format!("{set}, third {}", fold + 1)
}

fn read(data: Option<&Path>, name: &str) -> Result<PublicTable> {
    let table = data.map(|folder| open(folder, name)).transpose()?.flatten();
    table.ok_or_else(|| Error::io("a data set was removed during the run"))
}

/// The sets that are present and those that are missing.
pub(super) struct Sets<'a> {
    pub(super) present: Vec<&'static DataSet>,
    missing: Vec<&'static DataSet>,
    experiment: &'a Experiment<'a>,
}

impl<'a> Sets<'a> {
    /// Looks for all sets of the manifest.
    pub(super) fn all(experiment: &'a Experiment<'a>) -> Result<Self> {
        Self::of(experiment, manifest())
    }

    /// Looks for sets by name.
    pub(super) fn named(experiment: &'a Experiment<'a>, names: &[&str]) -> Result<Self> {
        let sets: Vec<&'static DataSet> =
            names.iter().map(|name| find(name)).collect::<Result<_>>()?;
        Self::of(experiment, sets)
    }

    fn of(
        experiment: &'a Experiment<'a>,
        sets: impl IntoIterator<Item = &'static DataSet>,
    ) -> Result<Self> {
        let (mut present, mut missing) = (Vec::new(), Vec::new());
        for set in sets {
            let there = experiment.data.is_some_and(|folder| has(folder, &set.name));
            if there { present.push(set) } else { missing.push(set) }
        }
        Ok(Self { present, missing, experiment })
    }

    /// Reads a set.
    pub(super) fn table(&self, set: &DataSet) -> Result<PublicTable> {
        read(self.experiment.data, &set.name)
    }

    /// Returns the sets as tables that are read when they are needed.
    pub(super) fn studies(&self) -> Vec<LazyStudy<'a>> {
        let seed = self.experiment.seed;
        let study = move |set: &str, settled| Study::new(set, settled, PENALTY, seed);
        self.present.iter().map(|set| self.lazy(set, set.name.clone(), study)).collect()
    }

    /// Returns, for each set and fold, a table called [`third`] of the rows outside of that fold,
    /// whose plain models are tested on the fold.
    pub(super) fn held_out(&self) -> Vec<LazyStudy<'a>> {
        let seed = self.experiment.seed;
        let folds = self.present.iter().flat_map(|set| (0..FOLDS).map(move |fold| (set, fold)));
        let lazy = |(set, fold): (&&'static DataSet, usize)| {
            let study = move |set: &str, settled| {
                // The folds are dealt by the name of the set, as in the cross-validation.
                let mut study = Study::held_out(set, settled, PENALTY, seed, fold)?;
                study.name = third(set, fold);
                Ok(study)
            };
            self.lazy(set, third(&set.name, fold), study)
        };
        folds.map(lazy).collect()
    }

    /// A table that is read when it is needed, with the study made of it.
    fn lazy(
        &self,
        set: &'static DataSet,
        name: String,
        study: impl Fn(&str, Settled) -> Result<Study> + 'a,
    ) -> LazyStudy<'a> {
        let data = self.experiment.data;
        let read = move || {
            let table = read(data, &set.name)?;
            // Numeric labels such as 1 to 5 are classes in all of these sets.
            let classes = labels_of(&table);
            study(&set.name, Settled::of(table, classes)?)
        };
        // The import has verified the checksum of the table.
        let data = set.table_sha256.clone().unwrap_or_default();
        LazyStudy { name, data, read: Box::new(read) }
    }

    /// A paragraph that lists the missing sets; `None` if no set is missing.
    pub(super) fn skipped(&self) -> Option<Block> {
        let names: Vec<&str> = self.missing.iter().map(|set| &*set.name).collect();
        let text = format!("Not in the data folder and therefore left out: {}.", names.join(", "));
        (!names.is_empty()).then_some(Block::Paragraph(text))
    }
}
