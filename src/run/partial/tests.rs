//! Sums of parts give the same result as a run on the whole table.

use std::fmt::Write;

use super::*;
use crate::error::ErrorKind;
use crate::privacy::{Ledger, LedgerTerms, Neighbors};
use crate::request::fields::{Center, Method, ScoreKind, Target};
use crate::request::{Select, TwoStage};
use crate::run::steps::{opening, plan_for, prepared};
use crate::statistic::coded::Scored;
use crate::statistic::pass::Pass;
use crate::table::source::sealed::Open;
use crate::table::{Bounds, FileTable, Hooks, Scaling, Table};

const HEADER: &str = "a,b,c,d,number,class\n";

/// Rows of four features, some missing, a number and one of three labels.
pub(super) fn rows(n: usize) -> Vec<String> {
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
pub(super) fn of_target(rows: &[String], classes: bool) -> FileTable {
    let named = |name: &str| crate::table::TargetColumn::Named(name.into());
    match classes {
        true => table(rows).target_column(named("class")).exclude(["number"]),
        false => table(rows).target_column(named("number")).exclude(["class"]),
    }
}

/// Parts of very different sizes. The last one has a row without a target; the first has no row
/// with a target.
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

pub(super) fn merged(all: &[Partial], order: &[usize]) -> Partial {
    let mut ordered = order.iter().map(|&place| all[place].clone());
    let first = ordered.next().unwrap();
    ordered.fold(first, |sum, part| sum.merge(&part).unwrap())
}

/// For every score that adds up, every coding of the target and both relations, in any order of the
/// parts and through their texts.
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
                    let all = |median: Option<&ReleasedTarget>| -> Vec<Partial> {
                        let part = |rows: &&[String]| select.partial(&of(rows), median).unwrap();
                        let written = |part: Partial| part.to_text().unwrap();
                        let read = |text: String| Partial::from_text(&text).unwrap();
                        parts(&rows).iter().map(part).map(written).map(read).collect()
                    };
                    let (stage, mut released) = (all(None), None);
                    assert_eq!(stage[0].stage() == Stage::Median, target == Target::Numeric);
                    let stage = if target == Target::Numeric {
                        let counts = merged(&stage, &[2, 0, 3, 1]);
                        let median = select.clone().seed(5).release_target(&counts).unwrap();
                        assert_eq!(
                            (median.epsilon().as_deref(), median.is_private()),
                            (Some("0.3"), false)
                        );
                        all(Some(released.insert(median)))
                    } else {
                        stage
                    };
                    for order in [[0, 1, 2, 3], [3, 1, 0, 2]] {
                        let sums = merged(&stage, &order);
                        let given = sums.request(2).unwrap().epsilon("3").neighbors(neighbors);
                        let again = given.seed(5).release(&sums).unwrap();
                        assert_eq!(again.selected, expected.selected);
                        assert_eq!(again.estimates, expected.estimates);
                        assert_eq!(select.clone().seed(5).release(&sums).unwrap(), expected);
                        // A private release refuses a median that was drawn from a seed.
                        let private = select.clone().check().unwrap().release(&sums);
                        assert_eq!(private.is_ok(), released.is_none());
                    }
                }
            }
        }
    }
}

/// The scores of all columns of a table at a released center, as computed by an engine that holds
/// the columns.
fn column_scores(select: &Select, table: &FileTable, at: &ReleasedTarget) -> Vec<ColumnScore> {
    let request = select.of_sums().unwrap();
    let hooks = Hooks::default();
    let opened = table.open(&opening(&request, &hooks).unwrap()).unwrap();
    let mut table = prepared(&request, opened).unwrap();
    let plan = plan_for(&request, table.schema()).unwrap();
    let pass = Pass { plan: &plan, threads: 1, hooks: &hooks };
    let rows = pass.ks_columns(&mut table).unwrap();
    let settled = stages::settled(&plan, Some(at)).unwrap();
    let (scored, target) = (Scored::Columns(&rows), &settled.target);
    let scores = scored.values(target, 1, &hooks).unwrap();
    let exact = scored.exact(target, &Vec::from_iter(0..scores.len()));
    let signed =
        |place: usize| exact.signed.as_ref().map(|all| (all[place].least, all[place].most));
    let score = |(place, score): (usize, i64)| ColumnScore {
        score,
        effect_size: exact.effect_sizes[place],
        signed: signed(place),
    };
    scores.into_iter().enumerate().map(score).collect()
}

