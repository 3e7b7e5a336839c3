//! The smallest few of many real numbers that are known as intervals, in order.
//!
//! Every number is a function of infinitely many random bits. Its first bits give an `f64` interval
//! that contains it; these intervals nearly always determine the order. If not, the few numbers
//! that overlap get further bits and intervals from integer arithmetic until they are separated.
//! Ties have probability zero. So the outcome is a function of the infinite bit strings alone, and
//! the quick intervals affect only the speed.

use num_bigint::BigInt;

use super::Address;

/// A number by its address, with bounds.
#[derive(Clone, Copy)]
struct Contender {
    address: Address,
    lower: f64,
    upper: f64,
}

/// Both ends of a number, scaled by a power of two that depends on `words` alone; `None` if
/// unbounded.
pub(crate) type Ends = (Option<BigInt>, Option<BigInt>);

/// The numbers that may still be among the smallest `count`.
pub(crate) struct Leaders {
    count: usize,
    /// At least `count` of the numbers so far lie below; a number with a lower end above it is
    /// excluded.
    bar: f64,
    contenders: Vec<Contender>,
    /// The number of contenders at which excluded ones are removed.
    limit: usize,
}

impl Leaders {
    /// An empty set, for the smallest `count` numbers.
    pub(crate) fn new(count: usize) -> Self {
        Self { count, bar: f64::INFINITY, contenders: Vec::new(), limit: 2 * count + 16 }
    }

    /// Numbers above this bound are excluded.
    #[inline]
    pub(crate) fn bar(&self) -> f64 {
        self.bar
    }

    /// Enters a number.
    #[inline]
    pub(crate) fn enter(&mut self, address: Address, lower: f64, upper: f64) {
        // Negated so that a NaN bound keeps the number, which is then refined.
        if !(lower > self.bar) {
            self.contenders.push(Contender { address, lower, upper });
            if self.count == 1 {
                self.bar = self.bar.min(upper);
            }
            if self.contenders.len() > self.limit {
                self.sort_out();
            }
        }
    }

    /// Lowers the bar to the `count`-th upper end and removes the contenders above it.
    fn sort_out(&mut self) {
        if self.contenders.len() > self.count {
            // A NaN upper end bounds nothing.
            let key = |c: &Contender| if c.upper.is_nan() { f64::INFINITY } else { c.upper };
            let by_upper = |a: &Contender, b: &Contender| key(a).total_cmp(&key(b));
            let (_, last, _) = self.contenders.select_nth_unstable_by(self.count - 1, by_upper);
            self.bar = self.bar.min(key(last));
        }
        let bar = self.bar;
        self.contenders.retain(|contender| !(contender.lower > bar));
        self.limit = 2 * self.contenders.len() + 16;
    }

    /// The addresses of the smallest `count` numbers (of all, if fewer were entered), in ascending
    /// order. `refine` returns a number's ends, given the first `words` words of its bits.
    pub(crate) fn in_order(mut self, refine: impl Fn(Address, u64) -> Ends) -> Vec<Address> {
        self.sort_out();
        let mut rest = self.contenders;
        // Sorted so that the smallest lower end comes last; a NaN lower end counts as minus
        // infinity.
        let start = |c: &Contender| if c.lower.is_nan() { f64::NEG_INFINITY } else { c.lower };
        rest.sort_unstable_by(|a, b| start(b).total_cmp(&start(a)));
        let mut order = Vec::with_capacity(self.count);
        while order.len() < self.count && !rest.is_empty() {
            let mut bar = f64::INFINITY;
            let may_lead = |contender: &&Contender| -> bool {
                let leads = !(contender.lower > bar);
                bar = bar.min(contender.upper);
                leads
            };
            let front: Vec<Address> =
                rest.iter().rev().take_while(may_lead).map(|c| c.address).collect();
            let among = rest.len() - front.len();
            let Some(first) = least(front, &refine) else { break };
            let place = rest[among..].iter().position(|contender| contender.address == first);
            rest.remove(among + place.unwrap_or(0));
            order.push(first);
        }
        order
    }
}

/// The name of the smallest number; `None` if there are no names.
pub(super) fn least<N: Copy>(mut names: Vec<N>, refine: impl Fn(N, u64) -> Ends) -> Option<N> {
    let mut words = 2;
    while names.len() > 1 {
        let ends: Vec<Ends> = names.iter().map(|&name| refine(name, words)).collect();
        let bar = ends.iter().filter_map(|(_, upper)| upper.as_ref()).min();
        let may_lead = |lower: &Option<BigInt>| match (lower, bar) {
            (Some(lower), Some(bar)) => lower <= bar,
            _ => true,
        };
        let pairs = names.iter().zip(&ends);
        names = pairs.filter(|(_, (lower, _))| may_lead(lower)).map(|(&name, _)| name).collect();
        words += 1;
    }
    names.pop()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Numbers with 40 bits are ordered correctly when the quick interval contains only the
        /// first few.
        #[test]
        fn order_is_found_with_coarse_intervals(
            numbers in prop::collection::hash_set(0u64..1 << 40, 1..60),
            count in 1usize..70,
            known in 0u32..41,
        ) {
            let numbers: Vec<u64> = numbers.into_iter().collect();
            let mut leaders = Leaders::new(count);
            for (i, number) in numbers.iter().enumerate() {
                let address = Address { lane: 0, position: i as u64 };
                let unknown = (1u64 << (40 - known)) - 1;
                leaders.enter(address, (number & !unknown) as f64, (number | unknown) as f64);
            }
            let order = leaders.in_order(|address, words| {
                let number = numbers[address.position as usize];
                let unknown = (1u64 << (40 - (known + 8 * (words as u32 - 1)).min(40))) - 1;
                (Some((number & !unknown).into()), Some((number | unknown).into()))
            });
            let found: Vec<u64> = order.iter().map(|a| numbers[a.position as usize]).collect();
            let mut sorted = numbers;
            sorted.sort_unstable();
            sorted.truncate(count);
            prop_assert_eq!(found, sorted);
        }
    }

    #[test]
    fn undefined_intervals_are_refined() {
        let mut leaders = Leaders::new(2);
        for position in 0..3 {
            leaders.enter(Address { lane: 0, position }, f64::NAN, f64::NAN);
        }
        let exact = |address: Address, _| {
            let value = BigInt::from(-(address.position as i64));
            (Some(value.clone()), Some(value))
        };
        let order: Vec<u64> = leaders.in_order(exact).iter().map(|a| a.position).collect();
        assert_eq!(order, [2, 1]);
    }
}
