//! `dpsis verify`: the enumeration behind a mechanism's claim.

use std::cell::Cell;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use crate::mechanism_arguments::ParameterArguments;
use crate::output::{self, Destination, TextOrJson};
use crate::progress::Steps;
use dpsis::internals::{grouped, wrapped};
use dpsis::mechanism::CARDS;
use dpsis::report::{to_json, verification};
use dpsis::verify::{Enumerated, VerifyOptions, largest_share, variants};
use dpsis::{Epsilon, Error, Result};

/// Check a mechanism's claim on all neighboring scores.
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

    /// Compare this many draws of the code with the exact distribution, too (G-test, alpha 1e-6)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    draws: Option<u64>,

    /// With --draws: draw from a given seed
    #[arg(long, value_name = "N", requires = "draws", hide_short_help = true)]
    seed: Option<u64>,

    /// text or json
    #[arg(
        long,
        value_enum,
        default_value_t = TextOrJson::Text,
        hide_possible_values = true,
        help_heading = "Output"
    )]
    format: TextOrJson,

    /// Write the output to this file, whole or not at all
    #[arg(short, long, value_name = "FILE", hide_short_help = true, help_heading = "Output")]
    output: Option<PathBuf>,

    /// No progress on the terminal
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    no_progress: bool,
}

const MORE: &str = "More options, with examples: dpsis verify --help";

const AFTER_HELP: &str = "\
Examples:
  dpsis verify
  dpsis verify canonical --k 2 --d 5 --gamma 1/4 --eps 0.5
  dpsis verify canonical --variant printed-class-sizes
  dpsis verify gem --sensitivities 1,1,5 --levels 12
  dpsis verify peel --k 3 --draws 100000

Exit codes: 0 all claims hold on the grid; 1 a claim is violated (as it should
be for a broken variant); 2 wrong request; 5 writing failed.";

/// Runs the requested checks; returns whether everything holds.
pub(super) fn verify(arguments: &VerifyArguments) -> Result<bool> {
    if arguments.list {
        Destination::Stdout.write(&list())?;
        return Ok(true);
    }
    let destination = Destination::check(arguments.output.as_deref(), &[])?;
    let steps = Steps::new(!arguments.no_progress);
    match &arguments.mechanism {
        Some(id) => {
            let found = arguments.check(id, &steps)?;
            destination.write(&match arguments.format {
                TextOrJson::Json => to_json(&found)?,
                TextOrJson::Text => verification(&found),
            })?;
            Ok(found.holds())
        }
        None => {
            if arguments.parameters.is_given() {
                return Err(Error::request("give the mechanism that takes this parameter"));
            }
            let all: Vec<Enumerated> =
                CARDS.iter().map(|card| arguments.check(card.id, &steps)).collect::<Result<_>>()?;
            destination.write(&match arguments.format {
                TextOrJson::Json => to_json(&all)?,
                TextOrJson::Text => table(&all),
            })?;
            Ok(all.iter().all(Enumerated::holds))
        }
    }
}

impl VerifyArguments {
    /// Enumerates a mechanism, and tests its draws if requested.
    fn check(&self, id: &str, steps: &Steps) -> Result<Enumerated> {
        let (start, seconds) = (Instant::now(), Cell::new(0.0));
        let checked = self.options(id).check(|share| {
            seconds.set(start.elapsed().as_secs_f64());
            steps.show(&format!("verify {id}"), share);
        });
        steps.finish();
        let checked = checked?;
        let seconds = seconds.get();
        if self.mechanism.is_some() && seconds > 1.0 {
            let pairs = grouped(checked.found.work.pairs);
            output::remark(&format!("{pairs} pairs in {seconds:.1} s\n"));
        }
        Ok(checked)
    }

    fn options(&self, id: &str) -> VerifyOptions {
        VerifyOptions {
            mechanism: id.to_owned(),
            variant: self.variant.clone(),
            epsilon: self.eps.as_ref().map(ToString::to_string),
            k: self.k,
            d: self.d,
            levels: self.levels,
            steps: self.steps,
            sensitivities: self.sensitivities.clone(),
            monotonic: self.monotonic,
            parameters: self.parameters.named(),
            draws: self.draws,
            seed: self.seed,
        }
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

/// All mechanisms, one per line.
fn table(all: &[Enumerated]) -> String {
    let draws = all.iter().any(|one| one.sampler.is_some());
    let mut text = format!(
        "{:<18}{:>2}{:>4}{:>10}{:>12}  {:<10}{}\n",
        "mechanism",
        "k",
        "d",
        "outcomes",
        "pairs",
        "loss/eps",
        if draws { "result    draws" } else { "result" }
    );
    for Enumerated { found, sampler, .. } in all {
        let drawn = match sampler {
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
    let broken = all.iter().filter(|one| !one.found.holds).count();
    let _ = writeln!(
        text,
        "{} of {} hold at epsilon {} on these grids, of {} pairs",
        all.len() - broken,
        all.len(),
        all.first().map(|one| one.found.epsilon.to_string()).unwrap_or_default(),
        grouped(all.iter().map(|one| one.found.work.pairs).sum())
    );
    text
}
