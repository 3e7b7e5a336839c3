//! Strata by covariates: groups of comparable samples.
//!
//! The stratum of a sample is a function of its cells and of public options: the cut points of a
//! number, or the levels of a category. The strata of several covariates are crossed. A sample with
//! a missing covariate, or one at no given level, is in no stratum.

use std::str::FromStr;

use crate::error::{Error, Parameter, Result};
use crate::table::cell::{Cell, CellFormat};
use crate::table::levels::{LevelValues, Levels};
use crate::table::schema::Schema;

/// The largest number of strata.
const MAX_STRATA: usize = 1000;

/// A covariate, and the strata that it divides samples into.
///
/// As a text: `age:40,60` sets cut points for three strata, below 40, from 40 to below 60, and from
/// 60 on; `time:06:30,12:00` sets times of day, with two digits for the hour; `sex=F,M` sets
/// levels, with one stratum for each.
///
/// ```
/// use dpsis::Covariate;
///
/// assert_eq!("age:40,60".parse::<Covariate>()?, Covariate::cuts("age", [40.0, 60.0])?);
/// assert_eq!("sex=F,M".parse::<Covariate>()?, Covariate::levels("sex", ["F", "M"])?);
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Covariate {
    name: String,
    division: Division,
}

#[derive(Debug, Clone, PartialEq)]
enum Division {
    /// Strictly increasing.
    Cuts(Vec<f64>),
    Levels(Levels),
}

fn of_covariates(error: Error) -> Error {
    error.about([Parameter::Covariates])
}

fn refuse(rule: impl Into<String>) -> Error {
    of_covariates(Error::request(rule))
}

impl Covariate {
    /// A covariate of numbers (or dates) with these cut points: a value at a cut point belongs
    /// above it.
    ///
    /// # Errors
    ///
    /// `Request` unless there is a cut point and they are finite and increase.
    pub fn cuts(name: impl Into<String>, cuts: impl IntoIterator<Item = f64>) -> Result<Self> {
        let (name, cuts) = (name.into(), Vec::from_iter(cuts));
        if cuts.is_empty()
            || !cuts.is_sorted_by(|a, b| a < b)
            || !cuts.iter().all(|c| c.is_finite())
        {
            return Err(refuse(format!(
                "the cut points of {name:?} must be numbers that increase"
            )));
        }
        Ok(Self { name, division: Division::Cuts(cuts) })
    }

    /// A covariate with these levels: categories or numbers.
    ///
    /// # Errors
    ///
    /// As for [`Levels::new`].
    pub fn levels<L: Into<String>>(
        name: impl Into<String>,
        levels: impl IntoIterator<Item = L>,
    ) -> Result<Self> {
        let levels = Levels::new(name, levels).map_err(of_covariates)?;
        Ok(Self { name: levels.name().to_owned(), division: Division::Levels(levels) })
    }

    /// The name of its column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Checks that no level is a code for missing values in this format.
    ///
    /// # Errors
    ///
    /// `Request` if one is.
    pub(crate) fn check(&self, format: &CellFormat) -> Result<()> {
        match &self.division {
            Division::Cuts(_) => Ok(()),
            Division::Levels(levels) => levels.values(format).map(|_| ()).map_err(of_covariates),
        }
    }

    /// The names of the strata by this covariate alone.
    pub(crate) fn strata_names(&self) -> Vec<String> {
        let name = &self.name;
        match &self.division {
            Division::Levels(levels) => {
                levels.texts().iter().map(|level| format!("{name}={level}")).collect()
            }
            Division::Cuts(cuts) => {
                let first = cuts.first().map(|cut| format!("{name} below {cut}"));
                let others = cuts.iter().map(|cut| format!("{name} from {cut}"));
                first.into_iter().chain(others).collect()
            }
        }
    }

    /// The number of strata by this covariate alone.
    fn strata(&self) -> usize {
        match &self.division {
            Division::Cuts(cuts) => cuts.len() + 1,
            Division::Levels(levels) => levels.texts().len(),
        }
    }
}

