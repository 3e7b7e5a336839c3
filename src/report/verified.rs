//! The reports of enumerations and audits.

use super::text::wrap;
use crate::mechanism::{CARDS, Sensitivity};
use crate::verify::{Audited, Enumerated, EventKind, Verified};

/// The results of an enumeration, in lines.
pub fn verification(checked: &Enumerated) -> String {
    let Enumerated { found, sampler: fit } = checked;
    let mut text = String::new();
    let mut line = |label: &str, words: &str| wrap(&mut text, label, words);
    line("mechanism", &name(found));
    if let Some(mistake) = found.variant {
        line("broken", mistake);
    }
    line("claim", &format!("epsilon {}", found.epsilon));
    line("scores", &grid(found));
    line(
        "checked",
        &format!(
            "{} outcomes, {} score vectors, {} ordered pairs of neighbors",
            grouped(found.work.outcomes),
            grouped(found.work.vectors),
            grouped(found.work.pairs)
        ),
    );
    line(
        "largest",
        &format!("|ln P/P'| = {:.6} = {:.6} epsilon", found.max_log_ratio, found.share),
    );
    if let Some(at) = &found.at {
        let unit = unit(found);
        let outcome: Vec<String> = at.outcome.iter().map(|i| (i + 1).to_string()).collect();
        line(
            "at",
            &format!(
                "scores {} and {}: candidate{} {}, P = {:.6}, P' = {:.6}",
                scores(&at.scores, unit),
                scores(&at.neighbor, unit),
                if outcome.len() == 1 { "" } else { "s" },
                outcome.join(", "),
                at.probabilities[0],
                at.probabilities[1]
            ),
        );
    }
    if let Some(slack) = found.slack {
        line("below 1", slack);
    }
    if let Some(fit) = fit {
        for fitted in &fit.fits {
            let result = match (fitted.impossible, fitted.g <= fitted.bound) {
                (true, _) => "an outcome was drawn that has probability 0".to_owned(),
                (false, true) => {
                    format!(
                        "agree with the exact distribution (G = {:.1}, at most {:.1})",
                        fitted.g, fitted.bound
                    )
                }
                (false, false) => {
                    format!(
                        "differ from the exact distribution (G = {:.1}, above {:.1})",
                        fitted.g, fitted.bound
                    )
                }
            };
            line(
                "draws",
                &format!(
                    "{} at scores {}: {result}",
                    grouped(fit.draws.into()),
                    scores(&fitted.scores, unit(found))
                ),
            );
        }
    }
    if let Some(share) = found.false_discoveries {
        line("false", &format!("names at or below the level: at most {share:.6} of their bound"));
    }
    let result = if found.holds {
        "holds: no probability on this grid changes by more than a factor of e^epsilon"
    } else {
        "violates: this is not private at the claimed epsilon"
    };
    line("result", result);
    if fit.as_ref().is_some_and(|fit| !fit.holds) {
        line("", "the draws do not have the exact distribution that was checked");
    }
    text
}

/// The number of grid steps in the sensitivity, if it is common.
fn unit(found: &Verified) -> Option<u32> {
    let card = CARDS.into_iter().find(|card| card.id == found.mechanism);
    let own = card.is_some_and(|card| card.sensitivity == Sensitivity::Own);
    found.sensitivities.first().copied().filter(|_| !own)
}

fn name(found: &Verified) -> String {
    let parameters = found.parameters.iter().map(|(name, value)| format!(", {name} {value}"));
    format!("{}{}, k = {}", found.mechanism, parameters.collect::<String>(), found.k)
}

/// Describes the grid.
fn grid(found: &Verified) -> String {
    let (d, last) = (found.candidates, found.levels - 1);
    match unit(found) {
        Some(steps) => {
            let shown = |step: u32| scores(&[step.into()], Some(steps));
            let one_way = if found.monotonic { ", all moving in one direction" } else { "" };
            format!(
                "{d} candidates, each from 0 to {} sensitivities in steps of {}{one_way}",
                shown(last),
                shown(1)
            )
        }
        None => {
            let own: Vec<String> = found.sensitivities.iter().map(u32::to_string).collect();
            format!("{d} candidates with sensitivities {}, each from 0 to {last}", own.join(", "))
        }
    }
}

/// Scores in units of the sensitivity, if it is common.
fn scores(steps: &[i64], unit: Option<u32>) -> String {
    let shown = |&step: &i64| {
        let value = step as f64 / f64::from(unit.unwrap_or(1));
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    steps.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// A number with commas between thousands.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The findings of an audit, in lines.
pub fn audit(found: &Audited) -> String {
    let mut text = String::new();
    let mut line = |label: &str, words: &str| wrap(&mut text, label, words);
    let delta = if found.delta > 0.0 { format!(", delta {}", found.delta) } else { String::new() };
    line("claim", &format!("epsilon {}{delta}", found.epsilon));
    line(
        "draws",
        &format!(
            "{} on each table, {} different outcome{}",
            grouped(found.draws[0].into()),
            grouped(found.outcomes as u128),
            if found.outcomes == 1 { "" } else { "s" }
        ),
    );
    if let Some(event) = &found.event {
        let what = match event.kind {
            EventKind::Outcomes(1) => "one outcome".to_owned(),
            EventKind::Outcomes(number) => format!("a set of {} outcomes", grouped(number as u128)),
            EventKind::Picked(candidate) => format!("candidate {} is picked", candidate + 1),
        };
        let [a, b] = event.counts.map(|count| grouped(count.into()));
        let [of_a, of_b] = event.of.map(|count| grouped(count.into()));
        line(
            "event",
            &format!("{what}: {a} of {of_a} draws on the first table, {b} of {of_b} on the second"),
        );
    }
    let (bound, epsilon) = (found.lower_bound, &found.epsilon);
    let result = if found.consistent {
        format!(
            "consistent with epsilon <= {epsilon}: the largest lower bound found is {bound:.3}. This is not a proof"
        )
    } else {
        format!(
            "violates epsilon = {epsilon}: lower bound {bound:.3} (confidence 1 - {:e})",
            found.alpha
        )
    };
    line("result", &result);
    text
}
