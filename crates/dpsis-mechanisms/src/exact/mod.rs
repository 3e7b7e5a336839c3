//! Deterministic exact arithmetic: rationals, binomial coefficients, certified logarithms,
//! intervals, the integer grid.

mod binomial;
mod enclosure;
mod grid;
mod interval;
mod number;
mod rational;

pub use grid::GRID;
pub use number::Exact;

pub use binomial::{EULER, binomial, harmonic, ln_binomial};

pub(crate) use binomial::{ln_factorial, ln_factorial_error};
pub(crate) use enclosure::Enclosure;
#[cfg(any(test, feature = "verify"))]
pub use grid::ratio_to_grid;
pub use grid::{MAX_ROWS, codes_by_rank, to_grid};
pub use interval::Interval;
pub use number::{four_digits_down, saturating_i64, two_digits};
pub use rational::{Decimal, format_rational, parse_rational};
pub use rational::{near_f64, ratio};
