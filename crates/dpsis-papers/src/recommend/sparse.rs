//! A sparse approximation of EASE for large catalogs: item by item on its strongest neighbors.
//!
//! For item j let N be the s other items with the largest G_ij / sqrt(G_ii G_jj) in G = X'X +
//! lambda I, ties by number, and S = N with j. Solve G[S,S] p = e_j; then B_ij = -p_i / p_j on N
//! and 0 elsewhere: the ridge regression of the item on its neighbors. With all other items as
//! neighbors this is EASE. (With lambda in the diagonal, items with few users are weak neighbors:
//! the penalty leaves them little weight.)
//!
//! SANSA (Spišák et al., 2023) approximates the same inverse by a sparse matrix, through an
//! incomplete Cholesky factorization of all of G and a few steps of refinement. Regressions on
//! neighbors share the idea, a sparse approximation of the inverse, in a simpler form: the items
//! are independent of each other, so that memory holds the counts of common users and s weights per
//! item, and results do not depend on the number of threads.
//!
//! Cost for n items: the squares of the users' numbers of interactions to count, then s^2/2
//! look-ups and s^3/3 operations an item; 12 s bytes an item, and the counts.
//!
//! Source: the least-squares approximate inverse on a given sparsity pattern, M. J. Grote and T.
//! Huckle, "Parallel Preconditioning with Sparse Approximate Inverses" (1997), here with Cholesky's
//! decomposition of the principal submatrix as in L. Yu. Kolotilina and A. Yu. Yeremin, "Factorized
//! Sparse Approximate Inverse Preconditionings I" (1993).

use dpsis::{Error, Result};
use ndarray::Array2;

use crate::recommend::Interactions;
use crate::recommend::bands::collect;
use crate::recommend::ease::{check, too_small};
use crate::recommend::factor::factor_small;
use crate::recommend::gram::Common;

/// The weights of an item's neighbors: their numbers, ascending, and the weights.
pub(super) type Neighbors = Vec<(u32, f64)>;

/// Fits the columns of B, each with at most `most` neighbors.
///
/// # Errors
///
/// `Request` unless lambda is positive.
pub(super) fn sparse(
    training: &Interactions,
    lambda: f64,
    most: usize,
    threads: usize,
) -> Result<Vec<Neighbors>> {
    check(lambda)?;
    let common = Common::of(training, threads);
    let column =
        |item: usize| weights(&common, lambda, item, &neighbors(&common, lambda, item, most));
    collect(0..common.catalog(), threads, column)
        .into_iter()
        .map(|column| column.ok_or_else(too_small))
        .collect::<std::result::Result<_, Error>>()
}

/// The `most` strongest neighbors of an item, ascending by number. Items without common users come
/// last.
fn neighbors(common: &Common, lambda: f64, item: usize, most: usize) -> Vec<u32> {
    // The squares, times G_jj, which is the same for all, are in the same order.
    let similarity = |&(other, both): &(u32, u32)| {
        let both = f64::from(both);
        (both * both / (f64::from(common.users(other as usize)) + lambda), other)
    };
    let mut similarities: Vec<(f64, u32)> = common.row(item).iter().map(similarity).collect();
    if similarities.len() > most {
        let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        similarities.select_nth_unstable_by(most, order);
        similarities.truncate(most);
    }
    let mut found: Vec<u32> = similarities.into_iter().map(|(_, other)| other).collect();
    found.sort_unstable();
    let missing = most.min(common.catalog() - 1) - found.len();
    if missing > 0 {
        let others = 0..common.catalog() as u32;
        let others = others.filter(|other| *other != item as u32);
        let rest = others.filter(|other| found.binary_search(other).is_err());
        let rest: Vec<u32> = rest.take(missing).collect();
        found.extend(rest);
        found.sort_unstable();
    }
    found
}

