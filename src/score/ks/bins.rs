//! The streaming form: thresholds between the bins of a fixed division of the grid.
//!
//! If values have grid values (given bounds, ranks within the row), 15 thresholds between 16
//! bins of equal width are a family that needs one pass, integer sums per feature and bin, and O(d)
//! memory: 256 bytes per feature for a numeric target, 128 bytes per class. Sums over blocks of
//! rows merge in any order. Missing values are in no bin: their sums are the rest of all rows.

use std::ops::RangeInclusive;

use crate::error::Result;
use crate::exact::GRID;
use crate::score::ks::extremes::{sum_of_classes, sum_over_classes};
use crate::score::ks::{Extremes, class_sensitivity};
use crate::score::raw::{MAX_COUNT, MAX_SUM, of_no_rows};
use crate::score::{CodedSums, MISSING, RawSums, RowSums, only};

/// The number of bins.
pub(crate) const BINS: usize = 16;

/// Sums over rows for each feature and bin, for targets coded as one number (`i16`) or classes
/// (`usize`).
#[derive(Clone)]
pub(crate) struct BinSums<T> {
    /// The number of sums per bin: the target and the rows, or the rows of each class.
    parts: usize,
    /// By feature, bin and part.
    sums: Vec<i64>,
    /// The same, over all rows.
    totals: Vec<i64>,
    target: std::marker::PhantomData<T>,
}

/// The bin of a grid value; `None` if it is missing.
#[inline(always)]
fn bin(x: i16) -> Option<usize> {
    // From -Q to Q: 0 to 15.
    (x != MISSING).then_some((x as u16 ^ 0x8000) as usize >> 12)
}

/// The number of the bin of a grid value that is not missing.
pub(crate) fn bin_of(x: i16) -> i16 {
    bin(x).map_or(x, |bin| bin as i16)
}

impl<T> BinSums<T> {
    fn with_parts(features: usize, parts: usize) -> Self {
        Self {
            parts,
            sums: vec![0; features * BINS * parts],
            totals: vec![0; parts],
            target: std::marker::PhantomData,
        }
    }

    /// The sums of the bin of a feature that holds a grid value.
    #[inline(always)]
    fn sums_at(&mut self, feature: usize, x: i16) -> Option<&mut [i64]> {
        let start = (feature * BINS + bin(x)?) * self.parts;
        Some(&mut self.sums[start..start + self.parts])
    }

    /// Computes a value for each feature from its sums by bin.
    fn each_feature(&self, value: impl Fn(&[i64]) -> i64) -> Vec<i64> {
        self.sums.chunks_exact(BINS * self.parts).map(value).collect()
    }

    /// Restores the sums from `raw`.
    fn of_raw_parts(
        raw: RawSums,
        features: usize,
        parts: usize,
        range: RangeInclusive<i64>,
    ) -> Result<Self> {
        raw.check((features * BINS * parts, range.clone()), (parts, range))?;
        let RawSums { features: sums, rows: totals } = raw;
        Ok(Self { parts, sums, totals, target: std::marker::PhantomData })
    }

    /// Refuses sums in which the count of a feature, at this place among the sums of a bin, exceeds
    /// that of all rows.
    fn check_rows(self, place: usize) -> Result<Self> {
        let of_features = self.sums.chunks_exact(BINS * self.parts);
        let mut counts = of_features.map(|sums| {
            sums.iter().skip(place).step_by(self.parts).map(|&rows| i128::from(rows)).sum()
        });
        let all = i128::from(self.totals[place]);
        if counts.all(|count: i128| count <= all) { Ok(self) } else { Err(of_no_rows()) }
    }

    fn to_raw(&self) -> RawSums {
        RawSums { features: self.sums.clone(), rows: self.totals.clone() }
    }

    fn merge_sums(&mut self, other: &Self) {
        let mine = self.sums.iter_mut().chain(&mut self.totals);
        for (sum, more) in mine.zip(other.sums.iter().chain(&other.totals)) {
            *sum += more;
        }
    }
}

impl BinSums<i16> {
    /// Sums without any rows.
    pub(crate) fn new(features: usize) -> Self {
        Self::with_parts(features, 2)
    }

    /// Restores the sums from [`raw`](CodedSums::raw).
    ///
    /// # Errors
    ///
    /// `Input` if the number of features differs, or no rows can have these sums.
    pub(crate) fn of_raw(raw: RawSums, features: usize) -> Result<Self> {
        let pairs = |sums: &[i64]| {
            sums.as_chunks::<2>().0.iter().all(|[sum, rows]| {
                (0..=MAX_COUNT).contains(rows) && sum.abs() <= i64::from(GRID) * rows
            })
        };
        if !pairs(&raw.features) || !pairs(&raw.rows) {
            return Err(of_no_rows());
        }
        let sums = Self::of_raw_parts(raw, features, 2, -MAX_SUM..=MAX_SUM)?;
        sums.check_rows(1)
    }

    /// The largest and the smallest sum of f(x) (y - m) over the thresholds, from the sums of one
    /// feature, less the sum over its missing values.
    fn extremes_of(&self, sums: &[i64], center: i32) -> Extremes {
        let t = |bin: &[i64]| bin[0] - i64::from(center) * bin[1];
        let all: i64 = sums.chunks_exact(2).map(t).sum();
        let mut below = 0;
        let mut extremes = Extremes { most: all, least: all };
        for bin in sums.chunks_exact(2) {
            below += t(bin);
            extremes.most = extremes.most.max(all - 2 * below);
            extremes.least = extremes.least.min(all - 2 * below);
        }
        extremes.less((t(&self.totals) - all).unsigned_abs())
    }
}

