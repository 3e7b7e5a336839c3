//! Rows turned into columns in memory.
//!
//! # Algorithm
//!
//! Rows are staged until there are enough for a *tile*, in which the values of a feature are
//! adjacent. A tile whose values all are exactly an `f32` is stored as such: 4 bytes per value,
//! otherwise 8. The rows of different threads end in different tiles, in any order.
//!
//! # Memory
//!
//! If a limit is given and reached, the last half of the features is dropped; the caller reads them
//! in a further pass. The sizes alone determine which features are dropped, and no result depends
//! on it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::table::batch::{Batch, Fold, Layout, Role, Sample, Value, Values};
use crate::table::cell::CellFormat;
use crate::table::columns::Columns;
use crate::table::identifiers::{Repeated, hash};
use crate::table::target::Code;

/// The number of values staged at a time, unless a few rows have more.
const STAGED: usize = 1 << 17;

/// The fewest rows of a full tile: a cache line of each feature.
const MIN_TILE_ROWS: usize = 8;

/// The memory limit of a table, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    /// All of it.
    pub(crate) bytes: u64,
    /// The memory taken besides columns, for any number of rows.
    pub(crate) fixed: u64,
    /// The memory that each row takes besides its values.
    pub(crate) row: u64,
}

/// The features to hold, and the memory for them.
pub(crate) struct Holding<'a> {
    features: &'a [usize],
    /// The memory for them, unless a single feature takes more.
    limit: Option<Limit>,
    /// The number of features that still are held, the first ones.
    width: AtomicUsize,
    /// The bytes of one feature, in all threads.
    feature: AtomicU64,
    /// The number of rows, in all threads.
    rows: AtomicU64,
}

impl<'a> Holding<'a> {
    /// Holds these features, or as many of the first ones as `limit` bytes allow.
    pub(crate) fn new(features: &'a [usize], limit: Option<Limit>) -> Self {
        let width = AtomicUsize::new(features.len());
        Self { features, limit, width, feature: AtomicU64::new(0), rows: AtomicU64::new(0) }
    }

    fn width(&self) -> usize {
        self.width.load(Ordering::Relaxed)
    }

    /// Takes note of more rows and of their bytes of each feature, and halves the number of
    /// features while they are too many.
    fn add(&self, rows: u64, bytes: u64) {
        let feature = self.feature.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let rows = self.rows.fetch_add(rows, Ordering::Relaxed) + rows;
        let fits = |width: usize| match self.limit {
            Some(Limit { bytes, fixed, row }) => {
                let besides = fixed.saturating_add(row.saturating_mul(rows));
                feature.saturating_mul(width as u64).saturating_add(besides) <= bytes
            }
            None => true,
        };
        let halve = |width: usize| (width > 1 && !fits(width)).then(|| width.div_ceil(2));
        while self.width.fetch_update(Ordering::Relaxed, Ordering::Relaxed, halve).is_ok() {}
    }
}

/// Features of rows in memory.
pub(crate) struct HeldColumns {
    width: usize,
    tiles: Vec<Tile>,
}

/// Whether an `f32` holds a value exactly, or as a missing one.
pub(crate) fn is_narrow(value: f64) -> bool {
    f64::from(value as f32) == value || value.to_bits() == f64::NAN.to_bits()
}

/// The value before it was narrowed. A missing value stays the same NaN, because other NaNs may be
/// words.
pub(crate) fn widened(narrow: f32) -> f64 {
    if narrow.is_nan() { f64::NAN } else { f64::from(narrow) }
}

/// Consecutive rows, feature by feature.
struct Tile {
    rows: usize,
    values: TileValues,
}

enum TileValues {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Tile {
    /// A tile of rows of `width` values each, stored row by row.
    fn of(staged: &[f64], width: usize) -> Self {
        fn turned<T: Copy>(staged: &[f64], width: usize, to: impl Fn(f64) -> T) -> Vec<T> {
            let mut values = Vec::with_capacity(staged.len());
            for feature in 0..width {
                values.extend(staged[feature..].iter().step_by(width).map(|value| to(*value)));
            }
            values
        }
        let values = match staged.iter().all(|value| is_narrow(*value)) {
            true => TileValues::F32(turned(staged, width, |value| value as f32)),
            false => TileValues::F64(turned(staged, width, |value| value)),
        };
        Self { rows: staged.len() / width.max(1), values }
    }

