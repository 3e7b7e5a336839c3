//! Chunks of columns as bytes: some rows of a few features, with the targets of these rows.
//!
//! They are for engines that bring all rows of a column together: one machine reads the table row
//! by row, and another machine receives columns. The chunks of a column may be joined in any order,
//! since each contains its own targets.
//!
//! # Form
//!
//! Little-endian, without gaps: the number of rows (8 bytes), the number of features (8), the
//! target of each row (4), then for each feature the bytes that one of its values takes (1) and its
//! values. A column of a chunk whose values all are exactly an `f32` takes 4 bytes for each,
//! otherwise 8. Words are the NaNs that they are in memory.

use crate::error::{Error, Result};
use crate::table::columns::Columns;
use crate::table::held_columns::{is_narrow, widened};

/// The bytes of a narrow value and of a wide one.
const NARROW: u8 = 4;
const WIDE: u8 = 8;

/// The chunk of these features, with the target of each row.
pub(crate) fn chunk(columns: &dyn Columns, features: &[usize], targets: &[i32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in [targets.len(), features.len()] {
        bytes.extend((number as u64).to_le_bytes());
    }
    targets.iter().for_each(|target| bytes.extend(target.to_le_bytes()));
    let mut values = Vec::new();
    for &feature in features {
        columns.column(feature, &mut values);
        if values.iter().all(|value| is_narrow(*value)) {
            bytes.push(NARROW);
            bytes.extend(values.iter().flat_map(|value| (*value as f32).to_le_bytes()));
        } else {
            bytes.push(WIDE);
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
    }
    bytes
}

/// The columns of some features, joined from their chunks.
pub(crate) struct Chunks<'a> {
    features: usize,
    /// The values of each chunk by feature, with the bytes that one takes.
    chunks: Vec<Vec<(u8, &'a [u8])>>,
}

impl<'a> Chunks<'a> {
    /// Joins chunks of the same features, and their targets.
    ///
    /// # Errors
    ///
    /// `Input` if one is damaged, or of another number of features.
    pub(crate) fn join(chunks: impl IntoIterator<Item = &'a [u8]>) -> Result<(Self, Vec<i32>)> {
        let (mut all, mut targets) = (Vec::new(), Vec::new());
        for bytes in chunks {
            let read = Reader { bytes }.chunk(&mut targets);
            all.push(read.ok_or_else(|| Error::input("a chunk of columns is damaged"))?);
        }
        let features = all.first().map_or(0, Vec::len);
        if all.iter().any(|chunk| chunk.len() != features) {
            return Err(Error::input("chunks of different columns cannot be joined"));
        }
        Ok((Self { features, chunks: all }, targets))
    }
}

impl Columns for Chunks<'_> {
    fn features(&self) -> usize {
        self.features
    }

    fn column(&self, feature: usize, values: &mut Vec<f64>) {
        values.clear();
        for chunk in &self.chunks {
            let (width, bytes) = chunk[feature];
            if width == NARROW {
                let (narrow, _) = bytes.as_chunks();
                values.extend(narrow.iter().map(|value| widened(f32::from_le_bytes(*value))));
            } else {
                let (wide, _) = bytes.as_chunks();
                values.extend(wide.iter().map(|value| f64::from_le_bytes(*value)));
            }
        }
    }
}

/// The unread rest of a chunk.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, left) = self.bytes.split_at_checked(count)?;
        self.bytes = left;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        let (number, left) = self.bytes.split_first_chunk()?;
        self.bytes = left;
        usize::try_from(u64::from_le_bytes(*number)).ok()
    }

    /// The values of each feature; targets are appended.
    fn chunk(mut self, targets: &mut Vec<i32>) -> Option<Vec<(u8, &'a [u8])>> {
        let (rows, features) = (self.number()?, self.number()?);
        let (coded, _) = self.take(rows.checked_mul(4)?)?.as_chunks();
        targets.extend(coded.iter().map(|target| i32::from_le_bytes(*target)));
        let mut columns = Vec::new();
        for _ in 0..features {
            let width = *self.take(1)?.first()?;
            if width != NARROW && width != WIDE {
                return None;
            }
            columns.push((width, self.take(rows.checked_mul(width.into())?)?));
        }
        self.bytes.is_empty().then_some(columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::held_columns::HeldColumns;
    use crate::table::word::word;

    /// Columns of every kind of value: narrow, wide, missing, words.
    fn rows(n: usize) -> Vec<[f64; 4]> {
        let row = |i: usize| {
            let value = i as f64 - 2.5;
            let word = if i.is_multiple_of(2) { word(b"yes") } else { f64::NAN };
            [value, value / 3.0, word, if i == 1 { f64::INFINITY } else { -0.0 }]
        };
        (0..n).map(row).collect()
    }

    fn bits(columns: &impl Columns, feature: usize) -> Vec<u64> {
        columns.to_vec(feature).into_iter().map(f64::to_bits).collect()
    }

    #[test]
    fn joined_chunks_are_the_columns() {
        let rows = rows(7);
        let part = |from: usize, to: usize| {
            let targets: Vec<i32> = (from as i32..to as i32).map(|i| i - 3).collect();
            chunk(&HeldColumns::of_rows(4, &rows[from..to]), &[3, 1, 2, 0], &targets)
        };
        let (first, second) = (part(0, 3), part(3, 7));
        // The header, the targets, and three columns: one of doubles and words, and two narrow
        // ones.
        assert_eq!(first.len(), 16 + 3 * 4 + 4 + 3 * (4 + 8 + 8 + 4));
        let (joined, targets) = Chunks::join([&first[..], &second[..]]).unwrap();
        assert_eq!(targets, [-3, -2, -1, 0, 1, 2, 3]);
        let whole = HeldColumns::of_rows(4, &rows);
        for (place, feature) in [3, 1, 2, 0].into_iter().enumerate() {
            assert_eq!(bits(&joined, place), bits(&whole, feature));
        }
        let (turned, targets) = Chunks::join([&second[..], &first[..]]).unwrap();
        assert_eq!(targets, [0, 1, 2, 3, -3, -2, -1]);
        assert_eq!(bits(&turned, 0)[4..], bits(&joined, 0)[..3]);
        assert_eq!(Chunks::join([]).unwrap().0.features(), 0);
    }

    #[test]
    fn damage_is_refused() {
        let rows = rows(3);
        let whole = chunk(&HeldColumns::of_rows(4, &rows), &[0, 1], &[1, 2, 3]);
        let refused = |bytes: &[u8]| Chunks::join([bytes]).is_err();
        assert!(!refused(&whole));
        (0..whole.len()).for_each(|end| assert!(refused(&whole[..end])));
        assert!(refused(&[&whole[..], &[0]].concat()));
        // Sizes beyond memory, and a width of 0.
        for (place, byte) in [(7, 0xff), (6, 0x10), (15, 0xff), (28, 5)] {
            let mut damaged = whole.clone();
            damaged[place] = byte;
            assert!(refused(&damaged), "{place}");
        }
        let other = chunk(&HeldColumns::of_rows(4, &rows), &[0], &[1, 2, 3]);
        assert!(Chunks::join([&whole[..], &other[..]]).is_err());
    }
}
