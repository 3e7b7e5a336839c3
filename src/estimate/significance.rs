#![doc = include_str!("significance.md")]

mod crossing;
mod signs;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use std::f64::consts::{LN_2, PI};

use crate::exact::GRID;
use crate::random::{Bits, WordStream};
use crossing::{Crossing, Height};
use signs::SignTails;

/// The share of an error probability for true counts outside the box is 1/PARTS.
const PARTS: f64 = 5.0;

/// The simulated null effect sizes of a test.
const TEST: Simulated = Simulated { draws: 5_000, kept: 1.0 };

/// The number of draws for a predicted threshold, which carries no guarantee.
const PREDICTION_DRAWS: usize = 1_000;

/// The minimum number of draws for a threshold of exact scores, and the minimum number of draws
/// above it.
const LEVEL_DRAWS: usize = 20_000;
const DRAWS_ABOVE: f64 = 100.0;

/// The share of the largest draws for which the slowest bound is computed: they determine p-values
/// up to this share.
const LARGEST: f64 = 0.2;

/// The maximum number of cells per side of the box.
const MAX_CELLS_PER_SIDE: f64 = 4.0;

/// The error probability of the test, for all picks together.
pub(crate) const LEVEL: f64 = 0.05;

/// How many null effect sizes are simulated.
#[derive(Debug, Clone, Copy)]
struct Simulated {
    draws: usize,
    /// The share of the draws, those with the largest values in the first cell, whose values in
    /// the other cells are computed. Where it is less than 1, the threshold may be too low.
    kept: f64,
}

impl Simulated {
    /// Predicts a threshold that a share of about `alpha` exceeds. Keeping all draws would raise it
    /// by at most 1%, and mostly by nothing.
    fn for_prediction(alpha: f64) -> Self {
        Self { draws: PREDICTION_DRAWS, kept: (0.25 + 2.0 * alpha).min(1.0) }
    }
}

/// The p-values of effect sizes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgement {
    /// An adjusted p-value for each effect size.
    pub(crate) p_values: Vec<f64>,
    /// For each class of features, the effect size beyond which p-values are at most [`LEVEL`].
    pub(crate) critical: Vec<f64>,
}

/// The functions of a column over which its score takes the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// All thresholds and categories of a column (`ks`).
    AnyFunction,
    /// One fixed value of each cell in \[-1, 1\] (correlations).
    Sums,
    /// Differences within people; the counts hold half of the people in each class.
    Signs,
}

/// The released values of the target and its center, and the properties of the effect sizes.
#[derive(Debug, Clone)]
pub(crate) struct SignificanceTest {
    /// The noisy number of rows of each class, N_a; for graded targets, the noisy sums of 1 - y and
    /// of y.
    pub(crate) counts: Vec<f64>,
    /// The noise of each count has probabilities proportional to e^(-rate |z|) on the multiples of
    /// `step`.
    pub(crate) rate: f64,
    pub(crate) step: f64,
    /// One over the weight of a feature, for each class of features of equal weight: the weights of
    /// all features add up to at most 1. Without weights, the number of features.
    pub(crate) tests: Vec<f64>,
    /// The scale of the effect sizes' noise, in the unit of the effect sizes: steps/eps.
    pub(crate) noise: f64,
    pub(crate) family: Family,
    /// Whether the target is a number between two bounds instead of a class.
    pub(crate) graded: bool,
}

impl SignificanceTest {
    /// Tests the effect sizes of `k` features, in units of the one-row sensitivity D, each with the
    /// class of its feature; `None` if the counts are too noisy for a test.
    pub(crate) fn judge(
        &self,
        k: usize,
        effect_sizes: &[(f64, usize)],
        bits: &Bits,
    ) -> Option<Judgement> {
        self.judge_by(TEST, LEVEL, k, effect_sizes, bits)
    }

    /// The approximate significance threshold of `k` effect sizes for each class of features;
    /// `None` if the counts are too noisy.
    pub(crate) fn predict(&self, k: usize, bits: &Bits) -> Option<Vec<f64>> {
        Some(self.judge_by(Simulated::for_prediction(LEVEL), LEVEL, k, &[], bits)?.critical)
    }

