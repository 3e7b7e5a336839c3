//! Independent seeds derived from one given seed.

use sha2::{Digest, Sha256};

/// Derives the seed of a trial of a named part of a computation, by SHA-256 of all arguments.
pub fn seed_of(seed: u64, names: &[&str], trial: u64) -> u64 {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(trial.to_le_bytes());
    for name in names {
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name);
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hash.finalize()[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_trials_have_seeds_of_their_own() {
        let all = [
            seed_of(1, &["a", "b"], 0),
            seed_of(2, &["a", "b"], 0),
            seed_of(1, &["a", "b"], 1),
            seed_of(1, &["ab"], 0),
            seed_of(1, &["ab", ""], 0),
        ];
        for (i, seed) in all.iter().enumerate() {
            assert!(!all[..i].contains(seed));
        }
    }
}
