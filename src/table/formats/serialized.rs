//! R's serialization in its XDR form: what `save` and `saveRDS` write, after decompression.
//!
//! Big-endian. A header: `X\n`, the format's version (2 or 3), the writer's and the oldest reader's
//! version, and for 3 the native encoding. Then one item. An item starts with flags: the type in
//! bits 0 to 7, whether there are attributes in bit 9 and a tag in bit 10. A vector is its length
//! and its elements, then its attributes as a pairlist; a pairlist is attributes, tag, value and
//! the rest of the list. Symbols are numbered in the order they come and referred to by number
//! afterwards. (R Internals, "Serialization Formats".)
//!
//! Only the types of data are read: vectors, factors, lists, pairlists, symbols, and the compact
//! sequences and wrappers of version 3. Anything else - functions, environments, S4 objects - is
//! refused. Allocations are bounded by the size of the input, and nesting is limited.

use std::rc::Rc;

use crate::error::{Error, Result};

/// The deepest nesting of lists; data have three levels or four.
const MAX_DEPTH: usize = 32;
/// The number of integers that compact sequences may stand for, all together, in any file and for
/// each byte of it: the file does not hold them.
const MAX_SEQUENCES: usize = 1 << 23;
const MAX_SEQUENCES_PER_BYTE: usize = 8;
/// R's missing integer and logical.
pub(crate) const NA_INTEGER: i32 = i32::MIN;

/// A value of R with its attributes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object {
    pub(crate) value: ObjectValue,
    attributes: Vec<(Rc<str>, Object)>,
}

/// The types of values that hold data.
#[derive(Debug, Clone, Default)]
pub(crate) enum ObjectValue {
    #[default]
    Null,
    /// Logicals and integers, `NA` as [`NA_INTEGER`]; a factor's codes.
    Integers(Vec<i32>),
    Reals(Vec<f64>),
    /// `None` is `NA`.
    Strings(Vec<Option<Rc<str>>>),
    List(Vec<Object>),
    /// Name and value; the name may be empty.
    Pairs(Vec<(Rc<str>, Object)>),
    Symbol(Rc<str>),
    /// Complex numbers or bytes, which are not values of a table.
    Other,
}

impl Object {
    /// The attribute of this name.
    pub(crate) fn attribute(&self, name: &str) -> Option<&Object> {
        self.attributes.iter().find(|(other, _)| &**other == name).map(|(_, object)| object)
    }

    /// The texts, if it is a vector of strings.
    pub(crate) fn strings(&self) -> Option<&[Option<Rc<str>>]> {
        match &self.value {
            ObjectValue::Strings(strings) => Some(strings),
            _ => None,
        }
    }

    /// The value of this name in a list or a pairlist.
    pub(crate) fn member(&self, name: &str) -> Option<&Object> {
        match &self.value {
            ObjectValue::List(items) => {
                let names = self.attribute("names")?.strings()?;
                let place = names.iter().position(|other| other.as_deref() == Some(name))?;
                items.get(place)
            }
            ObjectValue::Pairs(pairs) => {
                pairs.iter().find(|(other, _)| &**other == name).map(|(_, object)| object)
            }
            _ => None,
        }
    }
}

/// Reads the one item of a serialization.
///
/// # Errors
///
/// `Input` if it ends too early, goes on, or holds invalid data.
pub(crate) fn read(bytes: &[u8]) -> Result<Object> {
    let sequences = bytes.len().saturating_mul(MAX_SEQUENCES_PER_BYTE).max(MAX_SEQUENCES);
    let mut reader = Reader { rest: bytes, symbols: Vec::new(), sequences };
    reader.header()?;
    let object = reader.item(0)?;
    if !reader.rest.is_empty() {
        return Err(damaged("more data than R's format allows"));
    }
    Ok(object)
}

fn damaged(what: &str) -> Error {
    Error::input(format!("the R file is damaged: {what}"))
}

fn no_data() -> Error {
    Error::input("the R file holds more than data: functions, environments or S4 objects")
}

struct Reader<'a> {
    rest: &'a [u8],
    symbols: Vec<Rc<str>>,
    /// The number of integers that further sequences may have.
    sequences: usize,
}

struct Flags {
    kind: u8,
    attributes: bool,
    tag: bool,
    /// The number of the symbol, where an item refers to one; 0 where the number follows.
    reference: usize,
}

