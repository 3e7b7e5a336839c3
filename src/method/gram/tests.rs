use super::*;
use crate::random::Entropy;

const ABSENT: f64 = f64::NAN;

/// A row: the values of the features, and the sign of the target.
type Row = (Vec<f64>, i8);

/// All rows with these values of `features` features.
fn rows(features: u32, values: &[f64]) -> Vec<Row> {
    let count = values.len();
    let digit = |number: usize, place: u32| values[number / count.pow(place) % count];
    let features = (0..count.pow(features))
        .map(move |number| (0..features).map(|place| digit(number, place)).collect::<Vec<f64>>());
    features.flat_map(|x| [-1, 0, 1].map(|sign| (x.clone(), sign))).collect()
}

/// All tables of up to `most` rows, each in one order.
fn tables(rows: &[Row], most: usize) -> Vec<Vec<Row>> {
    let mut all: Vec<(usize, Vec<Row>)> = vec![(0, Vec::new())];
    let mut next = 0;
    while next < all.len() {
        let (from, table) = all[next].clone();
        next += 1;
        if table.len() < most {
            for (place, row) in rows.iter().enumerate().skip(from) {
                all.push((place, [table.clone(), vec![row.clone()]].concat()));
            }
        }
    }
    all.into_iter().map(|(_, table)| table).collect()
}

/// The released numbers of a table, without noise, as the code computes them.
fn sums(table: &[Row], medians: &[f64]) -> Vec<i64> {
    let column = |place: usize| table.iter().map(|(x, _)| x[place]).collect::<Vec<f64>>();
    let of_feature = |(place, &median): (usize, &f64)| Signs::split(&column(place), median);
    let features = medians.iter().enumerate().map(of_feature);
    let target = Signs::of(table.iter().map(|(_, sign)| *sign));
    sign_sums(&features.chain([target]).collect::<Vec<Signs>>())
}

/// The largest change of a number.
fn distance(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).max().unwrap()
}

fn with(table: &[Row], row: &Row) -> Vec<Row> {
    [table, std::slice::from_ref(row)].concat()
}

/// The largest change of a number when a row is added, or replaced, over all tables of up to `most`
/// rows.
fn sensitivities(most: usize, numbers: impl Fn(&[Row]) -> Vec<i64>) -> [i64; 2] {
    let rows = rows(2, &[-3.0, 0.5, 7.0, ABSENT]);
    let (mut added, mut replaced) = (0, 0);
    for table in tables(&rows, most) {
        let (before, after) = (numbers(&table), rows.iter().map(|row| numbers(&with(&table, row))));
        let after: Vec<Vec<i64>> = after.collect();
        added = added.max(after.iter().map(|after| distance(&before, after)).max().unwrap());
        for a in &after {
            replaced = replaced.max(after.iter().map(|b| distance(a, b)).max().unwrap());
        }
    }
    [added, replaced]
}

/// Over all tables of up to two rows of 48, with each additional row: 60,000 pairs, and all
/// replacements.
#[test]
fn one_row_moves_each_sum_by_at_most_one() {
    for medians in [[0.0, 0.0], [0.5, -5.0], [7.0, 2.0]] {
        assert_eq!(sensitivities(1, |table| sums(table, &medians)), [1, 2], "{medians:?}");
    }
    assert_eq!(sensitivities(2, |table| sums(table, &[0.0, 1.0])), [1, 2]);
}

/// A median of the data moves with a row, and so do the signs of other rows.
#[test]
fn signs_about_exact_medians_move_more() {
    let exact = |table: &[Row]| {
        let median = |place: usize| {
            let values = table.iter().map(|(x, _)| x[place]).filter(|value| value.is_finite());
            let mut values: Vec<f64> = values.collect();
            values.sort_unstable_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(0.0)
        };
        sums(table, &[median(0), median(1)])
    };
    let [added, replaced] = sensitivities(2, exact);
    assert!(added > 1 && replaced > 2, "{added} {replaced}");
}

/// ln P(z) of the noise, up to a constant, by rate and difference.
type Noise = fn(f64, &[i64]) -> f64;

fn largest(z: &[i64]) -> i64 {
    z.iter().map(|z| z.abs()).max().unwrap()
}

