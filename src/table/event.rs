//! A target at a horizon: whether an event happened by a time, from a column of times and one of
//! events.
//!
//! # Definition
//!
//! With the time t of follow-up of a row, whether it ended with the event, and the horizon h:
//!
//! | | t < h | t = h | t > h |
//! | --- | --- | --- | --- |
//! | event | second class | second class | first class |
//! | no event | no usable target | first class | first class |
//!
//! The first class is "no event by h", the second "event by h". A row that was lost before h
//! without the event belongs to neither. A row also has no usable target if its time or its event
//! is missing, or if its time is negative or not a number: dates and times of day are not spans of
//! time. The event is compared by value with the given one; any other value means that the event
//! did not happen.
//!
//! # Assumption
//!
//! Rows that were lost before the horizon take no part. Within each class, a feature's values in
//! the rows that are left must stand for those in all: whether a row is lost before the horizon
//! must not depend on the feature, given the class (non-informative censoring).
//!
//! # Privacy
//!
//! The class is a function of its row and of public options alone. The target has two classes like
//! any other, with the same sensitivities and no budget of its own.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Parameter, Result};
use crate::table::cell::{Cell, CellFormat, EXACT, GivenCell, Kind};
use crate::table::target::TargetCell;

/// A target from a time to an event: whether the event happened by a horizon.
///
/// The classes are "no event by 1825" and "event by 1825", for a horizon of 1825. A row is in the
/// second if its event is the given one, at a time of at most the horizon; in the first if its time
/// is later, or the horizon itself without the event. A row that was lost before the horizon, whose
/// time or event is missing, or whose time is not a number of at least 0, has no usable target. In
/// a column of spans of time, as data frames have them, times are seconds.
///
/// ```
/// use dpsis::{Select, Target, TimeToEvent};
///
/// let target = TimeToEvent::new("days", ("died", "1"), 730.0)?;
/// assert_eq!(target.classes()[1], "event by 730");
/// let select = Select::new(5).epsilon("2").target(Target::TimeToEvent(target));
/// assert_eq!(select.run("datasets/followup.csv")?.selected.len(), 5);
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub struct TimeToEvent {
    time: String,
    event: String,
    value: GivenCell,
    by: f64,
    classes: [String; 2],
}

/// The options as read, before they are checked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    time: String,
    event: String,
    value: String,
    by: f64,
}

impl TryFrom<Unchecked> for TimeToEvent {
    type Error = Error;

    fn try_from(read: Unchecked) -> Result<Self> {
        Self::new(read.time, (read.event, read.value), read.by)
    }
}

impl From<TimeToEvent> for Unchecked {
    fn from(own: TimeToEvent) -> Self {
        let value = own.value().to_owned();
        Self { time: own.time, event: own.event, value, by: own.by }
    }
}

// No number in it is NaN.
impl Eq for TimeToEvent {}

impl TimeToEvent {
    /// The target with the column of times, the column of events with the value that means the
    /// event, and the horizon, in the unit of the times. All are public.
    ///
    /// # Errors
    ///
    /// `Request` if the columns are one, a name or the value is empty, or the horizon is not a
    /// positive number.
    pub fn new(
        time: impl Into<String>,
        (event, value): (impl Into<String>, impl Into<String>),
        by: f64,
    ) -> Result<Self> {
        let (time, event, value) = (time.into(), event.into(), value.into());
        let wrong = |rule: &str, hint: &str, about: &[Parameter]| {
            Err(Error::request(rule).hint(hint).about(about.iter().copied()))
        };
        if time.is_empty() || event.is_empty() || value.trim().is_empty() {
            let rule = "a target at a horizon takes a column of times, and a column of events with a value";
            let hint = "give the value that means that the event happened, such as died=1";
            return wrong(rule, hint, &[Parameter::Time, Parameter::Event]);
        }
        if time == event {
            let rule = "one column cannot hold both the times and the events";
            let hint =
                "give the column with the length of follow-up, and the column with its outcome";
            return wrong(rule, hint, &[Parameter::Time, Parameter::Event]);
        }
        if !(by > 0.0 && by.is_finite()) {
            let rule = "the horizon must be a positive number";
            let hint = "give a time in the unit of the times, such as 1825 days";
            return wrong(rule, hint, &[Parameter::Horizon]);
        }
        let classes = [format!("no event by {by}"), format!("event by {by}")];
        Ok(Self { time, event, value: GivenCell::new(&value), by, classes })
    }

    /// The column of times.
    pub fn time(&self) -> &str {
        &self.time
    }

    /// The column of events.
    pub fn event(&self) -> &str {
        &self.event
    }

    /// The value of that column that means that the event happened.
    pub fn value(&self) -> &str {
        self.value.text()
    }

