//! Unrelated columns of the kinds that clinics and insurers keep.

use super::draft::{Column, digits, with_gaps};
use super::draw::Draw;

/// Shares of the regions in [`REGIONS`].
pub(super) const REGION_SHARES: [f64; 5] = [0.3, 0.25, 0.2, 0.15, 0.1];
/// The regions.
pub(super) const REGIONS: [&str; 5] = ["north", "south", "east", "west", "islands"];

/// Makes the j-th unrelated column. Of every ten, five are measurements (log-normal, units over
/// eight powers of e, a share `missing` at most is not there), two are flags 0/1, one is yes/no,
/// one has four categories, and one is an overdispersed count.
pub(super) fn column(j: usize, n: usize, missing: f64, draw: &mut Draw) -> Column {
    let (round, kind) = (j / 10 + 1, j % 10);
    match kind {
        1 | 6 => {
            let share = draw.between(0.03, 0.5);
            let cells = (0..n).map(|_| u8::from(draw.chance(share)).to_string());
            (format!("flag_{round}_{kind}"), cells.collect())
        }
        3 => {
            let share = draw.between(0.05, 0.5);
            let cells = (0..n).map(|_| yes(draw.chance(share)));
            (format!("history_{round}"), cells.collect())
        }
        5 => {
            let words = ["A", "B", "C", "D"];
            let cells = (0..n).map(|_| words[draw.one_of(&[0.4, 0.3, 0.2, 0.1])].to_owned());
            let cells = cells.collect();
            (format!("ward_{round}"), with_gaps(cells, 0.03, draw))
        }
        8 => {
            let mean = draw.between(0.3, 3.0);
            let cells = (0..n).map(|_| draw.count(mean).to_string());
            (format!("visits_{round}"), cells.collect())
        }
        _ => {
            let (level, spread) = (draw.between(-2.0, 6.0), draw.between(0.2, 1.0));
            let values: Vec<f64> =
                (0..n).map(|_| libm::exp(level + spread * draw.normal())).collect();
            let share = draw.between(missing / 8.0, missing);
            (format!("lab_{round}_{kind}"), with_gaps(digits(&values), share, draw))
        }
    }
}

/// `yes` or `no`.
pub(super) fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}
