//! Arguments on the mechanism and its parameters.

use std::sync::Arc;

use clap::Args;

use dpsis::mechanism::{CARDS, Card, Mechanism, Parameters, by_id};
use dpsis::{Exact, Result};

/// The mechanism and its parameters.
#[derive(Debug, Args)]
pub(super) struct MechanismArguments {
    /// How candidates are chosen from their scores [default: canonical where the released counts of rows
    /// are enough to place all k at once, else peel-pnf; peel for --method two-stage]
    #[arg(
        long,
        value_name = "ID",
        value_parser = clap::builder::PossibleValuesParser::new(CARDS.map(|card| card.id)),
        hide_short_help = true, help_heading = "Mechanism"
    )]
    mechanism: Option<String>,

    #[command(flatten)]
    parameters: ParameterArguments,
}

/// The parameters of mechanisms, explained by the cards that list them.
#[derive(Debug, Args)]
pub(super) struct ParameterArguments {
    #[arg(
        long,
        value_name = "GAMMA",
        allow_hyphen_values = true,
        hide_short_help = true, help_heading = "Mechanism",
        help = help("gamma")
    )]
    gamma: Option<String>,

    #[arg(
        long,
        value_name = "BETA",
        allow_hyphen_values = true,
        hide_short_help = true, help_heading = "Mechanism",
        help = help("beta")
    )]
    beta: Option<String>,

    #[arg(
        long,
        value_name = "SHARE",
        allow_hyphen_values = true,
        hide_short_help = true, help_heading = "Mechanism",
        help = help("share")
    )]
    share: Option<String>,

    #[arg(
        long,
        value_name = "STOP",
        allow_hyphen_values = true,
        hide_short_help = true, help_heading = "Mechanism",
        help = help("stop")
    )]
    stop: Option<String>,

    #[arg(
        long,
        value_name = "ETA",
        allow_hyphen_values = true,
        hide_short_help = true, help_heading = "Mechanism",
        help = help("eta")
    )]
    eta: Option<String>,

    #[arg(long, value_name = "NOISE", hide_short_help = true, help_heading = "Mechanism", help = help("noise"))]
    pub(super) noise: Option<String>,
}

/// The help of a parameter: the mechanisms that take it, its meaning, range and default.
fn help(name: &str) -> String {
    let takes = |card: &&Card| card.parameters.iter().any(|own| own.name == name);
    let ids: Vec<&str> = CARDS.into_iter().filter(takes).map(|card| card.id).collect();
    let mut all = CARDS.into_iter().flat_map(|card| card.parameters);
    // A name has one meaning, whatever mechanism takes it.
    all.find(|own| own.name == name).map_or_else(String::new, |own| {
        format!("{}: {}; {} [default: {}]", ids.join(", "), own.meaning, own.range, own.default)
    })
}

impl ParameterArguments {
    pub(super) fn parameters(&self) -> Parameters {
        let mut parameters = Parameters::default();
        parameters.gamma = self.gamma.as_ref().map(Exact::from);
        parameters.noise.clone_from(&self.noise);
        parameters.beta = self.beta.as_ref().map(Exact::from);
        parameters.share = self.share.as_ref().map(Exact::from);
        parameters.stop = self.stop.as_ref().map(Exact::from);
        parameters.eta = self.eta.as_ref().map(Exact::from);
        parameters
    }

    pub(super) fn is_stated(&self) -> bool {
        self.parameters() != Parameters::default()
    }

    pub(super) fn mechanism(&self, id: &str) -> Result<Arc<dyn Mechanism>> {
        by_id(id, &self.parameters())
    }
}

impl MechanismArguments {
    /// The value of the option that states a share, for a command that gives it another meaning: of mechanisms, none that
    /// selects features has a share.
    pub(super) fn take_share(&mut self) -> Option<String> {
        self.parameters.share.take()
    }

    /// Whether anything is stated.
    pub(super) fn is_stated(&self) -> bool {
        self.mechanism.is_some() || self.parameters.is_stated()
    }

    /// The mechanism; `default` names it where none is stated.
    pub(super) fn mechanism(&self, default: &str) -> Result<Arc<dyn Mechanism>> {
        self.parameters.mechanism(self.mechanism.as_deref().unwrap_or(default))
    }
}
