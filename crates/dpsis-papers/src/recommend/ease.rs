//! EASE, an autoencoder without hidden layer: the ridge regression of each item on all others.
//!
//! G = X'X + lambda I for the users' interactions X, P = G^-1, B_ij = -P_ij / P_jj and B_jj = 0.
//! The score of item j for a user with interactions x is x B_j. Exact; see
//! [`crate::recommend::sparse`] for catalogs that are too large for it.
//!
//! Cost for n items: the squares of the users' numbers of interactions to add up G, n^3 operations
//! to invert it, 12 n^2 bytes. Pure Rust by default, the same to the last bit on any number of
//! threads; by the system's LAPACK with feature `lapack`, which has threads of its own.
//!
//! Source: H. Steck, "Embarrassingly Shallow Autoencoders for Sparse Data" (2019), equation 8.

use dpsis::{Error, Result};
use ndarray::{Array2, Axis};

use crate::recommend::Interactions;
use crate::recommend::bands::each;

#[cfg(feature = "lapack")]
use lapack as solver;
#[cfg(not(feature = "lapack"))]
use pure as solver;

/// Fits B, items by items.
///
/// # Errors
///
/// `Request` unless lambda is positive.
pub(super) fn ease(training: &Interactions, lambda: f64, threads: usize) -> Result<Array2<f64>> {
    check(lambda)?;
    let inverse = solver::inverse(gram(training, lambda, threads), threads);
    let mut b = inverse.ok_or_else(too_small)?;
    let diagonal = b.diag().to_owned();
    let bands = b.axis_chunks_iter_mut(Axis(0), BAND).enumerate();
    each(bands, threads, |(place, mut band)| {
        for (i, mut row) in band.rows_mut().into_iter().enumerate() {
            row.zip_mut_with(&diagonal, |p, diagonal| *p = -*p / diagonal);
            row[place * BAND + i] = 0.0;
        }
    });
    Ok(b)
}

/// The number of rows that a thread takes at a time.
const BAND: usize = 64;

pub(super) fn check(lambda: f64) -> Result<()> {
    if lambda > 0.0 && lambda.is_finite() {
        Ok(())
    } else {
        Err(Error::request("the penalty lambda is a positive number"))
    }
}

pub(super) fn too_small() -> Error {
    Error::request("the penalty lambda is so small that rounding makes the problem singular")
}

/// X'X + lambda I.
fn gram(training: &Interactions, lambda: f64, threads: usize) -> Array2<f64> {
    let users = training.by_item();
    let n = training.catalog();
    let mut gram = Array2::zeros((n, n));
    let bands = gram.axis_chunks_iter_mut(Axis(0), BAND).enumerate();
    each(bands, threads, |(place, mut band)| {
        for (i, mut row) in band.rows_mut().into_iter().enumerate() {
            let item = place * BAND + i;
            for user in users.of(item) {
                training.of(*user as usize).iter().for_each(|other| row[*other as usize] += 1.0);
            }
            row[item] += lambda;
        }
    });
    gram
}

/// With feature `lapack`, only the test that compares the two uses this module.
#[cfg(any(test, not(feature = "lapack")))]
mod pure {
    pub(super) use crate::recommend::cholesky::inverse;
}

#[cfg(feature = "lapack")]
mod lapack {
    use ndarray::Array2;
    use ndarray_linalg::InverseCInto;

