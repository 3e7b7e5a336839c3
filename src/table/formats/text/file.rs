//! Text tables, plain or compressed: the header and passes over the rows.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Parameter, Result};
use crate::table::formats::decompress::{ZSTANDARD, decompress};
use crate::table::formats::text::blocks::{Lines, Shape, TakeRows, on_rows};
use crate::table::formats::text::cells::{MAX_CELL, Row};
use crate::table::formats::{Format, refuse_foreign};
use crate::table::hooks::Hooks;
use crate::table::text::text;
use crate::table::turns::Results;

/// The origin of a text.
#[derive(Clone)]
enum Input {
    Standard,
    File(PathBuf),
    /// A reader; `None` once it has been taken.
    Reader(Arc<Mutex<Option<Box<dyn Read + Send>>>>),
    /// A function that returns a new reader each time, with the name of a file.
    Readers {
        name: PathBuf,
        open: Arc<OpenReader>,
    },
}

/// Opens a text from its start.
type OpenReader = dyn Fn() -> Box<dyn Read + Send> + Send + Sync;

/// A text table that is not open.
#[derive(Clone)]
pub(crate) struct TextFile {
    input: Input,
    /// Given, or found in the header.
    pub(crate) delimiter: Option<u8>,
    /// Whether commas are decimal marks: then they do not separate cells.
    pub(crate) decimal_comma: bool,
    /// Whether lines are features, under a header of sample identifiers. Whether there is a sample
    /// is private.
    pub(crate) lines_are_features: bool,
    /// The hooks of each pass.
    pub(crate) hooks: Hooks,
}

/// An open text table, whose header has been read.
pub(crate) struct OpenText {
    name: String,
    input: Box<dyn BufRead + Send>,
    failures: Failures,
    /// The cells of the first line.
    header: Vec<Vec<u8>>,
    shape: Shape,
}

impl TextFile {
    /// The file at `path`; `-` is standard input.
    pub(crate) fn new(path: &Path) -> Self {
        let standard = path == Path::new("-");
        Self::of(if standard { Input::Standard } else { Input::File(path.to_owned()) })
    }

    /// The text of a reader; it can be opened once.
    pub(crate) fn of_reader(reader: Box<dyn Read + Send>) -> Self {
        Self::of(Input::Reader(Arc::new(Mutex::new(Some(reader)))))
    }

    /// The text of the readers that `open` returns, one for each pass.
    pub(crate) fn of_readers(name: PathBuf, open: Arc<OpenReader>) -> Self {
        Self::of(Input::Readers { name, open })
    }

    fn of(input: Input) -> Self {
        Self {
            input,
            delimiter: None,
            decimal_comma: false,
            lines_are_features: false,
            hooks: Hooks::default(),
        }
    }

    /// The delimiter by the file's name: `.csv`, `.tsv` or `.tab`, compressed or not.
    pub(crate) fn delimiter_by_name(&self) -> Option<u8> {
        let (Input::File(path) | Input::Readers { name: path, .. }) = &self.input else {
            return None;
        };
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        if name.ends_with(".csv") {
            Some(b',')
        } else {
            [".tsv", ".tab"].iter().any(|end| name.ends_with(end)).then_some(b'\t')
        }
    }

    /// The name in messages.
    pub(crate) fn name(&self) -> String {
        match &self.input {
            Input::Standard => "standard input".into(),
            Input::File(path) | Input::Readers { name: path, .. } => path.display().to_string(),
            Input::Reader(_) => "the reader".into(),
        }
    }

