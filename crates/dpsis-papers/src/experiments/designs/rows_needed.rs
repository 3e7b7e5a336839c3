//! The number of rows at which an arm finds the true features.

use crate::experiments::designs::cells::{DesignArm, DesignCell, SIZES, sizes};

/// The share of trials that must find exactly the true features.
pub(super) const LEVEL: f64 = 0.9;

/// Cells that can be looked up by design, number of features and arm.
#[derive(Clone, Copy)]
pub(super) struct DesignCells<'a>(pub(super) &'a [DesignCell]);

impl<'a> DesignCells<'a> {
    pub(super) fn of(
        self,
        design: &str,
        features: usize,
        arm: DesignArm,
    ) -> impl Iterator<Item = &'a DesignCell> {
        let is = move |cell: &&DesignCell| cell.features == features && cell.arm == arm;
        let design = design.to_owned();
        self.0.iter().filter(is).filter(move |cell| cell.design == design)
    }

    /// Returns the number of rows at which [`LEVEL`] of the trials find exactly the true features;
    /// `None` if that is more than was measured.
    pub(super) fn rows(self, design: &str, features: usize, arm: DesignArm) -> Option<f64> {
        let points: Vec<_> =
            self.of(design, features, arm).map(|cell| (cell.n, cell.exact.mean)).collect();
        rows_for(&points, LEVEL)
    }
}

/// Formats a number of rows.
pub(super) fn words(rows: Option<f64>, features: usize) -> String {
    match (rows, sizes(features).last()) {
        (Some(rows), _) if rows <= SIZES[0] as f64 => format!("at most {}", SIZES[0]),
        (Some(rows), _) => format!("{rows:.0}"),
        (None, last) => format!("above {}", last.copied().unwrap_or(0)),
    }
}

/// The number of rows at which a share reaches a level, interpolated between sizes on the
/// logarithmic scale after isotonic regression of the shares (pool adjacent violators). `points`
/// are sizes, in increasing order, and shares.
fn rows_for(points: &[(usize, f64)], level: f64) -> Option<f64> {
    // The sum and the number of pooled neighbors.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (_, share) in points {
        let mut pool = (*share, 1);
        while let Some(last) =
            pools.last().filter(|last| last.0 * pool.1 as f64 > pool.0 * last.1 as f64)
        {
            pool = (pool.0 + last.0, pool.1 + last.1);
            pools.pop();
        }
        pools.push(pool);
    }
    let rising = pools.iter().flat_map(|(sum, of)| std::iter::repeat_n(sum / *of as f64, *of));
    let rising: Vec<f64> = rising.collect();
    // The mean of equal shares may be rounded.
    let reached = rising.iter().position(|share| *share >= level - 1e-12)?;
    let (n, share) = (points[reached].0 as f64, rising[reached]);
    let Some(before) = reached.checked_sub(1) else { return Some(n) };
    let (n_before, share_before) = (points[before].0 as f64, rising[before]);
    let part = (level - share_before) / (share - share_before);
    Some(n_before * (n / n_before).powf(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_for_a_level_by_hand() {
        // Halfway between 0.8 and 1.0 on the logarithmic scale.
        let n = rows_for(&[(100, 0.2), (200, 0.8), (800, 1.0)], 0.9).unwrap();
        assert!((n - 400.0).abs() < 1e-9);
        assert_eq!(rows_for(&[(100, 0.95), (200, 1.0)], 0.9), Some(100.0));
        assert_eq!(rows_for(&[(100, 0.1), (200, 0.89)], 0.9), None);
        // 0.95 and 0.75 pool to 0.85.
        let n = rows_for(&[(100, 0.95), (200, 0.75), (400, 0.95)], 0.9).unwrap();
        assert!((n - 200.0 * 2f64.sqrt()).abs() < 1e-9);
    }
}
