//! Common problems of real tables: each is refused or reported with a remedy.

use crate::harness::{
    Folder, Outcome, assert_contains, assert_contains_all, assert_lacks, gzip, suggested,
    warning_ids,
};

/// Selects one feature with a seed.
fn select(folder: &Folder, options: &str) -> Outcome {
    folder.run(&format!("select --k 1 --eps 8 --seed 6 {options}"))
}

/// Both outputs of `inspect`, in one line.
fn inspect(folder: &Folder, options: &str) -> String {
    folder.run(&format!("inspect {options}")).text()
}

/// Genes as rows: 30 samples, of which the even ones are cases with a high gene 3.
fn genes(folder: &Folder, corner: &str, id: impl Fn(usize) -> String) {
    let ids: Vec<String> = (0..30).map(id).collect();
    folder.table("expr.tsv", &format!("{corner}\t{}", ids.join("\t")), 5, |gene| {
        let gene = gene + 1;
        let value =
            |s: usize| (s * gene * 7 % 31) + if gene == 3 && s.is_multiple_of(2) { 90 } else { 0 };
        let values: Vec<String> = (0..30).map(|s| value(s).to_string()).collect();
        format!("g{gene}\t{}", values.join("\t"))
    });
    folder.table("y.csv", "id,status", 30, |s| format!("{},{}", ids[s], ["case", "well"][s % 2]));
}

const TURNED: &str = "--orient features-as-rows --target-file y.csv";

#[test]
fn ids_of_samples_are_not_printed_as_features() {
    let folder = Folder::new();
    for (corner, id) in [("gene", "p"), ("", "GSM9000"), ("name", "sample_"), ("ID_REF", "x")] {
        genes(&folder, corner, |s| format!("{id}{}", 100 + s));
        for dry in ["", "--dry-run"] {
            let message = select(&folder, &format!("{dry} expr.tsv")).fails(2);
            assert_contains_all(&message, &["give the orientation of the table", "--orient"]);
            assert_lacks(&message, &format!("{id}101"));
            select(&folder, &format!("{dry} --orient samples-as-rows expr.tsv")).succeeds();
            let classes = "--classes case,well expr.tsv";
            let turned = folder.run(&format!("select --k 1 --eps 50 {dry} {TURNED} {classes}"));
            let turned = turned.succeeds();
            if dry.is_empty() {
                assert_eq!(turned.stdout, "g3\n");
            } else {
                assert_contains(&turned.text(), "only the names of features were read");
            }
        }
    }
}

/// The same where columns are features, though their names are numbered.
#[test]
fn numbered_features_are_not_taken_for_samples() {
    let folder = Folder::new();
    for stem in ["gene_", "X", "V", "feature-", "sample_mean_", "id"] {
        let names: Vec<String> = (1..5).map(|i| format!("{stem}{i}")).collect();
        folder.table("t.csv", &format!("{},y", names.join(",")), 30, |i| {
            format!("{i},{},{},{},{i}.5", i % 7, i % 5, i % 3)
        });
        select(&folder, "t.csv").succeeds();
    }
}

/// In either orientation `inspect` reads the target file, takes given classes, and its command
/// runs.
#[test]
fn inspection_leads_to_a_release_either_way() {
    let folder = Folder::new();
    genes(&folder, "gene", |s| format!("GSM{}", 1000 + s));
    for (classes, parts) in [
        (
            "",
            &[
                "labels case (15), well (15)",
                "30 of the 30 ids",
                "--classes well,case",
                "With 30 samples",
            ][..],
        ),
        ("--classes well,case", &["labels well (15), case (15)", "--classes well,case"]),
        // With a label that does not occur, a run would end.
        (
            "--classes well,Case",
            &[
                "the label \"Case\" does not occur; \"case\" does",
                "are not used: case",
                "No command yet",
            ],
        ),
    ] {
        let inspected = folder.run(&format!("inspect {TURNED} {classes} expr.tsv"));
        assert_contains_all(&inspected.text(), parts);
        if inspected.stdout.contains("No command yet") {
            continue;
        }
        let run = folder.run(&suggested(&inspected));
        // With thirty samples the noisy count may be close to zero.
        let ended = run.code == Some(3)
            && run.message().contains("by private counts the classes have almost no samples");
        assert!(run.code == Some(0) || ended, "{}", run.text());
    }
    let own = inspect(&folder, "--orient features-as-rows --target g3 expr.tsv");
    assert_contains(&own, "row 3 (\"g3\"): numbers");
}

