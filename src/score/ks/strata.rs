//! Scores within strata, whose centers are noisy.
//!
//! # Definition
//!
//! With m_s the released center of stratum s, an error e of it adds e times the sum of f over the
//! rows of s to a score: nothing for a function that splits every stratum in half, and the most for
//! a function that separates strata, such as the level of a gene that differs between batches. Each
//! function is therefore reduced by a multiple of the amount that the noise of the centers can add
//! to *its* sum. With r_s that multiple of the standard deviation of m_s, B_s(f) the sum of f over
//! the rows of s, and w_s = Q/(Q + |m_s| + r_s),
//!
//! ```text
//! G(f) = sum over s of w_s sum over rows of s of f(x) (y - m_s),
//! P(f) = sqrt(sum over s of (w_s r_s B_s(f))^2) + sum over tiny s of w_s r_s |B_s(f)|,
//! S    = max over f in F of max(0, |G(f)| - P(f) - sum over s of |V_s|).
//! ```
//!
//! V_s is the sum of w_s (y - m_s) over the rows of s in which the feature is missing: see
//! [`mod@super`]. A row without a value moves V_s, and a row with one moves G and P.
//!
//! The first sum of P is over the strata whose center is estimated, the second over strata with too
//! few rows for it, whose errors do not have mean 0. Weights make the largest change by a row
//! the same in all strata: one with a rare class, or with few rows, does not raise the noise of the
//! selection for all others.
//!
//! # Sensitivity
//!
//! Let t_s be the largest magnitude of the rounded w_s (y - m_s), p_s the rounded-up w_s r_s, both
//! integers. One row is in one stratum s. It changes G(f) by at most t_s, for |f| <= 1. It changes
//! B_s(f) by at most 1 and no other B: so the first or the second part of P by at most p_s, the
//! first because a Euclidean norm moves by no more than its argument does. The root is rounded
//! down, and floor(x + p_s) = floor(x) + p_s for an integer p_s, so the rounded P moves by at most
//! p_s, too. F is fixed, and max(0, .) and the maximum over F move by no more than their arguments:
//! S moves by at most max over s of (t_s + p_s). For the correlation f(x) is a grid value, and both
//! are Q times as large. The rows of a person have weights that add up to at most W, which
//! multiplies G and P, and S is divided by W and rounded down.
//!
//! # Cost
//!
//! One sort of each column and a pass over it in order, with a look at the stratum of each row.

use num_bigint::BigUint;

use crate::estimate::StratumCode;
use crate::score::ks::sorted::SortedColumn;
use crate::table::Role;

/// The strata of rows, and the penalties of functions for the noise of the centers.
#[derive(Debug, Clone)]
pub(super) struct Strata {
    /// The penalty of each stratum and whether it is tiny, and last the penalty of rows in no
    /// stratum, which count for nothing.
    parts: Vec<(i64, bool)>,
    /// The index of each row in `parts`, and its weight.
    rows: Vec<(u16, u16)>,
    /// The largest change of a score of thresholds by one row.
    pub(super) one_row: u64,
}

impl Strata {
    /// The strata of these rows, with the centered target of each row times its weight.
    pub(super) fn of_rows(
        rows: impl IntoIterator<Item = (i16, Role)>,
        codes: &[StratumCode],
        q: i32,
    ) -> (Self, Vec<i32>) {
        let none = codes.len() as u16;
        let (rows, t) = rows
            .into_iter()
            .map(|(y, role)| match codes.get(usize::from(role.stratum)) {
                Some(code) => {
                    let t = i32::from(role.weight) * code.centered(i32::from(y), q);
                    ((role.stratum, role.weight), t)
                }
                None => ((none, 0), 0),
            })
            .unzip();
        let parts = codes.iter().map(|code| (code.penalty(q), code.is_tiny)).chain([(0, false)]);
        let one_row = codes.iter().map(|code| code.one_row(q)).max().unwrap_or_default();
        (Self { parts: parts.collect(), rows, one_row }, t)
    }

    /// The sum over strata of |sum of t| over rows in which a feature is missing.
    pub(super) fn missing(&self, rows: impl Iterator<Item = usize>, t: &[i32]) -> u64 {
        let mut sums = vec![0i64; self.parts.len()];
        rows.for_each(|row| sums[usize::from(self.rows[row].0)] += i64::from(t[row]));
        sums.into_iter().map(i64::unsigned_abs).sum()
    }

