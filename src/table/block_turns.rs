//! A parallel pass over the blocks of a table. Threads take turns at reading the next block.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::exact::MAX_ROWS;
use crate::table::block_table::{BlockTable, RowBlock, RowBlocks, Wanted};
use crate::table::hooks::Hooks;
use crate::table::turns::in_turns;

/// The most memory that all blocks of a pass may take together, in bytes.
pub(crate) const BLOCKS: usize = 1 << 28;

/// Runs `work` on `threads` threads, which share the blocks of a table, each with its place among
/// them. A table in [parts](BlockTable::parts) is read by all threads at the same time.
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
    let (total, read) = (table.layout().rows, AtomicU64::new(0));
    let parts = table.parts(wanted);
    let numbered = |blocks, rows| Numbered { blocks, rows, read: &read, total, hooks };
    let source = if parts.len() > 1 {
        let mut before = 0;
        let first = |rows: &u64| {
            before += rows;
            before - rows
        };
        let firsts: Vec<u64> = parts.iter().map(first).collect();
        let count = parts.len();
        let open = move |part: usize| {
            let wanted = Wanted { part: Some(part), ..wanted.clone() };
            Ok((numbered(table.blocks(&wanted)?, firsts[part]), firsts[part] + parts[part]))
        };
        BlockSource::Parts { open: Box::new(open), count, next: AtomicUsize::new(0) }
    } else {
        BlockSource::InTurns(Mutex::new(numbered(table.blocks(wanted)?, 0)))
    };
    let work = |place, stop: &AtomicBool| work(place, &mut Blocks { source: &source, stop });
    // All threads end before the first error is returned.
    in_turns(threads, work).into_iter().collect()
}

/// The blocks of a pass.
enum BlockSource<'b> {
    /// Threads take turns at reading the next one.
    InTurns(Mutex<Numbered<'b>>),
    /// Each thread reads parts of its own. `open` gives the blocks of a part, and the number of
    /// rows of the table at its end.
    Parts {
        open: Box<dyn Fn(usize) -> Result<(Numbered<'b>, u64)> + Sync + 'b>,
        count: usize,
        next: AtomicUsize,
    },
}

/// The blocks that fall to one thread.
pub(crate) struct Blocks<'a, 'b> {
    source: &'a BlockSource<'b>,
    stop: &'a AtomicBool,
}

impl Blocks<'_, '_> {
    /// Passes on all of them, each with the number of its first row, counted from 1.
    ///
    /// # Errors
    ///
    /// Those of the table's reader.
    pub(crate) fn each(&mut self, mut take: impl FnMut(u64, RowBlock)) -> Result<()> {
        let stopped = || self.stop.load(Ordering::Relaxed);
        match self.source {
            BlockSource::InTurns(blocks) => {
                while !stopped() {
                    let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(next) = next else { break };
                    let (first, block) = next?;
                    take(first, block);
                }
            }
            BlockSource::Parts { open, count, next } => loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= *count || stopped() {
                    break;
                }
                let (mut blocks, end) = open(part)?;
                while let Some(next) = blocks.next() {
                    let (first, block) = next?;
                    take(first, block);
                    if stopped() {
                        return Ok(());
                    }
                }
                if blocks.rows != end {
                    return Err(Error::input(
                        "a part of the file has another number of rows than its index",
                    ));
                }
            },
        }
        Ok(())
    }
}

/// Blocks with the number of their first row, from 1; none after an error.
struct Numbered<'a> {
    blocks: RowBlocks<'a>,
    /// The number of the last row.
    rows: u64,
    /// The number of rows that all threads have read.
    read: &'a AtomicU64,
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
        let read = self.read.fetch_add(block.rows as u64, Ordering::Relaxed) + block.rows as u64;
        if self.rows > MAX_ROWS {
            return Some(Err(Error::input("the table has more than 2^31 rows")));
        }
        if let Some(total) = self.total {
            self.hooks.report(read as f64, total.max(1) as f64);
        }
        Some(Ok((first, block)))
    }
}
