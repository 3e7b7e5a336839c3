//! Curves and areas computed from cells.

use crate::figure::{Curve, CurveChart, CurvePoint, Reference};
use crate::metrics::Estimate;
use crate::sweep::{CellKey, ComparisonCell, ComparisonCells};

/// A measure of a cell that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The agreement with the LASSO's largest coefficients.
    Lasso,
    /// The agreement with the best scores.
    Overlap,
    /// The performance of a plain model on the picks.
    Model,
    /// Its balanced accuracy, where a class is rare.
    Balanced,
}

impl Measure {
    /// The measures of sets without a rare class.
    pub const ALL: [Self; 3] = [Self::Lasso, Self::Overlap, Self::Model];
    /// The measures of sets with a rare class, for which accuracy means little.
    pub const RARE: [Self; 3] = [Self::Lasso, Self::Overlap, Self::Balanced];

    fn of(self, cell: &ComparisonCell) -> Estimate {
        match self {
            Self::Lasso => cell.lasso,
            Self::Overlap => cell.overlap,
            Self::Model => cell.model,
            Self::Balanced => cell.balanced.map_or(UNKNOWN, |balanced| balanced.model),
        }
    }

    /// The measure as part of a file name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Lasso => "lasso",
            Self::Overlap => "overlap",
            Self::Model => "model",
            Self::Balanced => "balanced",
        }
    }

    /// The label of the axis.
    pub fn label(self) -> &'static str {
        match self {
            Self::Lasso => "share of the LASSO's top k that is picked",
            Self::Overlap => "share of picks among the k best scores",
            Self::Model => "cross-validated accuracy of a plain model on the picks",
            Self::Balanced => "cross-validated balanced accuracy of a plain model on the picks",
        }
    }
}

const UNKNOWN: Estimate = Estimate { mean: f64::NAN, error: f64::NAN };

/// Converts epsilon to a number for an axis; NaN if it is not a budget.
pub fn number(epsilon: &str) -> f64 {
    epsilon.parse::<dpsis::Epsilon>().map_or(f64::NAN, |epsilon| epsilon.to_f64())
}

/// The coordinates of a curve: table, number of features, method and scale, as in keys.
pub(crate) type Group<'a> = (&'a str, &'a str, &'a str, &'a str);

/// The cells of a curve, sorted by epsilon.
pub fn along<'c>(cells: &'c ComparisonCells, group: Group<'_>) -> Vec<(f64, &'c ComparisonCell)> {
    along_epsilon(cells, |key| group_of(key) == group)
}

/// The curve that a key belongs to.
pub(crate) fn group_of(key: &CellKey) -> Group<'_> {
    (&key.table, &key.count, &key.method, &key.scale)
}

/// The mean over epsilon of a value of the cells, by the trapezoidal rule.
pub fn area_of(along: &[(f64, &ComparisonCell)], value: impl Fn(&ComparisonCell) -> f64) -> f64 {
    let points: Vec<(f64, f64)> =
        along.iter().map(|(epsilon, cell)| (*epsilon, value(cell))).collect();
    area(&points)
}

/// The cells with selected keys, sorted by epsilon.
pub fn along_epsilon(
    cells: &ComparisonCells,
    of: impl Fn(&CellKey) -> bool,
) -> Vec<(f64, &ComparisonCell)> {
    let chosen = cells.iter().filter(|(key, _)| of(key));
    let mut along: Vec<(f64, &ComparisonCell)> =
        chosen.map(|(key, cell)| (number(&key.epsilon), cell)).collect();
    along.sort_by(|a, b| a.0.total_cmp(&b.0));
    along
}

