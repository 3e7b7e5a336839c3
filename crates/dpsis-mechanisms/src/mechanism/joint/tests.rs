use super::*;
use crate::privacy::Neighbors;
use crate::random::Entropy;
use crate::support::goodness::assert_fits;
use crate::support::oracle;

/// All sequences with their loss in the scores' own unit.
fn sequences_by_loss(values: &[i64], k: usize) -> Vec<(Vec<usize>, i64)> {
    let x: Vec<f64> = values.iter().map(|&value| value as f64).collect();
    let losses = law::losses(&x, k).into_iter().map(|loss| loss as i64);
    oracle::sequences(x.len(), k).into_iter().zip(losses).collect()
}

const TABLES: [&[i64]; 6] = [
    &[5, 3, 9, 1, 3],
    &[0, 0, 0, 0],
    &[4, 4, 2, 2, 1],
    &[7, 1],
    &[1000, 990, 3, 2, 1, -400],
    &[0, 70, 10, 71, 11, 12],
];

fn scores(values: &[i64]) -> Scores {
    Scores::new(values.to_vec(), 3, Neighbors::AddRemove).unwrap()
}

/// Every sequence is in one block, which counts it and bounds its loss by the definition.
#[test]
fn blocks_hold_all_sequences_once() {
    for values in TABLES {
        for k in 1..=values.len() {
            for eps in ["1/9", "2", "60"] {
                let scores = scores(values);
                let all = JointSequences::new(&scores, k, &eps.parse().unwrap());
                let last = all.shortfalls.last();
                let mut left = vec![BigUint::zero(); last + 1];
                for (block, left) in left.iter_mut().enumerate() {
                    *left = all.size(Address { lane: 0, position: block as u64 });
                }
                let raced = all.shortfalls.blocks();
                let holds = (0..=last).filter(|&block| !left[block].is_zero());
                assert!(holds.clone().all(|block| raced.contains(&block)));
                for (sequence, loss) in sequences_by_loss(values, k) {
                    let block = all.shortfalls.block_of(&sequence);
                    left[block] -= 1u32;
                    let z = all.shortfalls.handicap(&sequence);
                    let exact = BigRational::from_integer(loss.into())
                        * joint_rate(&scores, k, &eps.parse().unwrap());
                    assert_eq!(z, exact);
                    let (least, most) = all.shortfalls.bounds(block);
                    let z = near_f64(&z);
                    assert!(least * (1.0 - 1e-15) <= z && z <= most * (1.0 + 1e-15));
                }
                assert!(left.iter().all(Zero::is_zero), "{values:?}, k = {k}, eps = {eps}");
            }
        }
    }
}

#[test]
fn members_are_drawn_uniformly() {
    let (values, k) = ([4i64, 9, 4, 2, 1, 8], 3);
    let scores = scores(&values);
    let all = JointSequences::new(&scores, k, &"3".parse().unwrap());
    let mut words = Entropy::Seeded(4).source().unwrap().bits(0).lane(0);
    for block in 0..=all.shortfalls.last() {
        let address = Address { lane: 0, position: block as u64 };
        let members: Vec<Vec<usize>> = sequences_by_loss(&values, k)
            .into_iter()
            .map(|(sequence, _)| sequence)
            .filter(|sequence| all.shortfalls.block_of(sequence) == block)
            .collect();
        if members.len() < 2 {
            continue;
        }
        let mut counts = vec![0u64; members.len()];
        for _ in 0..100_000 {
            let drawn = all.draw(address, &mut words);
            counts[members.iter().position(|member| *member == drawn).unwrap()] += 1;
        }
        assert_fits(&counts, &vec![1.0 / members.len() as f64; members.len()]);
    }
}

#[test]
fn forced_fallback_gives_the_same_winner() {
    let wide: Vec<i64> = (0..2000).map(|i| (i * 7919) % 401).collect();
    for (values, k, seeds) in [(TABLES[0], 2, 3000), (TABLES[4], 3, 3000), (&wide[..], 20, 20)] {
        let scores = scores(values);
        let all = JointSequences::new(&scores, k, &"2".parse().unwrap());
        for seed in 0..seeds {
            let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
            for law in [FirstArrival::Uniform, FirstArrival::Exponential] {
                let race = |filter| all.race(&bits, law, filter);
                assert_eq!(race(Filter::default()), race(Filter::weakened(6)), "seed {seed}");
            }
        }
    }
}

#[test]
fn logarithms_of_counts_keep_their_error() {
    for (counts, before) in [
        (vec![10usize, 12, 40], vec![10usize, 12, 39]),
        ((0..200).map(|i| 1_000 * (i + 2)).collect(), (0..200).map(|i| 999 * (i + 2)).collect()),
        (vec![1_000_000; 100], vec![999_999; 100]),
    ] {
        let size = sequences(&counts) - sequences(&before);
        let truth = crate::exact::Enclosure::ln_dyadic(&size, 0, 160);
        let ln = Shortfalls::ln_sequences(&counts) + ln_share(&counts, &before);
        let error = crate::mechanism::shortfalls::ln_error(counts.len(), 1_000_000);
        assert!(truth.distance_from(ln) <= error);
    }
}
