//! How far the counts of private top-k items are from the true ones: the experiments of "A Joint Exponential
//! Mechanism for Differentially Private Top-k Set" (2020), with the mechanisms of this library.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rand::Rng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::experiments::Experiment;
use crate::experiments::joint_page::{data, section};
use crate::metrics::Estimate;
use crate::seed::seed_of;
use crate::sweep::in_parallel;
use dpsis::Mechanism;
use dpsis::Scores;
use dpsis::mechanism::{Parameters, by_id};
use dpsis::report::Section;
use dpsis::{Epsilon, Neighbors, Seeded};
use dpsis::{Error, Result};

/// How many items are asked for.
pub(super) const K: usize = 5;
pub(super) const EPSILONS: [&str; 2] = ["1", "0.1"];
/// The sizes of the domain; rating counts have fewer.
const SIZES: [usize; 5] = [100, 300, 1000, 3000, 10_000];
/// The mechanisms; counts are monotonic, and the mechanisms make use of it, but for [`TWO_SIDED`].
pub(super) const MECHANISMS: [&str; 8] =
    ["joint-set", "joint", "joint-pnf", "canonical", "peel", "laplace", TWO_SIDED, "gamma"];
/// One-shot Laplace at the scale 2k/eps that the paper states; for monotonic counts k/eps is enough.
pub(super) const TWO_SIDED: &str = "laplace, 2k/eps";

/// What is counted.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Counts {
    /// Uniform on 0, ..., 10 d, drawn anew for every trial.
    Uniform,
    /// Ratings of the most rated items, falling, with the data's name.
    Ratings(&'static str, Vec<i64>),
}

impl Counts {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Ratings(name, _) => name,
        }
    }

    fn sizes(&self) -> Vec<usize> {
        match self {
            Self::Uniform => SIZES.to_vec(),
            Self::Ratings(_, all) => {
                let mut sizes: Vec<usize> =
                    SIZES.iter().copied().filter(|d| *d < all.len()).collect();
                sizes.push(all.len());
                sizes
            }
        }
    }

    fn draw(&self, d: usize, seed: u64) -> Vec<i64> {
        match self {
            Self::Uniform => {
                let mut rng = ChaCha20Rng::seed_from_u64(seed);
                (0..d).map(|_| rng.gen_range(0..=10 * d as i64)).collect()
            }
            Self::Ratings(_, all) => all[..d].to_vec(),
        }
    }
}

/// What came out of the trials of a mechanism on counts of d items.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    pub(super) counts: &'static str,
    pub(super) d: usize,
    pub(super) epsilon: &'static str,
    pub(super) mechanism: &'static str,
    /// The L-infinity error.
    pub(super) error: Estimate,
}

/// How long a mechanism took for counts of d items.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seconds {
    pub(super) mechanism: &'static str,
    pub(super) d: usize,
    pub(super) k: usize,
    pub(super) median: f64,
}

/// Runs the experiment.
pub(super) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let all = [Counts::Uniform, ratings(experiment.data)?];
    let mut cells = Vec::new();
    for (i, counts) in all.iter().enumerate() {
        for d in counts.sizes() {
            let doing = format!("joint: {}, d = {d}", counts.name());
            (experiment.progress)(&doing, 0.3 * i as f64);
            cells.extend(measure(experiment, counts, d)?);
        }
    }
    (experiment.progress)("joint: run time", 0.6);
    let seconds = times(experiment)?;
    data(experiment, &cells, &seconds)?;
    section(experiment, &cells, &seconds, all[1].name())
}

/// The rating counts of MovieLens where the folder holds its `u.data`, else a stand-in.
fn ratings(data: Option<&Path>) -> Result<Counts> {
    let places = ["u.data", "ml-100k/u.data"];
    let found = data.into_iter().flat_map(|folder| places.map(|place| folder.join(place)));
    let Some(path) = found.into_iter().find(|path| path.is_file()) else {
        return Ok(Counts::Ratings("Zipf stand-in", stand_in()));
    };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::io(format!("cannot read u.data: {}", error.kind())))?;
    Ok(Counts::Ratings("MovieLens", rated(&text)?))
}

/// 1,682 counts by the law of Zipf and Mandelbrot, 583 * 51/(50 + rank): about 100,000 in all.
fn stand_in() -> Vec<i64> {
    (1..=1682).map(|rank| 583 * 51 / (50 + rank)).collect()
}

/// How often each item was rated, falling; lines of user, item, rating and time.
fn rated(text: &str) -> Result<Vec<i64>> {
    let mut counts = std::collections::BTreeMap::new();
    for line in text.lines() {
        let item = line.split('\t').nth(1);
        *counts
            .entry(item.ok_or_else(|| Error::input("u.data has lines without an item"))?)
            .or_insert(0) += 1;
    }
    let mut counts: Vec<i64> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    if counts.len() < K {
        return Err(Error::input("u.data must hold at least five items"));
    }
    Ok(counts)
}

/// max over i of |c_[i] - c_(S,i)|: the k largest counts against those of the picks, both falling.
pub(super) fn l_infinity(counts: &[i64], picks: &[usize]) -> i64 {
    let mut best = counts.to_vec();
    best.sort_unstable_by(|a, b| b.cmp(a));
    let mut picked: Vec<i64> = picks.iter().map(|pick| counts[*pick]).collect();
    picked.sort_unstable_by(|a, b| b.cmp(a));
    best.iter().zip(&picked).map(|(best, picked)| (best - picked).abs()).max().unwrap_or(0)
}

/// Scores of counts to which a user adds at most one each.
fn scores(counts: Vec<i64>, mechanism: &str) -> Result<Scores> {
    let scores = Scores::new(counts, 1, Neighbors::AddRemove)?;
    if mechanism == TWO_SIDED { Ok(scores) } else { scores.monotonic() }
}

