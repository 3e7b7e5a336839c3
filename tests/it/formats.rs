//! The contract of all formats: the same table, written by numpy, pandas, pyarrow, R and by hand,
//! gives the same record to the bit in every format, and malformed files are rejected.
//!
//! The files and the scripts that made them are in `tests/data/formats`.

#![allow(clippy::unwrap_used, clippy::panic)] // tests fail by panicking

use std::path::{Path, PathBuf};

use dpsis::internals::WholeTable;
use dpsis::{
    Bounds, Error, ErrorKind, FileTable, Orientation, Parameter, Scaling, ScoreKind, Select,
    Target, TargetColumn,
};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats").join(name)
}

const TARGETS: [&str; 3] = ["age", "two", "three"];

/// A table with its format and a name for test failures.
struct Case {
    format: &'static str,
    name: String,
    table: FileTable,
}

fn case(format: &'static str, name: impl Into<String>, table: FileTable) -> Case {
    Case { format, name: name.into(), table }
}

fn others(target: &str) -> Vec<&'static str> {
    TARGETS.into_iter().filter(|other| *other != target).collect()
}

/// A table whose target is a column of the file itself.
fn own(name: &str, target: &str) -> FileTable {
    FileTable::new(data(name))
        .target_column(TargetColumn::Named(target.into()))
        .exclude(others(target))
}

/// The record batches of a stream, in memory.
#[cfg(feature = "arrow")]
fn read_batches() -> (arrow_schema::SchemaRef, Vec<arrow_array::RecordBatch>) {
    let file = std::fs::File::open(data("stream.arrows")).unwrap();
    let reader = arrow_ipc::reader::StreamReader::try_new(file, None).unwrap();
    (reader.schema(), reader.map(Result::unwrap).collect())
}

#[cfg(feature = "arrow")]
fn batches() -> FileTable {
    let (schema, batches) = read_batches();
    FileTable::from_batches(schema, batches).unwrap()
}

/// The same batches, handed out for each pass in pieces of three rows.
#[cfg(feature = "arrow")]
fn passes() -> FileTable {
    let (schema, batches) = read_batches();
    FileTable::from_passes(schema, move |columns| {
        let columns = columns.to_vec();
        let pieces = batches.clone().into_iter().flat_map(|batch| {
            let starts = (0..batch.num_rows()).step_by(3);
            starts.map(move |start| batch.slice(start, 3.min(batch.num_rows() - start)))
        });
        Ok(Box::new(pieces.map(move |piece| Ok(piece.project(&columns).unwrap()))))
    })
}

/// The record batches with a target moved to the end, which is not part of the table.
#[cfg(feature = "arrow")]
fn with_separate_target(target: &str) -> FileTable {
    let (schema, batches) = read_batches();
    let last = schema.index_of(target).unwrap();
    let columns: Vec<usize> =
        (0..schema.fields().len()).filter(|column| *column != last).chain([last]).collect();
    let schema = std::sync::Arc::new(schema.project(&columns).unwrap());
    let batches: Vec<_> = batches.iter().map(|batch| batch.project(&columns).unwrap()).collect();
    let table = FileTable::from_batches(schema, batches).unwrap();
    table.with_appended_target(false).exclude(others(target)).id("id")
}

/// Ids outside the batches identify people as a column of the table does: the draws are the same.
#[cfg(feature = "arrow")]
#[test]
fn separate_identifiers_equal_a_column() {
    let (schema, batches) = read_batches();
    let run = |table: FileTable| {
        let record = Select::new(2).epsilon("2").seed(1).run(&table).unwrap();
        assert_eq!(record.guarantee.unit, dpsis::Unit::Person);
        (record.indices(), record.estimates.clone(), record.released.clone())
    };
    let [id, age] = ["id", "age"].map(|name| schema.index_of(name).unwrap());
    let others_than =
        |out: &[usize]| (0..schema.fields().len()).filter(|c| !out.contains(c)).collect::<Vec<_>>();
    let project = |columns: Vec<usize>| {
        let schema = std::sync::Arc::new(schema.project(&columns).unwrap());
        let batches = batches.iter().map(|batch| batch.project(&columns).unwrap());
        FileTable::from_batches(schema, batches).unwrap().exclude(others("age"))
    };
    let target = || TargetColumn::Named("age".into());
    let within = run(project(others_than(&[])).unit("id").target_column(target()));
    let ids_last = [others_than(&[id]), vec![id]].concat();
    let outside = run(project(ids_last).target_column(target()).with_appended_units());
    assert_eq!(format!("{outside:?}"), format!("{within:?}"));
    let both_last = [others_than(&[id, age]), vec![id, age]].concat();
    let outside = run(project(both_last).with_appended_target(false).with_appended_units());
    assert_eq!(format!("{outside:?}"), format!("{within:?}"));
}

