//! Files of folders that belong to a table format are refused, however they are named.

use std::fs;
use std::path::PathBuf;

use dpsis::{Error, ErrorKind, FileTable, FileTables, Select, files};

const PARQUET: &str = "PAR1";

/// A folder with these files, each of which starts as Parquet does.
fn folder(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, PARQUET).unwrap();
    }
    folder
}

/// The error for these paths, which are resolved and opened as every interface does.
fn refusal(paths: &[PathBuf]) -> Error {
    let open = || {
        let tables = FileTables::new(files(paths)?.into_iter().map(FileTable::new))?;
        Select::new(1).epsilon("1").run(&tables).map(|_| ())
    };
    open().unwrap_err()
}

#[test]
fn files_of_a_table_format_are_refused_at_every_level() {
    for (name, marker, data, remedy) in [
        ("Delta Lake", "_delta_log/00000000000000000000.json", "", "deltalake"),
        ("Iceberg", "metadata/00000-4f.metadata.json", "data/", "pyiceberg"),
        ("Iceberg", "metadata/v1.metadata.json.gz", "data/", "pyiceberg"),
        ("Hudi", ".hoodie/hoodie.properties", "", "Spark"),
    ] {
        let flat = [format!("t/{data}1.parquet"), format!("t/{data}2.parquet")];
        let nested = format!("t/{data}site=north/day=1/3.parquet");
        let marker = format!("t/{marker}");
        let check = |at: &tempfile::TempDir, paths: &[&str]| {
            let paths: Vec<_> = paths.iter().map(|path| at.path().join(path)).collect();
            let error = refusal(&paths);
            let text = error.to_string();
            assert_eq!(error.kind(), ErrorKind::Request, "{paths:?}: {text}");
            assert!(text.contains(&format!("a table of {name}")), "{paths:?}: {text}");
            assert!(text.contains(remedy) && !text.contains("**"), "{paths:?}: {text}");
        };
        let at = folder(&[&marker, &flat[0], &flat[1]]);
        let parts = format!("t/{data}");
        check(&at, &[parts.trim_end_matches('/')]);
        check(&at, &["t/**/*.parquet"]);
        check(&at, &[&flat[1], &flat[0]]);
        check(&at, &[&flat[1]]);
        let at = folder(&[&marker, &nested]);
        for path in ["t", ".", "t/**/*.parquet", &nested] {
            check(&at, &[path]);
        }
        for depth in ["site=north", "site=north/day=1", "site=*/*/*"] {
            check(&at, &[&format!("t/{data}{depth}")]);
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at.path().join(&nested), at.path().join("link")).unwrap();
            check(&at, &["link"]);
        }
    }
}

#[test]
fn other_files_are_not_refused() {
    // Delta tables contain no CSV files, and other metadata may lie next to data.
    let at = folder(&["t/_delta_log/0.json", "t/export.csv", "p/metadata/README.json"]);
    fs::write(at.path().join("t/export.csv"), "a,y\n1,2\n").unwrap();
    fs::write(at.path().join("p/a.csv"), "a,y\n1,2\n").unwrap();
    for name in ["t/export.csv", "p/a.csv"] {
        let table = FileTable::new(at.path().join(name));
        assert!(Select::new(1).epsilon("1").run(&table).is_ok(), "{name}");
    }
}
