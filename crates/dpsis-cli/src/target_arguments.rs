//! Arguments on the kind of the target: classes, or a range.

use clap::{Args, ValueEnum};

use crate::schema_file::SchemaFile;
use crate::values::{parse_bounds, parse_event, parse_record, unused, word};
use dpsis::{Result, TargetOptions};

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

    /// The target is an event by a horizon: the column of times, with --event and --by
    #[arg(long, value_name = "COLUMN", hide_short_help = true, help_heading = "Target")]
    time: Option<String>,

    /// The column of events and the value of the event: died=1
    #[arg(long, value_name = "COLUMN=VALUE", hide_short_help = true, help_heading = "Target")]
    event: Option<String>,

    /// The horizon, in the unit of --time; rows followed up for less, without the event, are not
    /// used
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        hide_short_help = true,
        help_heading = "Target"
    )]
    by: Option<f64>,

    /// The target is a number in this public range
    #[arg(
        long,
        value_name = "LO,HI",
        allow_hyphen_values = true,
        hide_short_help = true,
        help_heading = "Target"
    )]
    target_bounds: Option<String>,

    /// The target is a number of unknown range: required with a ledger if its type does not show it
    #[arg(
        long,
        conflicts_with_all = ["classes", "target_bounds"],
        hide_short_help = true,
        help_heading = "Target"
    )]
    target_number: bool,

    /// With --unit: the target of a person with several rows [default: last]
    #[arg(long, value_enum, value_name = "RULE", hide_short_help = true, help_heading = "Target")]
    unit_target: Option<UnitRule>,

    /// Compare within groups of a covariate, by cut points (age:40,60) or levels (sex=F,M)
    #[arg(long, value_name = "COVARIATE", hide_short_help = true, help_heading = "Target")]
    adjust: Vec<String>,
}

/// The rule for the target of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnitRule {
    /// The target of the last row that has one
    Last,
    /// The mean of numbers
    Mean,
    /// The second of two classes if any row has it
    AnyPositive,
}

/// The options on people with several rows and on strata, which sums of rows do not take.
pub(super) const OF_PEOPLE: [&str; 4] = ["unit", "unit_target", "adjust", "paired"];

/// Hides the options of [`OF_PEOPLE`] from the help of a command that sums rows.
pub(super) fn without_people(option: clap::Arg) -> clap::Arg {
    match OF_PEOPLE.contains(&option.get_id().as_str()) {
        true => unused(option),
        false => option,
    }
}

impl TargetArguments {
    /// The target from these options or, if they do not give its kind, from the schema.
    ///
    /// # Errors
    ///
    /// `Request` for an option whose value is not a list of labels or not a range.
    pub(super) fn options(&self, schema: &SchemaFile) -> Result<TargetOptions> {
        let mut options = TargetOptions {
            unit_target: self.unit_target.map(word),
            adjust: self.adjust.clone(),
            ..TargetOptions::default()
        };
        options.time.clone_from(&self.time);
        options.event = self.event.as_deref().map(parse_event).transpose()?;
        options.by = self.by.map(Into::into);
        let at_horizon = self.is_at_horizon();
        match (&self.classes, &self.target_bounds) {
            (Some(labels), _) => options.classes = Some(parse_record(labels)?),
            (_, Some(bounds)) => {
                let bounds = parse_bounds(bounds)?;
                options.target_bounds = Some((bounds.low().into(), bounds.high().into()));
            }
            _ if self.target_number => options.target_number = true,
            _ if at_horizon => {}
            _ => {
                options.classes.clone_from(&schema.classes);
                options.target_bounds =
                    schema.target_bounds.map(|[low, high]| (low.into(), high.into()));
                options.target_number = schema.target_number;
                options.time.clone_from(&schema.time);
                options.event = schema.event.clone().map(|[column, value]| (column, value));
                options.by = schema.by.map(Into::into);
            }
        }
        Ok(options)
    }

    /// Whether these options give a target at a horizon, or a part of it.
    pub(super) fn is_at_horizon(&self) -> bool {
        self.time.is_some() || self.event.is_some() || self.by.is_some()
    }

    /// The given options on people and strata.
    pub(super) fn of_people_and_strata(&self) -> Vec<String> {
        let rule = self.unit_target.map(|rule| ["--unit-target".to_owned(), word(rule)]);
        let strata = self.adjust.iter().map(|text| ["--adjust".to_owned(), text.clone()]);
        rule.into_iter().chain(strata).flatten().collect()
    }
}
