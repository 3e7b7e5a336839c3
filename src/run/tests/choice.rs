//! Decisions before a selection: by released counts, on whether to select at all and on its
//! mechanism; and by a private draw, on its mechanism. The joint laws of all releases show the
//! privacy loss.

use crate::mechanism::{canonical, peel_pnf};
use crate::privacy::{Epsilon, Neighbors, Purpose};
use crate::release::stop::drowns;
use crate::release::{MechanismReason, PickOrder, Record, WarningKind};
use crate::request::plan::{Choice, Known};
use crate::request::reach::Reach;
use crate::request::{Select, Target};
use crate::support::effort::exhaustive;
use crate::support::laws::flips;
use crate::support::oracle::{max_log_ratio, sequences, subsets};
use crate::table::FileTable;

const D: usize = 4;
const K: usize = 3;
const EPS_COUNTS: f64 = 0.5;
const EPS_SELECTION: f64 = 10.5;

/// Four features of -1 and 1, and the class.
type Row = ([i64; D], usize);

/// The law of the sets by the mechanism that these counts choose, given the scores; a row moves one
/// score by 1.
fn law_of_sets(counts: [i64; 2], scores: &[f64]) -> Vec<f64> {
    let reach = Reach { one_against_rest: false };
    let epsilon: Epsilon = EPS_SELECTION.to_string().parse().unwrap();
    let choice = Choice::of(K, D, reach, Neighbors::AddRemove, &epsilon);
    let chosen =
        choice.chosen(Known { counts: Some(&counts.map(|count| count as f64)), many: None });
    if chosen.mechanism.card().id == "canonical" {
        return canonical::law::law(scores, K, 0.5, EPS_SELECTION, flips);
    }
    law_of_peeled_sets(scores, EPS_SELECTION)
}

/// The law of the sets of `peel-pnf`, given the scores; a row moves one by 1.
fn law_of_peeled_sets(scores: &[f64], epsilon: f64) -> Vec<f64> {
    let sets = subsets(D, K);
    let mut law = vec![0.0; sets.len()];
    for (mut sequence, p) in sequences(D, K).into_iter().zip(peel_pnf::law::law(scores, K, epsilon))
    {
        sequence.sort_unstable();
        law[sets.iter().position(|set| *set == sequence).unwrap()] += p;
    }
    law
}

/// The law of the outcomes of a run given these counts: each set, and last the end without a
/// selection.
fn law_of_outcomes(counts: [i64; 2], scores: &[f64]) -> Vec<f64> {
    let largest = Reach { one_against_rest: false }.in_rows(&counts.map(|count| count as f64));
    match drowns(largest, EPS_SELECTION, D) {
        true => (0..subsets(D, K).len()).map(|_| 0.0).chain([1.0]).collect(),
        false => law_of_sets(counts, scores).into_iter().chain([0.0]).collect(),
    }
}

/// The largest log-ratio of the joint laws of noisy counts and outcomes of two tables; `by_truth`
/// is a broken variant that decides by the true counts.
fn worst(
    table: &[Row],
    other: &[Row],
    by_truth: bool,
    law_of: fn([i64; 2], &[f64]) -> Vec<f64>,
) -> f64 {
    let counts =
        |rows: &[Row]| [0, 1].map(|class| rows.iter().filter(|row| row.1 == class).count());
    let scores = |rows: &[Row]| -> Vec<f64> {
        let side = |row: &Row| if row.1 == 1 { 1 } else { -1 };
        let sum = |feature| rows.iter().map(|row| row.0[feature] * side(row)).sum::<i64>();
        (0..D).map(|feature| sum(feature).abs() as f64).collect()
    };
    let parts = [table, other].map(|rows| (counts(rows).map(|count| count as i64), scores(rows)));
    let mut worst = 0.0f64;
    for a in 0..8 {
        for b in 0..8 {
            let noise = |counts: &[i64; 2]| {
                -EPS_COUNTS * ((counts[0] - a).abs() + (counts[1] - b).abs()) as f64
            };
            let law = |(truth, scores): &([i64; 2], Vec<f64>)| {
                law_of(if by_truth { *truth } else { [a, b] }, scores)
            };
            let counts = noise(&parts[0].0) - noise(&parts[1].0);
            let [one, two] = [law(&parts[0]), law(&parts[1])];
            let shifted: Vec<f64> = one.iter().map(|p| p * counts.exp()).collect();
            worst = worst.max(max_log_ratio(&shifted, &two));
        }
    }
    worst
}