    /// The path, if the table is a file.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.input {
            Input::File(path) => Some(path),
            _ => None,
        }
    }

    /// Whether the table can be read more than once: a regular file can, a pipe cannot.
    pub(crate) fn is_regular(&self) -> bool {
        match &self.input {
            Input::File(path) => path.metadata().is_ok_and(|metadata| metadata.is_file()),
            Input::Readers { .. } => true,
            Input::Standard | Input::Reader(_) => false,
        }
    }

    /// The same, except that it also holds for a file that does not exist.
    pub(crate) fn reads_again(&self) -> bool {
        self.path().map_or_else(|| self.is_regular(), reads_again)
    }

    /// Opens the file and reads its header.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be read; `Input` if it holds no header, or its first line is not one;
    /// `Request` for a reader that has been read.
    pub(crate) fn open(&self) -> Result<OpenText> {
        let name = self.name();
        let raw = match &self.input {
            Input::Standard => Box::new(io::stdin()),
            Input::File(path) => {
                self.file(path).map_err(|error| Error::cannot_read(path, &error))?
            }
            Input::Readers { open, .. } => open(),
            Input::Reader(reader) => {
                let reader = reader.lock().unwrap_or_else(PoisonError::into_inner).take();
                reader.ok_or_else(|| {
                    Error::request("the reader has been read already, by a run or a dry run")
                })?
            }
        };
        let failures = Failures::new(self.hooks.clone());
        let failed = |error: io::Error| failures.error(&name, &error);
        let watched = Watched { raw, failures: failures.clone() };
        let (start, mut input) = decompress(watched).map_err(failed)?;
        if !cfg!(feature = "zstd") && start.starts_with(&ZSTANDARD) {
            return Err(Error::request("this build does not read Zstandard")
                .hint("build it with the feature zstd, or compress with gzip")
                .about([Parameter::BuildFeature("zstd")]));
        }
        refuse_foreign(&name, &start)?;
        if let Some(format) = Format::of_start(&start) {
            let rule = format!("{name} does not hold text: its format is {}", format.name());
            return Err(Error::input(rule).hint("this format is read by its path, unpacked"));
        }
        if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
            let rule = format!("{name} is written in UTF-16");
            return Err(Error::input(rule).hint("save the file as UTF-8"));
        }
        let delimiter =
            self.delimiter.unwrap_or_else(|| likely_delimiter(&start, self.decimal_comma));
        let is_blank = matches!(start.first(), Some(b'\n' | b'\r'));
        let header = match self.lines_are_features && is_blank {
            // The unnamed corner of a table without samples.
            true => skip_line_end(&mut input).map(|()| vec![Vec::new()]).map_err(failed)?,
            false => read_header(&mut input, delimiter, failed)?,
        };
        if header[1..].iter().all(Vec::is_empty) && header[0].starts_with(b"sep=") {
            return Err(Error::input("the first line is not a header but declares the delimiter")
                .hint("remove the line sep=, as spreadsheets write it"));
        }
        let columns = header.len();
        // Lines of features begin with a name, with any number of samples.
        let lines_are_cells = columns == 1 && !self.lines_are_features;
        let shape = Shape { delimiter, columns, lines_are_cells };
        Ok(OpenText { name, input, failures, header, shape })
    }

    fn file(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(match &self.hooks.progress {
            Some(_) if metadata.len() > 0 => Box::new(Measured {
                raw: file,
                read: 0,
                total: metadata.len(),
                hooks: self.hooks.clone(),
            }),
            _ => Box::new(file),
        })
    }
}

impl OpenText {
    /// The names of the columns, where the header is public.
    ///
    /// # Errors
    ///
    /// `Input` if the first line is a comment; with its place for a name that is not text in UTF-8,
    /// or holds a line break. The next line may be a row, which decides about nothing.
    pub(crate) fn names(&self) -> Result<Vec<String>> {
        if self.header.len() == 1 && self.header[0].starts_with(b"#") {
            return Err(self.comments());
        }
        let name = |(name, column): (&Vec<u8>, usize)| checked_name(name, Some(column));
        self.header.iter().zip(1..).map(name).collect()
    }

    /// The error for a file whose first line is a comment.
    pub(crate) fn comments(&self) -> Error {
        Error::input(format!("{} starts with lines of comments", self.name))
            .hint("remove the lines that start with #")
    }

    /// Whether both the first line and the next one start like comments. The next line may be a
    /// row, so that only an inspection may ask.
    #[cfg(feature = "inspect")]
    pub(crate) fn starts_with_comments(&mut self) -> bool {
        self.header[0].starts_with(b"#")
            && self.input.fill_buf().is_ok_and(|next| next.starts_with(b"#"))
    }

    /// The unchanged header, for a header of ids: any bytes may be an id.
    pub(crate) fn ids(&self) -> &[Vec<u8>] {
        &self.header
    }

    /// The layout of the lines.
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// The delimiter of cells.
    pub(crate) fn delimiter(&self) -> u8 {
        self.shape.delimiter
    }

