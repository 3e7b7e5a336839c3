//! The command line on neighboring files with the same seed. The exit code, the warnings and all
//! public output do not depend on the cells in the row of one person, in any format and for any
//! kind of release. If the person contributes nothing, the output is the same to the byte.
//!
//! `tests/it/one_person.rs` tests the first property for the library, with random people. Malformed
//! rows are in `bad_input.rs`. More than a thousand runs: about fifteen seconds of a processor with
//! unoptimized code.

use std::io::Write;

use serde_json::Value;

use crate::harness::{Folder, demo_lines, gzip, one_line};
use crate::support::people::{ODD, Person, csv, features, npy_numbers, npy_texts, r, tabs, zip};
use dpsis_mechanisms::support::effort::exhaustive;

const D: usize = 3;

/// The people without the odd one.
fn ordinary(labels: bool) -> Vec<Person> {
    let target = |i: usize| match (labels, i.is_multiple_of(3)) {
        (true, true) => "ill".to_owned(),
        (true, false) => "well".to_owned(),
        (false, _) => format!("{}.5", i % 17),
    };
    let person = |i: usize| Person {
        id: format!("p{}", 100 + i).into_bytes(),
        cells: (0..D).map(|j| format!("{}.25", (i * 5 + j * 3) % 13).into_bytes()).collect(),
        target: target(i).into_bytes(),
    };
    (0..40).map(person).collect()
}

/// The odd people: one kind of content in all cells, or in one of them; a long cell; an id of their
/// own.
fn odd_people() -> Vec<Person> {
    let odd = |cells: [&[u8]; D], target: &[u8]| Person {
        id: b"p999".to_vec(),
        cells: cells.map(<[u8]>::to_vec).to_vec(),
        target: target.to_vec(),
    };
    let mut all: Vec<Person> = ODD.iter().map(|text| odd([text; D], text)).collect();
    let mixed = ODD.iter().zip(ODD.iter().skip(7).cycle());
    all.extend(mixed.map(|(one, other)| odd([b"3.25", one, other], b"4.5")));
    let long = "7".repeat(4000);
    all.push(odd([long.as_bytes(), b"1", b"1"], long.as_bytes()));
    for id in ODD {
        all.push(Person { id: id.to_vec(), ..odd([b"1", b"2", b"3"], b"ill") });
    }
    all
}

