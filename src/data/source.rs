//! A table ready for passes over its samples, whichever way it lies.

use std::path::PathBuf;

use crate::data::blocks::RowFold;
use crate::data::cells::Row;
use crate::data::number::CellFormat;
use crate::data::samples::{Sample, SampleFold, TextColumns, TextFold};
use crate::data::schema::{Schema, TargetColumn, TargetRole};
use crate::data::side::TargetTable;
use crate::data::table::{OpenTable, Progress, TableFile, text};
use crate::error::{Error, Result};

/// Which way a table lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Orientation {
    /// One row a sample, one column a feature: the header holds feature names.
    #[default]
    SamplesAsRows,
    /// One row a feature, one column a sample: the first column holds feature names, the header
    /// sample ids, which are private.
    FeaturesAsRows,
}

/// What to open, and how to read it.
#[derive(Clone)]
pub(crate) struct SourceSpec {
    pub(crate) path: PathBuf,
    pub(crate) delimiter: Option<u8>,
    pub(crate) format: CellFormat,
    pub(crate) orientation: Orientation,
    pub(crate) target: TargetColumn,
    pub(crate) target_file: Option<PathBuf>,
    pub(crate) id: Option<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) threads: usize,
    pub(crate) progress: Option<Progress>,
}

impl SourceSpec {
    fn file(&self) -> TableFile {
        TableFile::new(&self.path, self.delimiter).with_decimal_comma(self.format.decimal_comma)
    }
}

/// A table whose features and target are known.
pub(crate) struct Source {
    schema: Schema,
    format: CellFormat,
    targets: Option<TargetTable>,
    threads: usize,
    body: Body,
}

enum Body {
    /// Lines are samples: read again for each pass.
    Rows { file: TableFile, open: Option<OpenTable> },
    /// Lines are features: held in memory.
    Held(Held),
}

impl Source {
    /// Reads the header, and all of the table where features are rows.
    pub(crate) fn open(spec: &SourceSpec) -> Result<Self> {
        let targets = spec.target_file.as_deref().map(TargetTable::read).transpose()?;
        let role = match &targets {
            Some(_) => TargetRole::Elsewhere,
            None => TargetRole::Here(&spec.target),
        };
        let file = spec.file().with_progress(spec.progress.clone());
        let open = file.open()?;
        check_decimal(open.delimiter(), &spec.format)?;
        let (schema, body) = match spec.orientation {
            Orientation::SamplesAsRows => {
                let header = open.header().to_vec();
                let schema = Schema::of_columns(header, &role, spec.id.as_deref(), &spec.exclude)?;
                (schema, Body::Rows { file, open: Some(open) })
            }
            Orientation::FeaturesAsRows => {
                let held = Held::read(open, spec, &role, targets.as_ref());
                let (schema, held) = held.map_err(Error::without_column)?;
                (schema, Body::Held(held))
            }
        };
        let (format, threads) = (spec.format.clone(), spec.threads);
        Ok(Self { schema, format, targets, threads, body })
    }

    /// The features and the target.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// How cells are written.
    pub(crate) fn format(&self) -> &CellFormat {
        &self.format
    }

    /// Targets from another file.
    pub(crate) fn targets(&self) -> Option<&TargetTable> {
        self.targets.as_ref()
    }

    /// Whether a second pass is possible.
    pub(crate) fn can_repeat(&self) -> bool {
        match &self.body {
            Body::Rows { file, .. } => file.is_regular(),
            Body::Held(_) => true,
        }
    }

    /// One pass over the samples.
    ///
    /// # Errors
    ///
    /// `Input` with its place for the first line that is not a row, damaged compressed data, an id
    /// that is joined twice or a file that changed; `Io` if the file cannot be read.
    pub(crate) fn fold<F: SampleFold>(&mut self, new: impl Fn() -> F + Sync) -> Result<F> {
        match &mut self.body {
            Body::Held(held) => Ok(held.fold(self.threads, new)),
            Body::Rows { file, open } => {
                let table = match open.take() {
                    Some(open) => open,
                    None => reopen(file, &self.schema)?,
                };
                let (schema, format) = (&self.schema, &self.format);
                let columns = TextColumns { schema, format, targets: self.targets.as_ref() };
                table.fold(self.threads, || TextFold::new(&columns, new()))?.finish()
            }
        }
    }
}

/// The roles of the columns from the header alone: no row is read, here or in a target file.
pub(crate) fn header_schema(spec: &SourceSpec) -> Result<Schema> {
    let role = match &spec.target_file {
        Some(_) => TargetRole::Elsewhere,
        None => TargetRole::Here(&spec.target),
    };
    let table = spec.file().open()?;
    check_decimal(table.delimiter(), &spec.format)?;
    Schema::of_columns(table.header().to_vec(), &role, spec.id.as_deref(), &spec.exclude)
}

