//! A black-box test of a claimed epsilon: draws on two neighboring tables, and Clopper-Pearson
//! bounds.
//!
//! epsilon-DP requires P(S|x) <= e^eps P(S|x') + delta for every event S of outcomes and both
//! orders of the tables. The first half of the draws chooses events and the second half tests them,
//! so that the choice needs no correction:
//!
//! - *outcomes*: those whose frequencies differ most, best first by the logarithm of the ratio of
//!   their counts (and the same less twice its standard error, for rare ones); of all beginnings of
//!   these lists the one with the largest bound on the first half;
//! - *picks*: a candidate is among the picks, for outcomes that are lists of picks: the candidate
//!   with the largest bound.
//!
//! For each order and each family one event is tested: with p the lower Clopper-Pearson bound of
//! P(S|x) and q the upper one of P(S|x'), both at level alpha/(2 tests), eps >= ln((p - delta)/q)
//! unless one of them is wrong, which happens with probability at most alpha in total. A bound
//! above the claim refutes it; a bound below it proves nothing.
//!
//! Source: Z. Ding, Y. Wang, G. Wang, D. Zhang and D. Kifer, "Detecting Violations of Differential
//! Privacy" (2018), and M. Jagielski, J. Ullman and A. Oprea, "Auditing Differentially Private
//! Machine Learning" (2020), for the bounds.

use std::collections::BTreeMap;

use serde::Serialize;

use super::clopper_pearson::{lower, upper};
use crate::choose::Trials;
use crate::error::{Error, Result};
use crate::mechanism::{Mechanism, choose};
use crate::privacy::Epsilon;
use crate::random::Entropy;
use crate::run::{Rehearsal, RehearsalSeeds};
use crate::score::Scores;
use crate::threads::{available_threads, in_parallel};

/// The probability that a true claim is reported as violated.
const ALPHA: f64 = 1e-6;

/// Counts of outcomes on two tables: one half of the runs chooses events, the other tests them.
#[derive(Debug, Clone)]
pub struct Tally<T> {
    counts: BTreeMap<T, Count>,
    drawn: Count,
}

/// Counts on the first and the second table.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    choose: [u64; 2],
    test: [u64; 2],
}

impl<T: Ord> Default for Tally<T> {
    fn default() -> Self {
        Self { counts: BTreeMap::new(), drawn: Count::default() }
    }
}

impl<T: Ord> Tally<T> {
    /// An empty tally.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts the outcome of a run on the first table or the second. The runs on each table
    /// alternate between testing and choosing.
    pub fn add(&mut self, second: bool, outcome: T) {
        let side = usize::from(second);
        let tests = self.drawn.choose[side] > self.drawn.test[side];
        self.add_many(second, tests, outcome, 1);
    }

    fn add_many(&mut self, second: bool, tests: bool, outcome: T, number: u64) {
        let side = usize::from(second);
        for count in [self.counts.entry(outcome).or_default(), &mut self.drawn] {
            let of_half = if tests { &mut count.test } else { &mut count.choose };
            of_half[side] += number;
        }
    }

    /// Tests a claim.
    pub fn judge(&self, claim: &Claim) -> Audited {
        let events = self.outcomes(claim, 2);
        claim.conclusion(self.drawn, self.counts.len(), events)
    }

    /// The best event of outcomes for each order, with `tests` tests in total.
    fn outcomes(&self, claim: &Claim, tests: usize) -> Vec<Tested> {
        let all: Vec<Count> = self.counts.values().copied().collect();
        [false, true].map(|reversed| claim.best_union(&all, self.drawn, reversed, tests)).into()
    }
}

/// A claim to be tested.
#[derive(Debug, Clone)]
pub struct Claim {
    epsilon: Epsilon,
    delta: f64,
}

