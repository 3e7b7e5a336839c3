#![doc = include_str!("moments.md")]

use crate::model::noise::Moves;
use crate::model::variables::Variables;
use crate::privacy::Neighbors;

/// The sums of all rows, in the order of [`row`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moments {
    variables: Variables,
    q: i64,
    sums: Vec<i64>,
    row: Vec<i64>,
}

/// The largest moves of the sums between neighboring tables.
pub(super) fn moves(variables: &Variables, q: i32, neighbors: Neighbors) -> Moves {
    let (components, levels) = (variables.components(), variables.columns_of_levels());
    let steps = neighbors.steps();
    let largest = u64::from(q.unsigned_abs()) * steps;
    // The components that one row can fill: one variable of a column with levels, without a square.
    let v = variables.count_numbers() + levels;
    let filled = (1 + v + v * (v + 1) / 2 - levels) as u64;
    // A person at several levels spreads over more components, and each is rounded down.
    let rounded = if levels == 0 { 0 } else { components as u64 * steps };
    let sum = largest * filled + rounded;
    Moves { components, largest, sum, squares: u128::from(largest) * u128::from(sum) }
}

/// Writes the contributions of a row with these grid values, each an integer from -q to q: the
/// number of rows, the variables, and the product of every pair of them that has a place, for a
/// square on the whole range.
pub(super) fn row(variables: &Variables, values: &[i16], q: i64, out: &mut Vec<i64>) {
    out.clear();
    out.push(q);
    out.extend(values.iter().map(|&value| i64::from(value)));
    for (a, &x) in values.iter().enumerate() {
        let x = i64::from(x);
        if variables.place(a, a).is_some() {
            out.push(rounded(2 * x * x, q) - q);
        }
        let others = values.iter().enumerate().skip(a + 1);
        let others = others.filter(|(b, _)| variables.place(a, *b).is_some());
        out.extend(others.map(|(_, &z)| rounded(x * i64::from(z), q)));
    }
}

/// A quotient rounded to the nearest integer, halves away from zero.
fn rounded(dividend: i64, divisor: i64) -> i64 {
    let magnitude = (2 * dividend.abs() + divisor) / (2 * divisor);
    if dividend < 0 { -magnitude } else { magnitude }
}

impl Moments {
    /// The sums of no rows.
    pub(super) fn new(variables: Variables, q: i32) -> Self {
        let sums = vec![0; variables.components()];
        Self { variables, q: q.into(), sums, row: Vec::new() }
    }

    /// Adds a row of this weight.
    pub(super) fn add(&mut self, values: &[i16], weight: u16) {
        row(&self.variables, values, self.q, &mut self.row);
        let weight = i64::from(weight);
        self.sums.iter_mut().zip(&self.row).for_each(|(sum, value)| *sum += weight * value);
    }

