//! Small dense linear algebra for plain models: least squares and ridge regression.
//!
//! Pure Rust by default; the system's LAPACK with feature `lapack`. Both use the same
//! factorizations (Householder QR, Cholesky) and the same rule for dependent columns, so their
//! results agree up to rounding errors.

use ndarray::{Array1, Array2, ArrayView2, Axis};

#[cfg(feature = "lapack")]
use lapack as solver;
#[cfg(not(feature = "lapack"))]
use pure as solver;

pub use solver::positive_definite;

/// A linear model of a numeric target.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    /// The intercept.
    pub intercept: f64,
    /// One coefficient per feature.
    pub coefficients: Array1<f64>,
}

impl LinearModel {
    /// Fits least squares with an intercept. None where the columns of x, n by k, are linearly
    /// dependent on each other or on the intercept up to rounding errors.
    pub fn least_squares(x: ArrayView2<'_, f64>, y: &Array1<f64>) -> Option<Self> {
        if x.nrows() <= x.ncols() {
            return None;
        }
        let noise = noise(x);
        Self::centered(x, y, |x, y| solver::least_squares(x, y, &noise))
    }

    /// Fits a ridge regression: the minimizer of ||y - X w - b||^2 + penalty ||w||^2. None unless
    /// the penalty is positive.
    pub fn ridge(x: ArrayView2<'_, f64>, y: &Array1<f64>, penalty: f64) -> Option<Self> {
        if !(penalty > 0.0) {
            return None;
        }
        Self::centered(x, y, |x, y| {
            let mut gram = x.t().dot(&x);
            gram.diag_mut().iter_mut().for_each(|value| *value += penalty);
            positive_definite(gram, x.t().dot(&y))
        })
    }

    /// Fits a model to centered columns and a centered target.
    fn centered(
        x: ArrayView2<'_, f64>,
        y: &Array1<f64>,
        solve: impl Fn(Array2<f64>, Array1<f64>) -> Option<Array1<f64>>,
    ) -> Option<Self> {
        let mean = y.mean()?;
        if x.ncols() == 0 {
            // Not every solver accepts a matrix without columns.
            return mean
                .is_finite()
                .then(|| Self { intercept: mean, coefficients: Array1::zeros(0) });
        }
        let means = x.mean_axis(Axis(0))?;
        let coefficients = solve(&x - &means, y - mean)?;
        let intercept = mean - means.dot(&coefficients);
        let finite = intercept.is_finite() && coefficients.iter().all(|w| w.is_finite());
        finite.then_some(Self { intercept, coefficients })
    }

    /// Predicts the target for the rows of x, n by k.
    pub fn predict(&self, x: ArrayView2<'_, f64>) -> Array1<f64> {
        x.dot(&self.coefficients) + self.intercept
    }
}

/// The largest residual norm of each column that rounding errors alone can explain where the column
/// depends on earlier columns or on the intercept. It is proportional to the norm of the column
/// before centering, because centering rounds on that scale: a constant column of 0.1 is not
/// exactly 0 after centering.
fn noise(x: ArrayView2<'_, f64>) -> Array1<f64> {
    let unit = ROUNDINGS * f64::EPSILON * x.nrows() as f64;
    x.map_axis(Axis(0), |column| unit * column.dot(&column).sqrt())
}

/// Twenty times the largest value observed: in 17,000 seeded factorizations by either solver,
/// exactly dependent columns left residuals of at most 0.18 epsilon times n times their norm.
const ROUNDINGS: f64 = 4.0;

/// Whether the columns of X = Q R are independent: the diagonal of R holds the part of each column
/// that is not explained by earlier columns. NaN counts as dependent.
fn independent(r: &Array2<f64>, noise: &Array1<f64>) -> bool {
    r.diag().iter().zip(noise).all(|(left, noise)| left.abs() > *noise)
}

/// With feature `lapack`, only the test that compares the two solvers uses this module.
#[cfg(any(test, not(feature = "lapack")))]
mod pure {
    use linfa_linalg::cholesky::SolveCInplace;
    use linfa_linalg::qr::QR;
    use linfa_linalg::triangular::{SolveTriangularInplace, UPLO};
    use ndarray::{Array1, Array2, Axis};

