#![doc = include_str!("logistic.md")]

use crate::error::Result;
use crate::model::eigen::Eigen;
use crate::model::noise::Moves;
use crate::model::variables::Variables;
use crate::privacy::Neighbors;
use crate::table::Hooks;

/// The released integers are in units of 2^-UNIT/lambda.
const UNIT: u32 = 16;

/// The bound of the gradient at which the search stops.
const GRADIENT: f64 = 1.0 / 2048.0;

/// Coefficients are multiples of 2^-POINT.
const POINT: i32 = 60;

/// Probabilities are summed as multiples of 2^-PART.
const PART: i32 = 50;

/// The rounding error of the gradient, per row and unit of lambda w.
const ROUNDING: f64 = 1.0 / (1u64 << 46) as f64;

/// The rows of two classes, as vectors of length at most q, and the regularization parameter.
#[derive(Debug, Clone)]
pub(super) struct LogisticRows {
    q: i32,
    components: usize,
    radius: f64,
    /// Row by row, with the sign of the class.
    signed: Vec<i32>,
    /// The weight of each row.
    weights: Vec<u16>,
    /// The maximum total weight of a unit's rows: a power of two.
    unit: u16,
    lambda: f64,
}

/// R: the length of (1, x) up to which a row is not shortened.
pub(super) fn radius(features: &Variables) -> f64 {
    let (numbers, levels) = (features.count_numbers(), features.columns_of_levels());
    (1.0 + numbers as f64 / 4.0 + levels as f64).sqrt()
}

/// The vector of a row: (q, x) scaled to a length of at most q.
fn vector(values: &[i16], radius: f64, q: i32, out: &mut Vec<i32>) {
    let whole = f64::from(q);
    let squares: f64 = values.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    let scale = whole / (radius * whole).max((whole * whole + squares).sqrt());
    let from = out.len();
    out.push((whole * scale) as i32);
    out.extend(values.iter().map(|&x| (f64::from(x) * scale) as i32));
    let square = |out: &[i32]| out.iter().map(|&u| i64::from(u) * i64::from(u)).sum::<i64>();
    // Lowered one by one if the factor was rounded up.
    let mut next = from;
    while square(&out[from..]) > i64::from(q) * i64::from(q) {
        out[next] -= out[next].signum();
        next = if next + 1 < out.len() { next + 1 } else { from };
    }
}

/// The largest moves of the released integers between neighboring tables.
pub(super) fn moves(components: usize, neighbors: Neighbors) -> Moves {
    let m = components as f64;
    let minimizer = (neighbors.steps() << UNIT) as f64;
    let computed = 2.0 * (f64::from(1u32 << UNIT) * GRADIENT + m.sqrt());
    let length = (minimizer + computed + 1e-6).ceil() as u64;
    Moves {
        components,
        largest: length,
        sum: (m.sqrt() * length as f64 + 1.0).ceil() as u64,
        squares: u128::from(length) * u128::from(length),
    }
}

/// Converts a released integer to the units of w.
pub(super) fn coefficient(integer: f64, lambda: f64) -> f64 {
    integer / f64::from(1u32 << UNIT) / lambda
}

/// The gradient of F at a point, with its Hessian.
struct Slope {
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    length: f64,
    /// A bound of the error of the length.
    error: f64,
}

impl LogisticRows {
    /// An empty set of rows with these features; lambda must lie between 1e-3 and 1e9. The weights
    /// of a unit's rows will add up to at most `unit`, 1 or 2^15.
    pub(super) fn new(features: &Variables, q: i32, lambda: f64, unit: u16) -> Self {
        let (components, radius) = (features.len() + 1, radius(features));
        Self { q, components, radius, signed: Vec::new(), weights: Vec::new(), unit, lambda }
    }

    /// Adds a row of this weight, of the second class or of the first.
    pub(super) fn add(&mut self, values: &[i16], second: bool, weight: u16) {
        self.weights.push(weight);
        let from = self.signed.len();
        vector(values, self.radius, self.q, &mut self.signed);
        if !second {
            self.signed[from..].iter_mut().for_each(|u| *u = -*u);
        }
    }

    /// The weight of all rows, in units.
    fn rows(&self) -> f64 {
        let weight: u64 = self.weights.iter().map(|&weight| u64::from(weight)).sum();
        weight as f64 / f64::from(self.unit)
    }

    /// Computes the integers of a w that is certified to be near the minimizer.
    ///
    /// # Errors
    ///
    /// `Canceled` if the caller stopped it.
    pub(super) fn minimize(&self, hooks: &Hooks) -> Result<Vec<i64>> {
        let w = self.minimizer(hooks, true)?;
        let integer = |w: &i128| (float(*w) * self.lambda * f64::from(1u32 << UNIT)).round() as i64;
        Ok(w.iter().map(integer).collect())
    }

