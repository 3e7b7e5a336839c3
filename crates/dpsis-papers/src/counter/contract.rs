//! Every counter is held to the same tests: its nodes, their loss on neighboring streams, the joint
//! law of its releases.

use num_traits::{Signed, ToPrimitive, Zero};
use proptest::prelude::*;

use super::*;
use dpsis::Neighbors::{AddRemove, ReplaceOne};
use dpsis::internals::{near_f64, ratio};
use dpsis_mechanisms::support::goodness::assert_fits;

/// A step: a value, or none.
type Step = Option<i64>;

/// A node that was released: its last step, sum and rate.
#[derive(Debug, Clone, PartialEq)]
struct Released {
    last: u64,
    sum: BigInt,
    rate: BigRational,
}

/// The range of values: 0 lies in it, and its ends are unequal in magnitude.
const RANGE: (i64, i64) = (-1, 2);

/// D, by the definition of neighbors.
fn largest_change(neighbors: Neighbors) -> i64 {
    let values = || RANGE.0..=RANGE.1;
    match neighbors {
        AddRemove => values().map(i64::abs).max().unwrap(),
        _ => values().flat_map(|a| values().map(move |b| (a - b).abs())).max().unwrap(),
    }
}

/// The constant that counters use, for ranges on one side of 0 and on both.
#[test]
fn largest_change_matches_the_definition() {
    for (low, high) in [(-1, 2), (-3, 1), (1, 3), (-3, -1), (0, 1)] {
        let values = || low..=high;
        let to_nothing = values().map(i64::abs).max().unwrap();
        let pairs = values().flat_map(|a: i64| values().map(move |b| (a - b).abs()));
        let of = |neighbors| super::largest_change((low, high), neighbors);
        assert_eq!(of(AddRemove), to_nothing.into(), "{low} {high}");
        assert_eq!(of(ReplaceOne), pairs.max().unwrap().into(), "{low} {high}");
    }
    let whole = (i64::MIN, 0);
    assert_eq!(super::largest_change(whole, AddRemove), BigInt::from(1) << 63);
    assert_eq!(super::largest_change(whole, ReplaceOne), BigInt::from(1) << 63);
}

/// All streams of this length.
fn streams(length: usize) -> Vec<Vec<Step>> {
    let steps: Vec<Step> = (RANGE.0..=RANGE.1).map(Some).chain([None]).collect();
    (0..length).fold(vec![vec![]], |all, _| {
        all.iter()
            .flat_map(|stream| steps.iter().map(|step| [&stream[..], &[*step]].concat()))
            .collect()
    })
}

/// All streams next to one: a value replaced, or taken away.
fn next_to(stream: &[Step], neighbors: Neighbors) -> Vec<Vec<Step>> {
    let with = |at: usize, step: Step| {
        let mut other = stream.to_vec();
        other[at] = step;
        other
    };
    let places = (0..stream.len()).filter(|at| stream[*at].is_some());
    match neighbors {
        AddRemove => places.map(|at| with(at, None)).collect(),
        _ => places.flat_map(|at| (RANGE.0..=RANGE.1).map(move |v| with(at, Some(v)))).collect(),
    }
}

/// Runs a design with the given noise: the sums that it releases, and the noisy nodes.
fn run(
    design: &mut dyn sealed::Design,
    stream: &[Step],
    mut noise: impl FnMut(u64) -> i64,
) -> (Vec<BigInt>, Vec<Released>) {
    let mut nodes = Vec::new();
    let mut noisy = |node: Node<'_>| {
        nodes.push(Released { last: node.last, sum: node.sum.clone(), rate: node.rate.clone() });
        node.sum + noise(node.last)
    };
    let sums = stream
        .iter()
        .map(|step| design.step(step.unwrap_or(0).into(), &mut noisy).unwrap())
        .collect();
    (sums, nodes)
}

/// The nodes of the code for a stream, with a horizon as long as the stream.
fn nodes(card: &CounterCard, stream: &[Step], rate: &BigRational) -> Vec<Released> {
    let mut design = (card.make)(stream.len() as u64, rate.clone());
    run(design.as_mut(), stream, |_| 0).1
}

