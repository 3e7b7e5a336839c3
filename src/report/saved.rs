//! Records as HTML pages and figures, also after they were saved as JSON.

use std::ops::Deref;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::fit_page::{figures_of_fit, page_of_fit};
use super::front::FIGURE;
use super::html::{by_effect_size, effect_sizes, page_of_choice, page_of_selection};
use super::ledger::page_of_ledger;
use super::page::{Block, Heading, Page};
use super::plan_page::{curve_of_plan, page_of_plan};
use super::svg::document;
use super::{curve, intervals};
use crate::choose::ChoiceRecord;
use crate::error::{Error, Result};
use crate::forecast::PlanRecord;
use crate::json::to_json;
use crate::model::Model;
use crate::privacy::Balance;
use crate::release::Record;
use crate::run::FitRecord;

/// A record that has an HTML page.
pub trait Paged: Serialize {
    /// The page with this heading, without the record itself.
    fn page(&self, heading: &Heading) -> Page;

    /// The figures of the record, each with at most 60 features.
    fn figures(&self) -> Vec<Block> {
        Vec::new()
    }
}

impl<T: Deref<Target: Paged> + Serialize> Paged for T {
    fn page(&self, heading: &Heading) -> Page {
        (**self).page(heading)
    }

    fn figures(&self) -> Vec<Block> {
        (**self).figures()
    }
}

impl Paged for Record {
    fn page(&self, heading: &Heading) -> Page {
        page_of_selection(self, heading)
    }

    fn figures(&self) -> Vec<Block> {
        if self.estimates.iter().all(|estimate| estimate.effect_size.is_none()) {
            return Vec::new();
        }
        by_effect_size(self).chunks(FIGURE).map(|part| effect_sizes(self, part)).collect()
    }
}

impl Paged for ChoiceRecord {
    fn page(&self, heading: &Heading) -> Page {
        page_of_choice(self, heading)
    }
}

impl Paged for FitRecord {
    fn page(&self, heading: &Heading) -> Page {
        page_of_fit(self, heading)
    }

    fn figures(&self) -> Vec<Block> {
        figures_of_fit(self)
    }
}

impl Paged for PlanRecord {
    fn page(&self, heading: &Heading) -> Page {
        page_of_plan(self, heading)
    }

    fn figures(&self) -> Vec<Block> {
        curve_of_plan(self).into_iter().collect()
    }
}

impl Paged for Balance {
    fn page(&self, heading: &Heading) -> Page {
        page_of_ledger(self, heading)
    }
}

/// A record that was saved as JSON: of a selection, a choice, a fit, or a power analysis. A model
/// alone is read as the record of a fit without a selection.
///
/// It is not a [`Selection`](crate::Selection): a file does not show that a private run made it.
///
/// ```
/// use dpsis::report::{Heading, Paged, SavedRecord, to_html_with, to_json};
/// use dpsis::{FileTable, Select};
///
/// let table = FileTable::from_reader(&b"age,dose,response\n41,2,7\n39,3,8\n"[..]);
/// let selection = Select::new(1).epsilon("1").run(&table)?;
/// let saved = SavedRecord::from_json(&to_json(&selection)?)?;
/// let heading = Heading { title: "The pilot".to_owned(), ..Heading::default() };
/// assert_eq!(to_html_with(&saved, &heading)?, to_html_with(&selection, &heading)?);
/// assert_eq!(saved.figures(), selection.figures());
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum SavedRecord {
    /// The record of a selection.
    Selection(Box<Record>),
    /// The record of a choice.
    Choice(Box<ChoiceRecord>),
    /// The record of a fit.
    Fit(Box<FitRecord>),
    /// The record of a power analysis.
    Plan(Box<PlanRecord>),
}

impl SavedRecord {
    /// Reads a record.
    ///
    /// # Errors
    ///
    /// `Input` if the text is not a record or a model of this version.
    pub fn from_json(json: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Kind {
            command: Option<String>,
            kind: Option<String>,
        }
        let no_record = || Error::input("not a record or a model of dpsis");
        let kind: Kind = serde_json::from_str(json).map_err(|_| no_record())?;
        fn read<T: DeserializeOwned>(json: &str) -> Result<Box<T>> {
            let record = serde_json::from_str(json).map(Box::new);
            record.map_err(|error| {
                let place = format!("line {}", error.line());
                Error::input(format!("the record is incomplete, or of another version: {place}"))
            })
        }
        match kind.command.as_deref() {
            Some("select") => read(json).map(Self::Selection),
            Some("choose") => read(json).map(Self::Choice),
            Some("fit") => read(json).map(Self::Fit),
            Some("plan") => read(json).map(Self::Plan),
            None if kind.kind.is_some() => {
                let record = FitRecord::of_model(Model::from_json(json)?)?;
                Ok(Self::Fit(Box::new(record)))
            }
            _ => Err(no_record()),
        }
    }
}

impl Paged for SavedRecord {
    fn page(&self, heading: &Heading) -> Page {
        match self {
            Self::Selection(record) => record.page(heading),
            Self::Choice(record) => record.page(heading),
            Self::Fit(record) => record.page(heading),
            Self::Plan(record) => record.page(heading),
        }
    }

    fn figures(&self) -> Vec<Block> {
        match self {
            Self::Selection(record) => record.figures(),
            Self::Choice(record) => record.figures(),
            Self::Fit(record) => record.figures(),
            Self::Plan(record) => record.figures(),
        }
    }
}

/// A record as one self-contained HTML page, which ends with the record as JSON.
///
/// ```
/// use dpsis::{Select, FileTable};
///
/// let table = FileTable::from_reader(&b"age,dose,response\n41,2,7\n39,3,8\n"[..]);
/// let selection = Select::new(1).epsilon("1").run(&table)?;
/// let page = dpsis::report::to_html(&selection)?;
/// assert!(page.starts_with("<!doctype html>"));
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// # Errors
///
/// As for [`to_json`].
pub fn to_html(record: &impl Paged) -> Result<String> {
    to_html_with(record, &Heading::default())
}

