//! Inverse of a symmetric positive definite matrix by Cholesky's decomposition in blocks.
//!
//! A = L L', W = L^-1, A^-1 = W' W. Block by block, from left to right: the diagonal block of L by
//! the textbook's algorithm; the blocks below it, times the inverse of that block; the rest of A,
//! minus their products. Then W, column of blocks by column of blocks, and the products of its
//! columns.
//!
//! Cost: n^3 floating-point operations, a third for each step, nearly all of them in products of
//! matrices; the matrix itself and half of another of its size. Each block is computed by one
//! thread in the same order for any number of threads, so the results are the same to the last
//! bit.
//!
//! Source: G. H. Golub and C. F. Van Loan, "Matrix Computations", 4th edition (2013), 4.2.9 (block
//! Cholesky) and 3.1 (triangular systems).

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayBase, ArrayView2, Axis, Ix2, RawData, Slice};

use crate::recommend::bands::{collect, each};
use crate::recommend::factor::factor_small;

/// The number of rows and columns of a block.
const BLOCK: usize = 192;

/// Some rows and columns of a view.
fn block<S: RawData>(
    view: ArrayBase<S, Ix2>,
    of_rows: Range<usize>,
    of_columns: Range<usize>,
) -> ArrayBase<S, Ix2> {
    columns(rows(view, of_rows), of_columns)
}

fn rows<S: RawData>(mut view: ArrayBase<S, Ix2>, range: Range<usize>) -> ArrayBase<S, Ix2> {
    view.slice_axis_inplace(Axis(0), Slice::from(range));
    view
}

fn columns<S: RawData>(mut view: ArrayBase<S, Ix2>, range: Range<usize>) -> ArrayBase<S, Ix2> {
    view.slice_axis_inplace(Axis(1), Slice::from(range));
    view
}

/// Inverts a symmetric matrix; reads its lower triangle only. None unless it is positive definite.
pub(super) fn inverse(mut a: Array2<f64>, threads: usize) -> Option<Array2<f64>> {
    let corners = factor(&mut a, threads)?;
    let factors = inverse_factor(&a, &corners, threads);
    products(&mut a, &factors, threads);
    Some(a)
}

/// Replaces the lower triangle of a matrix by L, and returns the inverses of its diagonal blocks.
/// Entries above the diagonal outside the diagonal blocks remain unchanged.
fn factor(a: &mut Array2<f64>, threads: usize) -> Option<Vec<Array2<f64>>> {
    let n = a.nrows();
    let mut corners = Vec::new();
    for start in (0..n).step_by(BLOCK) {
        let end = n.min(start + BLOCK);
        let (mut above, mut below) = a.view_mut().split_at(Axis(0), end);
        let mut corner = block(above.view_mut(), start..end, start..end);
        factor_small(&mut corner)?;
        let corner = inverse_small(corner.view());
        each(below.axis_chunks_iter_mut(Axis(0), BLOCK), threads, |mut band| {
            let mut panel = columns(band.view_mut(), start..end);
            let solved = panel.dot(&corner.t());
            panel.assign(&solved);
        });
        corners.push(corner);
        if below.is_empty() {
            break;
        }
        let panel = columns(below.view(), start..end).to_owned();
        let bands = below.axis_chunks_iter_mut(Axis(0), BLOCK).enumerate();
        each(bands, threads, |(place, mut band)| {
            let first = place * BLOCK;
            let last = first + band.nrows();
            let mut rest = columns(band.view_mut(), end..end + last);
            let left = rows(panel.view(), first..last);
            general_mat_mul(-1.0, &left, &rows(panel.view(), 0..last).t(), 1.0, &mut rest);
        });
    }
    Some(corners)
}

