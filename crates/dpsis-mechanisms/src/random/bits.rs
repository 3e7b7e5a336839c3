//! Sources of random bits, and the addresses of the bits.

use num_bigint::BigUint;
use rand::RngCore;
use rand::rngs::OsRng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::error::{Error, Result};

/// The source of the key of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Entropy {
    /// A fresh 256-bit key from the operating system.
    #[default]
    OperatingSystem,
    /// A key derived from a public number: for tests and examples, never for a release.
    Seeded(u64),
}

impl Entropy {
    /// Makes the source of keys for the draws.
    ///
    /// # Errors
    ///
    /// `Io` if the operating system gives no entropy.
    pub fn source(self) -> Result<RandomnessSource> {
        let mut key = [0; 32];
        match self {
            Self::OperatingSystem => OsRng
                .try_fill_bytes(&mut key)
                .map_err(|_| Error::io("the operating system gave no random bytes"))?,
            Self::Seeded(seed) => key[..8].copy_from_slice(&seed.to_le_bytes()),
        }
        Ok(RandomnessSource { master: key })
    }
}

/// Derives a separate key for each draw of a release.
///
/// The key of draw i is the start of ChaCha20's stream i under the master key.
pub struct RandomnessSource {
    master: [u8; 32],
}

impl RandomnessSource {
    /// The bits of draw number `draw`; the same number gives the same bits.
    pub fn bits(&self, draw: u64) -> Bits {
        Bits { key: self.master }.branch(draw)
    }
}

/// The address of a candidate's bits: lane below 2^31, position below 2^32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// The lane, such as a step of a mechanism.
    pub lane: u64,
    /// The position in it, such as a candidate.
    pub position: u64,
}

/// The first of the lanes that hold a candidate's bits after its first 64.
const REFINEMENT: u64 = 1 << 63;

impl Address {
    fn refinement_lane(self) -> u64 {
        REFINEMENT | self.lane << 32 | self.position
    }
}

/// All random bits of one draw: 2^64 lanes of 64-bit words.
pub struct Bits {
    key: [u8; 32],
}

impl Bits {
    /// The bits under a key that was agreed on elsewhere.
    pub fn of_key(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// The first 32 bytes of a lane, as the key of something else.
    pub fn key(&self, lane: u64) -> [u8; 32] {
        self.branch(lane).key
    }

    /// Reads the words of a lane in order.
    pub fn lane(&self, lane: u64) -> WordStream {
        let mut rng = ChaCha20Rng::from_seed(self.key);
        rng.set_stream(lane);
        WordStream { rng }
    }

    /// The bits under the key at the start of a lane: another 2^64 lanes.
    pub fn branch(&self, lane: u64) -> Self {
        let mut key = [0; 32];
        self.lane(lane).rng.fill_bytes(&mut key);
        Self { key }
    }

    /// The word at a position of a lane.
    pub(crate) fn word(&self, lane: u64, position: u64) -> u64 {
        let mut stream = self.lane(lane);
        // The generator counts 32-bit words.
        stream.rng.set_word_pos(2 * u128::from(position));
        stream.next_word()
    }

    /// The first `words` words of a candidate's bits as one integer.
    pub(crate) fn prefix(&self, address: Address, words: u64) -> BigUint {
        let first = BigUint::from(self.word(address.lane, address.position));
        let mut more = self.lane(address.refinement_lane());
        (1..words).fold(first, |prefix, _| (prefix << 64u32) | BigUint::from(more.next_word()))
    }
}

/// The words of one lane in order.
pub struct WordStream {
    rng: ChaCha20Rng,
}

impl WordStream {
    /// The next 64 uniform bits.
    #[inline]
    pub fn next_word(&mut self) -> u64 {
        self.rng.next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_does_not_depend_on_how_it_is_reached() {
        let bits = Entropy::Seeded(7).source().unwrap().bits(3);
        let mut stream = bits.lane(5);
        for position in 0..1000 {
            assert_eq!(stream.next_word(), bits.word(5, position));
        }
    }

    /// No two addresses, and no address and a plain lane below 2^63, share the bits of their
    /// refinement.
    #[test]
    fn refinements_are_separate() {
        let mut seen = std::collections::HashSet::new();
        let most = (1 << 31) - 1;
        for lane in [0, 1, 2, 1 << 30, most] {
            for position in [0, 1, 2, 1 << 31, u64::from(u32::MAX)] {
                let own = Address { lane, position }.refinement_lane();
                assert!(own >= 1 << 63 && seen.insert(own), "{lane} {position}");
            }
        }
    }

    #[test]
    fn draws_lanes_and_seeds_are_separate() {
        let mut seen = std::collections::HashSet::new();
        for seed in 0..4 {
            let source = Entropy::Seeded(seed).source().unwrap();
            for draw in 0..4 {
                for lane in [0, 1, 1 << 63] {
                    for position in 0..4 {
                        assert!(seen.insert(source.bits(draw).word(lane, position)));
                    }
                }
            }
        }
    }

    /// The first words of ChaCha20 (RFC 8439, appendix A.1, test vector 1: key, nonce and counter
    /// all zero) are the key of draw 0 under seed 0.
    #[test]
    fn keys_are_the_published_stream() {
        let bits = Entropy::Seeded(0).source().unwrap().bits(0);
        assert_eq!(bits.key[..8], [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
    }

    #[test]
    fn the_operating_system_never_repeats() {
        let key = || Entropy::OperatingSystem.source().unwrap().master;
        assert_ne!(key(), key());
    }
}
