//! Numbers without randomness: exact rationals, binomial coefficients, certified logarithms, the
//! integer grid.

mod binomial;
mod enclosure;
mod grid;
mod rational;

pub use grid::Q as GRID;

pub(crate) use binomial::{binomial, ln_binomial, ln_factorial, ln_factorial_error};
pub(crate) use enclosure::Enclosure;
pub(crate) use grid::{MAX_ROWS, Q, ratio_to_grid, to_grid};
pub(crate) use rational::{Decimal, format_rational, near_f64, parse_rational, ratio};
