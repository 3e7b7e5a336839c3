//! Inspection of a table by the data holder: its content, oddities, and the table options to give.
//!
//! **Not private**: the results depend on the data without noise and must not be passed on.

mod amount;
mod blocks;
mod column;
mod counts;
mod dates;
mod different;
mod events;
mod features;
mod findings;
mod lines;
mod missing;
mod names;
mod options;
mod people;
mod roles;
mod strays;
mod target_file;

use crate::error::{Error, Parameter, Result};
use crate::request::{Target, TargetOptions};
use crate::table::{
    CellFormat, Covariate, FileTable, Format, Orientation, Row, TableFacts, TakeRows, UnitTarget,
    likely_cells,
};
use crate::threads::available_threads;
use column::ColumnSummary;
use counts::Counts;
use missing::MissingByTarget;
use people::People;
use target_file::TargetFile;

pub use findings::{Finding, Suggestion};
pub use options::InspectOptions;

/// The result of an inspection. Not private.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Inspection {
    /// The number of samples.
    pub rows: u64,
    /// The number of columns; of rows, where features are rows.
    pub columns: usize,
    /// Their names, in file order: an empty name first for separate identifiers, and a name last
    /// for a separate target.
    pub names: Vec<String>,
    /// The findings, in the order to read them.
    pub findings: Vec<Finding>,
    /// The table options and the request that suit the table.
    pub suggestion: Suggestion,
}

/// Inspects a table of any format, with the given table options and target.
///
/// # Errors
///
/// As for reading it: `Request` for options that do not fit its format or exclude each other, `Io`,
/// or `Input` with the place of the first structure error.
pub fn inspect(table: &FileTable, options: &InspectOptions) -> Result<Inspection> {
    let target = GivenTarget::of(&options.target)?;
    match table.format()? {
        Format::Text => inspect_text(table, &target),
        format => blocks::inspect(table, format, &target),
    }
}

/// The given target, with the options on people and strata.
#[derive(Default)]
struct GivenTarget {
    target: Option<Target>,
    /// The rule for the target of a person.
    rule: Option<UnitTarget>,
    covariates: Vec<Covariate>,
}

impl GivenTarget {
    fn of(options: &TargetOptions) -> Result<Self> {
        let (rule, covariates) = (options.rule_of_people()?, options.covariates()?);
        Ok(Self { target: options.kind()?, rule, covariates })
    }
}

fn inspect_text(table: &FileTable, given_target: &GivenTarget) -> Result<Inspection> {
    let (given, target) = (&table.facts, given_target.target.as_ref());
    let mut look = TextLook::of(table, given.decimal_comma == Some(true), target)?;
    let decimal = decimal_sign(given, &look);
    // With another decimal sign the columns have another content.
    if decimal == Decimal::Comma && !look.decimal_comma {
        if !table.rows_repeat() {
            return Err(Error::request("numbers are written with a decimal comma")
                .hint("give it, and inspect again")
                .about([Parameter::DecimalComma]));
        }
        look = TextLook::of(table, true, target)?;
    }
    if decimal == Decimal::Unclear {
        look.columns.iter_mut().for_each(ColumnSummary::take_commas_for_numbers);
    }
    let turned = given.orientation == Some(Orientation::FeaturesAsRows);
    let rows = look.rows;
    let target_file = TargetFile::read(
        given,
        (&look.ids, &look.format),
        if turned { &[] } else { &look.header },
        target,
    )?;
    // Read again, with the detected decimal sign.
    let mut again = table.clone();
    if look.delimiter != b',' {
        again.facts.decimal_comma = Some(look.decimal_comma);
    }
    let counts = Counts::read(&again, target);
    let (findings, suggestion) = findings::draw(findings::Seen {
        given,
        given_target,
        header: &look.header,
        written: findings::Written::Text(look.delimiter),
        turned,
        rows,
        columns: &look.columns,
        missing: &look.missing,
        people: &look.ids,
        target_file: target_file.as_ref(),
        next_cells: look.next_cells,
        decimal,
        unused_codes: look.format.unused_codes(),
        index: &[],
        event_counts: counts.as_ref(),
        table: &again,
    });
    let columns = look.header.len();
    Ok(Inspection { rows, columns, names: look.header, findings, suggestion })
}

