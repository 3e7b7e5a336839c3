//! Tables with one row per person, by a column of identifiers.
//!
//! # Definition
//!
//! A row takes part if it has an identifier that no other row of the table has. Of the m rows that
//! share an identifier none takes part: two of them are left out as if they were not in the table,
//! and the other m - 2 count as rows without a usable target, as does a row without an identifier.
//! Which two are left out makes no difference. Identifiers are compared as text without surrounding
//! blanks; an empty cell, or a code for a missing value, is not an identifier.
//!
//! # Privacy
//!
//! Let p(m) be the rows that take part and u(m) the rows without a usable target of one identifier
//! with m rows: p(1) + u(1) = 1, and p(m) = 0, u(m) = m - 2 for m >= 2. One more row moves the pair
//! by 1 in L1: from m = 0 to 1 one of the two becomes 1; from 1 to 2 that one becomes 0; from then
//! on u rises by 1. So adding or removing a row changes the rows that take part by at most one row,
//! and the counts of rows by class and without a usable target by at most 1 in all: every
//! sensitivity for single rows holds as it is. (With u(m) = m the counts would move by 3 from m = 1
//! to 2; if the first of the rows took part, a row before it would exchange one for another, which
//! moves sums by twice as much.) Replacing a row removes one and adds another: rows that take part
//! may become two fewer or two more, so that their number is not public.
//!
//! Identifiers are compared by a fixed public hash of 64 bits (XXH3). The proof takes it for the
//! identifier: two texts that share a hash take no part, which among a million identifiers happens
//! with a probability of 3e-8.
//!
//! # Cost
//!
//! 8 bytes for each row, and as many again to sort them. Where columns are held in memory, they are
//! compared in the same pass; otherwise in one before it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use crate::table::batch::{Batch, Fold, Map, MapBatch};
use crate::table::cell::CellFormat;
use crate::table::people::key;
use crate::table::target::TargetCell;

/// The rows of one identifier that are left out.
const LEFT_OUT: u8 = 2;

/// The hash of the identifier of a row; `None` without one.
pub(crate) fn hash(id: Option<TargetCell<'_>>, format: &CellFormat) -> Option<u64> {
    Some(xxh3_64(key(&id?.text(), format)?))
}

/// The identifiers that several rows share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Repeated(Vec<u64>);

impl Repeated {
    /// The repeated ones among the identifiers of all rows.
    pub(crate) fn of(mut hashes: Vec<u64>) -> Self {
        hashes.sort_unstable();
        let (mut repeated, mut before) = (Vec::new(), None);
        for hash in hashes {
            if before == Some(hash) && repeated.last() != Some(&hash) {
                repeated.push(hash);
            }
            before = Some(hash);
        }
        Self(repeated)
    }

    /// Whether several rows share this identifier.
    pub(crate) fn contains(&self, hash: u64) -> bool {
        self.0.binary_search(&hash).is_ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of rows that are left out.
    pub(crate) fn left_out(&self) -> u64 {
        u64::from(LEFT_OUT) * self.0.len() as u64
    }
}

/// Collects the identifiers of rows.
pub(crate) struct Collect<'a> {
    format: &'a CellFormat,
    hashes: Vec<u64>,
}

impl<'a> Collect<'a> {
    pub(crate) fn new(format: &'a CellFormat) -> Self {
        Self { format, hashes: Vec::new() }
    }

    pub(crate) fn repeated(self) -> Repeated {
        Repeated::of(self.hashes)
    }
}

impl Fold for Collect<'_> {
    const READS_VALUES: bool = false;

    fn batch(&mut self, batch: &Batch<'_>) {
        self.hashes.extend(batch.ids.iter().filter_map(|id| hash(*id, self.format)));
    }

    fn merge(&mut self, other: Self) {
        self.hashes.extend(other.hashes);
    }
}

/// Removes the targets of rows without an identifier of their own, and leaves out two rows of each
/// shared identifier.
pub(crate) struct OneRowEach<'a> {
    format: &'a CellFormat,
    /// The identifiers that several rows share, with the number of their rows that were left out.
    repeated: HashMap<u64, AtomicU8>,
}