/// Batches with columns that differ from the schema are refused.
#[cfg(feature = "arrow")]
#[test]
fn batches_have_one_schema() {
    let (schema, batches) = read_batches();
    let fewer = std::sync::Arc::new(schema.project(&[0, 1]).unwrap());
    let error = FileTable::from_batches(fewer, batches.clone()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request);
    let other = batches.clone();
    let other = FileTable::from_passes(schema.clone(), move |_| {
        Ok(Box::new(other.clone().into_iter().map(Ok)))
    });
    // The first pass is over the target alone.
    let error = Select::new(1).epsilon("1").bounds(0.0, 1.0).run(&other).unwrap_err();
    assert!(
        error.to_string().contains("the columns of a record batch differ from its schema"),
        "{error}"
    );
    let broken = FileTable::from_passes(schema.clone(), |_| Err(Error::io("gone")));
    assert_eq!(Select::new(1).epsilon("1").run(&broken).unwrap_err().kind(), ErrorKind::Io);
    // A stream without batches is a table without rows. Its counts are released with noise, as of
    // any table, so it is never malformed.
    let none = FileTable::from_batches(schema, []).unwrap();
    let none =
        none.target_column(TargetColumn::Named("age".into())).exclude(others("age")).id("id");
    match Select::new(1).epsilon("1").seed(1).run(&none) {
        Ok(record) => assert_eq!(record.selected.len(), 1),
        Err(error) => assert!(error.unspent().is_some(), "{error}"),
    }
    assert_eq!(format!("{none:?}"), "FileTable { input: \"record batches\", .. }");
}

fn with_target_file(name: &str, targets: &str) -> FileTable {
    FileTable::new(data(name)).target_file(data(targets))
}

/// The table with one of its targets, in every format that this build reads.
fn cases(target: &str) -> Vec<Case> {
    let by_xz = ["named.rds", "list.RData"];
    let read =
        |case: &Case| cfg!(feature = "xz") || !by_xz.iter().any(|name| case.name.starts_with(name));
    all_cases(target).into_iter().filter(read).collect()
}

