//! Several sites, one release: sums under masks that cancel in the total.

mod hex;
mod key;
mod masked;
mod masks;
mod numbers;
mod roster;
mod stated;
#[cfg(test)]
mod tests;

pub use key::SiteKey;
pub use masked::MaskedPartial;
pub use roster::{Roster, Site};
pub use stated::StatedFacts;
