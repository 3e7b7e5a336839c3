//! The mechanism of a selection: the given one, the one of the method, or a default.
//!
//! # Up to k = 10: by released counts
//!
//! A race of whole sets (`canonical`) places all k features at once: it needs scores of about k ln
//! d, and finds nothing where scores cannot reach that; peeling (`peel-pnf`) still finds some
//! there, but fewer where scores are large. How large they can be follows from the counts of rows
//! that are released with a private center: with eps the part of the selection and W the largest
//! score in units of its sensitivity, `canonical` is used from eps W = 20 k ln d on, and `peel-pnf`
//! below. The factor was found by simulation: over 1 to 20 features of 20 to 20,000, and effect
//! sizes from 0.2 on, this choice finds .013 k features less than the better of the two, one with a
//! factor of 8 .093 k. On planted tables with five true features and k = 3 to 10, no factor from 10
//! to 40 finds more by over .01, and below 16 some tables lose 1 to 3 of 5.
//!
//! Effect sizes differ between tables with the same counts, but a private draw by the scores, as
//! below, costs more than it gains here: its noise would be about as large as the scores that it
//! must distinguish.
//!
//! # Above k = 10: by a private draw
//!
//! If m < k features have large scores, `canonical` with gamma 1/4 finds them from about 3 Delta m
//! ln(d/k)/eps above the scores of null features on, with Delta the sensitivity. Where m is small
//! compared with k, this is much less than the 2 Delta k ln(d)/eps that `peel-pnf` needs. Where k
//! features or more have large scores, it is much more, and below it `canonical` finds almost none
//! of them. No counts distinguish the two cases. So a private draw decides
//! ([`large_scores`](crate::release::large_scores)): `peel-pnf` if at least half of the k features
//! have large scores, `canonical` with gamma 1/4 otherwise.
//!
//! Of five true features in eleven kinds of planted tables of 200 to 5,000 rows, at epsilon 0.5 to
//! 5 and k = 20, this finds 4.1 on average, `canonical` with gamma 1/2 4.0 and `peel-pnf` 3.6 (the
//! example `mechanisms` of the papers). With 20 or 60 true features and 20 selected features, it
//! finds 13.6, these two 12.4 and 14.1.
//!
//! # Privacy
//!
//! By counts, the choice is a function of released numbers. A draw is released with its own part of
//! the budget. In both cases each mechanism is eps-differentially private given the earlier
//! releases, so the whole spends the sum of the parts, whichever mechanism it is. Both return picks
//! in the order of the file.

use std::sync::Arc;

use num_rational::BigRational;

use crate::exact::ratio;
use crate::mechanism::{CanonicalLipschitz, Mechanism, PeelPermuteAndFlip};
use crate::privacy::{Epsilon, Neighbors};
use crate::request::reach::Reach;

/// From this multiple of k ln d on, sets are placed at once.
const CANONICAL_FROM: f64 = 20.0;

/// Up to this many picks are always made one after the other: `canonical` would then waste half its
/// rate.
const PEELED_UP_TO: usize = 2;

/// Above this k, a private draw decides.
const DRAWN_ABOVE: usize = 10;

/// How the mechanism of a selection is chosen.
pub(crate) enum Choice {
    /// Given, or the mechanism of the method.
    Given(Arc<dyn Mechanism>),
    /// By k and the number of features.
    BySize(Arc<dyn Mechanism>),
    /// Without k: sets of all sizes compete.
    ByNumber(Arc<dyn Mechanism>),
    ByCounts(ByCounts),
    /// By a private draw.
    ByScores,
}

/// The values released before a mechanism is chosen; `None` before their release.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known<'a> {
    /// The counts of rows of each class or side.
    pub(crate) counts: Option<&'a [f64]>,
    /// Whether at least half of the k features have large scores.
    pub(crate) many: Option<bool>,
}

/// The choice of a mechanism by the counts of rows.
pub(crate) struct ByCounts {
    reach: Reach,
    /// The number of rows equivalent to k ln d: steps k ln d/eps.
    unit: f64,
}

/// The mechanism of a run.
pub(crate) struct ChosenMechanism {
    pub(crate) mechanism: Arc<dyn Mechanism>,
    pub(crate) by: ChosenBy,
}

/// The basis on which a mechanism was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ChosenBy {
    /// The request.
    Statement,
    /// k and the number of features.
    Size,
    /// The request has no k.
    Number,
    /// The released counts, which allow scores of this many times k ln d/eps.
    Counts { ratio: f64 },
    /// A private draw: whether many features have large scores; `None` before it.
    Scores { many: Option<bool> },
}

impl Choice {
    /// The choice where no mechanism is given and counts will be released: for k out of `features`,
    /// with this part of the budget.
    pub(crate) fn of(
        k: usize,
        features: usize,
        reach: Reach,
        neighbors: Neighbors,
        epsilon: &Epsilon,
    ) -> Self {
        match k {
            // There is only one set to select.
            _ if k == features => Self::BySize(canonical()),
            ..=PEELED_UP_TO => Self::BySize(Arc::new(PeelPermuteAndFlip)),
            _ if Self::is_drawn(k, features) => Self::ByScores,
            _ => {
                let needed = k as f64 * libm::log(features as f64);
                let unit = neighbors.steps() as f64 * needed / epsilon.to_f64();
                Self::ByCounts(ByCounts { reach, unit })
            }
        }
    }

    /// Whether a private draw with its own part of the budget decides.
    pub(crate) fn is_drawn(k: usize, features: usize) -> bool {
        k > DRAWN_ABOVE && k < features
    }

