//! Parsing the values of options.

use std::collections::BTreeMap;

use clap::ValueEnum;
use dpsis::internals::{SHARES, parse_delimiter as delimiter_of, parse_number};
use dpsis::{Bounds, CenterOption, Epsilon, Error, Parameter, Result};
use dpsis_eval::Count;

/// The long help of an option, with its values and their meanings.
pub(super) fn with_values<E: ValueEnum>(help: &str) -> String {
    with_some_values(help, E::value_variants())
}

/// The long help of an option that takes these values, with their meanings.
pub(super) fn with_some_values<E: ValueEnum>(help: &str, values: &[E]) -> String {
    let values = values.iter().filter_map(ValueEnum::to_possible_value);
    let line = |value: clap::builder::PossibleValue| {
        let meaning = value.get_help().map(ToString::to_string).unwrap_or_default();
        format!("\n- {}: {meaning}", value.get_name())
    };
    format!("{help}\n\nPossible values:{}", values.map(line).collect::<String>())
}

/// Hides an option from the help of a command that shares it with others and refuses it.
pub(super) fn unused(option: clap::Arg) -> clap::Arg {
    option.hide(true)
}

/// The keyword of a value.
pub(super) fn word<E: ValueEnum>(value: E) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Parses a number like a cell of the table.
fn parse_value(text: &str) -> Option<f64> {
    parse_number(text.as_bytes())
}

/// `LO,HI`.
pub(super) fn parse_bounds(text: &str) -> Result<Bounds> {
    let ends = text.split_once(',').and_then(|(low, high)| parse_value(low).zip(parse_value(high)));
    match ends {
        Some((low, high)) => Bounds::new(low, high),
        None => Err(Error::request("bounds must be two numbers with a comma between them: LO,HI")),
    }
}

/// Parses `COLUMN=VALUE`: the column ends at the first equals sign.
pub(super) fn parse_event(text: &str) -> Result<(String, String)> {
    let parts =
        text.split_once('=').filter(|(column, value)| !column.is_empty() && !value.is_empty());
    match parts {
        Some((column, value)) => Ok((column.to_owned(), value.to_owned())),
        None => {
            Err(Error::request("an event is a column and the value that means that it happened")
                .hint("write COLUMN=VALUE, such as died=1")
                .about([Parameter::Event]))
        }
    }
}

/// Parses a list as one trimmed CSV record.
pub(super) fn parse_record(text: &str) -> Result<Vec<String>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let records: Vec<_> = reader.records().filter_map(|record| record.ok()).collect();
    match records.as_slice() {
        [record] => Ok(record.iter().map(|label| label.trim_ascii().to_owned()).collect()),
        _ => Err(Error::request("a list must be given on one line: a,b or a,b,c")),
    }
}

/// Formats a list for [`parse_record`].
pub(super) fn to_record(values: &[String]) -> String {
    let quote = |value: &String| {
        if value.contains([',', '"']) {
            format!("\"{}\"", value.replace('"', "\"\""))
        } else {
            value.clone()
        }
    };
    values.iter().map(quote).collect::<Vec<_>>().join(",")
}

/// `5,10,log`: numbers of features.
pub(super) fn parse_counts(text: &str) -> Result<Vec<Count>> {
    let count = |part: &str| match part.trim() {
        "log" => Ok(Count::Log),
        number => match number.parse() {
            Ok(k) if k > 0 => Ok(Count::Number(k)),
            _ => {
                Err(Error::request("k must be a list of positive numbers and log, as in 5,10,log"))
            }
        },
    };
    distinct(text.split(',').map(count).collect::<Result<_>>()?, "a k is given twice")
}

/// Parses `0.1,0.5,1`, or `0.1..20:12`: this number of budgets from one to the other, evenly spaced
/// on a logarithmic scale, rounded to three digits.
pub(super) fn parse_epsilons(text: &str) -> Result<Vec<Epsilon>> {
    let Some((low, rest)) = text.split_once("..") else {
        let all = text.split(',').map(|part| part.trim().parse()).collect::<Result<_>>()?;
        return distinct(all, "an epsilon is given twice");
    };
    let wrong = || Error::request("a range of budgets must be given as 0.1..20:12");
    let (high, steps) = rest.split_once(':').ok_or_else(wrong)?;
    let steps: u32 =
        steps.parse().ok().filter(|steps| (2..=1000).contains(steps)).ok_or_else(wrong)?;
    // Both ends as given, the steps between them rounded.
    let (first, last): (Epsilon, Epsilon) = (low.trim().parse()?, high.trim().parse()?);
    if first >= last {
        return Err(wrong());
    }
    let [from, to] = [&first, &last].map(|end| end.to_f64().ln());
    let between = (1..steps - 1).map(|step| {
        let value = (from + (to - from) * f64::from(step) / f64::from(steps - 1)).exp();
        let digits = (2 - value.log10().floor() as i32).max(0) as usize;
        format!("{value:.digits$}").parse::<Epsilon>()
    });
    let between = between.collect::<Result<Vec<_>>>()?;
    let all = [vec![first], between, vec![last]].concat();
    distinct(all, "the steps are too fine to be distinguished")
}
fn distinct<T: PartialEq>(all: Vec<T>, rule: &str) -> Result<Vec<T>> {
    let twice = (1..all.len()).any(|i| all[..i].contains(&all[i]));
    if twice { Err(Error::request(rule)) } else { Ok(all) }
}

