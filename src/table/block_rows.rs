//! Blocks of rows as samples, for every format but text.

use std::ops::Range;

use crate::error::{Error, Parameter, Result};
use crate::table::batch::{BATCH, Batch, Folds, Layout, Sink, Values};
use crate::table::block_table::{BlockTable, RowBlock, RowValues, TextCell, TextPlace, Wanted};
use crate::table::block_turns::{BLOCKS, on_blocks};
use crate::table::cell::CellFormat;
use crate::table::event::TimeToEvent;
use crate::table::file::FileTable;
use crate::table::files::{OpenFile, Rows};
use crate::table::open_table::{Opening, in_ranges};
use crate::table::schema::{Orientation, Schema, TargetColumn, TargetRole};
use crate::table::target::TargetCell;
use crate::table::targets::TargetTable;

/// The rows of a file that is not text.
pub(super) struct RowsOfBlocks {
    table: Box<dyn BlockTable>,
    wanted: Wanted,
    /// The places of target and id among the wanted texts, from 0.
    target: Option<usize>,
    id: Option<usize>,
    /// If the target's cells are times: the place of the events, and the definition of the target.
    events: Option<(usize, TimeToEvent)>,
}

impl FileTable {
    /// Assigns the roles of an open table's columns.
    pub(super) fn rows_of_blocks(
        &self,
        table: Box<dyn BlockTable>,
        targets: Option<&TargetTable>,
        opening: &Opening<'_>,
    ) -> Result<OpenFile> {
        let facts = &self.facts;
        let layout = table.layout();
        let by_id = targets.is_some_and(|targets| !targets.in_order());
        let own_target = targets.is_none()
            && opening.events.is_none()
            && layout.target
            && match (&facts.target, &layout.target_name) {
                (TargetColumn::Last, None) => true,
                (TargetColumn::Named(given), Some(own)) => given == own,
                _ => false,
            };
        if by_id && !layout.ids && !layout.named {
            let rule = "this file has no ids: a target file for it holds one value for each sample";
            return Err(Error::request(rule));
        }
        let last = layout.last().map(|column| TargetColumn::At(column + 1));
        let role = match targets {
            Some(_) if by_id && !layout.ids => TargetRole::Elsewhere,
            Some(_) => TargetRole::Apart,
            None if own_target => TargetRole::Apart,
            None => match (self.target_role(None, opening.events), &last) {
                (TargetRole::Here(TargetColumn::Last), Some(last)) => TargetRole::Here(last),
                (role, _) => role,
            },
        };
        if layout.orientation == Orientation::SamplesAsRows {
            self.check_not_turned(&layout.names)?;
        }
        let names = layout.names.clone();
        let schema = match layout.orientation {
            Orientation::SamplesAsRows => {
                // An index may be named as the target.
                let is_target = |column: usize| match &role {
                    TargetRole::Here(TargetColumn::Named(name)) => *name == names[column],
                    TargetRole::Here(TargetColumn::At(place)) => *place == column + 1,
                    TargetRole::Events(events) => {
                        events.columns().iter().any(|(name, _)| *name == names[column])
                    }
                    _ => false,
                };
                let index = layout.index.iter().filter(|column| !is_target(**column));
                let index = index.map(|&column| names[column].clone());
                let excluded: Vec<String> = facts.excluded().into_iter().chain(index).collect();
                Schema::of_columns(names, &role, facts.ids_given(), &excluded)
            }
            Orientation::FeaturesAsRows => Schema::of_rows(names, &role, &facts.exclude),
        };
        let schema = match layout.units {
            true => schema?.with_people_beside(),
            false => schema?
                .with_people(facts.unit.is_some())
                .joined(by_id)
                .with_one_row_each(facts.has_one_row_each(by_id)),
        };
        let schema = schema.with_events_elsewhere(opening.events);
        check_printable(&schema)?;
        let schema = schema.with_text_types(layout.text_types.clone());
        check_read(&schema, &layout.unread)?;
        check_times(&schema, &layout.dates)?;
        self.check_targets_have_header(targets, opening.labels)
            .map_err(|error| error.hint("is the header missing in the target file?"))?;
        let format = facts.cells();
        // An eighth of the memory of a run is for them.
        let of_blocks = opening.memory.map_or(2 * BLOCKS as u64, |memory| memory / 8);
        let of_blocks = usize::try_from(of_blocks).unwrap_or(usize::MAX);
        let mut wanted = Wanted {
            numbers: schema.features().to_vec(),
            texts: Vec::new(),
            block: of_blocks.min(BLOCKS) / (opening.threads + 1),
            wide: of_blocks / (opening.threads + 1),
            format: format.clone(),
            threads: opening.threads,
            part: None,
        };
        let mut want = |place: Option<TextPlace>| {
            place.map(|place| {
                wanted.texts.push(place);
                wanted.texts.len() - 1
            })
        };
        let outside = own_target.then_some(TextPlace::Target);
        let target = want(outside.or(schema.target().map(TextPlace::Column)));
        let ids = match schema.id() {
            Some(column) => TextPlace::Column(column),
            None => TextPlace::Ids,
        };
        let reads_ids = by_id || schema.has_people() || schema.has_one_row_each();
        let id = want(reads_ids.then_some(ids));
        let event = want(schema.event().map(TextPlace::Column));
        let events = event.zip(schema.time_to_event().cloned());
        let is_text = |column: &usize| layout.texts.binary_search(column).is_ok();
        let has_words = layout.all_texts || schema.features().iter().any(is_text);
        let is_boolean = |column: &usize| layout.booleans.binary_search(column).is_ok();
        let (number_target, boolean_target) = match target.map(|place| wanted.texts[place]) {
            Some(TextPlace::Column(column)) => {
                (!layout.all_texts && !is_text(&column), is_boolean(&column))
            }
            Some(TextPlace::Target) => (layout.number_target, layout.boolean_target),
            _ => (false, false),
        };
        let schema = schema.with_boolean_target(boolean_target && opening.events.is_none());
        let rows = Box::new(RowsOfBlocks { table, wanted, target, id, events });
        Ok(OpenFile { schema, format, has_words, number_target, rows })
    }
}

