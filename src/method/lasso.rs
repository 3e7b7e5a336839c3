//! The LASSO, for tables with many more features than samples.
//!
//! # Definition
//!
//! The minimizer over coefficients w and an intercept b of
//!
//! ```text
//! P(w, b) = 1/(2n) ||y - X w - b||^2 + lambda ||w||_1
//! ```
//!
//! with the penalty scaled as in scikit-learn.
//!
//! # Algorithm
//!
//! Few features have nonzero coefficients, so the solver gets few columns. With y and the columns
//! centered (the intercept is then the mean of y minus that of X w), a working set W starts with
//! the columns most correlated with y. `linfa-elasticnet` solves the problem restricted to W. The
//! residual r shows which columns outside W violate the optimality condition |x_j'r| <= n lambda,
//! and the worst of them are added to W. This check does not require centered columns, since r sums
//! to 0; only the columns of W are copied.
//!
//! The iteration stops by the duality gap of the whole problem, which bounds how far P is from its
//! minimum: with theta = r min(1, n lambda / max_j |x_j'r|),
//!
//! ```text
//! gap = 1/2 ||r||^2 + n lambda ||w||_1 - (y'theta - 1/2 ||theta||^2)  <=  tolerance * 1/2 ||y||^2.
//! ```
//!
//! # Cost
//!
//! O(n d) per round, for a few rounds, plus the small problems: about a millisecond for 10 samples
//! of 12,000 features, where sweeps over all columns take hundreds of milliseconds.
//!
//! # Source
//!
//! R. Tibshirani, "Regression Shrinkage and Selection via the Lasso" (1996); the working set
//! follows M. Massias, A. Gramfort, J. Salmon, "Celer: a Fast Solver for the Lasso with Dual
//! Extrapolation" (2018), without the extrapolation.

use linfa::prelude::*;
use linfa_elasticnet::ElasticNet;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, ShapeBuilder};

use crate::error::{Error, Result};
use crate::method::two_stage::check_penalty;

/// The maximum number of coefficient updates, so that every fit terminates.
const MAX_UPDATES: u64 = 5_000_000;

/// The maximum number of rounds of the working set.
const MAX_ROUNDS: usize = 100;

/// The share of the duality gap that the small problem may leave while the working set grows.
const INNER_GAP_SHARE: f64 = 0.01;

/// A LASSO solver with its penalty and tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lasso {
    penalty: f64,
    tolerance: f64,
}

/// A fitted LASSO.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LassoFit {
    /// The nonzero coefficients with the indices of their features, ascending.
    pub coefficients: Vec<(usize, f64)>,
    /// The intercept.
    pub intercept: f64,
    /// The explained share of the variance of y; 0 if y is constant.
    pub r2: f64,
    /// The duality gap relative to half the squared norm of the centered y: an upper bound for the
    /// distance of the objective from its minimum.
    pub gap: f64,
}

impl Lasso {
    /// A solver with penalty lambda.
    ///
    /// # Errors
    ///
    /// `Request` unless lambda is positive and finite.
    pub fn new(penalty: f64) -> Result<Self> {
        check_penalty(penalty)?;
        Ok(Self { penalty, tolerance: 1e-8 })
    }

    /// Sets the relative duality gap at which to stop, by default 1e-8.
    ///
    /// # Errors
    ///
    /// `Request` unless it lies between 1e-12 and 1.
    pub fn tolerance(self, tolerance: f64) -> Result<Self> {
        if !(1e-12..=1.0).contains(&tolerance) {
            return Err(Error::request("the tolerance must lie between 1e-12 and 1"));
        }
        Ok(Self { tolerance, ..self })
    }

