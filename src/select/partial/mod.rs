//! Partial results: the exact sums of some rows, which add up to those of all.

mod facts;
#[cfg(test)]
mod tests;
mod text;

use serde::{Deserialize, Serialize};

use crate::data::{Samples, Source};
use crate::error::{Error, Parameter, Result};
use crate::estimate::{MedianGrid, RankCounts};
use crate::privacy::Epsilon;
use crate::random::Entropy;
use crate::score::{BinSums, ClassSums, CorrelationSums, RawSums, Summed};
use crate::select::blocks::Dealer;
use crate::select::check::checked_threads;
use crate::select::memo::Draws;
use crate::select::pass::{Gathered, Pass};
use crate::select::plan::{Association, Coding, Plan, Scoring};
use crate::select::record::Record;
use crate::select::recording::record;
use crate::select::release::Release;
use crate::select::request::Request;
use crate::select::run::{open, plan_for};
use crate::select::settled::Settled;
use facts::{Facts, Split};

/// The exact sums of some rows of a table, as one machine, file or site computes them: **not private**.
///
/// Sums are integers. Those of disjoint parts of the rows [add up](Self::merge), in any order, to those of the whole table,
/// and [`CheckedSelect::release`](crate::CheckedSelect::release) draws from them what a run on the whole table would, to the
/// bit. They exist for correlation and for the streaming form of the Kolmogorov-Smirnov score, with bounds or row ranks;
/// whole columns do not add up.
///
/// A numeric target without a range is split at a private median of all rows. Then there are two stages: the partials of the
/// first one count targets, [`CheckedSelect::release_median`](crate::CheckedSelect::release_median) draws the median from all of
/// them, and those of the second one are made at it.
///
/// ```
/// use dpsis::{FileTable, Partial, Select, Target};
///
/// let north = "age,dose,status\n41,2,ill\n39,3,well\n";
/// let south = "age,dose,status\n52,7,ill\n47,1,well\n33,4,ill\n";
/// let table = |text: &'static str| FileTable::from_reader(text.as_bytes());
/// let request = Select::new(1).epsilon("2").bounds(0.0, 100.0).target(Target::classes(["well", "ill"]));
///
/// let parts = [north, south].map(|text| request.partial(&table(text), None).unwrap());
/// let [north, south] = parts;
/// let selection = request.check()?.release(&south.merge(&north)?)?;
/// assert_eq!(selection.selected.len(), 1);
/// # Ok::<(), dpsis::Error>(())
/// ```
///
/// # Privacy
///
/// None: whoever has the sums of some rows knows much about them, and everything about a single row. Keep them as safe as
/// the table. Everything stated of the table is part of a partial, and partials of different requests are refused.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    facts: Facts,
    /// The number of all rows, with a usable target or not.
    rows: u64,
    sums: Sums,
}

/// The sums of a stage.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Sums {
    /// The number of targets between the points of the median's grid: (bin, count), for the bins that have any.
    Ranks(Vec<(usize, u64)>),
    /// Of features and targets.
    Features(RawSums),
}

/// A private median of a target, released from the partials of all rows: what those of the second stage are made at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleasedMedian {
    /// The shortest text of the median.
    pub(super) median: String,
    /// What it has spent.
    pub(super) epsilon: String,
    /// Whether it was drawn privately: not from a seed.
    pub(super) private: bool,
}

impl ReleasedMedian {
    /// What it has spent, as exact text: a part of the budget of the request.
    pub fn epsilon(&self) -> &str {
        &self.epsilon
    }

    /// Whether it may be released: false if it was drawn from a seed.
    pub fn is_private(&self) -> bool {
        self.private
    }

    fn value(&self) -> Result<f64> {
        let value = self.median.parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| Error::input("the released median is no number"))
    }
}

impl std::fmt::Debug for Partial {
    /// Omits the sums, which are private data.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Partial").field("features", &self.facts.features()).finish_non_exhaustive()
    }
}

impl Partial {
    /// The sums of these rows and of others together.
    ///
    /// # Errors
    ///
    /// `Request` if they were made for different requests or tables; `Input` if a sum is larger than that of any rows.
    pub fn merge(mut self, other: &Self) -> Result<Self> {
        self.facts.check_equal(&other.facts)?;
        self.rows = self.rows.checked_add(other.rows).ok_or_else(too_many)?;
        match (&mut self.sums, &other.sums) {
            (Sums::Features(mine), Sums::Features(more)) => mine.add(more),
            (Sums::Ranks(mine), Sums::Ranks(more)) => {
                let mut all: std::collections::BTreeMap<usize, u64> = mine.drain(..).collect();
                for (bin, count) in more {
                    let sum = all.entry(*bin).or_default();
                    *sum = sum.checked_add(*count).ok_or_else(too_many)?;
                }
                *mine = all.into_iter().collect();
            }
            _ => return Err(other_stage()),
        }
        self.check()?;
        Ok(self)
    }

