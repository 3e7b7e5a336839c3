//! Selection and model under one budget: the builder.

mod dry_run;
mod options;
mod record;
mod request;
mod run;

#[cfg(feature = "linfa")]
mod linfa;

use std::fmt;

use crate::error::{Error, Result};
use crate::exact::Exact;
use crate::privacy::{Expense, Ledger, NotPrivate};
use crate::random::Entropy;
use crate::request::Select;
use crate::request::fields::{Names, Request};
use crate::table::{Levels, Source};

pub use dry_run::FitDryRun;
pub use options::{FitOptions, ModelOptions};
pub use record::{FitRecord, FittedModel, GivenToModel};

use request::FitRequest;
use run::{check_ledger, run};

/// A builder for a private model of a target. It selects k features and fits a regression to them,
/// both under the budget of the request, or it fits a regression to given features.
///
/// A numeric target is fitted by AdaSSP ([linear](crate::model::linear)), two classes by
/// [logistic](crate::model::logistic) regression. Every value is clipped to the range of its
/// column: the given range, or a range that is drawn privately ([ranges](crate::model::ranges)).
///
/// ```no_run
/// use dpsis::{FitModel, Select};
///
/// let fitted = FitModel::new(Select::new(5).epsilon(2)).run("data.csv")?;
/// // Where the released values do not determine even the mean of the target, there is no model.
/// if let Some(model) = &fitted.model {
///     std::fs::write("model.json", model.to_json()?).expect("a folder to write to");
///     println!("{}", model.predict(&[41.0, 2.5, 0.0, 7.0, 1.0])?);
/// }
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// # Privacy
///
/// The whole [`FittedModel`], selection and model, is (epsilon, delta)-differentially private for
/// the epsilon, the delta and the neighbor relation of the request: the selection gets a
/// [share](Self::selection_share) of epsilon, the ranges that are not given and the model get the
/// rest, and all parts sum to it exactly. A delta, if one is given, is spent on the model alone,
/// and only where it makes the noise smaller. Predictions for other rows spend no budget;
/// predictions for the rows of the table itself are functions of these rows and must not be
/// published.
#[derive(Clone)]
pub struct FitModel(CheckedFitModel);

/// A request for a model that has passed all checks that do not need the table.
#[derive(Clone)]
pub struct CheckedFitModel(FitRequest);

/// A request for a model whose result is not private, because it draws from a given seed. Made by
/// [`FitModel::seed`].
#[derive(Debug, Clone)]
pub struct NotPrivateFitModel(FitRequest);

impl fmt::Debug for FitModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0.0, f)
    }
}

impl fmt::Debug for CheckedFitModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl FitModel {
    /// A request for a model of the features that `select` selects; its epsilon and its delta are
    /// for both together.
    ///
    /// Effect sizes of k features and their significance are released only if their share is given,
    /// [there](Select::estimates) or [here](Self::estimates).
    pub fn new(select: Select) -> Self {
        let mut request = select.into_request();
        if let Names::Best(_) = request.names {
            request.shares.estimates.get_or_insert(0.into());
        }
        Self(CheckedFitModel(FitRequest::new(request)))
    }

    fn with(mut self, change: impl FnOnce(&mut FitRequest)) -> Self {
        change(&mut self.0.0);
        self
    }

    /// Sets the share of epsilon that the selection gets (default 0.4): an exact number from 1e-6,
    /// below 1.
    pub fn selection_share(self, share: impl Into<Exact>) -> Self {
        self.with(|request| request.selection_share = Some(share.into()))
    }

    /// Fits the model to these features, without a selection: all of epsilon is for the model, and
    /// k is not used. The names must be public knowledge, or have been released.
    pub fn features<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.with(|request| request.features = Some(names.into_iter().map(Into::into).collect()))
    }

    /// Sets the share of the selection's part for effect sizes and their significance (default 0
    /// for k features): see [`Select::estimates`].
    pub fn estimates(self, share: impl Into<Exact>) -> Self {
        self.with(|request| request.select.shares.estimates = Some(share.into()))
    }

    /// Sets the share of the model's part for the ranges that are not given (default 0.3); without
    /// a selection, a logistic model also counts its rows with it. An exact number from 1e-6, below
    /// 1.
    pub fn ranges(self, share: impl Into<Exact>) -> Self {
        self.with(|request| request.ranges = share.into())
    }

    /// Sets the levels of categorical columns, which must be public information:
    /// `stage=I,II,III,IV`. In the selection such a column is one candidate, and any other category
    /// is missing. In the model each of its levels but the first is a column of its own, 1 where a
    /// row is at that level and else 0: a coefficient compares with the first level, and a row at
    /// no level counts as one at the first. Text in columns without levels is missing.
    pub fn levels(self, levels: impl IntoIterator<Item = Levels>) -> Self {
        self.with(|request| request.select.numbers_and = Some(levels.into_iter().collect()))
    }

    /// Sets the regularization parameter of a logistic model, lambda in sum of losses + lambda/2
    /// |w|^2, from 1e-3 to 1e9. A larger one needs less noise, and pulls probabilities towards 1/2.
    /// The default is 2.5 times the standard deviation of the noise, in rows, at least 0.5: a
    /// function of the budget and of the number of columns, not of the rows. It is in the report
    /// and in [`FitDryRun`].
    pub fn lambda(self, lambda: f64) -> Self {
        self.with(|request| request.lambda = Some(lambda))
    }

    /// Draws from a given seed instead of the operating system's entropy: see [`Select::seed`].
    pub fn seed(self, seed: u64) -> NotPrivateFitModel {
        let mut request = self.0.0;
        request.select.entropy = Entropy::Seeded(seed);
        NotPrivateFitModel(request)
    }

    /// Checks everything that does not need the table.
    ///
    /// # Errors
    ///
    /// `Request` with the first rule that is broken.
    pub fn check(self) -> Result<CheckedFitModel> {
        self.check_ref()?;
        Ok(self.0)
    }

    /// Like [`check`](Self::check), by reference.
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check).
    pub fn check_ref(&self) -> Result<&CheckedFitModel> {
        self.0.0.check()?;
        Ok(&self.0)
    }

    /// The request of its selection.
    pub(crate) fn select_request(&self) -> &Request {
        &self.0.0.select
    }

    /// A text with everything that determines the release except the table.
    pub(crate) fn identity(&self) -> String {
        self.0.0.identity()
    }

    /// The expense that a ledger is charged, where each row is a person.
    ///
    /// # Errors
    ///
    /// `Request` without an epsilon, or for a wrong one.
    pub(crate) fn expense(&self, note: &str) -> Result<Expense> {
        self.0.0.expense(note)
    }

    /// Checks the request and runs it: see [`CheckedFitModel::run`].
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check), then as for [`CheckedFitModel::run`].
    pub fn run(&self, source: &(impl Source + ?Sized)) -> Result<FittedModel> {
        self.check_ref()?.run(source)
    }

    /// Checks the request and runs it on a budget: see [`CheckedFitModel::run_with_ledger`].
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check), then as for [`CheckedFitModel::run_with_ledger`].
    pub fn run_with_ledger(
        &self,
        source: &(impl Source + ?Sized),
        ledger: &Ledger,
        note: &str,
    ) -> Result<FittedModel> {
        self.check_ref()?.run_with_ledger(source, ledger, note)
    }
}

