//! Rows on all cores: one thread reads (and inflates) blocks of whole lines, the others work on
//! them, each with its own sums; the sums are integers, so the merge is the same in any order.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use crate::data::cells::{Row, Splitter, max_line};
use crate::error::{Error, Result};
use crate::exact::MAX_ROWS;

/// Bytes read before a block is handed on.
const BLOCK: usize = 1 << 20;

/// Some whole lines of a file.
struct Block {
    bytes: Vec<u8>,
    /// (start, end) of each line that is not blank, without its line end
    lines: Vec<(usize, usize)>,
    /// The number of the first of them, counted from 1
    first_row: u64,
}

/// What a thread does with the rows it is given.
pub(crate) trait RowFold: Send {
    /// Takes in a row, by its number from 1.
    fn row(&mut self, number: u64, row: &Row<'_>);

    /// Takes in what another thread gathered.
    fn merge(&mut self, other: Self);
}

/// How lines are cut into cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) delimiter: u8,
    pub(crate) columns: usize,
}

impl Shape {
    fn splitter(self) -> Splitter {
        Splitter::new(self.delimiter, self.columns)
    }
}

/// Folds all rows of `input` on `threads` threads.
///
/// # Errors
///
/// The first line that is not a row, whatever the number of threads; what `map_error` makes of a
/// failure to read, if all lines before were rows.
pub(crate) fn fold_rows<F: RowFold>(
    input: impl Read + Send,
    shape: Shape,
    threads: usize,
    new: impl Fn() -> F + Sync,
    map_error: impl Fn(io::Error) -> Error,
) -> Result<F> {
    let threads = threads.max(1);
    let stop = AtomicBool::new(false);
    let (sender, receiver) = mpsc::sync_channel::<Block>(2 * threads);
    let work = |receiver: Arc<Mutex<mpsc::Receiver<Block>>>| {
        let mut fold = new();
        let mut splitter = shape.splitter();
        let mut failed = Ok(());
        let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        while let Ok(block) = next() {
            // After a bad line all blocks still to come are later: take them off the reader's
            // hands, so that it can stop, and leave them.
            if failed.is_ok() {
                failed = fold_block(&block, &mut splitter, &mut fold);
                stop.fetch_or(failed.is_err(), Ordering::Relaxed);
            }
        }
        failed.map(|()| fold)
    };
    // The workers alone own the receiver: if all are gone, the reader stops.
    let receivers = std::iter::repeat_n(Arc::new(Mutex::new(receiver)), threads);
    std::thread::scope(|scope| {
        let work = &work;
        let spawn = |receiver| scope.spawn(move || work(receiver));
        let workers: Vec<_> = receivers.map(spawn).collect();
        let read = Blocks::new(input, shape).send_all(sender, &stop, map_error);
        // Blocks are handed out in order, so the first bad line is among those a thread met.
        let mut first_error: Option<Error> = None;
        let mut total: Option<F> = None;
        for worker in workers {
            match worker.join() {
                Ok(Ok(fold)) => match &mut total {
                    Some(total) => total.merge(fold),
                    None => total = Some(fold),
                },
                Ok(Err(error)) => {
                    let earlier =
                        first_error.as_ref().is_none_or(|first| error.place() < first.place());
                    if earlier {
                        first_error = Some(error);
                    }
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        match first_error {
            Some(error) => Err(error),
            None => read.map(|()| total.unwrap_or_else(&new)),
        }
    })
}

fn fold_block(block: &Block, splitter: &mut Splitter, fold: &mut impl RowFold) -> Result<()> {
    for (row, &(start, end)) in (block.first_row..).zip(&block.lines) {
        fold.row(row, &splitter.split(&block.bytes[start..end], row)?);
    }
    Ok(())
}

/// Cuts a stream into blocks of whole lines.
struct Blocks<R> {
    input: R,
    max_line: usize,
    shape: Shape,
    /// Read but not handed on: the start of a line.
    carry: Vec<u8>,
    rows: u64,
}

impl<R: Read> Blocks<R> {
    fn new(input: R, shape: Shape) -> Self {
        Self { input, max_line: max_line(shape.columns), shape, carry: Vec::new(), rows: 0 }
    }

    fn send_all(
        mut self,
        sender: mpsc::SyncSender<Block>,
        stop: &AtomicBool,
        map_error: impl Fn(io::Error) -> Error,
    ) -> Result<()> {
        while !stop.load(Ordering::Relaxed) {
            let Some(block) = self.next(&map_error)? else {
                break;
            };
            if sender.send(block).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn next(&mut self, map_error: &impl Fn(io::Error) -> Error) -> Result<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.carry);
        let mut searched = 0;
        let whole = loop {
            let read =
                (&mut self.input).take(BLOCK as u64).read_to_end(&mut bytes).map_err(map_error)?;
            if read == 0 {
                break bytes.len();
            }
            if let Some(end) = memchr::memrchr(b'\n', &bytes[searched..]) {
                break searched + end + 1;
            }
            searched = bytes.len();
            if bytes.len() > self.max_line {
                return Err(self.line_too_long(&bytes));
            }
        };
        if bytes.is_empty() {
            return Ok(None);
        }
        self.carry = bytes.split_off(whole);
        let lines = lines(&bytes);
        let first_row = self.rows + 1;
        self.rows += lines.len() as u64;
        if self.rows > MAX_ROWS {
            return Err(Error::input(format!("the table has more than {MAX_ROWS} rows")));
        }
        Ok(Some(Block { bytes, lines, first_row }))
    }

    /// A line longer than a line may be: of its cells the splitter may find one that is.
    fn line_too_long(&self, line: &[u8]) -> Error {
        let row = self.rows + 1;
        match self.shape.splitter().split(line, row) {
            Err(error) if error.place().is_some_and(|place| place.column.is_some()) => error,
            _ => Error::input("the line is too long for its number of columns").at(Some(row), None),
        }
    }
}

/// The lines of a block that are not blank.
fn lines(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut lines = Vec::new();
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
    for end in ends {
        let line = bytes.get(start..end).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.is_empty() {
            lines.push((start, start + line.len()));
        }
        start = end + 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { delimiter: b',', columns: 2 };

    #[derive(Default)]
    struct Collect(Vec<String>);

    impl RowFold for Collect {
        fn row(&mut self, _: u64, row: &Row<'_>) {
            self.0.push(String::from_utf8(row.cell(0).to_vec()).unwrap());
        }

        fn merge(&mut self, other: Self) {
            self.0.extend(other.0);
        }
    }

    fn collect(text: &str, threads: usize) -> Result<Vec<String>> {
        let fold =
            fold_rows(text.as_bytes(), SHAPE, threads, Collect::default, |_| Error::io("?"))?;
        let mut rows = fold.0;
        rows.sort();
        Ok(rows)
    }

    #[test]
    fn all_lines_are_rows_whatever_their_ends() {
        for text in ["a,1\nb,2\n", "a,1\r\nb,2\r\n", "a,1\n\n\r\nb,2", "\na,1\nb,2\n\n"] {
            assert_eq!(collect(text, 1).unwrap(), ["a", "b"], "{text:?}");
        }
        assert!(collect("", 2).unwrap().is_empty());
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

    /// The first bad line is reported whatever thread meets which.
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
        let refused = fold_rows(endless, SHAPE, 1, Collect::default, |_| Error::io("?"));
        let error = refused.err().unwrap();
        assert!(error.to_string().contains("longer than 4096 bytes"), "{error}");
    }

    /// A bug in a fold ends the run; it does not leave the reader waiting.
    #[test]
    fn a_panic_in_a_worker_is_passed_on() {
        struct Panics;
        impl RowFold for Panics {
            fn row(&mut self, _: u64, _: &Row<'_>) {
                panic!("as planned");
            }

            fn merge(&mut self, _: Self) {}
        }
        for threads in [1, 3] {
            let many = "a,1\n".repeat(5_000_000);
            let many = || {
                fold_rows(many.as_bytes(), SHAPE, threads, || Panics, |_| Error::io("?")).is_ok()
            };
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
        let refused = fold_rows(input, SHAPE, 2, Collect::default, |_| Error::io("disk"));
        assert_eq!(refused.err().unwrap().to_string(), "disk");
    }
}