/// The law of a radius for `d` dimensions, and a point of the cube of dimension D.
fn by_radius(d: usize, rate: f64, z: &[i64]) -> f64 {
    let of = |r: i64| (d as f64 - z.len() as f64) * (2.0 * r as f64 + 1.0).ln() - rate * r as f64;
    (largest(z)..largest(z) + 200).map(|r| of(r).exp()).sum::<f64>().ln()
}

fn right(rate: f64, z: &[i64]) -> f64 {
    by_radius(z.len(), rate, z)
}

fn of_a_smaller_cube(rate: f64, z: &[i64]) -> f64 {
    by_radius(z.len() - 1, rate, z)
}

fn of_the_smallest_cube(rate: f64, z: &[i64]) -> f64 {
    by_radius(1, rate, z)
}

fn independent(rate: f64, z: &[i64]) -> f64 {
    -rate * z.iter().map(|z| z.abs()).sum::<i64>() as f64
}

fn without_the_count(rate: f64, z: &[i64]) -> f64 {
    if z[0] == 0 { right(rate, &z[1..]) } else { f64::NEG_INFINITY }
}

fn twice_the_rate(rate: f64, z: &[i64]) -> f64 {
    right(2.0 * rate, z)
}

/// The largest log-ratio over eps of an output of one feature and the target, which is four
/// numbers, over all tables of up to one row with a row added or replaced, and outputs near them.
fn worst(noise: Noise, eps: f64, neighbors: Neighbors) -> f64 {
    let rows = rows(1, &[-3.0, 7.0, ABSENT]);
    let steps = neighbors.steps() as f64;
    let numbers = |table: &[Row]| sums(table, &[0.0]);
    let mut moves = std::collections::BTreeSet::new();
    for table in tables(&rows, 1) {
        for row in &rows {
            let after = numbers(&with(&table, row));
            let before = match neighbors {
                Neighbors::AddRemove => vec![numbers(&table)],
                Neighbors::ReplaceOne => {
                    rows.iter().map(|row| numbers(&with(&table, row))).collect()
                }
            };
            for before in before {
                moves.insert(after.iter().zip(before).map(|(a, b)| a - b).collect::<Vec<i64>>());
            }
        }
    }
    let outputs = (0..6i64.pow(4))
        .map(|number| (0..4).map(|place| number / 6i64.pow(place) % 6 - 2).collect::<Vec<i64>>());
    let mut worst = 0.0f64;
    for z in outputs {
        let here = noise(eps / steps, &z);
        if here == f64::NEG_INFINITY {
            continue;
        }
        for by in &moves {
            let there: Vec<i64> = z.iter().zip(by).map(|(z, by)| z - by).collect();
            worst = worst.max((here - noise(eps / steps, &there)).abs() / eps);
        }
    }
    worst
}

#[test]
fn privacy_by_enumeration() {
    for eps in [0.3, 1.0, 2.5] {
        for neighbors in [Neighbors::AddRemove, Neighbors::ReplaceOne] {
            let ratio = worst(right, eps, neighbors);
            assert!((ratio - 1.0).abs() < 1e-9, "{eps} {neighbors:?}: {ratio}");
        }
        let broken: [Noise; 5] = [
            of_a_smaller_cube,
            of_the_smallest_cube,
            independent,
            without_the_count,
            twice_the_rate,
        ];
        for (variant, noise) in broken.into_iter().enumerate() {
            let ratio = worst(noise, eps, Neighbors::AddRemove);
            assert!(ratio > 1.01, "{eps}, variant {variant}: {ratio}");
        }
        // Replacing a row with the step of adding one.
        let ratio = worst(|rate, z| right(2.0 * rate, z), eps, Neighbors::ReplaceOne);
        assert!(ratio > 1.99, "{eps}: {ratio}");
    }
}

