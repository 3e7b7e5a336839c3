//! Rows that the blocks of the two-stage method regress on, and the ballots of the blocks.

use std::sync::Arc;

use crate::data::{Columns, Hooks, TargetCode};
use crate::error::Result;
use crate::estimate::{MedianGrid, RankCounts};
use crate::exact::GRID;
use crate::method::{draw_blocks, votes_of_blocks};
use crate::random::Bits;
use crate::score::{GridRows, scaled};
use crate::select::memo::{Draws, Memo};

/// The features each block votes for, best first.
pub(super) type Ballots = Vec<Vec<usize>>;

/// The circumstances that ballots depend on besides the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Deal {
    /// Tells dealings of rows to blocks apart, among many draws.
    pub(super) dealing: u64,
    /// The number of blocks.
    pub(super) blocks: u64,
    /// The bits of the median at which the target is split.
    median: Option<u64>,
}

/// Rows in memory, n by d, 8 bytes per value.
pub(super) struct BlockRows {
    /// Row by row.
    x: Vec<f64>,
    features: usize,
    /// Ready to regress on, unless it is to be split at a median.
    target: Vec<f64>,
    /// The number of all rows, those without a usable target as well.
    pub(super) rows: u64,
    cast: Memo<Deal, Ballots>,
}

impl BlockRows {
    /// Values on the grid as numbers from -1 to 1.
    pub(super) fn on_grid(kept: GridRows, features: usize, draws: Draws) -> Self {
        Self {
            x: kept.codes.iter().map(|code| f64::from(*code) / f64::from(GRID)).collect(),
            features,
            target: kept.targets,
            rows: kept.rows,
            cast: Memo::new(draws.keep(usize::MAX)),
        }
    }

    /// Features and target centered and scaled by the data: not private.
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

    /// The ranks of the target on the median's grid.
    pub(super) fn ranks(&self) -> RankCounts {
        MedianGrid::shared().count(self.target.iter().copied())
    }

    /// Deals the rows to blocks by these bits and lets the blocks vote by the LASSO, the target split at the
    /// median if there is one.
    ///
    /// # Errors
    ///
    /// `Request` without the LASSO, feature `methods`.
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
            // All candidates of a block, so that draws of any k share its ballot.
            let ballots =
                votes_of_blocks(&self.x, &y, &block, penalty, threads, &|| hooks.is_canceled())?;
            hooks.check().map(|()| Arc::new(ballots))
        })
    }
}
