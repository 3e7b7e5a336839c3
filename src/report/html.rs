//! Records as HTML pages: first the privacy guarantee, then the picks and how they were made.

use super::page::{Block, Level, Notice, Page, Section};
use super::words::{chosen_by, is_paper, line_of_features, protected, purpose, scored, target};
use crate::choose::ChoiceRecord;
use crate::privacy::Neighbors;
use crate::select::{
    Command, Guarantee, MechanismUsed, PickOrder, RandomnessUsed, Record, ScoreId, ScoreUsed, Unit,
    Warning,
};

/// The page of a selection, without the JSON record.
pub(super) fn page_of_selection(record: &Record) -> Page {
    let (k, features) = (record.public.k, record.public.features);
    let subject = protected(&record.score, &record.guarantee);
    let privacy = privacy(
        record.private,
        is_paper(&record.score),
        format!("Protected: {subject}."),
        &record.guarantee,
        &record.warnings,
    );
    let (score, released) = (&record.score, &record.released);
    let mut how = vec![
        row("mechanism", mechanism(&record.mechanism, record.order)),
        row("score", score_of(score)),
        row("scored", scored(score)),
        row("missing values", score.missing.to_string()),
        row("target", target(&record.target, record)),
        row("target's center", score.center.to_string()),
    ];
    if let Some(sensitivity) = score.sensitivity {
        let unit = record.guarantee.unit;
        how.insert(
            2,
            row("sensitivity", format!("one {unit} moves a score by at most {sensitivity} units")),
        );
    }
    how.extend(randomness(&record.randomness, record.command, &record.version));

    let mut estimates = Vec::new();
    if let Some(center) = &released.center {
        let numbers: Vec<String> = center.iter().map(f64::to_string).collect();
        estimates.push(row("target's center", numbers.join(", ")));
    }
    if let Some(median) = released.target_median {
        estimates.push(row("target's median", median.to_string()));
    }
    if let Some(rows) = released.rows_estimate {
        estimates.push(row("rows with a target", format!("about {rows}")));
    }
    let mut public = vec![row("features", features.to_string()), row("asked for", k.to_string())];
    if let Some(rows) = record.public.rows {
        public.push(row("rows", rows.to_string()));
    }
    if let Some(column) = record.public.id_column {
        public.push(row("ids, left out", format!("column {column}")));
    }
    if let Some(hash) = &record.public.schema_sha256 {
        public.push(row("schema file, SHA-256", hash.clone()));
    }

    let mut blocks = vec![facts("How", how)];
    if !estimates.is_empty() {
        blocks.push(facts("Private estimates, paid for out of epsilon", estimates));
    }
    blocks.push(facts("Taken as public", public));
    blocks.extend(warnings(&record.warnings));
    Page {
        title: format!("{k} of {features} features"),
        sections: vec![
            section("privacy", "Privacy", privacy),
            section(
                "selected",
                "Selected features",
                selected(
                    record.selected.iter().map(|picked| (picked.name.as_str(), picked.column)),
                    record.order,
                    ["feature", line_of_features(record)],
                ),
            ),
            section("how", "How they were selected", blocks),
        ],
        ..Page::default()
    }
}

/// The page of a choice, without the JSON record.
pub(super) fn page_of_choice(record: &ChoiceRecord) -> Page {
    let score = &record.score;
    let whose = if score.own_sensitivities { "each its own, at most " } else { "" };
    let subject = "Protected: one unit of the data behind the scores, by the sensitivity stated.";
    let privacy =
        privacy(record.private, false, subject.into(), &record.guarantee, &record.warnings);
    let mut how = vec![
        row("mechanism", mechanism(&record.mechanism, record.order)),
        row("sensitivity", format!("{whose}{}", score.sensitivity)),
        row("one unit moves all scores in one direction", yes(score.monotonic)),
        row("candidates", score.candidates.to_string()),
        row("asked for", score.k.to_string()),
    ];
    how.extend(randomness(&record.randomness, record.command, &record.version));
    let mut blocks = vec![facts("", how)];
    blocks.extend(warnings(&record.warnings));
    Page {
        title: format!("{} of {} candidates", score.k, score.candidates),
        sections: vec![
            section("privacy", "Privacy", privacy),
            section(
                "selected",
                "Chosen",
                selected(
                    record.selected.iter().map(|chosen| (chosen.name.as_str(), chosen.row)),
                    record.order,
                    ["candidate", "row"],
                ),
            ),
            section("how", "How", blocks),
        ],
        ..Page::default()
    }
}

fn mechanism(used: &MechanismUsed, order: PickOrder) -> String {
    chosen_by(used, order).trim_start_matches("the mechanism ").to_owned()
}

fn score_of(score: &ScoreUsed) -> String {
    let (id, grid) = (score.id, score.grid);
    match id {
        ScoreId::Kendall | ScoreId::DpKendall => format!("{id}, in units of 1/{grid}"),
        ScoreId::Votes => "votes of blocks".to_owned(),
        _ => format!("{id}, of values as whole numbers from -{grid} to {grid}"),
    }
}

