//! Simulated fits, from which the constants are derived.

use crate::estimate::unit;
use crate::exact::GRID;
use crate::model::logistic::{LogisticRows, coefficient, moves, radius};
use crate::model::noise::VectorNoise;
use crate::model::release::{
    LAMBDA_PER_ROW, ModelBudget, ModelRequest, Regression, Rows, Term, TermValues, are_noise,
    default_lambda, fit_model, pulled,
};
use crate::model::saved::{Model, ModelGuarantee, ModelKind, ModelTarget};
use crate::model::variables::Variables;
use crate::privacy::{Delta, Epsilon, Neighbors};
use crate::random::{Entropy, WordStream};
use crate::table::Hooks;

/// A standard normal number.
fn normal(words: &mut WordStream) -> f64 {
    (-2.0 * libm::log(unit(words))).sqrt() * (std::f64::consts::TAU * unit(words)).cos()
}

/// The distribution of columns and target.
#[derive(Clone, Copy)]
pub(super) struct Design {
    pub(super) features: usize,
    /// The correlation of neighboring features.
    pub(super) rho: f64,
    /// The share of the target's variance that the features explain; the target is the sign for two
    /// classes.
    pub(super) explained: f64,
    pub(super) classes: bool,
    /// The threshold between the classes, in standard deviations of the target above its mean.
    pub(super) threshold: f64,
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
        let threshold = 20.0 + self.threshold * (variance / self.explained).sqrt();
        let target = |signal: &f64| {
            let value = 20.0 + signal + noise * normal(&mut words);
            if self.classes { f64::from(u8::from(value > threshold)) } else { value }
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

/// The figures of the page about models: the median of fifteen tables. The budget is that of a
/// selection and a model together; the selection gets 0.4 of it and has found the features. The
/// last line of each is without noise.
#[test]
#[ignore = "a table of figures"]
#[allow(clippy::print_stderr, reason = "figures are printed")]
fn figures() {
    const SIZES: [usize; 5] = [300, 1000, 3000, 10_000, 100_000];
    for (rho, classes) in [(0.0, false), (0.8, false), (0.0, true), (0.8, true)] {
        let design = Design { features: 5, rho, explained: 0.5, classes, threshold: 0.0 };
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
                    // Having no model counts as predicting worse than the mean.
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

/// Intervals of 90% contain the slopes of the distribution of the rows in at least 85 of 100 cases:
/// with little noise, with much of it, and with correlated features.
#[test]
fn intervals_cover() {
    for (rho, n, eps) in [(0.0, 1000, 3.0), (0.0, 4000, 1.0), (0.6, 4000, 1.0), (0.0, 20_000, 10.0)]
    {
        let design = Design { features: 4, rho, explained: 0.5, classes: false, threshold: 0.0 };
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

/// The same for the differences between 20 levels, with two numbers: with few rows and with many.
#[test]
fn intervals_of_levels_cover() {
    const LEVELS: usize = 20;
    let number = |place: usize| Term {
        name: format!("x{place}"),
        place,
        values: TermValues::Numbers(Some(crate::table::Bounds::new(-1.0, 1.0).unwrap())),
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
            let range = Some(crate::table::Bounds::new(-1.0, 1.0).unwrap());
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

/// Rows on the grid, for ranges of 2.4 standard deviations on either side, with their classes.
fn on_the_grid(rows: &Rows) -> Vec<(Vec<i16>, bool)> {
    let value = |j: usize, value: f64| {
        let place = j as f64 + 1.0;
        let in_range = (value - 50.0 * place) / (3.0 * place) / 2.4;
        (in_range.clamp(-1.0, 1.0) * f64::from(GRID)).round() as i16
    };
    let row = |i: usize| {
        let values = rows.columns.iter().enumerate().map(|(j, column)| value(j, column[i]));
        (values.collect(), rows.targets[i] > 0.5)
    };
    (0..rows.targets.len()).map(row).collect()
}

/// The mean log loss of a model.
fn log_loss(w: &[f64], rows: &[(Vec<i16>, bool)]) -> f64 {
    let of = |(values, second): &(Vec<i16>, bool)| {
        let terms = values.iter().zip(&w[1..]).map(|(&x, w)| f64::from(x) / f64::from(GRID) * w);
        let log_odds = w[0] + terms.sum::<f64>();
        let right = if *second { log_odds } else { -log_odds };
        if right < -30.0 { -right } else { libm::log1p(libm::exp(-right)) }
    };
    rows.iter().map(of).sum::<f64>() / rows.len() as f64
}

/// Log losses of logistic models by lambda, from which the default is derived: for each number of
/// features, rows and epsilon of the model, means over four designs of the classes.
#[test]
#[ignore = "a table of figures"]
#[allow(clippy::print_stderr, reason = "figures are printed")]
fn lambdas() {
    const TABLES: u64 = 3;
    const DRAWS: u64 = 8;
    const LAMBDAS: i32 = 14;
    const EPSILONS: [f64; 6] = [0.2, 0.5, 1.0, 2.0, 4.0, 8.0];
    let lambda_of = |l: i32| libm::pow(10.0, f64::from(l - 2) / 4.0);
    // Of 10 and of multiples of the noise: excess over the best, the largest, and that over 10;
    // where the best is better than the share of the class alone, and where it is not.
    const FACTORS: [f64; 6] = [0.0, 2.0, 2.5, 3.0, 4.0, 6.0];
    let (mut excess, mut cells) = ([[[0.0f64; 3]; 6]; 2], [0.0; 2]);
    // For each noise of a coefficient: the loss as released, and with slopes that look like noise
    // as 0.
    let mut by_noise = [[0.0; 3]; 4];
    eprintln!("| features | rows | epsilon | lambda | default | 10 | best |");
    for features in [1usize, 3, 5, 10, 20] {
        let variables = Variables::numbers(features);
        let (radius, moves) = (radius(&variables), moves(features + 1, Neighbors::AddRemove));
        for n in [200usize, 600, 2000, 6000, 20_000] {
            let mut table = [[0.0; 3]; EPSILONS.len()];
            let designs = [(0.3, 0.0), (0.7, 0.0), (0.5, 0.84), (0.5, 1.645)];
            for (explained, threshold) in designs {
                let design = Design { features, rho: 0.2, explained, classes: true, threshold };
                let test = on_the_grid(&design.rows(1500, 1 << 40));
                let second = test.iter().filter(|row| row.1).count() as f64 / test.len() as f64;
                let share_alone = -second * second.ln() - (1.0 - second) * (1.0 - second).ln();
                let tables: Vec<_> =
                    (0..TABLES).map(|seed| on_the_grid(&design.rows(n, 77 + seed))).collect();
                let minimizer = |lambda: f64, rows: &Vec<(Vec<i16>, bool)>| {
                    let mut table = LogisticRows::new(&variables, GRID, lambda, 1);
                    rows.iter().for_each(|(values, second)| table.add(values, *second, 1));
                    table.minimize(&Hooks::default()).unwrap()
                };
                let at = |lambda: f64| -> Vec<Vec<i64>> {
                    tables.iter().map(|rows| minimizer(lambda, rows)).collect()
                };
                let grid: Vec<(f64, Vec<Vec<i64>>)> =
                    (0..LAMBDAS).map(|l| (lambda_of(l), at(lambda_of(l)))).collect();
                for (eps, sums) in EPSILONS.iter().zip(&mut table) {
                    let epsilon =
                        Epsilon::part(num_rational::BigRational::from_float(*eps).unwrap());
                    let noise = VectorNoise::new(&moves, &epsilon, &Delta::zero()).unwrap();
                    let hidden = noise.deviation / moves.largest as f64;
                    // The loss as released, and where slopes that look like noise are 0.
                    let losses = |lambda: f64, minimizers: &Vec<Vec<i64>>| {
                        let in_values = |i: f64| coefficient(i, lambda) / radius;
                        let (mut raw, mut replaced) = (0.0, 0.0);
                        for (table, w) in minimizers.iter().enumerate() {
                            for draw in 0..DRAWS {
                                let source = Entropy::Seeded(1000 * table as u64 + draw).source();
                                let noisy = noise.add(w, &source.unwrap().bits(12));
                                let mut w: Vec<f64> =
                                    noisy.iter().map(|&i| in_values(i as f64)).collect();
                                let loss = log_loss(&w, &test);
                                raw += loss;
                                let deviation = in_values(noise.deviation);
                                replaced += if are_noise(&w[1..], deviation) {
                                    w[0] = pulled(w[0], deviation);
                                    w[1..].fill(0.0);
                                    log_loss(&w, &test)
                                } else {
                                    loss
                                };
                            }
                        }
                        let all = (TABLES * DRAWS) as f64;
                        (raw / all, replaced / all)
                    };
                    let of_factor = |factor: f64| {
                        let lambda = default_lambda(factor / LAMBDA_PER_ROW * hidden);
                        losses(lambda, &at(lambda)).0
                    };
                    let mut raws = FACTORS.map(|f| if f > 0.0 { of_factor(f) } else { 0.0 });
                    let of_grid = grid.iter().map(|(lambda, w)| {
                        let (raw, replaced) = losses(*lambda, w);
                        let deviation = coefficient(noise.deviation, *lambda) / radius;
                        let bin = [0.25, 0.5, 1.0].iter().filter(|&&end| deviation > end).count();
                        let sums = by_noise[bin].iter_mut();
                        sums.zip([raw, replaced, 1.0]).for_each(|(sum, x)| *sum += x);
                        raw
                    });
                    let of_grid: Vec<f64> = of_grid.collect();
                    // 10 is 10^(4/4).
                    (raws[0], raws[2]) = (of_grid[6], of_factor(LAMBDA_PER_ROW));
                    let best = of_grid.iter().copied().fold(raws[2], f64::min);
                    sums.iter_mut().zip([raws[2], raws[0], best]).for_each(|(sum, x)| *sum += x);
                    let useful = usize::from(best < share_alone - 0.01);
                    for (one, raw) in excess[useful].iter_mut().zip(raws) {
                        one[0] += raw - best;
                        one[1] = one[1].max(raw - best);
                        one[2] = one[2].max(raw - raws[0]);
                    }
                    cells[useful] += 1.0;
                }
            }
            for (eps, sums) in EPSILONS.iter().zip(&table) {
                let epsilon = Epsilon::part(num_rational::BigRational::from_float(*eps).unwrap());
                let noise = VectorNoise::new(&moves, &epsilon, &Delta::zero()).unwrap();
                let lambda = default_lambda(noise.deviation / moves.largest as f64);
                let means: Vec<String> =
                    sums.iter().map(|sum| format!("{:.3}", sum / designs.len() as f64)).collect();
                eprintln!("| {features} | {n} | {eps} | {lambda} | {} |", means.join(" | "));
            }
        }
    }
    for (of, cells, what) in [(1, cells[1], "better"), (0, cells[0], "no better")] {
        eprintln!(
            "{cells} cells whose best is {what} than the share alone: mean excess, largest, over 10"
        );
        for (factor, [sum, largest, over_ten]) in FACTORS.iter().zip(excess[of]) {
            eprintln!("factor {factor}: {:.4} {largest:.3} {over_ten:.3}", sum / cells);
        }
    }
    eprintln!("noise to 0.25, 0.5, 1, above: loss as released, with slopes like noise as 0");
    eprintln!("{:?}", by_noise.map(|[raw, replaced, all]| [raw / all, replaced / all]));
}