    /// The horizon.
    pub fn by(&self) -> f64 {
        self.by
    }

    /// The names of the classes: no event by the horizon, and an event by it.
    pub fn classes(&self) -> &[String; 2] {
        &self.classes
    }

    /// The two columns, each with the parameter that names it.
    pub(crate) fn columns(&self) -> [(&str, Parameter); 2] {
        [(&self.time, Parameter::Time), (&self.event, Parameter::Event)]
    }

    /// The name of the class of a row with these cells; `None` if it has no usable target.
    pub(crate) fn class(
        &self,
        time: Option<TargetCell<'_>>,
        event: Option<TargetCell<'_>>,
        format: &CellFormat,
    ) -> Option<&str> {
        let time = time_of(time?, format)?;
        let has_event = self.is_event(event?, format)?;
        // In a column of 4-byte floats the horizon is its nearest such float, as any given number.
        let is_horizon = time == self.by || time == f64::from(self.by as f32);
        let class = match has_event {
            true => usize::from(is_horizon || time < self.by),
            false if is_horizon || time > self.by => 0,
            false => return None,
        };
        Some(&self.classes[class])
    }

    /// Whether a cell is the event; `None` if it is missing.
    fn is_event(&self, cell: TargetCell<'_>, format: &CellFormat) -> Option<bool> {
        match cell {
            TargetCell::Number(value) if value.abs() < EXACT => {
                let is_code = format.is_code_value(Kind::Number, value);
                (!is_code).then(|| self.value.is_value(Kind::Number, value, format))
            }
            TargetCell::Number(value) if !value.is_finite() => None,
            _ => {
                let text = cell.text();
                let found = format.cell(&text);
                let is_given = found != Cell::Missing && self.value.is_cell(&text, format);
                // A value may be called None.
                let is_missing = matches!(found, Cell::Missing | Cell::NotAvailable) && !is_given;
                (!is_missing).then_some(is_given)
            }
        }
    }
}

