//! Records as HTML pages: first the picks with their significance and whether the page may be
//! released, then the guarantee and the selection of the picks.

use super::facts::{self, Fact, Part};
use super::findings;
use super::page::{Block, Interval, Level, Notice, Page, Section};
use super::words::{
    features_or_sets, is_paper, line_of_features, meaning, protected, purpose, sentence,
};
use crate::choose::ChoiceRecord;
use crate::privacy::Neighbors;
use crate::release::{Estimate, Guarantee, PickOrder, Record, Warning};

/// The page of a selection, without the JSON record.
pub(super) fn page_of_selection(record: &Record) -> Page {
    let (k, features) = (record.selected.len(), record.public.features);
    let subject = protected(&record.score, &record.guarantee);
    let (private, guarantee) = (record.private, &record.guarantee);
    let subject = format!("Protected: {subject}.");
    let privacy = privacy(private, is_paper(&record.score), subject, guarantee);
    let what = features_or_sets(&record.score);
    let target = record.target.name.as_deref();
    let target = target.map_or(String::new(), |name| format!(" for \u{201c}{name}\u{201d}"));
    let others = |warning: &&Warning| private || !warning.kind.is_essential();
    let selected = [banners(significance(record), private, guarantee, &record.warnings)]
        .into_iter()
        .chain(warnings(record.warnings.iter().filter(others)))
        .chain(selected_features(record));
    Page {
        title: format!("{k} of {features} {what}{target}"),
        sections: vec![
            section("selected", &format!("Selected {what}"), selected.collect()),
            section("privacy", "Privacy", privacy),
            section("how", "How they were selected", tables(&facts::of_selection(record))),
        ],
        ..Page::default()
    }
}

/// The page of a choice, without the JSON record.
pub(super) fn page_of_choice(record: &ChoiceRecord) -> Page {
    let score = &record.score;
    let subject = "Protected: one unit of the data behind the scores, by the sensitivity given.";
    let significance = Block::Banner {
        level: Level::Note,
        words: "SIGNIFICANCE NOT TESTED".into(),
        text: sentence(findings::CHOICE_NOT_TESTED),
    };
    let (private, guarantee) = (record.private, &record.guarantee);
    let privacy = privacy(private, false, subject.into(), guarantee);
    let banners = banners(significance, private, guarantee, &record.warnings);
    let mut blocks = tables(&facts::of_choice(record));
    blocks.extend(warnings(&record.warnings));
    Page {
        title: format!("{} of {} candidates", score.k, score.candidates),
        sections: vec![
            section("selected", "Chosen", vec![banners, chosen(record)]),
            section("privacy", "Privacy", privacy),
            section("how", "How", blocks),
        ],
        ..Page::default()
    }
}

/// The tables of facts: selection, estimates and public information.
fn tables(all: &[Fact]) -> Vec<Block> {
    let parts = [
        (Part::How, "How"),
        (Part::Estimates, "Private estimates, part of the budget"),
        (Part::Public, "Taken as public"),
    ];
    let table = |(part, caption): (Part, &str)| {
        let of_part = all.iter().filter(|fact| fact.part == part);
        let rows: Vec<_> = of_part.map(|fact| row(&fact.name, fact.words.clone())).collect();
        (!rows.is_empty()).then(|| table_of(caption, rows))
    };
    parts.into_iter().filter_map(table).collect()
}

/// The banner on significance.
fn significance(record: &Record) -> Block {
    let k = record.selected.len();
    let (level, words) = match record.significance.significant {
        None => (Level::Note, "SIGNIFICANCE NOT TESTED".to_owned()),
        Some(beyond) if beyond > 0 && record.public.false_discoveries.is_some() => {
            (Level::Good, format!("{beyond} SIGNIFICANT"))
        }
        Some(0) => (Level::Warning, "NOTHING SIGNIFICANT".to_owned()),
        Some(beyond) => {
            let level = if beyond < k { Level::Note } else { Level::Good };
            (level, format!("{beyond} OF {k} SIGNIFICANT"))
        }
    };
    Block::Banner { level, words, text: sentence(&record.significance.text) }
}

