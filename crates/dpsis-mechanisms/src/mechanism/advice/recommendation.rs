//! The rule that recommends a mechanism from public facts.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::exact::near_f64;
use crate::privacy::Epsilon;

/// The relation between the scores of candidates and their sensitivities, as far as it is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// Good candidates tend to be the more sensitive ones.
    Positive,
    /// Good candidates tend to be the less sensitive ones.
    Negative,
    /// No relation.
    None,
    /// The relation is unknown.
    Unknown,
}

/// A recommended mechanism with its reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Recommendation {
    /// The name of the mechanism.
    pub mechanism: &'static str,
    /// Whether to run it with the largest sensitivity for all candidates.
    pub largest_sensitivity_for_all: bool,
    /// The reasons, in sentences.
    pub reasons: Vec<String>,
}

/// The probability of the best candidate from which k-ary randomized response is recommended.
const KRR_PROBABILITY: f64 = 0.9;

/// The budget from which a private test of the relation can be worth its share.
const EPSILON_FOR_A_TEST: f64 = 2.0;

/// Recommends a mechanism from public facts. This spends no budget, and a release may follow the
/// recommendation if the relation is known without the data.
///
/// The rule, in this order:
/// 1. k = 1, and `krr` takes the best of this number of candidates with a probability of 0.9 or
///    more: `krr`.
/// 2. All sensitivities are equal: `pnf`, for k > 1 `canonical`.
/// 3. Positive relation: `rs`. Negative relation: `gem`.
/// 4. Otherwise `pnf`, for k > 1 `canonical`, with the largest sensitivity for all candidates.
///
/// # Errors
///
/// `Request` if k is 0 or exceeds the number of candidates.
///
/// ```
/// use dpsis_mechanisms::mechanism::{Relation, recommend};
///
/// let recommended = recommend(&[1, 2, 5, 5], 1, &"1".parse()?, Relation::Negative)?;
/// assert_eq!(recommended.mechanism, "gem");
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
pub fn recommend(
    sensitivities: &[u64],
    k: usize,
    epsilon: &Epsilon,
    relation: Relation,
) -> Result<Recommendation> {
    let m = sensitivities.len();
    if m == 0 {
        return Err(Error::request("there is no candidate to choose from"));
    }
    if k == 0 || k > m {
        return Err(Error::request(format!("k must lie between 1 and {m}")));
    }
    let (least, most) =
        sensitivities.iter().fold((u64::MAX, 0), |(l, m), own| (l.min(*own), m.max(*own)));
    let budget = near_f64(epsilon.as_rational());
    // e^eps/(m - 1 + e^eps), the probability of the best candidate.
    let hit = 1.0 / (1.0 + (m as f64 - 1.0) * libm::exp(-budget));
    let common = if k == 1 { "pnf" } else { "canonical" };
    let mut reasons = Vec::new();
    if least == most {
        reasons.push("All candidates have, or are given, the same sensitivity.".to_owned());
    } else {
        let factor = most as f64 / least.max(1) as f64;
        reasons.push(if factor < 1.05 {
            "Sensitivities hardly differ.".to_owned()
        } else {
            format!("Sensitivities differ by a factor of up to {factor:.1}.")
        });
    }
    let mechanism = if k == 1 && m > 1 && hit >= KRR_PROBABILITY {
        reasons.push(format!(
            "At this epsilon krr takes the best of {m} candidates with probability {:.3}, however close \
             the others come.",
            // Rounded down, so that the message does not exceed the true probability.
            (hit * 1000.0).floor() / 1000.0
        ));
        "krr"
    } else if least == most {
        common
    } else {
        reasons.push(reason(relation).to_owned());
        match relation {
            Relation::Positive => "rs",
            Relation::Negative => "gem",
            Relation::None | Relation::Unknown => common,
        }
    };
    let largest = least < most && mechanism == common;
    if largest {
        reasons.push(
            "With the largest sensitivity for all candidates none is favored for its sensitivity: the safe \
             choice."
                .to_owned(),
        );
        if relation == Relation::Unknown && budget >= EPSILON_FOR_A_TEST {
            reasons.push(
                "If you expect a strong relation that differs from data set to data set, cgem with half of the \
                 budget for its question (share 1/2) does better: a private query decides between gem and mgem."
                    .to_owned(),
            );
        }
    }
    if k > 1 && !largest && least < most {
        reasons.push(format!("The {k} picks are made one after the other, each with epsilon/{k}."));
    }
    Ok(Recommendation { mechanism, largest_sensitivity_for_all: largest, reasons })
}

