//! `dpsis report`: pages and figures of saved records, models and ledgers.

use std::fs;
use std::path::Path;

use crate::harness::{DEMO, Folder, assert_contains, assert_contains_all, assert_lacks, dpsis};

/// A folder with two tables.
fn folder() -> Folder {
    let table = |name: &str| fs::read(Path::new(DEMO).with_file_name(name)).unwrap();
    Folder::new().with("demo.csv", table("demo.csv")).with("visits.csv", table("visits.csv"))
}

/// The page of a record is that of the run itself.
#[test]
fn a_saved_record_has_the_page_of_its_run() {
    let folder = folder().with("c.csv", "name,score\na,1\nb,2\n");
    for command in [
        "select --k 3 --eps 2 --direction --seed 7 demo.csv",
        "select --eps 2 --seed 7 demo.csv",
        "select --k 2 --eps 3 --classes no,yes --unit person --adjust sex=F,M --seed 7 visits.csv",
        "choose --eps 1 --sensitivity 1 --seed 7 c.csv",
    ] {
        folder.run(&format!("{command} -o record.json")).succeeds();
        let direct = folder.run(&format!("{command} --format html")).succeeds().stdout;
        let page = folder.run("report record.json").succeeds().stdout;
        // The request names the form.
        let forms = ["--output FILE", "--format html", "--output%20FILE", "--format%20html"];
        let without =
            |page: &str| forms.iter().fold(page.to_owned(), |page, form| page.replace(form, ""));
        assert!(without(&page) == without(&direct), "{command}");
    }
}

#[test]
fn the_heading_is_on_the_page() {
    let folder = folder();
    folder.run("ledger create --cap 6 --name 'Ward 7' budget.txt").succeeds();
    folder
        .run("select --k 2 --eps 2 --target-number --ledger budget.txt -o record.json demo.csv")
        .succeeds();
    let heading = "--title 'Dose & response' --study 'the pilot' --contact 'A. Lovelace'";
    let shown = folder.run(&format!("report record.json {heading} -o page.html")).succeeds();
    assert_eq!(shown.stdout + &shown.stderr, "");
    let page = folder.read("page.html");
    assert_contains_all(
        &page,
        &[
            "<h1>Dose &amp; response</h1>",
            "<p class=\"lead\">the pilot \u{b7} released 20",
            "Contact: A. Lovelace</p>",
            "Epsilon 2 for this release. The ledger after it: Ward 7: spent 2 of 6, 4 left.",
            "This page and the record at its end.",
        ],
    );
    let budget = folder.run("report budget.txt --study 'the pilot'").succeeds().stdout;
    assert_contains_all(&budget, &["<h1>Ward 7</h1>", "4 OF 6 LEFT", "the pilot"]);
}

#[test]
fn models_and_plans_have_pages_and_figures() {
    let folder = folder();
    folder.run("fit --k 3 --eps 6 --seed 3 -o model.json demo.csv").succeeds();
    let page = folder.run("report model.json").succeeds().stdout;
    assert_contains_all(&page, &["<h1>Linear regression of response</h1>", "NOT PRIVATE"]);
    let page = folder.run("fit --k 3 --eps 6 --seed 3 --format html demo.csv").succeeds().stdout;
    assert_contains_all(&page, &["<h1>Linear regression of response</h1>", "OF 3 DIFFER FROM 0"]);
    folder.run("report model.json -o model.svg").succeeds();
    assert_contains(&folder.read("model.svg"), "class=\"zero\"");
    let plan = "plan --n 400 --d 30 --k 2 --eps 1 --draws 40 --format json";
    folder.write("plan.json", &dpsis(plan).succeeds().stdout);
    assert_contains(
        &folder.run("report plan.json").succeeds().stdout,
        "With 400 rows at epsilon 1",
    );
    let figure = folder.run("report plan.json --format svg").succeeds().stdout;
    assert!(figure.starts_with("<svg xmlns=") && figure.contains("class=\"curve\""), "{figure}");
}

/// A figure has at most 60 features.
#[test]
fn figures_are_split() {
    let folder = folder();
    folder.run("select --k 70 --eps 2 --seed 7 -o record.json demo.csv").succeeds();
    folder.refuses(&[("report record.json --format svg", 2, "name a file with --output")]);
    folder.run("report record.json -o figure.svg").succeeds();
    let points = |name: &str| folder.read(name).matches("<g>").count();
    assert_eq!((points("figure.svg"), points("figure-2.svg")), (60, 10));
    assert_lacks(&folder.read("figure.svg"), "var(");
}

#[cfg(feature = "png")]
#[test]
fn figures_are_drawn_as_png() {
    let folder = folder();
    folder.run("select --k 70 --eps 2 --seed 7 -o record.json demo.csv").succeeds();
    folder.run("report record.json -o figure.png").succeeds();
    // Width and height are the first two numbers of a file.
    let size = |name: &str| {
        let bytes = fs::read(folder.path(name)).unwrap();
        assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n", "{name}");
        [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
    };
    assert_eq!(size("figure.png"), [1380, 3 * (26 + 60 * 24 + 42)]);
    assert_eq!(size("figure-2.png"), [1380, 3 * (26 + 10 * 24 + 42)]);
}

#[cfg(not(feature = "png"))]
#[test]
fn png_needs_its_feature() {
    let folder = folder();
    folder.run("select --k 2 --eps 2 --seed 7 -o record.json demo.csv").succeeds();
    let remedy = "cargo install --path crates/dpsis-cli --features png";
    folder.refuses(&[("report record.json -o figure.png", 2, remedy)]);
    assert!(!folder.path("figure.png").exists());
}

#[test]
fn other_files_are_refused() {
    let folder = folder()
        .with("other.json", "{\"a\": 1}")
        .with("cut.json", "{\"command\": \"select\"}")
        .with("cut.txt", "dpsis ledger 1\nname: a\n");
    folder.write(
        "c.csv",
        "name,score
a,1
b,2
",
    );
    folder.run("choose --eps 1 --sensitivity 1 -o bare.json c.csv").succeeds();
    folder.refuses(&[
        ("report none.json", 5, "cannot read none.json"),
        ("report other.json", 3, "not a record or a model of dpsis"),
        ("report cut.json", 3, "incomplete, or of another version"),
        ("report cut.txt", 3, "first lines are incomplete"),
        (&format!("report {DEMO}"), 3, "not a record or a model of dpsis"),
        ("report other.json -o other.json", 2, "overwrite an input"),
        ("report bare.json -o bare.svg", 2, "nothing to draw"),
    ]);
    assert!(!folder.path("bare.svg").exists());
}
