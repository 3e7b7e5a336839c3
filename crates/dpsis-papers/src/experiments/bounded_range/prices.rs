//! The price of several picks, by both theorems and several compositions.

use dpsis::account::{
    Accountant, BasicComposition, BoundedRange, BoundedRangeInAdvance, CentralLimit, Event,
    OptimalHomogeneous,
};
use dpsis::{Epsilon, Result};

use crate::experiments::bounded_range::DELTA;
use crate::experiments::experiment::Experiment;
use crate::experiments::parts::row;
use dpsis_eval::figure::{Curve, CurveChart, CurvePoint};

pub(super) const PRICES_DATA: &str = "bounded-range.csv";

/// The parameter of the mechanism.
const PARAMETER: &str = "0.1";

/// The numbers of picks.
const PICKS: [u64; 10] = [1, 2, 5, 10, 20, 40, 80, 160, 320, 640];

/// The prices of k picks by counts: epsilons at [`DELTA`].
#[derive(Debug, Clone)]
pub(super) struct Prices {
    pub(super) k: u64,
    /// By theorem 0, summed.
    pub(super) sum: f64,
    /// By theorem 0 and optimal composition of differential privacy.
    pub(super) theorem_0: f64,
    /// By theorem 1 and the same composition.
    pub(super) theorem_1: f64,
    /// By theorem 1 and the composition of exponential mechanisms, each pick depending on those
    /// before.
    pub(super) adaptive: f64,
    /// The same for picks fixed in advance: the optimum.
    pub(super) in_advance: f64,
    /// By the central limit theorem: differential privacy, exponential mechanisms.
    pub(super) limits: [f64; 2],
    /// The parameters of Gaussian differential privacy in these limits.
    pub(super) mus: [f64; 2],
}

/// k picks by counts, by theorem 0: twice the parameter.
pub(super) fn by_sensitivity(parameter: &str, k: u64) -> Result<[Event; 1]> {
    let epsilon: Epsilon = parameter.parse()?;
    Ok([Event::pure(epsilon.clone() + epsilon).times(k)?])
}

/// The same by theorem 1.
pub(super) fn by_range(parameter: &str, k: u64) -> Result<[Event; 1]> {
    Ok([Event::bounded_range(parameter.parse()?).times(k)?])
}

pub(super) fn prices() -> Result<Vec<Prices>> {
    let of = |k| {
        let (old, new) = (by_sensitivity(PARAMETER, k)?, by_range(PARAMETER, k)?);
        let fixed = new.clone().map(Event::fixed_in_advance);
        let limits = [CentralLimit::of(&old)?, CentralLimit::of(&new)?];
        Ok(Prices {
            k,
            sum: BasicComposition::of(&old)?.total().to_f64(),
            theorem_0: OptimalHomogeneous::of(&old)?.epsilon(DELTA)?,
            theorem_1: OptimalHomogeneous::of(&new)?.epsilon(DELTA)?,
            adaptive: BoundedRange::of(&new)?.epsilon(DELTA)?,
            in_advance: BoundedRangeInAdvance::of(&fixed)?.epsilon(DELTA)?,
            mus: [limits[0].mu(), limits[1].mu()],
            limits: [limits[0].epsilon(DELTA)?, limits[1].epsilon(DELTA)?],
        })
    };
    PICKS.into_iter().map(of).collect()
}

pub(super) fn write(experiment: &Experiment<'_>, prices: &[Prices]) -> Result<()> {
    let line = |one: &Prices| {
        let mut line = row(&[&one.k.to_string(), PARAMETER, DELTA]);
        let prices = [one.sum, one.theorem_0, one.theorem_1, one.adaptive, one.in_advance];
        let numbers = prices.into_iter().chain(one.limits).chain(one.mus);
        line.extend(numbers.map(|number| format!("{number:.6}")));
        line
    };
    let header = [
        "k",
        "parameter",
        "delta",
        "theorem0_sum",
        "theorem0_optimal",
        "theorem1_optimal",
        "theorem1_exponential_adaptive",
        "theorem1_exponential_in_advance",
        "limit_dp",
        "limit_exponential",
        "mu_dp",
        "mu_exponential",
    ];
    let lines: Vec<_> = prices.iter().map(line).collect();
    experiment.output.write_csv(PRICES_DATA, &header, &lines)
}

pub(super) fn prices_chart(prices: &[Prices]) -> CurveChart {
    let curve = |label: &str, y: fn(&Prices) -> f64| Curve {
        label: label.into(),
        points: prices
            .iter()
            .map(|one| CurvePoint { x: one.k as f64, y: y(one), low: y(one), high: y(one) })
            .collect(),
    };
    CurveChart {
        title: "What k picks by counts cost, parameter 0.1, delta 1e-6".into(),
        x_label: "k".into(),
        y_label: "epsilon".into(),
        x_log: true,
        y_log: true,
        y_range: None,
        curves: vec![
            curve("theorem 0, sum", |one| one.sum),
            curve("theorem 0, optimal", |one| one.theorem_0),
            curve("theorem 1, optimal", |one| one.theorem_1),
            curve("theorem 1, exponential, adaptive", |one| one.adaptive),
            curve("theorem 1, exponential, in advance", |one| one.in_advance),
            curve("limit of theorem 0", |one| one.limits[0]),
            curve("limit of theorem 1", |one| one.limits[1]),
        ],
        references: Vec::new(),
    }
}
