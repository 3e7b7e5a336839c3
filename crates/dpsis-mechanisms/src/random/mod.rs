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

pub use arrival::FirstArrival;
pub(crate) use bernoulli::bernoulli_exp_neg;
pub use bits::{Address, Bits, Entropy, RandomnessSource, WordStream};
pub(crate) use block_race::{BlockRace, Blocks};
pub use cube::cube_radius;
pub use gaussian::discrete_gaussian;
pub use laplace::SeededNoise;
pub use laplace::{discrete_laplace, geometric};
pub(crate) use leaders::Leaders;
pub use race::{Entrant, Filter, Handicapped, Race};
pub use uniform::{uniform_below, uniform_subset, uniform_u64};
