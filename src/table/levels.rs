//! The given levels of a categorical column: the categories that it may contain.
//!
//! A cell is at a level if it has the value of the level's text: `1`, `1.0` and `true` are the same
//! level, and upper and lower case of other texts differ. Levels that are numbers are written with
//! a point, also where the table has decimal commas. The level is a function of the cell and of the
//! given levels.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Parameter, Result};
use crate::table::cell::CellFormat;
use crate::table::schema::Schema;
use crate::table::word::{nth_word, word_of};

/// A column with the levels that its cells may be at: public knowledge, not read from the data.
///
/// As a text: `stage=I,II,III,IV`.
///
/// ```
/// use dpsis::Levels;
///
/// assert_eq!("sex = F, M".parse::<Levels>()?, Levels::new("sex", ["F", "M"])?);
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    name: String,
    texts: Vec<String>,
}

impl Levels {
    /// The levels of a column: categories or numbers. The order matters where the first level is
    /// the reference.
    ///
    /// # Errors
    ///
    /// `Request` unless there are levels, none stands for a missing value, and all differ.
    pub fn new<L: Into<String>>(
        name: impl Into<String>,
        levels: impl IntoIterator<Item = L>,
    ) -> Result<Self> {
        let texts = levels.into_iter().map(|level| level.into().trim_ascii().to_owned()).collect();
        let levels = Self { name: name.into(), texts };
        levels.values(&CellFormat::default())?;
        Ok(levels)
    }

    /// The name of the column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The levels, in order.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The values of levels, read like cells with the missing values of this format. A level must
    /// not be a missing value, because missing cells would then be at a level.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub(crate) fn values(&self, format: &CellFormat) -> Result<LevelValues> {
        let format = format.with_point();
        let value = |level: &String| bits(format.value(level.as_bytes()));
        let values: Vec<u64> = self.texts.iter().map(value).collect();
        let name = &self.name;
        if values.is_empty() || (1..values.len()).any(|i| values[..i].contains(&values[i])) {
            return Err(Error::request(format!(
                "the levels of {name:?} must be texts that differ"
            )));
        }
        if values.contains(&f64::NAN.to_bits()) {
            let rule = format!("a level of {name:?} stands for a missing value");
            return Err(Error::request(rule));
        }
        Ok(LevelValues(values))
    }
}

/// The bits of a value, the same for both zeros.
fn bits(value: f64) -> u64 {
    (value + 0.0).to_bits()
}

/// The values of the cells at each of some levels, by their bits.
#[derive(Debug, Clone)]
pub(crate) struct LevelValues(Vec<u64>);

/// The nearest 4-byte float, which a column of such floats holds; a category is unchanged.
fn short(level: u64) -> u64 {
    let value = f64::from_bits(level);
    if value.is_nan() { level } else { f64::from(value as f32).to_bits() }
}

impl LevelValues {
    /// The level of a cell by its value, from 0; `None` if it is at no level.
    pub(crate) fn of(&self, value: f64) -> Option<usize> {
        let value = bits(value);
        self.0.iter().position(|level| *level == value || short(*level) == value)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl FromStr for Levels {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let Some((name, levels)) = text.rsplit_once('=') else {
            let rule = format!("{text:?} gives no levels of a column");
            return Err(Error::request(rule).hint("as in stage=I,II,III,IV"));
        };
        Self::new(name.trim(), levels.split(','))
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.texts.join(","))
    }
}

/// The values that a model uses: numbers, and in columns with given levels only the levels, as
/// [numbered words](nth_word). All other values are missing.
#[derive(Debug)]
pub(crate) struct NumbersAndLevels {
    /// The levels of each column that has some, by its place.
    columns: Vec<(usize, LevelValues)>,
    /// Whether the table has words.
    words: bool,
}

impl NumbersAndLevels {
    /// The map for a table with these features.
    ///
    /// # Errors
    ///
    /// `Request` if a column is not a feature, or a level is a code for missing
    /// values in this format.
    pub(crate) fn new(
        levels: &[Levels],
        schema: &Schema,
        (format, words): (&CellFormat, bool),
    ) -> Result<Self> {
        let column = |levels: &Levels| {
            let place = schema.place_of_feature(levels.name(), Parameter::Levels)?;
            let values = levels.values(format);
            Ok((place, values.map_err(|error| error.about([Parameter::Levels]))?))
        };
        Ok(Self { columns: levels.iter().map(column).collect::<Result<_>>()?, words })
    }

    /// Maps the values of a sample in place.
    pub(crate) fn map(&self, values: &mut [f64]) {
        // Levels first, because a number may be a level.
        let level = |(place, levels): &(usize, LevelValues)| {
            let value = values[*place];
            let is_read = self.words || !value.is_nan();
            (*place, is_read.then(|| levels.of(value)).flatten())
        };
        let at: Vec<(usize, Option<usize>)> = self.columns.iter().map(level).collect();
        values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = f64::NAN);
        for (place, level) in at {
            values[place] = level.map_or(f64::NAN, nth_word);
        }
    }
}

/// The number of the level that a [mapped](NumbersAndLevels) value stands for; `None` if it is not
/// a level.
pub(crate) fn level_of(value: f64) -> Option<usize> {
    word_of(value).map(|word| word as usize - 1)
}