    /// For each class of features, the level in units of D: with probability at most `alpha`, which
    /// is at least 1e-4, the exact score of some null feature exceeds the level of its class.
    /// `None` if the counts are too noisy for a test.
    pub(crate) fn level(&self, alpha: f64, bits: &Bits) -> Option<Vec<f64>> {
        let draws = LEVEL_DRAWS.max((DRAWS_ABOVE / alpha).ceil() as usize);
        Some(self.judge_by(Simulated { draws, ..TEST }, alpha, 0, &[], bits)?.critical)
    }

    /// Approximations of these levels, as [`predict`](Self::predict) approximates that of effect
    /// sizes.
    pub(crate) fn predict_level(&self, alpha: f64, bits: &Bits) -> Option<Vec<f64>> {
        Some(self.judge_by(Simulated::for_prediction(alpha), alpha, 0, &[], bits)?.critical)
    }

    /// Tests at an error probability `alpha`.
    fn judge_by(
        &self,
        Simulated { draws: count, kept }: Simulated,
        alpha: f64,
        k: usize,
        effect_sizes: &[(f64, usize)],
        bits: &Bits,
    ) -> Option<Judgement> {
        if !self.is_possible() {
            return None;
        }
        let beta = alpha / PARTS;
        if self.family == Family::Signs {
            return Some(self.judge_signs(count, alpha, k, effect_sizes, bits));
        }
        // The largest number of draws that reach an effect size whose p-value is at most alpha.
        let most_reached = (((alpha - beta) * (count + 1) as f64) as usize).saturating_sub(1);
        let mut words = bits.lane(0);
        let draws: Vec<Draw> = (0..count).map(|_| Draw::new(self, k, &mut words)).collect();
        let mut p_values = vec![0.0f64; effect_sizes.len()];
        let mut scratch = Scratch::default();
        // g(N)/D(N), which is subtracted from an effect size before it is compared.
        let levels = self.main_terms(&self.counts);
        // The largest of all cells of the value that `most_reached` draws exceed.
        let mut reached = f64::NEG_INFINITY;
        let mut is_kept = vec![true; count];
        for (cell, (least, most)) in self.cells(beta).into_iter().enumerate() {
            let of_class = |class| Null::new(self, class, least.clone(), most.clone());
            let nulls: Vec<Null<'_>> = (0..self.tests.len()).map(of_class).collect();
            // One value of each draw for each class of features.
            let mut each = Vec::with_capacity(count * nulls.len());
            for (draw, is_kept) in draws.iter().zip(&is_kept) {
                each.extend(nulls.iter().map(|null| match is_kept {
                    true => null.value(draw, &mut scratch),
                    false => f64::NEG_INFINITY,
                }));
            }
            let mut values: Vec<f64> = each.chunks(nulls.len()).map(largest).collect();
            if cell == 0 && kept < 1.0 {
                let least = quantile(&values, 1.0 - kept);
                is_kept = values.iter().map(|value| *value >= least).collect();
            }
            let is_known = |values: &[f64], lowered: &[usize], next: f64| {
                let exceeding = values.iter().filter(|value| **value > reached).count();
                let settled = lowered.iter().filter(|draw| values[**draw] >= next).count();
                effect_sizes.is_empty() && (exceeding <= most_reached || settled > most_reached)
            };
            lower_largest(&mut values, &mut each, &draws, &nulls, is_known);
            // At most `most_reached` draws exceed it.
            let place = count - most_reached - 1;
            if effect_sizes.is_empty() {
                values.select_nth_unstable_by(place, f64::total_cmp);
            } else {
                values.sort_unstable_by(f64::total_cmp);
            }
            reached = reached.max(values[place]);
            for (p, (effect_size, class)) in p_values.iter_mut().zip(effect_sizes) {
                let excess = effect_size - levels[*class];
                let larger = count - values.partition_point(|value| *value < excess);
                let value = beta + (1 + larger) as f64 / (count + 1) as f64;
                *p = p.max(value.min(1.0));
            }
        }
        let critical = levels.iter().map(|level| (reached + level).max(0.0)).collect();
        Some(Judgement { p_values, critical })
    }

