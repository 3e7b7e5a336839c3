//! Binomial coefficients: exact, and as logarithms with a proven error bound; harmonic numbers.

use num_bigint::BigUint;
use num_traits::One;

/// The exact binomial coefficient C(n, r); 0 if r > n.
///
/// O(min(r, n - r)) multiplications and exact divisions of growing integers.
pub fn binomial(n: u64, r: u64) -> BigUint {
    if r > n {
        return BigUint::default();
    }
    let r = r.min(n - r);
    (1..=r).fold(BigUint::one(), |product, i| product * (n - r + i) / i)
}

/// ln n!, with an error of at most [`ln_factorial_error`].
///
/// Up to 20! the factorial is an exact `f64`, and one logarithm is taken. Above, Stirling's series
/// with five correction terms is used; the first omitted term, 691/(360360 n^11) < 1e-17, bounds
/// the truncation. The large terms go through one logarithm (1 ulp), one product and three sums
/// (half an ulp each), none above (n + 1/2) ln n <= 1.45 ln n!: together below 3.5 * 1.45 * 2^-52
/// ln n! < 2^-49 ln n!.
pub(crate) fn ln_factorial(n: usize) -> f64 {
    if n <= 20 {
        return libm::log((2..=n as u64).product::<u64>() as f64);
    }
    /// ln(2 pi) / 2
    const HALF_LN_TWO_PI: f64 = 0.918_938_533_204_672_8;
    let n = n as f64;
    let inverse = 1.0 / n;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0
            - square
                * (1.0 / 360.0
                    - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))));
    (n + 0.5) * libm::log(n) - n + HALF_LN_TWO_PI + series
}

/// An error bound for [`ln_factorial`] of every number up to n.
pub(crate) fn ln_factorial_error(n: usize) -> f64 {
    2f64.powi(-49) * (1.0 + ln_factorial(n))
}

/// ln C(n, r) for r <= n, with an error of at most four times that of ln n!.
pub fn ln_binomial(n: usize, r: usize) -> f64 {
    ln_factorial(n) - ln_factorial(r) - ln_factorial(n - r)
}

/// Euler's constant.
pub const EULER: f64 = 0.577_215_664_901_532_9;

/// The harmonic number H_m of a whole number m: the sum up to a million, otherwise the expansion,
/// whose next term is below 1e-25. For m beyond the range of floats, ln m and [`EULER`] add up to
/// it.
pub fn harmonic(m: f64) -> f64 {
    if m <= 1e6 {
        // Adding the smallest terms first keeps the rounding error small.
        return (1..=m as u64).rev().map(|i| 1.0 / i as f64).sum();
    }
    m.ln() + EULER + 0.5 / m - 1.0 / (12.0 * m * m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Enclosure;

    #[test]
    fn harmonic_numbers_are_their_sums() {
        assert_eq!(harmonic(1.0), 1.0);
        assert!((harmonic(4.0) - 25.0 / 12.0).abs() < 1e-15);
        let exact: f64 = (1..=2_000_000u64).rev().map(|i| 1.0 / i as f64).sum();
        assert!((harmonic(2e6) - exact).abs() < 1e-12);
        let (below, above) = (harmonic(1e6), harmonic(1e6 + 1.0));
        assert!((above - below - 1.0 / (1e6 + 1.0)).abs() < 1e-12);
    }

    #[test]
    fn pascal_holds() {
        for n in 1..40u64 {
            for r in 1..=n {
                assert_eq!(binomial(n, r), binomial(n - 1, r - 1) + binomial(n - 1, r));
            }
        }
        assert_eq!(binomial(3, 5), BigUint::default());
        assert_eq!(binomial(52, 5), BigUint::from(2_598_960u32));
    }

    /// Compared with exact factorials and enclosures of their logarithms at 128 bits.
    #[test]
    fn logarithms_keep_their_bound() {
        let largest = 3000;
        let mut factorial = BigUint::one();
        for n in 0..=largest {
            factorial *= n.max(1);
            if n > 100 && n % 97 != 0 {
                continue;
            }
            let truth = Enclosure::ln_dyadic(&factorial, 0, 128);
            assert!(truth.distance_from(ln_factorial(n)) <= ln_factorial_error(n), "{n}");
        }
    }
}
