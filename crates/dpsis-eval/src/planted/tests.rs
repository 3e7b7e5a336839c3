use std::collections::BTreeSet;

use dpsis::{ArrayTable, GRID, Rehearsal, Select};

use crate::datasets::PublicTable;

use super::*;

/// The largest difference of the two groups' shares over all sets of rows `cell <= c` and
/// `cell == word`, by counting from scratch for each c and word.
fn distance(cells: &[&str], second: &[bool]) -> f64 {
    let n = |group: bool| second.iter().filter(|second| **second == group).count() as f64;
    let weight = [-1.0 / n(false), 1.0 / n(true)];
    let weights: Vec<f64> = second.iter().map(|second| weight[usize::from(*second)]).collect();
    // A text is NaN, which is below no threshold.
    let numbers: Vec<f64> = cells.iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
    let values: BTreeSet<&str> = cells.iter().copied().filter(|cell| !cell.is_empty()).collect();
    let difference = |value: &str| {
        let c = value.parse::<f64>();
        let holds = |i: &usize| c.as_ref().map_or(cells[*i] == value, |c| numbers[*i] <= *c);
        (0..cells.len()).filter(holds).map(|i| weights[i]).sum::<f64>().abs()
    };
    values.into_iter().map(difference).fold(0.0, f64::max)
}

fn second(table: &Planted) -> Vec<bool> {
    if let Some(classes) = &table.classes {
        return table.targets.iter().map(|target| *target == classes[1]).collect();
    }
    let targets: Vec<f64> = table.targets.iter().map(|target| target.parse().unwrap()).collect();
    let mut sorted = targets.clone();
    sorted.sort_by(f64::total_cmp);
    targets.iter().map(|target| *target > sorted[sorted.len() / 2]).collect()
}

fn column(table: &Planted, j: usize) -> Vec<&str> {
    table.cells.iter().map(|row| &*row[j]).collect()
}

/// The share of a table's cells for which `holds` is true.
fn share(table: &Planted, holds: impl Fn(&str) -> bool) -> f64 {
    let cells: Vec<&String> = table.cells.iter().flatten().collect();
    cells.iter().filter(|cell| holds(cell)).count() as f64 / cells.len() as f64
}

#[test]
fn tables_have_their_shapes_and_follow_their_seeds() {
    let ids: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.id()).collect();
    assert_eq!(ids.len(), Kind::ALL.len());
    for kind in Kind::ALL {
        assert_eq!(Kind::by_id(kind.id()), Some(kind));
        let made = table(kind, Size::Reduced, 1);
        let (n, d) = kind.shape(Size::Reduced);
        assert_eq!((made.cells.len(), made.targets.len(), made.names.len()), (n, n, d), "{kind:?}");
        assert!(made.cells.iter().all(|row| row.len() == d), "{kind:?}");
        assert_eq!(made.names.iter().collect::<BTreeSet<_>>().len(), d, "{kind:?}");
        assert!(!made.names.iter().any(|name| name == Planted::TARGET));
        let truth: BTreeSet<usize> = made.truth.iter().copied().filter(|j| *j < d).collect();
        assert_eq!((truth.len(), made.truth.len()), (PLANTED, PLANTED), "{kind:?}");
        assert_eq!(made, table(kind, Size::Reduced, 1), "{kind:?}");
        assert_ne!(made.cells, table(kind, Size::Reduced, 2).cells, "{kind:?}");
    }
}

#[test]
fn targets_are_labels_of_two_classes_or_numbers() {
    for kind in Kind::ALL {
        let made = table(kind, Size::Reduced, 3);
        let numeric = [Kind::Finance, Kind::Spectra, Kind::Costs].contains(&kind);
        assert_eq!(made.classes.is_none(), numeric, "{kind:?}");
        match &made.classes {
            Some(classes) => {
                let words: BTreeSet<&String> = made.targets.iter().collect();
                assert_eq!(words, classes.iter().collect(), "{kind:?}");
            }
            None => {
                let finite = |target: &String| target.parse::<f64>().is_ok_and(f64::is_finite);
                assert!(made.targets.iter().all(finite), "{kind:?}");
            }
        }
    }
}

/// By scores counted from scratch, the mean of the true features over three tables must lie well
/// above the mean of the others, which holds only if the truth lists the right columns.
#[test]
fn true_features_stand_out() {
    for kind in Kind::ALL {
        let (mut of_true, mut of_others) = (0.0, 0.0);
        for seed in 0..3 {
            let made = table(kind, Size::Reduced, seed);
            let second = second(&made);
            for j in 0..made.names.len() {
                let score = distance(&column(&made, j), &second);
                if made.truth.contains(&j) {
                    of_true += score / (3 * PLANTED) as f64;
                } else {
                    of_others += score / (3 * (made.names.len() - PLANTED)) as f64;
                }
            }
        }
        assert!(of_true > 1.6 * of_others, "{kind:?}: {of_true} {of_others}");
    }
}

