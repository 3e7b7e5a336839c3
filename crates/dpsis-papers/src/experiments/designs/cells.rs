//! Trials on the synthetic designs.

use std::sync::Arc;

use dpsis::internals::in_parallel;
use dpsis::mechanism::{Baseline, Parameters, by_id};
use dpsis::score::CorrelationSums;
use dpsis::{Bounds, Epsilon, Mechanism, Neighbors, Result, Scaler, Scaling, Scores, Seeded};
use dpsis_eval::Estimate;
use dpsis_eval::internals::{f1, seed_of};

use crate::experiments::experiment::Experiment;
use dpsis_eval::design::{Correlation, Design};

/// The numbers of rows, each about a sixth larger than the previous one.
pub(super) const SIZES: [usize; 23] = [
    100, 120, 140, 170, 200, 240, 280, 330, 390, 460, 550, 650, 770, 900, 1100, 1300, 1500, 1800,
    2100, 2500, 3000, 3500, 4000,
];
/// The numbers of rows for a number of features. With many features rows are expensive, and the
/// transitions happen at smaller sizes.
pub(super) fn sizes(features: usize) -> &'static [usize] {
    if features > FEATURES[0] { &SIZES[..19] } else { &SIZES }
}

/// The names of the designs.
pub(super) const DESIGNS: [&str; 4] = ["AR 0.1", "AR 0.5", "AR 0.9", "equal 0.5, mixed signs"];
/// The numbers of features.
pub(super) const FEATURES: [usize; 2] = [100, 1000];
/// The clips, in standard deviations.
pub(super) const CLIPS: [f64; 2] = [0.5, 1.0];
/// The private mechanisms that are compared.
pub(super) const MECHANISMS: [&str; 3] = ["canonical", "peel", "joint"];
/// The budgets for the private mechanisms.
pub(super) const EPSILONS: [&str; 2] = ["1", "5"];
/// The name of the selection of the best scores without noise.
pub(super) const WITHOUT: &str = "not private";

/// A selection method: clip, mechanism and epsilon.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DesignArm {
    pub(super) clip: f64,
    /// The mechanism, or [`WITHOUT`].
    pub(super) mechanism: &'static str,
    /// The total budget; empty for [`WITHOUT`].
    pub(super) epsilon: &'static str,
}

/// The results of an arm at a number of rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DesignCell {
    pub(super) design: &'static str,
    pub(super) features: usize,
    pub(super) arm: DesignArm,
    pub(super) n: usize,
    pub(super) f1: Estimate,
    /// The share of trials that found exactly the true features.
    pub(super) exact: Estimate,
}

/// A design by its name.
pub(super) fn design(name: &str, features: usize) -> Design {
    let correlation = match name {
        "AR 0.1" => Correlation::Autoregressive(0.1),
        "AR 0.5" => Correlation::Autoregressive(0.5),
        "AR 0.9" => Correlation::Autoregressive(0.9),
        _ => Correlation::Equal(0.5),
    };
    Design { features, correlation, mixed_signs: matches!(correlation, Correlation::Equal(_)) }
}

/// The arms for a design; the first design with fewer features has additional clips and epsilons.
pub(super) fn arms(name: &str, features: usize) -> Vec<DesignArm> {
    let mut arms = Vec::new();
    for clip in CLIPS {
        arms.push(DesignArm { clip, mechanism: WITHOUT, epsilon: "" });
        for mechanism in MECHANISMS {
            arms.extend(EPSILONS.map(|epsilon| DesignArm { clip, mechanism, epsilon }));
        }
    }
    if (name, features) == (DESIGNS[0], FEATURES[0]) {
        let more = [
            (2.0, "canonical", "1"),
            (3.0, "canonical", "1"),
            (0.5, "canonical", "0.5"),
            (0.5, "canonical", "2"),
            (0.5, "canonical", "10"),
            (0.5, "joint", "2"),
        ];
        arms.extend(more.map(|(clip, mechanism, epsilon)| DesignArm { clip, mechanism, epsilon }));
    }
    arms
}

