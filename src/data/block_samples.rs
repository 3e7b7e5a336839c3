//! Blocks of rows as samples, for every format but text.

use std::sync::Arc;

use crate::data::block_fold::{BLOCKS, BlockFold, fold_blocks};
use crate::data::block_table::{BlockTable, RowBlock, RowValues, TextCell, TextPlace, Wanted};
use crate::data::file::FileTable;
use crate::data::hooks::Hooks;
use crate::data::number::{CellFormat, parse_number};
use crate::data::sample::{RowOf, Sample, SampleFold, Value};
use crate::data::samples::{Opening, Samples};
use crate::data::schema::{Orientation, Schema, TargetColumn, TargetRole};
use crate::data::target::TargetCell;
use crate::data::targets::{Join, TargetTable, no_usable_target};
use crate::error::{Error, Result};

/// A file of numbers whose features and target are known.
pub struct BlockSamples {
    table: Box<dyn BlockTable>,
    schema: Schema,
    format: CellFormat,
    /// The codes for missing values that are numbers.
    missing: Vec<f64>,
    pub(super) targets: Option<TargetTable>,
    wanted: Wanted,
    /// The places of target and id among the wanted texts, from 0.
    target: Option<usize>,
    id: Option<usize>,
    threads: usize,
    hooks: Hooks,
    /// What the numbers of rows are counted from.
    pub(super) before: u64,
    /// The places of the features in the order in which they are passed on, if it is another one.
    pub(super) order: Option<Arc<[usize]>>,
}

impl BlockSamples {
    /// Assigns the roles of an open table's columns.
    pub(super) fn new(
        table: Box<dyn BlockTable>,
        stated: &FileTable,
        opening: &Opening<'_>,
    ) -> Result<Self> {
        let facts = &stated.facts;
        let targets = stated.targets()?;
        let layout = table.layout();
        let by_id = targets.as_ref().is_some_and(|targets| !targets.in_order());
        let own_target = targets.is_none()
            && layout.target
            && match (&facts.target, &layout.target_name) {
                (TargetColumn::Last, None) => true,
                (TargetColumn::Named(stated), Some(own)) => stated == own,
                _ => false,
            };
        if by_id && !layout.ids && !layout.named {
            let rule = "this file has no ids: a target file for it holds one value for each sample";
            return Err(Error::request(rule));
        }
        let role = match &targets {
            Some(_) if by_id && !layout.ids => TargetRole::Elsewhere,
            Some(_) => TargetRole::Apart,
            None if own_target => TargetRole::Apart,
            None => stated.target_role(None),
        };
        if layout.orientation == Orientation::SamplesAsRows {
            stated.check_not_turned(&layout.names)?;
        }
        let names = layout.names.clone();
        let schema = match layout.orientation {
            Orientation::SamplesAsRows => {
                Schema::of_columns(names, &role, facts.ids(), &facts.excluded())
            }
            Orientation::FeaturesAsRows => Schema::of_rows(names, &role, &facts.exclude),
        };
        let schema = match layout.units {
            true => schema?.with_people_beside(),
            false => schema?.with_people(facts.unit.is_some()).joined(by_id),
        };
        check_printable(&schema)?;
        stated
            .check_targets_have_header(targets.as_ref(), opening.labels)
            .map_err(|error| error.hint("is the header missing in the target file?"))?;
        let (format, missing) = codes(&facts.cells());
        // An eighth of the memory of a run is for them.
        let of_blocks = opening.memory.map_or(2 * BLOCKS as u64, |memory| memory / 8);
        let of_blocks = usize::try_from(of_blocks).unwrap_or(usize::MAX);
        let mut wanted = Wanted {
            numbers: schema.features().to_vec(),
            texts: Vec::new(),
            block: of_blocks.min(BLOCKS) / (opening.threads + 1),
            wide: of_blocks / (opening.threads + 1),
            format: format.clone(),
        };
        let mut want = |place: Option<TextPlace>| {
            place.map(|place| {
                wanted.texts.push(place);
                wanted.texts.len() - 1
            })
        };
        let beside = own_target.then_some(TextPlace::Target);
        let target = want(beside.or(schema.target().map(TextPlace::Column)));
        let ids = match schema.id() {
            Some(column) => TextPlace::Column(column),
            None => TextPlace::Ids,
        };
        let id = want((by_id || schema.has_people()).then_some(ids));
        let (threads, hooks) = (opening.threads, opening.hooks.clone());
        Ok(Self {
            table,
            schema,
            format,
            missing,
            targets,
            wanted,
            target,
            id,
            before: 0,
            order: None,
            threads,
            hooks,
        })
    }

