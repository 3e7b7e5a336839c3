//! Statements of papers compared with the results.

use dpsis::report::Block;

use crate::experiments::agreements::{agreement_of, mostly};
use crate::experiments::parts::Given;
use crate::experiments::regression::BUDGETS;
use crate::experiments::regression::cells::{Cell, Cells, Setting};
use crate::experiments::regression::contenders::Contender;
use crate::experiments::regression::split::Kind;

/// Compares all statements with the results.
pub(super) fn comparisons(settings: &[Setting], cells: &[Cell]) -> Vec<Block> {
    let results = Cells(cells);
    vec![broadens(settings, results), ineffective(settings, results)]
}

/// A difference of medians below which neither counts as ahead.
const TOLERANCE: f64 = 0.02;

/// The pairs of a kind of tables and an epsilon.
fn cases<'a>(
    settings: &'a [Setting],
    of: impl Fn(&Setting) -> bool + 'a,
) -> impl Iterator<Item = (String, &'static str)> + 'a {
    settings
        .iter()
        .filter(move |setting| of(setting))
        .flat_map(|setting| BUDGETS.iter().map(move |budget| (setting.name(), budget.total)))
}

fn broadens(settings: &[Setting], results: Cells<'_>) -> Block {
    let useful = |one| {
        let cases = cases(settings, |setting| setting.kind == Kind::Number);
        cases.filter(|(name, epsilon)| results.median(name, one, epsilon) > 0.0).count()
    };
    let of = cases(settings, |setting| setting.kind == Kind::Number).count();
    let [all, with_delta, kendall, ours] =
        [Contender::All, Contender::AllWithDelta, Contender::DpKendall, Contender::Given]
            .map(useful);
    let most = all.max(with_delta);
    Given {
        statement: "A private selection by Kendall's correlation before a private regression makes it useful (R² > 0) \
                    on many more tables.",
        source: "\"Better private linear regression through better private feature selection\" (2023), sections 1 and 4",
        paper: "without a selection, R² > 0 on 4 of its 25 data sets",
    }
    .against(
        format!(
            "median R² > 0 in {all} of {of} cases on all features, {with_delta} with a delta, {kendall} after DPKendall, \
             {ours} after the library's selection"
        ),
        agreement_of(usize::from(kendall > most) + usize::from(kendall > 0), 2),
        "A stand-in: the paper's data sets are not here, and its regressions are others (Tukey depth, boosted AdaSSP), so \
         that its numbers are not compared. Cases are the synthetic tables with a numeric target by epsilon. Rule: \
         matches if there are more after DPKendall than on all features in either way.",
    )
}

fn ineffective(settings: &[Setting], results: Cells<'_>) -> Block {
    let difference = |(name, epsilon): (String, &str)| {
        results.median(&name, Contender::Given, epsilon)
            - results.median(&name, Contender::TwoStage, epsilon)
    };
    let differences: Vec<f64> = cases(settings, |_| true).map(difference).collect();
    let ahead = differences.iter().filter(|difference| **difference > TOLERANCE).count();
    let behind = differences.iter().filter(|difference| **difference < -TOLERANCE).count();
    Given {
        statement: "The two-stage method's selection, private and of unstable supports, may be ineffective; selection by \
                    private correlations is better.",
        source: "DP-SIS paper, sections 2.2 and 6",
        paper: "of selections only; no final model is measured",
    }
    .against(
        format!(
            "after its second stage, two-stage is behind the library's selection and model in {ahead} of {} cases, ahead in \
             {behind}",
            differences.len()
        ),
        mostly(ahead, behind, differences.len()),
        "Cases are tables by epsilon; ahead and behind by more than 0.02 of the median. The models differ as well: \
         objective perturbation against sums or a minimizer with noise. Rule: matches if it is behind in most cases and \
         ahead in none, in part if it is ahead in some.",
    )
}
