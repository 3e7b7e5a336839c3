//! An enumeration together with a test of draws.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::verify::{SamplerFit, Verification, Verified};

/// The enumeration of a mechanism, and the test of its draws, if there was one. As JSON it is one
/// object.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Enumerated {
    /// The enumeration.
    #[serde(flatten)]
    pub found: Verified,
    /// The draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampler: Option<SamplerFit>,
}

impl Enumerated {
    /// Whether the claim holds on the grid, and the draws have the law that was enumerated.
    pub fn holds(&self) -> bool {
        self.found.holds && self.sampler.as_ref().is_none_or(|fit| fit.holds)
    }
}

impl Verification {
    /// [Runs](Self::run), and compares draws with the law where it differs most between neighbors,
    /// if a number of draws is given: see [`fit`](Self::fit).
    ///
    /// # Errors
    ///
    /// As for both; `Request` for draws of a broken variant.
    pub fn check(
        &self,
        draws: Option<u64>,
        seed: Option<u64>,
        progress: impl Fn(f64),
    ) -> Result<Enumerated> {
        // Before the enumeration, which may take long.
        if self.is_variant() && draws.is_some() {
            return Err(Error::request("a broken variant has a law, but nothing draws from it"));
        }
        let found = self.run(progress)?;
        // Without such a pair at scores that fall.
        let scores = match &found.at {
            Some(at) => vec![at.scores.clone(), at.neighbor.clone()],
            None => vec![(0..found.candidates as i64).rev().collect()],
        };
        let sampler = draws.map(|draws| self.fit(&scores, draws, seed)).transpose()?;
        Ok(Enumerated { found, sampler })
    }
}