    /// The share of the draw in the rest of the budget for the selection.
    pub(crate) fn share_of_draw() -> BigRational {
        ratio(3, 100)
    }

    /// The mechanism where the number of features is drawn with the features. The number is usually
    /// at most the number of good features, so sets are judged by their worst member alone; sets of
    /// all sizes compete (see `release/number.rs`). Where the counts give no significance
    /// threshold, one feature is drawn by this mechanism itself.
    pub(crate) fn of_number() -> Self {
        Self::ByNumber(Arc::new(CanonicalLipschitz::against_bad_members()))
    }

    /// The mechanism, given the released values.
    pub(crate) fn chosen(&self, Known { counts, many }: Known<'_>) -> ChosenMechanism {
        let (mechanism, by) = match self {
            Self::Given(mechanism) => (mechanism.clone(), ChosenBy::Statement),
            Self::BySize(mechanism) => (mechanism.clone(), ChosenBy::Size),
            Self::ByNumber(mechanism) => (mechanism.clone(), ChosenBy::Number),
            Self::ByCounts(by) => by.chosen(counts.unwrap_or_default()),
            Self::ByScores => (by_scores(many), ChosenBy::Scores { many }),
        };
        ChosenMechanism { mechanism, by }
    }
}

impl ByCounts {
    fn chosen(&self, counts: &[f64]) -> (Arc<dyn Mechanism>, ChosenBy) {
        let ratio = self.reach.in_rows(counts) / self.unit;
        let mechanism: Arc<dyn Mechanism> =
            if ratio >= CANONICAL_FROM { canonical() } else { Arc::new(PeelPermuteAndFlip) };
        (mechanism, ChosenBy::Counts { ratio })
    }

    /// The number of usable rows, in this many classes of equal size, from which `canonical` is
    /// chosen.
    pub(crate) fn rows(&self, classes: usize) -> f64 {
        let of_one_row = self.reach.in_rows(&vec![1.0 / classes as f64; classes]);
        CANONICAL_FROM * self.unit / of_one_row
    }
}

fn by_scores(many: Option<bool>) -> Arc<dyn Mechanism> {
    match many {
        Some(false) => Arc::new(CanonicalLipschitz::screening()),
        Some(true) | None => Arc::new(PeelPermuteAndFlip),
    }
}

fn canonical() -> Arc<dyn Mechanism> {
    Arc::new(CanonicalLipschitz::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(choice: &Choice, counts: &[f64]) -> &'static str {
        choice.chosen(known(counts)).mechanism.card().id
    }

    fn known(counts: &[f64]) -> Known<'_> {
        Known { counts: Some(counts), many: None }
    }

    #[test]
    fn counts_decide_between_the_two() {
        let reach = Reach { one_against_rest: false };
        let epsilon: Epsilon = "1.45".parse().unwrap();
        let of = |k, d, neighbors| Choice::of(k, d, reach, neighbors, &epsilon);
        let choice = of(5, 50, Neighbors::AddRemove);
        // 20 * 5 ln 50 / 1.45 = 269.8 rows, of two equal classes.
        let Choice::ByCounts(by) = &choice else { panic!() };
        assert!((by.rows(2) - 269.794).abs() < 1e-3, "{}", by.rows(2));
        assert_eq!(id(&choice, &[135.0, 135.0]), "canonical");
        assert_eq!(id(&choice, &[134.0, 134.0]), "peel-pnf");
        // The rarer class decides; noisy counts may be negative or absent.
        assert_eq!(id(&choice, &[134.0, 9000.0]), "peel-pnf");
        assert_eq!(id(&choice, &[-3.0, 9000.0]), "peel-pnf");
        assert_eq!(choice.chosen(Known::default()).mechanism.card().id, "peel-pnf");
        let ChosenBy::Counts { ratio } = choice.chosen(known(&[135.0, 135.0])).by else { panic!() };
        assert!((ratio - 20.015).abs() < 1e-3, "{ratio}");
        let Choice::ByCounts(by) = of(5, 50, Neighbors::ReplaceOne) else { panic!() };
        assert!((by.rows(2) - 2.0 * 269.794).abs() < 2e-3);
        // Three equal classes: two thirds of a row each.
        assert!((by.rows(3) - 3.0 * 269.794).abs() < 3e-3);
        assert_eq!(id(&of(5, 5, Neighbors::AddRemove), &[1.0, 1.0]), "canonical");
        assert_eq!(id(&of(1, 1, Neighbors::AddRemove), &[1.0, 1.0]), "canonical");
        for k in [1, 2] {
            assert_eq!(id(&of(k, 5, Neighbors::AddRemove), &[1e9, 1e9]), "peel-pnf");
        }
    }

    #[test]
    fn a_draw_decides_between_the_two() {
        let epsilon: Epsilon = "1.45".parse().unwrap();
        let reach = Reach { one_against_rest: false };
        let of = |k, d| Choice::of(k, d, reach, Neighbors::AddRemove, &epsilon);
        assert!(matches!(of(10, 50), Choice::ByCounts(_)));
        assert_eq!(id(&of(11, 11), &[1e9, 1e9]), "canonical");
        for (many, expected) in
            [(None, "peel-pnf"), (Some(true), "peel-pnf"), (Some(false), "canonical")]
        {
            let chosen = of(11, 50).chosen(Known { many, ..known(&[1e9, 1e9]) });
            assert_eq!(chosen.mechanism.card().id, expected);
            assert_eq!(chosen.by, ChosenBy::Scores { many });
            if expected == "canonical" {
                assert_eq!(chosen.mechanism.parameters(11), [("gamma", "0.25".to_owned())]);
            }
        }
    }
}
