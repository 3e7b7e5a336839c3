//! The text of a release for readers who judge it without reading records: the same for a
//! selection, a choice and a model.

use serde::{Deserialize, Serialize};

use super::facts;
use super::findings;
use super::words::{
    PROTECTED_BY_CHOICE, charged, features_or_sets, line_of_features, meaning, needed_of_unit,
    protected, protected_by_fit, relation_words, spent,
};
use crate::choose::ChoiceRecord;
use crate::model::{Model, ModelKind};
use crate::privacy::Receipt;
use crate::release::{
    Command, Guarantee, MechanismReason, RandomnessUsed, Record, RunNote, Warning,
};
use crate::request::{CenterUsed, ScaleUsed};
use crate::run::FitRecord;
use crate::table::listed;

/// A release as text, made from its record: the source of all formats for output checkers.
///
/// As private as the record: it contains nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Statement {
    /// Whether the guarantee holds for the whole release.
    pub private: bool,
    /// Whether it was drawn from a given seed.
    pub seeded: bool,
    /// The command that made it.
    pub command: String,
    /// The version of the program.
    pub version: String,
    /// The day of the run; empty if it was not recorded.
    pub day: String,
    /// The request; empty if it was not recorded.
    pub request: String,
    /// The total epsilon, as exact text.
    pub epsilon: String,
    /// The total delta, as exact text.
    pub delta: String,
    /// The unit: row, column, person, or unit.
    pub unit: String,
    /// The protected change, such as adding or removing one row.
    pub relation: String,
    /// The protected data of a unit, as text.
    pub protected: String,
    /// The meaning of epsilon and delta for one unit.
    pub meaning: String,
    /// Epsilon and its parts.
    pub spent: String,
    /// The state of the ledger, if one was charged.
    pub ledger: Option<String>,
    /// The released names, effect sizes and counts.
    pub released: String,
    /// The facts taken as public.
    pub public: Vec<String>,
    /// The random generator, and the origin of its key.
    pub randomness: String,
    /// The target, if it has a name.
    pub target: Option<String>,
    /// The released names.
    pub names: Vec<String>,
    /// The released values: the column names, then one row for each name.
    pub table: Vec<Vec<String>>,
    /// The caveats.
    pub warnings: Vec<String>,
}

impl Statement {
    /// The statement of a model.
    pub fn of_fit(record: &FitRecord) -> Self {
        let FitRecord { command, version, private, guarantee, randomness, .. } = record;
        let features = match &record.selection {
            Some(record) => Self::of_selection(record),
            None => Self {
                protected: protected_by_fit(guarantee),
                public: vec!["the features of the model".to_owned()],
                ..Self::default()
            },
        };
        let released = joined(&features.released, &fitted(record));
        let found = match &record.model {
            Some(model) => features.modeled(model),
            None => features,
        };
        Self { released, ..found }
            .given_to_model(record)
            .guaranteed(*command, version, *private, guarantee, randomness)
            .charged(record.ledger.as_ref())
            .warned(record.all_warnings())
            .with_run(record.run.as_ref())
    }

    /// Adds the note on its run, if there is one.
    fn with_run(self, run: Option<&RunNote>) -> Self {
        match run {
            Some(run) => Self { day: run.day.clone(), request: run.request.clone(), ..self },
            None => self,
        }
    }

    /// The statement of a selection.
    pub(super) fn of_selection(record: &Record) -> Self {
        let Record { command, version, private, guarantee, randomness, score, .. } = record;
        let statement = Self {
            protected: protected(score, guarantee),
            released: selected(record),
            public: given(record),
            target: record.target.name.clone(),
            ..Self::default()
        };
        statement
            .guaranteed(*command, version, *private, guarantee, randomness)
            .picked(
                record.selected.iter().map(|picked| (picked.name.as_str(), picked.column)),
                line_of_features(record),
                &findings::columns(record),
            )
            .warned(&record.warnings)
            .charged(record.ledger.as_ref())
            .with_run(record.run.as_ref())
    }

    /// The statement of a choice.
    pub(super) fn of_choice(record: &ChoiceRecord) -> Self {
        let ChoiceRecord { command, version, private, guarantee, randomness, .. } = record;
        let candidates = record.score.candidates;
        let sensitivity = facts::sensitivity_of(record);
        let statement = Self {
            protected: PROTECTED_BY_CHOICE.to_owned(),
            released: format!("the names of {} of {candidates} candidates", record.selected.len()),
            public: vec![
                "the names of the candidates".to_owned(),
                format!("that one unit moves a score by {sensitivity}"),
            ],
            ..Self::default()
        };
        statement
            .guaranteed(*command, version, *private, guarantee, randomness)
            .picked(
                record.selected.iter().map(|chosen| (chosen.name.as_str(), chosen.row)),
                "row",
                &[],
            )
            .warned(&record.warnings)
            .charged(record.ledger.as_ref())
            .with_run(record.run.as_ref())
    }

