//! Files that are wrong, each in several wrappings, each with its declared outcome: the exit code,
//! the place, no panic, nothing on stdout, and never a cell's value in a message.

use std::io::Write;

use crate::harness::{Folder, assert_contains, assert_lacks, gzip, piped};

/// A content of cells that must never be printed.
const SECRET: &str = "S3CR3T";

/// The outcome that a run on a file must have.
enum Outcome {
    /// Exit code 0 and one name.
    Released,
    /// A release, or an end because of private counts: the noise decides.
    Drawn,
    /// This exit code, and this text in the message.
    Refused(i32, &'static str),
}

use Outcome::{Drawn, Refused, Released};

/// A file: its name, the options of the run, the text and the outcome.
type Case = (&'static str, &'static str, Vec<u8>, Outcome);

fn cases() -> Vec<Case> {
    let rows = |bad: &str| format!("a,b,y\n1,2,3\n{bad}\n4,5,6\n").into_bytes();
    let long = "7".repeat(4097);
    let wide = format!("a,b,y\n{}\n", "1,".repeat(3_000_000));
    let endless = format!("a,b,y\n{}", "8".repeat(3_000_000));
    let labels = "--classes yes,no";
    // Exit code 3, with the text in the message.
    let malformed: Vec<(&str, Vec<u8>, &str)> = vec![
        ("nothing", b"".into(), "empty"),
        ("blank lines", b"\n\r\n\n".into(), "empty"),
        ("one column", b"y\n1\n".into(), "no feature column"),
        ("ids and target only", b",y\np,1\n".into(), "no feature column"),
        ("no header", b"1.5,2,3\n4,5,6\n".into(), "is the header missing?"),
        ("name twice", b"a,a,y\n1,2,3\n".into(), "column 2: a column name"),
        ("target twice", b"a,y,y\n1,2,3\n".into(), "column 3"),
        ("no name", b"a,,y\n1,2,3\n".into(), "column 2: the column has no"),
        ("two without names", b",,y\n1,2,3\n".into(), "column 2"),
        ("name not UTF-8", b"a,\xff\xfe,y\n1,2,3\n".into(), "column 2"),
        ("name with NUL", b"a,b\0,y\n1,2,3\n".into(), "column 2"),
        ("name too long", format!("a,{long},y\n").into(), "column 2"),
        ("open quote in header", b"\"a,b,y\n1,2,3\n4,5,6\n".into(), "column 1"),
        ("row too short", rows(SECRET), "row 2, column 2: the row has fewer"),
        ("row too wide", rows("1,2,3,S3CR3T"), "row 2, column 4: the row has more"),
        ("row far too wide", wide.into(), "row 1, column 4: the row has more"),
        ("R row names", b"a,y\nr1,1,2\nr2,3,4\n".into(), "as R's write.table"),
        ("open quote", rows("1,\"S3CR3T,3"), "row 2, column 2: a quoted cell"),
        ("open quote at the end", b"a,b,y\n1,2,\"3".into(), "row 1, column 3"),
        ("line feed in a cell", rows("1,\"S3C\nR3T\",3"), "row 2, column 2: a quoted"),
        ("return in a cell", rows("1,\"S3C\rR3T\",3"), "row 2, column 2: a carriage"),
        ("old line ends", b"a,b,y\r1,2,3\r4,5,6\r".into(), "row"),
        ("cell too long", rows(&format!("1,{long},3")), "row 2, column 2: the cell is"),
        ("line without end", endless.into(), "row 1, column 1: the cell is longer"),
        ("other delimiter", b"a|b|y\n1|2|3\n".into(), "--delimiter"),
        ("quote in header", b"a,b,\"y\n1,S3CR3T,3\n".into(), "column 3"),
        ("quotes in header and rows", b"a,\"b,y\n1,\"S3CR3T\",3\n4,5,6\n".into(), "column 2"),
    ];
    let odd: Vec<(&str, Vec<u8>)> = vec![
        ("one row", b"a,b,y\n1,2,3\n".into()),
        ("one feature", b"a,y\n1,2\n3,4\n".into()),
        ("constant columns", b"a,b,y\n1,1,1\n1,1,1\n".into()),
        ("all features missing", b"a,b,y\n,,1\nNA,x,2\n".into()),
        ("NaN and infinite cells", b"a,b,y\nnan,inf,1\n-inf,1e400,2\n".into()),
        ("cells not UTF-8", b"a,b,y\n\xff,\xc3\x28,1\n1,2,3\n".into()),
        ("cells with NUL", b"a,b,y\n\0,1\0,1\n1,2,3\n".into()),
        ("quoted cells", b"\"a\",\"b\",\"y\"\n\"1\",\" 2 \",\"3\"\n".into()),
        ("longest cell", rows(&format!("1,{},3", &long[1..]))),
        ("mixed line ends", b"a,b,y\r\n1,2,3\n4,5,6\r\n\n7,8,9".into()),
        ("missing cells", b"a,b,y\nNA,,1\nnan,inf,2\n1e400,x,\n".into()),
        ("ids without a name", b",a,y\nr1,1,2\nr2,3,4\n".into()),
        ("no line end", b"a,b,y\n1,2,3".into()),
    ];
    let others: Vec<Case> = vec![
        ("header only", "", b"a,b,y".into(), Drawn),
        ("header and blank lines", "", b"a,b,y\n\n\n".into(), Drawn),
        ("no header, labels", labels, b"1,2,yes\n4,5,no\n".into(), Refused(3, "header missing?")),
        ("text target", "", b"a,b,y\n1,2,S3CR3T\n".into(), Drawn),
        ("other labels", labels, b"a,b,y\n1,2,S3CR3T\n".into(), Drawn),
        ("labels in capitals", labels, b"a,b,y\n1,2,YES\n".into(), Drawn),
        ("NaN target", "", b"a,b,y\n1,2,nan\n1,2,inf\n1,2,1e400\n".into(), Drawn),
        (
            "decimal commas in CSV",
            "--decimal-comma",
            rows("1,2,3"),
            Refused(2, "decimal commas need"),
        ),
        (
            "k larger than the number of features",
            "--k 3",
            rows("1,2,3"),
            Refused(2, "number of features, 2"),
        ),
        ("unknown target", "--target z", rows("1,2,3"), Refused(2, "no column \"z\"")),
        ("constant, correlation", "--scale row-rank", b"a,b,y\n1,1,1\n1,1,1\n".into(), Released),
        (
            "huge and tiny cells",
            "--bounds 0,1",
            b"a,b,y\n1e308,-1e308,1\n5e-324,0,2\n".into(),
            Released,
        ),
        ("byte order mark", "--target a", b"\xef\xbb\xbfa,b,y\n1,2,3\n".into(), Released),
    ];
    let malformed =
        malformed.into_iter().map(|(name, text, part)| (name, "", text, Refused(3, part)));
    let odd = odd.into_iter().map(|(name, text)| (name, "", text, Released));
    malformed.chain(odd).chain(others).collect()
}

fn check(name: &str, options: &str, bytes: &[u8], outcome: &Outcome) {
    let folder = Folder::new().with("table", bytes);
    let k = if options.contains("--k") { "" } else { "--k 1" };
    let output = folder.run(&format!("select --eps 1 {k} {options} table"));
    let message = output.message();
    assert_lacks(&message, SECRET);
    match outcome {
        Released => {
            assert_eq!(output.code, Some(0), "{name}: {message}");
            assert_eq!(output.stdout.lines().count(), 1, "{name}");
        }
        Drawn => {
            let ended = output.code == Some(3)
                && message.contains("by private counts the classes have almost no rows");
            assert!(output.code == Some(0) || ended, "{name}: {:?} {message}", output.code);
        }
        Refused(code, part) => {
            assert_eq!(output.code, Some(*code), "{name}: {message}");
            assert!(message.contains(part), "{name}: {message}");
            assert_eq!(output.stdout, "", "{name}");
        }
    }
    assert_eq!(folder.names(), ["table"], "{name}: a file was left");
}

#[test]
fn plain_files() {
    for (name, options, bytes, outcome) in cases() {
        for threads in [1, 2] {
            check(name, &format!("{options} --threads {threads}"), &bytes, &outcome);
        }
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

/// Compressed data that are truncated or of another format than their first bytes indicate.
#[test]
fn damaged_compression() {
    let text: String = (0..3000).map(|i| format!("{},{},{}\n", i % 7, i * i % 11, i % 3)).collect();
    let text = format!("a,b,y\n{text}");
    let mut checked = zstd::Encoder::new(Vec::new(), 1).unwrap();
    checked.include_checksum(true).unwrap();
    checked.write_all(text.as_bytes()).unwrap();
    for whole in [gzip(&text), checked.finish().unwrap()] {
        check("whole", "", &whole, &Released);
        let damaged = Refused(3, "damaged or end too early");
        for cut in [5, whole.len() / 2, whole.len() - 1] {
            check("cut", "", &whole[..cut], &damaged);
        }
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 0x55;
        check("flipped", "", &flipped, &Refused(3, ""));
        check("trailing", "", &[&whole[..], b"rubbish"].concat(), &damaged);
    }
}

/// If a given label does not occur, private counts end the run or cause a warning.
#[test]
fn labels_that_do_not_occur_are_suspected() {
    let folder = Folder::new().with("t.csv", "a,b,y\n1,2,yes\n3,4,no\n");
    let output = folder.run("select --k 1 --eps 1 --classes Yes,No t.csv");
    let is_refused = output.code == Some(3);
    let expected = if is_refused { "case included" } else { "spelling of the labels" };
    assert_contains(&output.message(), expected);
}

#[test]
fn a_first_column_without_a_name_holds_ids() {
    let folder = Folder::new().with("t.csv", ",a,y\nr1,1,2\n");
    let output = folder.run("select --k 1 --eps 1 t.csv").succeeds();
    assert_eq!(output.stdout, "a\n");
    assert_contains(&output.stderr, "column 1 holds identifiers");
}

/// A gigabyte in one line, made on the fly: refused within a bounded memory and time.
#[cfg(unix)]
#[test]
fn a_gigabyte_in_one_line() {
    let mut child = piped(&mut Folder::new().command("select --k 1 --eps 1 -"));
    let mut input = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || {
        let block = vec![b'1'; 1 << 20];
        let _ = input.write_all(b"a,b,y\n");
        // Stops when the reader has left.
        (0..1024).take_while(|_| input.write_all(&block).is_ok()).count()
    });
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(3));
    assert!(feeder.join().unwrap() < 64, "most of it was never read");
}
