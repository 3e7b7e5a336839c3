//! Small dense linear algebra for plain models: least squares and ridge regression.
//!
//! Pure Rust by default; with feature `lapack` by the system's LAPACK. Both give the same results but for
//! rounding.

use ndarray::{Array1, ArrayView2, Axis};

/// A linear model of a number.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    /// The intercept.
    pub intercept: f64,
    /// One coefficient a feature.
    pub coefficients: Array1<f64>,
}

impl LinearModel {
    /// Least squares with an intercept; None where the columns of x, n by k, are not independent of each
    /// other and of the intercept, as far as `f64` can tell.
    pub fn least_squares(x: ArrayView2<'_, f64>, y: &Array1<f64>) -> Option<Self> {
        if x.nrows() <= x.ncols() {
            return None;
        }
        Self::centred(x, y, solver::least_squares)
    }

    /// Ridge regression: the minimiser of ||y - X w - b||^2 + penalty ||w||^2. None unless the penalty is
    /// positive.
    pub fn ridge(x: ArrayView2<'_, f64>, y: &Array1<f64>, penalty: f64) -> Option<Self> {
        if !(penalty > 0.0) {
            return None;
        }
        Self::centred(x, y, |x, y| {
            let mut gram = x.t().dot(&x);
            gram.diag_mut().iter_mut().for_each(|value| *value += penalty);
            solver::positive_definite(gram, x.t().dot(&y))
        })
    }

    /// A model of centred columns and target.
    fn centred(
        x: ArrayView2<'_, f64>,
        y: &Array1<f64>,
        solve: impl Fn(ndarray::Array2<f64>, Array1<f64>) -> Option<Array1<f64>>,
    ) -> Option<Self> {
        let (means, mean) = (x.mean_axis(Axis(0))?, y.mean()?);
        let coefficients = solve(&x - &means, y - mean)?;
        let intercept = mean - means.dot(&coefficients);
        let finite = intercept.is_finite() && coefficients.iter().all(|w| w.is_finite());
        finite.then_some(Self { intercept, coefficients })
    }

    /// What it predicts for rows of x, n by k.
    pub fn predict(&self, x: ArrayView2<'_, f64>) -> Array1<f64> {
        x.dot(&self.coefficients) + self.intercept
    }
}

#[cfg(not(feature = "lapack"))]
mod solver {
    use linfa_linalg::cholesky::SolveCInplace;
    use linfa_linalg::qr::QR;
    use ndarray::{Array1, Array2, Axis};

    pub(super) fn least_squares(x: Array2<f64>, y: Array1<f64>) -> Option<Array1<f64>> {
        let decomposed = x.qr().ok()?;
        let diagonal = x.qr().ok()?.into_r().diag().mapv(f64::abs);
        let most = diagonal.iter().copied().fold(0.0, f64::max);
        let least = most * f64::EPSILON * x.nrows().max(x.ncols()) as f64;
        if diagonal.iter().any(|value| !(*value > least)) {
            return None;
        }
        Some(decomposed.solve(&y.insert_axis(Axis(1))).ok()?.remove_axis(Axis(1)))
    }

    pub(super) fn positive_definite(mut a: Array2<f64>, b: Array1<f64>) -> Option<Array1<f64>> {
        let mut b = b.insert_axis(Axis(1));
        a.solvec_inplace(&mut b).ok()?;
        Some(b.remove_axis(Axis(1)))
    }
}

#[cfg(feature = "lapack")]
mod solver {
    use ndarray::{Array1, Array2};
    use ndarray_linalg::{LeastSquaresSvdInto, SolveH};

    pub(super) fn least_squares(x: Array2<f64>, y: Array1<f64>) -> Option<Array1<f64>> {
        let columns = x.ncols() as i32;
        let result = x.least_squares_into(y).ok()?;
        // A minimum-norm solution of dependent columns is another model.
        (result.rank == columns).then_some(result.solution)
    }

    pub(super) fn positive_definite(a: Array2<f64>, b: Array1<f64>) -> Option<Array1<f64>> {
        a.solveh_into(b).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    /// By numpy 2: `lstsq`, and the closed form of the ridge at 2.5.
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
    fn models_are_those_of_numpy() {
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
}
