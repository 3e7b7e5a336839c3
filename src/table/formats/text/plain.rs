//! Fast parsing of lines without quotes: numbers in one pass over the bytes, without a list of
//! cells.
//!
//! A line that is not a row (too few cells, too many, or one that is too long) is left to the
//! general parser, which reports the error. A test checks that both agree.

use crate::table::cell::{CellFormat, Kind};
use crate::table::formats::text::blocks::Shape;
use crate::table::formats::text::cells::{Line, MAX_CELL};
use crate::table::number::plain_number;
use crate::table::schema::Schema;

/// Reads the features, the target and the id of plain lines.
#[derive(Debug, Clone)]
pub(in crate::table) struct PlainLines<'a> {
    shape: Shape,
    format: &'a CellFormat,
    /// The columns from left to right.
    runs: Vec<ColumnRun>,
    target: Option<usize>,
    event: Option<usize>,
    id: Option<usize>,
}

/// The role of consecutive columns.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ColumnRun {
    Features(usize),
    Target,
    Event,
    Id,
    Other,
}

/// The cells of a line that are used as text; empty if there is no such column.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::table) struct Texts<'a> {
    pub(in crate::table) target: &'a [u8],
    pub(in crate::table) event: &'a [u8],
    pub(in crate::table) id: &'a [u8],
}

impl<'a> PlainLines<'a> {
    pub(in crate::table) fn new(schema: &Schema, format: &'a CellFormat, shape: Shape) -> Self {
        let mut runs = Vec::new();
        let mut features = schema.features().iter().copied().peekable();
        for column in 0..shape.columns {
            let is_feature = features.next_if_eq(&column).is_some();
            match runs.last_mut() {
                Some(ColumnRun::Features(number)) if is_feature => *number += 1,
                _ if is_feature => runs.push(ColumnRun::Features(1)),
                _ if schema.target() == Some(column) => runs.push(ColumnRun::Target),
                _ if schema.event() == Some(column) => runs.push(ColumnRun::Event),
                _ if schema.id() == Some(column) => runs.push(ColumnRun::Id),
                _ => runs.push(ColumnRun::Other),
            }
        }
        let (target, event, id) = (schema.target(), schema.event(), schema.id());
        Self { shape, format, runs, target, event, id }
    }

    /// Parses a line: writes the values of its cells to `values`, one per feature, and returns its
    /// texts. `None` if it is not a row.
    pub(in crate::table) fn read<'l>(
        &self,
        line: &Line<'l>,
        values: &mut [f64],
    ) -> Option<Texts<'l>> {
        if self.shape.columns == 1 {
            return None;
        }
        let mut cells = Cells { line, next: Some(line.start), delimiter: self.shape.delimiter };
        let mut texts = Texts::default();
        let mut values = values.iter_mut();
        for part in &self.runs {
            match part {
                ColumnRun::Features(number) => {
                    for value in values.by_ref().take(*number) {
                        *value = cells.value(self.format)?;
                    }
                }
                ColumnRun::Target => texts.target = cells.text()?,
                ColumnRun::Event => texts.event = cells.text()?,
                ColumnRun::Id => texts.id = cells.text()?,
                ColumnRun::Other => _ = cells.text()?,
            }
        }
        // All of the line must have been read.
        cells.next.is_none().then_some(texts)
    }

    /// The texts of a line alone; `None` if it is not a row.
    pub(in crate::table) fn read_texts<'l>(&self, line: &Line<'l>) -> Option<Texts<'l>> {
        let (bytes, delimiter) = (line.bytes(), self.shape.delimiter);
        if self.shape.columns == 1 {
            return None;
        }
        if memchr::memchr_iter(delimiter, bytes).count() + 1 != self.shape.columns {
            return None;
        }
        let mut start = 0;
        // No cell is longer than the limit.
        while bytes.len() - start > MAX_CELL {
            start += memchr::memrchr(delimiter, &bytes[start..=start + MAX_CELL])? + 1;
        }
        let cell = |column| self.cell(bytes, column);
        Some(Texts {
            target: self.target.map(cell).unwrap_or_default(),
            event: self.event.map(cell).unwrap_or_default(),
            id: self.id.map(cell).unwrap_or_default(),
        })
    }

    /// A cell of a row, searched from the nearer end.
    fn cell<'l>(&self, bytes: &'l [u8], column: usize) -> &'l [u8] {
        let behind = self.shape.columns - 1 - column;
        let delimiters = || memchr::memchr_iter(self.shape.delimiter, bytes);
        let (start, end) = if column <= behind {
            let mut ends = delimiters();
            let start = column.checked_sub(1).and_then(|before| ends.nth(before));
            (start, ends.next())
        } else {
            let mut starts = delimiters().rev();
            let end = behind.checked_sub(1).and_then(|after| starts.nth(after));
            (starts.next(), end)
        };
        &bytes[start.map_or(0, |start| start + 1)..end.unwrap_or(bytes.len())]
    }
}