    /// Tests sums of differences within people, which have mean 0 for a null feature.
    fn judge_signs(
        &self,
        count: usize,
        alpha: f64,
        k: usize,
        effect_sizes: &[(f64, usize)],
        bits: &Bits,
    ) -> Judgement {
        let beta = alpha / PARTS;
        let most_reached = (((alpha - beta) * (count + 1) as f64) as usize).saturating_sub(1);
        // P(number of pairs > most) <= beta.
        let most = self.counts.iter().sum::<f64>() - libm::log(beta) / self.rate + self.step;
        let signs = |tests: &f64| SignTails::new(most.max(0.0) as usize, *tests);
        let signs: Vec<SignTails> = self.tests.iter().map(signs).collect();
        // Each person is rounded once, the center and the effect size as elsewhere.
        let rounding = (2.0 + most.max(0.0)) / f64::from(GRID);
        // Subtracted from the sums of a class, so that sums of all classes are distributed alike.
        let levels: Vec<f64> = signs.iter().map(|signs| signs.largest(alpha)).collect();
        let mut words = bits.lane(0);
        let mut values: Vec<f64> = (0..count)
            .map(|_| {
                let uniform = unit(&mut words);
                let sums = signs.iter().zip(&levels);
                let largest = sums.map(|(signs, level)| signs.largest(uniform) - level);
                let largest = largest.fold(f64::NEG_INFINITY, f64::max);
                largest + self.noise * largest_noise(k, &mut words) + rounding
            })
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        let p_value = |(effect_size, class): &(f64, usize)| {
            let excess = effect_size - levels[*class];
            let reached = count - values.partition_point(|value| *value < excess);
            (beta + (1 + reached) as f64 / (count + 1) as f64).min(1.0)
        };
        let p_values = effect_sizes.iter().map(p_value).collect();
        let value = values[count - most_reached - 1];
        Judgement { p_values, critical: levels.iter().map(|level| value + level).collect() }
    }

    /// The part of a threshold that changes most with the counts, sqrt(2 Lambda_0 w(N))/D(N), in
    /// units of D, for each class of features.
    pub(crate) fn main_terms(&self, counts: &[f64]) -> Vec<f64> {
        let counts: Vec<f64> = counts.iter().map(|count| count.max(0.0)).collect();
        let rows: f64 = counts.iter().sum();
        let least = counts.iter().fold(f64::INFINITY, |least, count| least.min(*count));
        let scale = self.scale(&counts);
        let term = |class| (2.0 * self.typical(class) * scale).sqrt() / (1.0 - least / rows);
        (0..self.tests.len()).map(term).collect()
    }

    /// w(N): n1 n0/n where one class is set against another, else n/4.
    fn scale(&self, counts: &[f64]) -> f64 {
        match counts {
            [a, b] if !self.graded => harmonic(*a, *b),
            _ => counts.iter().sum::<f64>() / 4.0,
        }
    }

    /// d (2^(A - 1) - 1) for one class of features, in logarithms; with weights, 1/weight for d.
    fn ln_tests(&self, class: usize) -> f64 {
        libm::log(self.tests[class].max(1.0)) + ln_groupings(self.counts.len())
    }

    /// Lambda_0, which sets g, for one class of features. Its square root differs between classes
    /// as that of Lambda at U = LEVEL does, so that their draws are similar there.
    fn typical(&self, class: usize) -> f64 {
        let functions: f64 = match self.family {
            Family::AnyFunction => 140.0,
            Family::Sums | Family::Signs => 4.0,
        };
        let of_first = self.ln_tests(0) + libm::log(functions);
        if class == 0 {
            return of_first;
        }
        let root = |class| (self.ln_tests(class) + libm::log(functions / LEVEL)).sqrt();
        (of_first.sqrt() + root(class) - root(0)).powi(2)
    }

    /// Whether a test is possible: at least two counts are positive, and their sum is at least four
    /// times the scale of the noise.
    pub(crate) fn is_possible(&self) -> bool {
        let filled = self.counts.iter().filter(|count| **count > 0.0).count();
        filled >= 2 && self.counts.iter().sum::<f64>() >= 4.0 / self.rate
    }

