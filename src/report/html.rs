//! Selections and choices as HTML pages. The first printed page has the findings, their
//! interpretation and rules for publication; methods and details follow.

use super::facts::{self, Fact, Part};
use super::findings;
use super::front::{FIGURE, Front, row, table_of};
use super::methods;
use super::names::short_name;
use super::page::{Axis, Block, Heading, Interval, Level, Page, Section};
use super::words::{features_or_sets, line_of_features, sentence};
use crate::choose::ChoiceRecord;
use crate::release::{Direction, Estimate, PickOrder, Record, ScoreId};

/// The page of a selection, without the JSON record.
pub(super) fn page_of_selection(record: &Record, heading: &Heading) -> Page {
    let front = Front::of_selection(record);
    let (k, features) = (record.selected.len(), record.public.features);
    let what = features_or_sets(&record.score);
    let target = record.target.name.as_deref();
    let target = target.map_or(String::new(), |name| format!(" for \u{201c}{name}\u{201d}"));
    let mut found = front.top(significance(record));
    let order = by_effect_size(record);
    let shown = front.first(order.iter().map(|&i| record.selected[i].name.as_str()), 0);
    found.extend(first_features(record, &order[..shown.min(order.len())]));
    let mut details = tables(&facts::of_selection(record));
    details.push(front.parts());
    let sections = vec![
        Section::new("selected", format!("Selected {what}"), found),
        front.use_and_privacy(conclusions(record)),
        methods::section(&methods::of_selection(record)),
        Section::new("released", "All released values", all_features(record, shown < k)),
        Section::new("how", "How they were selected", details),
    ];
    let title = format!("{k} of {features} {what}{target}");
    front.page(heading, title, data(record), sections)
}

/// The size of the table, by public numbers and private estimates.
fn data(record: &Record) -> String {
    let units = record.guarantee.unit.plural();
    let rows = match (record.public.rows, record.released.rows_estimate) {
        (Some(rows), _) => format!(", {rows} {units}"),
        (None, Some(rows)) => format!(", about {rows} {units}"),
        (None, None) => String::new(),
    };
    format!("{} {}{rows}", record.public.features, features_or_sets(&record.score))
}

/// The conclusions that a selection allows.
fn conclusions(record: &Record) -> String {
    let what = if record.score.groups.is_some() { "set" } else { "feature" };
    let target = findings::target_in_words(record);
    let total = record.selected.len();
    let cutoff = match record.score.id {
        ScoreId::Ks => {
            " The cutoff or category at which a feature separates the rows is private and is not released."
        }
        _ => "",
    };
    let established = match record.significance.significant {
        None => format!(
            "These {what}s are likely to be among those with the largest scores; whether they are associated with \
             {target} was not tested."
        ),
        Some(0) => format!(
            "No association with {target} is established: the names may be due to chance and noise."
        ),
        Some(significant) => {
            let bound = record.public.false_discoveries.as_ref();
            let fwer = bound.map_or("0.05", |bound| &bound.fwer);
            let are = if significant == 1 { "is" } else { "are" };
            let plural = if significant == 1 { "" } else { "s" };
            let others = match total.saturating_sub(significant) {
                0 => String::new(),
                1 => " For the other one no association is established.".to_owned(),
                others => format!(" For the other {others} no association is established."),
            };
            format!(
                "{significant} {what}{plural} {are} associated with {target}: the probability that any of these statements \
                 is wrong is at most {fwer}, with all {} {what}s and the noise taken into account.{others}",
                record.public.features
            )
        }
    };
    let largest = largest_effect(record).unwrap_or_default();
    let directions = match findings::has(record, |estimate| estimate.direction) {
        true => " Directions have errors of their own, listed with all values.",
        false => "",
    };
    let effects = match findings::has(record, |estimate| estimate.effect_size) {
        true => {
            " Effect sizes describe this table; their intervals allow for the noise of privacy, not for sampling."
        }
        false => "",
    };
    format!("{established}{largest}{directions}{effects} An association is not a cause.{cutoff}")
}