fn all_cases(target: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |format, name: String, table| cases.push(case(format, name, table));
    let in_order = [format!("{target}.csv"), format!("{target}.npy")];
    let by_id = format!("{target}-by-id.csv");
    let rows = |table: FileTable| table.orientation(Orientation::FeaturesAsRows);
    for targets in &in_order {
        for name in ["c-f4.npy", "fortran-f8.npy", "big-f4.npy"] {
            add(".npy", format!("{name} {targets}"), with_target_file(name, targets));
        }
        add(
            ".npy",
            format!("rows-f8.npy {targets}"),
            rows(with_target_file("rows-f8.npy", targets)),
        );
        add(".npz", format!("stored.npz {targets}"), with_target_file("stored.npz", targets));
        add(".gct", format!("v12.gct {targets}"), with_target_file("v12.gct", targets));
        add("R", format!("matrix.rds {targets}"), with_target_file("matrix.rds", targets));
        add("text", format!("rows.tsv {targets}"), rows(with_target_file("rows.tsv", targets)));
        let table = with_target_file("table.csv", targets).id("id").exclude(TARGETS);
        add("text", format!("table.csv {targets}"), table);
    }
    for name in ["v12.gct", "v12.gct.gz"] {
        add(".gct", name.into(), with_target_file(name, &by_id));
    }
    add("R", "matrix.rds".into(), with_target_file("matrix.rds", &by_id));
    add("R", "rows.rds".into(), rows(with_target_file("rows.rds", &by_id)));
    add("R", "named.rds by id".into(), with_target_file("named.rds", &by_id).exclude(TARGETS));
    add("R", "named.rds".into(), own("named.rds", target));
    add("R", "frame.rds".into(), own("frame.rds", target).id("id"));
    add("text", "rows.tsv".into(), rows(with_target_file("rows.tsv", &by_id)));
    add("text", "table.csv by id".into(), with_target_file("table.csv", &by_id).exclude(TARGETS));
    if cfg!(feature = "arrow") {
        for codec in ["none", "snappy", "zstd", "gzip", "lz4"] {
            let name = format!("{codec}.parquet");
            add("Parquet", name.clone(), own(&name, target).id("id"));
        }
        add("Parquet", "index.parquet".into(), own("index.parquet", target));
        let table = with_target_file("index.parquet", &by_id).exclude(TARGETS);
        add("Parquet", "index.parquet by id".into(), table);
        for name in ["lz4.feather", "zstd.feather", "plain.arrow"] {
            add("Arrow", name.into(), own(name, target).id("id"));
        }
        let table = with_target_file("plain.arrow", &by_id).exclude(TARGETS);
        add("Arrow", "plain.arrow by id".into(), table);
        add("Arrow stream", "stream.arrows".into(), own("stream.arrows", target).id("id"));
    }
    #[cfg(feature = "arrow")]
    {
        for (name, table) in [("batches", batches()), ("passes", passes())] {
            let named = table.target_column(TargetColumn::Named(target.into()));
            add("Arrow", name.into(), named.exclude(others(target)).id("id"));
        }
        add("Arrow", "batches, target outside".into(), with_separate_target(target));
    }
    // Files that contain the target themselves.
    match target {
        "age" => {
            add(".npy", "with-age.npy".into(), FileTable::new(data("with-age.npy")));
            let placed = FileTable::new(data("with-age.npy")).target_column(TargetColumn::At(7));
            add(".npy", "with-age.npy by place".into(), placed);
            add(".npz", "stored.npz".into(), FileTable::new(data("stored.npz")));
            add("R", "xy.rda".into(), FileTable::new(data("xy.rda")));
        }
        "two" => {
            add(".npz", "deflated.npz".into(), FileTable::new(data("deflated.npz")));
            add("R", "list.RData".into(), FileTable::new(data("list.RData")));
            add(".gct", "v12.gct two.cls".into(), with_target_file("v12.gct", "two.cls"));
            add(".npy", "c-f4.npy two.cls".into(), with_target_file("c-f4.npy", "two.cls"));
        }
        _ => {}
    }
    if target != "age" {
        let named = TargetColumn::Named(target.into());
        let table = FileTable::new(data("v13.gct")).target_column(named);
        add(".gct", "v13.gct".into(), table);
    }
    cases
}

fn requests(target: &str) -> Vec<Select> {
    let base = || Select::new(2).epsilon("1");
    match target {
        "age" => {
            let bounded = || base().target(Target::Bounded(Bounds::new(20.0, 50.0).unwrap()));
            vec![
                base().bounds(-4.0, 4.0),
                bounded().scaling(Scaling::RowRank),
                bounded().bounds_file(data("bounds.csv")),
                base().score(ScoreKind::Kendall),
            ]
        }
        "two" => {
            let base = || base().target(Target::classes(["no", "yes"]));
            vec![base().bounds(-4.0, 4.0), base().scaling(Scaling::RowRank)]
        }
        _ => {
            let base = || base().target(Target::classes(["a", "b", "c"]));
            vec![base().bounds(-4.0, 4.0), base().score(ScoreKind::Kendall)]
        }
    }
}

/// A text with "rows" for "samples", which reports count if samples are columns.
fn in_rows(text: &str) -> String {
    text.replace(" samples", " rows")
}

/// The record, without the target's name and place and the orientation of the table.
fn record(select: &Select, table: &FileTable, seed: u64, threads: usize) -> serde_json::Value {
    let drawn = select.clone().threads(threads).seed(seed).run(table).unwrap();
    let mut record: serde_json::Value =
        serde_json::from_str(&in_rows(&dpsis::report::to_json(&drawn).unwrap())).unwrap();
    record["target"]["name"].take();
    record["target"]["column"].take();
    record["guarantee"]["unit"].take();
    record["public"]["id_column"].take();
    // Formats without a column of identifiers do not check for one row per identifier.
    record["guarantee"].as_object_mut().unwrap().remove("one_row_per_identifier");
    record["warnings"].take();
    for picked in record["selected"].as_array_mut().unwrap() {
        picked["column"].take();
    }
    record
}