/// 300 rows of two features; every third row is of the class `fraud`.
fn frauds(folder: &Folder, target: &str) {
    folder.table("t.csv", &format!("a,b,{target}"), 300, |i| {
        let class = if i.is_multiple_of(3) { "fraud" } else { "ok" };
        format!("{},{},{class}", i * 7 % 11 + i % 3 * 20, i * 5 % 13)
    });
}

#[test]
fn misspelled_classes_are_reported() {
    let folder = Folder::new();
    frauds(&folder, "status");
    assert_contains_all(
        &select(&folder, "--classes ok,Fraud t.csv").succeeds().text(),
        &[
            "of class \"Fraud\" were counted, no more than noise",
            "rows have no usable target: are all classes given",
        ],
    );
    let right = select(&folder, "--classes ok,fraud t.csv").text();
    assert_lacks(&right, "no more than noise");
    assert_lacks(&right, "no usable target");
    for (classes, is_warned) in [("ok,fraud", false), ("ok,Fraud", true), ("ok,maybe,fraud", true)]
    {
        let record = select(&folder, &format!("--classes {classes} --format json t.csv")).json();
        assert_eq!(warning_ids(&record).contains(&"rare-class"), is_warned, "{classes}");
    }
    // Kendall's correlation counts no rows.
    let kendall = select(&folder, "--score kendall --classes ok,Fraud t.csv").text();
    assert_contains(&kendall, "classes are not counted");
}

/// A column may have the name of one of its labels, if the target is given by its name.
#[test]
fn a_target_named_as_its_label() {
    let folder = Folder::new();
    frauds(&folder, "fraud");
    let message = select(&folder, "--classes ok,fraud t.csv").fails(3);
    assert_contains_all(&message, &["give the target by its name", "--target"]);
    select(&folder, "--target fraud --classes ok,fraud t.csv").succeeds();
    assert_contains(&inspect(&folder, "t.csv"), "--target fraud --classes ok,fraud");
}

#[test]
fn numbers_of_other_notations_are_reported() {
    let folder = Folder::new();
    let write = |number: &dyn Fn(usize) -> String| {
        folder.table("t.csv", "a;b;amount", 400, |i| format!("{};{};{}", i % 7, i % 5, number(i)));
    };
    // Every second amount has a thousands separator.
    write(&|i| match i.is_multiple_of(2) {
        true => format!("{}.5", i + 1),
        false => format!("1,{:03}.50", i + 100),
    });
    // Semicolons separate cells in files with decimal commas, so the sign is required.
    assert_contains(&select(&folder, "t.csv").fails(2), "(--decimal-comma, --decimal-point)");
    assert_contains(
        &select(&folder, "--decimal-point t.csv").succeeds().text(),
        "rows have no usable target: cells that are not numbers",
    );
    assert_contains(
        &inspect(&folder, "t.csv"),
        "200 cells look like numbers with a sign, a unit or commas",
    );
    // Only decimal commas: no row has a number.
    write(&|i| format!("{i},5"));
    // Released counts decide whether the run ends or warns.
    let output = select(&folder, "--decimal-point t.csv");
    assert!([Some(0), Some(3)].contains(&output.code), "{}", output.text());
    assert_contains_all(&output.text(), &["--decimal-comma", "three and a half"]);
    select(&folder, "--decimal-comma t.csv").succeeds();
}