fn reason(relation: Relation) -> &'static str {
    match relation {
        Relation::Positive => {
            "Good candidates tend to be the more sensitive ones: rs favors those, and so does mgem; the larger \
             epsilon is, the less is gained. gem would favor the wrong ones, and at a small epsilon choose \
             worse than a uniform choice."
        }
        Relation::Negative => {
            "Good candidates tend to be the less sensitive ones: gem favors those. rs and mgem would favor \
             the wrong ones, and at a small epsilon choose worse than a uniform choice."
        }
        Relation::None => {
            "There is no clear relation of scores and sensitivities, by which a mechanism could favor the good \
             candidates."
        }
        Relation::Unknown => {
            "It is not known whether good candidates are the more or the less sensitive ones. rs and gem gain \
             much if it is guessed right; guessed wrong, they choose worse than a uniform choice at a small \
             epsilon."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recommended(
        own: &[u64],
        k: usize,
        epsilon: &str,
        relation: Relation,
    ) -> (&'static str, bool) {
        let found = recommend(own, k, &epsilon.parse().unwrap(), relation).unwrap();
        (found.mechanism, found.largest_sensitivity_for_all)
    }

    #[test]
    fn the_rule_is_followed_in_order() {
        let own: Vec<u64> = (1..=100).collect();
        for (relation, mechanism, largest) in [
            (Relation::Positive, "rs", false),
            (Relation::Negative, "gem", false),
            (Relation::None, "pnf", true),
            (Relation::Unknown, "pnf", true),
        ] {
            assert_eq!(recommended(&own, 1, "1", relation), (mechanism, largest));
            assert_eq!(recommended(&own, 1, "7", relation), ("krr", false));
            assert_eq!(recommended(&[3; 100], 1, "1", relation), ("pnf", false));
            assert_eq!(recommended(&[3; 100], 4, "7", relation), ("canonical", false));
        }
        assert_eq!(recommended(&own, 2, "9", Relation::Unknown), ("canonical", true));
        assert_eq!(recommended(&own, 2, "9", Relation::Positive), ("rs", false));
        assert_eq!(recommended(&[5], 1, "9", Relation::Unknown), ("pnf", false));
        assert!(recommend(&own, 0, &"1".parse().unwrap(), Relation::None).is_err());
        assert!(recommend(&[], 1, &"1".parse().unwrap(), Relation::None).is_err());
    }

    /// e^eps/(99 + e^eps) is 0.9 at eps = ln(9 * 99) = 6.7923.
    #[test]
    fn randomized_response_is_recommended_from_its_threshold() {
        let own: Vec<u64> = (1..=100).collect();
        assert_eq!(recommended(&own, 1, "6.792", Relation::Positive).0, "rs");
        assert_eq!(recommended(&own, 1, "6.793", Relation::Positive).0, "krr");
    }

    #[test]
    fn reasons_are_given_where_they_hold() {
        let advises = |own: &[u64], k, epsilon: &str, relation, words: &str| {
            let found = recommend(own, k, &epsilon.parse().unwrap(), relation).unwrap();
            found.reasons.iter().any(|reason| reason.contains(words))
        };
        let (unknown, none, positive) = (Relation::Unknown, Relation::None, Relation::Positive);
        assert!(advises(&[100, 104], 1, "1", none, "Sensitivities hardly differ."));
        assert!(advises(&[10, 25], 1, "1", none, "by a factor of up to 2.5."));
        assert!(!advises(&[10, 25], 1, "1", none, "hardly"));
        for (own, relation, epsilon, ask) in [
            ([1, 9], unknown, "2", true),
            ([1, 9], unknown, "1.9", false),
            ([1, 9], none, "2", false),
            ([9, 9], unknown, "2", false),
        ] {
            assert_eq!(advises(&own, 2, epsilon, relation, "cgem"), ask, "{own:?} {epsilon}");
        }
        let rounds = "The 2 picks are made one after the other, each with epsilon/2.";
        assert!(advises(&[1, 9], 2, "1", positive, rounds));
        assert!(
            !advises(&[9, 9], 2, "1", positive, rounds) && !advises(&[1, 9], 2, "1", none, rounds)
        );
        assert!(!advises(&[1, 9], 1, "1", positive, "one after the other"));
    }
}
