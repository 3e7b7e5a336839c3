//! The exponential mechanism over ranks: a point of a public grid whose rank among the values is
//! near a given fraction of their number. The private [median](super::median) and other
//! [quantiles](super::quantile()) draw by it.
//!
//! # Definition
//!
//! For the fraction q = a/b of n values y, with c(g) = #{y <= g} values up to the grid point g,
//!
//! ```text
//! u(g) = -|c(g) - q n|,      P(g) proportional to e^(eps u(g)/(2 D)),
//! D = max(q, 1 - q) for adding or removing a value, 1 for replacing one.
//! ```
//!
//! # Guarantee
//!
//! eps-differentially private, for D bounds the change of u between neighbors. Adding a value y
//! adds 1 - q to c(g) - q n for g >= y, and takes q off it for g < y. Replacing y by z leaves n as
//! it is and moves c(g) by 1 for the g between y and z. (Replacing it by a missing value removes
//! it, and D >= max(q, 1 - q).) The absolute value moves no more than its argument.
//!
//! Neither bound can be lowered, although the utilities of two points do not move independently:
//! where c(g) <= q n, u(g) falls by q as a value above g is added, and where c(g) >= q (n + 1), it
//! rises by q. So two points, both below the added value, move apart by 2 q, and two above it by 2
//! (1 - q).
//!
//! If a unit has several values, each has an integer weight, and the weights of a unit add up to at
//! most W. Counts are then sums of weights, and b c(g) - a n, divided by W and rounded down in
//! magnitude, replaces b c(g) - a n. A unit moves it by a number from -a W to (b - a) W, which is W
//! times the move by a unit with one value: the quotient moves by no more than that value's.
//!
//! # Draw
//!
//! A race with exponential arrivals and the handicaps eps |b c(g) - a n|/(2 D b), which are
//! rationals: exact, for any data. All points take part. Points of one rank may enter as one
//! group with its size.

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::error::{Error, Result};
use crate::exact::{Exact, near_f64};
use crate::privacy::{Epsilon, Neighbors};
use crate::random::{Bits, Entrant, Filter, FirstArrival, Handicapped, Race, uniform_u64};

/// The lane of the place within a group; the race takes lane 0.
const PLACE_LANE: u64 = 1;

/// A fraction a/b of the number of values, strictly between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RankFraction {
    part: u64,
    whole: u64,
}

impl RankFraction {
    pub(super) const MEDIAN: Self = Self { part: 1, whole: 2 };

    /// Checks a given fraction.
    ///
    /// # Errors
    ///
    /// `Request` unless it lies strictly between 0 and 1 and has a denominator below 2^64.
    pub(super) fn checked(fraction: Exact) -> Result<Self> {
        let rational = fraction.rational().ok_or_else(|| {
            Error::request("the fraction of a quantile must be a number such as 0.9 or 1/3")
        })?;
        let (part, whole) = rational.into_raw();
        let wrong = || Error::request("the fraction of a quantile must lie between 0 and 1");
        let (true, true) = (part > BigInt::ZERO, part < whole) else { return Err(wrong()) };
        match (u64::try_from(part), u64::try_from(whole)) {
            (Ok(part), Ok(whole)) => Ok(Self { part, whole }),
            _ => Err(Error::request("the fraction of a quantile must have fewer digits")),
        }
    }

    /// The handicap of each unit of a distance: eps/(2 D b).
    pub(super) fn rate(self, neighbors: Neighbors, epsilon: &Epsilon) -> BigRational {
        let sensitivity = match neighbors {
            Neighbors::AddRemove => self.part.max(self.whole - self.part),
            Neighbors::ReplaceOne => self.whole,
        };
        epsilon.as_rational() / (BigInt::from(sensitivity) * 2)
    }
}

/// The number of values between consecutive grid points, or their weights.
#[derive(Debug, Clone)]
pub(crate) struct RankCounts {
    /// Bin i counts values v with point i - 1 < v <= point i; the last bin counts values above all
    /// points.
    bins: Vec<u64>,
    /// The maximum total weight of a unit's values: 1, if each has one value.
    unit: u64,
}

