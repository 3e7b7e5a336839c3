//! The request for a choice and its execution.

use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use crate::choose::{
    Candidates, Choice, ChoiceRecord, ChosenCandidate, PublicCandidates, ScoresUsed, Trials,
};
use crate::error::{Error, Parameter, Result};
use crate::exact::Exact;
use crate::mechanism::{
    Calibrated, CanonicalLipschitz, Chooses, Mechanism, Parameters, by_id, calibrate, check_choice,
    choose, threshold_set,
};
use crate::privacy::{
    Delta, Epsilon, Expense, Ledger, Neighbors, NotPrivate, Purpose, Spending, Unit,
};
use crate::random::{Bits, Entropy};
use crate::release::{
    Command, Guarantee, MechanismUsed, PickOrder, RandomnessUsed, Warning, WarningKind,
};
use crate::score::Scores;

/// The largest level, in units of the sensitivity: scores up to 2^62 units, of which a common
/// sensitivity has less than 10^8, are not clipped.
const MAX_LEVEL: u64 = 10_000_000_000;

/// A request for a private choice of k candidates by scores computed elsewhere.
///
/// # Privacy
///
/// The whole [`Choice`] is epsilon-differentially private (delta 0, unless one is given) for the
/// given neighbor relation, provided that the given sensitivities are correct. Each run spends
/// epsilon.
#[derive(Debug, Clone)]
pub struct Choose {
    pub(super) k: usize,
    pub(super) epsilon: Option<Exact>,
    pub(super) delta: Option<Exact>,
    pub(super) mechanism: Option<Arc<dyn Mechanism>>,
    pub(super) above: Option<Above>,
    pub(super) neighbors: Neighbors,
    pub(super) monotonic: bool,
}

/// A level in the unit of the scores, and the other parameters of the mechanism for it.
#[derive(Debug, Clone)]
pub(super) struct Above {
    pub(super) level: Exact,
    parameters: Parameters,
}

impl Choose {
    /// A request for k candidates; a budget must be given. The default mechanism is
    /// [`CanonicalLipschitz`] if all sensitivities are equal; otherwise a mechanism must be given.
    pub fn new(k: usize) -> Self {
        Self {
            k,
            epsilon: None,
            delta: None,
            mechanism: None,
            above: None,
            neighbors: Neighbors::default(),
            monotonic: false,
        }
    }

    /// Sets the total budget, an exact number from 1e-6 to 1e6: text, an integer, a ratio, an `f64`
    /// (read as its shortest decimal representation) or an [`Epsilon`].
    pub fn epsilon(mut self, epsilon: impl Into<Exact>) -> Self {
        self.epsilon = Some(epsilon.into());
        self
    }

    /// Lets the choice spend a delta too, an exact number from 1e-100 to 1e-3, as for
    /// [`Select::delta`](crate::Select::delta): for [`Peel`](crate::mechanism::Peel) alone.
    pub fn delta(mut self, delta: impl Into<Exact>) -> Self {
        self.delta = Some(delta.into());
        self
    }

    /// Sets the mechanism.
    pub fn mechanism(mut self, mechanism: impl Mechanism + 'static) -> Self {
        self.mechanism = Some(Arc::new(mechanism));
        self
    }

    /// Chooses all candidates whose scores are above a level, at most k of them. The parameters are
    /// `alpha`, the bound on names at or below the level, and `rate`, the error rate that alpha
    /// bounds. The level must be public or released before. See
    /// [`ThresholdSet`](crate::mechanism::ThresholdSet).
    pub fn above(mut self, level: impl Into<Exact>, parameters: Parameters) -> Self {
        self.above = Some(Above { level: level.into(), parameters });
        self
    }

    /// Sets the neighbor relation to which the sensitivities refer.
    pub fn neighbors(mut self, neighbors: Neighbors) -> Self {
        self.neighbors = neighbors;
        self
    }

    /// Declares that the scores are monotonic: adding one unit changes all scores in the same
    /// direction, as with counts.
    pub fn monotonic(mut self, monotonic: bool) -> Self {
        self.monotonic = monotonic;
        self
    }

    /// Draws from a given seed, for tests and simulations. The result has a separate type.
    pub fn seed(self, seed: u64) -> NotPrivateChoose {
        NotPrivateChoose { request: self, seed }
    }

    /// Whether the order of the picks is released.
    pub fn releases_order(&self) -> bool {
        let card = self.mechanism.as_ref().map(|mechanism| mechanism.card());
        card.is_some_and(|card| card.chooses == Chooses::Sequence)
    }