    fn minimizer(&self, hooks: &Hooks, newton: bool) -> Result<Vec<i128>> {
        let mut w = vec![0i128; self.components];
        let mut here = self.slope(&w);
        while !(here.length + here.error <= GRADIENT) {
            hooks.check()?;
            let next = if newton { self.newton(&w, &here) } else { None };
            (w, here) = next.unwrap_or_else(|| {
                let step = -1.0 / (self.rows() / 4.0 + self.lambda);
                let w = moved(&w, &here.gradient, step);
                let slope = self.slope(&w);
                (w, slope)
            });
        }
        Ok(w)
    }

    /// The point after a step of Newton's method, halved until the gradient is shorter; `None` if
    /// no step shortens it.
    fn newton(&self, w: &[i128], here: &Slope) -> Option<(Vec<i128>, Slope)> {
        let direction =
            Eigen::new(here.hessian.clone(), self.components).solve(&here.gradient, 0.0);
        let mut step = 1.0;
        while step > 1e-15 {
            let there = moved(w, &direction, -step);
            let slope = self.slope(&there);
            if slope.length <= (1.0 - step / 4.0) * here.length {
                return Some((there, slope));
            }
            step /= 2.0;
        }
        None
    }

    /// The gradient of F: sums of integers, which do not depend on the order of the rows.
    fn slope(&self, w: &[i128]) -> Slope {
        let m = self.components;
        let mut sums = vec![0i128; m];
        let mut curves = vec![0i128; m * m];
        let unit = 2f64.powi(-POINT) / f64::from(self.q);
        for (row, &weight) in self.signed.chunks_exact(m).zip(&self.weights) {
            let dot: i128 = row.iter().zip(w).map(|(&u, w)| i128::from(u) * w).sum();
            let p = 1.0 / (1.0 + libm::exp(dot as f64 * unit));
            let weighted = |p: f64| (p * 2f64.powi(PART)).round() as i128 * i128::from(weight);
            let (part, curve) = (weighted(p), weighted(p * (1.0 - p)));
            for (a, &u) in row.iter().enumerate() {
                sums[a] -= part * i128::from(u);
                for (b, &v) in row.iter().enumerate().skip(a) {
                    curves[a * m + b] += curve * i128::from(i64::from(u) * i64::from(v));
                }
            }
        }
        let scale = 2f64.powi(-PART) / f64::from(self.q) / f64::from(self.unit);
        let of = |a: usize| sums[a] as f64 * scale + self.lambda * float(w[a]);
        let gradient: Vec<f64> = (0..m).map(of).collect();
        let curved = |e: usize| {
            let (a, b) = (e / m, e % m);
            let curve = curves[a.min(b) * m + a.max(b)] as f64 * scale / f64::from(self.q);
            if a == b { curve + self.lambda } else { curve }
        };
        let length =
            |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
        let pull = self.lambda * length(&mut w.iter().map(|w| float(*w)));
        Slope {
            length: length(&mut gradient.iter().copied()),
            hessian: (0..m * m).map(curved).collect(),
            gradient,
            error: ROUNDING * (self.rows() + pull),
        }
    }
}

/// A coefficient as an `f64`.
fn float(w: i128) -> f64 {
    w as f64 * 2f64.powi(-POINT)
}

