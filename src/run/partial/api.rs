//! The entry points to sums of tables in parts, and to the releases from them.

use crate::error::Result;
use crate::privacy::{Delta, Ledger, NotPrivate};
use crate::release::record::{Command, Record, Selection};
use crate::request::builder::{CheckedSelect, Select};
use crate::request::fields::{ScoreKind, Target};
use crate::request::not_private::NotPrivateSelect;
use crate::run::charged::{check_names, expense};
#[cfg(feature = "sites")]
use crate::run::partial::SiteFacts;
use crate::run::partial::facts::{CodedBy, Facts, Range, Summed, bounds};
#[cfg(feature = "sites")]
use crate::run::partial::of_table::given;
use crate::run::partial::of_table::{Wanted, partial};
use crate::run::partial::stages::{Uncharged, release_selection, release_target, uncharged};
use crate::run::partial::{Partial, ReleasedTarget, other_stage};
use crate::table::{Scaling, Source};

impl Select {
    /// Sums the rows of a table that are a part of a larger one: **not private**, see [`Partial`].
    /// k and epsilon do not matter and need not be given. `released` is the median of the target in
    /// the second stage of two.
    ///
    /// # Errors
    ///
    /// As for [`CheckedSelect::run`]; `Request` if the scores of the request do not add up from
    /// parts.
    pub fn partial(
        &self,
        source: &(impl Source + ?Sized),
        released: Option<&ReleasedTarget>,
    ) -> Result<Partial> {
        partial(&self.of_sums()?, source, released, Wanted::Features)
    }

    /// The facts about the table that this request and its columns give: sums of tables with other
    /// facts do not add up. No row is read where rows are samples.
    ///
    /// # Errors
    ///
    /// As for [`partial`](Self::partial), except errors of rows.
    #[cfg(feature = "sites")]
    #[cfg_attr(docsrs, doc(cfg(feature = "sites")))]
    pub fn site_facts(&self, source: &(impl Source + ?Sized)) -> Result<SiteFacts> {
        given(&self.of_sums()?, source).map(|facts| SiteFacts::of(&facts))
    }

    /// Like [`partial`](Self::partial), of the targets alone: for Kolmogorov-Smirnov scores of
    /// whole columns, which an engine computes at the center that is released from these sums. A
    /// numeric target without a range is counted first.
    ///
    /// # Errors
    ///
    /// As for [`partial`](Self::partial); `Request` for other scores.
    pub fn target_partial(
        &self,
        source: &(impl Source + ?Sized),
        released: Option<&ReleasedTarget>,
    ) -> Result<Partial> {
        partial(&self.of_sums()?, source, released, Wanted::Targets)
    }

    /// The sums that a stage of a [run in parts](CheckedSelect::run_in_parts) needs: the sums of
    /// [`partial`](Self::partial), or of [`target_partial`](Self::target_partial) for
    /// Kolmogorov-Smirnov scores of whole columns.
    ///
    /// # Errors
    ///
    /// As for these.
    pub fn stage_partial(
        &self,
        source: &(impl Source + ?Sized),
        released: Option<&ReleasedTarget>,
    ) -> Result<Partial> {
        partial(&self.of_sums()?, source, released, Wanted::Needed)
    }
}

impl Partial {
    /// A request for k of the features, with everything that was given for the sums: target, score
    /// and scaling. Epsilon and all other options of the release remain to be given.
    ///
    /// # Errors
    ///
    /// `Input` if a range cannot be read.
    pub fn request(&self, k: usize) -> Result<Select> {
        self.apply_to(Select::new(k))
    }

    /// Sets in a request everything that was given for the sums, as [`request`](Self::request) does
    /// for k features.
    ///
    /// # Errors
    ///
    /// `Input` if a range cannot be read.
    pub fn apply_to(&self, select: Select) -> Result<Select> {
        self.facts.apply_to(select)
    }
}