/// For every coding of the target, both relations, and a private or a given center: targets in
/// parts and through their texts, then scores of columns at the released center.
#[test]
fn whole_columns_at_a_released_center_give_the_record_of_the_whole() {
    let rows = rows(300);
    let targets = [
        Target::Numeric,
        Target::Bounded(Bounds::new(-0.7, 0.7).unwrap()),
        Target::classes(["low", "high"]),
        Target::classes(["low", "middle", "high"]),
    ];
    for target in targets {
        for neighbors in [Neighbors::AddRemove, Neighbors::ReplaceOne] {
            for center in [Center::Private, Center::None] {
                let directed = !matches!(&target, Target::Classes(labels) if labels.len() > 2);
                let mut select = Select::new(2)
                    .epsilon("3")
                    .target(target.clone())
                    .center(center.clone())
                    .neighbors(neighbors);
                if directed && center == Center::Private {
                    select = select.direction("0.1");
                }
                let of = |rows: &[String]| of_target(rows, matches!(target, Target::Classes(_)));
                let stage = |released: Option<&ReleasedTarget>| {
                    let part = |rows: &&[String]| select.target_partial(&of(rows), released);
                    let all = parts(&rows).iter().map(part).collect::<Result<Vec<_>>>().unwrap();
                    let text = merged(&all, &[1, 3, 0, 2]).to_text().unwrap();
                    Partial::from_text(&text).unwrap()
                };
                let release = |partial: &Partial| {
                    let released = select.clone().seed(5).release_target(partial).unwrap();
                    ReleasedTarget::from_text(&released.to_text().unwrap()).unwrap()
                };
                let mut targets = stage(None);
                if target == Target::Numeric {
                    assert_eq!(targets.stage(), Stage::Median);
                    targets = stage(Some(&release(&targets)));
                }
                assert_eq!(targets.stage(), Stage::Center);
                let released = release(&targets);
                let scores = column_scores(&select, &of(&rows), &released);
                let columns = targets.clone().with_columns(&released, scores.clone()).unwrap();
                let columns = Partial::from_text(&columns.to_text().unwrap()).unwrap();
                let expected = select.clone().seed(5).run(&of(&rows)).unwrap();
                assert_eq!(select.clone().seed(5).release(&columns).unwrap(), expected);
                // Values drawn from a seed never become private.
                assert!(select.clone().check().unwrap().release(&columns).is_err());
                assert!(columns.clone().merge(&columns).is_err());
                assert!(targets.clone().with_columns(&released, scores[1..].to_vec()).is_err());
                let wrong = |change: fn(&mut ColumnScore)| {
                    let mut wrong = scores.clone();
                    change(&mut wrong[0]);
                    targets.clone().with_columns(&released, wrong).unwrap_err()
                };
                assert_eq!(wrong(|column| column.score = -1).kind(), ErrorKind::Input);
                assert_eq!(wrong(|column| column.effect_size = i64::MAX).kind(), ErrorKind::Input);
            }
        }
    }
}

