//! The columns of a file of candidates.

use crate::error::{Error, Parameter, Result};

/// The columns of a file of candidates, by their names in the header.
///
/// If no column is given, the file must have exactly the columns `name,score` or
/// `name,score,sensitivity`. If one is given, the others have these names, and further columns are
/// ignored.
///
/// ```no_run
/// use dpsis::{CandidateColumns, Candidates};
///
/// let mut columns = CandidateColumns::default();
/// columns.name = Some("model".into());
/// columns.score = Some("accuracy".into());
/// let candidates = Candidates::read_columns("models.csv", &columns, Some("0.01"))?;
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CandidateColumns {
    /// The column of names; by default `name`.
    pub name: Option<String>,
    /// The column of scores; by default `score`.
    pub score: Option<String>,
    /// The column of sensitivities; by default `sensitivity`, if there is one.
    pub sensitivity: Option<String>,
}

/// The places of the columns, from 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) name: usize,
    pub(super) score: usize,
    pub(super) sensitivity: Option<usize>,
}

impl CandidateColumns {
    /// Finds the columns in a header, which is public.
    ///
    /// # Errors
    ///
    /// `Request` if a given column is missing or has two roles; `Input` if no column is given and
    /// the header differs, or if a name occurs twice.
    pub(super) fn places(&self, header: &[String]) -> Result<Places> {
        if *self == Self::default() {
            let names: Vec<String> =
                header.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
            return match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["name", "score"] => Ok(Places { name: 0, score: 1, sensitivity: None }),
                ["name", "score", "sensitivity"] => {
                    Ok(Places { name: 0, score: 1, sensitivity: Some(2) })
                }
                _ => {
                    let rule = "the columns must be name,score or name,score,sensitivity";
                    Err(Error::input(rule)
                        .hint("in another file give the columns")
                        .about([Parameter::CandidateColumns]))
                }
            };
        }
        let name = find(header, self.name.as_deref(), "name")?;
        let score = find(header, self.score.as_deref(), "score")?;
        let has_default = header.iter().any(|name| is_default(name, "sensitivity"));
        let sensitivity = (self.sensitivity.is_some() || has_default)
            .then(|| find(header, self.sensitivity.as_deref(), "sensitivity"))
            .transpose()?;
        if name == score || [name, score].map(Some).contains(&sensitivity) {
            return Err(two_roles());
        }
        Ok(Places { name, score, sensitivity })
    }
}

/// The columns of a file whose scores are not read, from 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PublicPlaces {
    pub(super) sensitivity: Option<usize>,
    /// Whether there is a column of scores.
    pub(super) has_scores: bool,
}

impl CandidateColumns {
    /// Finds the public columns in a header: as [`places`](Self::places), but the column of scores
    /// may be missing unless it is given.
    ///
    /// # Errors
    ///
    /// As for [`places`](Self::places).
    pub(super) fn public_places(&self, header: &[String]) -> Result<PublicPlaces> {
        let without_scores = self.score.is_none()
            && !header.iter().any(|name| is_default(name, "score"))
            && (*self != Self::default()
                || matches!(header, [name, own] if is_default(name, "name") && is_default(own, "sensitivity")));
        if !without_scores {
            let Places { sensitivity, .. } = self.places(header)?;
            return Ok(PublicPlaces { sensitivity, has_scores: true });
        }
        let name = find(header, self.name.as_deref(), "name")?;
        let sensitivity = find(header, self.sensitivity.as_deref(), "sensitivity")?;
        if name == sensitivity {
            return Err(two_roles());
        }
        Ok(PublicPlaces { sensitivity: Some(sensitivity), has_scores: false })
    }
}

fn two_roles() -> Error {
    Error::request("one column cannot be two of name, score and sensitivity")
        .about([Parameter::CandidateColumns])
}

/// The place of the column that is given for a role, or whose name is that of the role.
fn find(header: &[String], given: Option<&str>, role: &str) -> Result<usize> {
    let is_it = |name: &String| match given {
        Some(given) => name.trim() == given.trim(),
        None => is_default(name, role),
    };
    let mut places = (0..header.len()).filter(|&place| is_it(&header[place]));
    let name = given.unwrap_or(role);
    let Some(place) = places.next() else {
        let error = Error::request(format!("there is no column {name:?} for the {role}"));
        return Err(error.about([Parameter::CandidateColumns]).or_near(header, name));
    };
    match places.next() {
        Some(again) => Err(Error::input("a column name occurs twice").at(None, Some(again + 1))),
        None => Ok(place),
    }
}

