//! Public tables with the true features and the plain model that selections are compared with.

use std::sync::{Arc, OnceLock};

use dpsis::mechanism::{Baseline, Parameters, by_id};
use dpsis::method::{Lasso, LassoFit};
use dpsis::{
    ArrayTable, Bounds, Center, Epsilon, Error, Mechanism, Method, Rehearsal, RehearsalSeeds,
    Result, Scaling, ScoreKind, Scores, Select, Target, TwoStage,
};
use ndarray::{Array2, Axis};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use crate::arm::{Arm, ArmMethod, ArmScale};
use crate::datasets::{PublicTable, table_sha256};
use crate::downstream::{Downstream, Predicted};
use crate::metrics::Ranking;
use crate::preparation::{Preparation, codes, distinct, scaled};
use crate::seed::seed_of;

/// The penalty of the papers' LASSO, whose largest coefficients are the true features, and of the
/// two-stage method.
pub const PENALTY: f64 = 0.1;

/// A public table whose type of target is known.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The table, reduced to the rows with a usable target.
    pub table: PublicTable,
    /// The type of the target: classes or numbers.
    pub target: Target,
    /// The number of rows without a usable target.
    pub left_out: usize,
}

impl Settled {
    /// Removes the rows without a usable target. With [`Target::Numeric`], the target becomes one
    /// of the labels present unless all nonempty targets are numbers.
    ///
    /// # Errors
    ///
    /// `Input` if no row has a usable target, or there are fewer than two labels.
    pub fn of(table: PublicTable, target: Target) -> Result<Self> {
        let present = || table.labels.iter().filter(|label| !label.is_empty());
        let target = match target {
            Target::Numeric if present().any(|label| as_number(label).is_none()) => {
                labels_of(&table)
            }
            given => given,
        };
        let usable = |label: &String| match &target {
            Target::Classes(classes) => classes.contains(label),
            _ => as_number(label).is_some(),
        };
        let rows: Vec<usize> =
            (0..table.labels.len()).filter(|row| usable(&table.labels[*row])).collect();
        if rows.is_empty() {
            return Err(Error::input("no row has a usable target"));
        }
        if matches!(&target, Target::Classes(classes) if classes.len() < 2) {
            return Err(Error::input("the target has fewer than two labels"));
        }
        let left_out = table.labels.len() - rows.len();
        let labels = rows.iter().map(|row| table.labels[*row].clone()).collect();
        let x = table.x.select(Axis(0), &rows);
        let table = PublicTable { features: table.features, x, labels };
        Ok(Self { table, target, left_out })
    }

    /// Returns a fingerprint of the table, the target and a penalty, 16 hexadecimal digits.
    pub fn fingerprint(&self, penalty: f64) -> String {
        let target = format!("{:?} {penalty}", self.target);
        format!("{:016x}", seed_of(0, &[&table_sha256(&self.table), &target], 0))
    }
}

/// Returns a target whose classes are all nonempty labels of a table, in alphabetical order.
pub fn labels_of(table: &PublicTable) -> Target {
    let mut labels = distinct(&table.labels);
    labels.retain(|label| !label.is_empty());
    Target::Classes(labels)
}

