//! Every accountant is held to the same tests: its curve falls, both directions agree, more
//! releases cost more. Each is compared with its definition by brute force, and with Google's
//! dp-accounting where that has the same.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use proptest::prelude::*;

use super::accountant::sealed::Curve;
use super::*;
use crate::exact::{Enclosure, binomial, ratio};
use crate::privacy::Epsilon;

/// An epsilon of a thousandth times a number.
fn thousandths(number: u64) -> Epsilon {
    Epsilon::part(ratio(number as i64, 1000))
}

fn pure(thousandth: u64, count: u64) -> Event {
    Event::pure(thousandths(thousandth)).times(count).unwrap()
}

fn range(thousandth: u64, count: u64) -> Event {
    Event::bounded_range(thousandths(thousandth)).times(count).unwrap()
}

/// Events that an accountant prices.
fn priced(card: &AccountantCard, thousandth: u64, count: u64) -> Event {
    match card.id {
        "gaussian" => Event::gaussian(ratio_of(thousandth), 1).unwrap().times(count).unwrap(),
        "range-in-advance" => range(thousandth, count).fixed_in_advance(),
        "range" => range(thousandth, count),
        _ => pure(thousandth, count),
    }
}

fn ratio_of(thousandth: u64) -> crate::exact::Exact {
    (thousandth as i64, 1000).into()
}

fn made(card: &AccountantCard, thousandth: u64, count: u64) -> Box<dyn Curve> {
    (card.of)(&[priced(card, thousandth, count)]).unwrap()
}

fn delta(curve: &dyn Curve, epsilon: &BigRational) -> f64 {
    accountant::delta_above(curve, epsilon)
}

#[test]
fn cards_are_complete() {
    for card in ACCOUNTANTS {
        assert!(card.page.contains(&format!("`{}`", card.id)), "{}", card.id);
        assert!((card.of)(&[]).is_err(), "{}", card.id);
        assert!(!card.summary.is_empty() && card.reference.contains('('), "{}", card.id);
    }
}

