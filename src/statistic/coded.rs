//! The values gathered from a table for scores against a coded target, and its scores at any
//! center.
//!
//! Gathered values depend on neither budget nor randomness; one set of them serves any number of
//! draws.

use std::sync::Arc;

use crate::error::Result;
use crate::estimate::StratumCode;
use crate::exact::GRID;
use crate::request::fields::Association;
use crate::request::plan::{CodedAs, CodedScoring, Coding};
use crate::score::{
    BinSums, CenteredTarget, CodedSums, CorrelationSums, Extremes, Family, GridRows, KsColumns,
    Pairs, Summed,
};
use crate::table::{Hooks, Role, TargetCode};

/// The values gathered from a table for scores against a coded target.
pub(crate) struct Statistic<'t> {
    pub(crate) scoring: Arc<CodedScoring>,
    pub(crate) values: Gathering<'t>,
}

/// The form of gathered values.
pub(crate) enum Gathering<'t> {
    /// Sums of rows, with the coding of their targets as one number.
    Sums(Summed<Arc<dyn CodedSums>>, Option<TargetCode>),
    /// Rows on the grid, with the number of their features, for a target that is not split at a
    /// median yet, or for a refinement.
    Rows(GridRows, usize),
    /// Columns, of all features or of as many of the first ones as fit in memory.
    Columns(KsRows<'t>),
}

/// Columns of rows with a usable target.
pub(crate) struct KsRows<'t> {
    pub(crate) columns: KsColumns<'t>,
    /// The target of each row: its class, its grid value, or its unchanged value if it is not split
    /// yet.
    pub(crate) targets: Vec<f64>,
    /// The roles of the rows in scores; empty if all have the default role.
    pub(crate) roles: Vec<Role>,
    /// The target of each person and its stratum, if rows belong to people.
    pub(crate) people: Option<Vec<(f64, u16)>>,
    pub(crate) family: Family,
    /// The number of all units.
    pub(crate) rows: u64,
}

impl KsRows<'_> {
    /// The target of each unit, and its stratum, if it is in one.
    pub(crate) fn units(&self) -> Box<dyn Iterator<Item = (f64, u16)> + '_> {
        match &self.people {
            Some(people) => Box::new(people.iter().copied()),
            None => {
                let stratum = |row: usize| self.roles.get(row).map_or(0, |role| role.stratum);
                Box::new(self.targets.iter().enumerate().map(move |(row, y)| (*y, stratum(row))))
            }
        }
    }

    /// The number of units in no stratum.
    fn outside(&self) -> u64 {
        self.units().filter(|(_, stratum)| *stratum == Role::NO_STRATUM).count() as u64
    }

    /// The sums of the target, in the form of [`CodedSums::target`]: for a numeric target, the sums
    /// of each stratum in turn.
    fn target_sums(&self, code: Option<&TargetCode>, strata: usize, classes: usize) -> Vec<u64> {
        let Some(code) = code else {
            let mut counts = vec![0; classes];
            self.units().for_each(|(class, _)| counts[class as usize] += 1);
            return counts;
        };
        let (q, mut sums) = (i64::from(GRID), vec![0; 2 * strata]);
        for (target, stratum) in self.units().filter(|(_, s)| *s != Role::NO_STRATUM) {
            let (y, place) = (i64::from(grid_value(code, target)), 2 * usize::from(stratum));
            sums[place] += (q + y).unsigned_abs();
            sums[place + 1] += (q - y).unsigned_abs();
        }
        sums
    }
}

/// A coded target: the sums that its center is estimated from, and the values that are scored
/// against it.
pub(crate) struct Coded<'g> {
    /// Its coding as one number; `None` for classes.
    pub(crate) code: Option<TargetCode>,
    /// The sums from which its center is estimated: for each stratum of Q + y and of Q - y, or the
    /// number of units of each class.
    pub(crate) target: Vec<u64>,
    /// The number of units with a usable target in no stratum.
    pub(crate) outside: u64,
    /// The number of all units.
    pub(crate) rows: u64,
    pub(crate) scored: Scored<'g>,
}

