//! A plan without k: how strong a feature must be to be named where all beyond chance are.

use std::cell::Cell;
use std::fmt::Write;

use dpsis::internals::wrapped;
use dpsis::{
    CheckedSelect, Epsilon, Error, Neighbors, Result, ScoreKind, Select, Spending, Target,
};
use serde::Serialize;

use super::request::{as_id, as_text, without_pairs};
use super::rounded;
use super::text::{LABEL, NONE, part, table, up};

/// The probabilities with which a feature is to be named.
const PROBABILITIES: [f64; 2] = [0.5, 0.9];

/// The numbers of features that are imagined to be strong.
const STRONG: [usize; 4] = [1, 3, 10, 30];

/// The fewest and the most rows.
const ROWS: (u64, u64) = (20, 1_000_000_000);

/// Rows and epsilons are searched in steps of this factor.
const STEP: f64 = 1.05;

/// About as many steps has a search.
const SEARCH: f64 = 9.0;

/// The largest epsilon that is considered.
const MOST_EPSILON: f64 = 64.0;

/// A selection of all features beyond chance that is planned: public numbers only.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BeyondRequest {
    /// The number of rows with a usable target.
    pub rows: u64,
    /// The number of features.
    pub features: usize,
    /// The bound on the probability of any false name.
    pub fwer: String,
    /// The total budget.
    #[serde(serialize_with = "as_text")]
    pub epsilon: Epsilon,
    /// The share of the rarer of two classes; `None` for a number, which is split at a private
    /// median.
    pub share: Option<f64>,
    /// The score.
    #[serde(serialize_with = "as_id")]
    pub score: ScoreKind,
    /// The neighbor relation.
    pub neighbors: Neighbors,
    /// The stated shares of the budget, by name.
    pub split: std::collections::BTreeMap<String, String>,
    /// Further epsilons, ascending.
    #[serde(skip)]
    pub over: Vec<Epsilon>,
    /// A strength to plan for.
    pub strength: Option<f64>,
}

/// The strengths that a selection of all features beyond chance would name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BeyondOutlook {
    /// Version of this program.
    pub version: &'static str,
    /// Always `plan`.
    pub command: &'static str,
    /// The request.
    pub request: BeyondRequest,
    /// The parts of the budget.
    pub spent: Vec<Spending>,
    /// The strengths from which on features are named.
    pub named: Vec<Named>,
    /// The same for a single feature at other epsilons.
    pub over: Vec<AtEpsilon>,
    /// The rows and the epsilon for a strength that was asked about.
    pub wanted: Option<Wanted>,
}

/// The strengths from which on features are named.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Named {
    /// The number of features that have the strength.
    pub strong: usize,
    /// With 50% and 90%; `None` is not at any strength.
    pub strengths: [Option<f64>; 2],
}

/// The strengths at one epsilon.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AtEpsilon {
    /// The total budget.
    #[serde(serialize_with = "as_text")]
    pub epsilon: Epsilon,
    /// With 50% and 90%, for a single feature.
    pub strengths: [Option<f64>; 2],
}

/// The rows and the epsilon with which a single feature of one strength is named with 90%.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Wanted {
    /// The strength.
    pub strength: f64,
    /// So many rows are enough, at this epsilon.
    pub rows: Option<f64>,
    /// This epsilon is enough, with these rows.
    pub epsilon: Option<f64>,
}

/// Computes what a request would name. `progress` is called with the share of the work that is
/// done, and ends it if it fails.
///
/// # Errors
///
/// `Request` if the request is wrong; that of `progress`.
pub fn plan_beyond(
    request: &BeyondRequest,
    progress: &dyn Fn(f64) -> Result<()>,
) -> Result<BeyondOutlook> {
    request.check()?;
    let select = request.select(&request.epsilon)?;
    let strong = STRONG.into_iter().filter(|strong| *strong <= request.features);
    let searched = if request.strength.is_some() { 2.0 * SEARCH } else { 0.0 };
    let steps = (strong.clone().count() + request.over.len()) as f64 + searched;
    let step = Cell::new(0.0);
    let done = || {
        step.set(step.get() + 1.0);
        progress(f64::min(step.get() / steps, 1.0))
    };
    let named = strong.map(|strong| {
        let strengths = request.named(&select, request.rows, strong)?;
        done()?;
        Ok(Named { strong, strengths })
    });
    let named = named.collect::<Result<_>>()?;
    let over = request.over.iter().map(|epsilon| {
        let select = request.select(epsilon)?;
        let strengths = request.named(&select, request.rows, 1)?;
        done()?;
        Ok(AtEpsilon { epsilon: epsilon.clone(), strengths })
    });
    let over = over.collect::<Result<_>>()?;
    Ok(BeyondOutlook {
        version: env!("CARGO_PKG_VERSION"),
        command: "plan",
        spent: select.spending(request.features)?,
        named,
        over,
        wanted: request.strength.map(|strength| request.wanted(strength, &done)).transpose()?,
        request: request.clone(),
    })
}

impl BeyondRequest {
    fn check(&self) -> Result<()> {
        let wrong = |rule: &str| Err(Error::request(rule));
        if !(ROWS.0..=ROWS.1).contains(&self.rows) {
            return wrong("the number of rows must lie between 20 and 1000000000");
        }
        if self.features == 0 {
            return wrong("there must be at least one feature");
        }
        if self.score == ScoreKind::Paired {
            return Err(without_pairs());
        }
        if self.share.is_some_and(|share| !(share > 0.0 && share <= 0.5)) {
            return wrong("the share of the rarer class must lie above 0 and up to 0.5");
        }
        if self.strength.is_some_and(|strength| !(0.001..=1.0).contains(&strength)) {
            return wrong("a strength must lie between 0.001 and 1");
        }
        Ok(())
    }

