//! People, or another privacy unit, in a table with several rows of each.
//!
//! # Definition
//!
//! A person with m rows gives each of them the weight w = W/m, rounded down, W = 2^15: the weights
//! of a person's rows add up to at most W, however many there are. A person with more than W rows
//! contributes nothing. A given rule derives the target of a person from the targets of its rows,
//! and all its rows get this target; its stratum is that of its last row that is in a stratum.
//!
//! # Privacy
//!
//! Weights, target and stratum are functions of one person's rows alone. With |f| <= 1 for every
//! row and a centered target t of the person, |sum of w f t| <= W |t|: a person moves a weighted
//! sum by at most W times as much as a single row. The sum divided by W and rounded down then moves
//! by at most as much as by a single row, because floor((s + W D)/W) = floor(s/W) + D.
//!
//! # Cost
//!
//! A pass over the table for the people, 60 to 100 bytes of memory each, and one lookup for each
//! row of later passes.

use std::collections::HashMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Parameter, Result, word};
use crate::table::batch::{Batch, Fold, Role};
use crate::table::cell::CellFormat;
use crate::table::target::{Labels, TargetCell};

/// The rule that derives the target of a person from the targets of its rows. Rows without a usable
/// target are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum UnitTarget {
    /// The target of the last row, in the order of the table.
    #[default]
    Last,
    /// The mean of numbers.
    Mean,
    /// The second of two classes if any row has it, else the first.
    AnyPositive,
}

impl FromStr for UnitTarget {
    type Err = Error;

    /// From `last`, `mean` or `any-positive`.
    fn from_str(text: &str) -> Result<Self> {
        let words =
            [("last", Self::Last), ("mean", Self::Mean), ("any-positive", Self::AnyPositive)];
        word(Parameter::UnitTarget, text, &words)
    }
}

/// A cell that is kept.
#[derive(Debug, Clone, PartialEq)]
enum OwnCell {
    Text(Box<[u8]>),
    Number(f64),
}

impl OwnCell {
    fn of(cell: TargetCell<'_>) -> Self {
        match cell {
            TargetCell::Text(text) => Self::Text(text.into()),
            TargetCell::Number(value) => Self::Number(value),
        }
    }

    fn cell(&self) -> TargetCell<'_> {
        match self {
            Self::Text(text) => TargetCell::Text(text),
            Self::Number(value) => TargetCell::Number(*value),
        }
    }
}

/// The people of a table, by their ids.
pub(crate) struct People {
    format: CellFormat,
    places: HashMap<Box<[u8]>, usize>,
    people: Vec<Person>,
    /// Whether the rows of a person are compared with each other.
    compares_rows: bool,
}

struct Person {
    weight: u16,
    /// Whether there are rows of the first and of the second class.
    classes: [bool; 2],
    /// `None` if no row has a usable one.
    target: Option<OwnCell>,
    /// `None` if no row is in one.
    stratum: Option<u16>,
}

impl People {
    /// W, the maximum sum of the weights of a person's rows. With it a centered target times a
    /// weight fits 32 bits.
    pub(crate) const WEIGHT: u16 = 1 << 15;

    /// The number of people.
    pub(crate) fn len(&self) -> u64 {
        self.people.len() as u64
    }

    /// The target of each person who has one, and the stratum, or [`Role::NO_STRATUM`].
    pub(crate) fn targets(&self) -> impl Iterator<Item = (TargetCell<'_>, u16)> {
        let usable = self.people.iter().filter(|person| person.weight > 0);
        usable.filter_map(|person| {
            let stratum = person.stratum.unwrap_or(Role::NO_STRATUM);
            Some((person.target.as_ref()?.cell(), stratum))
        })
    }

    /// Whether the rows of a person are compared with each other.
    pub(crate) fn compares_rows(&self) -> bool {
        self.compares_rows
    }

    /// The number of people with rows of both classes.
    pub(crate) fn pairs(&self) -> usize {
        self.people.iter().filter(|person| person.classes == [true; 2]).count()
    }

    /// The target of a row, and its role in scores: the target of its person, or its `own` target
    /// where the rows of people are compared. `None` if the row contributes nothing.
    pub(crate) fn role<'t>(
        &'t self,
        id: Option<TargetCell<'_>>,
        own: Option<TargetCell<'t>>,
    ) -> Option<(TargetCell<'t>, Role)> {
        let place = *self.places.get(key(&id?.text(), &self.format)?)?;
        let person = &self.people[place];
        if self.compares_rows {
            let role = Role { person: u32::try_from(place).ok()?, ..Role::default() };
            return own.filter(|_| person.classes == [true; 2]).map(|target| (target, role));
        }
        let (target, stratum) = (person.target.as_ref()?.cell(), person.stratum?);
        let role = Role { weight: person.weight, stratum, ..Role::default() };
        (person.weight > 0).then_some((target, role))
    }
}

/// The key of an identifier, from its cell; `None` if the cell is missing.
pub(crate) fn key<'a>(cell: &'a [u8], format: &CellFormat) -> Option<&'a [u8]> {
    let cell = cell.trim_ascii();
    (!format.is_missing(cell)).then_some(cell)
}

