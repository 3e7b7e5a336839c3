//! Arguments on a table, its target and the score of its features, and the resulting options.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::schema_file::SchemaFile;
use crate::score_arguments::{ScalingArguments, Score, ScoreArguments, scoring};
use crate::table_arguments::TableOptions;
use crate::target_arguments::TargetArguments;
use crate::values::word;
use dpsis::{FileTables, Result, Select, SelectOptions, TargetColumn};

/// A table, its target, and how features are scored.
#[derive(Debug, Args)]
pub(super) struct GivenTable {
    #[command(flatten)]
    score: ScoreArguments,

    #[command(flatten)]
    table: TableOptions,

    #[command(flatten)]
    target: TargetArguments,

    /// Compare two classes within each person, such as tumor and normal; COLUMN identifies people
    ///
    /// The same as --unit COLUMN --score paired: a feature scores by how much more often its values
    /// are larger than smaller in the second class, within each person
    #[arg(
        long,
        value_name = "COLUMN",
        conflicts_with_all = ["unit", "score"],
        hide_short_help = true,
        help_heading = "Target"
    )]
    paired: Option<String>,
}

/// The request from the options, with the public information about its table.
pub(super) struct GivenRequest {
    pub(super) options: SelectOptions,
    schema: SchemaFile,
    /// The hash of the schema file.
    hash: Option<String>,
}

impl GivenTable {
    /// The files that are read in addition to the rows.
    pub(super) fn files<'a>(
        &'a self,
        scaling: &'a ScalingArguments,
    ) -> impl Iterator<Item = &'a Path> {
        let others = [&self.table.target_file, &self.table.schema, &scaling.bounds_file];
        let others = others.into_iter().flatten().map(PathBuf::as_path);
        others.chain(self.table.exclude_files())
    }

    /// The request from the options and the schema; `takes_schema` is whether the bounds of the
    /// schema apply.
    pub(super) fn request(
        &self,
        scaling: &ScalingArguments,
        takes_schema: bool,
    ) -> Result<GivenRequest> {
        let (mut schema, hash) = self.table.schema()?;
        if self.table.states_target() {
            schema.without_kind();
        }
        if self.target.is_at_horizon() {
            schema.facts.target = TargetColumn::Last;
        }
        let mut options = SelectOptions { k: Some(1), ..SelectOptions::default() };
        options.target = self.target.options(&schema)?;
        let takes_schema = takes_schema && self.paired.is_none();
        options.scoring = scoring(&self.score, scaling, &schema, takes_schema)?;
        if let Some(column) = &self.paired {
            options.scoring.score = Some(word(Score::Paired));
            schema.facts.unit = Some(column.clone());
        }
        Ok(GivenRequest { options, schema, hash })
    }

    /// The table in these files.
    pub(super) fn tables(&self, files: &[PathBuf], request: &GivenRequest) -> Result<FileTables> {
        self.table.tables(files, &request.schema)
    }
}

impl GivenRequest {
    /// The request, unchecked.
    pub(super) fn select(&self) -> Result<Select> {
        let select = self.options.request()?;
        Ok(match &self.hash {
            Some(hash) => select.schema_hash(hash.clone()),
            None => select,
        })
    }
}
