//! The statements of the article compared with the results.

use dpsis::report::{Agreement, Block};

use crate::experiments::agreements::agreement_of;
use crate::experiments::bounded_range::picks::PicksWithin;
use crate::experiments::bounded_range::prices::Prices;
use crate::experiments::bounded_range::quality::Measured;
use crate::experiments::parts::Given;

const SOURCE: &str = "\"Exponential Mechanisms - What's Wrong with Sensitivity?\" (2020)";

/// Differences of sums of exponentials are exact to about this share.
const ROUNDING: f64 = 1e-12;

pub(super) fn depends_on_scores(examples: &[Measured]) -> Block {
    let [one, hundred] = [&examples[0], &examples[1]];
    let ours = format!(
        "theorem 0: {:.0} and {:.0} epsilon; theorem 1: {:.0} and {:.0}; the law: {:.0}",
        2.0 * one.sensitivity,
        2.0 * hundred.sensitivity,
        one.range,
        hundred.range,
        one.log_ratio.max(hundred.log_ratio)
    );
    let same = (one.range - hundred.range).abs() < ROUNDING
        && (one.log_ratio - hundred.log_ratio).abs() < ROUNDING;
    Given {
        statement: "q = x + y and q' = 100 x + y are the same mechanism, with the same range, and theorem 0 prices \
                    them differently.",
        source: SOURCE,
        paper: "sens(q) = 1, sens(q') = 100",
    }
    .against(
        ours,
        agreement_of(usize::from(same && (one.sensitivity, hundred.sensitivity) == (1.0, 100.0)), 1),
        "Rule: sensitivities as printed, ranges and laws equal. Here the table does not matter at all: the range is 0.",
    )
}

fn holding(all: &[Measured], holds: impl Fn(&Measured) -> bool) -> (String, Agreement) {
    let held = all.iter().filter(|one| holds(one)).count();
    (format!("in {held} of {} random tables of scores", all.len()), agreement_of(held, all.len()))
}

pub(super) fn theorem_one_holds(random: &[Measured]) -> Block {
    let (ours, agreement) =
        holding(random, |one| one.log_ratio <= one.range * one.epsilon * (1.0 + ROUNDING));
    let share = |one: &Measured| one.log_ratio / (one.range * one.epsilon);
    let closest = random.iter().map(share).fold(0.0, f64::max);
    Given {
        statement: "The exponential mechanism is range(q) eps-differentially private (theorem 1).",
        source: SOURCE,
        paper: "always",
    }
    .against(
        ours,
        agreement,
        &format!(
            "Rule: no log-ratio of the law exceeds it. The largest reaches {closest:.2} of it."
        ),
    )
}

pub(super) fn never_worse(random: &[Measured]) -> Block {
    let (ours, agreement) =
        holding(random, |one| one.range <= 2.0 * one.sensitivity * (1.0 + ROUNDING));
    Given {
        statement: "range(q) <= 2 sens(q): theorem 1 is never worse than theorem 0.",
        source: SOURCE,
        paper: "always",
    }
    .against(ours, agreement, "Rule: in all of them.")
}

pub(super) fn monotone(random: &[Measured]) -> Block {
    let monotone: Vec<&Measured> = random.iter().filter(|one| one.is_monotone).collect();
    let held = monotone.iter().filter(|one| one.range <= one.sensitivity * (1.0 + ROUNDING));
    let held = held.count();
    Given {
        statement: "If scores only rise with a table, range(q) is half of what theorem 0 counts with.",
        source: SOURCE,
        paper: "range(q) = sens(q)",
    }
    .against(
        format!("range(q) <= sens(q) in {held} of {} monotone random tables", monotone.len()),
        agreement_of(held, monotone.len()),
        "Rule: in all of them. As an equality it needs a candidate whose score a person does not change, as with \
         counts; without one the range is smaller still.",
    )
}

pub(super) fn in_order(prices: &[Prices]) -> Block {
    let least = |one: &&Prices| {
        let order =
            [one.in_advance, one.adaptive * (1.0 + 1e-9), one.theorem_1, one.theorem_0, one.sum];
        one.k == 1 || order.windows(2).all(|pair| pair[0] <= pair[1] * (1.0 + 1e-9))
    };
    let held = prices.iter().filter(least).count();
    let last = prices.last();
    let words = last.map_or(String::new(), |one| {
        format!(
            "; for k = {}: {:.2}, {:.2}, {:.2}, {:.2}, {:.2}",
            one.k, one.sum, one.theorem_0, one.theorem_1, one.adaptive, one.in_advance
        )
    });
    Given {
        statement: "Theorem 1 improves on theorem 0, and the composition of exponential mechanisms on that of differential \
                    privacy; dependence between picks costs something.",
        source: SOURCE,
        paper: "thm 0 + Opt DP, thm 1 + Opt Exp; note 2",
    }
    .against(
        format!("in this order for {held} of {} numbers of picks{words}", prices.len()),
        agreement_of(held, prices.len()),
        "Rule: sum, theorem 0, theorem 1, exponential mechanisms, the same in advance: no price is above the one \
         before. For a single pick the compositions agree, up to the rounding of the adaptive bound.",
    )
}

pub(super) fn factor_of_four(prices: &[Prices]) -> Block {
    let is_four = |one: &&Prices| (one.mus[0] / one.mus[1] - 4.0).abs() < 1e-9;
    let held = prices.iter().filter(is_four).count();
    let at = |one: &Prices| format!("{:.2} for k = {}", one.theorem_0 / one.in_advance, one.k);
    let ratios: Vec<String> = prices.iter().filter(|one| one.k >= 40).map(at).collect();
    Given {
        statement: "By the central limit theorem k picks are 2 eps sqrt(k)-GDP by theorem 0 and eps sqrt(k)/2-GDP by \
                    theorem 1: a factor of 4.",
        source: SOURCE,
        paper: "a factor of 4",
    }
    .against(
        format!("4 for {held} of {} numbers of picks", prices.len()),
        agreement_of(held, prices.len()),
        &format!(
            "Rule: the parameters of the two limits. Epsilon at delta 1e-6, by the optimal compositions, falls by a \
             factor that exceeds 4 where epsilon is large: {}.",
            ratios.join(", ")
        ),
    )
}

pub(super) fn sixteen_times(picks: &[PicksWithin]) -> Block {
    let at = |one: &PicksWithin| {
        let PicksWithin { parameter, theorem_0, theorem_1 } = one;
        format!("{theorem_1} instead of {theorem_0} at {parameter}")
    };
    let ours: Vec<String> = picks.iter().map(at).collect();
    let smallest = picks.last().map_or(0.0, PicksWithin::ratio);
    Given {
        statement: "The improved analysis allows 16 times as many queries for the same price.",
        source: SOURCE,
        paper: "16 times, for many small queries",
    }
    .against(
        ours.join("; "),
        agreement_of(usize::from((smallest - 16.0).abs() < 1.6), 1),
        "Rule: within a tenth of 16 at the smallest parameter; whole numbers of picks, which are few at large \
         parameters.",
    )
}
