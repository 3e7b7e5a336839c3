//! A parallel fold over the blocks of a table. Threads take turns at reading the next block and fold it
//! on their own; their results merge in any order.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::data::block_table::{BlockTable, RowBlock, RowBlocks, Wanted};
use crate::data::hooks::Hooks;
use crate::data::turns::in_turns;
use crate::error::{Error, Result};
use crate::exact::MAX_ROWS;

/// The most memory that all blocks of a pass may take together, in bytes.
pub(crate) const BLOCKS: usize = 1 << 28;

/// The work of a thread on its blocks.
pub(crate) trait BlockFold: Send {
    /// Takes in a block; `first` is the number of its first row, counted from 1.
    fn block(&mut self, first: u64, block: RowBlock);

    /// Takes in the result of another thread.
    fn merge(&mut self, other: Self);
}

/// Makes one pass over a table on `threads` threads.
///
/// # Errors
///
/// The first error of the table's reader; `Input` for more rows than sums can hold.
pub(crate) fn fold_blocks<F: BlockFold>(
    table: &dyn BlockTable,
    wanted: &Wanted,
    threads: usize,
    hooks: &Hooks,
    new: &(dyn Fn() -> F + Sync),
) -> Result<F> {
    let total = table.layout().rows;
    let numbered = Numbered { blocks: table.blocks(wanted)?, rows: 0, total, hooks };
    let blocks = Mutex::new(numbered);
    let work = |stop: &AtomicBool| {
        let mut fold = new();
        while !stop.load(Ordering::Relaxed) {
            hooks.check()?;
            let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(next) = next else { break };
            let (first, block) = next?;
            fold.block(first, block);
        }
        Ok(fold)
    };
    // All threads end before the first error is returned.
    let folds = in_turns(threads, work).into_iter().collect::<Result<Vec<F>>>()?;
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
    hooks: &'a Hooks,
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
        if let Some(total) = self.total {
            self.hooks.report(self.rows as f64, total.max(1) as f64);
        }
        Some(Ok((first, block)))
    }
}
