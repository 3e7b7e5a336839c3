//! The best candidate with odds of e^eps against each other one; of several that are best the first.

/// The probability of each candidate.
pub(crate) fn law(x: &[f64], _: usize, eps: f64) -> Vec<f64> {
    of_odds(x, eps.exp())
}

/// The same with these odds.
pub(crate) fn of_odds(x: &[f64], odds: f64) -> Vec<f64> {
    let best = (0..x.len()).fold(0, |best, i| if x[i] > x[best] { i } else { best });
    let total = x.len() as f64 - 1.0 + odds;
    (0..x.len()).map(|i| if i == best { odds / total } else { 1.0 / total }).collect()
}
