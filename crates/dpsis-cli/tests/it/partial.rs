//! Sums of parts of a table, and several files, give what the whole table gives.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::path::Path;
use std::process::{Command, Output};

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/demo.csv");

/// A folder with the demo data in parts of very different sizes.
struct Folder(tempfile::TempDir);

impl Folder {
    const PARTS: usize = 4;

    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = std::fs::read_to_string(DEMO).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (header, rows) = lines.split_first().unwrap();
        let ends = [0, 1, 2, rows.len() / 3, rows.len()];
        for (part, ends) in ends.windows(2).enumerate() {
            let text = format!("{header}{}", rows[ends[0]..ends[1]].concat());
            std::fs::write(folder.path().join(format!("part-{part}.csv")), text).unwrap();
        }
        Self(folder)
    }

    fn run(&self, words: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_dpsis"))
            .env("SOURCE_DATE_EPOCH", "1795305600")
            .current_dir(self.0.path())
            .args(words.split_whitespace())
            .output()
            .unwrap()
    }

    /// The stdout of a command, which must succeed.
    fn out(&self, words: &str) -> String {
        let output = self.run(words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The message of a command, which must fail with this code and leave no output.
    fn refused(&self, words: &str, code: i32) -> String {
        let output = self.run(&format!("{words} -o out.txt"));
        assert_eq!(output.status.code(), Some(code), "{words}");
        assert!(output.stdout.is_empty() && !self.path("out.txt").exists(), "{words}");
        let said = String::from_utf8(output.stderr).unwrap();
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    /// Sums all parts with these options, in files that end so.
    fn sum(&self, options: &str, ending: &str) {
        for part in 0..Self::PARTS {
            let number = format!("--part {}/{}", part + 1, Self::PARTS);
            let output =
                self.run(&format!("partial {number} {options} part-{part}.csv -o {part}.{ending}"));
            assert_eq!(output.status.code(), Some(0));
            #[cfg(unix)]
            {
                let file = self.path(&format!("{part}.{ending}")).metadata().unwrap();
                let mode = std::os::unix::fs::PermissionsExt::mode(&file.permissions());
                assert_eq!(mode & 0o777, 0o600);
            }
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.starts_with("NOT PRIVATE"), "{said}");
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
fn sums_of_parts_are_released_as_the_whole_table_is() {
    let folder = Folder::new();
    let release = "select --k 5 --eps 2 --seed 7 --format json";
    for range in ["--bounds=-1,1", "--scale row-rank", "--bounds=-1,1 --score ks"] {
        let options = format!("{range} --target-bounds=-2,2");
        folder.sum(&options, "partial");
        let whole = record(&folder.out(&format!("{release} {options} {DEMO}")));
        let parts = "3.partial 0.partial 2.partial 1.partial";
        assert_eq!(record(&folder.out(&format!("{release} --partials {parts}"))), whole);
        assert_eq!(record(&folder.out(&format!("{release} --partials ?.partial"))), whole);
        assert_eq!(record(&folder.out(&format!("{release} {options} part-*.csv"))), whole);
    }
    // Several files add up to one partial, too.
    let options = "--bounds=-1,1 --target-bounds=-2,2";
    folder.out(&format!("partial --part 1/1 {options} part-*.csv -o all.sums"));
    folder.out(&format!("partial --part 1/1 {options} {DEMO} -o whole.sums"));
    let of_all = record(&folder.out(&format!("{release} --partials all.sums")));
    assert_eq!(of_all, record(&folder.out(&format!("{release} --partials whole.sums"))));
    // No row counts twice.
    folder.refused("select --k 5 --eps 2 part-*.csv part-1.csv", 2);
    let select = "select --k 5 --eps 2 --partials";
    folder.refused(&format!("{select} ?.partial 1.partial"), 2);
    // A job that was tried again has left the same part under another name; another has not come
    // yet.
    let bins = format!("{options} --score ks");
    folder.out(&format!("partial --part 2/4 {bins} part-1.csv -o again.sums"));
    let said = folder.refused(&format!("{select} ?.partial again.sums"), 2);
    assert!(said.contains("1.partial and again.sums are both part 2"), "{said}");
    let said = folder.refused(&format!("{select} 0.partial 2.partial"), 2);
    assert!(said.contains("of 4 parts these are missing: 2, 4"), "{said}");
    folder.out(&format!("partial --part 5/5 {bins} part-1.csv -o more.sums"));
    let said = folder.refused(&format!("{select} ?.partial more.sums"), 2);
    assert!(said.contains("more.sums: the partials are of 4 parts and of 5"), "{said}");
    folder.refused(&format!("partial {options} part-1.csv"), 2);
    for wrong in ["0/4", "5/4", "4", "1/x"] {
        folder.refused(&format!("partial --part {wrong} {options} part-1.csv"), 2);
    }
    // Whole columns cannot be summed, but are read from several files.
    let whole = record(&folder.out(&format!("{release} {DEMO}")));
    let files = "part-0.csv part-1.csv part-2.csv part-3.csv";
    assert_eq!(record(&folder.out(&format!("{release} {files}"))), whole);
    assert!(
        folder.refused("partial --part 1/4 part-0.csv", 2).contains("do not add up from parts")
    );
}

#[test]
fn a_numeric_target_takes_two_stages_that_a_ledger_pays_for() {
    let folder = Folder::new();
    let options = "--scale row-rank --score ks";
    let release = "select --k 5 --eps 2";
    folder.sum(options, "counts");
    // From a seed both stages give what one run gives.
    folder.out(&format!("{release} --seed 7 --partials ?.counts -o seeded.txt"));
    folder.sum(&format!("{options} --released seeded.txt"), "partial");
    let whole = record(&folder.out(&format!("{release} --seed 7 --format json {options} {DEMO}")));
    let sums = folder.out(&format!("{release} --seed 7 --format json --partials ?.partial"));
    assert_eq!(record(&sums), whole);
    let said = folder.refused(&format!("{release} --partials ?.partial"), 2);
    assert!(said.contains("not for release"), "{said}");

    folder.out("ledger create --cap 2.1 budget.txt");
    let paid = format!("{release} --ledger budget.txt");
    folder.out(&format!("{paid} --partials ?.counts -o median.txt"));
    folder.sum(&format!("{options} --released median.txt"), "partial");
    assert_eq!(folder.out(&format!("{paid} --partials ?.partial")).lines().count(), 5);
    let ledger = folder.out("ledger show budget.txt");
    let of = |name: &str| ledger.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(
        of("spent").ends_with(" 2")
            && of("1 ").contains("epsilon 0.2,")
            && of("2 ").contains("epsilon 1.8,")
    );
    folder.refused(&format!("{paid} --partials ?.partial"), 4);
    // Stages do not mix, and a release spends what was planned.
    folder.refused(&format!("{release} --partials ?.counts 0.partial"), 2);
    let said = folder.refused("select --k 5 --eps 1 --partials ?.partial", 2);
    assert!(said.contains("has spent epsilon 0.2"), "{said}");
    folder.refused(&format!("{release} --neighbors replace-one --partials ?.partial"), 2);
    folder.refused(&format!("{release} --format json --partials ?.counts"), 2);
    folder.refused(
        &format!(
            "partial --part 1/1 --released median.txt --bounds=0,1 --target-bounds=0,1 {DEMO}"
        ),
        2,
    );
}

/// The commands of the page on tables in parts, one after the other, on parts of the demo data.
#[test]
fn the_commands_of_the_page_work_together() {
    let folder = Folder::new();
    std::fs::remove_file(folder.path("part-0.csv")).unwrap();
    let page = include_str!("../../../../docs/scale.md");
    let blocks =
        page.split("```sh\n").skip(1).flat_map(|block| block.split("```").next().unwrap().lines());
    let mut count = 0;
    for command in blocks {
        let words = command.strip_prefix("dpsis ").unwrap().replace('\'', "");
        let out = folder.out(&words);
        // What selects from a whole table or from all sums prints k names.
        let is_last = words.starts_with("select") && !words.contains(" -o ");
        assert_eq!(out.lines().count(), if is_last { 5 } else { 0 }, "{command}");
        count += 1;
    }
    assert_eq!(count, 11);
}

#[test]
fn files_that_do_not_belong_together_are_refused_by_their_names() {
    let folder = Folder::new();
    folder.sum("--bounds=-1,1 --target-bounds=-2,2", "partial");
    folder.out("partial --part 5/5 --bounds=-1,2 --target-bounds=-2,2 part-0.csv -o other.sums");
    let said = folder.refused("select --k 5 --eps 2 --partials ?.partial other.sums", 2);
    assert!(
        said.contains("other.sums: ") && said.contains("another scaling of features"),
        "{said}"
    );
    let text = std::fs::read_to_string(folder.path("1.partial")).unwrap();
    let cut = |name: &str, text: &str| std::fs::write(folder.path(name), text).unwrap();
    cut("cut.sums", &text[..text.len() / 2]);
    let said = folder.refused("select --k 5 --eps 2 --partials 0.partial cut.sums", 3);
    assert!(said.contains("cut.sums: ") && said.contains("damaged"), "{said}");
    let said = folder.refused("select --k 5 --eps 2 --partials part-0.csv", 3);
    assert!(said.contains("is no dpsis partial"), "{said}");
    assert!(
        folder.refused("select --k 5 --eps 2 --partials *.nothing", 5).contains("no file matches")
    );
    folder.refused("select --k 5 --eps 2 --partials 0.partial --bounds=-1,1", 2);
    folder.refused("select --k 5 --eps 2", 2);
    cut("part-9.csv", "a,b\n1,2\n");
    let said = folder.refused("select --k 1 --eps 2 part-*.csv", 2);
    assert!(said.contains("part-9.csv: the column"), "{said}");
    assert!(!Path::new("out.txt").exists());
}
