//! Scores of neighboring tables, their sensitivity and range, and the mechanism's distribution.

use dpsis_eval::internals::seed_of;
use rand::Rng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::experiments::experiment::Experiment;

/// Scores of all tables, and which tables are neighbors.
struct Quality {
    name: &'static str,
    /// By table, then by candidate.
    scores: Vec<Vec<f64>>,
    /// Pairs of neighbors, smaller table first.
    neighbors: Vec<(usize, usize)>,
}

/// The bounds of two theorems, and the exact value from the distribution.
pub(super) struct Measured {
    pub(super) name: &'static str,
    /// The parameter of the mechanism.
    pub(super) epsilon: f64,
    pub(super) sensitivity: f64,
    pub(super) range: f64,
    /// The largest logarithm of a ratio of probabilities.
    pub(super) log_ratio: f64,
    /// Whether a larger table never has a lower score.
    pub(super) is_monotone: bool,
}

impl Quality {
    /// For each pair of neighbors the changes of all scores.
    fn changes(&self) -> impl Iterator<Item = Vec<f64>> {
        let change = |(a, b): &(usize, usize)| {
            let (a, b) = (&self.scores[*a], &self.scores[*b]);
            a.iter().zip(b).map(|(a, b)| b - a).collect()
        };
        self.neighbors.iter().map(change)
    }

    fn measured(&self, epsilon: f64) -> Measured {
        let most = |of: &dyn Fn(&[f64]) -> f64| {
            self.changes().map(|change| of(&change)).fold(0.0, f64::max)
        };
        let laws: Vec<Vec<f64>> = self.scores.iter().map(|scores| law(scores, epsilon)).collect();
        let ratios = self.neighbors.iter().flat_map(|(a, b)| {
            laws[*a].iter().zip(&laws[*b]).map(|(p, q): (&f64, &f64)| (p / q).ln().abs())
        });
        Measured {
            name: self.name,
            epsilon,
            sensitivity: most(&|change| change.iter().map(|c| c.abs()).fold(0.0, f64::max)),
            range: most(&|change| {
                let largest = change.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                largest - change.iter().copied().fold(f64::INFINITY, f64::min)
            }),
            log_ratio: ratios.fold(0.0, f64::max),
            is_monotone: self.changes().all(|change| change.iter().all(|c| *c >= 0.0)),
        }
    }
}

/// The probabilities of the exponential mechanism, by definition.
fn law(scores: &[f64], epsilon: f64) -> Vec<f64> {
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (epsilon * (score - best)).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The scores of the article, counts, and scores of which one rises where another falls.
pub(super) fn examples() -> Vec<Measured> {
    let sums = |name, factor: f64| Quality {
        name,
        scores: vec![vec![0.0, 1.0], vec![factor, factor + 1.0]],
        neighbors: vec![(0, 1)],
    };
    // Three candidates; a person votes for any of them.
    let votes: Vec<Vec<f64>> =
        (0..8).map(|person| (0..3).map(|i| f64::from(person >> i & 1)).collect()).collect();
    let none = (1..8).map(|person| (0, person)).collect();
    let opposed = vec![vec![0.0, 0.0], vec![1.0, -1.0]];
    [
        sums("q = x + y", 1.0),
        sums("q' = 100 x + y", 100.0),
        Quality { name: "counts of votes", scores: votes, neighbors: none },
        Quality { name: "one rises, one falls", scores: opposed, neighbors: vec![(0, 1)] },
    ]
    .map(|quality| quality.measured(1.0))
    .into()
}

/// The number of random score tables for each trial.
const TABLES_PER_TRIAL: u64 = 20;

/// Scores of random tables of five candidates: half of them monotone.
pub(super) fn random_scores(experiment: &Experiment<'_>) -> Vec<Measured> {
    (0..TABLES_PER_TRIAL * experiment.trials)
        .map(|table| {
            let seed = seed_of(experiment.seed, &["bounded-range"], table);
            let mut random = ChaCha20Rng::seed_from_u64(seed);
            let mut unit = || random.r#gen::<f64>();
            let is_monotone = table % 2 == 0;
            let mut change = || if is_monotone { unit() } else { 2.0 * unit() - 1.0 };
            let mut scores = vec![vec![0.0; 5]];
            for _ in 0..4 {
                let next = scores[scores.len() - 1].iter().map(|score| score + change()).collect();
                scores.push(next);
            }
            let neighbors = (0..4).map(|i| (i, i + 1)).collect();
            Quality { name: "random", scores, neighbors }.measured(1.0)
        })
        .collect()
}
