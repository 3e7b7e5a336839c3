//! Ballots of blocks of rows, cast by the LASSO, and their votes.

#[cfg(feature = "methods")]
use ndarray::{ArrayView1, ArrayView2, Axis};

#[cfg(not(feature = "methods"))]
use crate::error::Parameter;
use crate::error::{Error, Result};
#[cfg(feature = "methods")]
use crate::method::Lasso;
use crate::table::Hooks;
#[cfg(feature = "methods")]
use crate::threads::on_threads;

/// Rows dealt to blocks.
pub(crate) struct Rows<'a> {
    /// The values, row-major, n x d.
    pub(crate) x: &'a [f64],
    /// The n targets.
    pub(crate) y: &'a [f64],
    /// The number of features d.
    pub(crate) features: usize,
    /// The block of each row.
    pub(crate) block: &'a [u64],
}

impl Rows<'_> {
    /// Refuses lists whose lengths do not match.
    fn check(&self) -> Result<()> {
        let n = self.y.len();
        if self.block.len() != n || n.checked_mul(self.features) != Some(self.x.len()) {
            return Err(Error::input("the table's rows differ in length"));
        }
        Ok(())
    }
}

/// The ballots of blocks, with all candidates of each: see [`ballots`].
///
/// # Errors
///
/// `Request` for a penalty that is not positive, or without feature `methods`; `Input` if rows
/// differ in length; `Canceled` if the caller stopped it.
#[cfg(feature = "methods")]
pub(crate) fn ballots_of_blocks(
    rows: &Rows<'_>,
    penalty: f64,
    threads: usize,
    hooks: &Hooks,
) -> Result<Vec<Vec<usize>>> {
    rows.check()?;
    let x = ArrayView2::from_shape((rows.y.len(), rows.features), rows.x)
        .map_err(|_| Error::input("the table's rows differ in length"))?;
    let (y, lasso) = (ArrayView1::from(rows.y), Lasso::new(penalty)?);
    let canceled = || hooks.is_canceled();
    // All candidates of a block, so that draws of any k share its ballot.
    let ballots = ballots(x, y, rows.block, &lasso, usize::MAX, threads, &canceled);
    hooks.check().map(|()| ballots)
}

/// Refuses: this build does not contain the LASSO.
#[cfg(not(feature = "methods"))]
pub(crate) fn ballots_of_blocks(
    rows: &Rows<'_>,
    _: f64,
    _: usize,
    _: &Hooks,
) -> Result<Vec<Vec<usize>>> {
    rows.check()?;
    Err(Error::request("this build has no two-stage method")
        .about([Parameter::BuildFeature("methods")]))
}

/// The ballot of each block that has rows: the features of its `most` largest coefficients, best
/// first. Rows of `x` (n x d) are samples, and `block` holds the block of each. A block whose LASSO
/// cannot be fitted casts an empty ballot, because an error would reveal something about its rows.
#[cfg(feature = "methods")]
pub fn ballots(
    x: ArrayView2<'_, f64>,
    y: ArrayView1<'_, f64>,
    block: &[u64],
    lasso: &Lasso,
    most: usize,
    threads: usize,
    is_canceled: &(dyn Fn() -> bool + Sync),
) -> Vec<Vec<usize>> {
    let mut rows: Vec<(u64, usize)> = block.iter().copied().zip(0..).collect();
    rows.sort_unstable();
    let blocks: Vec<Vec<usize>> = rows
        .chunk_by(|a, b| a.0 == b.0)
        .map(|block| block.iter().map(|(_, row)| *row).collect())
        .collect();
    let ballot = |rows: &Vec<usize>| -> Vec<usize> {
        if is_canceled() {
            return Vec::new();
        }
        let (x, y) = (x.select(Axis(0), rows), y.select(Axis(0), rows));
        lasso.fit(x.view(), y.view()).map_or(Vec::new(), |fit| fit.top(most))
    };
    let share = blocks.len().div_ceil(threads.max(1)).max(1);
    let parts = on_threads(blocks.len().div_ceil(share), |part| {
        blocks.iter().skip(part * share).take(share).map(ballot).collect::<Vec<_>>()
    });
    parts.into_iter().flatten().collect()
}

/// The votes for each feature if each block votes for at most the first k features of its ballot.
pub fn votes(ballots: &[Vec<usize>], features: usize, k: usize) -> Vec<i64> {
    let mut votes = vec![0; features];
    for ballot in ballots {
        ballot.iter().take(k).for_each(|&feature| votes[feature] += 1);
    }
    votes
}