#[test]
fn categories_and_missing_cells_match_the_descriptions() {
    let number = |cell: &str| cell.parse::<f64>().is_ok();
    let made = |kind| table(kind, Size::Reduced, 4);
    let words = |made: &Planted| {
        let cells = made.cells.iter().flatten().filter(|cell| !cell.is_empty() && !number(cell));
        cells.cloned().collect::<BTreeSet<String>>()
    };
    for kind in [Kind::Clinical, Kind::Costs] {
        let (made, wanted) = (made(kind), ["yes", "no", "north", "islands", "A"]);
        assert!(wanted.iter().all(|word| words(&made).contains(*word)), "{kind:?}");
        assert!(share(&made, str::is_empty) > 0.01, "{kind:?}");
    }
    let survey = made(Kind::Survey);
    assert!(["M", "F", "prefer not to say"].iter().all(|word| words(&survey).contains(*word)));
    let mixed = |j: &usize| {
        let cells = column(&survey, *j);
        cells.contains(&"prefer not to say") && cells.contains(&"") && cells.contains(&"5")
    };
    assert!((0..survey.names.len()).filter(mixed).count() > 20);
    for kind in [Kind::Expression, Kind::Methylation, Kind::Counts, Kind::Spectra, Kind::RareClass]
    {
        assert_eq!(share(&made(kind), number), 1.0, "{kind:?}");
    }
    let missing = share(&made(Kind::Proteomics), str::is_empty);
    assert!((0.2..0.4).contains(&missing), "{missing}");
    let calls = ["0", "1", "2", "NA"].map(str::to_owned).into();
    let genotypes: BTreeSet<String> = made(Kind::Genotypes).cells.into_iter().flatten().collect();
    assert_eq!(genotypes, calls);
    assert!((0.01..0.06).contains(&share(&made(Kind::Finance), str::is_empty)));
    assert!(share(&made(Kind::Counts), |cell| cell == "0") > 0.3);
    let beta = |cell: &str| cell.parse::<f64>().is_ok_and(|beta| (0.0..=1.0).contains(&beta));
    assert_eq!(share(&made(Kind::Methylation), beta), 1.0);
    let rare = made(Kind::RareClass);
    let cases = rare.targets.iter().filter(|target| *target == "case").count();
    // 30 of 1000 expected, standard deviation 5.4.
    assert!((3..=57).contains(&cases), "{cases}");
}

#[test]
fn a_written_table_reads_back() {
    let made = table(Kind::Survey, Size::Reduced, 5);
    let mut bytes = Vec::new();
    made.write_csv(&mut bytes).unwrap();
    let mut csv = csv::Reader::from_reader(&*bytes);
    let header: Vec<String> = csv.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(header[..made.names.len()], made.names);
    assert_eq!(header[made.names.len()..], ["y"]);
    let rows: Vec<Vec<String>> =
        csv.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    assert_eq!(rows.len(), made.cells.len());
    for ((row, cells), target) in rows.iter().zip(&made.cells).zip(&made.targets) {
        assert_eq!((&row[..cells.len()], &row[cells.len()]), (&**cells, target));
    }
}

/// The default score of `select`, from the text of the table with words and missing cells, is the
/// distance counted from scratch.
#[test]
fn the_default_score_equals_the_distance() {
    for kind in Kind::ALL {
        let made = table(kind, Size::Reduced, 3);
        let source = made.to_table().unwrap();
        let select = made.with_classes(Select::new(PLANTED));
        let scores = Rehearsal::new(select, &source).unwrap().exact_scores().unwrap().unwrap();
        // From the middle value on, or above it: the more even split.
        let second = match &made.classes {
            Some(_) => second(&made),
            None => {
                let targets: Vec<f64> = made.targets.iter().map(|t| t.parse().unwrap()).collect();
                let mut sorted = targets.clone();
                sorted.sort_by(f64::total_cmp);
                let middle = sorted[sorted.len() / 2];
                let [from, above] = [false, true].map(|strictly| -> Vec<bool> {
                    let is_high = |y: &f64| *y > middle || !strictly && *y == middle;
                    targets.iter().map(is_high).collect()
                });
                let uneven = |side: &[bool]| {
                    side.len().abs_diff(2 * side.iter().filter(|high| **high).count())
                };
                if uneven(&from) <= uneven(&above) { from } else { above }
            }
        };
        let (n, ones) = (second.len() as f64, second.iter().filter(|one| **one).count() as f64);
        let largest = 4.0 * f64::from(GRID) * ones * (n - ones) / n;
        let missing = |cell: &str| cell.is_empty() || cell == "NA";
        for (j, name) in made.names.iter().enumerate() {
            let cells = column(&made, j);
            // A column with missing cells has no simple distance.
            if cells.iter().any(|cell| missing(cell)) {
                continue;
            }
            let score = scores.values()[j] as f64 / largest;
            let expected = distance(&cells, &second);
            assert!((score - expected).abs() < 1e-3, "{kind:?}, {name}: {score}, {expected}");
        }
    }
}

/// A public table in memory keeps its categories: the same scores as from the text.
#[test]
fn public_tables_keep_their_categories() {
    let made = table(Kind::Clinical, Size::Reduced, 4);
    let source = || made.to_table().unwrap();
    let select = || made.with_classes(Select::new(PLANTED));
    let public = PublicTable::read(&source()).unwrap();
    let labels = ndarray::Array1::from(public.labels);
    let in_memory = ArrayTable::new(public.x.view(), labels.view()).unwrap();
    let scores = |rehearsal: Rehearsal| rehearsal.exact_scores().unwrap().unwrap().into_inner();
    let of_text = scores(Rehearsal::new(select(), &source()).unwrap());
    let with_words = scores(Rehearsal::new(select(), &in_memory.clone().with_words()).unwrap());
    let without = scores(Rehearsal::new(select(), &in_memory).unwrap());
    assert_eq!(with_words, of_text);
    assert_ne!(without, of_text);
}
