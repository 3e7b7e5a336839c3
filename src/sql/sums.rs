//! The sums of cells: queries `dpsis_sums` of a `place` among the sums and its `value`.

use crate::exact::GRID;
use crate::score::BINS;
use crate::sql::SqlDialect;

/// The sums over the rows in which a feature has a value, one kind after the other, each of all
/// features: of products, values, targets and rows. For classes, of values and of rows, class by
/// class.
pub(super) fn correlation(d: usize, classes: Option<usize>) -> Vec<(&'static str, String)> {
    let (sums, group, count, place) = match classes {
        Some(classes) => (
            "sum(x) AS p0, count(*) AS p1",
            ", y",
            2,
            format!("(part * {classes} + y) * {d} + place"),
        ),
        None => (
            "sum(x * y) AS p0, sum(x) AS p1, sum(y) AS p2, count(*) AS p3",
            "",
            4,
            format!("part * {d} + place"),
        ),
    };
    let of_features =
        format!("SELECT place{group}, {sums} FROM dpsis_graded GROUP BY place{group}");
    let all = parts("dpsis_features_sums", count, &place);
    vec![("dpsis_features_sums", of_features), ("dpsis_sums", all)]
}

/// The sums of targets and of rows, or the rows of each class, by feature and bin.
pub(super) fn bins(dialect: SqlDialect, classes: Option<usize>) -> Vec<(&'static str, String)> {
    let width = (1 << 16) / BINS;
    let bin = dialect.quotient(&format!("x + {}", GRID + 1), &width.to_string());
    let binned = format!("SELECT place, y, {bin} AS bin FROM dpsis_graded");
    if let Some(classes) = classes {
        let sums = format!(
            "SELECT (place * {BINS} + bin) * {classes} + y AS place, count(*) AS value \
             FROM ({binned}) AS b GROUP BY place, bin, y"
        );
        return vec![("dpsis_sums", sums)];
    }
    let sums = format!(
        "SELECT place, bin, sum(y) AS p0, count(*) AS p1 FROM ({binned}) AS b GROUP BY place, bin"
    );
    let place = format!("(place * {BINS} + bin) * 2 + part");
    vec![("dpsis_bins_sums", sums), ("dpsis_sums", parts("dpsis_bins_sums", 2, &place))]
}

/// The scores of whole columns at the released center: for each feature the largest sum at the
/// center for scores, and the largest and the smallest signed sum at the center for effect sizes,
/// each less the sum over missing values.
pub(super) fn columns_of_number(scored: i32, released: i32) -> Vec<(&'static str, String)> {
    let groups = "SELECT place, v, CAST(sum(y) AS BIGINT) AS y, count(*) AS n FROM dpsis_cells GROUP BY place, v";
    let sum = |of: &str, window: &str| format!("CAST(sum({of}) OVER {window} AS BIGINT)");
    let running = format!(
        "SELECT place, {} AS y, {} AS n, {} AS all_y, {} AS all_n FROM dpsis_groups WINDOW \
         w AS (PARTITION BY place ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), \
         p AS (PARTITION BY place)",
        sum("y", "w"),
        sum("n", "w"),
        sum("y", "p"),
        sum("n", "p"),
    );
    // The sum without a threshold, and the sum with a threshold above the value.
    let whole = |m: i32| format!("all_y - ({m}) * all_n");
    // The sum over the rows in which the feature is missing.
    let missing = |m: i32| format!("abs(max(of_y - ({m}) * of_n - ({})))", whole(m));
    let at = |m: i32| format!("{} - 2 * (y - ({m}) * n)", whole(m));
    let sums = format!(
        "SELECT place, greatest(0, max(greatest(abs({0}), abs({1}))) - {4}) AS p0, \
         greatest(0, max(greatest({2}, {3})) - {5}) AS p1, \
         least(0, min(least({2}, {3})) + {5}) AS p2 \
         FROM dpsis_running CROSS JOIN dpsis_targets GROUP BY place",
        whole(scored),
        at(scored),
        whole(released),
        at(released),
        missing(scored),
        missing(released),
    );
    let targets = "SELECT CAST(sum(y) AS BIGINT) AS of_y, count(y) AS of_n FROM dpsis_persons";
    vec![
        ("dpsis_groups", groups.to_owned()),
        ("dpsis_running", running),
        ("dpsis_targets", targets.to_owned()),
        ("dpsis_columns_sums", sums),
        ("dpsis_sums", parts("dpsis_columns_sums", 3, "place * 3 + part")),
    ]
}

/// The scores of whole columns at the released centers of classes, less the sums over missing
/// values.
pub(super) fn columns_of_classes(centers: &[i32]) -> Vec<(&'static str, String)> {
    let each = |of: &dyn Fn(usize) -> String| -> String {
        (0..centers.len()).map(|class| format!(", {}", of(class))).collect()
    };
    let counts = each(&|class| format!("count(CASE WHEN y = {class} THEN 1 END) AS n{class}"));
    let groups = format!("SELECT place, v{counts} FROM dpsis_cells GROUP BY place, v");
    let sums = each(&|class| {
        format!(
            "CAST(sum(n{class}) OVER p AS BIGINT) AS a{class}, \
             CAST(sum(n{class}) OVER p - 2 * sum(n{class}) OVER w AS BIGINT) AS b{class}"
        )
    });
    let running = format!(
        "SELECT place{sums} FROM dpsis_groups WINDOW \
         w AS (PARTITION BY place ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), \
         p AS (PARTITION BY place)"
    );
    let sum = |of: &dyn Fn(usize) -> String| {
        let all: Vec<String> = (0..centers.len()).map(of).collect();
        let all = all.join(" + ");
        let terms = centers.iter().enumerate();
        let terms =
            terms.map(|(class, m)| format!("abs({GRID} * ({}) - {m} * ({all}))", of(class)));
        terms.collect::<Vec<_>>().join(" + ")
    };
    let scores = format!(
        "SELECT place, greatest(0, max(greatest({}, {})) - max({})) AS value \
         FROM dpsis_running CROSS JOIN dpsis_targets GROUP BY place",
        sum(&|class| format!("a{class}")),
        sum(&|class| format!("b{class}")),
        sum(&|class| format!("m{class} - a{class}")),
    );
    let of_classes = each(&|class| format!("count(CASE WHEN y = {class} THEN 1 END) AS m{class}"));
    let targets = format!("SELECT 0 AS one{of_classes} FROM dpsis_persons");
    vec![
        ("dpsis_groups", groups),
        ("dpsis_running", running),
        ("dpsis_targets", targets),
        ("dpsis_sums", scores),
    ]
}

/// The columns p0, p1, ... of a query one below the other; the query is computed once.
fn parts(query: &str, count: usize, place: &str) -> String {
    let list: Vec<String> = (0..count).map(|part| format!("({part})")).collect();
    let cases: String = (0..count).map(|part| format!(" WHEN {part} THEN p{part}")).collect();
    format!(
        "SELECT {place} AS place, CASE part{cases} END AS value \
         FROM {query} CROSS JOIN (VALUES {}) AS q(part)",
        list.join(", ")
    )
}