#[test]
fn choosing_by_counts_adds_no_privacy_loss() {
    let mut state = 11u64;
    let mut sign = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        if state >> 63 == 1 { 1 } else { -1 }
    };
    let (mut largest, mut broken) = (0.0f64, 0.0f64);
    for number in 0..120 {
        // Strong features in some tables, noise in others; sizes around those where the choice
        // changes.
        let strong = number % 4;
        let rows = 6 + number % 5;
        let mut row = |i: usize| {
            let class = i % 2;
            let side = if class == 1 { 1 } else { -1 };
            (std::array::from_fn(|f| if f < strong { side } else { sign() }), class)
        };
        let table: Vec<Row> = (0..rows + 1).map(&mut row).collect();
        let pair = (&table[..], &table[..rows]);
        largest = largest.max(worst(pair.0, pair.1, false, law_of_outcomes));
        broken = broken.max(worst(pair.0, pair.1, true, law_of_sets));
    }
    let epsilon = EPS_COUNTS + EPS_SELECTION;
    assert!(largest <= epsilon * (1.0 + 1e-12) && largest > 0.5 * epsilon, "{largest}");
    assert!(broken > 1.01 * epsilon, "a choice by the counts themselves passed with {broken}");
}

/// The joint law of the draw of the mechanism and the set. `draw` is the budget of the draw;
/// without it, a broken variant decides by the true scores.
fn law_of_draws(scores: &[f64], draw: Option<f64>) -> Vec<f64> {
    const LEVEL: f64 = 4.5;
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let excess = sorted[K.div_ceil(2) - 1] - LEVEL;
    let wrong = draw.map_or(0.0, |rate| (-rate * excess.abs()).exp() / 2.0);
    let many = if excess > 0.0 { 1.0 - wrong } else { wrong };
    let peeled = law_of_peeled_sets(scores, EPS_SELECTION).into_iter().map(|p| many * p);
    let at_once = canonical::law::law(scores, K, 0.25, EPS_SELECTION, flips);
    peeled.chain(at_once.into_iter().map(|p| (1.0 - many) * p)).collect()
}

#[test]
fn the_draw_of_the_mechanism_costs_its_part() {
    const EPS_DRAW: f64 = 0.5;
    let mut state = 11u64;
    let mut random = move |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((state >> 33) % most) as f64
    };
    let (mut largest, mut broken) = (0.0f64, 0.0f64);
    for number in 0..400 {
        let base = f64::from(number % 8);
        let scores: Vec<f64> = (0..D).map(|_| base + random(4)).collect();
        let other: Vec<f64> = scores.iter().map(|score| score + random(3) - 1.0).collect();
        let ratio = |draw| {
            let [one, two] = [&scores, &other].map(|scores| law_of_draws(scores, draw));
            max_log_ratio(&one, &two)
        };
        largest = largest.max(ratio(Some(EPS_DRAW)));
        broken = broken.max(ratio(None));
    }
    let epsilon = EPS_DRAW + EPS_SELECTION;
    assert!(largest <= epsilon * (1.0 + 1e-12) && largest > 0.5 * epsilon, "{largest}");
    assert!(broken > 1.01 * epsilon, "a choice by the scores themselves passed with {broken}");
}

/// Ending a run for a class without rows by the noisy counts adds no privacy loss; deciding by the
/// true counts would reveal them.
#[test]
fn ending_a_run_by_counts_adds_no_privacy_loss() {
    let (mut largest, mut broken) = (0.0f64, 0.0f64);
    for rare in 0..3 {
        let row = |i: usize| {
            (
                std::array::from_fn(|f| if (i + f).is_multiple_of(3) { 1 } else { -1 }),
                usize::from(i < rare),
            )
        };
        let mut table: Vec<Row> = (0..6).map(row).collect();
        table.push(([1, 1, -1, -1], 1));
        largest = largest.max(worst(&table, &table[..6], false, law_of_outcomes));
        broken = broken.max(worst(&table, &table[..6], true, law_of_outcomes));
    }
    let epsilon = EPS_COUNTS + EPS_SELECTION;
    assert!(largest <= epsilon * (1.0 + 1e-12), "{largest}");
    assert!(broken > 1.01 * epsilon, "an end by the counts themselves passed with {broken}");
}

