//! The paper's statements about recommendations compared with the results.
//!
//! Rivals are compared over the same users: the mean of the difference of their errors, with its
//! standard error over the users.

use dpsis::report::{Agreement, Block};
use dpsis_eval::Estimate;

use crate::experiments::agreements::{Clear, agreement_of_parts};
use crate::experiments::parts::Given;
use crate::experiments::recommend::measures::{
    EPSILONS, MODERATE, Measures, SLOPE, SMALL, USERS, deviations,
};

const SOURCE: &str = "\"Private Selection with Heterogeneous Sensitivities\" (2025), section VIII";

/// The pairs of rivals that statements are about, the better one first.
pub(super) const PAIRS: [(&str, &str); 10] = [
    ("mgem", "rnm"),
    ("mgem", "rs"),
    ("mgem", "rs-tnb"),
    ("mgem", "gem"),
    ("mgem", "cgem"),
    ("mgem", "krr"),
    ("rnm", "gem"),
    ("random", "gem"),
    ("rnm", "cgem"),
    ("gem", "cgem"),
];
/// The private rivals of mGEM, each in a pair with it.
const OTHERS: [&str; 6] = ["rnm", "rs", "rs-tnb", "gem", "cgem", "krr"];

fn of_pair(measures: &Measures, pair: (&str, &str), epsilons: &[&str]) -> Clear {
    Clear::of(epsilons.iter().map(|epsilon| measures.lead(pair, epsilon)))
}

fn words(Clear { held, reversed }: Clear, pair: &str) -> String {
    format!("{pair}: clear at {held}, reversed at {reversed}")
}

fn rule(epsilons: &[&str], more: &str) -> String {
    format!(
        "At epsilon {}. A difference is clear, or clearly reversed, from three standard errors. The \
         statement matches if each part of it is clear at some budget and reversed at none. {more}",
        epsilons.join(", ")
    )
}

/// All statements. Results on a generated set say so: the statements are about real ones.
pub(super) fn statements(measures: &Measures, generated: bool) -> Vec<Block> {
    let mut blocks = vec![
        positive(measures),
        best(measures),
        worse(measures),
        random(measures),
        grows(measures),
        combined(measures),
    ];
    for block in &mut blocks {
        if let Block::Comparison { ours, .. } = block
            && generated
        {
            ours.insert_str(0, "on a generated set: ");
        }
    }
    blocks
}

fn positive(measures: &Measures) -> Block {
    let share = measures.get(USERS, "positive", "");
    let mean = measures.get(USERS, "mean correlation", "");
    let above = deviations(&Estimate { mean: share.mean - 0.5, ..share });
    Given {
        statement: "Each real dataset exhibits mostly positive correlation between scores and \
                    sensitivities.",
        source: SOURCE,
        paper: "mostly positive in figures 13(a) to (c)",
    }
    .against(
        format!(
            "positive for {:.1}% of the users; mean correlation {:.2}",
            100.0 * share.mean,
            mean.mean
        ),
        agreement_of_parts(&[Clear::of([above])]),
        "Spearman's correlation over a user's candidates. Rule: more than half of the users, by three \
         standard errors.",
    )
}

fn best(measures: &Measures) -> Block {
    let parts = OTHERS.map(|other| of_pair(measures, ("mgem", other), &SMALL));
    let others: Vec<String> = OTHERS
        .iter()
        .zip(parts)
        .map(|(other, part)| words(part, &format!("before {other}")))
        .collect();
    Given {
        statement: "Our proposed mechanism mGEM is the best performing DP selection mechanism for small \
                    epsilon.",
        source: SOURCE,
        paper: "in all three data sets",
    }
    .against(
        format!("mgem {}, of {} budgets", others.join("; "), SMALL.len()),
        agreement_of_parts(&parts),
        &rule(&SMALL, "The parts are the six other private mechanisms."),
    )
}

fn worse(measures: &Measures) -> Block {
    let part = of_pair(measures, ("rnm", "gem"), &EPSILONS);
    Given {
        statement: "GEM performs worse than RNM in all three datasets.",
        source: SOURCE,
        paper: "figures 13(g) to (i)",
    }
    .against(
        format!("{}, of {} budgets", words(part, "rnm before gem"), EPSILONS.len()),
        agreement_of_parts(&[part]),
        &rule(&EPSILONS, ""),
    )
}

fn random(measures: &Measures) -> Block {
    let part = of_pair(measures, ("random", "gem"), &SMALL);
    Given {
        statement: "GEM can even perform worse than the random selection mechanism when epsilon is small.",
        source: SOURCE,
        paper: "figures 13(g) to (i)",
    }
    .against(
        format!("{}, of {} budgets", words(part, "random before gem"), SMALL.len()),
        match part {
            Clear { held: 1.., .. } => Agreement::Matches,
            part => agreement_of_parts(&[part]),
        },
        &format!(
            "At epsilon {}. Rule: worse by three standard errors at some budget.",
            SMALL.join(", ")
        ),
    )
}

fn grows(measures: &Measures) -> Block {
    let slopes = MODERATE.map(|epsilon| deviations(&measures.get(SLOPE, "all", epsilon)));
    let part = Clear::of(slopes);
    Given {
        statement: "For each dataset, the performance difference between the algorithms [mGEM and GEM] \
                    grows as the correlation coefficient grows, as expected.",
        source: SOURCE,
        paper: "figures 13(d) to (f)",
    }
    .against(
        format!("{}, of {} budgets", words(part, "a rising line"), MODERATE.len()),
        agreement_of_parts(&[part]),
        &rule(
            &MODERATE,
            "The line is that of least squares through the users: the squared error of gem minus that of \
             mgem over the correlation; its standard error allows for users of different variance.",
        ),
    )
}

fn combined(measures: &Measures) -> Block {
    let part = of_pair(measures, ("mgem", "cgem"), &MODERATE);
    let others = ["rnm", "gem"]
        .map(|other| words(of_pair(measures, (other, "cgem"), &MODERATE), other))
        .join("; ");
    Given {
        statement: "On the Amazon Books dataset, it is not productive to spend privacy budget to \
                    automatically choose a selection mechanism.",
        source: "the same, appendix G, figure 21",
        paper: "on Amazon Books, which has users with negative correlations",
    }
    .against(
        format!("{}, of {} budgets", words(part, "mgem before cgem"), MODERATE.len()),
        agreement_of_parts(&[part]),
        &rule(&MODERATE, &format!("Before cgem in the same way, {others}.")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_comparison_is_measured() {
        assert!(OTHERS.iter().all(|other| PAIRS.contains(&("mgem", *other))));
        let pairs = [("rnm", "gem"), ("random", "gem"), ("rnm", "cgem"), ("gem", "cgem")];
        assert!(pairs.iter().all(|pair| PAIRS.contains(pair)));
    }
}
