//! Warnings about strata in which little can be compared, from released counts.
//!
//! # Privacy
//!
//! Functions of released counts.

use crate::error::Parameter;
use crate::estimate::{
    CenterKnown, CountedStrata, CountedStratum, ROWS_FOR_A_CENTER, ROWS_OF_A_CLASS,
};
use crate::exact::two_digits;
use crate::release::record::{Warning, WarningKind};
use crate::request::fields::Target;
use crate::request::plan::Plan;
use crate::table::Schema;

/// The largest number of strata that are listed.
const MAX_LISTED: usize = 5;

/// The share of rows in no stratum from which there is a warning.
const SHARE: f64 = 0.1;

/// The warnings about these strata.
pub(crate) fn warnings_of_strata(
    plan: &Plan,
    schema: &Schema,
    counted: &CountedStrata,
) -> Vec<Warning> {
    let units = schema.privacy_unit().plural();
    let names = names(plan);
    let rate = counted.strata.first().map_or(1.0, |stratum| stratum.rate);
    let listed = |known: CenterKnown| {
        let of = |(name, stratum): (&String, &CountedStratum)| {
            (stratum.known() == known).then(|| name.clone())
        };
        names.iter().zip(&counted.strata).filter_map(of).collect::<Vec<String>>()
    };
    let of_all = |found: &[String]| format!("{} of {} strata", found.len(), names.len());
    let mut warnings = Vec::new();
    let small = listed(CenterKnown::TooFewRows);
    if !small.is_empty() {
        let text = format!(
            "{} have fewer {units} than their centers need under this budget, about {} each: {}; there a feature \
             counts only to the extent that it splits the {units} of each in half: take fewer strata or a larger epsilon",
            of_all(&small),
            two_digits(ROWS_FOR_A_CENTER / rate),
            some_of(&small)
        );
        let about = [Parameter::Covariates, Parameter::Epsilon];
        warnings.push(Warning::new(WarningKind::SmallStrata, text).about(about));
    }
    let one_sided = listed(CenterKnown::OneSided);
    if !one_sided.is_empty() {
        let what = match plan.request.target {
            Target::Classes(_) => "next to no rows of one class",
            _ => "nearly all values on one side",
        };
        let end = match one_sided.len() + small.len() >= names.len() {
            true => "no feature can be distinguished from the covariates, and the names are noise",
            false => "nothing can be compared there",
        };
        let text = format!(
            "{} have {what}, at most about {} as counted: {}; {end}",
            of_all(&one_sided),
            two_digits(ROWS_OF_A_CLASS / rate),
            some_of(&one_sided)
        );
        let about = [Parameter::Covariates, Parameter::Classes];
        warnings.push(Warning::new(WarningKind::OneSidedStrata, text).about(about));
    }
    let outside = counted.outside as f64;
    // The noise of one count, with a margin for the largest over many runs.
    if outside > 4.0 / rate && outside > SHARE * (outside + counted.usable.rows as f64) {
        let text = format!(
            "about {outside} {units} with a target are in no stratum and contribute nothing: a covariate is missing \
             there, or is at a level that is not given"
        );
        let about = [Parameter::Covariates, Parameter::Inspect];
        warnings.push(Warning::new(WarningKind::NoStratum, text).about(about));
    }
    warnings
}

/// The names of all strata: the last covariate's level changes fastest.
fn names(plan: &Plan) -> Vec<String> {
    plan.request.covariates.iter().fold(vec![String::new()], |names, covariate| {
        let levels = covariate.strata_names();
        let with = |name: &String| {
            let and = if name.is_empty() { "" } else { " and " };
            levels.iter().map(|level| format!("{name}{and}{level}")).collect::<Vec<String>>()
        };
        names.iter().flat_map(with).collect()
    })
}

