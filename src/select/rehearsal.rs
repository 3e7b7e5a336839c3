//! Many draws of one request on one public table: what does not depend on a draw is done once. What is
//! drawn is what a run would draw; nothing of it is a release.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::data::{Columns, Samples, Scaling, Source, UsableSamples};
use crate::error::{Error, Result};
use crate::exact::GRID;
use crate::mechanism::Mechanism;
use crate::method::dp_kendall;
use crate::privacy::{Epsilon, Neighbors};
use crate::random::Entropy;
use crate::score::{ClassSums, CorrelationSums, Scores, kendall_scores, kendall_with};
use crate::select::Select;
use crate::select::folds::{HeldCodes, Summed};
use crate::select::methods::{Ballots, BlockRows};
use crate::select::plan::{Plan, PlannedCoding, PlannedPath};
use crate::select::request::Request;
use crate::select::run::Run;

/// A request on a table that has been read.
pub struct Rehearsal {
    request: Request,
    features: usize,
    scaling: Scaling,
    gathered: Gathered,
}

/// RehearsalSeeds of one draw.
#[derive(Debug, Clone, Copy)]
pub struct RehearsalSeeds {
    /// Deals rows to blocks: draws that share it share the blocks, which takes the LASSO once.
    pub blocks: u64,
    /// Drives all else.
    pub draw: u64,
}

/// What is the same in all draws.
enum Gathered {
    Number(Summed<CorrelationSums>),
    Held(HeldCodes),
    Classes(Summed<ClassSums>),
    Scores(Scores),
    Blocks { rows: BlockRows, cast: Mutex<HashMap<Deal, Arc<Ballots>>> },
    Columns { columns: Held, target: Scores, shared: Mutex<HashMap<usize, Arc<[i64]>>> },
}

/// What ballots depend on: a seed, the number of blocks, and the median by its bits.
type Deal = (u64, u64, Option<u64>);

/// Scores shared with this many picks are kept.
const MOST_SHARED: usize = 2000;

impl Rehearsal {
    /// Reads a table. `paper` scales by the data. One thread draws: draws are what runs in parallel.
    pub fn new(select: Select, paper: bool, source: &(impl Source + ?Sized)) -> Result<Self> {
        // Neither k nor epsilon changes what is gathered.
        let select = select.epsilon("1".parse()?).threads(1);
        let mut request = select.check()?.0;
        request.paper = paper;
        request.check()?;
        let mut table = source.open(&request.opening())?;
        let features = table.schema().d();
        let scaling = request.scaling_of(table.schema())?;
        let plan = request.plan(features)?;
        let gathered = request.gather(&mut table, &plan, &scaling)?;
        Ok(Self { request, features, scaling, gathered })
    }

    /// One draw: the picks in the mechanism's order.
    pub fn picks(
        &self,
        k: usize,
        epsilon: &Epsilon,
        mechanism: Option<&Arc<dyn Mechanism>>,
        seeds: RehearsalSeeds,
    ) -> Result<Vec<usize>> {
        let mut request = self.request.clone();
        request.k = k;
        request.epsilon = Some(epsilon.clone());
        request.mechanism = mechanism.cloned().or(request.mechanism);
        request.entropy = Entropy::Seeded(seeds.draw);
        request.check()?;
        if k > self.features {
            return Err(Error::request(format!("k must not exceed {}", self.features)));
        }
        let plan = request.plan(self.features)?;
        let randomness = request.entropy.source()?;
        let run =
            Run { request: &request, plan: &plan, scaling: &self.scaling, randomness: &randomness };
        let scored = match (&self.gathered, &plan.path) {
            (Gathered::Number(summed), PlannedPath::Number { coding, center }) => {
                run.scored_number(coding, center, None, summed)?
            }
            (
                Gathered::Held(held),
                PlannedPath::Number {
                    coding: coding @ PlannedCoding::MedianSplit(epsilon),
                    center,
                },
            ) => {
                let median = run.median(&held.ranks(), epsilon);
                let summed = held.summed(CorrelationSums::new(self.features), median);
                run.scored_number(coding, center, Some(median), &summed)?
            }
            (Gathered::Classes(summed), PlannedPath::Classes { center, .. }) => {
                run.scored_classes(center, summed)?
            }
            (Gathered::Scores(scores), _) => run.scored(scores.clone()),
            (Gathered::Blocks { rows, cast }, PlannedPath::TwoStage(planned)) => {
                let dealer = Entropy::Seeded(seeds.blocks).source()?;
                let mut all = request.clone();
                all.k = usize::MAX;
                let dealt = Run { request: &all, randomness: &dealer, ..run };
                run.scored_two_stage(planned, rows, |y, blocks, median| {
                    let deal = (seeds.blocks, blocks, median.map(f64::to_bits));
                    kept(cast, deal, usize::MAX, || {
                        Ok(Arc::new(dealt.cast(planned, rows, y, blocks)))
                    })
                })?
            }
            (Gathered::Columns { columns, target, shared }, _) => {
                let of = |pick: usize| {
                    let scores = || Ok(Arc::from(kendall_with(columns, pick, 1)));
                    kept(shared, pick, MOST_SHARED, scores)
                };
                // Scores of columns cannot fail.
                let shared = |pick| of(pick).unwrap_or_else(|_: Error| Arc::from([]));
                return dp_kendall(target.clone(), shared, k, &plan.selection, &randomness);
            }
            _ => return Err(Error::request("the request does not fit what was gathered")),
        };
        run.choose(scored).map(|chosen| chosen.picks)
    }

