//! Sums of parts give what a run on the whole table gives.

use std::fmt::Write;

use super::*;
use crate::data::{Bounds, FileTable, Scaling};
use crate::error::ErrorKind;
use crate::privacy::Neighbors;
use crate::select::request::{Method, ScoreKind, Target};
use crate::select::{Select, TwoStage};

const HEADER: &str = "a,b,c,d,number,class\n";

/// Rows of four features, some missing, a number and one of three labels.
fn rows(n: usize) -> Vec<String> {
    let mut state = 7u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    };
    (0..n)
        .map(|i| {
            let mut line = String::new();
            let x = [(); 4].map(|()| next());
            for (feature, x) in x.iter().enumerate() {
                match (i + feature) % 11 {
                    0 => line += ",",
                    _ => write!(line, "{x},").unwrap(),
                }
            }
            let target = x[1] - x[2] + 0.3 * next();
            let class = ["low", "middle", "high"][((target + 0.75) * 2.0).clamp(0.0, 2.0) as usize];
            match i % 13 {
                0 => writeln!(line, ",").unwrap(),
                _ => writeln!(line, "{target},{class}").unwrap(),
            }
            line
        })
        .collect()
}

fn table(rows: &[String]) -> FileTable {
    let text = std::iter::once(HEADER).chain(rows.iter().map(String::as_str)).collect::<String>();
    FileTable::from_reader(std::io::Cursor::new(text))
}

/// The table for a target, without the other one.
fn of_target(rows: &[String], classes: bool) -> FileTable {
    let named = |name: &str| crate::data::TargetColumn::Named(name.into());
    match classes {
        true => table(rows).target_column(named("class")).exclude(["number"]),
        false => table(rows).target_column(named("number")).exclude(["class"]),
    }
}

/// Parts of very different sizes; the last one has a row without a target, and the first none with one.
fn parts(rows: &[String]) -> Vec<&[String]> {
    let (first, rest) = rows.split_at(1);
    let (second, rest) = rest.split_at(100);
    let (third, fourth) = rest.split_at(7);
    vec![first, second, third, fourth]
}

fn scalings() -> Vec<Scaling> {
    let range = |low, high| Bounds::new(low, high).unwrap();
    let each = [(-0.5, 0.5), (-0.1, 0.3), (-1.0, 1.0), (0.0, 0.1)].map(|(l, h)| range(l, h));
    vec![Scaling::RowRank, Scaling::Bounds(range(-0.4, 0.4)), Scaling::BoundsByFeature(each.into())]
}

fn merged(all: &[Partial], order: &[usize]) -> Partial {
    let mut ordered = order.iter().map(|&place| all[place].clone());
    let first = ordered.next().unwrap();
    ordered.fold(first, |sum, part| sum.merge(&part).unwrap())
}

