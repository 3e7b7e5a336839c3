//! The text of a ledger, read and written.

use num_rational::BigRational;

use super::utc::is_utc;
use super::words::check_words;
use super::{Balance, Expense, LedgerEntry, LedgerNote, LedgerTerms};
use crate::error::{Error, ErrorKind, Result};
use crate::exact::{format_rational, parse_rational};
use crate::privacy::{Delta, Epsilon, Neighbors, Unit};

/// The first line.
pub(super) const VERSION: &str = "dpsis ledger 1";

/// The beginnings of lines about an earlier entry.
const ENDED: &str = "ended ";
const FAILED: &str = "failed ";
const RETURNED: &str = "returned ";
const KEY: &str = "key ";

/// The end of the line of an entry whose release was made.
const RELEASED: &str = "released";

/// The text before the hash of a request in the line of a run key.
const REQUEST: &str = ", request ";

/// The text before the hash of a kept record in the line of an entry whose release was made.
const RECORD: &str = ", record ";

/// The beginnings of lines about the ledger.
const NOTE: &str = "note ";
const CLOSED: &str = "closed ";

/// The end of a line that was cut off and then ended by a later entry.
const CUT: &str = " (cut off)";

/// The kinds of errors with their names in the file.
const KINDS: [(ErrorKind, &str); 5] = [
    (ErrorKind::Request, "request"),
    (ErrorKind::Input, "input"),
    (ErrorKind::Io, "io"),
    (ErrorKind::Canceled, "canceled"),
    (ErrorKind::Budget, "budget"),
];

/// The ending of the last line before another one follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Nothing: it ends.
    Whole,
    /// A line feed.
    LineFeed,
    /// The text that it was cut off, and a line feed.
    CutOff,
}

impl Ending {
    /// The text that ends the line.
    pub(super) fn text(self) -> String {
        match self {
            Self::Whole => String::new(),
            Self::LineFeed => "\n".to_owned(),
            Self::CutOff => format!("{CUT}\n"),
        }
    }
}

/// The lines before the entries.
pub(super) fn terms(terms: &LedgerTerms) -> String {
    let neighbors = match terms.neighbors {
        Neighbors::AddRemove => "add/remove",
        Neighbors::ReplaceOne => "replace-one",
    };
    let LedgerTerms { name, cap, unit, delta, .. } = terms;
    let name = if name.is_empty() { String::new() } else { format!(" {name}") };
    format!(
        "{VERSION}\nname:{name}\ncap: {cap}\nneighbors: {neighbors}\nunit: {unit}\ndelta: {delta}\n\n"
    )
}

/// The line of a new charge.
pub(super) fn entry(balance: &Balance, expense: &Expense, when: &str) -> String {
    let Expense { epsilon, delta, command, note, .. } = expense;
    let number = balance.entries.len() + 1;
    let total = format_rational(&(&balance.spent + epsilon.as_rational()));
    let total = format!("{total}{}", with_delta(&(balance.spent_delta.clone() + delta.clone())));
    let delta = with_delta(delta);
    let note = if note.is_empty() { String::new() } else { format!(", {note}") };
    format!("{number}: epsilon {epsilon}{delta}, total {total}, {when}, {command}{note}\n")
}

/// A delta after an epsilon, if it is not 0.
fn with_delta(delta: &Delta) -> String {
    if delta.is_zero() { String::new() } else { format!(" delta {delta}") }
}

/// The text of an epsilon, and the delta after it.
fn split_delta(text: &str) -> Option<(&str, Delta)> {
    match text.split_once(" delta ") {
        Some((epsilon, delta)) => Delta::sum(delta).map(|delta| (epsilon, delta)),
        None => Some((text, Delta::zero())),
    }
}

/// The line that marks the release of an entry as made.
pub(super) fn released(number: usize) -> String {
    format!("{ENDED}{number}: {RELEASED}\n")
}

/// The line that marks the release of an entry as made, with the hash of its kept record.
pub(super) fn recorded(number: usize, record: &str) -> String {
    format!("{ENDED}{number}: {RELEASED}{RECORD}{record}\n")
}

/// The line of the run key of an entry. The hash at its end shows that the key is whole.
pub(super) fn run_key(number: usize, key: &str, request: &str) -> String {
    format!("{KEY}{number}: {key}{REQUEST}{request}\n")
}