fn as_number(label: &str) -> Option<f64> {
    label.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A public table with its target and its true features.
pub struct Study {
    /// The table's name in results.
    pub name: String,
    /// The table.
    pub table: PublicTable,
    /// The type of the target: classes or numbers.
    pub target: Target,
    pub(crate) downstream: Downstream,
    /// The target as a number: classes by their places in alphabetical order.
    y: Vec<f64>,
    truth: Truth,
    /// The penalty of the LASSO that defines the true features, and of the two-stage method.
    penalty: f64,
}

/// The true features.
enum Truth {
    /// The largest coefficients of a LASSO after the paper's scaling; for [`ArmScale::Range`], of a
    /// second LASSO after scaling by the range, fitted when needed.
    Lasso(LassoFit, OnceLock<LassoFit>),
    /// Features known in advance, best first.
    Known(Vec<usize>),
}

impl Study {
    /// Fits the LASSO to a table. `seed` deals the rows to the folds of the plain model.
    ///
    /// # Errors
    ///
    /// `Request` if the penalty is not positive and finite; `Input` if the LASSO cannot be fitted.
    pub fn new(name: &str, settled: Settled, penalty: f64, seed: u64) -> Result<Self> {
        Self::on(name, settled, penalty, seed, None)
    }

    /// Keeps only the rows outside of one fold of the plain model, from 0, for selections and the
    /// LASSO; plain models are fitted to them and tested on the rows of that fold.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn held_out(
        name: &str,
        settled: Settled,
        penalty: f64,
        seed: u64,
        fold: usize,
    ) -> Result<Self> {
        Self::on(name, settled, penalty, seed, Some(fold))
    }

    fn on(
        name: &str,
        settled: Settled,
        penalty: f64,
        seed: u64,
        held_out: Option<usize>,
    ) -> Result<Self> {
        let Settled { mut table, target, .. } = settled;
        let (mut y, predicted) = match &target {
            Target::Classes(labels) => {
                let class = |label: &String| labels.iter().position(|known| known == label);
                let classes = table.labels.iter().filter_map(class).collect();
                (codes(&table.labels), Predicted::Classes(classes))
            }
            _ => {
                let numbers: Vec<f64> =
                    table.labels.iter().filter_map(|label| as_number(label)).collect();
                (numbers.clone(), Predicted::Numbers(numbers))
            }
        };
        let folds = ChaCha20Rng::seed_from_u64(seed_of(seed, &[name, "folds"], 0));
        let mut downstream = Downstream::new(table.x.clone(), predicted, folds);
        if let Some(fold) = held_out {
            let rows = downstream.rows(fold, false);
            downstream = downstream.held_out(fold);
            y = rows.iter().map(|row| y[*row]).collect();
            table.x = table.x.select(Axis(0), &rows);
            table.labels = rows.iter().map(|row| table.labels[*row].clone()).collect();
        }
        let lasso = lasso_after(Preparation::LargestMagnitude, &table.x, &y, penalty)?;
        let truth = Truth::Lasso(lasso, OnceLock::new());
        Ok(Self { name: name.to_owned(), table, target, downstream, y, truth, penalty })
    }

    /// Replaces the LASSO's features by known true features, best first.
    pub fn with_truth(mut self, features: Vec<usize>) -> Self {
        self.truth = Truth::Known(features);
        self
    }

    /// Returns the k true features for a scale, best first; fewer if there are fewer true features.
    pub fn truth(&self, scale: &ArmScale, k: usize) -> Result<Vec<usize>> {
        Ok(match (&self.truth, scale) {
            (Truth::Known(features), _) => features.iter().copied().take(k).collect(),
            (Truth::Lasso(_, by_range), ArmScale::Range) => {
                if let Some(fit) = by_range.get() {
                    return Ok(fit.top(k));
                }
                let fit = lasso_after(Preparation::Range, &self.table.x, &self.y, self.penalty)?;
                by_range.get_or_init(|| fit).top(k)
            }
            (Truth::Lasso(fit, _), _) => fit.top(k),
        })
    }

    /// The number of features, d.
    pub fn features(&self) -> usize {
        self.table.features.len()
    }

    /// Prepares a method for draws on this table.
    pub fn arm(&self, arm: &Arm) -> Result<ReadyArm> {
        let parameters = Parameters::default();
        let mechanism = arm.mechanism.as_deref().map(|id| by_id(id, &parameters)).transpose()?;
        let method = match arm.method {
            ArmMethod::TwoStage => Method::TwoStage(TwoStage::default().penalty(self.penalty)),
            ArmMethod::DpKendall => Method::DpKendall,
            _ => Method::Scores,
        };
        let rehearsal = self.rehearse(method, arm)?;
        // Selections are compared with the scores without noise on the same scale.
        let exact = match rehearsal.exact_scores() {
            Some(scores) => scores?.into_inner(),
            None => match self.rehearse(Method::Scores, arm)?.exact_scores() {
                Some(scores) => scores?.into_inner(),
                None => return Err(Error::request("the scale has no scores")),
            },
        };
        let ranking = Ranking::of(exact.values());
        let scale = arm.scale.clone();
        Ok(ReadyArm { method: arm.method, scale, mechanism, rehearsal, exact, ranking })
    }

    fn rehearse(&self, method: Method, arm: &Arm) -> Result<Rehearsal> {
        let scale = &arm.scale;
        let select = match arm.method {
            ArmMethod::Significant => Select::significant(),
            _ => Select::new(1),
        };
        let mut select = select.method(method).target(self.target.clone());
        // Only selections are compared, except with the default and with counts per million, which
        // run as for a user.
        if !matches!(scale, ArmScale::Default | ArmScale::CountsPerMillion) {
            select = select.estimates(0);
        }
        let mut x = None;
        let mut labels = None;
        let written = |values: &mut dyn Iterator<Item = f64>| -> Vec<String> {
            values.map(|value| value.to_string()).collect()
        };
        if let (Target::Classes(classes), true) = (&self.target, arm.ordered) {
            let last = classes.len() as f64 - 1.0;
            select = select.target(Target::Bounded(Bounds::new(0.0, last)?));
            labels = Some(written(&mut self.y.iter().copied()));
        }
        match scale {
            ArmScale::Default | ArmScale::Paper => {}
            ArmScale::RowRank => select = select.scaling(Scaling::RowRank),
            ArmScale::CountsPerMillion => select = select.counts_per_million(),
            ArmScale::Kendall => select = select.score(ScoreKind::Kendall),
            ArmScale::Bounds(low, high) => select = select.bounds(*low, *high),
            ArmScale::BoundsFile(path) => select = select.bounds_file(path),
            ArmScale::Range => {
                let prepared = Preparation::Range.prepare(self.table.x.view(), &self.y);
                labels = Some(written(&mut prepared.y.iter().copied()));
                x = Some(prepared.x);
                let target = Target::Bounded(Bounds::new(-1.0, 1.0)?);
                select = select.bounds(-1.0, 1.0).target(target);
                select = match method {
                    Method::TwoStage(two_stage) => {
                        let blocks = self.y.len().isqrt().max(1) as u64;
                        select.method(Method::TwoStage(two_stage.blocks(blocks)))
                    }
                    _ => select.center(Center::None),
                };
            }
            ArmScale::PooledQuantiles => {
                let (low, high) = pooled_quantiles(&self.table.x);
                select = select.bounds(low, high);
            }
            ArmScale::OtherHalf(deviations) => {
                x = Some(scaled_by_other_half(&self.table.x, *deviations));
                select = select.bounds(-1.0, 1.0);
            }
        }
        let x = x.as_ref().unwrap_or(&self.table.x);
        let labels = ndarray::ArrayView1::from(labels.as_ref().unwrap_or(&self.table.labels));
        let table = ArrayTable::new(x.view(), labels)?;
        let table = table.feature_names(self.table.features.iter().cloned())?.with_words();
        match scale {
            ArmScale::Paper => Rehearsal::new(select.paper_preprocessing(), &table),
            _ => Rehearsal::new(select, &table),
        }
    }
}