impl RowsOfBlocks {
    /// Rows whose columns are all features, in memory, with ids and perhaps targets outside them.
    pub(super) fn of_features(table: Box<dyn BlockTable>) -> Self {
        let numbers = (0..table.layout().names.len()).collect();
        let mut wanted = Wanted { numbers, texts: vec![TextPlace::Ids], ..Wanted::default() };
        let target = table.layout().target.then_some(1);
        wanted.texts.extend(target.map(|_| TextPlace::Target));
        Self { table, wanted, target, id: Some(0), events: None }
    }

    /// Sends rows on with these texts; `first` is the number of the first row.
    fn send(
        &self,
        first: u64,
        texts: &[Vec<TextCell>],
        rows: Range<usize>,
        values: Values<'_>,
        sink: &mut Sink<'_>,
    ) {
        let cells = |of: Option<usize>| {
            let cells = texts.get(of?)?[rows.clone()].iter();
            Some(cells.map(|cell| cell.as_deref().map(TargetCell::Text)).collect())
        };
        let mut targets: Vec<_> = cells(self.target).unwrap_or_else(|| vec![None; rows.len()]);
        if let Some((place, events)) = &self.events {
            let ends: Vec<_> = cells(Some(*place)).unwrap_or_else(|| vec![None; rows.len()]);
            for (target, end) in targets.iter_mut().zip(ends) {
                let class = events.class(*target, end, &self.wanted.format);
                *target = class.map(|class| TargetCell::Text(class.as_bytes()));
            }
        }
        let ids: Vec<_> = cells(self.id).unwrap_or_default();
        sink(&Batch { ids: &ids, ..Batch::new(first, &targets, values) });
    }

    /// Sends the rows of a block on; `first` is the number of its first row.
    fn send_block(&self, first: u64, block: &RowBlock, read_values: bool, sink: &mut Sink<'_>) {
        let d = self.wanted.numbers.len();
        for start in (0..block.rows).step_by(BATCH) {
            let rows = start..(start + BATCH).min(block.rows);
            let places = rows.start * d..rows.end * d;
            let (narrow, wide): (Vec<&[f32]>, Vec<&[f64]>);
            let values = match &block.values {
                _ if !read_values => Values::Unread,
                RowValues::F32(values) if block.by_column => {
                    narrow = columns_of(values, block.rows, &rows);
                    Values::F32(Layout::Columns(&narrow))
                }
                RowValues::F64(values) if block.by_column => {
                    wide = columns_of(values, block.rows, &rows);
                    Values::F64(Layout::Columns(&wide))
                }
                RowValues::F32(values) => Values::F32(Layout::Rows(&values[places])),
                RowValues::F64(values) => Values::F64(Layout::Rows(&values[places])),
            };
            self.send(first + start as u64, &block.texts, rows, values, sink);
        }
    }
}