/// Columns in another order are matched by name, for all sums; other columns are reported in an
/// error with both differing values.
#[test]
fn the_order_of_columns_does_not_matter() {
    let rows = rows(300);
    let turned = |rows: &[String]| {
        let turn = |row: &String| {
            let cells: Vec<&str> = row.trim_end_matches('\n').split(',').collect();
            [cells[5], cells[2], cells[4], cells[0], cells[3], cells[1]].join(",") + "\n"
        };
        let text: String = rows.iter().map(turn).collect();
        let text = std::io::Cursor::new(format!("class,c,number,a,d,b\n{text}"));
        let target = crate::table::TargetColumn::Named("class".into());
        FileTable::from_reader(text).target_column(target).exclude(["number"])
    };
    let by_name: Vec<(&str, Bounds)> = [("a", 0.5), ("b", 0.3), ("c", 0.9), ("d", 0.1)]
        .map(|(name, end)| (name, Bounds::new(-0.4, end).unwrap()))
        .into();
    for labels in [&["low", "high"][..], &["low", "middle", "high"]] {
        for score in [ScoreKind::Correlation, ScoreKind::Ks] {
            let select = Select::new(2)
                .epsilon("30")
                .target(Target::classes(labels.iter().copied()))
                .bounds_by_name(by_name.clone())
                .score(score);
            let expected = select.clone().seed(5).run(&of_target(&rows, true)).unwrap();
            let first = select.partial(&of_target(&rows[..100], true), None).unwrap();
            let second = select.partial(&turned(&rows[100..]), None).unwrap();
            let sums = first.clone().merge(&second).unwrap();
            let found = select.clone().seed(5).release(&sums).unwrap();
            assert_eq!(found.released, expected.released);
            assert_eq!(found.indices(), expected.indices());
            let other = select.clone().bounds(-1.0, 2.0);
            let other = other.partial(&turned(&rows[100..]), None).unwrap();
            let error = first.clone().merge(&other).unwrap_err().to_string();
            assert!(error.contains("another scaling of features"), "{error}");
        }
    }
    let bounded = |high| {
        let select = Select::new(1).epsilon("1").bounds(-1.0, high);
        let select = select.target(Target::classes(["low", "high"]));
        select.partial(&of_target(&rows[..9], true), None).unwrap()
    };
    let error = bounded(1.0).merge(&bounded(2.0)).unwrap_err().to_string();
    assert!(error.contains(r#"{"all":["-1","1"]} and {"all":["-1","2"]}"#), "{error}");
}

/// The number of a part is kept in every merge, and a release needs all parts.
#[test]
fn no_part_counts_twice() {
    let rows = rows(60);
    let select =
        Select::new(1).epsilon("90").bounds(-1.0, 1.0).target(Target::classes(["low", "high"]));
    let part = |rows: &[String]| select.partial(&of_target(rows, true), None).unwrap();
    let [a, b, c] = [(&rows[..20], 1), (&rows[20..40], 2), (&rows[..20], 3)]
        .map(|(rows, number)| part(rows).as_part(number, 3).unwrap());
    assert!(a.clone().merge(&a).is_err());
    let both = Partial::from_text(&a.clone().merge(&b).unwrap().to_text().unwrap()).unwrap();
    assert_eq!(both.parts().collect::<Vec<_>>(), [1, 2]);
    assert!(both.clone().merge(&b).is_err() && b.clone().merge(&both).is_err());
    let release = |sums: &Partial| select.clone().check().unwrap().release(sums);
    let error = release(&both).unwrap_err().to_string();
    assert!(error.contains("of 3 parts these are missing: 3"), "{error}");
    // Other rows may have the same sums.
    let all = both.clone().merge(&c).unwrap();
    assert_eq!(all.rows, 60);
    assert!(release(&all).is_ok());
    // Parts of another number of parts, or without a number, do not mix with these.
    assert!(a.clone().merge(&part(&rows).as_part(2, 4).unwrap()).is_err());
    assert!(a.merge(&part(&rows)).is_err());
    for (number, of) in [(0, 3), (4, 3), (1, 0)] {
        assert!(part(&rows).as_part(number, of).is_err());
    }
    let text = both.to_text().unwrap();
    assert!(Partial::from_text(&text.replace("[1,2]", "[1,4]")).is_err());
    assert_eq!(part(&rows).merge(&part(&rows)).unwrap().rows, 120);
}

/// A center that was given for the scores is the center of the release.
#[test]
fn given_centers_are_the_same_in_both_stages() {
    let rows = rows(60);
    let select = |center| {
        Select::new(1).epsilon("1").target(Target::classes(["low", "high"])).center(center)
    };
    let of = || of_target(&rows, true);
    let targets = select(Center::None).target_partial(&of(), None).unwrap();
    let released = select(Center::None).check().unwrap().release_target(&targets).unwrap();
    let scores = column_scores(&select(Center::None), &of(), &released);
    let columns = targets.with_columns(&released, scores).unwrap();
    assert!(select(Center::None).check().unwrap().release(&columns).is_ok());
    for other in [Center::Given(0.9), Center::Private] {
        let error = select(other).check().unwrap().release(&columns).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Request);
    }
}

/// A target released under one neighbor relation is refused under the other.
#[test]
fn released_targets_have_their_relation() {
    let rows = rows(80);
    let select = |neighbors| Select::new(1).epsilon("1").bounds(-1.0, 1.0).neighbors(neighbors);
    let of = || of_target(&rows, false);
    let counts = select(Neighbors::AddRemove).partial(&of(), None).unwrap();
    let checked = select(Neighbors::AddRemove).check().unwrap();
    let median = checked.release_target(&counts).unwrap();
    let sums = select(Neighbors::ReplaceOne).partial(&of(), Some(&median)).unwrap();
    let error = select(Neighbors::ReplaceOne).check().unwrap().release(&sums).unwrap_err();
    assert!(error.to_string().contains("another neighbor relation"), "{error}");
    assert!(checked.release(&sums).is_ok());
}

/// Each stage charges its part, and a part that was not charged before is charged in the end.
#[test]
fn stages_are_charged_to_a_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = |name: &str| {
        let terms = LedgerTerms::new("5".parse().unwrap());
        Ledger::create(folder.path().join(name), terms).unwrap()
    };
    let rows = rows(200);
    let of = || of_target(&rows, false);
    let bins = || Select::new(1).epsilon("2").scaling(Scaling::RowRank).score(ScoreKind::Ks);
    let spent = |ledger: &Ledger| ledger.read().unwrap().spent();
    for (paid_before, after_median, after_all) in [(true, "0.2", "2"), (false, "0", "2")] {
        let ledger = ledger(&format!("sums {paid_before}"));
        let counts = bins().partial(&of(), None).unwrap();
        let checked = bins().check().unwrap();
        let median = match paid_before {
            true => checked.release_target_with_ledger(&counts, &ledger, "median").unwrap(),
            false => checked.release_target(&counts).unwrap(),
        };
        assert_eq!(spent(&ledger), after_median);
        let sums = bins().partial(&of(), Some(&median)).unwrap();
        checked.release_with_ledger(&sums, &ledger, "selection").unwrap();
        assert_eq!(spent(&ledger), after_all);
    }
    for charged in [[true, true], [false, true], [true, false], [false, false]] {
        let ledger = ledger(&format!("columns {charged:?}"));
        let select = Select::new(1).epsilon("2");
        let checked = select.clone().check().unwrap();
        let release = |partial: &Partial, charged: bool| match charged {
            true => checked.release_target_with_ledger(partial, &ledger, "").unwrap(),
            false => checked.release_target(partial).unwrap(),
        };
        let counts = select.target_partial(&of(), None).unwrap();
        let median = release(&counts, charged[0]);
        let targets = select.target_partial(&of(), Some(&median)).unwrap();
        let center = release(&targets, charged[1]);
        assert_eq!(center.epsilon().as_deref(), Some("0.35"));
        let scores = column_scores(&select, &of(), &center);
        let columns = targets.with_columns(&center, scores).unwrap();
        checked.release_with_ledger(&columns, &ledger, "").unwrap();
        // A charge that is not seen is charged again, never left out.
        let expected = if charged == [true, false] { "2.2" } else { "2" };
        assert_eq!(spent(&ledger), expected);
    }
    // Charges to another ledger are not seen, so the part is charged again.
    let (one, other) = (ledger("one"), ledger("other"));
    let counts = bins().partial(&of(), None).unwrap();
    let checked = bins().check().unwrap();
    let median = checked.release_target_with_ledger(&counts, &one, "").unwrap();
    assert!(median.is_charged());
    let sums = bins().partial(&of(), Some(&median)).unwrap();
    checked.release_with_ledger(&sums, &other, "").unwrap();
    checked.release_with_ledger(&sums, &one, "").unwrap();
    assert_eq!((spent(&one), spent(&other)), ("2".into(), "2".into()));
    let poor = Ledger::create(folder.path().join("poor"), LedgerTerms::new("0.1".parse().unwrap()))
        .unwrap();
    let counts = bins().partial(&of(), None).unwrap();
    let error = bins().check().unwrap().release_target_with_ledger(&counts, &poor, "").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget);
    assert_eq!(spent(&poor), "0");
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

