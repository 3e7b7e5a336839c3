//! Simulations with seeds: many draws of one request on one public table.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Parameter, Result};
use crate::estimate::exact_codes;
use crate::exact::GRID;
use crate::mechanism::Mechanism;
use crate::privacy::{Epsilon, NotPrivate};
use crate::random::Entropy;
use crate::release::draws::{Chosen, Release};
use crate::release::units::Units;
use crate::request::builder::Select;
use crate::request::check::check;
use crate::request::fields::Request;
use crate::request::not_private::NotPrivateSelect;
use crate::request::plan::Plan;
use crate::request::weights::FeatureWeights;
use crate::run::steps::{opening, prepared, scaling_of};
use crate::score::Scores;
use crate::statistic::blocks::Dealer;
use crate::statistic::coded::{CenteredCode, Statistic};
use crate::statistic::memo::Draws;
use crate::statistic::pass::{Gathered, Pass};
use crate::table::{Grouping, Hooks, Scaling, Source, Table};

/// A request with a public table that has been read, ready for any number of seeded draws.
///
/// Everything that does not depend on a draw is gathered once. Each draw then performs the private
/// releases of a run and returns the same picks as the run with the same seed. It is for
/// simulations and comparisons of methods: a draw is not a release, and many draws on a private
/// table would spend as many budgets.
///
/// Memory: the sums, O(d), if a run needs one pass; otherwise the table, at 2 bytes per value
/// (median split) or 8 bytes (two-stage, DPKendall), or only the scores (Kendall). The two-stage
/// method keeps the ballots of up to 4,096 dealings, DPKendall up to 256 MiB of correlations with
/// picked features.
///
/// # Privacy
///
/// Not private: every result has the type [`NotPrivate`], and the table must be public.
///
/// ```
/// use dpsis::{FileTable, Rehearsal, RehearsalSeeds, Select};
///
/// let table = FileTable::from_reader(&b"age,dose,response\n41,2,7\n39,3,8\n43,1,6\n"[..]);
/// let request = Select::new(1).bounds(0.0, 50.0);
/// let rehearsal = Rehearsal::new(request, &table)?;
/// let epsilon = "1".parse()?;
/// let mut first = 0;
/// for seed in 0..100 {
///     let picks = rehearsal.picks(1, &epsilon, None, RehearsalSeeds::all(seed))?;
///     first += u32::from(*picks == [0]);
/// }
/// assert!((1..100).contains(&first));
/// # Ok::<(), dpsis::Error>(())
/// ```
pub struct Rehearsal {
    request: Request,
    features: usize,
    scaling: Arc<Scaling>,
    /// The names of the features.
    names: Vec<String>,
    weights: Option<FeatureWeights>,
    gathered: Gathered<'static>,
}

impl fmt::Debug for Rehearsal {
    /// Omits the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { request, features, .. } = self;
        f.debug_struct("Rehearsal")
            .field("request", request)
            .field("features", features)
            .finish_non_exhaustive()
    }
}

/// A request that [`Rehearsal::new`] accepts.
pub trait Rehearsable: sealed::IntoRequest {}

impl<T: sealed::IntoRequest> Rehearsable for T {}

mod sealed {
    use super::*;

