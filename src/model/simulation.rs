//! Simulated fits, from which the constants come.

use crate::data::Hooks;
use crate::estimate::unit;
use crate::model::release::{
    ModelBudget, ModelRequest, Regression, Rows, Term, TermValues, fit_model,
};
use crate::model::saved::{Model, ModelGuarantee, ModelKind, ModelTarget};
use crate::privacy::{Delta, Epsilon, Neighbors};
use crate::random::{Entropy, WordStream};

/// A standard normal number.
fn normal(words: &mut WordStream) -> f64 {
    (-2.0 * libm::log(unit(words))).sqrt() * (std::f64::consts::TAU * unit(words)).cos()
}

/// How columns and target are made.
#[derive(Clone, Copy)]
pub(super) struct Design {
    pub(super) features: usize,
    /// The correlation of neighboring features.
    pub(super) rho: f64,
    /// The share of the target's variance that the features explain; the target is the sign for two
    /// classes.
    pub(super) explained: f64,
    pub(super) classes: bool,
}

impl Design {
    /// The slopes, with features of unit variance: of either sign, and different.
    pub(super) fn slope(&self, j: usize) -> f64 {
        let size = 1.0 - 0.6 * j as f64 / self.features as f64;
        if j.is_multiple_of(2) { size } else { -size }
    }

    pub(super) fn rows(&self, n: usize, seed: u64) -> Rows {
        let mut words = Entropy::Seeded(seed).source().unwrap().bits(99).lane(0);
        let k = self.features;
        let mut columns = vec![Vec::with_capacity(n); k];
        let mut signals = Vec::with_capacity(n);
        for _ in 0..n {
            let (mut last, mut signal) = (normal(&mut words), 0.0);
            for (j, column) in columns.iter_mut().enumerate() {
                if j > 0 {
                    last =
                        self.rho * last + (1.0 - self.rho * self.rho).sqrt() * normal(&mut words);
                }
                signal += self.slope(j) * last;
                // Each in its own unit.
                column.push(50.0 * (j as f64 + 1.0) + 3.0 * (j as f64 + 1.0) * last);
            }
            signals.push(signal);
        }
        // The variance of the signal.
        let cov = |a: usize, b: usize| {
            self.rho.powi(a.abs_diff(b) as i32) * self.slope(a) * self.slope(b)
        };
        let variance: f64 = (0..k * k).map(|e| cov(e / k, e % k)).sum();
        let noise = (variance * (1.0 - self.explained) / self.explained).sqrt();
        let target = |signal: &f64| {
            let value = 20.0 + signal + noise * normal(&mut words);
            if self.classes { f64::from(u8::from(value > 20.0)) } else { value }
        };
        Rows { columns, targets: signals.iter().map(target).collect(), weights: None }
    }
}

pub(super) fn model(
    rows: &Rows,
    regression: Regression,
    parts: (f64, f64),
    delta: &str,
    seed: u64,
) -> Option<Model> {
    let number =
        |place: usize| Term { name: format!("x{place}"), place, values: TermValues::Numbers(None) };
    let terms = (0..rows.columns.len()).map(number).collect();
    model_of(terms, rows, regression, parts, delta, seed)
}

fn model_of(
    terms: Vec<Term>,
    rows: &Rows,
    regression: Regression,
    (ranges, model): (f64, f64),
    delta: &str,
    seed: u64,
) -> Option<Model> {
    let part = |e: f64| Epsilon::part(num_rational::BigRational::from_float(e).unwrap());
    let request = ModelRequest {
        regression: regression.clone(),
        terms,
        neighbors: Neighbors::AddRemove,
        mean_only: false,
        // The model itself, without the fallback for few rows.
        counted: Some(u64::MAX),
        uncounted: false,
        budget: ModelBudget {
            ranges: Some(part(ranges)),
            model: part(model),
            delta: delta.parse::<Delta>().unwrap(),
        },
    };
    let source = Entropy::Seeded(seed).source().unwrap();
    let released = fit_model(&request, rows, &source, &Hooks::default()).unwrap();
    let fit = released.fit?;
    let guarantee = ModelGuarantee {
        private: false,
        epsilon: "1".into(),
        delta: "0".into(),
        neighbors: Neighbors::AddRemove,
        unit: "row".into(),
        events: Vec::new(),
    };
    let classes = matches!(regression, Regression::Logistic { .. });
    let kind = if classes { ModelKind::Logistic } else { ModelKind::Linear };
    let target = ModelTarget {
        name: None,
        classes: classes.then(|| ["0".into(), "1".into()]),
        range: released.target.map(|range| [range.low(), range.high()]),
    };
    Some(Model::new(kind, target, fit.intercept, fit.features, guarantee).unwrap())
}

/// R^2 or accuracy on other rows.
fn quality(model: &Model, rows: &Rows) -> f64 {
    let n = rows.targets.len() as f64;
    let values = |i: usize| rows.columns.iter().map(|column| column[i]).collect::<Vec<f64>>();
    let predicted: Vec<f64> =
        (0..rows.targets.len()).map(|i| model.predict(&values(i)).unwrap()).collect();
    if model.kind == ModelKind::Logistic {
        let right = predicted.iter().zip(&rows.targets).filter(|(p, y)| (**p > 0.5) == (**y > 0.5));
        return right.count() as f64 / n;
    }
    let mean = rows.targets.iter().sum::<f64>() / n;
    let square = |pairs: &mut dyn Iterator<Item = (f64, f64)>| {
        pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>()
    };
    let wrong = square(&mut predicted.iter().copied().zip(rows.targets.iter().copied()));
    1.0 - wrong / square(&mut rows.targets.iter().map(|y| (*y, mean)))
}