fn some_of(names: &[String]) -> String {
    let more = match names.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.iter().take(MAX_LISTED).cloned().collect::<Vec<String>>().join(", ") + &more
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::release::Record;
    use crate::request::Select;
    use crate::table::{Covariate, FileTable};

    /// A table of `rows` rows: 19 features of noise, one that differs between two batches, a batch
    /// out of `batches`, and a class; `case` gives the class of a row by its number and its batch.
    fn table(rows: usize, batches: usize, case: impl Fn(usize, usize) -> bool) -> String {
        let mut state = 7u64;
        let mut normal = || {
            // The sum of twelve uniform numbers.
            let mut uniform = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 40) as f64 / (1u64 << 24) as f64
            };
            (0..12).map(|_| uniform()).sum::<f64>() - 6.0
        };
        let names: Vec<String> = (0..19).map(|feature| format!("noise{feature}")).collect();
        let mut text = format!("{},gene,batch,class\n", names.join(","));
        for row in 0..rows {
            let batch = row % batches;
            (0..19).for_each(|_| write!(text, "{:.3},", normal()).unwrap());
            let gene = normal() + 3.0 * (batch % 2) as f64;
            let class = if case(row, batch) { "case" } else { "control" };
            writeln!(text, "{gene:.3},b{batch},{class}").unwrap();
        }
        text
    }

    fn run(text: &str, levels: usize, epsilon: &str, seed: u64) -> Record {
        let levels = (0..levels).map(|level| format!("b{level}"));
        let select = Select::new(1)
            .epsilon(epsilon)
            .target(Target::classes(["control", "case"]))
            .adjust([Covariate::levels("batch", levels).unwrap()])
            .seed(seed);
        let table = FileTable::from_reader(std::io::Cursor::new(text.to_owned()));
        select.run(&table).unwrap().into_inner()
    }

    fn kinds(record: &Record) -> Vec<WarningKind> {
        let of_strata =
            [WarningKind::SmallStrata, WarningKind::OneSidedStrata, WarningKind::NoStratum];
        let kinds = record.warnings.iter().map(|warning| warning.kind);
        kinds.filter(|kind| of_strata.contains(kind)).collect()
    }

    /// A gene that only the batch drives is named no more often than others, where cases are a
    /// tenth of one batch and nine tenths of the other: it was named in 19 of 40 runs with shrunk
    /// centers.
    #[test]
    fn features_of_the_batch_are_not_named() {
        let text = table(1200, 2, |row, batch| (row / 2 % 10 == 0) == (batch == 0));
        let named = |seed| run(&text, 2, "1", seed).selected[0].name == "gene";
        let often = (0..60).filter(|seed| named(*seed)).count();
        // By chance it is named in 3 of 60.
        assert!(often <= 6, "{often}");
        assert_eq!(kinds(&run(&text, 2, "1", 1)), []);
    }

    #[test]
    fn strata_in_which_nothing_can_be_compared_are_named() {
        // The batch is the class.
        let same = table(800, 2, |_, batch| batch == 1);
        let record = run(&same, 2, "2", 1);
        assert_eq!(kinds(&record), [WarningKind::OneSidedStrata]);
        let warning = record.warnings.iter().find(|w| w.kind == WarningKind::OneSidedStrata);
        let text = &warning.unwrap().text;
        assert!(text.contains("2 of 2 strata") && text.contains("batch=b0, batch=b1"), "{text}");
        assert!(text.contains("the names are noise"), "{text}");
        // Six rows in each of 100 batches; 40 of the batches are not given.
        let small = table(600, 100, |row, batch| (row / 100 + batch) % 2 == 0);
        let record = run(&small, 60, "1/2", 1);
        let found = kinds(&record);
        // Noise alone makes some of sixty strata look larger, with one class apparently absent.
        assert!(found.contains(&WarningKind::SmallStrata), "{found:?}");
        assert!(found.contains(&WarningKind::NoStratum), "{found:?}");
        let outside = record.released.no_stratum_estimate.unwrap() as i64;
        assert!((outside - 240).abs() < 60, "{outside}");
        // With all of them, and more rows, there is nothing to report.
        let large = table(6000, 10, |row, _| row / 10 % 2 == 0);
        assert_eq!(kinds(&run(&large, 10, "1", 1)), []);
    }
}