    /// The sealed part of [`Rehearsable`](super::Rehearsable).
    #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
    pub trait IntoRequest {
        fn request(self) -> Request;
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::IntoRequest for Select {
    fn request(self) -> Request {
        self.into_request()
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::IntoRequest for NotPrivateSelect {
    fn request(self) -> Request {
        self.into_request()
    }
}

/// The seeds of one draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RehearsalSeeds {
    /// Assigns rows to the blocks of the two-stage method. Draws with the same seed share the
    /// blocks, on which the LASSO is then fitted only once.
    pub blocks: u64,
    /// The seed of all other draws.
    pub draw: u64,
}

impl RehearsalSeeds {
    /// A seed for assigning rows to blocks, and one for all other draws.
    pub fn new(blocks: u64, draw: u64) -> Self {
        Self { blocks, draw }
    }

    /// One seed for everything, as in a seeded run.
    pub fn all(seed: u64) -> Self {
        Self { blocks: seed, draw: seed }
    }
}

/// A feature picked by one draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RehearsedPick {
    /// The place of the feature among all features, from 0.
    pub index: usize,
    /// Whether it is significant; `None` if that is not tested.
    pub significant: Option<bool>,
}

impl Rehearsal {
    /// Reads a public table for a request: a [`Select`](crate::Select), or a
    /// [`NotPrivateSelect`](crate::NotPrivateSelect) with the paper's preprocessing. Its epsilon
    /// and seed are ignored, because each draw has its own. Draws are single-threaded; callers may
    /// run them in parallel.
    ///
    /// # Errors
    ///
    /// As for [`Select::run`](crate::Select::run).
    pub fn new(request: impl Rehearsable, source: &(impl Source + ?Sized)) -> Result<Self> {
        let mut request = request.request();
        // Neither k nor epsilon changes the gathered values.
        request.epsilon = Some(1.into());
        request.threads = Some(1);
        check(&request)?;
        let hooks = request.hooks.for_a_run();
        let mut table = prepared(&request, source.open(&opening(&request, &hooks)?)?)?;
        let features = table.schema().d();
        let scaling = Arc::new(match table.grouping() {
            Some(_) => Grouping::of_means(),
            None => scaling_of(&request, table.schema())?,
        });
        let plan = Plan::new(&request, features, scaling.clone())?.weighted(table.schema())?;
        let weights = plan.weights.clone();
        let pass = Pass { plan: &plan, threads: 1, hooks: &hooks };
        let gathered = pass.gather_for(Draws::Many, &mut table, None)?;
        let names = table.schema().feature_names().map(str::to_owned).collect();
        Ok(Self { request, features, scaling, names, weights, gathered })
    }

    /// One draw: the 0-based feature indices of the picks, in the mechanism's order: k, or at most
    /// k if the request is for significant features. A given `mechanism` replaces that of the
    /// request.
    ///
    /// # Errors
    ///
    /// `Request` if k exceeds the number of features, or the mechanism does not fit; `Canceled` if
    /// the caller stopped it.
    pub fn picks(
        &self,
        k: usize,
        epsilon: &Epsilon,
        mechanism: Option<&Arc<dyn Mechanism>>,
        seeds: RehearsalSeeds,
    ) -> Result<NotPrivate<Vec<usize>>> {
        self.draw(k, epsilon, mechanism, seeds, |release| match &self.gathered {
            Gathered::Coded(statistic) => Ok(release.drawn(statistic)?.picks.picks),
            gathered => Ok(release.draw(gathered)?.picks),
        })
    }

    /// One draw, as for [`picks`](Self::picks), with the significance of each pick: `None` if
    /// significance is not tested.
    ///
    /// # Errors
    ///
    /// As for [`picks`](Self::picks).
    pub fn findings(
        &self,
        k: usize,
        epsilon: &Epsilon,
        seeds: RehearsalSeeds,
    ) -> Result<NotPrivate<Vec<RehearsedPick>>> {
        self.draw(k, epsilon, None, seeds, |release| {
            let Chosen { picks, findings, .. } = release.draw(&self.gathered)?;
            let effect_sizes = findings.and_then(|findings| findings.effect_sizes);
            let significant = |place: usize| effect_sizes.as_ref()?.get(place)?.significant;
            let pick = |(i, index)| RehearsedPick { index, significant: significant(i) };
            Ok(picks.into_iter().enumerate().map(pick).collect())
        })
    }