/// A table in a format: its files, and the arguments that describe it.
struct Table {
    format: &'static str,
    arguments: &'static str,
    files: Vec<(&'static str, Vec<u8>)>,
}

impl Table {
    fn csv(text: impl Into<Vec<u8>>, arguments: &'static str) -> Self {
        Self { format: "csv", arguments, files: vec![("t.csv", text.into())] }
    }
}

/// People as a table with their ids and targets.
fn rows(people: &[Person], first: &str, with_target: bool) -> Vec<Vec<Vec<u8>>> {
    let names = std::iter::once(first.to_owned()).chain(features(D));
    let names = names.chain(with_target.then(|| "outcome".to_owned()));
    let row = |person: &Person| -> Vec<Vec<u8>> {
        let target = with_target.then(|| person.target.clone());
        std::iter::once(person.id.clone()).chain(person.cells.clone()).chain(target).collect()
    };
    let header = names.map(String::into_bytes).collect();
    std::iter::once(header).chain(people.iter().map(row)).collect()
}

/// The table with features as rows.
fn turned(people: &[Person], corner: &str) -> Vec<Vec<Vec<u8>>> {
    let line = |name: &str, cells: Vec<Vec<u8>>| [vec![name.as_bytes().to_vec()], cells].concat();
    let ids = people.iter().map(|person| person.id.clone()).collect();
    let of = |j: usize| people.iter().map(|person| person.cells[j].clone()).collect();
    let lines = features(D).into_iter().enumerate().map(|(j, name)| line(&name, of(j)));
    std::iter::once(line(corner, ids)).chain(lines).collect()
}

fn tables(people: &[Person]) -> Vec<Table> {
    let whole = csv(&rows(people, "id", true));
    let pairs: Vec<Vec<Vec<u8>>> = std::iter::once(vec![b"id".to_vec(), b"outcome".to_vec()])
        .chain(people.iter().map(|person| vec![person.id.clone(), person.target.clone()]))
        .collect();
    let in_order = pairs.iter().map(|pair| vec![pair[1].clone()]).collect::<Vec<_>>();
    let (pairs, in_order) = (csv(&pairs), csv(&in_order));
    let targets = npy_texts(people.iter().map(|person| person.target.as_slice()));
    let numbers = npy_numbers(people);
    let column = |of: &dyn Fn(&Person) -> Vec<u8>| {
        let cells: Vec<Vec<u8>> = people.iter().map(of).collect();
        r::column(&cells.iter().map(Vec::as_slice).collect::<Vec<_>>())
    };
    let mut columns = vec![column(&|person| person.id.clone())];
    columns.extend((0..D).map(|j| column(&|person| person.cells[j].clone())));
    columns.push(column(&|person| person.target.clone()));
    let names = [vec!["id".to_owned()], features(D), vec!["outcome".to_owned()]].concat();
    let automatic = r::integers(&[i32::MIN, -i32::try_from(people.len()).unwrap()]);
    let frame = r::rds(r::frame(&columns, r::names(&names), automatic));
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 0);
    xz.write_all(&frame).unwrap();
    let size = format!("#1.2\n{D}\t{}\n", people.len());
    let mut described = turned(people, "Name");
    for (i, line) in described.iter_mut().enumerate() {
        line.insert(1, if i == 0 { b"Description".to_vec() } else { b"na".to_vec() });
    }
    let gct = [size.into_bytes(), tabs(&described)].concat();
    let table = |format, arguments, files: &[(&'static str, &[u8])]| Table {
        format,
        arguments,
        files: files.iter().map(|(name, bytes)| (*name, bytes.to_vec())).collect(),
    };
    let zst = zstd::encode_all(&whole[..], 1).unwrap();
    let without_target = csv(&rows(people, "id", false));
    let by_columns = csv(&turned(people, "gene"));
    vec![
        table("csv", "--id id --target outcome t.csv", &[("t.csv", &whole)]),
        table(
            "csv without a last feed",
            "--id id --target outcome t.csv",
            &[("t.csv", whole.trim_ascii_end())],
        ),
        table(
            "tsv",
            "--id id --target outcome t.tsv",
            &[("t.tsv", &tabs(&rows(people, "id", true)))],
        ),
        table("gzip", "--id id --target outcome t.csv.gz", &[("t.csv.gz", &gzip(&whole))]),
        table("Zstandard", "--id id --target outcome t.csv.zst", &[("t.csv.zst", &zst)]),
        table(
            "csv by id",
            "--target-file y.csv t.csv",
            &[("t.csv", &without_target), ("y.csv", &pairs)],
        ),
        table(
            "csv in order",
            "--id id --target-file y.csv t.csv",
            &[("t.csv", &without_target), ("y.csv", &in_order)],
        ),
        table(
            "features as rows",
            "--orient features-as-rows --target-file y.csv t.csv",
            &[("t.csv", &by_columns), ("y.csv", &pairs)],
        ),
        table(".gct", "--target-file y.csv t.gct", &[("t.gct", &gct), ("y.csv", &pairs)]),
        table(".npy", "--target-file y.npy t.npy", &[("t.npy", &numbers), ("y.npy", &targets)]),
        table(
            ".npz",
            "t.npz",
            &[("t.npz", &zip(&[("X.npy", numbers.clone()), ("y.npy", targets.clone())]))],
        ),
        table("R", "--id id --target outcome t.rds", &[("t.rds", &gzip(&frame))]),
        table("R in xz", "--id id --target outcome t.rds", &[("t.rds", &xz.finish().unwrap())]),
        // Of a pipe, identifiers are compared for some scores alone.
        table("standard input", "--exclude id --target outcome -", &[("t.csv", &whole)]),
    ]
}

/// The exit code and the output of a run.
#[derive(Debug, PartialEq, Clone)]
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn run(command: &str, table: &Table, options: &str) -> Run {
    let folder = Folder::new();
    for (name, bytes) in &table.files {
        folder.write(name, bytes);
    }
    let line = format!("{command} {options} {}", table.arguments);
    let output = match table.arguments.ends_with(" -") {
        true => folder.pipe(&line, &table.files[0].1),
        false => folder.run(&line),
    };
    assert_eq!(folder.names().len(), table.files.len(), "a file was left");
    Run { code: output.code, stdout: output.stdout, stderr: output.stderr }
}

/// Words without digits, joined by blanks: line breaks move with the width of a number.
fn without_numbers(text: &str) -> String {
    let has_digit = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
    text.split_whitespace().filter(|word| !has_digit(word)).collect::<Vec<_>>().join(" ")
}

/// Replaces the released values.
fn mask(record: &mut Value) {
    let length = |value: &Value| Value::from(value.as_array().map(Vec::len));
    let fields = record.as_object_mut().unwrap();
    for field in ["selected", "estimates", "directions"] {
        let masked = fields.get(field).map(length);
        masked.map(|masked| fields.insert(field.to_owned(), masked));
    }
    if fields.contains_key("significance") {
        fields["significance"] = true.into();
    }
    if let Some(released) = fields.get_mut("released").and_then(Value::as_object_mut) {
        released.values_mut().for_each(|value| *value = value.is_null().into());
    }
    // By the released counts.
    if let Some(ratio) = fields["mechanism"].pointer_mut("/chosen/ratio") {
        *ratio = true.into();
    }
    // In units of a grid around the private center.
    if let Some(score) = fields.get_mut("score").and_then(Value::as_object_mut) {
        score.insert("sensitivity".into(), 0.into());
    }
    for warning in fields["warnings"].as_array_mut().unwrap() {
        let text = without_numbers(warning["text"].as_str().unwrap());
        warning["text"] = text.into();
    }
}

/// The public part of a run in each form of output.
fn public(command: &str, table: &Table, options: &str) -> Vec<(Option<i32>, String, String)> {
    let in_form = |form: &str| {
        let run = run(command, table, &format!("{options} --format {form}"));
        let stdout = match (form, run.code) {
            (_, Some(0)) if form == "json" => {
                let mut record: Value = serde_json::from_str(&run.stdout).unwrap();
                mask(&mut record);
                record.to_string()
            }
            (_, Some(0)) => run.stdout.lines().count().to_string(),
            _ => run.stdout,
        };
        // The result depends on the released values.
        let report = run.stderr.split("\neffect ").next().unwrap();
        let report = without_numbers(if form == "text" { report } else { &run.stderr });
        (run.code, stdout, report)
    };
    ["json", "text"].map(in_form).to_vec()
}

const SELECT: &str = "-k 1 --eps 20 --seed 9";

/// The requests, by whether the target is a label.
fn requests(labels: bool) -> &'static [&'static str] {
    if labels {
        &[
            "--classes well,ill",
            "--classes well,ill --score kendall",
            "--classes well,ill --score correlation --bounds=-1,20",
            "--classes well,ill --scale cpm",
        ]
    } else {
        &[
            "",
            "--score kendall",
            "--score correlation --bounds=-1,20",
            "--score correlation --scale row-rank --target-bounds 0,9",
            "--center none",
            "--bounds=-1,20 --target-bounds 0,9 --center 0",
            "--bounds=-1,20 --direction",
            "--mechanism peel",
            "--method dpkendall",
            "--method two-stage --bounds=-1,20 --blocks 5",
        ]
    }
}

