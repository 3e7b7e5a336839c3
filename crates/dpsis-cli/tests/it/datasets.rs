//! Public sets by the command line: from folders, as R publishes them, and from a server; bounds
//! from a reference table.
//!
//! Published files are looked for in the folder `DPSIS_DATASETS` (files NAME.csv.gz) and in `raw`
//! next to it (NAME.RData). Without them, tests that need them report that and pass; with
//! `DPSIS_REQUIRE_DATA=1` they fail.
#![allow(clippy::print_stderr)] // a skipped comparison is reported

use std::io::Read;
use std::path::PathBuf;

use dpsis_eval::datasets::{Clip, PublicTable, bounds, find, manifest, open, table_sha256, to_csv};
use ndarray::Array2;

use crate::harness::{Folder, Outcome, assert_contains, assert_contains_all};

#[track_caller]
fn assert_code(output: &Outcome, code: i32, part: &str) {
    assert_eq!(output.code, Some(code), "{}", output.text());
    assert_contains(&output.text(), part);
}

/// The folder with the published files, if it is there.
fn published() -> Option<PathBuf> {
    Some(crate::support::data::real("alon")?.parent()?.to_owned())
}

/// The text of a table with the shape of `chin`, a set without a checksum.
fn stand_in() -> String {
    let set = find("chin").unwrap();
    let table = PublicTable {
        features: (1..=set.d).map(|j| format!("g{j}, strand {}", j % 2)).collect(),
        x: Array2::from_shape_fn((set.n, set.d), |(i, j)| ((i * 31 + j * 17) % 1009) as f64 / 7.0),
        labels: (0..set.n)
            .map(|i| if i % 3 == 0 { "positive" } else { "negative" }.into())
            .collect(),
    };
    to_csv(&table)
}

/// `FileTable` reads the published R files directly, with the same result as the import.
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
        crate::support::data::missing("published R files next to DPSIS_DATASETS, in raw");
    }
}

