//! HTML pages in one file: without network access or scripts, in light or dark mode by the reader's
//! preference, for wide and narrow screens and for print.

/// A page. All texts are escaped; only figures are inserted as markup.
///
/// ```
/// use dpsis::report::{Block, Page, Section};
///
/// let first = Section::new("first", "First", vec![Block::Paragraph("0.1 < 0.2".into())]);
/// let page = Page::new("Results", vec![first]);
/// assert!(page.html().contains("<p>0.1 &lt; 0.2</p>"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Page {
    /// The heading and the title of the window.
    pub title: String,
    /// Introductory paragraphs.
    pub lead: Vec<String>,
    /// Notices above everything else.
    pub notices: Vec<Notice>,
    /// The sections; more than five get a table of contents.
    pub sections: Vec<Section>,
}

/// A highlighted remark.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// Its severity.
    pub level: Level,
    /// Its text.
    pub text: String,
}

/// The severity of a notice, shown as text and as a color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As expected.
    Good,
    /// Information.
    Note,
    /// A caveat for the use of the results.
    Warning,
    /// The results must not be used without considering the notice.
    Danger,
}

/// A section of a page.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Section {
    /// Its anchor within the page: letters, digits and `-`; any other character becomes `-`.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Its content.
    pub blocks: Vec<Block>,
}

impl Page {
    /// A page of sections, without a lead and notices.
    pub fn new(title: impl Into<String>, sections: Vec<Section>) -> Self {
        Self { title: title.into(), sections, ..Self::default() }
    }

    /// Sets the introductory paragraphs.
    pub fn lead(self, lead: Vec<String>) -> Self {
        Self { lead, ..self }
    }

    /// Sets the notices above everything else.
    pub fn notices(self, notices: Vec<Notice>) -> Self {
        Self { notices, ..self }
    }
}

impl Notice {
    /// A notice of this level.
    pub fn new(level: Level, text: impl Into<String>) -> Self {
        Self { level, text: text.into() }
    }
}

impl Section {
    /// A section with its anchor within the page.
    pub fn new(id: impl Into<String>, title: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { id: id.into(), title: title.into(), blocks }
    }
}

/// A block of a section.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// A paragraph.
    Paragraph(String),
    /// A notice in the text.
    Notice(Notice),
    /// A short statement in large letters with its explanation.
    Banner {
        /// Its severity.
        level: Level,
        /// The statement, a word or two.
        words: String,
        /// Its explanation.
        text: String,
    },
    /// Blocks side by side on a wide screen, one below the other on a narrow one.
    SideBySide(Vec<Block>),
    /// A table; columns of numbers are right-aligned.
    Table {
        /// Its caption; may be empty.
        caption: String,
        /// The column names; may be empty, in which case the first column names the rows.
        header: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// A figure.
    Figure {
        /// An SVG document, such as one of `report::figure`. It is inserted without escaping, so it
        /// must come from a trusted source.
        svg: String,
        /// Its caption.
        caption: String,
        /// The address of the data, relative to the page.
        data_href: Option<String>,
    },
    /// A figure of values with their intervals.
    Intervals {
        /// Its caption.
        caption: String,
        /// Its description for screen readers.
        label: String,
        /// The values, from top to bottom.
        intervals: Vec<Interval>,
        /// The axis.
        axis: Axis,
    },
    /// A curve over a logarithmic axis, with an area above it.
    Curve {
        /// Its caption.
        caption: String,
        /// Its description for screen readers.
        label: String,
        /// The points, from left to right.
        points: Vec<CurvePoint>,
        /// The names of the axes: below and above the figure.
        axes: [String; 2],
    },
    /// A stacked bar of the parts of a whole.
    Parts {
        /// The name of the whole.
        caption: String,
        /// The name of each part, its share of the whole from 0 to 1, and its amount as text.
        parts: Vec<(String, f64, String)>,
    },
    /// A published statement compared with the result obtained here.
    Comparison {
        /// The statement, in the source's words.
        statement: String,
        /// The place of the statement in the source.
        source: String,
        /// The source's number or finding.
        paper: String,
        /// The number or finding obtained here.
        ours: String,
        /// Whether they agree.
        agreement: Agreement,
        /// An explanation; may be empty.
        note: String,
    },
    /// A preformatted text whose long lines are wrapped.
    Preformatted(String),
    /// A collapsed preformatted text.
    Details {
        /// The line that is always visible.
        summary: String,
        /// The text.
        text: String,
    },
    /// A link that saves a file contained in the page itself.
    Download {
        /// The text of the link.
        label: String,
        /// The file's name.
        file: String,
        /// Its media type, such as `application/json`.
        media: String,
        /// The content of the file.
        text: String,
    },
}

/// The axis of a figure of intervals.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// From 0 to 1.
    Share {
        /// Its name, drawn below it.
        name: String,
        /// A value that the points are compared with, and its label, drawn as a dashed line if it
        /// is at most 1. The side below it is shaded, and intervals are not drawn.
        threshold: Option<(f64, String)>,
    },
    /// Around 0, as far as the intervals reach.
    Change {
        /// Its name, drawn below it.
        name: String,
    },
}

impl Axis {
    pub(super) fn threshold(&self) -> Option<&(f64, String)> {
        match self {
            Self::Share { threshold, .. } => threshold.as_ref(),
            Self::Change { .. } => None,
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Share { name, .. } | Self::Change { name } => name,
        }
    }
}

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Its place on the logarithmic axis: above 0.
    pub x: f64,
    /// Its value, from 0 to 1.
    pub y: f64,
    /// The end of the area above it, from `y` to 1.
    pub upper: f64,
}

/// The labels of a report that its record does not contain; empty ones are left out. They are
/// published with it.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Heading {
    /// The title, instead of one made from the record.
    pub title: String,
    /// The study, or the data.
    pub study: String,
    /// The person to ask.
    pub contact: String,
}

/// A value with its interval.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Interval {
    /// The name of the quantity.
    pub name: String,
    /// The value.
    pub value: f64,
    /// The ends of the interval.
    pub ends: [f64; 2],
    /// Whether the point is filled.
    pub is_filled: bool,
}

impl Interval {
    /// A value with its interval; its point is filled.
    pub fn new(name: impl Into<String>, value: f64, ends: [f64; 2]) -> Self {
        Self { name: name.into(), value, ends, is_filled: true }
    }

    /// Sets whether the point is filled or hollow.
    pub fn filled(self, is_filled: bool) -> Self {
        Self { is_filled, ..self }
    }
}

/// Whether a published statement was confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// The statement holds.
    Matches,
    /// The statement does not hold.
    DoesNotMatch,
    /// The statement holds in part.
    Partly,
    /// The result is compatible with the statement and with its opposite.
    Undecided,
    /// The experiment was not run.
    NotTested,
}

impl Agreement {
    /// The agreement as text.
    pub fn words(self) -> &'static str {
        match self {
            Self::Matches => "matches",
            Self::DoesNotMatch => "does not match",
            Self::Partly => "matches in part",
            Self::Undecided => "undecided",
            Self::NotTested => "not tested",
        }
    }
}
