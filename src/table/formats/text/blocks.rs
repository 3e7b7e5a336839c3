//! A parallel pass over the rows of a text. Threads take turns at reading (and inflating) a block
//! of whole lines.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::exact::MAX_ROWS;
use crate::table::formats::text::cells::{Line, Row, Splitter, max_line};
use crate::table::turns::in_turns;

/// Bytes read at a time: large enough for the disk, small enough for the caches.
const READ: usize = 1 << 18;

/// A buffer of whole lines of a file; its memory is reused.
#[derive(Default)]
struct LineBlock {
    /// Whole lines up to `whole`, the start of another up to `filled`, then room.
    bytes: Vec<u8>,
    filled: usize,
    whole: usize,
    /// The number of the first line that is a row, counted from 1.
    first_row: u64,
}

/// A receiver of rows in order.
pub(crate) trait TakeRows {
    /// Processes a row; `number` is counted from 1.
    fn row(&mut self, number: u64, row: &Row<'_>);

    /// Processes a line without quotes and carriage returns directly from its bytes, where that is
    /// faster than by cells. Returns `false`, and stores nothing, if it does not do so or if the
    /// line is not a row.
    fn plain_line(&mut self, _: u64, _: &Line<'_>) -> bool {
        false
    }
}

/// The layout of lines: the delimiter and the number of columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) delimiter: u8,
    pub(crate) columns: usize,
    /// Whether a line is one cell, and a blank one is missing: in a table with one column. Lines of
    /// features are not, so that no line of a wider table becomes the name of a feature.
    pub(crate) lines_are_cells: bool,
}

impl Shape {
    fn splitter(self) -> Splitter {
        Splitter::new(self.delimiter, self.columns, self.lines_are_cells)
    }

    /// The lines of a block that are rows, without their line ends; blank lines only if
    /// `lines_are_cells`.
    fn lines(self, block: &[u8]) -> impl Iterator<Item = Line<'_>> {
        let mut ends = memchr::memchr_iter(b'\n', block);
        let mut next = 0;
        std::iter::from_fn(move || {
            // The last line may have no end.
            while next < block.len() {
                let end = ends.next().unwrap_or(block.len());
                let start = std::mem::replace(&mut next, end + 1);
                let line = &block[start..end];
                let length = line.strip_suffix(b"\r").unwrap_or(line).len();
                if length > 0 || self.lines_are_cells {
                    return Some(Line { block, start, end: start + length });
                }
            }
            None
        })
    }
}

/// Runs `work` on `threads` threads, which share the rows of `input`; `work` receives the place of
/// its thread among them.
///
/// # Errors
///
/// The error of the first line that is not a row, for any number of threads; if all lines
/// before were rows, a failure to read as `map_error` converts it; the errors of `work`.
pub(crate) fn on_rows(
    input: Box<dyn Read + Send + '_>,
    shape: Shape,
    threads: usize,
    map_error: &(dyn Fn(io::Error) -> Error + Sync),
    work: &(dyn Fn(usize, &mut Lines<'_, '_>) -> Result<()> + Sync),
) -> Result<()> {
    let blocks = Mutex::new(LineBlocks::new(input, shape));
    let results = in_turns(threads, |place, stop| {
        let (block, splitter) = (LineBlock::default(), shape.splitter());
        work(place, &mut Lines { blocks: &blocks, stop, block, splitter, shape, map_error })
    });
    // Blocks are handed out in order, so some thread has met the first bad line. A failed read has
    // no place and comes after all lines.
    let row = |error: &Error| error.place().and_then(|place| place.row).unwrap_or(u64::MAX);
    results.into_iter().filter_map(Result::err).min_by_key(row).map_or(Ok(()), Err)
}

/// The rows that one thread receives.
pub(crate) struct Lines<'a, 'i> {
    blocks: &'a Mutex<LineBlocks<'i>>,
    stop: &'a AtomicBool,
    block: LineBlock,
    splitter: Splitter,
    shape: Shape,
    map_error: &'a (dyn Fn(io::Error) -> Error + Sync),
}

impl Lines<'_, '_> {
    /// Passes on all of them.
    ///
    /// # Errors
    ///
    /// For a line that is not a row; if the input cannot be read.
    pub(crate) fn each(&mut self, taker: &mut dyn TakeRows) -> Result<()> {
        while !self.stop.load(Ordering::Relaxed) {
            let blocks = self.blocks.lock();
            match blocks.unwrap_or_else(PoisonError::into_inner).next(&mut self.block) {
                Ok(false) => break,
                Ok(true) => {}
                Err(Unreadable::System(error)) => return Err((self.map_error)(error)),
                Err(Unreadable::Line(error)) => return Err(error),
            }
            // All remaining blocks come after the bad line.
            self.pass_on(taker)?;
        }
        Ok(())
    }

