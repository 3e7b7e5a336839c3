//! Bounds of features from a public reference table.
//!
//! Bounds must be public. Bounds computed from the sensitive table itself would reveal its rows
//! outside of the privacy budget.

use std::str::FromStr;

use dpsis::{Bounds, Error, Parameter, Result};
use ndarray::ArrayView1;

use crate::datasets::form::{push_cell, push_number};
use crate::datasets::table::PublicTable;

/// A rule for the bounds at which the values of a feature are clipped.
///
/// Parsed from text: `1sd`, `2.5sd`; `quantiles:0.05,0.95`; `range`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Clip {
    /// This many standard deviations (divisor n - 1) below and above the mean.
    Deviations(f64),
    /// The quantiles at these levels, from 0 to 1, interpolated linearly between order statistics
    /// (R's type 7, the default of numpy).
    Quantiles(f64, f64),
    /// The smallest and the largest value.
    Range,
}

impl FromStr for Clip {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::request("clip at 1sd (or 2.5sd, ...), quantiles:0.05,0.95 or range");
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let clip = if text == "range" {
            Some(Self::Range)
        } else if let Some(factor) = text.strip_suffix("sd") {
            number(factor).filter(|c| *c > 0.0 && c.is_finite()).map(Self::Deviations)
        } else {
            let ends = text.strip_prefix("quantiles:").and_then(|ends| ends.split_once(','));
            let ends = ends.and_then(|(low, high)| number(low).zip(number(high)));
            let ends = ends.filter(|(low, high)| 0.0 <= *low && low < high && *high <= 1.0);
            ends.map(|(low, high)| Self::Quantiles(low, high))
        };
        clip.ok_or_else(wrong)
    }
}

/// Computes the bounds of each feature, in the feature's units, ignoring missing values.
///
/// Where both bounds would be equal, the smallest and the largest value are used instead, and for a
/// constant c the bounds c - h and c + h with h = max(1, |c|). Any bounds are valid for a constant
/// feature: its score is 0.
///
/// # Errors
///
/// `Input`, with the column, if a feature has no finite number or values too large to compute with.
pub fn bounds(table: &PublicTable, clip: &Clip) -> Result<Vec<Bounds>> {
    let columns = table.x.columns().into_iter().enumerate();
    columns
        .map(|(i, column)| {
            let at = |error: Error| error.at(None, Some(i + 1));
            let mut values = present(column);
            values.sort_unstable_by(f64::total_cmp);
            let (Some(&least), Some(&most)) = (values.first(), values.last()) else {
                let rule = format!("the feature {:?} has no number", name(table, i));
                let error = Error::input(rule).hint("exclude it");
                return Err(at(error.about([Parameter::Exclude])));
            };
            let ends = match *clip {
                // Rounding errors must not create a spread.
                _ if least == most => (least, most),
                Clip::Deviations(factor) => deviations(&values, factor),
                Clip::Quantiles(low, high) => (quantile(&values, low), quantile(&values, high)),
                Clip::Range => (least, most),
            };
            let h = least.abs().max(1.0);
            let candidates = [ends, (least, most), (least - h, least + h)];
            let apart = candidates.into_iter().find(|(low, high)| low != high);
            let (low, high) = apart.unwrap_or(ends);
            Bounds::new(low, high).map_err(|_| {
                at(Error::input(format!("the feature {:?} has values too large", name(table, i))))
            })
        })
        .collect()
}

fn name(table: &PublicTable, i: usize) -> &str {
    table.features.get(i).map_or("", String::as_str)
}

fn present(column: ArrayView1<'_, f64>) -> Vec<f64> {
    // Adding 0 turns -0 into 0.
    column.iter().filter(|value| value.is_finite()).map(|value| value + 0.0).collect()
}

/// Returns mean - c sd and mean + c sd, by two passes for an accurate sum of squares.
fn deviations(values: &[f64], factor: f64) -> (f64, f64) {
    let n = values.len() as f64;
    let shift = values.iter().sum::<f64>() / n;
    // The second term corrects the rounding error of the first.
    let mean = shift + values.iter().map(|value| value - shift).sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let sd = if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
    (mean - factor * sd, mean + factor * sd)
}

/// The quantile of sorted values at level q, from 0 to 1, by linear interpolation at position (n -
/// 1) q.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = (sorted.len() - 1) as f64 * q;
    let below = sorted[place.floor() as usize];
    let above = sorted[(place.ceil() as usize).min(sorted.len() - 1)];
    below + (above - below) * place.fract()
}

/// Formats bounds as the CSV file that [`Select::bounds_file`](dpsis::Select::bounds_file) takes:
/// columns `feature,lo,hi`, each number as the shortest decimal text that parses to the same value.
/// `bounds` are in the order of the features.
pub fn bounds_to_csv(table: &PublicTable, bounds: &[Bounds]) -> String {
    let mut text = String::from("feature,lo,hi\n");
    for (feature, bounds) in table.features.iter().zip(bounds) {
        push_cell(&mut text, feature);
        for end in [bounds.low(), bounds.high()] {
            text.push(',');
            push_number(&mut text, end);
        }
        text.push('\n');
    }
    text
}

