//! `dpsis verify`: the enumeration behind a mechanism's claim.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};

use crate::mechanism_arguments::ParameterArguments;
use crate::output::{self, Destination};
use crate::progress::Steps;
use dpsis::internals::wrapped;
use dpsis::mechanism::{CARDS, Sensitivity};
use dpsis::verify::{SamplerFit, Verification, Verified, largest_share, variants};
use dpsis::{Epsilon, Error, Result, report};

/// Check a mechanism's claim by its law on all neighboring scores.
///
/// The probability of every outcome is computed by its definition for every score vector of a small
/// grid, and compared between all neighbors. Without a mechanism, all are checked at small sizes.
/// No data is read.
#[derive(Debug, Args)]
#[command(after_help = MORE, after_long_help = AFTER_HELP)]
pub(super) struct VerifyArguments {
    /// The mechanism [default: all]
    #[arg(
        display_order = 0,
        hide_possible_values = true,
        value_parser = clap::builder::PossibleValuesParser::new(CARDS.map(|card| card.id)),
    )]
    mechanism: Option<String>,

    /// A broken variant of it, as printed-class-sizes of canonical
    #[arg(long, value_name = "NAME", requires = "mechanism")]
    variant: Option<String>,

    /// List the mechanisms with their broken variants
    #[arg(long, exclusive = true)]
    list: bool,

    /// The claim [default: 1]
    #[arg(
        short,
        long = "eps",
        visible_alias = "epsilon",
        value_name = "EPSILON",
        allow_hyphen_values = true
    )]
    eps: Option<Epsilon>,

    /// How many are picked [default: 2, or 1]
    #[arg(short, long, requires = "mechanism", help_heading = "Sizes")]
    k: Option<usize>,

    /// How many candidates there are [default: 4, or 3]
    #[arg(short, long = "d", value_name = "N", requires = "mechanism", help_heading = "Sizes")]
    d: Option<usize>,

    /// How many values a score takes [default: 8, 9 or 11]
    #[arg(long, value_name = "N", help_heading = "Sizes")]
    levels: Option<u32>,

    /// Steps of the scores in a sensitivity [default: 2]
    #[arg(long, value_name = "N", requires = "mechanism", help_heading = "Sizes")]
    steps: Option<u32>,

    /// gem, mgem, cgem, rs, rs-tnb: a sensitivity for each candidate, in steps [default: 1,2,4]
    #[arg(
        long,
        value_name = "S,S,...",
        value_delimiter = ',',
        requires = "mechanism",
        hide_short_help = true,
        help_heading = "Sizes"
    )]
    sensitivities: Option<Vec<u32>>,

    /// Between neighbors all scores move in one direction: less noise is enough
    #[arg(long, requires = "mechanism", hide_short_help = true, help_heading = "Sizes")]
    monotonic: bool,

    #[command(flatten)]
    parameters: ParameterArguments,

    /// Compare this many draws of the code with the law, too (G-test, alpha 1e-6)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    draws: Option<u64>,

    /// With --draws: draw from a stated seed
    #[arg(long, value_name = "N", requires = "draws", hide_short_help = true)]
    seed: Option<u64>,

    /// text or json
    #[arg(
        long,
        value_enum,
        default_value_t = VerifyFormat::Text,
        hide_possible_values = true,
        help_heading = "Output"
    )]
    format: VerifyFormat,

    /// Write the output to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", hide_short_help = true, help_heading = "Output")]
    output: Option<PathBuf>,

    /// No progress on the terminal
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    no_progress: bool,
}

const MORE: &str = "All options, with examples: dpsis verify --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis verify
  dpsis verify canonical --k 2 --d 5 --gamma 1/4 --eps 0.5
  dpsis verify canonical --variant printed-class-sizes
  dpsis verify gem --sensitivities 1,1,5 --levels 12
  dpsis verify peel --k 3 --draws 100000

Exit codes: 0 all claims hold on the grid; 1 a claim is violated (as it should
be for a broken variant); 2 wrong request; 5 writing failed.";

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VerifyFormat {
    Text,
    Json,
}