#[test]
fn first_lines_that_are_not_a_header() {
    let folder = Folder::new();
    let rows: String = (0..30).map(|i| format!("{},{},{i}\n", i % 7, i % 5)).collect();
    let utf16 = |text: &str| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    for (bytes, remedy) in [
        (format!("# made in May\na,b,y\n{rows}").into(), "remove the lines that start with #"),
        (
            format!("# made in May, by me\na,b,y\n{rows}").into(),
            "remove the lines that start with #",
        ),
        (format!("sep=,\na,b,y\n{rows}").into(), "remove the line sep="),
        (format!("sep=;\na;b;y\n{}", rows.replace(',', ";")).into(), "remove the line sep="),
        (utf16(&format!("a,b,y\n{rows}")), "save the file as UTF-8"),
        (format!("a,b,y,\n{}", rows.replace('\n', ",\n")).into(), "at the end of each line"),
    ] {
        folder.write("t.csv", bytes);
        assert_contains(&select(&folder, "t.csv").fails(3), remedy);
    }
    // A line of prose contains no delimiter, or fewer than the header.
    let narrow = "is there a line before the header?";
    for first in ["Exported from REDCap 2023-11-02", "Exported, May", "made by \"us\""] {
        folder.write("t.csv", format!("{first}\na,b,y\n{rows}"));
        assert_contains(&select(&folder, "t.csv").fails(3), narrow);
        let text = inspect(&folder, "t.csv");
        assert_contains(&text, narrow);
        assert_lacks(&text, "dpsis select");
        if !first.contains(',') {
            let counts = "the header has 1 cell, the next line 3: is there";
            assert_contains_all(&text, &[counts, " and 1 column, separated"]);
        }
    }
}

#[test]
fn bounds_of_a_table_without_a_target() {
    let folder = Folder::new();
    folder.table("r.csv", "a,b,c", 30, |i| format!("{},{},{i}", i % 7, i % 5));
    folder.table("t.csv", "a,b,c,y", 30, |i| format!("{},{},{i},1.5", i % 7, i % 5));
    let bounds =
        |options: &str| folder.run(&format!("bounds --clip range -o b.csv {options} r.csv"));
    let parts = ["last column is taken as the target", "--no-target"];
    assert_contains_all(&bounds("").text(), &parts);
    let message = select(&folder, "--bounds-file b.csv t.csv").fails(2);
    assert_contains(&message, "there are no bounds for \"c\"");
    bounds("--no-target").succeeds();
    select(&folder, "--bounds-file b.csv t.csv").succeeds();
}

#[test]
fn oddities_of_columns_are_pointed_out() {
    let folder = Folder::new();
    let header = "site,patient_id,row,age,glucose,visits,note,memo,none,y";
    folder.table("t.csv", header, 300, |i| {
        let i = i + 1;
        let glucose = if i.is_multiple_of(9) { -999 } else { 60 + (i * 37 % 340) as i64 };
        let visits = if i.is_multiple_of(8) { 99 } else { i % 6 };
        let (site, id, age) = (["north", "south"][i % 2], 100_000 + 7 * i, 20 + i * 7 % 60);
        format!("{site},{id},{i},{age},{glucose},{visits},n{i},m{i},NA,{i}.5")
    });
    let output = folder.run("inspect t.csv");
    let text = output.text();
    assert_contains_all(
        &text,
        &[
            "-999 may stand for missing values in column 5 (\"glucose\")",
            "99 may stand for missing values in column 6 (\"visits\")",
            "column 3 (\"row\"): consecutive whole numbers",
            "column 2 (\"patient_id\") holds identifiers",
            "2 columns (\"note\", \"memo\"): texts that mostly occur once",
            "column 9 (\"none\"): no value",
            "--exclude note,memo",
        ],
    );
    assert_lacks(&text, "values in column 4 (\"age\")");
    assert_lacks(&text, "memo,none");
    let long = |line: &&str| line.chars().count() > 80 && !line.contains("dpsis select");
    assert_eq!(output.stdout.lines().find(long), None);
}

