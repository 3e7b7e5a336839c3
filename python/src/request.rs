//! The request that the options of a selection make.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dpsis::internals::SHARES;
use dpsis::{
    Bounds, Center, Covariate, Error, FeatureSets, Method, Parameter, Result, Scaling, Select,
    Target, TwoStage,
};
use pyo3::prelude::*;

use crate::options::{mechanism, neighbors, refine, score, unit_target, word};

/// The options of a selection; numbers that are read exactly come as text.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    k: usize,
    epsilon: String,
    delta: Option<String>,
    classes: Option<Vec<String>>,
    target_bounds: Option<(f64, f64)>,
    target_number: bool,
    unit_target: Option<String>,
    adjust: Vec<String>,
    groups: Option<Groups>,
    group_size: (usize, Option<usize>),
    bounds: Option<Clip>,
    scale: Option<String>,
    score: Option<String>,
    center: StatedCenter,
    neighbors: String,
    shares: BTreeMap<String, String>,
    direction: bool,
    method: String,
    blocks: Option<u64>,
    penalty: Option<f64>,
    refine: Option<String>,
    mechanism: Option<String>,
    parameters: BTreeMap<String, String>,
    memory: Option<u64>,
    threads: Option<usize>,
}

/// Ranges of features: one for all, by name, or in a file.
#[derive(FromPyObject)]
enum Clip {
    All((f64, f64)),
    File(PathBuf),
    ByName(Vec<(String, f64, f64)>),
}

/// Sets of features: in a file, or by name with their members.
#[derive(FromPyObject)]
enum Groups {
    File(PathBuf),
    ByName(Vec<(String, Vec<String>)>),
}

/// The center of the target.
#[derive(FromPyObject)]
enum StatedCenter {
    Value(f64),
    Word(String),
    Shares(Vec<(String, f64)>),
}

impl Options {
    /// The request, unchecked.
    pub(crate) fn request(&self) -> Result<Select> {
        let [target, center, estimates, direction] = SHARES;
        let share = |name: &str, default: &str| {
            self.shares.get(name).cloned().unwrap_or_else(|| default.to_owned())
        };
        let known = ["target", "center", "estimates", "direction"];
        if self.shares.keys().any(|name| !known.contains(&name.as_str())) {
            let rule = "shares are of target, center, estimates and direction";
            return Err(Error::request(rule).about([Parameter::Shares]));
        }
        let mut select = Select::new(self.k)
            .epsilon(self.epsilon.as_str())
            .adjust(self.covariates()?)
            .center(self.center()?)
            .neighbors(neighbors(&self.neighbors)?)
            .shares(share("target", target).as_str(), share("center", center).as_str())
            .estimates(share("estimates", estimates).as_str());
        if let Some(memory) = self.memory {
            select = select.memory(memory);
        }
        if let Some(target) = self.target()? {
            select = select.target(target);
        }
        if let Some(delta) = &self.delta {
            select = select.delta(delta.as_str());
        }
        if let Some(stated) = &self.unit_target {
            select = select.unit_target(unit_target(stated)?);
        }
        if let Some(sets) = self.sets()? {
            select = select.groups(sets);
        }
        if let Some(stated) = &self.score {
            select = select.score(score(stated)?);
        }
        if let Some(stated) = &self.refine {
            select = select.refine(refine(stated)?);
        }
        match (self.direction, self.shares.get("direction")) {
            (true, stated) => {
                select = select.direction(stated.map_or(direction, String::as_str));
            }
            (false, Some(_)) => {
                let rule = "the share of directions needs the release of directions";
                return Err(Error::request(rule).about([Parameter::Direction, Parameter::Shares]));
            }
            (false, None) => {}
        }
        if let Some(threads) = self.threads {
            select = select.threads(threads);
        }
        self.scaled(self.by_method(select)?)
    }

    /// The target, if it is stated.
    fn target(&self) -> Result<Option<Target>> {
        let target = match (&self.classes, self.target_bounds) {
            (Some(_), Some(_)) => {
                let rule = "the target is one of classes, or a number in a range: not both";
                let error = Error::request(rule);
                return Err(error.about([Parameter::Classes, Parameter::TargetBounds]));
            }
            (Some(_), None) if self.target_number => {
                let error = Error::request("the target is one of classes, or a number: not both");
                return Err(error.about([Parameter::Classes, Parameter::TargetNumber]));
            }
            (Some(labels), None) => Target::Classes(labels.clone()),
            (None, Some((low, high))) => {
                let bounds = Bounds::new(low, high);
                Target::Bounded(bounds.map_err(|e| e.about([Parameter::TargetBounds]))?)
            }
            (None, None) if self.target_number => Target::Numeric,
            (None, None) => return Ok(None),
        };
        Ok(Some(target))
    }

