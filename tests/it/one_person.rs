//! The influence of one person. A table is released with and without one person who has any
//! identifier (also of another person), any cells and any target: in every format, in one file or
//! two, with targets in another file. The public parts of all records must be equal.
//!
//! A malformed row (ragged, an open quote) can end a run: docs/trust.md.

#![allow(clippy::unwrap_used, clippy::panic)] // tests fail by panicking

use std::path::Path;

use crate::support::people::{
    ODD, Person, csv, features, npy_numbers, npy_texts, r, tabs, write, zip,
};
use dpsis::{
    Bounds, FileTable, FileTables, Orientation, Scaling, ScoreKind, Select, Target, TargetColumn,
};
use dpsis_mechanisms::support::effort::exhaustive;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const D: usize = 3;

fn odd(draws: &mut ChaCha8Rng) -> Vec<u8> {
    match draws.gen_range(0..5) {
        0 => (0..draws.gen_range(0..40)).map(|_| draws.gen_range(32..=255)).collect(),
        1 => vec![b'7'; draws.gen_range(1..400)],
        _ => ODD.choose(draws).unwrap().to_vec(),
    }
}

/// The people without the odd one: with numbers only, or also with missing values and words.
fn people(plain: bool, labels: bool) -> Vec<Person> {
    let person = |i: usize| {
        let cell = |j: usize| match (plain, (i * 7 + j) % 11) {
            (false, 0) => "NA".to_owned(),
            (false, 1) => "high".to_owned(),
            _ => format!("{}.25", (i * 5 + j * 3) % 13),
        };
        let target = match (labels, i.is_multiple_of(3)) {
            (true, true) => "ill".to_owned(),
            (true, false) => "well".to_owned(),
            (false, _) => format!("{i}.5"),
        };
        Person {
            id: format!("P{i}").into_bytes(),
            cells: (0..D).map(|j| cell(j).into_bytes()).collect(),
            target: target.into_bytes(),
        }
    };
    (0..12).map(person).collect()
}