    /// The sums in units, rounded down, of rows whose weights add up to at most `unit` for each
    /// unit.
    pub(super) fn sums(&self, unit: u16) -> Vec<i64> {
        self.sums.iter().map(|sum| sum.div_euclid(unit.into())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers, then one column of levels for each of these numbers of variables.
    fn variables(numbers: usize, levels: &[usize]) -> Variables {
        let of_levels =
            levels.iter().enumerate().flat_map(|(column, &count)| vec![Some(column); count]);
        Variables::new(vec![None; numbers].into_iter().chain(of_levels).collect())
    }

    /// Every row on the grid from -q to q.
    fn rows(numbers: usize, levels: &[usize], q: i16) -> Vec<Vec<i16>> {
        let each = |rows: Vec<Vec<i16>>, more: Vec<Vec<i16>>| -> Vec<Vec<i16>> {
            let longer = |row: &Vec<i16>| {
                more.iter().map(|more| [&row[..], more].concat()).collect::<Vec<_>>()
            };
            rows.iter().flat_map(longer).collect()
        };
        let numbers = (0..numbers)
            .fold(vec![vec![]], |rows, _| each(rows, (-q..=q).map(|x| vec![x]).collect()));
        levels.iter().fold(numbers, |rows, &count| {
            let at = |level: usize| (1..=count).map(|one| q * i16::from(one == level)).collect();
            each(rows, (0..=count).map(at).collect())
        })
    }

    fn sums(table: &[&Vec<i16>], variables: &Variables, q: i16) -> Vec<i64> {
        let mut moments = Moments::new(variables.clone(), q.into());
        table.iter().for_each(|row| moments.add(row, 1));
        moments.sums(1)
    }

    /// The largest moves of the sums over all pairs of neighboring tables of up to two rows.
    fn worst((numbers, levels): (usize, &[usize]), q: i16, neighbors: Neighbors) -> Moves {
        let (rows, variables) = (rows(numbers, levels, q), variables(numbers, levels));
        let components = variables.components();
        let mut worst = Moves { components, largest: 0, sum: 0, squares: 0 };
        let mut compare = |one: &[&Vec<i16>], other: &[&Vec<i16>]| {
            let [one, other] = [one, other].map(|table| sums(table, &variables, q));
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

    /// No pair of tables exceeds the bounds on moves, and under add/remove one reaches all of them.
    #[test]
    fn moves_by_enumeration() {
        for (numbers, q) in [(1, 4), (2, 3), (3, 1)] {
            let given = moves(&Variables::numbers(numbers), q.into(), Neighbors::AddRemove);
            assert_eq!(worst((numbers, &[]), q, Neighbors::AddRemove), given, "{numbers} {q}");
        }
        for (numbers, q) in [(1, 4), (2, 2)] {
            let given = moves(&Variables::numbers(numbers), q.into(), Neighbors::ReplaceOne);
            let worst = worst((numbers, &[]), q, Neighbors::ReplaceOne);
            assert!(worst.largest == given.largest, "{worst:?}");
            assert!(worst.sum <= given.sum && worst.squares <= given.squares, "{worst:?}");
        }
    }

    /// The same with columns of levels: up to the rounding for people the bounds are reached, and
    /// are smaller than for numbers in their place.
    #[test]
    fn moves_of_levels_by_enumeration() {
        for (numbers, levels) in [(1, &[1][..]), (1, &[3]), (2, &[2]), (1, &[2, 2])] {
            for neighbors in [Neighbors::AddRemove, Neighbors::ReplaceOne] {
                let (q, variables) = (2i16, variables(numbers, levels));
                let given = moves(&variables, q.into(), neighbors);
                let worst = worst((numbers, levels), q, neighbors);
                let rounded = variables.components() as u64 * neighbors.steps();
                assert_eq!((worst.components, worst.largest), (given.components, given.largest));
                assert!(worst.sum <= given.sum - rounded && worst.squares <= given.squares);
                if neighbors == Neighbors::AddRemove {
                    assert_eq!(worst.sum, given.sum - rounded, "{numbers} {levels:?}");
                    assert_eq!(worst.squares, u128::from(worst.largest * worst.sum));
                }
                let numbers = Variables::numbers(variables.len());
                let as_numbers = moves(&numbers, 30_000, neighbors);
                assert!(moves(&variables, 30_000, neighbors).sum < as_numbers.sum);
            }
        }
    }

    /// People of up to three rows move the sums no further than rows do, which unweighted rows
    /// would; also if they are at several levels, with a share at each.
    #[test]
    fn people_move_them_as_rows_do() {
        for (numbers, levels) in [(2, &[][..]), (1, &[2]), (1, &[3])] {
            people_move((numbers, levels));
        }
    }

    fn people_move((numbers, levels): (usize, &[usize])) {
        let (variables, q) = (variables(numbers, levels), 2i16);
        let rows = rows(numbers, levels, q);
        let two = rows.iter().flat_map(|a| rows.iter().map(move |b| vec![a, b]));
        let three = two.clone().step_by(7).map(|pair| [&pair[..], &pair[..1]].concat());
        let people: Vec<Vec<&Vec<i16>>> =
            rows.iter().map(|row| vec![row]).chain(two.clone()).chain(three).collect();
        let sums = |people: &[&Vec<&Vec<i16>>], unit: u16| {
            let mut moments = Moments::new(variables.clone(), q.into());
            for rows in people {
                let weight = (unit / rows.len() as u16).max(1);
                rows.iter().for_each(|row| moments.add(row, weight));
            }
            moments.sums(unit)
        };
        let given = moves(&variables, q.into(), Neighbors::AddRemove);
        // Units that a number of rows divides, and that it does not.
        for (unit, holds) in [(4, true), (1 << 15, true), (1, false)] {
            let (mut worst, mut sum, mut squares) = (0, 0, 0);
            for kept in people.iter().step_by(17) {
                let one = sums(&[kept], unit);
                for added in &people {
                    let other = sums(&[kept, added], unit);
                    let changes: Vec<u64> =
                        one.iter().zip(&other).map(|(a, b)| a.abs_diff(*b)).collect();
                    worst = worst.max(*changes.iter().max().unwrap());
                    sum = sum.max(changes.iter().sum());
                    squares = squares.max(changes.iter().map(|change| change * change).sum());
                }
            }
            assert_eq!(worst <= given.largest, holds, "{unit}: {worst}");
            assert_eq!(sum <= given.sum, holds, "{unit}: {sum}");
            assert_eq!(u128::from(squares) <= given.squares, holds, "{unit}: {squares}");
            assert!(worst >= given.largest);
        }
    }

    /// Wrong bounds are exceeded: one coordinate omitted, the moves of a removal for a replacement,
    /// all squares as if on half the range; people at several levels as if at one.
    #[test]
    fn broken_moves_are_exceeded() {
        let (variables, q) = (Variables::numbers(2), 2i16);
        let worst_add = worst((2, &[]), q, Neighbors::AddRemove);
        let given = moves(&variables, q.into(), Neighbors::AddRemove);
        let forgotten = variables.components() as u64 - 1;
        assert!(worst_add.sum > given.largest * forgotten);
        assert!(worst_add.squares > u128::from(given.largest * given.largest * forgotten));
        let worst_replace = worst((2, &[]), q, Neighbors::ReplaceOne);
        assert!(worst_replace.largest > given.largest && worst_replace.sum > given.sum);
        assert!(worst_replace.squares > given.squares);
        assert!(worst_add.largest > given.largest / 2);

        // A person with a row at each of two levels, and a person with one row: the sums of levels
        // are rounded down, and move by more components than the sums of a row.
        let variables = Variables::new(vec![Some(0); 3]);
        let sums = |people: &[&[&[i16]]]| {
            let mut moments = Moments::new(variables.clone(), 3);
            for rows in people {
                rows.iter().for_each(|row| moments.add(row, 32_768 / rows.len() as u16));
            }
            moments.sums(1 << 15)
        };
        let half: &[&[i16]] = &[&[3, 0, 0], &[0, 3, 0]];
        let change = sums(&[half, half]).iter().zip(sums(&[half])).map(|(a, b)| a - b).sum::<i64>();
        let (rounded, given) = (3 + 1, moves(&variables, 3, Neighbors::AddRemove).sum);
        assert!(change > given as i64 - rounded && change <= given as i64, "{change}");
    }

    #[test]
    fn accumulated_places_match_the_row() {
        for (numbers, levels) in
            [(1, &[][..]), (2, &[]), (5, &[]), (2, &[3]), (1, &[2, 1]), (3, &[1, 4])]
        {
            let variables = variables(numbers, levels);
            let mut values: Vec<i16> = (0..variables.len()).map(|v| 101 + 37 * v as i16).collect();
            values[0] = -values[0];
            let mut out = Vec::new();
            row(&variables, &values, 1, &mut out);
            assert_eq!(out.len(), variables.components());
            for a in 0..variables.len() {
                for b in a..variables.len() {
                    let product = i64::from(values[a]) * i64::from(values[b]);
                    let expected = if a == b { 2 * product - 1 } else { product };
                    let place = variables.place(a, b);
                    assert_eq!(place, variables.place(b, a));
                    if let Some(place) = place {
                        assert_eq!(out[place], expected, "{numbers} {levels:?} {a} {b}");
                    }
                }
            }
            let missing: usize = levels.iter().map(|count| count * (count + 1) / 2).sum();
            let p = variables.len();
            assert_eq!(variables.components(), 1 + p + p * (p + 1) / 2 - missing);
        }
    }

    #[test]
    fn contributions_stay_on_the_grid() {
        for values in rows(2, &[], 7) {
            let mut out = Vec::new();
            row(&Variables::numbers(2), &values, 7, &mut out);
            assert!(out.iter().all(|value| value.abs() <= 7), "{values:?}");
        }
        let ends = [32_767i16, -32_767, 0];
        let mut out = Vec::new();
        row(&Variables::numbers(3), &ends, 32_767, &mut out);
        assert!(out.iter().all(|value| value.abs() <= 32_767));
        assert_eq!([(3, 2), (-3, 2), (1, 2), (5, 4)].map(|(a, b)| rounded(a, b)), [2, -2, 1, 1]);
    }
}