/// The inverse of L by columns of blocks, each from its diagonal block down.
fn inverse_factor(l: &Array2<f64>, corners: &[Array2<f64>], threads: usize) -> Vec<Array2<f64>> {
    collect(0..corners.len(), threads, |column| {
        let start = column * BLOCK;
        let mut w = Array2::zeros((l.nrows() - start, corners[column].ncols()));
        for (row, corner) in corners.iter().enumerate().skip(column) {
            let (from, to) = (row * BLOCK, row * BLOCK + corner.nrows());
            let (above, mut below) = w.view_mut().split_at(Axis(0), from - start);
            let mut target = rows(below.view_mut(), 0..corner.nrows());
            if row == column {
                target.assign(corner);
            } else {
                let sum = block(l.view(), from..to, start..from).dot(&above);
                general_mat_mul(-1.0, corner, &sum, 0.0, &mut target);
            }
        }
        w
    })
}

/// Fills a matrix with W' W.
fn products(a: &mut Array2<f64>, factors: &[Array2<f64>], threads: usize) {
    each(a.axis_chunks_iter_mut(Axis(0), BLOCK).enumerate(), threads, |(row, mut band)| {
        for (column, other) in factors.iter().enumerate().take(row + 1) {
            let start = (row - column) * BLOCK;
            let other_below = rows(other.view(), start..other.nrows());
            let mut target =
                columns(band.view_mut(), column * BLOCK..column * BLOCK + other.ncols());
            general_mat_mul(1.0, &factors[row].t(), &other_below, 0.0, &mut target);
        }
    });
    for (row, factor) in factors.iter().enumerate().skip(1) {
        let (start, width) = (row * BLOCK, factor.ncols());
        let (mut above, below) = a.view_mut().split_at(Axis(0), start);
        let below = block(below.view(), 0..width, 0..start);
        columns(above.view_mut(), start..start + width).assign(&below.t());
    }
}

/// The inverse of a small lower triangular matrix.
fn inverse_small(l: ArrayView2<'_, f64>) -> Array2<f64> {
    let n = l.nrows();
    let mut inverse = Array2::zeros((n, n));
    for i in 0..n {
        let (above, mut below) = inverse.view_mut().split_at(Axis(0), i);
        let mut row = below.row_mut(0);
        for j in 0..i {
            row.scaled_add(-l[(i, j)] / l[(i, i)], &above.row(j));
        }
        row[i] = 1.0 / l[(i, i)];
    }
    inverse
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    use super::*;

    /// X'X plus the identity, of random X.
    fn definite(n: usize) -> Array2<f64> {
        let mut rng = ChaCha20Rng::seed_from_u64(n as u64);
        let x = Array2::from_shape_simple_fn((n + 3, n), || rng.gen_range(-1.0..1.0));
        x.t().dot(&x) + Array2::<f64>::eye(n)
    }

    /// For sizes around multiples of a block, the product with the matrix is the identity.
    #[test]
    fn the_inverse_inverts() {
        for n in [0, 1, 2, 50, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 77] {
            let a = definite(n);
            let one = inverse(a.clone(), 2).unwrap().dot(&a);
            let off = (one - Array2::<f64>::eye(n)).mapv(f64::abs);
            assert!(off.iter().all(|off| *off < 1e-9), "{n}: {off}");
        }
    }

    /// By hand: the inverse of [[4, 2], [2, 3]] is [[3, -2], [-2, 4]] / 8.
    #[test]
    fn only_the_lower_triangle_is_read() {
        let found = inverse(array![[4.0, f64::NAN], [2.0, 3.0]], 1).unwrap();
        let off = found - array![[0.375, -0.25], [-0.25, 0.5]];
        assert!(off.iter().all(|off| off.abs() < 1e-15));
    }

    #[test]
    fn threads_change_no_bit() {
        let a = definite(3 * BLOCK - 5);
        assert_eq!(inverse(a.clone(), 1), inverse(a, 2));
    }

    #[test]
    fn indefinite_matrices_have_no_inverse() {
        assert!(inverse(array![[1.0, 2.0], [2.0, 1.0]], 1).is_none());
        assert!(inverse(array![[1.0, 1.0], [1.0, 1.0]], 1).is_none());
        assert!(inverse(array![[f64::NAN]], 1).is_none());
        assert!(inverse(array![[f64::INFINITY]], 1).is_none());
        // In a later block.
        let mut late = Array2::eye(BLOCK + 2);
        late[(BLOCK + 1, BLOCK + 1)] = -1.0;
        assert!(inverse(late, 2).is_none());
    }
}
