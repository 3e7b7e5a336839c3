//! The data, figures and statements of theorem 4.1.

use crate::experiments::Experiment;
use crate::experiments::parts::{Stated, curves, paragraph, row, share_at};
use crate::experiments::theorem41::{Arrangement, Cell, SETTINGS, Setting, ln_c};
use crate::experiments::theorem41_noise::{Noise, noise_blocks, noise_lines};
use crate::figure::{Curve, CurveChart, CurvePoint};
use dpsis::Result;
use dpsis::report::{Block, Section, Verdict};

const DATA: &str = "theorem4.1.csv";
pub(super) const SOURCE: &str = "\"Feature Selection from Differentially Private Correlations\"";

/// Writes all cells, and the sizes of noise.
pub(super) fn data(experiment: &Experiment<'_>, cells: &[Cell], noises: &[Noise]) -> Result<()> {
    let line = |cell: &Cell| {
        let Setting { d, k, gamma, epsilon, arrangement } = cell.setting;
        let mut line = row(&[&d.to_string(), &k.to_string(), gamma, epsilon, arrangement.name()]);
        line.push(cell.draws.to_string());
        let found = cell.recovered;
        let numbers = [cell.gap, cell.bound(), cell.hardest(), found.mean, found.error];
        line.extend(numbers.map(|number| format!("{number:.6}")));
        line
    };
    let header = [
        "d",
        "k",
        "gamma",
        "epsilon",
        "scores",
        "draws",
        "gap",
        "bound",
        "hardest",
        "simulated",
        "error",
    ];
    let lines: Vec<_> = cells.iter().map(line).collect();
    experiment.output.write_csv(DATA, &header, &lines)?;
    noise_lines(experiment, noises)
}

/// The part of the page.
pub(super) fn section(
    experiment: &Experiment<'_>,
    cells: &[Cell],
    noises: &[Noise],
) -> Result<Section> {
    let mut blocks = vec![
        paragraph(
            "Theorem 4.1 bounds from below how often canonical takes exactly the k best of d, when the k-th \
             best exceeds the next by a gap xi: 1 - C(d,k) exp(-xi gamma eps/2), gaps in units of the \
             sensitivity. Simulated is the mechanism of this library, beside the bound.",
        ),
        paragraph(
            "Most scores are a step: the k best equal, all others equal, xi below. No scores with that gap \
             are harder: every other set then has the least handicap the gap allows. The probability has a \
             closed form, (1 - (1 - p)^C)/(C p) with C = C(d,k) and p = exp(-xi gamma eps/2), about 1 - C \
             p/2: where the bound is near 1, it allows twice the misses that the hardest scores have.",
        ),
    ];
    let at = |d: usize, k: usize, gamma: &str| {
        let is = move |s: &&Setting| (s.d, s.k, s.gamma, s.epsilon) == (d, k, gamma, "1");
        let is_step = |s: &&Setting| s.arrangement == Arrangement::Step;
        SETTINGS.iter().filter(is).find(is_step).copied()
    };
    let sizes: Vec<_> =
        [at(100, 2, "0.5"), at(100, 5, "0.5"), at(1000, 5, "0.5"), at(2000, 8, "0.5")]
            .into_iter()
            .flatten()
            .map(|setting| (setting, format!("d {}, k {}", setting.d, setting.k)))
            .collect();
    let weights: Vec<_> = ["0.25", "0.5", "1"]
        .into_iter()
        .filter_map(|gamma| at(1000, 5, gamma))
        .map(|setting| (setting, format!("gamma {}", setting.gamma)))
        .collect();
    let chart = chart("Theorem 4.1: gamma 1/2, epsilon 1", &sizes, cells);
    let caption = "The mechanism on the hardest scores, with 95% bands, and the theorem's bound, 0 where that is negative.";
    blocks.push(curves(experiment, "theorem4.1", &chart, caption, DATA)?);
    let chart = self::chart("Theorem 4.1: d 1000, k 5, epsilon 1", &weights, cells);
    let caption = "With k good candidates a larger gamma needs a smaller gap; with more than k it is the \
                   other way round, which the theorem does not show.";
    blocks.push(curves(experiment, "theorem4.1-gamma", &chart, caption, DATA)?);
    let caption = "Scores that fall on both sides of the gap, by a thousandth of it from one to the next, are easier than the hardest ones.";
    let chart = arrangements(cells);
    blocks.push(curves(experiment, "theorem4.1-scores", &chart, caption, DATA)?);
    blocks.push(holds(cells));
    blocks.push(closed_form(cells));
    blocks.push(constant(cells));
    blocks.extend(noise_blocks(noises));
    Ok(Section {
        id: "theorem4.1".into(),
        title: "Theorem 4.1: the gap that is recovered".into(),
        blocks,
    })
}

fn of(cells: &[Cell], setting: Setting) -> impl Iterator<Item = &Cell> {
    cells.iter().filter(move |cell| cell.setting == setting)
}

