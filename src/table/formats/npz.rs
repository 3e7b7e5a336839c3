//! numpy's `.npz`: a zip archive of arrays, stored or deflated.
//!
//! The features are the array `X`, `x` or `data`, or the only matrix; the target is `y` or
//! `target`; the names of the features are `feature_names`, `names` or `columns`. A stored array is
//! read in blocks, like a `.npy`; a deflated one is held in memory.
//!
//! The part of the zip format that numpy writes is supported: one directory at the end, with 64-bit
//! sizes if needed; no encryption. (PKWARE's APPNOTE, 4.3.)

use std::io::Read;

use crate::error::{Error, Result};
use crate::table::block_table::TextCell;
use crate::table::formats::npy::{Array, Matrix};
use crate::table::formats::positioned::Positioned;
use crate::table::schema::Orientation;

const FEATURES: [&str; 3] = ["X", "x", "data"];
const TARGET: [&str; 2] = ["y", "target"];
const NAMES: [&str; 3] = ["feature_names", "names", "columns"];

/// The largest directory, in bytes: some ten thousand arrays.
const MAX_DIRECTORY: u64 = 1 << 20;
/// The largest end of the directory, in bytes: with the longest comment.
const MAX_END: u64 = 22 + (1 << 16) + 20;

fn malformed() -> Error {
    Error::input("the .npz file is malformed: it is not a complete zip archive of arrays")
}

/// The matrix of an archive, with the targets and names that stand outside it.
///
/// # Errors
///
/// `Input` if the archive is malformed or does not hold these arrays; `Io` if it cannot be read.
pub(super) fn read(bytes: Positioned, orientation: Orientation) -> Result<Matrix> {
    let entries = directory(&bytes)?;
    let find = |names: &[&str]| {
        let found = names.iter().filter_map(|name| {
            entries.iter().find(|entry| entry.name.strip_suffix(".npy") == Some(name))
        });
        found.collect::<Vec<_>>()
    };
    let one = |names: &[&str]| match find(names).as_slice() {
        [] => Ok(None),
        [one] => one.array(&bytes).map(Some),
        _ => {
            let rule = format!("the .npz file holds more than one of {}", names.join(", "));
            Err(Error::input(rule))
        }
    };
    let features = one(&FEATURES)?.ok_or_else(|| {
        Error::input(format!("the .npz file holds none of {}", FEATURES.join(", ")))
            .hint("in numpy: np.savez(file, X=x, y=y, feature_names=names)")
    })?;
    let text = |cell: TextCell| {
        let name = cell.map(|name| String::from_utf8(name).ok().filter(|n| !n.contains('\0')));
        name.flatten().ok_or_else(|| Error::input("a feature's name is empty or not UTF-8"))
    };
    let names = one(&NAMES)?.map(|array| array.cells()?.into_iter().map(text).collect());
    let matrix = Matrix::new(features, names.transpose()?, orientation)?;
    match one(&TARGET)? {
        Some(target) => matrix.with_target(target.cells()?, !target.is_text()),
        None => Ok(matrix),
    }
}

/// An array in the archive.
struct Entry {
    name: String,
    method: u16,
    encrypted: bool,
    crc: u32,
    compressed: u64,
    size: u64,
    header: u64,
}

