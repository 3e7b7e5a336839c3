//! Common problems of real tables: each is refused or reported in words that help further.

#![allow(clippy::unwrap_used, clippy::panic)] // in a test a panic is how a failure is said

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn dpsis(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dpsis")).args(arguments).current_dir(folder).output().unwrap()
}

/// The output with the line breaks of wrapped lines taken back.
fn said(output: &Output) -> String {
    let text = String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn write(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::write(folder.path().join(name), bytes).unwrap();
}

fn select(folder: &TempDir, more: &[&str]) -> (i32, String) {
    let start = ["select", "--k", "1", "--eps", "8", "--seed", "6"];
    let output = dpsis(folder.path(), &[&start, more].concat());
    (output.status.code().unwrap(), said(&output))
}

/// Genes as rows: 30 samples, of which the even ones are cases with a high gene 3.
fn genes(folder: &TempDir, corner: &str, id: impl Fn(usize) -> String) {
    let ids: Vec<String> = (0..30).map(id).collect();
    let line = |gene: usize| {
        let value =
            |s: usize| (s * gene * 7 % 31) + if gene == 3 && s.is_multiple_of(2) { 90 } else { 0 };
        let values: Vec<String> = (0..30).map(|s| value(s).to_string()).collect();
        format!("g{gene}\t{}\n", values.join("\t"))
    };
    let lines: String = (1..6).map(line).collect();
    write(folder, "expr.tsv", format!("{corner}\t{}\n{lines}", ids.join("\t")));
    let target = |(s, id): (usize, &String)| {
        format!("{id},{}\n", if s.is_multiple_of(2) { "case" } else { "well" })
    };
    let targets: String = ids.iter().enumerate().map(target).collect();
    write(folder, "y.csv", format!("id,status\n{targets}"));
}

#[test]
fn ids_of_samples_are_not_printed_as_features() {
    let folder = tempfile::tempdir().unwrap();
    for (corner, id) in [("gene", "p"), ("", "GSM9000"), ("name", "sample_"), ("ID_REF", "x")] {
        genes(&folder, corner, |s| format!("{id}{}", 100 + s));
        for command in ["select", "dry run"] {
            let dry: &[&str] = if command == "select" { &[] } else { &["--dry-run"] };
            let (code, text) = select(&folder, &[dry, &["expr.tsv"]].concat());
            assert_eq!(code, 2, "{corner} {id}: {text}");
            assert!(text.contains("state which way the table lies"), "{text}");
            assert!(text.contains("--orient") && !text.contains(&format!("{id}101")), "{text}");
            let (code, text) =
                select(&folder, &[dry, &["--orient", "samples-as-rows", "expr.tsv"]].concat());
            assert_eq!(code, 0, "{text}");
            let turned = ["--orient", "features-as-rows", "--target-file", "y.csv"];
            let classes = ["--classes", "case,well", "--eps", "50", "expr.tsv"];
            let arguments = [dry, &turned, &classes].concat();
            let output = dpsis(folder.path(), &[&["select", "--k", "1"], &arguments[..]].concat());
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
            if command == "select" {
                assert_eq!(String::from_utf8(output.stdout).unwrap(), "g3\n");
            } else {
                assert!(said(&output).contains("only the names of features were read"));
            }
        }
    }
}

/// The same where columns are features, though their names are numbered.
#[test]
fn numbered_features_are_none_of_samples() {
    let folder = tempfile::tempdir().unwrap();
    for stem in ["gene_", "X", "V", "feature-", "sample_mean_", "id"] {
        let names: Vec<String> = (1..5).map(|i| format!("{stem}{i}")).collect();
        let rows: String =
            (0..30).map(|i| format!("{i},{},{},{},{i}.5\n", i % 7, i % 5, i % 3)).collect();
        write(&folder, "t.csv", format!("{},y\n{rows}", names.join(",")));
        assert_eq!(select(&folder, &["t.csv"]).0, 0, "{stem}");
    }
}

/// In either orientation `inspect` reads the target file, takes stated classes, and its command
/// runs.
#[test]
fn inspection_leads_to_a_release_either_way() {
    let folder = tempfile::tempdir().unwrap();
    genes(&folder, "gene", |s| format!("GSM{}", 1000 + s));
    let inspect =
        |more: &[&str]| dpsis(folder.path(), &[&["inspect"], more, &["expr.tsv"]].concat());
    let open = said(&inspect(&["--target-file", "y.csv"]));
    assert!(open.contains("the ids of the target file are names of columns"), "{open}");
    assert!(open.contains("No command yet"), "{open}");
    let turned = ["--orient", "features-as-rows", "--target-file", "y.csv"];
    for (more, expected) in [
        (
            &[][..],
            &[
                "labels case (15), well (15)",
                "30 of the 30 ids",
                "--classes well,case",
                "With 30 samples",
            ][..],
        ),
        (&["--classes", "well,case"], &["labels well (15), case (15)", "--classes well,case"]),
        (
            &["--classes", "well,Case"],
            &[
                "the label \"Case\" does not occur; \"case\" does",
                "count nowhere: case",
                "No command yet",
            ],
        ),
    ] {
        let output = inspect(&[&turned, more].concat());
        let text = said(&output);
        for words in expected {
            assert!(text.contains(words), "{words}: {text}");
        }
        // With a label that does not occur, a run would end.
        if text.contains("No command yet") {
            continue;
        }
        let lines = String::from_utf8(output.stdout).unwrap();
        let command = lines.lines().find(|line| line.trim().starts_with("dpsis select")).unwrap();
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        let run = dpsis(folder.path(), &words);
        // Of thirty samples the noise may leave next to none.
        let ended = run.status.code() == Some(3)
            && said(&run).contains("by private counts the classes have almost no samples");
        assert!(run.status.code() == Some(0) || ended, "{command}: {}", said(&run));
    }
    let own = said(&inspect(&["--orient", "features-as-rows", "--target", "g3"]));
    assert!(own.contains("row 3 (\"g3\"): numbers"), "{own}");
    write(&folder, "other.csv", "id,y\nQ1,case\nQ2,well\n");
    let none = said(&inspect(&["--orient", "features-as-rows", "--target-file", "other.csv"]));
    assert!(none.contains("none of the 2 ids in its file is in the table"), "{none}");
}

/// 300 rows of two features; every third row is of the class `fraud`.
fn frauds(folder: &TempDir, target: &str) {
    let class = |i: usize| if i.is_multiple_of(3) { "fraud" } else { "ok" };
    let rows: String = (0..300)
        .map(|i| format!("{},{},{}\n", i * 7 % 11 + i % 3 * 20, i * 5 % 13, class(i)))
        .collect();
    write(folder, "t.csv", format!("a,b,{target}\n{rows}"));
}

#[test]
fn misspelled_classes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    frauds(&folder, "status");
    let (code, text) = select(&folder, &["--classes", "ok,Fraud", "t.csv"]);
    assert_eq!(code, 0);
    assert!(text.contains("of class \"Fraud\" were counted, no more than noise"), "{text}");
    assert!(text.contains("rows have no usable target: are all classes stated"), "{text}");
    let (_, text) = select(&folder, &["--classes", "ok,fraud", "t.csv"]);
    assert!(!text.contains("no more than noise") && !text.contains("no usable target"), "{text}");
    // Kendall's correlation counts no rows, so nothing can be told.
    let kendall = ["--score", "kendall", "--classes", "ok,Fraud", "t.csv"];
    let (_, text) = select(&folder, &kendall);
    assert!(text.contains("classes are not counted"), "{text}");
}

