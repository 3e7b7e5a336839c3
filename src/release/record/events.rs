//! A release as privacy events for the accountants.

use crate::account::Event;
use crate::error::{Error, Result};
use crate::release::record::{Guarantee, Record};

impl Record {
    /// The events of the release, for the accountants of [`account`](crate::account): one per part
    /// of the budget.
    ///
    /// The selection is the event of its mechanism
    /// ([`Card::event`](crate::mechanism::Card::event)); all other parts, and the methods other
    /// than scores, are pure events. Add only events of one neighbor relation and one unit:
    /// replace-one neighbors are two steps of add/remove apart.
    ///
    /// # Errors
    ///
    /// `Request` if the record is not private, because no privacy event describes it.
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
        of_private(self.private, &self.guarantee)
    }
}

/// The events of a record, if it is private.
///
/// # Errors
///
/// `Request` if it is not.
pub(crate) fn of_private(private: bool, guarantee: &Guarantee) -> Result<Vec<Event>> {
    match private {
        true => Ok(guarantee.events.clone()),
        false => Err(Error::request("a record that is not private has no price")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{Accountant, BasicComposition, BoundedRange};
    use crate::choose::{Candidates, Choose};
    use crate::mechanism::{CanonicalLipschitz, Peel};
    use crate::privacy::Epsilon;
    use crate::privacy::{Purpose, Spending};
    use crate::request::{Method, Select};
    use crate::table::FileTable;

    /// With a target at 0 and 1 and 24 features.
    fn table() -> FileTable {
        let names: String = (0..24).map(|i| format!("f{i},")).collect();
        let row = |y: u32| (0..24).map(|i| format!("{},", (i * 7 + y) % 11)).collect::<String>();
        let text = format!("{names}y\n{}0\n{}1\n{}0\n", row(0), row(1), row(2));
        FileTable::from_reader(std::io::Cursor::new(text.into_bytes()))
    }

    /// The parts other than the selection are pure, and so is a selection whose mechanism is not an
    /// exponential one.
    #[test]
    fn budget_parts_become_events() {
        let request = || Select::new(2).epsilon(3).bounds(0.0, 10.0);
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

    /// Votes and discounted correlations have the cost of the whole, though they use peeling.
    #[test]
    fn methods_without_scores_are_pure() {
        let record = Select::new(2).epsilon(3).method(Method::DpKendall).run(&table()).unwrap();
        assert_eq!(record.events().unwrap(), [Event::pure("3".parse().unwrap())]);
    }

    /// With a delta, the events are the rounds that were drawn, not the rounds that the part of
    /// epsilon allows. Their cost is at most that part and delta; without delta it is the cost in
    /// the record.
    #[test]
    fn rounds_of_a_calibrated_selection_are_those_drawn() {
        let request = Select::new(20).epsilon(1).delta("1e-6").bounds(0.0, 10.0).mechanism(Peel);
        let record = request.run(&table()).unwrap();
        let events = record.events().unwrap();
        let pure = record.guarantee.pure_epsilon.as_ref().unwrap();
        assert_eq!(BasicComposition::of(&events).unwrap().total(), pure);
        assert!(pure.to_f64() > 1.5);
        let part = |part: &&Spending| part.purpose == Purpose::Selection;
        let part = record.guarantee.spent.iter().find(part).unwrap().epsilon.to_f64();
        let rounds = events.into_iter().filter(|event| event.count() == 20);
        let price = BoundedRange::of(&rounds.collect::<Vec<_>>()).unwrap();
        let price = price.epsilon("1e-6").unwrap();
        assert!(price <= part && price > 0.999 * part, "{price} {part}");

        let candidates = Candidates::new((0..24).map(|i| (format!("c{i}"), "1")), "1").unwrap();
        let choice = Choose::new(20).epsilon(1).delta("1e-6").mechanism(Peel);
        let choice = choice.run(&candidates).unwrap();
        let pure = choice.guarantee.pure_epsilon.as_ref().unwrap();
        assert!((pure.to_f64() / 2.1142 - 1.0).abs() < 5e-4);
        assert_eq!(BasicComposition::of(&choice.events().unwrap()).unwrap().total(), pure);
    }
}
