//! A release as an entry of the Differential Privacy Deployments Registry of OpenDP, in YAML.
//!
//! The record fills in what it knows; what only the holder of the data knows is stated as facts, and
//! marked as missing where it is not.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::statement::Statement;
use super::words::sentence;
use crate::error::{Error, Parameter, Result};
use crate::exact::{format_rational, near_f64, parse_rational};

/// The day of the registry's schema that entries follow.
pub const REGISTRY_SCHEMA: &str = "2026-07-15";

/// A field of an entry.
struct Field {
    /// Its place: keys joined by slashes.
    path: &'static str,
    kind: Kind,
    /// The party that states it.
    whose: Whose,
}

/// The kind of a value that is stated.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Texts,
    /// A day as `2026-11-22`.
    Day,
    /// 1, 2 or 3.
    Tier,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// The party that states a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The record's: nothing else may be stated.
    Record,
    /// The record's; what is stated is added to its text.
    Both,
    /// The holder's, who is told so where it is missing.
    Holder(&'static str),
    /// The holder's, who may leave it out.
    Free,
}

impl Field {
    /// The last key.
    fn key(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

const STATUSES: [&str; 7] = [
    "Converted",
    "Draft",
    "Pending",
    "Changes Required",
    "Approved",
    "Approved (Update Requested)",
    "Approved (Pending)",
];
const SECTORS: [&str; 6] =
    ["Technology", "Healthcare", "Education", "Government", "Energy", "Finance"];
const RELEASES: [&str; 2] = ["One release", "Many releases"];
const SOURCES: [&str; 2] = ["Static", "Dynamic"];

/// The fields of the schema of the registry, in its order; of the privacy parameters those of the
/// guarantees here.
const FIELDS: &[Field] = &{
    use Kind::{Day, Text, Texts, Tier, Word};
    use Whose::{Both, Free, Holder, Record};
    const fn field(path: &'static str, kind: Kind, whose: Whose) -> Field {
        Field { path, kind, whose }
    }
    [
        field("url_slug", Text, Holder("the file's name: a-z, 0-9 and _")),
        field("status", Word(&STATUSES), Free),
        field("tier", Tier, Free),
        field("deployment/basic/name", Text, Holder("the name of what is published")),
        field("deployment/basic/data_curators", Texts, Holder("who publishes it, a list")),
        field("deployment/basic/intended_use", Text, Holder("what it is for")),
        field("deployment/basic/data_product_type", Text, Record),
        field("deployment/basic/data_product_region", Text, Holder("where the people are")),
        field("deployment/basic/description", Text, Both),
        field("deployment/basic/publication_date", Day, Holder("the day, as 2026-11-22")),
        field(
            "deployment/basic/data_product_sector",
            Word(&SECTORS),
            Holder("Healthcare, Government, ..."),
        ),
        field("deployment/dp_variant/variant_name", Text, Record),
        field("deployment/dp_variant/data_domain", Text, Both),
        field("deployment/dp_variant/unprotected_quantities", Text, Both),
        field("deployment/privacy_loss/privacy_unit", Text, Both),
        field("deployment/privacy_loss/privacy_unit_details", Text, Both),
        field("deployment/privacy_loss/privacy_parameters/epsilon", Text, Record),
        field("deployment/privacy_loss/privacy_parameters/delta", Text, Record),
        field("deployment/privacy_loss/privacy_parameters_details", Text, Both),
        field("deployment/deployment_model/model_name", Text, Record),
        field("deployment/deployment_model/model_name_details", Text, Free),
        field("deployment/deployment_model/actors", Text, Both),
        field(
            "deployment/deployment_model/release_type",
            Word(&RELEASES),
            Holder("One release, or Many releases"),
        ),
        field(
            "deployment/deployment_model/release_type_details",
            Text,
            Holder("what else is planned"),
        ),
        field(
            "deployment/deployment_model/data_source_type",
            Word(&SOURCES),
            Holder("Static, or Dynamic"),
        ),
        field("deployment/deployment_model/data_source_type_details", Text, Free),
        field("deployment/deployment_model/access_type", Text, Record),
        field("deployment/deployment_model/access_type_details", Text, Free),
        field("deployment/accounting/post_processing", Text, Both),
        field("deployment/accounting/composition", Text, Both),
        field("deployment/implementation/preprocessing_and_hyperparameter_tuning", Text, Both),
        field("deployment/implementation/mechanisms", Text, Both),
        field(
            "deployment/implementation/justification",
            Text,
            Holder("why this epsilon, unit, method"),
        ),
        field("deployment/administrative/sources", Text, Free),
        field("deployment/administrative/notes", Text, Free),
        field(
            "deployment/administrative/registry_authors",
            Texts,
            Holder("who fills this in, a list"),
        ),
    ]
};

/// The facts that only the holder of the data knows of a release, and publishes: fields of the
/// registry by their last key.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RegistryFacts(Map<String, Value>);

impl RegistryFacts {
    /// Reads facts from a JSON object, such as `{"name": "The pilot", "data_curators": ["A"]}`.
    ///
    /// # Errors
    ///
    /// `Request` if it is none, or for a key that the registry does not have or the record states,
    /// or a value of another kind.
    pub fn from_json(text: &str) -> Result<Self> {
        let facts: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            wrong(format!("the facts are no JSON object: see line {line}, column {column}"))
        })?;
        for (key, value) in &facts {
            let Some(field) = FIELDS.iter().find(|field| field.key() == key) else {
                return Err(wrong(format!("the registry has no field {key:?}")));
            };
            if field.whose == Whose::Record {
                return Err(wrong(format!("the record says what {key:?} is: no fact states it")));
            }
            field.kind.check(value).map_err(|kind| wrong(format!("the fact {key:?} is {kind}")))?;
        }
        Ok(Self(facts))
    }
}