/// A few of the odd people; all of them in `.ci/full`.
fn step() -> usize {
    if exhaustive() { 1 } else { 20 }
}

/// Every format with every odd person, for one request; the others are spread over the requests.
#[test]
fn one_more_person_changes_nothing_public() {
    let odd = odd_people();
    for labels in [false, true] {
        let people = ordinary(labels);
        let requests = requests(labels);
        let plain = tables(&people);
        for (f, before) in plain.iter().enumerate() {
            // A third of the pairs; all of them in `.ci/full`.
            let pairs = |(q, _): &(usize, _)| exhaustive() || (f + q).is_multiple_of(3);
            for (q, request) in requests.iter().enumerate().filter(pairs) {
                let options = format!("{SELECT} {request}");
                let expected = public("select", before, &options);
                // Each pair of format and request meets a few of them; each of them all formats.
                let share = (f + q) % requests.len();
                let these = odd.iter().enumerate().skip(share).step_by(step() * requests.len());
                for (i, person) in these {
                    let mut more = people.clone();
                    more.insert([0, people.len() / 2, people.len()][(i + f) % 3], person.clone());
                    let after = &tables(&more)[f];
                    let found = public("select", after, &options);
                    assert_eq!(found, expected, "{} {request:?} {person:?}", before.format);
                }
            }
        }
    }
}

