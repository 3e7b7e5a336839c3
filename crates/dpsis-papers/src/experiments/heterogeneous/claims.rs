//! Statements about which mechanism has the smaller error, checked by significance.

use dpsis::report::{Agreement, Block};

use crate::experiments::agreements::{Clear, agreement_of_parts};
use crate::experiments::heterogeneous::errors::Errors;
use crate::experiments::parts::Given;

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
}

impl Claim<'_> {
    /// The orders over the budgets.
    fn compared(&self, errors: &Errors) -> Vec<Clear> {
        let clear = |(setting, better, worse): &Order<'_>| {
            Clear::of(
                self.epsilons.iter().map(|epsilon| errors.lead(setting, (better, worse), epsilon)),
            )
        };
        self.orders.iter().map(clear).collect()
    }

    /// The agreement: each order is a part of the statement.
    pub(in crate::experiments) fn agreement(&self, errors: &Errors) -> Agreement {
        agreement_of_parts(&self.compared(errors))
    }

    /// The statement compared with the result.
    pub(in crate::experiments) fn block(&self, errors: &Errors) -> Block {
        let of = self.epsilons.len();
        let pairs: Vec<String> = self
            .orders
            .iter()
            .zip(self.compared(errors))
            .map(|((setting, better, worse), Clear { held, reversed })| {
                format!(
                    "{setting}, {better} before {worse}: clear at {held}, reversed at {reversed}"
                )
            })
            .collect();
        Given { statement: self.statement, source: self.source, paper: "a figure" }.against(
            format!("{}, of {of} budgets", pairs.join("; ")),
            self.agreement(errors),
            &format!(
                "At epsilon {}. An order is clear, or clearly reversed, from three standard errors. The \
                 statement matches if each order is clear at some budget and reversed at none.",
                self.epsilons.join(", ")
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts_file::ResultRow;

    #[test]
    fn significance_follows_the_rule() {
        let mut errors = Errors::default();
        let row =
            |rival: &str, epsilon: &str, mean: f64| ResultRow::new(&[rival, epsilon], &[mean, 0.1]);
        errors.add(
            "s",
            vec![
                row("a", "1", 1.0),
                row("b", "1", 2.0),
                row("c", "1", 1.1),
                row("a", "2", 1.0),
                row("b", "2", 0.2),
                row("c", "2", 1.0),
            ],
        );
        let agreement = |orders: &[Order<'_>], epsilons: &[&str]| {
            Claim { statement: "", source: "", orders, epsilons }.agreement(&errors)
        };
        assert_eq!(agreement(&[("s", "a", "b")], &["1"]), Agreement::Matches);
        assert_eq!(agreement(&[("s", "a", "b")], &["2"]), Agreement::DoesNotMatch);
        assert_eq!(agreement(&[("s", "a", "b")], &["1", "2"]), Agreement::Partly);
        assert_eq!(agreement(&[("s", "a", "c")], &["1", "2"]), Agreement::Undecided);
        assert_eq!(agreement(&[("s", "a", "b"), ("s", "a", "c")], &["1"]), Agreement::Partly);
        // Without measurements the comparison is undecided.
        assert_eq!(agreement(&[("s", "a", "d")], &["1"]), Agreement::Undecided);
    }
}
