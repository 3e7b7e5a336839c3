//! Inspection of tables that are not text.

use super::column::ColumnSummary;
use super::counts::Counts;
use super::findings::{self, Written};
use super::missing::MissingByTarget;
use super::people::People;
use super::target_file::TargetFile;
use super::{Decimal, GivenTarget, Inspection, names};
use crate::error::Result;
use crate::request::Target;
use crate::table::{
    BLOCKS, CellFormat, FileTable, Format, Hooks, Orientation, Results, RowBlock, TextCell,
    TextPlace, Wanted, on_blocks,
};
use crate::threads::available_threads;

/// Inspects a table that is not text, in one pass.
pub(super) fn inspect(
    table: &FileTable,
    format: Format,
    given_target: &GivenTarget,
) -> Result<Inspection> {
    let (given, target) = (&table.facts, given_target.target.as_ref());
    let file = table.open_blocks(format)?;
    let layout = file.layout();
    let threads = available_threads();
    let is_text = |column: &usize| layout.texts.binary_search(column).is_ok();
    let is_read = |column: &usize| layout.unread.binary_search(column).is_err();
    let ids = layout.ids && !layout.no_ids && given.ids().is_none();
    let target_file = [(ids, TextPlace::Ids), (layout.target, TextPlace::Target)];
    let target_file = target_file.into_iter().filter(|(there, _)| *there).map(|(_, place)| place);
    let texts =
        layout.texts.iter().copied().filter(is_read).map(TextPlace::Column).chain(target_file);
    let mut wanted = Wanted {
        numbers: (0..layout.names.len())
            .filter(|column| !is_text(column) && is_read(column))
            .collect(),
        texts: texts.collect(),
        block: BLOCKS / (threads + 1),
        format: given.cells(),
        ..Wanted::default()
    };
    let named_as_ids = names::named_as_identifiers(&layout.names);
    let id = match given.ids().and_then(|id| layout.names.iter().position(|n| n == id)) {
        Some(column) => TextPlace::Column(column),
        None if ids => TextPlace::Ids,
        None => TextPlace::Column(named_as_ids.unwrap_or(0)),
    };
    if let TextPlace::Column(column) = id
        && (given.ids().is_some() || named_as_ids.is_some())
        && is_read(&column)
        && !wanted.texts.contains(&id)
    {
        wanted.texts.push(id);
    }
    let target_place = match layout.target {
        true => Some(TextPlace::Target),
        false => names::place_of_target(&given.target, &layout.names, &layout.index)
            .map(TextPlace::Column),
    };
    // Labels are dates as they are written, and numbers with all of their digits.
    if let (Some(place @ TextPlace::Column(column)), None | Some(Target::Classes(_))) =
        (target_place, target)
        && is_read(&column)
    {
        wanted.numbers.retain(|number| *number != column);
        if !wanted.texts.contains(&place) {
            wanted.texts.push(place);
        }
    }
    let column = |place: TextPlace| match Some(place) == target_place {
        true => ColumnSummary::of_target(target, &wanted.format),
        false => ColumnSummary::default(),
    };
    let numbers: Vec<ColumnSummary> =
        wanted.numbers.iter().map(|&place| column(TextPlace::Column(place))).collect();
    let texts: Vec<ColumnSummary> = wanted.texts.iter().map(|&place| column(place)).collect();
    let target_of = |place: TextPlace| {
        let text = wanted.texts.iter().position(|text| *text == place).map(InBlock::Text);
        let TextPlace::Column(column) = place else { return text };
        let number = wanted.numbers.binary_search(&column).ok().map(InBlock::Number);
        number.or(text)
    };
    let turned = layout.orientation == Orientation::FeaturesAsRows;
    let new = || BlockLook {
        format: &wanted.format,
        rows: 0,
        target: target_place.filter(|_| !turned).and_then(target_of),
        missing: MissingByTarget::new(wanted.numbers.len() + wanted.texts.len()),
        numbers: numbers.clone(),
        texts: texts.clone(),
        id: wanted.texts.iter().position(|place| *place == id),
        ids: People::default(),
    };
    let looks = Results::new();
    on_blocks(&*file, &wanted, threads, &table.hooks(&Hooks::default()), &|_, blocks| {
        looks.add(new(), |look| blocks.each(|first, block| look.block(first, block)))
    })?;
    let look = looks.merged(BlockLook::merge).unwrap_or_else(new);
    // The columns in file order, with identifiers before and a target after them.
    let (d, rows) = (layout.names.len(), look.rows);
    let place = |place: &TextPlace| match place {
        TextPlace::Ids => 0,
        TextPlace::Column(column) => column + 1,
        TextPlace::Target => d + 1,
    };
    let mut places: Vec<(usize, ColumnSummary, Option<usize>)> =
        layout.unread.iter().map(|column| (column + 1, ColumnSummary::unread(), None)).collect();
    let numbers = wanted.numbers.iter().zip(look.numbers).zip(0..);
    places.extend(numbers.map(|((column, summary), i)| (column + 1, summary, Some(i))));
    // A numeric column that may hold identifiers is also read as text.
    let is_own = |((place, _), _): &((&TextPlace, _), _)| match place {
        TextPlace::Column(column) => wanted.numbers.binary_search(column).is_err(),
        _ => true,
    };
    let texts = wanted.texts.iter().zip(look.texts).zip(wanted.numbers.len()..).filter(is_own);
    places.extend(texts.map(|((of, column), i)| (place(of), column, Some(i))));
    places.sort_by_key(|(place, ..)| *place);
    let order: Vec<Option<usize>> = places.iter().map(|(.., counted)| *counted).collect();
    let missing = look.missing.in_order(&order);
    let columns: Vec<ColumnSummary> = places.into_iter().map(|(_, column, _)| column).collect();
    let beside_name = layout.target_name.clone().unwrap_or_else(|| "y".to_owned());
    let mut header: Vec<String> = ids.then(String::new).into_iter().collect();
    header.extend(layout.names.iter().cloned());
    header.extend(layout.target.then_some(beside_name));
    let in_header = if turned { &[][..] } else { &header };
    let target_file = TargetFile::read(given, (&look.ids, &wanted.format), in_header, target)?;
    let before = usize::from(ids);
    let index: Vec<usize> = layout.index.iter().map(|column| column + before).collect();
    let counts = Counts::read(table, target);
    let (findings, suggestion) = findings::draw(findings::Seen {
        given,
        given_target,
        header: &header,
        written: Written::Blocks { format, ids, target: layout.target },
        turned,
        rows,
        columns: &columns,
        missing: &missing,
        people: &look.ids,
        target_file: target_file.as_ref(),
        next_cells: 0,
        decimal: Decimal::Point,
        // Cells are parsed when the file is opened if features are rows.
        unused_codes: if turned { Vec::new() } else { wanted.format.unused_codes() },
        index: &index,
        event_counts: counts.as_ref(),
        table,
    });
    Ok(Inspection { rows, columns: d, names: header, findings, suggestion })
}

