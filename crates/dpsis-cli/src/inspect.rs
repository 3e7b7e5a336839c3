//! `dpsis inspect`: findings, a command to use, and a schema file to check.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::output::{Destination, wrapped_lines};
use crate::schema_file::SchemaFile;
use crate::select::SelectArguments;
use crate::table_arguments::TableArguments;
use crate::target_arguments::TargetArguments;
use crate::values::to_record;
use crate::words;
use dpsis::inspect::{Inspection, Suggestion, inspect as look};
use dpsis::internals::ALPHA;
use dpsis::internals::{delimiter_name, in_parallel, wrapped};
use dpsis::{
    Error, Orientation, Parameter, Prediction, Purpose, Result, Select, TableFacts, Target,
    TargetColumn,
};

/// Look at a table before a release: for the data holder's eyes only.
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
    let target =
        arguments.target.options(&schema)?.kind()?.filter(|target| *target != Target::Numeric);
    let stated = table.facts(&schema.facts)?;
    let mut inputs = vec![table.file.as_path()];
    inputs.extend(stated.target_file.as_deref());
    if arguments.write_schema.as_ref().is_some_and(|path| path.is_file()) {
        let schema_exists = "the schema file exists already: remove it, or choose another name";
        return Err(Error::request(schema_exists));
    }
    let destination = Destination::check(arguments.write_schema.as_deref(), &inputs)?;
    let inspection = look(&table.table(&schema)?, target.as_ref())?;
    let mut options = options(&inspection.suggestion, &stated);
    options.extend(arguments.target.of_people_and_strata());
    let checked = check(&inspection.suggestion, &options, &table.file);
    if let (Checked::Fine(_), Some(path)) = (&checked, &arguments.write_schema) {
        let mut schema = schema_file(&inspection.suggestion);
        // A schema's files are looked for where it is: from another folder they are named in full.
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

/// The options of `select` that state a suggestion, without those that are its defaults.
fn options(suggestion: &Suggestion, stated: &TableFacts) -> Vec<String> {
    let facts = &suggestion.facts;
    let features_as_rows = facts.orientation == Some(Orientation::FeaturesAsRows);
    let mut options = Vec::new();
    match facts.decimal_comma {
        Some(true) => options.push("--decimal-comma".to_owned()),
        Some(false) => options.push("--decimal-point".to_owned()),
        None => {}
    }
    let mut state = |option: &str, value: String| options.extend([option.to_owned(), value]);
    // `select` does not look for the delimiter in a header that holds ids.
    if let Some(delimiter) = facts.delimiter
        && (stated.delimiter.is_some() || features_as_rows)
    {
        state("--delimiter", delimiter_name(delimiter));
    }
    if features_as_rows {
        state("--orient", "features-as-rows".to_owned());
    } else if suggestion.must_state_orientation || stated.orientation.is_some() {
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

/// The usual budgets, for which findings are predicted.
const BUDGETS: [&str; 4] = ["0.5", "1", "2", "5"];

/// The command is to confirm features of this strength, more often than not.
const SOUGHT: f64 = 0.5;

/// One of [`BUDGETS`] with its prediction.
type Predicted = (&'static str, Prediction);

/// The strength from which on one of [`BUDGETS`] names a feature, without k.
type Named = (&'static str, Option<f64>);

/// The result of checking a command.
enum Checked {
    /// These must be settled first.
    Open,
    /// It would be refused, and why.
    Refused(String),
    /// It would run; its predictions.
    Fine(Outlook),
}

/// The predictions for a command.
struct Outlook {
    budgets: Vec<Predicted>,
    /// The same where all features beyond chance are selected; empty where they cannot be.
    named: Vec<Named>,
    /// Whether there is a verdict at all.
    verdict: bool,
    /// If nothing, with any of the budgets: the rows with which something would.
    rows: Option<u64>,
}

impl Outlook {
    /// The smallest budget with which a feature of strength [`SOUGHT`] would be confirmed, more
    /// often than not; else the one that finds most. `None` if all find nothing.
    fn suggested(&self) -> Option<&'static str> {
        let reaches = |strength: Option<f64>| strength.is_some_and(|least| least <= SOUGHT);
        let confirming = self.budgets.iter().find(|(_, predicted)| reaches(predicted.confirmed));
        let finding =
            self.budgets.iter().find(|(_, predicted)| !self.verdict && reaches(predicted.found));
        let last = self.budgets.iter().rfind(|(_, predicted)| predicted.found.is_some());
        match self.budgets.is_empty() {
            true => Some(BUDGETS[1]),
            false => confirming.or(finding).or(last).map(|(epsilon, _)| *epsilon),
        }
    }
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
        open.into_iter().any(|parameter| *option == words::option(*parameter))
    };
    // An option that is open, and its value, are not stated.
    let mut stated = Vec::new();
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        if is_open(option) {
            rest.next();
        } else {
            stated.push(option.clone());
        }
    }
    words.into_iter().chain(stated).chain(open).chain([file.display().to_string()]).collect()
}

/// Checks the request and the header as `select` does, and predicts what it would find.
fn check(suggestion: &Suggestion, options: &[String], file: &Path) -> Checked {
    if !suggestion.open.is_empty() {
        return Checked::Open;
    }
    let Some(select) =
        SelectArguments::from_words(&command(suggestion, options, file, BUDGETS[0])[1..])
    else {
        return Checked::Refused("the table's names cannot be stated on a command line".to_owned());
    };
    let checked = select.inputs().and_then(|inputs| select.job(&inputs)).and_then(|job| {
        // Standard input has been read.
        if file != Path::new("-") {
            job.select.check_ref()?.check_table(&job.table)?;
        }
        outlook(suggestion, &job.select)
    });
    checked.map_or_else(|error| Checked::Refused(words::error(&error)), Checked::Fine)
}

/// Predicts the strengths that the command finds and confirms, at each of [`BUDGETS`]: from the
/// numbers of rows, classes and columns alone.
fn outlook(suggestion: &Suggestion, select: &Select) -> Result<Outlook> {
    let even = vec![0.5; 2];
    let shares = if suggestion.shares.is_empty() { &even } else { &suggestion.shares };
    if suggestion.rows == 0 || shares.iter().any(|share| *share <= 0.0) {
        let (budgets, named) = (Vec::new(), Vec::new());
        return Ok(Outlook { budgets, named, verdict: false, rows: None });
    }
    let predict = |epsilon: &'static str, rows: f64| {
        let checked = select.clone().epsilon(epsilon).check()?;
        let rows: Vec<f64> = shares.iter().map(|share| share * rows).collect();
        Ok((epsilon, checked.predict(suggestion.features, &rows)?))
    };
    let rows = suggestion.rows as f64;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let budget = |place: u64| predict(BUDGETS[place as usize], rows);
    let budgets: Vec<Predicted> = in_parallel(BUDGETS.len() as u64, threads, budget)?;
    let spent = select.check_ref()?.spending(suggestion.features)?;
    let verdict = spent.iter().any(|part| part.purpose == Purpose::Estimates);
    let mut enough = None;
    if budgets.iter().all(|(_, predicted)| predicted.found.is_none()) {
        // In steps of a quarter.
        let mut more = rows;
        while enough.is_none() && more < MOST * rows {
            more *= 1.25;
            let (_, predicted) = predict(BUDGETS[BUDGETS.len() - 1], more)?;
            enough = predicted.found.map(|_| more.ceil() as u64);
        }
    }
    let without_k = |place: u64| {
        let epsilon = BUDGETS[place as usize];
        let rows: Vec<f64> = shares.iter().map(|share| share * rows).collect();
        let checked = select.clone().fwer(ALPHA).epsilon(epsilon).check();
        let named = checked.and_then(|checked| checked.named(suggestion.features, &rows, 1, 0.5));
        Ok(named.ok().map(|named| (epsilon, named)))
    };
    // Of people and of scores in relation to the row there is no level.
    let can = suggestion.facts.unit.is_none() || suggestion.is_paired;
    let count = if can { BUDGETS.len() as u64 } else { 0 };
    let named: Vec<Option<Named>> = in_parallel(count, threads, without_k)?;
    let named = named.into_iter().flatten().collect();
    Ok(Outlook { budgets, named, verdict, rows: enough })
}

/// So many times the rows are not to be had.
const MOST: f64 = 1000.0;

/// The smaller side of a split is mentioned if it has less than this share of the rows.
const UNEVEN: f64 = 0.45;

/// Of fewer features than this share of them is picked, a pick says something.
const LARGE_SHARE: f64 = 0.2;

/// A remark where so many of the features are picked that chance alone picks any of them often.
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
                let stated = shell_word(&format!("{}={value}", words::option(first)));
                format!(" ({stated})")
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
                "\nNo command yet: settle what is marked with ! above first. A draft:\n  {}\n",
                of("?", options)
            );
            return text;
        }
    };
    let schema = arguments.write_schema.as_ref().map(|path| path.display().to_string());
    let stated = schema.as_ref().map(|path| vec!["--schema".to_owned(), path.clone()]);
    let Some(epsilon) = outlook.suggested() else {
        let _ = write!(text, "\n{}\n", wrapped(&no_release(suggestion, outlook), 0));
        return text;
    };
    let _ = write!(
        text,
        "\nIf these are public facts, the command is (k and epsilon are yours to choose):\n  {}\n",
        of(epsilon, stated.as_deref().unwrap_or(options))
    );
    if !outlook.budgets.is_empty() {
        text.push_str(&predicted(suggestion, &outlook.budgets));
        text.push_str(&named(&outlook.named));
    }
    if let Some(schema) = schema {
        let _ = writeln!(text, "Check every line of {schema} first.");
    }
    text
}