    /// A tile of some rows of these features, which are stored column by column.
    fn of_columns<A: Value>(columns: &[&[A]], features: &[usize], rows: &[usize]) -> Self {
        fn values<'a, A: Value>(
            columns: &'a [&[A]],
            features: &'a [usize],
            rows: &'a [usize],
        ) -> impl Iterator<Item = f64> + 'a {
            let column = |&feature: &usize| {
                let column = columns[feature];
                rows.iter().map(move |&row| column[row].into())
            };
            features.iter().flat_map(column)
        }
        let all = || values(columns, features, rows);
        let values = match all().all(is_narrow) {
            true => TileValues::F32(all().map(|value| value as f32).collect()),
            false => TileValues::F64(all().collect()),
        };
        Self { rows: rows.len(), values }
    }

    /// The bytes of one feature.
    fn bytes(&self) -> u64 {
        let each = match &self.values {
            TileValues::F32(_) => size_of::<f32>(),
            TileValues::F64(_) => size_of::<f64>(),
        };
        (self.rows * each) as u64
    }

    /// Keeps some of the rows.
    fn retain(&mut self, kept: &[bool]) {
        match &mut self.values {
            TileValues::F32(values) => retain(values, kept),
            TileValues::F64(values) => retain(values, kept),
        }
        self.rows = kept.iter().filter(|kept| **kept).count();
    }

    /// Keeps the first `width` features.
    fn cut(&mut self, width: usize) {
        fn cut<T: Copy>(values: &mut Vec<T>, length: usize) {
            if values.len() > length {
                // A copy, so that all of the old memory is free for a next tile: shrunk in place,
                // the vector would keep a part of it.
                *values = values[..length].to_vec();
            }
        }
        let length = width * self.rows;
        match &mut self.values {
            TileValues::F32(values) => cut(values, length),
            TileValues::F64(values) => cut(values, length),
        }
    }
}

impl HeldColumns {
    /// Rows of `features` values each.
    #[cfg(test)]
    pub(crate) fn of_rows<R: AsRef<[f64]>>(features: usize, rows: &[R]) -> Self {
        let staged: Vec<f64> = rows.iter().flat_map(|row| row.as_ref()).copied().collect();
        let tiles = if rows.is_empty() { Vec::new() } else { vec![Tile::of(&staged, features)] };
        Self { width: features, tiles }
    }

    fn cut(&mut self, width: usize) {
        self.width = width;
        self.tiles.iter_mut().for_each(|tile| tile.cut(width));
    }

    /// Keeps some of the rows.
    fn retain(&mut self, kept: &[bool]) {
        let mut rest = kept;
        for tile in &mut self.tiles {
            let (of_tile, others) = rest.split_at(tile.rows);
            tile.retain(of_tile);
            rest = others;
        }
        self.tiles.retain(|tile| tile.rows > 0);
    }
}

impl Columns for HeldColumns {
    fn features(&self) -> usize {
        self.width
    }

    fn column(&self, feature: usize, values: &mut Vec<f64>) {
        values.clear();
        for tile in &self.tiles {
            let places = feature * tile.rows..(feature + 1) * tile.rows;
            match &tile.values {
                TileValues::F32(tile) => {
                    values.extend(tile[places].iter().map(|value| widened(*value)));
                }
                TileValues::F64(tile) => values.extend_from_slice(&tile[places]),
            }
        }
    }
}

/// Keeps the values of some rows of each feature.
fn retain<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut row = 0;
    values.retain(|_| {
        let is_kept = kept[row];
        row = (row + 1) % kept.len();
        is_kept
    });
}

