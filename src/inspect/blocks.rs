//! Inspection of tables that are not text.

use std::collections::HashMap;

use super::Inspection;
use super::beside::Beside;
use super::column::{ColumnSummary, NumberSummary};
use super::findings::{self, Written};
use crate::data::{
    BLOCKS, CellFormat, FileTable, Format, Hooks, Orientation, Results, RowBlock, RowValues,
    TextCell, TextPlace, Wanted, codes, on_blocks,
};
use crate::error::Result;
use crate::select::Target;

/// Inspects a table that is not text, in one pass.
pub(super) fn inspect(
    table: &FileTable,
    format: Format,
    target: Option<&Target>,
) -> Result<Inspection> {
    let stated = &table.facts;
    let file = table.open_blocks(format)?;
    let layout = file.layout();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let is_text = |column: &usize| layout.texts.binary_search(column).is_ok();
    let ids = layout.ids && !layout.no_ids && stated.ids().is_none();
    let beside = [(ids, TextPlace::Ids), (layout.target, TextPlace::Target)];
    let beside = beside.into_iter().filter(|(there, _)| *there).map(|(_, place)| place);
    let texts = layout.texts.iter().map(|&column| TextPlace::Column(column)).chain(beside);
    let wanted = Wanted {
        numbers: (0..layout.names.len()).filter(|column| !is_text(column)).collect(),
        texts: texts.collect(),
        block: BLOCKS / (threads + 1),
        ..Wanted::default()
    };
    let id = match stated.ids().and_then(|id| layout.names.iter().position(|n| n == id)) {
        Some(column) => TextPlace::Column(column),
        None if ids => TextPlace::Ids,
        None => TextPlace::Column(0),
    };
    let (format_of_cells, missing) = codes(&stated.cells());
    let new = || BlockLook {
        format: &format_of_cells,
        missing: &missing,
        rows: 0,
        numbers: vec![NumberSummary::default(); wanted.numbers.len()],
        merged: None,
        texts: vec![ColumnSummary::default(); wanted.texts.len()],
        id: wanted.texts.iter().position(|place| *place == id),
        ids: HashMap::new(),
    };
    let looks = Results::new();
    on_blocks(&*file, &wanted, threads, &table.hooks(&Hooks::default()), &|_, blocks| {
        looks.add(new(), |look| blocks.each(|first, block| look.block(first, block)))
    })?;
    let look = looks.merged(BlockLook::merge).unwrap_or_else(new).merged();
    // The columns in file order, ids before and a target after them.
    let mut places: Vec<(usize, ColumnSummary)> = Vec::new();
    let (d, rows) = (layout.names.len(), look.rows);
    let place = |place: &TextPlace| match place {
        TextPlace::Ids => 0,
        TextPlace::Column(column) => column + 1,
        TextPlace::Target => d + 1,
    };
    let numbers = wanted.numbers.iter().map(|column| column + 1);
    places.extend(numbers.zip(look.merged.unwrap_or_default()));
    places.extend(wanted.texts.iter().map(place).zip(look.texts));
    places.sort_by_key(|(place, _)| *place);
    let columns: Vec<ColumnSummary> = places.into_iter().map(|(_, column)| column).collect();
    let beside_name = layout.target_name.clone().unwrap_or_else(|| "y".to_owned());
    let mut header: Vec<String> = ids.then(String::new).into_iter().collect();
    header.extend(layout.names.iter().cloned());
    header.extend(layout.target.then_some(beside_name));
    let duplicated_ids = look.ids.values().filter(|&&count| count > 1).count();
    let turned = layout.orientation == Orientation::FeaturesAsRows;
    let beside = Beside::read(stated, &look.ids, if turned { &[] } else { &header })?;
    let (findings, suggestion) = findings::draw(findings::Seen {
        stated,
        stated_target: target,
        header: &header,
        written: Written::Blocks { format, ids, target: layout.target },
        turned,
        rows,
        columns: &columns,
        different_ids: look.ids.len(),
        duplicated_ids,
        beside: beside.as_ref(),
        next_cells: 0,
    });
    Ok(Inspection { rows, columns: d, names: header, findings, suggestion })
}

/// Counts what each column holds.
struct BlockLook<'a> {
    format: &'a CellFormat,
    missing: &'a [f64],
    rows: u64,
    numbers: Vec<NumberSummary>,
    /// The counts of other threads.
    merged: Option<Vec<ColumnSummary>>,
    texts: Vec<ColumnSummary>,
    /// The place of the text that may be the id.
    id: Option<usize>,
    /// The number of times that each id occurs.
    ids: HashMap<Vec<u8>, u64>,
}

impl BlockLook<'_> {
    /// Merges its own counts of numbers into those of the others.
    fn merged(mut self) -> Self {
        let own = std::mem::take(&mut self.numbers).into_iter().map(NumberSummary::into_summary);
        self.merged = Some(match self.merged.take() {
            None => own.collect(),
            Some(mut merged) => {
                merged.iter_mut().zip(own).for_each(|(column, more)| column.merge(more));
                merged
            }
        });
        self
    }

    fn values<A: Copy + Into<f64>>(&mut self, values: &[A]) {
        for row in values.chunks(self.numbers.len().max(1)) {
            for (column, &value) in self.numbers.iter_mut().zip(row) {
                column.take_in(value.into(), self.missing);
            }
        }
    }

    fn block(&mut self, first: u64, block: RowBlock) {
        self.rows += block.rows as u64;
        match &block.values {
            RowValues::F32(values) => self.values(values),
            RowValues::F64(values) => self.values(values),
        }
        let text = |cell: &'_ TextCell| cell.clone().unwrap_or_default();
        for (column, cells) in self.texts.iter_mut().zip(&block.texts) {
            for (cell, row) in cells.iter().zip(first..) {
                column.take_in(&text(cell), row, self.format);
            }
        }
        for cell in self.id.and_then(|id| block.texts.get(id)).into_iter().flatten() {
            *self.ids.entry(text(cell).trim_ascii().to_vec()).or_default() += 1;
        }
    }

    fn merge(&mut self, other: Self) {
        let other = other.merged();
        self.rows += other.rows;
        match (&mut self.merged, other.merged) {
            (Some(merged), Some(more)) => {
                merged.iter_mut().zip(more).for_each(|(column, more)| column.merge(more));
            }
            (merged @ None, more) => *merged = more,
            _ => {}
        }
        for (column, more) in self.texts.iter_mut().zip(other.texts) {
            column.merge(more);
        }
        for (id, count) in other.ids {
            *self.ids.entry(id).or_default() += count;
        }
    }
}
