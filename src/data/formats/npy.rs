//! numpy's `.npy`: one array.
//!
//! Eight bytes - `\x93NUMPY` and the version - and the length of the header in two bytes (version 1) or four
//! (2 and 3), little-endian; the header, a Python dictionary of `descr` (the type, as `<f4`),
//! `fortran_order` and `shape`; then the values. Rows are read in blocks by their place, so that memory is
//! bounded whatever the file holds: in C order a block is one read, in Fortran order one read a column.
//!
//! The header is read here: the crates that read it multiply the stated shape unchecked and descend into
//! brackets without a limit, so that a made header ends the process.

use std::ops::Range;
use std::path::Path;

use crate::data::block_table::{
    Block, BlockTable, Blocks, Cell, Layout, Place, Values, Wanted, number_cell, rows_in,
};
use crate::data::formats::positioned::{Positioned, too_short};
use crate::data::schema::Orientation;
use crate::error::{Error, Result};

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";
/// numpy's own limit is 10,000 bytes; headers of matrices have some hundred.
const MAX_HEADER: u64 = 1 << 14;
/// More columns than this are a header gone wrong.
const MAX_COLUMNS: u64 = 1 << 31;
/// A block of rows in C order: larger ones are not read faster.
const BLOCK: usize = 1 << 22;

/// What an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Integer,
    Unsigned,
    /// 0 and 1.
    Boolean,
    /// UTF-32.
    Unicode,
    Bytes,
}

/// The type of the elements.
#[derive(Debug, Clone, Copy)]
struct Type {
    kind: Kind,
    /// Bytes of an element.
    size: usize,
    big_endian: bool,
}

/// An array in a file.
#[derive(Debug)]
pub(crate) struct Array {
    bytes: Positioned,
    /// Where the values start.
    start: u64,
    of: Type,
    fortran: bool,
    shape: Vec<u64>,
}

fn malformed(rule: &str) -> Error {
    Error::input(format!("the .npy file is malformed: {rule}"))
}

impl Array {
    /// Reads the header, and sees that the file holds what it says.
    ///
    /// # Errors
    ///
    /// `Input` if it is no such file, is shorter or longer than its header says, or has elements other
    /// than numbers and texts; `Io` if it cannot be read.
    pub(crate) fn read(bytes: Positioned) -> Result<Self> {
        let first = bytes.bytes(0, 12)?;
        let (length, text) = match first.as_slice() {
            [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, a, b, ..] => {
                (u32::from(u16::from_le_bytes([*a, *b])), 10)
            }
            [0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, _, a, b, c, d] => {
                (u32::from_le_bytes([*a, *b, *c, *d]), 12)
            }
            _ => return Err(malformed("it does not start as versions 1 to 3 do")),
        };
        if u64::from(length) > MAX_HEADER {
            return Err(malformed("its header is far longer than an array of numbers needs"));
        }
        let mut header = vec![0; length as usize];
        bytes.read_at(text, &mut header)?;
        let header =
            std::str::from_utf8(&header).map_err(|_| malformed("its header is no text"))?;
        let Header { of, fortran, shape } = Header::parse(header)?;
        let start = text + u64::from(length);
        let elements = shape.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
        let size = elements.and_then(|n| n.checked_mul(of.size as u64)?.checked_add(start));
        match size.ok_or_else(too_short)? {
            size if size > bytes.len() => return Err(too_short()),
            size if size < bytes.len() => return Err(malformed("it goes on behind its array")),
            _ => {}
        }
        Ok(Self { bytes, start, of, fortran, shape })
    }

    /// An array in memory.
    ///
    /// # Errors
    ///
    /// As for one in a file.
    #[cfg(feature = "import")]
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Result<Self> {
        Self::read(Positioned::Memory(bytes))
    }

    fn is_text(&self) -> bool {
        matches!(self.of.kind, Kind::Unicode | Kind::Bytes)
    }