#[test]
fn every_format_gives_the_same_record() {
    for target in TARGETS {
        for (i, select) in requests(target).iter().enumerate() {
            // Missing values are coded in half of the requests.
            let given = |table: FileTable| if i % 2 == 0 { table.missing(["-999"]) } else { table };
            for seed in 0..4 {
                let reference = given(own("table.csv", target).id("id"));
                let expected = record(select, &reference, seed, 1);
                for case in cases(target) {
                    let table = given(case.table);
                    for threads in [1, 3] {
                        let found = record(select, &table, seed, threads);
                        assert_eq!(found, expected, "{} {target} {i} {threads}", case.name);
                    }
                }
            }
        }
    }
}

/// Every format of the build is in this suite.
#[test]
fn all_formats_are_here() {
    for format in FileTable::formats() {
        let here = cases("age").into_iter().filter(|case| case.format == format).count();
        assert!(here > 0, "{format}");
    }
}

#[test]
fn every_format_gives_the_same_values() {
    let bits = |table: &WholeTable| table.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    for target in TARGETS {
        let reference = WholeTable::read(&own("table.csv", target).id("id")).unwrap();
        assert_eq!((reference.targets.len(), reference.values.len()), (40, 40 * 6));
        for case in cases(target) {
            let table = WholeTable::read(&case.table).unwrap();
            assert_eq!(table.features, reference.features, "{}", case.name);
            assert_eq!(bits(&table), bits(&reference), "{}", case.name);
            // The text of a missing label differs between formats.
            let labels = |table: &WholeTable| {
                let label =
                    |label: &String| if label == "NA" { String::new() } else { label.clone() };
                table.targets.iter().map(label).collect::<Vec<_>>()
            };
            assert_eq!(labels(&table), labels(&reference), "{}", case.name);
        }
    }
}

/// Categories are the same in every format that can hold them: text, factors and strings of R,
/// strings and dictionaries of Arrow and Parquet. Missing cells are `f64::NAN`, also by given
/// codes.
#[test]
fn every_format_gives_the_same_categories() {
    let mut files = vec!["table.csv", "frame.rds"];
    if cfg!(feature = "arrow") {
        files.extend([
            "none.parquet",
            "zstd.parquet",
            "lz4.feather",
            "plain.arrow",
            "stream.arrows",
        ]);
    }
    for missing in [&[][..], &["yes", "-999"]] {
        let read = |name: &str| {
            let target = TargetColumn::Named("age".into());
            let table =
                FileTable::new(data(name)).target_column(target).missing(missing.iter().copied());
            WholeTable::read(&table).unwrap()
        };
        let bits =
            |table: &WholeTable| table.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let reference = read("table.csv");
        let d = reference.features.len();
        assert_eq!(reference.features[0], "id");
        assert_eq!(reference.features[d - 2..], ["two", "three"]);
        let different = |column: usize| {
            let words = reference.values[column..].iter().step_by(d).map(|value| value.to_bits());
            words.collect::<std::collections::BTreeSet<_>>()
        };
        // 40 ids; no and yes; a, b, c and missing.
        assert_eq!([0, d - 2, d - 1].map(|column| different(column).len()), [40, 2, 4]);
        let nan = f64::NAN.to_bits();
        assert!(different(d - 1).contains(&nan) && !different(0).contains(&nan));
        assert_eq!(different(d - 2).contains(&nan), !missing.is_empty());
        for name in &files {
            let table = read(name);
            assert_eq!(table.features, reference.features, "{name}");
            assert_eq!(bits(&table), bits(&reference), "{name}");
        }
    }
}

fn refused(table: &FileTable) -> Error {
    Select::new(1).epsilon("1").bounds(0.0, 1.0).run(table).unwrap_err()
}

