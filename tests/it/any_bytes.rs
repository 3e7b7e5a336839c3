//! Arbitrary file contents: every run ends in a release or an error of the right kind, without a
//! panic and without a cell's value in a message, and with the same result on one thread and on
//! three.

#![allow(clippy::unwrap_used)] // tests fail by panicking

use dpsis::{ErrorKind, FileTable, Orientation, Select, Target, TargetColumn};
use dpsis_mechanisms::support::effort::exhaustive;
use proptest::prelude::*;

/// The facts given about a table, and the request.
type Case = (fn(FileTable) -> FileTable, Select);

fn run(
    bytes: &[u8],
    (facts, select): &Case,
    threads: usize,
) -> Result<String, (ErrorKind, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    std::fs::write(&path, bytes).unwrap();
    let request = select.clone().threads(threads).seed(1);
    let from_file = request.run(&facts(FileTable::new(&path))).map_err(|error| {
        let shown = error.to_string().replace(folder.path().to_str().unwrap(), "");
        (error.kind(), shown)
    });
    // A reader gives the same result as the file, also if the values must be held in memory.
    let reader = std::io::Cursor::new(bytes.to_vec());
    let from_reader = request.run(&facts(FileTable::from_reader(reader)));
    assert_eq!(
        from_file.as_ref().map_err(|(kind, _)| *kind),
        from_reader.as_ref().map_err(dpsis::Error::kind)
    );
    from_file.map(|record| dpsis::report::to_json(&record).unwrap())
}

fn cases() -> Vec<Case> {
    let base = || Select::new(1).epsilon("1");
    let labels = || Target::Classes(vec!["0".into(), "1".into(), "7".into()]);
    vec![
        (|table| table, base()),
        (|table| table, base().target(labels())),
        (|table| table.numeric_names(true), base().center(dpsis::Center::None)),
        (
            |table| {
                table
                    .orientation(Orientation::FeaturesAsRows)
                    .target_column(TargetColumn::Named("y".into()))
            },
            base(),
        ),
    ]
}

fn check(bytes: &[u8]) {
    for case in cases() {
        let outcomes = [1, 3].map(|threads| run(bytes, &case, threads));
        assert_eq!(outcomes[0], outcomes[1]);
        if let Err((kind, message)) = &outcomes[0] {
            assert!(matches!(kind, ErrorKind::Input | ErrorKind::Request), "{message}");
            assert!(!message.contains("90817"), "{message}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if exhaustive() { 400 } else { 150 }))]

    #[test]
    fn bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
    }

    /// Almost valid tables with scattered invalid parts; 90817 occurs only in cells.
    #[test]
    fn nearly_tables(
        header in "(a|b|\"c\"|,|;){0,6}",
        cells in prop::collection::vec(
            prop::sample::select(vec![
                "1", "0", "7", "90817", "-2.5e3", "", "NA", "nan", "\"", "\"1\"", "\"1\"\"", "\r",
                "\u{feff}", "x", "1e999", "\0",
            ]),
            0..60),
        width in 1usize..5,
    ) {
        let mut text = format!("{header},y\n");
        for row in cells.chunks(width) {
            text += &row.join(",");
            text += if width % 2 == 0 { "\n" } else { "\r\n" };
        }
        check(text.as_bytes());
        // The same table with features as rows.
        let lines: Vec<String> =
            cells.chunks(width).enumerate().map(|(i, row)| format!("g{i},{}", row.join(","))).collect();
        check(format!("f,{}\ny,{}\n{}", header, header, lines.join("\n")).as_bytes());
    }
}
