//! `dpsis report`: a page or a figure of a saved record.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::output::{self, Destination};
#[cfg(not(feature = "png"))]
use dpsis::Parameter;
use dpsis::report::{Heading, SavedRecord, to_html_with, to_svg};
use dpsis::{Error, Ledger, Result};

/// Make a page or a figure of a saved record, a model or a ledger
///
/// The first printed page has the findings, their interpretation, the guarantee, the budget
/// that is left, and what may be published; a paragraph for the methods section of a paper and all
/// details follow. Nothing is drawn or spent.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct ReportArguments {
    /// A record (JSON of select, choose, fit or plan), a model, or a ledger
    file: PathBuf,

    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// html, a page, or svg or png, the figure alone [default: by the ending of --output, else
    /// html]
    #[arg(long, value_enum, hide_possible_values = true)]
    format: Option<ReportFormat>,

    /// The title [default: made from the record]
    #[arg(long, default_value = "", hide_default_value = true)]
    title: String,

    /// The study, or the data
    #[arg(long, default_value = "", hide_default_value = true)]
    study: String,

    /// The person to ask
    #[arg(long, default_value = "", hide_default_value = true)]
    contact: String,
}

/// The form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    Html,
    Svg,
    Png,
}

const AFTER_HELP: &str = "\
Examples:
  dpsis select --k 5 --eps 2 -o record.json data.csv
  dpsis report record.json -o report.html --study 'Ward 7, 2025' --contact 'A. Lovelace'
  dpsis report record.json -o figure.svg
  dpsis report budget.txt -o budget.html

A figure has at most 60 features; further ones go to figure-2.svg and so on. PNG
needs a build with the feature png.

Exit codes: 0 written; 2 wrong request; 3 not a record; 5 reading or writing
failed.";

pub(super) fn report(arguments: &ReportArguments) -> Result<()> {
    let ReportArguments { file, output, format, title, study, contact } = arguments;
    let ending = output.as_deref().and_then(Path::extension);
    let format = format.unwrap_or_else(|| match ending {
        Some(ending) if ending.eq_ignore_ascii_case("svg") => ReportFormat::Svg,
        Some(ending) if ending.eq_ignore_ascii_case("png") => ReportFormat::Png,
        _ => ReportFormat::Html,
    });
    let destination = Destination::check(output.as_deref(), &[file])?;
    let [title, study, contact] = [title, study, contact].map(Clone::clone);
    let heading = Heading { title, study, contact };
    let text = fs::read_to_string(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => Error::input("not a record of dpsis: not text"),
        kind => Error::io(format!("cannot read {}: {kind}", file.display())),
    })?;
    if text.starts_with("dpsis ledger ") {
        if format != ReportFormat::Html {
            return Err(Error::request("a ledger has no figure: --format html"));
        }
        let balance = Ledger::open(file)?.read()?;
        return destination.write(&to_html_with(&balance, &heading)?);
    }
    let record = SavedRecord::from_json(&text)?;
    match format {
        ReportFormat::Html => destination.write(&to_html_with(&record, &heading)?),
        ReportFormat::Svg => {
            let figures = to_svg(&record).into_iter().map(String::into_bytes).collect();
            write_figures(figures, destination, output.as_deref())
        }
        ReportFormat::Png => {
            let figures: Result<_> = to_svg(&record).iter().map(|svg| png_of(svg)).collect();
            write_figures(figures?, destination, output.as_deref())
        }
    }
}

/// Writes the first figure to the destination, and further ones to files whose names are numbered.
fn write_figures(
    figures: Vec<Vec<u8>>,
    destination: Destination,
    path: Option<&Path>,
) -> Result<()> {
    let mut figures = figures.into_iter();
    let Some(first) = figures.next() else {
        return Err(Error::request(
            "nothing to draw: the record has no effect sizes or coefficients",
        ));
    };
    let named = |number: usize| {
        let path = path?;
        let stem = path.file_stem()?.to_str()?;
        let ending = path.extension().and_then(|ending| ending.to_str())?;
        Some(path.with_file_name(format!("{stem}-{number}.{ending}")))
    };
    let others = figures.zip(2..).map(|(figure, number)| {
        let path = named(number).ok_or_else(|| {
            Error::request(
                "the record has more features than one figure shows: name a file with --output",
            )
        })?;
        Ok((Destination::check(Some(&path), &[])?, path, figure))
    });
    let others = others.collect::<Result<Vec<_>>>()?;
    destination.write_bytes(&first)?;
    for (destination, path, figure) in others {
        destination.write_bytes(&figure)?;
        output::remark(&format!("written: {}\n", path.display()));
    }
    Ok(())
}

/// A figure with three pixels per unit, with the fonts of the system.
#[cfg(feature = "png")]
fn png_of(svg: &str) -> Result<Vec<u8>> {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree};

    const PIXELS: f32 = 3.0;
    let failed = |_| Error::request("the figure cannot be drawn as PNG: write SVG");
    let mut options = Options::default();
    options.fontdb_mut().load_system_fonts();
    if options.fontdb.is_empty() {
        return Err(Error::request("no fonts are installed here: write SVG"));
    }
    let tree = Tree::from_str(svg, &options).map_err(|_| failed(()))?;
    let [width, height] =
        [tree.size().width(), tree.size().height()].map(|units| (units * PIXELS).ceil() as u32);
    let mut image = Pixmap::new(width, height).ok_or(()).map_err(failed)?;
    resvg::render(&tree, Transform::from_scale(PIXELS, PIXELS), &mut image.as_mut());
    image.encode_png().map_err(|_| failed(()))
}

#[cfg(not(feature = "png"))]
fn png_of(_: &str) -> Result<Vec<u8>> {
    let error = Error::request("PNG needs a build with the feature png: write SVG, or install it");
    Err(error.about([Parameter::BuildFeature("png")]))
}