/// How people get their targets.
pub(crate) struct PeopleRule {
    pub(crate) rule: UnitTarget,
    /// Whether rows keep their own targets, by which the targets of a person are compared.
    pub(crate) compares_rows: bool,
    /// The labels of a target of classes.
    pub(crate) labels: Option<Labels>,
    pub(crate) format: CellFormat,
}

/// Finds the people of a table, row by row.
pub(crate) struct FindPeople<'a> {
    rule: &'a PeopleRule,
    found: HashMap<Box<[u8]>, Found>,
}

/// The facts about a person after some of the rows.
#[derive(Default)]
struct Found {
    rows: u64,
    /// The row that decides on the target, and its cell.
    target: Option<(u64, OwnCell)>,
    /// All numbers, where their mean is the target.
    numbers: Vec<f64>,
    /// The last row that is in a stratum, and which.
    stratum: Option<(u64, u16)>,
    /// Whether there are rows of the first and of the second class.
    classes: [bool; 2],
}

impl<'a> FindPeople<'a> {
    pub(crate) fn new(rule: &'a PeopleRule) -> Self {
        Self { rule, found: HashMap::new() }
    }

    /// Adds one row, by its number and the id of its person; `stratum` is the stratum of the row.
    pub(crate) fn row(
        &mut self,
        number: u64,
        id: Option<TargetCell<'_>>,
        target: Option<TargetCell<'_>>,
        stratum: Option<u16>,
    ) {
        let Some(id) = id else { return };
        let text = id.text();
        let Some(key) = key(&text, &self.rule.format) else { return };
        if !self.found.contains_key(key) {
            self.found.insert(key.into(), Found::default());
        }
        let Some(found) = self.found.get_mut(key) else { return };
        found.rows += 1;
        found.decide_stratum(stratum.map(|stratum| (number, stratum)));
        let Some(cell) = target else { return };
        match (&self.rule.labels, self.rule.rule) {
            (None, UnitTarget::Mean) => found.numbers.extend(cell.number(&self.rule.format)),
            (None, _) => {
                if cell.number(&self.rule.format).is_some() {
                    found.decide((number, cell));
                }
            }
            (Some(labels), rule) => {
                if let Some(class) = labels.class_of(cell, &self.rule.format) {
                    if let Some(has) = found.classes.get_mut(class) {
                        *has = true;
                    }
                    // Any row with the second class comes after all others.
                    let positive = rule == UnitTarget::AnyPositive && class == 1;
                    let rank = if positive { u64::MAX } else { number };
                    found.decide((rank, cell));
                }
            }
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for (key, more) in other.found {
            let found = self.found.entry(key).or_default();
            found.rows += more.rows;
            found.classes = [0, 1].map(|class| found.classes[class] || more.classes[class]);
            found.numbers.extend(more.numbers);
            found.decide_stratum(more.stratum);
            if let Some((rank, cell)) = &more.target {
                found.decide((*rank, cell.cell()));
            }
        }
    }

    /// The people, once all rows have been found.
    pub(crate) fn people(self) -> People {
        let mut people = Vec::with_capacity(self.found.len());
        let places = self.found.into_iter().map(|(key, mut found)| {
            let weight = u64::from(People::WEIGHT) / found.rows;
            people.push(Person {
                weight: weight as u16,
                classes: found.classes,
                target: mean(&mut found.numbers).or(found.target.map(|(_, cell)| cell)),
                stratum: found.stratum.map(|(_, stratum)| stratum),
            });
            (key, people.len() - 1)
        });
        let places = places.collect();
        let PeopleRule { format, compares_rows, .. } = self.rule;
        People { format: format.clone(), places, people, compares_rows: *compares_rows }
    }
}

impl Found {
    fn decide(&mut self, (rank, cell): (u64, TargetCell<'_>)) {
        if self.target.as_ref().is_none_or(|(other, _)| *other <= rank) {
            self.target = Some((rank, OwnCell::of(cell)));
        }
    }

    fn decide_stratum(&mut self, of_row: Option<(u64, u16)>) {
        self.stratum = self.stratum.max(of_row);
    }
}

/// The mean of numbers, in an order that does not depend on the order of the rows; `None` without
/// numbers.
fn mean(numbers: &mut [f64]) -> Option<OwnCell> {
    numbers.sort_unstable_by(f64::total_cmp);
    let (count, least) = (numbers.len() as f64, *numbers.first()?);
    // Starts from the smallest number, so that the mean of equal numbers is exact.
    let above: f64 = numbers.iter().map(|number| (number - least) / count).sum();
    Some(OwnCell::Number(least + above))
}

/// Adds the rows of a fold, which are all in one stratum.
impl Fold for FindPeople<'_> {
    const READS_VALUES: bool = false;

    fn batch(&mut self, batch: &Batch<'_>) {
        batch.each(|sample| self.row(sample.number, sample.id, sample.target, Some(0)));
    }

    fn merge(&mut self, other: Self) {
        self.merge(other);
    }
}
