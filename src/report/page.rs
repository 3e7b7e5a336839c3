//! A page of HTML in one file: no network, no scripts, light or dark as the reader prefers, for screens
//! wide and narrow and for paper.

/// A page. All texts are escaped; figures alone are markup.
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
    /// The title, also of the window.
    pub title: String,
    /// Paragraphs that say what this is.
    pub lead: Vec<String>,
    /// What the reader must know first.
    pub notices: Vec<Notice>,
    /// The parts of the page; more than three get a table of contents.
    pub sections: Vec<Section>,
}

/// Something to know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// How grave it is.
    pub level: Level,
    /// What it is.
    pub text: String,
}

/// How grave a notice is; said by a word and a color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// To be kept in mind when the results are used.
    Warning,
    /// The results must not be used as if nothing were the matter.
    Danger,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Section {
    /// Its address within the page; letters, digits and `-`, what else there is becomes `-`.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What it holds.
    pub blocks: Vec<Block>,
}

impl Page {
    /// A page of sections, without a lead and notices.
    pub fn new(title: impl Into<String>, sections: Vec<Section>) -> Self {
        Self { title: title.into(), sections, ..Self::default() }
    }

    /// With paragraphs that say what the page is.
    pub fn lead(self, lead: Vec<String>) -> Self {
        Self { lead, ..self }
    }

    /// With what the reader must know first.
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
    /// A part of a page; the id is its address within the page.
    pub fn new(id: impl Into<String>, title: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { id: id.into(), title: title.into(), blocks }
    }
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// A paragraph.
    Paragraph(String),
    /// A notice in place.
    Notice(Notice),
    /// A statement in large letters with what it means.
    Banner {
        /// How grave it is.
        level: Level,
        /// A word or two.
        words: String,
        /// What they mean.
        text: String,
    },
    /// A table; columns of numbers are set flush right.
    Table {
        /// What it shows; may be empty.
        caption: String,
        /// The columns' names; may be empty, then the first column names the rows.
        header: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// A figure.
    Figure {
        /// An SVG document, such as one of `report::figure`. It is put into the page as it is: it must
        /// come from a source that is trusted.
        svg: String,
        /// What it shows.
        caption: String,
        /// Where the data are, relative to the page.
        data_href: Option<String>,
    },
    /// A whole and its parts as one bar.
    Parts {
        /// What the whole is.
        caption: String,
        /// Each part: its name, its share of the whole from 0 to 1, and how much that is.
        parts: Vec<(String, f64, String)>,
    },
    /// What a source states beside what came out here.
    Comparison {
        /// The statement, in the source's words.
        statement: String,
        /// Where it is stated.
        source: String,
        /// The source's number or finding.
        paper: String,
        /// The one that came out here.
        ours: String,
        /// Whether they agree.
        verdict: Verdict,
        /// What explains it; may be empty.
        note: String,
    },
    /// A text that opens on demand, set as it is.
    Details {
        /// The line that is always shown.
        summary: String,
        /// The text.
        text: String,
    },
    /// A file to save, held by the page itself.
    Download {
        /// The words of the link.
        label: String,
        /// The file's name.
        file: String,
        /// Its media type, such as `application/json`.
        media: String,
        /// What it holds.
        text: String,
    },
}

/// Whether a statement held here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It did.
    Matches,
    /// It did not.
    DoesNotMatch,
    /// In part.
    Partly,
    /// What came out is compatible with the statement and with its opposite.
    Undecided,
    /// It was not run.
    NotTested,
}

impl Verdict {
    /// In words.
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
