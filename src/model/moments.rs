#![doc = include_str!("moments.md")]

use crate::model::noise::Moves;
use crate::privacy::Neighbors;

/// The sums of all rows, in the order of [`row`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moments {
    q: i64,
    sums: Vec<i64>,
    row: Vec<i64>,
}

/// The number of sums of p variables.
pub(super) fn components(variables: usize) -> usize {
    1 + variables + variables * (variables + 1) / 2
}

/// The place of the product of the variables a <= b among the sums of p variables; `a == b` is the
/// square.
pub(super) fn place(variables: usize, a: usize, b: usize) -> usize {
    // Before row a of the upper triangle lie the rows 0 to a - 1, of p, p - 1, ... entries.
    1 + variables + a * (2 * variables + 1 - a) / 2 + (b - a)
}

/// How far the sums move between neighboring tables.
pub(super) fn moves(variables: usize, q: i32, neighbors: Neighbors) -> Moves {
    let components = components(variables);
    let largest = u64::from(q.unsigned_abs()) * neighbors.steps();
    Moves {
        components,
        largest,
        sum: largest * components as u64,
        squares: u128::from(largest) * u128::from(largest) * components as u128,
    }
}

/// Writes the contributions of a row with these grid values, each an integer from -q to q: the
/// number of rows, the variables, and for every pair of them the product, for a square on the whole
/// range.
pub(super) fn row(values: &[i16], q: i64, out: &mut Vec<i64>) {
    out.clear();
    out.push(q);
    out.extend(values.iter().map(|&value| i64::from(value)));
    for (a, &x) in values.iter().enumerate() {
        let x = i64::from(x);
        out.push(rounded(2 * x * x, q) - q);
        out.extend(values[a + 1..].iter().map(|&z| rounded(x * i64::from(z), q)));
    }
}

/// A quotient rounded to the nearest integer, halves away from zero.
fn rounded(dividend: i64, divisor: i64) -> i64 {
    let magnitude = (2 * dividend.abs() + divisor) / (2 * divisor);
    if dividend < 0 { -magnitude } else { magnitude }
}

impl Moments {
    /// The sums of no rows.
    pub(super) fn new(variables: usize, q: i32) -> Self {
        Self { q: q.into(), sums: vec![0; components(variables)], row: Vec::new() }
    }

    /// Takes in a row of this weight.
    pub(super) fn add(&mut self, values: &[i16], weight: u16) {
        row(values, self.q, &mut self.row);
        let weight = i64::from(weight);
        self.sums.iter_mut().zip(&self.row).for_each(|(sum, value)| *sum += weight * value);
    }

