//! `--refine gram`: reports of a selection in two stages.

use crate::harness::{DATASETS, Folder, Outcome, assert_contains, assert_lacks, dpsis, names_in};

fn select(options: &str) -> Outcome {
    dpsis(&format!("select --seed 3 demo.csv {options}")).succeeds()
}

#[test]
fn every_report_lists_the_screened_features() {
    let record = select("--k 3 --eps 40 --refine gram --format json").json();
    let (selected, screened) = (names_in(&record, "selected"), names_in(&record, "screened"));
    assert_eq!((selected.len(), screened.len()), (3, 6));
    assert!(selected.iter().all(|name| screened.contains(name)), "{selected:?} {screened:?}");

    let text = select("--k 3 --eps 40 --refine gram");
    assert_eq!(text.stdout.lines().collect::<Vec<_>>(), selected);
    let screened = screened.join(", ");
    assert_contains(&text.message(), &format!("screened {screened} effect "));
    assert_contains(&select("--k 3 --eps 40 --refine gram --format html").stdout, &screened);

    // Without a refinement nothing was screened.
    assert_lacks(&select("--k 3 --eps 40 --format json").text(), "screened");
}

/// Screening selects six features with a clear association of their own.
#[test]
fn the_screening_is_the_selection_of_twice_as_many() {
    let record = select("--k 3 --eps 4000 --refine gram --format json").json();
    let six = select("--k 6 --eps 4000").stdout;
    assert_eq!(six.lines().collect::<Vec<_>>(), names_in(&record, "screened"));
}

#[test]
fn conflicting_options_are_refused() {
    Folder::at(DATASETS).refuses_options(
        "select --seed 3 demo.csv --eps 2 --refine gram",
        &[
            ("--k 3 --score kendall", "ks or correlation"),
            ("--k 51", "50"),
            ("--k 3 --method two-stage", "by scores"),
        ],
    );
}