impl FromStr for Covariate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some((name, levels)) = text.rsplit_once('=') {
            return Self::levels(name.trim(), levels.split(','));
        }
        let format = CellFormat::default();
        let number = |cut: &str| format.number(cut.as_bytes()).unwrap_or(f64::NAN);
        // A name may contain a colon, and so do times of day.
        let is_time = |cut: &str| {
            cut.trim().len() >= 5 && matches!(format.cell(cut.as_bytes()), Cell::Time(_))
        };
        let mut splits = text.match_indices(':').map(|(at, _)| (&text[..at], &text[at + 1..]));
        let of_times = splits.find(|(_, cuts)| cuts.split(',').all(is_time));
        let Some((name, cuts)) = of_times.or_else(|| text.rsplit_once(':')) else {
            let rule = format!("{text:?} has neither cut points nor levels of a covariate");
            return Err(refuse(rule).hint("as in age:40,60 or sex=F,M"));
        };
        Self::cuts(name.trim(), cuts.split(',').map(number))
    }
}

impl std::fmt::Display for Covariate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.division {
            Division::Cuts(cuts) => {
                let cuts: Vec<String> = cuts.iter().map(f64::to_string).collect();
                write!(f, "{}:{}", self.name, cuts.join(","))
            }
            Division::Levels(levels) => levels.fmt(f),
        }
    }
}

/// The number of strata of these covariates crossed; 1 without any.
///
/// # Errors
///
/// `Request` if a covariate is given twice, or there is one stratum, or more than 1,000.
pub(crate) fn strata_of(covariates: &[Covariate]) -> Result<usize> {
    let twice = |i: usize| covariates[..i].iter().any(|other| other.name == covariates[i].name);
    if let Some(i) = (0..covariates.len()).find(|i| twice(*i)) {
        return Err(refuse(format!("the covariate {:?} is given twice", covariates[i].name)));
    }
    let strata = covariates.iter().try_fold(1usize, |all, one| all.checked_mul(one.strata()));
    if strata == Some(1) && !covariates.is_empty() {
        return Err(refuse(
            "the covariates make one stratum, which adjusts for nothing".to_owned(),
        )
        .hint("give all levels, or cut points; to use the rows of one level alone, filter the table first"));
    }
    strata.filter(|strata| *strata <= MAX_STRATA).ok_or_else(|| {
        refuse(format!("the covariates make more than {MAX_STRATA} strata"))
            .hint("the center of each is estimated from its own rows: give fewer cut points")
    })
}

/// The strata of a table's samples.
pub(crate) struct Strata {
    /// The place of each covariate among the values of a sample, and its division.
    parts: Vec<(usize, Cells)>,
}

enum Cells {
    Cuts(Vec<f64>),
    Levels(LevelValues),
}

impl Strata {
    /// The strata by these covariates, which are features of the schema.
    ///
    /// # Errors
    ///
    /// `Request` if there is no such feature, or a level is a code for missing values in this
    /// format.
    pub(crate) fn new(
        covariates: &[Covariate],
        schema: &Schema,
        format: &CellFormat,
    ) -> Result<Self> {
        let part = |covariate: &Covariate| {
            let place = schema.place_of_feature(&covariate.name, Parameter::Covariates)?;
            Ok(match &covariate.division {
                Division::Cuts(cuts) => (place, Cells::Cuts(cuts.clone())),
                Division::Levels(levels) => {
                    (place, Cells::Levels(levels.values(format).map_err(of_covariates)?))
                }
            })
        };
        Ok(Self { parts: covariates.iter().map(part).collect::<Result<_>>()? })
    }