    /// One draw by the releases of a run.
    fn draw<T>(
        &self,
        k: usize,
        epsilon: &Epsilon,
        mechanism: Option<&Arc<dyn Mechanism>>,
        seeds: RehearsalSeeds,
        draw: impl FnOnce(&Release<'_>) -> Result<T>,
    ) -> Result<NotPrivate<T>> {
        let mut request = self.request.clone();
        request.names = request.names.of(k);
        request.epsilon = Some(epsilon.clone().into());
        request.mechanism = mechanism.cloned().or(request.mechanism);
        check(&request)?;
        if k > self.features {
            let rule = format!("k must not exceed {}", self.features);
            return Err(Error::request(rule).about([Parameter::K]));
        }
        let plan = Plan::new(&request, self.features, self.scaling.clone())?;
        let plan = Plan { weights: self.weights.clone(), ..plan };
        let randomness = Entropy::Seeded(seeds.draw).source()?;
        let dealer = Entropy::Seeded(seeds.blocks).source()?;
        let hooks = request.hooks.for_a_run();
        let dealer =
            Dealer { randomness: &dealer, dealing: seeds.blocks, threads: 1, hooks: &hooks };
        let release = Release { plan: &plan, randomness: &randomness, dealer, words: None };
        draw(&release).map(NotPrivate::new)
    }

    /// The scores without any noise, with the exact median and center; `None` for the two-stage
    /// method, which has no scores.
    ///
    /// # Errors
    ///
    /// `Request` if the sums do not make scores.
    pub fn exact_scores(&self) -> Option<Result<NotPrivate<Scores>>> {
        let scores = match &self.gathered {
            Gathered::Scores { scores, .. } => Ok(scores.clone()),
            Gathered::Ranked(columns) => Ok(columns.target.clone()),
            Gathered::Blocks(_) => return None,
            Gathered::Coded(statistic) => self.exactly(statistic),
        };
        Some(scores.map(NotPrivate::new))
    }

    /// The effect size of each feature in the table, without any noise: its score at the exact
    /// center as a share of the largest; `None` for scores that have no effect sizes.
    ///
    /// # Errors
    ///
    /// `Request` if the sums do not make scores.
    pub fn effect_sizes(&self) -> Option<Result<NotPrivate<Vec<f64>>>> {
        let Gathered::Coded(statistic) = &self.gathered else { return None };
        let of = |scores: Scores, rows: Vec<f64>| -> Result<Vec<f64>> {
            let plan = Plan::new(&self.request, self.features, self.scaling.clone())?;
            let largest = plan.scoring.reach().map_or(0.0, |reach| reach.largest(&rows));
            let largest = (largest * Units::row(&plan)).max(f64::MIN_POSITIVE);
            Ok(scores.values().iter().map(|score| *score as f64 / largest).collect())
        };
        let sizes = self.exact_rows(statistic).and_then(|rows| of(self.exactly(statistic)?, rows));
        Some(sizes.map(NotPrivate::new))
    }

    /// Weights of features by their associations in this public table, for another table: see
    /// [`Select::weights`](crate::Select::weights).
    ///
    /// A feature whose score in rows is u has the p-value p = min(1, 2 s e^(-u^2/(2 c^2))), with c
    /// the scale of scores of null features and s the number of splits of classes that a score
    /// takes the best of, and the weight p^(-3/4), at most the number of features. The mean of
    /// p^(-3/4) is finite for null features, which get few large weights.
    ///
    /// # Errors
    ///
    /// `Request` for scores without a scale of null features (Kendall's, within strata), and
    /// methods without scores; `Input` if a class has no rows.
    pub fn feature_weights(&self) -> Result<NotPrivate<Vec<(String, f64)>>> {
        let plan = Plan::new(&self.request, self.features, self.scaling.clone())?;
        let refused = || {
            let rule =
                "weights are made from the scores ks, correlation and paired, without covariates";
            Error::request(rule).about([Parameter::Score, Parameter::Method])
        };
        let (Gathered::Coded(statistic), Some(effect_sizes), 1) =
            (&self.gathered, self.effect_sizes(), plan.strata)
        else {
            return Err(refused());
        };
        let rows = self.exact_rows(statistic)?;
        if rows.iter().any(|rows| !(*rows > 0.0)) {
            let (rule, about) = match (self.request.is_paired(), self.request.target.labels()) {
                (true, _) => ("no person has rows of both classes", Parameter::Unit),
                (false, Some(_)) => ("a class has no rows", Parameter::Classes),
                (false, None) => ("all targets are equal, or at one end", Parameter::Target),
            };
            let error = Error::input(format!("{rule} in this public table"));
            return Err(error.about([about, Parameter::Inspect]));
        }
        let scale = Units::null_scale(&plan, &rows).ok_or_else(refused)?;
        let reach = plan.scoring.reach().ok_or_else(refused)?;
        let (splits, largest) = (reach.splits(rows.len()), reach.largest(&rows));
        let most = self.features as f64;
        let weight = |effect_size: f64| {
            let ratio = effect_size * largest / scale;
            let ln_p = libm::log(2.0 * splits) - ratio * ratio / 2.0;
            libm::exp(-0.75 * ln_p.min(0.0)).min(most)
        };
        let effect_sizes = effect_sizes?.into_inner();
        let weights = self.names.iter().cloned().zip(effect_sizes.into_iter().map(weight));
        Ok(NotPrivate::new(weights.collect()))
    }

    /// The number of rows of each class, or of each side of the exact median.
    fn exact_rows(&self, statistic: &Statistic<'_>) -> Result<Vec<f64>> {
        let strata = self.request.strata()?;
        let coded = statistic.coded(strata, |values| Ok(exact_median(values)))?;
        let q = 2.0 * f64::from(GRID);
        Ok(match (&coded.code, &coded.target[..]) {
            // Pairs count half for each class.
            (Some(_), [pairs]) => vec![*pairs as f64 / 2.0; 2],
            (Some(_), sums) => {
                let side = |place: usize| sums.iter().skip(place).step_by(2).sum::<u64>() as f64;
                vec![side(1) / q, side(0) / q]
            }
            (None, counts) => counts.iter().map(|count| *count as f64).collect(),
        })
    }

    /// Scores with the exact median and center.
    fn exactly(&self, statistic: &Statistic<'_>) -> Result<Scores> {
        let plan = Plan::new(&self.request, self.features, self.scaling.clone())?;
        let coded = statistic.coded(plan.strata, |values| Ok(exact_median(values)))?;
        let strata = match &coded.code {
            Some(_) if plan.strata > 1 => exact_codes(coded.target.as_chunks().0),
            _ => Vec::new(),
        };
        let on_grid = |share: f64| (f64::from(GRID) * share).round() as i32;
        let centers: Vec<i32> = match &coded.code {
            Some(_) => {
                let center = |&[above, below]: &[u64; 2]| {
                    let total = (above + below).max(1) as f64;
                    on_grid((above as f64 - below as f64) / total)
                };
                coded.target.as_chunks().0.iter().map(center).collect()
            }
            None => {
                let total = coded.target.iter().sum::<u64>().max(1) as f64;
                coded.target.iter().map(|count| on_grid(*count as f64 / total)).collect()
            }
        };
        let released = centers.clone();
        let target = CenteredCode { code: coded.code, released, centers, strata };
        let values = coded.scored.values(&target, 1, &Hooks::default())?;
        let sensitivity = plan.request.neighbors.steps() * coded.scored.one_row(&target);
        Scores::new(values, sensitivity, plan.request.neighbors)
    }
}

/// The upper median: at least half of the values are no smaller.
fn exact_median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(&middle) = sorted.get(sorted.len() / 2) else { return 0.0 };
    // All values equal to the middle one go to the side that makes the split more even.
    let below = sorted.partition_point(|value| *value < middle);
    let up_to = sorted.partition_point(|value| *value <= middle);
    match sorted.len().abs_diff(2 * below) <= sorted.len().abs_diff(2 * up_to) {
        true if below > 0 => sorted[below - 1],
        _ => middle,
    }
}

#[cfg(all(test, feature = "methods"))]
mod tests {
    use ndarray::{Array1, Array2};

