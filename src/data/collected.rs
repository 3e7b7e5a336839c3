//! A fold of tests: all rows.

use crate::data::number::CellFormat;
use crate::data::sample::{Sample, SampleFold, Value};

/// The rows, each with its target, a number, in any order.
#[derive(Default)]
pub(super) struct Collected(pub(super) Vec<(f64, Vec<f64>)>);

impl SampleFold for Collected {
    fn sample<A: Value>(&mut self, sample: Sample<'_, A>) {
        let target = sample.target.and_then(|cell| cell.number(&CellFormat::default()));
        let values = sample.values.iter().map(|value| (*value).into()).collect();
        self.0.push((target.unwrap_or(f64::NAN), values));
    }

    fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}
