//! Sets of features: on every kind of table, a request with sets gives the same result as a request
//! without sets on a table of the sets' means, which other code computes.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use std::io::Cursor;

use dpsis::{
    ArrayTable, Bounds, ErrorKind, FeatureSets, FileTable, GRID, Ledger, LedgerTerms, Method,
    NotPrivate, Orientation, Record, Rehearsal, ScaleUsed, Scaling, ScoreKind, Select, SetSize,
    Target, TargetColumn,
};
use ndarray::{Array1, Array2, Axis, Slice};

const N: usize = 90;
const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// The sets by the places of their members; names beyond the table are missing members.
const SETS: [(&str, &[usize]); 4] = [
    ("first", &[0, 1, 2]),
    ("second", &[2, 3, 4, 8]),
    ("odd", &[1, 3, 5, 7]),
    ("all", &[0, 1, 2, 3, 4, 5, 6]),
];

fn sets() -> FeatureSets {
    let name = |&place: &usize| NAMES.get(place).copied().unwrap_or(["x1", "x2"][place % 2]);
    let set = |(set, members): &(&'static str, &[usize])| {
        (*set, members.iter().map(name).collect::<Vec<_>>())
    };
    FeatureSets::new(SETS.iter().map(set)).unwrap().sizes(3, None)
}

/// A table with ties and missing values, in which the second set separates the classes; NaN where
/// missing.
fn table() -> (Array2<f64>, Array1<&'static str>) {
    let case = |i: usize| i * 7 % 16 < 8;
    let x =
        Array2::from_shape_fn((N, NAMES.len()), |(i, j)| match (i * 131 + j * 977) * 7919 % 23 {
            0..3 => f64::NAN,
            noise if (2..5).contains(&j) && case(i) => noise as f64 + 9.0,
            noise => noise as f64,
        });
    (x, (0..N).map(|i| if case(i) { "case" } else { "control" }).collect())
}

/// How values reach the grid, in integers alone.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Ranks,
    Bounds,
    BoundsByFeature,
}

const RANGE: [i64; 2] = [0, 24];

fn range_of(way: Way, feature: usize) -> [i64; 2] {
    if way == Way::BoundsByFeature { [0, 24 + 2 * feature as i64] } else { RANGE }
}

/// Numerator and denominator times the grid, rounded half away from zero.
fn nearest(numerator: i64, denominator: i64) -> i64 {
    let (size, twice) = (numerator.abs(), 2 * denominator);
    numerator.signum() * ((2 * size + denominator) / twice)
}

fn grid_values(row: &[f64], way: Way) -> Vec<i64> {
    let q = i64::from(GRID);
    let present: Vec<f64> = row.iter().copied().filter(|value| !value.is_nan()).collect();
    let value = |(feature, value): (usize, &f64)| {
        if value.is_nan() {
            return 0;
        }
        if way == Way::Ranks {
            let below = present.iter().filter(|other| *other < value).count() as i64;
            let above = present.iter().filter(|other| *other > value).count() as i64;
            return nearest((below - above) * q, (present.len() as i64 - 1).max(1));
        }
        let [low, high] = range_of(way, feature);
        let clipped = (*value as i64).clamp(low, high);
        nearest((2 * clipped - low - high) * q, high - low)
    };
    row.iter().enumerate().map(value).collect()
}

/// The means of the sets, as a table of their own.
fn means(x: &Array2<f64>, way: Way) -> Array2<f64> {
    let rows: Vec<Vec<i64>> =
        x.rows().into_iter().map(|row| grid_values(&row.to_vec(), way)).collect();
    Array2::from_shape_fn((x.nrows(), SETS.len()), |(i, s)| {
        let members: Vec<usize> = SETS[s].1.iter().copied().filter(|&j| j < NAMES.len()).collect();
        let sum: i64 = members.iter().map(|&j| rows[i][j]).sum();
        nearest(sum, members.len() as i64) as f64
    })
}

