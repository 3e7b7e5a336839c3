//! Statements about which mechanism has the smaller error, checked by significance.

use dpsis::report::{Agreement, Block};

use crate::experiments::heterogeneous::errors::Errors;
use crate::experiments::parts::{CLEAR, Stated, mostly};

/// The budgets at which statements about orders are checked: for larger ones most errors vanish.
pub(in crate::experiments) const MODERATE: [&str; 6] = ["0.01", "0.05", "0.1", "0.25", "0.5", "1"];
/// The budgets that statements call small.
pub(in crate::experiments) const SMALL: [&str; 4] = ["0.01", "0.05", "0.1", "0.25"];

/// A setting with a better and a worse rival.
pub(in crate::experiments) type Order<'a> = (&'a str, &'a str, &'a str);

/// A statement that some rivals are better than others.
pub(in crate::experiments) struct Claim<'a> {
    pub(in crate::experiments) statement: &'a str,
    pub(in crate::experiments) source: &'a str,
    /// The orders that it means.
    pub(in crate::experiments) orders: &'a [Order<'a>],
    /// The budgets at which they are compared.
    pub(in crate::experiments) epsilons: &'a [&'a str],
    /// What is added to the rule.
    pub(in crate::experiments) note: &'a str,
}

impl Claim<'_> {
    /// The orders that hold, that are reversed, and that were compared, over all budgets.
    fn counts(&self, errors: &Errors) -> (usize, usize, usize) {
        let leads: Vec<f64> = self
            .orders
            .iter()
            .flat_map(|(setting, better, worse)| {
                self.epsilons.iter().map(|epsilon| errors.lead(setting, (better, worse), epsilon))
            })
            .collect();
        let held = leads.iter().filter(|z| **z > CLEAR).count();
        (held, leads.iter().filter(|z| **z < -CLEAR).count(), leads.len())
    }

    /// The verdict: it matches if most orders hold and none is reversed.
    pub(in crate::experiments) fn verdict(&self, errors: &Errors) -> Agreement {
        let (held, reversed, of) = self.counts(errors);
        mostly(held, reversed, of)
    }

    /// The statement beside the result.
    pub(in crate::experiments) fn block(&self, errors: &Errors) -> Block {
        let (held, reversed, of) = self.counts(errors);
        let pairs: Vec<String> = self
            .orders
            .iter()
            .map(|(setting, better, worse)| format!("{setting}: {better} before {worse}"))
            .collect();
        let reversals: Vec<String> = self
            .orders
            .iter()
            .filter_map(|(setting, better, worse)| {
                let at: Vec<&str> = self
                    .epsilons
                    .iter()
                    .copied()
                    .filter(|epsilon| errors.lead(setting, (better, worse), epsilon) < -CLEAR)
                    .collect();
                (!at.is_empty()).then(|| {
                    format!(" Reversed: {setting}, {worse} before {better} at {}.", at.join(", "))
                })
            })
            .collect();
        Stated { statement: self.statement, source: self.source, paper: "a figure" }.against(
            format!("of {of} comparisons: held in {held}, reversed in {reversed}"),
            self.verdict(errors),
            &format!(
                "Compared at epsilon {}: {}. A difference counts from three standard errors; the \
                 statement matches if it holds in most comparisons and is reversed in none.{} {}",
                self.epsilons.join(", "),
                pairs.join("; "),
                reversals.concat(),
                self.note
            ),
        )
    }
}
