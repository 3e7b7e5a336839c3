//! Tables whose targets are joined by ids, enumerated over all small tables: in one file or two,
//! with ids that occur more than once.

use std::collections::HashMap;
use std::path::Path;

use proptest::prelude::*;

use crate::exact::GRID;
use crate::privacy::Neighbors;
use crate::request::plan::Plan;
use crate::request::{ScoreKind, Select, Target};
use crate::run::steps::opening;
use crate::run::tests::roles::{gathered_of, scores_of};
use crate::statistic::pass::Gathered;
use crate::support::effort::exhaustive;
use crate::table::source::sealed::Open;
use crate::table::{FileTable, FileTables, Hooks};

/// The data of one person: a row with a value in one of the files, an entry in the file of targets,
/// or both. The id 0 is missing; the target 2 is not a class.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Person {
    id: u8,
    row: Option<(u8, i8)>,
    entry: Option<u8>,
}

/// A sample: its value and its target.
type Joined = (i8, u8);

/// The samples by definition, in the order of rows: one for each id with one row and one entry.
fn by_definition(people: &[Person]) -> Vec<Joined> {
    let mut by_id: HashMap<u8, (Vec<i8>, Vec<u8>)> = HashMap::new();
    for person in people.iter().filter(|person| person.id > 0) {
        let (rows, entries) = by_id.entry(person.id).or_default();
        rows.extend(person.row.map(|(_, x)| x));
        entries.extend(person.entry);
    }
    let mut samples: Vec<Joined> = by_id
        .into_values()
        .filter_map(|(rows, entries)| match (&rows[..], &entries[..]) {
            ([x], [y]) => Some((*x, *y)),
            _ => None,
        })
        .collect();
    samples.sort_unstable();
    samples
}

/// All people over two ids, and without an id: a row, an entry or both.
fn everyone() -> Vec<Person> {
    let rows = [None, Some((0, 1)), Some((1, -1))];
    let entries = [None, Some(0), Some(1), Some(2)];
    let mut people = Vec::new();
    for id in 0..3 {
        for row in rows {
            people.extend(entries.map(|entry| Person { id, row, entry }));
        }
    }
    people.retain(|person| person.row.is_some() || person.entry.is_some());
    people
}

/// All tables of up to two people, each alone and with one more person.
fn tables() -> impl Iterator<Item = Vec<Person>> {
    let (all, one) = (everyone(), everyone());
    let pairs = all.clone().into_iter().enumerate().flat_map(move |(place, person)| {
        let others: Vec<Person> = one[place..].to_vec();
        others.into_iter().map(move |other| vec![person, other])
    });
    std::iter::once(Vec::new()).chain(all.into_iter().map(|person| vec![person])).chain(pairs)
}

/// The number of samples of each class, and without a class, by a rule that may be wrong.
type Counts = [i64; 3];

fn counts(samples: &[Joined]) -> Counts {
    let mut counts = [0; 3];
    samples.iter().for_each(|(_, y)| counts[usize::from(*y)] += 1);
    counts
}

fn moved(a: Counts, b: Counts) -> i64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

/// How far counts move at most under add/remove and under replace-one.
fn largest_moves(counts: impl Fn(&[Person]) -> Counts) -> [i64; 2] {
    let (mut added, mut replaced) = (0, 0);
    for table in tables() {
        let before = counts(&table);
        let with = |person: Person| counts(&[&table[..], &[person]].concat());
        let after: Vec<Counts> = everyone().into_iter().map(with).collect();
        for (place, one) in after.iter().enumerate() {
            added = added.max(moved(before, *one));
            let others = after[..place].iter().map(|other| moved(*one, *other));
            replaced = replaced.max(others.max().unwrap_or(0));
        }
    }
    [added, replaced]
}