/// Parses one ASCII character, or the word `tab`.
pub(super) fn parse_delimiter(text: &str) -> Result<u8> {
    delimiter_of(text)
        .ok_or_else(|| Error::request("the delimiter must be one character, or the word tab"))
}

/// The default shares, as an option value.
pub(super) fn default_split() -> String {
    let drawn = SHARES.iter().filter(|(_, [share, _])| *share != "0");
    drawn.map(|(name, [share, _])| format!("{name}={share}")).collect::<Vec<_>>().join(",")
}

/// Help on shares of the budget.
pub(super) fn with_shares(what: &str) -> String {
    let changed = SHARES.iter().filter(|(_, [of_k, beyond])| of_k != beyond);
    let changed: Vec<String> =
        changed.map(|(name, [_, share])| format!("{name}={share}")).collect();
    format!("{what} [default: {}; without --k {}]", default_split(), changed.join(","))
}

/// Parses the shares of the budget by name: `center=0.1,target=0.2`.
pub(super) fn parse_split(text: &str) -> Result<BTreeMap<String, String>> {
    let mut split = BTreeMap::new();
    for part in text.split(',') {
        let (name, share) = part.split_once('=').unwrap_or((part, ""));
        let (name, share) = (name.trim(), share.trim());
        if SHARES.iter().all(|(known, _)| *known != name) {
            let rule = format!("the split must be given as {}", default_split());
            return Err(Error::request(rule));
        }
        if split.insert(name.to_owned(), share.to_owned()).is_some() {
            return Err(Error::request("a share is given twice"));
        }
    }
    Ok(split)
}

/// Parses a number of bytes: a number with a unit, `500MB`, `1.5 GiB`, `4g` (GiB), `1000000`.
pub(super) fn parse_size(text: &str) -> Result<u64> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let bytes = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => Some(1.0),
        "kb" => Some(1e3),
        "mb" => Some(1e6),
        "gb" => Some(1e9),
        "tb" => Some(1e12),
        "k" | "kib" => Some(1024.0),
        "m" | "mib" => Some(1024f64.powi(2)),
        "g" | "gib" => Some(1024f64.powi(3)),
        "t" | "tib" => Some(1024f64.powi(4)),
        _ => None,
    };
    let number =
        number.trim().parse().ok().filter(|number: &f64| *number >= 0.0 && number.is_finite());
    match (number, bytes) {
        (Some(number), Some(bytes)) => Ok((number * bytes) as u64),
        _ => Err(Error::request("a size is a number and a unit, such as 500MB or 4GiB")),
    }
}

/// Parses `private`, `none`, a number, or `LABEL=SHARE,...`.
pub(super) fn parse_center(text: &str) -> Result<CenterOption> {
    match text {
        "private" | "none" => Ok(CenterOption::Word(text.to_owned())),
        _ if text.contains('=') => {
            let share = |part: &str| {
                let (label, share) = part.rsplit_once('=')?;
                Some((label.trim().to_owned(), parse_value(share)?.into()))
            };
            let shares: Option<Vec<_>> = text.split(',').map(share).collect();
            shares.map(CenterOption::Shares).ok_or_else(bad_center)
        }
        _ => parse_value(text).map(CenterOption::Value).ok_or_else(bad_center),
    }
}

fn bad_center() -> Error {
    Error::request(
        "the center must be private, none, a number, or shares such as a=0.3,b=0.5,c=0.2",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_one_record() {
        assert_eq!(parse_record("case, control ,\"x, y\"").unwrap(), ["case", "control", "x, y"]);
        for text in ["", "a,b\nc,d"] {
            assert!(parse_record(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn centers_are_words_numbers_or_shares() {
        assert_eq!(parse_center("private").unwrap(), CenterOption::Word("private".into()));
        assert_eq!(parse_center("none").unwrap(), CenterOption::Word("none".into()));
        assert_eq!(parse_center("-1.5e2").unwrap(), CenterOption::Value(-150.0));
        let shares = [("a".to_owned(), 0.25.into()), ("b=c".to_owned(), 0.75.into())];
        assert_eq!(parse_center("a=0.25, b=c=0.75").unwrap(), CenterOption::Shares(shares.into()));
        for text in ["", "mean", "a=", "a=x", "=", "a=0.5,b"] {
            assert!(parse_center(text).is_err(), "{text:?}");
        }
    }
}