/// The gathered values that are scored against a coded target.
pub(crate) enum Scored<'g> {
    Sums(Arc<dyn CodedSums>),
    Columns(&'g KsRows<'g>),
}

impl Statistic<'_> {
    /// Codes the target, in this number of strata; `split` computes a median of its values, if it
    /// is split at one.
    ///
    /// # Errors
    ///
    /// The errors of `split`.
    pub(crate) fn coded<'g>(
        &'g self,
        strata: usize,
        split: impl FnOnce(&[f64]) -> Result<f64>,
    ) -> Result<Coded<'g>> {
        let coded = |values: &dyn Fn() -> Vec<f64>| -> Result<Option<TargetCode>> {
            Ok(match &self.scoring.target {
                CodedAs::Number(Coding::Given(code)) => Some(code.clone()),
                CodedAs::Number(Coding::MedianSplit) => {
                    Some(TargetCode::SplitAt(split(&values())?))
                }
                CodedAs::Classes(_) => None,
            })
        };
        Ok(match &self.values {
            Gathering::Sums(summed, code) => Coded {
                code: code.clone(),
                target: summed.sums.target(),
                outside: 0,
                rows: summed.rows,
                scored: Scored::Sums(summed.sums.clone()),
            },
            Gathering::Rows(rows, features) => {
                let code = coded(&|| rows.targets.clone())?;
                let on_grid =
                    |target| code.as_ref().map_or(target as i16, |code| grid_value(code, target));
                let sums: Arc<dyn CodedSums> = match self.scoring.association {
                    Association::KsOnBins => {
                        Arc::new(rows.summed(BinSums::new(*features), on_grid))
                    }
                    _ => Arc::new(rows.summed(CorrelationSums::new(*features), on_grid)),
                };
                Coded {
                    code,
                    target: sums.target(),
                    outside: 0,
                    rows: rows.rows,
                    scored: Scored::Sums(sums),
                }
            }
            Gathering::Columns(rows) if rows.family == Family::Signs => Coded {
                code: coded(&Vec::new)?,
                target: vec![rows.units().count() as u64],
                outside: 0,
                rows: rows.rows,
                scored: Scored::Columns(rows),
            },
            Gathering::Columns(rows) => {
                let in_strata = || rows.units().filter(|(_, s)| *s != Role::NO_STRATUM);
                let code = coded(&|| in_strata().map(|(value, _)| value).collect())?;
                let classes = self.scoring.labels().map_or(0, |labels| labels.as_slice().len());
                let target = rows.target_sums(code.as_ref(), strata, classes);
                let (outside, scored) = (rows.outside(), Scored::Columns(rows));
                Coded { code, target, outside, rows: rows.rows, scored }
            }
        })
    }
}

/// A target as used by scores: coded and centered.
#[derive(Debug, Clone)]
pub(crate) struct CenteredCode {
    /// Its coding as one number; `None` for classes.
    pub(crate) code: Option<TargetCode>,
    /// The centers for scores: of the number, or of each class; empty in strata.
    pub(crate) centers: Vec<i32>,
    /// The centers for effect sizes: the released ones, which are not shrunk.
    pub(crate) released: Vec<i32>,
    /// How a number is centered in each stratum, if there are several.
    pub(crate) strata: Vec<StratumCode>,
}

impl CenteredCode {
    /// The targets of rows at these centers.
    fn of_rows(&self, rows: &KsRows<'_>, centers: &[i32]) -> CenteredTarget {
        if rows.family == Family::Signs {
            let sides = rows.targets.iter().map(|code| *code > 0.0);
            let people = rows.roles.iter().map(|role| role.person);
            return CenteredTarget::of_pairs(Pairs::new(people.zip(sides)));
        }
        let target = match &self.code {
            Some(code) => {
                let role = |row: usize| rows.roles.get(row).copied().unwrap_or_default();
                let targets = rows.targets.iter().enumerate();
                let targets = targets.map(|(row, &value)| (grid_value(code, value), role(row)));
                match &self.strata[..] {
                    [] => CenteredTarget::of_rows(targets, first(centers), GRID),
                    strata => CenteredTarget::in_strata(targets, strata, GRID),
                }
            }
            None => {
                let classes = rows.targets.iter().map(|&class| class as u32).collect();
                CenteredTarget::classes(classes, centers.to_vec())
            }
        };
        let target = target.with(rows.family);
        if rows.people.is_some() { target.of_people(&rows.roles) } else { target }
    }

