//! Findings: the strengths of the picks, whether they are beyond chance, and their directions. They
//! are computed from noisy values that the budget paid for.

use crate::estimate::{Counted, NoisyCounts, Spread, count_step, private_strengths};
use crate::exact::GRID;
use crate::privacy::{Epsilon, Purpose};
use crate::random::RandomnessSource;
use crate::score::Extremes;
use crate::select::plan::Plan;
use crate::select::record::Direction;
use crate::select::request::Association;
use crate::select::statistic::Exact;
use crate::select::units::Units;

/// The probability with which an interval covers the strength in the table.
const COVERED: f64 = 0.9;

/// The findings about the picks, in their order.
pub(super) struct Findings {
    /// Strengths, if they were released and rows of both sides were counted.
    pub(super) strengths: Option<Vec<Strength>>,
    /// The strength from which on a feature is beyond chance, if there is a verdict.
    pub(super) chance: Option<f64>,
    /// Directions, if they were released.
    pub(super) directions: Option<Vec<(Direction, f64)>>,
    /// The share of each class, or side of the center, by the counts.
    pub(super) shares: Vec<f64>,
}

/// The strength of one pick: 1 is the largest that is possible with this target.
pub(super) struct Strength {
    pub(super) strength: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// The adjusted p-value, if there is a verdict.
    pub(super) p_value: Option<f64>,
}

/// Releases strengths and directions, as far as the plan has a part of the budget for them.
pub(super) fn findings(
    plan: &Plan,
    counted: &Counted,
    exact: &Exact,
    randomness: &RandomnessSource,
) -> Findings {
    let picked = plan.estimates.as_ref().filter(|_| !exact.strengths.is_empty());
    let strengths = picked.and_then(|epsilon| {
        let units = Units::of(plan, counted)?;
        Some(strengths(plan, &units, epsilon, counted, exact, randomness))
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
    randomness: &RandomnessSource,
) -> (Vec<Strength>, Option<f64>) {
    let (k, steps) = (exact.strengths.len(), plan.neighbors.steps());
    let bits = randomness.bits(Purpose::Estimates.draw());
    let sensitivity = steps * exact.one_row;
    let noisy = private_strengths(&exact.strengths, sensitivity, epsilon, &bits);
    // The scale of the noise, in rows.
    let scale = sensitivity as f64 / units.row / epsilon.to_f64();
    let rows: Vec<f64> = noisy.iter().map(|&strength| strength as f64 / units.row).collect();
    // The scale is by the rounded center.
    let noise = (scale / units.one_row).max(steps as f64 / epsilon.to_f64())
        * (1.0 + counted.classes.len() as f64 / f64::from(GRID));
    let verdict = plan.chance_test(counted.classes.clone(), counted.rate, noise);
    let in_steps: Vec<f64> = rows.iter().map(|rows| rows / units.one_row).collect();
    // A draw of its own: it only has to differ from all others.
    let judged = match plan.is_relative_to_rows || plan.beyond.is_some() {
        true => None,
        false => verdict.judge(k, &in_steps, &bits.branch(VERDICT_LANE)),
    };
    let spread = Spread::new(&noisy_counts(counted), k, &bits.branch(SPREAD_LANE));
    let largest = units.reach.largest(&counted.classes);
    let strength = |(i, &rows): (usize, &f64)| {
        let [low, high] =
            spread.interval(rows, scale, COVERED, |counts| units.reach.largest(counts));
        Strength {
            strength: (rows / largest).clamp(0.0, 1.0),
            low: low.min(1.0),
            high: high.min(1.0),
            p_value: judged.as_ref().map(|judged| judged.p_values[i]),
        }
    };
    let chance = judged.as_ref().map(|judged| judged.critical * units.one_row / largest);
    (rows.iter().enumerate().map(strength).collect(), chance)
}

fn noisy_counts(counted: &Counted) -> NoisyCounts<'_> {
    let step = count_step(counted.classes.len());
    NoisyCounts { counts: &counted.classes, rate: counted.rate, step }
}

/// Lanes of the bits of strengths and directions that their noise does not read.
pub(super) const VERDICT_LANE: u64 = 1 << 32;
const SPREAD_LANE: u64 = VERDICT_LANE + 1;

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
    let sensitivity = 2 * plan.neighbors.steps() * one_row;
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
        let direction = if sum < 0 { Direction::Falls } else { Direction::Rises };
        (direction, spread.error_of_sign(sum as f64 / row, scale))
    };
    noisy.iter().map(direction).collect()
}
