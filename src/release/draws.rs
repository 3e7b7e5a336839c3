//! Private releases: draws from the gathered values with the budget of the plan. They do not access
//! files.

use std::borrow::Cow;

use crate::error::Result;
use crate::estimate::{
    Counted, CountedStrata, EffectNoise, MedianGrid, RankCounts, RowsEstimate, private_center,
    private_class_centers, private_pairs, private_rows, private_strata,
};
use crate::exact::GRID;
use crate::mechanism::choose;
use crate::method::{blocks_for, dp_kendall, votes};
use crate::privacy::{Epsilon, Purpose};
use crate::random::{Bits, RandomnessSource};
use crate::release::findings::{Findings, findings};
use crate::release::large_scores;
use crate::release::number::{self, Drawn as DrawnNumber};
use crate::release::record::Released;
use crate::release::required::{self, Requirements};
use crate::release::scarce::Scarce;
use crate::release::settled::Settled;
use crate::release::stop::{RowWords, check_counts};
use crate::request::plan::{
    Choice, ChosenBy, ChosenMechanism, FwerControl, Known, Plan, PlannedBlocks, PlannedCenter,
};
use crate::request::weights::FeatureWeights;
use crate::score::{KsColumns, Scores};
use crate::statistic::blocks::{BlockRows, Dealer};
use crate::statistic::coded::{CenteredCode, Coded, Exact, Gathering, KsRows, Scored, Statistic};
use crate::statistic::pass::Gathered;
use crate::table::TargetCode;

/// One execution of the releases of a plan.
pub(crate) struct Release<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) randomness: &'a RandomnessSource,
    /// How rows are assigned to blocks.
    pub(crate) dealer: Dealer<'a>,
    /// The text for rows, for a run that ends on counts that leave nothing to find; `None` in
    /// simulations.
    pub(crate) words: Option<RowWords>,
}

/// Picks by scores against a coded target, before their findings.
pub(crate) struct Drawn<'g> {
    settled: Settled,
    scored: Scored<'g>,
    pub(crate) picks: Picks,
}

/// Picks by scores, with the details of the draw.
pub(crate) struct Picks {
    pub(crate) mechanism: ChosenMechanism,
    /// The number of picks, if it was drawn.
    drawn: Option<usize>,
    /// The noise of their effect sizes, if these are released.
    pub(crate) noise: Option<EffectNoise>,
    /// The significance threshold of each class of features, in rows, of a selection without k, if
    /// the counts give one.
    levels: Option<Vec<f64>>,
    /// The largest change of a score.
    sensitivity: u64,
    /// The features that the picks were refined from; equal to the picks without a refinement.
    pub(crate) screened: Vec<usize>,
    /// The feature indices, in the mechanism's order.
    pub(crate) picks: Vec<usize>,
}

/// The picks, and everything released with them.
pub(crate) struct Chosen {
    /// The feature indices, in the mechanism's order.
    pub(crate) picks: Vec<usize>,
    /// The mechanism that chose them.
    pub(crate) mechanism: ChosenMechanism,
    /// The features that the picks were refined from, if there was a refinement.
    pub(crate) screened: Option<Vec<usize>>,
    /// The largest change of a score by one row, if all picks compare scores of one sensitivity.
    pub(crate) sensitivity: Option<u64>,
    pub(crate) released: Released,
    /// The private estimate of the number of rows.
    pub(crate) estimate: Option<RowsEstimate>,
    /// The counts of strata, if there are several.
    pub(crate) strata: Option<CountedStrata>,
    /// The total number of rows, recorded only if it is public.
    pub(crate) rows: u64,
    /// The number of blocks of rows.
    pub(crate) blocks: Option<u64>,
    /// The released counts that noise alone could explain.
    pub(crate) scarce: Scarce,
    /// Effect sizes, directions and significance of the picks, in their order; `None` if not
    /// released.
    pub(crate) findings: Option<Findings>,
}

impl Picks {
    /// The picks of a method without scores of single features.
    fn without_scores(plan: &Plan, picks: Vec<usize>) -> Self {
        let mechanism = plan.choice.chosen(Known::default());
        Self {
            mechanism,
            drawn: None,
            noise: None,
            levels: None,
            sensitivity: 0,
            screened: Vec::new(),
            picks,
        }
    }
}