/// The intervals of steps of the nodes, with their shares of eps/D, by the definition of the page.
fn intervals(id: &str, length: u64) -> Vec<(u64, u64, BigRational)> {
    let digits = |n: u64| format!("{n:b}").len() as i64;
    let binary = |before: u64, horizon: u64, whole: i64| {
        (1..=horizon).map(move |t| {
            let long = (0..64).map(|i| 1u64 << i).filter(|long| t % long == 0).max().unwrap();
            (before + t - long + 1, before + t, ratio(1, whole * digits(horizon)))
        })
    };
    let powers = |whole: i64| {
        let powers = (0..).map(|i| 1u64 << i).take_while(move |t| *t <= length);
        powers.map(move |t| (t / 2 + 1, t, ratio(1, whole)))
    };
    let mut all: Vec<_> = match id {
        "binary" => binary(0, length, 1).collect(),
        "logarithmic" => powers(1).collect(),
        _ => {
            let segments = (1..60).map(|k| 1u64 << k).take_while(|t| *t <= length);
            powers(2).chain(segments.flat_map(|t| binary(t, t - 1, 2))).collect()
        }
    };
    all.retain(|(_, last, _)| *last <= length);
    all.sort_by_key(|(_, last, _)| *last);
    all
}

fn sum(stream: &[Step], first: u64, last: u64) -> BigInt {
    stream[first as usize - 1..last as usize]
        .iter()
        .map(|step| step.unwrap_or(0))
        .sum::<i64>()
        .into()
}

/// Each node by its interval, in streams of all lengths up to 70; a released sum covers every step
/// so far once.
#[test]
fn nodes_match_the_definition() {
    for card in COUNTERS {
        for length in 1..=70u64 {
            // The values give different intervals different sums.
            let stream: Vec<Step> = (1..=length).map(|t| Some((t * t % 101) as i64)).collect();
            let expected: Vec<Released> = intervals(card.id, length)
                .into_iter()
                .map(|(first, last, share)| Released {
                    last,
                    sum: sum(&stream, first, last),
                    rate: share * ratio(3, 7),
                })
                .collect();
            assert_eq!(nodes(card, &stream, &ratio(3, 7)), expected, "{}, {length}", card.id);
        }
    }
}

/// The largest log-ratio over epsilon, by the sum over nodes of r |S - S'| (see the page), of the
/// nodes that a function gives for a stream and eps/D.
fn worst(
    neighbors: Neighbors,
    length: usize,
    of: impl Fn(&[Step], &BigRational) -> Vec<Released>,
) -> BigRational {
    let rate = ratio(1, largest_change(neighbors));
    let mut worst = BigRational::zero();
    for stream in streams(length) {
        let here = of(&stream, &rate);
        for other in next_to(&stream, neighbors) {
            let there = of(&other, &rate);
            assert_eq!(here.len(), there.len());
            let loss = here.iter().zip(&there).map(|(a, b)| {
                assert_eq!((a.last, &a.rate), (b.last, &b.rate));
                &a.rate * BigRational::from((&a.sum - &b.sum).abs())
            });
            worst = worst.max(loss.sum());
        }
    }
    worst
}

/// Over all streams of up to 4 steps and all their neighbors the loss is at most epsilon, and
/// equals epsilon where the page claims equality.
#[test]
fn privacy_by_enumeration() {
    for card in COUNTERS {
        for neighbors in [AddRemove, ReplaceOne] {
            for length in 1..=4 {
                let found = worst(neighbors, length, |stream, rate| nodes(card, stream, rate));
                // Steps 1 and 2 of a hybrid counter lie outside of its segments; step 3 lies in
                // one, and in the node that ends at 4.
                let expected = match (card.id, length) {
                    ("hybrid", 1..=3) => ratio(1, 2),
                    _ => ratio(1, 1),
                };
                assert_eq!(found, expected, "{}, {neighbors:?}, {length} steps", card.id);
            }
        }
    }
}

/// In streams of up to 130 steps, the rates of all nodes that contain a step add up to at most
/// eps/D, since a change of a value changes each of these nodes by the same amount.
#[test]
fn no_step_costs_more_than_epsilon() {
    for card in COUNTERS {
        let mut most = BigRational::zero();
        for length in 1..=130u64 {
            let all = intervals(card.id, length);
            for step in 1..=length {
                let around = all.iter().filter(|(first, last, _)| (first..=last).contains(&&step));
                most = most.max(around.map(|(_, _, share)| share.clone()).sum());
            }
        }
        assert_eq!(most, ratio(1, 1), "{}", card.id);
    }
}

