//! Figures 3 and 15 to 17: two candidates.

use dpsis::internals::in_parallel;
use dpsis::report::{Agreement, Block, Section};
use dpsis::{Epsilon, Result};
use dpsis_eval::Estimate;
use dpsis_eval::internals::seed_of;

use crate::experiments::agreements::{CLEAR, agreement_of, mostly};
use crate::experiments::experiment::Experiment;
use crate::experiments::heterogeneous::errors::TRIALS;
use crate::experiments::parts::{Given, figure, paragraph};
use crate::parts_file::{Parts, ResultRow};
use crate::rivals::{Contest, Rival, STOP};
use dpsis_eval::figure::HeatMap;

/// The sensitivities of either candidate.
const SENSITIVITIES: [f64; 8] = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0];
/// The differences of the scores.
const DIFFERENCES: [f64; 8] = [0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0];
const BUDGETS: [&str; 8] = ["0.1", "0.25", "0.5", "1", "2", "4", "8", "16"];
/// The stopping probabilities of random stopping.
const STOPS: [&str; 5] = ["0.9", "0.5", "0.1", STOP, "0.01"];
const DATA: &str = "two-candidates.csv";
const SOURCE: &str =
    "\"Private Selection with Heterogeneous Sensitivities\" (2025), section V-A and appendix D";

/// A place of a map: the worse candidate has the score 0, the better one `difference`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pair {
    difference: f64,
    /// The sensitivities of the worse and of the better candidate.
    sensitivities: [f64; 2],
    epsilon: &'static str,
}