/// Any difference in the facts given of the table or of the scores is refused.
#[test]
fn partials_of_different_requests_are_refused() {
    let rows = rows(60);
    let base =
        || Select::new(1).epsilon("90").bounds(-1.0, 1.0).target(Target::classes(["low", "high"]));
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
        assert!(error.to_string().contains("were made with "), "{error}");
        // A release for another request is refused as well, if the difference shows in the request.
    }
    let release = |select: Select| select.check().unwrap().release(&first);
    assert!(release(base()).is_ok());
    for wrong in [
        base().bounds(0.0, 1.0),
        base().score(ScoreKind::Ks),
        Select::new(1).epsilon("90").bounds(-1.0, 1.0),
    ] {
        assert_eq!(release(wrong).unwrap_err().kind(), ErrorKind::Request);
    }
    assert_eq!(release(base().k(9)).unwrap_err().kind(), ErrorKind::Request);
}

/// Stages do not mix, and the median's part of the budget is the part that was spent on it.
#[test]
fn two_stages() {
    let rows = rows(80);
    let select = |epsilon: &str| Select::new(1).epsilon(epsilon).bounds(-1.0, 1.0);
    let of = || of_target(&rows, false);
    let counts = select("1").partial(&of(), None).unwrap();
    let median = select("1").check().unwrap().release_target(&counts).unwrap();
    assert!(median.is_private());
    let sums = select("1").partial(&of(), Some(&median)).unwrap();
    assert!(counts.clone().merge(&sums).is_err() && sums.clone().merge(&counts).is_err());
    assert!(select("1").check().unwrap().release(&counts).is_err());
    assert!(select("1").check().unwrap().release_target(&sums).is_err());
    assert!(select("1").check().unwrap().release(&sums).is_ok());
    let error = select("2").check().unwrap().release(&sums).unwrap_err();
    assert!(error.to_string().contains("the median has spent epsilon 0.1"), "{error}");
    let other = select("1").check().unwrap().release_target(&counts).unwrap();
    let elsewhere = select("1").partial(&of(), Some(&other)).unwrap();
    assert!(other == median || sums.merge(&elsewhere).is_err());
    let bounded = select("1").target(Target::Bounded(Bounds::new(-1.0, 1.0).unwrap()));
    assert!(bounded.partial(&of(), Some(&median)).is_err());
}