/// The time in a cell: a finite number of at least 0.
fn time_of(cell: TargetCell<'_>, format: &CellFormat) -> Option<f64> {
    let time = match cell {
        TargetCell::Number(value) => {
            Some(value).filter(|value| !format.is_code_value(Kind::Number, *value))
        }
        TargetCell::Text(text) => match format.cell(text) {
            Cell::Number(value) => Some(value),
            _ => None,
        },
    };
    time.filter(|time| *time >= 0.0 && time.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days() -> TimeToEvent {
        TimeToEvent::new("days", ("died", "1"), 1825.0).unwrap()
    }

    /// The class of texts: 0, 1, or `None` without a usable target.
    fn class(target: &TimeToEvent, time: &str, event: &str, format: &CellFormat) -> Option<usize> {
        let cell = |text: &str| TargetCell::Text(text.to_owned().leak().as_bytes());
        let found = target.class(Some(cell(time)), Some(cell(event)), format)?;
        target.classes().iter().position(|name| name == found)
    }

    /// Every combination of time and event, each answer from the table above.
    #[test]
    fn classes_by_time_and_event() {
        let target = days();
        assert_eq!(target.classes(), &["no event by 1825", "event by 1825"]);
        let format = CellFormat::default();
        let times = [
            ("0", [None, Some(1)]),
            ("1824.999", [None, Some(1)]),
            ("1825", [Some(0), Some(1)]),
            ("1825.0", [Some(0), Some(1)]),
            ("18.25e2", [Some(0), Some(1)]),
            (" +1825 ", [Some(0), Some(1)]),
            ("1825.001", [Some(0), Some(0)]),
            ("1e300", [Some(0), Some(0)]),
            ("-0", [None, Some(1)]),
            ("-1", [None, None]),
            ("-1e9", [None, None]),
            ("", [None, None]),
            ("NA", [None, None]),
            ("nan", [None, None]),
            ("inf", [None, None]),
            ("1e400", [None, None]),
            ("long", [None, None]),
            ("1,825", [None, None]),
            ("5 years", [None, None]),
            ("2024-02-29", [None, None]),
            ("2024-02-29T10:00Z", [None, None]),
            ("23:59", [None, None]),
            ("true", [None, None]),
        ];
        let events = [
            ("1", Some(1)),
            ("1.0", Some(1)),
            (" 01 ", Some(1)),
            ("1e0", Some(1)),
            ("true", Some(1)),
            ("TRUE", Some(1)),
            ("0", Some(0)),
            ("0.0", Some(0)),
            ("2", Some(0)),
            ("-1", Some(0)),
            ("false", Some(0)),
            ("yes", Some(0)),
            ("1970-01-02", Some(0)),
            ("00:00:01", Some(0)),
            ("", None),
            ("NA", None),
            ("?", None),
            ("nan", None),
            ("1e400", None),
        ];
        for (time, expected) in times {
            for (event, place) in events {
                let expected = place.and_then(|place| expected[place]);
                assert_eq!(class(&target, time, event, &format), expected, "{time} {event}");
            }
        }
        for (time, event) in [(None, Some("1")), (Some("9"), None), (None, None)] {
            let cell = |text: Option<&'static str>| text.map(|t| TargetCell::Text(t.as_bytes()));
            assert_eq!(target.class(cell(time), cell(event), &format), None);
        }
    }

    #[test]
    fn events_that_are_categories() {
        let format = CellFormat::new(false, ["unknown", "-9"]);
        let target = TimeToEvent::new("t", ("vital_status", " Dead "), 5.5).unwrap();
        assert_eq!((target.value(), target.by()), ("Dead", 5.5));
        assert_eq!(target.classes()[1], "event by 5.5");
        for (event, expected) in [
            ("Dead", Some(1)),
            (" Dead", Some(1)),
            ("dead", Some(0)),
            ("Alive", Some(0)),
            ("1", Some(0)),
            ("unknown", None),
            ("-9.0", None),
        ] {
            assert_eq!(class(&target, "2", event, &format), expected.filter(|c| *c == 1));
            assert_eq!(class(&target, "6", event, &format), expected.map(|_| 0), "{event}");
        }
        assert_eq!(class(&target, "-9", "Dead", &format), None);
        let none = TimeToEvent::new("t", ("relapse", "None"), 2.0).unwrap();
        assert_eq!(class(&none, "1", "None", &format), Some(1));
        assert_eq!(class(&none, "1", "NA", &format), None);
        // A value that is a code for missing values is missing.
        let coded = TimeToEvent::new("t", ("status", "-9"), 2.0).unwrap();
        assert_eq!(class(&coded, "1", "-9", &format), None);
    }

    #[test]
    fn decimal_commas() {
        let format = CellFormat::new(true, [""; 0]);
        let target = TimeToEvent::new("t", ("e", "1,5"), 2.5).unwrap();
        for (time, event, expected) in [
            ("2,5", "1,50", Some(1)),
            ("2,5", "2", Some(0)),
            ("2,4", "2", None),
            ("2,6", "1,5", Some(0)),
            ("2.5", "1,5", None),
        ] {
            assert_eq!(class(&target, time, event, &format), expected, "{time} {event}");
        }
    }

    /// Numbers of a matrix, and texts that are their shortest digits.
    #[test]
    fn numbers_are_classed_as_their_texts() {
        let target = TimeToEvent::new("t", ("e", "1"), 0.1).unwrap();
        let format = CellFormat::new(false, ["-9"]);
        let narrow = f64::from(0.1f32);
        let times = [0.0, 0.05, 0.1, narrow, 0.2, -0.5, -9.0, f64::NAN, f64::INFINITY];
        for time in times {
            for event in [0.0, 1.0, 2.0, -9.0, 1e18, f64::NAN, f64::INFINITY] {
                let number = |value| Some(TargetCell::Number(value));
                let found = target.class(number(time), number(event), &format);
                let texts = [time, event].map(|value| value.to_string());
                let by_text = class(&target, &texts[0], &texts[1], &format);
                let of = |class: usize| target.classes()[class].as_str();
                assert_eq!(found, by_text.map(of), "{time} {event}");
            }
        }
        assert_eq!(class(&target, &narrow.to_string(), "0", &format), Some(0));
    }

    #[test]
    fn wrong_options_are_refused() {
        for (time, event, value, by, about) in [
            ("", "e", "1", 1.0, Parameter::Time),
            ("t", "", "1", 1.0, Parameter::Time),
            ("t", "e", " ", 1.0, Parameter::Time),
            ("t", "t", "1", 1.0, Parameter::Time),
            ("t", "e", "1", 0.0, Parameter::Horizon),
            ("t", "e", "1", -1.0, Parameter::Horizon),
            ("t", "e", "1", f64::NAN, Parameter::Horizon),
            ("t", "e", "1", f64::INFINITY, Parameter::Horizon),
        ] {
            let error = TimeToEvent::new(time, (event, value), by).unwrap_err();
            assert_eq!(error.parameters()[0], about, "{error}");
            assert!(error.to_string().contains("give "), "{error}");
        }
        let json = serde_json::to_string(&days()).unwrap();
        assert_eq!(json, r#"{"time":"days","event":"died","value":"1","by":1825.0}"#);
        assert_eq!(serde_json::from_str::<TimeToEvent>(&json).unwrap(), days());
        assert!(serde_json::from_str::<TimeToEvent>(&json.replace("1825.0", "-1")).is_err());
    }
}