/// Formats weights as the CSV file that [`Weights::read`](dpsis::Weights::read) takes:
/// `feature,weight`.
pub fn weights_to_csv(weights: &[(String, f64)]) -> String {
    let mut text = String::from("feature,weight\n");
    for (feature, weight) in weights {
        push_cell(&mut text, feature);
        text.push(',');
        push_number(&mut text, *weight);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use dpsis::ErrorKind;
    use ndarray::Array2;

    use super::*;

    fn table(columns: &[&[f64]]) -> PublicTable {
        let n = columns[0].len();
        PublicTable {
            features: (0..columns.len()).map(|i| format!("f{i}")).collect(),
            x: Array2::from_shape_fn((n, columns.len()), |(i, j)| columns[j][i]),
            labels: vec!["y".into(); n],
        }
    }

    fn ends(columns: &[&[f64]], clip: &str) -> Vec<(f64, f64)> {
        let bounds = bounds(&table(columns), &clip.parse().unwrap()).unwrap();
        bounds.iter().map(|bounds| (bounds.low(), bounds.high())).collect()
    }

    #[test]
    fn clips_as_text() {
        for (text, clip) in [
            ("1sd", Some(Clip::Deviations(1.0))),
            ("2.5sd", Some(Clip::Deviations(2.5))),
            ("quantiles:0.05,0.95", Some(Clip::Quantiles(0.05, 0.95))),
            ("quantiles:0,1", Some(Clip::Quantiles(0.0, 1.0))),
            ("range", Some(Clip::Range)),
            ("0sd", None),
            ("-1sd", None),
            ("infsd", None),
            ("nansd", None),
            ("sd", None),
            ("quantiles:0.5,0.5", None),
            ("quantiles:0.9,0.1", None),
            ("quantiles:0,1.5", None),
            ("quantiles:nan,1", None),
            ("", None),
        ] {
            assert_eq!(text.parse::<Clip>().ok(), clip, "{text}");
        }
    }

    /// Closed forms: for 1..=n the variance is n (n + 1)/12, the quantile q is 1 + (n - 1) q.
    #[test]
    fn a_ramp() {
        let ramp: Vec<f64> = (1..=20).map(|i| f64::from(i * 7 % 20 + 1)).collect();
        let (low, high) = ends(&[&ramp], "2sd")[0];
        let sd = 35f64.sqrt();
        assert!(
            (low - (10.5 - 2.0 * sd)).abs() < 1e-13 && (high - (10.5 + 2.0 * sd)).abs() < 1e-13
        );
        let (low, high) = ends(&[&ramp], "quantiles:0.05,0.95")[0];
        assert!((low - 1.95).abs() < 1e-13 && (high - 19.05).abs() < 1e-13);
        assert_eq!(ends(&[&ramp], "range"), [(1.0, 20.0)]);
    }

    /// A large offset does not drown a small spread.
    #[test]
    fn a_spread_on_an_offset() {
        let values = [1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0];
        assert_eq!(ends(&[&values], "1sd"), [(1e9 + 1.0, 1e9 + 3.0)]);
    }

    #[test]
    fn constants_ties_and_missing_values() {
        let nan = f64::NAN;
        let columns: [&[f64]; 5] = [
            &[5.0, 5.0, 5.0, 5.0],
            &[0.0, -0.0, 0.0, 0.0],
            &[-1e20, -1e20, -1e20, -1e20],
            &[nan, 3.0, nan, nan],
            &[nan, 1.0, f64::INFINITY, 3.0],
        ];
        for clip in ["1sd", "range", "quantiles:0.1,0.9"] {
            let ends = ends(&columns, clip);
            assert_eq!(ends[..4], [(0.0, 10.0), (-1.0, 1.0), (-2e20, 0.0), (0.0, 6.0)], "{clip}");
            assert!(ends[4].0 < 2.0 && 2.0 < ends[4].1 && ends[4].1.is_finite(), "{clip}");
        }
        // Both quantiles in the tie: the range.
        let tied = [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0];
        assert_eq!(ends(&[&tied], "quantiles:0.3,0.7"), [(0.0, 4.0)]);
        // No value at all, and values whose bounds overflow.
        for (columns, text) in [
            ([&[1.0, 2.0][..], &[nan, nan]], "no number"),
            ([&[1.0, 2.0], &[f64::MAX, -f64::MAX]], "too large"),
        ] {
            let error = bounds(&table(&columns), &"1sd".parse().unwrap()).unwrap_err();
            assert_eq!((error.kind(), error.place().unwrap().column), (ErrorKind::Input, Some(2)));
            assert!(error.to_string().contains(text), "{error}");
        }
        let max = [f64::MAX; 3];
        assert!(bounds(&table(&[&max]), &Clip::Range).is_err());
    }
}
