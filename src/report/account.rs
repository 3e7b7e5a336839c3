//! The joint cost of several releases.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::words::relation_words;
use super::wrap::wrapped;
use crate::account::{
    ACCOUNTANTS, Accountant, AccountantCard, BasicComposition, CentralLimit, Event,
};
use crate::error::{Error, Result};
use crate::exact::Exact;
use crate::mechanism::CARDS;
use crate::privacy::{Delta, Epsilon, Ledger, LedgerTerms, Neighbors};

/// The number to compute, with the given value of the other.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantity {
    /// Epsilon, at this delta.
    Epsilon(Delta),
    /// Delta, at this epsilon.
    Delta(Epsilon),
}

/// The events of all releases, and the guarantee that they have in common.
///
/// ```
/// use dpsis::report::{Quantity, Releases};
///
/// let mut year = Releases::default();
/// year.add("peel:2,50x52")?;
/// let account = year.account(Quantity::Epsilon("1e-9".parse()?))?;
/// assert!(account.text().contains("6.6155 (the least)"));
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Releases {
    events: Vec<Event>,
    /// The neighbor relation and the unit of the files, as text.
    relation: Option<String>,
}

/// The part of a record in JSON that describes the releases.
#[derive(Deserialize)]
struct RecordFile {
    /// Of a model: whether it is private, a part of its guarantee.
    private: Option<bool>,
    guarantee: GuaranteeFile,
}

#[derive(Deserialize)]
struct GuaranteeFile {
    private: Option<bool>,
    delta: Option<String>,
    epsilon: String,
    pure_epsilon: Option<String>,
    neighbors: String,
    unit: String,
    events: Vec<String>,
}

impl Releases {
    /// Adds a release: an event, `pure:0.5x12`; picks of a mechanism, `peel:2,50`; or the name of a
    /// file, a record in JSON or a ledger.
    ///
    /// # Errors
    ///
    /// `Request` for an unknown form, or a release under another neighbor relation; `Input` for a
    /// damaged file; `Io` if it cannot be read.
    pub fn add(&mut self, release: &str) -> Result<()> {
        match release.split_once(':') {
            Some((kind, _))
                if ["pure", "range", "approximate", "zcdp", "laplace", "gaussian"]
                    .contains(&kind) =>
            {
                self.events.push(release.parse()?);
                Ok(())
            }
            Some((id, numbers)) if CARDS.iter().any(|card| card.id == id) => {
                self.events.push(of_mechanism(id, numbers)?);
                Ok(())
            }
            _ => self.add_file(Path::new(release)),
        }
    }

    fn add_file(&mut self, path: &Path) -> Result<()> {
        let name = path.display();
        let text = fs::read_to_string(path).map_err(|error| {
            Error::cannot_read(path, &error)
                .with_note("an event is written like pure:0.5x12 or peel:2,50")
        })?;
        if text.trim_start().starts_with('{') {
            self.add_record(&name.to_string(), &text)
        } else if text.starts_with("dpsis ledger") {
            self.add_events(&name.to_string(), of_ledger(path)?)
        } else {
            let rule = format!("{name} is neither a record in JSON nor a budget file");
            Err(Error::input(rule))
        }
    }

    /// Adds a record in JSON, of a selection, a choice or a model; errors call it `name`.
    ///
    /// # Errors
    ///
    /// As for [`add`](Self::add).
    pub fn add_record(&mut self, name: &str, json: &str) -> Result<()> {
        self.add_events(name, of_record(name, json)?)
    }

    fn add_events(&mut self, name: &str, of: (String, Vec<Event>)) -> Result<()> {
        let (relation, events) = of;
        if self.relation.get_or_insert_with(|| relation.clone()) != &relation {
            let rule = format!("{name} is for another neighbor relation or unit");
            return Err(Error::request(rule).hint("their costs do not add up"));
        }
        self.events.extend(events);
        Ok(())
    }