impl Facts {
    /// Sets in a request the options that were given for the sums.
    ///
    /// # Errors
    ///
    /// `Input` if a range cannot be read.
    fn apply_to(&self, mut select: Select) -> Result<Select> {
        select = select.target(match &self.target {
            CodedBy::Median => Target::Numeric,
            CodedBy::Range(ends) => Target::Bounded(bounds(ends)?),
            CodedBy::TwoClasses(labels) | CodedBy::Classes(labels) => {
                match self.schema.time_to_event() {
                    Some(events) => Target::TimeToEvent(events.clone()),
                    None => Target::Classes(labels.clone()),
                }
            }
        });
        select = select.score(match self.association {
            Summed::Correlation => ScoreKind::Correlation,
            Summed::KsOnBins | Summed::Ks => ScoreKind::Ks,
        });
        // Whole columns are not scaled.
        if self.association != Summed::Ks {
            select = select.scaling(match &self.scaling {
                Range::RowRank => Scaling::RowRank,
                Range::All(ends) => Scaling::Bounds(bounds(ends)?),
                Range::Each(all) => {
                    Scaling::BoundsByFeature(all.iter().map(bounds).collect::<Result<_>>()?)
                }
            });
        }
        if self.per_million {
            select = select.counts_per_million();
        }
        Ok(match &self.schema_hash {
            Some(hash) => select.schema_hash(hash.clone()),
            None => select,
        })
    }
}

impl CheckedSelect {
    /// Releases a selection from the sums of all rows of a table.
    ///
    /// # Privacy
    ///
    /// As for [`run`](Self::run) on the whole table, if each of its rows is in exactly one of the
    /// partials that were merged. If a median was released, its part of epsilon was spent then, and
    /// is part of the whole.
    ///
    /// # Errors
    ///
    /// `Request` if the partial was made for another request; `Input` if the private counts
    /// leave nothing to find; `Io` if the operating system gives no entropy.
    pub fn release(&self, partial: &Partial) -> Result<Selection> {
        release_selection(self.request(), partial).map(Selection::new)
    }

    /// Like [`release`](Self::release), but charges a ledger first; the entry has this note. Parts
    /// that were charged for [`release_target_with_ledger`](Self::release_target_with_ledger) are
    /// not charged again.
    ///
    /// # Errors
    ///
    /// As for [`Ledger::spend`]; as for [`release`](Self::release).
    pub fn release_with_ledger(
        &self,
        partial: &Partial,
        ledger: &Ledger,
        note: &str,
    ) -> Result<Selection> {
        let request = self.request();
        check_names(request)?;
        let epsilon = uncharged(request, partial, ledger)?.all.ok_or_else(other_stage)?;
        let delta = Delta::given(request.delta.clone())?;
        let expense = expense(request, Command::Select, epsilon, note).delta(delta);
        let (record, receipt) = ledger.charge(&expense, || release_selection(request, partial))?;
        Ok(Selection::new(record).with_receipt(receipt))
    }

    /// Releases the value of the target that the next stage needs, from the sums of all rows and
    /// with its part of the request's epsilon: the median of a numeric target without a range, or
    /// the center at which whole columns are scored.
    ///
    /// # Errors
    ///
    /// As for [`release`](Self::release).
    pub fn release_target(&self, partial: &Partial) -> Result<ReleasedTarget> {
        release_target(self.request(), partial)
    }

    /// Like [`release_target`](Self::release_target), but charges a ledger first; the entry has
    /// this note. A ledger that would refuse a later stage is not charged.
    ///
    /// # Errors
    ///
    /// As for [`Ledger::spend`]; as for [`release`](Self::release).
    pub fn release_target_with_ledger(
        &self,
        partial: &Partial,
        ledger: &Ledger,
        note: &str,
    ) -> Result<ReleasedTarget> {
        let request = self.request();
        check_names(request)?;
        let release = || release_target(request, partial);
        let Uncharged { stage, all } = uncharged(request, partial, ledger)?;
        let all = expense(request, Command::Select, all.ok_or_else(other_stage)?, note);
        ledger.check(&all.delta(Delta::given(request.delta.clone())?))?;
        // A given center spends no budget.
        let released = match stage {
            Some(epsilon) => {
                ledger.charge(&expense(request, Command::Select, epsilon, note), release)?.0
            }
            None => release()?,
        };
        released.charged_to(ledger)
    }
}

impl NotPrivateSelect {
    /// Like [`CheckedSelect::release`].
    ///
    /// # Errors
    ///
    /// As for [`CheckedSelect::release`].
    pub fn release(&self, partial: &Partial) -> Result<NotPrivate<Record>> {
        self.check()?;
        release_selection(self.request(), partial).map(NotPrivate::new)
    }

    /// Like [`CheckedSelect::release_target`].
    ///
    /// # Errors
    ///
    /// As for [`CheckedSelect::release_target`].
    pub fn release_target(&self, partial: &Partial) -> Result<ReleasedTarget> {
        self.check()?;
        release_target(self.request(), partial)
    }
}
