//! Correlation sums of a wide table in Spark, in one pass and without a row per cell.
//!
//! # Definition
//!
//! Let x be the grid value of a cell and y that of the target, |x| and |y| <= Q < 2^15. Rows are
//! grouped by blocks of 2^r consecutive rows of a partition, and by whether they have a target. In
//! each group, one double per feature has both the sum over present cells and that over missing
//! ones, which contribute a multiple of a large power of two:
//!
//! - A target of two values, -Q and Q, is part of the key of groups, r = 18: the sum of x, or of
//!   2^34 where x is missing. |sum of x| < 2^33, and all is at most 2^52.
//! - Another target, r = 11: the sum of x, or of 2^27 y where x is missing, and that of x y, or of
//!   2^42. |sum of x| < 2^26, |sum of x y| < 2^41, and all is at most 2^53.
//!
//! # Cost
//!
//! All partial sums are integers of at most 2^53, so the doubles are exact in any order. Spark
//! sums doubles without checks for overflow, and each sum of each row costs a call of a function.
//! For 10 million rows of 20 columns, one and two sums took 5.7 and 7.8 s of processor time, and
//! the four and five sums that are needed without groups 8.8 and 12.2 s.

use crate::error::Result;
use crate::exact::GRID;
use crate::sql::grid::in_doubles;
use crate::sql::parts::{Queries, QueryParts, SqlStep};
use crate::sql::result::{ROWS, SUMS, TARGETS};
use crate::sql::rows::Coded;
use crate::sql::{SqlDialect, SqlForm};
use crate::table::{Scaling, TargetCode};

/// The largest number of sums of a group: with more, Spark's code is slow, and from about 100 on it
/// is not compiled.
const MAX_SUMS: usize = 64;

/// The queries; `None` if the general form serves the request.
///
/// # Errors
///
/// `Request` for a name that the dialect cannot express.
pub(super) fn correlation(parts: &QueryParts<'_>) -> Result<Option<Queries>> {
    let (SqlDialect::Spark, SqlForm::Wide { target }) = (parts.table.dialect, &parts.table.form)
    else {
        return Ok(None);
    };
    let (SqlStep::Correlation(scaling), Coded::Number(code)) = (&parts.step, &parts.coded) else {
        return Ok(None);
    };
    let (dialect, d) = (SqlDialect::Spark, parts.features.len());
    let of_two = !matches!(code, TargetCode::Bounded(_));
    if (if of_two { d } else { 2 * d }) > MAX_SUMS {
        return Ok(None);
    }
    let names = (0..d).map(|place| format!("r{place}")).collect::<Vec<_>>();
    let grid = |(place, r): (usize, &String)| match scaling {
        Scaling::Bounds(bounds) => in_doubles(dialect, bounds, r),
        Scaling::BoundsByFeature(all) => in_doubles(dialect, all.get(place)?, r),
        Scaling::RowRank => None,
    };
    let grids: Option<Vec<String>> = names.iter().enumerate().map(grid).collect();
    let Some(grids) = grids else { return Ok(None) };
    let raw = names.iter().zip(&parts.features).map(|(name, column)| {
        Ok((name.as_str(), dialect.raw(&format!("t.{}", dialect.identifier(column)?))))
    });
    let raw = raw.collect::<Result<Vec<_>>>()?;
    let coded = parts.coded.coded(dialect, &parts.table.name, target, &raw)?;
    let power = |bits: i32| dialect.number(2f64.powi(bits));
    let block = if of_two { 18 } else { 11 };
    // Groups 0 and 1 of a block have a target.
    let rows = format!(
        "SELECT shiftright({}, {block}) * 4 + CASE WHEN y > 0 THEN 1 WHEN y <= 0 THEN {} ELSE 2 END AS k, \
         coalesce(CAST(y AS DOUBLE), {}) AS w, {} FROM ({coded}) AS c",
        dialect.row_number(),
        if of_two { "0" } else { "1" },
        dialect.number(0.0),
        names.join(", "),
    );
    let largest = dialect.number(f64::MAX);
    let mut grouped = vec!["k".to_owned(), "count(*) AS n".to_owned()];
    if !of_two {
        grouped.push("CAST(sum(w) AS BIGINT) AS t".to_owned());
    }
    for (place, (grid, r)) in grids.iter().zip(&names).enumerate() {
        let x = format!("CASE WHEN abs({r}) <= {largest} THEN {grid} END");
        let mut sum = |value: String, name: &str| {
            grouped.push(format!("CAST(sum({value}) AS BIGINT) AS {name}{place}"));
        };
        if of_two {
            sum(format!("coalesce({x}, {})", power(34)), "a");
        } else {
            sum(format!("coalesce({x}, w * {})", power(27)), "a");
            sum(format!("coalesce(({x}) * w, {})", power(42)), "b");
        }
    }
    let groups = format!("SELECT {} FROM dpsis_rows GROUP BY k", grouped.join(",\n  "));
    // The target of the group, if there is one for all, and whether rows have a target.
    let of_target =
        format!("CASE pmod(k, 4) WHEN 1 THEN {GRID} WHEN 0 THEN -{GRID} ELSE 0 END AS g");
    let known = format!(
        "SELECT *, {of_target}, CASE WHEN pmod(k, 4) < 2 THEN 1 ELSE 0 END AS v FROM dpsis_groups"
    );
    let upper =
        |sum: String, bits: i32| format!("shiftright({sum} + {}, {bits})", 1i64 << (bits - 1));
    let lower = |sum: String, bits: i32| {
        format!("({sum} - {} * {})", 1i64 << bits, upper(sum.clone(), bits))
    };
    let all = if of_two { "g * n" } else { "t" };
    let total = |of: &str| format!("sum(v * ({of}))");
    let mut values = vec!["sum(n)".to_owned(), total(all), total("n")];
    let [mut products, mut sums, mut targets, mut counts] = [const { Vec::new() }; 4];
    for place in 0..d {
        let (a, b) = (format!("a{place}"), format!("b{place}"));
        if of_two {
            let missing = upper(a.clone(), 34);
            products.push(total(&format!("g * {}", lower(a.clone(), 34))));
            sums.push(total(&lower(a, 34)));
            targets.push(total(&format!("g * (n - {missing})")));
            counts.push(total(&format!("n - {missing}")));
        } else {
            products.push(total(&lower(b.clone(), 42)));
            sums.push(total(&lower(a.clone(), 27)));
            targets.push(total(&format!("t - {}", upper(a, 27))));
            counts.push(total(&format!("n - {}", upper(b, 42))));
        }
    }
    values.extend([products, sums, targets, counts].into_iter().flatten());
    let named = vec![
        ("dpsis_rows", rows),
        ("dpsis_groups", groups),
        ("dpsis_known", known),
        ("dpsis_sums", format!("SELECT array({}) AS sums FROM dpsis_known", values.join(",\n  "))),
    ];
    let selected = format!(
        "SELECT CASE WHEN p = 0 THEN '{ROWS}' WHEN p < 3 THEN '{TARGETS}' ELSE '{SUMS}' END, \
         CASE WHEN p = 0 THEN 0 WHEN p < 3 THEN p - 1 ELSE p - 3 END, \
         {} FROM dpsis_sums LATERAL VIEW posexplode(sums) e AS p, value",
        dialect.as_text("coalesce(value, 0)")
    );
    Ok(Some(Queries { named, items: vec![selected] }))
}
