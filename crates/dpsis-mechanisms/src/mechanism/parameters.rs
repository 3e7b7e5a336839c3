//! Parameters of mechanisms.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{Error, Parameter, Result};
use crate::exact::Exact;
use crate::mechanism::Mechanism;

/// A parameter on the [`Card`](super::Card) of a mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MechanismParameter {
    /// Its name: a field of [`Parameters`], and a key in records.
    pub name: &'static str,
    /// Its meaning, in a line.
    pub meaning: &'static str,
    /// The values it may take.
    pub range: &'static str,
    /// The default value.
    pub default: &'static str,
}

/// Values for the parameters of a mechanism, as exact numbers or keywords. A mechanism takes only
/// the parameters on its card ([`Card::parameters`](super::Card::parameters)), which describes
/// them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parameters {
    /// For `canonical`, `canonical-gumbel`: the weight of the worst candidate taken, from 0 to 1.
    pub gamma: Option<Exact>,
    /// For `noisy-max`: `exponential`, `laplace` or `gumbel`.
    pub noise: Option<String>,
    /// For `gem`, `mgem`, `cgem`: the probability with which noise may exceed the charge for
    /// sensitivity.
    pub beta: Option<Exact>,
    /// For `cgem`: the share of the budget for the sign of the correlation.
    pub share: Option<Exact>,
    /// For `rs`, `rs-tnb`: the probability of stopping after a look, from 1e-6 to 1.
    pub stop: Option<Exact>,
    /// For `threshold-set`: the level, in units of the sensitivity.
    pub level: Option<Exact>,
    /// For `threshold-set`: the bound on names at or below the level, from 1e-6 to 0.5.
    pub alpha: Option<Exact>,
    /// For `threshold-set`: the error rate that alpha bounds, `fdr` or `fwer`.
    pub rate: Option<String>,
    /// For `rs-tnb`: the shape of the number of looks, above -1 and at most 1.
    pub eta: Option<Exact>,
}

impl Parameters {
    /// The parameters of these names, with their values as text.
    ///
    /// # Errors
    ///
    /// `Request` if no mechanism has a parameter of a name.
    pub fn named(given: &BTreeMap<String, String>) -> Result<Self> {
        let mut parameters = Self::default();
        given.iter().try_for_each(|(name, value)| parameters.set(name, value))?;
        Ok(parameters)
    }

    /// Sets the parameter of a name to a value as text.
    ///
    /// # Errors
    ///
    /// `Request` if no mechanism has a parameter of this name.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let (number, word) = (|| Some(Exact::from(value)), || Some(value.to_owned()));
        match name {
            "gamma" => self.gamma = number(),
            "beta" => self.beta = number(),
            "share" => self.share = number(),
            "stop" => self.stop = number(),
            "eta" => self.eta = number(),
            "level" => self.level = number(),
            "alpha" => self.alpha = number(),
            "noise" => self.noise = word(),
            "rate" => self.rate = word(),
            _ => {
                let rule = "no mechanism has a parameter of this name";
                return Err(Error::request(rule).about([Parameter::Mechanism]));
            }
        }
        Ok(())
    }

    /// The names of the parameters that have a value.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("gamma", self.gamma.is_some()),
            ("noise", self.noise.is_some()),
            ("beta", self.beta.is_some()),
            ("share", self.share.is_some()),
            ("eta", self.eta.is_some()),
            ("stop", self.stop.is_some()),
            ("level", self.level.is_some()),
            ("alpha", self.alpha.is_some()),
            ("rate", self.rate.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name)
    }
}

/// A mechanism with a single parameter: from its value, or the default one.
pub(super) fn with_one<M: Mechanism + Default + 'static>(
    given: &Option<Exact>,
    with: fn(Exact) -> Result<M>,
) -> Result<Arc<dyn Mechanism>> {
    Ok(Arc::new(given.clone().map_or_else(|| Ok(M::default()), with)?))
}
