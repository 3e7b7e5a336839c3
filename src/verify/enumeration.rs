//! The exact law of a mechanism on all neighboring score vectors of a grid.
//!
//! Score vectors of d candidates have whole coordinates from 0 to levels - 1, in units of 1/steps
//! of the sensitivity; two are neighbors if no coordinate differs by more than its sensitivity. The
//! law P(y|x) of each is computed by its definition, outcome by outcome; the claim is max over
//! neighbors x, x' and outcomes y of |ln(P(y|x)/P(y|x'))| <= epsilon. Cost: levels^d laws of C(d,
//! k) or d!/(d-k)! outcomes, and as many comparisons for each pair.
//!
//! Laws are in floating point: a log-ratio may be wrong by about 1e-12 (1e-9 or 1e-8 where the law
//! needs an integral), which is tolerated. The result does not extend to scores off the grid.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::variants::slug;
use crate::error::{Error, Parameter, Result};
use crate::exact::{Exact, binomial};
use crate::mechanism::contract::{Contract, GAMMA_OF_VARIANTS, Law, Mutant, knows_monotonic};
use crate::mechanism::{CARDS, Card, Chooses, Mechanism, Parameters, Sensitivity, by_id};
use crate::privacy::Epsilon;
use crate::support::neighbors::Grid;
use crate::support::oracle::{sequences, subsets, subsets_up_to};

/// The maximum number of comparisons of two probabilities, and the cost of computing a probability
/// in comparisons: some minutes.
const MAX_COMPARISONS: f64 = 4e10;
const COST_OF_ONE: f64 = 20.0;
const COST_OF_INTEGRAL: f64 = 3e5;
/// The maximum number of probabilities in memory: 0.8 GB.
const MAX_PROBABILITIES: f64 = 1e8;
/// The largest loss on a grid at which floating point still represents the smallest probability,
/// and an integral is accurate.
const LARGEST_LOSS: f64 = 600.0;
const LARGEST_LOSS_OF_INTEGRAL: f64 = 20.0;

/// A mechanism, or a broken variant of one, and the sizes at which it is enumerated.
#[derive(Debug)]
pub struct Verification {
    pub(super) card: &'static Card,
    contract: Contract,
    parameters: Parameters,
    variant: Option<usize>,
    k: Option<usize>,
    candidates: Option<usize>,
    epsilon: Exact,
    levels: Option<u32>,
    steps: Option<u32>,
    sensitivities: Option<Vec<u32>>,
    monotonic: bool,
}

/// The size of an enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Work {
    /// Outcomes of the mechanism: candidates, sets or sequences.
    pub outcomes: u128,
    /// Score vectors on the grid.
    pub vectors: u128,
    /// Ordered pairs of neighboring score vectors.
    pub pairs: u128,
}

/// The result of an enumeration.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Verified {
    /// The mechanism.
    pub mechanism: &'static str,
    /// The values of its parameters: all of them, or those given for a variant.
    pub parameters: BTreeMap<&'static str, String>,
    /// The mistake of the broken variant, if it is one.
    pub variant: Option<&'static str>,
    /// The number of picks.
    pub k: usize,
    /// The number of candidates.
    pub candidates: usize,
    /// The claim.
    pub epsilon: Epsilon,
    /// The number of values that a score takes.
    pub levels: u32,
    /// The sensitivity of each candidate, in steps of the grid.
    pub sensitivities: Vec<u32>,
    /// Whether between neighbors all scores move in one direction.
    pub monotonic: bool,
    /// The size of the enumeration.
    pub work: Work,
    /// The largest |ln(P(y|x)/P(y|x'))|; infinite if only one of two neighbors can have an outcome.
    pub max_log_ratio: f64,
    /// The same as a share of epsilon.
    pub share: f64,
    /// The largest rate of names at or below the level, as a share of its bound, for the mechanism
    /// that has such a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_discoveries: Option<f64>,
    /// The pair at which the largest ratio occurs; `None` if all laws are equal.
    pub at: Option<WorstPair>,
    /// Whether the largest ratio is at most epsilon, up to the error of floating point.
    pub holds: bool,
    /// The reason if the share is not near 1, where the tests of this crate find that as well.
    pub slack: Option<&'static str>,
}

/// Two neighboring score vectors and an outcome.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct WorstPair {
    /// The scores, in steps of the grid.
    pub scores: Vec<i64>,
    /// The neighbor's scores.
    pub neighbor: Vec<i64>,
    /// The picks, as 0-based numbers of candidates.
    pub outcome: Vec<usize>,
    /// The probability of the outcome for the scores and for the neighbor's.
    pub probabilities: [f64; 2],
}