/// A column may have the name of one of its labels, if the target is stated by its name.
#[test]
fn a_target_named_as_its_label() {
    let folder = tempfile::tempdir().unwrap();
    frauds(&folder, "fraud");
    let (code, text) = select(&folder, &["--classes", "ok,fraud", "t.csv"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("state the target by its name") && text.contains("--target"), "{text}");
    let (code, text) = select(&folder, &["--target", "fraud", "--classes", "ok,fraud", "t.csv"]);
    assert_eq!(code, 0, "{text}");
    let inspected = said(&dpsis(folder.path(), &["inspect", "t.csv"]));
    assert!(inspected.contains("--target fraud --classes ok,fraud"), "{inspected}");
}

#[test]
fn numbers_of_other_notations_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |number: &dyn Fn(usize) -> String| -> String {
        (0..400).map(|i| format!("{};{};{}\n", i % 7, i % 5, number(i))).collect()
    };
    // Every second amount has a thousands separator.
    let amount = |i: usize| {
        if i.is_multiple_of(2) { format!("{}.5", i + 1) } else { format!("1,{:03}.50", i + 100) }
    };
    write(&folder, "t.csv", format!("a;b;amount\n{}", rows(&amount)));
    // Semicolons separate cells in files with decimal commas, so the sign is asked for.
    let (code, text) = select(&folder, &["t.csv"]);
    assert_eq!(code, 2);
    assert!(text.contains("(--decimal-comma, --decimal-point)"), "{text}");
    let (code, text) = select(&folder, &["--decimal-point", "t.csv"]);
    assert_eq!(code, 0);
    assert!(text.contains("rows have no usable target: cells that are no number"), "{text}");
    let inspected = said(&dpsis(folder.path(), &["inspect", "t.csv"]));
    assert!(
        inspected.contains("200 cells look like numbers with a sign, a unit or commas"),
        "{inspected}"
    );
    // Only decimal commas: no row has a number.
    write(&folder, "t.csv", format!("a;b;amount\n{}", rows(&|i| format!("{i},5"))));
    // Released counts decide whether the run ends or warns.
    let (code, text) = select(&folder, &["--decimal-point", "t.csv"]);
    assert!([0, 3].contains(&code), "{text}");
    assert!(text.contains("--decimal-comma") && text.contains("three and a half"), "{text}");
    assert_eq!(select(&folder, &["--decimal-comma", "t.csv"]).0, 0);
}

