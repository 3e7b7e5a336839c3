//! Public centers of the target, mapped to the grid.

use crate::error::{Error, Parameter, Result};
use crate::exact::GRID;
use crate::request::fields::Center;
use crate::table::{Bounds, Labels};

pub(crate) fn center_of_split(center: &Center) -> Result<i32> {
    match center {
        Center::Given(_) => {
            Err(Error::request("a given center needs a target with bounds or classes")
                .about([Parameter::TargetBounds, Parameter::Classes]))
        }
        other => no_shares(other),
    }
}

pub(crate) fn center_in_bounds(bounds: &Bounds, center: &Center) -> Result<i32> {
    match center {
        Center::Given(value) if (bounds.low()..=bounds.high()).contains(value) => {
            Ok(bounds.quantize(*value, GRID).into())
        }
        Center::Given(_) => {
            Err(Error::request("the given center lies outside the target's bounds"))
        }
        other => no_shares(other),
    }
}

pub(crate) fn center_of_two(center: &Center) -> Result<i32> {
    match center {
        Center::Given(share) => {
            Ok((f64::from(GRID) * (2.0 * check_share(*share)? - 1.0)).round() as i32)
        }
        other => no_shares(other),
    }
}

fn no_shares(center: &Center) -> Result<i32> {
    match center {
        Center::Shares(_) => Err(Error::request("shares as center need three or more classes")),
        _ => Ok(0),
    }
}

pub(crate) fn center_of_classes(labels: &Labels, center: &Center) -> Result<Vec<i32>> {
    match center {
        Center::Shares(shares) => shares_on_grid(shares, labels),
        Center::Given(_) => Err(Error::request(
            "with three or more classes give the center as shares: a=0.3,b=0.5,c=0.2",
        )),
        _ => Ok(vec![0; labels.as_slice().len()]),
    }
}

fn check_share(share: f64) -> Result<f64> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::request("the share of a class must lie between 0 and 1"));
    }
    Ok(share)
}

fn shares_on_grid(shares: &[(String, f64)], labels: &Labels) -> Result<Vec<i32>> {
    if shares.len() != labels.as_slice().len() {
        return Err(Error::request("the center must give the share of every class, once"));
    }
    let share_of = |label: &String| {
        let share = shares.iter().find(|(name, _)| name == label);
        share.ok_or_else(|| Error::request("the center must give the share of every class, once"))
    };
    let mut sum = 0.0;
    let mut on_grid = Vec::new();
    for label in labels.as_slice() {
        let share = check_share(share_of(label)?.1)?;
        sum += share;
        on_grid.push((f64::from(GRID) * share).round() as i32);
    }
    if !((0.99..=1.01).contains(&sum)) {
        return Err(Error::request("the shares of the classes must add up to 1"));
    }
    Ok(on_grid)
}
