//! Identifiers with the targets of their rows: whether identifiers repeat, and whether the rows of
//! an identifier have targets of several classes, as in a paired design.

use std::collections::HashMap;

use super::missing::TargetValue;

/// The identifiers of a table.
#[derive(Debug, Clone, Default)]
pub(super) struct People(HashMap<Vec<u8>, Person>);

/// The rows of one identifier.
#[derive(Debug, Clone, Copy, Default)]
struct Person {
    rows: u64,
    /// The rows with a target.
    with_target: u64,
    /// The class of its first row with a class.
    class: Option<usize>,
    /// Whether another row has another class.
    varies: bool,
}

impl People {
    /// Adds a row.
    pub(super) fn row(&mut self, identifier: &[u8], target: Option<TargetValue>) {
        let person = self.0.entry(identifier.trim_ascii().to_vec()).or_default();
        person.rows += 1;
        person.with_target += u64::from(target.is_some());
        person.class(target.and_then(TargetValue::class));
    }

    /// Adds other rows, whose classes have these indices here.
    pub(super) fn merge(&mut self, other: Self, places: &[Option<usize>]) {
        for (identifier, more) in other.0 {
            let person = self.0.entry(identifier).or_default();
            person.rows += more.rows;
            person.with_target += more.with_target;
            person.varies |= more.varies;
            person.class(more.class.and_then(|class| places.get(class).copied().flatten()));
        }
    }

    /// The identifiers.
    pub(super) fn identifiers(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.0.keys()
    }

    pub(super) fn has(&self, identifier: &[u8]) -> bool {
        self.0.contains_key(identifier)
    }

    /// The number of different identifiers.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The number of identifiers that occur more than once.
    pub(super) fn repeated(&self) -> usize {
        self.0.values().filter(|person| person.rows > 1).count()
    }

    /// The number of identifiers with a target in any row, and the number of rows with a target.
    pub(super) fn with_target(&self) -> [u64; 2] {
        let with = self.0.values().filter(|person| person.with_target > 0);
        with.fold([0, 0], |[people, rows], person| [people + 1, rows + person.with_target])
    }

    /// The number of identifiers whose rows have targets of several classes.
    pub(super) fn pairs(&self) -> usize {
        self.0.values().filter(|person| person.varies).count()
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
