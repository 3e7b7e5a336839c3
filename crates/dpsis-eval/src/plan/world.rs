//! Imagined tables, and how often a mechanism finds features of a strength in them.
//!
//! In each table the target is split at a median with the noise of the real one and centered by the
//! real private center, each with its share of the real budget; the scores of all features are
//! drawn from their [`Law`]; then the real mechanism selects, with the share of the selection. A
//! feature is *found* if it is selected. The features of strength come first, and everything that
//! is random is the same for every strength and mechanism, so that their differences have less
//! noise than they have themselves.
//!
//! The split is off by a number of ranks with probabilities proportional to e^(-epsilon |ranks|),
//! or half of that epsilon if rows are replaced: the law of the private median where values lie
//! close together.

use std::sync::Arc;

use dpsis::internals::in_parallel;
use dpsis::{
    Epsilon, GRID, Mechanism, Neighbors, Purpose, Result, ScoreKind, Scores, Seeded, Spending,
    estimate,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1};

use super::PlanRequest;
use super::law::{Centered, Law, normal};
use super::shift::{Sampling, Strength};
use crate::metrics::Estimate;
use crate::seed::seed_of;

/// Imagined tables of one number of rows at one epsilon.
pub(super) struct World<'a> {
    request: &'a PlanRequest,
    selection: Epsilon,
    tables: Vec<Table>,
}

/// An imagined table.
struct Table {
    law: Law,
    /// Scores of features without association.
    by_chance: Vec<i64>,
    /// The sampling noise of as many features of strength as are selected.
    noise: Vec<Sampling>,
    /// The seed of the selection.
    seed: u64,
}

impl<'a> World<'a> {
    /// # Errors
    ///
    /// Those of the request.
    pub(super) fn new(request: &'a PlanRequest, rows: u64, epsilon: &Epsilon) -> Result<Self> {
        let spent = request.select(epsilon)?.spending(request.features)?;
        let part = |purpose| {
            spent.iter().find(|part: &&Spending| part.purpose == purpose).map(|part| &part.epsilon)
        };
        let draw = |number| Table::draw(request, rows, part, number);
        let tables = in_parallel(request.draws(), request.threads, draw)?;
        let selection = part(Purpose::Selection).unwrap_or(epsilon).clone();
        Ok(Self { request, selection, tables })
    }

    /// The part of epsilon that the selection has.
    pub(super) fn selection(&self) -> &Epsilon {
        &self.selection
    }

    /// How much one row can move a strength, on average.
    pub(super) fn one_row(&self) -> f64 {
        let one = |table: &Table| table.law.sensitivity as f64 / table.law.largest;
        Estimate::of(self.tables.iter().map(one)).mean
    }

