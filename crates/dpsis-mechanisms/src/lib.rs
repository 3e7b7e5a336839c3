//! Differentially private selection from scores.
//!
//! Candidates have integer scores that were computed from sensitive data, and a public bound on how
//! much one person or row can change a score. A [`mechanism`] chooses the best candidates
//! so that the choice is differentially private. Draws are exact: probabilities are compared as
//! integers and rationals, and no rounding of floating-point numbers weakens a guarantee. This
//! crate never reads data.
//!
//! ```
//! use dpsis_mechanisms::{CanonicalLipschitz, Epsilon, Mechanism, Neighbors, OperatingSystem, Scores};
//!
//! // Visits per ward; one more patient adds at most one visit to each.
//! let scores = Scores::new(vec![412, 97, 388, 401, 12], 1, Neighbors::AddRemove)?;
//! let epsilon: Epsilon = "1".parse()?;
//! let mut wards = CanonicalLipschitz::default().pick(&scores, 3, &epsilon, OperatingSystem)?;
//! wards.sort_unstable();
//! assert_eq!(wards, [0, 2, 3]); // another result has a probability below e^-100
//! # Ok::<(), dpsis_mechanisms::Error>(())
//! ```
//!
//! | module | content |
//! | --- | --- |
//! | [`mechanism`] | all mechanisms with their pages: definition, proof, exact sampling, cost, source |
//! | [`account`] | accountants: the epsilon and delta of several releases together |
//! | [`exact`] | rationals, binomial coefficients, certified intervals, the integer grid |
//! | [`random`] | exact uniform, Bernoulli, Laplace and Gaussian draws, exponential races |
//! | [`privacy`] | epsilon, delta, the neighbor relation, the type of results that are not private |
//!
//! | feature | adds |
//! | --- | --- |
//! | `verify` | the distributions of mechanisms by brute force, with broken variants (`support`, `mechanism::contract`) |
//! | `linfa` | conversions for the traits of linfa |
//!
//! The crate [`dpsis`](https://docs.rs/dpsis) computes scores of features from tables and selects
//! with these mechanisms.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod account;
pub mod error;
pub mod exact;
#[cfg(feature = "linfa")]
mod linfa;
pub mod mechanism;
pub mod privacy;
pub mod random;
pub mod scores;
#[cfg(any(test, feature = "verify"))]
#[doc(hidden)]
pub mod support;

pub use error::{Error, ErrorKind, Parameter, Place, Result, in_parentheses};
pub use exact::{Exact, GRID};
pub use mechanism::{CanonicalLipschitz, Mechanism};
pub use privacy::{
    Budget, Delta, Epsilon, Neighbors, NotPrivate, OperatingSystem, Purpose, Randomness,
    RecordsPrivacy, Seeded, Spending, Unit,
};
pub use scores::Scores;
