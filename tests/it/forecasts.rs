//! Forecasts held to real runs: tables in which features have an effect size in the population, at
//! the numbers of rows with which they are forecast to be found, or significant.

use std::f64::consts::{FRAC_PI_2, SQRT_2};

use dpsis::forecast::{Forecast, Least, Needed, Simulated};
use dpsis::internals::in_parallel;
use dpsis::{ArrayTable, Rehearsal, RehearsalSeeds, ScoreKind, Select, Target, mechanism};
use ndarray::{Array1, Array2};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use dpsis_mechanisms::support::effort::exhaustive;

/// The largest difference between the forecast probability and the share of real runs, beyond
/// sampling error of simulated tables and real runs.
const ERROR: f64 = 0.06;

/// The number of standard errors that are allowed: exceeded with probability 4e-4 by one
/// comparison, and 240 are made.
const ERRORS: f64 = 3.5;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Two and more classes with these shares, numeric features.
    Classes(&'static [f64]),
    /// A number that is split at a private median.
    Number,
    /// Two classes, correlation of values within bounds.
    Bounds(&'static [f64]),
    /// Kendall's correlation with a number.
    Kendall,
    /// People with rows of both classes.
    Paired,
}

#[derive(Debug, Clone, Copy)]
struct Setting {
    kind: Kind,
    features: usize,
    k: Option<usize>,
    epsilon: &'static str,
    effect_size: f64,
    mechanism: Option<&'static str>,
    /// The features with an effect, without k.
    strong: usize,
    delta: Option<&'static str>,
}

/// The defaults of a setting.
const SETTING: Setting = Setting {
    kind: Kind::Number,
    features: 60,
    k: None,
    epsilon: "1",
    effect_size: 0.3,
    mechanism: None,
    strong: 1,
    delta: None,
};

/// Sixty-two requests.
fn settings() -> Vec<Setting> {
    const EVEN: &[f64] = &[0.5, 0.5];
    const RARE: &[f64] = &[0.8, 0.2];
    const THREE: &[f64] = &[0.5, 0.3, 0.2];
    const FOUR: &[f64] = &[0.3, 0.3, 0.2, 0.2];
    let mut all = Vec::new();
    for (kind, effect_size) in [
        (Kind::Classes(EVEN), 0.3),
        (Kind::Classes(RARE), 0.4),
        (Kind::Classes(THREE), 0.35),
        (Kind::Number, 0.3),
        (Kind::Bounds(EVEN), 0.25),
        (Kind::Bounds(RARE), 0.3),
        (Kind::Kendall, 0.3),
        (Kind::Paired, 0.4),
    ] {
        for (k, epsilon) in [(1, "1"), (3, "2"), (5, "4")] {
            let k = Some(k);
            all.push(Setting { kind, features: 60, k, epsilon, effect_size, ..SETTING });
        }
        if kind != Kind::Kendall {
            for epsilon in ["1", "3"] {
                all.push(Setting { kind, features: 60, k: None, epsilon, effect_size, ..SETTING });
            }
        }
    }
    for mechanism in ["canonical", "peel", "peel-pnf", "laplace", "joint"] {
        for (k, epsilon) in [(2, "1"), (4, "3")] {
            let (kind, k, mechanism) = (Kind::Classes(EVEN), Some(k), Some(mechanism));
            all.push(Setting {
                kind,
                features: 200,
                k,
                epsilon,
                effect_size: 0.35,
                mechanism,
                ..SETTING
            });
        }
    }
    for (kind, features, k, epsilon, effect_size) in [
        (Kind::Classes(FOUR), 60, Some(2), "2", 0.4),
        (Kind::Classes(FOUR), 60, None, "3", 0.4),
        (Kind::Classes(EVEN), 1000, Some(5), "2", 0.4),
        (Kind::Classes(EVEN), 1000, None, "2", 0.4),
        (Kind::Classes(EVEN), 10, Some(3), "2", 0.2),
        (Kind::Classes(EVEN), 30, Some(5), "1", 0.15),
        (Kind::Number, 400, Some(10), "4", 0.35),
        (Kind::Number, 400, None, "1", 0.35),
        (Kind::Number, 40, Some(2), "0.5", 0.5),
        (Kind::Classes(RARE), 300, Some(5), "2", 0.5),
        (Kind::Classes(THREE), 300, Some(4), "3", 0.45),
        (Kind::Bounds(EVEN), 500, Some(5), "2", 0.3),
    ] {
        all.push(Setting { kind, features, k, epsilon, effect_size, ..SETTING });
    }
    for (delta, epsilon) in [(Some("1e-6"), "1"), (None, "2")] {
        let (kind, k, effect_size) = (Kind::Classes(EVEN), None, 0.2);
        let setting = Setting { kind, features: 300, k, epsilon, effect_size, ..SETTING };
        all.push(Setting { strong: 25, delta, ..setting });
    }
    assert_eq!(all.len(), 62);
    all
}

impl Setting {
    fn shares(&self) -> &'static [f64] {
        match self.kind {
            Kind::Classes(shares) | Kind::Bounds(shares) => shares,
            _ => &[0.5, 0.5],
        }
    }

    fn select(&self) -> Select {
        let select = match self.k {
            Some(k) => Select::new(k),
            None => Select::significant(),
        };
        let labels = (0..self.shares().len()).map(|class| format!("c{class}"));
        let select = select.epsilon(self.epsilon).delta(self.delta.unwrap_or("0")).threads(1);
        let select = match self.kind {
            Kind::Classes(_) => select.target(Target::classes(labels)),
            Kind::Bounds(_) => select.target(Target::classes(labels)).bounds(-1.0, 1.0),
            Kind::Number => select,
            Kind::Kendall => select.score(ScoreKind::Kendall),
            Kind::Paired => select.target(Target::classes(labels)).score(ScoreKind::Paired),
        };
        match self.mechanism {
            Some("canonical") => select.mechanism(dpsis::CanonicalLipschitz::default()),
            Some("peel") => select.mechanism(mechanism::Peel),
            Some("peel-pnf") => select.mechanism(mechanism::PeelPermuteAndFlip),
            Some("laplace") => select.mechanism(mechanism::LaplaceTopK),
            Some(_) => select.mechanism(mechanism::Joint),
            None => select,
        }
    }

    fn forecast(&self) -> Forecast {
        let strong = Some(self.strong());
        let simulated = Simulated { strong, threads: 1, ..Simulated::default() };
        self.select().check().unwrap().forecast(self.features, simulated).unwrap()
    }

    fn strong(&self) -> usize {
        self.k.unwrap_or(self.strong)
    }

    /// The share of the strong features that one run selects, or, if `significance` is tested,
    /// finds significant.
    fn run(&self, rows: usize, significance: bool, seed: u64) -> f64 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let normal = |random: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(random) };
        let (r, strong) = (self.effect_size, self.strong());
        let classes: Vec<usize> = self
            .shares()
            .iter()
            .enumerate()
            .flat_map(|(class, share)| {
                std::iter::repeat_n(class, (share * rows as f64).round() as usize)
            })
            .collect();
        let split = best_split(self.shares());
        let side = |class: usize| if split >> class & 1 == 1 { 1.0 } else { -1.0 };
        // Normal values around -a and a have distribution functions that differ by 2 Phi(a) - 1.
        let shift =
            (0..6000).map(|i| f64::from(i) / 1000.0).find(|a| libm::erf(a / SQRT_2) >= r).unwrap();
        let labels = || Array1::from_iter(classes.iter().map(|class| format!("c{class}")));
        let select = self.select();
        let rehearsal = match self.kind {
            Kind::Classes(_) | Kind::Number => {
                let x = Array2::from_shape_fn((classes.len(), self.features), |(row, feature)| {
                    let off = if feature < strong { shift * side(classes[row]) } else { 0.0 };
                    normal(&mut random) + off
                });
                if self.kind == Kind::Number {
                    // Spread over the places of the private median as evenly as a forecast takes
                    // them to be.
                    let y = classes
                        .iter()
                        .map(|class| 10f64.powf(side(*class) * random.gen_range(0.0..0.5)));
                    let y = Array1::from_iter(y);
                    Rehearsal::new(select, &ArrayTable::new(x.view(), y.view()).unwrap())
                } else {
                    let y = labels();
                    Rehearsal::new(select, &ArrayTable::new(x.view(), y.view()).unwrap())
                }
            }
            Kind::Bounds(_) => {
                let x = Array2::from_shape_fn((classes.len(), self.features), |(row, feature)| {
                    let lean = if feature < strong { 1.5 * r * side(classes[row]) } else { 0.0 };
                    loop {
                        let x: f64 = random.gen_range(-1.0..1.0);
                        // The density 1/2 + lean x has the mean 2 lean/3, the effect size.
                        if random.gen_range(0.0..1.0) < (0.5 + lean * x) / (0.5 + lean.abs()) {
                            return x;
                        }
                    }
                });
                let y = labels();
                Rehearsal::new(select, &ArrayTable::new(x.view(), y.view()).unwrap())
            }
            Kind::Kendall => {
                let rho = (FRAC_PI_2 * r).sin();
                let y = Array1::from_shape_fn(rows, |_| normal(&mut random));
                let x = Array2::from_shape_fn((rows, self.features), |(row, feature)| {
                    let rho = if feature < strong { rho } else { 0.0 };
                    rho * y[row] + (1.0 - rho * rho).sqrt() * normal(&mut random)
                });
                Rehearsal::new(select, &ArrayTable::new(x.view(), y.view()).unwrap())
            }
            Kind::Paired => {
                // A row of each class for every person; the last column identifies people.
                let x = Array2::from_shape_fn((2 * rows, self.features + 1), |(row, feature)| {
                    let class = (row % 2) as f64;
                    if feature == self.features {
                        return (row / 2) as f64;
                    }
                    let r = if feature < strong { r } else { 0.0 };
                    let rises = random.gen_bool((1.0 + r) / 2.0);
                    class * if rises { 1.0 } else { -1.0 }
                });
                let y = Array1::from_shape_fn(2 * rows, |row| format!("c{}", row % 2));
                let names: Vec<String> = (0..=self.features).map(|j| format!("f{j}")).collect();
                let unit = names[self.features].clone();
                let table =
                    ArrayTable::new(x.view(), y.view()).unwrap().feature_names(names).unwrap();
                Rehearsal::new(select.unit_feature(unit), &table)
            }
        };
        let rehearsal = rehearsal.unwrap();
        let (k, epsilon) = (self.k.unwrap_or(self.features), self.epsilon.parse().unwrap());
        let seeds = RehearsalSeeds::all(seed);
        let found: Vec<usize> = if significance {
            let findings = rehearsal.findings(k, &epsilon, seeds).unwrap().into_inner();
            let significant = findings.iter().filter(|pick| pick.significant == Some(true));
            significant.map(|pick| pick.index).collect()
        } else {
            rehearsal.picks(k, &epsilon, None, seeds).unwrap().into_inner()
        };
        found.iter().filter(|index| **index < strong).count() as f64 / strong as f64
    }
}

