//! What is promised and what is spent: exact budgets, the neighbor relation, and the types that tell
//! a release from what is none.

mod budget;
mod epsilon;
mod neighbors;
mod not_private;
mod randomness;

pub use budget::{Purpose, Spending};
pub use epsilon::Epsilon;
pub use neighbors::Neighbors;
pub use not_private::NotPrivate;
pub use randomness::{OperatingSystem, Randomness, Seeded};

pub(crate) use budget::Budget;
