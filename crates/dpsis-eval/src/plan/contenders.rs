//! The mechanisms that a plan compares.

use std::sync::Arc;

use dpsis::mechanism::{CARDS, Parameters, Sensitivity, by_id};
use dpsis::{Error, Exact, Mechanism, Parameter, Result};
use serde::Serialize;

/// The mechanisms of a set or sequence that are compared if none is stated, and those for one
/// candidate. Others are slower or for special cases.
const SEVERAL: [&str; 6] =
    ["canonical", "canonical-gumbel", "joint", "peel-pnf", "peel", "laplace"];
const ONE: [&str; 3] = ["peel-pnf", "em", "laplace"];

/// The values of gamma for `canonical`, from avoiding to leave out a good candidate to avoiding to
/// take a bad one.
const GAMMAS: [&str; 5] = ["0.1", "0.25", "0.5", "0.75", "1"];

/// A mechanism, perhaps with a gamma.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Contender {
    /// Its name.
    pub id: String,
    /// Its gamma, if it takes one.
    pub gamma: Option<String>,
    /// The mechanism.
    #[serde(skip)]
    pub mechanism: Arc<dyn Mechanism>,
}

impl PartialEq for Contender {
    fn eq(&self, other: &Self) -> bool {
        (&self.id, &self.gamma) == (&other.id, &other.gamma)
    }
}

impl Contender {
    fn new(id: &str, gamma: Option<&str>, k: usize) -> Result<Self> {
        let mut parameters = Parameters::default();
        parameters.gamma = gamma.map(Exact::from);
        let mechanism = by_id(id, &parameters)?;
        let card = mechanism.card();
        if card.sensitivity == Sensitivity::Own {
            let rule = format!("{id} is for scores with a sensitivity each; features share one");
            return Err(Error::request(rule).about([Parameter::Mechanism]));
        }
        dpsis::internals::check_k(card, k)?;
        let stated = mechanism.parameters(k);
        let gamma =
            stated.iter().find(|(name, _)| *name == "gamma").map(|(_, value)| value.clone());
        Ok(Self { id: id.to_owned(), gamma, mechanism })
    }

    /// Whether it is this mechanism.
    pub(super) fn is(&self, other: &dyn Mechanism, k: usize) -> bool {
        self.id == other.card().id && self.mechanism.parameters(k) == other.parameters(k)
    }

    /// Gamma as theorem 4.1 wants it: positive, and of the mechanism that the theorem is about.
    pub(super) fn theorem_gamma(&self) -> Option<f64> {
        let gamma: f64 = match self.id.as_str() {
            "canonical" => {
                dpsis::Epsilon::try_from(Exact::from(self.gamma.as_deref()?)).ok()?.to_f64()
            }
            _ => return None,
        };
        (gamma > 0.0).then_some(gamma)
    }

    /// Its name and gamma in words.
    pub(super) fn name(&self) -> String {
        match &self.gamma {
            Some(gamma) => format!("{}, gamma {gamma}", self.id),
            None => self.id.clone(),
        }
    }
}

/// The mechanisms of these names, with each of these values of gamma where they take it; the usual
/// ones and values if none are stated.
///
/// # Errors
///
/// `Request` if there is no such mechanism, it does not choose k features, no mechanism takes the
/// gamma that was stated, or one is out of range.
pub fn contenders(k: usize, ids: &[String], gammas: &[String]) -> Result<Vec<Contender>> {
    let usual = if k == 1 { &ONE[..] } else { &SEVERAL };
    let ids: Vec<&str> = match ids {
        [] => usual.to_vec(),
        stated => stated.iter().map(String::as_str).collect(),
    };
    let mut all: Vec<Contender> = Vec::new();
    for id in &ids {
        let takes = CARDS.iter().any(|card| {
            card.id == *id && card.parameters.iter().any(|parameter| parameter.name == "gamma")
        });
        let values: Vec<Option<&str>> = match gammas {
            _ if !takes => vec![None],
            // With k = 1 gamma only changes epsilon.
            [] if *id == "canonical" && k > 1 => GAMMAS.map(Some).to_vec(),
            [] => vec![None],
            stated => stated.iter().map(|gamma| Some(gamma.as_str())).collect(),
        };
        for gamma in values {
            let contender = Contender::new(id, gamma, k)?;
            if !all.contains(&contender) {
                all.push(contender);
            }
        }
    }
    if !gammas.is_empty() && all.iter().all(|contender| contender.gamma.is_none()) {
        let rule = "none of these mechanisms takes a gamma";
        return Err(Error::request(rule).about([Parameter::OfMechanism("gamma")]));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(k: usize, ids: &[&str], gammas: &[&str]) -> Result<Vec<String>> {
        let own = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let all = contenders(k, &own(ids), &own(gammas))?;
        Ok(all.iter().map(Contender::name).collect())
    }

    #[test]
    fn the_usual_ones_hold_the_defaults_once() {
        for (k, defaults) in [(1, &["peel-pnf"][..]), (5, &["canonical", "peel-pnf"])] {
            let all = contenders(k, &[], &[]).unwrap();
            for id in defaults {
                let default = by_id(id, &Parameters::default()).unwrap();
                assert_eq!(all.iter().filter(|one| one.is(&*default, k)).count(), 1, "{k} {id}");
            }
        }
        assert_eq!(names(1, &[], &[]).unwrap()[0], "peel-pnf");
        assert_eq!(names(2, &["canonical"], &[]).unwrap().len(), GAMMAS.len());
        let stated = names(2, &["peel", "canonical", "peel"], &["0.3", "3/10"]).unwrap();
        assert_eq!(stated, ["peel", "canonical, gamma 0.3"]);
    }

    #[test]
    fn wrong_ones_are_refused() {
        for (ids, gammas, rule) in [
            (&["gem"][..], &[][..], "sensitivity each"),
            (&["none"], &[], "no such mechanism"),
            (&["em"], &[], "chooses one"),
            (&["peel"], &["0.5"], "takes a gamma"),
            (&["canonical"], &["2"], "gamma"),
        ] {
            let error = names(2, ids, gammas).unwrap_err().to_string();
            assert!(error.contains(rule), "{error}");
        }
    }
}