    /// The median of the largest score by chance, as a strength.
    pub(super) fn largest_by_chance(&self) -> f64 {
        let largest = |table: &Table| {
            table.by_chance.iter().copied().max().unwrap_or(0) as f64 / table.law.largest
        };
        let mut all: Vec<f64> = self.tables.iter().map(largest).collect();
        all.sort_unstable_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// The share of `strong` features of a strength that are found, with its standard error.
    ///
    /// # Errors
    ///
    /// `Request` if the mechanism does not choose k.
    pub(super) fn found(
        &self,
        mechanism: &Arc<dyn Mechanism>,
        strength: f64,
        strong: usize,
    ) -> Result<Estimate> {
        let (k, neighbors) = (self.request.k, self.request.neighbors);
        let of_strength = Strength::new(strength);
        let share = |number: u64| -> Result<f64> {
            let Some(table) = self.tables.get(number as usize) else { return Ok(f64::NAN) };
            let mut values = table.by_chance.clone();
            for (value, noise) in values.iter_mut().zip(&table.noise).take(strong) {
                *value = table.law.of_strength(&of_strength, noise);
            }
            let scores = Scores::new(values, table.law.sensitivity, neighbors)?;
            let picks = mechanism.pick(&scores, k, &self.selection, Seeded(table.seed))?;
            let found = picks.iter().filter(|pick| **pick < strong).count();
            Ok(found as f64 / strong as f64)
        };
        let shares = in_parallel(self.tables.len() as u64, self.request.threads, share)?;
        Ok(Estimate::of(shares))
    }
}

impl Table {
    fn draw<'e>(
        request: &PlanRequest,
        rows: u64,
        part: impl Fn(Purpose) -> Option<&'e Epsilon>,
        number: u64,
    ) -> Result<Self> {
        let seed = seed_of(request.seed, &["plan"], number);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let second = match (request.share, part(Purpose::TargetMedian)) {
            (Some(share), _) => request.rarer(rows, share),
            (None, Some(epsilon)) => split(rows, epsilon, request.neighbors, &mut random),
            (None, None) => rows / 2,
        };
        let rows = [rows - second, second];
        let q = u64::from(GRID.unsigned_abs());
        let sums = (2 * q * rows[1], 2 * q * rows[0]);
        let center = match (part(Purpose::TargetCenter), request.score) {
            (None, _) => 0,
            (Some(epsilon), ScoreKind::Correlation) => {
                estimate::center(sums, request.neighbors, epsilon, Seeded(seed))?.into_inner().0
            }
            (Some(epsilon), _) => {
                estimate::shrunk_center(sums, request.neighbors, epsilon, Seeded(seed))?
                    .into_inner()
            }
        };
        let target = Centered { rows, center, classes: request.share.is_some() };
        let law = Law::new(request.score, target, request.neighbors)?;
        let mut noise = || Sampling { z: normal(&mut random), seed: random.r#gen() };
        let noise = (0..request.k).map(|_| noise()).collect();
        let by_chance = (0..request.features).map(|_| law.by_chance(&mut random)).collect();
        Ok(Self { law, by_chance, noise, seed })
    }
}

/// The rows above a private split in the middle.
fn split(rows: u64, epsilon: &Epsilon, neighbors: Neighbors, random: &mut impl Rng) -> u64 {
    let rate = match neighbors {
        Neighbors::ReplaceOne => epsilon.to_f64() / 2.0,
        _ => epsilon.to_f64(),
    };
    let half = rows as f64 / 2.0;
    // An exponential number of a random sign, below half of the rows: by its distribution function.
    let level: f64 = Exp1.sample(random);
    let within = -libm::expm1(-rate * half);
    let ranks = -libm::log1p(within * libm::expm1(-level)) / rate;
    let sign = if random.gen_bool(0.5) { 1.0 } else { -1.0 };
    ((half + sign * ranks).round() as u64).clamp(1, rows - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::contenders;
    use crate::plan::tests::request;

    /// Two candidates and the exponential mechanism: in every table the probability has a closed
    /// form. 400 tables: five standard errors are exceeded with probability 6e-7.
    #[test]
    fn two_candidates_have_the_closed_form() {
        let mut request = request(200, 2, 1, "0.5");
        request.draws = Some(400);
        request.contenders = contenders(1, &["em".to_owned()], &[]).unwrap();
        let world = World::new(&request, 200, &request.epsilon).unwrap();
        let rate = world.selection.to_f64() / 2.0;
        for strength in [0.01, 0.05, 0.2] {
            let exact = |table: &Table| {
                let gap = table.law.of_strength(&Strength::new(strength), &table.noise[0])
                    - table.by_chance[1];
                1.0 / (1.0 + (-rate * gap as f64 / table.law.sensitivity as f64).exp())
            };
            let exact = Estimate::of(world.tables.iter().map(exact)).mean;
            let found = world.found(&request.contenders[0].mechanism, strength, 1).unwrap();
            let error = (exact * (1.0 - exact) / 400.0).sqrt();
            assert!((found.mean - exact).abs() < 5.0 * error, "{found:?} {exact}");
        }
    }

    /// Ranks of the split against their probabilities e^(-epsilon |r|), in four cells of equal
    /// probability. 20,000 splits.
    #[test]
    fn the_split_is_off_by_an_exponential_number_of_ranks() {
        let epsilon: Epsilon = "0.05".parse().unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let splits = 20_000;
        let mut beyond = [0u32; 2];
        for _ in 0..splits {
            let above = split(1000, &epsilon, Neighbors::AddRemove, &mut random);
            beyond[0] += u32::from(above > 500);
            // P(|r| > 30) = e^-1.5, to which rounding adds half a rank.
            beyond[1] += u32::from(above.abs_diff(500) > 30);
        }
        let half = f64::from(beyond[0]) / f64::from(splits);
        assert!((half - 0.5 + 0.0125).abs() < 0.02, "{half}");
        let far = f64::from(beyond[1]) / f64::from(splits);
        assert!((far - (-0.05f64 * 30.5).exp()).abs() < 0.015, "{far}");
    }
}
