//! Appendix J: conditions (18) and (19), the correlation and the library's advice against the
//! mechanism that is better.

use dpsis::Result;
use dpsis::report::{Agreement, Block, Section};

use crate::experiments::agreements::CLEAR;
use crate::experiments::experiment::Experiment;
use crate::experiments::heterogeneous::instances::{BUDGETS, INSTANCES, Instance, all};
use crate::experiments::parts::{Given, paragraph, row};
use crate::rivals::LONG_RANDOM_STOPPING;

const SOURCE: &str = "\"Private Selection with Heterogeneous Sensitivities\" (2025), appendix J";

/// Runs the experiment.
pub(in crate::experiments) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let all = all(experiment)?;
    let blocks = vec![
        paragraph(
            "Random instances: 5 to 100 candidates, scores uniform on a range of 0.3 to 30 times the largest \
             possible sensitivity, sensitivities that mix the place of the score (rising or falling) with \
             chance. Condition (18): the best candidate has more than half of the largest sensitivity. \
             Condition (19) is lost in the text and read as (4/epsilon) D_best ln(m/beta) > q_best - \
             q_worst.",
        ),
        predictions(&all),
        eighteen(&all),
        nineteen(&all),
        correlation(&all),
        paragraph(
            "What a rule of choice is worth: the mechanism that it names is compared with report-noisy-max \
             on the same instances. \"Recommended\" is the rule of the library: by the correlation of the \
             scores, by the domain, which knows only whether sensitivities were made to rise or to fall with \
             the scores, or without knowing anything.",
        ),
        rules_table(&all),
    ];
    Ok(Section::new("conditions", "Conditions (18) and (19), and rules of choice", blocks))
}

/// How often a prediction that GEM is worse agrees with a clear difference: the clear ones, and
/// those that agree.
fn agreement<'a>(
    all: impl IntoIterator<Item = &'a Instance>,
    predicts_worse: impl Fn(&Instance) -> bool,
    other: &str,
) -> (usize, usize) {
    let lead = |one: &Instance| one.lead("gem", other);
    let clear: Vec<&Instance> = all.into_iter().filter(|one| lead(one).abs() > CLEAR).collect();
    let right = clear.iter().filter(|one| predicts_worse(one) == (lead(one) < 0.0)).count();
    (right, clear.len())
}

fn predictions(all: &[Instance]) -> Block {
    let line = |epsilon: &str| {
        let here = || all.iter().filter(|one| one.epsilon == epsilon);
        let words = |(right, of): (usize, usize)| format!("{right} of {of}");
        let worse = here().filter(|one| one.lead("gem", "rnm") < -CLEAR).count();
        row(&[
            epsilon,
            &words(agreement(here(), |one| one.worse_than_rnm, "rnm")),
            &words(agreement(here(), |one| one.spearman > 0.0, "rnm")),
            &words(agreement(here(), |one| one.vacuous, "random")),
            &worse.to_string(),
        ])
    };
    Block::Table {
        caption: format!(
            "How often a condition tells which of two is better, of the instances (of {INSTANCES}) in which \
             one is, by three standard errors: gem or rnm, and for (19) gem or a uniform choice."
        ),
        header: row(&["epsilon", "(18)", "Spearman's sign", "(19)", "gem worse than rnm"]),
        rows: BUDGETS.into_iter().map(line).collect(),
    }
}

/// The agreement for a rule of thumb: a match from 90% of the clear cases, no match up to half of
/// them.
fn rule_of_thumb(right: usize, of: usize) -> Agreement {
    match right as f64 / of as f64 {
        _ if of == 0 => Agreement::Undecided,
        share if share >= 0.9 => Agreement::Matches,
        share if share > 0.5 => Agreement::Partly,
        _ => Agreement::DoesNotMatch,
    }
}

const RULE: &str = "Of the instances and budgets at which one of the two is better by three standard errors. \
                    A match from 90%, in part from more than a half.";

fn given(statement: &str, (right, of): (usize, usize), note: &str) -> Block {
    Given { statement, source: SOURCE, paper: "proposed as a heuristic" }.against(
        format!("right in {right} of {of} clear cases"),
        rule_of_thumb(right, of),
        &format!("{RULE} {note}"),
    )
}

fn eighteen(all: &[Instance]) -> Block {
    given(
        "GEM will have a utility bound worse than RNM when the sensitivity of the best candidate is greater \
         than half the maximum sensitivity (18).",
        agreement(all, |one| one.worse_than_rnm, "rnm"),
        "The statement is about bounds; this tests whether the errors follow.",
    )
}

