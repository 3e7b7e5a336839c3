//! `dpsis predict`: the predictions of a model for the rows of a table.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::files::read_text;
use crate::output::{Destination, remark};
use crate::table_arguments::TableArguments;
use dpsis::model::{Model, ModelKind};
use dpsis::{Error, Result};

/// Apply a model of `dpsis fit` to the rows of a table: not private.
///
/// Prints a CSV column with one prediction per row, in the order of the table: the number, or the
/// probability of the second class. Features are found by their names, which must differ; other
/// columns are ignored. Every row has a prediction, also without a target or an identifier.
/// Predictions for sensitive rows are as sensitive as these.
#[derive(Debug, Args)]
pub(super) struct PredictArguments {
    /// The model, as `dpsis fit` writes it
    #[arg(display_order = 0)]
    model: PathBuf,

    #[command(flatten)]
    table: TableArguments,

    /// Write the predictions to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

pub(super) fn predict(arguments: &PredictArguments) -> Result<()> {
    let PredictArguments { model, table, output } = arguments;
    if [model, &table.file].into_iter().all(|path| path == Path::new("-")) {
        return Err(Error::request("only one file can be standard input"));
    }
    let read = Model::from_json(&read_text(model)?)?;
    let destination = Destination::check(output.as_deref(), &[model.as_path(), &table.file])?;
    let (schema, _) = table.schema()?;
    // New rows need no target: a target column is treated like any other.
    let predicted = read.predict_table(&table.table(&schema)?.without_target())?;
    if !read.guarantee.private {
        remark("NOT PRIVATE: the model was drawn from a given seed\n");
    }
    let mut text = heading(&read) + "\n";
    for value in predicted {
        let _ = writeln!(text, "{value}");
    }
    destination.write(&text)
}

/// The name of the column of predictions.
fn heading(model: &Model) -> String {
    let name = match (&model.target.classes, &model.target.name, model.kind) {
        (Some([_, second]), ..) => format!("probability of {second}"),
        (None, Some(name), ModelKind::Linear) => format!("predicted {name}"),
        _ => "predicted".to_owned(),
    };
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name,
    }
}
