//! Cards, folders and parameters of the registry.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::*;
use crate::mechanism::{CARDS, Mechanism, MechanismParameter, by_id};

impl Setting {
    pub(super) fn mechanism(&self, card: &Card) -> Arc<dyn Mechanism> {
        by_id(card.id, &self.parameters).unwrap()
    }

    /// The mechanism and its parameters, for messages.
    pub(super) fn name(&self, card: &Card) -> String {
        let given: Vec<&str> = self.parameters.given().collect();
        let all = self.mechanism(card).parameters(2).into_iter();
        let shown = all.filter(|(name, _)| given.contains(name));
        let shown: String = shown.map(|(name, value)| format!(" {name} {value}")).collect();
        format!("{}{shown}", card.id)
    }
}

/// Whether a law is for scores with a sensitivity each.
pub(super) fn is_own(law: &Law) -> bool {
    matches!(law.of, Of::Own(_))
}

#[test]
fn every_mechanism_has_a_card_a_page_and_a_contract() {
    for card in CARDS {
        let id = card.id;
        assert_eq!(by_id(id, &Parameters::default()).unwrap().card().id, id);
        assert!(!card.reference.is_empty() && !card.summary.is_empty());
        for part in ["# Definition", "# Guarantee", "# Sampling, exactly", "# Source"] {
            assert!(card.page.contains(part), "the page of {id} lacks {part}");
        }
        let contract = (card.contract)();
        assert!(!contract.settings.is_empty() && !contract.mutants.is_empty(), "{id}");
        let own = card.sensitivity == Sensitivity::Own;
        for setting in &contract.settings {
            assert!(!setting.ks.is_empty(), "{id}");
            assert_eq!(is_own(&(contract.law)(&setting.parameters)), own, "{id}");
            assert_eq!(setting.mechanism(card).card().id, id);
        }
        let names: BTreeSet<&str> = contract.mutants.iter().map(|mutant| mutant.name).collect();
        assert_eq!(names.len(), contract.mutants.len(), "{id}: broken variants of one name");
    }
}

/// A mechanism is a folder of three files, or files in the folder of its family; every page is the
/// page of a card.
#[test]
fn every_mechanism_is_a_folder() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mechanism");
    let mut pages = BTreeSet::new();
    for folder in std::fs::read_dir(here).unwrap().map(|entry| entry.unwrap().path()) {
        // Folders that are not mechanisms.
        if !folder.is_dir() || folder.ends_with("contract") || folder.ends_with("advice") {
            continue;
        }
        for file in ["mod.rs", "page.md", "law.rs"] {
            assert!(folder.join(file).is_file(), "{} lacks {file}", folder.display());
        }
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let texts = files.filter(|file| file.extension().is_some_and(|end| end == "md"));
        pages.extend(texts.map(|page| std::fs::read_to_string(page).unwrap()));
    }
    let of_cards: BTreeSet<String> = CARDS.iter().map(|card| card.page.to_owned()).collect();
    assert_eq!(pages, of_cards);
}

/// The card lists the parameters in a record; a parameter has the same meaning in every mechanism
/// that takes it; a value out of range, or a parameter of another mechanism, is refused by name.
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
            let parameters = Setting::new(&[1]).given(name, "out of range").parameters;
            let error = by_id(card.id, &parameters).unwrap_err().to_string();
            let own = card.parameters.iter().any(|own| own.name == name);
            let documented = if own {
                name.to_owned()
            } else {
                format!("{} takes no parameter `{name}`", card.id)
            };
            assert!(error.contains(&documented), "{}: {error}", card.id);
        }
    }
}

/// Statements of the guarantee name the sensitivity that the mechanism uses, if it uses one.
#[test]
fn statements_name_the_sensitivity() {
    for card in CARDS {
        let neighbors = match card.sensitivity {
            Sensitivity::Common => "no score differs by more than the common sensitivity",
            Sensitivity::Own => "no score differs by more than its own sensitivity",
            Sensitivity::Any => "for any two tables of scores",
        };
        let statement = card.statement();
        assert!(statement.starts_with("epsilon-differentially private (delta = 0) for "));
        assert!(statement.ends_with(neighbors), "{}: {statement}", card.id);
    }
}

/// The typical noise for a plan, as the pages give it, at epsilon 1/2: peeling and everything
/// without a law of its own 2 k ln d/eps, the joint race of sets 4 ln C(d, k)/eps (2 ln d/eps for
/// one).
#[test]
fn gaps_are_those_of_the_pages() {
    let epsilon: crate::privacy::Epsilon = "0.5".parse().unwrap();
    let gap = |id: &str, d: usize, k: usize| {
        by_id(id, &Parameters::default()).unwrap().gap(d, k, &epsilon)
    };
    for (id, d, k, expected) in [
        ("em", 1000, 1, 4.0 * 1000f64.ln()),
        ("peel", 1000, 3, 12.0 * 1000f64.ln()),
        ("joint-set", 10, 2, 8.0 * 45f64.ln()),
        ("joint-set", 10, 1, 4.0 * 10f64.ln()),
    ] {
        assert!((gap(id, d, k) / expected - 1.0).abs() < 1e-12, "{id} {k}");
    }
}

/// The defaults in a record are the defaults of the card, and so are the ends of the ranges.
#[test]
fn defaults_and_ranges_are_those_of_the_card() {
    for (id, name, default, good, bad) in [
        ("gem", "beta", "0.05", ["1e-9", "0.999"], ["0", "1"]),
        ("mgem", "beta", "0.05", ["1e-9", "0.999"], ["0", "1"]),
        ("cgem", "beta", "0.05", ["1e-9", "0.999"], ["0", "1"]),
        ("cgem", "share", "0.2", ["1e-9", "0.999"], ["0", "1"]),
        ("rs", "stop", "1/(10 m)", ["1e-6", "1"], ["9e-7", "1.001"]),
        ("rs-tnb", "eta", "0", ["-0.999", "1"], ["-1", "1.001"]),
    ] {
        let mechanism = by_id(id, &Parameters::default()).unwrap();
        let shown = mechanism.parameters(1).into_iter().find(|(own, _)| *own == name);
        assert_eq!(shown.unwrap().1, default, "{id} {name}");
        let given = |value: &str| by_id(id, &Setting::new(&[1]).given(name, value).parameters);
        for value in good {
            assert!(given(value).is_ok(), "{id} {name} {value}");
        }
        for value in bad {
            assert!(given(value).is_err(), "{id} {name} {value}");
        }
    }
}