/// The ridge regression of an item on its neighbors. None where rounding makes it singular.
fn weights(common: &Common, lambda: f64, item: usize, neighbors: &[u32]) -> Option<Neighbors> {
    // The item comes last: e_j is then the last unit vector, and of L L' p = e_j only L' p remains
    // to be solved, up to a factor that B does not depend on.
    let size = neighbors.len() + 1;
    let number = |place: usize| neighbors.get(place).map_or(item, |other| *other as usize);
    let mut l = Array2::zeros((size, size));
    for row in 0..size {
        for column in 0..row {
            l[(row, column)] = f64::from(common.both(number(row), neighbors[column]));
        }
        l[(row, row)] = f64::from(common.users(number(row))) + lambda;
    }
    factor_small(&mut l.view_mut())?;
    // B = -p / p_j: p_j is -1.
    let mut p = ndarray::Array1::zeros(size);
    p[size - 1] = -l[(size - 1, size - 1)];
    for place in (0..size).rev() {
        p[place] /= l[(place, place)];
        let (found, row) = (p[place], l.row(place));
        for before in 0..place {
            p[before] -= found * row[before];
        }
    }
    Some(neighbors.iter().copied().zip(p).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::ease::ease;
    use crate::recommend::generated::{Shape, generate};

    fn dense(columns: &[Neighbors]) -> Array2<f64> {
        let n = columns.len();
        let mut b = Array2::zeros((n, n));
        for (j, column) in columns.iter().enumerate() {
            column.iter().for_each(|(i, weight)| b[(*i as usize, j)] = *weight);
        }
        b
    }

    #[test]
    fn with_all_neighbors_it_is_ease() {
        // Some pairs of items have no users in common, some items none at all.
        let set = generate(Shape { users: 15, items: 90, mean: 7.0 }, 1);
        let items = set.by_item();
        assert!((0..90).any(|item| items.of(item).is_empty()));
        let exact = ease(&set, 2.0, 1).unwrap();
        for most in [89, 1000] {
            let off = dense(&sparse(&set, 2.0, most, 2).unwrap()) - &exact;
            assert!(off.iter().all(|off| off.abs() < 1e-12));
        }
    }

    #[test]
    fn more_neighbors_come_closer() {
        let set = generate(Shape { users: 600, items: 120, mean: 12.0 }, 2);
        let exact = ease(&set, 10.0, 1).unwrap();
        let norm = |b: &Array2<f64>| b.iter().map(|x| x * x).sum::<f64>().sqrt();
        let off = |most: usize| {
            norm(&(dense(&sparse(&set, 10.0, most, 1).unwrap()) - &exact)) / norm(&exact)
        };
        let all = [0, 10, 30, 60, 90, 110, 119].map(off);
        assert_eq!(all[0], 1.0);
        assert!(all.is_sorted_by(|a, b| a > b), "{all:?}");
        assert!(all[6] < 1e-12, "{all:?}");
    }

    /// The neighbors by a sort of all fractions, exactly.
    #[test]
    fn neighbors_are_the_strongest_ones() {
        let set = generate(Shape { users: 80, items: 60, mean: 7.0 }, 3);
        let (common, items) = (Common::of(&set, 1), set.by_item());
        for item in 0..60 {
            let similarity = |other: &u32| {
                let users = items.of(*other as usize);
                let both = users.iter().filter(|user| items.of(item).contains(user)).count();
                (both * both, users.len() + 3)
            };
            let mut others: Vec<u32> = (0..60).filter(|other| *other as usize != item).collect();
            others.sort_by(|a, b| {
                let (a, b) = (similarity(a), similarity(b));
                (b.0 * a.1).cmp(&(a.0 * b.1))
            });
            for most in [0, 1, 7, 40, 59, 70] {
                let mut naive = others[..most.min(59)].to_vec();
                naive.sort_unstable();
                assert_eq!(neighbors(&common, 3.0, item, most), naive);
            }
        }
    }

    #[test]
    fn threads_change_no_bit() {
        let set = generate(Shape { users: 200, items: 200, mean: 10.0 }, 4);
        assert_eq!(sparse(&set, 5.0, 20, 1).unwrap(), sparse(&set, 5.0, 20, 3).unwrap());
        assert!(sparse(&set, 0.0, 20, 1).is_err());
    }
}