/// The banners: significance, and whether the page may be released.
fn banners(
    significance: Block,
    private: bool,
    guarantee: &Guarantee,
    warnings: &[Warning],
) -> Block {
    let Guarantee { epsilon, delta, .. } = guarantee;
    let relation = relation(guarantee);
    let privacy = if private {
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
    Block::SideBySide(vec![significance, privacy])
}

/// The protected change of a table.
fn relation(Guarantee { neighbors, unit, .. }: &Guarantee) -> String {
    match neighbors {
        Neighbors::AddRemove => format!("adding or removing one {unit}"),
        Neighbors::ReplaceOne => format!("replacing one {unit} by another"),
    }
}

/// The blocks on privacy: meaning, guarantee and the parts of epsilon.
fn privacy(private: bool, is_nominal: bool, subject: String, guarantee: &Guarantee) -> Vec<Block> {
    let Guarantee { epsilon, delta, pure_epsilon, neighbors, unit, spent, .. } = guarantee;
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
    let mut blocks = Vec::new();
    if private {
        blocks.push(Block::Paragraph(meaning(total, delta, *neighbors, *unit, "this page")));
        blocks.push(Block::Paragraph(subject));
    }
    let pure = pure_epsilon.iter().map(|pure| row("epsilon at delta 0", pure.to_string()));
    let given = [row("epsilon", epsilon.to_string()), row("delta", delta.to_string())];
    let to_whom = [row("neighbors", relation(guarantee)), row("unit", unit.to_string())];
    blocks.push(table_of(caption, given.into_iter().chain(pure).chain(to_whom).collect()));
    blocks.push(Block::Table {
        caption: spent_on.into(),
        header: vec!["for".into(), "epsilon".into()],
        rows: ledger,
    });
    blocks.push(Block::Parts { caption: "Shares of epsilon".into(), parts });
    blocks
}

/// The table of the selected features with their released values, and the figure of their effect
/// sizes.
fn selected_features(record: &Record) -> Vec<Block> {
    type Cell = fn(&Estimate) -> Option<String>;
    let parts: [(&str, Cell); 6] = [
        ("effect size", findings::effect_size),
        ("90% interval", findings::interval),
        ("adjusted p", findings::p_value),
        ("significant", |estimate| {
            estimate
                .significant
                .map(|significant| if significant { "yes" } else { "no" }.to_owned())
        }),
        ("direction", |estimate| estimate.direction.map(|direction| direction.to_string())),
        ("error", findings::direction_error),
    ];
    // Without k, all names are significant.
    let is_shown = |name: &str| name != "significant" || record.public.false_discoveries.is_none();
    let parts: Vec<(&str, Cell)> = parts
        .into_iter()
        .filter(|(name, cell)| is_shown(name) && findings::has(record, cell))
        .collect();
    let members = findings::members(record);
    let what = if members.is_empty() { "feature" } else { "set" };
    let mut header = vec![what.to_owned(), line_of_features(record).to_owned()];
    header.extend(members.iter().map(|(name, _)| (*name).to_owned()));
    header.extend(parts.iter().map(|(name, _)| (*name).to_owned()));
    let rows = by_effect_size(record).into_iter().map(|i| {
        let picked = &record.selected[i];
        let mut row = vec![picked.name.clone(), picked.column.to_string()];
        row.extend(members.iter().map(|(_, cells)| cells[i].clone()));
        // Non-breaking spaces keep the rows low on a narrow screen, where the table scrolls.
        let cell = |(_, cell): &(&str, Cell)| {
            let text = record.estimates.get(i).and_then(cell);
            text.map_or_else(|| "\u{2013}".to_owned(), |text| text.replace(' ', "\u{a0}"))
        };
        row.extend(parts.iter().map(cell));
        row
    });
    let caption = match findings::has(record, |estimate| estimate.effect_size) {
        true => "Sorted by effect size.",
        false => in_order(record.order),
    };
    let mut blocks = vec![Block::Table { caption: caption.into(), header, rows: rows.collect() }];
    if let Some(words) = &record.directions {
        let text = format!(
            "Direction: {words}. Error: about the probability of a direction as clear as this one if the other \
             one is right."
        );
        blocks.push(Block::Paragraph(text));
    }
    if findings::has(record, |estimate| estimate.effect_size) {
        blocks.push(effect_sizes(record));
    }
    blocks
}

/// The places of the selected features, by descending effect size.
fn by_effect_size(record: &Record) -> Vec<usize> {
    let effect_size = |i: usize| record.estimates.get(i).and_then(|one| one.effect_size);
    let mut places: Vec<usize> = (0..record.selected.len()).collect();
    places.sort_by(|&a, &b| {
        let [a, b] = [a, b].map(|i| effect_size(i).unwrap_or(f64::NEG_INFINITY));
        b.total_cmp(&a)
    });
    places
}

/// The figure of the effect sizes.
fn effect_sizes(record: &Record) -> Block {
    let estimates: Vec<&Estimate> =
        by_effect_size(record).into_iter().filter_map(|i| record.estimates.get(i)).collect();
    let interval = |estimate: &&Estimate| {
        let ends = [estimate.low?, estimate.high?];
        let interval = Interval::new(estimate.name.clone(), estimate.effect_size?, ends);
        Some(interval.filled(estimate.significant != Some(false)))
    };
    let threshold = record.significance.threshold;
    let meaning = findings::effect_size_in_words(record);
    let bound = findings::bound_in_words(record);
    let caption = match threshold {
        None => format!("Effect size ({meaning}), with its 90% interval{bound}."),
        Some(level) if level > 1.0 => format!("Effect size ({meaning}){bound}."),
        Some(_) => format!(
            "Effect size ({meaning}){bound}. Features right of the dashed line are significant: its place allows for \
             the noise of the points."
        ),
    };
    let one = |estimate: &&Estimate| {
        let (effect_size, interval) =
            (findings::effect_size(estimate)?, findings::interval(estimate)?);
        let significant =
            findings::standing(estimate).map_or(String::new(), |word| format!(", {word}"));
        Some(format!("{} {effect_size} ({interval}){significant}", estimate.name))
    };
    let all: Vec<String> = estimates.iter().filter_map(one).collect();
    Block::Intervals {
        caption,
        label: format!("Effect sizes with 90% intervals: {}", all.join("; ")),
        intervals: estimates.iter().filter_map(interval).collect(),
        mark: threshold.zip(findings::threshold_in_words(record)),
    }
}

fn chosen(record: &ChoiceRecord) -> Block {
    let rows = record.selected.iter().map(|one| vec![one.name.clone(), one.row.to_string()]);
    Block::Table {
        caption: in_order(record.order).into(),
        header: vec!["candidate".into(), "row".into()],
        rows: rows.collect(),
    }
}

fn in_order(order: PickOrder) -> &'static str {
    match order {
        PickOrder::Pick => "In the order in which the mechanism released them.",
        PickOrder::File => {
            "In the order of the input, which does not reveal the order of the picks."
        }
    }
}

