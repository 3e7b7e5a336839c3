//! A record as events for the accountants.

use crate::account::Event;
use crate::error::{Error, Result};
use crate::mechanism::CARDS;
use crate::privacy::{Purpose, Spending};
use crate::select::Record;

impl Record {
    /// What the release was, for the accountants of [`account`](crate::account): one event per part of the budget.
    ///
    /// The selection is priced by its mechanism's [`Card::event`](crate::mechanism::Card::event), all other parts and the
    /// methods beside scores as pure events. Add only events of one neighbor relation and one unit: between replace-one
    /// neighbors lie two steps of add/remove.
    ///
    /// # Errors
    ///
    /// `Request` if the record is not private: such a release has no price.
    ///
    /// ```
    /// use dpsis::account::{Accountant, BasicComposition};
    /// use dpsis::mechanism::Peel;
    /// use dpsis::{FileTable, Select};
    ///
    /// let text = b"a,b,y\n0.1,0.9,0\n0.7,0.2,1\n0.3,0.4,0\n";
    /// let request = Select::new(2).epsilon(3).bounds(0.0, 1.0).mechanism(Peel);
    /// let release = request.run(&FileTable::from_reader(&text[..]))?;
    /// assert_eq!(BasicComposition::of(&release.events()?)?.total(), &release.guarantee.epsilon);
    /// # Ok::<(), dpsis::Error>(())
    /// ```
    pub fn events(&self) -> Result<Vec<Event>> {
        if !self.private {
            return Err(Error::request("a record that is not private has no price"));
        }
        self.guarantee.spent.iter().map(|part| self.event(part)).collect()
    }

    fn event(&self, part: &Spending) -> Result<Event> {
        let card = CARDS.into_iter().find(|card| card.id == self.mechanism.id);
        let by_scores = !self.mechanism.parameters.contains_key("method");
        match card {
            Some(card) if by_scores && part.purpose == Purpose::Selection => {
                card.event(self.selected.len(), &part.epsilon)
            }
            _ => Ok(Event::pure(part.epsilon.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::FileTable;
    use crate::mechanism::{CanonicalLipschitz, Peel};
    use crate::privacy::Epsilon;
    use crate::select::Select;

    const TEXT: &[u8] = b"a,b,y\n0.1,0.9,0.2\n0.7,0.2,1\n0.3,0.4,0\n";

    /// The parts that are not the selection are pure, and so is a selection whose mechanism is not an exponential one.
    #[test]
    fn parts_become_events() {
        let request = || Select::new(2).epsilon(3).bounds(0.0, 1.0);
        let table = || FileTable::from_reader(TEXT);
        let peel = request().mechanism(Peel).run(&table()).unwrap();
        let canonical = request().mechanism(CanonicalLipschitz::default()).run(&table()).unwrap();
        let parts = &peel.guarantee.spent;
        assert!(parts.len() > 1);
        for (record, exponential) in [(&peel, true), (&canonical, false)] {
            let events = record.events().unwrap();
            assert_eq!(events.len(), parts.len());
            for (event, part) in events.into_iter().zip(parts) {
                let epsilon = part.epsilon.clone();
                let half = Epsilon::part(epsilon.as_rational() / num_bigint::BigInt::from(2));
                let expected = match part.purpose {
                    Purpose::Selection if exponential => Event::bounded_range(half).times(2),
                    _ => Ok(Event::pure(epsilon)),
                };
                assert_eq!(event, expected.unwrap());
            }
        }
        let seeded = request().seed(1).run(&table()).unwrap();
        assert!(seeded.events().is_err());
    }
}