    /// Runs `work` on `threads` threads, which share the rows, each with its place among them.
    ///
    /// # Errors
    ///
    /// `Input` with its place for the first line that is not a row; `Input` for damaged compressed
    /// data; `Io` if the file cannot be read; the errors of `work`.
    pub(crate) fn on_rows(
        self,
        threads: usize,
        work: &(dyn Fn(usize, &mut Lines<'_, '_>) -> Result<()> + Sync),
    ) -> Result<()> {
        let Self { name, input, failures, header, shape } = self;
        let failed = |error: io::Error| failures.error(&name, &error);
        on_rows(Box::new(input), shape, threads, &failed, work).map_err(|error| {
            let first = error.place().is_some_and(|place| place.row == Some(1));
            if first && header[0].starts_with(b"#") {
                return error
                    .hint("the first line starts with #: remove the lines that start with #");
            }
            error
        })
    }

    /// Folds all rows on `threads` threads; `merge` takes in the result of another thread.
    ///
    /// # Errors
    ///
    /// As for [`on_rows`](Self::on_rows).
    pub(crate) fn fold<F: TakeRows + Send>(
        self,
        threads: usize,
        new: &(dyn Fn() -> F + Sync),
        merge: impl Fn(&mut F, F),
    ) -> Result<F> {
        let results = Results::new();
        self.on_rows(threads, &|_, lines| results.add(new(), |fold| lines.each(fold)))?;
        Ok(results.merged(merge).unwrap_or_else(new))
    }

    /// Converts all rows on `threads` threads, in order, with their numbers.
    ///
    /// # Errors
    ///
    /// As for [`on_rows`](Self::on_rows).
    pub(crate) fn rows<T: Send>(
        self,
        threads: usize,
        of: &(dyn Fn(&Row<'_>) -> T + Sync),
    ) -> Result<Vec<(u64, T)>> {
        struct Convert<'a, T>(&'a (dyn Fn(&Row<'_>) -> T + Sync), Vec<(u64, T)>);

        impl<T> TakeRows for Convert<'_, T> {
            fn row(&mut self, number: u64, row: &Row<'_>) {
                self.1.push((number, (self.0)(row)));
            }
        }

        let new = || Convert(of, Vec::new());
        let mut rows = self.fold(threads, &new, |all, more| all.1.extend(more.1))?.1;
        rows.sort_unstable_by_key(|row| row.0);
        Ok(rows)
    }
}

/// A reader that reports its progress.
struct Measured<R> {
    raw: R,
    read: u64,
    total: u64,
    hooks: Hooks,
}

impl<R: Read> Read for Measured<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.raw.read(buffer)?;
        self.read += read as u64;
        self.hooks.report(self.read as f64, self.total as f64);
        Ok(read)
    }
}

/// Records whether a read failed: then an error is not due to damaged data. Reads also fail once
/// the caller stops the run.
#[derive(Clone)]
struct Failures {
    failed: Arc<AtomicBool>,
    hooks: Hooks,
}

struct Watched<R> {
    raw: R,
    failures: Failures,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.failures.hooks.is_canceled() {
            return Err(io::Error::other("canceled"));
        }
        self.raw.read(buffer).inspect_err(|error| {
            let failed = error.kind() != io::ErrorKind::Interrupted;
            self.failures.failed.fetch_or(failed, Ordering::Relaxed);
        })
    }
}

impl Failures {
    fn new(hooks: Hooks) -> Self {
        Self { failed: Arc::default(), hooks }
    }

    /// The error for a failed read or for damaged compressed data.
    fn error(&self, name: &str, error: &io::Error) -> Error {
        let decoding = [
            io::ErrorKind::UnexpectedEof,
            io::ErrorKind::InvalidData,
            io::ErrorKind::InvalidInput,
            io::ErrorKind::Other,
        ];
        if let Err(canceled) = self.hooks.check() {
            return canceled;
        }
        if !self.failed.load(Ordering::Relaxed) && decoding.contains(&error.kind()) {
            return Error::input(format!(
                "{name}: the compressed data are damaged or end too early"
            ));
        }
        Error::io(format!("cannot read {name}: {error}"))
    }
}

/// The most frequent of comma, tab and semicolon in the first line, outside quotes; a comma if none
/// of them occurs. With decimal commas, commas do not count.
fn likely_delimiter(start: &[u8], decimal_comma: bool) -> u8 {
    most_frequent(start, decimal_comma).0
}

/// The number of cells of a line by its likely delimiter.
#[cfg(feature = "inspect")]
pub(crate) fn likely_cells(line: &[u8], decimal_comma: bool) -> usize {
    most_frequent(line, decimal_comma).1 + 1
}

