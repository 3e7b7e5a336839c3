//! Clopper-Pearson bounds: exact confidence bounds of a binomial probability.
//!
//! After x successes in n draws the lower bound at level a is the p with P(X >= x) = a, the upper
//! one the p with P(X <= x) = a; each is wrong with probability at most a, for any true p. The
//! tails are regularized incomplete beta functions, P(X >= x) = I_p(x, n - x + 1), here by their
//! continued fraction in Lentz's evaluation. Their relative error, below 1e-5 for n up to 1e9 (from
//! the logarithms of gamma functions in front), moves a bound by much less than the 1e-7 of its
//! value by which it is moved outward.
//!
//! Source: C. Clopper and E. Pearson, "The use of confidence or fiducial limits illustrated in the
//! case of the binomial" (1934); the continued fraction: DLMF 8.17.22.

/// The relative amount by which bounds are moved outward.
const ROUNDING: f64 = 1e-7;

/// The lower bound at level `a` after `x` successes in `n` draws.
pub(super) fn lower(x: u64, n: u64, a: f64) -> f64 {
    if x == 0 {
        return 0.0;
    }
    // P(X >= x) rises with p.
    let p = first(|p| incomplete_beta(x as f64, (n - x) as f64 + 1.0, p, 1.0 - p) >= a);
    p * (1.0 - ROUNDING)
}

/// The upper bound.
pub(super) fn upper(x: u64, n: u64, a: f64) -> f64 {
    if x >= n {
        return 1.0;
    }
    // P(X <= x) falls with p.
    let p = first(|p| incomplete_beta((n - x) as f64, x as f64 + 1.0, 1.0 - p, p) <= a);
    (p * (1.0 + ROUNDING)).min(1.0)
}

/// The least p from which a condition holds, by bisection of its logarithm.
fn first(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (-60.0f64, 0.0f64);
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if holds(middle.exp()) { high = middle } else { low = middle }
    }
    high.exp()
}

/// I_x(a, b), with y = 1 - x.
fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if !(x > 0.0) {
        return 0.0;
    }
    if !(y > 0.0) {
        return 1.0;
    }
    // The fraction converges fast below the mean; above it the complement does.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - fraction(b, a, y, x);
    }
    fraction(a, b, x, y)
}

/// I_x(a, b) by the continued fraction.
fn fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let ln_front = a * libm::log(x) + b * libm::log(y) + libm::lgamma(a + b)
        - libm::lgamma(a)
        - libm::lgamma(b);
    let tiny = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / tiny(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for step in 1..100_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / tiny(1.0 + term * d);
            c = tiny(1.0 + term / c);
            change = c * d;
            value *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    libm::exp(ln_front) * value / a
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use num_traits::{One, Pow, Zero};

    use super::*;
    use crate::exact::{binomial, near_f64};

    /// P(X >= x) in exact fractions.
    fn tail(x: u64, n: u64, p: &BigRational) -> BigRational {
        let q = BigRational::one() - p;
        let term = |i: u64| {
            BigRational::from_integer(BigInt::from(binomial(n, i)))
                * Pow::pow(p.clone(), i as i32)
                * Pow::pow(q.clone(), (n - i) as i32)
        };
        (x..=n).map(term).fold(BigRational::zero(), |sum, term| sum + term)
    }

    #[test]
    fn tails_are_exact_sums() {
        for n in [1u64, 2, 7, 60] {
            for x in 1..=n {
                for (top, bottom) in [(1, 100), (1, 7), (1, 2), (9, 10)] {
                    let p = BigRational::new(top.into(), bottom.into());
                    let expected = near_f64(&tail(x, n, &p));
                    let p = near_f64(&p);
                    let found = incomplete_beta(x as f64, (n - x) as f64 + 1.0, p, 1.0 - p);
                    let error = (found - expected).abs();
                    assert!(error <= 1e-12 * expected.max(1e-3), "{x} {n} {p}: {found} {expected}");
                }
            }
        }
    }

    /// The tails at the bounds, in exact fractions: at most the level, and close to it. Rounding a
    /// bound outward by 1e-7 changes a tail here by up to about 1e-5 of its value.
    #[test]
    fn bounds_have_their_level() {
        let rational = |p: f64| BigRational::from_float(p).unwrap();
        for (x, n) in [(1, 1), (3, 10), (10, 10), (1, 50), (40, 60)] {
            for a in [0.025, 1e-6] {
                let level = near_f64(&tail(x, n, &rational(lower(x, n, a))));
                assert!(level <= a && level > a * (1.0 - 1e-4), "{x} {n} {a}: {level}");
                if x < n {
                    let above = BigRational::one() - tail(x + 1, n, &rational(upper(x, n, a)));
                    let level = near_f64(&above);
                    assert!(level <= a && level > a * (1.0 - 1e-4), "{x} {n} {a}: {level}");
                }
            }
        }
        // Closed forms: p^n = a, (1 - p)^n = a.
        let n = 1_000_000;
        let ln = libm::log(1e-7) / n as f64;
        assert!((lower(n, n, 1e-7) - libm::exp(ln)).abs() < 2e-7);
        assert!((upper(0, n, 1e-7) / -libm::expm1(ln) - 1.0).abs() < 2e-7);
        assert_eq!((lower(0, n, 1e-7), upper(n, n, 1e-7)), (0.0, 1.0));
    }

    /// Bounds by bisection of sums of the binomial terms, in 30 digits (mpmath).
    #[test]
    fn large_numbers_agree_with_sums() {
        for (x, n, a, low, high) in SUMS {
            assert!((lower(x, n, a) / low - 1.0).abs() < 3e-7, "{x} {n}: {}", lower(x, n, a));
            assert!((upper(x, n, a) / high - 1.0).abs() < 3e-7, "{x} {n}: {}", upper(x, n, a));
        }
    }

    const SUMS: [(u64, u64, f64, f64, f64); 4] = [
        (124000, 500000, 1.25e-7, 0.244858180433, 0.251160040219),
        (50, 500000, 1.25e-7, 4.3211514946e-5, 0.000193410272758),
        (499990, 500000, 1.25e-7, 0.999925454982, 0.999997974537),
        (3000000, 10000000, 1.25e-7, 0.299252889936, 0.300747832852),
    ];
}
