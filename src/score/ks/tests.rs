//! Scores against their definition, and their sensitivity by enumeration of whole tables.

use proptest::prelude::*;

use super::*;
use crate::score::{CodedSums, RowSums};
use crate::table::HeldColumns;

/// A cell of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Number(i8),
    Word(u8),
    Missing,
}

impl Cell {
    fn value(self) -> f64 {
        match self {
            Self::Number(number) => f64::from(number),
            Self::Word(word) => f64::from_bits(f64::NAN.to_bits() | (u64::from(word) + 1) << 20),
            Self::Missing => f64::NAN,
        }
    }
}

/// A row: its cell and its target, a grid value or a class.
type Row = (Cell, i32);

/// A function of one cell.
type Member = Box<dyn Fn(Cell) -> i64>;

/// Every member of the family that differs on these rows, and the constants.
fn family(rows: &[Row]) -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    let threshold = |c: f64| {
        Box::new(move |cell| match cell {
            Cell::Number(number) if f64::from(number) > c => 1,
            Cell::Number(_) => -1,
            _ => 0,
        })
    };
    let word = |word: Option<u8>| {
        Box::new(move |cell| match cell {
            Cell::Word(other) if Some(other) == word => 1,
            Cell::Missing => 0,
            _ => -1,
        })
    };
    members.push(threshold(f64::NEG_INFINITY));
    members.push(word(None));
    for (cell, _) in rows {
        match *cell {
            Cell::Number(number) => members.push(threshold(f64::from(number))),
            Cell::Word(text) => members.push(word(Some(text))),
            Cell::Missing => {}
        }
    }
    members
}

fn sum(rows: &[Row], member: &Member, t: impl Fn(i32) -> i64) -> i64 {
    rows.iter().map(|(cell, y)| member(*cell) * t(*y)).sum()
}

/// 1 for a missing cell.
fn missing() -> Member {
    Box::new(|cell| i64::from(cell == Cell::Missing))
}

/// The score of a numeric target by its definition.
fn by_definition(rows: &[Row], center: i32) -> i64 {
    let of = |member: &Member| sum(rows, member, |y| i64::from(y - center)).abs();
    (family(rows).iter().map(of).max().unwrap() - of(&missing())).max(0)
}

/// The score of classes by its definition.
fn of_classes_by_definition(rows: &[Row], centers: &[i32], q: i32) -> i64 {
    let of = |member: &Member| {
        let part = |(class, &center): (usize, &i32)| {
            let t = |y| i64::from(q) * i64::from(y == class as i32) - i64::from(center);
            sum(rows, member, t).abs()
        };
        centers.iter().enumerate().map(part).sum::<i64>()
    };
    (family(rows).iter().map(of).max().unwrap() - of(&missing())).max(0)
}

fn sorted(rows: &[Row]) -> SortedColumn {
    let values: Vec<f64> = rows.iter().map(|(cell, _)| cell.value()).collect();
    let mut column = SortedColumn::default();
    column.sort(&values, true, &mut Sorter::default());
    column
}

fn number(rows: &[Row], center: i32, q: i32) -> CenteredTarget {
    let t = rows.iter().map(|(_, y)| y - center).collect();
    TargetRows::Number { t, center, q }.into()
}

fn classes(rows: &[Row], centers: &[i32], q: i32) -> CenteredTarget {
    let classes = rows.iter().map(|(_, class)| *class as u32).collect();
    TargetRows::Classes { classes, weights: Vec::new(), centers: centers.to_vec(), q }.into()
}

const CELLS: [Cell; 6] = [
    Cell::Missing,
    Cell::Number(0),
    Cell::Number(1),
    Cell::Number(2),
    Cell::Word(0),
    Cell::Word(1),
];

/// All tables of up to `most` of these rows. The order of rows does not matter.
fn tables(rows: &[Row], most: usize) -> Vec<Vec<Row>> {
    let mut tables: Vec<Vec<Row>> = vec![vec![]];
    let mut next = 0;
    while next < tables.len() {
        let table = tables[next].clone();
        next += 1;
        if table.len() < most {
            let longer = rows.iter().map(|row| [table.clone(), vec![*row]].concat());
            tables.extend(longer.filter(|table| table.is_sorted()));
        }
    }
    tables
}

/// The largest change of a score over all tables with every added row.
fn largest_change(rows: &[Row], most: usize, score: &dyn Fn(&[Row]) -> i64) -> u64 {
    let change = |table: &Vec<Row>| {
        let before = score(table);
        let added = |row: &Row| score(&[&table[..], &[*row]].concat()).abs_diff(before);
        rows.iter().map(added).max().unwrap()
    };
    tables(rows, most).iter().map(change).max().unwrap()
}

fn all_rows(targets: impl Iterator<Item = i32> + Clone) -> Vec<Row> {
    CELLS.iter().flat_map(|cell| targets.clone().map(move |y| (*cell, y))).collect()
}

#[test]
fn the_sensitivity_is_that_of_one_correlation() {
    for q in [1, 2] {
        let rows = all_rows(-q..=q);
        for center in -q..=q {
            let score = |rows: &[Row]| number(rows, center, q).score(&sorted(rows)).0;
            let declared = number(&[], center, q).one_row();
            assert_eq!(largest_change(&rows, 3 - q as usize / 2, &score), declared, "{q} {center}");
        }
    }
}