/// The blocks on privacy: banner, meaning, guarantee and the parts of epsilon.
fn privacy(
    private: bool,
    is_nominal: bool,
    subject: String,
    guarantee: &Guarantee,
    warnings: &[Warning],
) -> Vec<Block> {
    let Guarantee { epsilon, delta, neighbors, unit, spent } = guarantee;
    let relation = match neighbors {
        Neighbors::AddRemove => format!("adding or removing one {unit}"),
        Neighbors::ReplaceOne => format!("replacing one {unit} by another"),
    };
    let banner = if private {
        Block::Banner {
            level: Level::Good,
            words: "PRIVATE".into(),
            text: format!("Epsilon {epsilon}, delta {delta}, for {relation}."),
        }
    } else {
        let reasons = warnings.iter().filter(|warning| warning.kind.is_essential());
        let reasons: Vec<&str> = reasons.map(|warning| warning.text.as_str()).collect();
        Block::Banner {
            level: Level::Danger,
            words: "NOT PRIVATE".into(),
            text: format!("Not for release. {}.", reasons.join("; ")),
        }
    };
    let total = epsilon.to_f64();
    let parts = spent.iter().map(|part| {
        let share = part.epsilon.to_f64() / total;
        (purpose(part.purpose).to_owned(), share, part.epsilon.to_string())
    });
    let parts: Vec<_> = parts.collect();
    let ledger = parts.iter().map(|(name, _, amount)| vec![name.clone(), amount.clone()]);
    let ledger = ledger.chain([vec!["total".to_owned(), epsilon.to_string()]]).collect();
    let (caption, spent_on) = match (private, is_nominal) {
        (true, _) => ("Guarantee", "How epsilon was spent"),
        (false, false) => ("Guarantee of a run without a seed", "How epsilon was split"),
        (false, true) => ("Nominal only", "How the nominal epsilon was split"),
    };
    let mut blocks = vec![banner];
    if private {
        blocks.push(Block::Paragraph(meaning(total, *neighbors, *unit)));
        blocks.push(Block::Paragraph(subject));
    }
    blocks.push(facts(
        caption,
        vec![
            row("epsilon", epsilon.to_string()),
            row("delta", delta.clone()),
            row("neighbors", relation),
            row("unit", unit.to_string()),
        ],
    ));
    blocks.push(Block::Table {
        caption: spent_on.into(),
        header: vec!["for".into(), "epsilon".into()],
        rows: ledger,
    });
    blocks.push(Block::Parts { caption: "Shares of epsilon".into(), parts });
    blocks
}

/// The meaning of epsilon for one person, with all bounds rounded up.
fn meaning(epsilon: f64, neighbors: Neighbors, unit: Unit) -> String {
    let guess = match neighbors {
        Neighbors::AddRemove => format!("whether one {unit} is in the data"),
        Neighbors::ReplaceOne => format!("which of two given values one {unit} has"),
    };
    // 1 / (1 + e^-epsilon), in tenths of a percent.
    let tenths = (1000.0 / (1.0 + libm::exp(-epsilon)) + 1e-9).ceil();
    let limit = if tenths < 1000.0 {
        let factor = (libm::exp(epsilon) * 100.0 + 1e-9).ceil() / 100.0;
        format!(
            "at most {:.1}% (the odds change by a factor of at most e^epsilon, here {factor:.2})",
            tenths / 10.0
        )
    } else {
        "nearly 100%: an epsilon as large as this hardly limits it".to_owned()
    };
    format!(
        "Someone who knows everything else and gives even odds on {guess} can, after reading this page, \
         be right with a probability of {limit}. What the data show about people in general is not \
         hidden, and the epsilons of further releases from the same data add up."
    )
}

fn selected<'a>(
    picked: impl Iterator<Item = (&'a str, usize)>,
    order: PickOrder,
    header: [&str; 2],
) -> Vec<Block> {
    let order = match order {
        PickOrder::Pick => "In the order in which the mechanism released them.",
        PickOrder::File => {
            "In the order of the input, which does not reveal the order of the picks."
        }
    };
    let rows = picked.map(|(name, place)| vec![name.to_owned(), place.to_string()]);
    vec![Block::Table {
        caption: order.into(),
        header: header.map(str::to_owned).into(),
        rows: rows.collect(),
    }]
}

fn randomness(used: &RandomnessUsed, command: Command, version: &str) -> [Vec<String>; 3] {
    [
        row("randomness", used.source.to_string()),
        row("seeded", yes(used.seeded)),
        row("made by", format!("dpsis {command} {version}")),
    ]
}

fn warnings(warnings: &[Warning]) -> impl Iterator<Item = Block> {
    warnings.iter().map(|warning| {
        let level = if warning.kind.is_essential() { Level::Danger } else { Level::Warning };
        Block::Notice(Notice::new(level, warning.text.clone()))
    })
}

fn facts(caption: &str, rows: Vec<Vec<String>>) -> Block {
    Block::Table { caption: caption.into(), header: Vec::new(), rows }
}

fn row(name: &str, value: String) -> Vec<String> {
    vec![name.to_owned(), value]
}

fn yes(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.to_owned()
}

pub(super) fn section(id: &str, title: &str, blocks: Vec<Block>) -> Section {
    Section { id: id.into(), title: title.into(), blocks }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Probabilities and factors are rounded up.
    #[test]
    fn an_epsilon_in_words() {
        let words = |epsilon| meaning(epsilon, Neighbors::AddRemove, Unit::Row);
        assert!(words(2.0).contains("at most 88.1% (the odds"), "{}", words(2.0));
        assert!(words(2.0).contains("here 7.39)"), "{}", words(2.0));
        assert!(words(1e-6).contains("at most 50.1%"));
        assert!(words(1e6).contains("hardly limits"));
    }
}