fn nineteen(all: &[Instance]) -> Block {
    let is_worse = |one: &&Instance| one.lead("gem", "random") < -CLEAR;
    let worse = all.iter().filter(is_worse).count();
    let vacuous = all.iter().filter(is_worse).filter(|one| one.vacuous).count();
    given(
        "GEM will have a utility bound worse than selecting a candidate uniformly at random when the \
         following condition is met (19).",
        agreement(all, |one| one.vacuous, "random"),
        &format!("Where gem was worse than a uniform choice, (19) held in {vacuous} of {worse}."),
    )
}

fn correlation(all: &[Instance]) -> Block {
    given(
        "We propose using the correlation between the scores and sensitivities as the basis for deciding \
         which mechanism to use.",
        agreement(all, |one| one.spearman > 0.0, "rnm"),
        "The sign of Spearman's correlation as a prediction that gem is worse than rnm.",
    )
}

/// A rule of choice: the mechanism for an instance.
type Choice = fn(&Instance) -> &str;

const RULES: [(&str, Choice); 12] =
    [
        ("recommended by the scores", |one| drawn(&one.by_scores)),
        ("recommended by the domain", |one| drawn(&one.by_domain)),
        ("recommended, relation unknown", |one| drawn(&one.by_nothing)),
        ("the domain alone: gem or mgem", |one| if one.falls { "gem" } else { "mgem" }),
        ("the domain alone: gem or rs 1/(10 m)", |one| {
            if one.falls { "gem" } else { LONG_RANDOM_STOPPING }
        }),
        ("always rnm", |_| "rnm"),
        ("always gem", |_| "gem"),
        ("always mgem", |_| "mgem"),
        ("always rs", |_| "rs"),
        ("always rs 1/(10 m)", |_| LONG_RANDOM_STOPPING),
        ("always cgem", |_| "cgem"),
        ("always krr", |_| "krr"),
    ];

/// The name under which a recommended mechanism is drawn: permute-and-flip has the distribution of
/// report-noisy-max, and rs stops with its own probability.
fn drawn(mechanism: &str) -> &str {
    match mechanism {
        "pnf" => "rnm",
        "rs" => LONG_RANDOM_STOPPING,
        other => other,
    }
}

/// For each rule and budget: the mean of its error over that of a uniform choice, and how often it
/// is clearly better or worse than report-noisy-max.
fn rules_table(all: &[Instance]) -> Block {
    let cell = |choice: Choice, falls: Option<bool>, epsilon: &str| {
        let is_meant = |one: &&Instance| falls.is_none_or(|falls| one.falls == falls);
        let here: Vec<&Instance> =
            all.iter().filter(|one| one.epsilon == epsilon).filter(is_meant).collect();
        let count = |is: &dyn Fn(&Instance) -> bool| here.iter().filter(|one| is(one)).count();
        let better = count(&|one| one.lead(choice(one), "rnm") > CLEAR);
        let worse = count(&|one| one.lead(choice(one), "rnm") < -CLEAR);
        let shares = here.iter().map(|one| one.error(choice(one)).mean / one.error("random").mean);
        let mean = shares.sum::<f64>() / here.len() as f64;
        format!("{mean:.2} ({better}, {worse})")
    };
    let line = |name: &str, choice: Choice, falls: Option<bool>| {
        let mut line = row(&[name]);
        line.extend(BUDGETS.map(|epsilon| cell(choice, falls, epsilon)));
        line
    };
    let by_domain: Choice = |one| drawn(&one.by_domain);
    let mut rows: Vec<_> =
        RULES.into_iter().map(|(name, choice)| line(name, choice, None)).collect();
    rows.push(line("by the domain, where sensitivities fall", by_domain, Some(true)));
    rows.push(line("by the domain, where they rise", by_domain, Some(false)));
    let mut header = row(&["rule"]);
    header.extend(BUDGETS.map(|epsilon| format!("epsilon {epsilon}")));
    Block::Table {
        caption: format!(
            "The error of the mechanism that a rule names over that of a uniform choice, mean of {INSTANCES} \
             instances; in parentheses in how many its error is clearly smaller, and clearly larger, than \
             that of rnm."
        ),
        header,
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    #[test]
    fn rules_of_thumb_need_clear_cases() {
        assert_eq!(rule_of_thumb(2, 3), Agreement::Partly);
        assert_eq!(rule_of_thumb(0, 0), Agreement::Undecided);
        assert_eq!(rule_of_thumb(9, 10), Agreement::Matches);
        assert_eq!(rule_of_thumb(5, 10), Agreement::DoesNotMatch);
    }

    /// With 100 draws per instance and budget; clear cases are clear by three standard errors.
    #[test]
    fn the_sign_of_the_correlation_predicts_the_better_mechanism() {
        with(10, 2, |experiment| {
            let all = all(experiment).unwrap();
            let (right, of) = agreement(&all, |one| one.spearman > 0.0, "rnm");
            assert!(of > 400 && right as f64 > 0.85 * of as f64, "{right} of {of}");
        });
    }
}
