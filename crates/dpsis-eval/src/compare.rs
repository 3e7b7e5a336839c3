//! Comparisons of methods, scales, budgets and numbers of features on public tables.

use std::collections::BTreeSet;
use std::fmt::Write;

use dpsis::report::{Block, Level, Notice, Page, Section};
use dpsis::{Error, Result};

use crate::cells_file::CellsFile;
use crate::charts::{Group, Measure, along, area_of, curve_chart, group_of, number, short};
use crate::figure::nothing_to_draw;
use crate::output::OutputFolder;
use crate::study::Study;
use crate::sweep::{CellKey, ComparisonCell, ComparisonCells, Sweep};

/// A table that is read only when cells of it are missing.
pub struct LazyStudy<'a> {
    /// The table's name in results.
    pub name: String,
    /// The fingerprint of the table and its target.
    pub data: String,
    /// Reads the table.
    pub read: Box<dyn Fn() -> Result<Study> + 'a>,
}

/// Runs the cells that the output folder does not hold yet, writes each when it is complete, and
/// then writes the figures and the page. Returns all cells of this sweep. `progress` is called with
/// the share of cells that are complete, from 0 to 1, and ends the comparison if it fails.
///
/// # Errors
///
/// The error of `progress`; `Request` if the folder holds cells of other data or settings or a
/// table cannot be used; `Input` and `Io` if a table or the folder cannot be read or written.
pub fn compare(
    sweep: &Sweep,
    tables: &[LazyStudy<'_>],
    output: &OutputFolder,
    progress: &dyn Fn(f64) -> Result<()>,
) -> Result<ComparisonCells> {
    let file = CellsFile::new(output.path(), "compare", sweep.seed, sweep.trials)?.with_picks()?;
    let cells = run_cells(sweep, tables, &file, progress)?;
    let arms: Vec<(String, String)> =
        sweep.arms.iter().map(|arm| (arm.name(), arm.scale_name())).collect();
    let mut sections = vec![what_is_measured()];
    for table in tables {
        for count in &sweep.counts {
            let count = count.to_string();
            sections.push(section(&cells, &table.name, &count, &arms, output)?);
        }
    }
    let notice = "NOT PRIVATE: all results were computed from the tables themselves, which must be \
         public; epsilon is the budget that a release would spend";
    let lead = format!(
        "{} draws per cell, seed {}. Bands are 95% intervals of the mean.",
        sweep.trials, sweep.seed
    );
    let page = Page::new("Comparison of selection methods", sections)
        .lead(vec![lead])
        .notices(vec![Notice::new(Level::Danger, notice)]);
    output.write_page(&page)?;
    Ok(cells)
}

/// Runs the cells that the file does not hold yet and returns all cells of the sweep.
pub fn run_cells(
    sweep: &Sweep,
    tables: &[LazyStudy<'_>],
    file: &CellsFile,
    progress: &dyn Fn(f64) -> Result<()>,
) -> Result<ComparisonCells> {
    let mut cells = file.read()?;
    for (key, cell) in &cells {
        if tables.iter().any(|table| table.name == key.table && table.data != cell.data) {
            let name = &key.table;
            let rule = format!("the folder holds cells of another table or target called {name}");
            return Err(Error::request(rule).hint("choose another folder, or remove its files"));
        }
    }
    let all: usize = tables.iter().map(|table| sweep.keys(&table.name).len()).sum();
    let mut done = 0;
    for table in tables {
        let keys = sweep.keys(&table.name);
        let all_keys = keys.len();
        let missing: BTreeSet<CellKey> =
            keys.into_iter().filter(|key| !cells.contains_key(key)).collect();
        done += all_keys - missing.len();
        if missing.is_empty() {
            continue;
        }
        let study = (table.read)()?;
        sweep.run(
            &study,
            |key| missing.contains(key),
            |key, cell| {
                let cell = ComparisonCell { data: table.data.clone(), ..cell };
                file.add(&key, &cell)?;
                cells.insert(key, cell);
                done += 1;
                progress(done as f64 / all.max(1) as f64)
            },
        )?;
    }
    // Cells of other sweeps in the same folder stay in the file but are not shown.
    file.finish(&cells)?;
    let wanted: Vec<_> = tables.iter().flat_map(|table| sweep.keys(&table.name)).collect();
    cells.retain(|key, _| wanted.contains(key));
    Ok(cells)
}

/// Formats the areas under the curves as lines of text, followed by the path of the page.
pub fn summary(cells: &ComparisonCells, output: &std::path::Path) -> String {
    let is_rare = cells.values().any(|cell| cell.balanced.is_some());
    let mut text = format!(
        "{:<16} {:>4}  {:<22} {:<22} {:>7} {:>7} {:>7}{}\n",
        "table",
        "k",
        "method",
        "scale",
        "LASSO",
        "overlap",
        "lift",
        if is_rare { " balanced" } else { "" }
    );
    let groups: BTreeSet<Group<'_>> = cells.keys().map(group_of).collect();
    for group @ (table, count, method, scale) in groups {
        let along = along(cells, group);
        let lasso = short(area_of(&along, lasso_agreement));
        let overlap = short(area_of(&along, |cell| cell.overlap.mean));
        let lift = short(area_of(&along, ComparisonCell::lift));
        let _ = write!(
            text,
            "{table:<16} {count:>4}  {method:<22} {scale:<22} {lasso:>7} {overlap:>7} {lift:>7}"
        );
        if is_rare {
            let _ = write!(text, " {:>8}", short(area_of(&along, balanced_accuracy)));
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "\nAreas: mean heights of the curves over epsilon. Figures and data: {}",
        output.join("index.html").display()
    );
    text
}

/// The section of a page that explains the measures of its figures.
pub fn what_is_measured() -> Section {
    let paragraphs = [
        "LASSO: the number of picks among the k largest coefficients of a non-private LASSO, \
         divided by k (penalty 0.1 unless another is given; columns and target centered and \
         scaled to a largest magnitude of 1). Where fewer than k coefficients are nonzero, 1 \
         cannot be reached: the dashed line shows the maximum. Where all are zero, the measure is \
         undefined; a smaller penalty gives nonzero coefficients.",
        "Overlap: the share of the picks among the k best scores without noise, on the same scale. \
         TOP: exactly the k best scores are picked. GREAT: the k/10 best are picked and all picks \
         are among the 11k/10 best. GOOD: the same for k/100 and 3k/2.",
        "Model: the three-fold cross-validated accuracy of a plain logistic model on the picked \
         features (R² of least squares for a numeric target). The features were picked from all \
         rows, so the measure compares selections but does not estimate the performance on new \
         data. Lift: the improvement over a model without features, which predicts the most \
         frequent class or the mean.",
        "Balanced: where the smallest class has less than 20% of the rows, accuracy means little, for it is high \
         if that class is never recognized. There the figure shows the balanced accuracy: the mean over the \
         classes of the share of a class that is recognized. The model then gives a row to the class whose \
         probability is largest in relation to its share of the rows. Without features it is 1 divided by the \
         number of classes.",
        "Area: the mean of a curve over epsilon, by the trapezoidal rule.",
    ];
    let paragraph = |text: &str| Block::Paragraph(text.to_owned());
    Section::new("measures", "What is measured", paragraphs.map(paragraph).into())
}

fn section(
    cells: &ComparisonCells,
    table: &str,
    count: &str,
    arms: &[(String, String)],
    output: &OutputFolder,
) -> Result<Section> {
    let here = || cells.iter().filter(|(key, _)| (&*key.table, &*key.count) == (table, count));
    let is_rare = here().any(|(_, cell)| cell.balanced.is_some());
    let has_lasso = here().any(|(_, cell)| cell.reach > 0.0);
    let mut blocks = vec![areas(cells, table, count, arms)];
    for measure in if is_rare { Measure::RARE } else { Measure::ALL } {
        let title = format!("{table}, k = {count}");
        let chart = curve_chart(cells, (table, count), arms, measure, title);
        let label = chart.y_label.clone();
        let svg = match measure == Measure::Lasso && !has_lasso {
            true => nothing_to_draw(&chart.title, NO_COEFFICIENT),
            false => chart.svg()?,
        };
        let name = format!("{}-k{count}-{}.svg", file_name(table), measure.id());
        output.write(&name, &svg)?;
        blocks.push(Block::Figure {
            svg,
            caption: format!("{table}, k = {count}: {label} against epsilon."),
            data_href: Some("compare.csv".to_owned()),
        });
    }
    blocks.push(picks(cells, table, count, arms));
    Ok(Section::new(
        format!("{}-{count}", file_name(table)),
        format!("{table}, k = {count}"),
        blocks,
    ))
}

/// The text in place of the figure of the agreement with the LASSO.
const NO_COEFFICIENT: &str = "All coefficients of the LASSO are zero, so there is nothing to agree with. A smaller \
                              --penalty gives nonzero coefficients.";

/// The most features of a cell that the page names.
const NAMED: usize = 10;

/// A table of the features that were picked most often, for one table and number of features.
fn picks(cells: &ComparisonCells, table: &str, count: &str, arms: &[(String, String)]) -> Block {
    let mut rows = Vec::new();
    for (method, scale) in arms {
        let is_here = |key: &CellKey| group_of(key) == (table, count, &**method, &**scale);
        let mut here: Vec<_> = cells.iter().filter(|(key, _)| is_here(key)).collect();
        here.sort_by(|a, b| number(&a.0.epsilon).total_cmp(&number(&b.0.epsilon)));
        rows.extend(here.into_iter().map(|(key, cell)| {
            let shown = cell.k.clamp(5, NAMED).min(cell.picked.len());
            let named = |(feature, times): &(String, u64)| format!("{feature} ({times})");
            let mut named: Vec<String> = cell.picked[..shown].iter().map(named).collect();
            match cell.picked.len() - shown {
                0 => {}
                1 => named.push("and 1 other".to_owned()),
                others => named.push(format!("and {others} others")),
            }
            vec![method.clone(), scale.clone(), key.epsilon.clone(), named.join(", ")]
        }));
    }
    let trials = cells.values().next().map_or(0, |cell| cell.trials);
    Block::Table {
        caption: format!(
            "The features that were picked most often, each with the number of draws out of {trials} that picked it. \
             All of them are in compare-picks.csv."
        ),
        header: ["method", "scale", "epsilon", "features picked"].map(str::to_owned).into(),
        rows,
    }
}

/// The agreement with the LASSO; NaN where the LASSO has no nonzero coefficient.
fn lasso_agreement(cell: &ComparisonCell) -> f64 {
    if cell.reach > 0.0 { cell.lasso.mean } else { f64::NAN }
}

/// The balanced accuracy; NaN where no class is rare.
fn balanced_accuracy(cell: &ComparisonCell) -> f64 {
    cell.balanced.map_or(f64::NAN, |balanced| balanced.model.mean)
}

/// Formats the median of the known times in milliseconds.
fn milliseconds(seconds: impl Iterator<Item = f64>) -> String {
    let mut known: Vec<f64> = seconds.filter(|seconds| seconds.is_finite()).collect();
    known.sort_unstable_by(f64::total_cmp);
    known
        .get(known.len() / 2)
        .map_or("–".to_owned(), |seconds| format!("{:.2}", seconds * 1000.0))
}

/// A table of the areas under the curves for one table and number of features.
fn areas(cells: &ComparisonCells, table: &str, count: &str, arms: &[(String, String)]) -> Block {
    let is_here = |key: &CellKey| (&*key.table, &*key.count) == (table, count);
    let is_rare = cells.iter().any(|(key, cell)| is_here(key) && cell.balanced.is_some());
    let row = |(method, scale): &(String, String)| {
        let along = along(cells, (table, count, method, scale));
        let of = |value: fn(&ComparisonCell) -> f64| short(area_of(&along, value));
        let mut row = vec![
            method.clone(),
            scale.clone(),
            of(lasso_agreement),
            of(|cell| cell.overlap.mean),
            of(|cell| cell.top),
            of(|cell| cell.great),
            of(|cell| cell.good),
            of(|cell| cell.model.mean),
            of(ComparisonCell::lift),
        ];
        row.extend(is_rare.then(|| of(balanced_accuracy)));
        row.push(milliseconds(along.iter().map(|(_, cell)| cell.seconds)));
        row
    };
    let mut header =
        vec!["method", "scale", "LASSO", "overlap", "TOP", "GREAT", "GOOD", "model", "lift"];
    header.extend(is_rare.then_some("balanced"));
    header.push("ms per draw");
    Block::Table {
        caption:
            "Areas under the curves over epsilon. Times are medians over epsilons of the mean \
             time per draw, without reading the table and without preparations that draws share."
                .to_owned(),
        header: header.into_iter().map(str::to_owned).collect(),
        rows: arms.iter().map(row).collect(),
    }
}

/// Replaces all characters but ASCII letters and digits for use in a file name.
fn file_name(table: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    table.chars().map(plain).collect()
}