/// The result of an audit.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Audited {
    /// The claim.
    pub epsilon: Epsilon,
    /// The delta of the claim.
    pub delta: f64,
    /// The number of draws on each table; half of them test.
    pub draws: [u64; 2],
    /// The number of different outcomes.
    pub outcomes: usize,
    /// The largest lower bound of the true epsilon, at least 0.
    pub lower_bound: f64,
    /// The event at which it was found.
    pub event: Option<TestedEvent>,
    /// The probability that a true claim is reported as violated.
    pub alpha: f64,
    /// Whether the bound is at most the claim: consistent, not proven.
    pub consistent: bool,
}

/// An event that was tested.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct TestedEvent {
    /// The kind of event: a set of outcomes, or a candidate among the picks.
    pub kind: EventKind,
    /// Whether it is more likely on the second table.
    pub likelier_on_second: bool,
    /// Its counts among the testing draws, on the first table and the second.
    pub counts: [u64; 2],
    /// The number of testing draws on each table.
    pub of: [u64; 2],
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EventKind {
    /// One of this number of outcomes.
    Outcomes(usize),
    /// The candidate of this 0-based number is among the picks.
    Picked(usize),
}

/// An event with its bound on the second half.
struct Tested {
    bound: f64,
    event: TestedEvent,
}

impl Claim {
    /// Epsilon-differential privacy.
    pub fn new(epsilon: Epsilon) -> Self {
        Self { epsilon, delta: 0.0 }
    }

    /// Sets a delta.
    ///
    /// # Errors
    ///
    /// `Request` unless it is at least 0 and below 1.
    pub fn delta(mut self, delta: f64) -> Result<Self> {
        if !(0.0..1.0).contains(&delta) {
            return Err(Error::request("delta must be at least 0 and below 1"));
        }
        self.delta = delta;
        Ok(self)
    }

    /// The smallest true epsilon at which this number of draws on each table refutes the claim in
    /// about half of all cases, for a mechanism with two outcomes; `None` if even disjoint outcomes
    /// would not.
    pub fn detectable(&self, draws: u64) -> Option<f64> {
        let claimed = self.epsilon.to_f64();
        let n = draws / 2;
        let bound = |p: f64| {
            let x = (p * n as f64).round() as u64;
            self.bound([x, n - x], [n, n], 2)
        };
        if n == 0 || !(bound(1.0) > claimed) {
            return None;
        }
        let (mut low, mut high) = (claimed, claimed + 60.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if bound(1.0 / (1.0 + (-middle).exp())) > claimed {
                high = middle
            } else {
                low = middle
            }
        }
        Some(high)
    }

    /// Tests draws of a mechanism for two neighboring score vectors, `draws` for each; `seed` makes
    /// them repeatable.
    ///
    /// `given` is the epsilon of the mechanism: equal to the claim, unless a wrong claim is tested.
    ///
    /// # Errors
    ///
    /// `Request` if the scores do not fit the mechanism; `Io` if the operating system gives no
    /// entropy.
    pub fn audit_mechanism(
        &self,
        mechanism: &dyn Mechanism,
        scores: [&Scores; 2],
        k: usize,
        given: &Epsilon,
        draws: u64,
        seed: Option<u64>,
    ) -> Result<Audited> {
        let mut tally = Tally::new();
        for part in 0..4u64 {
            let (second, tests) = (part % 2 == 1, part >= 2);
            // Every part has its own bits.
            let entropy = match seed {
                Some(seed) => Entropy::Seeded(seed.wrapping_mul(4).wrapping_add(part)),
                None => Entropy::OperatingSystem,
            };
            let scores = scores[usize::from(second)];
            let number = if tests { draws / 2 } else { draws - draws / 2 };
            let drawn =
                Trials::count(number, entropy, |bits| choose(mechanism, scores, k, given, bits))?;
            for (outcome, count) in drawn.counts {
                tally.add_many(second, tests, outcome, count);
            }
        }
        Ok(self.judge_picks(&tally))
    }

