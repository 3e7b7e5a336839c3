//! The elements of numpy's arrays.

use crate::error::{Error, Result};
use crate::table::block_table::{RowValues, TextCell};

/// The kind of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Float,
    Integer,
    Unsigned,
    /// 0 and 1.
    Boolean,
    /// UTF-32.
    Unicode,
    Bytes,
}

/// The type of the elements of an array.
#[derive(Debug, Clone, Copy)]
pub(super) struct Type {
    pub(super) kind: Kind,
    /// The size of an element, in bytes.
    pub(super) size: usize,
    big_endian: bool,
}

impl Type {
    /// Parses a type such as `<f4`, `|b1` or `<U7`.
    pub(super) fn parse(descr: &str) -> Result<Self> {
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
            // Longer texts are not labels.
            Kind::Unicode | Kind::Bytes => *size <= 1 << 20,
        };
        Ok(Self { kind, size: size.filter(known).ok_or_else(unread)?, big_endian })
    }

    /// Decodes elements as numbers; integers beyond 2^53 are rounded, as in text.
    pub(super) fn decode(&self, bytes: &[u8], out: &mut Vec<f64>) {
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

    /// The digits of integers that a float would round; `None` for other elements.
    pub(super) fn wide_integers(&self, bytes: &[u8]) -> Option<Vec<TextCell>> {
        let mut cells = Vec::new();
        let text = |digits: String| Some(digits.into_bytes());
        match (self.kind, self.size) {
            (Kind::Integer, 8) => {
                self.each(bytes, &mut cells, |b| text(i64::from_le_bytes(b).to_string()));
            }
            (Kind::Unsigned, 8) => {
                self.each(bytes, &mut cells, |b| text(u64::from_le_bytes(b).to_string()));
            }
            _ => return None,
        }
        Some(cells)
    }

    /// Zeros of the type that holds these elements.
    pub(super) fn values(&self, length: usize) -> RowValues {
        match (self.kind, self.size) {
            (Kind::Float, 4) => RowValues::F32(vec![0.0; length]),
            _ => RowValues::F64(vec![0.0; length]),
        }
    }

    /// Floats of four bytes as they are, all others as `f64`.
    pub(super) fn decode_into(&self, bytes: &[u8], out: &mut RowValues) {
        match out {
            RowValues::F32(out) => self.each(bytes, out, f32::from_le_bytes),
            RowValues::F64(out) => self.decode(bytes, out),
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

    /// A text without its padding of NUL; no text is missing. Bytes that are not Unicode become
    /// U+FFFD.
    pub(super) fn text(&self, element: &[u8]) -> TextCell {
        let text = match self.kind {
            Kind::Unicode => {
                let letter = |&(mut word): &[u8; 4]| {
                    if self.big_endian {
                        word.reverse();
                    }
                    char::from_u32(u32::from_le_bytes(word)).unwrap_or(char::REPLACEMENT_CHARACTER)
                };
                element.as_chunks().0.iter().map(letter).collect::<String>().into_bytes()
            }
            _ => element.to_vec(),
        };
        let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        Some(text[..end].to_vec()).filter(|text| !text.is_empty())
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
