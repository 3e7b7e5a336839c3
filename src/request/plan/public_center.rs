//! Public centers of the target, mapped to the grid.

use crate::error::{Error, Parameter, Result};
use crate::exact::GRID;
use crate::request::fields::Center;
use crate::request::plan::{CodedAs, Coding};
use crate::table::{Labels, TargetCode};

/// A public center of a target on the grid: of its number, or of each class.
///
/// # Errors
///
/// `Request` if the center is not one of such a target.
pub(crate) fn public_center(target: &CodedAs, center: &Center) -> Result<Vec<i32>> {
    let center = match (target, center) {
        (CodedAs::Classes(labels), Center::Shares(shares)) => {
            return shares_on_grid(shares, labels);
        }
        (CodedAs::Classes(_), Center::Given(_)) => {
            let rule = "with three or more classes give the center as shares: a=0.3,b=0.5,c=0.2";
            return Err(Error::request(rule));
        }
        (CodedAs::Classes(labels), _) => return Ok(vec![0; labels.as_slice().len()]),
        (CodedAs::Number(_), Center::Shares(_)) => {
            return Err(Error::request("shares as center need three or more classes"));
        }
        (CodedAs::Number(Coding::MedianSplit), Center::Given(_)) => {
            let rule = "a given center needs a target with bounds or classes";
            return Err(Error::request(rule).about([Parameter::TargetBounds, Parameter::Classes]));
        }
        (CodedAs::Number(Coding::Given(TargetCode::Bounded(bounds))), Center::Given(value)) => {
            if !(bounds.low()..=bounds.high()).contains(value) {
                return Err(Error::request("the given center lies outside the target's bounds"));
            }
            bounds.quantize(*value, GRID).into()
        }
        (CodedAs::Number(Coding::Given(_)), Center::Given(share)) => {
            (f64::from(GRID) * (2.0 * check_share(*share)? - 1.0)).round() as i32
        }
        (CodedAs::Number(_), _) => 0,
    };
    Ok(vec![center])
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
