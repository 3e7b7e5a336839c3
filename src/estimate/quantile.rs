//! A private quantile of values in a public range.
//!
//! # Definition
//!
//! The exponential mechanism over 65,537 equally spaced points of the range, ends included. The
//! utility of a point g is minus its distance in rank from the quantile,
//!
//! ```text
//! u(g) = -|#{y <= g} - q n|,      P(g) proportional to e^(eps u(g)/(2 D)),
//! ```
//!
//! with D = max(q, 1 - q) for adding or removing a value, and 1 for replacing one.
//!
//! # Guarantee
//!
//! eps-differentially private for the given neighbor relation: the proof is that of `rank_race`,
//! by which it is drawn exactly.
//!
//! # Cost
//!
//! One binary search over the points per value, and one pass over the points: a fraction of a
//! millisecond for a few hundred values. Points of one rank race as a group, so there are at most
//! as many entrants as there are different values, plus one.
//!
//! # Error
//!
//! With probability 1 - beta the point's distance in rank from q n, |#{y <= g} - q n|, exceeds the
//! smallest one by at most (2 D/eps)(ln 65,537 + ln(1/beta)). Where few values are given, all
//! points are about equally likely.
//!
//! # Source
//!
//! F. McSherry and K. Talwar, "Mechanism design via differential privacy" (2007); A. Smith,
//! "Privacy-preserving statistical estimation with optimal convergence rates" (2011), section 3.

use crate::error::Result;
use crate::estimate::rank_race::{RankCounts, RankFraction, Tied, draw};
use crate::exact::Exact;
use crate::privacy::{Epsilon, Neighbors, Randomness};
use crate::random::Bits;
use crate::table::Bounds;

/// The number of the draw (see [`Purpose::draw`](crate::Purpose)).
const DRAW: u64 = 7;

/// Half the number of steps between the ends of the range.
const HALF: i32 = 1 << 15;

/// The number of points.
pub(crate) const POINTS: usize = (1 << 16) + 1;

/// A private quantile of values in a public range: one of 65,537 equally spaced points of the
/// range, such that about the given fraction of the values is at most this point. Values beyond the
/// range are clipped to it; NaN is ignored.
///
/// # Privacy
///
/// `epsilon`-differentially private for the given neighbor relation, if each unit contributes at
/// most one value. The budgets of several quantiles of the same values add up.
///
/// # Errors
///
/// `Request` unless the fraction lies strictly between 0 and 1 and has a denominator below 2^64;
/// `Io` if the operating system gives no entropy.
///
/// ```
/// use dpsis::{Bounds, Neighbors, OperatingSystem, estimate};
///
/// let incomes = (0..2000).map(f64::from);
/// let range = Bounds::new(0.0, 10_000.0)?;
/// let epsilon = "1".parse()?;
/// let top = estimate::quantile(incomes, "0.9", range, Neighbors::AddRemove, &epsilon, OperatingSystem)?;
/// assert!((1700.0..1900.0).contains(&top)); // wrong with probability below e^-40
/// # Ok::<(), dpsis::Error>(())
/// ```
pub fn quantile<R: Randomness>(
    values: impl IntoIterator<Item = f64>,
    fraction: impl Into<Exact>,
    bounds: Bounds,
    neighbors: Neighbors,
    epsilon: &Epsilon,
    randomness: R,
) -> Result<R::Output<f64>> {
    let fraction = RankFraction::checked(fraction.into())?;
    let bits = randomness.source()?.bits(DRAW);
    let grid = EvenGrid { bounds, half: HALF };
    Ok(R::mark(grid.private_quantile(values, fraction, neighbors, epsilon, &bits)))
}

/// The private median of values in a public range, as in [`quantile`].
pub(crate) fn private_middle(
    values: impl IntoIterator<Item = f64>,
    range: Bounds,
    neighbors: Neighbors,
    epsilon: &Epsilon,
    bits: &Bits,
) -> f64 {
    let grid = EvenGrid { bounds: range, half: HALF };
    grid.private_quantile(values, RankFraction::MEDIAN, neighbors, epsilon, bits)
}

/// 2 half + 1 equally spaced points of a range.
struct EvenGrid {
    bounds: Bounds,
    half: i32,
}

impl EvenGrid {
    fn len(&self) -> usize {
        2 * self.half.unsigned_abs() as usize + 1
    }

    /// A point by its number: not descending, the ends exact.
    fn point(&self, number: usize) -> f64 {
        let (low, high) = (self.bounds.low(), self.bounds.high());
        let from_middle = f64::from(number as i32 - self.half) / f64::from(self.half);
        match number {
            0 => low,
            _ if number + 1 == self.len() => high,
            _ => (self.bounds.middle() + self.bounds.half() * from_middle).clamp(low, high),
        }
    }

