//! `dpsis inspect`: findings, the command to use, and a schema file to check.

use std::fmt::Write;

use crate::cli::arguments::{InspectArguments, Orient, TableArguments};
use crate::cli::output;
use crate::cli::schema_file::SchemaFile;
use crate::data::TargetColumn;
use crate::error::{Error, Result};
use crate::inspect::{Inspection, Known, Suggestion, inspect as look};

pub(super) fn inspect(arguments: &InspectArguments) -> Result<()> {
    let table = &arguments.table;
    let known = known(table)?;
    let inspection = look(&table.file, &known)?;
    if let Some(path) = &arguments.write_schema {
        let schema = serde_json::to_string_pretty(&schema(&inspection.suggestion, table))
            .map_err(|_| Error::io("the schema cannot be written as JSON"))?;
        output::write_file(path, &(schema + "\n"))?;
    }
    output::print(&text(&inspection, arguments))
}

fn known(table: &TableArguments) -> Result<Known> {
    let (schema, _) = table.schema()?;
    let target = table.target.clone().or(schema.target);
    Ok(Known {
        delimiter: table.delimiter_byte()?,
        decimal_comma: table.decimal_comma || schema.decimal_comma,
        missing: table.missing()?,
        target: match (table.target_index, target) {
            (Some(place), _) => TargetColumn::At(place),
            (_, Some(name)) => TargetColumn::Named(name),
            _ => TargetColumn::Last,
        },
        target_elsewhere: table.target_file.is_some(),
        id: table.id.clone().or(schema.id),
        features_as_rows: table.orient == Some(Orient::FeaturesAsRows) || schema.features_as_rows,
    })
}

fn text(inspection: &Inspection, arguments: &InspectArguments) -> String {
    let mut text = String::from(
        "NOT PRIVATE: for the data holder's eyes; nothing of this may be passed on.\n\n",
    );
    for finding in &inspection.findings {
        let mark = if finding.odd { "!" } else { " " };
        let _ = writeln!(text, "{mark} {:<9} {}", finding.topic, finding.text);
    }
    let k = (inspection.suggestion.features / 2).clamp(1, 5).to_string();
    let mut command = vec!["dpsis".to_owned(), "select".into(), "--k".into(), k];
    command.extend(["--eps".to_owned(), "1".into()]);
    match &arguments.write_schema {
        Some(schema) => command.extend(["--schema".into(), schema.display().to_string()]),
        None => command.extend(inspection.suggestion.options.iter().cloned()),
    }
    command.push(arguments.table.file.display().to_string());
    let words: Vec<String> = command.iter().map(|word| shell_word(word)).collect();
    let _ = write!(
        text,
        "\nIf these are public facts, the command is (k and epsilon are yours to choose):\n  {}\n",
        words.join(" ")
    );
    if let Some(schema) = &arguments.write_schema {
        let _ = writeln!(text, "Check every line of {} first.", schema.display());
    }
    text
}

/// Quoted for a shell where it must be.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn schema(suggestion: &Suggestion, table: &TableArguments) -> SchemaFile {
    SchemaFile {
        target: suggestion.target.clone(),
        target_file: table.target_file.clone(),
        id: suggestion.id.clone(),
        features_as_rows: suggestion.features_as_rows,
        delimiter: suggestion.delimiter.map(|byte| match byte {
            b'\t' => "tab".to_owned(),
            byte => char::from(byte).to_string(),
        }),
        decimal_comma: suggestion.decimal_comma,
        missing: suggestion.missing.clone(),
        classes: suggestion.classes.clone(),
        ..SchemaFile::default()
    }
}