impl<'a> Reader<'a> {
    fn header(&mut self) -> Result<()> {
        if self.take(2)? != b"X\n" {
            return Err(damaged("it is not in R's XDR format"));
        }
        let version = self.integer()?;
        self.take(8)?;
        match version {
            2 => Ok(()),
            3 => {
                let length = self.length()?;
                self.take(length).map(|_| ())
            }
            _ => Err(Error::input("the R file is of a version other than 2 and 3")),
        }
    }

    fn take(&mut self, bytes: usize) -> Result<&'a [u8]> {
        let (taken, rest) =
            self.rest.split_at_checked(bytes).ok_or_else(|| damaged("it ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn word<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.take(N)?;
        <[u8; N]>::try_from(bytes).map_err(|_| damaged("it ends too early"))
    }

    fn integer(&mut self) -> Result<i32> {
        self.word().map(i32::from_be_bytes)
    }

    /// A length; -1: it follows in two words.
    fn length(&mut self) -> Result<usize> {
        let length = match self.integer()? {
            -1 => self.word().map(i64::from_be_bytes)?,
            short => i64::from(short),
        };
        usize::try_from(length).map_err(|_| damaged("a negative length"))
    }

    /// The bytes of a vector whose elements have `size` bytes.
    fn elements(&mut self, size: usize) -> Result<&'a [u8]> {
        let length = self.length()?;
        self.take(length.checked_mul(size).ok_or_else(|| damaged("it ends too early"))?)
    }

    fn flags(&mut self) -> Result<Flags> {
        let flags = u32::from_be_bytes(self.word()?);
        Ok(Flags {
            kind: (flags & 0xff) as u8,
            attributes: flags & 1 << 9 != 0,
            tag: flags & 1 << 10 != 0,
            reference: (flags >> 8) as usize,
        })
    }

    fn item(&mut self, depth: usize) -> Result<Object> {
        let flags = self.flags()?;
        self.item_with(&flags, depth)
    }

    fn item_with(&mut self, flags: &Flags, depth: usize) -> Result<Object> {
        if depth > MAX_DEPTH {
            return Err(Error::input("the R file nests lists too deeply for a table"));
        }
        let value = match flags.kind {
            // R_NilValue, and the global, the empty and the base environments contain no data.
            241 | 242 | 253 | 254 => ObjectValue::Null,
            1 | 255 => return self.symbol(flags).map(|name| ObjectValue::Symbol(name).into()),
            2 => return self.pairs(flags, depth).map(|pairs| ObjectValue::Pairs(pairs).into()),
            10 | 13 => {
                let bytes = self.elements(4)?.as_chunks().0;
                ObjectValue::Integers(bytes.iter().map(|word| i32::from_be_bytes(*word)).collect())
            }
            14 => {
                let bytes = self.elements(8)?.as_chunks().0;
                ObjectValue::Reals(bytes.iter().map(|word| f64::from_be_bytes(*word)).collect())
            }
            15 => {
                self.elements(16)?;
                ObjectValue::Other
            }
            24 => {
                self.elements(1)?;
                ObjectValue::Other
            }
            16 => {
                let length = self.counted(4)?;
                let strings = (0..length).map(|_| self.string());
                ObjectValue::Strings(strings.collect::<Result<_>>()?)
            }
            19 => {
                let length = self.counted(4)?;
                let items = (0..length).map(|_| self.item(depth + 1));
                ObjectValue::List(items.collect::<Result<_>>()?)
            }
            238 => return self.compact(depth),
            _ => return Err(no_data()),
        };
        let nothing = matches!(value, ObjectValue::Null);
        let attributes =
            if flags.attributes && !nothing { self.attributes(depth)? } else { vec![] };
        Ok(Object { value, attributes })
    }

    /// The length of a vector whose elements take at least `least` bytes each.
    fn counted(&mut self, least: usize) -> Result<usize> {
        let length = self.length()?;
        if length > self.rest.len() / least {
            return Err(damaged("it ends too early"));
        }
        Ok(length)
    }

    fn string(&mut self) -> Result<Option<Rc<str>>> {
        match self.flags()?.kind {
            9 => self.text(),
            _ => Err(damaged("an invalid string")),
        }
    }

