//! Findings: the effect sizes of the picks, whether they are significant, and their directions.
//! They are computed from released noisy values.

use crate::estimate::{
    Counted, EffectNoise, LEVEL, NoisyCounts, Spread, count_step, private_effect_sizes,
};
use crate::exact::GRID;
use crate::privacy::{Epsilon, Purpose};
use crate::random::RandomnessSource;
use crate::release::record::Direction;
use crate::release::units::Units;
use crate::request::fields::Association;
use crate::request::plan::Plan;
use crate::request::weights::FeatureWeights;
use crate::score::Extremes;
use crate::statistic::coded::Exact;

/// The probability with which an interval covers the effect size in the table.
const INTERVAL_LEVEL: f64 = 0.9;

/// The findings about the picks, in their order.
pub(crate) struct Findings {
    /// Effect sizes, if they were released and rows of both sides were counted.
    pub(crate) effect_sizes: Option<Vec<EffectSize>>,
    /// The smallest significance threshold of any feature as an effect size, if significance was
    /// tested; without weights all thresholds are equal.
    pub(crate) threshold: Option<f64>,
    /// Directions, if they were released.
    pub(crate) directions: Option<Vec<(Direction, f64)>>,
    /// The share of each class, or side of the center, by the counts.
    pub(crate) shares: Vec<f64>,
}

/// The effect size of one pick: 1 is the largest that is possible with this target.
pub(crate) struct EffectSize {
    pub(crate) effect_size: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The adjusted p-value, if the significance of k features was tested.
    pub(crate) p_value: Option<f64>,
    /// Whether the feature is significant; `None` if that was not tested.
    pub(crate) significant: Option<bool>,
}

impl Findings {
    /// Whether this pick is significant.
    pub(crate) fn is_significant(&self, pick: usize) -> bool {
        let effect_size =
            self.effect_sizes.as_ref().and_then(|effect_sizes| effect_sizes.get(pick));
        effect_size.is_some_and(|effect_size| effect_size.significant == Some(true))
    }

    /// The findings about some of the picks.
    pub(crate) fn of(self, kept: &[bool]) -> Self {
        fn of<T>(all: Vec<T>, kept: &[bool]) -> Vec<T> {
            all.into_iter().zip(kept).filter(|(_, kept)| **kept).map(|(one, _)| one).collect()
        }
        Self {
            effect_sizes: self.effect_sizes.map(|effect_sizes| of(effect_sizes, kept)),
            directions: self.directions.map(|directions| of(directions, kept)),
            ..self
        }
    }
}

/// Releases effect sizes with this noise, and directions if the plan has a part of the budget for
/// them. If all significant features are requested, `levels` are the significance thresholds of
/// their scores, in rows, for each class of features, if there are any.
pub(crate) fn findings(
    plan: &Plan,
    counted: &Counted,
    (picks, exact): (&[usize], &Exact),
    (noise, levels): (Option<&EffectNoise>, Option<&[f64]>),
    randomness: &RandomnessSource,
) -> Findings {
    let picked = noise.filter(|_| !exact.effect_sizes.is_empty());
    let effect_sizes = picked.and_then(|noise| {
        let units = Units::of(plan, counted)?;
        let class_of = plan.weights.as_ref().map(FeatureWeights::class_of);
        let class = |pick: &usize| class_of.map_or(0, |of| usize::from(of[*pick]));
        let tested = Tested { exact, classes: picks.iter().map(class).collect(), levels };
        Some(effect_sizes(plan, &units, noise, counted, &tested, randomness))
    });
    let (effect_sizes, threshold) = match effect_sizes {
        Some((effect_sizes, threshold)) => (Some(effect_sizes), threshold),
        None => (None, None),
    };
    let directions = plan.direction.as_ref().zip(exact.signed.as_ref()).map(|(epsilon, signed)| {
        directions(plan, epsilon, counted, signed, exact.one_row, randomness)
    });
    let counts = || counted.classes.iter().map(|count| count.max(0.0));
    let rows: f64 = counts().sum();
    Findings {
        effect_sizes,
        threshold,
        directions,
        shares: counts().map(|count| count / rows).collect(),
    }
}

/// The exact effect sizes of picks, and what they are tested by.
struct Tested<'a> {
    exact: &'a Exact,
    /// The class of each pick.
    classes: Vec<usize>,
    /// The significance threshold of the scores of each class, in rows, if there are any.
    levels: Option<&'a [f64]>,
}

