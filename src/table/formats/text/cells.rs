//! Splitting a line of a CSV file into cells.
//!
//! A data row is one line: a line feed inside a cell is refused, because one row with an unclosed
//! quote could otherwise swallow all that follow. Lines without a quote are split at the delimiter,
//! and cells that are all that stands between two quotes are split in place; the other lines with
//! quotes go through the CSV state machine.

use crate::error::{Error, Result};

/// The longest cell, in bytes.
pub(crate) const MAX_CELL: usize = 4096;

/// A length that only lines with a cell that is too long, or with too many cells, exceed, in bytes:
/// all cells as long as possible, in quotes, each byte a quote that is doubled. This bounds the
/// memory of a row.
pub(crate) fn max_line(columns: usize) -> usize {
    columns.saturating_mul(2 * MAX_CELL + 3)
}

/// A line without its end, within the block of lines around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// The block: whole lines.
    pub(crate) block: &'a [u8],
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl<'a> Line<'a> {
    /// The bytes of the line.
    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        &self.block[self.start..self.end]
    }
}

/// Splits lines into cells; its memory is reused.
pub(crate) struct Splitter {
    delimiter: u8,
    columns: usize,
    /// Whether a line without a quote at its start is one cell, also with delimiters.
    lines_are_cells: bool,
    /// The start and end of each cell.
    ranges: Vec<(usize, usize)>,
    /// The cells of a line that the state machine has read.
    unquoted: Vec<u8>,
    /// The state machine, from the first line on that needs it: building one takes longer than
    /// splitting many lines.
    quotes: Option<csv_core::Reader>,
}

/// The cells of a row.
pub(crate) struct Row<'a> {
    bytes: &'a [u8],
    ranges: &'a [(usize, usize)],
}

impl Row<'_> {
    /// A cell by its column, from 0.
    #[inline]
    pub(crate) fn cell(&self, column: usize) -> &[u8] {
        let (start, end) = self.ranges[column];
        &self.bytes[start..end]
    }
}

impl Splitter {
    /// A splitter for rows of `columns` cells.
    pub(crate) fn new(delimiter: u8, columns: usize, lines_are_cells: bool) -> Self {
        let ranges = Vec::with_capacity(columns);
        Self { delimiter, columns, lines_are_cells, ranges, unquoted: Vec::new(), quotes: None }
    }

    /// Splits a line, without its line end, into cells.
    ///
    /// # Errors
    ///
    /// `Input` with row and column if the line is not a row of the table.
    pub(crate) fn split<'a>(&'a mut self, line: &'a [u8], row: u64) -> Result<Row<'a>> {
        self.ranges.clear();
        if let Some(at) = memchr::memchr(b'\r', line) {
            return Err(carriage_return(row, column_at(line, at, self.delimiter)));
        }
        // In one column nothing separates cells, and only a cell in quotes is unquoted.
        let quoted = match self.lines_are_cells {
            true => line.starts_with(b"\""),
            false => memchr::memchr(b'"', line).is_some(),
        };
        let mut in_place = true;
        if self.lines_are_cells && !quoted {
            self.ranges.push((0, line.len()));
        } else if quoted {
            in_place = self.split_between_quotes(line);
            if !in_place {
                self.split_quoted(line, row)?;
            }
        } else {
            self.split_plain(line);
        }
        if self.ranges.len() > self.columns {
            return Err(self.ragged(line, row));
        }
        if let Some(long) = self.ranges.iter().position(|(start, end)| end - start > MAX_CELL) {
            return Err(oversized(row, long + 1));
        }
        if self.ranges.len() != self.columns {
            return Err(self.ragged(line, row));
        }
        let bytes = if in_place { line } else { &self.unquoted };
        Ok(Row { bytes, ranges: &self.ranges })
    }

    /// The error for a line whose number of cells is not that of the header.
    fn ragged(&self, line: &[u8], row: u64) -> Error {
        let (cells, columns) = (self.ranges.len(), self.columns);
        // The message holds no counts: where samples are columns, their number is private.
        let fewer_or_more = if cells < columns { "fewer" } else { "more" };
        let rule = format!("the row has {fewer_or_more} cells than the header");
        let error = Error::input(rule).at(Some(row), Some(cells.min(columns) + 1));
        if cells == columns + 1 && line.ends_with(&[self.delimiter]) {
            return error.hint("remove what separates cells from the end of the rows");
        }
        let separator = match self.delimiter {
            b',' => "a comma",
            b'\t' => "a tab",
            b';' => "a semicolon",
            _ => "what separates cells",
        };
        match row == 1 && cells > columns {
            true => error.hint(format!(
                "is there a line before the header? If the header is one name short, as R's write.table writes it, \
                 put {separator} before its first name: the first column is then taken as row names"
            )),
            false => error,
        }
    }