/// The significant feature with the largest effect size, in words.
fn largest_effect(record: &Record) -> Option<String> {
    let estimate = record.estimates.get(*by_effect_size(record).first()?)?;
    let (effect_size, interval) = (findings::effect_size(estimate)?, findings::interval(estimate)?);
    let low = interval.split(' ').next()?;
    let direction = findings::direction(record, estimate);
    let direction = direction.filter(|_| estimate.direction != Some(Direction::Unclear));
    let is = direction.map_or(String::new(), |direction| format!(" {direction}"));
    let name = findings::short(&estimate.name, 60);
    (estimate.significant == Some(true)).then(|| {
        format!(" The largest released effect: {name}{is} (effect {effect_size}, at least {low}).")
    })
}

/// The page of a choice, without the JSON record.
pub(super) fn page_of_choice(record: &ChoiceRecord, heading: &Heading) -> Page {
    let (front, score) = (Front::of_choice(record), &record.score);
    let significance = Block::Banner {
        level: Level::Note,
        words: "SIGNIFICANCE NOT TESTED".into(),
        text: sentence(findings::CHOICE_NOT_TESTED),
    };
    let mut found = front.top(significance);
    found.push(chosen(record));
    let conclusions = "The chosen candidates are likely to be among those with the largest scores. The scores are not released.";
    let mut details = tables(&facts::of_choice(record));
    details.push(front.parts());
    let sections = vec![
        Section::new("selected", "Chosen", found),
        front.use_and_privacy(conclusions.to_owned()),
        methods::section(&methods::of_choice(record)),
        Section::new("how", "How", details),
    ];
    let title = format!("{} of {} candidates", record.selected.len(), score.candidates);
    front.page(heading, title, String::new(), sections)
}

/// The tables of facts: selection, estimates and public information.
pub(super) fn tables(all: &[Fact]) -> Vec<Block> {
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
        Some(significant) if significant > 0 && record.public.false_discoveries.is_some() => {
            (Level::Good, format!("{significant} SIGNIFICANT"))
        }
        Some(0) => (Level::Warning, "NOTHING SIGNIFICANT".to_owned()),
        Some(significant) => {
            let level = if significant < k { Level::Note } else { Level::Good };
            (level, format!("{significant} OF {k} SIGNIFICANT"))
        }
    };
    Block::Banner { level, words, text: sentence(&record.significance.text) }
}

type Cell = fn(&Record, &Estimate) -> Option<String>;

/// The columns of released values on the first page.
const COLUMNS: [(&str, Cell); 5] = [
    ("direction", findings::direction),
    ("effect size", |_, estimate| findings::effect_size(estimate)),
    ("90% interval", |_, estimate| findings::interval(estimate)),
    ("adjusted p", |_, estimate| {
        findings::p_value(estimate).map(|p| p.replace("at most", "\u{2264}"))
    }),
    ("significant", |_, estimate| {
        let significant = estimate.significant?;
        Some(if significant { "yes" } else { "no" }.to_owned())
    }),
];

/// The first features in a table next to the figure of their effect sizes.
fn first_features(record: &Record, first: &[usize]) -> Vec<Block> {
    let table = table_of_features(record, first, short_name, &COLUMNS, &[]);
    match findings::has(record, |estimate| estimate.effect_size) {
        true => vec![Block::SideBySide(vec![table, effect_sizes(record, first)])],
        false => vec![table],
    }
}

/// The caption of a table that may show only the first of all features.
pub(super) fn part_of(shown: usize, all: usize, caption: &str) -> String {
    match shown < all {
        true => format!("The first {shown} of {all}. {caption}"),
        false => caption.to_owned(),
    }
}

/// All features with their places in the file, and their figures, if the first page does not show
/// all of them.
pub(super) fn all_features(record: &Record, with_figures: bool) -> Vec<Block> {
    let order = by_effect_size(record);
    let error: (&str, Cell) = ("error", |_, estimate| findings::direction_error(estimate));
    let columns: Vec<(&str, Cell)> = COLUMNS.into_iter().chain([error]).collect();
    let places = record.selected.iter().map(|picked| picked.column.to_string());
    let mut places = vec![(line_of_features(record), places.collect())];
    places.extend(findings::members(record));
    let mut blocks = vec![table_of_features(record, &order, str::to_owned, &columns, &places)];
    if record.directions.is_some() {
        blocks.push(Block::Paragraph(format!(
            "Direction: {}. Error: about the probability of a direction as clear as this one if the other one is right.",
            findings::DIRECTION
        )));
    }
    if with_figures && findings::has(record, |estimate| estimate.effect_size) {
        blocks.extend(order.chunks(FIGURE).map(|part| effect_sizes(record, part)));
    }
    blocks
}

