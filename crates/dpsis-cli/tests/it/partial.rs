//! Sums of parts of a table, and several files, give the same result as the whole table.

use crate::harness::{DEMO, Folder, assert_contains_all, demo_lines};

const PARTS: usize = 4;

/// A folder with the demo data in parts of very different sizes.
fn folder() -> Folder {
    let folder = Folder::new();
    let (header, rows) = demo_lines();
    let ends = [0, 1, 2, rows.len() / 3, rows.len()];
    for (part, ends) in ends.windows(2).enumerate() {
        let rows = rows[ends[0]..ends[1]].join("\n");
        folder.write(&format!("part-{part}.csv"), format!("{header}\n{rows}\n"));
    }
    folder
}

/// The stdout of a command.
#[track_caller]
fn out(folder: &Folder, line: &str) -> String {
    folder.run(line).succeeds().stdout
}

/// Runs each command, which must be refused with this message and leave no output.
#[track_caller]
fn refuses(folder: &Folder, cases: &[(&str, i32, &str)]) {
    for (line, code, part) in cases {
        folder.refuses(&[(format!("{line} -o out.txt"), *code, *part)]);
        assert!(!folder.has("out.txt"), "{line}");
    }
}

/// Sums all parts with these options, in files with this extension.
fn sum(folder: &Folder, options: &str, extension: &str) {
    for part in 0..PARTS {
        let file = format!("{part}.{extension}");
        let number = format!("--part {}/{PARTS}", part + 1);
        let line = format!("partial {number} {options} part-{part}.csv -o {file}");
        let printed = folder.run(&line).succeeds().stderr;
        assert!(printed.starts_with("NOT PRIVATE"), "{printed}");
        #[cfg(unix)]
        {
            let permissions = folder.path(&file).metadata().unwrap().permissions();
            assert_eq!(std::os::unix::fs::PermissionsExt::mode(&permissions) & 0o777, 0o600);
        }
    }
}

/// A record without the request, which names other files.
fn record(json: &str) -> serde_json::Value {
    let mut record: serde_json::Value = serde_json::from_str(json).unwrap();
    record["run"]["request"].take();
    record
}

#[test]
fn sums_of_parts_are_released_like_the_whole_table() {
    let folder = folder();
    let release = "select --k 5 --eps 2 --seed 7 --format json";
    for range in ["--bounds=-1,1", "--scale row-rank", "--bounds=-1,1 --score ks"] {
        let options = format!("{range} --target-bounds=-2,2");
        sum(&folder, &options, "partial");
        let whole = record(&out(&folder, &format!("{release} {options} {DEMO}")));
        let parts = "3.partial 0.partial 2.partial 1.partial";
        assert_eq!(record(&out(&folder, &format!("{release} --partials {parts}"))), whole);
        assert_eq!(record(&out(&folder, &format!("{release} --partials ?.partial"))), whole);
        assert_eq!(record(&out(&folder, &format!("{release} {options} part-*.csv"))), whole);
    }
    // Several files add up to one partial, too.
    let options = "--bounds=-1,1 --target-bounds=-2,2";
    out(&folder, &format!("partial --part 1/1 {options} part-*.csv -o all.sums"));
    out(&folder, &format!("partial --part 1/1 {options} {DEMO} -o whole.sums"));
    let of_all = record(&out(&folder, &format!("{release} --partials all.sums")));
    assert_eq!(of_all, record(&out(&folder, &format!("{release} --partials whole.sums"))));
    let select = "select --k 5 --eps 2 --partials";
    let bins = format!("{options} --score ks");
    out(&folder, &format!("partial --part 2/4 {bins} part-1.csv -o again.sums"));
    out(&folder, &format!("partial --part 5/5 {bins} part-1.csv -o more.sums"));
    refuses(
        &folder,
        &[
            // No row counts twice.
            ("select --k 5 --eps 2 part-*.csv part-1.csv", 2, ""),
            (&format!("{select} ?.partial 1.partial"), 2, ""),
            // A repeated job left the same part under another name; then parts are missing.
            (
                &format!("{select} ?.partial again.sums"),
                2,
                "1.partial and again.sums are both part 2",
            ),
            (&format!("{select} 0.partial 2.partial"), 2, "of 4 parts these are missing: 2, 4"),
            (
                &format!("{select} ?.partial more.sums"),
                2,
                "more.sums: the partials are of 4 parts and of 5",
            ),
            (&format!("partial {options} part-1.csv"), 2, ""),
            // Whole columns cannot be summed.
            ("partial --part 1/4 part-0.csv", 2, "do not add up from parts"),
        ],
    );
    for wrong in ["0/4", "5/4", "4", "1/x"] {
        refuses(&folder, &[(&format!("partial --part {wrong} {options} part-1.csv"), 2, "")]);
    }
    // Sums are of rows, without people and strata.
    for people in
        ["--unit gene_001", "--paired gene_001", "--adjust gene_001:0", "--unit-target mean"]
    {
        refuses(
            &folder,
            &[(&format!("{release} --partials ?.partial {people}"), 2, "cannot be used with")],
        );
    }
    // A selection on whole columns takes several files instead.
    let whole = record(&out(&folder, &format!("{release} {DEMO}")));
    let files = "part-0.csv part-1.csv part-2.csv part-3.csv";
    assert_eq!(record(&out(&folder, &format!("{release} {files}"))), whole);
}

