//! The coding of the target and its center, as settled between the passes over a table and its
//! selection. From then on scores are exact functions of the gathered values.

use crate::data::TargetCode;
use crate::estimate::{Counted, shrunk};
use crate::exact::GRID;
use crate::select::plan::Plan;
use crate::select::record::Released;
use crate::select::scarce::Scarce;
use crate::select::statistic::CenteredCode;

/// The target as scores take it, with everything released on the way to it.
pub(super) struct Settled {
    pub(super) target: CenteredCode,
    pub(super) released: Released,
    /// The counts released with a private center.
    pub(super) counted: Option<Counted>,
    /// The counts of each stratum, where there are several.
    pub(super) strata: Vec<Counted>,
    /// The total number of rows, recorded only if it is public.
    pub(super) rows: u64,
}

impl Settled {
    /// A target coded as one number, at a released center. `shrinks` says whether scores use it
    /// shrunk by its noise.
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
        let (centers, released) = (vec![center], vec![released]);
        let target = CenteredCode { code: Some(code), centers, released };
        Self { target, released: facts, counted, strata: Vec::new(), rows }
    }

    /// A target coded as one number, at the released center of each stratum, shrunk by its noise if
    /// `shrinks`.
    pub(super) fn in_strata(
        code: TargetCode,
        released: Vec<(i32, Counted)>,
        shrinks: bool,
    ) -> Self {
        let center = |(center, counted): &(i32, Counted)| match shrinks {
            true => shrunk(*center, GRID, counted),
            false => *center,
        };
        let centers: Vec<i32> = released.iter().map(center).collect();
        let usable = released.iter().map(|(_, counted)| counted.usable);
        let rows_estimate = usable.clone().map(|usable| usable.rows).sum();
        let facts = Released {
            center: Some(released.iter().map(|(m, _)| code.center_in_units(*m)).collect()),
            target_median: split_of(&code),
            rows_estimate: Some(rows_estimate),
            ..Released::default()
        };
        let target = CenteredCode { code: Some(code), released: centers.clone(), centers };
        let strata = released.into_iter().map(|(_, counted)| counted).collect();
        Self { target, released: facts, counted: None, strata, rows: 0 }
    }

    /// Two classes, of which the rows of each person are compared: without a center.
    pub(super) fn pairs(code: TargetCode, counted: Counted, rows: u64) -> Self {
        let released = counts(Some(&counted));
        let target = CenteredCode { code: Some(code), centers: vec![0], released: vec![0] };
        Self { target, released, counted: Some(counted), strata: Vec::new(), rows }
    }

    /// A target of three or more classes at their centers.
    pub(super) fn classes(centers: Vec<i32>, counted: Option<Counted>, rows: u64) -> Self {
        let share = |&center: &i32| f64::from(center) / f64::from(GRID);
        let mut released = counts(counted.as_ref());
        released.center = counted.as_ref().map(|_| centers.iter().map(share).collect());
        let target = CenteredCode { code: None, released: centers.clone(), centers };
        Self { target, released, counted, strata: Vec::new(), rows }
    }

    /// The released counts that noise alone can show.
    pub(super) fn scarce(&self, plan: &Plan) -> Scarce {
        match &self.counted {
            Some(counted) => Scarce::of_classes(plan, counted),
            None => Scarce::of_strata(plan, &self.strata),
        }
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
