//! The share of draws that recover the k best, and the formulas that bound it.

use dpsis::internals::{in_parallel, ln_binomial};
use dpsis::{CanonicalLipschitz, Epsilon, Mechanism, Neighbors, Result, Scores, Seeded};
use dpsis_eval::Estimate;
use dpsis_eval::internals::seed_of;

use crate::experiments::experiment::Experiment;

/// The paper.
pub(super) const SOURCE: &str = "\"Feature Selection from Differentially Private Correlations\"";

/// An arrangement of scores with a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// The k best are equal and all others are equal: the hardest case.
    Step,
    /// Scores above and below the gap decrease by a thousandth of the gap from one to the next.
    Slope,
}

impl Arrangement {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Slope => "slope",
        }
    }
}

/// The parameters of the mechanism and its scores, except for the gap. The seeds of the draws
/// depend on its `Debug` text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Setting {
    pub(super) d: usize,
    pub(super) k: usize,
    pub(super) gamma: &'static str,
    pub(super) epsilon: &'static str,
    pub(super) arrangement: Arrangement,
}

const fn setting(d: usize, k: usize, gamma: &'static str, epsilon: &'static str) -> Setting {
    Setting { d, k, gamma, epsilon, arrangement: Arrangement::Step }
}

/// The settings to simulate.
pub(super) const SETTINGS: [Setting; 10] = [
    setting(100, 2, "0.5", "1"),
    setting(100, 5, "0.5", "1"),
    setting(1000, 5, "0.5", "1"),
    setting(5000, 5, "0.5", "1"),
    setting(2000, 8, "0.5", "1"),
    setting(1000, 5, "0.25", "1"),
    setting(1000, 5, "1", "1"),
    setting(1000, 5, "0.5", "0.1"),
    setting(1000, 5, "0.5", "5"),
    Setting { arrangement: Arrangement::Slope, ..setting(1000, 5, "0.5", "1") },
];

/// The values of ln C(d, k) - xi gamma eps/2 that determine the gaps xi.
const EXPONENTS: [f64; 15] =
    [14.0, 12.0, 10.0, 8.0, 6.0, 4.0, 3.0, 2.0, 1.0, 0.0, -1.0, -2.0, -3.0, -4.0, -6.0];
/// Draws per trial.
const DRAWS: u64 = 10;
/// The sensitivity of the scores, large so that gaps need not be multiples of it.
const SENSITIVITY: u64 = 1 << 20;

/// The results for a setting at one gap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RecoveryCell {
    pub(super) setting: Setting,
    /// The gap xi, in units of the sensitivity.
    pub(super) gap: f64,
    /// The share of draws that took exactly the k best.
    pub(super) recovered: Estimate,
    pub(super) draws: u64,
}

impl RecoveryCell {
    /// Returns ln C(d, k) - xi gamma eps/2.
    fn exponent(&self) -> f64 {
        ln_binomial(self.setting.d, self.setting.k) - self.gap * self.setting.rate()
    }

    /// Returns the theorem's bound, or 0 where that is negative.
    pub(super) fn bound(&self) -> f64 {
        (1.0 - self.exponent().exp()).max(0.0)
    }

    /// Returns the bound with k in place of c = C(d, k)/(d/k)^k.
    pub(super) fn bound_with_k(&self) -> f64 {
        let Setting { d, k, .. } = self.setting;
        (1.0 - (self.exponent() - ln_c(d, k) + (k as f64).ln()).exp()).max(0.0)
    }

    /// Returns the probability of recovery for [`Arrangement::Step`].
    pub(super) fn hardest(&self) -> f64 {
        hardest(ln_binomial(self.setting.d, self.setting.k), self.gap * self.setting.rate())
    }

    /// Returns the standard error of the share if `truth` is the probability.
    pub(super) fn error_at(&self, truth: f64) -> f64 {
        (truth * (1.0 - truth) / self.draws as f64).sqrt()
    }

