//! What is settled between the passes over a table and its selection: the coding of the target and its center. From
//! then on scores are exact functions of the gathered values.

use crate::data::{Hooks, TargetCode};
use crate::error::Result;
use crate::estimate::{Counted, shrunk};
use crate::exact::GRID;
use crate::privacy::Epsilon;
use crate::score::{BinSums, CenteredTarget, CorrelationSums, Extremes, NumberSums, Scores};
use crate::select::pass::{Gathered, KsRows, family, misfit};
use crate::select::plan::{Association, Coding, Plan, Scoring};
use crate::select::record::Released;

/// The values that scores depend on besides the gathered ones, with everything released on the way to them.
pub(super) struct Settled {
    pub(super) target: SettledTarget,
    /// Sums of rows whose target was split at a median after they had been gathered.
    pub(super) split: Option<Box<dyn NumberSums>>,
    pub(super) released: Released,
    /// The counts released with a private center.
    pub(super) counted: Option<Counted>,
    /// The total number of rows, recorded only if it is public.
    pub(super) rows: u64,
}

/// A coded and centered target.
pub(super) enum SettledTarget {
    /// Coded as one number.
    Number {
        code: TargetCode,
        /// The center that scores are computed with.
        center: i32,
        /// The center that strengths are computed with: the released one, which is not shrunk.
        released: i32,
    },
    /// Coded as one number, with a center for scores of each stratum.
    Strata { code: TargetCode, centers: Vec<i32> },
    /// Of three or more classes, with their centers.
    Classes(Vec<i32>),
    /// Part of the gathered scores.
    Scored,
}

/// The exact sums of a coded target, from which its center is estimated.
pub(super) enum CodedTarget {
    Number(CodedNumber),
    /// The number of rows of each class, and of all.
    Classes {
        counts: Vec<u64>,
        rows: u64,
    },
    /// None is needed; the number of all rows.
    Scored {
        rows: u64,
    },
}

/// The exact sums of a target coded as one number.
pub(super) struct CodedNumber {
    pub(super) code: TargetCode,
    /// The sums of Q + y and of Q - y in each stratum.
    pub(super) sums: Vec<(u64, u64)>,
    /// The sums of features, if the target was split only now.
    pub(super) split: Option<Box<dyn NumberSums>>,
    /// The number of all rows.
    pub(super) rows: u64,
}

impl CodedTarget {
    /// The target of gathered values. It is split at `median`, if that was released between the passes, or at what
    /// `split` makes of its values and the budget of the split.
    ///
    /// # Errors
    ///
    /// `Request` for gathered values of another plan, which no caller can cause.
    pub(super) fn of(
        gathered: &Gathered<'_>,
        plan: &Plan,
        median: Option<f64>,
        split: impl FnOnce(&[f64], &Epsilon) -> f64,
    ) -> Result<Self> {
        Ok(match (gathered, &plan.scoring) {
            (Gathered::Sums(summed), Scoring::Number { coding, .. }) => {
                let code = match (coding, median) {
                    (Coding::Stated(code), None) => code.clone(),
                    (Coding::MedianSplit(_), Some(median)) => TargetCode::SplitAt(median),
                    _ => return Err(misfit()),
                };
                let (sums, rows) = (vec![summed.sums.target_sums()], summed.rows);
                Self::Number(CodedNumber { code, sums, split: None, rows })
            }
            (Gathered::Rows(rows), Scoring::Number { association, coding, .. }) => {
                let code = match coding {
                    Coding::Stated(code) => code.clone(),
                    Coding::MedianSplit(epsilon) => {
                        TargetCode::SplitAt(split(&rows.targets, epsilon))
                    }
                };
                let on_grid = |target| grid_value(&code, target);
                let sums: Box<dyn NumberSums> = match association {
                    Association::KsOnBins => {
                        Box::new(rows.summed(BinSums::new(plan.features), on_grid))
                    }
                    _ => Box::new(rows.summed(CorrelationSums::new(plan.features), on_grid)),
                };
                Self::Number(CodedNumber {
                    code,
                    sums: vec![sums.target_sums()],
                    split: Some(sums),
                    rows: rows.rows,
                })
            }
            (Gathered::Columns(rows), Scoring::Number { coding, .. }) => {
                let code = match coding {
                    Coding::Stated(code) => code.clone(),
                    Coding::MedianSplit(epsilon) => {
                        let values: Vec<f64> = rows.units().map(|(value, _)| value).collect();
                        TargetCode::SplitAt(split(&values, epsilon))
                    }
                };
                let (q, mut sums) = (i64::from(GRID), vec![(0, 0); plan.strata]);
                for (target, stratum) in rows.units() {
                    let y = i64::from(grid_value(&code, target));
                    let (above, below) = &mut sums[usize::from(stratum)];
                    *above += (q + y).unsigned_abs();
                    *below += (q - y).unsigned_abs();
                }
                Self::Number(CodedNumber { code, sums, split: None, rows: rows.rows })
            }
            (Gathered::ClassSums(summed), _) => {
                Self::Classes { counts: summed.sums.rows(), rows: summed.rows }
            }
            (Gathered::Columns(rows), Scoring::Classes { labels, .. }) => {
                let mut counts = vec![0; labels.as_slice().len()];
                rows.units().for_each(|(class, _)| counts[class as usize] += 1);
                Self::Classes { counts, rows: rows.rows }
            }
            (Gathered::Scores { rows, .. }, _) => Self::Scored { rows: *rows },
            _ => return Err(misfit()),
        })
    }
}

