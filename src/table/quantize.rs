//! Many values to the grid at a time, for the vector instructions of the processor.
//!
//! # Definition
//!
//! A value v between bounds with middle m and half-width h has the grid value
//!
//! ```text
//! sign(t) floor(|t| q + 1/2),    t = (v - m)/h clipped to [-1, 1],
//! ```
//!
//! each operation rounded to the nearest `f64` ([`Bounds::quantize`]). A division takes longer than
//! all the rest, so the *quick way* computes v s - m s instead, with s = q/h. Added to 3 * 2^35,
//! that leaves a fixed-point number in the lowest 32 bits of the `f64`, 16 of them behind the
//! point: the grid value and how far it is from being another.
//!
//! # Why the bits are the same
//!
//! Let U = (v - m) q/h without rounding and u = 2^-53. Three roundings separate t q from U, at most
//! 3.1 u |U|. The quick way rounds s, the product, m s and the sum, at most 6 u (|U| + |m| q/h)
//! together, and twice to a multiple of 2^-16, at most 2^-17 each time. With
//!
//! ```text
//! (q + 1) (1 + |m|/h) < 2^32
//! ```
//!
//! the two differ by less than 2 * 2^-16 for |U| <= q + 1, with room for the rounding of |t| q +
//! 1/2. So if the quick value is further than that from every half integer, both have the same
//! nearest integer; for |U| > q + 1 both are clipped to the same end. A run of values with one that
//! is nearer, or that is not finite - then the sum of the run is not, either -, is done again by
//! the formula, as is every run where m/h is larger. One in 16,384 values of a continuous kind is
//! nearer. Tests hold all to the bits of the formula, on every kind of vectors.

use crate::table::batch::Value;
use crate::table::bounds::Bounds;
use crate::vectors;

/// The number of values in a run: they are computed, and if in doubt computed again, together.
const RUN: usize = 64;

/// The distance of prefetching, in bytes: consecutive rows and columns are read in order.
const PREFETCH_BYTES: usize = 1 << 14;

/// Adding 3 * 2^35 rounds to a multiple of 2^-16.
const FIXED: f64 = 103_079_215_104.0;

/// One half in fixed point.
const HALF: u32 = 1 << 15;

/// A bound on the distance of the quick way from the formula, in fixed point.
const QUICK_ERROR: u32 = 2;

/// Adding 3 * 2^51 rounds to an integer, which the lowest bits then hold.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The quick way for one pair of bounds.
#[derive(Debug, Clone, Copy)]
struct Quick {
    /// q/h
    scale: f64,
    /// -m q/h, as a number to which a fixed-point one can be added.
    shift: f64,
}

impl Quick {
    fn new(bounds: &Bounds, q: i32) -> Self {
        let (middle, half) = (bounds.middle(), bounds.half());
        let scale = f64::from(q) / half;
        let largest = f64::from(q + 1) * (1.0 + middle.abs() / half);
        if largest < f64::from(1u32 << 31) * 2.0 && scale.is_finite() {
            Self { scale, shift: FIXED - middle * scale }
        } else {
            // Half an integer, for any value.
            Self { scale: 0.0, shift: FIXED - 0.5 }
        }
    }
}

/// The same bounds for all values.
#[derive(Debug, Clone, Copy)]
pub(super) struct SameBounds {
    bounds: Bounds,
    quick: Quick,
    q: i32,
}

impl SameBounds {
    pub(super) fn new(bounds: Bounds, q: i32) -> Self {
        Self { bounds, quick: Quick::new(&bounds, q), q }
    }

    /// Writes the grid values; 0 where a value is not finite.
    pub(super) fn quantize<A: Value>(&self, values: &[A], out: &mut [i16]) {
        vectors::run(Same { all: self, values, out });
    }
}

/// The bounds of each feature.
#[derive(Debug, Clone)]
pub(super) struct EachBounds<'a> {
    bounds: &'a [Bounds],
    scales: Vec<f64>,
    shifts: Vec<f64>,
    q: i32,
}

impl<'a> EachBounds<'a> {
    pub(super) fn new(bounds: &'a [Bounds], q: i32) -> Self {
        let quick = || bounds.iter().map(|bounds| Quick::new(bounds, q));
        Self {
            bounds,
            scales: quick().map(|quick| quick.scale).collect(),
            shifts: quick().map(|quick| quick.shift).collect(),
            q,
        }
    }

    /// The number of features.
    pub(super) fn len(&self) -> usize {
        self.bounds.len()
    }

    /// The bounds of one feature for all values.
    pub(super) fn of(&self, feature: usize) -> SameBounds {
        let quick = Quick { scale: self.scales[feature], shift: self.shifts[feature] };
        SameBounds { bounds: self.bounds[feature], quick, q: self.q }
    }

