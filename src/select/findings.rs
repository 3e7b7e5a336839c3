//! Findings: the strengths of the picks, whether they are beyond chance, and their directions. They are computed from
//! noisy values that the budget paid for.

use crate::data::TargetCode;
use crate::estimate::{Counted, Family, Verdict, error_beyond, half_width, private_strengths};
use crate::exact::GRID;
use crate::privacy::{Epsilon, Purpose};
use crate::random::RandomnessSource;
use crate::score::Extremes;
use crate::select::plan::{Association, Plan, Scoring};
use crate::select::record::Direction;
use crate::select::settled::{Exact, SettledTarget};

/// The probability with which an interval covers the strength, as far as the noise goes.
pub(super) const COVERED: f64 = 0.9;

/// The findings about the picks, in their order.
pub(super) struct Findings {
    /// Strengths, if they were released and rows of both sides were counted.
    pub(super) strengths: Option<Vec<Strength>>,
    /// The strength from which on a feature is beyond chance, if there is a verdict.
    pub(super) chance: Option<f64>,
    /// Directions, if they were released.
    pub(super) directions: Option<Vec<(Direction, f64)>>,
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
    target: &SettledTarget,
    counted: &Counted,
    exact: &Exact,
    randomness: &RandomnessSource,
) -> Findings {
    let strengths = plan.estimates.as_ref().and_then(|epsilon| {
        let units = Units::of(plan, target, counted)?;
        Some(strengths(plan, &units, epsilon, counted, exact, randomness))
    });
    let (strengths, chance) = match strengths {
        Some((strengths, chance)) => (Some(strengths), chance),
        None => (None, None),
    };
    let directions = plan
        .direction
        .as_ref()
        .zip(exact.signed.as_ref())
        .map(|(epsilon, signed)| directions(plan, epsilon, signed, exact.one_row, randomness));
    Findings { strengths, chance, directions }
}

/// The units of a score.
struct Units {
    /// The score of one row of weight 1.
    row: f64,
    /// The largest score that the counted rows can have, in rows.
    largest: f64,
    /// What one row can move, in rows: D.
    one_row: f64,
    /// Whether rows count in part for two classes.
    graded: bool,
}

impl Units {
    /// The units by the counts; `None` if fewer than two classes have rows.
    fn of(plan: &Plan, target: &SettledTarget, counted: &Counted) -> Option<Self> {
        let association = match &plan.scoring {
            Scoring::Number { association, .. } | Scoring::Classes { association, .. } => {
                *association
            }
            _ => return None,
        };
        let correlation = association == Association::Correlation;
        let q = f64::from(GRID);
        let counts: Vec<f64> = counted.classes.iter().map(|count| count.max(0.0)).collect();
        let rows: f64 = counts.iter().sum();
        // Rows of a group times those of the others.
        let against = |group: f64| group * (rows - group) / rows;
        let (row, largest) = match counts.len() {
            2 => (2.0 * q, 2.0 * against(counts[0])),
            // One class against the rest.
            _ if correlation => (q, counts.iter().map(|&c| 2.0 * against(c)).fold(0.0, f64::max)),
            _ => (2.0 * q, 2.0 * most_even(&counts)),
        };
        let least = counts.iter().copied().fold(f64::INFINITY, f64::min);
        let graded = matches!(target, SettledTarget::Number { code: TargetCode::Bounded(_), .. });
        let units = Self {
            row: if correlation { row * q } else { row },
            largest,
            one_row: 1.0 - least / rows,
            graded,
        };
        (units.largest > 0.0).then_some(units)
    }
}

/// The largest product of the rows of a group of classes and those of the others, over all rows.
fn most_even(counts: &[f64]) -> f64 {
    /// So many classes have all their groups compared; of more, an even split is taken to be possible.
    const FEW: usize = 16;
    let rows: f64 = counts.iter().sum();
    if counts.len() > FEW {
        return rows / 4.0;
    }
    let group = |mask: usize| {
        let of = |(class, count): (usize, &f64)| if mask >> class & 1 == 1 { *count } else { 0.0 };
        counts.iter().enumerate().map(of).sum::<f64>()
    };
    (0..1usize << counts.len())
        .map(|mask| group(mask) * (rows - group(mask)) / rows)
        .fold(0.0, f64::max)
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
    let verdict = Verdict {
        counts: counted.classes.clone(),
        rate: counted.rate,
        step: if counted.classes.len() == 2 { 0.5 / f64::from(GRID) } else { 1.0 },
        features: plan.features,
        noise: scale / units.one_row,
        family: match &plan.scoring {
            Scoring::Number { association: Association::Correlation, .. }
            | Scoring::Classes { association: Association::Correlation, .. } => Family::Sums,
            _ => Family::AnyFunction,
        },
        graded: units.graded,
    };
    let in_steps: Vec<f64> = rows.iter().map(|rows| rows / units.one_row).collect();
    // A draw of its own: it only has to differ from all others.
    let judged = verdict.judge(k, &in_steps, &bits.branch(VERDICT_LANE));
    let half = half_width(k, COVERED) * scale;
    let share = |rows: f64| (rows / units.largest).clamp(0.0, 1.0);
    let strength = |(i, &rows): (usize, &f64)| Strength {
        strength: share(rows),
        low: share(rows - half),
        high: share(rows + half),
        p_value: judged.as_ref().map(|judged| judged.p_values[i]),
    };
    let chance = judged.as_ref().map(|judged| judged.critical * units.one_row / units.largest);
    (rows.iter().enumerate().map(strength).collect(), chance)
}

/// A lane of the bits of strengths that their noise does not read.
const VERDICT_LANE: u64 = 1 << 32;

/// Directions with their error probabilities. The sum of the largest and the smallest signed sum has the sign of the
/// association, and twice the sensitivity of one sum.
fn directions(
    plan: &Plan,
    epsilon: &Epsilon,
    signed: &[Extremes],
    one_row: u64,
    randomness: &RandomnessSource,
) -> Vec<(Direction, f64)> {
    let sums: Vec<i64> = signed.iter().map(|sums| sums.most.saturating_add(sums.least)).collect();
    let sensitivity = 2 * plan.neighbors.steps() * one_row;
    let bits = randomness.bits(Purpose::Direction.draw());
    let noisy = private_strengths(&sums, sensitivity, epsilon, &bits);
    let direction = |&sum: &i64| {
        let distance = sum.unsigned_abs() as f64 * epsilon.to_f64() / sensitivity as f64;
        let direction = if sum < 0 { Direction::Falls } else { Direction::Rises };
        (direction, error_beyond(sums.len(), distance))
    };
    noisy.iter().map(direction).collect()
}
