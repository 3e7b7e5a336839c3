//! Simulation of what a selection would find, before any data are touched.
//!
//! From the numbers of rows and features, k and epsilon: how strong a feature must be to be found
//! with a probability of 50, 90 and 99%, by each mechanism, and to be called beyond chance. Tables
//! are imagined: their scores are drawn from the law that the real score has (`law`), and the real
//! mechanism selects with the real share of the budget (`world`). Nothing is private here, because
//! nothing is read.
//!
//! Two kinds of tables are imagined: k features of one strength, and one alone. All others are
//! noise, independent of each other. *Found with probability p* means: a feature of the strength is
//! among the k selected ones with probability p.

mod beyond;
mod bridge;
mod contenders;
mod law;
mod page;
mod recommendation;
mod request;
mod search;
mod shift;
mod sizes;
#[cfg(test)]
mod tests;
mod text;
mod world;

use dpsis::{Epsilon, Result, Spending};
use serde::Serialize;

pub use beyond::{BeyondOutlook, BeyondRequest, plan_beyond};
pub use contenders::{Contender, contenders};
pub use recommendation::PlanRecommendation;
pub use request::{PlanRequest, shares};
pub use search::Least;

use crate::metrics::Estimate;
use search::Response;
use world::World;

/// The probabilities with which features are found.
pub const PROBABILITIES: [f64; 3] = [0.5, 0.9, 0.99];

/// The smallest strength that is tried, and the largest there is.
const STRENGTHS: (f64, f64) = (1e-4, 1.0);

/// Strengths are searched within this factor, and read off between.
const FINE: f64 = 1.02;

/// Numbers of rows and epsilons are searched within this factor.
const COARSE: f64 = 1.05;

/// The most rows that are tried.
const MOST_ROWS: f64 = 1e8;

/// The epsilons that are tried.
const EPSILONS: (f64, f64) = (1e-3, 1e3);

/// The expected findings of a selection.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Outlook {
    /// Version of this program.
    pub version: &'static str,
    /// Always `plan`.
    pub command: &'static str,
    /// The request.
    pub request: PlanRequest,
    /// The number of imagined tables.
    pub draws: u64,
    /// The parts of the budget.
    pub spent: Vec<Spending>,
    /// How much one row can move a strength.
    pub one_row: f64,
    /// The median of the largest strength among all features if none has any.
    pub largest_by_chance: f64,
    /// The probability that a blind choice holds a given feature, k/d.
    pub blind: f64,
    /// Strengths from this one on are called beyond chance more often than not; `None` if none is,
    /// or there is no verdict.
    pub beyond_chance: Option<f64>,
    /// The noise in closed form.
    pub sizes: Sizes,
    /// The mechanisms.
    pub mechanisms: Vec<Contender>,
    /// The findings of each of them.
    pub findings: Vec<Finding>,
    /// The mechanism that suits; `None` if none finds anything.
    pub recommendation: Option<PlanRecommendation>,
    /// The recommended mechanism, or else the first one, at other epsilons.
    pub over: Vec<AtEpsilon>,
    /// The rows and the epsilon for a strength that was asked about.
    pub wanted: Option<Wanted>,
    /// The warnings about the request.
    pub warnings: Vec<String>,
}

/// The average of the largest noise on a score, as a strength: harmonic numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Sizes {
    /// Over all C(d, k) sets of `canonical`.
    pub canonical: f64,
    /// Over the candidates of one round of `peel`.
    pub peel: f64,
}

/// The strengths that a mechanism finds. `None` is not at any strength.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// With each of [`PROBABILITIES`], if k features have the strength.
    pub found: [Option<Least>; 3],
    /// With 90%, if one feature has the strength.
    pub alone: Option<Least>,
    /// Theorem 4.1 promises all k with 90% if their scores exceed the largest of the others by its
    /// gap: with the typical largest one from this observed strength on, which has no sampling
    /// noise; for `canonical` only.
    pub theorem: Option<f64>,
}

/// The findings of a mechanism at one epsilon.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AtEpsilon {
    /// The total budget, as text.
    pub epsilon: String,
    /// The strengths that are found.
    pub finding: Finding,
    /// Strengths from this one on are called beyond chance more often than not.
    pub beyond_chance: Option<f64>,
    /// The strength that each mechanism finds with 90%, if k features have it; empty unless it was
    /// asked for.
    pub mechanisms: Vec<Option<Least>>,
}

/// The rows and the epsilon with which the recommended mechanism finds features of one strength, if
/// k have it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Wanted {
    /// The strength.
    pub strength: f64,
    /// So many rows are enough to find them with 90%, at this epsilon.
    pub rows: Option<Least>,
    /// This epsilon is enough, with these rows.
    pub epsilon: Option<Least>,
    /// So many rows are enough to call them beyond chance more often than not, at this epsilon.
    pub rows_beyond_chance: Option<f64>,
    /// This epsilon is enough, with these rows.
    pub epsilon_beyond_chance: Option<f64>,
}