/// Counts the content of each column.
struct BlockLook<'a> {
    format: &'a CellFormat,
    rows: u64,
    target: Option<InBlock>,
    numbers: Vec<ColumnSummary>,
    texts: Vec<ColumnSummary>,
    /// Missing values by the target: of the numbers, then of the texts.
    missing: MissingByTarget,
    /// The place of the text column that may hold identifiers.
    id: Option<usize>,
    ids: People,
}

/// The place of the target in a block.
#[derive(Debug, Clone, Copy)]
enum InBlock {
    Number(usize),
    Text(usize),
}

impl BlockLook<'_> {
    fn block(&mut self, first: u64, block: RowBlock) {
        self.rows += block.rows as u64;
        let text = |cell: &'_ TextCell| cell.clone().unwrap_or_default();
        let columns = self.numbers.len();
        let mut targets = Vec::new();
        match self.target {
            Some(InBlock::Text(place)) => {
                let cells = block.texts[place].iter();
                targets.extend(cells.map(|cell| self.missing.target(&text(cell), self.format)));
            }
            Some(InBlock::Number(place)) => {
                block.each_value(place, columns, |value| targets.push(self.missing.number(value)));
            }
            None => {}
        }
        for (c, summary) in self.numbers.iter_mut().enumerate() {
            let mut targets = targets.iter();
            block.each_value(c, columns, |value| {
                summary.take_number(value);
                if let (Some(Some(target)), false) = (targets.next(), value.is_finite()) {
                    self.missing.missing(c, *target);
                }
            });
        }
        for (c, (column, cells)) in self.texts.iter_mut().zip(&block.texts).enumerate() {
            for (i, cell) in cells.iter().enumerate() {
                let is_missing = column.take_in(&text(cell), first + i as u64, self.format);
                if let (true, Some(Some(target))) = (is_missing, targets.get(i)) {
                    self.missing.missing(self.numbers.len() + c, *target);
                }
            }
        }
        let ids = self.id.and_then(|id| block.texts.get(id)).into_iter().flatten();
        for (i, cell) in ids.enumerate() {
            self.ids.row(&text(cell), targets.get(i).copied().flatten(), self.format);
        }
    }

    fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.numbers.iter_mut().zip(other.numbers).for_each(|(column, more)| column.merge(more));
        self.texts.iter_mut().zip(other.texts).for_each(|(column, more)| column.merge(more));
        let places = self.missing.merge(other.missing);
        self.ids.merge(other.ids, &places);
    }
}