impl Release<'_> {
    /// The private median of the target.
    pub(crate) fn median(&self, counts: &RankCounts, epsilon: &Epsilon) -> f64 {
        let bits = self.randomness.bits(Purpose::TargetMedian.draw());
        MedianGrid::shared().private_split(counts, self.plan.request.neighbors, epsilon, &bits)
    }

    /// Releases the values that scores depend on: the median, if the target is not split yet, and
    /// the center.
    ///
    /// # Errors
    ///
    /// `Request` if the budget has no part for them.
    pub(crate) fn settle<'g>(&self, statistic: &'g Statistic<'_>) -> Result<(Settled, Scored<'g>)> {
        let coded = statistic.coded(self.plan.strata, |values| {
            let counts = MedianGrid::shared().count(values.iter().copied());
            Ok(self.median(&counts, self.plan.part(Purpose::TargetMedian)?))
        })?;
        let center = &statistic.scoring.center;
        let Coded { code, target, outside, rows, scored } = coded;
        let shrinks = self.plan.shrinks_center();
        let settled = match code {
            Some(code) if *center == PlannedCenter::OfPairs => self.pairs(code, &target, rows)?,
            Some(code) if self.plan.strata > 1 => self.strata(code, &target, (outside, rows))?,
            Some(code) => self.number(code, &target, rows, center, shrinks)?,
            None => self.classes(&target, rows, center)?,
        };
        Ok((settled, scored))
    }

    /// Scores with their sensitivity.
    ///
    /// # Errors
    ///
    /// `Request` if there are no scores.
    pub(crate) fn scores(&self, values: Vec<i64>, one_row: u64) -> Result<Scores> {
        Scores::new(
            values,
            self.plan.request.neighbors.steps() * one_row,
            self.plan.request.neighbors,
        )
    }

    /// Selects features by their scores, with the mechanism for the released counts, if any: k, or
    /// the features screened for a refinement, or a number that is drawn with them.
    ///
    /// # Errors
    ///
    /// `Request` if the scores do not suit the mechanism.
    pub(crate) fn select(&self, scores: &Scores, counted: Option<&Counted>) -> Result<Picks> {
        let class_of = self.plan.weights.as_ref().map(FeatureWeights::class_of);
        self.select_at(scores, class_of, counted, |fwer, counted| {
            let bits = self.randomness.bits(Purpose::Number.draw());
            let levels = required::levels(self.plan, fwer, counted, &bits)?;
            Some(Cow::Owned(Requirements::new(self.plan, counted, levels)))
        })
    }

    /// Like [`select`](Self::select), for features of these classes. Without k, `requirements` are
    /// the scores that features require by the counts; they determine the number that is drawn.
    ///
    /// # Errors
    ///
    /// As for [`select`](Self::select).
    pub(crate) fn select_at<'r>(
        &self,
        scores: &Scores,
        class_of: Option<&[u8]>,
        counted: Option<&Counted>,
        requirements: impl FnOnce(&FwerControl, &Counted) -> Option<Cow<'r, Requirements>>,
    ) -> Result<Picks> {
        let sensitivity = scores.sensitivity();
        let many = match (&self.plan.choice, counted) {
            (Choice::ByScores, Some(counted)) => {
                let bits = self.randomness.bits(Purpose::Mechanism.draw());
                Some(large_scores::draw(self.plan, scores, counted, &bits)?)
            }
            _ => None,
        };
        let counts = counted.map(|counted| &counted.classes[..]);
        let mut chosen = self.plan.choice.chosen(Known { counts, many });
        let bits = self.randomness.bits(Purpose::Selection.draw());
        let (mut levels, mut drawn) = (None, None);
        if let (Some(fwer), Some(counted)) = (&self.plan.fwer, counted)
            && let Some(required) = requirements(fwer, counted)
        {
            let features = (scores, class_of);
            drawn = number::draw(self.plan, features, counted, &required, self.randomness)?;
            levels = Some(required.into_owned().levels);
        }
        let (picks, noise) = match drawn {
            Some(DrawnNumber { picks, mechanism, noise }) => {
                chosen.mechanism = mechanism;
                (picks, Some(noise))
            }
            None => {
                // Without a significance threshold no feature is named: one is enough.
                let k = if self.plan.fwer.is_some() { 1 } else { self.plan.picks() };
                let noise = &self.plan.calibrated.noise;
                let scores = self.weighted(scores, class_of, k);
                let mut picks = choose(&*chosen.mechanism, &scores, k, noise, &bits)?;
                if chosen.by != ChosenBy::Statement {
                    // The same form of the output for every mechanism.
                    picks.sort_unstable();
                }
                (picks, self.plan.estimates.clone())
            }
        };
        let drawn = self.plan.fwer.is_some().then_some(picks.len());
        let screened = picks.clone();
        Ok(Picks { mechanism: chosen, drawn, noise, levels, sensitivity, screened, picks })
    }

    /// Scores for a selection of k features, with the shifts by the weights of features, if there
    /// are any.
    fn weighted<'s>(
        &self,
        scores: &'s Scores,
        class_of: Option<&[u8]>,
        k: usize,
    ) -> Cow<'s, Scores> {
        let (Some(weights), Some(class_of)) = (&self.plan.weights, class_of) else {
            return Cow::Borrowed(scores);
        };
        let rate = self.plan.calibrated.noise.to_f64();
        let unit = 2.0 * k as f64 * scores.sensitivity() as f64 / rate;
        let shift = |class| unit * weights.ln_ratio(class);
        Cow::Owned(FeatureWeights::shifted(scores, class_of, shift))
    }

    /// Whether these values are enough for scores and a refinement.
    pub(crate) fn draws_at_once(&self, values: &Gathering<'_>) -> bool {
        let refines = self.plan.refinement.is_some();
        match values {
            Gathering::Sums(..) => !refines,
            Gathering::Rows(..) => true,
            Gathering::Columns(KsRows { columns, .. }) => {
                columns.len() == self.plan.features
                    && (!refines || matches!(columns, KsColumns::Values { .. }))
            }
        }
    }

    /// Draws from the values gathered from a whole table.
    ///
    /// # Errors
    ///
    /// `Request` if scores do not suit the mechanism; `Input` if the released counts leave nothing
    /// to find; `Canceled` if the caller stopped it.
    pub(crate) fn draw(&self, gathered: &Gathered<'_>) -> Result<Chosen> {
        match gathered {
            Gathered::Coded(statistic) => self.finish(self.drawn(statistic)?),
            Gathered::Scores { scores, rows } => Ok(self.chosen(self.select(scores, None)?, *rows)),
            Gathered::Blocks(rows) => self.votes(rows),
            Gathered::Ranked(columns) => {
                let Plan { k, calibrated, .. } = self.plan;
                let shared = |feature| columns.shared(feature);
                let target = columns.target.clone();
                let picks = dp_kendall(target, shared, *k, &calibrated.noise, self.randomness)?;
                Ok(Chosen {
                    // The scores of later rounds have a larger sensitivity than the scores of the
                    // first.
                    sensitivity: None,
                    ..self.chosen(Picks::without_scores(self.plan, picks), columns.rows)
                })
            }
        }
    }

    /// The picks by scores against a coded target, when all values are gathered.
    ///
    /// # Errors
    ///
    /// As for [`draw`](Self::draw).
    pub(crate) fn drawn<'g>(&self, statistic: &'g Statistic<'_>) -> Result<Drawn<'g>> {
        let (settled, scored) = self.settle(statistic)?;
        self.check_counts(&settled)?;
        let Dealer { threads, hooks, .. } = self.dealer;
        let values = scored.values(&settled.target, threads, hooks)?;
        let scores = self.scores(values, scored.one_row(&settled.target))?;
        let mut picks = self.select(&scores, settled.counted.as_ref())?;
        if let Some(refinement) = &self.plan.refinement {
            let (values, screened) = (&statistic.values, &picks.screened);
            picks.picks = self.refined(refinement, &settled, values, screened, screened)?;
        }
        Ok(Drawn { settled, scored, picks })
    }

    /// Ends a run on counts that leave nothing to find, unless it is a simulation.
    pub(crate) fn check_counts(&self, settled: &Settled) -> Result<()> {
        self.words.map_or(Ok(()), |words| check_counts(self.plan, words, settled.counted.as_ref()))
    }

    /// Everything released with these picks.
    ///
    /// # Errors
    ///
    /// As for [`with_findings`](Self::with_findings).
    pub(crate) fn finish(&self, drawn: Drawn<'_>) -> Result<Chosen> {
        let Drawn { settled, scored, picks } = drawn;
        self.with_findings(settled, picks, |target, picks| Ok(scored.exact(target, picks)))
    }

    /// Everything released with some picks; `exact` computes their effect sizes.
    ///
    /// # Errors
    ///
    /// The errors of `exact`.
    pub(crate) fn with_findings(
        &self,
        settled: Settled,
        picks: Picks,
        exact: impl FnOnce(&CenteredCode, &[usize]) -> Result<Exact>,
    ) -> Result<Chosen> {
        let Plan { estimates, direction, fwer, .. } = self.plan;
        let wanted = estimates.is_some() || direction.is_some();
        let findings = match &settled.counted {
            Some(counted) if wanted => {
                let exact = exact(&settled.target, &picks.picks)?;
                let terms = (picks.noise.as_ref(), picks.levels.as_deref());
                let picked = (&picks.picks[..], &exact);
                Some(findings(self.plan, counted, picked, terms, self.randomness))
            }
            _ => None,
        };
        let (picks, findings) = match fwer {
            Some(_) => named(picks, findings),
            None => (picks, findings),
        };
        Ok(Chosen {
            estimate: settled.usable(),
            strata: settled.strata.clone(),
            released: Released { number: picks.drawn, ..settled.released.clone() },
            scarce: settled.scarce(self.plan),
            findings,
            ..self.chosen(picks, settled.rows)
        })
    }

    /// Picks without any further release.
    fn chosen(&self, picks: Picks, rows: u64) -> Chosen {
        let Picks { mechanism, sensitivity, screened, picks, .. } = picks;
        Chosen {
            picks,
            mechanism,
            screened: self.plan.refinement.is_some().then_some(screened),
            sensitivity: Some(sensitivity),
            released: Released::default(),
            estimate: None,
            strata: None,
            rows,
            blocks: None,
            scarce: Scarce::default(),
            findings: None,
        }
    }

    /// Settles a target coded as one number. `shrinks` is true if scores use a private center
    /// shrunk by its noise.
    pub(crate) fn number(
        &self,
        code: TargetCode,
        sums: &[u64],
        rows: u64,
        center: &PlannedCenter,
        shrinks: bool,
    ) -> Result<Settled> {
        let sums = sums.as_chunks().0.first().map_or((0, 0), |[a, b]| (*a, *b));
        let usable = (sums.0 + sums.1) / (2 * u64::from(GRID.unsigned_abs()));
        let (released, counted) = self.center(center, |epsilon, bits| {
            let neighbors = self.plan.request.neighbors;
            let (center, counted) =
                private_center(sums, rows - usable, GRID, neighbors, epsilon, bits);
            (vec![center], counted)
        })?;
        let released = released.first().copied().unwrap_or_default();
        Ok(Settled::number(code, released, shrinks, counted, rows))
    }

    /// The number of people with rows of both classes, for scores without a center.
    pub(crate) fn pairs(&self, code: TargetCode, counts: &[u64], rows: u64) -> Result<Settled> {
        let pairs = counts.first().copied().unwrap_or_default();
        let bits = self.randomness.bits(Purpose::Rows.draw());
        let (neighbors, epsilon) = (self.plan.request.neighbors, self.plan.part(Purpose::Rows)?);
        let counted = private_pairs(pairs, rows - pairs, neighbors, epsilon, &bits);
        Ok(Settled::pairs(code, counted, rows))
    }

    /// Settles a target coded as one number in strata, by the sums of each stratum, the number of
    /// units with a usable target in no stratum, and the number of all units. It
    /// [spends](private_strata) the part of one center.
    fn strata(
        &self,
        code: TargetCode,
        sums: &[u64],
        (outside, rows): (u64, u64),
    ) -> Result<Settled> {
        let sums: Vec<(u64, u64)> = sums.as_chunks().0.iter().map(|[a, b]| (*a, *b)).collect();
        let in_strata: u64 =
            sums.iter().map(|(a, b)| (a + b) / (2 * u64::from(GRID.unsigned_abs()))).sum();
        let epsilon = self.plan.part(Purpose::TargetCenter)?;
        let bits = self.randomness.bits(Purpose::TargetCenter.draw());
        let neighbors = self.plan.request.neighbors;
        let others = (outside, rows - in_strata - outside);
        let counted = private_strata(&sums, others, GRID, neighbors, epsilon, &bits);
        Ok(Settled::in_strata(code, counted))
    }

    /// Settles three or more classes.
    pub(crate) fn classes(
        &self,
        counts: &[u64],
        rows: u64,
        center: &PlannedCenter,
    ) -> Result<Settled> {
        let unusable = rows - counts.iter().sum::<u64>();
        let (centers, counted) = self.center(center, |epsilon, bits| {
            let neighbors = self.plan.request.neighbors;
            private_class_centers(counts, unusable, GRID, neighbors, epsilon, bits)
        })?;
        Ok(Settled::classes(centers, counted, rows))
    }

    /// Picks by the votes of blocks, after the median and the count of rows, if these are drawn.
    fn votes(&self, rows: &BlockRows) -> Result<Chosen> {
        let voting = &rows.voting;
        let median = self.plan.median().map(|epsilon| self.median(&rows.ranks(), epsilon));
        let (blocks, estimate) = match &voting.blocks {
            PlannedBlocks::Given(blocks) => (*blocks, None),
            PlannedBlocks::ByPublicRows => (rows.rows.isqrt().max(1), None),
            PlannedBlocks::Private => {
                let epsilon = self.plan.part(Purpose::Rows)?;
                let bits = self.randomness.bits(Purpose::Rows.draw());
                let estimate = private_rows(rows.usable(), epsilon, &bits);
                (blocks_for(estimate.rows), Some(estimate))
            }
        };
        let ballots = rows.ballots(voting.penalty, median, blocks, &self.dealer)?;
        let votes = votes(&ballots, rows.features(), self.plan.k);
        let scores = Scores::new(votes, 1, self.plan.request.neighbors)?;
        let released = Released {
            target_median: median,
            rows_estimate: estimate.map(|estimate| estimate.rows),
            ..Released::default()
        };
        let picks = self.select(&scores, None)?;
        Ok(Chosen { released, estimate, blocks: Some(blocks), ..self.chosen(picks, rows.rows) })
    }

    /// The planned center, of a number or of each class: public, or estimated with its part of the
    /// budget, along with counts of the rows.
    fn center(
        &self,
        planned: &PlannedCenter,
        estimate: impl Fn(&Epsilon, &Bits) -> (Vec<i32>, Counted),
    ) -> Result<(Vec<i32>, Option<Counted>)> {
        match planned {
            PlannedCenter::Public(center) => Ok((center.clone(), None)),
            PlannedCenter::OfPairs => Ok((Vec::new(), None)),
            PlannedCenter::Private => {
                let bits = self.randomness.bits(Purpose::TargetCenter.draw());
                let (center, counted) = estimate(self.plan.part(Purpose::TargetCenter)?, &bits);
                Ok((center, Some(counted)))
            }
        }
    }
}

/// The picks that are significant, with their findings.
fn named(picks: Picks, findings: Option<Findings>) -> (Picks, Option<Findings>) {
    let significant =
        |i: usize| findings.as_ref().is_some_and(|findings| findings.is_significant(i));
    let kept: Vec<bool> = (0..picks.picks.len()).map(significant).collect();
    let named = picks.picks.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(pick, _)| *pick);
    let picks = Picks { picks: named.collect(), ..picks };
    (picks, findings.map(|findings| findings.of(&kept)))
}