fn effect_sizes(
    plan: &Plan,
    units: &Units,
    law: &EffectNoise,
    counted: &Counted,
    Tested { exact, classes, levels }: &Tested<'_>,
    randomness: &RandomnessSource,
) -> (Vec<EffectSize>, Option<f64>) {
    let (k, steps) = (exact.effect_sizes.len(), plan.request.neighbors.steps());
    let bits = randomness.bits(Purpose::Estimates.draw());
    let sensitivity = steps * exact.one_row;
    let noisy = law.add(&exact.effect_sizes, sensitivity, &bits);
    // The scale of the noise, in rows.
    let scale = sensitivity as f64 / units.row / law.rate(k);
    let rows: Vec<f64> = noisy.iter().map(|&effect_size| effect_size as f64 / units.row).collect();
    // The scale depends on the rounded center.
    let noise = (scale / units.one_row).max(steps as f64 / law.rate(k))
        * (1.0 + counted.classes.len() as f64 / f64::from(GRID));
    let test = plan.significance_test(&counted.classes, counted.rate, noise);
    let largest = units.reach.largest(&counted.classes);
    // Values above the largest effect size are noise: if the largest is not significant, nothing
    // is.
    let in_steps = rows.iter().map(|rows| rows.min(largest) / units.one_row);
    let in_steps: Vec<(f64, usize)> = in_steps.zip(classes.iter().copied()).collect();
    // A separate draw: its bits only have to differ from all others.
    let judged = match plan.request.without_threshold().is_some() || plan.fwer.is_some() {
        true => None,
        false => test.and_then(|test| test.judge(k, &in_steps, &bits.branch(SIGNIFICANCE_LANE))),
    };
    // The effect size beyond which features of each class are named, in rows.
    let least = plan.fwer.as_ref().map(|fwer| {
        let noise_level = noise * law.level(fwer.half(), k);
        let rounded = 2.0 / f64::from(GRID);
        let levels = levels.unwrap_or_default().iter();
        levels.map(|level| level + (noise_level + rounded) * units.one_row).collect::<Vec<f64>>()
    });
    let spread = Spread::new(&noisy_counts(counted), law, k, &bits.branch(SPREAD_LANE));
    let effect_size = |(i, &rows): (usize, &f64)| {
        let [low, high] =
            spread.interval(rows, scale, INTERVAL_LEVEL, |counts| units.reach.largest(counts));
        let p_value = judged.as_ref().map(|judged| judged.p_values[i]);
        EffectSize {
            effect_size: (rows / largest).clamp(0.0, 1.0),
            low: low.min(1.0),
            high: high.min(1.0),
            p_value,
            significant: match &least {
                Some(least) => {
                    let least = least.get(classes[i]);
                    Some(least.is_some_and(|least| rows.min(largest) > *least))
                }
                None => p_value.map(|p_value| p_value <= LEVEL),
            },
        }
    };
    let critical = match &judged {
        Some(judged) => judged.critical.iter().map(|steps| steps * units.one_row).collect(),
        None => least.clone().unwrap_or_default(),
    };
    // The last class has the smallest threshold.
    let threshold = critical.last().map(|rows| rows / largest);
    let threshold = threshold.filter(|threshold| threshold.is_finite());
    (rows.iter().enumerate().map(effect_size).collect(), threshold)
}

fn noisy_counts(counted: &Counted) -> NoisyCounts<'_> {
    let step = count_step(counted.classes.len());
    NoisyCounts { counts: &counted.classes, rate: counted.rate, step }
}

/// The lane of the bits of effect sizes and directions that their noise does not read.
pub(crate) const SIGNIFICANCE_LANE: u64 = 1 << 32;
const SPREAD_LANE: u64 = SIGNIFICANCE_LANE + 1;

/// The error probability above which a direction is unclear.
const MAX_DIRECTION_ERROR: f64 = 0.25;

/// Directions with their error probabilities. The sum of the largest and the smallest signed sum
/// has the sign of the association, and twice the sensitivity of one sum. The error of the center
/// can flip the sign of a correlation, and the sign for a threshold only where the association is
/// not monotone.
fn directions(
    plan: &Plan,
    epsilon: &Epsilon,
    counted: &Counted,
    signed: &[Extremes],
    one_row: u64,
    randomness: &RandomnessSource,
) -> Vec<(Direction, f64)> {
    let sums: Vec<i64> = signed.iter().map(|sums| sums.most.saturating_add(sums.least)).collect();
    let sensitivity = 2 * plan.request.neighbors.steps() * one_row;
    let bits = randomness.bits(Purpose::Direction.draw());
    let noisy = private_effect_sizes(&sums, sensitivity, epsilon, &bits);
    let law = EffectNoise::Pure(epsilon.clone());
    let spread = Spread::new(&noisy_counts(counted), &law, sums.len(), &bits.branch(SPREAD_LANE));
    // Twice the score of a row of weight 1.
    let q = f64::from(GRID);
    let row = match plan.association() {
        Some(Association::Correlation) => 4.0 * q * q,
        _ => 4.0 * q,
    };
    let scale = sensitivity as f64 / row / epsilon.to_f64();
    let direction = |&sum: &i64| {
        let error = spread.error_of_sign(sum as f64 / row, scale);
        let direction = match sum < 0 {
            _ if error > MAX_DIRECTION_ERROR => Direction::Unclear,
            true => Direction::Falls,
            false => Direction::Rises,
        };
        (direction, error)
    };
    noisy.iter().map(direction).collect()
}
