//! Statistics: the values that a pass gathers from a table, and the scores at any center.
//!
//! Gathered values depend on neither budget nor randomness.

pub(crate) mod blocks;
pub(crate) mod coded;
pub(crate) mod memo;
pub(crate) mod pass;