    /// Tests draws of a whole selection on two neighboring tables, `draws` on each, at the claim's
    /// epsilon; `seed` makes them repeatable. The audit covers the picks only, not the other
    /// released values of a selection. `progress` receives the completed share.
    ///
    /// # Errors
    ///
    /// As for [`Rehearsal::picks`].
    pub fn audit_selection(
        &self,
        tables: [&Rehearsal; 2],
        k: usize,
        draws: u64,
        seed: Option<u64>,
        progress: impl Fn(f64),
    ) -> Result<Audited> {
        let base = match seed {
            Some(seed) => seed.wrapping_mul(1 << 42),
            None => Entropy::OperatingSystem.source()?.bits(0).lane(0).next_word(),
        };
        let threads = available_threads() as u64;
        let mut tally = Tally::new();
        // In batches, for progress.
        let batch = draws.div_ceil(100).max(64 * threads).min(draws.max(1));
        for from in (0..draws).step_by(batch as usize) {
            let until = (from + batch).min(draws);
            for second in [false, true] {
                let table = tables[usize::from(second)];
                // Each table uses its own seeds.
                let one = |i: u64| {
                    let place = base.wrapping_add(2 * i + u64::from(second));
                    let seeds = RehearsalSeeds::all(place);
                    table.picks(k, &self.epsilon, None, seeds).map(|picks| picks.into_inner())
                };
                for (i, picks) in
                    (from..until)
                        .zip(in_parallel(until - from, threads as usize, |i| one(from + i))?)
                {
                    tally.add_many(second, i % 2 == 1, picks, 1);
                }
            }
            progress(until as f64 / draws as f64);
        }
        Ok(self.judge_picks(&tally))
    }

    /// Outcomes that are lists of picks: sets of outcomes, and single picks.
    fn judge_picks(&self, tally: &Tally<Vec<usize>>) -> Audited {
        let mut events = tally.outcomes(self, 4);
        let mut of_picks: BTreeMap<usize, Count> = BTreeMap::new();
        for (outcome, count) in &tally.counts {
            for pick in outcome {
                let sum = of_picks.entry(*pick).or_default();
                for side in 0..2 {
                    sum.choose[side] += count.choose[side];
                    sum.test[side] += count.test[side];
                }
            }
        }
        for reversed in [false, true] {
            let on_first = |count: &Count| {
                self.bound(turned(count.choose, reversed), turned(tally.drawn.choose, reversed), 4)
            };
            let best = of_picks.iter().max_by(|a, b| on_first(a.1).total_cmp(&on_first(b.1)));
            if let Some((pick, count)) = best {
                let kind = EventKind::Picked(*pick);
                events.push(self.tested(kind, count.test, tally.drawn.test, reversed, 4));
            }
        }
        self.conclusion(tally.drawn, tally.counts.len(), events)
    }

    /// The lower bound of epsilon from the counts of an event on two tables, if `tests` events are
    /// tested.
    fn bound(&self, counts: [u64; 2], of: [u64; 2], tests: usize) -> f64 {
        let level = ALPHA / (2 * tests) as f64;
        let p = lower(counts[0], of[0], level) - self.delta;
        if p > 0.0 { libm::log(p / upper(counts[1], of[1], level)) } else { f64::NEG_INFINITY }
    }