fn text(x: &Array2<f64>, y: &Array1<&str>, turned: bool) -> String {
    let cell = |value: f64| if value.is_nan() { "NA".to_owned() } else { value.to_string() };
    let mut text = String::new();
    if turned {
        text += &(0..N).map(|i| format!(",s{i}")).collect::<String>();
        for (name, column) in NAMES.iter().zip(x.columns()) {
            text += &format!("\n{name},{}", column.map(|value| cell(*value)).to_vec().join(","));
        }
        text + "\ny," + &y.to_vec().join(",") + "\n"
    } else {
        text += &format!("{},y\n", NAMES.join(","));
        for (row, label) in x.rows().into_iter().zip(y) {
            text += &format!("{},{label}\n", row.map(|value| cell(*value)).to_vec().join(","));
        }
        text
    }
}

fn request() -> Select {
    Select::new(2).epsilon("7").target(Target::classes(["control", "case"]))
}

/// The released values, as text; the places of sets are indices.
fn json_of(record: &NotPrivate<Record>) -> String {
    let estimates: Vec<_> = record.estimates.iter().map(|estimate| estimate.low).collect();
    format!("{:?} {:?} {estimates:?}", record.indices(), record.released)
}

#[test]
fn sets_are_scored_by_their_means_on_every_table() {
    let (x, y) = table();
    let by_feature = x.t().as_standard_layout().into_owned();
    let [rows, turned] = [false, true].map(|turned| text(&x, &y, turned));
    let file = |text: &str| FileTable::from_reader(Cursor::new(text.to_owned().into_bytes()));
    let own: Vec<Bounds> = (0..NAMES.len())
        .map(|j| range_of(Way::BoundsByFeature, j))
        .map(|[low, high]| Bounds::new(low as f64, high as f64).unwrap())
        .collect();
    let q = f64::from(GRID);
    let [low, high] = RANGE.map(|end| end as f64);
    // With each request, the request for a table of means: these are on the grid.
    let mut cases = Vec::new();
    for way in [Way::Ranks, Way::Bounds, Way::BoundsByFeature] {
        let given = || match way {
            Way::Ranks => request().scaling(Scaling::RowRank),
            Way::Bounds => request().bounds(low, high),
            Way::BoundsByFeature => request().scaling(Scaling::BoundsByFeature(own.clone())),
        };
        let on_grid = || request().bounds(-q, q);
        cases.extend([
            (way, given(), on_grid()),
            (way, given().score(ScoreKind::Ks), on_grid().score(ScoreKind::Ks)),
            (way, given().score(ScoreKind::Kendall), request().score(ScoreKind::Kendall)),
            (way, given().method(Method::DpKendall), request().method(Method::DpKendall)),
        ]);
    }
    cases.extend([
        (Way::Ranks, request(), request()),
        (Way::Ranks, request().column_memory(500), request()),
        (Way::Ranks, request().score(ScoreKind::Correlation), request().bounds(-q, q)),
        (
            Way::Ranks,
            request().target(Target::classes(["control", "case", "x"])),
            request().target(Target::classes(["control", "case", "x"])),
        ),
    ]);
    for (case, (way, grouped, of_means)) in cases.into_iter().enumerate() {
        let grouped = grouped.groups(sets());
        let means = means(&x, way);
        let expected = json_of(
            &of_means
                .clone()
                .seed(5)
                .run(&ArrayTable::new(means.view(), y.view()).unwrap())
                .unwrap(),
        );
        let exact = |select: Select, x: &Array2<f64>, names: &[&str]| {
            let table = ArrayTable::new(x.view(), y.view()).unwrap();
            let table = table.feature_names(names.iter().copied()).unwrap();
            let rehearsal = Rehearsal::new(select, &table).unwrap();
            rehearsal.exact_scores().unwrap().unwrap().into_inner()
        };
        let set_names = SETS.map(|set| set.0);
        assert_eq!(
            exact(grouped.clone(), &x, &NAMES),
            exact(of_means, &means, &set_names),
            "case {case}"
        );
        for threads in [1, 3] {
            let run = |table: &dyn Fn(&dpsis::NotPrivateSelect) -> NotPrivate<Record>| {
                let record = table(&grouped.clone().threads(threads).seed(5));
                assert_eq!(json_of(&record), expected, "case {case}, {threads} threads");
            };
            let named = |x| ArrayTable::new(x, y.view()).unwrap().feature_names(NAMES).unwrap();
            run(&|select| select.run(&named(x.view())).unwrap());
            run(&|select| select.run(&named(by_feature.t())).unwrap());
            run(&|select| select.run(&file(&rows)).unwrap());
            run(&|select| {
                let turned = file(&turned).delimiter(b',').orientation(Orientation::FeaturesAsRows);
                select.run(&turned.target_column(TargetColumn::Named("y".into()))).unwrap()
            });
        }
    }
}

