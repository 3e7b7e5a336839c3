//! Blocks on all cores: threads take block after block, and the reader's work is done by the one whose turn
//! it is. What is gathered merges in any order.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::data::block_table::{BlockTable, RowBlock, RowBlocks, Wanted};
use crate::data::table::Progress;
use crate::data::turns::on_threads;
use crate::error::{Error, Result};
use crate::exact::MAX_ROWS;

/// What all blocks of a pass may take, in bytes.
pub(crate) const BLOCKS: usize = 1 << 28;

/// What a thread does with the blocks it is given.
pub(crate) trait BlockFold: Send {
    /// Takes in a block, by the number of its first row from 1.
    fn block(&mut self, first: u64, block: RowBlock);

    /// Takes in what another thread gathered.
    fn merge(&mut self, other: Self);
}

/// One pass over a table.
///
/// # Errors
///
/// The first of its reader; `Input` for more rows than sums can hold.
pub(crate) fn fold_blocks<F: BlockFold>(
    table: &dyn BlockTable,
    wanted: &Wanted,
    threads: usize,
    progress: Option<&Progress>,
    new: impl Fn() -> F + Sync,
) -> Result<F> {
    let total = table.layout().rows;
    let numbered = Numbered { blocks: table.blocks(wanted)?, rows: 0, total, progress };
    let blocks = Mutex::new(numbered);
    let work = |stop: &AtomicBool| {
        let mut fold = new();
        while !stop.load(Ordering::Relaxed) {
            let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(next) = next else { break };
            let (first, block) = next?;
            fold.block(first, block);
        }
        Ok(fold)
    };
    // All are waited for before the first error counts.
    let folds = on_threads(threads, work).into_iter().collect::<Result<Vec<F>>>()?;
    let merged = folds.into_iter().reduce(|mut total, other| {
        total.merge(other);
        total
    });
    Ok(merged.unwrap_or_else(new))
}

/// Blocks with the number of their first row, from 1; none after an error.
struct Numbered<'a> {
    blocks: RowBlocks<'a>,
    rows: u64,
    total: Option<u64>,
    progress: Option<&'a Progress>,
}

impl Numbered<'_> {
    fn next(&mut self) -> Option<Result<(u64, RowBlock)>> {
        let block = match self.blocks.next()? {
            Ok(block) => block,
            Err(error) => {
                self.blocks = Box::new(std::iter::empty());
                return Some(Err(error));
            }
        };
        let first = self.rows + 1;
        self.rows += block.rows as u64;
        if self.rows > MAX_ROWS {
            return Some(Err(Error::input("the table has more than 2^31 rows")));
        }
        if let (Some(progress), Some(total)) = (self.progress, self.total) {
            progress((self.rows as f64 / total.max(1) as f64).min(1.0));
        }
        Some(Ok((first, block)))
    }
}