/// A misspelled label ends nearly every run after its counts, with an error that contains the given
/// labels but not the table's spelling; labels in that spelling never end a run. The error is a
/// function of released values.
#[test]
fn misspelled_labels_end_a_run() {
    let run = |labels: [&str; 2], seed: u64, data: u64| {
        let select = Select::new(2).epsilon("1").target(Target::classes(labels));
        select.seed(seed).run(&table(400, 200, data))
    };
    let mut ended = 0;
    for seed in 0..40 {
        assert!(run(["a", "b"], seed, 1).is_ok());
        let [one, other] =
            [1, 2].map(|data| run(["a", "B"], seed, data).map_err(|error| error.to_string()));
        match (one, other) {
            (Err(one), Err(other)) => {
                assert_eq!(one, other);
                assert!(one.contains("by private counts the classes have almost no rows"), "{one}");
                assert!(one.contains(" of \"a\"") && one.contains(" of \"B\""), "{one}");
                assert!(!one.contains("\"b\""), "{one}");
                ended += 1;
            }
            (Ok(_), Ok(_)) => {}
            _ => panic!("the same counts end alike"),
        }
    }
    // About two thirds, by the distribution of the noise.
    assert!((18..36).contains(&ended), "{ended}");
}

/// With the number of rows that the error of an ended run gives, about nine of ten runs go on.
#[test]
fn rows_for_a_run_to_go_on() {
    let run = |rows: usize, labels: [&str; 2], seed: u64| {
        let select = Select::new(2).epsilon("1").target(Target::classes(labels));
        select.seed(seed).run(&table(rows, rows / 2, 1)).map_err(|error| error.to_string())
    };
    let error = (0..40).find_map(|seed| run(400, ["a", "B"], seed).err()).unwrap();
    let rows = error.split("with about ").nth(1).and_then(|text| text.split(' ').next()).unwrap();
    let rows: usize = rows.parse().unwrap();
    let ended = (0..200).filter(|seed| run(rows, ["a", "b"], *seed).is_err()).count();
    // About 20, or fewer because rounding adds rows, with a standard deviation of 4.2.
    assert!((1..=42).contains(&ended), "{rows}: {ended}");
}

/// The same for more classes.
#[test]
fn rows_for_a_run_on_several_classes_to_go_on() {
    let run = |rows: usize, classes: usize, capitals: bool, seed: u64| {
        let label = |class: usize| ["u", "v", "w", "x", "y"][class].to_owned();
        let text: String = (0..rows)
            .map(|i| format!("{},{},{}\n", (i * 7) % 11, i % 13, label(i % classes)))
            .collect();
        let given = (0..classes).map(label);
        let given = given.map(|label| if capitals { label.to_uppercase() } else { label });
        let select = Select::new(1).epsilon("2").target(Target::classes(given));
        let table = std::io::Cursor::new(format!("a,b,out\n{text}"));
        select.seed(seed).run(&FileTable::from_reader(table)).map_err(|error| error.to_string())
    };
    for classes in 3..=5 {
        let error = (0..40).find_map(|seed| run(400, classes, true, seed).err()).unwrap();
        let rows = error.split("with about ").nth(1).and_then(|text| text.split(' ').next());
        let rows: usize = rows.unwrap().parse().unwrap();
        let ended = (0..200).filter(|seed| run(rows, classes, false, *seed).is_err()).count();
        // At most 20, with a standard deviation of 4.2.
        assert!(ended <= 37, "{classes}, {rows}: {ended}");
    }
}

/// Whether a run that prints names warns that a class may have no row.
fn warned(epsilon: &str, rows: usize, labels: [&str; 2], seed: u64) -> Option<bool> {
    let select = Select::new(2).epsilon(epsilon).target(Target::classes(labels));
    let record = select.seed(seed).run(&table(rows, rows / 2, 1)).ok()?;
    Some(record.warnings.iter().any(|one| one.kind == WarningKind::RareClass))
}

/// For a label that does not occur, all but one in thirty of the runs that print names warn; for
/// labels that do occur, few.
#[test]
fn misspelled_labels_are_warned_of() {
    let (mut warned_runs, mut silent) = (0, 0);
    for (epsilon, rows) in [("0.5", 200), ("1", 1000), ("2", 60)] {
        for seed in 0..if exhaustive() { 400 } else { 50 } {
            match warned(epsilon, rows, ["a", "B"], seed) {
                Some(true) => warned_runs += 1,
                Some(false) => silent += 1,
                None => {}
            }
        }
    }
    // A third of the runs print names.
    assert!(warned_runs > 36, "{warned_runs}");
    // 4 of 120, with a standard deviation of 2; 13 of 400, of 3.6.
    assert!(silent * 20 <= warned_runs + silent, "{silent} of {}", warned_runs + silent);
    // The noise of a count falls off by e with every 1/0.15 rows: 60 lies 5.6 of them above the
    // bound.
    let alarms = (0..40).filter(|seed| warned("2", 120, ["a", "b"], *seed) == Some(true)).count();
    assert!(alarms <= 2, "{alarms}");
}

