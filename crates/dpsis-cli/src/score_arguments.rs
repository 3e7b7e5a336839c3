//! Arguments on the score of features, and on their scaling for it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::schema_file::SchemaFile;
use crate::table_arguments::TableOptions;
use crate::target_arguments::TargetArguments;
use crate::values::{parse_bounds, with_values};
use dpsis::{Error, Result, Scaling, ScoreKind, Select};

/// The score, and the commonest scaling.
#[derive(Debug, Args)]
pub(super) struct ScoreArguments {
    /// How features are scored: ks, correlation or kendall
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        long_help = with_values::<Score>(
            "How features are scored [default: correlation if bounds or a scale are stated, else ks]"
        )
    )]
    pub(super) score: Option<Score>,

    /// Clip every feature to this range, a public fact
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true)]
    bounds: Option<String>,
}

/// Other scalings.
#[derive(Debug, Args)]
pub(super) struct ScalingArguments {
    /// Clip features to ranges from a CSV file feature,lo,hi (a row with * stands for all others)
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "bounds",
        hide_short_help = true,
        help_heading = "Scaling"
    )]
    pub(super) bounds_file: Option<PathBuf>,

    /// How values are made comparable for correlation [default: bounds if stated, else row-rank]; with
    /// --score ks, for its streaming form [default: not at all]. cpm comes before any score, and before
    /// --bounds or --bounds-file
    #[arg(long, value_enum, hide_short_help = true, help_heading = "Scaling")]
    scale: Option<Scale>,
}

/// The score of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Score {
    /// Kolmogorov-Smirnov: the best threshold or word of each column, for columns of any kind
    Ks,
    /// Correlation of scaled values with the target
    Correlation,
    /// Kendall's rank correlation, column by column; classes are not counted, so misspelled ones go unnoticed
    Kendall,
}

/// The scaling of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scale {
    /// Clip to --bounds or --bounds-file
    Bounds,
    /// Ranks within each row
    RowRank,
    /// Counts per million: each value divided by its row's sum, for counts whose totals differ by row
    Cpm,
}

/// States what the options say of the target and of the score, with the facts of the schema; `takes_schema` says whether
/// its bounds are of use.
pub(super) fn state_table(
    select: Select,
    table: &TableOptions,
    target: &TargetArguments,
    score: &ScoreArguments,
    scaling: &ScalingArguments,
    takes_schema: bool,
) -> Result<(Select, SchemaFile)> {
    let (mut schema, hash) = table.schema()?;
    if table.states_target() {
        (schema.classes, schema.target_bounds, schema.target_number) = (None, None, false);
    }
    let mut select = target.state(select, &schema)?;
    if let Some(hash) = hash {
        select = select.schema_hash(hash);
    }
    let select = state_score(select, score, scaling, &schema, takes_schema)?;
    Ok((select, schema))
}

/// States how features are scored and scaled; `takes_schema` says whether bounds of the schema are of use.
pub(super) fn state_score(
    select: Select,
    ScoreArguments { score, bounds }: &ScoreArguments,
    ScalingArguments { bounds_file, scale }: &ScalingArguments,
    schema: &SchemaFile,
    takes_schema: bool,
) -> Result<Select> {
    let select = match score {
        Some(Score::Ks) => select.score(ScoreKind::Ks),
        Some(Score::Correlation) => select.score(ScoreKind::Correlation),
        Some(Score::Kendall) => select.score(ScoreKind::Kendall),
        None => select,
    };
    let stated = bounds.as_deref().map(parse_bounds).transpose()?;
    let from_schema = |select: Select| match (schema.bounds, &schema.bounds_file) {
        (Some([low, high]), _) => Some(select.bounds(low, high)),
        (_, Some(path)) => Some(select.bounds_file(path)),
        _ => None,
    };
    let per_million = *scale == Some(Scale::Cpm);
    let select = if per_million { select.counts_per_million() } else { select };
    let row_ranks = *scale == Some(Scale::RowRank);
    if row_ranks && (stated.is_some() || bounds_file.is_some()) {
        return Err(Error::request("bounds and --scale row-rank exclude each other"));
    }
    if let Some(bounds) = stated {
        return Ok(select.scaling(Scaling::Bounds(bounds)));
    }
    if let Some(path) = bounds_file {
        return Ok(select.bounds_file(path));
    }
    if row_ranks {
        return Ok(select.scaling(Scaling::RowRank));
    }
    if *scale == Some(Scale::Bounds) {
        let rule = "--scale bounds needs --bounds LO,HI or --bounds-file";
        return from_schema(select).ok_or_else(|| Error::request(rule));
    }
    // The schema's bounds are of the values as they are in the table.
    if !takes_schema || per_million || *score == Some(Score::Kendall) {
        return Ok(select);
    }
    Ok(from_schema(select.clone()).unwrap_or(select))
}
