//! Many values to the grid at a time, for the vector instructions of the processor.
//!
//! # What it is
//!
//! A value v between bounds with middle m and half-width h has the grid value
//!
//! ```text
//! sign(t) floor(|t| q + 1/2),    t = (v - m)/h clipped to [-1, 1],
//! ```
//!
//! each operation rounded to the nearest `f64` ([`Bounds::quantise`]). A division takes longer than all
//! the rest, so the *quick way* computes v s - m s instead, with s = q/h, and takes the nearest integer r.
//!
//! # Why the bits are the same
//!
//! Let U = (v - m) q/h without rounding and u = 2^-53. Three roundings separate t q from U, at most
//! 3.1 u |U|; four separate the quick v s - m s from it, at most 3.1 u |U| + 4.1 u |m| q/h. For |U| <= q + 1
//! the two differ by less than
//!
//! ```text
//! margin = 2^-49 (q + 1) (1 + |m|/h),
//! ```
//!
//! with room for the rounding of |t| q + 1/2. So if the quick value is further than the margin from every
//! half integer, both have the same nearest integer; for |U| > q + 1 both are clipped to the same end.
//! A run of values with one that is nearer - or that is not finite: infinity minus infinity is no number -
//! is done again in the slow way, as is everything where the margin is no small number. Tests hold the two
//! to the same bits.

use crate::data::samples::Value;
use crate::data::scaling::Bounds;

/// Values that are looked at, and if need be done again, together.
const RUN: usize = 64;

/// Adding 3 * 2^51 rounds to an integer, which the lowest bits then hold.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The same for `f32`: 3 * 2^22.
const ROUND_F32: f32 = 12_582_912.0;

/// Values of one feature, or of many with the same bounds, to the grid; 0 where not finite.
pub(super) fn quantise<A: Value>(bounds: &Bounds, q: i32, values: &[A], out: &mut [i16]) {
    pulp::Arch::new().dispatch(Same { bounds, quick: Quick::new(bounds, q), q, values, out });
}

/// The quick way for one pair of bounds.
#[derive(Debug, Clone, Copy)]
struct Quick {
    /// q/h
    scale: f64,
    /// -m q/h
    shift: f64,
    /// How far a value may be from the nearest integer.
    limit: f64,
}

impl Quick {
    fn new(bounds: &Bounds, q: i32) -> Self {
        let (middle, half) = (bounds.middle(), bounds.half());
        let scale = f64::from(q) / half;
        let margin = 8.0 * f64::EPSILON * f64::from(q + 1) * (1.0 + middle.abs() / half);
        // No value is nearer to an integer than -1.
        let limit = if margin < 0.25 { 0.5 - margin } else { -1.0 };
        Self { scale, shift: -middle * scale, limit }
    }
}

/// The bounds of each feature.
#[derive(Debug, Clone)]
pub(super) struct EachBounds<'a> {
    bounds: &'a [Bounds],
    scales: Vec<f64>,
    shifts: Vec<f64>,
    limits: Vec<f64>,
    q: i32,
}

impl<'a> EachBounds<'a> {
    pub(super) fn new(bounds: &'a [Bounds], q: i32) -> Self {
        let quick = || bounds.iter().map(|bounds| Quick::new(bounds, q));
        Self {
            bounds,
            scales: quick().map(|quick| quick.scale).collect(),
            shifts: quick().map(|quick| quick.shift).collect(),
            limits: quick().map(|quick| quick.limit).collect(),
            q,
        }
    }

    /// One sample's values to the grid; 0 where not finite.
    pub(super) fn quantise<A: Value>(&self, values: &[A], out: &mut [i16]) {
        pulp::Arch::new().dispatch(Each { all: self, values, out });
    }
}

/// In the slow way.
#[inline(always)]
fn slow<A: Value>(bounds: &Bounds, q: i32, value: A) -> i16 {
    let value: f64 = value.into();
    if value.is_finite() { bounds.quantise(value, q) } else { 0 }
}

