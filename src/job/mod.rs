//! Jobs: the work that every interface runs.
//!
//! A [`Job`] is a task with its options, and the [`Terms`] on which it runs: a seed, or a ledger to
//! charge, or a dry run. The command line, Python, R and the browser convert their arguments to a
//! job, run it and wrap its [`Answer`]; rules, defaults and texts are here and in submodules.
//!
//! A job and its answer have a JSON form:
//!
//! ```
//! use dpsis::FileTable;
//! use dpsis::job::Job;
//!
//! let json = r#"{"command": "select", "options": {"k": 1, "epsilon": "2"}, "terms": {"seed": 7}}"#;
//! let table = FileTable::from_reader(&b"age,dose,response\n41,2,7\n39,3,8\n"[..]);
//! let answer = Job::from_json(json)?.run(Some(&table))?;
//! assert_eq!((answer.names.len(), answer.private), (1, false));
//! assert!(answer.warnings[0].essential);
//! # Ok::<(), dpsis::Error>(())
//! ```

mod answer;
mod caution;
mod terms;
mod watch;

pub use answer::Answer;
pub use caution::Caution;
use caution::Words;
pub use terms::{Outcome, Terms, today};
pub use watch::Watch;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::choose::ChooseOptions;
use crate::error::{Error, Parameter, Result};
use crate::forecast::PlanOptions;
#[cfg(feature = "inspect")]
use crate::inspect::{InspectOptions, inspect};
use crate::json::read_fields;
use crate::request::{Select, SelectOptions};
use crate::run::FitOptions;
use crate::table::{Cancel, Hooks, Source};

/// A task with its options.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "command", content = "options", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Task {
    /// Select features of a table.
    Select(SelectOptions),
    /// Select features of a table and fit a model to them.
    Fit(FitOptions),
    /// Choose among candidates that have scores.
    Choose(ChooseOptions),
    /// Analyze the power of a selection, without a table.
    Plan(PlanOptions),
    /// Inspect a table, for the data holder: not private.
    #[cfg(feature = "inspect")]
    Inspect(InspectOptions),
}

impl Task {
    /// Reads the options of a command.
    fn read(command: &str, options: Map<String, Value>) -> Result<Self> {
        Ok(match command {
            "select" => Self::Select(read_fields(options)?),
            "fit" => Self::Fit(read_fields(options)?),
            "choose" => Self::Choose(read_fields(options)?),
            "plan" => Self::Plan(read_fields(options)?),
            #[cfg(feature = "inspect")]
            "inspect" => Self::Inspect(read_fields(options)?),
            _ => return Err(Error::request(format!("there is no command {command:?}"))),
        })
    }
}

/// A task and the terms on which it runs, with the hooks of the program that runs it.
#[derive(Clone)]
pub struct Job {
    task: Task,
    terms: Terms,
    hooks: Hooks,
    words: Arc<Words>,
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { task, terms, .. } = self;
        f.debug_struct("Job").field("task", task).field("terms", terms).finish_non_exhaustive()
    }
}

/// The JSON form of a job.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JobFields {
    command: String,
    #[serde(default)]
    options: Map<String, Value>,
    #[serde(default)]
    terms: Map<String, Value>,
}

impl Job {
    /// A job on these terms.
    pub fn new(task: Task, terms: Terms) -> Self {
        Self { task, terms, hooks: Hooks::default(), words: Arc::new(|_| String::new()) }
    }

    /// Reads a job: a JSON object of `command`, `options` and `terms`.
    ///
    /// # Errors
    ///
    /// `Request` for other JSON, for an option that does not exist, or a value of another kind.
    pub fn from_json(json: &str) -> Result<Self> {
        let fields: JobFields = serde_json::from_str(json).map_err(|_| {
            Error::request("a job is a JSON object of a command, options and terms")
        })?;
        let task = Task::read(&fields.command, fields.options)?;
        Ok(Self::new(task, read_fields(fields.terms)?))
    }

    /// Calls `report` with the finished share of a pass or of the work, from 0 to 1.
    #[must_use]
    pub fn progress(mut self, report: impl Fn(f64) + Send + Sync + 'static) -> Self {
        self.hooks.progress = Some(Arc::new(report));
        self
    }

