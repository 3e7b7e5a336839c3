//! A CSV file, plain or gzipped: its header, and passes over its rows.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::data::blocks::{RowFold, fold_rows};
use crate::data::cells::MAX_CELL;
use crate::error::{Error, Result};

/// A table by its path; nothing is open.
#[derive(Debug, Clone)]
pub(crate) struct TableFile {
    path: PathBuf,
}

/// A table whose header has been read.
pub(crate) struct OpenTable {
    path: PathBuf,
    input: Box<dyn BufRead + Send>,
    header: Vec<String>,
}

impl TableFile {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it can be read more than once: a pipe cannot.
    pub(crate) fn is_regular(&self) -> bool {
        self.path.metadata().is_ok_and(|metadata| metadata.is_file())
    }

    /// Opens the file and reads its header.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be read; `Input` if it holds no header.
    pub(crate) fn open(&self) -> Result<OpenTable> {
        let failed = |error| read_error(&self.path, error);
        let file = File::open(&self.path).map_err(failed)?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(Error::io(format!("{} is a folder, not a file", self.path.display())));
        }
        let mut input = decompress(BufReader::new(file)).map_err(failed)?;
        let header = read_header(&mut input).map_err(|error| match error {
            HeaderError::Read(error) => failed(error),
            HeaderError::Malformed(error) => error,
        })?;
        Ok(OpenTable { path: self.path.clone(), input, header })
    }
}

impl OpenTable {
    /// The names of the columns.
    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    /// One pass over the rows.
    ///
    /// # Errors
    ///
    /// `Input` with its place for the first line that is not a row; `Input` for a damaged gzip
    /// stream; `Io` if the file cannot be read.
    pub(crate) fn fold<F: RowFold>(self, threads: usize, new: impl Fn() -> F + Sync) -> Result<F> {
        let path = self.path;
        fold_rows(self.input, self.header.len(), threads, new, |error| read_error(&path, error))
    }
}

/// Damaged compressed data is malformed input; anything else is the system's.
fn read_error(path: &Path, error: io::Error) -> Error {
    let path = path.display();
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            Error::input(format!("{path}: the gzip data are damaged or end too early"))
        }
        _ => Error::io(format!("cannot read {path}: {error}")),
    }
}

/// Inflates what starts like a gzip file, all members of it; skips a byte order mark.
fn decompress(mut file: BufReader<File>) -> io::Result<Box<dyn BufRead + Send>> {
    let gzip = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let mut input: Box<dyn BufRead + Send> = if gzip {
        Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(file)))
    } else {
        Box::new(file)
    };
    if input.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        input.consume(3);
    }
    Ok(input)
}

enum HeaderError {
    Read(io::Error),
    Malformed(Error),
}

impl From<Error> for HeaderError {
    fn from(error: Error) -> Self {
        Self::Malformed(error)
    }
}

/// The first line, through the CSV state machine. A name may be quoted but not hold a line break: an
/// unclosed quote would turn rows into names, and names are printed.
fn read_header(input: &mut impl BufRead) -> std::result::Result<Vec<String>, HeaderError> {
    use csv_core::ReadFieldResult;
    let mut parser = csv_core::Reader::new();
    let mut name = [0; MAX_CELL];
    let mut length = 0;
    let mut header = Vec::new();
    loop {
        let buffer = input.fill_buf().map_err(HeaderError::Read)?;
        let (result, read, written) = parser.read_field(buffer, &mut name[length..]);
        input.consume(read);
        length += written;
        let column = Some(header.len() + 1);
        match result {
            ReadFieldResult::InputEmpty => {}
            ReadFieldResult::OutputFull => {
                let rule = format!("the column's name is longer than {MAX_CELL} bytes");
                let error = Error::input(rule).at(None, column);
                return Err(error.hint("is a quote not closed, or is this no CSV file?").into());
            }
            ReadFieldResult::Field { record_end } => {
                header.push(checked_name(&name[..length], column)?);
                length = 0;
                if record_end {
                    return Ok(header);
                }
            }
            ReadFieldResult::End => return Err(Error::input("the file is empty").into()),
        }
    }
}

fn checked_name(name: &[u8], column: Option<usize>) -> Result<String> {
    if memchr::memchr2(b'\n', b'\r', name).is_some() {
        let rule = "the column's name holds a line break, or its quote is not closed";
        return Err(Error::input(rule).at(None, column));
    }
    match std::str::from_utf8(name) {
        Ok(text) if !text.contains('\0') => Ok(text.to_owned()),
        _ => Err(Error::input("the column's name is not text in UTF-8")
            .at(None, column)
            .hint("save the file as UTF-8")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::data::cells::Row;
    use crate::error::ErrorKind;

    #[derive(Default)]
    struct Count(usize);

    impl RowFold for Count {
        fn row(&mut self, _: &Row<'_>) {
            self.0 += 1;
        }

        fn merge(&mut self, other: Self) {
            self.0 += other.0;
        }
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> Result<(Vec<String>, usize)> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let table = TableFile::new(file.path()).open()?;
        let header = table.header().to_vec();
        Ok((header, table.fold(2, Count::default)?.0))
    }

    #[test]
    fn plain_and_gzipped_are_one() {
        let text = "a,\"b \"\"c\"\", d\",y\r\n1,2,3\r\n4,5,6";
        let expected = (vec!["a".to_owned(), "b \"c\", d".into(), "y".into()], 2);
        assert_eq!(read(text.as_bytes()).unwrap(), expected);
        assert_eq!(read(&gzip(text)).unwrap(), expected);
        assert_eq!(read(&[b"\xef\xbb\xbf", text.as_bytes()].concat()).unwrap(), expected);
    }

    #[test]
    fn all_gzip_members_are_read() {
        let members = [gzip("a,y\n1,2\n3"), gzip(",4\n5,6\n"), gzip("7,8\n")].concat();
        assert_eq!(read(&members).unwrap().1, 4);
    }

    #[test]
    fn damage_is_malformed_input() {
        let whole = gzip(&"a,y\n".repeat(1000));
        let mut flipped = whole.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 0xff;
        let trailing = [&whole[..], b"garbage"].concat();
        for bytes in [&whole[..whole.len() - 9], &flipped, &trailing, b"\x1f\x8b"] {
            assert_eq!(read(bytes).unwrap_err().kind(), ErrorKind::Input);
        }
    }

    #[test]
    fn headers_that_are_none() {
        for (bytes, text) in [
            (&b""[..], "empty"),
            (b"\n\n", "empty"),
            (b"a,\xff\xfe,y\n", "UTF-8"),
            (b"a,b\0,y\n", "UTF-8"),
            (&[b'x'; MAX_CELL + 1], "longer"),
            (b"a,b,\"y\n1,2,3\n4,5,6\n", "header, column 3: the column's name holds a line break"),
            (b"a,\"b,y\n1,\"2\",3\n4,5,6\n", "header, column 2: the column's name holds a line"),
            (b"a,\"b,y\r1,2,3\r4,5,6\r", "header, column 2: the column's name holds a line"),
        ] {
            let error = read(bytes).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Input);
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn what_is_not_a_file() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_owned(), folder.path().join("missing.csv")] {
            let error = TableFile::new(path).open().err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Io);
        }
    }
}