/// Files that are complete tables without further facts.
fn files() -> Vec<&'static str> {
    let mut files = vec![
        "c-f4.npy",
        "fortran-f8.npy",
        "stored.npz",
        "deflated.npz",
        "v12.gct",
        "v12.gct.gz",
        "v13.gct",
        "frame.rds",
        "matrix.rds",
        "xy.rda",
    ];
    if cfg!(feature = "xz") {
        files.extend(["named.rds", "list.RData"]);
    }
    if cfg!(feature = "arrow") {
        files.extend(["snappy.parquet", "none.parquet", "lz4.feather", "zstd.feather"]);
        files.extend(["plain.arrow", "stream.arrows", "gzip.parquet"]);
    }
    files
}

/// Facts about text files are rejected as wrong requests for other formats, and so are options that
/// a format does not have.
#[test]
fn wrong_facts_are_wrong_requests() {
    for name in files() {
        let table = || FileTable::new(data(name));
        for (table, parameter) in [
            (table().delimiter(b','), Parameter::Delimiter),
            (table().decimal_comma(true), Parameter::DecimalComma),
            (table().numeric_names(true), Parameter::NumericNames),
        ] {
            let error = refused(&table);
            assert_eq!(error.kind(), ErrorKind::Request, "{name}: {error}");
            assert!(error.to_string().contains("to text only"), "{name}: {error}");
            assert_eq!(error.parameters(), [parameter], "{name}: {error}");
        }
    }
    let rows = Orientation::FeaturesAsRows;
    let named = |name: &str| TargetColumn::Named(name.into());
    for table in [
        FileTable::new(data("c-f4.npy")).id("feature-1"),
        FileTable::new(data("stored.npz")).id("feature-1"),
        FileTable::new(data("v12.gct")).orientation(Orientation::SamplesAsRows),
        FileTable::new(data("v12.gct")),
        FileTable::new(data("v12.gct")).id("s01"),
        FileTable::new(data("c-f4.npy")).target_column(named("age")),
        FileTable::new(data("c-f4.npy")).target_column(TargetColumn::At(7)),
        FileTable::new(data("rows-f8.npy")).orientation(rows),
        FileTable::new(data("frame.rds")).target_column(named("no")),
        FileTable::new(data("c-f4.npy")).exclude(["no"]),
        with_target_file("c-f4.npy", "two-by-id.csv"),
        with_target_file("c-f4.npy", "stored.npz"),
    ] {
        assert_eq!(refused(&table).kind(), ErrorKind::Request, "{table:?}: {}", refused(&table));
    }
    if cfg!(feature = "arrow") {
        let table = FileTable::new(data("snappy.parquet")).orientation(rows).target_file("t");
        assert_eq!(refused(&table).kind(), ErrorKind::Request);
    } else {
        for name in ["snappy.parquet", "lz4.feather", "stream.arrows"] {
            let error = refused(&FileTable::new(data(name)));
            assert_eq!(error.kind(), ErrorKind::Request);
            assert!(error.to_string().contains("build it with the feature arrow"), "{error}");
        }
    }
}

/// Files without the expected content, or with another format than the extension, are malformed
/// input.
#[test]
fn wrong_files_are_malformed_input() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &str, to: &str| {
        let path = folder.path().join(to);
        std::fs::copy(data(from), &path).unwrap();
        path
    };
    for (from, to) in [
        ("table.csv", "t.npy"),
        ("table.csv", "t.npz"),
        ("table.csv", "t.gct"),
        ("table.csv", "t.rds"),
        ("table.csv", "t.parquet"),
        ("table.csv", "t.feather"),
        ("three.npy", "three.npy"),
        ("objects.npy", "objects.npy"),
    ] {
        let error = refused(&FileTable::new(copy(from, to)));
        assert_eq!(error.kind(), ErrorKind::Input, "{from} as {to}: {error}");
    }
    // The content determines the format, not the name.
    let expected = record(&requests("age")[0], &own("frame.rds", "age").id("id"), 1, 1);
    for (from, to) in [("frame.rds", "t.csv"), ("frame.rds", "t")] {
        let named = TargetColumn::Named("age".into());
        let table = FileTable::new(copy(from, to)).target_column(named).exclude(others("age"));
        assert_eq!(record(&requests("age")[0], &table.id("id"), 1, 1), expected);
    }
    // Targets must be one per sample; the error must not reveal the number of samples.
    for (table, targets) in
        [("c-f4.npy", "halves.npy"), ("v12.gct", "short.csv"), ("c-f4.npy", "short.csv")]
    {
        let short = folder.path().join("short.csv");
        std::fs::write(&short, "age\n1\n2\n").unwrap();
        let targets = if targets == "short.csv" { short } else { data(targets) };
        let error = refused(&FileTable::new(data(table)).target_file(targets));
        assert_eq!(error.kind(), ErrorKind::Input, "{error}");
        assert!(!error.to_string().contains("40"), "{error}");
    }
    // A reader is parsed as text.
    for name in files() {
        let bytes = std::fs::read(data(name)).unwrap();
        let error = refused(&FileTable::from_reader(std::io::Cursor::new(bytes)));
        assert_eq!(error.kind(), ErrorKind::Input, "{name}: {error}");
    }
}