    /// Fits `x`, n x d (fastest in row-major order), and `y` of length n. All values must be
    /// finite.
    ///
    /// The amount of work is bounded. If the tolerance is not reached within it, the last solution
    /// is returned with its gap.
    ///
    /// # Errors
    ///
    /// `Request` if there is no sample, or x and y differ in their number of samples; `Input` if
    /// the solver fails.
    pub fn fit(&self, x: ArrayView2<'_, f64>, y: ArrayView1<'_, f64>) -> Result<LassoFit> {
        let n = x.nrows();
        if n == 0 || n != y.len() {
            return Err(Error::request("X and y must have the same number of rows, at least one"));
        }
        let mean = y.sum() / n as f64;
        let y = y.mapv(|value| value - mean);
        let norm = 0.5 * y.dot(&y);
        let threshold = n as f64 * self.penalty;
        let mut set = WorkingSet { columns: Vec::new(), member: vec![false; x.ncols()] };
        let mut solution = Solution { w: Vec::new(), residual: y.clone() };
        let mut inner = 1.0;
        let mut updates = MAX_UPDATES;
        for _ in 0..MAX_ROUNDS {
            let correlations = correlations(x, &solution.residual);
            let gap = solution.gap(&y, &correlations, threshold);
            if gap <= self.tolerance * norm {
                return Ok(self.finish(x, mean, norm, gap, set, solution));
            }
            let grown = set.grow(&correlations, threshold, solution.support());
            // The gap of the small problem must not mask violations by the columns outside.
            inner = match grown {
                true => f64::max(INNER_GAP_SHARE * gap / norm, 0.4 * self.tolerance),
                // Optimal up to the precision of the small problem.
                false => f64::min(0.1 * inner, 0.4 * self.tolerance),
            };
            let sweeps = updates / set.columns.len().max(1) as u64;
            if inner < 1e-15 || sweeps == 0 {
                break;
            }
            let (found, swept) = self.restricted(x, &y, &set.columns, inner, sweeps as u32)?;
            solution = found;
            updates -= swept * set.columns.len() as u64;
        }
        let gap = solution.gap(&y, &correlations(x, &solution.residual), threshold);
        Ok(self.finish(x, mean, norm, gap, set, solution))
    }

    /// Solves the problem restricted to some columns in at most `sweeps` sweeps; returns the number
    /// used.
    fn restricted(
        &self,
        x: ArrayView2<'_, f64>,
        y: &Array1<f64>,
        columns: &[usize],
        tolerance: f64,
        sweeps: u32,
    ) -> Result<(Solution, u64)> {
        let mut small = Array2::zeros((x.nrows(), columns.len()).f());
        for (mut to, &column) in small.axis_iter_mut(Axis(1)).zip(columns) {
            to.assign(&x.column(column));
            let mean = to.sum() / to.len() as f64;
            to -= mean;
        }
        let dataset = DatasetBase::new(small, y.clone());
        let model = ElasticNet::params()
            .penalty(self.penalty)
            .l1_ratio(1.0)
            .with_intercept(false)
            .tolerance(tolerance)
            .max_iterations(sweeps)
            .fit(&dataset)
            .map_err(|_| Error::input("the LASSO of a working set cannot be solved"))?;
        let w = model.hyperplane().to_vec();
        let residual = y - &dataset.records.dot(model.hyperplane());
        Ok((Solution { w, residual }, u64::from(model.n_steps())))
    }

    fn finish(
        &self,
        x: ArrayView2<'_, f64>,
        mean: f64,
        norm: f64,
        gap: f64,
        set: WorkingSet,
        solution: Solution,
    ) -> LassoFit {
        let pairs = set.columns.into_iter().zip(solution.w.iter().copied());
        let mut coefficients: Vec<(usize, f64)> = pairs.filter(|(_, w)| *w != 0.0).collect();
        coefficients.sort_unstable_by_key(|(column, _)| *column);
        let shift = |&(column, w): &(usize, f64)| w * x.column(column).sum() / x.nrows() as f64;
        let intercept = mean - coefficients.iter().map(shift).sum::<f64>();
        let unexplained = 0.5 * solution.residual.dot(&solution.residual);
        let relative = |value: f64| if norm > 0.0 { value / norm } else { 0.0 };
        let r2 = if norm > 0.0 { 1.0 - relative(unexplained) } else { 0.0 };
        LassoFit { coefficients, intercept, r2, gap: relative(gap) }
    }
}

impl LassoFit {
    /// The features with the k largest nonzero coefficients in magnitude, best first; ties are
    /// broken by feature index.
    pub fn top(&self, k: usize) -> Vec<usize> {
        let mut order = self.coefficients.clone();
        order.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        order.into_iter().take(k).map(|(feature, _)| feature).collect()
    }
}