/// Reads the cells of a line from left to right.
struct Cells<'c, 'l> {
    line: &'c Line<'l>,
    /// The start of the next cell; `None` after the last cell.
    next: Option<usize>,
    delimiter: u8,
}

impl<'l> Cells<'_, 'l> {
    /// The value of the next cell; `None` at the end of the line, or if it is too long.
    #[inline(always)]
    fn value(&mut self, format: &CellFormat) -> Option<f64> {
        let at = self.next?;
        let block = self.line.block;
        if let Some((value, end)) = plain_number(block, at, self.delimiter, format.mark())
            && end < self.line.end
        {
            self.next = Some(end + 1);
            let is_code = format.is_code_value(Kind::Number, value);
            return Some(if is_code { f64::NAN } else { value });
        }
        Some(format.value(self.text()?))
    }

    /// The next cell; `None` at the end of the line, or if it is too long.
    #[inline(never)]
    fn text(&mut self) -> Option<&'l [u8]> {
        let rest = &self.line.block[self.next?..self.line.end];
        let end = memchr::memchr(self.delimiter, rest);
        self.next = end.map(|end| self.line.end - rest.len() + end + 1);
        let cell = &rest[..end.unwrap_or(rest.len())];
        (cell.len() <= MAX_CELL).then_some(cell)
    }
}

#[cfg(test)]
mod tests {
    use crate::error::Parameter;
    use proptest::prelude::*;

    use super::*;
    use crate::table::formats::text::blocks::TakeRows;
    use crate::table::formats::text::blocks::tests::fold_rows;
    use crate::table::formats::text::cells::Row;
    use crate::table::schema::{TargetColumn, TargetRole};

    /// Rows as bits of their numbers, target and id.
    type Read = Vec<(Vec<u64>, Vec<u8>, Vec<u8>)>;