/// Whether a text is a hash as it is written.
fn is_hash(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The line of a note.
pub(super) fn note(when: &str, words: &str) -> String {
    format!("{NOTE}{when}: {words}\n")
}

/// The line that closes the ledger.
pub(super) fn closed(when: &str, words: &str) -> String {
    let words = if words.is_empty() { String::new() } else { format!(": {words}") };
    format!("{CLOSED}{when}{words}\n")
}

/// The line that marks an entry as failed.
pub(super) fn failure(number: usize, kind: ErrorKind) -> String {
    let word = KINDS.iter().find(|(known, _)| *known == kind).map_or("io", |(_, word)| word);
    format!("{FAILED}{number}: {word}\n")
}

/// The line that returns a part of an entry's epsilon; `after` contains the sum that is then spent.
pub(super) fn returned(after: &Balance, number: usize, epsilon: &Epsilon) -> String {
    format!("{RETURNED}{number}: epsilon {epsilon}, total {}\n", total(after))
}

/// The sums of a balance.
fn total(balance: &Balance) -> String {
    format!("{}{}", format_rational(&balance.spent), with_delta(&balance.spent_delta))
}

/// Reads a ledger, and the ending that its last line needs before another line.
///
/// # Errors
///
/// `Input` with the line if the text is not a ledger, or if a line does not follow from the lines
/// above; the error contains no part of the text.
pub(super) fn read(bytes: &[u8]) -> Result<(Balance, Ending)> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    // Text after the last line feed is a line without its end.
    let last = lines.pop().unwrap_or_default();
    let (head, rest) = lines.split_at_checked(7).ok_or_else(no_terms)?;
    let mut balance = read_terms(head).ok_or_else(no_terms)?;
    for (i, line) in rest.iter().enumerate() {
        if line.is_empty() || read_line(&mut balance, line) {
            continue;
        }
        let cut = line.strip_suffix(CUT.as_bytes());
        if !cut.is_some_and(|line| read_cut(&mut balance, line)) {
            return Err(Error::input(format!(
                "line {} of the ledger does not follow from those above",
                head.len() + i + 1
            )));
        }
    }
    let ending = if last.is_empty() {
        Ending::Whole
    } else if read_line(&mut balance, last) {
        Ending::LineFeed
    } else if read_cut(&mut balance, last) {
        Ending::CutOff
    } else {
        let rule = "the last line of the ledger is cut off before the end of its epsilon";
        let hint = "complete the line; remove it only if its release printed nothing";
        return Err(Error::input(rule).hint(hint));
    };
    Ok((balance, ending))
}

fn no_terms() -> Error {
    Error::input(
        "the file is not a ledger of this version of dpsis, or its first lines are incomplete",
    )
}

fn read_terms(lines: &[&[u8]]) -> Option<Balance> {
    let lines: Vec<&str> =
        lines.iter().map(|line| std::str::from_utf8(line).ok()).collect::<Option<_>>()?;
    let [version, name, cap, neighbors, unit, delta, blank] = lines.try_into().ok()?;
    let name = name.strip_prefix("name:")?.trim();
    check_words("the name", name).ok()?;
    let cap: Epsilon = cap.strip_prefix("cap: ")?.parse().ok()?;
    let neighbors = match neighbors.strip_prefix("neighbors: ")? {
        "add/remove" => Neighbors::AddRemove,
        "replace-one" => Neighbors::ReplaceOne,
        _ => return None,
    };
    let unit = match unit.strip_prefix("unit: ")? {
        "row" => Unit::Row,
        "person" => Unit::Person,
        "unit" => Unit::Unit,
        _ => return None,
    };
    let delta: Delta = delta.strip_prefix("delta: ")?.parse().ok()?;
    let terms = LedgerTerms::new(cap).name(name).delta(delta).neighbors(neighbors).unit(unit);
    (version == VERSION && blank.is_empty()).then(|| Balance::new(terms))
}

/// Reads a whole line, an entry or a remark; returns false if it is neither.
fn read_line(balance: &mut Balance, line: &[u8]) -> bool {
    type Read = fn(&mut Balance, &str) -> Option<()>;
    let remarks: [(&str, Read); 6] = [
        (KEY, read_run_key),
        (ENDED, read_ended),
        (FAILED, read_failure),
        (RETURNED, read_returned),
        (NOTE, read_note),
        (CLOSED, read_closed),
    ];
    let Ok(line) = std::str::from_utf8(line) else { return false };
    let remark = remarks.iter().find_map(|(mark, read)| Some((line.strip_prefix(mark)?, read)));
    match remark {
        Some((rest, read)) => read(balance, rest).is_some(),
        None => read_entry(balance, line).is_some(),
    }
}

fn read_entry(balance: &mut Balance, line: &str) -> Option<()> {
    let (entry, rest) = read_cost(balance, line)?;
    let (total, rest) = rest.strip_prefix(" total ")?.split_once(", ")?;
    let (total, total_delta) = split_delta(total)?;
    let total: BigRational = parse_rational(total)?;
    let (when, what) = rest.split_once(", ")?;
    let (command, note) = what.split_once(", ").unwrap_or((what, ""));
    let follows = total == &balance.spent + entry.epsilon.as_rational()
        && total_delta == balance.spent_delta.clone() + entry.delta.clone();
    if !follows || !is_utc(when) || check_words("", what).is_err() {
        return None;
    }
    balance.add(LedgerEntry {
        when: Some(when.to_owned()),
        command: Some(command.to_owned()),
        note: note.to_owned(),
        ..entry
    });
    Some(())
}

