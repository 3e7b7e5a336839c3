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

/// Runs `work` on `threads` threads, which share the blocks of a table; `work` receives the place
/// of its thread among them. A table in [parts](BlockTable::parts) is read by all threads at the
/// same time.
///
/// # Errors
///
/// The first error of the table's reader or of `work`; `Input` for more rows than sums can hold.
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
        let firsts = rows_before(&parts)?;
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

/// The number of rows before each part.
fn rows_before(parts: &[u64]) -> Result<Vec<u64>> {
    let mut before = 0u64;
    let mut first = |rows: &u64| {
        let first = before;
        before = before.saturating_add(*rows);
        (before <= MAX_ROWS).then_some(first).ok_or_else(too_many_rows)
    };
    parts.iter().map(&mut first).collect()
}

fn too_many_rows() -> Error {
    Error::input("the table has more than 2^31 rows")
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
    /// The first error of the table's reader.
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

/// Blocks with the number of their first row, from 1; they end after an error.
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
            return Some(Err(too_many_rows()));
        }
        if let Some(total) = self.total {
            self.hooks.report(read as f64, total.max(1) as f64);
        }
        Some(Ok((first, block)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::block_table::{FileColumns, RowValues};

    /// A table without columns, whose index lists parts of these numbers of rows; each part has two
    /// rows.
    struct Parts(FileColumns, Vec<u64>);

    impl BlockTable for Parts {
        fn layout(&self) -> &FileColumns {
            &self.0
        }

        fn blocks(&self, _: &Wanted) -> Result<RowBlocks<'_>> {
            let values = RowValues::F64(Vec::new());
            let block = RowBlock { rows: 2, values, by_column: true, texts: Vec::new() };
            Ok(Box::new(std::iter::once(Ok(block))))
        }

        fn parts(&self, _: &Wanted) -> Vec<u64> {
            self.1.clone()
        }
    }

    fn first_rows(parts: &[u64]) -> Result<Vec<u64>> {
        let table = Parts(FileColumns::default(), parts.to_vec());
        let firsts = Mutex::new(Vec::new());
        let work = |_, blocks: &mut Blocks<'_, '_>| {
            blocks
                .each(|first, _| firsts.lock().unwrap_or_else(PoisonError::into_inner).push(first))
        };
        on_blocks(&table, &Wanted::default(), 2, &Hooks::default(), &work)?;
        let mut firsts = firsts.into_inner().unwrap_or_else(PoisonError::into_inner);
        firsts.sort_unstable();
        Ok(firsts)
    }

    #[test]
    fn parts_must_match_the_index() {
        assert_eq!(first_rows(&[2, 2, 2]).unwrap(), [1, 3, 5]);
        for parts in [[2, 3, 2], [1, 2, 2], [2, 2, 0]] {
            let error = first_rows(&parts).unwrap_err().to_string();
            assert!(error.contains("another number of rows than its index"), "{error}");
        }
        for parts in [[u64::MAX, 2, 2], [2, u64::MAX, u64::MAX], [MAX_ROWS, 1, 0]] {
            let error = first_rows(&parts).unwrap_err().to_string();
            assert!(error.contains("more than 2^31 rows"), "{error}");
        }
    }
}
