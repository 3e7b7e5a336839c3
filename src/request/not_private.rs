//! Requests whose results must not be released.

use crate::error::Result;
use crate::random::Entropy;
use crate::request::check::check;
use crate::request::fields::Request;

/// A request whose result is not private, because it draws from a given seed or scales by the
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
/// A function that takes a release does not accept a seeded result:
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
    pub(crate) fn new(request: Request) -> Self {
        Self(request)
    }

    pub(crate) fn request(&self) -> &Request {
        &self.0
    }

    pub(crate) fn into_request(self) -> Request {
        self.0
    }

    /// Draws from a given seed.
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
}