/// Whether a partial has a row with a usable target is private.
#[test]
fn partials_without_a_usable_target_are_released() {
    let rows = rows(1);
    let select = Select::new(1).epsilon("1").bounds(-1.0, 1.0);
    let classes = select.clone().target(Target::classes(["low", "high"]));
    // At this epsilon the counts rarely end a run.
    let ample = classes.clone().epsilon("1e6");
    let ample_sums = ample.partial(&of_target(&rows, true), None).unwrap();
    let released = ample.check().unwrap().release(&ample_sums);
    assert!(released.is_ok() || released.unwrap_err().unspent().is_some());
    let counts = select.partial(&of_target(&rows, false), None).unwrap();
    assert!(select.check().unwrap().release_target(&counts).is_ok());
}

/// Every changed byte of a text, and every place where it is cut off.
#[test]
fn damage_is_noticed() {
    let select =
        Select::new(1).epsilon("1").bounds(-1.0, 1.0).target(Target::classes(["low", "high"]));
    let text = select.partial(&of_target(&rows(20), true), None).unwrap().to_text().unwrap();
    assert!(text.starts_with("dpsis partial 2: RAW, NOT PRIVATE"));
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

/// The largest sums that rows can have, and larger ones: refused or released, and no arithmetic
/// overflows.
#[test]
fn the_largest_sums_do_not_overflow() {
    let rows = rows(20);
    let most = i64::from(GRID) * crate::exact::MAX_ROWS as i64;
    let targets = [Target::classes(["low", "high"]), Target::classes(["low", "middle", "high"])];
    for target in targets {
        for score in [ScoreKind::Correlation, ScoreKind::Ks] {
            let select =
                Select::new(1).epsilon("1").bounds(-1.0, 1.0).target(target.clone()).score(score);
            let good = select.partial(&of_target(&rows, true), None).unwrap();
            let mut accepted = 0;
            for large in
                [most / 32768 / 3, most / 32768, most / 3, most, most * 32767, i64::MAX, i64::MIN]
            {
                // The bins of a feature cannot contain more rows than the table.
                let of_a_bin = if score == ScoreKind::Ks { large / 16 } else { large };
                for (of_features, of_rows) in [(true, false), (false, true), (true, true)] {
                    let mut partial = good.clone();
                    partial.rows = crate::exact::MAX_ROWS;
                    let Sums::Features(raw) = &mut partial.sums else { unreachable!("one stage") };
                    if of_features {
                        raw.features.fill(of_a_bin);
                    }
                    if of_rows {
                        raw.rows.fill(large);
                    }
                    let Ok(read) = Partial::from_text(&partial.to_text().unwrap()) else {
                        continue;
                    };
                    accepted += 1;
                    let _ = read.clone().merge(&read);
                    select.clone().seed(1).release(&read).unwrap();
                }
            }
            assert!((1..15).contains(&accepted), "{score:?} {accepted}");
        }
    }
}

/// Sums that no rows have, though their text is intact.
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
        _ => unreachable!("classes have no median"),
    };
    wrong(&|partial| sums(partial, &|raw| raw.features.truncate(3)));
    wrong(&|partial| sums(partial, &|raw| raw.features[0] = i64::MAX));
    // More than the sums of twenty rows can be, also for other scores and targets.
    let q = i64::from(GRID);
    let d = good.features();
    wrong(&|partial| sums(partial, &|raw| raw.features[0] = 20 * q * q + 1));
    wrong(&|partial| sums(partial, &|raw| raw.features[d] = 20 * q + 1));
    let two = || Select::new(1).epsilon("1").target(Target::classes(["low", "high"]));
    let three = || Select::new(1).epsilon("1").target(Target::classes(["low", "high", "none"]));
    let on_bins = |select: Select| select.bounds(-1.0, 1.0).score(ScoreKind::Ks);
    for (select, place, sum) in [
        (three().bounds(-1.0, 1.0), 0, 20 * q),
        (on_bins(two()), 1, 21),
        (on_bins(two()), 0, 20 * q + 1),
        (on_bins(three()), 0, 21),
    ] {
        let mut partial = select.partial(&of_target(&rows(20), true), None).unwrap();
        assert!(Partial::from_text(&partial.to_text().unwrap()).is_ok());
        sums(&mut partial, &|raw| raw.features[place] = sum);
        assert!(Partial::from_text(&partial.to_text().unwrap()).is_err(), "{place}, {sum}");
    }
    wrong(&|partial| sums(partial, &|raw| raw.rows[0] += 1));
    wrong(&|partial| sums(partial, &|raw| raw.rows.push(0)));
    wrong(&|partial| partial.rows = u64::MAX);
    wrong(&|partial| partial.sums = Sums::Ranks(vec![(usize::MAX, 1)]));
    wrong(&|partial| partial.sums = Sums::Ranks(vec![(3, 1 << 40)]));
}

