//! Targets of other kinds than a number or classes of rows: pairs, and numbers that are hard to
//! split.

use std::path::Path;
use std::process::{Command, Output};

fn dpsis(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dpsis")).args(arguments).current_dir(folder).output().unwrap()
}

fn said(output: &Output) -> String {
    let text = String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A folder with a table of noise, a signal that follows `i`, and a last column.
fn folder(last: &str, cell: impl Fn(usize) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let noise = |by: usize| (i * by + i * i * 3) % 101;
        format!("{},{},{},{}\n", noise(37), noise(53), (i * 7919 % 600) + noise(11), cell(i))
    };
    let rows: String = (0..600).map(row).collect();
    let text = format!("a,b,signal,{last}\n{rows}");
    std::fs::write(folder.path().join("t.csv"), text).unwrap();
    folder
}

/// The value of a row between 0 and 1, by which the target is made: the signal follows it.
fn rank(i: usize) -> f64 {
    (i * 7919 % 600) as f64 / 600.0
}

/// The number of ten runs that pick the signal.
fn found(folder: &Path, more: &[&str]) -> usize {
    let picks = |seed: usize| {
        let seed = seed.to_string();
        let select = ["select", "--k", "1", "--eps", "3", "--seed", &seed];
        let output = dpsis(folder, &[&select[..], more, &["t.csv"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        output.stdout == b"signal\n"
    };
    (0..10).filter(|seed| picks(*seed)).count()
}

#[test]
fn numbers_close_together_and_ties_are_split() {
    let step = |i: usize, steps: f64| (rank(i) * steps).floor();
    let cells: [(&str, &dyn Fn(usize) -> String); 6] = [
        ("years", &|i| format!("{}", 2021.0 + step(i, 2.0))),
        ("seconds", &|i| format!("{}", 1.7e9 + 86_400.0 * step(i, 30.0))),
        ("milliseconds", &|i| format!("{}", 1.7e12 + 86_400_000.0 * step(i, 30.0))),
        ("most at 0", &|i| format!("{}", (10.0 * rank(i) - 7.0).max(0.0))),
        ("most at the top", &|i| format!("{}", (10.0 * rank(i)).min(3.0))),
        ("zeros and ones", &|i| format!("{}", step(i, 4.0).min(1.0))),
    ];
    for (name, cell) in cells {
        let folder = folder("y", cell);
        assert_eq!(found(folder.path(), &[]), 10, "{name}");
    }
}

/// Two numbers are classes, and the promise is that of the split.
#[test]
fn inspect_sees_how_a_number_is_split() {
    let inspected = |cell: &dyn Fn(usize) -> String| {
        let folder = folder("y", cell);
        said(&dpsis(folder.path(), &["inspect", "t.csv"]))
    };
    let two = inspected(&|i| format!("{}", 2021 + usize::from(rank(i) > 0.3)));
    assert!(two.contains("--classes 2021,2022"), "{two}");
    let ties = inspected(&|i| format!("{:.2}", (100.0 * rank(i) - 70.0).max(0.0)));
    assert!(ties.contains("30% of them on the smaller side of the split"), "{ties}");
    let even = inspected(&|i| format!("{:.2}", 100.0 * rank(i)));
    assert!(even.contains("With 600 rows features are found"), "{even}");
    // Within a minute: there is no point between them.
    let within_a_minute = |i: usize| format!("{:.2}", 1_700_000_010.0 + 60.0 * rank(i));
    let close = inspected(&within_a_minute);
    assert!(close.contains("with 0 of 600 numbers on one side"), "{close}");
    assert!(close.contains("No command yet") && close.contains("--target-bounds=?"), "{close}");
    // The remedies work.
    let near = folder("y", within_a_minute);
    assert_eq!(found(near.path(), &["--target-bounds", "1.7e9,1.70000007e9"]), 10);
    let shifted = folder("y", |i| format!("{:.2}", 60.0 * rank(i)));
    assert_eq!(found(shifted.path(), &[]), 10);
}

/// People with a row of each class, who differ by more than their rows do.
fn pairs() -> tempfile::TempDir {
    folder("", |i| {
        // Either class may come last.
        let (person, class) = (i / 2, (i + i / 2) % 2);
        let level = person * 7919 % 997;
        format!("{},P{person},{}", 100 * level + 3 * class + i % 3, ["normal", "tumor"][class])
    })
}

#[test]
fn pairs_are_compared_and_suggested() {
    let folder = pairs();
    let table = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
    let named = table.replacen("a,b,signal,\n", "a,b,noise,signal,patient,tissue\n", 1);
    std::fs::write(folder.path().join("t.csv"), named).unwrap();
    let folder = folder.path();
    let inspected = said(&dpsis(folder, &["inspect", "t.csv"]));
    let text = "it varies within \"patient\": 300 pairs";
    assert!(inspected.contains(text), "{inspected}");
    let command = inspected.split("  dpsis ").last().unwrap();
    assert!(command.contains("--paired patient --classes normal,tumor"), "{inspected}");
    assert!(inspected.contains("With 300 pairs features are found"), "{inspected}");
    let classes = ["--classes", "normal,tumor"];
    assert_eq!(found(folder, &[&classes[..], &["--paired", "patient"]].concat()), 10);
    let by_hand = [&classes[..], &["--unit", "patient", "--score", "paired"]].concat();
    assert_eq!(found(folder, &by_hand), 10);
    // Between people the difference is drowned.
    assert!(found(folder, &[&classes[..], &["--unit", "patient"]].concat()) < 8);
    let both =
        ["select", "--k", "1", "--eps", "1", "--paired", "patient", "--unit", "patient", "t.csv"];
    assert_eq!(dpsis(folder, &both).status.code(), Some(2));
    let fit = [
        "fit",
        "--k",
        "1",
        "--eps",
        "1",
        "--classes",
        "normal,tumor",
        "--paired",
        "patient",
        "t.csv",
    ];
    let fit = dpsis(folder, &fit);
    assert!(fit.status.code() == Some(2) && said(&fit).contains("paired"), "{}", said(&fit));
}