/// The point moved by `step` against the direction, within 2^41, the range of all minimizers.
fn moved(w: &[i128], direction: &[f64], step: f64) -> Vec<i128> {
    let most = 1i128 << 101;
    let move_one = |(w, d): (&i128, &f64)| {
        let by = (step * d * 2f64.powi(POINT)) as i128;
        w.saturating_add(by).clamp(-most, most)
    };
    w.iter().zip(direction).map(move_one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = (Vec<i16>, bool);

    fn table(rows: &[Row], q: i32, lambda: f64) -> LogisticRows {
        let features = Variables::numbers(rows.first().map_or(1, |row| row.0.len()));
        let mut table = LogisticRows::new(&features, q, lambda, 1);
        rows.iter().for_each(|(values, second)| table.add(values, *second, 1));
        table
    }

    fn integers(rows: &[Row], features: usize, q: i32, lambda: f64) -> Vec<i64> {
        let mut table = LogisticRows::new(&Variables::numbers(features), q, lambda, 1);
        rows.iter().for_each(|(values, second)| table.add(values, *second, 1));
        table.minimize(&Hooks::default()).unwrap()
    }

    /// Rows with values at the ends and in the middle of the grid.
    fn all_rows(features: usize, q: i16) -> Vec<Row> {
        let values = (0..features).fold(vec![Vec::new()], |rows: Vec<Vec<i16>>, _| {
            let longer =
                |row: &Vec<i16>| [-q, 0, q].map(|value| [row.clone(), vec![value]].concat());
            rows.iter().flat_map(longer).collect()
        });
        values.into_iter().flat_map(|row| [(row.clone(), false), (row, true)]).collect()
    }

    fn distance(one: &[i64], other: &[i64]) -> f64 {
        one.iter().zip(other).map(|(a, b)| ((a - b) as f64).powi(2)).sum::<f64>().sqrt()
    }

    /// The largest distance between the released integers of neighboring tables of up to two or
    /// three rows.
    fn worst(features: usize, most: usize, neighbors: Neighbors) -> f64 {
        let (q, rows) = (64i16, all_rows(features, 64));
        let mut worst = 0.0f64;
        for lambda in [0.05, 1.0, 20.0] {
            let of = |rows: &[Row]| integers(rows, features, q.into(), lambda);
            let mut tables: Vec<Vec<Row>> = vec![Vec::new()];
            let mut next = 0;
            while next < tables.len() {
                let kept = tables[next].clone();
                next += 1;
                let without = of(&kept);
                let with: Vec<Vec<i64>> = rows
                    .iter()
                    .map(|row| of(&[&kept[..], std::slice::from_ref(row)].concat()))
                    .collect();
                for one in &with {
                    worst = worst.max(match neighbors {
                        Neighbors::AddRemove => distance(one, &without),
                        Neighbors::ReplaceOne => {
                            with.iter().map(|other| distance(one, other)).fold(0.0, f64::max)
                        }
                    });
                }
                if kept.len() + 1 < most {
                    tables.extend(
                        rows.iter().map(|row| [&kept[..], std::slice::from_ref(row)].concat()),
                    );
                }
            }
        }
        worst
    }

    #[test]
    fn moves_by_enumeration() {
        for (features, most) in [(1, 3), (2, 2)] {
            for neighbors in [Neighbors::AddRemove, Neighbors::ReplaceOne] {
                let given = moves(features + 1, neighbors).largest as f64;
                let worst = worst(features, most, neighbors);
                assert!(worst <= given, "{worst} {given}");
                // Much more than for a mean over three rows.
                assert!(worst > given / 3.0, "{worst} {given}");
            }
        }
    }

    /// The integers of people, each with rows of one class; the weights of a person's rows add up
    /// to at most `unit`.
    fn of_people(people: &[&(Vec<i16>, bool)], unit: u16, lambda: f64) -> Vec<i64> {
        let mut table = LogisticRows::new(&Variables::numbers(1), 64, lambda, unit);
        for (values, second) in people {
            let weight = (unit / values.len() as u16).max(1);
            values.iter().for_each(|value| table.add(&[*value], *second, weight));
        }
        table.minimize(&Hooks::default()).unwrap()
    }

    /// A person of up to three rows moves the minimizer no further than a row does; without weights
    /// a person would.
    #[test]
    fn people_move_it_as_rows_do() {
        let ends = [-64i16, 0, 64];
        let one = |&a: &i16| vec![vec![a]];
        let two = |&a: &i16| ends.map(|b| vec![a, b]).to_vec();
        let three = |&a: &i16| ends.map(|b| vec![a, b, -a]).to_vec();
        let rows = [
            ends.iter().flat_map(one).collect::<Vec<_>>(),
            ends.iter().flat_map(two).collect(),
            ends.iter().flat_map(three).collect(),
        ];
        let all: Vec<(Vec<i16>, bool)> = rows
            .concat()
            .into_iter()
            .flat_map(|rows| [(rows.clone(), false), (rows, true)])
            .collect();
        let given = moves(2, Neighbors::AddRemove).largest as f64;
        let mut worst = [0.0f64; 2];
        for lambda in [0.05, 1.0, 20.0] {
            for kept in [vec![]].into_iter().chain(all.iter().map(|person| vec![person])) {
                for added in &all {
                    for (worst, unit) in worst.iter_mut().zip([1 << 15, 1]) {
                        let more = [&kept[..], &[added]].concat();
                        let [one, other] =
                            [&kept, &more].map(|people| of_people(people, unit, lambda));
                        *worst = worst.max(distance(&one, &other));
                    }
                }
            }
        }
        assert!(worst[0] <= given && worst[0] > given / 3.0, "{worst:?}");
        assert!(worst[1] > given, "{worst:?}");
        // A person with two equal rows is like a person with a single row.
        let person = |values: &[i16]| (values.to_vec(), true);
        let of = |values: &[i16]| of_people(&[&person(values), &person(&[0])], 1 << 15, 1.0);
        assert_eq!(of(&[64, 64]), of(&[64]));
    }

    /// Rows that are not shortened exceed the bound on moves.
    #[test]
    fn unshortened_rows_exceed_the_bound() {
        let (q, features) = (1000, 8);
        let row = vec![q as i16; features];
        let shortened = table(&[(row.clone(), true)], q, 100.0);
        let given = moves(features + 1, Neighbors::AddRemove).largest as f64;
        let length = |table: &LogisticRows| {
            let w = table.minimize(&Hooks::default()).unwrap();
            distance(&w, &vec![0; w.len()])
        };
        assert!(length(&shortened) <= given);
        let signed = [&[q][..], &vec![q; features]].concat();
        let long = LogisticRows { signed, ..shortened };
        assert!(length(&long) > given);
    }

    #[test]
    fn vectors_are_short_enough() {
        for q in [1i32, 5, 64, 32_767] {
            for features in [1usize, 3, 9] {
                for step in 0..50 {
                    let value =
                        |j: usize| ((step * 7919 + j * 104_729) as i32 % (2 * q + 1) - q) as i16;
                    let mut out = Vec::new();
                    let values: Vec<i16> = (0..features).map(value).collect();
                    vector(&values, radius(&Variables::numbers(features)), q, &mut out);
                    let square: i64 = out.iter().map(|&u| i64::from(u).pow(2)).sum();
                    assert!(square <= i64::from(q).pow(2), "{q} {features}");
                }
            }
        }
    }

    /// Many rows, separable or not, repeated, all in one place: the search ends at the minimizer
    /// that plain gradient steps find, for any order of the rows.
    #[test]
    fn minimizers_are_found() {
        let q = 1000i32;
        let value = |i: usize, j: usize| ((i * 7919 + j * 104_729) % 2001) as i16 - 1000;
        let noisy: Vec<Row> = (0..400)
            .map(|i| (vec![value(i, 1), value(i, 2)], (i * 31) % 7 < 3 || value(i, 1) > 700))
            .collect();
        let split: Vec<Row> =
            (0..400).map(|i| (vec![value(i, 1), value(i, 2)], value(i, 1) > 100)).collect();
        let same = vec![(vec![1000, 1000], true); 500];
        for rows in [&noisy, &split, &same] {
            for lambda in [0.01, 1.0, 1000.0] {
                let found = integers(rows, 2, q, lambda);
                let turned: Vec<Row> = rows.iter().rev().cloned().collect();
                assert_eq!(found, integers(&turned, 2, q, lambda));
                let table = table(rows, q, lambda);
                let w: Vec<i128> = found
                    .iter()
                    .map(|&w| (coefficient(w as f64, lambda) * 2f64.powi(POINT)) as i128)
                    .collect();
                // Its gradient, after rounding to integers: at most (n/4 + lambda) times
                // sqrt(3)/2^17 lambda more.
                let bound = GRADIENT + (500.0 / 4.0 + lambda) / lambda * 3f64.sqrt() / 131_072.0;
                assert!(table.slope(&w).length <= bound, "{lambda}");
            }
        }
    }

    /// Without Newton's steps the same minimizer is found, within twice the certified distance.
    #[test]
    fn gradient_steps_converge_without_newton() {
        let value = |i: usize, j: usize| ((i * 7919 + j * 104_729) % 129) as i16 - 64;
        let rows: Vec<Row> = (0..60).map(|i| (vec![value(i, 1)], value(i, 1) > 10)).collect();
        let table = table(&rows, 64, 2.0);
        let [newton, plain] = [true, false].map(|n| table.minimizer(&Hooks::default(), n).unwrap());
        let squares = newton.iter().zip(&plain).map(|(a, b)| float(a - b).powi(2));
        assert!(squares.sum::<f64>().sqrt() <= 2.0 * GRADIENT / 2.0);
    }

    /// The gradient by its definition.
    #[test]
    fn gradient_matches_its_definition() {
        let rows: Vec<Row> =
            vec![(vec![40, -64], true), (vec![0, 13], false), (vec![-64, 64], true)];
        let table = table(&rows, 64, 0.7);
        let point = [0.3, -1.2, 2.5];
        let objective = |w: [f64; 3]| {
            let mut sum = 0.35 * w.iter().map(|w| w * w).sum::<f64>();
            for row in table.signed.chunks(3) {
                let dot: f64 = row.iter().zip(w).map(|(&u, w)| f64::from(u) / 64.0 * w).sum();
                sum += (-dot).exp().ln_1p();
            }
            sum
        };
        let slope = table.slope(&point.map(|w| (w * 2f64.powi(POINT)) as i128));
        for a in 0..3 {
            let at = |step: f64| {
                let mut w = point;
                w[a] += step;
                objective(w)
            };
            assert!(((at(1e-5) - at(-1e-5)) / 2e-5 - slope.gradient[a]).abs() < 1e-8);
            let curve = (at(1e-4) - 2.0 * at(0.0) + at(-1e-4)) / 1e-8;
            assert!((curve - slope.hessian[4 * a]).abs() < 1e-5);
        }
    }
}