/// Why no release is suggested, and what would help.
fn no_release(suggestion: &Suggestion, outlook: &Outlook) -> String {
    let (units, largest) = (units(suggestion), BUDGETS[BUDGETS.len() - 1]);
    let rows = match outlook.rows {
        Some(rows) => format!("more {units} (about {rows})"),
        None => format!("many more {units}"),
    };
    format!(
        "No private release is suggested: even at epsilon {largest} only noise is to be expected of {} {units} and {} \
         features. What would help: {rows}, fewer candidate columns (--exclude), or sets of features instead of single \
         ones (--groups).",
        suggestion.rows, suggestion.features
    )
}

/// The word for the unit that holds one person's data.
fn units(suggestion: &Suggestion) -> &'static str {
    match suggestion.facts.orientation {
        _ if suggestion.is_paired => "pairs",
        _ if suggestion.facts.unit.is_some() => "people",
        Some(Orientation::FeaturesAsRows) => "samples",
        _ => "rows",
    }
}

/// The names that a selection without k would give, in words.
fn named(named: &[Named]) -> String {
    let from = |(epsilon, strength): &Named| {
        let from = strength.map(|strength| format!("from {strength:.2} at epsilon {epsilon}"));
        from.unwrap_or_else(|| format!("none at epsilon {epsilon}"))
    };
    let all: Vec<String> = named.iter().map(from).collect();
    if all.is_empty() {
        return String::new();
    }
    let lead = "Without --k all features beyond chance are named, however many; a single one, more often than not,";
    wrapped(&format!("{lead} {}.", all.join(", ")), 0) + "\n"
}

/// The predictions in words.
fn predicted(suggestion: &Suggestion, predictions: &[Predicted]) -> String {
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
        "With {} {}{side} features are found, and called beyond chance, more often than not from these \
         strengths on (1 is the strongest association possible):",
        suggestion.rows,
        units(suggestion)
    );
    let mut text = wrapped(&lead, 0) + "\n";
    for (epsilon, Prediction { found, confirmed, .. }) in predictions {
        let line = match (found, confirmed) {
            (None, _) => "only noise is to be expected".to_owned(),
            (Some(found), None) => format!("found from {found:.2}, none beyond chance"),
            (Some(found), Some(level)) => {
                format!("found from {found:.2}, beyond chance from {level:.2}")
            }
        };
        let _ = writeln!(text, "  epsilon {epsilon}: {line}");
    }
    if let Some(remark) = many_picks(picks(suggestion), suggestion.features) {
        text.push_str(&(wrapped(&remark, 0) + "\n"));
    }
    text
}

/// Quotes a word for a shell, if it needs quotes.
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