/// Delta falls with epsilon and grows with the releases and their epsilon; a found epsilon has its
/// delta, and is at most the epsilon that the delta came from.
#[test]
fn curves_fall_and_agree_with_their_inverse() {
    for card in ACCOUNTANTS {
        // The lattice of `range` takes longer.
        let many = if card.id == "range" { 8 } else { 40 };
        for (thousandth, count) in [(50, 1), (300, 2), (20, many)] {
            let curve = made(card, thousandth, count);
            let mut last = 1.0;
            for step in 0..12 {
                let epsilon = ratio((step * thousandth * count) as i64, 10_000);
                let here = delta(&*curve, &epsilon);
                assert!(here <= last * (1.0 + 1e-9), "{} {step}", card.id);
                last = here;
                for larger in [made(card, thousandth, count + 1), made(card, thousandth + 3, count)]
                {
                    assert!(
                        here <= delta(&*larger, &epsilon) * (1.0 + 1e-9) + 1e-15,
                        "{}",
                        card.id
                    );
                }
                if here < 1e-12 || here == 1.0 || step % 4 != 3 {
                    continue;
                }
                let found = accountant::epsilon(&*curve, here.into()).unwrap();
                let exact = BigRational::from_float(found).unwrap();
                assert!(delta(&*curve, &exact) <= here, "{}", card.id);
                let from = crate::exact::near_f64(&epsilon);
                assert!(found <= from * (1.0 + 1e-9) + 1e-12, "{} {found} {from}", card.id);
            }
        }
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let zcdp = Zcdp::of(&[pure(100, 1)]).unwrap();
    for wrong in ["-1", "1.5", "nan", "1e-251", "0"] {
        assert!(zcdp.epsilon(wrong).is_err(), "{wrong}");
    }
    for wrong in ["-0.1", "1000001", "nan"] {
        assert!(zcdp.delta(wrong).is_err(), "{wrong}");
    }
    assert_eq!(zcdp.epsilon(1).unwrap(), 0.0);
    let optimal = OptimalHomogeneous::of(&[pure(100, 3)]).unwrap();
    let epsilon = BigRational::from_float(optimal.epsilon(0).unwrap()).unwrap();
    assert!(epsilon >= ratio(3, 10) && epsilon < ratio(300_000_001, 1_000_000_000));
    assert_eq!(optimal.delta("0.3").unwrap(), 0.0);
    assert!(OptimalHomogeneous::of(&[pure(100, 1), pure(200, 1)]).is_err());
    assert!(OptimalHomogeneous::of(&[pure(100, 1 << 30)]).is_err());
    assert!(BasicComposition::of(&[Event::gaussian(1, 1).unwrap()]).is_err());
    let hopeless = Event::gaussian(1, "1e-4").unwrap();
    assert!(Zcdp::of(&[hopeless]).unwrap().epsilon("1e-9").is_err());
}

/// Approximate events cost what pure ones do, and their deltas on top; too small a delta is
/// refused.
#[test]
fn deltas_of_approximate_events_add_up() {
    let approximate = |count| {
        let delta = "1e-7".parse().unwrap();
        Event::approximate(thousandths(100), delta).times(count).unwrap()
    };
    for card in ACCOUNTANTS.iter().filter(|card| (card.of)(&[pure(100, 1)]).is_ok()) {
        let price = |events: &[Event], epsilon: &str| card.delta(events, epsilon).unwrap();
        let alone = price(&[pure(100, 6)], "0.25");
        let with = price(&[approximate(4), pure(100, 2)], "0.25");
        assert!(with > alone && with <= alone + 4.000_001e-7 || with == 1.0, "{}: {with}", card.id);
        assert!(with >= (alone + 3.999_999e-7).min(1.0), "{}: {with}", card.id);
        let epsilon = card.epsilon(&[approximate(4)], "1e-6").unwrap();
        assert_eq!(epsilon, card.epsilon(&[pure(100, 4)], "6e-7").unwrap(), "{}", card.id);
        assert!(card.epsilon(&[approximate(4)], "3e-7").is_err(), "{}", card.id);
        assert!(card.epsilon(&[approximate(1)], "nan").is_err(), "{}", card.id);
        assert!((card.of)(&[approximate(1)]).is_err(), "{}", card.id);
    }
    let range = [approximate(1), range(100, 2)];
    assert!(BoundedRange::of(&range).is_err());
}

/// Agreement with Google's dp-accounting to 1e-6; Laplace noise is priced by the bound for all pure
/// releases.
#[test]
fn agrees_with_dp_accounting() {
    let mut compared = 0;
    for line in include_str!("dp_accounting.golden").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let [id, parameter, count, epsilon, expected] = fields[..] else { panic!("{line}") };
        let count = count.parse().unwrap();
        let event = match id {
            "optimal" => Event::pure(parameter.parse().unwrap()),
            "zcdp" => Event::zcdp(parameter).unwrap(),
            "laplace" => Event::laplace(1, parameter).unwrap(),
            _ => Event::gaussian(1, parameter).unwrap(),
        };
        let card = ACCOUNTANTS
            .iter()
            .find(|card| card.id == id || (id, card.id) == ("laplace", "optimal"));
        let Some(card) = card else { continue };
        let curve = (card.of)(&[event.times(count).unwrap()]).unwrap();
        let expected: f64 = expected.parse().unwrap();
        let found = delta(&*curve, &crate::exact::parse_rational(epsilon).unwrap());
        if id == "laplace" {
            assert!(found >= expected - 1e-12, "{line}: {found}");
        } else {
            assert!((found / expected - 1.0).abs() <= 1e-6, "{line}: {found}");
        }
        compared += 1;
    }
    assert!(compared >= 30, "{compared}");
}

