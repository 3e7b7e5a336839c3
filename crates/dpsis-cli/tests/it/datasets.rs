//! Public sets by the command line: from folders, as R publishes them, and from a server; bounds
//! from a reference table.
//!
//! Published files are looked for in the folder `DPSIS_DATASETS` (files NAME.csv.gz) and in `raw`
//! beside it (NAME.RData). Tests that need them say so and pass where they are not, or fail with
//! `DPSIS_REQUIRE_DATA=1`.
#![allow(clippy::unwrap_used, clippy::print_stderr)] // in a test a panic is how a failure is said

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use dpsis_eval::datasets::{Clip, PublicTable, bounds, find, manifest, open, table_sha256, to_csv};
use ndarray::Array2;

fn dpsis(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dpsis"));
    for proxy in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    command.args(arguments).current_dir(folder).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap()
}

fn assert_code(output: &Output, code: i32, text: &str) {
    assert_eq!(output.status.code(), Some(code), "{}", said(output));
    // Lines are wrapped.
    let words = said(output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(text), "{text}: {words}");
}

/// The folder with the published files, if it is there.
fn published() -> Option<PathBuf> {
    Some(crate::support::data::real("alon")?.parent()?.to_owned())
}

/// A table that has the shape of a set without a checksum: its name, and the text.
fn stand_in() -> (&'static str, String) {
    let set = find("chin").unwrap();
    let table = PublicTable {
        features: (1..=set.d).map(|j| format!("g{j}, strand {}", j % 2)).collect(),
        x: Array2::from_shape_fn((set.n, set.d), |(i, j)| ((i * 31 + j * 17) % 1009) as f64 / 7.0),
        labels: (0..set.n)
            .map(|i| if i % 3 == 0 { "positive" } else { "negative" }.into())
            .collect(),
    };
    ("chin", to_csv(&table))
}

/// The published R files are tables by themselves: `FileTable` gives what the import gives.
#[test]
fn r_files_are_tables() {
    let Some(folder) = published() else { return };
    let raw = folder.with_file_name("raw");
    let mut read = 0;
    for set in manifest() {
        let path = raw.join(format!("{}.RData", set.name));
        if !path.is_file() {
            continue;
        }
        read += 1;
        let imported = open(&raw, &set.name).unwrap().unwrap();
        let table = PublicTable::read(&dpsis::FileTable::new(&path)).unwrap();
        assert_eq!((&table.features, &table.labels), (&imported.features, &imported.labels));
        let bits = |x: &Array2<f64>| x.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert!(bits(&table.x) == bits(&imported.x), "{}", set.name);
    }
    if read == 0 {
        crate::support::data::missing("published R files beside DPSIS_DATASETS, in raw");
    }
}

/// Every published file gives what its CSV twin holds, as the csv crate and the standard library
/// read it: the same names, labels and bits.
#[test]
fn r_files_hold_what_csv_files_hold() {
    let Some(folder) = published() else { return };
    let raw = folder.with_file_name("raw");
    let mut compared = 0;
    for set in manifest() {
        let name = &set.name;
        let (r, csv) = (raw.join(format!("{name}.RData")), folder.join(format!("{name}.csv.gz")));
        if !r.is_file() || !csv.is_file() {
            eprintln!("skipped: {name} is not there in both forms");
            continue;
        }
        let alone = tempfile::tempdir().unwrap();
        std::fs::copy(r, alone.path().join(format!("{name}.RData"))).unwrap();
        let table = open(alone.path(), name).unwrap().unwrap();
        let file = std::fs::File::open(csv).unwrap();
        let mut reader = csv::Reader::from_reader(flate2::read::MultiGzDecoder::new(file));
        let header = reader.headers().unwrap().clone();
        assert_eq!(header.iter().collect::<Vec<_>>()[..set.d], table.features[..], "{name}");
        let mut rows = 0;
        for (row, record) in reader.records().enumerate() {
            let record = record.unwrap();
            assert_eq!(record[set.d], table.labels[row], "{name}");
            let bits = |cell: &str| cell.parse::<f64>().unwrap().to_bits();
            let same =
                record.iter().zip(table.x.row(row)).all(|(cell, x)| bits(cell) == x.to_bits());
            assert!(same, "{name}, row {row}");
            rows += 1;
        }
        assert_eq!((rows, header.len()), (set.n, set.d + 1), "{name}");
        // The manifest's checksum of the table was computed elsewhere.
        assert_eq!(Some(table_sha256(&table)), set.table_sha256, "{name}");
        let mut classes = table.labels.clone();
        classes.sort();
        classes.dedup();
        let mut known = set.classes.clone();
        known.sort();
        assert_eq!(classes, known, "{name}");
        compared += 1;
    }
    assert_eq!(compared, 14);
}

