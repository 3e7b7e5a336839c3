//! The facts for the reports of a release, in one list.

use super::findings::has_weights;
use super::words::{
    asked_for, charged, chosen_by, features_or_sets, ids, is_paper, needed_of_unit, scored,
    screened, selected_by, sets_used, spent, target,
};
use crate::choose::ChoiceRecord;
use crate::privacy::Receipt;
use crate::release::{Command, MissingRule, RandomnessUsed, Record, RunNote, ScoreId, ScoreUsed};

/// A fact about a release.
#[cfg_attr(not(feature = "html"), allow(dead_code, reason = "plain lines have no parts"))]
pub(super) struct Fact {
    pub(super) part: Part,
    pub(super) name: String,
    pub(super) words: String,
    /// Its label in plain lines; facts without a label are on the page only.
    pub(super) label: Option<&'static str>,
}

/// The parts of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The guarantee; a page has separate tables for it.
    Guarantee,
    /// The selection of the picks.
    How,
    /// The private estimates.
    Estimates,
    /// The facts taken as public.
    Public,
}

impl Fact {
    fn new(part: Part, name: &str, words: impl Into<String>) -> Self {
        Self { part, name: name.to_owned(), words: words.into(), label: None }
    }

    /// A fact that is also in plain lines, with the same name.
    fn line(part: Part, name: &'static str, words: impl Into<String>) -> Self {
        Self { label: Some(name), ..Self::new(part, name, words) }
    }
}

pub(super) fn of_selection(record: &Record) -> Vec<Fact> {
    use Part::{Estimates, Guarantee, How, Public};
    let (score, released, public) = (&record.score, &record.released, &record.public);
    let (unit, units) = (record.guarantee.unit, record.guarantee.unit.plural());
    let mut facts = vec![
        Fact::line(How, "scored", scored(score)),
        Fact::new(How, "score", score_of(score)),
        Fact::new(How, "missing values", missing(score.missing)),
    ];
    facts.extend(score.sensitivity.map(|sensitivity| {
        let words = format!("one {unit} moves a score by at most {sensitivity} units");
        Fact::new(How, "sensitivity", words)
    }));
    facts.extend(score.groups.as_ref().map(|groups| Fact::line(How, "sets", sets_used(groups))));
    facts.push(Fact::line(How, "target", target(&record.target, record)));
    facts.push(Fact::new(How, "target's center", score.center.to_string()));
    facts.extend(public.id_column.map(|column| Fact::line(Public, "ids", ids(column, record))));
    let hash = public.schema_sha256.as_ref();
    facts.extend(hash.map(|hash| Fact::line(Public, "schema", format!("sha256 {hash}"))));
    let label = if is_paper(score) { "nominal" } else { "spent" };
    facts.push(Fact::line(Guarantee, label, spent(&record.guarantee)));
    facts.extend(charge(record.ledger.as_ref()));
    facts.push(Fact::line(How, "chosen", selected_by(record)));
    facts.extend(has_weights(record).then(|| {
        let assumed = "public: from other people than those in the table (assumed)";
        Fact::line(Public, "weights", assumed.to_owned())
    }));
    facts.extend(screened(record).map(|names| Fact::line(How, "screened", names)));
    facts.extend(run(&record.randomness, record.command, &record.version, record.run.as_ref()));
    facts.extend(released.center.as_ref().map(|center| {
        let numbers: Vec<String> = center.iter().map(|center| four_digits(*center)).collect();
        Fact::new(Estimates, "target's center", numbers.join(", "))
    }));
    let median = released.target_median;
    facts.extend(median.map(|median| Fact::new(Estimates, "target's median", median.to_string())));
    facts.extend(released.rows_estimate.map(|rows| {
        let name = format!("{units} with {}", needed_of_unit(score));
        Fact::new(Estimates, &name, format!("about {rows}"))
    }));
    facts.push(Fact::new(Public, features_or_sets(score), public.features.to_string()));
    facts.push(Fact::new(Public, "asked for", asked_for(public)));
    facts.extend(public.rows.map(|rows| Fact::new(Public, units, rows.to_string())));
    facts
}

pub(super) fn of_choice(record: &ChoiceRecord) -> Vec<Fact> {
    use Part::{Guarantee, How};
    let score = &record.score;
    let (k, candidates) = (score.k, score.candidates);
    let chosen = chosen_by(&record.mechanism, record.order);
    let (number, above) = match &score.above {
        Some(level) => {
            let cap = if k < candidates { format!(", at most {k},") } else { String::new() };
            (record.selected.len().to_string(), format!(" above {level}{cap}"))
        }
        None => (k.to_string(), String::new()),
    };
    let in_one = if score.monotonic { "yes" } else { "no" };
    let mut facts = vec![Fact::line(Guarantee, "spent", spent(&record.guarantee))];
    facts.extend(charge(record.ledger.as_ref()));
    facts.extend([
        Fact::line(
            How,
            "chosen",
            number + &format!(" of {candidates} candidates{above} by {chosen}"),
        ),
        Fact::new(How, "sensitivity", sensitivity_of(record)),
        Fact::new(How, "one unit moves all scores in one direction", in_one),
    ]);
    facts.extend(run(&record.randomness, record.command, &record.version, record.run.as_ref()));
    facts
}

/// The sensitivity of the scores of a choice.
pub(super) fn sensitivity_of(record: &ChoiceRecord) -> String {
    let score = &record.score;
    let whose = if score.own_sensitivities { "its own sensitivity, at most " } else { "" };
    format!("{whose}{}", score.sensitivity)
}

/// A number with four significant digits; further ones are noise.
fn four_digits(value: f64) -> String {
    format!("{value:.3e}")
        .parse()
        .map_or_else(|_| value.to_string(), |value: f64| value.to_string())
}

fn charge(receipt: Option<&Receipt>) -> Option<Fact> {
    receipt.map(|receipt| Fact::line(Part::How, "ledger", charged(receipt)))
}

/// The facts of a run whose features were given.
#[cfg(feature = "html")]
pub(super) fn of_run(
    (randomness, command, version): (&RandomnessUsed, Command, &str),
    note: Option<&RunNote>,
    receipt: Option<&Receipt>,
) -> Vec<Fact> {
    charge(receipt).into_iter().chain(run(randomness, command, version, note)).collect()
}

/// The run itself.
fn run(
    randomness: &RandomnessUsed,
    command: Command,
    version: &str,
    note: Option<&RunNote>,
) -> Vec<Fact> {
    let fact = |name: &str, words: String| Fact::new(Part::How, name, words);
    let mut facts = vec![
        fact("randomness", randomness.source.to_string()),
        fact("seeded", if randomness.seeded { "yes" } else { "no" }.to_owned()),
        fact("made by", format!("dpsis {command} {version}")),
    ];
    if let Some(note) = note {
        facts.push(fact("day", note.day.clone()));
        facts.push(fact("request", note.request.clone()));
    }
    facts
}

pub(super) fn missing(rule: MissingRule) -> &'static str {
    match rule {
        MissingRule::SmallestScore => "never raise the score of their feature",
        MissingRule::GridMiddle => "count as the middle of the range",
        MissingRule::NoPair => "in no pair",
    }
}

fn score_of(score: &ScoreUsed) -> String {
    let (id, grid) = (score.id, score.grid);
    match id {
        ScoreId::Kendall | ScoreId::DpKendall => format!("{id}, in units of 1/{grid}"),
        ScoreId::Votes => "votes of blocks".to_owned(),
        _ => format!("{id}, of values as whole numbers from -{grid} to {grid}"),
    }
}
