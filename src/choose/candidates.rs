//! Candidates with exactly parsed scores.

use std::collections::HashSet;
use std::path::Path;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive};

use crate::choose::CandidateColumns;
use crate::error::{Error, Parameter, Result};
use crate::exact::{Decimal, parse_rational};
use crate::privacy::Neighbors;
use crate::score::Scores;
use crate::table::SideFile;

/// Candidates by name with their scores, which are private data, and their sensitivities, which are
/// public.
///
/// Scores are decimal numbers, parsed exactly and rounded down to whole units: the unit is a power
/// of ten, a ten-millionth of the smallest sensitivity or less. So scores in [0, 1] work as well as
/// counts. Scores beyond 2^62 units count as that many.
///
/// ```
/// use dpsis::{Candidates, Choose, Neighbors};
///
/// let accuracy = [("lasso", "0.8125"), ("ridge", "0.79"), ("forest", "0.871")];
/// let candidates = Candidates::new(accuracy, "0.005")?;
/// let choice = Choose::new(1).epsilon("20").run(&candidates)?;
/// assert_eq!(choice.selected[0].name, "forest"); // wrong with probability below e^-100
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Clone)]
pub struct Candidates {
    names: Vec<String>,
    scores: Vec<i64>,
    sensitivities: Given,
    /// The decimal exponent of one unit of the scores.
    exponent: i32,
}

/// The largest score or sensitivity, in units.
const MAX_UNITS: i64 = (1 << 62) - 1;

/// The decimal places of a unit below the first digit of the smallest sensitivity.
const PLACES: i32 = 7;

#[derive(Clone)]
enum Given {
    Common(u64),
    Each(Vec<u64>),
}

impl Candidates {
    /// Candidates with scores and one common sensitivity, all as decimal text. The sensitivity is
    /// the largest change of any score by one unit of the data.
    ///
    /// # Errors
    ///
    /// `Request` if a text is not a decimal number; if a name is empty, contains a line break or
    /// occurs twice; if the sensitivity is not positive; or if sensitivities differ
    /// by more than a factor of 10^10.
    pub fn new<N: Into<String>, T: AsRef<str>>(
        scores: impl IntoIterator<Item = (N, T)>,
        sensitivity: &str,
    ) -> Result<Self> {
        let (names, values) = split(scores)?;
        Self::on_one_unit(names, values, vec![number(sensitivity)?], false)
    }