    /// Whether the type of the target says that it is a number.
    pub(super) fn has_number_target(&self) -> bool {
        let layout = self.table.layout();
        match self.target.map(|place| self.wanted.texts[place]) {
            Some(TextPlace::Column(column)) => {
                !layout.all_texts && layout.texts.binary_search(&column).is_err()
            }
            Some(TextPlace::Target) => layout.number_target,
            _ => false,
        }
    }

    /// The features and the target.
    pub(super) fn into_schema(self) -> Schema {
        self.schema
    }
}

impl Samples for BlockSamples {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn format(&self) -> &CellFormat {
        &self.format
    }

    fn can_repeat(&self) -> bool {
        true
    }

    fn has_words(&self) -> bool {
        let layout = self.table.layout();
        let is_text = |column: &usize| layout.texts.binary_search(column).is_ok();
        layout.all_texts || self.schema.features().iter().any(is_text)
    }

    fn fold<F: SampleFold>(&mut self, new: &(dyn Fn() -> F + Sync)) -> Result<F> {
        let this = &*self;
        let mut wanted = this.wanted.clone();
        if !F::READS_VALUES {
            wanted.numbers.clear();
        }
        let d = wanted.numbers.len();
        let join = || Join::new(this.targets.as_ref());
        let new = || RowsFold { table: this, d, fold: new(), join: join() };
        let folded = fold_blocks(&*this.table, &wanted, this.threads, &this.hooks, &new)?;
        folded.join.finish()?;
        Ok(folded.fold)
    }

    fn no_usable_target(&self, labels: bool) -> Error {
        no_usable_target(&self.schema, self.targets.as_ref(), labels)
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
            Err(Error::input(rule))
        }
    }
}

/// The stated codes for missing values: as texts, with numbers also in their shortest form, and those
/// that are numbers as such.
pub(crate) fn codes(stated: &CellFormat) -> (CellFormat, Vec<f64>) {
    let numbers: Vec<f64> =
        stated.missing.iter().filter_map(|code| parse_number(code.as_bytes())).collect();
    let texts = numbers.iter().map(f64::to_string).chain(stated.missing.iter().cloned());
    (CellFormat { missing: texts.collect(), ..stated.clone() }, numbers)
}

/// Puts the values of each row in this order, if there is one.
pub(super) fn reorder<A: Copy>(values: &mut [A], order: Option<&[usize]>) {
    let Some(order) = order else { return };
    let mut row = Vec::with_capacity(order.len());
    for values in values.chunks_exact_mut(order.len().max(1)) {
        row.clear();
        row.extend(order.iter().map(|&place| values[place]));
        values.copy_from_slice(&row);
    }
}

/// Passes rows on as samples, joined to their targets.
struct RowsFold<'a, F> {
    table: &'a BlockSamples,
    /// The number of values per row.
    d: usize,
    fold: F,
    join: Join<'a>,
}

impl<F: SampleFold> BlockFold for RowsFold<'_, F> {
    fn block(&mut self, first: u64, block: RowBlock) {
        let missing = &self.table.missing;
        let order = self.table.order.as_deref().filter(|order| order.len() == self.d);
        let is_missing = |value: f64| missing.contains(&value);
        match block.values {
            RowValues::F32(mut values) => {
                if !missing.is_empty() {
                    let gone = values.iter_mut().filter(|value| is_missing(f64::from(**value)));
                    gone.for_each(|value| *value = f32::NAN);
                }
                reorder(&mut values, order);
                self.rows(first, block.rows, &values, &block.texts);
            }
            RowValues::F64(mut values) => {
                if !missing.is_empty() {
                    let gone = values.iter_mut().filter(|value| is_missing(**value));
                    gone.for_each(|value| *value = f64::NAN);
                }
                reorder(&mut values, order);
                self.rows(first, block.rows, &values, &block.texts);
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.fold.merge(other.fold);
        self.join.merge(other.join);
    }
}

impl<F: SampleFold> RowsFold<'_, F> {
    /// Passes on rows of `d` values each, stored row by row, that take part.
    fn rows<A: Value>(&mut self, first: u64, rows: usize, values: &[A], texts: &[Vec<TextCell>]) {
        let d = self.d;
        let text = |of: Option<usize>, row: usize| texts.get(of?)?.get(row)?.as_deref();
        for (row, number) in (0..rows).zip(first..) {
            let (here, id) = (text(self.table.target, row), text(self.table.id, row));
            let Some(target) = self.join.target(number, id, here) else { continue };
            let sample = Sample::new(target.map(TargetCell::Text), &values[row * d..(row + 1) * d]);
            let row = RowOf { id: id.map(TargetCell::Text), number: self.table.before + number };
            self.fold.sample(Sample { row, ..sample });
        }
    }
}
