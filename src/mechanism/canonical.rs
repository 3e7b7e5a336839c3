#![doc = include_str!("canonical.md")]

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Signed};

use crate::error::{Error, Result};
use crate::exact::{LnFactorials, binomial, format_rational, near_f64, parse_rational, ratio};
use crate::mechanism::draw::{rate, sealed};
use crate::mechanism::{Card, Chooses, Mechanism, Sensitivity};
use crate::privacy::Epsilon;
use crate::random::{
    Address, Bits, Entrant, Filter, FirstArrival, Handicapped, Race, uniform_subset,
};
use crate::score::Scores;

/// The canonical Lipschitz mechanism with exponential noise: a private top-k set. The guarantee, its
/// proof, the cost and the sources are on the page of this module.
///
/// The default gamma is 1/2, safe whether there are more or fewer good candidates than k; and 1 for
/// k = 1, where the best score left out plays no part and anything lower only adds noise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CanonicalLipschitz {
    gamma: Weight,
}

/// The same with Gumbel noise: the exponential mechanism over all sets with the canonical loss.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CanonicalGumbel {
    gamma: Weight,
}

/// The card of [`CanonicalLipschitz`].
pub static CARD: Card = Card {
    id: "canonical",
    summary: "canonical Lipschitz with exponential noise: a set, best left out against worst taken",
    chooses: Chooses::Set,
    sensitivity: Sensitivity::Common,
    reference: "M. Shekelyan and G. Loukides, \"Differentially Private Top-k Selection via Canonical \
                Lipschitz Mechanism\" (2022)",
    page: include_str!("canonical.md"),
    max_ratio: 1.0,
    slack: None,
    timing: Some(
        "sorting takes time according to how many scores are equal: a fifth more for a clear leader than for \
         tied scores",
    ),
    mutants: &[
        "printed class sizes",
        "one-sided constant",
        "flips without permuting",
        "body from a rank too high",
    ],
};

/// The card of [`CanonicalGumbel`].
pub static GUMBEL_CARD: Card = Card {
    id: "canonical-gumbel",
    summary: "canonical Lipschitz with Gumbel noise: the exponential mechanism over sets",
    ..CARD
};

/// The weight of the worst chosen score, if it is stated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Weight(Option<BigRational>);

impl Weight {
    fn parse(text: &str) -> Result<Self> {
        match parse_rational(text) {
            Some(gamma) if !gamma.is_negative() && gamma <= BigRational::one() => {
                Ok(Self(Some(gamma)))
            }
            _ => Err(Error::request("gamma must be a number between 0 and 1")),
        }
    }

    /// The gamma used for a k, exactly.
    fn of(&self, k: usize) -> BigRational {
        let default = || {
            if k == 1 { BigRational::one() } else { ratio(1, 2) }
        };
        self.0.clone().unwrap_or_else(default)
    }
}

/// The bits that choose the body.
const BODY_LANE: u64 = 1 << 62;

/// What the noise does not change.
macro_rules! canonical_with {
    ($mechanism:ident, $card:ident, $law:expr) => {
        impl $mechanism {
            /// With another gamma in [0, 1], as text: the weight of the worst chosen score against that
            /// of the best score left out.
            ///
            /// # Errors
            ///
            /// `Request` if gamma is no number or outside [0, 1].
            pub fn with_gamma(gamma: &str) -> Result<Self> {
                Weight::parse(gamma).map(|gamma| Self { gamma })
            }
        }

        impl Mechanism for $mechanism {
            fn card(&self) -> &'static Card {
                &$card
            }

            fn parameters(&self, k: usize) -> Vec<(&'static str, String)> {
                vec![("gamma", format_rational(&self.gamma.of(k)))]
            }

            /// 2 ln C(d, k)/eps, over the larger of gamma and 1 - gamma.
            fn gap(&self, candidates: usize, k: usize, epsilon: &Epsilon) -> f64 {
                let ln = LnFactorials::up_to(candidates);
                let ln = ln.as_slice();
                let sets = ln[candidates] - ln[k] - ln[candidates - k];
                let gamma = near_f64(&self.gamma.of(k));
                2.0 * sets / (near_f64(epsilon.as_rational()) * gamma.max(1.0 - gamma))
            }
        }

        #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
        impl sealed::Draw for $mechanism {
            fn draw(
                &self,
                scores: &Scores,
                k: usize,
                epsilon: &Epsilon,
                bits: &Bits,
            ) -> Vec<usize> {
                let classes = Classes::new(&self.gamma.of(k), scores, k, epsilon);
                let winner = classes.race(bits, $law, Filter::default());
                classes.draw_member(winner, bits)
            }
        }
    };
}

canonical_with!(CanonicalLipschitz, CARD, FirstArrival::Uniform);
canonical_with!(CanonicalGumbel, GUMBEL_CARD, FirstArrival::Exponential);

