//! Rows for the block regressions of the two-stage method, and the ballots of the blocks.

use std::sync::Arc;

use crate::data::{Columns, Hooks, TargetCode};
use crate::error::Result;
use crate::estimate::{MedianGrid, RankCounts};
use crate::exact::GRID;
use crate::method::{draw_blocks, votes_of_blocks};
use crate::random::Bits;
use crate::score::{GridRows, scaled};
use crate::select::memo::{Draws, Memo};

/// For each block the features that it votes for, best first.
pub(super) type Ballots = Vec<Vec<usize>>;

/// Everything besides the rows that ballots depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Deal {
    /// Distinguishes assignments of rows to blocks among many draws.
    pub(super) dealing: u64,
    /// The number of blocks.
    pub(super) blocks: u64,
    /// The bits of the median at which the target is split, if it is.
    median: Option<u64>,
}

/// Rows in memory, n x d, 8 bytes per value.
pub(super) struct BlockRows {
    /// Row-major, n x d.
    x: Vec<f64>,
    features: usize,
    /// The regression target, or its raw values if it is yet to be split at a median.
    target: Vec<f64>,
    /// The total number of rows, including those without a usable target.
    pub(super) rows: u64,
    cast: Memo<Deal, Ballots>,
}

impl BlockRows {
    /// Converts grid values to numbers from -1 to 1.
    pub(super) fn on_grid(kept: GridRows, features: usize, draws: Draws) -> Self {
        Self {
            x: kept.codes.iter().map(|code| f64::from(*code) / f64::from(GRID)).collect(),
            features,
            target: kept.targets,
            rows: kept.rows,
            cast: Memo::new(draws.keep(usize::MAX)),
        }
    }

    /// Centers and scales features and target by the data: not private.
    pub(super) fn scaled_by_data(
        columns: &impl Columns,
        targets: &[f64],
        rows: u64,
        draws: Draws,
    ) -> Self {
        let features = columns.features();
        let mut x = vec![0.0; targets.len() * features];
        for feature in 0..features {
            let values: Vec<f64> = columns.column(feature).collect();
            let places = x[feature..].iter_mut().step_by(features);
            places.zip(scaled(&values)).for_each(|(place, value)| *place = value);
        }
        let target = scaled(targets).collect();
        Self { x, features, target, rows, cast: Memo::new(draws.keep(usize::MAX)) }
    }

    /// The number of rows with a usable target.
    pub(super) fn usable(&self) -> u64 {
        self.target.len() as u64
    }

    /// The number of features.
    pub(super) fn features(&self) -> usize {
        self.features
    }

    /// Counts the ranks of the target on the median's grid.
    pub(super) fn ranks(&self) -> RankCounts {
        MedianGrid::shared().count(self.target.iter().copied())
    }

    /// Assigns the rows to blocks by these bits and fits the LASSO on each block for its vote. The target is
    /// split at the median, if one is given.
    ///
    /// # Errors
    ///
    /// `Request` in a build without the feature `methods`; `Canceled` if the hooks cancel.
    pub(super) fn ballots(
        &self,
        penalty: f64,
        median: Option<f64>,
        (dealing, blocks): (u64, u64),
        bits: &Bits,
        (threads, hooks): (usize, &Hooks),
    ) -> Result<Arc<Ballots>> {
        let deal = Deal { dealing, blocks, median: median.map(f64::to_bits) };
        self.cast.get(deal, || {
            let side = |median| move |&value| f64::from(TargetCode::split(value, median, 1));
            let y: Vec<f64> = match median {
                Some(median) => self.target.iter().map(side(median)).collect(),
                None => self.target.clone(),
            };
            let block = draw_blocks(y.len(), blocks, bits);
            // Ballots list all candidates of a block, so that draws of any k share them.
            let ballots =
                votes_of_blocks(&self.x, &y, &block, penalty, threads, &|| hooks.is_canceled())?;
            hooks.check().map(|()| Arc::new(ballots))
        })
    }
}
