//! A column in the order of its values.

use crate::table::{Sorter, order, place, word_of};

/// Marks the last row of a group of equal cells.
const LAST: u32 = 1 << 31;

/// The rows of a column in ascending order of their numbers, then the rows with categories,
/// category by category, then the rows without a value. 4 bytes per row.
#[derive(Debug, Clone, Default)]
pub(crate) struct SortedColumn {
    /// Row numbers below 2^31; the last row of a group of equal cells is marked.
    rows: Vec<u32>,
    /// The number of rows with numbers.
    numbers: usize,
    /// The number of rows with numbers or categories.
    present: usize,
}

/// The order of categories among cells: above all numbers.
#[inline]
fn order_of_cell(value: f64) -> Option<u64> {
    order(value).or_else(|| word_of(value).map(|word| u64::MAX - word))
}

impl SortedColumn {
    /// Sorts a column. Without `words`, every NaN is a missing cell.
    pub(crate) fn sort(&mut self, values: &[f64], words: bool, sorter: &mut Sorter) {
        self.rows.clear();
        self.numbers = 0;
        let Self { rows, numbers, .. } = self;
        let give = |group: &[u64]| {
            rows.extend(group.iter().map(|key| place(*key) as u32));
            if let Some(last) = rows.last_mut() {
                if values[*last as usize].is_finite() {
                    *numbers += group.len();
                }
                *last |= LAST;
            }
        };
        if words {
            sorter.each_tie(values, order_of_cell, give);
        } else {
            sorter.each_tie(values, order, give);
        }
        self.present = self.rows.len();
        if self.present < values.len() {
            let is_missing = |value: f64| match words {
                true => order_of_cell(value).is_none(),
                false => !value.is_finite(),
            };
            let missing = (0..).zip(values).filter(|(_, value)| is_missing(**value));
            self.rows.extend(missing.map(|(row, _): (u32, _)| row));
        }
    }

    /// The rows with numbers, each with whether it is the last one of equal numbers.
    pub(super) fn numbers(&self) -> impl Iterator<Item = (usize, bool)> {
        entries(&self.rows[..self.numbers])
    }

    /// The rows with categories, each with whether it is the last one of its category.
    pub(super) fn words(&self) -> impl Iterator<Item = (usize, bool)> {
        entries(&self.rows[self.numbers..self.present])
    }

    /// The rows without a value.
    pub(super) fn missing(&self) -> impl Iterator<Item = usize> {
        self.rows[self.present..].iter().map(|row| *row as usize)
    }
}

fn entries(rows: &[u32]) -> impl Iterator<Item = (usize, bool)> {
    rows.iter().map(|row| ((row & !LAST) as usize, row & LAST != 0))
}