/// One person moves one sample, a replaced one two, which may both vanish; other rules for ids move
/// more.
#[test]
fn one_person_moves_one_sample() {
    assert_eq!(largest_moves(|people| counts(&by_definition(people))), [1, 2]);
    let total = |people: &[Person]| [by_definition(people).len() as i64, 0, 0];
    assert_eq!(largest_moves(total), [1, 2], "the number of samples is not public");
    let ids = |people: &[Person]| {
        let rows = |person: &&Person| person.id > 0 && person.row.is_some();
        people.iter().filter(rows).count() as i64
    };
    // A dropped person counts as one without a target.
    let dropped_is_missing = |people: &[Person]| {
        let mut found = counts(&by_definition(people));
        found[2] += ids(people) - found.iter().sum::<i64>();
        found
    };
    assert!(largest_moves(dropped_is_missing)[1] > 2);
    // Rows without an entry count as missing, but an entry without a row does not count.
    let alone_is_missing = |people: &[Person]| {
        let mut found = counts(&by_definition(people));
        for id in 1..3 {
            let of_id = || people.iter().filter(|person| person.id == id);
            let rows = of_id().filter(|person| person.row.is_some()).count();
            if rows == 1 && of_id().all(|person| person.entry.is_none()) {
                found[2] += 1;
            }
        }
        found
    };
    assert!(largest_moves(alone_is_missing)[0] > 1);
    // An entry counts for every row with its id, as in a join of tables.
    let serves_all = |people: &[Person]| {
        let mut found = [0; 3];
        for person in people.iter().filter(|person| person.id > 0 && person.row.is_some()) {
            let entry = people.iter().find(|other| other.id == person.id && other.entry.is_some());
            if let Some(y) = entry.and_then(|other| other.entry) {
                found[usize::from(y)] += 1;
            }
        }
        found
    };
    assert!(largest_moves(serves_all)[0] > 1);
}

fn requests() -> Vec<(Select, Vec<i32>)> {
    let two = || Select::new(1).epsilon("1").target(Target::classes(["0", "1"]));
    let three = || Select::new(1).epsilon("1").target(Target::classes(["0", "1", "5"]));
    vec![
        (two(), vec![4000]),
        (two().bounds(-1.0, 1.0), vec![4000]),
        (two().bounds(-1.0, 1.0).score(ScoreKind::Ks), vec![-GRID]),
        (Select::new(1).epsilon("1"), vec![0]),
        (three(), vec![GRID / 2, GRID / 3, 0]),
        (three().bounds(-1.0, 1.0), vec![GRID / 2, GRID / 3, 0]),
        (two().score(ScoreKind::Kendall), vec![]),
    ]
}

/// The sums of the target, with the number of all samples, and the scores of the only feature with
/// their sensitivity.
#[derive(Debug, PartialEq)]
struct Moments {
    counts: Vec<u64>,
    rows: u64,
    scores: Vec<i64>,
    sensitivity: u64,
}

fn moments(select: &Select, table: &FileTables, centers: &[i32]) -> Option<Moments> {
    let request = select.clone().into_request();
    let open = table.open(&opening(&request, &Hooks::default()).unwrap()).unwrap();
    let of = |plan: &Plan, gathered: &Gathered<'_>| {
        let (counts, rows) = match gathered {
            Gathered::Coded(statistic) => {
                let coded = statistic.coded(plan.strata, |_| Ok(0.5)).unwrap();
                (coded.target, coded.rows)
            }
            Gathered::Scores { rows, .. } => (Vec::new(), *rows),
            _ => panic!("these are methods of their own"),
        };
        let (scores, sensitivity) = scores_of(plan, gathered, centers);
        Moments { counts, rows, scores, sensitivity }
    };
    gathered_of(&request, open, of)
}

fn csv(header: &str, lines: impl Iterator<Item = String>) -> String {
    std::iter::once(header.to_owned()).chain(lines).map(|line| line + "\n").collect()
}

fn id_text(id: u8) -> String {
    if id == 0 { "NA".to_owned() } else { format!("p{id}") }
}

/// The files of a table: `files` with rows, and one with targets.
fn written(people: &[Person], files: u8, folder: &Path) -> FileTables {
    let entry = |person: &Person| Some(format!("{},{}", id_text(person.id), person.entry?));
    let targets = folder.join("targets.csv");
    std::fs::write(&targets, csv("id,y", people.iter().filter_map(entry))).unwrap();
    let table = |file: u8| {
        let row = |person: &Person| {
            let (place, x) = person.row?;
            (place % files == file).then(|| format!("{x},{}", id_text(person.id)))
        };
        let path = folder.join(format!("part-{file}.csv"));
        std::fs::write(&path, csv("a,id", people.iter().filter_map(row))).unwrap();
        FileTable::new(path).id("id").target_file(&targets)
    };
    FileTables::new((0..files).map(table)).unwrap()
}