/// The same rows under two part numbers, in another order of rows and columns and through text, for
/// all kinds of sums that add up.
#[test]
fn parts_with_the_same_rows_are_refused() {
    let rows = rows(200);
    let mut shuffled = rows.clone();
    shuffled.reverse();
    let classes = |labels: &[&str]| Target::classes(labels.iter().copied());
    let targets = [Target::Numeric, classes(&["low", "high"]), classes(&["low", "middle", "high"])];
    for target in targets {
        for score in [ScoreKind::Correlation, ScoreKind::Ks] {
            for scaling in scalings() {
                let is_class = target != Target::Numeric;
                let request = Select::new(1).target(target.clone()).scaling(scaling).score(score);
                let sums =
                    |rows: &[String]| request.partial(&of_target(rows, is_class), None).unwrap();
                let part = |rows: &[String], number| {
                    let part = sums(rows).as_part(number, 3).unwrap();
                    Partial::from_text(&part.to_text().unwrap()).unwrap()
                };
                let one = part(&rows, 1);
                let error = one.clone().merge(&part(&shuffled, 3));
                let error = error.expect_err(&format!("{target:?} {score:?}"));
                assert_eq!(error.kind(), ErrorKind::Request);
                assert!(error.to_string().contains("parts 1 and 3 of 3"), "{error}");
                // Also if one of them is in a sum already; other rows add up.
                let other = part(&rows[..150], 2);
                let both = other.clone().merge(&one).unwrap();
                assert!(part(&rows, 3).merge(&both).is_err());
                let other = one.merge(&other).unwrap().merge(&part(&rows[50..], 3));
                assert_eq!(other.unwrap().parts().count(), 3);
            }
        }
    }
}

