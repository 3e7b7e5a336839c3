//! Choices among candidates.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dpsis::mechanism::{Parameters, by_id};
use dpsis::{CandidateColumns, Candidates, Choose, ChosenCandidate, Error, Ledger, Parameter};
use dpsis::{Result, RunNote};
use extendr_api::prelude::*;
use serde::Deserialize;

use crate::errors::found_or_error;
use crate::released::{Terms, read, released};

extendr_module! {
    mod choose;
    fn choose;
}

/// Candidates: a file, or names with scores and perhaps sensitivities, as decimal text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stated {
    File(PathBuf),
    Each(Vec<(String, String, String)>),
    Common(Vec<(String, String)>),
}

/// The options of a choice; numbers that are read exactly are texts.
#[derive(Deserialize)]
struct Options {
    candidates: Stated,
    /// The names of the columns of names, scores and sensitivities, by these words.
    #[serde(default)]
    columns: BTreeMap<String, String>,
    k: Option<usize>,
    above: Option<String>,
    epsilon: String,
    delta: Option<String>,
    sensitivity: Option<String>,
    neighbors: Option<String>,
    #[serde(default)]
    monotonic: bool,
    mechanism: Option<String>,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
}

/// Chooses candidates by options and terms in JSON.
#[extendr]
fn choose(options: &str, terms: &str) -> List {
    found_or_error(chosen(options, terms))
}

fn chosen(options: &str, terms: &str) -> Result<List> {
    let options: Options = read(options)?;
    let Terms { run: (day, asked), ledger, seed } = Terms::new(terms)?;
    let (request, note) = (options.request()?, RunNote::new(day, asked));
    if let Some(seed) = seed {
        let record = request.seed(seed).run(&options.candidates()?)?.with_run(note);
        return released(&record, &indices(&record.selected));
    }
    let choice = match &ledger {
        Some((path, entry)) => {
            let ledger = Ledger::open(path)?;
            request.run_with_ledger(|| options.candidates(), &ledger, entry)
        }
        None => request.run(&options.candidates()?),
    }?;
    let choice = choice.with_run(note);
    released(&choice, &indices(&choice.selected))
}

fn indices(selected: &[ChosenCandidate]) -> Vec<usize> {
    selected.iter().map(|one| one.index).collect()
}

impl Options {
    fn request(&self) -> Result<Choose> {
        let all = if self.above.is_some() { usize::MAX } else { 1 };
        let mut request = Choose::new(self.k.unwrap_or(all))
            .epsilon(self.epsilon.as_str())
            .monotonic(self.monotonic);
        if let Some(neighbors) = &self.neighbors {
            request = request.neighbors(neighbors.parse()?);
        }
        if let Some(delta) = &self.delta {
            request = request.delta(delta.as_str());
        }
        let parameters = Parameters::named(&self.parameters)?;
        if let Some(level) = &self.above {
            request = request.above(level, parameters.clone());
        }
        let needs_one = self.above.is_none() && !self.parameters.is_empty();
        if self.mechanism.is_some() || needs_one {
            let id = self.mechanism.as_deref().unwrap_or("canonical");
            request = request.mechanism(by_id(id, &parameters)?);
        }
        Ok(request)
    }

    fn candidates(&self) -> Result<Candidates> {
        match &self.candidates {
            Stated::File(path) => {
                let mut columns = CandidateColumns::default();
                for (role, name) in &self.columns {
                    let column = match role.as_str() {
                        "name" => &mut columns.name,
                        "score" => &mut columns.score,
                        "sensitivity" => &mut columns.sensitivity,
                        _ => {
                            let rule = "the columns are name, score and sensitivity";
                            let about = [Parameter::CandidateColumns];
                            return Err(Error::request(rule).about(about));
                        }
                    };
                    *column = Some(name.clone());
                }
                Candidates::read_columns(path, &columns, self.sensitivity.as_deref())
            }
            Stated::Each(all) => Candidates::with_sensitivities(all.iter().cloned()),
            Stated::Common(all) => {
                let sensitivity = self.sensitivity.as_deref().ok_or_else(|| {
                    let rule =
                        "the sensitivity must be stated: how much one row can change a score";
                    Error::request(rule).about([Parameter::Sensitivity])
                })?;
                Candidates::new(all.iter().cloned(), sensitivity)
            }
        }
    }
}