/// With features as rows a wrong delimiter would turn whole lines into names, which are printed.
#[test]
fn lines_of_another_delimiter_are_not_printed() {
    let folder = Folder::new();
    let ids: Vec<String> = (0..30).map(|s| format!("p{s}")).collect();
    // One comma in every line.
    folder.table("expr.csv", &format!("gene;{};note,x", ids.join(";")), 5, |gene| {
        let values: Vec<String> = (0..30).map(|s| (s * (gene + 1) % 31).to_string()).collect();
        format!("g{};{};a,b", gene + 1, values.join(";"))
    });
    folder.table("y.csv", "id,y", 30, |s| format!("p{s},{}", s % 2));
    let turned = format!("{TURNED} --classes 0,1 expr.csv");
    for dry in ["", "--dry-run"] {
        let message = select(&folder, &format!("{turned} {dry}")).fails(3);
        assert_contains_all(&message, &["holds several cells", "--delimiter"]);
        assert_lacks(&message, ";7");
    }
    let inspected = inspect(&folder, &turned);
    let remedies = ["--delimiter ';'", "--delimiter \";\""];
    assert!(remedies.iter().any(|remedy| inspected.contains(remedy)), "{inspected}");
    select(&folder, &format!("{turned} --delimiter ; --decimal-point")).succeeds();
}

/// Whether a column is categorical is private, so every output contains the note on directions of
/// such columns.
#[test]
fn categorical_columns_have_no_direction() {
    let folder = Folder::new();
    let table = |name: &str, words: [&str; 2]| {
        folder.table(name, "smoker,dose,y", 90, |i| {
            format!("{},{},{}", words[i % 2], i * i % 97, ["a", "b"][i / 3 % 2])
        });
    };
    table("words.csv", ["no", "yes"]);
    table("plain.csv", ["0", "1"]);
    let caveat = "a categorical column has no direction";
    for table in ["words.csv", "plain.csv"] {
        for scale in ["", "--scale row-rank"] {
            for format in ["text", "tsv", "json", "html"] {
                let options = format!("--format {format} --classes a,b {scale} {table}");
                let directed = select(&folder, &format!("{options} --direction")).succeeds();
                assert_contains(&directed.text(), caveat);
                assert_lacks(&select(&folder, &options).text(), caveat);
            }
        }
    }
}

/// Where features are rows, one person's data are a column: it is called a sample, never a row.
#[test]
fn columns_are_called_samples() {
    let folder = Folder::new();
    genes(&folder, "gene", |s| format!("q{s}"));
    let text = inspect(&folder, &format!("{TURNED} expr.tsv"));
    assert_contains_all(
        &text,
        &[
            "5 rows of 30 samples each",
            "With 30 samples, 50% of them in the smallest class, these are the smallest effect sizes",
        ],
    );
    let run = |options: &str| {
        let start = format!("select --k 1 --eps 1 {TURNED} --classes well,case");
        folder.run(&format!("{start} {options} expr.tsv")).text()
    };
    let plan = run("--dry-run");
    let parts = [" samples in half of all runs, features are found", "center samples are counted"];
    assert_contains_all(&plan, &parts);
    assert_lacks(&plan, "rows ");
    for options in ["", "--format html", "--neighbors replace-one"] {
        let text = run(options);
        assert_contains(&text, " samples");
        assert_lacks(&text, "rows with a target");
        assert_lacks(&text, " rows (");
    }
}

