//! What is promised and what is spent: exact budgets and the neighbour relation.

mod budget;
mod epsilon;
mod neighbours;

pub use budget::{Purpose, Spending};
pub use epsilon::Epsilon;
pub use neighbours::Neighbours;

pub(crate) use budget::Budget;