/// The next entry with its number, epsilon and delta alone, and the text after the comma that
/// follows them. `None` for a closed ledger.
fn read_cost<'a>(balance: &Balance, line: &'a str) -> Option<(LedgerEntry, &'a str)> {
    if balance.closed.is_some() {
        return None;
    }
    let number = balance.entries.len() + 1;
    let cost = line.strip_prefix(&format!("{number}: epsilon "))?;
    let (cost, rest) = cost.split_once(',')?;
    let (epsilon, delta) = split_delta(cost)?;
    let entry = LedgerEntry {
        number,
        epsilon: epsilon.parse().ok()?,
        delta,
        when: None,
        command: None,
        note: String::new(),
        released: false,
        failed: None,
        returned: None,
        run_key: None,
        request: None,
        record: None,
    };
    Some((entry, rest))
}

/// The earlier entry that a remark is about, and the text of the remark.
fn remarked<'a>(
    balance: &'a mut Balance,
    remark: &'a str,
) -> Option<(&'a mut LedgerEntry, &'a str)> {
    let (number, words) = remark.split_once(": ")?;
    let place = number.parse::<usize>().ok()?.checked_sub(1)?;
    Some((balance.entries.get_mut(place)?, words))
}

fn read_ended(balance: &mut Balance, ended: &str) -> Option<()> {
    let (entry, words) = remarked(balance, ended)?;
    let rest = words.strip_prefix(RELEASED)?;
    if !rest.is_empty() {
        let record = rest.strip_prefix(RECORD).filter(|text| is_hash(text))?;
        // One release is made under a run key.
        if entry.run_key.is_none() || entry.record.is_some() {
            return None;
        }
        entry.record = Some(record.to_owned());
    }
    entry.released = true;
    Some(())
}

/// Reads the run key of the last entry: a key belongs to one entry.
fn read_run_key(balance: &mut Balance, line: &str) -> Option<()> {
    let (number, words) = line.split_once(": ")?;
    let (key, request) = words.rsplit_once(REQUEST)?;
    let is_new = balance.of_run_key(key).is_none();
    let last = balance.entries.last_mut()?;
    let is_whole = is_hash(request) && !key.is_empty() && check_words("", key).is_ok();
    if number != last.number.to_string() || !is_whole || !is_new || last.run_key.is_some() {
        return None;
    }
    (last.run_key, last.request) = (Some(key.to_owned()), Some(request.to_owned()));
    Some(())
}

fn read_failure(balance: &mut Balance, failure: &str) -> Option<()> {
    let (entry, kind) = remarked(balance, failure)?;
    let (_, word) = KINDS.iter().find(|(_, word)| *word == kind)?;
    entry.failed = Some((*word).to_owned());
    Some(())
}

/// Reads the epsilon that an entry returned, if the line is whole: the sum at its end follows from
/// the lines above.
fn read_returned(balance: &mut Balance, returned: &str) -> Option<()> {
    let (number, rest) = returned.split_once(": epsilon ")?;
    let (epsilon, rest) = rest.split_once(", total ")?;
    let mut after = balance.clone();
    let follows = after.take_back(number.parse().ok()?, epsilon.parse().ok()?);
    if !follows || rest != total(&after) {
        return None;
    }
    *balance = after;
    Some(())
}

fn read_note(balance: &mut Balance, note: &str) -> Option<()> {
    let (when, words) = note.split_once(": ")?;
    balance.notes.push(noted(when, words)?);
    Some(())
}

fn read_closed(balance: &mut Balance, closed: &str) -> Option<()> {
    let (when, words) = closed.split_once(": ").unwrap_or((closed, ""));
    balance.closed = Some(noted(when, words)?);
    Some(())
}

/// A note with its time.
fn noted(when: &str, words: &str) -> Option<LedgerNote> {
    let is_right = is_utc(when) && check_words("", words).is_ok();
    is_right.then(|| LedgerNote { when: Some(when.to_owned()), text: words.to_owned() })
}

/// Reads a line that was cut off: an entry counts if its epsilon is whole, and so does a closing;
/// the end of an entry, or a note, is ignored. Returns false if it may be an entry whose epsilon is
/// unknown, or is not a line of a ledger.
fn read_cut(balance: &mut Balance, line: &[u8]) -> bool {
    let is = |mark: &str| line.starts_with(mark.as_bytes()) || mark.as_bytes().starts_with(line);
    if !line.is_empty() && is(CLOSED) {
        balance.closed.get_or_insert(LedgerNote { when: None, text: String::new() });
        return true;
    }
    if [KEY, ENDED, FAILED, RETURNED, NOTE].into_iter().any(is) {
        return true;
    }
    // The cut may be in the middle of a letter of the note.
    let line = String::from_utf8_lossy(line);
    let Some((entry, _)) = read_cost(balance, &line) else { return false };
    balance.add(entry);
    true
}

#[cfg(test)]
mod tests;
