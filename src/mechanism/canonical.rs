#![doc = include_str!("canonical.md")]

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Signed};

use crate::error::{Error, Result};
use crate::exact::{LnFactorials, binomial, near_f64, parse_rational, ratio};
use crate::privacy::{Epsilon, Purpose, Randomness};
use crate::random::{
    Address, Bits, Entrant, Filter, FirstArrival, Handicapped, Race, uniform_subset,
};
use crate::score::Scores;

/// The canonical Lipschitz mechanism with exponential noise: a private top-k set.
///
/// The guarantee, its proof, the cost and the sources are on the page of this module.
///
/// ```
/// use dpsis::{CanonicalLipschitz, Epsilon, Neighbours, OperatingSystem, Scores};
///
/// // Counts to which one person adds at most 1.
/// let scores = Scores::new(vec![3, 120, 7, 150, 4], 1, Neighbours::AddRemove)?;
/// let epsilon: Epsilon = "1".parse()?;
/// let mechanism = CanonicalLipschitz::default();
/// let picks = mechanism.select(&scores, 2, &epsilon, OperatingSystem)?;
/// assert_eq!(picks, [1, 3]); // in the order of the candidates; wrong with probability e^-56
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// The default gamma is 1/2, safe whether there are more or fewer good candidates than k; and 1 for
/// k = 1, where the best score left out plays no part and anything lower only adds noise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CanonicalLipschitz {
    gamma: Option<BigRational>,
}

/// The bits that choose the body.
const BODY_LANE: u64 = 1 << 62;

impl CanonicalLipschitz {
    /// With another gamma in [0, 1], as text: the weight of the worst chosen score against that of
    /// the best score left out.
    ///
    /// # Errors
    ///
    /// `Request` if gamma is no number or outside [0, 1].
    pub fn with_gamma(gamma: &str) -> Result<Self> {
        match parse_rational(gamma) {
            Some(gamma) if !gamma.is_negative() && gamma <= BigRational::one() => {
                Ok(Self { gamma: Some(gamma) })
            }
            _ => Err(Error::request("gamma must be a number between 0 and 1")),
        }
    }

    /// The gamma used for a k, exactly.
    pub(crate) fn gamma(&self, k: usize) -> BigRational {
        let default = || {
            if k == 1 { BigRational::one() } else { ratio(1, 2) }
        };
        self.gamma.clone().unwrap_or_else(default)
    }

    /// k indices of candidates, ascending.
    ///
    /// # Privacy
    ///
    /// `epsilon`-differentially private for the neighbour relation of the scores.
    ///
    /// # Errors
    ///
    /// `Request` if k is 0 or exceeds the number of candidates, or there are 2^31 or more of them;
    /// `Io` if the operating system gives no entropy.
    pub fn select<R: Randomness>(
        &self,
        scores: &Scores,
        k: usize,
        epsilon: &Epsilon,
        randomness: R,
    ) -> Result<R::Output<Vec<usize>>> {
        let bits = randomness.source()?.bits(Purpose::Selection.draw());
        self.select_with(scores, k, epsilon, &bits).map(R::mark)
    }

    /// The same, driven by bits that drive nothing else.
    pub(crate) fn select_with(
        &self,
        scores: &Scores,
        k: usize,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> Result<Vec<usize>> {
        let d = scores.values().len();
        if k == 0 || k > d {
            return Err(Error::request(format!("k must lie between 1 and {d}")));
        }
        if d >= 1 << 31 {
            return Err(Error::request("there must be fewer than 2^31 candidates"));
        }
        let classes = Classes::new(self, scores, k, epsilon);
        let winner = classes.race(bits, Filter::default());
        Ok(classes.draw_member(winner, bits))
    }
}

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
    /// b = (1 - gamma) eps/(2 Delta)
    head_rate: BigRational,
    /// a = gamma eps/(2 Delta)
    tail_rate: BigRational,
}

impl Classes {
    fn new(mechanism: &CanonicalLipschitz, scores: &Scores, k: usize, epsilon: &Epsilon) -> Self {
        let values = scores.values();
        let mut ranked: Vec<u32> = (0..values.len() as u32).collect();
        // The loss does not depend on how ties are ranked.
        ranked.sort_unstable_by_key(|&i| (std::cmp::Reverse(values[i as usize]), i));
        let sorted = ranked.iter().map(|&i| values[i as usize]).collect();
        let rate = epsilon.as_rational()
            / BigRational::from_integer((2 * u128::from(scores.sensitivity())).into());
        let tail_rate = &rate * mechanism.gamma(k);
        Self { k, ranked, sorted, head_rate: rate - &tail_rate, tail_rate }
    }

    fn d(&self) -> usize {
        self.sorted.len()
    }

    /// Runs the race of all classes. O(d k) time, O(d) memory.
    fn race(&self, bits: &Bits, filter: Filter) -> Class {
        let (k, d) = (self.k, self.d());
        let ln_factorials = LnFactorials::up_to(d);
        let ln = ln_factorials.as_slice();
        let mut race = Race::new(bits, FirstArrival::Uniform, filter, 4.0 * ln_factorials.error());
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