/// The columns passed to the solver.
struct WorkingSet {
    columns: Vec<usize>,
    member: Vec<bool>,
}

impl WorkingSet {
    /// Adds the columns that violate the optimality condition most, as many as there are nonzero
    /// coefficients and at least ten. Returns whether there were any.
    fn grow(&mut self, correlations: &Array1<f64>, threshold: f64, support: usize) -> bool {
        let violates = |&column: &usize| {
            !self.member[column] && correlations[column].abs() > threshold * (1.0 + 1e-12)
        };
        let mut worst: Vec<usize> = (0..correlations.len()).filter(violates).collect();
        let most = support.max(10);
        let by_size =
            |a: &usize, b: &usize| correlations[*b].abs().total_cmp(&correlations[*a].abs());
        if worst.len() > most {
            worst.select_nth_unstable_by(most, |a, b| by_size(a, b).then(a.cmp(b)));
            worst.truncate(most);
        }
        worst.sort_unstable_by(|a, b| by_size(a, b).then(a.cmp(b)));
        for &column in &worst {
            self.member[column] = true;
        }
        self.columns.extend(&worst);
        !worst.is_empty()
    }
}

/// The coefficients of the working set, and the residual.
struct Solution {
    w: Vec<f64>,
    residual: Array1<f64>,
}

impl Solution {
    fn support(&self) -> usize {
        self.w.iter().filter(|w| **w != 0.0).count()
    }

    /// The duality gap of the whole problem, times n.
    fn gap(&self, y: &Array1<f64>, correlations: &Array1<f64>, threshold: f64) -> f64 {
        let r = &self.residual;
        let most = correlations.iter().fold(0.0f64, |most, c| most.max(c.abs()));
        let scale = if most > threshold { threshold / most } else { 1.0 };
        let l1: f64 = self.w.iter().map(|w| w.abs()).sum();
        let squared = r.dot(r);
        let primal = 0.5 * squared + threshold * l1;
        let dual = scale * y.dot(r) - 0.5 * scale * scale * squared;
        primal - dual
    }
}