    /// No column where `independent` is false.
    pub(super) fn least_squares(
        x: Array2<f64>,
        y: Array1<f64>,
        noise: &Array1<f64>,
    ) -> Option<Array1<f64>> {
        let (q, r) = x.qr().ok()?.into_decomp();
        if !super::independent(&r, noise) {
            return None;
        }
        let mut w = q.t().dot(&y).insert_axis(Axis(1));
        r.solve_triangular_inplace(&mut w, UPLO::Upper).ok()?;
        Some(w.remove_axis(Axis(1)))
    }

    /// Solves a w = b. None where rounding makes `a` indefinite.
    #[cfg_attr(feature = "lapack", allow(unreachable_pub, reason = "then it is for tests alone"))]
    pub fn positive_definite(mut a: Array2<f64>, b: Array1<f64>) -> Option<Array1<f64>> {
        let mut b = b.insert_axis(Axis(1));
        a.solvec_inplace(&mut b).ok()?;
        Some(b.remove_axis(Axis(1)))
    }
}

#[cfg(feature = "lapack")]
mod lapack {
    use ndarray::{Array1, Array2};
    use ndarray_linalg::{Diag, QRInto, SolveC, SolveTriangular, UPLO};

    /// Solves by QR rather than by LAPACK's own least squares, which determines the rank by another
    /// rule and returns the minimum-norm solution for dependent columns. None if the columns are
    /// dependent.
    pub(super) fn least_squares(
        x: Array2<f64>,
        y: Array1<f64>,
        noise: &Array1<f64>,
    ) -> Option<Array1<f64>> {
        let (q, r) = x.qr_into().ok()?;
        if !super::independent(&r, noise) {
            return None;
        }
        r.solve_triangular(UPLO::Upper, Diag::NonUnit, &q.t().dot(&y)).ok()
    }

