//! A release from the result of a query for sums.

use clap::Args;

use super::ChooseArguments;
use crate::output::Output;
use crate::privacy_arguments::privacy;
use crate::sums_release::release_sums;
use crate::values::{parse_center, with_shares};
use dpsis::job::Terms;
use dpsis::{Error, Partial, Result, Select, SelectOptions};

/// Arguments on a release from sums.
#[derive(Debug, Args)]
pub(super) struct SumsArguments {
    /// The file is a result of dpsis sql: exact sums
    ///
    /// CSV, or Parquet and Arrow (a build with feature arrow). It releases k features or, if the
    /// target is released first, the value of the target that the next query needs. Give the same
    /// options at every stage
    #[arg(
        long,
        conflicts_with_all = [
            "sensitivity", "name_column", "score_column", "sensitivity_column", "monotonic",
            "not_private", "advise", "trials",
        ],
        help_heading = "Candidates"
    )]
    pub(super) sums: bool,

    /// With --sums: the target's center: private, none, or its publicly known value, as for select
    #[arg(
        long,
        value_name = "private|none|VALUE",
        default_value = "private",
        requires = "sums",
        allow_hyphen_values = true,
        hide_short_help = true,
        help_heading = "Sums"
    )]
    center: String,

    /// With --sums: report for each selected feature whether the target rises or falls with it
    #[arg(long, requires = "sums", hide_short_help = true, help_heading = "Sums")]
    direction: bool,

    /// With --sums: shares of the budget, as for select
    #[arg(
        long,
        long_help = with_shares("With --sums: shares of the budget, as for select"),
        value_name = "NAME=SHARE,...",
        requires = "sums",
        hide_short_help = true,
        help_heading = "Sums"
    )]
    split: Option<String>,
}

impl SumsArguments {
    /// Refuses options that need sums if no sums are given. (The parser accepts them next to
    /// options that exclude sums.)
    pub(super) fn check(&self) -> Result<()> {
        let given = self.direction || self.split.is_some() || self.center != "private";
        match given && !self.sums {
            true => Err(Error::request("--center, --direction and --split belong to --sums")),
            false => Ok(()),
        }
    }
}

impl ChooseArguments {
    /// Adds the release options to the request of the sums.
    fn apply_release_to(&self, select: Select) -> Result<Select> {
        let SumsArguments { center, split, direction, .. } = &self.sums;
        let mut options = SelectOptions::default();
        options.target.center = Some(parse_center(center)?);
        options.privacy =
            privacy(&self.budget, &self.delta, self.neighbors, split.as_deref(), *direction)?;
        options.method.mechanism.clone_from(&self.mechanism);
        options.method.parameters = self.parameters.named();
        options.apply_release_to(select)
    }
}

/// Releases the selection, or the values of the target for the next stage.
pub(super) fn release(arguments: &ChooseArguments, terms: &Terms, output: Output) -> Result<()> {
    let sums = Partial::of_query(&arguments.file)?;
    let select = arguments.apply_release_to(sums.request(arguments.k())?)?;
    let next = "make the next query with it (dpsis sql --released), then choose again with the same options";
    release_sums(&select, &sums, terms, output, next)
}