fn wrong(rule: String) -> Error {
    Error::request(rule).about([Parameter::RegistryFacts])
}

impl Kind {
    /// Whether a value is of this kind; else what it should be.
    fn check(self, value: &Value) -> std::result::Result<(), String> {
        let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
        let (is_right, what) = match self {
            Self::Text => (is_text(value), "a text that is not empty".to_owned()),
            Self::Texts => {
                let all = value.as_array();
                let is_list = all.is_some_and(|all| !all.is_empty() && all.iter().all(is_text));
                (is_list, "a list of texts that is not empty".to_owned())
            }
            Self::Day => (value.as_str().is_some_and(is_day), "a day as 2026-11-22".to_owned()),
            Self::Tier => {
                (matches!(value.as_u64(), Some(1..=3)), "a number from 1 to 3".to_owned())
            }
            Self::Word(words) => (
                value.as_str().is_some_and(|word| words.contains(&word)),
                format!("one of {}", words.join(", ")),
            ),
        };
        if is_right { Ok(()) } else { Err(what) }
    }
}

/// Whether a text is a day of the calendar.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let number = |text: &str, length| {
        let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<u32>().ok()).flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=last).contains(&day)
}

/// An entry of the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegistryEntry {
    /// Its text; a field that is missing is empty, and marked with TODO.
    pub yaml: String,
    /// The fields that are missing: the entry validates when there is none.
    pub missing: Vec<&'static str>,
}

/// The entry of a release with these facts.
///
/// ```
/// use dpsis::report::{RegistryFacts, Reported, registry_entry};
/// use dpsis::{Candidates, Choose};
///
/// let models = Candidates::new([("lasso", "0.81"), ("forest", "0.87")], "0.005")?;
/// let choice = Choose::new(1).epsilon("0.75").run(&models)?;
/// let facts = RegistryFacts::from_json(r#"{"name": "The pilot"}"#)?;
/// let entry = registry_entry(&choice.statement(), &facts)?;
/// assert!(entry.yaml.contains("      epsilon: 0.75\n"));
/// assert!(entry.yaml.contains("    name: \"The pilot\"\n"));
/// assert!(entry.missing.contains(&"intended_use"));
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// # Errors
///
/// `Request` for a run that is not private.
pub fn registry_entry(statement: &Statement, facts: &RegistryFacts) -> Result<RegistryEntry> {
    if !statement.private {
        return Err(Error::request("the registry is for private releases: this run is none"));
    }
    let mut lines = String::new();
    let mut missing = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for field in FIELDS {
        let (known, fact) = (known(statement, field.key()), facts.0.get(field.key()));
        let value = match (field.whose, known, fact) {
            (Whose::Both, Some(Value::String(known)), Some(Value::String(fact))) => {
                Some(Value::String(both(&known, fact)))
            }
            (_, known, fact) => fact.cloned().or(known),
        };
        let text = match (&value, field.whose) {
            (Some(value), _) => scalar(value, 2 * field.path.split('/').count()),
            (None, Whose::Holder(hint)) => {
                missing.push(field.key());
                format!(" # TODO: {hint}")
            }
            (None, _) => continue,
        };
        let mut keys: Vec<&str> = field.path.split('/').collect();
        let key = keys.pop().unwrap_or_default();
        for (depth, parent) in keys.iter().enumerate() {
            if open.get(depth) != Some(parent) {
                open.truncate(depth);
                open.push(parent);
                let _ = writeln!(lines, "{:1$}{parent}:", "", 2 * depth);
            }
        }
        open.truncate(keys.len());
        let _ = writeln!(lines, "{:1$}{key}:{text}", "", 2 * keys.len());
    }
    let todo = match missing.is_empty() {
        true => "",
        false => "# It does not validate yet: TODO marks what the record does not know.\n",
    };
    let yaml = format!(
        "# An entry of the Differential Privacy Deployments Registry, by its schema of {REGISTRY_SCHEMA}.\n{todo}{lines}"
    );
    Ok(RegistryEntry { yaml, missing })
}