    /// The request that is planned, at an epsilon.
    fn select(&self, epsilon: &Epsilon) -> Result<CheckedSelect> {
        let options = dpsis::SelectOptions {
            privacy: dpsis::PrivacyOptions {
                epsilon: Some(epsilon.to_string()),
                shares: self.split.clone(),
                ..dpsis::PrivacyOptions::default()
            },
            ..dpsis::SelectOptions::default()
        };
        let select = Select::beyond_chance().fwer(self.fwer.as_str());
        let select = options.state(select)?.neighbors(self.neighbors).score(self.score);
        let select = match self.score {
            ScoreKind::Correlation => select.bounds(-1.0, 1.0),
            _ => select,
        };
        let select = match self.share {
            Some(_) => select.target(Target::classes(["a", "b"])),
            None => select,
        };
        select.check()
    }

    fn named(&self, select: &CheckedSelect, rows: u64, strong: usize) -> Result<[Option<f64>; 2]> {
        let share = self.share.unwrap_or(0.5);
        let counts = [1.0 - share, share].map(|share| rows as f64 * share);
        let at = |probability| select.named(self.features, &counts, strong, probability);
        Ok([at(PROBABILITIES[0])?, at(PROBABILITIES[1])?])
    }

    fn wanted(&self, strength: f64, done: &dyn Fn() -> Result<()>) -> Result<Wanted> {
        let here = self.select(&self.epsilon)?;
        let enough = |named: [Option<f64>; 2]| {
            done()?;
            Ok(named[1].is_some_and(|least| least <= strength))
        };
        let by_rows = |rows: f64| enough(self.named(&here, rows as u64, 1)?);
        let by_epsilon = |epsilon: f64| {
            let select = self.select(&rounded(epsilon)?)?;
            enough(self.named(&select, self.rows, 1)?)
        };
        Ok(Wanted {
            strength,
            rows: least((ROWS.0 as f64, ROWS.1 as f64), by_rows)?,
            epsilon: least((0.01, MOST_EPSILON), by_epsilon)?,
        })
    }
}

/// The least value between two, within a step, from which on it is enough.
fn least(
    (mut low, mut high): (f64, f64),
    enough: impl Fn(f64) -> Result<bool>,
) -> Result<Option<f64>> {
    if !enough(high)? {
        return Ok(None);
    }
    while high / low > STEP {
        let middle = (low * high).sqrt();
        if enough(middle)? { high = middle } else { low = middle }
    }
    Ok(Some(high))
}

impl BeyondOutlook {
    /// The whole outlook, in lines of at most 80 columns.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let request = &self.request;
        let parts: Vec<String> = self.spent.iter().map(part).collect();
        let target = match request.share {
            Some(share) => {
                format!("two classes, the rarer one with {:.0} rows", share * request.rows as f64)
            }
            None => "a number, split at a private median".to_owned(),
        };
        let relation = match request.neighbors {
            Neighbors::ReplaceOne => "replacing one row",
            _ => "adding or removing one row",
        };
        let facts = [
            (
                "plan",
                format!(
                    "all of {} features that are beyond chance (fwer {}), {} rows; the target is {target}",
                    request.features, request.fwer, request.rows
                ),
            ),
            (
                "score",
                "a strength is a score in the table as a share of the largest, 0 to 1".to_owned(),
            ),
            ("budget", format!("epsilon {} = {}; {relation}", request.epsilon, parts.join(" + "))),
        ];
        for (label, words) in facts {
            let line = format!("{label:<width$}{words}", width = LABEL);
            let _ = writeln!(text, "{}", wrapped(&line, LABEL));
        }
        let lead = "The strength from which on a feature is named with 50 and 90%, if so many have it and all others \
                    are noise. Each name costs: many are harder to name than one.";
        let _ = writeln!(text, "\n{}\n", wrapped(lead, 0));
        let rows: Vec<Vec<String>> =
            self.named.iter().map(|named| row(named.strong.to_string(), named.strengths)).collect();
        table(&mut text, &["features", "50%", "90%"], &rows);
        if !self.over.is_empty() {
            let _ = writeln!(text, "\nA single one at other epsilons:\n");
            let rows: Vec<Vec<String>> =
                self.over.iter().map(|at| row(at.epsilon.to_string(), at.strengths)).collect();
            table(&mut text, &["epsilon", "50%", "90%"], &rows);
        }
        if let Some(wanted) = &self.wanted {
            let rows = match wanted.rows {
                Some(rows) => format!("with {} rows at epsilon {}", up(rows), request.epsilon),
                None => format!("with no number of rows at epsilon {}", request.epsilon),
            };
            let at = match wanted.epsilon {
                Some(epsilon) => format!("at epsilon {}", up(epsilon)),
                None => format!("at no epsilon up to {MOST_EPSILON:.0}"),
            };
            let words = format!(
                "Strength {}, if one feature has it: named 9 times of 10 {rows}, or with {} rows {at}.",
                wanted.strength, request.rows
            );
            let _ = writeln!(text, "\n{}", wrapped(&words, 0));
        }
        text
    }
}

fn row(first: String, strengths: [Option<f64>; 2]) -> Vec<String> {
    let cell = |strength: Option<f64>| {
        strength.map_or_else(|| NONE.to_owned(), |strength| format!("{strength:.2}"))
    };
    vec![first, cell(strengths[0]), cell(strengths[1])]
}
