//! Figure 1 of the DP-SIS paper: the two-stage method and SIS without privacy on data with known
//! true features.

use dpsis::Result;
use dpsis::internals::{ballots, in_parallel, votes};
use dpsis::method::Lasso;
use dpsis::report::{Agreement, Block, Section};
use dpsis_eval::internals::{PENALTY, seed_of, short};
use ndarray::{Array1, Array2};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::experiments::experiment::Experiment;
use crate::experiments::parts::figure;
use dpsis_eval::design::{self, Synthetic};
use dpsis_eval::figure::BarChart;

const K: usize = 5;
/// Repetitions per trial of the other figures.
const REPETITIONS: u64 = 10;

pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let repetitions = REPETITIONS * experiment.trials;
    let mut series = Vec::new();
    let mut shares = Vec::new();
    for (name, make) in [
        ("W1", design::w1 as fn(u64) -> Synthetic),
        ("W1/W2", design::w1_w2 as fn(u64) -> Synthetic),
    ] {
        (experiment.progress)("fig1", shares.len() as f64 / 2.0);
        let picks = in_parallel(repetitions, experiment.threads, |trial| {
            let seed = seed_of(experiment.seed, &["fig1", name], trial);
            let Synthetic { x, y, .. } = make(seed);
            let mut rng = ChaCha20Rng::seed_from_u64(seed_of(seed, &["blocks"], 0));
            Ok((sis(&x, &y), two_stage(&x, &y, &mut rng)?))
        })?;
        let frequency = |picks: &mut dyn Iterator<Item = &Vec<usize>>| {
            let mut times = vec![0.0; 100];
            picks.flatten().for_each(|feature| times[*feature] += 1.0);
            times
        };
        let sis = frequency(&mut picks.iter().map(|picks| &picks.0));
        let two_stage = frequency(&mut picks.iter().map(|picks| &picks.1));
        let found =
            |times: &[f64]| times[..K].iter().sum::<f64>() / (K as f64 * repetitions as f64);
        shares.push((name, found(&sis), found(&two_stage)));
        series.push((format!("SIS, {name}"), sis));
        series.push((format!("two-stage, {name}"), two_stage));
    }
    let rows: Vec<Vec<String>> = (0..100)
        .map(|feature| {
            let times = series.iter().map(|(_, times)| times[feature].to_string());
            std::iter::once((feature + 1).to_string()).chain(times).collect()
        })
        .collect();
    let names: Vec<&str> = series.iter().map(|(name, _)| &**name).collect();
    let header = [&["feature"], &names[..]].concat();
    experiment.output.write_csv("fig1.csv", &header, &rows)?;
    let chart = BarChart {
        title: format!("How often each feature is selected in {repetitions} repetitions"),
        x_label: "feature (1 to 5 are the right ones)".to_owned(),
        y_label: "times selected".to_owned(),
        series,
        first_x: 1,
        reference: None,
        panels: true,
    };
    let share = |(name, sis, two_stage): &(&str, f64, f64)| {
        format!("{name}: SIS {}, two-stage {}", short(*sis), short(*two_stage))
    };
    let ours: Vec<String> = shares.iter().map(share).collect();
    let better = shares.iter().all(|(_, sis, two_stage)| *sis > two_stage + 0.1);
    let comparison = Block::Comparison {
        statement:
            "SIS chooses the true nonzero features much more often than the two-stage method."
                .to_owned(),
        source: "DP-SIS paper, section 3 and Figure 1".to_owned(),
        paper: "a bar chart without numbers".to_owned(),
        ours: format!("share of features 1 to 5 among the picks: {}", ours.join("; ")),
        agreement: if better { Agreement::Matches } else { Agreement::DoesNotMatch },
        note: "Counted as a match if SIS finds a tenth more on both. Without noise; two-stage \
             splits 100 rows at random into ten blocks of ten; the data as they were generated, \
             LASSO penalty 0.1; each block votes for its five largest coefficients that are not \
             zero; equal votes are settled at random."
            .to_owned(),
    };
    let caption = "Number of selections of each feature, by method and data.";
    let figure = figure(experiment, "fig1", chart.svg()?, caption, "fig1.csv")?;
    Ok(Section::new("fig1", "Figure 1: stability without privacy", vec![comparison, figure]))
}

/// Picks the five features with the largest absolute correlation.
fn sis(x: &Array2<f64>, y: &Array1<f64>) -> Vec<usize> {
    let centered = |values: &Array1<f64>| values - values.mean().unwrap_or(0.0);
    let y = centered(y);
    let correlation = |column: Array1<f64>| {
        let column = centered(&column);
        (column.dot(&y) / column.dot(&column).sqrt()).abs()
    };
    let scores: Vec<f64> = x.columns().into_iter().map(|c| correlation(c.to_owned())).collect();
    best(&scores, &mut ChaCha20Rng::seed_from_u64(0))
}

/// Picks the five features with the most votes of blocks of equal size.
fn two_stage(x: &Array2<f64>, y: &Array1<f64>, rng: &mut ChaCha20Rng) -> Result<Vec<usize>> {
    let blocks = y.len().isqrt() as u64;
    let mut block: Vec<u64> = (0..y.len() as u64).map(|row| row % blocks).collect();
    block.shuffle(rng);
    let lasso = Lasso::new(PENALTY)?;
    let ballots = ballots(x.view(), y.view(), &block, &lasso, K, 1, &|| false);
    let votes = votes(&ballots, x.ncols(), K);
    let scores: Vec<f64> = votes.iter().map(|votes| *votes as f64).collect();
    Ok(best(&scores, rng))
}

/// Picks the five best scores; ties are broken at random.
fn best(scores: &[f64], rng: &mut ChaCha20Rng) -> Vec<usize> {
    let mut order: Vec<(usize, u64)> = (0..scores.len()).map(|i| (i, rng.r#gen())).collect();
    order.sort_by(|a, b| scores[b.0].total_cmp(&scores[a.0]).then(a.1.cmp(&b.1)));
    order.into_iter().take(K).map(|(feature, _)| feature).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    /// 20 repetitions: every method picks five features each time, and SIS finds features 1 to 5 of
    /// W1 more often than the two-stage method.
    #[test]
    fn sis_finds_more_than_two_stage() {
        with(2, 2, |experiment| {
            let section = run(experiment).unwrap();
            let matches = |block: &Block| {
                matches!(block, Block::Comparison { agreement: Agreement::Matches, .. })
            };
            assert!(section.blocks.iter().any(matches));
            let csv = std::fs::read_to_string(experiment.output.path().join("fig1.csv")).unwrap();
            let cell = |cell: &str| cell.parse::<u64>().unwrap();
            let rows: Vec<Vec<u64>> =
                csv.lines().skip(1).map(|row| row.split(',').map(cell).collect()).collect();
            assert_eq!(rows.len(), 100);
            // Feature, SIS and two-stage on W1, SIS and two-stage on W1/W2.
            let sum = |rows: &[Vec<u64>], column: usize| -> u64 {
                rows.iter().map(|row| row[column]).sum()
            };
            assert!((1..=4).all(|column| sum(&rows, column) == 20 * K as u64));
            let (sis, two_stage) = (sum(&rows[..K], 1), sum(&rows[..K], 2));
            assert!(sis > two_stage, "{sis} against {two_stage} of {}", 20 * K);
        });
    }
}
