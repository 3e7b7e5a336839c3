//! Records as HTML pages: first the picks, below the verdict and whether the page may be released,
//! then the guarantee and how the picks were made.

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
    let selected = [banners(verdict(record), private, guarantee, &record.warnings)]
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
    let subject = "Protected: one unit of the data behind the scores, by the sensitivity stated.";
    let verdict = Block::Banner {
        level: Level::Note,
        words: "NO VERDICT".into(),
        text: sentence(findings::NO_VERDICT_ON_A_CHOICE),
    };
    let (private, guarantee) = (record.private, &record.guarantee);
    let privacy = privacy(private, false, subject.into(), guarantee);
    let banners = banners(verdict, private, guarantee, &record.warnings);
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

/// The facts on how picks were made, what was estimated and what was taken as public.
fn tables(all: &[Fact]) -> Vec<Block> {
    let parts = [
        (Part::How, "How"),
        (Part::Estimates, "Private estimates, paid for out of epsilon"),
        (Part::Public, "Taken as public"),
    ];
    let table = |(part, caption): (Part, &str)| {
        let of_part = all.iter().filter(|fact| fact.part == part);
        let rows: Vec<_> = of_part.map(|fact| row(&fact.name, fact.words.clone())).collect();
        (!rows.is_empty()).then(|| table_of(caption, rows))
    };
    parts.into_iter().filter_map(table).collect()
}

/// The banner of the verdict.
fn verdict(record: &Record) -> Block {
    let k = record.selected.len();
    let (level, words) = match record.verdict.beyond_chance {
        None => (Level::Note, "NO VERDICT".to_owned()),
        Some(beyond) if beyond > 0 && record.public.false_names.is_some() => {
            (Level::Good, format!("{beyond} BEYOND CHANCE"))
        }
        Some(0) => (Level::Warning, "NOTHING DISTINGUISHABLE FROM CHANCE".to_owned()),
        Some(beyond) => {
            let level = if beyond < k { Level::Note } else { Level::Good };
            (level, format!("{beyond} OF {k} BEYOND CHANCE"))
        }
    };
    Block::Banner { level, words, text: sentence(&record.verdict.text) }
}

/// The verdict, and beside it whether the page may be released.
fn banners(verdict: Block, private: bool, guarantee: &Guarantee, warnings: &[Warning]) -> Block {
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
    Block::Beside(vec![verdict, privacy])
}

/// The change of a table that is hidden.
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
    let stated = [row("epsilon", epsilon.to_string()), row("delta", delta.to_string())];
    let to_whom = [row("neighbors", relation(guarantee)), row("unit", unit.to_string())];
    blocks.push(table_of(caption, stated.into_iter().chain(pure).chain(to_whom).collect()));
    blocks.push(Block::Table {
        caption: spent_on.into(),
        header: vec!["for".into(), "epsilon".into()],
        rows: ledger,
    });
    blocks.push(Block::Parts { caption: "Shares of epsilon".into(), parts });
    blocks
}

/// The table of the selected features with what was released about them, and the figure of their
/// strengths.
fn selected_features(record: &Record) -> Vec<Block> {
    type Cell = fn(&Estimate) -> Option<String>;
    let parts: [(&str, Cell); 6] = [
        ("strength", findings::strength),
        ("90% interval", findings::interval),
        ("adjusted p", findings::p_value),
        ("beyond chance", |estimate| {
            estimate.beyond_chance.map(|beyond| if beyond { "yes" } else { "not told" }.to_owned())
        }),
        ("direction", |estimate| estimate.direction.map(|direction| direction.to_string())),
        ("error", findings::direction_error),
    ];
    // Without k each name is beyond chance.
    let is_told = |name: &str| name != "beyond chance" || record.public.false_names.is_none();
    let parts: Vec<(&str, Cell)> = parts
        .into_iter()
        .filter(|(name, cell)| is_told(name) && findings::has(record, cell))
        .collect();
    let members = findings::members(record);
    let what = if members.is_empty() { "feature" } else { "set" };
    let mut header = vec![what.to_owned(), line_of_features(record).to_owned()];
    header.extend(members.iter().map(|(name, _)| (*name).to_owned()));
    header.extend(parts.iter().map(|(name, _)| (*name).to_owned()));
    let rows = record.selected.iter().enumerate().map(|(i, picked)| {
        let mut row = vec![picked.name.clone(), picked.column.to_string()];
        row.extend(members.iter().map(|(_, cells)| cells[i].clone()));
        // Blanks that do not break keep the rows low on a narrow screen, where the table scrolls.
        let cell = |(_, cell): &(&str, Cell)| {
            let text = record.estimates.get(i).and_then(cell);
            text.map_or_else(|| "\u{2013}".to_owned(), |text| text.replace(' ', "\u{a0}"))
        };
        row.extend(parts.iter().map(cell));
        row
    });
    let caption = in_order(record.order).to_owned();
    let mut blocks = vec![Block::Table { caption, header, rows: rows.collect() }];
    if let Some(words) = &record.directions {
        let text = format!(
            "Direction: {words}. Error: about the probability of a direction as clear as this one if the other \
             one is right."
        );
        blocks.push(Block::Paragraph(text));
    }
    if findings::has(record, |estimate| estimate.strength) {
        blocks.push(strengths(record));
    }
    blocks
}