/// A run in the quick way; whether it must be done again.
#[inline(always)]
fn run<A: Value>(
    values: &[A; RUN],
    quick: impl Fn(usize) -> Quick,
    q: i32,
    out: &mut [i16; RUN],
) -> bool {
    // Arrays and loops of known length become vectors.
    let mut nearest = [0.0f32; RUN];
    let mut doubtful = [0u64; RUN];
    for i in 0..RUN {
        let Quick { scale, shift, limit } = quick(i);
        let value: f64 = values[i].into();
        let scaled = value * scale + shift;
        let integer = (scaled + ROUND) - ROUND;
        nearest[i] = integer as f32;
        doubtful[i] = if (scaled - integer).abs() <= limit { 0 } else { u64::MAX };
    }
    let q = q as f32;
    for i in 0..RUN {
        let above = if nearest[i] < -q { -q } else { nearest[i] };
        let clipped = if above > q { q } else { above };
        out[i] = (clipped + ROUND_F32).to_bits() as i16;
    }
    doubtful.iter().fold(0, |any, one| any | one) != 0
}

/// The last values, fewer than a run, as a run; `None` if there are none.
#[inline(always)]
fn padded<A: Copy>(rest: &[A]) -> Option<[A; RUN]> {
    let mut padded = [*rest.first()?; RUN];
    padded[..rest.len()].copy_from_slice(rest);
    Some(padded)
}

struct Same<'a, A> {
    bounds: &'a Bounds,
    quick: Quick,
    q: i32,
    values: &'a [A],
    out: &'a mut [i16],
}

impl<A: Value> pulp::NullaryFnOnce for Same<'_, A> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { bounds, quick, q, values, out } = self;
        let (runs, rest) = values.as_chunks();
        let (out_runs, out_rest) = out.as_chunks_mut();
        let again = |values: &[A], out: &mut [i16]| {
            out.iter_mut().zip(values).for_each(|(out, &value)| *out = slow(bounds, q, value));
        };
        for (values, out) in runs.iter().zip(out_runs) {
            if run(values, |_| quick, q, out) {
                again(values, out);
            }
        }
        if let Some(padded) = padded(rest) {
            let mut codes = [0; RUN];
            if run(&padded, |_| quick, q, &mut codes) {
                again(rest, out_rest);
            } else {
                out_rest.copy_from_slice(&codes[..rest.len()]);
            }
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
        let Self { all: EachBounds { bounds, scales, shifts, limits, q }, values, out } = self;
        let again = |start: usize, values: &[A], out: &mut [i16]| {
            for ((out, &value), bounds) in out.iter_mut().zip(values).zip(&bounds[start..]) {
                *out = slow(bounds, *q, value);
            }
        };
        let (runs, rest) = values.as_chunks();
        let (out_runs, out_rest) = out.as_chunks_mut();
        let start = runs.len() * RUN;
        // There may be bounds for more features than values.
        let last = |all: &[f64]| all.get(start..start + rest.len()).and_then(padded);
        let last = (padded(rest), last(scales), last(shifts), last(limits));
        let (scales, shifts, limits) =
            (scales.as_chunks::<RUN>().0, shifts.as_chunks::<RUN>().0, limits.as_chunks::<RUN>().0);
        let quick = scales.iter().zip(shifts).zip(limits);
        for (i, ((values, out), ((scales, shifts), limits))) in
            runs.iter().zip(out_runs).zip(quick).enumerate()
        {
            let quick = |i: usize| Quick { scale: scales[i], shift: shifts[i], limit: limits[i] };
            if run(values, quick, *q, out) {
                again(i * RUN, values, out);
            }
        }
        if let (Some(values), Some(scales), Some(shifts), Some(limits)) = last {
            let quick = |i: usize| Quick { scale: scales[i], shift: shifts[i], limit: limits[i] };
            let mut codes = [0; RUN];
            if run(&values, quick, *q, &mut codes) {
                again(start, rest, out_rest);
            } else {
                out_rest.copy_from_slice(&codes[..rest.len()]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slow(bounds: Bounds, q: i32, values: &[f64]) -> Vec<i16> {
        let code = |v: &f64| if v.is_finite() { bounds.quantise(*v, q) } else { 0 };
        values.iter().map(code).collect()
    }

    fn quick<A: Value>(bounds: Bounds, q: i32, values: &[A]) -> Vec<i16> {
        let mut out = vec![7; values.len()];
        quantise(&bounds, q, values, &mut out);
        // The bounds of each feature may be the same, and those of further features stated.
        let (each, mut by_each) = (vec![bounds; values.len() + 90], vec![7; values.len()]);
        EachBounds::new(&each, q).quantise(values, &mut by_each);
        assert_eq!(out, by_each);
        out
    }

    /// Values around every boundary between two codes, and the floats beside them.
    #[test]
    fn boundaries_are_the_slow_ways() {
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
        fn any_values_are_the_slow_ways(
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
        fn ordinary_values_are_the_slow_ways(
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