    fn covariates(&self) -> Result<Vec<Covariate>> {
        self.adjust.iter().map(|text| text.parse()).collect()
    }

    fn sets(&self) -> Result<Option<FeatureSets>> {
        let sets = match &self.groups {
            None => return Ok(None),
            Some(Groups::File(path)) => FeatureSets::read(path)?,
            Some(Groups::ByName(sets)) => {
                let sets = sets.iter().map(|(name, members)| (name.as_str(), members));
                FeatureSets::new(sets).map_err(|error| error.about([Parameter::Groups]))?
            }
        };
        let (least, most) = self.group_size;
        Ok(Some(sets.sizes(least, most)))
    }

    fn center(&self) -> Result<Center> {
        match &self.center {
            StatedCenter::Value(value) => Ok(Center::Stated(*value)),
            StatedCenter::Shares(shares) => Ok(Center::Shares(shares.clone())),
            StatedCenter::Word(stated) => {
                let words = [("private", true), ("none", false)];
                let private = word(Parameter::Center, stated, &words)?;
                Ok(if private { Center::Private } else { Center::None })
            }
        }
    }

    fn by_method(&self, select: Select) -> Result<Select> {
        #[derive(Clone, Copy, PartialEq)]
        enum Whole {
            DpSis,
            TwoStage,
            DpKendall,
        }
        let words = [
            ("dp-sis", Whole::DpSis),
            ("two-stage", Whole::TwoStage),
            ("dpkendall", Whole::DpKendall),
        ];
        let whole = word(Parameter::Method, &self.method, &words)?;
        if whole != Whole::TwoStage && (self.blocks.is_some() || self.penalty.is_some()) {
            let rule = "blocks and a penalty belong to the two-stage method";
            return Err(Error::request(rule).about([Parameter::Method]));
        }
        let default = if whole == Whole::TwoStage { "peel" } else { "canonical" };
        let stated = self.mechanism.is_some() || !self.parameters.is_empty();
        let select = match stated {
            true => {
                let id = self.mechanism.as_deref().unwrap_or(default);
                select.mechanism(mechanism(id, &self.parameters)?)
            }
            false => select,
        };
        Ok(match whole {
            Whole::DpSis => select,
            Whole::DpKendall => select.method(Method::DpKendall),
            Whole::TwoStage => {
                let mut two_stage = TwoStage::default();
                if let Some(blocks) = self.blocks {
                    two_stage = two_stage.blocks(blocks);
                }
                if let Some(penalty) = self.penalty {
                    two_stage = two_stage.penalty(penalty);
                }
                select.method(Method::TwoStage(two_stage))
            }
        })
    }

    fn scaled(&self, select: Select) -> Result<Select> {
        let words = [("row-rank", true), ("cpm", false)];
        let row_rank = match &self.scale {
            Some(stated) => Some(word(Parameter::Scaling, stated, &words)?),
            None => None,
        };
        let select = if row_rank == Some(false) { select.counts_per_million() } else { select };
        Ok(match (&self.bounds, row_rank) {
            (Some(_), Some(true)) => {
                let rule = "bounds and row ranks exclude each other";
                return Err(Error::request(rule).about([Parameter::Bounds, Parameter::Scaling]));
            }
            (None, Some(true)) => select.scaling(Scaling::RowRank),
            (None, _) => select,
            (Some(Clip::All((low, high))), _) => {
                let bounds = Bounds::new(*low, *high).map_err(|e| e.about([Parameter::Bounds]))?;
                select.scaling(Scaling::Bounds(bounds))
            }
            (Some(Clip::File(path)), _) => select.bounds_file(path),
            (Some(Clip::ByName(all)), _) => {
                let range = |(name, low, high): &(String, f64, f64)| {
                    let bounds = Bounds::new(*low, *high);
                    bounds.map(|b| (name.clone(), b)).map_err(|e| e.about([Parameter::Bounds]))
                };
                select.bounds_by_name(all.iter().map(range).collect::<Result<Vec<_>>>()?)
            }
        })
    }
}