/// Whether a name is that of a role, ignoring case.
fn is_default(name: &str, role: &str) -> bool {
    name.trim().eq_ignore_ascii_case(role)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    /// The places of the given columns (empty: not given) in a header.
    fn places(header: &str, given: [&str; 3]) -> Result<Places> {
        let header: Vec<String> = header.split(',').map(str::to_owned).collect();
        let [name, score, sensitivity] =
            given.map(|name| (!name.is_empty()).then(|| name.to_owned()));
        CandidateColumns { name, score, sensitivity }.places(&header)
    }

    #[test]
    fn columns_are_found() {
        let found = |name, score, sensitivity| Places { name, score, sensitivity };
        for (header, given, expected) in [
            ("Name,SCORE", ["", "", ""], found(0, 1, None)),
            ("name,score,sensitivity", ["", "", ""], found(0, 1, Some(2))),
            ("id,auc,model,seconds", ["model", "auc", ""], found(2, 1, None)),
            ("x, score ,Name", ["", "x", ""], found(2, 0, None)),
            ("score,model", ["model", "", ""], found(1, 0, None)),
            ("Sensitivity,score,model", ["model", "", ""], found(2, 1, Some(0))),
            ("d,sensitivity,score,name", ["", "", "d"], found(3, 2, Some(0))),
        ] {
            assert_eq!(places(header, given).unwrap(), expected, "{header} {given:?}");
        }
    }

    #[test]
    fn scores_may_be_missing() {
        let public = |header: &str, given: [&str; 3]| {
            let header: Vec<String> = header.split(',').map(str::to_owned).collect();
            let [name, score, sensitivity] =
                given.map(|name| (!name.is_empty()).then(|| name.to_owned()));
            CandidateColumns { name, score, sensitivity }.public_places(&header)
        };
        let found = |sensitivity, has_scores| PublicPlaces { sensitivity, has_scores };
        for (header, given, expected) in [
            ("name,sensitivity", ["", "", ""], found(Some(1), false)),
            ("name,score,sensitivity", ["", "", ""], found(Some(2), true)),
            ("name,score", ["", "", ""], found(None, true)),
            ("model,x,sensitivity", ["model", "", ""], found(Some(2), false)),
            ("model,auc,d", ["model", "auc", "d"], found(Some(2), true)),
        ] {
            assert_eq!(public(header, given).unwrap(), expected, "{header} {given:?}");
        }
        // The column of scores is not taken for sensitivities.
        for (header, given) in [
            ("name,score", ["", "", "score"]),
            ("name,auc", ["", "auc", "auc"]),
            ("model,auc,sensitivity", ["", "", ""]),
            ("name,sensitivity", ["nix", "", ""]),
            ("name,sensitivity", ["", "auc", ""]),
            ("name,sensitivity", ["", "", "name"]),
        ] {
            assert!(public(header, given).is_err(), "{header} {given:?}");
        }
    }

    #[test]
    fn invalid_columns_are_refused() {
        for (header, given, kind) in [
            ("score,name", ["", "", ""], ErrorKind::Input),
            ("name,score,x", ["", "", ""], ErrorKind::Input),
            ("name,score,x", ["model", "", ""], ErrorKind::Request),
            ("name,auc", ["name", "", ""], ErrorKind::Request),
            ("name,score", ["", "", "sensitivity"], ErrorKind::Request),
            ("name,score", ["score", "", ""], ErrorKind::Request),
            ("name,score,d", ["", "d", "d"], ErrorKind::Request),
            ("a,b,a", ["a", "b", ""], ErrorKind::Input),
        ] {
            let error = places(header, given).unwrap_err();
            assert_eq!(error.kind(), kind, "{header} {given:?}: {error}");
        }
        let error = places("Model,score", ["model", "", ""]).unwrap_err().to_string();
        assert!(error.contains("did you mean \"Model\"?"), "{error}");
    }
}
