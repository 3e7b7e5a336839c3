//! Arguments on the mechanism and its parameters.

use std::sync::Arc;

use clap::Args;

use dpsis::Mechanism;
use dpsis::Result;
use dpsis::mechanism::{CARDS, Parameters, by_id};

/// The mechanism and its parameters.
#[derive(Debug, Args)]
pub(super) struct MechanismArguments {
    /// How candidates are chosen from their scores [default: canonical; peel for --method two-stage]
    #[arg(
        long,
        value_name = "ID",
        value_parser = clap::builder::PossibleValuesParser::new(CARDS.map(|card| card.id)),
        help_heading = "Mechanism"
    )]
    mechanism: Option<String>,

    #[command(flatten)]
    parameters: ParameterArguments,
}

/// The parameters of mechanisms.
#[derive(Debug, Args)]
pub(super) struct ParameterArguments {
    /// canonical: from 0 (leave out no good candidate: best if fewer than k are good) to 1 (take no bad
    /// one: best if k or more are good) [default: 1/2, and 1 for k = 1]; rs, rs-tnb: the probability of
    /// stopping after a look [default: 1/(10 candidates)]
    #[arg(long, value_name = "GAMMA", allow_hyphen_values = true, help_heading = "Mechanism")]
    gamma: Option<String>,

    /// gem, mgem, cgem: how seldom noise exceeds what a candidate is charged for its sensitivity
    /// [default: 0.05]
    #[arg(long, value_name = "BETA", allow_hyphen_values = true, help_heading = "Mechanism")]
    beta: Option<String>,

    /// cgem: the share of the budget for the question which way to go [default: 0.2]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true, help_heading = "Mechanism")]
    share: Option<String>,

    /// rs-tnb: the shape of the number of looks, 0 logarithmic, 1 geometric [default: 0]
    #[arg(long, value_name = "ETA", allow_hyphen_values = true, help_heading = "Mechanism")]
    eta: Option<String>,

    /// noisy-max: the noise, exponential, laplace or gumbel [default: exponential]
    #[arg(long, value_name = "NOISE", help_heading = "Mechanism")]
    pub(super) noise: Option<String>,
}

impl ParameterArguments {
    pub(super) fn parameters(&self) -> Parameters {
        let mut parameters = Parameters::default();
        parameters.gamma.clone_from(&self.gamma);
        parameters.noise.clone_from(&self.noise);
        parameters.beta.clone_from(&self.beta);
        parameters.share.clone_from(&self.share);
        parameters.eta.clone_from(&self.eta);
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
    /// Whether anything is stated.
    pub(super) fn is_stated(&self) -> bool {
        self.mechanism.is_some() || self.parameters.is_stated()
    }

    /// The mechanism; `default` names it where none is stated.
    pub(super) fn mechanism(&self, default: &str) -> Result<Arc<dyn Mechanism>> {
        self.parameters.mechanism(self.mechanism.as_deref().unwrap_or(default))
    }
}