#[test]
fn broken_variants_are_rejected() {
    let by = |intervals: &[(u64, u64, BigRational)], stream: &[Step], rate: &BigRational| {
        let released = |(first, last, share): &(u64, u64, BigRational)| Released {
            last: *last,
            sum: sum(stream, *first, *last),
            rate: share * rate,
        };
        intervals.iter().map(released).collect::<Vec<_>>()
    };
    // Epsilon is not divided among nodes, as if each value were in only one of them.
    let undivided = |id: &'static str, factor: i64| {
        move |stream: &[Step], rate: &BigRational| {
            let mut all = intervals(id, stream.len() as u64);
            all.iter_mut().for_each(|(_, _, share)| *share *= BigInt::from(factor));
            by(&all, stream, rate)
        }
    };
    // A counter for one step that accepts more.
    let beyond = |stream: &[Step], rate: &BigRational| {
        let mut all = intervals("binary", stream.len() as u64);
        all.iter_mut().for_each(|(_, _, share)| *share = ratio(1, 1));
        by(&all, stream, rate)
    };
    // New noise for a node each time that it is part of a released sum.
    let anew = |stream: &[Step], rate: &BigRational| {
        let length = stream.len() as u64;
        let all = intervals("binary", length);
        let reads = (1..=length).flat_map(|t| {
            let mut left = t;
            let mut read = Vec::new();
            while left > 0 {
                read.push(all[left as usize - 1].clone());
                left = all[left as usize - 1].0 - 1;
            }
            read
        });
        by(&reads.collect::<Vec<_>>(), stream, rate)
    };
    for neighbors in [AddRemove, ReplaceOne] {
        let lost = |found: BigRational, name: &str| {
            assert!(found > ratio(101, 100), "{name} passed with {found}");
        };
        lost(worst(neighbors, 4, undivided("binary", 3)), "no division by levels");
        lost(worst(neighbors, 4, undivided("hybrid", 2)), "epsilon for each half");
        lost(worst(neighbors, 4, beyond), "a horizon that is exceeded");
        lost(worst(neighbors, 4, anew), "new noise at each read");
        // The largest value, not the width of the range, where values are replaced.
        if neighbors == ReplaceOne {
            let of_values = |stream: &[Step], rate: &BigRational| {
                let wrong = rate * ratio(largest_change(ReplaceOne), largest_change(AddRemove));
                nodes(&logarithmic::CARD, stream, &wrong)
            };
            lost(worst(neighbors, 4, of_values), "the constant of the other neighbors");
        }
    }
}

/// P(z) of discrete Laplace noise, from its definition.
fn mass(rate: f64, z: i64) -> f64 {
    (1.0 - (-rate).exp()) / (1.0 + (-rate).exp()) * (-rate * z.abs() as f64).exp()
}

/// The joint distribution of all sums of streams of 3 steps, by brute force over noise from -4 to
/// 4. Each output has one cause, so an output that both streams reach here has its exact
/// probability; the probability of the others is bounded. The largest log-ratios equal the formula.
#[test]
fn joint_laws_have_the_largest_ratio_of_the_page() {
    const REACH: i64 = 4;
    let eps = ratio(5, 1);
    for card in COUNTERS {
        for neighbors in [AddRemove, ReplaceOne] {
            let rate = &eps / BigInt::from(largest_change(neighbors));
            let law = |stream: &[Step]| {
                let mut law = std::collections::BTreeMap::new();
                let of = nodes(card, stream, &rate);
                for code in 0..(2 * REACH + 1).pow(of.len() as u32) {
                    let z = |place: usize| {
                        code / (2 * REACH + 1).pow(place as u32) % (2 * REACH + 1) - REACH
                    };
                    let at = |last: u64| of.iter().position(|node| node.last == last).unwrap();
                    let mut design = (card.make)(stream.len() as u64, rate.clone());
                    let (sums, _) = run(design.as_mut(), stream, |last| z(at(last)));
                    let p: f64 = of
                        .iter()
                        .enumerate()
                        .map(|(i, node)| mass(near_f64(&node.rate), z(i)))
                        .product();
                    assert!(law.insert(sums, p).is_none(), "two causes of an output");
                }
                let cut: f64 = of
                    .iter()
                    .map(|node| {
                        let r = near_f64(&node.rate);
                        2.0 * (-r * (REACH + 1) as f64).exp() / (1.0 + (-r).exp())
                    })
                    .sum();
                let total: f64 = law.values().sum();
                assert!(total <= 1.0 + 1e-12 && total >= 1.0 - cut, "{total}, {cut}");
                law
            };
            // Zeros and one value at each place, against all its neighbors.
            for place in 0..3 {
                for value in [RANGE.0, RANGE.1] {
                    let mut stream = vec![Some(0); 3];
                    stream[place] = Some(value);
                    let here = law(&stream);
                    for other in next_to(&stream, neighbors) {
                        let there = law(&other);
                        let both = here
                            .iter()
                            .filter_map(|(sums, p)| there.get(sums).map(|q| (p / q).ln().abs()));
                        let found = both.fold(0.0, f64::max);
                        let expected: f64 = nodes(card, &stream, &rate)
                            .iter()
                            .zip(nodes(card, &other, &rate))
                            .map(|(a, b)| {
                                near_f64(&a.rate) * (&a.sum - b.sum).abs().to_f64().unwrap()
                            })
                            .sum();
                        assert!(
                            (found - expected).abs() < 1e-9,
                            "{}: {found}, {expected}",
                            card.id
                        );
                        assert!(found <= near_f64(&eps) + 1e-9);
                    }
                }
            }
        }
    }
}

