//! A time to an event as the target of a selection: at a horizon, and two ways that name what
//! drives the follow-up instead.
//!
//! ```text
//! cargo run --release --example time_to_event
//! cargo run --release --example time_to_event table > datasets/followup.csv
//! ```
//!
//! Tables of 600 people with 30 features. Five raise the hazard of the event; one, the marker of
//! follow-up, raises the hazard of being lost and has nothing to do with the event; all others are
//! noise. People who are not lost and do not have the event are followed for ten years. In each of
//! 100 tables five features are selected at epsilon 2. All data are synthetic.

use std::io::{self, Cursor, Write};

use dpsis::{FileTable, Result, Select, Target, TargetColumn, TimeToEvent};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, Exp1, StandardNormal};

const PEOPLE: usize = 600;
const FEATURES: usize = 30;
/// The features that raise the hazard of the event, counted from 1.
const PLANTED: [usize; 5] = [3, 9, 14, 21, 27];
/// The feature that raises the hazard of being lost.
const MARKER: usize = 30;
/// The days within which half of the people with features of 0 have the event, or are lost.
const EVENT_IN: f64 = 3000.0;
const LOST_IN: f64 = 2500.0;
/// The logarithm of the ratio of hazards for one standard deviation of a feature.
const EFFECT: f64 = 0.8;
const EFFECT_ON_LOSS: f64 = 1.6;
/// The last day of follow-up.
const END: f64 = 3650.0;

const TABLES: u64 = 100;
const HORIZONS: [f64; 4] = [365.0, 730.0, 1825.0, 3285.0];

fn main() -> Result<()> {
    if std::env::args().nth(1).as_deref() == Some("table") {
        print_all(&demo());
        return Ok(());
    }
    print_all(
        "target                      planted features found, of 5   runs that name the marker, of 100\n",
    );
    let days = || TargetColumn::Named("days".to_owned());
    let died = || TargetColumn::Named("died".to_owned());
    let classes = Target::classes(["0", "1"]);
    report("died or not, as classes", &classes, |t| t.target_column(died()).exclude(["days"]))?;
    report("days, as a number", &Target::Numeric, |t| t.target_column(days()).exclude(["died"]))?;
    for by in HORIZONS {
        let target = Target::TimeToEvent(TimeToEvent::new("days", ("died", "1"), by)?);
        report(&format!("died by day {by}"), &target, |table| table)?;
    }
    Ok(())
}

/// Selects from all tables with this target, and prints what was found.
fn report(name: &str, target: &Target, facts: impl Fn(FileTable) -> FileTable) -> Result<()> {
    let (mut planted, mut marked) = (0, 0);
    for seed in 0..TABLES {
        let text = table(seed);
        let readers = FileTable::from_readers("followup.csv", move || Cursor::new(text.clone()));
        let select = Select::new(PLANTED.len()).epsilon("2").target(target.clone()).seed(seed);
        let selection = select.run(&facts(readers))?;
        let is_named =
            |feature: &usize| selection.selected.iter().any(|one| one.name == named(*feature));
        planted += PLANTED.iter().filter(|feature| is_named(feature)).count();
        marked += usize::from(is_named(&MARKER));
    }
    let found = planted as f64 / TABLES as f64;
    print_all(&format!("{name:<26}  {found:>28.2}   {marked:>33}\n"));
    Ok(())
}

fn named(feature: usize) -> String {
    format!("marker_{feature:02}")
}

/// The demo table `datasets/followup.csv`.
pub(crate) fn demo() -> String {
    table(2026)
}

/// A table as CSV: the features, the days of follow-up, and whether it ended with the event.
fn table(seed: u64) -> String {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let header: Vec<String> = (1..=FEATURES).map(named).collect();
    let mut text = format!("{},days,died\n", header.join(","));
    for _ in 0..PEOPLE {
        let features: Vec<f64> = (0..FEATURES).map(|_| StandardNormal.sample(&mut rng)).collect();
        let hazard: f64 = PLANTED.iter().map(|feature| EFFECT * features[feature - 1]).sum();
        let loss = EFFECT_ON_LOSS * features[MARKER - 1];
        let mut wait = |half: f64, log_hazard: f64| {
            let wait: f64 = Exp1.sample(&mut rng);
            wait * half / std::f64::consts::LN_2 / libm::exp(log_hazard)
        };
        let (event, lost) = (wait(EVENT_IN, hazard), wait(LOST_IN, loss));
        let days = event.min(lost).min(END);
        let cells: Vec<String> = features.iter().map(|value| format!("{value:.2}")).collect();
        let died = u8::from(event <= lost && event <= END);
        text.push_str(&format!("{},{:.0},{died}\n", cells.join(","), days.ceil()));
    }
    text
}

/// Prints a text; it is not an error if the reader is gone.
fn print_all(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}