    fn split_plain(&mut self, line: &[u8]) {
        let mut start = 0;
        // One cell too many suffices to refuse the row.
        for end in memchr::memchr_iter(self.delimiter, line).take(self.columns) {
            self.ranges.push((start, end));
            start = end + 1;
        }
        self.ranges.push((start, line.len()));
    }

    /// Splits a line whose cells either do not begin with a quote or are all that stands between
    /// two quotes; whether it is such a line.
    fn split_between_quotes(&mut self, line: &[u8]) -> bool {
        // The state machine drops the mark.
        if line.starts_with("\u{feff}".as_bytes()) {
            return false;
        }
        let mut start = 0;
        // One cell too many suffices to refuse the row.
        while self.ranges.len() <= self.columns {
            let rest = &line[start..];
            let end = if rest.first() == Some(&b'"') {
                let Some(length) = memchr::memchr(b'"', &rest[1..]) else { return false };
                self.ranges.push((start + 1, start + 1 + length));
                start + length + 2
            } else {
                let length = memchr::memchr(self.delimiter, rest).unwrap_or(rest.len());
                self.ranges.push((start, start + length));
                start + length
            };
            match line.get(end) {
                None => return true,
                Some(byte) if *byte == self.delimiter => start = end + 1,
                Some(_) => return false,
            }
        }
        true
    }

    fn split_quoted(&mut self, line: &[u8], row: u64) -> Result<()> {
        self.ranges.clear();
        let delimiter = self.delimiter;
        let parser = self
            .quotes
            .get_or_insert_with(|| csv_core::ReaderBuilder::new().delimiter(delimiter).build());
        parser.reset();
        // No cell is longer unquoted than quoted.
        self.unquoted.resize(line.len() + 1, 0);
        let (mut read, mut start, mut end) = (0, 0, 0);
        loop {
            let rest: &[u8] = if read < line.len() { &line[read..] } else { b"\n" };
            let (result, consumed, written) = parser.read_field(rest, &mut self.unquoted[end..]);
            let at_line_end = read >= line.len();
            read += consumed;
            end += written;
            let column = Some(self.ranges.len() + 1);
            match result {
                csv_core::ReadFieldResult::Field { record_end } => {
                    self.ranges.push((start, end));
                    start = end;
                    if record_end || self.ranges.len() > self.columns {
                        return Ok(());
                    }
                }
                csv_core::ReadFieldResult::InputEmpty if !at_line_end => {}
                _ => {
                    let rule = "a quoted cell runs past the end of the line: \
                                a quote is not closed, or the cell holds a line feed";
                    return Err(Error::input(rule).at(Some(row), column).hint(
                        "take line breaks out of cells, or convert the file: in Python \
                         pandas.read_csv(FILE).to_parquet(\"NAME.parquet\"), or pass the data frame",
                    ));
                }
            }
        }
    }
}

fn oversized(row: u64, column: usize) -> Error {
    Error::input(format!("the cell is longer than {MAX_CELL} bytes")).at(Some(row), Some(column))
}

fn carriage_return(row: u64, column: usize) -> Error {
    Error::input("a carriage return stands inside the line")
        .at(Some(row), Some(column))
        .hint("save the file with line ends LF or CRLF, without line breaks in cells")
}