/// The decimal sign of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decimal {
    Point,
    Comma,
    /// Commas separate thousands, or are decimal commas.
    Unclear,
    /// Points separate thousands before a decimal comma.
    PointsOfThousands,
    /// Some numbers have a decimal point and others a decimal comma.
    Mixed,
}

/// The given decimal sign, or the sign of most numbers if none is given.
fn decimal_sign(given: &TableFacts, look: &TextLook) -> Decimal {
    let sum = |count: fn(&ColumnSummary) -> u64| look.columns.iter().map(count).sum::<u64>();
    let (commas, points) = (sum(|c| c.decimal_commas), sum(|c| c.fractions));
    match given.decimal_comma {
        Some(true) => Decimal::Comma,
        Some(false) => Decimal::Point,
        None if look.delimiter == b',' => Decimal::Point,
        None if sum(|c| c.points_of_thousands) > points / 10 => Decimal::PointsOfThousands,
        None if commas <= points / 10 => Decimal::Point,
        None if points > commas / 10 => Decimal::Mixed,
        // If semicolons separate cells, the comma is taken for a decimal comma.
        None if look.delimiter != b';' && sum(|c| c.thousands) == commas => Decimal::Unclear,
        None => Decimal::Comma,
    }
}

/// The counts of each column of a text table.
struct TextLook {
    header: Vec<String>,
    delimiter: u8,
    format: CellFormat,
    decimal_comma: bool,
    rows: u64,
    columns: Vec<ColumnSummary>,
    missing: MissingByTarget,
    /// The values of the column of identifiers.
    ids: People,
    /// The number of cells of the line after a header of one cell, by its likely delimiter.
    next_cells: usize,
}

impl TextLook {
    /// Reads a text table and counts the labels of a target.
    fn of(table: &FileTable, decimal_comma: bool, target: Option<&Target>) -> Result<Self> {
        let given = &table.facts;
        // An inspection may read a private header.
        let mut file = table.file();
        (file.delimiter, file.decimal_comma) = (given.delimiter, decimal_comma);
        let mut open = file.open()?;
        if open.starts_with_comments() {
            return Err(open.comments());
        }
        let delimiter = open.delimiter();
        let format = CellFormat::new(decimal_comma, &given.missing);
        let threads = available_threads();
        let turned = given.orientation == Some(Orientation::FeaturesAsRows);
        let (header, look) = if turned {
            lines::look(open, given, &format, (threads, target))?
        } else {
            let header = open.names()?;
            let id = given.ids().and_then(|id| header.iter().position(|name| name == id));
            let id = id.or_else(|| names::named_as_identifiers(&header)).unwrap_or(0);
            let target_place = names::place_of_target(&given.target, &header, &[]);
            let column = |place: usize| match Some(place) == target_place {
                true => ColumnSummary::of_target(target, &format),
                false => ColumnSummary::default(),
            };
            let columns: Vec<ColumnSummary> = (0..header.len()).map(column).collect();
            let new = || Columns {
                format: &format,
                rows: 0,
                target: target_place,
                missing: MissingByTarget::new(columns.len()),
                columns: columns.clone(),
                id,
                ids: People::default(),
                next_cells: 0,
            };
            let look = open.fold(threads, &new, Columns::merge)?;
            (header, look)
        };
        let Columns { rows, columns, missing, ids, next_cells, .. } = look;
        Ok(Self {
            header,
            delimiter,
            format,
            decimal_comma,
            rows,
            columns,
            missing,
            ids,
            next_cells,
        })
    }
}

