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
        let stated: Vec<&str> = self.parameters.stated().collect();
        let all = self.mechanism(card).parameters(2).into_iter();
        let shown = all.filter(|(name, _)| stated.contains(name));
        let shown: String = shown.map(|(name, value)| format!(" {name} {value}")).collect();
        format!("{}{shown}", card.id)
    }
}

/// Whether a law is of scores with a sensitivity each.
pub(super) fn is_own(law: &Law) -> bool {
    matches!(law.of, Of::Own(_))
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
            assert_eq!(is_own(&(contract.law)(&setting.parameters)), own, "{id}");
            assert_eq!(setting.mechanism(card).card().id, id);
        }
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
        for file in ["mod.rs", "page.md", "law.rs", "contract.rs"] {
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
            let parameters = Setting::new(&[1]).stated(name, "out of range").parameters;
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
