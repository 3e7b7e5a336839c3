//! Enumeration of the whole path: the joint law of median, center and selected set, for all small
//! tables and their neighbors, with the grid at Q = 2. Also tests that contributions are row-local.

use std::collections::HashMap;

use proptest::prelude::*;

use crate::estimate::laws;
use crate::mechanism::canonical;
use crate::privacy::Neighbors;
use crate::score::{
    CenteredTarget, ClassSums, CorrelationSums, KsColumns, RowSums, Scores, TargetRows,
    kendall_scores,
};
use crate::support::effort::exhaustive;
use crate::support::laws::flips;
use crate::support::oracle;
use crate::table::{
    Bounds, CellFormat, HeldColumns, Hooks, Labels, Scaler, Scaling, TargetCode, per_million,
};

const SMALL_Q: i32 = 2;
/// The parts of the budget.
const EPS_MEDIAN: f64 = 0.5;
const EPS_CENTER: f64 = 0.5;
const EPS_SELECTION: f64 = 1.0;

/// A row: its feature values (`None` missing) and the text of its target.
type TableRow = (Vec<Option<f64>>, &'static str);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Target {
    Bounded,
    TwoClasses,
    ThreeClasses,
    MedianSplit,
    Kendall,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Center {
    Private,
    Public(i32),
}

struct Path {
    /// How values reach the grid; `None` for the Kolmogorov-Smirnov score of whole columns.
    scaling: Option<Scaling>,
    /// Whether values become counts per million before that.
    per_million: bool,
    target: Target,
    center: Center,
    neighbors: Neighbors,
}

fn labels(labels: &[&str]) -> Labels {
    Labels::new(labels.iter().map(|label| label.to_string()).collect()).unwrap()
}

fn format() -> CellFormat {
    CellFormat::default()
}

/// Memoized laws that depend on few statistics of a table.
#[derive(Default)]
struct Laws {
    centers: HashMap<(i64, i64), Vec<f64>>,
    classes: HashMap<Vec<u64>, Vec<(Vec<i32>, f64)>>,
    sets: HashMap<(Vec<i64>, u64), Vec<f64>>,
}

impl Path {
    /// Two features; three for ranks, because the ranks of two features always mirror each other.
    fn features(&self) -> usize {
        if self.scaling == Some(Scaling::RowRank) { 3 } else { 2 }
    }

    /// The total budget of the parts that are drawn.
    fn epsilon(&self) -> f64 {
        let mut epsilon = EPS_SELECTION;
        if self.target == Target::Kendall {
            return epsilon;
        }
        if self.center == Center::Private {
            epsilon += EPS_CENTER;
        }
        if self.target == Target::MedianSplit {
            epsilon += EPS_MEDIAN;
        }
        epsilon
    }

    /// The values of a row, NaN where missing, as counts per million if the path uses these.
    fn values(&self, row: &TableRow) -> Vec<f64> {
        let values: Vec<f64> = row.0.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        let mut shares = Vec::new();
        per_million(&values, &mut shares);
        if self.per_million { shares } else { values }
    }

    fn code_row(&self, row: &TableRow) -> Vec<i16> {
        let mut x = Vec::new();
        if let Some(scaling) = &self.scaling {
            let values = self.values(row).into_iter().map(Some);
            Scaler::with_grid(scaling, SMALL_Q).scale(values, &mut x);
        }
        x
    }

    /// Kolmogorov-Smirnov scores of rows with this target.
    fn ks_scores(&self, rows: &[&TableRow], target: &CenteredTarget) -> Scores {
        let x: Vec<Vec<f64>> = rows.iter().map(|row| self.values(row)).collect();
        let columns = Box::new(HeldColumns::of_rows(self.features(), &x));
        let columns = KsColumns::Values { columns, words: true };
        let values = columns.scores(target, 1, &Hooks::default()).unwrap();
        Scores::new(values, self.neighbors.steps() * target.one_row(), self.neighbors).unwrap()
    }

    /// The joint law: the probability of every (median, center, set).
    fn law(&self, table: &[TableRow], laws: &mut Laws) -> Vec<f64> {
        match self.target {
            Target::Kendall => self.law_of_kendall(table, laws),
            Target::ThreeClasses => self.law_of_classes(table, laws),
            Target::Bounded => {
                let bounds = Bounds::new(-1.0, 1.0).unwrap();
                self.law_of_number(table, &TargetCode::Bounded(bounds), laws)
            }
            Target::TwoClasses => {
                self.law_of_number(table, &TargetCode::Classes(labels(&["-1", "1"])), laws)
            }
            Target::MedianSplit => {
                let values: Vec<f64> = table.iter().filter_map(|row| row.1.parse().ok()).collect();
                let eps = EPS_MEDIAN / self.neighbors.steps() as f64;
                let medians = laws::law_of_values(&values, eps);
                let mut joint = Vec::new();
                for (median, p) in laws::POINTS.into_iter().zip(medians) {
                    let rest = self.law_of_number(table, &TargetCode::SplitAt(median), laws);
                    joint.extend(rest.into_iter().map(|q| p * q));
                }
                joint
            }
        }
    }

    fn law_of_number(&self, table: &[TableRow], code: &TargetCode, laws: &mut Laws) -> Vec<f64> {
        let coded = |row: &TableRow| code.code(row.1.as_bytes(), &format(), SMALL_Q);
        let rows: Vec<&TableRow> = table.iter().filter(|row| coded(row).is_some()).collect();
        let targets: Vec<i16> = table.iter().filter_map(coded).collect();
        let mut sums = CorrelationSums::with_grid(self.features(), SMALL_Q);
        if self.scaling.is_some() {
            rows.iter().zip(&targets).for_each(|(row, y)| sums.add(&self.code_row(row), *y));
        }
        let centers = match self.center {
            Center::Public(center) => vec![(center, 1.0)],
            Center::Private => {
                let q = i64::from(SMALL_Q);
                let above = targets.iter().map(|y| q + i64::from(*y)).sum();
                let below = targets.iter().map(|y| q - i64::from(*y)).sum();
                let eps = EPS_CENTER / self.neighbors.steps() as f64;
                // Of whole columns, the center is shrunk.
                let shrinks = self.scaling.is_none();
                let law = laws.centers.entry((above, below)).or_insert_with(|| match shrinks {
                    true => laws::exact_law_shrunk(above, below, q, eps),
                    false => laws::exact_law(above, below, q, eps),
                });
                (-SMALL_Q..=SMALL_Q).zip(law.iter().copied()).collect()
            }
        };
        let mut joint = Vec::new();
        for (center, p) in centers {
            let scores = match self.scaling {
                Some(_) => sums.scores(center, self.neighbors).unwrap(),
                None => {
                    let t = targets.iter().map(|y| i32::from(*y) - center).collect();
                    self.ks_scores(&rows, &TargetRows::Number { t, center, q: SMALL_Q }.into())
                }
            };
            joint.extend(law_of_sets(&scores, laws).into_iter().map(|q| p * q));
        }
        joint
    }

    fn law_of_classes(&self, table: &[TableRow], laws: &mut Laws) -> Vec<f64> {
        let labels = labels(&["-1", "0", "1"]);
        let class_of = |row: &TableRow| labels.class_of(row.1.as_bytes(), &format());
        let rows: Vec<&TableRow> = table.iter().filter(|row| class_of(row).is_some()).collect();
        let classes: Vec<usize> = table.iter().filter_map(class_of).collect();
        let mut sums = ClassSums::with_grid(self.features(), 3, SMALL_Q);
        let mut counts = vec![0; 3];
        for (row, &class) in rows.iter().zip(&classes) {
            counts[class] += 1;
            if self.scaling.is_some() {
                sums.add(&self.code_row(row), class);
            }
        }
        let centers = match self.center {
            Center::Public(center) => vec![(vec![center.max(0); 3], 1.0)],
            Center::Private => {
                let steps = self.neighbors.steps() as f64;
                laws.classes
                    .entry(counts.clone())
                    .or_insert_with(|| law_of_class_centers(&counts, steps))
                    .clone()
            }
        };
        let mut joint = Vec::new();
        for (centers, p) in centers {
            let scores = match self.scaling {
                Some(_) => sums.scores(&centers, self.neighbors).unwrap(),
                None => {
                    let classes = classes.iter().map(|class| *class as u32).collect();
                    self.ks_scores(
                        &rows,
                        &TargetRows::Classes { classes, weights: Vec::new(), centers, q: SMALL_Q }
                            .into(),
                    )
                }
            };
            joint.extend(law_of_sets(&scores, laws).into_iter().map(|q| p * q));
        }
        joint
    }

    fn law_of_kendall(&self, table: &[TableRow], laws: &mut Laws) -> Vec<f64> {
        let (mut rows, mut targets) = (Vec::new(), Vec::new());
        for row in table {
            if let Some(y) = format().number(row.1.as_bytes()) {
                rows.push(self.values(row));
                targets.push(y);
            }
        }
        let rows = HeldColumns::of_rows(self.features(), &rows);
        law_of_sets(
            &kendall_scores(&rows, &targets, None, 0, self.neighbors, 1, &Hooks::default())
                .unwrap(),
            laws,
        )
    }
}

/// The law of the choice of one feature, with gamma 1 (the default for k = 1).
fn law_of_sets(scores: &Scores, laws: &mut Laws) -> Vec<f64> {
    let key = (scores.values().to_vec(), scores.sensitivity());
    let in_units = || {
        let unit = scores.sensitivity() as f64;
        scores.values().iter().map(|&value| value as f64 / unit).collect::<Vec<_>>()
    };
    let law = || canonical::law::law(&in_units(), 1, 1.0, EPS_SELECTION, flips);
    laws.sets.entry(key).or_insert_with(law).clone()
}

/// All centers of three classes with their probabilities, by summing over the noise: counts plus
/// discrete Laplace noise of rate eps/steps, divided by a total of at least 4 steps/eps.
fn law_of_class_centers(counts: &[u64], steps: f64) -> Vec<(Vec<i32>, f64)> {
    let rate = EPS_CENTER / steps;
    // The same range of noisy counts for all tables, so that the truncation is the same for all.
    let reach = (20.0 / rate) as i64;
    let normal = (1.0 - (-rate).exp()) / (1.0 + (-rate).exp());
    let q = f64::from(SMALL_Q);
    let mut law = vec![0.0; 27];
    let around = |count: u64| {
        (-reach..=reach).map(move |v| {
            let z = v - count as i64;
            (v as f64, normal * (-rate * z.abs() as f64).exp())
        })
    };
    for (a, p) in around(counts[0]) {
        for (b, p2) in around(counts[1]) {
            for (c, p3) in around(counts[2]) {
                let [a, b, c] = [a, b, c].map(|count: f64| count.max(0.0));
                let total = (a + b + c).max(4.0 / rate);
                let center = |share: f64| (q * share / total).round() as usize;
                law[9 * center(a) + 3 * center(b) + center(c)] += p * p2 * p3;
            }
        }
    }
    let digits = |i: usize| vec![(i / 9) as i32, (i / 3 % 3) as i32, (i % 3) as i32];
    law.into_iter().enumerate().map(|(i, p)| (digits(i), p)).collect()
}

/// Feature values: missing, two numbers and text.
const VALUES: [Option<f64>; 4] = {
    let word = f64::from_bits(f64::NAN.to_bits() | 7);
    [None, Some(-1.0), Some(1.0), Some(word)]
};

/// Counts: a missing one, two numbers, and an invalid count.
const COUNTS: [Option<f64>; 4] = [None, Some(1.0), Some(3.0), Some(-1.0)];

/// All rows with these feature values and targets ("x" is not a number: missing).
fn all_rows(features: usize, values: &[Option<f64>], targets: &[&'static str]) -> Vec<TableRow> {
    let mut rows: Vec<TableRow> = targets.iter().map(|&target| (vec![], target)).collect();
    for _ in 0..features {
        let longer = |(x, target): &TableRow| {
            values
                .iter()
                .map(|value| ([x.clone(), vec![*value]].concat(), *target))
                .collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    rows
}

/// The largest log-ratio of joint laws over all tables of up to `most` rows and their neighbors.
/// Tables are multisets, since no law depends on the order of rows.
fn worst(path: &Path, rows: &[TableRow], most: usize) -> (f64, usize) {
    let mut tables: Vec<Vec<usize>> = vec![vec![]];
    let mut next = 0;
    while next < tables.len() {
        let table = tables[next].clone();
        next += 1;
        if table.len() < most {
            let last = table.last().copied().unwrap_or(0);
            tables.extend((last..rows.len()).map(|row| [table.clone(), vec![row]].concat()));
        }
    }
    let mut memory = Laws::default();
    let laws: HashMap<Vec<usize>, Vec<f64>> = tables
        .iter()
        .filter(|table| !table.is_empty() || path.neighbors == Neighbors::AddRemove)
        .map(|table| {
            let picked: Vec<TableRow> = table.iter().map(|&row| rows[row].clone()).collect();
            (table.clone(), path.law(&picked, &mut memory))
        })
        .collect();
    let sorted = |mut table: Vec<usize>| {
        table.sort_unstable();
        table
    };
    let (mut worst, mut pairs) = (0.0f64, 0);
    for (table, law) in &laws {
        for row in 0..rows.len() {
            let neighbors: Vec<Vec<usize>> = match path.neighbors {
                Neighbors::AddRemove => vec![sorted([&table[..], &[row]].concat())],
                Neighbors::ReplaceOne => (0..table.len())
                    .map(|at| {
                        let mut other = table.clone();
                        other[at] = row;
                        sorted(other)
                    })
                    .collect(),
            };
            for neighbor in neighbors {
                if let Some(other) = laws.get(&neighbor) {
                    worst = worst.max(oracle::max_log_ratio(law, other));
                    pairs += 1;
                }
            }
        }
    }
    (worst, pairs)
}

#[test]
fn joint_releases_by_enumeration() {
    let bounds = |low, high| Bounds::new(low, high).unwrap();
    let common = Scaling::Bounds(bounds(-1.0, 1.0));
    let own = Scaling::BoundsByFeature(vec![bounds(-1.0, 1.0), bounds(-4.0, 2.0)]);
    let ranks = Scaling::RowRank;
    let mut paths = Vec::new();
    for neighbors in [Neighbors::AddRemove, Neighbors::ReplaceOne] {
        for scaling in [Some(&common), Some(&own), Some(&ranks), None] {
            let scaling = scaling.cloned();
            for target in [Target::Bounded, Target::TwoClasses, Target::MedianSplit] {
                for center in [Center::Private, Center::Public(0), Center::Public(1)] {
                    paths.push(Path {
                        scaling: scaling.clone(),
                        per_million: false,
                        target,
                        center,
                        neighbors,
                    });
                }
            }
            for center in [Center::Private, Center::Public(0), Center::Public(1)] {
                let target = Target::ThreeClasses;
                let scaling = scaling.clone();
                paths.push(Path { scaling, per_million: false, target, center, neighbors });
            }
        }
        let (scaling, target) = (Some(ranks.clone()), Target::Kendall);
        let center = Center::Public(0);
        paths.push(Path { scaling, per_million: false, target, center, neighbors });
    }
    all_within_epsilon(paths);
}

/// The same for counts per million: whole columns, clipped, and by Kendall's correlation.
#[test]
fn counts_per_million_by_enumeration() {
    let bounds = Scaling::Bounds(Bounds::new(0.0, 1e6).unwrap());
    let mut paths = Vec::new();
    for neighbors in [Neighbors::AddRemove, Neighbors::ReplaceOne] {
        for (scaling, target, center) in [
            (None, Target::Bounded, Center::Private),
            (None, Target::Bounded, Center::Public(1)),
            (None, Target::MedianSplit, Center::Private),
            (None, Target::ThreeClasses, Center::Public(1)),
            (Some(&bounds), Target::TwoClasses, Center::Private),
            (Some(&bounds), Target::Bounded, Center::Public(1)),
            (Some(&bounds), Target::Kendall, Center::Public(0)),
        ] {
            let scaling = scaling.cloned();
            paths.push(Path { scaling, per_million: true, target, center, neighbors });
        }
    }
    all_within_epsilon(paths);
}

/// Checks each path on all small tables: none may exceed its epsilon, and no test may be vacuous.
fn all_within_epsilon(paths: Vec<Path>) {
    for path in paths {
        let targets = if path.features() == 2 { &["-1", "1", "x"][..] } else { &["-1", "1"] };
        let values = match (path.per_million, path.scaling.is_none()) {
            (true, _) => &COUNTS[..],
            (false, true) => &VALUES,
            (false, false) => &VALUES[..3],
        };
        let rows = all_rows(path.features(), values, targets);
        // More rows where the laws are cheap: tables of four rows in `.ci/full`, of three
        // elsewhere.
        let cheap =
            exhaustive() && path.center != Center::Private && path.target != Target::MedianSplit;
        // Whole columns have text as well, and there are more counts: more rows to choose from.
        let two = path.features() == 2 && path.scaling.is_some() && !path.per_million;
        let most = 1 + usize::from(cheap) + if two { 2 } else { 1 };
        let (worst, pairs) = worst(&path, &rows, most);
        let Path { scaling, per_million, target, center, neighbors } = &path;
        let name = format!("{scaling:?}, {per_million}, {target:?}, {center:?}, {neighbors:?}");
        let used = worst / path.epsilon();
        assert!(pairs > 2_000, "{name}: {pairs}");
        assert!(used <= 1.0 + 1e-12, "{name}: {used}");
        assert!(used >= 0.2, "{name}: {used}");
    }
}

/// Maps a table to the probability of each set.
type Law<'a> = &'a dyn Fn(&[TableRow]) -> Vec<f64>;

/// Broken variants of the path that the same enumeration rejects.
#[test]
fn broken_paths_are_caught() {
    let rows = all_rows(2, &VALUES[..3], &["-1", "1", "x"]);
    let path = Path {
        scaling: Some(Scaling::Bounds(Bounds::new(-1.0, 1.0).unwrap())),
        per_million: false,
        target: Target::Bounded,
        center: Center::Public(1),
        neighbors: Neighbors::AddRemove,
    };
    let scores = |table: &[TableRow]| {
        let mut sums = CorrelationSums::with_grid(2, SMALL_Q);
        let code = TargetCode::Bounded(Bounds::new(-1.0, 1.0).unwrap());
        for row in table {
            if let Some(y) = code.code(row.1.as_bytes(), &format(), SMALL_Q) {
                sums.add(&path.code_row(row), y);
            }
        }
        sums.scores(1, Neighbors::AddRemove).unwrap().values().to_vec()
    };
    let select = |x: Vec<f64>| canonical::law::law(&x, 1, 1.0, EPS_SELECTION, flips);
    // Scores divided by the largest ("normalized by the data"), at a constant sensitivity.
    let normalized = |table: &[TableRow]| {
        let scores = scores(table);
        let most = scores.iter().copied().max().unwrap().max(1) as f64;
        select(scores.iter().map(|&score| 3.0 * score as f64 / most).collect())
    };
    // The sensitivity without the term for the center: Q^2 instead of Q (Q + |m|).
    let uncentered = |table: &[TableRow]| {
        select(scores(table).iter().map(|&score| score as f64 / 4.0).collect())
    };
    for (name, law) in [("normalized", &normalized as Law<'_>), ("uncentered", &uncentered)] {
        let worst = worst_third_row(&rows, law);
        assert!(worst / EPS_SELECTION > 1.01, "{name} passed with {worst}");
    }
}

/// The largest log-ratio by a third row, over all tables of two.
fn worst_third_row(rows: &[TableRow], law: Law<'_>) -> f64 {
    let mut worst = 0.0f64;
    for first in rows {
        for second in rows {
            let table = [first.clone(), second.clone()];
            let before = law(&table);
            for third in rows {
                let after = law(&[&table[..], std::slice::from_ref(third)].concat());
                worst = worst.max(oracle::max_log_ratio(&before, &after));
            }
        }
    }
    worst
}

/// Counts divided by anything but the sum of their own row: the same enumeration rejects it.
#[test]
fn shares_of_more_than_the_row_are_caught() {
    let rows = all_rows(2, &[None, Some(0.0), Some(1.0), Some(3.0)], &["-1", "1"]);
    let sum = |row: &TableRow| row.0.iter().flatten().sum::<f64>();
    let total = |table: &[TableRow]| table.iter().map(sum).sum::<f64>();
    let column =
        |table: &[TableRow], i: usize| table.iter().filter_map(|row| row.0[i]).sum::<f64>();
    let path = |scaling: Option<Scaling>| Path {
        scaling,
        per_million: false,
        target: Target::Bounded,
        center: Center::Public(1),
        neighbors: Neighbors::AddRemove,
    };
    let clipped = path(Some(Scaling::Bounds(Bounds::new(0.0, 1e6).unwrap())));
    let columns = path(None);
    // The law of a table whose values were divided by `by` of row and feature.
    let divided = |path: &Path, table: &[TableRow], by: &dyn Fn(usize, usize) -> f64| {
        let share = |row: usize, i: usize| {
            let share = table[row].0[i]? / by(row, i) * 1e6;
            share.is_finite().then_some(share)
        };
        let row = |row: usize| ((0..2).map(|i| share(row, i)).collect(), table[row].1);
        let rows: Vec<TableRow> = (0..table.len()).map(row).collect();
        path.law(&rows, &mut Laws::default())
    };
    let own = |table: &[TableRow]| divided(&clipped, table, &|row, _| sum(&table[row]));
    let own_in_columns = |table: &[TableRow]| divided(&columns, table, &|row, _| sum(&table[row]));
    for law in [&own as Law<'_>, &own_in_columns] {
        let worst = worst_third_row(&rows, law);
        assert!((0.2..=1.0 + 1e-12).contains(&(worst / EPS_SELECTION)), "{worst}");
    }
    // Whole columns are scored by their order, which dividing all rows by the same number does not
    // change; dividing only the rows from this one on does.
    let by_table = |table: &[TableRow]| divided(&clipped, table, &|_, _| total(table));
    let by_column = |table: &[TableRow]| divided(&clipped, table, &|_, i| column(table, i));
    let by_others = |table: &[TableRow]| divided(&columns, table, &|row, _| total(&table[row..]));
    let broken: [(&str, Law<'_>); 3] =
        [("table", &by_table), ("column", &by_column), ("others", &by_others)];
    for (name, law) in broken {
        let worst = worst_third_row(&rows, law);
        assert!(worst / EPS_SELECTION > 1.01, "{name} passed with {worst}");
    }
}

proptest! {
    /// The sums of a table equal the sums of its rows, each processed alone, bit for bit: no row
    /// changes the contribution of another.
    #[test]
    fn contributions_depend_on_their_own_row_only(
        rows in prop::collection::vec(
            (prop::collection::vec(prop::option::weighted(0.9, any::<f64>()), 5), -3i16..4),
            1..12),
        ranks in any::<bool>(),
    ) {
        let rule = if ranks {
            Scaling::RowRank
        } else {
            Scaling::Bounds(Bounds::new(-10.0, 1e5).unwrap())
        };
        let finite = |value: &Option<f64>| value.filter(|v| v.is_finite());
        let mut scaler = Scaler::with_grid(&rule, 32_767);
        let mut x = Vec::new();
        let mut whole = CorrelationSums::with_grid(5, 32_767);
        let mut parts = CorrelationSums::with_grid(5, 32_767);
        for (values, y) in &rows {
            // One scaler for all rows, and a new one for each.
            scaler.scale(values.iter().map(finite), &mut x);
            whole.add(&x, *y);
            let mut alone = CorrelationSums::with_grid(5, 32_767);
            let mut fresh = Vec::new();
            Scaler::with_grid(&rule, 32_767).scale(values.iter().map(finite), &mut fresh);
            alone.add(&fresh, *y);
            parts.merge(&alone);
        }
        prop_assert_eq!(whole.target_sums(), parts.target_sums());
        let scores = |sums: &CorrelationSums| sums.scores(5, Neighbors::AddRemove).unwrap();
        prop_assert_eq!(scores(&whole), scores(&parts));
    }
}
