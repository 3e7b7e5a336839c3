//! The quick filter of the comparison.

use super::*;
use crate::exact::ratio;
use crate::random::Entropy;

/// Settling the comparison by the quick filter or by refinement gives the same answer.
#[test]
fn forced_fallback_gives_the_same_answer() {
    let mut answers = [0, 0];
    for (others, eps) in [(1, ratio(1, 1)), (7, ratio(2, 1)), (1000, ratio(7, 1))] {
        for seed in 0..300 {
            let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
            let quick = takes_the_best(others, &eps, &bits, Filter::default());
            assert_eq!(quick, takes_the_best(others, &eps, &bits, Filter::weakened(2)), "{seed}");
            answers[usize::from(quick)] += 1;
        }
    }
    assert!(answers.iter().all(|times| *times > 200), "{answers:?}");
}