/// Checks what was asked for; whether everything holds.
pub(super) fn verify(arguments: &VerifyArguments) -> Result<bool> {
    if arguments.list {
        Destination::Stdout.write(&list())?;
        return Ok(true);
    }
    let destination = Destination::check(arguments.output.as_deref(), &[])?;
    let steps = Steps::new(!arguments.no_progress);
    match &arguments.mechanism {
        Some(id) => {
            let (found, fit) = arguments.check(id, &steps)?;
            let text = match arguments.format {
                VerifyFormat::Json => json(&found, fit.as_ref())?,
                VerifyFormat::Text => shown(&found, fit.as_ref()),
            };
            destination.write(&text)?;
            Ok(found.holds && fit.is_none_or(|fit| fit.holds))
        }
        None => {
            if arguments.parameters.is_stated() {
                return Err(Error::request("state the mechanism that takes this parameter"));
            }
            let all: Vec<_> =
                CARDS.iter().map(|card| arguments.check(card.id, &steps)).collect::<Result<_>>()?;
            let holds = |(found, fit): &(Verified, Option<SamplerFit>)| {
                found.holds && fit.as_ref().is_none_or(|fit| fit.holds)
            };
            let text = match arguments.format {
                VerifyFormat::Json => {
                    report::to_json(&all.iter().map(Line::of).collect::<Vec<_>>())?
                }
                VerifyFormat::Text => table(&all),
            };
            destination.write(&text)?;
            Ok(all.iter().all(holds))
        }
    }
}

/// The results, as one JSON object.
#[derive(serde::Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    found: &'a Verified,
    #[serde(skip_serializing_if = "Option::is_none")]
    sampler: Option<&'a SamplerFit>,
}

impl<'a> Line<'a> {
    fn of((found, fit): &'a (Verified, Option<SamplerFit>)) -> Self {
        Self { found, sampler: fit.as_ref() }
    }
}

fn json(found: &Verified, fit: Option<&SamplerFit>) -> Result<String> {
    report::to_json(&Line { found, sampler: fit })
}

impl VerifyArguments {
    /// Enumerates a mechanism, and tests its draws if wanted.
    fn check(&self, id: &str, steps: &Steps) -> Result<(Verified, Option<SamplerFit>)> {
        let verification = self.verification(id)?;
        if self.variant.is_some() && self.draws.is_some() {
            return Err(Error::request("a broken variant has a law, but nothing draws from it"));
        }
        let work = verification.work()?;
        let start = Instant::now();
        let found = verification.run(|share| steps.show(&format!("verify {id}"), share));
        steps.finish();
        let found = found?;
        let seconds = start.elapsed().as_secs_f64();
        if self.mechanism.is_some() && seconds > 1.0 {
            output::remark(&format!("{} pairs in {seconds:.1} s\n", grouped(work.pairs)));
        }
        let Some(draws) = self.draws else { return Ok((found, None)) };
        // Where the laws differ most; without such a pair at scores that fall.
        let scores = match &found.at {
            Some(at) => vec![at.scores.clone(), at.neighbor.clone()],
            None => vec![(0..found.candidates as i64).rev().collect()],
        };
        let fit = verification.fit(&scores, draws, self.seed)?;
        Ok((found, Some(fit)))
    }

    fn verification(&self, id: &str) -> Result<Verification> {
        let mut all = Verification::new(id)?.parameters(self.parameters.parameters()?);
        if let Some(name) = &self.variant {
            all = all.variant(name)?;
        }
        if let Some(eps) = &self.eps {
            all = all.epsilon(eps.clone());
        }
        if let Some(k) = self.k {
            all = all.k(k);
        }
        if let Some(d) = self.d {
            all = all.candidates(d);
        }
        if let Some(levels) = self.levels {
            all = all.levels(levels);
        }
        if let Some(steps) = self.steps {
            all = all.steps(steps);
        }
        if let Some(own) = &self.sensitivities {
            all = all.sensitivities(own.clone());
        }
        Ok(all.monotonic(self.monotonic))
    }
}

