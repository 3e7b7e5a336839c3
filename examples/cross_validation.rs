//! Cross-validation of a private selection, and the budget that the folds spend: `cargo
//! run --release --example cross_validation`.
//!
//! A selection made before cross-validation has used the rows it is tested on. A selection made
//! within each fold has not, but every fold is a release of its own. A row is in the training rows
//! of all folds but one, so by sequential composition k folds at epsilon cost it (k - 1) epsilon.
//! This holds because a row is assigned to its fold by its own values, so that adding or removing a
//! row moves no other. (If rows were assigned by position, all later rows would change folds.) The
//! R^2 values are computed from the data and are not private.
#![allow(clippy::print_stdout)] // an example prints

use std::hash::{DefaultHasher, Hash, Hasher};

use dpsis::{Epsilon, Select};
use linfa::prelude::*;
use linfa_elasticnet::ElasticNet;
use ndarray::{ArrayView1, Axis};

mod support;

const FOLDS: u64 = 5;

/// The fold of a row, a function of this row alone.
fn fold_of(row: ArrayView1<'_, f64>) -> u64 {
    let mut hasher = DefaultHasher::new();
    row.iter().for_each(|value| value.to_bits().hash(&mut hasher));
    hasher.finish() % FOLDS
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = support::demo()?;
    let each: Epsilon = "2".parse()?;
    let request = Select::new(5).epsilon(each.clone());

    let folds: Vec<u64> = data.records.rows().into_iter().map(fold_of).collect();
    let rows = |keep: &dyn Fn(u64) -> bool| {
        let places: Vec<usize> = (0..folds.len()).filter(|&place| keep(folds[place])).collect();
        Dataset::new(data.records.select(Axis(0), &places), data.targets.select(Axis(0), &places))
            .with_feature_names(data.feature_names().to_vec())
    };
    for fold in 0..FOLDS {
        let (train, test) = (rows(&|other| other != fold), rows(&|other| other == fold));
        let selection = request.fit(&train)?;
        let model = ElasticNet::params().penalty(0.05).fit(&selection.transform(train)?)?;
        let test = selection.transform(test)?;
        let r2 = model.predict(&test).r2(&test)?;

        let parts: Vec<String> =
            selection.guarantee.spent.iter().map(|part| part.epsilon.to_string()).collect();
        println!(
            "fold {}: epsilon {} = {}; R^2 {r2:.3} (not private); {}",
            fold + 1,
            selection.guarantee.epsilon,
            parts.join(" + "),
            test.feature_names().join(" ")
        );
    }
    let total = (2..FOLDS).fold(each.clone(), |sum, _| sum + each.clone());
    println!("each row was in {} of {FOLDS} training sets: epsilon {total} in all", FOLDS - 1);
    Ok(())
}
