//! The draws: an item for each held-out user, by each rival at each budget.

use dpsis::internals::in_parallel;
use dpsis::mechanism::correlations;
use dpsis::{Epsilon, Result};
use dpsis_eval::Estimate;
use dpsis_eval::internals::seed_of;

use crate::experiments::experiment::Experiment;
use crate::experiments::recommend::measures::{
    BIN, BINS, DIFFERENCE, EPSILONS, ERROR, HISTOGRAM, SLOPE, USERS, difference,
};
use crate::experiments::recommend::statements::PAIRS;
use crate::parts_file::ResultRow;
use crate::recommend::Scored;
use crate::rivals::{Contest, RIVALS, Rival};

/// The draws of each rival at each budget for each trial, over all users: 10,000 for 100 trials, as
/// many as the paper has users.
const DRAWS: u64 = 100;

/// The number of users to draw for, and of draws for each.
pub(super) fn sizes(trials: u64, users: usize) -> (usize, u64) {
    let draws = DRAWS * trials;
    let users = users.min(draws as usize);
    (users, (draws / (users as u64).max(1)).max(1))
}

/// The results for a user.
struct User {
    /// Spearman's correlation of scores and sensitivities.
    correlation: f64,
    /// Mean squared errors by rival and budget.
    errors: Vec<f64>,
}

impl User {
    fn error(&self, rival: &str, epsilon: usize) -> f64 {
        let place = RIVALS.iter().position(|name| *name == rival);
        place.map_or(f64::NAN, |place| self.errors[place * EPSILONS.len() + epsilon])
    }
}

/// Draws for held-out users and summarizes over them.
pub(super) fn measure(experiment: &Experiment<'_>, scored: &Scored) -> Result<Vec<ResultRow>> {
    let rivals = Rival::all()?;
    let budgets: Vec<Epsilon> = EPSILONS.iter().map(|text| text.parse()).collect::<Result<_>>()?;
    // A user who interacted with all items has no candidates.
    let known = |user: &usize| !scored.users[*user].items.is_empty();
    let with_any: Vec<usize> = (0..scored.users.len()).filter(known).collect();
    let (drawn, draws) = sizes(experiment.trials, with_any.len());
    let of_user = |place: u64| -> Result<User> {
        let user = with_any[place as usize];
        if place.is_multiple_of(20) {
            let share = place as f64 / with_any.len() as f64;
            (experiment.progress)("recommend: draws", 0.4 + 0.6 * share);
        }
        let own = scored.sensitivities_of(user);
        let contest = Contest::new(&scored.users[user].scores, &own)?;
        let correlation = correlations(contest.scores()).spearman;
        let mut errors = Vec::new();
        if (place as usize) < drawn {
            for rival in &rivals {
                for (epsilon, words) in budgets.iter().zip(EPSILONS) {
                    let names = ["recommend", &rival.name, words];
                    let mut sum = 0.0;
                    for draw in 0..draws {
                        let seed = seed_of(experiment.seed, &names, user as u64 * draws + draw);
                        sum += contest.shortfall(rival.pick(&contest, epsilon, seed)?).powi(2);
                    }
                    errors.push(sum / draws as f64);
                }
            }
        }
        Ok(User { correlation, errors })
    };
    let users = in_parallel(with_any.len() as u64, experiment.threads, of_user)?;
    Ok(rows(&users, drawn))
}

/// The summary of all users, and of the errors of the first `drawn` ones.
fn rows(users: &[User], drawn: usize) -> Vec<ResultRow> {
    let mut rows = Vec::new();
    let mut add = |measure: &str, of: &str, epsilon: &str, estimate: Estimate| {
        rows.push(ResultRow::new(&[measure, of, epsilon], &[estimate.mean, estimate.error]));
    };
    let share = |is: &dyn Fn(&User) -> bool| {
        Estimate::of(users.iter().map(|user| f64::from(u8::from(is(user)))))
    };
    let exact = |count: usize| Estimate { mean: count as f64, error: 0.0 };
    add(USERS, "all", "", exact(users.len()));
    add(USERS, "drawn for", "", exact(drawn));
    add(USERS, "mean correlation", "", Estimate::of(users.iter().map(|user| user.correlation)));
    add(USERS, "positive", "", share(&|user| user.correlation > 0.0));
    for bin in BINS {
        add(HISTOGRAM, &bin.to_string(), "", share(&|user| bin_of(user.correlation) == bin));
    }
    let users = &users[..drawn];
    for (place, epsilon) in EPSILONS.into_iter().enumerate() {
        for rival in RIVALS {
            add(ERROR, rival, epsilon, Estimate::of(users.iter().map(|u| u.error(rival, place))));
        }
        for (better, worse) in PAIRS {
            let lead = |user: &User| user.error(worse, place) - user.error(better, place);
            let name = difference(better, worse);
            add(DIFFERENCE, &name, epsilon, Estimate::of(users.iter().map(lead)));
        }
        let lead = |user: &User| user.error("gem", place) - user.error("mgem", place);
        for bin in BINS {
            let inside = users.iter().filter(|user| bin_of(user.correlation) == bin);
            add(BIN, &bin.to_string(), epsilon, Estimate::of(inside.map(lead)));
        }
        let points: Vec<_> = users.iter().map(|user| (user.correlation, lead(user))).collect();
        add(SLOPE, "all", epsilon, slope(&points));
    }
    rows
}