/// A job that reads the file of another one: the same rows under two part numbers are refused, in
/// both stages, and not noticed in parts of a row.
#[test]
fn the_same_rows_under_two_numbers_are_refused() {
    let folder = folder();
    for (options, extension) in
        [("--bounds=-1,1 --target-bounds=-2,2", "sums"), ("--scale row-rank --score ks", "counts")]
    {
        sum(&folder, options, extension);
        let select = format!("select --k 5 --eps 2 --partials ?.{extension} -o out.txt");
        let repeated = |number: u32, of: u32, rows: &str| {
            out(
                &folder,
                &format!("partial --part {number}/{of} {options} {rows} -o 2.{extension}"),
            );
        };
        repeated(3, 4, "part-3.csv");
        let rule = "parts 3 and 4 of 4 have the same sums: their rows would count twice";
        folder.refuses(&[(&select, 2, rule)]);
        assert!(!folder.has("out.txt"));
        repeated(3, 4, "part-1.csv");
        out(&folder, &select);
        folder.remove("out.txt");
    }
}

#[test]
fn a_numeric_target_is_charged_in_two_stages() {
    let folder = folder();
    let options = "--scale row-rank --score ks";
    let release = "select --k 5 --eps 2";
    sum(&folder, options, "counts");
    // With a seed the two stages give the same result as one run.
    out(&folder, &format!("{release} --seed 7 --partials ?.counts -o seeded.txt"));
    sum(&folder, &format!("{options} --released seeded.txt"), "partial");
    let whole =
        record(&out(&folder, &format!("{release} --seed 7 --format json {options} {DEMO}")));
    let sums = out(&folder, &format!("{release} --seed 7 --format json --partials ?.partial"));
    assert_eq!(record(&sums), whole);
    refuses(&folder, &[(&format!("{release} --partials ?.partial"), 2, "not for release")]);

    out(&folder, "ledger create --cap 2.1 budget.txt");
    let charged = format!("{release} --ledger budget.txt");
    out(&folder, &format!("{charged} --partials ?.counts -o median.txt"));
    sum(&folder, &format!("{options} --released median.txt"), "partial");
    assert_eq!(out(&folder, &format!("{charged} --partials ?.partial")).lines().count(), 5);
    let ledger = out(&folder, "ledger show budget.txt");
    let of = |name: &str| ledger.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(
        of("spent").ends_with(" 2")
            && of("1 ").contains("epsilon 0.2,")
            && of("2 ").contains("epsilon 1.8,")
    );
    let given = "partial --part 1/1 --released median.txt --bounds=0,1 --target-bounds=0,1";
    refuses(
        &folder,
        &[
            (&format!("{charged} --partials ?.partial"), 4, ""),
            // Stages do not mix, and a release spends the planned budget.
            (&format!("{release} --partials ?.counts 0.partial"), 2, ""),
            ("select --k 5 --eps 1 --partials ?.partial", 2, "has spent epsilon 0.2"),
            (&format!("{release} --neighbors replace-one --partials ?.partial"), 2, ""),
            (&format!("{given} {DEMO}"), 2, ""),
        ],
    );
}