    /// Writes the grid values of one sample; 0 where a value is not finite.
    pub(super) fn quantize<A: Value>(&self, values: &[A], out: &mut [i16]) {
        vectors::run(Each { all: self, values, out });
    }
}

/// Writes the grid values of a run.
#[inline(always)]
fn run<A: Value>(
    values: &[A; RUN],
    quick: impl Fn(usize) -> Quick,
    bounds: impl Fn(usize) -> Bounds,
    q: i32,
    out: &mut [i16; RUN],
) {
    vectors::fetch(values, PREFETCH_BYTES);
    if quickly(values, quick, q, out) {
        by_formula(values, bounds, q, out);
    }
}

/// Writes the grid values of a run in the quick way; `true` if they are in doubt.
#[inline(always)]
fn quickly<A: Value>(
    values: &[A; RUN],
    quick: impl Fn(usize) -> Quick,
    q: i32,
    out: &mut [i16; RUN],
) -> bool {
    // Arrays and loops of known length become vectors.
    let (lowest, highest) = (FIXED - f64::from(q), FIXED + f64::from(q));
    let mut fixed = [0u32; RUN];
    for i in 0..RUN {
        let Quick { scale, shift } = quick(i);
        let value: f64 = values[i].into();
        let scaled = value * scale + shift;
        let below = if scaled < highest { scaled } else { highest };
        let clipped = if below > lowest { below } else { lowest };
        fixed[i] = (clipped.to_bits() as u32).wrapping_add(HALF + QUICK_ERROR);
    }
    for i in 0..RUN {
        out[i] = (fixed[i] >> 16) as i16;
    }
    // The smallest fractional part: it is small if a value is near a half integer.
    let mut least = [u32::MAX; 16];
    for fixed in fixed.as_chunks::<16>().0 {
        for i in 0..16 {
            least[i] = least[i].min(fixed[i] << 16);
        }
    }
    let near = least.iter().fold(false, |any, &least| any | (least < (2 * QUICK_ERROR) << 16));
    near | !sum_is_finite(values)
}

/// Whether all values are finite, and their sum.
#[inline(always)]
fn sum_is_finite<A: Value>(values: &[A; RUN]) -> bool {
    let (mut sums, mut short) = ([0.0f64; 16], [0.0f32; 16]);
    for values in values.as_chunks::<16>().0 {
        for i in 0..16 {
            let value: f64 = values[i].into();
            // Values of 32 bits are not widened for this sum.
            if size_of::<A>() < size_of::<f64>() {
                short[i] += value as f32;
            } else {
                sums[i] += value;
            }
        }
    }
    sums.iter().zip(short).fold(true, |all, (sum, short)| all & sum.is_finite() & short.is_finite())
}

/// Writes the grid values by the formula itself.
#[inline(always)]
fn by_formula<A: Value>(
    values: &[A; RUN],
    bounds: impl Fn(usize) -> Bounds,
    q: i32,
    out: &mut [i16; RUN],
) {
    let q = f64::from(q);
    for i in 0..RUN {
        let (value, bounds): (f64, _) = (values[i].into(), bounds(i));
        let t = ((value - bounds.middle()) / bounds.half()).clamp(-1.0, 1.0);
        let magnitude = t.abs() * q + 0.5;
        let nearest = (magnitude + ROUND) - ROUND;
        let floor = if nearest > magnitude { nearest - 1.0 } else { nearest };
        let code = if t < 0.0 { -floor } else { floor };
        let code = if value.is_finite() { code } else { 0.0 };
        out[i] = (code + ROUND).to_bits() as i16;
    }
}

/// The last values, fewer than a run, as a run; `None` if no value is left.
#[inline(always)]
fn padded<A: Copy>(rest: &[A]) -> Option<[A; RUN]> {
    let mut padded = [*rest.first()?; RUN];
    padded[..rest.len()].copy_from_slice(rest);
    Some(padded)
}

struct Same<'a, A> {
    all: &'a SameBounds,
    values: &'a [A],
    out: &'a mut [i16],
}

impl<A: Value> pulp::NullaryFnOnce for Same<'_, A> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { all: &SameBounds { bounds, quick, q }, values, out } = self;
        let (runs, rest) = values.as_chunks();
        let (out_runs, out_rest) = out.as_chunks_mut();
        for (values, out) in runs.iter().zip(out_runs) {
            run(values, |_| quick, |_| bounds, q, out);
        }
        if let Some(values) = padded(rest) {
            let mut codes = [0; RUN];
            run(&values, |_| quick, |_| bounds, q, &mut codes);
            out_rest.copy_from_slice(&codes[..rest.len()]);
        }
    }
}

struct Each<'a, A> {
    all: &'a EachBounds<'a>,
    values: &'a [A],
    out: &'a mut [i16],
}