/// For texts among numbers inspection lists them, the options for missing values, and how to write
/// dates and limits.
#[test]
fn texts_among_numbers_are_listed() {
    let folder = Folder::new();
    folder.table("t.csv", "marker,crp,visit,y", 120, |i| {
        let marker = if i.is_multiple_of(3) { "-".to_owned() } else { format!("{i}.5") };
        let crp = match i % 10 {
            0 => "-".to_owned(),
            1 => "hemolytic".to_owned(),
            2 => "<5".to_owned(),
            _ => format!("{i}"),
        };
        format!("{marker},{crp},{:02}.{:02}.2021,{}", i % 28 + 1, i % 12 + 1, i * i % 89)
    });
    let text = inspect(&folder, "t.csv");
    assert_contains_all(
        &text,
        &[
            // 40 of marker; 36 of crp: 12 "-", 12 "hemolytic", 12 "<5".
            "2 columns (\"marker\", \"crp\"): 76 cells among numbers are words; most often \"-\" (52), \"hemolytic\" (12)",
            "\"-\" may stand for missing values in 2 columns (\"marker\", \"crp\"): give it (--na=-)",
            "column 2 (\"crp\"): 12 cells look like numbers with a sign",
            "for <5, any number below 5 will do",
            "column 3 (\"visit\"): 120 cells look like dates that are read as categories: write them as year-month-day",
        ],
    );
    assert_lacks(&text, "--exclude visit");
    assert_lacks(&text, "occur once");
    let given = inspect(&folder, "--na=- t.csv");
    assert_lacks(&given, "may stand for missing");
    assert_contains_all(&given, &["24 cells are not numbers", " --na=- t.csv"]);
}

/// A list of names in a file with the extension of a table is refused before anything is spent,
/// unless the format is given. Other extensions mean plain text.
#[test]
fn extensions_of_output_files() {
    let folder = Folder::new().with("scores.csv", "name,score\na,1\nb,2\nc,3\n");
    frauds(&folder, "class");
    for command in [
        "select --k 1 --eps 8 --classes ok,fraud t.csv",
        "choose --k 1 --eps 8 --sensitivity 1 scores.csv",
    ] {
        for name in ["out.csv", "OUT.CSV", "out.json.gz", "out.xlsx"] {
            let line = format!("{command} -o {name}");
            folder.refuses(&[(line, 2, ".json, .tsv and .html are forms")]);
            assert!(!folder.has(name));
        }
        for name in ["out", "out.txt", "eps8.0", "out.tsv", "out.json", "picks.list"] {
            folder.run(&format!("{command} -o {name}")).succeeds();
        }
        folder.run(&format!("{command} --format tsv -o given.csv")).succeeds();
    }
}

/// A dry run reads no values, as the report notes, and recommends classes for labels.
#[test]
fn dry_runs_report_unchecked_labels_and_values() {
    let folder = Folder::new();
    frauds(&folder, "class");
    let better = "give labels such as 0/1 as classes (--classes)";
    for (options, expected, is_split) in [
        (
            "--classes ok,Fraud",
            "\"class\", column 3: classes ok, Fraud; labels are not checked",
            false,
        ),
        (
            "",
            "\"class\", column 3: a number, split at a private median; values are not checked",
            true,
        ),
        ("--target-bounds 0,1", "a number, clipped to [0, 1]; values are not checked", false),
        ("--score kendall", "column 3: a number; values are not checked", false),
    ] {
        let text = select(&folder, &format!("{options} --dry-run t.csv")).succeeds().text();
        assert_contains(&text, expected);
        assert_eq!(text.contains(better), is_split, "{text}");
    }
}

