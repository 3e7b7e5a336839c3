use super::*;
use crate::privacy::Neighbors;

#[test]
fn the_sign_is_that_of_the_ranks() {
    let sign = |values: &[i64], sensitivities: &[u64]| {
        let scores =
            Scores::with_sensitivities(values.into(), sensitivities.into(), Neighbors::AddRemove);
        rank_correlation(&scores.unwrap())
    };
    assert_eq!(sign(&[1, 2, 1000], &[1, 2, 3]), Ordering::Greater);
    assert_eq!(sign(&[1000, 2, 1], &[1, 2, 3]), Ordering::Less);
    assert_eq!(sign(&[1, 2, 3], &[4, 4, 4]), Ordering::Equal);
}