impl RankCounts {
    /// Counts of no values, for a grid of `points` points.
    pub(super) fn new(points: usize) -> Self {
        Self { bins: vec![0; points + 1], unit: 1 }
    }

    /// Weights of no values; each unit's will add up to at most `unit`.
    pub(super) fn weighted(points: usize, unit: u64) -> Self {
        Self { unit: unit.max(1), ..Self::new(points) }
    }

    /// Counts a value of this weight by the number of points below it.
    pub(super) fn add_weight(&mut self, below: usize, weight: u64) {
        self.bins[below] += weight;
    }

    /// Counts a value by the number of points below it.
    pub(super) fn add(&mut self, below: usize) {
        self.add_weight(below, 1);
    }

    /// The counts by bin.
    pub(crate) fn bins(&self) -> &[u64] {
        &self.bins
    }

    /// The counts of values by bin, for a grid of `points` points; `None` if the number of bins
    /// does not fit.
    pub(crate) fn of_bins(bins: Vec<u64>, points: usize) -> Option<Self> {
        (bins.len() == points + 1).then_some(Self { bins, unit: 1 })
    }

    /// The number of values counted.
    pub(crate) fn total(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// Adds the counts of other rows.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            *bin += more;
        }
    }

    /// Twice the distance of the middle n/2 from the ranks of the values between each grid point
    /// and the one before, in units: max(0, 2 A - n, n - 2 B) with A and B values up to the point
    /// before and up to this one. Like |2 B - n|, it moves by at most 1 with a value: A, B and n/2
    /// each move by 0, 1/2 or 1, to the same side.
    pub(super) fn distances_of_bins(&self) -> impl Iterator<Item = u128> {
        let total = u128::from(self.total());
        let mut below = 0u64;
        let points = self.bins.len() - 1;
        self.bins[..points].iter().map(move |bin| {
            let before = 2 * u128::from(below);
            below += bin;
            let over = before.saturating_sub(total);
            over.max(total.saturating_sub(2 * u128::from(below))) / u128::from(self.unit)
        })
    }

    /// The distance |b #{y <= g} - a n| of each grid point g, in units.
    pub(super) fn distances(&self, fraction: RankFraction) -> impl Iterator<Item = u128> {
        let target = u128::from(fraction.part) * u128::from(self.total());
        let mut below = 0u64;
        let points = self.bins.len() - 1;
        self.bins[..points].iter().map(move |bin| {
            below += bin;
            (u128::from(fraction.whole) * u128::from(below)).abs_diff(target)
                / u128::from(self.unit)
        })
    }
}

/// Consecutive grid points of one distance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tied {
    pub(super) points: u64,
    pub(super) distance: u128,
}

impl Tied {
    /// Groups of neighboring points.
    pub(super) fn groups(distances: impl Iterator<Item = u128>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for distance in distances {
            match groups.last_mut() {
                Some(last) if last.distance == distance => last.points += 1,
                _ => groups.push(Self { points: 1, distance }),
            }
        }
        groups
    }
}

/// Draws the number of a point; `None` if there are no points.
pub(super) fn draw(groups: &[Tied], rate: &BigRational, bits: &Bits) -> Option<usize> {
    let ln_size = |group: &Tied| libm::log(group.points as f64);
    let error = groups.iter().map(ln_size).fold(0.0, f64::max) * 2f64.powi(-50);
    let near_rate = near_f64(rate);
    let mut race = Race::new(bits, FirstArrival::Exponential, Filter::default(), error);
    for group in groups {
        let handicap = group.distance as f64 * near_rate;
        race.enter(Handicapped { ln_size: ln_size(group), handicap });
    }
    let winner = race.winner(|address| {
        let Tied { points, distance } = groups[address.position as usize];
        Entrant { size: points.into(), handicap: rate * BigRational::from_integer(distance.into()) }
    })?;
    let winner = winner.position as usize;
    let before: u64 = groups[..winner].iter().map(|group| group.points).sum();
    let place = uniform_u64(&mut bits.lane(PLACE_LANE), groups[winner].points);
    Some((before + place) as usize)
}
