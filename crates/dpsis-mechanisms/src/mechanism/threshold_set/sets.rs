//! The race of cells of loss levels, from which a set is drawn.

use std::cell::OnceCell;

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::exact::{Enclosure, near_f64};
use crate::mechanism::threshold_set::prior::{Fixed, Ln, Prior, ln_one_minus_exp, subset};
use crate::privacy::Epsilon;
use crate::random::{Address, Bits, Filter, FirstArrival, Race, bernoulli_exp_neg};
use crate::scores::Scores;

/// The lanes of the bits of an attempt: of the race of cells, of the comparison of a level, and of
/// free candidates.
const RACE_LANE: u64 = 0;
const LEVEL_LANE: u64 = 1;
const FREE_LANE: u64 = 2;

/// Loss levels h from `from` up to `until`: candidates above the threshold by `until` or more are
/// held, those below it by as much are missed, and no other one above lies between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) from: u64,
    /// `None` for all levels.
    pub(super) until: Option<u64>,
    pub(super) fixed: Fixed,
}

/// All sets of candidates, by cells of levels.
pub(super) struct ThresholdSets<'a> {
    values: &'a [i64],
    level: i64,
    prior: Prior,
    /// The largest size of a set, if it is limited.
    most: Option<usize>,
    /// c = eps/(2 Delta), also for monotonic scores
    rate: BigRational,
    cells: Vec<Cell>,
}

impl<'a> ThresholdSets<'a> {
    pub(super) fn new(
        scores: &'a Scores,
        level: i64,
        prior: Prior,
        most: Option<usize>,
        epsilon: &Epsilon,
    ) -> Self {
        let values = scores.values();
        let unit = 2 * u128::from(scores.sensitivity());
        let rate = epsilon.as_rational() / BigInt::from(unit);
        let cells = cells(values, level, &prior, most);
        Self { values, level, prior, most, rate, cells }
    }

    /// Draws a set by its law.
    ///
    /// A cell and its free candidates are drawn as if no candidate below the threshold within the
    /// cell had to be missed, then the level; if a named candidate is further below than this
    /// level, all is drawn again. That takes less than e^2 attempts on average, and nearly always
    /// one unless many are named.
    pub(super) fn draw(&self, bits: &Bits, filter: Filter) -> Vec<usize> {
        let mut attempt = 0;
        loop {
            let own = bits.branch(attempt);
            let (cell, more) = self.race(&own, filter);
            let mut words = own.lane(FREE_LANE);
            let free = self.prior.free(cell.fixed) as u64;
            let drawn = match more {
                Some(more) => subset(&mut words, free, more as u64),
                None => self.prior.draw(cell.fixed, &mut words),
            };
            let (names, furthest) = self.names(&cell, &drawn);
            if furthest <= cell.from || self.reaches(&cell, furthest, &own, filter) {
                return names;
            }
            attempt += 1;
        }
    }

    /// The winning cell, and the number of free candidates held if sizes are limited: then each
    /// size of a cell is an entrant.
    fn race(&self, bits: &Bits, filter: Filter) -> (Cell, Option<usize>) {
        let mut race = Race::new(bits, FirstArrival::Exponential, filter, 0.0);
        let mut words = bits.lane(RACE_LANE);
        let (mut firsts, mut next) = (Vec::with_capacity(self.cells.len()), 0);
        for cell in &self.cells {
            firsts.push(next);
            let whole = self.ln_weight(cell, None);
            let sizes = self.sizes(cell);
            for size in 0..sizes.unwrap_or(1) {
                let (address, word) =
                    (Address { lane: RACE_LANE, position: next }, words.next_word());
                next += 1;
                // No size weighs more than all.
                if sizes.is_some() && race.cannot_win_within(word, whole.entrant(), whole.error()) {
                    continue;
                }
                let ln = sizes.map_or(whole, |_| self.ln_weight(cell, Some(size as usize)));
                race.enter_at_within(address, word, ln.entrant(), ln.error());
            }
        }
        let entrant = |position: u64| {
            let place = firsts.partition_point(|first| *first <= position) - 1;
            let cell = self.cells[place];
            (cell, self.sizes(&cell).map(|_| (position - firsts[place]) as usize))
        };
        let winner = race.winner_by_weight(|Address { position, .. }, precision| {
            let (cell, more) = entrant(position);
            self.enclose_ln_weight(&cell, more, precision)
        });
        // There is a cell, which enters.
        entrant(winner.map_or(0, |address| address.position))
    }