    /// The largest change of a score of columns when a unit is added or removed, at these centers.
    pub(crate) fn one_row(&self, centers: &[i32], family: Family) -> u64 {
        let target = match &self.code {
            _ if family == Family::Signs => CenteredTarget::of_pairs(Pairs::new([])),
            Some(_) if self.strata.is_empty() => CenteredTarget::of_rows([], first(centers), GRID),
            Some(_) => CenteredTarget::in_strata([], &self.strata, GRID),
            None => CenteredTarget::classes(Vec::new(), centers.to_vec()),
        };
        target.with(family).one_row()
    }
}

/// The only center of a number.
fn first(centers: &[i32]) -> i32 {
    centers.first().copied().unwrap_or_default()
}

/// The exact association of some features, and its largest change by one row.
#[derive(Default)]
pub(crate) struct Exact {
    pub(crate) effect_sizes: Vec<i64>,
    /// The largest and the smallest signed sum of each feature; `None` for classes.
    pub(crate) signed: Option<Vec<Extremes>>,
    pub(crate) one_row: u64,
}

impl Scored<'_> {
    /// The scores of all features, or of the features whose columns were gathered.
    ///
    /// # Errors
    ///
    /// `Canceled` if the caller stopped it.
    pub(crate) fn values(
        &self,
        target: &CenteredCode,
        threads: usize,
        hooks: &Hooks,
    ) -> Result<Vec<i64>> {
        match self {
            Self::Sums(sums) => Ok(sums.values(&target.centers)),
            Self::Columns(rows) => {
                let centered = target.of_rows(rows, &target.centers);
                rows.columns.scores(&centered, threads, hooks)
            }
        }
    }

    /// The largest change of a score when a unit is added or removed.
    pub(crate) fn one_row(&self, target: &CenteredCode) -> u64 {
        match self {
            Self::Sums(sums) => sums.one_row(&target.centers),
            Self::Columns(rows) => target.one_row(&target.centers, rows.family),
        }
    }

    /// The exact effect sizes of some features, by their places, at the released center.
    pub(crate) fn exact(&self, target: &CenteredCode, places: &[usize]) -> Exact {
        let centers = &target.released;
        match self {
            Self::Sums(sums) => {
                let signed = places.iter().map(|&place| sums.signed(place, centers));
                let signed: Option<Vec<Extremes>> = signed.collect();
                let effect_sizes = match &signed {
                    Some(signed) => signed.iter().map(|sums| sums.largest()).collect(),
                    None => {
                        let values = sums.values(centers);
                        places.iter().map(|&place| values[place]).collect()
                    }
                };
                Exact { effect_sizes, signed, one_row: sums.one_row(centers) }
            }
            Self::Columns(rows) => {
                let target = target.of_rows(rows, centers);
                let pairs =
                    places.iter().map(|&place| rows.columns.score_with_extremes(place, &target));
                let (effect_sizes, signed): (Vec<i64>, Vec<Option<Extremes>>) = pairs.unzip();
                Exact {
                    effect_sizes,
                    signed: signed.into_iter().collect(),
                    one_row: target.one_row(),
                }
            }
        }
    }
}

/// The grid value of a target as kept by a pass: a value to split at the median, or a grid value.
pub(crate) fn grid_value(code: &TargetCode, target: f64) -> i16 {
    match code {
        TargetCode::SplitAt(median) => TargetCode::split(target, *median, GRID),
        TargetCode::Bounded(_) | TargetCode::Classes(_) => target as i16,
    }
}
