//! A fold of tests: all rows.

use crate::table::batch::{Batch, Fold};
use crate::table::cell::CellFormat;

/// The rows, each with its target, a number, in any order.
#[derive(Default)]
pub(super) struct Collected(pub(super) Vec<(f64, Vec<f64>)>);

impl Fold for Collected {
    fn batch(&mut self, batch: &Batch<'_>) {
        batch.each(|sample| {
            let target = sample.target.and_then(|cell| cell.number(&CellFormat::default()));
            self.0.push((target.unwrap_or(f64::NAN), sample.values.to_vec()));
        });
    }

    fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}