/// One person fewer, the first, one in the midst, the last.
#[test]
fn one_person_fewer_changes_nothing_public() {
    let people = ordinary(false);
    for (f, before) in tables(&people).iter().enumerate() {
        let expected = public("select", before, SELECT);
        let mut fewer = people.clone();
        fewer.remove([0, 20, people.len() - 1][f % 3]);
        assert_eq!(public("select", &tables(&fewer)[f], SELECT), expected, "{}", before.format);
    }
}

/// Where the number of rows is public, one person takes the place of another.
#[test]
fn one_person_replaced_changes_nothing_public() {
    let people = ordinary(false);
    let options = format!("{SELECT} --neighbors replace-one");
    let odd = odd_people();
    for (f, before) in tables(&people).iter().enumerate() {
        let expected = public("select", before, &options);
        // Two of them in each format; more in `.ci/full`.
        let step = if exhaustive() { 13 } else { odd.len() / 2 };
        for (i, person) in odd.iter().enumerate().skip(f).step_by(step) {
            let mut others = people.clone();
            others[[0, 20, people.len() - 1][i % 3]] = person.clone();
            let found = public("select", &tables(&others)[f], &options);
            assert_eq!(found, expected, "{} {person:?}", before.format);
        }
    }
}

/// The output without the private count of people that have no target; line breaks move with its
/// width.
fn without_count(run: Run) -> Run {
    let without = |text: &str| {
        let mut text = one_line(text);
        // As text, and as JSON in HTML and in a link.
        let name = "unusable_estimate";
        let marks = ["\": ", "&quot;: ", "%22%3A%20"].map(|end| format!("{name}{end}"));
        for mark in marks.iter().map(String::as_str).chain([" with a target, "]) {
            let mut from = 0;
            while let Some(at) = text[from..].find(mark) {
                from += at + mark.len();
                let digits = text[from..].bytes().take_while(u8::is_ascii_digit).count();
                text.replace_range(from..from + digits, "");
            }
        }
        text
    };
    Run { code: run.code, stdout: without(&run.stdout), stderr: without(&run.stderr) }
}

/// A person without a target contributes nothing but to the private count of such people: the rest
/// of the output is the same to the byte.
#[test]
fn people_without_a_target_change_no_byte() {
    let cells: [[&[u8]; D]; 2] = [[b"1", b"2", b"3"], [b"1e400", b"word", b""]];
    for labels in [false, true] {
        let people = ordinary(labels);
        let plain = tables(&people);
        let missing: &[&[u8]] = if labels {
            &[b"", b"Ill", b"other"]
        } else {
            &[b"", b"NA", b"1e400", b"one", b"\xff"]
        };
        for (q, request) in requests(labels).iter().enumerate() {
            for (t, target) in missing.iter().enumerate() {
                let f = (q * missing.len() + t) % plain.len();
                let person = Person {
                    id: b"p999".to_vec(),
                    cells: cells[t % 2].map(<[u8]>::to_vec).to_vec(),
                    target: target.to_vec(),
                };
                let mut more = people.clone();
                more.insert([0, 20, people.len()][t % 3], person);
                let after = &tables(&more)[f];
                for form in ["text", "json", "tsv", "html"] {
                    let split =
                        if request.contains("dpkendall") { "" } else { "--split estimates=0" };
                    let options = format!("{SELECT} {request} {split} --format {form}");
                    let expected = without_count(run("select", &plain[f], &options));
                    assert_eq!(expected.code, Some(0), "{}", expected.stderr);
                    let found = without_count(run("select", after, &options));
                    assert_eq!(found, expected, "{} {options:?} {target:?}", plain[f].format);
                }
            }
        }
    }
}