/// The same samples with their targets in the table.
fn plain(people: &[Person], folder: &Path) -> FileTables {
    let path = folder.join("plain.csv");
    let line = |(x, y): &Joined| format!("{x},{y}");
    std::fs::write(&path, csv("a,y", by_definition(people).iter().map(line))).unwrap();
    FileTables::new([FileTable::new(path)]).unwrap()
}

fn anyone() -> impl Strategy<Value = Person> {
    let row = prop::option::weighted(0.8, (0..2u8, -2..3i8));
    (0..6u8, row, prop::option::weighted(0.8, 0..3u8)).prop_map(|(id, row, entry)| Person {
        id,
        row,
        entry,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if exhaustive() { 40 } else { 12 }))]

    /// In one file or two, the samples match the definition, and one person moves them by no more
    /// than declared.
    #[test]
    fn files_hold_the_samples_of_the_definition(
        people in prop::collection::vec(anyone(), 1..9), more in anyone(), instead in anyone(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let with = |person: Person| [&people[..], &[person]].concat();
        for (number, (select, centers)) in requests().into_iter().enumerate() {
            let all = [people.clone(), with(more), with(instead)].map(|people| {
                let expected = moments(&select, &plain(&people, folder.path()), &centers);
                for files in [1, 2] {
                    let found = moments(&select, &written(&people, files, folder.path()), &centers);
                    assert_eq!(found, expected, "request {number}, {files} files: {people:?}");
                }
                expected
            });
            let [Some(without), Some(one), Some(other)] = all else { continue };
            for (a, b, steps) in [(&without, &one, 1), (&one, &other, 2)] {
                let limit = steps * a.sensitivity;
                for (a, b) in a.scores.iter().zip(&b.scores) {
                    prop_assert!(a.abs_diff(*b) <= limit, "request {}", number);
                }
                prop_assert!(a.rows.abs_diff(b.rows) <= steps);
            }
        }
    }
}

/// Under replace-one, requests are refused if one row may change their scores beyond twice the
/// constant of add/remove, or if they need the number of rows; for others that number is not in the
/// record.
#[test]
fn the_number_of_joined_rows_is_not_public() {
    let folder = tempfile::tempdir().unwrap();
    let person = |place: u8| Person {
        id: place + 1,
        row: Some((0, place as i8 % 7)),
        entry: Some(place % 2),
    };
    let people: Vec<Person> = (0..60).map(person).collect();
    let (joined, plain) = (written(&people, 1, folder.path()), plain(&people, folder.path()));
    let select = || Select::new(1).epsilon("1").target(Target::classes(["0", "1"]));
    let replaced = || select().neighbors(Neighbors::ReplaceOne);
    assert_eq!(replaced().seed(1).run(&plain).unwrap().public.rows, Some(60));
    let record = replaced().seed(1).run(&joined).unwrap();
    assert_eq!(record.public.rows, None);
    let kendall = replaced().score(ScoreKind::Kendall);
    assert!(kendall.clone().seed(1).run(&plain).is_ok());
    let refused = [kendall, replaced().method(crate::Method::DpKendall)];
    for select in refused {
        let error = select.seed(1).run(&joined).unwrap_err().to_string();
        assert!(error.contains("compared by their identifiers"), "{error}");
    }
    assert!(select().score(ScoreKind::Kendall).seed(1).run(&joined).is_ok());
}

/// Ids need a separate pass, so that a pipe or a reader is refused; targets in row order do not.
#[test]
fn a_reader_has_no_ids() {
    let folder = tempfile::tempdir().unwrap();
    let (by_id, in_order) = (folder.path().join("by-id.csv"), folder.path().join("in-order.csv"));
    std::fs::write(&by_id, "id,y\np1,0\np2,1\n").unwrap();
    std::fs::write(&in_order, "y\n0\n1\n").unwrap();
    let table = || FileTable::from_reader(&b"id,a\np1,1\np2,2\n"[..]).id("id");
    let select = || Select::new(1).epsilon("1").target(Target::classes(["0", "1"]));
    let error = select().run(&table().target_file(&by_id)).unwrap_err();
    assert!(error.to_string().contains("read twice"), "{error}");
    assert!(select().dry_run(&table().target_file(&by_id)).is_err());
    assert!(select().run(&table().target_file(&in_order)).is_ok());
}