/// A chart of one measure against epsilon for one table and number of features, with one curve per
/// method and scale in `arms`.
pub fn curve_chart(
    cells: &ComparisonCells,
    (table, count): (&str, &str),
    arms: &[(String, String)],
    measure: Measure,
    title: String,
) -> CurveChart {
    let scales: std::collections::BTreeSet<&String> = arms.iter().map(|arm| &arm.1).collect();
    let curve = |(method, scale): &(String, String)| {
        let label = match scales.len() {
            1 => method.clone(),
            _ => format!("{method}, {scale}"),
        };
        let point = |(epsilon, cell): (f64, &ComparisonCell)| {
            let estimate = measure.of(cell);
            let (low, high) = estimate.band();
            // Without a nonzero coefficient the agreement is undefined.
            let y = if measure == Measure::Lasso && cell.reach == 0.0 {
                f64::NAN
            } else {
                estimate.mean
            };
            CurvePoint { x: epsilon, y, low: low.max(0.0), high: high.min(1.0) }
        };
        Curve {
            label,
            points: along(cells, (table, count, method, scale)).into_iter().map(point).collect(),
        }
    };
    let curves: Vec<Curve> = arms.iter().map(curve).collect();
    let any = cells.iter().find(|(key, _)| (&*key.table, &*key.count) == (table, count));
    let reference = |label: &str, y: f64| Reference { label: label.to_owned(), y };
    // A LASSO without nonzero coefficients selects no features.
    let without_and_lasso = |reach: f64, without: f64, lasso: f64| {
        let own = (reach > 0.0).then(|| reference("the LASSO's own", lasso));
        std::iter::once(reference("no features", without)).chain(own).collect()
    };
    let references = match (measure, any) {
        (Measure::Model, Some((_, cell))) => {
            without_and_lasso(cell.reach, cell.baseline, cell.lasso_model)
        }
        (Measure::Balanced, Some((_, ComparisonCell { reach, balanced: Some(balanced), .. }))) => {
            without_and_lasso(*reach, balanced.baseline, balanced.lasso_model)
        }
        (Measure::Lasso, Some((_, cell))) if cell.reach > 0.0 && cell.reach < 1.0 => {
            vec![reference("most possible", cell.reach)]
        }
        _ => Vec::new(),
    };
    CurveChart {
        title,
        x_label: "total epsilon".to_owned(),
        y_label: match (measure, any) {
            // Without features R² is 0, whereas predicting the most frequent class has a positive
            // accuracy.
            (Measure::Model, Some((_, cell))) if cell.baseline == 0.0 => {
                "cross-validated R² of a plain model on the picks".to_owned()
            }
            _ => measure.label().to_owned(),
        },
        x_log: true,
        y_log: false,
        y_range: match measure {
            Measure::Model | Measure::Balanced => None,
            _ => Some((0.0, 1.0)),
        },
        curves,
        references,
    }
}

/// The mean height of a curve over its range, by the trapezoidal rule; NaN without points.
pub(crate) fn area(points: &[(f64, f64)]) -> f64 {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return f64::NAN };
    let width = last.0 - first.0;
    if width == 0.0 {
        return first.1;
    }
    let slice = |pair: &[(f64, f64)]| (pair[1].0 - pair[0].0) * (pair[0].1 + pair[1].1) / 2.0;
    points.windows(2).map(slice).sum::<f64>() / width
}

/// Formats a number with three decimals, or as a dash if it is not finite.
pub fn short(value: f64) -> String {
    if value.is_finite() { format!("{value:.3}") } else { "–".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_mean_heights() {
        assert_eq!(area(&[(1.0, 2.0), (3.0, 2.0)]), 2.0);
        assert_eq!(area(&[(0.0, 0.0), (1.0, 1.0), (3.0, 1.0)]), 2.5 / 3.0);
        assert_eq!(area(&[(2.0, 0.7)]), 0.7);
        assert!(area(&[]).is_nan());
        assert_eq!(short(area(&[])), "–");
    }

    #[test]
    fn epsilons_are_numbers_on_axes() {
        assert_eq!(["0.1", "1/4", "20"].map(number), [0.1, 0.25, 20.0]);
    }
}
