//! Spectra: smooth curves whose neighboring channels are highly correlated; the target is a
//! concentration, log-normal.
//!
//! A spectrum is a fixed curve, 12 wide bands (deviation 15 to 40 channels) of independent heights
//! of deviation 0.1, an offset of deviation 0.03, noise of deviation 0.02 per channel, and a narrow
//! band (deviation 1.8 channels) whose height is 0.12 times the standardized logarithm of the
//! concentration. The true features are the five channels in the middle of that band; their
//! neighbors are also associated with the target, but less. The target has 10% noise.

use super::Planted;
use super::draft::{Column, Outcome, decimals};
use super::draw::Draw;

pub(super) fn table(n: usize, d: usize, draw: &mut Draw) -> Planted {
    let concentration = draw.normals(n);
    // At least ten channels from either end; with fewer than 21 channels, the middle.
    let free = d.saturating_sub(20) as f64;
    let center = 10.min(d / 2) + draw.between(0.0, free) as usize;
    let bell = |place: f64, middle: f64, width: f64| {
        let distance = (place - middle) / width;
        libm::exp(-0.5 * distance * distance)
    };
    let bands: Vec<(f64, f64, Vec<f64>)> = (0..12)
        .map(|_| (draw.between(0.0, d as f64), draw.between(15.0, 40.0), draw.normals(n)))
        .collect();
    let offset = draw.normals(n);
    let column = |j: usize| -> Column {
        let place = j as f64;
        let curve = 0.5 + 0.3 * libm::sin(place / 40.0);
        let heights: Vec<f64> =
            bands.iter().map(|(middle, width, _)| bell(place, *middle, *width)).collect();
        let narrow = bell(place, center as f64, 1.8);
        let value = |i: usize| {
            let wide: f64 =
                bands.iter().zip(&heights).map(|((_, _, band), height)| band[i] * height).sum();
            let noise = 0.03 * offset[i] + 0.02 * draw.normal();
            curve + 0.1 * wide + 0.12 * concentration[i] * narrow + noise
        };
        (format!("channel_{}", j + 1), decimals(&(0..n).map(value).collect::<Vec<_>>(), 4))
    };
    let columns = (0..d).map(column).collect();
    let amount = |z: &f64| libm::exp(0.5 * z + 0.1 * draw.normal());
    let amounts: Vec<f64> = concentration.iter().map(amount).collect();
    Outcome::amounts(&amounts).table(columns, (center - 2..=center + 2).collect())
}
