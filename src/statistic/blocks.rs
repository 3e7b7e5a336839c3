//! Rows for the block regressions of the two-stage method, and the ballots of the blocks.

use std::sync::Arc;

use crate::error::Result;
use crate::estimate::{MedianGrid, RankCounts};
use crate::exact::GRID;
use crate::method::{Rows, ballots_of_blocks, draw_blocks};
use crate::random::RandomnessSource;
use crate::request::plan::Voting;
use crate::score::{GridRows, scaled};
use crate::statistic::memo::{Draws, Memo};
use crate::table::{Columns, Hooks, TargetCode};

/// The number of dealings whose ballots are kept for many draws.
const MAX_DEALINGS: usize = 1 << 12;

/// For each block the features that it votes for, best first.
pub(crate) type Ballots = Vec<Vec<usize>>;

/// The number of the draw that assigns rows to blocks; it spends no budget.
const BLOCKS_DRAW: u64 = 4;

/// The randomness that assigns rows to blocks.
pub(crate) struct Dealer<'a> {
    pub(crate) randomness: &'a RandomnessSource,
    /// Distinguishes assignments if many draws share the gathered values.
    pub(crate) dealing: u64,
    pub(crate) threads: usize,
    pub(crate) hooks: &'a Hooks,
}

/// Everything that ballots depend on, except the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Deal {
    /// Distinguishes assignments of rows to blocks among many draws.
    dealing: u64,
    blocks: u64,
    /// The bits of the median at which the target is split, if it is.
    median: Option<u64>,
}

/// Rows in memory, n x d, 8 bytes per value.
pub(crate) struct BlockRows {
    /// Row-major, n x d.
    x: Vec<f64>,
    features: usize,
    /// The regression target, or its raw values if it is not split at a median yet.
    target: Vec<f64>,
    /// The total number of rows, including those without a usable target.
    pub(crate) rows: u64,
    /// How the blocks vote.
    pub(crate) voting: Arc<Voting>,
    cast: Memo<Deal, Ballots>,
}

impl BlockRows {
    /// Converts grid values to numbers from -1 to 1.
    pub(crate) fn on_grid(
        kept: GridRows,
        features: usize,
        voting: Arc<Voting>,
        draws: Draws,
    ) -> Self {
        Self {
            x: kept.codes.iter().map(|code| f64::from(*code) / f64::from(GRID)).collect(),
            features,
            target: kept.targets,
            rows: kept.rows,
            voting,
            cast: Memo::new(draws.keep(MAX_DEALINGS)),
        }
    }

    /// Centers and scales features and target by the data: not private.
    pub(crate) fn scaled_by_data(
        columns: &impl Columns,
        targets: &[f64],
        rows: u64,
        voting: Arc<Voting>,
        draws: Draws,
    ) -> Self {
        let features = columns.features();
        let mut x = vec![0.0; targets.len() * features];
        for feature in 0..features {
            let values = columns.to_vec(feature);
            let places = x[feature..].iter_mut().step_by(features);
            places.zip(scaled(&values)).for_each(|(place, value)| *place = value);
        }
        let target = scaled(targets).collect();
        Self { x, features, target, rows, voting, cast: Memo::new(draws.keep(MAX_DEALINGS)) }
    }

    /// The number of rows with a usable target.
    pub(crate) fn usable(&self) -> u64 {
        self.target.len() as u64
    }

    /// The number of features.
    pub(crate) fn features(&self) -> usize {
        self.features
    }

    /// Counts the ranks of the target on the median's grid.
    pub(crate) fn ranks(&self) -> RankCounts {
        MedianGrid::shared().count(self.target.iter().copied())
    }

    /// Assigns the rows to blocks by these bits and fits the LASSO on each block for its vote. The
    /// target is split at the median, if one is given.
    ///
    /// # Errors
    ///
    /// `Request` in a build without the feature `methods`; `Canceled` if the hooks cancel.
    pub(crate) fn ballots(
        &self,
        penalty: f64,
        median: Option<f64>,
        blocks: u64,
        dealer: &Dealer<'_>,
    ) -> Result<Arc<Ballots>> {
        let Dealer { randomness, dealing, threads, hooks } = *dealer;
        let deal = Deal { dealing, blocks, median: median.map(f64::to_bits) };
        self.cast.get(deal, || {
            let side = |median| move |&value| f64::from(TargetCode::split(value, median, 1));
            let y: Vec<f64> = match median {
                Some(median) => self.target.iter().map(side(median)).collect(),
                None => self.target.clone(),
            };
            let block = draw_blocks(y.len(), blocks, &randomness.bits(BLOCKS_DRAW));
            let rows = Rows { x: &self.x, y: &y, features: self.features, block: &block };
            ballots_of_blocks(&rows, penalty, threads, hooks).map(Arc::new)
        })
    }
}