/// The likely delimiter, and how often it occurs.
fn most_frequent(start: &[u8], decimal_comma: bool) -> (u8, usize) {
    let mut counts = [(b',', 0), (b'\t', 0), (b';', 0)];
    let mut quoted = false;
    for &byte in start.iter().take_while(|byte| !matches!(byte, b'\n' | b'\r')) {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(other, _)| *other == byte && !quoted) {
            *count += 1;
        }
    }
    if decimal_comma {
        counts[0].1 = 0;
    }
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    counts.into_iter().find(|(_, count)| *count == most).unwrap_or((b',', 0))
}

/// Reads the first line with the CSV state machine, and no byte more; `failed` converts a failure
/// to read.
fn read_header(
    input: &mut impl BufRead,
    delimiter: u8,
    failed: impl Fn(io::Error) -> Error,
) -> Result<Vec<Vec<u8>>> {
    use csv_core::ReadFieldResult;
    let mut parser = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    let mut name = [0; MAX_CELL + 1];
    let mut length = 0;
    let mut header = Vec::new();
    loop {
        let buffer = input.fill_buf().map_err(&failed)?;
        let (result, read, written) = parser.read_field(buffer, &mut name[length..]);
        let carriage_return = buffer[..read].ends_with(b"\r");
        input.consume(read);
        length += written;
        let column = Some(header.len() + 1);
        match result {
            ReadFieldResult::InputEmpty => {}
            ReadFieldResult::OutputFull => return Err(too_long(column)),
            ReadFieldResult::Field { .. } if length > MAX_CELL => return Err(too_long(column)),
            ReadFieldResult::Field { record_end } => {
                header.push(name[..length].to_vec());
                length = 0;
                if record_end {
                    // The parser would skip it with the next line; a blank line may be a row.
                    if carriage_return {
                        skip_line_feed(input).map_err(&failed)?;
                    }
                    return Ok(header);
                }
            }
            ReadFieldResult::End => return Err(Error::input("the file is empty")),
        }
    }
}

/// Skips the end of a blank line.
fn skip_line_end(input: &mut impl BufRead) -> io::Result<()> {
    if input.fill_buf()?.starts_with(b"\r") {
        input.consume(1);
    }
    skip_line_feed(input)
}

fn skip_line_feed(input: &mut impl BufRead) -> io::Result<()> {
    if input.fill_buf()?.starts_with(b"\n") {
        input.consume(1);
    }
    Ok(())
}

fn too_long(column: Option<usize>) -> Error {
    Error::input(format!("the column's name is longer than {MAX_CELL} bytes"))
        .at(None, column)
        .hint("is a quote not closed, or is this no text table?")
}

/// A name may be quoted but may not hold a line break: an unclosed quote would turn rows into
/// names, and names are printed.
fn checked_name(name: &[u8], column: Option<usize>) -> Result<String> {
    if memchr::memchr2(b'\n', b'\r', name).is_some() {
        let rule = "the column's name holds a line break, or its quote is not closed";
        return Err(Error::input(rule).at(None, column));
    }
    text(name).ok_or_else(|| {
        Error::input("the column's name is not text in UTF-8")
            .at(None, column)
            .hint("save the file as UTF-8")
    })
}

