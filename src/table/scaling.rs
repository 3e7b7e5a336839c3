//! Scaling: the grid values of a sample's values.

use crate::exact::GRID;
use crate::table::batch::Value;
use crate::table::bounds::Bounds;
use crate::table::quantize::{EachBounds, SameBounds};
use crate::table::ranks::Ranker;

/// A way to make feature values comparable, by a function of each sample alone.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Scaling {
    /// Clipped to one given range for all features.
    Bounds(Bounds),
    /// Clipped to a given range for each feature, in their order.
    BoundsByFeature(Vec<Bounds>),
    /// Replaced by their ranks within the sample.
    RowRank,
}

/// Scales samples, one after the other, without an allocation per sample.
///
/// ```
/// use dpsis::{Scaler, Scaling};
///
/// let (scaling, mut row) = (Scaling::RowRank, Vec::new());
/// let mut scaler = Scaler::new(&scaling);
/// scaler.scale([Some(3.5), None, Some(-1.0), Some(9.0)], &mut row);
/// assert_eq!(row, [0, 0, -32767, 32767]);
/// ```
#[derive(Debug, Clone)]
pub struct Scaler<'a> {
    rule: Rule<'a>,
    q: i32,
    /// A buffer for values that come one by one; NaN where missing.
    values: Vec<f64>,
}

/// A scaling, prepared for many samples.
#[derive(Debug, Clone)]
enum Rule<'a> {
    Same(SameBounds),
    Each(EachBounds<'a>),
    Rank(Ranker),
}

impl<'a> Scaler<'a> {
    /// A scaler to integers from -[`GRID`](crate::GRID) to [`GRID`](crate::GRID).
    pub fn new(scaling: &'a Scaling) -> Self {
        Self::with_grid(scaling, GRID)
    }

    pub(crate) fn with_grid(scaling: &'a Scaling, q: i32) -> Self {
        let rule = match scaling {
            Scaling::Bounds(bounds) => Rule::Same(SameBounds::new(*bounds, q)),
            Scaling::BoundsByFeature(all) => Rule::Each(EachBounds::new(all, q)),
            Scaling::RowRank => Rule::Rank(Ranker::default()),
        };
        Self { rule, q, values: Vec::new() }
    }

    /// Replaces the content of `out` by a sample's grid values. A missing value (`None`, NaN or
    /// infinite) becomes 0; where each feature has its own bounds, values beyond the last feature
    /// are left out.
    pub fn scale(&mut self, values: impl IntoIterator<Item = Option<f64>>, out: &mut Vec<i16>) {
        let mut held = std::mem::take(&mut self.values);
        held.clear();
        held.extend(values.into_iter().map(|value| value.unwrap_or(f64::NAN)));
        if let Rule::Each(all) = &self.rule {
            held.truncate(all.len());
        }
        out.clear();
        out.resize(held.len(), 0);
        self.sample(&held, out);
        self.values = held;
    }

    /// Writes the grid values of a sample to `out`, of the same length. Values are NaN or infinite
    /// where missing; with bounds for each feature, there is one value per feature.
    pub(crate) fn sample<A: Value>(&mut self, values: &[A], out: &mut [i16]) {
        match &mut self.rule {
            Rule::Same(all) => all.quantize(values, out),
            Rule::Each(all) => all.quantize(values, out),
            Rule::Rank(ranker) => ranker.rank(values, self.q, out),
        }
    }

    /// Whether a grid value depends on the value and its feature alone, not on the other values of
    /// the sample.
    pub(crate) fn is_by_feature(&self) -> bool {
        !matches!(self.rule, Rule::Rank(_))
    }

    /// Writes the grid values of one feature in many samples, where [`is_by_feature`] holds.
    ///
    /// [`is_by_feature`]: Self::is_by_feature
    pub(crate) fn feature<A: Value>(&self, feature: usize, values: &[A], out: &mut [i16]) {
        match &self.rule {
            Rule::Same(all) => all.quantize(values, out),
            Rule::Each(all) => all.of(feature).quantize(values, out),
            Rule::Rank(_) => debug_assert!(false, "ranks are of samples"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scaled(rule: &Scaling, q: i32, values: &[Option<f64>]) -> Vec<i16> {
        let mut out = Vec::new();
        Scaler::with_grid(rule, q).scale(values.iter().copied(), &mut out);
        out
    }

    #[test]
    fn bounds_clip_and_center() {
        let rule = Scaling::Bounds(Bounds::new(0.0, 10.0).unwrap());
        let values = [Some(0.0), Some(5.0), Some(10.0), Some(-99.0), Some(1e300), None, Some(7.5)];
        assert_eq!(scaled(&rule, 100, &values), [-100, 0, 100, -100, 100, 0, 50]);
    }

    #[test]
    fn each_feature_can_have_its_own_bounds() {
        let bounds = |low, high| Bounds::new(low, high).unwrap();
        let rule = Scaling::BoundsByFeature(vec![bounds(0.0, 2.0), bounds(-10.0, 10.0)]);
        assert_eq!(scaled(&rule, 100, &[Some(2.0), Some(2.0)]), [100, 20]);
        assert_eq!(scaled(&rule, 100, &[None, Some(-99.0)]), [0, -100]);
    }

    #[test]
    fn ranks_within_the_row() {
        let values = [Some(30.0), Some(-5.0), None, Some(7.0), Some(7.0), Some(1e9)];
        // Of five: -5 is first, the two 7s share 2.5, 30 is fourth, 1e9 last.
        assert_eq!(scaled(&Scaling::RowRank, 100, &values), [50, -100, 0, -25, -25, 100]);
        assert_eq!(scaled(&Scaling::RowRank, 100, &[Some(3.0), None]), [0, 0]);
        assert_eq!(scaled(&Scaling::RowRank, 100, &[Some(0.0), Some(-0.0)]), [0, 0]);
    }

    proptest! {
        /// Against mid-ranks by counting.
        #[test]
        fn ranks_agree_with_counting(values in prop::collection::vec(
            prop::option::weighted(0.9, (-4i32..5).prop_map(f64::from)), 0..30)) {
            let present: Vec<f64> = values.iter().flatten().copied().collect();
            let d = present.len() as f64;
            let expected: Vec<i16> = values.iter().map(|value| match value {
                Some(v) if present.len() > 1 => {
                    let below = present.iter().filter(|w| *w < v).count() as f64;
                    let ties = present.iter().filter(|w| *w == v).count() as f64;
                    let rank = below + (ties + 1.0) / 2.0;
                    // 2^14 makes every half exact.
                    let exact = 16384.0 * (2.0 * rank - d - 1.0) / (d - 1.0);
                    exact.round() as i16
                }
                _ => 0,
            }).collect();
            prop_assert_eq!(scaled(&Scaling::RowRank, 16384, &values), expected);
        }
    }
}