/// Parts that may be equal by chance: empty ones, single rows, constant columns, a few categories.
#[test]
fn parts_without_information_add_up() {
    let request = Select::new(1).target(Target::classes(["x", "y"])).bounds(0.0, 10.0);
    let adds_up = |rows: &str| {
        let sums = |number| {
            let text = format!("a,b,c,class\n{rows}");
            let table = FileTable::from_reader(std::io::Cursor::new(text));
            request.partial(&table, None).unwrap().as_part(number, 2).unwrap()
        };
        sums(1).merge(&sums(2)).is_ok()
    };
    for (row, least) in [("1.5,2.25,7,x\n", 1), (",,,\n", 1), ("0,10,0,x\n0,10,10,y\n", 1)] {
        for times in [0, least, 19, 1000] {
            assert!(adds_up(&row.repeat(times)), "{row} {times}");
        }
    }
    // Features that are constant while the target is not.
    assert!(adds_up(&"1.5,2.25,7,x\n3,3,7,z\n1.5,2.25,7,y\n1.5,2.25,7,x\n".repeat(50)));
    // A few rows, with any values, and as many as are enough.
    let lines: Vec<String> = rows(40)
        .iter()
        .enumerate()
        .map(|(i, row)| {
            let mut cells = row.split(',').map(|cell| cell.parse().unwrap_or(0.3) + 0.5);
            let x: [f64; 3] = [(); 3].map(|()| cells.next().unwrap());
            format!("{},{},{},{}\n", x[0], x[1], x[2], ["x", "y"][i % 2])
        })
        .collect();
    assert!(adds_up(&lines[..19].concat()));
    assert!(!adds_up(&lines.concat()));
}