/// A table of the features at these places, with the columns that were released; `name_of` makes a
/// name of a feature fit.
fn table_of_features(
    record: &Record,
    order: &[usize],
    name_of: fn(&str) -> String,
    columns: &[(&str, Cell)],
    places: &[(&str, Vec<String>)],
) -> Block {
    let is_shown = |name: &str| name != "significant" || record.public.false_discoveries.is_none();
    let released = |cell: Cell| record.estimates.iter().any(|one| cell(record, one).is_some());
    let columns: Vec<&(&str, Cell)> =
        columns.iter().filter(|(name, cell)| is_shown(name) && released(*cell)).collect();
    let what = if record.score.groups.is_some() { "set" } else { "feature" };
    let names = places.iter().map(|(name, _)| *name).chain(columns.iter().map(|(name, _)| *name));
    let header = std::iter::once(what).chain(names).map(str::to_owned).collect();
    let rows = order.iter().map(|&i| {
        let mut row = vec![name_of(&record.selected[i].name)];
        row.extend(places.iter().map(|(_, cells)| cells.get(i).cloned().unwrap_or_default()));
        // Non-breaking spaces keep the rows low on a narrow screen, where the table scrolls.
        let cell = |(_, cell): &&(&str, Cell)| {
            let text = record.estimates.get(i).and_then(|estimate| cell(record, estimate));
            text.map_or_else(|| "\u{2013}".to_owned(), |text| text.replace(' ', "\u{a0}"))
        };
        row.extend(columns.iter().map(cell));
        row
    });
    let sorted = match findings::has(record, |estimate| estimate.effect_size) {
        true => "Sorted by effect size.",
        false => in_order(record.order),
    };
    let caption = part_of(order.len(), record.selected.len(), sorted);
    Block::Table { caption, header, rows: rows.collect() }
}

/// The places of the selected features: significant ones first, then by descending effect size.
pub(super) fn by_effect_size(record: &Record) -> Vec<usize> {
    let key = |i: usize| {
        let estimate = record.estimates.get(i);
        let effect_size = estimate.and_then(|one| one.effect_size);
        let significant = estimate.is_some_and(|one| one.significant == Some(true));
        (significant, effect_size.unwrap_or(f64::NEG_INFINITY))
    };
    let mut places: Vec<usize> = (0..record.selected.len()).collect();
    places.sort_by(|&a, &b| {
        let [(a, a_size), (b, b_size)] = [a, b].map(key);
        b.cmp(&a).then(b_size.total_cmp(&a_size))
    });
    places
}