    /// Sets the fields that the records of all commands have.
    fn guaranteed(
        self,
        command: Command,
        version: &str,
        private: bool,
        guarantee: &Guarantee,
        randomness: &RandomnessUsed,
    ) -> Self {
        let Guarantee { epsilon, delta, neighbors, unit, .. } = guarantee;
        Self {
            private,
            seeded: randomness.seeded,
            command: command.to_string(),
            version: version.to_owned(),
            epsilon: epsilon.to_string(),
            delta: delta.to_string(),
            unit: unit.to_string(),
            relation: relation_words(*neighbors, &unit.to_string()),
            meaning: meaning(epsilon.to_f64(), delta, *neighbors, *unit, "this release"),
            spent: spent(guarantee),
            randomness: randomness.source.to_string(),
            ..self
        }
    }

    /// Adds the facts that the model alone took as public.
    fn given_to_model(self, record: &FitRecord) -> Self {
        let Some(given) = &record.given else { return self };
        let ranges = given.feature_ranges.then(|| "the range of each numeric feature".to_owned());
        let levels = Some(&given.levels).filter(|names| !names.is_empty());
        let levels = levels.map(|names| format!("the levels of {}", listed(names)));
        let target = given.target_range.then(|| "the range of the target".to_owned());
        let is_new =
            |words: &String| !self.public.iter().any(|known| known.starts_with(words.as_str()));
        let facts = [ranges, levels, target].into_iter().flatten().filter(is_new);
        Self { public: self.public.iter().cloned().chain(facts).collect(), ..self }
    }

    /// Adds a model of the features.
    fn modeled(self, model: &Model) -> Self {
        let classes = model.target.classes.as_ref();
        let classes = classes.map(|classes| format!("the classes {}", listed(classes)));
        let is_new = |words: &String| !self.public.contains(words);
        let public = self.public.iter().cloned().chain(classes.filter(is_new)).collect();
        Self {
            public,
            target: model.target.name.clone(),
            names: model.feature_names().map(str::to_owned).collect(),
            table: coefficients(model),
            ..self
        }
    }

    /// Adds picks, their places of this kind, and further columns about them.
    fn picked<'a>(
        self,
        picks: impl Iterator<Item = (&'a str, usize)>,
        place: &str,
        columns: &[(&str, Vec<String>)],
    ) -> Self {
        let header = ["name", place].into_iter().chain(columns.iter().map(|(name, _)| *name));
        let header: Vec<String> = header.map(str::to_owned).collect();
        let row = |(i, (name, place)): (usize, (&str, usize))| -> Vec<String> {
            let cells = columns.iter().map(|(_, cells)| cells.get(i).cloned().unwrap_or_default());
            [name.to_owned(), place.to_string()].into_iter().chain(cells).collect()
        };
        let rows: Vec<Vec<String>> = picks.enumerate().map(row).collect();
        Self {
            names: rows.iter().map(|row| row[0].clone()).collect(),
            table: std::iter::once(header).chain(rows).collect(),
            ..self
        }
    }

    fn charged(self, receipt: Option<&Receipt>) -> Self {
        Self { ledger: receipt.map(charged), ..self }
    }

    fn warned<'a>(self, warnings: impl IntoIterator<Item = &'a Warning>) -> Self {
        let warnings = warnings.into_iter().map(|warning| warning.text.clone()).collect();
        Self { warnings, ..self }
    }
}

/// The values that a selection released.
fn selected(record: &Record) -> String {
    let (features, what) = (record.public.features, features_or_sets(&record.score));
    let released = &record.released;
    let mut parts = vec![format!("the names of {} of {features} {what}", record.selected.len())];
    let mut add = |is_there: bool, words: &str| parts.extend(is_there.then(|| words.to_owned()));
    add(record.screened.is_some(), "the names that they were refined from");
    add(findings::has(record, |estimate| estimate.effect_size), "their effect sizes, with noise");
    add(record.significance.significant.is_some(), "which of them are significant");
    add(record.directions.is_some(), "their directions");
    add(
        released.number.is_some(),
        "how many features were drawn, of which the significant are named",
    );
    let by_draw = matches!(&record.mechanism.chosen, Some(MechanismReason::Scores { .. }));
    add(by_draw, "whether many of the scores are large, with noise");
    add(released.target_median.is_some(), "a median of the target, with noise");
    add(released.center.is_some(), "the center of the target, with noise");
    let units = record.guarantee.unit.plural();
    let counted = format!(
        "how many {units} have {} and how many do not, with noise",
        needed_of_unit(&record.score)
    );
    add(released.rows_estimate.is_some(), &counted);
    let strata = format!("how many {units} are in no stratum, with noise");
    add(released.no_stratum_estimate.is_some(), &strata);
    parts.join("; ")
}