    /// Returns the two-sided p-value of the exact binomial test of the closed form: twice the
    /// smaller tail.
    pub(super) fn p_value(&self) -> f64 {
        let truth = self.hardest().clamp(1e-300, 1.0 - 1e-16);
        let recovered = (self.recovered.mean * self.draws as f64).round() as usize;
        let draws = self.draws as usize;
        let (yes, no) = (truth.ln(), (1.0 - truth).ln());
        let at =
            |i: usize| (ln_binomial(draws, i) + i as f64 * yes + (draws - i) as f64 * no).exp();
        let below: f64 = (0..=recovered).map(at).sum();
        let above: f64 = (recovered..=draws).map(at).sum();
        (2.0 * below.min(above)).min(1.0)
    }

    /// Returns a copy at another gap, for the formulas.
    pub(super) fn at_gap(&self, gap: f64) -> Self {
        Self { gap, ..self.clone() }
    }
}

impl Setting {
    /// Returns gamma eps/2.
    fn rate(&self) -> f64 {
        let number = |text: &str| text.parse().unwrap_or(f64::NAN);
        number(self.gamma) * number(self.epsilon) / 2.0
    }

    /// Returns scores with a gap in units of the sensitivity; the first k are the best.
    fn scores(&self, gap: f64) -> Result<Scores> {
        let step = match self.arrangement {
            Arrangement::Step => 0.0,
            Arrangement::Slope => gap / 1000.0,
        };
        let value = |rank: usize| {
            let fallen = rank as f64 * step + if rank < self.k { 0.0 } else { gap - step };
            -(fallen * SENSITIVITY as f64).round() as i64
        };
        Scores::new((0..self.d).map(value).collect(), SENSITIVITY, Neighbors::AddRemove)
    }
}

/// Returns ln c = ln C(d, k) - k ln(d/k).
pub(super) fn ln_c(d: usize, k: usize) -> f64 {
    ln_binomial(d, k) - k as f64 * (d as f64 / k as f64).ln()
}

/// Returns (1 - (1 - p)^C)/(C p) with p = e^-handicap.
fn hardest(ln_sets: f64, handicap: f64) -> f64 {
    // C ln(1 - p) is computed from C p, since C and p can be outside the range of floats.
    let p = (-handicap).exp();
    let sets = (ln_sets - handicap).exp();
    let per_p = if p > 0.0 { (-p).ln_1p() / p } else { -1.0 };
    -(sets * per_p).exp_m1() / sets
}

