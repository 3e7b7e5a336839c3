//! The differences between dialects: names, texts, numbers, types, series.

use crate::error::{Error, Result};

/// The dialect of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SqlDialect {
    /// DuckDB.
    DuckDb,
    /// Spark SQL, from version 3.4 on, in ANSI mode or not.
    Spark,
    /// PostgreSQL. Values must be in numeric columns, because it has no cast of text that cannot
    /// fail.
    Postgres,
}

impl SqlDialect {
    /// A name as an identifier.
    ///
    /// # Errors
    ///
    /// `Request` if the dialect cannot express the name.
    pub(super) fn identifier(self, name: &str) -> Result<String> {
        let refuse = |rule: &str| Err(Error::request(format!("the name {name:?} {rule}")));
        if name.is_empty() || name.chars().any(char::is_control) {
            return refuse("is empty or holds a control character: no query can hold it");
        }
        match self {
            Self::Spark if name.contains("${") => {
                // Spark substitutes variables in the text of a query, also in quoted names.
                refuse("holds ${, which Spark takes for a variable")
            }
            Self::Postgres if name.len() > 63 => {
                refuse("is longer than PostgreSQL's names, 63 bytes")
            }
            Self::Spark => Ok(format!("`{}`", name.replace('`', "``"))),
            Self::DuckDb | Self::Postgres => Ok(format!("\"{}\"", name.replace('"', "\"\""))),
        }
    }

    /// A table by its name, whose parts are separated by points; a part in double quotes may
    /// contain points.
    ///
    /// # Errors
    ///
    /// `Request` if the text is not such a name.
    pub(super) fn table(self, name: &str) -> Result<String> {
        let wrong = || Error::request(format!("{name:?} is not a table name"));
        let (mut parts, mut rest) = (Vec::new(), name);
        loop {
            let part;
            (part, rest) = match rest.strip_prefix('"') {
                None => {
                    let end = rest.find('.').unwrap_or(rest.len());
                    (rest[..end].to_owned(), &rest[end..])
                }
                Some(quoted) => quoted_part(quoted).ok_or_else(wrong)?,
            };
            parts.push(self.identifier(&part)?);
            match rest.strip_prefix('.') {
                Some(more) => rest = more,
                None if rest.is_empty() => return Ok(parts.join(".")),
                None => return Err(wrong()),
            }
        }
    }

    /// A text as a literal. No dialect interprets any part of its content.
    ///
    /// # Errors
    ///
    /// `Request` if it contains a control character, which no name or label has.
    pub(super) fn literal(self, text: &str) -> Result<String> {
        if text.chars().any(char::is_control) {
            return Err(Error::request(format!("{text:?} holds a control character")));
        }
        let plain = |c: char| c.is_alphanumeric() || " _-.,:/+()".contains(c);
        Ok(match self {
            // Escapes and variables of Spark, which settings change, do not apply to hexadecimal
            // digits.
            Self::Spark if !text.chars().all(plain) => {
                let digits: String = text.bytes().map(|byte| format!("{byte:02X}")).collect();
                format!("CAST(X'{digits}' AS STRING)")
            }
            // A backslash is an escape only with this prefix, under any settings.
            Self::Postgres if text.contains('\\') => {
                format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
            }
            _ => format!("'{}'", text.replace('\'', "''")),
        })
    }

    /// A finite number as a literal, with all its bits.
    pub(super) fn number(self, value: f64) -> String {
        // Some dialects read a plain literal as a decimal number.
        format!("CAST('{value:e}' AS {})", self.double())
    }

