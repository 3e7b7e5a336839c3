use super::law::{Terms, false_discoveries, law, loss};
use super::sets::{Cell, cells};
use super::*;
use crate::privacy::{Neighbors, Seeded};
use crate::random::Entropy;
use crate::support::goodness::assert_fits;
use crate::support::neighbors::Grid;
use crate::support::oracle::subsets_up_to;

/// The sensitivity, in units of the scores.
const UNIT: u64 = 2;

const BOTH: [Fwer; 2] = [Fwer::Share, Fwer::Any];

fn terms(level: f64, alpha: f64, bounded: Fwer, most: usize, eps: f64) -> Terms {
    Terms { level, alpha, bounded, most, rate: eps / 2.0 }
}

/// Scores in units of the sensitivity.
fn in_units(scores: &[i64]) -> Vec<f64> {
    scores.iter().map(|score| *score as f64 / UNIT as f64).collect()
}

/// Grids of scores, with levels on the grid and off it, below all scores, within them and above.
fn grids() -> Vec<(Grid, Vec<f64>)> {
    let levels = vec![-0.75, 0.0, 1.0, 1.25, 2.5, 9.0];
    [(1, 24), (2, 24), (3, 12), (4, 6)]
        .map(|(d, values)| (Grid::new(d, values, UNIT as i64), levels.clone()))
        .into()
}

/// Both statements on names at or below the level, for every table of the grids.
#[test]
fn false_discoveries_are_bounded() {
    let mut largest = [0f64; 2];
    for (grid, levels) in grids() {
        let values = if grid.d == 1 { 24 } else { 6i64 };
        let tables = (0..values.pow(grid.d as u32)).map(|code| {
            (0..grid.d as u32).map(|i| code / values.pow(i) % values).collect::<Vec<i64>>()
        });
        let tables: Vec<Vec<i64>> = tables.collect();
        for (level, bounded) in levels.iter().flat_map(|level| BOTH.map(|of| (*level, of))) {
            for (alpha, eps) in [(0.05, 1.0), (0.5, 0.2), (0.3, 8.0)] {
                for most in 1..=grid.d {
                    let terms = terms(level, alpha, bounded, most, eps);
                    for table in &tables {
                        let x = in_units(table);
                        let (any, share) = false_discoveries(&x, terms, &law(&x, terms));
                        let (place, rate) = match bounded {
                            Fwer::Share => (0, share),
                            Fwer::Any => (1, any),
                        };
                        largest[place] = largest[place].max(rate / alpha);
                        assert!(rate <= alpha * (1.0 + 1e-12), "{table:?} {terms:?}: {rate}");
                    }
                }
            }
        }
    }
    // The bounds are not idle.
    assert!(largest.iter().all(|share| *share > 0.7), "{largest:?}");
}

/// The mechanism draws by its law: both priors, with a cap and without, ties, scores on the level.
#[test]
fn draws_have_the_law_of_the_definition() {
    let tables: [(&[i64], i64); 7] = [
        (&[5, 3, 9, 1], 4),
        (&[4, 4, 0, 4], 3),
        (&[-3, 2, 2, -1], 2),
        (&[7, 8, 9, 9], 1),
        (&[0, 1, 0, -2], 6),
        (&[12], 10),
        (&[6, 6, 5, 3, 3], 5),
    ];
    for (values, level) in tables {
        for (bounded, alpha, eps) in [
            (Fwer::Share, "0.05", "2"),
            (Fwer::Share, "0.5", "0.3"),
            (Fwer::Any, "0.05", "2"),
            (Fwer::Any, "0.5", "0.3"),
        ] {
            let set = ThresholdSet::new((level, UNIT as i64), alpha, bounded).unwrap();
            let scores = Scores::new(values.to_vec(), UNIT, Neighbors::AddRemove).unwrap();
            for most in [1, 2, values.len()].map(|most| most.min(values.len())) {
                let sets = subsets_up_to(values.len(), most);
                let mut counts = vec![0u64; sets.len()];
                for seed in 0..4_000 {
                    let names =
                        set.pick(&scores, most, &eps.parse().unwrap(), Seeded(seed)).unwrap();
                    counts[sets.iter().position(|set| *set == *names).unwrap()] += 1;
                }
                let [alpha, eps] = [alpha, eps].map(|text| text.parse::<f64>().unwrap());
                let terms = terms(level as f64 / UNIT as f64, alpha, bounded, most, eps);
                assert_fits(&counts, &law(&in_units(values), terms));
            }
        }
    }
}

