//! All private mechanisms, by their names.

use std::sync::Arc;

use crate::error::{Error, Parameter, Result};
use crate::mechanism::{
    Card, Mechanism, Parameters, canonical, cgem, em, gamma, gem, joint, joint_set, krr, laplace,
    mgem, noisy_max, peel, peel_pnf, pnf, rs, rs_tnb, threshold_set,
};

/// The cards of all private mechanisms.
pub static CARDS: [&Card; 19] = [
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
    &threshold_set::CARD,
];

/// The mechanism of this name, with these parameters.
///
/// # Errors
///
/// `Request` if the name is unknown, or a parameter is not on its card or out of range.
///
/// ```
/// use dpsis_mechanisms::mechanism::{CARDS, Mechanism, Parameters, by_id};
///
/// for card in CARDS {
///     assert_eq!(by_id(card.id, &Parameters::default())?.card().id, card.id);
/// }
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
pub fn by_id(id: &str, parameters: &Parameters) -> Result<Arc<dyn Mechanism>> {
    let card = CARDS.into_iter().find(|card| card.id == id).ok_or_else(|| {
        let ids = CARDS.map(|card| card.id).join(", ");
        Error::request("there is no such mechanism")
            .hint(format!("the mechanisms are {ids}"))
            .about([Parameter::Mechanism])
    })?;
    let is_foreign = |name: &&str| card.parameters.iter().all(|own| own.name != *name);
    match parameters.given().find(is_foreign) {
        Some(foreign) => Err(Error::request(format!("{id} takes no parameter `{foreign}`"))
            .about([Parameter::OfMechanism(foreign)])),
        None => (card.build)(parameters),
    }
}
