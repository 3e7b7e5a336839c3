//! An enumeration together with a test of draws.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::verify::{SamplerFit, Verification, Verified};

/// The enumeration of a mechanism, and the test of its draws, if there was one. As JSON, one
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
    /// Whether the claim holds on the grid and the draws fit the enumerated law.
    pub fn holds(&self) -> bool {
        self.found.holds && self.sampler.as_ref().is_none_or(|fit| fit.holds)
    }
}

impl Verification {
    /// Enumerates the law, see [`run`](Self::run). If a number of draws is given, also compares
    /// draws with the law at the pair of neighbors with the largest ratio, see [`fit`](Self::fit).
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
        // Check first, because the enumeration may take long.
        if self.is_variant() && draws.is_some() {
            return Err(Error::request("a broken variant has a law, but nothing draws from it"));
        }
        let found = self.run(progress)?;
        // Without a worst pair, use descending scores.
        let scores = match &found.at {
            Some(at) => vec![at.scores.clone(), at.neighbor.clone()],
            None => vec![(0..found.candidates as i64).rev().collect()],
        };
        let sampler = draws.map(|draws| self.fit(&scores, draws, seed)).transpose()?;
        Ok(Enumerated { found, sampler })
    }
}
