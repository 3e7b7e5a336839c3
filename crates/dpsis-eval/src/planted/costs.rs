//! Costs of care: a skewed amount with a heavy tail, mixed features.
//!
//! The logarithm of the cost is 6 + 0.45 age (per standard deviation) + 0.3 for each of up to six
//! admissions (overdispersed, mean 1.5) + 0.9 if insured privately (a flag, 25%) + 0.8 for a
//! chronic illness (yes/no, 35%) + 0.9 in the south + normal noise of deviation 0.9 + 0.3 times an
//! exponential one: the tail is heavier than log-normal. The other columns are the same as in the
//! clinical records, with at most 10% of a lab value missing.

use super::draft::{Outcome, decimals};
use super::draw::Draw;
use super::ordinary::{self, REGION_SHARES, REGIONS, yes};
use super::{PLANTED, Planted};

pub(super) fn table(n: usize, d: usize, draw: &mut Draw) -> Planted {
    let age = draw.normals(n);
    let admissions: Vec<u64> = (0..n).map(|_| draw.count(1.5)).collect();
    let private: Vec<bool> = (0..n).map(|_| draw.chance(0.25)).collect();
    let chronic: Vec<bool> = (0..n).map(|_| draw.chance(0.35)).collect();
    let region: Vec<usize> = (0..n).map(|_| draw.one_of(&REGION_SHARES)).collect();
    let costs: Vec<f64> = (0..n)
        .map(|i| {
            let effect = |is: bool, size: f64| if is { size } else { 0.0 };
            let words = effect(private[i], 0.9) + effect(chronic[i], 0.8);
            let known = 0.45 * age[i] + 0.3 * admissions[i].min(6) as f64 + words;
            let noise = 0.9 * draw.normal() + 0.3 * draw.exponential();
            libm::exp(6.0 + known + effect(region[i] == 1, 0.9) + noise)
        })
        .collect();
    let years: Vec<f64> = age.iter().map(|z| (50.0 + 18.0 * z).clamp(0.0, 99.0)).collect();
    let flag = |is: &bool| u8::from(*is).to_string();
    let mut columns = vec![
        ("age".to_owned(), decimals(&years, 0)),
        ("admissions".to_owned(), admissions.iter().map(u64::to_string).collect()),
        ("private".to_owned(), private.iter().map(flag).collect()),
        ("chronic".to_owned(), chronic.iter().copied().map(yes).collect()),
        ("region".to_owned(), region.iter().map(|region| REGIONS[*region].to_owned()).collect()),
    ];
    columns.extend((0..d - PLANTED).map(|j| ordinary::column(j, n, 0.1, draw)));
    Outcome::amounts(&costs).shuffled(columns, draw)
}