    /// None unless `a` is positive definite.
    pub(super) fn inverse(a: Array2<f64>, _: usize) -> Option<Array2<f64>> {
        if a.is_empty() { Some(a) } else { a.invc_into().ok() }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::recommend::generated::{Shape, generate};

    /// numpy 2.4.6:
    ///
    /// ```python
    /// X = np.array([[float((u * u + 3 * i * u + i) % 4 < 2) for i in range(5)] for u in range(7)])
    /// P = np.linalg.inv(X.T @ X + 2.5 * np.eye(5))
    /// B = -P / np.diag(P); np.fill_diagonal(B, 0)
    /// ```
    #[test]
    fn weights_match_numpy() {
        let pairs = (0..7).flat_map(|u| (0..5).map(move |i| (u, i)));
        let pairs = pairs.filter(|(u, i)| (u * u + 3 * i * u + i) % 4 < 2).collect();
        let found = ease(&Interactions::of_pairs(pairs, 7, 5), 2.5, 1).unwrap();
        let (a, b, c, d) =
            (0.2202676864244741, 0.12459016393442617, 0.5422327229769639, 0.18901358535144713);
        let (e, f, g, h) =
            (0.1180327868852459, -0.001529636711281075, 0.1122268163024217, 0.12390057361376675);
        let numpy = array![
            [0.0, a, b, a, c],
            [d, 0.0, e, f, d],
            [g, h, 0.0, h, g],
            [d, f, e, 0.0, d],
            [c, a, b, a, 0.0]
        ];
        assert!((&found - &numpy).iter().all(|off| off.abs() < 1e-14), "{found}");
    }

    /// Gauss-Jordan elimination with pivots, of the matrix added up pair by pair.
    fn naive(training: &Interactions, lambda: f64) -> Array2<f64> {
        let n = training.catalog();
        let mut both = Array2::<f64>::zeros((n, 2 * n));
        for i in 0..n {
            both[(i, i)] = lambda;
            both[(i, n + i)] = 1.0;
        }
        for user in 0..training.users() {
            for a in training.of(user) {
                training.of(user).iter().for_each(|b| both[(*a as usize, *b as usize)] += 1.0);
            }
        }
        for i in 0..n {
            let rank = |a: &usize, b: &usize| both[(*a, i)].abs().total_cmp(&both[(*b, i)].abs());
            let pivot = (i..n).max_by(rank).unwrap();
            for column in 0..2 * n {
                both.swap((i, column), (pivot, column));
            }
            let row = &both.row(i) / both[(i, i)];
            both.row_mut(i).assign(&row);
            for other in (0..n).filter(|other| *other != i) {
                let factor = both[(other, i)];
                both.row_mut(other).scaled_add(-factor, &row);
            }
        }
        let (_, p) = both.view().split_at(Axis(1), n);
        Array2::from_shape_fn((n, n), |(i, j)| if i == j { 0.0 } else { -p[(i, j)] / p[(j, j)] })
    }

    #[test]
    fn weights_match_elimination() {
        let set = generate(Shape { users: 300, items: 70, mean: 10.0 }, 1);
        for lambda in [0.5, 20.0] {
            let (found, naive) = (ease(&set, lambda, 2).unwrap(), naive(&set, lambda));
            assert!((found - naive).iter().all(|off| off.abs() < 1e-11));
        }
    }

    /// The property that makes an item's column of B the ridge regression of the item on all
    /// others: the residual of the item times each other item is lambda times the weight.
    #[test]
    fn columns_are_ridge_regressions() {
        let set = generate(Shape { users: 200, items: 30, mean: 8.0 }, 2);
        let b = ease(&set, 3.0, 1).unwrap();
        let mut x = Array2::<f64>::zeros((200, 30));
        (0..200).for_each(|u| set.of(u).iter().for_each(|i| x[(u, *i as usize)] = 1.0));
        let slope = x.t().dot(&(&x - &x.dot(&b))) - &b * 3.0;
        for ((i, j), slope) in slope.indexed_iter() {
            assert!(i == j || slope.abs() < 1e-10, "{i} {j} {slope}");
        }
    }

    #[test]
    fn items_without_users_have_no_weight_and_penalties_are_positive() {
        let set = Interactions::of_pairs(vec![(0, 0), (0, 2), (1, 2)], 2, 3);
        let b = ease(&set, 1.0, 1).unwrap();
        assert!(b.row(1).iter().chain(b.column(1)).all(|weight| *weight == 0.0), "{b}");
        for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(ease(&set, lambda, 1).is_err());
        }
        assert!(ease(&Interactions::of_pairs(Vec::new(), 0, 0), 1.0, 1).unwrap().is_empty());
    }

    /// Without LAPACK, which uses threads of its own.
    #[cfg(not(feature = "lapack"))]
    #[test]
    fn threads_change_no_bit() {
        let set = generate(Shape { users: 300, items: 500, mean: 10.0 }, 3);
        assert_eq!(ease(&set, 5.0, 1).unwrap(), ease(&set, 5.0, 2).unwrap());
    }

    #[cfg(feature = "lapack")]
    #[test]
    fn both_inverses_agree() {
        let gram = gram(&generate(Shape { users: 300, items: 400, mean: 10.0 }, 3), 5.0, 1);
        let off = pure::inverse(gram.clone(), 2).unwrap() - lapack::inverse(gram, 2).unwrap();
        assert!(off.iter().all(|off| off.abs() < 1e-12));
        assert!(lapack::inverse(array![[1.0, 2.0], [2.0, 1.0]], 1).is_none());
    }

    /// The size that has to take less than a minute on two cores.
    #[test]
    #[ignore = "seconds, without optimization a minute: run alone, with --release"]
    fn five_thousand_items() {
        let set = generate(Shape { users: 20_000, items: 5000, mean: 50.0 }, 4);
        let start = std::time::Instant::now();
        let b = ease(&set, 500.0, 2).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        assert!(seconds < 60.0, "{seconds}");
        assert!(b.iter().all(|weight| weight.is_finite()));
    }
}
