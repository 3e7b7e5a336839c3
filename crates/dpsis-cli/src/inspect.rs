//! `dpsis inspect`: findings, a command to use, and a schema file to check.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::output::{Destination, wrapped_lines};
use crate::schema_file::SchemaFile;
use crate::select::{Job, SelectArguments};
use crate::table_arguments::TableArguments;
use crate::target_arguments::TargetArguments;
use crate::values::to_record;
use crate::words;
use dpsis::forecast::{Forecast, Least, Needed, Simulated};
use dpsis::inspect::{InspectOptions, Inspection, Suggestion, inspect as look};
use dpsis::internals::{ALPHA, available_threads, delimiter_name, two_digits, wrapped};
use dpsis::{
    Error, Orientation, Parameter, Rehearsal, Result, Select, TableFacts, Target, TargetColumn,
};

/// Inspect a table before a release: not private.
///
/// Reports what the file holds, what is odd in it, whether samples are rows or columns, and which
/// command to use. It reads the data without privacy: its output must not be passed on.
#[derive(Debug, Args)]
pub(super) struct InspectArguments {
    /// Write the facts it found to a schema file, for you to check and use with `select --schema`
    #[arg(long, value_name = "FILE")]
    pub(super) write_schema: Option<PathBuf>,

    #[command(flatten)]
    target: TargetArguments,

    #[command(flatten)]
    pub(super) table: TableArguments,
}

pub(super) fn inspect(arguments: &InspectArguments) -> Result<()> {
    let table = &arguments.table;
    let (mut schema, _) = table.schema()?;
    if table.states_target() {
        schema.without_kind();
    }
    if arguments.target.is_at_horizon() {
        schema.facts.target = TargetColumn::Last;
    }
    let mut target = arguments.target.options(&schema)?;
    // Whether the target is a number is a finding here.
    target.target_number = false;
    let given = table.facts(&schema.facts)?;
    let mut inputs = vec![table.file.as_path()];
    inputs.extend(given.target_file.as_deref());
    if arguments.write_schema.as_ref().is_some_and(|path| path.is_file()) {
        let schema_exists = "the schema file exists already: remove it, or choose another name";
        return Err(Error::request(schema_exists));
    }
    let destination = Destination::check(arguments.write_schema.as_deref(), &inputs)?;
    let inspection = look(&table.table(&schema)?, &InspectOptions { target })?;
    let mut options = options(&inspection.suggestion, &given);
    options.extend(arguments.target.of_people_and_strata());
    let checked = check(&inspection.suggestion, &options, &table.file);
    if let (Checked::Fine(_), Some(path)) = (&checked, &arguments.write_schema) {
        let mut schema = schema_file(&inspection.suggestion);
        // The files of a schema are looked up in its folder, so a schema in another folder needs
        // full paths.
        if path.parent().is_some_and(|folder| !folder.as_os_str().is_empty())
            && let Some(file) = &mut schema.facts.target_file
        {
            *file = std::path::absolute(&*file).unwrap_or_else(|_| file.clone());
        }
        let schema = serde_json::to_string_pretty(&schema)
            .map_err(|_| Error::io("the schema cannot be written as JSON"))?;
        destination.write(&(schema + "\n"))?;
    }
    let text = text(&inspection, arguments, &options, &checked);
    Destination::Stdout.write(&text)
}