/// A table of several blocks of bytes, with a person on the edge of one.
#[test]
fn people_on_the_edge_of_a_block() {
    const BLOCK: usize = 1 << 18;
    let row = |i: usize| format!("{},{}.5,{},{}\n", i * 7 % 101, i % 13, i * i % 37, i % 19);
    let rows: Vec<String> = (0..18_000).map(row).collect();
    let table = |person: Option<(usize, &str)>| {
        let mut text = "a,b,c,y\n".to_owned();
        for row in &rows {
            let start = text.len();
            text += row;
            if let Some((edge, person)) = person
                && start < edge
                && text.len() >= edge
            {
                text += person;
            }
        }
        Table::csv(text, "t.csv")
    };
    let long = format!("{},1,2,NA\n", "3".repeat(4000));
    let silent = [(BLOCK - 3, "1,2,3,NA\n"), (BLOCK, "1,2,3,\n"), (BLOCK - 2000, &long)];
    let loud = [(BLOCK - 5, "word,1e400,,5\n"), (2 * BLOCK - 5, "-0,inf,2024-02-29,1e308\n")];
    for threads in ["1", "3"] {
        let options = format!("{SELECT} --threads {threads}");
        let exact = format!("{options} --split estimates=0");
        let expected = run("select", &table(None), &exact);
        assert_eq!(expected.code, Some(0), "{}", expected.stderr);
        for person in silent {
            assert_eq!(
                run("select", &table(Some(person)), &exact),
                expected,
                "{threads} {person:?}"
            );
        }
        let expected = public("select", &table(None), &options);
        for person in loud {
            let found = public("select", &table(Some(person)), &options);
            assert_eq!(found, expected, "{threads} {person:?}");
        }
    }
}

/// Candidates of neighboring data: other scores by at most the sensitivity, written in any way.
#[test]
fn candidates_of_neighbors() {
    let file = |scores: [&str; 4], own: bool| {
        let names = ["lasso", "ridge", "forest", "net"];
        let line = |(name, score): (&str, &str)| {
            format!("{name},{score}{}\n", if own { ",0.01" } else { "" })
        };
        let rows: String = names.into_iter().zip(scores).map(line).collect();
        let header = if own { "name,score,sensitivity" } else { "name,score" };
        let arguments = if own { "t.csv" } else { "--sensitivity 0.01 t.csv" };
        Table::csv(format!("{header}\n{rows}"), arguments)
    };
    let all = [
        ["0.81", "0.79", "0.87", "0.86"],
        ["0.82", "0.78", "0.88", "0.85"],
        ["8.15e-1", "+0.79", "0.870000", "0.8612345678"],
        ["0.81", "0.79", "00.87", "860000e-6"],
    ];
    for own in [false, true] {
        for mechanism in
            ["canonical", "em", "pnf", "noisy-max", "gem", "mgem", "cgem", "rs", "joint"]
        {
            let options = format!("--eps 1 --seed 9 --mechanism {mechanism}");
            let expected = public("choose", &file(all[0], own), &options);
            for scores in &all[1..] {
                let found = public("choose", &file(*scores, own), &options);
                assert_eq!(found, expected, "{mechanism} {own} {scores:?}");
            }
            // The same numbers are the same to the byte, however they are written.
            let exact = run("choose", &file(all[0], own), &options);
            assert_eq!(run("choose", &file(all[3], own), &options), exact, "{mechanism} {own}");
        }
    }
}

/// Several features of a table of ordinary size, whose mechanism is chosen by released counts.
#[test]
fn several_features_of_the_demo_data() {
    let (header, lines) = demo_lines();
    let table = |rows: &[String]| Table::csv(format!("{header}\n{}", rows.join("\n")), "t.csv");
    let without = |row: usize| [&lines[..row], &lines[row + 1..]].concat();
    let with = |row: String| [&lines[..], &[row]].concat();
    let wild = "1e400,-9e307,nan,x,".repeat(75) + "77";
    let neighbors = [without(0), without(249), with(",".repeat(300)), with(wild)];
    for options in [
        "",
        "--score kendall",
        "--target-bounds=-9,9 --bounds=-3,3",
        "--target-bounds=-9,9 --center 0",
        "--center none --scale row-rank",
    ] {
        let options = format!("-k 5 --eps 1 --seed 9 {options}");
        let expected = public("select", &table(&lines), &options);
        assert_eq!(expected[0].0, Some(0));
        for rows in &neighbors {
            assert_eq!(public("select", &table(rows), &options), expected, "{options}");
        }
    }
}
