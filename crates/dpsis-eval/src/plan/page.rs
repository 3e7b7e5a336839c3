//! The outlook as files: a page with figures, and their data.

use dpsis::Result;
use dpsis::report::{Block, Level, Notice, Page, Section, to_json};

use super::{AtEpsilon, Finding, Least, Outlook, PROBABILITIES};
use crate::charts::number;
use crate::figure::{Curve, CurveChart, CurvePoint, Reference, nothing_to_draw};
use crate::output::OutputFolder;

const MECHANISMS: &str = "mechanisms.csv";
const EPSILONS: &str = "epsilon.csv";
const COMPARISON: &str = "mechanisms-epsilon.csv";

impl Outlook {
    /// Writes `plan.json`, the tables as CSV, the figure as SVG and the page `index.html`.
    ///
    /// # Errors
    ///
    /// `Io` if the folder cannot be written to.
    pub fn write(&self, folder: &OutputFolder) -> Result<()> {
        folder.write("plan.json", &to_json(self)?)?;
        let header = ["mechanism", "gamma", "p50", "p90", "p99", "alone", "theorem"];
        let line = |(contender, finding): (&super::Contender, &Finding)| {
            let gamma = contender.gamma.clone().unwrap_or_default();
            let mut line = vec![contender.id.clone(), gamma];
            line.extend(values(finding));
            line.push(value(finding.theorem));
            line
        };
        let lines: Vec<_> = self.mechanisms.iter().zip(&self.findings).map(line).collect();
        folder.write_csv(MECHANISMS, &header, &lines)?;
        let header = ["epsilon", "p50", "p90", "p99", "alone", "beyond_chance"];
        let line = |at: &AtEpsilon| {
            let mut line = vec![at.epsilon.clone()];
            line.extend(values(&at.finding));
            line.push(value(at.beyond_chance));
            line
        };
        folder.write_csv(EPSILONS, &header, &self.over.iter().map(line).collect::<Vec<_>>())?;
        if self.over.iter().any(|at| !at.mechanisms.is_empty()) {
            let header = ["epsilon", "mechanism", "gamma", "p90"];
            let lines = self.over.iter().flat_map(|at| {
                self.mechanisms.iter().zip(&at.mechanisms).map(|(contender, least)| {
                    let gamma = contender.gamma.clone().unwrap_or_default();
                    let strength = value(least.map(|least| least.value));
                    vec![at.epsilon.clone(), contender.id.clone(), gamma, strength]
                })
            });
            folder.write_csv(COMPARISON, &header, &lines.collect::<Vec<_>>())?;
        }
        folder.write_page(&self.page(folder)?)
    }

    fn page(&self, folder: &OutputFolder) -> Result<Page> {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let facts = self.facts().into_iter().map(|(label, words)| vec![label.to_owned(), words]);
        let facts =
            Block::Table { caption: String::new(), header: Vec::new(), rows: facts.collect() };
        let mut answer = vec![Block::Paragraph(self.recommended())];
        if let Some(wanted) = &self.wanted {
            answer.push(Block::Paragraph(self.wanted_in_words(wanted)));
        }
        let mut sections = vec![
            Section::new("answer", "Answer", answer),
            Section::new("assumed", "What is assumed", vec![facts]),
        ];
        let table = Block::Table {
            caption: self.about_table(),
            header: own(&self.header()),
            rows: self.rows().collect(),
        };
        sections.push(Section::new("mechanisms", "Mechanisms", vec![table]));
        if self.over.len() > 1 {
            let svg = self.curves()?;
            folder.write("epsilon.svg", &svg)?;
            let table = Block::Table {
                caption: format!("{} at other epsilons", self.planned()),
                header: own(&self.over_header()),
                rows: self.over_rows().collect(),
            };
            let figure = Block::Figure {
                svg,
                caption:
                    "The least strength that is found, with bands of two standard errors of the \
                          simulation. A curve begins where some strength is enough."
                        .into(),
                data_href: Some(EPSILONS.into()),
            };
            let mut blocks = vec![figure, table];
            if self.over.iter().any(|at| !at.mechanisms.is_empty()) {
                let svg = self.comparison()?;
                folder.write("mechanisms.svg", &svg)?;
                blocks.push(Block::Figure {
                    svg,
                    caption: format!(
                        "The least strength that each mechanism finds with 90%, {}.",
                        self.who()
                    ),
                    data_href: Some(COMPARISON.into()),
                });
            }
            sections.push(Section::new("epsilon", "Over epsilon", blocks));
        }
        let note = "No data were read: everything follows from public numbers.";
        Ok(Page::new("What a private selection would find", sections)
            .notices(vec![Notice::new(Level::Note, note)]))
    }

    /// The strengths over epsilon.
    fn curves(&self) -> Result<String> {
        let each = PROBABILITIES.iter().enumerate().map(|(i, p)| {
            self.curve(format!("found with {:.0}%", 100.0 * p), |at| at.finding.found[i])
        });
        let mut curves: Vec<Curve> = each.collect();
        if self.request.k > 1 {
            curves.push(self.curve("alone, with 90%".into(), |at| at.finding.alone));
        }
        let called = |at: &AtEpsilon| at.beyond_chance.map(|value| Least { value, error: 0.0 });
        curves.push(self.curve("beyond chance".into(), called));
        self.chart(self.planned(), curves)
    }

    /// The strengths of all mechanisms over epsilon.
    fn comparison(&self) -> Result<String> {
        let each = self.mechanisms.iter().enumerate();
        let curves = each.map(|(i, contender)| {
            self.curve(contender.name(), |at| at.mechanisms.get(i).copied().flatten())
        });
        self.chart("All mechanisms, 90%".into(), curves.collect())
    }

    /// A curve; it has points where some strength is enough, and one is needed.
    fn curve(&self, label: String, of: impl Fn(&AtEpsilon) -> Option<Least>) -> Curve {
        let point = |at: &AtEpsilon| {
            let least = of(at).filter(|least| least.value > 0.0)?;
            let (y, band) = (least.value, 2.0 * least.error);
            let low = (y - band).max(y / 2.0);
            Some(CurvePoint { x: number(&at.epsilon), y, low, high: (y + band).min(1.0) })
        };
        Curve { label, points: self.over.iter().filter_map(point).collect() }
    }

    fn chart(&self, title: String, mut curves: Vec<Curve>) -> Result<String> {
        curves.retain(|curve| !curve.points.is_empty());
        if curves.is_empty() {
            return Ok(nothing_to_draw(&title, "no strength is found at any of these epsilons"));
        }
        let chart = CurveChart {
            title,
            x_label: "total epsilon".into(),
            y_label: "strength".into(),
            x_log: true,
            y_log: true,
            y_range: None,
            curves,
            references: vec![Reference {
                label: "largest by chance".into(),
                y: self.largest_by_chance,
            }],
        };
        chart.svg()
    }
}

/// The strengths of a finding for a file: empty where there is none.
fn values(finding: &Finding) -> Vec<String> {
    let all = finding.found.iter().chain([&finding.alone]);
    all.map(|least| value(least.map(|least| least.value))).collect()
}

fn value(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.6}"))
}