/// The column, from 1, of a byte of a line: one more than the delimiters before it outside
/// quotes.
fn column_at(line: &[u8], at: usize, delimiter: u8) -> usize {
    let mut quoted = false;
    let mut column = 1;
    for byte in &line[..at] {
        match byte {
            b'"' => quoted = !quoted,
            _ if *byte == delimiter && !quoted => column += 1,
            _ => {}
        }
    }
    column
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The cells of a line, by a splitter that has met an open quote before.
    fn split(line: &str, columns: usize) -> Result<Vec<String>> {
        let mut splitter = Splitter::new(b',', columns, columns == 1);
        assert!(splitter.split(b"\"1", 6).is_err());
        let row = splitter.split(line.as_bytes(), 7)?;
        Ok((0..columns).map(|c| String::from_utf8(row.cell(c).to_vec()).unwrap()).collect())
    }

    /// With one column, no line can have too many cells or too few.
    #[test]
    fn one_column_is_the_line() {
        for (line, cell) in
            [("4,5", "4,5"), ("mild, acute", "mild, acute"), ("", ""), ("a\"b", "a\"b")]
        {
            assert_eq!(split(line, 1).unwrap(), [cell]);
        }
        assert_eq!(split("\"a, \"\"b\"\"\"", 1).unwrap(), ["a, \"b\""]);
        assert!(split("\"a", 1).is_err());
    }

    #[test]
    fn cells_of_a_line() {
        assert_eq!(split("1,2,3", 3).unwrap(), ["1", "2", "3"]);
        assert_eq!(split(",,", 3).unwrap(), ["", "", ""]);
        assert_eq!(split("\"a,b\",\"say \"\"x\"\"\",\"\"", 3).unwrap(), ["a,b", "say \"x\"", ""]);
        assert_eq!(split("a\"b,c", 2).unwrap(), ["a\"b", "c"]);
        // A byte order mark, as files have that are put together.
        assert_eq!(split("\u{feff}\"a,b\",c", 2).unwrap(), ["a,b", "c"]);
        assert_eq!(split("\u{feff}1,\"2\"", 2).unwrap(), ["1", "2"]);
    }

    #[test]
    fn broken_lines_are_refused_with_their_place() {
        for (line, column, text) in [
            ("1,2", 3, "fewer cells"),
            ("1,2,3,4", 4, "more cells"),
            ("1,2,3,4,5,6", 4, "more cells"),
            ("\"1\",2,3,4,5", 4, "more cells"),
            ("1,\"2,3", 2, "not closed"),
            ("\"", 1, "not closed"),
            ("1,2\r3,4", 2, "carriage return"),
            ("1,\"2,\r3\",4", 2, "carriage return"),
            ("\r1,2,3", 1, "carriage return"),
            ("\r\"1\",2,3", 1, "carriage return"),
        ] {
            let error = split(line, 3).unwrap_err();
            assert!(error.to_string().contains(text), "{line}: {error}");
            let place = error.place().unwrap();
            assert_eq!((place.row, place.column), (Some(7), Some(column)), "{line}");
        }
    }

    #[test]
    fn other_delimiters() {
        for (line, delimiter) in [("1\t\"a\tb\"\t2,5", b'\t'), ("1;\"a\tb\";2,5", b';')] {
            let mut splitter = Splitter::new(delimiter, 3, false);
            let row = splitter.split(line.as_bytes(), 1).unwrap();
            assert_eq!(
                (row.cell(0), row.cell(1), row.cell(2)),
                (&b"1"[..], &b"a\tb"[..], &b"2,5"[..])
            );
        }
    }

    #[test]
    fn oversized_cells_are_refused() {
        let long = "9".repeat(MAX_CELL);
        assert!(split(&format!("1,{long}"), 2).is_ok());
        assert!(split(&format!("1,\"{long}\""), 2).is_ok());
        for line in [format!("1,{long}9"), format!("1,\"{long}9\"")] {
            assert_eq!(split(&line, 2).unwrap_err().place().unwrap().column, Some(2));
        }
    }

    proptest! {
        /// A line that the csv crate reads as one record of that many fields is read the same here,
        /// and the reverse, except for line breaks in cells, which are refused here.
        #[test]
        fn agrees_with_the_csv_crate(line in "[a-c,\" ]{1,20}") {
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(line.as_bytes());
            let record = reader.records().next().unwrap().unwrap();
            let expected: Vec<&str> = record.iter().collect();
            match split(&line, expected.len()) {
                Ok(cells) => prop_assert_eq!(cells, expected),
                // The crate silently closes an open quote at the end of the input; with another
                // line below, it continues the cell there.
                Err(error) => {
                    prop_assert!(error.to_string().contains("not closed"));
                    let below = format!("{line}\nz");
                    let mut reader = csv::ReaderBuilder::new()
                        .has_headers(false)
                        .flexible(true)
                        .from_reader(below.as_bytes());
                    let record = reader.records().next().unwrap().unwrap();
                    prop_assert!(record.iter().any(|cell| cell.contains('\n')));
                }
            }
        }
    }
}
