//! Findings: the strengths of the picks, whether they are beyond chance, and their directions. They
//! are computed from noisy values that the budget paid for.

use crate::estimate::{
    Counted, LEVEL, NoisyCounts, Spread, count_step, noise_level, private_strengths,
};
use crate::exact::GRID;
use crate::privacy::{Epsilon, Purpose};
use crate::random::RandomnessSource;
use crate::release::record::Direction;
use crate::release::units::Units;
use crate::request::fields::Association;
use crate::request::plan::Plan;
use crate::score::Extremes;
use crate::statistic::coded::Exact;

/// The probability with which an interval covers the strength in the table.
const COVERED: f64 = 0.9;

/// The findings about the picks, in their order.
pub(crate) struct Findings {
    /// Strengths, if they were released and rows of both sides were counted.
    pub(crate) strengths: Option<Vec<Strength>>,
    /// The strength from which on a feature is beyond chance, if there is a verdict.
    pub(crate) chance: Option<f64>,
    /// Directions, if they were released.
    pub(crate) directions: Option<Vec<(Direction, f64)>>,
    /// The share of each class, or side of the center, by the counts.
    pub(crate) shares: Vec<f64>,
}

/// The strength of one pick: 1 is the largest that is possible with this target.
pub(crate) struct Strength {
    pub(crate) strength: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The adjusted p-value, if there is a verdict on k features.
    pub(crate) p_value: Option<f64>,
    /// Whether the feature is beyond chance, if that is known.
    pub(crate) beyond_chance: Option<bool>,
}

impl Findings {
    /// Whether this pick is beyond chance.
    pub(crate) fn is_beyond_chance(&self, pick: usize) -> bool {
        let strength = self.strengths.as_ref().and_then(|strengths| strengths.get(pick));
        strength.is_some_and(|strength| strength.beyond_chance == Some(true))
    }

    /// Those about some of the picks.
    pub(crate) fn of(self, kept: &[bool]) -> Self {
        fn of<T>(all: Vec<T>, kept: &[bool]) -> Vec<T> {
            all.into_iter().zip(kept).filter(|(_, kept)| **kept).map(|(one, _)| one).collect()
        }
        Self {
            strengths: self.strengths.map(|strengths| of(strengths, kept)),
            directions: self.directions.map(|directions| of(directions, kept)),
            ..self
        }
    }
}

/// Releases strengths and directions, as far as the plan has a part of the budget for them. Where
/// all features beyond chance are wanted, `level` is that of their scores, in rows, if there is
/// one.
pub(crate) fn findings(
    plan: &Plan,
    counted: &Counted,
    exact: &Exact,
    level: Option<f64>,
    randomness: &RandomnessSource,
) -> Findings {
    let picked = plan.estimates.as_ref().filter(|_| !exact.strengths.is_empty());
    let strengths = picked.and_then(|epsilon| {
        let units = Units::of(plan, counted)?;
        Some(strengths(plan, &units, epsilon, counted, exact, level, randomness))
    });
    let (strengths, chance) = match strengths {
        Some((strengths, chance)) => (Some(strengths), chance),
        None => (None, None),
    };
    let directions = plan.direction.as_ref().zip(exact.signed.as_ref()).map(|(epsilon, signed)| {
        directions(plan, epsilon, counted, signed, exact.one_row, randomness)
    });
    let counts = || counted.classes.iter().map(|count| count.max(0.0));
    let rows: f64 = counts().sum();
    Findings { strengths, chance, directions, shares: counts().map(|count| count / rows).collect() }
}

fn strengths(
    plan: &Plan,
    units: &Units,
    epsilon: &Epsilon,
    counted: &Counted,
    exact: &Exact,
    level: Option<f64>,
    randomness: &RandomnessSource,
) -> (Vec<Strength>, Option<f64>) {
    let (k, steps) = (exact.strengths.len(), plan.request.neighbors.steps());
    let bits = randomness.bits(Purpose::Estimates.draw());
    let sensitivity = steps * exact.one_row;
    let noisy = private_strengths(&exact.strengths, sensitivity, epsilon, &bits);
    // The scale of the noise, in rows.
    let scale = sensitivity as f64 / units.row / epsilon.to_f64();
    let rows: Vec<f64> = noisy.iter().map(|&strength| strength as f64 / units.row).collect();
    // The scale is by the rounded center.
    let noise = (scale / units.one_row).max(steps as f64 / epsilon.to_f64())
        * (1.0 + counted.classes.len() as f64 / f64::from(GRID));
    let test = plan.chance_test(&counted.classes, counted.rate, noise);
    let largest = units.reach.largest(&counted.classes);
    // What exceeds the largest effect size is noise: where that is not significant, nothing is.
    let in_steps: Vec<f64> = rows.iter().map(|rows| rows.min(largest) / units.one_row).collect();
    // A draw of its own: it only has to differ from all others.
    let judged = match plan.request.without_threshold().is_some() || plan.beyond.is_some() {
        true => None,
        false => test.and_then(|test| test.judge(k, &in_steps, &bits.branch(VERDICT_LANE))),
    };
    // The strength beyond which features are named, in rows.
    let beyond = plan.beyond.as_ref().map(|beyond| {
        let noise_level = noise * noise_level(beyond.half(), k);
        let rounded = 2.0 / f64::from(GRID);
        level.map_or(f64::INFINITY, |level| level + (noise_level + rounded) * units.one_row)
    });
    let spread = Spread::new(&noisy_counts(counted), k, &bits.branch(SPREAD_LANE));
    let strength = |(i, &rows): (usize, &f64)| {
        let [low, high] =
            spread.interval(rows, scale, COVERED, |counts| units.reach.largest(counts));
        let p_value = judged.as_ref().map(|judged| judged.p_values[i]);
        Strength {
            strength: (rows / largest).clamp(0.0, 1.0),
            low: low.min(1.0),
            high: high.min(1.0),
            p_value,
            beyond_chance: match beyond {
                Some(beyond) => Some(rows.min(largest) > beyond),
                None => p_value.map(|p_value| p_value <= LEVEL),
            },
        }
    };
    let critical = judged.as_ref().map(|judged| judged.critical * units.one_row).or(beyond);
    let chance = critical.map(|rows| rows / largest).filter(|chance| chance.is_finite());
    (rows.iter().enumerate().map(strength).collect(), chance)
}

fn noisy_counts(counted: &Counted) -> NoisyCounts<'_> {
    let step = count_step(counted.classes.len());
    NoisyCounts { counts: &counted.classes, rate: counted.rate, step }
}

/// Lanes of the bits of strengths and directions that their noise does not read.
pub(crate) const VERDICT_LANE: u64 = 1 << 32;
const SPREAD_LANE: u64 = VERDICT_LANE + 1;

/// The error probability above which a direction is unclear.
const UNCLEAR: f64 = 0.25;

/// Directions with their error probabilities. The sum of the largest and the smallest signed sum
/// has the sign of the association, and twice the sensitivity of one sum. The error of the center
/// can tip the sign of a correlation; that of a threshold only where the association is not
/// monotone.
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
    let noisy = private_strengths(&sums, sensitivity, epsilon, &bits);
    let spread = Spread::new(&noisy_counts(counted), sums.len(), &bits.branch(SPREAD_LANE));
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
            _ if error > UNCLEAR => Direction::Unclear,
            true => Direction::Falls,
            false => Direction::Rises,
        };
        (direction, error)
    };
    noisy.iter().map(direction).collect()
}
