//! Requests whose results must not be released.

use crate::error::Result;
use crate::privacy::NotPrivate;
use crate::random::Entropy;
use crate::select::check::check;
use crate::select::dry_run::{DryRun, dry_run};
use crate::select::record::Record;
use crate::select::rehearsal::sealed;
use crate::select::request::Request;
use crate::select::run::run;
use crate::table::Source;

/// A request whose result is not private, because it draws from a stated seed or scales by the
/// data. Made by [`Select::seed`](crate::Select::seed) and
/// [`Select::paper_preprocessing`](crate::Select::paper_preprocessing).
///
/// ```
/// use dpsis::{NotPrivate, Record, Select, FileTable};
///
/// let table = || FileTable::from_reader(&b"age,dose,response\n41,2,7\n39,3,8\n"[..]);
/// let request = Select::new(1).epsilon("1").seed(7);
/// let rehearsal: NotPrivate<Record> = request.run(&table())?;
/// assert_eq!(rehearsal, request.run(&table())?);
/// assert!(!rehearsal.private);
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// A function that takes a release does not accept a rehearsal:
///
/// ```compile_fail,E0308
/// # use dpsis::{Select, Selection};
/// fn publish(selection: &Selection) {}
///
/// let rehearsal = Select::new(1).epsilon("1").seed(7).run("data.csv")?;
/// publish(&rehearsal);
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NotPrivateSelect(Request);

impl NotPrivateSelect {
    pub(super) fn new(request: Request) -> Self {
        Self(request)
    }

    pub(super) fn request(&self) -> &Request {
        &self.0
    }

    /// Draws from a stated seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.0.entropy = Entropy::Seeded(seed);
        self
    }

    /// Centers and scales columns and target by the data.
    pub fn paper_preprocessing(mut self) -> Self {
        self.0.paper = true;
        self
    }

    /// Checks everything that does not need the table.
    ///
    /// # Errors
    ///
    /// `Request` with the first rule that is broken.
    pub fn check(&self) -> Result<()> {
        check(&self.0)
    }

    /// Selects features of a table. If seeded, the same request and table give the same record.
    ///
    /// # Errors
    ///
    /// As for [`Select::run`](crate::Select::run).
    pub fn run(&self, source: &(impl Source + ?Sized)) -> Result<NotPrivate<Record>> {
        self.check()?;
        run(&self.0, source).map(NotPrivate::new)
    }

    /// Reports the budget that each part of a run would spend if it were private, and the noise to
    /// expect.
    ///
    /// # Errors
    ///
    /// As for [`Select::dry_run`](crate::Select::dry_run).
    pub fn dry_run(&self, source: &(impl Source + ?Sized)) -> Result<DryRun> {
        self.check()?;
        dry_run(&self.0, source)
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl sealed::IntoRequest for NotPrivateSelect {
    fn request(self) -> Request {
        self.0
    }
}
