//! Which mechanism suits, from the strengths that each finds.
//!
//! Nobody knows in advance how many features are strong, and mechanisms differ in what they gain
//! from it: gamma near 1 is best if all k are, gamma near 0 if fewer are. So a mechanism is judged
//! by its worse case: the largest factor by which the strength that it needs exceeds the least one
//! needed by any, if k features are strong and if one is. The default, which `select` chooses by
//! the numbers of rows, is kept unless another mechanism is better by more than the simulation can
//! be wrong.

use serde::Serialize;

use super::{Contender, Finding};

/// The default is kept up to this factor.
const KEPT: f64 = 1.05;

/// A mechanism that suits, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlanRecommendation {
    /// Its place in the table of mechanisms.
    #[serde(skip)]
    pub place: usize,
    /// The mechanism.
    pub mechanism: String,
    /// Its gamma, if it has one.
    pub gamma: Option<String>,
    /// Why, in words.
    pub reason: String,
}

/// The recommendation; `None` if no mechanism finds anything.
pub(super) fn recommended(
    contenders: &[Contender],
    findings: &[Finding],
    k: usize,
    default: Option<usize>,
) -> Option<PlanRecommendation> {
    let least = |of: fn(&Finding) -> Option<f64>| {
        findings.iter().filter_map(of).fold(f64::INFINITY, f64::min)
    };
    let all = |finding: &Finding| finding.found[1].map(|least| least.value);
    let one = |finding: &Finding| finding.alone.map(|least| least.value);
    let best = [least(all), least(one)];
    // Where none finds anything there is nothing to lose.
    let factor = |needed: Option<f64>, best: f64| match needed {
        _ if best.is_infinite() => 1.0,
        None => f64::INFINITY,
        Some(needed) if needed <= best => 1.0,
        Some(needed) => needed / best,
    };
    if best.iter().all(|best| best.is_infinite()) {
        return None;
    }
    let worst =
        |finding: &Finding| factor(all(finding), best[0]).max(factor(one(finding), best[1]));
    let (mut place, mut value) = (0, f64::INFINITY);
    for (i, finding) in findings.iter().enumerate() {
        // The first of equals.
        if worst(finding) < value {
            (place, value) = (i, worst(finding));
        }
    }
    if let Some(default) = default.filter(|place| worst(&findings[*place]) <= KEPT * value) {
        (place, value) = (default, worst(&findings[default]));
    }
    let name = &contenders[place];
    let cases = if k == 1 { "" } else { ", whether all k features are strong or one is" };
    let much = match value {
        v if v.is_infinite() => {
            "no mechanism here finds anything in both cases; this one does in one of them"
                .to_owned()
        }
        v if v < 1.01 => format!("no mechanism here needs less{cases}"),
        v => format!(
            "it needs at most {:.0}% more strength than the best one here{cases}",
            (100.0 * (v - 1.0)).ceil()
        ),
    };
    let kept = if Some(place) == default { "the default: " } else { "" };
    Some(PlanRecommendation {
        place,
        mechanism: name.id.clone(),
        gamma: name.gamma.clone(),
        reason: format!("{kept}{much}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Least, contenders};

    fn finding(all: f64, one: f64) -> Finding {
        let least = |value: f64| (value <= 1.0).then_some(Least { value, error: 0.0 });
        Finding { found: [least(all); 3], alone: least(one), theorem: None }
    }

    fn choice(findings: &[(f64, f64)]) -> Option<usize> {
        let all = contenders(5, &[], &[]).unwrap();
        let findings: Vec<Finding> = findings.iter().map(|(a, o)| finding(*a, *o)).collect();
        recommended(&all[..findings.len()], &findings, 5, Some(2)).map(|choice| choice.place)
    }

    /// The contenders are canonical with gamma .1, .25, .5 (the default), .75, 1.
    #[test]
    fn the_worse_case_decides_and_the_default_is_kept() {
        let even = [(0.3, 0.2), (0.25, 0.21), (0.2, 0.22), (0.18, 0.3), (0.15, 0.5)];
        // Factors 2, 1.67, 1.33, 1.5, 2.5.
        assert_eq!(choice(&even), Some(2));
        let mut close = even;
        // 1.30 against 1.33: the default stays. 1.2: it does not.
        close[1] = (0.195, 0.21);
        assert_eq!(choice(&close), Some(2));
        close[1] = (0.18, 0.21);
        assert_eq!(choice(&close), Some(1));
        // One that finds nothing in one case is the worst.
        close[1] = (0.15, 2.0);
        assert_eq!(choice(&close), Some(2));
        assert_eq!(choice(&[(2.0, 2.0); 5]), None);
    }
}