    /// Candidates, each with a score and its own sensitivity.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_sensitivities<N: Into<String>, T: AsRef<str>>(
        candidates: impl IntoIterator<Item = (N, T, T)>,
    ) -> Result<Self> {
        let mut sensitivities = Vec::new();
        let mut scores = Vec::new();
        for (name, score, sensitivity) in candidates {
            sensitivities.push(number(sensitivity.as_ref())?);
            scores.push((name, score));
        }
        let (names, values) = split(scores)?;
        Self::on_one_unit(names, values, sensitivities, true)
    }

    /// Reads a CSV file of names, scores and, in a column or as argument, sensitivities.
    ///
    /// # Errors
    ///
    /// `Request` if the sensitivity is given nowhere or both in the file and as argument, if a
    /// given column is not in the file or is given for two roles; `Input` with its row if the file
    /// is malformed or a cell is not a decimal number; `Io` if it cannot be read.
    pub fn read_columns(
        path: impl AsRef<Path>,
        columns: &CandidateColumns,
        sensitivity: Option<&str>,
    ) -> Result<Self> {
        let file = SideFile::read_any(path.as_ref())?;
        let places = columns.places(&file.header)?;
        let own = places.sensitivity.is_some();
        let given = common_sensitivity(own, sensitivity)?;
        let (mut names, mut values, mut sensitivities) = (Vec::new(), Vec::new(), Vec::new());
        for (i, row) in file.rows.iter().enumerate() {
            let at = |column| {
                move |error: Error| error.into_input().at(Some(i as u64 + 1), Some(column))
            };
            let name = std::str::from_utf8(&row[places.name])
                .map_err(|_| Error::input("the cell is not text in UTF-8"));
            names.push(name.map_err(at(places.name + 1))?.to_owned());
            values.push(number_in(&row[places.score]).map_err(at(places.score + 1))?);
            if let Some(place) = places.sensitivity {
                sensitivities.push(number_in(&row[place]).map_err(at(place + 1))?);
            }
        }
        sensitivities.extend(given);
        Self::on_one_unit(names, values, sensitivities, own).map_err(|error| match error.place() {
            Some(_) => error.into_input(),
            None => error,
        })
    }

    fn on_one_unit(
        names: Vec<String>,
        values: Vec<Decimal>,
        sensitivities: Vec<Decimal>,
        own: bool,
    ) -> Result<Self> {
        let mut seen = HashSet::new();
        for (i, name) in names.iter().enumerate() {
            let refuse = |rule: &str| Err(Error::request(rule).at(Some(i as u64 + 1), Some(1)));
            if name.is_empty() || name.contains(['\n', '\r', '\0']) {
                return refuse("the candidate's name is empty or holds a line break");
            }
            if !seen.insert(name) {
                return refuse("a candidate's name occurs twice");
            }
        }
        let (exponent, mut each) = units_of(&sensitivities)?;
        let scores = values.iter().map(|value| score_in_units(value, exponent)).collect();
        let sensitivities = match (own, each.pop()) {
            (false, Some(common)) => Given::Common(common),
            (_, last) => {
                each.extend(last);
                Given::Each(each)
            }
        };
        Ok(Self { names, scores, sensitivities, exponent })
    }

    /// The same candidates with the largest of their sensitivities as the common one, for
    /// mechanisms that need a common one.
    pub fn with_the_largest_sensitivity(mut self) -> Self {
        if let Given::Each(each) = &self.sensitivities {
            self.sensitivities = Given::Common(each.iter().copied().max().unwrap_or(1));
        }
        self
    }

    /// One unit of the integer [`scores`](Self::scores): a power of ten, by the sensitivities.
    pub fn unit(&self) -> f64 {
        10f64.powi(self.exponent)
    }

    /// The score that larger ones count as, if it is less than a million times the largest
    /// sensitivity: then sensitivities differ much.
    pub(super) fn small_limit(&self) -> Option<f64> {
        let is_small = self.largest_units() > MAX_UNITS.unsigned_abs() / 1_000_000;
        is_small.then(|| MAX_UNITS as f64 * self.unit())
    }

    /// The names, in the order of the input.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The scores as input for a mechanism.
    ///
    /// # Errors
    ///
    /// `Request` if there is no candidate, or if monotonic scores are requested for neighbors that
    /// replace a unit.
    pub fn scores(&self, neighbors: Neighbors, monotonic: bool) -> Result<Scores> {
        let values = self.scores.clone();
        let scores = match &self.sensitivities {
            Given::Common(sensitivity) => Scores::new(values, *sensitivity, neighbors)?,
            Given::Each(each) => Scores::with_sensitivities(values, each.clone(), neighbors)?,
        };
        if monotonic { scores.monotonic() } else { Ok(scores) }
    }

    /// The largest sensitivity, as text.
    pub(super) fn sensitivity(&self) -> String {
        Decimal { digits: self.largest_units().into(), exponent: self.exponent }.to_string()
    }

    fn largest_units(&self) -> u64 {
        match &self.sensitivities {
            Given::Common(sensitivity) => *sensitivity,
            Given::Each(each) => each.iter().copied().max().unwrap_or(0),
        }
    }

    /// The largest sensitivity, in the unit in which scores were given.
    pub(super) fn largest_sensitivity(&self) -> BigRational {
        parse_rational(&self.sensitivity()).unwrap_or_else(BigRational::one)
    }

    /// Whether each candidate has its own sensitivity.
    pub(super) fn have_own_sensitivities(&self) -> bool {
        matches!(self.sensitivities, Given::Each(_))
    }
}

