//! A parallel pass over the blocks of a table. Threads take turns at reading the next block.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::exact::MAX_ROWS;
use crate::table::block_table::{BlockTable, RowBlock, RowBlocks, Wanted};
use crate::table::hooks::Hooks;
use crate::table::turns::in_turns;

/// The most memory that all blocks of a pass may take together, in bytes.
pub(crate) const BLOCKS: usize = 1 << 28;

/// Runs `work` on `threads` threads, which share the blocks of a table, each with its place among
/// them.
///
/// # Errors
///
/// The first error of the table's reader; `Input` for more rows than sums can hold; those of
/// `work`.
pub(crate) fn on_blocks(
    table: &dyn BlockTable,
    wanted: &Wanted,
    threads: usize,
    hooks: &Hooks,
    work: &(dyn Fn(usize, &mut Blocks<'_, '_>) -> Result<()> + Sync),
) -> Result<()> {
    let total = table.layout().rows;
    let numbered = Numbered { blocks: table.blocks(wanted)?, rows: 0, total, hooks };
    let blocks = Mutex::new(numbered);
    let work = |place, stop: &AtomicBool| work(place, &mut Blocks { blocks: &blocks, stop });
    // All threads end before the first error is returned.
    in_turns(threads, work).into_iter().collect()
}

/// The blocks that fall to one thread.
pub(crate) struct Blocks<'a, 'b> {
    blocks: &'a Mutex<Numbered<'b>>,
    stop: &'a AtomicBool,
}

impl Blocks<'_, '_> {
    /// Passes on all of them, each with the number of its first row, counted from 1.
    ///
    /// # Errors
    ///
    /// Those of the table's reader.
    pub(crate) fn each(&mut self, mut take: impl FnMut(u64, RowBlock)) -> Result<()> {
        while !self.stop.load(Ordering::Relaxed) {
            let next = self.blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(next) = next else { break };
            let (first, block) = next?;
            take(first, block);
        }
        Ok(())
    }
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
        if let Err(canceled) = self.hooks.check() {
            return Some(Err(canceled));
        }
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
