//! A planted table under construction: columns of text, and a target.

use super::draw::Draw;
use super::{PLANTED, Planted};

/// A named column of cells.
pub(super) type Column = (String, Vec<String>);

/// The labels of the two classes, class 0 first.
pub(super) type Words = [&'static str; 2];

/// A target, drawn from the features or before them.
pub(super) struct Outcome {
    targets: Vec<String>,
    classes: Option<Words>,
}

impl Outcome {
    /// Draws the class of each row independently; the second class has the share `share`.
    pub(super) fn drawn(n: usize, share: f64, words: Words, draw: &mut Draw) -> (Vec<bool>, Self) {
        let second: Vec<bool> = (0..n).map(|_| draw.chance(share)).collect();
        let outcome = Self::of(&second, words);
        (second, outcome)
    }

    /// Draws classes by logistic regression: the second has the log odds given for each row.
    pub(super) fn logistic(log_odds: &[f64], words: Words, draw: &mut Draw) -> Self {
        let probability = |odds: &f64| 1.0 / (1.0 + libm::exp(-odds));
        let second: Vec<bool> =
            log_odds.iter().map(|odds| draw.chance(probability(odds))).collect();
        Self::of(&second, words)
    }

    /// Amounts of money, to two decimals.
    pub(super) fn amounts(amounts: &[f64]) -> Self {
        Self { targets: decimals(amounts, 2), classes: None }
    }

    fn of(second: &[bool], words: Words) -> Self {
        let targets = second.iter().map(|second| words[usize::from(*second)].to_owned()).collect();
        Self { targets, classes: Some(words) }
    }

    /// A table whose columns keep their order; `truth` may come in any order.
    pub(super) fn table(self, columns: Vec<Column>, mut truth: Vec<usize>) -> Planted {
        let rows = self.targets.len();
        let (names, columns): (Vec<String>, Vec<Vec<String>>) = columns.into_iter().unzip();
        let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
        let cells = (0..rows).map(|_| columns.iter_mut().flat_map(Iterator::next).collect());
        truth.sort_unstable();
        let classes = self.classes.map(|words| words.map(str::to_owned).to_vec());
        Planted { names, cells: cells.collect(), targets: self.targets, classes, truth }
    }

    /// A table of shuffled columns; the first [`PLANTED`] of those given are the true ones.
    pub(super) fn shuffled(self, columns: Vec<Column>, draw: &mut Draw) -> Planted {
        let order = draw.order(columns.len());
        let truth = (0..order.len()).filter(|place| order[*place] < PLANTED).collect();
        let mut columns: Vec<Option<Column>> = columns.into_iter().map(Some).collect();
        let shuffled = order.iter().filter_map(|from| columns[*from].take()).collect();
        self.table(shuffled, truth)
    }
}

/// Makes d columns named `prefix_1`, `prefix_2`, ... of which [`PLANTED`] at random places are
/// true; `cells` gets the number of the true feature, from 0, or `None`.
pub(super) fn numbered(
    prefix: &str,
    d: usize,
    draw: &mut Draw,
    mut cells: impl FnMut(Option<usize>, &mut Draw) -> Vec<String>,
) -> (Vec<Column>, Vec<usize>) {
    let mut truth = draw.order(d);
    truth.truncate(PLANTED);
    let column = |j: usize| {
        let planted = truth.iter().position(|place| *place == j);
        (format!("{prefix}_{}", j + 1), cells(planted, draw))
    };
    ((0..d).map(column).collect(), truth)
}

/// Numbers as text with a fixed number of decimals.
pub(super) fn decimals(values: &[f64], places: usize) -> Vec<String> {
    values.iter().map(|value| format!("{value:.places$}")).collect()
}

/// Numbers as text with four significant digits, as instruments of any unit print them: fewer
/// below 0.1, more from 10,000 on.
pub(super) fn digits(values: &[f64]) -> Vec<String> {
    let text = |value: &f64| {
        let edges = [0.1, 1.0, 10.0, 100.0, 1000.0];
        let places = edges.iter().filter(|edge| value.abs() < **edge).count();
        format!("{value:.places$}")
    };
    values.iter().map(text).collect()
}

/// Empties each cell with probability `share`.
pub(super) fn with_gaps(mut cells: Vec<String>, share: f64, draw: &mut Draw) -> Vec<String> {
    cells.iter_mut().filter(|_| draw.chance(share)).for_each(String::clear);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_magnitude() {
        let text = digits(&[0.012_345, 0.5, 2.5, 25.25, 250.5, -2500.25]);
        assert_eq!(text, ["0.01235", "0.5000", "2.500", "25.25", "250.5", "-2500"]);
    }

    /// Each column contains its own number, so the test can find the first five after shuffling.
    #[test]
    fn a_shuffled_table_follows_its_true_columns() {
        let columns = (0..20).map(|j| (format!("c{j}"), vec![j.to_string(); 3])).collect();
        let table = Outcome::amounts(&[1.0, 2.5, 3.0]).shuffled(columns, &mut Draw::new(3));
        assert_eq!(table.targets, ["1.00", "2.50", "3.00"]);
        assert_eq!((table.cells.len(), table.truth.len()), (3, 5));
        for (j, name) in table.names.iter().enumerate() {
            let from: usize = table.cells[2][j].parse().unwrap();
            assert_eq!(*name, format!("c{from}"));
            assert_eq!(table.truth.contains(&j), from < PLANTED);
        }
    }
}
