//! Records and options as JSON.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// Defines an enum with one keyword per variant, for JSON and reports.
macro_rules! words {
    (
        $(#[$about:meta])*
        $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)*
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $(Self::$variant => $word,)*
                })
            }
        }
    };
}

pub(crate) use words;

/// A record as an indented JSON document that ends in a line feed.
///
/// # Errors
///
/// `Io` if serialization fails, which does not happen for records made by this crate.
pub fn to_json(record: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(record)
        .map(|json| json + "\n")
        .map_err(|_| Error::io("the record cannot be written as JSON"))
}

/// A release whose record is kept for a run key and read again.
pub(crate) trait Kept: Sized {
    /// The record as text.
    ///
    /// # Errors
    ///
    /// As for [`to_json`].
    fn to_kept(&self) -> Result<String>;

    /// Reads the text of a record.
    ///
    /// # Errors
    ///
    /// `Input` if the text is not such a record.
    fn from_kept(text: &str) -> Result<Self>;
}

/// A record as JSON, with the values that its own JSON omits as a further key, `omitted`.
///
/// # Errors
///
/// As for [`to_json`].
pub(crate) fn to_json_with(record: &impl Serialize, omitted: &impl Serialize) -> Result<String> {
    #[derive(Serialize)]
    struct With<'a, R, O> {
        #[serde(flatten)]
        record: &'a R,
        omitted: &'a O,
    }
    to_json(&With { record, omitted })
}

/// Reads the text of [`to_json_with`].
///
/// # Errors
///
/// `Input` if it is another text.
pub(crate) fn read_json_with<R: DeserializeOwned, O: DeserializeOwned>(
    text: &str,
) -> Result<(R, O)> {
    #[derive(Deserialize)]
    struct Omitted<O> {
        omitted: O,
    }
    let wrong = |_| Error::input("the kept record is not of this kind or version");
    let Omitted { omitted } = serde_json::from_str(text).map_err(wrong)?;
    Ok((serde_json::from_str(text).map_err(wrong)?, omitted))
}

/// Reads a JSON object of options; each option may be left out.
///
/// # Errors
///
/// `Request` for other JSON, for an unknown option, or a value of another type.
pub(crate) fn read_options<T: Default + Serialize + DeserializeOwned>(json: &str) -> Result<T> {
    let fields: Map<String, Value> = serde_json::from_str(json)
        .map_err(|_| Error::request("the options must be a JSON object"))?;
    read_fields(fields)
}

/// Reads the fields of a JSON object of options: see [`read_options`].
///
/// # Errors
///
/// As for [`read_options`].
pub(crate) fn read_fields<T: Default + Serialize + DeserializeOwned>(
    fields: Map<String, Value>,
) -> Result<T> {
    let known: Vec<String> = match serde_json::to_value(T::default()) {
        Ok(Value::Object(known)) => known.into_iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    };
    let read = |fields| serde_json::from_value(Value::Object(fields));
    for (name, value) in &fields {
        if !known.contains(name) {
            let error = Error::request(format!("there is no option {name:?}"));
            return Err(error.or_near(&known, name));
        }
        let alone = Map::from_iter([(name.clone(), value.clone())]);
        if read(alone).map(|_: T| ()).is_err() {
            let rule = format!("the option {name:?} has a value of another kind");
            return Err(Error::request(rule));
        }
    }
    read(fields).map_err(|_| Error::request("the options do not go together"))
}
