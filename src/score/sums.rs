//! The inner loops of sums over rows, written for vectorization.
//!
//! Values are integers on the grid, |x| <= 2^15 - 1. A product fits 30 bits and the sum of two 31,
//! so products are added in pairs before they are widened to 64 bits. Plain loops over slices of
//! equal length compile to vector instructions ([`vectors`]). Integer results are identical on all
//! processors.

use std::borrow::Cow;

use crate::score::MISSING;
use crate::vectors;

/// The number of rows added together, with one addition to each 64-bit sum.
const TOGETHER: usize = 4;

/// Adds rows `x` of `products.len()` values each: for every feature, its products with `y` and its
/// values.
pub(super) fn add_products(x: &[i16], y: &[i16], products: &mut [i64], features: &mut [i64]) {
    vectors::run(Products { x, y, products, features });
}

/// Adds one row.
pub(super) fn add_values(x: &[i16], sums: &mut [i64]) {
    vectors::run(Values { x, sums });
}

/// The dot product of two lists of at most 2^32 numbers.
pub(super) fn dot(x: &[i16], y: &[i16]) -> i64 {
    vectors::run(Dot { x, y })
}

/// The sum of at most 2^32 numbers under a mask, whose elements have all bits set (counted) or no
/// bit set.
pub(super) fn sum_where(x: &[i16], mask: &[i16]) -> i64 {
    vectors::run(Where { x, mask })
}

/// The mask element of [`sum_where`] for a number that is counted, or not.
pub(super) fn mask(counts: bool) -> i16 {
    -i16::from(counts)
}

/// Grid values with 0 in place of each missing one; calls `missing` with the places of missing
/// values.
pub(super) fn without_missing(x: &[i16], mut missing: impl FnMut(usize)) -> Cow<'_, [i16]> {
    if !vectors::run(AnyMissing { x }) {
        return Cow::Borrowed(x);
    }
    let mut values = x.to_vec();
    for (place, value) in values.iter_mut().enumerate().filter(|(_, value)| **value == MISSING) {
        *value = 0;
        missing(place);
    }
    Cow::Owned(values)
}

/// Whether a value lies outside the grid from -q to q.
pub(super) fn any_outside(x: &[i16], q: i32) -> bool {
    vectors::run(Outside { x, q: i16::try_from(q).unwrap_or(i16::MAX) })
}

struct Outside<'a> {
    x: &'a [i16],
    q: i16,
}

impl pulp::NullaryFnOnce for Outside<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Self { x, q } = self;
        // No early exit, so that the loop is vectorized.
        x.iter().fold(0, |outside, &value| outside | i16::from(value > q) | i16::from(value < -q))
            != 0
    }
}

struct AnyMissing<'a> {
    x: &'a [i16],
}

impl pulp::NullaryFnOnce for AnyMissing<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        // No early exit, so that the loop is vectorized.
        self.x.iter().fold(0, |missing, &value| missing | i16::from(value == MISSING)) != 0
    }
}

struct Products<'a> {
    x: &'a [i16],
    y: &'a [i16],
    products: &'a mut [i64],
    features: &'a mut [i64],
}

impl pulp::NullaryFnOnce for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { x, y, products, features } = self;
        let d = products.len().max(1);
        let blocks = x.chunks_exact(TOGETHER * d).zip(y.chunks_exact(TOGETHER));
        for (x, y) in blocks {
            let ((x0, x1), (x2, x3)) = (x[..2 * d].split_at(d), x[2 * d..].split_at(d));
            let (y0, y1, y2, y3) =
                (i32::from(y[0]), i32::from(y[1]), i32::from(y[2]), i32::from(y[3]));
            let (products, features) = (&mut products[..d], &mut features[..d]);
            for i in 0..d {
                let (x0, x1) = (i32::from(x0[i]), i32::from(x1[i]));
                let (x2, x3) = (i32::from(x2[i]), i32::from(x3[i]));
                // None of these can overflow; without checks the loop is vectorized.
                let first = (x0.wrapping_mul(y0)).wrapping_add(x1.wrapping_mul(y1));
                let second = (x2.wrapping_mul(y2)).wrapping_add(x3.wrapping_mul(y3));
                let values = x0.wrapping_add(x1).wrapping_add(x2).wrapping_add(x3);
                let both = i64::from(first).wrapping_add(i64::from(second));
                products[i] = products[i].wrapping_add(both);
                features[i] = features[i].wrapping_add(i64::from(values));
            }
        }
        let done = y.len() / TOGETHER * TOGETHER;
        for (x, &y) in x[done * d..].chunks_exact(d).zip(&y[done..]) {
            for ((product, feature), &x) in products.iter_mut().zip(features.iter_mut()).zip(x) {
                *product = product.wrapping_add(i64::from(i32::from(x).wrapping_mul(y.into())));
                *feature = feature.wrapping_add(i64::from(x));
            }
        }
    }
}