#[test]
fn first_lines_that_are_no_header() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..30).map(|i| format!("{},{},{i}\n", i % 7, i % 5)).collect();
    let utf16 = |text: &str| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    for (bytes, expected) in [
        (
            format!("# made in May\na,b,y\n{rows}").into_bytes(),
            "remove the lines that start with #",
        ),
        (
            format!("# made in May, by me\na,b,y\n{rows}").into_bytes(),
            "remove the lines that start with #",
        ),
        (format!("sep=,\na,b,y\n{rows}").into_bytes(), "remove the line sep="),
        (format!("sep=;\na;b;y\n{}", rows.replace(',', ";")).into_bytes(), "remove the line sep="),
        (utf16(&format!("a,b,y\n{rows}")), "save the file as UTF-8"),
        (format!("a,b,y,\n{}", rows.replace('\n', ",\n")).into_bytes(), "at the end of each line"),
    ] {
        write(&folder, "t.csv", bytes);
        let (code, text) = select(&folder, &["t.csv"]);
        assert_eq!(code, 3, "{text}");
        assert!(text.contains(expected), "{expected}: {text}");
    }
    // A line of words has no delimiter, or fewer.
    let narrow = "is there a line before the header?";
    for first in ["Exported from REDCap 2023-11-02", "Exported, May", "made by \"us\""] {
        write(&folder, "t.csv", format!("{first}\na,b,y\n{rows}"));
        let (code, text) = select(&folder, &["t.csv"]);
        assert!(code == 3 && text.contains(narrow), "{text}");
        let text = said(&dpsis(folder.path(), &["inspect", "t.csv"]));
        assert!(text.contains(narrow) && !text.contains("dpsis select"), "{text}");
        if !first.contains(',') {
            let counts = "the header has 1 cell, the next line 3: is there";
            assert!(text.contains(counts) && text.contains(" and 1 column, separated"), "{text}");
        }
    }
    // A name may start with #.
    write(&folder, "t.csv", format!("#a,b,y\n{rows}"));
    assert_eq!(select(&folder, &["t.csv"]).0, 0);
}

#[test]
fn bounds_of_a_table_without_a_target() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..30).map(|i| format!("{},{},{i}\n", i % 7, i % 5)).collect();
    write(&folder, "r.csv", format!("a,b,c\n{rows}"));
    write(&folder, "t.csv", format!("a,b,c,y\n{}", rows.replace('\n', ",1.5\n")));
    let bounds = |more: &[&str]| {
        dpsis(
            folder.path(),
            &[&["bounds", "--clip", "range", "-o", "b.csv"], more, &["r.csv"]].concat(),
        )
    };
    let text = said(&bounds(&[]));
    assert!(
        text.contains("last column is taken as the target") && text.contains("--no-target"),
        "{text}"
    );
    let (code, text) = select(&folder, &["--bounds-file", "b.csv", "t.csv"]);
    assert_eq!(code, 2);
    assert!(text.contains("does not state bounds for \"c\""), "{text}");
    assert_eq!(bounds(&["--no-target"]).status.code(), Some(0));
    assert_eq!(select(&folder, &["--bounds-file", "b.csv", "t.csv"]).0, 0);
}

