//! Options, reports, records and output files of `dpsis select`, and properties of all commands.

use std::fs;

use crate::harness::{
    DATASETS, DEMO, Folder, Outcome, assert_contains, assert_contains_all, assert_lacks, dpsis,
    gzip, one_line, warning_ids,
};

/// Selects one feature of the table `t.csv`.
fn select_one(folder: &Folder, options: &str) -> Outcome {
    folder.run(&format!("select --k 1 --eps 1 {options} t.csv"))
}

#[test]
fn names_go_to_stdout_and_the_report_to_stderr() {
    let output = dpsis("select --k 5 --eps 2 demo.csv").succeeds();
    let names: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(names.len(), 5);
    assert!(names.iter().all(|name| name.starts_with("gene_")));
    let report = &output.stderr;
    assert_contains(report.lines().next().unwrap(), "one row of the table");
    assert_contains_all(
        &output.message(),
        &[
            "(Kolmogorov-Smirnov): suits",
            "epsilon 2 = 0.2 target median + 0.15 target center + 1.25 selection",
        ],
    );
    // All, some or no features may be named; the report ends with the result in each case.
    let result = &report[report.rfind("\nresult     ").unwrap()..];
    assert_contains(result, "significant");
    assert_lacks(result, "\nwarning");
    for name in names {
        assert_contains(report, &format!("\n           {name}  0."));
    }
    assert_lacks(report, "not for release");
}

#[test]
fn json_is_the_whole_record() {
    let output = dpsis("select -k 3 -e 1/3 --format json demo.csv");
    assert_lacks(&output.stderr, "spent");
    let record = output.json();
    assert_eq!(record["command"], "select");
    assert_eq!(record["private"], true);
    assert_eq!(record["order"], "file");
    assert_eq!(record["selected"].as_array().unwrap().len(), 3);
    assert_eq!(record["guarantee"]["epsilon"], "1/3");
    assert_eq!(record["guarantee"]["delta"], "0");
    assert_eq!(record["guarantee"]["neighbors"], "add/remove");
    let spent = record["guarantee"]["spent"].as_array().unwrap().iter();
    let spent: Vec<_> =
        spent.map(|part| ["for", "epsilon"].map(|key| part[key].as_str().unwrap())).collect();
    let parts = [("target-median", "1/30"), ("target-center", "0.025"), ("selection", "5/24")];
    let parts = parts.into_iter().chain([("estimates", "1/15")]);
    assert_eq!(spent, parts.map(|(part, share)| [part, share]).collect::<Vec<_>>());
    // About 500 rows are too few for three at once at a third.
    assert_eq!(record["mechanism"]["id"], "peel-pnf");
    assert_eq!(record["mechanism"]["chosen"]["by"], "counts");
    let ratio = record["mechanism"]["chosen"]["ratio"].as_str().unwrap();
    // About 6, with noise; from 20 on all would be chosen at once.
    assert!((0.0..20.0).contains(&ratio.parse::<f64>().unwrap()), "{ratio}");
    assert_eq!(record["score"]["grid"], 32767);
    assert_eq!((&record["score"]["id"], &record["score"]["scale"]), (&"ks".into(), &"none".into()));
    assert_eq!(record["public"]["features"], 300);
    assert!(record["released"]["target_median"].is_number());
    assert_eq!(record["randomness"]["seeded"], false);
    // The index is the column of the file.
    let picked = &record["selected"][0];
    let number: u64 = picked["name"].as_str().unwrap()[5..].parse().unwrap();
    assert_eq!(picked["column"], number);
}

