//! Checks of the privacy claims, for independent verification.
//!
//! - [`Verification`]: the exact law of a mechanism by brute force, compared between all
//!   neighboring score vectors on a grid. It is the enumeration that the tests of this crate run,
//!   at sizes of your choice. Broken variants of each mechanism, some of them published, show that
//!   it finds mistakes.
//! - [`Claim`]: a black-box test of a claimed epsilon by draws on two neighboring tables, of a
//!   mechanism, a selection or any program. It requires no trust in the code, but detects only
//!   violations that its draws show.
//!
//! ```
//! use dpsis::verify::Verification;
//!
//! let found = Verification::new("canonical")?.candidates(3).k(2).run(|_| ())?;
//! assert!(found.holds && found.share <= 1.0);
//! // A published algorithm counts some sets twice.
//! let printed = Verification::new("canonical")?.variant("printed-class-sizes")?.run(|_| ())?;
//! assert!(!printed.holds);
//! # Ok::<(), dpsis::Error>(())
//! ```

mod audit;
mod clopper_pearson;
mod enumerated;
mod enumeration;
mod options;
mod sampler;
mod variants;

pub use audit::{Audited, Claim, EventKind, Tally, TestedEvent};
pub use enumerated::Enumerated;
pub use enumeration::{Verification, Verified, Work, WorstPair};
pub use options::VerifyOptions;
pub use sampler::{FittedScores, SamplerFit};
pub use variants::{Variant, largest_share, variants};