/// Holds the rows with a usable target.
pub(crate) struct HoldColumns<'a> {
    code: &'a Code<'a>,
    holding: &'a Holding<'a>,
    /// Rows that are not in a tile yet, row by row.
    staged: Vec<f64>,
    /// The number of values of each.
    width: usize,
    columns: HeldColumns,
    targets: Vec<f64>,
    /// The role of each row in scores; empty while all have the default role.
    roles: Vec<Role>,
    samples: u64,
    /// The format of identifiers, if rows are compared by them.
    compared: Option<&'a CellFormat>,
    /// The identifiers of rows that are held, one each, and of the other rows.
    ids: Vec<u64>,
    other_ids: Vec<u64>,
}

impl<'a> HoldColumns<'a> {
    /// `code` codes a target cell, or returns `None` if it is not usable. Where rows are `compared`
    /// by identifiers of this format, only rows with a unique identifier are kept in the end.
    pub(crate) fn new(
        code: &'a Code<'a>,
        holding: &'a Holding<'a>,
        compared: Option<&'a CellFormat>,
    ) -> Self {
        let width = holding.width();
        Self {
            code,
            holding,
            staged: Vec::new(),
            width,
            columns: HeldColumns { width, tiles: Vec::new() },
            targets: Vec::new(),
            roles: Vec::new(),
            samples: 0,
            compared,
            ids: Vec::new(),
            other_ids: Vec::new(),
        }
    }

    /// The columns, their targets and parts in scores, the number of all samples, and the
    /// identifiers that several rows share.
    pub(crate) fn finish(mut self) -> (HeldColumns, Vec<f64>, Vec<Role>, u64, Repeated) {
        self.tile();
        self.columns.cut(self.holding.width());
        let repeated = self.leave_out_repeated();
        (self.columns, self.targets, self.roles, self.samples, repeated)
    }

    /// Leaves out the rows that share an identifier.
    fn leave_out_repeated(&mut self) -> Repeated {
        let mut all = std::mem::take(&mut self.other_ids);
        all.extend_from_slice(&self.ids);
        let repeated = Repeated::of(all);
        if !repeated.is_empty() {
            let kept: Vec<bool> = self.ids.iter().map(|id| !repeated.contains(*id)).collect();
            self.columns.retain(&kept);
            retain(&mut self.targets, &kept);
            retain(&mut self.roles, &kept);
            self.samples -= repeated.left_out();
        }
        repeated
    }

    /// Makes a tile of the staged rows.
    fn tile(&mut self) {
        if self.staged.len() >= self.width.max(1) {
            let tile = Tile::of(&self.staged, self.width);
            self.staged.clear();
            self.add(tile);
        }
        self.narrow();
    }

    fn add(&mut self, tile: Tile) {
        self.holding.add(tile.rows as u64, tile.bytes());
        self.columns.tiles.push(tile);
        self.narrow();
    }

    /// Drops the features that no longer fit in memory.
    fn narrow(&mut self) {
        let width = self.holding.width();
        if width < self.columns.width {
            self.columns.cut(width);
            self.width = width;
        }
    }

    /// Adds a sample without its values. Returns whether its row is held.
    fn holds_row(&mut self, sample: &Sample<'_, '_>) -> bool {
        self.samples += 1;
        let target = sample.target.and_then(self.code);
        if let Some(format) = self.compared {
            match (hash(sample.id, format), target) {
                (None, _) => return false,
                (Some(id), None) => self.other_ids.push(id),
                (Some(id), Some(_)) => self.ids.push(id),
            }
        }
        let Some(target) = target else { return false };
        self.targets.push(target);
        if !self.roles.is_empty() || sample.role != Role::default() {
            // All rows before it have the default role.
            self.roles.resize(self.targets.len() - 1, Role::default());
            self.roles.push(sample.role);
        }
        true
    }

    /// Adds samples that are stored column by column.
    fn take_columns<A: Value>(&mut self, batch: &Batch<'_>, columns: &[&[A]]) {
        // Small tiles cost more than staged rows.
        if batch.len() * self.width < STAGED / 4 {
            return batch.each(|sample| self.take(&sample));
        }
        // The staged rows come first.
        self.tile();
        let is_held =
            |&place: &usize| !batch.is_left_out(place) && self.holds_row(&batch.sample(place, &[]));
        let held: Vec<usize> = (0..batch.len()).filter(is_held).collect();
        let rows = (STAGED / self.width.max(1)).max(MIN_TILE_ROWS);
        for rows in held.chunks(rows) {
            let features = &self.holding.features[..self.width];
            self.add(Tile::of_columns(columns, features, rows));
        }
    }