/// The figure of the strengths.
fn strengths(record: &Record) -> Block {
    let interval = |estimate: &Estimate| {
        let ends = [estimate.low?, estimate.high?];
        let interval = Interval::new(estimate.name.clone(), estimate.strength?, ends);
        Some(interval.filled(estimate.beyond_chance != Some(false)))
    };
    let chance = record.verdict.chance_level.map(|level| (level, "chance".to_owned()));
    let mut caption = format!(
        "Strength ({}), with its 90% interval{}.",
        findings::strength_in_words(record),
        findings::bound_in_words(record)
    );
    let can_be_hollow = record.public.false_names.is_none();
    if can_be_hollow && findings::has(record, |estimate| estimate.beyond_chance) {
        caption +=
            " Filled points are beyond chance, hollow points are not distinguishable from it.";
    }
    match findings::chance_in_words(record) {
        Some(words) if chance.as_ref().is_some_and(|(level, _)| *level > 1.0) => {
            caption += &format!(" There is no line for chance: {words}.");
        }
        Some(words) => caption += &format!(" Dashed line: {words}."),
        None => {}
    }
    let one = |estimate: &Estimate| {
        Some(format!(
            "{} {} ({})",
            estimate.name,
            findings::strength(estimate)?,
            findings::interval(estimate)?
        ))
    };
    let all: Vec<String> = record.estimates.iter().filter_map(one).collect();
    Block::Intervals {
        caption,
        label: format!("Strengths with 90% intervals: {}", all.join(", ")),
        intervals: record.estimates.iter().filter_map(interval).collect(),
        mark: chance,
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
    use crate::report::testing::{record, with_directions, with_strengths};

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
    fn without_estimates_there_is_no_verdict_and_no_figure() {
        let html = html_of(&record(NAMES));
        assert!(html.contains("<div class=\"banner note\">\n<p class=\"words\">NO VERDICT</p>"));
        assert!(html.contains("<p>No verdict: the share of the estimates is 0.</p>"));
        assert!(!html.contains("<svg") && !html.contains(">strength<"));
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
    fn strengths_are_in_the_table_and_in_the_figure() {
        let html = html_of(&with_strengths(NAMES));
        assert!(
            html.contains(
                "<div class=\"banner note\">\n<p class=\"words\">1 OF 2 BEYOND CHANCE</p>"
            )
        );
        let row = "<td>&lt;b&gt;</td><td class=\"number\">1</td><td class=\"number\">0.62</td>\
                   <td>0.52\u{a0}to\u{a0}0.72</td><td>at\u{a0}most\u{a0}0.0012</td><td>yes</td></tr>";
        assert!(html.contains(row), "{html}");
        assert!(!html.contains(">direction<"));
        // 12 + 336 * 0.45
        assert!(html.contains("<line class=\"mark\" x1=\"163.2\""), "{html}");
        assert_eq!(html.matches("class=\"hollow point\"").count(), 1);
        assert!(html.contains("Dashed line: beyond chance from 0.45 on"));
        let html = html_of(&with_directions(NAMES));
        assert!(html.contains("<td>rises</td><td class=\"number\">0.02</td></tr>"), "{html}");
        assert!(
            html.contains("Direction: whether the target rises or falls; words have none. Error:")
        );
    }

    #[test]
    fn a_level_beyond_the_axis_is_said_in_words() {
        let mut record = with_strengths(NAMES);
        record.verdict.chance_level = Some(1.2);
        record.verdict.beyond_chance = Some(0);
        let html = html_of(&record);
        assert!(html.contains(
            "<div class=\"banner warning\">\n<p class=\"words\">NOTHING DISTINGUISHABLE FROM CHANCE"
        ));
        assert!(!html.contains("class=\"mark\""));
        assert!(html.contains("no line for chance: not even a strength of 1 can be"));
    }
}