    /// Chooses k candidates.
    ///
    /// # Errors
    ///
    /// `Request` if no epsilon is given, k exceeds the number of candidates or the limit of the
    /// mechanism, or sensitivities differ without a given mechanism that supports this; `Io` if
    /// the operating system gives no entropy.
    pub fn run(&self, candidates: &Candidates) -> Result<Choice> {
        self.draw(candidates, Entropy::OperatingSystem).map(Choice::new)
    }

    /// Chooses k candidates after charging a ledger, with a note for the entry; the sensitivities
    /// must refer to the ledger's unit. The candidates, whose scores are data, are read after the
    /// charge; use [`check_public`](Self::check_public) before it to check the request. If they
    /// cannot be read, or the choice fails, the entry is marked as failed and stays spent.
    ///
    /// # Errors
    ///
    /// As for [`Ledger::spend`], in which case no candidates were read; as for reading them; as for
    /// [`run`](Self::run).
    pub fn run_with_ledger(
        &self,
        candidates: impl FnOnce() -> Result<Candidates>,
        ledger: &Ledger,
        note: &str,
    ) -> Result<Choice> {
        let expense = self.expense(note)?;
        let (choice, receipt) = ledger.charge(&expense, || self.run(&candidates()?))?;
        Ok(choice.with_receipt(receipt))
    }

    /// The charge of this request to a ledger, with a note.
    ///
    /// # Errors
    ///
    /// `Request` if no epsilon is given.
    pub fn expense(&self, note: &str) -> Result<Expense> {
        let epsilon = Epsilon::given(self.epsilon.clone())?;
        let expense = Expense::new(epsilon, Command::Choose.to_string());
        let expense = expense.delta(Delta::given(self.delta.clone())?);
        Ok(expense.neighbors(self.neighbors).unit(Unit::Unit).note(note))
    }

    /// Checks the request against the public part of the candidates.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run), as far as they do not depend on the scores.
    pub fn check_public(&self, public: &PublicCandidates) -> Result<()> {
        let sensitivities = public.sensitivities.clone();
        // The scores do not matter.
        let values = vec![0; sensitivities.len()];
        let scores = Scores::with_sensitivities(values, sensitivities, self.neighbors)?;
        let scores = if self.monotonic { scores.monotonic()? } else { scores };
        // Nor does the unit of a level.
        let mechanism = self.mechanism_for(&scores, &BigRational::one())?;
        check_choice(mechanism.card(), &scores, self.most(&scores))?;
        self.calibrated(&*mechanism).map(|_| ())
    }

    /// Counts the outcomes of this many independent choices. For evaluation on public scores only,
    /// since every choice spends epsilon.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    pub fn trials(&self, candidates: &Candidates, trials: u64) -> Result<NotPrivate<Trials>> {
        self.all_trials(candidates, trials, Entropy::OperatingSystem)
    }

    pub(super) fn all_trials(
        &self,
        candidates: &Candidates,
        trials: u64,
        entropy: Entropy,
    ) -> Result<NotPrivate<Trials>> {
        let (scores, mechanism, Calibrated { noise, .. }) = self.checked(candidates)?;
        let k = self.most(&scores);
        let one = |bits: &Bits| choose(&*mechanism, &scores, k, &noise, bits);
        Trials::count(trials, entropy, one).map(NotPrivate::new)
    }

    fn draw(&self, candidates: &Candidates, entropy: Entropy) -> Result<ChoiceRecord> {
        let (scores, mechanism, calibrated) = self.checked(candidates)?;
        let bits = entropy.source()?.bits(Purpose::Selection.draw());
        let k = self.most(&scores);
        let picks = choose(&*mechanism, &scores, k, &calibrated.noise, &bits)?;
        record(self, candidates, &*mechanism, calibrated, &picks, entropy)
    }

    fn checked(&self, candidates: &Candidates) -> Result<(Scores, Arc<dyn Mechanism>, Calibrated)> {
        let scores = candidates.scores(self.neighbors, self.monotonic)?;
        let mechanism = self.mechanism_for(&scores, &candidates.largest_sensitivity())?;
        let calibrated = self.calibrated(&*mechanism)?;
        Ok((scores, mechanism, calibrated))
    }

    /// The price of the choice, and its noise. (That k is at least 1 is checked later.)
    fn calibrated(&self, mechanism: &dyn Mechanism) -> Result<Calibrated> {
        let epsilon = Epsilon::given(self.epsilon.clone())?;
        let delta = Delta::given(self.delta.clone())?;
        calibrate(mechanism.card(), self.k.max(1), &epsilon, &delta)
    }

    /// The maximum number of picks: k, or with a level at most all candidates.
    fn most(&self, scores: &Scores) -> usize {
        match self.above {
            Some(_) => self.k.min(scores.values().len()),
            None => self.k,
        }
    }

    /// The given mechanism, the mechanism for a level, or the default for a common sensitivity,
    /// which is `sensitivity` in the unit of a level.
    fn mechanism_for(
        &self,
        scores: &Scores,
        sensitivity: &BigRational,
    ) -> Result<Arc<dyn Mechanism>> {
        match (&self.mechanism, &self.above) {
            (Some(_), Some(_)) => Err(Error::request("a selection above a level has its own mechanism")
                .about([Parameter::Above, Parameter::Mechanism])),
            (Some(mechanism), None) => Ok(mechanism.clone()),
            (None, Some(Above { level, parameters })) => {
                if parameters.level.is_some() {
                    let error = Error::request("the level is given twice");
                    return Err(error.about([Parameter::Above, Parameter::OfMechanism("level")]));
                }
                let level = level.clone().rational().ok_or_else(|| {
                    Error::request("the level must be a number").about([Parameter::Above])
                })?;
                let level = level / sensitivity;
                // Scores beyond are clipped.
                if level > BigRational::from(BigInt::from(MAX_LEVEL)) {
                    let rule = "the level must be at most 10^10 times the sensitivity";
                    return Err(Error::request(rule).about([Parameter::Above]));
                }
                let level = Some(Exact::of(level));
                by_id(threshold_set::CARD.id, &Parameters { level, ..parameters.clone() })
            }
            (None, None) if scores.is_homogeneous() => Ok(Arc::new(CanonicalLipschitz::default())),
            (None, None) => Err(Error::request("sensitivities differ: give the mechanism")
                .hint("gem, mgem, cgem, rs or rs-tnb, or the largest sensitivity for all; advice is available")
                .about([Parameter::Mechanism, Parameter::Sensitivity, Parameter::Advice])),
        }
    }
}

