//! Values on the integer grid, equal to the library's values.

use crate::error::{Error, Result};
use crate::exact::GRID;
use crate::sql::SqlDialect;
use crate::table::{Bounds, Scaling};

/// The numbers that map values of a range to the grid.
pub(super) struct Scale {
    middle: f64,
    half: f64,
    /// Values up to this one are at the lower end of the grid.
    low: f64,
    /// Values from this one on are at its upper end.
    high: f64,
    /// The grid value of values within this distance of the middle is 0.
    near: f64,
}

/// The same numbers as expressions.
pub(super) struct ScaleText {
    middle: String,
    half: String,
    low: String,
    high: String,
    near: String,
}

impl Scale {
    pub(super) fn new(bounds: &Bounds) -> Self {
        let (middle, half) = (bounds.middle(), bounds.half());
        // The formula increases with the value, so it stays at an end once it has reached it. It is
        // not computed beyond the ends, because an engine may refuse a number that is too large,
        // nor near 0, because an engine may refuse a quotient that is too small.
        let end = |end: f64, side: f64| {
            let reached = |value: f64| (value - middle) / half * side >= 1.0;
            let mut step = 0.0;
            loop {
                let value = (end + side * step).clamp(-f64::MAX, f64::MAX);
                if reached(value) || value.abs() == f64::MAX {
                    return value;
                }
                step = if step == 0.0 { half } else { step * 2.0 };
            }
        };
        Self {
            middle,
            half,
            low: end(bounds.low(), -1.0),
            high: end(bounds.high(), 1.0),
            near: half / f64::from(1 << 20),
        }
    }

    /// The numbers in the order of [`NAMES`].
    pub(super) fn numbers(&self) -> [f64; 5] {
        [self.middle, self.half, self.low, self.high, self.near]
    }

    pub(super) fn literals(&self, dialect: SqlDialect) -> ScaleText {
        let [middle, half, low, high, near] = self.numbers().map(|value| dialect.number(value));
        ScaleText { middle, half, low, high, near }
    }
}

/// The columns of a table of scales.
const NAMES: [&str; 5] = ["middle", "half", "low", "high", "near"];

impl ScaleText {
    /// The numbers of the feature in a table `s`.
    fn columns() -> Self {
        let [middle, half, low, high, near] = NAMES.map(|name| format!("s.{name}"));
        Self { middle, half, low, high, near }
    }

    /// The grid value of a finite value: floor(|t| Q + 1/2) sign(t), t = (v - middle)/half, clipped
    /// to [-1, 1].
    pub(super) fn grid(&self, dialect: SqlDialect, v: &str) -> String {
        let Self { middle, half, low, high, near } = self;
        let [one, q, rounding] = [1.0, f64::from(GRID), 0.5].map(|value| dialect.number(value));
        let magnitude = |difference: &str| {
            format!("CAST(floor(least({difference} / {half}, {one}) * {q} + {rounding}) AS BIGINT)")
        };
        let (above, below) =
            (magnitude(&format!("({v} - {middle})")), magnitude(&format!("({middle} - {v})")));
        // No condition is true for NULL.
        format!(
            "CASE WHEN {v} >= {high} THEN {GRID} WHEN {v} <= {low} THEN -{GRID} \
             WHEN abs({v} - {middle}) <= {near} THEN 0 \
             WHEN {v} > {middle} THEN {above} WHEN {v} < {middle} THEN -{below} END"
        )
    }
}

/// The grid value of a finite value as a double, of an engine that returns infinite numbers and 0
/// instead of an error; `None` for ranges so narrow that the formula does not reach the end of the
/// grid at the end of the range.
pub(super) fn in_doubles(dialect: SqlDialect, bounds: &Bounds, v: &str) -> Option<String> {
    let (middle, half, q) = (bounds.middle(), bounds.half(), f64::from(GRID));
    let at = |end: f64| ((end - middle).abs() / half * q + 0.5).floor();
    if at(bounds.low()) != q || at(bounds.high()) != q {
        return None;
    }
    let [low, high, middle, half, end, rounding] =
        [bounds.low(), bounds.high(), middle, half, q, 0.5].map(|value| dialect.number(value));
    let magnitude = |difference: &str| {
        format!("CAST(floor({difference} / {half} * {end} + {rounding}) AS {})", dialect.double())
    };
    let (above, below) =
        (magnitude(&format!("({v} - {middle})")), magnitude(&format!("({middle} - {v})")));
    Some(format!(
        "CASE WHEN {v} >= {high} THEN {end} WHEN {v} <= {low} THEN -{end} \
         WHEN {v} < {middle} THEN -{below} ELSE {above} END"
    ))
}

/// Adds the query `dpsis_graded` of `place`, `y` and the grid value `x` of each cell.
///
/// # Errors
///
/// `Request` if the numbers of bounds and features differ, which no caller can cause.
pub(super) fn graded(
    dialect: SqlDialect,
    scaling: &Scaling,
    features: usize,
) -> Result<Vec<(&'static str, String)>> {
    let by_value = |scale: ScaleText, join: &str| {
        let grid = scale.grid(dialect, "c.v");
        format!("SELECT c.place AS place, c.y AS y, {grid} AS x FROM dpsis_cells AS c{join}")
    };
    Ok(match scaling {
        Scaling::Bounds(bounds) => {
            vec![("dpsis_graded", by_value(Scale::new(bounds).literals(dialect), ""))]
        }
        Scaling::BoundsByFeature(all) => {
            if all.len() != features {
                return Err(Error::request("there must be bounds for each feature"));
            }
            let rows = all.iter().enumerate().map(|(place, bounds)| {
                let numbers = Scale::new(bounds).numbers().map(|value| format!(", '{value:e}'"));
                format!("{}({place}{})", if place == 0 { "" } else { ", " }, numbers.concat())
            });
            let columns =
                NAMES.map(|name| format!(", CAST({name} AS {}) AS {name}", dialect.double()));
            vec![
                (
                    "dpsis_ranges(place, middle, half, low, high, near)",
                    format!("VALUES {}", rows.collect::<String>()),
                ),
                ("dpsis_scales", format!("SELECT place{} FROM dpsis_ranges", columns.concat())),
                (
                    "dpsis_graded",
                    by_value(ScaleText::columns(), " JOIN dpsis_scales AS s ON s.place = c.place"),
                ),
            ]
        }
        Scaling::RowRank => {
            // With L values of the row below and G above, the mid-rank among p is r, and 2 r - p -
            // 1 = L - G.
            let ranked = "SELECT place, y, rank() OVER w - 1 + count(*) OVER w - count(*) OVER p AS side, \
                          count(*) OVER p - 1 AS others FROM dpsis_cells \
                          WINDOW w AS (PARTITION BY sample ORDER BY v), p AS (PARTITION BY sample)";
            let magnitude =
                dialect.quotient(&format!("abs(side) * {} + others", 2 * GRID), "2 * others");
            let graded = format!(
                "SELECT place, y, CASE WHEN others = 0 THEN 0 WHEN side < 0 THEN -({magnitude}) \
                 ELSE {magnitude} END AS x FROM dpsis_ranked"
            );
            vec![("dpsis_ranked", ranked.to_owned()), ("dpsis_graded", graded)]
        }
    })
}
