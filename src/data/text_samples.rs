//! Text tables of either orientation, ready for passes over their samples.

use std::sync::Arc;

use crate::data::block_table::TextCell;
use crate::data::blocks::{RowFold, Shape};
use crate::data::cells::{Line, Row};
use crate::data::file::FileTable;
use crate::data::hooks::Hooks;
use crate::data::number::CellFormat;
use crate::data::plain::{PlainLines, Texts};
use crate::data::sample::{FeatureMajor, RowOf, Sample, SampleFold, fold_numbered};
use crate::data::samples::{Opening, Samples};
use crate::data::schema::{Orientation, Schema, TargetColumn, TargetRole};
use crate::data::table::{OpenTable, TableFile};
use crate::data::target::TargetCell;
use crate::data::targets::{Join, TargetTable, joined, no_usable_target};
use crate::error::{Error, Result};

/// A text table whose features and target are known.
pub struct TextSamples {
    schema: Schema,
    format: CellFormat,
    pub(super) targets: Option<TargetTable>,
    threads: usize,
    hooks: Hooks,
    /// What the numbers of rows are counted from.
    pub(super) before: u64,
    /// The places of the features in the order in which they are passed on, if it is another one.
    pub(super) order: Option<Arc<[usize]>>,
    body: Body,
}

enum Body {
    /// Lines are samples: read again for each pass.
    Rows { file: TableFile, open: Option<OpenTable> },
    /// Lines are features: held in memory.
    Features(HeldFeatures),
}

impl TextSamples {
    /// Reads the header, and all of the table where features are rows.
    pub(super) fn open(table: &FileTable, opening: &Opening<'_>) -> Result<Self> {
        let targets = table.targets()?;
        let open = table.open_text(opening)?;
        let (schema, body) = match table.stated_orientation() {
            Orientation::SamplesAsRows => {
                let header = open.names()?;
                let schema = table.schema_of_columns(&header, targets.as_ref(), opening.labels)?;
                let file = table.file().with_hooks(opening.hooks.clone());
                (schema, Body::Rows { file, open: Some(open) })
            }
            Orientation::FeaturesAsRows => {
                let (schema, held) = HeldFeatures::read(open, table, opening, targets.as_ref())?;
                (schema, Body::Features(held))
            }
        };
        let (format, threads) = (table.facts.cells(), opening.threads);
        let hooks = opening.hooks.clone();
        Ok(Self { schema, format, targets, threads, hooks, before: 0, order: None, body })
    }
}

impl Samples for TextSamples {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn format(&self) -> &CellFormat {
        &self.format
    }

    fn can_repeat(&self) -> bool {
        match &self.body {
            Body::Rows { file, .. } => file.is_regular(),
            Body::Features(_) => true,
        }
    }

    fn has_words(&self) -> bool {
        true
    }

    /// `Input` also for a file that changed.
    fn fold<F: SampleFold>(&mut self, new: &(dyn Fn() -> F + Sync)) -> Result<F> {
        match &mut self.body {
            Body::Features(held) => held.fold(self.threads, &self.hooks, new),
            Body::Rows { file, open } => {
                let table = match open.take() {
                    Some(open) => open,
                    None => reopen(file, &self.schema)?,
                };
                let (schema, format) = (&self.schema, &self.format);
                let shape = Shape { delimiter: table.delimiter(), columns: table.columns() };
                let plain = PlainLines::new(schema, format, shape);
                let columns = TextColumns {
                    schema,
                    format,
                    plain,
                    before: self.before,
                    order: self.order.as_deref(),
                    targets: self.targets.as_ref(),
                };
                table.fold(self.threads, &|| TextFold::new(&columns, new()))?.finish()
            }
        }
    }

    fn no_usable_target(&self, labels: bool) -> Error {
        no_usable_target(&self.schema, self.targets.as_ref(), labels)
    }
}

/// The columns of a text table, and how they are parsed.
struct TextColumns<'a> {
    schema: &'a Schema,
    format: &'a CellFormat,
    /// The fast parser for lines without quotes.
    plain: PlainLines<'a>,
    /// What the numbers of rows are counted from.
    before: u64,
    order: Option<&'a [usize]>,
    /// Targets from another file, joined by the id column.
    targets: Option<&'a TargetTable>,
}

/// Passes rows on as samples, joined to their targets.
struct TextFold<'a, F> {
    columns: &'a TextColumns<'a>,
    fold: F,
    join: Join<'a>,
    /// The numbers of the current row, as they stand there.
    values: Vec<f64>,
    /// The same in another order, if they are passed on in one.
    ordered: Vec<f64>,
}

impl<'a, F: SampleFold> TextFold<'a, F> {
    fn new(columns: &'a TextColumns<'a>, fold: F) -> Self {
        let values = if F::READS_VALUES { vec![0.0; columns.schema.d()] } else { Vec::new() };
        Self { columns, fold, join: Join::new(columns.targets), values, ordered: Vec::new() }
    }

    /// Passes on the current row, whose numbers are in `values`, if it takes part.
    fn sample(&mut self, number: u64, texts: Texts<'_>) {
        let schema = self.columns.schema;
        let here = schema.target().map(|_| texts.target);
        let id = schema.id().map(|_| texts.id);
        let Some(target) = self.join.target(number, id, here) else { return };
        let values = match self.columns.order.filter(|_| F::READS_VALUES) {
            None => &self.values,
            Some(order) => {
                self.ordered.clear();
                self.ordered.extend(order.iter().map(|&place| self.values[place]));
                &self.ordered
            }
        };
        let sample = Sample::new(target.map(TargetCell::Text), values);
        let row = RowOf { id: id.map(TargetCell::Text), number: self.columns.before + number };
        self.fold.sample(Sample { row, ..sample });
    }

