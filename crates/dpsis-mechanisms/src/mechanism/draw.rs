//! The trait of all mechanisms, and the checks that precede a draw.

use std::fmt::Debug;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::exact::near_f64;
use crate::mechanism::{Card, Chooses, Sensitivity};
use crate::privacy::{Epsilon, Purpose, Randomness};
use crate::random::Bits;
use crate::scores::Scores;

/// A private selection mechanism: scores to k candidates. Sealed: only mechanisms of this crate
/// implement it, so that a choice which is not private cannot be used in place of one.
///
/// ```
/// use dpsis_mechanisms::mechanism::{CanonicalLipschitz, Mechanism};
/// use dpsis_mechanisms::{Neighbors, OperatingSystem, Scores};
///
/// // Counts to which one person adds at most 1.
/// let scores = Scores::new(vec![3, 120, 7, 150, 4], 1, Neighbors::AddRemove)?;
/// let picks = CanonicalLipschitz::default().pick(&scores, 2, &"1".parse()?, OperatingSystem)?;
/// assert_eq!(picks, [1, 3]); // wrong with probability below e^-20
/// # Ok::<(), dpsis_mechanisms::Error>(())
/// ```
pub trait Mechanism: sealed::Draw + Debug + Send + Sync {
    /// Its card: guarantee, proof, source, parameters.
    fn card(&self) -> &'static Card;

    /// Its parameters for k picks, as exact text, by their names (see [`Card::parameters`]).
    fn parameters(&self, k: usize) -> Vec<(&'static str, String)> {
        let _ = k;
        Vec::new()
    }

    /// The typical largest noise among all candidates, in units of the sensitivity: the difference
    /// of two scores from which the better candidate is picked. For planning.
    fn gap(&self, candidates: usize, k: usize, epsilon: &Epsilon) -> f64 {
        // The largest of d noise values of scale 2k/eps.
        2.0 * k as f64 * (candidates as f64).ln() / near_f64(epsilon.as_rational())
    }

    /// Picks k candidates, by their numbers from 0. They are in ascending order, or in the order of
    /// the picks if [`Card::chooses`] is [`Sequence`](super::Chooses::Sequence).
    ///
    /// # Privacy
    ///
    /// `epsilon`-differentially private for the neighbor relation of the scores.
    ///
    /// # Errors
    ///
    /// `Request` if k is 0 or exceeds the number of candidates or the limit of [`Card::chooses`];
    /// if sensitivities differ but [`Card::sensitivity`] requires a common one; if there are 2^31
    /// candidates or more. `Io` if the operating system gives no entropy.
    fn pick<R: Randomness>(
        &self,
        scores: &Scores,
        k: usize,
        epsilon: &Epsilon,
        randomness: R,
    ) -> Result<R::Output<Vec<usize>>>
    where
        Self: Sized,
    {
        let bits = randomness.source()?.bits(Purpose::Selection.draw());
        choose(self, scores, k, epsilon, &bits).map(R::mark)
    }
}

/// Draws from checked scores, using bits that no other draw uses.
pub fn choose(
    mechanism: &(impl Mechanism + ?Sized),
    scores: &Scores,
    k: usize,
    epsilon: &Epsilon,
    bits: &Bits,
) -> Result<Vec<usize>> {
    check_choice(mechanism.card(), scores, k)?;
    Ok(mechanism.draw(scores, k, epsilon, bits))
}

/// Checks the number of candidates, their sensitivities and k for a mechanism, without reading any
/// score.
///
/// # Errors
///
/// `Request` if they do not fit.
pub fn check_choice(card: &Card, scores: &Scores, k: usize) -> Result<()> {
    check_size(scores.values().len(), k)?;
    check_k(card, k)?;
    if card.sensitivity == Sensitivity::Common && !scores.is_homogeneous() {
        let id = card.id;
        return Err(Error::request(format!("{id} needs one sensitivity for all candidates"))
            .hint("take the largest sensitivity for all; or without a threshold a mechanism that takes one for each: gem, mgem, cgem, rs or rs-tnb"));
    }
    Ok(())
}

/// Checks the number of candidates and k, for any choice.
///
/// # Errors
///
/// `Request` if k is 0 or exceeds the number of candidates, or there are 2^31 candidates or more.
pub(super) fn check_size(candidates: usize, k: usize) -> Result<()> {
    if k == 0 || k > candidates {
        return Err(Error::request(format!("k must lie between 1 and {candidates}")));
    }
    if candidates >= 1 << 31 {
        return Err(Error::request("there must be fewer than 2^31 candidates"));
    }
    Ok(())
}

/// Checks k for a mechanism.
///
/// # Errors
///
/// `Request` if it chooses one candidate and k is larger.
pub fn check_k(card: &Card, k: usize) -> Result<()> {
    if k > 1 && card.chooses == Chooses::One {
        let id = card.id;
        return Err(Error::request(format!("{id} chooses one candidate: k must be 1"))
            .hint("peel, peel-pnf, canonical and joint choose several"));
    }
    Ok(())
}

impl<M: Mechanism + ?Sized> Mechanism for Arc<M> {
    fn card(&self) -> &'static Card {
        (**self).card()
    }

    fn parameters(&self, k: usize) -> Vec<(&'static str, String)> {
        (**self).parameters(k)
    }

    fn gap(&self, candidates: usize, k: usize, epsilon: &Epsilon) -> f64 {
        (**self).gap(candidates, k, epsilon)
    }
}

#[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
impl<M: sealed::Draw + ?Sized> sealed::Draw for Arc<M> {
    fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize> {
        (**self).draw(scores, k, epsilon, bits)
    }
}

pub(crate) mod sealed {
    use super::*;

    /// The draw of a mechanism. k lies between 1 and the number of candidates, which is below 2^31.
    #[allow(private_interfaces, reason = "sealed: nobody outside can call it")]
    pub trait Draw {
        fn draw(&self, scores: &Scores, k: usize, epsilon: &Epsilon, bits: &Bits) -> Vec<usize>;
    }
}

/// The picks of k rounds without replacement. `pick` is given the candidates that are left and the
/// round, and returns a place among them.
pub(super) fn without_replacement(
    candidates: usize,
    k: usize,
    pick: impl Fn(&[usize], u64) -> usize,
) -> Vec<usize> {
    let mut left: Vec<usize> = (0..candidates).collect();
    (0..k as u64)
        .map(|round| {
            let place = pick(&left, round);
            left.remove(place)
        })
        .collect()
}

/// The rate of noise: eps/(2 Delta), or eps/Delta for monotonic scores. Between neighbors a
/// difference of two scores changes by at most 2 Delta, or Delta where all scores move in one
/// direction.
pub(super) fn rate(scores: &Scores, epsilon: &Epsilon) -> num_rational::BigRational {
    let steps = if scores.is_monotonic() { 1u128 } else { 2 };
    let unit = steps * u128::from(scores.sensitivity());
    epsilon.as_rational() / num_bigint::BigInt::from(unit)
}
