//! Paired designs: effect sizes against an independent computation, false discoveries, and the
//! influence of people and rows.

use std::collections::BTreeMap;
use std::io::Cursor;

use dpsis::{
    FileTable, FitModel, Neighbors, NotPrivate, Parameter, Record, Result, ScoreKind, Select,
    Target, UnitTarget,
};
use dpsis_mechanisms::support::effort::exhaustive;

/// A small generator: the tests need no more.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % most
    }
}

const FEATURES: usize = 12;

/// A row: its person, its class, and its values, of which some are missing.
#[derive(Clone)]
struct Row(String, usize, Vec<Option<i64>>);

/// People with none to three rows of one class and at most one of the other. People differ by
/// thousands; in the second class the first feature is larger by up to 5, and the second smaller.
fn rows(people: u64, effect: i64, seed: u64) -> Vec<Row> {
    let mut numbers = Numbers(seed);
    let mut rows = Vec::new();
    for person in 0..people {
        let levels: Vec<i64> = (0..FEATURES).map(|_| numbers.below(5000) as i64).collect();
        for class in 0..2 {
            // The first class has more rows, and values are skewed.
            for _ in 0..numbers.below(8).min([3, 1][class]) {
                let value = |(feature, level): (usize, &i64)| {
                    let sign = [1, -1].get(feature).copied().unwrap_or(0);
                    let shift = sign * effect * class as i64;
                    let skewed = numbers.below(10).pow(3) as i64 / 100;
                    let value = level + shift + skewed;
                    (numbers.below(6) > 0).then_some(value)
                };
                let values = levels.iter().enumerate().map(value).collect();
                rows.push(Row(format!("p{person}"), class, values));
            }
        }
    }
    rows
}

fn table(rows: &[Row]) -> FileTable {
    let names: Vec<String> = (0..FEATURES).map(|feature| format!("f{feature}")).collect();
    let mut text = format!("patient,{},tissue\n", names.join(","));
    for Row(person, class, values) in rows {
        let cell = |value: &Option<i64>| value.map_or(String::new(), |value| value.to_string());
        let cells: Vec<String> = values.iter().map(cell).collect();
        text += &format!("{person},{},{}\n", cells.join(","), ["normal", "tumor"][*class]);
    }
    FileTable::from_readers("t.csv", move || Cursor::new(text.clone())).unit("patient")
}

fn paired(select: Select, epsilon: &str) -> Select {
    let select = select.epsilon(epsilon).score(ScoreKind::Paired);
    select.target(Target::classes(["normal", "tumor"]))
}

fn run(select: Select, rows: &[Row], seed: u64) -> Record {
    select.seed(seed).run(&table(rows)).map(NotPrivate::into_inner).unwrap()
}

fn refusal<T>(result: Result<T>) -> Vec<Parameter> {
    result.err().unwrap().parameters().to_vec()
}

/// The number of people with rows of both classes, and for each feature the sum over people of the
/// share of pairs that rise less the share that fall.
fn by_definition(rows: &[Row]) -> (usize, Vec<f64>) {
    let mut people: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    rows.iter().for_each(|row| people.entry(&row.0).or_default().push(row));
    let excess = |own: &[&Row], feature: usize| -> f64 {
        let mut signs = Vec::new();
        for low in own.iter().filter(|row| row.1 == 0).filter_map(|row| row.2[feature]) {
            for high in own.iter().filter(|row| row.1 == 1).filter_map(|row| row.2[feature]) {
                signs.push((high - low).signum());
            }
        }
        signs.iter().sum::<i64>() as f64 / signs.len().max(1) as f64
    };
    let has_both = |own: &&Vec<&Row>| (0..2).all(|class| own.iter().any(|row| row.1 == class));
    let pairs = people.values().filter(has_both).count();
    let sum = |feature: usize| people.values().map(|own| excess(own, feature)).sum();
    (pairs, (0..FEATURES).map(sum).collect())
}