impl CodedSums for BinSums<i16> {
    fn raw(&self) -> RawSums {
        self.to_raw()
    }

    fn target(&self) -> Vec<u64> {
        let (y, rows) = (self.totals[0], self.totals[1]);
        let (above, below) = (i64::from(GRID) * rows + y, i64::from(GRID) * rows - y);
        vec![above.unsigned_abs(), below.unsigned_abs()]
    }

    fn values(&self, centers: &[i32]) -> Vec<i64> {
        let center = only(centers);
        self.each_feature(|sums| self.extremes_of(sums, center).largest())
    }

    fn one_row(&self, centers: &[i32]) -> u64 {
        u64::from(GRID.unsigned_abs() + only(centers).unsigned_abs())
    }

    fn signed(&self, feature: usize, centers: &[i32]) -> Option<Extremes> {
        let size = BINS * self.parts;
        let sums = &self.sums[feature * size..(feature + 1) * size];
        Some(self.extremes_of(sums, only(centers)))
    }
}

impl BinSums<usize> {
    /// Sums without any rows.
    pub(crate) fn of_classes(features: usize, classes: usize) -> Self {
        Self::with_parts(features, classes)
    }

    /// Restores the sums from [`raw`](CodedSums::raw).
    ///
    /// # Errors
    ///
    /// `Input` if the numbers of features or classes differ, or no rows can have these sums.
    pub(crate) fn of_raw_classes(raw: RawSums, features: usize, classes: usize) -> Result<Self> {
        let sums = Self::of_raw_parts(raw, features, classes, 0..=MAX_COUNT)?;
        (0..classes).try_fold(sums, |sums, class| sums.check_rows(class))
    }
}

impl CodedSums for BinSums<usize> {
    fn raw(&self) -> RawSums {
        self.to_raw()
    }

    fn target(&self) -> Vec<u64> {
        self.totals.iter().map(|rows| rows.unsigned_abs()).collect()
    }

    fn one_row(&self, centers: &[i32]) -> u64 {
        class_sensitivity(centers, GRID)
    }

    fn values(&self, centers: &[i32]) -> Vec<i64> {
        let parts = self.parts;
        self.each_feature(|sums| {
            let [mut present, mut below] = [(); 2].map(|()| vec![0i64; parts]);
            let add = |counts: &mut [i64], bin: &[i64]| {
                counts.iter_mut().zip(bin).for_each(|(count, rows)| *count += rows);
            };
            sums.chunks_exact(parts).for_each(|bin| add(&mut present, bin));
            let missing: Vec<i64> =
                self.totals.iter().zip(&present).map(|(all, present)| all - present).collect();
            let mut most = sum_over_classes(&present, &below, centers, GRID);
            for bin in sums.chunks_exact(parts) {
                add(&mut below, bin);
                most = most.max(sum_over_classes(&present, &below, centers, GRID));
            }
            (most - sum_of_classes(&missing, centers, GRID)).max(0)
        })
    }
}

impl RowSums for BinSums<i16> {
    type Target = i16;

    fn add_rows(&mut self, x: &[i16], y: &[i16]) {
        let features = self.sums.len() / (BINS * self.parts);
        for (x, &y) in x.chunks_exact(features.max(1)).zip(y) {
            self.totals[0] += i64::from(y);
            self.totals[1] += 1;
            for (feature, &x) in x.iter().enumerate() {
                if let Some([sum, rows]) = self.sums_at(feature, x) {
                    *sum += i64::from(y);
                    *rows += 1;
                }
            }
        }
    }

    fn add_targets(&mut self, y: &[Option<i16>]) -> Vec<Vec<i16>> {
        self.totals[0] += y.iter().flatten().map(|y| i64::from(*y)).sum::<i64>();
        self.totals[1] += y.iter().flatten().count() as i64;
        let targets = y.iter().map(|y| y.unwrap_or(0)).collect();
        let counted = y.iter().map(|y| i16::from(y.is_some())).collect();
        vec![targets, counted]
    }

    fn add_feature(&mut self, feature: usize, x: &[i16], from: usize, factors: &[Vec<i16>]) {
        let [targets, counted] = factors else { return };
        for ((&x, &y), &one) in x.iter().zip(&targets[from..]).zip(&counted[from..]) {
            if let Some([sum, rows]) = self.sums_at(feature, x) {
                *sum += i64::from(y);
                *rows += i64::from(one);
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        self.merge_sums(other);
    }
}

impl RowSums for BinSums<usize> {
    type Target = usize;

    fn add_rows(&mut self, x: &[i16], classes: &[usize]) {
        let features = self.sums.len() / (BINS * self.parts);
        for (x, &class) in x.chunks_exact(features.max(1)).zip(classes) {
            self.totals[class] += 1;
            for (feature, &x) in x.iter().enumerate() {
                if let Some(rows) = self.sums_at(feature, x) {
                    rows[class] += 1;
                }
            }
        }
    }

    fn add_targets(&mut self, classes: &[Option<usize>]) -> Vec<Vec<i16>> {
        classes.iter().flatten().for_each(|&class| self.totals[class] += 1);
        let rows_of = |class| classes.iter().map(|c| i16::from(*c == Some(class))).collect();
        (0..self.parts).map(rows_of).collect()
    }

    fn add_feature(&mut self, feature: usize, x: &[i16], from: usize, factors: &[Vec<i16>]) {
        for (row, &x) in x.iter().enumerate() {
            if let Some(rows) = self.sums_at(feature, x) {
                for (rows, is_class) in rows.iter_mut().zip(factors) {
                    *rows += i64::from(is_class[from + row]);
                }
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        self.merge_sums(other);
    }
}