    /// The sums of rows whose weights add up to at most `unit` for each unit, in units, rounded
    /// down.
    pub(super) fn sums(&self, unit: u16) -> Vec<i64> {
        self.sums.iter().map(|sum| sum.div_euclid(unit.into())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row of p grid values from -q to q.
    fn rows(variables: usize, q: i16) -> Vec<Vec<i16>> {
        (0..variables).fold(vec![Vec::new()], |rows, _| {
            let longer = |row: &Vec<i16>| {
                (-q..=q).map(|value| [row.clone(), vec![value]].concat()).collect::<Vec<_>>()
            };
            rows.iter().flat_map(longer).collect()
        })
    }

    fn sums(table: &[&Vec<i16>], variables: usize, q: i16) -> Vec<i64> {
        let mut moments = Moments::new(variables, q.into());
        table.iter().for_each(|row| moments.add(row, 1));
        moments.sums(1)
    }

    /// The largest moves of the sums over all pairs of neighboring tables of up to two rows.
    fn worst(variables: usize, q: i16, neighbors: Neighbors) -> Moves {
        let rows = rows(variables, q);
        let mut worst = Moves { components: components(variables), largest: 0, sum: 0, squares: 0 };
        let mut compare = |one: &[&Vec<i16>], other: &[&Vec<i16>]| {
            let (one, other) = (sums(one, variables, q), sums(other, variables, q));
            let changes: Vec<u64> = one.iter().zip(&other).map(|(a, b)| a.abs_diff(*b)).collect();
            worst.largest = worst.largest.max(changes.iter().copied().max().unwrap());
            worst.sum = worst.sum.max(changes.iter().sum());
            let squares = changes.iter().map(|&change| u128::from(change) * u128::from(change));
            worst.squares = worst.squares.max(squares.sum());
        };
        for kept in &rows {
            for first in &rows {
                match neighbors {
                    Neighbors::AddRemove => {
                        compare(&[kept], &[kept, first]);
                        compare(&[], &[first]);
                    }
                    Neighbors::ReplaceOne => {
                        rows.iter().for_each(|second| compare(&[kept, first], &[kept, second]));
                        // The target of the row may become missing.
                        compare(&[kept, first], &[kept]);
                    }
                }
            }
        }
        worst
    }

    /// No pair of tables moves further than stated, and with add/remove one moves as far in every
    /// sense.
    #[test]
    fn moves_by_enumeration() {
        for (variables, q) in [(1, 4), (2, 3), (3, 1)] {
            let stated = moves(variables, q.into(), Neighbors::AddRemove);
            assert_eq!(worst(variables, q, Neighbors::AddRemove), stated, "{variables} {q}");
        }
        for (variables, q) in [(1, 4), (2, 2)] {
            let stated = moves(variables, q.into(), Neighbors::ReplaceOne);
            let worst = worst(variables, q, Neighbors::ReplaceOne);
            assert!(worst.largest == stated.largest, "{worst:?}");
            assert!(worst.sum <= stated.sum && worst.squares <= stated.squares, "{worst:?}");
        }
    }

    /// People of up to three rows move the sums no further than rows do, whose weights would not
    /// add up otherwise.
    #[test]
    fn people_move_them_as_rows_do() {
        let (variables, q) = (2, 2i16);
        let rows = rows(variables, q);
        let two = rows.iter().flat_map(|a| rows.iter().map(move |b| vec![a, b]));
        let three = two.clone().step_by(7).map(|pair| [&pair[..], &pair[..1]].concat());
        let people: Vec<Vec<&Vec<i16>>> =
            rows.iter().map(|row| vec![row]).chain(two.clone()).chain(three).collect();
        let sums = |people: &[&Vec<&Vec<i16>>], unit: u16| {
            let mut moments = Moments::new(variables, q.into());
            for rows in people {
                let weight = (unit / rows.len() as u16).max(1);
                rows.iter().for_each(|row| moments.add(row, weight));
            }
            moments.sums(unit)
        };
        let stated = moves(variables, q.into(), Neighbors::AddRemove).largest;
        // Units that a number of rows divides, and that it does not.
        for (unit, holds) in [(4, true), (1 << 15, true), (1, false)] {
            let mut worst = 0;
            for kept in people.iter().step_by(17) {
                let one = sums(&[kept], unit);
                for added in &people {
                    let other = sums(&[kept, added], unit);
                    let change = one.iter().zip(&other).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
                    worst = worst.max(change);
                }
            }
            assert_eq!(worst <= stated, holds, "{unit}: {worst}");
            assert!(worst >= stated);
        }
    }

    /// Wrong statements are exceeded: one coordinate forgotten, the moves of a removal for a
    /// replacement, squares on half the range as if all were.
    #[test]
    fn broken_moves_are_exceeded() {
        let (variables, q) = (2, 2i16);
        let worst_add = worst(variables, q, Neighbors::AddRemove);
        let stated = moves(variables, q.into(), Neighbors::AddRemove);
        let forgotten = components(variables) as u64 - 1;
        assert!(worst_add.sum > stated.largest * forgotten);
        assert!(worst_add.squares > u128::from(stated.largest * stated.largest * forgotten));
        let worst_replace = worst(variables, q, Neighbors::ReplaceOne);
        assert!(worst_replace.largest > stated.largest && worst_replace.sum > stated.sum);
        assert!(worst_replace.squares > stated.squares);
        assert!(worst_add.largest > stated.largest / 2);
    }

    #[test]
    fn places_are_those_of_the_row() {
        for variables in 1usize..6 {
            let mut values: Vec<i16> = (0..variables).map(|v| 101 + 37 * v as i16).collect();
            values[0] = -values[0];
            let mut out = Vec::new();
            row(&values, 1, &mut out);
            assert_eq!(out.len(), components(variables));
            for a in 0..variables {
                for b in a..variables {
                    let product = i64::from(values[a]) * i64::from(values[b]);
                    let expected = if a == b { 2 * product - 1 } else { product };
                    assert_eq!(out[place(variables, a, b)], expected, "{variables} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn contributions_stay_on_the_grid() {
        for values in rows(2, 7) {
            let mut out = Vec::new();
            row(&values, 7, &mut out);
            assert!(out.iter().all(|value| value.abs() <= 7), "{values:?}");
        }
        let ends = [32_767i16, -32_767, 0];
        let mut out = Vec::new();
        row(&ends, 32_767, &mut out);
        assert!(out.iter().all(|value| value.abs() <= 32_767));
        assert_eq!([(3, 2), (-3, 2), (1, 2), (5, 4)].map(|(a, b)| rounded(a, b)), [2, -2, 1, 1]);
    }
}