/// Written tables can be read again, in every form, from the folder itself and below it.
#[test]
fn published_sets_go_around() {
    let Some(folder) = published() else { return };
    let shared = folder.parent().unwrap().to_str().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path();
    // From csv/ below the folder; from the files just written; in another folder.
    for (arguments, file) in [
        (["khan", "--from", shared, "-o", "khan.npy"], "khan.npy"),
        (["khan", "--from", ".", "-o", "csv/khan.csv"], "csv/khan.csv"),
        (["khan", "--from", "csv", "-o", "k/khan.csv.gz"], "k/khan.csv.gz"),
        (["khan", "--from", "k", "-o", "again.csv"], "again.csv"),
    ] {
        std::fs::create_dir_all(path.join(file).parent().unwrap()).unwrap();
        let output = dpsis(path, &[&["datasets", "get"], &arguments[..]].concat());
        assert_code(&output, 0, "khan: 63 samples, 2308 features");
        assert!(output.stdout.is_empty() && path.join(file).is_file());
    }
    for file in ["khan.features.csv", "khan.labels.csv"] {
        assert!(path.join(file).is_file());
    }
    let read = |file: &str| std::fs::read(path.join(file)).unwrap();
    assert_eq!(read("csv/khan.csv"), read("again.csv"));
    let known = find("khan").unwrap().table_sha256.clone();
    for folder in [path, &path.join("k")] {
        assert_eq!(Some(table_sha256(&open(folder, "KHAN").unwrap().unwrap())), known);
    }
    assert!(open(path, "alon").unwrap().is_none());
    // numpy's header: little-endian f64, by rows.
    let npy = read("khan.npy");
    let header = String::from_utf8_lossy(&npy[..128]).into_owned();
    for words in ["\u{1}", "'descr': '<f8'", "'fortran_order': False", "'shape': (63, 2308)"] {
        assert!(header.contains(words), "{header}");
    }
    assert_eq!(npy.len() % 64, (63 * 2308 * 8) % 64);
}

/// One changed value is another table, whatever the form; the same table by another compression is
/// not.
#[test]
fn changed_data_are_refused() {
    let Some(folder) = published() else { return };
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path();
    let mut table = open(&folder, "sorlie").unwrap().unwrap();
    std::fs::write(path.join("sorlie.csv"), to_csv(&table)).unwrap();
    assert!(open(path, "sorlie").unwrap().is_some());
    let refused = || {
        let output = dpsis(path, &["datasets", "get", "sorlie", "--from", ".", "-o", "out.csv"]);
        assert_code(&output, 3, "the checksum of sorlie is not the one in the manifest");
        assert!(!path.join("out.csv").exists());
    };
    table.x[[3, 4]] += 1e-9;
    std::fs::write(path.join("sorlie.csv"), to_csv(&table)).unwrap();
    refused();
    table.x[[3, 4]] -= 1e-9;
    table.labels.swap(0, 84);
    std::fs::write(path.join("sorlie.csv"), to_csv(&table)).unwrap();
    refused();
    std::fs::remove_file(path.join("sorlie.csv")).unwrap();
    // A published file that is damaged: xz's own checksum finds it.
    let raw = folder.with_file_name("raw").join("sorlie.RData");
    if let Ok(mut bytes) = std::fs::read(raw) {
        bytes[30_000] ^= 4;
        std::fs::write(path.join("sorlie.RData"), bytes).unwrap();
        let output = dpsis(path, &["datasets", "get", "sorlie", "--from", "."]);
        assert_code(&output, 3, "damaged");
    }
}

