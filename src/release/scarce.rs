//! Classes and strata that may be empty, by released counts.
//!
//! # Definition
//!
//! A count is *scarce* if it is at most t = (ln 30 + s)/rate: the tail of its noise falls by a
//! factor e with every 1/rate rows, and a run of two classes [ends](super::stop) below s/rate, with
//! s = ln d eps_c/(2 eps_s) for d features, eps_c the part of the center and eps_s the part of the
//! selection. The noise has no memory: of the runs on a class without rows that do not end, one in
//! thirty has a count that is not scarce. A sum of m counts is scarce up to the Chernoff bound of
//! the noise at the same probability.
//!
//! This one rule decides the reports of a run: a scarce class is named in a warning, and where
//! fewer than two classes, or sides of a split, are not scarce, no feature is significant, and the
//! forecast predicts no significant feature.
//!
//! # Privacy
//!
//! A function of released counts.

use crate::error::Parameter;
use crate::estimate::{Counted, CountedStratum, SignificanceTest, count_step};
use crate::privacy::Epsilon;
use crate::release::record::{Warning, WarningKind};
use crate::request::plan::Plan;
use crate::table::Schema;

/// One in this many runs that do not end fails to notice a class without rows.
const RUNS: f64 = 30.0;

/// The largest number of strata that are listed.
const MAX_LISTED: usize = 5;

/// The scarce counts of a run.
#[derive(Default)]
pub(crate) struct Scarce {
    /// Scarce classes, or sides of a split, by their places.
    classes: Vec<(usize, f64)>,
    /// Scarce levels of covariates.
    levels: Vec<(String, f64)>,
    /// Whether all levels are scarce.
    all_levels: bool,
    /// Whether fewer than two classes or sides are not scarce.
    pub(crate) leaves_nothing: bool,
}

impl Plan {
    /// The count of one class, in rows, up to which it is scarce.
    fn scarce_up_to(&self, rate: f64) -> f64 {
        let counting = self.counting().ok().map(Epsilon::to_f64);
        let ends = counting.map_or(0.0, |center| {
            let selection = self.selection().to_f64();
            libm::log(self.features.max(1) as f64) * center / (2.0 * selection)
        });
        (libm::log(RUNS) + ends) / rate
    }

    /// The places of scarce counts of classes, or of sides of a split.
    fn scarce_classes(&self, counts: &[f64], rate: f64) -> Vec<usize> {
        let most = self.scarce_up_to(rate);
        (0..counts.len()).filter(|&class| counts[class] <= most).collect()
    }

    /// The test of effect sizes, or of scores without noise, by noisy counts with this rate; `None`
    /// where scarce counts leave nothing to test.
    pub(crate) fn significance_test(
        &self,
        counts: &[f64],
        rate: f64,
        noise: f64,
    ) -> Option<SignificanceTest> {
        let left = counts.len() - self.scarce_classes(counts, rate).len();
        (left >= 2).then(|| SignificanceTest {
            rate,
            step: count_step(counts.len()),
            counts: counts.to_vec(),
            tests: match &self.weights {
                None => vec![self.features as f64],
                Some(weights) => weights.classes.iter().map(|class| class.tests).collect(),
            },
            noise,
            family: self.family(),
            graded: self.scoring.coded().is_some_and(|coded| coded.is_graded()),
        })
    }
}

impl Scarce {
    /// The scarce classes among the counts that were released for one center.
    pub(crate) fn of_classes(plan: &Plan, counted: &Counted) -> Self {
        let places = plan.scarce_classes(&counted.classes, counted.rate);
        let leaves_nothing = counted.classes.len() - places.len() < 2;
        let classes = places.into_iter().map(|place| (place, counted.classes[place])).collect();
        Self { classes, leaves_nothing, ..Self::default() }
    }

    /// The scarce levels of covariates, by the counts of each stratum.
    pub(crate) fn of_strata(plan: &Plan, counted: &[CountedStratum]) -> Self {
        let Some(rate) = counted.first().map(|counted| counted.rate) else {
            return Self::default();
        };
        let (mut levels, mut all) = (Vec::new(), 0);
        let mut after = counted.len();
        for covariate in &plan.request.covariates {
            let names = covariate.strata_names();
            // The last covariate's level changes fastest.
            after /= names.len();
            for (level, name) in names.iter().enumerate() {
                let of_level = (0..counted.len()).filter(|i| i / after % names.len() == level);
                let counts = of_level.flat_map(|stratum| counted[stratum].classes);
                let (sum, number) = counts.fold((0.0, 0), |(sum, n), count| (sum + count, n + 1));
                if sum <= noise_of_sum(number, RUNS) / rate {
                    levels.push((name.clone(), sum));
                }
                all += 1;
            }
        }
        Self { all_levels: levels.len() == all, levels, ..Self::default() }
    }

