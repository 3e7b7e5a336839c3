//! The parts of queries that need no engine; the Python package tests the queries in engines.

use proptest::prelude::*;

use crate::exact::GRID;
use crate::sql::grid::{Scale, in_doubles};
use crate::sql::result::pieces;
use crate::sql::rows::Coded;
use crate::sql::{QueryParts, QueryResult, SqlDialect, SqlForm, SqlStep, SqlTable, query};
use crate::table::{Bounds, Labels, Scaling, TargetCode};

const DIALECTS: [SqlDialect; 3] = [SqlDialect::DuckDb, SqlDialect::Spark, SqlDialect::Postgres];

fn long(dialect: SqlDialect, name: &str) -> SqlTable {
    let [sample, feature, value] = ["s", "f", "v"].map(str::to_owned);
    let [targets, targets_sample, target] = ["u", "s", "y"].map(str::to_owned);
    let form = SqlForm::Long { sample, feature, value, targets, targets_sample, target };
    SqlTable::new(dialect, name, form)
}

fn queried(table: &SqlTable) -> crate::error::Result<String> {
    let labels = Labels::new(vec!["no".into(), "yes".into()])?;
    let code = TargetCode::Classes(labels);
    let step = SqlStep::Correlation(&Scaling::RowRank);
    let features = vec!["a", "b"];
    query(&QueryParts { table, features, coded: Coded::Number(&code), step, facts: "{}" })
}

#[test]
fn allowed_forms_and_table_names() {
    let wide = |dialect| SqlTable::new(dialect, "t", SqlForm::Wide { target: "y".into() });
    for dialect in DIALECTS {
        assert_eq!(queried(&wide(dialect)).is_ok(), dialect != SqlDialect::Postgres);
        assert!(queried(&long(dialect, "t")).is_ok());
        // A query of the statement would shadow such a table.
        for own in ["dpsis_cells", "DPSIS_x", "\"Dpsis_persons\""] {
            assert!(queried(&long(dialect, own)).is_err(), "{own}");
        }
    }
}

/// Engines ignore case in the names of columns.
#[test]
fn columns_that_differ_by_case_are_refused() {
    for (features, target, expected) in
        [(["a", "b"], "y", true), (["a", "A"], "y", false), (["a", "Y"], "y", false)]
    {
        let form = SqlForm::Wide { target: target.into() };
        let table = SqlTable::new(SqlDialect::DuckDb, "t", form);
        let labels = Labels::new(vec!["no".into(), "yes".into()]).unwrap();
        let code = TargetCode::Classes(labels);
        let (coded, step) = (Coded::Number(&code), SqlStep::Correlation(&Scaling::RowRank));
        let features = features.to_vec();
        let parts = QueryParts { table: &table, features, coded, step, facts: "{}" };
        assert_eq!(query(&parts).is_ok(), expected);
    }
}

/// The cases of the grid's expression, in the order of an engine.
fn by_cases(scale: &Scale, v: f64) -> i16 {
    let [middle, half, low, high, near] = scale.numbers();
    let magnitude = |difference: f64| {
        assert!(difference.is_finite());
        ((difference / half).min(1.0) * f64::from(GRID) + 0.5).floor() as i16
    };
    match v {
        v if v >= high => GRID as i16,
        v if v <= low => -GRID as i16,
        v if (v - middle).abs() <= near => 0,
        v if v > middle => magnitude(v - middle),
        _ => -magnitude(middle - v),
    }
}

/// The narrowest ranges have no expression in doubles; all others do.
#[test]
fn ranges_of_the_grid_in_doubles() {
    let has = |low, high| {
        let bounds = Bounds::new(low, high).unwrap();
        in_doubles(SqlDialect::Spark, &bounds, "v").is_some()
    };
    for (low, high) in
        [(0.0, 1.0), (-3.0, 3.0), (0.1, 0.3), (-f64::MAX, f64::MAX), (1e15, 1e15 + 1.0)]
    {
        assert!(has(low, high), "{low} to {high}");
    }
    assert!(!has(0.0, 3.0 * f64::from_bits(1)));
}

/// The cases of the grid's expression in doubles.
fn in_doubles_by_cases(bounds: &Bounds, v: f64) -> f64 {
    let (middle, half, q) = (bounds.middle(), bounds.half(), f64::from(GRID));
    let magnitude = |difference: f64| (difference / half * q + 0.5).floor();
    match v {
        v if v >= bounds.high() => q,
        v if v <= bounds.low() => -q,
        v if v < middle => -magnitude(middle - v),
        _ => magnitude(v - middle),
    }
}

proptest! {
    /// Any ranges and values, and values near the ends and the middle.
    #[test]
    fn case_expressions_equal_the_grid(ends: [f64; 2], v: f64, part in -1.5..1.5f64, steps in -3i64..4) {
        let Ok(bounds) = Bounds::new(ends[0].min(ends[1]), ends[0].max(ends[1])) else {
            return Ok(());
        };
        let scale = Scale::new(&bounds);
        let near = bounds.middle() + bounds.half() * part;
        let near_by = |v: f64| f64::from_bits((v.to_bits() as i64).wrapping_add(steps) as u64);
        for v in [v, near, bounds.low(), bounds.high(), bounds.middle()].map(near_by) {
            if v.is_finite() {
                prop_assert_eq!(by_cases(&scale, v), bounds.to_grid(v), "{} in {:?}", v, bounds);
                if in_doubles(SqlDialect::Spark, &bounds, "v").is_some() {
                    let found = in_doubles_by_cases(&bounds, v);
                    prop_assert_eq!(found, f64::from(bounds.to_grid(v)), "{} in {:?}", v, bounds);
                }
            }
        }
    }

    /// Facts survive a round trip, in an alphabet that no engine interprets.
    #[test]
    fn facts_survive_a_round_trip(facts: String) {
        let pieces = pieces(&facts.repeat(100));
        for piece in &pieces {
            prop_assert!(piece.len() <= 2002);
            let plain = !piece.contains(|c: char| "'\\$ :%?{\n;".contains(c));
            prop_assert!(plain);
        }
        let lines: String = pieces.iter().enumerate().map(|(place, piece)| {
            format!("facts,{place},\"{}\"\n", piece.replace('"', "\"\""))
        }).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("Item,PLACE,value\nrows,0,7\n{lines}sums,1,-3\nsums,0,2\n")).unwrap();
        let result = QueryResult::read(file.path()).unwrap();
        prop_assert_eq!((result.facts, result.rows), (facts.repeat(100), 7));
        prop_assert_eq!((result.targets, result.sums), (vec![], vec![2, -3]));
    }
}

#[test]
fn other_files_are_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for text in [
        "item,place\nrows,0\n",
        "item,place,value\nrows,0,7\nsums,1,2\n",
        "item,place,value\nrows,0,7\nrows,0,7\n",
        "item,place,value\nrows,0,-7\n",
        "item,place,value\nrows,0,7\nsums,0,1.5\n",
        "item,place,value\nrows,0,7\nsums,9999999999,1\n",
        "item,place,value\nrows,0,7\nothers,0,1\n",
        "item,place,value\nsums,0,1\n",
    ] {
        std::fs::write(file.path(), text).unwrap();
        assert!(QueryResult::read(file.path()).is_err(), "{text}");
    }
}
