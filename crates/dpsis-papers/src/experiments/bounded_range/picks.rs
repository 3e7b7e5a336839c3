//! How many picks a price is enough for, by the classical analysis and by the one of the range.

use dpsis::Result;
use dpsis::account::{Accountant, BoundedRangeInAdvance, Event, OptimalHomogeneous};

use crate::experiments::bounded_range::DELTA;
use crate::experiments::bounded_range::prices::{by_range, by_sensitivity};
use crate::experiments::experiment::Experiment;
use crate::experiments::parts::row;
use dpsis_eval::figure::{Curve, CurveChart, CurvePoint, Reference};

pub(super) const PICKS_DATA: &str = "bounded-range-picks.csv";

/// The price.
const PRICE: &str = "1";

/// The parameters of the mechanism.
const PARAMETERS: [&str; 6] = ["0.2", "0.1", "0.07", "0.05", "0.03", "0.02"];

/// The numbers of picks with the price (1, 1e-6).
#[derive(Debug, Clone)]
pub(super) struct PicksWithin {
    pub(super) parameter: &'static str,
    /// By theorem 0 and optimal composition of differential privacy.
    pub(super) theorem_0: u64,
    /// By theorem 1 and optimal composition of exponential mechanisms.
    pub(super) theorem_1: u64,
}

impl PicksWithin {
    pub(super) fn ratio(&self) -> f64 {
        self.theorem_1 as f64 / self.theorem_0 as f64
    }
}

/// The most picks, up to 1024, for which this holds; it holds for fewer if it holds for more.
fn most(holds: impl Fn(u64) -> Result<bool>) -> Result<u64> {
    let (mut low, mut high) = (0, 1025);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if holds(middle)? { low = middle } else { high = middle }
    }
    Ok(low)
}

pub(super) fn picks_within() -> Result<Vec<PicksWithin>> {
    let delta: f64 = DELTA.parse().map_err(|_| dpsis::Error::request("delta is not a number"))?;
    let of = |parameter| {
        let theorem_0 = most(|k| {
            let events = by_sensitivity(parameter, k)?;
            Ok(OptimalHomogeneous::of(&events)?.delta(PRICE)? <= delta)
        })?;
        let theorem_1 = most(|k| {
            let events = by_range(parameter, k)?.map(Event::fixed_in_advance);
            Ok(BoundedRangeInAdvance::of(&events)?.delta(PRICE)? <= delta)
        })?;
        Ok(PicksWithin { parameter, theorem_0, theorem_1 })
    };
    PARAMETERS.into_iter().map(of).collect()
}

pub(super) fn write(experiment: &Experiment<'_>, picks: &[PicksWithin]) -> Result<()> {
    let line = |one: &PicksWithin| {
        let counts = [one.theorem_0.to_string(), one.theorem_1.to_string()];
        let mut line = row(&[one.parameter, PRICE, DELTA, &counts[0], &counts[1]]);
        line.push(format!("{:.3}", one.ratio()));
        line
    };
    let header = ["parameter", "epsilon", "delta", "theorem0", "theorem1", "ratio"];
    let lines: Vec<_> = picks.iter().map(line).collect();
    experiment.output.write_csv(PICKS_DATA, &header, &lines)
}

pub(super) fn picks_chart(picks: &[PicksWithin]) -> CurveChart {
    let points = picks.iter().filter_map(|one| {
        let (x, y) = (one.parameter.parse().ok()?, one.ratio());
        Some(CurvePoint { x, y, low: y, high: y })
    });
    CurveChart {
        title: "Picks within (1, 1e-6): theorem 1 over theorem 0".into(),
        x_label: "parameter of the exponential mechanism".into(),
        y_label: "times as many picks".into(),
        x_log: true,
        y_log: false,
        y_range: Some((0.0, 20.0)),
        curves: vec![Curve { label: "times as many".into(), points: points.collect() }],
        references: vec![Reference { y: 16.0, label: "16".into() }],
    }
}