/// The bin of a correlation: its tenths rounded down, with 1 in the last bin.
fn bin_of(correlation: f64) -> i64 {
    ((correlation * 10.0).floor() as i64).clamp(BINS.start, BINS.end - 1)
}

/// The slope of the least-squares line, with the standard error that allows for errors of different
/// variances (White, 1980). NaN where all points have the same place.
fn slope(points: &[(f64, f64)]) -> Estimate {
    let n = points.len() as f64;
    let x_mean = points.iter().map(|(x, _)| x).sum::<f64>() / n;
    let y_mean = points.iter().map(|(_, y)| y).sum::<f64>() / n;
    let spread: f64 = points.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    let slope = points.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum::<f64>() / spread;
    let residual = |(x, y): &(f64, f64)| (x - x_mean) * (y - y_mean - slope * (x - x_mean));
    let error = points.iter().map(|point| residual(point).powi(2)).sum::<f64>().sqrt() / spread;
    Estimate { mean: slope, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_spread_over_users() {
        assert_eq!(sizes(100, 10_000), (10_000, 1));
        assert_eq!(sizes(100, 188), (188, 53));
        assert_eq!(sizes(2, 10_000), (200, 1));
        assert_eq!(sizes(2, 0), (0, 200));
    }

    #[test]
    fn bins_hold_their_lower_end() {
        let bins = [-1.0, -0.95, -0.05, 0.0, 0.05, 0.1, 0.99, 1.0].map(bin_of);
        assert_eq!(bins, [-10, -10, -1, 0, 0, 1, 9, 9]);
    }

    /// By hand: the line through (0, 1), (1, 2), (2, 6) has slope 5/2 and residuals 1/2, -1, 1/2;
    /// spread 2, error sqrt(2 (1/2)^2)/2.
    #[test]
    fn slopes_by_hand() {
        let found = slope(&[(0.0, 1.0), (1.0, 2.0), (2.0, 6.0)]);
        assert!((found.mean - 2.5).abs() < 1e-12);
        assert!((found.error - 0.5_f64.sqrt() / 2.0).abs() < 1e-12);
        assert!(slope(&[(1.0, 1.0), (1.0, 2.0)]).mean.is_nan());
    }

    /// Two users: one whose best items are the sensitive ones, one whose best items are not.
    #[test]
    fn users_are_summarized() {
        let user = |correlation: f64, gem: f64| {
            let mut errors = vec![1.0; RIVALS.len() * EPSILONS.len()];
            let place = RIVALS.iter().position(|name| *name == "gem").unwrap();
            errors[place * EPSILONS.len()..][..EPSILONS.len()].fill(gem);
            User { correlation, errors }
        };
        let rows = rows(&[user(0.95, 3.0), user(-0.45, 1.5), user(0.91, 3.0)], 2);
        let value = |measure: &str, of: &str, epsilon: &str| {
            let key = [measure, of, epsilon];
            rows.iter().find(|row| row.key == key).map(|row| row.numbers[0]).unwrap()
        };
        assert!((value(USERS, "positive", "") - 2.0 / 3.0).abs() < 1e-8);
        assert!((value(HISTOGRAM, "9", "") - 2.0 / 3.0).abs() < 1e-8);
        assert!((value(HISTOGRAM, "-5", "") - 1.0 / 3.0).abs() < 1e-8);
        assert_eq!(value(USERS, "drawn for", ""), 2.0);
        for epsilon in EPSILONS {
            assert_eq!(value(ERROR, "gem", epsilon), 2.25);
            assert_eq!(value(DIFFERENCE, "gem minus mgem", epsilon), 1.25);
            assert_eq!(value(BIN, "9", epsilon), 2.0);
            assert!((value(SLOPE, "all", epsilon) - 1.5 / 1.4).abs() < 1e-8);
        }
    }
}