/// For every score that adds up, every coding of the target and both relations, in any order of the parts and through
/// their texts.
#[test]
fn parts_give_the_record_of_the_whole() {
    let rows = rows(600);
    let range = Bounds::new(-0.7, 0.7).unwrap();
    let targets = [
        Target::Numeric,
        Target::Bounded(range),
        Target::classes(["low", "high"]),
        Target::classes(["low", "middle", "high"]),
    ];
    for target in targets {
        for scaling in scalings() {
            for score in [ScoreKind::Correlation, ScoreKind::Ks] {
                for neighbors in [Neighbors::AddRemove, Neighbors::ReplaceOne] {
                    let select = Select::new(2)
                        .epsilon("3")
                        .target(target.clone())
                        .scaling(scaling.clone())
                        .score(score)
                        .neighbors(neighbors);
                    let is_class = matches!(target, Target::Classes(_));
                    let of = |rows: &[String]| of_target(rows, is_class);
                    let expected = select.clone().seed(5).run(&of(&rows)).unwrap();
                    let all = |median: Option<&ReleasedMedian>| -> Vec<Partial> {
                        let part = |rows: &&[String]| select.partial(&of(rows), median).unwrap();
                        let written = |part: Partial| part.to_text().unwrap();
                        let read = |text: String| Partial::from_text(&text).unwrap();
                        parts(&rows).iter().map(part).map(written).map(read).collect()
                    };
                    let (stage, mut released) = (all(None), None);
                    assert_eq!(stage[0].needs_median(), target == Target::Numeric);
                    let stage = if target == Target::Numeric {
                        let counts = merged(&stage, &[2, 0, 3, 1]);
                        let median = select.clone().seed(5).release_median(&counts).unwrap();
                        assert_eq!((median.epsilon(), median.is_private()), ("0.3", false));
                        all(Some(released.insert(median)))
                    } else {
                        stage
                    };
                    for order in [[0, 1, 2, 3], [3, 1, 0, 2]] {
                        let sums = merged(&stage, &order);
                        assert_eq!(select.clone().seed(5).release(&sums).unwrap(), expected);
                        // A private release takes no median that was drawn from a seed.
                        let private = select.clone().check().unwrap().release(&sums);
                        assert_eq!(private.is_ok(), released.is_none());
                    }
                }
            }
        }
    }
}

#[test]
fn whole_columns_do_not_add_up() {
    let rows = rows(30);
    let refused = |select: Select| {
        let error = select.partial(&of_target(&rows, false), None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request);
        assert!(error.to_string().contains("do not add up"), "{error}");
    };
    refused(Select::new(1));
    refused(Select::new(1).target(Target::Bounded(Bounds::new(0.0, 1.0).unwrap())));
    refused(Select::new(1).score(ScoreKind::Kendall));
    refused(Select::new(1).method(Method::DpKendall));
    if cfg!(feature = "methods") {
        refused(Select::new(1).method(Method::TwoStage(TwoStage::default())));
    }
}

/// Whatever differs in what was stated of the table or the scores.
#[test]
fn partials_of_different_requests_are_refused() {
    let rows = rows(60);
    let base =
        || Select::new(1).epsilon("1").bounds(-1.0, 1.0).target(Target::classes(["low", "high"]));
    let part = |select: Select, table: FileTable| select.partial(&table, None).unwrap();
    let of = || of_target(&rows, true);
    let first = part(base(), of());
    let others = [
        part(base().bounds(-1.0, 2.0), of()),
        part(base().scaling(Scaling::RowRank), of()),
        part(base().counts_per_million(), of()),
        part(base().score(ScoreKind::Ks), of()),
        part(base().target(Target::classes(["high", "low"])), of()),
        part(base(), of().missing(["-9"])),
        part(base(), of().exclude(["number", "a"])),
    ];
    for other in &others {
        let error = first.clone().merge(other).unwrap_err();
        assert!(error.to_string().contains("were made with another"), "{error}");
        // A release for another request is refused as well, as far as the request states it.
    }
    let release = |select: Select| select.check().unwrap().release(&first);
    assert!(release(base()).is_ok());
    for wrong in [
        base().bounds(0.0, 1.0),
        base().score(ScoreKind::Ks),
        Select::new(1).epsilon("1").bounds(-1.0, 1.0),
    ] {
        assert_eq!(release(wrong).unwrap_err().kind(), ErrorKind::Request);
    }
    assert_eq!(release(base().k(9)).unwrap_err().kind(), ErrorKind::Request);
}