    /// The box that holds the true counts with probability 1 - beta, in cells: their lower and
    /// upper ends, from the middle one on. With two counts each side is cut, with more the box is
    /// one cell.
    fn cells(&self, beta: f64) -> Vec<(Vec<f64>, Vec<f64>)> {
        let classes = self.counts.len();
        let reach = libm::log(classes as f64 / beta) / self.rate + self.step / 2.0;
        // Where the box is narrow compared with the smaller count, few cells are enough.
        let fewest = self.counts.iter().fold(f64::INFINITY, |least, count| least.min(*count));
        let cuts = match classes {
            2 if fewest > 0.0 => {
                (10.0 * reach / fewest).ceil().clamp(1.0, MAX_CELLS_PER_SIDE) as usize
            }
            2 => MAX_CELLS_PER_SIDE as usize,
            _ => 1,
        };
        let end = |a: usize, cut: usize| {
            let part = 2.0 * cut as f64 / cuts as f64 - 1.0;
            (self.counts[a] + part * reach).max(0.0)
        };
        let ends =
            |cut: [usize; 2]| -> Vec<f64> { (0..classes).map(|a| end(a, cut[a.min(1)])).collect() };
        let cell = |i: usize| {
            let cut = [i / cuts, i % cuts];
            (ends(cut), ends(cut.map(|cut| cut + 1)))
        };
        let cells = if classes == 2 { cuts * cuts } else { 1 };
        let middle = if classes == 2 { (cuts + 1) * (cuts / 2) } else { 0 };
        (0..cells).map(|i| cell((middle + i) % cells)).collect()
    }
}

/// The random part of a simulated null effect size.
struct Draw {
    /// The noise of the counts.
    counts: Vec<f64>,
    /// -ln U, where U is the tail probability of the largest score at the exact center.
    minus_ln: f64,
    /// The largest noise of an effect size.
    effect_size: f64,
}

impl Draw {
    fn new(significance: &SignificanceTest, k: usize, words: &mut WordStream) -> Self {
        let count = |_: &f64| laplace(significance.rate, significance.step, words);
        let counts = significance.counts.iter().map(count).collect();
        let minus_ln = -libm::log(unit(words));
        Self { counts, minus_ln, effect_size: significance.noise * largest_noise(k, words) }
    }
}

/// A cell of the true counts, with the values that do not change from draw to draw, for one class
/// of features.
struct Null<'a> {
    significance: &'a SignificanceTest,
    /// The lower and upper ends of the true counts.
    least: Vec<f64>,
    most: Vec<f64>,
    /// d (2^(A - 1) - 1), in logarithms.
    ln_tests: f64,
    /// The number of functions of one column, at most.
    functions: f64,
    /// ln 2f for these functions, and ln C(0).
    ln_each: f64,
    ln_all: f64,
    /// Bounds of n/v' for the categories, and of v'.
    crowd: f64,
    variance: f64,
    /// Lambda_0, which sets g.
    typical: f64,
    /// The bound of all functions at the noisy center, for two classes.
    crossing: Option<Crossing>,
}

impl<'a> Null<'a> {
    fn new(
        significance: &'a SignificanceTest,
        class: usize,
        least: Vec<f64>,
        most: Vec<f64>,
    ) -> Self {
        let rows: f64 = most.iter().sum();
        let ln_tests = significance.ln_tests(class);
        let variance = variance(&most) + 0.5;
        // n/v = n^2/(n1 n0) is largest in a corner where one class is large and the other small.
        let crowd = match (&least[..], &most[..]) {
            ([a, b], [c, d]) => (2.0 + a / d + d / a).max(2.0 + c / b + b / c),
            _ => rows / variance,
        };
        let functions = match significance.family {
            Family::AnyFunction => rows + 1.0,
            Family::Sums | Family::Signs => 1.0,
        };
        let typical = significance.typical(class);
        let crowd = if crowd.is_nan() { f64::INFINITY } else { crowd };
        let crossing = match (&least[..], &most[..], significance.family) {
            (&[a, b], &[c, d], Family::AnyFunction) if !significance.graded => {
                Some(Crossing::new([a, b], [c, d], crowd))
            }
            _ => None,
        };
        let mut null = Self {
            significance,
            least,
            most,
            ln_tests,
            functions,
            ln_each: libm::log(2.0 * functions),
            ln_all: 0.0,
            crowd,
            variance,
            typical,
            crossing,
        };
        null.ln_all = libm::log(null.constant(0.0));
        null
    }

    /// C(Lambda) e^-Lambda bounds the tail of the largest score of a column at the exact center.
    fn constant(&self, lambda: f64) -> f64 {
        match self.significance.family {
            Family::Sums | Family::Signs => 2.0,
            Family::AnyFunction => {
                let words = (2.0 + 8.0 * self.crowd).min(2.0 * self.functions);
                4.0 * kappa(lambda) + words
            }
        }
    }