/// The exact association of some features, and what one row can change in it.
pub(super) struct Exact {
    pub(super) strengths: Vec<i64>,
    /// The largest and the smallest signed sum of each feature; none for classes.
    pub(super) signed: Option<Vec<Extremes>>,
    pub(super) one_row: u64,
}

impl Settled {
    /// A target coded as one number, at a released center. `shrinks` says whether scores use it shrunk by its noise.
    pub(super) fn number(
        code: TargetCode,
        released: i32,
        shrinks: bool,
        counted: Option<Counted>,
        rows: u64,
    ) -> Self {
        let center = match &counted {
            Some(counted) if shrinks => shrunk(released, GRID, counted),
            _ => released,
        };
        let mut facts = counts(counted.as_ref());
        facts.center = counted.as_ref().map(|_| vec![code.center_in_units(released)]);
        facts.target_median = split_of(&code);
        let target = SettledTarget::Number { code, center, released };
        Self { target, split: None, released: facts, counted, rows }
    }

    /// A target coded as one number, at the released center of each stratum, shrunk by its noise if `shrinks`.
    pub(super) fn in_strata(
        code: TargetCode,
        released: Vec<(i32, Counted)>,
        shrinks: bool,
    ) -> Self {
        let center = |(center, counted): &(i32, Counted)| match shrinks {
            true => shrunk(*center, GRID, counted),
            false => *center,
        };
        let centers = released.iter().map(center).collect();
        let usable = released.iter().map(|(_, counted)| counted.usable);
        let rows_estimate = usable.clone().map(|usable| usable.rows).sum();
        let facts = Released {
            center: Some(released.iter().map(|(m, _)| code.center_in_units(*m)).collect()),
            target_median: split_of(&code),
            rows_estimate: Some(rows_estimate),
            unusable_estimate: None,
        };
        let target = SettledTarget::Strata { code, centers };
        Self { target, split: None, released: facts, counted: None, rows: 0 }
    }

    /// A target of three or more classes at their centers.
    pub(super) fn classes(centers: Vec<i32>, counted: Option<Counted>, rows: u64) -> Self {
        let share = |&center: &i32| f64::from(center) / f64::from(GRID);
        let mut released = counts(counted.as_ref());
        released.center = counted.as_ref().map(|_| centers.iter().map(share).collect());
        Self { target: SettledTarget::Classes(centers), split: None, released, counted, rows }
    }

