//! Compares the predictions of `dpsis fit` with those by the private mean alone, on synthetic
//! tables with a numeric target.
//!
//! ```text
//! cargo run --release -p dpsis-papers --example fit -- 15
//! ```
//!
//! Five of d normal features explain half of the target's variance. Shown are medians of R^2 on
//! other rows, for the private mean (count and sum with Laplace noise of the model's share of
//! epsilon, of values clipped to the range) and for the fit, and how many of the runs released
//! coefficients, the mean alone, and no model. Ranges are given or not. All draws are seeded.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use dpsis::model::Model;
use dpsis::{ArrayTable, Bounds, Error, FitModel, Result, Select, Target};
use ndarray::{Array1, Array2};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const TEST: usize = 2000;

struct Table {
    x: Array2<f64>,
    y: Array1<f64>,
}

fn table(n: usize, d: usize, seed: u64) -> Table {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
    let x = Array2::from_shape_fn((n, d), |_| normal());
    let y = x.rows().into_iter().map(|row| {
        let signal: f64 = row.iter().take(5).sum();
        30.0 + 3.0 * (signal + 5f64.sqrt() * normal())
    });
    let y = y.collect();
    Table { x, y }
}

fn r2(y: &Array1<f64>, predicted: impl Iterator<Item = f64>) -> f64 {
    let mean = y.mean().unwrap_or(0.0);
    let wrong: f64 = y.iter().zip(predicted).map(|(y, p)| (y - p).powi(2)).sum();
    1.0 - wrong / y.iter().map(|y| (y - mean).powi(2)).sum::<f64>()
}

fn of_model(model: &Model, test: &Table) -> Result<f64> {
    let places: Vec<usize> = model
        .feature_names()
        .filter_map(|name| name.strip_prefix("feature-")?.parse::<usize>().ok())
        .collect();
    let rows = test.x.rows().into_iter();
    let predicted = rows
        .map(|row| model.predict(&places.iter().map(|place| row[place - 1]).collect::<Vec<_>>()));
    Ok(r2(&test.y, predicted.collect::<Result<Vec<f64>>>()?.into_iter()))
}

/// The mean of values clipped to the range, by count and sum, each with half of epsilon.
fn private_mean(y: &Array1<f64>, [low, high]: [f64; 2], epsilon: f64, seed: u64) -> f64 {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut laplace = || {
        let u: f64 = random.gen_range(-0.5..0.5);
        -u.signum() * (1.0 - 2.0 * u.abs()).ln() * 2.0 / epsilon
    };
    let (middle, half) = ((low + high) / 2.0, (high - low) / 2.0);
    let sum: f64 = y.iter().map(|y| (y.clamp(low, high) - middle) / half).sum();
    let count = (y.len() as f64 + laplace()).max(1.0);
    middle + half * ((sum + laplace()) / count).clamp(-1.0, 1.0)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() -> Result<()> {
    let runs: u64 = std::env::args()
        .nth(1)
        .and_then(|runs| runs.parse().ok())
        .ok_or_else(|| Error::request("give the number of runs"))?;
    println!("ranges      n     d  eps    mean     fit  coefficients, mean alone, none");
    let test = |d| table(TEST, d, 1 << 40);
    for given in [true, false] {
        for d in [20, 200] {
            let test = test(d);
            for n in [50, 100, 200, 400, 800, 1600, 3200, 10_000] {
                for eps in ["0.5", "1", "2", "5"] {
                    let epsilon: f64 = eps.parse().unwrap_or(f64::NAN);
                    let (mut means, mut fits, mut kinds) = (Vec::new(), Vec::new(), [0; 3]);
                    for run in 0..runs {
                        let table = table(n, d, 1 + run);
                        // Three standard deviations, off by half of one.
                        let range = [0.0, 66.0];
                        let mean = private_mean(&table.y, range, 0.6 * epsilon, run);
                        means.push(r2(&test.y, std::iter::repeat_n(mean, TEST)));
                        let mut select = Select::new(5).epsilon(eps).threads(1);
                        if given {
                            let target = Bounds::new(range[0], range[1])?;
                            select = select.target(Target::Bounded(target)).bounds(-3.0, 3.0);
                        }
                        let source = ArrayTable::new(table.x.view(), table.y.view())?;
                        let record = FitModel::new(select).seed(run).run(&source)?;
                        match &record.model {
                            None => kinds[2] += 1,
                            Some(model) => {
                                let has = model.features.iter().any(|f| f.coefficient != 0.0);
                                kinds[usize::from(!has)] += 1;
                                fits.push(of_model(model, &test)?);
                            }
                        }
                    }
                    let ranges = if given { "given" } else { "drawn" };
                    println!(
                        "{ranges:<7} {n:>5} {d:>5} {eps:>4} {:>7.2} {:>7.2}  {kinds:?}",
                        median(means),
                        median(fits),
                    );
                }
            }
        }
    }
    Ok(())
}