    /// Stops the work with an error of the kind `Canceled` when `cancel` returns true.
    #[must_use]
    pub fn cancel_when(mut self, cancel: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.hooks.cancel = Some(Cancel::when(cancel));
        self
    }

    /// Appends to warnings and findings the interface's text for the parameters that they are
    /// about, such as the names of its arguments in parentheses.
    #[must_use]
    pub fn words(mut self, words: impl Fn(&[Parameter]) -> String + Send + Sync + 'static) -> Self {
        self.words = Arc::new(words);
        self
    }

    /// Checks everything that does not need a table.
    ///
    /// # Errors
    ///
    /// `Request` with the first rule that is broken.
    pub fn check(&self) -> Result<()> {
        self.terms.check()?;
        match &self.task {
            Task::Select(options) => self.terms.check_select(&options.request()?),
            Task::Fit(options) => options.request()?.check_ref().map(|_| ()),
            Task::Choose(options) => options.request().map(|_| ()),
            Task::Plan(options) => options.check(),
            #[cfg(feature = "inspect")]
            Task::Inspect(options) => options.target.kind().map(|_| ()),
        }
    }

    /// Checks that the ledger can be charged for the job now, for programs that do so before they
    /// convert a table. A run also makes this check.
    ///
    /// # Errors
    ///
    /// As for [`Ledger::check`](crate::Ledger::check), except that the unit is not compared.
    pub fn check_ledger(&self) -> Result<()> {
        self.terms.check()?;
        let Some(ledger) = self.terms.open_ledger()? else { return Ok(()) };
        // A repeated call charges nothing, or is refused by the run.
        if let Some(key) = &self.terms.run_key
            && ledger.has_run_key(key)?
        {
            return Ok(());
        }
        let note = self.terms.note.as_str();
        let expense = match &self.task {
            Task::Select(options) => options.request()?.expense(note),
            Task::Fit(options) => options.request()?.expense(note),
            Task::Choose(options) => options.request()?.expense(note),
            _ => return Ok(()),
        };
        ledger.check_amount(&expense?)
    }

    /// Runs the job; a task that selects, fits or inspects needs a table.
    ///
    /// # Privacy
    ///
    /// The answer is private unless it is seeded or an inspection, as its field `private` shows. A
    /// run spends the epsilon of its options. If a ledger is charged and the run ends well, the
    /// answer is returned: nothing after the release can fail for a reason of the data.
    ///
    /// # Errors
    ///
    /// The errors of the task: see
    /// [`CheckedSelect::run_with_ledger`](crate::CheckedSelect::run_with_ledger).
    pub fn run(&self, table: Option<&(impl Source + ?Sized)>) -> Result<Answer> {
        let table = || table.ok_or_else(|| Error::request("this command needs a table"));
        let Self { task, terms, .. } = self;
        let words = &*self.words;
        terms.check()?;
        let hooks = self.hooks.for_a_run();
        match task {
            Task::Select(options) => {
                let select = options.request()?.hooks(hooks);
                match terms.dry_run {
                    true => Answer::of_dry_run(&terms.dry_select(&select, table()?)?, words),
                    false => Answer::of_record(&*terms.select(&select, table()?)?, words),
                }
            }
            Task::Fit(options) => {
                let fit = options.request_with(|select: Select| select.hooks(hooks))?;
                match terms.dry_run {
                    true => Answer::of_fit_dry_run(&terms.dry_fit(&fit, table()?)?, words),
                    false => Answer::of_fit(&terms.fit(&fit, table()?)?, words),
                }
            }
            Task::Choose(options) => Answer::of_choice(&terms.choose(options)?, words),
            Task::Plan(options) => Answer::of_plan(options.run(&|share| {
                hooks.report(share, 1.0);
                hooks.check()
            })?),
            #[cfg(feature = "inspect")]
            Task::Inspect(options) => {
                let table = table()?.file().ok_or_else(|| {
                    Error::request("an inspection takes one file, or columns in memory")
                })?;
                Answer::of_inspection(&inspect(&table.clone().with_hooks(hooks), options)?, words)
            }
        }
    }
}

#[cfg(test)]
mod tests;
