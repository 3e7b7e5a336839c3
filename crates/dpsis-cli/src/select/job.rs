//! The request that the arguments of `select` make.

use std::path::Path;

use super::arguments::{MethodId, Scale, Score, SelectArguments};
use crate::progress::progress;
use crate::schema_file::SchemaFile;
use crate::values::{parse_bounds, parse_center, parse_size, parse_split};
use dpsis::{
    Error, FileTable, Method, NotPrivateSelect, Result, Scaling, ScoreKind, Select, TwoStage,
};

/// The share of the budget for directions, if none is stated.
const DIRECTION_SHARE: &str = "0.05";

/// A request and its table.
pub(crate) struct Job {
    pub(crate) table: FileTable,
    pub(crate) select: Select,
    seed: Option<u64>,
    paper: bool,
}

impl Job {
    /// The request, if its result is not private.
    pub(crate) fn not_private(&self) -> Option<NotPrivateSelect> {
        let select = || self.select.clone();
        match (self.seed, self.paper) {
            (None, false) => None,
            (Some(seed), false) => Some(select().seed(seed)),
            (None, true) => Some(select().paper_preprocessing()),
            (Some(seed), true) => Some(select().seed(seed).paper_preprocessing()),
        }
    }
}

impl SelectArguments {
    /// All files that are read.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        let table = &self.table;
        let beside = [&table.target_file, &table.schema, &self.bounds_file];
        let beside = beside.into_iter().filter_map(|path| path.as_deref());
        let beside = beside.chain(self.ledger.file());
        std::iter::once(table.file.as_path()).chain(beside).chain(table.exclude_files()).collect()
    }

    /// The request and its table, after all checks that need no look at the table.
    pub(crate) fn job(&self) -> Result<Job> {
        if self.inputs().iter().filter(|path| **path == Path::new("-")).count() > 1 {
            return Err(Error::request("only one file can be standard input"));
        }
        let (mut schema, hash) = self.table.schema()?;
        if self.table.states_target() {
            (schema.classes, schema.target_bounds) = (None, None);
        }
        let neighbors = self.neighbors.neighbors();
        let mut select = Select::new(self.k)
            .epsilon(self.budget.eps.clone())
            .target(self.target.target(&schema)?)
            .center(parse_center(&self.center)?)
            .neighbors(neighbors);
        if let Some(delta) = &self.delta.delta {
            select = select.delta(delta.clone());
        }
        if let Some(hash) = hash {
            select = select.schema_hash(hash);
        }
        if let Some(score) = self.score {
            select = select.score(match score {
                Score::Ks => ScoreKind::Ks,
                Score::Correlation => ScoreKind::Correlation,
                Score::Kendall => ScoreKind::Kendall,
            });
        }
        select = self.scale(select, &schema)?;
        let split = self.split.as_deref().map(parse_split).transpose()?.unwrap_or_default();
        select = select.shares(&split.target, &split.center).estimates(&split.estimates);
        match (self.direction, split.direction) {
            (true, share) => {
                select = select.direction(share.as_deref().unwrap_or(DIRECTION_SHARE));
            }
            (false, Some(_)) => {
                return Err(Error::request("the share of directions needs --direction"));
            }
            (false, None) => {}
        }
        select = select.memory(parse_size(&self.memory)?);
        select = self.method(select)?;
        if let Some(threads) = self.threads {
            select = select.threads(threads);
        }
        if self.shows_progress()
            && let Some(report) = progress()
        {
            select = select.progress(report);
        }
        let table = self.table.table(&schema)?;
        let job = Job { table, select, seed: self.seed, paper: self.preprocess.is_some() };
        match job.not_private() {
            Some(request) => request.check()?,
            None => job.select.check_ref().map(|_| ())?,
        }
        Ok(job)
    }

    /// States the method and its mechanism.
    fn method(&self, select: Select) -> Result<Select> {
        if self.method != MethodId::DpSis {
            return self.whole_method(select);
        }
        if self.blocks.is_some() || self.penalty.is_some() {
            return Err(Error::request("--blocks and --penalty belong to --method two-stage"));
        }
        Ok(select.mechanism(self.mechanism.mechanism("canonical")?))
    }

    /// States a method that takes the whole table.
    fn whole_method(&self, mut select: Select) -> Result<Select> {
        let two_stage = self.method == MethodId::TwoStage;
        if !two_stage && (self.blocks.is_some() || self.penalty.is_some()) {
            return Err(Error::request("--blocks and --penalty belong to --method two-stage"));
        }
        if !two_stage && self.mechanism.is_stated() {
            return Err(Error::request("DPKendall takes no mechanism: it has its own"));
        }
        if !two_stage {
            return Ok(select.method(Method::DpKendall));
        }
        if self.mechanism.is_stated() {
            select = select.mechanism(self.mechanism.mechanism("peel")?);
        }
        let mut two_stage = TwoStage::default();
        if let Some(blocks) = self.blocks {
            two_stage = two_stage.blocks(blocks);
        }
        if let Some(penalty) = self.penalty {
            two_stage = two_stage.penalty(penalty);
        }
        Ok(select.method(Method::TwoStage(two_stage)))
    }

    /// Whether progress may be shown.
    fn shows_progress(&self) -> bool {
        !self.no_progress && !self.output.quiet
    }

    /// States how features are scaled.
    fn scale(&self, select: Select, schema: &SchemaFile) -> Result<Select> {
        let stated = self.bounds.as_deref().map(parse_bounds).transpose()?;
        let from_schema = |select: Select| match (schema.bounds, &schema.bounds_file) {
            (Some([low, high]), _) => Some(select.bounds(low, high)),
            (_, Some(path)) => Some(select.bounds_file(path)),
            _ => None,
        };
        let per_million = self.scale == Some(Scale::Cpm);
        let select = if per_million { select.counts_per_million() } else { select };
        let row_ranks = self.scale == Some(Scale::RowRank);
        if row_ranks && (stated.is_some() || self.bounds_file.is_some()) {
            return Err(Error::request("bounds and --scale row-rank exclude each other"));
        }
        if let Some(bounds) = stated {
            return Ok(select.scaling(Scaling::Bounds(bounds)));
        }
        if let Some(path) = &self.bounds_file {
            return Ok(select.bounds_file(path));
        }
        if row_ranks {
            return Ok(select.scaling(Scaling::RowRank));
        }
        if self.scale == Some(Scale::Bounds) {
            let rule = "--scale bounds needs --bounds LO,HI or --bounds-file";
            return from_schema(select).ok_or_else(|| Error::request(rule));
        }
        let whole = self.method == MethodId::DpKendall;
        // The schema's bounds are of the values as they are in the table.
        let unscaled = self.score == Some(Score::Kendall) || self.preprocess.is_some() || whole;
        if unscaled || per_million {
            return Ok(select);
        }
        Ok(from_schema(select.clone()).unwrap_or(select))
    }
}