/// What has a formula, at more gaps than were simulated.
fn line(cells: &[Cell], setting: Setting, label: String, y: impl Fn(&Cell) -> f64) -> Curve {
    let measured: Vec<&Cell> = of(cells, setting).collect();
    let points = measured.windows(2).flat_map(|pair| {
        (0..=8).map(|part| {
            let cell =
                pair[0].at_gap(pair[0].gap + (pair[1].gap - pair[0].gap) * f64::from(part) / 8.0);
            let y = y(&cell);
            CurvePoint { x: cell.gap, y, low: y, high: y }
        })
    });
    Curve { label, points: points.collect() }
}

fn simulated(cells: &[Cell], setting: Setting, label: String) -> Curve {
    let points = of(cells, setting).map(|cell| share_at(cell.gap, &cell.recovered)).collect();
    Curve { label, points }
}

fn chart(title: &str, settings: &[(Setting, String)], cells: &[Cell]) -> CurveChart {
    let mut curves = Vec::new();
    for (setting, name) in settings {
        curves.push(simulated(cells, *setting, format!("{name}: mechanism")));
        curves.push(line(cells, *setting, format!("{name}: bound"), Cell::bound));
    }
    gap_chart(title, curves)
}

fn gap_chart(title: &str, curves: Vec<Curve>) -> CurveChart {
    CurveChart {
        title: title.into(),
        x_label: "gap xi in units of the sensitivity".into(),
        y_label: "probability of exactly the k best".into(),
        x_log: false,
        y_log: false,
        y_range: Some((0.0, 1.0)),
        curves,
        references: Vec::new(),
    }
}

fn arrangements(cells: &[Cell]) -> CurveChart {
    let slope = SETTINGS.iter().find(|setting| setting.arrangement == Arrangement::Slope);
    let mut curves = Vec::new();
    if let Some(slope) = slope {
        let step = Setting { arrangement: Arrangement::Step, ..*slope };
        curves.push(simulated(cells, *slope, "slope: mechanism".into()));
        curves.push(simulated(cells, step, "step: mechanism".into()));
        curves.push(line(cells, step, "step: closed form".into(), Cell::hardest));
        curves.push(line(cells, step, "bound".into(), Cell::bound));
    }
    gap_chart("Two arrangements of scores: d 1000, k 5, gamma 1/2, epsilon 1", curves)
}

/// The cell of the least or largest of a number.
fn most(cells: &[Cell], number: impl Fn(&Cell) -> f64) -> Option<&Cell> {
    cells.iter().max_by(|a, b| number(a).total_cmp(&number(b)))
}

fn place(cell: &Cell) -> String {
    let Setting { d, k, gamma, epsilon, arrangement } = cell.setting;
    format!("d {d}, k {k}, gamma {gamma}, epsilon {epsilon}, {}", arrangement.name())
}

fn holds(cells: &[Cell]) -> Block {
    // At the bound itself the error would be smallest where the bound is wrong: take the larger one.
    let error = |cell: &Cell| cell.error_at(cell.bound()).max(cell.error_at(cell.hardest()));
    let below = |cell: &Cell| cell.bound() - cell.recovered.mean - 3.0 * error(cell);
    let held = cells.iter().filter(|cell| below(cell) <= 1e-12).count();
    let tightest = cells
        .iter()
        .filter(|cell| cell.bound() > 0.0)
        .map(|cell| cell.recovered.mean - cell.bound());
    let tightest = tightest.fold(f64::INFINITY, f64::min);
    Stated {
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
        if held == cells.len() { Verdict::Matches } else { Verdict::DoesNotMatch },
        "Rule: in every cell the simulated share is no further than three standard errors below the bound.",
    )
}

fn closed_form(cells: &[Cell]) -> Block {
    let steps = || cells.iter().filter(|cell| cell.setting.arrangement == Arrangement::Step);
    let number = steps().count();
    let least = steps().map(Cell::p_value).fold(1.0, f64::min);
    Stated {
        statement: "On the hardest scores of a gap the probability is (1 - (1 - p)^C)/(C p).",
        source: "derived above; not stated in the paper",
        paper: "closed form",
    }
    .against(
        format!("smallest p-value of {number} exact binomial tests: {least:.2e}"),
        if least * number as f64 >= 0.01 { Verdict::Matches } else { Verdict::DoesNotMatch },
        "Rule: the smallest p-value times the number of tests is at least 0.01 (Bonferroni).",
    )
}

fn constant(cells: &[Cell]) -> Block {
    let mut sizes: Vec<(usize, usize)> = cells.iter().map(|c| (c.setting.d, c.setting.k)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let held = sizes.iter().filter(|(d, k)| ln_c(*d, *k) <= (*k as f64).ln()).count();
    let ours = sizes.iter().map(|(d, k)| format!("d {d}, k {k}: {:.1}", ln_c(*d, *k).exp()));
    let ours = ours.collect::<Vec<_>>().join("; ");
    let excess = |cell: &Cell| match cell.setting.arrangement {
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
    Stated {
        statement: "The constant of the bound satisfies c = C(d,k)/(d/k)^k <= k.",
        source: &format!("{SOURCE}, theorem 4.1, as extracted"),
        paper: "c <= k",
    }
    .against(
        ours,
        if held == sizes.len() { Verdict::Matches } else { Verdict::DoesNotMatch },
        &format!(
            "Rule: that it does for all d and k simulated. For large d, c tends to k^k/k!, which exceeds k \
             from k = 3 on; the bound itself, with c, is not touched.{note}"
        ),
    )
}