/// The sums that a seeded counter of a kind releases.
fn seeded(id: &str, seed: u64, epsilon: &str, stream: &[Step]) -> Vec<i64> {
    fn all<D: sealed::Design>(mut counter: ContinualCounter<D>, stream: &[Step]) -> Vec<i64> {
        let of = |step: &Step| match step {
            Some(value) => counter.add(*value).unwrap(),
            None => counter.skip().unwrap(),
        };
        stream.iter().map(of).collect()
    }
    let (eps, steps) = (epsilon.parse().unwrap(), stream.len() as u64);
    match id {
        "binary" => all(BinaryCounter::new(steps, RANGE, ReplaceOne, &eps, seed).unwrap(), stream),
        "logarithmic" => {
            all(LogarithmicCounter::new(RANGE, ReplaceOne, &eps, seed).unwrap(), stream)
        }
        _ => all(HybridCounter::new(RANGE, ReplaceOne, &eps, seed).unwrap(), stream),
    }
}

/// The noise of each node, derived from the sums of the public counters, has its distribution, and
/// the noise of two nodes is independent.
#[test]
fn draws_fit_their_law() {
    let stream = [Some(2), Some(-1), None, Some(2), Some(1)];
    for card in COUNTERS {
        let of = nodes(card, &stream, &ratio(4, 3));
        let [a, b] = [of[of.len() - 2].clone(), of[of.len() - 1].clone()];
        // The sum released at a node's last step, minus the other nodes in the sum.
        let noise_of = |node: &Released, sums: &[i64]| {
            let before = match (card.id, node.last) {
                ("binary", 4) => 0,
                (_, last) => last - 1,
            };
            let before = if before == 0 { 0 } else { sums[before as usize - 1] };
            // The sum of a hybrid counter at the next power of two does not contain the nodes of
            // the segment.
            let before = if card.id == "hybrid" && node.last == 4 { sums[1] } else { before };
            sums[node.last as usize - 1] - before - node.sum.to_i64().unwrap()
        };
        let bins = |z: i64| (z.clamp(-3, 3) + 3) as usize;
        let law = |rate: f64| {
            let mut law: Vec<f64> = (-3..=3).map(|z| mass(rate, z)).collect();
            let tail = (1.0 - law.iter().sum::<f64>()) / 2.0;
            law[0] += tail;
            law[6] += tail;
            law
        };
        let mut counts = vec![0u64; 49];
        for seed in 0..20_000 {
            let sums = seeded(card.id, seed, "4", &stream);
            counts[bins(noise_of(&a, &sums)) * 7 + bins(noise_of(&b, &sums))] += 1;
        }
        let (of_a, of_b) = (law(near_f64(&a.rate)), law(near_f64(&b.rate)));
        let joint: Vec<f64> = of_a.iter().flat_map(|p| of_b.iter().map(move |q| p * q)).collect();
        assert_fits(&counts, &joint);
    }
}

/// Mean squared errors against the variances 2 e^-r/(1 - e^-r)^2 of the nodes in a sum.
#[test]
fn errors_match_the_closed_form() {
    let variance = |rate: f64| 2.0 * (-rate).exp() / (1.0 - (-rate).exp()).powi(2);
    let stream = [Some(1); 7];
    // D = 3: binary 1/9 for the nodes ending at 4, 6 and 7; logarithmic 1/3 for those ending at 1,
    // 2 and 4; hybrid half of that, and 1/12 for those ending at 6 and 7.
    let expected = [
        ("binary", 7, 3.0 * variance(1.0 / 9.0)),
        ("logarithmic", 4, 3.0 * variance(1.0 / 3.0)),
        ("hybrid", 7, 3.0 * variance(1.0 / 6.0) + 2.0 * variance(1.0 / 12.0)),
    ];
    for (id, truth, expected) in expected {
        let draws = 8_000;
        let squares: Vec<f64> = (0..draws)
            .map(|seed| ((seeded(id, seed, "1", &stream)[6] - truth) as f64).powi(2))
            .collect();
        let mean = squares.iter().sum::<f64>() / draws as f64;
        let spread = squares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / draws as f64;
        let z = (mean - expected) / (spread / draws as f64).sqrt();
        assert!(z.abs() < 5.0, "{id}: {mean} against {expected}");
    }
}