fn warnings<'a>(all: impl IntoIterator<Item = &'a Warning>) -> impl Iterator<Item = Block> {
    all.into_iter().map(|warning| {
        let level = if warning.kind.is_essential() { Level::Danger } else { Level::Warning };
        Block::Notice(Notice::new(level, warning.text.clone()))
    })
}

fn table_of(caption: &str, rows: Vec<Vec<String>>) -> Block {
    Block::Table { caption: caption.into(), header: Vec::new(), rows }
}

fn row(name: &str, value: String) -> Vec<String> {
    vec![name.to_owned(), value]
}

pub(super) fn section(id: &str, title: &str, blocks: Vec<Block>) -> Section {
    Section { id: id.into(), title: title.into(), blocks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunNote;
    use crate::markup::is_balanced;
    use crate::report::testing::{record, with_directions, with_effect_sizes};

    const NAMES: [&str; 2] = ["<b>", "dose"];

    fn html_of(record: &Record) -> String {
        let html = crate::report::to_html(record).unwrap();
        assert!(is_balanced(&html), "{html}");
        for fetch in ["http", "src=", "url(", "@import", "<link", "<script", "<b>"] {
            assert!(!html.contains(fetch), "{fetch}");
        }
        html
    }

    #[test]
    fn without_estimates_nothing_is_significant_and_no_figure_is_drawn() {
        let html = html_of(&record(NAMES));
        assert!(html.contains(
            "<div class=\"banner note\">\n<p class=\"words\">SIGNIFICANCE NOT TESTED</p>"
        ));
        assert!(
            html.contains("<p>Significance was not tested: the share of effect sizes is 0.</p>")
        );
        assert!(!html.contains("<svg") && !html.contains(">effect size<"));
    }

    #[test]
    fn the_day_and_the_request_are_rows() {
        let mut noted = record(NAMES);
        assert!(!html_of(&noted).contains(">request<"));
        noted.run = Some(RunNote::new("2026-11-22", "select --na '<b>'"));
        let html = html_of(&noted);
        assert!(html.contains("2026-11-22") && html.contains("select --na &#39;&lt;b&gt;&#39;"));
    }

    #[test]
    fn effect_sizes_are_in_the_table_and_in_the_figure() {
        let html = html_of(&with_effect_sizes(NAMES));
        assert!(
            html.contains("<div class=\"banner note\">\n<p class=\"words\">1 OF 2 SIGNIFICANT</p>")
        );
        let row = "<td>&lt;b&gt;</td><td class=\"number\">1</td><td class=\"number\">0.62</td>\
                   <td>0.52\u{a0}to\u{a0}0.72</td><td>at\u{a0}most\u{a0}0.0012</td><td>yes</td></tr>";
        assert!(html.contains(row), "{html}");
        assert!(!html.contains(">direction<"));
        // 172 + 270 * 0.45
        assert!(html.contains("<line class=\"mark\" x1=\"293.5\""), "{html}");
        assert_eq!(html.matches("class=\"hollow point\"").count(), 1);
        assert!(html.contains(">significant from 0.45 on</text>"));
        assert!(html.contains("Features right of the dashed line are significant"));
        let text = html.find(">dose</text>").unwrap();
        assert!(html.find(">&lt;b&gt;</text>").unwrap() < text, "the larger effect comes first");
        let html = html_of(&with_directions(NAMES));
        assert!(html.contains("<td>rises</td><td class=\"number\">0.02</td></tr>"), "{html}");
        assert!(html.contains(
            "Direction: whether the target rises or falls; categories have no direction. Error:"
        ));
    }

    #[test]
    fn a_threshold_beyond_the_axis_is_written_out() {
        let mut record = with_effect_sizes(NAMES);
        record.significance.threshold = Some(1.2);
        record.significance.significant = Some(0);
        let html = html_of(&record);
        assert!(
            html.contains("<div class=\"banner warning\">\n<p class=\"words\">NOTHING SIGNIFICANT")
        );
        assert!(!html.contains("class=\"mark\""));
        assert!(html.contains(">not even an effect size of 1 can be significant</text>"));
    }
}