/// Counts the content of each column.
struct Columns<'a> {
    format: &'a CellFormat,
    rows: u64,
    /// The place of the target, if it is a column of the table.
    target: Option<usize>,
    columns: Vec<ColumnSummary>,
    missing: MissingByTarget,
    /// The column of identifiers, or a column that may hold them.
    id: usize,
    /// Its values.
    ids: People,
    /// The number of cells of the line after a header of one cell, by its likely delimiter.
    next_cells: usize,
}

impl TakeRows for Columns<'_> {
    fn row(&mut self, number: u64, row: &Row<'_>) {
        self.rows += 1;
        if number == 1 && self.columns.len() == 1 {
            self.next_cells = likely_cells(row.cell(0), self.format.mark() == b',');
        }
        let cell = self.target.map(|target| row.cell(target));
        let target = cell.and_then(|cell| self.missing.target(cell, self.format));
        for (c, column) in self.columns.iter_mut().enumerate() {
            let is_missing = column.take_in(row.cell(c), number, self.format);
            if let (true, Some(target)) = (is_missing, target) {
                self.missing.missing(c, target);
            }
        }
        self.ids.row(row.cell(self.id), target, self.format);
    }
}

impl Columns<'_> {
    fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.next_cells = self.next_cells.max(other.next_cells);
        for (column, more) in self.columns.iter_mut().zip(other.columns) {
            column.merge(more);
        }
        let places = self.missing.merge(other.missing);
        self.ids.merge(other.ids, &places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TargetColumn;

    fn inspected(text: &str, given: TableFacts) -> Inspection {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let table = FileTable::new(file.path()).facts(given);
        inspect(&table, &InspectOptions::default()).unwrap()
    }

    #[test]
    fn facts_are_completed() {
        let row = |i: usize| {
            let status = if i.is_multiple_of(3) { "case" } else { "well" };
            format!("P{i};{i},5;{};note {i};{status}\n", i * 7)
        };
        let text: String = (0..30).map(row).collect();
        let given = TableFacts { missing: vec!["-9".into()], ..TableFacts::default() };
        let found = inspected(&format!("who_id;dose;age;note;out\n{text}"), given.clone());
        let facts = TableFacts {
            id: Some("who_id".into()),
            orientation: Some(Orientation::SamplesAsRows),
            delimiter: Some(b';'),
            decimal_comma: Some(true),
            exclude: vec!["note".into()],
            ..given.clone()
        };
        assert_eq!(found.suggestion.facts, facts);
        assert_eq!(found.suggestion.target, Target::classes(["well", "case"]));
        assert_eq!((found.rows, found.columns), (30, 5));
        let comma = found.findings.iter().find(|finding| finding.topic == "numbers").unwrap();
        assert_eq!((comma.odd, &comma.about[..]), (true, &[Parameter::DecimalComma][..]));
        let given_facts = TableFacts { decimal_comma: Some(true), ..given };
        let found = inspected(&format!("who_id;dose;age;note;out\n{text}"), given_facts);
        let comma = found.findings.iter().find(|finding| finding.topic == "numbers").unwrap();
        assert!(!comma.odd && comma.text.ends_with("as given"), "{}", comma.text);
        assert_eq!(found.suggestion.facts, facts);
    }

    /// The texts of the findings on features, with a mark if they require action.
    fn on_features(found: &Inspection) -> Vec<String> {
        let about = found.findings.iter().filter(|finding| finding.topic == "features");
        about.map(|f| format!("{}{}", if f.odd { "! " } else { "" }, f.text)).collect()
    }

    #[test]
    fn categories_are_features_but_ids_and_free_text_are_not() {
        let row = |i: usize| {
            let (sex, place) = (["M", "F", "NA"][i % 3], i % 25);
            format!("{sex},town {place},said {i} words,NA,{i}.5\n")
        };
        let text: String = (0..90).map(row).collect();
        let found = inspected(&format!("sex,town,note,none,y\n{text}"), TableFacts::default());
        assert_eq!(found.suggestion.facts.exclude, ["note"]);
        assert_eq!(found.suggestion.features, 3);
        assert_eq!(
            on_features(&found),
            [
                "0 of 4 features hold numbers, 3 hold categories",
                "! column 3 (\"note\"): texts that mostly occur once, such as ids or free text: exclude this column",
                "column 4 (\"none\"): no value",
                "column 1 (\"sex\") holds labels (F, M): give it if it is the target; as a feature its \
                 categories are used for selection, but missing in a model",
                "column 2 (\"town\"): categories, which are used for selection, but missing in a model",
                "features that hold one value only: 1",
                "120 cells are missing: empty, NA and the like",
            ]
        );
    }

    #[test]
    fn names_that_a_run_refuses_are_found() {
        let on_names = |text: &str| -> Vec<String> {
            let found = inspected(text, TableFacts::default());
            let about = found.findings.into_iter().filter(|finding| finding.topic == "names");
            about.inspect(|finding| assert!(finding.odd)).map(|finding| finding.text).collect()
        };
        assert!(on_names(",b,y\n1,2,3\n4,5,6\n").is_empty());
        assert_eq!(
            on_names("a,b,a,,y,b,a\n1,2,3,4,5,6,7\n"),
            [
                "columns 1, 3, 7 have the same name, \"a\": give each column a name of its own",
                "columns 2, 6 have the same name, \"b\": give each column a name of its own",
                "column 4 has no name: name it",
            ]
        );
        let names = (0..24).map(|i| format!("c{}", i / 2)).collect::<Vec<_>>().join(",");
        let found = on_names(&format!("{names}\n{}1\n", "1,".repeat(23)));
        assert_eq!(found.len(), 11);
        assert_eq!(found[10], "also repeated: 2 more names");
    }

    /// The findings do not contain the cells themselves.
    #[test]
    fn numbers_read_as_categories_are_reported() {
        let row = |i: usize| {
            let below = if i < 7 { "<0.25".to_owned() } else { format!("{i}.5") };
            format!("{below}\t1,{i:03},200\t{} kg\t{i}\t1\n", 50 + i % 30)
        };
        let text: String = (0..40).map(row).collect();
        let found = inspected(&format!("a\tb\tc\td\ty\n{text}"), TableFacts::default());
        let found = on_features(&found);
        let amounts = "! 3 columns (\"a\", \"b\", \"c\"): 87 cells look like numbers with a sign";
        assert!(found.iter().any(|text| text.starts_with(amounts)), "{found:?}");
        // Numbers in another notation are not free text.
        assert!(!found.iter().any(|text| text.contains("occur once")), "{found:?}");
        assert!(
            !found.iter().any(|text| text.contains("0.25") || text.contains("200")),
            "{found:?}"
        );
    }

    #[test]
    fn a_place_becomes_a_name_and_columns_of_free_text_are_excluded() {
        let text = "y,note,a\n1.5,low x,1\n2.5,mid x,2\n3.5,top x,3\n";
        let given = TableFacts { target: TargetColumn::At(1), ..TableFacts::default() };
        let found = inspected(text, given).suggestion;
        assert_eq!(found.facts.target, TargetColumn::Named("y".into()));
        assert_eq!((found.facts.exclude, found.features), (vec!["note".to_owned()], 1));
        assert_eq!(found.target, Target::Numeric);
    }

    #[test]
    fn facts_that_do_not_fit_are_refused() {
        let facts = TableFacts { delimiter: Some(b','), ..TableFacts::default() };
        let table = FileTable::new("not there.npy").facts(facts);
        let error = inspect(&table, &InspectOptions::default()).unwrap_err();
        assert_eq!(error.parameters(), [Parameter::Delimiter]);
    }
}
