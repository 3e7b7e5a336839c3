//! Every entry of the map from the papers to the code exists.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use std::path::Path;

/// The source text of an entry `file::name`, and the position of the definition in it.
fn definition(entry: &str) -> Option<(String, usize)> {
    let (file, name) = entry.trim_matches('`').rsplit_once("::")?;
    let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).ok()?;
    let forms = [
        format!("fn {name}("),
        format!("fn {name}<"),
        format!("struct {name}"),
        format!("    {name},\n"),
    ];
    let at = forms.iter().find_map(|form| source.find(form.as_str()))?;
    Some((source, at))
}

#[test]
fn every_entry_exists() {
    let map = include_str!("../../PAPERS.md");
    let rows: Vec<Vec<&str>> = map
        .lines()
        .filter(|line| {
            line.starts_with("| ") && !line.starts_with("| statement") && !line.starts_with("| ---")
        })
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 30, "{} rows", rows.len());
    for row in rows {
        let [statement, item, test] = row[..] else { panic!("three columns: {row:?}") };
        if item == "not here yet" {
            assert_eq!(test, "-", "{statement}");
            continue;
        }
        assert!(definition(item).is_some(), "{statement}: {item} is not there");
        let (source, at) =
            definition(test).unwrap_or_else(|| panic!("{statement}: {test} is not there"));
        // For a property test the attribute may be further above.
        let before = &source[at.saturating_sub(400)..at];
        assert!(before.contains("#[test]"), "{statement}: {test} is no test");
    }
}
