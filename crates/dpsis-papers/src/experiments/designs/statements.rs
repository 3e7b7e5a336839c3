//! Earlier statements about the synthetic designs compared with the results.

use dpsis::report::{Agreement, Block};

use crate::experiments::agreements::agreement_of;
use crate::experiments::designs::cells::{DESIGNS, DesignArm, FEATURES, MECHANISMS, WITHOUT};
use crate::experiments::designs::rows_needed::{DesignCells, words};
use crate::experiments::parts::Given;

const EARLIER: &str = "an earlier implementation of this experiment";

/// The agreement on a number of rows: a match within 15%, partly within 50%.
fn near(ours: Option<f64>, theirs: f64) -> Agreement {
    match ours.map(|ours| (ours / theirs - 1.0).abs()) {
        Some(off) if off <= 0.15 => Agreement::Matches,
        Some(off) if off <= 0.5 => Agreement::Partly,
        _ => Agreement::DoesNotMatch,
    }
}

const RULE: &str = "Rule: within 15% matches, within 50% in part.";

/// Compares all statements with the results.
pub(super) fn comparisons(results: DesignCells<'_>) -> Vec<Block> {
    let needed = |clip, mechanism, epsilon| {
        results.rows(DESIGNS[0], FEATURES[0], DesignArm { clip, mechanism, epsilon })
    };
    let mut blocks = Vec::new();
    for (mechanism, theirs) in MECHANISMS.into_iter().zip([330.0, 550.0, 570.0]) {
        let ours = needed(0.5, mechanism, "1");
        let given = Given {
            statement: &format!(
                "{mechanism} finds exactly the five in 90% of runs (AR 0.1, 100 features, epsilon \
                 1, clip 0.5 sd)."
            ),
            source: EARLIER,
            paper: &format!("{theirs} rows"),
        };
        let mut note = RULE.to_owned();
        if near(ours, theirs) != Agreement::Matches {
            note += " The draws of the earlier implementation are not available, so the difference \
                 is not explained.";
        }
        if mechanism == "joint" {
            note += &format!(
                " A new row can move correlations up and down, and the joint loss of such scores \
                 changes by up to 2 sensitivities, so the mechanism here weighs losses by \
                 epsilon/4. With epsilon/2, which is proven for monotonic scores only (here: at \
                 epsilon 2), it needs {}.",
                words(needed(0.5, "joint", "2"), FEATURES[0])
            );
        }
        blocks.push(given.against(
            format!("{} rows", words(ours, FEATURES[0])),
            near(ours, theirs),
            &note,
        ));
    }
    let clips = [(0.5, 330.0), (1.0, 390.0), (2.0, 830.0), (3.0, 1880.0)];
    let ours = clips.map(|(clip, _)| needed(clip, "canonical", "1"));
    let near = clips.iter().zip(ours).map(|((_, theirs), ours)| near(ours, *theirs));
    let held = near.filter(|agreement| *agreement == Agreement::Matches).count();
    blocks.push(
        Given {
            statement: "The tighter values are clipped, the fewer rows canonical needs, down to half a \
                        standard deviation.",
            source: EARLIER,
            paper: "330, 390, 830, 1880 rows at 0.5, 1, 2, 3 sd",
        }
        .against(
            format!("{} rows", ours.map(|ours| words(ours, FEATURES[0])).join(", ")),
            agreement_of(held, clips.len()),
            "Rule: matches if all four are within 15%, in part if some are.",
        ),
    );
    let ours = needed(0.5, "canonical", "1");
    blocks.push(
        Given {
            statement: "Screening by canonical needs fewer rows for this than the private selectors mistakes and \
                        top-R: 3560 and 3940 as published, 1960 and 2740 with the exponent that adding and \
                        removing rows allows.",
            source: "figures of \"Differentially Private High-dimensional Variable Selection via Integer \
                     Programming\" (NeurIPS 2025)",
            paper: "1960 rows at best",
        }
        .against(
            format!("canonical: {} rows", words(ours, FEATURES[0])),
            if ours.is_some_and(|ours| ours < 1960.0) { Agreement::Matches } else { Agreement::DoesNotMatch },
            "Rule: fewer rows than the smallest of these. Those \
             selectors were not run here, and they look for the best subset, which finds true features \
             where screening one by one cannot.",
        ),
    );
    blocks.push(screening(results));
    blocks
}

fn screening(results: DesignCells<'_>) -> Block {
    let mut values = Vec::new();
    for design in &DESIGNS[2..] {
        for features in FEATURES {
            let arm = DesignArm { clip: 0.5, mechanism: WITHOUT, epsilon: "" };
            let cell = results.of(design, features, arm).last();
            values
                .extend(cell.map(|cell| (format!("{design}, {features} features"), cell.f1.mean)));
        }
    }
    let held = values.iter().filter(|(_, f1)| (f1 - 0.6).abs() <= 0.05).count();
    let ours = values.iter().map(|(name, f1)| format!("{name}: {f1:.2}"));
    Given {
        statement: "With AR 0.9 or mixed signs marginal screening itself is wrong: F1 stays at 0.60 even \
                    without privacy.",
        source: EARLIER,
        paper: "F1 0.60",
    }
    .against(
        ours.collect::<Vec<_>>().join("; "),
        agreement_of(held, values.len()),
        "Rule: within 0.05 at the largest number of rows measured. By the covariances in closed \
         form, features between true ones exceed the outer two of these (AR 0.9), and negative \
         true features have a smaller covariance with the target than false ones (mixed signs).",
    )
}
