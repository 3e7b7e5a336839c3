//! The public sets of the DP-SIS paper that the data folder holds.

use std::path::Path;

use dpsis::report::{Block, Level, Notice, Section};
use dpsis::{Error, Result};

use crate::compare::LazyStudy;
use crate::datasets::{DataSet, PublicTable, find, has, manifest, open};
use crate::experiments::experiment::Experiment;
use crate::study::{PENALTY, Settled, Study, labels_of};

/// A section that says that nothing was run and lists the missing sets.
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
        let (data, seed) = (self.experiment.data, self.experiment.seed);
        let lazy = |set: &&'static DataSet| {
            let name = set.name.clone();
            let read = move || {
                let table = read(data, &name)?;
                // Numeric labels such as 1 to 5 are classes in all of these sets.
                let classes = labels_of(&table);
                Study::new(&name, Settled::of(table, classes)?, PENALTY, seed)
            };
            // The import has verified the checksum of the table.
            let data = set.table_sha256.clone().unwrap_or_default();
            LazyStudy { name: set.name.clone(), data, read: Box::new(read) }
        };
        self.present.iter().map(lazy).collect()
    }

    /// A paragraph that lists the missing sets; `None` if there are none.
    pub(super) fn skipped(&self) -> Option<Block> {
        let names: Vec<&str> = self.missing.iter().map(|set| &*set.name).collect();
        let text = format!("Not in the data folder and therefore left out: {}.", names.join(", "));
        (!names.is_empty()).then_some(Block::Paragraph(text))
    }
}
