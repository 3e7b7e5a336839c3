//! Text tables of either orientation: passes over their samples.

use crate::error::{Error, Result};
use crate::table::batch::{Batch, Folds, Layout, Sink, Values};
use crate::table::block_rows::RowsOfBlocks;
use crate::table::block_table::FileColumns;
use crate::table::cell::CellFormat;
use crate::table::file::FileTable;
use crate::table::files::{OpenFile, Rows};
use crate::table::formats::text::blocks::TakeRows;
use crate::table::formats::text::cells::{Line, Row};
use crate::table::formats::text::file::{OpenText, TextFile};
use crate::table::formats::text::plain::{PlainLines, Texts};
use crate::table::held::{HeldColumn, HeldTable};
use crate::table::open_table::Opening;
use crate::table::schema::{Orientation, Schema, TargetColumn, TargetRole};
use crate::table::target::TargetCell;
use crate::table::targets::TargetTable;

impl FileTable {
    /// Opens a text: reads the header, and all of the table where features are rows.
    pub(super) fn rows_of_text(
        &self,
        targets: Option<&TargetTable>,
        opening: &Opening<'_>,
    ) -> Result<OpenFile> {
        let open = self.open_text(opening)?;
        let format = self.facts.cells();
        let (schema, rows): (_, Box<dyn Rows>) = match self.given_orientation() {
            Orientation::SamplesAsRows => {
                let schema = self.schema_of_columns(&open.names()?, targets, opening)?;
                let mut file = self.file();
                file.hooks = opening.hooks.clone();
                (schema, Box::new(TextRows { file, open: Some(open) }))
            }
            Orientation::FeaturesAsRows => read_features(open, self, opening, targets)?,
        };
        Ok(OpenFile { schema, format, has_words: true, number_target: false, rows })
    }
}

/// Lines that are samples: read again for each pass.
struct TextRows {
    file: TextFile,
    open: Option<OpenText>,
}

impl Rows for TextRows {
    fn can_repeat(&self) -> bool {
        self.file.is_regular()
    }

    /// `Input` also for a file that changed.
    fn pass(
        &mut self,
        schema: &Schema,
        format: &CellFormat,
        opening: &Opening<'_>,
        folds: &dyn Folds,
    ) -> Result<()> {
        let table = match self.open.take() {
            Some(open) => open,
            None => {
                let table = self.file.open()?;
                if !schema.is_of(&table.names()?) {
                    let rule = format!("{} changed while it was being read", self.file.name());
                    return Err(Error::input(rule));
                }
                table
            }
        };
        let plain = PlainLines::new(schema, format, table.shape());
        let columns = TextColumns { schema, format, plain, reads_values: folds.read_values() };
        table.on_rows(opening.threads, &|place, lines| {
            folds.thread(place, &mut |sink| {
                let mut staged = Staged::new(&columns, sink);
                lines.each(&mut staged)?;
                staged.send();
                Ok(())
            })
        })?;
        folds.merge();
        Ok(())
    }
}

/// The columns of a text table, and how they are parsed.
struct TextColumns<'a> {
    schema: &'a Schema,
    format: &'a CellFormat,
    /// The fast parser for lines without quotes.
    plain: PlainLines<'a>,
    reads_values: bool,
}

/// Parsed rows that are yet to be sent on: they stay in the processor's caches.
struct Staged<'a, 's> {
    columns: &'a TextColumns<'a>,
    sink: &'a mut Sink<'s>,
    /// The number of the first one, and how many they are.
    first: u64,
    rows: usize,
    /// Their values, row by row, with room for more rows behind.
    values: Vec<f64>,
    /// The number of values of a row.
    width: usize,
    /// The most rows.
    most: usize,
    /// Their targets and ids as text, one behind the other, and where each ends.
    texts: Vec<u8>,
    ends: Vec<(usize, usize)>,
}

impl<'a, 's> Staged<'a, 's> {
    /// The number of values in them, unless a single row has more.
    const VALUES: usize = 1 << 11;

    /// The most rows.
    const ROWS: usize = 256;

    fn new(columns: &'a TextColumns<'a>, sink: &'a mut Sink<'s>) -> Self {
        let width = if columns.reads_values { columns.schema.d() } else { 0 };
        let most = (Self::VALUES / width.max(1)).clamp(1, Self::ROWS);
        let values = vec![0.0; most * width];
        let (texts, ends) = (Vec::new(), Vec::new());
        Self { columns, sink, first: 1, rows: 0, values, width, most, texts, ends }
    }

    /// The place of a row's values.
    fn place(&mut self, number: u64) -> &mut [f64] {
        if self.rows == self.most || number != self.first + self.rows as u64 {
            self.send();
            self.first = number;
        }
        let start = self.rows * self.width;
        &mut self.values[start..start + self.width]
    }

