//! Partials from databases: the query of a stage, and its result.

use std::collections::HashSet;
use std::path::Path;

use crate::error::{Error, Parameter, Result};
use crate::exact::GRID;
use crate::request::builder::Select;
use crate::request::fields::Association;
use crate::run::partial::stages::settled;
use crate::run::partial::{ColumnScore, Facts, Partial, ReleasedTarget, Sums, other_stage};
use crate::run::steps::plan_for;
use crate::score::RawSums;
use crate::sql::{
    Coded, QueryParts, QueryResult, SqlDialect, SqlForm, SqlStep, SqlTable, one_pass_query, query,
};
use crate::table::{CellFormat, Schema, TargetCode, TargetColumn, TargetRole};

impl Select {
    /// The query that computes the sums of the next stage in a database; [`Partial::of_query`]
    /// reads its exported result. k and epsilon do not matter and need not be given.
    ///
    /// `features` are the feature names, which are given because a list found in the data would
    /// reveal something about the data; in the wide form, they are columns. `released` is the value
    /// released from the target in the stage before: the median of a numeric target without a
    /// range, or the center for scores of whole columns. Whole columns are numeric here: categories
    /// are missing values.
    ///
    /// ```
    /// use dpsis::{Select, SqlDialect, SqlForm, SqlTable, Target};
    ///
    /// let table = SqlTable::new(SqlDialect::DuckDb, "visits", SqlForm::Wide { target: "status".into() });
    /// let request = Select::new(1).bounds(0.0, 100.0).target(Target::classes(["well", "ill"]));
    /// let query = request.query(&table, &["age".into(), "dose".into()], None)?;
    /// assert!(query.contains("\"visits\""));
    /// # Ok::<(), dpsis::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `Request` for a request that a check refuses, for scores that no query computes, for
    /// features that are not a list of names, for names that the dialect cannot hold, or if the
    /// released target is of another stage.
    pub fn query(
        &self,
        table: &SqlTable,
        features: &[String],
        released: Option<&ReleasedTarget>,
    ) -> Result<String> {
        let request = &self.of_sums()?;
        if request.target.time_to_event().is_some() {
            let rule = "a query reads the target from one column: no times and events";
            return Err(Error::request(rule)
                .hint(
                    "add a column of classes to the table, CASE WHEN died = 1 AND days <= 1825 THEN 'event' WHEN days >= 1825 \
                     THEN 'none' END, and give its labels as classes",
                )
                .about([Parameter::Classes, Parameter::Time, Parameter::Event]));
        }
        let schema = schema_of(table, features)?;
        let plan = plan_for(request, &schema)?;
        let Some(scoring) = plan.scoring.coded().filter(|_| !plan.request.per_million) else {
            return Err(Error::request(
                "queries compute correlation and the score ks, not on counts per million",
            )
            .about([Parameter::Score, Parameter::Method, Parameter::Scaling]));
        };
        let mut facts = Facts::new(&plan, &schema, &CellFormat::default())?;
        facts.released = released.cloned();
        facts.check_stage()?;
        let json = serde_json::to_string(&facts);
        let json = json.map_err(|_| Error::io("the facts cannot be written as JSON"))?;
        let median = released.map(ReleasedTarget::split).transpose()?.flatten();
        let code = scoring.code(median);
        let coded = match (scoring.labels(), &code) {
            (Some(labels), _) => Coded::Classes(labels),
            (None, Some(code)) => Coded::Number(code),
            (None, None) => Coded::Value,
        };
        let centers = match facts.scores_columns() {
            true => Some(settled(&plan, released)?.target),
            false => None,
        };
        let step = match (&coded, &centers, scoring.association) {
            (Coded::Value, ..) => SqlStep::Ranks,
            (Coded::Classes(_), Some(target), _) => SqlStep::ColumnsOfClasses(&target.centers),
            (Coded::Number(_), Some(target), _) => SqlStep::ColumnsOfNumber {
                scored: target.centers.first().copied().unwrap_or_default(),
                released: target.released.first().copied().unwrap_or_default(),
            },
            (_, None, Association::Correlation) => SqlStep::Correlation(&plan.scaling),
            (_, None, Association::KsOnBins) => SqlStep::Bins(&plan.scaling),
            (_, None, Association::Ks | Association::Paired) => SqlStep::Targets,
        };
        let features = schema.feature_names().collect();
        query(&QueryParts { table, features, coded, step, facts: &json })
    }

