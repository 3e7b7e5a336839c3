//! Ways from a table to a model under one budget, and models without privacy for comparison.

use dpsis::model::Model;
use dpsis::{
    Epsilon, FitModel, GRID, Method, Rehearsal, RehearsalSeeds, Result, Scaler, Scaling, Select,
    TwoStage,
};
use dpsis_eval::internals::{LinearModel, classified, seed_of, standardized};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use crate::experiments::regression::split::{Kind, Split};
use crate::experiments::regression::{Budget, K};
use crate::objective_perturbation::{Loss, ObjectivePerturbation};

/// A way to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contender {
    /// The library's selection and model, with the public ranges.
    Given,
    /// The same if nothing is given: selected by `ks`, ranges drawn from the budget.
    NothingGiven,
    /// The library's model of all features, with the public ranges.
    All,
    /// The same with a delta of 1e-6.
    AllWithDelta,
    /// DPKendall, then the library's model.
    DpKendall,
    /// The two-stage method: votes of the LASSO on blocks, then objective perturbation.
    TwoStage,
    /// A plain model, not private, on the features that the first contender selects.
    SamePicks,
    /// A plain model, not private, on all features.
    PlainAll,
}

impl Contender {
    /// All contenders, for synthetic tables.
    pub(super) const ALL: [Self; 8] = [
        Self::Given,
        Self::NothingGiven,
        Self::All,
        Self::AllWithDelta,
        Self::DpKendall,
        Self::TwoStage,
        Self::SamePicks,
        Self::PlainAll,
    ];

    /// The contenders for tables without public ranges and with thousands of features.
    pub(super) const WIDE: [Self; 4] =
        [Self::NothingGiven, Self::DpKendall, Self::TwoStage, Self::SamePicks];

    /// The name in figures and data.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Given => "select, then fit",
            Self::NothingGiven => "the same, nothing given",
            Self::All => "fit on all",
            Self::AllWithDelta => "fit on all, delta 1e-6",
            Self::DpKendall => "DPKendall, then fit",
            Self::TwoStage => "two-stage to its end",
            Self::SamePicks => "same features, not private",
            Self::PlainAll => "all features, not private",
        }
    }

    pub(super) fn is_private(self) -> bool {
        !matches!(self, Self::SamePicks | Self::PlainAll)
    }
}

/// The penalty of the LASSO in the two-stage method. With ranges of two standard deviations, 0.1
/// leaves hardly a coefficient.
const PENALTY: f64 = 0.02;

/// The contenders on one table.
pub(super) struct Contest<'a> {
    split: &'a Split,
    kendall: Option<Rehearsal>,
    two_stage: Option<Rehearsal>,
    seed: u64,
}

impl<'a> Contest<'a> {
    pub(super) fn new(split: &'a Split, contenders: &[Contender], seed: u64) -> Result<Self> {
        let rehearse = |contender, select: Select| {
            let present = contenders.contains(&contender);
            present.then(|| Rehearsal::new(select.estimates(0), &split.table()?)).transpose()
        };
        let mut new = Self { split, kendall: None, two_stage: None, seed };
        new.kendall = rehearse(Contender::DpKendall, new.select(false).method(Method::DpKendall))?;
        let blocks = split.y.len().isqrt().max(1) as u64;
        let two_stage = Method::TwoStage(TwoStage::default().blocks(blocks).penalty(PENALTY));
        let scaled = new.select(true).scaling(new.scaling()).method(two_stage);
        new.two_stage = rehearse(Contender::TwoStage, scaled)?;
        Ok(new)
    }

    /// The measure of each contender at a budget, in their order.
    pub(super) fn qualities(&self, contenders: &[Contender], budget: &Budget) -> Result<Vec<f64>> {
        let mut picks = Vec::new();
        let mut qualities = Vec::new();
        for contender in contenders {
            let seed = seed_of(self.seed, &[contender.name(), budget.total], 0);
            let quality = match contender {
                Contender::Given | Contender::NothingGiven => {
                    let select = self.select(*contender == Contender::Given).epsilon(budget.total);
                    let record = FitModel::new(select).seed(seed).run(&self.split.table()?)?;
                    if picks.is_empty() {
                        picks = record.indices().to_vec();
                    }
                    self.of_model(record.model.as_ref(), record.indices())?
                }
                Contender::All | Contender::AllWithDelta => {
                    let all: Vec<usize> = (0..self.split.x.ncols()).collect();
                    let delta = if *contender == Contender::All { "0" } else { "1e-6" };
                    self.fitted(&all, budget.total, delta, seed)?
                }
                Contender::DpKendall => {
                    let picks = self.picks(self.kendall.as_ref(), budget, seed)?;
                    self.fitted(&picks, budget.model, "0", seed)?
                }
                Contender::TwoStage => {
                    let picks = self.picks(self.two_stage.as_ref(), budget, seed)?;
                    let epsilon: Epsilon = budget.model.parse()?;
                    self.perturbed(&picks, epsilon.to_f64(), seed)
                }
                Contender::SamePicks => self.plain(&picks),
                Contender::PlainAll => self.plain(&(0..self.split.x.ncols()).collect::<Vec<_>>()),
            };
            qualities.push(quality);
        }
        Ok(qualities)
    }