/// Every published R file has the same names, labels and bits as its CSV twin, read by the csv
/// crate and the standard library.
#[test]
fn r_files_equal_csv_files() {
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
        let alone = Folder::new();
        std::fs::copy(r, alone.path(&format!("{name}.RData"))).unwrap();
        let table = open(&alone.path(""), name).unwrap().unwrap();
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
fn published_sets_are_read_and_written() {
    let Some(folder) = published() else { return };
    let shared = folder.parent().unwrap().to_str().unwrap();
    let temporary = Folder::new();
    // From csv/ below the folder; from the files just written; in another folder.
    for (from, file) in
        [(shared, "khan.npy"), (".", "csv/khan.csv"), ("csv", "k/khan.csv.gz"), ("k", "again.csv")]
    {
        std::fs::create_dir_all(temporary.path(file).parent().unwrap()).unwrap();
        let output = temporary.run(&format!("datasets get khan --from {from} -o {file}"));
        assert_code(&output, 0, "khan: 63 samples, 2308 features");
        assert!(output.stdout.is_empty() && temporary.has(file));
    }
    assert!(temporary.has("khan.features.csv") && temporary.has("khan.labels.csv"));
    assert_eq!(temporary.read("csv/khan.csv"), temporary.read("again.csv"));
    let known = find("khan").unwrap().table_sha256.clone();
    for folder in ["", "k"].map(|name| temporary.path(name)) {
        assert_eq!(Some(table_sha256(&open(&folder, "KHAN").unwrap().unwrap())), known);
    }
    assert!(open(&temporary.path(""), "alon").unwrap().is_none());
    // numpy's header: little-endian f64, by rows.
    let npy = std::fs::read(temporary.path("khan.npy")).unwrap();
    let header = String::from_utf8_lossy(&npy[..128]).into_owned();
    let parts = ["\u{1}", "'descr': '<f8'", "'fortran_order': False", "'shape': (63, 2308)"];
    assert_contains_all(&header, &parts);
    assert_eq!(npy.len() % 64, (63 * 2308 * 8) % 64);
}

/// A table with one changed value is refused in every format; the same table with another
/// compression is accepted.
#[test]
fn changed_data_are_refused() {
    let Some(folder) = published() else { return };
    let temporary = Folder::new();
    let mut table = open(&folder, "sorlie").unwrap().unwrap();
    temporary.write("sorlie.csv", to_csv(&table));
    assert!(open(&temporary.path(""), "sorlie").unwrap().is_some());
    let refused = |table: &PublicTable| {
        temporary.write("sorlie.csv", to_csv(table));
        let output = temporary.run("datasets get sorlie --from . -o out.csv");
        assert_code(&output, 3, "the checksum of sorlie is not the one in the manifest");
        assert!(!temporary.has("out.csv"));
    };
    table.x[[3, 4]] += 1e-9;
    refused(&table);
    table.x[[3, 4]] -= 1e-9;
    table.labels.swap(0, 84);
    refused(&table);
    temporary.remove("sorlie.csv");
    // A published file that is damaged: xz's own checksum finds it.
    let raw = folder.with_file_name("raw").join("sorlie.RData");
    if let Ok(mut bytes) = std::fs::read(raw) {
        bytes[30_000] ^= 4;
        temporary.write("sorlie.RData", bytes);
        assert_code(&temporary.run("datasets get sorlie --from ."), 3, "damaged");
    }
}

#[test]
fn the_list_in_three_forms() {
    let folder = Folder::new();
    let list = |options: &str| folder.run(&format!("datasets list {options}")).succeeds();
    let text = list("").stdout;
    assert_eq!(text.lines().count(), 20);
    assert_contains_all(
        &text,
        &[
            "golub             72     7129  ALL, AML\n",
            "yeoh             248    12625  ?  (no checksum known)\n",
        ],
    );
    let json = list("--format json").json();
    assert_eq!(json.as_array().unwrap().len(), 19);
    assert_eq!(json[14]["name"], "su");
    assert_eq!((&json[14]["d"], &json[14]["paper"]["d"]), (&5565.into(), &5564.into()));
    assert_eq!(json[14]["paper"]["r2"], 0.9602);
    assert!(json[2]["table_sha256"].is_null());
    let tsv = list("--format tsv").stdout;
    assert!(tsv.lines().all(|line| line.split('\t').count() == 13), "{tsv}");
    assert_eq!(list("-o list.txt").stdout, "");
    assert_eq!(folder.read("list.txt"), text);
}

/// A set without a known checksum is imported with a note if its shape is right, and refused
/// otherwise.
#[test]
fn a_set_without_a_checksum() {
    let folder = Folder::new();
    let text = stand_in();
    std::fs::create_dir(folder.path("raw")).unwrap();
    folder.write("raw/chin.csv", &text);
    let get = |options: &str| folder.run(&format!("datasets get chin --from . {options}"));
    assert_code(&get(""), 0, "no checksum of it: only its shape was checked");
    let mut written = String::new();
    let gzip = std::fs::File::open(folder.path("chin.csv.gz")).unwrap();
    flate2::read::GzDecoder::new(gzip).read_to_string(&mut written).unwrap();
    assert!(written == text, "the written table is the one that was read");
    // The output must not be one of the inputs.
    assert_code(&get("-o chin.csv.gz"), 2, "the output would overwrite an input file");
    folder.remove("chin.csv.gz");
    let fewer: String = text.split_inclusive('\n').take(100).collect();
    folder.write("raw/chin.csv", fewer);
    let rule = "chin has 99 samples and 22215 features; the manifest says 118 and 22215";
    assert_code(&get(""), 3, rule);
    folder.write("raw/chin.csv", "not a table");
    assert_code(&get(""), 3, "");
}

#[test]
fn wrong_requests_are_refused() {
    let folder = Folder::new();
    for (options, code, part) in [
        (" get Christiansen --from .", 2, "did you mean \"christensen\"?"),
        (" get alon --from .", 5, "looked for alon.csv, .csv.gz, .RData and .npy"),
        (" get alon --from no/such", 5, "does not hold alon"),
        (" get alon --from . -o alon.parquet", 2, "must end in .csv, .csv.gz"),
        (" get alon --from . -o alon.RData", 2, "must end in .csv, .csv.gz"),
        (" get alon", 2, "--from"),
        ("", 2, "Usage"),
    ] {
        folder.refuses(&[(format!("datasets{options}"), code, part)]);
    }
    let output = folder.run("datasets get alon --from http://127.0.0.1:9/");
    if cfg!(feature = "http") {
        assert_code(&output, 5, "cannot download");
    } else {
        assert_code(&output, 2, "this build does not download");
    }
}

/// The selection within bounds from a reference is the one within the same bounds given by hand.
#[test]
fn select_takes_bounds_of_a_reference_table() {
    let folder = Folder::new();
    folder.table("t.csv", "\"one, a\",two,const,four,y", 60, |i| {
        let (a, b) = ((i * 7 % 13) as f64, (i * i % 11) as f64 / 3.0);
        format!("{a},{b},5,{},{}", a + b, if i % 13 * 7 % 13 > 6 { "hi" } else { "lo" })
    });
    let table = folder.read("t.csv");
    for (clip, expected) in [
        ("range", "feature,lo,hi\n\"one, a\",0,12\ntwo,0,3"),
        ("quantiles:0,1", "feature,lo,hi\n\"one, a\",0,12\ntwo,0,3"),
        ("1sd", "feature,lo,hi\n\"one, a\","),
    ] {
        let output = folder.run(&format!("bounds --clip {clip} t.csv")).succeeds();
        assert!(output.stdout.starts_with(expected), "{}", output.stdout);
        assert_contains(&output.stdout, "\nconst,0,10\n");
        assert!(output.stderr.starts_with("NOT PRIVATE: this reads a public"), "{}", output.stderr);
        let written = folder.run(&format!("bounds --clip {clip} t.csv -o b.csv")).succeeds();
        assert_eq!(written.stdout, "");
        assert_eq!(folder.read("b.csv"), output.stdout);
        let select = "select --k 2 --eps 1 --seed 3 --classes lo,hi --bounds-file b.csv t.csv";
        folder.run(select).succeeds();
    }
    // The library's bounds equal the bounds in the file, by formulas of the textbook.
    let reference = PublicTable::read(&dpsis::FileTable::new(folder.path("t.csv"))).unwrap();
    let computed = bounds(&reference, &"1.5sd".parse::<Clip>().unwrap()).unwrap();
    let first = reference.x.column(0);
    let n = first.len() as f64;
    let (sum, squares) = (first.sum(), first.iter().map(|x| x * x).sum::<f64>());
    let sd = ((squares - sum * sum / n) / (n - 1.0)).sqrt();
    assert!((computed[0].low() - (sum / n - 1.5 * sd)).abs() < 1e-12);
    assert!((computed[0].high() - (sum / n + 1.5 * sd)).abs() < 1e-12);
    folder.write("w.csv", "a,words,y\n1,x,u\n2,z,v\n");
    for (options, code, part) in [
        ("--clip 2 t.csv", 2, "clip at 1sd"),
        ("t.csv", 2, "--clip"),
        ("--clip range none.csv", 5, "cannot read"),
        ("--clip range --target z t.csv", 2, "there is no column \"z\""),
        ("--clip range --exclude two t.csv", 0, "four,"),
        ("--clip range -o t.csv t.csv", 2, "overwrite"),
        ("--clip 1sd w.csv", 3, "column 2: the feature \"words\" has no number"),
    ] {
        assert_code(&folder.run(&format!("bounds {options}")), code, part);
    }
    assert_eq!(folder.read("t.csv"), table);
}

#[cfg(feature = "http")]
mod http {
    use std::collections::HashMap;
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    /// A file on the server: the length in its header, and its bytes.
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
        let folder = Folder::new();
        let text = stand_in();
        let whole = (text.len(), text.clone().into_bytes());
        let url = serve(HashMap::from([("chin.csv", whole)]));
        let get = |options: &str| folder.run(&format!("datasets get {options}"));
        for from in [url.clone(), format!("{url}/"), format!("{url}/chin.csv")] {
            assert_code(&get(&format!("chin --from {from} -o c.csv")), 0, "chin: 118 samples");
            assert!(folder.read("c.csv") == text);
            folder.remove("c.csv");
        }
        let output = get(&format!("alon --from {url}"));
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
        for (name, code, part) in [
            ("alon", 3, "alon has 1 samples and 1 features; the manifest says 62 and 2000"),
            ("chin", 5, "cannot download"),
            ("golub", 3, "golub.RData is a web page (HTML)"),
        ] {
            assert_code(&get(&format!("{name} --from {url}")), code, part);
            assert!(folder.names().is_empty(), "nothing is left behind");
        }
    }

    /// The published bytes pass; another table of the same shape does not.
    #[test]
    fn checksums_of_downloads() {
        let Some(published) = published() else { return };
        let raw = published.with_file_name("raw").join("sorlie.RData");
        let Ok(bytes) = std::fs::read(raw) else {
            return crate::support::data::missing("sorlie.RData next to DPSIS_DATASETS, in raw");
        };
        let folder = Folder::new();
        let mut table = open(&published, "sorlie").unwrap().unwrap();
        table.x[[0, 0]] += 1.0;
        let changed = to_csv(&table).into_bytes();
        let right = serve(HashMap::from([("sorlie.RData", (bytes.len(), bytes))]));
        let wrong = serve(HashMap::from([("sorlie.csv", (changed.len(), changed))]));
        let get = |from: &str| folder.run(&format!("datasets get sorlie --from {from}"));
        assert_code(&get(&wrong), 3, "the checksum of sorlie is not the one in the manifest");
        assert!(folder.names().is_empty());
        assert_code(&get(&right), 0, "sorlie: 85 samples");
    }
}