    /// The cells of an array of one dimension.
    ///
    /// # Errors
    ///
    /// `Input` if it has several; as for reading.
    pub(super) fn cells(&self) -> Result<Vec<Cell>> {
        // A column or a row of a matrix is a vector.
        let vector = matches!(self.shape.as_slice(), [_] | [_, 1] | [1, _]);
        if !vector {
            return Err(Error::input("an array of one dimension is needed here"));
        }
        let bytes = self.bytes.bytes(self.start, u64::MAX)?;
        if self.is_text() {
            // An element of no bytes: numpy's type of empty texts alone.
            let elements = self.shape.iter().product::<u64>() as usize;
            if self.of.size == 0 {
                return Ok(vec![None; elements.min(1 << 20)]);
            }
            return bytes.chunks_exact(self.of.size).map(|element| self.of.text(element)).collect();
        }
        let mut values = Vec::new();
        self.of.decode(&bytes, &mut values);
        Ok(values.into_iter().map(number_cell).collect())
    }

    /// All values of a matrix, row by row, with its dimensions.
    ///
    /// # Errors
    ///
    /// `Input` if it is no matrix of numbers; as for reading.
    #[cfg(feature = "import")]
    pub(crate) fn matrix(self) -> Result<(usize, usize, Vec<f64>)> {
        let names = None;
        let matrix = Matrix::new(self, names, Orientation::SamplesAsRows)?;
        let wanted = Wanted { numbers: (0..matrix.d()).collect(), block: BLOCK, ..<_>::default() };
        let mut all = Vec::new();
        for block in matrix.blocks(&wanted)? {
            match block?.values {
                Values::F32(values) => all.extend(values.into_iter().map(f64::from)),
                Values::F64(values) => all.extend(values),
            }
        }
        let rows = usize::try_from(matrix.rows).map_err(|_| too_short())?;
        Ok((rows, matrix.d(), all))
    }
}

/// A vector of targets.
///
/// # Errors
///
/// As for an array.
pub(crate) fn read_vector(path: &Path) -> Result<Vec<Cell>> {
    Array::read(Positioned::open(path)?)?.cells()
}

/// What stands before the values of a matrix of `f64`, row by row.
#[cfg(feature = "import")]
pub(crate) fn header_of(rows: usize, columns: usize) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // Values start at a multiple of 64 bytes, and the header ends its line.
    let padding = 64 - (10 + header.len() + 1) % 64;
    header.extend(std::iter::repeat_n(' ', padding % 64));
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX).to_le_bytes();
    [MAGIC, &[1, 0], &length, header.as_bytes()].concat()
}

struct Header {
    of: Type,
    fortran: bool,
    shape: Vec<u64>,
}

impl Header {
    /// The dictionary: three keys, whose values are a text, a truth and a tuple of integers.
    fn parse(text: &str) -> Result<Self> {
        let wrong = || malformed("its header is not that of an array of numbers or texts");
        let (mut of, mut fortran, mut shape) = (None, None, None);
        let text = text.trim();
        let mut rest = text.strip_prefix('{').ok_or_else(wrong)?.trim_start();
        while !rest.starts_with('}') {
            let (key, after) = quoted(rest).ok_or_else(wrong)?;
            let value = after.trim_start().strip_prefix(':').ok_or_else(wrong)?.trim_start();
            rest = match key {
                "descr" => {
                    let (descr, after) = quoted(value).ok_or_else(wrong)?;
                    of = Some(Type::parse(descr)?);
                    after
                }
                "fortran_order" => {
                    let (truth, after) = match value.strip_prefix("True") {
                        Some(after) => (true, after),
                        None => (false, value.strip_prefix("False").ok_or_else(wrong)?),
                    };
                    fortran = Some(truth);
                    after
                }
                "shape" => {
                    let inside = value.strip_prefix('(').ok_or_else(wrong)?;
                    let (inside, after) = inside.split_once(')').ok_or_else(wrong)?;
                    let parts = inside.split(',').map(str::trim).filter(|part| !part.is_empty());
                    let parts = parts.map(|part| part.trim_end_matches('L').parse::<u64>().ok());
                    shape = Some(parts.collect::<Option<Vec<_>>>().ok_or_else(wrong)?);
                    after
                }
                _ => return Err(wrong()),
            };
            rest = rest.trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        match (of, fortran, shape) {
            (Some(of), Some(fortran), Some(shape)) if rest == "}" => {
                Ok(Self { of, fortran, shape })
            }
            _ => Err(wrong()),
        }
    }
}

/// A quoted text at the start, without escapes, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote).filter(|(inside, _)| !inside.contains('\\'))
}

