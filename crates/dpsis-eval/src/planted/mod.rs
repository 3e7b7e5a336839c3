//! Tables of the kinds that people have, with five planted true features each.
//!
//! They measure whether a selection of five finds them. The model of each kind, with the effect
//! sizes of its signals, is described at the top of its file. Cells are text as in a CSV file,
//! including categories and missing cells. A table is a function of its kind, its size and its
//! seed.

mod clinical;
mod costs;
mod counts;
mod draft;
mod draw;
mod expression;
mod finance;
mod genotypes;
mod methylation;
mod ordinary;
mod proteomics;
mod rare;
mod spectra;
mod survey;

use std::io::Write;

use dpsis::{Error, FileTable, Result, Select, Target};

use crate::seed::seed_of;
use draw::Draw;

/// The number of true features of every table.
pub const PLANTED: usize = 5;

/// A table whose true features are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planted {
    /// The names of the features.
    pub names: Vec<String>,
    /// The cells as text, row by row; a missing one is empty or `NA`.
    pub cells: Vec<Vec<String>>,
    /// The target of each row: a label, or a number.
    pub targets: Vec<String>,
    /// The two labels of the target, the planted group last; `None` if the target is a number.
    pub classes: Option<Vec<String>>,
    /// The indices of the true features, ascending.
    pub truth: Vec<usize>,
}

impl Planted {
    /// The name of the target's column in [`write_csv`](Self::write_csv).
    pub const TARGET: &str = "y";

    /// Writes a header and the rows as CSV, the target in the last column.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be written.
    pub fn write_csv(&self, to: impl Write) -> Result<()> {
        let mut csv = csv::Writer::from_writer(to);
        let header = self.names.iter().map(String::as_str).chain([Self::TARGET]);
        csv.write_record(header)
            .and_then(|()| {
                self.cells
                    .iter()
                    .zip(&self.targets)
                    .try_for_each(|(cells, target)| csv.write_record(cells.iter().chain([target])))
            })
            .and_then(|()| Ok(csv.flush()?))
            .map_err(|_| Error::io("the planted table cannot be written"))
    }

    /// The table as a source of runs, in memory, as [`write_csv`](Self::write_csv) writes it.
    ///
    /// # Errors
    ///
    /// `Io` if it cannot be written.
    pub fn to_table(&self) -> Result<FileTable> {
        let mut text = Vec::new();
        self.write_csv(&mut text)?;
        Ok(FileTable::from_reader(std::io::Cursor::new(text)))
    }

    /// A request with the classes of the target, if it has classes.
    pub fn with_classes(&self, request: Select) -> Select {
        match &self.classes {
            Some(classes) => request.target(Target::classes(classes.iter().cloned())),
            None => request,
        }
    }
}

/// How large a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The size that figures are measured at.
    Full,
    /// A small table of the same model, for quick tests.
    Reduced,
}

/// A kind of table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Mixed units, flags, yes/no, regions, missing lab values.
    Clinical,
    /// Answers from 1 to 5, M/F, "prefer not to say".
    Survey,
    /// Log intensities of genes.
    Expression,
    /// Beta values in `[0, 1]`.
    Methylation,
    /// Overdispersed counts with many zeros.
    Counts,
    /// Log-normal intensities with low values missing.
    Proteomics,
    /// Copies of an allele: 0, 1, 2.
    Genotypes,
    /// Heavy tails and ratios; the target is an amount.
    Finance,
    /// Smooth curves; the target is a concentration.
    Spectra,
    /// 3% cases.
    RareClass,
    /// Mixed features; the target is a heavy-tailed amount.
    Costs,
}

/// The facts of a kind: its id, one line about it, rows and features at full and reduced size.
struct Facts(&'static str, &'static str, (usize, usize), (usize, usize));

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Clinical,
        Self::Survey,
        Self::Expression,
        Self::Methylation,
        Self::Counts,
        Self::Proteomics,
        Self::Genotypes,
        Self::Finance,
        Self::Spectra,
        Self::RareClass,
        Self::Costs,
    ];

    /// The name of a kind in requests.
    pub fn id(self) -> &'static str {
        self.facts().0
    }

    /// One line about the kind.
    pub fn about(self) -> &'static str {
        self.facts().1
    }

    /// The numbers of rows and of features.
    pub fn shape(self, size: Size) -> (usize, usize) {
        match size {
            Size::Full => self.facts().2,
            Size::Reduced => self.facts().3,
        }
    }

    /// Finds a kind by its id.
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == id)
    }

    fn facts(self) -> Facts {
        let small = (250, 40);
        match self {
            Self::Clinical => Facts(
                "clinical",
                "records in mixed units, flags, yes/no, regions, missing lab values; two classes",
                (700, 60),
                small,
            ),
            Self::Survey => Facts(
                "survey",
                "answers from 1 to 5, M/F, words, people who prefer not to say; two classes",
                (800, 60),
                small,
            ),
            Self::Expression => {
                Facts("expression", "log intensities of genes; two classes", (200, 2000), small)
            }
            Self::Methylation => Facts(
                "methylation",
                "beta values near 0 or 1, small shifts between; two classes",
                (300, 1000),
                small,
            ),
            Self::Counts => Facts(
                "counts",
                "overdispersed counts with many zeros; two classes",
                (300, 800),
                small,
            ),
            Self::Proteomics => Facts(
                "proteomics",
                "log-normal intensities, about 30% missing, low ones more often; two classes",
                (300, 600),
                small,
            ),
            Self::Genotypes => Facts(
                "genotypes",
                "copies of an allele, 0, 1 or 2; two classes",
                (1200, 600),
                small,
            ),
            Self::Finance => Facts(
                "finance",
                "heavy tails and ratios; the amount of a default",
                (600, 80),
                small,
            ),
            Self::Spectra => Facts(
                "spectra",
                "smooth curves, neighboring channels correlated; a concentration",
                (400, 300),
                (250, 120),
            ),
            Self::RareClass => Facts(
                "rare-class",
                "measures in mixed units; two classes, 3% cases",
                (5000, 100),
                (1000, 20),
            ),
            Self::Costs => {
                Facts("costs", "mixed features; skewed costs with a heavy tail", (600, 60), small)
            }
        }
    }
}

/// Makes a table of a kind.
pub fn table(kind: Kind, size: Size, seed: u64) -> Planted {
    let (rows, features) = kind.shape(size);
    table_of(kind, rows, features, seed)
}

/// Makes a table of a kind with this number of rows and of features, of which there are at least
/// [`PLANTED`].
pub fn table_of(kind: Kind, rows: usize, features: usize, seed: u64) -> Planted {
    let make = match kind {
        Kind::Clinical => clinical::table,
        Kind::Survey => survey::table,
        Kind::Expression => expression::table,
        Kind::Methylation => methylation::table,
        Kind::Counts => counts::table,
        Kind::Proteomics => proteomics::table,
        Kind::Genotypes => genotypes::table,
        Kind::Finance => finance::table,
        Kind::Spectra => spectra::table,
        Kind::RareClass => rare::table,
        Kind::Costs => costs::table,
    };
    make(rows, features, &mut Draw::new(seed_of(seed, &["planted", kind.id()], 0)))
}

#[cfg(test)]
mod tests;