/// The largest of P(S) - e^g P'(S) over all sets S of outcomes, for independent pairs of laws: by
/// enumeration.
fn hockey_stick(pairs: &[Vec<(f64, f64)>], epsilon: f64) -> f64 {
    let all = pairs.iter().fold(vec![(1.0, 1.0)], |all, pair| {
        all.iter().flat_map(|(p, q)| pair.iter().map(move |(a, b)| (p * a, q * b))).collect()
    });
    all.into_iter().map(|(p, q): (f64, f64)| (p - epsilon.exp() * q).max(0.0)).sum()
}

/// The worst pair of an epsilon-differentially private release: randomized response.
fn response(epsilon: f64) -> Vec<(f64, f64)> {
    let likely = 1.0 / (1.0 + (-epsilon).exp());
    vec![(likely, 1.0 - likely), (1.0 - likely, likely)]
}

#[test]
fn the_optimum_is_that_of_randomized_responses() {
    for count in 1..=7 {
        for thousandth in [10, 400, 2500] {
            let optimal = OptimalHomogeneous::of(&[pure(thousandth, count)]).unwrap();
            for tenth in 0..10 {
                let epsilon = ratio((tenth * thousandth * count) as i64, 10_000);
                let pairs = vec![response(thousandth as f64 / 1000.0); count as usize];
                let truth = hockey_stick(&pairs, epsilon.to_f64().unwrap());
                let found = delta(&optimal, &epsilon);
                assert!((found - truth).abs() <= 1e-12, "{count} {thousandth} {tenth}");
            }
        }
    }
}

/// The optimal delta at 256 bits: the formula as printed, with all terms over one denominator.
fn optimum(epsilon: &BigRational, k: u64, target: &BigRational) -> (BigRational, BigRational) {
    let power = |x: &BigRational| Enclosure::rational(x, 256).exp_neg();
    let (mut above, mut all) =
        (power(&BigRational::zero()).add_integer(-1), power(&BigRational::zero()).add_integer(-1));
    for i in 0..=k {
        let choices = binomial(k, i).to_u64().unwrap();
        let weight = power(&(epsilon * BigInt::from(i)));
        all = all.add(&weight.times(choices));
        let loss = epsilon * (BigInt::from(k) - 2 * BigInt::from(i));
        if loss > *target {
            let other = power(&(epsilon * BigInt::from(k - i) - target));
            above = above.add(&weight.sub(&other).times(choices));
        }
    }
    let end = |a: &BigInt, b: &BigInt| BigRational::new(a.clone(), b.clone());
    (end(&above.lo, &all.hi), end(&above.hi, &all.lo))
}

proptest! {
    /// The delta reported is never below the true one, which is known to 70 digits, and hardly
    /// above.
    #[test]
    fn the_optimum_is_rounded_up(thousandth in 1u64..3000, k in 1u64..50, share in 0u64..1000) {
        let epsilon = ratio(thousandth as i64, 1000);
        let target = &epsilon * BigInt::from(k * share) / BigInt::from(1000);
        let (low, high) = optimum(&epsilon, k, &target);
        let optimal = OptimalHomogeneous::of(&[pure(thousandth, k)]).unwrap();
        let found = BigRational::from_float(delta(&optimal, &target)).unwrap();
        prop_assert!(found >= low);
        let slack = ratio(1, 10_000_000_000);
        prop_assert!(found <= high * (BigRational::one() + slack) + ratio(1, 10i64.pow(16)));
    }
}

/// For every order, by the formula as printed in the paper: delta is the least, never less.
#[test]
fn the_best_order_is_found() {
    for (rho, target) in [(0.02, 1.0), (0.5, 3.0), (3.0, 12.0), (0.001, 0.1)] {
        let found = Zcdp::of(&[Event::zcdp(rho).unwrap()]).unwrap().delta(target).unwrap();
        let orders = (1..200_000).map(|i| 1.0 + (f64::from(i) / 10_000.0 - 8.0).exp());
        let of =
            |a: f64| ((a - 1.0) * (a * rho - target)).exp() / (a - 1.0) * (1.0 - 1.0 / a).powf(a);
        let least = orders.map(of).fold(1.0, f64::min);
        assert!(found <= least * (1.0 + 1e-10) && found >= least * (1.0 - 1e-6), "{rho} {target}");
    }
}