/// Against a loop over rows, with numbers of rows near multiples of the machine word.
#[test]
fn sums_match_a_plain_loop() {
    let mut state = 5u64;
    let mut sign = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as i8 % 3 % 2
    };
    for n in [0usize, 1, 63, 64, 65, 1000] {
        let columns: Vec<Vec<i8>> = (0..4).map(|_| (0..n).map(|_| sign()).collect()).collect();
        let mut expected = vec![n as i64];
        let product = |a: usize, b: usize| {
            (0..n).map(|i| i64::from(columns[a][i] * columns[b][i])).sum::<i64>()
        };
        expected.extend(
            columns.iter().map(|column| column.iter().copied().map(i64::from).sum::<i64>()),
        );
        expected
            .extend([(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)].map(|(a, b)| product(a, b)));
        let signs: Vec<Signs> = columns.iter().map(|c| Signs::of(c.iter().copied())).collect();
        assert_eq!(sign_sums(&signs), expected);
    }
}

/// More features increase the share of the screening, and selecting more decreases it.
#[test]
fn budget_parts_follow_the_sizes() {
    let screening = [(10, 100), (10, 1000), (10, 20_000), (40, 1000), (2, 2), (100, 1_000_000)];
    let screening = screening.map(|(screened, features)| parts(screened, features)[0]);
    assert_eq!(screening, [24, 35, 45, 12, 5, 12]);
}

#[test]
fn variables_follow_from_the_number_of_sums() {
    for v in 2..102 {
        assert_eq!(variables(super::sums(v)), v);
    }
}

fn spend<'a>(epsilon: &'a Epsilon) -> Spend<'a> {
    Spend { neighbors: Neighbors::AddRemove, medians: epsilon, signs: epsilon }
}

/// Balanced signs of normal variables by their closed form, and independent signs that are not
/// balanced.
#[test]
fn correlations_are_those_of_normal_variables() {
    let epsilon = "1000".parse().unwrap();
    let n = 1e9;
    let sums = |numbers: &[f64]| numbers.iter().map(|share| (share * n) as i64).collect::<Vec<_>>();
    let of = |r: f64| r.asin() / FRAC_PI_2;
    let found =
        correlations(&sums(&[1.0, 0.0, 0.0, 0.0, of(0.9), of(-0.5), of(0.2)]), &spend(&epsilon));
    assert!((found.among[0][1] - 0.9).abs() < 1e-6 && (found.among[1][0] - 0.9).abs() < 1e-6);
    assert!((found.with_target[0] + 0.5).abs() < 1e-6 && (found.with_target[1] - 0.2).abs() < 1e-6);
    let found = correlations(&sums(&[1.0, 0.5, -0.8, 0.1, -0.4, 0.05, -0.08]), &spend(&epsilon));
    assert!(found.among[0][1].abs() < 1e-6 && found.with_target.iter().all(|r| r.abs() < 1e-6));
    // Any noise results in finite numbers.
    for wild in [[-5i64, 9, -9, 3, 100, 7, -8], [i64::MAX, i64::MIN, 0, 1, i64::MAX, 0, 5], [0; 7]]
    {
        let found = correlations(&wild, &spend(&epsilon));
        assert!(
            found.with_target.iter().chain(found.among.iter().flatten()).all(|r| r.is_finite())
        );
        assert_eq!(best_subset(&found, 1).len(), 1);
    }
}

/// Two features determine the target; a third one, between them, has the largest correlation with
/// it.
#[test]
fn joint_predictors_are_found_with_little_noise() {
    let mut state = 11u64;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let n = 4000;
    let mut normal = || (0..12).map(|_| uniform()).sum::<f64>();
    let mut columns = vec![Vec::new(); 4];
    let mut target = Vec::new();
    for _ in 0..n {
        let (a, b) = (normal(), normal());
        let row = [a, a + b + 0.5 * normal(), normal(), b];
        columns.iter_mut().zip(row).for_each(|(column, value)| column.push(30.0 + 4.0 * value));
        target.push(if a + b + 0.6 * normal() >= 0.0 { 1 } else { -1 });
    }
    let range = Bounds::new(0.0, 100.0).unwrap();
    for range in [None, Some(range)] {
        let screened = Screened { columns: columns.clone(), range, target: target.clone() };
        for seed in 0..5 {
            let epsilon = "20".parse().unwrap();
            let source = Entropy::Seeded(seed).source().unwrap();
            let [medians, signs] = [20, 21].map(|draw| source.bits(draw));
            let [two, one] =
                [2, 1].map(|k| refine(&screened, k, &spend(&epsilon), &medians, &signs));
            assert_eq!((two, one), (vec![0, 3], vec![1]));
        }
    }
}