impl CheckedFitModel {
    /// Selects features of a table and fits a model to them. The table is opened twice; the second
    /// time the columns of the model are held in memory, 8 bytes per value: one for each feature,
    /// or for each level of it but the first.
    ///
    /// # Privacy
    ///
    /// Spends the request's epsilon and at most its delta; see [`FitModel`].
    ///
    /// # Errors
    ///
    /// `Request` if the request does not fit the header, or if the table can be read only once and
    /// features must be selected first (then nothing is spent); all others of
    /// [`CheckedSelect::run`](crate::CheckedSelect::run).
    pub fn run(&self, source: &(impl Source + ?Sized)) -> Result<FittedModel> {
        run(&self.0, source).map(FittedModel::new)
    }

    /// Like [`run`](Self::run), but charges the whole epsilon and delta to a ledger first; the
    /// entry has this note. See
    /// [`CheckedSelect::run_with_ledger`](crate::CheckedSelect::run_with_ledger).
    ///
    /// # Errors
    ///
    /// As for [`Ledger::spend`], before anything is read; as for [`run`](Self::run).
    pub fn run_with_ledger(
        &self,
        source: &(impl Source + ?Sized),
        ledger: &Ledger,
        note: &str,
    ) -> Result<FittedModel> {
        let expense = check_ledger(&self.0, source, ledger, note)?;
        let (record, receipt) = ledger.charge(&expense, || run(&self.0, source))?;
        Ok(FittedModel::new(record).with_receipt(receipt))
    }

    /// A [dry run](Self::dry_run) after all checks of [`run_with_ledger`](Self::run_with_ledger);
    /// the ledger is not charged.
    ///
    /// # Errors
    ///
    /// As for both.
    pub fn dry_run_with_ledger(
        &self,
        source: &(impl Source + ?Sized),
        ledger: &Ledger,
    ) -> Result<FitDryRun> {
        check_ledger(&self.0, source, ledger, "")?;
        dry_run::dry_run(&self.0, source)
    }

    /// Reports the budget of each part of a [`run`](Self::run) and the number of rows that it
    /// needs. Reads the header (the names, if the table is a matrix) and no row. A reader is
    /// consumed by this.
    ///
    /// # Errors
    ///
    /// The errors of a run that depend on the request and the header alone.
    pub fn dry_run(&self, source: &(impl Source + ?Sized)) -> Result<FitDryRun> {
        dry_run::dry_run(&self.0, source)
    }
}

impl NotPrivateFitModel {
    /// Reports the budget of each part of a [`run`](Self::run): see [`CheckedFitModel::dry_run`].
    ///
    /// # Errors
    ///
    /// As for [`CheckedFitModel::dry_run`].
    pub fn dry_run(&self, source: &(impl Source + ?Sized)) -> Result<FitDryRun> {
        self.check()?;
        dry_run::dry_run(&self.0, source)
    }

    /// Checks everything that does not need the table.
    ///
    /// # Errors
    ///
    /// `Request` with the first rule that is broken.
    pub fn check(&self) -> Result<()> {
        self.0.check()
    }

    /// Selects features of a table and fits a model. The same request, seed and table give the same
    /// record.
    ///
    /// # Errors
    ///
    /// As for [`FitModel::run`].
    pub fn run(&self, source: &(impl Source + ?Sized)) -> Result<NotPrivate<FitRecord>> {
        self.check()?;
        run(&self.0, source).map(NotPrivate::new)
    }
}

/// The error for a table that cannot be read again.
fn read_once() -> Error {
    Error::request(
        "a selection and a model read the table, and the files given with it, twice: one of them can be read only once",
    )
    .hint("write it to a file; or give the features, and fit without a selection")
}

#[cfg(test)]
mod tests;