    /// The joint cost by each accountant.
    ///
    /// # Errors
    ///
    /// `Request` if no accountant prices all of these together.
    pub fn account(self, quantity: Quantity) -> Result<Account> {
        let Self { events, relation } = self;
        let price = |card: &&AccountantCard| Price {
            accountant: card.id,
            summary: card.summary,
            price: match &quantity {
                // A ledger without charges.
                _ if events.is_empty() => Ok(0.0),
                Quantity::Epsilon(delta) => card.epsilon(&events, delta.clone()),
                Quantity::Delta(epsilon) => card.delta(&events, epsilon.clone()),
            },
        };
        let prices: Vec<Price> = ACCOUNTANTS.iter().map(price).collect();
        if prices.iter().all(|price| price.price.is_err()) {
            return Err(Error::request("no accountant prices all of these together").hint(
                "prices are of pure and bounded-range events, Laplace and normal noise, and zCDP",
            ));
        }
        let limit = CentralLimit::of(&events).and_then(|limit| match &quantity {
            Quantity::Epsilon(delta) => limit.epsilon(delta.clone()),
            Quantity::Delta(epsilon) => limit.delta(epsilon.clone()),
        });
        let (name, at) = match &quantity {
            Quantity::Epsilon(delta) => ("epsilon", delta.to_string()),
            Quantity::Delta(epsilon) => ("delta", epsilon.to_string()),
        };
        Ok(Account {
            for_relation: relation,
            quantity: name,
            at,
            events,
            prices,
            central_limit: limit.ok(),
        })
    }
}

/// Parses k picks of a mechanism: `EPSILON,K`, with `xN` for several such releases.
fn of_mechanism(id: &str, numbers: &str) -> Result<Event> {
    let wrong = || Error::request(format!("picks of {id} are written {id}:EPSILON,K"));
    let (numbers, count) = match numbers.split_once('x') {
        Some((numbers, count)) => (numbers, count.parse().map_err(|_| wrong())?),
        None => (numbers, 1),
    };
    let (epsilon, k) = numbers.split_once(',').unwrap_or((numbers, "1"));
    let k = k.parse().map_err(|_| wrong())?;
    let card = CARDS.iter().find(|card| card.id == id).ok_or_else(wrong)?;
    card.event(k, &epsilon.parse()?)?.times(count)
}

/// The relation and the events of a record in JSON.
fn of_record(name: &str, text: &str) -> Result<(String, Vec<Event>)> {
    let record: RecordFile = serde_json::from_str(text).map_err(|_| {
        Error::input(format!("{name} is not a record of a selection, a choice or a model"))
    })?;
    if record.private.or(record.guarantee.private) != Some(true) {
        let rule = format!("{name} is not private: it has no epsilon");
        return Err(Error::request(rule));
    }
    let GuaranteeFile { delta, epsilon, pure_epsilon, neighbors, unit, events, .. } =
        record.guarantee;
    // A column is one sample in either orientation of its table.
    let unit = if unit == "column" { "row".to_owned() } else { unit };
    let events = events.iter().map(|event| event.parse()).collect::<Result<Vec<Event>>>()?;
    let (without_deltas, deltas) = Event::without_deltas(&events);
    let sum = BasicComposition::of(&without_deltas).map(|sum| Exact::from(sum.total().clone()));
    let delta = Exact::from(delta.unwrap_or_else(|| "0".to_owned()));
    let are_whole = match sum {
        Ok(sum) => {
            // The delta of a peeling follows from its rounds.
            let delta = if pure_epsilon.is_some() { Exact::from(0) } else { delta };
            sum == Exact::from(pure_epsilon.unwrap_or(epsilon)) && deltas == delta
        }
        // Gaussian noise of a model has no pure epsilon.
        Err(_) => pure_epsilon.is_none() && delta != Exact::from(0),
    };
    match relation(&neighbors, &unit) {
        Some(relation) if are_whole => Ok((relation, events)),
        _ => Err(Error::input(format!(
            "{name} is damaged: its events, its epsilon and its neighbors do not fit"
        ))),
    }
}

/// The relation and the events of a budget file: the charges in full, because how much of a charge
/// was returned depends on the table.
fn of_ledger(path: &Path) -> Result<(String, Vec<Event>)> {
    let balance = Ledger::open(PathBuf::from(path))?.read()?;
    let events = balance.entries.iter().map(|entry| match entry.delta.is_zero() {
        true => Event::pure(entry.epsilon.clone()),
        // Which mechanism spent the delta is not recorded.
        false => Event::approximate(entry.epsilon.clone(), entry.delta.clone()),
    });
    let LedgerTerms { neighbors, unit, .. } = &balance.terms;
    Ok((relation_words(*neighbors, &unit.to_string()), events.collect()))
}

/// The neighbor relation and unit of a record, from their JSON values; `None` if they are unknown.
fn relation(neighbors: &str, unit: &str) -> Option<String> {
    let neighbors = match neighbors {
        "replace-one" => Neighbors::ReplaceOne,
        "add/remove" => Neighbors::AddRemove,
        _ => return None,
    };
    ["row", "person", "unit"].contains(&unit).then(|| relation_words(neighbors, unit))
}