#[test]
fn effect_sizes_are_shares_of_pairs() {
    for seed in 0..5 {
        let rows = rows(200, 3, seed);
        let (pairs, sums) = by_definition(&rows);
        let record = run(paired(Select::new(FEATURES), "1000"), &rows, seed);
        assert_eq!(record.released.rows_estimate, Some(pairs as u64));
        assert_eq!(record.estimates.len(), FEATURES);
        for estimate in &record.estimates {
            let feature: usize = estimate.name[1..].parse().unwrap();
            let expected = sums[feature].abs() / pairs as f64;
            assert!(
                (estimate.effect_size.unwrap() - expected).abs() < 0.02,
                "{}: {expected}",
                estimate.name
            );
            if feature < 2 {
                assert!(estimate.significant == Some(true) && expected > 0.3, "{feature}");
            }
        }
    }
}

/// The result depends neither on the order of rows nor on rows that are in no pair.
#[test]
fn only_pairs_contribute() {
    let rows = rows(100, 4, 3);
    let request = || paired(Select::new(3), "2");
    let expected = run(request(), &rows, 9);
    let mut others: Vec<Row> = rows.iter().rev().cloned().collect();
    for (number, row) in rows.iter().filter(|row| row.1 == 1).enumerate() {
        // A person with rows of one class, and rows without a person.
        others.push(Row(format!("q{number}"), 1, row.2.clone()));
        others.push(Row(String::new(), number % 2, row.2.clone()));
    }
    let found = run(request(), &others, 9);
    assert_eq!(found.selected, expected.selected);
    assert_eq!(found.estimates, expected.estimates);
    assert_eq!(found.released.rows_estimate, expected.released.rows_estimate);
}

/// Ties, missing values and unequal numbers of rows: at most 5% of runs name anything, and the
/// planted features are named where there are some.
#[test]
fn null_features_are_rarely_significant() {
    // Binomial with 5%: more than these have a probability below one percent.
    let (runs, most) = if exhaustive() { (120, 12) } else { (20, 4) };
    let (mut with_k, mut without_k, mut planted) = (0, 0, 0);
    for seed in 0..runs {
        let null = rows(150, 0, 1000 + seed);
        let found = run(paired(Select::new(4), "2"), &null, seed);
        with_k += u64::from(found.estimates.iter().any(|one| one.significant == Some(true)));
        let found = run(paired(Select::significant(), "2"), &null, seed);
        without_k += u64::from(!found.selected.is_empty());
        let found = run(paired(Select::new(2), "2"), &rows(150, 4, seed), seed);
        planted += u64::from(found.selected.iter().all(|one| ["f0", "f1"].contains(&&*one.name)));
    }
    assert!(with_k <= most && without_k <= most, "{with_k} {without_k} of {runs}");
    assert!(planted >= runs * 9 / 10, "{planted} of {runs}");
}

#[test]
fn other_options_are_refused() {
    let rows = rows(40, 3, 1);
    let request = || paired(Select::new(2), "2");
    let refused = |select: Select| refusal(select.run(&table(&rows)));
    let three = Target::classes(["normal", "tumor", "other"]);
    assert_eq!(refused(request().target(three)), [Parameter::Score, Parameter::Classes]);
    assert_eq!(refused(request().target(Target::Numeric)), [Parameter::Score, Parameter::Classes]);
    let rule = request().unit_target(UnitTarget::Last);
    assert_eq!(refused(rule), [Parameter::Score, Parameter::UnitTarget]);
    assert_eq!(refused(request().bounds(0.0, 9.0)), [Parameter::Score, Parameter::Bounds]);
    let without_people = FileTable::from_reader("a,b,y\n1,2,normal\n3,4,tumor\n".as_bytes());
    assert_eq!(refusal(request().run(&without_people)), [Parameter::Unit, Parameter::Score]);
    assert!(request().partial(&table(&rows), None).is_err());
    let model = FitModel::new(request()).run(&table(&rows));
    assert!(refusal(model).contains(&Parameter::Score));
    // Replacing a person changes sums twice as much as adding one.
    let sensitivity = |select: Select| run(select, &rows, 1).score.sensitivity.unwrap();
    let replaced = sensitivity(request().neighbors(Neighbors::ReplaceOne));
    assert_eq!(replaced, 2 * sensitivity(request()));
}
