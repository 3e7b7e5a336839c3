//! Digests of the facts about a site's table, which its public key contains.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::hex::Bytes32;
use crate::run::partial::facts::Facts;

/// The given facts about a site's table and the scores, as one digest for each part: they are equal
/// where sums add up. Everything in it is public.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SiteFacts(BTreeMap<String, Bytes32>);

impl SiteFacts {
    pub(in crate::run::partial) fn of(facts: &Facts) -> Self {
        // Values released before are not given facts.
        let given = facts.clone().unreleased();
        let digest = |(what, value): (&str, serde_json::Value)| {
            (what.to_owned(), Bytes32::hash(&value.to_string()))
        };
        Self(given.parts().into_iter().map(digest).collect())
    }

    /// The first part that differs between the two.
    pub(super) fn difference<'a>(&'a self, other: &'a Self) -> Option<&'a str> {
        let differs = |(what, digest): &(&String, &Bytes32)| other.0.get(*what) != Some(*digest);
        let mine = self.0.iter().find(differs).map(|(what, _)| what.as_str());
        mine.or_else(|| other.0.keys().map(String::as_str).find(|what| !self.0.contains_key(*what)))
    }
}

impl fmt::Debug for SiteFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}
