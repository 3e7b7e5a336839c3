//! Findings on a time to an event: the classes at a given horizon, and the question whether two
//! columns that look like times and events are the target.

use std::collections::HashSet;

use super::column::MAX_LABELS;
use super::counts::{Counts, times};
use super::findings::{Draft, Seen, labels_with_counts, short};
use super::roles::is_absence;
use crate::error::Parameter;
use crate::request::Target;
use crate::table::{TargetColumn, TimeToEvent};

/// Words that occur in the names of time columns, or are the whole name.
const TIMES: [&str; 23] = [
    "time", "times", "day", "days", "week", "weeks", "month", "months", "year", "years",
    "duration", "followup", "survival", "os", "pfs", "dfs", "efs", "rfs", "ttp", "tte", "futime",
    "dtime", "lifetime",
];

/// Words that occur in the names of event columns, or are the whole name.
const EVENTS: [&str; 23] = [
    "event",
    "events",
    "status",
    "died",
    "death",
    "dead",
    "deceased",
    "censored",
    "censoring",
    "censor",
    "cens",
    "relapse",
    "relapsed",
    "recurrence",
    "recurred",
    "progression",
    "progressed",
    "failure",
    "failed",
    "fustat",
    "mortality",
    "vitalstatus",
    "dstatus",
];

/// Words that occur in such names together with these.
const CONTEXT_WORDS: [&str; 22] = [
    "to",
    "in",
    "until",
    "till",
    "since",
    "of",
    "last",
    "contact",
    "follow",
    "up",
    "fu",
    "overall",
    "free",
    "disease",
    "indicator",
    "flag",
    "is",
    "has",
    "vital",
    "any",
    "overallsurvival",
    "obs",
];

/// Common horizons, by the unit in the name of the time column, ascending.
const HORIZONS: [(&[&str], &[f64]); 4] = [
    (&["day", "days"], &[30.0, 90.0, 180.0, 365.0, 730.0, 1095.0, 1825.0, 3650.0]),
    (&["week", "weeks"], &[4.0, 12.0, 26.0, 52.0, 104.0, 156.0, 260.0, 520.0]),
    (&["month", "months"], &[1.0, 3.0, 6.0, 12.0, 24.0, 36.0, 60.0, 120.0]),
    (&["year", "years"], &[1.0, 2.0, 3.0, 5.0, 10.0]),
];

/// The words of a name, in lower case; a capital after a small letter also starts a word.
fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(letter);
        before = letter;
    }
    let words = spaced.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Whether all words of a name are in one of the lists, and at least one is in the first.
fn is_named(name: &str, of: &[&str], others: &[&str]) -> bool {
    let words = words(name);
    let is = |word: &String, all: &[&str]| all.contains(&word.as_str());
    let follow_up = words.windows(2).any(|pair| pair[0] == "follow" && pair[1] == "up");
    let has_one = words.iter().any(|word| is(word, of)) || follow_up && of.contains(&"followup");
    has_one && words.iter().all(|word| is(word, of) || is(word, others) || is(word, &CONTEXT_WORDS))
}

/// A round number of at most the median of some sorted times.
fn horizon(name: &str, times: &[f64]) -> Option<f64> {
    let middle = *times.get(times.len() / 2)?;
    let least = *times.first()?;
    let words = words(name);
    let unit =
        HORIZONS.iter().find(|(units, _)| words.iter().any(|word| units.contains(&&word[..])));
    let usual = unit.and_then(|(_, usual)| {
        usual.iter().copied().rfind(|horizon| *horizon <= middle && *horizon > least)
    });
    usual.or_else(|| {
        if !(middle > 0.0 && middle.is_finite()) {
            return None;
        }
        let power = libm::floor(libm::log10(middle)) as i32;
        let round =
            |power: i32| [1, 2, 5].map(move |digit| format!("{digit}e{power}").parse().ok());
        let all = [power - 1, power, power + 1].into_iter().flat_map(round).flatten();
        all.filter(|horizon: &f64| *horizon <= middle).reduce(f64::max)
    })
}