/// Simulates what a request would find. `progress` is called with the share of the work that is
/// done, and ends it if it fails.
///
/// # Errors
///
/// `Request` if the request is wrong; that of `progress`.
pub fn plan(request: &PlanRequest, progress: &dyn Fn(f64) -> Result<()>) -> Result<Outlook> {
    request.check()?;
    let (rows, d, k) = (request.rows, request.features, request.k);
    let spent = request.select(&request.epsilon)?.spending(d)?;
    let mechanisms = request.contenders.clone();
    let steps = mechanisms.len() + request.over.len() + 3;
    let done = |step: usize| progress(step as f64 / steps as f64);
    let world = World::new(request, rows, &request.epsilon)?;
    done(1)?;
    let mut findings = Vec::new();
    for (i, contender) in mechanisms.iter().enumerate() {
        findings.push(finding(&world, request, contender)?);
        done(i + 2)?;
    }
    let recommendation =
        recommendation::recommended(&mechanisms, &findings, k, request.default_place()?);
    let place = recommendation.as_ref().map_or(0, |recommendation| recommendation.place);
    let selection = world.selection().to_f64();
    let one_row = world.one_row();
    let largest_by_chance = world.largest_by_chance();
    // The tables take most of the memory.
    drop(world);
    let mut over = Vec::new();
    for (i, epsilon) in request.over.iter().enumerate() {
        over.push(at_epsilon(request, epsilon, place, &findings)?);
        done(mechanisms.len() + 2 + i)?;
    }
    let contender = &mechanisms[place];
    let wanted =
        request.strength.map(|strength| wanted(request, contender, strength)).transpose()?;
    Ok(Outlook {
        version: env!("CARGO_PKG_VERSION"),
        command: "plan",
        draws: request.draws(),
        one_row,
        largest_by_chance,
        blind: k as f64 / d as f64,
        beyond_chance: request.beyond_chance(rows, &request.epsilon)?,
        sizes: Sizes {
            canonical: one_row * sizes::largest_of_sets(d, k, selection),
            peel: one_row * sizes::largest_of_a_round(d, k, selection),
        },
        warnings: request.warnings(&spent),
        request: request.clone(),
        spent,
        mechanisms,
        findings,
        recommendation,
        over,
        wanted,
    })
}

/// The findings of the mechanism at a place at another epsilon, and if it is asked for, of all
/// mechanisms; `here` holds those at the epsilon of the request.
fn at_epsilon(
    request: &PlanRequest,
    epsilon: &Epsilon,
    place: usize,
    here: &[Finding],
) -> Result<AtEpsilon> {
    let beyond_chance = request.beyond_chance(request.rows, epsilon)?;
    let at = |finding, mechanisms| AtEpsilon {
        epsilon: epsilon.to_string(),
        finding,
        beyond_chance,
        mechanisms,
    };
    if *epsilon == request.epsilon {
        let all = here.iter().filter(|_| request.all_over).map(|finding| finding.found[1]);
        return Ok(at(here[place], all.collect()));
    }
    let world = World::new(request, request.rows, epsilon)?;
    let planned = finding(&world, request, &request.contenders[place])?;
    let mut mechanisms = Vec::new();
    for (i, contender) in request.contenders.iter().enumerate().filter(|_| request.all_over) {
        mechanisms.push(match i == place {
            true => planned.found[1],
            false => {
                let found = |strength| world.found(&contender.mechanism, strength, request.k);
                Response::new(STRENGTHS, FINE, found).least(PROBABILITIES[1])?
            }
        });
    }
    Ok(at(planned, mechanisms))
}

/// The strengths that a mechanism finds.
fn finding(world: &World<'_>, request: &PlanRequest, contender: &Contender) -> Result<Finding> {
    let (d, k) = (request.features, request.k);
    let at = |strong| move |strength: f64| world.found(&contender.mechanism, strength, strong);
    let mut all = Response::new(STRENGTHS, FINE, at(k));
    let [mut half, mut most, mut nearly] = [None; 3];
    for (least, probability) in [&mut half, &mut most, &mut nearly].into_iter().zip(PROBABILITIES) {
        *least = all.least(probability)?;
    }
    let alone = match k {
        1 => most,
        _ => Response::new(STRENGTHS, FINE, at(1)).least(PROBABILITIES[1])?,
    };
    let theorem = contender.theorem_gamma().map(|gamma| {
        let epsilon = world.selection().to_f64();
        let gap = sizes::theorem_gap(d, k, gamma, epsilon, PROBABILITIES[1]);
        world.largest_by_chance() + gap * world.one_row()
    });
    let theorem = theorem.filter(|strength| *strength <= 1.0);
    Ok(Finding { found: [half, most, nearly], alone, theorem })
}

/// The rows and the epsilon that a strength takes.
fn wanted(request: &PlanRequest, contender: &Contender, strength: f64) -> Result<Wanted> {
    let (rows, epsilon, k) = (request.rows, &request.epsilon, request.k);
    let fewest = request.fewest_rows() as f64;
    let found = |rows: u64, epsilon: &Epsilon| {
        World::new(request, rows, epsilon)?.found(&contender.mechanism, strength, k)
    };
    let calls = |rows: u64, epsilon: &Epsilon| -> Result<Estimate> {
        let called = request.beyond_chance(rows, epsilon)?.is_some_and(|least| least <= strength);
        Ok(Estimate { mean: f64::from(u8::from(called)), error: 0.0 })
    };
    let by_rows = |n: f64| found(n as u64, epsilon);
    let by_epsilon = |epsilon: f64| found(rows, &rounded(epsilon)?);
    let called_by_rows = |n: f64| calls(n as u64, epsilon);
    let called_by_epsilon = |epsilon: f64| calls(rows, &rounded(epsilon)?);
    let row_range = (fewest, MOST_ROWS);
    let value = |least: Option<Least>| least.map(|least| least.value);
    Ok(Wanted {
        strength,
        rows: Response::new(row_range, COARSE, by_rows).least(PROBABILITIES[1])?,
        epsilon: Response::new(EPSILONS, COARSE, by_epsilon).least(PROBABILITIES[1])?,
        rows_beyond_chance: value(Response::new(row_range, COARSE, called_by_rows).least(0.5)?),
        epsilon_beyond_chance: value(
            Response::new(EPSILONS, COARSE, called_by_epsilon).least(0.5)?,
        ),
    })
}

/// An epsilon of four digits.
fn rounded(epsilon: f64) -> Result<Epsilon> {
    format!("{epsilon:.3e}").parse()
}
