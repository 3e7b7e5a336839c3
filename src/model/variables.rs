//! The variables of a row: numbers, and the levels of categorical columns.
//!
//! A number is any grid value from -Q to Q. A column with L levels has L - 1 variables, one for
//! each level except the first: Q if the row is at it, and else 0. So at most one of a column's
//! variables is not 0. Hence products of two of them are 0, and the square of one is Q times
//! itself, and sums of either contain no new information.

/// The variables of a model, and the places of their products among its [sums](super::moments).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variables {
    /// The column of each level, by a number that all levels of a column share; `None` for numbers.
    columns: Vec<Option<usize>>,
    /// The place of the product of each pair, row by row of the matrix; `None` if it has no place.
    places: Vec<Option<usize>>,
    components: usize,
}

impl Variables {
    /// Makes variables from the column of each level. The levels of a column are consecutive.
    pub(super) fn new(columns: Vec<Option<usize>>) -> Self {
        let p = columns.len();
        let mut places = vec![None; p * p];
        let mut components = 1 + p;
        for a in 0..p {
            for b in a..p {
                if columns[a].is_none() || columns[a] != columns[b] {
                    places[a * p + b] = Some(components);
                    places[b * p + a] = Some(components);
                    components += 1;
                }
            }
        }
        Self { columns, places, components }
    }

    /// Numeric variables only.
    #[cfg(test)]
    pub(super) fn numbers(count: usize) -> Self {
        Self::new(vec![None; count])
    }

    /// Adds a number: the target.
    pub(super) fn and_target(&self) -> Self {
        Self::new([&self.columns[..], &[None]].concat())
    }

    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// The number of numeric variables.
    pub(super) fn count_numbers(&self) -> usize {
        self.columns.iter().filter(|column| column.is_none()).count()
    }

    /// The number of columns that have levels.
    pub(super) fn columns_of_levels(&self) -> usize {
        let starts = |place: &usize| {
            self.columns[*place].is_some()
                && (*place == 0 || self.columns[place - 1] != self.columns[*place])
        };
        (0..self.len()).filter(starts).count()
    }

    /// The number of sums: of rows, of each variable, and of the products that have a place.
    pub(super) fn components(&self) -> usize {
        self.components
    }

    /// The place of the product of two variables among the sums, that of a square if they are the
    /// same; `None` for levels of one column.
    pub(super) fn place(&self, a: usize, b: usize) -> Option<usize> {
        self.places[a * self.len() + b]
    }
}
