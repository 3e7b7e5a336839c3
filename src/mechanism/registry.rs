//! All private mechanisms, by their names.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::mechanism::{
    CanonicalGumbel, CanonicalLipschitz, Card, CombinedGem, ExponentialMechanism, Gamma, Gem,
    Joint, JointPermuteAndFlip, JointSet, KaryRandomizedResponse, LaplaceTopK, Mechanism,
    ModifiedGem, NoisyMax, Peel, PeelPermuteAndFlip, PermuteAndFlip, RandomStopping,
    TruncatedNegativeBinomialStopping, canonical, cgem, em, gamma, gem, joint, joint_set, krr,
    laplace, mgem, noisy_max, peel, peel_pnf, pnf, rs, rs_tnb,
};

/// The cards of all private mechanisms.
pub static CARDS: [&Card; 18] = [
    &canonical::CARD,
    &canonical::GUMBEL_CARD,
    &joint::CARD,
    &joint::PNF_CARD,
    &joint_set::CARD,
    &peel::CARD,
    &peel_pnf::CARD,
    &laplace::CARD,
    &gamma::CARD,
    &em::CARD,
    &pnf::CARD,
    &noisy_max::CARD,
    &krr::CARD,
    &gem::CARD,
    &mgem::CARD,
    &cgem::CARD,
    &rs::CARD,
    &rs_tnb::CARD,
];

/// What may be stated of a mechanism, as text; each takes only what is its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Parameters {
    /// For `canonical`, `canonical-gumbel`: the weight of the worst pick, from 0 to 1; for `rs`,
    /// `rs-tnb`: the probability of stopping after a look.
    pub gamma: Option<String>,
    /// For `noisy-max`: `exponential`, `laplace` or `gumbel`.
    pub noise: Option<String>,
    /// For `gem`, `mgem`, `cgem`: from 0 to 1, how seldom noise exceeds what sensitivity is charged.
    pub beta: Option<String>,
    /// For `cgem`: the share of the budget for the question which way to go.
    pub share: Option<String>,
    /// For `rs-tnb`: the shape of the number of looks, above -1 and at most 1.
    pub eta: Option<String>,
}

impl Parameters {
    /// Those that are stated, by name.
    fn stated(&self) -> Vec<&'static str> {
        let all = [
            ("gamma", &self.gamma),
            ("noise", &self.noise),
            ("beta", &self.beta),
            ("share", &self.share),
            ("eta", &self.eta),
        ];
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
        "gem" | "mgem" => &["beta"],
        "cgem" => &["beta", "share"],
        "rs" => &["gamma"],
        "rs-tnb" => &["eta", "gamma"],
        _ => &[],
    };
    if let Some(foreign) = parameters.stated().into_iter().find(|name| !own.contains(name)) {
        return Err(Error::request(format!("{id} takes no --{foreign}")));
    }
    let gamma = parameters.gamma.as_deref();
    let noise = parameters.noise.as_deref();
    let beta = parameters.beta.as_deref();
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
        "gamma" => Arc::new(Gamma),
        "em" => Arc::new(ExponentialMechanism),
        "pnf" => Arc::new(PermuteAndFlip),
        "noisy-max" => match noise {
            Some(noise) => Arc::new(NoisyMax::with_noise_named(noise)?),
            None => Arc::new(NoisyMax::default()),
        },
        "krr" => Arc::new(KaryRandomizedResponse),
        "gem" => match beta {
            Some(beta) => Arc::new(Gem::with_beta(beta)?),
            None => Arc::new(Gem::default()),
        },
        "mgem" => match beta {
            Some(beta) => Arc::new(ModifiedGem::with_beta(beta)?),
            None => Arc::new(ModifiedGem::default()),
        },
        "cgem" => Arc::new(CombinedGem::with(beta, parameters.share.as_deref())?),
        "rs" => match gamma {
            Some(gamma) => Arc::new(RandomStopping::with_gamma(gamma)?),
            None => Arc::new(RandomStopping::default()),
        },
        "rs-tnb" => {
            let eta = parameters.eta.as_deref();
            Arc::new(TruncatedNegativeBinomialStopping::with(eta, gamma)?)
        }
        _ => {
            let ids: Vec<&str> = CARDS.iter().map(|card| card.id).collect();
            return Err(Error::request("there is no such mechanism")
                .hint(format!("the mechanisms are {}", ids.join(", "))));
        }
    })
}
