//! A request as text, numbers and lists, shared by all interfaces: the command line, Python, a JSON
//! file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Parameter, Result, word};
use crate::json::read_options;
use crate::mechanism::{Parameters, by_id};
use crate::request::builder::Select;
use crate::request::fields::{Center, Method, SHARES, Shares, Target, TwoStage};
use crate::request::weights::Weights;
use crate::table::{Bounds, Covariate, FeatureSets, Scaling, TimeToEvent, UnitTarget};

/// The options of a selection, as text, numbers and lists. As JSON it is one object of all fields;
/// a field that is left out has the default that [`Select`] gives it.
///
/// ```
/// use dpsis::SelectOptions;
///
/// let json = r#"{"k": 5, "epsilon": "2", "classes": ["well", "ill"], "bounds": [0, 100]}"#;
/// let request = SelectOptions::from_json(json)?.request()?.check()?;
/// // The parts of the budget for a table of 300 features.
/// assert_eq!(request.spending(300)?.len(), 3);
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SelectOptions {
    /// The number of features to select; without one, all significant features.
    pub k: Option<usize>,
    /// The bound on the probability of any false discovery.
    pub fwer: Option<String>,
    /// The largest number of features to name.
    pub at_most: Option<usize>,
    /// The target.
    #[serde(flatten)]
    pub target: TargetOptions,
    /// How features are scored.
    #[serde(flatten)]
    pub scoring: ScoringOptions,
    /// The guarantee, and how the budget is divided.
    #[serde(flatten)]
    pub privacy: PrivacyOptions,
    /// How features are found.
    #[serde(flatten)]
    pub method: MethodOptions,
    /// The resources of the run, on which the result does not depend.
    #[serde(flatten)]
    pub running: RunningOptions,
}

/// The options of the target.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TargetOptions {
    /// The labels of its classes.
    pub classes: Option<Vec<String>>,
    /// The column of times to an event.
    pub time: Option<String>,
    /// The column of events, and the value that means that the event happened.
    pub event: Option<(String, String)>,
    /// The horizon: the classes are no event by then, and an event by then.
    pub by: Option<Number>,
    /// The range of a number.
    pub target_bounds: Option<(Number, Number)>,
    /// Whether it is a number of unknown range.
    pub target_number: bool,
    /// `last`, `mean` or `any-positive`: how the targets of a person's rows are combined into the
    /// target of the person.
    pub unit_target: Option<String>,
    /// Covariates, such as `age:40,60` or `sex=F,M`.
    pub adjust: Vec<String>,
    /// Its center.
    pub center: Option<CenterOption>,
}

/// The center of the target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CenterOption {
    /// A public mean, or share of the second class.
    Value(f64),
    /// `private` or `none`.
    Word(String),
    /// The public share of each class.
    Shares(Vec<(String, Number)>),
}

/// The options of the score of features.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ScoringOptions {
    /// `ks`, `correlation` or `kendall`.
    pub score: Option<String>,
    /// The ranges of features.
    pub bounds: Option<BoundsOption>,
    /// `bounds`, `row-rank` or `cpm`.
    pub scale: Option<String>,
    /// The feature sets to select from, instead of single features.
    pub groups: Option<GroupsOption>,
    /// The smallest and the largest number of members of the sets that are used.
    pub group_size: Option<(usize, Option<usize>)>,
}

/// The ranges of features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BoundsOption {
    /// One for all.
    All(Number, Number),
    /// By name; `*` stands for all others.
    ByName(Vec<(String, Number, Number)>),
    /// A CSV file `feature,lo,hi`.
    File(PathBuf),
}

/// Sets of features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GroupsOption {
    /// Their names and members.
    ByName(Vec<(String, Vec<String>)>),
    /// A GMT file.
    File(PathBuf),
}

/// Public weights of features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WeightsOption {
    /// By name.
    ByName(Vec<(String, Number)>),
    /// A CSV file `feature,weight`.
    File(PathBuf),
}

/// The options of the guarantee. Numbers that are read exactly are given as text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PrivacyOptions {
    /// The budget.
    pub epsilon: Option<String>,
    /// A delta that may be spent in addition.
    pub delta: Option<String>,
    /// `add-remove` or `replace-one`.
    pub neighbors: Option<String>,
    /// Shares of the budget for `target`, `center`, `estimates` and `direction`.
    pub shares: BTreeMap<String, String>,
    /// Whether directions are released.
    pub direction: bool,
}

