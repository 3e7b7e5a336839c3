//! All private mechanisms, by their names.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::mechanism::{
    CanonicalGumbel, CanonicalLipschitz, Card, ExponentialMechanism, Joint, JointPermuteAndFlip,
    JointSet, KaryRandomizedResponse, LaplaceTopK, Mechanism, NoisyMax, Peel, PeelPermuteAndFlip,
    PermuteAndFlip, canonical, em, joint, joint_set, krr, laplace, noisy_max, peel, peel_pnf, pnf,
};

/// The cards of all private mechanisms.
pub static CARDS: [&Card; 12] = [
    &canonical::CARD,
    &canonical::GUMBEL_CARD,
    &joint::CARD,
    &joint::PNF_CARD,
    &joint_set::CARD,
    &peel::CARD,
    &peel_pnf::CARD,
    &laplace::CARD,
    &em::CARD,
    &pnf::CARD,
    &noisy_max::CARD,
    &krr::CARD,
];

/// What may be stated of a mechanism, as text; each takes only what is its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Parameters {
    /// For `canonical`, `canonical-gumbel`: the weight of the worst pick, from 0 to 1.
    pub gamma: Option<String>,
    /// For `noisy-max`: `exponential`, `laplace` or `gumbel`.
    pub noise: Option<String>,
}

impl Parameters {
    /// Those that are stated, by name.
    fn stated(&self) -> Vec<&'static str> {
        let all = [("gamma", &self.gamma), ("noise", &self.noise)];
        all.into_iter().filter(|(_, stated)| stated.is_some()).map(|(name, _)| name).collect()
    }
}

/// The mechanism of this name, with these parameters.
///
/// # Errors
///
/// `Request` if there is no such mechanism, or a parameter is not one of its own or out of range.
///
/// ```
/// use dpsis::mechanism::{CARDS, Mechanism, Parameters, by_id};
///
/// for card in CARDS {
///     assert_eq!(by_id(card.id, &Parameters::default())?.card().id, card.id);
/// }
/// # Ok::<(), dpsis::Error>(())
/// ```
pub fn by_id(id: &str, parameters: &Parameters) -> Result<Arc<dyn Mechanism>> {
    let own: &[&str] = match id {
        "canonical" | "canonical-gumbel" => &["gamma"],
        "noisy-max" => &["noise"],
        _ => &[],
    };
    if let Some(foreign) = parameters.stated().into_iter().find(|name| !own.contains(name)) {
        return Err(Error::request(format!("{id} takes no --{foreign}")));
    }
    let gamma = parameters.gamma.as_deref();
    let noise = parameters.noise.as_deref();
    Ok(match id {
        "canonical" => match gamma {
            Some(gamma) => Arc::new(CanonicalLipschitz::with_gamma(gamma)?),
            None => Arc::new(CanonicalLipschitz::default()),
        },
        "canonical-gumbel" => match gamma {
            Some(gamma) => Arc::new(CanonicalGumbel::with_gamma(gamma)?),
            None => Arc::new(CanonicalGumbel::default()),
        },
        "joint" => Arc::new(Joint),
        "joint-pnf" => Arc::new(JointPermuteAndFlip),
        "joint-set" => Arc::new(JointSet),
        "peel" => Arc::new(Peel),
        "peel-pnf" => Arc::new(PeelPermuteAndFlip),
        "laplace" => Arc::new(LaplaceTopK),
        "em" => Arc::new(ExponentialMechanism),
        "pnf" => Arc::new(PermuteAndFlip),
        "noisy-max" => match noise {
            Some(noise) => Arc::new(NoisyMax::with_noise_named(noise)?),
            None => Arc::new(NoisyMax::default()),
        },
        "krr" => Arc::new(KaryRandomizedResponse),
        _ => {
            let ids: Vec<&str> = CARDS.iter().map(|card| card.id).collect();
            return Err(Error::request("there is no such mechanism")
                .hint(format!("the mechanisms are {}", ids.join(", "))));
        }
    })
}