/// Settling comparisons by the quick filter or by enclosures gives the same sets.
#[test]
fn enclosures_give_the_same_sets() {
    let scores = Scores::new(vec![9, 7, 3, 3, 1, 0, 8, 5, 5], UNIT, Neighbors::AddRemove).unwrap();
    for (bounded, most) in BOTH.into_iter().flat_map(|of| [None, Some(3)].map(|most| (of, most))) {
        for seed in 0..150 {
            let bits = Entropy::Seeded(seed).source().unwrap().bits(0);
            let of = |filter| {
                let prior = Prior::new(9, &ratio(1, 3), bounded);
                ThresholdSets::new(&scores, 4, prior, most, &"1.7".parse().unwrap())
                    .draw(&bits, filter)
            };
            assert_eq!(of(Filter::default()), of(Filter::weakened(2)), "{bounded:?} {most:?}");
        }
    }
}

/// Cells cover all levels once, hold and miss the candidates that their levels require, and give
/// the sets of the definition: the probabilities of a cell's sets, cut where the loss is larger
/// than the level, add up to the law.
#[test]
fn cells_are_those_of_the_definition() {
    let tables: [(&[i64], i64); 5] = [
        (&[5, 3, 9, 1, 1, 0], 2),
        (&[4, 4, 4, 4, 4, 4], 4),
        (&[-3, 20, 20, -1, 7, 2], 2),
        (&[9, 8, 7, 6, 5, 4], 1),
        (&[0, 1, 0, -2, -9, -9], 6),
    ];
    for (values, level) in tables {
        for (most, b) in [(None, 40), (Some(2), 40), (None, 2), (Some(5), 1)] {
            // A small b cuts cells.
            let prior = Prior::Beta { d: values.len(), b };
            let cells = cells(values, level, &prior, most);
            for pair in cells.windows(2) {
                assert_eq!(pair[0].until, Some(pair[1].from));
            }
            assert_eq!(cells.last().unwrap().until, None);
            for Cell { from, until, fixed } in &cells {
                let beyond = |above: bool| {
                    let is = |v: &&i64| if above { **v > level } else { **v < level };
                    let far = |v: &&i64| until.is_some_and(|until| v.abs_diff(level) >= until);
                    values.iter().filter(is).filter(far).count()
                };
                assert_eq!((fixed.held, fixed.missed), (beyond(true), beyond(false)));
                let inside = values.iter().filter(|v| {
                    let gap = v.abs_diff(level);
                    **v > level && gap > *from && until.is_none_or(|until| gap < until)
                });
                assert_eq!(inside.count(), 0, "{values:?} {from} {until:?}");
                assert!(most.is_none_or(|most| fixed.held <= most));
            }
        }
    }
}

/// Mistakes of a sampler by cells.
#[derive(Clone, Copy, PartialEq)]
enum Mistake {
    None,
    /// Sets are kept at any level.
    NothingDrawnAgain,
    /// Candidates at the start of a cell count as beyond it.
    StartIsBeyond,
    /// Free candidates are drawn as if nothing were fixed.
    FreshPrior,
    /// Cells race as if sizes were not limited.
    CapForgotten,
}