    /// The largest ratio of 1/D after rounding the center to 1/D before.
    fn widen(&self) -> f64 {
        1.0 + self.least.len() as f64 / f64::from(GRID)
    }

    /// Bounds of a draw's released counts over all true counts of the cell.
    fn ends(&self, noise: &[f64], Scratch { low, high }: &mut Scratch) {
        for (into, ends) in [(low, &self.least), (high, &self.most)] {
            into.clear();
            into.extend(ends.iter().zip(noise).map(|(end, z)| (end + z).max(0.0)));
        }
    }

    /// The shift of scores by the center and its rounding, at a place.
    fn shift(&self, place: &Place) -> f64 {
        let classes = self.least.len() as f64;
        let rounding = self.most.iter().sum::<f64>() * classes / (4.0 * f64::from(GRID));
        (place.shift + rounding) * self.widen()
    }

    /// Like [`value`](Self::value), by the bound of all functions at the noisy center.
    fn value_crossing(&self, crossing: &Crossing, draw: &Draw, scratch: &mut Scratch) -> f64 {
        let (noise, widen) = (&draw.counts, self.widen());
        self.ends(noise, scratch);
        let Scratch { low, high } = scratch;
        let (places, filled) = places(low, high, noise);
        let places = &places[..filled];
        let (least, most) = (self.significance.scale(low), self.significance.scale(high));
        let level = 2.0 * self.typical;
        let moved = fallen(noise, places);
        // One Lambda for all centers of the cell: only at a fixed Lambda does a place bound all
        // others.
        let shifts = places.iter().map(|place| self.shift(place));
        let furthest = shifts.fold(0.0, f64::max);
        let lambda = crossing.lambda(draw.minus_ln + self.ln_tests, furthest);
        if !(lambda.is_finite() && crossing.height(lambda, furthest).scale.is_finite()) {
            return f64::INFINITY;
        }
        let excess = |place: &Place| {
            let shift = self.shift(place);
            let Height { add, scale, square } = crossing.height(lambda, shift);
            let (all, square) = (2.0 * lambda * scale * scale, square * scale * scale);
            let crude = (square + all * self.variance).sqrt() * widen - (level * least).sqrt();
            let (all, square) = (all * widen * widen, square * widen * widen);
            let gap = largest_gap(all, square + all * moved, level, least, most);
            (add * widen + crude.min(gap)) / place.sensitivity
        };
        let excess = places.iter().map(excess).fold(f64::NEG_INFINITY, f64::max);
        excess + draw.effect_size + 2.0 / f64::from(GRID)
    }

    /// An upper bound of a null effect size, less the level.
    fn value(&self, draw: &Draw, scratch: &mut Scratch) -> f64 {
        let (noise, minus_ln, graded) = (&draw.counts, draw.minus_ln, self.significance.graded);
        let classes = self.least.len();
        self.ends(noise, scratch);
        let Scratch { low, high } = scratch;
        let (places, filled) = places(low, high, noise);
        let places = &places[..filled];
        let widen = self.widen();

        // Lambda for the whole family, and for its functions one at a time, with the widening of
        // the center.
        let lambda_each = minus_ln + self.ln_tests + self.ln_each;
        let lambda_all = self.lambda_all(minus_ln + self.ln_tests);
        let (all, each) = (2.0 * lambda_all * widen * widen, 2.0 * lambda_each * widen * widen);
        let level = 2.0 * self.typical;
        let (least, most) = (self.significance.scale(low), self.significance.scale(high));
        let drift = noise.iter().sum::<f64>();

        // sqrt(all v'(n)) - sqrt(level w(N)) for the true counts n.
        let mut spread = (all * self.variance).sqrt() - (level * least).sqrt();
        if classes == 2 && !graded {
            let moved = 0.5 + fallen(noise, places);
            spread = spread.min(largest_gap(all, all * moved, level, least, most));
        }
        // (n + 2)/4 is at most density w(N) + moved.
        let density = match classes {
            2 if !graded => {
                places.iter().map(|p| 0.25 / (p.share * (1.0 - p.share))).fold(1.0, f64::max)
            }
            _ => 1.0,
        };
        let whole = (self.most.iter().sum::<f64>() + 2.0) / 4.0;
        let shift = |place: &Place| self.shift(place);
        let one_at_a_time = |place: &Place| {
            let square = shift(place) * shift(place);
            let crude = (square + each * whole).sqrt() - (level * least).sqrt();
            if density.is_finite() {
                // density w + moved >= 0 for all counts.
                let moved = (2.0 - drift) / 4.0;
                let first = least.max(-moved / density).min(most);
                let offset = square + each * moved;
                crude.min(largest_gap(each * density, offset, level, first, most))
            } else {
                crude
            }
        };
        let largest = |excess: &dyn Fn(&Place) -> f64| {
            let over = |place: &Place| excess(place) / place.sensitivity;
            places.iter().map(over).fold(f64::NEG_INFINITY, f64::max)
        };
        let mut excess = largest(&one_at_a_time);
        if !graded {
            excess = excess.min(largest(&|place| shift(place) + spread));
        }
        excess + draw.effect_size + 2.0 / f64::from(GRID)
    }

