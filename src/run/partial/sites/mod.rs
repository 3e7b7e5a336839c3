//! Several sites, one release: sums under masks that cancel in the total.

mod facts;
mod hex;
mod key;
mod masked;
mod masks;
mod numbers;
mod roster;
#[cfg(test)]
mod tests;

pub use facts::SiteFacts;
pub use key::SiteKey;
pub use masked::MaskedPartial;
pub use roster::{Roster, Site};
