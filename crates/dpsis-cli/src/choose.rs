//! The command `choose`.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::arguments::{Format, OutputArguments};
use crate::choose_arguments::{ChooseArguments, ChooseJob};
use crate::output::{self, Destination};
use dpsis::NotPrivate;
use dpsis::Trials;
use dpsis::mechanism::{Baseline, advise};
use dpsis::report;
use dpsis::{Error, Result};

pub(super) fn choose(arguments: &ChooseArguments) -> Result<()> {
    let job = arguments.job()?;
    let inputs = [arguments.file.as_path()];
    let OutputArguments { format, output, quiet } = &arguments.output;
    let destination = Destination::check(output.as_deref(), &inputs)?;
    let (format, quiet) = (*format, *quiet);
    if arguments.advise {
        let scores = job.candidates.scores(job.neighbors, job.monotonic)?;
        return say_advice(&advise(&scores, &job.epsilon), format, destination);
    }
    if let Some(trials) = job.trials {
        if format != Format::Text {
            return Err(Error::request("trials are counted tab-separated: no --format"));
        }
        // Only where the mechanism releases it.
        let noisy = !matches!(job.baseline, Some(Baseline::Best | Baseline::Random));
        let released = job.request.releases_order() || job.baseline.is_some() && noisy;
        let ordered = arguments.ordered && released;
        let document = outcomes(&job, trials, arguments.seed, if ordered { ">" } else { "+" })?;
        output::remark(&format!(
            "NOT PRIVATE: {trials} choices at epsilon {0} each spent {trials} times {0}; this is an \
             evaluation, not a release\n",
            job.epsilon
        ));
        return destination.write(&document);
    }
    match (job.baseline, arguments.seed) {
        (Some(baseline), seed) => compare(&job, baseline, seed, format, destination),
        (None, None) => {
            output::write(&job.request.run(&job.candidates)?, format, quiet, destination)
        }
        (None, Some(seed)) => {
            let choice = job.request.seed(seed).run(&job.candidates)?;
            output::write(&choice, format, quiet, destination)
        }
    }
}

/// How often each outcome came: names joined by `>` in the order of the picks, or by `+` in that of the
/// file.
fn outcomes(job: &ChooseJob, trials: u64, seed: Option<u64>, join: &str) -> Result<String> {
    let names = job.candidates.names();
    if names.iter().any(|name| name.contains(join) || name.contains('\t')) {
        let rule = format!("to tell outcomes apart no name may hold {join:?} or a tab");
        return Err(Error::request(rule));
    }
    let counted: NotPrivate<Trials> = match (job.baseline, seed) {
        (Some(baseline), seed) => {
            let scores = job.candidates.scores(job.neighbors, job.monotonic)?;
            Trials::of_baseline(baseline, &scores, job.k, &job.epsilon, trials, seed)?
        }
        (None, Some(seed)) => job.request.clone().seed(seed).trials(&job.candidates, trials)?,
        (None, None) => job.request.trials(&job.candidates, trials)?,
    };
    let counts: BTreeMap<Vec<usize>, u64> =
        if join == ">" { counted.counts.clone() } else { counted.unordered() };
    let mut text = String::from("outcome\tcount\n");
    for (outcome, count) in counts {
        let names: Vec<&str> = outcome.iter().map(|&i| names[i].as_str()).collect();
        let _ = writeln!(text, "{}\t{count}", names.join(join));
    }
    Ok(text)
}

/// A choice for comparison: the names, and that they are not private.
fn compare(
    job: &ChooseJob,
    baseline: Baseline,
    seed: Option<u64>,
    format: Format,
    destination: Destination,
) -> Result<()> {
    let rule = "a choice for comparison comes as text, json or tsv";
    if format == Format::Html {
        return Err(Error::request(rule));
    }
    let scores = job.candidates.scores(job.neighbors, job.monotonic)?;
    let picks = baseline.pick(&scores, job.k, &job.epsilon, seed)?;
    output::remark("NOT PRIVATE: a choice for comparison, by scores that must be public\n");
    let picked = picks.iter().map(|&i| (i + 1, job.candidates.names()[i].as_str()));
    destination.write(&match format {
        Format::Text => picked.map(|(_, name)| format!("{name}\n")).collect(),
        Format::Tsv => {
            let line =
                |(place, name): (usize, &str)| format!("{}\t{place}\n", name.replace('\t', " "));
            std::iter::once("name\trow\n".to_owned()).chain(picked.map(line)).collect()
        }
        Format::Json => {
            let selected: Vec<_> = picked
                .map(|(index, name)| serde_json::json!({ "name": name, "row": index }))
                .collect();
            report::to_json(&serde_json::json!({
                "version": env!("CARGO_PKG_VERSION"),
                "command": "choose",
                "private": false,
                "selected": selected,
            }))?
        }
        Format::Html => return Err(Error::request(rule)),
    })
}

fn say_advice(
    advice: &dpsis::mechanism::Advice,
    format: Format,
    destination: Destination,
) -> Result<()> {
    output::remark("NOT PRIVATE: read off the scores; nothing of this may be passed on\n");
    if format == Format::Json {
        return destination.write(&report::to_json(advice)?);
    }
    if format != Format::Text {
        return Err(Error::request("advice comes as text or json"));
    }
    let worse = |yes: bool| if yes { "yes" } else { "no" };
    destination.write(&format!(
        "mechanism  {} ({})\npearson    {:+.3}\nspearman   {:+.3}\nweighted   {:+.3}\n\
         GEM bound  worse than report-noisy-max: {}; vacuous: {}\n",
        advice.mechanism,
        advice.reason,
        advice.pearson,
        advice.spearman,
        advice.weighted,
        worse(advice.gem_bound_worse_than_noisy_max),
        worse(advice.gem_bound_vacuous)
    ))
}
