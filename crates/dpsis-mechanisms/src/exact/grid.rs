//! The integer grid to which all values are mapped.

/// The grid bound Q: values on the grid are integers from -Q to Q, so that a value fits an `i16`
/// and a product 30 bits.
pub const GRID: i32 = 32_767;

/// The maximum number of rows of a table, 2^31: scores, at most 2 Q^2 per row, then stay below
/// 2^62.
pub const MAX_ROWS: u64 = 1 << 31;

/// Rounds a number in \[-1, 1\] to the grid, half away from zero: floor(|t| q + 1/2) sign(t).
pub fn to_grid(t: f64, q: i32) -> i16 {
    // A cast truncates toward zero, which is the floor of a non-negative number.
    let magnitude = (t.abs() * f64::from(q) + 0.5) as i16;
    if t < 0.0 { -magnitude } else { magnitude }
}

/// Rounds numerator/denominator times q to the grid, half away from zero, for |numerator| <=
/// denominator with both below 2^32. The reference definition for tests of [`codes_by_rank`].
#[cfg(any(test, feature = "verify"))]
pub fn ratio_to_grid(numerator: i64, denominator: i64, q: i32) -> i16 {
    let magnitude = (2 * numerator.abs() * i64::from(q) + denominator) / (2 * denominator);
    (if numerator < 0 { -magnitude } else { magnitude }) as i16
}

/// The grid value of each mid-rank among `present` values (two or more), indexed by twice the
/// mid-rank, t, up to 2 present: q times (t - present - 1)/(present - 1), rounded half away from
/// zero. Uses additions only.
pub fn codes_by_rank(present: usize, q: i32, codes: &mut Vec<i16>) {
    let (middle, denominator) = (present + 1, present as i64 - 1);
    codes.clear();
    codes.resize(2 * present + 1, 0);
    // Round half up: (2 i q + denominator) / (2 denominator) for i = 0, 1, ...
    let (step, part) = (2 * i64::from(q) / (2 * denominator), 2 * i64::from(q) % (2 * denominator));
    let (mut magnitude, mut rest) = (0i64, denominator);
    for i in 0..present {
        codes[middle + i] = magnitude as i16;
        codes[middle - i] = -magnitude as i16;
        magnitude += step;
        rest += part;
        if rest >= 2 * denominator {
            magnitude += 1;
            rest -= 2 * denominator;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_away_from_zero() {
        assert_eq!(
            [0.25, -0.25, 0.249, 1.0, -1.0, 0.0].map(|t| to_grid(t, 2)),
            [1, -1, 0, 2, -2, 0]
        );
        assert_eq!(
            [(1, 4), (-1, 4), (1, 5), (3, 3), (0, 1)].map(|(n, d)| ratio_to_grid(n, d, 2)),
            [1, -1, 0, 2, 0]
        );
    }

    #[test]
    fn codes_of_ranks_are_the_ratios() {
        let mut codes = Vec::new();
        for present in [2, 3, 4, 5, 10, 101, 4096, 70_001] {
            for q in [1, 2, 3, 100, GRID] {
                codes_by_rank(present, q, &mut codes);
                let n = present as i64;
                for twice_rank in 2..=2 * n {
                    let expected = ratio_to_grid(twice_rank - n - 1, n - 1, q);
                    assert_eq!(codes[twice_rank as usize], expected, "{present} {q} {twice_rank}");
                }
            }
        }
    }

    #[test]
    fn both_roundings_agree() {
        for numerator in -50i64..=50 {
            let t = numerator as f64 / 50.0;
            // 50 q/50 is exact in both; ties cannot occur for odd multiples of 1/50 at q = 2^k.
            assert_eq!(to_grid(t, 1024), ratio_to_grid(numerator, 50, 1024));
        }
    }
}
