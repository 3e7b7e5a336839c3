//! Files that are wrong, each in several wrappings, each with its declared outcome: the exit code,
//! the place, no panic, nothing on stdout, and never a cell's value in a message.

#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::io::Write;
use std::process::Command;

/// Stands in cells: must never be seen.
const SECRET: &str = "S3CR3T";

/// The outcome that a run on a file must have.
enum Outcome {
    /// Exit code 0 and one name.
    Released,
    /// Either that, or an end by released counts, which have noise.
    Drawn,
    /// This exit code, and these words.
    Refused(i32, &'static str),
}

use Outcome::{Drawn, Refused, Released};

/// (name, options, the file as comma-separated text, outcome)
fn cases() -> Vec<(&'static str, &'static [&'static str], Vec<u8>, Outcome)> {
    let rows = |bad: &str| format!("a,b,y\n1,2,3\n{bad}\n4,5,6\n").into_bytes();
    let long = "7".repeat(4097);
    let wide = format!("a,b,y\n{}\n", "1,".repeat(3_000_000));
    let endless = format!("a,b,y\n{}", "8".repeat(3_000_000));
    let labels: &[&str] = &["--classes", "yes,no"];
    vec![
        ("nothing", &[], b"".to_vec(), Refused(3, "empty")),
        ("blank lines", &[], b"\n\r\n\n".to_vec(), Refused(3, "empty")),
        ("header only", &[], b"a,b,y".to_vec(), Drawn),
        ("header and blank lines", &[], b"a,b,y\n\n\n".to_vec(), Drawn),
        ("one column", &[], b"y\n1\n".to_vec(), Refused(3, "no feature column")),
        ("ids and target only", &[], b",y\np,1\n".to_vec(), Refused(3, "no feature column")),
        ("no header", &[], b"1.5,2,3\n4,5,6\n".to_vec(), Refused(3, "is the header missing?")),
        ("no header, labels", labels, b"1,2,yes\n4,5,no\n".to_vec(), Refused(3, "header missing?")),
        (
            "name twice",
            &[],
            b"a,a,y\n1,2,3\n".to_vec(),
            Refused(3, "header, column 2: a column name"),
        ),
        ("target twice", &[], b"a,y,y\n1,2,3\n".to_vec(), Refused(3, "header, column 3")),
        (
            "no name",
            &[],
            b"a,,y\n1,2,3\n".to_vec(),
            Refused(3, "header, column 2: the column has no"),
        ),
        ("two without names", &[], b",,y\n1,2,3\n".to_vec(), Refused(3, "header, column 2")),
        ("name not UTF-8", &[], b"a,\xff\xfe,y\n1,2,3\n".to_vec(), Refused(3, "header, column 2")),
        ("name with NUL", &[], b"a,b\0,y\n1,2,3\n".to_vec(), Refused(3, "header, column 2")),
        ("name too long", &[], format!("a,{long},y\n").into(), Refused(3, "header, column 2")),
        (
            "open quote in header",
            &[],
            b"\"a,b,y\n1,2,3\n4,5,6\n".to_vec(),
            Refused(3, "header, column 1"),
        ),
        ("row too short", &[], rows(SECRET), Refused(3, "row 2, column 2: the row has fewer")),
        (
            "row too wide",
            &[],
            rows("1,2,3,S3CR3T"),
            Refused(3, "row 2, column 4: the row has more"),
        ),
        ("row far too wide", &[], wide.into(), Refused(3, "row 1, column 4: the row has more")),
        ("R row names", &[], b"a,y\nr1,1,2\nr2,3,4\n".to_vec(), Refused(3, "as R's write.table")),
        ("open quote", &[], rows("1,\"S3CR3T,3"), Refused(3, "row 2, column 2: a quoted cell")),
        ("open quote at the end", &[], b"a,b,y\n1,2,\"3".to_vec(), Refused(3, "row 1, column 3")),
        (
            "line feed in a cell",
            &[],
            rows("1,\"S3C\nR3T\",3"),
            Refused(3, "row 2, column 2: a quoted"),
        ),
        (
            "return in a cell",
            &[],
            rows("1,\"S3C\rR3T\",3"),
            Refused(3, "row 2, column 2: a carriage"),
        ),
        ("old line ends", &[], b"a,b,y\r1,2,3\r4,5,6\r".to_vec(), Refused(3, "row")),
        (
            "cell too long",
            &[],
            rows(&format!("1,{long},3")),
            Refused(3, "row 2, column 2: the cell is"),
        ),
        (
            "line without end",
            &[],
            endless.into(),
            Refused(3, "row 1, column 1: the cell is longer"),
        ),
        ("text target", &[], b"a,b,y\n1,2,S3CR3T\n".to_vec(), Drawn),
        ("other labels", labels, b"a,b,y\n1,2,S3CR3T\n".to_vec(), Drawn),
        ("labels in capitals", labels, b"a,b,y\n1,2,YES\n".to_vec(), Drawn),
        ("NaN target", &[], b"a,b,y\n1,2,nan\n1,2,inf\n1,2,1e400\n".to_vec(), Drawn),
        (
            "decimal commas in CSV",
            &["--decimal-comma"],
            rows("1,2,3"),
            Refused(2, "decimal commas need"),
        ),
        ("too many asked for", &["--k", "3"], rows("1,2,3"), Refused(2, "number of features, 2")),
        ("unknown target", &["--target", "z"], rows("1,2,3"), Refused(2, "no column \"z\"")),
        ("one row", &[], b"a,b,y\n1,2,3\n".to_vec(), Released),
        ("one feature", &[], b"a,y\n1,2\n3,4\n".to_vec(), Released),
        ("constant columns", &[], b"a,b,y\n1,1,1\n1,1,1\n".to_vec(), Released),
        (
            "constant, correlation",
            &["--scale", "row-rank"],
            b"a,b,y\n1,1,1\n1,1,1\n".to_vec(),
            Released,
        ),
        ("all features missing", &[], b"a,b,y\n,,1\nNA,x,2\n".to_vec(), Released),
        ("NaN and infinite cells", &[], b"a,b,y\nnan,inf,1\n-inf,1e400,2\n".to_vec(), Released),
        (
            "huge and tiny cells",
            &["--bounds", "0,1"],
            b"a,b,y\n1e308,-1e308,1\n5e-324,0,2\n".to_vec(),
            Released,
        ),
        ("cells not UTF-8", &[], b"a,b,y\n\xff,\xc3\x28,1\n1,2,3\n".to_vec(), Released),
        ("cells with NUL", &[], b"a,b,y\n\0,1\0,1\n1,2,3\n".to_vec(), Released),
        ("quoted cells", &[], b"\"a\",\"b\",\"y\"\n\"1\",\" 2 \",\"3\"\n".to_vec(), Released),
        ("longest cell", &[], rows(&format!("1,{},3", &long[1..])), Released),
        ("byte order mark", &["--target", "a"], b"\xef\xbb\xbfa,b,y\n1,2,3\n".to_vec(), Released),
        ("mixed line ends", &[], b"a,b,y\r\n1,2,3\n4,5,6\r\n\n7,8,9".to_vec(), Released),
    ]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn check(name: &str, options: &[&str], bytes: &[u8], outcome: &Outcome) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    std::fs::write(&path, bytes).unwrap();
    let k: &[&str] = if options.contains(&"--k") { &[] } else { &["--k", "1"] };
    let output = Command::new(env!("CARGO_BIN_EXE_dpsis"))
        .args(["select", "--eps", "1"])
        .args(k)
        .args(options)
        .arg(&path)
        .output()
        .unwrap();
    let code = output.status.code();
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!said.contains(SECRET) && !said.contains("panicked"), "{name}: {said}");
    match outcome {
        Released => {
            assert_eq!(code, Some(0), "{name}: {said}");
            assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1, "{name}");
        }
        Drawn => {
            let ended = code == Some(3)
                && said.contains("by private counts the classes have almost no rows");
            assert!(code == Some(0) || ended, "{name}: {code:?} {said}");
        }
        Refused(expected, words) => {
            assert_eq!(code, Some(*expected), "{name}: {said}");
            assert!(said.contains(words), "{name}: {said}");
            assert!(output.stdout.is_empty(), "{name}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{name}: a file was left");
}

#[test]
fn plain_files() {
    for (name, options, bytes, outcome) in cases() {
        check(name, options, &bytes, &outcome);
    }
}

#[test]
fn gzip_files() {
    for (name, options, bytes, outcome) in cases() {
        check(name, options, &gzip(&bytes), &outcome);
    }
}

#[test]
fn zstd_files() {
    for (name, options, bytes, outcome) in cases() {
        check(name, options, &zstd::encode_all(&bytes[..], 1).unwrap(), &outcome);
    }
}

/// Compressed data that end too early or are not what they seem.
#[test]
fn damaged_compression() {
    let text: String = (0..3000).map(|i| format!("{},{},{}\n", i % 7, i * i % 11, i % 3)).collect();
    let text = format!("a,b,y\n{text}");
    let mut checked = zstd::Encoder::new(Vec::new(), 1).unwrap();
    checked.include_checksum(true).unwrap();
    checked.write_all(text.as_bytes()).unwrap();
    for whole in [gzip(text.as_bytes()), checked.finish().unwrap()] {
        check("whole", &[], &whole, &Released);
        let damaged = Refused(3, "damaged or end too early");
        for cut in [5, whole.len() / 2, whole.len() - 1] {
            check("cut", &[], &whole[..cut], &damaged);
        }
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 0x55;
        check("flipped", &[], &flipped, &Refused(3, ""));
        check("trailing", &[], &[&whole[..], b"rubbish"].concat(), &damaged);
    }
}

/// A gigabyte in one line, made on the fly: refused within a bounded memory and time.
#[cfg(unix)]
#[test]
fn a_gigabyte_in_one_line() {
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_dpsis"))
        .args(["select", "--k", "1", "--eps", "1", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || {
        let block = vec![b'1'; 1 << 20];
        let _ = input.write_all(b"a,b,y\n");
        // Stops when the reader has left.
        (0..1024).take_while(|_| input.write_all(&block).is_ok()).count()
    });
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(feeder.join().unwrap() < 64, "most of it was never read");
}

/// Notes for the neighbor of a file: with the same seed, everything but the selection and what was
/// paid for is the same, to the byte.
#[test]
fn neighboring_files_are_told_apart_by_paid_releases_alone() {
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/demo.csv");
    let text = std::fs::read_to_string(demo).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let lines: Vec<&str> = text.lines().collect();
    let without = |row: usize| {
        let mut kept = lines.clone();
        kept.remove(row);
        kept.join("\n")
    };
    let odd = |cells: &str| format!("{}\n{cells}", text.trim_end());
    let empty = ",".repeat(300);
    let wild = vec!["1e400,-9e307,nan,x,"; 75].concat() + "77";
    let tables = [text.clone(), without(1), without(250), odd(&empty), odd(&wild)];
    let options: [&[&str]; 5] = [
        &[],
        &["--score", "kendall"],
        &["--target-bounds=-9,9", "--bounds=-3,3"],
        &["--target-bounds=-9,9", "--center", "0"],
        &["--center", "none", "--scale", "row-rank"],
    ];
    for option in options {
        let run = |table: &String, format: &str| {
            std::fs::write(&path, table).unwrap();
            let output = Command::new(env!("CARGO_BIN_EXE_dpsis"))
                .args(["select", "--k", "5", "--eps", "1", "--seed", "9", "--format", format])
                .args(option)
                .arg(&path)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(0));
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
        };
        let masked = |table: &String| {
            let (json, said) = run(table, "json");
            let mut record: serde_json::Value = serde_json::from_str(&json).unwrap();
            let fields = record.as_object_mut().unwrap();
            // Names and places of the selection; the estimates; what is computed from them.
            let selected = fields["selected"].as_array().unwrap().len();
            fields.insert("selected".into(), selected.into());
            for estimate in fields["released"].as_object_mut().unwrap().values_mut() {
                *estimate = estimate.is_null().into();
            }
            fields["score"]["sensitivity"] = 0.into();
            // By the released counts.
            if let Some(ratio) = fields["mechanism"].pointer_mut("/chosen/ratio") {
                *ratio = true.into();
            }
            let found = fields["estimates"].as_array().unwrap().len();
            fields.insert("estimates".into(), found.into());
            fields.insert("verdict".into(), true.into());
            let (names, report) = run(table, "text");
            // The report's line breaks move with the width of a number.
            let number = |word: &&str| !word.contains(|c: char| c.is_ascii_digit());
            // What was found depends on what was released.
            let report = report.split("\nstrength ").next().unwrap();
            let report: Vec<&str> = report.split_whitespace().filter(number).collect();
            (record.to_string(), said, names.lines().count(), report.join(" "))
        };
        let expected = masked(&tables[0]);
        for table in &tables[1..] {
            assert_eq!(masked(table), expected, "{option:?}");
        }
    }
}