/// A little-endian number of two, four or eight bytes.
fn number(bytes: &[u8], place: usize, size: usize) -> Result<u64> {
    let part = bytes.get(place..).and_then(|rest| rest.get(..size)).ok_or_else(malformed)?;
    Ok(part.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

fn directory(file: &Positioned) -> Result<Vec<Entry>> {
    let from = file.len().saturating_sub(MAX_END);
    let end = file.bytes(from, MAX_END)?;
    // The signature may also stand in the fields of this record, or in the comment that ends the
    // file.
    let is_end = |place: &usize| {
        let comment = number(&end, place + 20, 2);
        end[*place..].starts_with(b"PK\x05\x06")
            && comment.is_ok_and(|comment| place + 22 + comment as usize == end.len())
    };
    let place = (0..end.len()).rev().find(is_end).ok_or_else(malformed)?;
    let (mut count, mut length, mut start) =
        (number(&end, place + 10, 2)?, number(&end, place + 12, 4)?, number(&end, place + 16, 4)?);
    if count == 0xffff || length == 0xffff_ffff || start == 0xffff_ffff {
        // The record before this one gives the place of the end with 64-bit numbers.
        let locator = place.checked_sub(20).ok_or_else(malformed)?;
        if !end[locator..].starts_with(b"PK\x06\x07") {
            return Err(malformed());
        }
        let end = file.bytes(number(&end, locator + 8, 8)?, 56)?;
        if !end.starts_with(b"PK\x06\x06") {
            return Err(malformed());
        }
        (count, length, start) = (number(&end, 32, 8)?, number(&end, 40, 8)?, number(&end, 48, 8)?);
    }
    if length > MAX_DIRECTORY {
        return Err(malformed());
    }
    let directory = file.bytes(start, length)?;
    let mut rest = directory.as_slice();
    let mut entries = Vec::new();
    for _ in 0..count {
        if !rest.starts_with(b"PK\x01\x02") {
            return Err(malformed());
        }
        let [name, extra, comment] = [28, 30, 32].map(|place| number(rest, place, 2));
        let (name, extra, comment) = (name? as usize, extra? as usize, comment? as usize);
        let mut entry = Entry {
            name: String::from_utf8_lossy(rest.get(46..46 + name).ok_or_else(malformed)?).into(),
            encrypted: number(rest, 8, 2)? & 1 != 0,
            method: number(rest, 10, 2)? as u16,
            crc: number(rest, 16, 4)? as u32,
            compressed: number(rest, 20, 4)?,
            size: number(rest, 24, 4)?,
            header: number(rest, 42, 4)?,
        };
        entry.widen(rest.get(46 + name..46 + name + extra).ok_or_else(malformed)?)?;
        entries.push(entry);
        rest = rest.get(46 + name + extra + comment..).ok_or_else(malformed)?;
    }
    Ok(entries)
}

impl Entry {
    /// Takes those numbers that do not fit four bytes from the extra field of type 1.
    fn widen(&mut self, mut extra: &[u8]) -> Result<()> {
        while extra.len() >= 4 {
            let (of, length) = (number(extra, 0, 2)?, number(extra, 2, 2)? as usize);
            let field = extra.get(4..4 + length).ok_or_else(malformed)?;
            if of == 1 {
                let mut place = 0;
                for value in [&mut self.size, &mut self.compressed, &mut self.header] {
                    if *value == 0xffff_ffff {
                        *value = number(field, place, 8)?;
                        place += 8;
                    }
                }
            }
            extra = &extra[4 + length..];
        }
        Ok(())
    }

    fn array(&self, file: &Positioned) -> Result<Array> {
        if self.encrypted {
            return Err(Error::input("the .npz file is encrypted"));
        }
        let header = file.bytes(self.header, 30)?;
        if !header.starts_with(b"PK\x03\x04") {
            return Err(malformed());
        }
        let after_name = 30 + number(&header, 26, 2)? + number(&header, 28, 2)?;
        let start = self.header.checked_add(after_name).ok_or_else(malformed)?;
        match self.method {
            0 if self.compressed == self.size => Array::read(file.part(start, self.size)?),
            8 => Array::read(Positioned::Memory(self.inflate(file, start)?)),
            _ => Err(Error::input("an array in the .npz file is neither stored nor deflated")),
        }
    }

    /// Decompresses a deflated array: the number of bytes in the directory, within the largest
    /// ratio of deflate.
    fn inflate(&self, file: &Positioned, start: u64) -> Result<Vec<u8>> {
        /// The largest ratio of deflate.
        const MAX_RATIO: u64 = 1032;
        let wrong = || Error::input("an array in the .npz file is damaged or ends too early");
        if self.size / MAX_RATIO > self.compressed {
            return Err(wrong());
        }
        let compressed = file.part(start, self.compressed)?.bytes(0, self.compressed)?;
        let mut bytes = Vec::new();
        let inflated = flate2::bufread::DeflateDecoder::new(compressed.as_slice())
            .take(self.size.saturating_add(1))
            .read_to_end(&mut bytes);
        let mut crc = flate2::Crc::new();
        crc.update(&bytes);
        if inflated.is_err() || bytes.len() as u64 != self.size || crc.sum() != self.crc {
            return Err(wrong());
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::error::ErrorKind;
    use crate::table::block_table::BlockTable;

    fn npy(descr: &str, shape: &str, values: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), values].concat()
    }

    fn matrix() -> Vec<u8> {
        npy("|u1", "(2, 3)", &[1, 2, 3, 4, 5, 6])
    }

    /// How an array is put into an archive.
    #[derive(Clone, Copy, Default)]
    struct Way {
        deflate: bool,
        /// Numbers in 64 bits, in the extra field and at the end.
        wide: bool,
        flags: u16,
        /// Added to the size that is given.
        more: u64,
        crc: u32,
    }

    fn zip(arrays: &[(&str, Vec<u8>)], way: Way) -> Vec<u8> {
        let (mut file, mut directory) = (Vec::new(), Vec::new());
        for (name, bytes) in arrays {
            let mut crc = flate2::Crc::new();
            crc.update(bytes);
            let mut packed = bytes.clone();
            if way.deflate {
                let level = flate2::Compression::default();
                let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
                encoder.write_all(bytes).unwrap();
                packed = encoder.finish().unwrap();
            }
            let method = if way.deflate { 8u16 } else { 0 };
            let name = format!("{name}.npy");
            let size = bytes.len() as u64 + way.more;
            let given = |number: u64| if way.wide { u32::MAX } else { number as u32 }.to_le_bytes();
            let wide =
                [size, packed.len() as u64, file.len() as u64].map(u64::to_le_bytes).concat();
            // A field of another type comes first.
            let extra = [&[9, 9, 1, 0, 7, 1, 0, 24, 0][..], &wide].concat();
            let extra: &[u8] = if way.wide { &extra } else { &[] };
            let length = |bytes: usize| u16::try_from(bytes).unwrap().to_le_bytes();
            directory.extend([b"PK\x01\x02\x2d\0\x2d\0", &way.flags.to_le_bytes()[..]].concat());
            directory.extend([&method.to_le_bytes()[..], &[0; 4]].concat());
            directory.extend((crc.sum() ^ way.crc).to_le_bytes());
            directory.extend([given(packed.len() as u64), given(size)].concat());
            directory.extend([length(name.len()), length(extra.len()), [0; 2]].concat());
            directory.extend([&[0; 8][..], &given(file.len() as u64)].concat());
            directory.extend([name.as_bytes(), extra].concat());
            file.extend([&b"PK\x03\x04"[..], &[0; 22]].concat());
            file.extend([length(name.len()), length(3)].concat());
            file.extend([name.as_bytes(), b"\0\0\0", &packed].concat());
        }
        let (start, count) = (file.len() as u64, arrays.len() as u64);
        let length = directory.len() as u64;
        file.extend(&directory);
        if way.wide {
            let end = file.len() as u64;
            file.extend([&b"PK\x06\x06"[..], &[0; 28]].concat());
            file.extend([count, length, start].map(u64::to_le_bytes).concat());
            file.extend([&b"PK\x06\x07"[..], &[0; 4], &end.to_le_bytes(), &[0; 4]].concat());
        }
        let (count, start) = if way.wide { (0xffff, u32::MAX) } else { (count, start as u32) };
        file.extend([&b"PK\x05\x06"[..], &[0; 6], &(count as u16).to_le_bytes()].concat());
        file.extend([&(length as u32).to_le_bytes()[..], &start.to_le_bytes(), &[0; 2]].concat());
        file
    }

    fn read(arrays: &[(&str, Vec<u8>)], way: Way) -> Result<Matrix> {
        super::read(Positioned::Memory(zip(arrays, way)), Orientation::SamplesAsRows)
    }

    #[test]
    fn arrays_and_names_are_read() {
        let names = npy("|S2", "(3,)", b"a\0b\0cc");
        let all = [("x", matrix()), ("target", npy("|u1", "(2,)", &[7, 8])), ("columns", names)];
        for (deflate, wide) in [(false, false), (true, false), (false, true), (true, true)] {
            let matrix = read(&all, Way { deflate, wide, ..Way::default() }).unwrap();
            assert_eq!(matrix.layout().names, ["a", "b", "cc"]);
            assert!(matrix.layout().target && matrix.layout().named);
        }
        let alone = read(&[("X", matrix()), ("other", vec![])], Way::default()).unwrap();
        assert_eq!(alone.layout().names, ["feature-1", "feature-2", "feature-3"]);
        assert!(!alone.layout().target);
    }

    #[test]
    fn invalid_archives_are_refused() {
        let x = || ("X", matrix());
        let deflate = Way { deflate: true, ..Way::default() };
        for (arrays, way, text) in [
            (vec![("z", matrix())], Way::default(), "none of X, x, data"),
            (vec![], Way::default(), "none of X, x, data"),
            (vec![x(), ("data", matrix())], Way::default(), "more than one of X, x, data"),
            (vec![x(), ("y", npy("|u1", "(3,)", &[7, 8, 9]))], Way::default(), "differ"),
            (vec![x(), ("y", matrix())], Way::default(), "one dimension"),
            (vec![x(), ("names", npy("|S1", "(2,)", b"ab"))], Way::default(), "one name for each"),
            (vec![x(), ("names", npy("|S1", "(3,)", b"a\0b"))], Way::default(), "empty"),
            (vec![x()], Way { flags: 1, ..Way::default() }, "encrypted"),
            (vec![x()], Way { more: 1, ..Way::default() }, "neither stored nor deflated"),
            (vec![x()], Way { more: 1, ..deflate }, "damaged"),
            (vec![x()], Way { crc: 1, ..deflate }, "damaged"),
            // Sizes that no deflated data can have are not requested.
            (vec![x()], Way { more: 1 << 31, ..deflate }, "damaged"),
            (vec![x()], Way { more: 1 << 62, wide: true, ..deflate }, "damaged"),
        ] {
            let error = read(&arrays, way).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Input);
            assert!(error.to_string().contains(text), "{text}: {error}");
        }
    }

    /// Every byte replaced, in both kinds of archives: an error or a table, never a panic.
    #[test]
    fn every_byte_replaced() {
        for wide in [false, true] {
            let whole = zip(&[("X", matrix())], Way { wide, ..Way::default() });
            for place in 0..whole.len() {
                for byte in [0, 1, 0x7f, 0x80, 0xff] {
                    let mut bytes = whole.clone();
                    bytes[place] = byte;
                    let _ = super::read(Positioned::Memory(bytes), Orientation::SamplesAsRows);
                }
            }
        }
    }
}
