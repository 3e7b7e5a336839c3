//! The terms on which a job runs: seeded, charged to a ledger, or neither; dry or not.

use std::cell::RefCell;
use std::ops::Deref;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::choose::{Choice, ChoiceRecord, ChooseOptions};
use crate::error::{Error, Parameter, Result};
use crate::job::caution::Caution;
use crate::json::{Kept, read_options};
use crate::privacy::ledger::{Begun, check_run_key, utc};
use crate::privacy::{Ledger, NotPrivate};
use crate::release::{Record, RunNote, Selection};
use crate::request::{NotPrivateSelect, Select};
use crate::run::{DryRun, FitDryRun, FitModel, FitRecord, FittedModel, Partial, ReleasedTarget};
use crate::table::{Hooks, Source};

/// The terms on which a job runs. As JSON it is one object of all fields.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// The request as it could be typed again, for the record; empty if it is not recorded.
    pub request: String,
    /// The day for the record, for a program without a clock; empty for today.
    pub day: String,
    /// The seed of all draws, for tests: the result is then not private.
    pub seed: Option<u64>,
    /// The budget file to charge.
    pub ledger: Option<PathBuf>,
    /// The note on its entry.
    pub note: String,
    /// The key under which the run is charged once: a repeated call with it returns the recorded
    /// release and neither charges nor releases again. It identifies the request, not the data:
    /// a table that has changed since is not noticed. All stages of a release from sums take the
    /// same key: the entry of a released target has the name of its stage after it.
    pub run_key: Option<String>,
    /// Whether only the budget and the noise to expect are reported, and nothing is drawn.
    pub dry_run: bool,
    /// A ledger that the program stores itself.
    #[serde(skip)]
    pub kept: Option<Ledger>,
}

/// The result of a run, by whether it is private. It dereferences to the record.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome<P, N> {
    /// A private release.
    Private(P),
    /// A result of the same form that must not be released.
    NotPrivate(N),
}

impl<P: Deref, N: Deref<Target = P::Target>> Deref for Outcome<P, N> {
    type Target = P::Target;

    fn deref(&self) -> &P::Target {
        match self {
            Self::Private(release) => release,
            Self::NotPrivate(record) => record,
        }
    }
}

/// A call that may have a run key.
struct Call {
    /// A text with everything that determines the release except the data.
    identity: String,
    /// Hooks that can stop the call while it waits for another one with the same key.
    hooks: Hooks,
}

impl Call {
    fn new(command: &str, parts: &[&str], hooks: &Hooks) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let identity = format!("dpsis {version} {command}\n{}", parts.join("\n"));
        Self { identity, hooks: hooks.for_a_run() }
    }

    /// A selection with data of this identity.
    fn select(command: &str, select: &Select, data: &str) -> Result<Self> {
        let request = select.check_ref()?.request();
        Ok(Self::new(command, &[data, &request.identity()], &request.hooks))
    }

    /// A fit with data of this identity.
    fn fit(fit: &FitModel, data: &str) -> Result<Self> {
        fit.check_ref()?;
        Ok(Self::new("fit", &[data, &fit.identity()], &fit.select_request().hooks))
    }
}

/// Whether records can be kept in files. The page for browsers leaves out the code that does so.
const HAS_FILES: bool = !cfg!(target_family = "wasm");

impl Terms {
    /// Reads a JSON object of terms.
    ///
    /// # Errors
    ///
    /// `Request` for other JSON, for a field that does not exist, or a value of another kind.
    pub fn from_json(json: &str) -> Result<Self> {
        read_options(json)
    }

    /// Checks the terms by themselves.
    ///
    /// # Errors
    ///
    /// `Request` if a ledger would be charged for a result that is not private, if a run key is
    /// given without a ledger or cannot be part of one, or if the day of the record is unknown.
    pub fn check(&self) -> Result<()> {
        if self.seed.is_some() && self.is_charged() {
            let rule = "a result that is not private is not for release: charge no ledger for it";
            let about = [Parameter::Seed, Parameter::Ledger];
            return Err(Error::request(rule).about(about));
        }
        if let Some(key) = &self.run_key {
            check_run_key(key)?;
            if !self.is_charged() {
                let rule = "a run key is recorded in a ledger: give the ledger, or no run key";
                let about = [Parameter::RunKey, Parameter::Ledger];
                return Err(Error::request(rule).about(about));
            }
            if !HAS_FILES {
                let rule = "a run key needs files, which a browser does not have";
                return Err(Error::request(rule).about([Parameter::RunKey]));
            }
        }
        self.run_note().map(|_| ())
    }

