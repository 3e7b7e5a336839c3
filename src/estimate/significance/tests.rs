use super::*;
use crate::random::Entropy;
use crate::support::oracle::gauss_legendre;

pub(super) fn bits(seed: u64) -> Bits {
    Entropy::Seeded(seed).source().unwrap().bits(9)
}

fn two_classes(counts: [f64; 2], rate: f64, family: Family) -> SignificanceTest {
    let counts = counts.into();
    SignificanceTest {
        counts,
        rate,
        step: 1.0,
        tests: vec![10.0],
        noise: 5.0,
        family,
        graded: false,
    }
}

fn judge(significance: &SignificanceTest, effect_sizes: &[f64], seed: u64) -> Option<Judgement> {
    let classed: Vec<(f64, usize)> = effect_sizes.iter().map(|effect| (*effect, 0)).collect();
    significance.judge(effect_sizes.len(), &classed, &bits(seed))
}

/// P(A_1 + A_0 >= e) for the laws of Massart's bounds, by quadrature, against kappa(L) e^-L.
#[test]
fn kappa_bounds_the_sum_of_two_deviations() {
    let nodes = gauss_legendre(8);
    for ratio in [1e-4, 1e-3, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5] {
        let squares: [f64; 2] = [ratio, 1.0 - ratio];
        for step in 1..120 {
            let l = f64::from(step) * 0.25;
            let e = (2.0 * l).sqrt();
            let first = squares.map(|square| (2.0 * LN_2 * square).sqrt());
            let tail = |a: usize, x: f64| {
                if x < first[a] { 1.0 } else { (-x * x / (2.0 * squares[a])).exp() }
            };
            if e < first[0] + first[1] {
                assert!(kappa(l) * (-l).exp() >= 1.0);
                continue;
            }
            let mut p = tail(0, e - first[1]) / 2.0 + tail(1, e);
            let pieces = 400;
            let width = (e - first[1]) / f64::from(pieces);
            for i in 0..pieces {
                for (t, weight) in &nodes {
                    let u = first[1] + (f64::from(i) + t) * width;
                    p += weight * width * u / squares[1] * tail(1, u) * tail(0, e - u);
                }
            }
            assert!(p.min(1.0) <= kappa(l) * (-l).exp() + 1e-6, "{ratio}, {l}: {p}");
        }
    }
}

