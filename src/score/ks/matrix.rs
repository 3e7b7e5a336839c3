//! The scores of a matrix in memory.

use ndarray::{ArrayView1, ArrayView2};

use crate::error::{Error, Result};
use crate::exact::{GRID, MAX_ROWS};
use crate::privacy::Neighbors;
use crate::score::Scores;
use crate::score::ks::{CenteredTarget, KsColumns};
use crate::table::{Hooks, SomeRows};
use crate::threads::available_threads;

/// Kolmogorov-Smirnov scores of the columns of X (n x d) with a target coded as one number, on all
/// cores.
///
/// y holds grid values from -[`GRID`](crate::GRID) to [`GRID`](crate::GRID), `None` for a row
/// without a usable target, which is ignored. NaN and infinite feature values are missing. The
/// center is public knowledge or a private estimate
/// ([`estimate::center`](crate::estimate::center)).
///
/// # Privacy
///
/// Scores are exact functions of the data, as input for a mechanism. Their sensitivity holds for
/// the given neighbor relation, where a row of X and its element of y are one unit.
///
/// # Errors
///
/// `Request` if X and y differ in their number of rows, X has no columns, or a target or the center
/// lies outside the grid.
pub fn ks<A: Copy + Into<f64> + Sync>(
    x: ArrayView2<'_, A>,
    y: ArrayView1<'_, Option<i16>>,
    center: i32,
    neighbors: Neighbors,
) -> Result<Scores> {
    let outside = |value: i32| !(-GRID..=GRID).contains(&value);
    if outside(center) || y.iter().flatten().any(|&code| outside(code.into())) {
        return Err(Error::request("the targets and the center must lie on the grid"));
    }
    let target = CenteredTarget::number(y.iter().flatten().copied(), center);
    scores(x, y.map(Option::is_some).to_vec(), &target, neighbors)
}

/// Kolmogorov-Smirnov scores with a target of three or more classes, numbered from 0, for a center
/// of each class: [`GRID`](crate::GRID) times its share. Two classes are one number: see [`ks`].
///
/// # Privacy
///
/// As for [`ks`].
///
/// # Errors
///
/// `Request` if X and y differ in their number of rows, X has no columns, a class has no center, or
/// a center is not between 0 and [`GRID`](crate::GRID).
pub fn ks_of_classes<A: Copy + Into<f64> + Sync>(
    x: ArrayView2<'_, A>,
    y: ArrayView1<'_, Option<usize>>,
    centers: &[i32],
    neighbors: Neighbors,
) -> Result<Scores> {
    let on_grid = centers.iter().all(|center| (0..=GRID).contains(center));
    if !on_grid || y.iter().flatten().any(|class| *class >= centers.len()) {
        return Err(Error::request("each class must have a center, from 0 to the grid bound"));
    }
    let classes = y.iter().flatten().map(|class| *class as u32).collect();
    let target = CenteredTarget::classes(classes, centers.to_vec());
    scores(x, y.map(Option::is_some).to_vec(), &target, neighbors)
}

fn scores<A: Copy + Into<f64> + Sync>(
    x: ArrayView2<'_, A>,
    kept: Vec<bool>,
    target: &CenteredTarget,
    neighbors: Neighbors,
) -> Result<Scores> {
    if x.nrows() != kept.len() || kept.len() as u64 > MAX_ROWS {
        return Err(Error::request("X and y must have the same number of rows, at most 2^31"));
    }
    let threads = available_threads();
    let columns = KsColumns::Values { columns: Box::new(SomeRows::new(x, kept)), words: false };
    let values = columns.scores(target, threads, &Hooks::default())?;
    Scores::new(values, neighbors.steps() * target.one_row(), neighbors)
}
