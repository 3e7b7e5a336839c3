use super::*;
use crate::privacy::Neighbors;
use crate::random::Entropy;
use crate::support::oracle::subsets;

/// Every set is in one block, which counts it and has its loss by the definition; bounds hold.
#[test]
fn blocks_hold_all_sets_once() {
    for values in [vec![5i64, 3, 9, 1, 3, 0], vec![0, 0, 0, 0], vec![4, 4, 2, 2, 1], vec![7, 1]] {
        let d = values.len();
        let mut best = values.clone();
        best.sort_unstable_by_key(|value| std::cmp::Reverse(*value));
        let scores = Scores::new(values.clone(), 2, Neighbors::AddRemove).unwrap();
        for (k, eps) in (1..=d).flat_map(|k| ["1/3", "2", "40"].map(|eps| (k, eps))) {
            let epsilon = eps.parse().unwrap();
            let sets = JointSets::new(&scores, k, &epsilon);
            let size = |block| sets.size(Address { lane: 0, position: block as u64 });
            let mut left: Vec<BigUint> = (0..=sets.shortfalls.last()).map(size).collect();
            for (block, size) in left.iter().enumerate() {
                let mut counts = Vec::new();
                sets.shortfalls.counts(block, &mut counts);
                assert!(size.is_zero() || ln(size) <= most_sets(&counts) + 1e-9);
            }
            for set in subsets(d, k) {
                let ranked = sets.shortfalls.best_first(&set);
                let block = sets.shortfalls.block_of(&ranked);
                left[block] -= 1u32;
                let own = ranked.iter().map(|&i| values[i]);
                let loss = best.iter().zip(own).map(|(best, own)| best - own).max().unwrap();
                let z = BigRational::from_integer(loss.into()) * joint_rate(&scores, k, &epsilon);
                let address = Address { lane: 0, position: block as u64 };
                assert_eq!(sets.handicap(address, &set), z);
                let (least, most) = sets.shortfalls.bounds(block);
                let z = near_f64(&z);
                assert!(least * (1.0 - 1e-15) <= z && z <= most * (1.0 + 1e-15));
            }
            assert!(left.iter().all(Zero::is_zero), "{values:?}, k = {k}, eps = {eps}");
        }
    }
}

#[test]
fn wide_tables_are_handled() {
    let values: Vec<i64> = (0..3000).map(|i| (i * 7919) % 4001).collect();
    let scores = Scores::new(values, 5, Neighbors::AddRemove).unwrap();
    let epsilon = "1".parse().unwrap();
    let bits = Entropy::Seeded(3).source().unwrap().bits(0);
    let picks = sealed::Draw::draw(&JointSet, &scores, 8, &epsilon, &bits);
    assert!(picks.is_sorted() && picks.len() == 8);
}
