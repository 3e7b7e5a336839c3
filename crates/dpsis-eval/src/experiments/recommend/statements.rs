//! The paper's statements about recommendations beside the results.
//!
//! Rivals are compared over the same users: the mean of the difference of their errors, with its standard
//! error over the users.

use dpsis::report::{Agreement, Block};

use crate::experiments::parts::{CLEAR, Stated};
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

/// The budgets at which something holds clearly, and those at which the opposite does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Clear {
    held: usize,
    reversed: usize,
}

impl Clear {
    fn of(deviations: impl IntoIterator<Item = f64>) -> Self {
        let mut found = Self { held: 0, reversed: 0 };
        for z in deviations {
            found.held += usize::from(z > CLEAR);
            found.reversed += usize::from(z < -CLEAR);
        }
        found
    }

    fn of_pair(measures: &Measures, pair: (&str, &str), epsilons: &[&str]) -> Self {
        Self::of(epsilons.iter().map(|epsilon| measures.lead(pair, epsilon)))
    }

    fn words(self, pair: &str) -> String {
        format!("{pair}: clear at {}, reversed at {}", self.held, self.reversed)
    }
}

/// A statement matches if each part of it is clear at some budget and reversed at none.
fn verdict(parts: &[Clear]) -> Agreement {
    let all = |is: fn(&Clear) -> bool| parts.iter().all(is);
    if all(|part| part.held > 0 && part.reversed == 0) {
        Agreement::Matches
    } else if all(|part| part.held == 0 && part.reversed == 0) {
        Agreement::Undecided
    } else if all(|part| part.held == 0) {
        Agreement::DoesNotMatch
    } else {
        Agreement::Partly
    }
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
    let above = deviations(&crate::Estimate { mean: share.mean - 0.5, ..share });
    Stated {
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
        verdict(&[Clear::of([above])]),
        "Spearman's correlation over a user's candidates. Rule: more than half of the users, by three \
         standard errors.",
    )
}

fn best(measures: &Measures) -> Block {
    let parts = OTHERS.map(|other| Clear::of_pair(measures, ("mgem", other), &SMALL));
    let words: Vec<String> = OTHERS
        .iter()
        .zip(parts)
        .map(|(other, part)| part.words(&format!("before {other}")))
        .collect();
    Stated {
        statement: "Our proposed mechanism mGEM is the best performing DP selection mechanism for small \
                    epsilon.",
        source: SOURCE,
        paper: "in all three data sets",
    }
    .against(
        format!("mgem {}, of {} budgets", words.join("; "), SMALL.len()),
        verdict(&parts),
        &rule(&SMALL, "The parts are the six other private mechanisms."),
    )
}

fn worse(measures: &Measures) -> Block {
    let part = Clear::of_pair(measures, ("rnm", "gem"), &EPSILONS);
    Stated {
        statement: "GEM performs worse than RNM in all three datasets.",
        source: SOURCE,
        paper: "figures 13(g) to (i)",
    }
    .against(
        format!("{}, of {} budgets", part.words("rnm before gem"), EPSILONS.len()),
        verdict(&[part]),
        &rule(&EPSILONS, ""),
    )
}

fn random(measures: &Measures) -> Block {
    let part = Clear::of_pair(measures, ("random", "gem"), &SMALL);
    Stated {
        statement: "GEM can even perform worse than the random selection mechanism when epsilon is small.",
        source: SOURCE,
        paper: "figures 13(g) to (i)",
    }
    .against(
        format!("{}, of {} budgets", part.words("random before gem"), SMALL.len()),
        match part {
            Clear { held: 1.., .. } => Agreement::Matches,
            part => verdict(&[part]),
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
    Stated {
        statement: "For each dataset, the performance difference between the algorithms [mGEM and GEM] \
                    grows as the correlation coefficient grows, as expected.",
        source: SOURCE,
        paper: "figures 13(d) to (f)",
    }
    .against(
        format!("{}, of {} budgets", part.words("a rising line"), MODERATE.len()),
        verdict(&[part]),
        &rule(
            &MODERATE,
            "The line is that of least squares through the users: the squared error of gem minus that of \
             mgem over the correlation; its standard error allows for users of different variance.",
        ),
    )
}

fn combined(measures: &Measures) -> Block {
    let part = Clear::of_pair(measures, ("mgem", "cgem"), &MODERATE);
    let beside = ["rnm", "gem"]
        .map(|other| Clear::of_pair(measures, (other, "cgem"), &MODERATE).words(other))
        .join("; ");
    Stated {
        statement: "On the Amazon Books dataset, it is not productive to spend privacy budget to \
                    automatically choose a selection mechanism.",
        source: "the same, appendix G, figure 21",
        paper: "on Amazon Books, which has users with negative correlations",
    }
    .against(
        format!("{}, of {} budgets", part.words("mgem before cgem"), MODERATE.len()),
        verdict(&[part]),
        &rule(&MODERATE, &format!("Before cgem in the same way, {beside}.")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_rule() {
        let clear = |deviations: &[f64]| Clear::of(deviations.iter().copied());
        assert_eq!(clear(&[4.0, -4.0, 2.0, f64::NAN, 5.0]), Clear { held: 2, reversed: 1 });
        assert_eq!(verdict(&[clear(&[4.0, 2.9])]), Agreement::Matches);
        assert_eq!(verdict(&[clear(&[4.0, -3.1])]), Agreement::Partly);
        assert_eq!(verdict(&[clear(&[-3.1, 0.0])]), Agreement::DoesNotMatch);
        assert_eq!(verdict(&[clear(&[1.0, f64::NAN])]), Agreement::Undecided);
        assert_eq!(verdict(&[clear(&[4.0]), clear(&[0.0])]), Agreement::Partly);
    }

    #[test]
    fn every_comparison_is_measured() {
        assert!(OTHERS.iter().all(|other| PAIRS.contains(&("mgem", *other))));
        let pairs = [("rnm", "gem"), ("random", "gem"), ("rnm", "cgem"), ("gem", "cgem")];
        assert!(pairs.iter().all(|pair| PAIRS.contains(pair)));
    }
}