    /// Solves a w = b. None where rounding makes `a` indefinite.
    pub fn positive_definite(a: Array2<f64>, b: Array1<f64>) -> Option<Array1<f64>> {
        a.solvec_into(b).ok()
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// Reference values by numpy 2: `lstsq`, and the closed form of the ridge at penalty 2.5.
    const NUMPY_LEAST_SQUARES: (f64, [f64; 3]) =
        (0.1316146540027147, [0.15389559380132803, 0.33942726558594616, 0.7109905020352791]);
    const NUMPY_RIDGE: (f64, [f64; 3]) =
        (0.27513009056324744, [0.15338814580672464, 0.32865073991749894, 0.6925025331947667]);

    fn design() -> (Array2<f64>, Array1<f64>) {
        let x = Array2::from_shape_fn((12, 3), |(i, j)| ((i * (2 * j + 5) + j * j) % 11) as f64);
        let y = (0..12).map(|i| ((i * i * 7) % 13) as f64).collect();
        (x, y)
    }

    #[test]
    fn models_match_numpy() {
        let (x, y) = design();
        let close = |model: &LinearModel, intercept: f64, coefficients: [f64; 3]| {
            assert!((model.intercept - intercept).abs() < 1e-10, "{model:?}");
            for (a, b) in model.coefficients.iter().zip(coefficients) {
                assert!((a - b).abs() < 1e-10, "{model:?}");
            }
        };
        let plain = LinearModel::least_squares(x.view(), &y).unwrap();
        close(&plain, NUMPY_LEAST_SQUARES.0, NUMPY_LEAST_SQUARES.1);
        let ridge = LinearModel::ridge(x.view(), &y, 2.5).unwrap();
        close(&ridge, NUMPY_RIDGE.0, NUMPY_RIDGE.1);
        let predicted = plain.predict(x.view());
        assert!((predicted.mean().unwrap() - y.mean().unwrap()).abs() < 1e-10);
    }

    #[test]
    fn dependent_columns_have_no_least_squares_but_a_ridge() {
        let x = array![[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [5.0, 10.0]];
        let y = array![1.0, 2.0, 3.0, 5.0];
        assert!(LinearModel::least_squares(x.view(), &y).is_none());
        let ridge = LinearModel::ridge(x.view(), &y, 1e-9).unwrap();
        assert!((ridge.predict(x.view()) - &y).iter().all(|error| error.abs() < 1e-6));
        assert!(
            LinearModel::least_squares(array![[1.0], [2.0]].view(), &array![1.0, 2.0]).is_some()
        );
        assert!(LinearModel::least_squares(array![[1.0]].view(), &array![1.0]).is_none());
        assert!(LinearModel::ridge(x.view(), &y, 0.0).is_none());
    }

    #[test]
    fn constant_and_shifted_columns_are_dependent_and_scales_do_not_matter() {
        let (x, y) = design();
        let with = |column: Array1<f64>| {
            let mut wider = x.clone();
            wider.push_column(column.view()).unwrap();
            LinearModel::least_squares(wider.view(), &y)
        };
        let other = Array1::from_shape_fn(12, |i| ((i * i) % 7) as f64);
        assert!(with(Array1::from_elem(12, 0.1)).is_none());
        assert!(with(&x.column(1) * 0.3 + 1e6).is_none());
        assert!(with(&x.column(1) * 0.3 + &x.column(2) * 0.7).is_none());
        assert!(with(&other * f64::NAN).is_none());
        assert!(with(other.clone()).is_some() && with(&other * 1e-20).is_some());
        let constant = Array2::from_elem((12, 1), 0.1);
        assert!(LinearModel::least_squares(constant.view(), &y).is_none());
        // Without columns: the mean.
        let (empty, _) = x.view().split_at(Axis(1), 0);
        assert_eq!(LinearModel::least_squares(empty, &y).unwrap().intercept, y.mean().unwrap());
        assert_eq!(LinearModel::ridge(empty, &y, 1.0).unwrap().intercept, y.mean().unwrap());
    }

    /// The two solvers on the same seeded designs: independent, nearly collinear, dependent.
    #[cfg(feature = "lapack")]
    #[test]
    fn both_solvers_agree() {
        use rand::{Rng, SeedableRng};
        let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(11);
        let apart = |a: &Array1<f64>, b: &Array1<f64>| {
            let norm = b.dot(b).sqrt();
            (a - b).dot(&(a - b)).sqrt() / norm.max(f64::MIN_POSITIVE)
        };
        for case in 0..300 {
            let k = rng.gen_range(1..=30);
            let n = rng.gen_range(k + 2..=200);
            let x = Array2::from_shape_simple_fn((n, k), || rng.gen_range(-1.0..1.0));
            let y = Array1::from_shape_simple_fn(n, || rng.gen_range(-1.0..1.0));
            let solve = |x: &Array2<f64>| {
                let (noise, centered) = (noise(x.view()), x - &x.mean_axis(Axis(0)).unwrap());
                let pure = pure::least_squares(centered.clone(), y.clone(), &noise);
                (pure, lapack::least_squares(centered, y.clone(), &noise))
            };
            let (Some(a), Some(b)) = solve(&x) else { panic!("case {case}: independent") };
            assert!(apart(&a, &b) < 1e-10, "case {case}: {a} {b}");

            let mut gram = x.t().dot(&x);
            gram.diag_mut().iter_mut().for_each(|value| *value += 1e-3);
            let b = x.t().dot(&y);
            let pure = pure::positive_definite(gram.clone(), b.clone()).unwrap();
            assert!(apart(&pure, &positive_definite(gram.clone(), b.clone()).unwrap()) < 1e-10);
            gram[(0, 0)] = -1.0;
            assert!(pure::positive_definite(gram.clone(), b.clone()).is_none());
            assert!(positive_definite(gram, b).is_none());

            // A column that differs from another by a part of some size. Rounding is magnified by
            // the inverse of the part, in the coefficients once more by how far y is from its fit;
            // the fit itself agrees.
            let Some(last) = k.checked_sub(1).filter(|last| *last > 0) else { continue };
            let part = 10f64.powi(-rng.gen_range(2..=10));
            let mut near = x.clone();
            let moved = &x.column(0) + &(&x.column(last) * part);
            near.column_mut(last).assign(&moved);
            let (Some(a), Some(b)) = solve(&near) else { panic!("case {case}: {part}") };
            assert!(apart(&a, &b) < 1e-10 / part, "case {case}, {part}: {}", apart(&a, &b));
            assert!(apart(&near.dot(&a), &near.dot(&b)) < 1e-13 / part, "case {case}: {part}");

            // A column that is a combination of others, with and without a constant.
            for shift in [0.0, 1.0, 1e5] {
                let mut dependent = x.clone();
                let weights = Array1::from_shape_simple_fn(last, || rng.gen_range(-1.0..1.0));
                let sum = x.view().split_at(Axis(1), last).0.dot(&weights) + shift;
                dependent.column_mut(last).assign(&sum);
                assert_eq!(solve(&dependent), (None, None), "case {case}: {shift}");
            }
        }
    }
}