    /// Collects rows, with or without the fast parser.
    struct Collect<'a> {
        plain: Option<&'a PlainLines<'a>>,
        schema: &'a Schema,
        format: &'a CellFormat,
        rows: Read,
    }

    impl TakeRows for Collect<'_> {
        fn row(&mut self, _: u64, row: &Row<'_>) {
            let value = |c: &usize| self.format.value(row.cell(*c)).to_bits();
            let text = |c: Option<usize>| c.map(|c| row.cell(c).to_vec()).unwrap_or_default();
            let numbers = self.schema.features().iter().map(value).collect();
            self.rows.push((numbers, text(self.schema.target()), text(self.schema.id())));
        }

        fn plain_line(&mut self, _: u64, line: &Line<'_>) -> bool {
            let Some(plain) = self.plain else { return false };
            let mut values = vec![7.0; self.schema.d()];
            let texts = plain.read(line, &mut values);
            let alone = plain.read_texts(line);
            assert_eq!(texts.map(|t| (t.target, t.id)), alone.map(|t| (t.target, t.id)));
            texts.is_some_and(|texts| {
                let bits = values.iter().map(|value| value.to_bits()).collect();
                self.rows.push((bits, texts.target.to_vec(), texts.id.to_vec()));
                true
            })
        }
    }

    /// Checks that both parsers give the same rows or the same error.
    fn both(text: &[u8], schema: &Schema, format: &CellFormat, shape: Shape) -> [String; 2] {
        let plain = PlainLines::new(schema, format, shape);
        [None, Some(&plain)].map(|plain| {
            let new = || Collect { plain, schema, format, rows: Vec::new() };
            let rows = fold_rows(text, shape, 1, &new, |_, _| {}).map(|fold| fold.rows);
            format!("{rows:?}")
        })
    }

    fn schema(columns: usize, target: usize, id: Option<usize>) -> Schema {
        let names: Vec<String> = (0..columns).map(|c| format!("c{c}")).collect();
        let id = id.map(|id| names[id].clone());
        let id = id.as_deref().map(|id| (id, Parameter::Id));
        let target = TargetColumn::Named(names[target].clone());
        Schema::of_columns(names, &TargetRole::Here(&target), id, &[]).unwrap()
    }

    proptest! {
        /// Lines of numbers, texts, blanks, quotes, line ends of all kinds, too many and too few
        /// cells.
        #[test]
        fn both_ways_read_the_same(
            cells in prop::collection::vec(
                prop_oneof![
                    8 => "-?[0-9]{0,9}(\\.[0-9]{0,18})?",
                    2 => "-?[0-9]{1,3},[0-9]{1,4}",
                    1 => "[+ ]?[0-9]{1,3}(e-?[0-9]{1,3})? ?",
                    1 => Just("-999".to_owned()),
                    1 => Just("NA".to_owned()),
                    1 => " ?[a-b]{1,2} ?",
                    1 => "19[67][0-9]-0[0-9]-1[0-9](T1[0-9]:00)?",
                    1 => "\"[0-9;]{0,3}\"",
                    1 => "[0-9]\r?[0-9]",
                    1 => Just("1".repeat(MAX_CELL)),
                    1 => Just("1".repeat(MAX_CELL + 1)),
                ], 1..40),
            (columns, target, id) in prop::sample::select(vec![
                (2, 1, None), (3, 0, Some(2)), (4, 1, Some(0)), (3, 2, None), (1, 0, None),
            ]),
            end in prop::sample::select(vec!["\n", "\r\n", "\n\n"]),
            ragged in prop::option::weighted(0.2, 0usize..5),
            decimal_comma in any::<bool>(),
            missing in any::<bool>(),
        ) {
            let columns = columns.max(2);
            let schema = schema(columns, target, id);
            let missing: &[&str] = if missing { &["-999.0", "NA"] } else { &[] };
            let format = CellFormat::new(decimal_comma, missing);
            let shape = Shape { delimiter: b';', columns, lines_are_cells: false };
            let cut = cells.len() / columns * columns;
            let mut lines: Vec<String> =
                cells[..cut].chunks(columns).map(|row| row.join(";")).collect();
            if let Some(ragged) = ragged {
                lines.push(vec!["1"; ragged].join(";"));
            }
            let text = lines.join(end);
            let [general, quick] = both(text.as_bytes(), &schema, &format, shape);
            prop_assert_eq!(general, quick);
        }

        #[test]
        fn any_bytes_are_read_the_same(text in prop::collection::vec(
            prop::sample::select(b"0123456789.-+e;;;\n\n\" \rN".to_vec()), 0..300)) {
            let (schema, shape) = (schema(2, 1, None), Shape { delimiter: b';', columns: 2, lines_are_cells: false });
            let [general, quick] = both(&text, &schema, &CellFormat::default(), shape);
            prop_assert_eq!(general, quick);
        }
    }
}