/// A table of two classes, which one feature separates.
fn with_a_feature(rows: usize, second: usize) -> FileTable {
    let row = |i: usize| {
        let label = if i < second { "b" } else { "a" };
        format!("{},{},{label}\n", (i * 7) % 11, usize::from(i < second) * 20 + i % 13)
    };
    let text: String = (0..rows).map(row).collect();
    FileTable::from_reader(std::io::Cursor::new(format!("p,q,y\n{text}")))
}

/// No record calls a feature significant and warns at the same time that a class may have no row or
/// that no feature can be significant: for misspelled labels, rare classes and few rows.
#[test]
fn records_do_not_contradict_themselves() {
    let (mut scarce, mut few, mut called) = (0, 0, 0);
    for (epsilon, rows, second, labels) in [
        ("0.5", 400, 200, ["a", "B"]),
        ("1", 400, 20, ["a", "b"]),
        ("1", 600, 60, ["a", "b"]),
        ("2", 60, 30, ["a", "b"]),
        ("8", 100, 20, ["a", "b"]),
    ] {
        for seed in 0..if exhaustive() { 500 } else { 8 } {
            for select in [Select::new(1), Select::significant()] {
                let select = select.epsilon(epsilon).target(Target::classes(labels));
                let table = with_a_feature(rows, second);
                let Ok(record) = select.seed(seed).run(&table) else { continue };
                let record = record.into_inner();
                let warns = |kind: WarningKind| record.warnings.iter().any(|one| one.kind == kind);
                let is_called = record.estimates.iter().any(|one| one.significant == Some(true));
                assert_eq!(is_called, record.significance.significant.unwrap_or(0) > 0);
                let is_possible = record.significance.threshold.is_some_and(|level| level <= 1.0);
                assert!(is_possible || !is_called, "{record:?}");
                let none = warns(WarningKind::RareClass) || warns(WarningKind::FewRows);
                assert!(!(none && is_called), "{record:?}");
                scarce += usize::from(warns(WarningKind::RareClass));
                few += usize::from(warns(WarningKind::FewRows));
                called += usize::from(is_called);
            }
        }
    }
    assert!(scarce > 3 && few > 3 && called > 3, "{scarce} {few} {called}");
}

/// A ledger is charged for the counts alone if they end a run, of a selection and of a model.
#[test]
fn unreleased_parts_are_returned_to_the_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let cells = |i: usize| (0..30).map(|j| format!("{},", i * (j + 3) % 7)).collect::<String>();
    let label = |i: usize| if i.is_multiple_of(2) { "no" } else { "yes" };
    let text: String = (0..200).map(|i| format!("{}{}\n", cells(i), label(i))).collect();
    let header: String = (0..30).map(|j| format!("x{j},")).collect();
    std::fs::write(&path, format!("{header}y\n{text}")).unwrap();
    let terms = crate::LedgerTerms::new("100".parse().unwrap());
    let ledger = crate::Ledger::create(folder.path().join("budget.txt"), terms).unwrap();
    let select = || Select::new(1).epsilon("0.5").target(Target::classes(["no", "Yes"]));
    let model = crate::FitModel::new(select());
    let mut given_back = 0;
    // Of 40 rounds 23 end in this way on average; fewer than eight with probability 1e-6.
    for round in 0..40 {
        let before = ledger.read().unwrap();
        let error = match round % 2 {
            0 => select().run_with_ledger(path.as_path(), &ledger, "").map(|_| ()),
            _ => model.run_with_ledger(path.as_path(), &ledger, "").map(|_| ()),
        };
        let after = ledger.read().unwrap();
        let entry = after.entries.last().unwrap();
        assert_eq!(after.entries.len(), before.entries.len() + 1);
        let Some(returned) = &entry.returned else { continue };
        let error = error.unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Input);
        assert!(error.to_string().contains("was returned"), "{error}");
        assert_eq!(error.unspent(), Some(returned.to_string().as_str()));
        // Everything except the center: for a model, the center's part of its selection.
        let kept = entry.epsilon.as_rational() - returned.as_rational();
        let given: Epsilon = if round % 2 == 0 { "0.0375" } else { "0.015" }.parse().unwrap();
        assert_eq!(&kept, given.as_rational());
        given_back += 1;
    }
    assert!(given_back >= 8, "{given_back}");
}