    /// The scarce counts of the given classes, as text; for a numeric target, the count of all
    /// rows.
    pub(crate) fn counted(&self, plan: &Plan, schema: &Schema) -> Option<String> {
        let unit = schema.privacy_unit();
        let about = |rows: f64| {
            let rows = rows.max(0.0).round() as u64;
            format!("about {rows} {}", unit.noun(rows))
        };
        match plan.request.target.labels() {
            _ if self.classes.is_empty() => None,
            _ if plan.request.is_paired() => {
                let pairs = self.classes.iter().map(|(_, half)| half).sum();
                Some(format!("{} with rows of both classes", about(pairs)))
            }
            Some(labels) => {
                let one = |&(class, rows): &(usize, f64)| {
                    format!("{} of class {:?}", about(rows), labels[class])
                };
                let each: Vec<String> = self.classes.iter().map(one).collect();
                Some(each.join(", "))
            }
            None if self.classes.len() < 2 => None,
            None => {
                let rows = self.classes.iter().map(|(_, rows)| rows).sum();
                Some(format!("{} with a number as target", about(rows)))
            }
        }
    }

    /// The warning about scarce counts.
    pub(crate) fn warning(&self, plan: &Plan, schema: &Schema) -> Option<Warning> {
        if !self.levels.is_empty() {
            return Some(self.warning_of_levels(schema));
        }
        let counted = self.counted(plan, schema)?;
        let lead = format!("{counted} were counted, which noise alone can show");
        let classes = plan.request.target.labels().is_some();
        let (remedy, about) = match (classes, schema.is_joined()) {
            (true, _) if plan.request.target.time_to_event().is_some() => (
                "check the horizon, and the value that means the event: a look at the table, which is not private, shows \
                 times and events",
                &[Parameter::Horizon, Parameter::Event, Parameter::Inspect][..],
            ),
            (true, false) => (
                "check the spelling of the labels: a look at the table, which is not private, shows them",
                &[Parameter::Classes, Parameter::Inspect][..],
            ),
            (true, true) => (
                "check the spelling of the labels, and that identifiers are written as in the target file",
                &[Parameter::Classes, Parameter::Id, Parameter::Inspect][..],
            ),
            (false, false) => (
                "if the target holds labels, give them as classes; if 3,5 means three and a half, give the decimal comma",
                &[Parameter::Classes, Parameter::DecimalComma, Parameter::Inspect][..],
            ),
            (false, true) => (
                "check that identifiers are written as in the target file; if the targets are labels, give them as classes",
                &[Parameter::Id, Parameter::Classes, Parameter::Inspect][..],
            ),
        };
        let mut about = about.to_vec();
        let mut text = format!("{lead}: {remedy}");
        if schema.has_one_row_each() {
            text.push_str("; rows that share an identifier take no part: for several per person name the unit");
            about.push(Parameter::Unit);
        }
        Some(Warning::new(WarningKind::RareClass, text).about(about))
    }

    fn warning_of_levels(&self, schema: &Schema) -> Warning {
        let units = schema.privacy_unit().plural();
        let one =
            |(name, rows): &(String, f64)| format!("about {} at {name}", rows.max(0.0).round());
        let listed: Vec<String> = self.levels.iter().take(MAX_LISTED).map(one).collect();
        let more = match self.levels.len() - listed.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let classes = if self.all_levels { ", and the classes of the target" } else { "" };
        let text = format!(
            "{units} in strata: {}{more} were counted, which noise alone can show: check the levels and cut points \
             of the covariates{classes}",
            listed.join(", ")
        );
        let mut about = vec![Parameter::Covariates, Parameter::Inspect];
        about.extend(self.all_levels.then_some(Parameter::Classes));
        Warning::new(WarningKind::RareClass, text).about(about)
    }
}

/// A number that the sum of `m` independent Laplace draws of scale 1 exceeds with probability at
/// most 1/runs: for one draw exactly ln(runs), which leaves room for a condition on it to be
/// positive, else by Chernoff's bound.
fn noise_of_sum(m: usize, runs: f64) -> f64 {
    let ln_runs = libm::log(runs);
    if m <= 1 {
        return ln_runs;
    }
    let bound = |step: i32| {
        let t = f64::from(step) / 100.0;
        (ln_runs - m as f64 * libm::log1p(-t * t)) / t
    };
    (1..100).map(bound).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::laplace;
    use crate::random::Entropy;

    /// The bound holds, and is reasonably tight.
    #[test]
    fn sums_of_noise_stay_below_the_bound() {
        for m in [1, 2, 8, 60] {
            let bound = noise_of_sum(m, RUNS);
            let mut words = Entropy::Seeded(m as u64).source().unwrap().bits(1).lane(0);
            let mut sum = || (0..m).map(|_| laplace(1.0, 1e-3, &mut words)).sum::<f64>();
            let above = (0..20_000).filter(|_| sum() > bound).count() as f64 / 20_000.0;
            assert!(above <= 1.1 / RUNS && above > 0.05 / RUNS, "{m}: {above}");
        }
    }
}
