//! A private model on privately selected features: `cargo run --release --example private_model`.
//!
//! One budget covers the selection and the model, so that both may be published.
#![allow(clippy::print_stdout)] // an example prints

use dpsis::{FitModel, Select};
use linfa::prelude::*;

mod support;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Fit on the first 400 rows, predict the others.
    let (train, test) = support::demo()?.split_with_ratio(0.8);
    let select = Select::new(5).bounds(-3.0, 3.0);
    for epsilon in [2, 20] {
        let fitted = FitModel::new(select.clone().epsilon(epsilon)).check()?.fit(&train)?;
        print!("{}", dpsis::report::fit_report(&fitted, |_| String::new()));
        println!(
            "R^2 on 100 unseen rows at epsilon {epsilon}: {:.2}\n",
            fitted.predict(&test).r2(&test)?
        );
    }
    Ok(())
}
