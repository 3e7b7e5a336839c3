//! Exact sampling from addressed random bits.
//!
//! Every draw has its own key, and every bit of a draw has an address. So a result depends only on
//! the key and the request, not on the order in which bits are read, the number of threads, or
//! whether a comparison is decided by the quick filter or by refinement.

mod arrival;
mod bernoulli;
mod bits;
mod block_race;
mod cube;
mod gaussian;
mod laplace;
mod leaders;
mod race;
mod uniform;

pub(crate) use arrival::FirstArrival;
pub(crate) use bernoulli::bernoulli_exp_neg;
pub(crate) use bits::{Address, Bits, Entropy, RandomnessSource, WordStream};
pub(crate) use block_race::{BlockRace, Blocks};
pub(crate) use cube::cube_radius;
pub(crate) use gaussian::discrete_gaussian;
pub use laplace::SeededNoise;
pub(crate) use laplace::{discrete_laplace, geometric};
pub(crate) use leaders::Leaders;
pub(crate) use race::{Entrant, Filter, Handicapped, Race};
pub(crate) use uniform::{uniform_below, uniform_subset, uniform_u64};
