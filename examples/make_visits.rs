//! Writes the table of visits: `cargo run --release --example make_visits > datasets/visits.csv`.
//!
//! 400 people with 1 to 6 visits each, one row per visit: age, sex, 40 laboratory values, and
//! whether an event was seen at the visit. Three values are higher where the risk of a person is:
//! they are measured with an error at each visit. Ten values rise with age, as the risk does, and
//! carry no further information about it. All data are synthetic.

use std::io::{self, Write};

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

const PEOPLE: usize = 400;
const VALUES: usize = 40;
/// The values that depend on the risk, counted from 1.
const INFORMATIVE: [usize; 3] = [11, 23, 31];
/// The values that rise with age alone: 2, 6, 10, ...
const AGING: usize = 4;

fn main() -> io::Result<()> {
    write_visits(&mut io::stdout().lock())
}

/// Writes the table, with the same bytes every time.
pub(crate) fn write_visits(out: &mut impl Write) -> io::Result<()> {
    let mut rng = ChaCha20Rng::seed_from_u64(2026);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    write!(out, "person,age,sex")?;
    for value in 1..=VALUES {
        write!(out, ",lab_{value:02}")?;
    }
    writeln!(out, ",event")?;
    for person in 1..=PEOPLE {
        let (aged, risk) = (normal(), normal());
        let sex = if normal() > 0.0 { "F" } else { "M" };
        // From 1 to 6, more often few.
        let visits = 1 + (normal().abs() * 2.0).min(5.0) as usize;
        let own: Vec<f64> = (0..VALUES).map(|_| normal()).collect();
        let event = risk + 1.2 * aged + 0.6 * normal() > 0.8;
        for visit in 0..visits {
            let age = 55.0 + 14.0 * aged + visit as f64;
            write!(out, "p{person:03},{age:.0},{sex}")?;
            for value in 1..=VALUES {
                let own_risk = if INFORMATIVE.contains(&value) { risk } else { 0.0 };
                let grown = if value % AGING == 2 { 1.1 * aged } else { 0.0 };
                let lab = 1.2 * own_risk + grown + 0.6 * own[value - 1] + 0.6 * normal();
                write!(out, ",{lab:.1}")?;
            }
            // Seen at the last visit, if at all.
            writeln!(out, ",{}", if event && visit + 1 == visits { "yes" } else { "no" })?;
        }
    }
    Ok(())
}