    /// The largest |G(f)| - P(f) over the thresholds and the categories of a column, 0 if all are
    /// negative.
    pub(super) fn score(&self, column: &SortedColumn, t: &[i32]) -> i64 {
        let mut sums = Sums::new(self);
        for (row, _) in column.numbers() {
            sums.add(row, t[row], 1);
        }
        let mut best = sums.beyond(0);
        for (row, last) in column.numbers() {
            sums.add(row, t[row], -2);
            if last {
                best = sums.beyond(best);
            }
        }
        // All numbers are -1 now, as for every category.
        let mut words = 0;
        for (row, _) in column.words() {
            sums.add(row, t[row], -1);
            words += 1;
        }
        if words > 0 {
            best = sums.beyond(best);
        }
        let mut word = Vec::new();
        for (row, last) in column.words() {
            sums.add(row, t[row], 2);
            word.push(row);
            if last {
                best = sums.beyond(best);
                word.drain(..).for_each(|row| sums.add(row, t[row], -2));
            }
        }
        best
    }

    /// G| - P of the values of a column on the grid, 0 if negative.
    pub(super) fn correlation(&self, values: &[f64], t: &[i32]) -> i128 {
        let mut sum = 0i128;
        let mut of_strata = vec![0i128; self.parts.len()];
        for ((value, t), (stratum, weight)) in values.iter().zip(t).zip(&self.rows) {
            let x = if value.is_finite() { i128::from(*value as i16) } else { 0 };
            sum += x * i128::from(*t);
            of_strata[usize::from(*stratum)] += x * i128::from(*weight);
        }
        let (mut squares, mut tiny) = (BigUint::ZERO, 0);
        for (sum, (penalty, is_tiny)) in of_strata.iter().zip(&self.parts) {
            let part = sum.unsigned_abs() * u128::from(penalty.unsigned_abs());
            match is_tiny {
                true => tiny += part as i128,
                false => squares += BigUint::from(part) * BigUint::from(part),
            }
        }
        // The root of a sum of squares of 127 bits each has no more bits than their sum.
        let root = i128::try_from(squares.sqrt()).unwrap_or(i128::MAX - tiny);
        (sum.abs() - tiny - root).max(0)
    }
}

/// The sums of one function, as it changes from one threshold or category to the next.
struct Sums<'a> {
    strata: &'a Strata,
    /// G
    all: i64,
    /// B_s
    of_strata: Vec<i64>,
    /// The sum of the squares in P.
    squares: i128,
    /// The second sum of P.
    tiny: i64,
}

impl<'a> Sums<'a> {
    fn new(strata: &'a Strata) -> Self {
        let of_strata = vec![0; strata.parts.len()];
        Self { strata, all: 0, of_strata, squares: 0, tiny: 0 }
    }

    /// Adds `times` to the function at a row.
    fn add(&mut self, row: usize, t: i32, times: i64) {
        self.all += times * i64::from(t);
        let (stratum, weight) = self.strata.rows[row];
        let (penalty, is_tiny) = self.strata.parts[usize::from(stratum)];
        let sum = &mut self.of_strata[usize::from(stratum)];
        let (before, after) = (*sum, *sum + times * i64::from(weight));
        *sum = after;
        match is_tiny {
            true => self.tiny += penalty * (after.abs() - before.abs()),
            false => {
                let square = |sum: i64| (i128::from(penalty) * i128::from(sum)).pow(2);
                self.squares += square(after) - square(before);
            }
        }
    }

