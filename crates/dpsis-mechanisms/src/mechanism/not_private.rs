//! Choices for comparison, which are not private or use no scores. They cannot be used for a
//! release, and their results have a type of their own.

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::error::{Error, Result};
use crate::mechanism::draw::check_size;
use crate::mechanism::looks::best_look_at_each;
use crate::privacy::{Epsilon, NotPrivate, Purpose};
use crate::random::{Bits, Entropy, FirstArrival, uniform_subset};
use crate::scores::Scores;

/// A choice for comparison only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Baseline {
    /// `sis`: the k best scores, without noise (sure independence screening, for features).
    Best,
    /// `random`: any k.
    Random,
    /// `rnm-h`: report-noisy-max with noise of each candidate's own scale, exponential: not private
    /// at any epsilon; see the counterexamples in "Private Selection with Heterogeneous
    /// Sensitivities" (2025).
    OwnExponentialNoise,
    /// The same with Laplace noise.
    OwnLaplaceNoise,
}

impl Baseline {
    /// The names.
    pub const IDS: [&str; 3] = ["sis", "random", "rnm-h"];

    /// By name; the noise, for `rnm-h`, is `exponential` (the default) or `laplace`.
    ///
    /// # Errors
    ///
    /// `Request` if the name or the noise is unknown.
    pub fn by_id(id: &str, noise: Option<&str>) -> Result<Self> {
        match (id, noise) {
            ("sis", None) => Ok(Self::Best),
            ("random", None) => Ok(Self::Random),
            ("rnm-h", None | Some("exponential")) => Ok(Self::OwnExponentialNoise),
            ("rnm-h", Some("laplace")) => Ok(Self::OwnLaplaceNoise),
            ("rnm-h", Some(_)) => {
                Err(Error::request("the noise of rnm-h must be exponential or laplace"))
            }
            ("sis" | "random", Some(_)) => {
                Err(Error::request(format!("{id} takes no parameter `noise`")))
            }
            _ => Err(Error::request("there is no such choice for comparison")),
        }
    }

    /// k candidates: ascending, or for noise in the order of their noisy scores.
    ///
    /// # Errors
    ///
    /// `Request` if k is 0 or exceeds the number of candidates, or there are 2^31 or more; `Io` if
    /// the operating system gives no entropy.
    pub fn pick(
        self,
        scores: &Scores,
        k: usize,
        epsilon: &Epsilon,
        seed: Option<u64>,
    ) -> Result<NotPrivate<Vec<usize>>> {
        let entropy = seed.map_or(Entropy::OperatingSystem, Entropy::Seeded);
        let bits = entropy.source()?.bits(Purpose::Selection.draw());
        self.draw(scores, k, epsilon, &bits).map(NotPrivate::new)
    }

    /// The same with given random bits.
    pub fn draw(
        self,
        scores: &Scores,
        k: usize,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> Result<Vec<usize>> {
        let d = scores.values().len();
        check_size(d, k)?;
        let law = match self {
            Self::Best => {
                let mut order: Vec<usize> = (0..d).collect();
                order.sort_unstable_by_key(|&i| (std::cmp::Reverse(scores.values()[i]), i));
                order.truncate(k);
                order.sort_unstable();
                return Ok(order);
            }
            Self::Random => {
                let drawn = uniform_subset(&mut bits.lane(0), d as u64, k as u64);
                let mut picks: Vec<usize> = drawn.into_iter().map(|i| i as usize).collect();
                picks.sort_unstable();
                return Ok(picks);
            }
            Self::OwnExponentialNoise => FirstArrival::Uniform,
            Self::OwnLaplaceNoise => FirstArrival::Laplace,
        };
        let rate: BigRational = epsilon.as_rational() / BigInt::from(2 * k);
        Ok(best_look_at_each(scores, &rate, law, k, bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Neighbors;
    use crate::support::goodness::assert_fits;

    fn scores() -> Scores {
        let own = vec![1, 3, 2, 1];
        Scores::with_sensitivities(vec![4, 2, 9, 4], own, Neighbors::AddRemove).unwrap()
    }

    #[test]
    fn best_baseline_picks_the_largest_scores() {
        let best = Baseline::by_id("sis", None).unwrap();
        assert_eq!(*best.pick(&scores(), 2, &"1".parse().unwrap(), None).unwrap(), [0, 2]);
    }

    #[test]
    fn random_is_uniform() {
        let mut counts = vec![0u64; 4];
        for seed in 0..20_000 {
            let picks = Baseline::Random.pick(&scores(), 1, &"1".parse().unwrap(), Some(seed));
            counts[picks.unwrap()[0]] += 1;
        }
        assert_fits(&counts, &[0.25; 4]);
    }

    /// The others at 0 always exceed a candidate at 0 if its noise is small compared with the grid;
    /// from -1 they do not: one table has an outcome that its neighbor cannot have.
    #[test]
    fn own_noise_is_not_private() {
        let wins = |other: i64| {
            let own = vec![1, 1_000_000];
            let scores =
                Scores::with_sensitivities(vec![0, other], own, Neighbors::AddRemove).unwrap();
            let won = |seed| {
                let picks = Baseline::OwnExponentialNoise.pick(
                    &scores,
                    1,
                    &"20".parse().unwrap(),
                    Some(seed),
                );
                picks.unwrap()[0] == 0
            };
            (0..5000).filter(|&seed| won(seed)).count()
        };
        assert!(wins(0) < 5 && wins(-1_000_000) > 4000);
    }

    /// The counterexamples of "Private Selection with Heterogeneous Sensitivities" (2025), section
    /// IV-A and appendix A: candidate 1 has a sensitivity of nearly 0 and score 0, m others one
    /// of 1.
    #[test]
    fn counterexamples_of_the_paper() {
        let eps = 1.0f64;
        // Exponential noise: others at 0 always exceed candidate 1, others at -1 not always.
        let wins = |q: f64, m: i32| (1.0 - (-(eps / 2.0) * (0.0f64 - q)).exp()).powi(m);
        assert_eq!(wins(0.0, 1), 0.0);
        assert!(wins(-1.0, 1) > 0.0);
        // Laplace noise of scale D/eps: each other is e^eps times likelier to stay below 0 from 0
        // than from 1, so m of them give m eps.
        for m in [2, 5, 20] {
            let stays_below = |q: f64| 0.5 * (-eps * q).exp();
            let ratio = f64::from(m) * (stays_below(0.0) / stays_below(1.0)).ln();
            assert!(ratio > f64::from(m) * eps - 1e-12);
        }
    }

    #[test]
    fn names_are_checked() {
        assert!(Baseline::by_id("sis", Some("laplace")).is_err());
        assert!(Baseline::by_id("rnm-h", Some("gumbel")).is_err());
        assert!(Baseline::by_id("peel", None).is_err());
    }
}