    /// The type of numbers of 64 bits.
    pub(super) fn double(self) -> &'static str {
        if self == Self::Postgres { "DOUBLE PRECISION" } else { "DOUBLE" }
    }

    /// The type of texts.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::DuckDb => "VARCHAR",
            Self::Spark => "STRING",
            Self::Postgres => "TEXT",
        }
    }

    /// An expression as text.
    pub(super) fn as_text(self, value: &str) -> String {
        let text = format!("CAST({value} AS {})", self.text());
        // Compares bytes, under any collation of a column.
        if self == Self::Postgres { format!("({text} COLLATE \"C\")") } else { text }
    }

    /// The text of a label without surrounding spaces.
    pub(super) fn label(self, value: &str) -> String {
        let blanks = "' ' || chr(9) || chr(10) || chr(12) || chr(13)";
        let text = self.as_text(value);
        match self {
            Self::Spark => format!("trim(BOTH {blanks} FROM {text})"),
            Self::DuckDb => format!("trim({text}, {blanks})"),
            Self::Postgres => format!("btrim({text}, {blanks})"),
        }
    }

    /// A column as a number, which may be infinite or NaN; this never fails, for any cell.
    pub(super) fn raw(self, column: &str) -> String {
        match self {
            Self::DuckDb | Self::Spark => format!("TRY_CAST({column} AS DOUBLE)"),
            // Text columns cannot be compared with numbers, so the engine refuses them before it
            // reads a row. A numeric too large or too small for a double would make the cast fail.
            Self::Postgres => format!(
                "CASE WHEN {column} > -3e-324 AND {column} < 3e-324 THEN CAST(0 AS DOUBLE PRECISION) \
                 WHEN {column} BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308 \
                 THEN CAST({column} AS DOUBLE PRECISION) END"
            ),
        }
    }

    /// The number if a raw number is finite, else NULL; both zeros become one.
    pub(super) fn finite(self, raw: &str) -> String {
        let (zero, largest) = (self.number(0.0), self.number(f64::MAX));
        // NaN is above all numbers in all dialects.
        format!("CASE WHEN {raw} = {zero} THEN {zero} WHEN abs({raw}) <= {largest} THEN {raw} END")
    }

    /// The quotient of non-negative integers, rounded down.
    pub(super) fn quotient(self, numerator: &str, denominator: &str) -> String {
        let operator = match self {
            Self::DuckDb => "//",
            Self::Spark => "DIV",
            Self::Postgres => "/",
        };
        format!("({numerator}) {operator} ({denominator})")
    }

    /// The integers from 0 to `count` - 1 as the column `place` of a query.
    pub(super) fn series(self, count: usize) -> String {
        match self {
            Self::DuckDb => format!("SELECT range AS place FROM range(0, {count})"),
            Self::Spark => format!("SELECT id AS place FROM range(0, {count})"),
            Self::Postgres => {
                format!(
                    "SELECT CAST(g AS BIGINT) AS place FROM generate_series(0, {count} - 1) AS s(g)"
                )
            }
        }
    }

    /// A unique number of each row.
    pub(super) fn row_number(self) -> &'static str {
        match self {
            Self::Spark => "monotonically_increasing_id()",
            Self::DuckDb | Self::Postgres => "row_number() OVER ()",
        }
    }
}

/// The part of a name up to a closing double quote, with doubled quotes replaced by one, and the
/// rest of the text.
fn quoted_part(text: &str) -> Option<(String, &str)> {
    let (mut part, mut rest) = (String::new(), text);
    loop {
        let (before, after) = rest.split_once('"')?;
        part.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                part.push('"');
                rest = more;
            }
            None => return Some((part, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SqlDialect::{DuckDb, Postgres, Spark};

    #[test]
    fn identifiers_are_quoted() {
        for (dialect, name, expected) in [
            (DuckDb, "a\"; DROP TABLE t; --", "\"a\"\"; DROP TABLE t; --\""),
            (Postgres, "größe", "\"größe\""),
            (Spark, "a`b", "`a``b`"),
        ] {
            assert_eq!(dialect.identifier(name).unwrap(), expected);
        }
        for (dialect, name) in [(DuckDb, ""), (Spark, "a\nb"), (Spark, "${x}")] {
            assert!(dialect.identifier(name).is_err());
        }
        assert!(Postgres.identifier(&"x".repeat(64)).is_err());
        assert_eq!(Spark.table("db.t").unwrap(), "`db`.`t`");
        assert_eq!(DuckDb.table("\"a.b\".\"c\"\"d\"").unwrap(), "\"a.b\".\"c\"\"d\"");
        for wrong in ["", "a.", ".a", "\"a", "\"a\"b", "a..b"] {
            assert!(DuckDb.table(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn text_literals_are_escaped() {
        for (dialect, text, expected) in [
            (DuckDb, "it's \\", "'it''s \\'"),
            (Postgres, "it's \\", "E'it''s \\\\'"),
            (Postgres, "it's", "'it''s'"),
            (Spark, "a 1", "'a 1'"),
            (Spark, "\\'", "CAST(X'5C27' AS STRING)"),
            (Spark, "${x}", "CAST(X'247B787D' AS STRING)"),
        ] {
            assert_eq!(dialect.literal(text).unwrap(), expected);
        }
        assert!(DuckDb.literal("a\0").is_err());
    }

    #[test]
    fn numbers_keep_their_bits() {
        assert_eq!(DuckDb.number(0.1), "CAST('1e-1' AS DOUBLE)");
        assert_eq!(
            Postgres.number(-f64::MAX),
            "CAST('-1.7976931348623157e308' AS DOUBLE PRECISION)"
        );
    }
}