/// The most even split of classes in two.
fn best_split(shares: &[f64]) -> usize {
    let group = |mask: usize| -> f64 {
        (0..shares.len()).filter(|class| mask >> class & 1 == 1).map(|class| shares[class]).sum()
    };
    let product = |mask: &usize| group(*mask) * (1.0 - group(*mask));
    (1..1usize << (shares.len() - 1)).max_by(|a, b| product(a).total_cmp(&product(b))).unwrap()
}

/// The probabilities of real runs are those that are forecast for their number of rows, and a
/// larger probability takes more rows. All requests with 300 runs each in `.ci/full`, three
/// elsewhere.
#[test]
#[allow(clippy::print_stderr, reason = "figures of a long test")]
fn real_runs_match_the_forecast() {
    let (runs, all) = if exhaustive() { (300, settings()) } else { (60, settings()) };
    let part: Vec<Setting> = if exhaustive() { all } else { [1, 47, 60].map(|i| all[i]).to_vec() };
    let mut worst = 0.0f64;
    let mut wrong = Vec::new();
    for setting in part {
        let forecast = setting.forecast();
        let needed = forecast.rows(setting.shares(), setting.effect_size).unwrap();
        let Needed { found, significant, .. } = needed;
        for (place, least) in [found, significant].into_iter().enumerate() {
            let [Some(half), Some(most)] = least else {
                assert!(place == 1 && setting.kind == Kind::Kendall, "{setting:?} {needed:?}");
                continue;
            };
            assert!(half.value <= most.value, "{setting:?} {needed:?}");
            if place == 0 && setting.k.is_none() {
                // The same as the others.
                let values = |least: [Option<Least>; 2]| least.map(|one| one.map(|one| one.value));
                assert_eq!(values(found), values(significant));
                continue;
            }
            for (least, probability) in [(half, 0.5), (most, 0.9)] {
                let rows = least.value.round();
                // Fewer rows are warned about: the private median may miss the values.
                let epsilon: f64 = setting.epsilon.parse().unwrap();
                if setting.kind == Kind::Number && rows < 2.0 * 13.3 / (0.1 * epsilon) {
                    continue;
                }
                let exact: Vec<f64> =
                    setting.shares().iter().map(|share| (share * rows).round()).collect();
                let chances = forecast.chances(&exact, setting.effect_size).unwrap();
                let chance = [Some(chances.found), chances.significant][place].unwrap();
                let run = |seed| Ok(setting.run(rows as usize, place == 1, seed));
                let shares = in_parallel(runs, 2, run).unwrap();
                let mean = shares.iter().sum::<f64>() / runs as f64;
                let variance: f64 =
                    shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / runs as f64;
                let error = (variance / runs as f64).sqrt().hypot(chance.error);
                let off = (mean - chance.mean).abs() - ERRORS * error;
                worst = worst.max(off);
                let text = format!(
                    "{setting:?}\n  {} at {probability}: {rows} rows, forecast {:.2}, real {mean:.2}",
                    ["found", "significant"][place],
                    chance.mean
                );
                eprintln!("{text}");
                if off > ERROR {
                    wrong.push(text);
                }
            }
        }
    }
    assert!(worst <= ERROR && wrong.is_empty(), "{worst}:\n{}", wrong.join("\n"));
}

/// A dry run gives the rows of a forecast.
#[test]
fn dry_runs_give_the_rows_of_forecasts() {
    for setting in [settings()[1], settings()[4]] {
        let names: Vec<String> = (0..setting.features).map(|j| format!("f{j}")).collect();
        let table = format!("{},y\n", names.join(","));
        let table = dpsis::FileTable::from_reader(std::io::Cursor::new(table));
        let plan = setting.select().dry_run(&table).unwrap();
        let forecast = setting.forecast();
        for needed in plan.rows_needed {
            let rows = forecast.rows(&[0.5; 2], needed.effect_size).unwrap();
            assert_eq!(needed.found, rows.found[0].map(|least| least.value));
            assert_eq!(needed.significant, rows.significant[0].map(|least| least.value));
            // With names only, fewer rows are enough, unless the mechanism changes.
            if let Some(fewer) = needed.names_only {
                assert!(fewer < 1.05 * needed.found.unwrap(), "{needed:?}");
            }
            assert_eq!(needed.names_only.is_some(), setting.k.is_some());
        }
    }
}
