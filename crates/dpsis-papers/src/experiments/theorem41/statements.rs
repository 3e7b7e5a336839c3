//! The statements of theorem 4.1 compared with the results.

use dpsis::report::{Agreement, Block};

use crate::experiments::parts::Given;
use crate::experiments::theorem41::cells::{Arrangement, RecoveryCell, SOURCE, Setting, ln_c};

/// Returns the cell with the largest value of a number.
fn most(cells: &[RecoveryCell], number: impl Fn(&RecoveryCell) -> f64) -> Option<&RecoveryCell> {
    cells.iter().max_by(|a, b| number(a).total_cmp(&number(b)))
}

fn place(cell: &RecoveryCell) -> String {
    let Setting { d, k, gamma, epsilon, arrangement } = cell.setting;
    format!("d {d}, k {k}, gamma {gamma}, epsilon {epsilon}, {}", arrangement.name())
}

pub(super) fn holds(cells: &[RecoveryCell]) -> Block {
    // The error at the bound would be smallest exactly where the bound is wrong: take the larger
    // one.
    let error =
        |cell: &RecoveryCell| cell.error_at(cell.bound()).max(cell.error_at(cell.hardest()));
    let below = |cell: &RecoveryCell| cell.bound() - cell.recovered.mean - 3.0 * error(cell);
    let held = cells.iter().filter(|cell| below(cell) <= 1e-12).count();
    let tightest = cells
        .iter()
        .filter(|cell| cell.bound() > 0.0)
        .map(|cell| cell.recovered.mean - cell.bound());
    let tightest = tightest.fold(f64::INFINITY, f64::min);
    Given {
        statement: "Exactly the k best are taken with probability at least 1 - exp(k ln(d/k) + ln c - xi \
                    gamma eps/2), c = C(d,k)/(d/k)^k.",
        source: &format!("{SOURCE}, theorem 4.1"),
        paper: "always",
    }
    .against(
        format!(
            "in {held} of {} cells; where the bound is positive, simulated minus bound is at least \
             {tightest:.3}",
            cells.len()
        ),
        if held == cells.len() { Agreement::Matches } else { Agreement::DoesNotMatch },
        "Rule: in every cell the simulated share is no further than three standard errors below the bound.",
    )
}

pub(super) fn closed_form(cells: &[RecoveryCell]) -> Block {
    let steps = || cells.iter().filter(|cell| cell.setting.arrangement == Arrangement::Step);
    let number = steps().count();
    let least = steps().map(RecoveryCell::p_value).fold(1.0, f64::min);
    Given {
        statement: "On the hardest scores of a gap the probability is (1 - (1 - p)^C)/(C p).",
        source: "derived above; not given in the paper",
        paper: "closed form",
    }
    .against(
        format!("smallest p-value of {number} exact binomial tests: {least:.2e}"),
        if least * number as f64 >= 0.01 { Agreement::Matches } else { Agreement::DoesNotMatch },
        "Rule: the smallest p-value times the number of tests is at least 0.01 (Bonferroni).",
    )
}

pub(super) fn constant(cells: &[RecoveryCell]) -> Block {
    let mut sizes: Vec<(usize, usize)> = cells.iter().map(|c| (c.setting.d, c.setting.k)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let held = sizes.iter().filter(|(d, k)| ln_c(*d, *k) <= (*k as f64).ln()).count();
    let ours = sizes.iter().map(|(d, k)| format!("d {d}, k {k}: {:.1}", ln_c(*d, *k).exp()));
    let ours = ours.collect::<Vec<_>>().join("; ");
    let excess = |cell: &RecoveryCell| match cell.setting.arrangement {
        Arrangement::Step => cell.bound_with_k() - cell.hardest(),
        Arrangement::Slope => f64::NEG_INFINITY,
    };
    let worst = most(cells, excess).filter(|cell| excess(cell) > 0.0);
    let note = worst.map_or(String::new(), |cell| {
        format!(
            " With k in its place the bound would be false: {:.3} against a probability of {:.3} \
             (simulated {:.3}; {}, gap {:.1}).",
            cell.bound_with_k(),
            cell.hardest(),
            cell.recovered.mean,
            place(cell),
            cell.gap
        )
    });
    Given {
        statement: "The constant of the bound satisfies c = C(d,k)/(d/k)^k <= k.",
        source: &format!("{SOURCE}, theorem 4.1, as extracted"),
        paper: "c <= k",
    }
    .against(
        ours,
        if held == sizes.len() { Agreement::Matches } else { Agreement::DoesNotMatch },
        &format!(
            "Rule: that it does for all d and k simulated. For large d, c tends to k^k/k!, which \
             exceeds k from k = 3 on; the bound itself, with c, is not affected.{note}"
        ),
    )
}
