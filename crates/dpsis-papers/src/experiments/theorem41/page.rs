//! The data and the figures of theorem 4.1.

use dpsis::Result;
use dpsis::report::Section;

use crate::experiments::experiment::Experiment;
use crate::experiments::parts::{curves, paragraph, row, share_at};
use crate::experiments::theorem41::cells::{Arrangement, RecoveryCell, SETTINGS, Setting};
use crate::experiments::theorem41::noise::Noise;
use crate::experiments::theorem41::noise_page::{noise_blocks, noise_lines};
use crate::experiments::theorem41::statements::{closed_form, constant, holds};
use dpsis_eval::figure::{Curve, CurveChart, CurvePoint};

const DATA: &str = "theorem4.1.csv";

/// Writes all cells, and the simulated noise.
pub(super) fn write_data(
    experiment: &Experiment<'_>,
    cells: &[RecoveryCell],
    noises: &[Noise],
) -> Result<()> {
    let line = |cell: &RecoveryCell| {
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

/// The section of the page.
pub(super) fn section(
    experiment: &Experiment<'_>,
    cells: &[RecoveryCell],
    noises: &[Noise],
) -> Result<Section> {
    let mut blocks = vec![
        paragraph(
            "Theorem 4.1 is a lower bound on the probability that canonical selects exactly the k \
             best of d, when the k-th best score exceeds the next by a gap xi: 1 - C(d,k) exp(-xi \
             gamma eps/2), gaps in units of the sensitivity. The simulation runs this library's \
             mechanism next to the bound.",
        ),
        paragraph(
            "Most arrangements of scores are a step: the k best equal, all others equal and lower \
             by xi. No scores with that gap are harder, because every other set has the smallest \
             handicap that the gap allows. The probability has a closed form, (1 - (1 - p)^C)/(C \
             p) with C = C(d,k) and p = exp(-xi gamma eps/2), about 1 - C p/2: where the bound is \
             near 1, it allows twice the failure probability of the hardest scores.",
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
    let caption = "The mechanism on the hardest scores, with 95% bands, and the theorem's bound, \
         drawn as 0 where it is negative.";
    blocks.push(curves(experiment, "theorem4.1", &chart, caption, DATA)?);
    let chart = self::chart("Theorem 4.1: d 1000, k 5, epsilon 1", &weights, cells);
    let caption = "With k good candidates a larger gamma needs a smaller gap; with more than k it \
         is the reverse, which the theorem does not show.";
    blocks.push(curves(experiment, "theorem4.1-gamma", &chart, caption, DATA)?);
    let caption = "Scores that decrease on both sides of the gap, by a thousandth of the gap from \
         one to the next, are easier than the hardest scores.";
    let chart = arrangements(cells);
    blocks.push(curves(experiment, "theorem4.1-scores", &chart, caption, DATA)?);
    blocks.push(holds(cells));
    blocks.push(closed_form(cells));
    blocks.push(constant(cells));
    blocks.extend(noise_blocks(noises));
    Ok(Section::new("theorem4.1", "Theorem 4.1: the gap that is recovered", blocks))
}

fn of(cells: &[RecoveryCell], setting: Setting) -> impl Iterator<Item = &RecoveryCell> {
    cells.iter().filter(move |cell| cell.setting == setting)
}

/// A curve of a formula, at more gaps than were simulated.
fn line(
    cells: &[RecoveryCell],
    setting: Setting,
    label: String,
    y: impl Fn(&RecoveryCell) -> f64,
) -> Curve {
    let measured: Vec<&RecoveryCell> = of(cells, setting).collect();
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

fn simulated(cells: &[RecoveryCell], setting: Setting, label: String) -> Curve {
    let points = of(cells, setting).map(|cell| share_at(cell.gap, &cell.recovered)).collect();
    Curve { label, points }
}

fn chart(title: &str, settings: &[(Setting, String)], cells: &[RecoveryCell]) -> CurveChart {
    let mut curves = Vec::new();
    for (setting, name) in settings {
        curves.push(simulated(cells, *setting, format!("{name}: mechanism")));
        curves.push(line(cells, *setting, format!("{name}: bound"), RecoveryCell::bound));
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

fn arrangements(cells: &[RecoveryCell]) -> CurveChart {
    let slope = SETTINGS.iter().find(|setting| setting.arrangement == Arrangement::Slope);
    let mut curves = Vec::new();
    if let Some(slope) = slope {
        let step = Setting { arrangement: Arrangement::Step, ..*slope };
        curves.push(simulated(cells, *slope, "slope: mechanism".into()));
        curves.push(simulated(cells, step, "step: mechanism".into()));
        curves.push(line(cells, step, "step: closed form".into(), RecoveryCell::hardest));
        curves.push(line(cells, step, "bound".into(), RecoveryCell::bound));
    }
    gap_chart("Two arrangements of scores: d 1000, k 5, gamma 1/2, epsilon 1", curves)
}
