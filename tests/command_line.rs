//! The command line as a user meets it.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/demo.csv");

fn dpsis(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dpsis")).args(arguments).output().unwrap()
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
    let first: Vec<&str> = report.lines().take(2).collect();
    assert!(first[0].contains("one row of the file"), "{report}");
    assert!(first[1].contains("ranks within the row: suits"), "{report}");
    assert!(
        report.contains("epsilon 2 = 0.2 target median + 0.1 target centre + 1.7 selection"),
        "{report}"
    );
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
    assert_eq!(record["guarantee"]["neighbours"], "add/remove");
    let spent: Vec<String> = record["guarantee"]["spent"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| format!("{} {}", part["for"].as_str().unwrap(), part["epsilon"]))
        .collect();
    assert_eq!(spent, ["target-median \"1/30\"", "target-center \"1/60\"", "selection \"17/60\""]);
    assert_eq!(record["mechanism"]["id"], "canonical");
    assert_eq!(record["mechanism"]["gamma"], "0.5");
    assert_eq!(record["score"]["grid"], 32767);
    assert_eq!(record["score"]["scale"], "row-rank");
    assert_eq!(record["public"]["features"], 300);
    assert!(record["released"]["target_median"].is_number());
    assert_eq!(record["randomness"]["seeded"], false);
    // The index is the column of the file.
    let picked = &record["selected"][0];
    let number: u64 = picked["name"].as_str().unwrap()[5..].parse().unwrap();
    assert_eq!(picked["index"], number);
}

/// The request alone is wrong: exit code 2 although the file does not even exist.
#[test]
fn wrong_requests_are_refused_before_reading() {
    let base = ["select", "--k", "5", "--eps", "2"];
    for (arguments, text) in [
        (&["select", "--eps", "2"][..], "--k"),
        (&["select", "--k", "5"], "--eps"),
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
        (&[&base[..], &["--scale", "bounds"]].concat(), "needs --bounds"),
        (&[&base[..], &["--target-bounds", "5,5"]].concat(), "the lower one first"),
        (&[&base[..], &["--classes", "a"]].concat(), "at least two classes"),
        (&[&base[..], &["--classes", "a,b,a"]].concat(), "twice"),
        (&[&base[..], &["--classes", "a,b", "--target-bounds", "0,1"]].concat(), "cannot be used"),
        (&[&base[..], &["--target", "y", "--target-index", "3"]].concat(), "cannot be used"),
        (&[&base[..], &["--center", "middle"]].concat(), "private, none"),
        (&[&base[..], &["--center", "0.5"]].concat(), "needs --target-bounds or --classes"),
        (&[&base[..], &["--threads", "0"]].concat(), "between 1 and 1024"),
        (&[&base[..], &["--threads", "18446744073709551615"]].concat(), "between 1 and 1024"),
        (&[&base[..], &["--format", "xml"]].concat(), "possible values"),
    ] {
        let mut arguments = arguments.to_vec();
        arguments.push("no-such-file.csv");
        let output = dpsis(&arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(text), "{arguments:?}: {}", stderr(&output));
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
        (&["--target-index", "4"], "between 1 and 3"),
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
        assert!(stderr(&output).contains(text), "{}", stderr(&output));
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
        ("header only", b"a,b,y\n".to_vec(), "no row has a number here"),
        ("one column", b"y\n1\n".to_vec(), "no feature"),
        ("other delimiter", b"a;b;y\n1;2;3\n".to_vec(), "separated by commas"),
        ("duplicate", b"a,a,y\n1,2,3\n".to_vec(), "header, column 2: a column name occurs twice"),
        ("nameless", b"a,,y\n1,2,3\n".to_vec(), "header, column 2"),
        ("not utf-8", b"a,\xff,y\n1,2,3\n".to_vec(), "header, column 2"),
        ("nul", b"a,\0,y\n1,2,3\n".to_vec(), "header, column 2"),
        ("short", rows("SECRET,2"), "row 2, column 3: the row has 2 cells where the header has 3"),
        ("wide", rows("1,2,3,SECRET"), "row 2, column 4: the row has more cells"),
        ("unclosed", rows("1,\"SECRET,3"), "row 2, column 2: a quoted cell runs past the end"),
        ("line feed", rows("1,\"SEC\nRET\",3"), "row 2, column 2: a quoted cell runs past"),
        ("quote in header", b"a,b,\"y\n1,SECRET,3\n".to_vec(), "header, column 3"),
        ("quoted header", b"a,\"b,y\n1,\"SECRET\",3\n4,5,6\n".to_vec(), "header, column 2"),
        ("carriage", rows("1,SEC\rRET,3"), "row 2, column 2: a carriage return"),
        ("oversized", rows(&format!("1,{long},3")), "row 2, column 2: the cell is longer"),
        ("row names", b"a,y\nr1,1,2\nr2,3,4\n".to_vec(), "as R writes row names"),
        ("no target", b"a,b,y\n1,2,SECRET\n3,4,SECRET\n".to_vec(), "state them: --classes"),
        ("truncated", zipped[..zipped.len() - 20].to_vec(), "damaged or end too early"),
    ] {
        let path = files.write("bad.csv", bytes);
        for threads in ["1", "2"] {
            let output = run_on(&path, &["--threads", threads]);
            assert_eq!(code(&output), 3, "{name}: {}", stderr(&output));
            assert!(stderr(&output).contains(text), "{name}: {}", stderr(&output));
            assert!(!stderr(&output).contains("SEC"), "{name}: {}", stderr(&output));
            assert_eq!(stdout(&output), "", "{name}");
        }
    }
    let labels = files.write("labels.csv", "a,b,y\n1,2,yes\n3,4,no\n");
    let output = run_on(&labels, &["--classes", "Yes,No"]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("case included"), "{}", stderr(&output));
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
    assert!(stderr(&output).contains("column 1 is taken for ids"), "{}", stderr(&output));
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
    // Columns that really are named by numbers, as spectra are, and a target that is.
    let spectra = files.write("s.csv", "400,402,protein\n1,2,3\n");
    assert_eq!(code(&run_on(&spectra, &[])), 0);
    let numbered = files.write("p.csv", "0,1,2\n1,2,3\n");
    assert_eq!(code(&run_on(&numbered, &[])), 3);
    assert_eq!(code(&run_on(&numbered, &["--target", "2"])), 0);
}

#[test]
fn what_the_system_refuses() {
    let files = Files::new();
    let missing = files.0.path().join("missing.csv");
    assert_eq!(code(&run_on(&missing, &[])), 5);
    assert_eq!(code(&run_on(files.0.path(), &[])), 5);
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

/// A pipe can be read once: enough where the target's coding is stated.
#[cfg(unix)]
#[test]
fn pipes_are_read_once() {
    let table = std::fs::read(DEMO).unwrap();
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
        command.args(["select", "--k", "5", "--eps", "2"]).args(more).arg("/dev/stdin");
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        // The child may refuse without reading.
        let _ = child.stdin.take().unwrap().write_all(&table);
        child.wait_with_output().unwrap()
    };
    let once = run(&["--target-bounds=-9,9"]);
    assert_eq!(code(&once), 0, "{}", stderr(&once));
    let twice = run(&[]);
    assert_eq!(code(&twice), 2);
    assert!(stderr(&twice).contains("two passes"), "{}", stderr(&twice));
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
    assert_ne!(stdout(&run("8", "text")), stdout(&text));
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
        output.stdout
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