/// The name of a rival, or a stopping probability of random stopping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Player {
    Named(&'static str),
    Stopping(&'static str),
}

use Player::{Named, Stopping};

impl Player {
    fn rival(self) -> Result<Rival> {
        match self {
            Named(name) => Rival::named(name),
            Stopping(stop) => Rival::random_stopping(stop),
        }
    }

    fn name(self) -> String {
        match self {
            Named(name) => name.to_owned(),
            Stopping(stop) => format!("rs {stop}"),
        }
    }
}

/// A map of pairs, row by row, over which players are compared with report-noisy-max.
struct Map {
    name: &'static str,
    pairs: Vec<Vec<Pair>>,
    players: Vec<Player>,
}

/// Figures 3 and 15: over both sensitivities, at epsilon 1 and a difference of 1.
fn over_sensitivities() -> Map {
    let pair = |better: f64, worse: f64| Pair {
        difference: 1.0,
        sensitivities: [worse, better],
        epsilon: "1",
    };
    let row = |better: &f64| SENSITIVITIES.iter().map(|worse| pair(*better, *worse)).collect();
    let stops = STOPS.map(Stopping);
    let others = ["rnm-h", "gem", "mgem"].map(Named);
    Map {
        name: "sensitivities",
        pairs: SENSITIVITIES.iter().rev().map(row).collect(),
        players: others.into_iter().chain(stops).collect(),
    }
}

/// Figures 16 and 17: over epsilon and the difference of the scores, where the better candidate has
/// the larger sensitivity, or the smaller one.
fn over_epsilon(name: &'static str, sensitivities: [f64; 2]) -> Map {
    let row = |difference: &f64| {
        BUDGETS.map(|epsilon| Pair { difference: *difference, sensitivities, epsilon }).to_vec()
    };
    let players = [Named("rnm-h"), Stopping(STOP), Named("gem"), Named("mgem")].to_vec();
    Map { name, pairs: DIFFERENCES.iter().rev().map(row).collect(), players }
}

/// How much more often report-noisy-max is wrong than each player, by player and pair.
struct Differences {
    map: Map,
    by_player: Vec<Vec<Vec<Estimate>>>,
    /// How often each player is wrong.
    wrong: Vec<Vec<Vec<Estimate>>>,
}

/// How often a rival picks the worse candidate.
fn wrong(experiment: &Experiment<'_>, pair: Pair, player: Player, trials: u64) -> Result<Estimate> {
    let rival = player.rival()?;
    let epsilon: Epsilon = pair.epsilon.parse()?;
    let contest = Contest::new(&[0.0, pair.difference], &pair.sensitivities)?;
    let [worse, better] = pair.sensitivities.map(|own| own.to_string());
    let id = player.name();
    let names = ["two", &*id, pair.epsilon, &*worse, &*better, &*pair.difference.to_string()];
    let picks = in_parallel(trials, experiment.threads, |trial| {
        rival.pick(&contest, &epsilon, seed_of(experiment.seed, &names, trial))
    })?;
    Ok(Estimate::of(picks.into_iter().map(|pick| if pick == 0 { 1.0 } else { 0.0 })))
}

fn measured(experiment: &Experiment<'_>, map: Map, results: &mut Parts) -> Result<Differences> {
    let trials = TRIALS * experiment.trials;
    let players: Vec<Player> =
        std::iter::once(Named("rnm")).chain(map.players.iter().copied()).collect();
    let mut shares = Vec::new();
    for (i, player) in players.iter().enumerate() {
        let part = format!("{}: {}", map.name, player.name());
        let share = i as f64 / players.len() as f64;
        (experiment.progress)(&format!("two candidates: {part}"), share);
        let rows = results.part(&part, || {
            let pairs = map.pairs.iter().flatten();
            let row = |pair: &Pair| {
                let share = wrong(experiment, *pair, *player, trials)?;
                let [worse, better] = pair.sensitivities.map(|own| own.to_string());
                let key = [&*worse, &*better, &*pair.difference.to_string(), pair.epsilon];
                Ok(ResultRow::new(&key, &[share.mean, share.error]))
            };
            pairs.map(row).collect()
        })?;
        let found = rows.iter().map(|row| Estimate { mean: row.numbers[0], error: row.numbers[1] });
        let found: Vec<Estimate> = found.collect();
        shares.push(found.chunks(map.pairs[0].len()).map(<[Estimate]>::to_vec).collect::<Vec<_>>());
    }
    let rnm = shares.remove(0);
    let minus = |a: &Estimate, b: &Estimate| Estimate {
        mean: a.mean - b.mean,
        error: a.error.hypot(b.error),
    };
    let by_player = shares
        .iter()
        .map(|shares| {
            let rows = rnm.iter().zip(shares);
            rows.map(|(a, b)| a.iter().zip(b).map(|(a, b)| minus(a, b)).collect()).collect()
        })
        .collect();
    Ok(Differences { map, by_player, wrong: shares })
}

impl Differences {
    fn place(&self, player: Player) -> usize {
        self.map.players.iter().position(|other| *other == player).unwrap_or(0)
    }

    /// Every pair with the difference to a player.
    fn all(&self, player: Player) -> impl Iterator<Item = (&Pair, &Estimate)> {
        self.map.pairs.iter().flatten().zip(self.by_player[self.place(player)].iter().flatten())
    }

    /// The mean size of the difference.
    fn size(&self, player: Player) -> f64 {
        let all: Vec<f64> = self.all(player).map(|(_, share)| share.mean.abs()).collect();
        all.iter().sum::<f64>() / all.len() as f64
    }

    fn heat(&self, player: Player, title: String, axes: &Axes) -> HeatMap {
        let shares = &self.by_player[self.place(player)];
        HeatMap {
            title,
            x_label: axes.x_label.into(),
            columns: axes.columns.clone(),
            rows: axes.rows.clone(),
            values: shares
                .iter()
                .map(|row| row.iter().map(|share| Some(share.mean)).collect())
                .collect(),
            marked: shares
                .iter()
                .map(|row| row.iter().map(|share| share.mean.abs() > CLEAR * share.error).collect())
                .collect(),
            mark_label: "beyond three standard errors".into(),
            scale_label: "how much more often rnm is wrong".into(),
            diverging: true,
        }
    }
}

struct Axes {
    x_label: &'static str,
    columns: Vec<String>,
    rows: Vec<String>,
}

/// Runs the experiment.
pub(in crate::experiments) fn run(experiment: &Experiment<'_>) -> Result<Section> {
    let mut results = open(experiment)?;
    let sensitivities = measured(experiment, over_sensitivities(), &mut results)?;
    let [larger, smaller] = ARRANGEMENTS;
    let larger = measured(experiment, over_epsilon(larger.0, larger.1), &mut results)?;
    let smaller = measured(experiment, over_epsilon(smaller.0, smaller.1), &mut results)?;
    let mut blocks = vec![paragraph(
        "Two candidates. A map shows how much more often report-noisy-max picks the worse one than another \
         mechanism does: positive where the other one is better. Where axes or constants are lost in the \
         text, they are chosen here: epsilon 1 and a difference of 1 over the sensitivities; sensitivities \
         of 0.5 and 1.5 over epsilon and the difference.",
    )];
    let numbers = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>();
    let axes = Axes {
        x_label: "sensitivity of the worse candidate",
        columns: numbers(&SENSITIVITIES),
        rows: SENSITIVITIES.iter().rev().map(|own| format!("better {own}")).collect(),
    };
    for player in &sensitivities.map.players {
        let id = player.name();
        let map = sensitivities.heat(*player, format!("rnm against {id}, by sensitivities"), &axes);
        let caption = "By the sensitivities of the two candidates; epsilon 1, difference 1.";
        let name = format!("two-candidates-{}", id.replace(' ', "-"));
        blocks.push(figure(experiment, &name, map.svg()?, caption, DATA)?);
    }
    let axes = Axes {
        x_label: "epsilon",
        columns: BUDGETS.map(str::to_owned).to_vec(),
        rows: DIFFERENCES.iter().rev().map(|gap| format!("difference {gap}")).collect(),
    };
    for differences in [&larger, &smaller] {
        for player in &differences.map.players {
            let (id, name) = (player.name(), differences.map.name);
            let map = differences.heat(*player, format!("rnm against {id}: {name}"), &axes);
            let caption = format!("By epsilon and the difference of the scores; {name}.");
            let file = format!("two-candidates-{id}-{name}").replace(' ', "-");
            blocks.push(figure(experiment, &file, map.svg()?, &caption, DATA)?);
        }
    }
    blocks.extend([
        follows_sensitivity(&sensitivities, [Named("rnm-h"), Stopping(STOP), Named("mgem")], true),
        follows_sensitivity(&sensitivities, [Named("gem")], false),
        worse_than_random(&smaller, &larger),
        stops(&sensitivities),
    ]);
    Ok(Section::new("two-candidates", "Two candidates (figures 3, 15, 16 and 17)", blocks))
}

/// The arrangements of figures 16 and 17: the sensitivities of the worse and of the better
/// candidate.
const ARRANGEMENTS: [(&str, [f64; 2]); 2] =
    [("better more sensitive", [0.5, 1.5]), ("better less sensitive", [1.5, 0.5])];

fn open(experiment: &Experiment<'_>) -> Result<Parts> {
    Parts::open(
        experiment.output,
        DATA,
        &["worse_sensitivity", "better_sensitivity", "difference", "epsilon"],
        &["share_wrong", "standard_error"],
        (experiment.seed, TRIALS * experiment.trials),
    )
}

/// Whether players are better than report-noisy-max where the better candidate has the larger
/// (`rising`) or the smaller sensitivity, and worse where it is the other way round.
fn follows_sensitivity<const N: usize>(
    differences: &Differences,
    players: [Player; N],
    rising: bool,
) -> Block {
    let (mut held, mut reversed, mut of) = (0, 0, 0);
    for (pair, share) in players.iter().flat_map(|player| differences.all(*player)) {
        let [worse, better] = pair.sensitivities;
        if worse == better {
            continue;
        }
        of += 1;
        let expected = if (better > worse) == rising { 1.0 } else { -1.0 };
        held += usize::from(expected * share.mean > CLEAR * share.error);
        reversed += usize::from(expected * share.mean < -CLEAR * share.error);
    }
    let statement = if rising {
        "When the higher scoring candidate has larger sensitivity RNMH outperforms RNM. Otherwise, RNM \
         performs better. RS and mGEM follow the same pattern."
    } else {
        "GEM: where the better candidate is the less sensitive one, we expect GEM to favor it more heavily \
         than RNM; otherwise the worse one may be the favored output."
    };
    Given { statement, source: SOURCE, paper: "figure 3" }.against(
        format!("of {of} pairs: clearly so in {held}, clearly reversed in {reversed}"),
        mostly(held, reversed, of),
        "Pairs with two sensitivities at epsilon 1; clear from three standard errors. It matches if most are \
         clear and none is reversed.",
    )
}

/// Whether GEM and modified GEM are worse than a uniform choice for small budgets where they favor
/// the worse candidate.
fn worse_than_random(smaller: &Differences, larger: &Differences) -> Block {
    let count = |differences: &Differences, player: Player| {
        let wrong = differences.wrong[differences.place(player)].iter().flatten();
        let pairs = differences.map.pairs.iter().flatten().zip(wrong);
        let small = pairs.filter(|(pair, _)| ["0.1", "0.25"].contains(&pair.epsilon));
        let above: Vec<bool> =
            small.map(|(_, share)| share.mean - 0.5 > CLEAR * share.error).collect();
        (above.iter().filter(|above| **above).count(), above.len())
    };
    let (gem, of) = count(larger, Named("gem"));
    let (mgem, and_of) = count(smaller, Named("mgem"));
    let agreement = match (gem, mgem) {
        (0, 0) => Agreement::DoesNotMatch,
        (0, _) | (_, 0) => Agreement::Partly,
        _ => Agreement::Matches,
    };
    Given {
        statement: "GEM will perform worse than random selection since it favors the wrong candidate, when \
                    there is a large gap in the sensitivities and when epsilon is small. The mechanism mGEM \
                    displays the opposite behavior.",
        source: SOURCE,
        paper: "section V-A",
    }
    .against(
        format!("wrong in more than half of the draws: gem in {gem} of {of} pairs, mgem in {mgem} of {and_of}"),
        agreement,
        "At epsilon 0.1 and 0.25: gem where the better candidate is the more sensitive one (1.5 against \
         0.5), mgem where it is the less sensitive one. It matches if it occurs, by three standard errors.",
    )
}

/// Whether random stopping differs more from report-noisy-max the later it stops.
fn stops(differences: &Differences) -> Block {
    let sizes = STOPS.map(|stop| differences.size(Stopping(stop)));
    let words: Vec<String> =
        STOPS.iter().zip(sizes).map(|(stop, size)| format!("{stop}: {size:.3}")).collect();
    let held = sizes.windows(2).filter(|pair| pair[1] > pair[0]).count();
    Given {
        statement: "For large gamma there are only small performance differences between RNM and RS. If gamma \
                    is small relative to the number of candidates, the difference is pronounced.",
        source: SOURCE,
        paper: "figure 15",
    }
    .against(
        format!("mean size of the difference by gamma: {}", words.join("; ")),
        agreement_of(held, STOPS.len() - 1),
        "Over all pairs of sensitivities. It matches if the size grows with every smaller gamma.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::experiment::with;

    /// Report-noisy-max with exponential noise of mean b: the worse candidate wins with probability
    /// e^(-gap/b)/2.
    #[test]
    fn report_noisy_max_has_its_distribution() {
        with(200, 2, |experiment| {
            for (difference, epsilon) in [(1.0, "1"), (0.5, "4")] {
                let pair = Pair { difference, sensitivities: [0.5, 1.5], epsilon };
                let share = wrong(experiment, pair, Named("rnm"), 20_000).unwrap();
                let mean = 2.0 * 1.5 / epsilon.parse::<f64>().unwrap();
                let expected = 0.5 * f64::exp(-difference / mean);
                assert!((share.mean - expected).abs() < 5.0 * share.error, "{share:?} {expected}");
            }
        });
    }

    /// RNMH with exponential noise of means b1 (worse) and b2 (better): the worse candidate wins
    /// with probability b1/(b1 + b2) e^(-gap/b1).
    #[test]
    fn own_noise_has_its_distribution() {
        with(2, 2, |experiment| {
            let pair = Pair { difference: 1.0, sensitivities: [0.5, 1.5], epsilon: "1" };
            let share = wrong(experiment, pair, Named("rnm-h"), 20_000).unwrap();
            let expected = 0.25 * f64::exp(-1.0);
            assert!((share.mean - expected).abs() < 5.0 * share.error, "{share:?} {expected}");
        });
    }

    /// Sensitivities of 0.25 and 2 at epsilon 1: the difference to report-noisy-max is far beyond
    /// five standard errors (probability below 1e-6).
    #[test]
    fn random_stopping_follows_the_sensitivity() {
        with(2, 2, |experiment| {
            for (sensitivities, better) in [([0.25, 2.0], true), ([2.0, 0.25], false)] {
                let pair = Pair { difference: 1.0, sensitivities, epsilon: "1" };
                let of = |player| wrong(experiment, pair, player, 10_000).unwrap();
                let z = of(Named("rnm")).z(&of(Stopping(STOP)));
                assert!(if better { z > 5.0 } else { z < -5.0 }, "{sensitivities:?}: {z}");
            }
        });
    }
}
