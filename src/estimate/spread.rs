//! The uncertainty of effect sizes and directions, from the noise of the center, its counts and the
//! effect sizes.
//!
//! The noise is simulated again many times and subtracted from the released values: true counts n =
//! N - z, a center that moves a score by up to T = 1/2 sum |z_a - m_a Z| (see `significance.md`), a
//! true effect size s - r up to T. Quantiles of these are the ends of the intervals. Released
//! values depend on the same noise, so the level is not exact; in simulations it is reached or
//! exceeded.

use crate::estimate::effect_sizes::{EffectNoise, error_beyond};
use crate::estimate::significance::laplace;
use crate::random::Bits;

/// The number of simulations of the noise.
const DRAWS: usize = 2_000;

/// The released counts of rows, with their noise.
#[derive(Debug, Clone)]
pub(crate) struct NoisyCounts<'a> {
    /// N_a; rows with a numeric target count in part for both sides.
    pub(crate) counts: &'a [f64],
    /// The noise of each count has probabilities proportional to e^(-rate |z|) on the multiples of
    /// `step`.
    pub(crate) rate: f64,
    pub(crate) step: f64,
}

/// Simulated noise, and its effect on the center and on effect sizes.
pub(crate) struct Spread {
    draws: Vec<Draw>,
    k: usize,
}

struct Draw {
    /// The shift of a score by the center, in rows.
    shift: f64,
    /// True counts.
    counts: Vec<f64>,
    /// The noise of an effect size, in units of its scale.
    effect_size: f64,
}

impl Spread {
    /// Draws for `k` effect sizes with this noise.
    pub(crate) fn new(
        counted: &NoisyCounts<'_>,
        noise: &EffectNoise,
        k: usize,
        bits: &Bits,
    ) -> Self {
        let mut words = bits.lane(0);
        let total: f64 = counted.counts.iter().map(|count| count.max(0.0)).sum();
        let mut draw = || {
            let errors: Vec<f64> = counted
                .counts
                .iter()
                .map(|_| laplace(counted.rate, counted.step, &mut words))
                .collect();
            let drift: f64 = errors.iter().sum();
            let off = |(z, count): (&f64, &f64)| (z - count.max(0.0) / total * drift).abs();
            Draw {
                shift: errors.iter().zip(counted.counts).map(off).sum::<f64>() / 2.0,
                counts: errors.iter().zip(counted.counts).map(|(z, n)| (n - z).max(0.0)).collect(),
                effect_size: noise.simulated(k, &mut words),
            }
        };
        Self { draws: (0..DRAWS).map(|_| draw()).collect(), k }
    }

    /// The ends of an interval, at this level, for an effect size in rows whose noise has this
    /// scale, divided by the value of `largest` for the simulated counts.
    pub(crate) fn interval(
        &self,
        effect_size: f64,
        scale: f64,
        level: f64,
        largest: impl Fn(&[f64]) -> f64,
    ) -> [f64; 2] {
        let end = |sign: f64| {
            let value = |draw: &Draw| {
                let rows = effect_size - draw.effect_size * scale + sign * draw.shift;
                rows.max(0.0) / largest(&draw.counts).max(f64::MIN_POSITIVE)
            };
            let mut values: Vec<f64> = self.draws.iter().map(value).collect();
            values.sort_unstable_by(f64::total_cmp);
            let place = (1.0 + sign * level) / 2.0 * (DRAWS - 1) as f64;
            values[place.round() as usize]
        };
        [end(-1.0), end(1.0)]
    }

    /// The probability of a sign as clear as that of `sum`, in rows with noise of this scale, if
    /// the other sign is right and the center moved the sum as far as it can.
    pub(crate) fn error_of_sign(&self, sum: f64, scale: f64) -> f64 {
        let error = |draw: &Draw| error_beyond(self.k, (sum.abs() - draw.shift).max(0.0) / scale);
        self.draws.iter().map(error).sum::<f64>() / DRAWS as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_rational::BigRational;

    use crate::random::Entropy;

    /// Both laws of noise of effect sizes.
    fn laws() -> [EffectNoise; 2] {
        let rho = BigRational::new(1.into(), 10.into());
        [EffectNoise::Pure("1".parse().unwrap()), EffectNoise::Concentrated { rho }]
    }

    fn bits(seed: u64) -> Bits {
        Entropy::Seeded(seed).source().unwrap().bits(4)
    }

    /// With exact counts the interval is that of the noise of the effect sizes, which is known.
    #[test]
    fn exact_counts_leave_the_noise_of_effect_sizes() {
        let counted = NoisyCounts { counts: &[500.0, 500.0], rate: 1e6, step: 1.0 };
        for (k, law) in laws().into_iter().flat_map(|law| [(1, law.clone()), (5, law)]) {
            let spread = Spread::new(&counted, &law, k, &bits(3));
            let [low, high] = spread.interval(200.0, 10.0, 0.9, |counts| counts.iter().sum());
            let half = law.half_width(k, 0.9) * 10.0 / 1000.0;
            // The quantiles of 2,000 draws are accurate within a tenth.
            assert!((low - (0.2 - half)).abs() < 0.1 * half, "{k}: {low}");
            assert!((high - (0.2 + half)).abs() < 0.1 * half, "{k}: {high}");
            let error = spread.error_of_sign(-30.0, 10.0);
            assert!((error - error_beyond(k, 3.0)).abs() < 1e-9);
        }
    }

    /// Intervals cover the effect size of a fictitious column, with noise in all released values,
    /// in 90 of 100 cases or more.
    #[test]
    fn intervals_cover() {
        let (n, rate, scale, runs) = ([140.0, 60.0], 0.2, 5.0, 400);
        let largest =
            |counts: &[f64]| 2.0 * counts[0] * counts[1] / (counts[0] + counts[1]).max(1.0);
        let truth = 0.4;
        for law in laws() {
            let mut covered = 0;
            for seed in 0..runs {
                let mut words = bits(seed).lane(1);
                let counts: Vec<f64> =
                    n.iter().map(|n| n + laplace(rate, 1.0, &mut words)).collect();
                let share = |c: &[f64]| c[1] / (c[0] + c[1]);
                // A column whose score is shifted as far as the center allows.
                let shift = 200.0 * (share(&counts) - share(&n)).abs();
                let sign = if seed % 2 == 0 { 1.0 } else { -1.0 };
                let noise = law.simulated(5, &mut words) * scale;
                let released = truth * largest(&n) + sign * shift + noise;
                let counted = NoisyCounts { counts: &counts, rate, step: 1.0 };
                let [low, high] = Spread::new(&counted, &law, 5, &bits(seed))
                    .interval(released, scale, 0.9, largest);
                covered += u32::from(low <= truth && truth <= high);
            }
            // Below 345 of 400 with probability under 0.01 at 90%.
            assert!(covered >= 345, "{covered}");
        }
    }
}