/// A method prepared for draws.
pub struct ReadyArm {
    method: ArmMethod,
    pub(crate) scale: ArmScale,
    mechanism: Option<Arc<dyn Mechanism>>,
    rehearsal: Rehearsal,
    /// The scores without noise.
    pub exact: Scores,
    pub(crate) ranking: Ranking,
}

impl ReadyArm {
    /// Draws once and returns the indices of the picked features.
    pub fn picks(&self, k: usize, epsilon: &Epsilon, seeds: RehearsalSeeds) -> Result<Vec<usize>> {
        let baseline = match self.method {
            ArmMethod::Sis => Baseline::Best,
            ArmMethod::Random => Baseline::Random,
            _ => {
                let mechanism = self.mechanism.as_ref();
                return Ok(self.rehearsal.picks(k, epsilon, mechanism, seeds)?.into_inner());
            }
        };
        Ok(baseline.pick(&self.exact, k, epsilon, Some(seeds.draw))?.into_inner())
    }
}

fn lasso_after(
    preparation: Preparation,
    x: &Array2<f64>,
    y: &[f64],
    penalty: f64,
) -> Result<LassoFit> {
    let prepared = preparation.prepare(x.view(), y);
    Lasso::new(penalty)?.fit(prepared.x.view(), prepared.y.view())
}

/// Returns the 1% and 99% quantiles of all finite values, or bounds 1 below and above where these
/// are equal.
fn pooled_quantiles(x: &Array2<f64>) -> (f64, f64) {
    let mut values: Vec<f64> = x.iter().copied().filter(|value| value.is_finite()).collect();
    values.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (share * values.len().saturating_sub(1) as f64).round() as usize;
        values.get(place).copied().unwrap_or(0.0)
    };
    let (low, high) = (at(0.01), at(0.99));
    if low < high { (low, high) } else { (low - 1.0, low + 1.0) }
}

