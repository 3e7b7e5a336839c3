//! Races between single candidates, without blocks.

use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::One;

use crate::exact::near_f64;
use crate::random::{Bits, Entrant, Filter, FirstArrival, Handicapped, Race};

/// The first `count` candidates to arrive, in order. Candidate i has the arrival time B e^z with
/// z = rate (best score - its score) and B of the law; its bits are those at its place in a lane.
pub(super) fn first_arrivals(
    values: &[i64],
    rate: &BigRational,
    law: FirstArrival,
    count: usize,
    bits: &Bits,
    lane: u64,
) -> Vec<usize> {
    let best = values.iter().copied().max().unwrap_or(0);
    let near_rate = near_f64(rate);
    let mut race = Race::for_first(count, bits, law, Filter::default());
    race.lane(lane);
    for &value in values {
        race.enter(Handicapped { ln_size: 0.0, handicap: (best - value) as f64 * near_rate });
    }
    let exact = |place: usize| Entrant {
        size: BigUint::one(),
        handicap: rate * BigRational::from_integer((best - values[place]).into()),
    };
    let order = race.order(|address| exact(address.position as usize));
    order.into_iter().map(|address| address.position as usize).collect()
}