    /// Lambda with d C(Lambda) e^-Lambda = U, from above; `target` = ln(d/U).
    fn lambda_all(&self, target: f64) -> f64 {
        let mut lambda = 2.0 * (target + self.ln_all) + 20.0;
        // Each step comes from above and leaves a fiftieth of the distance.
        for _ in 0..3 {
            lambda = target + libm::log(self.constant(lambda));
        }
        lambda
    }
}

/// Lowers the largest values, the only ones that matter, by the slower bound, if the cell has one.
/// `each` holds the values of a draw for each class of features. Ends early once `is_known` holds
/// of the values, the lowered draws and the largest other value.
fn lower_largest(
    values: &mut [f64],
    each: &mut [f64],
    draws: &[Draw],
    nulls: &[Null<'_>],
    is_known: impl Fn(&[f64], &[usize], f64) -> bool,
) {
    /// The share of values that are lowered between two calls of `is_known` is 1/STEPS.
    const STEPS: usize = 32;
    let crossings: Option<Vec<&Crossing>> =
        nulls.iter().map(|null| null.crossing.as_ref()).collect();
    let Some(crossings) = crossings else { return };
    if is_known(values, &[], f64::INFINITY) {
        return;
    }
    let (mut scratch, together) = (Scratch::default(), values.len().div_ceil(STEPS));
    let least = quantile(values, 1.0 - LARGEST);
    let mut order: Vec<usize> = (0..values.len()).filter(|draw| values[*draw] >= least).collect();
    order.sort_unstable_by(|a, b| values[*b].total_cmp(&values[*a]));
    let mut lowered = 0;
    for some in order.chunks(together) {
        for &draw in some {
            let each = &mut each[draw * nulls.len()..(draw + 1) * nulls.len()];
            for ((own, null), crossing) in each.iter_mut().zip(nulls).zip(&crossings) {
                *own = own.min(null.value_crossing(crossing, &draws[draw], &mut scratch));
            }
            values[draw] = largest(each);
        }
        lowered += some.len();
        let next = order.get(lowered).map(|draw| values[*draw]);
        if next.is_some_and(|next| is_known(values, &order[..lowered], next)) {
            return;
        }
    }
}

/// The value that a share of some values lie below.
fn quantile(values: &[f64], share: f64) -> f64 {
    let (mut sorted, place) = (values.to_vec(), (values.len() as f64 * share) as usize);
    *sorted.select_nth_unstable_by(place, f64::total_cmp).1
}

/// The largest of some values.
fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Reused memory for the ends of the possible counts.
#[derive(Default)]
struct Scratch {
    low: Vec<f64>,
    high: Vec<f64>,
}

/// The center at one end of its range in the box.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The share of the last class.
    share: f64,
    /// The shift of a score by the center, T, in rows.
    shift: f64,
    /// The one-row sensitivity D.
    sensitivity: f64,
}

