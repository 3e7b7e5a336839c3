//! The rows of a table: people with their coded targets, and cells with their values.

use std::collections::HashSet;

use crate::error::{Error, Parameter, Result};
use crate::exact::GRID;
use crate::sql::SqlDialect;
use crate::sql::grid::Scale;
use crate::table::{Labels, TargetCode};

/// A table in a database: its names are public.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SqlTable {
    /// The dialect of its engine.
    pub dialect: SqlDialect,
    /// Its name, with parts separated by points; a part in double quotes may contain points.
    pub name: String,
    /// The layout of samples and features.
    pub form: SqlForm,
}

impl SqlTable {
    /// A table in a database.
    pub fn new(dialect: SqlDialect, name: impl Into<String>, form: SqlForm) -> Self {
        Self { dialect, name: name.into(), form }
    }
}

/// The layout of samples and features in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SqlForm {
    /// One row per sample, one column per feature and one for the target.
    Wide {
        /// The column of the target.
        target: String,
    },
    /// One row per sample and feature. The targets are in another table, with one row per sample,
    /// which defines the samples.
    Long {
        /// The column of sample identifiers.
        sample: String,
        /// The column of feature names.
        feature: String,
        /// The column of the value.
        value: String,
        /// The table of targets.
        targets: String,
        /// The column of sample identifiers in the table of targets.
        targets_sample: String,
        /// The target column of the table of targets.
        target: String,
    },
}

/// Checks that columns differ by more than case, because engines ignore case in names.
fn differ(features: &[&str], target: &str) -> Result<()> {
    let mut names = HashSet::from([target.to_lowercase()]);
    match features.iter().find(|name| !names.insert(name.to_lowercase())) {
        None => Ok(()),
        Some(name) => {
            let rule = format!("the column {name} occurs twice, ignoring case");
            Err(Error::request(rule).about([Parameter::Target]))
        }
    }
}

/// The coding of a target.
pub(crate) enum Coded<'a> {
    /// The target as one number.
    Number(&'a TargetCode),
    /// The target as the number of a class.
    Classes(&'a Labels),
    /// Not coded: a number to be split at a median that will be released.
    Value,
}

impl Coded<'_> {
    /// The number of classes; `None` if the target is one number.
    pub(super) fn classes(&self) -> Option<usize> {
        match self {
            Self::Classes(labels) => Some(labels.as_slice().len()),
            Self::Number(_) | Self::Value => None,
        }
    }

    /// A column as a label or a number, to be given a name.
    fn read(&self, dialect: SqlDialect, column: &str) -> Result<String> {
        let labels = match self {
            Self::Number(TargetCode::Classes(labels)) => labels,
            Self::Classes(labels) => *labels,
            Self::Number(_) | Self::Value => return Ok(dialect.raw(column)),
        };
        let labels = labels.as_slice().iter().map(|label| dialect.literal(label));
        let labels = labels.collect::<Result<Vec<String>>>()?.join(", ");
        let (text, trimmed) = (dialect.as_text(column), dialect.label(column));
        // Removing spaces costs Spark more than the comparison does.
        Ok(format!("CASE WHEN {text} IN ({labels}) THEN {text} ELSE {trimmed} END"))
    }

    /// The result of [`read`](Self::read), with NULL for numbers that are not finite.
    fn value(&self, dialect: SqlDialect, read: &str) -> String {
        match self {
            Self::Number(TargetCode::Classes(_)) | Self::Classes(_) => read.to_owned(),
            Self::Number(_) | Self::Value => dialect.finite(read),
        }
    }

    /// The code of a value; NULL if it is missing.
    fn code(&self, dialect: SqlDialect, value: &str) -> Result<String> {
        let by_label = |labels: &Labels, code: &dyn Fn(usize) -> i32| -> Result<String> {
            let cases = labels.as_slice().iter().enumerate().map(|(class, label)| {
                Ok(format!(" WHEN {} THEN {}", dialect.literal(label)?, code(class)))
            });
            Ok(format!("CASE {value}{} END", cases.collect::<Result<String>>()?))
        };
        Ok(match self {
            Self::Value => value.to_owned(),
            Self::Classes(labels) => by_label(labels, &|class| class as i32)?,
            Self::Number(TargetCode::Classes(labels)) => {
                by_label(labels, &|class| if class == 0 { -GRID } else { GRID })?
            }
            Self::Number(TargetCode::SplitAt(median)) => {
                let median = dialect.number(*median);
                format!(
                    "CASE WHEN {value} > {median} THEN {GRID} WHEN {value} <= {median} THEN -{GRID} END"
                )
            }
            Self::Number(TargetCode::Bounded(bounds)) => {
                Scale::new(bounds).literals(dialect).grid(dialect, value)
            }
        })
    }

    /// A query of the coded targets `y` of a table, with other columns by name.
    pub(super) fn coded(
        &self,
        dialect: SqlDialect,
        table: &str,
        target: &str,
        others: &[(&str, String)],
    ) -> Result<String> {
        let column = format!("t.{}", dialect.identifier(target)?);
        let (read, value) = (self.read(dialect, &column)?, self.value(dialect, "r"));
        let code = self.code(dialect, "v")?;
        let named: String = others.iter().map(|(name, of)| format!(", {of} AS {name}")).collect();
        let names: String = others.iter().map(|(name, _)| format!(", {name}")).collect();
        let table = dialect.table(table)?;
        Ok(format!(
            "SELECT {code} AS y{names} FROM (SELECT {value} AS v{names} \
             FROM (SELECT {read} AS r{named} FROM {table} AS t) AS a) AS b"
        ))
    }
}

