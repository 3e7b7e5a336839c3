//! Arguments on the mechanism and its parameters.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Args;

use dpsis::mechanism::{CARDS, Card, Chooses, Mechanism, Parameters, Sensitivity, by_id};
use dpsis::{MethodOptions, Result};

/// The mechanism and its parameters.
#[derive(Debug, Args)]
pub(super) struct MechanismArguments {
    /// How candidates are chosen from their scores [default: by k: peel-pnf up to 2; up to 10
    /// canonical if the released counts of rows are enough to place all k at once, else peel-pnf;
    /// above 10 a private draw decides between them. canonical without --k or a private center, with
    /// --refine, or if all features are selected; peel for --method two-stage, em for dpkendall]
    #[arg(
        long,
        value_name = "ID",
        value_parser = clap::builder::PossibleValuesParser::new(CARDS.map(value)),
        hide_short_help = true, help_heading = "Mechanism"
    )]
    mechanism: Option<String>,

    #[command(flatten)]
    gamma: GammaArgument,
}

/// The parameter of the mechanisms that select features.
#[derive(Debug, Args)]
struct GammaArgument {
    #[arg(
        long,
        value_name = "GAMMA",
        allow_hyphen_values = true,
        hide_short_help = true, help_heading = "Mechanism",
        help = help("gamma")
    )]
    gamma: Option<String>,
}

/// The parameters of mechanisms, explained by the cards that list them.
#[derive(Debug, Args)]
pub(super) struct ParameterArguments {
    #[command(flatten)]
    gamma: GammaArgument,

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

    #[arg(
        long,
        value_name = "LEVEL",
        allow_hyphen_values = true,
        hide_short_help = true, help_heading = "Mechanism",
        help = help("level")
    )]
    level: Option<String>,

    #[arg(
        long,
        value_name = "ALPHA",
        allow_hyphen_values = true,
        hide_short_help = true, help_heading = "Mechanism",
        help = help("alpha")
    )]
    alpha: Option<String>,

    #[arg(long, value_name = "RATE", hide_short_help = true, help_heading = "Mechanism", help = help("rate"))]
    rate: Option<String>,
}

/// The name of a mechanism. A mechanism that cannot select features is hidden from the list and
/// refused with the reason.
fn value(card: &Card) -> clap::builder::PossibleValue {
    let selects = card.sensitivity != Sensitivity::Own && card.chooses != Chooses::AtMost;
    clap::builder::PossibleValue::new(card.id).hide(!selects)
}

/// The help of a parameter: the mechanisms that take it, its meaning, range and default.
fn help(name: &str) -> String {
    let takes = |card: &&Card| card.parameters.iter().any(|own| own.name == name);
    let ids: Vec<&str> = CARDS.into_iter().filter(takes).map(|card| card.id).collect();
    let mut all = CARDS.into_iter().flat_map(|card| card.parameters);
    // A parameter has the same meaning for every mechanism that takes it.
    all.find(|own| own.name == name).map_or_else(String::new, |own| {
        format!("{}: {}; {} [default: {}]", ids.join(", "), own.meaning, own.range, own.default)
    })
}

impl ParameterArguments {
    /// The given parameters, by name.
    pub(super) fn named(&self) -> BTreeMap<String, String> {
        let Self { gamma, beta, share, stop, eta, noise, level, alpha, rate } = self;
        given([
            ("gamma", &gamma.gamma),
            ("beta", beta),
            ("share", share),
            ("stop", stop),
            ("eta", eta),
            ("noise", noise),
            ("level", level),
            ("alpha", alpha),
            ("rate", rate),
        ])
    }

    pub(super) fn parameters(&self) -> Result<Parameters> {
        Parameters::named(&self.named())
    }

    pub(super) fn is_given(&self) -> bool {
        !self.named().is_empty()
    }

    pub(super) fn mechanism(&self, id: &str) -> Result<Arc<dyn Mechanism>> {
        by_id(id, &self.parameters()?)
    }
}

impl MechanismArguments {
    /// Sets the mechanism and its parameters in the options of a method.
    pub(super) fn apply_to(&self, options: &mut MethodOptions) {
        options.mechanism.clone_from(&self.mechanism);
        options.parameters = given([("gamma", &self.gamma.gamma)]);
    }
}

/// The given parameters, by name.
fn given<const N: usize>(all: [(&str, &Option<String>); N]) -> BTreeMap<String, String> {
    let given = all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
    given.collect()
}
