//! Scores of people with several rows, and within strata, enumerated over all small tables.

use std::collections::HashMap;

use ndarray::{Array1, Array2};
use proptest::prelude::*;

use crate::estimate::StratumCode;
use crate::exact::GRID;
use crate::request::fields::Request;
use crate::request::plan::Plan;
use crate::request::{ScoreKind, Select, Target};
use crate::run::steps::{opening, plan_for, prepared};
use crate::score::KENDALL_GRID;
use crate::statistic::coded::{CenteredCode, Gathering, Statistic};
use crate::statistic::pass::{Gathered, Pass};
use crate::table::source::sealed::Open;
use crate::table::{ArrayTable, Bounds, Covariate, Hooks, Table, UnitTarget};

const Q: i64 = GRID as i64;
/// W
const WEIGHT: i64 = 1 << 15;

/// A row: its person, a value of each feature, its target and its stratum; a negative one is
/// missing.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    person: u8,
    x: [Option<i8>; 2],
    y: Option<i8>,
    stratum: i8,
}

/// Gathers rows for a request, and passes the plan and the gathered values to `use_it`.
fn gathered<T>(
    select: Select,
    rows: &[Row],
    use_it: impl FnOnce(&Plan, &Gathered<'_>) -> T,
) -> Option<T> {
    let request = select.epsilon("1").into_request();
    let number = |value: Option<i8>| value.map_or(f64::NAN, f64::from);
    let x = Array2::from_shape_fn((rows.len(), 3), |(row, column)| match column {
        2 => f64::from(rows[row].stratum),
        feature => number(rows[row].x[feature]),
    });
    let y = Array1::from_iter(rows.iter().map(|row| number(row.y)));
    let table = ArrayTable::new(x.view(), y.view()).unwrap();
    let table = table.feature_names(["a", "b", "stratum"]).unwrap();
    let table = table.units(rows.iter().map(|row| f64::from(row.person))).unwrap();
    let opened = table.open(&opening(&request, &Hooks::default()).unwrap()).unwrap();
    gathered_of(&request, opened, use_it)
}

/// Gathers a table, and passes the plan and the gathered values to `use_it`; `None` if no target is
/// usable.
pub(crate) fn gathered_of<T>(
    request: &Request,
    table: Box<dyn Table + '_>,
    use_it: impl FnOnce(&Plan, &Gathered<'_>) -> T,
) -> Option<T> {
    let hooks = Hooks::default();
    let mut open = prepared(request, table).unwrap();
    let plan = plan_for(request, open.schema()).unwrap();
    let pass = Pass { plan: &plan, threads: 1, hooks: &hooks };
    let gathered = pass.gather(&mut open, None).ok()?;
    Some(use_it(&plan, &gathered))
}

fn scores(select: Select, rows: &[Row], centers: &[i32]) -> Option<(Vec<i64>, u64)> {
    gathered(select, rows, |plan, gathered| scores_of(plan, gathered, centers))
}

/// The scores at given centers, one for each stratum or class, and the sensitivity.
pub(crate) fn scores_of(plan: &Plan, gathered: &Gathered<'_>, centers: &[i32]) -> (Vec<i64>, u64) {
    let statistic = match gathered {
        Gathered::Coded(statistic) => statistic,
        Gathered::Scores { scores, .. } => return (scores.values().to_vec(), scores.sensitivity()),
        _ => panic!("these are methods of their own"),
    };
    let coded = statistic.coded(plan.strata, |_| Ok(0.0)).unwrap();
    let centers = centers.to_vec();
    let strata = match plan.strata {
        1 => Vec::new(),
        _ => centers.iter().map(|center| stratum_code(*center)).collect(),
    };
    let target = CenteredCode { code: coded.code, released: centers.clone(), centers, strata };
    let values = coded.scored.values(&target, 1, &Hooks::default()).unwrap();
    (values, plan.request.neighbors.steps() * coded.scored.one_row(&target))
}

/// The code of a stratum by its center: the other numbers differ from stratum to stratum.
fn stratum_code(center: i32) -> StratumCode {
    StratumCode { center, radius: (GRID + center) / 3, is_tiny: center == 0 }
}

/// The requests, the centers to try, and whether the covariate is used.
fn requests() -> Vec<(Select, Vec<Vec<i32>>)> {
    let classes = |labels: &[&str]| Target::classes(labels.iter().copied());
    let two = || Select::new(1).target(classes(&["0", "1"]));
    let three = || Select::new(1).target(classes(&["0", "1", "2"]));
    let one = || vec![vec![0], vec![GRID], vec![-9000]];
    let shares = || vec![vec![GRID / 2, GRID / 3, GRID - GRID / 2 - GRID / 3], vec![0, 0, GRID]];
    let strata = |select: Select| select.adjust([Covariate::cuts("stratum", [0.0, 1.0]).unwrap()]);
    let of_strata = || vec![vec![0, 5000, -GRID], vec![GRID, 0, 0]];
    vec![
        (two(), one()),
        (two().bounds(-1.0, 1.0), one()),
        (two().bounds(-1.0, 1.0).score(ScoreKind::Ks), one()),
        (Select::new(1), one()),
        (Select::new(1).target(Target::Bounded(Bounds::new(0.0, 2.0).unwrap())), one()),
        (three(), shares()),
        (three().bounds(-1.0, 1.0), shares()),
        (three().bounds(-1.0, 1.0).score(ScoreKind::Ks), shares()),
        (two().score(ScoreKind::Kendall), vec![vec![]]),
        (three().score(ScoreKind::Kendall), vec![vec![]]),
        (strata(two()), of_strata()),
        (strata(two().bounds(-1.0, 1.0)), of_strata()),
        (strata(Select::new(1).bounds(-1.0, 1.0).score(ScoreKind::Ks)), of_strata()),
    ]
}

/// The people of a table by definition: the number of rows, the last usable target, the stratum.
fn people(rows: &[Row], usable: impl Fn(i8) -> bool) -> HashMap<u8, (i64, Option<i8>, Option<i8>)> {
    let mut people = HashMap::new();
    for row in rows {
        let person = people.entry(row.person).or_insert((0, None, None));
        person.0 += 1;
        person.1 = row.y.filter(|y| usable(*y)).or(person.1);
        person.2 = Some(row.stratum).or(person.2);
    }
    people
}

/// The score of the first feature by definition, as a sum over people of the mean over their rows,
/// in units of 1/W.
fn by_definition(rows: &[Row], select: &Select, centers: &[i32]) -> i64 {
    let request = select.clone().into_request();
    let (labels, numeric) = match &request.target {
        Target::Classes(labels) => (labels.len() as i8, false),
        _ => (3, true),
    };
    let people = people(rows, |y| numeric || (0..labels).contains(&y));
    let strata = request.is_adjusted();
    let bounded = matches!(request.target, Target::Bounded(_));
    let stratum_of = |row: &Row| usize::try_from(people[&row.person].2?.clamp(-1, 1) + 1).ok();
    let t = |row: &Row, class: i8| -> Option<i64> {
        let (_, y, _) = people[&row.person];
        let y = y?;
        let code = match (numeric, labels) {
            (true, _) if bounded => (i64::from(y.clamp(0, 2)) - 1) * Q,
            (true, _) => {
                if y > 0 {
                    Q
                } else {
                    -Q
                }
            }
            (false, 2) => i64::from(2 * y - 1) * Q,
            _ => {
                if y == class {
                    Q
                } else {
                    0
                }
            }
        };
        if strata {
            let code_of = stratum_code(centers[stratum_of(row)?]);
            let (m, r) = (i64::from(code_of.center), i64::from(code_of.radius));
            let share = (Q * (code - m)) as f64 / (Q + m.abs() + r) as f64;
            return Some(((share.abs() + 0.5).floor().copysign(share)) as i64);
        }
        let center = centers[if labels == 3 && !numeric { class as usize } else { 0 }];
        Some(code - i64::from(center))
    };
    let weight = |row: &Row| WEIGHT / people[&row.person].0;
    let sum = |f: &dyn Fn(i8) -> i64, class: i8| -> i128 {
        let term =
            |row: &Row| Some(i128::from(weight(row) * f(row.x[0]?)) * i128::from(t(row, class)?));
        rows.iter().filter_map(term).sum()
    };
    // The size of the sum over the rows in which the feature is missing, for each stratum.
    let missing = |class: i8| -> i128 {
        let mut sums = HashMap::new();
        for row in rows.iter().filter(|row| row.x[0].is_none()) {
            let stratum = if strata { stratum_of(row) } else { None };
            let term = t(row, class).map_or(0, |t| i128::from(weight(row)) * i128::from(t));
            *sums.entry(stratum).or_insert(0) += term;
        }
        sums.values().map(|sum: &i128| sum.abs()).sum()
    };
    let three = labels == 3 && !numeric;
    let correlates = request.scale.is_some() && request.score != Some(ScoreKind::Ks);
    let bins = request.scale.is_some() && !correlates;
    let per = |sum: i128| sum.div_euclid(WEIGHT.into()) as i64;
    // The amount that a function is reduced by for the noise of the centers.
    let given_up = |f: &dyn Fn(i8) -> i64| -> i128 {
        let (mut squares, mut tiny) = (0i128, 0i128);
        for (stratum, center) in centers.iter().enumerate().filter(|_| strata) {
            let code = stratum_code(*center);
            let (m, r) = (f64::from(code.center), f64::from(code.radius));
            let penalty = (Q as f64 * r / (Q as f64 + m.abs() + r)).ceil();
            let own =
                rows.iter().filter(|row| stratum_of(row) == Some(stratum) && t(row, 0).is_some());
            let sum: i64 = own.filter_map(|row| Some(weight(row) * f(row.x[0]?))).sum();
            match code.is_tiny {
                true => tiny += (penalty as i128) * i128::from(sum.abs()),
                false => squares += (penalty as i128 * i128::from(sum)).pow(2),
            }
        }
        let mut root = (squares as f64).sqrt() as i128;
        while root * root > squares {
            root -= 1;
        }
        while (root + 1) * (root + 1) <= squares {
            root += 1;
        }
        tiny + root
    };
    let of = |f: &dyn Fn(i8) -> i64, missing: i128| match strata {
        true => per((sum(f, 0).abs() - given_up(f) - missing).max(0)),
        false => per(sum(f, 0).signum() * (sum(f, 0).abs() - missing).max(0)).abs(),
    };
    if correlates {
        let f = |x: i8| i64::from(x.clamp(-1, 1)) * Q;
        let missing = |class: i8| i128::from(Q) * missing(class);
        let of_class = |class: i8| per((sum(&f, class).abs() - missing(class)).max(0));
        return match three {
            true => (0..3).map(of_class).max().unwrap(),
            false => of(&f, missing(0)),
        };
    }
    let cuts = -4..5i8;
    let of_cut = |cut: i8| {
        let f = move |x: i8| {
            let x = if bins { x.clamp(-1, 1) } else { x };
            if x >= cut { 1 } else { -1 }
        };
        match three {
            true => {
                let sums = (0..3).map(|class| sum(&f, class).abs() - missing(class));
                per(sums.sum::<i128>().max(0))
            }
            false => of(&f, missing(0)),
        }
    };
    cuts.map(of_cut).max().unwrap()
}

fn any_row() -> impl Strategy<Value = Row> {
    let cell = || prop::option::weighted(0.85, -3i8..4);
    (0..5u8, [cell(), cell()], prop::option::weighted(0.85, -1i8..4), -1..2i8)
        .prop_map(|(person, x, y, stratum)| Row { person, x, y, stratum })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// All but Kendall's correlation, which is counted pair by pair below.
    #[test]
    fn scores_are_sums_over_people(rows in prop::collection::vec(any_row(), 1..14)) {
        for (number, (select, centers)) in requests().into_iter().enumerate() {
            if select.clone().into_request().score == Some(ScoreKind::Kendall) {
                continue;
            }
            for centers in centers {
                let Some((values, _)) = scores(select.clone(), &rows, &centers) else { continue };
                prop_assert_eq!(values[0], by_definition(&rows, &select, &centers), "request {}", number);
            }
        }
    }

    #[test]
    fn kendall_counts_pairs_of_people(rows in prop::collection::vec(any_row(), 1..14)) {
        let select = Select::new(1).target(Target::classes(["0", "1"])).score(ScoreKind::Kendall);
        let people = people(&rows, |y| (0..2).contains(&y));
        let n = people.values().filter(|person| person.1.is_some()).count() as i128;
        let Some((values, _)) = scores(select, &rows, &[]) else { return Ok(()) };
        let mut excess = 0i128;
        for (i, one) in rows.iter().enumerate() {
            for other in &rows[..i] {
                let [(m, y, _), (m2, y2, _)] = [people[&one.person], people[&other.person]];
                if let (Some(x), Some(x2), Some(y), Some(y2)) = (one.x[0], other.x[0], y, y2) {
                    let sign = i128::from((x - x2).signum() * (y - y2).signum());
                    excess += sign * i128::from((WEIGHT / m) * (WEIGHT / m2));
                }
            }
        }
        let pairs = i128::from(WEIGHT).pow(2) * (n - 1);
        let expected = if n <= 1 { 0 } else { i128::from(KENDALL_GRID) * excess.abs() / pairs };
        prop_assert_eq!(i128::from(values[0]), expected);
    }
}

/// All rows of a person over a few values; the stratum is that of the person.
fn some_rows(person: u8) -> Vec<Row> {
    let mut rows = Vec::new();
    for x in [None, Some(-1), Some(1)] {
        for y in [Some(0), Some(1)] {
            for stratum in [-1, 1] {
                rows.push(Row { person, x: [x, Some(0)], y, stratum });
            }
        }
    }
    rows
}

/// How far a third person with one to three rows moves a score of its declared sensitivity, at
/// most, over all tables of two people with one row each. `assign` sets the person identifiers.
fn largest_move(select: &Select, centers: &[i32], assign: impl Fn(usize, &mut Row)) -> f64 {
    let (first, second, third) = (some_rows(0), some_rows(1), some_rows(2));
    let mut largest = 0f64;
    let tables = first.iter().step_by(2).flat_map(|a| second.iter().map(move |b| vec![*a, *b]));
    for table in tables.step_by(25) {
        let Some((before, sensitivity)) = scores(select.clone(), &table, centers) else { continue };
        for (i, one) in third.iter().enumerate() {
            for (j, two) in third.iter().enumerate().skip(i) {
                for more in [vec![*one, *two], vec![*one, *two, *one]] {
                    let mut all = [table.clone(), more].concat();
                    all.iter_mut()
                        .enumerate()
                        .skip(2)
                        .for_each(|(place, row)| assign(place + j, row));
                    let (after, _) = scores(select.clone(), &all, centers).unwrap();
                    for (after, before) in after.iter().zip(&before) {
                        let moved = after.abs_diff(*before) as f64 / sensitivity as f64;
                        largest = largest.max(moved);
                    }
                }
            }
        }
    }
    largest
}

/// A person moves a score by no more than a row may, and somewhere by as much; if each row were a
/// person, it would be more.
#[test]
fn one_person_moves_a_score_as_one_row_does() {
    for (number, (select, all)) in requests().into_iter().enumerate() {
        let mut largest = 0f64;
        for centers in &all {
            largest = largest.max(largest_move(&select, centers, |_, _| ()));
        }
        assert!(largest <= 1.0, "request {number}: {largest}");
        assert!(largest > 0.6, "request {number}: {largest}");
        // Two rows together do not reach the limit of Kendall's score on tables this small.
        if select.clone().into_request().score == Some(ScoreKind::Kendall) {
            continue;
        }
        let apart = all.iter().map(|centers| {
            largest_move(&select, centers, |place, row| row.person = place as u8 + 10)
        });
        let apart = apart.fold(0f64, f64::max);
        assert!(apart > 1.3, "request {number}: rows as people move it by {apart} only");
    }
}

/// A person whose rows are compared with each other moves a score by at most 1, in units of Q, and
/// the count of pairs by at most 1.
#[test]
fn one_person_is_one_pair() {
    let select = || Select::new(1).target(Target::classes(["0", "1"])).score(ScoreKind::Paired);
    let largest = largest_move(&select(), &[0], |_, _| ());
    assert_eq!(largest, 1.0);
    let count = |rows: &[Row]| {
        gathered(select(), rows, |plan, gathered| match gathered {
            Gathered::Coded(statistic) => {
                let coded = statistic.coded(plan.strata, |_| Ok(0.0)).unwrap();
                (coded.target, coded.rows)
            }
            _ => panic!("pairs are coded"),
        })
    };
    let row = |person, y| Row { person, x: [Some(1), None], y, stratum: 0 };
    let rows = [row(0, Some(0)), row(0, Some(1)), row(1, Some(1)), row(2, None), row(0, Some(1))];
    assert_eq!(count(&rows), Some((vec![1], 3)));
    assert_eq!(count(&[&rows[..], &[row(1, Some(0))]].concat()), Some((vec![2], 3)));
}

/// A person adds 2Q in total to the sums of one stratum.
#[test]
fn one_person_is_counted_once() {
    let count = |select: &Select, rows: &[Row]| {
        gathered(select.clone(), rows, |plan, gathered| match gathered {
            Gathered::Coded(statistic) => statistic.coded(plan.strata, |_| Ok(0.0)).unwrap().target,
            _ => vec![0],
        })
    };
    for (select, _) in requests() {
        let mut table = some_rows(0)[..1].to_vec();
        let before = count(&select, &table).unwrap();
        let three =
            matches!(&select.clone().into_request().target, Target::Classes(l) if l.len() > 2);
        let one = if three { 1 } else { 2 * Q as u64 };
        for rows in [1, 2, 7] {
            table.truncate(1);
            table.extend(some_rows(1)[3..3 + rows].to_vec());
            let after = count(&select, &table).unwrap();
            let moved: Vec<u64> = after.iter().zip(&before).map(|(a, b)| a.abs_diff(*b)).collect();
            if before != [0] {
                assert_eq!(moved.iter().sum::<u64>(), one);
                assert!(moved.iter().filter(|moved| **moved > 0).count() <= 2);
            }
        }
    }
}

#[test]
fn targets_of_people_follow_the_rule() {
    let row = |person, y| Row { person, x: [Some(1), Some(1)], y, stratum: 0 };
    let rows = [row(0, Some(1)), row(1, Some(0)), row(0, Some(0)), row(1, None), row(2, None)];
    let above = |select: Select, rule| {
        gathered(select.unit_target(rule), &rows, |_, gathered| {
            let Gathered::Coded(Statistic { values: Gathering::Columns(held), .. }) = gathered
            else {
                panic!("columns are held")
            };
            let mut targets: Vec<f64> = held.units().map(|(target, _)| target).collect();
            targets.sort_by(f64::total_cmp);
            assert_eq!(held.rows, 3);
            targets
        })
        .unwrap()
    };
    let two = || Select::new(1).target(Target::classes(["0", "1"]));
    let q = f64::from(GRID);
    assert_eq!(above(two(), UnitTarget::Last), [-q, -q]);
    assert_eq!(above(two(), UnitTarget::AnyPositive), [-q, q]);
    assert_eq!(above(Select::new(1), UnitTarget::Mean), [0.0, 0.5]);
    assert_eq!(above(Select::new(1), UnitTarget::Last), [0.0, 0.0]);
    for (select, rule) in [(two(), UnitTarget::Mean), (Select::new(1), UnitTarget::AnyPositive)] {
        assert!(select.epsilon("1").unit_target(rule).check().is_err());
    }
}
