//! Methods and scales to compare, and their names on the command line and in results.

use std::path::PathBuf;

use dpsis::internals::check_k;
use dpsis::mechanism::{Parameters, Sensitivity, by_id};
use dpsis::{Error, Parameter, Result};

/// A method to compare with its mechanism and scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// The method.
    pub method: ArmMethod,
    /// The name of the mechanism; `None` for the default of the method.
    pub mechanism: Option<String>,
    /// The scaling of the features.
    pub scale: ArmScale,
    /// Whether the class labels are replaced by numbers in alphabetical order and treated as a
    /// numeric target with public bounds, as in the LASSO that defines the true features.
    pub ordered: bool,
}

/// The methods that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArmMethod {
    /// Private selection by scores (`dp-sis`).
    DpSis,
    /// All significant features, at most k (`significant`), at the usual bound on false
    /// discoveries.
    Significant,
    /// The two-stage LASSO (`two-stage`).
    TwoStage,
    /// Greedy private selection by Kendall's correlation (`dpkendall`).
    DpKendall,
    /// The best scores without noise (`sis`): not private.
    Sis,
    /// Features drawn uniformly at random (`random`).
    Random,
}

/// A scaling of the features.
#[derive(Debug, Clone, PartialEq)]
pub enum ArmScale {
    /// The default of `select` for the method.
    Default,
    /// Ranks within the row.
    RowRank,
    /// Counts per million, otherwise the default of `select` for the method.
    CountsPerMillion,
    /// Kendall's correlation, which needs no scaling.
    Kendall,
    /// The preprocessing of the DP-SIS paper, computed from the data: not private.
    Paper,
    /// Columns scaled to [-1, 1] by their range, the target as in the paper, computed from the
    /// data: not private.
    Range,
    /// One pair of bounds, low and high, for all features.
    Bounds(f64, f64),
    /// Bounds for each feature from a CSV file with the columns `feature,lo,hi`.
    BoundsFile(PathBuf),
    /// One pair of bounds for all features: the 1% and 99% quantiles of all values, treated as
    /// public.
    PooledQuantiles,
    /// This many standard deviations around the mean of each feature in the other half of the rows,
    /// treated as a public reference.
    OtherHalf(f64),
}

impl ArmScale {
    /// The scale of a name. `bounds` is the scale that the name `bounds` means.
    ///
    /// # Errors
    ///
    /// `Request` for another name, or if no bounds are given.
    pub fn parse(text: &str, bounds: Option<Self>) -> Result<Self> {
        let deviations = text.strip_suffix("sd").and_then(|number| number.parse::<f64>().ok());
        Ok(match (text, deviations) {
            ("default", _) => Self::Default,
            ("cpm", _) => Self::CountsPerMillion,
            ("row-rank", _) => Self::RowRank,
            ("kendall", _) => Self::Kendall,
            ("paper", _) => Self::Paper,
            ("quantiles", _) => Self::PooledQuantiles,
            ("bounds", _) => bounds.ok_or_else(|| {
                Error::request("the scale bounds needs given bounds")
                    .about([Parameter::Bounds, Parameter::BoundsFile])
            })?,
            (_, Some(deviations)) if deviations > 0.0 && deviations.is_finite() => {
                Self::OtherHalf(deviations)
            }
            _ => {
                return Err(Error::request("there is no such scale").hint(
                    "the scales are default, cpm, row-rank, kendall, bounds, paper, quantiles, 1sd",
                ));
            }
        })
    }
}

impl Arm {
    /// Parses `METHOD` or `METHOD:MECHANISM`, for example `dp-sis:joint`.
    ///
    /// # Errors
    ///
    /// `Request` if the method or the mechanism is unknown, or if the method takes no mechanism.
    pub fn parse(text: &str, scale: ArmScale) -> Result<Self> {
        let (method, mechanism) = match text.split_once(':') {
            Some((method, mechanism)) => (method, Some(mechanism.to_owned())),
            None => (text, None),
        };
        let method = match method {
            "dp-sis" => ArmMethod::DpSis,
            "significant" => ArmMethod::Significant,
            "two-stage" => ArmMethod::TwoStage,
            "dpkendall" => ArmMethod::DpKendall,
            "sis" => ArmMethod::Sis,
            "random" => ArmMethod::Random,
            _ => {
                return Err(Error::request("there is no such method to compare").hint(
                    "the methods are dp-sis, two-stage (each also with a mechanism, as in \
                     dp-sis:joint), significant, dpkendall, sis, random",
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
            // DPKendall does not scale; the two-stage LASSO needs values, not ranks of pairs.
            (ArmMethod::DpKendall, _) | (ArmMethod::TwoStage, ArmScale::Kendall) => {
                ArmScale::Default
            }
            // Requests without a significance threshold.
            (
                ArmMethod::Significant,
                ArmScale::RowRank
                | ArmScale::CountsPerMillion
                | ArmScale::Kendall
                | ArmScale::Paper
                | ArmScale::Range,
            ) => ArmScale::Default,
            (_, scale) => scale,
        };
        Ok(Self { method, mechanism, scale, ordered: false })
    }

    /// Checks that the mechanism can pick `k` features.
    ///
    /// # Errors
    ///
    /// `Request` if `k` is larger than the mechanism allows.
    pub fn check(&self, k: usize) -> Result<()> {
        let Some(id) = &self.mechanism else { return Ok(()) };
        check_k(by_id(id, &Parameters::default())?.card(), k)
    }

    /// The name as [`Arm::parse`] takes it.
    pub fn name(&self) -> String {
        let method = match self.method {
            ArmMethod::DpSis => "dp-sis",
            ArmMethod::Significant => "significant",
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

    /// Returns the same method with class labels treated as numbers.
    pub fn ordered(self) -> Self {
        Self { ordered: true, ..self }
    }

    /// The name of the scale, with a suffix if class labels are treated as numbers.
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
            Self::CountsPerMillion => "cpm".to_owned(),
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
        let all = "dp-sis dp-sis:joint significant two-stage:canonical dpkendall sis random";
        for text in all.split(' ') {
            assert_eq!(Arm::parse(text, ArmScale::Paper).unwrap().name(), text);
        }
        for wrong in ["", "dpsis", "dp-sis:", "dp-sis:best", "sis:joint", "dpkendall:peel"] {
            assert!(Arm::parse(wrong, ArmScale::Default).is_err(), "{wrong}");
        }
    }
}
