//! Broken variants by name, and the ratios that the tests of this crate find.

use serde::Serialize;

use crate::mechanism::Card;

/// A broken variant of a mechanism: a common mistake, which is not private as claimed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Variant {
    /// Its name: the words of the mistake, joined by hyphens.
    pub name: String,
    /// The mistake, as text.
    pub mistake: &'static str,
}

/// The broken variants that the tests of a mechanism must reject.
pub fn variants(card: &Card) -> Vec<Variant> {
    let mutants = (card.contract)().mutants.into_iter();
    mutants.map(|mutant| Variant { name: slug(mutant.name), mistake: mutant.name }).collect()
}

/// The largest share of epsilon that the tests' enumeration finds for a mechanism, and the reason
/// if it is not near 1.
pub fn largest_share(card: &Card) -> (f64, Option<&'static str>) {
    let contract = (card.contract)();
    (contract.max_ratio, contract.slack)
}

/// The words of a text in lower case, joined by hyphens, without a leading article.
pub(super) fn slug(text: &str) -> String {
    let plain = text.to_lowercase();
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.skip_while(|word| ["the", "a"].contains(word));
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::mechanism::CARDS;

    #[test]
    fn names_are_unique_words() {
        for card in CARDS {
            let all = variants(card);
            let names: BTreeSet<&str> = all.iter().map(|variant| variant.name.as_str()).collect();
            assert_eq!(names.len(), all.len(), "{}", card.id);
        }
        assert_eq!(slug("the monotonic constant, gamma 1"), "monotonic-constant-gamma-1");
        assert_eq!(slug("a cube of the wrong dimension"), "cube-of-the-wrong-dimension");
    }
}