/// The law of the sampler by cells, up to a factor: of each set the sum over all cells.
fn law_by_cells(values: &[i64], terms: Terms, mistake: Mistake) -> Vec<f64> {
    let d = values.len();
    let level = (terms.level * UNIT as f64) as i64;
    let alpha = ratio((terms.alpha * 1000.0).round() as i64, 1000);
    let prior = Prior::new(d, &alpha, terms.bounded);
    let most = Some(terms.most).filter(|most| *most < d);
    let density = |h: u64| (-terms.rate * h as f64 / UNIT as f64).exp();
    let sets = subsets_up_to(d, terms.most);
    let mut all = vec![0.0; sets.len()];
    for Cell { from, until, fixed } in cells(values, level, &prior, most) {
        let end = until.map_or(0.0, density);
        let beyond = |v: i64| {
            let gap = v.abs_diff(level);
            let at_start = mistake == Mistake::StartIsBeyond && from > 0 && gap >= from;
            at_start || until.is_some_and(|until| gap >= until)
        };
        let fits = |set: &[usize]| {
            let right = |(i, v): (usize, &i64)| !beyond(*v) || set.contains(&i) == (*v > level);
            values.iter().enumerate().all(right)
        };
        let of_set = |set: &[usize]| match mistake {
            Mistake::FreshPrior => {
                let free = d - fixed.held - fixed.missed;
                let b = (d as f64 / terms.alpha - 1e-9).ceil();
                let r = set.len() - fixed.held;
                let up: f64 = (1..=r).map(|i| i as f64).product();
                let down: f64 = (0..=r).map(|i| b + (free - r + i) as f64).product();
                prior.ln_mass(fixed).value.exp() * b * up / down
            }
            _ => terms.prior(set.len(), d),
        };
        let inside: f64 = sets.iter().filter(|set| fits(set)).map(|set| of_set(set)).sum();
        for (total, set) in all.iter_mut().zip(&sets).filter(|(_, set)| fits(set)) {
            let wrong = set.iter().filter(|i| values[**i] < level);
            let furthest = wrong.map(|i| values[*i].abs_diff(level)).fold(from, u64::max);
            let start = if mistake == Mistake::NothingDrawnAgain { from } else { furthest };
            let share = match mistake {
                Mistake::CapForgotten => prior.ln_mass(fixed).value.exp() / inside,
                _ => 1.0,
            };
            *total += of_set(set) * share * (density(start) - end).max(0.0);
        }
    }
    let total: f64 = all.iter().sum();
    all.into_iter().map(|weight| weight / total).collect()
}

/// The sampler's cells give the law of the definition exactly; with a mistake they do not.
#[test]
fn cells_give_the_law_and_mistakes_another() {
    use Mistake::*;
    let tables: [(&[i64], i64); 4] =
        [(&[5, 3, 9, 1], 4), (&[4, 4, 0, 4], 3), (&[9, 9, 8, 5, 0], 4), (&[7, 7, 6, 8], 8)];
    for mistake in [None, NothingDrawnAgain, StartIsBeyond, FreshPrior, CapForgotten] {
        let mut furthest = 0f64;
        for (values, level) in tables {
            for (bounded, most) in BOTH.into_iter().flat_map(|of| [(of, values.len()), (of, 2)]) {
                if mistake == FreshPrior && bounded == Fwer::Any {
                    continue;
                }
                let terms = terms(level as f64 / UNIT as f64, 0.5, bounded, most, 1.0);
                let right = law(&in_units(values), terms);
                let by_cells = law_by_cells(values, terms, mistake);
                let apart: f64 = right.iter().zip(&by_cells).map(|(p, q)| (p - q).abs()).sum();
                furthest = furthest.max(apart);
            }
        }
        match mistake {
            None => assert!(furthest < 1e-12, "{furthest}"),
            _ => assert!(furthest > 0.02, "{furthest}"),
        }
    }
}