impl Type {
    /// Such as `<f4`, `|b1` and `<U7`.
    fn parse(descr: &str) -> Result<Self> {
        let unread = || {
            Error::input("the array holds elements other than numbers and texts").hint(
                "integers, floats of 2, 4 or 8 bytes, booleans, U and S are read; objects, which \
                 need Python, are not: x.astype(float), y.astype(str)",
            )
        };
        let mut letters = descr.chars();
        let big_endian = match letters.next() {
            Some('<' | '|') => false,
            Some('>') => true,
            _ => return Err(unread()),
        };
        let kind = match letters.next() {
            Some('f') => Kind::Float,
            Some('i') => Kind::Integer,
            Some('u') => Kind::Unsigned,
            Some('b') => Kind::Boolean,
            Some('U') => Kind::Unicode,
            Some('S' | 'a') => Kind::Bytes,
            _ => return Err(unread()),
        };
        let size: usize = letters.as_str().parse().map_err(|_| unread())?;
        let size = if kind == Kind::Unicode { size.checked_mul(4) } else { Some(size) };
        let known = |size: &usize| match kind {
            Kind::Float => matches!(size, 2 | 4 | 8),
            Kind::Integer | Kind::Unsigned => matches!(size, 1 | 2 | 4 | 8),
            Kind::Boolean => *size == 1,
            // A label of a quarter of a million letters is none.
            Kind::Unicode | Kind::Bytes => *size <= 1 << 20,
        };
        Ok(Self { kind, size: size.filter(known).ok_or_else(unread)?, big_endian })
    }

    /// The numbers of some elements; integers beyond 2^53 are rounded as text would be.
    fn decode(&self, bytes: &[u8], out: &mut Vec<f64>) {
        match (self.kind, self.size) {
            (Kind::Float, 2) => self.each(bytes, out, |b| half(u16::from_le_bytes(b))),
            (Kind::Float, 4) => self.each(bytes, out, |b| f32::from_le_bytes(b).into()),
            (Kind::Float, _) => self.each(bytes, out, f64::from_le_bytes),
            (Kind::Integer, 1) => self.each(bytes, out, |b| i8::from_le_bytes(b).into()),
            (Kind::Integer, 2) => self.each(bytes, out, |b| i16::from_le_bytes(b).into()),
            (Kind::Integer, 4) => self.each(bytes, out, |b| i32::from_le_bytes(b).into()),
            (Kind::Integer, _) => self.each(bytes, out, |b| i64::from_le_bytes(b) as f64),
            (Kind::Unsigned, 2) => self.each(bytes, out, |b| u16::from_le_bytes(b).into()),
            (Kind::Unsigned, 4) => self.each(bytes, out, |b| u32::from_le_bytes(b).into()),
            (Kind::Unsigned, 8) => self.each(bytes, out, |b| u64::from_le_bytes(b) as f64),
            (Kind::Unsigned, _) => self.each(bytes, out, |[b]: [u8; 1]| b.into()),
            (Kind::Boolean, _) => self.each(bytes, out, |[b]: [u8; 1]| f64::from(u8::from(b != 0))),
            (Kind::Unicode | Kind::Bytes, size) => {
                out.extend(std::iter::repeat_n(f64::NAN, bytes.len() / size.max(1)));
            }
        }
    }