    /// The number of sizes of a cell's sets, from that of those held on, if sizes are limited.
    fn sizes(&self, cell: &Cell) -> Option<u64> {
        let more = |most: usize| (most - cell.fixed.held).min(self.prior.free(cell.fixed));
        self.most.map(|most| more(most) as u64 + 1)
    }

    /// ln of the prior probability of a cell's sets times that of its levels.
    fn ln_weight(&self, cell: &Cell, more: Option<usize>) -> Ln {
        let sets = match more {
            Some(more) => self.prior.ln_mass_of_size(cell.fixed, more),
            None => self.prior.ln_mass(cell.fixed),
        };
        let rate = near_f64(&self.rate);
        let levels = Ln::of(-rate * cell.from as f64);
        let width = match cell.until {
            Some(until) => {
                let y = rate * (until - cell.from) as f64;
                // An error of y by 2^-50 y moves this by less than 2^-50.
                let ln = Ln::of(libm::log(-libm::expm1(-y)));
                Ln { scale: ln.scale + 1.0, ..ln }
            }
            None => Ln::default(),
        };
        sets.add(levels).add(width)
    }

    fn enclose_ln_weight(&self, cell: &Cell, more: Option<usize>, bits: u64) -> Option<Enclosure> {
        let sets = match more {
            Some(more) => self.prior.enclose_ln_mass_of_size(cell.fixed, more, bits)?,
            None => self.prior.enclose_ln_mass(cell.fixed, bits)?,
        };
        let levels = sets.sub(&Enclosure::rational(&self.distance(0, cell.from), bits));
        Some(match cell.until {
            Some(until) => levels.add(&ln_one_minus_exp(&self.distance(cell.from, until), bits)?),
            None => levels,
        })
    }

    /// c (until - from).
    fn distance(&self, from: u64, until: u64) -> BigRational {
        &self.rate * BigRational::from(BigInt::from(until - from))
    }

    /// Whether the level of a cell, drawn with density e^(-c h) in it, is at least `furthest`.
    fn reaches(&self, cell: &Cell, furthest: u64, bits: &Bits, filter: Filter) -> bool {
        let below = self.distance(cell.from, furthest);
        let Some(until) = cell.until else {
            let (numerator, denominator) = (below.numer().magnitude(), below.denom().magnitude());
            return bernoulli_exp_neg(&mut bits.lane(LEVEL_LANE), numerator, denominator);
        };
        // Levels below `furthest`, and from there on: a race of two.
        let above = self.distance(furthest, until);
        let y = [&below, &above].map(near_f64);
        let ln = [
            Ln::of(libm::log(-libm::expm1(-y[0]))),
            Ln::of(-y[0]).add(Ln::of(libm::log(-libm::expm1(-y[1])))),
        ];
        let mut race = Race::new(bits, FirstArrival::Exponential, filter, 0.0);
        let mut words = bits.lane(LEVEL_LANE);
        for (position, ln) in (0..).zip(ln) {
            let address = Address { lane: LEVEL_LANE, position };
            let ln = Ln { scale: ln.scale + 1.0, ..ln };
            race.enter_at_within(address, words.next_word(), ln.entrant(), ln.error());
        }
        let winner = race.winner_by_weight(|Address { position, .. }, precision| match position {
            0 => ln_one_minus_exp(&below, precision),
            _ => {
                let rest = ln_one_minus_exp(&above, precision)?;
                Some(rest.sub(&Enclosure::rational(&below, precision)))
            }
        });
        winner.is_some_and(|address| address.position == 1)
    }