/// A request that draws from a given seed.
#[derive(Debug, Clone)]
pub struct NotPrivateChoose {
    request: Choose,
    seed: u64,
}

impl NotPrivateChoose {
    /// Chooses k candidates; the same seed and candidates give the same record.
    ///
    /// # Errors
    ///
    /// As for [`Choose::run`].
    pub fn run(&self, candidates: &Candidates) -> Result<NotPrivate<ChoiceRecord>> {
        self.request.draw(candidates, Entropy::Seeded(self.seed)).map(NotPrivate::new)
    }

    /// Like [`Choose::trials`], reproducible by the seed.
    ///
    /// # Errors
    ///
    /// As for [`Choose::run`].
    pub fn trials(&self, candidates: &Candidates, trials: u64) -> Result<NotPrivate<Trials>> {
        self.request.all_trials(candidates, trials, Entropy::Seeded(self.seed))
    }
}

fn record(
    request: &Choose,
    candidates: &Candidates,
    mechanism: &dyn Mechanism,
    calibrated: Calibrated,
    picks: &[usize],
    entropy: Entropy,
) -> Result<ChoiceRecord> {
    let randomness = RandomnessUsed::of(entropy);
    let clipped = candidates.small_limit().map(|limit| {
        let text = format!(
            "scores beyond about {limit:.1e} count as that many, because sensitivities differ by a large factor: leave out \
             the candidates with the smallest ones if scores may be larger"
        );
        Warning::new(WarningKind::ClippedScores, text)
    });
    let of_budget = [Warning::of_epsilon(&calibrated.epsilon), Warning::of_delta(&calibrated)];
    let warnings = randomness.warning().into_iter().chain(of_budget.into_iter().flatten());
    let warnings = warnings.chain(clipped).collect();
    let Calibrated { epsilon, noise, delta, .. } = calibrated;
    let picked = |&index: &usize| ChosenCandidate {
        name: candidates.names()[index].clone(),
        row: index + 1,
        index,
    };
    Ok(ChoiceRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: Command::Choose,
        run: None,
        ledger: None,
        private: !randomness.seeded,
        selected: picks.iter().map(picked).collect(),
        order: PickOrder::of(mechanism.card()),
        guarantee: Guarantee {
            spent: vec![Spending { purpose: Purpose::Selection, epsilon: epsilon.clone() }],
            events: vec![mechanism.card().event(request.k, &noise)?],
            epsilon,
            pure_epsilon: (!delta.is_zero()).then_some(noise),
            delta,
            neighbors: request.neighbors,
            unit: Unit::Unit,
            one_row_per_identifier: false,
        },
        mechanism: MechanismUsed::of(mechanism, request.k),
        score: ScoresUsed {
            candidates: candidates.names().len(),
            k: request.k.min(candidates.names().len()),
            above: request.above.as_ref().map(|above| above.level.to_string()),
            sensitivity: candidates.sensitivity(),
            own_sensitivities: candidates.have_own_sensitivities(),
            monotonic: request.monotonic,
        },
        warnings,
        randomness,
    })
}
