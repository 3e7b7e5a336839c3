//! The statement: its queries one after the other, and its result.

use crate::error::Result;
use crate::sql::grid::graded;
use crate::sql::parts::{Queries, QueryParts, SqlStep};
use crate::sql::result::{FACTS, ROWS, SUMS, TARGETS, pieces};
use crate::sql::{median, sums, wide};

/// The query for sums.
///
/// # Errors
///
/// `Request` for a name that the dialect cannot express, or a form that it does not support.
pub(crate) fn query(parts: &QueryParts<'_>) -> Result<String> {
    match one_pass_query(parts)? {
        Some(query) => Ok(query),
        None => general(parts).map(|queries| statement(parts, queries)),
    }
}

/// The query that computes all sums in one pass over the rows, if there is one for the request.
///
/// # Errors
///
/// As for [`query`].
pub(crate) fn one_pass_query(parts: &QueryParts<'_>) -> Result<Option<String>> {
    parts.table.check(&parts.features)?;
    let found = wide::correlation(parts)?;
    Ok(found.map(|queries| statement(parts, queries)))
}

fn statement(parts: &QueryParts<'_>, queries: Queries) -> String {
    // The facts are in the alphabet of `pieces`, which no dialect interprets.
    let pieces = pieces(parts.facts).into_iter().enumerate();
    let facts = pieces.map(|(place, piece)| {
        format!("SELECT '{FACTS}' AS item, {place} AS place, '{piece}' AS value")
    });
    let items: Vec<String> = facts.chain(queries.items).collect();
    let named = queries.named.iter().map(|(name, query)| format!("{name} AS (\n  {query}\n)"));
    let named = named.collect::<Vec<_>>().join(",\n");
    format!(
        "WITH {named}\nSELECT item, place, value FROM (\n  {}\n) AS dpsis_result\nORDER BY item, place",
        items.join("\n  UNION ALL "),
    )
}

/// The general form: one row per cell, and one pass over the rows per item.
fn general(parts: &QueryParts<'_>) -> Result<Queries> {
    let QueryParts { table, features, coded, step, .. } = parts;
    let (dialect, d, classes) = (table.dialect, features.len(), coded.classes());
    let of_cells = !matches!(step, SqlStep::Ranks | SqlStep::Targets);
    let mut named = table.queries(coded, of_cells.then_some(features))?;
    match step {
        SqlStep::Correlation(scaling) | SqlStep::Bins(scaling) => {
            named.extend(graded(dialect, scaling, d)?);
        }
        _ => {}
    }
    named.extend(match step {
        SqlStep::Ranks => median::ranks(dialect),
        SqlStep::Targets => Vec::new(),
        SqlStep::Correlation(_) => sums::correlation(d, classes),
        SqlStep::Bins(_) => sums::bins(dialect, classes),
        SqlStep::ColumnsOfNumber { scored, released } => {
            sums::columns_of_number(*scored, *released)
        }
        SqlStep::ColumnsOfClasses(centers) => sums::columns_of_classes(centers),
    });
    let count = step.count(d, classes);
    let text = |value: &str| dialect.as_text(value);
    let mut items = vec![format!("SELECT '{ROWS}', 0, {} FROM dpsis_persons", text("count(*)"))];
    match (step, classes) {
        (SqlStep::Ranks, _) => {}
        (_, None) => {
            let value = text("CASE part WHEN 0 THEN p0 ELSE p1 END");
            items.push(format!(
                "SELECT '{TARGETS}', part, {value} FROM (SELECT coalesce(sum(y), 0) AS p0, count(y) AS p1 \
                 FROM dpsis_persons) AS t CROSS JOIN (VALUES (0), (1)) AS q(part)"
            ));
        }
        (_, Some(classes)) => items.push(format!(
            "SELECT '{TARGETS}', p.place, {} FROM ({}) AS p LEFT JOIN (SELECT y, count(*) AS value \
             FROM dpsis_persons WHERE y IS NOT NULL GROUP BY y) AS c ON c.y = p.place",
            text("coalesce(c.value, 0)"),
            dialect.series(classes),
        )),
    }
    if count > 0 {
        items.push(format!(
            "SELECT '{SUMS}', p.place, {} FROM ({}) AS p LEFT JOIN dpsis_sums AS s ON s.place = p.place",
            text("coalesce(s.value, 0)"),
            dialect.series(count),
        ));
    }
    Ok(Queries { named, items })
}
