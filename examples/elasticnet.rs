//! An elastic net on privately selected features: `cargo run --release --example elasticnet`.
//!
//! The selection is private. The model fitted on the selected columns is not, because it uses the
//! data without noise; it is only for the data holder, or for data declared public. (linfa's
//! elastic net centers only the target: features should have a mean near 0, as in the demo
//! data.)
#![allow(clippy::print_stdout)] // an example prints

use dpsis::Select;
use linfa::prelude::*;
use linfa_elasticnet::ElasticNet;

mod support;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Fit on the first 400 rows, predict the others.
    let (train, test) = support::demo()?.split_with_ratio(0.8);

    let request = Select::new(5).epsilon("2");
    let selection = request.fit(&train)?;
    print!("{}", dpsis::report::report(&selection));

    let elastic_net = ElasticNet::params().penalty(0.05).l1_ratio(0.5);
    let on_all = elastic_net.fit(&train)?;
    let all = on_all.predict(&test).r2(&test)?;
    let on_selected = elastic_net.fit(&selection.transform(train)?)?;
    let reduced = selection.transform(test)?;
    let selected = on_selected.predict(&reduced).r2(&reduced)?;

    for (name, weight) in reduced.feature_names().iter().zip(on_selected.hyperplane()) {
        println!("{name}  {weight:+.3}");
    }
    println!(
        "R^2 on 100 unseen rows, not private: {selected:.3} with 5 features, {all:.3} with 300"
    );
    Ok(())
}
