//! The aims of the default compared with the results.

use dpsis::report::{Agreement, Block};
use dpsis_eval::internals::short;

use crate::experiments::agreements::agreement_of;
use crate::experiments::parts::Given;
use crate::experiments::pipelines::areas::{Areas, TOLERANCE, listed};
use crate::experiments::pipelines::{DEFAULT, DEFAULT_OF_CLASSES, PAPER, ROW_RANKS_OF_CLASSES};

const SOURCE: &str =
    "an aim of this project, set from simulations when the default was designed; not a paper's";

/// A mean that should be at least `factor` times another.
struct Aim<'a> {
    areas: &'a Areas,
    pipeline: &'a str,
    other: &'a str,
    factor: f64,
}

impl Aim<'_> {
    /// Whether the aim is reached; `None` where no multiple makes sense.
    fn is_reached(&self) -> Option<bool> {
        let other = self.areas.mean(self.other);
        (other > 0.0).then(|| self.areas.mean(self.pipeline) >= self.factor * other)
    }

    fn agreement(&self) -> Agreement {
        match self.is_reached() {
            _ if self.areas.len() == 0 => Agreement::NotTested,
            Some(reached) => agreement_of(usize::from(reached), 1),
            None => Agreement::Undecided,
        }
    }

    fn given(&self) -> String {
        format!("at least {} times", self.factor)
    }

    fn found(&self) -> String {
        let (ours, other) = (self.areas.mean(self.pipeline), self.areas.mean(self.other));
        let multiple = self.areas.multiple(self.pipeline, self.other);
        match self.areas.len() {
            0 => "not run".to_owned(),
            _ => format!("{multiple:.2} times ({} against {})", short(ours), short(other)),
        }
    }

    fn rule(&self) -> String {
        format!("Rule: means of the areas over all sets that were run ({}).", self.areas.len())
    }
}

pub(super) fn lift(areas: &Areas) -> Block {
    let aim = Aim { areas, pipeline: DEFAULT, other: PAPER, factor: 1.4 };
    let behind = areas.behind(DEFAULT, PAPER);
    let agreement = match aim.agreement() {
        Agreement::Matches | Agreement::DoesNotMatch => {
            let reached = aim.is_reached() == Some(true);
            agreement_of(usize::from(reached) + usize::from(behind.is_empty()), 2)
        }
        open => open,
    };
    Given {
        statement: "By the cross-validated accuracy above the most frequent class, the default is at \
                    least 1.4 times as good as the paper's preprocessing, which is not private, and \
                    behind it on no set.",
        source: SOURCE,
        paper: &format!("{}; behind on no set", aim.given()),
    }
    .against(
        format!("{}; behind on {}", aim.found(), listed(&behind)),
        agreement,
        &format!(
            "{} Behind: by more than {TOLERANCE}. Matches if both parts hold, in part if one does.",
            aim.rule()
        ),
    )
}

pub(super) fn agreement(areas: &Areas) -> Block {
    let aim = Aim { areas, pipeline: DEFAULT, other: PAPER, factor: 1.2 };
    Given {
        statement: "The default finds at least 1.2 times as many of the LASSO's top five as the \
                    paper's preprocessing.",
        source: SOURCE,
        paper: &aim.given(),
    }
    .against(aim.found(), aim.agreement(), &aim.rule())
}

/// The aim for sets of three or more classes; `sets` holds each set's number of classes.
pub(super) fn classes(lift: &Areas, sets: &[(String, usize)]) -> Block {
    let several = lift.on(|set| sets.iter().any(|(name, classes)| name == set && *classes > 2));
    let aim = Aim {
        areas: &several,
        pipeline: DEFAULT_OF_CLASSES,
        other: ROW_RANKS_OF_CLASSES,
        factor: 1.1,
    };
    Given {
        statement: "On the sets with 3 to 6 classes, given as classes, the default is at least 1.1 \
                    times as good as row ranks by the cross-validated accuracy above the most \
                    frequent class.",
        source: SOURCE,
        paper: &aim.given(),
    }
    .against(aim.found(), aim.agreement(), &aim.rule())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The agreement, the finding, and the note.
    fn read(block: Block) -> (Agreement, String, String) {
        match block {
            Block::Comparison { agreement, ours, note, .. } => (agreement, ours, note),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_aim_is_reached_in_full_in_part_or_not() {
        let outcome =
            |rows: &[(&str, &[f64])]| read(lift(&Areas::given(&[PAPER, DEFAULT], rows))).0;
        assert_eq!(outcome(&[("a", &[0.1, 0.14]), ("b", &[0.1, 0.15])]), Agreement::Matches);
        assert_eq!(outcome(&[("a", &[0.1, 0.09]), ("b", &[0.1, 0.30])]), Agreement::Partly);
        assert_eq!(outcome(&[("a", &[0.1, 0.13]), ("b", &[0.1, 0.14])]), Agreement::Partly);
        assert_eq!(outcome(&[("a", &[0.1, 0.09]), ("b", &[0.1, 0.15])]), Agreement::DoesNotMatch);
        // No multiple of a negative mean makes sense.
        assert_eq!(outcome(&[("a", &[-0.1, 0.2])]), Agreement::Undecided);
        let found = read(agreement(&Areas::given(&[PAPER, DEFAULT], &[("a", &[0.1, 0.115])])));
        assert_eq!(
            (found.0, &*found.1),
            (Agreement::DoesNotMatch, "1.15 times (0.115 against 0.100)")
        );
        assert!(found.2.contains("were run (1)"), "{}", found.2);
    }

    #[test]
    fn sets_of_two_classes_do_not_count_for_classes() {
        let names = [ROW_RANKS_OF_CLASSES, DEFAULT_OF_CLASSES];
        let areas = Areas::given(&names, &[("two", &[0.4, 0.1]), ("six", &[0.2, 0.23])]);
        let sets = [("two".to_owned(), 2), ("six".to_owned(), 6)];
        let (agreement, ours, _) = read(classes(&areas, &sets));
        assert_eq!((agreement, &*ours), (Agreement::Matches, "1.15 times (0.230 against 0.200)"));
        assert_eq!(read(classes(&areas, &sets[..1])).0, Agreement::NotTested);
    }
}
