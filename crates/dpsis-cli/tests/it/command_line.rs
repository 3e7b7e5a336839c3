//! The command line as a user meets it.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/demo.csv");

/// Runs the program. Its records carry one day, so that they can be compared at midnight, too.
fn dpsis(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
    command.env("SOURCE_DATE_EPOCH", "1795305600").args(arguments).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// The words on stderr with one blank between them: lines are wrapped.
fn said(output: &Output) -> String {
    stderr(output).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A folder that goes with the test, and files in it.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn run_on(path: &Path, more: &[&str]) -> Output {
    let mut arguments = vec!["select", "--k", "1", "--eps", "1"];
    arguments.extend(more);
    arguments.push(path.to_str().unwrap());
    dpsis(&arguments)
}

#[test]
fn the_main_job() {
    let output = dpsis(&["select", "--k", "5", "--eps", "2", DEMO]);
    assert_eq!(code(&output), 0);
    let names: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(names.len(), 5);
    assert!(names.iter().all(|name| name.starts_with("gene_")));
    let report = stderr(&output);
    assert!(report.lines().next().unwrap().contains("one row of the table"), "{report}");
    assert!(said(&output).contains("(Kolmogorov-Smirnov): suits"), "{report}");
    assert!(
        said(&output)
            .contains("epsilon 2 = 0.2 target median + 0.15 target center + 1.25 selection"),
        "{report}"
    );
    // Names may be found, not found, or found in part; the last words are the verdict in any case.
    let verdict = report.rfind("\nverdict    ").unwrap();
    assert!(report[verdict..].contains("chance"), "{report}");
    assert!(!report[verdict..].contains("\nwarning"), "{report}");
    for name in names {
        assert!(report.contains(&format!("\n           {name}  0.")), "{report}");
    }
    assert!(!report.contains("not for release"));
}

#[test]
fn json_is_the_whole_record() {
    let output = dpsis(&["select", "-k", "3", "-e", "1/3", "--format", "json", DEMO]);
    assert_eq!(code(&output), 0);
    assert!(!stderr(&output).contains("spent"), "the report is in the document");
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["command"], "select");
    assert_eq!(record["private"], true);
    assert_eq!(record["order"], "file");
    assert_eq!(record["selected"].as_array().unwrap().len(), 3);
    assert_eq!(record["guarantee"]["epsilon"], "1/3");
    assert_eq!(record["guarantee"]["delta"], "0");
    assert_eq!(record["guarantee"]["neighbors"], "add/remove");
    let spent: Vec<String> = record["guarantee"]["spent"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| format!("{} {}", part["for"].as_str().unwrap(), part["epsilon"]))
        .collect();
    let parts = [("target-median", "1/30"), ("target-center", "0.025"), ("selection", "5/24")];
    let parts = parts.into_iter().chain([("estimates", "1/15")]);
    let parts: Vec<String> = parts.map(|(part, share)| format!("{part} {share:?}")).collect();
    assert_eq!(spent, parts);
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

/// Counts per million come before any score; bounds are of them if they are stated beside, not
/// those of a schema file.
#[test]
fn counts_per_million_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let rows: String = (1..40).map(|i| format!("{},{},{}\n", i, 2 * i + i % 2, i % 3)).collect();
    std::fs::write(path("t.csv"), format!("a,b,y\n{rows}")).unwrap();
    std::fs::write(path("s.json"), "{\"bounds\": [0, 80]}").unwrap();
    let score = |more: &[&str]| {
        let (table, schema) = (path("t.csv"), path("s.json"));
        let base =
            ["select", "-k", "1", "-e", "1", "--format", "json", "--scale", "cpm", "--schema"];
        let output = dpsis(&[&base[..], &[&*schema, &*table], more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(record["score"]["per_million"], true);
        assert_eq!(record["score"]["by_default"], false);
        let texts = ["id", "scale", "bounds"].map(|key| record["score"][key].to_string());
        texts.join(" ")
    };
    assert_eq!(score(&[]), r#""ks" "none" null"#);
    assert_eq!(score(&["--bounds", "0,5e5"]), r#""correlation" "bounds" [0.0,500000.0]"#);
    assert_eq!(score(&["--score", "correlation"]), r#""correlation" "row-rank" null"#);
    assert_eq!(score(&["--score", "kendall"]), r#""kendall" "none" null"#);
    let report = dpsis(&["select", "-k", "1", "-e", "1", "--scale", "cpm", &path("t.csv")]);
    assert!(stderr(&report).contains("counts per million"), "{}", stderr(&report));
}

/// The request alone is wrong: exit code 2 although the file does not even exist.
#[test]
fn wrong_requests_are_refused_before_reading() {
    let base = ["select", "--k", "5", "--eps", "2"];
    for (arguments, text) in [
        (&["select", "--k", "5"][..], "--eps"),
        (&["select"], "--eps"),
        (&["select", "--k", "0", "--eps", "2"], "at least 1"),
        (&["select", "--k", "-1", "--eps", "2"], "unexpected argument"),
        (&["select", "--k", "5", "--eps", "0"], "between 1e-6 and 1e6"),
        (&["select", "--k", "5", "--eps", "-1"], "between 1e-6 and 1e6"),
        (&["select", "--k", "5", "--eps", "nan"], "must be a number"),
        (&["select", "--k", "5", "--eps", "inf"], "must be a number"),
        (&["select", "--k", "5", "--eps", "1e7"], "between 1e-6 and 1e6"),
        (&[&base[..], &["--gamma", "1.5"]].concat(), "between 0 and 1"),
        (&[&base[..], &["--gamma", "-0.1"]].concat(), "between 0 and 1"),
        (&[&base[..], &["--bounds", "1,0"]].concat(), "the lower one first"),
        (&[&base[..], &["--bounds", "1"]].concat(), "LO,HI"),
        (&[&base[..], &["--bounds", "nan,1"]].concat(), "LO,HI"),
        (&[&base[..], &["--bounds=0,1", "--scale", "row-rank"]].concat(), "exclude"),
        (&[&base[..], &["--scale", "bounds"]].concat(), "state them (--bounds, --bounds-file"),
        (
            &[&base[..], &["--scale", "cpm", "--preprocess", "paper", "--not-private"]].concat(),
            "no score, bounds, scale",
        ),
        (&[&base[..], &["--target-bounds", "5,5"]].concat(), "the lower one first"),
        (&[&base[..], &["--classes", "a"]].concat(), "at least two classes"),
        (&[&base[..], &["--classes", "a,b,a"]].concat(), "twice"),
        (&[&base[..], &["--classes", "a,b", "--target-bounds", "0,1"]].concat(), "cannot be used"),
        (&[&base[..], &["--target", "y", "--target-index", "3"]].concat(), "cannot be used"),
        (&[&base[..], &["--center", "middle"]].concat(), "private, none"),
        (&[&base[..], &["--center", "0.5"]].concat(), "--target-bounds, --classes"),
        (&[&base[..], &["--threads", "0"]].concat(), "between 1 and 256"),
        (&[&base[..], &["--threads", "18446744073709551615"]].concat(), "between 1 and 256"),
        (&[&base[..], &["--format", "xml"]].concat(), "possible values"),
    ] {
        let mut arguments = arguments.to_vec();
        arguments.push("no-such-file.csv");
        let output = dpsis(&arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(said(&output).contains(text), "{arguments:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn requests_wrong_against_the_header() {
    let files = Files::new();
    let table = files.write("t.csv", "age,weight,outcome\n1,2,3\n4,5,6\n");
    for (more, text) in [
        (&["--k", "3"][..], "number of features, 2"),
        (&["--target", "outcom"], "did you mean \"outcome\"?"),
        (&["--target-index", "4"], "the table has 3 columns"),
        (&["--id", "nobody"], "no column \"nobody\""),
        (&["--id", "outcome"], "both the target and the id"),
    ] {
        let mut arguments = vec!["select", "--eps", "1"];
        if more[0] != "--k" {
            arguments.extend(["--k", "1"]);
        }
        arguments.extend(more);
        arguments.push(table.to_str().unwrap());
        let output = dpsis(&arguments);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(said(&output).contains(text), "{}", stderr(&output));
    }
}

/// A file that is not there: names beside it that are near, wherever a file is stated.
#[test]
fn missing_files_have_near_names() {
    let files = Files::new();
    let table = files.write("data.csv", "age,weight,outcome\n1,2,3\n4,5,6\n");
    let [missing, far] = ["dat.csv", "zzz"].map(|name| table.with_file_name(name));
    let [table, missing, far] = [&table, &missing, &far].map(|path| path.to_str().unwrap());
    for (words, near) in [
        (&["select", "--k", "1", "--eps", "1", missing][..], true),
        (&["select", "--k", "1", "--eps", "1", far], false),
        (&["select", "--k", "1", "--eps", "1", "--schema", missing, table], true),
        (&["select", "--k", "1", "--eps", "1", "--groups", missing, table], true),
        (&["select", "--k", "1", "--eps", "1", "--ledger", missing, table], true),
        (&["select", "--k", "1", "--eps", "1", "--bounds-file", missing, table], true),
        (
            &["select", "--k", "1", "--eps", "1", "--target-file", missing, "--id", "age", table],
            true,
        ),
        (&["select", "--k", "1", "--eps", "1", "--partials", missing], true),
        (&["inspect", missing], true),
        (&["predict", missing, table], true),
        (&["account", missing], true),
    ] {
        let output = dpsis(words);
        assert_eq!(code(&output), 5, "{words:?}: {}", stderr(&output));
        let told = said(&output).contains("did you mean \"data.csv\"?");
        assert_eq!(told, near, "{words:?}: {}", stderr(&output));
    }
}

/// Options of other tools lead to those here, where the command has them.
#[test]
fn options_of_other_tools_are_known() {
    for (words, tip) in [
        (&["select", "--html", "x.html"][..], Some("--format html -o FILE")),
        (&["select", "--random-state=3"], Some("--seed N")),
        (&["fit", "--labels", "a,b"], Some("--classes A,B")),
        (&["fit", "--html", "x.html"], None),
        (&["ledger", "--html", "x.html"], None),
    ] {
        let output = dpsis(words);
        assert_eq!(code(&output), 2);
        let told = said(&output);
        match tip {
            Some(tip) => {
                assert!(told.contains(&format!("here it is '{tip}'")), "{words:?}: {told}");
                assert!(!told.contains("similar argument"), "{words:?}: {told}");
            }
            None => assert!(!told.contains("here it is"), "{words:?}: {told}"),
        }
    }
}

/// Malformed input: exit code 3, row and column, and never what stands in a cell.
#[test]
fn malformed_input_is_refused_with_its_place() {
    let files = Files::new();
    let long = "7".repeat(5000);
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zipped = gzip(&format!("a,b,y\n{}", "1,2,3\n".repeat(5000)));
    let rows = |middle: &str| format!("a,b,y\n1,2,3\n{middle}\n4,5,6\n").into_bytes();
    for (name, bytes, text) in [
        ("empty", vec![], "empty"),
        ("blank lines", b"\n\n\n".to_vec(), "empty"),
        ("one column", b"y\n1\n".to_vec(), "no feature"),
        ("other delimiter", b"a|b|y\n1|2|3\n".to_vec(), "--delimiter"),
        ("duplicate", b"a,a,y\n1,2,3\n".to_vec(), "header, column 2: a column name occurs twice"),
        ("nameless", b"a,,y\n1,2,3\n".to_vec(), "header, column 2"),
        ("not utf-8", b"a,\xff,y\n1,2,3\n".to_vec(), "header, column 2"),
        ("nul", b"a,\0,y\n1,2,3\n".to_vec(), "header, column 2"),
        ("short", rows("SECRET,2"), "row 2, column 3: the row has fewer cells than the header"),
        ("wide", rows("1,2,3,SECRET"), "row 2, column 4: the row has more cells"),
        ("unclosed", rows("1,\"SECRET,3"), "row 2, column 2: a quoted cell runs past the end"),
        ("line feed", rows("1,\"SEC\nRET\",3"), "row 2, column 2: a quoted cell runs past"),
        ("quote in header", b"a,b,\"y\n1,SECRET,3\n".to_vec(), "header, column 3"),
        ("quoted header", b"a,\"b,y\n1,\"SECRET\",3\n4,5,6\n".to_vec(), "header, column 2"),
        ("carriage", rows("1,SEC\rRET,3"), "row 2, column 2: a carriage return"),
        ("oversized", rows(&format!("1,{long},3")), "row 2, column 2: the cell is longer"),
        ("row names", b"a,y\nr1,1,2\nr2,3,4\n".to_vec(), "is one name short, as"),
        ("truncated", zipped[..zipped.len() - 20].to_vec(), "damaged or end too early"),
    ] {
        let path = files.write("bad.csv", bytes);
        for threads in ["1", "2"] {
            let output = run_on(&path, &["--threads", threads]);
            assert_eq!(code(&output), 3, "{name}: {}", stderr(&output));
            assert!(said(&output).contains(text), "{name}: {}", stderr(&output));
            assert!(!stderr(&output).contains("SEC"), "{name}: {}", stderr(&output));
            assert_eq!(stdout(&output), "", "{name}");
        }
    }
    // Labels that do not occur end a run or are warned of, by counts that have noise.
    let labels = files.write("labels.csv", "a,b,y\n1,2,yes\n3,4,no\n");
    let output = run_on(&labels, &["--classes", "Yes,No"]);
    let expected = if code(&output) == 3 { "case included" } else { "spelling of the labels" };
    assert!(said(&output).contains(expected), "{}", stderr(&output));
}

/// Odd but well-formed: a release.
#[test]
fn odd_tables_are_read() {
    let files = Files::new();
    for (name, text) in [
        ("one row", "a,b,y\n1,2,3\n"),
        ("one feature", "a,y\n1,2\n3,4\n"),
        ("constant columns", "a,b,y\n1,1,1\n1,1,1\n"),
        ("missing cells", "a,b,y\nNA,,1\nnan,inf,2\n1e400,x,\n"),
        ("ids", ",a,y\nr1,1,2\nr2,3,4\n"),
        ("quotes", "\"a\",\"b\",\"y\"\n\"1\",\"2\",\"3\"\n"),
        ("no line end", "a,b,y\n1,2,3"),
        ("bytes", "a,b,y\n1,\u{fffd}\0,3\n"),
    ] {
        let output = run_on(&files.write("odd.csv", text), &[]);
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        assert_eq!(stdout(&output).lines().count(), 1, "{name}");
    }
    let output = run_on(&files.write("ids.csv", ",a,y\nr1,1,2\n"), &[]);
    assert_eq!(stdout(&output), "a\n");
    assert!(stderr(&output).contains("column 1 is read as ids"), "{}", stderr(&output));
}

#[test]
fn names_are_printed_as_they_are() {
    let files = Files::new();
    let table = files.write("t.csv", "\"say \"\"x\"\", y\",y\n1,2\n");
    assert_eq!(stdout(&run_on(&table, &[])), "say \"x\", y\n");
}

/// A file without a header would give its first row away as names.
#[test]
fn a_missing_header_is_noticed() {
    let files = Files::new();
    let numbers = files.write("n.csv", "51.25,130.5,1.5\n48.5,121,0\n39,110,1\n");
    let labels = files.write("l.csv", "51.25,130.5, case\n48.5,121,control\n");
    for (table, more) in [
        (&numbers, &[][..]),
        (&numbers, &["--target-bounds", "0,2"]),
        (&numbers, &["--target-index", "1"]),
        (&labels, &["--classes", "case,control"]),
    ] {
        let output = run_on(table, more);
        assert_eq!((code(&output), stdout(&output)), (3, ""));
        assert!(stderr(&output).contains("is the header missing?"), "{}", stderr(&output));
        assert!(!stderr(&output).contains("51.25") && !stderr(&output).contains("1.5"));
    }
    // A decimal comma, a schema, a target elsewhere: the same.
    let commas = files.write("c.txt", "51,25;130,5;1,5\n48,5;121;0\n");
    let schema = files.write("s.json", "{\"target\": \"1.5\"}");
    let values = files.write("v.csv", "p1,51.25,3.5\np2,48.5,121\n");
    let targets = files.write("y.csv", "who,status\np1,1\np2,2\n");
    let headless = files.write("z.csv", "p1,77\np2,2\n");
    let named = files.write("w.csv", "who,a,b\np1,51.25,3.5\np2,48.5,121\n");
    let path = |path: &PathBuf| path.to_str().unwrap().to_owned();
    for (table, more) in [
        (&commas, vec!["--decimal-comma".to_owned()]),
        (&numbers, vec!["--schema".into(), path(&schema)]),
        (&values, vec!["--target-file".into(), path(&targets)]),
        (&named, vec!["--target-file".into(), path(&headless)]),
    ] {
        let more: Vec<&str> = more.iter().map(String::as_str).collect();
        let output = run_on(table, &more);
        assert_eq!((code(&output), stdout(&output)), (3, ""), "{more:?}");
        assert!(stderr(&output).contains("is the header missing?"), "{}", stderr(&output));
        for value in ["51.25", "51,25", "130", "77"] {
            assert!(!stderr(&output).contains(value), "{}", stderr(&output));
        }
    }
    // Columns that really are named by numbers, as spectra are.
    let spectra = files.write("s.csv", "400,402,protein\n1,2,3\n");
    assert_eq!(code(&run_on(&spectra, &[])), 3);
    assert_eq!(code(&run_on(&spectra, &["--numeric-names"])), 0);
    let few = files.write("p.csv", "a,b,1,y\n1,2,3,4\n");
    assert_eq!(code(&run_on(&few, &[])), 0);
}

/// The header of a target file is not printed, because it could be somebody's value.
#[test]
fn a_target_file_lends_no_name() {
    let files = Files::new();
    let lines = |line: &dyn Fn(usize) -> String| (1..800).map(line).collect::<String>();
    let table = files.write("t.csv", format!("who,a,b\n{}", lines(&|i| format!("p{i},1,{i}\n"))));
    let label = |i: usize| if i.is_multiple_of(2) { "no" } else { "yes" };
    let targets = lines(&|i| format!("p{i},{}\n", label(i)));
    let targets = files.write("y.csv", format!("p0,SECRET\n{targets}"));
    for format in ["text", "json"] {
        let more = ["--target-file", targets.to_str().unwrap(), "--classes", "no,yes"];
        let output = run_on(&table, &[&more[..], &["--format", format]].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(!stderr(&output).contains("SECRET") && !stdout(&output).contains("SECRET"));
    }
}

#[test]
fn what_the_system_refuses() {
    let files = Files::new();
    let missing = files.0.path().join("missing.csv");
    assert_eq!(code(&run_on(&missing, &[])), 5);
    assert_eq!(code(&run_on(files.0.path(), &[])), 5);
    for url in ["s3://bucket/table.csv", "https://host/table.parquet"] {
        let output = run_on(Path::new(url), &[]);
        assert_eq!(code(&output), 2);
        assert!(said(&output).contains("URLs are not read"), "{}", stderr(&output));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_dpsis"))
        .args(["select", "--k", "5", "--eps", "2", DEMO])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(code(&output), 5);
    assert!(stderr(&output).contains("cannot write the output"));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_dpsis"))
        .args(["select", "--k", "5", "--eps", "2", DEMO])
        .stdout(Stdio::from(writer))
        .output()
        .unwrap();
    assert_eq!(code(&output), 0);
    assert!(!stderr(&output).contains("error"), "{}", stderr(&output));
}

fn with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
    let pipes = command.env("SOURCE_DATE_EPOCH", "1795305600").args(arguments);
    let pipes = pipes.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    // The child may refuse without reading.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Standard input can be read once: the same selection as from the file, median and all.
#[test]
fn standard_input_is_a_table() {
    let table = std::fs::read(DEMO).unwrap();
    for more in [&[][..], &["--target-bounds=-9,9"], &["--score", "kendall"]] {
        let run = |file: &str| {
            let head = ["select", "--k", "5", "--eps", "1", "--seed", "4", "--format", "json"];
            with_input(&[&head, more, &[file]].concat(), &table)
        };
        let (piped, read) = (run("-"), run(DEMO));
        assert_eq!(code(&piped), 0, "{}", stderr(&piped));
        assert_eq!(stdout(&piped), stdout(&read));
        #[cfg(unix)]
        assert_eq!(stdout(&run("/dev/stdin")), stdout(&read));
    }
}

#[test]
fn a_seed_marks_the_run() {
    let run = |seed: &str, format: &str| {
        dpsis(&["select", "--k", "5", "--eps", "1", "--seed", seed, "--format", format, DEMO])
    };
    let text = run("7", "text");
    assert!(stderr(&text).contains("seeded: not for release"));
    let json = run("7", "json");
    assert!(stderr(&json).contains("seeded: not for release"));
    let record: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(record["private"], false);
    assert_eq!(record["randomness"]["seeded"], true);
    assert_eq!(record["warnings"][0]["id"], "seeded");
    assert_eq!(stdout(&run("7", "text")), stdout(&text));
    assert_ne!(stderr(&run("8", "text")), stderr(&text));
}

/// The same table in another order, with other line ends, quoted, compressed in two members, on
/// other numbers of threads: the same record to the byte.
#[test]
fn the_form_of_the_table_does_not_matter() {
    let files = Files::new();
    let text = std::fs::read_to_string(DEMO).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let mut reversed: Vec<&str> = rows.lines().rev().collect();
    reversed.rotate_left(123);
    let permuted = format!("{header}\n{}\n", reversed.join("\n"));
    let quoted: String = text
        .lines()
        .map(|line| format!("\"{}\"\n", line.split(',').collect::<Vec<_>>().join("\",\"")))
        .collect();
    let gzip = |part: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(part.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let (front, back) = text.split_at(text.len() / 3);
    let forms = [
        text.clone().into_bytes(),
        permuted.into_bytes(),
        text.replace('\n', "\r\n").into_bytes(),
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        quoted.into_bytes(),
        [gzip(front), gzip(back)].concat(),
    ];
    let run = |path: &Path, threads: &str| {
        let path = path.to_str().unwrap();
        let output = dpsis(&[
            "select",
            "--k",
            "7",
            "--eps",
            "0.5",
            "--seed",
            "3",
            "--format",
            "json",
            "--threads",
            threads,
            path,
        ]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        // The request states the threads.
        stdout(&output).replace(&format!("--threads {threads} "), "")
    };
    let expected = run(Path::new(DEMO), "1");
    for (i, form) in forms.iter().enumerate() {
        let path = files.write("form.csv", form);
        for threads in ["1", "2", "5"] {
            assert!(run(&path, threads) == expected, "form {i}, {threads} threads");
        }
    }
}

#[test]
fn help_and_version() {
    let help = dpsis(&["select", "--help"]);
    assert_eq!(code(&help), 0);
    for option in ["--k", "--eps", "--bounds", "--classes", "--center", "--gamma", "--seed"] {
        assert!(stdout(&help).contains(option));
    }
    let version = dpsis(&["--version"]);
    assert_eq!(stdout(&version), format!("dpsis {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(code(&dpsis(&[])), 2);
    assert_eq!(code(&dpsis(&["selct"])), 2);
}

/// Small tables in every form, and the same selection from each.
#[test]
fn tables_lie_and_are_written_in_many_ways() {
    let files = Files::new();
    let select = |more: &[&str]| {
        let head = ["select", "--k", "2", "--eps", "1000", "--seed", "1", "--classes", "no,yes"];
        dpsis(&[&head, more].concat())
    };
    // 8 samples, 4 features; g2 and g4 follow the label.
    let rows: Vec<(String, [f64; 4], &str)> = (0..8)
        .map(|i| {
            let up = f64::from(u8::from(i % 2 == 0));
            let noise = f64::from((i * 5) % 7);
            let values = [noise, up * 10.0 + 0.25, 3.5, -10.0 * up - noise / 8.0];
            (format!("p{i}"), values, if i % 2 == 0 { "yes" } else { "no" })
        })
        .collect();
    let table = |delimiter: &str, comma: bool, with_target: bool| {
        let number = |value: f64| {
            let text = value.to_string();
            if comma { text.replace('.', ",") } else { text }
        };
        let mut header = vec!["who", "g1", "g2", "g3", "g4"];
        if with_target {
            header.push("status");
        }
        let mut text = header.join(delimiter) + "\n";
        for (id, values, label) in &rows {
            let mut cells = vec![id.clone()];
            cells.extend(values.iter().map(|value| number(*value)));
            if with_target {
                cells.push((*label).to_owned());
            }
            text += &(cells.join(delimiter) + "\n");
        }
        text
    };
    let transposed = |with_target: bool| {
        let mut text: String = "gene".to_owned();
        rows.iter().for_each(|(id, ..)| text += &format!("\t{id}"));
        for g in 0..4 {
            text += &format!("\ng{}", g + 1);
            rows.iter().for_each(|(_, values, _)| text += &format!("\t{}", values[g]));
        }
        if with_target {
            text += "\nstatus";
            rows.iter().for_each(|(.., label)| text += &format!("\t{label}"));
        }
        text + "\n"
    };
    let targets: String =
        rows.iter().rev().map(|(id, _, label)| format!("{id},{label}\n")).collect();
    let targets = files.write("targets.csv", format!("who,status\n{targets}stranger,yes\n"));
    let targets = targets.to_str().unwrap();
    let zst = zstd::encode_all(table("\t", false, true).as_bytes(), 3).unwrap();
    let forms: [(&str, Vec<u8>, &[&str]); 8] = [
        ("t.csv", table(",", false, true).into(), &["--id", "who"]),
        ("t.tsv", table("\t", false, true).into(), &["--id", "who"]),
        ("t.zst", zst, &["--id", "who"]),
        ("t.txt", table(";", true, true).into(), &["--id", "who", "--decimal-comma"]),
        ("t.txt", table("|", false, true).into(), &["--id", "who", "--delimiter", "|"]),
        ("t.csv", table(",", false, false).into(), &["--target-file", targets]),
        (
            "t.tsv",
            transposed(false).into(),
            &["--orient", "features-as-rows", "--target-file", targets],
        ),
        ("t.tsv", transposed(true).into(), &["--orient", "features-as-rows", "--target", "status"]),
    ];
    for score in [&["--score", "kendall"][..], &["--bounds=-12,12"]] {
        for (name, bytes, more) in &forms {
            let path = files.write(name, bytes);
            let more = [more, score, &[path.to_str().unwrap()]].concat();
            let output = select(&more);
            assert_eq!(code(&output), 0, "{more:?}: {}", stderr(&output));
            assert_eq!(stdout(&output), "g2\ng4\n", "{more:?}");
            let unit = if more.contains(&"features-as-rows") { "column" } else { "row" };
            assert!(stderr(&output).starts_with(&format!("protected  one {unit} of the table")));
        }
    }
}

#[test]
fn side_files_are_checked() {
    let files = Files::new();
    let table = files.write("t.csv", "id,a,b\np1,1,2\np2,3,4\np2,5,6\n");
    let run = |text: &str| {
        let targets = files.write("y.csv", text);
        run_on(&table, &["--target-file", targets.to_str().unwrap()])
    };
    // Whether ids match is private.
    for text in [
        "id,y\np1,1\np9,2\n",
        "id,y\np1,1\np2,SECRET\n",
        "id,y\np1,1\np1,2\n",
        "id,y\np2,1\n",
        "id,y\n",
    ] {
        let fine = run(text);
        assert_eq!(code(&fine), 0, "{}", stderr(&fine));
    }
    // The rows are read twice, the targets once.
    let targets = files.write("y.csv", "id,y\np1,1\n");
    let piped =
        ["select", "--k", "1", "--eps", "1", "--target-file", targets.to_str().unwrap(), "-"];
    let piped = with_input(&piped, b"id,a,b\np1,1,2\n");
    assert_eq!(code(&piped), 2);
    assert!(stderr(&piped).contains("read twice"), "{}", stderr(&piped));
    for (text, said) in
        [("id,y,z\np1,1,2\n", "must have two columns, ids and values"), ("id,y\nSECRET\n", "row 1")]
    {
        let output = run(text);
        assert_eq!(code(&output), 3, "{text}: {}", stderr(&output));
        assert!(stderr(&output).contains(said), "{text}: {}", stderr(&output));
        assert!(!stderr(&output).contains("SECRET"));
    }
    let bounds = |text: &str| {
        let bounds = files.write("b.csv", text);
        let table = files.write("u.csv", "a,b,y\n1,2,3\n4,5,6\n");
        run_on(&table, &["--bounds-file", bounds.to_str().unwrap()])
    };
    assert_eq!(code(&bounds("feature,lo,hi\n*,0,10\na,1,2\n")), 0);
    assert_eq!(code(&bounds("feature,lo,hi\na,1,2\n")), 2);
    assert_eq!(code(&bounds("feature,lo,hi\n*,0,10\nz,1,2\n")), 2);
}

/// A whole table for a list of names would put its rows into a query or a message.
#[test]
fn a_table_is_no_list_of_names() {
    let files = Files::new();
    let table = files.write("t.csv", "a,b,y\n1,2,3\n4,5,6\n");
    let sql = [
        "sql",
        "--dialect",
        "duckdb",
        "--table",
        "t",
        "--wide",
        "--target",
        "y",
        "--classes",
        "a,b",
        "--bounds",
        "0,1",
    ];
    let query = |text: &str| {
        let list = files.write("list.txt", text);
        dpsis(&[&sql[..], &["--features", list.to_str().unwrap()]].concat())
    };
    let excluded = |text: &str| {
        let list = files.write("list.txt", text);
        run_on(&table, &["--exclude", &format!("@{}", list.display())])
    };
    for text in ["id,note\np1,SECRET\np2,SECRET\n", "id\tnote\np1\tSECRET\n", "a;SECRET\n"] {
        for output in [query(text), excluded(text)] {
            assert_eq!(code(&output), 2, "{text}");
            assert!(stderr(&output).contains("list.txt is a table"), "{}", stderr(&output));
            let all = format!("{}{}", stderr(&output), stdout(&output));
            assert!(!all.contains("SECRET"), "{all}");
        }
    }
    assert_eq!(code(&excluded("\na\n\n")), 0);
    let names = query("plain\nHLA-A, beta\n1,2-dichloro,ethane\n");
    assert!(code(&names) == 0 && stdout(&names).contains("HLA-A, beta"), "{}", stderr(&names));
    let quoted = query("\"1,2-dichloro\"\n\"a \"\"b\"\", c\"\n");
    let said = stdout(&quoted);
    assert!(said.contains("1,2-dichloro") && said.contains("a \"\"b\"\", c"), "{said}");
}

/// A side file from a pipe is read to its end, once; two files cannot both be standard input.
#[cfg(unix)]
#[test]
fn a_target_file_can_be_standard_input() {
    let files = Files::new();
    let ids: Vec<String> = (0..9000).map(|i| format!("person-{i:06}")).collect();
    let rows = |value: &dyn Fn(usize) -> String| -> String {
        ids.iter().enumerate().map(|(i, id)| format!("{id},{}\n", value(i))).collect()
    };
    let table = format!("id,a,b\n{}", rows(&|i| format!("{},{}", i % 7, i % 2)));
    let table = files.write("t.csv", table);
    let targets = format!("id,y\n{}", rows(&|i| (i % 2).to_string()));
    let run = |table: &str| {
        let more = ["--neighbors", "replace-one", "--bounds=0,7", "--target-bounds=0,1"];
        let head = ["select", "--k", "1", "--eps", "9", "--target-file", "-"];
        with_input(&[&head, &more[..], &[table]].concat(), targets.as_bytes())
    };
    let output = run(table.to_str().unwrap());
    assert_eq!((code(&output), stdout(&output)), (0, "b\n"), "{}", stderr(&output));
    // How many ids join is not public.
    assert!(!stderr(&output).contains("rows (public)"), "{}", stderr(&output));
    assert_eq!(code(&run("-")), 2);
}

/// A schema and the command line cannot both say where the target is.
#[test]
fn schemas_and_options_do_not_mix_targets() {
    let files = Files::new();
    let table = files.write("t.csv", "id,a,b,y\np1,1,2,0\np2,3,4,1\n");
    let targets = files.write("y.csv", "id,v\np1,1\np2,2\n");
    let schema = |text: &str| files.write("s.json", text).to_str().unwrap().to_owned();
    let target_file = targets.to_str().unwrap();
    let in_table = schema("{\"target\": \"y\"}");
    let output = run_on(&table, &["--schema", &in_table, "--target-file", target_file]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    for both in [
        "{\"target\": \"y\", \"target_file\": \"y.csv\"}",
        "{\"classes\": [\"0\", \"1\"], \"target_bounds\": [0, 1]}",
        "{\"bounds\": [0, 1], \"bounds_file\": \"b.csv\"}",
    ] {
        assert_eq!(code(&run_on(&table, &["--schema", &schema(both)])), 2, "{both}");
    }
    // Files are named from where the schema is; a stated target leaves the schema's labels behind.
    let elsewhere = schema("{\"target_file\": \"y.csv\"}");
    let output = run_on(&table, &["--schema", &elsewhere]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let labels = schema("{\"target\": \"y\", \"classes\": [\"0\", \"1\"]}");
    let output = run_on(&table, &["--schema", &labels, "--id", "id", "--target", "b"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("\"b\", column 3: a number"), "{}", stderr(&output));
}

#[test]
fn columns_can_be_left_out() {
    let files = Files::new();
    let table = files.write("t.csv", "id,sex,age,y\n1,f,30,1\n2,m,40,2\n");
    let output = run_on(&table, &["--exclude", "id,sex"]);
    assert_eq!((code(&output), stdout(&output)), (0, "age\n"));
    assert_eq!(code(&run_on(&table, &["--exclude", "sx"])), 2);
    assert_eq!(code(&run_on(&table, &["--exclude", "y"])), 2);
    assert_eq!(code(&run_on(&table, &["--exclude", "id,sex,age"])), 3);
}

#[test]
fn columns_can_be_left_out_by_patterns_and_files() {
    let files = Files::new();
    let header = "id,adm_day,adm_type,a*,ab,\"x, y\",age,y\n";
    let table = files.write("t.csv", format!("{header}1,2,3,4,5,6,30,1\n2,3,4,5,6,7,40,2\n"));
    // What is left is said by k.
    let left = |exclude: &[&str], features: &str| {
        let exclude: Vec<&str> = exclude.iter().flat_map(|one| ["--exclude", *one]).collect();
        let output = run_on(&table, &exclude);
        assert_eq!(code(&output), 0, "{exclude:?}: {}", stderr(&output));
        let said = format!("1 of {features} features");
        assert!(stderr(&output).contains(&said), "{exclude:?}: {}", stderr(&output));
    };
    left(&["adm_*"], "5");
    left(&["adm_*,id"], "4");
    left(&["adm_*", "?d"], "4");
    // There is a column of this name.
    left(&["a*"], "6");
    left(&["a?*"], "2");
    let list = files.write("list.txt", "\u{feff}id\r\n\r\nx, y\r\nadm_*\r\n \r\n");
    let list = format!("@{}", list.to_str().unwrap());
    left(&[&list], "3");
    left(&[&list, "age"], "2");
    let rows: String = (0..90)
        .map(|i| format!("{i},2,3,{},{},{},{},{}\n", i % 7, i % 9, i % 5, i % 30, i % 2))
        .collect();
    let long = files.write("long.csv", format!("{header}{rows}"));
    let looked = dpsis(&["inspect", "--exclude", "adm_*", long.to_str().unwrap()]);
    assert!(stdout(&looked).contains("4 of 4 features hold numbers"), "{}", stdout(&looked));
    assert!(stdout(&looked).contains("--exclude 'adm_*'"), "{}", stdout(&looked));
    let schema = files.write("s.json", "{\"exclude\": [\"adm_*\", \"id\"]}");
    let output = run_on(&table, &["--schema", schema.to_str().unwrap()]);
    assert!(stderr(&output).contains("1 of 4 features"), "{}", stderr(&output));
    let odd = files.write("odd.txt", "id\n# a remark\n");
    let odd = format!("@{}", odd.to_str().unwrap());
    for (exclude, expected, text) in [
        ("lab_*", 2, "no name matches the exclusion \"lab_*\""),
        ("adm_da", 2, "did you mean \"adm_day\"?"),
        ("y", 2, "the target cannot be excluded"),
        (&odd, 2, "# a remark"),
        ("@no-such-file", 5, "cannot read no-such-file"),
    ] {
        let output = run_on(&table, &["--exclude", exclude]);
        assert_eq!(code(&output), expected, "{exclude}: {}", stderr(&output));
        assert!(said(&output).contains(text), "{exclude}: {}", stderr(&output));
    }
    // The same for names of rows.
    let rows =
        files.write("r.tsv", "gene\tp1\tp2\ng1\t1\t2\nctrl_1\t1\t2\nctrl_2\t1\t2\ny\t1\t2\n");
    let more = ["--orient", "features-as-rows", "--target", "y", "--exclude"];
    let output = run_on(&rows, &[&more[..], &["ctrl_*"]].concat());
    assert_eq!((code(&output), stdout(&output)), (0, "g1\n"), "{}", stderr(&output));
    assert_eq!(code(&run_on(&rows, &[&more[..], &["lab_*"]].concat())), 2);
    // What is read is never written over.
    let path = &list[1..];
    assert_eq!(code(&run_on(&table, &["--exclude", &list, "-o", path])), 2);
}

/// A label that is spelled otherwise in the file shows in the private counts.
#[test]
fn a_misspelled_label_is_suspected_from_the_private_counts() {
    let files = Files::new();
    let rows: String = (0..900).map(|i| format!("{i},{}\n", ["no", "yes"][i % 2])).collect();
    let table = files.write("t.csv", format!("a,y\n{rows}"));
    let warned = |labels: &str| {
        let more = ["--classes", labels, "--bounds=0,900", "--format", "json", "--seed", "1"];
        let output = run_on(&table, &more);
        let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        record["warnings"].as_array().unwrap().iter().any(|w| w["id"] == "rare-class")
    };
    assert!(!warned("no,yes"));
    assert!(warned("no,Yes") && warned("no,maybe,yes"));
}

#[test]
fn missing_codes_are_missing() {
    let files = Files::new();
    let table = files.write("t.csv", "a,b,y\n1,2,?\n-999,4,-999\n5,6,7\n");
    let rows = |options: &[&str]| {
        let exact = ["--eps", "1e6", "--format", "json"];
        let output =
            dpsis(&[&["select", "-k1"], &exact[..], options, &[table.to_str().unwrap()]].concat());
        let record: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
        let released = &record["released"];
        [&released["rows_estimate"], &released["unusable_estimate"]].map(|n| n.as_u64().unwrap())
    };
    assert_eq!(rows(&["--na=?,-999"]), [1, 2]);
    assert_eq!(rows(&[]), [2, 1]);
}

/// A dry run reads the header alone: the rows may be broken, or not be there.
#[test]
fn a_dry_run_touches_no_row() {
    let files = Files::new();
    let header: Vec<String> = (0..300).map(|i| format!("f{i}")).collect();
    let table = files.write("t.csv", format!("{},y\n\"broken", header.join(",")));
    let output = run_on(&table, &["--dry-run"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for said in ["0.075 target center + 0.625 selection + 0.2 strengths", "nothing was drawn"] {
        let plan: Vec<&str> = stdout(&output).split_whitespace().collect();
        assert!(plan.join(" ").contains(said), "{}", stdout(&output));
    }
    let json = run_on(&table, &["--dry-run", "--format", "json"]);
    let plan: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&plan["dry_run"], &plan["features"]), (&true.into(), &300.into()));
    assert_eq!(code(&run_on(&table, &["--dry-run", "--target", "nobody"])), 2);
    assert_eq!(code(&run_on(&table, &[])), 3);
}

#[test]
fn the_split_can_be_stated() {
    let arguments = ["select", "-k5", "-e1", "--split", "center=0.1,target=1/5", DEMO];
    let output = dpsis(&arguments);
    let expected =
        "epsilon 1 = 0.2 target median + 0.1 target center + 0.5 selection + 0.2 strengths";
    assert!(said(&output).contains(expected), "{}", stderr(&output));
    let none = ["select", "-k5", "-e1", "--split", "estimates=0", DEMO];
    assert!(said(&dpsis(&none)).ends_with("no verdict: the share of the estimates is 0"));
    let directed = ["select", "-k5", "-e1", "--direction", "--split", "direction=0.2", DEMO];
    let output = dpsis(&directed);
    assert!(said(&output).contains("0.2 strengths + 0.2 directions"), "{}", stderr(&output));
    assert!(stderr(&output).contains("rises") || stderr(&output).contains("falls"));
    let wrong = ["center=0.5,target=0.5", "center=0", "middle=0.1", "0.1", "direction=0.1"];
    for split in wrong.into_iter().chain(["center=0.1,center=0.2", "estimates=1e-9"]) {
        assert_eq!(code(&dpsis(&["select", "-k5", "-e1", "--split", split, "missing.csv"])), 2);
    }
}

#[test]
fn replacing_a_row_makes_the_number_of_rows_public() {
    let output = dpsis(&["select", "-k5", "-e4", "--neighbors", "replace-one", DEMO]);
    assert_eq!(code(&output), 0);
    let report: Vec<&str> = stderr(&output).split_whitespace().collect();
    let report = report.join(" ");
    assert!(report.contains("640 rows (public)") && report.contains("replacing one row"));
    let sensitivity = |neighbors: &str| {
        let common = ["select", "-k5", "-e4", "--score", "kendall", "--format", "json"];
        let output = dpsis(&[&common[..], &["--neighbors", neighbors, DEMO]].concat());
        let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(record["public"]["rows"].is_null(), neighbors == "add-remove");
        record["score"]["sensitivity"].as_u64().unwrap()
    };
    assert_eq!(sensitivity("add-remove"), 3 * (1 << 19) + 1);
    assert_eq!(sensitivity("replace-one"), 2 * (1 << 20) + 1);
}

#[test]
fn the_papers_preprocessing_is_marked_everywhere() {
    let paper = ["select", "-k5", "-e2", "--preprocess", "paper"];
    assert_eq!(code(&dpsis(&[&paper[..], &[DEMO]].concat())), 2);
    assert_eq!(code(&dpsis(&["select", "-k5", "-e2", "--not-private", DEMO])), 2);
    for format in ["text", "json", "tsv"] {
        for quiet in [&[][..], &["--quiet"]] {
            let more = [&["--not-private", "--format", format], quiet, &[DEMO]].concat();
            let output = dpsis(&[&paper[..], &more].concat());
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            assert!(stderr(&output).contains("NOT PRIVATE"), "{format}");
        }
    }
    let output = dpsis(&[&paper[..], &["--not-private", "--format", "json", DEMO]].concat());
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&record["private"], &record["score"]["scale"]), (&false.into(), &"paper".into()));
}

#[test]
fn output_files_are_whole_or_not_there() {
    let files = Files::new();
    let path = files.0.path().join("names.tsv");
    let out = path.to_str().unwrap();
    let write = |more: &[&str]| {
        dpsis(&[&["select", "-k5", "-e2", "--format", "tsv", "-o", out], more].concat())
    };
    let output = write(&[DEMO]);
    assert_eq!((code(&output), stdout(&output)), (0, ""));
    let written = std::fs::read_to_string(&path).unwrap();
    let header = "name\tcolumn\tstrength\tlow\thigh\tp_value\tbeyond_chance\ngene_";
    assert!(written.starts_with(header), "{written}");
    assert_eq!(written.lines().count(), 6);
    // A run that fails leaves the old file, and nothing beside it.
    assert_eq!(code(&write(&["missing.csv"])), 5);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), written);
    assert_eq!(std::fs::read_dir(files.0.path()).unwrap().count(), 1);
    // What is read is never written over, by whatever name.
    let table = files.write("table.csv", "a,b,y\n1,2,3\n");
    let table = table.to_str().unwrap();
    #[cfg(unix)]
    let link = {
        let link = files.0.path().join("link");
        std::os::unix::fs::symlink(table, &link).unwrap();
        link.to_str().unwrap().to_owned()
    };
    #[cfg(not(unix))]
    let link = table.to_owned();
    for over in [table, &link] {
        assert_eq!(code(&dpsis(&["select", "-k1", "-e1", "-o", over, table])), 2);
        assert_eq!(code(&dpsis(&["inspect", "--write-schema", over, table])), 2);
    }
    assert_eq!(std::fs::read_to_string(table).unwrap(), "a,b,y\n1,2,3\n");
    let slash = format!("{}/none/", files.0.path().to_str().unwrap());
    let output = dpsis(&["select", "-k5", "-e2", "-o", &slash, DEMO]);
    assert_eq!((code(&output), stdout(&output)), (5, ""));
    assert!(!stderr(&output).contains("spent"), "nothing was drawn");
    // A folder that is not there is noticed before the table is read.
    let nowhere = files.0.path().join("no/where");
    let output = dpsis(&["select", "-k5", "-e2", "-o", nowhere.to_str().unwrap(), "missing.csv"]);
    assert_eq!(code(&output), 5);
    assert!(stderr(&output).contains("cannot write"), "{}", stderr(&output));
    let folder = files.0.path().to_str().unwrap();
    assert_eq!(code(&dpsis(&["select", "-k5", "-e2", "-o", folder, DEMO])), 5);
    #[cfg(target_os = "linux")]
    assert_eq!(code(&dpsis(&["select", "-k5", "-e2", "-o", "/dev/full", DEMO])), 5);
}

#[test]
fn quiet_drops_the_report_but_not_what_matters() {
    let output = dpsis(&["select", "-k5", "-e2", "--quiet", DEMO]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let output = dpsis(&["select", "-k5", "-e2", "--quiet", "--seed", "1", DEMO]);
    assert!(stderr(&output).contains("seeded: not for release"));
    assert_eq!(stderr(&output).lines().count(), 1);
    // What the names are worth is said, too.
    let files = Files::new();
    let few = files.write("few.csv", "a,b,y\n1,2,3\n2,3,4\n");
    let output = run_on(&few, &["--quiet", "--format", "tsv"]);
    assert!(stderr(&output).starts_with("warning: about "), "{}", stderr(&output));
}

/// Reports, warnings and errors.
#[test]
fn no_line_is_wider_than_80_columns() {
    let files = Files::new();
    let ragged = files.write("ragged.csv", "a,b,y\n1,2,x\n3,4\n");
    let ragged = ragged.to_str().unwrap();
    for (arguments, code) in [
        (&["select", "-k5", "-e2", DEMO][..], 0),
        (&["select", "-k5", "-e2", "--direction", "--scale", "row-rank", DEMO], 0),
        (&["select", "-k5", "-e2", "--format", "json", "--scale", "row-rank", "-q", DEMO], 0),
        (&["select", "-k5", "-e2", "--dry-run", "--scale", "row-rank", DEMO], 0),
        (&["select", "-k5", "-e2", "--preprocess", "paper", "--not-private", DEMO], 0),
        (&["select", "-k5", "-e2", "--target", "respons", DEMO], 2),
        (&["select", "-k5", "-e2", "--mechanism", "nothing", DEMO], 2),
        (&["select", "-k1", "-e2", "--center", "private", "--id", "a", ragged], 3),
        (&["choose", "-e2", "--advise", "--trials", "3", DEMO], 2),
        (&["choose", "-e2", "--sensitivity", "1", DEMO], 3),
    ] {
        let output = dpsis(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        let dry = arguments.contains(&"--dry-run");
        for line in stderr(&output).lines().chain(stdout(&output).lines().filter(|_| dry)) {
            assert!(line.chars().count() <= 80, "{arguments:?}: {line}");
        }
    }
}

#[test]
fn few_rows_are_said_from_the_private_count() {
    let files = Files::new();
    let header: Vec<String> = (0..250).map(|i| format!("f{i}")).collect();
    let row = vec!["1"; 251].join(",");
    let table = files.write("few.csv", format!("{},y\n{row}\n{row}\n", header.join(",")));
    let output = run_on(&table, &["--seed", "1", "--format", "json"]);
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let ids: Vec<&str> =
        record["warnings"].as_array().unwrap().iter().map(|w| w["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["seeded", "rare-class"]);
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = dpsis(&["completions", shell]);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).contains("target-bounds"), "{shell}");
    }
    let manual = dpsis(&["man"]);
    for word in ["dpsis", "\\-\\-target\\-bounds", "\\-\\-write\\-schema"] {
        assert!(stdout(&manual).contains(word), "{word}");
    }
}

/// JSON carries the day and the request without the names of files, which are named on request
/// alone.
#[test]
fn a_record_says_when_and_how_it_was_made() {
    let files = Files::new();
    let table = files.write("secret.csv", "a,b,y\n1,2,3\n4,5,6\n");
    let list = files.write("list.txt", "b\n");
    let list = format!("@{}", list.to_str().unwrap());
    let run = |more: &[&str], epoch: &str| {
        let common = ["-e1", "--exclude", &list, "--format", "json", "--na=-9"];
        let output = Command::new(env!("CARGO_BIN_EXE_dpsis"))
            .args([&["select", "-k", "1"], &common[..], more, &[table.to_str().unwrap()]].concat())
            .env("SOURCE_DATE_EPOCH", epoch)
            .output()
            .unwrap();
        (code(&output), stdout(&output).to_owned(), said(&output))
    };
    let (_, json, _) = run(&["--seed", "7"], "1795305600");
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(record["run"]["day"], "2026-11-22");
    let request = "dpsis select --k 1 --eps 1 --exclude @FILE --na=-9 --format json --seed 7 FILE";
    assert_eq!(record["run"]["request"], request);
    assert!(!json.contains("secret") && !json.contains("list.txt"));
    // The day, not the time of it.
    assert_eq!(run(&["--seed", "7"], "1795391999").1, json);
    assert_ne!(run(&["--seed", "7"], "1795392000").1, json);
    let (_, json, _) = run(&["--name-file"], "0");
    let record: serde_json::Value = serde_json::from_str(&json).unwrap();
    let request = record["run"]["request"].as_str().unwrap();
    assert!(request.ends_with(table.to_str().unwrap()) && request.contains(&list), "{request}");
    assert_eq!(record["run"]["day"], "1970-01-01");
    let (code, json, said) = run(&[], "yesterday");
    assert_eq!((code, json.as_str()), (2, ""));
    assert!(said.contains("SOURCE_DATE_EPOCH must be"), "{said}");
}

/// The command line asks the library for what its options say, and prints its record.
#[test]
fn options_make_the_request_of_the_library() {
    use dpsis::{Bounds, Center, Neighbors, ScoreKind, Select, Target};
    let bounded = Target::Bounded(Bounds::new(-4.0, 4.0).unwrap());
    let select = || Select::new(5).epsilon("0.7");
    let requests: Vec<(Select, &[&str])> = vec![
        (select(), &[]),
        (select().bounds(-2.0, 2.0), &["--bounds=-2,2"]),
        (
            select().bounds(-2.0, 2.0).target(bounded.clone()).neighbors(Neighbors::ReplaceOne),
            &["--bounds=-2,2", "--target-bounds=-4,4", "--neighbors", "replace-one"],
        ),
        (
            select().target(bounded).center(Center::Stated(0.5)),
            &["--target-bounds=-4,4", "--center", "0.5"],
        ),
        (select().score(ScoreKind::Kendall), &["--score", "kendall"]),
        (select().shares("0.2", "0.1"), &["--split", "center=0.1,target=0.2"]),
    ];
    for (request, options) in requests {
        let printed = Command::new(env!("CARGO_BIN_EXE_dpsis"))
            .args(["select", "--k", "5", "--eps", "0.7", "--seed", "11", "--format", "json", DEMO])
            .args(options)
            .output()
            .unwrap();
        let record = request.seed(11).run(DEMO).unwrap();
        let printed = String::from_utf8(printed.stdout).unwrap();
        // What the command line adds.
        let parsed: serde_json::Value = serde_json::from_str(&printed).unwrap();
        let [day, request] = ["day", "request"].map(|key| parsed["run"][key].as_str().unwrap());
        let record = record.with_run(dpsis::RunNote::new(day, request));
        assert_eq!(printed, dpsis::report::to_json(&record).unwrap());
    }
}