/// The options of the method and its mechanism.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MethodOptions {
    /// `dp-sis`, `two-stage` or `dpkendall`.
    pub method: Option<String>,
    /// The number of blocks of the two-stage method.
    pub blocks: Option<u64>,
    /// The LASSO penalty of the two-stage method.
    pub penalty: Option<Number>,
    /// `gram`.
    pub refine: Option<String>,
    /// Public weights of features.
    pub weights: Option<WeightsOption>,
    /// The uniform share of the prior of weights.
    pub weights_uniform: Option<Number>,
    /// The id of the mechanism.
    pub mechanism: Option<String>,
    /// Its parameters.
    pub parameters: BTreeMap<String, String>,
}

/// The resources of a run; its result does not depend on them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunningOptions {
    /// The memory limit, in bytes.
    pub memory: Option<u64>,
    /// The number of threads.
    pub threads: Option<usize>,
}

/// A number; one that JSON cannot represent, such as NaN, is read from its text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "NumberText")]
pub struct Number(pub f64);

#[derive(Deserialize)]
#[serde(untagged)]
enum NumberText {
    Number(f64),
    Text(String),
}

impl From<NumberText> for Number {
    fn from(read: NumberText) -> Self {
        Self(match read {
            NumberText::Number(value) => value,
            NumberText::Text(text) => text.parse().unwrap_or(f64::NAN),
        })
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

impl SelectOptions {
    /// Reads a JSON object of options.
    ///
    /// # Errors
    ///
    /// `Request` if the text is not a JSON object, for an option that does not exist or a value of
    /// another kind.
    pub fn from_json(json: &str) -> Result<Self> {
        read_options(json)
    }

    /// The request, unchecked.
    ///
    /// # Errors
    ///
    /// `Request` for an unknown value or options that exclude each other; the errors of reading a
    /// file of sets.
    pub fn request(&self) -> Result<Select> {
        self.apply_to(self.names()?)
    }

    /// A request with the number of features to select, and no other options.
    ///
    /// # Errors
    ///
    /// `Request` if both k and a bound on false discoveries are given.
    pub fn names(&self) -> Result<Select> {
        let mut select = match self.k {
            Some(_) if self.fwer.is_some() || self.at_most.is_some() => {
                let rule = "k features are selected, or all significant: a bound on false discoveries, or on the number \
                            of names, goes without k";
                let about = [Parameter::K, Parameter::Fwer, Parameter::AtMost];
                return Err(Error::request(rule).about(about));
            }
            Some(k) => return Ok(Select::new(k)),
            None => Select::significant(),
        };
        if let Some(alpha) = &self.fwer {
            select = select.fwer(alpha);
        }
        Ok(match self.at_most {
            Some(names) => select.at_most(names),
            None => select,
        })
    }

    /// Sets all of these options but the number of features in a request.
    ///
    /// # Errors
    ///
    /// As for [`request`](Self::request).
    pub fn apply_to(&self, select: Select) -> Result<Select> {
        let select = self.scoring.apply_to(self.target.apply_to(select)?)?;
        self.apply_release_to(select)
    }

    /// Sets the center, the guarantee, the method and the resources: the remaining options where
    /// the sums are given.
    ///
    /// # Errors
    ///
    /// As for [`request`](Self::request).
    pub fn apply_release_to(&self, select: Select) -> Result<Select> {
        let select = self.privacy.apply_to(self.target.apply_center_to(select)?)?;
        let mut select = self.method.apply_to(select)?;
        if let Some(memory) = self.running.memory {
            select = select.memory(memory);
        }
        Ok(match self.running.threads {
            Some(threads) => select.threads(threads),
            None => select,
        })
    }
}

impl TargetOptions {
    /// The kind of the target, if it is given.
    ///
    /// # Errors
    ///
    /// `Request` if two kinds are given, or for an invalid range.
    pub fn kind(&self) -> Result<Option<Target>> {
        if let Some(events) = self.time_to_event()? {
            return Ok(Some(Target::TimeToEvent(events)));
        }
        let wrong =
            |rule: &str, other| Err(Error::request(rule).about([Parameter::Classes, other]));
        Ok(match (&self.classes, self.target_bounds) {
            (Some(_), Some(_)) => {
                let rule = "the target is one of classes, or a number in a range: not both";
                return wrong(rule, Parameter::TargetBounds);
            }
            (Some(_), None) if self.target_number => {
                let rule = "the target is one of classes, or a number: not both";
                return wrong(rule, Parameter::TargetNumber);
            }
            (Some(labels), None) => Some(Target::Classes(labels.clone())),
            (None, Some((low, high))) => {
                let bounds = range(low, high, Parameter::TargetBounds)?;
                Some(Target::Bounded(bounds))
            }
            (None, None) => self.target_number.then_some(Target::Numeric),
        })
    }

    /// The target at a horizon, if its options are given: all three are required, and no other
    /// kind.
    fn time_to_event(&self) -> Result<Option<TimeToEvent>> {
        const OWN: [Parameter; 3] = [Parameter::Time, Parameter::Event, Parameter::Horizon];
        let given = [self.time.is_some(), self.event.is_some(), self.by.is_some()];
        let (Some(time), Some((event, value)), Some(by)) = (&self.time, &self.event, self.by)
        else {
            if given == [false; 3] {
                return Ok(None);
            }
            let rule = "a target at a horizon takes a column of times, the event and the horizon";
            return Err(Error::request(rule)
                .hint("give all three, such as time days, event died=1, by 1825")
                .about(OWN));
        };
        let others = [
            (self.classes.is_some(), Parameter::Classes),
            (self.target_bounds.is_some(), Parameter::TargetBounds),
            (self.target_number, Parameter::TargetNumber),
        ];
        if let Some((_, other)) = others.into_iter().find(|(is_given, _)| *is_given) {
            let rule = "a target at a horizon has its own two classes: no others, and no number";
            return Err(Error::request(rule)
                .hint("leave out the other option, or the times, the events and the horizon")
                .about([other].into_iter().chain(OWN)));
        }
        TimeToEvent::new(time, (event, value), by.0).map(Some)
    }

    fn apply_to(&self, mut select: Select) -> Result<Select> {
        if let Some(target) = self.kind()? {
            select = select.target(target);
        }
        if let Some(rule) = self.rule_of_people()? {
            select = select.unit_target(rule);
        }
        Ok(select.adjust(self.covariates()?))
    }

    /// The rule for the target of a person, if it is given.
    ///
    /// # Errors
    ///
    /// `Request` for a text that is no rule.
    pub(crate) fn rule_of_people(&self) -> Result<Option<UnitTarget>> {
        self.unit_target.as_deref().map(str::parse).transpose()
    }

    /// The covariates.
    ///
    /// # Errors
    ///
    /// `Request` for a text that is no covariate.
    pub(crate) fn covariates(&self) -> Result<Vec<Covariate>> {
        self.adjust.iter().map(|text| text.parse()).collect()
    }

    fn apply_center_to(&self, select: Select) -> Result<Select> {
        Ok(match &self.center {
            None => select,
            Some(CenterOption::Value(value)) => select.center(Center::Given(*value)),
            Some(CenterOption::Shares(all)) => {
                let all = all.iter().map(|(label, share)| (label.clone(), share.0));
                select.center(Center::Shares(all.collect()))
            }
            Some(CenterOption::Word(given)) => {
                let words = [("private", true), ("none", false)];
                let private = word(Parameter::Center, given, &words)?;
                select.center(if private { Center::Private } else { Center::None })
            }
        })
    }
}

impl ScoringOptions {
    /// Sets these options in a request.
    ///
    /// # Errors
    ///
    /// As for [`SelectOptions::request`].
    fn apply_to(&self, mut select: Select) -> Result<Select> {
        #[derive(Clone, Copy, PartialEq)]
        enum Scale {
            Bounds,
            RowRank,
            PerMillion,
        }
        if let Some(score) = &self.score {
            select = select.score(score.parse()?);
        }
        let words =
            [("bounds", Scale::Bounds), ("row-rank", Scale::RowRank), ("cpm", Scale::PerMillion)];
        let scale = self.scale.as_ref().map(|given| word(Parameter::Scaling, given, &words));
        let scale = scale.transpose()?;
        let wrong = |rule: &str| {
            Err(Error::request(rule).about([
                Parameter::Bounds,
                Parameter::BoundsFile,
                Parameter::Scaling,
            ]))
        };
        if scale == Some(Scale::PerMillion) {
            select = select.counts_per_million();
        }
        select = match (&self.bounds, scale) {
            (Some(_), Some(Scale::RowRank)) => {
                return wrong("bounds and row ranks exclude each other");
            }
            (None, Some(Scale::Bounds)) => return wrong("to scale by bounds, give them"),
            (None, Some(Scale::RowRank)) => select.scaling(Scaling::RowRank),
            (None, _) => select,
            (Some(BoundsOption::All(low, high)), _) => {
                select.scaling(Scaling::Bounds(range(*low, *high, Parameter::Bounds)?))
            }
            (Some(BoundsOption::File(path)), _) => select.bounds_file(path),
            (Some(BoundsOption::ByName(all)), _) => {
                let named = |(name, low, high): &(String, Number, Number)| {
                    Ok((name.clone(), range(*low, *high, Parameter::Bounds)?))
                };
                select.bounds_by_name(all.iter().map(named).collect::<Result<Vec<_>>>()?)
            }
        };
        let sets = match &self.groups {
            None => return Ok(select),
            Some(GroupsOption::File(path)) => FeatureSets::read(path)?,
            Some(GroupsOption::ByName(sets)) => {
                let sets = sets.iter().map(|(name, members)| (name.as_str(), members));
                FeatureSets::new(sets).map_err(|error| error.about([Parameter::Groups]))?
            }
        };
        Ok(select.groups(match self.group_size {
            Some((least, most)) => sets.sizes(least, most),
            None => sets,
        }))
    }
}

impl PrivacyOptions {
    fn apply_to(&self, mut select: Select) -> Result<Select> {
        if let Some(epsilon) = &self.epsilon {
            select = select.epsilon(epsilon);
        }
        if let Some(delta) = &self.delta {
            select = select.delta(delta);
        }
        if let Some(neighbors) = &self.neighbors {
            select = select.neighbors(neighbors.parse()?);
        }
        let mut shares = Shares::default();
        for (name, share) in &self.shares {
            let slot = match name.as_str() {
                "target" => &mut shares.target,
                "center" => &mut shares.center,
                "estimates" => &mut shares.estimates,
                "direction" => &mut shares.direction,
                _ => {
                    let rule = "shares are of target, center, estimates and direction";
                    return Err(Error::request(rule).about([Parameter::Shares]));
                }
            };
            *slot = Some(share.into());
        }
        match (self.direction, &shares.direction) {
            (true, None) => shares.direction = Some(SHARES[3].1[0].into()),
            (false, Some(_)) => {
                let rule = "the share of directions needs the release of directions";
                return Err(Error::request(rule).about([Parameter::Direction, Parameter::Shares]));
            }
            _ => {}
        }
        Ok(select.all_shares(shares))
    }
}

impl MethodOptions {
    fn apply_to(&self, mut select: Select) -> Result<Select> {
        let words = [
            ("dp-sis", Method::Scores),
            ("two-stage", Method::TwoStage(TwoStage::default())),
            ("dpkendall", Method::DpKendall),
        ];
        let given = self.method.as_deref().unwrap_or("dp-sis");
        let mut method = word(Parameter::Method, given, &words)?;
        let default = match &mut method {
            Method::TwoStage(options) => {
                options.blocks = self.blocks;
                options.penalty = self.penalty.map_or(options.penalty, |penalty| penalty.0);
                "peel"
            }
            _ if self.blocks.is_some() || self.penalty.is_some() => {
                let rule = "blocks and a penalty belong to the two-stage method";
                return Err(Error::request(rule).about([Parameter::Method]));
            }
            _ => "canonical",
        };
        if let Some(refine) = &self.refine {
            select = select.refine(refine.parse()?);
        }
        let weights = match &self.weights {
            None => None,
            Some(WeightsOption::File(path)) => Some(Weights::read(path)?),
            Some(WeightsOption::ByName(all)) => {
                Some(Weights::new(all.iter().map(|(name, weight)| (name.as_str(), weight.0)))?)
            }
        };
        select = match (weights, self.weights_uniform) {
            (Some(weights), Some(share)) => select.weights(weights.uniform(share.0)?),
            (Some(weights), None) => select.weights(weights),
            (None, None) => select,
            (None, Some(_)) => {
                let rule = "a uniform share of weights needs weights";
                return Err(
                    Error::request(rule).about([Parameter::WeightsUniform, Parameter::Weights])
                );
            }
        };
        // Without a given mechanism, the program chooses.
        if self.mechanism.is_some() || !self.parameters.is_empty() {
            let id = self.mechanism.as_deref().unwrap_or(default);
            select = select.mechanism(by_id(id, &Parameters::named(&self.parameters)?)?);
        }
        Ok(select.method(method))
    }
}

fn range(low: Number, high: Number, about: Parameter) -> Result<Bounds> {
    Bounds::new(low.0, high.0).map_err(|error| error.about([about]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn request(json: &str) -> Result<Select> {
        SelectOptions::from_json(json)?.request()
    }

    /// JSON options make the same request as the methods of the builder.
    #[test]
    fn options_equal_the_builder() {
        let full = r#"{"k": 3, "epsilon": "1/2", "classes": ["a", "b"], "unit_target": "any-positive",
            "adjust": ["sex=F,M"], "center": "private", "score": "correlation", "bounds": [0, "10"],
            "scale": "cpm", "groups": [["s", ["x", "y"]]], "group_size": [2, null],
            "neighbors": "add-remove", "shares": {"center": "0.2"}, "mechanism": "peel", "threads": 2}"#;
        let built = Select::new(3)
            .epsilon("1/2")
            .target(Target::classes(["a", "b"]))
            .unit_target(UnitTarget::AnyPositive)
            .adjust(["sex=F,M".parse().unwrap()])
            .score(crate::ScoreKind::Correlation)
            .counts_per_million()
            .bounds(0.0, 10.0)
            .groups(FeatureSets::new([("s", ["x", "y"])]).unwrap().sizes(2, None))
            .shares("0.1", "0.2")
            .mechanism(crate::mechanism::Peel)
            .threads(2);
        let given = request(full).unwrap().into_request();
        let built = built.into_request();
        assert_eq!(format!("{given:?}"), format!("{built:?}"));
        assert_eq!((given.groups, given.per_million), (built.groups, true));
        let center = |shares: &Shares| shares.center.as_ref().map(ToString::to_string);
        assert_eq!(center(&given.shares), center(&built.shares));
        assert_eq!((given.covariates, given.threads), (built.covariates, Some(2)));
        assert_eq!(given.people.rule, built.people.rule);
        let options = SelectOptions::from_json(full).unwrap();
        let again = serde_json::to_string(&options).unwrap();
        assert_eq!(SelectOptions::from_json(&again).unwrap(), options, "{again}");
    }

    #[test]
    fn invalid_options_are_refused() {
        for (json, words) in [
            (r#"{"k": 1, "epsilom": 2}"#, "did you mean \"epsilon\"?"),
            (r#"{"k": "S3CR3T"}"#, "\"k\" has a value of another kind"),
            (r#"{"bounds": 3}"#, "\"bounds\" has a value of another kind"),
            ("[]", "a JSON object"),
            ("{", "a JSON object"),
            (r#"{"score": "S3CR3T"}"#, r#"one of "ks", "correlation", "kendall""#),
            (r#"{"bounds": ["nan", 1]}"#, "bounds"),
            (r#"{"bounds": [0, 1], "scale": "row-rank"}"#, "exclude each other"),
            (r#"{"scale": "bounds"}"#, "give them"),
            (r#"{"classes": ["a"], "target_number": true}"#, "not both"),
            (r#"{"shares": {"direction": "0.1"}}"#, "the release of directions"),
            (r#"{"shares": {"other": "0.1"}}"#, "shares are of"),
            (r#"{"blocks": 3}"#, "two-stage"),
            (r#"{"parameters": {"delta": "1"}}"#, "parameter of this name"),
        ] {
            let error = request(json).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Request);
            let text = error.to_string();
            assert!(text.contains(words) && !text.contains("S3CR3T"), "{json}: {text}");
        }
    }
}
