#![doc = include_str!("page.md")]
//!
//! ```
//! use dpsis_mechanisms::account::{Accountant, BasicComposition, Event, Zcdp};
//! use dpsis_mechanisms::mechanism::{Mechanism, Peel};
//!
//! // 50 features by peeling at epsilon 2, once a week for a year.
//! let events = [Peel.card().event(50, &"2".parse()?)?.times(52)?];
//! assert_eq!(BasicComposition::of(&events)?.total().to_string(), "104");
//! let epsilon = Zcdp::of(&events)?.epsilon("1e-9")?;
//! assert!(epsilon < 7.2);
//! # Ok::<(), dpsis_mechanisms::Error>(())
//! ```

mod accountant;
mod basic;
mod central_limit;
mod event;
mod gaussian;
mod heterogeneous;
mod homogeneous;
mod range;
mod range_in_advance;
mod zcdp;

pub use accountant::{ACCOUNTANTS, Accountant, AccountantCard};
pub use basic::BasicComposition;
pub use central_limit::CentralLimit;
pub use event::{Event, Loss};
pub use gaussian::GaussianNoise;
pub use heterogeneous::OptimalHeterogeneous;
pub use homogeneous::OptimalHomogeneous;
pub use range::BoundedRange;
pub use range_in_advance::BoundedRangeInAdvance;
pub use zcdp::Zcdp;

#[cfg(test)]
mod contract;
