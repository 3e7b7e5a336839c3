//! Figures 2 and 8: scenarios 1 to 6.

use dpsis::Result;
use dpsis::report::Section;

use crate::experiments::experiment::Experiment;
use crate::experiments::heterogeneous::candidates::CANDIDATES;
use crate::experiments::heterogeneous::claims::{Claim, MODERATE, SMALL};
use crate::experiments::heterogeneous::errors::{EPSILONS, TRIALS};
use crate::experiments::heterogeneous::page::scenarios;
use crate::experiments::heterogeneous::scenarios::{Relation, bimodal, fifth, fourth, sixth};
use crate::experiments::parts::paragraph;

const BIMODAL: &str =
    "\"Private Selection with Heterogeneous Sensitivities\" (2025), section VI, scenarios 1 to 3";
const DRAWN: &str =
    "\"Private Selection with Heterogeneous Sensitivities\" (2025), section VI, scenarios 4 to 6";
const WORKSHOP: &str = "its workshop version, section 2";

/// Figure 2.
pub(in crate::experiments) fn bimodal_scenarios(experiment: &Experiment<'_>) -> Result<Section> {
    let half = CANDIDATES / 2;
    let all = [
        ("scenario 1", "high scores are the sensitive ones", bimodal(Relation::Positive, half)),
        ("scenario 2", "low scores are the sensitive ones", bimodal(Relation::Negative, half)),
        ("scenario 3", "no relation", bimodal(Relation::None, half)),
    ];
    let (errors, figures) = scenarios(experiment, "scenarios-1-3", &all)?;
    let mut blocks = vec![paragraph(
        "Half of 100 candidates have the score 1, half -1; half have the sensitivity 1.8, half 1. The \
         error of a draw is the best score minus that of the pick.",
    )];
    blocks.extend(figures);
    blocks.extend(bimodal_claims().iter().map(|claim| claim.block(&errors)));
    Ok(Section::new("scenarios-1-3", "Scenarios 1 to 3: two levels (figure 2)", blocks))
}

fn bimodal_claims() -> [Claim<'static>; 5] {
    let claim =
        |statement, orders, epsilons| Claim { statement, source: BIMODAL, orders, epsilons };
    [
        claim(
            "Scenario 1 has positive correlation so RS and mGEM perform the best, followed by RNM, \
             followed by GEM.",
            &[
                ("scenario 1", "rs", "rnm"),
                ("scenario 1", "mgem", "rnm"),
                ("scenario 1", "rnm", "gem"),
            ],
            &MODERATE,
        ),
        claim(
            "The ordering is flipped in scenario 2 where we have negative correlation.",
            &[
                ("scenario 2", "gem", "rnm"),
                ("scenario 2", "rnm", "rs"),
                ("scenario 2", "rnm", "mgem"),
            ],
            &MODERATE,
        ),
        claim(
            "When epsilon is small, selecting the wrong heterogeneous noise mechanism can result in \
             performance that is worse than random selection.",
            &[
                ("scenario 1", "random", "gem"),
                ("scenario 2", "random", "mgem"),
                ("scenario 2", "random", "rs"),
            ],
            &SMALL,
        ),
        claim(
            "In scenario 3, the three mechanisms that utilise heterogeneity all perform slightly worse \
             than RNM.",
            &[
                ("scenario 3", "rnm", "rs"),
                ("scenario 3", "rnm", "gem"),
                ("scenario 3", "rnm", "mgem"),
            ],
            &EPSILONS,
        ),
        claim(
            "Although there is no negative correlation, GEM outperforms RS and mGEM.",
            &[("scenario 3", "gem", "rs"), ("scenario 3", "gem", "mgem")],
            &EPSILONS,
        ),
    ]
}

/// Figure 8.
pub(in crate::experiments) fn drawn_scenarios(experiment: &Experiment<'_>) -> Result<Section> {
    let draws = (experiment.seed, TRIALS * experiment.trials);
    let all = [
        ("scenario 4", "sensitivities rise with the scores", fourth(draws)),
        ("scenario 5", "sensitivities fall with the scores", fifth(draws)),
        ("scenario 6", "no relation", sixth(draws)),
    ];
    let (errors, figures) = scenarios(experiment, "scenarios-4-6", &all)?;
    let mut blocks = vec![paragraph(
        "Scores are drawn anew in each trial. A candidate's sensitivity is the difference of the 5% and \
         95% quantiles of its scores, which are clipped to that range. The text of the paper has lost \
         the laws; these are readings with the correlations that it describes. Scenario 4: N(a/10, \
         sd_a) for candidate a, the standard deviations being draws from U(0, 1) in increasing order. \
         Scenario 5: N(a/10, 1 - a/101). Scenario 6: N(mu_a, sd_a) with draws from U(0, 10) and U(0, 1).",
    )];
    blocks.extend(figures);
    blocks.extend(drawn_claims().iter().map(|claim| claim.block(&errors)));
    Ok(Section::new("scenarios-4-6", "Scenarios 4 to 6: drawn scores (figure 8)", blocks))
}