#[test]
fn oddities_of_columns_are_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let glucose = if i.is_multiple_of(9) { -999 } else { 60 + (i * 37 % 340) as i64 };
        let visits = if i.is_multiple_of(8) { 99 } else { i % 6 };
        let age = 20 + i * 7 % 60;
        format!(
            "{},{},{i},{age},{glucose},{visits},n{i},m{i},NA,{i}.5\n",
            ["north", "south"][i % 2],
            100_000 + 7 * i
        )
    };
    let rows: String = (1..=300).map(row).collect();
    write(
        &folder,
        "t.csv",
        format!("site,patient_id,row,age,glucose,visits,note,memo,none,y\n{rows}"),
    );
    let output = dpsis(folder.path(), &["inspect", "t.csv"]);
    let text = said(&output);
    for words in [
        "-999 may stand for missing values in column 5 (\"glucose\")",
        "99 may stand for missing values in column 6 (\"visits\")",
        "column 3 (\"row\"): whole numbers that go from one to the next",
        "column 2 (\"patient_id\") holds identifiers",
        "2 columns (\"note\", \"memo\"): words most of which occur once",
        "column 9 (\"none\"): no value",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("values in column 4 (\"age\")"), "{text}");
    assert!(text.contains("--exclude note,memo") && !text.contains("memo,none"), "{text}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let long = |line: &&str| line.chars().count() > 80 && !line.contains("dpsis select");
    assert_eq!(lines.lines().find(long), None);
}

/// With features as rows a wrong delimiter would turn whole lines into names, which are printed.
#[test]
fn lines_of_another_delimiter_are_not_printed() {
    let folder = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (0..30).map(|s| format!("p{s}")).collect();
    // One comma in every line.
    let line = |gene: usize| {
        let values: Vec<String> = (0..30).map(|s| (s * gene % 31).to_string()).collect();
        format!("g{gene};{};a,b\n", values.join(";"))
    };
    let lines: String = (1..6).map(line).collect();
    write(&folder, "expr.csv", format!("gene;{};note,x\n{lines}", ids.join(";")));
    let targets: String =
        ids.iter().enumerate().map(|(s, id)| format!("{id},{}\n", s % 2)).collect();
    write(&folder, "y.csv", format!("id,y\n{targets}"));
    let turned = ["--orient", "features-as-rows", "--target-file", "y.csv", "--classes", "0,1"];
    for dry in [&[][..], &["--dry-run"]] {
        let (code, text) = select(&folder, &[&turned, dry, &["expr.csv"]].concat());
        assert_eq!(code, 3, "{text}");
        assert!(text.contains("holds several cells") && text.contains("--delimiter"), "{text}");
        assert!(!text.contains(";7"), "{text}");
    }
    let inspected =
        said(&dpsis(folder.path(), &[&["inspect"], &turned[..], &["expr.csv"]].concat()));
    assert!(
        inspected.contains("--delimiter ';'") || inspected.contains("--delimiter \";\""),
        "{inspected}"
    );
    let (code, text) = select(
        &folder,
        &[&turned[..], &["--delimiter", ";", "--decimal-point", "expr.csv"]].concat(),
    );
    assert_eq!(code, 0, "{text}");
}

