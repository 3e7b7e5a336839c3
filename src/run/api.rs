//! The runs and dry runs of a request.

use crate::error::Result;
use crate::privacy::{Expense, Ledger, NotPrivate};
use crate::release::record::{Record, Selection};
use crate::request::builder::{CheckedSelect, Select};
use crate::request::not_private::NotPrivateSelect;
use crate::run::charged::{check_ledger, expense_of_rows};
use crate::run::dry_run::{DryRun, dry_run};
use crate::run::steps::{header, plan_of_header, run};
use crate::table::Source;

impl Select {
    /// Checks the request and runs it: see [`CheckedSelect::run`].
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check), then as for [`CheckedSelect::run`].
    pub fn run(&self, source: &(impl Source + ?Sized)) -> Result<Selection> {
        self.check_ref()?.run(source)
    }

    /// Checks the request and runs it on a budget: see [`CheckedSelect::run_with_ledger`].
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check), then as for [`CheckedSelect::run_with_ledger`].
    pub fn run_with_ledger(
        &self,
        source: &(impl Source + ?Sized),
        ledger: &Ledger,
        note: &str,
    ) -> Result<Selection> {
        self.check_ref()?.run_with_ledger(source, ledger, note)
    }

    /// Plans a run without reading any row: see [`CheckedSelect::dry_run`].
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check), then as for [`CheckedSelect::dry_run`].
    pub fn dry_run(&self, source: &(impl Source + ?Sized)) -> Result<DryRun> {
        self.check_ref()?.dry_run(source)
    }

    /// Plans a run charged to a ledger: see [`CheckedSelect::dry_run_with_ledger`].
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check), then as for [`CheckedSelect::dry_run_with_ledger`].
    pub fn dry_run_with_ledger(
        &self,
        source: &(impl Source + ?Sized),
        ledger: &Ledger,
    ) -> Result<DryRun> {
        self.check_ref()?.dry_run_with_ledger(source, ledger)
    }

    /// The expense that a ledger is charged, where each row is a person.
    ///
    /// # Errors
    ///
    /// `Request` without an epsilon, or for a wrong one.
    pub(crate) fn expense(&self, note: &str) -> Result<Expense> {
        expense_of_rows(self.request(), note)
    }
}

impl CheckedSelect {
    /// Selects features of a table.
    ///
    /// By default the columns of a file are held in memory, 4 or 8 bytes per value, or read in
    /// several passes if they would take more than [`memory`](Select::memory). With a given
    /// scaling, a file is read once, or twice if the target is split at a private median (a source
    /// that can be read only once is then held in memory, two bytes per value), and memory is 16
    /// bytes per feature and thread (256 for the score ks), plus some megabytes for blocks of rows,
    /// independent of the number of rows. For Kendall's correlation on a file, for features as rows
    /// and for the two-stage method it is the whole table, 8 to 18 bytes per value. A matrix is
    /// read in place, without copying.
    ///
    /// # Privacy
    ///
    /// Spends the request's epsilon; see [`Select`].
    ///
    /// # Errors
    ///
    /// `Request` if the request does not fit the header; `Input` if the table is malformed, or if
    /// the private counts of its classes leave nothing to find (then no feature is released); `Io`
    /// if it cannot be read or the operating system gives no entropy; `Canceled` if the caller
    /// stopped it (then nothing is released).
    pub fn run(&self, source: &(impl Source + ?Sized)) -> Result<Selection> {
        run(self.request(), source).map(Selection::new)
    }

    /// Like [`run`](Self::run), but charges a ledger first; the entry has this note.
    ///
    /// The ledger is charged after the request and the header are checked, before any value is
    /// used. A source that can be read only once is not read to be checked: a request that does not
    /// fit it then stays spent. A file whose header can be found only by reading all of it, such as
    /// R's, is read twice. If the run fails, the entry is marked as failed and stays spent.
    ///
    /// # Errors
    ///
    /// As for [`Ledger::spend`], before anything is read; as for [`run`](Self::run).
    pub fn run_with_ledger(
        &self,
        source: &(impl Source + ?Sized),
        ledger: &Ledger,
        note: &str,
    ) -> Result<Selection> {
        let expense = check_ledger(self.request(), source, ledger, note)?;
        let (record, receipt) = ledger.charge(&expense, || run(self.request(), source))?;
        Ok(Selection::new(record).with_receipt(receipt))
    }

    /// Checks the request against the header of a table (the names, if it is a matrix), and reads
    /// no row. A reader is consumed by this.
    ///
    /// # Errors
    ///
    /// The errors of a run that depend on the request and the header alone; `Request` if features
    /// are rows, because the header does not list them.
    pub fn check_table(&self, source: &(impl Source + ?Sized)) -> Result<()> {
        let schema = header(self.request(), source, &self.request().hooks.for_a_run())?;
        plan_of_header(self.request(), &schema).map(|_| ())
    }

    /// Reports the budget of each part of a [`run`](Self::run) and the noise to expect. Reads the
    /// header (the names, if the table is a matrix) and no row. A reader is consumed by this.
    ///
    /// # Errors
    ///
    /// The errors of a run that depend on the request and the header alone; `Request` if features
    /// are rows, because the header does not list them.
    pub fn dry_run(&self, source: &(impl Source + ?Sized)) -> Result<DryRun> {
        dry_run(self.request(), source)
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
    ) -> Result<DryRun> {
        check_ledger(self.request(), source, ledger, "")?;
        dry_run(self.request(), source)
    }
}

impl NotPrivateSelect {
    /// Selects features of a table. If seeded, the same request and table give the same record.
    ///
    /// # Errors
    ///
    /// As for [`Select::run`](crate::Select::run).
    pub fn run(&self, source: &(impl Source + ?Sized)) -> Result<NotPrivate<Record>> {
        self.check()?;
        run(self.request(), source).map(NotPrivate::new)
    }

    /// Reports the budget that each part of a run would spend if it were private, and the noise to
    /// expect.
    ///
    /// # Errors
    ///
    /// As for [`Select::dry_run`](crate::Select::dry_run).
    pub fn dry_run(&self, source: &(impl Source + ?Sized)) -> Result<DryRun> {
        self.check()?;
        dry_run(self.request(), source)
    }
}