pub(super) fn measure(experiment: &Experiment<'_>, setting: &Setting) -> Result<Vec<RecoveryCell>> {
    let mechanism = CanonicalLipschitz::with_gamma(setting.gamma)?;
    let epsilon: Epsilon = setting.epsilon.parse()?;
    let seed = experiment.seed;
    let best: Vec<usize> = (0..setting.k).collect();
    let name = format!("{setting:?}");
    let sets = ln_binomial(setting.d, setting.k);
    let cell = |exponent: &f64| -> Result<RecoveryCell> {
        let gap = (sets - exponent).max(0.0) / setting.rate();
        let scores = setting.scores(gap)?;
        let draw = |number: u64| -> Result<f64> {
            let seed = seed_of(seed, &["theorem4.1", &name, &exponent.to_string()], number);
            let picks = mechanism.pick(&scores, setting.k, &epsilon, Seeded(seed))?.into_inner();
            Ok(f64::from(u8::from(picks == best)))
        };
        let draws = experiment.trials * DRAWS;
        let found = in_parallel(draws, experiment.threads, draw)?;
        Ok(RecoveryCell { setting: *setting, gap, recovered: Estimate::of(found), draws })
    };
    EXPONENTS.iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use dpsis::internals::binomial;
    use num_traits::ToPrimitive;

    use super::*;
    use crate::experiments::experiment::with;

    fn cell(setting: Setting, gap: f64) -> RecoveryCell {
        RecoveryCell { setting, gap, recovered: Estimate::of([1.0]), draws: 1 }
    }

    /// The bound as printed: 1 - exp(k ln(d/k) + ln c - xi gamma eps/2), with c from the exact
    /// binomial.
    #[test]
    fn the_bound_is_the_printed_one() {
        for (d, k, gamma, epsilon) in [(100, 5, "0.5", "1"), (22283, 10, "0.25", "5")] {
            let per_set = d as f64 / k as f64;
            let sets = binomial(d as u64, k as u64).to_f64().unwrap();
            let c = sets / per_set.powi(k as i32);
            assert!((ln_c(d, k) - c.ln()).abs() < 1e-9);
            let rate = gamma.parse::<f64>().unwrap() * epsilon.parse::<f64>().unwrap() / 2.0;
            for gap in [1.0, sets.ln() / rate + 3.0, sets.ln() / rate + 40.0] {
                let printed = 1.0 - (k as f64 * per_set.ln() + c.ln() - gap * rate).exp();
                let cell = cell(setting(d, k, gamma, epsilon), gap);
                assert!((cell.bound() - printed.max(0.0)).abs() < 1e-9);
                assert!(cell.bound() <= cell.hardest());
            }
        }
    }

    /// Compares with the integral by Simpson's rule with 2,000 steps.
    #[test]
    fn the_closed_form_is_the_integral() {
        for (sets, handicap) in [(10.0f64, 0.5), (10.0, 3.0), (4950.0, 8.0), (1.0, 0.3)] {
            let p = f64::exp(-handicap);
            let at = |i: usize| (1.0 - p * i as f64 / 2000.0).powf(sets - 1.0);
            let odd: f64 = (1..2000).step_by(2).map(at).sum();
            let even: f64 = (2..2000).step_by(2).map(at).sum();
            let integral = (at(0) + 4.0 * odd + 2.0 * even + at(2000)) / 6000.0;
            assert!((hardest(sets.ln(), handicap) - integral).abs() < 1e-9, "{sets} {handicap}");
        }
        // C p = e^-3, with C and p outside the range of floats.
        let tiny = f64::exp(-3.0);
        assert!((hardest(2000.0, 2003.0) - (1.0 - f64::exp(-tiny)) / tiny).abs() < 1e-12);
    }

    #[test]
    fn the_test_is_the_binomial_one() {
        // At gap 0 all C(3, 1) sets are equally likely; 4 of 4 have probability 1/81.
        let mut cell = cell(setting(3, 1, "1", "1"), 0.0);
        (cell.draws, cell.recovered) = (4, Estimate::of([1.0; 4]));
        assert!((cell.p_value() - 2.0 / 81.0).abs() < 1e-12);
    }

    #[test]
    fn arrangements_have_the_gap() {
        for arrangement in [Arrangement::Step, Arrangement::Slope] {
            let setting = Setting { arrangement, ..setting(20, 4, "0.5", "1") };
            let scores = setting.scores(12.0).unwrap();
            let values = scores.values();
            assert_eq!(values[3] - values[4], 12 * SENSITIVITY as i64);
            assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
        }
    }

    /// 2,000 draws: five standard errors are exceeded with probability 6e-7.
    #[test]
    fn the_mechanism_follows_the_closed_form() {
        let cells = with(200, 2, |e| measure(e, &setting(100, 2, "0.5", "1")).unwrap());
        for cell in cells {
            let truth = cell.hardest();
            let off = (cell.recovered.mean - truth).abs();
            assert!(off <= 5.0 * cell.error_at(truth) + 1e-3, "{cell:?} {truth}");
        }
    }

    #[test]
    fn threads_change_nothing() {
        let cells = |threads| with(3, threads, |e| measure(e, &SETTINGS[0]).unwrap());
        assert_eq!(cells(1), cells(3));
    }
}
