//! Table 1 of the DP-SIS paper: R² of a LASSO without privacy, under three preparations.

use dpsis::Result;
use dpsis::method::Lasso;
use dpsis::report::{Agreement, Block, Section};
use dpsis_eval::Preparation;
use dpsis_eval::internals::{PENALTY, codes, short};

use crate::experiments::experiment::Experiment;
use crate::experiments::parts::figure;
use crate::experiments::sets::{Sets, not_run};
use dpsis_eval::figure::HeatMap;

/// The largest difference of two R² that agree to the third decimal.
const SAME: f64 = 0.0005 + 1e-12;

pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let sets = Sets::all(experiment)?;
    if sets.present.is_empty() {
        return Ok(not_run("table1", "Table 1: the sets", &sets));
    }
    let lasso = Lasso::new(PENALTY)?;
    let mut found: Vec<[f64; 3]> = Vec::new();
    let mut sizes = Vec::new();
    for (i, set) in sets.present.iter().enumerate() {
        (experiment.progress)("table1", i as f64 / sets.present.len() as f64);
        let table = sets.table(set)?;
        let y = codes(&table.labels);
        let mut r2 = [0.0; 3];
        for (r2, preparation) in r2.iter_mut().zip(Preparation::ALL) {
            let prepared = preparation.prepare(table.x.view(), &y);
            *r2 = lasso.fit(prepared.x.view(), prepared.y.view())?.r2;
        }
        found.push(r2);
        sizes.push(table.x.dim());
    }
    let matching = |paper: f64, r2: &[f64; 3]| -> String {
        let same = |(r2, preparation): (&f64, Preparation)| {
            ((r2 - paper).abs() <= SAME).then(|| preparation.letter())
        };
        r2.iter().zip(Preparation::ALL).filter_map(same).collect()
    };
    let rows: Vec<Vec<String>> = sets
        .present
        .iter()
        .zip(found.iter().zip(&sizes))
        .map(|(set, (r2, (n, d)))| {
            let mut row = vec![set.name.clone(), n.to_string(), d.to_string()];
            row.push(format!("{:.4}", set.paper.r2));
            row.extend(r2.iter().map(|r2| format!("{r2:.4}")));
            let letters = matching(set.paper.r2, r2);
            row.push(if letters.is_empty() { "none".to_owned() } else { letters });
            row
        })
        .collect();
    let header = ["set", "n", "d", "paper", "A", "B", "C", "same as the paper"];
    experiment.output.write_csv("table1.csv", &header, &rows)?;
    let map = HeatMap {
        title: "R² of a LASSO without privacy, penalty 0.1".to_owned(),
        x_label: "preparation".to_owned(),
        columns: ["paper", "A", "B", "C"].map(str::to_owned).into(),
        rows: sets.present.iter().map(|set| set.name.clone()).collect(),
        values: sets
            .present
            .iter()
            .zip(&found)
            .map(|(set, r2)| vec![Some(set.paper.r2), Some(r2[0]), Some(r2[1]), Some(r2[2])])
            .collect(),
        marked: Vec::new(),
        mark_label: String::new(),
        scale_label: "R²".to_owned(),
        diverging: false,
    };
    let matched =
        sets.present.iter().zip(&found).filter(|(set, r2)| !matching(set.paper.r2, r2).is_empty());
    let matched = matched.count();
    let mean = |letter: usize| {
        let distance = sets.present.iter().zip(&found);
        let sum: f64 = distance.map(|(set, r2)| (r2[letter] - set.paper.r2).abs()).sum();
        short(sum / found.len().max(1) as f64)
    };
    let agreement = match (matched, sets.present.len()) {
        (matched, all) if matched == all => Agreement::Matches,
        (0, _) => Agreement::DoesNotMatch,
        _ => Agreement::Partly,
    };
    let mut blocks = vec![
        Block::Comparison {
            statement: "R² are included for nonprivate LASSO regressions with λ = 0.1.".to_owned(),
            source: "DP-SIS paper, Table 1".to_owned(),
            paper: "one column; the preparation is not given".to_owned(),
            ours: format!(
                "{matched} of {} sets agree to three decimals with one of three preparations",
                sets.present.len()
            ),
            agreement,
            note: format!(
                "Mean distance from the paper's column: A {}, B {}, C {}. A: columns by their range to \
                 [-1, 1], target centered, largest magnitude 1. B: columns and target centered, largest \
                 magnitude 1 (the paper's text). C: columns of variance 1, target 0, 1, ... The penalty \
                 is scikit-learn's: 1/(2n) times the squares plus 0.1 times the coefficients' magnitudes. \
                 Classes are numbered alphabetically.",
                mean(0),
                mean(1),
                mean(2)
            ),
        },
        Block::Table {
            caption: "R² to four decimals".to_owned(),
            header: header.map(str::to_owned).into(),
            rows,
        },
        figure(
            experiment,
            "table1",
            map.svg()?,
            "R² of a LASSO without privacy by set and preparation.",
            "table1.csv",
        )?,
    ];
    blocks.extend(sets.skipped());
    Ok(Section::new("table1", "Table 1: the sets", blocks))
}
