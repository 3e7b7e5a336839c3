//! Rows in memory, for scores that cannot be added up row by row.

/// Rows with a usable target.
pub(crate) struct HeldRows {
    pub(super) features: usize,
    /// Row by row; NaN where missing.
    pub(super) values: Vec<f64>,
    /// A number, or the number of a class.
    pub(super) targets: Vec<f64>,
}

impl HeldRows {
    /// No rows yet.
    pub(crate) fn new(features: usize) -> Self {
        Self { features, values: Vec::new(), targets: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, values: impl Iterator<Item = Option<f64>>, target: f64) {
        self.values.extend(values.map(|value| value.unwrap_or(f64::NAN)));
        self.targets.push(target);
    }

    /// Adds other rows.
    pub(crate) fn merge(&mut self, other: Self) {
        self.values.extend(other.values);
        self.targets.extend(other.targets);
    }

    /// Whether no row was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The values of a feature; NaN where missing.
    pub(super) fn column(&self, feature: usize) -> impl Iterator<Item = f64> {
        self.values.iter().skip(feature).step_by(self.features).copied()
    }
}
