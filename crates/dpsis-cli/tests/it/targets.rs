//! Targets of other kinds than a number or classes of rows: pairs, and numbers that are hard to
//! split.

use crate::harness::{Folder, assert_contains, assert_contains_all, one_line, suggested};

/// A folder with a table of noise, a signal that follows `i`, and a last column.
fn folder(last: &str, cell: impl Fn(usize) -> String) -> Folder {
    let folder = Folder::new();
    folder.table("t.csv", &format!("a,b,signal,{last}"), 600, |i| {
        let noise = |by: usize| (i * by + i * i * 3) % 101;
        format!("{},{},{},{}", noise(37), noise(53), (i * 7919 % 600) + noise(11), cell(i))
    });
    folder
}

/// The value of a row between 0 and 1, by which the target is made: the signal follows it.
fn rank(i: usize) -> f64 {
    (i * 7919 % 600) as f64 / 600.0
}

/// The number of ten runs that pick the signal.
fn found(folder: &Folder, options: &str) -> usize {
    let picks = |seed: &usize| {
        let line = format!("select --k 1 --eps 3 --seed {seed} {options} t.csv");
        folder.run(&line).succeeds().stdout == "signal\n"
    };
    (0..10).filter(picks).count()
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
        assert_eq!(found(&folder("y", cell), ""), 10, "{name}");
    }
}

/// Two numbers are classes; the forecast assumes their split.
#[test]
fn inspect_reports_how_a_number_is_split() {
    let inspected = |cell: &dyn Fn(usize) -> String| folder("y", cell).run("inspect t.csv").text();
    let two = inspected(&|i| format!("{}", 2021 + usize::from(rank(i) > 0.3)));
    assert_contains(&two, "--classes 2021,2022");
    let ties = inspected(&|i| format!("{:.2}", (100.0 * rank(i) - 70.0).max(0.0)));
    assert_contains(&ties, "30% of them on the smaller side of the split");
    let even = inspected(&|i| format!("{:.2}", 100.0 * rank(i)));
    assert_contains(
        &even,
        "With 600 rows these are the smallest effect sizes at which features are found",
    );
    // All values lie within a minute, so no minute separates them.
    let within_a_minute = |i: usize| format!("{:.2}", 1_700_000_010.0 + 60.0 * rank(i));
    let parts = ["with 0 of 600 numbers on one side", "No command yet", "--target-bounds=?"];
    assert_contains_all(&inspected(&within_a_minute), &parts);
    // The remedies work.
    let near = folder("y", within_a_minute);
    assert_eq!(found(&near, "--target-bounds 1.7e9,1.70000007e9"), 10);
    let shifted = folder("y", |i| format!("{:.2}", 60.0 * rank(i)));
    assert_eq!(found(&shifted, ""), 10);
}

/// People with a row of each class, who differ by more than their rows do.
fn pairs() -> Folder {
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
    let table = folder.read("t.csv");
    let named = table.replacen("a,b,signal,\n", "a,b,noise,signal,patient,tissue\n", 1);
    folder.write("t.csv", named);
    let inspected = folder.run("inspect t.csv");
    let parts = [
        "it differs between rows of the same \"patient\": 300 pairs",
        "With 300 pairs these are the smallest effect sizes",
    ];
    assert_contains_all(&one_line(&inspected.stdout), &parts);
    assert_contains(&suggested(&inspected), "--paired patient --classes normal,tumor");
    assert_eq!(found(&folder, "--classes normal,tumor --paired patient"), 10);
    assert_eq!(found(&folder, "--classes normal,tumor --unit patient --score paired"), 10);
    // Without pairs, the differences between people hide the difference between classes.
    assert!(found(&folder, "--classes normal,tumor --unit patient") < 8);
    folder.refuses(&[
        ("select --k 1 --eps 1 --paired patient --unit patient t.csv", 2, "cannot be used"),
        ("select --k 1 --eps 1 --paired patient --score ks t.csv", 2, "cannot be used"),
        (
            "select --k 1 --eps 1 --classes normal,tumor --paired patient --unit-target last t.csv",
            2,
            "keep their own classes",
        ),
        (
            "select --k 1 --eps 1 --classes normal,tumor --paired patient --adjust a:4 t.csv",
            2,
            "takes no covariates",
        ),
        (
            "select --k 1 --eps 1 --classes normal,tumor --paired patient --bounds 0,1 t.csv",
            2,
            "takes no bounds",
        ),
        ("fit --k 1 --eps 1 --classes normal,tumor --paired patient t.csv", 2, "paired"),
    ]);
}
