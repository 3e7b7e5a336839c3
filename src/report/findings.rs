//! Effect sizes, intervals, p-values, directions and significance as text. Numbers are rounded to
//! the conservative side.

use crate::release::{
    Direction, Estimate, MissingRule, Record, SLACK, ScoreId, TargetCoding, lower_end,
};
use crate::request::ScaleUsed;
use crate::table::SetMembers;

/// The result line of a choice among external scores.
pub(super) const CHOICE_NOT_TESTED: &str = "significance is not tested for a choice among scores";

/// The meaning of effect size in this record.
pub(super) fn effect_size_in_words(record: &Record) -> &'static str {
    let two_groups = record.target.coding == TargetCoding::MedianSplit
        || record.score.classes.as_ref().is_some_and(|classes| classes.len() == 2);
    match record.score.id {
        ScoreId::Ks if two_groups => "Kolmogorov-Smirnov distance, 0 to 1",
        ScoreId::Paired => "difference of the shares of pairs that rise and that fall, 0 to 1",
        _ => "share of the largest possible score, 0 to 1",
    }
}

/// The effect of missing values on effect sizes in this record, as the end of a sentence.
pub(super) fn bound_in_words(record: &Record) -> &'static str {
    // Values that a row lacks change its other values then.
    match record.score.missing {
        _ if record.score.per_million || record.score.scale == ScaleUsed::RowRank => "",
        MissingRule::SmallestScore => ", a lower bound where values are missing",
        MissingRule::GridMiddle | MissingRule::NoPair => "",
    }
}

/// The parameters of public weights.
pub(super) const WEIGHTS: [&str; 2] = ["weights", "weights_uniform"];

/// Whether features had weights.
pub(super) fn has_weights(record: &Record) -> bool {
    record.mechanism.parameters.contains_key(WEIGHTS[0])
}

/// The significance threshold, if significance was tested.
pub(super) fn threshold_in_words(record: &Record) -> Option<String> {
    let Some(level) = record.significance.threshold else {
        let differ = record.significance.significant.is_some() && has_weights(record);
        return differ.then(|| "the significance threshold differs by the weights".to_owned());
    };
    Some(if level > 1.0 {
        "not even an effect size of 1 can be significant".to_owned()
    } else {
        format!("significant from {level:.2} on")
    })
}

/// Whether any estimate of a kind was released.
pub(super) fn has<T>(record: &Record, part: impl Fn(&Estimate) -> Option<T>) -> bool {
    record.estimates.iter().any(|estimate| part(estimate).is_some())
}

pub(super) fn effect_size(estimate: &Estimate) -> Option<String> {
    estimate.effect_size.map(|effect_size| format!("{effect_size:.2}"))
}

/// The interval in hundredths, rounded outward.
pub(super) fn interval(estimate: &Estimate) -> Option<String> {
    let high = (estimate.high? * 100.0 - SLACK).ceil() / 100.0;
    Some(format!("{:.2} to {:.2}", lower_end(estimate.low?), high.min(1.0)))
}

/// The p-value, which is an upper bound: two digits, rounded up.
pub(super) fn p_value(estimate: &Estimate) -> Option<String> {
    let p = estimate.p_value?;
    // Written so that NaN counts as 1.
    if !(p < 1.0) {
        return Some("= 1".to_owned());
    }
    let p = p.max(1e-9);
    let decimals = 1.0 - p.log10().floor();
    let scale = 10f64.powf(decimals);
    let above = (p * scale - SLACK).ceil() / scale;
    if above < 1.0 {
        Some(format!("at most {above:.0$}", decimals as usize))
    } else {
        Some("= 1".to_owned())
    }
}

/// Marks a significant feature, if features were tested one by one.
pub(super) fn standing(estimate: &Estimate) -> Option<&'static str> {
    (judged(estimate) == Some(true)).then_some("significant")
}

/// Whether this feature is significant, when features were tested one by one.
fn judged(estimate: &Estimate) -> Option<bool> {
    estimate.p_value.and(estimate.significant)
}

/// The caveat of directions. Whether a column is categorical is private, so it is always given.
pub(super) const DIRECTION: &str = "of numbers and dates; a categorical column has no direction, and what is printed for one \
                                    is noise";

/// The direction: of two classes, relative to the second one.
pub(super) fn direction(record: &Record, estimate: &Estimate) -> Option<String> {
    let direction = estimate.direction?;
    let second = record.score.classes.as_ref().filter(|classes| classes.len() == 2);
    Some(match (direction, second.map(|classes| classes[1].as_str())) {
        (Direction::Rises, Some(class)) => format!("higher in {}", class_in_words(class)),
        (Direction::Falls, Some(class)) => format!("lower in {}", class_in_words(class)),
        (Direction::Rises, None) => format!("rises with {}", target_in_words(record)),
        (Direction::Falls, None) => format!("falls with {}", target_in_words(record)),
        (Direction::Unclear, _) => "unclear".to_owned(),
    })
}

/// A class that is a number is not a name.
fn class_in_words(class: &str) -> String {
    match class.parse::<f64>() {
        Ok(_) => format!("class {class}"),
        Err(_) => short(class, 30),
    }
}

/// The name of the target, or a word for it.
pub(super) fn target_in_words(record: &Record) -> String {
    record.target.name.as_ref().map_or_else(|| "the target".to_owned(), |name| short(name, 40))
}

