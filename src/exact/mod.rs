//! Numbers without randomness: exact rationals, binomial coefficients, certified logarithms.

mod binomial;
mod enclosure;
mod rational;

pub(crate) use binomial::{LnFactorials, binomial};
pub(crate) use enclosure::Enclosure;
pub(crate) use rational::{format_rational, near_f64, parse_rational, ratio};