/// The options of `select` for a suggestion, without its defaults.
fn options(suggestion: &Suggestion, given: &TableFacts) -> Vec<String> {
    let facts = &suggestion.facts;
    let features_as_rows = facts.orientation == Some(Orientation::FeaturesAsRows);
    let mut options = Vec::new();
    match facts.decimal_comma {
        Some(true) => options.push("--decimal-comma".to_owned()),
        Some(false) => options.push("--decimal-point".to_owned()),
        None => {}
    }
    let mut state = |option: &str, value: String| match value.starts_with('-') {
        true => options.push(format!("{option}={value}")),
        false => options.extend([option.to_owned(), value]),
    };
    // `select` does not detect the delimiter in a header that contains identifiers.
    if let Some(delimiter) = facts.delimiter
        && (given.delimiter.is_some() || features_as_rows)
    {
        state("--delimiter", delimiter_name(delimiter));
    }
    if features_as_rows {
        state("--orient", "features-as-rows".to_owned());
    } else if suggestion.must_state_orientation || given.orientation.is_some() {
        state("--orient", "samples-as-rows".to_owned());
    }
    if let Some(id) = &facts.id {
        state("--id", id.clone());
    }
    if let Some(unit) = &facts.unit {
        let option = if suggestion.is_paired { "--paired" } else { "--unit" };
        state(option, unit.clone());
    }
    match &facts.target {
        TargetColumn::Last => {}
        TargetColumn::Named(name) => state("--target", name.clone()),
        TargetColumn::At(place) => state("--target-index", place.to_string()),
    }
    match &suggestion.target {
        Target::Classes(labels) => state("--classes", to_record(labels)),
        Target::TimeToEvent(events) => {
            state("--time", events.time().to_owned());
            state("--event", format!("{}={}", events.event(), events.value()));
            state("--by", events.by().to_string());
        }
        Target::Bounded(bounds) => {
            state("--target-bounds", format!("{},{}", bounds.low(), bounds.high()));
        }
        _ => {}
    }
    if !facts.exclude.is_empty() {
        state("--exclude", to_record(&facts.exclude));
    }
    if let Some(path) = &facts.target_file {
        state("--target-file", path.display().to_string());
    }
    if facts.numeric_names {
        options.push("--numeric-names".to_owned());
    }
    if !facts.missing.is_empty() {
        // Codes often start with a minus.
        options.push(format!("--na={}", to_record(&facts.missing)));
    }
    options
}

/// The number of features that the command selects.
fn picks(suggestion: &Suggestion) -> usize {
    (suggestion.features / 2).clamp(1, 5)
}

/// The usual budgets, for which effect sizes are reported.
const BUDGETS: [&str; 4] = ["0.5", "1", "2", "5"];

/// The candidates for the suggested budget.
const SUGGESTED: [&str; 11] = ["0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", "5", "10"];

/// The result of checking a command.
enum Checked {
    /// These must be settled first.
    Open,
    /// The command would be refused, with the reason.
    Refused(String),
    /// The command would run; its forecast.
    Fine(Outlook),
}