#[test]
fn the_list_in_three_forms() {
    let folder = tempfile::tempdir().unwrap();
    let list = |more: &[&str]| {
        let output = dpsis(folder.path(), &[&["datasets", "list"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = list(&[]);
    assert_eq!(text.lines().count(), 20);
    assert!(text.contains("golub             72     7129  ALL, AML\n"), "{text}");
    assert!(text.contains("yeoh             248    12625  ?  (no checksum known)\n"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&list(&["--format", "json"])).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 19);
    assert_eq!(json[14]["name"], "su");
    assert_eq!((&json[14]["d"], &json[14]["paper"]["d"]), (&5565.into(), &5564.into()));
    assert_eq!(json[14]["paper"]["r2"], 0.9602);
    assert!(json[2]["table_sha256"].is_null());
    let tsv = list(&["--format", "tsv"]);
    assert!(tsv.lines().all(|line| line.split('\t').count() == 13), "{tsv}");
    assert!(list(&["-o", "list.txt"]).is_empty());
    assert_eq!(std::fs::read_to_string(folder.path().join("list.txt")).unwrap(), text);
}

/// A set of which only the shape is known: imported, with a word on that; another shape is refused.
#[test]
fn a_set_without_a_checksum() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (name, text) = stand_in();
    std::fs::create_dir(path.join("raw")).unwrap();
    let file = path.join("raw/chin.csv");
    std::fs::write(&file, &text).unwrap();
    let output = dpsis(path, &["datasets", "get", name, "--from", "."]);
    assert_code(&output, 0, "no checksum of it: its shape alone was checked");
    let mut written = String::new();
    let gzip = std::fs::File::open(path.join("chin.csv.gz")).unwrap();
    flate2::read::GzDecoder::new(gzip).read_to_string(&mut written).unwrap();
    assert!(written == text, "the written table is the one that was read");
    // The output is not what is read.
    let output = dpsis(path, &["datasets", "get", name, "--from", ".", "-o", "chin.csv.gz"]);
    assert_code(&output, 2, "the output would overwrite what is read");
    std::fs::remove_file(path.join("chin.csv.gz")).unwrap();
    let fewer: Vec<&str> = text.lines().take(100).collect();
    std::fs::write(&file, fewer.join("\n") + "\n").unwrap();
    let output = dpsis(path, &["datasets", "get", name, "--from", "."]);
    assert_code(
        &output,
        3,
        "chin has 99 samples and 22215 features; the manifest says 118 and 22215",
    );
    std::fs::write(&file, "not a table").unwrap();
    assert_eq!(dpsis(path, &["datasets", "get", name, "--from", "."]).status.code(), Some(3));
}

#[test]
fn requests_that_cannot_be_met() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, code, text) in [
        (&["get", "Christiansen", "--from", "."][..], 2, "did you mean \"christensen\"?"),
        (&["get", "alon", "--from", "."], 5, "looked for alon.csv, .csv.gz, .RData and .npy"),
        (&["get", "alon", "--from", "no/such"], 5, "does not hold alon"),
        (&["get", "alon", "--from", ".", "-o", "alon.parquet"], 2, "must end in .csv, .csv.gz"),
        (&["get", "alon", "--from", ".", "-o", "alon.RData"], 2, "must end in .csv, .csv.gz"),
        (&["get", "alon"], 2, "--from"),
        (&[], 2, "Usage"),
    ] {
        let output = dpsis(folder.path(), &[&["datasets"], arguments].concat());
        assert_code(&output, code, text);
    }
    let output =
        dpsis(folder.path(), &["datasets", "get", "alon", "--from", "http://127.0.0.1:9/"]);
    if cfg!(feature = "http") {
        assert_code(&output, 5, "cannot download");
    } else {
        assert_code(&output, 2, "this build does not download");
    }
}

/// The selection within bounds from a reference is the one within the same bounds stated by hand.
#[test]
fn bounds_go_to_select() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let rows = (0..60).map(|i| {
        let (a, b) = (f64::from(i * 7 % 13), f64::from(i * i % 11) / 3.0);
        format!("{a},{b},5,{},{}\n", a + b, if i % 13 * 7 % 13 > 6 { "hi" } else { "lo" })
    });
    let table = format!("\"one, a\",two,const,four,y\n{}", rows.collect::<String>());
    std::fs::write(path.join("t.csv"), &table).unwrap();
    for (clip, expected) in [
        ("range", "feature,lo,hi\n\"one, a\",0,12\ntwo,0,3"),
        ("quantiles:0,1", "feature,lo,hi\n\"one, a\",0,12\ntwo,0,3"),
        ("1sd", "feature,lo,hi\n\"one, a\","),
    ] {
        let output = dpsis(path, &["bounds", "--clip", clip, "t.csv"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with(expected) && text.contains("\nconst,0,10\n"), "{text}");
        assert!(
            String::from_utf8_lossy(&output.stderr).starts_with("NOT PRIVATE: this reads a public")
        );
        let written = dpsis(path, &["bounds", "--clip", clip, "t.csv", "-o", "b.csv"]);
        assert!(written.status.success() && written.stdout.is_empty());
        assert_eq!(std::fs::read_to_string(path.join("b.csv")).unwrap(), text);
        let select = ["select", "--k", "2", "--eps", "1", "--seed", "3", "--classes", "lo,hi"];
        let selected = dpsis(path, &[&select[..], &["--bounds-file", "b.csv", "t.csv"]].concat());
        assert_eq!(selected.status.code(), Some(0), "{}", said(&selected));
    }
    // The library's bounds are those of the file, by formulas of the textbook.
    let reference = PublicTable::read(&dpsis::FileTable::new(path.join("t.csv"))).unwrap();
    let computed = bounds(&reference, &"1.5sd".parse::<Clip>().unwrap()).unwrap();
    let first = reference.x.column(0);
    let n = first.len() as f64;
    let (sum, squares) = (first.sum(), first.iter().map(|x| x * x).sum::<f64>());
    let sd = ((squares - sum * sum / n) / (n - 1.0)).sqrt();
    assert!((computed[0].low() - (sum / n - 1.5 * sd)).abs() < 1e-12);
    assert!((computed[0].high() - (sum / n + 1.5 * sd)).abs() < 1e-12);
    for (arguments, code, text) in [
        (&["--clip", "2", "t.csv"][..], 2, "clip at 1sd"),
        (&["t.csv"], 2, "--clip"),
        (&["--clip", "range", "none.csv"], 5, "cannot read"),
        (&["--clip", "range", "--target", "z", "t.csv"], 2, "there is no column \"z\""),
        (&["--clip", "range", "--exclude", "two", "t.csv"], 0, "four,"),
        (&["--clip", "range", "-o", "t.csv", "t.csv"], 2, "overwrite"),
    ] {
        assert_code(&dpsis(path, &[&["bounds"], arguments].concat()), code, text);
    }
    std::fs::write(path.join("w.csv"), "a,words,y\n1,x,u\n2,z,v\n").unwrap();
    let output = dpsis(path, &["bounds", "--clip", "1sd", "w.csv"]);
    assert_code(&output, 3, "header, column 2: the feature \"words\" has no value");
    assert_eq!(std::fs::read_to_string(path.join("t.csv")).unwrap(), table);
}

#[cfg(feature = "http")]
mod http {
    use std::collections::HashMap;
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    /// A file on the server: what its header says its length is, and its bytes.
    type Served = HashMap<&'static str, (usize, Vec<u8>)>;

    /// Serves files under `/sets/` until the test ends; anything else is not there.
    fn serve(files: Served) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/sets", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut request = [0; 4096];
                let read = stream.read(&mut request).unwrap_or(0);
                let request = String::from_utf8_lossy(&request[..read]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or("");
                let name = path.strip_prefix("/sets/").unwrap_or("");
                let (status, length, body) = match files.get(name) {
                    Some((length, body)) => ("200 OK", *length, &body[..]),
                    None => ("404 Not Found", 0, &b""[..]),
                };
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
                );
                let _ = stream.write_all(&[head.as_bytes(), body].concat());
            }
        });
        url
    }

    #[test]
    fn from_a_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let (name, text) = stand_in();
        let whole = (text.len(), text.clone().into_bytes());
        let url = serve(HashMap::from([("chin.csv", whole)]));
        for from in [url.clone(), format!("{url}/"), format!("{url}/chin.csv")] {
            let output = dpsis(path, &["datasets", "get", name, "--from", &from, "-o", "c.csv"]);
            assert_code(&output, 0, "chin: 118 samples");
            assert!(std::fs::read_to_string(path.join("c.csv")).unwrap() == text);
            std::fs::remove_file(path.join("c.csv")).unwrap();
        }
        let output = dpsis(path, &["datasets", "get", "alon", "--from", &url]);
        assert_code(&output, 5, "does not hold alon: the server answered 404");
        let wrong = b"a,y\n1,u\n".to_vec();
        let half = text.as_bytes()[..text.len() / 2].to_vec();
        let page = b"<html>please log in</html>".to_vec();
        let files = [
            ("alon.csv", (wrong.len(), wrong)),
            ("chin.csv", (text.len(), half)),
            ("golub.RData", (page.len(), page)),
        ];
        let url = serve(HashMap::from(files));
        for (name, code, text) in [
            ("alon", 3, "alon has 1 samples and 1 features; the manifest says 62 and 2000"),
            ("chin", 5, "cannot download"),
            ("golub", 3, "this is no R data file"),
        ] {
            let output = dpsis(path, &["datasets", "get", name, "--from", &url]);
            assert_code(&output, code, text);
            assert_eq!(std::fs::read_dir(path).unwrap().count(), 0, "nothing is left behind");
        }
    }

    /// The published bytes pass; another table of the same shape does not.
    #[test]
    fn checksums_of_downloads() {
        let Some(published) = published() else { return };
        let folder = tempfile::tempdir().unwrap();
        let raw = published.with_file_name("raw").join("sorlie.RData");
        let Ok(bytes) = std::fs::read(raw) else {
            return crate::support::data::missing("sorlie.RData beside DPSIS_DATASETS, in raw");
        };
        let mut table = open(&published, "sorlie").unwrap().unwrap();
        table.x[[0, 0]] += 1.0;
        let changed = to_csv(&table).into_bytes();
        let right = serve(HashMap::from([("sorlie.RData", (bytes.len(), bytes))]));
        let wrong = serve(HashMap::from([("sorlie.csv", (changed.len(), changed))]));
        let get = |from: &str| dpsis(folder.path(), &["datasets", "get", "sorlie", "--from", from]);
        assert_code(&get(&wrong), 3, "the checksum of sorlie is not the one in the manifest");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_code(&get(&right), 0, "sorlie: 85 samples");
    }
}