    fn text(&mut self) -> Result<Option<Rc<str>>> {
        let length = self.integer()?;
        if length == -1 {
            return Ok(None);
        }
        let length = usize::try_from(length).map_err(|_| damaged("a negative length"))?;
        let bytes = self.take(length)?;
        Ok(Some(match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            // Older files: Latin-1, whose bytes are the first 256 characters.
            Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
        }))
    }

    /// A symbol, or the number of an earlier one.
    fn symbol(&mut self, flags: &Flags) -> Result<Rc<str>> {
        if flags.kind == 1 {
            let name = self.string()?.ok_or_else(|| damaged("a name is missing"))?;
            self.symbols.push(name.clone());
            return Ok(name);
        }
        let number = match flags.reference {
            0 => self.length()?,
            number => number,
        };
        let symbol = number.checked_sub(1).and_then(|place| self.symbols.get(place));
        symbol.cloned().ok_or_else(|| damaged("a reference leads nowhere"))
    }

    /// A pairlist whose first flags have been read. (Its own attributes contain no data.)
    fn pairs(&mut self, first: &Flags, depth: usize) -> Result<Vec<(Rc<str>, Object)>> {
        let mut pairs = Vec::new();
        let (mut kind, mut attributes, mut tag) = (first.kind, first.attributes, first.tag);
        while kind == 2 {
            if attributes {
                self.item(depth + 1)?;
            }
            let name = if tag {
                let flags = self.flags()?;
                if !matches!(flags.kind, 1 | 255) {
                    return Err(damaged("an invalid name"));
                }
                self.symbol(&flags)?
            } else {
                "".into()
            };
            pairs.push((name, self.item(depth + 1)?));
            let next = self.flags()?;
            (kind, attributes, tag) = (next.kind, next.attributes, next.tag);
        }
        if kind != 254 {
            return Err(no_data());
        }
        Ok(pairs)
    }

    fn attributes(&mut self, depth: usize) -> Result<Vec<(Rc<str>, Object)>> {
        match self.item(depth + 1)?.value {
            ObjectValue::Pairs(pairs) => Ok(pairs),
            ObjectValue::Null => Ok(Vec::new()),
            _ => Err(damaged("invalid attributes")),
        }
    }

    /// Version 3's compact forms: a pairlist that starts with the name of the form, its state, and
    /// attributes. Understood: integers in steps of one or minus one, and wrappers around a vector.
    fn compact(&mut self, depth: usize) -> Result<Object> {
        let form = match self.item(depth + 1)?.value {
            ObjectValue::Pairs(pairs) => match pairs.into_iter().next() {
                Some((_, Object { value: ObjectValue::Symbol(form), .. })) => form,
                _ => return Err(damaged("a compact form without a name")),
            },
            _ => return Err(damaged("a compact form without a name")),
        };
        let state = self.item(depth + 1)?;
        let attributes = self.attributes(depth)?;
        let value = match (&*form, state.value) {
            ("compact_intseq", ObjectValue::Reals(state)) => self.sequence(&state)?,
            ("wrap_integer" | "wrap_real" | "wrap_logical" | "wrap_string", state) => {
                let first = match state {
                    ObjectValue::List(items) => items.into_iter().next(),
                    ObjectValue::Pairs(pairs) => pairs.into_iter().next().map(|(_, object)| object),
                    _ => None,
                };
                first.ok_or_else(|| damaged("a wrapper around nothing"))?.value
            }
            _ => {
                return Err(Error::input("the R file holds a compact form that is not understood"));
            }
        };
        Ok(Object { value, attributes })
    }

    /// n integers from the first, each one above or below the last.
    fn sequence(&mut self, state: &[f64]) -> Result<ObjectValue> {
        let &[n, first, step] = state else { return Err(damaged("a sequence without its ends")) };
        let last = first + step * n;
        let possible = (0.0..=self.sequences as f64).contains(&n) && (step == 1.0 || step == -1.0);
        if !(possible && first.abs() < i32::MAX.into() && last.abs() < i32::MAX.into()) {
            return Err(damaged("an invalid sequence"));
        }
        self.sequences -= n as usize;
        let (first, step) = (first as i32, step as i32);
        Ok(ObjectValue::Integers((0..n as i32).map(|i| first + step * i).collect()))
    }
}

impl From<ObjectValue> for Object {
    fn from(value: ObjectValue) -> Self {
        Self { value, attributes: Vec::new() }
    }
}