/// The commands of the page on tables in parts, one after the other, on parts of the demo data.
#[test]
fn the_commands_of_the_page_work_together() {
    let folder = folder();
    folder.remove("part-0.csv");
    let page = include_str!("../../../../docs/scale.md").split("\n## A database").next().unwrap();
    let blocks =
        page.split("```sh\n").skip(1).flat_map(|block| block.split("```").next().unwrap().lines());
    let mut count = 0;
    for command in blocks {
        let words = command.strip_prefix("dpsis ").unwrap();
        let out = out(&folder, words);
        // A selection from a whole table or from all sums prints k names.
        let is_last = words.starts_with("select") && !words.contains(" -o ");
        assert_eq!(out.lines().count(), if is_last { 5 } else { 0 }, "{command}");
        count += 1;
    }
    assert_eq!(count, 11);
}

/// Options of the output apply to the selection; the stage before it accepts and ignores them.
#[test]
fn one_set_of_options_serves_both_stages() {
    let folder = folder();
    let release = "select --k 2 --eps 9 --seed 1 --format json --quiet --partials";
    sum(&folder, "--scale row-rank", "counts");
    folder.run(&format!("{release} *.counts -o median.json")).succeeds();
    let acro = release.replace("json", "acro");
    folder.run(&format!("{acro} *.counts -o median")).succeeds();
    // The folder is made by the selection.
    assert_eq!(folder.read("median.released"), folder.read("median.json"));
    sum(&folder, "--scale row-rank --released median.json", "sums");
    let selected = folder.run(&format!("{release} *.sums")).succeeds().stdout;
    assert_eq!(record(&selected)["selected"].as_array().unwrap().len(), 2);
}

#[test]
fn files_that_do_not_belong_together_are_refused_by_their_names() {
    let folder = folder();
    sum(&folder, "--bounds=-1,1 --target-bounds=-2,2", "partial");
    out(&folder, "partial --part 5/5 --bounds=-1,2 --target-bounds=-2,2 part-0.csv -o other.sums");
    let select = "select --k 5 --eps 2 --partials";
    let printed = folder.run(&format!("{select} ?.partial other.sums")).fails(2);
    assert_contains_all(&printed, &["other.sums: ", "another scaling of features"]);
    let text = folder.read("1.partial");
    folder.write("cut.sums", &text[..text.len() / 2]);
    let printed = folder.run(&format!("{select} 0.partial cut.sums")).fails(3);
    assert_contains_all(&printed, &["cut.sums: ", "damaged"]);
    folder.write("key.txt", "dpsis secret key 1: SECRET\n{}\n");
    folder.write("part-9.csv", "a,b\n1,2\n");
    refuses(
        &folder,
        &[
            (&format!("{select} part-0.csv"), 3, "is not a dpsis partial"),
            (&format!("{select} key.txt"), 3, "this is a dpsis secret key, not a dpsis partial"),
            (&format!("{select} *.nothing"), 5, "no file matches"),
            (&format!("{select} 0.partial --bounds=-1,1"), 2, ""),
            ("select --k 5 --eps 2", 2, ""),
            ("select --k 1 --eps 2 part-*.csv", 2, "part-9.csv: the column"),
        ],
    );
}
