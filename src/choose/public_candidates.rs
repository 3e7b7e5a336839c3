//! The public part of a file of candidates.

use std::path::Path;

use crate::choose::CandidateColumns;
use crate::choose::candidates::{common_sensitivity, number_in, units_of};
use crate::error::Result;
use crate::exact::Decimal;
use crate::table::SideFile;

/// The public part of a file of candidates: the input of
/// [`recommend`](crate::mechanism::recommend).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PublicCandidates {
    /// The sensitivities, in a common unit.
    pub sensitivities: Vec<u64>,
    /// Whether the file has a column of scores.
    pub has_scores: bool,
}

impl PublicCandidates {
    /// Reads the sensitivities of a file of candidates. Its scores may be missing and are not
    /// interpreted. Only a file that is not valid CSV is refused for a cell of any column, with its
    /// row. Without a column of sensitivities a common one must be given.
    ///
    /// # Errors
    ///
    /// `Request` if the sensitivity is given nowhere or both in the file and as argument, or a
    /// given column is missing or has two roles; `Input` if a sensitivity is not a positive decimal
    /// number; `Io` if the file cannot be read.
    pub fn read_columns(
        path: impl AsRef<Path>,
        columns: &CandidateColumns,
        sensitivity: Option<&str>,
    ) -> Result<Self> {
        let file = SideFile::read_any(path.as_ref())?;
        let places = columns.public_places(&file.header)?;
        let common = common_sensitivity(places.sensitivity.is_some(), sensitivity)?;
        let own = |(i, row): (usize, &Vec<Vec<u8>>)| -> Option<Result<Decimal>> {
            let place = places.sensitivity?;
            let at = (Some(i as u64 + 1), Some(place + 1));
            Some(number_in(&row[place]).map_err(|error| error.into_input().at(at.0, at.1)))
        };
        let each: Vec<Decimal> =
            file.rows.iter().enumerate().filter_map(own).collect::<Result<_>>()?;
        let given = common.map_or(each, |common| vec![common]);
        let (_, units) = units_of(&given).map_err(|error| match error.place() {
            Some(_) => error.into_input(),
            None => error,
        })?;
        let sensitivities = match places.sensitivity {
            Some(_) => units,
            None => vec![units[0]; file.rows.len()],
        };
        Ok(Self { sensitivities, has_scores: places.has_scores })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, common: Option<&str>) -> Result<PublicCandidates> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("candidates.csv");
        std::fs::write(&path, text).unwrap();
        PublicCandidates::read_columns(&path, &CandidateColumns::default(), common)
    }

    #[test]
    fn scores_are_not_interpreted() {
        let expected = |has_scores| PublicCandidates {
            sensitivities: vec![50_000_000, 200_000_000],
            has_scores,
        };
        assert_eq!(read("name,sensitivity\na,0.5\nb,2\n", None).unwrap(), expected(false));
        let with_scores = "name,score,sensitivity\na,secret,0.5\nb,,2\n";
        assert_eq!(read(with_scores, None).unwrap(), expected(true));
        let common = read("name,score\na,1\nb,2\n", Some("3")).unwrap();
        assert_eq!(common.sensitivities, [30_000_000; 2]);
    }

    #[test]
    fn invalid_files_are_refused() {
        assert!(read("name,score\na,1\n", None).is_err());
        assert!(read("name,sensitivity\na,1\n", Some("1")).is_err());
        assert!(read("name,sensitivity\na,0\n", None).is_err());
        let error = read("name,sensitivity\na,1\nb,x\n", None).unwrap_err().to_string();
        assert!(error.contains("row 2, column 2"), "{error}");
    }
}