fn ready(name: &str) -> Result<Arc<dyn Mechanism>> {
    by_id(if name == TWO_SIDED { "laplace" } else { name }, &Parameters::default())
}

fn measure(experiment: &Experiment<'_>, counts: &Counts, d: usize) -> Result<Vec<Cell>> {
    let mechanisms: Vec<_> = MECHANISMS.iter().map(|name| ready(name)).collect::<Result<_>>()?;
    let epsilons: Vec<Epsilon> = EPSILONS.iter().map(|text| text.parse()).collect::<Result<_>>()?;
    let (seed, name, size) = (experiment.seed, counts.name(), d.to_string());
    let trial = |trial: u64| -> Result<Vec<f64>> {
        let values = counts.draw(d, seed_of(seed, &["joint", name, &size], trial));
        let mut errors = Vec::new();
        for (epsilon, words) in epsilons.iter().zip(EPSILONS) {
            for (mechanism, id) in mechanisms.iter().zip(MECHANISMS) {
                let seed = seed_of(seed, &["joint", name, &size, words, id], trial);
                let scores = scores(values.clone(), id)?;
                let picks = mechanism.pick(&scores, K, epsilon, Seeded(seed))?.into_inner();
                errors.push(l_infinity(&values, &picks) as f64);
            }
        }
        Ok(errors)
    };
    let trials = in_parallel(experiment.trials, experiment.threads, trial)?;
    let mut cells = Vec::new();
    for (i, epsilon) in EPSILONS.into_iter().enumerate() {
        for (j, mechanism) in MECHANISMS.into_iter().enumerate() {
            let place = i * MECHANISMS.len() + j;
            let error = Estimate::of(trials.iter().map(|errors| errors[place]));
            cells.push(Cell { counts: name, d, epsilon, mechanism, error });
        }
    }
    Ok(cells)
}

/// The (d, k) that are timed: against d with k = 5, against k with d = 10,000.
const TIMED: [(usize, usize); 8] = [
    (1000, 5),
    (10_000, 5),
    (100_000, 5),
    (10_000, 10),
    (10_000, 20),
    (10_000, 50),
    (10_000, 100),
    (1000, 50),
];
/// A mechanism that took longer is not asked for more.
const LONGEST: f64 = 0.4;

/// Draws that are timed, unless they take longer than [`LONGEST`] in all.
const DRAWS: u64 = 15;

/// Medians of draws one after the other on one thread: not the same in another run.
fn times(experiment: &Experiment<'_>) -> Result<Vec<Seconds>> {
    let epsilon: Epsilon = "1".parse()?;
    let mut seconds: Vec<Seconds> = Vec::new();
    for (d, k) in TIMED {
        let values =
            Counts::Uniform.draw(d, seed_of(experiment.seed, &["joint", "time"], d as u64));
        for name in MECHANISMS.into_iter().filter(|name| *name != TWO_SIDED) {
            let harder = |s: &&Seconds| s.mechanism == name && s.d <= d && s.k <= k;
            if seconds.iter().filter(harder).any(|s| s.median > LONGEST) {
                continue;
            }
            let (mechanism, scores) = (ready(name)?, scores(values.clone(), name)?);
            let mut times = Vec::new();
            for draw in 0..DRAWS {
                let start = Instant::now();
                mechanism.pick(&scores, k, &epsilon, Seeded(draw))?;
                times.push(start.elapsed().as_secs_f64());
                if times.iter().sum::<f64>() > LONGEST {
                    break;
                }
            }
            times.sort_unstable_by(f64::total_cmp);
            seconds.push(Seconds { mechanism: name, d, k, median: times[times.len() / 2] });
        }
    }
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::with;

    #[test]
    fn the_error_by_hand() {
        let counts = [10, 50, 40, 7, 30];
        assert_eq!(l_infinity(&counts, &[2, 1, 4]), 0);
        // 50, 40, 30 against 40, 30, 7.
        assert_eq!(l_infinity(&counts, &[3, 4, 2]), 23);
        // 50, 40 against 50, 10; the order of the picks plays no part.
        assert_eq!(l_infinity(&counts, &[0, 1]), 30);
    }

    #[test]
    fn ratings_are_counted() {
        let mut text = "196\t242\t3\t881250949\n186\t242\t3\t891717742\n".to_owned();
        assert!(rated(&text).is_err());
        for item in 1..=4 {
            text += &format!("1\t{item}\t5\t0\n");
        }
        assert_eq!(rated(&text).unwrap(), [2, 1, 1, 1, 1]);
        assert!(rated("1 2 3").is_err());
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("u.data"), &text).unwrap();
        assert_eq!(ratings(Some(folder.path())).unwrap().name(), "MovieLens");
        assert_eq!(ratings(None).unwrap().name(), "Zipf stand-in");
    }

    #[test]
    fn the_stand_in_is_of_the_stated_size() {
        let counts = stand_in();
        assert_eq!((counts[0], counts.len()), (583, 1682));
        let all: i64 = counts.iter().sum();
        assert!((95_000..=105_000).contains(&all), "{all}");
        assert!(counts.windows(2).all(|pair| pair[0] >= pair[1]));
    }

    #[test]
    fn threads_change_nothing() {
        let cells = |threads| with(3, threads, |e| measure(e, &Counts::Uniform, 60).unwrap());
        assert_eq!(cells(1), cells(3));
    }

    #[test]
    fn a_small_run_writes_its_files() {
        with(3, 2, |experiment| {
            assert!(run(experiment).unwrap().blocks.len() > 5);
            for file in ["joint.csv", "joint-seconds.csv", "joint-uniform-1.svg"] {
                assert!(experiment.output.path().join(file).exists(), "{file}");
            }
        });
    }
}