/// Counts per million come before any score. Bounds that are given as an option are bounds of
/// counts per million; bounds of a schema file are not.
#[test]
fn counts_per_million_come_first() {
    let folder = Folder::new().with("s.json", "{\"bounds\": [0, 80]}");
    folder.table("t.csv", "a,b,y", 39, |i| {
        let i = i + 1;
        format!("{},{},{}", i, 2 * i + i % 2, i % 3)
    });
    for (options, expected) in [
        ("", r#""ks" "none" null"#),
        ("--bounds 0,5e5", r#""correlation" "bounds" [0.0,500000.0]"#),
        ("--score correlation", r#""correlation" "row-rank" null"#),
        ("--score kendall", r#""kendall" "none" null"#),
    ] {
        let options = format!("--format json --scale cpm --schema s.json {options}");
        let record = select_one(&folder, &options).json();
        assert_eq!(record["score"]["per_million"], true);
        assert_eq!(record["score"]["by_default"], false);
        let found = ["id", "scale", "bounds"].map(|key| record["score"][key].to_string());
        assert_eq!(found.join(" "), expected, "{options}");
    }
    assert_contains(&select_one(&folder, "--scale cpm").stderr, "counts per million");
}

/// The request alone is wrong: exit code 2 although the file does not even exist.
#[test]
fn wrong_requests_are_refused_before_reading() {
    Folder::new().refuses_options(
        "select no-such-file.csv",
        &[
            ("", "--eps"),
            ("--k 5", "--eps"),
            ("--k 0 --eps 2", "at least 1"),
            ("--k -1 --eps 2", "unexpected argument"),
            ("--k 5 --eps 0", "between 1e-6 and 1e6"),
            ("--k 5 --eps -1", "between 1e-6 and 1e6"),
            ("--k 5 --eps nan", "must be a number"),
            ("--k 5 --eps inf", "must be a number"),
            ("--k 5 --eps 1e7", "between 1e-6 and 1e6"),
        ],
    );
    Folder::new().refuses_options(
        "select no-such-file.csv --k 5 --eps 2",
        &[
            ("--gamma 1.5", "between 0 and 1"),
            ("--gamma -0.1", "between 0 and 1"),
            ("--bounds 1,0", "the lower one first"),
            ("--bounds 1", "LO,HI"),
            ("--bounds nan,1", "LO,HI"),
            ("--bounds=0,1 --scale row-rank", "exclude"),
            ("--scale bounds", "give them (--bounds, --bounds-file"),
            ("--target-bounds 5,5", "the lower one first"),
            ("--classes a", "at least two classes"),
            ("--classes a,b,a", "twice"),
            ("--classes a,b --target-bounds 0,1", "cannot be used"),
            ("--target y --target-index 3", "cannot be used"),
            ("--center middle", "private, none"),
            ("--center 0.5", "--target-bounds, --classes"),
            ("--threads 0", "between 1 and 256"),
            ("--threads 18446744073709551615", "between 1 and 256"),
            ("--format xml", "possible values"),
        ],
    );
}

#[test]
fn requests_are_compared_with_the_header() {
    let folder = Folder::new().with("t.csv", "age,weight,outcome\n1,2,3\n4,5,6\n");
    folder.refuses_options(
        "select --eps 1 t.csv",
        &[
            ("--k 3", "number of features, 2"),
            ("--k 1 --target outcom", "did you mean \"outcome\"?"),
            ("--k 1 --target-index 4", "the table has 3 columns"),
            ("--k 1 --id nobody", "no column \"nobody\""),
            ("--k 1 --id outcome", "both the target and the id"),
        ],
    );
}

/// A missing file of any option: the message suggests a name in the same folder.
#[test]
fn near_names_of_missing_files_are_suggested() {
    let folder = Folder::new().with("data.csv", "age,weight,outcome\n1,2,3\n4,5,6\n");
    for line in [
        "select --k 1 --eps 1 dat.csv",
        "select --k 1 --eps 1 --schema dat.csv data.csv",
        "select --k 1 --eps 1 --groups dat.csv data.csv",
        "select --k 1 --eps 1 --ledger dat.csv data.csv",
        "select --k 1 --eps 1 --bounds-file dat.csv data.csv",
        "select --k 1 --eps 1 --target-file dat.csv --id age data.csv",
        "select --k 1 --eps 1 --partials dat.csv",
        "inspect dat.csv",
        "predict dat.csv data.csv",
        "account dat.csv",
    ] {
        folder.refuses(&[(line, 5, "did you mean \"data.csv\"?")]);
    }
    assert_lacks(&folder.run("select --k 1 --eps 1 zzz").fails(5), "did you mean");
}

/// Options of other tools lead to those here, where the command has them.
#[test]
fn options_of_other_tools_are_translated() {
    for (line, option) in [
        ("select --html x.html", "--format html -o FILE"),
        ("select --random-state=3", "--seed N"),
        ("fit --labels a,b", "--classes A,B"),
    ] {
        let message = dpsis(line).fails(2);
        assert_contains(&message, &format!("here it is '{option}'"));
        assert_lacks(&message, "similar argument");
    }
    for line in ["fit --html x.html", "ledger --html x.html"] {
        assert_lacks(&dpsis(line).fails(2), "here it is");
    }
}

/// `-e` is an option, so `-eps` would give it the value `ps`.
#[test]
fn long_options_with_one_dash_are_recognized() {
    let folder = Folder::new().with("t.csv", "a,y\n1,2\n");
    for (line, option) in [
        ("select --k 1 -eps 1 t.csv", "eps"),
        ("select --k 1 -epsilon=1 t.csv", "epsilon"),
        ("select --k 1 --eps 1 -output names.txt t.csv", "output"),
        ("fit -target y --k 1 --eps 1 t.csv", "target"),
        ("ledger create -cap 1 budget.txt", "cap"),
    ] {
        let message = folder.run(line).fails(2);
        assert_contains(&message, &format!("unexpected argument '-{option}'"));
        assert_contains(&message, &format!("'--{option}'"));
    }
    for (line, message) in [
        ("select --k 1 -e1 -o ps --bounds -1,1 t.csv", "rows"),
        ("select --k 1 --eps 1 -- -eps", "cannot read -eps"),
    ] {
        assert_lacks(&folder.run(line).stderr, "unexpected argument");
        assert_contains(&folder.run(line).stderr, message);
    }
}

#[test]
fn names_are_printed_without_quoting() {
    let folder = Folder::new().with("t.csv", "\"say \"\"x\"\", y\",y\n1,2\n");
    assert_eq!(select_one(&folder, "").stdout, "say \"x\", y\n");
}

/// A file without a header would give its first row away as names.
#[test]
fn a_missing_header_is_noticed() {
    let folder = Folder::new()
        .with("numbers.csv", "51.25,130.5,1.5\n48.5,121,0\n39,110,1\n")
        .with("labels.csv", "51.25,130.5, case\n48.5,121,control\n")
        .with("commas.txt", "51,25;130,5;1,5\n48,5;121;0\n")
        .with("schema.json", "{\"target\": \"1.5\"}")
        .with("values.csv", "p1,51.25,3.5\np2,48.5,121\n")
        .with("targets.csv", "who,status\np1,1\np2,2\n")
        .with("headless.csv", "p1,77\np2,2\n")
        .with("named.csv", "who,a,b\np1,51.25,3.5\np2,48.5,121\n")
        .with("spectra.csv", "400,402,protein\n1,2,3\n")
        .with("few.csv", "a,b,1,y\n1,2,3,4\n");
    for options in [
        "numbers.csv",
        "numbers.csv --target-bounds 0,2",
        "numbers.csv --target-index 1",
        "labels.csv --classes case,control",
        // Also with decimal commas, with a schema, and with a target file.
        "commas.txt --decimal-comma",
        "numbers.csv --schema schema.json",
        "values.csv --target-file targets.csv",
        "named.csv --target-file headless.csv",
    ] {
        let message = folder.run(&format!("select --k 1 --eps 1 {options}")).fails(3);
        assert_contains(&message, "is the header missing?");
        for value in ["51.25", "51,25", "130", "77", "1.5"] {
            assert_lacks(&message, value);
        }
    }
    // Columns that really are named by numbers, as spectra are.
    folder.run("select --k 1 --eps 1 spectra.csv").fails(3);
    folder.run("select --k 1 --eps 1 spectra.csv --numeric-names").succeeds();
    folder.run("select --k 1 --eps 1 few.csv").succeeds();
}

/// The header of a target file is not printed, because it could be somebody's value.
#[test]
fn the_header_of_a_target_file_is_not_printed() {
    let folder = Folder::new();
    folder.table("t.csv", "who,a,b", 799, |i| format!("p{0},1,{0}", i + 1));
    folder.table("y.csv", "p0,SECRET", 799, |i| format!("p{},{}", i + 1, ["yes", "no"][i % 2]));
    for format in ["text", "json"] {
        let options = format!("--target-file y.csv --classes no,yes --format {format}");
        assert_lacks(&select_one(&folder, &options).succeeds().text(), "SECRET");
    }
}

#[test]
fn tables_that_cannot_be_opened_are_refused() {
    let folder = Folder::new();
    for (table, code, part) in [
        ("missing.csv", 5, ""),
        (".", 5, ""),
        ("s3://bucket/table.csv", 2, "URLs are not read"),
        ("https://host/table.parquet", 2, "URLs are not read"),
    ] {
        folder.refuses(&[(format!("select --k 1 --eps 1 {table}"), code, part)]);
    }
}

/// Standard input can be read once: the same selection as from the file, median and all.
#[test]
fn standard_input_is_a_table() {
    let table = fs::read(DEMO).unwrap();
    let folder = Folder::at(DATASETS);
    for options in ["", "--target-bounds=-9,9", "--score kendall"] {
        let run = |file: &str| {
            let line = format!("select --k 5 --eps 1 --seed 4 --format json {options} {file}");
            folder.pipe(&line, &table).succeeds().stdout
        };
        let read = run("demo.csv");
        assert_eq!(run("-"), read);
        #[cfg(unix)]
        assert_eq!(run("/dev/stdin"), read);
    }
}

#[test]
fn a_seed_marks_the_run() {
    let run = |seed: u32, format: &str| {
        dpsis(&format!("select --k 5 --eps 1 --seed {seed} --format {format} demo.csv"))
    };
    let text = run(7, "text");
    assert_contains(&text.stderr, "seeded: not for release");
    let json = run(7, "json");
    assert_contains(&json.stderr, "seeded: not for release");
    let record = json.json();
    assert_eq!(record["private"], false);
    assert_eq!(record["randomness"]["seeded"], true);
    assert_eq!(record["warnings"][0]["id"], "seeded");
    assert_eq!(run(7, "text").stdout, text.stdout);
    assert_ne!(run(8, "text").stderr, text.stderr);
}

/// The same table in another order, with other line ends, quoted, compressed in two members, on
/// other numbers of threads: the same record to the byte.
#[test]
fn the_form_of_the_table_does_not_matter() {
    let folder = Folder::new();
    let text = fs::read_to_string(DEMO).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let mut reversed: Vec<&str> = rows.lines().rev().collect();
    reversed.rotate_left(123);
    let permuted = format!("{header}\n{}\n", reversed.join("\n"));
    let quote = |line: &str| format!("\"{}\"\n", line.replace(',', "\",\""));
    let quoted: String = text.lines().map(quote).collect();
    let (front, back) = text.split_at(text.len() / 3);
    let forms = [
        text.clone().into_bytes(),
        permuted.into_bytes(),
        text.replace('\n', "\r\n").into_bytes(),
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        quoted.into_bytes(),
        [gzip(front), gzip(back)].concat(),
    ];
    let run = |table: &str, threads: u32| {
        let options = format!("--seed 3 --format json --threads {threads}");
        let output = folder.run(&format!("select --k 7 --eps 0.5 {options} {table}")).succeeds();
        // The request gives the threads.
        output.stdout.replace(&format!("--threads {threads} "), "")
    };
    let expected = run(DEMO, 1);
    for (i, form) in forms.iter().enumerate() {
        folder.write("form.csv", form);
        for threads in [1, 2, 5] {
            assert!(run("form.csv", threads) == expected, "form {i}, {threads} threads");
        }
    }
}

#[test]
fn the_version_is_printed_and_commands_are_checked() {
    let version = format!("dpsis {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(dpsis("--version").succeeds().stdout, version);
    dpsis("selct").fails(2);
}

/// The same selection from small tables with other delimiters, compressed, with decimal commas,
/// with features as rows, and with targets in another file.
#[test]
fn tables_are_written_in_many_ways() {
    let folder = Folder::new();
    // 8 samples, 4 features; g2 and g4 follow the label.
    let header = ["who", "g1", "g2", "g3", "g4", "status"].map(str::to_owned);
    let row = |i: u32| {
        let (up, noise) = (f64::from(1 - i % 2), f64::from(i * 5 % 7));
        let values = [noise, up * 10.0 + 0.25, 3.5, -10.0 * up - noise / 8.0];
        let [a, b, c, d] = values.map(|value| value.to_string());
        [format!("p{i}"), a, b, c, d, ["yes", "no"][i as usize % 2].to_owned()]
    };
    let rows: Vec<[String; 6]> = std::iter::once(header).chain((0..8).map(row)).collect();
    let by_rows = |columns: usize, delimiter: &str| -> String {
        rows.iter().map(|row| row[..columns].join(delimiter) + "\n").collect()
    };
    let by_columns = |columns: usize| -> String {
        let line = |j: usize| rows.iter().map(|row| &*row[j]).collect::<Vec<_>>().join("\t");
        (0..columns).map(|j| line(j) + "\n").collect()
    };
    let targets = rows.iter().rev().map(|row| format!("{},{}\n", row[0], row[5]));
    let targets: String = targets.take(8).collect();
    folder.write("targets.csv", format!("who,status\n{targets}stranger,yes\n"));
    let tsv = by_rows(6, "\t");
    let turned = "--orient features-as-rows";
    let forms = [
        ("t.csv", by_rows(6, ",").into(), "--id who"),
        ("t.tsv", tsv.clone().into(), "--id who"),
        ("t.zst", zstd::encode_all(tsv.as_bytes(), 3).unwrap(), "--id who"),
        ("t.txt", by_rows(6, ";").replace('.', ",").into(), "--id who --decimal-comma"),
        ("t.txt", by_rows(6, "|").into(), "--id who --delimiter |"),
        ("t.csv", by_rows(5, ",").into(), "--target-file targets.csv"),
        ("t.tsv", by_columns(5).into(), &*format!("{turned} --target-file targets.csv")),
        ("t.tsv", by_columns(6).into(), &*format!("{turned} --target status")),
    ];
    for score in ["--score kendall", "--bounds=-12,12"] {
        for (name, bytes, options) in &forms {
            folder.write(name, bytes as &Vec<u8>);
            let select = "select --k 2 --eps 1000 --seed 1 --classes no,yes";
            let output = folder.run(&format!("{select} {options} {score} {name}")).succeeds();
            assert_eq!(output.stdout, "g2\ng4\n", "{options} {score}");
            let unit = if options.contains("features-as-rows") { "column" } else { "row" };
            assert!(output.stderr.starts_with(&format!("protected  one {unit} of the table")));
        }
    }
}

#[test]
fn files_of_targets_and_bounds_are_checked() {
    let folder = Folder::new()
        .with("t.csv", "id,a,b\np1,1,2\np2,3,4\np2,5,6\n")
        .with("u.csv", "a,b,y\n1,2,3\n4,5,6\n");
    let with_targets = |text: &str| {
        folder.write("y.csv", text);
        select_one(&folder, "--target-file y.csv")
    };
    // Whether ids match is private.
    for text in [
        "id,y\np1,1\np9,2\n",
        "id,y\np1,1\np2,SECRET\n",
        "id,y\np1,1\np1,2\n",
        "id,y\np2,1\n",
        "id,y\n",
    ] {
        with_targets(text).succeeds();
    }
    for (text, part) in
        [("id,y,z\np1,1,2\n", "must have two columns, ids and values"), ("id,y\nSECRET\n", "row 1")]
    {
        let message = with_targets(text).fails(3);
        assert_contains(&message, part);
        assert_lacks(&message, "SECRET");
    }
    // The rows are read twice, the targets once.
    folder.write("y.csv", "id,y\np1,1\n");
    let piped = folder.pipe("select --k 1 --eps 1 --target-file y.csv -", "id,a,b\np1,1,2\n");
    assert_contains(&piped.fails(2), "read twice");
    for (text, code) in [
        ("feature,lo,hi\n*,0,10\na,1,2\n", 0),
        ("feature,lo,hi\na,1,2\n", 2),
        ("feature,lo,hi\n*,0,10\nz,1,2\n", 2),
    ] {
        folder.write("b.csv", text);
        let output = folder.run("select --k 1 --eps 1 --bounds-file b.csv u.csv");
        assert_eq!(output.code, Some(code), "{text}");
    }
}

/// A table given as a list of names is refused: its rows would be printed in a query or a message.
#[test]
fn a_table_is_refused_as_a_list_of_names() {
    let folder = Folder::new().with("t.csv", "a,b,y\n1,2,3\n4,5,6\n");
    let query = |text: &str| {
        folder.write("list.txt", text);
        let sql = "sql --dialect duckdb --table t --wide --target y --classes a,b --bounds 0,1";
        folder.run(&format!("{sql} --features @list.txt"))
    };
    let excluded = |text: &str| {
        folder.write("list.txt", text);
        select_one(&folder, "--exclude @list.txt")
    };
    for text in ["id,note\np1,SECRET\np2,SECRET\n", "id\tnote\np1\tSECRET\n", "a;SECRET\n"] {
        for output in [query(text), excluded(text)] {
            let message = output.fails(2);
            assert_contains(&message, "list.txt is a table");
            assert_lacks(&message, "SECRET");
        }
    }
    excluded("\na\n\n").succeeds();
    let names = query("plain\nHLA-A, beta\n1,2-dichloro,ethane\n").succeeds();
    assert_contains(&names.stdout, "HLA-A, beta");
    let quoted = query("\"1,2-dichloro\"\n\"a \"\"b\"\", c\"\n").stdout;
    assert_contains_all(&quoted, &["1,2-dichloro", "a \"\"b\"\", c"]);
}

/// A side file from a pipe is read to its end, once; two files cannot both be standard input.
#[cfg(unix)]
#[test]
fn a_target_file_can_be_standard_input() {
    let folder = Folder::new();
    let id = |i: usize| format!("person-{i:06}");
    folder.table("t.csv", "id,a,b", 9000, |i| format!("{},{},{}", id(i), i % 7, i % 2));
    folder.table("y.csv", "id,y", 9000, |i| format!("{},{}", id(i), i % 2));
    let run = |table: &str| {
        let options = "--neighbors replace-one --bounds=0,7 --target-bounds=0,1";
        let line = format!("select --k 1 --eps 9 --target-file - {options} {table}");
        folder.pipe(&line, folder.read("y.csv"))
    };
    let output = run("t.csv").succeeds();
    assert_eq!(output.stdout, "b\n");
    // How many ids join is not public.
    assert_lacks(&output.stderr, "rows (public)");
    run("-").fails(2);
}

/// A schema and the command line cannot both give the target.
#[test]
fn schemas_and_options_do_not_mix_targets() {
    let folder = Folder::new()
        .with("t.csv", "id,a,b,y\np1,1,2,0\np2,3,4,1\n")
        .with("y.csv", "id,v\np1,1\np2,2\n");
    let run = |schema: &str, options: &str| {
        folder.write("s.json", schema);
        select_one(&folder, &format!("--schema s.json {options}"))
    };
    run("{\"target\": \"y\"}", "--target-file y.csv").fails(2);
    for both in [
        "{\"target\": \"y\", \"target_file\": \"y.csv\"}",
        "{\"classes\": [\"0\", \"1\"], \"target_bounds\": [0, 1]}",
        "{\"bounds\": [0, 1], \"bounds_file\": \"b.csv\"}",
    ] {
        run(both, "").fails(2);
    }
    // Paths are relative to the schema's folder; a target option overrides the schema's labels.
    run("{\"target_file\": \"y.csv\"}", "").succeeds();
    let labels = "{\"target\": \"y\", \"classes\": [\"0\", \"1\"]}";
    let output = run(labels, "--id id --target b").succeeds();
    assert_contains(&output.stderr, "\"b\", column 3: a number");
}

/// Columns and rows are excluded by names, by patterns and by files of both.
#[test]
fn features_are_excluded_by_names_patterns_and_files() {
    let header = "id,adm_day,adm_type,a*,ab,\"x, y\",age,y";
    let folder = Folder::new()
        .with("t.csv", format!("{header}\n1,2,3,4,5,6,30,1\n2,3,4,5,6,7,40,2\n"))
        .with("list.txt", "\u{feff}id\r\n\r\nx, y\r\nadm_*\r\n \r\n")
        .with("odd.txt", "id\n# a remark\n")
        .with("s.json", "{\"exclude\": [\"adm_*\", \"id\"]}")
        .with("r.tsv", "gene\tp1\tp2\ng1\t1\t2\nctrl_1\t1\t2\nctrl_2\t1\t2\ny\t1\t2\n");
    // The rest follows from k.
    for (options, features) in [
        ("--exclude adm_*", 5),
        ("--exclude adm_*,id", 4),
        ("--exclude adm_* --exclude ?d", 4),
        // There is a column of this name.
        ("--exclude a*", 6),
        ("--exclude a?*", 2),
        ("--exclude @list.txt", 3),
        ("--exclude @list.txt --exclude age", 2),
        ("--schema s.json", 4),
    ] {
        let output = select_one(&folder, options).succeeds();
        assert_contains(&output.stderr, &format!("1 of {features} features"));
    }
    let output = select_one(&folder, "--exclude a*,ab,id,adm_*,'\"x, y\"'").succeeds();
    assert_eq!(output.stdout, "age\n");
    folder.table("long.csv", header, 90, |i| {
        format!("{i},2,3,{},{},{},{},{}", i % 7, i % 9, i % 5, i % 30, i % 2)
    });
    let inspected = folder.run("inspect --exclude adm_* long.csv").stdout;
    assert_contains_all(&inspected, &["4 of 4 features hold numbers", "--exclude 'adm_*'"]);
    for (exclude, code, part) in [
        ("lab_*", 2, "no name matches the exclusion \"lab_*\""),
        ("adm_da", 2, "did you mean \"adm_day\"?"),
        ("y", 2, "the target cannot be excluded"),
        ("id,adm_*,a*,ab,age,'\"x, y\"'", 3, ""),
        ("@odd.txt", 2, "# a remark"),
        ("@no-such-file", 5, "cannot read no-such-file"),
    ] {
        assert_contains(&select_one(&folder, &format!("--exclude {exclude}")).fails(code), part);
    }
    // The same for names of rows.
    let rows = "select --k 1 --eps 1 --orient features-as-rows --target y r.tsv --exclude";
    assert_eq!(folder.run(&format!("{rows} ctrl_*")).succeeds().stdout, "g1\n");
    folder.run(&format!("{rows} lab_*")).fails(2);
    // An input file is never overwritten.
    select_one(&folder, "--exclude @list.txt -o list.txt").fails(2);
}

#[test]
fn missing_codes_are_missing() {
    let folder = Folder::new().with("t.csv", "a,b,y\n1,2,?\n-999,4,-999\n5,6,7\n");
    for (options, expected) in [("--na=?,-999", [1, 2]), ("", [2, 1])] {
        let line = format!("select -k1 --eps 1e6 --format json {options} t.csv");
        let released = &folder.run(&line).json()["released"];
        let found = ["rows_estimate", "unusable_estimate"].map(|key| released[key].as_u64());
        assert_eq!(found, expected.map(Some), "{options}");
    }
}

/// A dry run reads the header alone: the rows may be broken, or not be there.
#[test]
fn a_dry_run_touches_no_row() {
    let header: Vec<String> = (0..300).map(|i| format!("f{i}")).collect();
    let folder = Folder::new().with("t.csv", format!("{},y\n\"broken", header.join(",")));
    let plan = one_line(&select_one(&folder, "--dry-run").succeeds().stdout);
    let parts = ["0.075 target center + 0.625 selection + 0.2 effect sizes", "nothing was drawn"];
    assert_contains_all(&plan, &parts);
    let plan = select_one(&folder, "--dry-run --format json").json();
    assert_eq!((&plan["dry_run"], &plan["features"]), (&true.into(), &300.into()));
    select_one(&folder, "--dry-run --target nobody").fails(2);
    select_one(&folder, "").fails(3);
}

#[test]
fn the_split_can_be_given() {
    let report = |options: &str| dpsis(&format!("select -k5 -e1 {options} demo.csv")).message();
    let expected =
        "epsilon 1 = 0.2 target median + 0.1 target center + 0.5 selection + 0.2 effect sizes";
    assert_contains(&report("--split center=0.1,target=1/5"), expected);
    let none = report("--split estimates=0");
    assert!(
        none.ends_with("significance was not tested: the share of effect sizes is 0"),
        "{none}"
    );
    let directed = report("--direction --split direction=0.2");
    assert_contains(&directed, "0.2 effect sizes + 0.2 directions");
    assert!(directed.contains("rises") || directed.contains("falls"), "{directed}");
    for split in [
        "center=0.5,target=0.5",
        "center=0",
        "middle=0.1",
        "0.1",
        "direction=0.1",
        "center=0.1,center=0.2",
        "estimates=1e-9",
    ] {
        dpsis(&format!("select -k5 -e1 --split {split} missing.csv")).fails(2);
    }
}

#[test]
fn replacing_a_row_makes_the_number_of_rows_public() {
    let report = dpsis("select -k5 -e4 --neighbors replace-one demo.csv").succeeds().message();
    assert_contains_all(&report, &["640 rows (public)", "replacing one row"]);
    for (neighbors, is_public, sensitivity) in
        [("add-remove", false, 3 * (1 << 19) + 1), ("replace-one", true, 2 * (1 << 20) + 1)]
    {
        let options = format!("--score kendall --format json --neighbors {neighbors}");
        let record = dpsis(&format!("select -k5 -e4 {options} demo.csv")).json();
        assert_eq!(record["public"]["rows"].is_null(), !is_public);
        assert_eq!(record["score"]["sensitivity"], sensitivity);
    }
}

#[test]
fn output_files_are_whole_or_absent() {
    let folder = Folder::new();
    let write =
        |table: &str| folder.run(&format!("select -k5 -e2 --format tsv -o names.tsv {table}"));
    assert_eq!(write(DEMO).succeeds().stdout, "");
    let written = folder.read("names.tsv");
    let header = "name\tcolumn\teffect_size\tlow\thigh\tp_value\tsignificant\ngene_";
    assert!(written.starts_with(header), "{written}");
    assert_eq!(written.lines().count(), 6);
    // A run that fails leaves the old file, and no other file.
    write("missing.csv").fails(5);
    assert_eq!(folder.read("names.tsv"), written);
    assert_eq!(folder.names(), ["names.tsv"]);
    // An input file is never overwritten, by any of its names.
    folder.write("table.csv", "a,b,y\n1,2,3\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path("table.csv"), folder.path("link")).unwrap();
    for over in if cfg!(unix) { &["table.csv", "link"][..] } else { &["table.csv"] } {
        folder.run(&format!("select -k1 -e1 -o {over} table.csv")).fails(2);
        folder.run(&format!("inspect --write-schema {over} table.csv")).fails(2);
    }
    assert_eq!(folder.read("table.csv"), "a,b,y\n1,2,3\n");
    let slash = folder.run(&format!("select -k5 -e2 -o none/ {DEMO}")).fails(5);
    assert_lacks(&slash, "spent");
    // A folder that is not there is noticed before the table is read.
    folder.refuses(&[("select -k5 -e2 -o no/where missing.csv", 5, "cannot write")]);
}

#[test]
fn quiet_omits_the_report_but_not_warnings() {
    assert_eq!(dpsis("select -k5 -e2 --quiet demo.csv").succeeds().stderr, "");
    let seeded = dpsis("select -k5 -e2 --quiet --seed 1 demo.csv").stderr;
    assert_contains(&seeded, "seeded: not for release");
    assert_eq!(seeded.lines().count(), 1);
    // The value of the names is reported, too; the seed fixes the private count.
    let few = Folder::new().with("t.csv", "a,b,y\n1,2,3\n2,3,4\n");
    let warned = select_one(&few, "--quiet --seed 1 --format tsv").stderr;
    assert!(warned.lines().nth(1).unwrap().starts_with("warning: about "), "{warned}");
}

/// Reports, warnings and errors.
#[test]
fn no_line_is_wider_than_80_columns() {
    let ragged = Folder::new().with("ragged.csv", "a,b,y\n1,2,x\n3,4\n");
    let ragged = ragged.path("ragged.csv").display().to_string();
    for (line, code) in [
        ("select -k5 -e2 demo.csv", 0),
        ("select -k5 -e2 --direction --scale row-rank demo.csv", 0),
        ("select -k5 -e2 --format json --scale row-rank -q demo.csv", 0),
        ("select -k5 -e2 --dry-run --scale row-rank demo.csv", 0),
        ("select -k5 -e2 --target respons demo.csv", 2),
        ("select -k5 -e2 --mechanism nothing demo.csv", 2),
        (&*format!("select -k1 -e2 --center private --id a {ragged}"), 3),
        ("choose -e2 --advise --trials 3 demo.csv", 2),
        ("choose -e2 --sensitivity 1 demo.csv", 3),
    ] {
        let output = dpsis(line);
        assert_eq!(output.code, Some(code), "{line}: {}", output.stderr);
        let plan = if line.contains("--dry-run") { &output.stdout } else { "" };
        for text in output.stderr.lines().chain(plan.lines()) {
            assert!(text.chars().count() <= 80, "{line}: {text}");
        }
    }
}

#[test]
fn few_rows_are_noticed_in_the_private_count() {
    let header: Vec<String> = (0..250).map(|i| format!("f{i}")).collect();
    let row = vec!["1"; 251].join(",");
    let folder = Folder::new().with("t.csv", format!("{},y\n{row}\n{row}\n", header.join(",")));
    let record = select_one(&folder, "--seed 1 --format json").json();
    assert_eq!(warning_ids(&record), ["seeded", "rare-class"]);
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = dpsis(&format!("completions {shell}")).succeeds().stdout;
        assert_contains(&script, "target-bounds");
    }
    let words = ["dpsis", "\\-\\-target\\-bounds", "\\-\\-write\\-schema"];
    assert_contains_all(&dpsis("man").stdout, &words);
}

/// JSON carries the day and the request without the names of files, which are named on request
/// alone.
#[test]
fn records_carry_the_day_and_the_request() {
    let folder = Folder::new().with("secret.csv", "a,b,y\n1,2,3\n4,5,6\n").with("list.txt", "b\n");
    let line = "select -k 1 -e1 --exclude @list.txt --format json --na=-9";
    let run = |options: &str, epoch: &str| {
        let line = format!("{line} {options} secret.csv");
        Outcome::of(&line, folder.command(&line).env("SOURCE_DATE_EPOCH", epoch))
    };
    let json = run("--seed 7", "1795305600");
    let record = json.json();
    assert_eq!(record["run"]["day"], "2026-11-22");
    let request = "dpsis select --k 1 --eps 1 --exclude @FILE --na=-9 --format json --seed 7 FILE";
    assert_eq!(record["run"]["request"], request);
    assert_lacks(&json.stdout, "secret");
    assert_lacks(&json.stdout, "list.txt");
    // The day, not the time of it.
    assert_eq!(run("--seed 7", "1795391999").stdout, json.stdout);
    assert_ne!(run("--seed 7", "1795392000").stdout, json.stdout);
    let record = run("--name-file", "0").json();
    let request = record["run"]["request"].as_str().unwrap();
    assert!(request.ends_with(" secret.csv") && request.contains("@list.txt"), "{request}");
    assert_eq!(record["run"]["day"], "1970-01-01");
    assert_contains(&run("", "yesterday").fails(2), "SOURCE_DATE_EPOCH must be");
    // Without the variable: the day of the clock.
    let line = format!("{line} secret.csv");
    let today = Outcome::of(&line, folder.command(&line).env_remove("SOURCE_DATE_EPOCH")).json();
    let day = today["run"]["day"].as_str().unwrap();
    assert!(day.len() == 10 && day > "2026", "{day}");
}

/// The command line translates its options to a request of the library and prints its record.
#[test]
fn options_make_the_request_of_the_library() {
    use dpsis::{Bounds, Center, Neighbors, ScoreKind, Select, Target};
    let bounded = Target::Bounded(Bounds::new(-4.0, 4.0).unwrap());
    let select = || Select::new(5).epsilon("0.7");
    let requests: Vec<(Select, &str)> = vec![
        (select(), ""),
        (select().bounds(-2.0, 2.0), "--bounds=-2,2"),
        (
            select().bounds(-2.0, 2.0).target(bounded.clone()).neighbors(Neighbors::ReplaceOne),
            "--bounds=-2,2 --target-bounds=-4,4 --neighbors replace-one",
        ),
        (select().target(bounded).center(Center::Given(0.5)), "--target-bounds=-4,4 --center 0.5"),
        (select().score(ScoreKind::Kendall), "--score kendall"),
        (select().shares("0.2", "0.1"), "--split center=0.1,target=0.2"),
    ];
    for (request, options) in requests {
        let line = format!("select --k 5 --eps 0.7 --seed 11 --format json demo.csv {options}");
        let printed = dpsis(&line);
        let record = request.seed(11).run(DEMO).unwrap();
        // Additions of the command line.
        let run = &printed.json()["run"];
        let [day, request] = ["day", "request"].map(|key| run[key].as_str().unwrap());
        let record = record.into_inner().with_run(dpsis::RunNote::new(day, request));
        assert_eq!(printed.stdout, dpsis::report::to_json(&record).unwrap());
    }
}
