//! Privacy budgets as exact numbers, the neighbor relation, and the types that distinguish private
//! releases from other results.

pub mod account;
mod budget;
mod delta;
mod epsilon;
pub(crate) mod ledger;
pub(crate) mod locked;
mod neighbors;
mod not_private;
mod randomness;
mod unit;

pub use budget::{Purpose, Spending};
pub use delta::Delta;
pub use epsilon::Epsilon;
pub use ledger::{
    Balance, Expense, Ledger, LedgerEntry, LedgerNote, LedgerOptions, LedgerTerms, Receipt,
};
pub use neighbors::Neighbors;
pub use not_private::NotPrivate;
pub use randomness::{OperatingSystem, Randomness, Seeded};
pub use unit::Unit;

pub(crate) use budget::Budget;
