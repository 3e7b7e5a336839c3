//! The page on the deployments registry: every key it names is in a record, and its example follows
//! from one.
#![allow(clippy::unwrap_used)] // in a test a panic is how a failure is said

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The fields that entries of the registry must have: those of its schema and of its published
/// entries in 2026, without the lists of sources and authors.
const FIELDS: [&str; 27] = [
    "product.name",
    "product.data_curators",
    "product.intended_use",
    "product.description",
    "product.data_product_type",
    "product.data_product_region",
    "product.data_product_sector",
    "product.publication_date",
    "dp_flavor.name",
    "dp_flavor.data_domain",
    "dp_flavor.unprotected_quantities",
    "privacy_loss.privacy_unit",
    "privacy_loss.privacy_unit_description",
    "privacy_loss.privacy_parameters.epsilon",
    "privacy_loss.privacy_parameters.delta",
    "privacy_loss.privacy_parameters_description",
    "model.model_name",
    "model.actors",
    "model.release_type",
    "model.release_type_description",
    "model.data_source_type",
    "model.access_type",
    "accounting.post_processing",
    "accounting.composition",
    "implementation.pre_processing_eda_hyperparameter_tuning",
    "implementation.mechanisms",
    "implementation.justification",
];

fn project() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    std::fs::read_to_string(project().join("docs/registry.md")).unwrap()
}

fn record(words: &str) -> Value {
    let command = Command::new(env!("CARGO_BIN_EXE_dpsis"))
        .args(words.split_whitespace())
        .current_dir(project())
        .output()
        .unwrap();
    assert_eq!(command.status.code(), Some(0), "{words}");
    serde_json::from_slice(&command.stdout).unwrap()
}

/// The parts of a line in backticks.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

#[test]
fn every_field_has_a_row_and_every_key_is_in_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("budget.txt");
    let ledger = ledger.to_str().unwrap();
    let create = ["ledger", "create", "--cap", "9", "--delta", "1e-5", ledger];
    assert!(Command::new(env!("CARGO_BIN_EXE_dpsis")).args(create).status().unwrap().success());
    let peel = format!(
        "select --k 20 --eps 2 --delta 1e-6 --mechanism peel --format json --target-number --ledger {ledger} datasets/demo.csv"
    );
    let models = folder.path().join("models.csv");
    std::fs::write(&models, "name,score\na,1\nb,2\n").unwrap();
    let models = models.to_str().unwrap();
    let choose = format!("choose --k 1 --eps 1 --sensitivity 1 --format json {models}");
    let records = [record(&peel), record(&choose)];
    let page = page();
    let rows: Vec<(&str, &str)> =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" | ")).collect();
    for field in FIELDS {
        let has =
            |(fields, _): &&(&str, &str)| format!("`{fields}").contains(&format!("`{field}`"));
        assert_eq!(rows.iter().filter(has).count(), 1, "{field}");
    }
    let mut keys = 0;
    for (_, meaning) in rows {
        let tops = ["run", "guarantee", "public", "score", "mechanism", "randomness", "ledger"];
        let is_key = |word: &&str| {
            word.split_once('.').is_some_and(|(top, _)| tops.contains(&top))
                || ["version", "warnings", "verdict"].contains(word)
        };
        for key in quoted(meaning).filter(is_key) {
            let path = format!("/{}", key.replace('.', "/"));
            assert!(records.iter().any(|record| record.pointer(&path).is_some()), "{key}");
            keys += 1;
        }
    }
    assert!(keys >= 20, "{keys}");
}

/// The example of the page, made from the record of the command whose record is shown elsewhere.
#[test]
fn the_example_follows_from_a_record() {
    let record = record("select --k 5 --eps 2 --seed 6 --format json datasets/demo.csv");
    let text = |path: &str| match record.pointer(path).unwrap() {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let flavor = if text("/guarantee/delta") == "0" { "Pure DP" } else { "Approximate DP" };
    let spent = record["guarantee"]["spent"].as_array().unwrap();
    let part = |part: &Value| {
        format!("{} {}", part["epsilon"].as_str().unwrap(), part["for"].as_str().unwrap())
    };
    let spent: Vec<String> = spent.iter().map(part).collect();
    let events = record["guarantee"]["events"].as_array().unwrap();
    let events: Vec<&str> = events.iter().map(|event| event.as_str().unwrap()).collect();
    assert_eq!(text("/guarantee/neighbors"), "add/remove");
    let lines = [
        "  dp_flavor:".to_owned(),
        format!("    name: {flavor}"),
        format!(
            "    data_domain: Tables with {} features and any number of rows.",
            text("/public/features")
        ),
        "    unprotected_quantities: None beyond the names of the features.".to_owned(),
        "  privacy_loss:".to_owned(),
        format!("    privacy_unit: {} (one patient)", text("/guarantee/unit")),
        format!(
            "    privacy_unit_description: Adjacent tables differ by adding or removing one {}.",
            text("/guarantee/unit")
        ),
        "    privacy_parameters:".to_owned(),
        format!("      epsilon: {}", text("/guarantee/epsilon")),
        format!("    privacy_parameters_description: {}.", spent.join(", ")),
        "  model:".to_owned(),
        "    model_name: Central".to_owned(),
        "    access_type: Non-interactive".to_owned(),
        "  accounting:".to_owned(),
        format!("    composition: Sequential composition of {}.", events.join(", ")),
        "  implementation:".to_owned(),
        format!(
            "    mechanisms: {} (gamma {}) on {} scores, by dpsis {} with {}; exact arithmetic.",
            text("/mechanism/id"),
            text("/mechanism/gamma"),
            text("/score/id"),
            text("/version"),
            // A record without a seed.
            "ChaCha20, operating system"
        ),
    ];
    let page = page();
    let shown = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(shown.lines().collect::<Vec<_>>(), lines);
}