    /// The union of outcomes with the largest bound on the first half, tested on the second.
    fn best_union(&self, all: &[Count], drawn: Count, reversed: bool, tests: usize) -> Tested {
        let mut best = (f64::NEG_INFINITY, Count::default(), 0);
        for caution in [0.0, 2.0] {
            let merit = |count: &Count| {
                let [a, b] = turned(count.choose, reversed).map(|count| count as f64 + 0.5);
                libm::log(a / b) - caution * (1.0 / a + 1.0 / b).sqrt()
            };
            let mut order: Vec<(f64, &Count)> = all.iter().map(|c| (merit(c), c)).collect();
            order.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut sum = Count::default();
            // Beginnings of a long list are tried at lengths in geometric progression.
            let mut next = 0;
            for (i, (_, count)) in order.iter().enumerate() {
                for side in 0..2 {
                    sum.choose[side] += count.choose[side];
                    sum.test[side] += count.test[side];
                }
                if i < next {
                    continue;
                }
                next = i + 1 + i / 64;
                let bound =
                    self.bound(turned(sum.choose, reversed), turned(drawn.choose, reversed), tests);
                if bound > best.0 {
                    best = (bound, sum, i + 1);
                }
            }
        }
        self.tested(EventKind::Outcomes(best.2), best.1.test, drawn.test, reversed, tests)
    }

    fn tested(
        &self,
        kind: EventKind,
        counts: [u64; 2],
        of: [u64; 2],
        reversed: bool,
        tests: usize,
    ) -> Tested {
        let bound = self.bound(turned(counts, reversed), turned(of, reversed), tests);
        Tested { bound, event: TestedEvent { kind, likelier_on_second: reversed, counts, of } }
    }

    fn conclusion(&self, drawn: Count, outcomes: usize, events: Vec<Tested>) -> Audited {
        let best = events.into_iter().max_by(|a, b| a.bound.total_cmp(&b.bound));
        let best = best.filter(|best| best.bound > 0.0);
        let lower_bound = best.as_ref().map_or(0.0, |best| best.bound);
        Audited {
            epsilon: self.epsilon.clone(),
            delta: self.delta,
            draws: [0, 1].map(|side| drawn.choose[side] + drawn.test[side]),
            outcomes,
            lower_bound,
            event: best.map(|best| best.event),
            alpha: ALPHA,
            // The claim in floating point is accurate to many more digits than the bound.
            consistent: !(lower_bound > self.epsilon.to_f64()),
        }
    }
}

