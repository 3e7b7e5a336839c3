//! A verification as text, numbers and lists, the same for every interface.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::json::read_options;
use crate::mechanism::Parameters;
use crate::verify::{Enumerated, Verification};

/// The options of an enumeration and of a test of draws. As JSON, one object of all fields; a
/// missing field has its default in [`Verification`].
///
/// ```
/// use dpsis::verify::VerifyOptions;
///
/// let options = VerifyOptions::from_json(r#"{"mechanism": "canonical", "k": 2, "d": 3}"#)?;
/// assert!(options.check(|_| ())?.holds());
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VerifyOptions {
    /// The mechanism.
    pub mechanism: String,
    /// A broken variant of it.
    pub variant: Option<String>,
    /// The claim, an exact number.
    pub epsilon: Option<String>,
    /// The number of picks.
    pub k: Option<usize>,
    /// The number of candidates.
    pub d: Option<usize>,
    /// The number of values that a score takes.
    pub levels: Option<u32>,
    /// The number of grid steps in the sensitivity, if it is common.
    pub steps: Option<u32>,
    /// The sensitivity of each candidate in steps of the grid.
    pub sensitivities: Option<Vec<u32>>,
    /// Whether between neighbors all scores move in one direction.
    pub monotonic: bool,
    /// Parameters of the mechanism, by name.
    pub parameters: BTreeMap<String, String>,
    /// The number of draws to compare with the law.
    pub draws: Option<u64>,
    /// The seed of the draws.
    pub seed: Option<u64>,
}

impl VerifyOptions {
    /// Reads a JSON object of options.
    ///
    /// # Errors
    ///
    /// As for [`SelectOptions::from_json`](crate::SelectOptions::from_json).
    pub fn from_json(json: &str) -> Result<Self> {
        read_options(json)
    }

    /// The enumeration.
    ///
    /// # Errors
    ///
    /// `Request` for an unknown mechanism, variant or parameter.
    pub fn verification(&self) -> Result<Verification> {
        let mut all = Verification::new(&self.mechanism)?;
        all = all.parameters(Parameters::named(&self.parameters)?);
        if let Some(name) = &self.variant {
            all = all.variant(name)?;
        }
        if let Some(epsilon) = &self.epsilon {
            all = all.epsilon(epsilon);
        }
        if let Some(k) = self.k {
            all = all.k(k);
        }
        if let Some(d) = self.d {
            all = all.candidates(d);
        }
        if let Some(levels) = self.levels {
            all = all.levels(levels);
        }
        if let Some(steps) = self.steps {
            all = all.steps(steps);
        }
        if let Some(own) = &self.sensitivities {
            all = all.sensitivities(own.clone());
        }
        Ok(all.monotonic(self.monotonic))
    }

    /// Enumerates, and tests draws if their number is given: see [`Verification::check`].
    ///
    /// # Errors
    ///
    /// As for [`Verification::check`], and for [`verification`](Self::verification).
    pub fn check(&self, progress: impl Fn(f64)) -> Result<Enumerated> {
        self.verification()?.check(self.draws, self.seed, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_equal_the_builder() {
        let full = r#"{"mechanism": "canonical", "epsilon": "1/2", "k": 2, "d": 4, "levels": 5, "steps": 3,
            "monotonic": true, "parameters": {"gamma": "1/4"}}"#;
        let given = VerifyOptions::from_json(full).unwrap();
        let gamma = BTreeMap::from([("gamma".to_owned(), "1/4".to_owned())]);
        let built = Verification::new("canonical").unwrap().k(2).candidates(4).levels(5).steps(3);
        let built = built.epsilon("1/2").monotonic(true);
        let built = built.parameters(Parameters::named(&gamma).unwrap());
        // Omits the functions of its contract.
        let shown = |all: &Verification| format!("{:?}", all.work().unwrap());
        assert_eq!(shown(&given.verification().unwrap()), shown(&built));
        let [found, expected] =
            [given.check(|_| ()).unwrap(), built.check(None, None, |_| ()).unwrap()];
        assert_eq!(
            serde_json::to_string(&found).unwrap(),
            serde_json::to_string(&expected).unwrap()
        );
    }

    #[test]
    fn invalid_options_are_refused() {
        for (json, words) in [
            (r#"{"mechanisn": "peel"}"#, "did you mean \"mechanism\"?"),
            (r#"{"mechanism": "canonical", "levels": -1}"#, "has a value of another kind"),
            (r#"{"mechanism": "none"}"#, "no such mechanism"),
            (r#"{"mechanism": "peel", "variant": "none"}"#, "no such broken variant"),
            (r#"{"mechanism": "peel", "parameters": {"x": "1"}}"#, "parameter of this name"),
        ] {
            let error = VerifyOptions::from_json(json).and_then(|options| options.verification());
            let text = error.unwrap_err().to_string();
            assert!(text.contains(words), "{json}: {text}");
        }
    }
}