/// Stages do not mix, and the median's part of the budget is what was spent on it.
#[test]
fn two_stages() {
    let rows = rows(80);
    let select = |epsilon: &str| Select::new(1).epsilon(epsilon).bounds(-1.0, 1.0);
    let of = || of_target(&rows, false);
    let counts = select("1").partial(&of(), None).unwrap();
    let median = select("1").check().unwrap().release_median(&counts).unwrap();
    assert!(median.is_private());
    let sums = select("1").partial(&of(), Some(&median)).unwrap();
    assert!(counts.clone().merge(&sums).is_err() && sums.clone().merge(&counts).is_err());
    assert!(select("1").check().unwrap().release(&counts).is_err());
    assert!(select("1").check().unwrap().release_median(&sums).is_err());
    assert!(select("1").check().unwrap().release(&sums).is_ok());
    let error = select("2").check().unwrap().release(&sums).unwrap_err();
    assert!(error.to_string().contains("the median has spent epsilon 0.1"), "{error}");
    let other = select("1").check().unwrap().release_median(&counts).unwrap();
    let elsewhere = select("1").partial(&of(), Some(&other)).unwrap();
    assert!(other == median || sums.merge(&elsewhere).is_err());
    let bounded = select("1").target(Target::Bounded(Bounds::new(-1.0, 1.0).unwrap()));
    assert!(bounded.partial(&of(), Some(&median)).is_err());
}

#[test]
fn no_row_with_a_target_is_malformed_input() {
    let rows = rows(1);
    let select = Select::new(1).epsilon("1").bounds(-1.0, 1.0);
    let classes = select.clone().target(Target::classes(["low", "high"]));
    let sums = classes.partial(&of_target(&rows, true), None).unwrap();
    assert_eq!(classes.check().unwrap().release(&sums).unwrap_err().kind(), ErrorKind::Input);
    let counts = select.partial(&of_target(&rows, false), None).unwrap();
    assert_eq!(
        select.check().unwrap().release_median(&counts).unwrap_err().kind(),
        ErrorKind::Input
    );
}

/// Every byte of a text that is changed, and every place where it is cut off.
#[test]
fn damage_is_noticed() {
    let select =
        Select::new(1).epsilon("1").bounds(-1.0, 1.0).target(Target::classes(["low", "high"]));
    let text = select.partial(&of_target(&rows(20), true), None).unwrap().to_text().unwrap();
    assert!(text.starts_with("dpsis partial 1: RAW, NOT PRIVATE"));
    for place in (0..text.len()).step_by(3) {
        assert!(Partial::from_text(&text[..place]).is_err(), "{place}");
        let mut bytes = text.clone().into_bytes();
        bytes[place] ^= 1;
        if let Ok(other) = String::from_utf8(bytes) {
            assert_eq!(Partial::from_text(&other).unwrap_err().kind(), ErrorKind::Input, "{place}");
        }
    }
    assert!(Partial::from_text(&format!("{text}more\n")).is_err());
}

/// Sums that no rows have, though their text is whole.
#[test]
fn impossible_sums_are_refused() {
    let select =
        Select::new(1).epsilon("1").bounds(-1.0, 1.0).target(Target::classes(["low", "high"]));
    let good = select.partial(&of_target(&rows(20), true), None).unwrap();
    let wrong = |change: &dyn Fn(&mut Partial)| {
        let mut partial = good.clone();
        change(&mut partial);
        let error = Partial::from_text(&partial.to_text().unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
    };
    let sums = |partial: &mut Partial, change: &dyn Fn(&mut RawSums)| match &mut partial.sums {
        Sums::Features(raw) => change(raw),
        Sums::Ranks(_) => unreachable!("classes have no median"),
    };
    wrong(&|partial| sums(partial, &|raw| raw.features.truncate(3)));
    wrong(&|partial| sums(partial, &|raw| raw.features[0] = i64::MAX));
    wrong(&|partial| sums(partial, &|raw| raw.rows[0] += 1));
    wrong(&|partial| sums(partial, &|raw| raw.rows.push(0)));
    wrong(&|partial| partial.rows = u64::MAX);
    wrong(&|partial| partial.sums = Sums::Ranks(vec![(usize::MAX, 1)]));
    wrong(&|partial| partial.sums = Sums::Ranks(vec![(3, 1 << 40)]));
}
