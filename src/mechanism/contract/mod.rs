//! One contract for every private mechanism, driven from the registry: each card names its contract, which lives
//! in the mechanism's `tests.rs`.
//!
//! - *Privacy* (`privacy.rs`). The law by the definition - all outcomes, brute force - over all neighbors on a
//!   grid: at least 262,144 pairs where it has a closed form (16,384 where it needs an integral; with
//!   `DPSIS_EXHAUSTIVE=1` as many, which takes some minutes). The log-ratio never exceeds epsilon (1 + 1e-12),
//!   and the largest is the one stated. *Broken variants* are rejected by the same enumeration.
//! - *Exact fractions* (`fractions.rs`). Where the law is rational (e^eps a power of 2), privacy with zero
//!   tolerance.
//! - *Draws* (`draws.rs`). 12,000 draws for each setting have that law (G-test, alpha 1e-6); scores shifted by a
//!   constant give the same picks from the same bits; candidates listed in another order have the same law.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

mod draws;
pub(super) mod fractions;
mod privacy;

use super::*;

/// Grids are in half units of the sensitivity.
const UNIT: i64 = 2;

/// A law by its definition: the probabilities of all outcomes, sets and sequences in the order of the test
/// support's `subsets` and `sequences`.
enum Law {
    /// From scores in units of the sensitivity, k and epsilon. For monotonic scores epsilon is twice as large:
    /// every definition has its rate in eps/2 of what moves both ways.
    Common(CommonLaw),
    /// From scores and their sensitivities, in the same unit, and epsilon; k is 1.
    Own(OwnLaw),
}

type CommonLaw = Box<dyn Fn(&[f64], usize, f64) -> Vec<f64>>;
type OwnLaw = Box<dyn Fn(&[f64], &[f64], f64) -> Vec<f64>>;

/// The tests that a mechanism is held to.
#[derive(Debug)]
pub(super) struct Contract {
    /// Settings of its parameters, each with its law.
    pub(super) settings: Vec<Setting>,
    /// Laws in exact fractions.
    pub(super) exact: Vec<RationalLaw>,
    /// The largest log-ratio over epsilon that the enumeration finds, to six digits: never above 1.
    pub(super) max_ratio: f64,
    /// Why that is not near 1, where it is below 0.99.
    pub(super) slack: Option<&'static str>,
    /// Broken variants: mistakes that people make, each of which the enumeration must reject.
    pub(super) mutants: Vec<Mutant>,
}

/// A setting of a mechanism's parameters.
pub(super) struct Setting {
    parameters: Parameters,
    law: Law,
    /// The numbers of picks to try.
    ks: &'static [usize],
    /// Whether the law needs integrals: smaller grids, a larger tolerance.
    integrals: bool,
}

/// A broken variant.
pub(super) struct Mutant {
    name: &'static str,
    k: usize,
    law: Law,
    integrals: bool,
}

/// A law in exact fractions: scores in whole sensitivities, at an epsilon for which a loss of 1 weighs one half.
#[derive(Debug)]
pub(super) struct RationalLaw {
    pub(super) ks: &'static [usize],
    /// The loss of each outcome: whole numbers.
    pub(super) losses: fn(&[f64], usize) -> Vec<f64>,
    pub(super) law: fractions::Choice,
    /// e^eps: 2 to twice as many steps as the loss moves by.
    pub(super) factor: u32,
}

impl Setting {
    pub(super) fn new(
        ks: &'static [usize],
        law: impl Fn(&[f64], usize, f64) -> Vec<f64> + 'static,
    ) -> Self {
        let law = Law::Common(Box::new(law));
        Self { parameters: Parameters::default(), law, ks, integrals: false }
    }

    /// Of a mechanism that takes a sensitivity for each candidate.
    pub(super) fn own(law: impl Fn(&[f64], &[f64], f64) -> Vec<f64> + 'static) -> Self {
        let law = Law::Own(Box::new(law));
        Self { parameters: Parameters::default(), law, ks: &[1], integrals: false }
    }

    /// With a value of a parameter.
    pub(super) fn stated(mut self, name: &str, value: &str) -> Self {
        state(&mut self.parameters, name, value);
        self
    }

    pub(super) fn by_integrals(self) -> Self {
        Self { integrals: true, ..self }
    }

    fn mechanism(&self, card: &Card) -> Arc<dyn Mechanism> {
        by_id(card.id, &self.parameters).unwrap()
    }

    /// The mechanism and its parameters, for messages.
    fn name(&self, card: &Card) -> String {
        let stated: Vec<&str> = self.parameters.stated().collect();
        let all = self.mechanism(card).parameters(2).into_iter();
        let shown = all.filter(|(name, _)| stated.contains(name));
        let shown: String = shown.map(|(name, value)| format!(" {name} {value}")).collect();
        format!("{}{shown}", card.id)
    }
}