/// The exact law of the one-sided distance of two samples, along all lattice paths.
#[test]
fn thresholds_stay_below_their_bound() {
    for (n1, n0) in [(1usize, 1usize), (1, 40), (3, 3), (5, 60), (20, 20), (30, 70), (100, 100)] {
        let n = (n1 + n0) as f64;
        for step in 1..=20 {
            let e = f64::from(step) / 20.0;
            // The probability of each place without having reached the distance before.
            let mut reach = vec![vec![0.0; n0 + 1]; n1 + 1];
            for i in 0..=n1 {
                for j in 0..=n0 {
                    let left = n - (i + j) as f64;
                    let mut p = if i + j == 0 { 1.0 } else { 0.0 };
                    if i > 0 {
                        p += reach[i - 1][j] * (n1 - i + 1) as f64 / (left + 1.0);
                    }
                    if j > 0 {
                        p += reach[i][j - 1] * (n0 - j + 1) as f64 / (left + 1.0);
                    }
                    let distance = i as f64 / n1 as f64 - j as f64 / n0 as f64;
                    reach[i][j] = if distance >= e - 1e-9 { 0.0 } else { p };
                }
            }
            let p = 1.0 - reach[n1][n0];
            let l = 2.0 * e * e * harmonic(n1 as f64, n0 as f64);
            assert!(p <= kappa(l) * (-l).exp() + 1e-9, "{n1}, {n0}, {e}: {p}");
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Cell {
    Number(i8),
    Word(i8),
    Missing,
}

/// All functions of the family that differ on a column, up to sign: one column of values each;
/// thresholds first.
fn functions(column: &[Cell]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let threshold = |c: i8| {
        let value = |cell: &Cell| match cell {
            Cell::Number(x) => {
                if *x > c {
                    1.0
                } else {
                    -1.0
                }
            }
            _ => 0.0,
        };
        column.iter().map(value).collect()
    };
    let word = |v: i8| {
        let value = |cell: &Cell| match cell {
            Cell::Missing => 0.0,
            cell => {
                if *cell == Cell::Word(v) {
                    1.0
                } else {
                    -1.0
                }
            }
        };
        column.iter().map(value).collect()
    };
    ((-1..12).map(threshold).collect(), (-1..12).map(word).collect())
}

/// All ways to label the rows of columns with ties, categories and missing cells: the bounds of the
/// whole family, of one function, and of the noisy center are never exceeded.
#[test]
fn bounds_hold_for_all_labelings() {
    use Cell::{Missing, Number, Word};
    let columns = [
        (0..10).map(Number).collect::<Vec<_>>(),
        (0..9).map(|i| Number(i / 3)).collect(),
        (0..10).map(Word).collect(),
        (0..10).map(|i| Word(i / 4)).collect(),
        (0..10).map(|i| if i < 4 { Missing } else { Number(i) }).collect(),
        (0..10).map(|i| if i < 4 { Missing } else { Word(i / 2) }).collect(),
        (0..10)
            .map(|i| {
                if i < 3 {
                    Missing
                } else if i < 6 {
                    Word(i)
                } else {
                    Number(i / 2)
                }
            })
            .collect(),
        vec![Missing; 6],
    ];
    for column in &columns {
        let n = column.len();
        let (thresholds, words) = functions(column);
        for ones in 1..n {
            let labelings: Vec<usize> =
                (0..1usize << n).filter(|m| m.count_ones() as usize == ones).collect();
            let rows = [(n - ones) as f64, ones as f64];
            let exact = rows[1] / n as f64;
            let proxy = harmonic(rows[0], rows[1]) + rows[0].min(rows[1]) / n as f64;
            let significance = two_classes(rows, 1.0, Family::AnyFunction);
            let null = Null::new(&significance, 0, rows.into(), rows.into());
            let sum = |f: &[f64], labels: usize, c: f64| -> f64 {
                f.iter()
                    .enumerate()
                    .map(|(i, f)| f * ((labels >> i & 1) as f64 - c))
                    .sum::<f64>()
                    .abs()
            };
            let check = |family: &[&Vec<f64>], c: f64, bound: &dyn Fn(f64) -> f64| {
                let best =
                    |labels: &usize| family.iter().map(|f| sum(f, *labels, c)).fold(0.0, f64::max);
                let mut scores: Vec<f64> = labelings.iter().map(best).collect();
                scores.sort_by(f64::total_cmp);
                for (i, y) in scores.iter().enumerate() {
                    // Equal scores are reached together.
                    let at_least =
                        if i > 0 && y - scores[i - 1] < 1e-9 { continue } else { scores.len() - i };
                    let p = at_least as f64 / scores.len() as f64;
                    assert!(p <= bound(*y) + 1e-9, "{n}, {ones}, {c}, {y}: {p} > {}", bound(*y));
                }
            };
            let all: Vec<&Vec<f64>> = thresholds.iter().chain(&words).collect();
            let lambda = |y: f64| y * y / (2.0 * proxy);
            check(&all, exact, &|y| null.constant(lambda(y)) * (-lambda(y)).exp());
            let numbers: Vec<&Vec<f64>> = thresholds.iter().collect();
            check(&numbers, exact, &|y| 4.0 * kappa(lambda(y)) * (-lambda(y)).exp());
            for f in &all {
                check(&[f], exact, &|y| 2.0 * (-lambda(y)).exp());
            }
            for c in [0.0, 0.3, 0.5, 0.9] {
                let shift = n as f64 * (c - exact).abs();
                let tail = |y: f64| {
                    let excess = (y * y - shift * shift) / (2.0 * (n as f64 + 2.0) / 4.0);
                    if y <= shift + 1e-9 { 1.0 } else { 2.0 * (-excess).exp() }
                };
                for f in &all {
                    check(&[f], c, &tail);
                }
                check(&all, c, &|y| (n as f64 + 1.0) * tail(y));
            }
        }
    }
}

/// A draw's value for a cell is at least the value for each vector of true counts in it.
#[test]
fn a_cell_bounds_all_its_counts() {
    let mut words = bits(3).lane(0);
    for trial in 0..4000 {
        let classes = if trial % 4 == 3 { 3 } else { 2 };
        let mut within = |low: f64, high: f64| low + (high - low) * unit(&mut words);
        let least: Vec<f64> =
            (0..classes).map(|_| (within(-10.0, 8.0f64)).exp2().max(0.0)).collect();
        let most: Vec<f64> = least.iter().map(|n| n + within(0.0, 30.0)).collect();
        let truth: Vec<f64> = least.iter().zip(&most).map(|(a, b)| within(*a, *b)).collect();
        let noise: Vec<f64> = (0..classes).map(|_| within(-30.0, 30.0)).collect();
        let draw =
            Draw { counts: noise, minus_ln: within(0.0, 8.0), effect_size: within(-5.0, 5.0) };
        let family = if trial % 3 == 0 { Family::Sums } else { Family::AnyFunction };
        let mut significance = two_classes([1.0, 1.0], 0.1, family);
        significance.counts = least.clone();
        significance.graded = trial % 4 == 2;
        let null = Null::new(&significance, 0, least, most);

        let noisy: Vec<f64> =
            truth.iter().zip(&draw.counts).map(|(n, z)| (n + z).max(0.0)).collect();
        let total: f64 = noisy.iter().sum();
        if total <= 0.0 {
            continue;
        }
        let n: f64 = truth.iter().sum();
        let shift =
            truth.iter().zip(&noisy).map(|(n_a, m)| (n_a - n * m / total).abs()).sum::<f64>() / 2.0;
        let d = 1.0 - noisy.iter().fold(f64::INFINITY, |least, m| least.min(*m)) / total;
        let group = |g: usize| {
            let a: f64 = (0..classes).filter(|i| g >> i & 1 == 1).map(|i| truth[i]).sum();
            a * (n - a) / n + a.min(n - a) / n
        };
        let proxy = (1..(1 << classes) - 1).map(group).fold(0.0, f64::max);
        let all = null.lambda_all(draw.minus_ln + null.ln_tests);
        let count = if family == Family::Sums { 1.0 } else { n + 1.0 };
        let each = draw.minus_ln + null.ln_tests + (2.0 * count).ln();
        let whole =
            if significance.graded { f64::INFINITY } else { shift + (2.0 * proxy * all).sqrt() };
        let one = (shift * shift + (n + 2.0) / 2.0 * each).sqrt();
        let scale = if classes == 2 && !significance.graded {
            noisy[0] * noisy[1] / total
        } else {
            total / 4.0
        };
        let direct = (whole.min(one) - (2.0 * null.typical * scale).sqrt()) / d + draw.effect_size;
        let value = null.value(&draw, &mut Scratch::default());
        assert!(value >= direct - 1e-9, "{trial}: {value} < {direct}");
    }
}

/// The bound of the largest n_G (n - n_G)/n, and the number of groupings, by enumeration.
#[test]
fn bounds_over_groupings_of_classes() {
    for counts in [vec![3.0, 4.0, 5.0], vec![10.0, 1.0, 2.0, 3.0], vec![7.0, 2.0]] {
        let n: f64 = counts.iter().sum();
        let masks = 1..(1usize << counts.len()) - 1;
        let of = |g: usize| {
            let a: f64 = (0..counts.len()).filter(|i| g >> i & 1 == 1).map(|i| counts[i]).sum();
            a * (n - a) / n
        };
        assert!(variance(&counts) >= masks.clone().map(of).fold(0.0, f64::max) - 1e-12);
        assert!((ln_groupings(counts.len()).exp() - masks.count() as f64 / 2.0).abs() < 1e-9);
    }
}

#[test]
fn larger_effects_have_smaller_p_values() {
    let significance = two_classes([150.0, 150.0], 0.2, Family::AnyFunction);
    let effect_sizes: Vec<f64> = (0..30).map(|i| f64::from(i) * 20.0).collect();
    let Judgement { p_values: p, critical } = judge(&significance, &effect_sizes, 1).unwrap();
    let critical = critical[0];
    assert!(
        p.iter().zip(&effect_sizes).all(|(p, x)| (*p <= LEVEL) == (*x > critical)),
        "{critical}"
    );
    assert!(p.windows(2).all(|pair| pair[0] >= pair[1]));
    assert_eq!((p[0], p[29] < 0.011), (1.0, true));
    // Too few rows, and one class alone.
    assert!(judge(&two_classes([9.0, 9.0], 0.2, Family::Sums), &[1.0], 1).is_none());
    assert!(judge(&two_classes([90.0, -2.0], 0.2, Family::Sums), &[1.0], 1).is_none());
}

/// A constant column, whose score is only the error of the center: taking the center as exact makes
/// it significant repeatedly.
#[test]
fn the_noise_of_the_center_counts() {
    let (mut calls, mut broken) = (0, 0);
    for seed in 0..12 {
        let mut words = bits(seed).lane(3);
        let counts = [200.0; 2].map(|n| n + laplace(0.02, 1.0, &mut words));
        let share = counts[1] / (counts[0] + counts[1]);
        let effect_size = (200.0 - 400.0 * share).abs() / share.max(1.0 - share);
        let called = |rate: f64| {
            let significance = SignificanceTest {
                tests: vec![1.0],
                noise: 0.1,
                ..two_classes(counts, rate, Family::Sums)
            };
            judge(&significance, &[effect_size], seed)
                .is_some_and(|judged| judged.p_values[0] <= LEVEL)
        };
        calls += usize::from(called(0.02));
        broken += usize::from(called(1e6));
    }
    // At most 5% each: four of twelve have probability below 0.003.
    assert!(calls < 4 && broken >= 4, "{calls}, {broken}");
}

/// Ten effect sizes that are noise alone: testing each as if it were released alone makes one
/// significant.
#[test]
fn the_noise_of_all_effect_sizes_counts() {
    let (mut calls, mut broken) = (0, 0);
    for seed in 0..6 {
        let mut words = bits(seed).lane(3);
        let radius: f64 = (0..11).map(|_| -unit(&mut words).ln()).sum();
        let effect_sizes: Vec<f64> =
            (0..10).map(|_| 50.0 * radius * (2.0 * unit(&mut words) - 1.0)).collect();
        let significance =
            SignificanceTest { noise: 50.0, ..two_classes([15.0; 2], 10.0, Family::Sums) };
        let called = |effect_sizes: &[f64]| {
            let judged = judge(&significance, effect_sizes, seed).unwrap();
            judged.p_values.iter().any(|p| *p <= LEVEL)
        };
        calls += usize::from(called(&effect_sizes));
        broken += usize::from(effect_sizes.iter().any(|one| called(&[*one])));
    }
    assert!(calls < 3 && broken >= 3, "{calls}, {broken}");
}

/// For any effect size, 0.01 is reserved for the counts, and the number of draws is limited.
#[test]
fn the_smallest_p_value() {
    let significance = two_classes([200.0, 200.0], 0.5, Family::AnyFunction);
    let p = judge(&significance, &[1e9], 1).unwrap().p_values[0];
    assert!((p - (0.01 + 1.0 / 5001.0)).abs() < 1e-12, "{p}");
}

/// The ends of the box, n +- (ln(classes/beta)/rate + step/2) but not below 0, cut so that a cell
/// is a fifth of the smaller count at most, into four at most; without a positive count into four.
#[test]
fn cells_tile_the_box() {
    for (counts, rate, step, cuts) in [
        ([100.0, 60.0], 0.5, 1.0, 2),
        ([1000.0, 600.0], 0.5, 1.0, 1),
        ([20.0, 100.0], 0.5, 3.0, 4),
        ([200.0, 40.0], 0.5, 1.0, 3),
        ([100.0, -1.0], 0.5, 1.0, 4),
    ] {
        let test = SignificanceTest { step, ..two_classes(counts, rate, Family::Sums) };
        let reach = (2.0f64 / 0.01).ln() / rate + step / 2.0;
        let end = |n: f64, i: usize| (n - reach + 2.0 * reach * i as f64 / cuts as f64).max(0.0);
        let cells = test.cells(0.01);
        assert_eq!(cells.len(), cuts * cuts, "{counts:?}");
        for (i, j) in (0..cuts).flat_map(|i| (0..cuts).map(move |j| (i, j))) {
            let expected =
                [(i, j), (i + 1, j + 1)].map(|(i, j)| [end(counts[0], i), end(counts[1], j)]);
            let near = |cell: &[f64], expected: [f64; 2]| {
                cell.iter().zip(expected).all(|(end, expected)| (end - expected).abs() < 1e-9)
            };
            let found = cells.iter().filter(|(l, m)| near(l, expected[0]) && near(m, expected[1]));
            assert!(found.count() > 0, "{counts:?} {i} {j}");
        }
    }
    let counts = vec![50.0, 20.0, 3.0];
    let three = SignificanceTest { counts, ..two_classes([0.0; 2], 2.0, Family::Sums) };
    let reach = 300f64.ln() / 2.0 + 0.5;
    let [(least, most)] = &three.cells(0.01)[..] else { panic!("one cell") };
    for (i, n) in [50.0, 20.0, 3.0f64].into_iter().enumerate() {
        assert!(
            (least[i] - (n - reach).max(0.0)).abs() < 1e-9 && (most[i] - n - reach).abs() < 1e-9
        );
    }
}

/// sqrt(2 Lambda_0 n1 n0/n)/(1 - n0/n), Lambda_0 = ln(4 d) for sums.
#[test]
fn threshold_matches_the_formula() {
    let test = two_classes([30.0, 10.0], 1.0, Family::Sums);
    let null = Null::new(&test, 0, vec![30.0, 10.0], vec![30.0, 10.0]);
    assert!(
        (null.significance.main_terms(&[30.0, 10.0])[0] - (2.0 * 40f64.ln() * 7.5).sqrt() / 0.75)
            .abs()
            < 1e-12
    );
}

/// Without noise the critical effect size for one of d sums is sqrt(2 ln(2 d/0.04) n1 n0/n)/D, up
/// to the error of a quantile of 5,000 draws: that of 0.04 has a standard deviation of 7%, and five
/// of those are 3.3% of the effect size.
#[test]
fn the_critical_effect_size_without_noise() {
    for (n1, n0) in [(5000.0, 5000.0), (9000.0, 3000.0f64)] {
        let test = SignificanceTest {
            noise: 1e-9,
            step: 1e-6,
            ..two_classes([n1, n0], 1e6, Family::Sums)
        };
        let variance = n1 * n0 / (n1 + n0);
        let sensitivity = f64::max(n1, n0) / (n1 + n0);
        let expected = (2.0 * (20.0f64 / 0.04).ln() * variance).sqrt() / sensitivity;
        let critical = judge(&test, &[0.0], 1).unwrap().critical[0];
        assert!((critical / expected - 1.0).abs() < 0.033, "{critical} {expected}");
    }
}

/// Without effect sizes not all values are lowered, and the threshold is the same.
#[test]
fn thresholds_do_not_need_all_values() {
    for counts in [[9.0, 14.0], [30.0, 90.0], [400.0, 350.0], [2000.0, 60.0]] {
        for (family, rate) in
            [(Family::AnyFunction, 0.3), (Family::AnyFunction, 0.05), (Family::Sums, 0.3)]
        {
            let mut test = two_classes(counts, rate, family);
            for tests in [vec![10.0], vec![40.0, 400.0]] {
                test.tests = tests;
                for (draws, alpha, k) in [(1000, LEVEL, 3), (4000, LEVEL / 2.0, 0)] {
                    let threshold = |effect_sizes: &[(f64, usize)]| {
                        let simulated = Simulated { draws, kept: 1.0 };
                        let judged = test.judge_by(simulated, alpha, k, effect_sizes, &bits(1));
                        judged.map(|judged| judged.critical)
                    };
                    assert_eq!(threshold(&[]), threshold(&[(1.0, 0)]), "{counts:?} {rate}");
                }
            }
        }
    }
}

/// Predictions leave out draws that would hardly change them.
#[test]
fn predictions_do_not_need_all_draws() {
    let mut equal = 0;
    for counts in [[3.0, 5.0], [9.0, 14.0], [30.0, 90.0], [400.0, 350.0], [2000.0, 60.0]] {
        for (rate, family, noise) in [
            (0.05, Family::AnyFunction, 5.0),
            (0.1, Family::Sums, 1.0),
            (0.3, Family::AnyFunction, 1.0),
            (1.0, Family::Sums, 0.0),
        ] {
            for tests in [vec![3000.0], vec![40.0, 400.0]] {
                let test = SignificanceTest { noise, tests, ..two_classes(counts, rate, family) };
                for (alpha, k) in [(LEVEL, 3), (LEVEL / 2.0, 0), (0.25, 0)] {
                    let critical = |simulated| {
                        let judged = test.judge_by(simulated, alpha, k, &[], &bits(1));
                        judged.map(|judged| judged.critical[0])
                    };
                    let few = Simulated::for_prediction(alpha);
                    let (few, all) = (critical(few), critical(Simulated { kept: 1.0, ..few }));
                    equal += usize::from(few == all);
                    let Some((few, all)) = few.zip(all) else { continue };
                    assert!(few <= all && few >= 0.99 * all, "{counts:?} {rate}: {few} {all}");
                }
            }
        }
    }
    assert!(equal >= 110, "{equal} of 120");
}

/// With weights the same formula has 1/weight for d, for effect sizes and for exact scores.
#[test]
fn thresholds_by_weight() {
    let (tests, n) = (vec![300.0, 20.0, 2.5], 5000.0);
    let weighted = |family| SignificanceTest {
        noise: 1e-9,
        step: 1e-6,
        tests: tests.clone(),
        ..two_classes([n, n], 1e6, family)
    };
    let test = weighted(Family::Sums);
    let level = test.level(LEVEL, &bits(2)).unwrap();
    let judged = test.judge(1, &[(400.0, 0), (400.0, 1), (400.0, 2)], &bits(1)).unwrap();
    for (class, of_class) in tests.iter().enumerate() {
        let expected = (2.0 * (2.0f64 * of_class / 0.04).ln() * n / 2.0).sqrt() / 0.5;
        for found in [judged.critical[class], level[class]] {
            assert!((found / expected - 1.0).abs() < 0.04, "{class}: {found} {expected}");
        }
    }
    assert!(judged.p_values.is_sorted_by(|a, b| a > b), "{:?}", judged.p_values);
    // A class alone has the same threshold as among others, up to the error of quantiles.
    for family in [Family::Sums, Family::AnyFunction, Family::Signs] {
        let together = weighted(family).level(LEVEL, &bits(3)).unwrap();
        for (class, of_class) in tests.iter().enumerate() {
            let alone = SignificanceTest { tests: vec![*of_class], ..weighted(family) };
            let alone = alone.level(LEVEL, &bits(3)).unwrap()[0];
            assert!((together[class] / alone - 1.0).abs() < 0.04, "{family:?} {class}");
        }
    }
}

/// Null features whose scores have the largest tail allowed, 2 e^-Lambda, against the thresholds of
/// their weights: any is above in about 4% of tables, the part of alpha for exact counts. Broken
/// variants that tests must reject: weights by the scores themselves, and weights that add up to
/// more than 1.
#[test]
fn weighted_thresholds_bound_false_discoveries() {
    let n = 5000.0;
    // One feature has half of the weight, 8 have a quarter, 128 the rest.
    let classes = [(1usize, 2.0), (8, 32.0), (128, 512.0)];
    let test = SignificanceTest {
        noise: 1e-9,
        step: 1e-6,
        tests: classes.map(|(_, tests)| tests).to_vec(),
        ..two_classes([n, n], 1e6, Family::Sums)
    };
    let level = test.level(LEVEL, &bits(5)).unwrap();
    let class_of: Vec<usize> =
        classes.iter().enumerate().flat_map(|(class, (number, _))| vec![class; *number]).collect();
    let (mut words, tables) = (bits(6).lane(0), 4000);
    let [mut fixed, mut by_scores, mut all_large] = [0; 3];
    for _ in 0..tables {
        let score = |_: &usize| {
            let lambda = -(unit(&mut words) / 2.0).ln();
            (2.0 * lambda * n / 2.0).sqrt() / 0.5
        };
        let scores: Vec<f64> = class_of.iter().map(score).collect();
        let above = |class_of: &[usize], scores: &[f64]| {
            i32::from(scores.iter().zip(class_of).any(|(score, class)| *score > level[*class]))
        };
        fixed += above(&class_of, &scores);
        all_large += above(&[0; 137], &scores);
        let mut sorted = scores;
        sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        by_scores += above(&class_of, &sorted);
    }
    let [fixed, by_scores, all_large] =
        [fixed, by_scores, all_large].map(|count| f64::from(count) / f64::from(tables));
    assert!(fixed > 0.025 && fixed <= LEVEL, "{fixed}");
    assert!(by_scores > 0.2 && all_large > 0.2, "{by_scores} {all_large}");
}

/// Against the largest of ten thousand points.
#[test]
fn largest_values_between_two_ends() {
    let most = |low: f64, high: f64, at: &dyn Fn(f64) -> f64| {
        let points = (0..=10_000).map(|i| low + (high - low) * f64::from(i) / 10_000.0);
        points.map(at).fold(f64::NEG_INFINITY, f64::max)
    };
    for noise in [[3.0, 2.0], [2.0, 3.0], [1.0, 9.0], [-3.0, -2.0], [-3.0, 5.0], [0.5, 0.5]] {
        for (low, high) in [(0.2, 0.7), (0.0, 1.0), (0.5, 0.6), (0.05, 0.3)] {
            let at = |share: f64| -((1.0 - share).powi(2) * noise[1] + share * share * noise[0]);
            let place = |share| Place { share, shift: 0.0, sensitivity: 1.0 };
            let found = fallen(&noise, &[place(low), place(high)]);
            assert!((found - most(low, high, &at)).abs() < 1e-6, "{noise:?} {low} {high}");
        }
    }
    for (a, b, c) in
        [(2.0, 1.0, 1.0), (1.0, 4.0, 3.0), (3.0, -4.0, 1.0), (3.0, 4.0, 1.0), (1.0, -1.0, 2.0)]
    {
        for (low, high) in [(0.0, 10.0), (0.1, 0.4), (1.0, 3.0), (5.0, 50.0)] {
            let at = |w: f64| (a * w + b).max(0.0).sqrt() - (c * w).sqrt();
            let (found, expected) = (largest_gap(a, b, c, low, high), most(low, high, &at));
            assert!((found - expected).abs() < 1e-4, "{a} {b} {c} {low} {high}");
        }
    }
}

/// R times the largest of k uniform numbers from -1 to 1: not above 0 with probability 2^-k;
/// Laplace noise for k = 1. The numbers of 20,000 draws lie within 4.9 standard deviations (1e-6).
#[test]
fn largest_noise_has_its_distribution() {
    for (k, beyond, p) in [
        (1, 0.0, 0.5),
        (3, 0.0, 0.875),
        (1, 2.0, (-2.0f64).exp() / 2.0),
        (12, 0.0, 1.0 - 0.5f64.powi(12)),
    ] {
        let mut words = bits(17).lane(0);
        let draws = (0..20_000).filter(|_| largest_noise(k, &mut words) > beyond).count() as f64;
        let deviation = (20_000.0 * p * (1.0 - p)).sqrt();
        assert!((draws - 20_000.0 * p).abs() < 4.9 * deviation, "{k} {beyond}: {draws}");
    }
}

/// The probability that a walk through all rows of two classes in random order comes to a place
/// with i rows of one and j of the other that is beyond, at all and in its first half.
fn crossed([n1, n0]: [usize; 2], beyond: &dyn Fn(usize, usize) -> bool) -> [f64; 2] {
    // The probability of each place without having crossed before.
    let mut reach = vec![vec![0.0; n0 + 1]; n1 + 1];
    let mut at_half = 0.0;
    for i in 0..=n1 {
        for j in 0..=n0 {
            let left = (n1 + n0 - i - j) as f64;
            let mut p = if i + j == 0 { 1.0 } else { 0.0 };
            if i > 0 {
                p += reach[i - 1][j] * (n1 - i + 1) as f64 / (left + 1.0);
            }
            if j > 0 {
                p += reach[i][j - 1] * (n0 - j + 1) as f64 / (left + 1.0);
            }
            let crossed = beyond(i, j);
            reach[i][j] = if crossed { 0.0 } else { p };
            if 2 * (i + j) <= n1 + n0 && crossed {
                at_half += p;
            }
        }
    }
    [1.0 - reach[n1][n0], at_half]
}

/// A way to subtract the sum over missing values from a signed sum, given as (sum, missing).
type Subtract = fn(f64, f64) -> f64;

/// Values in some rows of each class, in random order among them, missing in the others: the
/// probability that a threshold, or a set of rows, scores y is at most the bound for all rows. This
/// fails if the sum over missing values is not subtracted, or subtracted from the sums of one sign
/// alone.
#[test]
fn missing_values_make_crossings_no_more_likely() {
    use crate::exact::ln_binomial;
    let absolute: Subtract = |sum, missing| sum - missing.abs();
    let nothing: Subtract = |sum, _| sum;
    let one_sign: Subtract = |sum, missing| sum - missing.max(0.0);
    let (mut broken, mut closest) = ([0; 2], 0.0f64);
    for [n1, n0] in [[20usize, 20usize], [60, 60], [15, 90], [90, 15], [150, 50]] {
        let (rows, n) = ([n1 as f64, n0 as f64], (n1 + n0) as f64);
        let v = harmonic(rows[0], rows[1]);
        let tail = Crossing::new(rows, rows, n / v);
        let parts = |n: usize| [1, n / 10, n / 3, n / 2, n - n / 10, n].map(|a| a.clamp(1, n));
        for (a1, a0) in parts(n1).into_iter().flat_map(|a| parts(n0).map(|b| (a, b))) {
            let observed = (a1 + a0) as f64;
            for shift in [0.0, 3.0, -3.0, 12.0, -12.0] {
                // The center at which all rows add up to the shift.
                let m = (rows[0] - shift) / n;
                let missing = (n1 - a1) as f64 - m * (n - observed);
                // The sum of f (y - m) with f = 1 for i and j rows of the classes, else -1.
                let sum = |i: usize, j: usize| {
                    let used = i as f64 - m * (i + j) as f64;
                    2.0 * used - (a1 as f64 - m * observed)
                };
                for step in [1, 2, 4, 6, 8, 11, 14] {
                    let shift = f64::abs(shift);
                    let y = shift + f64::from(step) * 0.4 * v.sqrt();
                    let odd =
                        (rows[0] - rows[1]).abs() / n * (y + shift) * (y + shift) / (12.0 * v * y);
                    let lambda = (y * y - shift * shift) / (2.0 * v * (1.0 + odd) * (1.0 + odd));
                    let bound = tail.theta(lambda, shift) * (-lambda).exp();
                    let of = |subtract: Subtract| {
                        crossed([a1, a0], &|i, j| subtract(sum(i, j), missing) >= y - 1e-9)
                    };
                    let [p, at_half] = of(absolute);
                    let place = format!("{n1} {n0} {a1} {a0} {shift} {y}");
                    assert!(p <= 2.0 * bound + 1e-9, "{place}: {p} > 2 {bound}");
                    assert!(at_half <= bound + 1e-9, "{place}: {at_half} > {bound}");
                    closest = closest.max(at_half / bound);
                    for (broken, subtract) in broken.iter_mut().zip([nothing, one_sign]) {
                        *broken += usize::from(of(subtract)[0] > 2.0 * bound + 1e-9);
                    }
                    // Sets of rows of one size, as many as there is room for, and the constant.
                    let words = (tail.constant(lambda, shift) - 8.0 * tail.theta(lambda, shift))
                        * (-lambda).exp();
                    for size in [1, 2, 5, 12, 30].map(|s: usize| s.min(a1 + a0)) {
                        let total = ln_binomial(a1 + a0, size);
                        let one: f64 = (size.saturating_sub(a0)..=size.min(a1))
                            .filter(|i| sum(*i, size - i).abs() - missing.abs() >= y - 1e-9)
                            .map(|i| (ln_binomial(a1, i) + ln_binomial(a0, size - i) - total).exp())
                            .sum();
                        let all = observed / size as f64 * one;
                        assert!(all <= words + 1e-9, "{place} {size}: {all} > {words}");
                    }
                    assert!(sum(0, 0).abs() - missing.abs() < y, "{place}");
                }
            }
        }
    }
    assert!(closest > 0.1 && broken.iter().all(|broken| *broken > 0), "{closest} {broken:?}");
}

/// Walks of two classes in random order across a line, exactly along all lattice paths, against the
/// bound of one side of the thresholds at a noisy center; and the same of one set of rows.
#[test]
fn crossings_stay_below_their_bound() {
    let (mut closest, mut broken) = (0.0f64, [0; 2]);
    for [n1, n0] in [[20usize, 20usize], [60, 60], [15, 90], [90, 15], [150, 50], [200, 200]] {
        let (rows, n) = ([n1 as f64, n0 as f64], (n1 + n0) as f64);
        let (c, v) = (rows[0] / n, harmonic(rows[0], rows[1]));
        let tail = Crossing::new(rows, rows, 0.0);
        for shift in [0.0, 3.0, -3.0, 12.0, -12.0] {
            for step in 1..=16 {
                let y = f64::abs(shift) + f64::from(step) * 0.4 * v.sqrt();
                let score = |i: usize, j: usize| {
                    let k = (i + j) as f64;
                    2.0 * (i as f64 - c * k) + shift * (2.0 * k / n - 1.0)
                };
                let [p, at_half] = crossed([n1, n0], &|i, j| score(i, j) >= y - 1e-9);
                let shift = f64::abs(shift);
                let odd = (1.0 - 2.0 * c).abs() * (y + shift) * (y + shift) / (12.0 * v * y);
                let lambda = (y * y - shift * shift) / (2.0 * v * (1.0 + odd) * (1.0 + odd));
                let bound = tail.theta(lambda, shift) * (-lambda).exp();
                assert!(p <= 2.0 * bound + 1e-9, "{n1} {n0} {shift} {y}: {p} > 2 {bound}");
                assert!(at_half <= bound + 1e-9, "{n1} {n0} {shift} {y}: {at_half} > {bound}");
                closest = closest.max(at_half / bound);
                // Without the shift, and without the correction for unequal classes.
                let others = [y * y / (2.0 * v), (y * y - shift * shift) / (2.0 * v)];
                for (broken, lambda) in broken.iter_mut().zip(others) {
                    *broken += usize::from(at_half > tail.theta(lambda, shift) * (-lambda).exp());
                }
                // The inverse is no lower.
                let back = tail.height(lambda, shift).at(2.0 * v * lambda);
                assert!(back >= y * (1.0 - 1e-12) && back < 1.2 * y, "{back} {y}");
            }
        }
    }
    // The bound is not far from the truth somewhere.
    assert!(closest > 0.2 && broken[0] > 0 && broken[1] > 0, "{closest} {broken:?}");
}

/// The tail of the sum over the rows of a category, exactly, against that of draws with
/// replacement.
#[test]
fn small_words_stay_below_their_bound() {
    use crate::exact::ln_binomial;
    for (n1, n0) in [(30usize, 30usize), (10, 90), (90, 10), (200, 400)] {
        let n = n1 + n0;
        let c = n1 as f64 / n as f64;
        for s in [1, 3, 10, 25] {
            let total = ln_binomial(n, s);
            let p = |i: usize| (ln_binomial(n1, i) + ln_binomial(n0, s - i) - total).exp();
            let all = s.saturating_sub(n0)..=s.min(n1);
            for step in 1..20 {
                let z = f64::from(step) * 0.5;
                let beyond = |i: &usize| (*i as f64 - c * s as f64).abs() >= z;
                let exact: f64 = all.clone().filter(beyond).map(p).sum();
                let spread = c * (1.0 - c) * s as f64 + (1.0 - 2.0 * c).abs() * z / 3.0;
                let bound = 2.0 * (-z * z / (2.0 * spread)).exp();
                assert!(exact <= bound + 1e-12, "{n1} {n0} {s} {z}: {exact} {bound}");
            }
        }
    }
}

/// The bound computed for a cell bounds each of its counts; and Lambda is sufficient.
#[test]
fn a_cell_bounds_the_crossings_of_all_its_counts() {
    let mut words = bits(5).lane(0);
    let mut found = 0;
    for trial in 0..4000 {
        let mut within = |low: f64, high: f64| low + (high - low) * unit(&mut words);
        let least = [0, 1].map(|_| within(1.0, 9.0f64).exp2());
        let width = within(0.0, 0.3);
        let most = least.map(|n| n * (1.0 + width));
        let truth = [0, 1].map(|a| within(least[a], most[a]));
        let noise: Vec<f64> = (0..2).map(|_| within(-10.0, 10.0)).collect();
        let draw =
            Draw { counts: noise, minus_ln: within(0.0, 8.0), effect_size: within(-5.0, 5.0) };
        let mut significance = two_classes([1.0, 1.0], 0.1, Family::AnyFunction);
        significance.counts = least.to_vec();
        significance.tests = vec![if trial % 2 == 0 { 10.0 } else { 5000.0 }];
        let null = Null::new(&significance, 0, least.to_vec(), most.to_vec());
        let value = null.value_crossing(&null.crossing.unwrap(), &draw, &mut Scratch::default());
        if !value.is_finite() {
            continue;
        }
        found += 1;
        let noisy = [0, 1].map(|a| (truth[a] + draw.counts[a]).max(0.0));
        let (total, n) = (noisy[0] + noisy[1], truth[0] + truth[1]);
        if total <= 0.0 {
            continue;
        }
        let share = noisy[1] / total;
        let shift = (truth[1] - n * share).abs();
        let v = harmonic(truth[0], truth[1]);
        let at = Crossing::new(truth, truth, null.crowd);
        // The least sufficient Lambda, by steps from below.
        let target = draw.minus_ln + null.ln_tests;
        let enough = |lambda: &f64| target + at.constant(*lambda, shift).ln() <= *lambda;
        let lambda = (0..4000).map(|step| target + f64::from(step) * 0.01).find(enough).unwrap();
        let lambda = lambda - 0.01;
        let y = at.height(lambda, shift).at(2.0 * v * lambda);
        let level = (2.0 * null.typical * harmonic(noisy[0], noisy[1])).sqrt();
        let direct = (y - level) / share.max(1.0 - share) + draw.effect_size;
        assert!(value >= direct - 1e-9, "{trial}: {value} < {direct}");
        // No center between the places has a larger value either.
        let mut scratch = Scratch::default();
        null.ends(&draw.counts, &mut scratch);
        let (places, filled) = places(&scratch.low, &scratch.high, &draw.counts);
        let ends = places[..filled].iter().map(|place| place.share);
        let (low, high) = ends.fold((1.0f64, 0.0f64), |(a, b), c| (a.min(c), b.max(c)));
        let cell = null.crossing.unwrap();
        let drift: f64 = draw.counts.iter().sum();
        let furthest = places[..filled].iter().map(|place| null.shift(place)).fold(0.0, f64::max);
        let lambda = cell.lambda(target, furthest);
        for step in 0..=20 {
            let share = low + (high - low) * f64::from(step) / 20.0;
            let shift = (draw.counts[1] - share * drift).abs();
            assert!(shift <= furthest + 1e-9, "{trial}");
            let y = cell.height(lambda, shift).at(2.0 * v * lambda);
            let inner = (y - level) / share.max(1.0 - share) + draw.effect_size;
            assert!(value >= inner - 1e-9, "{trial}: {value} < {inner} at {share}");
        }
    }
    assert!(found > 2000, "{found}");
}
