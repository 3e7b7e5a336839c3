//! `dpsis inspect`: findings, the command to use, and a schema file to check.

use std::fmt::Write;
use std::path::Path;

use clap::Parser;

use crate::arguments::{Arguments, Command, InspectArguments, Orient, TableArguments};
use crate::output::Destination;
use crate::schema_file::SchemaFile;
use dpsis::inspect::{Inspection, Known, Suggestion, inspect as look};
use dpsis::{Error, Result};
use dpsis::{Orientation, TargetColumn};

pub(super) fn inspect(arguments: &InspectArguments) -> Result<()> {
    let table = &arguments.table;
    let (schema, _) = table.schema()?;
    let known = known(table, &schema)?;
    let target_file = table.target_file.as_ref().or(schema.target_file.as_ref());
    let mut inputs = vec![table.file.as_path()];
    inputs.extend(target_file.map(|path| path.as_path()));
    if arguments.write_schema.as_ref().is_some_and(|path| path.is_file()) {
        let schema_exists = "the schema file exists already: remove it, or choose another name";
        return Err(Error::request(schema_exists));
    }
    let destination = Destination::check(arguments.write_schema.as_deref(), &inputs)?;
    let inspection = look(&table.file, &known)?;
    let mut options = inspection.suggestion.options.clone();
    if let Some(path) = target_file {
        options.extend(["--target-file".to_owned(), path.display().to_string()]);
    }
    if table.numeric_names {
        options.push("--numeric-names".to_owned());
    }
    let checked = check(&inspection.suggestion, &options, &table.file);
    if checked.is_ok() && arguments.write_schema.is_some() {
        let schema =
            SchemaFile { target_file: target_file.cloned(), ..facts(&inspection.suggestion) };
        let schema = serde_json::to_string_pretty(&schema)
            .map_err(|_| Error::io("the schema cannot be written as JSON"))?;
        destination.write(&(schema + "\n"))?;
    }
    let text = text(&inspection, arguments, &options, &checked);
    Destination::Stdout.write(&text)
}

fn known(table: &TableArguments, schema: &SchemaFile) -> Result<Known> {
    let target = table.target.clone().or(schema.target.clone());
    let stated = table.missing()?;
    Ok(Known {
        delimiter: table.delimiter_byte(schema)?,
        decimal_comma: table.decimal_comma || schema.decimal_comma,
        missing: if stated.is_empty() { schema.missing.clone() } else { stated },
        target: match (table.target_index, target) {
            (Some(place), _) => TargetColumn::At(place),
            (_, Some(name)) => TargetColumn::Named(name),
            _ => TargetColumn::Last,
        },
        target_elsewhere: table.target_file.is_some() || schema.target_file.is_some(),
        id: table.id.clone().or(schema.id.clone()),
        exclude: if table.exclude.is_some() { table.excluded()? } else { schema.exclude.clone() },
        orientation: match (table.orient, schema.features_as_rows) {
            (Some(Orient::FeaturesAsRows), _) | (None, true) => Some(Orientation::FeaturesAsRows),
            (Some(Orient::SamplesAsRows), _) => Some(Orientation::SamplesAsRows),
            (None, false) => None,
        },
    })
}

/// The words of the command.
fn command(suggestion: &Suggestion, options: &[String], file: &Path) -> Vec<String> {
    let k = (suggestion.features / 2).clamp(1, 5).to_string();
    let words = ["dpsis", "select", "--k", &k, "--eps", "1"].map(str::to_owned);
    let file = file.display().to_string();
    words.into_iter().chain(options.iter().cloned()).chain([file]).collect()
}

/// Whether the command would run, as far as the request and the header tell: they are checked the way
/// `select` checks them. Gives how many rows' worth of difference it needs, where that is known.
fn check(
    suggestion: &Suggestion,
    options: &[String],
    file: &Path,
) -> std::result::Result<Option<f64>, String> {
    if suggestion.undecided {
        return Err("answer the question above first".to_owned());
    }
    let parsed = Arguments::try_parse_from(command(suggestion, options, file));
    let Ok(Arguments { command: Command::Select(select) }) = parsed else {
        return Err("the table's names cannot be stated on a command line".to_owned());
    };
    let checked = select.job().and_then(|job| {
        // Standard input is gone, and where features are rows the header does not hold them.
        if file == Path::new("-") || suggestion.features_as_rows {
            return Ok(None);
        }
        job.select.dry_run(&job.table).map(|plan| Some(plan.rows_needed))
    });
    checked.map_err(|error| error.to_string())
}

fn text(
    inspection: &Inspection,
    arguments: &InspectArguments,
    options: &[String],
    checked: &std::result::Result<Option<f64>, String>,
) -> String {
    let mut text = String::from(
        "NOT PRIVATE: for the data holder's eyes; nothing of this may be passed on.\n\n",
    );
    for finding in &inspection.findings {
        let mark = if finding.odd { "!" } else { " " };
        let _ = writeln!(text, "{mark} {:<9} {}", finding.topic, finding.text);
    }
    if inspection.rows == 0 {
        let _ = writeln!(text, "! {:<9} there is no row below the header", "shape");
    }
    let needed = match checked {
        Ok(needed) => needed.unwrap_or(0.0),
        Err(refusal) => {
            let _ = writeln!(text, "\nNo command yet: {refusal}");
            return text;
        }
    };
    let schema = arguments.write_schema.as_ref().map(|path| path.display().to_string());
    let stated = schema.as_ref().map(|path| vec!["--schema".to_owned(), path.clone()]);
    let options = stated.as_deref().unwrap_or(options);
    let words = command(&inspection.suggestion, options, &arguments.table.file);
    let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    let _ = write!(
        text,
        "\nIf these are public facts, the command is (k and epsilon are yours to choose):\n  {}\n",
        words.join(" ")
    );
    // A rule of thumb: strong features differ from the others by what a sixth of the rows can move.
    let sixth = inspection.rows as f64 / 6.0;
    if needed > sixth && sixth > 0.0 {
        let enough = (needed / sixth).ceil();
        let _ = writeln!(
            text,
            "With these {} rows expect noise at epsilon 1: about {enough} is needed, or more rows, or \
             fewer features.",
            inspection.rows
        );
    }
    if let Some(schema) = schema {
        let _ = writeln!(text, "Check every line of {schema} first.");
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

/// What was found and stated, as facts to check.
fn facts(suggestion: &Suggestion) -> SchemaFile {
    SchemaFile {
        target: suggestion.target.clone(),
        id: suggestion.id.clone(),
        exclude: suggestion.exclude.clone(),
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