    use super::*;
    use crate::request::{Method, ScoreKind, Select, Target, TwoStage};
    use crate::table::ArrayTable;

    fn table() -> (Array2<f64>, Vec<String>) {
        let x = Array2::from_shape_fn((40, 6), |(i, j)| ((i * (2 * j + 3) * 13) % 29) as f64);
        let label = |value: &f64| ["a", "b", "c"][(*value as usize * 3 / 29).min(2)].to_owned();
        let labels = x.column(2).iter().map(label).collect();
        (x, labels)
    }

    /// With the same seeds, a simulation picks the same features as the seeded request.
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
            (Select::new(2).method(Method::DpKendall).target(three.clone()), &by_label, false),
            (Select::new(2).counts_per_million().target(three.clone()), &by_label, false),
            (Select::new(2).bounds(0.0, 5e5).counts_per_million(), &by_number, false),
            (
                Select::new(2).counts_per_million().method(Method::DpKendall).target(three),
                &by_label,
                false,
            ),
        ];
        for (i, (select, source, paper)) in requests.into_iter().enumerate() {
            for (k, text) in [(2, "3"), (3, "40")] {
                let epsilon: Epsilon = text.parse().unwrap();
                for seed in [1, 2] {
                    let full = select.clone().epsilon(epsilon.clone()).k(k).seed(seed);
                    let full = if paper { full.paper_preprocessing() } else { full };
                    let expected = full.run(source).unwrap().indices();
                    let rehearsal = match paper {
                        true => Rehearsal::new(select.clone().paper_preprocessing(), source),
                        false => Rehearsal::new(select.clone(), source),
                    };
                    let rehearsal = rehearsal.unwrap();
                    let seeds = RehearsalSeeds::all(seed);
                    let picks = rehearsal.picks(k, &epsilon, None, seeds).unwrap().into_inner();
                    assert_eq!(picks, expected, "request {i}, k {k}");
                }
            }
        }
    }
}