/// A utility class: the sets that hold the top `head` candidates, miss the next one, and whose
/// worst member has rank `tail` (ranks from 1); or, for (k - 1, k), the top k alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Class {
    head: usize,
    tail: usize,
}

/// All classes of a request.
struct Classes {
    k: usize,
    /// Candidates, best first.
    ranked: Vec<u32>,
    /// Their scores.
    sorted: Vec<i64>,
    /// b = (1 - gamma) r, r = eps/(2 Delta), or eps/Delta for one-sided scores
    head_rate: BigRational,
    /// a = gamma r
    tail_rate: BigRational,
}

impl Classes {
    fn new(gamma: &BigRational, scores: &Scores, k: usize, epsilon: &Epsilon) -> Self {
        let values = scores.values();
        let mut ranked: Vec<u32> = (0..values.len() as u32).collect();
        // The loss does not depend on how ties are ranked.
        ranked.sort_unstable_by_key(|&i| (std::cmp::Reverse(values[i as usize]), i));
        let sorted = ranked.iter().map(|&i| values[i as usize]).collect();
        let rate = rate(scores, epsilon);
        let tail_rate = &rate * gamma;
        Self { k, ranked, sorted, head_rate: rate - &tail_rate, tail_rate }
    }

    fn d(&self) -> usize {
        self.sorted.len()
    }

    /// Runs the race of all classes. O(d k) time, O(d) memory.
    fn race(&self, bits: &Bits, law: FirstArrival, filter: Filter) -> Class {
        let (k, d) = (self.k, self.d());
        let ln_factorials = LnFactorials::up_to(d);
        let ln = ln_factorials.as_slice();
        let mut race = Race::new(bits, law, filter, 4.0 * ln_factorials.error());
        race.lane(k as u64);
        race.enter(Handicapped { ln_size: 0.0, handicap: 0.0 });
        let (head_rate, tail_rate) = (near_f64(&self.head_rate), near_f64(&self.tail_rate));
        let kth = self.sorted[k - 1];
        // From the best head down, so that good classes are met early.
        for head in (0..k).rev() {
            race.lane(head as u64);
            let body = k - head - 1;
            let head_excess = (self.sorted[head] - kth) as f64 * head_rate;
            for (candidates, &score) in (body..).zip(&self.sorted[k..]) {
                // C(t - h - 2, k - h - 1) with t - h - 2 = candidates, t - k - 1 = candidates - body
                let ln_size = ln[candidates] - ln[body] - ln[candidates - body];
                let handicap = (kth - score) as f64 * tail_rate + head_excess;
                race.enter(Handicapped { ln_size, handicap });
            }
        }
        debug_assert!(d >= k);
        // The top class always enters, so somebody wins.
        race.winner(|address| self.entrant(self.class_at(address)))
            .map_or(self.top(), |address| self.class_at(address))
    }

    /// The class of the true top k.
    fn top(&self) -> Class {
        Class { head: self.k - 1, tail: self.k }
    }

    fn class_at(&self, Address { lane, position }: Address) -> Class {
        let head = lane as usize;
        if head == self.k {
            self.top()
        } else {
            Class { head, tail: self.k + 1 + position as usize }
        }
    }

    /// |C_(h,t)| = C(t - h - 2, k - h - 1), and 1 for the top class.
    fn size(&self, class: Class) -> BigUint {
        if class == self.top() {
            return BigUint::one();
        }
        binomial((class.tail - class.head - 2) as u64, (self.k - class.head - 1) as u64)
    }

    /// z(h,t) = b (x_[h+1] - x_[k]) + a (x_[k] - x_[t]), in units of the sensitivity.
    fn excess(&self, class: Class) -> BigRational {
        let difference = |better: usize, worse: usize| {
            BigRational::from_integer((self.sorted[better - 1] - self.sorted[worse - 1]).into())
        };
        &self.head_rate * difference(class.head + 1, self.k)
            + &self.tail_rate * difference(self.k, class.tail)
    }

    fn entrant(&self, class: Class) -> Entrant {
        Entrant { size: self.size(class), handicap: self.excess(class) }
    }

    /// A uniform member of a class: head, tail, and a body from ranks h + 2, ..., t - 1.
    fn draw_member(&self, class: Class, bits: &Bits) -> Vec<usize> {
        let Class { head, tail } = class;
        let mut ranks: Vec<usize> = (0..head).collect();
        ranks.push(tail - 1);
        if class != self.top() {
            let (candidates, body) = (tail - head - 2, self.k - head - 1);
            let mut words = bits.lane(BODY_LANE);
            let drawn = uniform_subset(&mut words, candidates as u64, body as u64);
            ranks.extend(drawn.into_iter().map(|i| head + 1 + i as usize));
        }
        let mut picks: Vec<usize> = ranks.into_iter().map(|r| self.ranked[r] as usize).collect();
        picks.sort_unstable();
        picks
    }
}

#[cfg(test)]
#[path = "canonical_tests.rs"]
mod tests;