impl std::fmt::Debug for Candidates {
    /// Omits the scores.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Candidates").field("names", &self.names).finish_non_exhaustive()
    }
}

fn split<N: Into<String>, T: AsRef<str>>(
    scores: impl IntoIterator<Item = (N, T)>,
) -> Result<(Vec<String>, Vec<Decimal>)> {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for (name, score) in scores {
        names.push(name.into());
        values.push(number(score.as_ref())?);
    }
    Ok((names, values))
}

/// A number in units of a power of ten, rounded by this division.
fn in_units(number: &Decimal, exponent: i32, divide: fn(&BigInt, &BigInt) -> BigInt) -> BigInt {
    let power = BigInt::from(10).pow((number.exponent - exponent).unsigned_abs());
    match number.exponent < exponent {
        true => divide(&number.digits, &power),
        false => &number.digits * power,
    }
}

/// A score in units, rounded down and clipped to [`MAX_UNITS`].
///
/// # Privacy
///
/// No digit of a score decides about anything but its own value. Every sensitivity is a number m of
/// units, and a score that is at most m units larger is at most m whole units larger once both are
/// rounded down: floor(x + m) = floor(x) + m, and floor is monotonic. Nor do two scores move apart
/// when both are clipped. Monotonic scores stay monotonic.
fn score_in_units(score: &Decimal, exponent: i32) -> i64 {
    let units = in_units(score, exponent, Integer::div_floor);
    let limit = if units.is_negative() { -MAX_UNITS } else { MAX_UNITS };
    units.to_i64().map_or(limit, |units| units.clamp(-MAX_UNITS, MAX_UNITS))
}

/// The decimal exponent of the unit for these sensitivities, which are public, and the
/// sensitivities in units, rounded up.
///
/// # Errors
///
/// `Request`, with its row, if one of them is not positive; if they differ too much.
pub(super) fn units_of(sensitivities: &[Decimal]) -> Result<(i32, Vec<u64>)> {
    if let Some(i) = sensitivities.iter().position(|number| !number.digits.is_positive()) {
        let error = Error::request("a sensitivity must be above 0");
        // A common sensitivity is in no row.
        return Err(match sensitivities.len() {
            1 => error,
            _ => error.at(Some(i as u64 + 1), None),
        });
    }
    let digits = |number: &Decimal| i32::try_from(number.digits.to_string().len()).unwrap_or(0);
    let first = sensitivities.iter().map(|number| number.exponent + digits(number) - 1).min();
    let exponent = first.unwrap_or(0) - PLACES;
    let units = |number: &Decimal| {
        let units = in_units(number, exponent, Integer::div_ceil).to_u64();
        units.filter(|units| *units <= MAX_UNITS.unsigned_abs())
    };
    let units: Option<Vec<u64>> = sensitivities.iter().map(units).collect();
    let units = units.ok_or_else(|| {
        Error::request("the largest sensitivity is more than 10^10 times the smallest one")
            .hint("leave out the candidates with the smallest")
            .about([Parameter::Sensitivity])
    })?;
    Ok((exponent, units))
}

/// Parses the common sensitivity; `None` if the file has a column of sensitivities.
///
/// # Errors
///
/// `Request` if it is given nowhere or twice, or is not a decimal number.
pub(super) fn common_sensitivity(in_file: bool, given: Option<&str>) -> Result<Option<Decimal>> {
    match (in_file, given) {
        (true, Some(_)) => {
            Err(Error::request("the file gives sensitivities, so no common one can be given")
                .hint("the largest one of the file can be taken for all")
                .about([Parameter::Sensitivity]))
        }
        (false, None) => Err(Error::request("no sensitivity is given")
            .hint("give one for all, or the column of them")
            .about([Parameter::Sensitivity, Parameter::CandidateColumns])),
        (false, Some(given)) => number(given).map(Some),
        (true, None) => Ok(None),
    }
}

