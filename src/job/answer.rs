//! Answers of jobs.

use serde::Serialize;

use crate::choose::{Choice, ChoiceRecord};
use crate::error::Result;
use crate::forecast::PlanRecord;
use crate::job::caution::{Caution, Words};
use crate::job::terms::Outcome;
use crate::json::to_json;
use crate::model::Model;
use crate::privacy::{NotPrivate, Receipt};
use crate::release::Record;
#[cfg(feature = "exports")]
use crate::report::Statement;
use crate::report::{Reported, dry_run_with, fit_dry_run, fit_report, plan, report_with};
use crate::run::{DryRun, FitDryRun, FitRecord, FittedModel};

/// The answer of a job, in all forms that interfaces show. Fields that a task does not fill are
/// empty or `None`.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// Whether it may be released.
    pub private: bool,
    /// The names of the selected features, or of the chosen candidates.
    pub names: Vec<String>,
    /// Their places among all features or candidates, from 0.
    pub indices: Vec<usize>,
    /// The record as JSON.
    pub json: String,
    /// The record in a few lines.
    pub report: String,
    /// The statement for output checkers as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// The model as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The warnings.
    pub warnings: Vec<Caution>,
    /// The epsilon that remains in the ledger, if one was charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining: Option<String>,
    /// The record of a power analysis, for interfaces that plot it.
    #[serde(skip)]
    pub plan: Option<PlanRecord>,
}

impl Answer {
    fn of_release(
        record: &(impl Reported + Serialize),
        ledger: Option<&Receipt>,
        words: &Words,
    ) -> Result<Self> {
        Ok(Self {
            names: record.picked().map(|(name, _)| name.to_owned()).collect(),
            json: to_json(record)?,
            report: report_with(record, words),
            #[cfg(feature = "exports")]
            statement: Some(to_json(&record.statement())?),
            warnings: Caution::all(record.warnings(), words),
            remaining: ledger.map(|receipt| receipt.left.clone()),
            ..Self::default()
        })
    }

    /// The answer of a selection with this record.
    ///
    /// # Errors
    ///
    /// As for [`to_json`].
    pub fn of_record(record: &Record, words: &Words) -> Result<Self> {
        let answer = Self::of_release(record, record.ledger.as_ref(), words)?;
        Ok(Self { private: record.private, indices: record.indices(), ..answer })
    }

    /// The answer of a choice.
    pub(super) fn of_choice(
        outcome: &Outcome<Choice, NotPrivate<ChoiceRecord>>,
        words: &Words,
    ) -> Result<Self> {
        let record: &ChoiceRecord = outcome;
        let answer = Self::of_release(record, record.ledger.as_ref(), words)?;
        let indices = record.selected.iter().map(|one| one.index).collect();
        Ok(Self { private: record.private, indices, ..answer })
    }

    /// The answer of a fit.
    pub(super) fn of_fit(
        outcome: &Outcome<FittedModel, NotPrivate<FitRecord>>,
        words: &Words,
    ) -> Result<Self> {
        let record: &FitRecord = outcome;
        let model = record.model.as_ref();
        Ok(Self {
            private: record.private,
            names: model.iter().flat_map(|model| model.feature_names()).map(Into::into).collect(),
            indices: record.indices().to_vec(),
            json: to_json(record)?,
            report: fit_report(record, words),
            #[cfg(feature = "exports")]
            statement: Some(to_json(&Statement::of_fit(record))?),
            model: model.map(Model::to_json).transpose()?,
            warnings: Caution::all(record.all_warnings(), words),
            remaining: record.ledger.as_ref().map(|receipt| receipt.left.clone()),
            ..Self::default()
        })
    }

    /// The answer of a dry run.
    pub(super) fn of_dry_run(plan: &DryRun, words: &Words) -> Result<Self> {
        Self::of_document(plan, dry_run_with(plan, words))
    }

    /// The answer of the dry run of a fit.
    pub(super) fn of_fit_dry_run(plan: &FitDryRun, words: &Words) -> Result<Self> {
        Self::of_document(plan, fit_dry_run(plan, words))
    }

    /// The answer of a power analysis.
    pub(super) fn of_plan(record: PlanRecord) -> Result<Self> {
        let answer = Self::of_document(&record, plan(&record))?;
        Ok(Self { plan: Some(record), ..answer })
    }

    /// The answer of an inspection.
    #[cfg(feature = "inspect")]
    pub(super) fn of_inspection(
        inspection: &crate::inspect::Inspection,
        words: &Words,
    ) -> Result<Self> {
        Self::of_document(&inspection.document(words), inspection.report(words))
    }

    fn of_document(record: &impl Serialize, report: String) -> Result<Self> {
        Ok(Self { json: to_json(record)?, report, ..Self::default() })
    }
}