/// Like [`to_html`], with a heading.
///
/// # Errors
///
/// As for [`to_json`].
pub fn to_html_with(record: &impl Paged, heading: &Heading) -> Result<String> {
    let json = to_json(record)?;
    let mut page = record.page(heading);
    let blocks = vec![
        Block::Download {
            label: "Save the record as JSON".into(),
            file: "record.json".into(),
            media: "application/json".into(),
            text: json.clone(),
        },
        Block::Details { summary: "The whole record".into(), text: json },
    ];
    if let Some(last) = page.sections.last_mut() {
        last.blocks.extend(blocks);
    }
    Ok(page.html())
}

/// The figures of a record as SVG documents, each with at most 60 features; none if it has neither
/// effect sizes nor coefficients.
pub fn to_svg(record: &impl Paged) -> Vec<String> {
    let figure = |block: &Block| match block {
        Block::Intervals { label, intervals, axis, .. } => {
            Some(intervals::svg(label, intervals, axis))
        }
        Block::Curve { label, points, axes, .. } => Some(curve::svg(label, points, axes)),
        _ => None,
    };
    record.figures().iter().filter_map(figure).map(|svg| document(&svg)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::PlanOptions;
    use crate::markup::is_balanced;
    use crate::report::testing::with_directions;
    use crate::{Candidates, Choose, FileTable, FitModel, Ledger, LedgerTerms, NotPrivate, Select};

    /// A record that was read again has the page of the record itself.
    fn same_page(record: &impl Paged) -> String {
        let json = to_json(record).unwrap();
        let saved = SavedRecord::from_json(&json).unwrap();
        assert_eq!(to_json(&saved).unwrap(), json);
        let page = to_html(record).unwrap();
        assert_eq!(to_html(&saved).unwrap(), page);
        assert_eq!(to_svg(&saved), to_svg(record));
        assert!(is_balanced(&page), "{page}");
        page
    }

    fn file(name: &str) -> FileTable {
        FileTable::new(format!("datasets/{name}"))
    }

    fn seeded(select: Select, name: &str) -> NotPrivate<Record> {
        select.seed(7).run(&file(name)).unwrap()
    }

    #[test]
    fn selections_are_read_again() {
        let demo = || Select::new(5).epsilon("2");
        same_page(&*seeded(demo().direction("0.1"), "demo.csv"));
        same_page(&*seeded(demo().bounds(-3.0, 3.0), "demo.csv"));
        same_page(&*seeded(Select::significant().epsilon("1/3"), "demo.csv"));
        same_page(&*seeded(
            demo().delta("1e-6").k(20).mechanism(crate::mechanism::Peel),
            "demo.csv",
        ));
        same_page(&with_directions(["a", "b"]));
    }

    #[test]
    fn choices_and_ledgers_have_pages() {
        let models = Candidates::new([("lasso", "0.81"), ("forest", "0.87")], "0.005").unwrap();
        let page = same_page(&*Choose::new(1).epsilon("0.75").run(&models).unwrap());
        assert!(page.contains("SIGNIFICANCE NOT TESTED") && page.contains("of 2 candidates"));
        let folder = tempfile::tempdir().unwrap();
        let terms = LedgerTerms::new("3".parse().unwrap()).name("Ward 7");
        let ledger = Ledger::create(folder.path().join("budget"), terms).unwrap();
        let page = to_html(&ledger.read().unwrap()).unwrap();
        assert!(page.contains("<h1>Ward 7</h1>") && page.contains("3 OF 3 LEFT"), "{page}");
    }

    #[test]
    fn fits_have_pages_with_and_without_their_record() {
        let fit = FitModel::new(Select::new(3).epsilon("6")).seed(3);
        let fitted = fit.run(&file("demo.csv")).unwrap();
        let page = same_page(&*fitted);
        assert!(page.contains("<h1>Linear regression of response</h1>"), "{page}");
        assert!(page.contains("OF 3 DIFFER FROM 0") && page.contains("NOT PRIVATE"), "{page}");
        let model = fitted.model.as_ref().unwrap().to_json().unwrap();
        let alone = to_html(&SavedRecord::from_json(&model).unwrap()).unwrap();
        assert!(alone.contains("<h1>Linear regression of response</h1>"), "{alone}");
        assert!(alone.contains("NOT PRIVATE") && !alone.contains(">rows needed<"), "{alone}");
    }

    #[test]
    fn plans_have_the_answer_and_a_curve() {
        let plan = PlanOptions {
            rows: 500,
            features: 50,
            class_shares: vec![0.5],
            over: ["1", "2", "4"].map(str::to_owned).to_vec(),
            tables: Some(20),
            ..PlanOptions::default()
        };
        let mut plan = plan;
        (plan.select.k, plan.select.privacy.epsilon) = (Some(3), Some("1".into()));
        let page = same_page(&plan.run(&|_| Ok(())).unwrap());
        assert!(page.contains("With 500 rows at epsilon 1"), "{page}");
        assert!(page.contains("<polyline class=\"curve\""), "{page}");
    }

    #[test]
    fn other_texts_are_refused() {
        for (text, part) in [
            ("", "not a record"),
            ("{}", "not a record"),
            ("[1]", "not a record"),
            ("{\"command\": \"inspect\"}", "not a record"),
            ("{\"command\": \"select\"}", "incomplete, or of another version"),
            ("{\"kind\": \"linear\"}", "the model cannot be read"),
        ] {
            let error = SavedRecord::from_json(text).unwrap_err();
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
    }
}
