//! Figures 6 and 7 of the DP-SIS paper: DP-SIS minus the two-stage method by set and epsilon.

use dpsis::Result;
use dpsis::report::{Agreement, Block, Section};
use dpsis_eval::internals::short;
use dpsis_eval::{ArmScale, Count, Estimate};

use crate::experiments::accuracy::{
    EPSILONS, SIGNIFICANT, SOURCE, cells, pairs, section, write_cells,
};
use crate::experiments::experiment::Experiment;
use crate::experiments::parts;
use crate::experiments::sets::Sets;
use dpsis_eval::figure::HeatMap;

pub(super) fn fig6(experiment: &Experiment<'_>) -> Result<Section> {
    heat(experiment, "fig6", Count::Number(5))
}

pub(super) fn fig7(experiment: &Experiment<'_>) -> Result<Section> {
    heat(experiment, "fig7", Count::Log)
}

/// The section for a number of features: DP-SIS minus two-stage on all sets.
fn heat(experiment: &Experiment<'_>, figure: &str, count: Count) -> Result<Section> {
    let sets = Sets::all(experiment)?;
    let scale = ArmScale::Paper;
    let methods = ["dp-sis", "two-stage"];
    let cells =
        cells(experiment, &sets.studies(), &[count], std::slice::from_ref(&scale), &methods)?;
    let names: Vec<String> = sets.present.iter().map(|set| set.name.clone()).collect();
    let by_set: Vec<Vec<(f64, Estimate, Estimate)>> =
        names.iter().map(|set| pairs(&cells, set, &count.to_string(), &scale)).collect();
    let tests = by_set.iter().map(Vec::len).sum::<usize>();
    let all = |beyond: &dyn Fn(f64) -> bool| -> Vec<String> {
        let set = |(name, row): (&String, &Vec<(f64, Estimate, Estimate)>)| {
            let cells = row.iter().filter(|(_, sis, two)| beyond(sis.z(two)));
            let cells: Vec<String> = cells
                .map(|(epsilon, sis, two)| {
                    format!("{name} at {epsilon} ({} against {})", short(sis.mean), short(two.mean))
                })
                .collect();
            cells
        };
        names.iter().zip(&by_set).flat_map(set).collect()
    };
    let strict = strict_threshold(tests);
    let (worse, strictly_worse) = (all(&|z| z < -SIGNIFICANT), all(&|z| z < -strict));
    let (better, strictly_better) = (all(&|z| z > SIGNIFICANT), all(&|z| z > strict));
    let agreement = match (strictly_worse.len(), worse.len()) {
        _ if tests == 0 => Agreement::NotTested,
        (0, 0) => Agreement::Matches,
        (0, _) => Agreement::Partly,
        _ => Agreement::DoesNotMatch,
    };
    let list = |cells: &[String]| match cells.is_empty() {
        true => "nowhere".to_owned(),
        false => cells.join("; "),
    };
    let unmoved: Vec<String> = names
        .iter()
        .zip(&by_set)
        .filter(|(_, row)| row.iter().all(|(_, sis, two)| sis.z(two).abs() <= SIGNIFICANT))
        .map(|(name, _)| name.clone())
        .collect();
    let claimed = ["alon", "borovecki"];
    let here = claimed.iter().filter(|set| names.iter().any(|name| name == *set)).count();
    let agree = claimed.iter().filter(|set| unmoved.iter().any(|name| name == *set)).count();
    let unmoved_significance = match (here, agree) {
        (0, _) => Agreement::NotTested,
        // Where no set shows a difference, these two are not special.
        _ if unmoved.len() == names.len() => Agreement::Undecided,
        (here, agree) if here == agree => Agreement::Matches,
        (_, 0) => Agreement::DoesNotMatch,
        _ => Agreement::Partly,
    };
    let k = if count == Count::Log { "⌊log d⌋" } else { "5" };
    let mut blocks = vec![Block::Comparison {
        statement: "On no dataset and ε value does two-stage significantly outperform DP-SIS, but DP-SIS \
                    significantly outperforms two-stage on ranges of ε values typically greater than 1.0."
            .to_owned(),
        source: SOURCE.to_owned(),
        paper: "a heat map".to_owned(),
        ours: format!(
            "{tests} cells: DP-SIS ahead in {} ({} strictly), behind in {} ({} strictly)",
            better.len(),
            strictly_better.len(),
            worse.len(),
            strictly_worse.len()
        ),
        agreement,
        note: format!(
            "Significant: 5%, two-sided, one cell by itself (z of {SIGNIFICANT}; some cells pass by chance); \
             strictly: 5% for all cells together (z of {strict:.2}, Bonferroni). A match: behind nowhere; \
             partly: behind, but nowhere strictly. Behind: {}. Strictly behind: {}.",
            list(&worse),
            list(&strictly_worse)
        ),
    }];
    blocks.push(Block::Comparison {
        statement:
            "Some datasets like Alon and Borovecki do not show a difference between DP-SIS and \
                    two-stage for any ε value."
                .to_owned(),
        source: SOURCE.to_owned(),
        paper: "alon, borovecki".to_owned(),
        ours: format!(
            "no significant difference at any epsilon: {}",
            match unmoved.is_empty() {
                true => "no set".to_owned(),
                false => unmoved.join(", "),
            }
        ),
        agreement: unmoved_significance,
        note: "By cell, 5%, two-sided.".to_owned(),
    });
    let map = HeatMap {
        title: format!("Accuracy of DP-SIS minus two-stage, k = {k}"),
        x_label: "total epsilon".to_owned(),
        columns: EPSILONS.map(str::to_owned).into(),
        rows: names,
        values: by_set
            .iter()
            .map(|row| row.iter().map(|(_, sis, two)| Some(sis.mean - two.mean)).collect())
            .collect(),
        marked: by_set
            .iter()
            .map(|row| row.iter().map(|(_, sis, two)| sis.z(two).abs() > SIGNIFICANT).collect())
            .collect(),
        mark_label: "significant by itself (5%, two-sided)".to_owned(),
        scale_label: "difference in accuracy".to_owned(),
        diverging: true,
    };
    write_cells(experiment, figure, &cells, |_| true)?;
    let caption = format!(
        "Share of the LASSO's top k that DP-SIS finds minus the share that two-stage finds, k = {k}."
    );
    let data = format!("{figure}.csv");
    blocks.push(parts::figure(experiment, figure, map.svg()?, &caption, &data)?);
    blocks.extend(sets.skipped());
    Ok(section(figure, &format!("DP-SIS minus two-stage, k = {k}"), blocks))
}

/// The normal quantile for a two-sided test at 5% for all cells together (Bonferroni).
fn strict_threshold(tests: usize) -> f64 {
    let tail = 0.025 / tests.max(1) as f64;
    // The upper tail of the normal distribution is erfc(z/sqrt 2)/2, which decreases in z:
    // bisection.
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        let beyond = 0.5 * libm::erfc(middle / std::f64::consts::SQRT_2);
        if beyond > tail { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_normal_quantiles() {
        assert!((strict_threshold(1) - 1.959_964).abs() < 1e-6);
        // scipy.stats.norm.isf(0.025 / 165)
        assert!((strict_threshold(165) - 3.612_696).abs() < 1e-5, "{}", strict_threshold(165));
    }
}