    /// Passes on the rows of the current block.
    fn pass_on(&mut self, taker: &mut dyn TakeRows) -> Result<()> {
        let bytes = &self.block.bytes[..self.block.whole];
        let special = |bytes| memchr::memchr2(b'"', b'\r', bytes).is_some();
        let special_somewhere = special(bytes);
        for (row, line) in (self.block.first_row..).zip(self.shape.lines(bytes)) {
            let text = line.bytes();
            let plain = !special_somewhere || !special(text);
            if !(plain && taker.plain_line(row, &line)) {
                taker.row(row, &self.splitter.split(text, row)?);
            }
        }
        Ok(())
    }
}

/// The reason that there is no further block.
enum Unreadable {
    System(io::Error),
    Line(Error),
}

/// Cuts a stream into blocks of whole lines.
struct LineBlocks<'a> {
    input: Box<dyn Read + Send + 'a>,
    max_line: usize,
    shape: Shape,
    /// Bytes that were read but not passed on: the start of a line.
    carry: Vec<u8>,
    rows: u64,
    /// Whether the input has ended or failed.
    ended: bool,
}

impl<'a> LineBlocks<'a> {
    fn new(input: Box<dyn Read + Send + 'a>, shape: Shape) -> Self {
        let max_line = max_line(shape.columns);
        Self { input, max_line, shape, carry: Vec::new(), rows: 0, ended: false }
    }

    /// Fills the block; `false` if the input has ended.
    fn next(&mut self, block: &mut LineBlock) -> std::result::Result<bool, Unreadable> {
        if self.ended {
            return Ok(false);
        }
        self.ended = true;
        let carried = self.carry.len();
        block.make_room(carried + READ);
        block.bytes[..carried].copy_from_slice(&self.carry);
        block.filled = carried;
        let mut searched = carried;
        block.whole = loop {
            block.make_room(block.filled + READ);
            let read = self.fill(block).map_err(Unreadable::System)?;
            if read == 0 {
                break block.filled;
            }
            if let Some(end) = memchr::memrchr(b'\n', &block.bytes[searched..block.filled]) {
                break searched + end + 1;
            }
            searched = block.filled;
            if block.filled > self.max_line {
                return Err(Unreadable::Line(self.line_too_long(&block.bytes[..block.filled])));
            }
        };
        self.carry.clear();
        self.carry.extend_from_slice(&block.bytes[block.whole..block.filled]);
        block.first_row = self.rows + 1;
        for line in self.shape.lines(&block.bytes[..block.whole]) {
            if line.bytes().len() > self.max_line {
                return Err(Unreadable::Line(self.line_too_long(line.bytes())));
            }
            self.rows += 1;
        }
        if self.rows > MAX_ROWS {
            let rule = format!("the table has more than {MAX_ROWS} rows");
            return Err(Unreadable::Line(Error::input(rule)));
        }
        self.ended = block.filled == 0;
        Ok(!self.ended)
    }