impl<'a> OneRowEach<'a> {
    /// For one pass.
    pub(crate) fn new(repeated: &Repeated, format: &'a CellFormat) -> Self {
        let repeated = repeated.0.iter().map(|hash| (*hash, AtomicU8::new(0))).collect();
        Self { format, repeated }
    }

    /// Whether the next row of a repeated identifier is left out.
    fn leaves_out(&self, rows: &AtomicU8) -> bool {
        let next = |out| (out < LEFT_OUT).then_some(out + 1);
        rows.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }
}

impl Map for OneRowEach<'_> {
    fn reads_values(&self) -> bool {
        false
    }

    fn start(&self) -> Box<MapBatch<'_>> {
        Box::new(|batch, sink| {
            let mut targets = batch.targets.to_vec();
            let mut left_out: Vec<bool> = (0..batch.len()).map(|i| batch.is_left_out(i)).collect();
            for place in 0..batch.len() {
                let id = batch.ids.get(place).copied().flatten();
                match hash(id, self.format).map(|hash| self.repeated.get(&hash)) {
                    Some(None) => {}
                    Some(Some(rows)) => {
                        targets[place] = None;
                        left_out[place] |= self.leaves_out(rows);
                    }
                    None => targets[place] = None,
                }
            }
            sink(&Batch { targets: &targets, left_out: &left_out, ..*batch });
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row: its identifier, if it has one, and its class, if its target is usable.
    type Row = (Option<u8>, Option<usize>);

    /// The rows that take part, and the counts of each class and of rows without a usable target.
    type Parts = (Vec<Row>, [i64; 3]);

    fn parts(rows: &[Row], rule: impl Fn(&[Row]) -> Parts) -> Parts {
        let (mut taking, counts) = rule(rows);
        taking.sort_unstable();
        (taking, counts)
    }

    fn count(counts: &mut [i64; 3], class: Option<usize>) {
        counts[class.unwrap_or(2)] += 1;
    }

    /// The definition.
    fn by_definition(rows: &[Row]) -> Parts {
        let (mut taking, mut counts) = (Vec::new(), [0; 3]);
        for (id, class) in rows {
            match rows.iter().filter(|(other, _)| id.is_some() && other == id).count() {
                0 => count(&mut counts, None),
                1 => {
                    count(&mut counts, *class);
                    taking.extend(class.map(|_| (*id, *class)));
                }
                _ => {}
            }
        }
        for id in 0..4 {
            let m = rows.iter().filter(|(other, _)| *other == Some(id)).count() as i64;
            counts[2] += (m - 2).max(0);
        }
        (taking, counts)
    }

    /// The map and the folds, in two batches.
    fn by_code(rows: &[Row]) -> Parts {
        let format = CellFormat::default();
        let texts: Vec<Vec<u8>> = rows
            .iter()
            .map(|(id, _)| id.map_or(b"NA".to_vec(), |id| format!(" p{id}").into_bytes()))
            .collect();
        let ids: Vec<_> = texts.iter().map(|text| Some(TargetCell::Text(text))).collect();
        let targets: Vec<_> =
            rows.iter().map(|(_, class)| class.map(|c| TargetCell::Number(c as f64))).collect();
        let middle = rows.len() / 2;
        let batch = |places: std::ops::Range<usize>| Batch {
            ids: &ids[places.clone()],
            ..Batch::new(
                places.start as u64 + 1,
                &targets[places],
                crate::table::batch::Values::Unread,
            )
        };
        let mut all = Collect::new(&format);
        all.batch(&batch(0..middle));
        let mut more = Collect::new(&format);
        more.batch(&batch(middle..rows.len()));
        all.merge(more);
        let map = OneRowEach::new(&all.repeated(), &format);
        let (mut taking, mut counts) = (Vec::new(), [0; 3]);
        for places in [0..middle, middle..rows.len()] {
            (map.start())(&batch(places), &mut |batch| {
                batch.each(|sample| {
                    let class = sample.target.map(|cell| match cell {
                        TargetCell::Number(class) => class as usize,
                        TargetCell::Text(_) => 2,
                    });
                    count(&mut counts, class);
                    let place = sample.number as usize - 1;
                    taking.extend(class.map(|_| (rows[place].0, class)));
                });
            });
        }
        (taking, counts)
    }

    /// A broken variant: the first row of each identifier takes part.
    fn first_of_each(rows: &[Row]) -> Parts {
        let (mut taking, mut counts) = (Vec::new(), [0; 3]);
        for (place, (id, class)) in rows.iter().enumerate() {
            let is_first = id.is_some() && rows[..place].iter().all(|(other, _)| other != id);
            let class = class.filter(|_| is_first);
            count(&mut counts, class);
            taking.extend(class.map(|_| (*id, class)));
        }
        (taking, counts)
    }

    /// A broken variant: all rows that share an identifier are counted.
    fn all_counted(rows: &[Row]) -> Parts {
        let (taking, mut counts) = by_definition(rows);
        counts[2] = (rows.len() - taking.len()) as i64;
        (taking, counts)
    }

    /// The largest numbers of rows that take part and of counts, in L1, by which a table of up to
    /// four rows changes if a row is added anywhere.
    fn largest_change(rule: impl Fn(&[Row]) -> Parts + Copy) -> (usize, i64) {
        let ids = [None, Some(0), Some(1)];
        let rows: Vec<Row> =
            ids.iter().flat_map(|id| [None, Some(0), Some(1)].map(|class| (*id, class))).collect();
        let mut tables: Vec<Vec<Row>> = vec![Vec::new()];
        let mut worst = (0, 0);
        for _ in 0..4 {
            let mut longer = Vec::new();
            for table in &tables {
                let before = parts(table, rule);
                for row in &rows {
                    for place in 0..=table.len() {
                        let mut more = table.clone();
                        more.insert(place, *row);
                        let after = parts(&more, rule);
                        worst.0 = worst.0.max(difference(&before.0, &after.0));
                        let counts = before.1.iter().zip(after.1);
                        worst.1 = worst.1.max(counts.map(|(a, b)| (a - b).abs()).sum());
                        if place == table.len() {
                            longer.push(more);
                        }
                    }
                }
            }
            tables = longer;
        }
        worst
    }

    /// The number of rows in one of two sorted lists alone.
    fn difference(one: &[Row], other: &[Row]) -> usize {
        let mut rest = other.to_vec();
        let alone = one.iter().filter(|row| match rest.iter().position(|more| more == *row) {
            Some(place) => {
                rest.remove(place);
                false
            }
            None => true,
        });
        alone.count() + rest.len()
    }

    #[test]
    fn a_row_changes_one_row_that_takes_part() {
        assert_eq!(largest_change(by_definition), (1, 1));
        assert!(largest_change(first_of_each).0 > 1);
        assert!(largest_change(all_counted).1 > 1);
    }

    /// The code computes the definition, for all tables of up to four rows.
    #[test]
    fn code_matches_the_definition() {
        let row = |i: usize| -> Row { ([None, Some(0), Some(1)][i % 3], [None, Some(1)][i / 3]) };
        for n in 0..=4u32 {
            for number in 0..6usize.pow(n) {
                let digit = |place| number / 6usize.pow(place) % 6;
                let rows: Vec<Row> = (0..n).map(|place| row(digit(place))).collect();
                assert_eq!(parts(&rows, by_code), parts(&rows, by_definition), "{rows:?}");
            }
        }
    }

    #[test]
    fn identifiers_are_texts_without_blanks() {
        let format = CellFormat::new(false, ["-9"]);
        let of = |text: &'static str| hash(Some(TargetCell::Text(text.as_bytes())), &format);
        assert_eq!(of(" p1\t"), of("p1"));
        assert_ne!(of("P1"), of("p1"));
        assert_eq!([of(""), of(" "), of("NA"), of("-9"), hash(None, &format)], [None; 5]);
        assert_eq!(hash(Some(TargetCell::Number(7.0)), &format), of("7"));
    }
}