    fn is_charged(&self) -> bool {
        self.ledger.is_some() || self.kept.is_some()
    }

    /// The ledger to charge, if any.
    ///
    /// # Errors
    ///
    /// As for [`Ledger::open`].
    pub fn open_ledger(&self) -> Result<Option<Ledger>> {
        match (&self.kept, &self.ledger) {
            (Some(ledger), _) => Ok(Some(ledger.clone())),
            (None, path) => path.as_ref().map(Ledger::open).transpose(),
        }
    }

    /// The note on the run for its record, if the request is recorded.
    ///
    /// # Errors
    ///
    /// As for [`today`].
    pub fn run_note(&self) -> Result<Option<RunNote>> {
        if self.request.is_empty() {
            return Ok(None);
        }
        let day = if self.day.is_empty() { today()? } else { self.day.clone() };
        Ok(Some(RunNote::new(day, self.request.as_str())))
    }

    /// Runs `seeded` with the seed of the terms, if they have one; the result is not private.
    /// Otherwise runs `private` with the ledger to charge and the note on its entry. Both receive
    /// the note on the run for its record. `call` identifies the request of a private run and can
    /// stop the waiting for another one.
    fn run<P: Kept, N>(
        &self,
        seeded: impl FnOnce(u64, Option<RunNote>) -> Result<N>,
        call: impl FnOnce() -> Result<Call>,
        private: impl FnOnce(Option<RunNote>, Option<(&Ledger, &str)>) -> Result<P>,
    ) -> Result<Outcome<P, N>> {
        self.check()?;
        let run = self.run_note()?;
        if let Some(seed) = self.seed {
            return seeded(seed, run).map(Outcome::NotPrivate);
        }
        self.once(call, |charge| private(run, charge)).map(Outcome::Private)
    }

    /// Makes a private release with the ledger to charge and the note on its entry. With a run key
    /// it is made and charged once, and a repeated call returns its record.
    fn once<P: Kept>(
        &self,
        call: impl FnOnce() -> Result<Call>,
        release: impl FnOnce(Option<(&Ledger, &str)>) -> Result<P>,
    ) -> Result<P> {
        let ledger = self.open_ledger()?;
        let run_key = self.run_key.as_ref().filter(|_| HAS_FILES);
        let (Some(ledger), Some(key)) = (&ledger, run_key) else {
            return release(ledger.as_ref().map(|ledger| (ledger, self.note.as_str())));
        };
        let Call { identity, hooks } = call()?;
        match ledger.begin(key, &identity, || hooks.check())? {
            Begun::Recorded(text) => P::from_kept(&text),
            Begun::New(run) => {
                let released = release(Some((run.ledger(), &self.note)))?;
                // A record that cannot be written does not withhold the release.
                if let Ok(text) = released.to_kept() {
                    run.keep(&text);
                }
                Ok(released)
            }
        }
    }

    /// The ledger whose budget a dry run compares with that of the call; `None` for a repeated call
    /// of a run key, which spends nothing.
    fn ledger_of_dry_run(&self, call: impl FnOnce() -> Result<Call>) -> Result<Option<Ledger>> {
        let ledger = self.open_ledger()?;
        if let (Some(ledger), Some(key)) = (&ledger, &self.run_key)
            && ledger.is_repeated(key, &call()?.identity)?
        {
            return Ok(None);
        }
        Ok(ledger)
    }

    /// The request whose result is not private, if these terms make one.
    pub fn not_private(&self, select: &Select) -> Option<NotPrivateSelect> {
        self.seed.map(|seed| select.clone().seed(seed))
    }

    /// Checks everything about a selection that does not need a table.
    ///
    /// # Errors
    ///
    /// `Request` with the first rule that is broken.
    pub fn check_select(&self, select: &Select) -> Result<()> {
        self.check()?;
        match self.not_private(select) {
            Some(request) => request.check(),
            None => select.check_ref().map(|_| ()),
        }
    }

