//! Rows that the blocks of the two-stage method regress on, and the ballots of the blocks.

use std::sync::Arc;

use ndarray::{Array1, Array2};

use crate::data::{Columns, TargetCode};
use crate::error::{Error, Result};
use crate::estimate::{MedianGrid, RankCounts};
use crate::exact::GRID;
use crate::method::{Lasso, ballots, draw_blocks};
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
    x: Array2<f64>,
    /// Ready to regress on, unless it is to be split at a median.
    target: Array1<f64>,
    /// The number of all rows, those without a usable target as well.
    pub(super) rows: u64,
    cast: Memo<Deal, Ballots>,
}

impl BlockRows {
    fn new(x: Array2<f64>, target: Array1<f64>, rows: u64, draws: Draws) -> Self {
        Self { x, target, rows, cast: Memo::new(draws.keep(usize::MAX)) }
    }

    /// Values on the grid as numbers from -1 to 1.
    ///
    /// # Errors
    ///
    /// `Input` if rows differ in length.
    pub(super) fn on_grid(kept: &GridRows, features: usize, draws: Draws) -> Result<Self> {
        let values = kept.codes.iter().map(|code| f64::from(*code) / f64::from(GRID)).collect();
        let x = Array2::from_shape_vec((kept.targets.len(), features), values)
            .map_err(|_| Error::input("the table's rows differ in length"))?;
        Ok(Self::new(x, kept.targets.iter().copied().collect(), kept.rows, draws))
    }

    /// Features and target centered and scaled by the data: not private.
    pub(super) fn scaled_by_data(
        columns: &impl Columns,
        targets: &[f64],
        rows: u64,
        draws: Draws,
    ) -> Self {
        let mut x = Array2::zeros((targets.len(), columns.features()));
        for (feature, mut column) in x.columns_mut().into_iter().enumerate() {
            let values: Vec<f64> = columns.column(feature).collect();
            column.iter_mut().zip(scaled(&values)).for_each(|(to, value)| *to = value);
        }
        Self::new(x, scaled(targets).collect(), rows, draws)
    }

    /// The number of rows with a usable target.
    pub(super) fn usable(&self) -> u64 {
        self.target.len() as u64
    }

    /// The number of features.
    pub(super) fn features(&self) -> usize {
        self.x.ncols()
    }

    /// The ranks of the target on the median's grid.
    pub(super) fn ranks(&self) -> RankCounts {
        MedianGrid::shared().count(self.target.iter().copied())
    }

    /// Deals the rows to blocks by these bits and lets the blocks vote by the LASSO, the target split at the
    /// median if there is one.
    pub(super) fn ballots(
        &self,
        lasso: &Lasso,
        median: Option<f64>,
        (dealing, blocks): (u64, u64),
        bits: &Bits,
        threads: usize,
    ) -> Arc<Ballots> {
        let deal = Deal { dealing, blocks, median: median.map(f64::to_bits) };
        self.cast.get(deal, || {
            let side = |median| move |value| f64::from(TargetCode::split(value, median, 1));
            let y = match median {
                Some(median) => self.target.mapv(side(median)),
                None => self.target.clone(),
            };
            let block = draw_blocks(y.len(), blocks, bits);
            // All candidates of a block, so that draws of any k share its ballot.
            Arc::new(ballots(self.x.view(), y.view(), &block, lasso, usize::MAX, threads))
        })
    }
}
