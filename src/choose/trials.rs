//! Counted outcomes of many choices, for evaluation on public scores.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::mechanism::Baseline;
use crate::privacy::{Epsilon, NotPrivate, Purpose};
use crate::random::{Bits, Entropy, RandomnessSource};
use crate::score::Scores;
use crate::threads::{available_threads, on_threads};

/// The frequency of each outcome. An outcome lists the 0-based indices of the picks, in the
/// mechanism's order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trials {
    /// Outcomes and their counts.
    pub counts: BTreeMap<Vec<usize>, u64>,
}

impl Trials {
    /// The maximum number of choices in one call, 2^40.
    pub const MAX: u64 = 1 << 40;

    /// Counts choices by a baseline, for comparison: not private.
    ///
    /// # Errors
    ///
    /// As for [`Baseline::pick`].
    pub fn of_baseline(
        baseline: Baseline,
        scores: &Scores,
        k: usize,
        epsilon: &Epsilon,
        trials: u64,
        seed: Option<u64>,
    ) -> Result<NotPrivate<Self>> {
        let entropy = seed.map_or(Entropy::OperatingSystem, Entropy::Seeded);
        let counted = Self::count(trials, entropy, |bits| baseline.draw(scores, k, epsilon, bits));
        counted.map(NotPrivate::new)
    }

    /// Counts in parallel. Each trial has its own random bits, so the counts do not depend on the
    /// number of threads.
    pub(crate) fn count(
        trials: u64,
        entropy: Entropy,
        draw: impl Fn(&Bits) -> Result<Vec<usize>> + Sync,
    ) -> Result<Self> {
        if trials > Self::MAX {
            return Err(Error::request(format!("there must be at most {} trials", Self::MAX)));
        }
        let source = entropy.source()?;
        let threads = available_threads() as u64;
        let share = trials.div_ceil(threads).max(1);
        let work = |from: u64| count_some(from..(from + share).min(trials), &source, &draw);
        let mut counts = BTreeMap::new();
        for some in on_threads(trials.div_ceil(share) as usize, |part| work(part as u64 * share)) {
            for (outcome, count) in some? {
                *counts.entry(outcome).or_insert(0) += count;
            }
        }
        Ok(Self { counts })
    }

    /// The counts of sets: outcomes with their picks sorted by index.
    pub fn unordered(&self) -> BTreeMap<Vec<usize>, u64> {
        let mut sets = BTreeMap::new();
        for (outcome, count) in &self.counts {
            let mut set = outcome.clone();
            set.sort_unstable();
            *sets.entry(set).or_insert(0) += count;
        }
        sets
    }
}

fn count_some(
    trials: std::ops::Range<u64>,
    source: &RandomnessSource,
    draw: impl Fn(&Bits) -> Result<Vec<usize>>,
) -> Result<BTreeMap<Vec<usize>, u64>> {
    let mut counts = BTreeMap::new();
    for trial in trials {
        // The first trial has the bits of a run with the same seed.
        let bits = source.bits(Purpose::Selection.draw() + 16 * trial);
        *counts.entry(draw(&bits)?).or_insert(0) += 1;
    }
    Ok(counts)
}