    /// The sums for a target coded as one number: gathered, or made when it was split.
    fn sums<'a>(&'a self, gathered: &'a Gathered<'_>) -> Result<&'a dyn NumberSums> {
        match gathered {
            Gathered::Sums(summed) => Ok(&*summed.sums),
            _ => self.split.as_deref().ok_or_else(misfit),
        }
    }

    /// The scores of the gathered features.
    ///
    /// # Errors
    ///
    /// `Canceled` if the caller stopped it.
    pub(super) fn values(
        &self,
        gathered: &Gathered<'_>,
        threads: usize,
        hooks: &Hooks,
    ) -> Result<Vec<i64>> {
        match (gathered, &self.target) {
            (Gathered::Sums(_) | Gathered::Rows(_), SettledTarget::Number { center, .. }) => {
                Ok(self.sums(gathered)?.values(*center))
            }
            (Gathered::ClassSums(summed), SettledTarget::Classes(centers)) => {
                Ok(summed.sums.values(centers))
            }
            (Gathered::Columns(rows), _) => self.ks_values(rows, threads, hooks),
            (Gathered::Scores { scores, .. }, _) => Ok(scores.values().to_vec()),
            _ => Err(misfit()),
        }
    }

    /// The scores of these columns.
    ///
    /// # Errors
    ///
    /// `Canceled` if the caller stopped it.
    pub(super) fn ks_values(
        &self,
        rows: &KsRows<'_>,
        threads: usize,
        hooks: &Hooks,
    ) -> Result<Vec<i64>> {
        rows.columns.scores(&self.centered(rows, false)?, threads, hooks)
    }

    /// Scores with their sensitivity.
    ///
    /// # Errors
    ///
    /// `Request` if there are none.
    pub(super) fn scores(
        &self,
        values: Vec<i64>,
        gathered: &Gathered<'_>,
        plan: &Plan,
    ) -> Result<Scores> {
        let one_row = match (gathered, &self.target) {
            (Gathered::Scores { scores, .. }, _) => return Ok(scores.clone()),
            (Gathered::Columns(_), _) => return self.ks_scores(values, plan),
            (Gathered::Sums(_) | Gathered::Rows(_), SettledTarget::Number { center, .. }) => {
                self.sums(gathered)?.one_row(*center)
            }
            (Gathered::ClassSums(summed), SettledTarget::Classes(centers)) => {
                summed.sums.one_row(centers)
            }
            _ => return Err(misfit()),
        };
        Scores::new(values, plan.neighbors.steps() * one_row, plan.neighbors)
    }

    /// Scores of columns with their sensitivity.
    ///
    /// # Errors
    ///
    /// `Request` if there are none.
    pub(super) fn ks_scores(&self, values: Vec<i64>, plan: &Plan) -> Result<Scores> {
        let target = match &self.target {
            SettledTarget::Number { center, .. } => CenteredTarget::number([], *center),
            SettledTarget::Strata { centers, .. } => CenteredTarget::in_strata([], centers, GRID),
            SettledTarget::Classes(centers) => CenteredTarget::classes(Vec::new(), centers.clone()),
            SettledTarget::Scored => return Err(misfit()),
        };
        let one_row = target.with(family(plan.association())).one_row();
        Scores::new(values, plan.neighbors.steps() * one_row, plan.neighbors)
    }

    /// The exact strengths of some features at the released center.
    ///
    /// # Errors
    ///
    /// `Request` if the gathered values are those of another plan, which no caller can cause.
    pub(super) fn exact(&self, gathered: &Gathered<'_>, features: &[usize]) -> Result<Exact> {
        match (gathered, &self.target) {
            (Gathered::Sums(_) | Gathered::Rows(_), SettledTarget::Number { released, .. }) => {
                Ok(of_sums(self.sums(gathered)?, *released, features))
            }
            (Gathered::ClassSums(summed), SettledTarget::Classes(centers)) => {
                let values = summed.sums.values(centers);
                let strengths = features.iter().map(|&feature| values[feature]).collect();
                Ok(Exact { strengths, signed: None, one_row: summed.sums.one_row(centers) })
            }
            (Gathered::Columns(rows), _) => self.ks_exact(rows, features),
            _ => Err(misfit()),
        }
    }

    /// The exact strengths of some of these columns, by their places among them.
    ///
    /// # Errors
    ///
    /// As for [`exact`](Self::exact).
    pub(super) fn ks_exact(&self, rows: &KsRows<'_>, places: &[usize]) -> Result<Exact> {
        let target = self.centered(rows, true)?;
        let told = places.iter().map(|&place| rows.columns.told_one(place, &target));
        let (strengths, signed): (Vec<i64>, Vec<Option<Extremes>>) = told.unzip();
        Ok(Exact { strengths, signed: signed.into_iter().collect(), one_row: target.one_row() })
    }

    /// The target of these rows, centered for scores or at the released center.
    fn centered(&self, rows: &KsRows<'_>, at_released: bool) -> Result<CenteredTarget> {
        let in_strata = |code: &TargetCode, centers: &[i32]| {
            let role = |row: usize| rows.roles.get(row).copied().unwrap_or_default();
            let targets = rows.targets.iter().enumerate();
            let targets = targets.map(|(row, &value)| (grid_value(code, value), role(row)));
            CenteredTarget::in_strata(targets, centers, GRID)
        };
        let target = match &self.target {
            SettledTarget::Number { code, center, released } => {
                in_strata(code, &[if at_released { *released } else { *center }])
            }
            SettledTarget::Strata { code, centers } => in_strata(code, centers),
            SettledTarget::Classes(centers) => {
                let classes = rows.targets.iter().map(|&class| class as u32).collect();
                CenteredTarget::classes(classes, centers.clone())
            }
            SettledTarget::Scored => return Err(misfit()),
        };
        let target = target.with(rows.family);
        Ok(if rows.people.is_some() { target.of_people(&rows.roles) } else { target })
    }
}

/// The median at which a target was split.
fn split_of(code: &TargetCode) -> Option<f64> {
    match code {
        TargetCode::SplitAt(median) => Some(*median),
        TargetCode::Bounded(_) | TargetCode::Classes(_) => None,
    }
}

/// The released counts of rows.
fn counts(counted: Option<&Counted>) -> Released {
    Released {
        rows_estimate: counted.map(|counted| counted.usable.rows),
        unusable_estimate: counted.map(|counted| counted.unusable),
        ..Released::default()
    }
}

/// The grid value of a target as the pass keeps it: a value to be split at the median, or a grid value.
pub(super) fn grid_value(code: &TargetCode, target: f64) -> i16 {
    match code {
        TargetCode::SplitAt(median) => TargetCode::split(target, *median, GRID),
        TargetCode::Bounded(_) | TargetCode::Classes(_) => target as i16,
    }
}

fn of_sums(sums: &dyn NumberSums, center: i32, features: &[usize]) -> Exact {
    let signed: Vec<_> = features.iter().map(|&feature| sums.signed(feature, center)).collect();
    Exact {
        strengths: signed.iter().map(|extremes| extremes.largest()).collect(),
        signed: Some(signed),
        one_row: sums.one_row(center),
    }
}