/// The prefix of the statement's own queries: no table name may begin with it.
const OWN: &str = "dpsis_";

impl SqlTable {
    /// Refuses the names of the statement's own queries, and columns that differ by case alone.
    ///
    /// # Errors
    ///
    /// `Request` for them.
    pub(super) fn check(&self, features: &[&str]) -> Result<()> {
        let own = |name: &&str| name.trim_matches('"').to_lowercase().starts_with(OWN);
        let mut tables = vec![self.name.as_str()];
        if let SqlForm::Long { targets, .. } = &self.form {
            tables.push(targets);
        }
        if tables.iter().any(own) {
            let rule = format!("no table may have a name that starts with {OWN}");
            return Err(Error::request(rule));
        }
        match &self.form {
            SqlForm::Wide { target } => differ(features, target),
            SqlForm::Long { .. } => Ok(()),
        }
    }

    /// Adds the queries `dpsis_persons` with the coded target `y` of each person, and, for the
    /// values of these features, `dpsis_cells`: `sample`, `place` of the feature, `y` and the value
    /// `v`, where both are usable.
    ///
    /// # Errors
    ///
    /// `Request` for a name that the dialect cannot express.
    pub(super) fn queries(
        &self,
        coded: &Coded<'_>,
        features: Option<&[&str]>,
    ) -> Result<Vec<(&'static str, String)>> {
        match &self.form {
            SqlForm::Wide { target } => wide(self.dialect, &self.name, target, coded, features),
            SqlForm::Long { .. } => self.long(coded, features),
        }
    }

    fn long(
        &self,
        coded: &Coded<'_>,
        features: Option<&[&str]>,
    ) -> Result<Vec<(&'static str, String)>> {
        let dialect = self.dialect;
        let SqlForm::Long { sample, feature, value, targets, targets_sample, target } = &self.form
        else {
            return Ok(Vec::new());
        };
        let text = |column: &str| -> Result<String> {
            Ok(dialect.as_text(&format!("t.{}", dialect.identifier(column)?)))
        };
        let all = coded.coded(dialect, targets, target, &[("sample", text(targets_sample)?)])?;
        let persons = format!(
            "SELECT sample, CASE WHEN count(*) = 1 THEN max(y) END AS y FROM ({all}) AS c \
             WHERE sample IS NOT NULL GROUP BY sample"
        );
        let mut queries = vec![("dpsis_persons", persons)];
        let Some(features) = features else { return Ok(queries) };
        let list = features.iter().enumerate().map(|(place, name)| {
            let comma = if place == 0 { "" } else { ", " };
            Ok(format!("{comma}({place}, {})", dialect.literal(name)?))
        });
        let list: String = list.collect::<Result<_>>()?;
        queries.push(("dpsis_features(place, name)", format!("VALUES {list}")));
        let (sample, feature) = (text(sample)?, text(feature)?);
        let raw = dialect.raw(&format!("t.{}", dialect.identifier(value)?));
        let (finite, table) = (dialect.finite("r"), dialect.table(&self.name)?);
        queries.push((
            "dpsis_cells",
            format!(
                "SELECT sample, place, max(y) AS y, max(v) AS v \
                 FROM (SELECT c.sample AS sample, f.place AS place, p.y AS y, {finite} AS v \
                 FROM (SELECT {sample} AS sample, {feature} AS feature, {raw} AS r FROM {table} AS t) AS c \
                 JOIN dpsis_features AS f ON f.name = c.feature \
                 JOIN dpsis_persons AS p ON p.sample = c.sample WHERE p.y IS NOT NULL) AS d \
                 GROUP BY sample, place HAVING count(*) = 1 AND max(v) IS NOT NULL"
            ),
        ));
        Ok(queries)
    }
}

fn wide(
    dialect: SqlDialect,
    table: &str,
    target: &str,
    coded: &Coded<'_>,
    features: Option<&[&str]>,
) -> Result<Vec<(&'static str, String)>> {
    if dialect == SqlDialect::Postgres {
        return Err(Error::request("PostgreSQL's tables have at most 1,600 columns: no wide form")
            .hint("give the long form: one row per sample and feature"));
    }
    let mut queries = vec![("dpsis_persons", coded.coded(dialect, table, target, &[])?)];
    let Some(features) = features else { return Ok(queries) };
    let raw = features.iter().enumerate().map(|(place, name)| {
        let comma = if place == 0 { "" } else { ", " };
        Ok(format!("{comma}{}", dialect.raw(&format!("t.{}", dialect.identifier(name)?))))
    });
    let raw: String = raw.collect::<Result<_>>()?;
    let array =
        if dialect == SqlDialect::Spark { format!("array({raw})") } else { format!("[{raw}]") };
    let samples = coded.coded(dialect, table, target, &[("x", array)])?;
    let number = dialect.row_number();
    queries
        .push(("dpsis_samples", format!("SELECT {number} AS sample, y, x FROM ({samples}) AS s")));
    let d = features.len();
    let spread = match dialect {
        SqlDialect::Spark => {
            "SELECT sample, y, place, r FROM dpsis_samples LATERAL VIEW posexplode(x) e AS place, r \
             WHERE y IS NOT NULL".to_owned()
        }
        _ => format!(
            "SELECT sample, y, unnest(range(0, {d})) AS place, unnest(x) AS r FROM dpsis_samples \
             WHERE y IS NOT NULL"
        ),
    };
    let finite = dialect.finite("r");
    queries.push((
        "dpsis_cells",
        format!(
            "SELECT sample, place, y, v FROM (SELECT sample, place, y, {finite} AS v \
             FROM ({spread}) AS c) AS d WHERE v IS NOT NULL"
        ),
    ));
    Ok(queries)
}
