//! How k candidates are chosen from their scores. No mechanism ever sees data.
//!
//! Every mechanism has a [`Card`]: what it promises, where it comes from, its proof, and what tests hold
//! it to. [`CARDS`] lists them all; [`by_id`] makes one by its name on the command line.

mod advice;
mod arrivals;

mod card;
mod draw;
mod levels;
mod not_private;
mod registry;
mod shortfalls;

pub mod canonical;
pub mod cgem;
pub mod em;
pub mod gamma;
pub mod gem;
pub mod joint;
pub mod joint_set;
pub mod krr;
pub mod laplace;
pub mod mgem;
pub mod noisy_max;
pub mod peel;
pub mod peel_pnf;
pub mod pnf;
pub mod rs;
pub mod rs_tnb;

pub use advice::{Advice, advise};
pub use canonical::{CanonicalGumbel, CanonicalLipschitz};
pub use card::{Card, Chooses, Sensitivity};
pub use cgem::CombinedGem;
pub use draw::Mechanism;
pub(crate) use draw::{check_k, choose};
pub use em::ExponentialMechanism;
pub use gamma::Gamma;
pub use gem::Gem;
pub use joint::{Joint, JointPermuteAndFlip};
pub use joint_set::JointSet;
pub use krr::KaryRandomizedResponse;
pub use laplace::LaplaceTopK;
pub use mgem::ModifiedGem;
pub use noisy_max::{NoiseKind, NoisyMax};
pub use not_private::Baseline;
pub use peel::Peel;
pub use peel_pnf::PeelPermuteAndFlip;
pub use pnf::PermuteAndFlip;
pub use registry::{CARDS, Parameters, by_id};
pub use rs::RandomStopping;
pub use rs_tnb::TruncatedNegativeBinomialStopping;

#[cfg(test)]
mod contract;
