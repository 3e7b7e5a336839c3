//! A note on a run in its record.

use serde::{Deserialize, Serialize};

/// The day of a run, and the request as text: given by the program that ran it, and independent of
/// the data.
///
/// ```
/// use dpsis::{FileTable, RunNote, Select};
///
/// let table = FileTable::from_reader(&b"age,dose,response\n41,2,7\n39,3,8\n"[..]);
/// let selection = Select::new(1).epsilon("1").run(&table)?;
/// let selection = selection.with_run(RunNote::new("2026-11-22", "the pilot, first selection"));
/// assert_eq!(selection.run.as_ref().map(|run| run.day.as_str()), Some("2026-11-22"));
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunNote {
    /// The day, such as 2026-11-22.
    pub day: String,
    /// The request, such as a command line.
    pub request: String,
}

impl RunNote {
    /// A note with a day and a request.
    pub fn new(day: impl Into<String>, request: impl Into<String>) -> Self {
        Self { day: day.into(), request: request.into() }
    }
}