    /// A request with the public ranges, if they are to be given and known.
    fn select(&self, given: bool) -> Select {
        let select = Select::new(K).threads(1).target(self.split.target(given));
        match &self.split.ranges {
            Some((features, _)) if given => select.bounds(features.low(), features.high()),
            _ => select,
        }
    }

    fn picks(
        &self,
        rehearsal: Option<&Rehearsal>,
        budget: &Budget,
        seed: u64,
    ) -> Result<Vec<usize>> {
        let Some(rehearsal) = rehearsal else { return Ok(Vec::new()) };
        let seeds = RehearsalSeeds::new(self.seed, seed);
        Ok(rehearsal.picks(K, &budget.selection.parse()?, None, seeds)?.into_inner())
    }

    /// The library's model of given features.
    fn fitted(&self, features: &[usize], epsilon: &str, delta: &str, seed: u64) -> Result<f64> {
        let names = features.iter().map(|feature| format!("feature-{}", feature + 1));
        let select = self.select(true).epsilon(epsilon).delta(delta);
        let fit = FitModel::new(select).features(names).seed(seed);
        self.of_model(fit.run(&self.split.table()?)?.model.as_ref(), features)
    }

    fn of_model(&self, model: Option<&Model>, features: &[usize]) -> Result<f64> {
        let Some(model) = model else {
            // Without a model the mean of the target is predicted.
            let mean = self.split.y.mean().unwrap_or(0.0);
            return Ok(self.split.quality(vec![mean; self.split.test_x.nrows()]));
        };
        let rows = self.split.test_x.rows().into_iter();
        let predicted = rows.map(|row| {
            let values: Vec<f64> = features.iter().map(|feature| row[*feature]).collect();
            model.predict(&values)
        });
        Ok(self.split.quality(predicted.collect::<Result<Vec<f64>>>()?))
    }

    /// Least squares, or a logistic model with a ridge penalty of 1 on standardized features.
    fn plain(&self, features: &[usize]) -> f64 {
        let split = self.split;
        let of = |x: &Array2<f64>| x.select(Axis(1), features);
        match split.kind {
            Kind::Number => {
                let (x, mean) = (of(&split.x), split.y.mean().unwrap_or(0.0));
                let model = LinearModel::least_squares(x.view(), &split.y)
                    .or_else(|| LinearModel::ridge(x.view(), &split.y, 1.0));
                match model {
                    Some(model) => split.quality(model.predict(of(&split.test_x).view())),
                    None => split.quality(vec![mean; split.test_x.nrows()]),
                }
            }
            Kind::Classes => {
                let (x, test) = standardized(of(&split.x), of(&split.test_x));
                let classes: Vec<usize> = split.y.iter().map(|class| *class as usize).collect();
                let predicted = classified(x, &classes, test);
                split.quality(predicted.into_iter().map(|(class, _)| class as f64))
            }
        }
    }

    fn scaling(&self) -> Scaling {
        match self.split.ranges {
            Some((features, _)) => Scaling::Bounds(features),
            None => Scaling::RowRank,
        }
    }

    /// The second stage of the two-stage method.
    fn perturbed(&self, features: &[usize], epsilon: f64, seed: u64) -> f64 {
        let split = self.split;
        let (x, test) =
            (self.scaled(split.x.view(), features), self.scaled(split.test_x.view(), features));
        let (loss, middle, half) = match (split.kind, &split.ranges) {
            (Kind::Classes, _) => (Loss::Logistic, 0.5, 0.5),
            (_, Some((_, range))) => (
                Loss::Squares,
                (range.low() + range.high()) / 2.0,
                (range.high() - range.low()) / 2.0,
            ),
            (_, None) => return f64::NAN,
        };
        let y = split.y.mapv(|y| ((y - middle) / half).clamp(-1.0, 1.0));
        let perturbation = ObjectivePerturbation::new(loss, features.len(), epsilon);
        let theta = perturbation.fit(x.view(), &y, &mut ChaCha20Rng::seed_from_u64(seed));
        let Some(theta) = theta else { return f64::NAN };
        let (intercept, slopes) = theta.view().split_at(Axis(0), 1);
        let score: Array1<f64> = test.dot(&slopes) + intercept[0];
        // Of classes, 0.5 is where the probability is.
        split.quality(score.into_iter().map(|score| middle + half * score))
    }

    /// Some features of rows on the scale of the selection, from -1 to 1.
    fn scaled(&self, x: ArrayView2<'_, f64>, features: &[usize]) -> Array2<f64> {
        let scaling = self.scaling();
        let (mut scaler, mut row) = (Scaler::new(&scaling), Vec::new());
        let mut out = Array2::zeros((x.nrows(), features.len()));
        for (from, mut to) in x.rows().into_iter().zip(out.rows_mut()) {
            scaler.scale(from.iter().map(|value| Some(*value)), &mut row);
            to.iter_mut().zip(features).for_each(|(to, feature)| {
                *to = f64::from(row[*feature]) / f64::from(GRID);
            });
        }
        out
    }
}
