//! `dpsis fit`: a private model on privately selected features.

use std::path::Path;

use clap::Args;

use crate::output::{self, Destination, Format, Output};
use crate::score_arguments::{Score, scored_by};
use crate::select::{Job, SelectArguments};
use crate::table_arguments::{file_of, parse_names};
use crate::values::unused;
use crate::words;
use dpsis::report::{Statement, fit_dry_run, fit_report, to_html, to_json};
use dpsis::{Error, FitRecord, Levels, ModelOptions, Result};

/// Fit a private model to privately selected features.
///
/// Selects features as `dpsis select` does with a share of the budget, and fits a regression to
/// them with the rest: a linear one to a number, a logistic one to two --classes. The model goes to
/// stdout as JSON, a report to stderr; `dpsis predict` applies it.
#[derive(Debug, Args)]
#[command(
    after_help = MORE,
    after_long_help = AFTER_HELP,
    mut_arg("target_file", |option| option.hide_short_help(true)),
    mut_arg("orient", |option| option.hide_short_help(true)),
    mut_arg("partials", unused),
    mut_arg("groups", unused),
    mut_arg("group_size", unused),
    mut_arg("adjust", unused),
    mut_arg("paired", unused),
    mut_arg("score", |option| scored_by(option, &[Score::Ks, Score::Correlation, Score::Kendall])),
    mut_arg("split", |option| {
        let shares = option.get_long_help().map(ToString::to_string).unwrap_or_default();
        option.long_help(shares.replace("without --k", "with --k estimates=0, without --k"))
    }),
    mut_arg("format", |format| format
        .hide_short_help(true)
        .hide_possible_values(true)
        .help("json, html (a page), or acro as for select; with --dry-run text or json")
        .long_help(None)),
    mut_arg("name_file", unused),
    mut_arg("output", |output| output
        .help("Write the model to this file, whole or not at all")
        .long_help(None)),
)]
pub(crate) struct FitArguments {
    /// The selection's share of the budget [default: 0.4]
    #[arg(
        long,
        value_name = "SHARE",
        allow_hyphen_values = true,
        hide_short_help = true,
        help_heading = "Model"
    )]
    selection_share: Option<String>,

    /// Fit to these features, which are public, and select none: names, @FILE
    #[arg(
        long,
        value_name = "A,B,...",
        conflicts_with_all = ["k", "fwer", "at_most", "selection_share"],
        hide_short_help = true,
        help_heading = "Model"
    )]
    features: Option<String>,

    /// The public levels of a categorical column, stage=I,II,III: one coefficient for each but the
    /// first; may be repeated
    #[arg(long, value_name = "COLUMN=A,B,...", hide_short_help = true, help_heading = "Model")]
    levels: Vec<Levels>,

    /// The share of the model's part for the ranges of columns without --bounds [default: 0.3]
    #[arg(long, value_name = "SHARE", hide_short_help = true, help_heading = "Model")]
    ranges: Option<String>,

    /// With two --classes: the regularization of the sum over rows; larger means less noise and
    /// probabilities closer to 1/2 [default: 2.5 times the standard deviation of the noise in rows,
    /// at least 0.5]
    #[arg(long, value_name = "NUMBER", hide_short_help = true, help_heading = "Model")]
    lambda: Option<f64>,

    #[command(flatten)]
    select: SelectArguments,
}

const MORE: &str = "More options, with examples: dpsis fit --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis fit --k 5 --eps 2 -o model.json data.csv
  dpsis fit --k 5 --eps 2 --classes no,yes --ledger budget.txt data.csv
  dpsis fit --k 3 --eps 2 --classes no,yes --bounds 0,1 data.csv
  dpsis fit --features age,dose --eps 1 --bounds-file bounds.csv data.csv
  dpsis predict model.json new.csv

Exit codes: 0 released; 2 wrong request; 3 malformed input, or too few usable
rows; 4 ledger too low or closed; 5 reading or writing failed.";

pub(super) fn fit(arguments: &FitArguments, request: &str) -> Result<()> {
    let given = &arguments.select;
    given.check_for_model()?;
    let inputs = given.inputs()?;
    let Job { table, select } = given.job(&inputs)?;
    let fit = arguments.options()?.request(select)?;
    fit.check_ref()?;
    let list = arguments.features.as_deref().and_then(file_of);
    let all: Vec<&Path> = inputs.all().chain(list).collect();
    let output = given.output.check(&all)?;
    let terms = given.terms(request);
    if given.dry_run {
        let plan = terms.dry_fit(&fit, &table)?;
        return output.destination.write(&match given.output.format() {
            Format::Json => to_json(&plan)?,
            _ => fit_dry_run(&plan, words::options),
        });
    }
    let outcome = terms.fit(&fit, &table)?;
    given.say_if_over_memory();
    write(&outcome, output)
}

impl FitArguments {
    /// The options of the model.
    fn options(&self) -> Result<ModelOptions> {
        Ok(ModelOptions {
            selection_share: self.selection_share.clone(),
            features: self.features.as_deref().map(parse_names).transpose()?,
            levels: self.levels.iter().map(of_levels).collect(),
            ranges: self.ranges.clone(),
            lambda: self.lambda.map(Into::into),
        })
    }
}

/// The levels as an option.
fn of_levels(levels: &Levels) -> (String, Vec<String>) {
    (levels.name().to_owned(), levels.texts().to_vec())
}

impl SelectArguments {
    /// Refuses the options that do not apply to a model.
    fn check_for_model(&self) -> Result<()> {
        let wrong = if !self.partials.is_empty() {
            "a model needs the table, not sums of its parts"
        } else if matches!(self.output.format, Some(Format::Text | Format::Tsv)) && !self.dry_run {
            "a model comes as json, html or acro"
        } else if self.dry_run && !matches!(self.output.format(), Format::Text | Format::Json) {
            "a dry run comes as text or json"
        } else {
            return Ok(());
        };
        Err(Error::request(wrong))
    }
}

/// Writes the model, and the report to stderr; with `quiet` only its warnings.
fn write(record: &FitRecord, output: Output) -> Result<()> {
    let Output { format, quiet, .. } = output;
    let report = fit_report(record, words::options);
    if quiet {
        let marked = report.lines().filter(|line| line.starts_with("NOT PRIVATE"));
        output::remark(&marked.map(|line| format!("{line}\n")).collect::<String>());
        output::remark(&output::warnings(record.all_warnings()));
    } else {
        output::remark(&report);
    }
    if format == Format::Acro {
        let files = [
            ("report.txt", fit_report(record, |_| String::new())),
            ("report.html", to_html(record)?),
            ("record.json", to_json(record)?),
        ];
        return output.export(&Statement::of_fit(record), files);
    }
    let destination = output.destination;
    if format == Format::Html {
        return destination.write(&to_html(record)?);
    }
    match &record.model {
        Some(model) => destination.write(&model.to_json()?),
        None => {
            if let Destination::File(path) = &destination {
                output::remark(&format!(
                    "not written, for there is no model: {}\n",
                    path.display()
                ));
            }
            Ok(())
        }
    }
}
