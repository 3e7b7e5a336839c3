//! Budget files, and the privacy types of the crate of mechanisms.

pub(crate) mod ledger;
pub(crate) mod locked;

pub(crate) use dpsis_mechanisms::{
    Budget, Delta, Epsilon, Neighbors, NotPrivate, Purpose, Randomness, RecordsPrivacy, Spending,
    Unit,
};
pub use ledger::{
    Balance, Expense, Ledger, LedgerEntry, LedgerNote, LedgerOptions, LedgerTerms, Receipt,
};