    /// The places of the covariates among the values of a sample.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().map(|(place, _)| *place)
    }

    /// The stratum of a sample, from 0, by its values; `None` if it is in no stratum.
    pub(crate) fn stratum(&self, value: impl Fn(usize) -> f64) -> Option<u16> {
        let mut stratum = 0;
        for (place, cells) in &self.parts {
            let value = value(*place);
            let (of_one, strata) = match cells {
                Cells::Cuts(cuts) if value.is_finite() => {
                    (cuts.partition_point(|cut| *cut <= value), cuts.len() + 1)
                }
                Cells::Cuts(_) => return None,
                Cells::Levels(levels) => (levels.of(value)?, levels.len()),
            };
            stratum = stratum * strata + of_one;
        }
        u16::try_from(stratum).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stratum(covariates: &[&str], values: &[&str]) -> Option<u16> {
        let covariates: Vec<Covariate> =
            covariates.iter().map(|covariate| covariate.parse().unwrap()).collect();
        let names = covariates.iter().map(|covariate| covariate.name.clone());
        let schema =
            Schema::of_rows(names.collect(), &crate::table::TargetRole::Apart, &[]).unwrap();
        let format = CellFormat::default();
        let strata = Strata::new(&covariates, &schema, &format).unwrap();
        strata.stratum(|place| format.value(values[place].as_bytes()))
    }

    #[test]
    fn cut_points_belong_above() {
        let age = |age: &str| stratum(&["age:40,60"], &[age]);
        assert_eq!(
            ["-1e9", "39.9", "40", "59", "60", "1e300"].map(age),
            [0, 0, 1, 1, 2, 2].map(Some)
        );
        assert_eq!(["", "NA", "old", "inf"].map(age), [None; 4]);
        let day = |day: &str| stratum(&["day:2020-01-01"], &[day]);
        assert_eq!([day("2019-12-31"), day("2020-01-01")], [Some(0), Some(1)]);
        let time = |time: &str| stratum(&["time:06:30,12:00"], &[time]);
        assert_eq!(["06:29", "06:30", "12:00"].map(time), [0, 1, 2].map(Some));
        for name in ["part:b", "visit:1"] {
            let covariate: Covariate = format!("{name}:40,60").parse().unwrap();
            assert_eq!(covariate, Covariate::cuts(name, [40.0, 60.0]).unwrap());
            assert_eq!(covariate.to_string().parse::<Covariate>().unwrap(), covariate);
        }
        for wrong in ["age:", "age", "age:x", "a:b:x"] {
            assert!(wrong.parse::<Covariate>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn levels_are_compared_as_cells() {
        let sex = |sex: &str| stratum(&["sex = F, M"], &[sex]);
        assert_eq!(["F", " M ", "m", "", "x"].map(sex), [Some(0), Some(1), None, None, None]);
        let grade = |grade: &str| stratum(&["grade=1,2,0"], &[grade]);
        assert_eq!(["1.0", "2", "-0", "3"].map(grade), [Some(0), Some(1), Some(2), None]);
    }

    /// A code for missing values is not a level: cells without a value belong to no stratum.
    #[test]
    fn codes_for_missing_values_are_not_levels() {
        for level in ["NA", "", " nan"] {
            assert!(Covariate::levels("sex", ["F", level]).is_err(), "{level:?}");
        }
        let names = vec!["sex".to_owned()];
        let schema = Schema::of_rows(names, &crate::table::TargetRole::Apart, &[]).unwrap();
        let covariates = ["sex=F,M".parse().unwrap()];
        let refused = |code: &str| {
            let format = CellFormat::new(false, [code]);
            Strata::new(&covariates, &schema, &format).err().map(|error| error.to_string())
        };
        assert_eq!(refused("-9"), None);
        assert!(refused("F").unwrap().contains("missing value"));
    }

    #[test]
    fn one_stratum_is_refused() {
        let strata = |texts: &[&str]| {
            let covariates: Vec<Covariate> =
                texts.iter().map(|text| text.parse().unwrap()).collect();
            strata_of(&covariates)
        };
        assert_eq!(strata(&[]).unwrap(), 1);
        assert_eq!(strata(&["sex=F", "age:40"]).unwrap(), 2);
        assert!(strata(&["sex=F"]).unwrap_err().to_string().contains("one stratum"));
    }

    #[test]
    fn strata_are_crossed() {
        let both = |age: &str, sex: &str| stratum(&["age:40,60", "sex=F,M"], &[age, sex]);
        let all = [("1", "F"), ("1", "M"), ("50", "F"), ("50", "M"), ("70", "F"), ("70", "M")];
        assert_eq!(all.map(|(age, sex)| both(age, sex)), [0, 1, 2, 3, 4, 5].map(Some));
        assert_eq!([both("", "F"), both("1", "")], [None, None]);
    }

    #[test]
    fn invalid_covariates_are_refused() {
        for text in [
            "age", "age:", "age:x", "age:2,1", "age:1,1", "age:inf", "sex=", "sex=F,F", "sex=F,",
            "g=1,1.0",
        ] {
            assert!(text.parse::<Covariate>().is_err(), "{text}");
        }
        let of = |texts: &[&str]| {
            strata_of(&texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>())
        };
        assert_eq!(of(&[]).unwrap(), 1);
        assert_eq!(of(&["a:1,2", "b=x,y"]).unwrap(), 6);
        assert!(of(&["a:1", "a=x"]).is_err());
        let many = |name: &str| {
            format!("{name}={}", (0..40).map(|i| i.to_string()).collect::<Vec<_>>().join(","))
        };
        assert!(of(&[&many("a"), &many("b")]).is_err());
        for text in ["age:40,60.5", "sex=F,M"] {
            assert_eq!(text.parse::<Covariate>().unwrap().to_string(), text);
        }
    }
}
