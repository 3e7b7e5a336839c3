//! `dpsis account`: the joint cost of several releases.

use clap::{Args, ValueEnum};

use crate::output::Destination;
use dpsis::report::{Quantity, Releases, to_json};
use dpsis::{Delta, Epsilon, Result};

/// The joint privacy loss of several releases.
///
/// A release is an event (the mechanism and its proven loss), a record in JSON, or a budget file.
/// Nothing is released, and no data is read.
#[derive(Debug, Args)]
#[command(after_help = MORE, after_long_help = AFTER_HELP)]
pub(super) struct AccountArguments {
    /// Events, JSON records of select or choose, budget files
    #[arg(required = true, value_name = "EVENT|FILE")]
    releases: Vec<String>,

    /// The delta at which epsilon is computed
    #[arg(long, default_value = "1e-6", conflicts_with = "eps", allow_hyphen_values = true)]
    delta: Delta,

    /// Compute delta at this epsilon, instead of epsilon at --delta
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true)]
    eps: Option<Epsilon>,

    /// The form of the output
    #[arg(long, value_enum, default_value_t = AccountFormat::Text)]
    format: AccountFormat,
}

const MORE: &str = "\
Examples:
  dpsis account peel:2,50x52
  dpsis account pure:0.5x12 gaussian:1,40 --delta 1e-9
  dpsis account monday.json tuesday.json

All forms of events: dpsis account --help";

const AFTER_HELP: &str = "\
A budget file counts with each charge in full, even where a part was returned.

Events, each with xN at its end for N of them:
  pure:EPS            an epsilon-differentially private release
  range:EPS           an epsilon-bounded-range one: a pick of the exponential
                      mechanism
  approximate:EPS,DELTA  an (epsilon, delta)-differentially private release
  zcdp:RHO            a rho-zCDP release
  laplace:SENS,SCALE  Laplace noise; gaussian:SENS,SD: normal noise
  MECHANISM:EPS,K     K picks of a mechanism of this program: peel:2,50
  A + at the end declares that no release depends on another's result.

Examples:
  dpsis account peel:2,50x52
  dpsis account pure:0.5x12 gaussian:1,40 --delta 1e-9
  dpsis account monday.json tuesday.json --eps 3
  dpsis account budget.txt

Exit codes: 0 computed; 2 wrong request, or an event that no theorem
covers; 3 malformed file; 5 reading failed.";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AccountFormat {
    /// Some lines
    Text,
    /// One JSON document
    Json,
}

pub(super) fn account(arguments: &AccountArguments) -> Result<()> {
    let mut releases = Releases::default();
    for release in &arguments.releases {
        releases.add(release)?;
    }
    let account = releases.account(match &arguments.eps {
        Some(epsilon) => Quantity::Delta(epsilon.clone()),
        None => Quantity::Epsilon(arguments.delta.clone()),
    })?;
    Destination::Stdout.write(&match arguments.format {
        AccountFormat::Text => account.text(),
        AccountFormat::Json => to_json(&account)?,
    })
}
