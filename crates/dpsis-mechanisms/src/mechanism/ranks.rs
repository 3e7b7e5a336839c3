//! Ranks of scores.

/// Twice the mid-ranks, less their mean: integers that sum to 0.
pub(super) fn doubled_ranks(values: &[i64]) -> Vec<i64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by_key(|&i| values[i]);
    let mut ranks = vec![0; values.len()];
    let mut before = 0;
    for ties in order.chunk_by(|&a, &b| values[a] == values[b]) {
        for &i in ties {
            ranks[i] = (2 * before + ties.len()) as i64 - values.len() as i64;
        }
        before += ties.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_mid_ranks() {
        // Ranks 3, 1.5, 1.5, 4 of mean 2.5, doubled.
        assert_eq!(doubled_ranks(&[5, 1, 1, 9]), [1, -2, -2, 3]);
    }
}