    /// Selects features of a table.
    ///
    /// # Errors
    ///
    /// As for [`CheckedSelect::run_with_ledger`](crate::CheckedSelect::run_with_ledger).
    pub fn select(
        &self,
        select: &Select,
        table: &(impl Source + ?Sized),
    ) -> Result<Outcome<Selection, NotPrivate<Record>>> {
        self.run(
            |seed, run| {
                Ok(select.clone().seed(seed).run(table)?.map(|record| record.with_run(run)))
            },
            || Call::select("select", select, &table.identity()),
            |run, charge| {
                let selection = match charge {
                    Some((ledger, note)) => select.run_with_ledger(table, ledger, note),
                    None => select.run(table),
                };
                Ok(selection?.with_run(run))
            },
        )
    }

    /// Reports the budget of each part of a selection, and the effect sizes to expect. No row is
    /// read, and nothing is spent.
    ///
    /// # Errors
    ///
    /// As for [`CheckedSelect::dry_run_with_ledger`](crate::CheckedSelect::dry_run_with_ledger).
    pub fn dry_select(&self, select: &Select, table: &(impl Source + ?Sized)) -> Result<DryRun> {
        self.check()?;
        let call = || Call::select("select", select, &table.identity());
        match (self.not_private(select), self.ledger_of_dry_run(call)?) {
            (Some(request), _) => request.dry_run(table),
            (None, Some(ledger)) => select.dry_run_with_ledger(table, &ledger),
            (None, None) => select.dry_run(table),
        }
    }

    /// Selects features of a table and fits a model to them.
    ///
    /// # Errors
    ///
    /// As for [`CheckedFitModel::run_with_ledger`](crate::CheckedFitModel::run_with_ledger).
    pub fn fit(
        &self,
        fit: &FitModel,
        table: &(impl Source + ?Sized),
    ) -> Result<Outcome<FittedModel, NotPrivate<FitRecord>>> {
        self.run(
            |seed, run| Ok(fit.clone().seed(seed).run(table)?.map(|record| record.with_run(run))),
            || Call::fit(fit, &table.identity()),
            |run, charge| {
                let fitted = match charge {
                    Some((ledger, note)) => fit.run_with_ledger(table, ledger, note),
                    None => fit.run(table),
                };
                Ok(fitted?.with_run(run))
            },
        )
    }

    /// Reports the budget of each part of a fit: see [`dry_select`](Self::dry_select).
    ///
    /// # Errors
    ///
    /// As for
    /// [`CheckedFitModel::dry_run_with_ledger`](crate::CheckedFitModel::dry_run_with_ledger).
    pub fn dry_fit(&self, fit: &FitModel, table: &(impl Source + ?Sized)) -> Result<FitDryRun> {
        self.check()?;
        let call = || Call::fit(fit, &table.identity());
        match (self.seed, self.ledger_of_dry_run(call)?) {
            (Some(seed), _) => fit.clone().seed(seed).dry_run(table),
            (None, Some(ledger)) => fit.check_ref()?.dry_run_with_ledger(table, &ledger),
            (None, None) => fit.check_ref()?.dry_run(table),
        }
    }

    /// Chooses among candidates. Before a ledger is charged, the request is checked against their
    /// public part.
    ///
    /// # Errors
    ///
    /// As for [`Choose::run_with_ledger`](crate::Choose::run_with_ledger).
    pub fn choose(
        &self,
        options: &ChooseOptions,
    ) -> Result<Outcome<Choice, NotPrivate<ChoiceRecord>>> {
        if self.dry_run {
            return Err(Error::request("a choice has no dry run: forecast it with advice"));
        }
        let choose = options.request()?;
        let seeded = |seed, run| {
            let record = choose.clone().seed(seed).run(&options.candidates()?)?;
            Ok(record.map(|record| record.with_run(run)))
        };
        let call = || Ok(Call::new("choose", &[&options.identity()], &Hooks::default()));
        self.run(seeded, call, |run, charge| {
            let choice = match charge {
                Some((ledger, note)) => {
                    ledger.check(&choose.expense(note)?)?;
                    if options.reads_again() {
                        choose.check_public(&options.read_public()?)?;
                    }
                    choose.run_with_ledger(|| options.candidates(), ledger, note)
                }
                None => choose.run(&options.candidates()?),
            };
            Ok(choice?.with_run(run))
        })
    }

