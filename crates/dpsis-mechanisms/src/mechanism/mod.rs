//! Private selection: k candidates from their scores. No mechanism sees data.
//!
//! A mechanism is a folder: `mod.rs` (type, [`Card`], parameters, draw), `page.md` (definition,
//! guarantee with proof, exact sampling, cost, source), `law.rs` (its exact law by brute force,
//! with its contract: largest ratio found, broken variants) and further `tests.rs`. Members of a
//! family are files next to its `mod.rs`, with a page of their own. The law of `canonical` is
//! separate from its contract, because an example uses it. Code that several mechanisms share is in
//! files next to the folders. `contract` runs the same tests for every mechanism; `advice`
//! recommends a mechanism.
//!
//! [`CARDS`] lists all mechanisms; [`by_id`] makes one by its name.

mod advice;
mod arrivals;
mod card;
mod charged;
mod draw;
mod levels;
mod looks;
mod not_private;
mod parameters;
mod ranks;
mod registry;
mod shortfalls;
#[doc(hidden)]
pub mod sized_sets;

pub mod canonical;
pub mod gamma;
pub mod gem;
pub mod joint;
pub mod joint_set;
pub mod krr;
pub mod noisy_max;
pub mod peel;
pub mod peel_pnf;
pub mod rs;
pub mod rs_tnb;
pub mod threshold_set;

pub use advice::{
    Advice, Correlations, GemBound, Loss, Recommendation, Relation, advise, correlations,
    gem_bound, losses, recommend,
};
pub use canonical::{CanonicalGumbel, CanonicalLipschitz};
pub use card::{Card, Chooses, PickLoss, Sensitivity};
pub use draw::Mechanism;
#[doc(hidden)]
pub use draw::check_k;
#[doc(hidden)]
pub use draw::{check_choice, choose};
pub use gamma::Gamma;
pub use gem::Gem;
pub use gem::cgem::{self, CombinedGem};
pub use gem::mgem::{self, ModifiedGem};
pub use joint::{Joint, JointPermuteAndFlip};
pub use joint_set::JointSet;
pub use krr::KaryRandomizedResponse;
pub use noisy_max::em::{self, ExponentialMechanism};
pub use noisy_max::laplace::{self, LaplaceTopK};
pub use noisy_max::pnf::{self, PermuteAndFlip};
pub use noisy_max::{NoiseKind, NoisyMax};
pub use not_private::Baseline;
pub use parameters::{MechanismParameter, Parameters};
pub use peel::Peel;
#[doc(hidden)]
pub use peel::calibration::{Calibrated, calibrate};
pub use peel_pnf::PeelPermuteAndFlip;
pub use registry::{CARDS, by_id};
pub use rs::RandomStopping;
pub use rs_tnb::TruncatedNegativeBinomialStopping;
pub use threshold_set::{Fwer, ThresholdSet};

#[cfg(any(test, feature = "verify"))]
#[doc(hidden)]
pub mod contract;
