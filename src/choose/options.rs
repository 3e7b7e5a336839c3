//! The options of a choice as text, numbers and lists.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::choose::{CandidateColumns, Candidates, Choose, PublicCandidates};
use crate::error::{Error, Parameter, Result};
use crate::json::read_options;
use crate::mechanism::{Parameters, by_id, canonical};
use crate::table::reads_again;

/// The keyword for the largest sensitivity of all candidates.
pub const LARGEST: &str = "largest";

/// The options of a choice among candidates. As JSON, one object of all fields; a missing field has
/// its default in [`Choose`]. Exact numbers are text.
///
/// ```
/// use dpsis::ChooseOptions;
///
/// let json = r#"{"candidates": [["lasso", "0.81"], ["forest", "0.87"]], "sensitivity": "0.005", "epsilon": "20"}"#;
/// let options = ChooseOptions::from_json(json)?;
/// let choice = options.request()?.run(&options.candidates()?)?;
/// assert_eq!(choice.selected[0].name, "forest"); // wrong with probability below e^-100
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChooseOptions {
    /// The candidates.
    pub candidates: CandidatesOption,
    /// The columns of a file of candidates, by `name`, `score` and `sensitivity`.
    pub columns: BTreeMap<String, String>,
    /// The number of candidates to choose, by default 1; with a level the maximum, by default all.
    pub k: Option<usize>,
    /// The level above which all candidates are chosen.
    pub above: Option<String>,
    /// The budget.
    pub epsilon: Option<String>,
    /// A delta that may be spent as well.
    pub delta: Option<String>,
    /// The sensitivity of all scores; `largest` for the largest one of the file.
    pub sensitivity: Option<String>,
    /// `add-remove` or `replace-one`.
    pub neighbors: Option<String>,
    /// Whether an additional unit changes all scores in the same direction.
    pub monotonic: bool,
    /// The name of the mechanism.
    pub mechanism: Option<String>,
    /// Its parameters.
    pub parameters: BTreeMap<String, String>,
}

/// Candidates with their scores, as decimal texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CandidatesOption {
    /// A CSV file.
    File(PathBuf),
    /// Name, score and sensitivity of each.
    Each(Vec<(String, String, String)>),
    /// Name and score of each.
    Common(Vec<(String, String)>),
}

impl Default for CandidatesOption {
    fn default() -> Self {
        Self::Common(Vec::new())
    }
}

impl ChooseOptions {
    /// Reads a JSON object of options.
    ///
    /// # Errors
    ///
    /// As for [`SelectOptions::from_json`](crate::SelectOptions::from_json).
    pub fn from_json(json: &str) -> Result<Self> {
        read_options(json)
    }

    /// The request, unchecked.
    ///
    /// # Errors
    ///
    /// `Request` for an unknown name of a mechanism, a parameter or a neighbor relation.
    pub fn request(&self) -> Result<Choose> {
        let default = if self.above.is_some() { usize::MAX } else { 1 };
        let mut request = Choose::new(self.k.unwrap_or(default)).monotonic(self.monotonic);
        if let Some(epsilon) = &self.epsilon {
            request = request.epsilon(epsilon.as_str());
        }
        if let Some(neighbors) = &self.neighbors {
            request = request.neighbors(neighbors.parse()?);
        }
        if let Some(delta) = &self.delta {
            request = request.delta(delta.as_str());
        }
        let parameters = Parameters::named(&self.parameters)?;
        if let Some(level) = &self.above {
            request = request.above(level, parameters.clone());
        }
        let id = match &self.mechanism {
            Some(id) => id,
            // Parameters without a mechanism apply to the default mechanism.
            None if self.above.is_none() && !self.parameters.is_empty() => canonical::CARD.id,
            None => return Ok(request),
        };
        Ok(request.mechanism(by_id(id, &parameters)?))
    }

    /// The candidates, whose scores are data.
    ///
    /// # Errors
    ///
    /// As for [`Candidates::read_columns`] and [`Candidates::new`].
    pub fn candidates(&self) -> Result<Candidates> {
        let common = self.common_sensitivity();
        let candidates = match &self.candidates {
            CandidatesOption::File(path) => {
                Candidates::read_columns(path, &self.candidate_columns()?, common)?
            }
            CandidatesOption::Each(all) => Candidates::with_sensitivities(all.iter().cloned())?,
            CandidatesOption::Common(all) => {
                let sensitivity = common.ok_or_else(|| {
                    Error::request("give the sensitivity: how much one row can change a score")
                        .about([Parameter::Sensitivity])
                })?;
                Candidates::new(all.iter().cloned(), sensitivity)?
            }
        };
        Ok(match self.takes_largest() {
            true => candidates.with_the_largest_sensitivity(),
            false => candidates,
        })
    }

    /// A text with everything that determines the choice except the scores: the names and
    /// sensitivities of the candidates, or the name of their file.
    pub(crate) fn identity(&self) -> String {
        let Self {
            candidates,
            columns,
            k,
            above,
            epsilon,
            delta,
            sensitivity,
            neighbors,
            monotonic,
            mechanism,
            parameters,
        } = self;
        let candidates = match candidates {
            CandidatesOption::File(path) => format!("file {path:?}"),
            CandidatesOption::Each(all) => {
                let public: Vec<_> = all.iter().map(|(name, _, own)| (name, own)).collect();
                format!("{public:?}")
            }
            CandidatesOption::Common(all) => {
                format!("{:?}", all.iter().map(|(name, _)| name).collect::<Vec<_>>())
            }
        };
        let budget = (k, above, epsilon, delta, sensitivity, neighbors);
        format!("{candidates}\n{:?}", (columns, budget, monotonic, mechanism, parameters))
    }

    /// The public part of the candidates in a file; its scores are not interpreted.
    ///
    /// # Errors
    ///
    /// As for [`PublicCandidates::read_columns`]; `Request` if there is no file.
    pub fn read_public(&self) -> Result<PublicCandidates> {
        let CandidatesOption::File(path) = &self.candidates else {
            return Err(Error::request("candidates in a file have a public part"));
        };
        let columns = self.candidate_columns()?;
        let mut public = PublicCandidates::read_columns(path, &columns, self.common_sensitivity())?;
        if self.takes_largest() {
            let largest = public.sensitivities.iter().copied().max().unwrap_or(1);
            public.sensitivities.fill(largest);
        }
        Ok(public)
    }

    /// Whether the candidates are in a file that can be read again for their scores.
    pub(crate) fn reads_again(&self) -> bool {
        matches!(&self.candidates, CandidatesOption::File(path) if reads_again(path))
    }

    fn takes_largest(&self) -> bool {
        self.sensitivity.as_deref() == Some(LARGEST)
    }

    fn common_sensitivity(&self) -> Option<&str> {
        self.sensitivity.as_deref().filter(|given| *given != LARGEST)
    }

    /// The columns of a file.
    ///
    /// # Errors
    ///
    /// `Request` for a role other than name, score and sensitivity.
    pub fn candidate_columns(&self) -> Result<CandidateColumns> {
        let mut columns = CandidateColumns::default();
        for (role, name) in &self.columns {
            let column = match role.as_str() {
                "name" => &mut columns.name,
                "score" => &mut columns.score,
                "sensitivity" => &mut columns.sensitivity,
                _ => {
                    let rule = "the columns are name, score and sensitivity";
                    return Err(Error::request(rule).about([Parameter::CandidateColumns]));
                }
            };
            *column = Some(name.clone());
        }
        Ok(columns)
    }
}
