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
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::interruptible::{Watch, run_detached};

/// The options of a plan; numbers that are read exactly come as text.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    n: u64,
    d: usize,
    k: Option<usize>,
    fwer: Option<String>,
    epsilon: String,
    share: Option<f64>,
    strength: Option<f64>,
    over: Vec<String>,
    score: String,
    mechanisms: Vec<String>,
    gamma: Vec<String>,
    neighbors: String,
    shares: BTreeMap<String, String>,
    draws: Option<u64>,
    output: Option<PathBuf>,
    seed: u64,
    threads: Option<usize>,
}

/// Plans a selection: the outlook as JSON and as text.
#[pyfunction]
pub(crate) fn plan(
    py: Python<'_>,
    options: Options,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let watch = Watch::default();
    let steps = watch.clone();
    let Some(k) = options.k else {
        let request = options.beyond().or_raise(py)?;
        return run_detached(py, &watch, progress.as_ref(), move || {
            let outlook = plan_beyond(&request, &|share| steps.step(share))?;
            Ok((to_json(&outlook)?, outlook.text()))
        });
    };
    let request = options.request(k).and_then(|request| request.check().map(|()| request));
    let request = request.or_raise(py)?;
    run_detached(py, &watch, progress.as_ref(), move || {
        let folder = options.output.as_deref().map(|path| OutputFolder::open(path, "plan"));
        let folder = folder.transpose()?;
        let outlook = run_plan(&request, &|share| steps.step(share))?;
        if let Some(folder) = &folder {
            outlook.write(folder)?;
        }
        Ok((to_json(&outlook)?, outlook.text()))
    })
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
            contenders: contenders(k, &self.mechanisms, &self.gamma)?,
            all_over: self.output.is_some(),
            strength: self.strength,
            draws: self.draws,
            seed: self.seed,
            threads: checked_threads(self.threads)?,
        })
    }
}