/// A table of 40 rows, the target last, with this separator, start of the file and end of rows.
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
    let trailing = forty(",", "", ",");
    // Comments as wide as the table.
    let comments = "#Long dose,Long age,Long out\n#mg,years,class\n";
    let folder = Folder::new()
        .with("t.csv", forty(",", "", ""))
        .with("mended.csv", trailing.replace(",\n", "\n"))
        .with("trailing.csv", trailing)
        .with("comments.csv", forty(",", comments, ""))
        // A header may start with #, if a column is given by its name.
        .with("hash.csv", forty(",", "#", ""))
        // A line break in a cell, also of an excluded column.
        .with("break.csv", "note,a,y\n\"one\ntwo\",1,2\nok,2,3\n");
    let expected = select(&folder, "t.csv").succeeds().stdout;
    for options in ["mended.csv", "--target out hash.csv"] {
        assert_eq!(select(&folder, options).succeeds().stdout, expected, "{options}");
    }
    for (options, remedy) in [
        ("trailing.csv", "remove what separates cells from the end of the rows"),
        ("--exclude note break.csv", "to_parquet"),
    ] {
        assert_contains(&select(&folder, options).fails(3), remedy);
    }
    for command in ["inspect", "select --k 1 --eps 8"] {
        let message = folder.run(&format!("{command} comments.csv")).fails(3);
        assert_contains_all(&message, &["lines of comments", "remove the lines"]);
        assert_lacks(&message, "years");
    }
    assert_contains(
        &select(&folder, "hash.csv").fails(3),
        "or give the target by its name (--id, --exclude, --target)",
    );
    // Row names of R, with the file's own delimiter.
    for (separator, name) in [("\t", "a tab"), (";", "a semicolon"), (",", "a comma")] {
        let plain = forty(separator, "", "");
        let (header, rows) = plain.split_once('\n').unwrap();
        let rows = rows.lines().zip(1..).map(|(row, i)| format!("{i}{separator}{row}\n"));
        let rows: String = rows.collect();
        folder.write("r.txt", format!("{header}\n{rows}"));
        let message = select(&folder, "--decimal-point r.txt").fails(3);
        assert_contains(&message, &format!("put {name} before its first name"));
        folder.write("r.txt", format!("{separator}{header}\n{rows}"));
        assert_eq!(select(&folder, "--decimal-point r.txt").succeeds().stdout, expected);
    }
}

/// By their first bytes, as a file, compressed and as a pipe.
#[test]
fn files_of_other_programs_are_recognized() {
    let folder = Folder::new();
    let xlsx = [&b"PK\x03\x04"[..], &[0; 22], &[19, 0, 0, 0], b"[Content_Types].xml"].concat();
    for (bytes, program) in [
        (xlsx, "Excel"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0".to_vec(), "Excel"),
        (b"$FL2@(#) SPSS DATA FILE".to_vec(), "SPSS"),
        (b"<stata_dta><header>".to_vec(), "Stata"),
        (b"\n<!DOCTYPE html><html><table>".to_vec(), "web page"),
    ] {
        folder.write("t.csv", &bytes);
        folder.write("t.csv.gz", gzip(&bytes));
        for command in ["inspect", "select --k 1 --eps 1"] {
            for file in ["t.csv", "t.csv.gz"] {
                let message = folder.run(&format!("{command} {file}")).fails(3);
                assert_contains_all(&message, &[program, "hint:"]);
            }
        }
        assert_contains(&folder.pipe("select --k 1 --eps 1 -", &bytes).fails(3), program);
    }
}

/// Codes and labels are compared by value; booleans are 1 and 0.
#[test]
fn codes_and_labels_are_compared_by_value() {
    let folder = Folder::new();
    let selected = |missing: &str, yes: &str, no: &str, classes: &str| {
        folder.table("t.csv", "a,b,out", 200, |i| {
            let value = if i.is_multiple_of(5) { missing.to_owned() } else { format!("{}", i % 3) };
            format!("{value},{},{}", i % 11, [yes, no][i % 2])
        });
        let options = format!("--na=-999 --format tsv --classes {classes} t.csv");
        select(&folder, &options).succeeds().stdout
    };
    let expected = selected("", "1", "0", "0,1");
    for (missing, yes, no, classes) in [
        ("-999.0", "1.0", "0.0", "0,1"),
        ("-9.99e2", "True", "False", "0,1"),
        (" -999 ", "TRUE", "FALSE", "false,true"),
        ("-999.00", "1", "0", "False,True"),
    ] {
        assert_eq!(selected(missing, yes, no, classes), expected, "{missing} {yes}");
    }
}