/// A table of two classes, whose features have data that depends on the seed.
fn table(rows: usize, second: usize, seed: u64) -> FileTable {
    let mut state = seed;
    let mut cell = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        state >> 58
    };
    let mut row = |i: usize| {
        let cells: String = (0..6).map(|_| format!("{},", cell())).collect();
        format!("{cells}{}\n", if i < second { "b" } else { "a" })
    };
    let text: String = (0..rows).map(&mut row).collect();
    FileTable::from_reader(std::io::Cursor::new(format!("p,q,r,s,t,u,y\n{text}")))
}

/// From the same draws, other data with the same counts lead to the same choice; and each of the
/// two is chosen.
#[test]
fn the_choice_reads_released_counts_alone() {
    let mut ids = std::collections::BTreeSet::new();
    for (rows, second, k, eps) in
        [(40, 20, 3, "2"), (400, 200, 3, "2"), (400, 8, 3, "2"), (40, 20, 2, "2"), (40, 20, 6, "2")]
    {
        for seed in 0..4 {
            let run = |data: u64| -> Record {
                let select = Select::new(k).epsilon(eps).target(Target::classes(["a", "b"]));
                select.seed(seed).run(&table(rows, second, data)).unwrap().into_inner()
            };
            let (one, other) = (run(1), run(2));
            assert_eq!(one.released, other.released);
            assert_eq!(one.mechanism, other.mechanism);
            assert_eq!((one.order, other.order), (PickOrder::File, PickOrder::File));
            assert!(one.indices().is_sorted() && other.indices().is_sorted());
            match &one.mechanism.chosen {
                Some(MechanismReason::Counts { ratio }) => {
                    let enough = ratio.parse::<f64>().unwrap() >= 20.0;
                    assert_eq!(enough, one.mechanism.id == "canonical", "{ratio}");
                    assert_eq!(k, 3);
                }
                Some(MechanismReason::Size) => assert_ne!(k, 3),
                other => panic!("{other:?}"),
            }
            ids.insert((k, one.mechanism.id.clone()));
        }
    }
    let expected = [(2, "peel-pnf"), (3, "canonical"), (3, "peel-pnf"), (6, "canonical")];
    assert_eq!(ids, expected.map(|(k, id)| (k, id.to_owned())).into());
}

/// Two classes, and 60 features; the first `large` separate the classes.
fn with_large_scores(large: usize) -> FileTable {
    let row = |i: usize| {
        let cell = |j: usize| match (j < large, i % 2) {
            (true, class) => class * 20 + (i * (j + 3)) % 13,
            (false, _) => (i / 2) * (j + 5) % 17,
        };
        let cells: String = (0..60).map(|j| format!("{},", cell(j))).collect();
        format!("{cells}{}\n", ["a", "b"][i % 2])
    };
    let header: String = (0..60).map(|j| format!("x{j},")).collect();
    let text: String = (0..1000).map(row).collect();
    FileTable::from_reader(std::io::Cursor::new(format!("{header}y\n{text}")))
}

/// From k = 11 on a draw with its own part of the budget decides, unless all features are selected.
#[test]
fn a_draw_chooses_by_the_scores() {
    for (large, k, id) in [(4, 20, "canonical"), (30, 20, "peel-pnf"), (20, 60, "canonical")] {
        for seed in 0..10 {
            let select = Select::new(k).epsilon("4").target(Target::classes(["a", "b"]));
            let record: Record =
                select.seed(seed).run(&with_large_scores(large)).unwrap().into_inner();
            assert_eq!(record.mechanism.id, id, "{large}, seed {seed}");
            assert_eq!(record.order, PickOrder::File);
            assert!(record.indices().is_sorted());
            let parts = &record.guarantee.spent;
            let part = parts.iter().find(|part| part.purpose == Purpose::Mechanism);
            let reason = match k {
                20 => MechanismReason::Scores { many: Some(id == "peel-pnf") },
                _ => MechanismReason::Size,
            };
            assert_eq!(record.mechanism.chosen, Some(reason));
            assert_eq!(part.is_some(), k == 20);
            let total = parts.iter().map(|part| part.epsilon.clone());
            assert_eq!(total.reduce(|sum, part| sum + part), Some(record.guarantee.epsilon));
        }
    }
}
