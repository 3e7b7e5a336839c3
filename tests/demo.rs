//! The demo table is reproducible, and its selections are as documented.
#![allow(clippy::unwrap_used)] // tests fail by panicking

#[path = "../examples/make_demo.rs"]
#[allow(dead_code)]
mod make_demo;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/demo.csv");

#[test]
fn demo_data_is_reproduced_to_the_byte() {
    let mut made = Vec::new();
    make_demo::write_demo(&mut made).unwrap();
    assert!(made == std::fs::read(DEMO).unwrap(), "run the example make_demo again");
}

/// At epsilon 2, with defaults otherwise, most of the five true features are found: at least 95 of 100 over
/// seeds 1 to 20 (the documentation says all).
#[test]
fn the_true_features_are_found() {
    let truth = ["gene_017", "gene_074", "gene_142", "gene_209", "gene_276"];
    let found: usize = (1..=20)
        .map(|seed| {
            let select = dpsis::Select::new(5).epsilon("2").seed(seed);
            let selection = select.run(DEMO).unwrap();
            selection.selected.iter().filter(|p| truth.contains(&p.name.as_str())).count()
        })
        .sum();
    assert!(found >= 95, "{found} of 100");
}
