//! Identifiers with the targets of their rows: whether identifiers repeat, and whether the rows of
//! an identifier have targets of several classes, as in a paired design.

use std::collections::HashMap;

use super::missing::TargetValue;
use crate::table::{CellFormat, key_of_person};

/// The identifiers of a table.
#[derive(Debug, Clone, Default)]
pub(super) struct People {
    people: HashMap<Vec<u8>, Person>,
    /// The rows without an identifier.
    without: u64,
}

/// The rows of one identifier.
#[derive(Debug, Clone, Copy, Default)]
struct Person {
    rows: u64,
    /// The class of its first row with a class.
    class: Option<usize>,
    /// Whether another row has another class.
    varies: bool,
}

impl People {
    /// Adds a row.
    pub(super) fn row(&mut self, cell: &[u8], target: Option<TargetValue>, format: &CellFormat) {
        let Some(identifier) = key_of_person(cell, format) else {
            self.without += 1;
            return;
        };
        let person = self.people.entry(identifier.to_vec()).or_default();
        person.rows += 1;
        person.class(target.and_then(TargetValue::class));
    }

    /// Adds other rows, whose classes have these indices here.
    pub(super) fn merge(&mut self, other: Self, places: &[Option<usize>]) {
        self.without += other.without;
        for (identifier, more) in other.people {
            let person = self.people.entry(identifier).or_default();
            person.rows += more.rows;
            person.varies |= more.varies;
            person.class(more.class.and_then(|class| places.get(class).copied().flatten()));
        }
    }

    /// The number of rows without an identifier.
    pub(super) fn rows_without(&self) -> u64 {
        self.without
    }

    /// The identifiers.
    pub(super) fn identifiers(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.people.keys()
    }

    pub(super) fn has(&self, identifier: &[u8]) -> bool {
        self.people.contains_key(identifier)
    }

    /// The number of different identifiers.
    pub(super) fn len(&self) -> usize {
        self.people.len()
    }

    /// The number of identifiers that occur more than once.
    pub(super) fn repeated(&self) -> usize {
        self.people.values().filter(|person| person.rows > 1).count()
    }

    /// The number of identifiers whose rows have targets of several classes.
    pub(super) fn pairs(&self) -> usize {
        self.people.values().filter(|person| person.varies).count()
    }
}

impl Person {
    fn class(&mut self, class: Option<usize>) {
        match (self.class, class) {
            (Some(own), Some(other)) => self.varies |= own != other,
            (None, class) => self.class = class,
            (Some(_), None) => {}
        }
    }
}
