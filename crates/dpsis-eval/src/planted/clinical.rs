//! Clinical records: columns in mixed units, flags, yes/no words, regions, missing lab values.
//!
//! The odds of readmission follow a logistic model with log odds -1.6 + 0.6 age + 0.7 crp +
//! 0.7 creatinine (per standard deviation, of the logarithm for the lab values) + 1.0 if diabetic +
//! 0.9 in the south; about three in ten are readmitted. 15% and 10% of the two true lab values are
//! missing, 2% of the regions, and up to 40% of the unrelated lab values.

use super::draft::{Outcome, decimals, digits, with_gaps};
use super::draw::Draw;
use super::ordinary::{self, REGION_SHARES, REGIONS, yes};
use super::{PLANTED, Planted};

pub(super) fn table(n: usize, d: usize, draw: &mut Draw) -> Planted {
    let (age, crp, creatinine) = (draw.normals(n), draw.normals(n), draw.normals(n));
    let diabetes: Vec<bool> = (0..n).map(|_| draw.chance(0.3)).collect();
    let region: Vec<usize> = (0..n).map(|_| draw.one_of(&REGION_SHARES)).collect();
    let log_odds: Vec<f64> = (0..n)
        .map(|i| {
            let words =
                if diabetes[i] { 1.0 } else { 0.0 } + if region[i] == 1 { 0.9 } else { 0.0 };
            -1.6 + 0.6 * age[i] + 0.7 * (crp[i] + creatinine[i]) + words
        })
        .collect();
    let years: Vec<f64> = age.iter().map(|z| (62.0 + 13.0 * z).clamp(18.0, 99.0)).collect();
    let lab = |level: f64, spread: f64, values: &[f64]| {
        digits(&values.iter().map(|z| libm::exp(level + spread * z)).collect::<Vec<_>>())
    };
    let regions = region.iter().map(|region| REGIONS[*region].to_owned()).collect();
    let mut columns = vec![
        ("age".to_owned(), decimals(&years, 0)),
        ("crp".to_owned(), with_gaps(lab(2.0, 1.1, &crp), 0.15, draw)),
        ("creatinine".to_owned(), with_gaps(lab(4.4, 0.35, &creatinine), 0.1, draw)),
        ("diabetes".to_owned(), diabetes.iter().copied().map(yes).collect()),
        ("region".to_owned(), with_gaps(regions, 0.02, draw)),
    ];
    columns.extend((0..d - PLANTED).map(|j| ordinary::column(j, n, 0.4, draw)));
    let outcome = Outcome::logistic(&log_odds, ["home", "readmitted"], draw);
    outcome.shuffled(columns, draw)
}