/// Whether a path can be read more than once, does not exist or is a folder: not standard input,
/// not a pipe.
pub(crate) fn reads_again(path: &Path) -> bool {
    let once = |metadata: std::fs::Metadata| !metadata.is_file() && !metadata.is_dir();
    path != Path::new("-") && !path.metadata().is_ok_and(once)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::error::ErrorKind;
    use crate::table::formats::text::cells::Row;

    #[derive(Default)]
    struct Count(usize);

    impl TakeRows for Count {
        fn row(&mut self, _: u64, _: &Row<'_>) {
            self.0 += 1;
        }
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    /// The compressors whose output this build reads.
    const COMPRESSORS: &[fn(&str) -> Vec<u8>] = &[
        gzip,
        #[cfg(feature = "zstd")]
        zstd,
    ];

    #[cfg(feature = "zstd")]
    fn zstd(text: &str) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> Result<(Vec<String>, usize)> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let table = TextFile::new(file.path()).open()?;
        let header = table.names()?;
        Ok((header, table.fold(2, &Count::default, |all, more| all.0 += more.0)?.0))
    }

    #[test]
    fn compressed_files_read_the_same() {
        let text = "a,\"b \"\"c\"\", d\",y\r\n1,2,3\r\n4,5,6";
        let expected = (vec!["a".to_owned(), "b \"c\", d".into(), "y".into()], 2);
        assert_eq!(read(text.as_bytes()).unwrap(), expected);
        assert_eq!(read(&gzip(text)).unwrap(), expected);
        for compress in COMPRESSORS {
            assert_eq!(read(&compress(text)).unwrap(), expected);
        }
        assert_eq!(read(&[b"\xef\xbb\xbf", text.as_bytes()].concat()).unwrap(), expected);
    }

    #[test]
    fn all_members_and_frames_are_read() {
        let parts = ["a,y\n1,2\n3", ",4\n5,6\n", "7,8\n"];
        for compress in COMPRESSORS {
            assert_eq!(read(&parts.map(compress).concat()).unwrap().1, 4);
        }
    }

    #[test]
    fn damage_is_malformed_input() {
        let text: String = (0..5000).map(|i| format!("{},{}\n", i * 7919 % 1009, i)).collect();
        for whole in COMPRESSORS.iter().map(|compress| compress(&text)) {
            let mut flipped = whole.clone();
            let middle = flipped.len() / 2;
            flipped[middle] ^= 0xff;
            let trailing = [&whole[..], b"garbage"].concat();
            for bytes in [&whole[..whole.len() - 9], &flipped, &trailing, &whole[..4]] {
                assert_eq!(read(bytes).unwrap_err().kind(), ErrorKind::Input);
            }
        }
    }

    #[test]
    fn the_longest_name() {
        let header = [&[b'x'; MAX_CELL][..], b",y\n1,2\n"].concat();
        assert_eq!(read(&header).unwrap().0[0].len(), MAX_CELL);
    }

    #[test]
    fn malformed_headers_are_refused() {
        for (bytes, text) in [
            (&b""[..], "empty"),
            (b"\n\n", "empty"),
            (b"a,\xff\xfe,y\n", "UTF-8"),
            (b"a,b\0,y\n", "UTF-8"),
            (&[b'x'; MAX_CELL + 1], "longer"),
            (b"a,b,\"y\n1,2,3\n4,5,6\n", "column 3: the column's name holds a line break"),
            (b"a,\"b,y\n1,\"2\",3\n4,5,6\n", "column 2: the column's name holds a line"),
            (&[&[b'x'; MAX_CELL + 1][..], b",y\n"].concat(), "longer"),
            (b"a,\"b,y\r1,2,3\r4,5,6\r", "column 2: the column's name holds a line"),
        ] {
            let error = read(bytes).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Input);
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn delimiters_are_found_in_the_header() {
        for (header, delimiter) in [
            ("a,b,c", b','),
            ("a\tb\tc, d", b'\t'),
            ("a;b;\"c,d,e,f\"", b';'),
            ("a,b;c", b','),
            ("alone", b','),
            ("a\tb\nc,d,e,f", b'\t'),
        ] {
            assert_eq!(likely_delimiter(header.as_bytes(), false), delimiter, "{header}");
        }
        assert_eq!(likely_delimiter(b"1,5;2,5;3,5", true), b';');
    }

    /// Short reads give the same table.
    #[test]
    fn slow_streams_are_recognized() {
        struct Drip(Vec<u8>);
        impl Read for Drip {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let take = buffer.len().min(1).min(self.0.len());
                buffer[..take].copy_from_slice(&self.0[..take]);
                self.0.drain(..take);
                Ok(take)
            }
        }
        let text = "\u{feff}a;b;y\n1;2;3\n";
        let mut all = vec![text.as_bytes().to_vec()];
        all.extend(COMPRESSORS.iter().map(|compress| compress(text)));
        #[cfg(feature = "zstd")]
        all.push([b"\x50\x2a\x4d\x18\x02\0\0\0ab", &zstd(text)[..]].concat());
        for bytes in all {
            let (start, mut input) = decompress(Drip(bytes)).unwrap();
            assert_eq!(likely_delimiter(&start, false), b';');
            let mut all = String::new();
            input.read_to_string(&mut all).unwrap();
            assert_eq!(all, text[3..]);
        }
    }

    #[test]
    fn folders_and_missing_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_owned(), folder.path().join("missing.csv")] {
            let error = TextFile::new(&path).open().err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Io);
        }
    }
}
