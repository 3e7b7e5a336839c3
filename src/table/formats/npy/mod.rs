//! numpy's `.npy`: one array.
//!
//! Eight bytes - `\x93NUMPY` and the version - and the length of the header in two bytes
//! (version 1) or four (2 and 3), little-endian; the header, a Python dictionary of `descr` (the
//! type, as `<f4`), `fortran_order` and `shape`; then the values. Rows are read in blocks by their
//! place, so that memory is bounded for any file: in C order a block is one read, in
//! Fortran order one read a column.
//!
//! The header has three keys and is parsed here. Crates for the format bring a parser of Python
//! along, and `npyz` multiplies the given shape unchecked, which panics with overflow checks.

mod element;
mod matrix;

use std::path::Path;

use crate::error::{Error, Result};
use crate::table::block_table::{TextCell, number_cell};
use crate::table::formats::positioned::{Positioned, too_short};
use element::{Kind, Type};
pub(crate) use matrix::Matrix;

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";
/// numpy's own limit is 10,000 bytes; headers of matrices have some hundred.
const MAX_HEADER: u64 = 1 << 14;

/// An array in a file, whose header has been read.
#[derive(Debug)]
pub(crate) struct Array {
    bytes: Positioned,
    /// The offset of the values.
    start: u64,
    of: Type,
    fortran: bool,
    shape: Vec<u64>,
}

fn malformed(rule: &str) -> Error {
    Error::input(format!("the .npy file is malformed: {rule}"))
}

impl Array {
    /// Reads the header and checks the length of the file.
    ///
    /// # Errors
    ///
    /// `Input` for another kind of file, if it is shorter or longer than its header declares, or
    /// has elements other than numbers and texts; `Io` if it cannot be read.
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
            std::str::from_utf8(&header).map_err(|_| malformed("its header is not text"))?;
        let Header { of, fortran, shape } = Header::parse(header)?;
        let start = text + u64::from(length);
        let elements = shape.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
        let size = elements.and_then(|n| n.checked_mul(of.size as u64)?.checked_add(start));
        match size.ok_or_else(too_short)? {
            size if size > bytes.len() => return Err(too_short()),
            size if size < bytes.len() => return Err(malformed("data follow its array")),
            _ => {}
        }
        Ok(Self { bytes, start, of, fortran, shape })
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.of.kind, Kind::Unicode | Kind::Bytes)
    }

    /// Reads the cells of a one-dimensional array.
    ///
    /// # Errors
    ///
    /// `Input` if it has several; as for reading.
    pub(super) fn cells(&self) -> Result<Vec<TextCell>> {
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
            return Ok(bytes.chunks_exact(self.of.size).map(|cell| self.of.text(cell)).collect());
        }
        if let Some(cells) = self.of.wide_integers(&bytes) {
            return Ok(cells);
        }
        let mut values = Vec::new();
        self.of.decode(&bytes, &mut values);
        Ok(values.into_iter().map(number_cell).collect())
    }
}

/// Reads a vector of targets, and whether it is of numbers.
///
/// # Errors
///
/// As for an array.
pub(crate) fn read_vector(path: &Path) -> Result<(Vec<TextCell>, bool)> {
    let array = Array::read(Positioned::open(path)?)?;
    Ok((array.cells()?, !array.is_text()))
}

struct Header {
    of: Type,
    fortran: bool,
    shape: Vec<u64>,
}

impl Header {
    /// Parses the dictionary: three keys, whose values are a text, a boolean and a tuple of
    /// integers.
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

/// A quoted text at the start, without escapes, and the rest.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote).filter(|(inside, _)| !inside.contains('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::table::block_table::{BlockTable, RowValues, TextPlace, Wanted};
    use crate::table::schema::Orientation;

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
        let texts = vec![TextPlace::Column(0)];
        let wanted = Wanted { numbers: wanted.to_vec(), texts, block, ..Wanted::default() };
        let mut rows = Vec::new();
        for block in matrix.blocks(&wanted).unwrap() {
            let block = block.unwrap();
            let values: Vec<f64> = match block.values {
                RowValues::F32(values) => values.into_iter().map(f64::from).collect(),
                RowValues::F64(values) => values,
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
    fn malformed_arrays_are_refused() {
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