/// Half-precision floats, computed and written by numpy: 0, 1/4, ... 5/4.
#[test]
fn halves_are_read() {
    let table = WholeTable::read(&FileTable::new(data("halves.npy"))).unwrap();
    assert_eq!(
        table.values.iter().step_by(table.features.len()).collect::<Vec<_>>(),
        [&0.0, &0.5, &1.0]
    );
    assert_eq!(table.targets, ["0.25", "0.75", "1.25"]);
}

/// Every file truncated anywhere, with a changed byte, or with random bytes after its start: an
/// error of the right kind or a release, without a panic, with the same result on one thread and on
/// three.
#[test]
fn damage_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = |path: &Path, threads| {
        let select = Select::new(1).epsilon("1").bounds(0.0, 1.0);
        let table = FileTable::new(path);
        let drawn = select.threads(threads).seed(1).run(&table);
        drawn.map(|record| dpsis::report::to_json(&record).unwrap()).map_err(|error| {
            assert!(
                matches!(error.kind(), ErrorKind::Input | ErrorKind::Request),
                "{}: {error}",
                path.display()
            );
            (error.kind(), error.to_string())
        })
    };
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for name in files() {
        let whole = std::fs::read(data(name)).unwrap();
        let path = folder.path().join(name);
        for round in 0..200 {
            let mut bytes = whole.clone();
            match round % 4 {
                3 => {
                    bytes.truncate(8);
                    bytes.extend((0..random(300)).map(|_| random(256) as u8));
                }
                0 => bytes.truncate(random(whole.len())),
                1 => {
                    let place = random(whole.len());
                    bytes[place] ^= 1 << random(8);
                }
                // The bytes where headers are.
                _ => {
                    let place = random(whole.len().min(400));
                    bytes[place] = [0, 1, 0x7f, 0x80, 0xff, b'9'][random(6)];
                }
            }
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(outcome(&path, 1), outcome(&path, 3), "{name} {round}");
        }
        for length in 0..whole.len().min(64) {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(outcome(&path, 1).is_err(), "{name} {length}");
        }
    }
}

/// A false size in the header of a compressed Arrow buffer must not allocate more memory than the
/// file can need.
#[cfg(feature = "arrow")]
#[test]
fn claims_of_compressed_buffers_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    for (name, magic) in [("lz4.feather", 0x184d_2204u32), ("zstd.feather", 0xfd2f_b528)] {
        let whole = std::fs::read(data(name)).unwrap();
        let starts = |place: &usize| whole[*place..].starts_with(&magic.to_le_bytes());
        let frames: Vec<usize> = (8..whole.len()).filter(starts).collect();
        assert!(frames.len() > 10, "{name}");
        for place in frames {
            for claim in [1 << 12, 1 << 30, 1 << 45, i64::MAX, i64::MIN] {
                let mut bytes = whole.clone();
                bytes[place - 8..place].copy_from_slice(&claim.to_le_bytes());
                let path = folder.path().join(name);
                std::fs::write(&path, &bytes).unwrap();
                let named = TargetColumn::Named("age".into());
                let table = FileTable::new(&path).target_column(named);
                assert_eq!(refused(&table).kind(), ErrorKind::Input, "{name} {place} {claim}");
            }
        }
    }
}
