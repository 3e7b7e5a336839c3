//! Arguments on the score of features, and on their scaling for it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::schema_file::SchemaFile;
use crate::values::{parse_bounds, with_some_values, with_values, word};
use dpsis::{BoundsOption, Result, ScoringOptions};

const HOW_SCORED: &str =
    "How features are scored [default: correlation if bounds or row-rank are given, else ks]";

/// The option `--score` in the help of a command that takes these scores alone, two or more.
pub(super) fn scored_by(option: clap::Arg, scores: &[Score]) -> clap::Arg {
    let words: Vec<String> = scores.iter().copied().map(word).collect();
    let words = match words.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    };
    option
        .help(format!("Score of features: {words}"))
        .long_help(with_some_values(HOW_SCORED, scores))
}

/// The option `--score` in the help of a command that sums rows.
pub(super) fn scored_by_sums(option: clap::Arg) -> clap::Arg {
    scored_by(option, &[Score::Ks, Score::Correlation])
}

/// The score, and the commonest scaling.
#[derive(Debug, Args)]
pub(super) struct ScoreArguments {
    /// Score of features: ks, correlation, kendall or paired
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        long_help = with_values::<Score>(HOW_SCORED)
    )]
    pub(super) score: Option<Score>,

    /// Clip features to this public range, for correlation
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

    /// Scaling of values: bounds, row-rank or cpm [default: bounds if given; else row-rank for
    /// correlation and none for ks]. With a scaling, ks uses 15 thresholds and one pass. cpm is
    /// applied before the bounds
    #[arg(long, value_enum, hide_short_help = true, help_heading = "Scaling")]
    scale: Option<Scale>,
}

/// The score of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Score {
    /// Kolmogorov-Smirnov: the best threshold or category of each column, for columns of any kind
    Ks,
    /// Correlation of scaled values with the target
    Correlation,
    /// Kendall's rank correlation, column by column; classes are not counted, so misspelled ones go
    /// unnoticed
    Kendall,
    /// With --unit: how much more often values are larger than smaller in the second class, within
    /// each person
    Paired,
}

/// The scaling of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scale {
    /// Clip to --bounds or --bounds-file
    Bounds,
    /// Ranks within each row
    RowRank,
    /// Counts per million: each value divided by its row's sum, for counts whose totals differ by
    /// row
    Cpm,
}

/// The options of a score; `takes_schema` is whether bounds of the schema apply.
pub(super) fn scoring(
    ScoreArguments { score, bounds }: &ScoreArguments,
    ScalingArguments { bounds_file, scale }: &ScalingArguments,
    schema: &SchemaFile,
    takes_schema: bool,
) -> Result<ScoringOptions> {
    let all = |low: f64, high: f64| BoundsOption::All(low.into(), high.into());
    let given = match (bounds, bounds_file) {
        (Some(text), _) => {
            let bounds = parse_bounds(text)?;
            Some(all(bounds.low(), bounds.high()))
        }
        (None, Some(path)) => Some(BoundsOption::File(path.clone())),
        (None, None) => None,
    };
    // The schema's bounds apply to the values as they are in the table.
    let takes_schema = match scale {
        Some(scale) => *scale == Scale::Bounds,
        None => takes_schema && !matches!(score, Some(Score::Kendall | Score::Paired)),
    };
    let of_schema = || match (schema.bounds, &schema.bounds_file) {
        (Some([low, high]), _) => Some(all(low, high)),
        (None, path) => path.clone().map(BoundsOption::File),
    };
    Ok(ScoringOptions {
        score: score.map(word),
        bounds: given.or_else(|| of_schema().filter(|_| takes_schema)),
        scale: scale.map(word),
        ..ScoringOptions::default()
    })
}