/// Whether a column holds words is private, so every output says what that means for its direction.
#[test]
fn columns_of_words_have_no_direction() {
    let folder = tempfile::tempdir().unwrap();
    let row =
        |i: usize| format!("{},{},{}\n", ["no", "yes"][i % 2], i * i % 97, ["a", "b"][i / 3 % 2]);
    write(&folder, "words.csv", format!("smoker,dose,y\n{}", (0..90).map(row).collect::<String>()));
    let plain = |i: usize| format!("{},{},{}\n", i % 2, i * i % 97, ["a", "b"][i / 3 % 2]);
    write(
        &folder,
        "plain.csv",
        format!("smoker,dose,y\n{}", (0..90).map(plain).collect::<String>()),
    );
    let caveat = "a column of words has no direction, and what is printed for one is noise";
    for table in ["words.csv", "plain.csv"] {
        for more in [&["--classes", "a,b"][..], &["--classes", "a,b", "--scale", "row-rank"]] {
            for format in ["text", "tsv", "json", "html"] {
                let options = [&["--format", format][..], more].concat();
                let (code, text) =
                    select(&folder, &[&options, &["--direction", table][..]].concat());
                assert_eq!(code, 0, "{table}: {text}");
                assert!(text.contains(caveat), "{table} {options:?}: {text}");
                let (_, text) = select(&folder, &[&options, &[table][..]].concat());
                assert!(!text.contains(caveat), "{table} {options:?}: {text}");
            }
        }
    }
}

/// Where features are rows, one person's data are a column: it is called a sample, never a row.
#[test]
fn samples_that_are_columns_are_no_rows() {
    let folder = tempfile::tempdir().unwrap();
    genes(&folder, "gene", |s| format!("q{s}"));
    let common = ["--orient", "features-as-rows", "--target-file", "y.csv"];
    let of_select = [&common[..], &["--classes", "well,case"]].concat();
    let run = |start: &[&str], options: &[&str]| {
        said(&dpsis(folder.path(), &[start, options, &["expr.tsv"]].concat()))
    };
    let text = run(&["inspect"], &common);
    assert!(text.contains("5 rows of 30 samples each"), "{text}");
    assert!(
        text.contains("With 30 samples, 50% of them in the smallest class, features"),
        "{text}"
    );
    let start = ["select", "--k", "1", "--eps", "1"];
    let plan = run(&start, &[&of_select[..], &["--dry-run"]].concat());
    assert!(plan.contains(" samples in half of all runs, features are found"), "{plan}");
    assert!(plan.contains("center samples are counted") && !plan.contains("rows "), "{plan}");
    for more in [&[][..], &["--format", "html"], &["--neighbors", "replace-one"]] {
        let text = run(&start, &[&of_select, more].concat());
        assert!(text.contains(" samples"), "{text}");
        assert!(!text.contains("rows with a target") && !text.contains(" rows ("), "{text}");
    }
}

/// Words among numbers: which they are, what to state for missing values, and how to write dates
/// and limits.
#[test]
fn words_among_numbers_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let marker = if i.is_multiple_of(3) { "-".to_owned() } else { format!("{i}.5") };
        let crp = match i % 10 {
            0 => "-".to_owned(),
            1 => "hemolytic".to_owned(),
            2 => "<5".to_owned(),
            _ => format!("{i}"),
        };
        format!("{marker},{crp},{:02}.{:02}.2021,{}\n", i % 28 + 1, i % 12 + 1, i * i % 89)
    };
    let rows: String = (0..120).map(row).collect();
    write(&folder, "t.csv", format!("marker,crp,visit,y\n{rows}"));
    let text = said(&dpsis(folder.path(), &["inspect", "t.csv"]));
    for words in [
        // 40 of marker; 36 of crp: 12 "-", 12 "hemolytic", 12 "<5".
        "2 columns (\"marker\", \"crp\"): 76 cells among numbers are words; most often \"-\" (52), \"hemolytic\" (12)",
        "\"-\" may stand for missing values in 2 columns (\"marker\", \"crp\"): state it (--na=-)",
        "column 2 (\"crp\"): 12 cells look like numbers with a sign",
        "for <5, any number below 5 will do",
        "column 3 (\"visit\"): 120 cells look like dates that are read as words: write them as year-month-day",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("--exclude visit") && !text.contains("occur once"), "{text}");
    let stated = said(&dpsis(folder.path(), &["inspect", "--na=-", "t.csv"]));
    assert!(!stated.contains("may stand for missing"), "{stated}");
    assert!(
        stated.contains("24 cells are no numbers") && stated.contains(" --na=- t.csv"),
        "{stated}"
    );
}

