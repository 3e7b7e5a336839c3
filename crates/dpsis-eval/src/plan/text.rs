//! The outlook as text.

use std::fmt::Write;

use dpsis::internals::{purpose, wrapped};
use dpsis::{Neighbors, ScoreKind, Spending};

use super::{Finding, Least, Outlook, Wanted};

/// The width of labels, in columns.
pub(super) const LABEL: usize = 11;

impl Outlook {
    /// The whole outlook, in lines of at most 80 columns.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (label, words) in self.facts() {
            let line = format!("{label:<width$}{words}", width = LABEL);
            let _ = writeln!(text, "{}", wrapped(&line, LABEL));
        }
        let header = self.header();
        let _ = writeln!(text, "\n{}\n", wrapped(&self.about_table(), 0));
        let rows: Vec<Vec<String>> = self.rows().collect();
        table(&mut text, &header, &rows);
        let _ = writeln!(text, "\n{}", wrapped(&self.recommended(), 0));
        if !self.over.is_empty() {
            let _ = writeln!(text, "\n{} at other epsilons:\n", self.planned());
            table(&mut text, &self.over_header(), &self.over_rows().collect::<Vec<_>>());
        }
        if let Some(wanted) = &self.wanted {
            let _ = writeln!(text, "\n{}", wrapped(&self.wanted_in_words(wanted), 0));
        }
        text
    }

    /// The request and the facts that hold for all mechanisms, by label.
    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let request = &self.request;
        let (n, d, k) = (request.rows, request.features, request.k);
        let target = match request.share {
            Some(share) => {
                let rare = request.rarer(n, share);
                format!("two classes, the rarer one with {rare} rows")
            }
            None if request.score == ScoreKind::Kendall => "a number".to_owned(),
            None => "a number, split at a private median".to_owned(),
        };
        let score = match request.score {
            ScoreKind::Correlation => "correlation of values spread evenly over their range",
            ScoreKind::Kendall => "Kendall's rank correlation",
            _ => "Kolmogorov-Smirnov",
        };
        let parts: Vec<String> = self.spent.iter().map(part).collect();
        let relation = match request.neighbors {
            Neighbors::ReplaceOne => "replacing one row",
            _ => "adding or removing one row",
        };
        let mut facts = vec![
            ("plan", format!("{k} of {d} features, {n} rows; the target is {target}")),
            ("score", format!("{score}; a strength is a score as a share of the largest, 0 to 1")),
            ("budget", format!("epsilon {} = {}; {relation}", request.epsilon, parts.join(" + "))),
            (
                "imagined",
                format!(
                    "{} tables (seed {}), no data: features are independent; noise has no ties; \
                     strengths have the sampling noise of so many rows{}",
                    self.draws,
                    request.seed,
                    self.simulation_error()
                ),
            ),
            (
                "noise",
                format!(
                    "one row moves a strength by {}; the largest noise is on average {} with \
                     canonical and {} in a round of peel (harmonic numbers)",
                    short(self.one_row),
                    short(self.sizes.canonical),
                    short(self.sizes.peel)
                ),
            ),
            (
                "chance",
                format!(
                    "if no feature has strength, the strongest of {d} shows {}; a blind choice holds \
                     a given feature {} times of 100",
                    short(self.largest_by_chance),
                    percent(self.blind)
                ),
            ),
            ("verdict", self.verdict()),
        ];
        facts.extend(self.warnings.iter().map(|warning| ("warning", warning.clone())));
        facts
    }

    /// The standard error of the strength that is found with 90%, as a share, for the mechanism
    /// that is looked at more closely.
    fn simulation_error(&self) -> String {
        let place = self.recommendation.as_ref().map_or(0, |recommendation| recommendation.place);
        let finding = self.findings.get(place);
        let least = finding.and_then(|finding| finding.found[1]).filter(|least| least.value > 0.0);
        least.map_or_else(String::new, |least| {
            let share = (100.0 * least.error / least.value).ceil();
            format!("; standard error of the 90% column: about {share}%")
        })
    }

    fn verdict(&self) -> String {
        match self.beyond_chance {
            Some(strength) => format!(
                "a selected feature is called beyond chance, more often than not, from strength {} on",
                short(strength)
            ),
            None if self.request.score == ScoreKind::Kendall => {
                "none for this score: no strengths are released".to_owned()
            }
            None if self.spent.iter().all(|part| purpose(part.purpose) != "strengths") => {
                "none: no part of the budget is for strengths".to_owned()
            }
            None => {
                "no feature is called beyond chance, at any strength, more often than not".into()
            }
        }
    }

    pub(super) fn about_table(&self) -> String {
        let alone = if self.request.k == 1 { "" } else { "; alone: 90%, if only one has" };
        format!(
            "The strength from which on a feature is selected with 50, 90, 99%, {}{alone}. \
             theorem: the observed strength from which on theorem 4.1 promises all k with 90%.",
            self.who()
        )
    }

    /// How many features are imagined to be strong.
    pub(super) fn who(&self) -> String {
        match self.request.k {
            1 => "if one feature has it".to_owned(),
            k => format!("if {k} features have it"),
        }
    }

    pub(super) fn header(&self) -> Vec<&'static str> {
        let mut header = vec!["mechanism", "50%", "90%", "99%"];
        header.extend((self.request.k > 1).then_some("alone"));
        header.push("theorem");
        header
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Vec<String>> {
        let row = |(contender, finding): (&super::Contender, &Finding)| {
            let mut row = vec![contender.name()];
            row.extend(self.cells(finding));
            row.push(match (contender.theorem_gamma(), finding.theorem) {
                (None, _) => String::new(),
                (_, None) => NONE.to_owned(),
                (_, Some(strength)) => short(strength),
            });
            row
        };
        self.mechanisms.iter().zip(&self.findings).map(row)
    }

    pub(super) fn over_header(&self) -> Vec<&'static str> {
        let mut header = vec!["epsilon", "50%", "90%", "99%"];
        header.extend((self.request.k > 1).then_some("alone"));
        header.push("beyond chance");
        header
    }

    pub(super) fn over_rows(&self) -> impl Iterator<Item = Vec<String>> {
        self.over.iter().map(|at| {
            let mut row = vec![at.epsilon.clone()];
            row.extend(self.cells(&at.finding));
            row.push(at.beyond_chance.map_or_else(|| NONE.to_owned(), short));
            row
        })
    }

    fn cells(&self, finding: &Finding) -> Vec<String> {
        let mut cells: Vec<String> = finding.found.iter().map(|least| cell(*least)).collect();
        cells.extend((self.request.k > 1).then(|| cell(finding.alone)));
        cells
    }

    /// The mechanism that is looked at more closely.
    pub(super) fn planned(&self) -> String {
        let place = self.recommendation.as_ref().map_or(0, |recommendation| recommendation.place);
        self.mechanisms.get(place).map_or_else(String::new, super::Contender::name)
    }

    pub(super) fn recommended(&self) -> String {
        match &self.recommendation {
            Some(recommendation) => {
                format!("Recommended: {}: {}.", self.planned(), recommendation.reason)
            }
            None => "Recommended: no selection. No mechanism here finds a feature 9 times of 10, at any \
                     strength: there are too few rows for this epsilon."
                .to_owned(),
        }
    }

    pub(super) fn wanted_in_words(&self, wanted: &Wanted) -> String {
        let request = &self.request;
        let (n, epsilon, strength) = (request.rows, &request.epsilon, wanted.strength);
        let words = |rows: Option<f64>, at: Option<f64>| {
            let rows = match rows {
                None => format!("with no number of rows at epsilon {epsilon}"),
                Some(0.0) => format!("with any number of rows at epsilon {epsilon}"),
                Some(rows) => format!("with {} rows at epsilon {epsilon}", up(rows)),
            };
            let at = match at {
                None => "at no epsilon".to_owned(),
                Some(0.0) => "at any epsilon".to_owned(),
                Some(at) => format!("at epsilon {}", up(at)),
            };
            format!("{rows}, or with {n} rows {at}")
        };
        let value = |least: Option<Least>| least.map(|least| least.value);
        let found = words(value(wanted.rows), value(wanted.epsilon));
        let called = match (wanted.rows_beyond_chance, wanted.epsilon_beyond_chance) {
            (None, None) => String::new(),
            (rows, at) => {
                format!("; called beyond chance, more often than not, {}", words(rows, at))
            }
        };
        format!(
            "Strength {strength}, {}, with {}: found 9 times of 10 {found}{called}.",
            self.who(),
            self.planned()
        )
    }
}

