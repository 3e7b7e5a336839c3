//! Cholesky's decomposition of a small matrix, A = L L', row by row.
//!
//! Cost: n^3/3 floating-point operations, in dot products of rows; in place.
//!
//! Source: G. H. Golub and C. F. Van Loan, "Matrix Computations", 4th edition (2013), 4.2.

use ndarray::{ArrayViewMut2, Axis};

/// Replaces a small symmetric matrix by L, with zeros above the diagonal. None unless it is
/// positive definite; NaN is not.
pub(super) fn factor_small(a: &mut ArrayViewMut2<'_, f64>) -> Option<()> {
    for i in 0..a.nrows() {
        for j in 0..=i {
            let (row, other) = (a.row(i).split_at(Axis(0), j).0, a.row(j).split_at(Axis(0), j).0);
            let rest = a[(i, j)] - row.dot(&other);
            if i > j {
                a[(i, j)] = rest / a[(j, j)];
            } else if rest > 0.0 && rest.is_finite() {
                a[(i, i)] = rest.sqrt();
            } else {
                return None;
            }
        }
        a.row_mut(i).split_at(Axis(0), i + 1).1.fill(0.0);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_factor_by_hand() {
        let mut a = array![[4.0, f64::NAN, f64::NAN], [2.0, 10.0, f64::NAN], [-2.0, 5.0, 6.0]];
        factor_small(&mut a.view_mut()).unwrap();
        assert_eq!(a, array![[2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [-1.0, 2.0, 1.0]]);
    }

    #[test]
    fn indefinite_matrices_have_no_factor() {
        for a in [
            array![[1.0, 2.0], [2.0, 1.0]],
            array![[1.0, 1.0], [1.0, 1.0]],
            array![[f64::NAN, 0.0], [0.0, 1.0]],
            array![[f64::INFINITY, 0.0], [0.0, 1.0]],
        ] {
            assert!(factor_small(&mut a.clone().view_mut()).is_none(), "{a}");
        }
    }
}