/// The figures of the page about models: the median of fifteen tables, for the whole budget of a
/// selection that gets 0.4 of it and has found the features; without noise in the last line of
/// each.
#[test]
#[ignore = "a table of figures"]
#[allow(clippy::print_stderr, reason = "figures are printed")]
fn figures() {
    const SIZES: [usize; 5] = [300, 1000, 3000, 10_000, 100_000];
    for (rho, classes) in [(0.0, false), (0.8, false), (0.0, true), (0.8, true)] {
        let design = Design { features: 5, rho, explained: 0.5, classes };
        let test = design.rows(4000, 1 << 40);
        let what = if classes { "accuracy" } else { "R^2" };
        eprintln!("{what}, 5 features, correlation of neighbors {rho}, {SIZES:?} rows");
        for eps in [0.5, 1.0, 2.0, 8.0, 1e6] {
            let cell = |n: usize| {
                let of = |seed: u64| {
                    let regression = match classes {
                        true => Regression::Logistic { lambda: None },
                        false => Regression::Linear { range: None, center: None },
                    };
                    let parts = (0.6 * 0.3 * eps, 0.6 * 0.7 * eps);
                    let model = model(&design.rows(n, seed), regression, parts, "0", seed);
                    // No model is like one that predicts worse than the mean.
                    model.map_or(-1.0, |model| quality(&model, &test))
                };
                let mut all: Vec<f64> = (0..15).map(of).collect();
                all.sort_by(f64::total_cmp);
                if all[7] < 0.0 { "< 0".to_owned() } else { format!("{:.2}", all[7]) }
            };
            eprintln!("| {eps} | {} |", SIZES.map(cell).join(" | "));
        }
    }
}

/// Intervals of 90% hold the slopes of the law that the rows are from, in at least 85 of 100 cases:
/// at little noise, at much of it, and with correlated features.
#[test]
fn intervals_cover() {
    for (rho, n, eps) in [(0.0, 1000, 3.0), (0.0, 4000, 1.0), (0.6, 4000, 1.0), (0.0, 20_000, 10.0)]
    {
        let design = Design { features: 4, rho, explained: 0.5, classes: false };
        let (mut held, mut all, mut widths) = (0, 0, 0.0);
        for seed in 0..60 {
            let rows = design.rows(n, 1000 + seed);
            let regression = Regression::Linear { range: None, center: None };
            let model = model(&rows, regression, (0.3 * eps, 0.7 * eps), "0", seed).unwrap();
            for (j, feature) in model.features.iter().enumerate() {
                let slope = design.slope(j) / (3.0 * (j as f64 + 1.0));
                let (low, high) = (feature.low.unwrap(), feature.high.unwrap());
                held += usize::from(low <= slope && slope <= high);
                widths += (high - low) / 2.0 / slope.abs();
                all += 1;
            }
        }
        let (share, width) = (held as f64 / f64::from(all), widths / f64::from(all));
        // The half-widths are 0.24, 0.17, 0.31 and 0.03 of a slope.
        assert!(share >= 0.85 && width < 0.35, "{rho} {n} {eps}: {share} {width}");
    }
}

/// The same of the differences between 20 levels, beside two numbers: with few rows and with many.
#[test]
fn intervals_of_levels_cover() {
    const LEVELS: usize = 20;
    let number = |place: usize| Term {
        name: format!("x{place}"),
        place,
        values: TermValues::Numbers(Some(crate::data::Bounds::new(-1.0, 1.0).unwrap())),
    };
    let level = |number: usize| Term {
        name: "level".into(),
        place: 2,
        values: TermValues::Level { number, level: number.to_string(), reference: "0".into() },
    };
    let terms: Vec<Term> = (0..2).map(number).chain((1..LEVELS).map(level)).collect();
    for (n, widest) in [(2000, 1.0), (20_000, 0.2)] {
        let (mut held, mut all, mut widths) = (0, 0, 0.0);
        for seed in 0..20 {
            let mut words = Entropy::Seeded(seed).source().unwrap().bits(98).lane(0);
            let mut columns = vec![Vec::new(); terms.len()];
            let slopes: Vec<f64> = terms.iter().map(|_| 0.8 * unit(&mut words) - 0.4).collect();
            let mut targets = Vec::new();
            for _ in 0..n {
                let at = (unit(&mut words) * LEVELS as f64) as usize;
                let numbers = [0, 1].map(|_| (0.4 * normal(&mut words)).clamp(-1.0, 1.0));
                let levels = (1..LEVELS).map(|level| f64::from(u8::from(level == at)));
                let row: Vec<f64> = numbers.into_iter().chain(levels).collect();
                let signal: f64 = row.iter().zip(&slopes).map(|(x, slope)| x * slope).sum();
                targets.push(signal + 0.2 * normal(&mut words));
                columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            }
            let rows = Rows { columns, targets, weights: None };
            let range = Some(crate::data::Bounds::new(-1.0, 1.0).unwrap());
            let regression = Regression::Linear { range, center: None };
            let model = model_of(terms.clone(), &rows, regression, (0.1, 4.0), "0", seed).unwrap();
            for (feature, slope) in model.features.iter().zip(&slopes) {
                let (low, high) = (feature.low.unwrap(), feature.high.unwrap());
                held += usize::from(low <= *slope && *slope <= high);
                widths += (high - low) / 2.0;
                all += 1;
            }
        }
        let (share, width) = (held as f64 / f64::from(all), widths / f64::from(all));
        assert!(share >= 0.85 && width < widest, "{n}: {share} {width}");
    }
}
