//! Pages written as HTML.

use std::fmt::Write;

use super::markup::escape;
use super::page::{Agreement, Block, Level, Notice, Page, Section};
use super::{curve, intervals};

const STYLE: &str = concat!(include_str!("page.css"), include_str!("figure.css"));

/// The number of colors of parts in the style.
const COLORS: usize = 5;

impl Agreement {
    fn level(self) -> Level {
        match self {
            Self::Matches => Level::Good,
            Self::DoesNotMatch => Level::Danger,
            Self::Partly => Level::Warning,
            Self::Undecided | Self::NotTested => Level::Note,
        }
    }
}

impl Level {
    fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Danger => "danger",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Good => "OK",
            Self::Note => "Note",
            Self::Warning => "Warning",
            Self::Danger => "Attention",
        }
    }
}

impl Page {
    /// The page as one HTML document.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        for text in &self.lead {
            let _ = writeln!(html, "<p class=\"lead\">{}</p>", escape(text));
        }
        for notice in &self.notices {
            self::notice(&mut html, notice);
        }
        if self.sections.len() > 5 {
            html.push_str("<nav aria-label=\"Contents\">\n<ol>\n");
            for Section { id, title, .. } in &self.sections {
                let _ =
                    writeln!(html, "<li><a href=\"#{}\">{}</a></li>", address(id), escape(title));
            }
            html.push_str("</ol>\n</nav>\n");
        }
        for Section { id, title, blocks } in &self.sections {
            let id = address(id);
            let _ = writeln!(html, "<section id=\"{id}\">\n<h2>{}</h2>", escape(title));
            for block in blocks {
                self::block(&mut html, block);
            }
            html.push_str("</section>\n");
        }
        html + "</main>\n</body>\n</html>\n"
    }
}

/// An id made safe as an anchor within the page.
fn address(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn notice(html: &mut String, Notice { level, text }: &Notice) {
    let (class, word, text) = (level.class(), level.word(), escape(text));
    let _ = writeln!(html, "<p class=\"notice {class}\"><strong>{word}:</strong> {text}</p>");
}

fn block(html: &mut String, block: &Block) {
    let _ = match block {
        Block::Paragraph(text) => writeln!(html, "<p>{}</p>", escape(text)),
        Block::Notice(notice) => {
            self::notice(html, notice);
            Ok(())
        }
        Block::Banner { level, words, text } => writeln!(
            html,
            "<div class=\"banner {}\">\n<p class=\"words\">{}</p>\n<p>{}</p>\n</div>",
            level.class(),
            escape(words),
            escape(text)
        ),
        Block::SideBySide(blocks) => {
            html.push_str("<div class=\"side-by-side\">\n");
            for block in blocks {
                self::block(html, block);
            }
            writeln!(html, "</div>")
        }
        Block::Table { caption, header, rows } => {
            table(html, caption, header, rows);
            Ok(())
        }
        Block::Figure { svg, caption, data_href } => {
            let data = data_href.as_ref().map(|href| {
                format!(" <a class=\"data\" href=\"{}\">The numbers</a>", escape(&href_of(href)))
            });
            let data = data.unwrap_or_default();
            writeln!(
                html,
                "<figure>\n{}{}</div>\n<figcaption>{}{data}</figcaption>\n</figure>",
                scroll("Figure", caption),
                svg.trim(),
                escape(caption)
            )
        }
        Block::Intervals { caption, label, intervals, axis } => {
            figure(html, &intervals::svg(label, intervals, axis), caption)
        }
        Block::Curve { caption, label, points, axes } => {
            figure(html, &curve::svg(label, points, axes), caption)
        }
        Block::Preformatted(text) => {
            writeln!(html, "<pre class=\"wrapped\">{}</pre>", escape(text))
        }
        Block::Parts { caption, parts } => {
            self::parts(html, caption, parts);
            Ok(())
        }
        Block::Comparison { statement, source, paper, ours, agreement, note } => {
            let (class, words) = (agreement.level().class(), agreement.words());
            let note = if note.trim().is_empty() {
                String::new()
            } else {
                format!("<p class=\"why\">{}</p>\n", escape(note))
            };
            writeln!(
                html,
                "<div class=\"comparison {class}\">\n<p class=\"agreement\">{words}</p>\n\
                 <blockquote><p>{}</p><p class=\"source\">{}</p></blockquote>\n\
                 <dl><dt>Given</dt><dd>{}</dd><dt>Here</dt><dd>{}</dd></dl>\n{note}</div>",
                escape(statement),
                escape(source),
                escape(paper),
                escape(ours)
            )
        }
        Block::Details { summary, text } => writeln!(
            html,
            "<details>\n<summary>{}</summary>\n<pre tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</pre>\n</details>",
            escape(summary),
            escape(summary),
            escape(text)
        ),
        Block::Download { label, file, media, text } => writeln!(
            html,
            "<p><a download=\"{}\" href=\"data:{};charset=utf-8,{}\">{}</a></p>",
            escape(file),
            escape(media),
            percent_encoded(text),
            escape(label)
        ),
    };
}

fn figure(html: &mut String, svg: &str, caption: &str) -> std::fmt::Result {
    let caption = escape(caption);
    writeln!(
        html,
        "<figure class=\"intervals\">\n{svg}<figcaption>{caption}</figcaption>\n</figure>"
    )
}

/// A relative address; absolute addresses and scripts are replaced by `#`.
fn href_of(href: &str) -> String {
    if href.contains(':') || href.starts_with("//") { "#".to_owned() } else { href.to_owned() }
}

/// The start of a container that scrolls sideways if the page is narrow. It must be focusable, or
/// else the keyboard cannot reach the hidden part.
fn scroll(kind: &str, name: &str) -> String {
    let name = name.trim();
    let label = if name.is_empty() { kind.to_owned() } else { format!("{kind}: {name}") };
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">",
        escape(&label)
    )
}

