//! A whole table in memory, in file order.

use crate::error::{Error, Parameter, Result};
use crate::table::batch::{Batch, Fold};
use crate::table::open_table::{Opening, Table, fold};
use crate::table::source::Source;
use crate::table::target::TargetCell;

/// A whole table in memory, 8 bytes per value: for public tables.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeTable {
    /// The names of the d features.
    pub features: Vec<String>,
    /// The values, row by row, n times d; NaN or infinite where missing. A NaN with a payload is a
    /// word.
    pub values: Vec<f64>,
    /// The target of each of the n rows as text, trimmed; empty where missing.
    pub targets: Vec<String>,
}

impl WholeTable {
    /// Reads a table in file order.
    ///
    /// # Errors
    ///
    /// `Request` if the facts given of the table do not fit its header, or identify people with
    /// several rows; `Input` if it is malformed or has no rows; `Io` if it cannot be read.
    pub fn read(source: &(impl Source + ?Sized)) -> Result<Self> {
        // With one thread, blocks of rows are folded in order.
        let opening = Opening::of_all_rows(1);
        Self::of_table(&mut *source.open(&opening)?)
    }

    fn of_table(table: &mut dyn Table) -> Result<Self> {
        if table.schema().has_people() {
            let rule = "a public table is read row by row, without several rows per person";
            return Err(Error::request(rule).about([Parameter::Unit]));
        }
        let features = table.schema().feature_names().map(str::to_owned).collect();
        let Rows { mut values, targets } = fold(table, &Rows::default)?;
        if !table.has_words() {
            values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = f64::NAN);
        }
        if targets.is_empty() {
            return Err(Error::input("the table has no rows"));
        }
        Ok(Self { features, values, targets })
    }
}

/// Collects the rows.
#[derive(Default)]
struct Rows {
    values: Vec<f64>,
    targets: Vec<String>,
}

impl Fold for Rows {
    fn batch(&mut self, batch: &Batch<'_>) {
        batch.each(|sample| {
            self.values.extend_from_slice(sample.values);
            let target = sample.target.as_ref().map(TargetCell::text).unwrap_or_default();
            self.targets.push(String::from_utf8_lossy(&target).trim_ascii().to_owned());
        });
    }

    fn merge(&mut self, other: Self) {
        self.values.extend(other.values);
        self.targets.extend(other.targets);
    }
}