#[test]
fn the_record_lists_the_sets() {
    let (x, y) = table();
    let rows = text(&x, &y, false);
    let file = || FileTable::from_reader(Cursor::new(rows.clone().into_bytes()));
    let record = request().k(3).groups(sets().sizes(3, Some(4))).seed(1).run(&file()).unwrap();
    let groups = record.score.groups.as_ref().unwrap();
    assert_eq!((groups.used, groups.too_small, groups.too_large), (3, 0, 1));
    assert_eq!((groups.features, groups.missing, groups.scale), (7, 2, ScaleUsed::RowRank));
    assert_eq!((record.public.features, record.score.scale), (3, ScaleUsed::None));
    assert!(!record.score.by_default);
    let found: Vec<_> = record.selected.iter().map(|set| (set.name.as_str(), set.column)).collect();
    assert_eq!(found, [("first", 1), ("second", 2), ("odd", 3)]);
    assert_eq!(record.selected[1].members.as_ref().unwrap().missing, ["x1"]);
    // The target keeps its column.
    assert_eq!((record.target.name.as_deref(), record.target.column), (Some("y"), Some(8)));
    // No column of a matrix holds a set.
    assert_eq!(record.columns_of(x.view()).unwrap_err().kind(), ErrorKind::Request);
    assert_eq!(
        record.columns_of(x.slice_axis(Axis(1), Slice::from(..3))).unwrap_err().kind(),
        ErrorKind::Request
    );

    let plan = request().k(1).groups(sets().sizes(4, None)).dry_run(&file()).unwrap();
    let sizes: Vec<SetSize> = plan.sets.iter().map(|set| set.size).collect();
    assert_eq!(sizes, [SetSize::TooSmall, SetSize::TooSmall, SetSize::TooSmall, SetSize::Used]);
    assert_eq!(plan.features, 1);
}

/// A feature that is excluded from the table is excluded from sets, too.
#[test]
fn exclusions_come_before_sets() {
    let (x, y) = table();
    let file = || FileTable::from_reader(Cursor::new(text(&x, &y, false).into_bytes()));
    let plan = request().k(1).groups(sets()).dry_run(&file().exclude(["b"])).unwrap();
    let found: Vec<_> = plan.sets.iter().map(|set| (set.members.present, set.size)).collect();
    let expected =
        [(2, SetSize::TooSmall), (3, SetSize::Used), (2, SetSize::TooSmall), (6, SetSize::Used)];
    assert_eq!(found, expected);
    assert_eq!(plan.score.groups.unwrap().features, 6);
}

#[test]
fn invalid_requests_are_refused_without_a_charge() {
    let (x, y) = table();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, text(&x, &y, false)).unwrap();
    let ledger =
        Ledger::create(folder.path().join("ledger"), LedgerTerms::new("10".parse().unwrap()));
    let ledger = ledger.unwrap();
    let refused = |select: Select| {
        let error = select.run_with_ledger(&path, &ledger, "").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request);
        error.to_string()
    };
    let grouped = |sets| request().groups(sets);
    assert!(refused(grouped(sets().sizes(0, None))).contains("at least 1"));
    assert!(
        refused(grouped(sets().sizes(8, None))).contains("no set has at least 8 of its members")
    );
    assert!(refused(grouped(sets()).k(5)).contains("sets that are used, 4"));
    let two = vec![Bounds::new(0.0, 1.0).unwrap(); 2];
    assert!(refused(grouped(sets()).scaling(Scaling::BoundsByFeature(two))).contains("7 features"));
    assert_eq!(ledger.read().unwrap().spent(), "0");
    assert!(grouped(sets()).paper_preprocessing().check().is_err());
    // Sums of parts contain features, not sets.
    let bounded = grouped(sets()).bounds(0.0, 1.0);
    assert_eq!(bounded.partial(&path, None).unwrap_err().kind(), ErrorKind::Request);
}