#[test]
fn the_sensitivity_of_classes_is_reached() {
    let q = 3;
    let rows = all_rows(0..3);
    let mut twice_too_small = 0;
    for centers in [[1, 1, 1], [2, 1, 1], [0, 0, 0], [3, 0, 0], [2, 2, 2], [1, 2, 0], [3, 3, 1]] {
        let score = |rows: &[Row]| classes(rows, &centers, q).score(&sorted(rows)).0;
        let declared = classes(&[], &centers, q).one_row();
        let changed = largest_change(&rows, 2, &score);
        assert_eq!(changed, declared, "{centers:?}");
        // Twice (Q - min M), right for centers that sum to Q, is too small for some others.
        let least = centers.into_iter().min().unwrap();
        twice_too_small += u32::from(changed > 2 * (q - least) as u64);
    }
    assert!(twice_too_small > 0);
}

/// Scores that resemble the right ones but move by more than a correlation does.
#[test]
fn broken_scores_are_caught() {
    let (q, center) = (2, 1);
    let rows = all_rows([-q, 0, q].into_iter());
    let declared = number(&[], center, q).one_row();
    let t = |y: i32| i64::from(y - center);
    // The best threshold or category of every other row, applied to all.
    let fitted_on_part = |rows: &[Row]| {
        let part: Vec<Row> = rows.iter().step_by(2).copied().collect();
        let members = family(rows);
        let best = members.iter().max_by_key(|member| sum(&part, member, t).abs()).unwrap();
        sum(rows, best, t).abs()
    };
    // Thresholds or categories, depending on the majority of the present cells.
    let guessed = |rows: &[Row]| {
        let words = rows.iter().filter(|(cell, _)| matches!(cell, Cell::Word(_))).count();
        let numbers = rows.iter().filter(|(cell, _)| matches!(cell, Cell::Number(_))).count();
        let kept = rows.iter().map(|(cell, y)| match cell {
            Cell::Word(_) if words <= numbers => (Cell::Missing, *y),
            Cell::Number(_) if words > numbers => (Cell::Missing, *y),
            _ => (*cell, *y),
        });
        let kept: Vec<Row> = kept.collect();
        number(&kept, center, q).score(&sorted(&kept)).0
    };
    for (name, score) in [
        ("a threshold fitted on part of the rows", &fitted_on_part as &dyn Fn(&[Row]) -> i64),
        ("a type guessed by the column", &guessed),
    ] {
        let changed = largest_change(&rows, 3, score);
        assert!(changed > declared, "{name}: {changed}");
    }
    // The sensitivity without the shift of the center.
    let score = |rows: &[Row]| number(rows, center, q).score(&sorted(rows)).0;
    assert!(largest_change(&rows, 2, &score) > q as u64);
    // The threshold itself, chosen by the data: one row can change it.
    let best = |rows: &[Row]| {
        let of = |member: &Member| sum(rows, member, t).abs();
        let best = family(rows).iter().map(of).enumerate().max_by_key(|(_, sum)| *sum);
        best.map_or(0, |(place, _)| place)
    };
    let differs = |table: &Vec<Row>| {
        rows.iter().any(|row| best(&[&table[..], &[*row]].concat()) != best(table))
    };
    assert!(tables(&rows, 2).iter().any(differs));
}