    /// Whether these are counts of targets, from which a median is to be released.
    pub fn needs_median(&self) -> bool {
        matches!(self.sums, Sums::Ranks(_))
    }

    /// The number of features.
    pub fn features(&self) -> usize {
        self.facts.features()
    }

    /// Checks that the sums have the form that the facts demand, as one that comes from a file may not.
    fn check(&self) -> Result<()> {
        if self.rows > crate::exact::MAX_ROWS {
            return Err(too_many());
        }
        match &self.sums {
            Sums::Ranks(_) => self.counts().map(|_| ()),
            Sums::Features(_) => self.gathered().map(|_| ()),
        }
    }

    fn counts(&self) -> Result<RankCounts> {
        let Sums::Ranks(counts) = &self.sums else { return Err(other_stage()) };
        let points = MedianGrid::shared().len();
        let mut bins = vec![0; points + 1];
        for (bin, count) in counts {
            let slot = bins.get_mut(*bin).filter(|_| *count <= self.rows);
            *slot.ok_or_else(|| Error::input("these counts are of no rows"))? = *count;
        }
        let counts = RankCounts::of_bins(bins, points).filter(|counts| counts.total() <= self.rows);
        counts.ok_or_else(|| Error::input("these counts are of no rows"))
    }

    /// The sums as a pass gathers them.
    fn gathered(&self) -> Result<Gathered<'static>> {
        let Sums::Features(raw) = &self.sums else { return Err(other_stage()) };
        let (d, rows, raw) = (self.facts.features(), self.rows, raw.clone());
        let number = |sums| Gathered::Sums(Summed { sums, rows });
        let classes = |sums| Gathered::ClassSums(Summed { sums, rows });
        Ok(match (self.facts.on_bins(), self.facts.classes()) {
            (false, None) => number(Box::new(CorrelationSums::of_raw(raw, d)?)),
            (true, None) => number(Box::new(BinSums::<i16>::of_raw(raw, d)?)),
            (false, Some(count)) => classes(Box::new(ClassSums::of_raw(&raw, d, count)?)),
            (true, Some(count)) => {
                classes(Box::new(BinSums::<usize>::of_raw_classes(raw, d, count)?))
            }
        })
    }
}

/// The sums of the rows of a table for a checked request; `median` is the released one, in the second stage.
///
/// # Errors
///
/// Those of a run; `Request` if the scores of the request do not add up, or if a median is stated that it does not split at.
pub(super) fn partial(
    request: &Request,
    source: &(impl Source + ?Sized),
    median: Option<&ReleasedMedian>,
) -> Result<Partial> {
    let hooks = request.hooks.for_a_run();
    let mut table = open(request, source, &hooks)?;
    let plan = plan_for(request, table.schema())?;
    let splits = adds_up(&plan)?;
    if median.is_some() && !splits {
        return Err(Error::request("the target is not split at a median"));
    }
    let mut facts = Facts::new(&plan, table.schema(), table.format())?;
    if splits {
        facts.split = Some(Split { released: median.cloned() });
    }
    let threads = checked_threads(request.threads)?;
    let pass = Pass { plan: &plan, threads, hooks: &hooks, is_part: true };
    if splits && median.is_none() {
        let counts = pass.ranks(&mut table)?;
        let rows = counts.total();
        let counts = counts.bins().iter().enumerate().filter(|(_, count)| **count > 0);
        let counts = counts.map(|(bin, count)| (bin, *count)).collect();
        return Ok(Partial { facts, rows, sums: Sums::Ranks(counts) });
    }
    let at = median.map(ReleasedMedian::value).transpose()?;
    let (raw, rows) = match pass.gather_for(Draws::One, &mut table, at)? {
        Gathered::Sums(summed) => (summed.sums.raw(), summed.rows),
        Gathered::ClassSums(summed) => (summed.sums.raw(), summed.rows),
        _ => return Err(does_not_add_up()),
    };
    Ok(Partial { facts, rows, sums: Sums::Features(raw) })
}