impl Verification {
    /// The mechanism with this name, at small sizes and epsilon 1.
    ///
    /// # Errors
    ///
    /// `Request` if the name is unknown.
    pub fn new(id: &str) -> Result<Self> {
        let card = by_id(id, &Parameters::default())?.card();
        Ok(Self {
            card,
            contract: (card.contract)(),
            parameters: Parameters::default(),
            variant: None,
            k: None,
            candidates: None,
            epsilon: 1.into(),
            levels: None,
            steps: None,
            sensitivities: None,
            monotonic: false,
        })
    }

    /// All mechanisms, at small sizes.
    pub fn all() -> impl Iterator<Item = Result<Self>> {
        CARDS.into_iter().map(|card| Self::new(card.id))
    }

    /// Sets a broken variant of the mechanism, by its name in [`variants`](super::variants).
    ///
    /// # Errors
    ///
    /// `Request` for an unknown variant.
    pub fn variant(mut self, name: &str) -> Result<Self> {
        let all = &self.contract.mutants;
        let place = all.iter().position(|mutant| slug(mutant.name) == name);
        self.variant = Some(place.ok_or_else(|| {
            let names: Vec<String> = all.iter().map(|mutant| slug(mutant.name)).collect();
            Error::request(format!("{} has no such broken variant", self.card.id))
                .hint(format!("it has {}", names.join(", ")))
        })?);
        Ok(self)
    }

    /// Sets the parameters of the mechanism.
    pub fn parameters(self, parameters: Parameters) -> Self {
        Self { parameters, ..self }
    }

    /// Sets the number of picks.
    pub fn k(self, k: usize) -> Self {
        Self { k: Some(k), ..self }
    }

    /// Sets the number of candidates.
    pub fn candidates(self, candidates: usize) -> Self {
        Self { candidates: Some(candidates), ..self }
    }

    /// Sets the claim, which is also the epsilon of the mechanism.
    pub fn epsilon(self, epsilon: impl Into<Exact>) -> Self {
        Self { epsilon: epsilon.into(), ..self }
    }

    /// Sets the number of values that a score takes.
    pub fn levels(self, levels: u32) -> Self {
        Self { levels: Some(levels), ..self }
    }

    /// Sets the number of grid steps in the sensitivity, if it is common.
    pub fn steps(self, steps: u32) -> Self {
        Self { steps: Some(steps), ..self }
    }

    /// Sets the sensitivity of each candidate in grid steps, for mechanisms that use them.
    pub fn sensitivities(self, sensitivities: Vec<u32>) -> Self {
        Self { sensitivities: Some(sensitivities), ..self }
    }

    /// Sets whether all scores move in one direction between neighbors.
    pub fn monotonic(self, monotonic: bool) -> Self {
        Self { monotonic, ..self }
    }