/// x_j'r for all columns.
fn correlations(x: ArrayView2<'_, f64>, r: &Array1<f64>) -> Array1<f64> {
    if x.ncols() > 1 && x.strides()[1] == 1 {
        let mut sums = Array1::zeros(x.ncols());
        for (row, &weight) in x.rows().into_iter().zip(r) {
            sums.scaled_add(weight, &row);
        }
        return sums;
    }
    x.columns().into_iter().map(|column| column.dot(r)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    fn case(seed: u64, n: usize, d: usize) -> (Array2<f64>, Array1<f64>) {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let mut x = Array2::from_shape_fn((n, d), |_| rng.gen_range(-1.0..1.0));
        // Adjacent columns are correlated, and their means are not 0.
        for j in 1..d {
            let before = x.column(j - 1).to_owned();
            x.column_mut(j).zip_mut_with(&before, |a, b| *a = 0.6 * *a + 0.4 * b + 0.1);
        }
        let y = (0..n).map(|i| 2.0 * x[(i, 0)] - x[(i, d / 2)] + 0.3 * rng.gen_range(-1.0..1.0));
        let y = y.collect();
        (x, y)
    }

    /// Checks the objective and the optimality conditions by definition.
    fn objective(x: &Array2<f64>, y: &Array1<f64>, fit: &LassoFit, lambda: f64) -> f64 {
        let mut squares = 0.0;
        for i in 0..x.nrows() {
            let predicted: f64 = fit.coefficients.iter().map(|&(j, w)| w * x[(i, j)]).sum();
            squares += (y[i] - fit.intercept - predicted).powi(2);
        }
        let l1: f64 = fit.coefficients.iter().map(|(_, w)| w.abs()).sum();
        squares / (2.0 * x.nrows() as f64) + lambda * l1
    }

    #[test]
    fn coefficients_match_a_full_solve() {
        for (seed, n, d) in [(1, 20, 30), (2, 50, 10), (3, 12, 200), (4, 80, 80)] {
            let (x, y) = case(seed, n, d);
            for lambda in [0.02, 0.1, 0.3] {
                let fit = Lasso::new(lambda).unwrap().tolerance(1e-12).unwrap();
                let fit = fit.fit(x.view(), y.view()).unwrap();
                let means = x.mean_axis(Axis(0)).unwrap();
                let centered = &x - &means;
                let full = ElasticNet::params()
                    .penalty(lambda)
                    .l1_ratio(1.0)
                    .tolerance(1e-13)
                    .max_iterations(1_000_000)
                    .fit(&DatasetBase::new(centered, y.clone()))
                    .unwrap();
                let mut ours = Array1::zeros(d);
                fit.coefficients.iter().for_each(|&(j, w)| ours[j] = w);
                for (a, b) in ours.iter().zip(full.hyperplane()) {
                    assert!((a - b).abs() < 1e-6, "{seed} {lambda}: {a} {b}");
                }
                let intercept = full.intercept() - means.dot(full.hyperplane());
                assert!((fit.intercept - intercept).abs() < 1e-6);
                assert!(fit.gap <= 1e-12);
            }
        }
    }

    #[test]
    fn no_step_in_any_direction_is_better() {
        let (x, y) = case(5, 15, 100);
        let lambda = 0.05;
        let fit = Lasso::new(lambda).unwrap().fit(x.view(), y.view()).unwrap();
        let best = objective(&x, &y, &fit, lambda);
        for j in 0..100 {
            for step in [-1e-3, 1e-3] {
                let mut other = fit.clone();
                match other.coefficients.iter_mut().find(|(column, _)| *column == j) {
                    Some((_, w)) => *w += step,
                    None => other.coefficients.push((j, step)),
                }
                assert!(objective(&x, &y, &other, lambda) > best);
            }
        }
        // The explained share by definition.
        let mean = y.mean().unwrap();
        let total: f64 = y.iter().map(|value| (value - mean).powi(2)).sum();
        let l1: f64 = fit.coefficients.iter().map(|(_, w)| w.abs()).sum();
        let left = (best - lambda * l1) * 2.0 * 15.0;
        assert!((fit.r2 - (1.0 - left / total)).abs() < 1e-12);
    }

    #[test]
    fn large_penalties_constants_and_single_rows_give_nothing() {
        let (x, y) = case(6, 10, 20);
        let none = |x: &Array2<f64>, y: &Array1<f64>, lambda: f64| {
            let fit = Lasso::new(lambda).unwrap().fit(x.view(), y.view()).unwrap();
            assert!(fit.coefficients.is_empty() && fit.r2 == 0.0);
            assert!((fit.intercept - y.mean().unwrap()).abs() < 1e-12);
        };
        none(&x, &y, 10.0);
        none(&x, &Array1::from_elem(10, 3.0), 0.1);
        none(&Array2::ones((10, 20)), &y, 0.1);
        none(&Array2::ones((1, 20)), &Array1::ones(1), 0.1);
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Lasso::new(wrong).is_err());
        }
        assert!(Lasso::new(0.1).unwrap().fit(x.view(), Array1::ones(9).view()).is_err());
    }

    /// A deliberately hard problem: hundreds of columns that explain every row, and almost no
    /// penalty.
    #[test]
    fn hard_fits_terminate() {
        let mut rng = ChaCha20Rng::seed_from_u64(8);
        let x = Array2::from_shape_fn((80, 230), |_| rng.gen_range(-1.0..1.0));
        let y = Array1::from_shape_fn(80, |i| if i == 79 { -0.5 } else { 0.5 });
        let start = std::time::Instant::now();
        let fit = Lasso::new(1e-6).unwrap().fit(x.view(), y.view()).unwrap();
        assert!(start.elapsed().as_secs() < 60 && fit.gap.is_finite() && fit.r2 > 0.5);
    }

    #[test]
    fn both_memory_orders_give_equal_fits() {
        let (x, y) = case(7, 12, 60);
        let lasso = Lasso::new(0.1).unwrap();
        let by_rows = lasso.fit(x.view(), y.view()).unwrap();
        let other = x.t().as_standard_layout().to_owned();
        let by_columns = lasso.fit(other.t(), y.view()).unwrap();
        let columns = |fit: &LassoFit| fit.coefficients.iter().map(|c| c.0).collect::<Vec<_>>();
        assert_eq!(columns(&by_rows), columns(&by_columns));
        assert_eq!(by_rows.top(2).len(), 2);
    }
}