    /// The maximum of |G| - P and `best`, which is not negative.
    fn beyond(&self, best: i64) -> i64 {
        let left = i128::from(self.all.abs()) - i128::from(self.tiny);
        // The root is rounded down: it is below an integer if its square is below that one's.
        let excess = left - i128::from(best);
        match excess > 0 && self.squares < excess * excess {
            true => (left - self.squares.isqrt()) as i64,
            false => best,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Sorter;

    const Q: i32 = 3;

    /// A row: its value, its target and its stratum.
    type Row = (Option<i8>, i8, u8);

    /// The score, and the largest change by one row.
    fn score(rows: &[Row], codes: &[StratumCode]) -> (i64, u64) {
        let values: Vec<f64> = rows.iter().map(|(x, ..)| x.map_or(f64::NAN, f64::from)).collect();
        let coded = rows.iter().map(|(_, y, stratum)| {
            (i16::from(*y), Role { stratum: u16::from(*stratum), ..Role::default() })
        });
        let (strata, t) = Strata::of_rows(coded, codes, Q);
        let mut column = SortedColumn::default();
        column.sort(&values, false, &mut Sorter::default());
        (strata.score(&column, &t), strata.one_row)
    }

    /// |G| - P by definition, in floating point.
    fn by_definition(rows: &[Row], codes: &[StratumCode]) -> f64 {
        let q = f64::from(Q);
        let mut best = 0f64;
        for cut in -3..4i8 {
            let f = |x: Option<i8>| x.map_or(0.0, |x| if x >= cut { 1.0 } else { -1.0 });
            let (mut all, mut squares, mut tiny) = (0.0, 0.0, 0.0);
            for (stratum, code) in codes.iter().enumerate() {
                let own = || rows.iter().filter(|row| usize::from(row.2) == stratum);
                let (m, r) = (f64::from(code.center), f64::from(code.radius));
                let weight = q / (q + m.abs() + r);
                let t = |y: i8| {
                    let t = weight * (f64::from(y) - m);
                    (t.abs() + 0.5).floor().copysign(t)
                };
                all += own().map(|(x, y, _)| f(*x) * t(*y)).sum::<f64>();
                let b: f64 = own().map(|(x, ..)| f(*x)).sum();
                let part = (weight * r).ceil() * b.abs();
                if code.is_tiny { tiny += part } else { squares += part * part }
            }
            best = best.max(all.abs() - tiny - squares.sqrt().floor());
        }
        best
    }

    fn codes() -> Vec<[StratumCode; 2]> {
        let code = |center, radius, is_tiny| StratumCode { center, radius, is_tiny };
        vec![
            [code(1, 2, false), code(-3, 1, false)],
            [code(0, 3, true), code(2, 2, false)],
            [code(4, 1, false), code(0, 0, false)],
            [code(0, 3, true), code(-1, 2, true)],
        ]
    }

    /// Every row: no value or one of two, any of three targets, one of two strata or none.
    fn rows() -> Vec<Row> {
        let mut rows = Vec::new();
        for x in [None, Some(-1), Some(1)] {
            for y in [-3, 1, 3] {
                for stratum in [0, 1, 9] {
                    rows.push((x, y, stratum));
                }
            }
        }
        rows
    }

    /// Every table of up to three rows, with every additional row: the largest move of the scores
    /// of a variant, as a share of the declared sensitivity.
    fn largest_move(variant: impl Fn(&[Row], &[StratumCode]) -> (f64, f64)) -> f64 {
        let (all, mut largest) = (rows(), 0f64);
        for codes in codes() {
            for i in 0..all.len() {
                for j in i..all.len() {
                    for k in (j..all.len()).step_by(3) {
                        let table = [all[i], all[j], all[k]];
                        let (before, one_row) = variant(&table, &codes);
                        for row in &all {
                            let (after, _) = variant(&[&table[..], &[*row]].concat(), &codes);
                            largest = largest.max((after - before).abs() / one_row);
                        }
                    }
                }
            }
        }
        largest
    }

    #[test]
    fn one_row_moves_a_score_by_at_most_its_bound() {
        let declared = |rows: &[Row], codes: &[StratumCode]| {
            let (score, one_row) = score(rows, codes);
            assert_eq!(score as f64, by_definition(rows, codes), "{rows:?} {codes:?}");
            (score as f64, one_row as f64)
        };
        let largest = largest_move(declared);
        assert!(largest <= 1.0 && largest > 0.99, "{largest}");
        // The sensitivity of the sum alone is too small for the penalty.
        let without_penalty = |rows: &[Row], codes: &[StratumCode]| {
            let most = codes.iter().map(|code| code.one_row(Q) - code.penalty(Q) as u64).max();
            (score(rows, codes).0 as f64, most.unwrap() as f64)
        };
        assert!(largest_move(without_penalty) > 1.0);
    }

    /// A function that separates strata loses the amount that the noise of the centers may have
    /// added; a function that splits each stratum loses nothing.
    #[test]
    fn functions_that_separate_strata_lose_the_noise_bound() {
        let code = StratumCode { center: 0, radius: 1, is_tiny: false };
        let table = |of: &dyn Fn(usize) -> (i8, i8, u8)| -> Vec<Row> {
            let row = |i| {
                let (x, y, stratum) = of(i);
                (Some(x), y, stratum)
            };
            (0..8).map(row).collect()
        };
        // Classes are balanced in both strata. Weights are 3/4: t = round(9/4) = 2, p = 1.
        let y = |i: usize| if i.is_multiple_of(2) { 3 } else { -3 };
        let within = table(&|i| (if y(i) > 0 { 1 } else { -1 }, y(i), (i / 4) as u8));
        assert_eq!(score(&within, &[code; 2]).0, 16);
        // Centers that are off by 1 in both strata add 4 each to a function that separates them.
        let off = [StratumCode { center: 1, ..code }, StratumCode { center: -1, ..code }];
        let between = table(&|i| (if i < 4 { -1 } else { 1 }, y(i), (i / 4) as u8));
        let free = off.map(|code| StratumCode { radius: 0, ..code });
        assert!(score(&between, &free).0 > 0);
        assert_eq!(score(&between, &off).0, 0);
    }
}