fn table(html: &mut String, caption: &str, header: &[String], rows: &[Vec<String>]) {
    // A `<caption>` element would wrap at the width of the table.
    html.push_str("<figure class=\"table\">\n");
    if !caption.trim().is_empty() {
        let _ = writeln!(html, "<figcaption>{}</figcaption>", escape(caption));
    }
    html.push_str(&match caption.trim() {
        "" => scroll("Table", &header.join(", ")),
        caption => scroll("Table", caption),
    });
    html.push_str("\n<table>\n");
    let columns = rows.iter().map(Vec::len).chain([header.len()]).max().unwrap_or(0);
    let class = |column: usize| if is_numeric(rows, column) { " class=\"number\"" } else { "" };
    let classes: Vec<&str> = (0..columns).map(class).collect();
    if !header.is_empty() {
        html.push_str("<thead><tr>");
        for (name, class) in header.iter().zip(&classes) {
            let _ = write!(html, "<th scope=\"col\"{class}>{}</th>", escape(name));
        }
        html.push_str("</tr></thead>\n");
    }
    html.push_str("<tbody>\n");
    for row in rows {
        html.push_str("<tr>");
        for (column, (cell, class)) in row.iter().zip(&classes).enumerate() {
            let cell = escape(cell);
            let _ = if column == 0 && header.is_empty() {
                write!(html, "<th scope=\"row\">{cell}</th>")
            } else {
                write!(html, "<td{class}>{cell}</td>")
            };
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n</div>\n</figure>\n");
}

/// Whether a column contains only numbers, and at least one.
fn is_numeric(rows: &[Vec<String>], column: usize) -> bool {
    let number = |text: &str| {
        let text = text.replace(['\u{2212}', ','], "-").replace('%', "");
        let parts = text.trim().split(['/', ' ', '±']).filter(|part| !part.is_empty());
        parts.map(|part| part.trim_start_matches('-').replace('-', "")).all(|part| {
            part.parse::<f64>().is_ok()
                && part.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        })
    };
    let cells =
        || rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.trim().is_empty());
    let filled = |cell: &&String| !matches!(cell.trim(), "-" | "–" | "—");
    cells().any(|cell| filled(&cell)) && cells().filter(filled).all(|cell| number(cell))
}

fn parts(html: &mut String, caption: &str, parts: &[(String, f64, String)]) {
    let _ =
        writeln!(html, "<figure class=\"parts\">\n<figcaption>{}</figcaption>", escape(caption));
    html.push_str("<div class=\"bar\" aria-hidden=\"true\">");
    for (i, (_, share, _)) in parts.iter().enumerate() {
        let percent = percent(*share);
        let _ =
            write!(html, "<span class=\"p{}\" style=\"width:{percent:.3}%\"></span>", i % COLORS);
    }
    html.push_str("</div>\n<ul>\n");
    for (i, (name, share, amount)) in parts.iter().enumerate() {
        let percent = percent(*share);
        let _ = writeln!(
            html,
            "<li><span class=\"key p{}\"></span>{}: {} ({percent:.0}%)</li>",
            i % COLORS,
            escape(name),
            escape(amount)
        );
    }
    html.push_str("</ul>\n</figure>\n");
}

fn percent(share: f64) -> f64 {
    if share.is_finite() { share.clamp(0.0, 1.0) * 100.0 } else { 0.0 }
}

/// Percent-encodes text as the body of a `data:` address.
fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len() * 2), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::is_balanced;
    use crate::report::page::Interval;
    use crate::report::page::{Axis, CurvePoint};

    const HOSTILE_TEXT: &str = "</title><script>alert(\"1\" & '2')</script>";

    fn hostile_text() -> String {
        HOSTILE_TEXT.to_owned()
    }

    fn section(id: &str, blocks: Vec<Block>) -> Section {
        Section { id: id.into(), title: hostile_text(), blocks }
    }

    fn everything() -> Page {
        let notice = Notice::new(Level::Danger, hostile_text());
        let rows = vec![vec![hostile_text(), "−0.50".into()], vec!["b".into(), "1/3".into()]];
        let blocks = vec![
            Block::Paragraph(hostile_text()),
            Block::Notice(notice.clone()),
            Block::SideBySide(vec![
                Block::Banner { level: Level::Good, words: hostile_text(), text: hostile_text() },
                Block::Banner { level: Level::Note, words: hostile_text(), text: hostile_text() },
            ]),
            Block::Intervals {
                caption: hostile_text(),
                label: hostile_text(),
                intervals: vec![
                    Interval::new(HOSTILE_TEXT, 0.5, [0.4, 0.6]),
                    Interval::new(HOSTILE_TEXT, f64::NAN, [-1.0, f64::INFINITY]).filled(false),
                ],
                axis: Axis::Share { name: hostile_text(), threshold: Some((0.3, hostile_text())) },
            },
            Block::Curve {
                caption: hostile_text(),
                label: hostile_text(),
                points: vec![CurvePoint { x: 1.0, y: f64::NAN, upper: 2.0 }],
                axes: [hostile_text(), hostile_text()],
            },
            Block::Preformatted(hostile_text()),
            Block::Table {
                caption: hostile_text(),
                header: vec![hostile_text(), hostile_text()],
                rows: rows.clone(),
            },
            Block::Table { caption: String::new(), header: Vec::new(), rows },
            Block::Figure {
                svg: "<svg><title>t</title></svg>".into(),
                caption: hostile_text(),
                data_href: Some(format!("a.csv{HOSTILE_TEXT}")),
            },
            Block::Parts {
                caption: hostile_text(),
                parts: vec![
                    (hostile_text(), 0.25, hostile_text()),
                    (hostile_text(), f64::NAN, hostile_text()),
                ],
            },
            Block::Comparison {
                statement: hostile_text(),
                source: hostile_text(),
                paper: hostile_text(),
                ours: hostile_text(),
                agreement: Agreement::DoesNotMatch,
                note: hostile_text(),
            },
            Block::Details { summary: hostile_text(), text: hostile_text() },
            Block::Download {
                label: hostile_text(),
                file: hostile_text(),
                media: hostile_text(),
                text: hostile_text(),
            },
        ];
        Page {
            title: hostile_text(),
            lead: vec![hostile_text()],
            notices: vec![notice],
            sections: vec![section(HOSTILE_TEXT, blocks)],
        }
    }

    #[test]
    fn hostile_text_is_escaped() {
        let html = everything().html();
        assert!(is_balanced(&html), "{html}");
        assert!(!html.contains("<script"), "{html}");
        assert!(html.contains("&lt;/title&gt;&lt;script&gt;"));
    }

    #[test]
    fn nothing_is_fetched() {
        let html = everything().html();
        for fetch in ["http", "src=", "url(", "@import", "<link"] {
            assert!(!html.contains(fetch), "{fetch}");
        }
        assert_eq!(href_of("javascript:alert(1)"), "#");
        assert_eq!(href_of("https://example.org"), "#");
        assert_eq!(href_of("fig2.csv"), "fig2.csv");
    }

    #[test]
    fn scrollable_regions_are_focusable_and_labeled() {
        let html = everything().html();
        let label = format!(
            " tabindex=\"0\" role=\"region\" aria-label=\"Table: {}\">",
            escape(HOSTILE_TEXT)
        );
        assert!(html.contains(&format!("<div class=\"scroll\"{label}")), "{html}");
        assert_eq!(html.matches("class=\"scroll\"").count(), 3);
        assert_eq!(
            html.matches("class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=").count(),
            3
        );
        // A table without a caption and a header.
        assert!(html.contains("role=\"region\" aria-label=\"Table\">"));
        assert!(html.contains("<pre tabindex=\"0\" role=\"region\" aria-label="));
    }

    #[test]
    fn significance_is_also_text() {
        let html = everything().html();
        assert!(html.contains("<p class=\"agreement\">does not match</p>"));
    }

    #[test]
    fn more_than_five_sections_have_contents() {
        let page = |n: usize| Page {
            sections: (0..n).map(|i| section(&format!("s {i}"), Vec::new())).collect(),
            ..Page::default()
        };
        assert!(!page(5).html().contains("<nav"));
        let html = page(6).html();
        assert!(html.contains("<a href=\"#s-3\">") && html.contains("<section id=\"s-3\">"));
        assert!(is_balanced(&html));
    }

    #[test]
    fn numeric_columns_are_recognized() {
        for (cells, expected) in [
            (&["1", "−0.5", "1/3"][..], true),
            (&["12,345", "0.3 ± 0.1", "50%", "–"], true),
            (&["", "–"], false),
            (&["1", "one"], false),
            (&["nan"], false),
            (&["inf"], false),
            (&["1e-6"], true),
            (&["gene_5"], false),
        ] {
            let rows: Vec<_> = cells.iter().map(|cell| vec![(*cell).to_owned()]).collect();
            assert_eq!(is_numeric(&rows, 0), expected, "{cells:?}");
        }
    }
}