    /// The query that computes the next sums like `none`, the sums of no rows, in one pass over a
    /// view of Spark with numeric features: the column of place 7 is `c7`. `None` if the sums need
    /// another way. Its result has no facts: [`Partial::with_result`] takes them from `none`.
    ///
    /// # Errors
    ///
    /// `Request` for a request that a check refuses, or if `none` was made for another request.
    #[doc(hidden)]
    pub fn one_pass_query(
        &self,
        none: &Partial,
        view: &str,
        target: TargetType,
    ) -> Result<Option<String>> {
        let request = &self.of_sums()?;
        let facts = &none.facts;
        facts.check_stage()?;
        let plan = plan_for(request, &facts.schema)?;
        let (Some(scoring), Some(place)) = (plan.scoring.coded(), facts.schema.target()) else {
            return Ok(None);
        };
        let median = facts.released.as_ref().map(ReleasedTarget::split).transpose()?.flatten();
        let code = scoring.code(median).filter(|code| match &**code {
            TargetCode::Classes(labels) => match target {
                TargetType::Text => labels.are_texts(),
                TargetType::Integer => labels.are_integers(),
                TargetType::Number => false,
            },
            _ => target != TargetType::Text,
        });
        let is_other = facts.per_million || facts.has_codes() || facts.schema.event().is_some();
        let Some(code) = code.filter(|_| facts.sums_products() && !is_other) else {
            return Ok(None);
        };
        let column = |place: usize| format!("c{place}");
        let table = SqlTable::new(SqlDialect::Spark, view, SqlForm::Wide { target: column(place) });
        let columns: Vec<String> =
            none.feature_places().iter().map(|&place| column(place)).collect();
        one_pass_query(&QueryParts {
            table: &table,
            features: columns.iter().map(String::as_str).collect(),
            coded: Coded::Number(&code),
            step: SqlStep::Correlation(&plan.scaling),
            facts: "",
        })
    }
}

/// The type of a target column in an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetType {
    /// Texts.
    Text,
    /// Integers.
    Integer,
    /// Other numbers.
    Number,
}

/// The columns: the features, in the order in which they are given, and the target after them, if
/// it is a column.
fn schema_of(table: &SqlTable, features: &[String]) -> Result<Schema> {
    let refuse = |rule: &str| Err(Error::request(rule).about([Parameter::Features]));
    if features.is_empty() {
        return refuse("a query is for given features: name at least one");
    }
    if features.iter().any(|name| name.trim().is_empty()) {
        return refuse("a feature has no name");
    }
    let mut others = HashSet::new();
    if let SqlForm::Wide { target } = &table.form {
        others.insert(target);
    }
    if features.iter().any(|name| !others.insert(name)) {
        return refuse("a feature is given twice, or is the target");
    }
    let mut header = features.to_vec();
    match &table.form {
        SqlForm::Wide { target } => {
            header.push(target.clone());
            let named = TargetColumn::Named(target.clone());
            Schema::of_columns(header, &TargetRole::Here(&named), None, &[])
        }
        SqlForm::Long { .. } => Schema::of_columns(header, &TargetRole::Apart, None, &[]),
    }
}

impl Facts {
    /// Whether the sums are scores of whole columns, at a released center.
    fn scores_columns(&self) -> bool {
        self.of_columns()
            && self.released.as_ref().is_some_and(|released| released.center.is_some())
    }

    /// Refuses a target that was released for another stage.
    fn check_stage(&self) -> Result<()> {
        let Some(released) = &self.released else { return Ok(()) };
        let fits = released.median.is_some() == self.splits()
            && (released.center.is_some() == self.scores_columns())
            && (released.center.is_some() || released.median.is_some());
        if fits { Ok(()) } else { Err(other_stage()) }
    }
}

