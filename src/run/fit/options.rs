//! Options of a fit as text, numbers and lists, shared by all interfaces.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Parameter, Result};
use crate::json::read_options;
use crate::request::builder::Select;
use crate::request::options::{Number, SelectOptions};
use crate::run::fit::FitModel;
use crate::table::Levels;

/// The options of a fit: the options of its selection and of its model. As JSON it is one object of
/// all fields; a field that is left out has the default that [`FitModel`] gives it.
///
/// ```
/// use dpsis::FitOptions;
///
/// let json = r#"{"k": 5, "epsilon": "2", "selection_share": "1/2", "classes": ["well", "ill"], "lambda": 30}"#;
/// FitOptions::from_json(json)?.request()?.check()?;
/// # Ok::<(), dpsis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FitOptions {
    /// The selection, with the budget of the whole.
    #[serde(flatten)]
    pub select: SelectOptions,
    /// The model.
    #[serde(flatten)]
    pub model: ModelOptions,
}

/// The options of a model. Numbers that are read exactly are given as text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelOptions {
    /// The selection's share of epsilon.
    pub selection_share: Option<String>,
    /// The features of the model, instead of a selection.
    pub features: Option<Vec<String>>,
    /// Categorical columns, each with its levels.
    pub levels: Vec<(String, Vec<String>)>,
    /// The share of ranges in the model's part.
    pub ranges: Option<String>,
    /// The regularization parameter of a logistic model.
    pub lambda: Option<Number>,
}

impl FitOptions {
    /// Reads a JSON object of options.
    ///
    /// # Errors
    ///
    /// As for [`SelectOptions::from_json`].
    pub fn from_json(json: &str) -> Result<Self> {
        read_options(json)
    }

    /// The request, unchecked.
    ///
    /// # Errors
    ///
    /// As for [`SelectOptions::request`]; `Request` if features are both given and selected.
    pub fn request(&self) -> Result<FitModel> {
        self.request_with(|select| select)
    }

    /// Like [`request`](Self::request); `hooks` adds to the selection anything that no option sets.
    ///
    /// # Errors
    ///
    /// As for [`request`](Self::request).
    pub fn request_with(&self, hooks: impl FnOnce(Select) -> Select) -> Result<FitModel> {
        let SelectOptions { k, fwer, at_most, .. } = &self.select;
        let selects = k.is_some() || fwer.is_some() || at_most.is_some();
        if self.model.features.is_some() && selects {
            let rule = "the features of a model are given, or selected: not both";
            let about = [Parameter::Features, Parameter::K, Parameter::Fwer, Parameter::AtMost];
            return Err(Error::request(rule).about(about));
        }
        self.model.request(hooks(self.select.request()?))
    }
}

impl ModelOptions {
    /// The request for a model of the features that `select` selects, unchecked.
    ///
    /// # Errors
    ///
    /// `Request` for invalid levels.
    pub fn request(&self, select: Select) -> Result<FitModel> {
        let levels = self.levels.iter().map(|(name, texts)| Levels::new(name, texts));
        let levels: Result<Vec<Levels>> = levels.collect();
        let levels = levels.map_err(|error| error.about([Parameter::Levels]))?;
        let mut request = FitModel::new(select).levels(levels);
        if let Some(share) = &self.selection_share {
            request = request.selection_share(share);
        }
        if let Some(names) = &self.features {
            request = request.features(names);
        }
        if let Some(share) = &self.ranges {
            request = request.ranges(share);
        }
        Ok(match self.lambda {
            Some(lambda) => request.lambda(lambda.0),
            None => request,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_equal_the_builder() {
        let full = r#"{"epsilon": "2", "selection_share": "1/2", "ranges": "0.1", "lambda": 30, "classes": ["a", "b"],
            "levels": [["stage", ["I", "II"]]]}"#;
        let given = FitOptions::from_json(full).unwrap();
        let select = Select::significant().epsilon(2).target(crate::Target::classes(["a", "b"]));
        let built = FitModel::new(select).selection_share("1/2").ranges("0.1").lambda(30.0);
        let built = built.levels(["stage=I,II".parse().unwrap()]);
        assert_eq!(format!("{:?}", given.request().unwrap()), format!("{built:?}"));
        let again = serde_json::to_string(&given).unwrap();
        assert_eq!(FitOptions::from_json(&again).unwrap(), given, "{again}");
    }

    #[test]
    fn invalid_options_are_refused() {
        for (json, words) in [
            (r#"{"lambada": 2}"#, "did you mean \"lambda\"?"),
            (
                r#"{"selection_share": ["S3CR3T"]}"#,
                "\"selection_share\" has a value of another kind",
            ),
            (r#"{"k": 2, "features": ["S3CR3T"]}"#, "not both"),
        ] {
            let error = FitOptions::from_json(json).and_then(|options| options.request());
            let text = error.unwrap_err().to_string();
            assert!(text.contains(words) && !text.contains("S3CR3T"), "{json}: {text}");
        }
    }

    /// The first error is about the option of a fit that breaks a rule.
    #[test]
    fn errors_are_about_the_options_of_a_fit() {
        for (option, about) in [
            (r#""features": []"#, "features"),
            (r#""features": ["a", "a"]"#, "features"),
            (r#""features": ["a"], "k": 1"#, "features"),
            (r#""features": ["a"], "selection_share": "0.5""#, "selection_share"),
            (r#""k": 1, "selection_share": "1""#, "selection_share"),
            (r#""k": 1, "ranges": "0""#, "ranges"),
            (r#""k": 1, "lambda": 3"#, "lambda"),
            (r#""k": 1, "lambda": 0, "classes": ["a", "b"]"#, "lambda"),
            (r#""k": 1, "levels": [["a", ["I"]]]"#, "levels"),
        ] {
            let json = format!("{{\"epsilon\": \"1\", {option}}}");
            let checked = FitOptions::from_json(&json).and_then(|options| options.request());
            let error = checked.and_then(|request| request.check()).unwrap_err();
            assert_eq!(error.parameters()[0].name(), about, "{option}: {error}");
        }
    }
}