    /// The scores without any noise, with the exact median and center. None for methods without scores.
    pub fn exact_scores(&self) -> Option<Result<Scores>> {
        let neighbors = Neighbors::AddRemove;
        Some(match &self.gathered {
            Gathered::Number(Summed { sums, .. }) => {
                sums.scores(exact_center(sums.target_sums()), neighbors)
            }
            Gathered::Held(held) => {
                let median = exact_median(held.targets());
                let sums = held.summed(CorrelationSums::new(self.features), median).sums;
                sums.scores(exact_center(sums.target_sums()), neighbors)
            }
            Gathered::Classes(Summed { sums, .. }) => {
                let rows = sums.rows().iter().sum::<u64>().max(1) as f64;
                let center = |count: &u64| (f64::from(GRID) * *count as f64 / rows).round() as i32;
                let centers: Vec<i32> = sums.rows().iter().map(center).collect();
                sums.scores(&centers, neighbors)
            }
            Gathered::Scores(scores) => Ok(scores.clone()),
            Gathered::Columns { target, .. } => Ok(target.clone()),
            Gathered::Blocks { .. } => return None,
        })
    }
}

impl Request {
    fn gather(&self, table: &mut impl Samples, plan: &Plan, scaling: &Scaling) -> Result<Gathered> {
        // Nothing is drawn while gathering.
        let randomness = Entropy::Seeded(0).source()?;
        let run = Run { request: self, plan, scaling, randomness: &randomness };
        let format = table.format().clone();
        let d = table.schema().d();
        Ok(match &plan.path {
            PlannedPath::Number { coding: PlannedCoding::MedianSplit(_), .. } => {
                Gathered::Held(run.hold(table)?)
            }
            PlannedPath::Number { coding: PlannedCoding::Stated(code), .. } => {
                let new = || CorrelationSums::new(d);
                Gathered::Number(run.fold(table, new, |cell| code.code(cell, &format, GRID))?)
            }
            PlannedPath::Classes { labels, .. } => {
                let new = || ClassSums::new(d, labels.as_slice().len());
                Gathered::Classes(run.fold(table, new, |cell| labels.class_of(cell, &format))?)
            }
            PlannedPath::Kendall { labels } | PlannedPath::Paper { labels } => {
                Gathered::Scores(run.by_column(table, labels.as_ref())?.scores)
            }
            PlannedPath::TwoStage(planned) => {
                let rows = run.block_rows(table, &planned.target)?;
                Gathered::Blocks { rows, cast: Mutex::default() }
            }
            PlannedPath::DpKendall { labels } => {
                let held = {
                    let code = |cell: &[u8]| run.whole_target(cell, labels.as_ref(), &format);
                    let UsableSamples { columns, targets, .. } = table.columns(code)?;
                    let columns = (0..d).map(|feature| columns.column(feature).collect());
                    (Held(columns.collect()), targets)
                };
                let (columns, targets) = held;
                if targets.is_empty() {
                    return Err(run.no_usable_target(table));
                }
                let classes = labels.as_ref().map_or(0, |labels| labels.as_slice().len());
                let target = kendall_scores(&columns, &targets, classes, self.neighbors, 1, None)?;
                Gathered::Columns { columns, target, shared: Mutex::default() }
            }
        })
    }
}

