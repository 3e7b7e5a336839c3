//! Arguments on the kind of the target: classes, or a range.

use clap::Args;

use crate::schema_file::SchemaFile;
use crate::values::{parse_bounds, parse_record};
use dpsis::{Bounds, Result, Target};

/// The kind of the target.
#[derive(Debug, Args)]
pub(super) struct TargetArguments {
    /// The target is one of these labels
    #[arg(
        long,
        value_name = "A,B[,C...]",
        conflicts_with = "target_bounds",
        help_heading = "Target"
    )]
    classes: Option<String>,

    /// The target is a number in this range, known from public sources
    #[arg(
        long,
        value_name = "LO,HI",
        allow_hyphen_values = true,
        hide_short_help = true,
        help_heading = "Target"
    )]
    target_bounds: Option<String>,
}

impl TargetArguments {
    /// The target by these options; by the schema, if there are none.
    ///
    /// # Errors
    ///
    /// `Request` for an option whose value is no list of labels, or no range.
    pub(super) fn target(&self, schema: &SchemaFile) -> Result<Target> {
        Ok(match (&self.classes, &self.target_bounds, &schema.classes, schema.target_bounds) {
            (Some(labels), ..) => Target::Classes(parse_record(labels)?),
            (_, Some(bounds), ..) => Target::Bounded(parse_bounds(bounds)?),
            (_, _, Some(labels), _) => Target::Classes(labels.clone()),
            (.., Some([low, high])) => Target::Bounded(Bounds::new(low, high)?),
            _ => Target::Numeric,
        })
    }
}