/// Different epsilons, on a common grid and on one that is rounded up to, against all combinations
/// of answers.
#[test]
fn different_epsilons_against_all_combinations() {
    for (epsilons, rounding) in [
        (&[100u64, 250, 400][..], 1e-12),
        (&[10, 10, 70, 900, 30], 1e-12),
        (&[333, 334, 1, 999, 123, 457], 1e-12),
        // Their common divisor is too small for the grid.
        (&[100_003, 70_001, 5_000_011], 3e-4),
        (&[1, 1, 1, 400_009], 3e-4),
    ] {
        let scale = if rounding < 1e-6 { 1000 } else { 1_000_000 };
        let part = |number: u64| Epsilon::part(ratio(number as i64, scale));
        let events: Vec<Event> = epsilons.iter().map(|e| Event::pure(part(*e))).collect();
        let found = OptimalHeterogeneous::of(&events).unwrap();
        let total: u64 = epsilons.iter().sum();
        let pairs: Vec<_> = epsilons.iter().map(|e| response(*e as f64 / scale as f64)).collect();
        for tenth in 0..10 {
            let target = ratio((tenth * total) as i64, 10 * scale);
            let truth = hockey_stick(&pairs, target.to_f64().unwrap());
            let found = delta(&found, &target);
            assert!(found >= truth * (1.0 - 1e-12) - 1e-15, "{epsilons:?} {tenth}");
            assert!(found <= truth + rounding, "{epsilons:?} {tenth}: {found} {truth}");
        }
    }
}

/// The worst pair of a bounded-range release with losses t and t - epsilon.
fn offset_pair(epsilon: f64, t: f64) -> Vec<(f64, f64)> {
    let small = (t.exp() - 1.0) / (epsilon.exp() - 1.0);
    vec![(1.0 - small, (1.0 - small) * (-t).exp()), (small, small * (epsilon - t).exp())]
}