/// A comma cannot both separate cells and stand in numbers.
fn check_decimal(delimiter: u8, format: &CellFormat) -> Result<()> {
    if delimiter == b',' && format.decimal_comma {
        return Err(Error::request("decimal commas need cells that commas do not separate")
            .hint("state --delimiter if it was not found in the header"));
    }
    Ok(())
}

fn reopen(file: &TableFile, schema: &Schema) -> Result<OpenTable> {
    let table = file.open()?;
    if !schema.is_of(table.header()) {
        return Err(Error::input(format!("{} changed while it was being read", file.name())));
    }
    Ok(table)
}

/// A table whose lines are features: its values, a vector for each feature.
struct Held {
    features: Vec<Vec<f64>>,
    targets: Vec<Option<Vec<u8>>>,
}

/// A line of a table whose lines are features.
struct Line {
    number: u64,
    name: Vec<u8>,
    /// NaN where missing.
    values: Vec<f64>,
    /// The cells as they are, where the line is the target.
    cells: Option<Vec<Vec<u8>>>,
}

/// Gathers lines.
struct Lines<'a> {
    format: &'a CellFormat,
    target: Option<&'a str>,
    samples: usize,
    lines: Vec<Line>,
}

impl RowFold for Lines<'_> {
    fn row(&mut self, number: u64, row: &Row<'_>) {
        let name = row.cell(0).to_vec();
        let cells = 1..=self.samples;
        let is_target = self.target.is_some_and(|target| target.as_bytes() == name);
        let text = |c| row.cell(c).to_vec();
        let value = |c| self.format.number(row.cell(c)).unwrap_or(f64::NAN);
        self.lines.push(Line {
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

impl Held {
    fn read(
        table: OpenTable,
        spec: &SourceSpec,
        role: &TargetRole<'_>,
        targets: Option<&TargetTable>,
    ) -> Result<(Schema, Self)> {
        let ids = table.header()[1..].to_vec();
        let target = match role {
            TargetRole::Here(TargetColumn::Named(name)) => Some(name.as_str()),
            _ => None,
        };
        let new = || Lines { format: &spec.format, target, samples: ids.len(), lines: Vec::new() };
        let mut lines = table.fold(spec.threads, new)?.lines;
        lines.sort_unstable_by_key(|line| line.number);
        let mut names = Vec::with_capacity(lines.len());
        for line in &lines {
            let name = text(&line.name).ok_or_else(|| {
                Error::input("the feature's name is not text in UTF-8")
                    .at(Some(line.number), Some(1))
            })?;
            names.push(name);
        }
        let schema = Schema::of_rows(names, role, &spec.exclude)?;
        let joined = match targets {
            Some(targets) => join(&ids, targets)?,
            None => {
                let cells = lines.iter_mut().find_map(|line| line.cells.take());
                cells.unwrap_or_default().into_iter().map(Some).collect()
            }
        };
        let values = |&place: &usize| std::mem::take(&mut lines[place].values);
        let features = schema.features().iter().map(values).collect();
        Ok((schema, Self { features, targets: joined }))
    }

    fn fold<F: SampleFold>(&self, threads: usize, new: impl Fn() -> F + Sync) -> F {
        let samples = self.targets.len();
        let share = samples.div_ceil(threads.max(1)).max(1);
        let work = |start: usize| {
            let mut fold = new();
            for index in start..(start + share).min(samples) {
                fold.sample(&HeldSample { held: self, index });
            }
            fold
        };
        std::thread::scope(|scope| {
            let work = &work;
            let starts = (0..samples).step_by(share);
            let workers: Vec<_> = starts.map(|start| scope.spawn(move || work(start))).collect();
            let mut total = new();
            for worker in workers {
                match worker.join() {
                    Ok(fold) => total.merge(fold),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            total
        })
    }
}

/// The target of each id.
fn join(ids: &[String], targets: &TargetTable) -> Result<Vec<Option<Vec<u8>>>> {
    let mut used = vec![false; targets.len()];
    let mut target = |id: &String| match targets.find(id.as_bytes()) {
        None => Ok(None),
        Some((entry, _)) if std::mem::replace(&mut used[entry], true) => {
            Err(Error::input("an id occurs twice in the table, and is joined to a target"))
        }
        Some((_, value)) => Ok(Some(value.to_vec())),
    };
    ids.iter().map(&mut target).collect()
}

/// A column of a table whose lines are features.
struct HeldSample<'a> {
    held: &'a Held,
    index: usize,
}

impl Sample for HeldSample<'_> {
    fn target(&self) -> Option<&[u8]> {
        self.held.targets[self.index].as_deref()
    }

    fn values(&self) -> impl Iterator<Item = Option<f64>> {
        let value = |feature: &Vec<f64>| Some(feature[self.index]).filter(|v| !v.is_nan());
        self.held.features.iter().map(value)
    }
}