/// Scales each value by mean and standard deviation of its feature in the other half of the rows:
/// even rows by the odd ones and vice versa.
fn scaled_by_other_half(x: &Array2<f64>, deviations: f64) -> Array2<f64> {
    let mut all = x.clone();
    for mut column in all.columns_mut() {
        let moments = [0, 1].map(|half| {
            let rows = column.iter().copied().skip(half).step_by(2);
            let (mean, deviation) = Preparation::UnitVariance.scale(rows);
            (mean, deviation * deviations)
        });
        for (row, value) in column.iter_mut().enumerate() {
            let (mean, unit) = moments[1 - row % 2];
            *value = scaled(*value, mean, unit);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn rows_without_a_usable_target_are_left_out() {
        let table = |labels: &[&str]| PublicTable {
            features: vec!["a".to_owned()],
            x: Array2::from_shape_fn((labels.len(), 1), |(i, _)| i as f64),
            labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        };
        let settled = |labels: &[&str], target| Settled::of(table(labels), target);
        let numbers =
            settled(&["1", "", "2.5", "inf"], Target::Bounded(Bounds::new(0.0, 3.0).unwrap()));
        let numbers = numbers.unwrap();
        assert_eq!(
            (numbers.left_out, numbers.table.x.into_raw_vec_and_offset().0),
            (2, vec![0.0, 2.0])
        );
        let found = settled(&["b", "1", "", "b"], Target::Numeric).unwrap();
        assert_eq!(found.target, Target::classes(["1", "b"]));
        assert_eq!((found.left_out, found.table.labels.len()), (1, 3));
        assert_eq!(settled(&["1", "", "2"], Target::Numeric).unwrap().target, Target::Numeric);
        assert!(settled(&["", ""], Target::Numeric).is_err());
        assert!(settled(&["a", "a", ""], Target::Numeric).is_err());
        let one = settled(&["1", "2"], Target::Numeric).unwrap().fingerprint(0.1);
        assert_ne!(
            one,
            settled(&["1", "2"], Target::classes(["1", "2"])).unwrap().fingerprint(0.1)
        );
        assert_ne!(one, settled(&["2", "1"], Target::Numeric).unwrap().fingerprint(0.1));
    }

    /// Two thirds of the rows are kept; the same seed and name deal the same folds as for all rows.
    #[test]
    fn held_out_rows_take_no_part_in_a_selection() {
        let table = PublicTable {
            features: vec!["a".to_owned(), "b".to_owned()],
            x: Array2::from_shape_fn((30, 2), |(i, j)| (i * (j + 1)) as f64),
            labels: (0..30).map(|i| ["p", "q", "r"][i % 3].to_owned()).collect(),
        };
        let settled = Settled::of(table, Target::Numeric).unwrap();
        let all = Study::new("t", settled.clone(), 0.1, 5).unwrap();
        let mut tested = Vec::new();
        for fold in 0..3 {
            let study = Study::held_out("t", settled.clone(), 0.1, 5, fold).unwrap();
            let kept: Vec<usize> = study.table.x.column(0).iter().map(|i| *i as usize).collect();
            assert_eq!(kept, all.downstream.rows(fold, false));
            let labels: Vec<&str> = kept.iter().map(|i| ["p", "q", "r"][i % 3]).collect();
            assert_eq!(study.table.labels, labels);
            assert_eq!(study.y, kept.iter().map(|i| (i % 3) as f64).collect::<Vec<_>>());
            tested.extend((0..30).filter(|row| !kept.contains(row)));
        }
        tested.sort_unstable();
        assert_eq!(tested, (0..30).collect::<Vec<_>>());
    }

    #[test]
    fn bounds_come_from_the_other_half() {
        let x = array![[0.0, 1.0], [10.0, 1.0], [2.0, 1.0], [30.0, 1.0]];
        let scaled = scaled_by_other_half(&x, 1.0);
        // Odd rows have mean 20 and deviation 10, even rows mean 1 and deviation 1.
        assert_eq!(scaled, array![[-2.0, 0.0], [9.0, 0.0], [-1.8, 0.0], [29.0, 0.0]]);
        assert_eq!(pooled_quantiles(&array![[3.0, 3.0]]), (2.0, 4.0));
    }
}
