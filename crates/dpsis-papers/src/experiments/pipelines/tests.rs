use std::collections::BTreeMap;

use dpsis::report::Agreement;
use dpsis_eval::internals::PENALTY;
use dpsis_eval::{Settled, Study, labels_of};
use ndarray::Array2;

use super::*;
use crate::experiments::experiment::with;
use crate::experiments::sets::third;
use dpsis_eval::datasets::PublicTable;

const SETS: [(&str, usize); 2] = [("two", 2), ("four", 4)];

/// Forty-eight rows of six features; the first feature determines the class.
fn settled(classes: usize) -> Settled {
    let x = Array2::from_shape_fn((48, 6), |(i, j)| match j {
        0 => (10 * (i % classes) + i % 5) as f64,
        _ => ((i * (2 * j + 3) * 13) % 29) as f64,
    });
    let table = PublicTable {
        features: (0..6).map(|j| format!("f{j}")).collect(),
        x,
        labels: (0..48).map(|i| format!("c{}", i % classes)).collect(),
    };
    let target = labels_of(&table);
    Settled::of(table, target).unwrap()
}

fn tables() -> Tables<'static> {
    let lazy = |name: String, study: Box<dyn Fn() -> Result<Study>>| LazyStudy {
        name,
        data: "made up".to_owned(),
        read: study,
    };
    let whole = |(set, classes): (&'static str, usize)| {
        let study = move || Study::new(set, settled(classes), PENALTY, 1);
        lazy(set.to_owned(), Box::new(study))
    };
    let held_out = |(set, classes): (&'static str, usize)| {
        (0..3).map(move |fold| {
            let study = move || {
                let name = third(set, fold);
                Study::held_out(&name, settled(classes), PENALTY, 1, fold)
            };
            lazy(third(set, fold), Box::new(study))
        })
    };
    Tables {
        sets: SETS.map(|(set, classes)| (set.to_owned(), classes)).into(),
        whole: SETS.map(whole).into(),
        held_out: SETS.into_iter().flat_map(held_out).collect(),
    }
}

/// The rows of a CSV file as values by the names of their columns.
fn rows(experiment: &Experiment<'_>, name: &str) -> Vec<BTreeMap<String, String>> {
    let mut csv = csv::Reader::from_path(experiment.output.path().join(name)).unwrap();
    csv.deserialize().collect::<std::result::Result<_, _>>().unwrap()
}

/// The mean over epsilon 1 to 10 by the trapezoidal rule, of the cells in a file.
fn area(cells: &[BTreeMap<String, String>], table: &str, scale: &str, column: &str) -> f64 {
    let of = |eps: u32| -> f64 {
        let is = |cell: &&BTreeMap<String, String>| {
            (&*cell["table"], &*cell["method"], &*cell["scale"]) == (table, "dp-sis", scale)
                && cell["eps"] == eps.to_string()
        };
        cells.iter().find(is).unwrap()[column].parse().unwrap()
    };
    let inner: f64 = (2..10).map(of).sum();
    (inner + (of(1) + of(10)) / 2.0) / 9.0
}

#[test]
fn every_pipeline_has_its_areas_on_all_rows_and_on_held_out_rows() {
    with(2, 2, |experiment| {
        let blocks = compared(experiment, &tables()).unwrap();
        let count = |is: fn(&Block) -> bool| blocks.iter().filter(|block| is(block)).count();
        assert_eq!(count(|block| matches!(block, Block::Table { .. })), 3);
        assert_eq!(count(|block| matches!(block, Block::Figure { .. })), 3);
        let decided = |block: &Block| matches!(block, Block::Comparison { agreement, .. } if *agreement != Agreement::NotTested);
        assert_eq!(count(decided), 3);

        let given = |file: &str, set: &str, pipeline: &str| -> f64 {
            let rows = rows(experiment, file);
            let row = rows.iter().find(|row| row["set"] == set).unwrap();
            row[pipeline].parse().unwrap()
        };
        let cells = rows(experiment, "pipelines.csv");
        assert_eq!(cells.len(), 2 * 8 * 10);
        let scales = [
            (PAPER, "paper"),
            (ROW_RANKS, "row-rank, classes as numbers"),
            (DEFAULT, "default, classes as numbers"),
            (ROW_RANKS_OF_CLASSES, "row-rank"),
            (DEFAULT_OF_CLASSES, "default"),
        ];
        for (set, _) in SETS {
            for (pipeline, scale) in scales {
                let lift = area(&cells, set, scale, "model") - area(&cells, set, scale, "baseline");
                let found = given("pipelines-lift.csv", set, pipeline);
                assert!((found - lift).abs() < 0.001, "{set}, {pipeline}: {found}, {lift}");
                let lasso = area(&cells, set, scale, "lasso");
                let found = given("pipelines-agreement.csv", set, pipeline);
                assert!((found - lasso).abs() < 0.001, "{set}, {pipeline}: {found}, {lasso}");
            }
        }
        let cells = rows(experiment, "pipelines-thirds.csv");
        assert_eq!(cells.len(), 2 * 3 * 3 * 10);
        for (set, _) in SETS {
            for (pipeline, scale) in &scales[..3] {
                let of = |fold| {
                    let table = format!("{set}, third {fold}");
                    area(&cells, &table, scale, "model") - area(&cells, &table, scale, "baseline")
                };
                let lift = (of(1) + of(2) + of(3)) / 3.0;
                let found = given("pipelines-held-out.csv", set, pipeline);
                assert!((found - lift).abs() < 0.001, "{set}, {pipeline}: {found}, {lift}");
            }
        }
    });
}