struct Values<'a> {
    x: &'a [i16],
    sums: &'a mut [i64],
}

impl pulp::NullaryFnOnce for Values<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (sum, &x) in self.sums.iter_mut().zip(self.x) {
            *sum = sum.wrapping_add(i64::from(x));
        }
    }
}

struct Dot<'a> {
    x: &'a [i16],
    y: &'a [i16],
}

impl pulp::NullaryFnOnce for Dot<'_> {
    type Output = i64;

    #[inline(always)]
    fn call(self) -> i64 {
        let mut sum = 0i64;
        for (&x, &y) in self.x.iter().zip(self.y) {
            sum = sum.wrapping_add(i64::from(i32::from(x).wrapping_mul(i32::from(y))));
        }
        sum
    }
}

struct Where<'a> {
    x: &'a [i16],
    mask: &'a [i16],
}

impl pulp::NullaryFnOnce for Where<'_> {
    type Output = i64;

    #[inline(always)]
    fn call(self) -> i64 {
        // The number of 16-bit values whose sum fits 32 bits.
        const SHORT: usize = 1 << 15;
        let mut sum = 0i64;
        for (x, mask) in self.x.chunks(SHORT).zip(self.mask.chunks(SHORT)) {
            let mut short = 0i32;
            for (&x, &mask) in x.iter().zip(mask) {
                short = short.wrapping_add(i32::from(x & mask));
            }
            sum = sum.wrapping_add(i64::from(short));
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Longer lists than 32-bit sums can hold.
    #[test]
    fn long_sums_do_not_wrap() {
        let n = 200_001;
        for end in [i16::MAX, -i16::MAX] {
            let x = vec![end; n];
            assert_eq!(
                vectors::on_each(|| sum_where(&x, &vec![mask(true); n])),
                vectors::on_each(|| i64::from(end) * n as i64)
            );
        }
    }

    proptest! {
        /// Compared with sums in 128 bits, including the ends of the grid.
        #[test]
        fn sums_are_exact(
            d in 1usize..70,
            y in prop::collection::vec(prop_oneof![Just(i16::MAX), Just(-i16::MAX), -9i16..9], 0..11),
            seed in any::<u32>(),
        ) {
            let value = |i: u32| match (i.wrapping_mul(seed | 1)) >> 28 {
                0..4 => i16::MAX,
                4..8 => -i16::MAX,
                other => other as i16 * 999 - 9_000,
            };
            let x: Vec<i16> = (0..(d * y.len()) as u32).map(value).collect();
            let sums = vectors::on_each(|| {
                let (mut products, mut features, mut values) = (vec![5; d], vec![-7; d], vec![0; d]);
                add_products(&x, &y, &mut products, &mut features);
                x.chunks(d).for_each(|row| add_values(row, &mut values));
                (products, features, values)
            });
            for f in 0..d {
                let column: Vec<i16> = x.iter().skip(f).step_by(d).copied().collect();
                let sum: i128 = column.iter().map(|x| i128::from(*x)).sum();
                let product: i128 =
                    column.iter().zip(&y).map(|(x, y)| i128::from(*x) * i128::from(*y)).sum();
                for (products, features, values) in &sums {
                    prop_assert_eq!(i128::from(products[f]), product + 5);
                    prop_assert_eq!(i128::from(features[f]), sum - 7);
                    prop_assert_eq!(i128::from(values[f]), sum);
                }
                for found in vectors::on_each(|| dot(&column, &y)) {
                    prop_assert_eq!(i128::from(found), product);
                }
                let masks: Vec<i16> = y.iter().map(|&y| mask(y > 0)).collect();
                let counted = column.iter().zip(&y).filter(|(_, y)| **y > 0);
                let sum: i128 = counted.map(|(x, _)| i128::from(*x)).sum();
                for found in vectors::on_each(|| sum_where(&column, &masks)) {
                    prop_assert_eq!(i128::from(found), sum);
                }
            }
        }
    }
}