impl Partial {
    /// The sums in the exported result of a query of [`Select::query`](crate::Select::query): CSV,
    /// or Parquet and Arrow with the feature `arrow`.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be read; `Input` if it is not a complete result of such a query; `Request`
    /// for Parquet and Arrow without their feature.
    pub fn of_query(path: impl AsRef<Path>) -> Result<Self> {
        let QueryResult { facts, rows, targets, sums } = QueryResult::read(path.as_ref())?;
        let facts: Facts = serde_json::from_str(&facts)
            .map_err(|_| Error::input("the facts of this result are of another version"))?;
        facts.check_stage()?;
        let partial = Self::of_result(facts, rows, targets, sums)?;
        partial.check()?;
        Ok(partial)
    }

    /// The sums in the result of a query by [`Select::one_pass_query`](crate::Select), which has
    /// these facts: rows of an item, a place and a value.
    ///
    /// # Errors
    ///
    /// `Input` if it is not a complete result of such a query.
    #[doc(hidden)]
    pub fn with_result(&self, result: Vec<[String; 3]>) -> Result<Self> {
        let QueryResult { rows, targets, sums, .. } = QueryResult::of_rows(result)?;
        let partial = Self::of_result(self.facts.clone(), rows, targets, sums)?;
        partial.check()?;
        Ok(partial)
    }

    fn of_result(facts: Facts, rows: u64, targets: Vec<i64>, sums: Vec<i64>) -> Result<Self> {
        if facts.splits() && facts.released.is_none() {
            let count = |(bin, count): (usize, i64)| {
                Ok((bin, u64::try_from(count).map_err(|_| super::of_no_rows())?))
            };
            let counts = sums.into_iter().enumerate().filter(|(_, count)| *count != 0);
            let counts: Vec<(usize, u64)> = counts.map(count).collect::<Result<_>>()?;
            // Counted as a pass over a table does: rows with a target.
            let rows = counts
                .iter()
                .map(|(_, count)| count)
                .fold(0, |sum: u64, count| sum.saturating_add(*count));
            return Ok(Self::new(facts, rows, Sums::Ranks(counts)));
        }
        if facts.scores_columns() {
            let scores = match facts.classes() {
                Some(_) => sums.into_iter().map(ColumnScore::of_classes).collect(),
                None => {
                    let (columns, rest) = sums.as_chunks::<3>();
                    if !rest.is_empty() {
                        return Err(super::of_no_rows());
                    }
                    columns
                        .iter()
                        .map(|[score, most, least]| ColumnScore {
                            score: *score,
                            effect_size: most.saturating_abs().max(least.saturating_abs()),
                            signed: Some((*least, *most)),
                        })
                        .collect()
                }
            };
            let rows = facts.released.as_ref().map_or(0, ReleasedTarget::rows);
            return Ok(Self::new(facts, rows, Sums::Columns(scores)));
        }
        let sums = if facts.sums_products() { with_missing(sums, &targets) } else { sums };
        let rows_of = match (&targets[..], facts.classes()) {
            (_, Some(_)) => targets,
            (&[sum, count], None) if facts.on_bins() => vec![sum, count],
            (&[sum, count], None) => {
                let all = i64::from(GRID).saturating_mul(count);
                vec![all.saturating_add(sum), all.saturating_sub(sum)]
            }
            _ => return Err(super::of_no_rows()),
        };
        let raw = RawSums { features: sums, rows: rows_of };
        let sums = if facts.of_columns() { Sums::Targets(raw) } else { Sums::Features(raw) };
        Ok(Self::new(facts, rows, sums))
    }
}

/// The sums of a query for correlation. The second half of a query's sums is over the rows in which
/// a feature has a value; this replaces it with the sums over the rows in which the feature is
/// missing. `targets` holds these sums over all rows.
fn with_missing(mut sums: Vec<i64>, targets: &[i64]) -> Vec<i64> {
    let half = sums.len() / 2;
    let present = sums[half..].chunks_mut((half / targets.len().max(1)).max(1));
    for (present, all) in present.zip(targets) {
        present.iter_mut().for_each(|sum| *sum = all.saturating_sub(*sum));
    }
    sums
}

impl ColumnScore {
    /// For three or more classes, whose center is not shrunk.
    fn of_classes(score: i64) -> Self {
        Self { score, effect_size: score, signed: None }
    }
}