/// A text of the record, and the one that its holder adds.
fn both(known: &str, fact: &str) -> String {
    if known.ends_with('.') { format!("{known} {fact}") } else { format!("{known} ({fact})") }
}

/// The record's text for a field.
fn known(statement: &Statement, key: &str) -> Option<Value> {
    let Statement { delta, events, .. } = statement;
    let is_pure = delta == "0";
    Some(Value::String(match key {
        "status" => "Draft".to_owned(),
        "tier" => return Some(3.into()),
        "data_product_type" if statement.is_model => "Machine learning model".to_owned(),
        "data_product_type" => "Summary statistics".to_owned(),
        "description" => sentence(&statement.released),
        "variant_name" if is_pure => "Pure DP".to_owned(),
        "variant_name" => "Approximate DP".to_owned(),
        "data_domain" => sentence(&statement.domain),
        "unprotected_quantities" => {
            format!("None beyond what was taken as public: {}.", statement.public.join("; "))
        }
        "privacy_unit" => statement.unit.clone(),
        "privacy_unit_details" => format!(
            "Adjacent data differ by {}. Protected is {}.",
            statement.relation, statement.protected
        ),
        "epsilon" => return number(&statement.epsilon),
        "delta" if is_pure => return None,
        "delta" => return number(delta),
        "privacy_parameters_details" => {
            format!("{} {}", sentence(&statement.spent), statement.meaning)
        }
        "model_name" => "Central".to_owned(),
        "actors" => "The data holder runs the program and is trusted with the data. Readers of the release are not \
                     trusted: they may know all data but those of one unit, and see any number of releases."
            .to_owned(),
        "access_type" => "Non-interactive".to_owned(),
        "post_processing" => "The report, its verdict and its warnings are computed from what was released, and from \
                              what was stated as public."
            .to_owned(),
        "composition" => {
            let how = if is_pure { "Sequential composition" } else { "Adaptive composition" };
            let ledger = statement.ledger.as_ref().map(|paid| {
                format!(" A ledger bounds all releases from these data together: {paid}.")
            });
            format!("{how} of {}.{}", events.join(", "), ledger.unwrap_or_default())
        }
        "preprocessing_and_hyperparameter_tuning" => format!(
            "{} Each step is a function of one unit, was stated as public, or is paid for in epsilon.",
            sentence(&statement.preprocessing)
        ),
        "mechanisms" => format!(
            "{} By dpsis {} with {}, in exact arithmetic: no floating-point error weakens the guarantee. The time of \
             a run is not protected.",
            sentence(&statement.mechanism),
            statement.version,
            statement.randomness
        ),
        _ => return None,
    }))
}

/// An exact number as one of YAML, not below it.
fn number(exact: &str) -> Option<Value> {
    let value = parse_rational(exact)?;
    let text = format_rational(&value);
    if let Ok(decimal) = text.parse::<f64>() {
        let whole = text.parse::<u64>().ok().map(Value::from);
        return whole.or_else(|| Some(decimal.into()));
    }
    let near = near_f64(&value);
    let is_below = num_rational::BigRational::from_float(near).is_some_and(|near| near < value);
    Some(if is_below { near.next_up() } else { near }.into())
}

/// A value behind its key: a text in quotes, a list below it.
fn scalar(value: &Value, indent: usize) -> String {
    match value {
        Value::Array(all) => {
            let item = |value: &Value| format!("\n{:indent$}-{}", "", scalar(value, 0));
            all.iter().map(item).collect()
        }
        Value::String(text) => format!(" {}", quoted(text)),
        // In digits alone: other readers take an exponent for a text.
        Value::Number(number) if number.is_f64() => {
            format!(" {}", number.as_f64().unwrap_or_default())
        }
        other => format!(" {other}"),
    }
}

/// A text in double quotes on one line. What readers take for a line break, or refuse, is escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\0'..='\x1f'
            | '\x7f'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(letter));
            }
            _ => quoted.push(letter),
        }
    }
    quoted + "\""
}