/// Columns in memory.
struct Held(Vec<Vec<f64>>);

impl Columns for Held {
    fn features(&self) -> usize {
        self.0.len()
    }

    fn column(&self, feature: usize) -> impl Iterator<Item = f64> {
        self.0[feature].iter().copied()
    }
}

/// What is kept under a key, made where it is not there yet.
fn kept<K: Eq + std::hash::Hash, V: ?Sized>(
    kept: &Mutex<HashMap<K, Arc<V>>>,
    key: K,
    most: usize,
    make: impl FnOnce() -> Result<Arc<V>>,
) -> Result<Arc<V>> {
    let lock = || kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(value) = lock().get(&key) {
        return Ok(value.clone());
    }
    let value = make()?;
    let mut kept = lock();
    if kept.len() < most {
        kept.insert(key, value.clone());
    }
    Ok(value)
}

/// The mean on the grid, from the sums of Q + y and of Q - y.
fn exact_center((above, below): (u64, u64)) -> i32 {
    let total = (above + below).max(1) as f64;
    (f64::from(GRID) * (above as f64 - below as f64) / total).round() as i32
}

/// The value from which on half of the rows are, or a little more.
fn exact_median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};

    use super::*;
    use crate::data::ArrayTable;
    use crate::select::{Method, ScoreKind, Target, TwoStage};

    fn table() -> (Array2<f64>, Vec<String>) {
        let x = Array2::from_shape_fn((40, 6), |(i, j)| ((i * (2 * j + 3) * 13) % 29) as f64);
        let label = |value: &f64| ["a", "b", "c"][(*value as usize * 3 / 29).min(2)].to_owned();
        let labels = x.column(2).iter().map(label).collect();
        (x, labels)
    }

    /// With the same seed for all that is drawn, a rehearsal picks what the seeded request picks.
    #[test]
    fn rehearsals_draw_what_runs_draw() {
        let (x, labels) = table();
        let numbers: Array1<f64> = x.column(1).to_owned();
        let labels = Array1::from(labels);
        let by_label = ArrayTable::new(x.view(), labels.view()).unwrap();
        let by_number = ArrayTable::new(x.view(), numbers.view()).unwrap();
        let base = || Select::new(2).bounds(0.0, 29.0);
        let three = Target::classes(["a", "b", "c"]);
        let two_stage = |blocks| Method::TwoStage(TwoStage { blocks, penalty: 0.01 });
        let requests = [
            (base(), &by_number, false),
            (base().target(three.clone()), &by_label, false),
            (base().target(Target::classes(["a", "b"])), &by_label, false),
            (Select::new(2).score(ScoreKind::Kendall).target(three.clone()), &by_label, false),
            (Select::new(2).target(three.clone()), &by_label, true),
            (base().method(two_stage(None)), &by_number, false),
            (base().method(two_stage(Some(3))).target(three.clone()), &by_label, false),
            (Select::new(2).method(two_stage(None)).target(three.clone()), &by_label, true),
            (Select::new(2).method(Method::DpKendall).target(three), &by_label, false),
        ];
        for (i, (select, source, paper)) in requests.into_iter().enumerate() {
            for (k, text) in [(2, "3"), (3, "40")] {
                let epsilon: Epsilon = text.parse().unwrap();
                for seed in [1, 2] {
                    let full = select.clone().epsilon(epsilon.clone()).k(k).seed(seed);
                    let full = if paper { full.paper_preprocessing() } else { full };
                    let expected = full.run(source).unwrap().indices();
                    let rehearsal = Rehearsal::new(select.clone(), paper, source).unwrap();
                    let seeds = RehearsalSeeds { blocks: seed, draw: seed };
                    let picks = rehearsal.picks(k, &epsilon, None, seeds).unwrap();
                    assert_eq!(picks, expected, "request {i}, k {k}");
                }
            }
        }
    }
}