/// Some rows of each column of values that are stored column by column.
fn columns_of<'a, A>(values: &'a [A], rows: usize, some: &Range<usize>) -> Vec<&'a [A]> {
    values.chunks_exact(rows.max(1)).map(|column| &column[some.clone()]).collect()
}

impl Rows for RowsOfBlocks {
    fn can_repeat(&self) -> bool {
        true
    }

    fn pass(
        &mut self,
        _: &Schema,
        _: &CellFormat,
        opening: &Opening<'_>,
        folds: &dyn Folds,
    ) -> Result<()> {
        let (this, read_values) = (&*self, folds.read_values());
        if let Some(columns) = this.table.columns(&this.wanted) {
            let rows = this.table.layout().rows.unwrap_or_default() as usize;
            let size = (rows, columns.len());
            return in_ranges(size, opening.threads, &opening.hooks, folds, &|rows, sink| {
                let texts = this.table.texts(&this.wanted, rows.clone())?;
                let some: Vec<&[f64]>;
                let values = match read_values {
                    true => {
                        some = columns.iter().map(|values| &values[rows.clone()]).collect();
                        Values::F64(Layout::Columns(&some))
                    }
                    false => Values::Unread,
                };
                this.send(rows.start as u64 + 1, &texts, 0..rows.len(), values, sink);
                Ok(())
            });
        }
        let mut wanted = this.wanted.clone();
        if !read_values {
            wanted.numbers.clear();
        }
        on_blocks(&*this.table, &wanted, opening.threads, &opening.hooks, &|place, blocks| {
            folds.thread(place, &mut |sink| {
                blocks.each(|first, block: RowBlock| {
                    this.send_block(first, &block, read_values, sink);
                })
            })
        })?;
        folds.merge();
        Ok(())
    }
}

/// Refuses columns of a type that is not read, unless they are excluded.
fn check_read(schema: &Schema, unread: &[usize]) -> Result<()> {
    let is_unread = |column: &usize| unread.binary_search(column).is_ok();
    let used = schema.target().into_iter().chain(schema.event()).chain(schema.id());
    if let Some(column) = used.into_iter().find(is_unread) {
        let name = schema.name(column);
        return Err(Error::input(format!(
            "the column {name:?}, of targets or identifiers, holds neither numbers, dates nor texts"
        ))
        .hint("convert it, or name another column"));
    }
    if let Some(&column) = schema.features().iter().find(|column| is_unread(column)) {
        let name = schema.name(column);
        let rule = format!("the column {name:?} holds neither numbers, dates nor texts");
        return Err(Error::input(rule).hint("exclude it").about([Parameter::Exclude]));
    }
    Ok(())
}

/// Refuses times that are dates or times of day by their type.
fn check_times(schema: &Schema, dates: &[usize]) -> Result<()> {
    let times = schema.target().filter(|_| schema.event().is_some());
    match times.filter(|column| dates.binary_search(column).is_ok()) {
        None => Ok(()),
        Some(column) => {
            let rule = format!(
                "the column of times {:?} holds dates or times of day",
                schema.name(column)
            );
            Err(Error::request(rule)
                .hint("give the time from each row's start of follow-up, as a number of days")
                .about([Parameter::Time]))
        }
    }
}

/// Refuses names that hold a line break: names are printed, one per line.
fn check_printable(schema: &Schema) -> Result<()> {
    let broken = |name: &str| name.contains(['\n', '\r', '\0']);
    match schema.feature_names().position(broken) {
        None => Ok(()),
        Some(feature) => {
            let place = schema.features()[feature] + 1;
            let rule = format!("the name of column {place} holds a line break");
            Err(Error::input(rule).hint("rename it"))
        }
    }
}