    /// Releases a selection from the sums of all rows, at their last stage.
    ///
    /// # Errors
    ///
    /// As for [`CheckedSelect::release_with_ledger`](crate::CheckedSelect::release_with_ledger).
    pub fn release(
        &self,
        select: &Select,
        sums: &Partial,
    ) -> Result<Outcome<Selection, NotPrivate<Record>>> {
        self.run(
            |seed, run| {
                Ok(select.clone().seed(seed).release(sums)?.map(|record| record.with_run(run)))
            },
            || Call::select("release", select, &sums.identity()),
            |run, charge| {
                let select = select.check_ref()?;
                let selection = match charge {
                    Some((ledger, note)) => select.release_with_ledger(sums, ledger, note),
                    None => select.release(sums),
                };
                Ok(selection?.with_run(run))
            },
        )
    }

    /// Releases the value of the target that the next stage needs, from the sums of all rows.
    ///
    /// # Errors
    ///
    /// As for
    /// [`CheckedSelect::release_target_with_ledger`](crate::CheckedSelect::release_target_with_ledger).
    pub fn release_target(&self, select: &Select, sums: &Partial) -> Result<ReleasedTarget> {
        self.check()?;
        if let Some(seed) = self.seed {
            return select.clone().seed(seed).release_target(sums);
        }
        let run_key = self.run_key.as_ref().map(|key| format!("{key} ({})", sums.stage()));
        let call = || Call::select("release target", select, &sums.identity());
        Self { run_key, ..self.clone() }.once(call, |charge| {
            let select = select.check_ref()?;
            match charge {
                Some((ledger, note)) => select.release_target_with_ledger(sums, ledger, note),
                None => select.release_target(sums),
            }
        })
    }

    /// Selects features of rows that `gather` sums stage by stage, at the values released before.
    ///
    /// # Errors
    ///
    /// As for
    /// [`CheckedSelect::run_in_parts_with_ledger`](crate::CheckedSelect::run_in_parts_with_ledger).
    pub fn select_in_parts(
        &self,
        select: &Select,
        gather: impl FnMut(Option<&ReleasedTarget>) -> Result<Partial>,
    ) -> Result<Outcome<Selection, NotPrivate<Record>>> {
        // One of the two is called.
        let gather = RefCell::new(gather);
        let seeded = |seed, run| {
            let record = select.clone().seed(seed).run_in_parts(&mut *gather.borrow_mut())?;
            Ok(record.map(|record| record.with_run(run)))
        };
        let private = |run: Option<RunNote>, charge: Option<(&Ledger, &str)>| {
            let (select, gather) = (select.check_ref()?, &mut *gather.borrow_mut());
            let selection = match charge {
                Some((ledger, note)) => select.run_in_parts_with_ledger(ledger, note, gather),
                None => select.run_in_parts(gather),
            };
            Ok(selection?.with_run(run))
        };
        // The rows are not known here: the text of the request identifies them.
        let call = || Call::select("select in parts", select, &self.request);
        self.run(seeded, call, private)
    }

    /// The warning about a release from sums whose earlier stages were charged to a ledger, while
    /// this stage is not.
    pub fn warning_on_sums(&self, sums: &Partial) -> Option<Caution> {
        let charged_before = sums.released().is_some_and(ReleasedTarget::is_charged);
        let rule = "the release of the target was charged to a ledger, and this one is not: give the ledger";
        (charged_before && !self.is_charged() && self.seed.is_none())
            .then(|| Caution { text: rule.to_owned(), essential: false })
    }
}

/// The day in UTC; with `SOURCE_DATE_EPOCH` in the environment the day of that time, so that a
/// record can be reproduced to the byte.
///
/// # Errors
///
/// `Request` if that variable is not a number of seconds.
pub fn today() -> Result<String> {
    let seconds = match std::env::var_os("SOURCE_DATE_EPOCH") {
        Some(given) => given.to_str().and_then(|text| text.parse().ok()),
        None => SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs()),
    };
    let rule = "SOURCE_DATE_EPOCH must be a number of seconds since 1970, before the year 10000";
    let time = seconds.and_then(utc).ok_or_else(|| Error::request(rule))?;
    Ok(time.chars().take_while(|letter| *letter != 'T').collect())
}
