//! Simulation of what a selection would find, before any data are touched.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dpsis::internals::{ALPHA, checked_threads};
use dpsis::report::to_json;
use dpsis::{Epsilon, Result};
use dpsis_eval::OutputFolder;
use dpsis_eval::plan::{
    BeyondRequest, PlanRequest, contenders, plan as run_plan, plan_beyond, shares,
};
use extendr_api::prelude::*;
use serde::Deserialize;

use crate::errors::found_or_error;
use crate::interruptible::{Watch, run};
use crate::released::read;

extendr_module! {
    mod plan;
    fn plan;
}

/// The options of a plan; numbers that are read exactly are texts.
#[derive(Deserialize)]
struct Options {
    n: u64,
    d: usize,
    k: Option<usize>,
    fwer: Option<String>,
    epsilon: String,
    share: Option<f64>,
    strength: Option<f64>,
    over: Vec<String>,
    score: String,
    #[serde(default)]
    mechanism: Vec<String>,
    #[serde(default)]
    gamma: Vec<String>,
    neighbors: String,
    #[serde(default)]
    shares: BTreeMap<String, String>,
    draws: Option<u64>,
    output: Option<PathBuf>,
    #[serde(default)]
    seed: u64,
    threads: Option<usize>,
}

/// Plans a selection by options in JSON: the outlook as `json` and as `report`.
#[extendr]
fn plan(options: &str, look: Function) -> List {
    found_or_error(planned(options, &look))
}

fn planned(options: &str, look: &Function) -> Result<List> {
    let options: Options = read(options)?;
    let Some(k) = options.k else {
        let (watch, request) = (Watch::default(), options.beyond()?);
        let outlook = run(&watch, look, || plan_beyond(&request, &|share| watch.step(share)))?;
        return Ok(list!(json = to_json(&outlook)?, report = outlook.text()));
    };
    let request = options.request(k)?;
    request.check()?;
    let watch = Watch::default();
    let outlook = run(&watch, look, || {
        let folder = options.output.as_deref().map(|path| OutputFolder::open(path, "plan"));
        let folder = folder.transpose()?;
        let outlook = run_plan(&request, &|share| watch.step(share))?;
        if let Some(folder) = &folder {
            outlook.write(folder)?;
        }
        Ok(outlook)
    })?;
    Ok(list!(json = to_json(&outlook)?, report = outlook.text()))
}

impl Options {
    /// The epsilons to look at, ascending.
    fn over(&self, epsilon: &Epsilon) -> Result<Vec<Epsilon>> {
        let mut over = self.over.iter().map(|one| one.parse()).collect::<Result<Vec<Epsilon>>>()?;
        if !over.contains(epsilon) {
            over.push(epsilon.clone());
        }
        over.sort();
        Ok(over)
    }

    /// The plan of a selection of all features beyond chance.
    fn beyond(&self) -> Result<BeyondRequest> {
        let epsilon: Epsilon = self.epsilon.parse()?;
        Ok(BeyondRequest {
            rows: self.n,
            features: self.d,
            fwer: self.fwer.clone().unwrap_or_else(|| ALPHA.to_owned()),
            over: self.over(&epsilon)?,
            epsilon,
            share: self.share,
            score: self.score.parse()?,
            neighbors: self.neighbors.parse()?,
            split: self.shares.clone(),
            strength: self.strength,
        })
    }

    fn request(&self, k: usize) -> Result<PlanRequest> {
        let epsilon: Epsilon = self.epsilon.parse()?;
        Ok(PlanRequest {
            rows: self.n,
            features: self.d,
            k,
            over: self.over(&epsilon)?,
            epsilon,
            share: self.share,
            score: self.score.parse()?,
            neighbors: self.neighbors.parse()?,
            split: shares(&self.shares)?,
            contenders: contenders(k, &self.mechanism, &self.gamma)?,
            all_over: self.output.is_some(),
            strength: self.strength,
            draws: self.draws,
            seed: self.seed,
            threads: checked_threads(self.threads)?,
        })
    }
}