    /// The result of the fold.
    ///
    /// # Errors
    ///
    /// As for a join.
    fn finish(self) -> Result<F> {
        self.join.finish()?;
        Ok(self.fold)
    }
}

impl<F: SampleFold> RowFold for TextFold<'_, F> {
    fn row(&mut self, number: u64, row: &Row<'_>) {
        let TextColumns { schema, format, .. } = self.columns;
        if F::READS_VALUES {
            for (value, &column) in self.values.iter_mut().zip(schema.features()) {
                *value = format.value(row.cell(column));
            }
        }
        let cell = |column: Option<usize>| column.map(|c| row.cell(c)).unwrap_or_default();
        self.sample(number, Texts { target: cell(schema.target()), id: cell(schema.id()) });
    }

    fn plain_line(&mut self, number: u64, line: &Line<'_>) -> bool {
        let plain = &self.columns.plain;
        let texts = match F::READS_VALUES {
            true => plain.read(line, &mut self.values),
            false => plain.read_texts(line),
        };
        texts.map(|texts| self.sample(number, texts)).is_some()
    }

    fn merge(&mut self, other: Self) {
        self.fold.merge(other.fold);
        self.join.merge(other.join);
    }
}

fn reopen(file: &TableFile, schema: &Schema) -> Result<OpenTable> {
    let table = file.open()?;
    if !schema.is_of(&table.names()?) {
        return Err(Error::input(format!("{} changed while it was being read", file.name())));
    }
    Ok(table)
}

/// A table whose lines are features, in memory: a vector of values per feature, and the targets of the
/// samples.
struct HeldFeatures {
    features: Vec<Vec<f64>>,
    targets: Vec<Option<Vec<u8>>>,
}

/// A line of a table whose lines are features.
struct FeatureLine {
    number: u64,
    name: Vec<u8>,
    /// The values of the samples; empty where the line is the target.
    values: Vec<f64>,
    /// The cells, where the line is the target.
    cells: Option<Vec<Vec<u8>>>,
}

/// Collects lines, in any order.
struct FeatureLines<'a> {
    format: &'a CellFormat,
    target: Option<&'a str>,
    samples: usize,
    lines: Vec<FeatureLine>,
}

impl RowFold for FeatureLines<'_> {
    fn row(&mut self, number: u64, row: &Row<'_>) {
        let name = row.cell(0).to_vec();
        let cells = 1..=self.samples;
        let is_target = self.target.is_some_and(|target| target.as_bytes() == name);
        let text = |c| row.cell(c).to_vec();
        let value = |c| self.format.value(row.cell(c));
        self.lines.push(FeatureLine {
            number,
            name,
            cells: is_target.then(|| cells.clone().map(text).collect()),
            values: if is_target { Vec::new() } else { cells.map(value).collect() },
        });
    }

    fn merge(&mut self, other: Self) {
        self.lines.extend(other.lines);
    }
}

impl HeldFeatures {
    fn read(
        open: OpenTable,
        table: &FileTable,
        opening: &Opening<'_>,
        targets: Option<&TargetTable>,
    ) -> Result<(Schema, Self)> {
        let role = table.target_role(targets);
        let ids = open.ids()[1..].to_vec();
        let target = match &role {
            TargetRole::Here(TargetColumn::Named(name)) => Some(name.as_str()),
            _ => None,
        };
        let format = table.facts.cells();
        let new =
            || FeatureLines { format: &format, target, samples: ids.len(), lines: Vec::new() };
        let mut lines = open.fold(opening.threads, &new).map_err(Error::without_column)?.lines;
        lines.sort_unstable_by_key(|line| line.number);
        let names = lines.iter().map(|line| table.line_name(line.number, &line.name));
        let names = names.collect::<Result<_>>().map_err(Error::without_column)?;
        let schema = table.schema_of_lines(names, targets, opening.labels)?;
        let targets: Vec<Option<TextCell>> = match targets {
            Some(targets) => joined(&ids, targets)?,
            None => {
                let cells = lines.iter_mut().find_map(|line| line.cells.take());
                cells.unwrap_or_default().into_iter().map(|cell| Some(Some(cell))).collect()
            }
        };
        let all_take_part = targets.iter().all(Option::is_some);
        let values = |&place: &usize| {
            let values = std::mem::take(&mut lines[place].values);
            if all_take_part {
                return values;
            }
            values
                .into_iter()
                .zip(&targets)
                .filter_map(|(value, target)| target.as_ref().map(|_| value))
                .collect()
        };
        let features = schema.features().iter().map(values).collect();
        Ok((schema, Self { features, targets: targets.into_iter().flatten().collect() }))
    }

    fn fold<F: SampleFold>(
        &self,
        threads: usize,
        hooks: &Hooks,
        new: &(dyn Fn() -> F + Sync),
    ) -> Result<F> {
        let size = (self.targets.len(), self.features.len());
        fold_numbered(size, threads, hooks, new, |fold, samples| {
            let features = self.features.iter().map(|values| &values[samples.clone()]).collect();
            let first = samples.start;
            let targets = self.targets[samples].iter();
            let targets = targets.map(|target| target.as_deref().map(TargetCell::Text)).collect();
            fold.feature_major(&FeatureMajor { features, targets, first });
        })
    }
}
