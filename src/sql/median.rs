//! The ranks of targets among the points of the median's grid.

use crate::sql::SqlDialect;

/// Adds the query `dpsis_sums` of the number of targets between the points, for each place among
/// them.
///
/// Points have six digits, the same in each power of ten, so that a thousand texts state them all.
pub(super) fn ranks(dialect: SqlDialect, digits: &[String]) -> Vec<(&'static str, String)> {
    let list: Vec<String> = digits.iter().map(|digits| format!("('{digits}')")).collect();
    let powers: Vec<String> = (-6..9).map(|power| format!("('e{power}')")).collect();
    let magnitudes = format!(
        "SELECT CAST(concat(digits, power) AS {}) AS v FROM dpsis_digits CROSS JOIN (VALUES {}) AS e(power) \
         UNION ALL SELECT {}",
        dialect.double(),
        powers.join(", "),
        dialect.number(1e9),
    );
    // Before all values; each point is after the values up to it.
    let marks = format!(
        "SELECT {} AS v, 0 AS point, 0 AS n UNION ALL SELECT {}, 1, 0 \
         UNION ALL SELECT v, 1, 0 FROM dpsis_magnitudes UNION ALL SELECT -v, 1, 0 FROM dpsis_magnitudes \
         UNION ALL SELECT y, 0, count(*) FROM dpsis_persons WHERE y IS NOT NULL GROUP BY y",
        dialect.number(-f64::MAX),
        dialect.number(0.0),
    );
    let ranked = "SELECT sum(point) OVER (ORDER BY v, point ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) \
                  AS place, n FROM dpsis_marks";
    vec![
        ("dpsis_digits(digits)", format!("VALUES {}", list.join(", "))),
        ("dpsis_magnitudes", magnitudes),
        ("dpsis_marks", marks),
        (
            "dpsis_sums",
            format!("SELECT place, sum(n) AS value FROM ({ranked}) AS r GROUP BY place"),
        ),
    ]
}