/// Measures the cells of a design. A trial is one growing table, evaluated at each of the sizes.
pub(super) fn measure(
    experiment: &Experiment<'_>,
    name: &'static str,
    features: usize,
    sizes: &[usize],
) -> Result<Vec<DesignCell>> {
    let arms = arms(name, features);
    let ready: Vec<ReadyDesignArm> = arms.iter().map(ReadyDesignArm::new).collect::<Result<_>>()?;
    let (design, seed) = (design(name, features), experiment.seed);
    let table = format!("{name}, {features}");
    let trial = |trial: u64| -> Result<Vec<f64>> {
        let mut rows = design.rows(seed_of(seed, &["designs", "rows", &table], trial));
        let mut growing = Growing::new(&design, &arms)?;
        let mut x = vec![0.0; features];
        let mut found = Vec::with_capacity(sizes.len() * arms.len());
        let mut n = 0;
        for &size in sizes {
            while n < size {
                let y = rows.next_into(&mut x);
                growing.add(&x, y)?;
                n += 1;
            }
            for (number, arm) in ready.iter().enumerate() {
                let names = ["designs", &table, &size.to_string(), &arm.name];
                let scores = growing.scores(arms[number].clip)?;
                let picks = arm.picks(&scores, seed_of(seed, &names, trial))?;
                found.push(f1(&picks, &Design::TRUE));
            }
        }
        Ok(found)
    };
    let trials = in_parallel(experiment.trials, experiment.threads, trial)?;
    let mut cells = Vec::new();
    for (i, &n) in sizes.iter().enumerate() {
        for (j, &arm) in arms.iter().enumerate() {
            let place = i * arms.len() + j;
            let values = || trials.iter().map(|found| found[place]);
            let exact = values().map(|f1| f64::from(u8::from(f1 == 1.0)));
            let (f1, exact) = (Estimate::of(values()), Estimate::of(exact));
            cells.push(DesignCell { design: name, features, arm, n, f1, exact });
        }
    }
    Ok(cells)
}

/// The sums over the rows of a growing table, for each clip.
struct Growing {
    clips: Vec<(f64, Scaling, Bounds, CorrelationSums)>,
    row: Vec<i16>,
}

impl Growing {
    fn new(design: &Design, arms: &[DesignArm]) -> Result<Self> {
        let mut clips: Vec<f64> = arms.iter().map(|arm| arm.clip).collect();
        clips.sort_unstable_by(f64::total_cmp);
        clips.dedup();
        let clips = clips.into_iter().map(|clip| {
            let scaling = Scaling::Bounds(Bounds::new(-clip, clip)?);
            let most = clip * design.target_deviation();
            Ok((clip, scaling, Bounds::new(-most, most)?, CorrelationSums::new(design.features)))
        });
        Ok(Self { clips: clips.collect::<Result<_>>()?, row: Vec::new() })
    }

    fn add(&mut self, x: &[f64], y: f64) -> Result<()> {
        for (_, scaling, target, sums) in &mut self.clips {
            Scaler::new(scaling).scale(x.iter().map(|value| Some(*value)), &mut self.row);
            sums.add_row(&self.row, target.to_grid(y))?;
        }
        Ok(())
    }

    /// Returns the scores around the known center for a clip.
    fn scores(&self, clip: f64) -> Result<Scores> {
        let place = self.clips.partition_point(|(other, ..)| *other < clip);
        self.clips[place].3.scores(0, Neighbors::AddRemove)
    }
}

/// An arm prepared for draws.
struct ReadyDesignArm {
    name: String,
    drawn: Option<(Arc<dyn Mechanism>, Epsilon)>,
}

impl ReadyDesignArm {
    fn new(arm: &DesignArm) -> Result<Self> {
        let drawn = match arm.mechanism {
            WITHOUT => None,
            id => Some((by_id(id, &Parameters::default())?, arm.epsilon.parse()?)),
        };
        Ok(Self { name: format!("{} {} {}", arm.clip, arm.mechanism, arm.epsilon), drawn })
    }

    fn picks(&self, scores: &Scores, seed: u64) -> Result<Vec<usize>> {
        let k = Design::TRUE.len();
        Ok(match &self.drawn {
            Some((mechanism, epsilon)) => mechanism.pick(scores, k, epsilon, Seeded(seed))?,
            None => Baseline::Best.pick(scores, k, &"1".parse()?, Some(seed))?,
        }
        .into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    #[test]
    fn threads_change_nothing() {
        let cells = |threads| with(3, threads, |e| measure(e, "AR 0.1", 100, &[100, 300]).unwrap());
        assert_eq!(cells(1), cells(3));
    }

    #[test]
    fn easy_designs_are_solved_exactly() {
        let arm = DesignArm { clip: 1.0, mechanism: "canonical", epsilon: "5" };
        let found = with(5, 2, |e| measure(e, "AR 0.1", 100, &[4000]).unwrap());
        let cell = found.iter().find(|cell| cell.arm == arm).unwrap();
        assert_eq!((cell.f1.mean, cell.exact.mean), (1.0, 1.0));
        // On this design negative features have covariance 0 with the target, so that even without
        // noise they are not found.
        let found = with(5, 2, |e| measure(e, DESIGNS[3], 100, &[4000]).unwrap());
        let without = found.iter().find(|cell| cell.arm.mechanism == WITHOUT).unwrap();
        assert!((without.f1.mean - 0.6).abs() < 0.1, "{:?}", without.f1);
    }
}