impl Seen<'_> {
    /// The columns of times and events of a target at a given horizon.
    fn given_events(&self) -> Option<&TimeToEvent> {
        self.given_target.target.as_ref().and_then(Target::time_to_event)
    }

    /// The places of these columns among the columns here.
    pub(super) fn places_of_events(&self) -> Option<[Option<usize>; 2]> {
        let place = |name: &str| self.header.iter().position(|other| other == name);
        self.given_events().map(|events| events.columns().map(|(name, _)| place(name)))
    }

    /// A target at a given horizon: the number of rows in each class.
    pub(super) fn target_at_horizon(&self, draft: &mut Draft) {
        let Some(events) = self.given_events() else { return };
        draft.suggestion.target = Target::TimeToEvent(events.clone());
        if self.target_file.is_none() {
            let places = self.places_of_events().unwrap_or_default();
            for (place, (name, about)) in places.iter().zip(events.columns()) {
                match place {
                    Some(place) => self.column_of_events(draft, *place, about),
                    None => {
                        draft.warn_about("target", format!("there is no column {name:?}"), [about]);
                        draft.suggestion.open.push(about);
                    }
                }
            }
        }
        let Some(Counts { classes, without }) = self.event_counts else {
            let text = "the classes are not counted: the table is read once, or not as it is given";
            return draft.say("target", text);
        };
        let found = labels_with_counts(events.classes().iter().zip(classes.iter().copied()));
        draft.say("target", format!("classes {found}"));
        if *without > 0 {
            let text = format!(
                "{without} {} take no part: lost before the horizon without the event, or without a time or an \
                 event. This is right if loss to follow-up does not depend on the features, given the class",
                self.units()
            );
            draft.say_about("target", text, [Parameter::Horizon]);
        }
        if classes.contains(&0) {
            let text = "a class has no rows: check the horizon, and the value that means the event";
            draft.warn_about("target", text, [Parameter::Horizon, Parameter::Event]);
            draft.suggestion.open.push(Parameter::Horizon);
        } else {
            draft.suggestion.count(classes.iter().copied());
        }
    }

    /// Reports the content of a column of times or events.
    fn column_of_events(&self, draft: &mut Draft, place: usize, about: Parameter) {
        let (what, column) = (self.what(place), &self.columns[place]);
        if about == Parameter::Event {
            let text = match column.has_all_values() {
                true if column.labels().next().is_none() => format!("{what}: no events"),
                true => format!("{what}: events {}", labels_with_counts(column.labels())),
                false => format!("{what}: events of more than {MAX_LABELS} different values"),
            };
            draft.say("target", text);
        } else if !column.is_numeric() || column.categories > 0 || column.low < 0.0 {
            let text = format!(
                "{what}: times that are not all numbers of at least 0: {} with others have no usable target",
                self.units()
            );
            draft.warn_about("target", text, [about]);
        } else {
            draft.say("target", format!("{what}: times up to {}", short(column.high)));
        }
    }

    /// Adds the question whether two columns that look like a time to an event are the target.
    pub(super) fn ask_about_events(&self, draft: &mut Draft) {
        if self.given_target.target.as_ref().is_some_and(|target| target.time_to_event().is_some())
            || self.target_file.is_some()
            || self.turned
        {
            return;
        }
        let Some((time, event)) = self.likely_events() else { return };
        let target = match &self.given.target {
            TargetColumn::Last => self.given_target.target.as_ref().and(self.target_column()),
            _ => self.target_column(),
        };
        if target.is_some_and(|target| target != time && target != event) {
            return;
        }
        let Some(events) = self.proposed(time, event) else { return };
        let (times, ends) = (self.what(time), self.what(event));
        let options = format!(
            "time {}, event {}={}, by {}",
            events.time(),
            events.event(),
            events.value(),
            events.by()
        );
        let why = "With either column alone as the target, features that drive the follow-up are selected, too; choose the horizon \
                   by the question, not by the data";
        let about = [Parameter::Time, Parameter::Event, Parameter::Horizon];
        if target.is_some() {
            let text = format!(
                "{times} and {ends} look like a time to an event. If so, give both with a horizon as the target, such \
                 as {options}. {why}"
            );
            return draft.warn_about("target", text, about);
        }
        let text = format!(
            "are {times} and {ends} a time to an event? If so, give both with a horizon as the target, such as \
             {options}, a draft from these data. {why}. If not, name the target"
        );
        draft.warn_about("target", text, about);
        draft.suggestion.open.push(Parameter::Event);
        draft.suggestion.target = Target::TimeToEvent(events);
        draft.suggestion.facts.target = TargetColumn::Last;
    }

    /// The places of two columns that look like times and events, if neither has another role.
    fn likely_events(&self) -> Option<(usize, usize)> {
        let own = self.target_column();
        let mut places: HashSet<usize> = self.feature_places().into_iter().collect();
        places.extend(own);
        let of = |names: &[&str], others: &[&str], is: &dyn Fn(usize) -> bool| -> Vec<usize> {
            let named = (0..self.columns.len()).filter(|place| places.contains(place));
            named.filter(|&c| is_named(&self.header[c], names, others) && is(c)).collect()
        };
        let times = of(&TIMES, &EVENTS, &|c| {
            let column = &self.columns[c];
            // Labels are not counted if there are many different values.
            let has_many = !matches!(column.labels().count(), 1 | 2);
            column.numbers > 0 && column.categories == 0 && column.low >= 0.0 && has_many
        });
        let events = of(&EVENTS, &TIMES, &|c| {
            self.columns[c].has_labels() && self.columns[c].labels().count() == 2
        });
        // With several endpoints, prefer columns whose names share a word, such as os_months,
        // os_status.
        let pairs = || times.iter().flat_map(|&t| events.iter().map(move |&e| (t, e)));
        let share = |&(time, event): &(usize, usize)| {
            let own = words(&self.header[time]);
            words(&self.header[event]).iter().any(|word| own.contains(word))
        };
        pairs().find(share).or_else(|| pairs().next())
    }

    /// A target of these columns: with the value that more likely means an event, and a round
    /// horizon.
    fn proposed(&self, time: usize, event: usize) -> Option<TimeToEvent> {
        let mut values: Vec<String> =
            self.columns[event].labels().map(|(label, _)| label).collect();
        values.sort_by_key(|value| (!is_absence(value), value.clone()));
        let of_censoring = words(&self.header[event]).iter().any(|word| word.starts_with("cens"));
        let value = if of_censoring { values.first() } else { values.last() }?;
        let name = &self.header[time];
        let found = times(self.table, name);
        let column = &self.columns[time];
        // If rows can be read only once: the middle of the range.
        let middle = [column.low, (column.low + column.high) / 2.0, column.high];
        let by = horizon(name, if found.is_empty() { &middle } else { &found })?;
        TimeToEvent::new(name, (&self.header[event], value), by).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_times_and_events() {
        for time in [
            "time",
            "Days",
            "survival_time",
            "os_months",
            "OS.time",
            "followUp",
            "follow-up",
            "follow_up_days",
            "time_to_death",
            "days_to_event",
            "PFS",
            "futime",
            "years",
            "TimeToEvent",
            "time (days)",
            "overall_survival_months",
        ] {
            assert!(is_named(time, &TIMES, &EVENTS), "{time}");
        }
        for other in [
            "time_in_hospital",
            "years_of_education",
            "age",
            "runtime",
            "daytime_glucose",
            "dose",
            "survivalrate",
            "status",
            "",
        ] {
            assert!(!is_named(other, &TIMES, &EVENTS), "{other}");
        }
        for event in [
            "event",
            "Status",
            "died",
            "vital_status",
            "OS_STATUS",
            "death_event",
            "censored",
            "is_dead",
            "relapse",
            "DFS.event",
            "fustat",
            "progression",
        ] {
            assert!(is_named(event, &EVENTS, &TIMES), "{event}");
        }
        for other in ["smoking_status", "eventful", "marital_status", "dose", "days"] {
            assert!(!is_named(other, &EVENTS, &TIMES), "{other}");
        }
    }

    #[test]
    fn horizons_are_round_numbers_within_the_times() {
        let days: Vec<f64> = (0..1000).map(|i| 4.0 * f64::from(i)).collect();
        assert_eq!(horizon("days", &days), Some(1825.0));
        assert_eq!(horizon("os_months", &[1.0, 40.0, 90.0]), Some(36.0));
        assert_eq!(horizon("time", &[1.0, 40.0, 90.0]), Some(20.0));
        assert_eq!(horizon("time", &[0.01, 0.13, 3.0]), Some(0.1));
        assert_eq!(horizon("days", &[0.0, 12.0, 20.0]), Some(10.0));
        assert_eq!(horizon("time", &[0.0, 0.0, 0.0]), None);
        assert_eq!(horizon("time", &[]), None);
    }
}