/// The largest delta over all offsets of all releases: a grid, then steps from its best point along
/// the axes and the diagonals of two.
fn best_offsets(epsilon: f64, count: usize, target: f64) -> f64 {
    let of = |t: &[f64]| {
        let pairs: Vec<_> = t.iter().map(|t| offset_pair(epsilon, *t)).collect();
        hockey_stick(&pairs, target)
    };
    let mut best = (0.0, vec![0.0; count]);
    for code in 0..8usize.pow(count as u32) {
        let digit = |j: usize| code / 8usize.pow(j as u32) % 8;
        let t: Vec<f64> = (0..count).map(|j| epsilon * (digit(j) as f64 + 0.5) / 8.0).collect();
        let here = of(&t);
        if here > best.0 {
            best = (here, t);
        }
    }
    let mut step = epsilon / 8.0;
    while step > 1e-7 * epsilon {
        let mut moves = Vec::new();
        for j in 0..count {
            for other in 0..count {
                for (a, b) in [(1.0, 0.0), (-1.0, 0.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
                    let mut t = best.1.clone();
                    t[j] += a * step;
                    t[other] += b * step;
                    moves.push(t.iter().map(|t| t.clamp(0.0, epsilon)).collect::<Vec<_>>());
                }
            }
        }
        let found = moves.into_iter().map(|t| (of(&t), t)).max_by(|a, b| a.0.total_cmp(&b.0));
        match found {
            Some(found) if found.0 > best.0 => best = found,
            _ => step /= 2.0,
        }
    }
    best.0
}

#[test]
fn one_offset_for_all_is_the_best_in_advance() {
    for count in 1..=4 {
        for thousandth in [200, 1500] {
            let event = range(thousandth, count).fixed_in_advance();
            let optimal = BoundedRangeInAdvance::of(&[event]).unwrap();
            let epsilon = thousandth as f64 / 1000.0;
            for share in [0, 1, 3, 6, 9] {
                let target = ratio((share * thousandth * count) as i64, 10_000);
                let truth = best_offsets(epsilon, count as usize, target.to_f64().unwrap());
                let found = delta(&optimal, &target);
                // The enumeration is rounded too.
                assert!(found >= truth - 1e-14, "{count} {epsilon} {share}");
                assert!(found <= truth * (1.0 + 1e-6) + 1e-12, "{count} {epsilon} {share}");
            }
        }
    }
}

/// For one release the best offset is in the middle of the target and epsilon.
#[test]
fn one_bounded_range_release_in_closed_form() {
    for (epsilon, target) in [(0.1f64, 0.0f64), (0.5, 0.2), (2.0, 1.0), (0.5, 0.49)] {
        let event = Event::bounded_range(epsilon.to_string().parse().unwrap());
        let truth = (((target - epsilon) / 2.0).exp_m1()).powi(2) / -(-epsilon).exp_m1();
        let known = BoundedRangeInAdvance::of(&[event.clone().fixed_in_advance()]).unwrap();
        assert!((known.delta(target).unwrap() / truth - 1.0).abs() < 1e-9, "{epsilon}");
        // 256 cells: an epsilon larger by a 256th.
        let found = BoundedRange::of(&[event]).unwrap().delta(target).unwrap();
        let wider = epsilon * 257.0 / 256.0;
        let above = (((target - wider) / 2.0).exp_m1()).powi(2) / -(-wider).exp_m1();
        assert!(found >= truth && found <= above * (1.0 + 1e-9), "{epsilon} {target}");
    }
}

/// The delta of an adversary who chooses each offset from a grid, given the earlier releases.
fn adaptive(epsilon: f64, count: u32, target: f64, grid: u32) -> f64 {
    if count == 0 {
        return -(target.exp_m1().min(0.0));
    }
    let of = |i: u32| {
        let t = epsilon * f64::from(i) / f64::from(grid);
        let small = (t.exp() - 1.0) / (epsilon.exp() - 1.0);
        let next = |target: f64| adaptive(epsilon, count - 1, target, grid);
        (1.0 - small) * next(target - t) + small * next(target - t + epsilon)
    };
    (0..=grid).map(of).fold(0.0, f64::max)
}

/// The price of adaptive releases is never below the delta that an adversary reaches. The price of
/// releases fixed in advance is: using it here is a broken variant, which the type refuses.
#[test]
fn dependence_costs_more_and_is_covered() {
    let mut broken = 0;
    for (count, grid) in [(2, 100), (3, 24)] {
        for thousandth in [300, 2000] {
            let fixed = range(thousandth, count).fixed_in_advance();
            let in_advance = BoundedRangeInAdvance::of(&[fixed]).unwrap();
            let any = BoundedRange::of(&[range(thousandth, count)]).unwrap();
            for share in 0..9 {
                let target = ratio((share * thousandth * count) as i64, 9000);
                let epsilon = thousandth as f64 / 1000.0;
                let reached = adaptive(epsilon, count as u32, target.to_f64().unwrap(), grid);
                let (found, least) = (delta(&any, &target), delta(&in_advance, &target));
                assert!(found >= reached && found >= least * (1.0 - 1e-9), "{count} {share}");
                assert!(found <= reached + 0.006, "{count} {share} {found} {reached}");
                broken += usize::from(least < reached * (1.0 - 1e-6));
            }
        }
    }
    assert!(broken >= 4, "{broken}");
    assert!(BoundedRangeInAdvance::of(&[range(300, 2)]).is_err());
}

/// A lattice with more cells gives less, and T cells no more than the optimum for a range larger by
/// 1/T.
#[test]
fn lattices_are_nested() {
    let target = ratio(1, 4);
    let of = |numerator: i64, cells: usize| {
        let event = Event::bounded_range(Epsilon::part(ratio(numerator, 640))).times(5).unwrap();
        BoundedRange::of(&[event]).unwrap().by_lattice(&target, cells)
    };
    let (coarse, fine, wider) = (of(64, 16), of(64, 128), of(68, 128));
    assert!(fine < coarse && coarse <= wider, "{fine} {coarse} {wider}");
}

/// On a grid of requests, a sharper premise or a sharper theorem never costs more.
#[test]
fn prices_are_in_order() {
    for (thousandth, count) in [(100, 5), (500, 3), (50, 30)] {
        let optimal = OptimalHomogeneous::of(&[pure(thousandth, count)]).unwrap();
        let mixed = OptimalHeterogeneous::of(&[pure(thousandth, count)]).unwrap();
        let zcdp = Zcdp::of(&[pure(thousandth, count)]).unwrap();
        let picks = range(thousandth, count);
        let in_advance = BoundedRangeInAdvance::of(&[picks.clone().fixed_in_advance()]).unwrap();
        let any = BoundedRange::of(std::slice::from_ref(&picks)).unwrap();
        let picks_zcdp = Zcdp::of(&[picks]).unwrap();
        for share in 0..8 {
            let target = ratio((share * thousandth * count) as i64, 8000);
            let curves: [&dyn Curve; 6] = [&in_advance, &any, &picks_zcdp, &zcdp, &optimal, &mixed];
            let [in_advance, any, picks_zcdp, zcdp, optimal, mixed] =
                curves.map(|curve| delta(curve, &target));
            let slack = 1.0 + 1e-9;
            assert!(in_advance <= any * slack && any <= picks_zcdp && picks_zcdp <= zcdp);
            assert!(any <= optimal * slack, "{thousandth} {count} {share} {any} {optimal}");
            assert!((optimal - mixed).abs() <= 1e-9, "{thousandth} {count} {share}");
            assert!(optimal <= zcdp * slack + 1e-15, "{thousandth} {count} {share}");
        }
    }
}

/// A broken variant: a pure event priced by an eighth of the square of its epsilon is cheaper than
/// its optimum.
#[test]
fn an_eighth_is_too_little_for_a_pure_event() {
    let optimum = OptimalHomogeneous::of(&[pure(100, 30)]).unwrap().delta(1).unwrap();
    let right = Zcdp::of(&[pure(100, 30)]).unwrap().delta(1).unwrap();
    let broken = Zcdp::of(&[range(100, 30)]).unwrap().delta(1).unwrap();
    assert!(broken < 0.01 * optimum && optimum < right);
    assert!(BoundedRange::of(&[pure(100, 30)]).is_err());
    assert!(BoundedRangeInAdvance::of(&[pure(100, 30).fixed_in_advance()]).is_err());
}

/// A broken variant: the same sum without directed rounding falls below the truth.
#[test]
fn nearest_rounding_is_rejected() {
    let mut below = 0;
    for (tenth, k) in (1..10u64).flat_map(|tenth| (1..20u64).map(move |k| (tenth, k))) {
        let epsilon = ratio(tenth as i64, 10);
        let target = ratio((tenth * k) as i64, 30);
        let q = (-0.1 * tenth as f64).exp();
        let pair = |i: u64| {
            let choices = binomial(k, i).to_f64().unwrap() / (1.0 + q).powi(k as i32);
            (choices * q.powi(i as i32), choices * q.powi((k - i) as i32))
        };
        let found = hockey_stick(&[(0..=k).map(pair).collect()], target.to_f64().unwrap());
        let truth = optimum(&epsilon, k, &target).0;
        below += usize::from(BigRational::from_float(found).unwrap() < truth);
    }
    assert!(below >= 20, "{below}");
}

/// Digits by mpmath 1.4 at 60 places: `ncdf(mu/2 - g/mu) - exp(g)*ncdf(-mu/2 - g/mu)`.
#[test]
fn gaussian_noise_to_many_digits() {
    for (mu, target, digits) in [
        ("0.1", "0", "3.987761167674492319264294354523e-2"),
        ("0.1", "0.5", "6.8565824558387265598349508132486e-9"),
        ("0.04", "0.2", "2.3629281167356276325357442842966e-9"),
        ("1", "1", "1.2693673750664394580082962475777e-1"),
        ("1", "6", "2.7878597637637621883605971301397e-9"),
        ("3", "4.5", "3.7848605164443783287879347393675e-1"),
        ("3", "40", "2.6280959900306694756705725554329e-33"),
        ("12", "30", "9.9966606811304232319045926449376e-1"),
        ("25", "400", "2.0204619351010808990941896838429e-4"),
    ] {
        let truth = crate::exact::parse_rational(digits).unwrap();
        let curve = GaussianNoise::of(&[Event::gaussian(mu, 1).unwrap()]).unwrap();
        let found = BigRational::from_float(curve.delta(target).unwrap()).unwrap();
        let unit = ratio(1, 1_000_000_000);
        assert!(found >= truth && found <= &truth * (BigRational::one() + unit), "{mu} {target}");
    }
}

/// Many small releases: the optima come near their limits, in epsilon for the same delta.
#[test]
fn optima_come_near_the_central_limit() {
    let near = |optimum: f64, events: &[Event]| {
        let limit = CentralLimit::of(events).unwrap().delta(optimum).unwrap();
        assert!((limit / 1e-3 - 1.0).abs() < 0.05, "{optimum} {limit}");
    };
    let events = [pure(10, 10_000)];
    near(OptimalHomogeneous::of(&events).unwrap().epsilon("1e-3").unwrap(), &events);
    let events = [range(80, 256).fixed_in_advance()];
    near(BoundedRangeInAdvance::of(&events).unwrap().epsilon("1e-3").unwrap(), &events);
    assert!(CentralLimit::of(&[Event::zcdp(1).unwrap()]).is_err());
}

/// Below the sum, basic composition has no delta but 1: the epsilon of any delta below 1 is the
/// sum.
#[test]
fn basic_composition_takes_the_sum_for_every_delta() {
    let basic = BasicComposition::of(&[pure(250, 2), range(125, 4)]).unwrap();
    assert_eq!(basic.total(), &thousandths(1000));
    assert_eq!((basic.delta("0.999").unwrap(), basic.delta(1).unwrap()), (1.0, 0.0));
    for below in ["0", "1e-200", "1e-6", "0.99"] {
        let epsilon = basic.epsilon(below).unwrap();
        assert!((1.0..1.0 + 1e-12).contains(&epsilon), "{below} {epsilon}");
    }
}

/// A card prices as its accountant does: the sum of epsilons, and zCDP of one Gaussian release with
/// the digits of its formula at the best order.
#[test]
fn cards_price_events() {
    let cards = ["basic", "homogeneous", "heterogeneous"];
    for card in ACCOUNTANTS.iter().filter(|card| cards.contains(&card.id)) {
        let epsilon = card.epsilon(&[pure(500, 4)], 0).unwrap();
        assert!((epsilon - 2.0).abs() < 1e-12, "{} {epsilon}", card.id);
    }
    for card in ACCOUNTANTS {
        let events = [priced(card, 300, 3)];
        let epsilon = card.epsilon(&events, "1e-3").unwrap();
        let curve = (card.of)(&events).unwrap();
        let at = |epsilon: f64| delta(&*curve, &BigRational::from_float(epsilon).unwrap());
        assert!(at(epsilon) <= 1e-3 && at(epsilon * (1.0 - 1e-6)) > 1e-3, "{} {epsilon}", card.id);
    }
}

/// mu^2 is the sum of eps^2 of pure events, eps^2/4 of bounded range, and (sensitivity/deviation)^2
/// of Gaussian noise.
#[test]
fn the_central_limit_adds_squares() {
    let events = [pure(300, 4), range(800, 3), Event::gaussian(1, 2).unwrap()];
    let squares: f64 = 4.0 * 0.09 + 3.0 * 0.16 + 0.25;
    assert!((CentralLimit::of(&events).unwrap().mu() - squares.sqrt()).abs() < 1e-12);
}