/// The facts that a selection took as public, in addition to the request.
fn given(record: &Record) -> Vec<String> {
    let Record { public, score, target, guarantee, .. } = record;
    let range = |[low, high]: [f64; 2]| format!("[{low}, {high}]");
    let of_features =
        score.bounds.map(|bounds| format!("the range of all features, {}", range(bounds)));
    let own_ranges = matches!(score.scale, ScaleUsed::BoundsFile | ScaleUsed::BoundsByFeature);
    let given = [
        Some(format!(
            "the names and the number of the {} {}, and the name of the target",
            public.features,
            features_or_sets(score)
        )),
        score.groups.as_ref().map(|_| "the sets of features".to_owned()),
        findings::has_weights(record).then(|| {
            "the weights of features, which come from other people than those in the table"
                .to_owned()
        }),
        of_features,
        own_ranges.then(|| "the range of each feature".to_owned()),
        score.classes.as_ref().map(|classes| format!("the classes {}", listed(classes))),
        target.time_to_event.as_ref().map(|horizon| {
            let columns = &horizon.columns;
            let (time, event, value) = (columns.time(), columns.event(), columns.value());
            format!(
                "the horizon {} in {time:?}, and {value:?} as the event in {event:?}",
                columns.by()
            )
        }),
        target.bounds.map(|bounds| format!("the range of the target, {}", range(bounds))),
        (score.center == CenterUsed::Given).then(|| "the center of the target".to_owned()),
        (!target.adjusted_for.is_empty())
            .then(|| format!("the strata of {}", target.adjusted_for.join(" and "))),
        public.rows.map(|rows| format!("the number of {}, {rows}", guarantee.unit.plural())),
        public.schema_sha256.as_ref().map(|hash| format!("a schema file with SHA-256 {hash}")),
    ];
    given.into_iter().flatten().collect()
}

/// The values that a fit releases after its selection.
fn fitted(record: &FitRecord) -> String {
    let units = record.guarantee.unit.plural();
    let counted = record.selection.as_ref().and_then(|record| record.released.rows_estimate);
    let rows = (record.rows_estimate.is_some() && counted.is_none())
        .then(|| format!("how many {units} have a target, with noise"));
    let Some(model) = &record.model else {
        let no_model =
            "no model, for the released values do not determine even the mean of the target";
        return joined(&rows.unwrap_or_default(), no_model);
    };
    let (kind, error) = match model.kind {
        ModelKind::Linear => ("linear", "their intervals"),
        ModelKind::Logistic => ("logistic", "the size of their noise"),
    };
    let coefficients = format!(
        "the intercept and the coefficients of a {kind} regression on {} features, with noise",
        model.feature_names().count()
    );
    let given = record.given.as_ref();
    let has_numbers = model.features.iter().any(|feature| feature.level.is_none());
    let are_drawn = has_numbers && given.is_none_or(|given| !given.feature_ranges);
    let ranges =
        are_drawn.then(|| "the ranges that features are clipped to, with noise".to_owned());
    let is_drawn = model.target.range.is_some() && given.is_none_or(|given| !given.target_range);
    let range = is_drawn.then(|| "the range that the target is clipped to, with noise".to_owned());
    let all = [rows, Some(coefficients), Some(error.to_owned()), ranges, range];
    all.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The coefficients of a model, below the column names; with the columns `level` and `reference` if
/// some feature has levels.
fn coefficients(model: &Model) -> Vec<Vec<String>> {
    let numbers = ["name", "coefficient", "low", "high", "noise", "range_low", "range_high"];
    let have_levels = model.features.iter().any(|feature| feature.level.is_some());
    let of_levels: &[&str] = if have_levels { &["level", "reference"] } else { &[] };
    let header = numbers.iter().chain(of_levels).map(|name| (*name).to_owned());
    let cell = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    let rows = model.features.iter().map(|feature| {
        let [low, high] = feature.range;
        let numbers = [
            Some(feature.coefficient),
            feature.low,
            feature.high,
            feature.noise,
            Some(low),
            Some(high),
        ];
        let levels = [&feature.level, &feature.reference].map(|level| level.clone());
        let levels = levels.map(Option::unwrap_or_default).into_iter().take(of_levels.len());
        std::iter::once(feature.label()).chain(numbers.map(cell)).chain(levels).collect()
    });
    std::iter::once(header.collect()).chain(rows).collect()
}

/// Joins two texts; the first may be empty.
fn joined(first: &str, second: &str) -> String {
    if first.is_empty() { second.to_owned() } else { format!("{first}; {second}") }
}