fn drawn_claims() -> [Claim<'static>; 6] {
    let claim = |statement, source, orders, epsilons| Claim { statement, source, orders, epsilons };
    [
        claim(
            "GEM does not perform well in the presence of positive correlation, and vice-versa for mGEM \
             and RS.",
            DRAWN,
            &[
                ("scenario 4", "mgem", "rnm"),
                ("scenario 4", "rs", "rnm"),
                ("scenario 4", "rnm", "gem"),
            ],
            &MODERATE,
        ),
        claim(
            "GEM does perform well in the presence of negative correlation, and vice-versa for mGEM and \
             RS.",
            DRAWN,
            &[
                ("scenario 5", "gem", "rnm"),
                ("scenario 5", "rnm", "mgem"),
                ("scenario 5", "rnm", "rs"),
            ],
            &MODERATE,
        ),
        claim(
            "GEM does perform well in the absence of correlation, and vice-versa for mGEM and RS.",
            DRAWN,
            &[
                ("scenario 6", "gem", "mgem"),
                ("scenario 6", "gem", "rs"),
                ("scenario 6", "rnm", "mgem"),
                ("scenario 6", "rnm", "rs"),
            ],
            &MODERATE,
        ),
        claim(
            "In scenario 4, kRR improves the slowest with epsilon, followed by RNM.",
            WORKSHOP,
            &[
                ("scenario 4", "rnm", "krr"),
                ("scenario 4", "rnm-h", "rnm"),
                ("scenario 4", "rs", "rnm"),
            ],
            &["0.25", "0.5", "1", "2", "4"],
        ),
        claim(
            "When epsilon is very large, RS converges with more error than the other algorithms.",
            WORKSHOP,
            &[
                ("scenario 4", "rnm", "rs"),
                ("scenario 4", "gem", "rs"),
                ("scenario 4", "mgem", "rs"),
                ("scenario 4", "krr", "rs"),
            ],
            &["16"],
        ),
        claim(
            "Scenarios 5 and 6 demonstrate that homogeneous noise is preferable when there is no or \
             negative correlation.",
            WORKSHOP,
            &[
                ("scenario 5", "rnm", "rnm-h"),
                ("scenario 5", "rnm", "rs"),
                ("scenario 6", "rnm", "rnm-h"),
                ("scenario 6", "rnm", "rs"),
            ],
            &MODERATE,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use dpsis::report::Agreement;

    use super::*;
    use crate::experiments::experiment::with;
    use crate::experiments::heterogeneous::candidates::Candidates;

    /// A comparison counts from three standard errors on: if the true order is the reverse, it
    /// counts with a probability below 0.0014. The seed is fixed.
    fn assert_matches(
        all: &[(&str, &str, Candidates)],
        experiment: &Experiment<'_>,
        claims: &[Claim<'_>],
    ) {
        let (errors, _) = scenarios(experiment, "x", all).unwrap();
        for claim in claims {
            assert_eq!(claim.agreement(&errors), Agreement::Matches, "{}", claim.statement);
        }
    }

    #[test]
    fn the_order_in_scenarios_1_and_2_matches_the_paper() {
        with(20, 2, |experiment| {
            let half = CANDIDATES / 2;
            let all = [
                ("scenario 1", "", bimodal(Relation::Positive, half)),
                ("scenario 2", "", bimodal(Relation::Negative, half)),
            ];
            assert_matches(&all, experiment, &bimodal_claims()[..3]);
        });
    }

    #[test]
    fn the_order_in_scenarios_4_and_5_matches_the_paper() {
        with(10, 2, |experiment| {
            let draws = (experiment.seed, TRIALS * experiment.trials);
            let all = [("scenario 4", "", fourth(draws)), ("scenario 5", "", fifth(draws))];
            assert_matches(&all, experiment, &drawn_claims()[..2]);
        });
    }
}
