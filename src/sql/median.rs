//! The ranks of targets among the points of the median's grid.

use crate::estimate::{LARGEST, MAGNITUDES, TIME_STEP, TIME_UNITS, TIMES};
use crate::sql::SqlDialect;

/// Adds the query `dpsis_sums` of the number of targets between consecutive points, for each place
/// among the points.
pub(super) fn ranks(dialect: SqlDialect) -> Vec<(&'static str, String)> {
    let count = |count: u32| dialect.series(count as usize);
    let number = |value: f64| dialect.number(value);
    let double = dialect.double();
    // Each is rounded once, as on the grid: powers of ten of this size are exact.
    let decimals = MAGNITUDES.iter().flat_map(|decimals| {
        let all = count(decimals.end - decimals.first);
        (decimals.low..decimals.high).map(move |power| {
            let scale = number((0..power.unsigned_abs()).map(|_| 10.0).product());
            let by = if power < 0 { "/" } else { "*" };
            format!(
                "SELECT CAST({} + n.place AS {double}) {by} {scale} AS v FROM ({all}) AS n",
                decimals.first
            )
        })
    });
    let decimals: Vec<String> =
        decimals.chain([format!("SELECT {} AS v", number(LARGEST))]).collect();
    let times = TIME_UNITS.map(|unit| {
        format!(
            "SELECT CAST({} + n.place AS {double}) * {} AS v FROM ({}) AS n",
            TIMES.start,
            number(TIME_STEP * unit),
            count(TIMES.end - TIMES.start),
        )
    });
    // The first mark is before all values; each point is after the values up to it.
    let marks = format!(
        "SELECT {} AS v, 0 AS point, 0 AS n UNION ALL SELECT v, 1, 0 FROM dpsis_points \
         UNION ALL SELECT y, 0, count(*) FROM dpsis_persons WHERE y IS NOT NULL GROUP BY y",
        number(-f64::MAX),
    );
    let ranked = "SELECT sum(point) OVER (ORDER BY v, point ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) \
                  AS place, n FROM dpsis_marks";
    vec![
        ("dpsis_magnitudes", decimals.join(" UNION ALL ")),
        // Omits the second of equal points.
        (
            "dpsis_points",
            format!(
                "SELECT v FROM dpsis_magnitudes UNION SELECT -v FROM dpsis_magnitudes UNION SELECT {} UNION {}",
                number(0.0),
                times.join(" UNION "),
            ),
        ),
        ("dpsis_marks", marks),
        (
            "dpsis_sums",
            format!("SELECT place, sum(n) AS value FROM ({ranked}) AS r GROUP BY place"),
        ),
    ]
}