    /// Takes in the row whose values are in their place.
    fn push(&mut self, texts: Texts<'_>) {
        let TextColumns { schema, format, .. } = self.columns;
        let class = schema.time_to_event().filter(|_| schema.event().is_some()).map(|events| {
            let [time, event] = [texts.target, texts.event].map(|text| Some(text.into()));
            events.class(time, event, format).unwrap_or_default()
        });
        self.texts.extend_from_slice(class.map_or(texts.target, str::as_bytes));
        let target = self.texts.len();
        self.texts.extend_from_slice(texts.id);
        self.ends.push((target, self.texts.len()));
        self.rows += 1;
    }

    /// Sends them on.
    fn send(&mut self) {
        if self.rows == 0 {
            return;
        }
        let schema = self.columns.schema;
        let (mut targets, mut ids) = (Vec::with_capacity(self.rows), Vec::new());
        let mut start = 0;
        for &(target, id) in &self.ends {
            let cell = |place: std::ops::Range<usize>| Some(TargetCell::Text(&self.texts[place]));
            targets.push(schema.target().and_then(|_| cell(start..target)));
            ids.extend(schema.id().map(|_| cell(target..id)));
            start = id;
        }
        let values = match self.columns.reads_values {
            true => Values::F64(Layout::Rows(&self.values[..self.rows * self.width])),
            false => Values::Unread,
        };
        (self.sink)(&Batch { ids: &ids, ..Batch::new(self.first, &targets, values) });
        self.texts.clear();
        self.ends.clear();
        self.rows = 0;
    }
}

impl TakeRows for Staged<'_, '_> {
    fn row(&mut self, number: u64, row: &Row<'_>) {
        let TextColumns { schema, format, .. } = self.columns;
        // There is room for every feature, or for none if values are not read.
        for (value, &column) in self.place(number).iter_mut().zip(schema.features()) {
            *value = format.value(row.cell(column));
        }
        let cell = |column: Option<usize>| column.map(|c| row.cell(c)).unwrap_or_default();
        let (target, event) = (cell(schema.target()), cell(schema.event()));
        self.push(Texts { target, event, id: cell(schema.id()) });
    }

    fn plain_line(&mut self, number: u64, line: &Line<'_>) -> bool {
        let TextColumns { plain, reads_values, .. } = self.columns;
        let place = self.place(number);
        let texts = match reads_values {
            true => plain.read(line, place),
            false => plain.read_texts(line),
        };
        texts.map(|texts| self.push(texts)).is_some()
    }
}

/// A line of a table whose lines are features.
struct FeatureLine {
    name: Vec<u8>,
    /// The values of the samples; empty where the line is the target.
    values: Vec<f64>,
    /// The cells, where the line is the target.
    cells: Option<Vec<Vec<u8>>>,
}

/// Reads a table whose lines are features, and holds it.
fn read_features(
    open: OpenText,
    table: &FileTable,
    opening: &Opening<'_>,
    targets: Option<&TargetTable>,
) -> Result<(Schema, Box<dyn Rows>)> {
    let role = table.target_role(targets, opening.events);
    let ids = open.ids()[1..].to_vec();
    let kept = match &role {
        TargetRole::Here(TargetColumn::Named(name)) => vec![name.as_str()],
        TargetRole::Events(events) => events.columns().map(|(name, _)| name).to_vec(),
        _ => Vec::new(),
    };
    let format = table.facts.cells();
    let line = |row: &Row<'_>| {
        let (name, cells) = (row.cell(0).to_vec(), 1..=ids.len());
        let is_target = kept.iter().any(|target| target.as_bytes() == name);
        let text = |c| row.cell(c).to_vec();
        let value = |c| format.value(row.cell(c));
        FeatureLine {
            name,
            cells: is_target.then(|| cells.clone().map(text).collect()),
            values: if is_target { Vec::new() } else { cells.map(value).collect() },
        }
    };
    let lines = open.rows(opening.threads, &line);
    let mut lines = lines.map_err(Error::without_column)?;
    let names = lines.iter().map(|(number, line)| table.line_name(*number, &line.name));
    let names = names.collect::<Result<_>>().map_err(Error::without_column)?;
    let schema = table.schema_of_lines(names, targets, opening)?;
    let mut cells = |place: Option<usize>| lines[place?].1.cells.take();
    let targets = match (cells(schema.target()), cells(schema.event()), role) {
        (Some(times), Some(ends), TargetRole::Events(events)) => {
            let class = |(time, end): (&Vec<u8>, &Vec<u8>)| {
                let cells = [time, end].map(|cell| Some(TargetCell::Text(cell)));
                let class = events.class(cells[0], cells[1], &format)?;
                Some(class.as_bytes().to_vec())
            };
            Some(times.iter().zip(&ends).map(class).collect())
        }
        (cells, ..) => cells.map(|cells| cells.into_iter().map(Some).collect()),
    };
    let values = |&place: &usize| HeldColumn::Values(std::mem::take(&mut lines[place].1.values));
    let features = schema.features().iter().map(values).collect();
    let names = schema.feature_names().map(str::to_owned).collect();
    let layout = FileColumns { names, ..FileColumns::default() };
    let (samples, ids) = (ids.len(), ids.into_iter().map(Some).collect());
    let held = HeldTable::new(layout, samples, features, Some(ids), targets);
    Ok((schema, Box::new(RowsOfBlocks::of_features(Box::new(held)))))
}