/// The mechanisms with their broken variants.
fn list() -> String {
    let mut text = String::new();
    for card in CARDS {
        let _ = writeln!(text, "{}", wrapped(&format!("{}: {}", card.id, card.summary), 2));
        let (share, slack) = largest_share(card);
        let reason = slack.map(|slack| format!(": {slack}")).unwrap_or_default();
        let found = format!("  largest loss found by the tests: {share} epsilon{reason}");
        let _ = writeln!(text, "{}", wrapped(&found, 4));
        for variant in variants(card) {
            let _ = writeln!(text, "  --variant {}", variant.name);
        }
    }
    text
}

/// The width of labels, in columns.
const LABEL: usize = 11;

/// The results, in lines.
fn shown(found: &Verified, fit: Option<&SamplerFit>) -> String {
    let mut text = String::new();
    let mut line = |label: &str, words: &str| {
        let _ = writeln!(text, "{}", wrapped(&format!("{label:<LABEL$}{words}"), LABEL));
    };
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
            let verdict = match (fitted.impossible, fitted.g <= fitted.bound) {
                (true, _) => "an outcome was drawn that the law excludes".to_owned(),
                (false, true) => {
                    format!("fit the law (G = {:.1}, at most {:.1})", fitted.g, fitted.bound)
                }
                (false, false) => {
                    format!("do not fit the law (G = {:.1}, above {:.1})", fitted.g, fitted.bound)
                }
            };
            line(
                "draws",
                &format!(
                    "{} at scores {}: {verdict}",
                    grouped(fit.draws.into()),
                    scores(&fitted.scores, unit(found))
                ),
            );
        }
    }
    if let Some(share) = found.false_names {
        line("false", &format!("names at or below the level: at most {share:.6} of their bound"));
    }
    let verdict = if found.holds {
        "holds: no probability on this grid changes by more than a factor of e^epsilon"
    } else {
        "violates: this is not private at the claimed epsilon"
    };
    line("verdict", verdict);
    if fit.is_some_and(|fit| !fit.holds) {
        line("", "the draws do not have the law that was checked");
    }
    text
}

/// The steps to the sensitivity, where it is common.
fn unit(found: &Verified) -> Option<u32> {
    let card = CARDS.into_iter().find(|card| card.id == found.mechanism);
    let own = card.is_some_and(|card| card.sensitivity == Sensitivity::Own);
    found.sensitivities.first().copied().filter(|_| !own)
}

fn name(found: &Verified) -> String {
    let parameters = found.parameters.iter().map(|(name, value)| format!(", {name} {value}"));
    format!("{}{}, k = {}", found.mechanism, parameters.collect::<String>(), found.k)
}

/// The grid in words.
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

/// Scores in units of the sensitivity, where it is common.
fn scores(steps: &[i64], unit: Option<u32>) -> String {
    let shown = |&step: &i64| {
        let value = step as f64 / f64::from(unit.unwrap_or(1));
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    steps.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// A number with commas between thousands.
pub(super) fn grouped(number: u128) -> String {
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

/// All mechanisms, one per line.
fn table(all: &[(Verified, Option<SamplerFit>)]) -> String {
    let draws = all.iter().any(|(_, fit)| fit.is_some());
    let mut text = format!(
        "{:<18}{:>2}{:>4}{:>10}{:>12}  {:<10}{}\n",
        "mechanism",
        "k",
        "d",
        "outcomes",
        "pairs",
        "loss/eps",
        if draws { "verdict   draws" } else { "verdict" }
    );
    for (found, fit) in all {
        let drawn = match fit {
            None => "",
            Some(fit) if fit.holds => "     fit",
            Some(_) => "     DO NOT FIT",
        };
        let _ = writeln!(
            text,
            "{:<18}{:>2}{:>4}{:>10}{:>12}  {:<10.6}{}{drawn}",
            found.mechanism,
            found.k,
            found.candidates,
            grouped(found.work.outcomes),
            grouped(found.work.pairs),
            found.share,
            if found.holds { "holds" } else { "VIOLATES" },
        );
    }
    let broken = all.iter().filter(|(found, _)| !found.holds).count();
    let _ = writeln!(
        text,
        "{} of {} hold at epsilon {} on these grids",
        all.len() - broken,
        all.len(),
        all.first().map(|(found, _)| found.epsilon.to_string()).unwrap_or_default()
    );
    text
}
