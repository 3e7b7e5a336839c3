//! Values of options that are words.

use std::collections::BTreeMap;
use std::sync::Arc;

use dpsis::mechanism::{Mechanism, Parameters, by_id};
use dpsis::{Error, Exact, Neighbors, Parameter, Refine, Result, ScoreKind, Unit, UnitTarget};

/// The value that a word stands for.
///
/// # Errors
///
/// `Request` for another word, with those there are.
pub(crate) fn word<T: Copy>(about: Parameter, stated: &str, words: &[(&str, T)]) -> Result<T> {
    let found = words.iter().find(|(word, _)| *word == stated);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
        Error::request(format!("there is no such value: it is one of {}", words.join(", ")))
            .about([about])
    })
}

pub(crate) fn neighbors(stated: &str) -> Result<Neighbors> {
    let words = [("add-remove", Neighbors::AddRemove), ("replace-one", Neighbors::ReplaceOne)];
    word(Parameter::Neighbors, stated, &words)
}

/// The unit of privacy: a row, or a person with several.
pub(crate) fn unit(stated: &str) -> Result<Unit> {
    word(Parameter::Unit, stated, &[("row", Unit::Row), ("person", Unit::Person)])
}

pub(crate) fn unit_target(stated: &str) -> Result<UnitTarget> {
    let words = [
        ("last", UnitTarget::Last),
        ("mean", UnitTarget::Mean),
        ("any-positive", UnitTarget::AnyPositive),
    ];
    word(Parameter::UnitTarget, stated, &words)
}

pub(crate) fn score(stated: &str) -> Result<ScoreKind> {
    let words = [
        ("ks", ScoreKind::Ks),
        ("correlation", ScoreKind::Correlation),
        ("kendall", ScoreKind::Kendall),
    ];
    word(Parameter::Score, stated, &words)
}

pub(crate) fn refine(stated: &str) -> Result<Refine> {
    word(Parameter::Refine, stated, &[("gram", Refine::Gram)])
}

/// The mechanism of an id, with its parameters by name, as text.
pub(crate) fn mechanism(id: &str, stated: &BTreeMap<String, String>) -> Result<Arc<dyn Mechanism>> {
    let mut parameters = Parameters::default();
    for (name, value) in stated {
        let slot = match name.as_str() {
            "gamma" => &mut parameters.gamma,
            "beta" => &mut parameters.beta,
            "share" => &mut parameters.share,
            "stop" => &mut parameters.stop,
            "eta" => &mut parameters.eta,
            "noise" => {
                parameters.noise = Some(value.clone());
                continue;
            }
            _ => {
                let rule = "no mechanism has a parameter of this name";
                return Err(Error::request(rule).about([Parameter::Mechanism]));
            }
        };
        *slot = Some(Exact::from(value.as_str()));
    }
    by_id(id, &parameters)
}