/// The figure of the effect sizes of the features at these places.
pub(super) fn effect_sizes(record: &Record, places: &[usize]) -> Block {
    let estimates: Vec<&Estimate> =
        places.iter().filter_map(|&i| record.estimates.get(i)).collect();
    let interval = |estimate: &&Estimate| {
        let ends = [estimate.low?, estimate.high?];
        let interval = Interval::new(estimate.name.clone(), estimate.effect_size?, ends);
        Some(interval.filled(estimate.significant != Some(false)))
    };
    let threshold = record.significance.threshold;
    let meaning = findings::effect_size_in_words(record);
    let bound = findings::bound_in_words(record);
    let caption = match threshold {
        None => {
            let differ = match findings::threshold_in_words(record) {
                Some(words) => format!(" Filled points are significant; {words}."),
                None => String::new(),
            };
            format!("Effect size ({meaning}), with its 90% interval{bound}.{differ}")
        }
        Some(level) if level > 1.0 => format!("Effect size ({meaning}){bound}."),
        Some(_) => format!(
            "Effect size ({meaning}){bound}. Features right of the dashed line are significant: the line allows for \
             the noise of privacy."
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
        axis: Axis::Share {
            name: meaning.trim_end_matches(", 0 to 1").to_owned(),
            threshold: threshold.zip(findings::threshold_in_words(record)),
        },
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
#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunNote;
    use crate::markup::is_balanced;
    use crate::release::{Picked, Warning, WarningKind};
    use crate::report::testing::{estimate, record, with_directions, with_effect_sizes};

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
        let values = "<td class=\"number\">0.62</td><td>0.52\u{a0}to\u{a0}0.72</td><td>\u{2264}\u{a0}0.0012</td><td>yes</td></tr>";
        for place in ["", "<td class=\"number\">1</td>"] {
            assert!(html.contains(&format!("<td>&lt;b&gt;</td>{place}{values}")), "{html}");
        }
        assert!(!html.contains(">direction<"));
        // 58 + 384 * 0.45
        assert!(html.contains("<line class=\"mark\" x1=\"230.8\""), "{html}");
        assert_eq!(html.matches("class=\"hollow point\"").count(), 1);
        assert!(html.contains(">significant from 0.45 on</text>"));
        assert!(html.contains("Features right of the dashed line are significant"));
        let text = html.find(">dose</text>").unwrap();
        assert!(html.find(">&lt;b&gt;</text>").unwrap() < text, "the larger effect comes first");
        assert!(html.contains("&lt;b&gt; (effect 0.62, at least 0.52)"), "{html}");
        let mut directed = with_directions(NAMES);
        directed.score.classes = Some(vec!["control".to_owned(), "case".to_owned()]);
        let html = html_of(&directed);
        assert!(html.contains("<td>higher\u{a0}in\u{a0}case</td>"), "{html}");
        assert!(html.contains("higher in case (effect 0.62, at least 0.52)"), "{html}");
    }

    /// A page for print begins with ten features; all are in the table and the figures of the other
    /// pages, at most 60 in a figure.
    #[test]
    fn many_features_are_split() {
        let mut record = with_effect_sizes(NAMES);
        let picked = record.selected[0].clone();
        let names: Vec<String> = (0..70).map(|i| format!("gene_{i:02}")).collect();
        record.estimates = names.iter().map(|name| estimate(name, 0.5, 0.01)).collect();
        record.selected =
            names.iter().map(|name| Picked { name: name.clone(), ..picked.clone() }).collect();
        record.significance.significant = Some(70);
        let html = html_of(&record);
        assert!(html.contains("The first 10 of 70. Sorted by effect size."));
        let figures: Vec<usize> =
            html.split("<svg ").skip(1).map(|svg| svg.matches("<g>").count()).collect();
        assert_eq!(figures, [10, 60, 10]);
        assert_eq!(crate::report::to_svg(&record).len(), 2);
    }

    /// A saved record may be edited.
    #[test]
    fn sets_without_members_are_shown() {
        let mut record = with_effect_sizes(NAMES);
        record.selected[0].members =
            serde_json::from_str("{\"present\": 3, \"missing\": []}").unwrap();
        assert!(html_of(&record).contains(">members<"));
    }

    #[test]
    fn the_heading_is_given_or_made_from_the_record() {
        let record = with_effect_sizes(NAMES);
        assert!(html_of(&record).contains("<h1>2 of 2 features for \u{201c}y\u{201d}</h1>"));
        let heading = Heading {
            title: "A & B".to_owned(),
            study: "the pilot".to_owned(),
            contact: "A. Lovelace".to_owned(),
        };
        let html = crate::report::to_html_with(&record, &heading).unwrap();
        assert!(html.contains("<h1>A &amp; B</h1>"), "{html}");
        assert!(html.contains("<p class=\"lead\">the pilot \u{b7} 2 features"), "{html}");
        assert!(html.contains("Contact: A. Lovelace</p>"), "{html}");
    }

    /// Whether anything may be published depends on the guarantee alone.
    #[test]
    fn results_that_are_not_private_may_not_be_published() {
        let mut record = with_effect_sizes(NAMES);
        assert!(html_of(&record).contains("This page and the record at its end."));
        record.private = false;
        record.warnings = vec![Warning::new(WarningKind::Seeded, "seeded: not for release")];
        let html = html_of(&record);
        assert!(html.contains("Nothing on this page: it is not private."));
        assert!(!html.contains("What privacy means") && html.contains("Seeded: not for release."));
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