/// Releases the median of a request from the counts of all rows.
///
/// # Errors
///
/// `Request` if the counts are of another request; `Input` if no row has a usable target; `Io` if the operating system gives
/// no entropy.
pub(super) fn release_median(request: &Request, partial: &Partial) -> Result<ReleasedMedian> {
    let (plan, epsilon) = planned(request, partial)?;
    let epsilon = epsilon.ok_or_else(other_stage)?;
    let counts = partial.counts()?;
    if counts.total() == 0 {
        return Err(no_usable_target());
    }
    let (hooks, randomness) = (request.hooks.for_a_run(), request.entropy.source()?);
    let dealer = Dealer { randomness: &randomness, dealing: 0, threads: 1, hooks: &hooks };
    let release = Release { plan: &plan, randomness: &randomness, dealer };
    Ok(ReleasedMedian {
        median: release.median(&counts, &epsilon).to_string(),
        epsilon: epsilon.to_string(),
        private: matches!(request.entropy, Entropy::OperatingSystem),
    })
}

/// Releases a selection from the sums of all rows.
///
/// # Errors
///
/// As for [`release_median`]; `Request` if the median has spent another part of the budget than the request gives it.
pub(super) fn release_selection(request: &Request, partial: &Partial) -> Result<Record> {
    let (plan, epsilon) = planned(request, partial)?;
    let median = match (epsilon, partial.facts.median()) {
        (None, _) => None,
        (Some(_), None) => return Err(other_stage()),
        (Some(epsilon), Some(released)) => {
            if released.epsilon != epsilon.to_string() {
                let rule = format!(
                    "the median has spent epsilon {}, of which this request would give it {epsilon}",
                    released.epsilon
                );
                return Err(Error::request(rule).about([Parameter::Epsilon, Parameter::Shares]));
            }
            let private = matches!(request.entropy, Entropy::OperatingSystem);
            if private && !released.private {
                return Err(Error::request(
                    "the median was drawn from a seed: it is not for release",
                ));
            }
            Some(released.value()?)
        }
    };
    let gathered = partial.gathered()?;
    let usable = match &gathered {
        Gathered::Sums(summed) => summed.sums.target_sums() != (0, 0),
        Gathered::ClassSums(summed) => summed.sums.rows().iter().any(|rows| *rows > 0),
        _ => false,
    };
    if !usable {
        return Err(no_usable_target());
    }
    let (hooks, randomness) = (request.hooks.for_a_run(), request.entropy.source()?);
    let dealer = Dealer { randomness: &randomness, dealing: 0, threads: 1, hooks: &hooks };
    let release = Release { plan: &plan, randomness: &randomness, dealer };
    let settled = release.settle(&gathered, median)?;
    let values = settled.values(&gathered, 1, &hooks)?;
    let scores = settled.scores(values, &gathered, &plan)?;
    let picks = release.select(&scores)?;
    let exact = |settled: &Settled, picks: &[usize]| settled.exact(&gathered, picks);
    let chosen = release.finish(settled, picks, scores.sensitivity(), exact)?;
    Ok(record(&plan, &partial.facts.schema, request.entropy, chosen))
}

/// The plan of a request for the table of a partial, and the part of its budget for a median.
fn planned(request: &Request, partial: &Partial) -> Result<(Plan, Option<Epsilon>)> {
    partial.check()?;
    let plan = plan_for(request, &partial.facts.schema)?;
    let splits = adds_up(&plan)?;
    partial.facts.check_request(&plan)?;
    let epsilon = plan.median().cloned().filter(|_| splits);
    Ok((plan, epsilon))
}

/// Whether the target is split at a median.
///
/// # Errors
///
/// `Request` if the scores of a plan do not add up.
fn adds_up(plan: &Plan) -> Result<bool> {
    match &plan.scoring {
        Scoring::Number { association: Association::Ks, .. }
        | Scoring::Classes { association: Association::Ks, .. } => Err(does_not_add_up()),
        Scoring::Number { coding, .. } => Ok(matches!(coding, Coding::MedianSplit(_))),
        Scoring::Classes { .. } => Ok(false),
        _ => Err(does_not_add_up()),
    }
}

fn does_not_add_up() -> Error {
    Error::request("scores of whole columns do not add up from parts of the rows")
        .hint("state bounds or row ranks: correlation adds up then, and ks on bins of the scaled values")
        .about([Parameter::Bounds, Parameter::Scaling, Parameter::Score])
}

fn other_stage() -> Error {
    Error::request("a numeric target without a range comes in two stages: counts, then sums at their released median")
        .hint("counts and sums do not mix; a stated range or classes need one stage")
        .about([Parameter::TargetBounds, Parameter::Classes])
}

fn no_usable_target() -> Error {
    Error::input("no row of any partial has a usable target").about([Parameter::Classes])
}

fn too_many() -> Error {
    Error::input("the partials have more rows than sums can hold")
}