proptest! {
    #[test]
    fn scores_are_by_definition(
        rows in prop::collection::vec(
            (prop_oneof![
                5 => (-3i8..4).prop_map(Cell::Number),
                3 => (0u8..3).prop_map(Cell::Word),
                1 => Just(Cell::Missing),
            ], 0i32..3), 0..30),
        center in -3i32..4,
        centers in prop::collection::vec(0i32..8, 3),
    ) {
        let column = sorted(&rows);
        prop_assert_eq!(number(&rows, center, 9).score(&column).0, by_definition(&rows, center));
        let expected = of_classes_by_definition(&rows, &centers, 9);
        prop_assert_eq!(classes(&rows, &centers, 9).score(&column).0, expected);
        // The signed sums are sums at thresholds.
        let signed = number(&rows, center, 9).score(&column).1.unwrap();
        let numbers: Vec<Row> =
            rows.iter().filter(|(cell, _)| matches!(cell, Cell::Number(_))).copied().collect();
        let thresholds = family(&numbers);
        let sums = thresholds.iter().skip(2).chain(&thresholds[..1]).map(|member| {
            sum(&numbers, member, |y| i64::from(y - center))
        });
        let all = sum(&numbers, &thresholds[0], |y| i64::from(y - center));
        let sums: Vec<i64> = sums.chain([all, -all]).collect();
        let subtracted = sum(&rows, &missing(), |y| i64::from(y - center)).abs();
        prop_assert_eq!(signed.most, (*sums.iter().max().unwrap() - subtracted).max(0));
        prop_assert_eq!(signed.least, (*sums.iter().min().unwrap() + subtracted).min(0));
    }

    /// With two classes the score of classes is twice that of the target coded as a number.
    #[test]
    fn two_classes_are_one_number(
        rows in prop::collection::vec((0usize..6, 0i32..2), 1..20),
        share in 0i32..=9,
    ) {
        let rows: Vec<Row> = rows.iter().map(|(cell, class)| (CELLS[*cell], *class)).collect();
        let column = sorted(&rows);
        let as_numbers: Vec<Row> = rows.iter().map(|(cell, y)| (*cell, 18 * y - 9)).collect();
        let by_class = classes(&rows, &[9 - share, share], 9);
        let by_number = number(&as_numbers, 2 * share - 9, 9);
        prop_assert_eq!(by_class.score(&column).0, by_number.score(&column).0);
        prop_assert_eq!(by_class.one_row(), by_number.one_row());
    }

    /// On 16 values, one for each bin, the streaming form is the exact one; rows merge in any
    /// order.
    #[test]
    fn bins_are_thresholds(
        rows in prop::collection::vec((0i16..17, 0i32..3), 1..40),
        center in -30_000i32..30_000,
        centers in prop::collection::vec(0i32..=GRID, 3),
        cut in 0usize..40,
    ) {
        let grid = |bin: i16| match bin {
            16 => crate::score::MISSING,
            _ => (4_096 * i32::from(bin) - 31_000) as i16,
        };
        let cell = |bin: i16| if bin == 16 { Cell::Missing } else { Cell::Number(bin as i8) };
        let (mut numbers, mut counts) = (BinSums::new(1), BinSums::of_classes(1, 3));
        let (first, second) = rows.split_at(cut.min(rows.len()));
        for part in [second, first] {
            let (mut more, mut more_counts) = (BinSums::new(1), BinSums::of_classes(1, 3));
            for (bin, y) in part {
                more.add(&[grid(*bin)], *y as i16 * 9_000);
                more_counts.add(&[grid(*bin)], *y as usize);
            }
            numbers.merge(&more);
            counts.merge(&more_counts);
        }
        let exact: Vec<Row> = rows.iter().map(|(bin, y)| (cell(*bin), y * 9_000)).collect();
        let column = sorted(&exact);
        let target = number(&exact, center, GRID);
        prop_assert_eq!(numbers.values(&[center]), vec![target.score(&column).0]);
        prop_assert_eq!(numbers.signed(0, &[center]), target.score(&column).1);
        prop_assert_eq!(numbers.one_row(&[center]), target.one_row());
        let rows: Vec<Row> = rows.iter().map(|(bin, y)| (cell(*bin), *y)).collect();
        let target = classes(&rows, &centers, GRID);
        prop_assert_eq!(counts.values(&centers), vec![target.score(&column).0]);
        prop_assert_eq!(counts.one_row(&centers), target.one_row());
    }
}

/// Columns in memory, and sorted once: the same scores, on any number of threads.
#[test]
fn sorted_columns_have_the_same_scores() {
    let x: Vec<Vec<f64>> = (0..300)
        .map(|i| (0..40).map(|j| f64::from((i * (2 * j + 3) * 7919) % 101)).collect())
        .collect();
    let target = CenteredTarget::number((0..300).map(|i| (i * 31 % 7 - 3) * 1000), 17);
    let columns =
        || KsColumns::Values { columns: Box::new(HeldColumns::of_rows(40, &x)), words: false };
    let hooks = Hooks::default();
    let one = columns().scores(&target, 1, &hooks).unwrap();
    assert_eq!(columns().scores(&target, 3, &hooks).unwrap(), one);
    let sorted = columns().sorted(2, &hooks).unwrap();
    assert_eq!(sorted.scores(&target, 2, &hooks).unwrap(), one);
    assert_eq!(sorted.score_with_extremes(7, &target).0, one[7]);
    assert_eq!(columns().score_with_extremes(7, &target).0, one[7]);
}

/// The sensitivity of a matrix's scores is that of one row, Q + |m|, for classes Q + sum M - 2 min
/// M; twice that where a row is replaced.
#[cfg(feature = "ndarray")]
#[test]
fn the_sensitivity_of_a_matrix_is_that_of_its_rows() {
    use crate::exact::GRID;
    use crate::privacy::Neighbors::{AddRemove, ReplaceOne};
    use crate::score::{ks, ks_of_classes};

    let x = ndarray::arr2(&[[1.0, 5.0], [2.0, 4.0], [3.0, 0.0]]);
    let (y, classes) = ([Some(GRID as i16), None, Some(-7)], [Some(0), Some(2), None]);
    let q = GRID as u64;
    for (neighbors, steps) in [(AddRemove, 1), (ReplaceOne, 2)] {
        let of = |center| ks(x.view(), (&y).into(), center, neighbors).unwrap().sensitivity();
        assert_eq!([of(0), of(-500)], [steps * q, steps * (q + 500)]);
        let centers = [20_000, 10_000, 2_767];
        let scores = ks_of_classes(x.view(), (&classes).into(), &centers, neighbors).unwrap();
        assert_eq!(scores.sensitivity(), steps * (q + 32_767 - 2 * 2_767));
    }
}