/// The text where no strength is enough.
pub(super) const NONE: &str = "none";

pub(super) fn part(part: &Spending) -> String {
    format!("{} {}", part.epsilon, purpose(part.purpose))
}

pub(super) fn cell(least: Option<Least>) -> String {
    match least {
        None => NONE.to_owned(),
        Some(least) if least.value == 0.0 => "any".to_owned(),
        Some(least) => short(least.value),
    }
}

/// A strength with two significant digits, three decimals at most where it is large enough.
pub(super) fn short(value: f64) -> String {
    if value >= 0.01 { format!("{value:.3}") } else { format!("{value:.1e}") }
}

fn percent(share: f64) -> String {
    let hundred = 100.0 * share;
    if hundred >= 1.0 { format!("{hundred:.0}") } else { up(hundred) }
}

/// A positive number with two digits, rounded up.
pub(super) fn up(value: f64) -> String {
    let exponent = value.log10().floor() as i32 - 1;
    let scale = 10f64.powi(exponent);
    // What is that number already stays it.
    let rounded = (value / scale - 1e-9).ceil() * scale;
    format!("{rounded:.*}", (-exponent).max(0) as usize)
}

/// A table of columns, the first one left-aligned.
pub(super) fn table(text: &mut String, header: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.len());
        cells.chain(header.get(column).map(|name| name.len())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut line = |cells: Vec<&str>| {
        let mut line = String::new();
        for (i, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let _ = match i {
                0 => write!(line, "{cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    };
    line(header.to_vec());
    rows.iter().for_each(|row| line(row.iter().map(String::as_str).collect()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_up_to_two_digits() {
        for (value, text) in
            [(1234.0, "1300"), (0.0512, "0.052"), (3.0, "3.0"), (99.5, "100"), (420.0, "420")]
        {
            assert_eq!(up(value), text);
        }
    }
}
