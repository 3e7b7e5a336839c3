//! Arguments on sets of features.

use std::path::PathBuf;

use clap::Args;

use dpsis::{Error, Result};

/// The smallest size of sets that are used, unless another is stated.
const LEAST: &str = "5";

/// The sets that are selected instead of features.
#[derive(Debug, Args)]
pub(super) struct GroupArguments {
    /// Select sets of features from a GMT file (lines of name, description and members, separated
    /// by tabs; plain or .gz), a public fact: each row's mean over the members' ranks, or values
    /// within bounds
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = "Scaling")]
    pub(super) groups: Option<PathBuf>,

    /// Use the sets of which so many members are features of the table
    #[arg(
        long,
        value_name = "MIN[,MAX]",
        default_value = LEAST,
        requires = "groups",
        hide_short_help = true,
        help_heading = "Scaling"
    )]
    group_size: String,
}

impl GroupArguments {
    /// No sets, for a command that takes features alone.
    pub(super) fn none() -> Self {
        Self { groups: None, group_size: LEAST.to_owned() }
    }

    /// The smallest size, and the largest if there is one.
    ///
    /// # Errors
    ///
    /// `Request` for sizes that are no numbers.
    pub(super) fn size(&self) -> Result<(usize, Option<usize>)> {
        let wrong = || Error::request("--group-size must be MIN or MIN,MAX, such as 15,500");
        let number = |text: &str| text.trim().parse().map_err(|_| wrong());
        Ok(match self.group_size.split_once(',') {
            Some((least, most)) => (number(least)?, Some(number(most)?)),
            None => (number(&self.group_size)?, None),
        })
    }
}