fn bytes(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

/// The table in each format, with the target where that format can have it.
fn tables(people: &[Person], folder: &Path) -> Vec<(String, FileTables)> {
    let file = |name: &str, bytes: &[u8]| write(folder, name, bytes);
    let names = features(D);
    let names_of = |first: &str, last: Option<&str>| -> Vec<Vec<u8>> {
        let inner = names.iter().map(|name| bytes(name));
        std::iter::once(bytes(first)).chain(inner).chain(last.map(bytes)).collect()
    };
    let ids: Vec<Vec<u8>> = people.iter().map(|person| person.id.clone()).collect();
    let targets: Vec<Vec<u8>> = people.iter().map(|person| person.target.clone()).collect();
    let row = |person: &Person, target: bool| -> Vec<Vec<u8>> {
        let target = target.then(|| person.target.clone());
        std::iter::once(person.id.clone()).chain(person.cells.clone()).chain(target).collect()
    };
    let rows = |first: &str, last: Option<&str>| -> Vec<Vec<Vec<u8>>> {
        let rows = people.iter().map(|person| row(person, last.is_some()));
        std::iter::once(names_of(first, last)).chain(rows).collect()
    };
    // The first column of features as rows.
    let turned = |corner: &str, target: bool| -> Vec<Vec<Vec<u8>>> {
        let line = |name: &str, cells: Vec<Vec<u8>>| [vec![bytes(name)], cells].concat();
        let of = |j: usize| people.iter().map(|person| person.cells[j].clone()).collect();
        let mut lines = vec![line(corner, ids.clone())];
        lines.extend(target.then(|| line("outcome", targets.clone())));
        lines.extend((0..D).map(|j| line(&names[j], of(j))));
        lines
    };
    let pairs = |id: &str, value: &str| -> Vec<Vec<Vec<u8>>> {
        let pairs = people.iter().map(|p| vec![p.id.clone(), p.target.clone()]);
        std::iter::once(vec![bytes(id), bytes(value)]).chain(pairs).collect()
    };
    let by_id = file("by-id.csv", &csv(&pairs("id", "outcome")));
    let unnamed = file("unnamed.csv", &csv(&pairs("", "outcome")));
    let column = |value: &Vec<u8>| vec![value.clone()];
    let head = std::iter::once(vec![bytes("outcome")]);
    let in_order =
        file("in-order.csv", &csv(&head.chain(targets.iter().map(column)).collect::<Vec<_>>()));
    // A blank line is a missing value.
    let lines = |name: &str, cells: &[Vec<u8>]| -> Vec<u8> {
        let flat = |cell: &Vec<u8>| -> Vec<u8> {
            cell.iter().map(|byte| if b",;\"\r\n".contains(byte) { b'_' } else { *byte }).collect()
        };
        let cells: Vec<Vec<u8>> = cells.iter().map(flat).collect();
        [name.as_bytes(), b"\n", &cells.join(&b'\n'), b"\n"].concat()
    };
    let blank = file("blank.csv", &lines("outcome", &targets));
    let vector = file("targets.npy", &npy_texts(targets.iter().map(Vec::as_slice)));
    // Labels of a .cls contain no blanks and are not empty.
    let word = |target: &Vec<u8>| -> Vec<u8> {
        let word: Vec<u8> = target.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
        if word.is_empty() { b"NA".to_vec() } else { word }
    };
    let words: Vec<Vec<u8>> = targets.iter().map(word).collect();
    let cls = [bytes(&format!("{} 2 1\n# ill well\n", people.len())), words.join(&b' ')].concat();
    let cls = file("targets.cls", &cls);

    let mut tables: Vec<(String, FileTables)> = Vec::new();
    // Two files, one with the first person, whose targets are in the table or in another file.
    for (name, target) in [("two files", true), ("two files by id", false)] {
        let all = rows("id", target.then_some("outcome"));
        let part = |number: usize, rows: &[Vec<Vec<u8>>]| {
            let path = file(&format!("{target}-{number}.csv"), &csv(&[&all[..1], rows].concat()));
            let table = FileTable::new(path).id("id");
            if target { table } else { table.target_file(&by_id) }
        };
        let both = FileTables::new([part(1, &all[1..2]), part(2, &all[2..])]).unwrap();
        tables.push((name.to_owned(), both));
    }
    let mut add = |name: &str, table: FileTable| {
        tables.push((name.to_owned(), FileTables::new([table]).unwrap()));
    };
    let rows_file = file("rows.csv", &csv(&rows("id", Some("outcome"))));
    add("csv", FileTable::new(&rows_file).id("id"));
    let hash = file("hash.tsv", &tabs(&rows("#id", Some("outcome"))));
    add("tsv whose header starts with #", FileTable::new(hash).id("#id"));
    add("csv without a name of the ids", {
        FileTable::new(file("row-names.csv", &csv(&rows("", Some("outcome")))))
    });
    add("tsv", FileTable::new(file("tabs.tsv", &tabs(&rows("id", Some("outcome"))))));
    let apart = file("apart.csv", &csv(&rows("id", None)));
    add("csv by id", FileTable::new(&apart).target_file(&by_id));
    let apart_unnamed = file("apart-unnamed.csv", &csv(&rows("", None)));
    add("csv by unnamed id", FileTable::new(&apart_unnamed).target_file(&unnamed));
    add("csv in order", FileTable::new(&apart).id("id").target_file(&in_order));
    add("csv with .npy", FileTable::new(&apart).id("id").target_file(&vector));
    add("csv with .cls", FileTable::new(&apart).id("id").target_file(&cls));
    let one: Vec<Vec<u8>> = people.iter().map(|person| person.cells[0].clone()).collect();
    let one = lines("marker", &one);
    add("one column", FileTable::new(file("one.csv", &one)).target_file(&blank));

    let lies = |table: FileTable| table.orientation(Orientation::FeaturesAsRows);
    let far = file("turned.csv", &csv(&turned("gene", false)));
    add("features as rows by id", lies(FileTable::new(&far).target_file(&by_id)));
    add("features as rows in order", lies(FileTable::new(&far).target_file(&in_order)));
    add("features as rows with .cls", lies(FileTable::new(&far).target_file(&cls)));
    let own = file("own.csv", &csv(&turned("", true)));
    let named = TargetColumn::Named("outcome".into());
    add(
        "features as rows with their target",
        lies(FileTable::new(own).target_column(named.clone())),
    );

    let gct = |lines: &[Vec<Vec<u8>>], start: String| [bytes(&start), tabs(lines)].concat();
    let described = |lines: Vec<Vec<Vec<u8>>>| -> Vec<Vec<Vec<u8>>> {
        let insert = |(i, mut line): (usize, Vec<Vec<u8>>)| {
            line.insert(1, bytes(if i == 0 { "Description" } else { "na" }));
            line
        };
        lines.into_iter().enumerate().map(insert).collect()
    };
    let n = people.len();
    let twelve = gct(&described(turned("Name", false)), format!("#1.2\n{D}\t{n}\n"));
    let twelve = file("v12.gct", &twelve);
    add(".gct by id", FileTable::new(&twelve).target_file(&by_id));
    add(".gct with .cls", FileTable::new(&twelve).target_file(&cls));
    let thirteen = gct(&described(turned("id", true)), format!("#1.3\n{D}\t{n}\t1\t1\n"));
    add(".gct with its target", {
        FileTable::new(file("v13.gct", &thirteen)).target_column(named.clone())
    });

    let x = npy_numbers(people);
    add(".npy", FileTable::new(file("x.npy", &x)).target_file(&vector));
    let texts = npy_texts(targets.iter().map(Vec::as_slice));
    let archive = zip(&[("X.npy", x), ("y.npy", texts)]);
    add(".npz", FileTable::new(file("xy.npz", &archive)));

    let columns = |of: &dyn Fn(&Person) -> Vec<Vec<u8>>| -> Vec<Vec<u8>> {
        let all: Vec<Vec<Vec<u8>>> = people.iter().map(of).collect();
        let column =
            |j: usize| r::column(&all.iter().map(|cells| cells[j].as_slice()).collect::<Vec<_>>());
        (0..all[0].len()).map(column).collect()
    };
    let header = |first: &[&str], last: &[&str]| {
        let name = |name: &&str| name.to_string();
        let inner = names.iter().cloned();
        r::names(
            &first.iter().map(name).chain(inner).chain(last.iter().map(name)).collect::<Vec<_>>(),
        )
    };
    let na = |text: &'static [u8]| move |cell: &Vec<u8>| -> bool { cell == text };
    let id_texts: Vec<Option<&[u8]>> =
        ids.iter().map(|id| Some(id.as_slice()).filter(|_| !na(b"NA")(id))).collect();
    let row_names = r::strings(&id_texts);
    let automatic = r::integers(&[i32::MIN, -i32::try_from(n).unwrap()]);
    let rds = |name: &str, object: Vec<u8>| file(name, &r::rds(object));
    let all =
        r::frame(&columns(&|p| row(p, true)), header(&["id"], &["outcome"]), automatic.clone());
    add("R frame", FileTable::new(rds("frame.rds", all)).id("id"));
    let factor =
        |j: usize| r::factor(&people.iter().map(|p| p.cells[j].as_slice()).collect::<Vec<_>>());
    let factors: Vec<Vec<u8>> = (0..D).map(factor).collect();
    let factors = r::frame(&factors, header(&[], &[]), row_names.clone());
    add("R frame of factors", FileTable::new(rds("factors.rds", factors)).target_file(&by_id));
    let without = r::frame(&columns(&|p| row(p, false)), header(&["id"], &[]), automatic);
    add(
        "R frame by id",
        FileTable::new(rds("frame-ids.rds", without)).id("id").target_file(&by_id),
    );
    let named_rows = r::frame(&columns(&|p| p.cells.clone()), header(&[], &[]), row_names.clone());
    add("R frame by row names", FileTable::new(rds("named.rds", named_rows)).target_file(&by_id));
    let by_columns: Vec<&[u8]> =
        (0..D).flat_map(|j| people.iter().map(move |p| p.cells[j].as_slice())).collect();
    let matrix = r::matrix(&by_columns, n, &[row_names.clone(), header(&[], &[])]);
    add("R matrix", FileTable::new(rds("matrix.rds", matrix)).target_file(&by_id));
    let samples: Vec<Vec<u8>> = people
        .iter()
        .map(|p| r::column(&p.cells.iter().map(Vec::as_slice).collect::<Vec<_>>()))
        .collect();
    let across = r::frame(&samples, row_names, r::names(&names));
    add("R features as rows", lies(FileTable::new(rds("across.rds", across)).target_file(&by_id)));
    #[cfg(feature = "arrow")]
    arrow::add(people, folder, &mut add);
    tables
}

#[cfg(feature = "arrow")]
mod arrow {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};

    use super::*;

    fn text(cell: &[u8]) -> Option<String> {
        String::from_utf8(cell.to_vec()).ok()
    }

    /// Ids, a column of texts, columns of numbers, the target: null where the bytes are of another
    /// type.
    pub(super) fn add(people: &[Person], folder: &Path, add: &mut dyn FnMut(&str, FileTable)) {
        let names = features(D);
        let texts = |of: &dyn Fn(&Person) -> &Vec<u8>| -> ArrayRef {
            Arc::new(people.iter().map(|person| text(of(person))).collect::<StringArray>())
        };
        let mut columns = vec![("id".to_owned(), texts(&|p| &p.id))];
        columns.push((names[0].clone(), texts(&|p| &p.cells[0])));
        for (j, name) in names.iter().enumerate().skip(1) {
            let number = |person: &Person| text(&person.cells[j])?.parse().ok();
            let numbers = people.iter().map(number).collect::<Float64Array>();
            columns.push((name.clone(), Arc::new(numbers)));
        }
        columns.push(("outcome".to_owned(), texts(&|p| &p.target)));
        let nullable = columns.into_iter().map(|(name, array)| (name, array, true));
        let batch = RecordBatch::try_from_iter_with_nullable(nullable).unwrap();
        let mut parquet = Vec::new();
        let mut writer =
            ::parquet::arrow::ArrowWriter::try_new(&mut parquet, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        add("Parquet", FileTable::new(write(folder, "t.parquet", &parquet)).id("id"));
        let mut file = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        file.write(&batch).unwrap();
        let bytes = file.into_inner().unwrap();
        add("Arrow", FileTable::new(write(folder, "t.arrow", &bytes)).id("id"));
    }
}

fn requests(labels: bool) -> Vec<Select> {
    let base = || Select::new(1).epsilon("1").estimates("0");
    if labels {
        // With so small a table, most runs end after their counts at smaller epsilons.
        let base = || base().epsilon("60").target(Target::classes(["well", "ill"]));
        vec![base(), base().score(ScoreKind::Kendall), base().bounds(-1.0, 9.0)]
    } else {
        let bounded = Target::Bounded(Bounds::new(0.0, 9.0).unwrap());
        vec![base(), base().target(bounded).scaling(Scaling::RowRank)]
    }
}

/// The parts of a record that are the same for all tables with the same header.
fn public(record: &impl serde::Serialize) -> serde_json::Value {
    let mut record: serde_json::Value = serde_json::to_value(record).unwrap();
    let fields = record.as_object_mut().unwrap();
    fields.retain(|field, _| {
        ["version", "command", "private", "order", "guarantee", "mechanism", "public", "randomness"]
            .contains(&field.as_str())
    });
    record
}

fn released(people: &[Person], labels: bool) -> Vec<(String, serde_json::Value)> {
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for (name, table) in tables(people, folder.path()) {
        // A .cls holds labels.
        if name.ends_with(".cls") && !labels {
            continue;
        }
        for (i, select) in requests(labels).into_iter().enumerate() {
            let planned = (i == 0).then(|| select.clone().check().unwrap().dry_run(&table));
            let planned = planned.transpose();
            let planned = planned.unwrap_or_else(|error| panic!("{name}: {error}\n{people:?}"));
            let record = select.seed(5).run(&table);
            let record = record.unwrap_or_else(|error| panic!("{name} {i}: {error}\n{people:?}"));
            let both = serde_json::json!([public(&record), planned]);
            all.push((format!("{name} {i}"), both));
        }
    }
    all
}

/// Odd first rows, factor levels and lengths of lines, each with the same table without them.
#[test]
fn the_content_of_a_row_ends_no_run() {
    const FEATURES: usize = 300;
    let folder = tempfile::tempdir().unwrap();
    let names = features(FEATURES);
    let row = |i: usize, id: &str, cell: &str| -> Person {
        let cells = (0..FEATURES).map(|j| bytes(&format!("{cell}{}", (i + j) % 7)));
        let target = if i.is_multiple_of(3) { "ill" } else { "well" };
        Person { id: bytes(id), cells: cells.collect(), target: bytes(target) }
    };
    let people: Vec<Person> = (0..30).map(|i| row(i, &format!("P{i}"), "")).collect();
    let long = "\"".repeat(4_000);
    let text = |first: Option<Person>| {
        let header = names.iter().map(|name| bytes(name));
        let header = std::iter::once(bytes("#id")).chain(header).chain([bytes("outcome")]);
        let line =
            |p: &Person| [vec![p.id.clone()], p.cells.clone(), vec![p.target.clone()]].concat();
        let lines = first.iter().chain(&people).map(line);
        // Quotes are needed in the long cells only.
        let lines = std::iter::once(header.collect()).chain(lines).map(|cells: Vec<Vec<u8>>| {
            match cells[1].starts_with(b"\"") {
                true => csv(&[cells]),
                false => [cells.join(&b','), bytes("\n")].concat(),
            }
        });
        let path = write(folder.path(), "table.csv", &lines.collect::<Vec<_>>().concat());
        FileTable::new(path).id("#id")
    };
    let frame = |level: &str| {
        let mut grades: Vec<&[u8]> = (0..30).map(|i| [&b"I"[..], b"II", b"III"][i % 3]).collect();
        grades[29] = level.as_bytes();
        let numbers: Vec<f64> = (0..30).map(|i| f64::from(i * 7 % 11)).collect();
        let targets: Vec<&[u8]> = people.iter().map(|p| p.target.as_slice()).collect();
        let columns = [r::factor(&grades), r::reals(&numbers, &[]), r::factor(&targets)];
        let names = r::names(&["stage", "age", "outcome"].map(str::to_owned));
        let object = r::frame(&columns, names, r::integers(&[i32::MIN, -30]));
        FileTable::new(write(folder.path(), "table.rds", &r::rds(object)))
    };
    let select = Select::new(1).epsilon("60").target(Target::classes(["well", "ill"])).seed(5);
    let run = |table: FileTable, what: &str| {
        select.run(&table).unwrap_or_else(|error| panic!("{what}: {error}"));
    };
    run(text(None), "none");
    for first in [row(0, "#7", ""), row(0, "", ""), row(1, "#", "#"), row(2, "Q", &long)] {
        let what = String::from_utf8_lossy(&first.id).into_owned();
        run(text(Some(first)), &what);
    }
    for level in ["II", "4", "1e5", "NA", "2020-01-01"] {
        run(frame(level), level);
    }
}

#[test]
fn one_person_changes_nothing_but_draws() {
    let mut draws = ChaCha8Rng::seed_from_u64(1);
    for (plain, labels) in [(true, true), (false, true), (true, false), (false, false)] {
        let mut all = people(plain, labels);
        let expected = released(&all, labels);
        // More of them in `.ci/full`.
        for _ in 0..if exhaustive() { 16 } else { 2 } {
            let other = all[draws.gen_range(0..all.len())].id.clone();
            let person = Person {
                id: if draws.gen_bool(0.2) { other } else { odd(&mut draws) },
                cells: (0..D).map(|_| odd(&mut draws)).collect(),
                target: odd(&mut draws),
            };
            let place = draws.gen_range(0..=all.len());
            all.insert(place, person);
            assert!(released(&all, labels) == expected, "{:?}", all[place]);
            all.remove(place);
        }
    }
}
