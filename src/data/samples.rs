//! Tables of samples, ready for passes.

use crate::data::columns::Columns;
use crate::data::held_columns::{HoldColumns, Holding, Limit};
use crate::data::hooks::Hooks;
use crate::data::number::CellFormat;
use crate::data::people::People;
use crate::data::sample::{Role, SampleFold};
use crate::data::schema::Schema;
use crate::data::target::TargetCell;
use crate::error::{Error, Result};

/// A table ready for passes over its samples.
pub(crate) trait Samples {
    /// The features and the target.
    fn schema(&self) -> &Schema;

    /// The format of the targets.
    fn format(&self) -> &CellFormat;

    /// Whether a second pass is possible.
    fn can_repeat(&self) -> bool;

    /// Whether values may be [words](crate::data::word): then only `f64::NAN` itself and infinite values are
    /// missing. In other tables every NaN is, whatever its payload.
    fn has_words(&self) -> bool;

    /// The people whose rows these are, once they have been met.
    fn people(&self) -> Option<&People> {
        None
    }

    /// Makes one pass over the samples.
    ///
    /// # Errors
    ///
    /// `Input` with its place where the table is malformed; `Io` if it cannot be read.
    fn fold<F: SampleFold>(&mut self, new: &(dyn Fn() -> F + Sync)) -> Result<F>;

    /// The values of all features by column, or of as many of the first ones as `limit` bytes of memory allow: in
    /// place if the table is in memory, otherwise read in one pass. Only of the samples whose target `code` turns into
    /// a number.
    ///
    /// # Errors
    ///
    /// As for a pass.
    fn columns(
        &mut self,
        limit: Option<Limit>,
        code: impl Fn(TargetCell<'_>) -> Option<f64> + Sync,
    ) -> Result<UsableSamples<'_>> {
        let all: Vec<usize> = (0..self.schema().d()).collect();
        self.hold(&all, limit, code)
    }

    /// Reads these features by column in one pass, or as many of the first ones as `limit` bytes of memory allow.
    ///
    /// # Errors
    ///
    /// As for a pass.
    fn hold(
        &mut self,
        features: &[usize],
        limit: Option<Limit>,
        code: impl Fn(TargetCell<'_>) -> Option<f64> + Sync,
    ) -> Result<UsableSamples<'static>> {
        let holding = Holding::new(features, limit);
        let (columns, targets, roles, samples) =
            self.fold(&|| HoldColumns::new(&code, &holding))?.finish();
        Ok(UsableSamples { columns: Box::new(columns), targets, roles, samples })
    }

    /// The error for a table without a usable target: where it was looked for, and what usually helps.
    fn no_usable_target(&self, labels: bool) -> Error;
}

/// Samples with a usable target.
pub(crate) struct UsableSamples<'t> {
    pub(crate) columns: Box<dyn Columns + 't>,
    /// Their targets.
    pub(crate) targets: Vec<f64>,
    /// Their parts in scores; none if all are alike.
    pub(crate) roles: Vec<Role>,
    /// The number of all samples.
    pub(crate) samples: u64,
}

/// The options of a run for opening a table.
pub(crate) struct Opening<'a> {
    pub(crate) threads: usize,
    pub(crate) hooks: Hooks,
    /// The most memory of the run, in bytes.
    pub(crate) memory: Option<u64>,
    /// The stated classes of the target: a header that holds one may be a row.
    pub(crate) labels: Option<&'a [String]>,
}