    /// Reads up to `READ` bytes into the free part of the block; fewer only at the end of the
    /// input.
    fn fill(&mut self, block: &mut LineBlock) -> io::Result<usize> {
        let start = block.filled;
        while block.filled < start + READ {
            match self.input.read(&mut block.bytes[block.filled..start + READ]) {
                Ok(0) => break,
                Ok(read) => block.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(block.filled - start)
    }

    /// The error for a line that is too long: that of its first cell that is too long, or of its
    /// number of cells.
    fn line_too_long(&self, line: &[u8]) -> Error {
        let row = self.rows + 1;
        match self.shape.splitter().split(line, row) {
            Err(error) => error,
            Ok(_) => {
                Error::input("the line is too long for its number of columns").at(Some(row), None)
            }
        }
    }
}

impl LineBlock {
    /// Makes room for `bytes` bytes; the content stays.
    fn make_room(&mut self, bytes: usize) {
        if self.bytes.len() < bytes {
            self.bytes.resize(bytes, 0);
        }
    }
}

#[cfg(test)]
pub(in crate::table) mod tests {
    use super::*;
    use crate::table::formats::text::cells::MAX_CELL;
    use crate::table::turns::Results;

    /// Folds all rows of a text.
    pub(in crate::table) fn fold_rows<F: TakeRows + Send>(
        input: impl Read + Send,
        shape: Shape,
        threads: usize,
        new: &(dyn Fn() -> F + Sync),
        merge: impl Fn(&mut F, F),
    ) -> Result<F> {
        let results = Results::new();
        let failed = |_| Error::io("cannot be read");
        on_rows(Box::new(input), shape, threads, &failed, &|_, lines| {
            results.add(new(), |fold| lines.each(fold))
        })?;
        Ok(results.merged(merge).unwrap_or_else(new))
    }

    const SHAPE: Shape = Shape { delimiter: b',', columns: 2, lines_are_cells: false };

    #[derive(Default)]
    struct Collect(Vec<String>);

    impl TakeRows for Collect {
        fn row(&mut self, _: u64, row: &Row<'_>) {
            self.0.push(String::from_utf8(row.cell(0).to_vec()).unwrap());
        }
    }

    impl Collect {
        fn merge(&mut self, other: Self) {
            self.0.extend(other.0);
        }
    }

    fn collect(text: &str, threads: usize) -> Result<Vec<String>> {
        let fold = fold_rows(text.as_bytes(), SHAPE, threads, &Collect::default, Collect::merge)?;
        let mut rows = fold.0;
        rows.sort();
        Ok(rows)
    }

    #[test]
    fn lines_with_any_ending_are_rows() {
        for text in ["a,1\nb,2\n", "a,1\r\nb,2\r\n", "a,1\n\n\r\nb,2", "\na,1\nb,2\n\n"] {
            assert_eq!(collect(text, 1).unwrap(), ["a", "b"], "{text:?}");
        }
        assert!(collect("", 2).unwrap().is_empty());
    }

    /// A missing value of a table with one column is a blank line.
    #[test]
    fn blank_lines_are_rows_of_one_column() {
        let shape = Shape { columns: 1, lines_are_cells: true, ..SHAPE };
        for (text, expected) in [
            ("a\n\nb\n", &["", "a", "b"][..]),
            ("\r\na\r\nb", &["", "a", "b"]),
            ("a\n\n\n", &["", "", "a"]),
            ("\"\"\na\n", &["", "a"]),
            ("", &[]),
        ] {
            let fold = fold_rows(text.as_bytes(), shape, 1, &Collect::default, Collect::merge);
            let mut rows = fold.unwrap().0;
            rows.sort();
            assert_eq!(rows, expected, "{text:?}");
        }
    }

    /// Many blocks, several threads: the same rows.
    #[test]
    fn threads_share_the_rows() {
        let text: String = (0..400_000).map(|i| format!("{i:08},x\n")).collect();
        let expected: Vec<String> = (0..400_000).map(|i| format!("{i:08}")).collect();
        for threads in [1, 2, 5] {
            assert!(collect(&text, threads).unwrap() == expected);
        }
    }

    /// The first bad line is reported by any thread.
    #[test]
    fn the_first_error_wins() {
        let mut lines: Vec<String> = (0..400_000).map(|i| format!("{i:08},x")).collect();
        for bad in [150_000, 150_001, 300_000, 399_999] {
            lines[bad] = "short".into();
        }
        let text = lines.join("\n");
        for threads in [1, 2, 3, 8] {
            let place = collect(&text, threads).unwrap_err().place().unwrap();
            assert_eq!(place.row, Some(150_001), "{threads} threads");
        }
    }

    /// A line without end is refused while it is read, not after.
    #[test]
    fn endless_lines_are_refused() {
        let endless = io::repeat(b'7');
        let refused = fold_rows(endless, SHAPE, 1, &Collect::default, Collect::merge);
        let error = refused.err().unwrap();
        assert!(error.to_string().contains("longer than 4096 bytes"), "{error}");
    }

    /// The longest line that a table can have is read wherever the blocks are cut; a longer one has
    /// a cell that is too long.
    #[test]
    fn long_lines_in_any_block() {
        let shape = Shape { columns: 400, ..SHAPE };
        let short = vec!["7"; 400].join(",");
        let longest = format!("\"{}\"", "\"".repeat(2 * MAX_CELL));
        for (cell, is_read) in [(longest, true), ("7".repeat(2 * MAX_CELL + 3), false)] {
            let long = vec![cell; 400].join(",");
            for before in [0, 1, 3, 1000] {
                let text = format!("{}{long}\n{short}\n", format!("{short}\n").repeat(before));
                let fold = fold_rows(text.as_bytes(), shape, 2, &Collect::default, Collect::merge);
                let Err(error) = fold else {
                    assert!(is_read, "{before}");
                    continue;
                };
                assert!(!is_read && error.to_string().contains("the cell is longer"), "{error}");
                let place = error.place().unwrap();
                assert_eq!((place.row, place.column), (Some(before as u64 + 1), Some(1)));
            }
        }
    }

    /// A bug in a fold ends the run; it does not leave the reader waiting.
    #[test]
    fn a_panic_in_a_worker_is_passed_on() {
        struct Panics;
        impl TakeRows for Panics {
            fn row(&mut self, _: u64, _: &Row<'_>) {
                panic!("as planned");
            }
        }
        for threads in [1, 3] {
            let many = "a,1\n".repeat(5_000_000);
            let many = || fold_rows(many.as_bytes(), SHAPE, threads, &|| Panics, |_, _| {}).is_ok();
            assert!(std::panic::catch_unwind(many).is_err());
        }
    }

    #[test]
    fn a_failing_reader_is_reported() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::Other.into())
            }
        }
        let input = io::Cursor::new("a,1\n").chain(Failing);
        let refused = fold_rows(input, SHAPE, 2, &Collect::default, Collect::merge);
        assert_eq!(refused.err().unwrap().to_string(), "cannot be read");
    }
}