/// The forecast of the command.
#[derive(Default)]
struct Outlook {
    /// The effect sizes from which features are found, and are significant, in half of all runs, at
    /// each of [`BUDGETS`].
    budgets: Vec<(&'static str, Needed)>,
    /// The same for a single feature without k; empty if k must be given.
    named: Vec<(&'static str, Needed)>,
    /// Whether significance is tested.
    tested: bool,
    /// The suggested budget.
    suggested: Suggested,
}

/// The smallest budget with which the features of the table with the largest effect sizes would be
/// significant (or, if significance is not tested, found) in half of all runs.
#[derive(Default)]
enum Suggested {
    /// This budget is enough for the features with the largest effect sizes, on average.
    Enough { epsilon: &'static str, strongest: usize, tested: bool },
    /// None of [`SUGGESTED`] is enough: the largest effect size; the number of rows, and the number
    /// of features, with which the largest budget would be enough.
    None { effect_size: f64, rows: Option<f64>, features: Option<usize> },
    /// The table was not read again, or has no forecast.
    #[default]
    Unknown,
}

/// The words of the command at an epsilon; open parameters are marked.
fn command(suggestion: &Suggestion, options: &[String], file: &Path, epsilon: &str) -> Vec<String> {
    let k = picks(suggestion).to_string();
    let words = ["dpsis", "select", "--k", &k, "--eps", epsilon].map(str::to_owned);
    // The decimal sign has no value: the finding names its option. A time to an event is proposed
    // as a whole.
    let no_value = [Parameter::DecimalComma, Parameter::Event];
    let valued = suggestion.open.iter().filter(|parameter| !no_value.contains(parameter));
    let open = valued.map(|parameter| format!("{}=?", words::option(*parameter)));
    let is_open = |option: &String| {
        let open = suggestion.open.iter().filter(|parameter| **parameter != Parameter::Event);
        let name = option.split_once('=').map_or(option.as_str(), |(name, _)| name);
        open.into_iter().any(|parameter| name == words::option(*parameter))
    };
    // Omit an open option and its value.
    let mut given = Vec::new();
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        if is_open(option) {
            if !option.contains('=') {
                rest.next();
            }
        } else {
            given.push(option.clone());
        }
    }
    words.into_iter().chain(given).chain(open).chain([file.display().to_string()]).collect()
}

/// Checks the request and the header as `select` does, and forecasts the result.
fn check(suggestion: &Suggestion, options: &[String], file: &Path) -> Checked {
    if !suggestion.open.is_empty() {
        return Checked::Open;
    }
    let Some(select) =
        SelectArguments::from_words(&command(suggestion, options, file, BUDGETS[0])[1..])
    else {
        return Checked::Refused("the table's names cannot be given on a command line".to_owned());
    };
    let checked = select.inputs().and_then(|inputs| select.job(&inputs)).and_then(|job| {
        // Standard input cannot be read again.
        let reads_again = file != Path::new("-");
        let checked = job.select.check_ref()?;
        if reads_again {
            checked.check_table(&job.table)?;
        }
        outlook(suggestion, &job, reads_again)
    });
    checked.map_or_else(|error| Checked::Refused(words::error(&error)), Checked::Fine)
}

/// Forecasts the command at each of [`BUDGETS`], from the numbers of rows, classes and columns, and
/// finds the smallest budget that is enough for the effect sizes of the table.
fn outlook(suggestion: &Suggestion, job: &Job, reads_again: bool) -> Result<Outlook> {
    let even = vec![0.5; 2];
    let shares = if suggestion.shares.is_empty() { &even } else { &suggestion.shares };
    if suggestion.rows == 0 || shares.iter().any(|share| *share <= 0.0) {
        return Ok(Outlook::default());
    }
    let rows: Vec<f64> = shares.iter().map(|share| share * suggestion.rows as f64).collect();
    let threads = available_threads();
    let simulated = Simulated { threads, ..Simulated::default() };
    let at = |select: &Select, epsilon: &str, features: usize| {
        select.clone().epsilon(epsilon).check()?.forecast(features, simulated)
    };
    let needed = |forecast: &Forecast| -> Result<Vec<(&'static str, Needed)>> {
        let one = |epsilon: &'static str| {
            Ok((epsilon, forecast.at_epsilon(&epsilon.parse()?)?.effect_sizes(&rows)?))
        };
        BUDGETS.into_iter().map(one).collect()
    };
    let forecast = at(&job.select, BUDGETS[1], suggestion.features)?;
    let budgets = needed(&forecast)?;
    let tested = forecast.tests_significance();
    // For people with several rows, and for values relative to the others of their row, there is no
    // significance threshold.
    let can = suggestion.facts.unit.is_none() || suggestion.is_paired;
    let named = match can {
        true => at(&job.select.clone().fwer(ALPHA), BUDGETS[1], suggestion.features)
            .and_then(|forecast| needed(&forecast))
            .unwrap_or_default(),
        false => Vec::new(),
    };
    let suggested = match reads_again {
        true => suggested(suggestion, job, (shares, &rows), (&forecast, &at))?,
        false => Suggested::Unknown,
    };
    Ok(Outlook { budgets, named, tested, suggested })
}

/// A forecast of a request at an epsilon, for a number of features.
type At<'a> = &'a dyn Fn(&Select, &str, usize) -> Result<Forecast>;

/// The budget for the features of the table with the largest effect sizes. The forecast is that of
/// the request at some epsilon, for all features.
fn suggested(
    suggestion: &Suggestion,
    Job { select, table, .. }: &Job,
    (shares, rows): (&[f64], &[f64]),
    (forecast, at): (&Forecast, At<'_>),
) -> Result<Suggested> {
    let rehearsal = Rehearsal::new(select.clone(), table)?;
    let Some(effect_sizes) = rehearsal.effect_sizes() else { return Ok(Suggested::Unknown) };
    let mut effect_sizes = effect_sizes?.into_inner();
    drop(rehearsal);
    effect_sizes.sort_unstable_by(|a, b| b.total_cmp(a));
    let k = picks(suggestion);
    // Whether the budget of a forecast is enough with this number of features, the strongest among
    // them, and whether significance is tested.
    let enough = |forecast: &Forecast, features: usize, strongest| -> Result<(bool, bool)> {
        let effect_sizes = effect_sizes.get(..features).unwrap_or(&effect_sizes);
        let chances = forecast.chances_in_table(rows, effect_sizes, strongest)?;
        Ok(match chances.significant {
            Some(significant) => (significant.mean >= 0.5, true),
            // The same distance above a random choice.
            None => (chances.found.mean >= 0.5 + k as f64 / features as f64 / 2.0, false),
        })
    };
    for strongest in [k, 1] {
        for epsilon in SUGGESTED {
            let forecast = forecast.at_epsilon(&epsilon.parse()?)?;
            if let (true, tested) = enough(&forecast, suggestion.features, strongest)? {
                return Ok(Suggested::Enough { epsilon, strongest, tested });
            }
        }
    }
    let effect_size = effect_sizes[0].clamp(0.001, 1.0);
    let largest = SUGGESTED[SUGGESTED.len() - 1];
    let half = |needed: Needed| needed.significant[0].or(needed.found[0]).map(|least| least.value);
    let more = half(forecast.at_epsilon(&largest.parse()?)?.rows(shares, effect_size)?);
    let fewer = std::iter::successors(Some(suggestion.features / 2), |fewer| Some(fewer / 2));
    let is_enough = |fewer: &usize| {
        let forecast = at(select, largest, *fewer);
        forecast.and_then(|forecast| enough(&forecast, *fewer, 1)).is_ok_and(|enough| enough.0)
    };
    let fewer = fewer.take_while(|fewer| *fewer >= k).find(is_enough);
    let rows = more.filter(|more| *more <= MAX_ROWS_FACTOR * suggestion.rows as f64);
    Ok(Suggested::None { effect_size, rows, features: fewer })
}

/// More than this number of times the rows is unrealistic.
const MAX_ROWS_FACTOR: f64 = 1000.0;

/// The smaller side of a split is mentioned if it has less than this share of the rows.
const UNEVEN: f64 = 0.45;

/// A pick is informative if at most this share of the features is picked.
const LARGE_SHARE: f64 = 0.2;

/// A remark if the share of picked features is so large that a random choice often contains any of
/// them.
fn many_picks(k: usize, features: usize) -> Option<String> {
    let share = k as f64 / features.max(1) as f64;
    (share > LARGE_SHARE).then(|| {
        format!(
            "With k {k} of {features} features, chance alone picks any one of them {:.0} times of 100.",
            100.0 * share
        )
    })
}

fn text(
    inspection: &Inspection,
    arguments: &InspectArguments,
    options: &[String],
    checked: &Checked,
) -> String {
    let mut text = String::from(
        "NOT PRIVATE: for the data holder's eyes; nothing of this may be passed on.\n\n",
    );
    for finding in &inspection.findings {
        let mark = if finding.odd { "!" } else { " " };
        let options = match (finding.about.first(), &finding.value) {
            (Some(&first), Some(value)) => {
                let given = shell_word(&format!("{}={value}", words::option(first)));
                format!(" ({given})")
            }
            _ => words::options(&finding.about),
        };
        let line = format!("{mark} {:<9} {}{options}", finding.topic, finding.text);
        let _ = writeln!(text, "{}", wrapped(&line, 12));
    }
    if inspection.rows == 0 {
        let _ = writeln!(text, "! {:<9} there is no row below the header", "shape");
    }
    let suggestion = &inspection.suggestion;
    let of = |epsilon: &str, options: &[String]| {
        let words = command(suggestion, options, &arguments.table.file, epsilon);
        words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
    };
    let outlook = match checked {
        Checked::Fine(outlook) => outlook,
        Checked::Refused(refusal) => {
            let _ = write!(text, "\n{}", wrapped_lines(&format!("No command yet: {refusal}\n")));
            return text;
        }
        Checked::Open => {
            let _ = write!(
                text,
                "\nNo command yet: resolve the lines marked with ! first. A draft:\n  {}\n",
                of("?", options)
            );
            return text;
        }
    };
    let schema = arguments.write_schema.as_ref().map(|path| path.display().to_string());
    let given = schema.as_ref().map(|path| vec!["--schema".to_owned(), path.clone()]);
    // Without a forecast, and if no budget is enough, use the middle one.
    let epsilon = match &outlook.suggested {
        Suggested::Enough { epsilon, .. } => epsilon,
        Suggested::None { .. } | Suggested::Unknown => BUDGETS[1],
    };
    let lead = match outlook.suggested {
        Suggested::None { .. } => {
            let _ = write!(text, "\n{}\n", wrapped(&no_release(suggestion, outlook), 0));
            "Nevertheless, the command would be"
        }
        _ => "If these are public facts, the command is",
    };
    let _ = write!(
        text,
        "\n{lead} (k and epsilon are yours to choose):\n  {}\n",
        of(epsilon, given.as_deref().unwrap_or(options))
    );
    if arguments.table.file == Path::new("-") {
        let again = "Standard input cannot be read again: write the table to a file, and give that file instead of -.";
        text.push_str(&(wrapped(again, 0) + "\n"));
    }
    if let Suggested::Enough { epsilon, strongest, tested } = outlook.suggested {
        text.push_str(&reason(suggestion, epsilon, strongest, tested));
    }
    if !outlook.budgets.is_empty() {
        text.push_str(&forecast(suggestion, outlook));
        text.push_str(&named(&outlook.named));
    }
    if let Some(schema) = schema {
        let _ = writeln!(text, "Check every line of {schema} first.");
    }
    text
}

/// The reason for the suggested epsilon.
fn reason(suggestion: &Suggestion, epsilon: &str, strongest: usize, tested: bool) -> String {
    let what = if tested { "significant" } else { "found" };
    let (features, are) = match (strongest, picks(suggestion)) {
        (1, 1) => ("the strongest feature of this table".to_owned(), "is"),
        (1, k) => (format!("only the strongest of the {k} strongest features of this table"), "is"),
        (strongest, _) => (format!("the {strongest} strongest features of this table"), "are"),
    };
    let average = if strongest > 1 { ", on average" } else { "" };
    let text = format!(
        "Epsilon {epsilon} is the smallest of {} to {} at which {features} {are} {what} in half of all runs{average}.",
        SUGGESTED[0],
        SUGGESTED[SUGGESTED.len() - 1],
    );
    wrapped(&text, 0) + "\n"
}

/// The reason why no release is suggested, and possible remedies.
fn no_release(suggestion: &Suggestion, outlook: &Outlook) -> String {
    let (units, largest) = (units(suggestion), SUGGESTED[SUGGESTED.len() - 1]);
    let Suggested::None { effect_size, rows, features } = outlook.suggested else {
        return String::new();
    };
    let rows = match rows {
        Some(rows) => format!("about {} {units}", two_digits(rows)),
        None => format!("many more {units}"),
    };
    let fewer = features.map(|features| {
        let columns = if features == 1 { "column" } else { "columns" };
        format!(", or at most about {features} candidate {columns} (--exclude)")
    });
    let features = if suggestion.features == 1 { "feature" } else { "features" };
    format!(
        "No private release is suggested: with {} {units} and {} {features}, no epsilon up to {largest} makes the \
         strongest feature (effect size {effect_size:.2}) significant in half of all runs. It would take {rows} at \
         epsilon {largest}{}. Public ranges of the features (--bounds) may help if you look for a correlation.",
        suggestion.rows,
        suggestion.features,
        fewer.unwrap_or_default(),
    )
}

/// The noun for the units that hold one person's data.
fn units(suggestion: &Suggestion) -> &'static str {
    match suggestion.facts.orientation {
        _ if suggestion.is_paired => "pairs",
        _ if suggestion.facts.unit.is_some() => "people",
        Some(Orientation::FeaturesAsRows) => "samples",
        _ => "rows",
    }
}

/// The effect sizes for names without k.
fn named(named: &[(&str, Needed)]) -> String {
    let Some((largest, _)) = named.last() else { return String::new() };
    let from = |(epsilon, needed): &(&str, Needed)| {
        let least = needed.significant[0]?;
        Some(format!("from effect size {:.2} at epsilon {epsilon}", least.value))
    };
    let from: Vec<String> = named.iter().filter_map(from).collect();
    let rest = match from.is_empty() {
        true => format!(
            "Up to epsilon {largest}, no effect size is large enough for a single associated feature to be named in half of all runs."
        ),
        false => {
            let smaller = match from.len() < named.len() {
                true => "; at a smaller epsilon, no effect size is large enough",
                false => "",
            };
            format!(
                "A single associated feature is named in half of all runs {}{smaller}.",
                from.join(", ")
            )
        }
    };
    wrapped(&format!("Without --k all significant features are named. {rest}"), 0) + "\n"
}

/// The forecast as text.
fn forecast(suggestion: &Suggestion, outlook: &Outlook) -> String {
    let smallest = suggestion.shares.iter().copied().reduce(f64::min);
    let side = match (smallest, &suggestion.target) {
        _ if suggestion.is_paired => String::new(),
        (Some(share), Target::Classes(_) | Target::TimeToEvent(_)) => {
            format!(", {:.0}% of them in the smallest class,", 100.0 * share)
        }
        // A target within public bounds is not split.
        (Some(_), Target::Bounded(_)) => String::new(),
        (Some(share), _) if share < UNEVEN => {
            format!(", {:.0}% of them on the smaller side of the split,", 100.0 * share)
        }
        (Some(_), _) => String::new(),
        (None, _) => ", if both classes have equally many,".to_owned(),
    };
    let lead = format!(
        "With {} {}{side} these are the smallest effect sizes at which features are found{} in half of all runs (1 is \
         the strongest association possible):",
        suggestion.rows,
        units(suggestion),
        if outlook.tested { " and significant" } else { "" },
    );
    let mut text = wrapped(&lead, 0) + "\n";
    for (epsilon, Needed { found, significant, .. }) in &outlook.budgets {
        let from = |least: Least| match least.value {
            0.0 => "at any effect size".to_owned(),
            value => format!("from {value:.2}"),
        };
        let line = match (found[0], significant[0]) {
            (None, _) => "nothing is found".to_owned(),
            (Some(found), None) if outlook.tested => {
                format!("found {}, nothing significant", from(found))
            }
            (Some(found), None) => format!("found {}", from(found)),
            (Some(found), Some(least)) => {
                format!("found {}, significant {}", from(found), from(least))
            }
        };
        let _ = writeln!(text, "  epsilon {epsilon}: {line}");
    }
    if let Some(remark) = many_picks(picks(suggestion), suggestion.features) {
        text.push_str(&(wrapped(&remark, 0) + "\n"));
    }
    text
}

/// Quotes a word for a shell if necessary.
pub(super) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The suggestion as a schema file to check.
fn schema_file(suggestion: &Suggestion) -> SchemaFile {
    let mut schema = SchemaFile { facts: suggestion.facts.clone(), ..SchemaFile::default() };
    match &suggestion.target {
        Target::Classes(labels) => schema.classes = Some(labels.clone()),
        Target::TimeToEvent(events) => {
            schema.time = Some(events.time().to_owned());
            schema.event = Some([events.event().to_owned(), events.value().to_owned()]);
            schema.by = Some(events.by());
        }
        Target::Bounded(bounds) => schema.target_bounds = Some([bounds.low(), bounds.high()]),
        Target::Numeric => schema.target_number = true,
        _ => {}
    }
    schema
}
