//! Simulation of what a selection would find, before any data are touched.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dpsis::internals::checked_threads;
use dpsis::report::to_json;
use dpsis::{Epsilon, Result};
use dpsis_eval::OutputFolder;
use dpsis_eval::plan::{PlanRequest, contenders, plan as run_plan, shares};
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::interruptible::{Watch, run_detached};

/// The options of a plan; numbers that are read exactly come as text.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    n: u64,
    d: usize,
    k: usize,
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
    let request = options.request().and_then(|request| request.check().map(|()| request));
    let request = request.or_raise(py)?;
    let watch = Watch::default();
    let steps = watch.clone();
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
    fn request(&self) -> Result<PlanRequest> {
        let epsilon: Epsilon = self.epsilon.parse()?;
        let mut over = self.over.iter().map(|one| one.parse()).collect::<Result<Vec<Epsilon>>>()?;
        if !over.contains(&epsilon) {
            over.push(epsilon.clone());
        }
        over.sort();
        Ok(PlanRequest {
            rows: self.n,
            features: self.d,
            k: self.k,
            epsilon,
            share: self.share,
            score: self.score.parse()?,
            neighbors: self.neighbors.parse()?,
            split: shares(&self.shares)?,
            contenders: contenders(self.k, &self.mechanisms, &self.gamma)?,
            over,
            all_over: self.output.is_some(),
            strength: self.strength,
            draws: self.draws,
            seed: self.seed,
            threads: checked_threads(self.threads)?,
        })
    }
}