    /// The size of the enumeration.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    pub fn work(&self) -> Result<Work> {
        self.checked().map(|checked| checked.work)
    }

    /// Enumerates; `progress` receives the completed share.
    ///
    /// # Errors
    ///
    /// `Request` if the sizes do not fit the mechanism or each other, or the enumeration would take
    /// too long.
    pub fn run(&self, progress: impl Fn(f64)) -> Result<Verified> {
        let Checked { law, grid, k, epsilon, work, .. } = &self.checked()?;
        let eps = epsilon.to_f64();
        let (found, false_discoveries) = law.enumerate(grid, *k, eps, &progress);
        let (scores, neighbor) = found.worst;
        let laws = [&scores, &neighbor].map(|x| law.at(grid, x, *k, eps));
        let tolerance = law.tolerance();
        let mutant = self.mutant();
        let sums_to_one =
            |law: &Vec<f64>| (law.iter().sum::<f64>() - 1.0).abs() <= 10.0 * tolerance;
        // The laws of some broken variants do not sum to 1.
        if mutant.is_none() && !laws.iter().all(sums_to_one) {
            return Err(Error::request(
                "floating point is too coarse for these parameters: the probabilities do not sum to 1",
            ));
        }
        let probability = |law: &Vec<f64>| law.get(found.outcome).copied().unwrap_or(0.0);
        let probabilities = [probability(&laws[0]), probability(&laws[1])];
        let outcome = self.outcomes(grid.d, *k).swap_remove(found.outcome);
        let at = WorstPair { scores, neighbor, outcome, probabilities };
        Ok(Verified {
            mechanism: self.card.id,
            parameters: self.shown(*k)?,
            variant: mutant.map(|mutant| mutant.name),
            k: *k,
            candidates: grid.d,
            epsilon: epsilon.clone(),
            levels: self.levels_for(law),
            sensitivities: grid.sensitivities().iter().map(|&own| own as u32).collect(),
            monotonic: grid.is_monotonic(),
            work: *work,
            max_log_ratio: found.max_log_ratio,
            share: found.max_log_ratio / eps,
            at: (found.max_log_ratio > 0.0).then_some(at),
            false_discoveries,
            holds: found.max_log_ratio <= eps + tolerance * eps.max(1.0)
                && false_discoveries.is_none_or(|share| share <= 1.0 + tolerance),
            slack: self.contract.slack.filter(|_| mutant.is_none()),
        })
    }

    /// All outcomes, in the order of laws.
    pub(super) fn outcomes(&self, d: usize, k: usize) -> Vec<Vec<usize>> {
        match self.card.chooses {
            Chooses::Set => subsets(d, k),
            Chooses::AtMost => subsets_up_to(d, k),
            Chooses::One | Chooses::Sequence => sequences(d, k),
        }
    }

    pub(super) fn mechanism(&self) -> Result<Arc<dyn Mechanism>> {
        by_id(self.card.id, &self.parameters)
    }

    pub(super) fn is_variant(&self) -> bool {
        self.variant.is_some()
    }

    fn mutant(&self) -> Option<&Mutant> {
        self.variant.and_then(|place| self.contract.mutants.get(place))
    }

    /// The parameters in effect: of the mechanism, or of the variant.
    fn shown(&self, k: usize) -> Result<BTreeMap<&'static str, String>> {
        let mut all: BTreeMap<_, _> = self.mechanism()?.parameters(k).into_iter().collect();
        if let Some(mutant) = self.mutant() {
            all.retain(|name, _| mutant.takes.contains(name));
            if self.parameters.gamma.is_none() && all.contains_key("gamma") {
                all.insert("gamma", GAMMA_OF_VARIANTS.to_string());
            }
        }
        Ok(all)
    }

    fn levels_for(&self, law: &Law) -> u32 {
        let own = self.card.sensitivity == Sensitivity::Own;
        self.levels.unwrap_or(match (own, law.integrals) {
            (true, _) => 9,
            (false, true) => 11,
            (false, false) => 8,
        })
    }

    /// The law, the grid and the sizes, after all checks.
    pub(super) fn checked(&self) -> Result<Checked> {
        let mechanism = self.mechanism()?;
        let law = match self.mutant() {
            None => (self.contract.law)(&self.parameters),
            Some(mutant) => {
                let foreign = self.parameters.given().find(|name| !mutant.takes.contains(name));
                if let Some(name) = foreign {
                    let rule = format!("this broken variant takes no parameter `{name}`");
                    return Err(Error::request(rule).about([Parameter::OfMechanism(name)]));
                }
                mutant.law(&self.parameters)
            }
        };
        let epsilon = Epsilon::try_from(self.epsilon.clone())?;
        if !(1e-3..=100.0).contains(&epsilon.to_f64()) {
            let rule = "to be enumerated, epsilon must lie between 0.001 and 100";
            return Err(Error::request(rule).about([Parameter::Epsilon]));
        }
        let grid = self.grid(&law)?;
        let d = grid.d;
        let most = law.most.min(d).min(if self.card.chooses == Chooses::One { 1 } else { d });
        let default = self.mutant().map_or(2, |mutant| mutant.k);
        let k = self.k.unwrap_or(default.min(most));
        if !(1..=most).contains(&k) {
            let of = mechanism.card().id;
            let rule = if most < d {
                format!("the law of {of} is enumerated for k from 1 to {most}")
            } else {
                format!("k must lie between 1 and the number of candidates, {d}")
            };
            return Err(Error::request(rule).about([Parameter::K]));
        }
        let work = Work {
            outcomes: outcomes(self.card.chooses, d, k),
            vectors: grid.vectors(),
            pairs: grid.pairs(),
        };
        self.check_size(&law, &grid, &epsilon, work)?;
        Ok(Checked { law, grid, k, epsilon, work })
    }

    fn grid(&self, law: &Law) -> Result<Grid> {
        let levels = self.levels_for(law);
        if !(2..=1000).contains(&levels) {
            return Err(Error::request("the levels of a score must lie between 2 and 1000"));
        }
        let steps_rule = "the steps to a sensitivity must lie between 1 and 100";
        if self.card.sensitivity == Sensitivity::Own {
            if self.steps.is_some() {
                return Err(Error::request(format!(
                    "{} takes a sensitivity for each candidate, in steps: give these",
                    self.card.id
                )));
            }
            if self.monotonic {
                let rule = format!("{} needs no less noise for monotonic scores", self.card.id);
                return Err(Error::request(rule));
            }
            let default = || (0..self.candidates.unwrap_or(3)).map(|i| 1 << (i % 3)).collect();
            let own: Vec<u32> = self.sensitivities.clone().unwrap_or_else(default);
            if self.candidates.is_some_and(|d| d != own.len()) {
                return Err(Error::request("there must be one sensitivity for each candidate"));
            }
            check_candidates(own.len())?;
            if own.iter().any(|own| !(1..=100).contains(own)) {
                return Err(Error::request(steps_rule));
            }
            let own: Vec<i64> = own.into_iter().map(i64::from).collect();
            return Ok(Grid::with_sensitivities(levels.into(), &own));
        }
        if self.sensitivities.is_some() {
            let rule = format!("{} needs one sensitivity for all candidates", self.card.id);
            return Err(Error::request(rule).hint("give the steps to it"));
        }
        let d = self.candidates.unwrap_or(if law.integrals { 3 } else { 4 });
        check_candidates(d)?;
        let steps = self.steps.unwrap_or(2);
        if !(1..=100).contains(&steps) {
            return Err(Error::request(steps_rule));
        }
        let grid = Grid::new(d, levels.into(), steps.into());
        Ok(if self.monotonic && knows_monotonic(self.card) { grid.monotonic() } else { grid })
    }

    fn check_size(&self, law: &Law, grid: &Grid, epsilon: &Epsilon, work: Work) -> Result<()> {
        let least = grid.sensitivities().iter().copied().min().unwrap_or(1) as f64;
        let loss = epsilon.to_f64() * f64::from(self.levels_for(law) - 1) / least;
        let most = if law.integrals { LARGEST_LOSS_OF_INTEGRAL } else { LARGEST_LOSS };
        if loss > most {
            let rule = format!(
                "scores reach over {:.1} sensitivities: epsilon times that must be at most {most} for the accuracy \
                 of this law",
                loss / epsilon.to_f64()
            );
            return Err(Error::request(rule).hint("fewer levels or more steps"));
        }
        let [outcomes, vectors, pairs] =
            [work.outcomes, work.vectors, work.pairs].map(|number| number as f64);
        let of_law = if law.integrals { COST_OF_INTEGRAL } else { COST_OF_ONE * outcomes };
        let comparisons = outcomes * (pairs + vectors * of_law);
        if comparisons > MAX_COMPARISONS || outcomes * vectors > MAX_PROBABILITIES {
            let rule = format!(
                "this is too much to enumerate: {} outcomes, {} score vectors, {} pairs of neighbors",
                count(work.outcomes),
                count(work.vectors),
                count(work.pairs)
            );
            return Err(Error::request(rule).hint("fewer candidates or levels"));
        }
        Ok(())
    }
}