/// The decimal number in a cell.
pub(super) fn number_in(cell: &[u8]) -> Result<Decimal> {
    let text = std::str::from_utf8(cell);
    number(text.map_err(|_| Error::input("the cell is not text in UTF-8"))?)
}

fn number(text: &str) -> Result<Decimal> {
    Decimal::parse(text)
        .ok_or_else(|| Error::request("a score or sensitivity is not a decimal number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_in_units_of_the_sensitivity() {
        let scores = [("a", "0.25"), ("b", "1e-3"), ("c", "-2"), ("d", "30"), ("e", "-1e-20")];
        let candidates = Candidates::new(scores, "0.5").unwrap();
        let scores = candidates.scores(Neighbors::AddRemove, false).unwrap();
        let unit = 100_000_000;
        let expected = [unit / 4, unit / 1000, -2 * unit, 30 * unit, -1];
        assert_eq!((scores.values(), candidates.unit()), (&expected[..], 1e-8));
        let sensitivity = (scores.sensitivity(), candidates.sensitivity());
        assert_eq!(sensitivity, (50_000_000, "0.5".to_owned()));
        // Rounded up.
        let third = Candidates::new([("a", "0.95"), ("b", "0.47")], "0.00066666666666666").unwrap();
        let scores = third.scores(Neighbors::AddRemove, false).unwrap();
        assert_eq!((scores.values()[0], scores.sensitivity()), (95_000_000_000, 66_666_667));
    }

    /// Neither the size nor the digits of a score end a run or change another score, and
    /// neighboring scores stay neighbors.
    #[test]
    fn scores_are_rounded_and_clipped() {
        let units = |score: &str| {
            let candidates = Candidates::new([("a", score), ("b", "1.25")], "1").unwrap();
            let scores = candidates.scores(Neighbors::AddRemove, false).unwrap();
            assert_eq!((scores.values()[1], scores.sensitivity()), (12_500_000, 10_000_000));
            scores.values()[0]
        };
        let limit = (1 << 62) - 1;
        assert_eq!(units("461168601842.73"), 4_611_686_018_427_300_000);
        for large in ["461168601842.738791", "461168601843", "4e15", "1e300"] {
            assert_eq!((units(large), units(&format!("-{large}"))), (limit, -limit), "{large}");
        }
        for (small, expected) in [("5e-324", 0), ("-5e-324", -1), ("1.2345678901234567e-05", 123)] {
            assert_eq!(units(small), expected, "{small}");
        }
        // A step of the sensitivity.
        let steps = ["0.12345678901234567", "1.12345678901234567"].map(units);
        assert_eq!(steps[1] - steps[0], 10_000_000);
    }

    #[test]
    fn sensitivities_that_differ_much() {
        let with =
            |large: &str| Candidates::with_sensitivities([("a", "1", "1"), ("b", "1", large)]);
        assert_eq!(with("1e5").unwrap().small_limit(), None);
        let limit = with("1e6").unwrap().small_limit().unwrap();
        assert!((limit - 4.6e11).abs() < 1e10, "{limit}");
        assert!(with("1e12").is_err());
    }

    #[test]
    fn invalid_candidates_are_refused() {
        let new = |scores: &[(&str, &str)], s: &str| Candidates::new(scores.to_vec(), s).is_err();
        assert!(new(&[("a", "1"), ("a", "2")], "1") && new(&[("", "1")], "1"));
        assert!(new(&[("a", "x")], "1") && new(&[("a", "nan")], "1") && new(&[("a", "1/3")], "1"));
        assert!(new(&[("a", "1")], "0") && new(&[("a", "1")], "-1") && new(&[("a\nb", "1")], "1"));
        assert!(!new(&[("a", "1e15"), ("b", "1e-5")], "1"));
        assert!(Candidates::with_sensitivities([("a", "1", "1"), ("b", "1", "0")]).is_err());
    }
}
