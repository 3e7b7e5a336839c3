//! The masks of two sites: a stream of words that only they can compute.

use hkdf::Hkdf;
use sha2::Sha256;
use x25519_dalek::{PublicKey, StaticSecret};

use super::hex::Bytes32;
use super::roster::Site;
use crate::error::{Error, Parameter, Result};
use crate::random::{Bits, WordStream};

/// The label of the use of these keys: other uses and versions have other labels.
const LABEL: &[u8] = b"dpsis masks of sites 1";

/// The public key of a secret key.
pub(super) fn public_key(secret: Bytes32) -> Bytes32 {
    Bytes32(PublicKey::from(&StaticSecret::from(secret.0)).to_bytes())
}

/// The context on which the masks of a pair depend besides their secret.
pub(super) struct Use {
    /// The hash of the roster: a restart has other sites, keys and nonces.
    pub(super) roster: Bytes32,
    /// The hash of the masked partial without its numbers: each stage and request has masks of its
    /// own.
    pub(super) subject: Bytes32,
}

impl Use {
    /// The masks of the site with this secret and of another one; the first of the two in the
    /// roster comes first.
    ///
    /// # Errors
    ///
    /// `Request` if the other site's key is one of the few with which everybody agrees on the same
    /// secret.
    pub(super) fn masks(&self, secret: Bytes32, first: &Site, second: &Site) -> Result<WordStream> {
        let secret = StaticSecret::from(secret.0);
        let own = PublicKey::from(&secret).to_bytes();
        let other = if first.key.0 == own { second } else { first };
        let shared = secret.diffie_hellman(&PublicKey::from(other.key.0));
        if !shared.was_contributory() {
            let rule = format!("the key of the site {} hides nothing", other.name());
            return Err(Error::request(rule).about([Parameter::Roster]));
        }
        let mut key = [0; 32];
        let info = [LABEL, &first.key.0, &second.key.0, &self.subject.0];
        Hkdf::<Sha256>::new(Some(&self.roster.0), shared.as_bytes())
            .expand_multi_info(&info, &mut key)
            .map_err(|_| Error::io("no key for the masks"))?;
        Ok(Bits::of_key(key).lane(0))
    }
}