proptest! {
    /// Without noise, the counter gives exact sums; noise enters a sum once for each of a few
    /// nodes.
    #[test]
    fn nodes_add_up(values in prop::collection::vec(-1000i64..1000, 1..300)) {
        let stream: Vec<Step> = values.iter().copied().map(Some).collect();
        for card in COUNTERS {
            let make = || (card.make)(stream.len() as u64, ratio(1, 1));
            let (sums, _) = run(make().as_mut(), &stream, |_| 0);
            let (noisy, _) = run(make().as_mut(), &stream, |_| 1);
            let mut prefix = 0;
            let mut at_power = 0;
            for (i, value) in values.iter().enumerate() {
                prefix += value;
                if (i + 1).is_power_of_two() {
                    at_power = prefix;
                }
                let exact = if card.id == "logarithmic" { at_power } else { prefix };
                prop_assert_eq!(&sums[i], &BigInt::from(exact));
                let digits = i64::from((i as u64 + 1).ilog2()) + 1;
                let most = if card.id == "hybrid" { 2 * digits - 1 } else { digits };
                prop_assert!(&noisy[i] - &sums[i] <= BigInt::from(most));
            }
        }
    }
}

/// The noise of a node depends on the seed alone, not on earlier values.
#[test]
fn noise_of_a_node_depends_on_the_seed_alone() {
    for card in COUNTERS {
        let here = seeded(card.id, 5, "0.1", &[Some(2), Some(-1), Some(2), None, Some(1)]);
        let there = seeded(card.id, 5, "0.1", &[Some(0), Some(1), None, Some(2), Some(1)]);
        let moved = if card.id == "logarithmic" { [2, 0, 0, 0, 0] } else { [2, 0, 2, 0, 0] };
        let found: Vec<i64> = here.iter().zip(&there).map(|(a, b)| a - b).collect();
        assert_eq!(found, moved, "{}", card.id);
        assert_ne!(here, seeded(card.id, 6, "0.1", &[Some(2), Some(-1), Some(2), None, Some(1)]));
    }
}

#[test]
fn invalid_requests_are_refused() {
    let eps = "1".parse().unwrap();
    for range in [(0, 0), (1, 0), (i64::MAX, i64::MIN)] {
        assert!(HybridCounter::new(range, AddRemove, &eps, 1).is_err());
    }
    assert!(BinaryCounter::new(0, RANGE, AddRemove, &eps, 1).is_err());
    let mut counter = BinaryCounter::new(3, RANGE, AddRemove, &eps, 1).unwrap();
    (0..3).for_each(|_| assert!(counter.add(1).is_ok()));
    for error in [counter.add(1).unwrap_err(), counter.skip().unwrap_err()] {
        assert_eq!(error.kind(), dpsis::ErrorKind::Request);
        assert!(error.to_string().starts_with("the counter was made for 3 steps"), "{error}");
    }
    assert_eq!(format!("{counter:?}"), "ContinualCounter { low: -1, high: 2, .. }");
}

/// The widest range and sums beyond 64 bits; a value outside the range counts as its nearer end, a
/// step without a value as 0.
#[test]
fn ranges_are_kept() {
    let eps = "1e6".parse().unwrap();
    let widest = (i64::MIN, i64::MAX);
    let mut counter = HybridCounter::new(widest, ReplaceOne, &eps, 1).unwrap();
    for t in 0..100 {
        let sum = counter.add(i64::MAX).unwrap();
        assert!(t < 2 || sum == i64::MAX);
    }
    let mut counter = BinaryCounter::new(3, (10, 20), ReplaceOne, &eps, 1).unwrap();
    let sums = [counter.add(-7).unwrap(), counter.skip().unwrap(), counter.add(50).unwrap()];
    assert_eq!(sums, [10, 10, 30]);
}

#[test]
fn every_counter_has_a_card_and_a_page() {
    let parts = ["# Definition", "# Neighbors", "# Guarantee", "# Cost", "# Error", "# Source"];
    for card in COUNTERS {
        assert!(!card.summary.is_empty() && !card.reference.is_empty());
        assert!(card.statement().contains("epsilon-differentially private"));
        assert!(parts.iter().all(|part| card.page.contains(part)));
        assert!(card.page.contains(&format!("| `{}`", card.id)));
    }
}
