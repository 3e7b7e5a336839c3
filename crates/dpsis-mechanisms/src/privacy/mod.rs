//! Privacy budgets as exact numbers, the neighbor relation, and the types that distinguish private
//! releases from other results.

mod budget;
mod delta;
mod epsilon;
mod neighbors;
mod not_private;
mod randomness;
mod unit;

pub use budget::{Budget, Purpose, Spending};
pub use delta::Delta;
pub use epsilon::Epsilon;
pub use neighbors::Neighbors;
pub use not_private::{NotPrivate, RecordsPrivacy};
pub use randomness::{OperatingSystem, Randomness, Seeded};
pub use unit::Unit;
