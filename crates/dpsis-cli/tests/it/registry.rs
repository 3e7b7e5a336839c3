//! Entries of the deployments registry: every field is one of its schema, of the kind that the
//! schema says, and says what the record says. Python validates them with a validator of schemas.

use serde_json::Value;
use std::collections::BTreeMap;

use crate::harness::{DEMO, Folder, Outcome, PROJECT, assert_contains, assert_lacks};

const SCHEMA: &str = include_str!("../registry-schema-2026-07-15.json");

/// Runs a command on the demo data with a file of facts, facts.json.
fn run(line: &str, facts: &str) -> Outcome {
    let folder = Folder::new().with("facts.json", facts).with("models.csv", MODELS);
    folder.run(line)
}

const MODELS: &str = "name,score\na,1\nb,2\n";

/// Selects with this file of facts.
fn select(facts: &str) -> Outcome {
    let select = "select --k 5 --eps 2 --format registry --registry-facts facts.json";
    run(&format!("{select} {DEMO}"), facts)
}

/// The facts that the page shows.
fn facts() -> String {
    let page = Folder::at(PROJECT).read("docs/registry.md");
    page.split("```json\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

/// The fields of an entry by their places in the schema; null for what is missing. It reads no more
/// of YAML than is written.
fn fields(yaml: &str) -> BTreeMap<String, Value> {
    let mut fields = BTreeMap::<String, Value>::new();
    let mut keys: Vec<String> = Vec::new();
    for line in yaml.lines().filter(|line| !line.starts_with('#')) {
        let indent = (line.len() - line.trim_start().len()) / 2;
        if let Some(item) = line.trim_start().strip_prefix("- ") {
            let list = fields.entry(keys.join("/")).or_default();
            if list.is_null() {
                *list = Value::Array(Vec::new());
            }
            list.as_array_mut().unwrap().push(serde_json::from_str(item).unwrap());
            continue;
        }
        let (key, value) = line.trim_start().split_once(':').unwrap();
        keys.truncate(indent);
        assert_eq!(keys.len(), indent, "{line}");
        keys.push(key.to_owned());
        let value = match value.trim_start() {
            todo if todo.starts_with("# TODO: ") => Value::Null,
            // A list or fields below it.
            "" => continue,
            value => serde_json::from_str(value).unwrap(),
        };
        assert_eq!(fields.insert(keys.join("/"), value), None, "{line}");
    }
    fields
}

/// Every field that the schema requires is there, every field is of the schema, and what is not
/// missing has its kind.
fn check(fields: &BTreeMap<String, Value>) {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for (path, value) in fields {
        let node = path.split('/').fold(&schema, |node, key| &node["properties"][key]);
        assert!(node.is_object(), "{path} is not in the schema");
        let is = |kind: &Value| match kind.as_str().unwrap() {
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.is_u64(),
            "array" => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
            _ => false,
        };
        let kinds = match &node["type"] {
            Value::Array(kinds) => kinds.clone(),
            Value::Null => vec!["string".into()],
            kind => vec![kind.clone()],
        };
        assert!(value.is_null() || kinds.iter().any(is), "{path}: {value}");
        if let (Some(words), false) = (node["enum"].as_array(), value.is_null()) {
            assert!(words.contains(value), "{path}: {value}");
        }
    }
    for group in ["", "deployment", "deployment/basic", "deployment/administrative"] {
        let node = group
            .split('/')
            .filter(|key| !key.is_empty())
            .fold(&schema, |node, key| &node["properties"][key]);
        for key in node["required"].as_array().unwrap() {
            let path = format!("{group}/{}", key.as_str().unwrap());
            let path = path.trim_start_matches('/');
            assert!(fields.keys().any(|field| field.starts_with(path)), "{path}");
        }
    }
}

#[test]
fn an_entry_without_facts_marks_what_is_missing() {
    let output = run(&format!("select --k 5 --eps 2 --format registry {DEMO}"), "").succeeds();
    let yaml = &output.stdout;
    assert!(yaml.lines().nth(1).unwrap().contains("does not validate yet"), "{yaml}");
    let fields = fields(yaml);
    check(&fields);
    let missing: Vec<&String> =
        fields.iter().filter(|(_, value)| value.is_null()).map(|(path, _)| path).collect();
    let said = output.message();
    assert_contains(&said, "the entry does not validate yet: TODO marks ");
    assert_eq!(said.matches(", ").count() + 1, missing.len(), "{said}");
    for path in missing {
        assert_contains(&said, path.rsplit('/').next().unwrap());
    }
    for (path, value) in [
        ("dp_variant/variant_name", "Pure DP"),
        ("dp_variant/data_domain", "Tables with 300 features and any number of rows."),
        ("privacy_loss/privacy_unit", "row"),
        ("deployment_model/model_name", "Central"),
        (
            "accounting/composition",
            "Sequential composition of pure:0.2, pure:0.15, pure:1.25, pure:0.4.",
        ),
    ] {
        assert_eq!(fields[&format!("deployment/{path}")], value, "{path}");
    }
    assert_eq!(fields["deployment/privacy_loss/privacy_parameters/epsilon"], 2);
    assert_lacks(yaml, "delta:");
}

/// The facts of the page complete the entry.
#[test]
fn with_facts_nothing_is_missing() {
    let output = select(&facts()).succeeds();
    assert_lacks(&output.message(), "TODO");
    assert_lacks(&output.stdout, "TODO");
    assert_lacks(&output.stdout, "does not validate");
    let fields = fields(&output.stdout);
    check(&fields);
    let facts: Value = serde_json::from_str(&facts()).unwrap();
    assert_eq!(fields["deployment/basic/name"], facts["name"]);
    assert_eq!(fields["deployment/administrative/registry_authors"], facts["registry_authors"]);
    // What is stated is added to what the record says.
    let unit = format!("row ({})", facts["privacy_unit"].as_str().unwrap());
    assert_eq!(fields["deployment/privacy_loss/privacy_unit"], unit);
}

/// The places of all fields of the schema.
fn leaves(node: &Value, path: &str, all: &mut Vec<String>) {
    match node["properties"].as_object() {
        Some(properties) => {
            for (key, node) in properties {
                leaves(node, format!("{path}/{key}").trim_start_matches('/'), all);
            }
        }
        None => all.push(path.to_owned()),
    }
}

/// With what may be left out, all fields of the schema are there but the parameters of other
/// guarantees.
#[test]
fn every_field_of_the_schema_can_be_filled() {
    let mut all: Value = serde_json::from_str(&facts()).unwrap();
    all["status"] = "Pending".into();
    all["tier"] = 2.into();
    for free in [
        "model_name_details",
        "data_source_type_details",
        "access_type_details",
        "sources",
        "notes",
    ] {
        all[free] = "a text".into();
    }
    let fields = fields(&select(&all.to_string()).succeeds().stdout);
    check(&fields);
    assert_eq!((&fields["status"], &fields["tier"]), (&"Pending".into(), &2.into()));
    let mut expected = Vec::new();
    leaves(&serde_json::from_str(SCHEMA).unwrap(), "", &mut expected);
    expected.retain(|path| !path.ends_with("/delta") && !path.ends_with("/rho"));
    expected.sort();
    assert_eq!(fields.into_keys().collect::<Vec<_>>(), expected);
}

#[test]
fn choices_models_and_deltas_have_entries() {
    let entry = |line: &str| {
        let yaml = run(&format!("{line} --format registry"), "").succeeds().stdout;
        let fields = fields(&yaml);
        check(&fields);
        (yaml, fields)
    };
    let (yaml, fields) = entry("choose --eps 1/3 --sensitivity 1 models.csv");
    // Not below a third.
    assert_contains(&yaml, "epsilon: 0.33333333333333337\n");
    assert_eq!(fields["deployment/privacy_loss/privacy_unit"], "unit");
    let (yaml, fields) =
        entry(&format!("select --k 20 --eps 2 --delta 1e-6 --mechanism peel {DEMO}"));
    assert_contains(&yaml, "      delta: 0.000001\n");
    assert_eq!(fields["deployment/dp_variant/variant_name"], "Approximate DP");
    let (_, fields) = entry(&format!("fit --k 2 --eps 9 {DEMO}"));
    assert_eq!(fields["deployment/basic/data_product_type"], "Machine learning model");
}

/// Wrong facts are refused before the run; no message contains their values.
#[test]
fn wrong_facts_are_refused() {
    for (facts, rule) in [
        ("[1]", "no JSON object"),
        ("{\"name\": ", "no JSON object: see line 1"),
        ("{\"nam\": \"a\"}", "no field \"nam\""),
        ("{\"epsilon\": 1}", "the record says what \"epsilon\" is"),
        ("{\"variant_name\": \"Pure DP\"}", "the record says"),
        ("{\"name\": 3}", "\"name\" is a text"),
        ("{\"name\": \" \"}", "\"name\" is a text that is not empty"),
        ("{\"data_curators\": \"S3CR3T\"}", "is a list of texts"),
        ("{\"data_curators\": []}", "is a list of texts"),
        ("{\"publication_date\": \"2026-02-29\"}", "is a day"),
        ("{\"publication_date\": \"22.11.2026\"}", "is a day"),
        ("{\"tier\": 4}", "is a number from 1 to 3"),
        ("{\"data_source_type\": \"S3CR3T\"}", "is one of Static, Dynamic"),
    ] {
        let message = select(facts).fails(2);
        assert_contains(&message, rule);
        assert_contains(&message, "--registry-facts");
        assert_lacks(&message, "S3CR3T");
    }
    for (options, code) in [
        ("--registry-facts facts.json", 2),
        ("--format registry --registry-facts nowhere", 5),
        ("--format registry --registry-facts facts.json -o facts.json", 2),
        ("--format registry --seed 1", 2),
        ("--format registry --dry-run", 2),
    ] {
        run(&format!("select --k 1 --eps 1 {options} {DEMO}"), "{}").fails(code);
    }
}