    fn take(&mut self, sample: &Sample<'_, '_>) {
        if !self.holds_row(sample) {
            return;
        }
        let features = &self.holding.features[..self.width];
        self.staged.extend(features.iter().map(|&feature| sample.values[feature]));
        if self.staged.len() >= STAGED.max(MIN_TILE_ROWS * self.width) {
            self.tile();
        }
    }
}

impl Fold for HoldColumns<'_> {
    fn batch(&mut self, batch: &Batch<'_>) {
        match batch.values {
            Values::F32(Layout::Columns(columns)) => self.take_columns(batch, columns),
            Values::F64(Layout::Columns(columns)) => self.take_columns(batch, columns),
            _ => batch.each(|sample| self.take(&sample)),
        }
    }

    fn merge(&mut self, mut other: Self) {
        self.tile();
        other.tile();
        self.columns.tiles.extend(other.columns.tiles);
        // Tiles of one thread may be wider than tiles of another.
        let width = self.holding.width();
        self.columns.cut(width);
        self.width = width;
        if !self.roles.is_empty() || !other.roles.is_empty() {
            self.roles.resize(self.targets.len(), Role::default());
            self.roles.extend(other.roles);
            self.roles.resize(self.targets.len() + other.targets.len(), Role::default());
        }
        self.targets.extend(other.targets);
        self.samples += other.samples;
        self.ids.extend(other.ids);
        self.other_ids.extend(other.other_ids);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::batch::{Layout, Values};
    use crate::table::target::TargetCell;

    fn held(rows: &[Vec<f64>], features: &[usize], limit: Option<u64>) -> (HeldColumns, Vec<f64>) {
        let limit = limit.map(|bytes| Limit { bytes, fixed: 0, row: 0 });
        let code = |cell: TargetCell<'_>| match cell {
            TargetCell::Number(value) => Some(value).filter(|value| *value >= 0.0),
            TargetCell::Text(_) => None,
        };
        let holding = Holding::new(features, limit);
        let mut folds = [0, 1, 2].map(|_| HoldColumns::new(&code, &holding, None));
        for (i, values) in rows.iter().enumerate() {
            let targets = [Some(TargetCell::Number(values[0]))];
            let values = Values::F64(Layout::Rows(values));
            folds[i % 3].batch(&Batch::new(i as u64, &targets, values));
        }
        let [mut total, second, third] = folds;
        total.merge(second);
        total.merge(third);
        let (columns, targets, _, samples, _) = total.finish();
        assert_eq!(samples, rows.len() as u64);
        (columns, targets)
    }

    /// The first feature is the target: negative ones are left out, the others stay with their
    /// rows.
    #[test]
    fn values_stay_with_their_targets() {
        let row = |i: usize| {
            let target = (i * 7919 % 2003) as f64 - 500.0;
            (0..50).map(|f| target * (1.0 + f64::from(f) / 7.0)).collect::<Vec<f64>>()
        };
        let rows: Vec<Vec<f64>> = (0..9000).map(row).collect();
        let usable = rows.iter().filter(|row| row[0] >= 0.0).count();
        let features: Vec<usize> = (0..50).rev().collect();
        let half = usable as u64 * 8 * 49;
        for (limit, width) in [(None, 50), (Some(1 << 40), 50), (Some(half), 25), (Some(1), 1)] {
            let (columns, targets) = held(&rows, &features, limit);
            assert_eq!((targets.len(), columns.features()), (usable, width));
            for (place, feature) in features[..width].iter().enumerate() {
                let expected: Vec<f64> =
                    targets.iter().map(|t| t * (1.0 + *feature as f64 / 7.0)).collect();
                assert_eq!(columns.to_vec(place), expected);
            }
        }
    }

    /// Batches by column give the rows, targets and roles of batches by row, in any memory.
    #[test]
    fn columns_are_held_as_rows_are() {
        let (d, n) = (40, 3000);
        let value = |i: usize, f: usize| match (i * 31 + f * 17) % 97 {
            0 => f64::NAN,
            1 => f64::from_bits(f64::NAN.to_bits() | 5),
            _ if f.is_multiple_of(7) => (i * f) as f64 / 3.0,
            _ => ((i * 13 + f) % 1000) as f64 / 4.0,
        };
        let code = |cell: TargetCell<'_>| match cell {
            TargetCell::Number(value) => Some(value).filter(|value| *value >= 0.0),
            TargetCell::Text(_) => None,
        };
        let features: Vec<usize> = (0..d).filter(|f| f % 3 != 1).rev().collect();
        let targets: Vec<_> =
            (0..n).map(|i| Some(TargetCell::Number((i % 11) as f64 - 2.0))).collect();
        let role = |i: usize| Role { person: (i / 1500 * i) as u32, ..Role::default() };
        let roles: Vec<Role> = (0..n).map(role).collect();
        let left_out: Vec<bool> = (0..n).map(|i| i % 29 == 3).collect();
        let id = |i: usize| TargetCell::Number((i - usize::from(i % 500 == 9)) as f64);
        let ids: Vec<_> = (0..n).map(|i| Some(id(i)).filter(|_| i % 41 != 0)).collect();
        let columns: Vec<Vec<f64>> =
            (0..d).map(|f| (0..n).map(|i| value(i, f)).collect()).collect();
        let rows: Vec<f64> = (0..n).flat_map(|i| (0..d).map(move |f| value(i, f))).collect();
        let format = CellFormat::default();
        for (compared, bytes) in
            [(None, None), (Some(&format), None), (None, Some(1 << 18)), (None, Some(1))]
        {
            let limit = bytes.map(|bytes| Limit { bytes, fixed: 0, row: 0 });
            let held = |by_column: bool, cuts: &[usize]| {
                let holding = Holding::new(&features, limit);
                let mut fold = HoldColumns::new(&code, &holding, compared);
                for ends in cuts.windows(2) {
                    let (start, end) = (ends[0], ends[1]);
                    let slices: Vec<&[f64]> =
                        columns.iter().map(|column| &column[start..end]).collect();
                    let values = match by_column {
                        true => Layout::Columns(&slices),
                        false => Layout::Rows(&rows[start * d..end * d]),
                    };
                    fold.batch(&Batch {
                        ids: &ids[start..end],
                        roles: &roles[start..end],
                        left_out: &left_out[start..end],
                        ..Batch::new(start as u64, &targets[start..end], Values::F64(values))
                    });
                }
                let (columns, targets, roles, samples, repeated) = fold.finish();
                let bits = |feature| -> Vec<u64> {
                    columns.to_vec(feature).iter().map(|value| value.to_bits()).collect()
                };
                let values: Vec<Vec<u64>> = (0..columns.features()).map(bits).collect();
                (values, targets, roles, samples, repeated.left_out())
            };
            let expected = held(false, &[0, n]);
            for cuts in [&[0, n][..], &[0, 1300, n], &[0, 50, 1500, 1510, n]] {
                assert!(held(true, cuts) == expected, "{bytes:?} {cuts:?}");
            }
            let found = held(true, &[0, n]).0.len();
            assert_eq!(found == features.len(), bytes.is_none(), "{bytes:?}: {found}");
        }
    }

    #[test]
    fn narrow_values_take_four_bytes() {
        let bytes = |value: f64| {
            let (columns, _) = held(&vec![vec![1.0, value]; 30], &[0, 1], None);
            assert!(columns.to_vec(1).iter().all(|held| held.to_bits() == value.to_bits()));
            columns.tiles.iter().map(Tile::bytes).sum::<u64>()
        };
        for narrow in [2.5, f64::NAN, -0.0] {
            assert_eq!(bytes(narrow), 30 * 4);
        }
        let word = f64::from_bits(f64::NAN.to_bits() | 5);
        for wide in [0.1, word, 1e300, f64::INFINITY.next_down()] {
            assert_eq!(bytes(wide), 30 * 8);
        }
    }
}