/// The joint cost of releases by each accountant. As JSON, one object of all fields.
#[derive(Debug, Clone, Serialize)]
pub struct Account {
    /// The neighbor relation and unit of the files.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    for_relation: Option<String>,
    /// The number that was computed.
    quantity: &'static str,
    /// The given value of the other number.
    at: String,
    events: Vec<Event>,
    prices: Vec<Price>,
    /// The approximation by the central limit theorem.
    central_limit: Option<f64>,
}

#[derive(Debug, Clone, Serialize)]
struct Price {
    accountant: &'static str,
    summary: &'static str,
    #[serde(serialize_with = "number_or_null")]
    price: Result<f64>,
}

fn number_or_null<S: serde::Serializer>(
    price: &Result<f64>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    price.as_ref().ok().serialize(serializer)
}

/// The width of labels, in columns.
const LABEL: usize = 18;

impl Account {
    /// The prices in a few lines, rounded up.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |label: &str, words: &str| {
            let _ = writeln!(text, "{}", wrapped(&format!("{label:<LABEL$}{words}"), LABEL));
        };
        let events: Vec<String> = self.events.iter().map(Event::to_string).collect();
        line(
            "events",
            if events.is_empty() { "none".to_owned() } else { events.join(" ") }.as_str(),
        );
        if let Some(relation) = &self.for_relation {
            line("for", relation);
        }
        let other = if self.quantity == "epsilon" { "delta" } else { "epsilon" };
        line("quantity", &format!("{} at {other} {}", self.quantity, self.at));
        let best = self.prices.iter().filter_map(|price| price.price.as_ref().ok());
        let mut best = best.copied().fold(f64::INFINITY, f64::min) * (1.0 + 1e-9);
        for Price { accountant, summary, price } in &self.prices {
            match price {
                Ok(price) => {
                    // The first of several equal ones: the sum has no delta.
                    let is_least = *price <= best;
                    let mark = if is_least { " (the least)" } else { "" };
                    best = if is_least { f64::NEG_INFINITY } else { best };
                    let price = self.rounded(accountant, *price);
                    line(accountant, &format!("{price}{mark}: {summary}"));
                }
                Err(error) => {
                    let error = error.to_string();
                    line(accountant, &format!("-: {}", error.lines().next().unwrap_or_default()));
                }
            }
        }
        if let Some(limit) = self.central_limit {
            let about = rounded_up(limit);
            line("central limit", &format!("about {about}: an approximation, no guarantee"));
        }
        text
    }

    /// A price with five digits; a sum of epsilons exactly.
    fn rounded(&self, accountant: &str, price: f64) -> String {
        match BasicComposition::of(&self.events) {
            Ok(sum) if accountant == "basic" && self.quantity == "epsilon" => {
                sum.total().to_string()
            }
            _ => rounded_up(price),
        }
    }
}

/// A number rounded up to five digits.
fn rounded_up(number: f64) -> String {
    let nearest = format!("{number:.4e}");
    let (digits, exponent) = nearest.split_once('e').unwrap_or((&nearest, "0"));
    let (digits, exponent) = (digits.replace('.', ""), exponent.parse::<i32>().unwrap_or(0) - 4);
    let is_below = nearest.parse::<f64>().is_ok_and(|nearest| nearest < number);
    let digits = digits.parse::<u64>().unwrap_or(0) + u64::from(is_below);
    let text = format!("{digits}e{exponent}");
    match text.parse::<f64>() {
        Ok(small) if small > 0.0 && small < 1e-3 => format!("{small:e}"),
        _ => Exact::from(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_rounded_up() {
        for (number, text) in [
            (0.0, "0"),
            (7.123411, "7.1235"),
            (104.0, "104"),
            (0.000123451, "1.2346e-4"),
            (1e-6, "1e-6"),
            (1.00001e-9, "1.0001e-9"),
        ] {
            assert_eq!(rounded_up(number), text);
        }
    }

    #[test]
    fn picks_of_mechanisms_are_events() {
        assert_eq!(of_mechanism("peel", "2,50x52").unwrap().to_string(), "range:0.04x2600");
        assert_eq!(of_mechanism("canonical", "2,5").unwrap().to_string(), "pure:2");
        assert_eq!(of_mechanism("em", "1").unwrap().to_string(), "range:1");
        for wrong in ["", "2,", "2,0", "x", "2,3x", "2,3x0", "a,1"] {
            assert!(of_mechanism("peel", wrong).is_err(), "{wrong}");
        }
    }
}
