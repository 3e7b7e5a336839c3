//! The coding of the target and its center, as settled between the passes over a table and its
//! selection. From then on scores are exact functions of the gathered values.

use crate::estimate::{Counted, CountedStrata, RowsEstimate, shrunk};
use crate::exact::GRID;
use crate::release::record::Released;
use crate::release::scarce::Scarce;
use crate::request::plan::Plan;
use crate::statistic::coded::CenteredCode;
use crate::table::TargetCode;

/// The target as used by scores, with every value released to determine it.
pub(crate) struct Settled {
    pub(crate) target: CenteredCode,
    pub(crate) released: Released,
    /// The counts released with a private center.
    pub(crate) counted: Option<Counted>,
    /// The counts of strata, if there are several.
    pub(crate) strata: Option<CountedStrata>,
    /// The total number of rows, recorded only if it is public.
    pub(crate) rows: u64,
}

impl Settled {
    /// A target coded as one number, at a released center. `shrinks` is true if scores use the
    /// center shrunk by its noise.
    pub(crate) fn number(
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
        let target = CenteredCode { code: Some(code), centers, released, strata: Vec::new() };
        Self { target, released: facts, counted, strata: None, rows }
    }

    /// A target coded as one number, at the released center of each stratum.
    pub(crate) fn in_strata(code: TargetCode, counted: CountedStrata) -> Self {
        // A share outside of 0 to 1 is due to noise; scores need it unclamped, but readers do not.
        let center = |m: i32| code.center_in_units(m.clamp(-GRID, GRID));
        let facts = Released {
            center: Some(counted.strata.iter().map(|stratum| center(stratum.center)).collect()),
            target_median: split_of(&code),
            rows_estimate: Some(counted.usable.rows),
            unusable_estimate: Some(counted.unusable),
            no_stratum_estimate: Some(counted.outside),
            ..Released::default()
        };
        let strata = counted.strata.iter().map(|stratum| stratum.code(GRID)).collect();
        let target =
            CenteredCode { code: Some(code), centers: Vec::new(), released: Vec::new(), strata };
        Self { target, released: facts, counted: None, strata: Some(counted), rows: 0 }
    }

    /// Two classes, with the rows of each person compared: without a center.
    pub(crate) fn pairs(code: TargetCode, counted: Counted, rows: u64) -> Self {
        let released = counts(Some(&counted));
        let (centers, strata) = (vec![0], Vec::new());
        let target = CenteredCode { code: Some(code), released: centers.clone(), centers, strata };
        Self { target, released, counted: Some(counted), strata: None, rows }
    }

    /// A target of three or more classes at their centers.
    pub(crate) fn classes(centers: Vec<i32>, counted: Option<Counted>, rows: u64) -> Self {
        let share = |&center: &i32| f64::from(center) / f64::from(GRID);
        let mut released = counts(counted.as_ref());
        released.center = counted.as_ref().map(|_| centers.iter().map(share).collect());
        let released_centers = centers.clone();
        let target =
            CenteredCode { code: None, released: released_centers, centers, strata: Vec::new() };
        Self { target, released, counted, strata: None, rows }
    }

    /// The estimate of the number of rows with a usable target, in strata if there are any.
    pub(crate) fn usable(&self) -> Option<RowsEstimate> {
        let of_strata = self.strata.as_ref().map(|counted| counted.usable);
        self.counted.as_ref().map(|counted| counted.usable).or(of_strata)
    }

    /// The released counts that noise alone could explain.
    pub(crate) fn scarce(&self, plan: &Plan) -> Scarce {
        match (&self.counted, &self.strata) {
            (Some(counted), _) => Scarce::of_classes(plan, counted),
            (None, Some(counted)) => Scarce::of_strata(plan, &counted.strata),
            (None, None) => Scarce::default(),
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