    fn each<const N: usize, T>(
        &self,
        bytes: &[u8],
        out: &mut Vec<T>,
        number: impl Fn([u8; N]) -> T,
    ) {
        let elements = bytes.as_chunks::<N>().0;
        if self.big_endian {
            out.extend(elements.iter().map(|&(mut element)| {
                element.reverse();
                number(element)
            }));
        } else {
            out.extend(elements.iter().map(|&element| number(element)));
        }
    }

    /// A text, which is padded with NUL; nothing is missing.
    fn text(&self, element: &[u8]) -> Result<Cell> {
        let text = match self.kind {
            Kind::Unicode => {
                let letter = |&(mut word): &[u8; 4]| {
                    if self.big_endian {
                        word.reverse();
                    }
                    char::from_u32(u32::from_le_bytes(word))
                };
                let letters = element.as_chunks().0.iter().map(letter).collect::<Option<String>>();
                letters.ok_or_else(|| malformed("a text is not Unicode"))?.into_bytes()
            }
            _ => element.to_vec(),
        };
        let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        Ok(Some(text[..end].to_vec()).filter(|text| !text.is_empty()))
    }
}

/// The number of an IEEE half: 1, 5 and 10 bits.
fn half(bits: u16) -> f64 {
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// A matrix of numbers as a table: samples by columns.
#[derive(Debug)]
pub(crate) struct Matrix {
    array: Array,
    layout: Layout,
    rows: u64,
    /// Whether the values of a sample lie side by side.
    by_rows: bool,
    target: Option<Vec<Cell>>,
}

impl Matrix {
    /// An array of two dimensions, whose columns (rows, where features are rows) have the names, or are
    /// called `feature-1` and so on.
    ///
    /// # Errors
    ///
    /// `Input` unless it is a matrix of numbers with a name for each column.
    pub(crate) fn new(
        array: Array,
        names: Option<Vec<String>>,
        orientation: Orientation,
    ) -> Result<Self> {
        let &[first, second] = array.shape.as_slice() else {
            return Err(Error::input("the array must have two dimensions, samples by features"));
        };
        if array.is_text() {
            return Err(Error::input("the array of features holds texts, not numbers"));
        }
        // The other way round it is the same bytes in the other order.
        let transposed = orientation == Orientation::FeaturesAsRows;
        let (rows, columns) = if transposed { (second, first) } else { (first, second) };
        if columns >= MAX_COLUMNS || rows >= 1 << 60 {
            return Err(malformed("it has more than 2^31 columns"));
        }
        // No bytes stand behind the columns of no rows: nor may they take memory.
        if rows == 0 {
            return Err(Error::input("the array has no samples"));
        }
        let made = || (1..=columns).map(|column| format!("feature-{column}")).collect();
        let (named, names): (bool, Vec<String>) = (names.is_some(), names.unwrap_or_else(made));
        if names.len() as u64 != columns {
            return Err(Error::input("there must be one name for each feature of the array"));
        }
        let by_rows = array.fortran == transposed;
        let layout = Layout { orientation, names, named, rows: Some(rows), ..Layout::default() };
        Ok(Self { array, layout, rows, by_rows, target: None })
    }

    /// With targets beside the matrix.
    ///
    /// # Errors
    ///
    /// `Input` unless there is one for each sample.
    pub(super) fn with_target(mut self, target: Vec<Cell>) -> Result<Self> {
        if target.len() as u64 != self.rows {
            return Err(Error::input("X and y in the file differ in their number of samples"));
        }
        (self.layout.target, self.target) = (true, Some(target));
        Ok(self)
    }

    fn d(&self) -> usize {
        self.layout.names.len()
    }

    /// The rows from `first` on, `rows` of them.
    fn block(&self, wanted: &Reading, first: u64, rows: usize) -> Result<Block> {
        let of = self.array.of;
        let mut values = of.values(0);
        let mut texts = vec![Vec::with_capacity(rows); wanted.texts.len()];
        if self.by_rows {
            let row_bytes = self.d() * of.size;
            let mut bytes = vec![0; rows * row_bytes];
            self.array.bytes.read_at(self.place(first * row_bytes as u64)?, &mut bytes)?;
            match &mut values {
                Values::F32(values) => values.reserve_exact(rows * wanted.numbers),
                Values::F64(values) => values.reserve_exact(rows * wanted.numbers),
            }
            for row in bytes.chunks_exact(row_bytes.max(1)) {
                for run in &wanted.runs {
                    of.decode_into(&row[run.start * of.size..run.end * of.size], &mut values);
                }
                for (cells, place) in texts.iter_mut().zip(&wanted.texts) {
                    if let Place::Column(column) = place {
                        let mut value = Vec::with_capacity(1);
                        of.decode(&row[column * of.size..][..of.size], &mut value);
                        cells.push(value.first().copied().and_then(number_cell));
                    }
                }
            }
        } else {
            values = self.by_columns(wanted, first, rows, &mut texts)?;
        }
        for (cells, place) in texts.iter_mut().zip(&wanted.texts) {
            if *place == Place::Target {
                let all = self.target.as_deref().unwrap_or_default();
                *cells = all.iter().skip(first as usize).take(rows).cloned().collect();
            }
        }
        Ok(Block { rows, values, texts })
    }

    /// The same where the values of a column lie side by side: one read for each column.
    fn by_columns(
        &self,
        wanted: &Reading,
        first: u64,
        rows: usize,
        texts: &mut [Vec<Cell>],
    ) -> Result<Values> {
        let of = self.array.of;
        let mut bytes = vec![0; rows * of.size];
        let mut read = |column: usize| -> Result<Values> {
            let element = column as u64 * self.rows + first;
            self.array.bytes.read_at(self.place(element * of.size as u64)?, &mut bytes)?;
            let mut part = of.values(0);
            of.decode_into(&bytes, &mut part);
            Ok(part)
        };
        let d = wanted.numbers;
        let mut all = of.values(rows * d);
        for (place, column) in wanted.runs.iter().cloned().flatten().enumerate() {
            match (&mut all, read(column)?) {
                (Values::F32(all), Values::F32(part)) => spread(all, &part, place, d),
                (Values::F64(all), Values::F64(part)) => spread(all, &part, place, d),
                _ => {}
            }
        }
        for (cells, place) in texts.iter_mut().zip(&wanted.texts) {
            if let Place::Column(column) = place {
                *cells = match read(*column)? {
                    Values::F32(part) => part.into_iter().map(|v| number_cell(v.into())).collect(),
                    Values::F64(part) => part.into_iter().map(number_cell).collect(),
                };
            }
        }
        Ok(all)
    }

    /// Where in the file a byte of the values is.
    fn place(&self, byte: u64) -> Result<u64> {
        self.array.start.checked_add(byte).ok_or_else(too_short)
    }
}

/// Puts a column into its place of each row.
fn spread<A: Copy>(all: &mut [A], part: &[A], place: usize, d: usize) {
    for (into, &value) in all[place..].iter_mut().step_by(d).zip(part) {
        *into = value;
    }
}

impl Type {
    /// Zeros of the type that holds such elements.
    fn values(&self, length: usize) -> Values {
        match (self.kind, self.size) {
            (Kind::Float, 4) => Values::F32(vec![0.0; length]),
            _ => Values::F64(vec![0.0; length]),
        }
    }

    /// Floats of four bytes as they are, all others as `f64`.
    fn decode_into(&self, bytes: &[u8], out: &mut Values) {
        match out {
            Values::F32(out) => self.each(bytes, out, f32::from_le_bytes),
            Values::F64(out) => self.decode(bytes, out),
        }
    }
}

/// What is read of each row.
struct Reading {
    /// The wanted columns, in runs of neighbours.
    runs: Vec<Range<usize>>,
    /// How many they are.
    numbers: usize,
    texts: Vec<Place>,
}

impl Reading {
    fn new(wanted: &Wanted) -> Self {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for &column in &wanted.numbers {
            match runs.last_mut().filter(|run| run.end == column) {
                Some(run) => run.end += 1,
                None => runs.push(column..column + 1),
            }
        }
        Self { runs, numbers: wanted.numbers.len(), texts: wanted.texts.clone() }
    }
}

impl BlockTable for Matrix {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn blocks(&self, wanted: &Wanted) -> Result<Blocks<'_>> {
        let reading = Reading::new(wanted);
        // By columns every read takes a piece of each: the longer, the fewer.
        let most = if self.by_rows { wanted.block.min(BLOCK) } else { wanted.block };
        let size = rows_in(most, self.d().saturating_mul(self.array.of.size.max(4)));
        let mut first = 0;
        Ok(Box::new(std::iter::from_fn(move || {
            let rows = usize::try_from(self.rows - first).unwrap_or(size).min(size);
            if rows == 0 {
                return None;
            }
            let block = self.block(&reading, first, rows);
            first += rows as u64;
            Some(block)
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn file(header: &str, values: &[u8]) -> Vec<u8> {
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), values].concat()
    }

    fn array(header: &str, values: &[u8]) -> Result<Array> {
        Array::read(Positioned::Memory(file(header, values)))
    }

    fn rows(
        array: Array,
        orientation: Orientation,
        wanted: &[usize],
        block: usize,
    ) -> Vec<Vec<f64>> {
        let matrix = Matrix::new(array, None, orientation).unwrap();
        let texts = vec![Place::Column(0)];
        let wanted = Wanted { numbers: wanted.to_vec(), texts, block };
        let mut rows = Vec::new();
        for block in matrix.blocks(&wanted).unwrap() {
            let block = block.unwrap();
            let values: Vec<f64> = match block.values {
                Values::F32(values) => values.into_iter().map(f64::from).collect(),
                Values::F64(values) => values,
            };
            for (row, cell) in values.chunks(wanted.numbers.len()).zip(&block.texts[0]) {
                let first: f64 = String::from_utf8(cell.clone().unwrap()).unwrap().parse().unwrap();
                rows.push([&[first], row].concat());
            }
        }
        rows
    }

    #[test]
    fn orders_orientations_and_blocks() {
        let bytes: Vec<u8> = (1..=6).flat_map(|i| (i as f32).to_be_bytes()).collect();
        let header = |order: &str| {
            format!("{{'descr': '>f4', 'fortran_order': {order}, 'shape': (2, 3), }}")
        };
        let read = |order, orientation, wanted: &[usize], block| {
            rows(array(&header(order), &bytes).unwrap(), orientation, wanted, block)
        };
        use Orientation::{FeaturesAsRows, SamplesAsRows};
        for block in [1, 1 << 20] {
            assert_eq!(
                read("False", SamplesAsRows, &[0, 2], block),
                [[1.0, 1.0, 3.0], [4.0, 4.0, 6.0]]
            );
            assert_eq!(
                read("True", SamplesAsRows, &[0, 2], block),
                [[1.0, 1.0, 5.0], [2.0, 2.0, 6.0]]
            );
            assert_eq!(
                read("False", FeaturesAsRows, &[1], block),
                [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
            );
            assert_eq!(
                read("True", FeaturesAsRows, &[1], block),
                [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
            );
        }
    }

    #[test]
    fn all_types_of_numbers() {
        let cells = |descr: &str, bytes: &[u8]| -> Vec<Option<String>> {
            let size =
                descr[2..].parse::<usize>().unwrap() * if descr.contains('U') { 4 } else { 1 };
            let n = bytes.len() / size;
            let header =
                format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({n},), }}");
            let cells = array(&header, bytes).unwrap().cells().unwrap();
            cells
                .into_iter()
                .map(|cell| cell.map(|text| String::from_utf8(text).unwrap()))
                .collect()
        };
        let some = |texts: &[&str]| texts.iter().map(|t| Some(t.to_string())).collect::<Vec<_>>();
        assert_eq!(cells("|i1", &[1, 255]), some(&["1", "-1"]));
        assert_eq!(cells("|u1", &[1, 255]), some(&["1", "255"]));
        assert_eq!(cells("|b1", &[0, 1]), some(&["0", "1"]));
        assert_eq!(cells(">i2", &[0xff, 0xfe]), some(&["-2"]));
        assert_eq!(cells("<u2", &[0xff, 0xfe]), some(&["65279"]));
        assert_eq!(cells("<i4", &(-7i32).to_le_bytes()), some(&["-7"]));
        assert_eq!(cells(">u4", &u32::MAX.to_be_bytes()), some(&["4294967295"]));
        assert_eq!(cells("<i8", &(-(1i64 << 53)).to_le_bytes()), some(&["-9007199254740992"]));
        assert_eq!(cells("<u8", &7u64.to_le_bytes()), some(&["7"]));
        assert_eq!(cells(">f8", &0.1f64.to_be_bytes()), some(&["0.1"]));
        // As numpy prints them: 1.5, -2^-24, 65504, NaN, infinity.
        let halves: Vec<u8> = [0x3e00u16, 0x8001, 0x7bff, 0x7e00, 0x7c00]
            .iter()
            .flat_map(|h| h.to_le_bytes())
            .collect();
        let least = (-(2f64.powi(-24))).to_string();
        let expected = [some(&["1.5", &least, "65504"]), vec![None, None]].concat();
        assert_eq!(cells("<f2", &halves), expected);
        assert_eq!(
            cells("|S3", b"ab\0\0\0\0cde"),
            [some(&["ab"]), vec![None], some(&["cde"])].concat()
        );
        let word = |c: char| u32::from(c).to_be_bytes();
        let words = [word('\u{e9}'), word('\0'), word('x'), word('y')].concat();
        assert_eq!(cells(">U2", &words), some(&["\u{e9}", "xy"]));
    }

    #[test]
    fn what_is_no_array() {
        let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
        assert!(array(good, &[0; 8]).is_ok());
        assert!(array("{\"shape\":(1L,2L),'fortran_order':True,'descr':'<f4'}\n", &[0; 8]).is_ok());
        let vast = u64::MAX.to_string();
        for (header, values) in [
            (good.to_owned(), 7),
            (good.to_owned(), 9),
            (good.replace("(1, 2)", &format!("({vast}, {vast})")), 8),
            (good.replace("(1, 2)", &format!("({vast}0, 2)")), 8),
            (good.replace("(1, 2)", "(-1, 2)"), 8),
            (good.replace("<f4", "|O"), 8),
            (good.replace("<f4", "<c8"), 8),
            (good.replace("<f4", "<f16"), 8),
            (good.replace("'<f4'", "[('a', '<f4')]"), 8),
            (good.replace("False", "Fortran"), 8),
            (good.replace('}', ""), 8),
            (good.replace("'shape'", "'shapes'"), 8),
            ("(".repeat(9000), 8),
            (String::new(), 0),
        ] {
            let error = array(&header, &vec![0; values]).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Input, "{header}");
        }
        for bytes in
            [&b""[..], MAGIC, b"\x93NUMPY\x02\0\xff\xff\xff\xff{", b"\x93NUMPY\x09\0\0\0\0\0"]
        {
            let error = Array::read(Positioned::Memory(bytes.to_vec())).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Input);
        }
        let matrix = |shape: &str, values: usize| {
            let array = array(&good.replace("(1, 2)", shape), &vec![0; values]).unwrap();
            Matrix::new(array, None, Orientation::SamplesAsRows).map(|_| ())
        };
        for (shape, values) in [("(2,)", 8), ("(1, 1, 2)", 8), ("()", 4), ("(0, 2147483647)", 0)] {
            assert_eq!(matrix(shape, values).unwrap_err().kind(), ErrorKind::Input, "{shape}");
        }
    }
}