/// The places, at most three, where f(T)/D can be largest for a convex function f, and their
/// number.
fn places(low: &[f64], high: &[f64], noise: &[f64]) -> ([Place; 3], usize) {
    let (least, most, drift) =
        (low.iter().sum::<f64>(), high.iter().sum::<f64>(), noise.iter().sum::<f64>());
    let share = |end: f64, others: f64, empty: f64| {
        if end + others > 0.0 { end / (end + others) } else { empty }
    };
    let lowest = |a: usize| share(low[a], most - high[a], 0.0);
    let highest = |a: usize| share(high[a], least - low[a], 1.0);
    if let [_, z] = noise {
        let (first, last) = (lowest(1), highest(1));
        let half = (first < 0.5 && last > 0.5).then_some(0.5);
        let place = |share: f64| Place {
            share,
            shift: (z - share * drift).abs(),
            sensitivity: share.max(1.0 - share),
        };
        let filled = if half.is_some() { 3 } else { 2 };
        return ([first, last, half.unwrap_or(first)].map(place), filled);
    }
    let off = |a: usize, share: f64| (noise[a] - share * drift).abs();
    let classes = noise.len();
    let shift = (0..classes).map(|a| off(a, lowest(a)).max(off(a, highest(a)))).sum::<f64>() / 2.0;
    let sensitivity =
        (0..classes).map(|a| 1.0 - highest(a)).fold(1.0 - 1.0 / classes as f64, f64::max);
    ([sensitivity, 1.0, 1.0].map(|sensitivity| Place { share: 0.5, shift, sensitivity }), 2)
}

/// The largest -((1 - c)^2 z1 + c^2 z0) over the shares c: how far n1 n0/n lies above the noisy
/// one.
fn fallen(noise: &[f64], places: &[Place]) -> f64 {
    let at = |share: f64| {
        let other = 1.0 - share;
        -(other * other * noise[1] + share * share * noise[0])
    };
    let ends = places.iter().map(|place| place.share);
    let (low, high) = ends.clone().fold((1.0f64, 0.0f64), |(a, b), c| (a.min(c), b.max(c)));
    let turn = noise[1] / (noise[0] + noise[1]);
    let inner = (turn > low && turn < high).then_some(turn);
    ends.chain(inner).map(at).fold(f64::NEG_INFINITY, f64::max)
}

/// The largest sqrt(a w + b) - sqrt(c w) over w in \[low, high\]; a negative a w + b counts as 0.
///
/// The derivative has the sign of (a - c) a w - c b, so there is at most one turning point.
fn largest_gap(a: f64, b: f64, c: f64, low: f64, high: f64) -> f64 {
    let gap = |w: f64| (a * w + b).max(0.0).sqrt() - (c * w).sqrt();
    let turn = c * b / ((a - c) * a);
    let ends = gap(low).max(gap(high));
    if turn > low && turn < high { ends.max(gap(turn)) } else { ends }
}

/// n1 n0/n, 0 without rows.
fn harmonic(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { a * b / (a + b) } else { 0.0 }
}

/// The largest n_G (n - n_G)/n over groups G of classes, or more.
fn variance(counts: &[f64]) -> f64 {
    let rows: f64 = counts.iter().sum();
    let most = counts.iter().fold(0.0f64, |most, count| most.max(*count)).max(rows / 2.0);
    harmonic(most, rows - most)
}

/// ln(2^(classes - 1) - 1), the number of ways to split the classes into two groups.
fn ln_groupings(classes: usize) -> f64 {
    let twos = (classes - 1) as f64 * LN_2;
    twos + libm::log1p(-libm::exp(-twos))
}

/// kappa(L) e^-L bounds the tail of the one-sided Kolmogorov-Smirnov distance of two samples.
fn kappa(l: f64) -> f64 {
    3.0 + (PI * l).sqrt()
}

/// A uniform number in (0, 1].
pub(crate) fn unit(words: &mut WordStream) -> f64 {
    ((words.next_word() >> 11) as f64 + 1.0) * 2f64.powi(-53)
}

/// The difference of two geometric numbers of steps: probabilities proportional to e^(-rate |z|).
pub(crate) fn laplace(rate: f64, step: f64, words: &mut WordStream) -> f64 {
    let mut steps = || (-libm::log(unit(words)) / (rate * step)).floor();
    (steps() - steps()) * step
}

/// The largest of `k` components of continuous K-norm noise of scale 1.
fn largest_noise(k: usize, words: &mut WordStream) -> f64 {
    if k == 0 {
        return 0.0;
    }
    // A Gamma(k + 1) radius: minus the logarithm of a product of uniform numbers, ten at a time.
    let mut radius = 0.0;
    let mut left = k + 1;
    while left > 0 {
        let now = left.min(10);
        radius -= libm::log((0..now).map(|_| unit(words)).product::<f64>());
        left -= now;
    }
    radius * (2.0 * libm::pow(unit(words), 1.0 / k as f64) - 1.0)
}