    /// The candidates that a cell holds and the free ones of these numbers, and the distance below
    /// the threshold of the furthest among these.
    fn names(&self, cell: &Cell, drawn: &[u64]) -> (Vec<usize>, u64) {
        let mut drawn = drawn.iter().peekable();
        let (mut names, mut furthest, mut number) = (Vec::new(), 0, 0);
        for (i, &value) in self.values.iter().enumerate() {
            let gap = value.abs_diff(self.level);
            if cell.until.is_none_or(|until| gap < until) {
                if drawn.next_if(|next| **next == number).is_some() {
                    names.push(i);
                    if value < self.level {
                        furthest = furthest.max(gap);
                    }
                }
                number += 1;
            } else if value > self.level {
                names.push(i);
            }
        }
        (names, furthest)
    }
}

/// The cells of levels: between the distances of candidates above the threshold, and closer where
/// the prior probabilities within a cell would differ much. O(d log c) for c cells and a sort of
/// the candidates above, and also of the candidates below where cells are cut.
pub(super) fn cells(values: &[i64], level: i64, prior: &Prior, most: Option<usize>) -> Vec<Cell> {
    let gaps = |above: bool| {
        let side = move |value: &&i64| if above { **value > level } else { **value < level };
        values.iter().filter(side).map(move |value| value.abs_diff(level))
    };
    let sorted = |above: bool| {
        let mut sorted: Vec<u64> = gaps(above).collect();
        sorted.sort_unstable();
        sorted
    };
    let above = sorted(true);
    // Where sizes are limited, cells that hold more have no set.
    let first = most.map_or(0, |most| above.len().saturating_sub(most));
    let from = if first == 0 { 0 } else { above[first - 1] };
    let mut ends = above[first..].to_vec();
    ends.dedup();
    ends.retain(|end| *end > from);
    // The number of candidates below in each cell.
    let mut below = vec![0usize; ends.len() + 1];
    for gap in gaps(false) {
        below[ends.partition_point(|end| *end <= gap)] += 1;
    }
    let mut cells = Vec::with_capacity(ends.len() + 1);
    let (mut start, mut left) = (from, below.iter().sum::<usize>());
    let all_below = OnceCell::new();
    for (place, inside) in below.into_iter().enumerate() {
        let passed = left;
        left -= inside;
        let until = ends.get(place).copied();
        let held = until.map_or(0, |until| above.len() - above.partition_point(|gap| *gap < until));
        let cell = Cell { from: start, until, fixed: Fixed { held, missed: left } };
        match prior.alike(cell.fixed).filter(|alike| inside > *alike) {
            None => cells.push(cell),
            Some(alike) => {
                let all = all_below.get_or_init(|| sorted(false));
                split(cell, &all[all.len() - passed..all.len() - left], alike, &mut cells);
            }
        }
        start = until.unwrap_or(start);
    }
    cells
}

/// Cuts a cell at distances of candidates below, so that each part contains at most `alike` of
/// them, or those at one distance, which are at its start.
fn split(cell: Cell, inside: &[u64], alike: usize, cells: &mut Vec<Cell>) {
    let Cell { mut from, until, fixed } = cell;
    let mut rest = inside;
    loop {
        // Candidates at the start are on neither side of it.
        rest = &rest[rest.partition_point(|gap| *gap <= from)..];
        let Some(&far) = rest.get(alike) else { break };
        // Candidates before the cut are within the part, those at the cut and beyond are missed.
        let missed = fixed.missed + rest.len() - rest.partition_point(|gap| *gap < far);
        cells.push(Cell { from, until: Some(far), fixed: Fixed { missed, ..fixed } });
        from = far;
    }
    cells.push(Cell { from, until, fixed });
}
