//! The data and the statement of theorem A.3.

use dpsis::Result;
use dpsis::report::{Agreement, Block};

use crate::experiments::experiment::Experiment;
use crate::experiments::parts::{Given, paragraph, row};
use crate::experiments::theorem41::cells::SOURCE;
use crate::experiments::theorem41::noise::Noise;

const DATA: &str = "theorem4.1-noise.csv";

/// Writes the simulated noise.
pub(super) fn noise_lines(experiment: &Experiment<'_>, noises: &[Noise]) -> Result<()> {
    let line = |noise: &Noise| {
        let mut line = vec![noise.d.to_string(), noise.k.to_string(), format!("{:.6e}", noise.m)];
        let numbers = [
            noise.harmonic(),
            noise.asymptotic(),
            noise.mean.mean,
            noise.mean.error,
            noise.naive,
            noise.infinite,
        ];
        line.extend(numbers.map(|number| format!("{number:.6}")));
        line
    };
    let header = [
        "d",
        "k",
        "m",
        "harmonic",
        "asymptotic",
        "simulated",
        "error",
        "naive_finite",
        "naive_infinite",
    ];
    let lines: Vec<_> = noises.iter().map(line).collect();
    experiment.output.write_csv(DATA, &header, &lines)
}

/// The blocks at the end of the section.
pub(super) fn noise_blocks(noises: &[Noise]) -> Vec<Block> {
    let words = paragraph(
        "Theorem A.3: the largest noise of a class of m sets, -ln(1 - U^(1/m)), has the m-th \
         harmonic number as its mean, ln m + 0.57722 + 1/(2m) - ... In the table m = C(d-1, k-1), \
         the largest class. As written, the formula loses all digits once U^(1/m) rounds to 1 and \
         is then infinite; the form -ln(-expm1(ln(U)/m)) keeps them.",
    );
    vec![words, noise_table(noises), noise_of_effect_sizes(noises)]
}

fn noise_table(noises: &[Noise]) -> Block {
    let line = |noise: &Noise| {
        let m = if noise.m < 1e7 { noise.m.to_string() } else { format!("{:.3e}", noise.m) };
        let naive = match noise.infinite {
            1.0 => "\u{2013}".to_owned(),
            _ => format!("{:.3}", noise.naive),
        };
        vec![
            noise.d.to_string(),
            noise.k.to_string(),
            m,
            format!("{:.4}", noise.harmonic()),
            format!("{:.4}", noise.asymptotic()),
            format!("{:.4}", noise.mean.mean),
            format!("{:.4}", noise.mean.error),
            naive,
            format!("{:.1}%", 100.0 * noise.infinite),
        ]
    };
    Block::Table {
        caption: format!("Noise of the largest class ({DATA})."),
        header: row(&[
            "d",
            "k",
            "m = C(d-1, k-1)",
            "H_m",
            "ln m + 0.57722 + 1/(2m)",
            "simulated mean",
            "standard error",
            "as written, finite draws",
            "as written, infinite",
        ]),
        rows: noises.iter().map(line).collect(),
    }
}

fn noise_of_effect_sizes(noises: &[Noise]) -> Block {
    let largest = noises.iter().map(|noise| noise.z().abs()).fold(0.0, f64::max);
    Given {
        statement: "E[-ln(1 - U^(1/m))] is the m-th harmonic number.",
        source: &format!("{SOURCE}, theorem A.3"),
        paper: "H_m",
    }
    .against(
        format!("largest deviation of {} means: {largest:.1} standard errors", noises.len()),
        if largest <= 4.0 { Agreement::Matches } else { Agreement::DoesNotMatch },
        "Rule: every simulated mean within four standard errors.",
    )
}