    /// The number of points below a value.
    fn below(&self, value: f64) -> usize {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = (from + to) / 2;
            if self.point(middle) < value {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    fn count(&self, values: impl IntoIterator<Item = f64>) -> RankCounts {
        let mut counts = RankCounts::new(self.len());
        for value in values.into_iter().filter(|value| !value.is_nan()) {
            counts.add(self.below(value.clamp(self.bounds.low(), self.bounds.high())));
        }
        counts
    }

    fn private_quantile(
        &self,
        values: impl IntoIterator<Item = f64>,
        fraction: RankFraction,
        neighbors: Neighbors,
        epsilon: &Epsilon,
        bits: &Bits,
    ) -> f64 {
        let groups = Tied::groups(self.count(values).distances(fraction));
        let winner = draw(&groups, &fraction.rate(neighbors, epsilon), bits);
        // The grid is not empty, so there is a winner.
        winner.map_or(self.bounds.low(), |point| self.point(point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seeded;
    use crate::exact::near_f64;
    use crate::privacy::Neighbors::{AddRemove, ReplaceOne};
    use crate::random::Entropy;
    use crate::support::goodness::assert_fits;
    use crate::support::oracle::max_log_ratio;

    const FRACTIONS: [(&str, f64); 3] = [("1/10", 0.1), ("0.5", 0.5), ("9/10", 0.9)];
    const POINTS: [f64; 5] = [-2.0, -1.0, 0.0, 1.0, 2.0];
    const VALUES: [f64; 6] = [-3.0, -2.0, -0.5, 0.0, 1.0, 9.0];
    const FEW: [f64; 4] = [-3.0, -0.5, 1.0, 9.0];

    fn grid() -> EvenGrid {
        EvenGrid { bounds: Bounds::new(-2.0, 2.0).unwrap(), half: 2 }
    }

    fn fraction(text: &str) -> RankFraction {
        RankFraction::checked(text.into()).unwrap()
    }

    /// The law from the definition with any D: utilities by counting, without bins.
    fn law_with(d: f64, values: &[f64], q: f64, eps: f64) -> Vec<f64> {
        let weight = |g: f64| {
            let below = values.iter().filter(|value| value.clamp(-2.0, 2.0) <= g).count();
            (-eps / (2.0 * d) * (below as f64 - q * values.len() as f64).abs()).exp()
        };
        let weights = POINTS.map(weight);
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    fn sensitivity(q: f64, neighbors: Neighbors) -> f64 {
        match neighbors {
            AddRemove => q.max(1.0 - q),
            ReplaceOne => 1.0,
        }
    }

    /// The law from the code's own groups and rate.
    fn law_of_code(values: &[f64], q: &str, neighbors: Neighbors, eps: &str) -> Vec<f64> {
        let rate = near_f64(&fraction(q).rate(neighbors, &eps.parse().unwrap()));
        let groups = Tied::groups(grid().count(values.iter().copied()).distances(fraction(q)));
        let weights: Vec<f64> = groups
            .iter()
            .flat_map(|group| vec![(-rate * group.distance as f64).exp(); group.points as usize])
            .collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// All tables of up to `rows` of these values, in one order each.
    fn tables(rows: usize, of: &[f64]) -> Vec<Vec<f64>> {
        let mut all = vec![vec![]];
        let mut next = 0;
        while next < all.len() {
            let table: Vec<f64> = all[next].clone();
            next += 1;
            if table.len() < rows {
                let last = table.last().copied().unwrap_or(f64::NEG_INFINITY);
                let more = of.iter().filter(|value| **value >= last);
                all.extend(more.map(|&value| [table.clone(), vec![value]].concat()));
            }
        }
        all
    }

    /// The largest log-ratio over epsilon of a law, between all tables of up to 10 of four values
    /// and their neighbors. With fewer than 9 values, no two points around a tenth or nine tenths
    /// of the values move apart by the maximum.
    fn worst(neighbors: Neighbors, eps: f64, law: impl Fn(&[f64]) -> Vec<f64>) -> f64 {
        let mut worst = 0.0f64;
        for table in tables(9, &FEW) {
            let longer = FEW.map(|value| law(&[table.clone(), vec![value]].concat()));
            let own = law(&table);
            for (i, one) in longer.iter().enumerate() {
                let others: Vec<&Vec<f64>> = match neighbors {
                    AddRemove => vec![&own],
                    // Replaced by another value, or by a missing one.
                    ReplaceOne => longer[..i].iter().chain([&own]).collect(),
                };
                for other in others {
                    worst = worst.max(max_log_ratio(one, other) / eps);
                }
            }
        }
        worst
    }

    #[test]
    fn privacy_by_enumeration() {
        for (text, q) in FRACTIONS {
            for neighbors in [AddRemove, ReplaceOne] {
                for (eps_text, eps) in [("0.2", 0.2), ("1", 1.0), ("6", 6.0)] {
                    for table in tables(4, &VALUES) {
                        let code = law_of_code(&table, text, neighbors, eps_text);
                        let exact = law_with(sensitivity(q, neighbors), &table, q, eps);
                        assert!(max_log_ratio(&code, &exact) < 1e-9, "{table:?}");
                    }
                    let law = |values: &[f64]| law_of_code(values, text, neighbors, eps_text);
                    let found = worst(neighbors, eps, law);
                    assert!(found <= 1.0 + 1e-12, "{text}, {neighbors:?}, {eps}: {found}");
                }
            }
        }
    }

    /// The constant is the smallest: with large budgets the ratios come near epsilon.
    #[test]
    fn broken_variants_are_rejected() {
        let eps = 20.0;
        for (_, q) in FRACTIONS {
            for neighbors in [AddRemove, ReplaceOne] {
                let d = sensitivity(q, neighbors);
                let law = |d: f64| worst(neighbors, eps, |values| law_with(d, values, q, eps));
                assert!((0.9..=1.0 + 1e-12).contains(&law(d)), "{q}, {neighbors:?}: {}", law(d));
                assert!(law(0.9 * d) > 1.01, "{q}, {neighbors:?}: a tenth less");
                // The monotonic constant.
                assert!(law(d / 2.0) > 1.01);
            }
            // The median's constant for other quantiles, and that of adding a value for replacing
            // one.
            if q != 0.5 {
                assert!(worst(AddRemove, eps, |values| law_with(0.5, values, q, eps)) > 1.01);
            }
            let d = sensitivity(q, AddRemove);
            assert!(worst(ReplaceOne, eps, |values| law_with(d, values, q, eps)) > 1.01);
        }
    }

    #[test]
    fn draws_fit_the_law() {
        let values = [-1.0, 0.5, 0.5, 1.0, 1.5, 7.0];
        for (text, q) in FRACTIONS {
            for neighbors in [AddRemove, ReplaceOne] {
                let mut counts = [0u64; 5];
                for seed in 0..10_000 {
                    let bits = Entropy::Seeded(seed).source().unwrap().bits(DRAW);
                    let epsilon = "2".parse().unwrap();
                    let drawn =
                        grid().private_quantile(values, fraction(text), neighbors, &epsilon, &bits);
                    counts[POINTS.iter().position(|&point| point == drawn).unwrap()] += 1;
                }
                assert_fits(&counts, &law_with(sensitivity(q, neighbors), &values, q, 2.0));
            }
        }
    }

    /// The grid of releases: ascending, the ends exact; every value is counted at the first point
    /// that reaches it.
    #[test]
    fn grid_points_are_evenly_spaced() {
        for (low, high) in [(-1.0, 3.0), (0.1, 0.7), (-5.6, 3.6), (1e-300, 2e-300), (-1e308, 1e308)]
        {
            let bounds = Bounds::new(low, high).unwrap();
            let grid = EvenGrid { bounds, half: HALF };
            let points: Vec<f64> = (0..grid.len()).map(|i| grid.point(i)).collect();
            assert_eq!((points.len(), points[0], points[65_536]), (65_537, low, high));
            assert!(points.is_sorted_by(|a, b| a < b));
            let step = (high / 2.0 - low / 2.0) / 32_768.0;
            let even = |pair: &[f64]| ((pair[1] - pair[0]) / step - 1.0).abs() < 1e-6;
            assert!(points.windows(2).all(even));
            for value in [low, points[777], points[40_000] + step / 2.0, high] {
                let first = points.iter().position(|&point| point >= value);
                assert_eq!(grid.below(value), first.unwrap());
            }
        }
        // Bounds that no third number lies between.
        let next = 1.0f64.next_up();
        let grid = EvenGrid { bounds: Bounds::new(1.0, next).unwrap(), half: HALF };
        assert!((0..grid.len()).all(|i| [1.0, next].contains(&grid.point(i))));
    }

    #[test]
    fn large_budgets_find_quantiles() {
        let values = || (0..1000).map(f64::from).chain([f64::NAN, f64::INFINITY]);
        let bounds = Bounds::new(0.0, 2000.0).unwrap();
        for (text, expected) in [("0.1", 100.0), ("1/3", 333.0), (".9", 900.0)] {
            let epsilon = "100".parse().unwrap();
            let drawn = quantile(values(), text, bounds, ReplaceOne, &epsilon, Seeded(3)).unwrap();
            assert!((*drawn - expected).abs() < 4.0, "{text}: {}", *drawn);
        }
    }

    #[test]
    fn fractions_are_checked() {
        let bounds = Bounds::new(0.0, 1.0).unwrap();
        let ask =
            |text: &str| quantile([0.5], text, bounds, AddRemove, &"1".parse().unwrap(), Seeded(1));
        for text in ["0", "1", "-0.1", "3/2", "half", "", "1e-30"] {
            let error = ask(text).unwrap_err();
            assert!(error.to_string().starts_with("the fraction of a quantile must"), "{error}");
        }
        for text in ["1e-18", "0.30000000000000004", "1/3", "0.999999"] {
            assert!(ask(text).is_ok(), "{text}");
        }
        let none: [f64; 0] = [];
        assert!(quantile(none, "1/2", bounds, AddRemove, &"1".parse().unwrap(), Seeded(1)).is_ok());
    }
}
