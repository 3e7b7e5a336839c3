//! Records for tests, with and without findings.

use crate::release::{Direction, Estimate, Record, Significance};
use crate::request::Select;
use crate::table::FileTable;

/// An estimate with an interval of 0.1 to both sides, significant if p is at most 5%.
pub(super) fn estimate(name: &str, effect_size: f64, p: f64) -> Estimate {
    Estimate {
        name: name.to_owned(),
        effect_size: Some(effect_size),
        low: Some(digits((effect_size - 0.1).max(0.0))),
        high: Some(digits((effect_size + 0.1).min(1.0))),
        p_value: Some(p),
        significant: Some(p <= 0.05),
        direction: None,
        direction_error: None,
    }
}

/// Four digits after the point, as in records.
fn digits(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// A record of the two features of a small table, without estimates.
pub(super) fn record(names: [&str; 2]) -> Record {
    let [first, second] = names;
    let text = format!("{first},{second},y\n1,2,3\n4,6,5\n7,8,1\n");
    let table = FileTable::from_reader(std::io::Cursor::new(text.into_bytes()));
    let mut record = Record::clone(&Select::new(2).epsilon("1").run(&table).unwrap());
    record.estimates = Vec::new();
    record.significance = Significance {
        significant: None,
        threshold: None,
        text: "significance was not tested: the share of effect sizes is 0".to_owned(),
    };
    record
}

/// A record with effect sizes: the first significant, the second not.
pub(super) fn with_effect_sizes(names: [&str; 2]) -> Record {
    let [first, second] = names;
    let mut record = record(names);
    record.estimates = vec![estimate(first, 0.62, 0.0012), estimate(second, 0.3, 0.4321)];
    record.significance = Significance {
        significant: Some(1),
        threshold: Some(0.45),
        text: "1 of 2 features are significant".to_owned(),
    };
    record
}

/// A record with directions.
pub(super) fn with_directions(names: [&str; 2]) -> Record {
    let mut record = with_effect_sizes(names);
    let directions = [(Direction::Rises, 0.0192), (Direction::Falls, 0.31)];
    for (estimate, (direction, error)) in record.estimates.iter_mut().zip(directions) {
        estimate.direction = Some(direction);
        estimate.direction_error = Some(error);
    }
    record.directions =
        Some("whether the target rises or falls; categories have no direction".to_owned());
    record
}
