//! Arguments on sets of features.

use std::path::PathBuf;

use clap::Args;

use dpsis::{Error, GroupsOption, Result, ScoringOptions};

/// The sets that are selected instead of features.
#[derive(Debug, Args)]
pub(super) struct GroupArguments {
    /// Select sets of features, such as pathways, from a GMT file
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = "Sets")]
    pub(super) groups: Option<PathBuf>,

    /// Use sets with this number of members among the features of the table
    #[arg(
        long,
        value_name = "MIN[,MAX]",
        default_value = "5",
        requires = "groups",
        hide_short_help = true,
        help_heading = "Sets"
    )]
    group_size: String,
}

impl GroupArguments {
    /// Sets the groups in the options of a score.
    ///
    /// # Errors
    ///
    /// `Request` for sizes that are not numbers.
    pub(super) fn apply_to(&self, options: &mut ScoringOptions) -> Result<()> {
        let wrong = || Error::request("--group-size must be MIN or MIN,MAX, such as 15,500");
        let number = |text: &str| text.trim().parse().map_err(|_| wrong());
        options.groups = self.groups.clone().map(GroupsOption::File);
        options.group_size = Some(match self.group_size.split_once(',') {
            Some((least, most)) => (number(least)?, Some(number(most)?)),
            None => (number(&self.group_size)?, None),
        });
        Ok(())
    }
}