impl Mutant {
    pub(super) fn new(
        name: &'static str,
        k: usize,
        law: impl Fn(&[f64], usize, f64) -> Vec<f64> + 'static,
    ) -> Self {
        Self { name, k, law: Law::Common(Box::new(law)), integrals: false }
    }

    /// Of a mechanism that takes a sensitivity for each candidate; on the smaller grids.
    pub(super) fn own(
        name: &'static str,
        law: impl Fn(&[f64], &[f64], f64) -> Vec<f64> + 'static,
    ) -> Self {
        Self { name, k: 1, law: Law::Own(Box::new(law)), integrals: true }
    }

    pub(super) fn by_integrals(self) -> Self {
        Self { integrals: true, ..self }
    }
}

impl std::fmt::Debug for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setting").field("parameters", &self.parameters).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Mutant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Mutant").field(&self.name).finish()
    }
}

/// States the parameter of this name.
fn state(parameters: &mut Parameters, name: &str, value: &str) {
    let number = match name {
        "noise" => return parameters.noise = Some(value.to_owned()),
        "gamma" => &mut parameters.gamma,
        "beta" => &mut parameters.beta,
        "share" => &mut parameters.share,
        "stop" => &mut parameters.stop,
        "eta" => &mut parameters.eta,
        _ => panic!("no such parameter: {name}"),
    };
    *number = Some(value.into());
}

/// Whether the mechanism needs less noise for monotonic scores: all whose sensitivity is common.
fn knows_monotonic(card: &Card) -> bool {
    card.sensitivity == Sensitivity::Common
}

#[test]
fn every_mechanism_has_a_card_a_page_and_a_contract() {
    for card in CARDS {
        let id = card.id;
        assert_eq!(by_id(id, &Parameters::default()).unwrap().card().id, id);
        assert!(!card.reference.is_empty() && !card.summary.is_empty());
        for part in ["# What it does", "# Guarantee", "# Sampling, exactly", "# Source"] {
            assert!(card.page.contains(part), "the page of {id} lacks {part}");
        }
        let contract = (card.contract)();
        assert!(!contract.settings.is_empty() && !contract.mutants.is_empty(), "{id}");
        let own = card.sensitivity == Sensitivity::Own;
        for setting in &contract.settings {
            assert!(!setting.ks.is_empty(), "{id}");
            assert_eq!(matches!(setting.law, Law::Own(_)), own, "{id}");
            assert_eq!(setting.mechanism(card).card().id, id);
        }
        let exact: usize = contract.exact.iter().map(|exact| exact.ks.len()).sum();
        let rational =
            ["em", "pnf", "canonical", "canonical-gumbel", "joint", "joint-pnf", "joint-set"];
        assert_eq!(exact > 0, rational.contains(&id), "{id}");
        let names: BTreeSet<&str> = contract.mutants.iter().map(|mutant| mutant.name).collect();
        assert_eq!(names.len(), contract.mutants.len(), "{id}: broken variants of one name");
    }
}

/// A mechanism is a folder of four files, and every folder belongs to a card.
#[test]
fn every_mechanism_is_a_folder() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mechanism");
    let mut pages = BTreeSet::new();
    for folder in std::fs::read_dir(here).unwrap().map(|entry| entry.unwrap().path()) {
        // Folders of something else.
        if !folder.is_dir() || folder.ends_with("contract") || folder.ends_with("advice") {
            continue;
        }
        for file in ["mod.rs", "page.md", "law.rs", "tests.rs"] {
            assert!(folder.join(file).is_file(), "{} lacks {file}", folder.display());
        }
        pages.insert(std::fs::read_to_string(folder.join("page.md")).unwrap());
    }
    let of_cards: BTreeSet<String> = CARDS.iter().map(|card| card.page.to_owned()).collect();
    assert_eq!(pages, of_cards);
}

/// The card lists the parameters that a record shows; a parameter means the same wherever it is taken; a
/// value out of range, or a parameter of another mechanism, is refused by name.
#[test]
fn parameters_are_those_of_the_card() {
    let mut all: BTreeMap<&str, MechanismParameter> = BTreeMap::new();
    for card in CARDS {
        let mechanism = by_id(card.id, &Parameters::default()).unwrap();
        let shown: BTreeSet<&str> = mechanism.parameters(2).iter().map(|(name, _)| *name).collect();
        let listed: BTreeSet<&str> = card.parameters.iter().map(|own| own.name).collect();
        assert_eq!(shown, listed, "{}", card.id);
        for own in card.parameters {
            assert_eq!(all.entry(own.name).or_insert(*own), own);
        }
    }
    for card in CARDS {
        for name in all.keys().copied() {
            let mut parameters = Parameters::default();
            state(&mut parameters, name, "out of range");
            let error = by_id(card.id, &parameters).unwrap_err().to_string();
            let own = card.parameters.iter().any(|own| own.name == name);
            let said = if own {
                name.to_owned()
            } else {
                format!("{} takes no parameter `{name}`", card.id)
            };
            assert!(error.contains(&said), "{}: {error}", card.id);
        }
    }
}