/// Large tables and extreme numbers: no panic, names in order, the cap kept.
#[test]
fn extremes() {
    let most = (1i64 << 62) - 1;
    for values in [vec![5], vec![most, -most], vec![-most, most, most, 0], vec![3; 1000]] {
        for sensitivity in [1, most as u64] {
            let scores = Scores::new(values.clone(), sensitivity, Neighbors::ReplaceOne).unwrap();
            for level in [-most, -1, 0, 3, most] {
                for (bounded, alpha) in [(Fwer::Share, "1e-6"), (Fwer::Any, "0.5")] {
                    for eps in ["1e-6", "1", "1e6"] {
                        let set = ThresholdSet::new(level, alpha, bounded).unwrap();
                        for most in [values.len(), 1, 7].map(|most| most.min(values.len())) {
                            let eps = eps.parse().unwrap();
                            let names = set.pick(&scores, most, &eps, Seeded(4)).unwrap();
                            assert!(names.is_sorted() && names.len() <= most);
                        }
                    }
                }
            }
        }
    }
    // At a large epsilon the names are the candidates above the level, also in a wide table.
    let values: Vec<i64> =
        (0..200_000).map(|i| if i % 1000 == 7 { 10_000_000 } else { i % 50 }).collect();
    let scores = Scores::new(values, 1, Neighbors::AddRemove).unwrap();
    for bounded in BOTH {
        let set = ThresholdSet::new(60_000, "0.05", bounded).unwrap();
        let names = set.pick(&scores, 200_000, &"1".parse().unwrap(), Seeded(5)).unwrap();
        assert!(names.iter().copied().eq((0..200).map(|i| 1000 * i + 7)), "{}", names.len());
    }
}

/// A level between two scores has the same candidates above it as the lower one.
#[test]
fn levels_between_scores_are_the_lower_ones() {
    let scores = Scores::new(vec![3, 1, 3], 1, Neighbors::AddRemove).unwrap();
    for level in ["2", "2.5", "2.999"] {
        let set = ThresholdSet::new(level, "0.05", Fwer::Share).unwrap();
        let names = set.pick(&scores, 3, &"1000".parse().unwrap(), Seeded(1)).unwrap();
        assert_eq!(*names, [0, 2], "{level}");
    }
}

/// Many sizes of many cells, one of them very far above: neither memory nor enclosures for all.
#[test]
fn a_limit_on_many_names_is_quick() {
    let mut values: Vec<i64> =
        (0..1400).map(|i| if i < 400 { 1000 + 7 * i } else { i % 90 }).collect();
    values.push((1 << 62) - 1);
    let scores = Scores::new(values, 1, Neighbors::AddRemove).unwrap();
    let set = ThresholdSet::new(500, "0.05", Fwer::Share).unwrap();
    let names = set.pick(&scores, 400, &"1".parse().unwrap(), Seeded(2)).unwrap();
    assert!(names.len() <= 400);
}

#[test]
fn invalid_parameters_are_refused() {
    for alpha in ["0", "0.6", "1e-7", "x", "-1"] {
        assert!(ThresholdSet::new(0, alpha, Fwer::Any).is_err(), "{alpha}");
    }
    assert!(ThresholdSet::new("x", "0.1", Fwer::Any).is_err());
    assert!("other".parse::<Fwer>().is_err());
    for bounded in BOTH {
        assert_eq!(bounded.to_string().parse::<Fwer>().unwrap(), bounded);
    }
}

/// For scores that move in one direction the constant is the same.
#[test]
fn monotonic_scores_have_the_same_noise() {
    let scores = Scores::new(vec![9, 7, 3, 1], UNIT, Neighbors::AddRemove).unwrap();
    let monotonic = scores.clone().monotonic().unwrap();
    let set = ThresholdSet::new("2.5", "0.3", Fwer::Share).unwrap();
    let epsilon = "1".parse().unwrap();
    for seed in 0..300 {
        let of = |scores| set.pick(scores, 4, &epsilon, Seeded(seed)).unwrap().into_inner();
        assert_eq!(of(&scores), of(&monotonic));
    }
}

/// The loss moves by at most as much as scores do, and is the least change of scores after which a
/// set is right.
#[test]
fn the_loss_is_the_least_change() {
    let x = [0.5, 2.0, 3.5];
    for set in subsets_up_to(3, 3) {
        let least = loss(&x, 2.0, &set);
        let moved: Vec<f64> =
            (0..3).map(|i| if set.contains(&i) { x[i] + least } else { x[i] - least }).collect();
        assert_eq!(loss(&moved, 2.0, &set), 0.0);
        let neighbor: Vec<f64> = x.iter().map(|x| x - 0.25).collect();
        assert!((loss(&neighbor, 2.0, &set) - least).abs() <= 0.25);
    }
}