/// The direction with its error probability.
pub(super) fn direction_with_error(record: &Record, estimate: &Estimate) -> Option<String> {
    let error = direction_error(estimate).map(|error| format!(" (error about {error})"));
    Some(direction(record, estimate)? + &error.unwrap_or_default())
}

pub(super) fn direction_error(estimate: &Estimate) -> Option<String> {
    estimate.direction_error.map(error_of)
}

/// An error probability rounded up: to hundredths, or to one digit below; at least 0.0001.
fn error_of(error: f64) -> String {
    let error = error.clamp(1e-4, 1.0);
    let decimals = (-error.log10().floor()).max(2.0);
    let scale = 10f64.powf(decimals);
    format!("{:.1$}", (error * scale - SLACK).ceil() / scale, decimals as usize)
}

/// A name in at most `most` characters, without control characters.
pub(super) fn short(name: &str, most: usize) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    if name.chars().count() <= most {
        return name.chars().map(plain).collect();
    }
    let kept = name.chars().take(most.saturating_sub(1)).map(plain);
    kept.chain(['\u{2026}']).collect()
}

/// The members of selected sets: those that are features of the table, and others.
pub(super) fn members(record: &Record) -> Vec<(&'static str, Vec<String>)> {
    let of = |count: fn(&SetMembers) -> usize| -> Vec<String> {
        let members = record.selected.iter().filter_map(|picked| picked.members.as_ref());
        members.map(|members| count(members).to_string()).collect()
    };
    let counts = [
        ("members", of(|members| members.present)),
        ("missing", of(|members| members.missing.len())),
    ];
    counts.into_iter().filter(|(_, cells)| !cells.is_empty()).collect()
}

/// The columns of a table for a program: only released values, with all digits of the record.
pub(super) fn columns(record: &Record) -> Vec<(&'static str, Vec<String>)> {
    type Cell = fn(&Estimate) -> Option<String>;
    let parts: [(&'static str, Cell); 7] = [
        ("effect_size", |estimate| estimate.effect_size.map(|number| number.to_string())),
        ("low", |estimate| estimate.low.map(|number| number.to_string())),
        ("high", |estimate| estimate.high.map(|number| number.to_string())),
        ("p_value", |estimate| estimate.p_value.map(|number| number.to_string())),
        ("significant", |estimate| {
            judged(estimate).map(|beyond| if beyond { "yes" } else { "no" }.to_owned())
        }),
        ("direction", |estimate| estimate.direction.map(|direction| direction.to_string())),
        ("direction_error", |estimate| estimate.direction_error.map(|number| number.to_string())),
    ];
    let released = parts.into_iter().filter(|(_, cell)| has(record, cell));
    let cells =
        |cell: Cell| record.estimates.iter().map(|one| cell(one).unwrap_or_default()).collect();
    let members = members(record).into_iter();
    members.chain(released.map(|(name, cell)| (name, cells(cell)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::estimate;

    #[test]
    fn p_values_are_never_rounded_down() {
        let words = |p| p_value(&estimate("a", 0.5, p)).unwrap();
        for (p, expected) in [
            (0.010_599_88, "at most 0.011"),
            (0.0499, "at most 0.050"),
            (0.05, "at most 0.050"),
            (0.050_01, "at most 0.051"),
            (0.29, "at most 0.29"),
            (0.0996, "at most 0.100"),
            (1.0 / 20_001.0, "at most 0.000050"),
            (0.999, "= 1"),
            (0.99, "at most 0.99"),
            (1.0, "= 1"),
            (f64::NAN, "= 1"),
        ] {
            assert_eq!(words(p), expected, "{p}");
        }
        // For any p, the reported bound holds and is less than a tenth off.
        for i in 1..4950 {
            let p = f64::from(i) / 5000.0;
            let printed: f64 = words(p).trim_start_matches("at most ").parse().unwrap();
            assert!(p <= printed + 1e-12 && printed <= p * 1.1 + 1e-12, "{p} {printed}");
        }
    }

    #[test]
    fn errors_are_rounded_up() {
        for (error, expected) in [
            (0.5, "0.50"),
            (0.02, "0.02"),
            (0.0201, "0.03"),
            (0.0031, "0.004"),
            (1e-12, "0.0001"),
            (1.0, "1.00"),
        ] {
            assert_eq!(error_of(error), expected, "{error}");
        }
    }

    #[test]
    fn intervals_are_rounded_outward() {
        let words = |low, high| {
            let one = Estimate { low: Some(low), high: Some(high), ..estimate("a", 0.5, 0.5) };
            interval(&one).unwrap()
        };
        assert_eq!(words(0.2092, 0.3404), "0.20 to 0.35");
        assert_eq!(words(0.29, 0.57), "0.29 to 0.57");
        assert_eq!(words(0.0, 1.0), "0.00 to 1.00");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(short("gene_1", 6), "gene_1");
        assert_eq!(short("gene_12", 6), "gene_\u{2026}");
        assert_eq!(short("\u{e4}\u{e4}\u{e4}\u{e4}", 4), "\u{e4}\u{e4}\u{e4}\u{e4}");
        assert_eq!(short("a\u{1b}[1m\nb", 30), "a [1m b");
    }
}