fn turned(counts: [u64; 2], reversed: bool) -> [u64; 2] {
    if reversed { [counts[1], counts[0]] } else { counts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::{Parameters, by_id};
    use crate::privacy::Neighbors;
    use crate::request::Select;
    use crate::table::FileTable;

    fn claim(epsilon: &str) -> Claim {
        Claim::new(epsilon.parse().unwrap())
    }

    fn audit(
        id: &str,
        scores: [&[i64]; 2],
        k: usize,
        given: &str,
        draws: u64,
        seed: u64,
    ) -> Audited {
        let mechanism = by_id(id, &Parameters::default()).unwrap();
        let scores = scores.map(|x| Scores::new(x.to_vec(), 1, Neighbors::AddRemove).unwrap());
        let [a, b] = &scores;
        let given = given.parse().unwrap();
        claim("1").audit_mechanism(&*mechanism, [a, b], k, &given, draws, Some(seed)).unwrap()
    }

    /// Noise that is a tenth too small: epsilon 10/9 where 1 is claimed. A million draws on each
    /// table find it, with every seed; draws at the true epsilon are consistent. About ten seconds.
    #[test]
    fn a_tenth_too_little_noise_is_found() {
        // A gap that grows by two sensitivities; another best candidate.
        let (gap, turned): ([&[i64]; 2], [&[i64]; 2]) = ([&[0, 0], &[1, -1]], [&[0, 1], &[1, 0]]);
        for (id, scores, seeds) in [("pnf", gap, 0..3), ("krr", turned, 3..4)] {
            let right = audit(id, scores, 1, "1", 1_000_000, seeds.start);
            assert!(right.consistent && right.lower_bound > 0.95, "{id}: {right:?}");
            for seed in seeds {
                let wrong = audit(id, scores, 1, "10/9", 1_000_000, seed);
                assert!(!wrong.consistent, "{id} {seed}: {wrong:?}");
            }
        }
    }

    /// Sets of several candidates, by the event that one of them is among the picks or by a set of
    /// outcomes.
    #[test]
    fn sequences_and_sets_are_audited() {
        let scores: [&[i64]; 2] = [&[1, 1, 1, 1, 1, 1], &[2, 0, 0, 0, 0, 0]];
        for id in ["peel", "canonical"] {
            let right = audit(id, scores, 2, "1", 20_000, 5);
            assert!(right.consistent && right.lower_bound > 0.1, "{id}: {right:?}");
            let wrong = audit(id, scores, 2, "4", 20_000, 5);
            assert!(!wrong.consistent, "{id}: {wrong:?}");
        }
    }

    /// Tables of equal laws, many outcomes: the choice of the events must not find a spurious
    /// difference. In 200 audits at alpha 1e-6 the probability that correct code fails is at most
    /// 2e-4 over all seeds, and the seeds are fixed.
    #[test]
    fn equal_tables_have_no_lower_bound() {
        for seed in 0..200 {
            let same: [&[i64]; 2] = [&[3, 1, 2, 0, 1, 1], &[3, 1, 2, 0, 1, 1]];
            let found = audit("peel", same, 3, "1", 600, seed);
            assert_eq!(found.lower_bound, 0.0, "{found:?}");
        }
    }

    /// The bound of one event by hand, from the bounds of its parts.
    #[test]
    fn bounds_use_the_second_half_of_a_tally() {
        let mut tally = Tally::new();
        for i in 0..4000 {
            tally.add(false, i % 4 < 2);
            tally.add(true, i % 40 < 2);
        }
        // Half of the draws test: those with an odd number.
        let found = tally.judge(&claim("1"));
        assert_eq!((found.draws, found.outcomes), ([4000, 4000], 2));
        let level = 1e-6 / 4.0;
        let expected = (lower(1000, 2000, level) / upper(100, 2000, level)).ln();
        assert!((found.lower_bound - expected).abs() < 1e-12, "{found:?}");
        assert!(!found.consistent);
        let event = found.event.unwrap();
        assert_eq!((event.counts, event.likelier_on_second), ([1000, 100], false));
        // With a delta of a half the bound is 0.
        assert_eq!(tally.judge(&claim("1").delta(0.5).unwrap()).lower_bound, 0.0);
        assert!(claim("1").delta(1.0).is_err() && claim("1").delta(f64::NAN).is_err());
        assert_eq!(Tally::<u8>::new().judge(&claim("1")).lower_bound, 0.0);
    }

    /// More draws detect smaller violations; the claim itself is never detected.
    #[test]
    fn draws_bound_what_is_detected() {
        let one = claim("1");
        assert_eq!(one.detectable(2), None);
        let few = one.detectable(2000).unwrap();
        let many = one.detectable(1_000_000).unwrap();
        assert!(few > 1.2 && few < 2.5 && many > 1.0 && many < 1.03, "{few} {many}");
        assert_eq!(claim("20").detectable(2000), None);
    }

    /// A whole selection on two tables that differ by one row.
    #[test]
    fn selections_are_audited() {
        let rows = ["1,9,8", "2,4,3", "3,5,6", "4,1,2", "5,7,7"];
        let rehearsal = |rows: &[&str]| {
            let text = format!("a,b,y\n{}\n", rows.join("\n"));
            let table = FileTable::from_reader(std::io::Cursor::new(text.into_bytes()));
            Rehearsal::new(Select::new(1).bounds(0.0, 10.0), &table).unwrap()
        };
        let (long, short) = (rehearsal(&rows), rehearsal(&rows[..4]));
        let audit = |epsilon| {
            claim(epsilon).audit_selection([&long, &short], 1, 2000, Some(1), |_| ()).unwrap()
        };
        let found = audit("1");
        assert!(found.consistent && found.draws == [2000, 2000], "{found:?}");
        assert_eq!(audit("1").lower_bound, found.lower_bound);
    }
}