/// A file whose name says that it is a table would hold bare names: refused before anything is
/// spent, unless the form is stated. Other names are those of plain files.
#[test]
fn endings_of_output_files() {
    let folder = tempfile::tempdir().unwrap();
    frauds(&folder, "class");
    write(&folder, "scores.csv", "name,score\na,1\nb,2\nc,3\n");
    let select = ["select", "--k", "1", "--eps", "8", "--classes", "ok,fraud"];
    let choose = ["choose", "--k", "1", "--eps", "8", "--sensitivity", "1"];
    for (command, file) in [(&select[..], "t.csv"), (&choose, "scores.csv")] {
        let run = |more: &[&str]| dpsis(folder.path(), &[command, more, &[file]].concat());
        for name in ["out.csv", "OUT.CSV", "out.json.gz", "out.xlsx"] {
            let output = run(&["-o", name]);
            assert_eq!(output.status.code(), Some(2), "{}", said(&output));
            assert!(said(&output).contains(".json, .tsv and .html are forms"), "{}", said(&output));
            assert!(!folder.path().join(name).exists());
        }
        for name in ["out", "out.txt", "eps8.0", "out.tsv", "out.json", "picks.list"] {
            assert_eq!(run(&["-o", name]).status.code(), Some(0), "{name}");
        }
        assert_eq!(run(&["--format", "tsv", "-o", "stated.csv"]).status.code(), Some(0));
    }
}

/// A dry run reads no values: it says so of labels, and that labels are better stated.
#[test]
fn dry_runs_say_what_they_do_not_check() {
    let folder = tempfile::tempdir().unwrap();
    frauds(&folder, "class");
    let better = "labels such as 0/1 are better stated as classes (--classes)";
    for (more, expected, is_split) in [
        (
            &["--classes", "ok,Fraud"][..],
            "\"class\", column 3: classes ok, Fraud; labels are not checked",
            false,
        ),
        (
            &[],
            "\"class\", column 3: a number, split at a private median; values are not checked",
            true,
        ),
        (&["--target-bounds", "0,1"], "a number, clipped to [0, 1]; values are not checked", false),
        (&["--score", "kendall"], "column 3: a number; values are not checked", false),
    ] {
        let (code, text) = select(&folder, &[more, &["--dry-run", "t.csv"]].concat());
        assert_eq!(code, 0, "{text}");
        assert!(text.contains(expected) && text.contains(better) == is_split, "{text}");
    }
}

/// A table of 40 rows, the target last, with these names and what separates cells.
fn forty(separator: &str, start: &str, end: &str) -> String {
    let row = |i: usize| {
        let cells = [format!("{}.5", i % 7), format!("{}", i * 31 % 17), format!("{}", i % 2)];
        format!("{}{end}\n", cells.join(separator))
    };
    let names = ["dose", "age", "out"].join(separator);
    format!("{start}{names}\n{}", (0..40).map(row).collect::<String>())
}

/// Following the remedy gives a file that is read, with the same names.
#[test]
fn remedies_work() {
    let folder = tempfile::tempdir().unwrap();
    let expected = {
        write(&folder, "t.csv", forty(",", "", ""));
        stdout(&dpsis(folder.path(), &["select", "--k", "1", "--eps", "8", "--seed", "6", "t.csv"]))
    };
    let selected = |file: &str, more: &[&str]| {
        let start = ["select", "--k", "1", "--eps", "8", "--seed", "6"];
        stdout(&dpsis(folder.path(), &[&start, more, &[file]].concat()))
    };
    // A delimiter at the end of the rows.
    let trailing = forty(",", "", ",");
    write(&folder, "trailing.csv", &trailing);
    let (code, text) = select(&folder, &["trailing.csv"]);
    assert_eq!(code, 3);
    assert!(text.contains("remove what separates cells from the end of the rows"), "{text}");
    write(&folder, "mended.csv", trailing.replace(",\n", "\n"));
    assert_eq!(selected("mended.csv", &[]), expected);
    // Row names of R, with the file's own delimiter.
    for (separator, name) in [("\t", "a tab"), (";", "a semicolon"), (",", "a comma")] {
        let plain = forty(separator, "", "");
        let (header, rows) = plain.split_once('\n').unwrap();
        let rows = rows.lines().zip(1..).map(|(row, i)| format!("{i}{separator}{row}\n"));
        let rows: String = rows.collect();
        write(&folder, "r.txt", format!("{header}\n{rows}"));
        let (code, text) = select(&folder, &["--decimal-point", "r.txt"]);
        assert_eq!(code, 3);
        assert!(text.contains(&format!("put {name} before its first name")), "{text}");
        write(&folder, "r.txt", format!("{separator}{header}\n{rows}"));
        assert_eq!(selected("r.txt", &["--decimal-point"]), expected);
    }
    // Comments as wide as the table.
    let comments = "#Long dose,Long age,Long out\n#mg,years,class\n";
    write(&folder, "comments.csv", forty(",", comments, ""));
    for command in [&["inspect"][..], &["select", "--k", "1", "--eps", "8"]] {
        let output = dpsis(folder.path(), &[command, &["comments.csv"]].concat());
        assert_eq!(output.status.code(), Some(3));
        let text = said(&output);
        assert!(text.contains("remove the lines that start with #"), "{text}");
        assert!(!text.contains("years"), "{text}");
    }
    // A header may start with it.
    write(&folder, "hash.csv", forty(",", "#", ""));
    assert_eq!(selected("hash.csv", &[]), expected);
    // A line break in a cell, also of an excluded column.
    write(&folder, "break.csv", "note,a,y\n\"one\ntwo\",1,2\nok,2,3\n");
    let (code, text) = select(&folder, &["--exclude", "note", "break.csv"]);
    assert_eq!(code, 3);
    assert!(text.contains("to_parquet"), "{text}");
}

fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", said(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// By their first bytes, as a file, compressed and as a pipe.
#[test]
fn files_of_other_programs_are_recognized() {
    let folder = tempfile::tempdir().unwrap();
    let xlsx = [&b"PK\x03\x04"[..], &[0; 22], &[19, 0, 0, 0], b"[Content_Types].xml"].concat();
    for (bytes, words) in [
        (xlsx, "Excel"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0".to_vec(), "Excel"),
        (b"$FL2@(#) SPSS DATA FILE".to_vec(), "SPSS"),
        (b"<stata_dta><header>".to_vec(), "Stata"),
        (b"\n<!DOCTYPE html><html><table>".to_vec(), "web page"),
    ] {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, &bytes).unwrap();
        write(&folder, "t.csv", &bytes);
        write(&folder, "t.csv.gz", packed.finish().unwrap());
        for command in [&["inspect"][..], &["select", "--k", "1", "--eps", "1"]] {
            for file in ["t.csv", "t.csv.gz"] {
                let output = dpsis(folder.path(), &[command, &[file]].concat());
                let text = said(&output);
                assert_eq!(output.status.code(), Some(3), "{text}");
                assert!(text.contains(words) && text.contains("hint:"), "{text}");
            }
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_dpsis"))
            .args(["select", "--k", "1", "--eps", "1", "-"])
            .stdin(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), &bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert!(said(&output).contains(words), "{}", said(&output));
    }
}

/// Codes and labels are compared by value; booleans are 1 and 0.
#[test]
fn codes_and_labels_are_compared_by_value() {
    let folder = tempfile::tempdir().unwrap();
    let table = |missing: &str, yes: &str, no: &str| {
        let row = |i: usize| {
            let value = if i.is_multiple_of(5) { missing.to_owned() } else { format!("{}", i % 3) };
            format!("{value},{},{}\n", i % 11, if i.is_multiple_of(2) { yes } else { no })
        };
        format!("a,b,out\n{}", (0..200).map(row).collect::<String>())
    };
    let record = |table: String, classes: &str| {
        write(&folder, "t.csv", table);
        let options = ["--k", "1", "--eps", "8", "--seed", "6", "--na=-999", "--format", "tsv"];
        let start = [&["select"], &options[..], &["--classes", classes, "t.csv"]].concat();
        stdout(&dpsis(folder.path(), &start))
    };
    let expected = record(table("", "1", "0"), "0,1");
    for (missing, yes, no, classes) in [
        ("-999.0", "1.0", "0.0", "0,1"),
        ("-9.99e2", "True", "False", "0,1"),
        (" -999 ", "TRUE", "FALSE", "false,true"),
        ("-999.00", "1", "0", "False,True"),
    ] {
        assert_eq!(record(table(missing, yes, no), classes), expected, "{missing} {yes}");
    }
}