/// The checked inputs of an enumeration.
pub(super) struct Checked {
    pub(super) law: Law,
    pub(super) grid: Grid,
    pub(super) k: usize,
    pub(super) epsilon: Epsilon,
    work: Work,
}

fn check_candidates(d: usize) -> Result<()> {
    if (2..=64).contains(&d) {
        return Ok(());
    }
    Err(Error::request("the number of candidates must lie between 2 and 64"))
}

fn outcomes(chooses: Chooses, d: usize, k: usize) -> u128 {
    match chooses {
        Chooses::Set => binomial(d as u64, k as u64).try_into().unwrap_or(u128::MAX),
        Chooses::AtMost => {
            let sets = |size| binomial(d as u64, size).try_into().unwrap_or(u128::MAX);
            (0..=k as u64).fold(0, |all: u128, size| all.saturating_add(sets(size)))
        }
        _ => (0..k).fold(1, |all: u128, i| all.saturating_mul((d - i) as u128)),
    }
}

/// A number, or its power of ten if it is long.
fn count(number: u128) -> String {
    if number < 10_000_000 { number.to_string() } else { format!("{:.0e}", number as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(id: &str) -> Verification {
        Verification::new(id).unwrap()
    }

    /// Two candidates, whole sensitivities, k = 1: the exponential mechanism on (0, 1) and (1, 0),
    /// by hand.
    #[test]
    fn exponential_mechanism_matches_hand_calculation() {
        let found = of("em").candidates(2).levels(2).steps(1).epsilon("0.8").run(|_| ()).unwrap();
        // P(first | 0, 1) = 1/(1 + e^0.4).
        let p = 1.0 / (1.0 + 0.4f64.exp());
        let expected = ((1.0 - p) / p).ln();
        assert!((found.max_log_ratio - expected).abs() < 1e-14);
        assert_eq!(found.work, Work { outcomes: 2, vectors: 4, pairs: 16 });
        assert!(found.holds && (found.share - 0.5).abs() < 1e-14);
        let at = found.at.unwrap();
        assert_eq!([at.scores.iter().sum::<i64>(), at.neighbor.iter().sum()], [1, 1]);
    }

    #[test]
    fn pairs_are_counted_before_and_after() {
        for verification in [
            of("canonical").candidates(3).levels(5),
            of("canonical").candidates(3).levels(5).monotonic(true),
            of("gem").sensitivities(vec![1, 7, 3]).levels(5),
            of("krr").candidates(2).levels(3).steps(50),
        ] {
            let Checked { grid, work, .. } = verification.checked().unwrap();
            let found = grid.enumerate(|_| vec![1.0]);
            assert_eq!(u128::try_from(found.pairs).unwrap(), work.pairs);
        }
    }

    #[test]
    fn every_mechanism_holds_and_every_variant_does_not() {
        let mut variants = 0;
        for verification in Verification::all() {
            let verification = verification.unwrap();
            let (card, found) = (verification.card, verification.run(|_| ()).unwrap());
            assert!(found.holds, "{}: {}", card.id, found.share);
            assert!(found.share > 0.2, "{}: {}", card.id, found.share);
            for variant in super::super::variants(card) {
                let found = of(card.id).variant(&variant.name).unwrap().run(|_| ()).unwrap();
                // Some mistakes show only at other sizes.
                let hidden = [
                    ("canonical-gumbel", "monotonic-constant"),
                    ("joint-set", "monotonic-constant"),
                    ("laplace", "epsilon-not-divided-by-k"),
                    ("laplace", "monotonic-constant"),
                ];
                let hidden = hidden.contains(&(card.id, &variant.name));
                assert!(hidden || !found.holds, "{}: {variant:?}", card.id);
                variants += 1;
            }
        }
        assert!(variants >= 30, "{variants}");
    }

    #[test]
    fn invalid_requests_are_refused() {
        let refused = |verification: Verification, part: &str| {
            let error = verification.run(|_| ()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        assert!(Verification::new("sis").is_err());
        let error = of("em").variant("printed-class-sizes").unwrap_err().to_string();
        assert!(error.contains("monotonic-constant"), "{error}");
        refused(of("em").k(2), "k from 1 to 1");
        refused(of("laplace").k(3), "k from 1 to 2");
        refused(of("canonical").k(5), "number of candidates, 4");
        refused(of("canonical").k(0), "between 1");
        refused(of("canonical").candidates(1), "between 2 and 64");
        refused(of("canonical").candidates(20), "too much to enumerate");
        refused(of("canonical").candidates(64).levels(1000).k(32), "too much to enumerate");
        refused(of("canonical").levels(1), "levels");
        refused(of("canonical").steps(0), "steps");
        refused(of("canonical").sensitivities(vec![1, 2]), "one sensitivity");
        refused(of("gem").sensitivities(vec![1, 0]), "steps");
        refused(of("gem").sensitivities(vec![1, 2]).candidates(3), "one sensitivity for each");
        refused(of("gem").steps(2), "give these");
        refused(of("gem").monotonic(true), "monotonic");
        refused(of("canonical").epsilon("1e-4"), "0.001");
        refused(of("canonical").epsilon("x"), "number");
        refused(of("laplace").epsilon("50"), "accuracy");
        let parameters = Parameters { gamma: Some("1/3".into()), ..Parameters::default() };
        let with_gamma =
            |name| of("canonical").variant(name).unwrap().parameters(parameters.clone());
        refused(with_gamma("monotonic-constant-gamma-1"), "takes no parameter");
        assert!(with_gamma("printed-class-sizes").work().is_ok());
    }
}