impl<A: Value> pulp::NullaryFnOnce for Each<'_, A> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { all: EachBounds { bounds, scales, shifts, q }, values, out } = self;
        // There may be bounds for more features than values.
        let n = values.len();
        let (runs, rest) = values.as_chunks();
        let (out_runs, out_rest) = out.as_chunks_mut();
        let (bounds, last_bounds) = bounds[..n].as_chunks::<RUN>();
        let (scales, last_scales) = scales[..n].as_chunks::<RUN>();
        let (shifts, last_shifts) = shifts[..n].as_chunks::<RUN>();
        let rules = scales.iter().zip(shifts).zip(bounds);
        for ((values, out), ((scales, shifts), bounds)) in runs.iter().zip(out_runs).zip(rules) {
            let quick = |i: usize| Quick { scale: scales[i], shift: shifts[i] };
            run(values, quick, |i| bounds[i], *q, out);
        }
        if let (Some(values), Some(scales), Some(shifts), Some(bounds)) =
            (padded(rest), padded(last_scales), padded(last_shifts), padded(last_bounds))
        {
            let quick = |i: usize| Quick { scale: scales[i], shift: shifts[i] };
            let mut codes = [0; RUN];
            run(&values, quick, |i| bounds[i], *q, &mut codes);
            out_rest.copy_from_slice(&codes[..rest.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slow(bounds: Bounds, q: i32, values: &[f64]) -> Vec<i16> {
        let code = |v: &f64| if v.is_finite() { bounds.quantize(*v, q) } else { 0 };
        values.iter().map(code).collect()
    }

    fn quick<A: Value>(bounds: Bounds, q: i32, values: &[A]) -> Vec<i16> {
        let mut found = vectors::on_each(|| {
            let mut out = vec![7; values.len()];
            SameBounds::new(bounds, q).quantize(values, &mut out);
            // The bounds of each feature may be the same, and bounds of further features given.
            let (each, mut by_each) = (vec![bounds; values.len() + 90], vec![7; values.len()]);
            EachBounds::new(&each, q).quantize(values, &mut by_each);
            assert_eq!(out, by_each);
            out
        });
        let first = found.swap_remove(0);
        found.iter().for_each(|other| assert_eq!(&first, other));
        first
    }

    /// Values around every boundary between two codes, and the floats outside them.
    #[test]
    fn boundaries_match_the_slow_path() {
        for (low, high) in [(-1.0, 1.0), (0.0, 10.0), (3.7, 4.1), (-1e-3, 77.0), (1e6, 1e6 + 3.0)] {
            let bounds = Bounds::new(low, high).unwrap();
            for q in [2, 3, 32_767] {
                let codes = (-q..q).step_by(1 + q as usize / 997);
                let values: Vec<f64> = codes
                    .map(|code| {
                        bounds.middle() + bounds.half() * (f64::from(code) + 0.5) / f64::from(q)
                    })
                    .flat_map(|v| [v, v.next_up(), v.next_down(), v + 1e-9, v - 1e-9])
                    .collect();
                assert_eq!(quick(bounds, q, &values), slow(bounds, q, &values));
            }
        }
    }

    proptest! {
        #[test]
        fn any_values_match_the_slow_path(
            low in any::<f64>(),
            high in any::<f64>(),
            values in prop::collection::vec(prop_oneof![any::<f64>(), -10.0..10.0f64], 0..100),
            shares in prop::collection::vec(-0.1..1.1f64, 64),
        ) {
            if let Ok(bounds) = Bounds::new(low, high) {
                let inside = shares.iter().map(|share| low * (1.0 - share) + high * share);
                let values: Vec<f64> = values.into_iter().chain(inside).collect();
                prop_assert_eq!(quick(bounds, 32_767, &values), slow(bounds, 32_767, &values));
            }
        }

        #[test]
        fn ordinary_values_match_the_slow_path(
            middle in -1e3..1e3f64,
            half in 1e-2..1e3f64,
            values in prop::collection::vec(
                prop_oneof![
                    20 => -1e3..1e3f64,
                    1 => Just(f64::NAN),
                    1 => Just(f64::INFINITY),
                    1 => Just(f64::NEG_INFINITY),
                    4 => (-9i32..9).prop_map(f64::from),
                ],
                0..200),
        ) {
            let bounds = Bounds::new(middle - half, middle + half).unwrap();
            prop_assert_eq!(quick(bounds, 32_767, &values), slow(bounds, 32_767, &values));
            let single: Vec<f32> = values.iter().map(|v| *v as f32).collect();
            let exact: Vec<f64> = single.iter().map(|v| f64::from(*v)).collect();
            prop_assert_eq!(quick(bounds, 32_767, &single), slow(bounds, 32_767, &exact));
        }
    }
}
