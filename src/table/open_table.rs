//! A table ready for passes over its samples.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use crate::error::{Error, Parameter, Result};
use crate::table::batch::{BATCH, Fold, Folds, FoldsOf, Role, Sink};
use crate::table::cell::CellFormat;
use crate::table::columns::Columns;
use crate::table::event::TimeToEvent;
use crate::table::held_columns::{HoldColumns, Holding, Limit};
use crate::table::hooks::Hooks;
use crate::table::identifiers::Repeated;
use crate::table::people::People;
use crate::table::schema::Schema;
use crate::table::target::Code;
use crate::table::turns::in_turns;

/// A table ready for passes over its samples.
pub(crate) trait Table {
    /// The features and the target.
    fn schema(&self) -> &Schema;

    /// The format of the targets.
    fn format(&self) -> &CellFormat;

    /// Whether a second pass is possible.
    fn can_repeat(&self) -> bool;

    /// Whether values may be [words](crate::table::word): then only `f64::NAN` itself and infinite
    /// values are missing. In other tables every NaN is missing, with any payload.
    fn has_words(&self) -> bool;

    /// Whether its passes compare rows by identifiers, so that rows that share one take no part.
    fn compares_rows(&self) -> bool {
        false
    }

    /// The people of the rows, once a pass has found them.
    fn people(&self) -> Option<&People> {
        None
    }

    /// Makes one pass over the samples.
    ///
    /// # Errors
    ///
    /// `Input` with its place where the table is malformed; `Io` if it cannot be read.
    fn pass(&mut self, folds: &dyn Folds) -> Result<()>;

    /// The values of all features by column, or of as many of the first ones as `limit` bytes of
    /// memory allow: in place if the table is in memory, otherwise [held](hold).
    ///
    /// # Errors
    ///
    /// As for a pass.
    fn columns(&mut self, limit: Option<Limit>, code: &Code<'_>) -> Result<UsableSamples<'_>>;
}

/// Makes one pass over the samples of a table.
///
/// # Errors
///
/// As for [`Table::pass`].
pub(crate) fn fold<F: Fold>(
    table: &mut (impl Table + ?Sized),
    new: &(dyn Fn() -> F + Sync),
) -> Result<F> {
    let folds = FoldsOf::new(new);
    table.pass(&folds)?;
    Ok(folds.finish())
}

/// Reads these features by column in one pass, or as many of the first ones as `limit` bytes of
/// memory allow: of the samples with a usable target.
///
/// # Errors
///
/// As for [`Table::pass`].
pub(crate) fn hold(
    table: &mut (impl Table + ?Sized),
    features: &[usize],
    limit: Option<Limit>,
    code: &Code<'_>,
) -> Result<UsableSamples<'static>> {
    let holding = Holding::new(features, limit);
    let held = fold(table, &|| HoldColumns::new(code, &holding, None))?;
    Ok(UsableSamples::held(held).0)
}

/// The same for all features.
///
/// # Errors
///
/// As for [`Table::pass`].
pub(crate) fn hold_all(
    table: &mut (impl Table + ?Sized),
    limit: Option<Limit>,
    code: &Code<'_>,
) -> Result<UsableSamples<'static>> {
    let all: Vec<usize> = (0..table.schema().d()).collect();
    hold(table, &all, limit, code)
}

/// Samples with a usable target.
pub(crate) struct UsableSamples<'t> {
    pub(crate) columns: Box<dyn Columns + 't>,
    /// Their targets.
    pub(crate) targets: Vec<f64>,
    /// Their roles in scores; empty if all have the default role.
    pub(crate) roles: Vec<Role>,
    /// The number of all samples.
    pub(crate) samples: u64,
}

impl UsableSamples<'static> {
    /// The samples that are held, and the identifiers that several rows share.
    pub(crate) fn held(held: HoldColumns<'_>) -> (Self, Repeated) {
        let (columns, targets, roles, samples, repeated) = held.finish();
        (Self { columns: Box::new(columns), targets, roles, samples }, repeated)
    }
}

/// The options of a run for opening a table.
pub(crate) struct Opening<'a> {
    pub(crate) threads: usize,
    pub(crate) hooks: Hooks,
    /// The most memory of the run, in bytes.
    pub(crate) memory: Option<u64>,
    /// The given classes of the target: a header that holds one may be a row.
    pub(crate) labels: Option<&'a [String]>,
    /// The times and events that define the target.
    pub(crate) events: Option<&'a TimeToEvent>,
    pub(crate) identifiers: Identifiers,
}

impl Opening<'_> {
    /// Reads every row, on this number of threads: for work that is not a request.
    pub(crate) fn of_all_rows(threads: usize) -> Self {
        Self {
            threads,
            hooks: Hooks::default(),
            memory: None,
            labels: None,
            events: None,
            identifiers: Identifiers::Ignored,
        }
    }
}

/// How a pass treats rows that share an identifier, in a table with
/// [one row each](Schema::has_one_row_each).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Identifiers {
    /// Rows are not compared.
    Ignored,
    /// Rows that share one take no part; the table is read once more to compare identifiers.
    Compared,
    /// Rows that share one take no part; the first pass requests all [columns](Table::columns), so
    /// that identifiers are compared in it.
    ComparedInColumns,
}

impl Identifiers {
    /// Refuses a table that can be read only once but must be read again.
    ///
    /// # Errors
    ///
    /// `Request` in that case.
    pub(crate) fn check(self, has_one_row_each: bool, can_repeat: bool) -> Result<()> {
        if self != Self::Compared || !has_one_row_each || can_repeat {
            return Ok(());
        }
        let rule = "rows are compared by their identifiers, for which this request reads the table twice: no pipe or \
                    reader";
        Err(Error::request(rule)
            .hint("write it to a file first; or exclude the column if each row is another person")
            .about([Parameter::Id, Parameter::Exclude]))
    }
}

/// Sends samples in memory on, of `features` values each, on `threads` threads: to each a range of
/// them, in order and some at a time.
///
/// # Errors
///
/// `Canceled` if the caller stopped it; the errors of `send`.
pub(crate) fn in_ranges(
    (samples, features): (usize, usize),
    threads: usize,
    hooks: &Hooks,
    folds: &dyn Folds,
    send: &(dyn Fn(Range<usize>, &mut Sink<'_>) -> Result<()> + Sync),
) -> Result<()> {
    /// Values between two looks at the hook: some hundredths of a second.
    const VALUES_PER_CHECK: usize = 1 << 22;
    let share = samples.div_ceil(threads.max(1)).max(1);
    let some = match hooks.cancel {
        Some(_) => (VALUES_PER_CHECK / features.max(1)).clamp(16, BATCH),
        None => BATCH,
    };
    let work = |part: usize, _: &AtomicBool| {
        let end = ((part + 1) * share).min(samples);
        folds.thread(part, &mut |sink| {
            for start in (part * share..end).step_by(some) {
                hooks.check()?;
                send(start..(start + some).min(end), sink)?;
            }
            Ok(())
        })
    };
    in_turns(samples.div_ceil(share), work).into_iter().collect::<Result<()>>()?;
    folds.merge();
    Ok(())
}
