//! The methods and scales that are compared, as they are written.

use std::path::PathBuf;

use dpsis::internals::check_k;
use dpsis::mechanism::{Parameters, Sensitivity, by_id};
use dpsis::{Error, Result};

/// A method to compare: `dp-sis`, `two-stage`, `dpkendall`, `sis` or `random`, with a mechanism where it
/// takes one, on a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// The method.
    pub method: ArmMethod,
    /// The mechanism's name, if it is not the method's own.
    pub mechanism: Option<String>,
    /// How features are scaled for it.
    pub scale: ArmScale,
    /// Whether classes are taken for numbers in alphabetical order, of a public range, as the LASSO that
    /// is the truth takes them.
    pub ordered: bool,
}

/// The methods that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArmMethod {
    /// Private selection by scores.
    DpSis,
    /// The two-stage LASSO.
    TwoStage,
    /// Greedy private selection by Kendall's correlation.
    DpKendall,
    /// The best scores, without noise: not private.
    Sis,
    /// Features at random.
    Random,
}

/// How features are scaled.
#[derive(Debug, Clone, PartialEq)]
pub enum ArmScale {
    /// The default of `select`.
    Default,
    /// Ranks within the row.
    RowRank,
    /// Kendall's correlation, which needs no scale.
    Kendall,
    /// By the data, as the paper does: not private.
    Paper,
    /// By the data: columns by their range, the target as in the paper; not private.
    Range,
    /// One range for all features.
    Bounds(f64, f64),
    /// A range for each feature from a CSV file.
    BoundsFile(PathBuf),
    /// One pair of bounds for all features: the 1% and 99% quantiles of all values, as if public.
    PooledQuantiles,
    /// So many standard deviations around the mean of each feature in the other half of the samples, as
    /// if from a public reference.
    OtherHalf(f64),
}

impl Arm {
    /// `method` or `method:mechanism`.
    ///
    /// # Errors
    ///
    /// `Request` if there is no such method or mechanism, or the method takes none.
    pub fn parse(text: &str, scale: ArmScale) -> Result<Self> {
        let (method, mechanism) = match text.split_once(':') {
            Some((method, mechanism)) => (method, Some(mechanism.to_owned())),
            None => (text, None),
        };
        let method = match method {
            "dp-sis" => ArmMethod::DpSis,
            "two-stage" => ArmMethod::TwoStage,
            "dpkendall" => ArmMethod::DpKendall,
            "sis" => ArmMethod::Sis,
            "random" => ArmMethod::Random,
            _ => {
                return Err(Error::request("there is no such method to compare").hint(
                    "the methods are dp-sis, two-stage (each also with a mechanism, as in \
                     dp-sis:joint), dpkendall, sis, random",
                ));
            }
        };
        if let Some(id) = &mechanism {
            if !matches!(method, ArmMethod::DpSis | ArmMethod::TwoStage) {
                return Err(Error::request("only dp-sis and two-stage take a mechanism"));
            }
            let mechanism = by_id(id, &Parameters::default())?;
            if mechanism.card().sensitivity == Sensitivity::Own {
                return Err(Error::request(format!(
                    "{id} is for scores with a sensitivity each; features share one"
                )));
            }
        }
        let scale = match (method, scale) {
            // One scales nothing, the other takes values.
            (ArmMethod::DpKendall, _) | (ArmMethod::TwoStage, ArmScale::Kendall) => {
                ArmScale::Default
            }
            (_, scale) => scale,
        };
        Ok(Self { method, mechanism, scale, ordered: false })
    }

    /// Whether it can pick k.
    ///
    /// # Errors
    ///
    /// `Request` if its mechanism picks one.
    pub fn check(&self, k: usize) -> Result<()> {
        let Some(id) = &self.mechanism else { return Ok(()) };
        check_k(by_id(id, &Parameters::default())?.card(), k)
    }

    /// As it is written.
    pub fn name(&self) -> String {
        let method = match self.method {
            ArmMethod::DpSis => "dp-sis",
            ArmMethod::TwoStage => "two-stage",
            ArmMethod::DpKendall => "dpkendall",
            ArmMethod::Sis => "sis",
            ArmMethod::Random => "random",
        };
        match &self.mechanism {
            Some(mechanism) => format!("{method}:{mechanism}"),
            None => method.to_owned(),
        }
    }

    /// The same with classes as numbers.
    pub(crate) fn ordered(self) -> Self {
        Self { ordered: true, ..self }
    }

    /// The scale in a word, and how classes are taken.
    pub fn scale_name(&self) -> String {
        let scale = self.scale.name();
        if self.ordered { format!("{scale}, classes as numbers") } else { scale }
    }
}

impl ArmScale {
    fn name(&self) -> String {
        match self {
            Self::Default => "default".to_owned(),
            Self::RowRank => "row-rank".to_owned(),
            Self::Kendall => "kendall".to_owned(),
            Self::Paper => "paper".to_owned(),
            Self::Range => "range".to_owned(),
            Self::Bounds(low, high) => format!("bounds {low} {high}"),
            Self::BoundsFile(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                format!("bounds-file {name}")
            }
            Self::PooledQuantiles => "one pair of bounds".to_owned(),
            Self::OtherHalf(deviations) => format!("bounds at {deviations} sd"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_parsed_and_named() {
        for text in ["dp-sis", "dp-sis:joint", "two-stage:canonical", "dpkendall", "sis", "random"]
        {
            assert_eq!(Arm::parse(text, ArmScale::Paper).unwrap().name(), text);
        }
        for wrong in ["", "dpsis", "dp-sis:", "dp-sis:best", "sis:joint", "dpkendall:peel"] {
            assert!(Arm::parse(wrong, ArmScale::Default).is_err(), "{wrong}");
        }
    }
}
