//! Eigenvalues and eigenvectors of small symmetric matrices.
//!
//! Jacobi's method: each rotation sets one off-diagonal element to 0, until all of them are
//! negligible. O(k^3) per sweep over all elements, about ten sweeps; backward stable.
//! Post-processing: nothing here touches data.
//!
//! Source: G. Golub and C. Van Loan, "Matrix Computations" (2013), section 8.5.

/// The eigenvalues of a symmetric matrix, and an orthonormal eigenvector for each.
#[derive(Debug, Clone)]
pub(super) struct Eigen {
    pub(super) values: Vec<f64>,
    /// Row by row: the component i of the eigenvector j at `i * k + j`.
    vectors: Vec<f64>,
}

impl Eigen {
    /// Decomposes the k x k matrix in `matrix`, row by row.
    pub(super) fn new(mut matrix: Vec<f64>, k: usize) -> Self {
        /// Ten suffice; without a limit a matrix with infinite elements would never end.
        const SWEEPS: usize = 60;
        let mut vectors = vec![0.0; k * k];
        (0..k).for_each(|i| vectors[i * k + i] = 1.0);
        for _ in 0..SWEEPS {
            let mut rotated = false;
            for p in 0..k {
                for q in p + 1..k {
                    rotated |= rotate(&mut matrix, &mut vectors, k, (p, q));
                }
            }
            if !rotated {
                break;
            }
        }
        Self { values: (0..k).map(|i| matrix[i * k + i]).collect(), vectors }
    }

    /// The least eigenvalue; infinite for an empty matrix.
    pub(super) fn least(&self) -> f64 {
        self.values.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The solution of (A + ridge) x = b.
    pub(super) fn solve(&self, b: &[f64], ridge: f64) -> Vec<f64> {
        let k = self.values.len();
        let along = |j: usize| {
            let dot: f64 = (0..k).map(|i| self.vectors[i * k + j] * b[i]).sum();
            dot / (self.values[j] + ridge)
        };
        let along: Vec<f64> = (0..k).map(along).collect();
        (0..k).map(|i| (0..k).map(|j| self.vectors[i * k + j] * along[j]).sum()).collect()
    }
}

/// Makes the element (p, q) zero; false if it is small already.
fn rotate(a: &mut [f64], vectors: &mut [f64], k: usize, (p, q): (usize, usize)) -> bool {
    let off = a[p * k + q];
    if !(off.abs() > 1e-17 * (a[p * k + p].abs() + a[q * k + q].abs())) {
        return false;
    }
    let theta = (a[q * k + q] - a[p * k + p]) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let turn = |m: &mut [f64], first: usize, second: usize| {
        let (x, y) = (m[first], m[second]);
        (m[first], m[second]) = (c * x - s * y, s * x + c * y);
    };
    for i in 0..k {
        turn(a, i * k + p, i * k + q);
    }
    for i in 0..k {
        turn(a, p * k + i, q * k + i);
    }
    for i in 0..k {
        turn(vectors, i * k + p, i * k + q);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_solve() {
        for k in 1usize..8 {
            // A symmetric matrix with eigenvalues of both signs.
            let entry = |i: usize, j: usize| ((i * j + i + j) as f64).sin() * 3.0;
            let matrix: Vec<f64> =
                (0..k * k).map(|e| entry((e / k).min(e % k), (e / k).max(e % k))).collect();
            let eigen = Eigen::new(matrix.clone(), k);
            let trace: f64 = (0..k).map(|i| matrix[i * k + i]).sum();
            assert!((eigen.values.iter().sum::<f64>() - trace).abs() < 1e-12);
            let ridge = 0.5 - eigen.least();
            let b: Vec<f64> = (0..k).map(|i| i as f64 - 1.5).collect();
            let x = eigen.solve(&b, ridge);
            for i in 0..k {
                let row: f64 = (0..k).map(|j| matrix[i * k + j] * x[j]).sum();
                assert!((row + ridge * x[i] - b[i]).abs() < 1e-10, "{k}");
            }
        }
        assert_eq!(Eigen::new(Vec::new(), 0).least(), f64::INFINITY);
    }
}
