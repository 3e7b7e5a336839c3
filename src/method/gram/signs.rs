//! Signs of columns, 64 rows at a time, and the sums of their products.

/// The signs -1, 0, 1 of a column.
pub(super) struct Signs {
    /// A bit for each row whose sign is not 0.
    present: Vec<u64>,
    /// A bit for each row whose sign is -1.
    negative: Vec<u64>,
    rows: u64,
}

impl Signs {
    /// 1 above `median`, -1 up to it, 0 for a value that is not finite.
    pub(super) fn split(column: &[f64], median: f64) -> Self {
        Self::of(column.iter().map(|value| match value.is_finite() {
            true if *value > median => 1,
            true => -1,
            false => 0,
        }))
    }

    /// These signs.
    pub(super) fn of(signs: impl Iterator<Item = i8>) -> Self {
        let mut all = Self { present: Vec::new(), negative: Vec::new(), rows: 0 };
        for sign in signs {
            let bit = all.rows % 64;
            if bit == 0 {
                all.present.push(0);
                all.negative.push(0);
            }
            if let (Some(present), Some(negative)) =
                (all.present.last_mut(), all.negative.last_mut())
            {
                *present |= u64::from(sign != 0) << bit;
                *negative |= u64::from(sign < 0) << bit;
            }
            all.rows += 1;
        }
        all
    }

    /// The sum over rows.
    fn sum(&self) -> i64 {
        signed(
            self.present
                .iter()
                .zip(&self.negative)
                .map(|(present, negative)| (*present, *negative)),
        )
    }

    /// The sum of the products over rows.
    fn product(&self, other: &Self) -> i64 {
        let words =
            self.present.iter().zip(&self.negative).zip(other.present.iter().zip(&other.negative));
        signed(words.map(|((a, minus_a), (b, minus_b))| (a & b, minus_a ^ minus_b)))
    }
}

/// The sum of signs, given the bits of nonzero signs and of negative signs (bits of zero signs may
/// also be set in the latter).
fn signed(words: impl Iterator<Item = (u64, u64)>) -> i64 {
    let of_word = |(present, negative): (u64, u64)| {
        i64::from(present.count_ones()) - 2 * i64::from((present & negative).count_ones())
    };
    words.map(of_word).sum()
}

/// The number of rows, the sum of each variable's signs, and the sum of the products of each pair
/// of variables, ordered by the later one: one row moves each of them by at most 1.
pub(super) fn sign_sums(variables: &[Signs]) -> Vec<i64> {
    let rows = variables.iter().map(|signs| signs.rows).max().unwrap_or(0);
    let pairs = variables
        .iter()
        .enumerate()
        .flat_map(|(b, later)| variables[..b].iter().map(move |earlier| earlier.product(later)));
    let sums = variables.iter().map(Signs::sum);
    [rows as i64].into_iter().chain(sums).chain(pairs).collect()
}
